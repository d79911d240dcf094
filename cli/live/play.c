/// `limber play`: a clip sent out live.
#include "cli/live/network.h"
#include "os/interrupt.h"
#include "os/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct play_options {
    const char *vmc, *clip;
    double rate, speed, seconds;
    bool loop;
} play_options;

#include "cli/live/play.options.h"

typedef struct session {
    const play_options *opts;
    lmb_character *character;
    uint32_t clip;
    lmbi_udp *out;
    lmb_live *live;
    lmb_face_motion *face; ///< what the clip does with it, or NULL
    lmb_transform *pose, *unused;
    uint64_t sent;
} session;

static cli_exit prepare(cli_run *cli, session *s)
{
    const play_options *o = s->opts;
    if (o->vmc == NULL) {
        return cli_fail(cli, CLI_USAGE, "--vmc HOST:PORT is needed");
    }
    if (!(o->rate >= 1 && o->rate <= 1000) || !(o->speed > 0 && o->speed <= 100) ||
        o->seconds < 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--rate takes 1 to 1000, --speed up to 100, --seconds 0 or more");
    }
    cli_exit code = cli_character_read(cli, cli->inputs[0], NULL, NULL, &s->character);
    if (code == CLI_DONE && s->character->clip_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a motion, found a file without clips",
                        cli->inputs[0]);
    }
    if (code == CLI_DONE && o->clip != NULL) {
        code = cli_clip_find(cli, s->character, o->clip, &s->clip);
    }
    if (code != CLI_DONE) {
        return code;
    }
    lmb_error error = {0};
    const lmb_retarget_opts human = {.method = LMB_RETARGET_HUMAN};
    lmb_result result = lmb_live_create(s->character, s->character, &human, NULL, &s->live, &error);
    if (result == LMB_OK) {
        result = lmb_face_motion_of_clip(s->character, s->clip, NULL, &s->face, &error);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    const uint32_t n = s->character->skeleton->joint_count;
    s->pose = cli_resize(NULL, n, sizeof *s->pose);
    s->unused = cli_resize(NULL, n, sizeof *s->unused);
    return cli_udp_connect(cli, "vmc", o->vmc, &s->out);
}

/// The expressions of a moment of the clip, as blend shapes.
static void add_shapes(const session *s, double time_s, lmb_vmc_frame *frame)
{
    const double length = (double)lmb_clip_duration_s(s->character->clips[s->clip]);
    const bool loops = s->opts->loop && length > 0;
    if (s->face != NULL && s->face->track_count <= LMB_VMC_SHAPES) {
        frame->shape_count = s->face->track_count;
        frame->shape_names = s->face->names;
        lmb_face_motion_at(s->face, loops ? fmod(time_s, length) : time_s, frame->shapes);
    }
}

static void send_moment(session *s, double time_s)
{
    const lmb_skeleton *skeleton = s->character->skeleton;
    lmb_vmc_frame frame = {.time_s = time_s};
    uint8_t packet[LMB_VMC_PACKET];
    lmb_sample(&(lmb_sample_job){.clip = s->character->clips[s->clip],
                                 .time_s = time_s * s->opts->speed,
                                 .mode = s->opts->loop ? LMB_PLAY_LOOP : LMB_PLAY_CLAMP,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = s->pose});
    lmb_live_step(s->live, s->pose, s->unused);
    lmb_live_frame(s->live, &frame);
    add_shapes(s, time_s * s->opts->speed, &frame);
    s->sent += lmbi_udp_send(s->out, packet, lmb_vmc_write(&frame, packet, sizeof packet));
}

static void send_frames(session *s)
{
    const play_options *o = s->opts;
    const double length = (double)lmb_clip_duration_s(s->character->clips[s->clip]) / o->speed;
    const double begun = lmb_clock_s();
    for (uint64_t k = 0; !lmbi_interrupted(); ++k) {
        const double time = (double)k / o->rate;
        if ((!o->loop && time > length + 1e-9) || (o->seconds > 0 && time >= o->seconds)) {
            break;
        }
        for (double left; (left = begun + time - lmb_clock_s()) > 0 && !lmbi_interrupted();) {
            lmbi_sleep_s(left < 0.05 ? left : 0.05);
        }
        send_moment(s, time);
    }
}

static cli_exit run_play(cli_run *cli, const void *given)
{
    session s = {.opts = given};
    cli_exit code = prepare(cli, &s);
    if (code == CLI_DONE) {
        lmbi_interrupt_catch();
        send_frames(&s);
        cli_say(cli, "sent", "%llu frames to %s", (unsigned long long)s.sent, s.opts->vmc);
    }
    if (code == CLI_DONE && cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_integer(&json, "frames", (int64_t)s.sent);
        cli_json_end(&json, '}');
    }
    lmbi_udp_close(s.out);
    lmb_live_destroy(s.live);
    lmb_face_motion_destroy(s.face);
    lmb_character_destroy(s.character);
    free(s.pose);
    free(s.unused);
    return code;
}
