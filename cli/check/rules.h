/// The rules of `limber check` and their findings.
#ifndef LIMBER_CLI_CHECK_RULES_H
#define LIMBER_CLI_CHECK_RULES_H

#include "cli/cli.h"

typedef enum cli_severity { CLI_NOTE = 0, CLI_WARNING, CLI_ERROR, CLI_SEVERITY_COUNT } cli_severity;

/// A rule's stable code; codes are never used again for something else.
typedef struct cli_rule {
    const char *code;
    cli_severity severity;
    const char *text; ///< "vertices without any weight"
    const char *done; ///< what rig does about it, or NULL
} cli_rule;

/// Findings of one rule at one location: their number and the first index.
typedef struct cli_finding {
    const cli_rule *rule;
    char location[96]; ///< "mesh 0 \"body\""
    uint32_t count, first;
} cli_finding;

typedef struct cli_findings {
    size_t count, capacity;
    cli_finding *items; ///< free
} cli_findings;

/// Counts the violations of one rule at one location.
typedef struct cli_tally {
    uint32_t count, first;
} cli_tally;
void cli_meet(cli_tally *tally, bool found, uint32_t index);
/// Adds nothing if the tally is empty.
void cli_add_finding(cli_findings *out, const cli_rule *rule, const char *location, cli_tally met);

/// Runs every rule. Returns 1 when memory ends.
cli_exit cli_check_character(const cli_run *cli, const lmb_character *character, cli_findings *out);
/// Winding, repeated triangles and pieces of one mesh; flat_count of its triangles have no area.
/// Returns 1 when memory ends.
cli_exit cli_check_surface(const cli_run *cli, const lmb_mesh *mesh, uint32_t triangle_count,
                           uint32_t flat_count, const char *location, cli_findings *out);
/// The rules of meshes only, for the input of a rig. Returns 1 when memory ends.
cli_exit cli_check_meshes(const cli_run *cli, const lmb_character *character, cli_findings *out);
/// Findings of the reader: repaired or ignored input.
void cli_check_notes(const lmb_notes *notes, cli_findings *out);

#endif
