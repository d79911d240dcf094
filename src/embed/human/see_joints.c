/// The joints of a human in a mesh, as a network tells them of volumes of it: from the front, closer where limbs take little
/// of it, and turned a little either way where that is asked for.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/human/human.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

/// Sides of the volume that is seen and of that in which joints are told.
enum { SEEN = LMBI_VOLUME_SIDE, TOLD = LMBI_TOLD_SIDE };

// ---- joints

const int lmbi_limb_joints[LMBI_LIMB_JOINTS] = {
    LMBI_LEFT_UPPER_ARM,  LMBI_LEFT_LOWER_ARM,  LMBI_LEFT_HAND,       LMBI_RIGHT_UPPER_ARM,
    LMBI_RIGHT_LOWER_ARM, LMBI_RIGHT_HAND,      LMBI_LEFT_UPPER_LEG,  LMBI_LEFT_LOWER_LEG,
    LMBI_LEFT_FOOT,       LMBI_RIGHT_UPPER_LEG, LMBI_RIGHT_LOWER_LEG, LMBI_RIGHT_FOOT,
};

int lmbi_other_seen_joint(int joint)
{
    static const int other[LMBI_SEEN_JOINTS] = {
        3,
        4,
        5,
        0,
        1,
        2,
        9,
        10,
        11,
        6,
        7,
        8,
        LMBI_SEEN_HIPS,
        LMBI_SEEN_SPINE,
        LMBI_SEEN_NECK,
        LMBI_SEEN_HEAD,
        LMBI_SEEN_CROWN,
        LMBI_SEEN_RIGHT_HAND_END,
        LMBI_SEEN_LEFT_HAND_END,
        LMBI_SEEN_RIGHT_TOE_END,
        LMBI_SEEN_LEFT_TOE_END,
    };
    return other[joint];
}

// ---- views

/// How a volume lies about a mesh: the axes along which it is seen, and its frame.
typedef struct view {
    lmb_vec3 axes[3], low; ///< `low` along the axes
    float cell;            ///< of a voxel in which joints are told
} view;

/// Looks from beside: turned about up or about left, in radians, by one deviation of the turns of the bodies that the
/// network was fitted on (TURN and LEAN of tools/varied_volumes.py). Of every other one the mirror image is seen.
static const struct {
    float about_up, about_left;
} TURNS[] = {{0.15f, 0}, {-0.15f, 0}, {0, 0.06f}, {0, -0.06f}};

enum { BESIDE = sizeof TURNS / sizeof *TURNS };

static void turn(lmb_vec3 *from, lmb_vec3 *to, float angle)
{
    const float c = lmb_cos(angle), s = lmb_sin(angle);
    const lmb_vec3 old = *from;
    *from = lmb_vec3_mad(lmb_vec3_scale(old, c), *to, s);
    *to = lmb_vec3_mad(lmb_vec3_scale(*to, c), old, -s);
}

/// A cube about a box along axes, as it lies along other axes: so large that the box, turned so far, is in it.
static lmb_box cube_about(lmb_box box, const lmb_vec3 axes[3], const lmb_vec3 turned[3],
                          float angle)
{
    const lmb_vec3 middle =
        lmbi_along_axes(lmbi_from_axes(lmb_vec3_lerp(box.low, box.high, 0.5f), axes), turned);
    const float half = 0.5f * lmbi_longest_side(lmb_vec3_sub(box.high, box.low)) *
                       (lmb_cos(angle) + fabsf(lmb_sin(angle)));
    const lmb_vec3 corner = lmb_vec3_make(half, half, half);
    return (lmb_box){lmb_vec3_sub(middle, corner), lmb_vec3_add(middle, corner)};
}

/// Adds what is told in one view where it lies in another.
static void add_view(const view *from, const lmbi_told *told, const view *to, lmbi_told *sum)
{
    const lmbi_grid grid = {from->low, from->cell, TOLD, TOLD, TOLD};
    for (int v = 0; v < LMBI_TOLD_VOXELS; ++v) {
        const lmb_vec3 at = lmb_vec3_make((float)(v % TOLD) + 0.5f, (float)(v / TOLD % TOLD) + 0.5f,
                                          (float)(v / TOLD / TOLD) + 0.5f),
                       point = lmbi_from_axes(lmb_vec3_mad(to->low, at, to->cell), to->axes),
                       there = lmbi_along_axes(point, from->axes);
        for (int joint = 0; joint < LMBI_SEEN_JOINTS; ++joint) {
            sum->odds[joint][v] += lmbi_field_sample(&grid, told->odds[joint], there);
        }
    }
}

/// The mean of the least sure joints of the limbs.
static float least_sure(const float chance[LMBI_LIMB_JOINTS])
{
    enum { LEAST_SURE = 3 }; // as in tools/fit-volume.py
    float least[LEAST_SURE] = {1, 1, 1}, sum = 0;
    for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
        float own = chance[j];
        for (int k = 0; k < LEAST_SURE; ++k) {
            const float other = least[k];
            least[k] = fminf(own, other);
            own = fmaxf(own, other);
        }
    }
    for (int k = 0; k < LEAST_SURE; ++k) {
        sum += least[k] / LEAST_SURE;
    }
    return sum;
}

static void find_joints(const view *v, const lmbi_told *told, lmbi_seen_joints *out)
{
    out->sure = 0;
    for (int j = 0; j < LMBI_SEEN_JOINTS; ++j) {
        lmb_vec3 p;
        out->chance[j] = lmbi_told_joint(told->odds[j], &p);
        out->sure += j < LMBI_LIMB_JOINTS ? out->chance[j] / LMBI_LIMB_JOINTS : 0;
        out->at[j] = lmbi_from_axes(lmb_vec3_mad(v->low, p, v->cell), v->axes);
    }
    out->least = least_sure(out->chance);
}

/// What was told of a box.
typedef struct look {
    lmb_box box;
    view from;
    lmbi_told told;
    lmbi_seen_joints joints;
} look;

struct lmbi_sight {
    lmbi_voxel_cache *body;
    lmbi_volume_network *network; ///< not its own
    lmbi_volume seen;
    look whole, closer;
    look *best; ///< of both
};

/// The volume of what is in a box along axes, or of all (NULL).
static lmb_result see_view(lmbi_sight *s, const lmb_vec3 axes[3], const lmb_box *box, view *out,
                           lmb_error *error)
{
    const lmbi_voxel_cache *body = s->body;
    const lmb_result result =
        box ? lmbi_volume_of(body->mesh, axes, *box, body->alloc, &s->seen, error)
            : lmbi_volume_of_whole(s->body, axes, &s->seen, error);
    if (result == LMB_OK) {
        memcpy(out->axes, axes, sizeof out->axes);
        out->low = s->seen.low;
        out->cell = s->seen.cell * SEEN / TOLD;
    }
    return result;
}

static void scale_told(lmbi_told *told, float by)
{
    for (int k = 0; k < LMBI_SEEN_JOINTS * LMBI_TOLD_VOXELS; ++k) {
        told->odds[k / LMBI_TOLD_VOXELS][k % LMBI_TOLD_VOXELS] *= by;
    }
}

/// Looks straight at what is in `box`, which is all or is cut out of it, and, where there may be a figure, at its mirror image.
static lmb_result look_straight(lmbi_sight *s, const lmb_vec3 axes[3], lmb_box box, bool all,
                                look *out, lmb_error *error)
{
    // Less sure, a figure has a chance below a thousandth by the lines of seen_figure.c.
    const float hopeless = 0.3f;
    const lmb_result result = see_view(s, axes, all ? NULL : &box, &out->from, error);
    if (result != LMB_OK) {
        return result;
    }
    out->box = box;
    lmbi_volume_network_add(s->network, &s->seen, NULL, &out->told);
    find_joints(&out->from, &out->told, &out->joints);
    if (out->joints.sure > hopeless) {
        lmbi_volume_network_add(s->network, &s->seen, lmbi_other_seen_joint, &out->told);
        scale_told(&out->told, 0.5f);
        find_joints(&out->from, &out->told, &out->joints);
    }
    return LMB_OK;
}

lmb_result lmbi_sight_look_beside(lmbi_sight *s, lmbi_seen_joints *out, lmb_error *error)
{
    look *best = s->best, *beside = best == &s->whole ? &s->closer : &s->whole;
    lmb_result result = LMB_OK;
    for (int k = 0; k < BESIDE && result == LMB_OK; ++k) {
        view *v = &beside->from;
        *v = best->from;
        turn(&v->axes[0], &v->axes[2], TURNS[k].about_up);
        turn(&v->axes[1], &v->axes[2], TURNS[k].about_left);
        const lmb_box cube = cube_about(best->box, best->from.axes, v->axes,
                                        TURNS[k].about_up + TURNS[k].about_left);
        result = see_view(s, v->axes, &cube, v, error);
        if (result == LMB_OK) {
            memset(&beside->told, 0, sizeof beside->told);
            lmbi_volume_network_add(s->network, &s->seen, k % 2 == 1 ? lmbi_other_seen_joint : NULL,
                                    &beside->told);
            add_view(v, &beside->told, &best->from, &best->told);
        }
    }
    if (result == LMB_OK) {
        scale_told(&best->told, 1.0f / (BESIDE + 1));
        find_joints(&best->from, &best->told, out);
    }
    return result;
}

/// The box of limbs and of what may be beside them, such as a head or feet, in that of the mesh.
static lmb_box box_of_limbs(const lmbi_seen_joints *limbs, const lmb_vec3 axes[3], lmb_box whole)
{
    const float beside = 0.5f;
    lmb_box box = lmb_box_empty();
    for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
        box = lmb_box_add(box, lmbi_along_axes(limbs->at[j], axes));
    }
    const float by = beside * lmbi_longest_side(lmb_vec3_sub(box.high, box.low));
    const lmb_vec3 low = lmb_vec3_sub(box.low, lmb_vec3_make(by, by, by)),
                   high = lmb_vec3_add(box.high, lmb_vec3_make(by, by, by));
    return (lmb_box){lmb_vec3_make(fmaxf(low.x, whole.low.x), fmaxf(low.y, whole.low.y),
                                   fmaxf(low.z, whole.low.z)),
                     lmb_vec3_make(fminf(high.x, whole.high.x), fminf(high.y, whole.high.y),
                                   fminf(high.z, whole.high.z))};
}

/// Looks at the whole, and then closer where limbs take little of it.
static lmb_result look_closer(lmbi_sight *s, const lmb_vec3 axes[3], lmb_error *error)
{
    const float little = 0.85f, least = 0.1f;
    const lmb_box whole = lmbi_soup_bounds_along(s->body->mesh, axes);
    lmb_result result = look_straight(s, axes, whole, true, &s->whole, error);
    s->best = &s->whole;
    if (result != LMB_OK) {
        return result;
    }
    const lmb_box part = box_of_limbs(&s->whole.joints, axes, whole);
    const float share = lmbi_longest_side(lmb_vec3_sub(part.high, part.low)) /
                        lmbi_longest_side(lmb_vec3_sub(whole.high, whole.low));
    if (share > least && share < little) {
        result = look_straight(s, axes, part, false, &s->closer, error);
        if (result == LMB_OK && s->closer.joints.sure > s->whole.joints.sure) {
            s->best = &s->closer;
        }
    }
    return result;
}

void lmbi_sight_destroy(lmbi_sight *s)
{
    if (s) {
        lmbi_free(s->body->alloc, s);
    }
}

lmb_result lmbi_sight_create(lmbi_volume_network *network, lmbi_voxel_cache *body,
                             const lmb_vec3 axes[3], lmbi_sight **out, lmbi_seen_joints *joints,
                             lmb_error *error)
{
    lmbi_sight *s = lmbi_alloc_array(body->alloc, 1, sizeof *s);
    *out = s;
    if (!s) {
        return lmbi_fail_memory(error);
    }
    s->network = network;
    s->body = body;
    const lmb_result result = look_closer(s, axes, error);
    if (result == LMB_OK) {
        *joints = s->best->joints;
    } else {
        lmbi_sight_destroy(s);
        *out = NULL;
    }
    return result;
}
