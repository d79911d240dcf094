// Driver programs: values against Python's, hands of a clock against the time, errors with their
// place, the order of channels, what is remembered.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "procedural/clock.h"
#include "procedural/driver_golden.h"
#include "procedural/procedural.h"

static lmb_character *clock_character;

static lmb_drivers *compile(const char *text)
{
    lmb_drivers *drivers = NULL;
    lmb_error error = {0};
    if (lmb_drivers_create(text, strlen(text), clock_character, NULL, &drivers, &error) != LMB_OK) {
        fail_msg("%s\n%u:%u: expected %s, found %s", text, error.line, error.column, error.expected,
                 error.found);
    }
    return drivers;
}

static void step(lmb_drivers *drivers, double time_s, double dt_s, lmb_transform *local,
                 float *weights)
{
    memcpy(local, clock_character->skeleton->rest, CLOCK_JOINTS * sizeof *local);
    lmb_drivers_step(&(lmb_drivers_step_job){
        .drivers = drivers, .time_s = time_s, .dt_s = dt_s, .local = local, .weights = weights});
}

/// The value of an expression, with p and u as in the table.
static double value_of(const char *expression, double time_s)
{
    char text[4000];
    lmb_transform local[CLOCK_JOINTS];
    snprintf(text, sizeof text, "param p = 1.75\nlet u = 4\nminute.tx = %s\n", expression);
    lmb_drivers *drivers = compile(text);
    step(drivers, time_s, 0, local, NULL);
    lmb_drivers_destroy(drivers);
    return (double)local[CLOCK_MINUTE].translation.x;
}

/// Nothing to do is done, also with no array of instructions at all (the sanitizers look on).
static void a_program_may_be_empty(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "# nothing yet\n", "\n\n# a\n# b", "param p = 1\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        lmb_transform local[CLOCK_JOINTS];
        lmb_drivers *drivers = compile(texts[k]);
        step(drivers, 0.5, 0.1, local, NULL);
        assert_memory_equal(local, clock_character->skeleton->rest, sizeof local);
        assert_int_equal(lmb_drivers_describe(drivers).channel_count, 0);
        lmb_drivers_destroy(drivers);
    }
}

static void values_are_pythons(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof golden / sizeof golden[0]; ++k) {
        const double value = value_of(golden[k].text, 2.25), wanted = golden[k].value;
        if (!(fabs(value - wanted) <= 1e-6 * fabs(wanted))) {
            fail_msg("%s: %.9g, not %.9g", golden[k].text, value, wanted);
        }
    }
    // In double all the way: 1e9 times the error of a sine, an exponential, a power.
    assert_true(fabs(value_of("1e9 * (sin(t) - 0.77807319688792)", 2.25)) < 1e-4);
    assert_true(fabs(value_of("1e9 * (exp(-t) - 0.10539922456186433)", 2.25)) < 1e-4);
    assert_true(fabs(value_of("1e9 * (t ^ 0.5 - 1.5)", 2.25)) < 1e-4);
    assert_true(fabs(value_of("mix(0, 10, smoothstep(0, 1, .25))", 0) - 1.5625) < 1e-7);
    assert_true(fabs(value_of("-2 ^ 2", 0) + 4) < 1e-7);
    assert_true(fabs(value_of("2 ^ 3 ^ 2", 0) - 512) < 1e-7);
    assert_true(fabs(value_of("1 + (2 # comment\n * 3)", 0) - 7) < 1e-7);
    assert_true(fabs(value_of("0 ? 1 : 0 ? 2 : 3", 0) - 3) < 1e-7);
}

static double angle_about_z(lmb_quat q)
{
    return 2 * atan2((double)q.z, (double)q.w) * 180 / 3.14159265358979323846;
}

/// The seeds' clock: the direction of a hand as a function of time, right after a day too.
static void a_clock_tells_the_time(void **state)
{
    (void)state;
    lmb_drivers *drivers =
        compile("joint(\"second hand\").rz = -6deg * floor(t)\n"
                "minute.rz = -tau * t / 3600; face.ry = -6deg * t\n"
                "joint(\"hour\").rz = -tau * t / 43200 # clockwise as seen from the front\n");
    static const struct {
        double time_s, hour, minute, second, sweep;
    } cases[] = {{10800, -90, 0, 0, 0},
                 {45.999, -0.3833250, -4.5999, -270, -275.994},
                 {86400 + 21600 + 1830.5, 180 - 15.2541667, -183.05, -180, -183},
                 {3600000, -120, 0, 0, 0}};
    lmb_transform local[CLOCK_JOINTS];
    for (int k = 0; k < 4; ++k) {
        step(drivers, cases[k].time_s, 0, local, NULL);
        const double wanted[3] = {90 + cases[k].hour, cases[k].minute, cases[k].second};
        for (int j = 0; j < 3; ++j) {
            const double off = angle_about_z(local[CLOCK_HOUR + j].rotation) - wanted[j];
            assert_true(fabs(off - 360 * floor(off / 360 + 0.5)) < 2e-5);
        }
        const lmb_quat q = local[0].rotation;
        const double off =
            2 * atan2((double)q.y, (double)q.w) * 180 / 3.14159265358979323846 - cases[k].sweep;
        assert_true(fabs(off - 360 * floor(off / 360 + 0.5)) < 2e-5);
    }
    lmb_drivers_destroy(drivers);
}

static void channels_are_since_rest(void **state)
{
    (void)state;
    lmb_transform local[CLOCK_JOINTS];
    lmb_drivers *drivers = compile("hour.tx = 0.5\nhour.sy = 3\nminute.rx = 30deg\n"
                                   "minute.ry = 20deg\nminute.rz = 10deg");
    step(drivers, 0, 0, local, NULL);
    // The rest of the hour hand is rotated by a quarter: its x is the parent's y.
    assert_true(lmb_vec3_distance(local[CLOCK_HOUR].translation, lmb_vec3_make(1, 2.5f, 3)) <
                1e-6f);
    assert_true(fabsf(local[CLOCK_HOUR].scale.y - 6) < 1e-6f);
    assert_true(fabsf(local[CLOCK_HOUR].scale.x - 2) < 1e-6f);
    const float d = LMB_PI / 180, zyx[3] = {10 * d, 20 * d, 30 * d};
    assert_true(lmb_quat_angle(local[CLOCK_MINUTE].rotation, lmb_quat_from_euler("zyx", zyx)) <
                1e-3f);
    lmb_drivers_destroy(drivers);
    // `pose` is what the pose has, and channels that are not driven stay.
    drivers = compile("minute.rz = pose + 5deg\nhour.tx = 2 * minute.ty + minute.rz");
    memcpy(local, clock_character->skeleton->rest, sizeof local);
    const float before[3] = {40 * d, 0, 25 * d}, after[3] = {45 * d, 0, 25 * d};
    local[CLOCK_MINUTE].rotation = lmb_quat_from_euler("zyx", before);
    local[CLOCK_MINUTE].translation.y = 0.25f;
    lmb_drivers_step(&(lmb_drivers_step_job){.drivers = drivers, .local = local});
    assert_true(lmb_quat_angle(local[CLOCK_MINUTE].rotation, lmb_quat_from_euler("zyx", after)) <
                1e-3f);
    assert_true(fabsf(local[CLOCK_HOUR].translation.y - (2 + 0.5f + 45 * d)) < 1e-5f);
    lmb_drivers_destroy(drivers);
}

static void morphs_of_a_name_move_together(void **state)
{
    (void)state;
    float weights[4] = {0, 0.25f, 0, 0.25f}; // smile, wink; frown, smile
    lmb_transform local[CLOCK_JOINTS];
    lmb_drivers *drivers = compile("param much = 0.5\nmorph(\"frown\") = 1 - morph(\"smile\")\n"
                                   "morph(\"smile\") = much * t\nminute.tx = morph(\"wink\")");
    assert_int_equal(lmb_drivers_describe(drivers).parameter_count, 1);
    assert_string_equal(lmb_drivers_describe(drivers).parameter_names[0], "much");
    assert_int_equal(lmb_drivers_describe(drivers).channel_count, 3);
    assert_true(lmbi_drivers_has_weights(drivers));
    step(drivers, 0.5, 0, local, weights);
    assert_true(fabsf(weights[0] - 0.25f) < 1e-6f && fabsf(weights[3] - 0.25f) < 1e-6f);
    assert_true(fabsf(weights[2] - 0.75f) < 1e-6f && fabsf(weights[1] - 0.25f) < 1e-6f);
    assert_true(fabsf(local[CLOCK_MINUTE].translation.x - 0.25f) < 1e-6f);
    lmb_drivers_set(drivers, 0, 1);
    step(drivers, 0.5, 0, local, weights);
    assert_true(fabsf(weights[0] - 0.5f) < 1e-6f && fabsf(weights[2] - 0.5f) < 1e-6f);
    lmb_drivers_destroy(drivers);
}

static void what_is_no_number_holds(void **state)
{
    (void)state;
    lmb_transform local[CLOCK_JOINTS];
    lmb_drivers *drivers = compile("minute.tx = sqrt(1 - t)\nminute.ty = 1 / (t - 2)\n"
                                   "minute.tz = log(t - 5)");
    step(drivers, 0.75, 0, local, NULL);
    assert_true(fabsf(local[CLOCK_MINUTE].translation.x - 0.5f) < 1e-6f);
    step(drivers, 2, 0, local, NULL);
    assert_true(fabsf(local[CLOCK_MINUTE].translation.x - 0.5f) < 1e-6f);
    assert_true(fabsf(local[CLOCK_MINUTE].translation.y + 0.8f) < 1e-6f);
    assert_true(fabsf(local[CLOCK_MINUTE].translation.z) < 1e-6f);
    lmb_drivers_destroy(drivers);
}

/// lit E4: from 1 at rest to 0 with damping 0.1 the first overshoot is exp(-z pi / sqrt(1 - z^2)).
static void springs_overshoot_as_they_should(void **state)
{
    (void)state;
    static const double rates[] = {30, 60, 144};
    double at_half[3] = {0};
    for (int r = 0; r < 3; ++r) {
        lmb_transform local[CLOCK_JOINTS];
        lmb_drivers *drivers = compile("let g = t < 0.001 ? 1 : 0\nminute.tx = spring(g, 1, 0.1)\n"
                                       "minute.ty = integrate(t)\nminute.tz = phase(0.5)");
        double lowest = 1;
        step(drivers, 0, 0, local, NULL);
        step(drivers, 0.0011, 1e-9, local, NULL); // the target jumps
        for (int f = 1; f <= rates[r]; ++f) {
            step(drivers, 0.0011 + f / rates[r], 1 / rates[r], local, NULL);
            const double x = (double)local[CLOCK_MINUTE].translation.x;
            lowest = x < lowest ? x : lowest;
            at_half[r] = f * 2 == (int)rates[r] ? x : at_half[r];
        }
        assert_true(lowest > -0.7293 && lowest < -0.715);
        assert_true(r == 0 || lowest < -0.728);
        assert_true(fabs((double)local[CLOCK_MINUTE].translation.y - 0.5) < 2e-3);
        assert_true(fabs((double)local[CLOCK_MINUTE].translation.z - 0.5) < 1e-6);
        lmb_drivers_destroy(drivers);
    }
    assert_true(fabs(at_half[0] - at_half[1]) < 1e-6 && fabs(at_half[0] - at_half[2]) < 1e-6);
}

static void errors_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *part;
    } cases[] = {
        {"minute.rz = ", 1, 13, "a value"},
        {"minute.rz = 1 +\n\nhour.rz = 2", 3, 9, "an operator"},
        {"\n  minute.rz = (1 + 2", 2, 21, "closing bracket"},
        {"minute.rz = sine(t)", 1, 13, "a function, a name"},
        {"minute.rz = sin(t, 2)", 1, 20, "sin with 1 argument"},
        {"minute.rz = mix(1, 2)", 1, 21, "mix with 3 arguments"},
        {"minute.rw = 1", 1, 8, "one of tx"},
        {"minute = 1", 1, 1, "let, param"},
        {"joint(\"nobody\").rz = 1", 1, 7, "a joint of the character"},
        {"morph(\"nobody\") = 1", 1, 7, "a morph target"},
        {"joint(\"hour).rz = 1", 1, 20, "a closing quote"},
        {"minute.rz = 1\nminute.rz = 2", 2, 1, "driven once"},
        {"let a = b\nlet b = 1", 1, 9, "a function, a name"},
        {"let sin = 1", 1, 5, "a name that is not taken"},
        {"let a = pose", 1, 9, "`pose` where"},
        {"param a = t", 1, 7, "finite constant"},
        {"minute.rz = hour.rz\nhour.rz = minute.rz", 1, 1, "do not need themselves"},
        {"minute.rz = minute.rz + 1", 1, 1, "do not need themselves"},
        {"minute.rz = 1 2", 1, 15, "the end of the line"},
        {"minute.rz = 1e999", 1, 13, "a finite number"},
        {"minute.rz = \xff", 1, 13, "a value"},
        {"minute.rz = 1 ? 2", 1, 18, "a colon"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        lmb_drivers *drivers = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_drivers_create(cases[k].text, strlen(cases[k].text),
                                                     clock_character, NULL, &drivers, &error);
        if (result != LMB_ERROR_MALFORMED || error.line != cases[k].line ||
            error.column != cases[k].column || strstr(error.expected, cases[k].part) == NULL) {
            fail_msg("%s: %s %u:%u expected %s, found %s", cases[k].text, lmb_result_name(result),
                     error.line, error.column, error.expected, error.found);
        }
        assert_null(drivers);
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[4096] = "minute.rz = ";
    for (int k = 0; k < 1000; ++k) {
        strcat(text, k % 3 == 0 ? "(" : (k % 3 == 1 ? "-" : "!"));
    }
    lmb_drivers *drivers = NULL;
    lmb_error error = {0};
    assert_int_equal(
        lmb_drivers_create(text, strlen(text), clock_character, NULL, &drivers, &error),
        LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "flatter"));
}

static void memory_runs_out_cleanly(void **state)
{
    (void)state;
    static const char text[] =
        "param p = 2\nlet u = p * t\njoint(\"second hand\").rz = spring(u, 2, 1)"
        "\nmorph(\"smile\") = lag(u, 0.1)\nminute.rz = hour.rx + pose";
    int calls = 0;
    for (lmb_drivers *drivers = NULL; drivers == NULL; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        const lmb_result result =
            lmb_drivers_create(text, sizeof text - 1, clock_character, &alloc, &drivers, NULL);
        assert_int_equal(result, drivers == NULL ? LMB_ERROR_MEMORY : LMB_OK);
        assert_int_equal(failing.held, drivers == NULL ? 0 : 1);
        if (drivers != NULL) {
            lmb_drivers_destroy(drivers);
            assert_int_equal(failing.held, 0);
            break;
        }
    }
    assert_true(calls > 5);
}

static int make_clock(void **state)
{
    (void)state;
    clock_character = clock_make();
    return clock_character == NULL;
}

static int drop_clock(void **state)
{
    (void)state;
    lmb_character_destroy(clock_character);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_may_be_empty),
        cmocka_unit_test(values_are_pythons),
        cmocka_unit_test(a_clock_tells_the_time),
        cmocka_unit_test(channels_are_since_rest),
        cmocka_unit_test(morphs_of_a_name_move_together),
        cmocka_unit_test(what_is_no_number_holds),
        cmocka_unit_test(springs_overshoot_as_they_should),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(memory_runs_out_cleanly),
    };
    return cmocka_run_group_tests(tests, make_clock, drop_clock);
}
