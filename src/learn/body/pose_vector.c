/// The poses of all scans as one vector: for each joint the rotation vector from a reference rotation, and translations.
#include <math.h>
#include <string.h>

#include "learn/body/matrix.h"
#include "learn/body/population.h"

size_t lmbi_population_pose_size(const lmbi_population *p)
{
    return (size_t)p->scan_count * (3 * (size_t)p->body.joint_count + 3);
}

void lmbi_population_keep_reference(lmbi_population *p)
{
    const size_t count = 9 * (size_t)p->body.joint_count;
    for (uint32_t f = 0; f < p->scan_count; ++f) {
        memcpy(p->reference + f * count, p->poses[f].rotations, count * sizeof(double));
    }
}

void lmbi_population_poses_out(const lmbi_population *p, double *out)
{
    for (uint32_t f = 0; f < p->scan_count; ++f) {
        for (uint32_t j = 0; j < p->body.joint_count; ++j, out += 3) {
            const size_t at = 9 * ((size_t)f * p->body.joint_count + j);
            double between[9];
            lmbi_m3_mul_transpose(p->poses[f].rotations + 9 * (size_t)j, p->reference + at,
                                  between);
            lmbi_m3_rotation_vector(between, out);
        }
        memcpy(out, p->poses[f].translation, 3 * sizeof *out);
        out += 3;
    }
}

void lmbi_population_poses_in(lmbi_population *p, const double *from)
{
    for (uint32_t f = 0; f < p->scan_count; ++f) {
        for (uint32_t j = 0; j < p->body.joint_count; ++j, from += 3) {
            const size_t at = 9 * ((size_t)f * p->body.joint_count + j);
            double by[9];
            lmbi_m3_rotation_by(from, by);
            lmbi_m3_mul(by, p->reference + at, p->poses[f].rotations + 9 * (size_t)j);
        }
        memcpy(p->poses[f].translation, from, 3 * sizeof *from);
        from += 3;
        lmbi_scan_pose_update(&p->body, lmbi_population_joints(p, p->person_of[f]), &p->poses[f]);
    }
}
