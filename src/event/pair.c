/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/pair.h"

#include "event/site.h"
#include "event/spec.h"
#include "event/tracepoint.h"

#include <linux/perf_event.h>
#include <string.h>

static const struct event_pair pairs[] = {
	{ "syscall-time", "time in system calls: each from its begin to its end, once that has come",
	  "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", PAIR_BY_THREAD, { NULL } },
	{ "block-time", "time that disks take: each request from its issue to its completion",
	  "block:block_rq_issue", "block:block_rq_complete", PAIR_BY_FIELDS, { "dev", "sector" } },
	{ "softirq-time", "time in soft interrupts, such as those of timers and networks",
	  "irq:softirq_entry", "irq:softirq_exit", PAIR_BY_CPU, { NULL } },
	{ "irq-time", "time in handlers of hardware interrupts", "irq:irq_handler_entry",
	  "irq:irq_handler_exit", PAIR_BY_CPU, { NULL } },
};

const struct event_pair *
event_pairs(size_t *count)
{
	*count = ARRAY_SIZE(pairs);
	return pairs;
}

const struct event_pair *
event_pair_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (strlen(pairs[i].name) == len && memcmp(pairs[i].name, name, len) == 0)
			return &pairs[i];
	return NULL;
}

int
pair_parse(const struct spec *s, const char **rest)
{
	size_t len = strcspn(s->text, ":/");
	const struct event_pair *pair = event_pair_find(s->text, len);
	uint64_t begin, end;
	struct event *ev;

	if (pair == NULL)
		return 0;
	begin = tracepoint_id(s->env, pair->begin);
	end = tracepoint_id(s->env, pair->end);
	if (begin == 0 || end == 0) {
		spec_lacks(s, ERR_DENIED, "'%s' needs the tracepoints %s and %s, which cannot be read",
			   pair->name, pair->begin, pair->end);
		return err_hint(s->err, TRACEFS_REMEDY);
	}
	ev = spec_add(s);
	ev->type = PERF_TYPE_TRACEPOINT;
	ev->config = begin;
	ev->is_tracepoint = true;
	ev->is_in_kernel = true;
	ev->unit = EVENT_COUNTS_TIME;
	ev->pair = pair;
	event_add_site(ev, NULL, begin, 0);
	event_add_site(ev, NULL, end, 0);
	*rest = s->text + len;
	return 1;
}
