/// The face as the extensions of VRM files describe it.
#ifndef RETARGET_VRM_H
#define RETARGET_VRM_H

#include "limber/retarget.h"
#include "mapping/vrm.h"

/// VRM 1.0's name for an expression of VRM 0.x; the name itself when it is none. Case of presets is
/// put right.
const char *lmbi_expression_name(const char *name);
bool lmbi_expression_is_preset(const char *name);

/// Parts of a face that expressions override.
enum { LMBI_FACE_MOUTH, LMBI_FACE_BLINK, LMBI_FACE_LOOK, LMBI_FACE_PARTS };

/// How far an expression of that value is there by itself: limited, and all or nothing where it is
/// binary.
float lmbi_expression_output(const lmb_expression *e, float value);
/// Adds how far it overrides each part of the face.
void lmbi_face_add_overrides(const lmb_expression *e, float value, float amounts[LMBI_FACE_PARTS]);
/// What is left of its output where others override it by so much.
float lmbi_face_overridden(const lmb_expression *e, const float amounts[LMBI_FACE_PARTS],
                           float value);
/// From what is left of all expressions of a face to what they were; one of which nothing is left
/// stays 0.
void lmbi_face_undo_overrides(const lmb_face *face, float *values);

/// Adds to a clip that was made for `target` what a clip of `source` does with the face, as far as
/// the target has it: the clip is replaced. The report has what it needs and gets what was done.
lmb_result lmbi_face_carry(const lmb_character *target, const lmb_character *source, uint32_t clip,
                           const lmb_allocator *alloc, lmb_clip **made, lmb_retarget_report *report,
                           lmb_error *error);

/// How a joint stands in the model at rest; LMB_NONE: not turned.
lmb_quat lmbi_rest_turn(const lmb_skeleton *skeleton, int32_t joint);
/// Whether a clip turns the eyes of the face.
bool lmbi_eyes_move(const lmb_face *face, const lmb_clip *clip);
/// Where eyes look that are turned so in a pose, by the face's ranges: to the left and up, the mean
/// of what either eye says. Both must be there.
lmb_vec2 lmbi_gaze_of_eyes(const lmb_face *face, const lmb_skeleton *skeleton,
                           const lmb_transform *local);

#endif
