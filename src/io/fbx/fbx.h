/// The content of an FBX file: a tree of named nodes with values, from either encoding, binary or
/// ASCII.
///
/// The format has no public specification. This reader follows files, the documentation of the FBX
/// SDK and other open readers.
#ifndef IO_FBX_FBX_H
#define IO_FBX_FBX_H

#include "base/arena.h"
#include "base/scan.h"
#include "io/common.h"

#define LMBI_FBX_DEPTH_MAX 64

typedef enum lmbi_fbx_type {
    LMBI_FBX_INTEGER = 0,
    LMBI_FBX_REAL,
    LMBI_FBX_TEXT, ///< a string, raw bytes, or a bare word of ascii files
    LMBI_FBX_ARRAY ///< packed numbers of a binary file
} lmbi_fbx_type;

typedef struct lmbi_fbx_value {
    uint8_t type;   ///< lmbi_fbx_type
    char element;   ///< arrays: 'b' 8 bits, 'i' 32, 'l' 64, 'f' float, 'd' double
    bool deflated;  ///< arrays: a zlib stream
    uint32_t count; ///< arrays: numbers in it
    union {
        int64_t integer;
        double real;
        const uint8_t *bytes; ///< texts and arrays: in the file, or in the arena
    } as;
    size_t size; ///< texts and arrays: bytes
} lmbi_fbx_value;

typedef struct lmbi_fbx_node {
    lmbi_word name;
    const lmbi_fbx_value *values;
    uint32_t value_count;
    struct lmbi_fbx_node *child, *next;
    size_t offset; ///< of the node in the file, for errors
} lmbi_fbx_node;

/// The file and its tree. Everything lies in the arena.
typedef struct lmbi_fbx {
    const lmb_allocator *alloc;
    lmbi_arena arena;
    const uint8_t *bytes;
    size_t size;
    uint32_t version; ///< 7400 for 7.4
    bool ascii;
    lmbi_fbx_node root; ///< its children are the file's top level
    lmb_notes *notes;
    lmb_error *error;
} lmbi_fbx;

/// These fill version and root. The arena must be initialised.
lmb_result lmbi_fbx_parse_binary(lmbi_fbx *fbx);
lmb_result lmbi_fbx_parse_ascii(lmbi_fbx *fbx);
bool lmbi_fbx_is_binary(const uint8_t *bytes, size_t size);

/// Clamps to [0, 1]; NaN becomes 0.
static inline double lmbi_fbx_clamp01(double value)
{
    return value > 0 ? value < 1 ? value : 1 : 0;
}

/// The first child of that name, or NULL. `node` may be NULL.
const lmbi_fbx_node *lmbi_fbx_child(const lmbi_fbx_node *node, const char *name);
bool lmbi_fbx_is(const lmbi_fbx_node *node, const char *name);
/// A scalar as a number; `missing` when there is none at that index.
double lmbi_fbx_number(const lmbi_fbx_node *node, uint32_t index, double missing);
int64_t lmbi_fbx_integer(const lmbi_fbx_node *node, uint32_t index, int64_t missing);
/// A text value; size 0 when there is none at that index.
lmbi_word lmbi_fbx_text(const lmbi_fbx_node *node, uint32_t index);

/// Bytes a number of a packed array, by its letter.
size_t lmbi_fbx_element_size(char element);
/// The node's numbers as an array in the arena, from a packed array, an ASCII array or a list of
/// values. A bare letter counts as its code. A NULL node gives none. MALFORMED when an array does
/// not have the size that it announces.
lmb_result lmbi_fbx_reals(lmbi_fbx *fbx, const lmbi_fbx_node *node, const double **out,
                          size_t *count);
/// The same as integers of 64 bits.
lmb_result lmbi_fbx_integers(lmbi_fbx *fbx, const lmbi_fbx_node *node, const int64_t **out,
                             size_t *count);

/// Fails MALFORMED at a node: states its byte in binary files, its line in ASCII ones.
lmb_result lmbi_fbx_fail(const lmbi_fbx *fbx, const lmbi_fbx_node *node, const char *expected,
                         const char *found, ...) __attribute__((format(printf, 4, 5)));

typedef struct lmbi_fbx_read_opts {
    /// for pictures in other files, asked for without folders; NULL: they keep their names
    const lmb_loader *loader;
    float unit_m;       ///< metres a unit of the file; 0: as GlobalSettings say, else 0.01
    lmb_notes *notes;   ///< filled when not NULL
    lmb_fbx_info *info; ///< filled when not NULL
} lmbi_fbx_read_opts;

/// Reads the skeletal part of an FBX file, binary or ascii, of versions 5000 to 7700: models,
/// polygon meshes, skins, blend shapes, materials with their base colour and its picture, and every
/// animation stack as a clip.
///
/// Every model becomes a joint; pivots, offsets, pre- and post-rotation, and rotation order go into
/// its transform. A model whose children take over its scale axis by axis, or not at all
/// (InheritType 0 and 2), while it is uneven, gets a second joint below, "NAME scale", that carries
/// the scale. Geometric transforms go into the vertices. Vertices keep the order of the file's
/// control points; corners that differ are appended, as lmbi_obj_read does. A vertex without weights
/// follows its mesh's own model. In-between shapes become targets of their own. Axes become +Y up
/// as GlobalSettings say.
///
/// Clips are sampled at the frames of the scene's time mode, at keys between frames, and just
/// before steps; layers are combined, extrapolation applies inside the stack's span. A clip begins
/// at 0; where the stack began later, the clip's extras say so (start_s).
/// Not read: NURBS, patches, geometry caches, constraints, lights, cameras; a skin made for dual
/// quaternions is read as it is and noted.
/// Errors: MALFORMED with byte offset (binary) or line (ascii); UNSUPPORTED for other versions and
/// big-endian files; MEMORY.
/// `opts`, `alloc` and `error` may be NULL.
lmb_result lmbi_fbx_read(const void *bytes, size_t size, const lmbi_fbx_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

#endif
