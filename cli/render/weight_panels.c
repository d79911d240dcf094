/// limber render --weights all: a panel for every joint that moves the skin.
#include <stdio.h>
#include <stdlib.h>

#include "cli/render/stage.h"

uint32_t cli_weighted_joints(const lmb_character *c, int32_t *out)
{
    const uint32_t n = c->skeleton->joint_count;
    uint8_t *pulls = cli_resize(NULL, n ? n : 1, 1);
    for (uint32_t j = 0; j < n; ++j) {
        pulls[j] = 0;
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const int32_t skin = c->instances[i].skin;
        const uint32_t items = skin != LMB_NONE && mesh->influences.first
                                   ? mesh->influences.first[mesh->vertex_count]
                                   : 0;
        for (uint32_t k = 0; k < items; ++k) {
            pulls[c->skins[skin]->joints[mesh->influences.items[k].joint]] = 1;
        }
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j < n; ++j) {
        if (pulls[j]) {
            out[count++] = (int32_t)j;
        }
    }
    free(pulls);
    return count;
}

void cli_say_panels(const cli_run *cli, const lmb_skeleton *skeleton, const int32_t *joints,
                    uint32_t count, uint32_t columns)
{
    for (uint32_t row = 0; row * columns < count; ++row) {
        char label[32], line[2048];
        size_t at = 0;
        line[0] = 0;
        for (uint32_t k = row * columns; k < count && k < (row + 1) * columns; ++k) {
            const int wrote = snprintf(line + at, sizeof line - at, "%s%s", at ? ", " : "",
                                       skeleton->names[joints[k]]);
            at += wrote > 0 && (size_t)wrote < sizeof line - at ? (size_t)wrote : 0;
        }
        line[at] = 0;
        snprintf(label, sizeof label, "row %u", row + 1);
        cli_say(cli, label, "%s", line);
    }
}
