/// Collects the findings of rules.
#include "cli/check/rules.h"

void cli_meet(cli_tally *tally, bool found, uint32_t index)
{
    if (found) {
        tally->first = tally->count == 0 ? index : tally->first;
        ++tally->count;
    }
}

void cli_add_finding(cli_findings *out, const cli_rule *rule, const char *location, cli_tally met)
{
    if (met.count == 0) {
        return;
    }
    if (out->count == out->capacity) {
        out->capacity = out->capacity == 0 ? 16 : 2 * out->capacity;
        out->items = cli_resize(out->items, out->capacity, sizeof(*out->items));
    }
    cli_finding *finding = &out->items[out->count++];
    *finding = (cli_finding){.rule = rule, .count = met.count, .first = met.first};
    snprintf(finding->location, sizeof(finding->location), "%s", location);
}
