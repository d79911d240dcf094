/// The header of a PLY file, and access to its values in any encoding.
#ifndef IO_SURFACE_PLY_H
#define IO_SURFACE_PLY_H

#include "base/arena.h"
#include "io/common.h"

typedef enum lmbi_ply_type {
    LMBI_PLY_NONE = 0,
    LMBI_PLY_I8,
    LMBI_PLY_U8,
    LMBI_PLY_I16,
    LMBI_PLY_U16,
    LMBI_PLY_I32,
    LMBI_PLY_U32,
    LMBI_PLY_F32,
    LMBI_PLY_F64,
} lmbi_ply_type;

typedef struct lmbi_ply_property {
    lmbi_word name;
    lmbi_ply_type type;
    lmbi_ply_type count_type; ///< type of a list's count; NONE for a scalar
    int field;                ///< the reader's meaning of the property; -1: skipped
    struct lmbi_ply_property *next;
} lmbi_ply_property;

typedef struct lmbi_ply_element {
    lmbi_word name;
    uint64_t count;
    lmbi_ply_property *properties;
    struct lmbi_ply_element *next;
} lmbi_ply_element;

typedef enum lmbi_ply_encoding {
    LMBI_PLY_ASCII = 0,
    LMBI_PLY_LITTLE,
    LMBI_PLY_BIG
} lmbi_ply_encoding;

typedef struct lmbi_ply {
    const uint8_t *bytes;
    size_t size, at; ///< `at` is the position in binary data
    lmbi_scan scan;  ///< the cursor of ascii data
    lmbi_ply_encoding encoding;
    bool row_is_line; ///< ascii data with as many lines as elements: values left on one are extra
    lmbi_ply_element *elements;
    lmbi_arena *arena;
    lmb_error *error;
} lmbi_ply;

/// Reads up to and including end_header. Counts are checked against the number of bytes that
/// follow.
lmb_result lmbi_ply_header(lmbi_ply *ply, const void *bytes, size_t size);

/// Reads the next value of that type. False at the end of the data, or at a word that is not a
/// number.
bool lmbi_ply_value(lmbi_ply *ply, lmbi_ply_type type, double *value);

/// Ends the row of an element. True when values were left on its line, which the header does not
/// name.
bool lmbi_ply_end_row(lmbi_ply *ply);

/// Fails MALFORMED at the next value.
lmb_result lmbi_ply_fail(lmbi_ply *ply, const char *expected);

#endif
