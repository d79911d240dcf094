/// Helpers as joints of the rig: parents, positions, motion and rows.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "learn/helping.h"

/// The joint of the rig that the helper's skin follows most, next to the helper or before it was.
static uint32_t find_parent(const lmbi_helping *h, uint32_t bone, double *mass)
{
    const lmbi_learn *p = &h->g.p;
    memset(mass, 0, h->given * sizeof *mass);
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        const size_t row = (size_t)p->list_points[k] * p->influences;
        for (uint32_t n = 0; n < p->influences; ++n) {
            mass[h->linear_bones[row + n]] += p->list_weights[k] * h->linear_weights[row + n];
        }
    }
    uint32_t best = 0;
    for (uint32_t j = 1; j < h->given; ++j) {
        best = mass[j] > mass[best] ? j : best;
    }
    return best;
}

/// Centroid of a helper's skin by squared weight, and its root mean square distance from it.
static void find_middle(const lmbi_learn *p, uint32_t bone, double center[3], double *radius)
{
    double total = 0, square = 0;
    memset(center, 0, 3 * sizeof *center);
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        const double w = p->list_weights[k] * p->list_weights[k];
        const double *x = p->rest + 3 * (size_t)p->list_points[k];
        total += w;
        for (int c = 0; c < 3; ++c) {
            center[c] += w * x[c];
            square += w * x[c] * x[c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        center[c] /= total;
        square -= total * center[c] * center[c];
    }
    *radius = sqrt(fmax(square, 0) / total);
}

/// A bone's motion from the bind space to the scene.
static lmb_mat4 scene_motion(const lmbi_learn *p, uint32_t bone, uint32_t frame)
{
    lmb_mat4 m = lmb_mat4_identity();
    for (uint32_t r = 0; r < 3; ++r) {
        double t = p->size * lmbi_learn_bone(p, bone, 4 * r + 3)[frame] +
                   p->frame_centers[3 * (size_t)frame + r];
        for (uint32_t c = 0; c < 3; ++c) {
            const double value = lmbi_learn_bone(p, bone, 4 * r + c)[frame];
            m.m[4 * c + r] = (float)value;
            t -= value * p->center[c];
        }
        m.m[12 + r] = (float)t;
    }
    return m;
}

static lmb_result write_motion(const lmbi_helping *h, uint32_t helper, uint32_t parent,
                               lmbi_learned_helpers *out, lmb_error *error)
{
    const lmbi_bound *b = &h->g.bound;
    const uint32_t joint = b->joints[parent];
    lmb_mat4 bind_from_parent, parent_from_scene;
    lmb_mat4 place = lmb_mat4_identity();
    place.m[12] = out->offsets[helper].x;
    place.m[13] = out->offsets[helper].y;
    place.m[14] = out->offsets[helper].z;
    bool fine = lmb_mat4_inverse_affine(b->joint_from_bind[parent], &bind_from_parent);
    for (uint32_t k = 0; fine && k < out->frame_count; ++k) {
        fine = lmb_mat4_inverse_affine(b->frames->model_from_joint[h->g.learned[k]][joint],
                                       &parent_from_scene);
        const lmb_mat4 motion = scene_motion(&h->g.p, h->given + helper, k);
        const lmb_mat4 moved =
            lmb_mat4_mul(parent_from_scene, lmb_mat4_mul(motion, bind_from_parent));
        lmb_transform *to = &out->motion[(size_t)k * out->helper_count + helper];
        lmb_mat4_decompose(lmb_mat4_mul(moved, place), to);
        to->scale = lmb_vec3_make(1, 1, 1);
    }
    return fine ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID, "transforms that can be inverted",
                            "those of \"%s\"", b->character->skeleton->names[joint]);
}

static lmb_result write_helpers(const lmbi_helping *h, lmbi_learned_helpers *out, double *mass,
                                lmb_error *error)
{
    const lmbi_learn *p = &h->g.p;
    const lmbi_bound *b = &h->g.bound;
    for (uint32_t k = 0; k < out->helper_count; ++k) {
        const uint32_t parent = find_parent(h, h->given + k, mass);
        double center[3], radius;
        find_middle(p, h->given + k, center, &radius);
        const lmb_vec3 at = lmb_vec3_make((float)(p->center[0] + p->size * center[0]),
                                          (float)(p->center[1] + p->size * center[1]),
                                          (float)(p->center[2] + p->size * center[2]));
        const lmb_mat4 *place = &b->joint_from_bind[parent];
        out->parents[k] = b->joints[parent];
        out->offsets[k] = lmb_mat4_point(*place, at);
        out->radii[k] = (float)(p->size * radius) *
                        lmb_vec3_length(lmb_mat4_vector(*place, lmb_vec3_make(1, 0, 0)));
        const lmb_result result = write_motion(h, k, parent, out, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

/// Rows of all instances' vertices by joint.
static void write_rows(const lmbi_helping *h, const lmb_influences *rows, lmbi_learned_helpers *out)
{
    const lmbi_bound *b = &h->g.bound;
    uint32_t at = 0;
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        const uint32_t from = b->vertex_of[v];
        for (uint32_t k = 0; from != UINT32_MAX && k < rows->first[from + 1] - rows->first[from];
             ++k) {
            lmb_influence in = rows->items[rows->first[from] + k];
            in.joint = in.joint < h->given
                           ? b->joints[in.joint]
                           : b->character->skeleton->joint_count + in.joint - h->given;
            out->influences.items[at++] = in;
        }
        out->influences.first[v + 1] = at;
    }
}

static uint32_t count_vertices(const lmb_character *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        count += c->meshes[c->instances[i].mesh]->vertex_count;
    }
    return count;
}

static bool allocate(const lmbi_helping *h, lmbi_arena *arena, lmbi_learned_helpers *l)
{
    const size_t count = l->helper_count, frames = l->frame_count;
    l->parents = lmbi_arena_array(arena, count, sizeof *l->parents);
    l->offsets = lmbi_arena_array(arena, count, sizeof *l->offsets);
    l->radii = lmbi_arena_array(arena, count, sizeof *l->radii);
    l->frames = h->g.learned;
    l->motion = lmbi_arena_array(arena, count * frames, sizeof *l->motion);
    l->influences.first = lmbi_arena_array(arena, (size_t)l->vertex_count + 1, sizeof(uint32_t));
    l->influences.items =
        lmbi_arena_array(arena, (size_t)l->vertex_count * h->g.p.influences, sizeof(lmb_influence));
    return l->parents && l->offsets && l->radii && l->motion && l->influences.first &&
           l->influences.items;
}

static void *copy_helpers(lmbi_block *block, const void *definition)
{
    const lmbi_learned_helpers *def = definition;
    lmbi_learned_helpers copy = *def, *made = lmbi_block_array(block, def, 1, sizeof *def);
    const size_t count = def->helper_count, n = def->vertex_count, frames = def->frame_count;
    copy.parents = lmbi_block_array(block, def->parents, count, sizeof *def->parents);
    copy.offsets = lmbi_block_array(block, def->offsets, count, sizeof *def->offsets);
    copy.radii = lmbi_block_array(block, def->radii, count, sizeof *def->radii);
    copy.frames = lmbi_block_array(block, def->frames, frames, sizeof *def->frames);
    copy.motion = lmbi_block_array(block, def->motion, count * frames, sizeof *def->motion);
    copy.influences.first =
        lmbi_block_array(block, def->influences.first, n + 1, sizeof *def->influences.first);
    copy.influences.items = lmbi_block_array(block, def->influences.items, def->influences.first[n],
                                             sizeof *def->influences.items);
    if (made) {
        *made = copy;
    }
    return made;
}

lmb_result lmbi_helping_result(lmbi_helping *h, const lmb_allocator *alloc,
                               lmbi_learned_helpers **out, lmb_error *error)
{
    const lmbi_learn *p = &h->g.p;
    lmbi_arena *arena = &h->g.p.arena;
    lmbi_learned_helpers def = {.helper_count = p->bone_count - h->given,
                                .frame_count = p->frame_count,
                                .vertex_count = count_vertices(h->g.bound.character),
                                .allocator = alloc ? *alloc : (lmb_allocator){0}};
    double *mass = lmbi_arena_array(arena, h->given, sizeof *mass);
    lmb_influences rows;
    if (!mass || !lmbi_learn_rows(p, arena, &rows) || !allocate(h, arena, &def)) {
        return lmbi_fail_memory(error);
    }
    const lmb_box box = lmb_box_of(h->g.def.frames[0], h->g.def.vertex_count);
    const double rms = p->size * sqrt(lmbi_learn_measure_errors(&h->g.p));
    def.rms_percent = (float)(100 * rms / (double)lmb_vec3_distance(box.low, box.high));
    write_rows(h, &rows, &def);
    const lmb_result result = write_helpers(h, &def, mass, error);
    lmbi_learned_helpers *made =
        result == LMB_OK ? lmbi_block_build(copy_helpers, &def, alloc) : NULL;
    if (result == LMB_OK && !made) {
        return lmbi_fail_memory(error);
    }
    *out = made ? made : *out;
    return result;
}

void lmbi_learned_helpers_destroy(lmbi_learned_helpers *helpers)
{
    if (helpers) {
        const lmb_allocator alloc = helpers->allocator;
        lmbi_free(&alloc, helpers);
    }
}
