/// What the studio's server has to give: the page, a file, and those that the file names.
#ifndef LIMBER_CLI_STUDIO_SITE_H
#define LIMBER_CLI_STUDIO_SITE_H

#include "cli/studio/request.h"
#include "os/reader.h"

#include "limber/os.h"

enum { STUDIO_NAMED_MOST = 256 };

typedef struct studio_site {
    const char *page;               ///< its folder
    const char *file;               ///< the path of the file that is open; NULL: none
    const char *name;               ///< the end of it
    char *folder;                   ///< what is before that; free
    char *named[STUDIO_NAMED_MOST]; ///< names that were given out; free
    size_t named_count;
} studio_site;

/// `page` and `file` live as long as the site.
void studio_site_start(studio_site *site, const char *page, const char *file);
void studio_site_end(studio_site *site);

/// What stands at a path of a request: "" and "NAME" are files of the page's folder; "file/NAME" is
/// the open file, a file beside or below it whose name stands in its text or in that of one that was
/// given out before (the pictures of an .mtl), or the .asf of an .amc. No symbolic link is followed
/// but the user's own to the file. STUDIO_OK, STUDIO_NOT_FOUND, or STUDIO_BROKEN when out of memory.
/// Of a file of the page, NAME.br or NAME.gz is given where `codings` has that coding and the file is
/// there; `coding` is its name in HTTP, or NULL.
studio_status studio_site_open(studio_site *site, const char *path, unsigned codings,
                               lmbi_reader **out, const char **coding);
/// Whether the path leads to the page's folder and not to the user's files.
bool studio_site_is_page(const char *path);
/// What a browser takes a path for.
const char *studio_site_type(const char *path);

/// Whether the name stands in the text as a word of its own, in plain letters or percent-encoded,
/// with slashes or backslashes.
bool studio_mentions(const void *text, size_t size, const char *name);

#endif
