/// .limb files: a skeleton and its motions, as characters and from them.
#ifndef CLI_LIMB_H
#define CLI_LIMB_H

#include "cli/cli.h"

/// A character without meshes; compressed clips are unpacked, after those that are not.
lmb_result cli_limb_read(cli_bytes bytes, lmb_character **out, lmb_error *error);
/// Clips as keys, exactly.
lmb_result cli_limb_write(const lmb_character *character, lmb_buffer *out, lmb_error *error);
/// Clips compressed within `precision_m` at the skin, or at a shell of 3 cm where there is none.
/// Says what came of each.
cli_exit cli_limb_compress(cli_run *cli, const lmb_character *character, float precision_m,
                           lmb_buffer *out);

/// What `limber info --clips` prints.
cli_exit cli_clips_print(cli_run *cli, const char *path, const lmb_character *character,
                         bool is_limb);

#endif
