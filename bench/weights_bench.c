// How far the weights of a method are from what artists painted, by family:
// weights_bench [--weights METHOD] [--families FILE] [--tuned FILE] DIR...
// Every character with weights below the DIRs is bound to its own skeleton
// anew; for each L1 (the mean over its skinned vertices of the sum of the
// differences to the painted row, 0 to 2), the median over the vertices, the
// share of vertices whose first joint agrees, processor seconds of one thread,
// and the three largest flows from a joint to another. Then the same by family,
// and over the tuned files and all others apart. FILE of --families has lines
// as ../shared/tools/artist-rigs.txt ("humanoid characters/x.glb family: name");
// without, DIR/../tools/artist-rigs.txt is used where it is. Only files that it
// lists are read when there is one. FILE of --tuned (bench/weights_tuned.txt)
// names the files that numbers were set on; a DIR may be a file too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "families.h"
#include "painted.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

static const char *const methods[] = {"heat", "nearest", "voxel", "bbw"};
enum { METHODS = sizeof methods / sizeof *methods };

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/// Binds a file anew; false where it has no weights.
static bool measure(const char *path, const lmb_weights_opts *opts, bench_row *row, bool first)
{
    lmb_character *c = read_character(path);
    if (!c) {
        return false;
    }
    lmb_surface *surface = NULL;
    lmb_weights *weights = NULL;
    lmb_weights_score score;
    lmb_error error = {0};
    const double begin = cpu_s();
    const bool done =
        lmb_weights_again(c, opts, NULL, &surface, &weights, &error) == LMB_OK &&
        lmb_weights_compare(c, surface, weights, NULL, &score, NULL, &error) == LMB_OK;
    if (done) {
        row->l1 = (double)score.l1_mean;
        row->share = (double)score.first_joint_share;
        printf("%s    {\"file\": \"%s\", \"family\": \"%s\", \"vertices\": %u, \"l1_mean\": %.3f, "
               "\"l1_median\": %.3f, \"first_joint_share\": %.3f, \"seconds\": %.3f, \"moved\": [",
               first ? "" : ",\n", row->name, row->family, score.vertex_count, row->l1,
               (double)score.l1_median, row->share, cpu_s() - begin);
        for (uint32_t k = 0; k < score.moved_count && k < 3; ++k) {
            printf("%s[\"%s\", \"%s\", %.3f]", k ? ", " : "",
                   c->skeleton->names[score.moved[k].painted],
                   c->skeleton->names[score.moved[k].given], (double)score.moved[k].l1);
        }
        printf("]}");
        fflush(stdout);
    } else {
        fprintf(stderr, "%s: expected %s, found %s\n", path, error.expected, error.found);
    }
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    lmb_character_destroy(c);
    return done;
}

int main(int argc, char **argv)
{
    lmb_weights_opts opts = {0};
    bench_set set = {0};
    const char *families = NULL, *tuned = NULL;
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        families = strcmp(argv[at], "--families") == 0 ? argv[at + 1] : families;
        tuned = strcmp(argv[at], "--tuned") == 0 ? argv[at + 1] : tuned;
        for (int m = 0; m < METHODS && strcmp(argv[at], "--weights") == 0; ++m) {
            opts.method = strcmp(argv[at + 1], methods[m]) == 0 ? (lmb_rig_weights)m : opts.method;
        }
    }
    if (at >= argc) {
        fprintf(stderr, "weights_bench [--weights heat|nearest|voxel|bbw] [--families FILE] "
                        "[--tuned FILE] DIR|FILE...\n");
        return 2;
    }
    for (; at < argc; ++at) {
        bench_set_add(&set, argv[at], families);
        bench_set_tuned(&set, argv[at], tuned);
    }
    printf(
        "{\n  \"bench\": \"weights\", \"build\": \"%s\", \"weights\": \"%s\",\n  \"results\": [\n",
        LMBI_BUILD, methods[opts.method]);
    uint32_t done = 0;
    for (uint32_t k = 0; k < set.count; ++k) {
        set.rows[k].measured = measure(set.rows[k].path, &opts, &set.rows[k], done == 0);
        done += set.rows[k].measured ? 1 : 0;
    }
    printf("\n  ],\n");
    bench_set_print(&set);
    printf("}\n");
    bench_set_free(&set);
    return 0;
}
