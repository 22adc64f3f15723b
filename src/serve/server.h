/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_SERVER_H
#define PTOP_SERVE_SERVER_H
/*
 * The process that speaks HTTP.  It has no rights, no files and one socket of ptop's beside those of
 * its clients: what it cannot answer itself it asks ptop for, which hands it files in memory.
 */
#include "base/err.h"
#include "serve/link.h"

struct server {
	int pid; /* its own, or that of its keeper */
	int link; /* -1: there is none */
};

/*
 * Forks it; ptop has one thread.  It answers at @listen, which stays the caller's, as @setup says.
 * -1: see @err.  @lack: what it could not give up, "": nothing.
 */
int server_start(struct server *s, int listen, const struct serve_setup *setup,
		 char lack[SERVE_TEXT_MAX], struct err *err);

/* Ends it, if it has not ended. */
void server_end(struct server *s);

/* What it does, as a child of @parent, until the other end of @link is gone. */
void server_run(int link, int parent);

/* Whether ptop was built with what it takes. */
bool server_is_there(void);

#endif
