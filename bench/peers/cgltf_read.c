// cgltf on the files that gltf_bench reads: parsed, buffers loaded, validated, every accessor unpacked to floats or 32-bit
// indices, everything freed. cgltf_read FILE… prints JSON, processor time, the best of many rounds. Build, with cgltf.h in
// a folder beside the checkout:
//   gcc -std=c17 -O3 -DNDEBUG -march=native -I../peers/cgltf bench/peers/cgltf_read.c -o build/cgltf_read
#define _DEFAULT_SOURCE
#define CGLTF_IMPLEMENTATION
#include "cgltf.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS 0.5

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    *size = fread(bytes, 1, *size, file);
    fclose(file);
    return bytes;
}

static void unpack(const cgltf_data *data)
{
    for (cgltf_size a = 0; a < data->accessors_count; ++a) {
        const cgltf_accessor *accessor = &data->accessors[a];
        const cgltf_size count = cgltf_accessor_unpack_floats(accessor, NULL, 0);
        float *values = malloc(count * sizeof *values + 1);
        if (accessor->type == cgltf_type_scalar &&
            accessor->component_type != cgltf_component_type_r_32f) {
            cgltf_accessor_unpack_indices(accessor, values, sizeof *values, accessor->count);
        } else {
            cgltf_accessor_unpack_floats(accessor, values, count);
        }
        free(values);
    }
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; ++k) {
        size_t size;
        void *bytes = read_file(argv[k], &size);
        double best = 1e9;
        for (const double begun = now(); now() - begun < SECONDS;) {
            const double before = now();
            const cgltf_options options = {0};
            cgltf_data *data = NULL;
            if (cgltf_parse(&options, bytes, size, &data) != cgltf_result_success ||
                cgltf_load_buffers(&options, data, argv[k]) != cgltf_result_success ||
                cgltf_validate(data) != cgltf_result_success) {
                fprintf(stderr, "%s: refused\n", argv[k]);
                break;
            }
            unpack(data);
            cgltf_free(data);
            const double took = now() - before;
            best = took < best ? took : best;
        }
        printf("{\"bench\":\"gltf\",\"input\":\"%s\",\"bytes\":%zu,\"cgltf_ms\":%.4f}\n", argv[k],
               size, 1e3 * best);
        free(bytes);
    }
    return 0;
}
