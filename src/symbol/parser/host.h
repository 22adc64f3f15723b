/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_HOST_H
#define PTOP_SYMBOL_PARSER_HOST_H
/*
 * The process that forks those that parse symbol files, download them, or push profiles.  ptop
 * forks it while it is small itself and has one thread.  It never sees a symbol file, may do nothing
 * but fork, and ends with ptop.  One thread at a time.
 */
#include "symbol/parser/confine.h"
#include "symbol/parser/parser.h"

struct host_config {
	parser_image_fn *image; /* NULL: parser_image */
	enum confine_work work;    /* CONFINE_PARSE: a parser does it, */
	void (*fetch)(int socket); /* else this runs in its place */
	struct confine_limits limits; /* 0: the usual ones */
	unsigned answer_s; /* that the host may take for an answer, 0: the usual time */
};

struct host;

/*
 * Forks it.  The thread that calls this must not end before ptop does; @config NULL: the usual
 * one.  Never NULL: if it could not be forked, host_start() says why.
 */
struct host *host_new(const struct host_config *config);
void host_free(struct host *h); /* and its parser; NULL is allowed */

enum host_child {
	HOST_PARSER,
	HOST_DISASSEMBLER, /* a parser that has loaded what code is listed with */
};

/*
 * A new parser; the last must have been ended.  The descriptor to talk to it, or -1: see @err, NULL
 * is allowed.  A host that does not answer in time, as somebody has stopped it, is ended: there are
 * no more.
 */
int host_start(struct host *h, enum host_child which, struct err *err);

/* Ends the parser if it has not ended by itself: its status as of waitpid(), -1: not known. */
int host_end(struct host *h);

/* Whether somebody has stopped the parser, as far as /proc tells. */
bool host_parser_is_stopped(const struct host *h);

/* Who waits for the host comes back at once, now and later, and has no answer.  Any thread. */
void host_give_up(struct host *h);

/* A sentence: why there are no parsers any more.  NULL: there are.  Any thread. */
const char *host_loss(const struct host *h);

/* And what they could not give up, which is known after host_start().  NULL: nothing. */
const char *host_lack(const struct host *h);

/* CPU time of all parsers so far.  Any thread. */
uint64_t host_cpu_ns(const struct host *h);

unsigned host_file_seconds(const struct host *h); /* of CPU that one file may take */
uint64_t host_file_bytes(const struct host *h); /* that a file may have which it writes */

#endif
