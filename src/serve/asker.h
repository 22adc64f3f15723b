/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_ASKER_H
#define PTOP_SERVE_ASKER_H
/*
 * Who asks: the user of this machine that has the other end of a connection, or else its address.  One
 * of them can have a part of what there is for all.  In the process that speaks HTTP.
 */
#include "base/util.h"

enum { ASKER_PART = 4 }; /* one has this part of all places at most */

struct asker {
	uint32_t is_user;
	uint32_t user;       /* if it is one */
	uint8_t address[16]; /* if it is not: of IPv6, or of IPv4 in the first 4 */
};

/* A socket by which the kernel tells whose connections are.  -1: it does not. */
int asker_open(void);

/* Who has the other end of @fd, as @sockets of asker_open() tells.  Never waits. */
struct asker asker_of(int fd, int sockets);

bool asker_is(const struct asker *a, const struct asker *b);

#endif
