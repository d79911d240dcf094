#include "render/scene.h"

#include <math.h>

#include "math/scalar.h"

// ---------------------------------------------------------------------------------------- textures

/// sRGB to linear by a polynomial (error at most 0.002): a pow per channel and tap is too slow.
static float to_linear(uint8_t byte)
{
    const float s = (float)byte * (1.0f / 255.0f);
    return s * (s * (s * 0.305306011f + 0.682171111f) + 0.012522878f);
}

static lmb_vec3 texel(const lmb_picture *texture, int64_t x, int64_t y)
{
    const int64_t w = texture->width, h = texture->height;
    const size_t column = (size_t)(((x % w) + w) % w), row = (size_t)(((y % h) + h) % h);
    const uint8_t *p = &texture->rgba[4 * (row * texture->width + column)];
    return lmb_vec3_make(to_linear(p[0]), to_linear(p[1]), to_linear(p[2]));
}

static lmb_vec3 sample_texture(const lmb_picture *texture, lmb_vec2 uv)
{
    const float u = uv.x - floorf(uv.x), v = uv.y - floorf(uv.y);
    if (!(u >= 0 && v >= 0)) {
        return lmb_vec3_make(1, 1, 1); // NaN
    }
    const float x = u * (float)texture->width - 0.5f, y = v * (float)texture->height - 0.5f;
    const float x0 = floorf(x), y0 = floorf(y);
    const int64_t column = (int64_t)x0, row = (int64_t)y0;
    const lmb_vec3 top =
        lmb_vec3_lerp(texel(texture, column, row), texel(texture, column + 1, row), x - x0);
    const lmb_vec3 bottom =
        lmb_vec3_lerp(texel(texture, column, row + 1), texel(texture, column + 1, row + 1), x - x0);
    return lmb_vec3_lerp(top, bottom, y - y0);
}

// ----------------------------------------------------------------------------------------- shading

static const lmb_vec3 sky_light = {0.36f, 0.40f, 0.46f};
static const lmb_vec3 floor_light = {0.22f, 0.20f, 0.18f};
static const lmb_vec3 key_light = {0.98f, 0.93f, 0.85f};
static const lmb_vec3 fill_light = {0.14f, 0.17f, 0.22f};

/// Ambient occlusion from depth (Mittring 2007, with a fixed pattern): 1 is open; about half of the
/// nearby samples lying in front within reach make it darkest.
static float ambient_occlusion(const lmbi_shading *s, uint32_t x, uint32_t y, float z)
{
    static const float ring[8][2] = {{1, 0},  {0.7f, 0.7f},   {0, 1},  {-0.7f, 0.7f},
                                     {-1, 0}, {-0.7f, -0.7f}, {0, -1}, {0.7f, -0.7f}};
    const float radius = s->reach * s->camera->focal / z;
    float occlusion = 0;
    for (int k = 0; k < 16; ++k) {
        const float radius_fraction = k < 8 ? 1.0f : 0.45f;
        const int32_t px = (int32_t)x + (int32_t)(ring[k & 7][0] * radius * radius_fraction),
                      py = (int32_t)y + (int32_t)(ring[k & 7][1] * radius * radius_fraction);
        if (px < 0 || py < 0 || px >= (int32_t)s->view->width || py >= (int32_t)s->view->height) {
            continue;
        }
        const float depth = s->view->depth[(size_t)py * s->view->width + (size_t)px];
        const float in_front = depth > 0 ? z - 1.0f / depth : 0;
        occlusion += lmbi_saturatef(in_front / (0.3f * s->reach)) *
                     lmbi_saturatef(3.0f - 2.0f * in_front / s->reach);
    }
    return 1.0f - 0.75f * lmbi_saturatef(occlusion / 12.0f);
}

static lmb_vec3 interpolate(const lmb_vec3 *values, const uint32_t *t, lmb_vec3 w)
{
    return lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(values[t[0]], w.x), values[t[1]], w.y),
                        values[t[2]], w.z);
}

/// Barycentric weights of a point in a triangle's plane, clamped because slivers make them
/// unbounded.
static lmb_vec3 weights_at(lmb_vec3 a, lmb_vec3 b, lmb_vec3 c, lmb_vec3 p)
{
    const lmb_vec3 u = lmb_vec3_sub(b, a), v = lmb_vec3_sub(c, a), w = lmb_vec3_sub(p, a);
    const float uu = lmb_vec3_dot(u, u), uv = lmb_vec3_dot(u, v), vv = lmb_vec3_dot(v, v);
    const float wu = lmb_vec3_dot(w, u), wv = lmb_vec3_dot(w, v), area = uu * vv - uv * uv;
    const float inverse = area > 0 ? 1.0f / area : 0;
    const float s = lmbi_saturatef((vv * wu - uv * wv) * inverse),
                t = lmbi_saturatef((uu * wv - uv * wu) * inverse);
    return lmb_vec3_make(lmbi_saturatef(1 - s - t), s, t);
}

static lmb_vec3 shade_point(const lmbi_shading *s, lmb_vec3 p, lmb_vec3 n, lmb_vec3 albedo,
                            lmb_vec3 to_eye, float open)
{
    const float key = lmbi_saturatef(lmb_vec3_dot(n, s->shadow->to_light));
    // Normal offset against self-shadowing, larger at grazing light, where a texel spans more
    // height.
    const float lift = (1.5f + 6.0f * (1.0f - key)) / s->shadow->scale;
    const float shadow =
        key > 0 ? lmbi_shadow_light(s->shadow, lmb_vec3_mad(p, n, lift), 2.0f / s->shadow->scale)
                : 0;
    const lmb_vec3 around =
        lmb_vec3_scale(lmb_vec3_lerp(floor_light, sky_light, 0.5f + 0.5f * n.y), open);
    lmb_vec3 light = lmb_vec3_mad(around, key_light, key * shadow);
    light = lmb_vec3_mad(light, fill_light, lmbi_saturatef(lmb_vec3_dot(n, s->to_fill)) * open);
    const lmb_vec3 half = lmb_vec3_normalize_or(lmb_vec3_add(s->shadow->to_light, to_eye), n);
    float gloss = lmbi_saturatef(lmb_vec3_dot(n, half));
    gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss; // power of 16
    const float rim = 1.0f - lmbi_saturatef(lmb_vec3_dot(n, to_eye));
    const float sheen = 0.10f * gloss * shadow + 0.10f * rim * rim * rim * open;
    return lmb_vec3_add(lmb_vec3_mul(albedo, light), lmb_vec3_make(sheen, sheen, sheen));
}

static lmb_vec3 albedo_at(const lmbi_scene *scene, uint32_t triangle, lmb_vec3 w)
{
    const uint32_t *t = &scene->indices[3 * triangle];
    const lmb_vec3 color = interpolate(scene->colors, t, w);
    if (scene->textures[triangle] == NULL) {
        return color;
    }
    const lmb_vec2 a = scene->uvs[t[0]], b = scene->uvs[t[1]], c = scene->uvs[t[2]];
    const lmb_vec2 uv = {a.x * w.x + b.x * w.y + c.x * w.z, a.y * w.x + b.y * w.y + c.y * w.z};
    return lmb_vec3_mul(color, sample_texture(scene->textures[triangle], uv));
}

static lmb_vec3 shade_triangle(const lmbi_shading *s, uint32_t x, uint32_t y, uint32_t triangle,
                               float depth)
{
    const lmbi_scene *scene = s->scene;
    const uint32_t *t = &scene->indices[3 * triangle];
    const float z = 1.0f / depth;
    const lmb_vec3 ray = lmbi_camera_ray(s->camera, (float)x + 0.5f, (float)y + 0.5f);
    const lmb_vec3 p = lmb_vec3_mad(s->camera->eye, ray, z);
    const lmb_vec3 to_eye = lmb_vec3_normalize_or(lmb_vec3_neg(ray), lmb_vec3_make(0, 0, 1));
    const lmb_vec3 w =
        weights_at(scene->positions[t[0]], scene->positions[t[1]], scene->positions[t[2]], p);
    lmb_vec3 n = lmb_vec3_normalize_or(interpolate(scene->normals, t, w), to_eye);
    if (lmb_vec3_dot(n, to_eye) < 0) {
        n = lmb_vec3_neg(n);
    }
    return shade_point(s, p, n, albedo_at(scene, triangle, w), to_eye,
                       ambient_occlusion(s, x, y, z));
}

/// Grid line intensity at coordinate v: 1 on a multiple of the spacing, 0 from `width` metres off.
static float grid_line(float v, float spacing, float width)
{
    const float from_line = fabsf(v / spacing - floorf(v / spacing + 0.5f)) * spacing;
    return lmbi_saturatef(1.0f - from_line / width);
}

static lmb_vec3 backdrop(const lmbi_shading *s, uint32_t y)
{
    const float t = (float)y / (float)s->view->height;
    return lmb_vec3_lerp(lmb_vec3_make(0.70f, 0.75f, 0.80f), lmb_vec3_make(0.86f, 0.87f, 0.87f), t);
}

/// The floor's colour at this sample, with its opacity in w: 0 where the ray misses the floor or it
/// has faded out.
static lmb_vec4 shade_ground(const lmbi_shading *s, uint32_t x, uint32_t y)
{
    const lmb_vec3 ray = lmbi_camera_ray(s->camera, (float)x + 0.5f, (float)y + 0.5f);
    const float z = ray.y < -1e-6f ? (s->ground_y - s->camera->eye.y) / ray.y : -1;
    if (!(z > 0)) {
        return (lmb_vec4){0, 0, 0, 0};
    }
    const lmb_vec3 p = lmb_vec3_mad(s->camera->eye, ray, z);
    const float fade =
        1.0f - lmbi_saturatef(lmb_vec3_distance(p, s->ground_center) / s->ground_radius);
    const float spacing = s->ground_radius * 0.125f, width = 1.5f * z / s->camera->focal;
    const float line = fmaxf(grid_line(p.x, spacing, width), grid_line(p.z, spacing, width));
    const float shadow = lmbi_shadow_light(s->shadow, p, 1.0f / s->shadow->scale);
    const float bright = (0.80f - 0.30f * line) * (0.42f + 0.58f * shadow);
    return (lmb_vec4){bright, bright, bright * 0.99f, fade};
}

lmb_vec4 lmbi_shade(const lmbi_shading *s, uint32_t x, uint32_t y)
{
    const size_t at = (size_t)y * s->view->width + x;
    const uint32_t triangle = s->view->triangle[at];
    if (triangle != LMBI_NO_TRIANGLE) {
        const lmb_vec3 c = shade_triangle(s, x, y, triangle, s->view->depth[at]);
        return (lmb_vec4){c.x, c.y, c.z, 1};
    }
    const lmb_vec3 back = backdrop(s, y);
    const lmb_vec4 floor_color = s->ground ? shade_ground(s, x, y) : (lmb_vec4){0, 0, 0, 0};
    const lmb_vec3 c = lmb_vec3_lerp(
        back, lmb_vec3_make(floor_color.x, floor_color.y, floor_color.z), floor_color.w);
    return (lmb_vec4){c.x, c.y, c.z, 0};
}
