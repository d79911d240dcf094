/// Clips of keys that a person sets, as text and back.
#ifndef ANIM_KEYS_H
#define ANIM_KEYS_H

#include "anim/mix.h"
#include "base/arena.h"
#include "base/json.h"
#include "limber/anim.h"

enum { LMBI_KEYS_MOST = 10000 };
/// Keys nearer to each other, in seconds, are one.
#define LMBI_KEYS_NEAR 1e-4f
/// The last time that a key may have, in seconds.
#define LMBI_KEYS_LONGEST 1e5f
/// Largest magnitude of another number: its square is a float too.
#define LMBI_KEYS_FARTHEST 1e9f

/// Reads the text; arrays and names are in the arena. Errors as lmb_keys_apply.
lmb_result lmbi_keys_read(lmbi_arena *arena, const lmb_character *character, const void *text,
                          size_t size, lmb_keys *out, lmb_keys_report *report, lmb_error *error);
/// Makes the clip of keys that all are given, with the morph weights of `from`, unless that is NULL.
/// Errors: MEMORY.
lmb_result lmbi_keys_clip(const lmb_skeleton *skeleton, const lmb_keys *keys,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

/// Room for [key_count][joint_count] poses, or NULL.
static inline lmb_transform *lmbi_keys_poses(lmbi_arena *arena, size_t key_count,
                                             size_t joint_count)
{
    return joint_count <= SIZE_MAX / key_count
               ? lmbi_arena_array(arena, key_count * joint_count, sizeof(lmb_transform))
               : NULL;
}
/// Whether the bytes are UTF-8.
static inline bool lmbi_keys_is_text(const char *at, const char *end)
{
    size_t length = 1;
    for (; at < end && length > 0; at += length) {
        length = lmbi_utf8_length(at, end);
    }
    return length > 0;
}
/// Of a rotation and its negative the one that a text has.
static inline lmb_quat lmbi_keys_rotation(lmb_quat q)
{
    return lmbi_quat_align(lmb_quat_identity(), q);
}

/// In-tangent, value and out-tangent of a key of a smooth rotation.
typedef struct lmbi_rotation_key {
    lmb_quat in, value, out;
} lmbi_rotation_key;

static inline lmbi_rotation_key *lmbi_rotation_key_of(const lmb_channel *channel, uint32_t key)
{
    return (lmbi_rotation_key *)(void *)(channel->values + (size_t)12 * key);
}
static inline bool lmbi_has_slopes(const lmb_channel *channel)
{
    return channel->path == LMB_PATH_ROTATION && channel->interpolation == LMB_CUBIC;
}

#endif
