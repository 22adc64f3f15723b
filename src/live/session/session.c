/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's side of a session.  The opener makes events and rings and gives them away by
 * message; from then on their descriptors are the engine's, until they go to the closer.
 */
#include "live/session/session_impl.h"

#include "live/session/opener_thread.h"
#include "live/sys/limits.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void
session_free(struct session *s)
{
	struct event_opener *o;

	if (s == NULL)
		return;
	o = &s->opener;
	if (s->is_running)
		opener_thread_stop(o);
	else
		closer_take(o->closer, &o->sideband);
	closer_free(o->closer);
	named_probes_free(o->named);
	cpu_watch_close(&o->watch);
	cpus_release(&o->known);
	free(s->missing);
	free(s->missing_remedy);
	for (size_t i = 0; i < s->ring_count; i++)
		session_ring_close(&s->rings[i]);
	free(s->rings);
	command_free(o->command);
	open_plan_release(&o->sideband_plan);
	lanes_release(&o->lanes);
	targets_release(&o->targets);
	scope_notes_release(&s->notes);
	free(s->cpus);
	free(s->root);
	free(s);
}

enum session_scope
session_scope(const struct session *s)
{
	return s->opener.everywhere.scope;
}

const char *
session_notice(const struct session *s, size_t i)
{
	if (s != NULL && i == s->notes.len)
		return s->missing;
	return s != NULL && i < s->notes.len ? s->notes.items[i].text : NULL;
}

const char *
session_remedy(const struct session *s, size_t i)
{
	if (i == s->notes.len)
		return s->missing_remedy;
	return i < s->notes.len ? s->notes.items[i].remedy : NULL;
}

unsigned
session_cpus_known(const struct session *s)
{
	return s != NULL ? s->cpus_known : 0;
}

static struct event *
copy_events(const struct event *events, size_t count)
{
	struct event *copies = mem_calloc(count, sizeof(*copies));

	for (size_t i = 0; i < count; i++)
		event_copy(&copies[i], &events[i]);
	return copies;
}

void
session_open(struct session *s, uint32_t token, const struct event *candidates, size_t count)
{
	opener_thread_ask(&s->opener, OPENER_OPEN, &(struct opener_request){
		.token = token, .events = copy_events(candidates, count), .count = count });
}

void
session_open_group(struct session *s, const uint32_t *tokens, const struct event *events,
		   size_t count)
{
	uint32_t *copies = mem_calloc(count, sizeof(*copies));

	memcpy(copies, tokens, count * sizeof(*copies));
	opener_thread_ask(&s->opener, OPENER_OPEN_GROUP, &(struct opener_request){
		.tokens = copies, .events = copy_events(events, count), .count = count });
}

void
session_stop(struct session *s, struct session_event *ev, bool exact)
{
	ev->is_stopped = true;
	(exact ? event_fds_disable_there : event_fds_disable)(&ev->fds, s->config.sys);
}

void
session_pause(struct session *s, struct session_event *ev, bool is_paused)
{
	ev->is_stopped = is_paused;
	(is_paused ? event_fds_disable : event_fds_enable)(&ev->fds, s->config.sys);
}

void
session_close(struct session *s, struct session_event *ev)
{
	ev->is_closed = true;
	session_stop(s, ev, false);
	if (ev->is_probe)
		closer_take_probes(s->opener.closer, &ev->fds, ev->token);
	else
		closer_take(s->opener.closer, &ev->fds);
	opener_thread_ask(&s->opener, OPENER_CLOSED, &(struct opener_request){ .event = ev });
}

uint64_t
session_set_freq(struct session *s, struct session_event *ev, uint64_t hz)
{
	const struct sys *sys = s->config.sys;

	if (!ev->is_freq || ev->is_closed)
		return ev->rate;
	hz = MAX(MIN(hz, limits_max_rate(&s->config.env)), 1);
	/*
	 * Clocks made a period of their frequency when they were opened.  IOC_PERIOD gives them
	 * another one, but their samples go on to carry the first: each would weigh too much or too
	 * little.
	 */
	for (size_t i = 0; i < ev->fds.len && !ev->is_clock; i++) {
		if (sys->set_period(sys, ev->fds.items[i].fd, hz) < 0 && !ev->inherits)
			return ev->rate;
	}
	if (!ev->is_clock)
		ev->rate = hz;
	opener_thread_ask(&s->opener, OPENER_RATE, &(struct opener_request){
		.event = ev, .rate = hz, .reopen = ev->is_clock || ev->inherits });
	return hz;
}

void
session_set_period(struct session *s, struct session_event *ev, uint64_t period)
{
	if (ev->is_paced && !ev->is_closed)
		opener_thread_ask(&s->opener, OPENER_PERIOD, &(struct opener_request){
			.event = ev, .rate = period });
}

bool
session_inherits(const struct session_event *ev)
{
	return ev->inherits;
}

uint64_t
session_rate(const struct session_event *ev)
{
	return ev->rate;
}

void
session_set_call_graph(struct session *s, struct session_event *ev, enum event_call_graph how,
		       uint32_t bytes)
{
	opener_thread_ask(&s->opener, OPENER_CHAINS, &(struct opener_request){
		.event = ev, .call_graph = how, .stack_bytes = bytes });
}

void
session_set_filter(struct session *s, struct session_event *ev, const char *filter)
{
	opener_thread_ask(&s->opener, OPENER_FILTER, &(struct opener_request){
		.event = ev, .filter = filter != NULL ? mem_strdup(filter) : NULL });
}

void
session_attach(struct session *s, int pid, bool descendants)
{
	opener_thread_ask(&s->opener, OPENER_ATTACH, &(struct opener_request){
		.pid = pid, .descendants = descendants });
}

void
session_add_sites(struct session *s, struct session_event *ev, const struct event *found,
		  uint32_t target)
{
	opener_thread_ask(&s->opener, OPENER_SITES, &(struct opener_request){
		.event = ev, .events = copy_events(found, 1), .count = 1, .target = target });
}

void
session_detach(struct session *s, uint32_t target)
{
	opener_thread_ask(&s->opener, OPENER_DETACH, &(struct opener_request){ .target = target });
}

void
session_open_stacks(struct session *s, uint32_t token, int pid, uint32_t bytes,
		    size_t descriptors_max, struct session_event *const *events, size_t count)
{
	struct stacks_ask ask = {
		.token = token, .pid = pid, .bytes = bytes, .descriptors_max = descriptors_max,
		.events = mem_calloc(count + 1, sizeof(*ask.events)), .count = count,
	};

	memcpy(ask.events, events, count * sizeof(*events));
	opener_thread_ask(&s->opener, OPENER_STACKS, &(struct opener_request){ .stacks = ask });
}

void
session_begin_stacks(struct session *s, const struct session_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		event_fds_enable(&stacks->parts[i].fds, s->config.sys);
}

void
session_stop_stacks(struct session *s, const struct session_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		event_fds_disable(&stacks->parts[i].fds, s->config.sys);
}

void
session_close_stacks(struct session *s, struct session_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		closer_take(s->opener.closer, &stacks->parts[i].fds);
	session_stacks_free(stacks);
}

uint64_t
session_stacks_lost(struct session *s, const struct session_stacks *stacks, uint32_t event)
{
	struct tallies sum = { 0 };
	uint64_t lost;

	for (size_t i = 0; i < stacks->count; i++) {
		const struct stacks_part *part = &stacks->parts[i];

		if (part->token == event && (part->read_format & ABI_FORMAT_LOST))
			event_fds_tally(&part->fds, s->config.sys, part->read_format, &sum);
	}
	lost = tallies_lost(&sum);
	tallies_release(&sum);
	return lost;
}

void
session_tally(struct session *s, const struct session_event *ev, struct tallies *sum)
{
	tallies_append(sum, &ev->gone);
	event_fds_tally(&ev->fds, s->config.sys, ev->read_format, sum);
}

uint64_t
session_lost(struct session *s, const struct session_event *ev)
{
	struct tallies sum = { 0 };
	uint64_t lost;

	if (!session_knows_lost(ev))
		return 0;
	session_tally(s, ev, &sum);
	lost = tallies_lost(&sum);
	tallies_release(&sum);
	return lost;
}

bool
session_knows_lost(const struct session_event *ev)
{
	return (ev->read_format & ABI_FORMAT_LOST) != 0;
}

void
session_stop_at_exec(struct session *s)
{
	opener_thread_ask(&s->opener, OPENER_STOP_AT_EXEC, &(struct opener_request){ 0 });
}

void
session_start_command(struct session *s)
{
	opener_thread_ask(&s->opener, OPENER_START, &(struct opener_request){ 0 });
}

int
session_command_pid(const struct session *s)
{
	return s->opener.command != NULL ? command_pid(s->opener.command) : 0;
}

int
session_output_fd(const struct session *s)
{
	return s->opener.command != NULL ? command_output_fd(s->opener.command) : -1;
}

int32_t
session_clock(const struct session *s)
{
	return s->config.clock != NULL ? s->config.clock->id : CLOCK_MONOTONIC;
}

const struct event_attr *
session_sideband_attr(const struct session *s)
{
	return &s->sideband_attr;
}

uint64_t
session_sample_type(const struct session *s)
{
	return s->opener.options.sample_type;
}
