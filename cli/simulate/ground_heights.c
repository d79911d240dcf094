#include "cli/simulate/ground_heights.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n >= k && strcasecmp(path + n - k, end) == 0;
}

bool cli_heights_is(const char *path)
{
    return ends_with(path, ".asc") || ends_with(path, ".png");
}

cli_exit cli_heights_read(const cli_run *cli, const char *path, const char *size,
                          lmb_height_field **out)
{
    cli_bytes bytes = {0};
    const bool is_picture = ends_with(path, ".png");
    if (size != NULL && !is_picture) {
        return cli_fail(cli, CLI_USAGE, "--ground-size is for pictures");
    }
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code == CLI_DONE && is_picture) {
        code = cli_ground_picture(cli, path, bytes, size, out);
    } else if (code == CLI_DONE) {
        lmb_error error = {0};
        code = lmb_asc_read(bytes.data, bytes.size, NULL, out, &error) == LMB_OK
                   ? CLI_DONE
                   : cli_fail_file(path, &error);
    }
    free(bytes.data);
    return code;
}
