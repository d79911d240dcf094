// A skinned tube along +Y over joints at 0, 1 and 2: what rigs are learned from in tests.
#ifndef TESTS_TUBE_H
#define TESTS_TUBE_H

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/asset.h"
#include "limber/skin.h"

enum {
    TUBE_MOST_JOINTS = 16, ///< of a character that was made of it
    TUBE_JOINTS = 3,
    TUBE_AROUND = 8,
    TUBE_RINGS = 13,
    TUBE_VERTICES = TUBE_AROUND * TUBE_RINGS,
    TUBE_FRAMES = 48, ///< at most
    TUBE_CORNERS = 6 * TUBE_AROUND * (TUBE_RINGS - 1),
};

/// A vertex at rest, in metres.
static inline lmb_vec3 tube_position(uint32_t v)
{
    const float angle = 2 * LMB_PI * (float)(v % TUBE_AROUND) / TUBE_AROUND;
    return lmb_vec3_make(0.2f * lmb_cos(angle), 3 * (float)(v / TUBE_AROUND) / (TUBE_RINGS - 1),
                         0.2f * lmb_sin(angle));
}

/// Smooth weights: a step of width 0.8 at the joints at 1 and 2.
static inline void tube_row(uint32_t v, lmb_influence out[2])
{
    const float y = tube_position(v).y;
    const uint32_t low = y < 1.5f ? 0 : 1;
    float t = fminf(fmaxf((y - (float)(low + 1)) / 0.8f + 0.5f, 0), 1);
    t = t * t * (3 - 2 * t);
    out[0] = (lmb_influence){low, 1 - t};
    out[1] = (lmb_influence){low + 1, t};
}

/// Positions in units of 1 / scale metres, and rows[TUBE_VERTICES][width].
static inline lmb_mesh *tube_mesh(const lmb_influence *rows, uint32_t width, float scale)
{
    lmb_vec3 positions[TUBE_VERTICES];
    uint32_t indices[TUBE_CORNERS], count = 0, first[TUBE_VERTICES + 1];
    for (uint32_t v = 0; v < TUBE_VERTICES; ++v) {
        positions[v] = lmb_vec3_scale(tube_position(v), 1 / scale);
        first[v] = width * v;
        const uint32_t n = v + 1 - (v % TUBE_AROUND == TUBE_AROUND - 1 ? TUBE_AROUND : 0);
        const uint32_t corners[6] = {v, v + TUBE_AROUND, n, n, v + TUBE_AROUND, n + TUBE_AROUND};
        if (v / TUBE_AROUND + 1 < TUBE_RINGS) {
            memcpy(indices + count, corners, sizeof corners);
            count += 6;
        }
    }
    first[TUBE_VERTICES] = width * TUBE_VERTICES;
    lmb_primitive part = {.index_count = count,
                          .vertex_count = TUBE_VERTICES,
                          .material = LMB_NONE,
                          .attributes = LMB_HAS_INFLUENCES};
    const lmb_mesh def = {.name = "tube",
                          .vertex_count = TUBE_VERTICES,
                          .positions = positions,
                          .index_count = count,
                          .indices = indices,
                          .primitive_count = 1,
                          .primitives = &part,
                          .influences = {first, (lmb_influence *)(uintptr_t)rows}};
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    return mesh;
}

static inline lmb_skin *tube_skin(float scale)
{
    uint32_t joints[TUBE_JOINTS] = {0, 1, 2};
    lmb_mat4 joint_from_bind[TUBE_JOINTS];
    for (uint32_t j = 0; j < TUBE_JOINTS; ++j) {
        joint_from_bind[j] = lmb_mat4_identity();
        for (int e = 0; e < 3; ++e) {
            joint_from_bind[j].m[5 * e] = scale;
        }
        joint_from_bind[j].m[13] = -(float)j;
    }
    const lmb_skin def = {.joint_count = TUBE_JOINTS,
                          .joints = joints,
                          .joint_from_bind = joint_from_bind,
                          .root = LMB_NONE};
    lmb_skin *skin = NULL;
    assert_int_equal(lmb_skin_create(&def, NULL, &skin, NULL), LMB_OK);
    return skin;
}

/// Bends joint 1 in the first second and joint 2 in the next, while joint 0 turns all of it about.
static inline lmb_clip *tube_clip(void)
{
    float ticks[3] = {0, 1, 2};
    const lmb_vec3 z = {0, 0, 1};
    const lmb_quat still = lmb_quat_identity(), bent = lmb_quat_axis_angle(z, 0.5f * LMB_PI);
    lmb_quat rotations[TUBE_JOINTS][3] = {
        {still, lmb_quat_axis_angle(z, 1), lmb_quat_axis_angle(z, 2)},
        {still, bent, bent},
        {still, still, bent}};
    lmb_channel channels[TUBE_JOINTS];
    for (uint32_t j = 0; j < TUBE_JOINTS; ++j) {
        channels[j] = (lmb_channel){.joint = j,
                                    .path = LMB_PATH_ROTATION,
                                    .width = 4,
                                    .key_count = 3,
                                    .ticks = ticks,
                                    .values = &rotations[j][0].x};
    }
    const lmb_clip def = {.name = "bend",
                          .duration = 2,
                          .frame_rate = 8,
                          .channel_count = TUBE_JOINTS,
                          .channels = channels};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

/// Takes the mesh and the clip, which may be NULL.
static inline lmb_character *tube_character(lmb_mesh *mesh, lmb_clip *clip, float scale)
{
    int32_t parents[TUBE_JOINTS] = {LMB_NONE, 0, 1};
    const char *names[TUBE_JOINTS] = {"root", "elbow", "wrist"};
    lmb_transform rest[TUBE_JOINTS];
    for (uint32_t j = 0; j < TUBE_JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = j > 0 ? 1 : 0;
    }
    const lmb_skeleton skeleton_def = {
        .joint_count = TUBE_JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    lmb_skin *skin = tube_skin(scale);
    lmb_character *character = NULL;
    lmb_instance instance = {.joint = 0, .mesh = 0, .skin = 0};
    assert_int_equal(lmb_skeleton_create(&skeleton_def, NULL, &skeleton, NULL), LMB_OK);
    const lmb_character def = {.skeleton = skeleton,
                               .mesh_count = 1,
                               .meshes = &mesh,
                               .skin_count = 1,
                               .skins = &skin,
                               .clip_count = clip != NULL,
                               .clips = &clip,
                               .instance_count = 1,
                               .instances = &instance};
    assert_int_equal(lmb_character_create(&def, NULL, &character, NULL), LMB_OK);
    return character;
}

/// With smooth weights and the clip.
static inline lmb_character *tube_animated(void)
{
    lmb_influence rows[TUBE_VERTICES][2];
    for (uint32_t v = 0; v < TUBE_VERTICES; ++v) {
        tube_row(v, rows[v]);
    }
    return tube_character(tube_mesh(&rows[0][0], 2, 1), tube_clip(), 1);
}

/// Vertices of a tube's character by a method of skinning, with these morph weights.
static inline void tube_deform(const lmb_character *c, const lmb_mat4 *model_from_joint,
                               const float *weights, lmb_skin_method method, lmb_vec3 *out)
{
    lmb_deformer *deformer = NULL;
    uint32_t first[TUBE_MOST_JOINTS + 1];
    lmb_character_weights(c, first, NULL);
    assert_int_equal(lmb_deformer_create(c, NULL, &deformer, NULL), LMB_OK);
    assert_int_equal(lmb_deformer_prepare(deformer, method, NULL, NULL), LMB_OK);
    lmb_deform(&(lmb_deform_job){.deformer = deformer,
                                 .model_from_joint = model_from_joint,
                                 .weight_first = first,
                                 .weights = weights,
                                 .method = method,
                                 .positions_only = true});
    memcpy(out, lmb_deformer_instance(deformer, 0).positions, TUBE_VERTICES * sizeof *out);
    lmb_deformer_destroy(deformer);
}

/// The same in a pose, by linear blend skinning.
static inline void tube_shape(const lmb_character *c, const lmb_transform *local,
                              const float *weights, lmb_vec3 *out)
{
    lmb_mat4 model[TUBE_MOST_JOINTS];
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    tube_deform(c, model, weights, LMB_SKIN_LINEAR, out);
}

/// Frames of a tube's vertices, and where its joints are in each.
typedef struct tube_frames {
    lmb_character *character;
    lmb_vec3 shapes[TUBE_FRAMES][TUBE_VERTICES];
    const lmb_vec3 *rows[TUBE_FRAMES];
    lmb_mat4 models[TUBE_FRAMES][TUBE_JOINTS];
    const lmb_mat4 *model_rows[TUBE_FRAMES];
    double times[TUBE_FRAMES]; ///< of the clip
} tube_frames;

/// Tries an edit of a tube's character with ever more allocations that succeed: it is another
/// character where the edit was done, and the same where it failed. As failing_run for the numbers.
static inline void tube_survives(lmb_result (*edit)(lmb_character **c, const void *context,
                                                    const lmb_allocator *alloc),
                                 const void *context, int least, int sparse)
{
    for (failing_run f = {.least = least, .sparse = sparse}; failing_next(&f);) {
        lmb_character *c = tube_animated(), *before = c;
        f.result = edit(&c, context, &f.alloc);
        assert_int_equal(f.result == LMB_OK, c != before);
        lmb_character_destroy(c);
    }
}

#endif
