// Made bodies of every kind, told apart by shape alone: kinds_bench [BODIES [FIRST [KIND]]]
// Each body has its own proportions and pose, between 1 000 and 20 000 triangles, noise on its
// surface, an up axis, a direction it looks to and a size from 0.01 to 100. One JSON object a kind
// and one for all; lines on stderr name the bodies that come out wrong. Without arguments 504.
// Humans whose limbs touch are kinds of their own, looked at when they are named: down, hips,
// thighs (arms at the sides, hands there), together (thighs touch); so are bipeds. VARIED=1: of other
// builds than the usual ones too.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bodies/bodies.h"
#include "limber/limber.h"

static const struct {
    const char *name;
    lmb_made_body_kind body;
    lmb_skeleton_kind skeleton;
    lmb_made_body_pose pose;
    bool together;
} kinds[] = {
    {"human", LMB_MADE_HUMANOID, LMB_SKELETON_HUMAN},
    {"quadruped", LMB_MADE_QUADRUPED, LMB_SKELETON_QUADRUPED},
    {"bird", LMB_MADE_BIRD, LMB_SKELETON_BIRD},
    {"hand", LMB_MADE_HAND, LMB_SKELETON_HAND},
    {"fish", LMB_MADE_FISH, LMB_SKELETON_FISH},
    {"snake", LMB_MADE_SNAKE, LMB_SKELETON_SNAKE},
    {"spider", LMB_MADE_SPIDER, LMB_SKELETON_SPIDER},
    {"biped", LMB_MADE_BIPED, LMB_SKELETON_BIPED},
    {"down", LMB_MADE_HUMANOID, LMB_SKELETON_HUMAN, LMB_MADE_POSE_DOWN},
    {"hips", LMB_MADE_HUMANOID, LMB_SKELETON_HUMAN, LMB_MADE_POSE_HIPS},
    {"thighs", LMB_MADE_HUMANOID, LMB_SKELETON_HUMAN, LMB_MADE_POSE_THIGHS},
    {"together", LMB_MADE_HUMANOID, LMB_SKELETON_HUMAN, LMB_MADE_POSE_T, true},
};
enum { KINDS = 7, POSED_KINDS = sizeof kinds / sizeof kinds[0], NAMES = 64 };

static bool varied;
enum { NAME_SIZE = 32 };

typedef struct tally {
    uint32_t made, right, swapped, turned;
    double error_sum, seconds; ///< of mean joint errors, in longest sides
    double worst;              ///< joint of all
    double surest_wrong;       ///< the highest confidence of a wrong one
    uint32_t name_count;
    char names[NAMES][NAME_SIZE]; ///< of joints, left and right as one, and the error of each
    double sums[NAMES];
    uint32_t counts[NAMES];
} tally;

static lmb_quat any_stance(lmb_random *r)
{
    const float turn = lmb_random_unit(r) < 0.5f
                           ? 0.5f * LMB_PI * (float)(int)(4 * lmb_random_unit(r))
                           : lmb_random_range(r, -0.4f, 0.4f);
    const lmb_quat yaw = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), turn);
    const lmb_quat lie = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 0.5f * LMB_PI);
    return lmb_random_unit(r) < 0.35f ? lmb_quat_mul(lie, yaw) : yaw;
}

/// Turns, scales and roughens the body; the truth goes along. The longest side.
static float disguise(lmb_made_body *body, lmb_random *r)
{
    lmb_mesh *mesh = body->character->meshes[0];
    const lmb_quat stance = any_stance(r);
    const float scale = lmb_exp(lmb_random_range(r, -4.6f, 4.6f));
    const lmb_vec3 shift = {lmb_random_range(r, -1, 1), lmb_random_range(r, -1, 1),
                            lmb_random_range(r, -1, 1)};
    const lmb_box before = lmb_box_of(mesh->positions, mesh->vertex_count);
    const lmb_vec3 d = lmb_vec3_sub(before.high, before.low);
    const float size = fmaxf(d.x, fmaxf(d.y, d.z)), noise = 0.003f * lmb_random_unit(r) * size;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const lmb_vec3 p =
            lmb_vec3_mad(mesh->positions[v], mesh->normals[v], lmb_random_range(r, -noise, noise));
        mesh->positions[v] = lmb_vec3_add(lmb_vec3_scale(lmb_quat_rotate(stance, p), scale), shift);
    }
    body->facing = lmb_quat_rotate(stance, body->facing);
    body->up = lmb_quat_rotate(stance, body->up);
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        body->positions[j] =
            lmb_vec3_add(lmb_vec3_scale(lmb_quat_rotate(stance, body->positions[j]), scale), shift);
    }
    return size * scale;
}

static int32_t joint_named(const lmb_embedding *e, const char *name)
{
    for (uint32_t k = 0; k < e->joint_count; ++k) {
        if (strcmp(e->names[k], name) == 0) {
            return (int32_t)k;
        }
    }
    return LMB_NONE;
}

/// "leftHand" and "rightHand" are one.
static const char *without_side(const char *name)
{
    return strncmp(name, "left", 4) == 0    ? name + 4
           : strncmp(name, "right", 5) == 0 ? name + 5
                                            : name;
}

static void add_error(tally *t, const char *full_name, double error)
{
    const char *name = without_side(full_name);
    uint32_t n = 0;
    while (n < t->name_count && strcmp(t->names[n], name) != 0) {
        ++n;
    }
    if (n == NAMES) {
        return;
    }
    if (n == t->name_count) {
        snprintf(t->names[t->name_count++], NAME_SIZE, "%s", name);
    }
    t->sums[n] += error;
    ++t->counts[n];
}

/// Whether the joints of one side lie nearer to the truth of the other.
static bool is_swapped(const lmb_made_body *body, const lmb_embedding *e)
{
    double own = 0, other = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        const char *name = body->names[j];
        char twin[NAME_SIZE + 8];
        snprintf(twin, sizeof twin, "%s%s", name[0] == 'l' ? "right" : "left", without_side(name));
        const int32_t a = joint_named(e, name), b = joint_named(e, twin);
        if (without_side(name) != name && a >= 0 && b >= 0) {
            own += (double)lmb_vec3_distance(body->positions[j], e->joints[a]);
            other += (double)lmb_vec3_distance(body->positions[j], e->joints[b]);
        }
    }
    return own > other;
}

/// Mean distance of the joints that both name, in longest sides.
static double mean_error(const lmb_made_body *body, const lmb_embedding *e, double size, tally *t)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        const int32_t k = joint_named(e, body->names[j]);
        if (k >= 0) {
            const double off = (double)lmb_vec3_distance(body->positions[j], e->joints[k]) / size;
            add_error(t, body->names[j], off);
            t->worst = off > t->worst ? off : t->worst;
            sum += off;
            ++count;
        }
    }
    return count > 0 ? sum / count : 1;
}

static void judge(int kind, uint64_t seed, tally *t)
{
    lmb_random random = lmb_random_seed(1000003 * seed + (uint64_t)kind);
    const lmb_made_body_opts opts = {
        .kind = kinds[kind].body,
        .seed = seed,
        .triangle_count = (uint32_t)(1000 * lmb_exp(lmb_random_range(&random, 0, 3))),
        .pose = kinds[kind].pose,
        .together = kinds[kind].together,
        .whole = true,
        .varied = varied};
    const char *name = kinds[kind].name;
    lmb_made_body *body = NULL;
    if (lmb_made_body_create(&opts, NULL, &body, NULL) != LMB_OK) {
        exit(1);
    }
    const float size = disguise(body, &random);
    const lmb_mesh *mesh = body->character->meshes[0];
    lmb_embedding e;
    lmb_error error = {0};
    const clock_t begun = clock();
    const lmb_result result = lmb_embed(mesh->positions, mesh->vertex_count, mesh->indices,
                                        mesh->index_count / 3, NULL, NULL, &e, &error);
    t->seconds += (double)(clock() - begun) / CLOCKS_PER_SEC;
    ++t->made;
    if (result != LMB_OK || e.kind != kinds[kind].skeleton) {
        fprintf(stderr, "%s %u: %s (%.2f)\n", name, (unsigned)seed,
                result == LMB_OK ? lmb_skeleton_kind_name(e.kind) : error.found,
                result == LMB_OK ? (double)e.overall : 0.0);
        t->surest_wrong =
            result == LMB_OK ? fmax(t->surest_wrong, (double)e.overall) : t->surest_wrong;
        lmb_made_body_destroy(body);
        return;
    }
    const double off = mean_error(body, &e, (double)size, t);
    const bool swapped = is_swapped(body, &e);
    const bool turned = e.kind != LMB_SKELETON_HAND && e.kind != LMB_SKELETON_SNAKE &&
                        lmb_vec3_dot(e.forward, body->facing) < 0.7f;
    ++t->right;
    t->swapped += swapped;
    t->turned += turned;
    t->error_sum += off;
    if (off > 0.03 || swapped || turned) {
        fprintf(stderr, "%s %u: joints off by %.1f %%%s%s (%.2f), up %.1f of 1\n", name,
                (unsigned)seed, 100 * off, swapped ? ", sides exchanged" : "",
                turned ? ", looks elsewhere" : "", (double)e.overall,
                (double)lmb_vec3_dot(e.up, body->up));
    }
    lmb_made_body_destroy(body);
}

static void tell(const char *name, const tally *t)
{
    printf("{\"bench\": \"kinds\", \"kind\": \"%s\", \"bodies\": %u, \"right_percent\": %.1f, "
           "\"joint_error_percent\": %.2f, \"worst_joint_percent\": %.1f, \"swapped\": %u, "
           "\"turned\": %u, \"surest_wrong\": %.2f, \"seconds_each\": %.2f",
           name, t->made, 100.0 * t->right / t->made, 100 * t->error_sum / fmax(t->right, 1),
           100 * t->worst, t->swapped, t->turned, t->surest_wrong, t->seconds / t->made);
    for (uint32_t n = 0; n < t->name_count; ++n) {
        printf("%s\"%s\": %.1f", n == 0 ? ", \"joints\": {" : ", ", t->names[n],
               100 * t->sums[n] / t->counts[n]);
    }
    printf("%s}\n", t->name_count > 0 ? "}" : "");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    varied = getenv("VARIED") != NULL;
    const uint64_t bodies = argc > 1 ? strtoull(argv[1], NULL, 10) : 72 * KINDS;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    tally all = {0};
    for (int k = 0; k < (argc > 3 ? POSED_KINDS : KINDS); ++k) {
        const char *name = kinds[k].name;
        if (argc > 3 && strcmp(argv[3], name) != 0) {
            continue;
        }
        tally t = {0};
        const uint64_t share = argc > 3 ? bodies : (bodies + KINDS - 1) / KINDS;
        for (uint64_t seed = first; seed < first + share; ++seed) {
            judge(k, seed, &t);
        }
        tell(name, &t);
        all.made += t.made;
        all.right += t.right;
        all.swapped += t.swapped;
        all.turned += t.turned;
        all.error_sum += t.error_sum;
        all.seconds += t.seconds;
        all.worst = fmax(all.worst, t.worst);
        all.surest_wrong = fmax(all.surest_wrong, t.surest_wrong);
    }
    if (argc <= 3) {
        tell("all", &all);
    }
    return 0;
}
