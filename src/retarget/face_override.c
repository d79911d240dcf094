/// Overrides among expressions (VRMC_vrm 1.0, "Procedural override"): a smile may suppress the
/// mouth, blink or gaze expressions that are active at the same time.
#include <string.h>

#include "retarget/retarget.h"

/// Groups of procedural expressions: mouth, blink, gaze.
typedef enum procedure {
    PROCEDURE_MOUTH = LMBI_FACE_MOUTH,
    PROCEDURE_BLINK = LMBI_FACE_BLINK,
    PROCEDURE_LOOK = LMBI_FACE_LOOK,
    PROCEDURE_NONE
} procedure;

static procedure procedure_of(const lmb_expression *e)
{
    static const struct {
        const char *name;
        procedure of;
    } all[] = {{"aa", PROCEDURE_MOUTH},        {"ih", PROCEDURE_MOUTH},
               {"ou", PROCEDURE_MOUTH},        {"ee", PROCEDURE_MOUTH},
               {"oh", PROCEDURE_MOUTH},        {"blink", PROCEDURE_BLINK},
               {"blinkLeft", PROCEDURE_BLINK}, {"blinkRight", PROCEDURE_BLINK},
               {"lookUp", PROCEDURE_LOOK},     {"lookDown", PROCEDURE_LOOK},
               {"lookLeft", PROCEDURE_LOOK},   {"lookRight", PROCEDURE_LOOK}};
    for (size_t k = 0; k < sizeof all / sizeof *all && e->is_preset; ++k) {
        if (strcmp(e->name, all[k].name) == 0) {
            return all[k].of;
        }
    }
    return PROCEDURE_NONE;
}

float lmbi_expression_output(const lmb_expression *e, float value)
{
    const float within = e->is_target || value > 0 ? value : 0;
    const float limited = !e->is_target && within > 1 ? 1 : within;
    return !e->is_binary ? limited : limited >= 0.5f ? 1 : 0;
}

void lmbi_face_add_overrides(const lmb_expression *e, float value, float amounts[LMBI_FACE_PARTS])
{
    const lmb_expression_override overrides[LMBI_FACE_PARTS] = {
        e->override_mouth, e->override_blink, e->override_look};
    const float output = lmbi_expression_output(e, value);
    const procedure own = procedure_of(e);
    for (int k = 0; k < LMBI_FACE_PARTS; ++k) {
        // An expression does not override its own group.
        if (overrides[k] != LMB_OVERRIDE_NONE && output > 0 && k != (int)own) {
            amounts[k] += overrides[k] == LMB_OVERRIDE_BLOCK ? 1 : output;
        }
    }
}

/// The weight factor that remains after overrides.
static float factor_of(const lmb_expression *e, const float amounts[LMBI_FACE_PARTS])
{
    const procedure own = procedure_of(e);
    const float amount = own != PROCEDURE_NONE ? amounts[own] : 0;
    if (e->is_binary) {
        return amount > 0 ? 0.0f : 1.0f;
    }
    return amount < 1 ? 1 - amount : 0;
}

float lmbi_face_overridden(const lmb_expression *e, const float amounts[LMBI_FACE_PARTS],
                           float value)
{
    return lmbi_expression_output(e, value) * factor_of(e, amounts);
}

void lmbi_face_undo_overrides(const lmb_face *face, float *values)
{
    // Expressions that no override reaches come first: their values give the overrides that the
    // procedural expressions are then divided by.
    for (int pass = 0; pass < 2; ++pass) {
        float amounts[LMBI_FACE_PARTS] = {0, 0, 0};
        for (uint32_t e = 0; e < face->expression_count; ++e) {
            const lmb_expression *x = &face->expressions[e];
            if ((procedure_of(x) == PROCEDURE_NONE) == (pass == 0)) {
                lmbi_face_add_overrides(x, values[e], amounts);
            }
        }
        for (uint32_t e = 0; e < face->expression_count; ++e) {
            const float left = factor_of(&face->expressions[e], amounts);
            const float before = left > 0 ? values[e] / left : values[e];
            values[e] = left < 1 && before > 1 ? 1 : before;
        }
    }
}
