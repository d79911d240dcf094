/// The part of out-of-memory messages that names the cap.
#include "cli/cli.h"
#include "os/paths.h"

#include "limber/os.h"

void cli_memory_hint(char out[64])
{
    const uint64_t most = lmbi_memory_capped();
    out[0] = 0;
    if (most > 0) {
        snprintf(out, 64, " (--max-memory is %.4gM)", (double)most / 1048576);
    }
}
