/// Joint maps as JSON files: sections of human bones and of chains.
#include "base/text.h"
#include "mapping/mapping.h"

lmb_result lmb_map_read(const void *bytes, size_t size, const char *section,
                        const lmb_map_section *into, const lmb_allocator *alloc, bool *found,
                        lmb_error *error)
{
    lmb_joint_map joints = {0};
    lmb_chain_map chains = {0};
    bool has_joints = false, has_chains = false;
    lmb_result result = LMB_OK;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    if (into->joints != NULL) {
        joints = *into->joints;
        result = lmbi_bone_section_read(bytes, size, section, into->skeleton, &arena, &joints,
                                        &has_joints, error);
    }
    if (result == LMB_OK && into->chains != NULL) {
        chains = *into->chains;
        result = lmbi_chain_section_read(bytes, size, section, into->skeleton, &arena, &chains,
                                         &has_chains, error);
    }
    lmbi_arena_free(&arena);
    if (result != LMB_OK) {
        return result;
    }
    if (into->joints != NULL) {
        *into->joints = joints;
    }
    if (into->chains != NULL) {
        *into->chains = chains;
    }
    *found = has_joints || has_chains;
    return LMB_OK;
}

static void write_section(lmbi_text *text, const char *name, const lmb_map_section *section)
{
    lmbi_text_format(text, ",\n  \"%s\": {", name);
    if (section->joints != NULL) {
        lmbi_bone_section_write(text, section->joints, section->skeleton);
    }
    if (section->chains != NULL) {
        lmbi_text_add(text, section->joints != NULL ? "," : "");
        lmbi_chain_section_write(text, section->chains, section->skeleton);
    }
    lmbi_text_add(text, "\n  }");
}

lmb_result lmb_map_write(const lmb_map_section *character, const lmb_map_section *motion,
                         const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_text_add(&text, "{\n  \"limber\": \"joint map\"");
    if (character != NULL) {
        write_section(&text, "character", character);
    }
    if (motion != NULL) {
        write_section(&text, "motion", motion);
    }
    lmbi_text_add(&text, "\n}\n");
    return lmbi_buffer_take(&text, out, error);
}
