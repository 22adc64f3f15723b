/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_SOCKET_PEER_H
#define PTOP_LIVE_WAIT_SOCKET_PEER_H
/*
 * What a socket of another process leads to, as text: "10.0.0.5:5432", "[::1]:80", the path of a
 * Unix socket, "@name" of an abstract one, "pid 123" where that has none; "at 0.0.0.0:53" of one
 * without a peer.  The socket itself tells, in whatever namespace it is: pidfd_getfd(2) lends it for
 * a moment, which needs the right that reading the process's memory needs, and costs the same
 * however many sockets there are, as lists of all of them do not.  Any thread.
 */
#include "base/util.h"

#include <sys/socket.h>

enum { SOCKET_PEER_MAX = 160 }; /* bytes of text with its NUL: the longest is a path */

/* Both: false: it is not known. */

/* Of the descriptor @fd of @pid, if it is the socket with that number. */
bool socket_peer(int pid, int fd, uint64_t inode, char text[SOCKET_PEER_MAX]);

/* Of an address, of which @len bytes are there. */
bool socket_address(const struct sockaddr_storage *address, size_t len,
		    char text[SOCKET_PEER_MAX]);

#endif
