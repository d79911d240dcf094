#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "io/body_names.h"
#include "io/common.h"
#include "io/npz/smpl_names.h"
#include "math/math.h"

#define FOOT_HEIGHT 0.02f    ///< of the ball of the foot over the ground, in metres
#define FAR_FROM_GROUND 0.3f ///< metres: more than a step or a sofa, and than bodies differ by

lmb_axis lmb_body_motion_up(const lmb_body_motion *motion)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t f = 0; f < motion->frame_count && motion->joint_count > 0; ++f) {
        const lmb_quat q = lmbi_rotation_vector(motion->rotations[(size_t)f * motion->joint_count]);
        sum = lmb_vec3_add(sum, lmb_quat_rotate(q, lmb_vec3_make(0, 1, 0)));
    }
    lmb_axis best = LMB_AXIS_Y;
    for (lmb_axis axis = LMB_AXIS_Y; axis <= LMB_AXIS_NEGATIVE_X; ++axis) {
        if (lmbi_axis_to_y(axis, sum).y > lmbi_axis_to_y(best, sum).y) {
            best = axis;
        }
    }
    return best;
}

lmb_vec3 lmbi_body_motion_pelvis(void)
{
    lmbi_smpl_joint pelvis;
    lmbi_smpl_joint_of(LMBI_SMPL, 0, &pelvis);
    return pelvis.offset;
}

typedef struct draft {
    const lmb_body_motion *motion;
    lmbi_arena arena;
    lmb_skeleton skeleton;
    lmb_clip clip;
    float *ticks;
} draft;

static bool fill_skeleton(draft *d)
{
    const uint32_t n = d->motion->joint_count;
    lmb_skeleton *s = &d->skeleton;
    s->joint_count = n;
    s->parents = lmbi_arena_array(&d->arena, n, sizeof(int32_t));
    s->rest = lmbi_arena_array(&d->arena, n, sizeof(lmb_transform));
    s->names = lmbi_arena_array(&d->arena, n, sizeof(char *));
    if (s->parents == NULL || s->rest == NULL || s->names == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < n; ++j) {
        lmbi_smpl_joint joint;
        lmbi_smpl_joint_of(n, j, &joint);
        s->parents[j] = joint.parent;
        s->rest[j] = lmb_transform_identity();
        s->rest[j].translation = joint.offset;
        s->names[j] = lmbi_arena_string(&d->arena, joint.name, strlen(joint.name));
        if (s->names[j] == NULL) {
            return false;
        }
    }
    return true;
}

/// Fills a joint's rotations; the root's are expressed in the model's axes.
static bool fill_rotations(draft *d, uint32_t j, lmb_quat model_from_motion)
{
    const lmb_body_motion *m = d->motion;
    lmb_channel *channel = &d->clip.channels[d->clip.channel_count++];
    lmb_quat *values = lmbi_arena_array(&d->arena, m->frame_count, sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        lmb_quat q = lmbi_rotation_vector(m->rotations[(size_t)f * m->joint_count + j]);
        q = j == 0 ? lmb_quat_mul(model_from_motion, q) : q;
        if (f > 0 && lmb_quat_dot(values[f - 1], q) < 0) {
            q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
        }
        values[f] = q;
    }
    *channel = (lmb_channel){.joint = j,
                             .path = LMB_PATH_ROTATION,
                             .width = 4,
                             .key_count = m->frame_count,
                             .ticks = d->ticks,
                             .values = &values->x};
    return true;
}

/// Height of a joint of a leg over the ground, by the rotations of a frame.
static float height_of(const draft *d, const lmb_vec3 *path, uint32_t frame, uint32_t joint)
{
    lmb_vec3 position = {0, 0, 0};
    for (int32_t j = (int32_t)joint; j > 0; j = d->skeleton.parents[j]) {
        const uint32_t parent = (uint32_t)d->skeleton.parents[j];
        const lmb_quat *rotations = (const lmb_quat *)(const void *)d->clip.channels[parent].values;
        position = lmb_quat_rotate(rotations[frame],
                                   lmb_vec3_add(d->skeleton.rest[j].translation, position));
    }
    return path[frame].y + position.y;
}

/// Moves the motion so that its lowest foot is on the ground, where it is far from it. Translations
/// are those of the model's origin, which some data sets put on the ground or at the first frame.
static void move_to_ground(draft *d, lmb_vec3 *path, lmb_notes *notes)
{
    static const uint32_t feet[2] = {10, 11};
    const uint32_t frames = d->motion->frame_count;
    if (d->motion->joint_count <= feet[1]) {
        return;
    }
    float lowest = INFINITY;
    for (uint32_t f = 0; f < frames; ++f) {
        for (int k = 0; k < 2; ++k) {
            lowest = fminf(lowest, height_of(d, path, f, feet[k]));
        }
    }
    const float lift = FOOT_HEIGHT - lowest;
    if (fabsf(lift) < FAR_FROM_GROUND) {
        return;
    }
    for (uint32_t f = 0; f < frames; ++f) {
        path[f].y += lift;
    }
    lmbi_note(notes, 0, "the lowest foot is %.2f m %s the ground: the motion was moved there",
              (double)fabsf(lift), lift > 0 ? "below" : "above");
}

/// Fills the root's translations: the pelvis has an offset from the model's origin, which the
/// file's translation moves.
static bool fill_path(draft *d, lmb_axis up, lmb_notes *notes)
{
    const lmb_body_motion *m = d->motion;
    lmb_channel *channel = &d->clip.channels[d->clip.channel_count++];
    lmb_vec3 *values = lmbi_arena_array(&d->arena, m->frame_count, sizeof *values);
    if (values == NULL) {
        return false;
    }
    const lmb_vec3 pelvis = d->skeleton.rest[0].translation;
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        values[f] = lmbi_axis_to_y(up, lmb_vec3_add(m->translations[f], pelvis));
    }
    move_to_ground(d, values, notes);
    *channel = (lmb_channel){.joint = 0,
                             .path = LMB_PATH_TRANSLATION,
                             .width = 3,
                             .key_count = m->frame_count,
                             .ticks = d->ticks,
                             .values = &values->x};
    return true;
}

static bool fill_clip(draft *d, const lmb_body_motion_character_opts *opts)
{
    const lmb_body_motion *m = d->motion;
    const lmb_axis up = opts->up != LMB_AXIS_AUTO ? opts->up : lmb_body_motion_up(m);
    const float own = m->frame_rate > 0 ? m->frame_rate : 30;
    const float rate = opts->frame_rate > 0 ? opts->frame_rate : own;
    d->clip = (lmb_clip){.name = "motion",
                         .ticks_per_s = rate,
                         .frame_rate = rate,
                         .duration = (float)(m->frame_count - 1)};
    d->clip.channels =
        lmbi_arena_array(&d->arena, (size_t)m->joint_count + 1, sizeof *d->clip.channels);
    d->ticks = lmbi_arena_array(&d->arena, m->frame_count, sizeof *d->ticks);
    bool done = d->clip.channels != NULL && d->ticks != NULL;
    for (uint32_t f = 0; done && f < m->frame_count; ++f) {
        d->ticks[f] = (float)f;
    }
    for (uint32_t j = 0; done && j < m->joint_count; ++j) {
        done = fill_rotations(d, j, lmbi_axis_rotation(up));
    }
    return done && fill_path(d, up, opts->notes);
}

lmb_result lmb_body_motion_character(const lmb_body_motion *motion,
                                     const lmb_body_motion_character_opts *opts,
                                     const lmb_allocator *alloc, lmb_character **out,
                                     lmb_error *error)
{
    const lmb_body_motion_character_opts defaults = {0};
    if (!lmbi_smpl_is_known(motion->joint_count)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "up to 24, 52 or 55 joints",
                         "a body motion of %u joints without a model", motion->joint_count);
    }
    if (motion->frame_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "frames", "a body motion without any");
    }
    draft d = {.motion = motion};
    lmbi_arena_init(&d.arena, alloc);
    const bool filled = fill_skeleton(&d) && fill_clip(&d, opts != NULL ? opts : &defaults);
    // At rest the model stands on the ground, instead of having its origin in the belly.
    if (filled) {
        d.skeleton.rest[0].translation = lmb_vec3_make(0, LMBI_SMPL_PELVIS_HEIGHT, 0);
    }
    const lmb_result result = filled ? lmbi_motion_create(&d.skeleton, &d.clip, alloc, out, error)
                                     : lmbi_fail_memory(error);
    lmbi_arena_free(&d.arena);
    return result;
}
