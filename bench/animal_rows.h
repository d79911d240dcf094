// Rows for tools/fit-animal.py: animals as the volumes that the network of src/embed/volume sees, a little turned and
// stretched, with their true joints. Included by embed_fit.c after volume_rows.h. embed_fit DATA --animals ROWS writes those
// of artists, with FIRST and COUNT behind it made ones.
#ifndef BENCH_ANIMAL_ROWS_H
#define BENCH_ANIMAL_ROWS_H

#include "embed/creature/animal.h"

/// A joint's name without its side, and what it is; of pairs the left one.
typedef struct animal_name {
    const char *name;
    int joint;
    bool paired;
} animal_name;

#define LEG_NAMES(prefix, upper, middle, lower, pair, first)     \
    {prefix upper, LMBI_ANIMAL_##pair + (first), true},          \
        {prefix middle, LMBI_ANIMAL_##pair + (first) + 1, true}, \
    {                                                            \
        prefix lower, LMBI_ANIMAL_##pair + (first) + 2, true     \
    }
#define INSECT_NAMES(number, pair, first) \
    LEG_NAMES("Leg" #number, "Upper", "Middle", "Lower", pair, first)
#define BODY_OF_INSECT                                                        \
    {"body", LMBI_ANIMAL_CHEST, false}, {"abdomen", LMBI_ANIMAL_TAIL, false}, \
    {                                                                         \
        "head", LMBI_ANIMAL_HEAD, false                                       \
    }

static const animal_name on_legs[] = {{"hips", LMBI_ANIMAL_HIPS, false},
                                      {"spine", LMBI_ANIMAL_SPINE, false},
                                      {"chest", LMBI_ANIMAL_CHEST, false},
                                      {"neck", LMBI_ANIMAL_NECK, false},
                                      {"head", LMBI_ANIMAL_HEAD, false},
                                      {"tail", LMBI_ANIMAL_TAIL, false},
                                      {"tail1", LMBI_ANIMAL_TAIL, false},
                                      {"tail2", LMBI_ANIMAL_TAIL + 1, false},
                                      {"tail3", LMBI_ANIMAL_TAIL + 2, false},
                                      LEG_NAMES("Back", "UpperLeg", "LowerLeg", "Foot", HIND, 0),
                                      {"BackToes", LMBI_ANIMAL_HIND + 3, true},
                                      LEG_NAMES("", "UpperLeg", "LowerLeg", "Foot", HIND, 0),
                                      {"Toes", LMBI_ANIMAL_HIND + 3, true},
                                      {"FrontShoulder", LMBI_ANIMAL_FORE, true},
                                      LEG_NAMES("Front", "UpperLeg", "LowerLeg", "Foot", FORE, 1),
                                      {NULL, 0, false}};
static const animal_name
    of_wings[] = {LEG_NAMES("", "UpperArm", "LowerArm", "Hand", WING, 0), {NULL, 0, false}},
    of_arms[] = {LEG_NAMES("", "UpperArm", "LowerArm", "Hand", ARM, 0), {NULL, 0, false}},
    of_fish[] = {{"spine1", LMBI_ANIMAL_CHEST, false}, {"spine3", LMBI_ANIMAL_SPINE, false},
                 {"spine5", LMBI_ANIMAL_HIPS, false},  {"head", LMBI_ANIMAL_HEAD, false},
                 {"tailFin", LMBI_ANIMAL_TAIL, false}, {"dorsalFin", LMBI_ANIMAL_BACK_FIN, false},
                 {"Fin", LMBI_ANIMAL_FIN, true},       {NULL, 0, false}},
    of_snakes[] = {{"head", LMBI_ANIMAL_HEAD, false}, {NULL, 0, false}},
    of_three[] = {BODY_OF_INSECT,
                  INSECT_NAMES(1, FORE, 1),
                  INSECT_NAMES(2, MIDDLE, 0),
                  INSECT_NAMES(3, HIND, 0),
                  {NULL, 0, false}},
    of_four[] = {BODY_OF_INSECT,
                 INSECT_NAMES(1, FORE, 1),
                 INSECT_NAMES(2, MIDDLE, 0),
                 INSECT_NAMES(3, THIRD, 0),
                 INSECT_NAMES(4, HIND, 0),
                 {NULL, 0, false}};

/// The joint of a name, or LMB_NONE.
static int joint_of(const char *name, const animal_name *names)
{
    const int side = !strncmp(name, "left", 4) ? 4 : !strncmp(name, "right", 5) ? 5 : 0;
    for (; names->name; ++names)
        if (names->paired == (side > 0) && !strcmp(name + side, names->name))
            return side == 5 ? lmbi_animal_other_side(names->joint) : names->joint;
    return LMB_NONE;
}

/// What is not told, and what is not there.
static const lmb_vec3 UNKNOWN = {INFINITY, INFINITY, INFINITY}, ABSENT = {NAN, NAN, NAN};

/// Joints with the names of a kind.
static void take_joints(const lmb_made_body *of, const animal_name *names,
                        lmb_vec3 out[LMBI_ANIMAL_JOINTS])
{
    for (uint32_t j = 0; j < of->joint_count; ++j) {
        const int at = joint_of(of->names[j], names);
        if (at != LMB_NONE)
            out[at] = of->positions[j];
    }
}

/// Joints from `first` to before `last` that are not told, of which nothing is known.
static void mark_unknown(int first, int last, lmb_vec3 out[LMBI_ANIMAL_JOINTS])
{
    for (int k = first; k < last; ++k)
        out[k] = isnan(out[k].x) ? UNKNOWN : out[k];
}

/// Of chains of which some joint is told the others are there too.
static void mark_rest_of_chains(lmb_vec3 out[LMBI_ANIMAL_JOINTS])
{
    static const int ends[] = {LMBI_ANIMAL_TAIL,   LMBI_ANIMAL_BACK_FIN, LMBI_ANIMAL_HIND,
                               LMBI_ANIMAL_FORE,   LMBI_ANIMAL_WING,     LMBI_ANIMAL_ARM,
                               LMBI_ANIMAL_MIDDLE, LMBI_ANIMAL_THIRD,    LMBI_ANIMAL_FIN,
                               LMBI_ANIMAL_JOINTS};
    for (int c = 0, first = 0; c < (int)(sizeof ends / sizeof *ends); first = ends[c++]) {
        bool told = false;
        for (int k = first == 0 ? LMBI_ANIMAL_CHEST : first; k < ends[c];
             ++k) // a snake's head has no trunk
            told = told || !isnan(out[k].x);
        if (told)
            mark_unknown(first, ends[c], out);
    }
}

static FILE *animal_file;
static lmb_random animal_random;

/// A body so many times: family [32] and name [64] as text, joints in voxels as float32, not a number where there are none and
/// infinite where that is not known, and how much of each voxel is solid, in the machine's byte order.
static void write_animal(const labelled *b, const lmb_vec3 joints[LMBI_ANIMAL_JOINTS], int times)
{
    static lmbi_volume volume;
    char name[64] = {0}, family[32] = {0};
    snprintf(name, sizeof name, "%s", b->name);
    snprintf(family, sizeof family, "%s", b->family);
    for (int k = 0; k < times; ++k) {
        lmb_vec3 axes[3], numbers[LMBI_ANIMAL_JOINTS];
        jitter_axes(b, &animal_random, axes);
        if (lmbi_volume_of(&b->soup, axes, lmbi_soup_bounds_along(&b->soup, axes), NULL, &volume,
                           NULL) != LMB_OK)
            return;
        for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j)
            numbers[j] =
                !isfinite(joints[j].x)
                    ? joints[j]
                    : lmb_vec3_scale(lmb_vec3_sub(lmbi_along_axes(joints[j], axes), volume.low),
                                     1 / volume.cell);
        fwrite(family, sizeof family, 1, animal_file);
        fwrite(name, sizeof name, 1, animal_file);
        fwrite(numbers, sizeof numbers, 1, animal_file);
        fwrite(volume.solid, sizeof volume.solid, 1, animal_file);
    }
}

/// Made animals, which tell all their joints but for the ends of chains.
static int write_made_animals(const char *path, uint32_t first, uint32_t count)
{
    enum { TIMES = 2 };
    static const struct {
        lmb_made_body_kind kind;
        const char *family;
        const animal_name *names[2];
    } kinds[] = {{LMB_MADE_QUADRUPED, "made quadruped", {on_legs, of_arms}},
                 {LMB_MADE_BIRD, "made bird", {on_legs, of_wings}},
                 {LMB_MADE_BIPED, "made biped", {on_legs, of_arms}},
                 {LMB_MADE_FISH, "made fish", {of_fish, NULL}},
                 {LMB_MADE_SPIDER, "made spider", {of_three, NULL}},
                 {LMB_MADE_SNAKE, "made snake", {of_snakes, NULL}}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    animal_file = fopen(path, "wb");
    animal_random = lmb_random_seed(first + 5);
    for (uint32_t n = 0; n < count * KINDS; ++n) {
        const size_t kind = n % KINDS;
        const lmb_made_body_opts opts = {.kind = kinds[kind].kind,
                                         .seed = first + n,
                                         .triangle_count = 2000,
                                         .varied = n / KINDS % 4 != 0};
        lmb_made_body *made = NULL;
        if (lmb_made_body_create(&opts, NULL, &made, NULL) != LMB_OK)
            continue;
        const labelled b = label_made(made, kinds[kind].family, opts.seed);
        const animal_name *first_names = kinds[kind].names[0];
        lmb_vec3 joints[LMBI_ANIMAL_JOINTS];
        for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j)
            joints[j] = ABSENT;
        for (uint32_t j = 0; j < made->joint_count; ++j)
            first_names = strcmp(made->names[j], "leftLeg4Upper") ? first_names : of_four;
        take_joints(made, first_names, joints);
        if (kinds[kind].names[1])
            take_joints(made, kinds[kind].names[1], joints);
        mark_rest_of_chains(joints);
        if (kinds[kind].kind == LMB_MADE_SNAKE) {
            mark_unknown(LMBI_ANIMAL_SNOUT, LMBI_ANIMAL_SNOUT + 1, joints);
            mark_unknown(LMBI_ANIMAL_TAIL_END, LMBI_ANIMAL_TAIL_END + 1, joints);
        }
        write_animal(&b, joints, TIMES);
        lmb_made_body_destroy(made);
    }
    fclose(animal_file);
    return 0;
}

/// Whether joints of an artist's chain may be those that are told.
static bool may_be_on(const lmb_body_chain *chain, int joint)
{
    if (joint < LMBI_ANIMAL_TAIL)
        return chain->kind == LMB_CHAIN_SPINE || chain->kind == LMB_CHAIN_NECK;
    if (joint < LMBI_ANIMAL_BACK_FIN)
        return chain->kind == LMB_CHAIN_TAIL;
    int p = 0;
    while (p + 1 < LMBI_ANIMAL_PAIRS && joint >= lmbi_animal_pairs[p + 1].first)
        ++p;
    const int first = lmbi_animal_pairs[p].first;
    const bool left = joint - first < lmbi_animal_pairs[p].count,
               leg = first == LMBI_ANIMAL_HIND || first == LMBI_ANIMAL_FORE;
    return chain->side == (left ? 1 : -1) &&
           (leg ? chain->kind == LMB_CHAIN_LEG && (chain->pair == 0) == (first == LMBI_ANIMAL_HIND)
                : chain->kind == LMB_CHAIN_ARM);
}

/// Where a joint that was seen has one of the artist's near it on its chain, that one; else nothing is known.
static lmb_vec3 artists_joint(const lmb_chain_map *map, int joint, lmb_vec3 seen, float near)
{
    lmb_vec3 best = UNKNOWN;
    for (uint32_t c = 0; c < map->count; ++c)
        for (uint32_t k = 0; k < map->chains[c].count && may_be_on(&map->chains[c], joint); ++k) {
            const lmb_vec3 p = lmb_mat4_translation(body_source->m[map->chains[c].joints[k]]);
            const float far = lmb_vec3_distance(p, seen);
            best = far < near ? p : best;
            near = fminf(near, far);
        }
    return best;
}

static bool has_chain(const lmb_chain_map *map, int joint)
{
    bool has = false;
    for (uint32_t c = 0; c < map->count; ++c)
        has = has || may_be_on(&map->chains[c], joint);
    return has;
}

static lmbi_volume_network *animal_network;

/// An artist's animal, with its own joints: those that lie near where the network that ships sees one. A tail that
/// its rig leaves out may be there. A rig that has most of them elsewhere, or faces elsewhere, is left out.
static void write_artist_animal(labelled *b)
{
    enum { TIMES = 40 };
    lmb_chain_map map;
    lmbi_seen_animal seen;
    const lmb_embed_opts opts = {.up = b->up, .forward = b->forward, .kind = b->kind};
    if (b->is_human || lmb_chain_map_find(body_source->c->skeleton, NULL, &map, NULL) != LMB_OK ||
        lmbi_find_animal(animal_network, b->cache, &opts, &seen, NULL) != LMB_OK)
        return;
    const lmb_box box = lmbi_soup_bounds_along(&b->soup, seen.axes);
    const float near = 0.08f * lmbi_longest_side(lmb_vec3_sub(box.high, box.low));
    lmb_vec3 joints[LMBI_ANIMAL_JOINTS];
    for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j) {
        const bool end = j == LMBI_ANIMAL_SNOUT || j == LMBI_ANIMAL_TAIL_END,
                   wing = j >= LMBI_ANIMAL_WING && j < LMBI_ANIMAL_ARM,
                   arm = j >= LMBI_ANIMAL_ARM && j < LMBI_ANIMAL_MIDDLE,
                   may = j < LMBI_ANIMAL_BACK_FIN ||
                         (j >= LMBI_ANIMAL_HIND && j < LMBI_ANIMAL_WING) ||
                         (b->kind == LMB_SKELETON_BIRD ? wing : arm);
        joints[j] = ABSENT;
        if (may && has_chain(&map, j))
            joints[j] = artists_joint(&map, j, seen.at[j], end ? 0 : near);
        else if (j >= LMBI_ANIMAL_TAIL && j < LMBI_ANIMAL_BACK_FIN)
            joints[j] = UNKNOWN;
    }
    int told = 0, unknown = 0;
    for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j) {
        told += isfinite(joints[j].x);
        unknown += isinf(joints[j].x);
    }
    if (told > unknown)
        write_animal(b, joints, TIMES);
    else
        fprintf(stderr, "left out: %s\n", b->name);
}

static int write_artist_animals(const char *data, const char *path)
{
    animal_file = fopen(path, "wb");
    animal_random = lmb_random_seed(7);
    on_body = write_artist_animal;
    if (lmbi_volume_network_create(LMBI_VOLUME_ANIMAL, NULL, &animal_network, NULL) != LMB_OK)
        return 1;
    add_files(data, 1);
    lmbi_volume_network_destroy(animal_network);
    fclose(animal_file);
    return 0;
}

#endif
