/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PUSH_TARGET_H
#define PTOP_PUSH_TARGET_H
/* Where profiles are pushed to, and how that store wants to be asked.  Any thread. */
#include "base/buf.h"
#include "base/err.h"

struct push_about; /* push.h */

struct push_target {
	bool is_otlp;    /* else Pyroscope */
	bool is_exposed; /* plain HTTP that leaves this machine */
	char *base;      /* "https://host:4040/path", without a slash at its end */
};

/*
 * "http://HOST[:PORT][/PATH]" and "https://...": Pyroscope; with "otlp+" in front: OTLP.  -1: ERR_USAGE.
 * A name or token in it is refused, as all users see command lines.
 */
int push_target_parse(const char *url, struct push_target *t, struct err *err);
void push_target_release(struct push_target *t);

/* Adds the address that a profile of this machine, which is called @host, is posted to. */
void push_target_put(const struct push_target *t, const char *host, const struct push_about *about,
		     struct buf *b);

/* Of the body: its content type, and whether it is said to be packed by gzip (a pprof is that itself). */
const char *push_target_content(const struct push_target *t);

/*
 * Adds what to do about a status that can be mended at one of the two ends, where the token is of that
 * file, NULL: none was sent.  false: it is no such status.
 */
bool push_target_put_advice(const struct push_target *t, unsigned status, const char *token_file,
			    struct buf *b);

#endif
