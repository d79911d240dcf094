// A main for fuzz targets that are built without libFuzzer: runs the target once over every file
// named.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return 1;
    }
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0, got = 0;
    do {
        if (size == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            uint8_t *grown = realloc(data, capacity);
            if (!grown) {
                break;
            }
            data = grown;
        }
        got = fread(data + size, 1, capacity - size, file);
        size += got;
    } while (got > 0);
    fclose(file);
    // An exact-size copy, so that a sanitizer sees a read past the end.
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) {
        for (size_t k = 0; k < size; k++) {
            exact[k] = data[k];
        }
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    return exact ? 0 : 1;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int k = 1; k < argc; k++) {
        failed |= replay(argv[k]);
    }
    return failed;
}
