/// How rules of lmb_check count, locate and report what they find.
#include "author/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void lmbi_check_count(lmbi_check_tally *tally, bool found, uint32_t index)
{
    if (found) {
        tally->first = tally->count == 0 ? index : tally->first;
        ++tally->count;
    }
}

void lmbi_check_add(lmbi_check *check, const lmbi_check_rule *rule, const char *location,
                    lmbi_check_tally tally)
{
    if (tally.count == 0 || check->is_out_of_memory) {
        return;
    }
    void *items = check->items;
    check->is_out_of_memory =
        !lmbi_grow(check->alloc, &items, &check->capacity, check->count + 1, sizeof *check->items);
    check->items = items;
    if (check->is_out_of_memory) {
        return;
    }
    lmb_finding *finding = &check->items[check->count++];
    *finding = (lmb_finding){.code = rule->code,
                             .severity = rule->severity,
                             .text = rule->text,
                             .repair = rule->repair,
                             .count = tally.count,
                             .first = tally.first};
    snprintf(finding->location, sizeof finding->location, "%s", location);
}

void lmbi_check_locate(char location[96], const char *kind, uint32_t index, const char *name)
{
    if (name != NULL && name[0] != 0) {
        snprintf(location, 96, "%s %u \"%.60s\"", kind, (unsigned)index, name);
    } else {
        snprintf(location, 96, "%s %u", kind, (unsigned)index);
    }
}

void *lmbi_check_scratch(lmbi_check *check, size_t count, size_t size)
{
    void *block = lmbi_arena_array(&check->scratch, count, size);
    check->is_out_of_memory = check->is_out_of_memory || block == NULL;
    return block;
}

// ------------------------------------------------------------------------------------------ names

typedef struct indexed_name {
    const char *name;
    uint32_t index;
} indexed_name;

static int compare_names(const void *a, const void *b)
{
    const indexed_name *first = a, *second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->index > second->index) - (first->index < second->index);
}

lmbi_check_tally lmbi_check_repeated(lmbi_check *check, const char *const *names, uint32_t count)
{
    lmbi_check_tally same = {0};
    indexed_name *sorted = lmbi_check_scratch(check, count, sizeof *sorted);
    if (sorted == NULL) {
        return same;
    }
    for (uint32_t k = 0; k < count; ++k) {
        sorted[k] = (indexed_name){names[k], k};
    }
    qsort(sorted, count, sizeof *sorted, compare_names);
    uint32_t first = 0; // of the names that are equal to the one at hand
    for (uint32_t k = 1; k < count; ++k) {
        const bool repeats = strcmp(sorted[k].name, sorted[k - 1].name) == 0;
        first = repeats ? first : k;
        lmbi_check_count(&same, repeats, sorted[first].index);
    }
    return same;
}
