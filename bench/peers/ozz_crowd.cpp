#include "bench/peers/ozz_crowd.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "limber/anim.h"

#include "ozz/animation/offline/animation_builder.h"
#include "ozz/animation/offline/animation_optimizer.h"
#include "ozz/animation/offline/raw_animation.h"
#include "ozz/animation/offline/raw_skeleton.h"
#include "ozz/animation/offline/skeleton_builder.h"
#include "ozz/animation/runtime/animation.h"
#include "ozz/animation/runtime/blending_job.h"
#include "ozz/animation/runtime/local_to_model_job.h"
#include "ozz/animation/runtime/sampling_job.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/soa_transform.h"
#include "ozz/base/span.h"

using namespace ozz::animation;
using ozz::math::Float4x4;
using ozz::math::SoaTransform;

namespace
{

struct character {
    std::vector<std::unique_ptr<SamplingJob::Context>> contexts;
    std::vector<std::vector<SoaTransform>> poses;
    std::vector<SoaTransform> blended;
    std::vector<Float4x4> models;
};

} // namespace

struct peer_ozz_crowd {
    ozz::unique_ptr<Skeleton> skeleton;
    std::vector<ozz::unique_ptr<Animation>> clips;
    std::vector<uint32_t> ours; ///< our joint, by theirs
    std::vector<Float4x4> joint_from_bind;
    std::vector<character> characters;
    std::vector<BlendingJob::Layer> layers;
};

namespace
{

ozz::math::Transform transform_of(const lmb_transform &t)
{
    return {{t.translation.x, t.translation.y, t.translation.z},
            {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
            {t.scale.x, t.scale.y, t.scale.z}};
}

offline::RawSkeleton::Joint joint_of(const lmb_skeleton *skeleton, uint32_t j)
{
    offline::RawSkeleton::Joint joint;
    joint.name = std::to_string(j).c_str();
    joint.transform = transform_of(skeleton->rest[j]);
    for (uint32_t c = j + 1; c < skeleton->joint_count; ++c) {
        if (skeleton->parents[c] == static_cast<int32_t>(j)) {
            joint.children.push_back(joint_of(skeleton, c));
        }
    }
    return joint;
}

bool make_skeleton(peer_ozz_crowd *peer, const lmb_skeleton *skeleton)
{
    offline::RawSkeleton raw;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == LMB_NONE) {
            raw.roots.push_back(joint_of(skeleton, j));
        }
    }
    peer->skeleton = offline::SkeletonBuilder()(raw);
    for (uint32_t j = 0; peer->skeleton && j < skeleton->joint_count; ++j) {
        peer->ours.push_back(static_cast<uint32_t>(std::stoul(peer->skeleton->joint_names()[j])));
    }
    return peer->skeleton != nullptr;
}

bool make_clip(peer_ozz_crowd *peer, const lmb_skeleton *skeleton, const lmb_clip *clip, float rate)
{
    const uint32_t joints = skeleton->joint_count;
    offline::RawAnimation raw, optimized;
    raw.duration = clip->duration / clip->ticks_per_s;
    raw.tracks.resize(joints);
    std::vector<lmb_transform> pose(joints);
    const uint32_t samples = static_cast<uint32_t>(std::lround(raw.duration * rate)) + 1;
    for (uint32_t s = 0; s < samples; ++s) {
        const float at = std::fmin(static_cast<float>(s) / rate, raw.duration);
        lmb_sample_job job = {};
        job.clip = clip;
        job.time_s = static_cast<double>(at);
        job.joint_count = joints;
        job.rest = skeleton->rest;
        job.pose = pose.data();
        lmb_sample(&job);
        for (uint32_t j = 0; j < joints; ++j) {
            const ozz::math::Transform t = transform_of(pose[peer->ours[j]]);
            raw.tracks[j].translations.push_back({at, t.translation});
            raw.tracks[j].rotations.push_back({at, t.rotation});
            raw.tracks[j].scales.push_back({at, t.scale});
        }
    }
    offline::AnimationOptimizer optimizer;
    if (!optimizer(raw, *peer->skeleton, &optimized)) {
        return false;
    }
    peer->clips.push_back(offline::AnimationBuilder()(optimized));
    return peer->clips.back() != nullptr;
}

/// joint_from_bind where the rest pose is the bind pose.
bool make_bind(peer_ozz_crowd *peer)
{
    peer->joint_from_bind.resize(static_cast<size_t>(peer->skeleton->num_joints()));
    LocalToModelJob job;
    job.skeleton = peer->skeleton.get();
    job.input = peer->skeleton->joint_rest_poses();
    job.output = ozz::make_span(peer->joint_from_bind);
    const bool ran = job.Run();
    for (Float4x4 &m : peer->joint_from_bind) {
        m = Invert(m);
    }
    return ran;
}

void make_characters(peer_ozz_crowd *peer, uint32_t count)
{
    const auto joints = static_cast<size_t>(peer->skeleton->num_joints()),
               soa = static_cast<size_t>(peer->skeleton->num_soa_joints());
    peer->layers.resize(peer->clips.size());
    peer->characters.resize(count);
    for (character &c : peer->characters) {
        for (size_t k = 0; k < peer->clips.size(); ++k) {
            c.contexts.push_back(std::make_unique<SamplingJob::Context>(static_cast<int>(joints)));
            c.poses.emplace_back(soa, SoaTransform::identity());
        }
        c.blended.assign(soa, SoaTransform::identity());
        c.models.resize(joints);
    }
}

void sample(peer_ozz_crowd *peer, character *c, const double *times)
{
    for (size_t k = 0; k < peer->clips.size(); ++k) {
        SamplingJob job;
        job.animation = peer->clips[k].get();
        job.context = c->contexts[k].get();
        job.ratio = static_cast<float>(times[k]) / peer->clips[k]->duration();
        job.output = ozz::make_span(c->poses[k]);
        job.Run();
    }
}

void blend(peer_ozz_crowd *peer, character *c, const float *weights)
{
    for (size_t k = 0; k < peer->clips.size(); ++k) {
        peer->layers[k].weight = weights[k];
        peer->layers[k].transform = ozz::make_span(c->poses[k]);
    }
    BlendingJob job;
    job.layers = ozz::make_span(peer->layers);
    job.rest_pose = peer->skeleton->joint_rest_poses();
    job.output = ozz::make_span(c->blended);
    job.Run();
}

} // namespace

peer_ozz_crowd *peer_ozz_crowd_make(const lmb_skeleton *skeleton, const lmb_clip *const *clips,
                                    const float *rates_hz, uint32_t clip_count, uint32_t count)
{
    auto peer = std::make_unique<peer_ozz_crowd>();
    if (!make_skeleton(peer.get(), skeleton)) {
        return nullptr;
    }
    for (uint32_t k = 0; k < clip_count; ++k) {
        if (!make_clip(peer.get(), skeleton, clips[k], rates_hz[k])) {
            return nullptr;
        }
    }
    if (!make_bind(peer.get())) {
        return nullptr;
    }
    make_characters(peer.get(), count);
    return peer.release();
}

void peer_ozz_crowd_step(peer_ozz_crowd *peer, uint32_t index, const double *times_s,
                         const float *weights, peer_stage last, lmb_mat4 *palette)
{
    character *c = &peer->characters[index];
    sample(peer, c, times_s);
    if (last >= PEER_BLEND) {
        blend(peer, c, weights);
    }
    if (last >= PEER_MODEL) {
        LocalToModelJob job;
        job.skeleton = peer->skeleton.get();
        job.input = ozz::make_span(c->blended);
        job.output = ozz::make_span(c->models);
        job.Run();
    }
    for (size_t j = 0; last >= PEER_PALETTE && j < c->models.size(); ++j) {
        const Float4x4 m = c->models[j] * peer->joint_from_bind[j];
        std::memcpy(palette[peer->ours[j]].m, &m, sizeof(m));
    }
}

void peer_ozz_crowd_free(peer_ozz_crowd *peer)
{
    delete peer;
}
