#include "io/skinned/md5.h"

static lmb_result read_anims(lmbi_md5 *m, const lmb_md5_anim *anims, uint32_t count)
{
    m->model.clips = lmbi_arena_array(&m->model.arena, count, sizeof *m->model.clips);
    if (m->model.clips == NULL) {
        return lmbi_fail_memory(m->error);
    }
    for (uint32_t k = 0; k < count; ++k) {
        lmbi_skinned_clip *clip = &m->model.clips[k];
        const lmb_result result =
            lmbi_md5_read_anim(m, anims[k].bytes.data, anims[k].bytes.size, clip);
        if (result != LMB_OK) {
            return result;
        }
        clip->name = anims[k].name != NULL ? anims[k].name : "motion";
        m->model.clip_count += clip->frame_count > 0;
    }
    return LMB_OK;
}

lmb_result lmb_md5_read(const void *mesh, size_t mesh_size, const lmb_md5_anim *anims,
                        uint32_t anim_count, const lmb_md5_read_opts *opts,
                        const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    const lmb_md5_read_opts defaults = {0};
    opts = opts ? opts : &defaults;
    lmbi_md5 m = {.notes = opts->notes, .error = error};
    m.model.loader = opts->loader;
    m.model.notes = opts->notes;
    lmbi_arena_init(&m.model.arena, alloc);
    lmb_result result = LMB_OK;
    if (mesh != NULL) {
        result = lmbi_md5_read_mesh(&m, mesh, mesh_size);
    }
    if (result == LMB_OK) {
        result = read_anims(&m, anims, anim_count);
    }
    if (result == LMB_OK) {
        const float unit_m = opts->unit_m > 0 ? opts->unit_m : 0.0254f;
        const lmb_axis up = opts->up != LMB_AXIS_AUTO ? opts->up : LMB_AXIS_Z;
        result = lmbi_skinned_build(&m.model, unit_m, up, alloc, out, error);
    }
    lmbi_arena_free(&m.model.arena);
    return result;
}
