/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_SERVE_H
#define PTOP_SERVE_SERVE_H
/* ptop without a screen, asked over HTTP, or pushing profiles: until a signal ends it.  Main thread. */
#include "engine/leaf/engine_config.h"
#include "push/push.h"
#include "view/query.h"

struct address;

struct serve_config {
	const char *address;    /* see address.h; NULL: nobody asks */
	const char *token_file; /* NULL: none, then loopback alone */
	struct push_config push; /* without an url: nothing is pushed */
	uint64_t push_every_ms;  /* 0: the usual time */
	const struct engine_config *engine; /* is_asked */
	const struct query *base; /* what all reports of this run have in common */
	void (*tell)(const char *line); /* on standard error */
	void (*begun)(void); /* the engine runs */
};

/* Of options: that the address is one, and that it may be listened at.  -1: ERR_USAGE. */
int serve_check(const char *address, bool has_token, struct err *err);

/* Whether a socket that was made elsewhere may be listened at.  -1: ERR_USAGE. */
int serve_check_address(const struct address *a, bool has_token, struct err *err);

/* What both checks have allowed.  0: SIGINT, SIGTERM or SIGHUP has ended it.  -1: see @err. */
int serve_run(const struct serve_config *config, struct err *err);

#endif
