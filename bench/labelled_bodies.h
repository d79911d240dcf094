// Labelled bodies for bench/embed_fit.c: made ones and rigged characters, posed, with other proportions and with props,
// each reduced to its true view and the tips at the true ends of its chains.
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
#include "embed/match/match.h"
#include "embed/shape/shape.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "posed_bodies.h"
#include "trunk_labels.h"

enum { PATH_SIZE = 1024, MAX_BODIES = 4000, MAX_TIPS = LMBI_VIEW_TIPS, FAMILIES = 32 };

/// A labelled body reduced to what the fit and the search need.
typedef struct labelled {
    char name[64], family[32];
    int fam;
    lmbi_body_plan plan;
    lmb_vec3 up, forward;
    lmbi_body_view view;          ///< the true one
    int32_t role[LMBI_CHAINS][2]; ///< true tips
    bool known[LMBI_CHAINS][2];   ///< the truth has that end
    lmbi_body_shape *voxels;      ///< kept for the search
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

static labelled bodies[MAX_BODIES];
/// If set it gets every body, and none is kept; without voxels and tips if it needs but meshes.
static void (*on_body)(labelled *body);
static bool meshes_alone;
static const struct source *body_source; ///< of that body
static uint32_t body_count;
static char families[FAMILIES][32];
static int family_count;

static int family_of(const char *name)
{
    for (int f = 0; f < family_count; ++f)
        if (!strcmp(families[f], name))
            return f;
    snprintf(families[family_count], 32, "%s", name);
    return family_count++;
}

// ------------------------------------------------------------------------------------ labels

/// Marks the tip with the longest branch within reach of a joint.
static int32_t tip_near(const lmbi_body_shape *x, uint32_t count, const lmbi_frame *frame,
                        lmb_vec3 at, float reach, const labelled *b)
{
    const lmb_vec3 p = lmbi_frame_to(frame, at);
    int32_t best = LMB_NONE;
    for (uint32_t t = 0; t < count; ++t) {
        bool used = false;
        for (int c = 0; c < LMBI_CHAINS; ++c)
            used = used || b->role[c][0] == (int32_t)t || b->role[c][1] == (int32_t)t;
        if (!used && lmb_vec3_distance(x->tips[t].position, p) < reach &&
            (best < 0 || x->tips[t].length > x->tips[best].length))
            best = (int32_t)t;
    }
    return best;
}

static lmb_vec3 end_of(const source *s, int c, int k)
{
    if (s->marked[c][k])
        return s->marks[c][k];
    const int32_t j = s->ends[c][k], parent = s->c->skeleton->parents[j];
    const lmb_vec3 p = lmb_mat4_translation(s->m[j]);
    return parent < 0
               ? p
               : lmb_vec3_mad(p, lmb_vec3_sub(p, lmb_mat4_translation(s->m[parent])), s->beyond);
}

/// The voxels of a body's mesh; false if there are none.
static bool voxelise(labelled *b)
{
    b->cache = calloc(1, sizeof *b->cache);
    const lmbi_body_shape *x;
    if (lmbi_voxel_cache_create(&b->soup, NULL, b->cache, NULL) != LMB_OK ||
        lmbi_voxel_cache_get(b->cache, LMBI_VOXELS_COARSE, &x, NULL) != LMB_OK) {
        fprintf(stderr, "no voxels: %s\n", b->name);
        return false;
    }
    b->voxels = (lmbi_body_shape *)(uintptr_t)x;
    return true;
}

/// A copy of the source's mesh as it stands, and its voxels if they are needed; false if there are none.
static bool take_mesh(const source *s, labelled *b)
{
    lmb_vec3 *pos = malloc(s->pos_count * sizeof *pos);
    uint32_t *tri = malloc((size_t)s->tri_count * 3 * sizeof *tri);
    memcpy(pos, s->pos, s->pos_count * sizeof *pos);
    memcpy(tri, s->tri, (size_t)s->tri_count * 3 * sizeof *tri);
    b->soup = (lmbi_triangle_soup){pos, s->pos_count, tri, s->tri_count, false};
    return meshes_alone || voxelise(b);
}

/// The true view, whose plane runs through the root joint, and the tips at the ends of chains.
static void label_tips(const source *s, labelled *b)
{
    const lmbi_body_shape *x = b->voxels;
    const uint32_t n = x->tip_count < MAX_TIPS ? x->tip_count : MAX_TIPS;
    for (int c = 0; c < LMBI_CHAINS; ++c)
        b->role[c][0] = b->role[c][1] = LMB_NONE;
    const lmb_vec3 left =
        lmb_vec3_normalize_or(lmb_vec3_cross(b->up, b->forward), lmb_vec3_make(1, 0, 0));
    lmb_vec3 normal = left;
    float offset = lmb_vec3_dot(x->body.centroid, left);
    const float miss = lmbi_mirror_refine(&x->body, b->up, &normal, &offset);
    lmbi_body_view_measure(&x->body, x->tips, x->tip_count, left, b->up, offset, miss, &b->view);
    static const int order[LMBI_CHAINS] = {LMBI_CHAIN_UPPER, LMBI_CHAIN_FORE, LMBI_CHAIN_LEGS,
                                           LMBI_CHAIN_TAIL,  LMBI_CHAIN_HEAD, LMBI_CHAIN_MIDDLE,
                                           LMBI_CHAIN_THIRD};
    for (int o = 0; o < LMBI_CHAINS; ++o) {
        const int c = order[o];
        for (int k = 0; k < 2; ++k) {
            if (s->ends[c][k] < 0 && !s->marked[c][k])
                continue;
            b->known[c][k] = true;
            const float reach = (c == LMBI_CHAIN_HEAD ? 1.0f : 0.55f) * b->view.radius;
            b->role[c][k] = tip_near(x, n, &b->cache->frame, end_of(s, c, k), reach, b);
        }
    }
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
    if (body_count >= MAX_BODIES)
        return;
    labelled *b = &bodies[body_count];
    memset(b, 0, sizeof *b);
    snprintf(b->name, sizeof b->name, "%.40s%.20s", s->name, suffix);
    snprintf(b->family, sizeof b->family, "%s", s->family);
    b->fam = family_of(s->family);
    b->plan = s->plan;
    b->pose = (uint8_t)pose;
    b->up = lmb_vec3_make(0, 1, 0);
    b->forward = s->facing;
    if (!take_mesh(s, b))
        return;
    if (!meshes_alone)
        label_tips(s, b);
    label_limbs(s, b);
    ++body_count;
    if (on_body) {
        body_source = s;
        on_body(b);
        if (!meshes_alone)
            lmbi_voxel_cache_destroy(b->cache);
        free(b->cache);
        free((void *)(uintptr_t)b->soup.positions);
        free((void *)(uintptr_t)b->soup.triangles);
        --body_count;
    }
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

/// Fills the ends of chains from the maps of the skeleton.
static bool find_ends(source *s, const char *kind)
{
    for (int c = 0; c < LMBI_CHAINS; ++c)
        s->ends[c][0] = s->ends[c][1] = LMB_NONE;
    if (!strcmp(kind, "humanoid")) {
        lmb_joint_map_of_character(s->c, NULL, &s->map, NULL);
        join_loose_ends(s);
        s->human = true;
        s->plan = LMBI_PLAN_HUMAN;
        s->facing = lmb_joint_map_facing(&s->map, s->c->skeleton);
        s->ends[LMBI_CHAIN_FORE][0] = s->map.bones[LMB_HUMAN_LEFT_HAND].joint;
        s->ends[LMBI_CHAIN_FORE][1] = s->map.bones[LMB_HUMAN_RIGHT_HAND].joint;
        s->ends[LMBI_CHAIN_LEGS][0] = s->map.bones[LMB_HUMAN_LEFT_FOOT].joint;
        s->ends[LMBI_CHAIN_LEGS][1] = s->map.bones[LMB_HUMAN_RIGHT_FOOT].joint;
        s->ends[LMBI_CHAIN_HEAD][0] = s->map.bones[LMB_HUMAN_HEAD].joint;
        return s->ends[LMBI_CHAIN_LEGS][0] >= 0;
    }
    lmb_chain_map cm;
    s->plan = !strcmp(kind, "quadruped") ? LMBI_PLAN_QUADRUPED
              : !strcmp(kind, "bird")    ? LMBI_PLAN_BIRD
                                         : LMBI_PLAN_BIPED;
    if (lmb_chain_map_find(s->c->skeleton, NULL, &cm, NULL) != LMB_OK)
        return false;
    s->facing = cm.front;
    for (uint32_t k = 0; k < cm.count; ++k) {
        const lmb_body_chain *ch = &cm.chains[k];
        const int32_t last = ch->joints[ch->count - 1],
                      end = ch->kind == LMB_CHAIN_LEG || ch->kind == LMB_CHAIN_ARM
                                ? ch->joints[ch->end]
                                : last;
        const int side = ch->side < 0;
        if (ch->kind == LMB_CHAIN_LEG && ch->side)
            s->ends[ch->pair == 0 ? LMBI_CHAIN_LEGS : LMBI_CHAIN_FORE][side] = end;
        if (ch->kind == LMB_CHAIN_ARM && ch->side && ch->pair == 0)
            s->ends[LMBI_CHAIN_FORE][side] = end;
        if (ch->kind == LMB_CHAIN_NECK)
            s->ends[LMBI_CHAIN_HEAD][0] = last;
        if (ch->kind == LMB_CHAIN_TAIL)
            s->ends[LMBI_CHAIN_TAIL][0] = last;
    }
    return s->ends[LMBI_CHAIN_LEGS][0] >= 0 && s->ends[LMBI_CHAIN_HEAD][0] >= 0;
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
            pose = v % 3 == 1 && !on_body ? REST : (int)(lmb_random_unit(&r) * POSES) % POSES;
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
        if (find_ends(&s, kind) && source_init(&s)) {
            add_variants(&s, s.human ? variants : 1, on_body ? ++file_seed : body_count + 1);
            source_free(&s);
        } else
            fprintf(stderr, "left out: %s\n", path);
        lmb_character_destroy(s.c);
    }
    if (f)
        fclose(f);
}
static int32_t made_joint(const lmb_made_body *b, const char *name)
{
    for (uint32_t j = 0; j < b->joint_count; ++j)
        if (!strcmp(b->names[j], name))
            return lmb_skeleton_find(b->character->skeleton, name);
    return LMB_NONE;
}
/// With a pose of their own, humans have one variant; of those in a T-pose the thighs touch.
static void add_made(lmb_made_body_kind kind, lmbi_body_plan plan, const char *family,
                     uint32_t count, uint64_t first, lmb_made_body_pose pose)
{
    const uint32_t human_variants = pose == LMB_MADE_POSE_ANY ? 4 : 1;
    for (uint32_t k = 0; k < count; ++k) {
        lmb_made_body *b = NULL;
        const lmb_made_body_opts o = {.kind = kind,
                                      .seed = first + k,
                                      .triangle_count = 3000,
                                      .pose = pose,
                                      .rigged = true,
                                      .together = pose == LMB_MADE_POSE_T};
        if (lmb_made_body_create(&o, NULL, &b, NULL) != LMB_OK)
            continue;
        source s = {.c = b->character, .plan = plan, .facing = b->facing};
        snprintf(s.name, sizeof s.name, "%s%u", family, (unsigned)(first + k));
        snprintf(s.family, sizeof s.family, "%s", family);
        bool ok = true;
        if (kind == LMB_MADE_HUMANOID) {
            ok = find_ends(&s, "humanoid");
            s.plan = plan;
        } else {
            for (int c = 0; c < LMBI_CHAINS; ++c)
                s.ends[c][0] = s.ends[c][1] = LMB_NONE;
            const bool q = plan == LMBI_PLAN_QUADRUPED;
            s.ends[LMBI_CHAIN_LEGS][0] = made_joint(b, q ? "leftBackFoot" : "leftFoot");
            s.ends[LMBI_CHAIN_LEGS][1] = made_joint(b, q ? "rightBackFoot" : "rightFoot");
            s.ends[LMBI_CHAIN_FORE][0] = made_joint(b, q ? "leftFrontFoot" : "leftHand");
            s.ends[LMBI_CHAIN_FORE][1] = made_joint(b, q ? "rightFrontFoot" : "rightHand");
            s.ends[LMBI_CHAIN_HEAD][0] = made_joint(b, "head");
            s.ends[LMBI_CHAIN_TAIL][0] = made_joint(b, q ? "tail3" : "tail");
        }
        if (ok && source_init(&s)) {
            add_variants(&s, s.human ? human_variants : 1, first + k);
            source_free(&s);
        }
        lmb_made_body_destroy(b);
    }
}

#endif
