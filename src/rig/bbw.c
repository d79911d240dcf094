/// Bounded biharmonic weights of a surface: solved on a lattice inside its volume, then sampled at
/// the vertices.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/heat.h"
#include "rig/lattice.h"
#include "rig/ownership.h"

/// Voxels along the longest side; most solid voxels; most lattice nodes.
enum { ACROSS = 160, MOST_SOLID = 400000, NODES = 7000 };
/// A lattice cell is a whole number of voxels wide, so the node count can stay well below NODES.
/// Voxels are then made smaller, STEP at a time up to MOST_ACROSS, while the expected node count
/// stays below this fraction of NODES.
enum { STEP = 8, MOST_ACROSS = 224 };
static const float FILLED = 0.85f;
/// Weights are sampled below the vertex, at this fraction of its medial depth: closer to painted
/// weights than a sample at the skin, and clear of what touches the skin.
static const float DEPTH = 0.5f;

typedef struct weigher {
    lmbi_heat *heat;
    lmbi_solid solid;
    lmbi_cube_lattice lattice;
    lmbi_biharmonic_constraint *constraints;
    uint32_t constraint_count;
    uint8_t *hinged;
    float *weights; ///< [node][slot]
} weigher;

/// Sorts by node, then slot; each list of a bone is nearly so already.
static void sort_constraints(lmbi_biharmonic_constraint *constraints, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t k = gap; k < count; ++k) {
            const lmbi_biharmonic_constraint moving = constraints[k];
            uint32_t at = k;
            for (; at >= gap && (constraints[at - gap].node > moving.node ||
                                 (constraints[at - gap].node == moving.node &&
                                  constraints[at - gap].handle > moving.handle));
                 at -= gap) {
                constraints[at] = constraints[at - gap];
            }
            constraints[at] = moving;
        }
    }
}

/// Merges the samples of a bone in one node, and normalises each node's bone weights to sum 1.
static void normalize_node_weights(weigher *w)
{
    uint32_t count = 0;
    sort_constraints(w->constraints, w->constraint_count);
    for (uint32_t k = 0; k < w->constraint_count; ++k) {
        const lmbi_biharmonic_constraint *h = &w->constraints[k];
        if (count > 0 && w->constraints[count - 1].node == h->node &&
            w->constraints[count - 1].handle == h->handle) {
            w->constraints[count - 1].weight += h->weight;
        } else {
            w->constraints[count++] = *h;
        }
    }
    w->constraint_count = count;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        double sum = 0;
        for (end = begin; end < count && w->constraints[end].node == w->constraints[begin].node;
             ++end) {
            sum += w->constraints[end].weight;
        }
        for (uint32_t k = begin; k < end; ++k) {
            w->constraints[k].weight /= sum;
        }
    }
}

static lmb_result constrain_nodes(weigher *w, lmb_error *error)
{
    lmbi_bone_voxel *bones;
    uint32_t count;
    const lmb_result result =
        lmbi_solid_bones(&w->solid, w->heat, 0.5f, &w->heat->arena, &bones, &count, error);
    if (result != LMB_OK) {
        return result;
    }
    w->constraints = lmbi_arena_array(&w->heat->arena, count, sizeof *w->constraints);
    w->hinged = lmbi_arena_array(&w->heat->arena, w->lattice.count, 1);
    if (!w->constraints || !w->hinged) {
        return lmbi_fail_memory(error);
    }
    w->constraint_count = count;
    for (uint32_t k = 0; k < count; ++k) {
        w->constraints[k] =
            (lmbi_biharmonic_constraint){w->lattice.node_of[bones[k].voxel], bones[k].slot, 1.0};
    }
    normalize_node_weights(w);
    for (uint32_t k = 0; k < w->constraint_count; ++k) {
        w->hinged[w->constraints[k].node] = w->lattice.openness[w->constraints[k].node] > 0;
    }
    return LMB_OK;
}

static lmb_result solve_weights(weigher *w, lmb_error *error)
{
    const lmbi_heat *heat = w->heat;
    const lmbi_biharmonic problem = {.laplacian = &w->lattice.laplacian,
                                     .masses = w->lattice.masses,
                                     .hinged = w->hinged,
                                     .constraints = w->constraints,
                                     .constraint_count = w->constraint_count,
                                     .handle_count = heat->slot_count,
                                     .jobs = heat->opts.jobs,
                                     .progress = heat->opts.progress};
    w->weights =
        lmbi_alloc_array(heat->alloc, (size_t)w->lattice.count * heat->slot_count, sizeof(float));
    if (!w->weights) {
        return lmbi_fail_memory(error);
    }
    lmbi_biharmonic_report report = {0};
    const lmb_result result =
        lmbi_biharmonic_solve(&problem, heat->alloc, w->weights, &report, error);
    w->heat->report.entry_count = report.entry_count;
    return result;
}

static void sample_weights(void *context, size_t begin, size_t end)
{
    const weigher *w = context;
    lmbi_heat *heat = w->heat;
    const uint32_t slots = heat->slot_count;
    for (size_t v = begin; v < end; ++v) {
        uint32_t nodes[LMBI_LATTICE_AROUND];
        float node_weights[LMBI_LATTICE_AROUND];
        lmb_influence *row = heat->rows + v * heat->row_width;
        const lmb_vec3 p =
            lmb_vec3_mad(heat->surface->positions[v], heat->normals[v], -DEPTH * heat->depths[v]);
        const uint32_t count = lmbi_lattice_around(&w->lattice, p, nodes, node_weights);
        for (uint32_t s = 0; s < slots; ++s) {
            float sum = 0;
            for (uint32_t k = 0; k < count; ++k) {
                sum += node_weights[k] * w->weights[(size_t)nodes[k] * slots + s];
            }
            const float claim = lmbi_claim(heat, s, (uint32_t)v);
            lmbi_row_insert(row, heat->row_width, s, sum * heat->strengths[s] / (claim * claim));
        }
        lmbi_row_to_one(row, heat->row_width);
    }
}

/// Voxels along the longest side for the finest lattice within NODES.
static lmb_result choose_resolution(const lmbi_heat *heat, uint32_t *across, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_solid solid;
    lmbi_cube_lattice lattice;
    lmbi_arena_init(&arena, heat->alloc);
    *across = ACROSS;
    lmb_result result = lmbi_solid_create(heat->surface, ACROSS, MOST_SOLID, &arena, &solid, error);
    if (result == LMB_OK) {
        result = lmbi_lattice_create(&solid, NODES, &arena, &lattice, error);
    }
    for (uint32_t more = ACROSS + STEP; result == LMB_OK && more <= MOST_ACROSS; more += STEP) {
        const float finer = (float)more / ACROSS, times = finer * finer * finer;
        const bool fits = times * (float)lattice.count <= FILLED * NODES &&
                          times * (float)solid.count <= FILLED * MOST_SOLID;
        *across = fits ? more : *across;
    }
    lmbi_arena_free(&arena);
    return result;
}

lmb_result lmbi_bbw_weights(lmbi_heat *heat, lmb_error *error)
{
    weigher w = {.heat = heat};
    uint32_t across;
    lmb_result result = choose_resolution(heat, &across, error);
    if (result == LMB_OK) {
        result =
            lmbi_solid_create(heat->surface, across, MOST_SOLID, &heat->arena, &w.solid, error);
    }
    if (result == LMB_OK) {
        result = lmbi_lattice_create(&w.solid, NODES, &heat->arena, &w.lattice, error);
    }
    if (result == LMB_OK) {
        result = constrain_nodes(&w, error);
    }
    if (result == LMB_OK) {
        result = solve_weights(&w, error);
    }
    if (result == LMB_OK) {
        lmb_parallel_for(heat->opts.jobs, heat->surface->vertex_count, 256, sample_weights, &w);
    }
    lmbi_free(heat->alloc, w.weights);
    return result;
}
