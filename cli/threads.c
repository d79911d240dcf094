#include "cli.h"

cli_exit cli_threads_start(cli_run *cli)
{
    (void)cli;
    return CLI_DONE;
}

void cli_threads_end(cli_run *cli)
{
    (void)cli;
}
