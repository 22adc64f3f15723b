/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_ADDRESS_H
#define PTOP_SERVE_ADDRESS_H
/* Where ptop is to be asked: "127.0.0.1:7070", "[::1]:7070", "localhost:7070", "unix:/PATH". */
#include "base/buf.h"
#include "base/err.h"

#include <sys/socket.h>

#define SERVE_ADDRESS_DEFAULT "127.0.0.1:7070"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_storage room;
	};
	socklen_t len;
	bool is_unix;
	int folder;       /* of a socket in the file system, while ptop listens there; else -1 */
	bool is_loopback; /* other machines cannot reach it; so is a socket in the file system */
};

/* -1: ERR_USAGE. */
int address_parse(const char *text, struct address *a, struct err *err);

/*
 * Listens there.  A socket in the file system is its owner's alone, under sudo its caller's; one that
 * nobody listens at any more is replaced.  -1: see @err.
 */
int address_listen(struct address *a, struct err *err);

/* A socket of the file system, at which nobody listens any more, goes. */
void address_leave(struct address *a);

/* Where a socket listens.  false: it is none that clients of ptop reach. */
bool address_of(int fd, struct address *a);

/* Adds "http://127.0.0.1:7070/" or "unix:/PATH", as it is: port 0 has become one. */
void address_put(struct buf *b, int fd);

/*
 * Whether a request that came over TCP may name @host so in its header: loopback's names and
 * addresses, with any port.  A page of the web that has its own name lead here has its own name
 * there.
 */
bool address_is_own_host(const char *host);

#endif
