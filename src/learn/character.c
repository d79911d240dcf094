/// A character made of a learned rig and static meshes.
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "learn/rest_normals.h"
#include "learn/stretch.h"
#include "limber/learn.h"

typedef struct builder {
    const lmb_learned *learned;
    const lmb_character *still;
    const lmb_learn_character_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmb_character def; ///< with what has been created so far
} builder;

// ---- skeleton: the bones, then a node for each instance

/// Joints of each bone: an affine one has a second joint, which carries the skin.
static uint32_t joints_per_bone(const lmb_learned *l)
{
    return l->affine ? 2 : 1;
}

static uint32_t joint_count(const lmb_learned *l)
{
    return l->bone_count * joints_per_bone(l);
}

/// "bone_012", and "bone_012_in" for the joint that carries the skin of an affine bone.
static const char *bone_name(builder *b, uint32_t bone, bool inner)
{
    char name[] = "bone_000_in";
    for (uint32_t k = 0, left = bone; k < 3; ++k, left /= 10) {
        name[7 - k] = (char)('0' + left % 10);
    }
    return lmbi_arena_string(&b->arena, name, inner ? 11 : 8);
}

static lmb_result build_skeleton(builder *b, lmb_error *error)
{
    const lmb_learned *l = b->learned;
    const uint32_t each = joints_per_bone(l), bones = joint_count(l);
    const uint32_t count = bones + b->still->instance_count;
    int32_t *parents = lmbi_arena_array(&b->arena, count, sizeof *parents);
    lmb_transform *rest = lmbi_arena_array(&b->arena, count, sizeof *rest);
    const char **names = lmbi_arena_array(&b->arena, count, sizeof *names);
    if (!parents || !rest || !names) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < count; ++j) {
        const uint32_t bone = j / each;
        rest[j] = lmb_transform_identity();
        if (j >= bones) {
            const char *name = b->still->meshes[b->still->instances[j - bones].mesh]->name;
            parents[j] = LMB_NONE;
            names[j] = name && name[0] ? name : "mesh";
            continue;
        }
        const bool inner = j % each == 1;
        parents[j] = inner ? (int32_t)j - 1 : l->parents[bone];
        names[j] = bone_name(b, bone, inner);
        if (!inner) {
            rest[j].translation = l->parents[bone] == LMB_NONE
                                      ? l->joints[bone]
                                      : lmb_vec3_sub(l->joints[bone], l->joints[l->parents[bone]]);
        }
        if (!names[j]) {
            return lmbi_fail_memory(error);
        }
    }
    const lmb_skeleton def = {
        .name = "learned", .joint_count = count, .parents = parents, .rest = rest, .names = names};
    return lmb_skeleton_create(&def, b->alloc, &b->def.skeleton, error);
}

// ---- clip

/// parent_from_joint in the motion.
static lmb_transform local_transform(const lmb_learned *l, uint32_t bone, uint32_t frame)
{
    const lmb_transform *model = l->motion + (size_t)frame * l->bone_count;
    if (l->parents[bone] == LMB_NONE) {
        return model[bone];
    }
    const lmb_transform parent = model[l->parents[bone]];
    const lmb_quat back = lmb_quat_conjugate(parent.rotation);
    lmb_transform local = lmb_transform_identity();
    local.rotation = lmb_quat_normalize(lmb_quat_mul(back, model[bone].rotation));
    local.translation =
        l->slides[bone]
            ? lmb_quat_rotate(back, lmb_vec3_sub(model[bone].translation, parent.translation))
            : lmb_vec3_sub(l->joints[bone], l->joints[l->parents[bone]]);
    return local;
}

/// The local transforms of one bone in all frames: locals[frame], and inners[frame] of the joint
/// that carries the skin of an affine bone. Neighbouring rotations are of one sign.
static void sample_bone(const lmb_learned *l, uint32_t bone, lmb_transform *locals,
                        lmb_transform *inners)
{
    lmbi_stretch stretch;
    for (uint32_t k = 0; k < l->frame_count; ++k) {
        locals[k] = local_transform(l, bone, k);
        inners[k] = lmb_transform_identity();
        if (l->affine) {
            stretch = lmbi_stretch_of(l->affine[(size_t)k * l->bone_count + bone],
                                      k > 0 ? &stretch : NULL);
            locals[k] = stretch.outer;
            inners[k].rotation = stretch.inner;
        }
        lmb_transform *both[] = {&locals[k], &inners[k]};
        for (int n = 0; k > 0 && n < 2; ++n) {
            const lmb_quat q = both[n]->rotation;
            if (lmb_quat_dot(q, (both[n] - 1)->rotation) < 0) {
                both[n]->rotation = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
            }
        }
    }
}

static float frame_rate(const builder *b)
{
    return b->opts->frame_rate > 0 ? b->opts->frame_rate : 30.0f;
}

/// Adds a channel of one joint's local transforms.
static lmb_result add_channel(builder *b, lmb_clip *clip, uint32_t joint, lmb_path path,
                              const lmb_transform *locals, lmb_error *error)
{
    const uint32_t count = b->learned->frame_count;
    lmb_channel *channel = &clip->channels[clip->channel_count++];
    *channel = (lmb_channel){.joint = joint,
                             .path = path,
                             .width = path == LMB_PATH_ROTATION ? 4 : 3,
                             .key_count = count};
    channel->ticks = lmbi_arena_array(&b->arena, count, sizeof(float));
    channel->values = lmbi_arena_array(&b->arena, count, channel->width * sizeof(float));
    if (!channel->ticks || !channel->values) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const float *from = path == LMB_PATH_ROTATION      ? &locals[k].rotation.x
                            : path == LMB_PATH_TRANSLATION ? &locals[k].translation.x
                                                           : &locals[k].scale.x;
        channel->ticks[k] = (float)k / frame_rate(b);
        memcpy(channel->values + (size_t)k * channel->width, from, channel->width * sizeof(float));
    }
    return LMB_OK;
}

/// Channels of a bone: its rotation; of one without a parent or that slides its translation; of an affine one its
/// scale, and the rotation of its inner joint.
static lmb_result add_bone(builder *b, lmb_clip *clip, uint32_t bone, lmb_transform *locals,
                           lmb_transform *inners, lmb_error *error)
{
    const lmb_learned *l = b->learned;
    const uint32_t joint = bone * joints_per_bone(l);
    sample_bone(l, bone, locals, inners);
    lmb_result result = LMB_OK;
    if (l->parents[bone] == LMB_NONE || l->slides[bone]) {
        result = add_channel(b, clip, joint, LMB_PATH_TRANSLATION, locals, error);
    }
    if (result == LMB_OK) {
        result = add_channel(b, clip, joint, LMB_PATH_ROTATION, locals, error);
    }
    if (result == LMB_OK && l->affine) {
        result = add_channel(b, clip, joint, LMB_PATH_SCALE, locals, error);
    }
    if (result == LMB_OK && l->affine) {
        result = add_channel(b, clip, joint + 1, LMB_PATH_ROTATION, inners, error);
    }
    return result;
}

static lmb_result build_clip(builder *b, lmb_error *error)
{
    const lmb_learned *l = b->learned;
    lmb_clip def = {.name = b->opts->clip_name ? b->opts->clip_name : "frames",
                    .duration = (float)(l->frame_count - 1) / frame_rate(b),
                    .frame_rate = frame_rate(b)};
    def.channels = lmbi_arena_array(&b->arena, l->bone_count, 4 * sizeof *def.channels);
    lmb_transform *locals = lmbi_arena_array(&b->arena, l->frame_count, sizeof *locals);
    lmb_transform *inners = lmbi_arena_array(&b->arena, l->frame_count, sizeof *inners);
    if (!def.channels || !locals || !inners) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t j = 0; result == LMB_OK && j < l->bone_count; ++j) {
        result = add_bone(b, &def, j, locals, inners, error);
    }
    if (result == LMB_OK) {
        result = lmb_clip_create(&def, b->alloc, &b->def.clips[0], error);
        b->def.clip_count = result == LMB_OK;
    }
    return result;
}

// ---- skin

static lmb_result build_skin(builder *b, lmb_error *error)
{
    const lmb_learned *l = b->learned;
    lmb_skin def = {.name = "learned", .joint_count = l->bone_count, .root = LMB_NONE};
    def.joints = lmbi_arena_array(&b->arena, l->bone_count, sizeof *def.joints);
    def.joint_from_bind = lmbi_arena_array(&b->arena, l->bone_count, sizeof *def.joint_from_bind);
    if (!def.joints || !def.joint_from_bind) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < l->bone_count; ++j) {
        lmb_transform t = lmb_transform_identity();
        t.translation = lmb_vec3_neg(l->joints[j]);
        def.joints[j] = (j + 1) * joints_per_bone(l) - 1;
        def.joint_from_bind[j] = lmb_mat4_from_transform(t);
    }
    const lmb_result result = lmb_skin_create(&def, b->alloc, &b->def.skins[0], error);
    b->def.skin_count = result == LMB_OK;
    return result;
}

static lmb_result build_mesh(builder *b, uint32_t instance, uint32_t first_vertex, lmb_error *error)
{
    const lmb_influences *from = &b->learned->influences;
    lmb_mesh def = *b->still->meshes[b->still->instances[instance].mesh];
    lmb_primitive *primitives =
        lmbi_arena_array(&b->arena, def.primitive_count, sizeof *primitives);
    uint32_t *first = lmbi_arena_array(&b->arena, (size_t)def.vertex_count + 1, sizeof *first);
    lmb_influence *items =
        lmbi_arena_array(&b->arena, def.vertex_count, LMB_LEARN_INFLUENCES * sizeof *items);
    if (!primitives || !first || !items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < def.primitive_count; ++p) {
        primitives[p] = def.primitives[p];
        primitives[p].attributes |= LMB_HAS_INFLUENCES;
    }
    lmb_vec3 *rest = NULL;
    const lmb_vec3 *before = def.positions;
    if (b->learned->rest) {
        rest = lmbi_arena_array(&b->arena, def.vertex_count, sizeof *rest);
        if (!rest) {
            return lmbi_fail_memory(error);
        }
        def.positions = rest;
    }
    for (uint32_t v = 0; v < def.vertex_count; ++v) {
        const uint32_t at =
            b->opts->vertex_of ? b->opts->vertex_of[first_vertex + v] : first_vertex + v;
        if (rest) {
            rest[v] = b->learned->rest[at];
        }
        const uint32_t count = from->first[at + 1] - from->first[at];
        memcpy(items + first[v], from->items + from->first[at], count * sizeof *items);
        first[v + 1] = first[v] + count;
    }
    const uint32_t *vertex_of = b->opts->vertex_of;
    if (rest && !lmbi_learn_turn_normals(&def, before, vertex_of ? vertex_of + first_vertex : NULL,
                                         vertex_of ? b->learned->vertex_count : def.vertex_count,
                                         &b->arena)) {
        return lmbi_fail_memory(error);
    }
    def.primitives = primitives;
    def.influences = (lmb_influences){first, items};
    const lmb_result result = lmb_mesh_create(&def, b->alloc, &b->def.meshes[instance], error);
    b->def.mesh_count += result == LMB_OK;
    return result;
}

// ---- the whole

static lmb_result check_vertices(const builder *b, lmb_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->still->instance_count; ++i) {
        count += b->still->meshes[b->still->instances[i].mesh]->vertex_count;
    }
    if (count == 0 || (!b->opts->vertex_of && count != b->learned->vertex_count)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "the vertices that were learned from",
                         "%u, not %u", count, b->learned->vertex_count);
    }
    for (uint32_t v = 0; b->opts->vertex_of && v < count; ++v) {
        if (b->opts->vertex_of[v] >= b->learned->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "vertices that were learned from",
                             "vertex %u of %u", b->opts->vertex_of[v], b->learned->vertex_count);
        }
    }
    return LMB_OK;
}

static lmb_result build_parts(builder *b, lmb_error *error)
{
    const uint32_t count = b->still->instance_count;
    b->def.meshes = lmbi_arena_array(&b->arena, count, sizeof *b->def.meshes);
    b->def.skins = lmbi_arena_array(&b->arena, 1, sizeof *b->def.skins);
    b->def.clips = lmbi_arena_array(&b->arena, 1, sizeof *b->def.clips);
    b->def.instances = lmbi_arena_array(&b->arena, count, sizeof *b->def.instances);
    if (!b->def.meshes || !b->def.skins || !b->def.clips || !b->def.instances) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = build_skeleton(b, error);
    if (result == LMB_OK) {
        result = build_clip(b, error);
    }
    if (result == LMB_OK) {
        result = build_skin(b, error);
    }
    if (result == LMB_OK && b->still->appearance) {
        result = lmb_appearance_create(b->still->appearance, b->alloc, &b->def.appearance, error);
    }
    for (uint32_t i = 0, first = 0; result == LMB_OK && i < count; ++i) {
        result = build_mesh(b, i, first, error);
        first += b->still->meshes[b->still->instances[i].mesh]->vertex_count;
        b->def.instances[i] =
            (lmb_instance){.joint = joint_count(b->learned) + i, .mesh = i, .skin = 0};
    }
    b->def.instance_count = count;
    return result;
}

static void destroy_parts(builder *b)
{
    lmb_skeleton_destroy(b->def.skeleton);
    lmb_appearance_destroy(b->def.appearance);
    for (uint32_t m = 0; m < b->def.mesh_count; ++m) {
        lmb_mesh_destroy(b->def.meshes[m]);
    }
    if (b->def.skin_count) {
        lmb_skin_destroy(b->def.skins[0]);
    }
    if (b->def.clip_count) {
        lmb_clip_destroy(b->def.clips[0]);
    }
}

lmb_result lmb_learn_character(const lmb_learned *learned, const lmb_character *still,
                               const lmb_learn_character_opts *opts, const lmb_allocator *alloc,
                               lmb_character **out, lmb_error *error)
{
    static const lmb_learn_character_opts defaults;
    builder b = {learned, still, opts ? opts : &defaults, alloc, .def = {.name = still->name}};
    lmbi_arena_init(&b.arena, alloc);
    lmb_result result = check_vertices(&b, error);
    if (result == LMB_OK) {
        result = build_parts(&b, error);
    }
    if (result == LMB_OK) {
        result = lmb_character_create(&b.def, alloc, out, error);
    }
    if (result != LMB_OK) {
        destroy_parts(&b);
    }
    lmbi_arena_free(&b.arena);
    return result;
}
