#include "cli/cli.h"

#include "limber/os.h"

cli_exit cli_threads_start(cli_run *cli)
{
    lmb_error error;
    if (lmb_pool_create((unsigned)cli->thread_count, &cli->pool, &error) != LMB_OK) {
        return cli_fail_call(cli, "starting threads", error.code, &error);
    }
    cli->jobs = *lmb_pool_jobs(cli->pool);
    return CLI_DONE;
}

void cli_threads_end(cli_run *cli)
{
    lmb_pool_destroy(cli->pool);
    cli->pool = NULL;
    cli->jobs = (lmb_jobs){0};
}
