// MD5: joints, weights and frames whose positions are known, files that are broken, and what assimp
// makes of a collected one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/files.h"
#include "vec3_near.h"

// The second joint rotates by -90 degrees about x: its w is -sqrt(1/2).
#define JOINTS                                          \
    "MD5Version 10\ncommandline \"a \"quoted\" b\"\n\n" \
    "numJoints 2\nnumMeshes 1\n\njoints {\n"            \
    "\t\"root\" -1 ( 0 0 1 ) ( 0 0 0 )\t// the first\n" \
    "\t\"arm\" 0 ( 0 0 3 ) ( 0.70710678 0 0 ) // root\n}\n"
#define BEFORE_TRIS                               \
    "mesh {\n\tshader \"skin/a\"\n\tnumverts 3\n" \
    "\tvert 0 ( 0.25 0.5 ) 0 1\n\tvert 1 ( 0 0 ) 1 1\n\tvert 2 ( 1 1 ) 2 2\n"
#define AFTER_TRIS                                                           \
    "\n\tnumweights 4\n\tweight 0 1 1 ( 0 0 1 )\n\tweight 1 0 1 ( 1 0 0 )\n" \
    "\tweight 2 0 0.25 ( 2 0 2 )\n\tweight 3 1 0.75 ( 2 0 0 )\n}\n"
#define MESH JOINTS BEFORE_TRIS "\tnumtris 1\n\ttri 0 0 1 2\n" AFTER_TRIS

#define ANIM_HEAD                                                               \
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 2\nframeRate 24\n" \
    "numAnimatedComponents 2\nhierarchy {\n\"root\" -1 4 0 //\n\"arm\" 0 32 1\n}\n"
#define ANIM                                                               \
    ANIM_HEAD "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\n"    \
              "baseframe {\n( 0 0 1 ) ( 0 0 0 )\n( 0 0 2 ) ( 0 0 0 )\n}\n" \
              "frame 1 {\n 5\n 0.70710678\n}\nframe 0 {\n 1 0\n}\n"

static lmb_result read_text(const char *mesh, const char *anim, lmb_notes *notes,
                            const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    const lmb_md5_anim anims[1] = {
        {.name = "wave", .bytes = {(const uint8_t *)anim, anim != NULL ? strlen(anim) : 0}}};
    const lmb_md5_read_opts opts = {.unit_m = 1, .notes = notes};
    return lmb_md5_read(mesh, mesh != NULL ? strlen(mesh) : 0, anims, anim != NULL, &opts, alloc,
                        out, error);
}

static lmb_character *read_well(const char *mesh, const char *anim, lmb_notes *notes)
{
    lmb_character *character = NULL;
    lmb_error error = {0};
    if (read_text(mesh, anim, notes, NULL, &character, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    return character;
}

static void near(lmb_vec3 p, float x, float y, float z)
{
    assert_vec3_near(p, x, y, z, 1e-6f);
}

static void vertices_lie_where_their_weights_say(void **state)
{
    (void)state;
    lmb_notes notes = {0};
    lmb_character *c = read_well(MESH, NULL, &notes);
    const lmb_mesh *mesh = c->meshes[0];
    assert_int_equal(notes.count, 0);
    assert_int_equal(c->skeleton->joint_count, 3); // and the one that carries the mesh
    near(mesh->positions[0], 0, 3, -1);            // (0 1 3), +Z up
    near(mesh->positions[1], 1, 1, 0);
    near(mesh->positions[2], 2, 3, 0);     // both weights say so
    assert_int_equal(mesh->indices[0], 2); // clockwise in the file
    assert_int_equal(mesh->indices[2], 0);
    assert_true(mesh->uvs[0][0].x == 0.25f && mesh->uvs[0][0].y == 0.5f);
    assert_int_equal(mesh->influences.first[3], 4);
    assert_int_equal(mesh->influences.items[2].joint, 1); // the stronger one first
    assert_true(mesh->influences.items[2].weight == 0.75f);
    assert_string_equal(c->appearance->materials[0].name, "skin/a");
    lmb_mat4 model[3], palette[2];
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    near(lmb_mat4_translation(model[1]), 0, 3, 0);
    lmb_skin_palette(c->skins[0], model, palette);
    for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < 16; ++k) {
            assert_true(fabsf(palette[j].m[k] - (k % 5 == 0)) < 1e-6f);
        }
    }
    lmb_character_destroy(c);
}

static void frames_override_the_base_frame(void **state)
{
    (void)state;
    lmb_character *c = read_well(MESH, ANIM, NULL);
    assert_int_equal(c->clip_count, 1);
    assert_string_equal(c->clips[0]->name, "wave");
    assert_true(c->clips[0]->frame_rate == 24);
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_of_clip(c, 0, 0, NULL, &markers, NULL), LMB_OK);
    assert_int_equal(markers->frame_count, 2);
    near(markers->positions[0], 0, 1, 0);
    near(markers->positions[1], 0, 3, 0);
    near(markers->positions[3], 0, 5, 0); // frame 1 lifts the root
    near(markers->positions[4], 0, 7, 0);
    lmb_markers_destroy(markers);
    lmb_character_destroy(c);
    c = read_well(NULL, ANIM, NULL);
    assert_int_equal(c->mesh_count, 0);
    near(c->skeleton->rest[0].translation, 0, 1, 0); // the first frame
    lmb_character_destroy(c);
}

static void weights_that_disagree_are_noted(void **state)
{
    (void)state;
    lmb_notes notes = {0};
    lmb_character *c = read_well(
        JOINTS BEFORE_TRIS "numtris 1 tri 0 0 1 2 numweights 4 weight 0 1 1 ( 0 0 1 ) weight "
                           "1 0 1 ( 1 0 0 ) weight 2 0 0.5 ( 0 0 2 ) weight 3 1 0.5 ( 2 0 0 ) }",
        NULL, &notes);
    assert_int_equal(notes.count, 1);
    near(c->meshes[0]->positions[2], 1, 3, 0);
    lmb_character_destroy(c);
}

static void expect_error(const char *mesh, const char *anim, lmb_result code, unsigned line)
{
    lmb_character *c = NULL;
    lmb_error error = {0};
    const lmb_result result = read_text(mesh, anim, NULL, NULL, &c, &error);
    if (result != code || error.line != line) {
        fail_msg("%s at line %u, not %u: expected %s, found %s", lmb_result_name(result),
                 error.line, line, error.expected, error.found);
    }
    assert_null(c);
}

static void wrong_files_name_the_position(void **state)
{
    (void)state;
    expect_error("", NULL, LMB_ERROR_MALFORMED, 1);
    expect_error("MD5Version 11\n", NULL, LMB_ERROR_MALFORMED, 1);
    expect_error("MD5Version 10\nnumJoints 900000000\n", NULL, LMB_ERROR_MALFORMED, 2);
    expect_error(JOINTS BEFORE_TRIS "numtris 1\ntri 0 0 1 3\n" AFTER_TRIS, NULL,
                 LMB_ERROR_MALFORMED, 18);
    expect_error(JOINTS BEFORE_TRIS "numtris 0\nnumweights 1\nweight 0 2 1 ( 0 0 0 )\n}", NULL,
                 LMB_ERROR_MALFORMED, 19);
    expect_error(JOINTS BEFORE_TRIS "numtris 0\nnumweights 1\nweight 0 1 1 ( 0 0 0 )\n}", NULL,
                 LMB_ERROR_MALFORMED, 19);
    expect_error(JOINTS BEFORE_TRIS "numtris 0\nnumweights 1\nweight 0 1 nan ( 0 0 0 )\n}", NULL,
                 LMB_ERROR_MALFORMED, 19);
    expect_error(NULL, ANIM_HEAD "baseframe {\n( 0 0 1 ) ( 0 0 0 )\n}\n", LMB_ERROR_MALFORMED, 13);
    expect_error(NULL,
                 ANIM_HEAD "baseframe {\n( 0 0 1 ) ( 0 0 0 )\n( 0 0 1 ) ( 0 0 0 )\n}\n"
                           "frame 0 { 1 2 }\nframe 0 { 1 2 }\n",
                 LMB_ERROR_MALFORMED, 16);
    expect_error(
        "MD5Version 10\nnumJoints 1\nnumMeshes 0\njoints {\n\"other\" -1 ( 0 0 0 ) ( 0 0 0 "
        ")\n}\n",
        ANIM, LMB_ERROR_INVALID, 10);
}

/// An exporter writes a mesh for a material that no triangle has. Its vertices are not the body's.
static void meshes_without_triangles_are_left_out(void **state)
{
    (void)state;
    static const char *const bare[] = {
        "mesh {\nshader \"none\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n",
        "mesh {\nshader \"none\"\nnumverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 0\nnumweights 1\n"
        "weight 0 0 1 ( 90 0 0 )\n}\n"};
    for (int k = 0; k < 4; ++k) {
        char text[4096];
        lmb_notes notes = {0};
        lmb_buffer glb = {0};
        const char *head = strstr(MESH, "mesh {");
        // before the mesh that has triangles, or behind it
        snprintf(text, sizeof text, "%.*s%s%s%s", (int)(head - MESH), MESH,
                 k & 1 ? bare[k / 2] : "", head, k & 1 ? "" : bare[k / 2]);
        char *count = strstr(text, "numMeshes 1");
        count[strlen("numMeshes ")] = '2';
        lmb_character *c = read_well(text, NULL, &notes);
        assert_int_equal(c->meshes[0]->primitive_count, 1);
        assert_int_equal(c->meshes[0]->vertex_count, 3);
        assert_string_equal(c->appearance->materials[c->meshes[0]->primitives[0].material].name,
                            "skin/a");
        bool said = false;
        for (uint32_t n = 0; n < notes.count && n < LMB_NOTE_MAX; ++n) {
            said = said || strstr(notes.items[n].text, "(none) has no triangles and was left out");
        }
        assert_true(said);
        assert_int_equal(lmb_gltf_write(c, NULL, NULL, &glb, NULL), LMB_OK);
        lmb_buffer_free(&glb);
        lmb_character_destroy(c);
    }
}

/// A folder with one picture of each of two names, and one of a kind that glTF does not know.
static bool load_picture(void *user, const char *name, lmb_bytes *out)
{
    static const uint8_t other[] = "TRUEVISION", png[] = "\x89PNG\r\n\x1A\n and so on";
    const char *there = user;
    if (strcmp(name, there) != 0) {
        return false;
    }
    *out = (lmb_bytes){strstr(name, ".tga") != NULL ? other : png, sizeof other - 1};
    return true;
}

static void pictures_beside_are_taken(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"models/bob/body", "body.png", "image"},
        {"models/bob/body", "models/bob/body_d.png", "image"},
        {"body.tga", "body.jpg", "image"},
        {"models\\body.png", "models/body.png", "image"},
        {"body", "body.tga", "no PNG or JPEG"},
        {"body", "other.png", "no picture"},
        {"../body", "body.png", "image"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char mesh[2048];
        char *shader = NULL;
        lmb_character *c = NULL;
        lmb_notes notes = {0};
        char there[64];
        snprintf(there, sizeof there, "%s", cases[k][1]);
        const lmb_loader loader = {.load = load_picture, .user = there};
        const lmb_md5_read_opts opts = {.loader = &loader, .notes = &notes};
        snprintf(mesh, sizeof mesh, "%s", MESH);
        shader = strstr(mesh, "shader \"");
        assert_non_null(shader);
        char *end = strchr(shader + 8, '"');
        char rest[2048];
        snprintf(rest, sizeof rest, "%s", end);
        snprintf(shader + 8, sizeof mesh - (size_t)(shader + 8 - mesh), "%s%s", cases[k][0], rest);
        assert_int_equal(lmb_md5_read(mesh, strlen(mesh), NULL, 0, &opts, NULL, &c, NULL), LMB_OK);
        if (strcmp(cases[k][2], "image") == 0) {
            assert_int_equal(c->appearance->image_count, 1);
            assert_int_equal(c->appearance->materials[0].base_color_texture, 0);
            assert_string_equal(c->appearance->images[0].mime, "image/png");
            assert_int_equal(notes.count, 0);
        } else {
            assert_int_equal(c->appearance->image_count, 0);
            assert_true(notes.count == 1 && strstr(notes.items[0].text, cases[k][2]) != NULL);
        }
        lmb_character_destroy(c);
    }
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    for (failing_run f = {.least = 5}; failing_next(&f);) {
        lmb_character *c = NULL;
        f.result = read_text(MESH, ANIM, NULL, &f.alloc, &c, NULL);
        lmb_character_destroy(c);
    }
}

/// Linear blend skinning in double precision, at a time of the first clip.
static lmb_box box_at(const lmb_character *c, float time_s)
{
    const uint32_t joints = c->skeleton->joint_count;
    lmb_transform *local = malloc(joints * sizeof *local);
    lmb_mat4 *model = malloc(joints * sizeof *model), *palette = malloc(joints * sizeof *palette);
    memcpy(local, c->skeleton->rest, joints * sizeof *local);
    const float tick = time_s * c->clips[0]->ticks_per_s;
    for (uint32_t k = 0; k < c->clips[0]->channel_count; ++k) {
        const lmb_channel *channel = &c->clips[0]->channels[k];
        const uint32_t key = channel->key_count > 1 ? (uint32_t)lroundf(tick) : 0;
        float *to = channel->path == LMB_PATH_ROTATION ? &local[channel->joint].rotation.x
                                                       : &local[channel->joint].translation.x;
        memcpy(to, channel->values + (size_t)key * channel->width, channel->width * sizeof(float));
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    lmb_skin_palette(c->skins[0], model, palette);
    lmb_box box = lmb_box_empty();
    const lmb_mesh *mesh = c->meshes[0];
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const lmb_vec3 p = mesh->positions[v];
        double sum[3] = {0};
        for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
            const lmb_influence *item = &mesh->influences.items[k];
            const float *m = palette[item->joint].m;
            for (int i = 0; i < 3; ++i) {
                sum[i] += (double)item->weight *
                          ((double)m[i] * (double)p.x + (double)m[4 + i] * (double)p.y +
                           (double)m[8 + i] * (double)p.z + (double)m[12 + i]);
            }
        }
        box = lmb_box_add(box, lmb_vec3_make((float)sum[0], (float)sum[1], (float)sum[2]));
    }
    free(local);
    free(model);
    free(palette);
    return box;
}

/// Boxes around the deformed guard as Assimp 5.2 has them (assimp export Bob.md5mesh bob.glb, and
/// limber bake of that at the time), in the file's unit.
static void the_guard_moves_as_assimp_has_it(void **state)
{
    (void)state;
    test_file mesh = test_shared_read("rigged/md5/Bob.md5mesh");
    test_file anim = test_shared_read("rigged/md5/Bob.md5anim");
    if (mesh.data == NULL || anim.data == NULL) {
        skip();
    }
    const lmb_md5_anim anims[1] = {{.bytes = {(const uint8_t *)anim.data, anim.size}}};
    const lmb_md5_read_opts opts = {.unit_m = 1};
    lmb_character *c = NULL;
    assert_int_equal(lmb_md5_read(mesh.data, mesh.size, anims, 1, &opts, NULL, &c, NULL), LMB_OK);
    const struct {
        float time;
        lmb_box box;
    } known[] = {
        {0, {{-16.3411f, -0.2867f, -10.3361f}, {16.3196f, 66.4729f, 12.9776f}}},
        {1, {{-15.7670f, -0.3199f, -10.7183f}, {16.1549f, 66.9570f, 12.7571f}}},
        {2.5f, {{-30.0267f, -0.7930f, -9.7628f}, {17.2582f, 64.9230f, 16.6798f}}},
        {4, {{-17.6455f, -0.4644f, -11.2547f}, {18.5306f, 66.4849f, 27.7838f}}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        const lmb_box box = box_at(c, known[k].time), want = known[k].box;
        assert_true(lmb_vec3_length(lmb_vec3_sub(box.low, want.low)) < 1e-3f);
        assert_true(lmb_vec3_length(lmb_vec3_sub(box.high, want.high)) < 1e-3f);
    }
    lmb_character_destroy(c);
    free(mesh.data);
    free(anim.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_lie_where_their_weights_say),
        cmocka_unit_test(frames_override_the_base_frame),
        cmocka_unit_test(weights_that_disagree_are_noted),
        cmocka_unit_test(wrong_files_name_the_position),
        cmocka_unit_test(meshes_without_triangles_are_left_out),
        cmocka_unit_test(pictures_beside_are_taken),
        cmocka_unit_test(every_allocation_can_fail),
        cmocka_unit_test(the_guard_moves_as_assimp_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
