/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same of samples that carry more, or are not taken for a while: stacks, chains, fields, pauses,
 * what the kernel kept.  It takes half a minute: events are sampled for seconds, and perf reads each
 * file twice.
 */
#include <config.h>

#include <stdio.h>
#include <unistd.h>

#include "tests/asserts.h"
#include "tests/past.h"

static void
a_file_with_stacks_of_some_processes_is_read_by_perf(void **state)
{
	struct past *p = *state;

	past_start(p, "-g auto -e cpu-clock");
	screen_load(&p->s, "large_frames");
	sees_match(&p->s, "deep stacks of [0-9]+ process");
	pty_run(p->s.p, 1000);
	past_write_and_read(p);
	keys(&p->s, "-");
	screen_end_load(&p->s, 1);
	pty_run(p->s.p, 4000);
	past_write_and_read(p);
	leave(&p->s);
}

/* What the flight recorder holds are chains, however large the copies were that they were made of. */
static void
a_file_of_unwound_stacks_has_their_chains(void **state)
{
	struct past *p = *state;
	struct run_result r;

	past_start(p, "-g dwarf -e cpu-clock --budget off");
	screen_load(&p->s, "nested");
	sees_match(&p->s, " nested");
	pty_run(p->s.p, 3000);
	past_write(p);
	run_program(&r, PATIENCE_S, ARGS("perf", "script", "-i", p->file, "--comms", "nested", "-F",
					 "comm,ip,sym", "--kallsyms=/dev/null"));
	assert_int_equal(r.status, 0);
	assert_that(run_count_text(r.out, " compare_slowly"), >, 50);
	assert_that(run_count_text(r.out, " _start\n"), >=, run_count_text(r.out, " compare_slowly"));
	run_release(&r);
	run_program(&r, PATIENCE_S, ARGS("perf", "evlist", "-v", "-i", p->file));
	assert_null(strstr(r.out, "STACK_USER"));
	run_release(&r);
	past_read(p, false);
	leave(&p->s);
}

/* The same event, but its samples carry something else then. */
static void
switch_chains(struct past *p, const char *to, const char *says)
{
	keys(&p->s, "G");
	sees(&p->s, "Call chains");
	keys(&p->s, to);
	sees(&p->s, says);
	pty_run(p->s.p, 2000);
}

/* Samples with @what and without it are told apart in the file. */
static void
assert_some_have(struct past *p, const char *what)
{
	struct run_result r;
	size_t with = 0, without = 0;
	char *save = NULL;

	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i", p->file, "--dump"));
	assert_int_equal(r.status, 0);
	for (char *line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		bool is_sample = strstr(line, " sample ") != NULL;

		with += is_sample && strstr(line, what) != NULL;
		without += is_sample && strstr(line, what) == NULL;
	}
	run_release(&r);
	assert_that(with, >, 20);
	assert_that(without, >, 20);
}

static void
after_switches_of_call_chains(struct past *p, const char *options, const char *what)
{
	past_start(p, options);
	pty_run(p->s.p, 2000);
	switch_chains(p, "\033[B\r", "call chains are taken ");
	past_write_and_read(p);
	switch_chains(p, "\033[B\033[B\033[B\033[B\r", "call chains are taken no more");
	past_write(p);
	assert_some_have(p, what);
	past_read(p, false);
	leave(&p->s);
}

static void
a_file_after_switches_of_call_chains_is_read_by_perf(void **state)
{
	after_switches_of_call_chains(*state, "-g fp -e cpu-clock", " chain=");
}

static void
a_file_with_copies_of_some_samples_is_read_by_perf(void **state)
{
	after_switches_of_call_chains(*state, "-g fp -e cpu-clock --raw-stacks --history 16M",
				      " stack_user=");
}

static void
a_file_of_a_tracepoint_has_its_fields(void **state)
{
	struct past *p = *state;
	struct run_result r;

	past_start(p, "-e sched:sched_switch");
	pty_run(p->s.p, 1000);
	past_write(p);
	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i", p->file, "--dump"));
	assert_int_equal(r.status, 0);
	if (run_count_text(r.out, "fields=(prev_comm=") < 10)
		fail_msg("no fields: %.3000s", r.out);
	run_release(&r);
	past_read(p, false);
	leave(&p->s);
}

/* The longest time between two samples that the file has; how many of @event come after it. */
static double
longest_gap_s(const char *file, const char *event, unsigned *after)
{
	double last = 0, longest = 0;
	struct run_result r;
	char *save = NULL;

	*after = 0;
	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i",
					 (char *)(uintptr_t)file, "--dump"));
	for (char *line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		const char *time = strstr(line, " time=");
		double time_s = time != NULL ? atof(time + strlen(" time=")) : 0;

		if (strstr(line, " sample misc=") == NULL)
			continue;
		if (last > 0 && time_s - last > longest) {
			longest = time_s - last;
			*after = 0;
		}
		last = time_s;
		*after += strncmp(line, event, strlen(event)) == 0;
	}
	run_release(&r);
	return longest;
}

/* Its rows wait, and that there are no samples is no loss. */
static void
an_event_that_is_paused_takes_no_samples_until_it_goes_on(void **state)
{
	struct past *p = *state;
	char file[PATH_LEN];
	unsigned after;

	past_start(p, "-e cpu-clock,task-clock -r rec.perf.data");
	snprintf(file, sizeof(file), "%s/rec.perf.data", p->dir);
	sees(&p->s, "event cpu-clock");
	keys(&p->s, "P");
	sees(&p->s, "PAUSED (P)");
	sees(&p->s, "cpu-clock is paused: P goes on with it");
	sees(&p->s, "as of ");
	sees_match(&p->s, " faults");
	/* The other one goes on. */
	keys(&p->s, "]");
	sees(&p->s, "event task-clock");
	sees_no(&p->s, "PAUSED");
	keys(&p->s, "P");
	sees(&p->s, "PAUSED (P)");
	pty_run(p->s.p, 3000);
	loses_few(&p->s);
	keys(&p->s, "P");
	sees_no(&p->s, "PAUSED");
	keys(&p->s, "[");
	sees(&p->s, "PAUSED (P)");
	keys(&p->s, "P");
	sees_no(&p->s, "PAUSED");
	sees_no(&p->s, "as of ");
	pty_run(p->s.p, 1500);
	loses_few(&p->s);
	leave(&p->s);
	assert_that(longest_gap_s(file, "task-clock", &after), >, 2.5);
	assert_that(after, >, 20);
	snprintf(p->file, sizeof(p->file), "%s", file);
	assert_that(past_read(p, false), >, 200); /* those of a third of a CPU */
}

/* Whichever of it is shown. */
static void
a_group_is_paused_and_goes_on_as_one(void **state)
{
	struct past *p = *state;
	char file[PATH_LEN];
	unsigned after;

	past_start(p, "-e '{cpu-clock,page-faults}' -r rec.perf.data");
	snprintf(file, sizeof(file), "%s/rec.perf.data", p->dir);
	keys(&p->s, "]");
	sees(&p->s, "event page-faults");
	keys(&p->s, "P");
	sees(&p->s, "PAUSED (P)");
	pty_run(p->s.p, 2500);
	keys(&p->s, "P");
	sees_no(&p->s, "PAUSED");
	pty_run(p->s.p, 2000);
	leave(&p->s);
	assert_that(longest_gap_s(file, "page-faults", &after), >, 2);
	assert_that(after, >, 5);
	longest_gap_s(file, "cpu-clock", &after);
	assert_that(after, >, 20);
	unlink(file);
}

/* Until the key nothing is kept: page ! tells of no more than the names of what came. */
static void
what_the_kernel_kept_is_written(void **state)
{
	struct past *p = *state;
	double first, second;

	past_start(p, "--overwrite --budget off -F 599");
	sees(&p->s, "599 Hz");
	pty_run(p->s.p, 2000);
	past_write(p);
	first = past_read(p, false);
	assert_that(first, >, 199);
	/* It goes on; what was closed long ago is in there still, with the ids that it had. */
	past_switch(p, "task-cl", "task-clock");
	pty_run(p->s.p, 1000);
	keys(&p->s, "[");
	sees_no(&p->s, "event task-clock");
	pty_run(p->s.p, 4000);
	past_write(p);
	assert_that(past_count(p, "task-clock"), >, 99);
	second = past_read(p, false);
	assert_that(second, >, first);
	/* A recording that is written beside it is as any other. */
	keys(&p->s, "w");
	sees(&p->s, "From now on");
	pty_keys(p->s.p, "\033[B\r");
	sees_match(&p->s, "recording until w ends it: /.*/ptop-[0-9-]+[.a-z]*\\.data");
	sees(&p->s, "REC ");
	pty_run(p->s.p, 1000);
	keys(&p->s, "w");
	sees(&p->s, "What was");
	pty_keys(p->s.p, "\033[B\r");
	sees(&p->s, "written: ");
	assert_true(past_find(p));
	past_read(p, false);
	leave(&p->s);
}

/* All that was open when it was asked for has gone. */
static void
without_room_no_file_is_written(void **state)
{
	struct past *p = *state;

	past_start(p, "--history 1");
	past_menu(p);
	keys(&p->s, "\r");
	sees(&p->s, "the flight recorder holds no samples; --history gives it room");
	assert_false(past_find(p));
	leave(&p->s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		past_test(a_file_with_stacks_of_some_processes_is_read_by_perf),
		past_test(a_file_of_unwound_stacks_has_their_chains),
		past_test(a_file_after_switches_of_call_chains_is_read_by_perf),
		past_test(a_file_with_copies_of_some_samples_is_read_by_perf),
		past_test(a_file_of_a_tracepoint_has_its_fields),
		past_test(an_event_that_is_paused_takes_no_samples_until_it_goes_on),
		past_test(a_group_is_paused_and_goes_on_as_one),
		past_test(what_the_kernel_kept_is_written),
		past_test(without_room_no_file_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
