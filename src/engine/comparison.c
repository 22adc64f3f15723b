/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second recording that is compared with: an engine of its own reads it, with tables of its own, and
 * answers the same queries to this one.
 */
#include "engine/rooms.h"

struct query
comparison_query(const struct query *q)
{
	struct query then = *q;

	/* Numbers of this engine's tasks, places and files say nothing there. */
	then.process = then.thread = then.name = then.dso = then.lock = then.function = 0;
	then.compare = COMPARE_NOTHING;
	then.is_then = true;
	then.sums = true;
	then.end_ns = 0;
	then.frozen = false;
	then.max_rows = 0;
	then.window_ns = WINDOW_ALL;
	return then;
}

struct engine_config
comparison_config(const struct engine_config *c)
{
	return (struct engine_config){
		.input = c->then_input, .call_graph = c->call_graph, .delay_s = c->delay_s,
		.idle = c->idle, .is_watched = c->is_watched, .relative = c->relative,
		.format = c->format, .vmlinux = c->vmlinux, .kallsyms = c->kallsyms,
		.symfs = c->symfs, .no_demangle = c->no_demangle, .inlines = c->inlines,
		.memory_bytes = c->memory_bytes, .budget = c->budget,
	};
}
