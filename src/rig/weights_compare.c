/// How far weights made anew are from those that a character came with.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/bind_pose.h"
#include "rig/rig.h"
#include "rig/weights_rows.h"

/// A painted weight this near to the largest of its row is as good a first joint.
static const float FIRST_TIE = 1e-4f;

typedef struct compare {
    const lmb_character *character;
    const lmb_surface *surface;
    const lmb_weights *given;
    uint32_t joint_count;
    float *painted, *made; ///< [joint_count] one row
    double *moved;         ///< [joint_count][joint_count] from painted to given
    float *errors;         ///< [count] of the vertices that have painted rows
    uint32_t count, same;
    double sum;
} compare;

/// The painted row, made to sum to 1; false where there is none.
static bool read_painted(compare *c, uint32_t instance, uint32_t v)
{
    const lmb_mesh *mesh = c->character->meshes[c->character->instances[instance].mesh];
    const uint32_t *joints = c->character->skins[c->character->instances[instance].skin]->joints;
    float sum = 0;
    memset(c->painted, 0, c->joint_count * sizeof *c->painted);
    for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
        const lmb_influence *in = &mesh->influences.items[k];
        if (in->weight > 0) {
            c->painted[joints[in->joint]] += in->weight;
            sum += in->weight;
        }
    }
    for (uint32_t j = 0; sum > 0 && j < c->joint_count; ++j) {
        c->painted[j] /= sum;
    }
    return sum > 0;
}

/// Whether the given row's first joint is one that the painted row has first.
static bool first_agrees(const compare *c)
{
    uint32_t first = 0;
    float most = 0;
    for (uint32_t j = 0; j < c->joint_count; ++j) {
        first = c->made[j] > c->made[first] ? j : first;
        most = c->painted[j] > most ? c->painted[j] : most;
    }
    return c->painted[first] >= most - FIRST_TIE;
}

/// Adds what went from joint to joint: what left several joints for several others is shared out.
/// Returns the sum of the differences.
static float add_moved(const compare *c)
{
    float gone = 0, sum = 0;
    for (uint32_t j = 0; j < c->joint_count; ++j) {
        const float d = c->painted[j] - c->made[j];
        gone += d > 0 ? d : 0;
        sum += fabsf(d);
    }
    for (uint32_t j = 0; j < c->joint_count; ++j) {
        const float from = c->painted[j] - c->made[j];
        for (uint32_t k = 0; from > 0 && k < c->joint_count; ++k) {
            const float to = c->made[k] - c->painted[k];
            c->moved[(size_t)j * c->joint_count + k] +=
                to > 0 ? 2 * (double)from * (double)to / (double)gone : 0;
        }
    }
    return sum;
}

static float compare_vertex(compare *c, uint32_t welded)
{
    const lmb_influences *rows = &c->given->influences;
    memset(c->made, 0, c->joint_count * sizeof *c->made);
    for (uint32_t k = rows->first[welded]; k < rows->first[welded + 1]; ++k) {
        c->made[rows->items[k].joint] += rows->items[k].weight;
    }
    c->same += first_agrees(c) ? 1 : 0;
    return add_moved(c);
}

static void compare_rows(compare *c, float *all)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->character->instance_count; ++i) {
        const uint32_t n = c->character->meshes[c->character->instances[i].mesh]->vertex_count;
        for (uint32_t v = 0; v < n; ++v) {
            const bool has = lmbi_is_skinned(c->character, i) && read_painted(c, i, v);
            const float off = has ? compare_vertex(c, c->surface->vertex_of[first + v]) : 0;
            if (has) {
                c->errors[c->count++] = off;
                c->sum += (double)off;
            }
            if (all) {
                all[first + v] = has ? off : -1;
            }
        }
        first += n;
    }
}

/// The largest of what moved, and takes it out.
static void list_moved(compare *c, lmb_weights_score *out)
{
    const size_t pairs = (size_t)c->joint_count * c->joint_count;
    while (out->moved_count < LMB_WEIGHTS_MOVED) {
        size_t most = 0;
        for (size_t k = 1; k < pairs; ++k) {
            most = c->moved[k] > c->moved[most] ? k : most;
        }
        if (!(c->moved[most] > 0)) {
            return;
        }
        out->moved[out->moved_count++] = (lmb_weights_moved){(uint32_t)(most / c->joint_count),
                                                             (uint32_t)(most % c->joint_count),
                                                             (float)(c->moved[most] / c->count)};
        c->moved[most] = 0;
    }
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median_of(float *values, uint32_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : 0.5f * (values[count / 2 - 1] + values[count / 2]);
}

lmb_result lmb_weights_compare(const lmb_character *character, const lmb_surface *surface,
                               const lmb_weights *given, const lmb_allocator *alloc,
                               lmb_weights_score *out, float *errors, lmb_error *error)
{
    const uint32_t n = character->skeleton->joint_count;
    compare c = {.character = character, .surface = surface, .given = given, .joint_count = n};
    c.painted = lmbi_alloc_array(alloc, n, sizeof *c.painted);
    c.made = lmbi_alloc_array(alloc, n, sizeof *c.made);
    c.moved = lmbi_alloc_array(alloc, (size_t)n * n, sizeof *c.moved);
    c.errors = lmbi_alloc_array(alloc, surface->part_vertex_count, sizeof *c.errors);
    lmb_result result =
        c.painted && c.made && c.moved && c.errors ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        compare_rows(&c, errors);
        if (c.count == 0) {
            result = lmbi_fail(error, LMB_ERROR_INVALID, "a character with weights to compare with",
                               "no vertex that has any");
        }
    }
    if (result == LMB_OK) {
        *out = (lmb_weights_score){.vertex_count = c.count,
                                   .l1_mean = (float)(c.sum / c.count),
                                   .first_joint_share = (float)c.same / (float)c.count};
        list_moved(&c, out);
        out->l1_median = median_of(c.errors, c.count);
    }
    lmbi_free(alloc, c.errors);
    lmbi_free(alloc, c.moved);
    lmbi_free(alloc, c.made);
    lmbi_free(alloc, c.painted);
    return result;
}

lmb_result lmb_weights_again(const lmb_character *character, const lmb_weights_opts *opts,
                             const lmb_allocator *alloc, lmb_surface **out_surface,
                             lmb_weights **out, lmb_error *error)
{
    lmb_surface *surface;
    lmbi_bones *bones;
    lmb_result result = lmbi_own_bones(character, NULL, alloc, &surface, &bones, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmbi_weights_create(surface, bones, opts, alloc, out, NULL, error);
    lmbi_bones_destroy(bones);
    if (result == LMB_OK) {
        *out_surface = surface;
    } else {
        lmb_surface_destroy(surface);
    }
    return result;
}
