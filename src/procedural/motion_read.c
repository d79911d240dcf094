/// Reads a motion from its text.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "procedural/motion_source.h"

enum { NAME_MOST = 40 };

// ------------------------------------------------------------------------------------------ words

static lmb_result expect_end(lmbi_scan *scan, lmb_error *error)
{
    lmbi_scan before = *scan;
    lmbi_word word;
    return lmbi_motion_next_word(scan, &word)
               ? lmbi_scan_fail(&before, error, "the end of the line")
               : LMB_OK;
}

static lmb_result read_number(lmbi_scan *scan, float low, float high, const char *expected,
                              float *out, lmb_error *error)
{
    double value = 0;
    lmbi_scan before = *scan;
    if (!lmbi_scan_number(scan, &value) || !((float)value >= low && (float)value <= high)) {
        return lmbi_scan_fail(&before, error, expected);
    }
    *out = (float)value;
    return LMB_OK;
}

/// `field=number`: the field's word, and the number. A comma may follow.
static bool split_setting(lmbi_word word, lmbi_word *field, double *value)
{
    const char *equals = memchr(word.at, '=', word.size), *end = word.at + word.size;
    if (equals == NULL) {
        return false;
    }
    *field = (lmbi_word){word.at, (size_t)(equals - word.at)};
    const char *after = lmbi_number_read(equals + 1, end, value);
    return after > equals + 1 && isfinite(*value) &&
           (after == end || (after + 1 == end && *after == ','));
}

// ----------------------------------------------------------------------------------------- header

static lmb_result read_name(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    lmbi_word word = {0};
    bool ok =
        s->motion->name == NULL && lmbi_motion_next_word(&s->scan, &word) && word.size <= NAME_MOST;
    for (size_t k = 0; ok && k < word.size; ++k) {
        const char c = word.at[k];
        ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    }
    if (!ok) {
        return lmbi_scan_fail(&before, error,
                              "one name of up to 40 small letters, digits and dashes");
    }
    s->motion->name = lmbi_arena_string(&s->motion->arena, word.at, word.size);
    return s->motion->name != NULL ? expect_end(&s->scan, error) : lmbi_fail_memory(error);
}

static lmb_result read_text(lmbi_motion_source *s, const char **out, lmb_error *error)
{
    lmbi_scan_blanks(&s->scan);
    lmbi_scan before = s->scan;
    const lmbi_word rest = lmbi_scan_rest(&s->scan);
    if (*out != NULL || rest.size == 0 || rest.size > 120) {
        return lmbi_scan_fail(&before, error, "a line of up to 120 bytes, once");
    }
    *out = lmbi_arena_string(&s->motion->arena, rest.at, rest.size);
    return *out != NULL ? LMB_OK : lmbi_fail_memory(error);
}

static lmb_result read_body(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    lmbi_word word = {0};
    lmbi_motion_next_word(&s->scan, &word);
    for (int k = 0; k < LMB_MOTION_BODIES; ++k) {
        if (!s->has_body && lmbi_word_is_exact(word, lmb_motion_body_name((lmb_motion_body)k))) {
            s->motion->body = (lmb_motion_body)k;
            s->has_body = true;
            return expect_end(&s->scan, error);
        }
    }
    return lmbi_scan_fail(&before, error,
                          "one of human, quadruped, bird, fish, spider and snake, once");
}

static lmb_result read_length(lmbi_motion_source *s, bool loops, lmb_error *error)
{
    lmbi_scan before = s->scan;
    if (s->motion->length > 0) {
        return lmbi_scan_fail(&before, error, "loop or once, one time");
    }
    s->motion->loops = loops;
    return read_number(&s->scan, 0.1f, 120, "0.1 to 120 seconds, or cycles of a gait",
                       &s->motion->length, error) == LMB_OK
               ? expect_end(&s->scan, error)
               : LMB_ERROR_MALFORMED;
}

static lmb_result read_base(lmbi_motion_source *s, lmb_error *error)
{
    static const char *const names[] = {"stand", "breathe", "wave", "jump"};
    lmbi_scan before = s->scan;
    lmbi_word word = {0};
    lmbi_motion_next_word(&s->scan, &word);
    for (int k = 0; k < 4; ++k) {
        if (!s->has_base && lmbi_word_is_exact(word, names[k])) {
            s->motion->base = (lmbi_motion_base)k;
            s->has_base = true;
            return expect_end(&s->scan, error);
        }
    }
    return lmbi_scan_fail(&before, error, "one of stand, breathe, wave and jump, or a gait, once");
}

typedef struct setting {
    const char *name;
    float low, high;
} setting;

/// Factors of the gait's own, but: speed in m/s for a body of 1.75 m; crouch, a fraction of the
/// hips' height; lean, nod, arm_out, arm_forward, elbow, across and toe_out in degrees; limp in
/// cycles.
static const setting settings[SETTING_COUNT] = {
    [SETTING_SPEED] = {"speed", 0.3f, 12},
    [SETTING_STRIDE] = {"stride", 0.4f, 1.6f},
    [SETTING_BOUNCE] = {"bounce", 0, 4},
    [SETTING_ARMS] = {"arms", 0, 4},
    [SETTING_LIFT] = {"lift", 0, 4},
    [SETTING_WIDTH] = {"width", 0, 4},
    [SETTING_HIPS] = {"hips", 0, 4},
    [SETTING_CROUCH] = {"crouch", 0, 0.4f},
    [SETTING_LEAN] = {"lean", -30, 40},
    [SETTING_NOD] = {"nod", -45, 45},
    [SETTING_ELBOW] = {"elbow", 0, 140},
    [SETTING_ARM_OUT] = {"arm_out", 0, 80},
    [SETTING_ARM_FORWARD] = {"arm_forward", -40, 90},
    [SETTING_ACROSS] = {"across", -60, 90},
    [SETTING_TOE_OUT] = {"toe_out", -30, 45},
    [SETTING_SWAY] = {"sway", 0, 4},
    [SETTING_LIMP] = {"limp", -0.2f, 0.2f},
    [SETTING_REVERSE] = {"reverse", 0, 1},
};

static lmb_result read_setting(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    lmbi_word word = {0}, field = {0};
    double value = 0;
    lmbi_motion_next_word(&s->scan, &word);
    for (int k = 0; split_setting(word, &field, &value) && k < SETTING_COUNT; ++k) {
        const setting *row = &settings[k];
        if (lmbi_word_is_exact(field, row->name) && !s->motion->is_set[k] &&
            (float)value >= row->low && (float)value <= row->high) {
            s->motion->settings[k] = (float)value;
            s->motion->is_set[k] = true;
            return LMB_OK;
        }
    }
    return lmbi_scan_fail(&before, error, "a setting of gaits and a number that it takes, once");
}

static lmb_result read_gait(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    lmbi_word word = {0};
    lmb_result result = LMB_OK;
    lmbi_motion_next_word(&s->scan, &word);
    int kind = 0;
    while (kind < LMB_GAIT_COUNT && !lmbi_word_is_exact(word, lmb_gait_name((lmb_gait_kind)kind))) {
        ++kind;
    }
    if (s->has_base || kind == LMB_GAIT_COUNT) {
        return lmbi_scan_fail(&before, error, "one of walk, trot and run, once, and no base");
    }
    s->motion->base = BASE_GAIT;
    s->motion->gait = (lmb_gait_kind)kind;
    s->has_base = true;
    lmbi_scan peek = s->scan;
    while (result == LMB_OK && lmbi_motion_next_word(&peek, &word)) {
        result = read_setting(s, error);
        peek = s->scan;
    }
    return result;
}

static lmb_result read_travel(lmbi_motion_source *s, lmb_error *error)
{
    static const char *const axes[] = {"x", "y", "z"};
    lmbi_scan before = s->scan;
    lmbi_word word, field;
    double value = 0;
    while (lmbi_motion_next_word(&s->scan, &word)) {
        int axis = split_setting(word, &field, &value) && fabs(value) <= 20 ? 0 : 3;
        while (axis < 3 && !lmbi_word_is_exact(field, axes[axis])) {
            ++axis;
        }
        if (axis == 3) {
            return lmbi_scan_fail(&before, error, "x=, y= or z= and a number within 20");
        }
        s->motion->travel[axis] = (float)value;
        before = s->scan;
    }
    return LMB_OK;
}

/// `anchor reach.l chest`.
static lmb_result read_anchor(lmbi_motion_source *s, lmb_error *error)
{
    static const char *const hands[] = {"reach", "reach.l", "reach.r"};
    static const char *const anchors[] = {"", "ground", "hips", "chest", "head", "thigh"};
    lmbi_scan before = s->scan;
    lmbi_word word = {0};
    int hand = 0, anchor = 1;
    lmbi_motion_next_word(&s->scan, &word);
    while (hand < 3 && !lmbi_word_is_exact(word, hands[hand])) {
        ++hand;
    }
    if (hand == 3) {
        return lmbi_scan_fail(&before, error, "reach, reach.l or reach.r");
    }
    before = s->scan;
    word = (lmbi_word){0};
    lmbi_motion_next_word(&s->scan, &word);
    while (anchor <= ANCHOR_THIGH && !lmbi_word_is_exact(word, anchors[anchor])) {
        ++anchor;
    }
    if (anchor > ANCHOR_THIGH) {
        return lmbi_scan_fail(&before, error, "ground, hips, chest, head or thigh");
    }
    for (int side = 0; side < 2; ++side) {
        if (hand == 0 || hand == side + 1) {
            s->motion->anchors[side] = (lmbi_motion_anchor)anchor;
        }
    }
    return expect_end(&s->scan, error);
}

// ------------------------------------------------------------------------------------------- keys

static lmb_result add_key(lmbi_motion_source *s, const lmbi_scan *before, lmbi_motion_raw_key key,
                          lmb_error *error)
{
    lmbi_scan at = *before;
    for (size_t k = s->key_count; k-- > 0;) {
        const lmbi_motion_raw_key *other = &s->keys[k];
        if (other->row == key.row && other->side == key.side) {
            if (other->holds || key.holds || !(other->key.at < key.key.at)) {
                return lmbi_scan_fail(&at, error,
                                      "a channel posed once, or keyed at times that ascend");
            }
            break;
        }
    }
    void *items = s->keys;
    if (s->key_count >= LMBI_MOTION_KEYS) {
        return lmbi_scan_fail(&at, error, "at most 4096 keys");
    }
    const bool room = lmbi_grow(s->alloc, &items, &s->key_room, s->key_count + 1, sizeof *s->keys);
    s->keys = items;
    if (!room) {
        return lmbi_fail_memory(error);
    }
    s->keys[s->key_count++] = key;
    s->motion->uses[key.row][key.side] = true;
    return LMB_OK;
}

static lmb_result add_setting(lmbi_motion_source *s, const lmbi_motion_bone *bone, lmbi_word field,
                              float value, const lmbi_scan *before, lmbi_motion_raw_key key,
                              lmb_error *error)
{
    const int row = lmbi_motion_find_row(s, bone->name, field);
    lmbi_scan at = *before;
    if (row < 0 ||
        !(value >= lmbi_motion_channels[row].low && value <= lmbi_motion_channels[row].high)) {
        return lmbi_scan_fail(&at, error, "a field of that bone and a number in its range");
    }
    lmb_result result = LMB_OK;
    key.row = (uint16_t)row;
    key.key.value = value;
    for (uint16_t side = 0; result == LMB_OK && side < 2; ++side) {
        key.side = side;
        if (lmbi_motion_channels[row].paired ? bone->sides[side] : side == 0) {
            result = add_key(s, before, key, error);
        }
    }
    return result;
}

/// `bone field=number …, bone field=number …` to the end of the line.
static lmb_result read_groups(lmbi_motion_source *s, lmbi_motion_raw_key key, lmb_error *error)
{
    lmb_result result = LMB_OK;
    lmbi_motion_bone bone = {0};
    lmbi_word word, field;
    lmbi_scan before = s->scan;
    bool any = false;
    while (result == LMB_OK && lmbi_motion_next_word(&s->scan, &word)) {
        double value = 0;
        if (memchr(word.at, '=', word.size) == NULL) {
            result = lmbi_motion_read_bone(s, word, &before, &bone, error);
        } else if (bone.name.size == 0 || !split_setting(word, &field, &value)) {
            result = lmbi_scan_fail(&before, error, "a bone, then field=number");
        } else {
            result = add_setting(s, &bone, field, (float)value, &before, key, error);
            any = true;
        }
        before = s->scan;
    }
    return result == LMB_OK && !any ? lmbi_scan_fail(&before, error, "a bone, then field=number")
                                    : result;
}

static lmb_result check_header(lmbi_motion_source *s, lmbi_scan *before, lmb_error *error)
{
    return s->has_body && s->motion->length > 0
               ? LMB_OK
               : lmbi_scan_fail(before, error, "body, and loop or once, before this line");
}

static lmb_result read_key_line(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    lmbi_motion_raw_key key = {0};
    lmb_result result = check_header(s, &before, error);
    if (result != LMB_OK) {
        return result;
    }
    result = read_number(&s->scan, 0, s->motion->length, "a time from 0 to the motion's end",
                         &key.key.at, error);
    if (result == LMB_OK && s->motion->loops && !(key.key.at < s->motion->length)) {
        result = lmbi_scan_fail(&before, error, "a time before the loop's end, which is its start");
    }
    lmbi_scan peek = s->scan;
    lmbi_word word;
    if (result == LMB_OK && lmbi_motion_next_word(&peek, &word) &&
        lmbi_word_is_exact(word, "linear")) {
        key.key.linear = true;
        s->scan = peek;
    }
    return result == LMB_OK ? read_groups(s, key, error) : result;
}

static lmb_result read_pose(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    const lmb_result result = check_header(s, &before, error);
    return result == LMB_OK ? read_groups(s, (lmbi_motion_raw_key){.holds = true}, error) : result;
}

// ---------------------------------------------------------------------------------------- the file

static const char *end_of_line(const lmbi_motion_source *s)
{
    lmbi_scan scan = s->scan;
    const lmbi_word rest = lmbi_scan_rest(&scan);
    return rest.size > 0 ? rest.at + rest.size : s->scan.at;
}

static lmb_result read_line(lmbi_motion_source *s, lmb_error *error)
{
    lmbi_scan before = s->scan;
    lmbi_word word;
    if (!lmbi_motion_next_word(&s->scan, &word)) {
        return LMB_OK;
    }
    if ((word.at[0] >= '0' && word.at[0] <= '9') || word.at[0] == '.') {
        s->scan = before;
        return read_key_line(s, error);
    }
    static const char *const words[] = {"motion", "title",  "body", "tags", "loop",
                                        "once",   "base",   "gait", "pose", "wave",
                                        "travel", "anchor", "let",  "param"};
    int which = 0;
    while (which < 14 && !lmbi_word_is_exact(word, words[which])) {
        ++which;
    }
    switch (which) {
    case 0:
        return read_name(s, error);
    case 1:
        return read_text(s, &s->motion->title, error);
    case 2:
        return read_body(s, error);
    case 3:
        return read_text(s, &s->motion->tags, error);
    case 4:
    case 5:
        return read_length(s, which == 4, error);
    case 6:
        return read_base(s, error);
    case 7:
        return read_gait(s, error);
    case 8:
        return read_pose(s, error);
    case 9:
        return check_header(s, &before, error) == LMB_OK ? lmbi_motion_read_wave(s, &before, error)
                                                         : LMB_ERROR_MALFORMED;
    case 10:
        return read_travel(s, error);
    case 11:
        return read_anchor(s, error);
    case 12:
    case 13:
        lmbi_motion_copy_program(s, word.at, (size_t)(end_of_line(s) - word.at));
        return LMB_OK;
    default:
        return lmbi_scan_fail(&before, error,
                              "a time, or one of motion, title, body, tags, loop, once, base, "
                              "gait, travel, anchor, pose, wave, let, param");
    }
}

/// What only the whole file shows.
static lmb_result check_whole(lmbi_motion_source *s, lmb_error *error)
{
    static const lmbi_motion_row feet[] = {ROW_FOOT_X,      ROW_FOOT_Y,    ROW_FOOT_Z,
                                           ROW_FOOT_PITCH,  ROW_FOOT_TURN, ROW_FOOT_PLANT,
                                           ROW_THIGH_SWING, ROW_SHIN_BEND};
    lmb_motion *m = s->motion;
    if (m->name == NULL || m->title == NULL || !s->has_body || !(m->length > 0)) {
        return lmbi_scan_fail(&s->scan, error, "motion, title, body, and loop or once");
    }
    bool has_feet = false;
    for (size_t k = 0; k < sizeof feet / sizeof feet[0]; ++k) {
        has_feet = has_feet || m->uses[feet[k]][0] || m->uses[feet[k]][1];
    }
    const bool is_gait = m->base == BASE_GAIT;
    if (is_gait && (has_feet || !m->loops || !(fabsf(m->length - floorf(m->length)) <= 0))) {
        return lmbi_scan_fail(&s->scan, error,
                              "a gait that loops after whole cycles, whose feet have no keys");
    }
    if (m->body != LMB_MOTION_HUMAN && !is_gait && m->base != BASE_STAND) {
        return lmbi_scan_fail(&s->scan, error, "the base stand, or a gait, for that body");
    }
    if (m->body == LMB_MOTION_HUMAN && is_gait && m->gait == LMB_GAIT_TROT) {
        return lmbi_scan_fail(&s->scan, error, "a human that walks or runs");
    }
    return LMB_OK;
}

static lmb_result read_lines(lmbi_motion_source *s, lmb_error *error)
{
    lmb_result result = LMB_OK;
    while (result == LMB_OK && !lmbi_scan_done(&s->scan)) {
        result = read_line(s, error);
        lmbi_scan_next_line(&s->scan);
    }
    if (result == LMB_OK) {
        result = check_whole(s, error);
    }
    if (result == LMB_OK) {
        result = lmbi_motion_build_tracks(s, error);
    }
    return result == LMB_OK ? lmbi_motion_compile(s, error) : result;
}

lmb_result lmb_motion_read(const void *text, size_t size, const lmb_allocator *alloc,
                           lmb_motion **out, lmb_error *error)
{
    if (size > LMBI_MOTION_TEXT) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a motion of at most 64 KiB", "%llu bytes",
                         (unsigned long long)size);
    }
    lmb_motion *motion = lmbi_alloc(alloc, sizeof *motion);
    if (motion == NULL) {
        return lmbi_fail_memory(error);
    }
    motion->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    lmbi_arena_init(&motion->arena, &motion->allocator);
    lmbi_motion_source source = {.motion = motion, .alloc = alloc, .text = text, .size = size};
    lmbi_scan_init(&source.scan, size > 0 ? text : "", size);
    lmb_result result = lmbi_motion_start_program(&source, error);
    if (result == LMB_OK) {
        result = read_lines(&source, error);
    }
    lmbi_free(alloc, source.keys);
    lmbi_free(alloc, source.program);
    if (result != LMB_OK) {
        lmb_motion_destroy(motion);
        return result;
    }
    *out = motion;
    return LMB_OK;
}

void lmb_motion_destroy(lmb_motion *motion)
{
    if (motion != NULL) {
        const lmb_allocator allocator = motion->allocator;
        lmb_drivers_destroy(motion->program);
        lmb_character_destroy(motion->outputs);
        lmbi_arena_free(&motion->arena);
        lmbi_free(&allocator, motion);
    }
}
