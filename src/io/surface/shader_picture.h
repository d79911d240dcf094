/// Pictures of game formats, whose materials are names alone.
#ifndef IO_SURFACE_SHADER_PICTURE_H
#define IO_SURFACE_SHADER_PICTURE_H

#include "base/arena.h"
#include "io/common.h"

/// Looks for the picture that a shader's name means, beside the file: the name as it is, without
/// its folders, with another or a further extension, with "_d" (as Doom 3 has its diffuse maps).
/// Taken is what glTF can hold: PNG, JPEG, WebP, KTX2. `image` gets its bytes, in the arena, or
/// stays without them; then `other` is the name of a picture of another kind that was there, or
/// NULL. False when memory runs out.
bool lmbi_shader_picture(const lmb_loader *loader, const char *shader, lmbi_arena *arena,
                         lmb_image *image, const char **other);

#endif
