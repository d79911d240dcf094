// A raw animation of ozz-animation as the poses that clip_bench and crowd_bench read:
// ozz_raw SKELETON.ozz RAW_ANIMATION.ozz RATE OUT.clip. Build, with ozz installed beside the checkout:
//   g++ -std=c++17 -O2 -I. -I../ozz/install/include bench/peers/ozz_raw.cpp -L../ozz/install/lib \
//       -lozz_animation_offline_r -lozz_animation_r -lozz_base_r -o build/ozz_raw
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ozz/animation/offline/raw_animation.h"
#include "ozz/animation/offline/raw_animation_utils.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/io/archive.h"
#include "ozz/base/io/stream.h"
#include "ozz/base/span.h"

template <typename T>
static bool load(const char *path, T *object)
{
    ozz::io::File file(path, "rb");
    if (!file.opened()) {
        return false;
    }
    ozz::io::IArchive archive(&file);
    if (!archive.TestTag<T>()) {
        return false;
    }
    archive >> *object;
    return true;
}

int main(int argc, char **argv)
{
    ozz::animation::Skeleton skeleton;
    ozz::animation::offline::RawAnimation raw;
    if (argc < 5 || !load(argv[1], &skeleton) || !load(argv[2], &raw)) {
        return 1;
    }
    const uint32_t joints = static_cast<uint32_t>(skeleton.num_joints());
    float rate = static_cast<float>(std::atof(argv[3]));
    const uint32_t samples = static_cast<uint32_t>(std::lround(raw.duration * rate)) + 1;
    rate = static_cast<float>(samples - 1) / raw.duration;
    std::FILE *out = std::fopen(argv[4], "wb");
    if (out == nullptr || joints != static_cast<uint32_t>(raw.num_tracks())) {
        return 1;
    }
    std::fwrite("CLIP", 4, 1, out);
    std::fwrite(&joints, 4, 1, out);
    std::fwrite(&samples, 4, 1, out);
    std::fwrite(&rate, 4, 1, out);
    for (const int16_t parent : skeleton.joint_parents()) {
        const int32_t wide = parent;
        std::fwrite(&wide, 4, 1, out);
    }
    std::vector<ozz::math::Transform> pose(joints);
    for (uint32_t s = 0; s < samples; ++s) {
        const float at = std::fmin(static_cast<float>(s) / rate, raw.duration);
        ozz::animation::offline::SampleAnimation(raw, at, ozz::make_span(pose));
        for (const auto &t : pose) {
            const float v[10] = {t.translation.x, t.translation.y, t.translation.z, t.rotation.x,
                                 t.rotation.y,    t.rotation.z,    t.rotation.w,    t.scale.x,
                                 t.scale.y,       t.scale.z};
            std::fwrite(v, sizeof(v), 1, out);
        }
    }
    return std::fclose(out) == 0 ? 0 : 1;
}
