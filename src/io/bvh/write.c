#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/bvh/bvh.h"
#include "io/bvh/carry.h"
#include "io/clip_pose.h"
#include "io/common.h"
#include "io/euler.h"

/// A joint as it will be written.
typedef struct out_joint {
    char channels[LMBI_BVH_CHANNELS + 1];
    char order[3];      ///< of the rotation channels, filled up to three letters
    int rotation_count; ///< how many of the letters are channels
    bool adds, follow, translates_in_clip, rotates_in_clip, needed;
    double angles[3];   ///< of the previous frame
    const char *fixes;  ///< the rest of the list of frames whose angles were carried
    uint32_t fix_frame; ///< the next frame of that list, or UINT32_MAX
    float fix[3];
    lmb_quat from_rest;   ///< rotation of model_from_joint at rest
    float scale;          ///< of model_from_joint at rest, mean over the axes
    lmb_vec3 offset;      ///< as written
    uint32_t next, child; ///< sibling and first child, joint_count for none
} out_joint;

typedef struct bvh_writer {
    lmbi_text text;
    const lmb_skeleton *skeleton;
    const lmb_clip *clip; ///< or NULL
    lmbi_arena arena;
    out_joint *joints;
    uint32_t *order; ///< joints as the file lists them: depth first
    uint32_t count;  ///< how many are listed
    lmb_transform *local;
    uint32_t *hints;
    uint32_t frames;
    double ticks_per_frame, frame_time_s;
    float unit_m;
    lmb_axis up, rest_up;
} bvh_writer;

static bool leaves_rest(const lmb_channel *channel, lmb_vec3 rest)
{
    const float near = 1e-5f * (1 + lmb_vec3_length(rest));
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        const size_t at = channel->interpolation == LMB_CUBIC ? 9 * (size_t)k + 3 : 3 * (size_t)k;
        const float *v = channel->values + at;
        if (lmb_vec3_distance(lmb_vec3_make(v[0], v[1], v[2]), rest) > near) {
            return true;
        }
    }
    return false;
}

static void find_movement(bvh_writer *w)
{
    for (uint32_t i = 0; w->clip && i < w->clip->channel_count; ++i) {
        const lmb_channel *channel = &w->clip->channels[i];
        out_joint *joint = &w->joints[channel->joint];
        if (channel->path == LMB_PATH_ROTATION) {
            joint->rotates_in_clip = true;
        } else if (channel->path == LMB_PATH_TRANSLATION) {
            joint->translates_in_clip =
                leaves_rest(channel, w->skeleton->rest[channel->joint].translation);
        }
    }
}

static void next_fix(out_joint *joint)
{
    if (joint->fixes == NULL ||
        !lmbi_bvh_next_angles(&joint->fixes, &joint->fix_frame, joint->fix)) {
        joint->fixes = NULL;
        joint->fix_frame = UINT32_MAX;
    }
}

static void choose_channels(bvh_writer *w, uint32_t j, const char *order)
{
    out_joint *joint = &w->joints[j];
    const char *carried = w->skeleton->carried ? w->skeleton->carried[j] : NULL;
    const lmbi_bvh_joint_carry carry = lmbi_bvh_joint_carry_read(carried);
    const bool root = w->skeleton->parents[j] < 0;
    memcpy(joint->channels, carry.channels, sizeof joint->channels);
    joint->adds = carry.positions_add;
    joint->follow = !carry.known || carry.continuous;
    if (strpbrk(joint->channels, "xyz") == NULL && (!carry.known || joint->rotates_in_clip)) {
        memcpy(joint->channels + strlen(joint->channels), order, 4);
    }
    if (strpbrk(joint->channels, "XYZ") == NULL &&
        ((!carry.known && root) || joint->translates_in_clip)) {
        memmove(joint->channels + 3, joint->channels, 4);
        memcpy(joint->channels, "XYZ", 3);
    }
    joint->rotation_count = lmbi_bvh_order(joint->channels, joint->order);
    joint->fixes = carry.fixes;
    next_fix(joint);
    for (int i = 0; i < 3; ++i) {
        joint->angles[i] = carry.continuous ? (double)carry.start[i] : 0;
    }
}

/// For a skinned character, only the joints that skins or the clip use and their ancestors are
/// written: other tools would show the nodes of its meshes as further roots. For any other, all
/// joints.
static void find_needed(bvh_writer *w, const lmb_character *character)
{
    for (uint32_t j = 0; j < w->skeleton->joint_count; ++j) {
        const out_joint *joint = &w->joints[j];
        w->joints[j].needed =
            character->skin_count == 0 || joint->translates_in_clip || joint->rotates_in_clip;
    }
    for (uint32_t i = 0; i < character->skin_count; ++i) {
        for (uint32_t k = 0; k < character->skins[i]->joint_count; ++k) {
            w->joints[character->skins[i]->joints[k]].needed = true;
        }
    }
    for (uint32_t j = w->skeleton->joint_count; j-- > 0;) {
        const int32_t parent = w->skeleton->parents[j];
        if (parent >= 0 && w->joints[j].needed) {
            w->joints[parent].needed = true;
        }
    }
}

/// Lists the joints depth first, without recursion: links lead to the first child, to the next
/// sibling, and up again.
static void list_joints(bvh_writer *w)
{
    const uint32_t none = w->skeleton->joint_count;
    uint32_t first_root = none;
    for (uint32_t j = none; j-- > 0;) {
        w->joints[j].child = none;
    }
    for (uint32_t j = none; j-- > 0;) {
        const int32_t parent = w->skeleton->parents[j];
        uint32_t *head = parent < 0 ? &first_root : &w->joints[parent].child;
        if (w->joints[j].needed) {
            w->joints[j].next = *head;
            *head = j;
        }
    }
    w->count = 0;
    for (uint32_t at = first_root; at != none;) {
        w->order[w->count++] = at;
        uint32_t next = w->joints[at].child;
        for (int32_t up = (int32_t)at; next == none && up >= 0; up = w->skeleton->parents[up]) {
            next = w->joints[up].next;
        }
        at = next;
    }
}

static lmb_vec3 rest_vector(const bvh_writer *w, lmb_vec3 v)
{
    v = lmbi_axis_from_y(w->rest_up, v);
    return lmb_vec3_make(v.x / w->unit_m, v.y / w->unit_m, v.z / w->unit_m);
}

/// BVH has no rest rotations. Each joint's frame is rotated to the model's axes at rest, so that
/// the rest pose keeps its shape: R' = W_parent R W^-1, t' = W_parent t, with W the rotation of
/// model_from_joint.
static void orient_joints(bvh_writer *w)
{
    for (uint32_t j = 0; j < w->skeleton->joint_count; ++j) {
        const lmb_transform rest = w->skeleton->rest[j];
        const int32_t p = w->skeleton->parents[j];
        const lmb_quat above = p < 0 ? lmb_quat_identity() : w->joints[p].from_rest;
        const float scale = p < 0 ? 1 : w->joints[p].scale;
        out_joint *joint = &w->joints[j];
        joint->from_rest = lmb_quat_mul(above, rest.rotation);
        joint->scale =
            scale * (fabsf(rest.scale.x) + fabsf(rest.scale.y) + fabsf(rest.scale.z)) / 3;
        joint->offset =
            rest_vector(w, lmb_vec3_scale(lmb_quat_rotate(above, rest.translation), scale));
    }
}

static bool is_leaf(const bvh_writer *w, uint32_t j)
{
    return w->joints[j].child == w->skeleton->joint_count;
}

static void indent(bvh_writer *w, uint32_t depth)
{
    for (uint32_t i = 0; i < depth && i < 64; ++i) {
        lmbi_text_add(&w->text, "\t"); // deeper indentation would make the file's size quadratic
    }
}

static void write_vector(bvh_writer *w, uint32_t depth, lmb_vec3 v)
{
    indent(w, depth);
    lmbi_text_add(&w->text, "OFFSET ");
    lmbi_text_float(&w->text, v.x);
    lmbi_text_add(&w->text, " ");
    lmbi_text_float(&w->text, v.y);
    lmbi_text_add(&w->text, " ");
    lmbi_text_float(&w->text, v.z);
    lmbi_text_add(&w->text, "\n");
}

/// Replaces line ends and braces in a name, which a reader would take for the file's own.
static void write_name(bvh_writer *w, const char *name)
{
    for (; *name; ++name) {
        const char c = memchr("\r\n{}", *name, 4) ? '_' : *name;
        lmbi_text_bytes(&w->text, &c, 1);
    }
}

static void write_channels(bvh_writer *w, uint32_t depth, const char *channels)
{
    indent(w, depth);
    lmbi_text_format(&w->text, "CHANNELS %d", (int)strlen(channels));
    for (; *channels; ++channels) {
        const bool rotation = *channels >= 'x';
        lmbi_text_format(&w->text, rotation ? " %crotation" : " %cposition",
                         rotation ? *channels - 'x' + 'X' : *channels);
    }
    lmbi_text_add(&w->text, "\n");
}

static void write_end_site(bvh_writer *w, uint32_t depth, uint32_t j)
{
    const lmb_vec3 none = {0, 0, 0};
    const lmb_vec3 tip = w->skeleton->tips ? w->skeleton->tips[j] : none;
    if (!is_leaf(w, j) && !(lmb_vec3_length(tip) > 0)) {
        return;
    }
    const out_joint *joint = &w->joints[j];
    indent(w, depth);
    lmbi_text_add(&w->text, "End Site\n");
    indent(w, depth);
    lmbi_text_add(&w->text, "{\n");
    write_vector(
        w, depth + 1,
        rest_vector(w, lmb_vec3_scale(lmb_quat_rotate(joint->from_rest, tip), joint->scale)));
    indent(w, depth);
    lmbi_text_add(&w->text, "}\n");
}

static void write_hierarchy(bvh_writer *w)
{
    uint32_t depth = 0;
    lmbi_text_add(&w->text, "HIERARCHY\n");
    for (uint32_t k = 0; k < w->count; ++k) {
        const uint32_t j = w->order[k];
        indent(w, depth);
        lmbi_text_add(&w->text, w->skeleton->parents[j] < 0 ? "ROOT " : "JOINT ");
        write_name(w, w->skeleton->names[j]);
        lmbi_text_add(&w->text, "\n");
        indent(w, depth);
        lmbi_text_add(&w->text, "{\n");
        ++depth;
        write_vector(w, depth, w->joints[j].offset);
        write_channels(w, depth, w->joints[j].channels);
        write_end_site(w, depth, j);
        // Close this joint if it is a leaf, and every parent whose last child this was.
        for (int32_t up = (int32_t)j; up >= 0 && (up != (int32_t)j || is_leaf(w, j));
             up = w->skeleton->parents[up]) {
            indent(w, --depth);
            lmbi_text_add(&w->text, "}\n");
            if (w->joints[up].next != w->skeleton->joint_count) {
                break;
            }
        }
    }
}

/// The joint's local transform in the file's axes and units: the inverse of lmbi_motion_convert.
static void file_transform(const bvh_writer *w, uint32_t j, lmb_vec3 *t, lmb_quat *q)
{
    const int32_t p = w->skeleton->parents[j];
    const lmb_quat above = p < 0 ? lmb_quat_identity() : w->joints[p].from_rest;
    const lmb_vec3 moved = lmb_vec3_scale(lmb_quat_rotate(above, w->local[j].translation),
                                          p < 0 ? 1 : w->joints[p].scale);
    *q = lmb_quat_mul(above, w->local[j].rotation);
    *q = lmb_quat_mul(*q, lmb_quat_conjugate(w->joints[j].from_rest));
    if (p < 0 && w->up != w->rest_up) {
        const lmb_vec3 v = lmbi_axis_from_y(w->up, moved);
        *t = lmb_vec3_make(v.x / w->unit_m, v.y / w->unit_m, v.z / w->unit_m);
        *q = lmb_quat_mul(lmb_quat_conjugate(lmbi_axis_rotation(w->up)),
                          lmb_quat_mul(*q, lmbi_axis_rotation(w->rest_up)));
        return;
    }
    *t = rest_vector(w, moved);
    *q = lmbi_axis_quat_from_y(w->rest_up, *q);
}

/// Carried angles are written only while they still mean the current rotation: the clip may have
/// been edited.
static bool fix_matches(const out_joint *joint, lmb_quat q)
{
    lmb_quat carried = lmb_quat_identity();
    for (int i = 0; i < 3; ++i) {
        lmbi_euler_rotate(&carried, joint->order[i], joint->fix[i]);
    }
    const float sign = lmb_quat_dot(q, carried) < 0 ? -1.0f : 1.0f;
    const float near = 1e-5f;
    return fabsf(q.x - sign * carried.x) < near && fabsf(q.y - sign * carried.y) < near &&
           fabsf(q.z - sign * carried.z) < near && fabsf(q.w - sign * carried.w) < near;
}

static void write_joint_values(bvh_writer *w, uint32_t j, uint32_t frame)
{
    out_joint *joint = &w->joints[j];
    lmb_vec3 t;
    lmb_quat q;
    int rotation = 0;
    file_transform(w, j, &t, &q);
    if (joint->adds) {
        t = lmb_vec3_sub(t, joint->offset);
    }
    if (joint->rotation_count) {
        lmbi_euler_degrees(q, joint->order, joint->rotation_count, joint->follow, joint->angles);
    }
    while (joint->fix_frame < frame) {
        next_fix(joint);
    }
    if (joint->fix_frame == frame && fix_matches(joint, q)) {
        for (int i = 0; i < 3; ++i) {
            joint->angles[i] = (double)joint->fix[i];
        }
    }
    for (const char *c = joint->channels; *c; ++c) {
        const float value = *c >= 'x'   ? (float)joint->angles[rotation++]
                            : *c == 'X' ? t.x
                            : *c == 'Y' ? t.y
                                        : t.z;
        lmbi_text_float(&w->text, value);
        lmbi_text_add(&w->text, " ");
    }
}

static void write_motion(bvh_writer *w)
{
    char time[40];
    lmbi_bvh_double_write(time, w->frame_time_s);
    lmbi_text_format(&w->text, "MOTION\nFrames: %u\nFrame Time: %s\n", w->frames, time);
    for (uint32_t f = 0; f < w->frames && !w->text.failed; ++f) {
        if (w->clip) {
            lmbi_clip_pose(w->skeleton, w->clip, f * w->ticks_per_frame, w->hints, w->local);
        }
        for (uint32_t k = 0; k < w->count; ++k) {
            write_joint_values(w, w->order[k], f);
        }
        lmbi_text_add(&w->text, "\n");
    }
}

static lmb_result choose_frames(bvh_writer *w, float frame_rate, double carried_time,
                                lmb_error *error)
{
    w->frames = 1;
    w->frame_time_s = frame_rate > 0     ? 1 / (double)frame_rate
                      : carried_time > 0 ? carried_time
                                         : 1.0 / 30;
    if (w->clip == NULL) {
        return LMB_OK;
    }
    if (!(frame_rate > 0) && !(carried_time > 0) && w->clip->frame_rate > 0) {
        w->frame_time_s = 1 / (double)w->clip->frame_rate;
    }
    lmbi_clip_frames cut;
    const lmb_result result = lmbi_clip_cut(w->clip, w->frame_time_s, &cut, error);
    if (result == LMB_OK) {
        w->ticks_per_frame = cut.ticks_per_frame;
        w->frames = cut.count;
    }
    return result;
}

static lmb_result prepare_writer(bvh_writer *w, const lmb_character *character,
                                 const lmbi_bvh_write_opts *opts, lmb_error *error)
{
    const uint32_t count = w->skeleton->joint_count;
    const lmbi_bvh_clip_carry carry = lmbi_bvh_clip_carry_read(w->clip ? w->clip->carried : NULL);
    w->unit_m = opts->unit_m > 0 ? opts->unit_m : carry.unit_m > 0 ? carry.unit_m : 0.01f;
    w->up = opts->up != LMB_AXIS_AUTO ? opts->up : carry.up;
    w->rest_up = opts->up != LMB_AXIS_AUTO ? opts->up : carry.rest_up;
    w->joints = lmbi_arena_array(&w->arena, count, sizeof *w->joints);
    w->order = lmbi_arena_array(&w->arena, count, sizeof *w->order);
    w->local = lmbi_arena_array(&w->arena, count, sizeof *w->local);
    w->hints = lmbi_arena_array(&w->arena, w->clip ? w->clip->channel_count : 0, sizeof *w->hints);
    if (!w->joints || !w->order || !w->local || !w->hints) {
        return lmbi_fail_memory(error);
    }
    memcpy(w->local, w->skeleton->rest, count * sizeof *w->local);
    find_movement(w);
    for (uint32_t j = 0; j < count; ++j) {
        choose_channels(w, j, opts->order ? opts->order : "zxy");
    }
    find_needed(w, character);
    list_joints(w);
    orient_joints(w);
    return choose_frames(w, opts->frame_rate, carry.frame_time_s, error);
}

static bool is_axis_order(const char *order)
{
    return order == NULL ||
           (strlen(order) == 3 && strchr(order, 'x') && strchr(order, 'y') && strchr(order, 'z'));
}

lmb_result lmbi_bvh_write(const lmb_character *character, const lmbi_bvh_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    const lmbi_bvh_write_opts defaults = {0};
    opts = opts ? opts : &defaults;
    if (opts->clip > 0 && opts->clip >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character", "clip %u of %u",
                         opts->clip, character->clip_count);
    }
    if (!is_axis_order(opts->order)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "an order of x, y and z", "\"%s\"", opts->order);
    }
    bvh_writer w = {.skeleton = character->skeleton};
    w.clip = character->clip_count ? character->clips[opts->clip] : NULL;
    lmbi_text_init(&w.text, alloc);
    lmbi_arena_init(&w.arena, alloc);
    const lmb_result result = prepare_writer(&w, character, opts, error);
    if (result == LMB_OK) {
        write_hierarchy(&w);
        write_motion(&w);
    }
    lmbi_arena_free(&w.arena);
    return result == LMB_OK ? lmbi_buffer_take(&w.text, out, error) : result;
}
