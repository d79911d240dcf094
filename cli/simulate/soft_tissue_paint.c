/// Softness per vertex from vertex colours or from numbers in a file.
#include "cli/simulate/soft_tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t count_vertices(const soft_tissue_bake *b)
{
    size_t count = 0;
    for (uint32_t k = 0; k < b->part_count; ++k) {
        count += b->parts[k].from->vertex_count;
    }
    return count;
}

static cli_exit read_colors(const cli_run *cli, soft_tissue_bake *b, int channel)
{
    float *out = b->painted;
    bool any = false;
    for (uint32_t k = 0; k < b->part_count; ++k) {
        const lmb_mesh *mesh = b->parts[k].from;
        any = any || mesh->colors[0] != NULL;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            const lmb_vec4 c = mesh->colors[0] != NULL ? mesh->colors[0][v] : (lmb_vec4){0};
            const float rgba[4] = {c.x, c.y, c.z, c.w};
            *out++ = fminf(fmaxf(rgba[channel], 0), 1);
        }
    }
    return any ? CLI_DONE
               : cli_fail(cli, CLI_INPUT, "%s: --soft-paint: expected vertex colours, found none",
                          cli->inputs[0]);
}

/// One number a line; what follows a '#' is no number.
static cli_exit read_numbers(const cli_run *cli, const char *path, const cli_bytes *bytes,
                             float *out, size_t count)
{
    char *text = cli_resize(NULL, bytes->size + 1, 1), *at = text;
    cli_exit code = CLI_DONE;
    size_t found = 0;
    memcpy(text, bytes->data, bytes->size);
    text[bytes->size] = 0;
    for (unsigned line = 1; code == CLI_DONE && *at != 0; ++line) {
        const size_t length = strcspn(at, "\n");
        char *next = at + length + (at[length] == '\n'), *end = NULL;
        at[length] = 0;
        at[strcspn(at, "#")] = 0;
        at += strspn(at, " \t\r");
        if (*at != 0) {
            const double value = strtod(at, &end);
            end += strspn(end, " \t\r");
            if (end == at || *end != 0 || !(value >= 0 && value <= 1)) {
                code =
                    cli_fail(cli, CLI_INPUT, "%s:%u: expected a number of 0 to 1, found \"%.30s\"",
                             path, line, at);
            } else if (found < count) {
                out[found] = (float)value;
            }
            ++found;
        }
        at = next;
    }
    free(text);
    if (code == CLI_DONE && found != count) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected %zu numbers, one a vertex, found %zu", path,
                        count, found);
    }
    return code;
}

cli_exit soft_tissue_bake_painted(const cli_run *cli, soft_tissue_bake *b)
{
    const char *channel = b->opts->soft_paint, *path = b->opts->soft_file;
    if (channel == NULL && path == NULL) {
        return CLI_DONE;
    }
    const size_t count = count_vertices(b);
    b->painted = cli_resize(NULL, count, sizeof *b->painted);
    if (path == NULL) {
        static const char *const names[] = {"red", "green", "blue", "alpha"};
        for (int k = 0; k < 4; ++k) {
            if (strcmp(channel, names[k]) == 0) {
                return read_colors(cli, b, k);
            }
        }
        return cli_fail(cli, CLI_USAGE, "--soft-paint takes red, green, blue or alpha, not %s",
                        channel);
    }
    if (channel != NULL) {
        return cli_fail(cli, CLI_USAGE, "expected one of --soft-paint and --soft-file");
    }
    cli_bytes bytes = {0};
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code == CLI_DONE) {
        code = read_numbers(cli, path, &bytes, b->painted, count);
    }
    free(bytes.data);
    return code;
}
