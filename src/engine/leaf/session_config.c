/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/session_config.h"

#include <stdlib.h>
#include <string.h>

struct session_config
session_config_of(const struct engine_config *config, const struct event_env *env)
{
	const struct engine_config *c = config;

	return (struct session_config){
		.env = *env,
		.cpus = c->cpus,
		.cpu_count = c->cpu_count,
		.pids = c->pids,
		.pid_count = c->pid_count,
		.tids = c->tids,
		.tid_count = c->tid_count,
		.uids = c->uids,
		.uid_count = c->uid_count,
		.command = c->command,
		.command_env = c->command_env,
		.capture_output = c->command != NULL && c->is_watched,
		.inherit = !c->no_inherit,
		.call_chains = c->call_graph != CALL_GRAPH_NONE,
		.call_graph = c->call_graph,
		.stack_bytes = c->stack_bytes,
		.defer_chains = c->defer_chains,
		.idle = c->idle,
		.for_file = c->record != NULL,
		/* For what may be written, and shown. */
		.wants_fields = c->record != NULL || c->wants_fields || c->is_watched,
		.for_stacks = c->raw_stacks,
		.freq = c->count == 0 ? c->freq : 0,
		.period = c->count,
		.rate_given = c->rate_given,
		.attrs = c->attrs,
		.clock = c->clock,
		.past_bytes = c->overwrite ? (size_t)c->history_bytes : 0,
		.ring_pages = c->mmap_pages,
		.ring_pages_given = c->pages_given,
	};
}

/*
 * On the screen they can be asked for at any time; a report's is named at its end.  A recording has
 * no code that the kernel could be asked for.
 */
struct capability_needs
capability_needs_of(const struct engine_config *config)
{
	const struct engine_config *c = config;

	return (struct capability_needs){
		.files = c->is_watched || c->record != NULL || c->writes_report || c->makes_socket,
		.replaced = c->writes_report && c->force,
		.code = c->shows_code && c->input == NULL,
	};
}

/* Of which the first that opens is taken. */
static const char defaults[] = "cycles:P,cycles,cpu-clock";

/* The @len bytes at @text, without the comma that joins them to what was before. */
static int
parse_part(const struct event_env *env, const char *text, size_t len, struct event_list *list,
	   struct err *err)
{
	bool is_joined = len > 0 && list->len > 0;
	char *part;
	int res;

	if (len == 0)
		return 0;
	part = mem_strndup(text + is_joined, len - is_joined);
	res = event_parse(env, part, list, err);
	free(part);
	return res;
}

int
events_parse(const struct engine_config *c, const struct event_env *env, struct event_list *list,
	     struct err *err)
{
	const char *text = c->events != NULL ? c->events : defaults;
	size_t at = 0;

	for (size_t i = 0; i < c->event_filter_count; i++) {
		const struct config_event_filter *f = &c->event_filters[i];

		if (parse_part(env, text + at, f->end - at, list, err) < 0)
			return -1;
		if (event_set_filter(list, f->text, err) < 0)
			return err_wrap(err, "--filter-event");
		at = f->end;
	}
	return parse_part(env, text + at, strlen(text) - at, list, err);
}
