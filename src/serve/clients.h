/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_CLIENTS_H
#define PTOP_SERVE_CLIENTS_H
/*
 * Connections, and how long each may take for what it does: who is slow, or only comes to stay, is
 * cut off, and who waits the longest without having asked makes room for others.
 */
#include "serve/asker.h"

enum {
	CLIENTS_MAX = 480,      /* connections */
	CLIENTS_CROWDED = 400,  /* from here on each new one takes the place of one that is idle */
	CLIENTS_EACH = CLIENTS_MAX / ASKER_PART, /* then who asks with as many gives up one of its own */
	CLIENT_REQUEST_S = 10,  /* until a request is whole, */
	CLIENT_ANSWER_S = 60,   /* and an answer taken */
};

struct client {
	struct client *prev, *next; /* in the order in which they came */
	int fd;
	struct asker asker;
	bool is_idle; /* no request has come, or it was answered */
	bool is_cut_off;
	uint64_t held; /* bytes of the file that it takes */
	uint64_t until_ns;
};

struct clients {
	struct client *first, *last;
	size_t len;
};

struct client *clients_add(struct clients *c, int fd, const struct asker *asker, uint64_t now_ns);
void clients_remove(struct clients *c, struct client *one); /* frees it */

void client_waits(struct client *one);                    /* for ptop, which has its own bound */
void client_takes(struct client *one, uint64_t now_ns);   /* its answer */
void client_rests(struct client *one, uint64_t now_ns);   /* and may ask again */

/* Bytes of files that this asker's connections take. */
uint64_t clients_held(const struct clients *c, const struct asker *asker);

/* Cuts off those whose time is over.  When the next one's is; UINT64_MAX: there is none. */
uint64_t clients_expire(struct clients *c, uint64_t now_ns);

#endif
