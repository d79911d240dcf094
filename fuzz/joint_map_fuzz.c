/// Joint maps: what is read must write, and read again the same.
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"
#include "target.h"

static void read_chains(const uint8_t *data, size_t size, const lmb_skeleton *skeleton)
{
    lmb_chain_map map, again;
    lmb_error error;
    lmb_buffer text = {0};
    bool found = false;
    if (lmb_chain_map_find(skeleton, NULL, &map, &error) != LMB_OK) {
        abort();
    }
    const lmb_map_section first = {.skeleton = skeleton, .chains = &map},
                          second = {.skeleton = skeleton, .chains = &again};
    if (lmb_map_read(data, size, "character", &first, NULL, &found, &error) == LMB_OK) {
        memset(&again, 0, sizeof again);
        if (lmb_map_write(&first, NULL, NULL, &text, &error) != LMB_OK ||
            lmb_map_read(text.data, text.size, "character", &second, NULL, &found, &error) !=
                LMB_OK ||
            again.count != map.count) {
            abort();
        }
    }
    lmb_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *body = NULL;
    lmb_joint_map map, again;
    lmb_error error;
    lmb_buffer text = {0};
    bool found = false;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_JUMP, .frame_rate = 12}, NULL,
                          &body, &error) != LMB_OK ||
        lmb_joint_map_make(body->skeleton, NULL, &map, &error) != LMB_OK) {
        abort();
    }
    again = map;
    const lmb_map_section first = {.skeleton = body->skeleton, .joints = &map},
                          second = {.skeleton = body->skeleton, .joints = &again};
    if (lmb_map_read(data, size, "character", &first, NULL, &found, &error) == LMB_OK) {
        if (lmb_map_write(&first, NULL, NULL, &text, &error) != LMB_OK ||
            lmb_map_read(text.data, text.size, "character", &second, NULL, &found, &error) !=
                LMB_OK) {
            abort();
        }
        for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
            if (map.bones[bone].joint != again.bones[bone].joint) {
                abort();
            }
        }
    }
    lmb_buffer_free(&text);
    read_chains(data, size, body->skeleton);
    lmb_character_destroy(body);
    return 0;
}
