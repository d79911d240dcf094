/// Heat that flows over a mesh from one joint's bones: what bone heat weights are when all has settled.
#include "live.h"
#include "live_exports.h"
#include "live_lesson.h"

#include "base/arena.h"
#include "geometry/laplacian.h"
#include "rig/heat.h"
#include "rig/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// c of H = c / d^2, as lmb_weights_opts has it.
static const double HEAT = 2.5;

static struct {
    int handle;                                  ///< 0: nothing flows
    uint32_t surface_count, vertex_count, first; ///< the mesh's vertices among those of all
    uint32_t *vertex_of;
    double *mass, *source; ///< [surface_count] A, and t A H p
    double *warmth;        ///< [surface_count] w
    float *shown;          ///< [vertex_count]
    lmbi_factor *factor;
} flow;

static void end_flow(void)
{
    lmbi_factor_destroy(flow.factor);
    free(flow.vertex_of);
    free(flow.mass);
    free(flow.source);
    free(flow.warmth);
    free(flow.shown);
    memset(&flow, 0, sizeof flow);
}

void live_lesson_heat_free(int handle)
{
    if (flow.handle == handle) {
        end_flow();
    }
}

static bool make_flow_room(const lmb_surface *surface, uint32_t vertex_count)
{
    flow.surface_count = surface->vertex_count;
    flow.vertex_count = vertex_count;
    flow.vertex_of = live_room(vertex_count, sizeof *flow.vertex_of);
    flow.mass = live_room(surface->vertex_count, sizeof *flow.mass);
    flow.source = live_room(surface->vertex_count, sizeof *flow.source);
    flow.warmth = live_room(surface->vertex_count, sizeof *flow.warmth);
    flow.shown = live_room(vertex_count, sizeof *flow.shown);
    if (!flow.vertex_of || !flow.mass || !flow.source || !flow.warmth || !flow.shown) {
        return false;
    }
    memcpy(flow.vertex_of, surface->vertex_of + flow.first, vertex_count * sizeof *flow.vertex_of);
    memset(flow.warmth, 0, surface->vertex_count * sizeof *flow.warmth);
    return true;
}

/// A H of a vertex: how fast it takes the warmth of the bones next to it.
static double intake(const lmbi_heat_source *source, double area, double size)
{
    const double least = 1e-5 * size,
                 d = (double)source->distance > least ? (double)source->distance : least;
    return source->seen ? HEAT * source->tie_count * area / (d * d) : 0;
}

/// The weight of the joint among the nearest bones of a vertex: 0, 1, or a fraction where several are as near.
static double fraction(const lmbi_heat *heat, const lmbi_heat_source *source, uint32_t joint)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < source->tie_count; ++k) {
        count += heat->joint_of_slot[source->joints[k]] == joint;
    }
    return source->tie_count > 0 ? (double)count / source->tie_count : 0;
}

/// A + t (L + A H), and what its right-hand side is made of. Areas count in squares of the mesh's size.
static lmb_result assemble(const lmbi_heat *heat, uint32_t joint, double seconds, lmb_error *error)
{
    lmbi_laplacian *laplacian = NULL;
    lmb_result result = lmbi_laplacian_create(heat->surface, heat->around, NULL, &laplacian, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_sparse *m = &laplacian->matrix;
    const double size = (double)heat->size, unit = size > 0 ? 1 / (size * size) : 1;
    for (uint32_t k = 0; k < m->first[m->size]; ++k) {
        m->values[k] *= seconds;
    }
    for (uint32_t v = 0; v < m->size; ++v) {
        const lmbi_heat_source *source = &heat->sources[v];
        const double in = seconds * intake(source, laplacian->areas[v], size);
        flow.mass[v] = laplacian->areas[v] * unit + 1e-12;
        flow.source[v] = in * fraction(heat, source, joint);
        m->values[m->first[v]] += flow.mass[v] + in;
    }
    result = lmbi_factor_create(m, NULL, NULL, &flow.factor, error);
    lmbi_laplacian_destroy(laplacian);
    return result;
}

static lmb_result prepare(const lmb_surface *surface, const lmbi_bones *bones, uint32_t joint,
                          double seconds, lmb_error *error)
{
    lmbi_heat heat = {
        .surface = surface, .bones = bones, .opts = {.heat = (float)HEAT, .influences = 4}};
    lmbi_arena_init(&heat.arena, NULL);
    lmb_result result = lmbi_heat_prepare(&heat, error);
    if (result == LMB_OK) {
        result = lmbi_heat_sources(&heat, error);
    }
    if (result == LMB_OK) {
        result = assemble(&heat, joint, seconds, error);
    }
    lmbi_heat_end(&heat);
    return result;
}

/// Marks the joints that meshes follow; bones of others give no heat.
static uint8_t *deforming(const lmb_character *character)
{
    uint8_t *deforms = live_room(character->skeleton->joint_count, 1);
    if (deforms != NULL) {
        lmbi_character_deforming(character, deforms);
    }
    return deforms;
}

static lmb_result start_on(const live_character *live, uint32_t mesh, uint32_t joint,
                           double seconds, lmb_error *error)
{
    const lmb_character *c = live->character;
    lmb_surface *surface = NULL;
    lmbi_bones *bones = NULL;
    uint8_t *deforms = deforming(c);
    lmb_result result =
        deforms ? lmb_character_surface(c, NULL, &surface, error) : LMB_ERROR_MEMORY;
    if (result == LMB_OK) {
        result = lmbi_bones_create(
            &(lmbi_bones_def){.skeleton = c->skeleton, .deforms = deforms, .surface = surface},
            NULL, &bones, error);
    }
    for (uint32_t k = 0; k < mesh; ++k) {
        flow.first += c->meshes[c->instances[k].mesh]->vertex_count;
    }
    if (result == LMB_OK) {
        const bool room = make_flow_room(surface, c->meshes[c->instances[mesh].mesh]->vertex_count);
        result = room ? prepare(surface, bones, joint, seconds, error) : LMB_ERROR_MEMORY;
    }
    lmbi_bones_destroy(bones);
    lmb_surface_destroy(surface);
    free(deforms);
    return result;
}

EXPORT(limber_lesson_heat_begin)
int limber_lesson_heat_begin(int handle, uint32_t mesh, uint32_t joint, float seconds)
{
    const live_character *live = live_find_joint(handle, joint);
    lmb_error error = {0};
    if (live == NULL || limber_mesh_primitive(handle, mesh, 0) == NULL) {
        return 0;
    }
    if (!(seconds > 0 && isfinite(seconds))) {
        return live_fail("expected seconds above 0");
    }
    end_flow();
    const lmb_result result = start_on(live, mesh, joint, (double)seconds, &error);
    if (result != LMB_OK) {
        end_flow();
        return result == LMB_ERROR_MEMORY ? live_fail("out of memory")
                                          : live_fail_call("the heat", &error);
    }
    flow.handle = handle;
    return 1;
}

EXPORT(limber_lesson_heat_step) const float *limber_lesson_heat_step(int handle)
{
    lmb_error error = {0};
    if (live_find(handle) == NULL) {
        return NULL;
    }
    if (flow.handle != handle) {
        (void)live_fail("limber_lesson_heat_begin comes first");
        return NULL;
    }
    for (uint32_t v = 0; v < flow.surface_count; ++v) {
        flow.warmth[v] = flow.mass[v] * flow.warmth[v] + flow.source[v];
    }
    if (lmbi_factor_solve(flow.factor, flow.warmth, 1, NULL, &error) != LMB_OK) {
        (void)live_fail_call("the heat", &error);
        return NULL;
    }
    for (uint32_t v = 0; v < flow.vertex_count; ++v) {
        flow.shown[v] = (float)flow.warmth[flow.vertex_of[v]];
    }
    return flow.shown;
}
