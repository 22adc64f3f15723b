/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"
#include "event/site.h"

#include <linux/perf_event.h>

/* 0: there is none, or not for this user. */
static uint64_t
id_of(const struct event_env *env, const char *name)
{
	struct buf path = { 0 };
	int64_t id = 0;

	if (tracepoint_dir(env, &path, NULL) == 0) {
		buf_addf(&path, "/sched/%s/id", name);
		id = file_number(path.data, 0);
	}
	buf_release(&path);
	return id > 0 ? (uint64_t)id : 0;
}

void
switches_choose(const struct event_env *env, struct event *ev)
{
	uint64_t at = id_of(env, "sched_switch"), waking = id_of(env, "sched_waking");

	ev->looks = EVENT_LOOKS_EXACT;
	ev->type = PERF_TYPE_SOFTWARE;
	ev->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	if (at == 0)
		return;
	ev->type = PERF_TYPE_TRACEPOINT;
	ev->config = at;
	event_add_site(ev, NULL, at, 0);
	if (waking != 0)
		event_add_site(ev, NULL, waking, 0);
}
