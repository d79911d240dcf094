// The main job as a user runs it: a still mesh and a 300-frame motion in, a walking character out,
// on one core.
// Seconds of processor time and peak memory of the whole process, for meshes of 20 000 and 1 000
// 000 triangles.
#define _DEFAULT_SOURCE // wait4
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char hierarchy[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 95 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\n"
    "JOINT Spine\n{\nOFFSET 0 12 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
    "Chest\n{\nOFFSET 0 20 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Neck\n{\nOFFSET 0 22 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Head\n{\nOFFSET "
    "0 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 18 0\n}\n}\n}\n"
    "JOINT LeftArm\n{\nOFFSET 18 18 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
    "LeftForeArm\n{\nOFFSET 28 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftHand\n{\nOFFSET 25 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
    "Site\n{\nOFFSET 16 0 0\n}\n}\n}\n}\n"
    "JOINT RightArm\n{\nOFFSET -18 18 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
    "RightForeArm\n{\nOFFSET -28 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT RightHand\n{\nOFFSET -25 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
    "Site\n{\nOFFSET -16 0 0\n}\n}\n}\n}\n}\n}\n"
    "JOINT LeftUpLeg\n{\nOFFSET 9 -5 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
    "LeftLeg\n{\nOFFSET 0 -42 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftFoot\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
    "Site\n{\nOFFSET 0 -8 15\n}\n}\n}\n}\n"
    "JOINT RightUpLeg\n{\nOFFSET -9 -5 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
    "RightLeg\n{\nOFFSET 0 -42 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT RightFoot\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
    "Site\n{\nOFFSET 0 -8 15\n}\n}\n}\n}\n}\n";

enum { FRAMES = 300, JOINTS = 17, LEFT_ARM = 5, RIGHT_ARM = 8, LEFT_LEG = 11, RIGHT_LEG = 14 };

/// Legs and arms swing against each other while the hips go forward.
static int write_motion(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return 0;
    }
    fprintf(file, "%sMOTION\nFrames: %d\nFrame Time: 0.0166667\n", hierarchy, FRAMES);
    for (int f = 0; f < FRAMES; ++f) {
        const double swing = sin(f * 0.12);
        fprintf(file, "0 95 %.4f", f * 2.0);
        for (int j = 0; j < JOINTS; ++j) {
            const double z = j == LEFT_ARM ? -70 : (j == RIGHT_ARM ? 70 : 0);
            const double side =
                j == LEFT_LEG || j == RIGHT_ARM ? 1 : (j == RIGHT_LEG || j == LEFT_ARM ? -1 : 0);
            const double knee =
                j == LEFT_LEG + 1 || j == RIGHT_LEG + 1 ? 15 + 15 * cos(f * 0.12) : 0;
            fprintf(file, " %.4f %.4f 0", z, 25 * side * swing + knee);
        }
        fputc('\n', file);
    }
    return fclose(file) == 0;
}

typedef struct cost {
    double cpu_s, wall_s;
    long peak_kib;
    int status;
} cost;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cost run(char *const arguments[])
{
    cost c = {.status = -1};
    struct rusage usage;
    const double begin = now();
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments);
        _exit(127);
    }
    if (child > 0 && wait4(child, &c.status, 0, &usage) == child) {
        c.wall_s = now() - begin;
        c.cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                  1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        c.peak_kib = usage.ru_maxrss;
    }
    return c;
}

static size_t file_size(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return 0;
    }
    const long size = ftell(file);
    fclose(file);
    return size > 0 ? (size_t)size : 0;
}

/// Seconds to copy that many bytes in memory: the floor under anything that reads and writes them.
static double copy_s(size_t size)
{
    char *from = malloc(size + 1), *to = malloc(size + 1);
    double best = 1e9;
    for (int k = 0; from && to && k < 5; ++k) {
        memset(from, k, size + 1);
        const double begin = now();
        memcpy(to, from, size);
        const double took = now() - begin;
        best = took + 0 * to[size / 2] < best ? took : best;
    }
    free(from);
    free(to);
    return best;
}

static int measure(const char *limber, const char *folder, const char *triangles)
{
    char mesh[512], motion[512], result[512];
    snprintf(mesh, sizeof mesh, "%s/mesh.obj", folder);
    snprintf(motion, sizeof motion, "%s/motion.bvh", folder);
    snprintf(result, sizeof result, "%s/result.glb", folder);
    const char *sample[] = {limber,    "sample", "humanoid", "--seed", "7", "--triangles",
                            triangles, "-o",     mesh,       "-q",     NULL};
    const char *animate[] = {limber, "animate",   mesh, motion, "-o",
                             result, "--threads", "1",  "-q",   NULL};
    if (!write_motion(motion) || run((char *const *)(void *)sample).status != 0) {
        fprintf(stderr, "main_job: no input could be made in %s\n", folder);
        return 1;
    }
    cost best = {.wall_s = 1e9};
    for (int k = 0; k < 3; ++k) {
        const cost c = run((char *const *)(void *)animate);
        if (c.status != 0) {
            fprintf(stderr, "main_job: animate ended with status %d\n", c.status);
            return 1;
        }
        best = c.wall_s < best.wall_s ? c : best;
    }
    const size_t bytes = file_size(mesh) + file_size(motion) + file_size(result);
    printf("{\"bench\":\"main_job\",\"build\":\"%s\",\"triangles\":%s,\"frames\":%d,\"wall_s\":%."
           "3f,\"cpu_s\":%.3f,\"peak_mib\":%.1f,\"bytes\":%zu,\"copy_s\":%.5f}\n",
           LMBI_BUILD, triangles, FRAMES, best.wall_s, best.cpu_s, (double)best.peak_kib / 1024.0,
           bytes, copy_s(bytes));
    remove(mesh);
    remove(motion);
    remove(result);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    char limber[1024], folder[] = "/tmp/limber_main_job_XXXXXX";
    const char *slash = strrchr(argv[0], '/');
    const char *given = getenv("LIMBER");
    snprintf(limber, sizeof limber, "%.*s/../limber", slash ? (int)(slash - argv[0]) : 1,
             slash ? argv[0] : ".");
    if (mkdtemp(folder) == NULL) {
        perror("main_job");
        return 1;
    }
    const int failed = measure(given ? given : limber, folder, "20000") ||
                       measure(given ? given : limber, folder, "1000000");
    rmdir(folder);
    return failed;
}
