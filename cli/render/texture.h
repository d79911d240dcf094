/// Pictures inside characters, decoded for drawing: PNG through libpng, JPEG through libjpeg.
#ifndef LIMBER_CLI_TEXTURE_H
#define LIMBER_CLI_TEXTURE_H

#include "cli/cli.h"

typedef struct cli_textures {
    uint32_t count;
    /// [image_count of the look]; 0 x 0 where there are no bytes or they cannot be decoded
    lmb_picture *pictures;
} cli_textures;

/// Decodes a PNG or JPEG, taking its pixels' bytes from the budget. False for what is neither, is
/// damaged or has more; an image without bytes is 0 x 0. Free `rgba`.
bool cli_texture_decode(const lmb_image *image, uint64_t *budget, lmb_picture *out);
/// Decodes every image of a look, which may be NULL, within a budget by the size of their files;
/// warns about those that are left out. Free with cli_textures_end.
void cli_textures_start(const cli_run *cli, cli_textures *textures, const lmb_appearance *look);
void cli_textures_end(cli_textures *textures);

#endif
