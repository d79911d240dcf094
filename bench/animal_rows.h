// Rows for tools/fit-animal.py: animals as the volumes that the network of src/embed/volume sees, a little turned and
// stretched, with their true joints. Included by embed_fit.c after volume_rows.h. embed_fit DATA --animals ROWS writes those
// of artists, with FIRST and COUNT behind it made ones.
#ifndef BENCH_ANIMAL_ROWS_H
#define BENCH_ANIMAL_ROWS_H

#include "embed/creature/animal.h"

enum { ANIMAL_NUMBERS = 3 * LMBI_ANIMAL_JOINTS };

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

/// A skeleton with names.
typedef struct named_joints {
    const char *const *names;
    const lmb_vec3 *positions;
    uint32_t count;
} named_joints;

/// The joint of a name, or LMB_NONE.
static int joint_of(const char *name, const animal_name *names)
{
    const int side = !strncmp(name, "left", 4) ? 4 : !strncmp(name, "right", 5) ? 5 : 0;
    for (; names->name; ++names)
        if (names->paired == (side > 0) && !strcmp(name + side, names->name))
            return side == 5 ? lmbi_animal_other_side(names->joint) : names->joint;
    return LMB_NONE;
}

/// Joints with the names of a kind, in voxels of a volume along axes.
static void take_joints(const named_joints *of, const animal_name *names, const lmb_vec3 axes[3],
                        const lmbi_volume *v, float out[ANIMAL_NUMBERS])
{
    for (uint32_t j = 0; j < of->count; ++j) {
        const int at = joint_of(of->names[j], names);
        const lmb_vec3 p = lmb_vec3_scale(
            lmb_vec3_sub(lmbi_along_axes(of->positions[j], axes), v->low), 1 / v->cell);
        if (at != LMB_NONE)
            out[3 * at] = p.x, out[3 * at + 1] = p.y, out[3 * at + 2] = p.z;
    }
}

/// Joints from `first` to before `last` that are not told, of which nothing is known: infinite.
static void mark_unknown(int first, int last, float out[ANIMAL_NUMBERS])
{
    for (int k = 3 * first; k < 3 * last; ++k)
        out[k] = isnan(out[k]) ? (float)INFINITY : out[k];
}

/// Of chains of which some joint is told the others are there too.
static void mark_rest_of_chains(float out[ANIMAL_NUMBERS])
{
    static const int ends[] = {LMBI_ANIMAL_TAIL,   LMBI_ANIMAL_BACK_FIN, LMBI_ANIMAL_HIND,
                               LMBI_ANIMAL_FORE,   LMBI_ANIMAL_WING,     LMBI_ANIMAL_ARM,
                               LMBI_ANIMAL_MIDDLE, LMBI_ANIMAL_THIRD,    LMBI_ANIMAL_FIN,
                               LMBI_ANIMAL_JOINTS};
    for (int c = 0, first = 0; c < (int)(sizeof ends / sizeof *ends); first = ends[c++]) {
        bool told = false;
        for (int k = first == 0 ? LMBI_ANIMAL_CHEST : first; k < ends[c];
             ++k) // a snake's head has no trunk
            told = told || !isnan(out[3 * k]);
        if (told)
            mark_unknown(first, ends[c], out);
    }
}

static FILE *animal_file;
static lmb_random animal_random;

/// A body so many times: family [32] and name [64] as text, joints in voxels as float32, not a number where there are none and
/// infinite where that is not known, and how much of each voxel is solid, in the machine's byte order.
static void write_animal(const labelled *b, const named_joints *joints,
                         const animal_name *const names[2], uint32_t hidden, int times)
{
    static lmbi_volume volume;
    char name[64] = {0}, family[32] = {0};
    snprintf(name, sizeof name, "%s", b->name);
    snprintf(family, sizeof family, "%s", b->family);
    for (int k = 0; k < times; ++k) {
        lmb_vec3 axes[3];
        float numbers[ANIMAL_NUMBERS];
        for (int n = 0; n < ANIMAL_NUMBERS; ++n)
            numbers[n] = (float)NAN;
        jitter_axes(b, &animal_random, axes);
        if (lmbi_volume_of(&b->soup, axes, lmbi_soup_bounds_along(&b->soup, axes), NULL, &volume,
                           NULL) != LMB_OK)
            return;
        for (int n = 0; n < 2 && names[n]; ++n)
            take_joints(joints, names[n], axes, &volume, numbers);
        mark_rest_of_chains(numbers);
        if (hidden >> LMBI_PART_TAIL & 1)
            mark_unknown(LMBI_ANIMAL_TAIL, LMBI_ANIMAL_BACK_FIN, numbers);
        if (hidden >> LMBI_PART_HIND & 1)
            mark_unknown(LMBI_ANIMAL_HIND, LMBI_ANIMAL_FORE, numbers);
        if (hidden >> LMBI_PART_FORE & 1)
            mark_unknown(LMBI_ANIMAL_FORE, LMBI_ANIMAL_WING, numbers);
        if (hidden >> LMBI_PART_ENDS & 1) {
            mark_unknown(LMBI_ANIMAL_SNOUT, LMBI_ANIMAL_SNOUT + 1, numbers);
            mark_unknown(LMBI_ANIMAL_TAIL_END, LMBI_ANIMAL_TAIL_END + 1, numbers);
        }
        fwrite(family, sizeof family, 1, animal_file);
        fwrite(name, sizeof name, 1, animal_file);
        fwrite(numbers, sizeof *numbers, ANIMAL_NUMBERS, animal_file);
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
        uint32_t hidden;
    } kinds[] = {{LMB_MADE_QUADRUPED, "made quadruped", {on_legs, of_arms}, 0},
                 {LMB_MADE_BIRD, "made bird", {on_legs, of_wings}, 0},
                 {LMB_MADE_BIPED, "made biped", {on_legs, of_arms}, 0},
                 {LMB_MADE_FISH, "made fish", {of_fish, NULL}, 0},
                 {LMB_MADE_SPIDER, "made spider", {of_three, NULL}, 0},
                 {LMB_MADE_SNAKE, "made snake", {of_snakes, NULL}, 1u << LMBI_PART_ENDS}};
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
        const named_joints joints = {made->names, made->positions, made->joint_count};
        const animal_name *names[2] = {kinds[kind].names[0], kinds[kind].names[1]};
        for (uint32_t j = 0; j < made->joint_count; ++j)
            names[0] = strcmp(made->names[j], "leftLeg4Upper") ? names[0] : of_four;
        write_animal(&b, &joints, names, kinds[kind].hidden, TIMES);
        lmb_made_body_destroy(made);
    }
    fclose(animal_file);
    return 0;
}

/// An artist's animal, with joints as rows place them along its true chains; legs and tail are there also where no tip of
/// the solid is their end.
static void write_artist_animal(labelled *b)
{
    enum { TIMES = 40 };
    lmbi_body_shape shape;
    lmbi_reading r = {.plan = b->plan,
                      .left = b->view.left,
                      .up = b->view.up,
                      .forward = b->view.forward,
                      .offset = b->view.offset};
    memcpy(r.tips, b->role, sizeof r.tips);
    if (b->is_human ||
        lmbi_body_shape_create_rotated(b->cache, r.left, r.up, r.offset, &shape, NULL) != LMB_OK)
        return;
    const lmbi_joint_rows *plan = lmbi_plan_rows(b->plan);
    lmbi_anchors a;
    lmb_embedding e;
    lmbi_anchors_find(&shape, &r, &plan->lines, b->voxels, &a);
    lmbi_animal_place(&shape, plan, &a, &e);
    lmbi_body_shape_destroy(&shape);
    const char *names[LMB_EMBEDDING_JOINTS];
    for (uint32_t j = 0; j < e.joint_count; ++j)
        names[j] = e.names[j];
    const named_joints joints = {names, e.joints, e.joint_count};
    const animal_name *const of[2] = {on_legs, b->plan == LMBI_PLAN_BIRD ? of_wings : of_arms};
    write_animal(b, &joints, of,
                 1u << LMBI_PART_TAIL | 1u << LMBI_PART_HIND |
                     (b->plan == LMBI_PLAN_QUADRUPED ? 1u << LMBI_PART_FORE : 0),
                 TIMES);
}

static int write_artist_animals(const char *data, const char *path)
{
    animal_file = fopen(path, "wb");
    animal_random = lmb_random_seed(7);
    on_body = write_artist_animal;
    add_files(data, 1);
    fclose(animal_file);
    return 0;
}

#endif
