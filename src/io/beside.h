/// Files that a file names: the only way from a reader to the caller's loader.
#ifndef IO_BESIDE_H
#define IO_BESIDE_H

#include "limber/io.h"

typedef enum lmbi_beside {
    LMBI_BESIDE_ABSENT = 0, ///< no loader, or it has no such file
    LMBI_BESIDE_OUTSIDE,    ///< the name leads out of the file's folder: the loader was not asked
    LMBI_BESIDE_FOUND,
} lmbi_beside;

/// Whether the name, decoded as far as its format encodes names, stays below the file's folder: not
/// empty, relative, without "..", a drive or scheme (any colon), or control characters.
bool lmbi_beside_is_below(const char *name);
/// Asks the loader for the name as a plain path: slashes for backslashes, without empty parts and
/// ".". Nothing is decoded. `loader` may be NULL. What is FOUND is given back with
/// lmbi_beside_release.
lmbi_beside lmbi_beside_load(const lmb_loader *loader, const char *name, lmb_bytes *out);
void lmbi_beside_release(const lmb_loader *loader, lmb_bytes bytes);
/// "was not found" or why else it was not loaded, for notes.
const char *lmbi_beside_reason(lmbi_beside outcome);

#endif
