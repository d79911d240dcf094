/// Requests to the studio's server: what is let through names nothing outside a folder, ends within
/// the bound, and is the same however it comes in.
#include <stdlib.h>
#include <string.h>

#include "cli/studio/request.h"
#include "target.h"

static void check_path(const char *path)
{
    if (strlen(path) > STUDIO_PATH_MOST || path[0] == '/') {
        abort();
    }
    for (const char *at = path; *at != 0; ++at) {
        if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '\\') {
            abort();
        }
    }
    for (const char *at = path; *at != 0;) {
        const size_t part = strcspn(at, "/");
        if (part == 0 || (part <= 2 && strspn(at, ".") == part)) {
            abort();
        }
        at += part + (at[part] == '/');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    studio_request whole = {0}, grown = {0};
    const studio_status status = studio_request_read(data, size, 8017, &whole);
    if (status == STUDIO_OK) {
        check_path(whole.path);
    } else if (status == STUDIO_WAIT && size >= STUDIO_REQUEST_MOST) {
        abort();
    }
    // Byte by byte it is known at its end, and behind that nothing changes it.
    studio_status at_last = STUDIO_WAIT;
    for (size_t come = 0; come <= size && at_last == STUDIO_WAIT && size < 4096; ++come) {
        at_last = studio_request_read(data, come, 8017, &grown);
    }
    if (size < 4096 && (at_last != status || strcmp(whole.path, grown.path) != 0)) {
        abort();
    }
    return 0;
}
