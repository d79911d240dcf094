/// Draco's decoder, where its library is here.
#ifndef LIMBER_CLI_DRACO_H
#define LIMBER_CLI_DRACO_H

#include <limber/io.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CLI_HAS_DRACO
const lmb_draco_decoder *cli_draco_decoder(void);
#else
/// NULL: this build has none.
static inline const lmb_draco_decoder *cli_draco_decoder(void)
{
    return NULL;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
