/// Files that a file names: the only way from a reader to the caller's loader.
#ifndef IO_EXTERNAL_H
#define IO_EXTERNAL_H

#include "limber/io.h"

typedef enum lmbi_external {
    LMBI_EXTERNAL_ABSENT = 0, ///< no loader, or it has no such file
    LMBI_EXTERNAL_OUTSIDE,    ///< the name leads out of the file's folder: the loader was not asked
    LMBI_EXTERNAL_FOUND,
} lmbi_external;

/// Whether the name, decoded as far as its format encodes names, stays below the file's folder: not
/// empty, relative, without "..", a drive or scheme (any colon), or control characters.
bool lmbi_external_is_below(const char *name);
/// Asks the loader for the name as a plain path: slashes for backslashes, without empty parts and
/// ".". Nothing is decoded. `loader` may be NULL. What is FOUND is given back with
/// lmbi_external_release.
lmbi_external lmbi_external_load(const lmb_loader *loader, const char *name, lmb_bytes *out);
void lmbi_external_release(const lmb_loader *loader, lmb_bytes bytes);
/// "was not found" or why else it was not loaded, for notes.
const char *lmbi_external_reason(lmbi_external outcome);

#endif
