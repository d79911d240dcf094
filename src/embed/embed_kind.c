/// Decides which kind of creature a triangle soup is, and embeds that kind's skeleton.
#include "base/error.h"
#include "embed/creature/creature.h"
#include "embed/human/human.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>

/// A humanoid with more confidence is not compared with other kinds.
static const float SURE_HUMAN = 0.65f;
/// An animal with less chance is none, unless the user says so; one with less than HOPELESS is not
/// one then either. Above EVEN it is neither a hand nor a doubtful human.
static const float LIKELY = 0.3f, HOPELESS = 0.01f, EVEN = 0.5f;
/// A side that is surer is no guess.
static const float CLEAR_SIDE = 0.9f;
/// Confidence of a body without a template: what remains when no kind was recognised.
static const float NO_TEMPLATE = 0.43f;

/// Largest slimness of a body without limbs: it is hardly longer than thick, so nothing in it
/// bends.
static const float COMPACT = 2.5f;

/// The creatures that a body may be: the readings of its coarse voxels, and its shape in the mesh's
/// own axes.
typedef struct creatures {
    const lmb_embed_opts *opts;
    lmbi_voxel_cache *cache;
    const lmbi_readings *readings;
    const lmb_embedding *human; ///< what remains where no kind is likelier, or NULL
    bool vague_wanted;          ///< otherwise a body without a template counts as a failure
    const lmbi_body_shape *shape;
    const lmbi_reading *animal; ///< the likeliest whole reading as the wanted kinds, or NULL
    float chance;               ///< that it is of its kind
    float chance_of_all;        ///< the same beside all readings, also as a human that lies
    lmb_embedding hand;
    float hand_chance; ///< 0 if none is wanted
} creatures;

/// What a kind requires, and what other bodies are.
static const struct {
    const char *expected, *found;
} TEXTS[LMB_SKELETON_KINDS] = {
    {"a human, an animal on legs, a bird, a fish, a snake, a hand, or any body with limbs",
     "a body without limbs, such as a bust, a head or a prop"},
    {"an upright figure", "no figure"},
    {"an animal on four legs", "a body that does not stand on two pairs of legs"},
    {"a bird with spread wings", "a body without a pair of wings"},
    {"a hand with five fingers", "a body in which no hand with five fingers is seen"},
    {"a body with a tail fin", "a body that does not narrow before a fin"},
    {"a long slender body", "a body that is not slender, or branches"},
    {"a body on three pairs of legs or more", "a body with fewer than three pairs of legs"},
    {"a body on two legs with a tail", "a body that does not stand on two legs with a tail"},
    {"a body with limbs", "a body without limbs, such as a bust, a head or a prop"}};

/// Fails with what a kind requires and what was found instead.
static lmb_result fail_as(lmb_skeleton_kind kind, const char *found, lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, TEXTS[kind].expected, "%s",
                     found ? found : TEXTS[kind].found);
}

static bool is_wanted(const creatures *s, lmb_skeleton_kind kind)
{
    return !s->opts->body_template && (s->opts->kind == LMB_SKELETON_AUTO || s->opts->kind == kind);
}

static bool is_wanted_reading(const creatures *s, const lmbi_reading *r)
{
    const bool given = r->plan == LMBI_PLAN_GIVEN;
    return s->opts->body_template
               ? given
               : !given && r->plan != LMBI_PLAN_HUMAN && is_wanted(s, lmbi_plan_kind(r->plan));
}

/// The best whole reading of the wanted kinds.
static void find_animal(creatures *s)
{
    for (uint32_t k = 0; k < s->readings->count && !s->animal; ++k) {
        const lmbi_reading *r = &s->readings->list[k];
        if (is_wanted_reading(s, r) &&
            lmbi_reading_is_whole(r, lmbi_reading_rows(r, s->opts->body_template))) {
            s->animal = r;
            lmbi_readings all = *s->readings;
            all.upright = false;
            s->chance = lmbi_reading_chance(s->readings, r, false);
            s->chance_of_all = lmbi_reading_chance(&all, r, false);
        }
    }
}

/// The mirror plane of a body that no reading shows, with the given up axis or the file's. It faces
/// forward as files do: +Z or -Y rather than the other way.
static lmbi_mirror plane_of(const creatures *s, lmb_vec3 *out_up)
{
    lmbi_mirror planes[LMBI_MIRRORS] = {{.normal = {1, 0, 0}}};
    const bool given = lmb_vec3_dot(s->opts->up, s->opts->up) > 0;
    *out_up = given ? s->opts->up : lmb_vec3_make(0, 1, 0);
    lmbi_mirror_scan(&s->shape->body, *out_up, s->opts->forward, planes);
    const lmb_vec3 forward = lmb_vec3_cross(planes[0].normal, *out_up);
    if (lmb_vec3_dot(forward, s->opts->forward) < 0 ||
        (!(lmb_vec3_dot(s->opts->forward, s->opts->forward) > 0) &&
         forward.x - forward.y + forward.z < 0)) {
        planes[0].normal = lmb_vec3_neg(planes[0].normal);
        planes[0].offset = -planes[0].offset;
    }
    return planes[0];
}

static lmb_result embed_animal(const creatures *s, lmb_embedding *out, lmb_error *error)
{
    const lmbi_reading *r = s->animal;
    lmbi_body_shape rotated;
    const lmb_result result =
        lmbi_body_shape_create_rotated(s->cache, r->left, r->up, r->offset, &rotated, error);
    if (result == LMB_OK) {
        const lmbi_joint_rows *plan = lmbi_reading_rows(r, s->opts->body_template);
        const float chance = lmbi_reading_chance(s->readings, r, true);
        lmbi_anchors anchors;
        lmbi_anchors_find(&rotated, r, &plan->lines, &s->cache->variant[LMBI_VOXELS_COARSE],
                          &anchors);
        lmbi_animal_place(&rotated, plan, &anchors, out);
        lmbi_embedding_rate(out, chance,
                            chance > 0.7f      ? "its limbs are clear"
                            : s->chance > 0.7f ? "head and tail may be exchanged"
                                               : "an unusual shape");
        lmbi_body_shape_destroy(&rotated);
    }
    return result;
}

/// Whether a body has as many ends as a hand has fingers. The longest come first.
static bool has_five_ends(const lmbi_body_shape *shape)
{
    const float shortest = 0.05f;
    return shape->tip_count >= LMBI_FINGERS && shape->tips[LMBI_FINGERS - 1].length > shortest;
}

/// Embeds a hand where one may be: what likely stands on legs is none, whatever its limbs look like, nor is what has fewer
/// ends than fingers, or a hand and more.
static lmb_result find_hand(creatures *s, lmb_error *error)
{
    const lmbi_reading *r = s->animal;
    const bool legs =
        r && s->chance_of_all > EVEN &&
        (r->tips[LMBI_CHAIN_LEGS][0] != LMB_NONE || r->tips[LMBI_CHAIN_LEGS][1] != LMB_NONE);
    const bool told = s->opts->kind == LMB_SKELETON_HAND;
    lmbi_lone_hand hand;
    if (!is_wanted(s, LMB_SKELETON_HAND) || (!told && (legs || !has_five_ends(s->shape)))) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_see_lone_hand(s->cache->mesh, s->cache->alloc, &hand, error);
    if (result == LMB_OK) {
        lmb_vec3 up;
        const lmbi_mirror plane = plane_of(s, &up);
        const float side = lmbi_hand_side_chance(&hand);
        lmbi_hand_place(&hand, s->cache->mesh, s->shape, &plane, up, &s->hand);
        const float chance = lmbi_hand_chance(hand.hand.sure);
        lmbi_embedding_rate(&s->hand, chance * side,
                            side < CLEAR_SIDE ? "left and right are a guess"
                                              : "a hand with five fingers");
        s->hand_chance = chance * (1 - lmbi_uncovered_fraction(s->cache->mesh, &s->hand));
    }
    return result;
}

static lmb_result embed_generic(const creatures *s, lmb_embedding *out, lmb_error *error)
{
    lmb_vec3 up;
    const lmbi_mirror plane = plane_of(s, &up);
    lmbi_body_shape rotated;
    lmb_result result =
        lmbi_body_shape_create_rotated(s->cache, plane.normal, up, plane.offset, &rotated, error);
    if (result == LMB_OK) {
        result = lmbi_generic_place(&rotated, out, error);
        if (result == LMB_OK) {
            lmbi_embedding_rate(out, NO_TEMPLATE, "an unusual shape");
        }
        lmbi_body_shape_destroy(&rotated);
    }
    return result;
}

/// The best reading other than by the user's template, if it is likelier than not, or is clearly
/// better as a human; else NULL.
static const lmbi_reading *better_kind(const lmbi_readings *readings)
{
    const lmbi_reading *top = NULL;
    float given = -1e30f;
    for (uint32_t k = readings->count; k-- > 0;) {
        const lmbi_reading *r = &readings->list[k];
        top = r->plan == LMBI_PLAN_GIVEN ? top : r;
        given = r->plan == LMBI_PLAN_GIVEN ? r->score : given;
    }
    const bool better =
        top && (top->plan == LMBI_PLAN_HUMAN ? top->score > given + LMBI_EVIDENCE
                                             : lmbi_reading_chance(readings, top, false) > EVEN);
    return better ? top : NULL;
}

/// Embeds the best kind.
static lmb_result embed_best(const creatures *s, lmb_embedding *out, lmb_error *error)
{
    const lmb_skeleton_kind given = s->opts->kind;
    const float animal = s->animal ? s->chance : 0, hand = s->hand_chance;
    const bool told = given != LMB_SKELETON_AUTO || s->opts->body_template;
    const float least = s->human ? fmaxf(s->human->overall, EVEN) : told ? HOPELESS : LIKELY;
    // Fingers look like those of a human that lies.
    const float rival = s->animal ? s->chance_of_all : 0;
    if (hand > least && (rival < EVEN || hand > rival)) {
        *out = s->hand;
        return LMB_OK;
    }
    const bool other = s->opts->body_template && animal < EVEN && better_kind(s->readings);
    if (animal > 0 && animal >= least && !other) {
        return embed_animal(s, out, error);
    }
    if (s->human) {
        *out = *s->human;
        return LMB_OK;
    }
    if (s->vague_wanted && is_wanted(s, LMB_SKELETON_GENERIC) &&
        lmbi_generic_limbs(s->shape) >= 2) {
        return embed_generic(s, out, error);
    }
    return fail_as(given, NULL, error);
}

/// Embeds the best kind other than a human in the body of a cache.
static lmb_result embed_creature(creatures s, lmb_embedding *out, lmb_error *error)
{
    lmb_result result = lmbi_voxel_cache_get(s.cache, LMBI_VOXELS_CREATURE, &s.shape, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!s.opts->body_template && lmbi_body_slimness(&s.shape->body) < COMPACT) {
        if (!s.human) {
            return fail_as(s.opts->kind, "a compact body, such as a box, a ball or a head", error);
        }
        *out = *s.human;
        return LMB_OK;
    }
    find_animal(&s);
    result = find_hand(&s, error);
    return result == LMB_OK ? embed_best(&s, out, error) : result;
}

/// Embeds a creature from the whole mesh. If no kind fits, a floor or a loose prop may be the
/// reason, so it tries again with the main body alone.
static lmb_result embed_creature_or_main_body(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                              const lmbi_readings *readings,
                                              const lmb_embedding *human, lmb_embedding *out,
                                              lmb_error *error)
{
    const creatures all = {opts, &input->whole, readings, human, true};
    const lmb_result whole = embed_creature(all, out, error);
    const bool vague = whole == LMB_OK && out->kind == LMB_SKELETON_GENERIC &&
                       opts->kind != LMB_SKELETON_GENERIC && !opts->body_template;
    if (whole != LMB_ERROR_UNSUPPORTED && !vague) {
        return whole;
    }
    lmbi_voxel_cache *body;
    lmb_embedding made;
    lmbi_readings own;
    lmb_result alone = lmbi_embed_input_main_body_of(input, readings, &body, NULL);
    if (alone != LMB_OK || !body) {
        return alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : whole;
    }
    alone = lmbi_readings_find(body, opts, &own, NULL);
    own.upright = readings->upright;
    if (alone == LMB_OK) {
        const creatures left = {opts, body, &own, NULL, whole != LMB_OK};
        alone = embed_creature(left, &made, NULL);
    }
    if (alone == LMB_OK) {
        *out = made;
    }
    return alone == LMB_OK ? LMB_OK : alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : whole;
}

/// Says what fits a body better that was refused as a human, or by a template.
static void name_better_kind(const lmbi_readings *readings, lmb_error *error)
{
    const lmbi_reading *top = better_kind(readings);
    if (error && top) {
        const lmb_skeleton_kind kind = lmbi_plan_kind(top->plan);
        snprintf(error->found, sizeof error->found, "%s, likely a %s", TEXTS[kind].expected,
                 lmb_skeleton_kind_name(kind));
    }
}

/// Embeds by the user's template alone. What is refused is told what fits better.
static lmb_result embed_given(lmbi_embed_input *input, const lmb_embed_opts *opts,
                              const lmbi_readings *readings, lmb_embedding *out, lmb_error *error)
{
    lmb_result result = embed_creature_or_main_body(input, opts, readings, NULL, out, error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        result = lmbi_fail(error, result, "a body such as the template describes",
                           "a body without the chains that it needs");
        name_better_kind(readings, error);
    }
    return result;
}

/// Embeds the human that is seen, or what is likelier. Errors: as embed_creature_or_main_body.
static lmb_result embed_human_or_creature(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                          lmbi_seen_figure *figure, lmbi_readings *readings,
                                          bool given_human, lmb_embedding *out, lmb_error *error)
{
    // What the readings clearly tell from a human is tried first.
    const bool animal =
        !given_human && lmbi_reading_margin(readings, LMB_SKELETON_HUMAN) < -LMBI_EVIDENCE;
    lmb_result found = LMB_ERROR_UNSUPPORTED;
    lmb_embedding human, creature;
    if (animal) {
        found = embed_creature_or_main_body(input, opts, readings, NULL, &creature, error);
    }
    const bool rival = found == LMB_OK && creature.kind != LMB_SKELETON_GENERIC;
    if (rival && figure->chance <= fmaxf(creature.overall, EVEN)) {
        *out = creature;
        return LMB_OK;
    }
    const lmb_result result = found == LMB_ERROR_MEMORY
                                  ? found
                                  : lmbi_embed_human(input, opts, figure, readings, &human, error);
    if (result == LMB_ERROR_MEMORY) {
        return result;
    }
    const bool is_human = result == LMB_OK;
    if (rival) {
        *out = is_human && human.overall >= creature.overall ? human : creature;
        return LMB_OK;
    }
    if (is_human && (given_human || human.overall >= SURE_HUMAN)) {
        *out = human;
        return LMB_OK;
    }
    if (!is_human && (result != LMB_ERROR_UNSUPPORTED || given_human)) {
        const bool other = readings->count > 0 && readings->list[0].plan != LMBI_PLAN_HUMAN;
        name_better_kind(readings, result == LMB_ERROR_UNSUPPORTED && other ? error : NULL);
        return result;
    }
    if (!animal) {
        // What could not be placed surely as a human is none that lies in a file whose up is +Y.
        readings->upright = opts->y_up;
        found = embed_creature_or_main_body(input, opts, readings, is_human ? &human : NULL,
                                            &creature, error);
    }
    const bool human_remains = is_human && found == LMB_ERROR_UNSUPPORTED;
    if (found == LMB_OK || human_remains) {
        *out = human_remains ? human : creature;
    }
    return human_remains ? LMB_OK : found;
}

/// The skeleton of the best kind, but for the fingers of a human, which is the figure in *figure.
static lmb_result embed_without_fingers(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                        lmbi_seen_figure *figure, lmb_embedding *out,
                                        lmb_error *error)
{
    const bool told = opts->kind == LMB_SKELETON_HUMAN,
               given_human = told || lmbi_landmarks_are_human(opts->markers, opts->marker_count),
               may_be_human = !opts->body_template && (told || opts->kind == LMB_SKELETON_AUTO);
    lmbi_readings readings;
    lmb_result result = may_be_human ? lmbi_see_human(input, opts, figure, error) : LMB_OK;
    if (result == LMB_OK && lmbi_seen_clearly(figure)) {
        result = lmbi_embed_human(input, opts, figure, NULL, out, error);
        if (result != LMB_OK || out->overall >= SURE_HUMAN) {
            return result;
        }
    }
    if (result == LMB_OK) {
        result = lmbi_readings_find(&input->whole, opts, &readings, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (opts->body_template) {
        return embed_given(input, opts, &readings, out, error);
    }
    result = may_be_human
                 ? embed_human_or_creature(input, opts, figure, &readings, given_human, out, error)
                 : embed_creature_or_main_body(input, opts, &readings, NULL, out, error);
    if (result == LMB_OK) {
        lmbi_name_next_best(&readings, opts, out);
    }
    return result;
}

lmb_result lmbi_embed_kind(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error)
{
    lmbi_seen_figure figure = {.chance = -1};
    const lmb_result result = embed_without_fingers(input, opts, &figure, out, error);
    return result == LMB_OK && out->kind == LMB_SKELETON_HUMAN
               ? lmbi_human_add_fingers(&figure, out, error)
               : result;
}
