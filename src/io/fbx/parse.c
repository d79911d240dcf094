/// Which of its two encodings a file has.
#include "io/fbx/fbx.h"

lmb_result lmbi_fbx_parse(lmbi_fbx *fbx)
{
    if (lmbi_fbx_is_binary(fbx->bytes, fbx->size)) {
        return lmbi_fbx_parse_binary(fbx);
    }
    fbx->ascii = true;
    const lmb_result result = lmbi_text_check(fbx->bytes, fbx->size, fbx->error);
    return result == LMB_OK ? lmbi_fbx_parse_ascii(fbx) : result;
}
