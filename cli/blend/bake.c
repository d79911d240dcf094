/// Bakes a blend, and says what came of it.
#include "cli/blend/blend.h"

static void report_clip(const cli_run *cli, const blend_options *opts, const lmb_clip *clip,
                        uint32_t frames)
{
    cli_say(cli, clip->name, "%g s, %u frames at %g Hz, %u channels",
            (double)lmb_clip_duration_s(clip), frames, opts->rate, clip->channel_count);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_text(&json, "clip", clip->name);
        cli_json_number(&json, "duration_s", lmb_clip_duration_s(clip));
        cli_json_integer(&json, "frames", frames);
        cli_json_integer(&json, "channels", clip->channel_count);
        cli_json_end(&json, '}');
    }
}

cli_exit blend_bake(blend_stage *stage, const blend_options *opts, lmb_blend_bake_opts bake,
                    lmb_clip **out)
{
    lmb_blend_bake_report report;
    lmb_error error = {0};
    bake.seconds = bake.seconds > 0 ? bake.seconds : opts->seconds;
    bake.rate_hz = opts->rate;
    bake.name = opts->name;
    bake.in_place = opts->in_place;
    bake.no_root = opts->no_root;
    bake.no_sync = opts->no_sync;
    bake.no_lock = opts->no_lock;
    bake.model_space = opts->model_space;
    const lmb_result result = lmb_blend_bake(stage->character, &bake, NULL, out, &report, &error);
    if (result != LMB_OK) {
        return cli_fail_call(stage->cli, bake.machine != NULL ? "the machine" : "the clip", result,
                             &error);
    }
    if (report.holds_feet) {
        cli_detail(stage->cli, "feet", "held in %u of %u frames", report.held_count,
                   report.frame_count);
    }
    report_clip(stage->cli, opts, *out, report.frame_count);
    return CLI_DONE;
}
