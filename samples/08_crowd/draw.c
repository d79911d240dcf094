#include "crowd.h"

#include "limber/limber.h"
#include "shaders.h"

static GLint place_of(const crowd *c, const char *name)
{
    return glGetUniformLocation(c->program, name);
}

static lmb_vec4 color_of(const crowd *c, const lmb_primitive *primitive)
{
    const lmb_appearance *look = c->character->appearance;
    if (look == NULL || primitive->material == LMB_NONE) {
        return (lmb_vec4){0.55f, 0.5f, 0.46f, 1};
    }
    return look->materials[primitive->material].base_color;
}

static void draw_part(const crowd *c, const crowd_part *part)
{
    glBindVertexArray(part->vertices);
    glBindTexture(GL_TEXTURE_2D, part->palettes);
    glUniform4iv(place_of(c, "lmb_counts"), 1, part->counts);
    for (uint32_t i = 0; i < part->mesh->primitive_count; ++i) {
        const lmb_primitive *primitive = &part->mesh->primitives[i];
        const lmb_vec4 color = color_of(c, primitive);
        glUniform4f(place_of(c, "base_color"), color.x, color.y, color.z, 1);
        if (primitive->topology == LMB_TRIANGLES) {
            const uintptr_t offset = primitive->first_index * sizeof(uint32_t);
            glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)primitive->index_count, GL_UNSIGNED_INT,
                                    (const void *)offset, (GLsizei)c->instance_count);
        }
    }
}

void crowd_draw(const crowd *c, lmb_mat4 clip_from_world, lmb_vec3 eye, uint32_t frame)
{
    glClearColor(0.674f, 0.73f, 0.793f, 1); // the haze as a screen shows it: to the power 1 / 2.2
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(c->program);
    glUniformMatrix4fv(place_of(c, "clip_from_world"), 1, GL_FALSE, clip_from_world.m);
    glUniform3f(place_of(c, "eye"), eye.x, eye.y, eye.z);
    glUniform3fv(place_of(c, "haze"), 1, crowd_haze);
    glUniform1i(place_of(c, "lmb_palettes"), 0);
    glUniform1i(place_of(c, "frame"), (GLint)(frame % c->frame_count));
    glUniform1i(place_of(c, "frame_count"), (GLint)c->frame_count);
    for (uint32_t i = 0; i < c->part_count; ++i) {
        draw_part(c, &c->parts[i]);
    }
    floor_draw(&c->floor, clip_from_world, eye, c->instance_count);
}
