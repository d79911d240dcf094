/// Channels of faces.
#ifndef RETARGET_RETARGET_H
#define RETARGET_RETARGET_H

#include "limber/retarget.h"
#include "mapping/vrm.h"

/// The expression of that name, case-insensitive; VRM 0.x's names ("Joy", "Blink_L", "A") mean VRM
/// 1.0's. LMB_NONE for none.
int32_t lmbi_face_find(const lmb_face *face, const char *name);

/// The weights of one frame: adds values[track_count] of the named tracks to
/// weights[lmb_character_weights], which stay unchanged where no track reaches.
void lmbi_face_weights(const lmb_face *face, const char *const *names, const float *values,
                       uint32_t track_count, const uint32_t *weight_first, float *weights);

// ---- The face as the extensions of VRM files describe it.

/// VRM 1.0's name of a VRM 0.x expression, or of a preset in any case; otherwise the name itself.
const char *lmbi_expression_name(const char *name);
bool lmbi_expression_is_preset(const char *name);

/// Parts of a face that expressions override.
enum { LMBI_FACE_MOUTH, LMBI_FACE_BLINK, LMBI_FACE_LOOK, LMBI_FACE_PARTS };

/// The value after clamping to [0, 1], and thresholding at one half if the expression is binary.
float lmbi_expression_output(const lmb_expression *e, float value);
/// Adds an expression's overrides of each part of the face.
void lmbi_face_add_overrides(const lmb_expression *e, float value, float amounts[LMBI_FACE_PARTS]);
/// An expression's output after overrides.
float lmbi_face_overridden(const lmb_expression *e, const float amounts[LMBI_FACE_PARTS],
                           float value);
/// Recovers expression values from their outputs after overrides; a fully overridden one stays 0.
void lmbi_face_undo_overrides(const lmb_face *face, float *values);

/// Replaces a clip of `target` by one that also has the facial motion of a clip of `source`, as far
/// as the target has the expressions. Reads and fills the report.
lmb_result lmbi_face_transfer(const lmb_character *target, const lmb_character *source,
                              uint32_t clip, const lmb_allocator *alloc, lmb_clip **made,
                              lmb_retarget_report *report, lmb_error *error);

/// Model-space rotation of a joint at rest; the identity for LMB_NONE.
lmb_quat lmbi_rest_rotation(const lmb_skeleton *skeleton, int32_t joint);
/// Whether a clip rotates the eyes of the face.
bool lmbi_eyes_move(const lmb_face *face, const lmb_clip *clip);
/// Mean gaze of both eyes in a pose, inverted through the face's range maps: x to the left, y up.
/// Both eyes must exist.
lmb_vec2 lmbi_gaze_of_eyes(const lmb_face *face, const lmb_skeleton *skeleton,
                           const lmb_transform *local);

#endif
