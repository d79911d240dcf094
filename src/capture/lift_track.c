/// Keypoints as tracks over time: sides that a detector exchanged put back, leaps found, and what
/// trembles smoothed as far as it trembles.
#include <math.h>
#include <string.h>

#include "capture/lift.h"
#include "retarget/feet.h"

#define LEAP_SPEED 5.0f ///< metres a second that no joint moves from one frame to the next
#define LEAP_TIMES 4.0f ///< of what it moves before and after
#define LEAP_POINTS 3   ///< that leap together
#define EXCHANGE 0.05f  ///< of the body's height that sides must gain by being exchanged
#define MEMORY_S 0.3f   ///< a pair that was hidden longer says nothing of the sides
#define CHANGE 10.0f    ///< metres a second, a second, that joints are likely to change speed by

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

static bool seen(const lmbi_lifting *lift, uint32_t frame, int keypoint)
{
    return lift->confidence[index_of(frame, keypoint)] > 0.05f;
}

static float apart(lmb_vec2 a, lmb_vec2 b)
{
    const float x = a.x - b.x, y = a.y - b.y;
    return lmb_sqrt(x * x + y * y);
}

/// Pixels of a metre on the body: what its points span where they span most, as a rule.
static float measure_scale(const lmbi_lifting *lift, float *spans)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        float low = INFINITY, high = -INFINITY;
        for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
            if (seen(lift, f, k)) {
                low = fminf(low, lift->points[index_of(f, k)].y);
                high = fmaxf(high, lift->points[index_of(f, k)].y);
            }
        }
        if (high > low) {
            spans[count++] = high - low;
        }
    }
    // Ankles to shoulders or ears: most of a body.
    return count > 0 ? lmbi_quantile(spans, count, 0.5f) / (0.8f * lift->subject.height) : 1;
}

// ------------------------------------------------------------------------------------------- sides

/// What a pair moved since it was last seen, as it is called and exchanged. False where it says
/// nothing.
static bool pair_moves(const lmbi_lifting *lift, uint32_t frame, int p, uint32_t *last, float *same,
                       float *other)
{
    const int l = pairs[p].left, r = pairs[p].right;
    if (!seen(lift, frame, l) || !seen(lift, frame, r)) {
        return false;
    }
    const uint32_t before = last[p];
    last[p] = frame;
    if (before == UINT32_MAX || (float)(frame - before) > MEMORY_S * lift->rate) {
        return false;
    }
    const lmb_vec2 *a = lift->points + index_of(before, 0), *b = lift->points + index_of(frame, 0);
    *same = apart(a[l], b[l]) + apart(a[r], b[r]);
    *other = apart(a[l], b[r]) + apart(a[r], b[l]);
    return true;
}

/// Which frames have the sides of one half of the body exchanged: a change of sides is where points
/// move less if their names change places, all in all. The rarer state is the wrong one.
static void find_exchanged(const lmbi_lifting *lift, int half, float scale, uint8_t *state)
{
    uint32_t last[PAIRS], wrong = 0;
    memset(last, 0xff, sizeof last);
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        float gain = 0;
        for (int p = 0; p < PAIRS; ++p) {
            float same, other;
            if (pairs[p].half == half && pair_moves(lift, f, p, last, &same, &other)) {
                gain += same - other;
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

static void put_back(lmbi_lifting *lift, int half, const uint8_t *state)
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

// ------------------------------------------------------------------------------------------- leaps

static float moved(const lmbi_lifting *lift, uint32_t frame, int k)
{
    return frame > 0 && frame < lift->frame_count && seen(lift, frame, k) &&
                   seen(lift, frame - 1, k)
               ? apart(lift->points[index_of(frame, k)], lift->points[index_of(frame - 1, k)])
               : 0;
}

/// A cut in the film, a first frame in another pose: many points move in one frame what they move
/// neither before nor after.
static void find_leaps(lmbi_lifting *lift, float scale)
{
    const float least = LEAP_SPEED / lift->rate * scale + 8 * (float)lift->noise;
    for (uint32_t f = 1; f < lift->frame_count; ++f) {
        int count = 0;
        for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
            const float now = moved(lift, f, k);
            const float around = fmaxf(moved(lift, f - 1, k), moved(lift, f + 1, k));
            count += now > least && now > LEAP_TIMES * around;
        }
        lift->cuts[f] = count >= LEAP_POINTS;
    }
}

// ---------------------------------------------------------------------------------------- smoothing

/// Whittaker's smoother over one run of frames: deviations against second differences.
/// `rows` [count][3] and `values` [count] are working memory.
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
    // Cholesky: rows[i][j] is the factor's column i - j of row i.
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

static void smooth(lmbi_lifting *lift, float scale, double (*rows)[3])
{
    const double likely =
        (double)(CHANGE * scale / (lift->rate * lift->rate)); // pixels a frame, a frame
    const double stiffness = lift->noise * lift->noise / (likely * likely);
    for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
        for (uint32_t end, begin = 0; begin < lift->frame_count; begin = end) {
            for (end = begin + 1; end < lift->frame_count && !lift->cuts[end] &&
                                  seen(lift, end, k) == seen(lift, begin, k);
                 ++end) {
            }
            if (seen(lift, begin, k)) {
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
        put_back(lift, half, state);
    }
    find_leaps(lift, scale);
    smooth(lift, scale, rows);
    return true;
}
