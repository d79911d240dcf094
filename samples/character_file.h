/// A character of a glTF file and back, for samples that are about something else.
#ifndef SAMPLES_CHARACTER_FILE_H
#define SAMPLES_CHARACTER_FILE_H

#include "limber/limber.h"
#include "limber/os.h"

/// NULL when there is none; lmb_character_destroy.
static inline lmb_character *read_character(const char *path)
{
    lmb_file file = {0};
    lmb_character *character = NULL;
    if (lmb_file_read(path, 0, &file, NULL) == LMB_OK) {
        (void)lmb_gltf_read(file.data, file.size, NULL, NULL, &character, NULL);
    }
    lmb_file_free(&file);
    return character;
}

static inline bool write_character(const lmb_character *character, const char *path)
{
    lmb_buffer bytes = {0};
    const bool done = lmb_gltf_write(character, NULL, NULL, &bytes, NULL) == LMB_OK &&
                      lmb_file_write(path, bytes.data, bytes.size, NULL) == LMB_OK;
    lmb_buffer_free(&bytes);
    return done;
}

#endif
