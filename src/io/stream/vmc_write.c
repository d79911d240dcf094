/// Names of bones in the protocol, and the packet of a frame.
#include <string.h>

#include "io/stream/osc.h"

/// Unity names a thumb's bones from the proximal one, VRM 1.0 from the metacarpal: they are the
/// same three bones.
static const char *const thumb_words[3][2] = {{"ThumbMetacarpal", "ThumbProximal"},
                                              {"ThumbProximal", "ThumbIntermediate"},
                                              {"ThumbDistal", "ThumbDistal"}};

void lmbi_vmc_bone_name(int bone, char *out)
{
    const char *name = lmb_human_bone_name((lmb_human_bone)bone);
    const size_t size = strlen(name) < 31 ? strlen(name) : 31;
    memcpy(out, name, size);
    out[size] = 0;
    const char *thumb = strstr(name, "Thumb");
    for (int k = 0; thumb != NULL && k < 3; ++k) {
        if (strcmp(thumb, thumb_words[k][0]) == 0) {
            memcpy(out + (thumb - name), thumb_words[k][1], strlen(thumb_words[k][1]) + 1);
        }
    }
    out[0] = (char)(out[0] - 'a' + 'A');
}

static bool same_name(const char *a, const char *b)
{
    for (; *a != 0 && *b != 0; ++a, ++b) {
        if ((*a | 32) != (*b | 32)) {
            return false;
        }
    }
    return *a == *b;
}

int lmbi_vmc_bone_find(const char *name)
{
    char own[32];
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        lmbi_vmc_bone_name(bone, own);
        if (same_name(own, name)) {
            return bone;
        }
    }
    return LMB_HUMAN_BONE_COUNT;
}

static void write_transform(lmbi_osc_out *out, const char *address, const char *name,
                            lmb_transform local)
{
    const lmb_transform t = lmbi_vmc_mirror(local);
    lmbi_osc_write(out, address, "sfffffff", name, (double)t.translation.x, (double)t.translation.y,
                   (double)t.translation.z, (double)t.rotation.x, (double)t.rotation.y,
                   (double)t.rotation.z, (double)t.rotation.w);
}

size_t lmb_vmc_write(const lmb_vmc_frame *frame, void *bytes, size_t capacity)
{
    lmbi_osc_out out = {.bytes = bytes, .capacity = capacity};
    lmbi_osc_bundle(&out);
    lmbi_osc_write(&out, "/VMC/Ext/OK", "i", 1);
    lmbi_osc_write(&out, "/VMC/Ext/T", "f", frame->time_s);
    write_transform(&out, "/VMC/Ext/Root/Pos", "root", frame->root);
    for (uint32_t k = 0; k < frame->shape_count; ++k) {
        lmbi_osc_write(&out, "/VMC/Ext/Blend/Val", "sf", frame->shape_names[k],
                       (double)frame->shapes[k]);
    }
    if (frame->shape_count > 0) {
        lmbi_osc_write(&out, "/VMC/Ext/Blend/Apply", "");
    }
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (frame->bones >> bone & 1) {
            char name[32];
            lmbi_vmc_bone_name(bone, name);
            write_transform(&out, "/VMC/Ext/Bone/Pos", name, frame->local[bone]);
        }
    }
    return out.full ? 0 : out.size;
}
