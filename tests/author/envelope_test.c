// Multi-weight enveloping: linear blending as a special case, coefficients that made frames come
// back, and what files keep of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/anim.h"
#include "limber/author.h"
#include "limber/io.h"
#include "limber/learn.h"
#include "tube.h"

enum { JOINTS = TUBE_JOINTS, VERTICES = TUBE_VERTICES, FRAMES = 48 };

typedef tube_frames shown;

static void pose(const lmb_character *c, uint32_t frame, lmb_mat4 *model)
{
    lmb_transform local[JOINTS];
    lmb_clip_to_model(c->clips[0], c->skeleton, 2.0 * frame / (FRAMES - 1), local, model);
}

/// A vertex as the definition has it, in double precision: its first joint's frame, four terms for
/// each row of each joint, and back.
static lmb_vec3 by_definition(const lmb_mesh *mesh, const lmb_skin *skin, const lmb_mat4 *model,
                              uint32_t v)
{
    const float *joints = &mesh->envelope[v].x;
    const uint32_t f = (uint32_t)joints[0];
    lmb_mat4 bind_from_f, f_from_model;
    assert_true(lmb_mat4_inverse_affine(skin->joint_from_bind[f], &bind_from_f));
    assert_true(lmb_mat4_inverse_affine(model[skin->joints[f]], &f_from_model));
    const lmb_vec3 p = lmb_mat4_point(skin->joint_from_bind[f], mesh->positions[v]);
    const double x[4] = {(double)p.x, (double)p.y, (double)p.z, 1};
    double y[3] = {0, 0, 0};
    for (uint32_t k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
        const uint32_t j = (uint32_t)joints[k];
        const lmb_mat4 bind = lmb_mat4_mul(model[skin->joints[j]],
                                           lmb_mat4_mul(skin->joint_from_bind[j], bind_from_f));
        const lmb_mat4 m = lmb_mat4_mul(f_from_model, bind);
        for (uint32_t r = 0; r < 3; ++r) {
            const float *w = &mesh->envelope[(1 + 3 * k + r) * VERTICES + v].x;
            for (int c = 0; c < 4; ++c) {
                y[r] += (double)w[c] * (double)m.m[4 * c + (int)r] * x[c];
            }
        }
    }
    return lmb_mat4_point(model[skin->joints[f]],
                          lmb_vec3_make((float)y[0], (float)y[1], (float)y[2]));
}

/// The tube with an envelope of its own: its weights, and a little of every entry.
static lmb_character *make_enveloped(float amount)
{
    lmb_character *c = tube_animated();
    lmb_mesh def = *c->meshes[0], *mesh = NULL;
    lmb_vec4 envelope[LMB_ENVELOPE_SETS * VERTICES] = {{0, 0, 0, 0}};
    lmb_random random = lmb_random_seed(7);
    lmb_primitive part = def.primitives[0];
    for (uint32_t v = 0; v < VERTICES; ++v) {
        lmb_influence row[2];
        tube_row(v, row);
        if (row[1].weight > row[0].weight) {
            const lmb_influence first = row[0];
            row[0] = row[1];
            row[1] = first;
        }
        envelope[v] = (lmb_vec4){(float)row[0].joint, (float)row[1].joint, 0, 0};
        for (uint32_t k = 0; k < 6; ++k) {
            const float w = row[k / 3].weight, most = row[1].weight > 0 ? amount : 0;
            envelope[(1 + k) * VERTICES + v] =
                (lmb_vec4){w + lmb_random_range(&random, -most, most),
                           w + lmb_random_range(&random, -most, most),
                           w + lmb_random_range(&random, -most, most),
                           w + lmb_random_range(&random, -most, most)};
        }
    }
    part.attributes |= LMB_HAS_ENVELOPE;
    def.primitives = &part;
    def.envelope = envelope;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    lmb_mesh_destroy(c->meshes[0]);
    c->meshes[0] = mesh;
    return c;
}

/// Frames of an enveloped tube, and the tube without its envelope.
static shown *shown_make(float amount)
{
    shown *s = calloc(1, sizeof *s);
    lmb_character *made = make_enveloped(amount);
    for (uint32_t k = 0; k < FRAMES; ++k) {
        pose(made, k, s->models[k]);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            s->shapes[k][v] = by_definition(made->meshes[0], made->skins[0], s->models[k], v);
        }
        s->rows[k] = s->shapes[k];
        s->model_rows[k] = s->models[k];
    }
    lmb_character_destroy(made);
    s->character = tube_animated();
    return s;
}

static void shown_free(shown *s)
{
    lmb_character_destroy(s->character);
    free(s);
}

static lmb_learn_frames frames_of(const shown *s)
{
    return (lmb_learn_frames){.vertex_count = VERTICES,
                              .frame_count = FRAMES,
                              .frames = s->rows,
                              .model_from_joint = s->model_rows};
}

static void jobs_play_the_definition(void **state)
{
    (void)state;
    lmb_character *c = make_enveloped(0.2f);
    lmb_envelope_skin *skin = NULL;
    lmb_mat4 model[JOINTS], palette[JOINTS];
    lmb_vec3 out[VERTICES];
    assert_int_equal(lmb_envelope_skin_create(c->meshes[0], c->skins[0], NULL, &skin, NULL),
                     LMB_OK);
    pose(c, 31, model);
    lmb_skin_palette(c->skins[0], model, palette);
    memcpy(out, c->meshes[0]->positions, sizeof out);
    lmb_skin_envelope(&(lmb_skin_envelope_job){
        .envelope = skin, .model_from_bind = palette, .positions = out, .out_positions = out});
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const lmb_vec3 truth = by_definition(c->meshes[0], c->skins[0], model, v);
        assert_true(lmb_vec3_distance(out[v], truth) < 2e-6f);
    }
    lmb_envelope_skin_destroy(skin);
    lmb_character_destroy(c);
}

/// How far the vertex moves, by the definition, for a step of its position at rest. Exact over any
/// distance, since the definition is affine.
static lmb_vec3 moves_by(const lmb_character *c, const lmb_mat4 *model, uint32_t v, lmb_vec3 step)
{
    lmb_mesh mesh = *c->meshes[0];
    lmb_vec3 positions[VERTICES];
    memcpy(positions, mesh.positions, sizeof positions);
    mesh.positions = positions;
    const lmb_vec3 before = by_definition(&mesh, c->skins[0], model, v);
    positions[v] = lmb_vec3_add(positions[v], step);
    return lmb_vec3_sub(by_definition(&mesh, c->skins[0], model, v), before);
}

/// Normals and tangents by the definition: points beside the vertex under its own weights span the
/// plane that the normal is perpendicular to.
static void normals_follow_the_definition(void **state)
{
    (void)state;
    lmb_character *c = make_enveloped(0.2f);
    lmb_envelope_skin *skin = NULL;
    lmb_mat4 model[JOINTS], palette[JOINTS];
    lmb_vec3 at[VERTICES], normals[VERTICES], out[VERTICES];
    lmb_vec4 tangents[VERTICES], along[VERTICES];
    assert_int_equal(lmb_envelope_skin_create(c->meshes[0], c->skins[0], NULL, &skin, NULL),
                     LMB_OK);
    pose(c, 31, model);
    lmb_skin_palette(c->skins[0], model, palette);
    lmb_random random = lmb_random_seed(3);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        float x[3], y[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = lmb_random_range(&random, -1, 1);
            y[k] = lmb_random_range(&random, -1, 1);
        }
        const lmb_vec3 a =
            lmb_vec3_normalize_or(lmb_vec3_make(x[0], x[1], x[2]), (lmb_vec3){1, 0, 0});
        const lmb_vec3 b = lmb_vec3_make(y[0], y[1], y[2]);
        normals[v] = lmb_vec3_normalize_or(lmb_vec3_cross(a, b), (lmb_vec3){0, 1, 0});
        tangents[v] = (lmb_vec4){a.x, a.y, a.z, -1};
    }
    lmb_skin_envelope(&(lmb_skin_envelope_job){.envelope = skin,
                                               .model_from_bind = palette,
                                               .out_positions = at,
                                               .normals = normals,
                                               .tangents = tangents,
                                               .out_normals = out,
                                               .out_tangents = along});
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const lmb_vec3 t = {tangents[v].x, tangents[v].y, tangents[v].z}, zero = {0, 0, 0};
        const lmb_vec3 x = moves_by(c, model, v, t),
                       y = moves_by(c, model, v, lmb_vec3_cross(normals[v], t)),
                       outward = moves_by(c, model, v, normals[v]),
                       normal = lmb_vec3_normalize_or(lmb_vec3_cross(x, y), zero),
                       tangent = lmb_vec3_normalize_or(x, zero);
        const bool mirrored = lmb_vec3_dot(normal, outward) < 0;
        assert_true(lmb_vec3_distance(out[v], lmb_vec3_scale(normal, mirrored ? -1 : 1)) < 1e-4f);
        assert_true(lmb_vec3_distance(lmb_vec3_make(along[v].x, along[v].y, along[v].z), tangent) <
                    1e-4f);
        assert_true(along[v].w * (mirrored ? 1.0f : -1.0f) > 0);
    }
    lmb_envelope_skin_destroy(skin);
    lmb_character_destroy(c);
}

/// Frames of linear blending ask for nothing else: every coefficient is its joint's weight.
static void linear_frames_leave_the_linear_weights(void **state)
{
    (void)state;
    shown *s = shown_make(0);
    const lmb_learn_frames frames = frames_of(s);
    const lmb_learn_envelope_opts opts = {.hold_out = 3};
    lmb_learn_envelope_report report;
    assert_int_equal(lmb_learn_envelope(&s->character, &frames, &opts, NULL, &report, NULL),
                     LMB_OK);
    assert_int_equal(report.frame_count, 32);
    assert_int_equal(report.held_out_count, 16);
    assert_true(report.held_out_percent < 1e-4f);
    const lmb_mesh *mesh = s->character->meshes[0];
    for (uint32_t v = 0; v < VERTICES; ++v) {
        lmb_influence row[2];
        float weights[JOINTS] = {0};
        tube_row(v, row);
        weights[row[0].joint] += row[0].weight;
        weights[row[1].joint] += row[1].weight;
        for (uint32_t k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
            weights[(uint32_t)(&mesh->envelope[v].x)[k]] -=
                mesh->envelope[(1 + 3 * k) * VERTICES + v].x;
        }
        for (uint32_t j = 0; j < JOINTS; ++j) {
            assert_float_equal(weights[j], 0, 2e-3f);
        }
    }
    shown_free(s);
}

static void frames_of_an_envelope_come_back_where_they_were_held_out(void **state)
{
    (void)state;
    shown *s = shown_make(0.2f);
    const lmb_learn_frames frames = frames_of(s);
    const lmb_learn_envelope_opts opts = {.hold_out = 3};
    lmb_learn_envelope_report report;
    assert_int_equal(lmb_learn_envelope(&s->character, &frames, &opts, NULL, &report, NULL),
                     LMB_OK);
    assert_true(report.before_held_out_percent > 0.3f);
    assert_true(report.held_out_percent < 0.02f * report.before_held_out_percent);
    double sum = 0;
    for (uint32_t k = 2; k < FRAMES; k += 3) {
        for (uint32_t v = 0; v < VERTICES; ++v) {
            const lmb_vec3 at =
                by_definition(s->character->meshes[0], s->character->skins[0], s->models[k], v);
            const lmb_vec3 d = lmb_vec3_sub(at, s->shapes[k][v]);
            sum += (double)lmb_vec3_dot(d, d);
        }
    }
    const lmb_box box = lmb_box_of(s->shapes[0], VERTICES);
    const double percent =
        100 * sqrt(sum / (16.0 * VERTICES)) / (double)lmb_vec3_distance(box.low, box.high);
    assert_float_equal(percent, (double)report.held_out_percent, 1e-4);
    shown_free(s);
}

/// Vertices at a moment: by `method`, with the weights of the clip.
static void play(const lmb_character *c, lmb_skin_method method, uint32_t frame, lmb_vec3 *out)
{
    lmb_mat4 model[JOINTS];
    lmb_transform local[JOINTS];
    float weights[32] = {0};
    uint32_t first[JOINTS + 1];
    assert_true(lmb_character_weights(c, first, NULL) <= 32);
    pose(c, frame, model);
    lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                 .time_s = 2.0 * frame / (FRAMES - 1),
                                 .joint_count = JOINTS,
                                 .rest = c->skeleton->rest,
                                 .pose = local,
                                 .weight_first = first,
                                 .weights = weights});
    tube_deform(c, model, weights, method, out);
}

static float farthest(const lmb_vec3 *a, const lmb_vec3 *b)
{
    float most = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        most = fmaxf(most, lmb_vec3_distance(a[v], b[v]));
    }
    return most;
}

/// A file keeps the coefficients; morph targets show the same to programs that do not know them, and
/// are not shown twice to those that do.
static void files_keep_it_and_targets_show_it(void **state)
{
    (void)state;
    lmb_character *c = make_enveloped(0.1f), *read = NULL;
    lmb_vec3 enveloped[VERTICES], linear[VERTICES], baked[VERTICES], again[VERTICES];
    lmb_buffer bytes = {0};
    float percent = 100;
    play(c, LMB_SKIN_ENVELOPE, 40, enveloped);
    play(c, LMB_SKIN_LINEAR, 40, linear);
    assert_int_equal(lmb_envelope_bake(&c, 0, NULL, &percent, NULL), LMB_OK);
    assert_true(percent > 0 &&
                percent < 1); // at rest it is not the shape at rest: that no target shows
    assert_string_equal(c->meshes[0]->targets[0].name, "envelope 0");
    assert_int_equal(lmb_gltf_write(c, NULL, NULL, &bytes, NULL), LMB_OK);
    assert_int_equal(lmb_gltf_read(bytes.data, bytes.size, NULL, NULL, &read, NULL), LMB_OK);
    assert_non_null(read->meshes[0]->envelope);
    play(read, LMB_SKIN_ENVELOPE, 40, again);
    play(read, LMB_SKIN_LINEAR, 40, baked);
    assert_true(farthest(again, enveloped) < 1e-6f);
    assert_true(farthest(linear, enveloped) > 0.01f);
    assert_true(farthest(baked, enveloped) < 0.3f * farthest(linear, enveloped));
    lmb_buffer_free(&bytes);
    lmb_character_destroy(read);
    lmb_character_destroy(c);
}

static void what_is_no_envelope_is_refused(void **state)
{
    (void)state;
    lmb_character *c = make_enveloped(0.1f);
    lmb_mesh *made = NULL;
    lmb_error error = {0};
    c->meshes[0]->envelope[3].y = 0.5f;
    assert_int_equal(lmb_mesh_create(c->meshes[0], NULL, &made, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "0.5 at vertex 3");
    c->meshes[0]->envelope[3].y = 1;
    c->meshes[0]->envelope[VERTICES + 5].w = NAN;
    assert_int_equal(lmb_mesh_create(c->meshes[0], NULL, &made, &error), LMB_ERROR_INVALID);
    c->meshes[0]->envelope[VERTICES + 5].w = 0;
    c->meshes[0]->envelope[3].y = JOINTS;
    lmb_character *other = NULL;
    assert_int_equal(lmb_character_create(c, NULL, &other, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "instance 0: vertex 3 follows joint 3 of 3");
    lmb_character_destroy(c);
    c = tube_animated();
    assert_int_equal(lmb_envelope_bake(&c, 0, NULL, NULL, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "no envelope");
    lmb_character_destroy(c);
}

static lmb_result learn(lmb_character **c, const void *frames, const lmb_allocator *alloc)
{
    return lmb_learn_envelope(c, frames, &(lmb_learn_envelope_opts){0}, alloc, NULL, NULL);
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    shown *s = shown_make(0.1f);
    const lmb_learn_frames frames = frames_of(s);
    tube_survives(learn, &frames, 5, 0);
    shown_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_play_the_definition),
        cmocka_unit_test(normals_follow_the_definition),
        cmocka_unit_test(linear_frames_leave_the_linear_weights),
        cmocka_unit_test(frames_of_an_envelope_come_back_where_they_were_held_out),
        cmocka_unit_test(files_keep_it_and_targets_show_it),
        cmocka_unit_test(what_is_no_envelope_is_refused),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
