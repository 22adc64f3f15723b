/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_function.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RATE_LOOKS = 128 };

/* What is younger may still be on its way into another ring. */
#define YOUNG_NS (5 * NSEC_PER_MSEC)
#define FOLLOW_NS (100 * NSEC_PER_MSEC)
/* All processes of the machine are asked what they run. */
#define OTHERS_NS NSEC_PER_SEC
/* Where new tasks cannot be probed that is tried again, later each time. */
#define PATIENCE_NS (2 * NSEC_PER_SEC)
#define RATE_NS NSEC_PER_SEC

struct rate_look {
	uint64_t time_ns, calls;
};

struct call_function {
	struct call_probe *probe;
	struct call_who who;
	struct call_limit limit;
	enum call_phase phase;
	bool is_forced, has_ends;
	uint64_t begin_ns, end_ns;  /* the first probe was open; all were closed */
	uint64_t followed_ns, others_ns; /* the last look for tasks, and for others */
	uint64_t pause_ns, again_ns; /* it is refused where they are new: how long, until when; 0: it is not */
	enum call_verdict verdict;  /* of the last look */
	double cost_percent;
	struct rate_look looks[RATE_LOOKS];
	unsigned look_count;
	char found[320]; /* what was known before it was opened, which holds whatever comes */
	char note[512];
};

/* The newest first. */
static void
note(struct call_function *f, const char *text)
{
	snprintf(f->note, sizeof(f->note), "%.240s%s%.256s", text,
		 *text != '\0' && *f->found != '\0' ? "; " : "", f->found);
}

/* What they use, in the place that has most where nobody is named. */
static struct call_look
look_at(struct call_function *f, const struct call_counts *counts)
{
	struct call_look l = { .time_ns = clock_mono_ns(), .cost_ns = counts->cost_ns };

	l.cpu_ns = call_who_cpu_ns(&f->who);
	if (f->who.is_machine || f->who.hits_others) {
		l.cost_ns = counts->worst_cost_ns;
		l.cpu_ns = l.time_ns - f->begin_ns;
	}
	return l;
}

static void
look(struct call_function *f)
{
	const struct call_counts counts = call_probe_counts(f->probe);
	const struct call_look l = look_at(f, &counts);

	f->looks[f->look_count++ % RATE_LOOKS] = (struct rate_look){ l.time_ns, counts.calls };
	f->cost_percent = l.cpu_ns > 0 ? (double)l.cost_ns * 100 / (double)l.cpu_ns : -1;
	f->verdict = f->is_forced ? CALL_FITS : call_limit_look(&f->limit, &l);
}

/* Between two opens of which each takes some 20 ms. */
static bool
goes_on(void *function)
{
	struct call_function *f = function;

	if (f->begin_ns == 0)
		f->begin_ns = clock_mono_ns();
	look(f);
	return f->verdict == CALL_FITS;
}

/* The same of begins: what is too much to be timed is counted all the same. */
static bool
may_be_counted(void *function)
{
	const struct call_function *f = function;

	goes_on(function);
	return f->verdict != CALL_CLOSE;
}

static bool
is_gone(const struct err *err)
{
	return err->sys == ESRCH || err->sys == ENODEV;
}

/* Opens begins where they are not yet.  -1: refused. */
static int
open_new(struct call_function *f, struct err *err)
{
	const struct call_watch watch = { may_be_counted, f };
	size_t count;
	struct call_place *places = call_who_places(&f->who, &count);
	int res = 0;

	if (count > 1)
		call_probe_share(f->probe);
	/* One that is refused holds up no other. */
	for (size_t i = 0; i < count; i++) {
		struct err why = { 0 };

		if (call_probe_has(f->probe, places[i]))
			continue;
		if (call_probe_add(f->probe, places[i], &watch, &why) < 0 && !is_gone(&why) && res == 0) {
			*err = why;
			res = -1;
		}
		if (!may_be_counted(f))
			break;
	}
	free(places);
	return res;
}

static void
drop_gone(struct call_function *f)
{
	struct tasks *before = &f->who.tasks;
	struct tasks old = *before;

	*before = (struct tasks){ 0 };
	call_who_refresh(&f->who);
	for (size_t i = 0; i < old.len; i++)
		if (!tasks_has(&f->who.tasks, old.items[i].tid))
			call_probe_remove(f->probe, (struct call_place){ old.items[i].tid, -1 });
	tasks_release(&old);
}

/* Where probes were open for them, and are for tasks now: see call_who_join(). */
static void
leave_cpus(struct call_function *f)
{
	struct cpus *cpus = &f->who.cpus;

	for (size_t i = 0; i < cpus->len; i++)
		call_probe_remove(f->probe, (struct call_place){ -1, (int)cpus->items[i] });
	cpus_release(cpus);
}

/* Said when it begins alone: what comes later may be of more interest. */
static void
open_where_new(struct call_function *f, uint64_t now_ns)
{
	struct err err = { 0 };

	if (now_ns < f->again_ns)
		return;
	if (open_new(f, &err) == 0) {
		f->pause_ns = 0;
		return;
	}
	if (f->pause_ns == 0)
		note(f, err.text);
	f->pause_ns = MIN(MAX(2 * f->pause_ns, FOLLOW_NS), PATIENCE_NS);
	f->again_ns = now_ns + f->pause_ns;
}

/* What others have hit is no cost of who is meant. */
static void
look_for_others(struct call_function *f)
{
	f->others_ns = clock_mono_ns();
	if (!call_who_meets_others(&f->who))
		return;
	call_limit_reset(&f->limit);
	f->verdict = CALL_FITS;
	f->followed_ns = 0;
}

static void
follow(struct call_function *f, uint64_t now_ns)
{
	if (f->who.is_machine || now_ns - f->followed_ns < FOLLOW_NS)
		return;
	f->followed_ns = now_ns;
	drop_gone(f);
	if (now_ns - f->others_ns >= OTHERS_NS)
		look_for_others(f);
	if (f->who.tasks.len == 0) {
		note(f, "its processes have ended");
		f->phase = CALL_CLOSING;
		return;
	}
	if (!f->who.is_by_cpu)
		leave_cpus(f);
	open_where_new(f, now_ns);
}

/* As call_whom.file. */
static const char *
file_of(const struct event *ev)
{
	if (ev->place != EVENT_PLACE_UPROBE)
		return NULL;
	for (size_t i = 1; i < ev->site_count; i++)
		if (strcmp(ev->sites[i].target, ev->sites[0].target) != 0)
			return "";
	return ev->sites[0].target;
}

struct call_function *
call_function_open(const struct sys *sys, const struct event_env *env, const struct call_cost *cost,
		   const struct call_target *t, struct err *err)
{
	struct call_function *f = mem_calloc(1, sizeof(*f));
	const struct call_probe_spec spec = {
		.sys = sys, .env = env, .event = t->event, .points = t->points, .count = t->count,
		.begins = t->begins, .use = t->use, .cost = cost,
		.named = t->named,
	};
	const struct call_whom whom = {
		.roots = t->roots, .root_count = t->root_count, .is_for_cpus = t->is_for_cpus,
		.file = file_of(t->event),
	};

	f->phase = CALL_ON_TRIAL;
	f->is_forced = t->is_forced;
	f->has_ends = t->count > t->begins;
	snprintf(f->found, sizeof(f->found), "%s", t->why_no_ends);
	note(f, "");
	if (call_who_init(&f->who, env, &whom, err) == 0) {
		f->probe = call_probe_new(&spec);
		if (open_new(f, err) == 0 && call_probe_places(f->probe) > 0)
			return f;
		if (err->code == ERR_NONE)
			err_set(err, ERR_GONE, 0, "its processes have ended");
	}
	call_function_free(f);
	return NULL;
}

void
call_function_free(struct call_function *f)
{
	if (f == NULL)
		return;
	call_probe_free(f->probe);
	call_who_release(&f->who);
	free(f);
}

/* Nobody was left.  What it has counted stays, and tells at once whether it may be timed. */
static void
go_on(struct call_function *f)
{
	f->begin_ns += clock_mono_ns() - f->end_ns;
	f->end_ns = 0;
	f->followed_ns = 0;
	f->phase = CALL_ON_TRIAL;
	call_limit_reset(&f->limit);
	note(f, "");
}

void
call_function_join(struct call_function *f, const struct call_root *root)
{
	call_who_join(&f->who, root);
	if (f->phase == CALL_CLOSED && f->verdict != CALL_CLOSE)
		go_on(f);
}

/* Whether it may be timed, by what the trial has told. */
static bool
may_be_timed(struct call_function *f)
{
	const struct call_counts counts = call_probe_counts(f->probe);
	const struct call_look l = look_at(f, &counts);
	uint64_t cost_ns = counts.calls * call_probe_timed_call_ns(f->probe);

	return f->is_forced ||
	       call_limit_judge(cost_ns, l.cpu_ns, l.time_ns - f->begin_ns) == CALL_FITS;
}

static void
count_alone(struct call_function *f, const char *why)
{
	if (call_probe_is_timing(f->probe))
		call_probe_stop_timing(f->probe);
	call_limit_reset(&f->limit);
	f->verdict = CALL_FITS;
	f->phase = CALL_COUNTING;
	note(f, why);
}

static const char too_often[] =
	"called too often to be timed: that would take more than 2 % of its CPU time (--force-probe)";

static void
end_trial(struct call_function *f)
{
	const struct call_watch watch = { goes_on, f };
	struct err err = { 0 };

	if (!f->has_ends) {
		f->phase = CALL_COUNTING;
		return;
	}
	if (!may_be_timed(f)) {
		count_alone(f, too_often);
		return;
	}
	f->phase = CALL_TIMING;
	if (call_probe_time(f->probe, &watch, &err) < 0)
		count_alone(f, err.code == ERR_LIMIT ? too_often : err.text);
}

void
call_function_beat(struct call_function *f)
{
	uint64_t now_ns = clock_mono_ns();

	if (f->phase == CALL_CLOSED || f->phase == CALL_CLOSING)
		return;
	look(f);
	if (f->verdict != CALL_FITS)
		look_for_others(f);
	if (f->verdict == CALL_CLOSE) {
		f->phase = CALL_CLOSING;
		return;
	}
	if (f->phase == CALL_TIMING && f->verdict == CALL_ENTRY_ONLY)
		count_alone(f, too_often);
	if (f->phase == CALL_TIMING)
		call_probe_drain(f->probe, now_ns - YOUNG_NS);
	if (f->phase == CALL_ON_TRIAL && now_ns - f->begin_ns >= CALL_TRIAL_MS * NSEC_PER_MSEC)
		end_trial(f);
	follow(f, now_ns);
}

void
call_function_settle(struct call_function *f)
{
	const struct timespec young = { .tv_nsec = YOUNG_NS };
	uint64_t now_ns = clock_mono_ns();

	if (f->phase != CALL_TIMING)
		return;
	nanosleep(&young, NULL);
	call_probe_drain(f->probe, now_ns);
}

bool
call_function_wants_close(const struct call_function *f)
{
	return f->phase == CALL_CLOSING;
}

/* Of the last second, or since it began; of one that a limit closed, of the time that told it. */
static double
rate_of(const struct call_function *f)
{
	const struct rate_look *last, *at;
	uint64_t for_ns = f->limit.told_by_ns != 0 ? f->limit.told_by_ns : RATE_NS;

	if (f->phase == CALL_CLOSED && f->verdict != CALL_CLOSE)
		return 0;
	if (f->look_count < 2)
		return f->phase != CALL_CLOSED ? 0 :
		       (double)call_probe_counts(f->probe).calls * 1e9 / (double)(f->end_ns - f->begin_ns + 1);
	last = at = &f->looks[(f->look_count - 1) % RATE_LOOKS];
	for (unsigned back = 2; back <= MIN(f->look_count, (unsigned)RATE_LOOKS); back++) {
		at = &f->looks[(f->look_count - back) % RATE_LOOKS];
		if (last->time_ns - at->time_ns >= for_ns)
			break;
	}
	return (double)(last->calls - at->calls) * 1e9 / (double)(last->time_ns - at->time_ns + 1);
}

void
call_function_close(struct call_function *f)
{
	uint64_t close_ns;
	char text[200];

	f->end_ns = clock_mono_ns();
	close_ns = call_probe_close(f->probe);
	f->phase = CALL_CLOSED;
	if (f->verdict != CALL_CLOSE)
		return;
	snprintf(text, sizeof(text), "%.0f calls a second took more than 10 %% of its CPU time "
		 "for %.0f ms (--force-probe): closing began after %.0f ms and took %.0f ms",
		 rate_of(f), (double)f->limit.told_by_ns / 1e6,
		 (double)(f->end_ns - f->limit.over_ns) / 1e6, (double)close_ns / 1e6);
	note(f, text);
}

void
call_function_read(struct call_function *f, struct call_reading *r)
{
	const struct call_counts counts = call_probe_counts(f->probe);
	const struct call_pairs *pairs = call_probe_pairs(f->probe);

	*r = (struct call_reading){
		.phase = f->phase, .calls = counts.calls, .lost_hits = counts.lost,
		.per_second = rate_of(f), .cost_percent = f->cost_percent,
		.open_calls = call_pairs_open(pairs), .unreturned = pairs->unreturned,
		.recursive = pairs->recursive, .times = pairs->times, .over_ns = f->limit.over_ns,
		.told_by_ns = f->limit.told_by_ns,
		.for_ns = (f->end_ns != 0 ? f->end_ns : clock_mono_ns()) - f->begin_ns,
	};
	memcpy(r->note, f->note, sizeof(r->note));
}
