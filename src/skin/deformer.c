#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/binding.h"
#include "skin/deformer.h"
#include "skin/skin.h"

static bool is_skinned(const lmb_character *character, const lmb_instance *instance)
{
    return instance->skin != LMB_NONE &&
           character->meshes[instance->mesh]->influences.first != NULL;
}

static lmb_result create_part(lmb_deformer *deformer, uint32_t i, lmb_error *error)
{
    const lmb_character *character = deformer->character;
    const lmb_instance *instance = &character->instances[i];
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    const lmb_allocator *alloc = &deformer->allocator;
    lmbi_deformed_part *part = &deformer->parts[i];
    part->positions = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(lmb_vec3));
    part->normals =
        mesh->normals ? lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(lmb_vec3)) : NULL;
    part->tangents =
        mesh->tangents ? lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(lmb_vec4)) : NULL;
    if (!part->positions || (mesh->normals && !part->normals) ||
        (mesh->tangents && !part->tangents)) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    if (mesh->target_count > 0) {
        result = lmb_morph_set_create(mesh, NULL, alloc, &part->morphs, error);
    }
    if (result != LMB_OK || !is_skinned(character, instance)) {
        return result;
    }
    const uint32_t joint_count = character->skins[instance->skin]->joint_count;
    return lmbi_binding_create(mesh, joint_count, false, alloc, &part->binding, error);
}

static bool create_palettes(lmb_deformer *deformer)
{
    const lmb_character *character = deformer->character;
    const lmb_allocator *alloc = &deformer->allocator;
    uint32_t largest = 0;
    for (uint32_t s = 0; s < character->skin_count; ++s) {
        largest =
            character->skins[s]->joint_count > largest ? character->skins[s]->joint_count : largest;
    }
    deformer->palette = lmbi_alloc_array(alloc, largest, sizeof(*deformer->palette));
    deformer->rigid = lmbi_alloc_array(alloc, largest, sizeof(*deformer->rigid));
    deformer->stretch = lmbi_alloc_array(alloc, largest, sizeof(*deformer->stretch));
    deformer->rotations = lmbi_alloc_array(alloc, largest, sizeof(*deformer->rotations));
    deformer->origins = lmbi_alloc_array(alloc, largest, sizeof(*deformer->origins));
    return deformer->palette && deformer->rigid && deformer->stretch && deformer->rotations &&
           deformer->origins;
}

static lmb_result create_parts(lmb_deformer *deformer, lmb_error *error)
{
    const lmb_character *character = deformer->character;
    deformer->parts =
        lmbi_alloc_array(&deformer->allocator, character->instance_count, sizeof(*deformer->parts));
    if (deformer->parts == NULL || !create_palettes(deformer)) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < character->instance_count; ++i) {
        result = create_part(deformer, i, error);
    }
    return result;
}

lmb_result lmb_deformer_create(const lmb_character *character, const lmb_allocator *alloc,
                               lmb_deformer **out, lmb_error *error)
{
    lmb_deformer *deformer = lmbi_alloc(alloc, sizeof(*deformer));
    if (deformer == NULL) {
        return lmbi_fail_memory(error);
    }
    deformer->character = character;
    deformer->allocator = alloc ? *alloc : (lmb_allocator){0};
    const lmb_result result = create_parts(deformer, error);
    if (result != LMB_OK) {
        lmb_deformer_destroy(deformer);
        return result;
    }
    *out = deformer;
    return LMB_OK;
}

void lmb_deformer_destroy(lmb_deformer *deformer)
{
    if (deformer == NULL) {
        return;
    }
    const lmb_allocator alloc = deformer->allocator;
    for (uint32_t i = 0; deformer->parts != NULL && i < deformer->character->instance_count; ++i) {
        lmb_morph_set_destroy(deformer->parts[i].morphs);
        lmb_binding_destroy(deformer->parts[i].binding);
        lmbi_deformed_part_release(&deformer->parts[i], &alloc);
        lmbi_free(&alloc, deformer->parts[i].positions);
        lmbi_free(&alloc, deformer->parts[i].normals);
        lmbi_free(&alloc, deformer->parts[i].tangents);
    }
    lmbi_free(&alloc, deformer->parts);
    lmbi_free(&alloc, deformer->palette);
    lmbi_free(&alloc, deformer->rigid);
    lmbi_free(&alloc, deformer->stretch);
    lmbi_free(&alloc, deformer->rotations);
    lmbi_free(&alloc, deformer->origins);
    lmbi_free(&alloc, deformer);
}

// -------------------------------------------------------------------------------------- deforming

/// A mesh that moves rigidly with its joint.
typedef struct rigid_job {
    const lmbi_deformed_part *part;
    lmb_mat4 matrix;
    bool directions;
} rigid_job;

static void transform_vertices(void *context, size_t begin, size_t end)
{
    const rigid_job *job = context;
    const lmbi_deformed_part *part = job->part;
    const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(&job->matrix);
    for (size_t v = begin; v < end; ++v) {
        part->positions[v] = lmbi_point(&job->matrix, part->positions[v]);
        lmb_vec3 normal = {0, 0, 0};
        if (job->directions && part->normals != NULL) {
            normal = part->normals[v] = lmbi_normal(&cofactors, part->normals[v]);
        }
        if (job->directions && part->tangents != NULL) {
            part->tangents[v] =
                lmbi_tangent(&job->matrix, cofactors.sign, normal, part->tangents[v]);
        }
    }
}

/// First of two phases: applies the stretches to the part, and leaves the rigid transforms in
/// `rigid` for the second. Returns whether anything stretches.
static bool stretch_part(const lmb_skin_job *skinning, const lmb_deformer *deformer,
                         const lmb_skin *skin)
{
    lmb_skin_origins(skin, deformer->origins);
    const bool stretches =
        lmb_skin_split(&(lmb_skin_split_job){.joint_count = skin->joint_count,
                                             .model_from_bind = deformer->palette,
                                             .origins = deformer->origins,
                                             .rigid = deformer->rigid,
                                             .rotations = deformer->rotations,
                                             .stretch = deformer->stretch});
    if (stretches) {
        lmb_skin_job phase = *skinning;
        phase.model_from_bind = deformer->stretch;
        lmb_skin_linear(&phase);
    }
    return stretches;
}

/// The centres, moved by the stretch palette.
static const lmb_vec3 *stretch_centers(const lmb_skin_job *skinning, const lmb_deformer *deformer,
                                       const lmbi_deformed_part *part)
{
    lmb_skin_linear(&(lmb_skin_job){.binding = part->binding,
                                    .model_from_bind = deformer->stretch,
                                    .positions = part->centers->positions,
                                    .out_positions = part->stretched,
                                    .jobs = skinning->jobs});
    return part->stretched;
}

static void copy_rest(const lmbi_deformed_part *part, size_t count)
{
    memcpy(part->rest, part->positions, count * sizeof(*part->rest));
    if (part->normals != NULL) {
        memcpy(part->rest_normals, part->normals, count * sizeof(*part->rest_normals));
    }
    if (part->tangents != NULL) {
        memcpy(part->rest_tangents, part->tangents, count * sizeof(*part->rest_tangents));
    }
}

/// Linear blend skinning of positions, then delta mush. `is_changed`: the part was morphed or
/// stretched, so the details of the rest mesh do not apply.
static void skin_delta_mush(const lmb_skin_job *skinning, const lmbi_deformed_part *part,
                            bool is_changed)
{
    lmb_skin_job linear = *skinning;
    linear.out_normals = NULL;
    linear.out_tangents = NULL;
    if (is_changed) {
        copy_rest(part, lmbi_binding_vertex_count(part->binding));
    }
    lmb_skin_linear(&linear);
    lmb_skin_delta_mush(&(lmb_skin_delta_job){
        .mush = part->delta,
        .positions = part->positions,
        .out_normals = skinning->out_normals,
        .out_tangents = skinning->out_tangents,
        .rest = is_changed ? part->rest : NULL,
        .rest_normals = is_changed ? part->rest_normals : NULL,
        .rest_tangents = is_changed ? part->rest_tangents : NULL,
        .scratch = part->scratch,
        .jobs = skinning->jobs,
    });
}

/// Expects a palette without common scale.
static void skin_unscaled(lmb_skin_job *skinning, const lmb_deformer *deformer,
                          const lmbi_deformed_part *part, const lmb_skin *skin,
                          lmb_skin_method method)
{
    const bool stretches = stretch_part(skinning, deformer, skin);
    skinning->model_from_bind = deformer->rigid;
    if (method == LMB_SKIN_DUAL || method == LMB_SKIN_DUAL_FIXED) {
        const bool is_fixed = method == LMB_SKIN_DUAL_FIXED;
        assert((part->pivots != NULL || !is_fixed) && "lmb_deformer_prepare first");
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = *skinning,
                                           .rotations = deformer->rotations,
                                           .pivots = is_fixed ? part->pivots : NULL,
                                           .bulge_fix = 1});
    } else if (method == LMB_SKIN_CENTER) {
        assert(part->centers != NULL && "lmb_deformer_prepare first");
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = *skinning,
            .rotations = deformer->rotations,
            .centers = stretches ? stretch_centers(skinning, deformer, part) : NULL});
    } else if (method == LMB_SKIN_DELTA_MUSH) {
        assert(part->delta != NULL && "lmb_deformer_prepare first");
        skin_delta_mush(skinning, part, stretches || part->morphs != NULL);
    } else {
        const lmb_mush *mush = part->mush[lmbi_mush_variant_of(method)];
        assert(mush != NULL && "lmb_deformer_prepare first");
        lmb_skin_mush(&(lmb_skin_mush_job){
            .skin = *skinning, .mush = mush, .rotations = deformer->rotations});
    }
}

typedef struct scale_job {
    lmb_vec3 *positions;
    float scale;
} scale_job;

static void scale_vertices(void *context, size_t begin, size_t end)
{
    const scale_job *job = context;
    for (size_t v = begin; v < end; ++v) {
        job->positions[v] = lmb_vec3_scale(job->positions[v], job->scale);
    }
}

/// A common scale of all joints is not a stretch about each of them: it is removed from the palette
/// and applied to the output.
static void skin_with_rotations(lmb_skin_job *skinning, const lmb_deformer *deformer,
                                const lmbi_deformed_part *part, const lmb_skin *skin,
                                lmb_skin_method method)
{
    const float scale = lmbi_skin_scale(deformer->palette, skin->joint_count);
    if (scale != 1) {
        lmbi_skin_unscale(scale, deformer->palette, skin->joint_count);
    }
    skin_unscaled(skinning, deformer, part, skin, method);
    if (scale != 1) {
        scale_job context = {part->positions, scale};
        lmb_parallel_for(skinning->jobs, lmbi_binding_vertex_count(part->binding), LMBI_SKIN_GRAIN,
                         scale_vertices, &context);
    }
}

static void skin_envelope(const lmb_skin_job *skinning, const lmbi_deformed_part *part)
{
    if (part->envelope == NULL) {
        lmb_skin_linear(skinning);
        return;
    }
    lmb_skin_envelope(&(lmb_skin_envelope_job){.envelope = part->envelope,
                                               .model_from_bind = skinning->model_from_bind,
                                               .positions = skinning->positions,
                                               .normals = skinning->normals,
                                               .tangents = skinning->tangents,
                                               .out_positions = skinning->out_positions,
                                               .out_normals = skinning->out_normals,
                                               .out_tangents = skinning->out_tangents,
                                               .jobs = skinning->jobs,
                                               .simd = skinning->simd});
}

static void skin_part(const lmb_deform_job *job, const lmbi_deformed_part *part,
                      const lmb_skin *skin)
{
    lmb_mat4 *palette = job->deformer->palette;
    lmb_skin_palette(skin, job->model_from_joint, palette);
    lmb_skin_job skinning = {
        .binding = part->binding,
        .model_from_bind = palette,
        .positions = part->positions,
        .normals = part->normals,
        .tangents = part->tangents,
        .out_positions = part->positions,
        .out_normals = job->positions_only ? NULL : part->normals,
        .out_tangents = job->positions_only ? NULL : part->tangents,
        .jobs = job->jobs,
        .simd = job->simd,
    };
    switch (job->method) {
    case LMB_SKIN_RIGID:
        lmb_skin_rigid(&skinning);
        break;
    case LMB_SKIN_LINEAR_GRADIENT:
        assert(part->gradients != NULL && "lmb_deformer_prepare first");
        lmb_skin_gradient(&(lmb_skin_gradient_job){.skin = skinning, .gradients = part->gradients});
        break;
    case LMB_SKIN_DUAL:
    case LMB_SKIN_DUAL_FIXED:
    case LMB_SKIN_CENTER:
    case LMB_SKIN_MUSH:
    case LMB_SKIN_MUSH_V2:
    case LMB_SKIN_MUSH_V4:
    case LMB_SKIN_MUSH_V5:
    case LMB_SKIN_DELTA_MUSH:
        skin_with_rotations(&skinning, job->deformer, part, skin, job->method);
        break;
    case LMB_SKIN_ENVELOPE:
        skin_envelope(&skinning, part);
        break;
    case LMB_SKIN_LINEAR:
        lmb_skin_linear(&skinning);
        break;
    }
}

/// Whether a target stands for the envelope where that is not played.
static bool is_envelope_target(const lmb_morph_target *target)
{
    return target->name != NULL && strncmp(target->name, "envelope ", 9) == 0;
}

/// The weights of the mesh's targets now; of one that is enveloped, without those that show that.
static const float *morph_weights(const lmb_deform_job *job, const lmb_instance *instance,
                                  const lmb_mesh *mesh, const lmbi_deformed_part *part)
{
    const bool sampled = job->weights != NULL && job->weight_first != NULL;
    const float *given =
        sampled ? job->weights + job->weight_first[instance->joint] : instance->target_weights;
    if (job->method != LMB_SKIN_ENVELOPE || part->envelope == NULL) {
        return given;
    }
    given = given != NULL ? given : mesh->target_weights;
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        part->envelope_weights[t] =
            given == NULL || is_envelope_target(&mesh->targets[t]) ? 0 : given[t];
    }
    return part->envelope_weights;
}

static void deform_instance(const lmb_deform_job *job, uint32_t i)
{
    const lmb_character *character = job->deformer->character;
    const lmb_instance *instance = &character->instances[i];
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    const lmbi_deformed_part *part = &job->deformer->parts[i];
    lmb_morph(&(lmb_morph_job){
        .mesh = mesh,
        .weights = morph_weights(job, instance, mesh, part),
        .out_positions = part->positions,
        .out_normals = job->positions_only ? NULL : part->normals,
        .out_tangents = job->positions_only ? NULL : part->tangents,
        .jobs = job->jobs,
        .set = part->morphs,
        .simd = job->simd,
    });
    if (part->binding != NULL) {
        skin_part(job, part, character->skins[instance->skin]);
    } else {
        rigid_job context = {part, job->model_from_joint[instance->joint], !job->positions_only};
        lmb_parallel_for(job->jobs, mesh->vertex_count, LMBI_SKIN_GRAIN, transform_vertices,
                         &context);
    }
}

void lmb_deform(const lmb_deform_job *job)
{
    for (uint32_t i = 0; i < job->deformer->character->instance_count; ++i) {
        deform_instance(job, i);
    }
}

lmb_deformed lmb_deformer_instance(const lmb_deformer *deformer, uint32_t instance)
{
    const lmb_character *character = deformer->character;
    const lmbi_deformed_part *part = &deformer->parts[instance];
    return (lmb_deformed){character->meshes[character->instances[instance].mesh]->vertex_count,
                          part->positions, part->normals, part->tangents};
}

lmb_box lmb_deformer_box(const lmb_deformer *deformer)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t i = 0; i < deformer->character->instance_count; ++i) {
        const lmb_deformed shape = lmb_deformer_instance(deformer, i);
        for (uint32_t v = 0; v < shape.vertex_count; ++v) {
            box = lmb_box_add(box, shape.positions[v]);
        }
    }
    return box;
}
