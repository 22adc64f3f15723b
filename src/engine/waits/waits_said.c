/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/waits/waits_impl.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/model.h"
#include "profile/count/profile.h"
#include "record/wait_kind.h"

enum {
	LISTED_MS = 1000, /* it is said if there is no list of threads by then, */
	LAG_MS = 2000,
	UNTOLD_PART = 20, /* and if more than that part of their time is missing */
	FURTHER_PERCENT = 150, /* of what was planned: from there on it is said why looks are so far apart */
	BEHIND_TIMES = 2,  /* what was planned, and */
	BEHIND_PART = 4,   /* such a part of what was reached: so late looks come for want of a CPU */
};

const char waits_lacks_kernel[] = "waits are shown without functions of the kernel: these take "
				   "CAP_SYS_ADMIN; run ptop as root: sudo ptop ...";

struct part_of {
	const char *state;
	uint64_t period;
};

static int
compare_parts(const void *a, const void *b)
{
	const struct part_of *x = a, *y = b;

	return (x->period < y->period) - (x->period > y->period);
}

/* What the window has of each state, the longest first; their sum.  @parts has room for all. */
static uint64_t
sum_states(const struct profile *p, uint32_t event, struct part_of *parts, size_t *count)
{
	const struct tables *t = &p->tables;
	uint64_t all = 0, samples, period;
	size_t i;

	*count = 0;
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t kind = t->hot[id].location - LOCATION_WAITING;
		const char *state = kind < WAIT_KINDS ? wait_kind_defs[kind].state : "run";

		if (t->hot[id].event != event)
			continue;
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		for (i = 0; i < *count && strcmp(parts[i].state, state) != 0;)
			i++;
		if (i == *count)
			parts[(*count)++] = (struct part_of){ .state = state };
		parts[i].period += period;
		all += period;
	}
	qsort(parts, *count, sizeof(*parts), compare_parts);
	return all;
}

void
waits_put_head(const void *waits, struct snapshot *s)
{
	const struct waits *w = waits;
	const struct engine_event *ev = measured_shown(w->measured);
	struct part_of parts[WAIT_KINDS + 1];
	struct buf b = { 0 };
	uint64_t all;
	size_t count;

	if (ev == NULL || ev->spec.looks == EVENT_LOOKS_NONE)
		return;
	all = sum_states(w->profile, w->measured->shown, parts, &count);
	for (size_t i = 0; i < count && parts[i].period > 0; i++)
		buf_addf(&b, "%s%s %.0f%%", i > 0 ? "  " : "", parts[i].state,
			 (double)parts[i].period * 100 / (double)MAX(all, 1));
	s->head.states = arena_strdup(&s->arena, buf_str(&b));
	buf_release(&b);
}

/* "deadlock: thread 12 worker waits for 13 other, which waits for 12 worker". */
static const char *
deadlock_text(const struct waits *w, struct arena *arena, const struct looker_figures *f)
{
	struct buf b = { 0 };
	const char *text;

	buf_add_str(&b, "deadlock: thread ");
	for (size_t i = 0; i <= f->deadlock_len; i++) {
		int tid = f->deadlock[i % f->deadlock_len];
		uint32_t task = model_find_task(w->model, tid);

		buf_addf(&b, "%s%d", i == 0 ? "" : i == 1 ? " waits for " : ", which waits for ", tid);
		if (task != 0 && model_task_at(w->model, task)->comm != 0)
			buf_addf(&b, " %s", strs_get(&w->model->strs,
						     model_task_at(w->model, task)->comm));
	}
	text = arena_strdup(arena, buf_str(&b));
	buf_release(&b);
	return text;
}

/* What of the window is missing, up to the moment that a report is of. */
static void
put_untold(const struct waits *w, struct part_notices *n, const struct looker_figures *f)
{
	uint64_t stopped_ns = w->measured->stopped_ns, from_ns, to_ns;
	uint64_t now = stopped_ns != 0 ? stopped_ns : clock_mono_ns();
	uint64_t all = now - MIN(f->begun_ns, now), untold = looker_untold_ns(f, now);

	if (profile_stretch(w->profile, w->event, &from_ns, &to_ns))
		all = MIN(all, to_ns - from_ns);
	all *= f->threads;
	/* A screen has no look of its own: a wait that goes on is told now and then. */
	if (w->config->is_watched)
		untold -= MIN(untold, f->threads * (LAG_MS * NSEC_PER_MSEC + f->hold_ns));

	if (f->threads == 0 && !f->is_listed && now > w->begun_ns + LISTED_MS * NSEC_PER_MSEC)
		part_notice(n, "no thread has been looked at yet: ptop does not get to it");
	if (all == 0 || untold < all / UNTOLD_PART)
		return;
	part_notice(n, arena_printf(n->arena, "%.0f %% of the time of %llu thread%s is not counted: "
		"looks came too late", (double)MIN(untold, all) * 100 / (double)all,
		(unsigned long long)f->threads, text_plural(f->threads)));
}

/* ", 12 were not yet"; empty: all were. */
static const char *
unseen_text(struct arena *arena, const struct looker_figures *f)
{
	if (f->unseen == 0)
		return "";
	return arena_printf(arena, ", %llu %s not yet", (unsigned long long)f->unseen,
			    f->unseen == 1 ? "was" : "were");
}

/* Without a budget looks are near; of thousands of threads what they saw is told seldom even so. */
static void
put_turn(const struct waits *w, struct part_notices *n, const struct looker_figures *f)
{
	if (f->threads == 0 || f->interval_ns <= WAITS_SELDOM_MS * NSEC_PER_MSEC)
		return;
	if (w->share.budget > 0)
		part_notice(n, arena_printf(n->arena, "%llu thread%s looked at only each %.1f s%s: "
			"more would cost more than --budget", (unsigned long long)f->threads,
			f->threads == 1 ? " is" : "s are", (double)f->interval_ns / 1e9,
			unseen_text(n->arena, f)));
	else
		part_notice(n, arena_printf(n->arena, "what %llu thread%s wait%s is told only each "
			"%.1f s%s", (unsigned long long)f->threads, text_plural(f->threads),
			f->threads == 1 ? "s" : "", (double)f->interval_ns / 1e9,
			f->threads == 1 ? "" : ": they are so many"));
}

void
waits_put_notices(const void *waits, struct part_notices *n)
{
	const struct waits *w = waits;
	struct looker_figures f;

	if (w->looker == NULL)
		return;
	looker_figures(w->looker, &f);
	if (w->has_no_schedstat)
		part_notice(n, "this kernel does not tell how long threads wait: it is built without "
			       "CONFIG_SCHED_INFO");
	if (f.deadlock_len > 0)
		part_notice(n, deadlock_text(w, n->arena, &f));
	if (f.denied > 0)
		part_notice(n, arena_printf(n->arena, "where %llu thread%s wait%s is not known: ptrace(2) "
			"is denied (%s, or another user namespace)",
			(unsigned long long)f.denied, text_plural(f.denied),
			f.denied == 1 ? "s" : "",
			f.has_yama ? "kernel.yama.ptrace_scope" : "more rights than ptop's"));
	put_turn(w, n, &f);
	put_untold(w, n, &f);
	if (f.lacks_files)
		part_notice(n, "some threads are not looked at, for want of descriptors: raise the limit "
			       "of open files: ulimit -n");
	if (f.lacks_kernel && !w->config->is_watched)
		part_notice(n, waits_lacks_kernel);
	if (f.is_full)
		part_notice(n, arena_printf(n->arena, "threads beyond %d are not looked at",
					    WAIT_THREADS_MAX));
}

static bool
comes_late(const struct looker_figures *f)
{
	return f->behind_ns > BEHIND_TIMES * f->planned_ns && f->behind_ns > f->reached_ns / BEHIND_PART;
}

static bool
is_dear(const struct looker_figures *f)
{
	return f->is_dear;
}

static bool
is_still(const struct looker_figures *f)
{
	return f->is_still;
}

/* Why looks are further apart than they would be: all that holds. */
static const struct {
	bool (*holds)(const struct looker_figures *f);
	const char *why;
} reasons[] = {
	{ comes_late, "ptop waits for a CPU" },
	{ is_dear, "more would cost more than --budget" },
	{ is_still, "threads that have not run since are looked at more seldom" },
};

static void
put_time(struct buf *b, uint64_t ns)
{
	if (ns < NSEC_PER_SEC)
		buf_addf(b, "%.3g ms", (double)ns / 1e6);
	else
		buf_addf(b, "%.1f s", (double)ns / 1e9);
}

/* "3 threads, looked at each 140 ms or so, not each 8 ms: ptop waits for a CPU". */
static void
put_pace(struct buf *b, const struct looker_figures *f)
{
	const char *before = ": ";

	if (f->threads == 0) {
		buf_add_str(b, "no thread is looked at");
		return;
	}
	buf_addf(b, "%llu thread%s, looked at each ", (unsigned long long)f->threads,
		 text_plural(f->threads));
	put_time(b, f->reached_ns != 0 ? f->reached_ns : f->planned_ns);
	buf_add_str(b, " or so");
	if (f->reached_ns < f->planned_ns * FURTHER_PERCENT / 100)
		return;
	buf_add_str(b, ", not each ");
	put_time(b, f->planned_ns);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (!reasons[i].holds(f))
			continue;
		buf_addf(b, "%s%s", before, reasons[i].why);
		before = ", ";
	}
}

void
waits_put_page(const void *waits, struct buf *b)
{
	const struct waits *w = waits;
	struct looker_figures f;

	if (w->looker == NULL)
		return;
	looker_figures(w->looker, &f);
	buf_add_str(b, "off-cpu: ");
	put_pace(b, &f);
	buf_addf(b, "; %llu looks, at %llu of them "
		    "the thread had not run since the last, nor its process at %llu; during %llu "
		    "it ran, so that its stack could not be read\n",
		 (unsigned long long)f.looks, (unsigned long long)f.same,
		 (unsigned long long)f.stayed, (unsigned long long)f.torn);
	if (f.presumed > 0)
		buf_addf(b, "off-cpu: at %llu looks, far from each other, what the thread had waited "
			    "was presumed by its times before; it is set right some looks later\n",
			 (unsigned long long)f.presumed);
	if (w->cost->turn_ns != 0)
		buf_add_str(b, "ptop does less beside looks that are so far apart: /proc is read less "
			       "often, threads get their names more slowly, and what is shown is new "
			       "up to 4 s later\n");
	if (f.lacks_kernel)
		buf_addf(b, "off-cpu: no functions of the kernel: /proc/PID/stack takes CAP_SYS_ADMIN\n");
}
