/// Deep comparison of characters, number for number; 0 and -0 are equal.
#ifndef TESTS_IO_CHARACTERS_H
#define TESTS_IO_CHARACTERS_H

#include "io/files.h"

static inline bool test_same_influences(const lmb_mesh *a, const lmb_mesh *b)
{
    const size_t n = a->vertex_count;
    if (!test_same(a->influences.first, b->influences.first, (n + 1) * sizeof(uint32_t))) {
        return false;
    }
    for (uint32_t k = 0; a->influences.first && k < a->influences.first[n]; ++k) {
        if (a->influences.items[k].joint != b->influences.items[k].joint ||
            !test_same_floats(&a->influences.items[k].weight, &b->influences.items[k].weight, 1)) {
            return false;
        }
    }
    return true;
}

static inline const char *test_targets_difference(const lmb_mesh *a, const lmb_mesh *b)
{
    if (a->target_count != b->target_count) {
        return "target count";
    }
    for (uint32_t t = 0; t < a->target_count; ++t) {
        const lmb_morph_target *p = &a->targets[t], *q = &b->targets[t];
        const size_t n = (size_t)a->vertex_count * 3;
        if (!test_same_text(p->name, q->name) || !test_same_floats(p->positions, q->positions, n) ||
            !test_same_floats(p->normals, q->normals, n) ||
            !test_same_floats(p->tangents, q->tangents, n)) {
            return "a morph target";
        }
    }
    return test_same_floats(a->target_weights, b->target_weights, a->target_count)
               ? NULL
               : "target weights";
}

static inline const char *test_whole_mesh_difference(const lmb_mesh *a, const lmb_mesh *b)
{
    const char *difference = test_mesh_difference(a, b);
    if (difference) {
        return difference;
    }
    if (!test_same_text(a->name, b->name) || !test_same_text(a->carried, b->carried)) {
        return "mesh name or carried text";
    }
    if (!test_same_floats(a->tangents, b->tangents, (size_t)a->vertex_count * 4)) {
        return "tangents";
    }
    for (int k = 0; k < LMB_UV_SETS; ++k) {
        if (!test_same_floats(a->uvs[k], b->uvs[k], (size_t)a->vertex_count * 2)) {
            return "further uvs";
        }
    }
    for (int k = 0; k < LMB_COLOR_SETS; ++k) {
        if (!test_same_floats(a->colors[k], b->colors[k], (size_t)a->vertex_count * 4)) {
            return "colors";
        }
    }
    for (uint32_t p = 0; p < a->primitive_count; ++p) {
        if (!test_same_text(a->primitives[p].carried, b->primitives[p].carried)) {
            return "a primitive's carried text";
        }
    }
    difference = test_targets_difference(a, b);
    return difference ? difference : test_same_influences(a, b) ? NULL : "influences";
}

static inline const char *test_skeleton_difference(const lmb_skeleton *a, const lmb_skeleton *b)
{
    const size_t n = a->joint_count;
    if (a->joint_count != b->joint_count ||
        !test_same(a->parents, b->parents, n * sizeof(int32_t))) {
        return "joint tree";
    }
    if (!test_same(a->source_index, b->source_index, n * sizeof(uint32_t))) {
        return "node order";
    }
    if (!test_same_floats(a->rest, b->rest, n * sizeof(lmb_transform) / sizeof(float))) {
        return "rest pose";
    }
    for (size_t j = 0; j < n; ++j) {
        const char *p = a->carried ? a->carried[j] : NULL, *q = b->carried ? b->carried[j] : NULL;
        if (!test_same_text(a->names[j], b->names[j]) || !test_same_text(p, q)) {
            return "a joint's name or carried text";
        }
    }
    return NULL;
}

static inline const char *test_skin_difference(const lmb_skin *a, const lmb_skin *b)
{
    if (a->joint_count != b->joint_count ||
        !test_same(a->joints, b->joints, a->joint_count * sizeof(uint32_t))) {
        return "skin joints";
    }
    if (a->bind_was_missing != b->bind_was_missing || a->root != b->root ||
        !test_same_text(a->name, b->name) || !test_same_text(a->carried, b->carried)) {
        return "skin members";
    }
    return test_same_floats(a->joint_from_bind, b->joint_from_bind, (size_t)a->joint_count * 16)
               ? NULL
               : "inverse bind matrices";
}

static inline const char *test_clip_difference(const lmb_clip *a, const lmb_clip *b)
{
    if (a->channel_count != b->channel_count || !test_same_text(a->name, b->name) ||
        !test_same_text(a->carried, b->carried) ||
        !test_same_floats(&a->duration, &b->duration, 1)) {
        return "clip members";
    }
    for (uint32_t c = 0; c < a->channel_count; ++c) {
        const lmb_channel *p = &a->channels[c], *q = &b->channels[c];
        const size_t parts = p->interpolation == LMB_CUBIC ? 3 : 1;
        if (p->joint != q->joint || p->path != q->path || p->interpolation != q->interpolation ||
            p->width != q->width || p->key_count != q->key_count ||
            !test_same_floats(p->ticks, q->ticks, p->key_count) ||
            !test_same_floats(p->values, q->values, p->key_count * parts * p->width)) {
            return "a channel";
        }
    }
    return NULL;
}

static inline const char *test_look_difference(const lmb_appearance *a, const lmb_appearance *b)
{
    if (a->material_count != b->material_count || a->texture_count != b->texture_count ||
        a->image_count != b->image_count || a->sampler_count != b->sampler_count) {
        return "look counts";
    }
    for (uint32_t k = 0; k < a->material_count; ++k) {
        const lmb_material *p = &a->materials[k], *q = &b->materials[k];
        if (!test_same_text(p->name, q->name) || !test_same_text(p->gltf, q->gltf) ||
            p->base_color_texture != q->base_color_texture ||
            !test_same_floats(&p->base_color, &q->base_color, 4) ||
            p->double_sided != q->double_sided) {
            return "a material";
        }
    }
    for (uint32_t k = 0; k < a->texture_count; ++k) {
        if (a->textures[k].image != b->textures[k].image ||
            !test_same_text(a->textures[k].gltf, b->textures[k].gltf)) {
            return "a texture";
        }
    }
    for (uint32_t k = 0; k < a->image_count; ++k) {
        const lmb_image *p = &a->images[k], *q = &b->images[k];
        if (!test_same_text(p->name, q->name) || !test_same_text(p->mime, q->mime) ||
            !test_same_text(p->uri, q->uri) || !test_same_text(p->carried, q->carried) ||
            p->byte_count != q->byte_count || !test_same(p->bytes, q->bytes, p->byte_count)) {
            return "an image";
        }
    }
    for (uint32_t k = 0; k < a->sampler_count; ++k) {
        if (!test_same_text(a->samplers[k], b->samplers[k])) {
            return "a sampler";
        }
    }
    if (!test_same_text(a->extensions_used, b->extensions_used) ||
        !test_same_text(a->extensions_required, b->extensions_required)) {
        return "extension lists";
    }
    return test_same_text(a->carried, b->carried) ? NULL : "the look's carried text";
}

static inline const char *test_instances_difference(const lmb_character *a, const lmb_character *b)
{
    if (a->instance_count != b->instance_count) {
        return "instance count";
    }
    for (uint32_t k = 0; k < a->instance_count; ++k) {
        const lmb_instance *p = &a->instances[k], *q = &b->instances[k];
        if (p->joint != q->joint || p->mesh != q->mesh || p->skin != q->skin ||
            !test_same_floats(p->target_weights, q->target_weights,
                              a->meshes[p->mesh]->target_count)) {
            return "an instance";
        }
    }
    return NULL;
}

/// NULL when equal, else what differs first.
static inline const char *test_character_difference(const lmb_character *a, const lmb_character *b)
{
    const char *difference = test_skeleton_difference(a->skeleton, b->skeleton);
    if (a->mesh_count != b->mesh_count || a->skin_count != b->skin_count ||
        a->clip_count != b->clip_count || !test_same_text(a->name, b->name)) {
        return "counts or name";
    }
    for (uint32_t k = 0; !difference && k < a->mesh_count; ++k) {
        difference = test_whole_mesh_difference(a->meshes[k], b->meshes[k]);
    }
    for (uint32_t k = 0; !difference && k < a->skin_count; ++k) {
        difference = test_skin_difference(a->skins[k], b->skins[k]);
    }
    for (uint32_t k = 0; !difference && k < a->clip_count; ++k) {
        difference = test_clip_difference(a->clips[k], b->clips[k]);
    }
    if (!difference) {
        difference = test_look_difference(a->appearance, b->appearance);
    }
    return difference ? difference : test_instances_difference(a, b);
}

#endif
