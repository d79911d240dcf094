// FBX files that real programs wrote, deformed at the times at which those programs wrote the
// deformed mesh as an OBJ.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "asset/asset.h"
#include "io/fbx/fbx.h"
#include "io/files.h"
#include "io/surface/surface.h"
#include "posed.h"

typedef struct snapshot {
    const char *fbx, *obj;
    const char *clip;
    double time_s;  ///< of the scene
    double start_s; ///< of the clip in the scene
    bool z_up;
    /// of the largest extent; what another reader was found to reach, and float's share
    double tolerance;
} snapshot;

/// Skins made for dual quaternions (max_transformed_skin) differ by the method.
static const snapshot snapshots[] = {
    {"maya_game_sausage_7500_binary_wiggle", "maya_game_sausage_wiggle_10", NULL, 10 / 24.0,
     1 / 24.0, false, 1e-6},
    {"maya_game_sausage_7500_binary_wiggle", "maya_game_sausage_wiggle_18", NULL, 18 / 24.0,
     1 / 24.0, false, 1e-6},
    {"maya_game_sausage_7500_binary_spin", "maya_game_sausage_spin_7", NULL, 27 / 24.0, 20 / 24.0,
     false, 1e-6},
    {"maya_game_sausage_7500_binary_spin", "maya_game_sausage_spin_15", NULL, 35 / 24.0, 20 / 24.0,
     false, 1e-6},
    {"maya_game_sausage_7500_ascii_deform", "maya_game_sausage_deform_8", NULL, 48 / 24.0,
     40 / 24.0, false, 1e-6},
    {"maya_game_sausage_7500_ascii_deform", "maya_game_sausage_deform_15", NULL, 55 / 24.0,
     40 / 24.0, false, 1e-6},
    {"maya_kenney_character_7700_binary", "maya_kenney_character_4", NULL, 4 / 24.0, 0, false,
     1e-6},
    {"maya_kenney_character_7700_binary", "maya_kenney_character_9", NULL, 9 / 24.0, 0, false,
     1e-6},
    {"blender_279_sausage_7400_binary", "blender_279_sausage_base_0", "Skeleton|Base", 0, 0, false,
     2e-6},
    {"blender_279_sausage_7400_binary", "blender_279_sausage_spin_15", "Skeleton|Spin", 15 / 24.0,
     0, false, 2e-6},
    {"blender_279_sausage_7400_binary", "blender_279_sausage_wiggle_20", "Skeleton|Wiggle",
     20 / 24.0, 0, false, 2e-6},
    {"blender_293_half_skinned_7400_binary", "blender_293_half_skinned", NULL, 0, 0, false, 1e-6},
    {"max_transformed_skin_7500_binary", "max_transformed_skin_5", NULL, 5 / 30.0, 0, true, 1e-4},
    {"max_transformed_skin_7500_binary", "max_transformed_skin_15", NULL, 15 / 30.0, 0, true, 1e-4},
    {"max_transformed_skin_6100_ascii", "max_transformed_skin_5", NULL, 5 / 30.0, 0, true, 2e-6},
    {"max_transformed_skin_6100_ascii", "max_transformed_skin_15", NULL, 15 / 30.0, 0, true, 2e-6},
    {"maya_skinned_pivot_7700_ascii", "maya_skinned_pivot", NULL, 0, 0, false, 1e-6},
    {"blender440_shape_weight_anim_7400_binary", "blender440_shape_weight_anim_5", NULL, 5 / 24.0,
     0, false, 1e-6},
    {"blender440_shape_weight_anim_7400_binary", "blender440_shape_weight_anim_15", NULL, 15 / 24.0,
     0, false, 1e-6},
    {"blender440_shape_weight_anim_7400_binary", "blender440_shape_weight_anim_25", NULL, 25 / 24.0,
     0, false, 1e-6},
};

static test_file open_file(const char *name, const char *extension)
{
    char path[256];
    snprintf(path, sizeof path, "rigged/ufbx/%s.%s", name, extension);
    return test_shared_read(path);
}

static const lmb_clip *clip_of(const lmb_character *c, const char *name)
{
    for (uint32_t i = 0; i < c->clip_count; ++i) {
        if (name == NULL || strcmp(c->clips[i]->name, name) == 0) {
            return c->clips[i];
        }
    }
    return NULL;
}

/// The OBJ's point in metres, +Y up.
static lmb_vec3 expected(const lmb_mesh *mesh, uint32_t i, float unit_m, bool z_up)
{
    const lmb_vec3 p = lmb_vec3_scale(mesh->positions[i], unit_m);
    return z_up ? lmb_vec3_make(p.x, p.z, -p.y) : p;
}

/// The other program's points come in another order where it welded or sorted: the nearest counts.
static double largest_distance(const lmb_mesh *mesh, float unit_m, bool z_up, lmb_deformed got)
{
    double worst = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        const lmb_vec3 want = expected(mesh, i, unit_m, z_up);
        double nearest = HUGE_VAL;
        for (uint32_t k = 0; k < got.vertex_count; ++k) {
            const double d = (double)lmb_vec3_distance(want, got.positions[k]);
            nearest = d < nearest ? d : nearest;
        }
        worst = nearest > worst ? nearest : worst;
    }
    return worst;
}

static double extent(const lmb_mesh *mesh, float unit_m)
{
    const lmb_box box = lmbi_mesh_box(mesh);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    const float most = size.x > size.y ? size.x : size.y;
    return (double)((most > size.z ? most : size.z) * unit_m);
}

static void check(const snapshot *s)
{
    test_file fbx = open_file(s->fbx, "fbx"), obj = open_file(s->obj, "obj");
    assert_non_null(fbx.data);
    assert_non_null(obj.data);
    lmb_character *c = NULL, *want = NULL;
    lmb_fbx_info info;
    const lmbi_fbx_read_opts opts = {.info = &info};
    lmb_deformer *deformer = NULL;
    assert_int_equal(lmbi_fbx_read(fbx.data, fbx.size, &opts, NULL, &c, NULL), LMB_OK);
    assert_int_equal(lmbi_obj_read(obj.data, obj.size, NULL, NULL, &want, NULL), LMB_OK);
    assert_int_equal(lmb_deformer_create(c, NULL, &deformer, NULL), LMB_OK);
    test_deform_at(c, clip_of(c, s->clip), s->time_s - s->start_s, deformer);
    const double worst =
        largest_distance(want->meshes[0], info.unit_m, s->z_up, lmb_deformer_instance(deformer, 0));
    const double within = s->tolerance * extent(want->meshes[0], info.unit_m);
    if (worst > within) {
        print_error("%s: %g, allowed %g\n", s->obj, worst, within);
    }
    assert_true(worst <= within);
    lmb_deformer_destroy(deformer);
    lmb_character_destroy(c);
    lmb_character_destroy(want);
    free(fbx.data);
    free(obj.data);
}

static void deforms_as_the_program_that_wrote_it(void **state)
{
    (void)state;
    test_file probe = open_file(snapshots[0].fbx, "fbx");
    if (probe.data == NULL) {
        skip();
    }
    free(probe.data);
    for (size_t i = 0; i < sizeof snapshots / sizeof *snapshots; ++i) {
        check(&snapshots[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deforms_as_the_program_that_wrote_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
