/// VMC: datagrams one after the other, each behind its length in two bytes; what they make must be
/// finite and write again.
#include <math.h>
#include <stdlib.h>

#include "io/stream/vmc.h"
#include "limber/limber.h"
#include "target.h"

enum { FRAMES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lmb_vmc_frame frames[FRAMES];
    static uint8_t packet[LMB_VMC_PACKET];
    lmbi_vmc *vmc = NULL;
    uint32_t count = 0;
    double now = 0;
    if (lmbi_vmc_create(0, NULL, &vmc, NULL) != LMB_OK) {
        return 0;
    }
    while (size >= 2) {
        size_t length = (size_t)data[0] << 8 | data[1];
        length = length < size - 2 ? length : size - 2;
        (void)lmbi_vmc_receive(vmc, data + 2, length, now += 0.01);
        while (count < FRAMES && lmbi_vmc_next(vmc, &frames[count])) {
            if (lmb_vmc_write(&frames[count], packet, sizeof packet) == 0) {
                abort();
            }
            ++count;
        }
        lmb_vmc_frame shown;
        if (lmbi_vmc_play(vmc, now, &shown) && !isfinite(shown.root.translation.x)) {
            abort();
        }
        data += 2 + length;
        size -= 2 + length;
    }
    lmb_character *character = NULL;
    if (lmb_vmc_character(frames, count, NULL, &character, NULL) == LMB_OK) {
        lmb_character_destroy(character);
    }
    lmbi_vmc_destroy(vmc);
    return 0;
}
