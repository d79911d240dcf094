#include "skin/body_correctives.h"
#include "skin/skin.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static lmb_result build_stream(lmb_body_skin *skin, const lmb_body_skin_opts *opts,
                               lmb_error *error)
{
    const lmb_body_model *model = skin->model;
    const lmb_allocator *alloc = &skin->allocator;
    const lmb_vec3 **deltas = lmbi_alloc_array(alloc, model->feature_count, sizeof(lmb_vec3 *));
    if (deltas == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < model->feature_count; ++k) {
        deltas[k] = model->pose_directions + (size_t)k * model->vertex_count;
    }
    const lmb_result result =
        lmbi_morph_stream_build(&skin->correctives, model->vertex_count, model->feature_count,
                                deltas, opts->tolerance, opts->shorts, alloc);
    lmbi_free(alloc, deltas);
    return result == LMB_OK ? LMB_OK : lmbi_fail_memory(error);
}

static lmb_result build(lmb_body_skin *skin, const lmb_body_skin_opts *opts, lmb_error *error)
{
    const lmb_body_model *model = skin->model;
    const lmb_allocator *alloc = &skin->allocator;
    skin->shaped = lmbi_alloc_array(alloc, model->vertex_count, sizeof *skin->shaped);
    skin->joints = lmbi_alloc_array(alloc, model->joint_count, sizeof *skin->joints);
    skin->features = lmbi_alloc_array(alloc, model->feature_count, sizeof *skin->features);
    skin->model_from_joint =
        lmbi_alloc_array(alloc, model->joint_count, sizeof *skin->model_from_joint);
    skin->model_from_bind =
        lmbi_alloc_array(alloc, model->joint_count, sizeof *skin->model_from_bind);
    if (!skin->shaped || !skin->joints || !skin->features || !skin->model_from_joint ||
        !skin->model_from_bind) {
        return lmbi_fail_memory(error);
    }
    const lmb_mesh rows = {.vertex_count = model->vertex_count,
                           .positions = model->positions,
                           .influences = model->influences};
    const lmb_result result =
        lmb_binding_create(&rows, model->joint_count, alloc, &skin->binding, error);
    return result == LMB_OK ? build_stream(skin, opts, error) : result;
}

lmb_result lmb_body_skin_create(const lmb_body_model *model, const lmb_body_skin_opts *opts,
                                const lmb_allocator *alloc, lmb_body_skin **out, lmb_error *error)
{
    const lmb_body_skin_opts none = {0};
    lmb_body_skin *skin = lmbi_alloc(alloc, sizeof *skin);
    if (skin == NULL) {
        return lmbi_fail_memory(error);
    }
    skin->allocator = alloc ? *alloc : (lmb_allocator){0};
    skin->model = model;
    const lmb_result result = build(skin, opts ? opts : &none, error);
    if (result != LMB_OK) {
        lmb_body_skin_destroy(skin);
        return result;
    }
    lmb_body_skin_shape(skin, NULL, 0);
    *out = skin;
    return LMB_OK;
}

void lmb_body_skin_destroy(lmb_body_skin *skin)
{
    if (skin != NULL) {
        const lmb_allocator alloc = skin->allocator;
        lmb_binding_destroy(skin->binding);
        lmbi_morph_stream_free(&skin->correctives, &alloc);
        lmbi_free(&alloc, skin->shaped);
        lmbi_free(&alloc, skin->joints);
        lmbi_free(&alloc, skin->features);
        lmbi_free(&alloc, skin->model_from_joint);
        lmbi_free(&alloc, skin->model_from_bind);
        lmbi_free(&alloc, skin);
    }
}

// ------------------------------------------------------------------------------------------ shape

/// J = J_regressor (template + shape directions * shape), summed in double precision: hundreds of
/// terms of similar size.
static void regress_joints(lmb_body_skin *skin)
{
    const lmb_body_model *model = skin->model;
    for (uint32_t j = 0; j < model->joint_count; ++j) {
        double sum[3] = {0, 0, 0};
        for (uint32_t k = model->regressor_first[j]; k < model->regressor_first[j + 1]; ++k) {
            const lmb_vec3 p = skin->shaped[model->regressor_vertices[k]];
            const double w = (double)model->regressor_weights[k];
            sum[0] += w * (double)p.x;
            sum[1] += w * (double)p.y;
            sum[2] += w * (double)p.z;
        }
        skin->joints[j] = lmb_vec3_make((float)sum[0], (float)sum[1], (float)sum[2]);
    }
}

void lmb_body_skin_shape(lmb_body_skin *skin, const float *shape, uint32_t count)
{
    const lmb_body_model *model = skin->model;
    const size_t n = model->vertex_count;
    memcpy(skin->shaped, model->positions, n * sizeof(lmb_vec3));
    for (uint32_t k = 0; k < count && k < model->shape_count; ++k) {
        const lmb_vec3 *direction = model->shape_directions + k * n;
        for (size_t v = 0; v < n; ++v) {
            skin->shaped[v] = lmb_vec3_mad(skin->shaped[v], direction[v], shape[k]);
        }
    }
    skin->second_shape = count > 1 && model->shape_count > 1 ? shape[1] : 0;
    regress_joints(skin);
}

const lmb_vec3 *lmbi_body_skin_vertices(const lmb_body_skin *skin)
{
    return skin->shaped;
}

const lmb_vec3 *lmbi_body_skin_joints(const lmb_body_skin *skin)
{
    return skin->joints;
}

// ------------------------------------------------------------------------------------------- pose

/// R - I of a unit quaternion, row by row.
static void matrix_features(lmb_quat q, float out[9])
{
    const float x = q.x, y = q.y, z = q.z, w = q.w;
    const float m[9] = {-2 * (y * y + z * z), 2 * (x * y - z * w),  2 * (x * z + y * w),
                        2 * (x * y + z * w),  -2 * (x * x + z * z), 2 * (y * z - x * w),
                        2 * (x * z - y * w),  2 * (y * z + x * w),  -2 * (x * x + y * y)};
    memcpy(out, m, sizeof m);
}

void lmbi_body_features(const lmb_body_model *model, const lmb_quat *rotations, float second_shape,
                        float *out)
{
    uint32_t at = 0;
    for (uint32_t j = 1; j < model->joint_count; ++j) {
        const lmb_quat q = rotations != NULL ? rotations[j] : lmb_quat_identity();
        if (model->features == LMB_FEATURES_MATRIX) {
            matrix_features(q, out + at);
            at += 9;
        } else if (model->features == LMB_FEATURES_QUATERNION) {
            const float f[4] = {q.x, q.y, q.z, q.w - 1};
            memcpy(out + at, f, sizeof f);
            at += 4;
        }
    }
    if (model->feature_of_shape) {
        out[at] = second_shape;
    }
}

static void pose_joints(const lmb_body_job *job)
{
    const lmb_body_skin *skin = job->skin;
    const lmb_body_model *model = skin->model;
    for (uint32_t j = 0; j < model->joint_count; ++j) {
        lmb_transform local = lmb_transform_identity();
        const int32_t parent = model->parents[j];
        local.rotation = job->rotations != NULL ? job->rotations[j] : local.rotation;
        local.translation = parent == LMB_NONE
                                ? lmb_vec3_add(skin->joints[j], job->translation)
                                : lmb_vec3_sub(skin->joints[j], skin->joints[parent]);
        const lmb_mat4 own = lmb_mat4_from_transform(local);
        lmb_mat4 *world = &skin->model_from_joint[j];
        *world = parent == LMB_NONE ? own : lmb_mat4_mul(skin->model_from_joint[parent], own);
        // A_j = G_j without its effect on the joint's rest position.
        const lmb_vec3 moved = lmb_mat4_vector(*world, skin->joints[j]);
        lmb_mat4 *bind = &skin->model_from_bind[j];
        *bind = *world;
        bind->m[12] -= moved.x;
        bind->m[13] -= moved.y;
        bind->m[14] -= moved.z;
    }
}

static void add_correctives(void *context, size_t begin, size_t end)
{
    const lmb_body_job *job = context;
    const lmb_body_skin *skin = job->skin;
    memcpy(job->out_positions + begin, skin->shaped + begin, (end - begin) * sizeof(lmb_vec3));
    lmbi_morph_stream_add(&skin->correctives, (uint32_t)(begin / LMBI_MORPH_CHUNK), skin->features,
                          job->simd, job->out_positions + begin);
}

void lmb_body_evaluate(const lmb_body_job *job)
{
    const lmb_body_skin *skin = job->skin;
    const lmb_body_model *model = skin->model;
    lmb_body_job copy = *job;
    pose_joints(job);
    if (job->model_from_joint != NULL) {
        memcpy(job->model_from_joint, skin->model_from_joint,
               model->joint_count * sizeof(lmb_mat4));
    }
    if (job->out_positions == NULL) {
        return;
    }
    lmbi_body_features(model, job->rotations, skin->second_shape, skin->features);
    lmb_parallel_for(job->jobs, model->vertex_count, LMBI_MORPH_CHUNK, add_correctives, &copy);
    lmb_skin_linear(&(lmb_skin_job){.binding = skin->binding,
                                    .model_from_bind = skin->model_from_bind,
                                    .positions = job->out_positions,
                                    .out_positions = job->out_positions,
                                    .jobs = job->jobs});
}
