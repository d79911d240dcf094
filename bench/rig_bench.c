// Embedding and embedding with bone heat, on meshes: rig_bench [MESH.obj …]   (without any: some of
// ../shared/data/meshes) Processor seconds of one thread, best of three; a copy of the positions
// beside it. Where PINOCCHIO names the program AttachWeights, its seconds on the same file are told
// too (it wants one closed piece, upright).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/surface/surface.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "os/paths.h"

enum { ROUNDS = 3 };

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static lmb_character *read_mesh(const char *path)
{
    lmb_file file = {0};
    lmb_character *character = NULL;
    if (lmb_file_read(path, 0, &file, NULL) == LMB_OK) {
        const lmb_result result = lmbi_obj_read(file.data, file.size, NULL, NULL, &character, NULL);
        lmb_file_free(&file);
        return result == LMB_OK ? character : NULL;
    }
    return NULL;
}

static double copy_s(const lmb_surface *surface)
{
    const size_t bytes = surface->vertex_count * sizeof(lmb_vec3);
    void *to = malloc(bytes);
    double best = 1e9;
    for (int i = 0; i < ROUNDS && to; ++i) {
        const double begin = cpu_s();
        memcpy(to, surface->positions, bytes);
        best = cpu_s() - begin < best ? cpu_s() - begin : best;
    }
    free(to);
    return best;
}

static double embed_s(const lmb_surface *surface, lmb_embedding *out, lmb_result *result)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; ++i) {
        const double begin = cpu_s();
        *result = lmb_embed(surface->positions, surface->vertex_count, surface->triangles,
                            surface->triangle_count, NULL, NULL, out, NULL);
        best = cpu_s() - begin < best ? cpu_s() - begin : best;
    }
    return best;
}

static double rig_s(const char *path)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; ++i) {
        lmb_character *character = read_mesh(path);
        if (!character) {
            return -1;
        }
        const double begin = cpu_s();
        const lmb_result result = lmb_rig(&character, NULL, NULL, NULL, NULL);
        best = cpu_s() - begin < best ? cpu_s() - begin : best;
        lmb_character_destroy(character);
        if (result != LMB_OK) {
            return -1;
        }
    }
    return best;
}

static double peer_s(const char *path)
{
    const char *program = getenv("PINOCCHIO");
    if (!program) {
        return -1;
    }
    char command[4096];
    struct timespec begin, end;
    snprintf(command, sizeof command, "timeout 120 '%s' '%s' >/dev/null 2>&1", program, path);
    timespec_get(&begin, TIME_UTC);
    const int status = system(command);
    timespec_get(&end, TIME_UTC);
    return status != 0
               ? -1
               : (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static void measure(const char *path, bool first)
{
    lmb_character *character = read_mesh(path);
    lmb_surface *surface = NULL;
    if (!character || lmb_character_surface(character, NULL, &surface, NULL) != LMB_OK) {
        fprintf(stderr, "rig_bench: %s cannot be read\n", path);
        lmb_character_destroy(character);
        return;
    }
    lmb_embedding embedding;
    lmb_result result;
    const double embed = embed_s(surface, &embedding, &result);
    const char *name = strrchr(path, '/');
    printf("%s    {\"mesh\": \"%s\", \"vertices\": %u, \"triangles\": %u, \"embed_s\": %.4f, "
           "\"copy_positions_s\": %.6f",
           first ? "" : ",\n", name ? name + 1 : path, surface->vertex_count,
           surface->triangle_count, embed, copy_s(surface));
    if (result == LMB_OK) {
        printf(", \"joints\": %u, \"confidence\": %.2f, \"rig_s\": %.4f", embedding.joint_count,
               (double)embedding.overall, rig_s(path));
    } else {
        printf(", \"refused\": true");
    }
    const double peer = peer_s(path);
    if (peer >= 0) {
        printf(", \"pinocchio_s\": %.3f", peer);
    }
    printf("}");
    fflush(stdout);
    lmb_surface_destroy(surface);
    lmb_character_destroy(character);
}

int main(int argc, char **argv)
{
    lmbi_memory_keep_freed();
    static const char *const usual[] = {
        "../shared/data/meshes/homer.obj", "../shared/data/meshes/human_man.obj",
        "../shared/data/meshes/armadillo.obj", "../shared/data/meshes/beast.obj",
        "../shared/data/meshes/spot_low.obj"};
    printf("{\n  \"bench\": \"rig\", \"build\": \"%s\",\n  \"results\": [\n", LMBI_BUILD);
    if (argc > 1) {
        for (int k = 1; k < argc; ++k) {
            measure(argv[k], k == 1);
        }
    } else {
        for (size_t k = 0; k < sizeof usual / sizeof *usual; ++k) {
            measure(usual[k], k == 0);
        }
    }
    printf("\n  ]\n}\n");
    return 0;
}
