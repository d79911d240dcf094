/// Sockets: datagrams and connections.
#ifndef OS_NETWORK_H
#define OS_NETWORK_H

#include "limber/os.h"

/// A socket for UDP. Zero is none.
typedef struct lmbi_udp lmbi_udp;

/// Listens on a port of the address `host`, such as "127.0.0.1", "::1" or a name of this machine's;
/// port 0 takes a free one. Errors: INVALID with the system's reason in `found`; MEMORY.
lmb_result lmbi_udp_listen(const char *host, uint16_t port, lmbi_udp **out, lmb_error *error);

/// For sending to a port of a host. Errors as above, also for a name that cannot be resolved.
lmb_result lmbi_udp_connect(const char *host, uint16_t port, lmbi_udp **out, lmb_error *error);
void lmbi_udp_close(lmbi_udp *udp);

/// The port that it listens on.
uint16_t lmbi_udp_port(const lmbi_udp *udp);

/// Waits for a datagram, no longer than `timeout_s` or until a signal comes. Returns its size; 0
/// when none came (an empty one counts as none), -1 when the socket is broken. What does not fit is
/// cut off.
int64_t lmbi_udp_receive(lmbi_udp *udp, void *bytes, size_t capacity, double timeout_s);

/// Sends without waiting. False when the system did not take it: datagrams may be lost anyway.
bool lmbi_udp_send(lmbi_udp *udp, const void *bytes, size_t size);

/// Where bytes come in, be it as datagrams (UDP) or by a connection (TCP), one at a time.
typedef struct lmbi_inlet lmbi_inlet;

/// Listens for both on a port of the address `host`; port 0 takes a free one. Errors as above.
lmb_result lmbi_inlet_listen(const char *host, uint16_t port, lmbi_inlet **out, lmb_error *error);

/// Connects to a port of a host that sends. Errors as above.
lmb_result lmbi_inlet_connect(const char *host, uint16_t port, lmbi_inlet **out, lmb_error *error);
void lmbi_inlet_close(lmbi_inlet *inlet);

/// The port that it listens on.
uint16_t lmbi_inlet_port(const lmbi_inlet *inlet);

/// Waits for bytes, no longer than `timeout_s` or until a signal comes. Returns how many came: a
/// whole datagram, or any part of what a connection brings. 0 when none did, -1 when the socket is
/// broken or the host that we connected to has ended.
int64_t lmbi_inlet_receive(lmbi_inlet *inlet, void *bytes, size_t capacity, double timeout_s,
                           bool *datagram);

#endif
