#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bake.h"
#include "shaders.h"

static GLuint buffer(GLenum target, size_t size, const void *bytes)
{
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, (GLsizeiptr)size, bytes, GL_STATIC_DRAW);
    return name;
}

static void point_attributes(const lmb_gpu_skin *layout)
{
    const lmb_gpu_layout packed = lmb_gpu_describe(layout, 1).vertices;
    const GLsizei stride = (GLsizei)packed.stride;
    for (uint32_t i = 0; i < packed.attribute_count; ++i) {
        const lmb_gpu_attribute a = packed.attributes[i];
        const void *offset = (const void *)(uintptr_t)a.offset;
        const GLint components = (GLint)a.components;
        glEnableVertexAttribArray(a.location);
        if (a.is_integer) {
            glVertexAttribIPointer(a.location, components, a.type, stride, offset);
        } else {
            glVertexAttribPointer(a.location, components, a.type, a.is_normalized, stride, offset);
        }
    }
}

/// Place and phase advance once an instance.
static void point_places(GLuint places)
{
    glBindBuffer(GL_ARRAY_BUFFER, places);
    for (GLuint k = 0; k < 2; ++k) {
        glEnableVertexAttribArray(7 + k);
        glVertexAttribPointer(7 + k, k == 0 ? 4 : 1, GL_FLOAT, GL_FALSE, 20,
                              (const void *)(uintptr_t)(16 * k));
        glVertexAttribDivisor(7 + k, 1);
    }
}

static bool start_palettes(crowd_part *part, const lmb_character *character, const lmb_skin *skin,
                           const lmb_gpu_skin *layout, uint32_t frame_count)
{
    const lmb_gpu_extent extent = lmb_gpu_describe(layout, frame_count).palettes;
    lmb_vec4 *texels = calloc(extent.allocated, sizeof(*texels));
    const bool baked = texels != NULL && bake_palettes(character, skin, layout, texels);
    glGenTextures(1, &part->palettes);
    glBindTexture(GL_TEXTURE_2D, part->palettes);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, (GLsizei)extent.width, (GLsizei)extent.height, 0,
                 GL_RGBA, GL_FLOAT, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    free(texels);
    return baked;
}

static bool start_part(crowd *c, const lmb_instance *instance, lmb_gpu_skin *layout)
{
    crowd_part *part = &c->parts[c->part_count];
    const lmb_skin *skin = c->character->skins[instance->skin];
    part->mesh = c->character->meshes[instance->mesh];
    layout->joint_count = skin->joint_count;
    layout->vertex_count = part->mesh->vertex_count;
    memcpy(part->counts, lmb_gpu_describe(layout, 1).counts, sizeof(int32_t[4]));
    const size_t stride = lmb_gpu_describe(layout, 1).vertices.stride;
    void *packed = calloc(part->mesh->vertex_count, stride);
    if (packed == NULL || part->mesh->normals == NULL) {
        free(packed);
        return false;
    }
    lmb_gpu_vertices(layout, part->mesh, packed);
    glGenVertexArrays(1, &part->vertices);
    glBindVertexArray(part->vertices);
    buffer(GL_ARRAY_BUFFER, part->mesh->vertex_count * stride, packed);
    point_attributes(layout);
    point_places(c->places);
    buffer(GL_ELEMENT_ARRAY_BUFFER, part->mesh->index_count * sizeof(uint32_t),
           part->mesh->indices);
    free(packed);
    ++c->part_count;
    return start_palettes(part, c->character, skin, layout, c->frame_count);
}

/// A square of people, 1.3 m apart and a little out of line, each at a moment of its own.
static GLuint start_places(uint32_t count, uint32_t frame_count)
{
    float *places = calloc(count, 5 * sizeof(float));
    lmb_random random = lmb_random_seed(1);
    const uint32_t side = (uint32_t)lmb_sqrt((float)count - 0.5f) + 1;
    for (uint32_t i = 0; places != NULL && i < count; ++i) {
        const float yaw = lmb_random_range(&random, -0.25f, 0.25f);
        places[5 * i] = 1.3f * ((float)(i % side) - 0.5f * (float)side) +
                        lmb_random_range(&random, -0.3f, 0.3f);
        places[5 * i + 1] = -1.3f * (float)(i / side) + lmb_random_range(&random, -0.3f, 0.3f);
        places[5 * i + 2] = lmb_cos(yaw);
        places[5 * i + 3] = lmb_sin(yaw);
        places[5 * i + 4] = (float)(lmb_random_u32(&random) % frame_count);
    }
    const GLuint name = buffer(GL_ARRAY_BUFFER, count * 5 * sizeof(float), places);
    free(places);
    return name;
}

bool crowd_start(crowd *c, const lmb_character *character, uint32_t instance_count, bool dual)
{
    *c = (crowd){.character = character, .instance_count = instance_count};
    if (character->clip_count == 0) {
        fprintf(stderr, "the character has no clip\n");
        return false;
    }
    lmb_gpu_skin layout = {.language = LMB_GPU_GLSL_330,
                           .method = dual ? LMB_GPU_DUAL_SCALE : LMB_GPU_LINEAR,
                           .palettes = LMB_GPU_TEXTURE,
                           .wide_joints = true,
                           .normals = true};
    c->frame_count = bake_frame_count(character->clips[0]);
    c->places = start_places(instance_count, c->frame_count);
    c->program = shaders_link(&layout);
    for (uint32_t i = 0; i < character->instance_count && c->part_count < 16; ++i) {
        if (character->instances[i].skin != LMB_NONE) {
            start_part(c, &character->instances[i], &layout);
        }
    }
    if (c->part_count == 0) {
        fprintf(stderr, "the character has no skinned mesh with normals\n");
    }
    return c->program != 0 && floor_start(&c->floor, c->places) && c->part_count > 0;
}
