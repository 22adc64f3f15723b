/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FETCH_DOWNLOAD_H
#define PTOP_SYMBOL_FETCH_DOWNLOAD_H
/*
 * The work of the process that downloads files: takes one question from a socket, asks the
 * servers one after another, and ends.  It opens nothing to write to; the file came through the
 * socket.  The library for it is loaded here and nowhere else.
 */
#include "symbol/parser/wire.h"

enum download_msg {
	DOWNLOAD_ASK = 1,  /* struct download_ask, with the file to write to */
	DOWNLOAD_PROGRESS, /* two numbers: bytes so far, and in all, 0: not known */
	DOWNLOAD_END,      /* enum download_outcome, and for DOWNLOAD_FAILED why */
};

enum download_outcome {
	DOWNLOAD_FOUND,
	DOWNLOAD_NOT_FOUND, /* every server was asked */
	DOWNLOAD_FAILED,
	DOWNLOAD_OUTCOMES, /* how many there are */
};

struct download_ask {
	uint64_t bytes_max;
	uint32_t connect_s; /* that a server may take to answer */
	uint32_t silent_s;  /* in which next to nothing comes */
	uint32_t whole_s;
	const char *build_id; /* in hex */
	const char *what;     /* of that build: "debuginfo", "executable", "source/usr/src/x.c" */
	const char *urls;     /* of servers, blanks between them */
};

void download_put_ask(struct buf *b, const struct download_ask *ask);

/* Serves the other end of @socket once. */
void download_run(int socket);

/* Whether ptop was built with what it takes. */
bool download_is_there(void);

#endif
