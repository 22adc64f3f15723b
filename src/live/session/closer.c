/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/closer.h"

#include "base/thread.h"

#include <stdlib.h>

struct close_msg {
	struct msg msg;
	struct event_fds fds;
};

struct closer {
	struct worker worker;
};

static void
close_all(void *closer, struct msg *m)
{
	(void)closer;
	event_fds_close(&((struct close_msg *)m)->fds);
}

struct closer *
closer_new(void)
{
	struct closer *c = mem_calloc(1, sizeof(*c));

	worker_start(&c->worker, NULL, close_all, c);
	return c;
}

void
closer_free(struct closer *c)
{
	if (c == NULL)
		return;
	worker_end(&c->worker);
	free(c);
}

void
closer_take(struct closer *c, struct event_fds *fds)
{
	struct close_msg *m;

	if (fds->len == 0) {
		event_fds_release(fds);
		return;
	}
	m = msg_new(sizeof(*m), 0, NULL);
	m->fds = *fds;
	*fds = (struct event_fds){ 0 };
	worker_ask(&c->worker, &m->msg);
}
