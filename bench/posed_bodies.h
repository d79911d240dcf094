// Characters that bodies are labelled of, in poses, with other proportions and with props. Included by labelled_bodies.h.
#ifndef BENCH_POSED_BODIES_H
#define BENCH_POSED_BODIES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asset/tree.h"
#include "author/gather.h"
#include "base/arena.h"
#include "limber/limber.h"

typedef struct source {
    char name[64], family[32];
    lmb_character *c;
    lmbi_arena arena;
    lmbi_gathered g;
    lmb_mat4 *m0, *m;
    lmb_vec3 *pos; ///< with room for props
    uint32_t *tri, pos_count, tri_count;
    bool human;
    lmb_skeleton_kind kind;
    lmb_joint_map map;
    lmb_vec3 facing;
    int32_t loose[2][2];   ///< feet that hang on no shin, and the shin; 0: none
    bool fingers_alone[2]; ///< the joint of a hand is that of a finger, since it has none
} source;

enum { PROP_POSITIONS = 600, PROP_TRIANGLES = 1200 };

static bool source_init(source *s)
{
    lmbi_arena_init(&s->arena, NULL);
    memset(&s->g, 0, sizeof s->g);
    if (lmbi_gather(s->c, &s->arena, &s->g, NULL) != LMB_OK)
        return false;
    const uint32_t n = s->c->skeleton->joint_count;
    s->m0 = malloc(n * sizeof *s->m0);
    s->m = malloc(n * sizeof *s->m);
    s->pos = malloc((s->g.position_count + PROP_POSITIONS) * sizeof *s->pos);
    s->tri = malloc((size_t)(s->g.triangle_count + PROP_TRIANGLES) * 3 * sizeof *s->tri);
    memcpy(s->tri, s->g.triangles, (size_t)s->g.triangle_count * 3 * sizeof *s->tri);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = s->c->skeleton, .model_from_joint = s->m0});
    return true;
}

/// Moves a joint and what hangs on it, with a foot that ought to.
static void move_subtree(const source *src, lmb_mat4 *m, int32_t j, lmb_mat4 r)
{
    const lmb_skeleton *s = src->c->skeleton;
    for (uint32_t k = 0; k < s->joint_count; ++k) {
        bool in = lmbi_is_under(s, (int32_t)k, j);
        for (int side = 0; side < 2 && !in; ++side)
            in = src->loose[side][0] > 0 && lmbi_is_under(s, (int32_t)k, src->loose[side][0]) &&
                 lmbi_is_under(s, src->loose[side][1], j);
        if (in)
            m[k] = lmb_mat4_mul(r, m[k]);
    }
}
static void turn(const source *s, lmb_mat4 *m, int32_t j, lmb_quat q)
{
    const lmb_vec3 p = lmb_mat4_translation(m[j]);
    move_subtree(s, m, j,
                 lmb_mat4_from_transform(
                     (lmb_transform){.rotation = q,
                                     .translation = lmb_vec3_sub(p, lmb_quat_rotate(q, p)),
                                     .scale = {1, 1, 1}}));
}
static void grow(const source *s, lmb_mat4 *m, int32_t j, float by)
{
    if (j < 0)
        return;
    const lmb_vec3 p = lmb_mat4_translation(m[j]);
    move_subtree(s, m, j,
                 lmb_mat4_from_transform((lmb_transform){.rotation = lmb_quat_identity(),
                                                         .translation = lmb_vec3_scale(p, 1 - by),
                                                         .scale = {by, by, by}}));
}
static void aim(const source *s, lmb_mat4 *m, int32_t j, int32_t child, lmb_vec3 dir)
{
    if (j < 0 || child < 0)
        return;
    const lmb_vec3 d = lmb_vec3_normalize_or(
        lmb_vec3_sub(lmb_mat4_translation(m[child]), lmb_mat4_translation(m[j])), dir);
    turn(s, m, j, lmb_quat_between(d, lmb_vec3_normalize_or(dir, d)));
}
enum { REST, DOWN, RAISED, BENT, STRIDE, SIT, CROSSED, HIPS, WAVE, SQUAT, POSES };
static lmb_vec3 along(lmb_vec3 l, lmb_vec3 f, float x, float y, float z)
{
    return lmb_vec3_add(lmb_vec3_add(lmb_vec3_scale(l, x), lmb_vec3_scale(f, z)),
                        lmb_vec3_make(0, y, 0));
}
/// How far directions of bones scatter, and the share of poses with different arms.
static float scattered, mixed_share;
static lmb_vec3 scatter(lmb_vec3 d, lmb_random *r)
{
    const lmb_vec3 by = {lmb_random_range(r, -scattered, scattered),
                         lmb_random_range(r, -scattered, scattered),
                         lmb_random_range(r, -scattered, scattered)};
    return lmb_vec3_add(d, by);
}
/// Directions of the two bones of a limb; zero: as at rest.
typedef struct limb_directions {
    lmb_vec3 upper, lower;
} limb_directions;

/// The axes of a character, and how far its pose is off the usual one.
typedef struct pose_axes {
    lmb_vec3 left, front;
    float j;
} pose_axes;

static limb_directions arm_in(const pose_axes *x, int pose, int side)
{
    const float sg = side == 0 ? 1.0f : -1.0f, j = x->j;
    limb_directions d = {{0, 0, 0}, {0, 0, 0}};
    switch (pose) {
    case DOWN:
        d.upper = along(x->left, x->front, sg * (0.27f + j), -0.96f, 0);
        d.lower = along(x->left, x->front, sg * (0.22f + j), -0.96f, 0.1f + j);
        break;
    case RAISED:
        d.upper = along(x->left, x->front, sg * 0.6f, 0.8f + 3 * j, 0);
        d.lower = along(x->left, x->front, sg * 0.4f, 0.9f, 0);
        break;
    case BENT:
        d.upper = along(x->left, x->front, sg * 0.6f, -0.8f, 0);
        d.lower = along(x->left, x->front, sg * 0.3f, 0.1f + j, 0.95f);
        break;
    case CROSSED:
        d.upper = along(x->left, x->front, sg * 0.35f, -0.85f, 0.35f);
        d.lower = along(x->left, x->front, -sg * 0.93f, 0.12f, 0.35f + 0.1f * sg);
        break;
    case HIPS:
        d.upper = along(x->left, x->front, sg * 0.7f, -0.7f, -0.15f);
        d.lower = along(x->left, x->front, -sg * 0.75f, -0.65f, 0.2f);
        break;
    case WAVE:
        if (side == 0) {
            d.upper = along(x->left, x->front, 0.75f, 0.65f + j, 0);
            d.lower = along(x->left, x->front, 0.2f, 0.95f, 0.1f);
        } else {
            d.upper = along(x->left, x->front, sg * 0.35f, -0.94f, 0);
            d.lower = d.upper;
        }
        break;
    case STRIDE:
        d.upper = along(x->left, x->front, sg * 0.3f, -0.9f, -sg * 0.35f);
        d.lower = along(x->left, x->front, sg * 0.2f, -0.9f, -sg * 0.2f + 0.25f);
        break;
    case SIT:
        d.upper = along(x->left, x->front, sg * 0.3f, -0.9f, 0.2f);
        d.lower = along(x->left, x->front, sg * 0.1f, -0.5f, 0.85f);
        break;
    case SQUAT:
        d.upper = along(x->left, x->front, sg * 0.5f, -0.3f, 0.8f);
        d.lower = along(x->left, x->front, 0, 0, 1);
        break;
    default:
        break;
    }
    return d;
}

static limb_directions leg_in(const pose_axes *x, int pose, int side)
{
    const lmb_vec3 l = x->left, f = x->front;
    const float sg = side == 0 ? 1.0f : -1.0f;
    switch (pose) {
    case STRIDE:
        return (limb_directions){along(l, f, sg * 0.06f, -0.9f, sg * (0.42f + x->j)),
                                 along(l, f, sg * 0.03f, -0.95f, sg > 0 ? 0.25f : -0.6f)};
    case SIT:
        return (limb_directions){along(l, f, sg * 0.1f, -0.1f, 1), along(l, f, 0, -1, 0.05f)};
    case SQUAT:
        return (limb_directions){along(l, f, sg * 0.35f, -0.35f, 0.87f),
                                 along(l, f, 0, -0.9f, -0.43f)};
    default:
        return (limb_directions){{0, 0, 0}, {0, 0, 0}};
    }
}

static lmb_vec3 bone_between(const lmb_mat4 *m, int32_t a, int32_t b)
{
    return lmb_vec3_sub(lmb_mat4_translation(m[b]), lmb_mat4_translation(m[a]));
}

/// Aims the bones of a limb, whose end keeps its angle to the lower one if `turned`.
static void aim_limb(const source *src, lmb_mat4 *m, const int32_t joints[3], limb_directions d,
                     bool turned, lmb_random *rnd)
{
    if (!(lmb_vec3_dot(d.upper, d.upper) > 0))
        return;
    d.upper = scatter(d.upper, rnd);
    d.lower = scatter(d.lower, rnd);
    const lmb_vec3 before = bone_between(m, joints[1], joints[2]);
    aim(src, m, joints[0], joints[1], d.upper);
    aim(src, m, joints[1], joints[2], d.lower);
    const lmb_vec3 after = bone_between(m, joints[1], joints[2]);
    if (turned)
        turn(src, m, joints[2],
             lmb_quat_between(lmb_vec3_normalize_or(after, d.lower),
                              lmb_vec3_normalize_or(before, d.lower)));
}

static bool pose_human(const source *src, lmb_mat4 *m, int which, lmb_random *rnd)
{
    const lmb_bone_match *bones = src->map.bones;
    const pose_axes x = {lmb_vec3_cross(lmb_vec3_make(0, 1, 0), src->facing), src->facing,
                         lmb_random_range(rnd, -0.15f, 0.15f)};
    // Sometimes the arms are in different poses.
    const bool mixed = which != REST && lmb_random_unit(rnd) < mixed_share;
    for (int side = 0; side < 2; ++side) {
        const int a = side == 0 ? LMB_HUMAN_LEFT_UPPER_ARM : LMB_HUMAN_RIGHT_UPPER_ARM,
                  g = side == 0 ? LMB_HUMAN_LEFT_UPPER_LEG : LMB_HUMAN_RIGHT_UPPER_LEG;
        const int32_t arm[3] = {bones[a].joint, bones[a + 1].joint, bones[a + 2].joint},
                      leg[3] = {bones[g].joint, bones[g + 1].joint, bones[g + 2].joint};
        for (int k = 0; k < 3; ++k)
            if (arm[k] < 0 || leg[k] < 0)
                return which == REST;
        const int own = mixed ? 1 + (int)(lmb_random_unit(rnd) * (POSES - 1)) % (POSES - 1) : which;
        aim_limb(src, m, arm, arm_in(&x, own, side), false, rnd);
        aim_limb(src, m, leg, leg_in(&x, which, side), true, rnd);
    }
    return true;
}
/// Other proportions: heads of chibis, short or long limbs, large hands and feet.
static void reshape(const source *src, lmb_mat4 *m, lmb_random *r)
{
    const lmb_bone_match *b = src->map.bones;
    const float u = lmb_random_unit(r);
    const bool chibi = u < 0.5f;
    const float head = chibi ? lmb_random_range(r, 1.5f, 3.2f) : lmb_random_range(r, 0.7f, 1.4f);
    const float leg = chibi ? lmb_random_range(r, 0.45f, 0.9f) : lmb_random_range(r, 0.75f, 1.35f);
    const float arm = chibi ? lmb_random_range(r, 0.5f, 0.95f) : lmb_random_range(r, 0.8f, 1.35f);
    const float hand = lmb_random_range(r, 0.9f, chibi ? 1.8f : 1.5f),
                foot = lmb_random_range(r, 0.9f, 1.6f);
    grow(src, m, b[LMB_HUMAN_HEAD].joint, head);
    for (int side = 0; side < 2; ++side) {
        const int a = side == 0 ? LMB_HUMAN_LEFT_UPPER_ARM : LMB_HUMAN_RIGHT_UPPER_ARM,
                  g = side == 0 ? LMB_HUMAN_LEFT_UPPER_LEG : LMB_HUMAN_RIGHT_UPPER_LEG;
        grow(src, m, b[a].joint, arm);
        grow(src, m, b[a + 2].joint, hand);
        grow(src, m, b[g].joint, leg);
        grow(src, m, b[g + 2].joint, foot);
    }
}
static void skin_all(source *s)
{
    const lmb_character *c = s->c;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_instance *in = &c->instances[i];
        const lmb_mesh *mesh = c->meshes[in->mesh];
        lmb_vec3 *out = s->pos + s->g.first_position[i];
        if (in->skin == LMB_NONE || !mesh->influences.first) {
            for (uint32_t v = 0; v < mesh->vertex_count; ++v)
                out[v] = lmb_mat4_point(s->m[in->joint], mesh->positions[v]);
            continue;
        }
        const lmb_skin *sk = c->skins[in->skin];
        lmb_mat4 *pal = malloc(sk->joint_count * sizeof *pal);
        lmb_skin_palette(sk, s->m, pal);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            lmb_vec3 sum = {0, 0, 0};
            float t = 0;
            for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
                sum = lmb_vec3_mad(
                    sum, lmb_mat4_point(pal[mesh->influences.items[k].joint], mesh->positions[v]),
                    mesh->influences.items[k].weight);
                t += mesh->influences.items[k].weight;
            }
            out[v] = t > 0 ? lmb_vec3_scale(sum, 1 / t) : mesh->positions[v];
        }
        free(pal);
    }
    s->pos_count = s->g.position_count;
    s->tri_count = s->g.triangle_count;
}
/// A six-sided cone or stick.
static void add_cone(source *s, lmb_vec3 a, lmb_vec3 b, float ra, float rb)
{
    const lmb_vec3 d = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    const lmb_vec3 x = lmb_vec3_any_perpendicular(d), y = lmb_vec3_cross(d, x);
    const uint32_t first = s->pos_count;
    for (int k = 0; k < 6; ++k) {
        const float w = (float)k * LMB_PI / 3;
        const lmb_vec3 e =
            lmb_vec3_add(lmb_vec3_scale(x, lmb_cos(w)), lmb_vec3_scale(y, lmb_sin(w)));
        s->pos[s->pos_count++] = lmb_vec3_mad(a, e, ra);
        s->pos[s->pos_count++] = lmb_vec3_mad(b, e, rb);
    }
    s->pos[s->pos_count++] = a;
    s->pos[s->pos_count++] = b;
    for (uint32_t k = 0; k < 6; ++k) {
        const uint32_t p = first + 2 * k, q = first + 2 * ((k + 1) % 6);
        const uint32_t t[12] = {p,          q, q + 1, p,          q + 1, p + 1,
                                first + 12, q, p,     first + 13, p + 1, q + 1};
        memcpy(s->tri + 3 * (size_t)s->tri_count, t, sizeof t);
        s->tri_count += 4;
    }
}
/// What people hold and wear.
static void add_props(source *s, lmb_random *r, float h)
{
    const lmb_bone_match *b = s->map.bones;
    const lmb_vec3 f = s->facing, l = lmb_vec3_cross(lmb_vec3_make(0, 1, 0), f);
    const float u = lmb_random_unit(r);
    if (b[LMB_HUMAN_HEAD].joint < 0 || b[LMB_HUMAN_RIGHT_HAND].joint < 0 ||
        b[LMB_HUMAN_HIPS].joint < 0)
        return;
    const lmb_vec3 head = lmb_mat4_translation(s->m[b[LMB_HUMAN_HEAD].joint]),
                   hand = lmb_mat4_translation(s->m[b[LMB_HUMAN_RIGHT_HAND].joint]),
                   hips = lmb_mat4_translation(s->m[b[LMB_HUMAN_HIPS].joint]);
    float top = -1e30f;
    for (uint32_t v = 0; v < s->g.triangle_count * 3; ++v) {
        const lmb_vec3 p = s->pos[s->g.triangles[v]];
        if (fabsf(lmb_vec3_dot(lmb_vec3_sub(p, head), l)) < 0.08f * h)
            top = fmaxf(top, p.y);
    }
    const lmb_vec3 crown = lmb_vec3_make(head.x, top, head.z);
    const float up = crown.y - head.y;
    if (u < 0.3f) { // ears
        const float len = h * lmb_random_range(r, 0.08f, 0.45f),
                    out = lmb_random_range(r, 0.1f, 1.2f),
                    w = h * lmb_random_range(r, 0.02f, 0.06f);
        for (int side = 0; side < 2; ++side) {
            const float sg = side ? -1.0f : 1.0f;
            const lmb_vec3 a = lmb_vec3_add(lmb_vec3_mad(crown, l, sg * 0.3f * up),
                                            lmb_vec3_make(0, -0.25f * up, 0));
            const lmb_vec3 d = lmb_vec3_normalize_or(along(l, f, sg * out, 1, 0), f);
            add_cone(s, a, lmb_vec3_mad(a, d, len), w, 0.6f * w);
        }
    } else if (u < 0.55f) { // sword, staff
        const lmb_vec3 d = lmb_vec3_normalize_or(along(l, f, 0, lmb_random_range(r, -1, 1), 1), f);
        const float len = h * lmb_random_range(r, 0.3f, 1.0f),
                    w = h * lmb_random_range(r, 0.012f, 0.03f), back = lmb_random_range(r, 0, 0.5f);
        add_cone(s, lmb_vec3_mad(hand, d, -back * len), lmb_vec3_mad(hand, d, (1 - back) * len), w,
                 w);
    }
    if (lmb_random_unit(r) < 0.25f) { // tail
        const lmb_vec3 d =
            lmb_vec3_normalize_or(along(l, f, 0, lmb_random_range(r, -0.8f, 0.6f), -1), f);
        add_cone(s, hips, lmb_vec3_mad(hips, d, h * lmb_random_range(r, 0.15f, 0.5f)), 0.04f * h,
                 0.02f * h);
    }
    if (lmb_random_unit(r) < 0.2f) { // hat
        add_cone(s, lmb_vec3_mad(crown, lmb_vec3_make(0, 1, 0), -0.3f * up),
                 lmb_vec3_mad(crown, lmb_vec3_make(0, 1, 0), h * lmb_random_range(r, 0.05f, 0.25f)),
                 0.6f * up, 0.1f * up);
    }
    if (lmb_random_unit(r) < 0.2f) { // backpack or wings
        const bool wings = lmb_random_unit(r) < 0.5f;
        const lmb_vec3 back = lmb_vec3_lerp(hips, head, 0.7f);
        for (int side = 0; side < 2; ++side) {
            const float sg = side ? -1.0f : 1.0f;
            const lmb_vec3 a = lmb_vec3_mad(back, f, -0.05f * h);
            add_cone(s, a,
                     lmb_vec3_add(a, along(l, f, sg * h * (wings ? 0.4f : 0.08f),
                                           wings ? 0.2f * h : -0.1f * h, -0.12f * h)),
                     0.05f * h, 0.05f * h);
        }
    }
}

#endif
