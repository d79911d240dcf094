/// `limber listen`: live motion capture in, recorded, and sent on as the character moves.
#include "network.h"

#include <stdlib.h>
#include <string.h>

enum { DATAGRAM = 65536 };

typedef struct listen_options {
    int64_t vmc;
    const char *bind, *relay, *source, *name;
    double seconds, idle, delay_ms, rate;
    bool no_lock_feet;
} listen_options;

static const listen_options defaults = {.vmc = -1, .bind = "127.0.0.1", .rate = 60};

static const cli_option options[] = {
    {"vmc", 0, CLI_INTEGER, offsetof(listen_options, vmc), "PORT",
     "the UDP port that a VMC performer sends to (39539 as a rule; 0: any that is free)"},
    {"bind", 0, CLI_TEXT, offsetof(listen_options, bind), "ADDRESS",
     "listen on this address (default 127.0.0.1: this machine alone)"},
    {"relay", 0, CLI_TEXT, offsetof(listen_options, relay), "HOST:PORT",
     "send the character's motion on, as VMC, while it comes"},
    {"rate", 0, CLI_NUMBER, offsetof(listen_options, rate), "HZ",
     "frames a second that --relay sends (default 60)"},
    {"delay", 0, CLI_NUMBER, offsetof(listen_options, delay_ms), "MS",
     "how far --relay lags so that late packets still come in time (default 50)"},
    {"seconds", 0, CLI_NUMBER, offsetof(listen_options, seconds), "S",
     "end after so long (default: on an interrupt)"},
    {"idle", 0, CLI_NUMBER, offsetof(listen_options, idle), "S",
     "end when nothing has come for so long after the first frame"},
    {"source", 0, CLI_TEXT, offsetof(listen_options, source), "FILE",
     "also write what came, as it came: a skeleton and a key for every frame"},
    {"name", 0, CLI_TEXT, offsetof(listen_options, name), "NAME", "of the new clip"},
    {"no-lock-feet", 0, CLI_FLAG, offsetof(listen_options, no_lock_feet), NULL,
     "leave feet as they come out"},
    CLI_END,
};

typedef struct session {
    const listen_options *opts;
    lmb_character *character, *source;
    lmb_udp *in, *out;
    lmb_vmc *vmc;
    lmb_live *live;
    lmb_transform *from_pose, *to_pose;
    lmb_vmc_frame *frames;
    uint32_t count, capacity;
    uint64_t relayed;
    double begun_s, last_s, relay_s;
    lmb_retarget_report report;
} session;

static cli_exit check(const cli_run *cli, const listen_options *o)
{
    if (o->vmc < 0 || o->vmc > 65535) {
        return cli_fail(cli, CLI_USAGE, "--vmc PORT is needed, 0 to 65535");
    }
    if (o->seconds < 0 || o->idle < 0 || o->delay_ms < 0 || o->delay_ms > 10000 || o->rate < 1 ||
        o->rate > 1000) {
        return cli_fail(cli, CLI_USAGE,
                        "--seconds and --idle take 0 or more, --delay up to 10000, --rate 1 to "
                        "1000");
    }
    return CLI_DONE;
}

static cli_exit open_sockets(cli_run *cli, session *s)
{
    const listen_options *o = s->opts;
    lmb_error error = {0};
    if (lmb_udp_listen(o->bind, (uint16_t)o->vmc, &s->in, &error) != LMB_OK) {
        return cli_fail(cli, CLI_FAILED, "%s port %d: %s", o->bind, (int)o->vmc, error.found);
    }
    const lmb_vmc_opts how = {.delay_s = 1e-3 * o->delay_ms};
    const lmb_result result = lmb_vmc_create(&how, NULL, &s->vmc, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "VMC", result, &error);
    }
    return o->relay != NULL ? cli_udp_connect(cli, "relay", o->relay, &s->out) : CLI_DONE;
}

static void keep_frames(session *s)
{
    lmb_vmc_frame frame;
    while (lmb_vmc_take(s->vmc, &frame)) {
        if (s->count == s->capacity) {
            s->capacity = s->capacity > 0 ? 2 * s->capacity : 256;
            s->frames = cli_resize(s->frames, s->capacity, sizeof *s->frames);
        }
        s->frames[s->count++] = frame;
        s->last_s = frame.arrived_s;
    }
}

/// Once the first frame is there, it is known who moves.
static cli_exit start_live(cli_run *cli, session *s)
{
    lmb_error error = {0};
    lmb_result result = lmb_vmc_character(s->frames, 1, NULL, &s->source, &error);
    if (result == LMB_OK) {
        result = lmb_live_create(s->character, s->source, NULL, NULL, &s->live, &error);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    const lmb_skeleton *from = s->source->skeleton;
    s->from_pose = cli_resize(NULL, from->joint_count, sizeof *s->from_pose);
    s->to_pose = cli_resize(NULL, s->character->skeleton->joint_count, sizeof *s->to_pose);
    memcpy(s->from_pose, from->rest, from->joint_count * sizeof *s->from_pose);
    return CLI_DONE;
}

static cli_exit relay(cli_run *cli, session *s, double now)
{
    lmb_vmc_frame frame;
    uint8_t packet[8192];
    cli_exit code = CLI_DONE;
    if (s->out == NULL || s->count == 0 || now < s->relay_s || !lmb_vmc_play(s->vmc, now, &frame)) {
        return code;
    }
    s->relay_s = s->relay_s + 1 / s->opts->rate > now ? s->relay_s + 1 / s->opts->rate
                                                      : now + 1 / s->opts->rate;
    if (s->live == NULL) {
        code = start_live(cli, s);
    }
    if (code == CLI_DONE) {
        lmb_vmc_pose(&frame, s->source->skeleton, s->from_pose);
        lmb_live_step(s->live, s->from_pose, s->to_pose);
        lmb_live_frame(s->live, &frame);
        frame.time_s = now - s->begun_s;
        s->relayed += lmb_udp_send(s->out, packet, lmb_vmc_write(&frame, packet, sizeof packet));
    }
    return code;
}

static bool is_over(const session *s, double now)
{
    const listen_options *o = s->opts;
    return lmb_interrupted() || (o->seconds > 0 && now - s->begun_s >= o->seconds) ||
           (o->idle > 0 && s->count > 0 && now - s->last_s >= o->idle);
}

static cli_exit hear(cli_run *cli, session *s)
{
    static uint8_t packet[DATAGRAM];
    cli_exit code = CLI_DONE;
    s->begun_s = lmb_clock_s();
    for (double now = s->begun_s; code == CLI_DONE && !is_over(s, now);) {
        const double wait = s->out != NULL && s->relay_s > now ? s->relay_s - now : 0.05;
        const int64_t size =
            lmb_udp_receive(s->in, packet, sizeof packet, wait < 0.05 ? wait : 0.05);
        now = lmb_clock_s();
        if (size < 0) {
            return cli_fail(cli, CLI_FAILED, "the socket cannot be read any more");
        }
        if (size > 0 && lmb_vmc_receive(s->vmc, packet, (size_t)size, now) > 0) {
            keep_frames(s);
        }
        code = relay(cli, s, now);
    }
    (void)lmb_vmc_flush(s->vmc, lmb_clock_s());
    keep_frames(s);
    return code;
}

// ---------------------------------------------------------------------------------- what is written

static cli_exit put_on_character(cli_run *cli, session *s)
{
    const lmb_retarget_opts how = {.no_lock_feet = s->opts->no_lock_feet, .name = s->opts->name};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_character_destroy(s->source);
    s->source = NULL;
    lmb_result result = lmb_vmc_character(s->frames, s->count, NULL, &s->source, &error);
    if (result == LMB_OK) {
        result = lmb_retarget(s->character, s->source, 0, &how, NULL, &clip, &s->report, &error);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    return cli_clip_put_first(cli, &s->character, clip, false);
}

static void say_result(const cli_run *cli, const session *s)
{
    const lmb_vmc_report r = lmb_vmc_state(s->vmc);
    cli_say(cli, "received", "%llu packets, %llu frames, %.2f s", (unsigned long long)r.packets,
            (unsigned long long)r.frames,
            s->count > 1 ? s->frames[s->count - 1].time_s - s->frames[0].time_s : 0.0);
    if (r.malformed + r.late + r.missed + r.restarts > 0) {
        cli_warn(cli, "%llu packets were malformed and dropped, %llu frames late, %llu missed",
                 (unsigned long long)r.malformed, (unsigned long long)r.late,
                 (unsigned long long)r.missed);
    }
    if (s->out != NULL) {
        cli_say(cli, "relayed", "%llu frames", (unsigned long long)s->relayed);
    }
    cli_say(cli, cli->inputs[0], "%u joints matched, %u contacts locked",
            (unsigned)s->report.slot_count, (unsigned)s->report.contact_count);
}

static void print_json(const cli_run *cli, const session *s)
{
    const lmb_vmc_report r = lmb_vmc_state(s->vmc);
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "packets", (int64_t)r.packets);
    cli_json_integer(&json, "malformed", (int64_t)r.malformed);
    cli_json_integer(&json, "messages", (int64_t)r.messages);
    cli_json_integer(&json, "ignored", (int64_t)r.ignored);
    cli_json_integer(&json, "frames", (int64_t)r.frames);
    cli_json_integer(&json, "late", (int64_t)r.late);
    cli_json_integer(&json, "missed", (int64_t)r.missed);
    cli_json_integer(&json, "restarts", (int64_t)r.restarts);
    cli_json_integer(&json, "relayed", (int64_t)s->relayed);
    cli_json_integer(&json, "contacts", s->report.contact_count);
    cli_json_end(&json, '}');
}

static cli_exit finish(cli_run *cli, session *s)
{
    if (s->count == 0) {
        return cli_fail(cli, CLI_INPUT, "no frame came: %llu packets, %llu of them malformed",
                        (unsigned long long)lmb_vmc_state(s->vmc).packets,
                        (unsigned long long)lmb_vmc_state(s->vmc).malformed);
    }
    cli_exit code = put_on_character(cli, s);
    if (code == CLI_DONE && s->opts->source != NULL) {
        code = cli_character_write(cli, s->opts->source, "glb", s->source);
    }
    if (code == CLI_DONE) {
        say_result(cli, s);
        code = cli_character_write(cli, cli->output, "glb", s->character);
    }
    if (code == CLI_DONE && cli->json) {
        print_json(cli, s);
    }
    return code;
}

static cli_exit run(cli_run *cli, const void *given)
{
    session s = {.opts = given};
    cli_exit code = check(cli, s.opts);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], NULL, NULL, &s.character);
    }
    if (code == CLI_DONE) {
        code = open_sockets(cli, &s);
    }
    if (code == CLI_DONE) {
        lmb_interrupt_catch();
        cli_say(cli, "listening", "VMC on %s port %u; an interrupt ends it", s.opts->bind,
                (unsigned)lmb_udp_port(s.in));
        code = hear(cli, &s);
    }
    code = code == CLI_DONE ? finish(cli, &s) : code;
    lmb_udp_close(s.in);
    lmb_udp_close(s.out);
    lmb_vmc_destroy(s.vmc);
    lmb_live_destroy(s.live);
    lmb_character_destroy(s.source);
    lmb_character_destroy(s.character);
    free(s.from_pose);
    free(s.to_pose);
    free(s.frames);
    return code;
}

const cli_command cli_command_listen = {
    .name = "listen",
    .arguments = "CHARACTER",
    .summary = "Records live motion capture onto a character: VMC over UDP.",
    .details = "Every frame that comes is kept. An interrupt, --seconds or --idle ends the "
               "recording, which is then put on the character with its feet on the ground and "
               "written whole. Malformed packets are counted and dropped. Only this machine is "
               "listened to unless --bind names another address.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output = "OUT.glb|.gltf|.bvh",
    .options = options,
    .options_size = sizeof(listen_options),
    .defaults = &defaults,
    .run = run,
};
