// Normals for meshes, and primitives of them, that have none.
#include "cli/rig/rigging.h"

cli_exit cli_crease_check(const cli_run *cli, double crease_deg)
{
    return crease_deg >= 0 && crease_deg <= 180
               ? CLI_DONE
               : cli_fail(cli, CLI_USAGE, "--crease takes 0 to 180 degrees, not %g", crease_deg);
}

cli_exit cli_normals_fill(const cli_run *cli, double crease_deg, lmb_character *character)
{
    // The vertices of a file stay as they are, unless edges are asked for.
    const bool splits = cli_given(cli, "crease");
    lmb_error error = {0};
    uint32_t filled = 0;
    const lmb_result result = lmb_character_fill_normals(
        character, splits, (float)crease_deg * LMB_PI / 180, NULL, &filled, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the normals", result, &error);
    }
    if (filled > 0) {
        cli_detail(cli, "normals", "made for %u mesh%s%s", filled, filled == 1 ? "" : "es",
                   splits ? ", with edges at creases" : "");
    }
    return CLI_DONE;
}
