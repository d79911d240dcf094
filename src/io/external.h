/// Files that another file names, such as an OBJ's .mtl. All readers reach the caller's loader
/// through here, so that names are checked by one function.
#ifndef IO_EXTERNAL_H
#define IO_EXTERNAL_H

#include "limber/io.h"

typedef enum lmbi_external {
    LMBI_EXTERNAL_ABSENT = 0, ///< no loader, or it has no such file
    LMBI_EXTERNAL_OUTSIDE, ///< the name points outside the file's folder: the loader was not asked
    LMBI_EXTERNAL_FOUND,
} lmbi_external;

/// Whether the name, decoded as far as its format encodes names, stays below the file's folder: not
/// empty, relative, without "..", a drive or scheme (any colon), or control characters.
bool lmbi_external_is_below(const char *name);
/// Asks the loader for the name as a plain path: backslashes become slashes, empty parts and "."
/// are removed. Nothing is decoded. `loader` may be NULL. Release bytes that were FOUND with
/// lmbi_external_release.
lmbi_external lmbi_external_load(const lmb_loader *loader, const char *name, lmb_bytes *out);
void lmbi_external_release(const lmb_loader *loader, lmb_bytes bytes);
/// "was not found", or the other reason why it was not loaded, for notes.
const char *lmbi_external_reason(lmbi_external outcome);

#endif
