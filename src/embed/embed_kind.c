/// Decides which kind of creature a triangle soup is, and embeds that kind's skeleton.
#include "base/error.h"
#include "embed/creature/chain.h"
#include "embed/human/landmarks.h"
#include "embed/reading_kind.h"

#include <math.h>

/// Hypotheses that cost more are of another kind.
static const float REFUSED = 0.9f;
/// The same limit for kinds without legs, when the user did not ask for them.
static const float UNLIKELY = 0.5f;
/// A humanoid with less confidence than SURE_HUMAN competes with the other kinds. Above
/// DOUBTFUL_HUMAN it loses only to a very close fit of another kind.
/// Below VAGUE_HUMAN it has no advantage.
static const float SURE_HUMAN = 0.65f, DOUBTFUL_HUMAN = 0.35f, VAGUE_HUMAN = 0.2f;

/// Largest slimness of a body without limbs: it is hardly longer than thick, so nothing in it
/// bends.
static const float COMPACT = 2.5f;

/// Leg lengths as fractions of the height. Shorter "legs" of a fish are fins, or the ends of the
/// tail it stands on.
static const float LONG_LEGS = 0.3f, SHORT_LEGS = 0.12f;

typedef struct search {
    const lmb_embed_opts *opts;
    const lmbi_voxel_cache *cache;
    const lmbi_readings *readings;                       ///< of the coarse voxels of the cache
    lmbi_body_shape first;                               ///< in the mesh's own axes
    lmbi_kind_hypothesis hypotheses[LMB_SKELETON_KINDS]; ///< the cheapest of each kind
    /// longest pair that carries the body, as a fraction of its height, with the file's vertical as
    /// up
    float legs;
    bool walks; ///< such legs are long, and nothing else touches the ground
} search;

static bool is_wanted(const search *s, lmb_skeleton_kind kind)
{
    return s->opts->kind == LMB_SKELETON_AUTO || s->opts->kind == kind;
}

static void keep_cheaper(search *s, lmb_skeleton_kind kind, float cost,
                         const lmbi_stand_hypothesis *stand)
{
    if (cost < s->hypotheses[kind].cost) {
        s->hypotheses[kind] = (lmbi_kind_hypothesis){cost, *stand};
    }
}

/// How far the body spreads across its mirror plane, as a fraction of how far it spreads along it;
/// at most 1.
static float relative_breadth(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand)
{
    double across = 0, along = 0;
    for (uint32_t k = 0; k < shape->body.solid_count; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(shape->body.at[k], shape->body.centroid);
        const float a = lmb_vec3_dot(d, stand->left), b = lmb_vec3_dot(d, stand->forward);
        across += (double)(a * a);
        along += (double)(b * b);
    }
    return across < along ? lmb_sqrt((float)(across / along)) : 1;
}

/// The length, as a fraction of the height, of the longest pair of legs that carries the body: on
/// the ground and under its center.
static float carrying_leg_length(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *s)
{
    const float tall = s->high - s->low, middle = lmb_vec3_dot(shape->body.centroid, s->forward);
    float longest = 0;
    for (uint32_t k = 0; k < s->pair_count; ++k) {
        const lmbi_leg_pair *p = &s->pairs[k];
        if (p->height < 0.06f * tall && fabsf(p->along - middle) < 0.25f * tall) {
            longest = fmaxf(longest, p->length / tall);
        }
    }
    return longest;
}

/// Rates every kind that stands, for each stand hypothesis with `up` as up.
static lmb_result try_up_axis(search *s, lmb_vec3 up, float prior, lmb_error *error)
{
    static const struct {
        lmb_skeleton_kind kind;
        float (*cost)(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
    } kinds[] = {{LMB_SKELETON_QUADRUPED, lmbi_quadruped_cost},
                 {LMB_SKELETON_BIRD, lmbi_bird_cost},
                 {LMB_SKELETON_SPIDER, lmbi_spider_cost},
                 {LMB_SKELETON_FISH, lmbi_fish_cost}};
    lmbi_stand_hypothesis stands[LMBI_MAX_STAND_HYPOTHESES];
    uint32_t count;
    const lmb_result result = lmbi_stand_hypotheses_find(&s->first, up, stands, &count, error);
    for (uint32_t n = 0; n < count && result == LMB_OK; ++n) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
            lmbi_stand_hypothesis stand = stands[n];
            if (is_wanted(s, kinds[k].kind)) {
                const float cost = kinds[k].cost(&s->first, s->opts->forward, &stand);
                keep_cheaper(s, kinds[k].kind, prior + cost, &stand);
            }
        }
        // Kinds without legs are not rotated: they use the mirror plane of the file's own vertical.
        if (!(prior > 0)) {
            const float legs = carrying_leg_length(&s->first, &stands[n]);
            s->legs = fmaxf(s->legs, legs);
            s->walks = s->walks || (legs > LONG_LEGS && stands[n].foot_count == 2);
            keep_cheaper(s, LMB_SKELETON_GENERIC,
                         stands[n].asymmetry + 0.25f * relative_breadth(&s->first, &stands[n]),
                         &stands[n]);
        }
    }
    return result;
}

static lmb_skeleton_kind best_kind(const search *s)
{
    lmb_skeleton_kind best = LMB_SKELETON_AUTO;
    for (int k = LMB_SKELETON_QUADRUPED; k < LMB_SKELETON_GENERIC; ++k) {
        if (s->hypotheses[k].cost < s->hypotheses[best].cost) {
            best = (lmb_skeleton_kind)k;
        }
    }
    return best;
}

/// Whether the best hypothesis is so clear that no other up axis needs to be tried. A fish, and a
/// bird without feet on the ground, that has ends for four legs may be an animal that lies.
static bool is_clear(const search *s)
{
    const float clear = 0.5f, leg = 0.1f;
    const lmb_skeleton_kind best = best_kind(s);
    const lmbi_kind_hypothesis *r = &s->hypotheses[best];
    uint32_t ends = 0;
    for (uint32_t t = 0; t < s->first.tip_count; ++t) {
        ends += s->first.tips[t].length > leg;
    }
    const bool beast = (best == LMB_SKELETON_FISH && ends >= 4) ||
                       (best == LMB_SKELETON_BIRD && r->stand.pair_count == 0 && ends >= 5);
    return r->cost <= clear && !beast;
}

/// Candidates for the up axis, and the cost of one that files rarely use.
static const struct {
    lmb_vec3 up;
    float prior;
} UPS[6] = {{{0, 1, 0}, 0},      {{0, 0, 1}, 0.08f}, {{1, 0, 0}, 0.35f},
            {{-1, 0, 0}, 0.35f}, {{0, -1, 0}, 0.4f}, {{0, 0, -1}, 0.4f}};

static float axis_prior(const search *s, lmb_vec3 up)
{
    float prior = 0;
    for (int u = 0; u < 6 && !(lmb_vec3_dot(s->opts->up, s->opts->up) > 0); ++u) {
        prior = lmb_vec3_dot(UPS[u].up, up) > 0.99f ? UPS[u].prior : prior;
    }
    return prior;
}

/// Lets a body stand as its best reading of a kind says.
static void keep_reading(search *s, lmb_skeleton_kind kind)
{
    const lmbi_voxelisation *coarse = &s->cache->variant[LMBI_VOXELS_COARSE];
    lmbi_kind_hypothesis made;
    if (is_wanted(s, kind) && lmbi_reading_stand(s->readings, coarse, kind, &made)) {
        keep_cheaper(s, kind, made.cost, &made.stand);
    }
}

static lmb_result try_up_axes(search *s, lmb_error *error)
{
    if (lmb_vec3_dot(s->opts->up, s->opts->up) > 0) {
        return try_up_axis(s, s->opts->up, 0, error);
    }
    lmb_result result = LMB_OK;
    for (int u = 0; u < 6 && result == LMB_OK; ++u) {
        if (u < 2 || !is_clear(s)) {
            result = try_up_axis(s, UPS[u].up, UPS[u].prior, error);
        }
    }
    return result;
}

static lmb_result rotate_to(search *s, const lmbi_stand_hypothesis *stand, lmbi_body_shape *out,
                            lmb_error *error)
{
    return lmbi_body_shape_create_rotated(&s->first, s->cache->mesh, stand->left, stand->up,
                                          stand->offset, out, error);
}

/// Penalty for separate bodies that only thin bridges join: the fraction of the spine's middle
/// stretch that is thin, beyond what a waist explains.
static float disconnected_cost(const lmbi_spine_line *spine)
{
    const uint32_t from = spine->line.count / 10, to = 7 * spine->line.count / 10;
    uint32_t thin = 0;
    for (uint32_t n = from; n < to; ++n) {
        thin += spine->line.depth[n] < 0.3f * spine->thick;
    }
    const float fraction = (float)thin / fmaxf((float)(to - from), 1);
    return 4 * fmaxf(0, fraction - 0.05f);
}

/// Cost of the mesh as a hand, measured along its principal axes.
static lmb_result hand_cost(search *s, float *out_cost, lmb_error *error)
{
    // Voxelise along the principal axes only if the cost in the file's axes leaves a hand possible.
    const float hopeless = 1.6f;
    *out_cost = lmbi_hand_cost(&s->first);
    if (*out_cost > hopeless && s->opts->kind != LMB_SKELETON_HAND) {
        return LMB_OK;
    }
    lmbi_body_shape own;
    const lmb_result result =
        lmbi_body_shape_create_principal(&s->first, s->cache->mesh, &own, error);
    if (result == LMB_OK) {
        *out_cost = lmbi_hand_cost(&own);
        lmbi_body_shape_destroy(&own);
    }
    return result;
}

/// Whether a kind with legs fits so well that the ends of the body cannot be fingers or fins.
static bool has_legs(const search *s, lmb_skeleton_kind kind)
{
    const float likely = 0.7f, likely_lying = 0.55f;
    const lmbi_kind_hypothesis *r = &s->hypotheses[kind];
    const float prior = r->cost < 1 ? axis_prior(s, r->stand.up) : 0;
    return r->cost < likely || (prior > 0 && r->cost - prior < likely_lying);
}

/// Rates the kinds that do not stand (snake, hand, fish), which legs speak against.
static lmb_result rate_lying_kinds(search *s, lmb_error *error)
{
    const lmbi_stand_hypothesis *lies = &s->hypotheses[LMB_SKELETON_GENERIC].stand;
    // A body on pairs of legs, or walking on two long ones, is no hand and no fish, whatever its
    // limbs and tail look like. The tail fin of a fish that stands on it makes short legs.
    const bool legs =
        has_legs(s, LMB_SKELETON_QUADRUPED) || has_legs(s, LMB_SKELETON_SPIDER) || s->walks;
    // A bird without feet on the ground but with four legs is an animal that lies.
    lmbi_kind_hypothesis *bird = &s->hypotheses[LMB_SKELETON_BIRD];
    bird->cost += bird->stand.pair_count == 0 && has_legs(s, LMB_SKELETON_QUADRUPED) ? 0.3f : 0;
    const lmb_vec3 lies_along = s->hypotheses[LMB_SKELETON_FISH].stand.forward;
    const float flukes = fabsf(lies_along.y) > 0.7f ? SHORT_LEGS : LONG_LEGS;
    s->hypotheses[LMB_SKELETON_FISH].cost += legs || s->legs > flukes ? 0.8f : 0.1f;
    lmb_result result = LMB_OK;
    if (is_wanted(s, LMB_SKELETON_HAND) && !legs) {
        float cost = 0;
        result = hand_cost(s, &cost, error);
        keep_cheaper(s, LMB_SKELETON_HAND, cost, lies);
    }
    if (result == LMB_OK && is_wanted(s, LMB_SKELETON_SNAKE)) {
        lmbi_spine_line spine;
        result = lmbi_spine_line_find(&s->first, &spine, error);
        if (result == LMB_OK) {
            keep_cheaper(s, LMB_SKELETON_SNAKE,
                         lmbi_snake_cost(&s->first, &spine) + disconnected_cost(&spine), lies);
        }
    }
    return result;
}

static lmb_result place_joints(const lmbi_body_shape *rotated, const lmbi_stand_hypothesis *stand,
                               lmb_skeleton_kind kind, lmb_embedding *out, lmb_error *error)
{
    const float height = stand->high - stand->low;
    switch (kind) {
    case LMB_SKELETON_QUADRUPED:
        return lmbi_quadruped_place(rotated, stand, out, error);
    case LMB_SKELETON_BIRD:
        return lmbi_bird_place(rotated, stand, out, error);
    case LMB_SKELETON_SPIDER:
        return lmbi_spider_place(rotated, stand, out);
    case LMB_SKELETON_BIPED:
        return lmbi_biped_place(rotated, stand, out, error);
    case LMB_SKELETON_FISH:
        return lmbi_fish_place(rotated, height, out);
    case LMB_SKELETON_SNAKE: {
        lmbi_spine_line spine;
        const lmb_result result = lmbi_spine_line_find(rotated, &spine, error);
        return result == LMB_OK ? lmbi_snake_place(rotated, height, &spine, out) : result;
    }
    default:
        return lmbi_generic_place(rotated, height, out, error);
    }
}

/// A hand is measured along its principal axes, but its skeleton keeps the mesh's orientation.
static lmb_result embed_hand(search *s, lmbi_body_shape *out_own, lmb_embedding *out,
                             lmb_error *error)
{
    const lmb_result result =
        lmbi_body_shape_create_principal(&s->first, s->cache->mesh, out_own, error);
    return result == LMB_OK ? lmbi_hand_place(out_own, &s->hypotheses[LMB_SKELETON_HAND].stand,
                                              &s->first.frame, out, error)
                            : result;
}

static lmb_result embed_standing(search *s, lmb_skeleton_kind kind, lmbi_body_shape *out_turned,
                                 lmb_embedding *out, lmb_error *error)
{
    const lmbi_stand_hypothesis *stand = &s->hypotheses[kind].stand;
    const lmb_result result = rotate_to(s, stand, out_turned, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_stand_hypothesis moved =
        lmbi_stand_in_frame(stand, &s->first.frame, &out_turned->frame);
    return place_joints(out_turned, &moved, kind, out, error);
}

static lmb_result embed_as_kind(search *s, lmb_skeleton_kind kind, lmb_embedding *out,
                                lmb_error *error)
{
    static const char *const clear[LMB_SKELETON_KINDS] = {
        [LMB_SKELETON_QUADRUPED] = "two clear pairs of legs",
        [LMB_SKELETON_BIRD] = "a clear pair of wings",
        [LMB_SKELETON_HAND] = "five clear fingers",
        [LMB_SKELETON_FISH] = "a clear tail fin",
        [LMB_SKELETON_SNAKE] = "one long body",
        [LMB_SKELETON_SPIDER] = "many clear pairs of legs",
        [LMB_SKELETON_BIPED] = "two legs and a tail",
        [LMB_SKELETON_GENERIC] = "limbs as the shape has them"};
    // The generic skeleton is what remains when no kind was recognised, so its confidence is low.
    const float cost = kind == LMB_SKELETON_GENERIC ? 0.95f : s->hypotheses[kind].cost;
    lmbi_body_shape rotated = {.alloc = s->first.alloc, .body.alloc = s->first.alloc};
    lmb_embedding made;
    const lmb_result result = kind == LMB_SKELETON_HAND
                                  ? embed_hand(s, &rotated, &made, error)
                                  : embed_standing(s, kind, &rotated, &made, error);
    if (result == LMB_OK) {
        lmbi_embedding_writer c = {&rotated.frame, &made};
        lmbi_embedding_rate(&c, 1 - 0.6f * cost, cost < 0.4f ? clear[kind] : "an unusual shape");
        *out = made;
    }
    lmbi_body_shape_destroy(&rotated);
    return result;
}

/// What each kind requires, for error messages.
static const char *expected_of(lmb_skeleton_kind kind)
{
    static const char *const texts[LMB_SKELETON_KINDS] = {
        "a human, an animal on legs, a bird, a fish, a snake, a hand, or any body with limbs",
        "an upright figure",
        "an animal on four legs",
        "a bird with spread wings",
        "a hand with five fingers apart",
        "a body with a tail fin",
        "a long slender body",
        "a body on three pairs of legs or more",
        "a body on two legs with a tail",
        "a body with limbs"};
    return texts[kind];
}

static const char *found_of(lmb_skeleton_kind kind)
{
    static const char *const texts[LMB_SKELETON_KINDS] = {
        "a body without limbs, such as a bust, a head or a prop",
        "no figure",
        "a body that does not stand on two pairs of legs",
        "a body without a pair of wings",
        "a body without five ends that point one way",
        "a body that does not narrow before a fin",
        "a body that is not slender, or branches",
        "a body with fewer than three pairs of legs",
        "a body that does not stand on two legs with a tail",
        "a body without limbs, such as a bust, a head or a prop"};
    return texts[kind];
}

/// The kind that the user asks for, or else the cheapest one; GENERIC if none is cheap enough.
static lmb_skeleton_kind choose_kind(const search *s)
{
    if (s->opts->kind != LMB_SKELETON_AUTO) {
        return s->opts->kind;
    }
    const lmb_skeleton_kind best = best_kind(s);
    const bool stands = best == LMB_SKELETON_QUADRUPED || best == LMB_SKELETON_SPIDER;
    return s->hypotheses[best].cost <= (stands ? REFUSED : UNLIKELY) ? best : LMB_SKELETON_GENERIC;
}

static bool is_plausible(const search *s, lmb_skeleton_kind kind)
{
    return kind == LMB_SKELETON_GENERIC ? lmbi_generic_limbs(&s->first) >= 2
                                        : s->hypotheses[kind].cost <= REFUSED;
}

/// The largest cost at which a hypothesis still beats a human of low confidence.
static float max_cost_beside_human(const search *s, lmb_skeleton_kind kind,
                                   const lmb_embedding *human)
{
    // A human that lies has paid for its unusual up axis too.
    const bool lies = human->up.y < 0.9f && human->up.z < 0.9f;
    const float paid = lies ? axis_prior(s, s->hypotheses[kind].stand.up) : 0;
    const float unlikely = human->overall < VAGUE_HUMAN ? UNLIKELY
                           : lmbi_arms_guessed(human)   ? 0.45f
                                                        : 0.35f,
                alike = 0.12f + paid;
    const lmb_vec3 along = s->hypotheses[kind].stand.forward;
    // Beside a figure that stands on its feet, a fish hypothesis would stand on its tail: reject
    // it.
    const bool on_tail = kind == LMB_SKELETON_FISH && human->overall >= VAGUE_HUMAN &&
                         !lmbi_arms_guessed(human) && !lmbi_feet_guessed(human) &&
                         fabsf(lmb_vec3_dot(along, human->up)) > 0.7f;
    // No human has three pairs of legs, so a spider always competes.
    const bool doubtful = human->overall > DOUBTFUL_HUMAN && kind != LMB_SKELETON_SPIDER;
    return doubtful ? alike : on_tail ? 0 : unlikely;
}

/// Embeds the best kind other than a human. `human` (or NULL) is returned where no kind fits
/// better. Without `vague_wanted` a generic skeleton counts as a failure.
static lmb_result embed_creature(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 const lmbi_readings *readings, const lmb_embedding *human,
                                 bool vague_wanted, lmb_embedding *out, lmb_error *error)
{
    search s = {.opts = opts, .cache = cache, .readings = readings};
    for (int k = 0; k < LMB_SKELETON_KINDS; ++k) {
        s.hypotheses[k].cost = 1e30f;
    }
    lmb_result result = lmbi_body_shape_create(cache, &s.first, error);
    if (result != LMB_OK) {
        return result;
    }
    if (lmbi_body_slimness(&s.first.body) < COMPACT) {
        lmbi_body_shape_destroy(&s.first);
        if (human) {
            *out = *human;
            return LMB_OK;
        }
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected_of(opts->kind),
                         "a compact body, such as a box, a ball or a head");
    }
    result = try_up_axes(&s, error);
    if (result == LMB_OK) {
        keep_reading(&s, LMB_SKELETON_BIPED);
        keep_reading(&s, LMB_SKELETON_QUADRUPED);
    }
    if (result == LMB_OK) {
        result = rate_lying_kinds(&s, error);
    }
    if (result == LMB_OK) {
        const lmb_skeleton_kind kind = choose_kind(&s);
        const float most = human ? max_cost_beside_human(&s, kind, human) : 0;
        if (human && (kind == LMB_SKELETON_GENERIC || s.hypotheses[kind].cost > most)) {
            *out = *human;
        } else if (!is_plausible(&s, kind) || (kind == LMB_SKELETON_GENERIC && !vague_wanted)) {
            result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected_of(opts->kind), "%s",
                               found_of(opts->kind));
        } else {
            result = embed_as_kind(&s, kind, out, error);
        }
    }
    lmbi_body_shape_destroy(&s.first);
    return result;
}

/// Embeds a creature from the whole mesh. If no kind fits, a floor or a loose prop may be the
/// reason, so it tries again with the main body alone.
static lmb_result embed_creature_or_main_body(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                              const lmbi_readings *readings,
                                              const lmb_embedding *human, lmb_embedding *out,
                                              lmb_error *error)
{
    lmb_embedding whole;
    const lmb_result result =
        embed_creature(&input->whole, opts, readings, human, true, &whole, error);
    const bool vague = result == LMB_OK && whole.kind == LMB_SKELETON_GENERIC;
    if (result == LMB_OK) {
        *out = whole;
    }
    if (result != LMB_ERROR_UNSUPPORTED && (!vague || opts->kind == LMB_SKELETON_GENERIC)) {
        return result;
    }
    lmbi_voxel_cache *body;
    lmb_result alone = lmbi_embed_input_main_body(input, &body, NULL);
    if (alone == LMB_OK && body) {
        lmb_embedding made;
        lmbi_readings own;
        alone = lmbi_readings_find(body, opts, &own, NULL);
        if (alone == LMB_OK) {
            alone = embed_creature(body, opts, &own, NULL, result != LMB_OK, &made, NULL);
        }
        if (alone == LMB_OK) {
            *out = made;
            return LMB_OK;
        }
    }
    return alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : result;
}

/// The best creature. Where the readings clearly say another kind than was found, that one is
/// tried too, along the axes of its reading.
static lmb_result embed_animal(lmbi_embed_input *input, const lmb_embed_opts *opts,
                               const lmbi_readings *readings, const lmb_embedding *human,
                               lmb_embedding *out, lmb_error *error)
{
    const lmb_result result = embed_creature_or_main_body(input, opts, readings, human, out, error);
    const lmbi_reading *top = readings->count > 0 ? &readings->list[0] : NULL;
    if (result == LMB_ERROR_MEMORY || !top || top->plan == LMBI_PLAN_HUMAN ||
        opts->kind != LMB_SKELETON_AUTO ||
        (result == LMB_OK && out->kind == lmbi_reading_kind(top)) ||
        lmbi_reading_margin(readings, lmbi_reading_kind(top)) < LMBI_EVIDENCE) {
        return result;
    }
    lmb_embed_opts given = *opts;
    given.kind = lmbi_reading_kind(top);
    given.up = top->up;
    lmb_embedding made;
    const lmb_result again =
        embed_creature(&input->whole, &given, readings, NULL, false, &made, NULL);
    if (again == LMB_OK) {
        *out = made;
    }
    return again == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : again == LMB_OK ? again : result;
}

/// Whether the readings tell this kind from a human, or there is no kind.
static bool is_of_readings(lmb_skeleton_kind kind)
{
    return kind == LMB_SKELETON_QUADRUPED || kind == LMB_SKELETON_BIRD ||
           kind == LMB_SKELETON_BIPED || kind == LMB_SKELETON_GENERIC;
}

/// Writes the result, with what the readings say against it.
static lmb_result finish(const lmbi_readings *readings, const lmb_embed_opts *opts,
                         const lmb_embedding *made, lmb_embedding *out)
{
    *out = *made;
    lmbi_doubt_facing(readings, out);
    lmbi_name_next_best(readings, opts, out);
    return LMB_OK;
}

lmb_result lmbi_embed_kind(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error)
{
    lmbi_readings readings;
    lmb_result result = lmbi_readings_find(&input->whole, opts, &readings, error);
    if (result != LMB_OK) {
        return result;
    }
    if (opts->kind != LMB_SKELETON_AUTO && opts->kind != LMB_SKELETON_HUMAN) {
        return embed_creature_or_main_body(input, opts, &readings, NULL, out, error);
    }
    const bool given_human = opts->kind == LMB_SKELETON_HUMAN ||
                             lmbi_landmarks_are_human(opts->markers, opts->marker_count);
    // What the readings clearly tell from a human is tried first.
    const bool animal =
        !given_human && lmbi_reading_margin(&readings, LMB_SKELETON_HUMAN) < -LMBI_EVIDENCE;
    lmb_result found = LMB_ERROR_UNSUPPORTED;
    lmb_embedding human, creature;
    if (animal) {
        found = embed_animal(input, opts, &readings, NULL, &creature, error);
    }
    if (found == LMB_ERROR_MEMORY || (found == LMB_OK && creature.kind != LMB_SKELETON_GENERIC)) {
        return found == LMB_OK ? finish(&readings, opts, &creature, out) : found;
    }
    result = lmbi_embed_human(input, opts, &readings, &human, error);
    const bool is_human = result == LMB_OK;
    if (is_human && (human.overall >= SURE_HUMAN || given_human)) {
        return finish(&readings, opts, &human, out);
    }
    if (!is_human && (result != LMB_ERROR_UNSUPPORTED || given_human)) {
        return result;
    }
    if (!animal) {
        found = embed_animal(input, opts, &readings, is_human ? &human : NULL, &creature, error);
    }
    const bool figure = lmbi_reading_margin(&readings, LMB_SKELETON_HUMAN) > LMBI_EVIDENCE;
    if (is_human && figure &&
        (found == LMB_ERROR_UNSUPPORTED || (found == LMB_OK && is_of_readings(creature.kind)))) {
        return finish(&readings, opts, &human, out);
    }
    return found == LMB_OK ? finish(&readings, opts, &creature, out) : found;
}
