/// Decides which kind of creature a triangle soup is, and embeds that kind's skeleton.
#include "base/error.h"
#include "embed/creature/animal.h"
#include "embed/creature/creature.h"
#include "embed/human/human.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// What has more confidence is not compared with other kinds.
static const float SURE = 0.65f;
/// An animal with less chance is none, unless the user says so. Above EVEN it is neither a hand nor a doubtful human. Where a
/// human is as UNLIKELY no further axes are tried for it.
static const float LIKELY = 0.3f, EVEN = 0.5f, UNLIKELY = 0.02f;
/// A side that is surer is no guess.
static const float CLEAR_SIDE = 0.9f;
/// Confidence of a body without a template: what remains when no kind was recognised.
static const float NO_TEMPLATE = 0.43f;

/// Largest slimness of a body without limbs: it is hardly longer than thick, so nothing in it
/// bends.
static const float COMPACT = 2.5f;

/// The creatures that a body may be: an animal that is seen, or a hand, and its shape in the mesh's own axes.
typedef struct creatures {
    const lmb_embed_opts *opts;
    lmbi_voxel_cache *cache;
    lmbi_volume_network *network; ///< that sees animals
    const lmb_embedding *human;   ///< what remains where no kind is likelier, or NULL
    float human_chance; ///< that it is one, as it stands in its file: then it is no animal
    bool vague_wanted;  ///< otherwise a body without a template counts as a failure
    const lmbi_body_shape *shape;
    lmbi_seen_animal seen;
    float chance; ///< of that, 0 if there is none
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

const char *lmbi_kind_needs(lmb_skeleton_kind kind)
{
    return TEXTS[kind].expected;
}

/// Fails with what a kind requires and what was found instead.
static lmb_result fail_as(lmb_skeleton_kind kind, const char *found, lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, TEXTS[kind].expected, "%s",
                     found ? found : TEXTS[kind].found);
}

static bool is_wanted(const creatures *s, lmb_skeleton_kind kind)
{
    return s->opts->kind == LMB_SKELETON_AUTO || s->opts->kind == kind;
}

static lmb_result find_animal(creatures *s, lmb_error *error)
{
    const lmb_skeleton_kind kind = s->opts->kind;
    s->seen.chance = -1;
    const lmb_result result =
        kind == LMB_SKELETON_HAND || kind == LMB_SKELETON_GENERIC
            ? LMB_OK
            : lmbi_find_animal(s->network, s->cache, s->opts, &s->seen, error);
    s->chance = fmaxf(s->seen.chance, 0) * (1 - s->human_chance);
    return result;
}

/// The mirror plane of a body of no kind, with the given up axis or the file's. It faces
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
    lmb_result result = LMB_OK;
    const float facing = s->seen.facing * s->chance;
    if (s->seen.kind == LMB_SKELETON_SNAKE) {
        result = lmbi_seen_snake_place(&s->seen, s->cache, out, error);
    } else {
        lmbi_seen_animal_place(&s->seen, &s->cache->variant[LMBI_VOXELS_COARSE], s->cache->mesh,
                               out);
    }
    if (result == LMB_OK) {
        lmbi_embedding_rate(out, facing,
                            facing > 0.7f      ? "its limbs are clear"
                            : s->chance > 0.7f ? "head and tail may be exchanged"
                                               : "an unusual shape");
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
    const bool legs =
        s->chance > EVEN && s->seen.kind != LMB_SKELETON_FISH && s->seen.kind != LMB_SKELETON_SNAKE;
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

/// Embeds the best kind.
static lmb_result embed_best(const creatures *s, lmb_embedding *out, lmb_error *error)
{
    const lmb_skeleton_kind given = s->opts->kind;
    const float animal = s->chance, hand = s->hand_chance;
    const bool told = given != LMB_SKELETON_AUTO,
               facing_told = lmb_vec3_dot(s->opts->forward, s->opts->forward) > 0;
    const float least = s->human              ? fmaxf(s->human->overall, EVEN)
                        : told && facing_told ? 0
                        : told                ? LMBI_HOPELESS_ANIMAL
                                              : LIKELY;
    if (hand > least && (animal < EVEN || hand > animal)) {
        *out = s->hand;
        return LMB_OK;
    }
    if (animal > 0 && animal >= least) {
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
static lmb_result embed_creature(creatures s, lmb_embedding *out, lmbi_seen_animal *seen,
                                 lmb_error *error)
{
    lmb_result result = lmbi_voxel_cache_get(s.cache, LMBI_VOXELS_CREATURE, &s.shape, error);
    if (result != LMB_OK) {
        return result;
    }
    result = find_animal(&s, error);
    if (result == LMB_OK && s.chance < EVEN && lmbi_body_slimness(&s.shape->body) < COMPACT) {
        if (!s.human) {
            return fail_as(s.opts->kind, "a compact body, such as a box, a ball or a head", error);
        }
        *out = *s.human;
        return LMB_OK;
    }
    result = result == LMB_OK ? find_hand(&s, error) : result;
    result = result == LMB_OK ? embed_best(&s, out, error) : result;
    *seen = s.seen;
    return result;
}

/// Says what is seen in a body that is no human.
static void name_better_kind(const lmbi_seen_figure *figure, const lmbi_seen_animal *animal,
                             lmb_error *error)
{
    const lmb_skeleton_kind kind = figure->chance > fmaxf(animal->chance, EVEN) ? LMB_SKELETON_HUMAN
                                   : animal->chance > EVEN                      ? animal->kind
                                                           : LMB_SKELETON_GENERIC;
    if (error && kind != LMB_SKELETON_GENERIC) {
        snprintf(error->found, sizeof error->found, "%s, likely a %s", TEXTS[kind].expected,
                 lmb_skeleton_kind_name(kind));
    }
}

/// Fails as no human, and says what animal is seen.
static lmb_result name_animal(lmbi_embed_input *input, const lmb_embed_opts *opts,
                              const lmbi_seen_figure *figure, lmb_error *error)
{
    lmb_embed_opts any = *opts;
    lmbi_seen_animal animal;
    any.kind = LMB_SKELETON_AUTO;
    const lmb_result result = lmbi_find_animal(input->animals, &input->whole, &any, &animal, error);
    if (result == LMB_OK) {
        name_better_kind(figure, &animal, error);
    }
    return result == LMB_OK ? LMB_ERROR_UNSUPPORTED : result;
}

/// Names the likeliest other animal, and how to choose it, in the summary of what is unsure.
static void name_next_best(const lmbi_seen_animal *seen, lmb_embedding *e)
{
    const float unsure = 0.6f;
    const lmb_skeleton_kind next = seen->kind == e->kind ? seen->next : seen->kind;
    if (e->overall < unsure && seen->chance >= 0 && next != e->kind) {
        const size_t used = strlen(e->summary);
        snprintf(e->summary + used, sizeof e->summary - used, "; next best: --skeleton %s",
                 lmb_skeleton_kind_name(next));
    }
}

/// Embeds a creature from the whole mesh. If no kind fits, a floor or a loose prop may be the reason, so it tries again with
/// the main body alone. `figure`: the human that was seen, or NULL.
static lmb_result embed_creature_or_main_body(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                              const lmbi_seen_figure *figure,
                                              const lmb_embedding *human, lmb_embedding *out,
                                              lmbi_seen_animal *seen, lmb_error *error)
{
    const lmbi_mirror plane = figure ? lmbi_plane_of_figure(figure) : (lmbi_mirror){.offset = 0};
    const float human_chance = figure ? fmaxf(figure->chance, 0) : 0;
    const creatures all = {.opts = opts,
                           .cache = &input->whole,
                           .network = input->animals,
                           .human = human,
                           .human_chance = human_chance,
                           .vague_wanted = true};
    const lmb_result whole = embed_creature(all, out, seen, error);
    const bool vague =
        whole == LMB_OK && out->kind == LMB_SKELETON_GENERIC && opts->kind != LMB_SKELETON_GENERIC;
    if (whole != LMB_ERROR_UNSUPPORTED && !vague) {
        return whole;
    }
    lmbi_voxel_cache *body;
    lmb_embedding made;
    lmbi_seen_animal other;
    lmb_result alone = lmbi_embed_input_main_body(input, figure ? &plane : NULL, &body, NULL);
    if (alone != LMB_OK || !body) {
        return alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : whole;
    }
    const creatures left = {
        .opts = opts, .cache = body, .network = input->animals, .vague_wanted = whole != LMB_OK};
    alone = embed_creature(left, &made, &other, NULL);
    if (alone == LMB_OK) {
        *out = made;
        *seen = other;
    }
    return alone == LMB_OK ? LMB_OK : alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : whole;
}

/// Embeds the human that is seen, or what is likelier. Errors: as embed_creature_or_main_body.
static lmb_result embed_human_or_creature(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                          lmbi_seen_figure *figure, bool given_human,
                                          lmb_embedding *out, lmbi_seen_animal *seen,
                                          lmb_error *error)
{
    // What is hardly a human is first looked at as an animal.
    const bool animal = !given_human && figure->chance < EVEN;
    lmb_result found = LMB_ERROR_UNSUPPORTED;
    lmb_embedding human, creature;
    if (animal) {
        found = embed_creature_or_main_body(input, opts, figure, NULL, &creature, seen, error);
    }
    const bool rival = found == LMB_OK && creature.kind != LMB_SKELETON_GENERIC;
    // What stands as files have it, and is hardly a human so, is no human that does not.
    if (rival && seen->stands && creature.overall > SURE && figure->chance < UNLIKELY) {
        *out = creature;
        return LMB_OK;
    }
    const lmb_result result =
        found == LMB_ERROR_MEMORY
            ? found
            : lmbi_embed_human(input, opts, figure, &human, animal ? NULL : error);
    if (result == LMB_ERROR_MEMORY) {
        return result;
    }
    const bool is_human = result == LMB_OK;
    if (rival) {
        *out = is_human && human.overall >= creature.overall ? human : creature;
        return LMB_OK;
    }
    if (is_human && (given_human || human.overall >= SURE)) {
        *out = human;
        return LMB_OK;
    }
    if (!is_human && (result != LMB_ERROR_UNSUPPORTED || given_human)) {
        return result == LMB_ERROR_UNSUPPORTED ? name_animal(input, opts, figure, error) : result;
    }
    if (!animal) {
        found = embed_creature_or_main_body(input, opts, figure, is_human ? &human : NULL,
                                            &creature, seen, error);
    }
    const bool human_remains = is_human && (found == LMB_ERROR_UNSUPPORTED || animal);
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
               may_be_human = told || opts->kind == LMB_SKELETON_AUTO;
    lmbi_seen_animal seen = {.chance = -1};
    lmb_result result = may_be_human ? lmbi_see_human(input, opts, figure, error) : LMB_OK;
    if (result == LMB_OK && lmbi_seen_clearly(figure)) {
        result = lmbi_embed_human(input, opts, figure, out, error);
        if (result != LMB_OK || out->overall >= SURE) {
            return result;
        }
    }
    if (result == LMB_OK && !input->animals) {
        result =
            lmbi_volume_network_create(LMBI_VOLUME_ANIMAL, input->alloc, &input->animals, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    result = may_be_human
                 ? embed_human_or_creature(input, opts, figure, given_human, out, &seen, error)
                 : embed_creature_or_main_body(input, opts, NULL, NULL, out, &seen, error);
    if (result == LMB_OK && opts->kind == LMB_SKELETON_AUTO) {
        name_next_best(&seen, out);
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
