/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_LINK_H
#define PTOP_SERVE_LINK_H
/*
 * Messages between ptop and the process that speaks HTTP: each of one fixed form and size, over a
 * SOCK_SEQPACKET pair.  Neither end believes the other: what does not fit the form is no message.
 * Nothing here waits.  One thread at each end.
 */
#include "serve/asker.h"

enum {
	SERVE_BY_MAX = 256,
	SERVE_NAME_MAX = 256,
	SERVE_TEXT_MAX = 1024,
	SERVE_TOKEN_MAX = 256,
	SERVE_TOKEN_LEAST = 16,
	SERVE_ASKS_MAX = 64,     /* that are not answered yet */
	SERVE_SECONDS_MAX = 300, /* of a profile */
	SERVE_WINDOW_MAX_S = 86400,
};

/* What can be asked for, and has to be made by ptop. */
enum serve_what {
	SERVE_PROFILE,
	SERVE_METRICS,
	SERVE_FLAME,
	SERVE_REPORT,
	SERVE_RECORD,
	SERVE_WHAT_COUNT,
};

enum serve_format {
	SERVE_JSON,
	SERVE_CSV,
	SERVE_NDJSON,
	SERVE_FOLDED,
	SERVE_FORMAT_COUNT,
};

enum serve_msg_type {
	SERVE_MSG_SETUP = 1, /* to the server: with the socket to listen at */
	SERVE_MSG_READY,     /* from it: struct serve_answer, text: what it lacks */
	SERVE_MSG_FAILED,    /* from it: the same, text: why it cannot begin */
	SERVE_MSG_ASK,       /* from it */
	SERVE_MSG_CANCEL,    /* from it: nobody waits for the answer to that ask any more */
	SERVE_MSG_ANSWER,    /* to it: if all is well with the file */
	SERVE_MSG_TYPES,
};

struct serve_setup {
	uint32_t is_tcp;   /* then the header Host is looked at */
	uint32_t token_len; /* 0: none is wanted */
	char token[SERVE_TOKEN_MAX];
};

/* Strings end with NUL; "" is none. */
struct serve_ask {
	uint64_t id;
	uint32_t what;      /* enum serve_what */
	uint32_t format;    /* enum serve_format, of SERVE_REPORT */
	uint32_t seconds;   /* of SERVE_PROFILE, SERVE_FLAME: how long */
	uint32_t past;      /* they are over already */
	uint32_t window_s;  /* of SERVE_REPORT; 0: all */
	uint32_t is_open_metrics; /* of SERVE_METRICS */
	uint64_t cpu_ns;    /* what the process that asks has used so far */
	struct asker asker;
	char by[SERVE_BY_MAX];
	char process[SERVE_NAME_MAX];
	char cgroup[SERVE_NAME_MAX];
	char event[SERVE_NAME_MAX];
};

/* Whether it is of seconds that are still to come. */
static inline bool
serve_ask_waits(const struct serve_ask *ask)
{
	return ask->seconds > 0 && !ask->past;
}

struct serve_answer {
	uint64_t id;
	uint32_t status; /* of HTTP */
	char text[SERVE_TEXT_MAX]; /* unless the status is 200: what, why, what to do */
};

struct serve_msg {
	uint32_t type; /* enum serve_msg_type */
	uint32_t unused;
	union {
		struct serve_setup setup;
		struct serve_ask ask;
		struct serve_answer answer;
	};
};

/* A pair of ends; those that are forked have them, too.  -1: errno. */
int link_pair(int ends[2]);

/* @fd -1: none; it stays the caller's.  -1: the other end is gone, or takes nothing. */
int link_send(int end, const struct serve_msg *m, int fd);

/*
 * @m is of the form that its type has.  @fd: what came with it, -1: nothing; the caller's.  1: there
 * was one, 0: there is none now, -1: the other end is gone, or has sent what is no message.
 */
int link_recv(int end, struct serve_msg *m, int *fd);

/* Whether the bytes are a message, which link_recv() looks at. */
bool link_is_message(const struct serve_msg *m, size_t len);

#endif
