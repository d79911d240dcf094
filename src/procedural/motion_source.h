/// A motion while its text is read.
#ifndef PROCEDURAL_MOTION_SOURCE_H
#define PROCEDURAL_MOTION_SOURCE_H

#include "base/scan.h"
#include "procedural/motion_text.h"

typedef struct lmbi_motion_raw_key {
    lmbi_motion_key key;
    uint16_t row, side;
    bool holds; ///< from `pose`: for the whole motion
} lmbi_motion_raw_key;

typedef struct lmbi_motion_source {
    lmb_motion *motion;
    const lmb_allocator *alloc;
    lmbi_scan scan;
    const char *text;
    size_t size;
    bool has_body, has_base;
    lmbi_motion_raw_key *keys;
    size_t key_count, key_room;
    /// The driver program: a line of parameters, then the text with all but its expressions blank,
    /// so that lines and columns stay.
    char *program;
    size_t prefix;
    lmbi_motion_wave waves[LMBI_MOTION_WAVES];
} lmbi_motion_source;

typedef struct lmbi_motion_bone {
    lmbi_word name;
    bool is_sided, sides[2];
} lmbi_motion_bone;

/// The next word of the line, consumed; false at its end or at a comment.
bool lmbi_motion_next_word(lmbi_scan *scan, lmbi_word *out);
/// A bone's name, with .l or .r where it is of one side. `before` is where errors point.
lmb_result lmbi_motion_read_bone(lmbi_motion_source *s, lmbi_word word, const lmbi_scan *before,
                                 lmbi_motion_bone *out, lmb_error *error);
/// -1 where that body has no such channel.
int lmbi_motion_find_row(const lmbi_motion_source *s, lmbi_word bone, lmbi_word field);
/// Sorts keys into tracks; a motion that plays once starts and ends at rest where no key says else.
lmb_result lmbi_motion_build_tracks(lmbi_motion_source *s, lmb_error *error);

lmb_result lmbi_motion_start_program(lmbi_motion_source *s, lmb_error *error);
/// Takes bytes of the text into the program, at their position.
void lmbi_motion_copy_program(lmbi_motion_source *s, const char *from, size_t size);
/// `wave BONE FIELD = EXPRESSION`, from after the first word, which `before` stands at.
lmb_result lmbi_motion_read_wave(lmbi_motion_source *s, const lmbi_scan *before, lmb_error *error);
lmb_result lmbi_motion_compile(lmbi_motion_source *s, lmb_error *error);

#endif
