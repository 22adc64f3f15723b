/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/count/counting_guard.h"

#include "base/clock.h"
#include "live/calls/call_guard.h"
#include "live/sys/targets.h"

#include <stdlib.h>
#include <time.h>

struct counting_guard {
	struct counting_place place;
	struct call_function *function;
};

static bool
is_guarded(const struct event *ev)
{
	return (ev->place == EVENT_PLACE_UPROBE || ev->place == EVENT_PLACE_URETPROBE) &&
	       ev->pair == NULL && ev->site_count > 0;
}

/* Its trial is over: -1: it took too much, and is closed. */
static int
try(struct call_function *f, struct err *err)
{
	const struct timespec step = { .tv_nsec = CALL_BEAT_MS * (long)NSEC_PER_MSEC };
	struct call_reading r;

	do {
		nanosleep(&step, NULL);
		call_function_beat(f);
		call_function_read(f, &r);
	} while (r.phase == CALL_ON_TRIAL);
	if (r.phase != CALL_CLOSING)
		return 0;
	call_function_close(f);
	call_function_read(f, &r);
	return err_set(err, ERR_LIMIT, 0, "%s", r.note);
}

/* An instruction is probed for all threads of a process, whichever is meant. */
static size_t
add_processes(const struct counter_target *who, struct call_root *roots)
{
	size_t count = 0;

	for (size_t i = 0; i <= who->beside_count; i++) {
		const struct counter_task one = i == 0
			? (struct counter_task){ who->pid, who->tid, who->with_children }
			: who->besides[i - 1];
		int pid = one.pid;

		if (one.tid != 0)
			pid = targets_process_of(one.tid);
		if (pid != 0)
			roots[count++] = (struct call_root){ pid, one.with_children };
	}
	return count;
}

static struct call_function *
open_guard(const struct counting_guards *g, const struct event *ev, const struct counter_target *who,
	   struct err *err)
{
	struct call_root *roots = mem_calloc(who->beside_count + 1, sizeof(*roots));
	const size_t root_count = add_processes(who, roots);
	struct call_function *f = NULL;
	struct event entry;

	/* Nobody's number would be everybody. */
	if (root_count == 0 && who->pid + who->tid != 0) {
		err_set(err, ERR_GONE, 0, "its thread has ended");
		goto out;
	}
	event_copy(&entry, ev);
	entry.place = EVENT_PLACE_UPROBE;
	entry.config = 0;
	f = call_guard_open(g->sys, g->env, &g->cost, &(struct call_target){
		.event = &entry, .why_no_ends = "", .roots = roots, .root_count = root_count,
		.use.has_returns = ev->place == EVENT_PLACE_URETPROBE }, err);
	event_release(&entry);
out:
	free(roots);
	return f;
}

int
counting_guards_add(struct counting_guards *g, struct counting_place place,
		    const struct event *ev, const struct counter_target *who, struct err *err)
{
	struct counting_guard guard = { place, NULL };

	if (!is_guarded(ev))
		return 0;
	if (!g->has_cost)
		call_cost_measure(&g->cost, g->sys, g->env);
	g->has_cost = true;
	guard.function = open_guard(g, ev, who, err);
	if (guard.function == NULL)
		return -1;
	if (try(guard.function, err) < 0) {
		call_function_free(guard.function);
		return -1;
	}
	VEC_ADD(g->items, g->len, g->cap) = guard;
	return 0;
}

static void
drop(struct counting_guards *g, size_t i)
{
	call_function_free(g->items[i].function);
	g->items[i] = g->items[--g->len];
}

bool
counting_guards_beat(struct counting_guards *g, struct counting_excess *excess)
{
	for (size_t i = g->len; i-- > 0;) {
		struct counting_guard *guard = &g->items[i];
		struct call_reading r;

		call_function_beat(guard->function);
		if (!call_function_wants_close(guard->function))
			continue;
		call_function_read(guard->function, &r);
		if (r.over_ns != 0) {
			*excess = (struct counting_excess){ guard->place, r.over_ns, r.told_by_ns };
			return true;
		}
		drop(g, i); /* its process has ended */
	}
	return false;
}

void
counting_guards_drop(struct counting_guards *g, struct counting_place place)
{
	for (size_t i = g->len; i-- > 0;)
		if (g->items[i].place.target == place.target && g->items[i].place.event == place.event)
			drop(g, i);
}

void
counting_guards_release(struct counting_guards *g)
{
	while (g->len > 0)
		drop(g, 0);
	free(g->items);
	g->items = NULL;
	g->cap = 0;
}
