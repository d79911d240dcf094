/// Writes a skeleton and its clips as a .limb file.
#include <string.h>

#include "anim/limb.h"
#include "base/error.h"
#include "base/text.h"

static void write_u32(lmbi_text *out, uint32_t word)
{
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    lmbi_text_bytes(out, bytes, sizeof(bytes));
}

static void write_f32(lmbi_text *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    write_u32(out, bits);
}

static void write_floats(lmbi_text *out, const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        write_f32(out, values[i]);
    }
}

static void write_padding(lmbi_text *out)
{
    static const uint8_t zeros[4];
    lmbi_text_bytes(out, zeros, (4 - (out->size & 3u)) & 3u);
}

static void write_text(lmbi_text *out, const char *text)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    write_u32(out, (uint32_t)length);
    lmbi_text_bytes(out, text != NULL ? text : "", length);
    write_padding(out);
}

/// Begins a section. Returns the offset of its size field.
static size_t begin_section(lmbi_text *out, uint32_t tag)
{
    write_u32(out, tag);
    write_u32(out, 1);
    const size_t at = out->size;
    write_u32(out, 0);
    write_u32(out, 0);
    return at;
}

static void end_section(lmbi_text *out, size_t at)
{
    if (!out->failed) {
        uint64_t size = out->size - at - 8;
        for (size_t i = 0; i < 8; ++i, size >>= 8) {
            out->data[at + i] = (uint8_t)size;
        }
    }
}

static void write_limit(lmbi_text *out, const lmb_joint_limit *limit)
{
    const float fields[LIMB_LIMIT_FLOATS] = {limit->axis.x,
                                             limit->axis.y,
                                             limit->axis.z,
                                             limit->swing_rad,
                                             limit->twist_min_rad,
                                             limit->twist_max_rad,
                                             limit->side.x,
                                             limit->side.y,
                                             limit->side.z,
                                             limit->swing_side_rad[0],
                                             limit->swing_side_rad[1],
                                             limit->swing_across_rad[0]};
    const float last[7] = {limit->swing_across_rad[1], limit->box.low.x,  limit->box.low.y,
                           limit->box.low.z,           limit->box.high.x, limit->box.high.y,
                           limit->box.high.z};
    write_u32(out, (uint32_t)limit->kind);
    write_floats(out, fields, LIMB_LIMIT_FLOATS);
    write_u32(out, limit->has_box);
    write_floats(out, last, 7);
}

static void write_skeleton(lmbi_text *out, const lmb_skeleton *s)
{
    const size_t at = begin_section(out, LIMB_SKELETON);
    write_text(out, s->name);
    write_u32(out, s->joint_count);
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        write_u32(out, (uint32_t)s->parents[j]);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        float fields[10];
        memcpy(fields, &s->rest[j], sizeof(fields));
        write_floats(out, fields, 10);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        write_text(out, s->names[j]);
    }
    write_u32(out, s->tips != NULL);
    for (uint32_t j = 0; s->tips != NULL && j < s->joint_count; ++j) {
        write_floats(out, &s->tips[j].x, 3);
    }
    write_u32(out, s->limits != NULL);
    for (uint32_t j = 0; s->limits != NULL && j < s->joint_count; ++j) {
        write_limit(out, &s->limits[j]);
    }
    end_section(out, at);
}

static void write_clip(lmbi_text *out, const lmb_clip *clip)
{
    write_text(out, clip->name);
    write_f32(out, clip->ticks_per_s);
    write_f32(out, clip->duration);
    write_f32(out, clip->frame_rate);
    write_u32(out, clip->channel_count);
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        const uint32_t head[] = {channel->joint, (uint32_t)channel->path,
                                 (uint32_t)channel->interpolation, channel->width,
                                 channel->key_count};
        for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); ++i) {
            write_u32(out, head[i]);
        }
        const size_t per_key = channel->interpolation == LMB_CUBIC ? 3 : 1;
        write_floats(out, channel->ticks, channel->key_count);
        write_floats(out, channel->values, (size_t)channel->key_count * channel->width * per_key);
    }
}

static void write_packed(lmbi_text *out, const lmb_packed_clip *packed)
{
    const size_t at = begin_section(out, LIMB_PACKED);
    write_text(out, packed->name);
    write_u32(out, packed->word_count);
    for (uint32_t w = 0; w < packed->word_count; ++w) {
        write_u32(out, packed->words[w]);
    }
    write_u32(out, packed->exact != NULL);
    if (packed->exact != NULL) {
        write_clip(out, packed->exact);
    }
    end_section(out, at);
}

static lmb_result check_joints(const lmb_limb_file *limb, lmb_error *error)
{
    const uint32_t count = limb->skeleton->joint_count;
    const char *expected = "clips of the skeleton's joints";
    for (uint32_t c = 0; c < limb->clip_count; ++c) {
        for (uint32_t k = 0; k < limb->clips[c]->channel_count; ++k) {
            const uint32_t joint = limb->clips[c]->channels[k].joint;
            if (joint >= count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, expected, "joint %u of %u", joint,
                                 count);
            }
        }
    }
    for (uint32_t c = 0; c < limb->packed_count; ++c) {
        if (limb->packed[c]->joint_count != count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, expected, "%u joints for %u",
                             limb->packed[c]->joint_count, count);
        }
    }
    return LMB_OK;
}

lmb_result lmb_limb_file_write(const lmb_limb_file *limb, const lmb_allocator *alloc,
                               lmb_buffer *out, lmb_error *error)
{
    const lmb_result checked = check_joints(limb, error);
    if (checked != LMB_OK) {
        return checked;
    }
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    write_u32(&text, LIMB_MAGIC);
    write_u32(&text, LIMB_VERSION);
    write_skeleton(&text, limb->skeleton);
    for (uint32_t c = 0; c < limb->clip_count; ++c) {
        const size_t at = begin_section(&text, LIMB_CLIP);
        write_clip(&text, limb->clips[c]);
        end_section(&text, at);
    }
    for (uint32_t c = 0; c < limb->packed_count; ++c) {
        write_packed(&text, limb->packed[c]);
    }
    return lmbi_buffer_take(&text, out, error);
}
