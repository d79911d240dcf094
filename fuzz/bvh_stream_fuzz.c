/// A BVH stream in pieces, each behind its length in two bytes, whose highest bit says that it is a
/// datagram; what it makes must be finite.
#include <math.h>
#include <stdlib.h>

#include "io/bvh/stream.h"
#include "limber/limber.h"
#include "target.h"

enum { JOINTS = 4096 };

static void look_at_it(lmbi_bvh_stream *stream, double now)
{
    static lmb_transform pose[JOINTS];
    lmb_character *character = NULL;
    if (lmbi_bvh_stream_character(stream, NULL, &character, NULL) != LMB_OK) {
        return;
    }
    if (character->skeleton->joint_count <= JOINTS && lmbi_bvh_stream_pose(stream, now, pose) &&
        !isfinite(pose[0].translation.x)) {
        abort();
    }
    lmb_character_destroy(character);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmbi_bvh_stream *stream = NULL;
    double now = 0;
    if (lmbi_bvh_stream_create(NULL, NULL, &stream, NULL) != LMB_OK) {
        return 0;
    }
    while (size >= 2) {
        const bool datagram = data[0] & 0x80;
        size_t length = (size_t)(data[0] & 0x7f) << 8 | data[1];
        length = length < size - 2 ? length : size - 2;
        if (lmbi_bvh_stream_receive(stream, data + 2, length, now += 0.01, datagram) > 0 &&
            lmbi_bvh_stream_state(stream).frames < 4) {
            look_at_it(stream, now);
        }
        data += 2 + length;
        size -= 2 + length;
    }
    look_at_it(stream, now);
    lmbi_bvh_stream_destroy(stream);
    return 0;
}
