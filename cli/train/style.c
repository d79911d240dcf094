#include "cli/train/style.h"

#include <stdlib.h>

cli_exit cli_style_read(const char *path, lmb_style **out)
{
    cli_bytes bytes;
    lmb_error error = {0};
    const cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_style_read(bytes.data, bytes.size, NULL, out, &error);
    free(bytes.data);
    return result == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}
