/// Common to datagrams and connections.
#ifndef OS_SOCKET_H
#define OS_SOCKET_H

#include "limber/os.h"

/// Fails INVALID with the system's reason.
lmb_result lmbi_socket_refuse(lmb_error *error, const char *expected, const char *reason);
/// A socket of SOCK_DGRAM or SOCK_STREAM on the first address of the host that works: bound and,
/// for a stream, waiting for connections; or connected.
lmb_result lmbi_socket_open(const char *host, uint16_t port, int type, bool listen, int *handle,
                            lmb_error *error);
/// The port that it is bound to; 0 when it is not known.
uint16_t lmbi_socket_port(int handle);

#endif
