#include "base/error.h"
#include "limber/skin.h"

void lmb_morph_absolute(const float *absolute, uint32_t target_count, float *weights)
{
    float sum = 0;
    for (uint32_t k = 0; k <= target_count; ++k) {
        sum += absolute[k];
    }
    const bool shown = sum > 0 || sum < 0;
    for (uint32_t t = 0; t < target_count; ++t) {
        weights[t] = shown ? absolute[1 + t] / sum : 0;
    }
}

// --------------------------------------------------------------------------------------- checking

static lmb_result check_control(const lmb_morph_rig *rig, uint32_t c, lmb_error *error)
{
    const lmb_morph_control *control = &rig->controls[c];
    for (uint32_t k = 0; k < control->key_count; ++k) {
        if (control->targets[k] >= rig->target_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a target of the mesh",
                             "target %u of control %u", control->targets[k], c);
        }
        const float key = control->keys[k];
        if (!(key < 0 || key > 0) || !(key - key == 0) ||
            (k > 0 && !(control->keys[k - 1] < key))) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "keys that rise and are not 0",
                             "key %u of control %u is %g", k, c, (double)key);
        }
    }
    return LMB_OK;
}

static lmb_result check_combination(const lmb_morph_rig *rig, uint32_t c, lmb_error *error)
{
    const lmb_morph_combination *combination = &rig->combinations[c];
    if (combination->target >= rig->target_count || combination->control_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a combination of controls for a target",
                         "combination %u of %u controls for target %u", c,
                         combination->control_count, combination->target);
    }
    for (uint32_t k = 0; k < combination->control_count; ++k) {
        if (combination->controls[k] >= rig->control_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a control of the rig",
                             "control %u in combination %u", combination->controls[k], c);
        }
    }
    return LMB_OK;
}

lmb_result lmb_morph_rig_check(const lmb_morph_rig *rig, lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (uint32_t c = 0; result == LMB_OK && c < rig->control_count; ++c) {
        result = check_control(rig, c, error);
    }
    for (uint32_t c = 0; result == LMB_OK && c < rig->combination_count; ++c) {
        result = check_combination(rig, c, error);
    }
    return result;
}

// ------------------------------------------------------------------------------------- evaluating

/// Index of the first key above 0; those before it are below 0.
static uint32_t first_above(const lmb_morph_control *control)
{
    uint32_t low = 0;
    while (low < control->key_count && control->keys[low] < 0) {
        ++low;
    }
    return low;
}

/// Adds the weights of the keys on one side of 0, from the one nearest to 0 outwards. `step` is
/// their index step, 1 or -1.
static void add_side(const lmb_morph_control *control, uint32_t nearest, int step, uint32_t count,
                     float value, float *weights)
{
    const float side = step > 0 ? 1.0f : -1.0f, v = side * value;
    float inner = 0; // distance of the previous key from 0
    for (uint32_t k = 0; k < count; ++k) {
        const int64_t at = (int64_t)nearest + (int64_t)step * k;
        const float here = side * control->keys[at];
        const bool is_last = k + 1 == count;
        float weight = 0;
        if (v <= here) {
            weight = k == 0 || v > inner ? (v - inner) / (here - inner) : 0;
        } else if (is_last) {
            weight = v / here;
        } else {
            const float outer = side * control->keys[at + step];
            weight = v < outer ? (outer - v) / (outer - here) : 0;
        }
        weights[control->targets[at]] += weight;
        inner = here;
    }
}

static void add_control(const lmb_morph_control *control, float value, float *weights)
{
    const uint32_t above = first_above(control), below = above;
    const uint32_t above_count = control->key_count - above;
    const bool up = value > 0 ? above_count > 0 : below == 0;
    if (!(value < 0 || value > 0) || control->key_count == 0) {
        return;
    }
    if (up) {
        add_side(control, above, 1, value > 0 ? above_count : 1, value, weights);
    } else {
        add_side(control, below - 1, -1, value < 0 ? below : 1, value, weights);
    }
}

static float combined(const lmb_morph_combination *combination, const float *values)
{
    float product = 1, least = values[combination->controls[0]];
    for (uint32_t k = 0; k < combination->control_count; ++k) {
        const float value = values[combination->controls[k]];
        product *= value > 0 ? value : 0;
        least = value < least ? value : least;
    }
    return combination->rule == LMB_MORPH_PRODUCT ? product : (least > 0 ? least : 0);
}

void lmb_morph_rig_weights(const lmb_morph_rig *rig, const float *values, float *weights)
{
    for (uint32_t t = 0; t < rig->target_count; ++t) {
        weights[t] = 0;
    }
    for (uint32_t c = 0; c < rig->control_count; ++c) {
        add_control(&rig->controls[c], values[c], weights);
    }
    for (uint32_t c = 0; c < rig->combination_count; ++c) {
        weights[rig->combinations[c].target] += combined(&rig->combinations[c], values);
    }
}
