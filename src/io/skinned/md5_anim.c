#include <string.h>

#include "io/skinned/md5.h"

/// The six numbers Tx Ty Tz Qx Qy Qz of a joint.
typedef struct track {
    uint32_t flags, first; ///< which of them a frame has, and the index of the first of those
    float base[6];         ///< all of them in the base frame
} track;

typedef struct anim {
    uint32_t frame_count, joint_count, component_count;
    float frame_rate;
    const char **names;
    int32_t *parents;
    track *tracks;
    float *components; ///< of one frame
} anim;

static lmb_result read_counts(lmbi_md5 *m, lmbi_scan *scan, anim *a)
{
    lmb_result result = lmbi_md5_head(m, scan);
    if (result == LMB_OK) {
        result = lmbi_md5_count(m, scan, "numFrames", 8, &a->frame_count);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_count(m, scan, "numJoints", 20, &a->joint_count);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "frameRate");
    }
    if (result == LMB_OK) {
        result = lmbi_md5_number(m, scan, &a->frame_rate);
    }
    if (result == LMB_OK && !(a->frame_rate > 0 && a->frame_rate < 1e6f)) {
        lmbi_note(m->notes, scan->line, "the frame rate is %g: 24 Hz was taken",
                  (double)a->frame_rate);
        a->frame_rate = 24;
    }
    if (result == LMB_OK) {
        result = lmbi_md5_count(m, scan, "numAnimatedComponents", 1, &a->component_count);
    }
    // Every frame is written out, at least two bytes a number.
    if (result == LMB_OK &&
        (uint64_t)a->component_count * a->frame_count > (uint64_t)(scan->end - scan->at) / 2) {
        return lmbi_scan_fail(scan, m->error, "as many components as the file has numbers");
    }
    return result;
}

static bool make_room(lmbi_md5 *m, anim *a)
{
    lmbi_arena *arena = &m->model.arena;
    a->names = lmbi_arena_array(arena, a->joint_count, sizeof *a->names);
    a->parents = lmbi_arena_array(arena, a->joint_count, sizeof *a->parents);
    a->tracks = lmbi_arena_array(arena, a->joint_count, sizeof *a->tracks);
    a->components = lmbi_arena_array(arena, a->component_count, sizeof *a->components);
    return !arena->failed;
}

static uint32_t count_bits(uint32_t flags)
{
    uint32_t count = 0;
    for (; flags != 0; flags &= flags - 1) {
        ++count;
    }
    return count;
}

static lmb_result read_joint(lmbi_md5 *m, lmbi_scan *scan, anim *a, uint32_t j)
{
    int64_t parent = 0, flags = 0, first = 0;
    lmb_result result = lmbi_md5_text(m, scan, &a->names[j]);
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, -1, (int64_t)j - 1, &parent);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, 63, &flags);
    }
    if (result == LMB_OK) {
        const uint32_t used = count_bits((uint32_t)flags);
        const int64_t most = (int64_t)a->component_count - used;
        // Without animated components the index is not used.
        result = lmbi_md5_integer(m, scan, 0, used > 0 ? most : INT32_MAX, &first);
    }
    a->parents[j] = (int32_t)parent;
    a->tracks[j].flags = (uint32_t)flags;
    a->tracks[j].first = (uint32_t)first;
    return result;
}

static lmb_result read_hierarchy(lmbi_md5 *m, lmbi_scan *scan, anim *a)
{
    lmb_result result = lmbi_md5_keyword(m, scan, "hierarchy");
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "{");
    }
    for (uint32_t j = 0; j < a->joint_count && result == LMB_OK; ++j) {
        result = read_joint(m, scan, a, j);
    }
    return result == LMB_OK ? lmbi_md5_keyword(m, scan, "}") : result;
}

/// Skips the bounding boxes of the frames and reads the base frame.
static lmb_result read_base(lmbi_md5 *m, lmbi_scan *scan, anim *a)
{
    lmb_result result = LMB_OK;
    if (lmbi_md5_accept(scan, "bounds")) {
        result = lmbi_md5_keyword(m, scan, "{");
        float corner[3];
        while (result == LMB_OK && !lmbi_md5_accept(scan, "}")) {
            result = lmbi_md5_numbers(m, scan, corner, 3);
        }
    }
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "baseframe");
    }
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "{");
    }
    for (uint32_t j = 0; j < a->joint_count && result == LMB_OK; ++j) {
        result = lmbi_md5_numbers(m, scan, a->tracks[j].base, 3);
        if (result == LMB_OK) {
            result = lmbi_md5_numbers(m, scan, a->tracks[j].base + 3, 3);
        }
    }
    return result == LMB_OK ? lmbi_md5_keyword(m, scan, "}") : result;
}

static lmb_transform pose_of(const anim *a, uint32_t j, bool animated)
{
    float v[6];
    memcpy(v, a->tracks[j].base, sizeof v);
    uint32_t at = a->tracks[j].first;
    for (int k = 0; animated && k < 6; ++k) {
        if (a->tracks[j].flags & 1u << k) {
            v[k] = a->components[at++];
        }
    }
    return (lmb_transform){lmb_vec3_make(v[0], v[1], v[2]), lmbi_md5_rotation(v + 3),
                           lmb_vec3_make(1, 1, 1)};
}

/// Reads a frame. Frames may be in any order; none may be missing.
static lmb_result read_frame(lmbi_md5 *m, lmbi_scan *scan, anim *a, lmbi_skinned_clip *clip,
                             uint8_t *there)
{
    int64_t index = 0;
    lmb_result result = lmbi_md5_keyword(m, scan, "frame");
    lmbi_scan before = *scan;
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, (int64_t)a->frame_count - 1, &index);
    }
    if (result == LMB_OK && there[index]++ != 0) {
        return lmbi_scan_fail(&before, m->error, "every frame once");
    }
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "{");
    }
    for (uint32_t k = 0; k < a->component_count && result == LMB_OK; ++k) {
        result = lmbi_md5_number(m, scan, &a->components[k]);
    }
    for (uint32_t j = 0; j < a->joint_count; ++j) {
        clip->poses[(size_t)index * a->joint_count + j] = pose_of(a, j, true);
    }
    return result == LMB_OK ? lmbi_md5_keyword(m, scan, "}") : result;
}

static lmb_result read_frames(lmbi_md5 *m, lmbi_scan *scan, anim *a, lmbi_skinned_clip *clip)
{
    const size_t count = (size_t)a->frame_count * a->joint_count;
    // A frame without components still gives every joint a pose, so the count of frames must be
    // bounded.
    if (count > 4 * (size_t)(scan->end - scan->at) + 65536) {
        return lmbi_scan_fail(scan, m->error, "as many frames as the file has room for");
    }
    uint8_t *there = lmbi_arena_array(&m->model.arena, a->frame_count, 1);
    clip->poses = lmbi_arena_array(&m->model.arena, count, sizeof *clip->poses);
    if (there == NULL || clip->poses == NULL) {
        return lmbi_fail_memory(m->error);
    }
    clip->frame_count = a->frame_count;
    clip->frame_rate = a->frame_rate;
    lmb_result result = LMB_OK;
    for (uint32_t f = 0; f < a->frame_count && result == LMB_OK; ++f) {
        result = read_frame(m, scan, a, clip, there);
    }
    return result;
}

/// For an animation without a mesh: the first frame becomes the rest pose, since base frames need
/// not be real poses. Without frames, the base frame is all there is.
static lmb_result use_anim_skeleton(lmbi_md5 *m, const anim *a, const lmbi_skinned_clip *clip)
{
    m->model.joint_count = a->joint_count;
    m->model.names = a->names;
    m->model.parents = a->parents;
    m->model.rest = lmbi_arena_array(&m->model.arena, a->joint_count, sizeof *m->model.rest);
    if (m->model.rest == NULL) {
        return lmbi_fail_memory(m->error);
    }
    for (uint32_t j = 0; j < a->joint_count; ++j) {
        m->model.rest[j] = clip->frame_count > 0 ? clip->poses[j] : pose_of(a, j, false);
    }
    return LMB_OK;
}

static lmb_result match_skeleton(lmbi_md5 *m, const lmbi_scan *scan, const anim *a)
{
    if (a->joint_count != m->model.joint_count) {
        return lmbi_fail_text(m->error, LMB_ERROR_INVALID, scan->line, 1,
                              "the joints of the mesh, in its order", "%u joints, %u in the mesh",
                              a->joint_count, m->model.joint_count);
    }
    for (uint32_t j = 0; j < a->joint_count; ++j) {
        if (a->parents[j] != m->model.parents[j] || strcmp(a->names[j], m->model.names[j]) != 0) {
            return lmbi_fail_text(m->error, LMB_ERROR_INVALID, scan->line, 1,
                                  "the joints of the mesh, in its order", "%.60s as joint %u",
                                  a->names[j], j);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_md5_read_anim(lmbi_md5 *m, const void *bytes, size_t size, lmbi_skinned_clip *out)
{
    lmbi_scan scan;
    anim a = {0};
    lmb_result result = lmbi_text_open(&scan, bytes, size, m->error);
    if (result == LMB_OK) {
        result = read_counts(m, &scan, &a);
    }
    if (result == LMB_OK && !make_room(m, &a)) {
        result = lmbi_fail_memory(m->error);
    }
    if (result == LMB_OK) {
        result = read_hierarchy(m, &scan, &a);
    }
    const bool alone = m->model.names == NULL;
    if (result == LMB_OK && !alone) {
        result = match_skeleton(m, &scan, &a);
    }
    if (result == LMB_OK) {
        result = read_base(m, &scan, &a);
    }
    if (result == LMB_OK) {
        result = read_frames(m, &scan, &a, out);
    }
    return result == LMB_OK && alone ? use_anim_skeleton(m, &a, out) : result;
}
