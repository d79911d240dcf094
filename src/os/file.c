#include "limber/os.h"
#include "os/reader.h"

#include <stdlib.h>
#include <string.h>

void lmb_file_free(lmb_file *file)
{
    free(file->data);
    *file = (lmb_file){0};
}

bool lmbi_file_is_lfs_pointer(const void *bytes, size_t size)
{
    static const char start[] = "version https://git-lfs.github.com/spec/";
    return size >= sizeof(start) - 1 && memcmp(bytes, start, sizeof(start) - 1) == 0;
}
