/// Lays out the moving tracks in octets, banks and channels.
#include <math.h>

#include "anim/pack.h"
#include "math/scalar.h"

static packed_octet *add_octet(pack *p, packed_kind kind)
{
    pack_bank *bank = p->bank_count > 0 ? &p->banks[p->bank_count - 1] : NULL;
    if (bank == NULL || bank->layout.octet_count == PACKED_OCTETS) {
        bank = &p->banks[p->bank_count++];
        bank->first_channel = p->channel_count;
    }
    packed_octet *octet = &bank->layout.octets[bank->layout.octet_count++];
    octet->kind = kind;
    return octet;
}

static void add_channel(pack *p, packed_kind kind, uint32_t item, uint32_t component, uint32_t slot)
{
    pack_bank *bank = &p->banks[p->bank_count - 1];
    const uint32_t octet = bank->layout.octet_count - 1;
    p->channels[p->channel_count++] = (pack_channel){.bank = p->bank_count - 1,
                                                     .slot = octet * PACKED_OCTET_SLOTS + slot,
                                                     .kind = kind,
                                                     .item = item,
                                                     .component = component};
    ++bank->channel_count;
}

static void add_joints(pack *p, uint32_t path, packed_kind kind)
{
    packed_octet *octet = NULL;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        if (p->states[path][j] != PACK_MOVING) {
            continue;
        }
        if (octet == NULL || octet->count == PACKED_LANES) {
            octet = add_octet(p, kind);
        }
        const uint32_t lane = octet->count++;
        octet->items[lane] = (uint16_t)j;
        for (uint32_t c = 0; c < 3; ++c) {
            add_channel(p, kind, j, c, PACKED_LANES * c + lane);
        }
    }
}

static void add_weights(pack *p)
{
    packed_octet *octet = NULL;
    for (uint32_t i = 0; i < p->weight_count; ++i) {
        if (p->weight_states[i] != PACK_MOVING) {
            octet = NULL; // an octet's weights are consecutive
            continue;
        }
        if (octet == NULL || octet->count == PACKED_OCTET_SLOTS) {
            octet = add_octet(p, PACKED_WEIGHT);
            octet->items[0] = (uint16_t)i;
        }
        add_channel(p, PACKED_WEIGHT, i, 0, octet->count++);
    }
}

static bool alloc_channels(pack *p)
{
    size_t tracks = 0, weights = 0;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        for (uint32_t path = 0; path < 3; ++path) {
            tracks += p->states[path][j] == PACK_MOVING;
        }
    }
    for (uint32_t i = 0; i < p->weight_count; ++i) {
        weights += p->weight_states[i] == PACK_MOVING;
    }
    p->channels = lmbi_arena_array(&p->arena, 3 * tracks + weights, sizeof(pack_channel));
    p->banks = lmbi_arena_array(&p->arena, tracks + weights + 1, sizeof(pack_bank));
    return p->channels != NULL && p->banks != NULL;
}

// ---------------------------------------------------------------------- channels that do not move

/// Range of a channel. Often a component of a moving track is constant: few joints rotate about all
/// three axes.
typedef struct value_range {
    float low, high;
} value_range;

static float channel_value(const pack_channel *channel, const lmb_transform *pose)
{
    const lmb_transform *t = &pose[channel->item];
    if (channel->kind == PACKED_ROTATION) {
        const lmb_quat q = t->rotation;
        const float v[3] = {q.x, q.y, q.z};
        return v[channel->component] * (q.w < 0 ? -1.0f : 1.0f) * 0.5f;
    }
    const lmb_vec3 xyz = channel->kind == PACKED_SCALE ? t->scale : t->translation;
    const float v[3] = {xyz.x, xyz.y, xyz.z};
    return v[channel->component];
}

static bool is_constant(const pack *p, const pack_channel *channel, value_range r, float *value)
{
    const float limit = 0.02f * p->precision;
    const float lever_arm = fmaxf(p->lever_arms[channel->item], p->precision);
    *value = 0;
    if (channel->kind == PACKED_ROTATION) {
        return fmaxf(fabsf(r.low), fabsf(r.high)) * 4 * lever_arm <= limit;
    }
    *value = r.low + (r.high - r.low) * 0.5f;
    return (r.high - r.low) * (channel->kind == PACKED_SCALE ? lever_arm : 1.0f) <= limit;
}

static bool measure_ranges(pack *p, value_range *ranges)
{
    lmb_transform *pose =
        lmbi_arena_array(&p->arena, p->skeleton->joint_count, sizeof(lmb_transform));
    uint32_t *cursors = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    if (pose == NULL || cursors == NULL) {
        return false;
    }
    for (uint32_t s = 0; s < p->sample_count; ++s) {
        lmbi_pack_sample_source(p, 2 * s, cursors, pose, NULL);
        for (uint32_t c = 0; c < p->channel_count; ++c) {
            if (p->channels[c].kind != PACKED_WEIGHT) {
                const float v = channel_value(&p->channels[c], pose);
                ranges[c].low = s == 0 || v < ranges[c].low ? v : ranges[c].low;
                ranges[c].high = s == 0 || v > ranges[c].high ? v : ranges[c].high;
            }
        }
    }
    return true;
}

/// Removes constant channels and stores their values in their bank.
static bool drop_constant_channels(pack *p)
{
    value_range *ranges = lmbi_arena_array(&p->arena, p->channel_count, sizeof(value_range));
    if (ranges == NULL || !measure_ranges(p, ranges)) {
        return false;
    }
    uint32_t kept = 0, at = 0;
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        pack_bank *bank = &p->banks[b];
        const uint32_t end = at + bank->channel_count;
        bank->fixed =
            lmbi_arena_array(&p->arena, (size_t)bank->channel_count * 2, sizeof(uint32_t));
        if (bank->fixed == NULL) {
            return false;
        }
        bank->first_channel = kept;
        for (; at < end; ++at) {
            const pack_channel channel = p->channels[at];
            float value = 0;
            if (channel.kind == PACKED_WEIGHT || !is_constant(p, &channel, ranges[at], &value)) {
                p->channels[kept++] = channel;
            } else if (value < 0 || value > 0) {
                bank->fixed[2 * bank->layout.fixed_count] = channel.slot;
                bank->fixed[2 * bank->layout.fixed_count++ + 1] = lmbi_bits_of_float(value);
            }
        }
        bank->channel_count = kept - bank->first_channel;
    }
    p->channel_count = kept;
    return true;
}

bool lmbi_pack_layout(pack *p)
{
    if (!alloc_channels(p)) {
        return false;
    }
    add_joints(p, LMB_PATH_ROTATION, PACKED_ROTATION);
    add_joints(p, LMB_PATH_TRANSLATION, PACKED_TRANSLATION);
    add_joints(p, LMB_PATH_SCALE, PACKED_SCALE);
    add_weights(p);
    return drop_constant_channels(p);
}
