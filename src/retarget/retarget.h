/// Channels of faces.
#ifndef RETARGET_RETARGET_H
#define RETARGET_RETARGET_H

#include "limber/retarget.h"

/// The expression of that name, case-insensitive; VRM 0.x's names ("Joy", "Blink_L", "A") mean VRM
/// 1.0's. LMB_NONE for none.
int32_t lmbi_face_find(const lmb_face *face, const char *name);

/// The weights of one frame: adds values[track_count] of the named tracks to
/// weights[lmb_character_weights], which stay unchanged where no track reaches.
void lmbi_face_weights(const lmb_face *face, const char *const *names, const float *values,
                       uint32_t track_count, const uint32_t *weight_first, float *weights);

#endif
