/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/naming.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMING_IDS = 1 << 30 }; /* this bit tells them from those of others */

static bool
is_silent(const struct naming *n, const struct naming_waiting *who)
{
	for (size_t i = 0; i < MIN(n->silent_len, (size_t)NAMING_SILENT_MAX); i++)
		if (n->silent[i] == who->uid)
			return true;
	return false;
}

static void
note_silent(struct naming *n)
{
	if (!is_silent(n, &n->now))
		n->silent[n->silent_len++ % NAMING_SILENT_MAX] = n->now.uid;
}

static struct naming_waiting
take_out(struct naming *n, size_t i)
{
	struct naming_waiting who = n->waiting[i];

	memmove(n->waiting + i, n->waiting + i + 1, (--n->waiting_len - i) * sizeof(who));
	return who;
}

/* One who took no time yet; else whoever came first. */
static size_t
find_next(const struct naming *n)
{
	size_t i = 0;

	while (i < n->waiting_len && is_silent(n, &n->waiting[i]))
		i++;
	return i < n->waiting_len ? i : 0;
}

static void
ask_next(struct naming *n)
{
	uint32_t id = (n->request.id + 1) | NAMING_IDS;

	if (n->broker == NULL || n->is_due || n->waiting_len == 0)
		return;
	n->now = take_out(n, find_next(n));
	n->request = (struct broker_request){
		.id = id, .action = BROKER_NAME_CODE, .pid = n->now.pid, .start = n->now.start,
	};
	/* Of one that has ended broker_take() says so: it is asked while something is due. */
	broker_ask(n->broker, &n->request);
	n->is_due = true;
}

static uint32_t
owner_of(int pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &st) == 0 ? st.st_uid : UINT32_MAX;
}

/* For another; false: all that wait are of users whose runtimes answer. */
static bool
make_room(struct naming *n)
{
	size_t i = n->waiting_len;

	while (i > 0 && !is_silent(n, &n->waiting[i - 1]))
		i--;
	if (i > 0)
		take_out(n, i - 1);
	return i > 0;
}

void
naming_ask(struct naming *n, int pid, uint64_t start)
{
	struct naming_waiting who = { pid, start != 0 ? start : broker_start_of(pid), owner_of(pid) };

	if (who.start == 0 || (n->waiting_len == NAMING_MAX && (is_silent(n, &who) || !make_room(n))))
		return;
	n->waiting[n->waiting_len++] = who;
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
	if (reply->result == BROKER_SILENT || reply->result == BROKER_ASLEEP)
		note_silent(n);
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
