// Making bodies: seconds for a humanoid of 5 000 to 1 000 000 triangles on one core. JSON on
// stdout.
#include <stdio.h>
#include <stdlib.h>

#include "bodies/bodies.h"
#include "limber/os.h"
#include "limber/procedural.h"

/// The best of `rounds`.
static double seconds_of(uint32_t triangle_count, int rounds)
{
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const lmb_made_body_opts opts = {.seed = 7, .triangle_count = triangle_count};
        lmb_made_body *body = NULL;
        const double begun = lmb_clock_s();
        if (lmb_made_body_create(&opts, NULL, &body, NULL) != LMB_OK) {
            exit(1);
        }
        const double took = lmb_clock_s() - begun;
        best = took < best ? took : best;
        lmb_made_body_destroy(body);
    }
    return best;
}

int main(void)
{
    static const uint32_t counts[4] = {5000, 20000, 100000, 1000000};
    printf("{\n  \"bench\": \"body\",\n  \"build\": \"%s\",\n  \"results\": [\n", LMBI_BUILD);
    for (int k = 0; k < 4; ++k) {
        const double seconds = seconds_of(counts[k], counts[k] > 100000 ? 1 : 3);
        printf("    {\"triangles\": %u, \"seconds\": %.3f, \"triangles_per_second\": %.0f}%s\n",
               counts[k], seconds, counts[k] / seconds, k < 3 ? "," : "");
    }
    printf("  ]\n}\n");
    return 0;
}
