/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FETCH_FETCH_H
#define PTOP_SYMBOL_FETCH_FETCH_H
/*
 * Programs, debug files and sources from debuginfod servers.  A thread has a process without rights download
 * them, checks that they are of the build that was asked for, and keeps them where the symbol
 * service and debuginfod's clients find them (build_store_client_dir()).  Questions never block; one
 * thread asks.
 */
#include "base/err.h"
#include "base/queue.h"
#include "symbol/find/build_store.h"

#include <stddef.h>

struct host;

enum { SYMBOL_MSG_FETCH = 320 }; /* struct fetch_msg */

enum fetch_state {
	FETCH_GOING,     /* there is more to come */
	FETCH_DONE,      /* kept: whoever looks for that file finds it now */
	FETCH_NOT_FOUND, /* no server has it */
	FETCH_FAILED,    /* err says why */
	FETCH_STOPPED,
};

/* Free with free(). */
struct fetch_msg {
	struct msg msg;
	uint32_t dso;
	uint32_t source; /* the asker's number of a source file, else 0 */
	enum fetch_state state;
	uint64_t got, total; /* bytes so far, and in all, 0: not known */
	struct err err;
};

struct fetch_config {
	const char *urls;   /* of servers, blanks between them; copied */
	struct host *host;  /* of processes that run download_run(); taken */
	unsigned connect_s, silent_s, whole_s; /* 0: the usual ones */
	struct queue *answers;
};

struct fetch;

/* The host of downloads, to be made while ptop has one thread.  @bytes_max 0: the usual bound. */
struct host *fetch_host_new(uint64_t bytes_max);

struct fetch *fetch_new(const struct fetch_config *config);
void fetch_free(struct fetch *f); /* what is under way is given up; NULL is allowed */

/* Asks for a file of a build.  Messages come until one that is not FETCH_GOING. */
void fetch_ask(struct fetch *f, uint32_t dso, enum build_store_want want, const uint8_t *build_id,
	       size_t len);

/*
 * Asks for the source file that was at @path when the build was made; @source, not 0, is given back.
 * What comes is text of whoever runs the server.
 */
void fetch_ask_source(struct fetch *f, uint32_t dso, uint32_t source, const char *path,
		      const uint8_t *build_id, size_t len);

uint64_t fetch_cpu_ns(const struct fetch *f); /* of what downloads.  NULL is allowed */

/* Gives up all that has been asked for: FETCH_STOPPED. */
void fetch_stop(struct fetch *f);

#endif
