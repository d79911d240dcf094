/// Points of a character that the user gives: --marker NAME=X,Y,Z.
#include "cli/rig/rigging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_place(const char *text, float out[3])
{
    for (int k = 0; k < 3; ++k) {
        char *end;
        const double x = strtod(text, &end);
        if (end == text || *end != (k < 2 ? ',' : 0) || !isfinite((float)x)) {
            return false;
        }
        out[k] = (float)x;
        text = end + 1;
    }
    return true;
}

cli_exit cli_rig_markers_read(const cli_run *cli, const cli_list *list, lmb_joint_marker **out)
{
    lmb_joint_marker *markers = cli_resize(NULL, (size_t)list->count + 1, sizeof *markers);
    char *names = NULL;
    size_t room = 1;
    for (int k = 0; k < list->count; ++k) {
        room += strlen(list->items[k]) + 1;
    }
    names = cli_resize(NULL, room, 1);
    *out = markers;
    char *name = names;
    markers[0].name = names; // what cli_rig_markers_free frees
    for (int k = 0; k < list->count; ++k) {
        const char *text = list->items[k], *equals = strchr(text, '=');
        float at[3];
        if (!equals || equals == text || !read_place(equals + 1, at)) {
            return cli_fail(cli, CLI_USAGE,
                            "--marker: expected NAME=X,Y,Z, such as leftWrist=0.6,1.2,0, found "
                            "\"%s\"",
                            text);
        }
        const size_t length = (size_t)(equals - text);
        memcpy(name, text, length);
        name[length] = 0;
        markers[k] = (lmb_joint_marker){name, lmb_vec3_make(at[0], at[1], at[2])};
        name += length + 1;
    }
    return CLI_DONE;
}

void cli_rig_markers_free(lmb_joint_marker *markers)
{
    if (markers) {
        free((void *)(uintptr_t)markers[0].name);
    }
    free(markers);
}
