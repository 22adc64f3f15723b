/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/naming.h"

#include <string.h>

enum { NAMING_IDS = 1 << 30 }; /* this bit tells them from those of others */

static void
ask_next(struct naming *n)
{
	uint32_t id = (n->request.id + 1) | NAMING_IDS;

	if (n->broker == NULL || n->is_due || n->waiting_len == 0)
		return;
	n->request = (struct broker_request){
		.id = id, .action = BROKER_NAME_CODE,
		.pid = n->waiting[0].pid, .start = n->waiting[0].start,
	};
	memmove(n->waiting, n->waiting + 1, --n->waiting_len * sizeof(n->waiting[0]));
	/* Of one that has ended broker_take() says so: it is asked while something is due. */
	broker_ask(n->broker, &n->request);
	n->is_due = true;
}

void
naming_ask(struct naming *n, int pid, uint64_t start)
{
	if (start == 0)
		start = broker_start_of(pid);
	if (start == 0 || n->waiting_len == NAMING_MAX)
		return;
	n->waiting[n->waiting_len].pid = pid;
	n->waiting[n->waiting_len++].start = start;
	ask_next(n);
}

bool
naming_is_mine(const struct broker_reply *reply)
{
	return (reply->id & NAMING_IDS) != 0;
}

int
naming_take(struct naming *n, const struct broker_reply *reply, struct buf *said)
{
	const struct broker_request request = n->request;
	const struct runtime *r = broker_runtime(reply);
	const bool is_done = reply->result == BROKER_DONE;

	n->is_due = false;
	if (is_done && r != NULL) {
		buf_addf(said, "%s %d has written the names of its code, /tmp/perf-%d.map", r->name,
			 request.pid, reply->inner_pid);
	} else {
		buf_addf(said, "process %d does not name its code: ", request.pid);
		broker_put_reason(said, &request, reply);
	}
	ask_next(n);
	return is_done ? request.pid : 0;
}
