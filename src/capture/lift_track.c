/// Keypoint tracks over time: left and right that the detector exchanged are swapped back, jumps
/// are found, and noise is smoothed.
#include <math.h>
#include <string.h>

#include "capture/lift.h"
#include "math/scalar.h"
#include "retarget/feet.h"

#define JUMP_SPEED 5.0f  ///< m/s, fastest that a joint moves between frames
#define JUMP_FACTOR 4.0f ///< times its movement in the frames before and after
#define JUMP_POINTS 3    ///< points that must jump together
/// fraction of the body's height by which an exchange must shorten the movement
#define EXCHANGE 0.05f
#define MAX_HIDDEN_S 0.3f  ///< seconds after which a hidden pair no longer decides about sides
#define ACCELERATION 10.0f ///< standard deviation of joints' acceleration, m/s²

enum { PAIRS = 10, HALVES = 2 };

static const struct {
    uint8_t left, right, half;
} pairs[PAIRS] = {{LMB_KEYPOINT_LEFT_EYE, LMB_KEYPOINT_RIGHT_EYE, 0},
                  {LMB_KEYPOINT_LEFT_EAR, LMB_KEYPOINT_RIGHT_EAR, 0},
                  {LMB_KEYPOINT_LEFT_SHOULDER, LMB_KEYPOINT_RIGHT_SHOULDER, 0},
                  {LMB_KEYPOINT_LEFT_ELBOW, LMB_KEYPOINT_RIGHT_ELBOW, 0},
                  {LMB_KEYPOINT_LEFT_WRIST, LMB_KEYPOINT_RIGHT_WRIST, 0},
                  {LMB_KEYPOINT_LEFT_HIP, LMB_KEYPOINT_RIGHT_HIP, 1},
                  {LMB_KEYPOINT_LEFT_KNEE, LMB_KEYPOINT_RIGHT_KNEE, 1},
                  {LMB_KEYPOINT_LEFT_ANKLE, LMB_KEYPOINT_RIGHT_ANKLE, 1},
                  {LMB_KEYPOINT_LEFT_TOES, LMB_KEYPOINT_RIGHT_TOES, 1},
                  {LMB_KEYPOINT_LEFT_HEEL, LMB_KEYPOINT_RIGHT_HEEL, 1}};

static size_t index_of(uint32_t frame, int keypoint)
{
    return (size_t)frame * LMB_KEYPOINT_COUNT + (size_t)keypoint;
}

static bool is_seen(const lmbi_lifting *lift, uint32_t frame, int keypoint)
{
    return lift->confidence[index_of(frame, keypoint)] > 0.05f;
}

static float distance(lmb_vec2 a, lmb_vec2 b)
{
    const float x = a.x - b.x, y = a.y - b.y;
    return lmb_sqrt(x * x + y * y);
}

/// Pixels per metre on the body, from the median height of its points.
static float measure_scale(const lmbi_lifting *lift, float *spans)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        float low = INFINITY, high = -INFINITY;
        for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
            if (is_seen(lift, f, k)) {
                low = fminf(low, lift->points[index_of(f, k)].y);
                high = fmaxf(high, lift->points[index_of(f, k)].y);
            }
        }
        if (high > low) {
            spans[count++] = high - low;
        }
    }
    // Ankles to shoulders or ears is about 0.8 of the height.
    return count > 0 ? lmbi_quantile(spans, count, 0.5f) / (0.8f * lift->subject.height) : 1;
}

// ------------------------------------------------------------------------------------------- sides

/// Movement of a pair since it was last seen, with its labels as they are and exchanged. False
/// where it was not seen recently.
static bool measure_pair_movement(const lmbi_lifting *lift, uint32_t frame, int p, uint32_t *last,
                                  float *same, float *exchanged)
{
    const int l = pairs[p].left, r = pairs[p].right;
    if (!is_seen(lift, frame, l) || !is_seen(lift, frame, r)) {
        return false;
    }
    const uint32_t before = last[p];
    last[p] = frame;
    if (before == UINT32_MAX || (float)(frame - before) > MAX_HIDDEN_S * lift->rate) {
        return false;
    }
    const lmb_vec2 *a = lift->points + index_of(before, 0), *b = lift->points + index_of(frame, 0);
    *same = distance(a[l], b[l]) + distance(a[r], b[r]);
    *exchanged = distance(a[l], b[r]) + distance(a[r], b[l]);
    return true;
}

/// Marks the frames in which left and right of one half of the body are exchanged. The state
/// toggles where exchanged labels move less in total; the rarer state is the wrong one.
static void find_exchanged(const lmbi_lifting *lift, int half, float scale, uint8_t *state)
{
    uint32_t last[PAIRS], wrong = 0;
    memset(last, 0xff, sizeof last);
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        float gain = 0;
        for (int p = 0; p < PAIRS; ++p) {
            float same, exchanged;
            if (pairs[p].half == half &&
                measure_pair_movement(lift, f, p, last, &same, &exchanged)) {
                gain += same - exchanged;
            }
        }
        const bool change = gain > EXCHANGE * lift->subject.height * scale + 6 * (float)lift->noise;
        state[f] = (f > 0 ? state[f - 1] : 0) ^ (uint8_t)change;
        wrong += state[f];
    }
    for (uint32_t f = 0; 2 * wrong > lift->frame_count && f < lift->frame_count; ++f) {
        state[f] ^= 1;
    }
}

static void swap_back(lmbi_lifting *lift, int half, const uint8_t *state)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        for (int p = 0; state[f] && p < PAIRS; ++p) {
            const size_t l = index_of(f, pairs[p].left), r = index_of(f, pairs[p].right);
            if (pairs[p].half == half) {
                const lmb_vec2 point = lift->points[l];
                const float confidence = lift->confidence[l];
                lift->points[l] = lift->points[r];
                lift->confidence[l] = lift->confidence[r];
                lift->points[r] = point;
                lift->confidence[r] = confidence;
            }
        }
        count += state[f];
    }
    lift->exchanged_frames = count > lift->exchanged_frames ? count : lift->exchanged_frames;
}

// ------------------------------------------------------------------------------------------- jumps

static float point_movement(const lmbi_lifting *lift, uint32_t frame, int k)
{
    return frame > 0 && frame < lift->frame_count && is_seen(lift, frame, k) &&
                   is_seen(lift, frame - 1, k)
               ? distance(lift->points[index_of(frame, k)], lift->points[index_of(frame - 1, k)])
               : 0;
}

/// Finds film cuts and jumps: many points move far in one frame, and not in the frames around it.
static void find_jumps(lmbi_lifting *lift, float scale)
{
    const float least = JUMP_SPEED / lift->rate * scale + 8 * (float)lift->noise;
    for (uint32_t f = 1; f < lift->frame_count; ++f) {
        int count = 0;
        for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
            const float now = point_movement(lift, f, k);
            const float around =
                fmaxf(point_movement(lift, f - 1, k), point_movement(lift, f + 1, k));
            count += now > least && now > JUMP_FACTOR * around;
        }
        lift->cuts[f] = count >= JUMP_POINTS;
    }
}

// ---------------------------------------------------------------------------------------- smoothing

/// Whittaker smoother over one run of frames: penalises second differences. `rows` [count][3] is
/// scratch memory.
static void smooth_run(const lmbi_lifting *lift, int k, uint32_t begin, uint32_t count,
                       double stiffness, double (*rows)[3], lmb_vec2 *out)
{
    static const double d[3] = {1, -2, 1};
    memset(rows, 0, count * sizeof *rows);
    for (uint32_t i = 0; i < count; ++i) {
        rows[i][0] = 1;
    }
    for (uint32_t i = 0; i + 2 < count; ++i) {
        for (uint32_t a = 0; a < 3; ++a) {
            for (uint32_t b = 0; b <= a; ++b) {
                rows[i + a][a - b] += stiffness * d[a] * d[b];
            }
        }
    }
    // Cholesky: rows[i][j] is column i - j of row i of the factor.
    for (uint32_t i = 0; i < count; ++i) {
        if (i > 1) {
            rows[i][2] /= rows[i - 2][0];
        }
        if (i > 0) {
            const double both = i > 1 ? rows[i][2] * rows[i - 1][1] : 0;
            rows[i][1] = (rows[i][1] - both) / rows[i - 1][0];
        }
        rows[i][0] = sqrt(rows[i][0] - rows[i][1] * rows[i][1] - rows[i][2] * rows[i][2]);
    }
    double x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_vec2 p = lift->points[index_of(begin + i, k)];
        x[0] = ((double)p.x - rows[i][1] * x[1] - rows[i][2] * x[2]) / rows[i][0];
        y[0] = ((double)p.y - rows[i][1] * y[1] - rows[i][2] * y[2]) / rows[i][0];
        out[index_of(begin + i, k)] = (lmb_vec2){(float)x[0], (float)y[0]};
        x[2] = x[1], x[1] = x[0], y[2] = y[1], y[1] = y[0];
    }
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    for (uint32_t i = count; i-- > 0;) {
        const lmb_vec2 p = out[index_of(begin + i, k)];
        const double one = i + 1 < count ? rows[i + 1][1] : 0,
                     two = i + 2 < count ? rows[i + 2][2] : 0;
        x[0] = ((double)p.x - one * x[1] - two * x[2]) / rows[i][0];
        y[0] = ((double)p.y - one * y[1] - two * y[2]) / rows[i][0];
        out[index_of(begin + i, k)] = (lmb_vec2){(float)x[0], (float)y[0]};
        x[2] = x[1], x[1] = x[0], y[2] = y[1], y[1] = y[0];
    }
}

static void smooth_tracks(lmbi_lifting *lift, float scale, double (*rows)[3])
{
    const double acceleration =
        (double)(ACCELERATION * scale / (lift->rate * lift->rate)); // pixels a frame, a frame
    const double stiffness = lift->noise * lift->noise / (acceleration * acceleration);
    for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
        for (uint32_t end, begin = 0; begin < lift->frame_count; begin = end) {
            for (end = begin + 1; end < lift->frame_count && !lift->cuts[end] &&
                                  is_seen(lift, end, k) == is_seen(lift, begin, k);
                 ++end) {
            }
            if (is_seen(lift, begin, k)) {
                smooth_run(lift, k, begin, end - begin, stiffness, rows, lift->tracks);
            }
        }
    }
}

bool lmbi_lift_track(lmbi_lifting *lift)
{
    const size_t n = lift->frame_count;
    float *spans = lmbi_arena_array(lift->arena, n, sizeof *spans);
    uint8_t *state = lmbi_arena_array(lift->arena, n, 1);
    double(*rows)[3] = lmbi_arena_array(lift->arena, n, sizeof *rows);
    lift->cuts = lmbi_arena_array(lift->arena, n + 1, 1);
    lift->tracks = lmbi_arena_array(lift->arena, n * LMB_KEYPOINT_COUNT, sizeof *lift->tracks);
    if (spans == NULL || state == NULL || rows == NULL || lift->cuts == NULL ||
        lift->tracks == NULL) {
        return false;
    }
    const float scale = measure_scale(lift, spans);
    for (int half = 0; half < HALVES; ++half) {
        find_exchanged(lift, half, scale, state);
        swap_back(lift, half, state);
    }
    find_jumps(lift, scale);
    smooth_tracks(lift, scale, rows);
    return true;
}
