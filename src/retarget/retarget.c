/// Retargeting a clip from one character to another: the order of the steps.
#include "limber/retarget.h"

#include "base/alloc.h"
#include "base/error.h"
#include "retarget/body.h"
#include "retarget/chains.h"
#include "retarget/feet.h"
#include "retarget/retarget.h"
#include "retarget/transfer.h"

#include <math.h>
#include <string.h>

/// Frames a second of a clip from which only a reference pose is taken.
static const float POSES_HZ = 30;

/// The channels of the result before they become a clip.
typedef struct result {
    lmb_channel *channels;
    uint32_t channel_count;
    float *ticks;
    uint32_t frame_count;
} result;

static bool begin_result(result *r, const lmbi_transfer *t, lmbi_arena *arena)
{
    r->frame_count = t->motion->kept;
    r->channels =
        lmbi_arena_array(arena, (size_t)t->driven_count * 2 + t->twist_count, sizeof(*r->channels));
    r->ticks = lmbi_arena_array(arena, r->frame_count, sizeof(*r->ticks));
    if (r->channels == NULL || r->ticks == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        r->ticks[f] = (float)fmin((double)f / (double)t->motion->rate, t->motion->duration_s);
    }
    return true;
}

static float *add_channel(result *r, uint32_t joint, lmb_path path, lmbi_arena *arena)
{
    const uint32_t width = path == LMB_PATH_ROTATION ? 4 : 3;
    float *values = lmbi_arena_array(arena, (size_t)r->frame_count * width, sizeof(float));
    if (values != NULL) {
        r->channels[r->channel_count++] = (lmb_channel){.joint = joint,
                                                        .path = path,
                                                        .width = width,
                                                        .key_count = r->frame_count,
                                                        .ticks = r->ticks,
                                                        .values = values};
    }
    return values;
}

static lmb_quat local_rotation(const lmb_transform *parent, const lmb_transform *joint)
{
    return lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(parent->rotation), joint->rotation));
}

/// Stores a rotation on the same hemisphere as the key before, for players that interpolate without
/// checking the sign.
static void store_rotation(float *values, uint32_t f, lmb_quat q)
{
    if (f > 0) {
        const float *before = values + 4 * (size_t)(f - 1);
        if (before[0] * q.x + before[1] * q.y + before[2] * q.z + before[3] * q.w < 0.0f) {
            q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
        }
    }
    float *v = values + 4 * (size_t)f;
    v[0] = q.x;
    v[1] = q.y;
    v[2] = q.z;
    v[3] = q.w;
}

/// Fills local rotations of the driven joints, and translations of the hips and of carried joints.
static bool fill_channels(result *r, const lmbi_transfer *t, lmbi_arena *arena)
{
    const int32_t hips = lmbi_joint(t->target, LMB_HUMAN_HIPS);
    lmb_transform *model = lmbi_arena_array(arena, t->target->count, sizeof(*model));
    float **rotations = lmbi_arena_array(arena, t->driven_count, sizeof(*rotations));
    float **translations = lmbi_arena_array(arena, t->driven_count, sizeof(*translations));
    float **twists = lmbi_arena_array(arena, t->twist_count, sizeof(*twists));
    if (model == NULL || rotations == NULL || translations == NULL || twists == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->driven_count; ++i) {
        const uint32_t joint = t->driven[i].joint;
        rotations[i] = add_channel(r, joint, LMB_PATH_ROTATION, arena);
        const bool moves = (int32_t)joint == hips || t->driven[i].carrier >= 0;
        translations[i] = moves ? add_channel(r, joint, LMB_PATH_TRANSLATION, arena) : NULL;
        if (rotations[i] == NULL || (moves && translations[i] == NULL)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < t->twist_count; ++i) {
        const uint32_t joint = t->twists[i].joint;
        // The bone's own first joint, if it spreads a twist, is a driven joint with a channel.
        twists[i] =
            t->driven_of[joint] < 0 ? add_channel(r, joint, LMB_PATH_ROTATION, arena) : NULL;
        if (twists[i] == NULL && t->driven_of[joint] < 0) {
            return false;
        }
    }
    const lmb_transform identity = lmb_transform_identity();
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        lmbi_transfer_pose(t, t->motion->lead + f, model);
        for (uint32_t i = 0; i < t->driven_count; ++i) {
            const uint32_t joint = t->driven[i].joint;
            const int32_t parent = t->target->skeleton->parents[joint];
            const lmb_transform *above = parent < 0 ? &identity : &model[parent];
            store_rotation(rotations[i], f, local_rotation(above, &model[joint]));
            if (translations[i] != NULL) {
                const lmb_vec3 p = lmbi_local_point(above, model[joint].translation);
                memcpy(translations[i] + 3 * (size_t)f, &p, sizeof(p));
            }
        }
        for (uint32_t i = 0; i < t->twist_count; ++i) {
            const uint32_t joint = t->twists[i].joint;
            if (twists[i] != NULL) {
                const lmb_transform *above = &model[t->target->skeleton->parents[joint]];
                store_rotation(twists[i], f, local_rotation(above, &model[joint]));
            }
        }
    }
    return true;
}

/// Reduces constant channels to one key, and drops those that equal the rest pose.
static void drop_still_keys(result *r, const lmb_skeleton *skeleton)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < r->channel_count; ++c) {
        lmb_channel channel = r->channels[c];
        bool still = true;
        for (uint32_t k = 1; k < channel.key_count && still; ++k) {
            still = memcmp(channel.values, channel.values + (size_t)k * channel.width,
                           channel.width * sizeof(float)) == 0;
        }
        channel.key_count = still ? 1 : channel.key_count;
        const lmb_transform *rest = &skeleton->rest[channel.joint];
        const void *value = channel.path == LMB_PATH_ROTATION ? (const void *)&rest->rotation
                                                              : (const void *)&rest->translation;
        if (!still || memcmp(channel.values, value, channel.width * sizeof(float)) != 0) {
            r->channels[kept++] = channel;
        }
    }
    r->channel_count = kept;
}

static void stay_in_place(lmbi_transfer *t)
{
    const lmb_vec3 rest = lmbi_reference_at(t->target, LMB_HUMAN_HIPS);
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        t->hips[f].x = rest.x;
        t->hips[f].z = rest.z;
    }
}

static lmb_result make_bodies(const lmbi_retarget_call *call, const lmbi_motion *motion,
                              lmbi_humanoid *from, lmbi_humanoid *to, lmb_error *error)
{
    lmb_result code = lmbi_body_make(call->source, call->opts->source_map, motion, "the motion",
                                     call->alloc, call->arena, from, error);
    if (code != LMB_OK) {
        return code;
    }
    lmbi_motion own = {.frame_count = 0};
    if (!call->same && call->target->clip_count > 0) {
        code = lmbi_motion_sample(call->target, 0, POSES_HZ, false, call->arena, &own, error);
        if (code != LMB_OK) {
            return code;
        }
    }
    return lmbi_body_make(call->target, call->opts->target_map,
                          call->same ? motion : (own.frame_count > 0 ? &own : NULL),
                          "the character", call->alloc, call->arena, to, error);
}

static void fill_report(lmb_retarget_report *report, const lmbi_transfer *t)
{
    report->target_map = t->target->map;
    report->source_map = t->source->map;
    report->target_reference = t->target->reference_kind;
    report->source_reference = t->source->reference_kind;
    report->source_reference_frame = t->source->reference_frame;
    report->bone_count = t->bone_count;
    report->frame_count = t->motion->kept;
    report->loops = t->motion->lead > 0;
    report->dropped_frames = t->motion->dropped;
    report->frame_rate = t->motion->rate;
    report->scale = t->scale;
}

static lmb_result retarget_human(const lmbi_retarget_call *call, lmb_clip **out, lmb_error *error)
{
    const lmb_retarget_opts *opts = call->opts;
    lmb_retarget_report *report = call->report;
    lmbi_arena *arena = call->arena;
    lmbi_motion motion;
    lmbi_humanoid from, to;
    lmbi_transfer t;
    result r = {.channel_count = 0};
    lmb_result code = lmbi_motion_sample(call->source, call->clip, opts->frame_rate,
                                         !opts->no_lock_feet, arena, &motion, error);
    if (code == LMB_OK) {
        code = make_bodies(call, &motion, &from, &to, error);
    }
    if (code != LMB_OK) {
        return code;
    }
    if (!lmbi_trunk_repair(&from, &motion)) {
        (void)lmbi_shoulders_repair(&from, &motion);
    }
    if (!lmbi_motion_unroll(&motion, lmbi_joint(&from, LMB_HUMAN_HIPS),
                            from.leg_length + from.trunk_length, arena)) {
        return lmbi_fail_memory(error);
    }
    lmb_vec3 treadmill = {0, 0, 0};
    if (!opts->no_lock_feet && !lmbi_treadmill_find(&from, &motion, arena, &treadmill)) {
        return lmbi_fail_memory(error);
    }
    lmbi_treadmill_undo(&motion, treadmill);
    if (!lmbi_transfer_make(&from, &to, &motion, arena, &t)) {
        return lmbi_fail_memory(error);
    }
    fill_report(report, &t);
    if (!lmbi_feet_place(&t, !opts->no_lock_feet, arena, &report->contact_count,
                         &report->largest_correction)) {
        return lmbi_fail_memory(error);
    }
    if (!opts->free_hands && !call->same &&
        !(lmbi_hands_place(&t, arena, &report->touching_frames) &&
          lmbi_arms_clear_ground(&t, arena))) {
        return lmbi_fail_memory(error);
    }
    lmbi_treadmill_apply(&t, treadmill);
    report->belt_speed = lmb_vec3_length(treadmill) * t.scale;
    if (opts->in_place) {
        stay_in_place(&t);
    }
    if (!begin_result(&r, &t, arena) || !fill_channels(&r, &t, arena)) {
        return lmbi_fail_memory(error);
    }
    drop_still_keys(&r, call->target->skeleton);
    const lmb_clip def = {
        .name = opts->name != NULL ? opts->name : call->source->clips[call->clip]->name,
        .duration = (float)motion.duration_s,
        .frame_rate = motion.rate,
        .channel_count = r.channel_count,
        .channels = r.channels,
    };
    return lmb_clip_create(&def, call->alloc, out, error);
}

/// Whether a character can be retargeted as a human.
typedef struct human_check {
    bool lacks;        ///< misses joints of a humanoid
    const char *doubt; ///< why it may be no human although it has all joints, or NULL
} human_check;

/// A motion that a character's skeleton takes: what its reference pose may be chosen from.
typedef struct posing {
    const lmb_character *character; ///< NULL: none
    uint32_t clip;
} posing;

static posing own_posing(const lmb_character *character)
{
    return (posing){character->clip_count > 0 ? character : NULL, 0};
}

/// Judged at rest; a body that looks like an animal there, as skeletons whose rest is a stick do,
/// is judged again in the pose that its motion offers.
static lmb_result judge(lmbi_humanoid *body, const lmb_joint_map *map, posing by,
                        const lmb_chain_map *chains, const lmb_allocator *alloc, lmbi_arena *arena,
                        const char **doubt, lmb_error *error)
{
    lmbi_motion motion;
    *doubt = lmbi_body_doubt(body, chains);
    if (*doubt == NULL || by.character == NULL) {
        return LMB_OK;
    }
    lmb_result code =
        lmbi_motion_sample(by.character, by.clip, POSES_HZ, false, arena, &motion, error);
    if (code == LMB_OK) {
        code = lmbi_body_make(body->character, map, &motion, "the character", alloc, arena, body,
                              error);
        *doubt = code == LMB_OK ? lmbi_body_doubt(body, chains) : *doubt;
    }
    return code == LMB_ERROR_MEMORY ? code : LMB_OK;
}

static lmb_result check_human(const lmb_character *character, const lmb_joint_map *map, posing by,
                              const lmb_allocator *alloc, lmbi_arena *arena, human_check *out,
                              lmb_error *error)
{
    lmbi_humanoid body;
    lmb_chain_map *chains = lmbi_arena_array(arena, 1, sizeof *chains);
    if (chains == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_result code =
        lmbi_body_make(character, map, NULL, "the character", alloc, arena, &body, error);
    out->lacks = code == LMB_ERROR_UNSUPPORTED;
    if (code != LMB_OK) {
        return out->lacks ? LMB_OK : code;
    }
    code = lmb_chain_map_find(character->skeleton, alloc, chains, error);
    if (code == LMB_OK || code == LMB_ERROR_UNSUPPORTED) {
        code =
            judge(&body, map, by, code == LMB_OK ? chains : NULL, alloc, arena, &out->doubt, error);
    }
    return code;
}

lmb_result lmb_humanoid_doubt(const lmb_character *character, const lmb_joint_map *map,
                              const lmb_allocator *alloc, const char **out, lmb_error *error)
{
    human_check check = {false, NULL};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const lmb_result code =
        check_human(character, map, own_posing(character), alloc, &arena, &check, error);
    lmbi_arena_free(&arena);
    *out = check.doubt;
    return code;
}

lmb_result lmbi_retarget_choose(const lmb_character *target, const lmb_character *source,
                                int32_t clip, const lmb_retarget_opts *opts,
                                const lmb_allocator *alloc, lmbi_arena *arena,
                                lmbi_retarget_choice *out, lmb_error *error)
{
    const bool same = lmbi_same_skeleton(target->skeleton, source->skeleton);
    const bool chains_given = opts->target_chains != NULL || opts->source_chains != NULL;
    const posing moved = {clip >= 0 ? source : NULL, clip >= 0 ? (uint32_t)clip : 0};
    human_check to = {false, NULL}, from = {false, NULL};
    lmb_result code = check_human(target, opts->target_map, same ? moved : own_posing(target),
                                  alloc, arena, &to, error);
    if (code == LMB_OK) {
        code = check_human(source, opts->source_map, moved, alloc, arena, &from, error);
    }
    const bool not_human =
        (to.lacks || to.doubt != NULL) && (same || from.lacks || from.doubt != NULL);
    *out = (lmbi_retarget_choice){
        .human = opts->method == LMB_RETARGET_HUMAN ||
                 (opts->method == LMB_RETARGET_AUTO && !chains_given && !not_human),
        .sure = opts->method != LMB_RETARGET_AUTO || chains_given,
        .target_doubt = to.doubt,
        .source_doubt = from.doubt,
    };
    return code;
}

/// If chains do not fit either, the error is the humanoid's.
static lmb_result retarget_any(const lmbi_retarget_call *call, lmb_clip **out, lmb_error *error)
{
    lmbi_retarget_choice choice;
    lmb_result code = lmbi_retarget_choose(call->target, call->source, (int32_t)call->clip,
                                           call->opts, call->alloc, call->arena, &choice, error);
    if (code != LMB_OK) {
        return code;
    }
    call->report->target_doubt = choice.target_doubt;
    call->report->source_doubt = choice.source_doubt;
    if (choice.human) {
        return retarget_human(call, out, error);
    }
    code = lmbi_retarget_chains(call, out, error);
    return code == LMB_ERROR_UNSUPPORTED && !choice.sure ? retarget_human(call, out, error) : code;
}

lmb_result lmb_retarget(const lmb_character *target, const lmb_character *source, uint32_t clip,
                        const lmb_retarget_opts *opts, const lmb_allocator *alloc, lmb_clip **out,
                        lmb_retarget_report *report, lmb_error *error)
{
    static const lmb_retarget_opts none = {0};
    lmb_retarget_report own;
    memset(&own, 0, sizeof(own));
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_clip *made = NULL;
    const lmbi_retarget_call call = {
        .target = target,
        .source = source,
        .clip = clip,
        .same = lmbi_same_skeleton(target->skeleton, source->skeleton),
        .opts = opts != NULL ? opts : &none,
        .alloc = alloc,
        .arena = &arena,
        .report = &own,
    };
    lmb_result code = retarget_any(&call, &made, error);
    lmbi_arena_free(&arena);
    if (code == LMB_OK) {
        code = lmbi_face_transfer(target, source, clip, alloc, &made, &own, error);
    }
    if (code != LMB_OK) {
        lmb_clip_destroy(made);
        return code;
    }
    *out = made;
    if (report != NULL) {
        *report = own;
    }
    return code;
}
