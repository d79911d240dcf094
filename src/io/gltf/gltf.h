/// The glTF reader's working state, shared by its files. Steps return false after a failure; the
/// result and the error are then set, and whoever called returns false too.
#ifndef IO_GLTF_GLTF_H
#define IO_GLTF_GLTF_H

#include "base/alloc.h"
#include "base/json.h"
#include "io/common.h"

enum {
    LMBI_GLTF_I8 = 5120,
    LMBI_GLTF_U8 = 5121,
    LMBI_GLTF_I16 = 5122,
    LMBI_GLTF_U16 = 5123,
    LMBI_GLTF_U32 = 5125,
    LMBI_GLTF_F32 = 5126,
    LMBI_GLTF_ARRAY_BUFFER = 34962,
    LMBI_GLTF_ELEMENT_ARRAY_BUFFER = 34963,
};

/// A top-level array: its values by index.
typedef struct lmbi_gltf_table {
    const lmbi_json *array; ///< NULL when the file has none
    const lmbi_json **items;
    uint32_t count;
} lmbi_gltf_table;

typedef struct lmbi_gltf_view {
    const uint8_t *data; ///< NULL: the buffer has a length but no bytes (its file is missing)
    size_t size;
    uint32_t stride; ///< 0: tightly packed
} lmbi_gltf_view;

/// Checked against its view: reading `count` elements stays inside.
typedef struct lmbi_gltf_accessor {
    const lmbi_json *json;
    const uint8_t *data; ///< NULL: zeros
    size_t stride;
    uint32_t count;
    uint32_t components; ///< 1..4; 16 for MAT4; 4 and 9 for MAT2 and MAT3
    uint32_t component_type;
    uint32_t component_size;
    bool is_matrix, normalized;
    bool is_missing; ///< its buffer has no bytes: decoding it is an error
    bool is_lossy;   ///< Draco's: its bounds are those before it was compressed
    uint32_t sparse_count;
    uint32_t sparse_index_type;
    const uint8_t *sparse_indices;
    const uint8_t *sparse_values;
} lmbi_gltf_accessor;

typedef struct lmbi_gltf {
    const lmb_allocator *alloc;
    lmbi_arena arena;
    const lmb_gltf_read_opts *opts;
    lmb_error *error;
    lmb_result result;

    const char *text; ///< the JSON
    size_t text_size;
    size_t text_offset; ///< of the JSON in the file
    bool binary;
    lmb_bytes chunk; ///< the GLB's binary chunk
    size_t budget; ///< bytes that may still be decoded, so that a small file cannot exhaust memory
    const lmbi_json *root;

    lmbi_gltf_table buffers, views, accessors, nodes, meshes, skins, animations;
    lmbi_gltf_table materials, textures, images, samplers, scenes;
    lmb_bytes *buffer_bytes; ///< [buffers.count]
    bool *buffer_loaded;     ///< [buffers.count] came from the loader and is released to it
    lmbi_gltf_view *view_items;
    lmbi_gltf_accessor *accessor_items;
    uint32_t *joint_of_node; ///< [nodes.count]
    uint32_t shown_count;    ///< joints of the default scene, which come first

    lmb_character def; ///< assets made so far; destroyed on failure
} lmbi_gltf;

// ---- container.c

/// Splits a GLB, or reads all bytes as text; parses the JSON.
bool lmbi_gltf_open(lmbi_gltf *g, const void *bytes, size_t size);

// ---- fields.c

bool lmbi_gltf_fail_memory(lmbi_gltf *g);
/// MALFORMED at a value: the error states its line, column and JSON path, after `found` unless that
/// is NULL.
bool lmbi_gltf_fail(lmbi_gltf *g, const lmbi_json *value, const char *expected, const char *found);
/// The same with a printf format for what was found.
bool lmbi_gltf_fail_found(lmbi_gltf *g, const lmbi_json *value, const char *expected,
                          const char *found, ...) __attribute__((format(printf, 4, 5)));
/// The same for an accessor of a wrong type or count, which are stated as what was found.
bool lmbi_gltf_fail_accessor(lmbi_gltf *g, const lmbi_json *value, const char *expected,
                             const lmbi_gltf_accessor *found);
bool lmbi_gltf_unsupported(lmbi_gltf *g, const lmbi_json *value, const char *expected,
                           const char *found);
void lmbi_gltf_note(lmbi_gltf *g, const lmbi_json *value, const char *text);
/// Raises the budget by what `input_size` bytes of input may be decoded to.
void lmbi_gltf_budget_add(lmbi_gltf *g, size_t input_size);
/// Subtracts count * element_size bytes from the budget; fails when it is exhausted.
bool lmbi_gltf_spend(lmbi_gltf *g, const lmbi_json *value, size_t count, size_t element_size);
void *lmbi_gltf_array(lmbi_gltf *g, size_t count, size_t size);

bool lmbi_gltf_table_read(lmbi_gltf *g, const lmbi_json *object, const char *key,
                          lmbi_json_type item_type, lmbi_gltf_table *out);
/// The member, or NULL when there is none; fails when it has another type.
bool lmbi_gltf_member(lmbi_gltf *g, const lmbi_json *object, const char *key, lmbi_json_type type,
                      const lmbi_json **out);
bool lmbi_gltf_u32(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t absent,
                   uint32_t *out);
bool lmbi_gltf_required_u32(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t *out);
bool lmbi_gltf_float(lmbi_gltf *g, const lmbi_json *object, const char *key, float absent,
                     float *out);
bool lmbi_gltf_bool(lmbi_gltf *g, const lmbi_json *object, const char *key, bool *out);
/// An index below `count`, or LMB_NONE when absent.
bool lmbi_gltf_index(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t count,
                     int32_t *out);
bool lmbi_gltf_required_index(lmbi_gltf *g, const lmbi_json *object, const char *key,
                              uint32_t count, uint32_t *out);
bool lmbi_gltf_index_value(lmbi_gltf *g, const lmbi_json *value, uint32_t count, uint32_t *out);
/// An array of exactly `count` finite numbers; *present is false when the member is absent.
bool lmbi_gltf_floats(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t count,
                      float *out, bool *present);
/// NULL when absent.
bool lmbi_gltf_string(lmbi_gltf *g, const lmbi_json *object, const char *key, const char **out);

// ---- extensions.c

/// UNSUPPORTED when the file requires an extension without which Limber would read it wrongly.
bool lmbi_gltf_extensions_check(lmbi_gltf *g);
/// The list "extensionsUsed" or "extensionsRequired" as text, without extensions that are dropped.
bool lmbi_gltf_extensions_text(lmbi_gltf *g, const char *key, const char **out);
/// False for an extension that is resolved on reading, or whose data are in buffers, which are not
/// carried.
bool lmbi_gltf_extension_is_carried(const char *name, size_t size);
/// The object's members except those named in `known` (ends with NULL), as JSON object text; NULL
/// when none is left. Extensions that are not carried are left out.
bool lmbi_gltf_carry(lmbi_gltf *g, const lmbi_json *object, const char *const *known,
                     const char **out);
/// The whole value as text without blanks.
bool lmbi_gltf_carry_whole(lmbi_gltf *g, const lmbi_json *value, const char **out);

// ---- packed.c

/// Whether the buffer only stands for what packed views unpack to: its bytes are not needed.
bool lmbi_gltf_is_fallback(lmbi_gltf *g, const lmbi_json *buffer, bool *out);
/// Gives a view without bytes those that meshoptimizer packed, where the file has them.
bool lmbi_gltf_view_unpack(lmbi_gltf *g, const lmbi_json *json, lmbi_gltf_view *view);

// ---- buffers.c, accessor.c

typedef struct lmbi_gltf_uri {
    bool is_data;
    const char *mime; ///< of a data URI; "" when it names none
    uint8_t *bytes;   ///< of a data URI, in the arena
    size_t size;
    const char *name; ///< of another URI: percent-decoded
    bool is_loadable; ///< a plain relative path
} lmbi_gltf_uri;

bool lmbi_gltf_uri_read(lmbi_gltf *g, const lmbi_json *value, lmbi_gltf_uri *out);
bool lmbi_gltf_buffers_read(lmbi_gltf *g);
void lmbi_gltf_buffers_release(lmbi_gltf *g);
bool lmbi_gltf_accessors_read(lmbi_gltf *g);
/// Decodes what accessors without bytes have in meshes that Draco compressed.
bool lmbi_gltf_draco_read(lmbi_gltf *g);
/// Decodes into floats, integers by their normalisation. `out` has accessor->count rows of
/// `components` floats, `stride` floats apart. Fails when a value is not finite.
bool lmbi_gltf_decode_floats(lmbi_gltf *g, const lmbi_gltf_accessor *accessor, float *out,
                             size_t stride);
/// The same, but a value that is not finite becomes 0, with a note.
bool lmbi_gltf_decode_weights(lmbi_gltf *g, const lmbi_gltf_accessor *accessor, float *out,
                              size_t stride);
/// The same numbers as a dense array: the file's own bytes where they are dense floats, else a copy
/// in the arena. Read only. *finite is set if all are finite. NULL after a failure.
const float *lmbi_gltf_view_floats(lmbi_gltf *g, const lmbi_gltf_accessor *accessor, bool *finite);
/// Decodes unsigned integers; `stride` as above.
bool lmbi_gltf_decode_u32(lmbi_gltf *g, const lmbi_gltf_accessor *accessor, uint32_t *out,
                          size_t stride);

// ---- doubts.c

/// Notes `missing` or `wrong` when the accessor's min and max do not match its values (a dense
/// array): viewers frame, cull and time clips by them.
void lmbi_gltf_doubt_bounds(lmbi_gltf *g, const lmbi_gltf_accessor *accessor, const float *values,
                            const char *missing, const char *wrong);
/// Notes joints of a skin outside the scene, and a skin's root that is not above its joints.
void lmbi_gltf_doubt_skin(lmbi_gltf *g, const lmbi_json *json, const lmb_skin *def);

// ---- the parts of a file

bool lmbi_gltf_nodes_read(lmbi_gltf *g);
bool lmbi_gltf_instances_read(lmbi_gltf *g);
bool lmbi_gltf_look_read(lmbi_gltf *g);
/// The MIME type that an image's first bytes indicate; NULL when unknown.
const char *lmbi_gltf_sniff_mime(const uint8_t *bytes, size_t size);
bool lmbi_gltf_meshes_read(lmbi_gltf *g);
bool lmbi_gltf_skins_read(lmbi_gltf *g);
bool lmbi_gltf_clips_read(lmbi_gltf *g);

#endif
