/// Finds pictures for game formats, whose materials are only names.
#ifndef IO_SURFACE_SHADER_PICTURE_H
#define IO_SURFACE_SHADER_PICTURE_H

#include "base/arena.h"
#include "io/common.h"

/// Finds the picture that a shader's name means, beside the file: under the name itself, without
/// its folders, with another or a further extension, and with "_d" (Doom 3's diffuse maps). Accepts
/// what glTF can hold: PNG, JPEG, WebP, KTX2. `image` gets its bytes, in the arena, or stays
/// without them; then `other` is the name of an existing picture in another format, or NULL. False
/// when memory runs out.
bool lmbi_shader_picture(const lmb_loader *loader, const char *shader, lmbi_arena *arena,
                         lmb_image *image, const char **other);

#endif
