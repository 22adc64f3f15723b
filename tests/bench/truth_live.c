/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often what is said of differences and error bars is true of loads that run: of a build whose work
 * does not change, and of programs whose shares are known.
 *
 * What runs is recorded, and the recording is looked at as by the screen.  Pairs of windows of the build
 * are spread evenly over the recording: each window beside as much time before it, so that neighbours of
 * the pairs overlap.  TRUTH_SECONDS says how long is recorded; FILEs are such recordings of before, and
 * counted as one.
 * usage: truth_live [FILE...]
 */
#include "child.h"
#include "figure.h"
#include "load.h"
#include "meter.h"

#include "app/config.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "view/share.h"
#include "view/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUILD_S = 1200, PAIRS = 200, WINDOW_S = 30, BEGIN_S = 20,
	PROGRAMS = 60, PROGRAMS_S = 540, /* so that there are a thousand windows, none overlaps another */
	PATIENCE_S = 120, ARGS_MAX = 8,
};

#define KNOWN_SHARE 0.75 /* of hot_loop in tests/loads/hot */

/*
 * These take turns each millisecond or so, and keep to their shares: samples of each millisecond tell these
 * better than chance would, and intervals of 95 % hold them in 98.
 */
#define PROGRAMS_HZ "199"
#define BUILD_HZ "999"

/* A recording, as the engine has it for a screen. */
struct recording {
	struct config config;
	struct query query;
	struct queue *answers;
	struct engine *engine;
	struct snapshot *last; /* the newest answer */
};

static bool
recording_open(struct recording *r, const char *path)
{
	char *argv[ARGS_MAX] = { (char *)"ptop", (char *)"-i", (char *)(uintptr_t)path,
				 (char *)"--memory", (char *)"512M", NULL };
	struct err err = { 0 };

	*r = (struct recording){ .last = NULL };
	if (config_parse(&r->config, 5, argv, &err) < 0)
		return false;
	r->config.batch = false; /* the output is no terminal */
	r->config.engine.is_watched = true;
	config_query(&r->config, &r->query);
	r->query.all_events = false;
	r->answers = queue_new();
	r->engine = engine_start(&r->config.engine, &r->query, r->answers, &err);
	if (r->engine == NULL)
		printf("note: %s\n", err.text);
	return r->engine != NULL;
}

static void
recording_close(struct recording *r)
{
	struct msg *m;

	snapshot_put(r->last);
	engine_stop(r->engine, NULL);
	while ((m = queue_take(r->answers)) != NULL)
		msg_free(m);
	queue_free(r->answers);
	config_release(&r->config);
}

/* The answer to @q, when all of the recording has been read; NULL: none comes. */
static const struct snapshot *
ask(struct recording *r, const struct query *q)
{
	uint64_t end_ns = clock_mono_ns() + PATIENCE_S * NSEC_PER_SEC;
	struct query mine = *q;

	mine.seq = ++r->query.seq;
	engine_query(r->engine, &mine);
	while (clock_mono_ns() < end_ns) {
		struct msg *m = queue_wait(r->answers, 100);

		if (m != NULL && m->type == ENGINE_MSG_SNAPSHOT) {
			snapshot_put(r->last);
			r->last = snapshot_get(((struct engine_snapshot_msg *)m)->snapshot);
		}
		if (m != NULL)
			msg_free(m);
		if (r->last != NULL && r->last->query.seq == mine.seq && r->last->head.progress >= 1)
			return r->last;
	}
	return NULL;
}

/* Of a view, the window that ends there. */
static struct query
query_of(const struct recording *r, enum view_id view, double end_s, unsigned window_s)
{
	struct query q = r->query;

	q.view = view;
	q.by_view = true;
	q.key_count = view_defs[view].key_count;
	memcpy(q.keys, view_defs[view].keys, sizeof(q.keys));
	q.end_ns = (uint64_t)(end_s * 1e9);
	q.window_ns = window_s * NSEC_PER_SEC;
	q.sums = true;
	q.max_rows = 0;
	return q;
}

static void
print(const char *what, double value, double limit)
{
	figure_print(&(struct figure){ .what = what, .unit = "", .perf = NAN, .ptop = value,
				       .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO,
				       .limit = limit });
}

/* Records what @command runs; false: it cannot. */
static bool
record(const char *path, const char *hz, const char *command)
{
	const char *const argv[] = { load_ptop(), "-b", "-n", "1", "-d", "3600", "-e", "cpu-clock", "-F", hz,
				     "-g", "none", "--budget", "off", "--force", "-r", path, "--", "sh", "-c",
				     command, NULL };

	printf("note: recording %.60s\n", command);
	fflush(stdout);
	return !isnan(child_run(argv).cpu_ms);
}

/* ---- of a build whose work does not change */

static bool
has_significant(const struct snapshot *s, bool prints)
{
	bool any = false;

	for (size_t i = 0; i < s->row_count; i++) {
		const struct difference *d = s->rows[i].difference;

		if (d == NULL || !d->change.is_significant)
			continue;
		any = true;
		if (prints)
			printf("note:   %s: %.2f %% beside %.2f %%, q %.2g\n", s->rows[i].symbol,
			       d->change.now * 100, d->change.then * 100, d->change.q);
	}
	return any;
}

/* What was found in all recordings. */
struct pairs {
	unsigned tries, alarms, unknown, apart, apart_alarms;
};

static void
look_at_build(const char *path, unsigned pairs, bool prints, struct pairs *sum)
{
	double span_s, step_s, free_s = 0;
	const struct snapshot *s;
	struct recording r;
	struct query q;

	if (!recording_open(&r, path))
		return;
	q = query_of(&r, VIEW_FUNCTIONS, 0, WINDOW_S);
	s = ask(&r, &q);
	span_s = s != NULL ? s->head.span_s : 0;
	step_s = (span_s - BEGIN_S - 2 * WINDOW_S) / (pairs - 1);
	for (unsigned i = 0; i < pairs && step_s > 0; i++) {
		double begin_s = BEGIN_S + step_s * i;
		bool any, is_apart = begin_s >= free_s;

		q = query_of(&r, VIEW_FUNCTIONS, begin_s + 2 * WINDOW_S, WINDOW_S);
		q.compare = COMPARE_BEFORE;
		s = ask(&r, &q);
		any = s != NULL && has_significant(s, prints);
		sum->unknown += s == NULL || s->then.label == NULL || s->then.needs_s > 0;
		sum->alarms += any;
		sum->apart += is_apart;
		sum->apart_alarms += is_apart && any;
		sum->tries++;
		if (is_apart)
			free_s = begin_s + 2 * WINDOW_S;
	}
	recording_close(&r);
}

static void
print_pairs(const struct pairs *p)
{
	char what[64];

	snprintf(what, sizeof(what), "false alarms in %u pairs of 30 s of mixed.sh", p->tries);
	print(what, p->tries > 0 ? p->alarms : NAN, MAX(p->tries, 1u) * 0.05);
	print("  pairs that could not be told", p->unknown, 0);
	print("  pairs of these that do not overlap", p->apart, 0);
	print("  and false alarms in them", p->apart_alarms, 0);
}

/* ---- of programs whose shares are known */

static const struct row *
find_symbol(const struct snapshot *s, const char *symbol)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (strcmp(s->rows[i].symbol, symbol) == 0)
			return &s->rows[i];
	return NULL;
}

/* The processes of that name, PROGRAMS at most. */
static size_t
find_programs(struct recording *r, const char *comm, uint32_t *processes, double *span_s)
{
	struct query q = query_of(r, VIEW_PROCESSES, 0, 1);
	const struct snapshot *s;
	size_t n = 0;

	q.window_ns = UINT64_MAX;
	s = ask(r, &q);
	for (size_t i = 0; s != NULL && i < s->row_count && n < PROGRAMS; i++)
		if (s->rows[i].process != 0 && strcmp(s->rows[i].comm, comm) == 0)
			processes[n++] = s->rows[i].process;
	*span_s = s != NULL ? s->head.span_s : 0;
	return n;
}

/* Whether the interval of the window that ends there holds the share; false as well: it is not known. */
static bool
holds(struct recording *r, uint32_t process, double end_s, bool *is_known)
{
	struct query q = query_of(r, VIEW_FUNCTIONS, end_s, WINDOW_S);
	const struct snapshot *s;
	const struct row *row;
	double error;

	q.process = process;
	q.shares = SHARES_OF_SHOWN;
	q.hide_kernel = true;
	s = ask(r, &q);
	row = s != NULL ? find_symbol(s, "hot_loop") : NULL;
	error = row != NULL && row->sums != NULL ? share_error(row->sums) : NAN;
	*is_known = !isnan(error);
	return *is_known && fabs(share_of(row->sums) - KNOWN_SHARE) <= error;
}

/* What was found in all recordings. */
struct intervals {
	unsigned tries, known, right;
};

static void
look_at_programs(const char *path, struct intervals *sum)
{
	uint32_t processes[PROGRAMS];
	struct recording r;
	double span_s;
	size_t count;

	if (!recording_open(&r, path))
		return;
	count = find_programs(&r, "hot", processes, &span_s);
	for (double end_s = BEGIN_S + WINDOW_S; end_s <= span_s - 1; end_s += WINDOW_S) {
		for (size_t i = 0; i < count; i++) {
			bool is_known;

			sum->right += holds(&r, processes[i], end_s, &is_known);
			sum->known += is_known;
			sum->tries++;
		}
	}
	recording_close(&r);
}

static void
print_intervals(const struct intervals *i, const char *how)
{
	double percent = i->known > 0 ? i->right * 100.0 / i->known : NAN;
	char what[96];

	snprintf(what, sizeof(what), "percent of %u intervals that hold a known share, %s", i->known, how);
	print(what, percent, 0);
	print("  off by points", fabs(percent - 95), 2);
	print("  that could not be told", i->tries - i->known, 0);
}

/* PROGRAMS of tests/loads/hot for @seconds, and what else runs meanwhile. */
static void
put_programs(char *command, size_t size, unsigned seconds, const char *beside)
{
	char hot[LOAD_PATH_MAX];

	load_built(hot, "loads/hot");
	snprintf(command, size, "%s for i in $(seq %d); do timeout %u '%s' & done; wait", beside, PROGRAMS,
		 seconds, hot);
}

static void
look_at_files(char **paths, unsigned count)
{
	struct intervals intervals = { 0 };
	struct pairs pairs = { 0 };

	for (unsigned i = 0; i < count; i++) {
		unsigned before = intervals.tries;

		look_at_programs(paths[i], &intervals);
		if (intervals.tries == before)
			look_at_build(paths[i], MAX(PAIRS / count, 2), true, &pairs);
	}
	if (pairs.tries > 0)
		print_pairs(&pairs);
	if (intervals.tries > 0)
		print_intervals(&intervals, "recorded");
}

static void
record_programs(const char *path, unsigned seconds, const char *beside, const char *how)
{
	char command[LOAD_PATH_MAX * 3];
	struct intervals intervals = { 0 };

	put_programs(command, sizeof(command), seconds, beside);
	if (!record(path, PROGRAMS_HZ, command))
		return;
	look_at_programs(path, &intervals);
	print_intervals(&intervals, how);
}

int
main(int argc, char **argv)
{
	char path[LOAD_PATH_MAX], mixed[LOAD_PATH_MAX], beside[LOAD_PATH_MAX + 64], command[LOAD_PATH_MAX + 64];
	unsigned build_s = (unsigned)meter_setting("TRUTH_SECONDS", BUILD_S);
	unsigned programs_s = (unsigned)meter_setting("TRUTH_SECONDS", PROGRAMS_S);
	struct pairs pairs = { 0 };

	if (argc > 1) {
		look_at_files(argv + 1, (unsigned)argc - 1);
		return 0;
	}
	load_scratch(path, "truth.data");
	load_source(mixed, "bench/mixed.sh");
	snprintf(command, sizeof(command), "timeout %u sh '%s'; true", build_s, mixed);
	if (record(path, BUILD_HZ, command)) {
		look_at_build(path, PAIRS, false, &pairs);
		print_pairs(&pairs);
	}
	record_programs(path, programs_s, "", "loads/hot");
	snprintf(beside, sizeof(beside), "timeout %u sh '%s' &", programs_s, mixed);
	record_programs(path, programs_s, beside, "beside mixed.sh");
	unlink(path);
	return 0;
}
