#include "limber/render.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "render/scene.h"

enum { LARGEST_SIDE = 16384, RESOLVE_ROWS = 8 };

typedef struct resolve {
    const lmb_render_job *job;
    const lmbi_shading *shading;
    uint32_t samples;
} resolve;

static void resolve_pixel(const resolve *r, uint32_t x, uint32_t y, uint8_t out[4])
{
    lmb_vec4 sum = {0, 0, 0, 0};
    for (uint32_t j = 0; j < r->samples; ++j) {
        for (uint32_t i = 0; i < r->samples; ++i) {
            const lmb_vec4 c = lmbi_shade(r->shading, x * r->samples + i, y * r->samples + j);
            const float cover = r->job->clear ? c.w : 1.0f;
            sum.x += c.x * cover, sum.y += c.y * cover, sum.z += c.z * cover, sum.w += cover;
        }
    }
    const float inverse = sum.w > 0 ? 1.0f / sum.w : 0;
    out[0] = lmbi_srgb_encode(sum.x * inverse);
    out[1] = lmbi_srgb_encode(sum.y * inverse);
    out[2] = lmbi_srgb_encode(sum.z * inverse);
    out[3] = (uint8_t)(255.0f * sum.w / (float)(r->samples * r->samples) + 0.5f);
}

static void resolve_rows(void *context, size_t begin, size_t end)
{
    const resolve *r = context;
    const lmb_picture picture = r->job->picture;
    for (size_t y = begin; y < end; ++y) {
        for (uint32_t x = 0; x < picture.width; ++x) {
            resolve_pixel(r, x, (uint32_t)y, &picture.rgba[4 * (y * picture.width + x)]);
        }
    }
}

static lmb_result raster_scene(const lmbi_scene *scene, const lmbi_camera *camera, lmbi_view *view,
                               const lmb_render_job *job, lmb_error *error)
{
    const size_t count = (size_t)view->width * view->height;
    view->depth = lmbi_alloc_array(job->alloc, count, sizeof(float));
    view->triangle = lmbi_alloc_array(job->alloc, count, sizeof(uint32_t));
    lmb_vec3 *screen = lmbi_alloc_array(job->alloc, scene->vertex_count, sizeof *screen);
    if (view->depth && view->triangle && screen) {
        for (uint32_t v = 0; v < scene->vertex_count; ++v) {
            screen[v] = lmbi_camera_project(camera, scene->positions[v]);
            screen[v].z = screen[v].z > 0 ? 1.0f / screen[v].z : -INFINITY;
        }
        lmbi_raster(view, screen, scene->indices, scene->triangle_count, job->jobs);
        lmbi_free(job->alloc, screen);
        return LMB_OK;
    }
    lmbi_free(job->alloc, screen);
    return lmbi_fail_memory(error);
}

static bool is_zero_box(lmb_box box)
{
    return !(lmb_vec3_distance(box.low, box.high) > 0);
}

/// The box that the camera frames, never empty.
static lmb_box frame_of(const lmb_render_job *job, const lmbi_scene *scene)
{
    lmb_box box = is_zero_box(job->frame) ? scene->box : job->frame;
    if (!(box.low.x <= box.high.x)) {
        box = (lmb_box){{-1, 0, -1}, {1, 2, 1}};
    }
    return box;
}

static lmbi_shading shading_of(const lmb_render_job *job, const lmbi_scene *scene,
                               const lmbi_camera *camera, const lmbi_view *view,
                               const lmbi_shadow *shadow, lmb_box frame)
{
    const float size = fmaxf(lmb_vec3_distance(frame.low, frame.high), 1e-9f);
    const lmb_vec3 center = lmb_vec3_scale(lmb_vec3_add(frame.low, frame.high), 0.5f);
    lmbi_shading shading = {.scene = scene, .camera = camera, .view = view, .shadow = shadow};
    shading.reach = 0.05f * size;
    shading.to_fill = lmb_vec3_normalize_or(
        lmb_vec3_mad(lmb_vec3_scale(camera->right, 0.8f), camera->forward, -0.5f), camera->right);
    shading.ground = !job->no_ground;
    shading.ground_y = job->ground_y;
    shading.ground_center = lmb_vec3_make(center.x, job->ground_y, center.z);
    shading.ground_radius = 1.9f * size;
    return shading;
}

/// From above, the viewer's left and the front, so that a face is lit from every viewing direction.
static lmb_vec3 light_direction(const lmbi_camera *camera)
{
    lmb_vec3 forward_flat = lmb_vec3_normalize_or(
        lmb_vec3_make(camera->forward.x, 0, camera->forward.z), lmb_vec3_make(0, 0, -1));
    lmb_vec3 d = lmb_vec3_mad(lmb_vec3_scale(camera->right, -0.55f), forward_flat, -0.60f);
    d.y += 0.95f;
    return lmb_vec3_normalize_or(d, lmb_vec3_make(0, 1, 0));
}

static lmb_result check_job(const lmb_render_job *job, lmb_error *error)
{
    const lmb_picture p = job->picture;
    if (p.width == 0 || p.height == 0 || p.width > LARGEST_SIDE || p.height > LARGEST_SIDE ||
        p.rgba == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a picture of 1 to 16384 pixels a side",
                         "%u x %u", p.width, p.height);
    }
    if (job->samples > 4) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "1 to 4 samples along each axis", "%u",
                         job->samples);
    }
    return LMB_OK;
}

static lmb_result draw_scene(const lmb_render_job *job, const lmbi_scene *scene, lmbi_view *view,
                             lmbi_shadow *shadow, lmb_error *error)
{
    const uint32_t samples = job->samples ? job->samples : 2;
    view->width = job->picture.width * samples;
    view->height = job->picture.height * samples;
    const lmb_box frame = frame_of(job, scene);
    const float pitch =
        job->pitch_rad < 0 || job->pitch_rad > 0 ? job->pitch_rad : 8.0f * LMB_PI / 180.0f;
    const lmbi_camera camera =
        lmbi_camera_frame(frame, job->yaw_rad, pitch, (float)view->width, (float)view->height);
    lmb_result result = raster_scene(scene, &camera, view, job, error);
    if (result == LMB_OK) {
        result = lmbi_shadow_build(shadow, scene, light_direction(&camera), job, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_shading shading = shading_of(job, scene, &camera, view, shadow, frame);
    resolve r = {job, &shading, samples};
    lmb_parallel_for(job->jobs, job->picture.height, RESOLVE_ROWS, resolve_rows, &r);
    lmbi_overlay_bones(job->picture, &camera, (float)samples, job->bones, job->bone_count);
    return LMB_OK;
}

lmb_result lmb_render(const lmb_render_job *job, lmb_error *error)
{
    lmbi_scene scene;
    lmb_result result = check_job(job, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_view view = {0};
    lmbi_shadow shadow = {0};
    result = lmbi_scene_build(job, &scene, error);
    if (result == LMB_OK) {
        result = draw_scene(job, &scene, &view, &shadow, error);
    }
    lmbi_free(job->alloc, view.depth);
    lmbi_free(job->alloc, view.triangle);
    lmbi_shadow_free(&shadow, job->alloc);
    lmbi_scene_free(&scene);
    return result;
}
