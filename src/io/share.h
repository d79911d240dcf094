/// What several readers and writers need.
#ifndef IO_SHARE_H
#define IO_SHARE_H

#include "base/error.h"
#include "base/scan.h"
#include "base/text.h"
#include "limber/io.h"

/// Refuses what is no text of one byte a letter: an empty file, UTF-16, a Git LFS pointer.
lmb_result lmbi_text_check(const void *bytes, size_t size, lmb_error *error);

/// Fails MALFORMED at `at`, which lies in the text that `start` begins: finds the line and column
/// by walking there.
lmb_result lmbi_fail_at(const lmbi_scan *start, const char *at, lmb_error *error,
                        const char *expected);

/// Adds a note; `notes` may be NULL.
void lmbi_note(lmb_notes *notes, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// From the file's axes to +Y up, and back; AUTO counts as +Y.
lmb_vec3 lmbi_axis_to_y(lmb_axis up, lmb_vec3 v);
lmb_vec3 lmbi_axis_from_y(lmb_axis up, lmb_vec3 v);

/// sRGB transfer function (IEC 61966-2-1), on [0, 1].
float lmbi_linear_from_srgb(float value);
float lmbi_srgb_from_linear(float value);

/// A character of one joint at the origin that carries one mesh. `look` may be NULL. Both are
/// copied.
lmb_result lmbi_character_of_mesh(const lmb_mesh *mesh, const lmb_appearance *look,
                                  const lmb_allocator *alloc, lmb_character **out,
                                  lmb_error *error);

/// model_from_joint of every joint at rest; NULL on failure. Free with lmbi_free.
lmb_mat4 *lmbi_rest_matrices(const lmb_skeleton *skeleton, const lmb_allocator *alloc);

#endif
