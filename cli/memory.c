/// How much memory a command may use: what --max-memory says, else a budget by the size of its
/// inputs. A small file that asks for gigabytes is damaged, or was made to harm.
#include "cli/cli.h"
#include "os/paths.h"

#include "limber/os.h"

#include <stdlib.h>
#include <string.h>

/// The budget: the work of any command on a small input, what a thread takes for itself, and what
/// becomes of the bytes of an input.
#define BASE_BYTES ((uint64_t)3 << 30)
#define THREAD_BYTES ((uint64_t)32 << 20)
#define TIMES_INPUT 512u
#define LEAST_BYTES ((uint64_t)16 << 20)

/// "2G", "512M", "1.5G", a number of bytes; 0 for "none". False for anything else.
static bool read_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    if (strcmp(text, "none") == 0) {
        *out = 0;
        return true;
    }
    double size = strtod(text, &end);
    const char *unit = end != text && *end != 0 ? strchr(units, *end & ~0x20) : NULL;
    for (const char *u = units; unit != NULL && u <= unit; ++u) {
        size *= 1024;
    }
    end += unit != NULL;
    end += unit != NULL && (*end == 'B' || *end == 'b');
    *out = size >= 1 && size < 1e18 ? (uint64_t)size : 0;
    return end != text && *end == 0 && *out >= LEAST_BYTES;
}

static uint64_t usual_size(const cli_run *cli)
{
    const uint64_t threads = cli->thread_count > 0 ? (uint64_t)cli->thread_count : lmb_core_count();
    uint64_t inputs = 0;
    for (int k = 0; k < cli->input_count; ++k) {
        const uint64_t size = lmbi_file_size(cli->inputs[k]);
        inputs += size < UINT64_MAX / TIMES_INPUT / 1024 ? size : 0;
    }
    return BASE_BYTES + threads * THREAD_BYTES + inputs * TIMES_INPUT;
}

cli_exit cli_memory_start(const cli_run *cli)
{
    uint64_t size = usual_size(cli);
    if (cli->max_memory != NULL && !read_size(cli->max_memory, &size)) {
        return cli_fail(cli, CLI_USAGE,
                        "--max-memory: expected a size of at least 16M, such as 500M or 2G, or "
                        "none, found \"%s\"",
                        cli->max_memory);
    }
    // What cannot be capped here (a system without it) goes without.
    (void)lmbi_memory_cap(size > 0 ? size : UINT64_MAX);
    return CLI_DONE;
}
