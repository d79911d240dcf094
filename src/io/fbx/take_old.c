/// Animation before version 7000: takes with models with channels, nested by property and axis. Keys
/// are one list of numbers and letters.
#include <string.h>

#include "io/fbx/take.h"

#define DEFAULT_WEIGHT (1.0 / 3.0)

// -------------------------------------------------------------------------------------- key lists

/// Tangent data after a key's time and value in the list.
typedef struct old_tangents {
    lmbi_fbx_segment segment;
    bool automatic;
    double right, next_left, weight_right, weight_next_left;
} old_tangents;

typedef struct list {
    const double *at, *end;
} list;

static bool next_number(list *l, double *value)
{
    if (l->at >= l->end) {
        return false;
    }
    *value = *l->at++;
    return true;
}

static bool next_letter(list *l, char *letter)
{
    double code;
    if (!next_number(l, &code)) {
        return false;
    }
    *letter = code >= 0 && code < 128 ? (char)code : '?';
    return true;
}

static bool read_weights(list *l, old_tangents *t)
{
    char mode;
    if (!next_letter(l, &mode)) {
        return false;
    }
    switch (mode) {
    case 'n':
    case 'c':
        return true;
    case 'a':
        return next_number(l, &t->weight_right) && next_number(l, &t->weight_next_left);
    case 'l':
        return next_number(l, &t->weight_next_left);
    case 'r':
        return next_number(l, &t->weight_right);
    default:
        return false;
    }
}

/// U, a cubic segment: a letter is the kind of tangent and decides which numbers follow.
static bool read_cubic(list *l, uint32_t version, old_tangents *t)
{
    char mode;
    double unused;
    t->segment = LMBI_FBX_BEZIER;
    if (!next_letter(l, &mode)) {
        return false;
    }
    switch (mode) {
    case 's':
    case 'b':
        return next_number(l, &t->right) && next_number(l, &t->next_left) && read_weights(l, t);
    case 'a':
        t->automatic = true;
        return version == 5000 || read_weights(l, t);
    case 'p': // two numbers of unknown meaning
        return next_number(l, &unused) && next_number(l, &unused) && read_weights(l, t) &&
               read_weights(l, t);
    case 't': // tension, continuity and bias: zeros in all files seen
        return next_number(l, &unused) && next_number(l, &unused) && next_number(l, &unused);
    default:
        return false;
    }
}

static bool read_tangents(list *l, uint32_t version, int64_t key_version, old_tangents *t)
{
    char mode;
    *t = (old_tangents){.weight_right = DEFAULT_WEIGHT, .weight_next_left = DEFAULT_WEIGHT};
    if (!next_letter(l, &mode)) {
        return false;
    }
    if (mode == 'L') {
        t->segment = LMBI_FBX_STRAIGHT;
        return true;
    }
    if (mode == 'C') {
        char which = 's';
        t->segment = LMBI_FBX_HOLD;
        if (key_version >= 4004 && !next_letter(l, &which)) {
            return false;
        }
        t->segment = which == 'n' ? LMBI_FBX_HOLD_NEXT : LMBI_FBX_HOLD;
        return true;
    }
    return mode == 'U' && read_cubic(l, version, t);
}

static double automatic_slope(const lmbi_fbx_key *keys, size_t i, const lmbi_fbx_key *next,
                              double weight_left, double weight_right)
{
    const lmbi_fbx_tangent ask = {.previous_s = keys[i - 1].time_s,
                                  .time_s = keys[i].time_s,
                                  .next_s = next->time_s,
                                  .previous = keys[i - 1].value,
                                  .value = keys[i].value,
                                  .next = next->value,
                                  .weight_left = weight_left,
                                  .weight_right = weight_right,
                                  .clamp_progressive = true,
                                  .time_independent = true};
    return lmbi_fbx_auto_slope(&ask);
}

static bool read_keys(list *l, uint32_t version, int64_t key_version, lmbi_fbx_key *keys,
                      size_t count)
{
    double slope_left = 0, weight_left = DEFAULT_WEIGHT;
    for (size_t i = 0; i < count; ++i) {
        double ticks;
        old_tangents t;
        if (!next_number(l, &ticks) || !next_number(l, &keys[i].value) ||
            !read_tangents(l, version, key_version, &t)) {
            return false;
        }
        keys[i].time_s = ticks / LMBI_FBX_TICKS_PER_S;
        keys[i].segment = t.segment;
        const bool last = i + 1 == count;
        const bool here = !last && l->end - l->at >= 2;
        const lmbi_fbx_key next = {.time_s =
                                       here ? l->at[0] / LMBI_FBX_TICKS_PER_S : keys[i].time_s,
                                   .value = here ? l->at[1] : keys[i].value};
        if (next.time_s < keys[i].time_s || !(next.value - next.value >= 0)) {
            return false;
        }
        const double span = next.time_s - keys[i].time_s;
        if (t.automatic) {
            t.right =
                i > 0 && !last ? automatic_slope(keys, i, &next, weight_left, t.weight_right) : 0;
            slope_left = t.right;
        }
        if (t.segment == LMBI_FBX_STRAIGHT) {
            t.right = t.next_left = span > 0 ? (next.value - keys[i].value) / span : 0;
        }
        const double before = i > 0 ? keys[i].time_s - keys[i - 1].time_s : 0;
        keys[i].left_dx = weight_left * before;
        keys[i].left_dy = keys[i].left_dx * slope_left;
        keys[i].right_dx = t.weight_right * span;
        keys[i].right_dy = keys[i].right_dx * t.right;
        slope_left = t.next_left;
        weight_left = t.weight_next_left;
    }
    return true;
}

lmb_result lmbi_fbx_curve_read_channel(lmbi_fbx *fbx, const lmbi_fbx_node *node,
                                       lmbi_fbx_curve **out)
{
    const double *numbers;
    size_t size;
    *out = NULL;
    const lmbi_fbx_node *key_list = lmbi_fbx_child(node, "Key");
    const lmb_result result = lmbi_fbx_reals(fbx, key_list, &numbers, &size);
    const int64_t count = lmbi_fbx_integer(lmbi_fbx_child(node, "KeyCount"), 0, 0);
    if (result != LMB_OK || key_list == NULL || count <= 0) {
        return result;
    }
    if ((uint64_t)count > size / 3) {
        return lmbi_fbx_fail(fbx, key_list, "at least three values for each of KeyCount keys",
                             "%zu for %lld keys", (size_t)size, (long long)count);
    }
    lmbi_fbx_curve *curve = lmbi_arena_array(&fbx->arena, 1, sizeof *curve);
    lmbi_fbx_key *keys = lmbi_arena_array(&fbx->arena, (size_t)count, sizeof *keys);
    if (!curve || !keys) {
        return lmbi_fail_memory(fbx->error);
    }
    list l = {numbers, numbers + size};
    const int64_t key_version = lmbi_fbx_integer(lmbi_fbx_child(node, "KeyVer"), 0, 4005);
    if (!read_keys(&l, fbx->version, key_version, keys, (size_t)count) || count > UINT32_MAX - 1) {
        return lmbi_fbx_fail(
            fbx, key_list,
            "keys of a time, a value, and an interpolation U, L or C with its numbers",
            "%zu numbers and letters for %lld keys", (size_t)size, (long long)count);
    }
    *curve = (lmbi_fbx_curve){.count = (uint32_t)count, .keys = keys};
    *out = curve;
    return LMB_OK;
}

// ------------------------------------------------------------------------------------------ takes

typedef struct reader {
    lmbi_fbx_scene *scene;
    lmbi_fbx_takes *takes;
    uint32_t object, layer;
} reader;

/// A channel of one curve, or of one for each axis.
static lmb_result read_track(const reader *r, const lmbi_fbx_node *channel, uint32_t object,
                             lmbi_fbx_path path)
{
    lmbi_fbx_track track = {.object = object, .path = path, .layer = r->layer, .below = LMB_NONE};
    bool found = false;
    if (path == LMBI_FBX_PERCENT) {
        track.constant[0] = lmbi_fbx_number(lmbi_fbx_child(channel, "Default"), 0, 0);
        const lmb_result result =
            lmbi_fbx_curve_read_channel(r->scene->fbx, channel, &track.curves[0]);
        if (result != LMB_OK) {
            return result;
        }
        found = track.curves[0] != NULL;
    }
    for (const lmbi_fbx_node *axis = channel->child; axis && path != LMBI_FBX_PERCENT;
         axis = axis->next) {
        const lmbi_word letter = lmbi_fbx_text(axis, 0);
        if (!lmbi_fbx_is(axis, "Channel") || letter.size != 1 || letter.at[0] < 'X' ||
            letter.at[0] > 'Z') {
            continue;
        }
        const int i = letter.at[0] - 'X';
        track.constant[i] =
            lmbi_fbx_number(lmbi_fbx_child(axis, "Default"), 0, path == LMBI_FBX_SCALE);
        const lmb_result result =
            lmbi_fbx_curve_read_channel(r->scene->fbx, axis, &track.curves[i]);
        if (result != LMB_OK) {
            return result;
        }
        found = true;
    }
    return found ? lmbi_fbx_takes_add_track(r->scene, r->takes, track) : LMB_OK;
}

/// The blend shape of that name among those of the model's mesh, or LMB_NONE.
static int32_t shape_of(const reader *r, lmbi_word name)
{
    static const char suffix[] = " (Shape)"; // before 6000
    const size_t length = sizeof suffix - 1;
    if (name.size > length && memcmp(name.at + name.size - length, suffix, length) == 0) {
        name.size -= length;
    }
    const lmbi_fbx_scene *scene = r->scene;
    const int32_t mesh = lmbi_fbx_scene_source(scene, r->object, LMBI_FBX_MESH, 0);
    const uint32_t end = mesh == LMB_NONE ? 0 : scene->link_first[mesh + 1];
    for (uint32_t i = mesh == LMB_NONE ? 0 : scene->link_first[mesh]; i < end; ++i) {
        const lmbi_fbx_object *channel = &scene->objects[scene->links[i].from];
        if (channel->kind == LMBI_FBX_BLEND_CHANNEL && lmbi_word_is_exact(name, channel->name)) {
            return (int32_t)scene->links[i].from;
        }
    }
    return LMB_NONE;
}

static lmb_result read_transform(const reader *r, const lmbi_fbx_node *channel)
{
    for (const lmbi_fbx_node *part = channel->child; part; part = part->next) {
        const lmbi_word name = lmbi_fbx_text(part, 0);
        if (!lmbi_fbx_is(part, "Channel") || name.size != 1) {
            continue;
        }
        const int path = name.at[0] == 'T'   ? LMBI_FBX_TRANSLATION
                         : name.at[0] == 'R' ? LMBI_FBX_ROTATION
                         : name.at[0] == 'S' ? LMBI_FBX_SCALE
                                             : -1;
        const lmb_result result =
            path < 0 ? LMB_OK : read_track(r, part, r->object, (lmbi_fbx_path)path);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static lmb_result read_object(const reader *r, const lmbi_fbx_node *node)
{
    for (const lmbi_fbx_node *channel = node->child; channel; channel = channel->next) {
        if (!lmbi_fbx_is(channel, "Channel")) {
            continue;
        }
        const lmbi_word name = lmbi_fbx_text(channel, 0);
        lmb_result result = LMB_OK;
        if (lmbi_word_is_exact(name, "Transform")) {
            result = read_transform(r, channel);
        } else {
            const int32_t shape = shape_of(r, name);
            result = shape == LMB_NONE ? LMB_OK
                                       : read_track(r, channel, (uint32_t)shape, LMBI_FBX_PERCENT);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static lmb_result add_take(reader *r, const char *name, double start_s, double stop_s)
{
    lmb_result result = lmbi_fbx_takes_add_stack(
        r->scene, r->takes, (lmbi_fbx_stack){.name = name, .start_s = start_s, .stop_s = stop_s});
    if (result == LMB_OK) {
        r->layer = (uint32_t)r->takes->layer_count;
        result =
            lmbi_fbx_takes_add_layer(r->scene, r->takes,
                                     (lmbi_fbx_layer){.stack = (uint32_t)r->takes->stack_count - 1,
                                                      .lowest = true,
                                                      .weight = 1,
                                                      .weight_track = LMB_NONE});
    }
    return result;
}

static lmb_result read_take(reader *r, const lmbi_fbx_node *node)
{
    const lmbi_word name = lmbi_fbx_text(node, 0);
    const lmbi_fbx_node *local = lmbi_fbx_child(node, "LocalTime");
    const lmbi_fbx_node *span = local ? local : lmbi_fbx_child(node, "ReferenceTime");
    const char *text = lmbi_arena_string(&r->scene->fbx->arena, name.at ? name.at : "", name.size);
    if (text == NULL) {
        return lmbi_fail_memory(r->scene->fbx->error);
    }
    lmb_result result = add_take(r, text, lmbi_fbx_number(span, 0, 0) / LMBI_FBX_TICKS_PER_S,
                                 lmbi_fbx_number(span, 1, 0) / LMBI_FBX_TICKS_PER_S);
    for (const lmbi_fbx_node *model = node->child; model && result == LMB_OK; model = model->next) {
        const int32_t object =
            lmbi_fbx_is(model, "Model")
                ? lmbi_fbx_scene_find(r->scene, lmbi_fbx_name_id(lmbi_fbx_text(model, 0)))
                : LMB_NONE;
        if (object > 0) {
            r->object = (uint32_t)object;
            result = read_object(r, model);
        }
    }
    return result;
}

lmb_result lmbi_fbx_takes_read_old(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    reader r = {.scene = scene, .takes = takes};
    lmb_result result = LMB_OK;
    const lmbi_fbx_node *list_node = lmbi_fbx_child(&scene->fbx->root, "Takes");
    for (const lmbi_fbx_node *node = list_node ? list_node->child : NULL; node && result == LMB_OK;
         node = node->next) {
        result = lmbi_fbx_is(node, "Take") ? read_take(&r, node) : LMB_OK;
    }
    if (scene->fbx->version >= 6000 || takes->stack_count > 0 || result != LMB_OK) {
        return result;
    }
    result = add_take(&r, "motion", 0, 0);
    for (size_t i = 1; i < scene->count && result == LMB_OK; ++i) {
        if (scene->objects[i].kind == LMBI_FBX_MODEL) {
            r.object = (uint32_t)i;
            result = read_object(&r, scene->objects[i].node);
        }
    }
    return result;
}
