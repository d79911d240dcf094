/// MD5 (id Software, Doom 3): .md5mesh and .md5anim, text of version 10. Joints of the mesh are in
/// model space, those of the animation in their parent's; +Z up; quaternions without their w.
#ifndef IO_SKINNED_MD5_H
#define IO_SKINNED_MD5_H

#include "io/skinned/skinned.h"

typedef struct lmbi_md5 {
    lmbi_skinned model;
    lmb_transform *bind; ///< [joint_count] model_from_joint
    lmb_notes *notes;
    lmb_error *error;
} lmbi_md5;

// ---- tokens: blanks, line ends and // comments between them

void lmbi_md5_space(lmbi_scan *scan);
/// Fails when the next word is not this one.
lmb_result lmbi_md5_keyword(lmbi_md5 *m, lmbi_scan *scan, const char *word);
/// Consumes the next word if it is this one.
bool lmbi_md5_accept(lmbi_scan *scan, const char *word);
lmb_result lmbi_md5_number(lmbi_md5 *m, lmbi_scan *scan, float *out);
/// A whole number in [low, high].
lmb_result lmbi_md5_integer(lmbi_md5 *m, lmbi_scan *scan, int64_t low, int64_t high, int64_t *out);
/// A keyword and a count of items, each of which takes at least `least` bytes of the file.
lmb_result lmbi_md5_count(lmbi_md5 *m, lmbi_scan *scan, const char *word, size_t least,
                          uint32_t *out);
/// "( a b c )"
lmb_result lmbi_md5_numbers(lmbi_md5 *m, lmbi_scan *scan, float *out, int count);
/// A quoted text, copied to the arena.
lmb_result lmbi_md5_text(lmbi_md5 *m, lmbi_scan *scan, const char **out);
/// "MD5Version 10" and the command line.
lmb_result lmbi_md5_head(lmbi_md5 *m, lmbi_scan *scan);
/// The unit quaternion of x y z, with w <= 0.
lmb_quat lmbi_md5_rotation(const float v[3]);

// ---- files

lmb_result lmbi_md5_read_mesh(lmbi_md5 *m, const void *bytes, size_t size);
/// Adds a clip; its joints must be those of the model, if that has any.
lmb_result lmbi_md5_read_anim(lmbi_md5 *m, const void *bytes, size_t size, lmbi_skinned_clip *out);

#endif
