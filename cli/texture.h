/// Pictures inside characters, decoded for drawing: PNG through libpng, JPEG through libjpeg.
#ifndef LIMBER_CLI_TEXTURE_H
#define LIMBER_CLI_TEXTURE_H

#include "cli.h"

/// The image's pixels, or a picture of 0 x 0 when it has no bytes or they cannot be decoded. Free out->rgba with free.
void cli_texture_decode(const lmb_image *image, lmb_picture *out);

#endif
