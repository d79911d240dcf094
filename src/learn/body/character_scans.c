/// A rigged character as the start of a body model.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/learn.h"

typedef struct start {
    const lmb_character *rig;
    const lmb_learn_frames *frames;
    lmbi_arena arena;
    lmb_learn_body_def def;
    uint8_t *used;   ///< [joints of the skeleton] binds vertices, or lies between such joints
    int32_t *number; ///< [joints of the skeleton] in the model, LMB_NONE for none
    const lmb_mesh **row_mesh; ///< [vertex_count] mesh that has the vertex' weights
    const lmb_skin **row_skin;
    uint32_t *row; ///< [vertex_count] its row there
} start;

/// The first vertex of a mesh that is each vertex of the scans.
static lmb_result find_rows(start *s, lmb_error *error)
{
    const lmb_character *c = s->rig;
    s->row_mesh = lmbi_arena_array(&s->arena, s->def.vertex_count, sizeof *s->row_mesh);
    s->row_skin = lmbi_arena_array(&s->arena, s->def.vertex_count, sizeof *s->row_skin);
    s->row = lmbi_arena_array(&s->arena, s->def.vertex_count, sizeof *s->row);
    if (!s->row_mesh || !s->row_skin || !s->row) {
        return lmbi_fail_memory(error);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const int32_t skin = c->instances[i].skin;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v, ++at) {
            const uint32_t to = s->frames->vertex_of ? s->frames->vertex_of[at] : at;
            if (skin != LMB_NONE && mesh->influences.first != NULL && to < s->def.vertex_count &&
                s->row_mesh[to] == NULL) {
                s->row_mesh[to] = mesh;
                s->row_skin[to] = c->skins[skin];
                s->row[to] = v;
            }
        }
    }
    for (uint32_t v = 0; v < s->def.vertex_count; ++v) {
        if (s->row_mesh[v] == NULL) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "weights of every vertex",
                             "none of vertex %u", v);
        }
    }
    return LMB_OK;
}

/// Marks joints that bind vertices and those above them, less what is above all.
static lmb_result find_joints(start *s, lmb_error *error)
{
    const lmb_skeleton *k = s->rig->skeleton;
    s->used = lmbi_arena_array(&s->arena, k->joint_count, 1);
    s->number = lmbi_arena_array(&s->arena, k->joint_count, sizeof *s->number);
    uint8_t *binds = lmbi_arena_array(&s->arena, k->joint_count, 1);
    if (!s->used || !s->number || !binds) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < s->def.vertex_count; ++v) {
        const lmb_influences *in = &s->row_mesh[v]->influences;
        for (uint32_t i = in->first[s->row[v]]; i < in->first[s->row[v] + 1]; ++i) {
            int32_t j = (int32_t)s->row_skin[v]->joints[in->items[i].joint];
            binds[j] = 1;
            for (; j != LMB_NONE && !s->used[j]; j = k->parents[j]) {
                s->used[j] = 1;
            }
        }
    }
    for (uint32_t j = 0; j < k->joint_count; ++j) {
        uint32_t children = 0;
        const bool is_top = k->parents[j] == LMB_NONE || !s->used[k->parents[j]];
        for (uint32_t c = j + 1; c < k->joint_count; ++c) {
            children += s->used[c] && k->parents[c] == (int32_t)j;
        }
        s->used[j] = s->used[j] && !(is_top && !binds[j] && children == 1);
    }
    return LMB_OK;
}

static lmb_result number_joints(start *s, lmb_error *error)
{
    const lmb_skeleton *k = s->rig->skeleton;
    lmb_mat4 *model = lmbi_arena_array(&s->arena, k->joint_count, sizeof *model);
    s->def.joints = lmbi_arena_array(&s->arena, k->joint_count, sizeof *s->def.joints);
    s->def.parents = lmbi_arena_array(&s->arena, k->joint_count, sizeof *s->def.parents);
    s->def.names = lmbi_arena_array(&s->arena, k->joint_count, sizeof *s->def.names);
    if (!model || !s->def.joints || !s->def.parents || !s->def.names) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = k, .local = k->rest, .model_from_joint = model});
    for (uint32_t j = 0; j < k->joint_count; ++j) {
        s->number[j] = LMB_NONE;
        if (!s->used[j]) {
            continue;
        }
        const int32_t parent = k->parents[j] == LMB_NONE ? LMB_NONE : s->number[k->parents[j]];
        const uint32_t to = s->def.joint_count++;
        if (parent == LMB_NONE && to > 0) {
            return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "joints below one joint",
                             "\"%s\" beside \"%s\"", k->names[j], s->def.names[0]);
        }
        s->number[j] = (int32_t)to;
        s->def.parents[to] = parent;
        s->def.names[to] = k->names[j];
        s->def.joints[to] = lmb_vec3_make(model[j].m[12], model[j].m[13], model[j].m[14]);
    }
    return LMB_OK;
}

static lmb_result copy_rows(start *s, lmb_error *error)
{
    size_t total = 0;
    for (uint32_t v = 0; v < s->def.vertex_count; ++v) {
        const uint32_t *first = s->row_mesh[v]->influences.first + s->row[v];
        total += first[1] - first[0];
    }
    lmb_influences *out = &s->def.influences;
    out->first = lmbi_arena_array(&s->arena, (size_t)s->def.vertex_count + 1, sizeof(uint32_t));
    out->items = lmbi_arena_array(&s->arena, total, sizeof(lmb_influence));
    if (!out->first || !out->items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0, at = 0; v < s->def.vertex_count; ++v) {
        const lmb_influences *in = &s->row_mesh[v]->influences;
        for (uint32_t i = in->first[s->row[v]]; i < in->first[s->row[v] + 1]; ++i) {
            const uint32_t joint = s->row_skin[v]->joints[in->items[i].joint];
            out->items[at++] = (lmb_influence){(uint32_t)s->number[joint], in->items[i].weight};
        }
        out->first[v + 1] = at;
    }
    return LMB_OK;
}

lmb_result lmb_learn_body_character(const lmb_character *rig, const lmb_learn_frames *frames,
                                    const lmb_learn_body_def *def, const lmb_learn_body_opts *opts,
                                    const lmb_allocator *alloc, lmb_body_model **out,
                                    lmb_learn_body_report *report, lmb_error *error)
{
    static lmb_result (*const steps[])(start *, lmb_error *) = {find_rows, find_joints,
                                                                number_joints, copy_rows};
    start s = {.rig = rig,
               .frames = frames,
               .def = {.vertex_count = frames->vertex_count,
                       .index_count = def->index_count,
                       .scan_count = frames->frame_count,
                       .rest = def->rest,
                       .indices = def->indices,
                       .scans = frames->frames,
                       .person_of = def->person_of}};
    lmb_result result = LMB_OK;
    *out = NULL;
    lmbi_arena_init(&s.arena, alloc);
    for (size_t k = 0; result == LMB_OK && k < sizeof steps / sizeof *steps; ++k) {
        result = steps[k](&s, error);
    }
    if (result == LMB_OK) {
        result = lmb_learn_body(&s.def, opts, alloc, out, report, error);
    }
    lmbi_arena_free(&s.arena);
    return result;
}
