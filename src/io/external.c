#include "io/external.h"

#include <string.h>

enum { NAME_MOST = 1023 };

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static size_t part_size(const char *at)
{
    return strcspn(at, "/\\");
}

/// Whether a plain relative path may not contain the byte. A colon ends a drive or the scheme of a
/// URL, which a loader may follow.
static bool is_bad_byte(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f || c == ':';
}

bool lmbi_external_is_below(const char *name)
{
    if (name[0] == 0 || is_slash(name[0])) {
        return false;
    }
    for (const char *at = name; *at != 0; at += is_slash(*at)) {
        const size_t size = part_size(at);
        if (size == 2 && at[0] == '.' && at[1] == '.') {
            return false;
        }
        for (size_t k = 0; k < size; ++k) {
            if (is_bad_byte(at[k])) {
                return false;
            }
        }
        at += size;
    }
    return true;
}

/// Removes empty parts and ".". False when nothing is left of the name, or it is too long.
static bool make_plain(const char *name, char plain[NAME_MOST + 1])
{
    size_t length = 0;
    for (const char *at = name; *at != 0; at += is_slash(*at)) {
        const size_t size = part_size(at);
        if (size > 0 && !(size == 1 && at[0] == '.')) {
            if (size >= NAME_MOST - length) {
                return false;
            }
            if (length > 0) {
                plain[length++] = '/';
            }
            memcpy(plain + length, at, size);
            length += size;
        }
        at += size;
    }
    plain[length] = 0;
    return length > 0;
}

lmbi_external lmbi_external_load(const lmb_loader *loader, const char *name, lmb_bytes *out)
{
    char plain[NAME_MOST + 1];
    if (!lmbi_external_is_below(name)) {
        return LMBI_EXTERNAL_OUTSIDE;
    }
    if (loader == NULL || loader->load == NULL || !make_plain(name, plain)) {
        return LMBI_EXTERNAL_ABSENT;
    }
    return loader->load(loader->user, plain, out) ? LMBI_EXTERNAL_FOUND : LMBI_EXTERNAL_ABSENT;
}

void lmbi_external_release(const lmb_loader *loader, lmb_bytes bytes)
{
    if (loader->release != NULL) {
        loader->release(loader->user, bytes);
    }
}

const char *lmbi_external_reason(lmbi_external outcome)
{
    return outcome == LMBI_EXTERNAL_OUTSIDE ? "lies outside the file's folder and was not read"
                                            : "was not found";
}
