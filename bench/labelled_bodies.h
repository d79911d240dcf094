// Labelled bodies for bench/embed_fit.c: made humans and rigged characters, posed, with other proportions and with props.
#ifndef BENCH_LABELLED_BODIES_H
#define BENCH_LABELLED_BODIES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "author/gather.h"
#include "base/arena.h"
#include "bodies/bodies.h"
#include "embed/human/human.h"
#include "embed/shape/shape.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "posed_bodies.h"
#include "trunk_labels.h"

enum { PATH_SIZE = 1024 };

/// A mesh as it stands, with its true joints.
typedef struct labelled {
    char name[64], family[32];
    lmb_skeleton_kind kind;
    lmb_vec3 up, forward;
    lmbi_voxel_cache *cache;
    lmbi_triangle_soup soup;
    uint8_t pose;
    bool is_human, has_limb[LMBI_LIMB_JOINTS];
    lmb_vec3
        limbs[LMBI_SEEN_JOINTS]; ///< true joints of a human; not a number where they are not known
    float height;
} labelled;

static const int LIMBS[LMBI_LIMB_JOINTS] = {
    LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,  LMB_HUMAN_LEFT_HAND,
    LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND,
    LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,  LMB_HUMAN_LEFT_FOOT,
    LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG, LMB_HUMAN_RIGHT_FOOT};

/// Gets every body.
static void (*on_body)(labelled *body);
static const struct source *body_source; ///< of that body

// ------------------------------------------------------------------------------------ labels

/// A copy of the source's mesh as it stands.
static bool take_mesh(const source *s, labelled *b, lmbi_voxel_cache *cache)
{
    lmb_vec3 *pos = malloc(s->pos_count * sizeof *pos);
    uint32_t *tri = malloc((size_t)s->tri_count * 3 * sizeof *tri);
    memcpy(pos, s->pos, s->pos_count * sizeof *pos);
    memcpy(tri, s->tri, (size_t)s->tri_count * 3 * sizeof *tri);
    b->soup = (lmbi_triangle_soup){pos, s->pos_count, tri, s->tri_count, false};
    b->cache = cache;
    return lmbi_voxel_cache_create(&b->soup, NULL, cache, NULL) == LMB_OK;
}

static void label_limbs(const source *s, labelled *b)
{
    b->is_human = s->human;
    float lo = 1e30f, hi = -1e30f;
    for (uint32_t k = 0; k < s->tri_count * 3; ++k) {
        lo = fminf(lo, s->pos[s->tri[k]].y);
        hi = fmaxf(hi, s->pos[s->tri[k]].y);
    }
    b->height = hi - lo;
    for (int k = 0; k < LMBI_LIMB_JOINTS && s->human; ++k) {
        const int32_t j = s->map.bones[LIMBS[k]].joint;
        b->has_limb[k] = j >= 0;
        if (j >= 0)
            b->limbs[k] = lmb_mat4_translation(s->m[j]);
        if (j >= 0 && (k == 2 || k == 5) && s->fingers_alone[k == 5])
            b->limbs[k] = lmb_vec3_lerp(b->limbs[k - 1], b->limbs[k], 0.85f);
    }
    if (s->human)
        label_trunk(s, b->height, b->limbs + LMBI_LIMB_JOINTS);
}

static void add_body(source *s, const char *suffix, int pose)
{
    static labelled b;
    lmbi_voxel_cache cache = {0};
    memset(&b, 0, sizeof b);
    snprintf(b.name, sizeof b.name, "%.40s%.20s", s->name, suffix);
    snprintf(b.family, sizeof b.family, "%s", s->family);
    b.kind = s->kind;
    b.pose = (uint8_t)pose;
    b.up = lmb_vec3_make(0, 1, 0);
    b.forward = s->facing;
    if (take_mesh(s, &b, &cache)) {
        label_limbs(s, &b);
        body_source = s;
        on_body(&b);
        lmbi_voxel_cache_destroy(&cache);
    } else
        fprintf(stderr, "no voxels: %s\n", b.name);
    free((void *)(uintptr_t)b.soup.positions);
    free((void *)(uintptr_t)b.soup.triangles);
}

/// Takes a finger for a hand that has no joint, and hangs feet that hang from the root, as some rigs have them, on
/// their shins.
static void join_loose_ends(source *s)
{
    const lmb_skeleton *k = s->c->skeleton;
    lmb_bone_match *bones = s->map.bones;
    for (int side = 0; side < 2; ++side) {
        const int hand = side ? LMB_HUMAN_RIGHT_HAND : LMB_HUMAN_LEFT_HAND,
                  foot = side ? LMB_HUMAN_RIGHT_FOOT : LMB_HUMAN_LEFT_FOOT;
        const int32_t arm = bones[hand - 1].joint, shin = bones[foot - 1].joint,
                      sole = bones[foot].joint;
        s->fingers_alone[side] = bones[hand].joint < 0 && arm >= 0;
        for (uint32_t j = 0; j < k->joint_count && s->fingers_alone[side] && bones[hand].joint < 0;
             ++j)
            bones[hand].joint = k->parents[j] == arm ? (int32_t)j : LMB_NONE;
        if (sole >= 0 && shin >= 0 && !lmbi_is_under(k, sole, shin))
            s->loose[side][0] = sole, s->loose[side][1] = shin;
    }
}

/// Finds the joints of a human, or the facing of an animal with legs and a neck.
static bool find_joints(source *s, const char *kind)
{
    if (!strcmp(kind, "humanoid")) {
        lmb_joint_map_of_character(s->c, NULL, &s->map, NULL);
        join_loose_ends(s);
        s->human = true;
        s->kind = LMB_SKELETON_HUMAN;
        s->facing = lmb_joint_map_facing(&s->map, s->c->skeleton);
        return s->map.bones[LMB_HUMAN_LEFT_FOOT].joint >= 0;
    }
    lmb_chain_map cm;
    s->kind = !strcmp(kind, "quadruped") ? LMB_SKELETON_QUADRUPED
              : !strcmp(kind, "bird")    ? LMB_SKELETON_BIRD
                                         : LMB_SKELETON_BIPED;
    if (lmb_chain_map_find(s->c->skeleton, NULL, &cm, NULL) != LMB_OK)
        return false;
    s->facing = cm.front;
    bool leg = false, neck = false;
    for (uint32_t k = 0; k < cm.count; ++k) {
        const lmb_body_chain *ch = &cm.chains[k];
        leg = leg || (ch->kind == LMB_CHAIN_LEG && ch->side > 0 && ch->pair == 0);
        neck = neck || ch->kind == LMB_CHAIN_NECK;
    }
    return leg && neck;
}

static float height_of(const source *s)
{
    float lo = 1e30f, hi = -1e30f;
    for (uint32_t k = 0; k < s->g.triangle_count * 3; ++k) {
        lo = fminf(lo, s->pos[s->g.triangles[k]].y);
        hi = fmaxf(hi, s->pos[s->g.triangles[k]].y);
    }
    return hi - lo;
}

static void add_variants(source *s, uint32_t count, uint64_t seed)
{
    const size_t size = s->c->skeleton->joint_count * sizeof *s->m;
    for (uint32_t v = 0; v < count; ++v) {
        lmb_random r = lmb_random_seed(seed * 977 + v);
        memcpy(s->m, s->m0, size);
        int pose = 0;
        if (s->human && v > 0) {
            reshape(s, s->m, &r);
            if (v % 3 == 0)
                memcpy(s->m, s->m0, size);
            pose = (int)(lmb_random_unit(&r) * POSES) % POSES;
            pose_human(s, s->m, pose, &r);
        }
        skin_all(s);
        if (s->human && v > 1)
            add_props(s, &r, height_of(s));
        char suffix[24];
        snprintf(suffix, sizeof suffix, ".%u.%d", v, pose);
        add_body(s, suffix, pose);
    }
}

static void source_free(source *s)
{
    free(s->m0);
    free(s->m);
    free(s->pos);
    free(s->tri);
    lmbi_arena_free(&s->arena);
}

// ------------------------------------------------------------------------------------ files

static bool load(void *user, const char *name, lmb_bytes *out)
{
    (void)user;
    (void)name;
    (void)out;
    return false;
}
static void release(void *user, lmb_bytes bytes)
{
    (void)user;
    (void)bytes;
}
static lmb_character *read_file(const char *path)
{
    lmb_file file = {0};
    if (lmb_file_read(path, 0, &file, NULL) != LMB_OK)
        return NULL;
    const lmb_loader loader = {load, release, NULL};
    lmb_character *made = NULL;
    const lmb_format format = strstr(path, ".fbx") ? LMB_FORMAT_FBX : LMB_FORMAT_GLTF;
    lmb_read(format, file.data, file.size, &(lmb_read_opts){.loader = &loader}, NULL, &made, NULL);
    lmb_file_free(&file);
    return made;
}
static uint64_t file_seed;
static void add_files(const char *root, uint32_t variants)
{
    char list[PATH_SIZE], line[PATH_SIZE];
    snprintf(list, sizeof list, "%s/../tools/artist-rigs.txt", root);
    FILE *f = fopen(list, "r");
    while (f && fgets(line, sizeof line, f)) {
        char kind[64], path[PATH_SIZE], full[2 * PATH_SIZE];
        const char *fam = strstr(line, "family: ");
        if (line[0] == '#' || !fam || sscanf(line, "%63s %1000s", kind, path) != 2)
            continue;
        const bool test = strstr(path, "rpm_") || strstr(path, "v_") || strstr(path, "th_");
        if (test)
            continue;
        snprintf(full, sizeof full, "%s/%s", root, path);
        source s = {.c = read_file(full)};
        if (!s.c)
            continue;
        const char *folder = strrchr(path, '/');
        snprintf(s.name, sizeof s.name, "%.60s", folder ? folder + 1 : path);
        snprintf(s.family, sizeof s.family, "%.30s", fam + 8);
        s.family[strcspn(s.family, "\n")] = 0;
        if (find_joints(&s, kind) && source_init(&s)) {
            add_variants(&s, s.human ? variants : 1, ++file_seed);
            source_free(&s);
        } else
            fprintf(stderr, "left out: %s\n", path);
        lmb_character_destroy(s.c);
    }
    if (f)
        fclose(f);
}
/// Made humans, in four variants.
static void add_made_humans(uint32_t count, uint64_t first)
{
    enum { VARIANTS = 4 };
    for (uint32_t k = 0; k < count; ++k) {
        lmb_made_body *b = NULL;
        const lmb_made_body_opts o = {.seed = first + k, .triangle_count = 3000, .rigged = true};
        if (lmb_made_body_create(&o, NULL, &b, NULL) != LMB_OK)
            continue;
        source s = {.c = b->character, .facing = b->facing};
        snprintf(s.name, sizeof s.name, "made human%u", (unsigned)(first + k));
        snprintf(s.family, sizeof s.family, "made human");
        if (find_joints(&s, "humanoid") && source_init(&s)) {
            add_variants(&s, VARIANTS, first + k);
            source_free(&s);
        }
        lmb_made_body_destroy(b);
    }
}

#endif
