/// `limber listen`: live motion capture in, recorded, and sent on as the character moves.
#include "cli/live/sender.h"
#include "os/interrupt.h"
#include "os/network.h"

#include <stdlib.h>
#include <string.h>

typedef struct listen_options {
    int64_t vmc;
    const char *bvh, *hierarchy, *order, *bind, *relay, *source, *name, *method;
    double seconds, idle, delay_ms, rate, capture_rate;
    bool no_lock_feet;
} listen_options;

#include "cli/live/listen.options.h"

typedef struct session {
    const listen_options *opts;
    lmb_character *character, *source;
    sender_opts sender_opts;
    sender sender;
    lmbi_udp *out;
    lmb_live *live;
    lmb_transform *from_pose, *to_pose;
    uint64_t relayed;
    double begun_s, relay_s;
    lmb_retarget_report report;
    lmb_face_report face_report;
} session;

static lmb_retarget_method method_of(const listen_options *o)
{
    if (o->method == NULL) {
        return LMB_RETARGET_AUTO;
    }
    return strcmp(o->method, "chains") == 0 ? LMB_RETARGET_CHAINS : LMB_RETARGET_HUMAN;
}

static cli_exit check_options(const cli_run *cli, const listen_options *o)
{
    if (o->method != NULL && strcmp(o->method, "human") != 0 && strcmp(o->method, "chains") != 0) {
        return cli_fail(cli, CLI_USAGE, "--as takes human or chains, found %s", o->method);
    }
    if (o->bvh == NULL && (o->vmc < 0 || o->vmc > 65535)) {
        return cli_fail(cli, CLI_USAGE, "--vmc PORT, 0 to 65535, or --bvh is needed");
    }
    if (o->bvh != NULL && o->vmc >= 0) {
        return cli_fail(cli, CLI_USAGE, "--vmc and --bvh exclude each other");
    }
    const cli_exit code = o->source != NULL ? cli_output_check(cli, o->source) : CLI_DONE;
    if (code != CLI_DONE) {
        return code;
    }
    if (o->seconds < 0 || o->idle < 0 || o->delay_ms < 0 || o->delay_ms > 10000 || o->rate < 1 ||
        o->rate > 1000 || o->capture_rate < 0 || o->capture_rate > 1000) {
        return cli_fail(cli, CLI_USAGE,
                        "--seconds and --idle take 0 or more, --delay up to 10000, --rate 1 to "
                        "1000, --capture-rate up to 1000");
    }
    return CLI_DONE;
}

static cli_exit open_sockets(cli_run *cli, session *s)
{
    const listen_options *o = s->opts;
    s->sender_opts = (sender_opts){.vmc = o->vmc,
                                   .bvh = o->bvh,
                                   .bind = o->bind,
                                   .hierarchy = o->hierarchy,
                                   .order = o->order,
                                   .capture_rate = o->capture_rate,
                                   .delay_s = 1e-3 * o->delay_ms};
    cli_exit code = CLI_DONE;
    if (o->relay != NULL) {
        code = cli_udp_connect(cli, "relay", o->relay, &s->out);
    }
    return code == CLI_DONE ? sender_open(cli, &s->sender, &s->sender_opts) : code;
}

/// Sets up retargeting after the first frame, which defines the source skeleton.
static cli_exit start_live(cli_run *cli, session *s)
{
    lmb_error error = {0};
    lmb_result result = sender_character(&s->sender, true, &s->source, &error);
    if (result == LMB_OK) {
        const lmb_retarget_opts how = {.method = method_of(s->opts)};
        result = lmb_live_create(s->character, s->source, &how, NULL, &s->live, &error);
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
    lmb_vmc_frame frame = {.shape_count = 0};
    uint8_t packet[LMB_VMC_PACKET];
    cli_exit code = CLI_DONE;
    if (s->out == NULL || s->sender.count == 0 || now < s->relay_s) {
        return code;
    }
    s->relay_s = s->relay_s + 1 / s->opts->rate > now ? s->relay_s + 1 / s->opts->rate
                                                      : now + 1 / s->opts->rate;
    if (s->live == NULL) {
        code = start_live(cli, s);
    }
    if (code == CLI_DONE &&
        sender_pose(&s->sender, now, s->source->skeleton, s->from_pose, &frame)) {
        lmb_live_step(s->live, s->from_pose, s->to_pose);
        lmb_live_frame(s->live, &frame);
        if (frame.bones == 0) {
            cli_warn(cli, "%s: has no bones of a human, which are what --relay sends",
                     cli->inputs[0]);
            lmbi_udp_close(s->out);
            s->out = NULL;
            return code;
        }
        frame.time_s = now - s->begun_s;
        s->relayed += lmbi_udp_send(s->out, packet, lmb_vmc_write(&frame, packet, sizeof packet));
    }
    return code;
}

static bool is_over(const session *s, double now)
{
    const listen_options *o = s->opts;
    return lmbi_interrupted() || s->sender.ended || s->sender.full ||
           (o->seconds > 0 && now - s->begun_s >= o->seconds) ||
           (o->idle > 0 && s->sender.count > 0 && now - s->sender.last_s >= o->idle);
}

static cli_exit hear(cli_run *cli, session *s)
{
    cli_exit code = CLI_DONE;
    s->begun_s = lmb_clock_s();
    for (double now = s->begun_s; code == CLI_DONE && !is_over(s, now);) {
        const double wait = s->out != NULL && s->relay_s > now ? s->relay_s - now : 0.05;
        code = sender_hear(cli, &s->sender, wait < 0.05 ? wait : 0.05);
        now = lmb_clock_s();
        code = code == CLI_DONE ? relay(cli, s, now) : code;
    }
    sender_finish(&s->sender);
    return code;
}

// ---------------------------------------------------------------------------------- what is written

static lmb_result add_face(session *s, lmb_clip **clip, lmb_error *error)
{
    lmb_face_motion *motion = NULL;
    lmb_face *face = NULL;
    lmb_clip *with_face = NULL;
    lmb_result result = sender_face(&s->sender, &motion, error);
    if (result == LMB_OK && motion != NULL) {
        result = lmb_face_create(s->character, NULL, &face, error);
    }
    if (result == LMB_OK && motion != NULL) {
        result = lmb_face_apply(
            &(lmb_face_apply_job){
                .character = s->character, .face = face, .motion = motion, .clip = *clip},
            NULL, &with_face, &s->face_report, error);
    }
    if (with_face != NULL) {
        lmb_clip_destroy(*clip);
        *clip = with_face;
    }
    lmb_face_destroy(face);
    lmb_face_motion_destroy(motion);
    return result;
}

static cli_exit put_on_character(cli_run *cli, session *s)
{
    const lmb_retarget_opts how = {
        .method = method_of(s->opts), .no_lock_feet = s->opts->no_lock_feet, .name = s->opts->name};
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_result result = s->source != NULL ? LMB_OK : LMB_ERROR_MEMORY;
    if (result == LMB_OK) {
        result = lmb_retarget(s->character, s->source, 0, &how, NULL, &clip, &s->report, &error);
    }
    if (result == LMB_OK) {
        result = add_face(s, &clip, &error);
    }
    if (result != LMB_OK) {
        lmb_clip_destroy(clip);
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    return cli_clip_put_first(cli, &s->character, clip, false);
}

static void say_result(const cli_run *cli, const session *s)
{
    sender_say(cli, &s->sender);
    if (s->out != NULL) {
        cli_say(cli, "relayed", "%llu frames", (unsigned long long)s->relayed);
    }
    const bool chains = s->report.by_chains;
    cli_say(cli, cli->inputs[0], "%u %s matched, %u contacts locked",
            (unsigned)(chains ? s->report.chain_count : s->report.bone_count),
            chains ? "chains" : "joints", (unsigned)s->report.contact_count);
    if (s->face_report.matched + s->face_report.unmatched > 0) {
        cli_say(cli, "face", "%u expressions, %u that the character does not have",
                (unsigned)s->face_report.matched, (unsigned)s->face_report.unmatched);
    }
}

static void print_json(const cli_run *cli, const session *s)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    sender_json(&json, &s->sender);
    cli_json_integer(&json, "relayed", (int64_t)s->relayed);
    cli_json_integer(&json, "expressions", s->face_report.matched);
    cli_json_integer(&json, "expressions_dropped", s->face_report.unmatched);
    cli_json_integer(&json, "contacts", s->report.contact_count);
    cli_json_end(&json, '}');
}

/// Writes the frames as received, so that a failing retarget loses nothing.
static cli_exit make_source(cli_run *cli, session *s)
{
    lmb_error error = {0};
    lmb_character_destroy(s->source);
    s->source = NULL;
    const lmb_result result = sender_character(&s->sender, false, &s->source, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the recording", result, &error);
}

/// Where the recording goes when it cannot be put on the character: "walk.received.glb" of
/// "walk.glb". To be freed.
static char *rescue_path(const char *output)
{
    static const char end[] = ".received.glb";
    const bool piped = strcmp(output, "-") == 0 || strncmp(output, "/dev/", 5) == 0;
    const char *name = piped ? "listen" : output, *dot = strrchr(name, '.');
    const size_t stem =
        dot != NULL && strchr(dot, '/') == NULL ? (size_t)(dot - name) : strlen(name);
    char *path = cli_resize(NULL, stem + sizeof end, 1);
    memcpy(path, name, stem);
    memcpy(path + stem, end, sizeof end);
    return path;
}

static cli_exit write_source(cli_run *cli, session *s, bool rescue)
{
    if (s->opts->source != NULL || !rescue) {
        return s->opts->source != NULL ? cli_character_write(cli, s->opts->source, "glb", s->source)
                                       : CLI_DONE;
    }
    char *path = rescue_path(cli->output);
    const cli_exit code = cli_character_write(cli, path, "glb", s->source);
    if (code == CLI_DONE) {
        cli_warn(cli, "what came was written to %s", path);
    }
    free(path);
    return code;
}

static cli_exit finish_recording(cli_run *cli, session *s)
{
    if (s->sender.count == 0) {
        sender_say(cli, &s->sender);
        return cli_fail(cli, CLI_INPUT, "no frame came");
    }
    cli_exit code = make_source(cli, s);
    if (code != CLI_DONE) {
        return code;
    }
    code = put_on_character(cli, s);
    const cli_exit written = write_source(cli, s, code != CLI_DONE);
    code = code != CLI_DONE ? code : written;
    if (code == CLI_DONE) {
        say_result(cli, s);
        code = cli_character_write(cli, cli->output, "glb", s->character);
    }
    if (code == CLI_DONE && cli->json) {
        print_json(cli, s);
    }
    return code;
}

static cli_exit run_listen(cli_run *cli, const void *given)
{
    session s = {.opts = given};
    cli_exit code = check_options(cli, s.opts);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], NULL, NULL, &s.character);
    }
    if (code == CLI_DONE) {
        code = open_sockets(cli, &s);
    }
    if (code == CLI_DONE) {
        lmbi_interrupt_catch();
        code = hear(cli, &s);
    }
    code = code == CLI_DONE ? finish_recording(cli, &s) : code;
    sender_close(&s.sender);
    lmbi_udp_close(s.out);
    lmb_live_destroy(s.live);
    lmb_character_destroy(s.source);
    lmb_character_destroy(s.character);
    free(s.from_pose);
    free(s.to_pose);
    return code;
}
