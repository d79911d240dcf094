/// `limber simulate --ragdoll`: a clip carries a body and lets it go.
#include "simulate.h"

#include "ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct push {
    uint32_t bone;
    lmb_vec3 impulse;
    double time_s;
} push;

typedef struct fall {
    simulate_take take;
    lmb_joint_map map;
    bool human;
    lmb_joint_limit *limits; ///< NULL: the skeleton's own
    lmb_ragdoll_set *set;
    lmb_ragdoll *ragdoll;
    lmb_ragdoll_drive *drives; ///< [bone_count] from the release on
    push *pushes;
    uint32_t push_count;
    cli_ground ground;
    simulate_moment *moments; ///< [frame_count]
    simulate_return back;
    bool returns;
    double rest_s; ///< since when nothing moved; below 0: it still moves
} fall;

// ---------------------------------------------------------------------------------------- the body

/// The bodies of a human: what is between goes with the one above.
static uint32_t human_bones(const lmb_joint_map *map, uint32_t *joints)
{
    static const lmb_slot slots[] = {
        LMB_SLOT_HIPS,       LMB_SLOT_SPINE,           LMB_SLOT_CHEST,
        LMB_SLOT_HEAD,       LMB_SLOT_LEFT_UPPER_LEG,  LMB_SLOT_LEFT_LOWER_LEG,
        LMB_SLOT_LEFT_FOOT,  LMB_SLOT_RIGHT_UPPER_LEG, LMB_SLOT_RIGHT_LOWER_LEG,
        LMB_SLOT_RIGHT_FOOT, LMB_SLOT_LEFT_UPPER_ARM,  LMB_SLOT_LEFT_LOWER_ARM,
        LMB_SLOT_LEFT_HAND,  LMB_SLOT_RIGHT_UPPER_ARM, LMB_SLOT_RIGHT_LOWER_ARM,
        LMB_SLOT_RIGHT_HAND,
    };
    uint32_t count = 0;
    for (size_t k = 0; k < sizeof slots / sizeof *slots; ++k) {
        if (map->slots[slots[k]].joint != LMB_NONE) {
            joints[count++] = (uint32_t)map->slots[slots[k]].joint;
        }
    }
    return count;
}

/// Whether the head is above the hips by a fifth of the whole, at least: a fox has hips and a head.
static bool stands(const fall *f)
{
    const simulate_take *t = &f->take;
    const int32_t hips = f->map.slots[LMB_SLOT_HIPS].joint,
                  head = f->map.slots[LMB_SLOT_HEAD].joint;
    if (hips == LMB_NONE || head == LMB_NONE) {
        return false;
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = t->skeleton, .model_from_joint = t->model});
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < t->skeleton->joint_count; ++j) {
        box = lmb_box_add(box, lmb_mat4_translation(t->model[j]));
    }
    return t->model[head].m[13] - t->model[hips].m[13] > 0.2f * (box.high.y - box.low.y);
}

static cli_exit find_limits(const cli_run *cli, fall *f)
{
    const lmb_skeleton *skeleton = f->take.skeleton;
    lmb_error error = {0};
    lmb_result result = lmb_joint_map_make(skeleton, NULL, &f->map, &error);
    f->human = result == LMB_OK && f->map.confidence > 0.7f && stands(f);
    if (f->human && skeleton->limits == NULL) {
        f->limits = cli_resize(NULL, skeleton->joint_count, sizeof *f->limits);
        result = lmb_joint_map_limits(&f->map, skeleton, NULL, f->limits, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the joints", result, &error);
}

static cli_exit make_set(const cli_run *cli, fall *f)
{
    uint32_t joints[LMB_SLOT_COUNT];
    const cli_simulate_opts *opts = f->take.opts;
    lmb_ragdoll_opts want = {.limits = f->limits, .mass = (float)opts->mass};
    if (f->human) {
        want.joint_count = human_bones(&f->map, joints);
        want.joints = joints;
    }
    lmb_error error = {0};
    lmb_result result = lmb_ragdoll_set_make(f->take.character, &want, NULL, &f->set, &error);
    if (result == LMB_OK && f->human && !cli_given(cli, "mass")) {
        const float height = (f->set->box.high.y - f->set->box.low.y) / 1.75f;
        want.mass = 70 * height * height * height;
        lmb_ragdoll_set_destroy(f->set);
        f->set = NULL;
        result = lmb_ragdoll_set_make(f->take.character, &want, NULL, &f->set, &error);
    }
    if (result == LMB_OK && f->set->bone_count == 1) {
        return cli_fail(cli, CLI_INPUT,
                        "%s: expected a body with joints, found one piece; `limber rig` puts a "
                        "skeleton in it",
                        cli->inputs[0]);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the bodies", result, &error);
}

static cli_exit find_ground(cli_run *cli, fall *f)
{
    const simulate_take *t = &f->take;
    simulate_take_sample(t, t->opts->release_s, t->poses);
    const lmb_vec3 hips = lmb_mat4_translation(t->model[f->set->bones[0].joint]);
    return cli_ground_start(cli,
                            &(cli_ground_opts){.ground = t->opts->ground,
                                               .size = t->opts->ground_size,
                                               .floor = f->set->box.low.y,
                                               .middle = hips},
                            &f->ground);
}

static cli_exit make_body(cli_run *cli, fall *f)
{
    cli_exit code = find_limits(cli, f);
    if (code == CLI_DONE) {
        code = make_set(cli, f);
    }
    if (code == CLI_DONE) {
        code = find_ground(cli, f);
    }
    if (code != CLI_DONE) {
        return code;
    }
    lmb_error error = {0};
    const lmb_ragdoll_scene scene = {.gravity = {0, -9.81f, 0},
                                     .shapes = &f->ground.shape,
                                     .shape_count = f->ground.is_there,
                                     .friction = 0.8f,
                                     .joint_friction = 0.15f};
    const lmb_result result =
        lmb_ragdoll_create(f->set, f->take.skeleton, &scene, NULL, &f->ragdoll, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the bodies", result, &error);
}

// -------------------------------------------------------------------------------------- the drives

/// The joint of that name or humanoid slot; LMB_NONE with a message.
static int32_t find_joint(const cli_run *cli, const fall *f, const char *option, const char *name,
                          size_t length)
{
    char *text = cli_resize(NULL, length + 1, 1);
    memcpy(text, name, length);
    text[length] = 0;
    int32_t joint = lmb_skeleton_find(f->take.skeleton, text);
    const lmb_slot slot = lmb_slot_find(text);
    if (joint == LMB_NONE && slot < LMB_SLOT_COUNT && f->human) {
        joint = f->map.slots[slot].joint;
    }
    if (joint == LMB_NONE) {
        cli_fail(cli, CLI_USAGE, "--%s: the character has no joint and no humanoid slot \"%s\"",
                 option, text);
    }
    free(text);
    return joint;
}

/// The bone that stands for a joint or the nearest above it; the first bone for what has none.
static uint32_t bone_of(const fall *f, int32_t joint)
{
    for (; joint != LMB_NONE; joint = f->take.skeleton->parents[joint]) {
        const int32_t bone = lmb_ragdoll_set_find(f->set, (uint32_t)joint);
        if (bone != LMB_NONE) {
            return (uint32_t)bone;
        }
    }
    return 0;
}

/// Whether the bone is for that joint or one below it.
static bool is_below(const fall *f, uint32_t bone, int32_t joint)
{
    int32_t j = (int32_t)f->set->bones[bone].joint;
    while (j > joint) {
        j = f->take.skeleton->parents[j];
    }
    return j == joint;
}

static cli_exit read_strength(const cli_run *cli, fall *f, const char *text)
{
    const char *equals = strrchr(text, '='), *number = equals != NULL ? equals + 1 : text;
    char *end = NULL;
    const double hz = strtod(number, &end);
    if (end == number || *end != 0 || !(hz >= 0 && hz <= 100)) {
        return cli_fail(cli, CLI_USAGE, "--strength: expected [JOINT=]HZ of 0 to 100, found \"%s\"",
                        text);
    }
    int32_t joint = LMB_NONE;
    if (equals != NULL) {
        joint = find_joint(cli, f, "strength", text, (size_t)(equals - text));
        if (joint == LMB_NONE) {
            return CLI_USAGE;
        }
    }
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        if (joint == LMB_NONE || is_below(f, i, joint)) {
            f->drives[i].hz = (float)hz;
        }
    }
    return CLI_DONE;
}

static cli_exit read_only(const cli_run *cli, fall *f)
{
    const cli_list *only = &f->take.opts->only;
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        f->drives[i].carried = only->count > 0;
    }
    for (int k = 0; k < only->count; ++k) {
        const int32_t joint = find_joint(cli, f, "only", only->items[k], strlen(only->items[k]));
        if (joint == LMB_NONE) {
            return CLI_USAGE;
        }
        uint32_t loose = 0;
        for (uint32_t i = 0; i < f->set->bone_count; ++i) {
            if (is_below(f, i, joint)) {
                f->drives[i].carried = false;
                ++loose;
            }
        }
        if (loose == 0) {
            return cli_fail(cli, CLI_USAGE, "--only: nothing at or below \"%s\" has a body",
                            only->items[k]);
        }
    }
    return CLI_DONE;
}

static cli_exit read_push(const cli_run *cli, fall *f, const char *text, push *out)
{
    const char *equals = strrchr(text, '='), *at = equals;
    float x[3] = {0, 0, 0};
    double time_s = f->take.opts->release_s;
    bool fine = equals != NULL;
    for (int k = 0; fine && k < 3; ++k) {
        char *end = NULL;
        const double value = strtod(at + 1, &end);
        fine = end != at + 1 && isfinite(value) && fabs(value) < 1e6 &&
               (k < 2 ? *end == ',' : *end == 0 || *end == '@');
        x[k] = (float)value;
        at = end;
    }
    if (fine && *at == '@') {
        char *end = NULL;
        time_s = strtod(at + 1, &end);
        fine = end != at + 1 && *end == 0 && time_s >= 0;
    }
    if (!fine) {
        return cli_fail(cli, CLI_USAGE, "--push: expected JOINT=X,Y,Z[@S], found \"%s\"", text);
    }
    const int32_t joint = find_joint(cli, f, "push", text, (size_t)(equals - text));
    *out = (push){bone_of(f, joint), lmb_vec3_make(x[0], x[1], x[2]), time_s};
    return joint == LMB_NONE ? CLI_USAGE : CLI_DONE;
}

static cli_exit read_drives(const cli_run *cli, fall *f)
{
    const cli_simulate_opts *opts = f->take.opts;
    f->drives = cli_resize(NULL, f->set->bone_count, sizeof *f->drives);
    memset(f->drives, 0, f->set->bone_count * sizeof *f->drives);
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        f->drives[i].hz = (float)opts->strength_hz;
    }
    cli_exit code = read_only(cli, f);
    for (int k = 0; code == CLI_DONE && k < opts->strengths.count; ++k) {
        code = read_strength(cli, f, opts->strengths.items[k]);
    }
    f->pushes = cli_resize(NULL, (size_t)opts->pushes.count + 1, sizeof *f->pushes);
    for (int k = 0; code == CLI_DONE && k < opts->pushes.count; ++k) {
        code = read_push(cli, f, opts->pushes.items[k], &f->pushes[f->push_count++]);
    }
    return code;
}

// ---------------------------------------------------------------------------------------- the fall

static void release(fall *f, double time_s, const lmb_transform *pose)
{
    const simulate_take *t = &f->take;
    const double dt = 1 / t->opts->fps;
    lmb_transform *before = NULL;
    if (t->clip != NULL && time_s >= dt) {
        before = cli_resize(NULL, t->skeleton->joint_count, sizeof *before);
        simulate_take_sample(t, time_s - dt, before);
    }
    lmb_ragdoll_place(&(lmb_ragdoll_place_job){
        .ragdoll = f->ragdoll, .local = pose, .before = before, .dt_s = (float)dt});
    free(before);
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        lmb_ragdoll_set_drive(f->ragdoll, i, &f->drives[i]);
    }
    lmb_ragdoll_set_balance(f->ragdoll, (float)t->opts->balance, 3);
}

static void blow(fall *f, double from_s, double to_s)
{
    lmb_world *world = lmb_ragdoll_world(f->ragdoll);
    for (uint32_t k = 0; k < f->push_count; ++k) {
        if (f->pushes[k].time_s >= from_s && f->pushes[k].time_s < to_s) {
            lmb_world_push(world, f->pushes[k].bone, f->pushes[k].impulse,
                           lmb_world_state(world, f->pushes[k].bone).position);
        }
    }
}

static void note(fall *f, uint32_t frame)
{
    lmb_world_report r;
    lmb_world_measure(lmb_ragdoll_world(f->ragdoll), &r);
    const float time_s = (float)(frame / f->take.opts->fps);
    f->moments[frame] = (simulate_moment){.time_s = time_s,
                                          .kinetic = (float)r.kinetic,
                                          .energy = (float)(r.kinetic + r.potential),
                                          .separation = r.separation,
                                          .penetration = r.penetration,
                                          .excess_rad = r.excess_rad};
    const bool rests = r.asleep_count == f->set->bone_count;
    f->rest_s = !rests ? -1 : (f->rest_s < 0 ? (double)time_s : f->rest_s);
}

/// The clip that it goes back to, and from where in it.
static cli_exit find_return(cli_run *cli, fall *f)
{
    const simulate_take *t = &f->take;
    const cli_simulate_opts *opts = t->opts;
    f->returns = cli_given(cli, "recover") || opts->recover_s > 0;
    if (!f->returns) {
        return opts->get_up == NULL ? CLI_DONE
                                    : cli_fail(cli, CLI_USAGE, "--get-up is for --recover");
    }
    if (!(opts->recover_s > opts->release_s)) {
        return cli_fail(cli, CLI_USAGE, "expected --recover later than --release");
    }
    f->back = (simulate_return){.take = t,
                                .loops = opts->get_up == NULL,
                                .begin_s = opts->get_up == NULL ? opts->recover_s : 0,
                                .hips = f->set->bones[0].joint,
                                .ground = &f->ground,
                                .floor = f->set->box.low.y};
    if (opts->get_up != NULL) {
        return simulate_return_clips(cli, opts->get_up, &f->back);
    }
    if (t->clip == NULL) {
        return cli_fail(cli, CLI_USAGE, "--recover: expected --clip or --get-up to go on with");
    }
    f->back.clips[f->back.clip_count++] = t->clip;
    return CLI_DONE;
}

/// One frame in which the bodies have the character.
static void fall_on(fall *f, uint32_t k, bool first, lmb_transform *pose)
{
    const simulate_take *t = &f->take;
    const double dt = 1 / t->opts->fps, time_s = k * dt;
    if (first) {
        release(f, time_s, pose);
    }
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = f->ragdoll,
                                             .local = pose,
                                             .model_from_joint = t->model,
                                             .dt_s = first ? 0.0f : (float)dt,
                                             .share = 1});
    note(f, k);
    blow(f, first ? 0 : time_s - 1e-9, time_s + dt - 1e-9);
}

static cli_exit run_frames(const cli_run *cli, fall *f)
{
    const simulate_take *t = &f->take;
    const uint32_t n = t->skeleton->joint_count;
    const double dt = 1 / t->opts->fps;
    bool loose = false;
    for (uint32_t k = 0; k < t->frame_count; ++k) {
        lmb_transform *pose = t->poses + (size_t)k * n;
        const double time_s = k * dt;
        simulate_take_sample(t, time_s, pose);
        f->moments[k].time_s = (float)time_s;
        if (f->returns && loose && time_s >= t->opts->recover_s - 1e-9) {
            if (f->back.transition == NULL) {
                const cli_exit code = simulate_return_start(cli, &f->back, k);
                if (code != CLI_DONE) {
                    return code;
                }
            }
            simulate_return_step(&f->back, time_s - t->opts->recover_s, pose);
        } else if (time_s >= t->opts->release_s - 1e-9) {
            fall_on(f, k, !loose, pose);
            loose = true;
        }
    }
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------- reporting

static simulate_moment worst_of(const fall *f)
{
    simulate_moment worst = {0};
    for (uint32_t k = 0; k < f->take.frame_count; ++k) {
        const simulate_moment *m = &f->moments[k];
        worst.kinetic = fmaxf(worst.kinetic, m->kinetic);
        worst.separation = fmaxf(worst.separation, m->separation);
        worst.penetration = fmaxf(worst.penetration, m->penetration);
        worst.excess_rad = fmaxf(worst.excess_rad, m->excess_rad);
    }
    return worst;
}

static void write_bones(cli_json *json, const fall *f)
{
    cli_json_begin(json, "bones", '[');
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        const lmb_ragdoll_bone *b = &f->set->bones[i];
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "joint", f->take.skeleton->names[b->joint]);
        cli_json_number(json, "radius", b->radius);
        cli_json_number(json, "length", 2 * (b->half + b->radius));
        cli_json_number(json, "mass", b->mass);
        cli_json_number(json, "coverage", b->coverage);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void write_return(cli_json *json, const fall *f)
{
    if (f->back.transition != NULL) {
        cli_json_begin(json, "get_up", '{');
        cli_json_text(json, "lying", lmb_lying_name(f->back.way.lying));
        cli_json_integer(json, "chosen", f->back.way.chosen);
        cli_json_text(json, "clip", f->back.clip->name);
        cli_json_number(json, "difference", f->back.way.difference_m);
        cli_json_end(json, '}');
    }
}

/// The height of the lowest capsule's underside as it ended.
static float lowest_of(const fall *f)
{
    float low = INFINITY;
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        const lmb_ragdoll_bone *b = &f->set->bones[i];
        const lmb_rigid_state s = lmb_world_state(lmb_ragdoll_world(f->ragdoll), i);
        const lmb_vec3 along = lmb_quat_rotate(s.rotation, lmb_vec3_make(0, b->half, 0));
        low = fminf(low, s.position.y - fabsf(along.y) - b->radius);
    }
    return low;
}

/// Every frame's numbers, as the plot shows them.
static void write_moments(cli_json *json, const fall *f)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {{"time_s", offsetof(simulate_moment, time_s)},
                {"kinetic", offsetof(simulate_moment, kinetic)},
                {"energy", offsetof(simulate_moment, energy)},
                {"separation", offsetof(simulate_moment, separation)},
                {"penetration", offsetof(simulate_moment, penetration)},
                {"excess_rad", offsetof(simulate_moment, excess_rad)}};
    cli_json_begin(json, "moments", '{');
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        cli_json_begin(json, rows[r].name, '[');
        for (uint32_t k = 0; k < f->take.frame_count; ++k) {
            const char *moment = (const char *)&f->moments[k];
            float value;
            memcpy(&value, moment + rows[r].offset, sizeof value);
            cli_json_number(json, NULL, value);
        }
        cli_json_end(json, ']');
    }
    cli_json_end(json, '}');
}

static void report(const cli_run *cli, const fall *f)
{
    const simulate_moment worst = worst_of(f), end = f->moments[f->take.frame_count - 1];
    const float height = f->set->box.high.y - f->set->box.low.y;
    float mass = 0;
    for (uint32_t i = 0; i < f->set->bone_count; ++i) {
        mass += f->set->bones[i].mass;
    }
    cli_say(cli, "ragdoll",
            "%u bodies, %.1f kg; joints at most %.2f mm apart, %.2f mm deep, %.1f degrees past a "
            "limit",
            (unsigned)f->set->bone_count, (double)mass, 1e3 * (double)worst.separation,
            1e3 * (double)worst.penetration, (double)worst.excess_rad * 57.29577951308232);
    if (!cli->json) {
        return;
    }
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "frames", f->take.frame_count);
    cli_json_number(&json, "fps", (float)f->take.opts->fps);
    cli_json_bool(&json, "human", f->human);
    cli_json_number(&json, "height", height);
    cli_json_number(&json, "mass", mass);
    cli_json_number(&json, "separation", worst.separation);
    cli_json_number(&json, "separation_share", height > 0 ? worst.separation / height : 0);
    cli_json_number(&json, "penetration", worst.penetration);
    cli_json_number(&json, "excess_rad", worst.excess_rad);
    cli_json_number(&json, "most_kinetic", worst.kinetic);
    cli_json_number(&json, "energy_end", end.energy);
    cli_json_number(&json, "lowest", lowest_of(f));
    if (f->rest_s < 0) {
        cli_json_null(&json, "rest_s");
    } else {
        cli_json_number(&json, "rest_s", (float)f->rest_s);
    }
    write_return(&json, f);
    write_bones(&json, f);
    write_moments(&json, f);
    cli_json_end(&json, '}');
}

static cli_exit run(cli_run *cli, fall *f, lmb_character **character)
{
    const cli_simulate_opts *opts = f->take.opts;
    if (!(opts->release_s >= 0) || !(opts->mass >= 0) || !(opts->balance >= 0)) {
        return cli_fail(cli, CLI_USAGE, "expected --release, --mass and --balance of 0 or more");
    }
    cli_exit code = make_body(cli, f);
    if (code == CLI_DONE) {
        code = read_drives(cli, f);
    }
    if (code == CLI_DONE) {
        code = find_return(cli, f);
    }
    if (code != CLI_DONE) {
        return code;
    }
    f->moments = cli_resize(NULL, f->take.frame_count, sizeof *f->moments);
    memset(f->moments, 0, f->take.frame_count * sizeof *f->moments);
    code = run_frames(cli, f);
    f->take.kept = opts->keep_ground ? &f->ground : NULL;
    if (code == CLI_DONE) {
        code = simulate_take_write(cli, &f->take, character);
    }
    f->take.skeleton = (*character)->skeleton;
    if (code == CLI_DONE && opts->plot != NULL) {
        code = simulate_plot(cli, opts->plot, f->moments, f->take.frame_count);
    }
    if (code == CLI_DONE) {
        report(cli, f);
    }
    return code;
}

/// What --hit says where nothing else does: released at the first blow, awake, back after the last.
static cli_exit take_hits(const cli_run *cli, cli_simulate_opts *opts)
{
    double first_s = HUGE_VAL, last_s = 0;
    const char **all =
        cli_resize(NULL, (size_t)opts->pushes.count + (size_t)opts->hits.count, sizeof *all);
    for (int k = 0; k < opts->pushes.count; ++k) {
        all[k] = opts->pushes.items[k];
    }
    for (int k = 0; k < opts->hits.count; ++k) {
        const char *at = strrchr(opts->hits.items[k], '@');
        char *end = NULL;
        const double time_s = at != NULL ? strtod(at + 1, &end) : -1;
        if (at == NULL || end == at + 1 || *end != 0 || !(time_s >= 0)) {
            free(all);
            return cli_fail(cli, CLI_USAGE, "--hit: expected JOINT=X,Y,Z@S, found \"%s\"",
                            opts->hits.items[k]);
        }
        first_s = fmin(first_s, time_s);
        last_s = fmax(last_s, time_s);
        all[opts->pushes.count + k] = opts->hits.items[k];
    }
    opts->pushes.items = all;
    opts->pushes.count += opts->hits.count;
    opts->release_s = cli_given(cli, "release") ? opts->release_s : first_s;
    opts->balance = cli_given(cli, "balance") ? opts->balance : 3;
    opts->strength_hz = cli_given(cli, "strength") ? 0 : 4;
    opts->recover_s =
        cli_given(cli, "recover") || opts->clip == NULL ? opts->recover_s : last_s + 1.2;
    return CLI_DONE;
}

cli_exit cli_simulate_ragdoll(cli_run *cli, const cli_simulate_opts *given,
                              lmb_character **character)
{
    fall f = {.rest_s = -1};
    cli_simulate_opts opts = *given;
    const bool hit = opts.hits.count > 0;
    cli_exit code = hit ? take_hits(cli, &opts) : CLI_DONE;
    if (code == CLI_DONE) {
        code = simulate_take_start(cli, &opts, *character, &f.take);
    }
    if (code == CLI_DONE) {
        code = run(cli, &f, character);
    }
    cli_ground_end(&f.ground);
    simulate_return_end(&f.back);
    lmb_ragdoll_destroy(f.ragdoll);
    lmb_ragdoll_set_destroy(f.set);
    free(f.limits);
    free(f.drives);
    free(f.pushes);
    free(f.moments);
    simulate_take_end(&f.take);
    if (hit && opts.pushes.items != given->pushes.items) {
        free(opts.pushes.items);
    }
    return code;
}
