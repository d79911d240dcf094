/// Opens the files that another one names, in a folder: `{test_folder_load, test_folder_release, folder}` is a loader.
#ifndef TESTS_FOLDER_LOADER_H
#define TESTS_FOLDER_LOADER_H

#include <stdio.h>
#include <stdlib.h>

#include "limber/io.h"
#include "limber/os.h"

static inline bool test_folder_load(void *folder, const char *name, lmb_bytes *out)
{
    char path[1024];
    lmb_file file;
    const int length = snprintf(path, sizeof path, "%s/%s", (const char *)folder, name);
    if (length <= 0 || (size_t)length >= sizeof path ||
        lmb_file_read(path, 0, &file, NULL) != LMB_OK) {
        return false;
    }
    *out = (lmb_bytes){file.data, file.size};
    return true;
}

static inline void test_folder_release(void *folder, lmb_bytes bytes)
{
    (void)folder;
    free((void *)(uintptr_t)bytes.data);
}

#endif
