/// A figure of six boxes, each a mesh of its own that lies flush against the next: boxes have nothing to bend at, so
/// each follows one joint, and legs that share an edge are two.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "box_part.h"
#include "limber/author.h"

enum { BOXES = 6 };

static const struct {
    const char *name, *joint;
    lmb_vec3 low, high;
} rows[BOXES] = {
    {"left leg", "leftUpperLeg", {0, 0, -0.2f}, {0.4f, 1, 0.2f}},
    {"right leg", "rightUpperLeg", {-0.4f, 0, -0.2f}, {0, 1, 0.2f}},
    {"trunk", NULL, {-0.4f, 1, -0.3f}, {0.4f, 1.9f, 0.3f}},
    {"left arm", "leftUpperArm", {0.4f, 0.8f, -0.3f}, {0.8f, 1.9f, 0.1f}},
    {"right arm", "rightUpperArm", {-0.8f, 0.8f, -0.3f}, {-0.4f, 1.9f, 0.1f}},
    {"head", "head", {-0.4f, 1.9f, -0.4f}, {0.4f, 2.7f, 0.4f}},
};

/// The box of a row with four vertices more half-way up, which its sides go through: three rings.
static uint32_t make_ringed(lmb_vec3 low, lmb_vec3 high, lmb_vec3 points[BOX_POINTS],
                            uint32_t indices[2 * BOX_INDICES])
{
    static const uint32_t caps[12] = {0, 1, 2, 0, 2, 3, 8, 10, 9, 8, 11, 10};
    uint32_t count = 0;
    for (uint32_t k = 0; k < 12; ++k) {
        const uint32_t corner = k % 4;
        points[k] = lmb_vec3_make(corner == 1 || corner == 2 ? high.x : low.x,
                                  low.y + 0.5f * (float)(k / 4) * (high.y - low.y),
                                  corner >= 2 ? high.z : low.z);
    }
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t p = k, q = k - k % 4 + (k + 1) % 4;
        const uint32_t quad[6] = {p, p + 4, q, q, p + 4, q + 4};
        memcpy(indices + count, quad, sizeof quad);
        count += 6;
    }
    memcpy(indices + count, caps, sizeof caps);
    return count + 12;
}

/// `ring`: the box that has vertices half-way up, or BOXES.
static lmb_character *figure(uint32_t ring)
{
    lmb_transform rest = lmb_transform_identity();
    int32_t parent = LMB_NONE;
    const char *name = "root";
    const lmb_skeleton root = {.joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    lmb_mesh *meshes[BOXES];
    lmb_instance instances[BOXES] = {{0}};
    lmb_character def = {
        .mesh_count = BOXES, .meshes = meshes, .instance_count = BOXES, .instances = instances};
    for (uint32_t k = 0; k < BOXES; ++k) {
        lmb_vec3 points[BOX_POINTS];
        uint32_t indices[2 * BOX_INDICES];
        (void)box_part(rows[k].low, rows[k].high, points, indices);
        const uint32_t index_count = k == ring
                                         ? make_ringed(rows[k].low, rows[k].high, points, indices)
                                         : BOX_INDICES,
                       vertex_count = k == ring ? 12 : BOX_POINTS;
        lmb_primitive primitive = {.topology = LMB_TRIANGLES,
                                   .index_count = index_count,
                                   .vertex_count = vertex_count,
                                   .material = LMB_NONE};
        const lmb_mesh mesh = {.name = rows[k].name,
                               .primitive_count = 1,
                               .primitives = &primitive,
                               .vertex_count = vertex_count,
                               .positions = points,
                               .index_count = index_count,
                               .indices = indices};
        assert_int_equal(lmb_mesh_create(&mesh, NULL, &meshes[k], NULL), LMB_OK);
        instances[k] = (lmb_instance){.mesh = k, .skin = LMB_NONE};
    }
    lmb_character *out = NULL;
    assert_int_equal(lmb_skeleton_create(&root, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

/// The joint that all vertices of an instance follow alone.
static const char *follows(const lmb_character *c, const lmb_instance *instance)
{
    const lmb_mesh *mesh = c->meshes[instance->mesh];
    const lmb_skin *skin = c->skins[instance->skin];
    const char *name = NULL;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t first = mesh->influences.first[v];
        assert_int_equal(mesh->influences.first[v + 1] - first, 1);
        const char *own = c->skeleton->names[skin->joints[mesh->influences.items[first].joint]];
        assert_true(name == NULL || strcmp(name, own) == 0);
        name = own;
    }
    return name;
}

static void each_box_follows_one_joint(void **state)
{
    (void)state;
    lmb_character *c = figure(BOXES);
    assert_int_equal(lmb_rig(&c, NULL, NULL, NULL, NULL), LMB_OK);
    assert_int_equal(c->instance_count, BOXES);
    for (uint32_t k = 0; k < BOXES; ++k) {
        const char *joint = follows(c, &c->instances[k]);
        if (rows[k].joint != NULL) {
            assert_string_equal(joint, rows[k].joint);
        }
    }
    lmb_character_destroy(c);
}

/// What has a ring at the knee bends there.
static void a_ring_bends(void **state)
{
    (void)state;
    lmb_character *c = figure(0);
    assert_int_equal(lmb_rig(&c, NULL, NULL, NULL, NULL), LMB_OK);
    const lmb_influences *rows_of_leg = &c->meshes[c->instances[0].mesh]->influences;
    assert_true(rows_of_leg->first[12] > 12);
    assert_string_equal(follows(c, &c->instances[1]), "rightUpperLeg");
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_box_follows_one_joint),
        cmocka_unit_test(a_ring_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
