/// Which joints drive a corrective: those whose rotation bends the region that it moves.
#include "author/correct.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "math/math.h"

/// Least fraction of the bending of the joint that bends most.
static const double LEAST_SHARE = 0.05;
/// Least rotation since rest, radians.
static const float LEAST_ANGLE = 0.02f;

static float angle_since_rest(const lmbi_correction *c, const lmbi_corrective *k, uint32_t joint)
{
    const lmb_quat rest = c->character->skeleton->rest[joint].rotation;
    const float cosine = fminf(fabsf(lmb_quat_dot(rest, k->local[joint].rotation)), 1);
    return 2 * lmbi_acos(cosine);
}

/// Adds a vertex's weights to its joints and all above them: what of it each subtree moves.
static void sum_subtrees(const lmb_skeleton *skeleton, const lmb_influences *in, uint32_t vertex,
                         const uint32_t *joints, double *moved)
{
    for (uint32_t k = in->first[vertex]; k < in->first[vertex + 1]; ++k) {
        int32_t j = (int32_t)joints[in->items[k].joint];
        for (; j != LMB_NONE; j = skeleton->parents[j]) {
            moved[j] += (double)in->items[k].weight;
        }
    }
}

const char *lmbi_correct_name(lmbi_correction *c, const char *given, const char *prefix,
                              uint32_t number)
{
    char name[64];
    lmbi_format(name, sizeof name, "%s %u", prefix ? prefix : "corrective", number);
    return given ? given : lmbi_arena_string(&c->arena, name, strlen(name));
}

void lmbi_correct_bending(const lmbi_correction *c, const lmb_vec3 *displacements, double *moved,
                          double *bend)
{
    const lmb_character *ch = c->character;
    const uint32_t joints = ch->skeleton->joint_count;
    for (uint32_t i = 0; i < ch->instance_count; ++i) {
        const lmb_mesh *mesh = ch->meshes[ch->instances[i].mesh];
        const bool skinned = ch->instances[i].skin != LMB_NONE && mesh->influences.first;
        for (uint32_t v = 0; skinned && v < mesh->vertex_count; ++v) {
            const lmb_vec3 d = displacements[c->first_vertex[i] + v];
            const double square = (double)lmb_vec3_dot(d, d);
            if (!(square > 0)) {
                continue;
            }
            memset(moved, 0, joints * sizeof *moved);
            sum_subtrees(ch->skeleton, &mesh->influences, v,
                         ch->skins[ch->instances[i].skin]->joints, moved);
            for (uint32_t j = 0; j < joints; ++j) {
                bend[j] += square * fmin(moved[j], fmax(1 - moved[j], 0));
            }
        }
    }
}

static lmb_result find_drivers(const lmbi_correction *c, lmbi_corrective *k, double *moved,
                               double *bend, lmb_error *error)
{
    const uint32_t joints = c->character->skeleton->joint_count;
    double most = 0;
    uint32_t count = 0;
    memset(bend, 0, joints * sizeof *bend);
    lmbi_correct_bending(c, k->displacements, moved, bend);
    for (uint32_t j = 0; j < joints; ++j) {
        bend[j] = angle_since_rest(c, k, j) > LEAST_ANGLE ? bend[j] : 0;
        most = fmax(most, bend[j]);
    }
    for (uint32_t j = 0; j < joints; ++j) {
        k->drives[j] = bend[j] > 0 && bend[j] >= LEAST_SHARE * most;
        count += k->drives[j];
    }
    return count > 0
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "a pose whose joints bend what was sculpted",
                           "sculpt %u at %g s, where none does", (unsigned)(k - c->correctives),
                           k->sculpt->time_s);
}

static bool share_a_driver(const lmbi_correction *c, uint32_t a, uint32_t b)
{
    bool shared = false;
    for (uint32_t j = 0; j < c->character->skeleton->joint_count; ++j) {
        shared = shared || (c->correctives[a].drives[j] && c->correctives[b].drives[j]);
    }
    return shared;
}

/// Gives the sculpts with common joints, also through others, one group and all its drivers.
static void form_groups(lmbi_correction *c)
{
    const uint32_t joints = c->character->skeleton->joint_count;
    for (uint32_t k = 0; k < c->count; ++k) {
        c->correctives[k].group = k;
    }
    for (uint32_t a = 0; a < c->count; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            const uint32_t from = c->correctives[a].group, to = c->correctives[b].group;
            for (uint32_t k = 0; from != to && share_a_driver(c, a, b) && k < c->count; ++k) {
                c->correctives[k].group =
                    c->correctives[k].group == from ? to : c->correctives[k].group;
            }
        }
    }
    for (uint32_t a = 0; a < c->count; ++a) {
        for (uint32_t b = 0; b < c->count; ++b) {
            const bool together = c->correctives[a].group == c->correctives[b].group;
            for (uint32_t j = 0; together && j < joints; ++j) {
                c->correctives[a].drives[j] =
                    c->correctives[a].drives[j] || c->correctives[b].drives[j];
            }
        }
    }
}

/// Numbers the groups without gaps, in order of their first sculpts.
static void number_groups(lmbi_correction *c)
{
    c->group_count = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        if (c->correctives[k].group >= c->count) {
            continue; // numbered with an earlier sculpt
        }
        const uint32_t old = c->correctives[k].group;
        for (uint32_t b = k; b < c->count; ++b) {
            if (c->correctives[b].group == old) {
                c->correctives[b].group = c->count + c->group_count;
            }
        }
        ++c->group_count;
    }
    for (uint32_t k = 0; k < c->count; ++k) {
        c->correctives[k].group -= c->count;
    }
}

lmb_result lmbi_correct_drivers(lmbi_correction *c, lmb_error *error)
{
    const uint32_t joints = c->character->skeleton->joint_count;
    double *moved = lmbi_arena_array(&c->arena, joints, sizeof *moved);
    double *bend = lmbi_arena_array(&c->arena, joints, sizeof *bend);
    if (!moved || !bend) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < c->count; ++k) {
        const lmb_result result = find_drivers(c, &c->correctives[k], moved, bend, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    form_groups(c);
    number_groups(c);
    return LMB_OK;
}
