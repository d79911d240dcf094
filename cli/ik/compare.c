/// `limber ik --compare`: every solver on the same goals from the same pose, and what is left after
/// every iteration.
#include "cli/ik/ik.h"
#include "cli/plot.h"

#include "limber/os.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 30, WIDTH = 720, HEIGHT = 440, LEFT = 70, RIGHT = 20, TOP = 20, BOTTOM = 40 };

typedef struct trial {
    ik_solver solver;
    float
        left[STEPS +
             /// the root of the mean square over the targets, model units, after so many iterations
             1];
    uint32_t iterations, limits_hit;
    double seconds;
} trial;

static float mean_left(const ik_task *task, const float *left)
{
    float sum = 0;
    uint32_t count = 0;
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        if (task->goals[g].goal.kind == LMB_GOAL_POSITION && !task->goals[g].kept) {
            sum += left[g] * left[g];
            ++count;
        }
    }
    return count > 0 ? sqrtf(sum / (float)count) : 0.0f;
}

static float start_left(const ik_task *task, const lmb_transform *pose)
{
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    float *left = cli_resize(NULL, task->goal_count, sizeof *left);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        left[g] = lmb_vec3_distance(lmb_mat4_translation(model[task->goals[g].goal.joint]),
                                    task->goals[g].goal.target);
    }
    const float mean = mean_left(task, left);
    free(model);
    free(left);
    return mean;
}

static void run_trial(ik_task *task, const lmb_transform *pose, trial *t)
{
    const uint32_t joints = task->figure.character->skeleton->joint_count;
    lmb_transform *work = cli_resize(NULL, joints, sizeof *work);
    task->solver = t->solver;
    t->left[0] = start_left(task, pose);
    for (uint32_t k = 1; k <= STEPS; ++k) {
        memcpy(work, pose, joints * sizeof *work);
        task->most = k;
        const double begun = lmb_clock_s();
        ik_outcome outcome = ik_task_solve(task, work);
        t->seconds = lmb_clock_s() - begun;
        t->left[k] = mean_left(task, outcome.left);
        t->iterations = outcome.iterations;
        t->limits_hit = outcome.limits_hit;
        ik_outcome_free(&outcome);
    }
    free(work);
}

// --------------------------------------------------------------------------------------- the plot

static const uint8_t colors[IK_SOLVER_COUNT][3] = {
    {214, 80, 40}, {40, 110, 200}, {60, 150, 70}, {150, 70, 170}, {190, 150, 20}};
static const char *const color_names[IK_SOLVER_COUNT] = {"red", "blue", "green", "violet",
                                                         "yellow"};

static float plot_x(float iteration)
{
    return (float)LEFT + iteration / (float)STEPS * (float)(WIDTH - LEFT - RIGHT);
}

/// Logarithmic: from 10 m at the top to a thousandth of a millimetre.
static float plot_y(float left)
{
    const float exponent = log10f(fmaxf(left, 1e-6f));
    return (float)TOP + (1.0f - exponent) / 7.0f * (float)(HEIGHT - TOP - BOTTOM);
}

static void draw_grid(lmb_picture p)
{
    static const uint8_t grey[3] = {222, 222, 222}, dark[3] = {120, 120, 120};
    static const char *const marks[8] = {"1e4mm", "1e3mm",  "100mm",  "10mm",
                                         "1mm",   "1e-1mm", "1e-2mm", "1e-3mm"};
    char text[16];
    for (int k = 0; k < 8; ++k) {
        const float y = plot_y(powf(10.0f, (float)(1 - k)));
        cli_plot_line(p, (float)LEFT, y, (float)(WIDTH - RIGHT), y, 1, grey);
        cli_plot_label(p, LEFT - 8 - 8 * (int)strlen(marks[k]), (int)y - 5, marks[k]);
    }
    for (int k = 0; k <= STEPS; k += 5) {
        cli_plot_line(p, plot_x((float)k), (float)TOP, plot_x((float)k), (float)(HEIGHT - BOTTOM),
                      1, grey);
        snprintf(text, sizeof text, "%d", k);
        cli_plot_label(p, (int)plot_x((float)k) - 4 * (int)strlen(text), HEIGHT - BOTTOM + 10,
                       text);
    }
    cli_plot_line(p, (float)LEFT, (float)TOP, (float)LEFT, (float)(HEIGHT - BOTTOM), 1, dark);
    cli_plot_line(p, (float)LEFT, (float)(HEIGHT - BOTTOM), (float)(WIDTH - RIGHT),
                  (float)(HEIGHT - BOTTOM), 1, dark);
}

static cli_exit draw_trials(const cli_run *cli, const trial *trials, uint32_t count)
{
    lmb_picture p = {WIDTH, HEIGHT, cli_resize(NULL, (size_t)WIDTH * HEIGHT, 4)};
    memset(p.rgba, 255, (size_t)WIDTH * HEIGHT * 4);
    draw_grid(p);
    for (uint32_t t = 0; t < count; ++t) {
        for (int k = 0; k < STEPS; ++k) {
            cli_plot_line(p, plot_x((float)k), plot_y(trials[t].left[k]), plot_x((float)(k + 1)),
                          plot_y(trials[t].left[k + 1]), 2, colors[trials[t].solver]);
        }
    }
    const cli_exit code = cli_png_write(cli, p, cli->output);
    free(p.rgba);
    return code;
}

// -------------------------------------------------------------------------------------- the table

static void print_table(const trial *trials, uint32_t count, bool drawn)
{
    printf("%-10s %-7s %10s %10s %10s %10s %10s %8s\n", "solver", drawn ? "colour" : "", "start mm",
           "1", "5", "10", "30", "limits");
    for (uint32_t t = 0; t < count; ++t) {
        const trial *x = &trials[t];
        printf("%-10s %-7s %10.3f %10.4f %10.4f %10.4f %10.4f %8u\n", ik_solver_name(x->solver),
               drawn ? color_names[x->solver] : "", 1e3 * (double)x->left[0],
               1e3 * (double)x->left[1], 1e3 * (double)x->left[5], 1e3 * (double)x->left[10],
               1e3 * (double)x->left[STEPS], (unsigned)x->limits_hit);
    }
}

static void print_json(const trial *trials, uint32_t count)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_begin(&json, "solvers", '[');
    for (uint32_t t = 0; t < count; ++t) {
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "solver", ik_solver_name(trials[t].solver));
        cli_json_integer(&json, "iterations", trials[t].iterations);
        cli_json_integer(&json, "limits_hit", trials[t].limits_hit);
        cli_json_begin(&json, "left", '[');
        for (int k = 0; k <= STEPS; ++k) {
            cli_json_number(&json, NULL, trials[t].left[k]);
        }
        cli_json_end(&json, ']');
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

cli_exit ik_compare(cli_run *cli, ik_task *task, const lmb_transform *pose)
{
    trial trials[IK_SOLVER_COUNT];
    uint32_t count = 0;
    for (int solver = 0; solver < IK_SOLVER_COUNT; ++solver) {
        task->solver = (ik_solver)solver;
        if (ik_solver_lacks(task) == NULL) {
            memset(&trials[count], 0, sizeof trials[count]);
            trials[count].solver = (ik_solver)solver;
            run_trial(task, pose, &trials[count++]);
        }
    }
    for (uint32_t t = 0; t < count; ++t) {
        cli_detail(cli, ik_solver_name(trials[t].solver), "%.1f us, %u iterations",
                   1e6 * trials[t].seconds, (unsigned)trials[t].iterations);
    }
    if (cli->json) {
        print_json(trials, count);
    } else {
        print_table(trials, count, cli->output != NULL);
    }
    return cli->output != NULL ? draw_trials(cli, trials, count) : CLI_DONE;
}
