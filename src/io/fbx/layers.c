/// Layers of animation over one another: adding, mixing, replacing.
#include "io/fbx/take.h"

/// |base|^exponent with the sign of base kept; scales mix by products.
static double power(double base, double exponent)
{
    const float size = (float)(base < 0 ? -base : base);
    const double value = size > 0 ? (double)lmb_exp((float)exponent * lmb_log(size)) : 0;
    return base < 0 ? -value : value;
}

/// Layers compose angles as turns about x, then y, then z, whatever the object's own order is: what
/// comes out are three angles again, and only those are taken in the object's order. That is how
/// Maya deforms what it writes (its snapshots of all six orders agree to rounding).
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
    lmb_quat_to_euler(q, order, angles);
    for (int i = 0; i < 3; ++i) {
        degrees[order[i] - 'x'] = (double)angles[i] * 57.295779513082321;
    }
}

static void track_alone(const lmbi_fbx_track *track, double time_s, double out[3])
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
    track_alone(&takes->tracks[layer->weight_track], time_s, value);
    const double weight = value[0] / 100;
    return weight > 0 ? weight < 1 ? weight : 1 : 0;
}

static void add_rotation(double result[3], const double value[3], double weight, bool additive)
{
    const lmb_quat below = quat_of(result), above = quat_of(value);
    const lmb_quat turned =
        additive ? lmb_quat_mul(below, lmb_quat_slerp(lmb_quat_identity(), above, (float)weight))
                 : lmb_quat_slerp(below, above, (float)weight);
    degrees_of(turned, result);
}

static void combine(const lmbi_fbx_layer *layer, lmbi_fbx_path path, double weight,
                    const double value[3], double result[3])
{
    if (!layer->blended) {
        for (int i = 0; i < 3; ++i) {
            result[i] = value[i];
        }
    } else if (path == LMBI_FBX_ROTATION && layer->turns_compose) {
        add_rotation(result, value, weight, layer->additive);
    } else {
        for (int i = 0; i < 3; ++i) {
            if (path == LMBI_FBX_SCALE && layer->scales_multiply) {
                result[i] = (layer->additive ? result[i] : power(result[i], 1 - weight)) *
                            power(value[i], weight);
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
    const lmbi_fbx_track *bottom = track; // those below come just before, layer by layer
    while (bottom->below != LMB_NONE) {
        --bottom;
    }
    const lmbi_fbx_layer *base = &takes->layers[bottom->layer];
    for (int i = 0; i < 3; ++i) {
        out[i] = rest[i];
    }
    for (const lmbi_fbx_track *t = bottom; t <= track; ++t) {
        double value[3];
        const lmbi_fbx_layer *layer = &takes->layers[t->layer];
        track_alone(t, time_s, value);
        if (t == bottom && base->lowest) {
            for (int i = 0; i < 3; ++i) {
                out[i] = value[i];
            }
        } else {
            combine(layer, t->path, weight_at(takes, layer, time_s), value, out);
        }
    }
}
