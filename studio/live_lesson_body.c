/// A body with a shape, as SMPL is one (Loper et al. 2015), made of a character instead of being learned from scans.
#include "live.h"
#include "live_exports.h"
#include "live_lesson.h"

#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORRECTED = 4, BENDS = 2, FEATURES = 9 };
/// Angles at which correctives are fitted: of rotations about one axis R - I has two free entries, so two are met.
static const float BEND_RAD[BENDS] = {0.9f, 1.9f};

static struct {
    int handle;
    lmb_body_model model;
    lmb_body_skin *skin, *plain; ///< with correctives, and without
    lmb_body_model plain_model;  ///< uses the arrays of `model`
    uint32_t *skeleton_joint;    ///< [joint_count] of each of the model's joints
    int32_t *model_joint;        ///< [joints of the skeleton], or LMB_NONE
    lmb_quat *rotations;         ///< [joint_count] for a pose
    lmb_mat4 *matrices;          ///< [joint_count]
    lmb_vec3 *out;               ///< [vertex_count]
    float *positions;            ///< [joint_count][3]
    lmb_influence *rows;         ///< influences by the model's joints
} made;

static void end_body(void)
{
    lmb_body_skin_destroy(made.skin);
    lmb_body_skin_destroy(made.plain);
    free(made.model.shape_directions);
    free(made.model.pose_directions);
    free(made.model.parents);
    free(made.model.names);
    free(made.model.regressor_first);
    free(made.model.regressor_vertices);
    free(made.model.regressor_weights);
    free(made.skeleton_joint);
    free(made.model_joint);
    free(made.rotations);
    free(made.matrices);
    free(made.out);
    free(made.positions);
    free(made.rows);
    memset(&made, 0, sizeof made);
}

void live_lesson_body_free(int handle)
{
    if (made.handle == handle) {
        end_body();
    }
}

/// Zeroed; NULL, with an error, when memory ends.
static void *zeros(size_t count, size_t size)
{
    void *room = live_room(count, size);
    return room != NULL ? memset(room, 0, count * size) : NULL;
}

// ----------------------------------------------------------------------------------------- joints

/// The joints that the skin follows, in the skeleton's order; the first is the root of the others.
static bool number_joints(const lmb_skeleton *skeleton, const lmb_skin *skin)
{
    made.model_joint = live_room(skeleton->joint_count, sizeof *made.model_joint);
    made.skeleton_joint = live_room(skin->joint_count, sizeof *made.skeleton_joint);
    made.model.parents = live_room(skin->joint_count, sizeof *made.model.parents);
    made.model.names = live_room(skin->joint_count, sizeof *made.model.names);
    if (!made.model_joint || !made.skeleton_joint || !made.model.parents || !made.model.names) {
        return false;
    }
    for (uint32_t s = 0; s < skeleton->joint_count; ++s) {
        made.model_joint[s] = LMB_NONE;
    }
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        made.model_joint[skin->joints[k]] = 0;
    }
    uint32_t count = 0;
    for (uint32_t s = 0; s < skeleton->joint_count; ++s) {
        if (made.model_joint[s] == LMB_NONE) {
            continue;
        }
        int32_t above = skeleton->parents[s];
        while (above != LMB_NONE && made.model_joint[above] == LMB_NONE) {
            above = skeleton->parents[above];
        }
        made.model.parents[count] =
            above != LMB_NONE ? made.model_joint[above] : (count > 0 ? 0 : LMB_NONE);
        made.model.names[count] = skeleton->names[s];
        made.skeleton_joint[count] = s;
        made.model_joint[s] = (int32_t)count++;
    }
    made.model.joint_count = count;
    return true;
}

/// The mesh's rows, of the model's joints.
static bool number_rows(const lmb_mesh *mesh, const lmb_skin *skin)
{
    const uint32_t count = mesh->influences.first[mesh->vertex_count];
    made.rows = live_room(count, sizeof *made.rows);
    for (uint32_t k = 0; made.rows != NULL && k < count; ++k) {
        const lmb_influence *row = &mesh->influences.items[k];
        made.rows[k] =
            (lmb_influence){(uint32_t)made.model_joint[skin->joints[row->joint]], row->weight};
    }
    made.model.influences = (lmb_influences){mesh->influences.first, made.rows};
    return made.rows != NULL;
}

static double weight_of(uint32_t vertex, int32_t joint)
{
    const lmb_influences *rows = &made.model.influences;
    for (uint32_t k = rows->first[vertex]; k < rows->first[vertex + 1]; ++k) {
        if ((int32_t)rows->items[k].joint == joint) {
            return (double)rows->items[k].weight;
        }
    }
    return 0;
}

/// Weights of the vertices around a joint whose mean is the joint's position p: w = u (a + b . (x - p)) with
/// the least change of u, the product of the weights for the joint and for the one above.
static bool regress(uint32_t joint, lmb_vec3 position)
{
    const uint32_t n = made.model.vertex_count;
    double *u = live_room(n, sizeof *u), a[16] = {0}, b[4] = {1, 0, 0, 0};
    lmb_error error = {0};
    if (u == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_vec3 d = lmb_vec3_sub(made.model.positions[v], position);
        const double own = weight_of(v, (int32_t)joint),
                     above = weight_of(v, made.model.parents[joint]),
                     x[4] = {1, (double)d.x, (double)d.y, (double)d.z};
        u[v] = own * (above + 1e-3);
        for (int r = 0; r < 16; ++r) {
            a[r] += u[v] * x[r / 4] * x[r % 4];
        }
    }
    const bool solved = lmbi_dense_solve(a, 4, b, 1, &error) == LMB_OK;
    uint32_t *at = &made.model.regressor_first[joint + 1];
    *at = made.model.regressor_first[joint];
    for (uint32_t v = 0; solved && v < n; ++v) {
        const lmb_vec3 d = lmb_vec3_sub(made.model.positions[v], position);
        if (u[v] > 0) {
            made.model.regressor_vertices[*at] = v;
            made.model.regressor_weights[(*at)++] =
                (float)(u[v] *
                        (b[0] + b[1] * (double)d.x + b[2] * (double)d.y + b[3] * (double)d.z));
        }
    }
    free(u);
    return solved || live_fail("joint %u has too few vertices round it", (unsigned)joint);
}

static bool regress_all(const lmb_mat4 *rest)
{
    const size_t most = made.model.influences.first[made.model.vertex_count];
    made.model.regressor_first = zeros((size_t)made.model.joint_count + 1, sizeof(uint32_t));
    made.model.regressor_vertices = live_room(most, sizeof(uint32_t));
    made.model.regressor_weights = live_room(most, sizeof(float));
    if (!made.model.regressor_first || !made.model.regressor_vertices ||
        !made.model.regressor_weights) {
        return false;
    }
    for (uint32_t j = 0; j < made.model.joint_count; ++j) {
        if (!regress(j, lmb_mat4_translation(rest[made.skeleton_joint[j]]))) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------ shape

/// How much a part of the body swells with girth, and which part it is.
typedef struct part {
    lmb_human_bone bone;
    float girth, arm, upper;
} part;
static const part PARTS[] = {
    {LMB_HUMAN_HIPS, 1, 0, 0},
    {LMB_HUMAN_SPINE, 1.2f, 0, 0},
    {LMB_HUMAN_CHEST, 0.9f, 0, 1},
    {LMB_HUMAN_UPPER_CHEST, 0.8f, 0, 1},
    {LMB_HUMAN_NECK, 0.4f, 0, 0},
    {LMB_HUMAN_HEAD, 0.15f, 0, 0},
    {LMB_HUMAN_LEFT_UPPER_LEG, 0.8f, 0, 0},
    {LMB_HUMAN_RIGHT_UPPER_LEG, 0.8f, 0, 0},
    {LMB_HUMAN_LEFT_LOWER_LEG, 0.4f, 0, 0},
    {LMB_HUMAN_RIGHT_LOWER_LEG, 0.4f, 0, 0},
    {LMB_HUMAN_LEFT_FOOT, 0.1f, 0, 0},
    {LMB_HUMAN_RIGHT_FOOT, 0.1f, 0, 0},
    {LMB_HUMAN_LEFT_SHOULDER, 0.7f, 0, 1},
    {LMB_HUMAN_RIGHT_SHOULDER, 0.7f, 0, 1},
    {LMB_HUMAN_LEFT_UPPER_ARM, 0.5f, 1, 1},
    {LMB_HUMAN_RIGHT_UPPER_ARM, 0.5f, 1, 1},
    {LMB_HUMAN_LEFT_LOWER_ARM, 0.3f, 1, 1},
    {LMB_HUMAN_RIGHT_LOWER_ARM, 0.3f, 1, 1},
    {LMB_HUMAN_LEFT_HAND, 0.1f, 1, 1},
    {LMB_HUMAN_RIGHT_HAND, 0.1f, 1, 1},
};

/// The part of a joint: its own, or that of the nearest one above that has one.
static part part_of(const lmb_joint_map *map, const lmb_skeleton *skeleton, int32_t joint)
{
    for (; joint != LMB_NONE; joint = skeleton->parents[joint]) {
        for (size_t k = 0; k < sizeof PARTS / sizeof *PARTS; ++k) {
            if (map->bones[PARTS[k].bone].joint == joint) {
                return PARTS[k];
            }
        }
    }
    return (part){0};
}

static part part_of_vertex(const part *parts, uint32_t v)
{
    const lmb_influences *rows = &made.model.influences;
    part sum = {0};
    for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
        const part *one = &parts[rows->items[k].joint];
        sum.girth += rows->items[k].weight * one->girth;
        sum.arm += rows->items[k].weight * one->arm;
        sum.upper += rows->items[k].weight * one->upper;
    }
    return sum;
}

static void add_normals(lmb_vec3 *normals)
{
    const lmb_vec3 *p = made.model.positions;
    for (uint32_t k = 0; k + 2 < made.model.index_count; k += 3) {
        const uint32_t *at = made.model.indices + k;
        const lmb_vec3 n =
            lmb_vec3_cross(lmb_vec3_sub(p[at[1]], p[at[0]]), lmb_vec3_sub(p[at[2]], p[at[0]]));
        for (int c = 0; c < 3; ++c) {
            normals[at[c]] = lmb_vec3_add(normals[at[c]], n);
        }
    }
}

static float sign(float x)
{
    return x < 0 ? -1.0f : 1.0f;
}

/// The displacements of a vertex for a coefficient of 1, in metres: as large as a good step from the mean.
static void shape_vertex(const part *parts, const lmb_vec3 *normals, lmb_vec3 hip,
                         lmb_vec3 shoulder, uint32_t v)
{
    const lmb_vec3 p = made.model.positions[v];
    const part is = part_of_vertex(parts, v);
    const float out = fabsf(p.x) - fabsf(shoulder.x), side = fabsf(p.x) / fabsf(shoulder.x);
    lmb_vec3 *d = made.model.shape_directions + v;
    const size_t n = made.model.vertex_count;
    d[0] = lmb_vec3_scale(p, 0.04f);
    d[n] = lmb_vec3_scale(lmb_vec3_normalize_or(normals[v], lmb_vec3_make(0, 0, 0)),
                          0.025f * is.girth);
    d[2 * n] = lmb_vec3_make(0, 0.06f * (p.y < hip.y ? p.y : hip.y), 0);
    d[3 * n] = lmb_vec3_make(0.08f * sign(p.x) * is.arm * (out > 0 ? out : 0), 0, 0);
    d[4 * n] = lmb_vec3_make(0.02f * sign(p.x) * is.upper * (side < 1 ? side * side : 1), 0, 0);
}

static bool make_shapes(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                        const lmb_mat4 *rest)
{
    const int32_t hip = map->bones[LMB_HUMAN_LEFT_UPPER_LEG].joint,
                  shoulder = map->bones[LMB_HUMAN_LEFT_UPPER_ARM].joint;
    if (hip == LMB_NONE || shoulder == LMB_NONE) {
        return live_fail("expected a human with legs and arms");
    }
    made.model.shape_count = LIMBER_BODY_SHAPES;
    made.model.shape_directions =
        live_room(LIMBER_BODY_SHAPES * (size_t)made.model.vertex_count, sizeof(lmb_vec3));
    part *parts = live_room(made.model.joint_count, sizeof *parts);
    lmb_vec3 *normals = zeros(made.model.vertex_count, sizeof *normals);
    const bool room = made.model.shape_directions && parts && normals;
    if (room) {
        add_normals(normals);
        for (uint32_t j = 0; j < made.model.joint_count; ++j) {
            parts[j] = part_of(map, skeleton, (int32_t)made.skeleton_joint[j]);
        }
        for (uint32_t v = 0; v < made.model.vertex_count; ++v) {
            shape_vertex(parts, normals, lmb_mat4_translation(rest[hip]),
                         lmb_mat4_translation(rest[shoulder]), v);
        }
    }
    free(parts);
    free(normals);
    return room;
}

// ------------------------------------------------------------------------------------- correctives

/// Rotation of every joint from rest, in the scene's axes: [joints of the skeleton].
static void rotations_of(const lmb_skeleton *skeleton, const lmb_transform *pose, lmb_quat *out)
{
    for (uint32_t s = 0; s < skeleton->joint_count; ++s) {
        const int32_t above = skeleton->parents[s];
        out[s] = above != LMB_NONE ? lmb_quat_mul(out[above], pose[s].rotation) : pose[s].rotation;
    }
}

/// R - I of a rotation, row after row.
static void features_of(lmb_quat q, double *out)
{
    for (int c = 0; c < 3; ++c) {
        const lmb_vec3 axis = {c == 0, c == 1, c == 2}, to = lmb_quat_rotate(q, axis);
        out[c] = (double)(to.x - axis.x);
        out[3 + c] = (double)(to.y - axis.y);
        out[6 + c] = (double)(to.z - axis.z);
    }
}

/// What linear blending lacks at one bend, before skinning; centres of rotation show what it should give.
static bool measure(live_character *live, uint32_t joint, lmb_quat bend, lmb_mat4 *palette,
                    lmb_quat *rotated, lmb_vec3 *out)
{
    const lmb_character *c = live->character;
    const lmb_skeleton *skeleton = c->skeleton;
    const lmb_mesh *mesh = c->meshes[c->instances[0].mesh];
    rotations_of(skeleton, skeleton->rest, rotated);
    const int32_t above = skeleton->parents[joint];
    const lmb_quat parent = above != LMB_NONE ? rotated[above] : (lmb_quat){0, 0, 0, 1};
    memcpy(live->pose, skeleton->rest, skeleton->joint_count * sizeof *live->pose);
    live->pose[joint].rotation = lmb_quat_normalize(lmb_quat_mul(
        lmb_quat_mul((lmb_quat){-parent.x, -parent.y, -parent.z, parent.w}, bend), rotated[joint]));
    live_show(live);
    const float *right = limber_lesson_skin(live->handle, 0, LMB_SKIN_CENTER);
    if (right == NULL) {
        return false;
    }
    lmb_skin_palette(c->skins[c->instances[0].skin], live->model, palette);
    lmb_corrective(&(lmb_corrective_job){.mesh = mesh,
                                         .model_from_bind = palette,
                                         .sculpted = (const lmb_vec3 *)(const void *)right,
                                         .out_displacements = out});
    return true;
}

/// The directions D of one joint, of features [BENDS][FEATURES], with the least change that give what was measured: D = F^T (F F^T)^-1 M.
static bool fit(const double *features, const lmb_vec3 *measured, lmb_vec3 *directions)
{
    double gram[BENDS * BENDS], inverse[BENDS * BENDS] = {1, 0, 0, 1};
    const size_t n = made.model.vertex_count;
    lmb_error error = {0};
    for (int k = 0; k < BENDS * BENDS; ++k) {
        gram[k] = k / BENDS == k % BENDS ? 1e-6 : 0;
        for (int f = 0; f < FEATURES; ++f) {
            gram[k] += features[FEATURES * (k / BENDS) + f] * features[FEATURES * (k % BENDS) + f];
        }
    }
    if (lmbi_dense_solve(gram, BENDS, inverse, BENDS, &error) != LMB_OK) {
        return live_fail_call("the correctives", &error);
    }
    for (int f = 0; f < FEATURES; ++f) {
        for (int b = 0; b < BENDS; ++b) {
            double w = 0;
            for (int k = 0; k < BENDS; ++k) {
                w += features[FEATURES * k + f] * inverse[BENDS * k + b];
            }
            for (size_t v = 0; v < n; ++v) {
                lmb_vec3 *d = &directions[(size_t)f * n + v];
                *d = lmb_vec3_add(*d, lmb_vec3_scale(measured[(size_t)b * n + v], (float)w));
            }
        }
    }
    return true;
}

typedef struct corrected {
    lmb_human_bone bone;
    lmb_vec3 axis; ///< it bends about, in the scene of a T-pose
} corrected;

static bool correct(live_character *live, int32_t joint, lmb_vec3 axis, lmb_mat4 *palette,
                    lmb_quat *rotated, lmb_vec3 *measured)
{
    const int32_t j = joint != LMB_NONE ? made.model_joint[joint] : LMB_NONE;
    double features[BENDS * FEATURES];
    const size_t n = made.model.vertex_count;
    for (int b = 0; j > 0 && b < BENDS; ++b) {
        const lmb_quat bend = lmb_quat_axis_angle(axis, BEND_RAD[b]);
        features_of(bend, features + FEATURES * b);
        if (!measure(live, (uint32_t)joint, bend, palette, rotated, measured + (size_t)b * n)) {
            return false;
        }
    }
    return j <= 0 ||
           fit(features, measured, made.model.pose_directions + (size_t)(j - 1) * FEATURES * n);
}

static bool make_correctives(live_character *live, const lmb_joint_map *map)
{
    static const corrected JOINTS[CORRECTED] = {{LMB_HUMAN_LEFT_LOWER_ARM, {0, -1, 0}},
                                                {LMB_HUMAN_RIGHT_LOWER_ARM, {0, 1, 0}},
                                                {LMB_HUMAN_LEFT_LOWER_LEG, {1, 0, 0}},
                                                {LMB_HUMAN_RIGHT_LOWER_LEG, {1, 0, 0}}};
    const uint32_t joints = live->character->skeleton->joint_count, n = made.model.vertex_count;
    made.model.features = LMB_FEATURES_MATRIX;
    made.model.feature_count = FEATURES * (made.model.joint_count - 1);
    made.model.pose_directions = zeros((size_t)made.model.feature_count * n, sizeof(lmb_vec3));
    lmb_mat4 *palette = live_room(joints, sizeof *palette);
    lmb_quat *rotated = live_room(joints, sizeof *rotated);
    lmb_vec3 *measured = live_room((size_t)BENDS * n, sizeof *measured);
    bool done = made.model.pose_directions && palette && rotated && measured;
    for (int k = 0; done && k < CORRECTED; ++k) {
        done = correct(live, map->bones[JOINTS[k].bone].joint, JOINTS[k].axis, palette, rotated,
                       measured);
    }
    free(palette);
    free(rotated);
    free(measured);
    return limber_pose_rest(live->handle) && done;
}

// ----------------------------------------------------------------------------------------- a body

static bool make_model(live_character *live, const lmb_joint_map *map)
{
    const lmb_character *c = live->character;
    const lmb_mesh *mesh = c->meshes[c->instances[0].mesh];
    const lmb_skin *skin = c->skins[c->instances[0].skin];
    made.model = (lmb_body_model){.name = "body",
                                  .vertex_count = mesh->vertex_count,
                                  .positions = mesh->positions,
                                  .index_count = mesh->index_count,
                                  .indices = mesh->indices};
    return number_joints(c->skeleton, skin) && number_rows(mesh, skin) &&
           regress_all(live->model) && make_shapes(map, c->skeleton, live->model) &&
           make_correctives(live, map);
}

static bool make_skins(const live_character *live)
{
    const uint32_t joints = made.model.joint_count;
    lmb_error error = {0};
    made.rotations = live_room(live->character->skeleton->joint_count, 2 * sizeof *made.rotations);
    made.matrices = live_room(joints, sizeof *made.matrices);
    made.positions = live_room(joints, 3 * sizeof *made.positions);
    made.out = live_room(made.model.vertex_count, sizeof *made.out);
    if (!made.rotations || !made.matrices || !made.positions || !made.out) {
        return false;
    }
    made.plain_model = made.model;
    made.plain_model.features = LMB_FEATURES_NONE;
    made.plain_model.feature_count = 0;
    if (lmb_body_skin_create(&made.model, NULL, NULL, &made.skin, &error) != LMB_OK ||
        lmb_body_skin_create(&made.plain_model, NULL, NULL, &made.plain, &error) != LMB_OK) {
        return live_fail_call("the body", &error);
    }
    return true;
}

EXPORT(limber_lesson_body_begin) uint32_t limber_lesson_body_begin(int handle)
{
    live_character *live = live_find(handle);
    lmb_joint_map map;
    lmb_error error = {0};
    if (live == NULL) {
        return 0;
    }
    end_body();
    const lmb_character *c = live->character;
    if (c->instance_count == 0 || c->instances[0].skin == LMB_NONE) {
        (void)live_fail("expected a character with a skin");
        return 0;
    }
    if (lmb_joint_map_of_character(c, NULL, &map, &error) != LMB_OK) {
        (void)live_fail_call("the joints", &error);
        return 0;
    }
    if (!limber_pose_rest(handle) || !make_model(live, &map) || !make_skins(live)) {
        end_body();
        return 0;
    }
    made.handle = handle;
    return made.model.joint_count;
}

/// The character whose body it is; NULL with an error.
static live_character *find_body(int handle)
{
    live_character *live = live_find(handle);
    if (live != NULL && made.handle != handle) {
        (void)live_fail("limber_lesson_body_begin comes first");
        return NULL;
    }
    return live;
}

/// The pose in the model's joints, whose axes at rest are the scene's.
static void set_rotations(const live_character *live)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    lmb_quat *rotated = made.rotations + skeleton->joint_count;
    rotations_of(skeleton, skeleton->rest, made.rotations);
    rotations_of(skeleton, live->shown, rotated);
    for (uint32_t s = 0; s < skeleton->joint_count; ++s) {
        const lmb_quat r = made.rotations[s];
        rotated[s] = lmb_quat_mul(rotated[s], (lmb_quat){-r.x, -r.y, -r.z, r.w});
    }
    for (uint32_t j = 0; j < made.model.joint_count; ++j) {
        const int32_t above = made.model.parents[j];
        const lmb_quat own = rotated[made.skeleton_joint[j]];
        const lmb_quat up =
            above != LMB_NONE ? rotated[made.skeleton_joint[above]] : (lmb_quat){0, 0, 0, 1};
        made.rotations[j] =
            lmb_quat_normalize(lmb_quat_mul((lmb_quat){-up.x, -up.y, -up.z, up.w}, own));
    }
}

EXPORT(limber_lesson_body_skin)
const float *limber_lesson_body_skin(int handle, const float *shape, int correctives)
{
    const live_character *live = find_body(handle);
    if (live == NULL) {
        return NULL;
    }
    for (int k = 0; k < LIMBER_BODY_SHAPES; ++k) {
        if (!isfinite(shape[k])) {
            (void)live_fail("coefficient %d is not finite", k);
            return NULL;
        }
    }
    lmb_body_skin *skin = correctives ? made.skin : made.plain;
    set_rotations(live);
    lmb_body_skin_shape(skin, shape, LIMBER_BODY_SHAPES);
    lmb_body_evaluate(&(lmb_body_job){.skin = skin,
                                      .rotations = made.rotations,
                                      .out_positions = made.out,
                                      .model_from_joint = made.matrices});
    for (uint32_t j = 0; j < made.model.joint_count; ++j) {
        memcpy(made.positions + (size_t)3 * j, made.matrices[j].m + 12, 3 * sizeof(float));
    }
    return (const float *)made.out;
}

EXPORT(limber_lesson_body_joints) const float *limber_lesson_body_joints(int handle)
{
    return find_body(handle) != NULL ? made.positions : NULL;
}
