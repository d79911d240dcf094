/// Reads a text of keys: a clip's name, and at times the joints that are not at rest, a line each.
/// docs/clips.md describes it.
#include "anim/keys.h"
#include "anim/mix.h"
#include "base/error.h"
#include "base/json.h"
#include "base/scan.h"
#include "limber/mapping.h"

#include <math.h>
#include <string.h>

#define DEGREE (LMB_PI / 180)

typedef struct keyer {
    lmbi_arena *arena;
    const lmb_character *character;
    lmbi_scan scan;
    lmb_keys *keys;
    float *times;
    lmb_transform *poses;
    lmb_key_slope *slopes;
    uint32_t *seen; ///< [joint_count] the last key that had the joint, from 1; 0: none
    bool has_map;
    lmb_joint_map map;
    lmb_keys_report report;
} keyer;

// ------------------------------------------------------------------------------------------ words

static lmb_result read_numbers(keyer *r, uint32_t count, const char *expected, float *out,
                               lmb_error *error)
{
    for (uint32_t k = 0; k < count; ++k) {
        const lmbi_scan before = r->scan;
        double value = 0;
        if (!lmbi_scan_number(&r->scan, &value) || !(fabs(value) <= (double)LMBI_KEYS_FARTHEST)) {
            return lmbi_scan_fail(&before, error, expected);
        }
        out[k] = (float)value;
    }
    return LMB_OK;
}

/// The byte after a quoted string that begins here; NULL where the line ends first.
static const char *end_of_string(const lmbi_scan *scan)
{
    for (const char *at = scan->at + 1; at < scan->end && *at != '\n' && *at != '\r'; ++at) {
        if (*at == '"') {
            return at + 1;
        }
        at += *at == '\\' && at + 1 < scan->end;
    }
    return NULL;
}

/// A word, or a string as JSON has it.
static lmb_result read_name(keyer *r, const char *expected, const char **out, bool *quoted,
                            lmb_error *error)
{
    lmbi_scan_blanks(&r->scan);
    const lmbi_scan before = r->scan;
    *quoted = before.at < before.end && *before.at == '"';
    if (!*quoted) {
        const lmbi_word word = lmbi_scan_word(&r->scan);
        if (word.size == 0 || !lmbi_keys_is_text(word.at, word.at + word.size)) {
            return lmbi_scan_fail(&before, error, expected);
        }
        *out = lmbi_arena_string(r->arena, word.at, word.size);
        return *out ? LMB_OK : lmbi_fail_memory(error);
    }
    const char *end = end_of_string(&before);
    lmbi_json *string = NULL;
    const lmb_result result =
        end ? lmbi_json_read(r->arena, before.at, (size_t)(end - before.at), &string, NULL)
            : LMB_ERROR_MALFORMED;
    if (result == LMB_ERROR_MALFORMED) {
        return lmbi_scan_fail(&before, error, "a quoted name, as JSON has strings");
    }
    *out = result == LMB_OK ? lmbi_json_string(r->arena, string) : NULL;
    r->scan.at = end;
    return *out ? LMB_OK : lmbi_fail_memory(error);
}

/// Whether a name is a number: one that is called by digits stands in quotes.
static bool is_digits(const char *name, bool quoted)
{
    return !quoted && strspn(name, "0123456789") == strlen(name);
}

static int32_t number_of(const char *digits, uint32_t count)
{
    return lmbi_word_index((lmbi_word){digits, strlen(digits)}, count);
}

/// A joint by its name, which may be that of a human bone, or by its number.
static lmb_result find_joint(keyer *r, const lmbi_scan *before, const char *name, bool quoted,
                             uint32_t *out, lmb_error *error)
{
    const lmb_skeleton *skeleton = r->character->skeleton;
    int32_t joint = is_digits(name, quoted) ? number_of(name, skeleton->joint_count)
                                            : lmb_skeleton_find(skeleton, name);
    const lmb_human_bone bone = lmb_human_bone_find(name);
    if (joint == LMB_NONE && bone < LMB_HUMAN_BONE_COUNT) {
        const lmb_result result =
            r->has_map ? LMB_OK
                       : lmb_joint_map_of_character(r->character, r->arena->alloc, &r->map, error);
        if (result != LMB_OK) {
            return result;
        }
        r->has_map = true;
        joint = r->map.bones[bone].joint;
    }
    *out = (uint32_t)joint;
    return joint != LMB_NONE
               ? LMB_OK
               : lmbi_scan_fail(before, error, "a joint, or a human bone, of this character");
}

// ----------------------------------------------------------------------------------- the whole clip

static lmb_result read_clip(keyer *r, lmb_error *error)
{
    static const char *const words[] = {
        [LMB_LINEAR] = "linear", [LMB_STEP] = "step", [LMB_CUBIC] = "smooth"};
    bool quoted = false;
    const lmb_result result = read_name(r, "the clip's name", &r->keys->name, &quoted, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_scan before = r->scan;
    const int kind =
        lmbi_word_choice(lmbi_scan_word(&r->scan), words, sizeof words / sizeof *words);
    r->keys->interpolation = (lmb_interpolation)(kind > 0 ? kind : 0);
    return kind >= 0 ? LMB_OK : lmbi_scan_fail(&before, error, "smooth, linear or step");
}

static lmb_result read_replaces(keyer *r, lmb_error *error)
{
    static const char expected[] = "a clip of this character, by its name or number, once";
    lmbi_scan_blanks(&r->scan);
    const lmbi_scan before = r->scan;
    const lmb_character *c = r->character;
    const char *name = NULL;
    bool quoted = false;
    const lmb_result result = read_name(r, expected, &name, &quoted, error);
    if (result != LMB_OK) {
        return result;
    }
    const bool is_number = is_digits(name, quoted);
    int32_t found = is_number ? number_of(name, c->clip_count) : LMB_NONE;
    for (uint32_t k = c->clip_count; !is_number && k-- > 0;) {
        found = c->clips[k]->name && strcmp(c->clips[k]->name, name) == 0 ? (int32_t)k : found;
    }
    if (found == LMB_NONE || r->keys->replaces) {
        return lmbi_scan_fail(&before, error, expected);
    }
    r->keys->from = c->clips[found];
    r->keys->replaces = r->report.replaced = true;
    return LMB_OK;
}

// ------------------------------------------------------------------------------------------- keys

static lmb_result read_key(keyer *r, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    const uint32_t key = r->keys->key_count;
    const float last = key > 0 ? r->times[key - 1] : 0;
    double time = 0;
    if (key == LMBI_KEYS_MOST) {
        return lmbi_scan_fail(&before, error, "10000 keys at most");
    }
    if (!lmbi_scan_number(&r->scan, &time) || !(time <= (double)LMBI_KEYS_LONGEST) ||
        !(key > 0 ? (float)time >= last + LMBI_KEYS_NEAR && (float)time > last
                  : (float)time >= 0)) {
        return lmbi_scan_fail(&before, error,
                              key > 0 ? "a time in seconds after that of the key before"
                                      : "a time in seconds from 0 on");
    }
    const lmb_skeleton *skeleton = r->character->skeleton;
    r->times[key] = (float)time;
    memcpy(r->poses + (size_t)key * skeleton->joint_count, skeleton->rest,
           skeleton->joint_count * sizeof *r->poses);
    ++r->keys->key_count;
    return LMB_OK;
}

static lmb_result read_slope(keyer *r, uint32_t joint, lmb_error *error)
{
    static const char expected[] = "degrees a second about x, y and z";
    float v[6];
    lmb_result result = read_numbers(r, 3, expected, v, error);
    if (result != LMB_OK) {
        return result;
    }
    memcpy(v + 3, v, 3 * sizeof *v);
    lmbi_scan peek = r->scan;
    double number = 0;
    if (lmbi_scan_number(&peek, &number)) {
        result = read_numbers(r, 3, expected, v + 3, error);
    }
    lmb_key_slope *slope = &r->slopes[r->report.slope_count++];
    *slope = (lmb_key_slope){.joint = joint,
                             .time_s = r->times[r->keys->key_count - 1],
                             .in = lmb_vec3_scale(lmb_vec3_make(v[0], v[1], v[2]), DEGREE),
                             .out = lmb_vec3_scale(lmb_vec3_make(v[3], v[4], v[5]), DEGREE)};
    return result;
}

static lmb_result read_rotation(keyer *r, bool from_rest, uint32_t joint, lmb_transform *out,
                                lmb_error *error)
{
    lmbi_scan_blanks(&r->scan);
    const lmbi_scan before = r->scan;
    const lmb_quat rest = r->character->skeleton->rest[joint].rotation;
    float v[4];
    const lmb_result result = from_rest ? read_numbers(r, 3, "degrees about x, y and z", v, error)
                                        : read_numbers(r, 4, "a rotation x y z w", v, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_quat given = lmb_quat_make(v[0], v[1], v[2], v[3]);
    if (!from_rest && !(lmb_quat_dot(given, given) > 1e-12f)) {
        return lmbi_scan_fail(&before, error, "a rotation that is not zero");
    }
    const lmb_vec3 turned = lmb_vec3_scale(lmb_vec3_make(v[0], v[1], v[2]), DEGREE);
    const lmb_quat q = from_rest ? lmb_quat_mul(rest, lmbi_quat_exp(turned)) : given;
    out->rotation = lmbi_keys_rotation(lmbi_quat_unit(q, rest));
    return LMB_OK;
}

/// One property of a joint at the newest key.
static lmb_result read_property(keyer *r, uint32_t joint, uint32_t *given, lmb_error *error)
{
    static const char *const words[] = {"rotation", "turned", "translation", "scale", "slope"};
    enum { ROTATION, TURNED, TRANSLATION, SCALE, SLOPE, COUNT };
    const size_t key = r->keys->key_count - 1;
    lmb_transform *pose = &r->poses[key * r->character->skeleton->joint_count + joint];
    lmbi_scan_blanks(&r->scan);
    const lmbi_scan before = r->scan;
    const int kind = lmbi_word_choice(lmbi_scan_word(&r->scan), words, COUNT);
    if (kind < 0 || (*given >> kind & 1)) {
        return lmbi_scan_fail(&before, error,
                              "rotation, turned, translation, scale or slope, each once");
    }
    *given |= 1u << kind;
    switch (kind) {
    case TRANSLATION:
        return read_numbers(r, 3, "a translation x y z in metres", &pose->translation.x, error);
    case SCALE:
        return read_numbers(r, 3, "a scale x y z", &pose->scale.x, error);
    case SLOPE:
        return r->keys->interpolation == LMB_CUBIC
                   ? read_slope(r, joint, error)
                   : lmbi_scan_fail(&before, error, "a slope in a smooth clip alone");
    default:
        *given |= 1u << ROTATION | 1u << TURNED;
        return read_rotation(r, kind == TURNED, joint, pose, error);
    }
}

static lmb_result read_joint(keyer *r, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    const char *name = NULL;
    bool quoted = false;
    uint32_t joint = 0, given = 0;
    if (r->keys->key_count == 0) {
        return lmbi_scan_fail(&before, error, "key SECONDS before the first joint");
    }
    lmb_result result = read_name(r, "a joint", &name, &quoted, error);
    if (result == LMB_OK) {
        result = find_joint(r, &before, name, quoted, &joint, error);
    }
    if (result == LMB_OK && r->seen[joint] == r->keys->key_count) {
        return lmbi_scan_fail(&before, error, "a joint that this key does not have yet");
    }
    if (result == LMB_OK) {
        r->report.joint_count += r->seen[joint] == 0;
        r->seen[joint] = r->keys->key_count;
        result = read_property(r, joint, &given, error);
    }
    while (result == LMB_OK && !lmbi_scan_line_end(&r->scan)) {
        result = read_property(r, joint, &given, error);
    }
    return result;
}

// ------------------------------------------------------------------------------------- statements

/// Room for all that the lines of the text can hold.
static bool make_room(keyer *r)
{
    lmbi_scan scan = r->scan;
    size_t lines = 0, keys = 0;
    for (lmbi_scan_space(&scan); !lmbi_scan_done(&scan); lmbi_scan_space(&scan), ++lines) {
        keys += lmbi_word_is_exact(lmbi_scan_word(&scan), "key");
        lmbi_scan_next_line(&scan);
    }
    keys = keys < LMBI_KEYS_MOST ? keys : LMBI_KEYS_MOST;
    const uint32_t joints = r->character->skeleton->joint_count;
    r->times = lmbi_arena_array(r->arena, keys + 1, sizeof *r->times);
    r->poses = lmbi_keys_poses(r->arena, keys + 1, joints);
    r->slopes = lmbi_arena_array(r->arena, lines + 1, sizeof *r->slopes);
    r->seen = lmbi_arena_array(r->arena, joints, sizeof *r->seen);
    return r->times && r->poses && r->slopes && r->seen;
}

static lmb_result read_line(keyer *r, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    const bool is_clip = lmbi_word_is_exact(word, "clip");
    lmb_result result = LMB_OK;
    if (is_clip != (r->keys->name == NULL)) {
        return lmbi_scan_fail(&before, error,
                              is_clip ? "one clip, of the first line after limber-keys 1"
                                      : "clip NAME smooth, linear or step");
    }
    if (is_clip) {
        result = read_clip(r, error);
    } else if (lmbi_word_is_exact(word, "replaces")) {
        result = read_replaces(r, error);
    } else if (lmbi_word_is_exact(word, "key")) {
        result = read_key(r, error);
    } else {
        r->scan = before;
        result = read_joint(r, error);
    }
    return result == LMB_OK && !lmbi_scan_line_end(&r->scan)
               ? lmbi_scan_fail(&r->scan, error, "the end of the line")
               : result;
}

static lmb_result read_all(keyer *r, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    double version = 0;
    if (!lmbi_word_is_exact(lmbi_scan_word(&r->scan), "limber-keys") ||
        !lmbi_scan_number(&r->scan, &version) || version != 1 || !lmbi_scan_line_end(&r->scan)) {
        return lmbi_scan_fail(&before, error, "limber-keys 1");
    }
    lmb_result result = LMB_OK;
    for (lmbi_scan_space(&r->scan); result == LMB_OK && !lmbi_scan_done(&r->scan);
         lmbi_scan_space(&r->scan)) {
        if (*r->scan.at == '#') {
            lmbi_scan_next_line(&r->scan);
        } else {
            result = read_line(r, error);
        }
    }
    if (result == LMB_OK && r->keys->key_count == 0) {
        return lmbi_scan_fail(&r->scan, error,
                              r->keys->name ? "a key: key SECONDS"
                                            : "clip NAME smooth, linear or step");
    }
    return result;
}

lmb_result lmbi_keys_read(lmbi_arena *arena, const lmb_character *character, const void *text,
                          size_t size, lmb_keys *out, lmb_keys_report *report, lmb_error *error)
{
    keyer r = {.arena = arena, .character = character, .keys = out};
    *out = (lmb_keys){0};
    if (character->skeleton->joint_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a character with joints", "none");
    }
    lmbi_scan_init(&r.scan, text, size);
    if (!make_room(&r)) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = read_all(&r, error);
    out->times_s = r.times;
    out->poses = r.poses;
    out->slopes = r.slopes;
    out->slope_count = r.report.slope_count;
    r.report.key_count = out->key_count;
    *report = r.report;
    return result;
}
