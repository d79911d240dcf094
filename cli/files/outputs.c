/// Checks of output names before a command works.
#include "cli/cli.h"
#include "cli/files/codecs.h"
#include "cli/files/markers.h"

#include <string.h>
#include <strings.h>

/// Pipes and devices have no extension to name a format.
static bool is_nameless(const char *path)
{
    return strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0;
}

bool cli_has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), tail = strlen(extension);
    return length >= tail && strcasecmp(path + length - tail, extension) == 0;
}

/// Whether one of the words ("OUT.png|.gif|.mp4" has three) ends as the path does.
static bool lists(const char *words, const char *path)
{
    for (const char *at = strchr(words, '.'); at != NULL; at = strchr(at + 1, '.')) {
        char extension[16] = {0};
        const size_t length = strcspn(at, "|");
        memcpy(extension, at, length < sizeof extension ? length : sizeof extension - 1);
        if (cli_has_extension(path, extension)) {
            return true;
        }
    }
    return false;
}

static cli_exit refuse(const cli_run *cli, const char *path, const char *words)
{
    char list[80];
    snprintf(list, sizeof list, "%s", strchr(words, '.'));
    for (char *at = list; *at != 0; ++at) {
        *at = *at == '|' ? ' ' : *at;
    }
    return cli_fail(cli, CLI_USAGE, "%s: the extension names no format; there are %s", path, list);
}

cli_exit cli_output_format(const cli_run *cli, const char *path, const char *fallback,
                           cli_format *out)
{
    char name[16];
    snprintf(name, sizeof name, "x.%s", fallback);
    *out = cli_format_of_name(is_nameless(path) ? name : path);
    if (*out == CLI_UNKNOWN) {
        return refuse(cli, path, ".glb .gltf .vrm .vrma .obj .ply .bvh .limb .c3d .trc .csv .npz");
    }
    if (cli_writer_of(*out)->write == NULL && !cli_format_is_markers(*out)) {
        return cli_fail(cli, CLI_UNSUPPORTED, "not supported: writing %s", cli_format_name(*out));
    }
    return CLI_DONE;
}

cli_exit cli_output_check(const cli_run *cli, const char *path)
{
    const char *words = cli->command->output;
    cli_format format;
    if (is_nameless(path) || lists(words, path)) {
        return CLI_DONE;
    }
    // Commands that write .glb write every character format, although --help lists the usual ones.
    return lists(words, ".glb") ? cli_output_format(cli, path, "glb", &format)
                                : refuse(cli, path, words);
}
