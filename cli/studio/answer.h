/// Requests to the studio's server, answered.
#ifndef LIMBER_CLI_STUDIO_ANSWER_H
#define LIMBER_CLI_STUDIO_ANSWER_H

#include "cli/studio/site.h"
#include "os/server.h"

typedef struct studio_desk {
    studio_site site;
    uint16_t port; ///< where requests come to
} studio_desk;

/// As lmbi_server_def has it; `desk` is a studio_desk.
bool studio_answer(void *desk, const uint8_t *bytes, size_t size, lmbi_answer *out);

#endif
