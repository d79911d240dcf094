/// What a program that runs on two machines has made: natively it goes to stdout, in WebAssembly it
/// is left in memory for the test that compares the two.
#ifndef TESTS_WASM_OUTPUT_H
#define TESTS_WASM_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *output;
static size_t output_size, output_capacity;

static void put(const void *bytes, size_t size)
{
    if (output_capacity - output_size < size) {
        const size_t capacity = 2 * output_capacity + size;
        uint8_t *grown = realloc(output, capacity);
        if (!grown) {
            abort();
        }
        output = grown;
        output_capacity = capacity;
    }
    if (size > 0) {
        memcpy(output + output_size, bytes, size);
    }
    output_size += size;
}

static void put_float(float x)
{
    put(&x, sizeof x);
}

#ifndef __wasm__
/// Writes and frees it. The program's exit code.
static int output_print(void)
{
    const bool written = fwrite(output, 1, output_size, stdout) == output_size;
    free(output);
    return written && fflush(stdout) == 0 ? 0 : 1;
}
#endif

#endif
