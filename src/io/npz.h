/// NumPy archives: arrays by name.
#ifndef IO_NPZ_H
#define IO_NPZ_H

#include "limber/io.h"

typedef enum lmbi_number_type {
    LMBI_NUMBER_FLOAT = 0, ///< 2, 4 or 8 bytes
    LMBI_NUMBER_SIGNED,    ///< 1, 2, 4 or 8 bytes
    LMBI_NUMBER_UNSIGNED,
    LMBI_NUMBER_BOOL,   ///< 1 byte
    LMBI_NUMBER_TEXT,   ///< UTF-32 ("U"), zeros at the end
    LMBI_NUMBER_BYTES,  ///< 8-bit text ("S"), zeros at the end
    LMBI_NUMBER_OBJECT, ///< pickled Python objects, which are not read
    LMBI_NUMBER_OTHER,  ///< dates, records, complex numbers
} lmbi_number_type;

#define LMBI_ARRAY_DIMENSIONS 8

typedef struct lmbi_npz_array {
    const char *name; ///< without ".npy"
    lmbi_number_type type;
    uint32_t item_size; ///< bytes
    bool big_endian;
    bool column_major;        ///< the first index runs fastest ("fortran_order")
    uint32_t dimension_count; ///< 0: a single value
    uint64_t shape[LMBI_ARRAY_DIMENSIONS];
    size_t count;        ///< of items: the product of the shape
    const uint8_t *data; ///< [count * item_size]; NULL for objects and others
} lmbi_npz_array;

/// The arrays of a .npz, or the one of a .npy under the name "".
typedef struct lmbi_npz {
    uint32_t array_count;
    lmbi_npz_array *arrays; ///< in the order of the archive's directory
    lmb_allocator allocator;
} lmbi_npz;

/// Reads a .npz (a ZIP archive, also ZIP64, of stored or deflated .npy) or a .npy, versions 1 to 3.
/// Members that are not arrays are skipped. Errors: MALFORMED with the byte of the file, or, for a
/// header inside an archive, with the member named; UNSUPPORTED for encrypted members and other
/// compression methods; MEMORY. `alloc` and `error` may be NULL.
lmb_result lmbi_npz_read(const void *bytes, size_t size, const lmb_allocator *alloc, lmbi_npz **out,
                         lmb_error *error);

/// The same for the arrays of these names only, each once: other members are neither unpacked nor
/// listed, and errors in them do not matter. A .npy is read whatever the names are.
lmb_result lmbi_npz_read_named(const void *bytes, size_t size, const char *const *names,
                               size_t name_count, const lmb_allocator *alloc, lmbi_npz **out,
                               lmb_error *error);
void lmbi_npz_destroy(lmbi_npz *npz);

/// The array of that name, or NULL.
const lmbi_npz_array *lmbi_npz_find(const lmbi_npz *npz, const char *name);

/// Item k in C order (the last index runs fastest), k < count, as a number. Numeric types only.
double lmbi_npz_number(const lmbi_npz_array *array, size_t k);

/// All items in C order, out[count]. Numeric types only.
void lmbi_npz_floats(const lmbi_npz_array *array, float *out);

/// FLOAT, SIGNED, UNSIGNED or BOOL.
bool lmbi_npz_is_numeric(const lmbi_npz_array *array);

#endif
