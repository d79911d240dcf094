/// Common to readers and writers of several formats.
#ifndef IO_COMMON_H
#define IO_COMMON_H

#include "base/arena.h"
#include "base/error.h"
#include "base/scan.h"
#include "base/text.h"
#include "limber/asset.h"
#include "limber/io.h"

/// Fails for input that is not 8-bit text: an empty file, UTF-16, a Git LFS pointer.
lmb_result lmbi_text_check(const void *bytes, size_t size, lmb_error *error);
/// The same, and begins to scan the text.
lmb_result lmbi_text_open(lmbi_scan *scan, const void *bytes, size_t size, lmb_error *error);

/// Fails MALFORMED at `at`, which lies in the text that `start` begins. Line and column are found
/// by scanning from there.
lmb_result lmbi_fail_at(const lmbi_scan *start, const char *at, lmb_error *error,
                        const char *expected);

/// Adds a note; `notes` may be NULL.
void lmbi_note(lmb_notes *notes, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A vector from the file's axes to +Y up, and back; AUTO counts as +Y.
lmb_vec3 lmbi_axis_to_y(lmb_axis up, lmb_vec3 v);
lmb_vec3 lmbi_axis_from_y(lmb_axis up, lmb_vec3 v);
/// A rotation given in the file's axes, expressed in +Y up, and back: C q C^-1 with C the change of
/// axes.
lmb_quat lmbi_axis_quat_to_y(lmb_axis up, lmb_quat q);
lmb_quat lmbi_axis_quat_from_y(lmb_axis up, lmb_quat q);
/// The change of axes of lmbi_axis_to_y as a rotation.
lmb_quat lmbi_axis_rotation(lmb_axis up);

/// sRGB transfer function (IEC 61966-2-1), on [0, 1].
float lmbi_linear_from_srgb(float value);
float lmbi_srgb_from_linear(float value);

/// By falling weight, then by rising joint: a total order, so that rows come out the same everywhere.
static inline bool lmbi_influence_is_before(lmb_influence a, lmb_influence b)
{
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

/// Sorts a vertex's influences in that order. Insertion sort, since rows are short.
void lmbi_influences_sort(lmb_influence *row, uint32_t count);

/// A character of one joint at the origin that carries one mesh. `appearance` may be NULL. Both are
/// copied.
lmb_result lmbi_character_of_mesh(const lmb_mesh *mesh, const lmb_appearance *appearance,
                                  const lmb_allocator *alloc, lmb_character **out,
                                  lmb_error *error);

/// model_from_joint of every joint at rest; NULL on failure. Free with lmbi_free.
lmb_mat4 *lmbi_rest_matrices(const lmb_skeleton *skeleton, const lmb_allocator *alloc);

/// Converts a skeleton and a clip of linear keys in place, from the file's unit and axes. The rest
/// offsets may stand along another axis than the motion: with B the change of axes of the rest pose
/// and C that of the motion, model' = C model B^-1. Where both are the same, this is a plain change
/// of axes.
void lmbi_motion_convert(lmb_skeleton *skeleton, lmb_clip *clip, float unit_m, lmb_axis up,
                         lmb_axis rest_up);

/// A character of that skeleton and, when it has channels, that clip.
lmb_result lmbi_motion_create(const lmb_skeleton *skeleton, const lmb_clip *clip,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

// ---- The parts of a character that a reader could not complete.

/// Adds a channel to the clip: joint, path, width, keys and ticks of `like`, and room in the arena for
/// its values. `clip->channels` has room for it. NULL when out of memory.
lmb_channel *lmbi_clip_add_channel(lmb_clip *clip, const lmb_channel *like, lmbi_arena *arena);

/// Destroys what a definition refers to, when no character could be created from it. Members may be
/// NULL.
void lmbi_character_parts_destroy(const lmb_character *def);

// ---- A set of strings, numbered in order of first appearance. Lookup is by hash table, so
// that a file with as many names as lines does not take quadratic time.

typedef struct lmbi_names {
    lmbi_arena text;
    const char **items; ///< [count]
    size_t count, capacity;
    uint32_t *slots; ///< hash table: index + 1; 0 is empty
    size_t slot_count;
} lmbi_names;

void lmbi_names_init(lmbi_names *names, const lmb_allocator *alloc);
void lmbi_names_free(lmbi_names *names);
/// Index of the word, added when new. -1 when memory ran out.
int32_t lmbi_names_add(lmbi_names *names, lmbi_word word);
/// Index of the word, or -1.
int32_t lmbi_names_find(const lmbi_names *names, lmbi_word word);

// ---- What lmb_content_is asks

bool lmbi_body_model_is(const void *bytes, size_t size);
bool lmbi_marker_npz_is(const void *bytes, size_t size);
bool lmbi_point_cache_is(const void *bytes, size_t size);

#endif
