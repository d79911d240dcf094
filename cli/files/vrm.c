#include "cli/files/vrm.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    lmb_vrm_permit permit;
} permits[] = {{"everyone", LMB_VRM_EVERYONE},
               {"licensed", LMB_VRM_LICENSED},
               {"profit", LMB_VRM_PROFIT},
               {"corporation", LMB_VRM_CORPORATION},
               {"modify", LMB_VRM_MODIFY},
               {"redistribute-modified", LMB_VRM_REDISTRIBUTE_MODIFIED},
               {"redistribute", LMB_VRM_REDISTRIBUTE},
               {"without-credit", LMB_VRM_WITHOUT_CREDIT},
               {"violence", LMB_VRM_VIOLENCE},
               {"sexual", LMB_VRM_SEXUAL},
               {"political", LMB_VRM_POLITICAL},
               {"antisocial", LMB_VRM_ANTISOCIAL}};

enum { PERMIT_COUNT = sizeof permits / sizeof *permits };

bool cli_vrm_is_asked(const cli_run *cli)
{
    return cli_given(cli, "author") || cli_given(cli, "title") || cli_given(cli, "copyright") ||
           cli_given(cli, "licence") || cli_given(cli, "permit");
}

static cli_exit read_permits(const cli_run *cli, const cli_list *list, uint32_t *out)
{
    for (int k = 0; k < list->count; ++k) {
        int p = 0;
        while (p < PERMIT_COUNT && strcmp(list->items[k], permits[p].name) != 0) {
            ++p;
        }
        if (p == PERMIT_COUNT) {
            return cli_fail(
                cli, CLI_USAGE,
                "--permit: expected everyone, licensed, profit, corporation, modify, "
                "redistribute-modified, redistribute, without-credit, violence, sexual, "
                "political or antisocial, found \"%s\"",
                list->items[k]);
        }
        *out |= (uint32_t)permits[p].permit;
    }
    return CLI_DONE;
}

cli_exit cli_vrm_write(cli_run *cli, const char *output, const cli_vrm_options *options,
                       const lmb_character *character)
{
    const char *dot = strrchr(output, '.');
    if (dot == NULL || strcasecmp(dot, ".vrm") != 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--author, --title, --copyright, --licence and --permit go with a .vrm");
    }
    if (options->author == NULL || options->author[0] == 0) {
        return cli_fail(cli, CLI_USAGE, "a .vrm wants --author NAME");
    }
    uint32_t permitted = 0;
    const cli_exit code = read_permits(cli, &options->permits, &permitted);
    if (code != CLI_DONE) {
        return code;
    }
    char *stem = cli_stem(output);
    const lmb_vrm_meta meta = {.name = options->title != NULL ? options->title : stem,
                               .author = options->author,
                               .copyright = options->copyright,
                               .other_licence = options->licence,
                               .permits = permitted};
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_vrm_write(character, &meta, NULL, &buffer, &error);
    free(stem);
    if (result != LMB_OK) {
        return cli_fail_call(cli, output, result, &error);
    }
    const cli_exit written = cli_bytes_write(output, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return written;
}
