/// A body that lies or kneels rests on its skin: motions are measured on other bodies, and press a
/// thick trunk or shin into the ground, or leave a thin one above it.
#include <math.h>
#include <string.h>

#include "author/lying.h"
#include "author/posed_skin.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"

/// Heights of the body.
static const float YIELD = 0.005f, ///< skin may go as deep
    LEAST = 0.01f,                 ///< what goes less deep is left
    NEAR = 0.15f,      ///< joints above are not near enough to the ground to be looked at
    DOWN = 0.75f,      ///< of its height at rest: a joint above did not come down
    HEAD_MOST = 0.03f, ///< a head lifts no more: hats and hair would bend
    UNEVEN = 0.1f,     ///< feet that go as deep stand on other ground
    SHIFTED =
        0.1f; ///< skin that is as far from height 0 at rest does not stand on the ground there
/// Half of the time over which the lift is spread, seconds.
static const float SPREAD_S = 0.15f;
enum { MOST_FRAMES = 1800 }; ///< that are looked at, evenly spaced

typedef enum bearing {
    BEARS_NOTHING = 0,
    BEARS_BODY,
    BEARS_HEAD,
    BEARS_FOOT,
    BEARS_ARM, ///< touches the ground, and lifts nothing
    BEARING_COUNT,
} bearing;

typedef struct settling {
    lmbi_posed_skin skin;
    const lmb_joint_map *map;
    const lmb_clip *clip;
    lmbi_arena arena;
    uint8_t *bears;  ///< [joint_count] bearing
    uint8_t **marks; ///< [instance_count][vertex_count] bearing
    uint32_t lifted; ///< the joint above the whole body
    float height, ground;
    uint32_t frame_count;
    double step_s;
    /// [frame_count] lowest skin, INFINITY where it is not near the ground
    float *low[BEARING_COUNT];
    float *lift;   ///< [frame_count] below 0 where the body is lowered
    float *lies;   ///< [frame_count] how far the motion's body lies on its ground
    float *stands; ///< [joint_count] heights of joints above the ground at rest
} settling;

// ------------------------------------------------------------------------------- what carries a body

static bearing bearing_of(int bone)
{
    switch (bone) {
    case LMB_HUMAN_LEFT_FOOT:
    case LMB_HUMAN_LEFT_TOES:
    case LMB_HUMAN_RIGHT_FOOT:
    case LMB_HUMAN_RIGHT_TOES:
        return BEARS_FOOT;
    case LMB_HUMAN_NECK:
    case LMB_HUMAN_HEAD:
        return BEARS_HEAD;
    default:
        return bone <= LMB_HUMAN_UPPER_CHEST ||
                       (bone >= LMB_HUMAN_LEFT_UPPER_LEG && bone <= LMB_HUMAN_RIGHT_LOWER_LEG)
                   ? BEARS_BODY
               : bone >= LMB_HUMAN_LEFT_SHOULDER ? BEARS_ARM
                                                 : BEARS_NOTHING;
    }
}

static void mark_joints(settling *s)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (s->map->bones[bone].joint != LMB_NONE) {
            s->bears[s->map->bones[bone].joint] = (uint8_t)bearing_of(bone);
        }
    }
}

static uint32_t strongest_joint(const lmb_mesh *mesh, const lmb_skin *skin, uint32_t vertex)
{
    uint32_t best = mesh->influences.first[vertex];
    for (uint32_t k = best; k < mesh->influences.first[vertex + 1]; ++k) {
        best = mesh->influences.items[k].weight > mesh->influences.items[best].weight ? k : best;
    }
    return skin->joints[mesh->influences.items[best].joint];
}

static bool mark_vertices(settling *s)
{
    const lmb_character *c = s->skin.character;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        s->marks[i] = lmbi_arena_array(&s->arena, mesh->vertex_count, 1);
        if (s->marks[i] == NULL) {
            return false;
        }
        if (c->instances[i].skin == LMB_NONE || mesh->influences.first == NULL) {
            continue;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            if (mesh->influences.first[v + 1] > mesh->influences.first[v]) {
                s->marks[i][v] = s->bears[strongest_joint(mesh, c->skins[c->instances[i].skin], v)];
            }
        }
    }
    return true;
}

static int32_t common_joint(const lmb_skeleton *skeleton, int32_t a, int32_t b)
{
    while (a != b && a != LMB_NONE && b != LMB_NONE) { // parents come first
        if (a > b) {
            a = skeleton->parents[a];
        } else {
            b = skeleton->parents[b];
        }
    }
    return a == b ? a : LMB_NONE;
}

/// The lowest joint that the hips, the trunk and the legs hang from.
static bool find_lifted(settling *s)
{
    const lmb_skeleton *skeleton = s->skin.character->skeleton;
    int32_t joint = s->map->bones[LMB_HUMAN_HIPS].joint;
    for (uint32_t j = 0; j < skeleton->joint_count && joint != LMB_NONE; ++j) {
        joint = s->bears[j] != BEARS_NOTHING ? common_joint(skeleton, joint, (int32_t)j) : joint;
    }
    s->lifted = (uint32_t)joint;
    return joint != LMB_NONE;
}

// -------------------------------------------------------------------------------------- the lowest skin

/// Whether a joint of the trunk or the legs came down. Knees of short legs are near the ground at rest.
static bool is_near_ground(const settling *s)
{
    bool near = false;
    for (uint32_t j = 0; j < s->skin.character->skeleton->joint_count && !near; ++j) {
        const float y = lmb_mat4_translation(s->skin.model[j]).y - s->ground;
        near = s->bears[j] == BEARS_BODY && y < NEAR * s->height && y < DOWN * s->stands[j];
    }
    return near;
}

static void find_lowest(const settling *s, uint32_t frame)
{
    for (uint32_t i = 0; i < s->skin.character->instance_count; ++i) {
        const lmb_deformed d = lmb_deformer_instance(s->skin.deformer, i);
        for (uint32_t v = 0; v < d.vertex_count; ++v) {
            float *low = &s->low[s->marks[i][v]][frame];
            *low = fminf(*low, d.positions[v].y);
        }
    }
}

/// Motions stand where the body does at rest, or, if that is elsewhere, on height 0.
static void measure_rest(settling *s, const lmb_jobs *jobs)
{
    lmbi_posed_skin_pose(&s->skin, NULL, 0);
    lmbi_posed_skin_deform(&s->skin, jobs);
    const lmb_box box = lmb_deformer_box(s->skin.deformer);
    s->height = box.high.y - box.low.y;
    s->ground = fabsf(box.low.y) < SHIFTED * s->height ? box.low.y : 0;
    for (uint32_t j = 0; j < s->skin.character->skeleton->joint_count; ++j) {
        s->stands[j] = lmb_mat4_translation(s->skin.model[j]).y - s->ground;
    }
}

static void measure_frames(settling *s, const lmb_jobs *jobs)
{
    for (uint32_t f = 0; f < s->frame_count; ++f) {
        lmbi_posed_skin_pose(&s->skin, s->clip, f * s->step_s);
        for (int k = 0; k < BEARING_COUNT; ++k) {
            s->low[k][f] = INFINITY;
        }
        if (s->lies[f] > 0 || is_near_ground(s)) {
            lmbi_posed_skin_deform(&s->skin, jobs);
            find_lowest(s, f);
        }
    }
}

// ---------------------------------------------------------------------------------------------- the lift

/// A frame, past the ends the first or last one; of a loop the same moment of the round before or
/// after.
static uint32_t frame_at(const settling *s, bool loops, int64_t f)
{
    const int64_t last = (int64_t)s->frame_count - 1;
    if (loops && last > 0) {
        return (uint32_t)((f % last + last) % last);
    }
    return (uint32_t)(f < 0 ? 0 : f > last ? last : f);
}

/// The most of the neighbours, then their mean: never less than was needed, nor lower than the ground
/// lets. `scratch` is [frame_count].
static void spread_lift(settling *s, float *scratch)
{
    const int64_t reach = (int64_t)lrint((double)SPREAD_S / s->step_s), n = s->frame_count;
    const bool loops = fabsf(s->lift[0] - s->lift[n - 1]) < 0.1f * LEAST * s->height;
    for (int64_t f = 0; f < n; ++f) {
        scratch[f] = -INFINITY;
        for (int64_t k = f - reach; k <= f + reach; ++k) {
            scratch[f] = fmaxf(scratch[f], s->lift[frame_at(s, loops, k)]);
        }
    }
    for (int64_t f = 0; f < n; ++f) {
        double sum = 0;
        for (int64_t k = f - reach; k <= f + reach; ++k) {
            sum += (double)scratch[frame_at(s, loops, k)];
        }
        s->lift[f] = (float)(sum / (double)(2 * reach + 1));
    }
}

/// How far a frame's body has to be lifted. Toes that go into the ground are no reason: knees and hands
/// would float.
static float find_need(const settling *s, uint32_t f)
{
    const float floor = s->ground - YIELD * s->height, body = floor - s->low[BEARS_BODY][f],
                head = fminf(floor - s->low[BEARS_HEAD][f], HEAD_MOST * s->height);
    return fmaxf(0, fmaxf(body, head));
}

/// How far a body that lies is to be lowered until something of it touches the ground.
static float find_fall(const settling *s, uint32_t f)
{
    const float head = s->low[BEARS_HEAD][f] + HEAD_MOST * s->height,
                limbs = fminf(s->low[BEARS_FOOT][f], s->low[BEARS_ARM][f]),
                low = fminf(fminf(s->low[BEARS_BODY][f], head), limbs);
    return low < INFINITY ? s->lies[f] * fmaxf(0, low - s->ground) : 0;
}

/// Sets the lift of each frame, and the most of it both ways; both 0 where the feet show that the
/// ground is not level.
static lmbi_settled find_lift(settling *s)
{
    lmbi_settled most = {0, 0};
    for (uint32_t f = 0; f < s->frame_count; ++f) {
        if (s->low[BEARS_FOOT][f] < s->ground - UNEVEN * s->height) {
            return (lmbi_settled){0, 0};
        }
        const float need = find_need(s, f), fall = need > 0 ? 0 : find_fall(s, f);
        s->lift[f] = need - fall;
        most.lift_m = fmaxf(most.lift_m, need);
        most.lower_m = fmaxf(most.lower_m, fall);
    }
    const float least = LEAST * s->height;
    return (lmbi_settled){most.lift_m > least ? most.lift_m : 0,
                          most.lower_m > least ? most.lower_m : 0};
}

// ---------------------------------------------------------------------------------------------- the clip

/// The path of the joint that is lifted.
typedef struct path {
    uint32_t key_count;
    float *ticks;
    lmb_vec3 *positions;
} path;

static bool is_lifted_path(const settling *s, const lmb_channel *channel)
{
    return channel->joint == s->lifted && channel->path == LMB_PATH_TRANSLATION;
}

static double ticks_per_s(const settling *s)
{
    return s->clip->ticks_per_s > 0 ? (double)s->clip->ticks_per_s : 1;
}

/// Sets the keys' times: those of the frames, or, of a clip with more frames than were looked at, those
/// that the path had.
static bool set_times(settling *s, path *out)
{
    const lmb_channel *own = NULL;
    for (uint32_t c = 0; c < s->clip->channel_count; ++c) {
        own = is_lifted_path(s, &s->clip->channels[c]) ? &s->clip->channels[c] : own;
    }
    const bool keeps = own != NULL && own->key_count > s->frame_count;
    out->key_count = keeps ? own->key_count : s->frame_count;
    out->ticks = lmbi_arena_array(&s->arena, out->key_count, sizeof *out->ticks);
    out->positions = lmbi_arena_array(&s->arena, out->key_count, sizeof *out->positions);
    for (uint32_t k = 0; !s->arena.failed && k < out->key_count; ++k) {
        out->ticks[k] = keeps ? own->ticks[k] : (float)(k * s->step_s * ticks_per_s(s));
    }
    return !s->arena.failed;
}

static float lift_at(const settling *s, double time_s)
{
    const double at = fmin(fmax(time_s / s->step_s, 0), (double)(s->frame_count - 1));
    const uint32_t f = (uint32_t)at, next = f + 1 < s->frame_count ? f + 1 : f;
    return s->lift[f] + (float)(at - f) * (s->lift[next] - s->lift[f]);
}

/// Sets the keys in the space of the joint's parent.
static void set_positions(const settling *s, const path *out)
{
    const int32_t parent = s->skin.character->skeleton->parents[s->lifted];
    for (uint32_t k = 0; k < out->key_count; ++k) {
        const double time_s = (double)out->ticks[k] / ticks_per_s(s);
        lmb_vec3 up = lmb_vec3_make(0, lift_at(s, time_s), 0);
        lmb_mat4 inverse;
        lmbi_posed_skin_pose(&s->skin, s->clip, time_s);
        if (parent != LMB_NONE && lmb_mat4_inverse_affine(s->skin.model[parent], &inverse)) {
            up = lmb_mat4_vector(inverse, up);
        }
        out->positions[k] = lmb_vec3_add(s->skin.local[s->lifted].translation, up);
    }
}

static lmb_result create_lifted_clip(settling *s, const lmb_allocator *alloc, lmb_clip **out,
                                     lmb_error *error)
{
    lmb_clip def = *s->clip;
    path lifted;
    def.channels = lmbi_arena_array(&s->arena, (size_t)def.channel_count + 1, sizeof *def.channels);
    if (!set_times(s, &lifted)) {
        return lmbi_fail_memory(error);
    }
    set_positions(s, &lifted);
    def.channel_count = 0;
    for (uint32_t c = 0; c < s->clip->channel_count; ++c) {
        if (!is_lifted_path(s, &s->clip->channels[c])) {
            def.channels[def.channel_count++] = s->clip->channels[c];
        }
    }
    def.channels[def.channel_count++] = (lmb_channel){.joint = s->lifted,
                                                      .path = LMB_PATH_TRANSLATION,
                                                      .interpolation = LMB_LINEAR,
                                                      .width = 3,
                                                      .key_count = lifted.key_count,
                                                      .ticks = lifted.ticks,
                                                      .values = &lifted.positions[0].x};
    return lmb_clip_create(&def, alloc, out, error);
}

// -------------------------------------------------------------------------------------------------- all

static bool prepare(settling *s)
{
    const lmb_character *c = s->skin.character;
    const double rate = s->clip->frame_rate > 0 ? (double)s->clip->frame_rate : 30,
                 duration_s = (double)lmb_clip_duration_s(s->clip);
    const double frames = fmin(floor(duration_s * rate + 0.5), MOST_FRAMES - 1);
    s->frame_count = (uint32_t)frames + 1;
    s->step_s = frames > 0 ? duration_s / frames : 1;
    s->bears = lmbi_arena_array(&s->arena, c->skeleton->joint_count, 1);
    s->marks = lmbi_arena_array(&s->arena, c->instance_count, sizeof *s->marks);
    for (int k = 0; k < BEARING_COUNT; ++k) {
        s->low[k] = lmbi_arena_array(&s->arena, s->frame_count, sizeof *s->low[k]);
    }
    s->lift = lmbi_arena_array(&s->arena, s->frame_count, sizeof *s->lift);
    s->lies = lmbi_arena_array(&s->arena, s->frame_count, sizeof *s->lies);
    s->stands = lmbi_arena_array(&s->arena, c->skeleton->joint_count, sizeof *s->stands);
    if (s->arena.failed) {
        return false;
    }
    mark_joints(s);
    return mark_vertices(s);
}

static lmb_result settle(settling *s, const lmb_feet_source *motion, const lmb_jobs *jobs,
                         const lmb_allocator *alloc, lmb_clip **settled, lmbi_settled *out,
                         lmb_error *error)
{
    if (!prepare(s)) {
        return lmbi_fail_memory(error);
    }
    if (!find_lifted(s)) {
        return LMB_OK;
    }
    if (motion != NULL && !lmbi_lying_measure(motion, s->frame_count, s->step_s, alloc, s->lies)) {
        return lmbi_fail_memory(error);
    }
    measure_rest(s, jobs);
    measure_frames(s, jobs);
    *out = find_lift(s);
    if (!(out->lift_m > 0 || out->lower_m > 0)) {
        return LMB_OK;
    }
    spread_lift(s, s->low[BEARS_NOTHING]);
    return create_lifted_clip(s, alloc, settled, error);
}

lmb_result lmbi_settle(const lmb_character *character, const lmb_joint_map *map,
                       const lmb_feet_source *motion, const lmb_jobs *jobs,
                       const lmb_allocator *alloc, lmb_clip **clip, lmbi_settled *out,
                       lmb_error *error)
{
    lmb_clip *settled = NULL;
    settling s = {.map = map, .clip = *clip};
    *out = (lmbi_settled){0, 0};
    if (character->instance_count == 0 || map->bones[LMB_HUMAN_HIPS].joint == LMB_NONE) {
        return LMB_OK;
    }
    lmb_result result = lmbi_posed_skin_create(character, alloc, &s.skin, error);
    if (result == LMB_OK) {
        lmbi_arena_init(&s.arena, alloc);
        result = settle(&s, motion, jobs, alloc, &settled, out, error);
        lmbi_arena_free(&s.arena);
        lmbi_posed_skin_free(&s.skin);
    }
    if (settled != NULL) {
        lmb_clip_destroy(*clip);
        *clip = settled;
    }
    return result;
}
