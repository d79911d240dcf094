/// Texture lookup: bilinear, repeating, sRGB to linear.
#ifndef RENDER_TEXTURE_H
#define RENDER_TEXTURE_H

#include "limber/render.h"

lmb_vec3 lmbi_texture_at(const lmb_picture *texture, lmb_vec2 uv);

#endif
