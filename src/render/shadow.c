#include "render/scene.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { MAP_SIZE = 1024 };

static lmb_vec3 to_map(const lmbi_shadow *shadow, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_sub(p, shadow->center);
    return lmb_vec3_make(0.5f * MAP_SIZE + lmb_vec3_dot(d, shadow->right) * shadow->scale,
                         0.5f * MAP_SIZE - lmb_vec3_dot(d, shadow->up) * shadow->scale,
                         lmb_vec3_dot(d, shadow->to_light));
}

lmb_result lmbi_shadow_build(lmbi_shadow *shadow, const lmbi_scene *scene, lmb_vec3 to_light,
                             const lmb_render_job *job, lmb_error *error)
{
    memset(shadow, 0, sizeof *shadow);
    shadow->to_light = to_light;
    shadow->right = lmb_vec3_any_perpendicular(to_light);
    shadow->up = lmb_vec3_cross(to_light, shadow->right);
    shadow->center = lmb_vec3_scale(lmb_vec3_add(scene->box.low, scene->box.high), 0.5f);
    const float radius = 0.5f * lmb_vec3_distance(scene->box.low, scene->box.high);
    shadow->scale = 0.49f * MAP_SIZE / fmaxf(radius, 1e-9f);
    shadow->view = (lmbi_view){.width = MAP_SIZE, .height = MAP_SIZE};
    shadow->view.depth = lmbi_alloc_array(job->alloc, (size_t)MAP_SIZE * MAP_SIZE, sizeof(float));
    lmb_vec3 *screen = lmbi_alloc_array(job->alloc, scene->vertex_count, sizeof *screen);
    if (shadow->view.depth == NULL || screen == NULL) {
        lmbi_free(job->alloc, screen);
        lmbi_shadow_free(shadow, job->alloc);
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < scene->vertex_count; ++v) {
        screen[v] = to_map(shadow, scene->positions[v]);
    }
    lmbi_raster(&shadow->view, screen, scene->indices, scene->triangle_count, job->jobs);
    lmbi_free(job->alloc, screen);
    return LMB_OK;
}

void lmbi_shadow_free(lmbi_shadow *shadow, const lmb_allocator *alloc)
{
    lmbi_free(alloc, shadow->view.depth);
    shadow->view.depth = NULL;
}

static float lit_at(const lmbi_shadow *shadow, int32_t x, int32_t y, float height)
{
    if (x < 0 || y < 0 || x >= MAP_SIZE || y >= MAP_SIZE) {
        return 1;
    }
    return shadow->view.depth[(size_t)y * MAP_SIZE + (size_t)x] > height ? 0.0f : 1.0f;
}

float lmbi_shadow_light(const lmbi_shadow *shadow, lmb_vec3 p, float bias)
{
    const lmb_vec3 m = to_map(shadow, p);
    const float x = floorf(m.x - 0.5f), y = floorf(m.y - 0.5f);
    if (!(fabsf(x) < 1e6f && fabsf(y) < 1e6f)) {
        return 1;
    }
    const float fx = m.x - 0.5f - x, fy = m.y - 0.5f - y, height = m.z + bias;
    float sum = 0;
    // a 3 x 3 box filter at subtexel position: 4 x 4 taps with fractional borders
    for (int dy = -1; dy <= 2; ++dy) {
        const float wy = dy == -1 ? 1 - fy : (dy == 2 ? fy : 1.0f);
        for (int dx = -1; dx <= 2; ++dx) {
            const float wx = dx == -1 ? 1 - fx : (dx == 2 ? fx : 1.0f);
            sum += wx * wy * lit_at(shadow, (int32_t)x + dx, (int32_t)y + dy, height);
        }
    }
    return sum / 9.0f;
}
