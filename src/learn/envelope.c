/// Multi-weight enveloping from frames: the steps in order.
#include "learn/envelope.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// ---- errors

/// Sums of squared distances from a frame: with the linear weights, and enveloped.
static void square_errors(const lmbi_enveloping *e, uint32_t frame, double sums[2])
{
    for (uint32_t v = 0; v < e->g.bound.vertex_count; ++v) {
        double terms[3][LMBI_ENVELOPE_TERMS], goal[3], scale = 0;
        lmbi_envelope_terms(e, v, frame, terms, goal);
        const double *back = e->inverses + 12 * ((size_t)frame * e->g.bound.bone_count +
                                                 e->bones[(size_t)v * LMB_ENVELOPE_INFLUENCES]);
        for (int r = 0; r < 3; ++r) {
            scale += back[r] * back[r]; // the joint's frame is in its own unit
        }
        for (uint32_t r = 0; r < 3; ++r) {
            double linear = -goal[r], enveloped = -goal[r];
            for (uint32_t k = 0; k < LMBI_ENVELOPE_TERMS; ++k) {
                linear += e->linear[(size_t)v * LMB_ENVELOPE_INFLUENCES + k / 4] * terms[r][k];
                enveloped +=
                    (double)e->coefficients[(3 * (size_t)v + r) * LMBI_ENVELOPE_TERMS + k] *
                    terms[r][k];
            }
            sums[0] += linear * linear / scale;
            sums[1] += enveloped * enveloped / scale;
        }
    }
}

static void fill_report(const lmbi_enveloping *e, lmb_learn_envelope_report *report)
{
    const lmbi_bound *b = &e->g.bound;
    const lmb_box box = lmb_box_of(e->g.def.frames[0], e->g.def.vertex_count);
    const double diagonal = (double)lmb_vec3_distance(box.low, box.high);
    double sums[2][2] = {{0, 0}, {0, 0}};
    uint32_t frames[2] = {0, 0};
    float percent[2][2];
    for (uint32_t k = 0; k < b->frames->frame_count; ++k) {
        const int out = lmbi_given_is_held_out(&e->g, k);
        square_errors(e, k, sums[out]);
        ++frames[out];
    }
    for (int out = 0; out < 2; ++out) {
        for (int k = 0; k < 2; ++k) {
            const double count = fmax((double)frames[out] * b->vertex_count, 1);
            percent[out][k] = (float)(100 * sqrt(sums[out][k] / count) / diagonal);
        }
    }
    *report = (lmb_learn_envelope_report){.frame_count = frames[0],
                                          .held_out_count = frames[1],
                                          .ridge = (float)lmbi_envelope_ridges[e->ridge],
                                          .before_percent = percent[0][0],
                                          .rms_percent = percent[0][1],
                                          .before_held_out_percent = percent[1][0],
                                          .held_out_percent = percent[1][1]};
}

// ---- the character

/// The envelope of an instance's vertices. Joints that the skin lacks have no coefficients.
static void write_envelope(const lmbi_enveloping *e, uint32_t first_vertex, uint32_t count,
                           const int32_t *number, lmb_vec4 *out)
{
    for (uint32_t v = 0; v < count; ++v) {
        const size_t from = e->g.bound.vertex_of[first_vertex + v];
        float *joints = &out[v].x;
        for (uint32_t k = 0; k < e->counts[from]; ++k) {
            const uint32_t bone = e->bones[from * LMB_ENVELOPE_INFLUENCES + k];
            const int32_t joint = number[e->g.bound.joints[bone]];
            joints[k] = joint == LMB_NONE ? 0 : (float)joint;
            for (size_t r = 0; r < 3; ++r) {
                const float *c =
                    e->coefficients + (3 * from + r) * LMBI_ENVELOPE_TERMS + 4 * (size_t)k;
                out[(1 + 3 * k + r) * count + v] =
                    joint == LMB_NONE ? (lmb_vec4){0, 0, 0, 0} : (lmb_vec4){c[0], c[1], c[2], c[3]};
            }
        }
    }
}

static lmb_result copy_mesh(void *context, uint32_t instance, uint32_t first_vertex,
                            int32_t *number, const lmb_allocator *alloc, lmb_mesh **out,
                            lmb_error *error)
{
    lmbi_enveloping *e = context;
    const lmb_character *c = e->g.bound.character;
    lmb_mesh def = *c->meshes[c->instances[instance].mesh];
    lmbi_arena *arena = &e->g.bound.arena;
    lmb_primitive *primitives = lmbi_arena_array(arena, def.primitive_count, sizeof *primitives);
    def.envelope = lmbi_arena_array(arena, def.vertex_count, LMB_ENVELOPE_SETS * sizeof(lmb_vec4));
    if (!primitives || !def.envelope) {
        return lmbi_fail_memory(error);
    }
    lmbi_given_invert_skin(c->skins[c->instances[instance].skin], c->skeleton->joint_count, number);
    write_envelope(e, first_vertex, def.vertex_count, number, def.envelope);
    for (uint32_t p = 0; p < def.primitive_count; ++p) {
        primitives[p] = def.primitives[p];
        primitives[p].attributes |= LMB_HAS_ENVELOPE;
    }
    def.primitives = primitives;
    return lmb_mesh_create(&def, alloc, out, error);
}

// ---- the whole

static lmb_result learn(lmbi_enveloping *e, const lmb_character *character,
                        const lmb_learn_frames *frames, const lmb_allocator *alloc,
                        lmb_error *error)
{
    lmb_result result = lmbi_bound_make(character, frames, alloc, &e->g.bound, error);
    if (result == LMB_OK) {
        result = lmbi_given_prepare(&e->g, 0, error);
    }
    if (result == LMB_OK) {
        result = lmbi_envelope_prepare(e, error);
    }
    if (result == LMB_OK) {
        lmbi_envelope_solve(e);
    }
    return result;
}

lmb_result lmb_learn_envelope(lmb_character **character, const lmb_learn_frames *frames,
                              const lmb_learn_envelope_opts *opts, const lmb_allocator *alloc,
                              lmb_learn_envelope_report *report, lmb_error *error)
{
    lmbi_enveloping e = {.g = {.opts = {.influences = LMB_ENVELOPE_INFLUENCES,
                                        .hold_out = opts->hold_out,
                                        .jobs = opts->jobs}}};
    lmb_learn_envelope_report made = {0};
    lmbi_arena_init(&e.g.p.arena, alloc);
    lmbi_arena_init(&e.g.bound.arena, alloc);
    lmb_result result = lmbi_given_check(frames, &e.g.opts, error);
    if (result == LMB_OK) {
        result = learn(&e, *character, frames, alloc, error);
    }
    if (result == LMB_OK) {
        fill_report(&e, &made);
        result = lmbi_given_replace(&e.g, copy_mesh, &e, alloc, character, error);
    }
    lmbi_bound_free(&e.g.bound);
    lmbi_arena_free(&e.g.p.arena);
    if (result == LMB_OK && report) {
        *report = made;
    }
    return result;
}
