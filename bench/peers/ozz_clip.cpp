// ozz-animation on a clip that clip_bench wrote: ozz_clip DUMP PLAYED prints JSON. Build, with ozz
// installed beside the checkout:
//   g++ -std=c++17 -O3 -DNDEBUG -march=native -I. -I../ozz/install/include bench/peers/ozz_clip.cpp -L../ozz/install/lib \
//       -lozz_animation_offline_r -lozz_animation_r -lozz_base_r -o build/ozz_clip
#include "clip_dump.h"

#include "ozz/animation/offline/animation_builder.h"
#include "ozz/animation/offline/animation_optimizer.h"
#include "ozz/animation/offline/raw_animation.h"
#include "ozz/animation/offline/raw_skeleton.h"
#include "ozz/animation/offline/skeleton_builder.h"
#include "ozz/animation/runtime/animation.h"
#include "ozz/animation/runtime/local_to_model_job.h"
#include "ozz/animation/runtime/sampling_job.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/soa_transform.h"
#include "ozz/base/span.h"

#include <string>

using namespace ozz::animation;

static offline::RawSkeleton::Joint joint_of(const clip_dump &clip, uint32_t j)
{
    offline::RawSkeleton::Joint joint;
    const float *v = clip.at(0, j);
    joint.name = std::to_string(j).c_str();
    joint.transform.translation = ozz::math::Float3(v[0], v[1], v[2]);
    joint.transform.rotation = ozz::math::Quaternion(v[3], v[4], v[5], v[6]);
    joint.transform.scale = ozz::math::Float3(v[7], v[8], v[9]);
    for (uint32_t c = j + 1; c < clip.joints; ++c) {
        if (clip.parents[c] == static_cast<int32_t>(j)) {
            joint.children.push_back(joint_of(clip, c));
        }
    }
    return joint;
}

/// Raw tracks in the skeleton's order: `ours` has the dump's joint of each of its joints.
static offline::RawAnimation raw_of(const clip_dump &clip, const std::vector<uint32_t> &ours)
{
    offline::RawAnimation raw;
    raw.duration = clip.duration();
    raw.tracks.resize(clip.joints);
    for (uint32_t j = 0; j < clip.joints; ++j) {
        auto &track = raw.tracks[j];
        for (uint32_t s = 0; s < clip.samples; ++s) {
            const float t = std::min(static_cast<float>(s) / clip.rate, raw.duration),
                        *v = clip.at(s, ours[j]);
            track.translations.push_back({t, ozz::math::Float3(v[0], v[1], v[2])});
            track.rotations.push_back({t, ozz::math::Quaternion(v[3], v[4], v[5], v[6])});
            track.scales.push_back({t, ozz::math::Float3(v[7], v[8], v[9])});
        }
    }
    return raw;
}

/// A joint's ten floats out of four joints' lanes.
static void take(const ozz::math::SoaTransform &soa, uint32_t lane, float *out)
{
    const ozz::math::SimdFloat4 rows[10] = {
        soa.translation.x, soa.translation.y, soa.translation.z, soa.rotation.x, soa.rotation.y,
        soa.rotation.z,    soa.rotation.w,    soa.scale.x,       soa.scale.y,    soa.scale.z};
    for (int r = 0; r < 10; ++r) {
        float lanes[4];
        ozz::math::StorePtrU(rows[r], lanes);
        out[r] = lanes[lane];
    }
}

/// Poses at every half sample, in the dump's order.
template <typename Play>
static void write_played(const char *path, const clip_dump &clip, const std::vector<uint32_t> &ours,
                         const std::vector<ozz::math::SoaTransform> &locals, Play play)
{
    std::FILE *played = std::fopen(path, "wb");
    std::vector<float> pose(static_cast<size_t>(clip.joints) * 10);
    for (uint32_t half = 0; played != nullptr && half < 2 * clip.samples - 1; ++half) {
        play(static_cast<float>(half) * 0.5f / clip.rate);
        for (uint32_t j = 0; j < clip.joints; ++j) {
            take(locals[j / 4], j % 4, pose.data() + static_cast<size_t>(ours[j]) * 10);
        }
        std::fwrite(pose.data(), sizeof(float), pose.size(), played);
    }
    if (played != nullptr) {
        std::fclose(played);
    }
}

int main(int argc, char **argv)
{
    clip_dump clip;
    if (argc < 3 || !clip.read(argv[1])) {
        return 1;
    }
    offline::RawSkeleton raw_skeleton;
    for (uint32_t j = 0; j < clip.joints; ++j) {
        if (clip.parents[j] < 0) {
            raw_skeleton.roots.push_back(joint_of(clip, j));
        }
    }
    const auto skeleton = offline::SkeletonBuilder()(raw_skeleton);
    if (!skeleton) {
        return 1;
    }
    // Its joints are in an order of its own.
    std::vector<uint32_t> ours(clip.joints);
    for (uint32_t j = 0; j < clip.joints; ++j) {
        ours[j] = static_cast<uint32_t>(std::stoul(skeleton->joint_names()[j]));
    }
    const offline::RawAnimation raw = raw_of(clip, ours);
    const double begun = now_s();
    offline::AnimationOptimizer optimizer;
    offline::RawAnimation optimized;
    if (!optimizer(raw, *skeleton, &optimized)) {
        return 1;
    }
    const auto animation = offline::AnimationBuilder()(optimized);
    const double took = now_s() - begun;
    SamplingJob::Context context(static_cast<int>(clip.joints));
    std::vector<ozz::math::SoaTransform> locals(static_cast<size_t>(skeleton->num_soa_joints()));
    std::vector<ozz::math::Float4x4> models(clip.joints);
    SamplingJob sampling;
    sampling.animation = animation.get();
    sampling.context = &context;
    sampling.output = ozz::span<ozz::math::SoaTransform>(locals.data(), locals.size());
    const auto play = [&](float t) {
        sampling.ratio = t / raw.duration;
        sampling.Run();
    };
    LocalToModelJob to_model;
    to_model.skeleton = skeleton.get();
    to_model.input = ozz::span<const ozz::math::SoaTransform>(locals.data(), locals.size());
    to_model.output = ozz::span<ozz::math::Float4x4>(models.data(), models.size());
    const clip_times times(clip.duration());
    const double steady = time_of(times.steady, play), random = time_of(times.random, play);
    const double model = time_of(times.steady, [&](float) { to_model.Run(); });
    write_played(argv[2], clip, ours, locals, play);
    std::printf("{\"bytes\": %zu, \"compress_s\": %.4f, \"steady_ns\": %.1f, \"random_ns\": %.1f, "
                "\"to_model_ns\": %.1f}\n",
                animation->size(), took, steady, random, model);
    return 0;
}
