/// The lists of stacks, layers and tracks, whatever the version, and a track's value through all
/// layers: additive, blended or replacing.
#include "io/fbx/take.h"
#include "math/math.h"

#include "base/alloc.h"

// ------------------------------------------------------------------------------------------- lists

#define ADD(takes, scene, items, count, capacity, item)                                 \
    void *grown = (takes)->items;                                                       \
    if (!lmbi_grow((scene)->fbx->alloc, &grown, &(takes)->capacity, (takes)->count + 1, \
                   sizeof(item))) {                                                     \
        return lmbi_fail_memory((scene)->fbx->error);                                   \
    }                                                                                   \
    (takes)->items = grown;                                                             \
    (takes)->items[(takes)->count++] = (item);                                          \
    return LMB_OK

lmb_result lmbi_fbx_takes_add_stack(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_stack stack)
{
    ADD(takes, scene, stacks, stack_count, stack_capacity, stack);
}

lmb_result lmbi_fbx_takes_add_layer(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_layer layer)
{
    ADD(takes, scene, layers, layer_count, layer_capacity, layer);
}

lmb_result lmbi_fbx_takes_add_track(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_track track)
{
    ADD(takes, scene, tracks, track_count, track_capacity, track);
}

void lmbi_fbx_takes_free(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    lmbi_free(scene->fbx->alloc, takes->stacks);
    lmbi_free(scene->fbx->alloc, takes->layers);
    lmbi_free(scene->fbx->alloc, takes->tracks);
}

// ------------------------------------------------------------------------------------------ layers

/// |x|^exponent with the sign of x: scales are interpolated geometrically.
static double signed_power(double x, double exponent)
{
    const float size = (float)(x < 0 ? -x : x);
    const double value = size > 0 ? (double)lmb_exp((float)exponent * lmb_log(size)) : 0;
    return x < 0 ? -value : value;
}

/// Layers compose Euler angles as rotations about x, then y, then z, whatever the object's rotation
/// order is. The resulting angles are then applied in the object's order. This matches Maya
/// (snapshots of all six orders agree to rounding).
static const char order[] = "zyx";

static lmb_quat quat_of(const double degrees[3])
{
    float angles[3];
    for (int i = 0; i < 3; ++i) {
        angles[i] = (float)(degrees[order[i] - 'x'] * 0.017453292519943295);
    }
    return lmb_quat_from_euler(order, angles);
}

static void degrees_of(lmb_quat q, double degrees[3])
{
    float angles[3];
    lmbi_quat_to_euler(q, order, angles);
    for (int i = 0; i < 3; ++i) {
        degrees[order[i] - 'x'] = (double)angles[i] * 57.295779513082321;
    }
}

static void evaluate_track(const lmbi_fbx_track *track, double time_s, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        uint32_t hint = 0;
        out[i] = track->curves[i] ? lmbi_fbx_curve_at(track->curves[i], time_s, &hint)
                                  : track->constant[i];
    }
}

static double weight_at(const lmbi_fbx_takes *takes, const lmbi_fbx_layer *layer, double time_s)
{
    if (layer->weight_track == LMB_NONE) {
        return layer->weight;
    }
    double value[3];
    evaluate_track(&takes->tracks[layer->weight_track], time_s, value);
    const double weight = value[0] / 100;
    return weight > 0 ? weight < 1 ? weight : 1 : 0;
}

static void add_rotation(double result[3], const double value[3], double weight, bool additive)
{
    const lmb_quat below = quat_of(result), above = quat_of(value);
    const lmb_quat combined =
        additive ? lmb_quat_mul(below, lmb_quat_slerp(lmb_quat_identity(), above, (float)weight))
                 : lmb_quat_slerp(below, above, (float)weight);
    degrees_of(combined, result);
}

static void blend_layer(const lmbi_fbx_layer *layer, lmbi_fbx_path path, double weight,
                        const double value[3], double result[3])
{
    if (!layer->blended) {
        for (int i = 0; i < 3; ++i) {
            result[i] = value[i];
        }
    } else if (path == LMBI_FBX_ROTATION && layer->rotations_multiply) {
        add_rotation(result, value, weight, layer->additive);
    } else {
        for (int i = 0; i < 3; ++i) {
            if (path == LMBI_FBX_SCALE && layer->scales_multiply) {
                result[i] = (layer->additive ? result[i] : signed_power(result[i], 1 - weight)) *
                            signed_power(value[i], weight);
            } else {
                result[i] =
                    (layer->additive ? result[i] : result[i] * (1 - weight)) + value[i] * weight;
            }
        }
    }
}

void lmbi_fbx_track_at(const lmbi_fbx_takes *takes, const lmbi_fbx_track *track,
                       const double rest[3], double time_s, double out[3])
{
    const lmbi_fbx_track *bottom = track; // tracks of lower layers are just before it
    while (bottom->below != LMB_NONE) {
        --bottom;
    }
    const lmbi_fbx_layer *bottom_layer = &takes->layers[bottom->layer];
    for (int i = 0; i < 3; ++i) {
        out[i] = rest[i];
    }
    for (const lmbi_fbx_track *t = bottom; t <= track; ++t) {
        double value[3];
        const lmbi_fbx_layer *layer = &takes->layers[t->layer];
        evaluate_track(t, time_s, value);
        if (t == bottom && bottom_layer->lowest) {
            for (int i = 0; i < 3; ++i) {
                out[i] = value[i];
            }
        } else {
            blend_layer(layer, t->path, weight_at(takes, layer, time_s), value, out);
        }
    }
}
