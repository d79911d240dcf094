/// Keypoints: allocation, joining, and reading from JSON.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/scan.h"
#include "limber/capture.h"

// --------------------------------------------------------------------------------------- keypoints

static const char *const layout_names[] = {"OpenPose BODY_25", "OpenPose COCO", "COCO",
                                           "MediaPipe"};

/// All zero: nothing is seen. NULL without memory.
static lmb_keypoints *alloc_keypoints(const lmb_allocator *alloc, uint32_t frame_count)
{
    lmb_keypoints *made = lmbi_alloc(alloc, sizeof *made);
    const size_t count = (size_t)frame_count * LMB_KEYPOINT_COUNT;
    if (made == NULL) {
        return NULL;
    }
    made->allocator = alloc ? *alloc : (lmb_allocator){0};
    made->frame_count = frame_count;
    made->points = lmbi_alloc_array(alloc, count, sizeof *made->points);
    made->confidence = lmbi_alloc_array(alloc, count, sizeof *made->confidence);
    if (made->points == NULL || made->confidence == NULL) {
        lmb_keypoints_destroy(made);
        return NULL;
    }
    return made;
}

void lmb_keypoints_destroy(lmb_keypoints *keypoints)
{
    if (keypoints != NULL) {
        const lmb_allocator alloc = keypoints->allocator;
        lmbi_free(&alloc, keypoints->points);
        lmbi_free(&alloc, keypoints->confidence);
        lmbi_free(&alloc, keypoints);
    }
}

lmb_result lmb_keypoints_join(const lmb_keypoints *const *list, uint32_t count,
                              const lmb_allocator *alloc, lmb_keypoints **out, lmb_error *error)
{
    uint64_t frames = 0;
    for (uint32_t k = 0; k < count; ++k) {
        frames += list[k]->frame_count;
        if (list[k]->layout != list[0]->layout) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "keypoints of one layout", "%s after %s",
                             list[k]->layout_name, list[0]->layout_name);
        }
    }
    if (frames == 0 || frames > UINT32_MAX / LMB_KEYPOINT_COUNT) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "frames of keypoints", "%llu of them",
                         (unsigned long long)frames);
    }
    lmb_keypoints *made = alloc_keypoints(alloc, (uint32_t)frames);
    if (made == NULL) {
        return lmbi_fail_memory(error);
    }
    made->frame_rate = list[0]->frame_rate;
    made->layout = list[0]->layout;
    made->layout_name = list[0]->layout_name;
    size_t at = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const size_t n = (size_t)list[k]->frame_count * LMB_KEYPOINT_COUNT;
        memcpy(made->points + at, list[k]->points, n * sizeof *made->points);
        memcpy(made->confidence + at, list[k]->confidence, n * sizeof *made->confidence);
        made->width = list[k]->width > made->width ? list[k]->width : made->width;
        made->height = list[k]->height > made->height ? list[k]->height : made->height;
        at += n;
    }
    *out = made;
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- reading
// Detectors agree on this much: a person in a frame is a list of numbers in threes, or a list of
// objects with x and y.

#define NO LMB_KEYPOINT_COUNT

/// The keypoint of each index of a layout.
static const uint8_t openpose_25[25] = {
    LMB_KEYPOINT_NOSE,        LMB_KEYPOINT_NECK,        LMB_KEYPOINT_RIGHT_SHOULDER,
    LMB_KEYPOINT_RIGHT_ELBOW, LMB_KEYPOINT_RIGHT_WRIST, LMB_KEYPOINT_LEFT_SHOULDER,
    LMB_KEYPOINT_LEFT_ELBOW,  LMB_KEYPOINT_LEFT_WRIST,  LMB_KEYPOINT_MID_HIP,
    LMB_KEYPOINT_RIGHT_HIP,   LMB_KEYPOINT_RIGHT_KNEE,  LMB_KEYPOINT_RIGHT_ANKLE,
    LMB_KEYPOINT_LEFT_HIP,    LMB_KEYPOINT_LEFT_KNEE,   LMB_KEYPOINT_LEFT_ANKLE,
    LMB_KEYPOINT_RIGHT_EYE,   LMB_KEYPOINT_LEFT_EYE,    LMB_KEYPOINT_RIGHT_EAR,
    LMB_KEYPOINT_LEFT_EAR,    LMB_KEYPOINT_LEFT_TOES,   NO,
    LMB_KEYPOINT_LEFT_HEEL,   LMB_KEYPOINT_RIGHT_TOES,  NO,
    LMB_KEYPOINT_RIGHT_HEEL};
static const uint8_t openpose_18[18] = {
    LMB_KEYPOINT_NOSE,        LMB_KEYPOINT_NECK,        LMB_KEYPOINT_RIGHT_SHOULDER,
    LMB_KEYPOINT_RIGHT_ELBOW, LMB_KEYPOINT_RIGHT_WRIST, LMB_KEYPOINT_LEFT_SHOULDER,
    LMB_KEYPOINT_LEFT_ELBOW,  LMB_KEYPOINT_LEFT_WRIST,  LMB_KEYPOINT_RIGHT_HIP,
    LMB_KEYPOINT_RIGHT_KNEE,  LMB_KEYPOINT_RIGHT_ANKLE, LMB_KEYPOINT_LEFT_HIP,
    LMB_KEYPOINT_LEFT_KNEE,   LMB_KEYPOINT_LEFT_ANKLE,  LMB_KEYPOINT_RIGHT_EYE,
    LMB_KEYPOINT_LEFT_EYE,    LMB_KEYPOINT_RIGHT_EAR,   LMB_KEYPOINT_LEFT_EAR};
static const uint8_t coco_17[17] = {
    LMB_KEYPOINT_NOSE,           LMB_KEYPOINT_LEFT_EYE,    LMB_KEYPOINT_RIGHT_EYE,
    LMB_KEYPOINT_LEFT_EAR,       LMB_KEYPOINT_RIGHT_EAR,   LMB_KEYPOINT_LEFT_SHOULDER,
    LMB_KEYPOINT_RIGHT_SHOULDER, LMB_KEYPOINT_LEFT_ELBOW,  LMB_KEYPOINT_RIGHT_ELBOW,
    LMB_KEYPOINT_LEFT_WRIST,     LMB_KEYPOINT_RIGHT_WRIST, LMB_KEYPOINT_LEFT_HIP,
    LMB_KEYPOINT_RIGHT_HIP,      LMB_KEYPOINT_LEFT_KNEE,   LMB_KEYPOINT_RIGHT_KNEE,
    LMB_KEYPOINT_LEFT_ANKLE,     LMB_KEYPOINT_RIGHT_ANKLE};
static const uint8_t mediapipe_33[33] = {LMB_KEYPOINT_NOSE,
                                         NO,
                                         LMB_KEYPOINT_LEFT_EYE,
                                         NO,
                                         NO,
                                         LMB_KEYPOINT_RIGHT_EYE,
                                         NO,
                                         LMB_KEYPOINT_LEFT_EAR,
                                         LMB_KEYPOINT_RIGHT_EAR,
                                         NO,
                                         NO,
                                         LMB_KEYPOINT_LEFT_SHOULDER,
                                         LMB_KEYPOINT_RIGHT_SHOULDER,
                                         LMB_KEYPOINT_LEFT_ELBOW,
                                         LMB_KEYPOINT_RIGHT_ELBOW,
                                         LMB_KEYPOINT_LEFT_WRIST,
                                         LMB_KEYPOINT_RIGHT_WRIST,
                                         NO,
                                         NO,
                                         NO,
                                         NO,
                                         NO,
                                         NO,
                                         LMB_KEYPOINT_LEFT_HIP,
                                         LMB_KEYPOINT_RIGHT_HIP,
                                         LMB_KEYPOINT_LEFT_KNEE,
                                         LMB_KEYPOINT_RIGHT_KNEE,
                                         LMB_KEYPOINT_LEFT_ANKLE,
                                         LMB_KEYPOINT_RIGHT_ANKLE,
                                         LMB_KEYPOINT_LEFT_HEEL,
                                         LMB_KEYPOINT_RIGHT_HEEL,
                                         LMB_KEYPOINT_LEFT_TOES,
                                         LMB_KEYPOINT_RIGHT_TOES};

static const struct {
    const uint8_t *keypoints;
    uint32_t count;
} layouts[4] = {[LMB_KEYPOINTS_OPENPOSE_25] = {openpose_25, 25},
                [LMB_KEYPOINTS_OPENPOSE_18] = {openpose_18, 18},
                [LMB_KEYPOINTS_COCO_17] = {coco_17, 17},
                [LMB_KEYPOINTS_MEDIAPIPE_33] = {mediapipe_33, 33}};

/// A person in a frame, as found in the text.
typedef struct person {
    const lmbi_json *list;
    lmb_keypoint_layout layout;
    bool normalized; ///< coordinates are fractions of the picture's size, not pixels
    /// the list that all people of the frame are in, or the landmarks themselves
    const lmbi_json *frame;
    double order; ///< COCO's image_id; NaN without one
} person;

typedef struct reader {
    lmbi_arena arena;
    const lmb_keypoints_opts *opts;
    person *people;
    uint32_t count, capacity;
    float width, height, rate;
    bool mixed;
} reader;

/// Whether a value is a person: as many numbers in threes, or as many objects with x and y, as a
/// layout has keypoints.
static bool is_person(const lmbi_json *value, person *out)
{
    if (value->type != LMBI_JSON_ARRAY || value->child == NULL) {
        return false;
    }
    const bool objects = value->child->type == LMBI_JSON_OBJECT;
    if (objects &&
        (lmbi_json_find(value->child, "x") == NULL || lmbi_json_find(value->child, "y") == NULL)) {
        return false;
    }
    if (!objects && value->child->type != LMBI_JSON_NUMBER) {
        return false;
    }
    const uint32_t count = objects ? value->count : value->count / 3;
    for (int k = 0; k < 4 && (objects || value->count % 3 == 0); ++k) {
        if (layouts[k].count == count) {
            *out = (person){.list = value, .layout = (lmb_keypoint_layout)k, .normalized = objects};
            return true;
        }
    }
    return false;
}

/// The value that identifies the frame: the list of people, or the landmarks themselves.
static const lmbi_json *frame_of(const lmbi_json *list)
{
    for (const lmbi_json *at = list; at->parent != NULL; at = at->parent) {
        if (at->key != NULL && lmbi_json_key_is(at, "people")) {
            return at;
        }
    }
    return list;
}

static double image_id_of(const lmbi_json *list)
{
    double id = 0;
    const lmbi_json *holder = list->parent;
    const lmbi_json *image = holder != NULL ? lmbi_json_find(holder, "image_id") : NULL;
    return image != NULL && lmbi_json_number(image, &id) ? id : (double)NAN;
}

static bool add_person(reader *r, person found)
{
    if (r->count == r->capacity) {
        const uint32_t capacity = r->capacity > 0 ? 2 * r->capacity : 64;
        person *people = lmbi_arena_array(&r->arena, capacity, sizeof *people);
        if (people == NULL) {
            return false;
        }
        if (r->count > 0) {
            memcpy(people, r->people, r->count * sizeof *people);
        }
        r->people = people;
        r->capacity = capacity;
    }
    found.frame = frame_of(found.list);
    found.order = image_id_of(found.list);
    r->mixed |= r->count > 0 && r->people[0].layout != found.layout;
    r->people[r->count++] = found;
    return true;
}

static void read_metadata(reader *r, const lmbi_json *value)
{
    static const char *const width[] = {"width", "image_width"},
                             *const height[] = {"height", "image_height"},
                             *const rate[] = {"fps", "frame_rate"};
    double number;
    if (value->key == NULL || value->type != LMBI_JSON_NUMBER ||
        !lmbi_json_number(value, &number) || !(number > 0 && number < 1e6)) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        r->width = lmbi_json_key_is(value, width[k]) ? (float)number : r->width;
        r->height = lmbi_json_key_is(value, height[k]) ? (float)number : r->height;
        r->rate = lmbi_json_key_is(value, rate[k]) ? (float)number : r->rate;
    }
}

/// Visits every value in the order of the text, without recursion.
static bool find_people(reader *r, const lmbi_json *root)
{
    const lmbi_json *at = root;
    while (at != NULL) {
        person found;
        read_metadata(r, at);
        const bool is_match = is_person(at, &found);
        // Objects may also hold world landmarks and hands: the first list is the person.
        const bool is_extra = is_match && at->parent != NULL &&
                              at->parent->type == LMBI_JSON_OBJECT && r->count > 0 &&
                              r->people[r->count - 1].list->parent == at->parent;
        if (is_match && !is_extra && !add_person(r, found)) {
            return false;
        }
        if (!is_match && at->child != NULL) {
            at = at->child;
            continue;
        }
        while (at != NULL && at != root && at->next == NULL) {
            at = at->parent;
        }
        at = at == NULL || at == root ? NULL : at->next;
    }
    return true;
}

// ------------------------------------------------------------------------------------- the values

static float number_or(const lmbi_json *value, float fallback)
{
    double number;
    return value != NULL && lmbi_json_number(value, &number) && fabs(number) < 1e7 ? (float)number
                                                                                   : fallback;
}

static void store_keypoint(lmb_vec2 *points, float *confidence, const person *p, uint32_t index,
                           float x, float y, float c)
{
    const uint8_t keypoint = layouts[p->layout].keypoints[index];
    const bool is_missing = !(x < 0 || x > 0) && !(y < 0 || y > 0); // (0, 0) means not detected
    if (keypoint < NO && !is_missing && isfinite(x) && isfinite(y)) {
        points[keypoint] = (lmb_vec2){x, y};
        confidence[keypoint] = fminf(fmaxf(c, 0), 1);
    }
}

static void read_person(const reader *r, const person *p, lmb_vec2 *points, float *confidence)
{
    uint32_t index = 0;
    for (const lmbi_json *at = p->list->child; at != NULL; ++index) {
        if (p->normalized) {
            const float visible = number_or(lmbi_json_find(at, "visibility"), 1);
            store_keypoint(points, confidence, p, index,
                           number_or(lmbi_json_find(at, "x"), NAN) * r->width,
                           number_or(lmbi_json_find(at, "y"), NAN) * r->height, visible);
            at = at->next;
        } else {
            const lmbi_json *y = at->next, *c = y->next;
            // COCO's third number is 0, 1 (hidden) or 2.
            const float seen = number_or(c, 0);
            store_keypoint(points, confidence, p, index, number_or(at, NAN), number_or(y, NAN),
                           p->layout == LMB_KEYPOINTS_COCO_17 && seen > 1 ? 1 : seen);
            at = c->next;
        }
    }
}

static float sum_of(const float *values)
{
    float sum = 0;
    for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
        sum += values[k];
    }
    return sum;
}

/// Sorts COCO's annotations by image_id where all have one; the sort is stable.
static void sort_people(reader *r)
{
    for (uint32_t i = 0; i < r->count; ++i) {
        if (isnan(r->people[i].order)) {
            return;
        }
    }
    for (uint32_t width = 1; width < r->count; width *= 2) {
        person *to = lmbi_arena_array(&r->arena, r->count, sizeof *to);
        if (to == NULL) {
            return;
        }
        for (uint32_t from = 0; from < r->count; from += 2 * width) {
            const uint32_t middle = from + width < r->count ? from + width : r->count,
                           end = middle + width < r->count ? middle + width : r->count;
            for (uint32_t a = from, b = middle, k = from; k < end; ++k) {
                const bool left =
                    b == end || (a < middle && r->people[a].order <= r->people[b].order);
                to[k] = left ? r->people[a++] : r->people[b++];
            }
        }
        r->people = to;
    }
}

static bool same_frame(const person *a, const person *b)
{
    return a->frame == b->frame ||
           (!isnan(a->order) && a->order >= b->order && a->order <= b->order);
}

static uint32_t count_frames(const reader *r)
{
    uint32_t frames = 0;
    for (uint32_t k = 0; k < r->count; ++k) {
        frames += k == 0 || !same_frame(&r->people[k - 1], &r->people[k]);
    }
    return frames;
}

static void read_people(const reader *r, lmb_keypoints *out)
{
    uint32_t frame = 0;
    for (uint32_t k = 0; k < r->count; ++k) {
        lmb_vec2 points[LMB_KEYPOINT_COUNT] = {{0, 0}};
        float confidence[LMB_KEYPOINT_COUNT] = {0};
        frame += k > 0 && !same_frame(&r->people[k - 1], &r->people[k]);
        const size_t row = (size_t)frame * LMB_KEYPOINT_COUNT;
        read_person(r, &r->people[k], points, confidence);
        if (sum_of(confidence) > sum_of(out->confidence + row)) {
            memcpy(out->points + row, points, sizeof points);
            memcpy(out->confidence + row, confidence, sizeof confidence);
        }
    }
}

// ---------------------------------------------------------------------------------- the documents

/// Length of the JSON value at the start of `at`: files may hold several in a row, as JSON lines.
static size_t value_length(const char *at, size_t size)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t k = 0; k < size; ++k) {
        const char c = at[k];
        if (in_string) {
            k += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && (depth == 0 || --depth == 0)) {
            return k + 1;
        }
    }
    return size;
}

static lmb_result read_documents(reader *r, const char *bytes, size_t size, lmb_error *error)
{
    size_t at = 0;
    while (at < size) {
        while (at < size && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != 0) {
            ++at;
        }
        if (at == size) {
            break;
        }
        lmbi_json *root = NULL;
        const size_t length = value_length(bytes + at, size - at);
        const lmb_result result = lmbi_json_read(&r->arena, bytes + at, length, &root, error);
        if (result != LMB_OK) {
            if (result == LMB_ERROR_MALFORMED && error != NULL && error->line > 0) {
                unsigned line, column;
                lmbi_json_place(bytes, bytes + at, &line, &column);
                error->column += error->line == 1 ? column - 1 : 0;
                error->line += line - 1;
            }
            return result;
        }
        if (!find_people(r, root)) {
            return lmbi_fail_memory(error);
        }
        at += length;
    }
    return LMB_OK;
}

static lmb_result make_keypoints(reader *r, const lmb_allocator *alloc, lmb_keypoints **out,
                                 lmb_error *error)
{
    if (r->count == 0 || r->mixed) {
        return lmbi_fail_text(error, LMB_ERROR_MALFORMED, 1, 1,
                              "keypoints of OpenPose, COCO or MediaPipe",
                              r->mixed ? "those of several layouts" : "none");
    }
    r->width = r->opts->width > 0 ? r->opts->width : r->width;
    r->height = r->opts->height > 0 ? r->opts->height : r->height;
    if (r->people[0].normalized && !(r->width > 0 && r->height > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "the size of the picture",
                         "landmarks as fractions of an unknown size");
    }
    sort_people(r);
    lmb_keypoints *made = alloc_keypoints(alloc, count_frames(r));
    if (made == NULL) {
        return lmbi_fail_memory(error);
    }
    made->layout = r->people[0].layout;
    made->layout_name = layout_names[made->layout];
    made->width = r->width;
    made->height = r->height;
    made->frame_rate = r->opts->frame_rate > 0 ? r->opts->frame_rate : r->rate;
    read_people(r, made);
    *out = made;
    return LMB_OK;
}

lmb_result lmb_keypoints_read(const void *bytes, size_t size, const lmb_keypoints_opts *opts,
                              const lmb_allocator *alloc, lmb_keypoints **out, lmb_error *error)
{
    static const lmb_keypoints_opts none = {0};
    reader r = {.opts = opts != NULL ? opts : &none};
    lmbi_arena_init(&r.arena, alloc);
    lmb_result result = read_documents(&r, bytes, size, error);
    if (result == LMB_OK) {
        result = make_keypoints(&r, alloc, out, error);
    }
    lmbi_arena_free(&r.arena);
    return result;
}
