/// Packets of Open Sound Control 1.0.
#ifndef IO_STREAM_OSC_H
#define IO_STREAM_OSC_H

#include "limber/io.h"

#define LMBI_OSC_ARGUMENTS 16

/// One argument of an OSC message, by its type letter: i c r m in `whole`, h t in `whole`, f d in
/// `real`, s S b in `text` (`size` bytes; the zero that ends s and S is not counted), T F N I
/// without a value.
typedef struct lmbi_osc_argument {
    char type;
    int64_t whole;
    double real;
    const char *text;
    uint32_t size;
} lmbi_osc_argument;

typedef struct lmbi_osc_message {
    const char *address; ///< "/VMC/Ext/Bone/Pos"
    /// the first LMBI_OSC_ARGUMENTS of them; further ones are checked and skipped
    uint32_t argument_count;
    lmbi_osc_argument arguments[LMBI_OSC_ARGUMENTS];
} lmbi_osc_message;

typedef void (*lmbi_osc_each)(void *user, const lmbi_osc_message *message);

/// Reads a packet of Open Sound Control 1.0: a message, or a bundle of messages and bundles (eight
/// deep at most). The whole packet is checked before `each` is called for the first message, in
/// order. Texts point into the packet. Allocates nothing.
/// Errors: MALFORMED with the byte.
lmb_result lmbi_osc_read(const void *bytes, size_t size, lmbi_osc_each each, void *user,
                         lmb_error *error);

/// A packet being written into the caller's bytes.
typedef struct lmbi_osc_out {
    uint8_t *bytes;
    size_t capacity, size;
    bool full; ///< something did not fit: the bytes are not a valid packet
} lmbi_osc_out;

/// Adds a message to the bundle, or alone to an empty packet: `types` of the letters i, f and s,
/// then its arguments: int, double (written as a float), const char *.
void lmbi_osc_write(lmbi_osc_out *out, const char *address, const char *types, ...);

/// Begins a bundle with the time tag "immediately".
void lmbi_osc_bundle(lmbi_osc_out *out);

// ---- Bone names and axes of the Virtual Motion Capture protocol, for reading and writing.

/// Writes Unity's name of a bone ("LeftThumbIntermediate") to out[32].
void lmbi_vmc_bone_name(int bone, char *out);
/// The bone with that name in Unity, LMB_HUMAN_BONE_COUNT for none.
int lmbi_vmc_bone_find(const char *name);

/// Converts between Unity's left-handed axes and glTF's by mirroring x. Its own inverse.
static inline lmb_transform lmbi_vmc_mirror(lmb_transform t)
{
    t.translation.x = -t.translation.x;
    t.rotation.y = -t.rotation.y;
    t.rotation.z = -t.rotation.z;
    return t;
}

#endif
