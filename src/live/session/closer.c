/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/closer.h"

#include "base/queue.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MSG_CLOSE, MSG_END };

struct close_msg {
	struct msg msg;
	struct event_fds fds;
};

struct closer {
	struct queue *queue;
	pthread_t thread;
};

static void *
run(void *arg)
{
	struct closer *c = arg;
	bool is_ended = false;

	while (!is_ended) {
		struct close_msg *m = (struct close_msg *)queue_wait(c->queue, -1);

		if (m == NULL)
			continue;
		is_ended = m->msg.type == MSG_END;
		event_fds_close(&m->fds);
		free(m);
	}
	return NULL;
}

static void
send(struct closer *c, int type, struct event_fds *fds)
{
	struct close_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = type;
	if (fds != NULL) {
		m->fds = *fds;
		*fds = (struct event_fds){ 0 };
	}
	queue_send(c->queue, &m->msg);
}

struct closer *
closer_new(void)
{
	struct closer *c = mem_calloc(1, sizeof(*c));

	c->queue = queue_new();
	thread_start_or_die(&c->thread, NULL, run, c);
	return c;
}

void
closer_free(struct closer *c)
{
	if (c == NULL)
		return;
	send(c, MSG_END, NULL);
	pthread_join(c->thread, NULL);
	queue_free(c->queue);
	free(c);
}

void
closer_take(struct closer *c, struct event_fds *fds)
{
	if (fds->len > 0)
		send(c, MSG_CLOSE, fds);
	else
		event_fds_release(fds);
}
