/// The part of a batch that one process runs, given by option or by the environment variables of a
/// scheduler.
#ifndef LIMBER_BATCH_SHARD_H
#define LIMBER_BATCH_SHARD_H

#include "limber/base.h"

typedef struct batch_shard {
    unsigned index, count; ///< index from 1; count 0: no shards
} batch_shard;

/// The value of an environment variable, or NULL.
typedef const char *batch_variable(const char *name);

/// `text` is "I/N", "auto" (from the variables of Slurm, PBS, Grid Engine, LSF and MPI) or "auto/N";
/// NULL: no shards. Errors: INVALID; where the text itself is right, `expected` tells of the
/// environment.
lmb_result batch_shard_read(const char *text, batch_variable *variable, batch_shard *out,
                            lmb_error *error);
/// Depends on the id and the shard alone.
bool batch_shard_has(const batch_shard *shard, const char *id);

#endif
