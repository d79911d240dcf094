#include "embed/hand/finger_bends.h"

#include <math.h>

enum { BINS = 80, MOST_TRIANGLES = 20000 };

/// Fractions of a finger's length: a vertex farther than NEAR from the line belongs to another
/// finger; BUNCH is the width of a group of edge loops, AROUND that of the neighbourhood it is
/// compared with.
static const float NEAR = 0.17f, BUNCH = 0.025f, AROUND = 0.15f;
/// Standard deviations of the positions of joints in hands by artists.
static const float MIDDLE_SPREAD = 0.055f, OUTER_SPREAD = 0.06f;

/// The fraction of the path next to which a point lies; its distance from the path goes to
/// *out_far.
static float fraction_along(const lmbi_finger_path *path, lmb_vec3 p, float *out_far)
{
    int nearest = 0;
    float least = INFINITY;
    for (int k = 0; k < LMBI_FINGER_STEPS; ++k) {
        const lmb_vec3 to = lmb_vec3_sub(p, path->at[k]);
        const float d = lmb_vec3_dot(to, to);
        if (d < least) {
            least = d;
            nearest = k;
        }
    }
    const int before = nearest > 0 ? nearest - 1 : 0,
              after = nearest < LMBI_FINGER_STEPS - 1 ? nearest + 1 : nearest;
    const lmb_vec3 along = lmb_vec3_sub(path->at[after], path->at[before]);
    const float step = path->length / (LMBI_FINGER_STEPS - 1);
    const float past = lmb_vec3_dot(lmb_vec3_sub(p, path->at[nearest]), along) /
                       fmaxf(lmb_vec3_length(along), 1e-9f);
    *out_far = lmb_sqrt(least);
    return ((float)nearest + past / fmaxf(step, 1e-9f)) / (LMBI_FINGER_STEPS - 1);
}

static void count_corners(const lmb_vec3 *corners, uint32_t count,
                          const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                          float bins[LMBI_BENDING_FINGERS][BINS])
{
    const uint32_t triangles = count / 3, skip = 1 + triangles / MOST_TRIANGLES;
    for (uint32_t t = 0; t < triangles; t += skip) {
        for (uint32_t k = 0; k < 3; ++k) {
            float least = INFINITY, fraction = -1;
            int finger = 0;
            for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
                float far;
                const float at = fraction_along(&paths[f], corners[3 * (size_t)t + k], &far);
                if (far < least && far < NEAR * paths[f].length) {
                    least = far;
                    fraction = at;
                    finger = f;
                }
            }
            if (fraction >= 0 && fraction < 1) {
                bins[finger][(int)(fraction * BINS)] += 1;
            }
        }
    }
}

static void blur(const float *x, float wide, float *out)
{
    const int reach = (int)(3 * wide * BINS) + 1;
    for (int n = 0; n < BINS; ++n) {
        float sum = 0, weights = 0;
        for (int k = n - reach < 0 ? 0 : n - reach; k <= n + reach && k < BINS; ++k) {
            const float d = (float)(k - n) / (wide * BINS), weight = lmb_exp(-0.5f * d * d);
            sum += weight * x[k];
            weights += weight;
        }
        out[n] = sum / weights;
    }
}

/// Density of vertices along the finger relative to its neighbourhood.
static void find_density(const float *counts, float *out)
{
    float bunch[BINS], around[BINS];
    blur(counts, BUNCH, bunch);
    blur(bunch, AROUND, around);
    for (int n = 0; n < BINS; ++n) {
        out[n] = around[n] > 0 ? bunch[n] / around[n] : 1;
    }
}

/// The mean of a Gaussian around the usual position, weighted by density.
static float weighted_mean(const float *density, float usual, float spread)
{
    float sum = 0, weights = 0;
    for (int n = 0; n < BINS; ++n) {
        const float at = ((float)n + 0.5f) / BINS, d = (at - usual) / spread;
        const float weight = lmb_exp(-0.5f * d * d) * density[n] * density[n];
        sum += weight * at;
        weights += weight;
    }
    return weights > 0 ? sum / weights : usual;
}

void lmbi_finger_bends(const lmb_vec3 *corners, uint32_t corner_count,
                       const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                       lmbi_bends bends[LMBI_BENDING_FINGERS])
{
    float bins[LMBI_BENDING_FINGERS][BINS] = {{0}}, all[BINS] = {0};
    count_corners(corners, corner_count, paths, bins);
    for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
        float density[BINS];
        find_density(bins[f], density);
        for (int n = 0; n < BINS; ++n) {
            bins[f][n] = density[n];
            all[n] += density[n] / LMBI_BENDING_FINGERS;
        }
    }
    for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
        // All four fingers share one density, since fingers of one hand are modelled alike.
        float density[BINS];
        for (int n = 0; n < BINS; ++n) {
            density[n] = bins[f][n] * all[n];
        }
        bends[f].middle = weighted_mean(density, bends[f].middle, MIDDLE_SPREAD);
        bends[f].outer = weighted_mean(density, bends[f].outer, OUTER_SPREAD);
    }
}
