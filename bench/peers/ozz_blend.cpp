#include "bench/peers/ozz_blend.h"

#include <cstring>
#include <memory>
#include <vector>

#include "ozz/animation/runtime/blending_job.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/soa_transform.h"
#include "ozz/base/span.h"

using ozz::animation::BlendingJob;
using ozz::math::SoaTransform;

struct peer_ozz_blend {
    uint32_t joints;
    std::vector<std::vector<SoaTransform>> poses;
    std::vector<std::vector<ozz::math::SimdFloat4>> masks;
    std::vector<SoaTransform> rest, out;
    std::vector<BlendingJob::Layer> layers, additives;
    BlendingJob job;
};

namespace
{

ozz::math::SimdFloat4 four(const lmb_transform *pose, uint32_t count, uint32_t first, size_t offset,
                           float missing)
{
    float values[4];
    for (uint32_t k = 0; k < 4; ++k) {
        values[k] = missing;
        if (first + k < count) {
            std::memcpy(&values[k], reinterpret_cast<const char *>(&pose[first + k]) + 4 * offset,
                        4);
        }
    }
    return ozz::math::simd_float4::LoadPtrU(values);
}

std::vector<SoaTransform> turned(const lmb_transform *pose, uint32_t count)
{
    std::vector<SoaTransform> out((count + 3) / 4);
    for (uint32_t g = 0; g < out.size(); ++g) {
        const auto at = [&](size_t offset, float missing) {
            return four(pose, count, 4 * g, offset, missing);
        };
        out[g].translation = {at(0, 0), at(1, 0), at(2, 0)};
        out[g].rotation = {at(3, 0), at(4, 0), at(5, 0), at(6, 1)};
        out[g].scale = {at(7, 1), at(8, 1), at(9, 1)};
    }
    return out;
}

void add_layer(peer_ozz_blend *peer, const lmb_blend_layer &from,
               std::vector<BlendingJob::Layer> *layers)
{
    BlendingJob::Layer layer;
    peer->poses.push_back(turned(from.pose, peer->joints));
    layer.weight = from.weight;
    layer.transform = ozz::make_span(peer->poses.back());
    if (from.mask != nullptr) {
        std::vector<float> mask(from.mask, from.mask + peer->joints);
        mask.resize((peer->joints + 3) / 4 * 4);
        std::vector<ozz::math::SimdFloat4> soa;
        for (size_t g = 0; g < mask.size(); g += 4) {
            soa.push_back(ozz::math::simd_float4::LoadPtrU(&mask[g]));
        }
        peer->masks.push_back(soa);
        layer.joint_weights = ozz::make_span(peer->masks.back());
    }
    layers->push_back(layer);
}

} // namespace

peer_ozz_blend *peer_ozz_blend_make(const lmb_blend_job *job)
{
    auto peer = std::make_unique<peer_ozz_blend>();
    peer->joints = job->joint_count;
    peer->poses.reserve(job->layer_count + job->additive_count);
    peer->masks.reserve(job->layer_count + job->additive_count);
    peer->rest = turned(job->rest, job->joint_count);
    peer->out.resize(peer->rest.size());
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        add_layer(peer.get(), job->layers[k], &peer->layers);
    }
    for (uint32_t k = 0; k < job->additive_count; ++k) {
        add_layer(peer.get(), job->additives[k], &peer->additives);
    }
    peer->job.threshold = 0.1f;
    peer->job.layers = ozz::make_span(peer->layers);
    peer->job.additive_layers = ozz::make_span(peer->additives);
    peer->job.rest_pose = ozz::make_span(peer->rest);
    peer->job.output = ozz::make_span(peer->out);
    return peer.release();
}

int peer_ozz_blend_run(peer_ozz_blend *peer)
{
    return peer->job.Run() ? 1 : 0;
}

void peer_ozz_blend_read(const peer_ozz_blend *peer, lmb_transform *out)
{
    for (uint32_t j = 0; j < peer->joints; ++j) {
        const char *soa = reinterpret_cast<const char *>(&peer->out[j / 4]);
        for (size_t k = 0; k < 10; ++k) {
            std::memcpy(reinterpret_cast<char *>(&out[j]) + 4 * k, soa + 16 * k + 4 * (j % 4), 4);
        }
    }
}

void peer_ozz_blend_free(peer_ozz_blend *peer)
{
    delete peer;
}
