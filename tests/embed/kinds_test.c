/// Generated bodies of every kind are recognised by their shape alone, with joints where they were
/// generated. LIMBER_SEEDS sets the number of each; bench/kinds_bench takes many, rotated and
/// scaled.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "limber/author.h"
#include "limber/procedural.h"

static const struct {
    lmb_made_body_kind body;
    lmb_skeleton_kind skeleton;
    float mean; ///< of the joint errors, as a fraction of the longest side
} kinds[] = {
    {LMB_MADE_HUMANOID, LMB_SKELETON_HUMAN, 0.025f},
    {LMB_MADE_QUADRUPED, LMB_SKELETON_QUADRUPED, 0.025f},
    {LMB_MADE_BIRD, LMB_SKELETON_BIRD, 0.025f},
    {LMB_MADE_HAND, LMB_SKELETON_HAND, 0.025f},
    {LMB_MADE_FISH, LMB_SKELETON_FISH, 0.04f},
    {LMB_MADE_SNAKE, LMB_SKELETON_SNAKE, 0.025f},
    {LMB_MADE_SPIDER, LMB_SKELETON_SPIDER, 0.025f},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static uint64_t seed_count(void)
{
    const char *text = getenv("LIMBER_SEEDS");
    return text ? (uint64_t)strtoull(text, NULL, 10) : 1;
}

static lmb_vec3 *triangles_of(const lmb_made_body *body, uint32_t **out_indices,
                              uint32_t *out_count)
{
    const lmb_mesh *mesh = body->character->meshes[0];
    *out_indices = mesh->indices;
    *out_count = mesh->index_count / 3;
    return mesh->positions;
}

/// Mean distance of the joints that both skeletons name, in longest sides. Every generated joint
/// must be named.
static float mean_error(const lmb_made_body *body, const lmb_embedding *e, float size)
{
    float sum = 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        for (uint32_t k = 0; k < e->joint_count; ++k) {
            if (strcmp(body->names[j], e->names[k]) == 0) {
                sum += lmb_vec3_distance(body->positions[j], e->joints[k]) / size;
                ++count;
            }
        }
    }
    assert_true(count > body->joint_count / 2);
    return sum / (float)count;
}

static void made_bodies_are_read_right(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        double sum = 0;
        for (uint64_t seed = 0; seed < seed_count(); ++seed) {
            const lmb_made_body_opts opts = {
                .kind = kinds[k].body, .seed = seed, .triangle_count = 4000, .whole = true};
            lmb_made_body *body = NULL;
            assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
            uint32_t *indices, count;
            const lmb_vec3 *positions = triangles_of(body, &indices, &count);
            const uint32_t vertices = body->vertex_count;
            lmb_embedding e;
            assert_int_equal(lmb_embed(positions, vertices, indices, count, NULL, NULL, &e, NULL),
                             LMB_OK);
            if (e.kind != kinds[k].skeleton) {
                fail_msg("seed %u of a %s reads as a %s", (unsigned)seed,
                         lmb_skeleton_kind_name(kinds[k].skeleton), lmb_skeleton_kind_name(e.kind));
            }
            const lmb_box box = lmb_box_of(positions, vertices);
            const lmb_vec3 d = lmb_vec3_sub(box.high, box.low);
            sum += (double)mean_error(body, &e, fmaxf(d.x, fmaxf(d.y, d.z)));
            assert_true(e.overall > 0.3f);
            lmb_made_body_destroy(body);
        }
        assert_true(sum / (double)seed_count() < (double)kinds[k].mean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_bodies_are_read_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
