// Where a character's joints were when its mesh was bound to them, wherever they rest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

static const sheet_joint joints[] = {
    {"root", {0, 0, 0}}, {"left", {-4, 0, 0}}, {"right", {4, 0, 0}}};
enum { JOINTS = 3, COLUMNS = 9, ROWS = 3 };

static lmb_character *bound(void)
{
    sheet *s = sheet_begin(COLUMNS, ROWS, joints, JOINTS);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->positions[v] = (lmb_vec3){(float)(v % COLUMNS) - 4, (float)(v / COLUMNS) - 1, 0};
        s->weights[v][v % JOINTS] = 0.75f;
        s->weights[v][(v + 1) % JOINTS] = 0.25f;
    }
    return sheet_character(s, NULL);
}

static void assert_bound(const lmb_mat4 *model, lmb_vec3 root)
{
    for (uint32_t j = 0; j < JOINTS; ++j) {
        lmb_mat4 expected = lmb_mat4_identity();
        expected.m[12] = joints[j].position.x + root.x;
        expected.m[13] = joints[j].position.y + root.y;
        expected.m[14] = joints[j].position.z + root.z;
        for (int k = 0; k < 16; ++k) {
            assert_float_equal(model[j].m[k], expected.m[k], 1e-5f);
        }
    }
}

static void joints_rest_where_they_were_bound(void **state)
{
    (void)state;
    lmb_character *c = bound();
    lmb_mat4 model[JOINTS + 1]; // and the sheet
    assert_int_equal(lmb_bind_pose(c, NULL, model, NULL), LMB_OK);
    assert_bound(model, (lmb_vec3){0, 0, 0});
    lmb_character_destroy(c);
}

/// The whole stands where the first joint rests.
static void a_joint_rests_bent_and_the_root_elsewhere(void **state)
{
    (void)state;
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_character *c = bound();
        c->skeleton->rest[0].translation = (lmb_vec3){1, 2, 3};
        c->skeleton->rest[2].rotation = lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, 0.5f);
        lmb_mat4 model[JOINTS + 1]; // and the sheet
        f.result = lmb_bind_pose(c, &f.alloc, model, NULL);
        if (f.result == LMB_OK) {
            assert_bound(model, (lmb_vec3){1, 2, 3});
        }
        lmb_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_rest_where_they_were_bound),
        cmocka_unit_test(a_joint_rests_bent_and_the_root_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
