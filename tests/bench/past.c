/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A day of past: what it takes, whether it is all there, and how soon any of it is on the screen.
 *
 * The day of a build is one that tests/scale makes up, with as many processes a second as
 * tests/bench/mixed.sh has; its log has what --memory gives it as it is.  A day of 2,000 rows in each
 * minute is a recording, so that the whole program can be looked at, and --memory has room for all of
 * it: PAST_MINUTES says how long a day is.
 */
#include "made_day.h"

#include "base/clock.h"
#include "datafile/writer.h"
#include "figure.h"
#include "load.h"
#include "meter.h"
#include "tests/scale/records.h"
#include "view.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DAY_MINUTES = 24 * 60, MINUTE_S = 60, HOUR_S = 60 * MINUTE_S,
	BUDGET = 24 << 20, /* --memory as it is: a third of it is the log's */
	ROWS = 2000,
	WINDOWS = 100, DIFFERENCES = 20,
	READ_MS = 120000, LATE_MS = 2000, FRAME_GAP_MS = 3,
};

#define RECORDING_MEMORY "512M"

static void
print(const char *what, const char *unit, double value, double limit)
{
	figure_print(&(struct figure){ .what = what, .unit = unit, .perf = NAN, .ptop = value,
				       .rule = limit >= 0 ? FIGURE_MOST : FIGURE_INFO,
				       .limit = limit });
}

/* ---- a build */

/*
 * How many stretches of so many minutes are not there, or not to the sample.  In the first minute some
 * that were there before have been asked for their names when they had others already.
 */
static unsigned
count_wrong(const struct made_day *d, unsigned minutes)
{
	unsigned wrong = 0;

	for (unsigned m = 1; m + minutes <= d->minute_len; m += minutes)
		wrong += !made_day_is_whole(d, m, m + minutes);
	return wrong;
}

static void
bench_build(unsigned minutes)
{
	static const struct scale build = {
		.cpus = 2, .tasks = 120, .threads = 1, .programs = 12, .functions = 4000,
		.samples = 500, .forks = 16, .execs = 16, .mmaps = 2, .depth = 12, .seed = 1,
	};
	struct made_day d;
	char what[96];

	made_day_open(&d, &build, BUDGET);
	made_day_run(&d, minutes);
	snprintf(what, sizeof(what), "log of %u minutes of a build, %.1f million samples, most", minutes,
		 (double)d.samples / 1e6);
	print(what, "MiB", (double)d.most_bytes / (1 << 20), 8);
	print("  intervals that had no room in it", "", (double)d.b.profile->dropped_intervals, 0);
	print("  minutes whose sums are not those of the records", "", count_wrong(&d, 1), 0);
	print("  hours whose sums are not", "", count_wrong(&d, 60), 0);
	print("  merging of what gets older, CPU time", "%",
	      (double)d.keep_ns / (double)(minutes * MINUTE_S * NSEC_PER_SEC) * 100, 0.05);
	made_day_close(&d);
}

/* ---- 2,000 rows */

/* Each process has a sample in each minute. */
static bool
write_minute(struct writer *w, const struct record_frame *frame, unsigned minute)
{
	const uint64_t begin_ns = MACHINE_START_NS + minute * MINUTE_S * NSEC_PER_SEC;
	struct buf b = { 0 };
	bool is_good;

	for (uint32_t i = 0; i < ROWS; i++) {
		struct stamp s = { i + 1, i + 1, begin_ns + i * MINUTE_S * NSEC_PER_SEC / ROWS, 0 };

		if (minute == 0) {
			char comm[16];

			snprintf(comm, sizeof(comm), "p%u", i);
			records_comm(&b, frame, &s, comm, false);
		}
		records_sample(&b, frame, &s, false, 0x1000, NULL, 0);
	}
	is_good = writer_put(w, b.data, b.len, NULL) == 0 && writer_round(w, NULL) == 0;
	buf_release(&b);
	return is_good;
}

static bool
write_rows(const char *path, unsigned minutes)
{
	const struct writer_info info = { .hostname = "another.machine" };
	struct event_attr attr = record_attr(RECORD_SAMPLING, NSEC_PER_MSEC, false);
	const struct record_frame frame = { record_layout_of(&attr, false), 1, attr.sample_period, false };
	struct writer *w = writer_new(path, true, NULL);
	bool is_good = w != NULL;

	if (w == NULL)
		return false;
	writer_event(w, "cpu-clock", &attr);
	writer_id(w, 0, record_id(RECORD_SAMPLING, 1, 0));
	for (unsigned m = 0; is_good && m < minutes; m++)
		is_good = write_minute(w, &frame, m);
	return writer_close(w, &info, 0, 0, NULL) == 0 && is_good;
}

/* From the last key to the last byte of the picture that says @has; NAN: it does not come. */
static double
press(struct view *v, const char *keys, const char *has)
{
	uint64_t start_ns;
	bool is_there = false;

	while (view_step(v, FRAME_GAP_MS)) /* not in the midst of a frame */
		;
	start_ns = clock_mono_ns();
	pty_keys(v->pty, keys);
	while (clock_mono_ns() < start_ns + LATE_MS * NSEC_PER_MSEC) {
		if (view_step(v, FRAME_GAP_MS))
			is_there = is_there || strstr(pty_screen(v->pty), has) != NULL;
		else if (is_there)
			return (double)(v->last_ns - start_ns) / (double)NSEC_PER_MSEC;
	}
	return NAN;
}

/* A stretch that is asked for by ~, its Enter counts; in seconds from the begin. */
static double
show(struct view *v, unsigned from_s, unsigned to_s)
{
	char keys[64], has[64];

	snprintf(keys, sizeof(keys), "~%u-%u", from_s, to_s);
	snprintf(has, sizeof(has), "window %u.0 to %u.0 s", from_s, to_s);
	pty_keys(v->pty, keys);
	pty_wait_text(v->pty, keys + 1, LATE_MS);
	return press(v, "\r", has);
}

/* @cpu_ms: of the program, in all of them. */
static void
print_series(struct series *ms, const char *what, double limit, double cpu_ms)
{
	char text[128];

	snprintf(text, sizeof(text), "%s, p99 of %zu (median %.1f)", what, ms->len,
		 series_percentile(ms, 50));
	print(text, "ms", series_percentile(ms, 99), limit);
	print("  CPU time of each", "ms", cpu_ms / (double)MAX(ms->len, 1), -1);
}

static void
bench_windows(struct view *v, unsigned minutes)
{
	struct series ms = { .len = 0 };
	double cpu_ms = view_cpu_ms(v);

	for (unsigned i = 0; i < WINDOWS; i++) {
		unsigned minute = (unsigned)random() % (minutes - 1);

		series_add(&ms, show(v, minute * MINUTE_S, (minute + 1) * MINUTE_S));
	}
	print_series(&ms, "to any minute of a day of 2,000 rows", 30, view_cpu_ms(v) - cpu_ms);
}

/* Of an hour beside the hour before: each time the window is moved both are summed anew. */
static void
bench_differences(struct view *v, unsigned minutes)
{
	struct series ms = { .len = 0 };
	double cpu_ms;

	if (minutes < 3 * 60) {
		printf("note: there are no two hours in %u minutes\n", minutes);
		return;
	}
	show(v, HOUR_S, 2 * HOUR_S);
	pty_keys(v->pty, "=");
	pty_wait_text(v->pty, "as much time before it", LATE_MS);
	press(v, "\r", "THEN");
	cpu_ms = view_cpu_ms(v);
	for (unsigned i = 0; i < DIFFERENCES; i++) {
		unsigned from_s = HOUR_S + (unsigned)random() % (minutes - 120) * MINUTE_S;

		series_add(&ms, show(v, from_s, from_s + HOUR_S));
	}
	print_series(&ms, "the difference of two hours of them", 50, view_cpu_ms(v) - cpu_ms);
}

static void
bench_rows(unsigned minutes)
{
	char path[LOAD_PATH_MAX], env[LOAD_PATH_MAX];
	const char *const args[] = { load_ptop(), "-i", load_scratch(path, "past.data"), "-V", "processes",
				     "--memory", RECORDING_MEMORY, NULL };
	struct view v;

	load_new_cache(env);
	if (!write_rows(path, minutes)) {
		printf("note: no room for a recording of %u minutes\n", minutes);
		return;
	}
	view_open(&v, args, (const char *const[]){ env, NULL });
	pty_wait_text(v.pty, "FILE ", READ_MS);
	view_run(&v, 500);
	bench_windows(&v, minutes);
	bench_differences(&v, minutes);
	view_close(&v);
	unlink(path);
}

int
main(int argc, char **argv)
{
	unsigned minutes = (unsigned)MAX(meter_setting("PAST_MINUTES", DAY_MINUTES), 10);

	view_init(argc, argv);
	srandom(1);
	bench_rows(minutes);
	fflush(stdout);
	/* It takes minutes: by a process that runs as others do. */
	if (fork() == 0) {
		bench_build(minutes);
		return 0;
	}
	wait(NULL);
	return 0;
}
