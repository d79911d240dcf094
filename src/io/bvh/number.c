/// A number of a BVH file, with a comma for its point where the file is said to have them.
#include <string.h>

#include "base/number.h"
#include "io/bvh/bvh.h"

bool lmbi_bvh_number(const lmbi_bvh *bvh, lmbi_scan *scan, double *value)
{
    lmbi_scan_blanks(scan);
    const char *after = lmbi_number_read(scan->at, scan->end, value);
    if (bvh->decimal_comma && after < scan->end && *after == ',') {
        char copy[64];
        lmbi_scan peek = *scan;
        const lmbi_word word = lmbi_scan_word(&peek);
        if (word.size >= sizeof copy) {
            return false;
        }
        memcpy(copy, word.at, word.size);
        char *comma = memchr(copy, ',', word.size);
        *comma = '.';
        after = scan->at + (lmbi_number_read(copy, copy + word.size, value) - copy);
    }
    if (after == scan->at ||
        (after < scan->end && (unsigned char)*after > ' ' && *after != '{' && *after != '}')) {
        return false;
    }
    scan->at = after;
    return true;
}
