/// The source of a live motion: a VMC performer or a stream of BVH frames.
#ifndef LIMBER_CLI_LISTEN_SENDER_H
#define LIMBER_CLI_LISTEN_SENDER_H

#include "cli/live/network.h"
#include "os/network.h"

typedef struct sender_opts {
    int64_t vmc;     ///< UDP port; below 0: none
    const char *bvh; ///< a port to listen on, or HOST:PORT to connect to; or NULL
    const char *bind;
    const char *hierarchy, *order; ///< of a BVH stream, or NULL
    double capture_rate;           ///< of a BVH stream, Hz; 0: from the stream, else measured
    double delay_s;
} sender_opts;

typedef struct sender {
    const sender_opts *opts;
    lmbi_udp *udp;
    lmbi_inlet *inlet;
    lmb_receiver *receiver;
    lmb_vmc_frame *frames; ///< of VMC; a BVH stream keeps its own
    uint32_t count, capacity;
    double first_s, last_s; ///< when frames came
    double shift_s;         ///< what is added to the performer's clock, so that times go on
    uint64_t kept_bytes;    ///< that the recording takes, about
    bool ended;             ///< the other side has gone for good
    bool full;              ///< there is no memory for more: what came is a whole recording
    uint64_t leaps;         ///< of the performer's clock
} sender;

/// Opens the sockets and says where it listens. Close on any result.
cli_exit sender_open(const cli_run *cli, sender *s, const sender_opts *opts);
void sender_close(sender *s);
/// Waits for something to come, no longer than that.
cli_exit sender_hear(const cli_run *cli, sender *s, double timeout_s);
/// What is left of a frame counts as one, once it is over.
void sender_finish(sender *s);
/// The character, with all recorded frames or only the first.
lmb_result sender_character(sender *s, bool first_only, lmb_character **out, lmb_error *error);
/// The recorded facial motion; NULL if there is none.
lmb_result sender_face(const sender *s, lmb_face_motion **out, lmb_error *error);
/// What to show now, as a pose of such a character; blend shapes go into `frame`. False while there
/// is nothing.
bool sender_pose(const sender *s, double now_s, const lmb_skeleton *skeleton, lmb_transform *pose,
                 lmb_vmc_frame *frame);
void sender_say(const cli_run *cli, const sender *s);
void sender_json(cli_json *json, const sender *s);

#endif
