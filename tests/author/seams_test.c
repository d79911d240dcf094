// Characters of many makers, their bare meshes rigged anew: what was closed at rest stays closed in a
// walk and in a dance. They are not part of the repository: skipped where LIMBER_SHARED does not lead
// to them. LIMBER_LONG=1 takes all of them, else a few that are spread over the kinds.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../bench/painted.h"
#include "io/bvh/bvh.h"
#include "seams.h"

/// Shares of the height.
static const float SEAM_MOST = 0.002f, CLOSE_MOST = 0.025f;
enum { FRAMES = 12, PATH = 1024 };

static char folder[PATH];
static lmb_character *walk, *dance;
static bool failed;

static lmb_character *read_dance(void)
{
    char path[PATH + 64];
    lmb_file file;
    lmb_character *character = NULL;
    snprintf(path, sizeof path, "%s/mocap/bvh/cmu_05_20_daz.bvh", folder);
    if (lmb_file_read(path, 0, &file, NULL) == LMB_OK) {
        lmbi_bvh_read(file.data, file.size, NULL, NULL, &character, NULL);
        lmb_file_free(&file);
    }
    return character;
}

// ---------------------------------------------------------------------------------- one character

/// The joints that the file's own skin has.
static void find_deforming(const lmb_character *c, uint8_t *deforms)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const uint32_t count = is_skinned(c, i) ? mesh->influences.first[mesh->vertex_count] : 0;
        for (uint32_t k = 0; k < count; ++k) {
            deforms[c->skins[c->instances[i].skin]->joints[mesh->influences.items[k].joint]] = 1;
        }
    }
}

/// Binds to the file's own skeleton anew; the clips, which are for that skeleton, stay the caller's.
static bool bind_anew(lmb_character **c)
{
    uint8_t *deforms = calloc((*c)->skeleton->joint_count, 1);
    lmb_skeleton *skeleton = NULL;
    find_deforming(*c, deforms);
    bool done = lmb_skeleton_create((*c)->skeleton, NULL, &skeleton, NULL) == LMB_OK;
    const lmb_bind_opts opts = {.skeleton = skeleton, .deforms = deforms};
    done = done && lmb_bind(c, &opts, NULL, NULL, NULL) == LMB_OK;
    lmb_skeleton_destroy(skeleton);
    free(deforms);
    return done;
}

typedef struct motions {
    lmb_clip *clips[2];
} motions;

static motions human_motions(const lmb_character *c)
{
    motions m = {{NULL, NULL}};
    const lmb_character *sources[2] = {walk, dance};
    for (int k = 0; k < 2; ++k) {
        lmb_retarget_report report;
        if (sources[k] != NULL) {
            lmb_retarget(c, sources[k], 0, NULL, NULL, &m.clips[k], &report, NULL);
        }
    }
    return m;
}

/// The first of the file's own clips and one from their middle.
static motions own_motions(const lmb_character *c)
{
    motions m = {{NULL, NULL}};
    for (uint32_t k = 0; k < 2 && k < c->clip_count; ++k) {
        lmb_clip_create(c->clips[k * (c->clip_count / 2)], NULL, &m.clips[k], NULL);
    }
    return m;
}

typedef struct gaps {
    uint32_t seam_count, close_count;
    float seam, close; ///< the widest seam; what 98 of 100 close pairs do not pass
} gaps;

static gaps measure(const lmb_character *c, const motions *m)
{
    lmb_deformer *deformer = NULL;
    gaps g = {0};
    if (lmb_deformer_create(c, NULL, &deformer, NULL) != LMB_OK) {
        return g;
    }
    seams s = seams_create(c, deformer);
    for (int k = 0; k < 2; ++k) {
        if (m->clips[k] != NULL) {
            seams_play(&s, c, deformer, m->clips[k], FRAMES);
        }
    }
    g.seam_count = s.seam_count;
    g.close_count = s.close_count;
    g.seam = seam_percentile(s.seam, s.seam_count, 100, s.height);
    g.close = seam_percentile(s.close, s.close_count, 98, s.height);
    seams_free(&s);
    lmb_deformer_destroy(deformer);
    return g;
}

/// What still parts farther than it should, and how far: not to become worse.
static const struct known {
    const char *name;
    float seam, close;
} known[] = {
    {"characters/q_Stan.glb", 0, 0.049f},     // parts of a robot that slide in each other
    {"characters/q_Leela.glb", 0, 0.079f},    // twelve pairs, of a robot's eyes and their sockets
    {"characters/qm_Casual2.glb", 0, 0.036f}, // hair that follows the neck, under hair of the head
    {"characters/v_cryptovoxels.vrm", 0, 0.12f}, // cubes: joint balls, and legs that touch at rest
    {"characters/q_Enemy.glb", 0, 0.05f},        // eight pairs, which its artist lets part by 0.047
    {"characters/q_George.glb", 0, 0.086f},      // a mech's hinges, not where a human's joints are
    {"characters/q_Mike.glb", 0, 0.1f},          // another's
    {"rigged/gltf/robot_quaternius.glb", 0.058f, 0.034f}, // its artist lets plates part by 0.0555
    {"rigged/gltf/babylon_riggedMesh.glb", 0, 0.038f},    // bars that turn on each other
};

static gaps limits_of(const char *name, gaps own)
{
    // Equal weights part equally, but for the rounding of sums in another order.
    const float rounding = 1.001f;
    gaps limits = {.seam = fmaxf(SEAM_MOST, rounding * own.seam),
                   .close = fmaxf(CLOSE_MOST, rounding * own.close)};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (strcmp(name, known[k].name) == 0) {
            limits.seam = fmaxf(limits.seam, known[k].seam);
            limits.close = fmaxf(limits.close, known[k].close);
        }
    }
    return limits;
}

/// What the artist lets open may open: the plates of a robot.
static void compare(const char *name, const char *how, gaps got, gaps own)
{
    const gaps limits = limits_of(name, own);
    const float seam = limits.seam, close = limits.close;
    const bool is_torn = !(got.seam <= seam) || !(got.close <= close);
    print_message("%-44s %-6s %6u seams %.4f of %.4f, %6u close %.4f of %.4f%s\n", name, how,
                  got.seam_count, (double)got.seam, (double)seam, got.close_count,
                  (double)got.close, (double)close, is_torn ? "  <--" : "");
    failed = failed || is_torn;
}

static void free_motions(motions *m)
{
    lmb_clip_destroy(m->clips[0]);
    lmb_clip_destroy(m->clips[1]);
}

/// By our skeleton where it is a human's and sure, else by the file's own.
static void try_file(const char *name)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    lmb_character *c = read_character(path);
    if (c == NULL || c->instance_count == 0) {
        lmb_character_destroy(c);
        return;
    }
    lmb_rig_report report;
    lmb_character *bare = read_character(path);
    const bool is_rigged = lmb_rig(&bare, NULL, &report, NULL, NULL) == LMB_OK &&
                           report.embedding.kind == LMB_SKELETON_HUMAN &&
                           report.embedding.overall > 0.5f;
    motions own = own_motions(c), m = own;
    if (is_rigged) {
        motions human = human_motions(c);
        if (human.clips[0] != NULL) {
            free_motions(&own);
            own = human;
        }
        m = human_motions(bare);
    }
    const gaps painted = measure(c, &own);
    if (!is_rigged && own.clips[0] != NULL && c->skin_count > 0 && bind_anew(&c)) {
        compare(name, "bound", measure(c, &own), painted);
    } else if (is_rigged) {
        compare(name, "rigged", measure(bare, &m), painted);
        free_motions(&m);
    }
    free_motions(&own);
    lmb_character_destroy(bare);
    lmb_character_destroy(c);
}

// --------------------------------------------------------------------------------------- all files

typedef struct names {
    char (*items)[PATH];
    uint32_t count;
} names;

static bool is_character(const char *name)
{
    static const char *const ends[] = {".glb", ".gltf", ".vrm", ".fbx"};
    const char *dot = strrchr(name, '.');
    for (int k = 0; dot != NULL && k < 4; ++k) {
        if (strcmp(dot, ends[k]) == 0) {
            return true;
        }
    }
    return false;
}

static void list(const char *below, names *out)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, below);
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        char name[PATH];
        if (snprintf(name, sizeof name, "%s/%s", below, entry->d_name) >= PATH ||
            entry->d_name[0] == '.') {
            continue;
        }
        if (is_character(name)) {
            out->items = realloc(out->items, (out->count + 1) * sizeof *out->items);
            memcpy(out->items[out->count++], name, sizeof name);
        } else if (strchr(entry->d_name, '.') == NULL) {
            list(name, out);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void seams_stay_closed(void **state)
{
    (void)state;
    const bool is_long = getenv("LIMBER_LONG") != NULL;
    names all = {0};
    list("characters", &all);
    list("rigged", &all);
    qsort(all.items, all.count, sizeof *all.items, by_name);
    for (uint32_t k = 0; k < all.count; ++k) {
        if (is_long || k % 16 == 4) {
            try_file(all.items[k]);
        }
    }
    free(all.items);
    assert_false(failed);
}

int main(void)
{
    const char *shared = getenv("LIMBER_SHARED");
    snprintf(folder, sizeof folder, "%s/data", shared ? shared : "../shared");
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        print_message("%s is not there\n", folder);
        return 77;
    }
    closedir(dir);
    dance = read_dance();
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walk, NULL) !=
        LMB_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_stay_closed),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    lmb_character_destroy(walk);
    lmb_character_destroy(dance);
    return result;
}
