/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/closer.h"

#include "base/clock.h"
#include "base/thread.h"
#include "live/session/session.h"
#include "live/sys/close_together.h"

#include <stdlib.h>

struct close_msg {
	struct msg msg;
	struct event_fds fds;
	uint32_t token; /* of probes */
};

enum { CLOSE_EACH = 1, CLOSE_PROBES };

struct closer {
	struct queue *answers;
	struct worker worker;
};

static void
close_probes(struct closer *c, struct close_msg *m)
{
	struct session_closed_msg *answer = msg_new(sizeof(*answer), SESSION_MSG_CLOSED, NULL);
	int *fds = mem_calloc(m->fds.len + 1, sizeof(*fds));

	for (size_t i = 0; i < m->fds.len; i++)
		fds[i] = m->fds.items[i].fd;
	answer->token = m->token;
	answer->begin_ns = clock_mono_ns();
	close_together(fds, m->fds.len);
	answer->end_ns = clock_mono_ns();
	queue_send(c->answers, &answer->msg);
	free(fds);
	event_fds_release(&m->fds);
}

static void
close_all(void *closer, struct msg *msg)
{
	struct close_msg *m = (struct close_msg *)msg;

	if (msg->type == CLOSE_PROBES)
		close_probes(closer, m);
	else
		event_fds_close(&m->fds);
}

struct closer *
closer_new(struct queue *answers)
{
	struct closer *c = mem_calloc(1, sizeof(*c));

	c->answers = answers;
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

static void
take(struct closer *c, struct event_fds *fds, int type, uint32_t token)
{
	struct close_msg *m;

	if (fds->len == 0 && type == CLOSE_EACH) {
		event_fds_release(fds);
		return;
	}
	m = msg_new(sizeof(*m), type, NULL);
	m->fds = *fds;
	m->token = token;
	*fds = (struct event_fds){ 0 };
	worker_ask(&c->worker, &m->msg);
}

void
closer_take(struct closer *c, struct event_fds *fds)
{
	take(c, fds, CLOSE_EACH, 0);
}

void
closer_take_probes(struct closer *c, struct event_fds *fds, uint32_t token)
{
	take(c, fds, CLOSE_PROBES, token);
}
