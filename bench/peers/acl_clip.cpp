// ACL (nfrechette/acl) on a clip that clip_bench wrote: acl_clip DUMP PLAYED prints JSON. Build,
// with ACL and RTM beside the checkout:
//   g++ -std=c++17 -O3 -DNDEBUG -mavx2 -mfma -I. -I../acl/includes -I../rtm/includes
//   bench/peers/acl_clip.cpp -o build/acl_clip
#include "clip_dump.h"

#include <acl/compression/compress.h>
#include <acl/compression/transform_error_metrics.h>
#include <acl/core/ansi_allocator.h>
#include <acl/decompression/decompress.h>

struct pose_writer final : acl::track_writer {
    std::vector<rtm::qvvf> pose;
    void RTM_SIMD_CALL write_rotation(uint32_t i, rtm::quatf_arg0 q)
    {
        pose[i].rotation = q;
    }
    void RTM_SIMD_CALL write_translation(uint32_t i, rtm::vector4f_arg0 v)
    {
        pose[i].translation = v;
    }
    void RTM_SIMD_CALL write_scale(uint32_t i, rtm::vector4f_arg0 v)
    {
        pose[i].scale = v;
    }
};

static acl::track_array_qvvf tracks_of(const clip_dump &clip, acl::iallocator &allocator)
{
    acl::track_array_qvvf tracks(allocator, clip.joints);
    for (uint32_t j = 0; j < clip.joints; ++j) {
        acl::track_desc_transformf desc;
        desc.output_index = j;
        desc.parent_index = clip.parents[j] < 0 ? acl::k_invalid_track_index
                                                : static_cast<uint32_t>(clip.parents[j]);
        desc.precision = 0.0001f;
        desc.shell_distance = 0.03f;
        acl::track_qvvf track =
            acl::track_qvvf::make_reserve(desc, allocator, clip.samples, clip.rate);
        for (uint32_t s = 0; s < clip.samples; ++s) {
            const float *v = clip.at(s, j);
            track[s] =
                rtm::qvv_set(rtm::quat_normalize(rtm::quat_set(v[3], v[4], v[5], v[6])),
                             rtm::vector_set(v[0], v[1], v[2]), rtm::vector_set(v[7], v[8], v[9]));
        }
        tracks[j] = std::move(track);
    }
    return tracks;
}

int main(int argc, char **argv)
{
    clip_dump clip;
    if (argc < 3 || !clip.read(argv[1])) {
        return 1;
    }
    acl::ansi_allocator allocator;
    const acl::track_array_qvvf tracks = tracks_of(clip, allocator);
    acl::compression_settings settings = acl::get_default_compression_settings();
    acl::qvvf_transform_error_metric metric;
    settings.error_metric = &metric;
    acl::compressed_tracks *packed = nullptr;
    double took = 1e9;
    for (int round = 0; round < 3; ++round) {
        acl::output_stats stats;
        if (packed != nullptr) {
            allocator.deallocate(packed, packed->get_size());
        }
        const double begun = now_s();
        if (acl::compress_track_list(allocator, tracks, settings, packed, stats).any()) {
            return 1;
        }
        took = std::min(took, now_s() - begun);
    }
    acl::decompression_context<acl::default_transform_decompression_settings> context;
    context.initialize(*packed);
    pose_writer writer;
    writer.pose.resize(clip.joints);
    const auto play = [&](float t) {
        context.seek(t, acl::sample_rounding_policy::none);
        context.decompress_tracks(writer);
    };
    const clip_times times(clip.duration());
    const double steady = time_of(times.steady, play), random = time_of(times.random, play);
    std::FILE *played = std::fopen(argv[2], "wb");
    for (uint32_t half = 0; played != nullptr && half < 2 * clip.samples - 1; ++half) {
        play(static_cast<float>(half) * 0.5f / clip.rate);
        for (const rtm::qvvf &joint : writer.pose) {
            float v[12];
            rtm::vector_store3(joint.translation, v);
            rtm::quat_store(joint.rotation, v + 3);
            rtm::vector_store3(joint.scale, v + 7);
            std::fwrite(v, sizeof(float), 10, played);
        }
    }
    if (played != nullptr) {
        std::fclose(played);
    }
    std::printf("{\"bytes\": %u, \"compress_s\": %.4f, \"steady_ns\": %.1f, \"random_ns\": %.1f}\n",
                packed->get_size(), took, steady, random);
    return 0;
}
