/// C3D (the biomechanics community's format, documented at c3d.org): a header of 256 words,
/// parameters in named groups, and frames of points and analog samples, in the number format of the
/// machine that wrote it.
#ifndef IO_MOCAP_C3D_H
#define IO_MOCAP_C3D_H

#include "base/arena.h"
#include "io/common.h"

enum { LMBI_C3D_BLOCK = 512 };

/// Number formats: the fourth byte of the parameters.
typedef enum lmbi_c3d_machine {
    LMBI_C3D_INTEL = 84,
    LMBI_C3D_DEC = 85,  ///< little-endian integers, VAX floats
    LMBI_C3D_MIPS = 86, ///< big-endian
} lmbi_c3d_machine;

typedef struct lmbi_c3d_param {
    lmbi_word group, name;
    int type;       ///< bytes an item: 1, 2 or 4; -1 for letters
    uint32_t count; ///< of items
    uint32_t first; ///< dimension 0: the length of a text; else 1
    const uint8_t *data;
} lmbi_c3d_param;

typedef struct lmbi_c3d {
    const uint8_t *bytes;
    size_t size;
    lmbi_c3d_machine machine;
    lmbi_c3d_param *params;
    uint32_t param_count;
} lmbi_c3d;

uint32_t lmbi_c3d_u16(const lmbi_c3d *c3d, const uint8_t *at);
int32_t lmbi_c3d_i16(const lmbi_c3d *c3d, const uint8_t *at);
float lmbi_c3d_float(const lmbi_c3d *c3d, const uint8_t *at);

/// Checks the key, finds the number format and lists the parameters, in `arena`.
lmb_result lmbi_c3d_open(lmbi_c3d *c3d, lmbi_arena *arena, const void *bytes, size_t size,
                         lmb_notes *notes, lmb_error *error);
/// ASCII case ignored. NULL when there is none.
const lmbi_c3d_param *lmbi_c3d_find(const lmbi_c3d *c3d, const char *group, const char *name);
/// Item k as a number, integers unsigned where `positive`; `otherwise` when the item does not
/// exist, is text or is not finite.
double lmbi_c3d_number(const lmbi_c3d *c3d, const lmbi_c3d_param *param, uint32_t k, bool positive,
                       double otherwise);
/// Text k of a parameter of texts, without blanks and zeros at its end; size 0 when it does not
/// exist.
lmbi_word lmbi_c3d_text(const lmbi_c3d_param *param, uint32_t k);
uint32_t lmbi_c3d_text_count(const lmbi_c3d_param *param);

/// The points that are marker positions, and their labels.
typedef struct lmbi_c3d_labels {
    uint32_t count;
    uint32_t *kept; ///< [count] the file's numbers of the points
    const char **names;
    const char *other; ///< the label of the first point that is left out, or NULL
} lmbi_c3d_labels;

/// In `arena`. False when memory runs out.
bool lmbi_c3d_labels_read(const lmbi_c3d *c3d, lmbi_arena *arena, uint32_t point_count,
                          lmbi_c3d_labels *out);

/// Where analog samples lie in the frames.
typedef struct lmbi_c3d_frames {
    const uint8_t *data; ///< the first frame
    size_t frame_size;   ///< bytes
    size_t analog_at;    ///< bytes into a frame
    uint32_t analog_words;
    bool integers;
} lmbi_c3d_frames;

/// Reads analog channels, in their own units, into the draft's frames. False when memory runs out.
bool lmbi_c3d_read_analog(const lmbi_c3d *c3d, lmbi_arena *arena, const lmbi_c3d_frames *frames,
                          lmb_markers *draft);
/// Reads events from the EVENT group, else from the header. Needs the draft's frame rate and first
/// frame. False when memory runs out.
bool lmbi_c3d_read_events(const lmbi_c3d *c3d, lmbi_arena *arena, lmb_markers *draft);

#endif
