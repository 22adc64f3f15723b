/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_REQUEST_H
#define PTOP_SERVE_REQUEST_H
/*
 * From a path and its query to what is asked of ptop.  In the process that speaks HTTP; calls
 * nothing, believes nothing.
 */
#include "base/buf.h"
#include "serve/link.h"

/* A path that is served. */
struct request_path {
	const char *path;
	bool is_page;         /* a page of text that needs nothing of ptop, or SERVE_X: */
	enum serve_what what;
	const char *content;  /* its type */
	const char *file;     /* what a browser is to call it, NULL: it shows it */
	const char *help;     /* for the index; NULL: it is not there */
	unsigned params;      /* bits of those that it takes */
	bool is_confidential; /* not for whoever is on this machine */
};

/* NULL: there is none. */
const struct request_path *request_find(const char *path);

/* The ask of the path before its parameters are known. */
void request_begin(const struct request_path *p, struct serve_ask *ask);

/*
 * A parameter of the query; @value NULL: it has none.  false: the path does not take it, or not that,
 * and @why says so in a sentence that ends with what to do.
 */
bool request_set(const struct request_path *p, struct serve_ask *ask, const char *name,
		 const char *value, struct buf *why);

/* The type of an answer to @ask. */
const char *request_content(const struct request_path *p, const struct serve_ask *ask);

/* Adds the page of such a path. */
void request_put_page(const struct request_path *p, struct buf *b);

#endif
