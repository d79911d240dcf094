#include "limber/base.h"

const char *lmb_version(void)
{
    return LMB_VERSION;
}
