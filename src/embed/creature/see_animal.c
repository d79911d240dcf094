/// An animal as a network sees it in the whole body, and which kind of animal has the parts that are seen.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/creature/animal.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

const lmbi_animal_pair lmbi_animal_pairs[LMBI_ANIMAL_PAIRS] = {
    {LMBI_ANIMAL_HIND, 5},   {LMBI_ANIMAL_FORE, 5},  {LMBI_ANIMAL_WING, 4}, {LMBI_ANIMAL_ARM, 4},
    {LMBI_ANIMAL_MIDDLE, 4}, {LMBI_ANIMAL_THIRD, 4}, {LMBI_ANIMAL_FIN, 2},
};

int lmbi_animal_other_side(int joint)
{
    for (int p = 0; p < LMBI_ANIMAL_PAIRS; ++p) {
        const int first = lmbi_animal_pairs[p].first, count = lmbi_animal_pairs[p].count,
                  k = joint - first;
        if (k >= 0 && k < 2 * count) {
            return first + (k + count) % (2 * count);
        }
    }
    return joint;
}

// ---- parts and kinds

/// How sure a part is: the mean of these joints, on both sides where it is a pair.
static const struct {
    int joints[4], count;
} PARTS[LMBI_PARTS] = {
    [LMBI_PART_BODY] = {{LMBI_ANIMAL_CHEST, LMBI_ANIMAL_SPINE, LMBI_ANIMAL_HIPS}, 3},
    [LMBI_PART_HEAD] = {{LMBI_ANIMAL_SNOUT, LMBI_ANIMAL_HEAD}, 2},
    [LMBI_PART_TAIL] = {{LMBI_ANIMAL_TAIL, LMBI_ANIMAL_TAIL_END}, 2},
    [LMBI_PART_ENDS] = {{LMBI_ANIMAL_SNOUT, LMBI_ANIMAL_TAIL_END}, 2},
    [LMBI_PART_BACK_FIN] = {{LMBI_ANIMAL_BACK_FIN, LMBI_ANIMAL_BACK_FIN_END}, 2},
// Legs of insects have neither toes nor shoulders.
#define LEG(first, a, b, c, d)                                          \
    {                                                                   \
        {(first) + (a), (first) + (b), (first) + (c), (first) + (d)}, 4 \
    }
    [LMBI_PART_HIND] = LEG(LMBI_ANIMAL_HIND, 0, 1, 2, 4),
    [LMBI_PART_FORE] = LEG(LMBI_ANIMAL_FORE, 1, 2, 3, 4),
    [LMBI_PART_WING] = LEG(LMBI_ANIMAL_WING, 0, 1, 2, 3),
    [LMBI_PART_ARM] = LEG(LMBI_ANIMAL_ARM, 0, 1, 2, 3),
    [LMBI_PART_MIDDLE] = LEG(LMBI_ANIMAL_MIDDLE, 0, 1, 2, 3),
    [LMBI_PART_THIRD] = LEG(LMBI_ANIMAL_THIRD, 0, 1, 2, 3),
#undef LEG
    [LMBI_PART_FIN] = {{LMBI_ANIMAL_FIN, LMBI_ANIMAL_FIN + 1}, 2},
};

#define BIT(part) (1u << LMBI_PART_##part)

/// What kinds of animals have, and what they may have.
static const struct {
    lmb_skeleton_kind kind;
    uint32_t has, may;
} KINDS[] = {
    {LMB_SKELETON_QUADRUPED, BIT(BODY) | BIT(HIND) | BIT(FORE),
     BIT(HEAD) | BIT(TAIL) | BIT(WING) | BIT(ARM)},
    {LMB_SKELETON_BIPED, BIT(BODY) | BIT(HIND) | BIT(TAIL), BIT(HEAD) | BIT(ARM)},
    {LMB_SKELETON_BIRD, BIT(BODY) | BIT(WING), BIT(HEAD) | BIT(HIND) | BIT(TAIL)},
    {LMB_SKELETON_FISH, BIT(BODY) | BIT(HEAD) | BIT(TAIL), BIT(BACK_FIN) | BIT(FIN)},
    {LMB_SKELETON_SPIDER, BIT(HIND) | BIT(FORE) | BIT(MIDDLE),
     BIT(BODY) | BIT(HEAD) | BIT(TAIL) | BIT(WING) | BIT(THIRD)},
    {LMB_SKELETON_SNAKE, BIT(HEAD) | BIT(ENDS), BIT(TAIL)},
};

static float sure_of(const lmbi_seen_animal *a, int part)
{
    float sum = 0;
    for (int k = 0; k < PARTS[part].count; ++k) {
        const int joint = PARTS[part].joints[k];
        sum += 0.5f * (a->sure[joint] + a->sure[lmbi_animal_other_side(joint)]);
    }
    return sum / (float)PARTS[part].count;
}

enum { KIND_ROWS = sizeof KINDS / sizeof *KINDS };

/// How much surer the least sure part is that a kind has than the surest that it has not. Any kind may have ends.
static float clearness(const lmbi_seen_animal *a, int kind)
{
    const uint32_t may = KINDS[kind].has | KINDS[kind].may | BIT(ENDS);
    float least = 1, spare = 0;
    for (int p = 0; p < LMBI_PARTS; ++p) {
        least = KINDS[kind].has >> p & 1 ? fminf(least, a->part[p]) : least;
        spare = may >> p & 1 ? spare : fmaxf(spare, a->part[p]);
    }
    return least - spare;
}

// ---- looking

enum { MOST_LOOKS = LMBI_MOST_AXES + 8 };

/// The log odds of the kind of what is seen, by how clear it is, and of its facing, by how much clearer it is than along other
/// axes: fitted on families that the network was fitted without (tools/fit-animal.py).
static const float AT_NONE = -4.6f, PER_CLEAR = 14.15f, PER_SURER = 8.7f;

/// What is seen along all axes that were looked along.
typedef struct looks {
    lmbi_volume_network *network;
    lmbi_voxel_cache *body;
    const lmb_embed_opts *opts;
    lmbi_volume seen;
    lmbi_told told;
    bool slender;
    uint32_t count;
    lmbi_seen_animal animal[MOST_LOOKS];
    float clear[MOST_LOOKS][KIND_ROWS];
} looks;

static void find_joints(looks *l, lmbi_seen_animal *a)
{
    const float cell = l->seen.cell * LMBI_VOLUME_SIDE / LMBI_TOLD_SIDE;
    for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j) {
        lmb_vec3 p;
        a->sure[j] = lmbi_told_joint(l->told.odds[j], &p);
        a->at[j] = lmbi_from_axes(lmb_vec3_mad(l->seen.low, p, cell), a->axes);
    }
}

static bool is_seen(const looks *l, const lmb_vec3 axes[3])
{
    const float same = 0.999f;
    bool seen = false;
    for (uint32_t k = 0; k < l->count; ++k) {
        seen = seen || (lmb_vec3_dot(l->animal[k].axes[1], axes[1]) > same &&
                        lmb_vec3_dot(l->animal[k].axes[2], axes[2]) > same);
    }
    return seen;
}

/// Finds the parts in what is told and how clear each kind is, less where bodies seldom stand so; returns the most.
static float find_parts(looks *l, lmbi_seen_animal *a, float clear[KIND_ROWS])
{
    float most = -1;
    find_joints(l, a);
    for (int p = 0; p < LMBI_PARTS; ++p) {
        a->part[p] = sure_of(a, p);
    }
    for (int k = 0; k < KIND_ROWS; ++k) {
        clear[k] = clearness(a, k) + lmbi_up_prior(l->opts, a->axes[1]) / PER_CLEAR;
        most = fmaxf(most, clear[k]);
    }
    return most;
}

/// Adds the mirror image to what is told, and halves the sum.
static void add_mirror_image(looks *l)
{
    lmbi_volume_network_add(l->network, &l->seen, lmbi_animal_other_side, &l->told);
    for (int k = 0; k < LMBI_ANIMAL_JOINTS * LMBI_TOLD_VOXELS; ++k) {
        l->told.odds[k / LMBI_TOLD_VOXELS][k % LMBI_TOLD_VOXELS] *= 0.5f;
    }
}

/// Looks along axes and, where there may be an animal, at the mirror image.
static lmb_result look_along(looks *l, const lmb_vec3 axes[3], lmb_error *error)
{
    if (l->count == MOST_LOOKS || is_seen(l, axes)) {
        return LMB_OK;
    }
    // An animal that is less clear is hopeless, unless that is what is told.
    const float faint = l->opts->kind == LMB_SKELETON_AUTO ? 0.05f : -1;
    lmbi_seen_animal *a = &l->animal[l->count];
    float *clear = l->clear[l->count];
    const lmb_result result = lmbi_volume_of_whole(l->body, axes, &l->seen, error);
    if (result != LMB_OK) {
        return result;
    }
    memcpy(a->axes, axes, sizeof a->axes);
    memset(&l->told, 0, sizeof l->told);
    lmbi_volume_network_add(l->network, &l->seen, NULL, &l->told);
    if (find_parts(l, a, clear) > faint) {
        add_mirror_image(l);
        find_parts(l, a, clear);
    }
    ++l->count;
    return LMB_OK;
}

// ---- the likeliest

/// Snakes are slimmer than this, most bodies with limbs less (hands 5, humans 7), and have no limbs: at most so many tips,
/// with branches of this length.
static const float SLENDER = 10, BRANCH = 0.1f;
enum { ENDS = 3 };

static bool is_slender(const lmbi_body_shape *coarse)
{
    return lmbi_body_slimness(&coarse->body) > SLENDER &&
           (coarse->tip_count <= ENDS || coarse->tips[ENDS].length < BRANCH);
}

/// The clearest of the wanted kinds.
static void choose(const looks *l, lmb_skeleton_kind wanted, lmbi_seen_animal *out)
{
    uint32_t best = 0;
    int kind = -1, next = -1;
    float other = -1, elsewhere = -1;
    for (uint32_t k = 0; k < l->count; ++k) {
        for (int row = 0; row < KIND_ROWS; ++row) {
            const bool fits = (wanted == LMB_SKELETON_AUTO || wanted == KINDS[row].kind) &&
                              (l->slender || KINDS[row].kind != LMB_SKELETON_SNAKE);
            if (fits && (kind < 0 || l->clear[k][row] > l->clear[best][kind])) {
                best = k;
                kind = row;
            }
        }
    }
    out->chance = -1;
    if (kind < 0) {
        return;
    }
    for (uint32_t k = 0; k < l->count; ++k) {
        for (int row = 0; row < KIND_ROWS; ++row) {
            const bool same = KINDS[row].kind == KINDS[kind].kind;
            next = !same && l->clear[k][row] > other ? row : next;
            other = same ? other : fmaxf(other, l->clear[k][row]);
            elsewhere = same && k != best ? fmaxf(elsewhere, l->clear[k][row]) : elsewhere;
        }
    }
    const float clear = l->clear[best][kind];
    *out = l->animal[best];
    out->kind = KINDS[kind].kind;
    out->has = KINDS[kind].has;
    out->next = lmbi_logistic(AT_NONE + PER_CLEAR * other) > LMBI_HOPELESS_ANIMAL
                    ? KINDS[next].kind
                    : LMB_SKELETON_GENERIC;
    out->chance = lmbi_logistic(AT_NONE + PER_CLEAR * clear);
    out->facing = lmbi_logistic(PER_SURER * (clear - elsewhere));
}

static lmb_result look_along_all(looks *l, const lmb_vec3 axes[][3], uint32_t count,
                                 lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < count && result == LMB_OK; ++k) {
        result = look_along(l, axes[k], error);
    }
    return result;
}

lmb_result lmbi_find_animal(lmbi_volume_network *network, lmbi_voxel_cache *body,
                            const lmb_embed_opts *opts, lmbi_seen_animal *out, lmb_error *error)
{
    const float likely = 0.5f;
    lmb_vec3 axes[LMBI_MOST_AXES][3];
    const lmbi_body_shape *coarse;
    looks *l = lmbi_alloc_array(body->alloc, 1, sizeof *l);
    *out = (lmbi_seen_animal){.chance = -1};
    if (!l) {
        return lmbi_fail_memory(error);
    }
    l->network = network;
    l->body = body;
    l->opts = opts;
    lmb_result result = lmbi_voxel_cache_get(body, LMBI_VOXELS_COARSE, &coarse, error);
    l->slender = result == LMB_OK && is_slender(coarse);
    result = result != LMB_OK ? result
                              : look_along_all(l, (const lmb_vec3(*)[3])axes,
                                               lmbi_standing_axes(opts, axes), error);
    if (result == LMB_OK) {
        choose(l, opts->kind, out);
        out->stands = true;
    }
    if (result == LMB_OK && out->chance < likely) {
        result = look_along_all(l, (const lmb_vec3(*)[3])axes,
                                lmbi_mirror_axes(&coarse->body, opts, axes), error);
        if (result == LMB_OK) {
            choose(l, opts->kind, out);
        }
    }
    lmbi_free(body->alloc, l);
    return result;
}
