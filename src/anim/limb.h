/// The container of .limb files, little-endian, padded to multiples of 4 bytes:
///
///     "LIMB"  u32 version  { u32 tag  u32 needed  u64 size  size bytes, padding } …
///
/// New fields are only ever added at the end of a section: readers ignore what they do not know.
/// `needed` is the version that a reader must support. Readers skip sections with an unknown tag
/// unless `needed` is a later version.
///
///     text    u32 length, bytes, padding
///     SKEL    text name, u32 joints, i32 parents[], f32 rest[][10], text names[], u32 tips (0 or
///     1), f32 tips[][3],
///             u32 limits (0 or 1), limits[]: u32 kind, f32[12], u32 has_box, f32[7]
///     CLIP    text name, f32 ticks_per_s, duration, frame_rate, u32 channels, each: u32 joint,
///     path, interpolation, width, keys,
///             f32 ticks[], values[]
///     PACK    text name, u32 words, words[] (packed.h), u32 exact (0 or 1), a CLIP's fields
#ifndef ANIM_LIMB_H
#define ANIM_LIMB_H

#include "limber/anim.h"

#define LIMB_TAG(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum {
    LIMB_VERSION = 1,
    LIMB_MAGIC = LIMB_TAG('L', 'I', 'M', 'B'),
    LIMB_SKELETON = LIMB_TAG('S', 'K', 'E', 'L'),
    LIMB_CLIP = LIMB_TAG('C', 'L', 'I', 'P'),
    LIMB_PACKED = LIMB_TAG('P', 'A', 'C', 'K'),
    LIMB_LIMIT_FLOATS = 12,
};

#endif
