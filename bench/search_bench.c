// The worst skeleton search over folders of files: search_bench [FOLDER|FILE …]   (without any:
// ../shared/data) Every mesh below them is read and searched for a skeleton as `limber rig` does,
// on one thread. Processor seconds of the search alone; the best of three for those that took half
// of LIMIT_S or more. The exit status is 1 where a mesh of fewer than MANY triangles takes longer
// than LIMIT_S.
#define _DEFAULT_SOURCE // scandir
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "io/fbx/fbx.h"
#include "io/skinned/iqm.h"
#include "io/surface/surface.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "os/paths.h"

static const double LIMIT_S = 2.0;
enum { ROUNDS = 3, MANY = 1000000, WORST = 10, PATH_SIZE = 1024 };

typedef struct finding {
    char path[PATH_SIZE];
    double seconds;
    uint32_t triangles;
    bool refused;
} finding;

typedef struct tally {
    finding worst[WORST]; ///< slowest first
    uint32_t count, refused, over;
    double seconds;
} tally;

// ------------------------------------------------------------------------------------- reading

static bool load(void *user, const char *name, lmb_bytes *out)
{
    const char *path = user, *slash = strrchr(path, '/');
    char beside[2 * PATH_SIZE];
    lmb_file file = {0};
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
    const bool there = lmb_file_read(beside, 0, &file, NULL) == LMB_OK;
    *out = (lmb_bytes){file.data, file.size};
    return there;
}

static void release(void *user, lmb_bytes bytes)
{
    (void)user;
    lmb_file_free(&(lmb_file){.data = (void *)(uintptr_t)bytes.data, .size = bytes.size});
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && strcasecmp(path + length - wanted, end) == 0;
}

static lmb_character *parse(char *path, const lmb_file *file)
{
    const lmb_loader loader = {load, release, path};
    const lmb_gltf_read_opts gltf = {.loader = &loader};
    const lmbi_obj_read_opts obj = {.loader = &loader};
    const lmbi_fbx_read_opts fbx = {.loader = &loader};
    const void *bytes = file->data;
    lmb_character *made = NULL;
    if (ends_in(path, ".glb") || ends_in(path, ".gltf") || ends_in(path, ".vrm")) {
        lmb_gltf_read(bytes, file->size, &gltf, NULL, &made, NULL);
    } else if (ends_in(path, ".obj")) {
        lmbi_obj_read(bytes, file->size, &obj, NULL, &made, NULL);
    } else if (ends_in(path, ".fbx")) {
        lmbi_fbx_read(bytes, file->size, &fbx, NULL, &made, NULL);
    } else if (ends_in(path, ".ply")) {
        lmbi_ply_read(bytes, file->size, NULL, NULL, &made, NULL);
    } else if (ends_in(path, ".off")) {
        lmbi_off_read(bytes, file->size, NULL, NULL, &made, NULL);
    } else if (ends_in(path, ".stl")) {
        lmbi_stl_read(bytes, file->size, NULL, NULL, &made, NULL);
    } else if (ends_in(path, ".md5mesh")) {
        lmb_md5_read(bytes, file->size, NULL, 0, NULL, NULL, &made, NULL);
    } else if (ends_in(path, ".iqm")) {
        lmbi_iqm_read(bytes, file->size, NULL, NULL, &made, NULL);
    }
    return made;
}

static lmb_character *read_mesh(char *path)
{
    lmb_file file = {0};
    if (lmb_file_read(path, 0, &file, NULL) != LMB_OK) {
        return NULL;
    }
    lmb_character *made = parse(path, &file);
    lmb_file_free(&file);
    if (made && made->instance_count == 0) {
        lmb_character_destroy(made);
        return NULL;
    }
    return made;
}

// ----------------------------------------------------------------------------------- measuring

typedef struct watch {
    clock_t begin, end;
    bool found;
} watch;

/// The search is the stage "skeleton"; what comes after it is not asked for.
static bool note(void *user, const char *stage, float share)
{
    watch *w = user;
    (void)share;
    if (strcmp(stage, "skeleton") == 0) {
        w->begin = w->begin ? w->begin : clock();
        return true;
    }
    w->end = clock();
    w->found = true;
    return false;
}

static double search_s(char *path, finding *out)
{
    lmb_character *mesh = read_mesh(path);
    if (!mesh) {
        return -1;
    }
    out->triangles = 0;
    for (uint32_t i = 0; i < mesh->instance_count; ++i) {
        out->triangles += mesh->meshes[mesh->instances[i].mesh]->index_count / 3;
    }
    watch w = {0};
    lmb_progress progress = {note, &w};
    lmb_rig(&mesh, &(lmb_rig_opts){.progress = &progress}, NULL, NULL, NULL);
    w.end = w.end ? w.end : clock();
    lmb_character_destroy(mesh);
    out->refused = !w.found;
    return w.begin ? (double)(w.end - w.begin) / CLOCKS_PER_SEC : -1;
}

static void keep(tally *t, const finding *f)
{
    uint32_t at = t->count < WORST ? t->count : WORST;
    for (; at > 0 && t->worst[at - 1].seconds < f->seconds; --at) {
        if (at < WORST) {
            t->worst[at] = t->worst[at - 1];
        }
    }
    if (at < WORST) {
        t->worst[at] = *f;
    }
    ++t->count;
    t->refused += f->refused;
    t->over += f->seconds > LIMIT_S && f->triangles < MANY;
    t->seconds += f->seconds;
}

static void measure(tally *t, char *path)
{
    finding f = {0};
    snprintf(f.path, sizeof f.path, "%s", path);
    f.seconds = search_s(path, &f);
    if (f.seconds < 0) {
        return;
    }
    for (int round = 1; round < ROUNDS && f.seconds > LIMIT_S / 2; ++round) {
        const double again = search_s(path, &f);
        f.seconds = again < f.seconds ? again : f.seconds;
    }
    keep(t, &f);
}

/// In the order of the names, so that runs can be compared.
static void walk(tally *t, char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        fprintf(stderr, "search_bench: %s cannot be read\n", path);
        return;
    }
    if (!S_ISDIR(about.st_mode)) {
        measure(t, path);
        return;
    }
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int k = 0; k < count; ++k) {
        char inside[PATH_SIZE];
        const int length = snprintf(inside, sizeof inside, "%s/%s", path, entries[k]->d_name);
        if (entries[k]->d_name[0] != '.' && length < PATH_SIZE) {
            walk(t, inside);
        }
        free(entries[k]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    lmbi_memory_keep_freed();
    static tally t;
    char usual[] = "../shared/data";
    for (int k = 1; k < argc; ++k) {
        walk(&t, argv[k]);
    }
    if (argc < 2) {
        walk(&t, usual);
    }
    printf("{\n  \"bench\": \"search\", \"build\": \"%s\", \"meshes\": %u, \"refused\": %u,\n"
           "  \"worst_s\": %.3f, \"mean_s\": %.3f, \"limit_s\": %.1f, \"over\": %u,\n"
           "  \"slowest\": [\n",
           LMBI_BUILD, t.count, t.refused, t.worst[0].seconds,
           t.seconds / (t.count > 0 ? t.count : 1), LIMIT_S, t.over);
    for (uint32_t k = 0; k < WORST && k < t.count; ++k) {
        printf("%s    {\"mesh\": \"%s\", \"triangles\": %u, \"search_s\": %.3f, \"refused\": %s}",
               k > 0 ? ",\n" : "", t.worst[k].path, t.worst[k].triangles, t.worst[k].seconds,
               t.worst[k].refused ? "true" : "false");
    }
    printf("\n  ]\n}\n");
    return t.over > 0;
}
