/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "event/site.h"

#include <linux/perf_event.h>

void
switches_choose(const struct event_env *env, struct event *ev)
{
	uint64_t at = tracepoint_id(env, "sched:sched_switch");
	uint64_t waking = tracepoint_id(env, "sched:sched_waking");

	ev->looks = EVENT_LOOKS_EXACT;
	ev->is_in_kernel = true;
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
