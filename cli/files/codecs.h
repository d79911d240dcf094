/// The reader and the writer of each format of characters.
#ifndef LIMBER_CLI_CODECS_H
#define LIMBER_CLI_CODECS_H

#include "cli/cli.h"

typedef lmb_result (*cli_reader)(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                                 cli_source *source, lmb_character **out, lmb_error *error);
typedef lmb_result (*cli_write)(const lmb_character *character, const char *path, lmb_buffer *out,
                                lmb_error *error);

/// What a format can hold; the rest is named when a character has it.
typedef struct cli_writer {
    cli_write write; ///< NULL: the format is not written, or not from characters alone
    bool materials, skins, clips, morphs, skeleton, meshes;
} cli_writer;

/// NULL for formats that are not read as characters.
cli_reader cli_reader_of(cli_format format);
const cli_writer *cli_writer_of(cli_format format);
/// Writes the .mtl that an .obj just written refers to.
cli_exit cli_materials_write(const cli_run *cli, const char *path, const lmb_character *character);

#endif
