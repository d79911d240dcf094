// Rows for tools/fit-volume.py: bodies as the volumes that the network of src/embed/volume/volume_network.c sees, a little
// turned and stretched, with the true joints of the limbs of humans. Included by embed_fit.c.
#ifndef BENCH_VOLUME_ROWS_H
#define BENCH_VOLUME_ROWS_H

#include "embed/human/human.h"

static lmb_quat turned_about(lmb_vec3 axis, float angle)
{
    const lmb_vec3 v = lmb_vec3_scale(axis, lmb_sin(angle / 2));
    return lmb_quat_make(v.x, v.y, v.z, lmb_cos(angle / 2));
}

/// The body's axes, turned by up to 15 degrees about up and 5 about left, and stretched by up to a fifth each.
static void jitter_axes(const labelled *b, lmb_random *r, lmb_vec3 out[3])
{
    const lmb_vec3 left = lmb_vec3_cross(b->up, b->forward), axes[3] = {left, b->up, b->forward};
    const lmb_quat about_up = turned_about(b->up, lmb_random_range(r, -0.25f, 0.25f)),
                   about_left = turned_about(left, lmb_random_range(r, -0.08f, 0.08f)),
                   q = lmb_quat_mul(about_up, about_left);
    for (int k = 0; k < 3; ++k)
        out[k] = lmb_vec3_scale(lmb_quat_rotate(q, axes[k]), lmb_random_range(r, 0.85f, 1.2f));
}

static FILE *volume_rows;

/// Of a row: a height and joints.
enum { VOLUME_NUMBERS = 1 + 3 * LMBI_SEEN_JOINTS };

/// A row: family [32] and name [64] as text, pose as int32, height in voxels and LMBI_SEEN_JOINTS joints as float32 in
/// voxels, all 0 of what is not a human and not a number where a rig does not tell them, and how much of each voxel is solid, in the machine's byte order.
static void write_volume_row(const labelled *b, const lmbi_volume *volume,
                             const float numbers[VOLUME_NUMBERS])
{
    char name[64] = {0}, family[32] = {0};
    snprintf(name, sizeof name, "%s", b->name);
    snprintf(family, sizeof family, "%s", b->family);
    const int32_t pose = b->pose;
    fwrite(family, sizeof family, 1, volume_rows);
    fwrite(name, sizeof name, 1, volume_rows);
    fwrite(&pose, sizeof pose, 1, volume_rows);
    fwrite(numbers, sizeof *numbers, VOLUME_NUMBERS, volume_rows);
    fwrite(volume->solid, sizeof volume->solid, 1, volume_rows);
}

static void measure_limbs(const labelled *b, const lmb_vec3 axes[3], const lmbi_volume *volume,
                          float numbers[VOLUME_NUMBERS])
{
    numbers[0] = b->height / volume->cell;
    for (int k = 0; k < LMBI_SEEN_JOINTS; ++k) {
        const lmb_vec3 p = lmb_vec3_scale(
            lmb_vec3_sub(lmbi_along_axes(b->limbs[k], axes), volume->low), 1 / volume->cell);
        numbers[1 + 3 * k] = p.x;
        numbers[2 + 3 * k] = p.y;
        numbers[3 + 3 * k] = p.z;
    }
}

/// A human with all its limbs once, which are posed in many ways; others, of which there are few, OTHER_VOLUMES times.
static void write_volume(labelled *b)
{
    enum { OTHER_VOLUMES = 8 };
    static lmb_random random;
    static bool seeded;
    static lmbi_volume volume;
    bool whole = true;
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k)
        whole = whole && b->has_limb[k];
    if (!seeded)
        random = lmb_random_seed(77);
    seeded = true;
    const bool made = !strncmp(b->family, "made", 4);
    for (int k = 0; k < (b->is_human ? whole : made ? 1 : OTHER_VOLUMES); ++k) {
        lmb_vec3 axes[3];
        float numbers[VOLUME_NUMBERS] = {0};
        jitter_axes(b, &random, axes);
        if (lmbi_volume_of(&b->soup, axes, lmbi_soup_bounds_along(&b->soup, axes), NULL, &volume,
                           NULL) != LMB_OK)
            return;
        if (b->is_human)
            measure_limbs(b, axes, &volume, numbers);
        write_volume_row(b, &volume, numbers);
    }
}

/// A made body as a labelled one, whose mesh stays its own.
static labelled label_made(const lmb_made_body *made, const char *family, uint64_t seed)
{
    const lmb_mesh *mesh = made->character->meshes[0];
    labelled b = {.up = made->up, .forward = made->facing};
    snprintf(b.name, sizeof b.name, "%s%u", family, (unsigned)seed);
    snprintf(b.family, sizeof b.family, "%s", family);
    b.soup = (lmbi_triangle_soup){mesh->positions, mesh->vertex_count, mesh->indices,
                                  mesh->index_count / 3, false};
    return b;
}

/// Volumes of made bodies of the kinds that are no humans.
static void write_other_volumes(uint32_t count, uint32_t first)
{
    static const struct {
        lmb_made_body_kind kind;
        const char *family;
    } kinds[] = {{LMB_MADE_QUADRUPED, "made quadruped"}, {LMB_MADE_BIRD, "made bird"},
                 {LMB_MADE_BIPED, "made biped"},         {LMB_MADE_FISH, "made fish"},
                 {LMB_MADE_HAND, "made hand"},           {LMB_MADE_SPIDER, "made spider"},
                 {LMB_MADE_SNAKE, "made snake"}};
    for (size_t n = 0; n < count * (sizeof kinds / sizeof *kinds); ++n) {
        const size_t kind = n / count;
        const lmb_made_body_opts opts = {.kind = kinds[kind].kind,
                                         .seed = first + n % count,
                                         .triangle_count = 3000,
                                         .pose = LMB_MADE_POSE_ANY};
        lmb_made_body *made = NULL;
        if (lmb_made_body_create(&opts, NULL, &made, NULL) != LMB_OK)
            continue;
        labelled b = label_made(made, kinds[kind].family, opts.seed);
        on_body(&b);
        lmb_made_body_destroy(made);
    }
}

#endif
