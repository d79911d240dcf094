#include "io/bvh/build.h"

static void fill_info(const lmbi_bvh *bvh, lmb_bvh_info *info)
{
    info->joint_count = (uint32_t)bvh->joint_count;
    info->root_count = bvh->root_count;
    info->end_site_count = bvh->end_site_count;
    info->channel_count = bvh->channel_count;
    info->declared_frames = bvh->declared_frames;
    info->frame_count = bvh->frame_count;
    info->frame_time_s = bvh->frame_time_s;
}

lmb_result lmb_bvh_read(const void *bytes, size_t size, const lmb_bvh_read_opts *opts,
                        const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmbi_bvh_builder b = {.error = error};
    lmbi_bvh bvh = {.alloc = alloc};
    if (opts) {
        b.opts = *opts;
    }
    lmbi_arena_init(&b.arena, alloc);
    bvh.decimal_comma = b.opts.decimal_comma;
    bvh.notes = &b.info.notes;
    b.bvh = &bvh;
    lmb_result result = lmbi_bvh_parse(&bvh, bytes, size, error);
    if (result == LMB_OK) {
        result = lmbi_bvh_build(&b, out);
    }
    if (result == LMB_OK && b.opts.info) {
        fill_info(&bvh, &b.info);
        *b.opts.info = b.info;
    }
    lmbi_arena_free(&b.arena);
    lmbi_bvh_free(&bvh);
    return result;
}
