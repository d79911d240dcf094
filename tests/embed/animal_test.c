/// Animals that a network sees: its numbers beside PyTorch's, twins of joints, made animals in their quarter turns, mirror
/// images, what is no animal, and memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "embed/creature/animal.h"
#include "failing_allocator.h"

static lmb_made_body *make(lmb_made_body_kind kind, uint64_t seed)
{
    const lmb_made_body_opts opts = {
        .kind = kind, .seed = seed, .triangle_count = 3000, .whole = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmbi_triangle_soup soup_of(const lmb_made_body *body)
{
    const lmb_mesh *mesh = body->character->meshes[0];
    return (lmbi_triangle_soup){mesh->positions, mesh->vertex_count, mesh->indices,
                                mesh->index_count / 3, false};
}

// ---- the network's numbers

static const lmb_made_body_kind KNOWN[2] = {LMB_MADE_QUADRUPED, LMB_MADE_BIRD};

static const lmbi_volume *volume_of_known(int k)
{
    static lmbi_volume volume;
    lmb_made_body *body = make(KNOWN[k], 7);
    const lmbi_triangle_soup soup = soup_of(body);
    const lmb_vec3 axes[3] = {lmb_vec3_cross(body->up, body->facing), body->up, body->facing};
    assert_int_equal(
        lmbi_volume_of(&soup, axes, lmbi_soup_bounds_along(&soup, axes), NULL, &volume, NULL),
        LMB_OK);
    lmb_made_body_destroy(body);
    return &volume;
}

/// Writes the volumes for tools/volume-in-double.py where LIMBER_VOLUMES names a file.
static void write_volumes(void)
{
    const char *path = getenv("LIMBER_VOLUMES");
    FILE *file = path ? fopen(path, "wb") : NULL;
    for (int k = 0; file && k < 2; ++k) {
        assert_int_equal(fwrite(volume_of_known(k)->solid, 1, LMBI_VOLUME_VOXELS, file),
                         LMBI_VOLUME_VOXELS);
    }
    if (file) {
        fclose(file);
    }
}

/// A made quadruped and a made bird: what is told in one look, in voxels, in double precision by PyTorch's own layers. Where
/// a joint is that is not there means nothing.
static void as_pytorch_has_it(void **state)
{
    (void)state;
    static const struct {
        lmb_vec3 at[LMBI_ANIMAL_JOINTS];
        float sure;
    } known[2] = {
#include "embed/animal_known.inl"
    };
    static lmbi_told told;
    lmbi_volume_network *network;
    write_volumes();
    assert_int_equal(lmbi_volume_network_create(LMBI_VOLUME_ANIMAL, NULL, &network, NULL), LMB_OK);
    for (int k = 0; k < 2; ++k) {
        int compared = 0;
        memset(&told, 0, sizeof told);
        lmbi_volume_network_add(network, volume_of_known(k), NULL, &told);
        float sure = 0;
        for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j) {
            lmb_vec3 p;
            const float own = lmbi_told_joint(told.odds[j], &p);
            sure += own / LMBI_ANIMAL_JOINTS;
            p = lmb_vec3_scale(p, 1.0f * LMBI_VOLUME_SIDE / LMBI_TOLD_SIDE);
            assert_true(own < 0.3f || lmb_vec3_distance(p, known[k].at[j]) < 5e-3f);
            compared += own >= 0.3f;
        }
        assert_true(compared > 20);
        assert_true(fabsf(sure - known[k].sure) < 2e-4f);
    }
    lmbi_volume_network_destroy(network);
}

static void twins_are_twins(void **state)
{
    (void)state;
    for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j) {
        const int other = lmbi_animal_other_side(j);
        assert_int_equal(lmbi_animal_other_side(other), j);
        assert_true((other == j) == (j < LMBI_ANIMAL_HIND));
    }
    assert_int_equal(lmbi_animal_other_side(LMBI_ANIMAL_HIND + 4), LMBI_ANIMAL_FORE - 1);
    assert_int_equal(lmbi_animal_other_side(LMBI_ANIMAL_FIN), LMBI_ANIMAL_FIN + 2);
}

// ---- animals

/// The mesh of a body as positions of its own.
typedef struct moved {
    lmb_vec3 *positions;
    lmbi_triangle_soup soup;
} moved;

/// A body, turned about its vertical by quarters, or in a mirror.
static moved move(const lmb_made_body *body, int quarters, bool mirrored)
{
    static const lmb_vec3 axis[4] = {{1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 1}};
    moved m = {.soup = soup_of(body)};
    m.positions = malloc(m.soup.position_count * sizeof *m.positions);
    assert_non_null(m.positions);
    const lmb_vec3 x = axis[quarters], z = lmb_vec3_cross(x, lmb_vec3_make(0, 1, 0));
    for (uint32_t v = 0; v < m.soup.position_count; ++v) {
        const lmb_vec3 p = m.soup.positions[v];
        m.positions[v] = lmb_vec3_add(lmb_vec3_scale(x, mirrored ? -p.x : p.x),
                                      lmb_vec3_mad(lmb_vec3_make(0, p.y, 0), z, p.z));
    }
    m.soup.positions = m.positions;
    return m;
}

static lmb_result find(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                       lmbi_seen_animal *out)
{
    const lmb_embed_opts opts = {.y_up = true};
    lmbi_voxel_cache cache = {.alloc = alloc};
    lmbi_volume_network *network = NULL;
    lmb_result result = lmbi_voxel_cache_create(soup, alloc, &cache, NULL);
    if (result == LMB_OK) {
        result = lmbi_volume_network_create(LMBI_VOLUME_ANIMAL, alloc, &network, NULL);
    }
    if (result == LMB_OK) {
        result = lmbi_find_animal(network, &cache, &opts, out, NULL);
    }
    lmbi_volume_network_destroy(network);
    lmbi_voxel_cache_destroy(&cache);
    return result;
}

static const struct {
    lmb_made_body_kind made;
    lmb_skeleton_kind kind;
    const char *joint; ///< of its left side
    int is;
} KINDS[] = {
    {LMB_MADE_QUADRUPED, LMB_SKELETON_QUADRUPED, "leftFrontFoot", LMBI_ANIMAL_FORE + 3},
    {LMB_MADE_BIRD, LMB_SKELETON_BIRD, "leftHand", LMBI_ANIMAL_WING + 2},
    {LMB_MADE_FISH, LMB_SKELETON_FISH, "leftFin", LMBI_ANIMAL_FIN},
    {LMB_MADE_SPIDER, LMB_SKELETON_SPIDER, "leftLeg1Lower", LMBI_ANIMAL_FORE + 3},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static lmb_vec3 true_joint(const lmb_made_body *body, const char *name)
{
    uint32_t j = 0;
    while (strcmp(body->names[j], name) != 0) {
        assert_true(++j < body->joint_count);
    }
    return body->positions[j];
}

/// Made animals are of their kind, face where they look, and have their left limbs on the left.
static void made_animals_turn(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        lmb_made_body *body = make(KINDS[k].made, 11);
        for (int quarters = 0; quarters < 4; ++quarters) {
            moved m = move(body, quarters, false);
            lmbi_seen_animal seen;
            assert_int_equal(find(&m.soup, NULL, &seen), LMB_OK);
            assert_int_equal(seen.kind, KINDS[k].kind);
            assert_true(seen.chance > 0.5f && seen.facing > 0.5f);
            const lmb_vec3 place = true_joint(body, KINDS[k].joint);
            static const lmb_vec3 axis[4] = {{1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 1}};
            const lmb_vec3 x = axis[quarters], z = lmb_vec3_cross(x, lmb_vec3_make(0, 1, 0)),
                           there =
                               lmb_vec3_add(lmb_vec3_scale(x, place.x),
                                            lmb_vec3_mad(lmb_vec3_make(0, place.y, 0), z, place.z));
            assert_true(lmb_vec3_distance(seen.at[KINDS[k].is], there) < 0.1f * body->height);
            free(m.positions);
        }
        lmb_made_body_destroy(body);
    }
}

/// In a mirror an animal has its joints where the mirror images are, on the other side.
static void mirror_images_have_mirrored_joints(void **state)
{
    (void)state;
    lmb_made_body *body = make(LMB_MADE_QUADRUPED, 12);
    moved own = move(body, 0, false), image = move(body, 0, true);
    lmbi_seen_animal a, b;
    assert_int_equal(find(&own.soup, NULL, &a), LMB_OK);
    assert_int_equal(find(&image.soup, NULL, &b), LMB_OK);
    for (int j = 0; j < LMBI_ANIMAL_JOINTS; ++j) {
        const lmb_vec3 p = b.at[lmbi_animal_other_side(j)];
        assert_true(a.sure[j] < 0.3f || lmb_vec3_distance(a.at[j], lmb_vec3_make(-p.x, p.y, p.z)) <
                                            0.01f * body->height);
    }
    free(own.positions);
    free(image.positions);
    lmb_made_body_destroy(body);
}

/// A human and a hand are no animals.
static void others_are_none(void **state)
{
    (void)state;
    const lmb_made_body_kind others[2] = {LMB_MADE_HUMANOID, LMB_MADE_HAND};
    for (int k = 0; k < 2; ++k) {
        for (uint64_t seed = 20; seed < 23; ++seed) {
            lmb_made_body *body = make(others[k], seed);
            const lmbi_triangle_soup soup = soup_of(body);
            lmbi_seen_animal seen;
            assert_int_equal(find(&soup, NULL, &seen), LMB_OK);
            assert_true(seen.chance < 0.5f);
            lmb_made_body_destroy(body);
        }
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    lmb_made_body *body = make(LMB_MADE_FISH, 7);
    const lmbi_triangle_soup soup = soup_of(body);
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result != LMB_OK; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmbi_seen_animal seen;
        result = find(&soup, &alloc, &seen);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(memory.held, 0);
        assert_true(allowed < 200);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_pytorch_has_it), cmocka_unit_test(twins_are_twins),
        cmocka_unit_test(made_animals_turn), cmocka_unit_test(mirror_images_have_mirrored_joints),
        cmocka_unit_test(others_are_none),   cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
