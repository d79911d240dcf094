#include "render/scene.h"

#include <math.h>

#include "math/scalar.h"

typedef struct point2 {
    float x, y;
} point2;

static void mix_pixel(lmb_picture picture, int32_t x, int32_t y, const uint8_t color[3],
                      float coverage)
{
    uint8_t *pixel = &picture.rgba[4 * ((size_t)y * picture.width + (size_t)x)];
    for (int k = 0; k < 3; ++k) {
        pixel[k] =
            (uint8_t)((float)pixel[k] + ((float)color[k] - (float)pixel[k]) * coverage + 0.5f);
    }
    pixel[3] = (uint8_t)fmaxf((float)pixel[3], 255.0f * coverage);
}

/// Signed distance from p to a capsule whose radius goes from ra at a to rb at b; negative inside.
static float capsule_distance(point2 p, point2 a, point2 b, float ra, float rb)
{
    const float dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const float t =
        length2 > 0 ? lmbi_saturatef(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2) : 0;
    const float ex = p.x - a.x - t * dx, ey = p.y - a.y - t * dy;
    return sqrtf(ex * ex + ey * ey) - (ra + (rb - ra) * t);
}

static int32_t clamp_to(float x, uint32_t high)
{
    return x <= 0 ? 0 : (x >= (float)high ? (int32_t)high : (int32_t)x);
}

static void draw_capsule(lmb_picture picture, point2 a, point2 b, float ra, float rb,
                         const uint8_t color[3], float strength)
{
    const float r = fmaxf(ra, rb) + 2;
    const int32_t x0 = clamp_to(fminf(a.x, b.x) - r, picture.width),
                  x1 = clamp_to(fmaxf(a.x, b.x) + r + 1, picture.width);
    const int32_t y0 = clamp_to(fminf(a.y, b.y) - r, picture.height),
                  y1 = clamp_to(fmaxf(a.y, b.y) + r + 1, picture.height);
    for (int32_t y = y0; y < y1; ++y) {
        for (int32_t x = x0; x < x1; ++x) {
            const point2 p = {(float)x + 0.5f, (float)y + 0.5f};
            const float coverage =
                lmbi_saturatef(0.5f - capsule_distance(p, a, b, ra, rb)) * strength;
            if (coverage > 0) {
                mix_pixel(picture, x, y, color, coverage);
            }
        }
    }
}

static bool project(const lmbi_camera *camera, lmb_vec3 p, float per_pixel, point2 *out)
{
    const lmb_vec3 s = lmbi_camera_project(camera, p);
    *out = (point2){s.x / per_pixel, s.y / per_pixel};
    return s.z > 0;
}

static void bone_color(const lmb_render_bone *bone, uint8_t out[3])
{
    const bool given = bone->color.x > 0 || bone->color.y > 0 || bone->color.z > 0;
    const lmb_vec4 c = given ? bone->color : (lmb_vec4){0.95f, 0.30f, 0.02f, 1};
    out[0] = lmbi_srgb_encode(c.x);
    out[1] = lmbi_srgb_encode(c.y);
    out[2] = lmbi_srgb_encode(c.z);
}

void lmbi_overlay_bones(lmb_picture picture, const lmbi_camera *camera, float per_pixel,
                        const lmb_render_bone *bones, uint32_t bone_count)
{
    static const uint8_t dark[3] = {30, 24, 20}, light[3] = {255, 250, 240};
    const float unit = fmaxf(
        1.0f, (float)(picture.width < picture.height ? picture.width : picture.height) / 360.0f);
    for (uint32_t b = 0; b < bone_count; ++b) {
        point2 head, tail;
        uint8_t color[3];
        if (project(camera, bones[b].head, per_pixel, &head) &&
            project(camera, bones[b].tail, per_pixel, &tail)) {
            bone_color(&bones[b], color);
            draw_capsule(picture, head, tail, 2.6f * unit, 1.1f * unit, dark, 0.7f);
            draw_capsule(picture, head, tail, 2.0f * unit, 0.6f * unit, color, 0.95f);
        }
    }
    for (uint32_t b = 0; b < bone_count; ++b) {
        point2 head;
        if (project(camera, bones[b].head, per_pixel, &head)) {
            draw_capsule(picture, head, head, 2.6f * unit, 2.6f * unit, dark, 0.9f);
            draw_capsule(picture, head, head, 1.7f * unit, 1.7f * unit, light, 1.0f);
        }
    }
}
