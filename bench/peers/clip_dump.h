// What bench/clip_bench.c writes for the peers: little-endian "CLIP", joints, samples, samples a
// second (float), parents (int32, -1 for roots), then every pose: ten floats a joint, translation,
// rotation x y z w, scale. A peer writes the poses that it plays back at half samples in the same
// layout, without a head.
#ifndef PEERS_CLIP_DUMP_H
#define PEERS_CLIP_DUMP_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct clip_dump {
    uint32_t joints = 0, samples = 0;
    float rate = 0;
    std::vector<int32_t> parents;
    std::vector<float> poses;

    const float *at(uint32_t sample, uint32_t joint) const
    {
        return poses.data() + (static_cast<size_t>(sample) * joints + joint) * 10;
    }
    float duration() const
    {
        return static_cast<float>(samples - 1) / rate;
    }

    bool read(const char *path)
    {
        std::FILE *file = std::fopen(path, "rb");
        char magic[4];
        bool ok = file != nullptr && std::fread(magic, 4, 1, file) == 1 &&
                  std::memcmp(magic, "CLIP", 4) == 0 && std::fread(&joints, 4, 1, file) == 1 &&
                  std::fread(&samples, 4, 1, file) == 1 && std::fread(&rate, 4, 1, file) == 1;
        if (ok) {
            parents.resize(joints);
            poses.resize(static_cast<size_t>(joints) * samples * 10);
            ok = std::fread(parents.data(), 4, joints, file) == joints &&
                 std::fread(poses.data(), 4, poses.size(), file) == poses.size();
        }
        if (file != nullptr) {
            std::fclose(file);
        }
        return ok;
    }
};

inline double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// The same times for every player: steady at 60 a second, and by a linear congruence.
struct clip_times {
    std::vector<float> steady, random;
    explicit clip_times(float duration)
    {
        uint64_t state = 1;
        for (int i = 0; i < 20000; ++i) {
            const double at = i / 60.0;
            steady.push_back(static_cast<float>(
                at - duration * static_cast<double>(static_cast<int64_t>(at / duration))));
            state = state * 6364136223846793005u + 1442695040888963407u;
            random.push_back(static_cast<float>(state >> 40) / 16777216.0f * duration);
        }
    }
};

/// Nanoseconds a pose: the best of nine rounds.
template <typename play>
double time_of(const std::vector<float> &times, play &&at)
{
    double best = 1e9;
    for (int round = 0; round < 9; ++round) {
        const double begun = now_s();
        for (const float t : times) {
            at(t);
        }
        const double took = (now_s() - begun) / static_cast<double>(times.size()) * 1e9;
        best = took < best ? took : best;
    }
    return best;
}

#endif
