/// `limber simulate --ragdoll` of a character of one rigid body: a mesh without a skeleton, a prop
/// on its node.
#include "cli/simulate/ragdoll.h"

#include <math.h>
#include <string.h>

typedef struct piece {
    simulate_fall *f;
    uint32_t joint; ///< that carries it
    lmb_rigid_fit fit;
    lmb_world *world;
    lmb_mat4 joint_from_body; ///< at rest
} piece;

static lmb_mat4 matrix_of(lmb_vec3 at, lmb_quat rotation)
{
    return lmb_mat4_from_transform(
        (lmb_transform){.translation = at, .rotation = rotation, .scale = {1, 1, 1}});
}

static cli_exit fit_body(const cli_run *cli, piece *p)
{
    const simulate_take *t = &p->f->take;
    lmb_surface *surface = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_character_surface(t->character, NULL, &surface, &error);
    if (result == LMB_OK) {
        const lmb_ground_mesh mesh = {surface->positions, surface->vertex_count, surface->triangles,
                                      3 * surface->triangle_count};
        const lmb_rigid_fit_opts want = {.mass = (float)t->opts->mass};
        result = lmb_rigid_fit_mesh(&mesh, &want, NULL, &p->fit, &error);
    }
    lmb_surface_destroy(surface);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the body", result, &error);
    }
    lmb_mat4 back;
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = t->skeleton, .model_from_joint = t->model});
    if (!lmb_mat4_inverse_affine(t->model[p->joint], &back)) {
        return cli_fail(cli, CLI_INPUT, "%s: expected a node of some size", cli->inputs[0]);
    }
    p->joint_from_body = lmb_mat4_mul(back, matrix_of(p->fit.body.position, p->fit.body.rotation));
    return CLI_DONE;
}

static cli_exit make_world(const cli_run *cli, piece *p)
{
    lmb_rigid_shape shapes[LMB_RIGID_SHAPES + 1];
    uint32_t count = p->fit.shape_count;
    memcpy(shapes, p->fit.shapes, count * sizeof *shapes);
    if (p->f->ground.is_there) {
        shapes[count++] = p->f->ground.shape;
    }
    for (uint32_t k = 0; k < p->fit.shape_count; ++k) {
        shapes[k].static_friction = 0.7f;
        shapes[k].dynamic_friction = 0.6f;
        shapes[k].restitution = 0.2f;
    }
    lmb_error error = {0};
    const lmb_world_def def = {.body_count = 1,
                               .bodies = &p->fit.body,
                               .shape_count = count,
                               .shapes = shapes,
                               .gravity = {0, -9.81f, 0}};
    const lmb_result result = lmb_world_create(&def, NULL, &p->world, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the body", result, &error);
}

/// The body's transform in the clip.
static lmb_transform body_at(piece *p, double time_s, lmb_transform *pose)
{
    lmb_transform out;
    simulate_take_sample(&p->f->take, time_s, pose);
    lmb_mat4_decompose(lmb_mat4_mul(p->f->take.model[p->joint], p->joint_from_body), &out);
    return out;
}

static void release(piece *p, double time_s, double dt, lmb_transform *pose)
{
    lmb_rigid_state s = {0};
    const lmb_transform before = body_at(p, time_s >= dt ? time_s - dt : time_s, pose),
                        now = body_at(p, time_s, pose);
    lmb_quat by = lmb_quat_mul(now.rotation, lmb_quat_conjugate(before.rotation));
    by = by.w < 0 ? (lmb_quat){-by.x, -by.y, -by.z, -by.w} : by;
    s.position = now.translation;
    s.rotation = now.rotation;
    s.velocity = lmb_vec3_scale(lmb_vec3_sub(now.translation, before.translation), (float)(1 / dt));
    s.spin = lmb_vec3_scale(lmb_vec3_make(by.x, by.y, by.z), (float)(2 / dt));
    lmb_world_set_state(p->world, 0, &s);
}

/// Sets the joint from the body's transform.
static void show(const piece *p, lmb_transform *pose)
{
    const simulate_take *t = &p->f->take;
    const lmb_rigid_state s = lmb_world_state(p->world, 0);
    const int32_t parent = t->skeleton->parents[p->joint];
    lmb_mat4 body_from_joint, parent_from_model = lmb_mat4_identity();
    lmb_mat4_inverse_affine(p->joint_from_body, &body_from_joint);
    if (parent != LMB_NONE) {
        lmb_mat4_inverse_affine(t->model[parent], &parent_from_model);
    }
    const lmb_mat4 model = lmb_mat4_mul(matrix_of(s.position, s.rotation), body_from_joint);
    lmb_mat4_decompose(lmb_mat4_mul(parent_from_model, model), &pose[p->joint]);
}

static void note(piece *p, uint32_t frame)
{
    simulate_fall *f = p->f;
    lmb_world_report r;
    lmb_world_measure(p->world, &r);
    f->tracks.items[FALL_KINETIC].values[frame] = (float)r.kinetic;
    f->tracks.items[FALL_PENETRATION].values[frame] = r.penetration;
    f->tracks.items[FALL_ENERGY].values[frame] = (float)(r.kinetic + r.potential);
    const double time_s = frame / f->take.opts->fps;
    f->rest_s = r.asleep_count == 0 ? -1 : (f->rest_s < 0 ? time_s : f->rest_s);
}

static void run_frames(piece *p)
{
    const simulate_take *t = &p->f->take;
    const double dt = 1 / t->opts->fps;
    bool loose = false;
    for (uint32_t k = 0; k < t->frame_count; ++k) {
        lmb_transform *pose = t->poses + (size_t)k * t->skeleton->joint_count;
        const double time_s = k * dt;
        simulate_take_sample(t, time_s, pose);
        if (time_s < t->opts->release_s - 1e-9) {
            continue;
        }
        if (!loose) {
            release(p, time_s, dt, pose);
        } else {
            lmb_world_step(p->world, (float)dt);
        }
        for (uint32_t i = 0; i < p->f->push_count; ++i) {
            const simulate_push *push = &p->f->pushes[i];
            if (push->time_s >= time_s - 1e-9 && push->time_s < time_s + dt - 1e-9) {
                lmb_world_push(p->world, 0, push->impulse, lmb_world_state(p->world, 0).position);
            }
        }
        loose = true;
        show(p, pose);
        note(p, k);
    }
}

static void write_shapes(cli_json *json, const lmb_rigid_fit *fit)
{
    static const char *const names[] = {"sphere", "capsule", "box"};
    cli_json_begin(json, "shapes", '[');
    for (uint32_t k = 0; k < fit->shape_count; ++k) {
        const lmb_rigid_shape *s = &fit->shapes[k];
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "kind", names[s->kind]);
        if (s->kind == LMB_RIGID_BOX) {
            cli_json_number(json, "width", 2 * s->half.x);
            cli_json_number(json, "height", 2 * s->half.y);
            cli_json_number(json, "depth", 2 * s->half.z);
        } else {
            cli_json_number(json, "radius", s->radius);
            cli_json_number(json, "length", 2 * (s->half.y + s->radius));
        }
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void report_piece(const cli_run *cli, const piece *p)
{
    const simulate_fall *f = p->f;
    const float deep = simulate_track_most(&f->tracks, FALL_PENETRATION);
    cli_say(cli, "body", "one piece of %u shapes, %.3g kg, %s; %.2f mm deep",
            (unsigned)p->fit.shape_count, (double)p->fit.body.mass,
            p->fit.is_closed ? "closed" : "open: its volume is that of boxes", 1e3 * (double)deep);
    if (!cli->json) {
        return;
    }
    cli_json json = simulate_fall_json(cli, f);
    cli_json_number(&json, "mass", p->fit.body.mass);
    cli_json_number(&json, "volume", p->fit.volume);
    cli_json_bool(&json, "closed", p->fit.is_closed);
    cli_json_number(&json, "fill", p->fit.fill);
    cli_json_number(&json, "penetration", deep);
    if (f->rest_s < 0) {
        cli_json_null(&json, "rest_s");
    } else {
        cli_json_number(&json, "rest_s", (float)f->rest_s);
    }
    write_shapes(&json, &p->fit);
    simulate_tracks_write(&json, &f->tracks);
    cli_json_end(&json, '}');
}

cli_exit simulate_fall_rigid(cli_run *cli, simulate_fall *f, lmb_character **character)
{
    const cli_simulate_opts *opts = f->take.opts;
    piece p = {.f = f, .joint = f->plan.set->bones[0].joint};
    if (opts->recover_s > 0 || opts->balance > 0 || opts->strengths.count > 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--recover, --balance and --strength are for a body with joints; `limber "
                        "rig` puts a skeleton in %s",
                        cli->inputs[0]);
    }
    cli_exit code = fit_body(cli, &p);
    if (code == CLI_DONE) {
        code = make_world(cli, &p);
    }
    if (code == CLI_DONE) {
        run_frames(&p);
        f->take.kept = opts->keep_ground ? &f->ground : NULL;
        code = simulate_take_write(cli, &f->take, character);
    }
    if (code == CLI_DONE && opts->plot != NULL) {
        code = simulate_tracks_plot(cli, opts->plot, &f->tracks);
    }
    if (code == CLI_DONE) {
        report_piece(cli, &p);
    }
    lmb_world_destroy(p.world);
    return code;
}
