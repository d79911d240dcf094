#include "bench/peers/ozz_skin.h"

#include "ozz/base/maths/simd_math.h"
#include "ozz/base/span.h"
#include "ozz/geometry/runtime/skinning_job.h"

int peer_ozz_skin(const peer_skin *job)
{
    const size_t count = static_cast<size_t>(job->vertex_count);
    const size_t influences = static_cast<size_t>(job->influences);
    ozz::geometry::SkinningJob skinning;
    skinning.vertex_count = job->vertex_count;
    skinning.influences_count = job->influences;
    skinning.joint_matrices = ozz::span<const ozz::math::Float4x4>(
        reinterpret_cast<const ozz::math::Float4x4 *>(job->palette),
        static_cast<size_t>(job->joint_count));
    skinning.joint_indices = ozz::span<const uint16_t>(job->joints, count * influences);
    skinning.joint_indices_stride = influences * sizeof(uint16_t);
    if (influences > 1) {
        skinning.joint_weights = ozz::span<const float>(job->weights, count * (influences - 1));
        skinning.joint_weights_stride = (influences - 1) * sizeof(float);
    }
    const size_t stride = 3 * sizeof(float);
    skinning.in_positions = ozz::span<const float>(job->positions, count * 3);
    skinning.in_positions_stride = stride;
    skinning.out_positions = ozz::span<float>(job->out_positions, count * 3);
    skinning.out_positions_stride = stride;
    if (job->normals != nullptr) {
        skinning.in_normals = ozz::span<const float>(job->normals, count * 3);
        skinning.in_normals_stride = stride;
        skinning.out_normals = ozz::span<float>(job->out_normals, count * 3);
        skinning.out_normals_stride = stride;
    }
    if (job->tangents != nullptr) {
        skinning.in_tangents = ozz::span<const float>(job->tangents, count * 3);
        skinning.in_tangents_stride = stride;
        skinning.out_tangents = ozz::span<float>(job->out_tangents, count * 3);
        skinning.out_tangents_stride = stride;
    }
    return skinning.Run() ? 1 : 0;
}
