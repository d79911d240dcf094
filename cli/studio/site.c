#include "cli/studio/site.h"
#include "os/paths.h"
#include "os/reader.h"

#include "cli/cli.h"

#include "base/hex.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *copy(const char *at, size_t size)
{
    char *out = cli_resize(NULL, size + 1, 1);
    memcpy(out, at, size);
    out[size] = 0;
    return out;
}

void studio_site_start(studio_site *site, const char *page, const char *file)
{
    *site = (studio_site){.page = page, .file = file};
    if (file != NULL) {
        const char *slash = strrchr(file, '/');
        site->name = slash != NULL ? slash + 1 : file;
        site->folder = slash != NULL ? copy(file, (size_t)(slash - file) + 1) : copy("./", 2);
    }
}

void studio_site_end(studio_site *site)
{
    for (size_t k = 0; k < site->named_count; ++k) {
        free(site->named[k]);
    }
    free(site->folder);
}

// ------------------------------------------------------------------------------- who names a file

/// Letters that a longer name would go on with.
static bool is_of_name(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c >= 0x80 || (c != 0 && strchr("_-.%", c) != NULL);
}

/// Where the name ends that begins at `at`, or NULL. A backslash is a slash.
static const char *match(const char *at, const char *end, const char *name)
{
    for (; *name != 0; ++name) {
        if (at == end) {
            return NULL;
        }
        char c = *at++;
        if (c == '%' && end - at >= 2 && lmbi_hex_value(at[0]) >= 0 && lmbi_hex_value(at[1]) >= 0) {
            c = (char)(16 * lmbi_hex_value(at[0]) + lmbi_hex_value(at[1]));
            at += 2;
        }
        if (c != *name && !(c == '\\' && *name == '/')) {
            return NULL;
        }
    }
    return at;
}

bool studio_mentions(const void *text, size_t size, const char *name)
{
    const char *begin = text, *end = begin + size;
    for (const char *at = begin; at < end; ++at) {
        const char *behind =
            at == begin || !is_of_name((unsigned char)at[-1]) ? match(at, end, name) : NULL;
        if (behind != NULL && (behind == end || !is_of_name((unsigned char)*behind))) {
            return true;
        }
    }
    return false;
}

static bool is_given(const studio_site *site, const char *name)
{
    for (size_t k = 0; k < site->named_count; ++k) {
        if (strcmp(site->named[k], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_skeleton_of(const char *name, const char *file)
{
    const char *dot = strrchr(file, '.');
    const size_t stem = dot != NULL ? (size_t)(dot - file) : 0;
    return dot != NULL && strcasecmp(dot, ".amc") == 0 && strncmp(name, file, stem) == 0 &&
           strcasecmp(name + stem, ".asf") == 0;
}

static bool file_mentions(const studio_site *site, const char *by, const char *name)
{
    lmb_file text;
    const bool open = by == NULL ? lmbi_path_kind_of(site->file) == LMB_PATH_FILE &&
                                       lmb_file_read(site->file, 0, &text, NULL) == LMB_OK
                                 : lmb_file_read_below(site->folder, by, 0, &text, NULL) == LMB_OK;
    const bool found = open && studio_mentions(text.data, text.size, name);
    if (open) {
        lmb_file_free(&text);
    }
    return found;
}

static bool is_named(const studio_site *site, const char *name)
{
    bool found =
        is_skeleton_of(name, site->name) || is_given(site, name) || file_mentions(site, NULL, name);
    for (size_t k = 0; k < site->named_count && !found; ++k) {
        found = file_mentions(site, site->named[k], name);
    }
    return found;
}

// ---------------------------------------------------------------------------------------- reading

static lmb_result open_named(studio_site *site, const char *name, lmbi_reader **out)
{
    if (!is_named(site, name)) {
        return LMB_ERROR_MALFORMED;
    }
    const lmb_result result = lmbi_reader_open_below(site->folder, name, out, NULL);
    if (result == LMB_OK && !is_given(site, name) && site->named_count < STUDIO_NAMED_MOST) {
        site->named[site->named_count++] = copy(name, strlen(name));
    }
    return result;
}

static lmb_result open_file(studio_site *site, const char *name, lmbi_reader **out)
{
    if (site->file == NULL) {
        return LMB_ERROR_MALFORMED;
    }
    if (strcmp(name, site->name) != 0) {
        return open_named(site, name, out);
    }
    return lmbi_reader_open(site->file, out, NULL);
}

/// The folder lies flat, and what begins with a dot is not of the page.
static lmb_result open_page(const studio_site *site, const char *name, unsigned codings,
                            lmbi_reader **out, const char **coding)
{
    static const struct {
        unsigned bit;
        const char *end, *name;
    } kinds[] = {{STUDIO_BROTLI, "br", "br"}, {STUDIO_GZIP, "gz", "gzip"}};
    char both[STUDIO_PATH_MOST + 4];
    if (strchr(name, '/') != NULL || name[0] == '.') {
        return LMB_ERROR_MALFORMED;
    }
    name = name[0] != 0 ? name : "index.html";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        snprintf(both, sizeof both, "%s.%s", name, kinds[k].end);
        if ((codings & kinds[k].bit) != 0 &&
            lmbi_reader_open_below(site->page, both, out, NULL) == LMB_OK) {
            *coding = kinds[k].name;
            return LMB_OK;
        }
    }
    return lmbi_reader_open_below(site->page, name, out, NULL);
}

static const char below_file[] = "file/";

bool studio_site_is_page(const char *path)
{
    return strncmp(path, below_file, sizeof below_file - 1) != 0;
}

studio_status studio_site_open(studio_site *site, const char *path, unsigned codings,
                               lmbi_reader **out, const char **coding)
{
    *coding = NULL;
    const lmb_result result = studio_site_is_page(path)
                                  ? open_page(site, path, codings, out, coding)
                                  : open_file(site, path + sizeof below_file - 1, out);
    if (result == LMB_ERROR_MEMORY) {
        return STUDIO_BROKEN;
    }
    return result == LMB_OK ? STUDIO_OK : STUDIO_NOT_FOUND;
}

const char *studio_site_type(const char *path)
{
    static const struct {
        const char *end, *type;
    } types[] = {{"html", "text/html; charset=utf-8"},
                 {"js", "text/javascript"},
                 {"css", "text/css"},
                 {"wasm", "application/wasm"},
                 {"svg", "image/svg+xml"},
                 {"webmanifest", "application/manifest+json"}};
    const char *dot = strrchr(path, '.');
    if (!studio_site_is_page(path)) {
        // Whatever it calls itself, it is nothing that a browser is to run or show.
        return "application/octet-stream";
    }
    for (size_t k = 0; dot != NULL && k < sizeof types / sizeof types[0]; ++k) {
        if (strcmp(dot + 1, types[k].end) == 0) {
            return types[k].type;
        }
    }
    return path[0] == 0 ? types[0].type : "application/octet-stream";
}
