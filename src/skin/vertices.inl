// The vertices in the lanes, from blocks or loose, with their loads and stores.

/// The vertices of the lanes: from a block, or loose ones.
typedef struct vertices {
    const uint16_t *index; ///< within the chunk
    size_t base,
        /// first lane of the block, and the offset of these lanes in it; or the first loose vertex
        offset;
    const uint16_t *loose; ///< indices of the loose vertices from `base` on; NULL for a block
    /// A constant. True: all inputs come from the binding, and the `count` vertices are contiguous
    /// in tightly packed outputs.
    bool contiguous;
    int count;
} vertices;

LMBI_WIDE wide3 load_input3(const vertices *v, const uint8_t *given, const float *blocks,
                            const lmb_vec3 *loose, float factor)
{
    wide in[3];
    if (v->contiguous || (given == NULL && v->loose == NULL)) {
        const float *from = blocks + v->base * 3 + v->offset;
        return (wide3){lmbi_wide_load(from), lmbi_wide_load(from + BLOCK_LANES),
                       lmbi_wide_load(from + 2 * BLOCK_LANES)};
    }
    const lmbi_rows rows = {
        (uint8_t *)(uintptr_t)(given ? given : (const uint8_t *)(loose + v->base)),
        sizeof(lmb_vec3), given ? v->index : v->loose};
    lmbi_gather3(&rows, in);
    return (wide3){in[0] * factor, in[1] * factor, in[2] * factor};
}

LMBI_WIDE wide3 load_tangents(const lmbi_linear_pass *pass, const vertices *v, wide *w)
{
    const lmb_binding *b = pass->binding;
    const uint8_t *given = pass->tangents;
    wide in[4];
    if (v->contiguous || (given == NULL && v->loose == NULL)) {
        for (size_t k = 0; k < 4; ++k) {
            in[k] = lmbi_wide_load(b->tangents + v->base * 4 + v->offset + k * BLOCK_LANES);
        }
    } else {
        const lmbi_rows rows = {
            (uint8_t *)(uintptr_t)(given ? given : (const uint8_t *)(b->loose_tangents + v->base)),
            sizeof(lmb_vec4), given ? v->index : v->loose};
        lmbi_gather4(&rows, in);
    }
    *w = in[3];
    return (wide3){in[0], in[1], in[2]};
}

LMBI_WIDE lmbi_rows output_rows(const vertices *v, uint8_t *to, size_t stride)
{
    return (lmbi_rows){to, stride, v->index};
}

LMBI_WIDE void store3(const vertices *v, uint8_t *to, size_t stride, wide3 a)
{
    const lmbi_rows out = output_rows(v, to, stride);
#if LMBI_LANES >= 4
    if (v->contiguous && (LMBI_LANES >= 8 || v->count == LMBI_LANES)) {
        lmbi_store_dense3(&out, v->count, a.x, a.y, a.z);
        return;
    }
#endif
    lmbi_scatter3(&out, a.x, a.y, a.z);
}

// ---- steps over loose vertices

static const uint16_t in_order[16]
    __attribute__((unused)) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Indices of the lanes of a step among the loose vertices and in the chunk.
typedef struct lane_indices {
    uint16_t loose[LMBI_LANES], index[LMBI_LANES];
} lane_indices;

/// A step of fewer vertices than lanes repeats the last. Not inlined: it would be unrolled in every
/// specialisation.
static __attribute__((noinline, unused)) void fill_lane_indices(const uint16_t *index,
                                                                uint32_t count, lane_indices *out)
{
    for (uint32_t lane = 0; lane < LMBI_LANES; ++lane) {
        const uint32_t at = lane < count ? lane : count - 1;
        out->loose[lane] = (uint16_t)at;
        out->index[lane] = index[at];
    }
}

/// The loose vertices of a run from the i-th on. `padded` holds their indices if they are fewer than
/// lanes.
LMBI_WIDE vertices loose_step(const lmb_binding *b, const lmbi_loose_run *run, uint32_t i,
                              uint32_t count, lane_indices *padded)
{
    const uint16_t *index = b->loose_index + run->first + i;
    vertices v = {.index = index, .base = (size_t)run->first + i, .loose = in_order};
    if (count < LMBI_LANES) {
        fill_lane_indices(index, count, padded);
        v.index = padded->index;
        v.loose = padded->loose;
    }
    return v;
}
