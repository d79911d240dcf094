#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "io/fbx/take.h"
#include "io/fbx_text.h"

static void assert_near_at(double got, double want, double within, int line)
{
    if (!(fabs(got - want) <= within)) {
        print_error("line %d: %.12g, expected %.12g\n", line, got, want);
    }
    assert_true(fabs(got - want) <= within);
}
#define assert_near(got, want, within) assert_near_at((got), (want), (within), __LINE__)

static double at(const lmbi_fbx_curve *curve, double time_s)
{
    uint32_t hint = 77; // any number is a valid hint
    const double cold = lmbi_fbx_curve_at(curve, time_s, &hint);
    assert_near(lmbi_fbx_curve_at(curve, time_s, &hint), cold, 0);
    return cold;
}

/// Handles a third of the span long make a cubic Hermite, whose time is the parameter itself.
static void thirds_are_hermite(void **state)
{
    (void)state;
    lmbi_fbx_key keys[2] = {
        {.time_s = 1, .value = 2, .segment = LMBI_FBX_BEZIER, .right_dx = 1, .right_dy = -2},
        {.time_s = 4, .value = 5, .left_dx = 1, .left_dy = 3},
    };
    const lmbi_fbx_curve curve = {.count = 2, .keys = keys};
    for (int i = 0; i <= 10; ++i) {
        const double u = i / 10.0, u2 = u * u, u3 = u2 * u;
        const double want = (2 * u3 - 3 * u2 + 1) * 2 + (u3 - 2 * u2 + u) * -6 +
                            (3 * u2 - 2 * u3) * 5 + (u3 - u2) * 9;
        assert_near(at(&curve, 1 + 3 * u), want, 1e-12);
    }
}

/// Weighted handles: the parameter found must give back the time. Checked by stepping the
/// parameter.
static void weighted_handles_keep_time(void **state)
{
    (void)state;
    lmbi_fbx_key keys[2] = {
        {.time_s = 0, .value = 0, .segment = LMBI_FBX_BEZIER, .right_dx = 1.8, .right_dy = 1},
        {.time_s = 2, .value = 1, .left_dx = 1.9, .left_dy = -4},
    };
    const lmbi_fbx_curve curve = {.count = 2, .keys = keys};
    for (int i = 0; i <= 100; ++i) {
        const double t = i / 100.0, u = 1 - t;
        const double time_s = 3 * u * u * t * 1.8 + 3 * u * t * t * 0.1 + t * t * t * 2;
        const double value = 3 * u * u * t * 1 + 3 * u * t * t * 5 + t * t * t;
        assert_near(at(&curve, time_s), value, 1e-7);
    }
}

static void steps_hold_one_side_or_the_other(void **state)
{
    (void)state;
    lmbi_fbx_key keys[3] = {{.time_s = 0, .value = 1, .segment = LMBI_FBX_HOLD},
                            {.time_s = 1, .value = 2, .segment = LMBI_FBX_HOLD_NEXT},
                            {.time_s = 2, .value = 3}};
    const lmbi_fbx_curve curve = {.count = 3, .keys = keys};
    assert_near(at(&curve, 0.999), 1, 0);
    assert_near(at(&curve, 1), 2, 0);
    assert_near(at(&curve, 1.001), 3, 0);
    assert_near(at(&curve, 9), 3, 0);
    assert_near(at(&curve, -9), 1, 0);
}

/// f(t) = t on [0, 2], continued both ways.
static void goes_on_outside_its_keys(void **state)
{
    (void)state;
    lmbi_fbx_key keys[2] = {{.time_s = 0,
                             .value = 0,
                             .segment = LMBI_FBX_STRAIGHT,
                             .right_dx = 2.0 / 3,
                             .right_dy = 2.0 / 3},
                            {.time_s = 2, .value = 2, .left_dx = 2.0 / 3, .left_dy = 2.0 / 3}};
    lmbi_fbx_curve curve = {.count = 2, .keys = keys, .rounds_before = -1, .rounds_after = -1};
    static const struct {
        lmbi_fbx_outside mode;
        double time_s, value;
    } cases[] = {
        {LMBI_FBX_OUTSIDE_SLOPE, 5, 5},          {LMBI_FBX_OUTSIDE_SLOPE, -3, -3},
        {LMBI_FBX_OUTSIDE_REPEAT, 2.5, 0.5},     {LMBI_FBX_OUTSIDE_REPEAT, 5.5, 1.5},
        {LMBI_FBX_OUTSIDE_REPEAT, -0.5, 1.5},    {LMBI_FBX_OUTSIDE_MIRROR, 2.5, 1.5},
        {LMBI_FBX_OUTSIDE_MIRROR, 4.5, 0.5},     {LMBI_FBX_OUTSIDE_MIRROR, -0.5, 0.5},
        {LMBI_FBX_OUTSIDE_MIRROR, -2.5, 1.5},    {LMBI_FBX_OUTSIDE_RELATIVE, 3.5, 3.5},
        {LMBI_FBX_OUTSIDE_RELATIVE, -2.5, -2.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        curve.before = curve.after = cases[i].mode;
        assert_near(at(&curve, cases[i].time_s), cases[i].value, 1e-12);
    }
    // After a number of rounds, what the last one ended with.
    curve.rounds_before = curve.rounds_after = 1;
    curve.before = curve.after = LMBI_FBX_OUTSIDE_REPEAT;
    assert_near(at(&curve, 9), 2, 0);
    curve.before = curve.after = LMBI_FBX_OUTSIDE_MIRROR;
    assert_near(at(&curve, 9), 0, 0);
    assert_near(at(&curve, -9), 2, 0);
    curve.before = curve.after = LMBI_FBX_OUTSIDE_RELATIVE;
    assert_near(at(&curve, 9), 4, 1e-12);
    assert_near(at(&curve, -9), -2, 1e-12);
}

static lmbi_fbx_curve *read_curve(lmbi_fbx *fbx, const char *text)
{
    lmbi_fbx_curve *curve = NULL;
    fbx->bytes = (const uint8_t *)text;
    fbx->size = strlen(text);
    fbx->ascii = true;
    lmbi_arena_init(&fbx->arena, NULL);
    assert_int_equal(lmbi_fbx_parse_ascii(fbx), LMB_OK);
    assert_int_equal(lmbi_fbx_curve_read(fbx, lmbi_fbx_child(&fbx->root, "AnimationCurve"), &curve),
                     LMB_OK);
    assert_non_null(curve);
    return curve;
}

#define CURVE(keys, values, flags, data, runs)                                                     \
    FBX_HEAD("7500")                                                                               \
    "AnimationCurve: 1, \"AnimCurve::\", \"\" {\n\tKeyTime: *1 {\n\t\ta: " keys                    \
    "\n\t}\n\tKeyValueFloat: *1 {\n\t\ta: " values "\n\t}\n\tKeyAttrFlags: *1 {\n\t\ta: " flags    \
    "\n\t}\n\tKeyAttrDataFloat: *1 {\n\t\ta: " data "\n\t}\n\tKeyAttrRefCount: *1 {\n\t\ta: " runs \
    "\n\t}\n}\n"

/// Slopes given by the user (1032 = cubic, user), units a second, and the flags shared by a run of
/// keys.
static void reads_user_slopes(void **state)
{
    (void)state;
    lmbi_fbx fbx = {0};
    const lmbi_fbx_curve *curve =
        read_curve(&fbx, CURVE("0,46186158000,92372316000", "0,1,3", "1032,4",
                               "0.5,-2,218434821,0,0,0,0,0", "1,2"));
    assert_int_equal(curve->count, 3);
    assert_near(curve->keys[0].right_dy / curve->keys[0].right_dx, 0.5, 1e-12);
    assert_near(curve->keys[0].right_dx, 1.0 / 3, 1e-4); // 3333 ten-thousandths
    assert_near(curve->keys[1].left_dy / curve->keys[1].left_dx, -2, 1e-12);
    assert_int_equal(curve->keys[1].segment, LMBI_FBX_STRAIGHT);
    assert_near(at(curve, 1.5), 2, 1e-12);
    lmbi_arena_free(&fbx.arena);
}

/// A clamped automatic tangent (24840 = cubic, auto, time independent, clamped progressively) is
/// flat at a peak and the chord where it cannot overshoot.
static void makes_automatic_slopes(void **state)
{
    (void)state;
    const lmbi_fbx_tangent peak = {.previous_s = 0,
                                   .time_s = 1,
                                   .next_s = 2,
                                   .previous = 0,
                                   .value = 1,
                                   .next = 0,
                                   .weight_left = 1.0 / 3,
                                   .weight_right = 1.0 / 3,
                                   .clamp_progressive = true,
                                   .time_independent = true};
    assert_near(lmbi_fbx_auto_slope(&peak), 0, 0);
    lmbi_fbx_tangent ramp = peak;
    ramp.next = 2;
    assert_near(lmbi_fbx_auto_slope(&ramp), 1, 1e-12);
    ramp.next = 1.01; // no steeper than reaches the next key's value
    assert_near(lmbi_fbx_auto_slope(&ramp), 0.03, 1e-9);
    ramp.clamp_progressive = false;
    assert_near(lmbi_fbx_auto_slope(&ramp), 0.505, 1e-12);
}

/// Kochanek and Bartels with tension 1 have no slope; with none of the three they have the mean of
/// both sides.
static void makes_tcb_slopes(void **state)
{
    (void)state;
    lmbi_fbx fbx = {0};
    const char *keys =
        CURVE("0,46186158000,92372316000", "0,1,5", "520,520", "0,0,0,0,1,0,0,0", "2,1");
    const lmbi_fbx_curve *curve = read_curve(&fbx, keys);
    assert_near(curve->keys[1].right_dy / curve->keys[1].right_dx, 2.5, 1e-12);
    assert_near(curve->keys[1].left_dy / curve->keys[1].left_dx, 2.5, 1e-12);
    assert_near(curve->keys[2].left_dy, 0, 0);
    lmbi_arena_free(&fbx.arena);
}

// ----------------------------------------------------------------------------------------- layers

static void one_value(lmbi_fbx_track *track, double x, double y, double z)
{
    track->constant[0] = x;
    track->constant[1] = y;
    track->constant[2] = z;
}

/// A base of two layers: adding and mixing translations, composing rotations, multiplying scales.
static void layers_combine(void **state)
{
    (void)state;
    static const struct {
        bool blended, additive; ///< of the upper layer, whose weight is 0.5
        lmbi_fbx_path path;
        double below[3], above[3], want[3], tolerance;
    } cases[] = {
        {true, true, LMBI_FBX_TRANSLATION, {1, 2, 3}, {10, 0, -4}, {6, 2, 1}, 1e-12},
        {true, false, LMBI_FBX_TRANSLATION, {1, 2, 3}, {10, 0, -4}, {5.5, 1, -0.5}, 1e-12},
        {false, false, LMBI_FBX_TRANSLATION, {1, 2, 3}, {10, 0, -4}, {10, 0, -4}, 0},
        {true, true, LMBI_FBX_ROTATION, {0, 0, 90}, {60, 0, 0}, {30, 0, 90}, 1e-4},
        {true, true, LMBI_FBX_SCALE, {3, 1, 1}, {4, 9, 1}, {6, 3, 1}, 1e-5},
    };
    lmbi_fbx_layer layers[2] = {{.lowest = true, .weight = 1, .weight_track = LMB_NONE},
                                {.weight = 0.5,
                                 .additive = true,
                                 .blended = true,
                                 .rotations_multiply = true,
                                 .scales_multiply = true,
                                 .weight_track = LMB_NONE}};
    lmbi_fbx_track tracks[2] = {{.layer = 0, .below = LMB_NONE}, {.layer = 1, .below = 0}};
    const lmbi_fbx_takes takes = {
        .layers = layers, .layer_count = 2, .tracks = tracks, .track_count = 2};
    const double rest[3] = {9, 9, 9};
    double out[3];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        layers[1].blended = cases[k].blended;
        layers[1].additive = cases[k].additive;
        tracks[0].path = tracks[1].path = cases[k].path;
        memcpy(tracks[0].constant, cases[k].below, sizeof cases[k].below);
        memcpy(tracks[1].constant, cases[k].above, sizeof cases[k].above);
        lmbi_fbx_track_at(&takes, &tracks[1], rest, 0, out);
        for (int i = 0; i < 3; ++i) {
            assert_near(out[i], cases[k].want[i], cases[k].tolerance);
        }
    }
    // A layer over nothing but the rest value.
    tracks[1].below = LMB_NONE;
    tracks[1].path = LMBI_FBX_TRANSLATION;
    layers[1].blended = layers[1].additive = true;
    one_value(&tracks[1], 2, 2, 2);
    lmbi_fbx_track_at(&takes, &tracks[1], rest, 0, out);
    assert_near(out[0], 10, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirds_are_hermite),
        cmocka_unit_test(weighted_handles_keep_time),
        cmocka_unit_test(steps_hold_one_side_or_the_other),
        cmocka_unit_test(goes_on_outside_its_keys),
        cmocka_unit_test(reads_user_slopes),
        cmocka_unit_test(makes_automatic_slopes),
        cmocka_unit_test(makes_tcb_slopes),
        cmocka_unit_test(layers_combine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
