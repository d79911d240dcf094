#include "skin/binding_plan.h"

#include "base/alloc.h"

static uint32_t chunk_end(const lmb_mesh *mesh, uint32_t begin)
{
    return mesh->vertex_count - begin < LMBI_SKIN_CHUNK ? mesh->vertex_count
                                                        : begin + LMBI_SKIN_CHUNK;
}

static bool add_run(lmbi_binding_planner *p, lmbi_skin_group *group)
{
    lmb_binding *b = p->binding;
    void *runs = b->runs;
    const bool grown = lmbi_grow(p->clusters.alloc, &runs, &p->run_room, (size_t)b->run_count + 1,
                                 sizeof(*b->runs));
    b->runs = runs;
    if (!grown) {
        return false;
    }
    size_t *weight_count =
        p->has_shorts && group->width <= LMBI_SKIN_SHORT_WIDTH ? &p->short_count : &p->weight_count;
    group->run = b->run_count;
    b->runs[b->run_count++] = (lmbi_skin_run){.lane_first = (uint32_t)p->lane_count,
                                              .count = group->count,
                                              .joint_first = (uint32_t)p->run_joint_count,
                                              .width = group->width,
                                              .weight_first = *weight_count};
    p->lane_count += lmbi_run_lanes(group->count);
    p->run_joint_count += group->width;
    *weight_count += (size_t)lmbi_run_lanes(group->count) * (group->width - 1);
    return true;
}

/// By ascending width, long runs before short ones: a kernel call then processes many.
static bool plan_runs(lmbi_binding_planner *p, size_t group_first)
{
    for (uint32_t width = 1, next; width <= LMBI_SKIN_WIDEST_RUN; width = next) {
        next = UINT32_MAX;
        for (int is_short = 0; is_short < 2; ++is_short) {
            for (size_t g = group_first; g < p->clusters.group_count; ++g) {
                lmbi_skin_group *group = &p->clusters.groups[g];
                const bool is_next = group->width == width && group->count >= LMBI_SKIN_LEAST_RUN &&
                                     (group->count <= LMBI_SKIN_BLOCK / 2) == (is_short == 1);
                if (is_next && !add_run(p, group)) {
                    return false;
                }
                next = group->width > width && group->width < next ? group->width : next;
            }
        }
    }
    return true;
}

/// The lowest kind above `above` among the loose vertices, and how many have it.
static uint32_t next_kind(const lmbi_binding_planner *p, uint32_t loose_count, uint32_t above,
                          uint32_t *count)
{
    uint32_t kind = UINT32_MAX;
    *count = 0;
    for (uint32_t i = 0; i < loose_count; ++i) {
        if (p->kinds[i] > above && p->kinds[i] < kind) {
            kind = p->kinds[i];
            *count = 0;
        }
        *count += p->kinds[i] == kind;
    }
    return kind;
}

static bool plan_loose(lmbi_binding_planner *p, uint32_t begin, uint32_t end)
{
    lmb_binding *b = p->binding;
    uint32_t loose_count = 0, left, count;
    for (uint32_t v = begin; v < end; ++v) {
        if (lmbi_plan_is_loose(p, v)) {
            lmbi_skin_row_read(p->mesh, v, &p->clusters.row);
            p->kinds[loose_count++] = 2 * p->clusters.row.width + p->clusters.row.is_whole;
        }
    }
    left = loose_count;
    for (uint32_t kind = 0; left > 0; left -= count) {
        kind = next_kind(p, loose_count, kind, &count);
        const uint32_t width = kind / 2;
        void *runs = b->loose_runs;
        const bool grown = lmbi_grow(p->clusters.alloc, &runs, &p->loose_run_room,
                                     (size_t)b->loose_run_count + 1, sizeof(*b->loose_runs));
        b->loose_runs = runs;
        if (!grown) {
            return false;
        }
        b->loose_runs[b->loose_run_count++] = (lmbi_loose_run){
            (uint32_t)p->loose_count, count, width, kind % 2 == 1, p->loose_influence_count};
        p->loose_count += count;
        p->loose_influence_count += (size_t)count * width;
    }
    return true;
}

bool lmbi_binding_plan(lmbi_binding_planner *p)
{
    lmb_binding *b = p->binding;
    uint32_t chunk = 0;
    for (uint32_t v = 0; v < p->mesh->vertex_count; v = chunk_end(p->mesh, v), ++chunk) {
        const size_t group_first = p->clusters.group_count;
        lmbi_skin_chunk *c = &b->chunks[chunk];
        c->run_first = b->run_count;
        c->loose_first = b->loose_run_count;
        if (!lmbi_skin_clusters_chunk(&p->clusters, p->mesh, v, chunk_end(p->mesh, v)) ||
            !plan_runs(p, group_first) || !plan_loose(p, v, chunk_end(p->mesh, v))) {
            return false;
        }
        c->run_count = b->run_count - c->run_first;
        c->loose_count = b->loose_run_count - c->loose_first;
    }
    b->lane_count = (uint32_t)p->lane_count;
    b->loose_count = (uint32_t)p->loose_count;
    return p->lane_count <= UINT32_MAX;
}
