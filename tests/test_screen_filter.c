/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's filter of a tracepoint, set and changed on the screen while it is sampled. */
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <unistd.h>

#define SAMPLES "  [1-9][0-9.]*[kM]? samples/s"

enum { CLEAR = 'U' & 0x1f };

static void
start_on_getpid(struct screen *s)
{
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 140, 30, ARGS("-p", pid, "-e", "syscalls:sys_enter_getpid", "-w", "2"), NULL);
	sees_match(s, "event syscalls:sys_enter_getpid +each one x [0-9]+ cpu");
	sees_match(s, SAMPLES);
	sees_match(s, " 100.0 .* exact$");
}

static void
set_filter(struct screen *s, const char *filter)
{
	const char clear[] = { CLEAR, '\0' };

	keys(s, "E");
	sees(s, "the kernel keeps");
	keys(s, clear);
	keys(s, filter);
	keys(s, "\r");
}

static void
a_filter_is_set_changed_and_taken_off_while_sampling_goes_on(void **state)
{
	struct screen *s = *state;
	int before;

	start_on_getpid(s);
	before = settled_events(s);
	set_filter(s, "common_pid == 1");
	sees_match(s, "event syscalls:sys_enter_getpid +filtered +common_pid == 1 ");
	sees(s, "  0 samples/s");
	/* The kernel takes no second filter for a descriptor: there are others now. */
	set_filter(s, "common_pid > 1");
	sees(s, "common_pid > 1 ");
	sees_match(s, SAMPLES);
	set_filter(s, "common_pid == 1");
	sees(s, "  0 samples/s");
	set_filter(s, "");
	sees(s, "has no filter any more");
	sees_no(s, "filtered");
	sees_match(s, SAMPLES);
	wait_for_events(s, before);
	leave(s);
}

static void
a_wrong_filter_says_the_kernels_words_and_leaves_the_old_one(void **state)
{
	struct screen *s = *state;
	int before;

	start_on_getpid(s);
	set_filter(s, "common_pid == 1");
	sees(s, "  0 samples/s");
	before = settled_events(s);
	set_filter(s, "nosuch == 1");
	sees(s, "column 8: Field not found");
	sees_match(s, "filtered +common_pid == 1 ");
	wait_for_events(s, before);
	sees(s, "  0 samples/s");
	leave(s);
}

static void
a_filter_holds_for_a_process_that_is_added(void **state)
{
	struct screen *s = *state;
	char pid[16];

	start_on_getpid(s);
	screen_load(s, "exact");
	set_filter(s, "common_pid == 1");
	sees(s, "  0 samples/s");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[1]);
	keys(s, "p");
	sees(s, "add process");
	keys(s, pid);
	keys(s, "\r");
	sees(s, "is attached");
	pty_run(s->p, 1500);
	sees(s, "  0 samples/s");
	set_filter(s, "");
	sees_match(s, SAMPLES);
	leave(s);
}

/* Until its own samples come: those of the event before are shown until it is open. */
static void
pick(struct screen *s, const char *event)
{
	char line[128];

	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, event);
	sees(s, "1 of ");
	keys(s, "\r");
	snprintf(line, sizeof(line), "event [^ ]*%s[^ ]* .*" SAMPLES, event);
	sees_match(s, line);
}

static void
a_filter_is_still_there_when_the_event_is_shown_again(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 140, 30, ARGS("-p", pid), NULL);
	sees(s, "event ");
	pick(s, "sys_enter_getpid");
	set_filter(s, "common_pid == 1");
	sees(s, "  0 samples/s");
	pick(s, "context-switches");
	sees_no(s, "filtered");
	keys(s, "[");
	sees_match(s, "event syscalls:sys_enter_getpid +filtered +common_pid == 1 ");
	pty_run(s->p, 1500);
	sees(s, "  0 samples/s");
	leave(s);
}

static void
an_event_without_fields_takes_no_filter(void **state)
{
	struct screen *s = *state;

	screen_start(s, 140, 30, ARGS("-e", "cpu-clock"), NULL);
	sees_match(s, "event cpu-clock.* [1-9][0-9.]*[kM]? samples/s");
	keys(s, "E");
	sees(s, "only tracepoints and probes can have a filter");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_filter_is_set_changed_and_taken_off_while_sampling_goes_on),
		screen_test(a_wrong_filter_says_the_kernels_words_and_leaves_the_old_one),
		screen_test(a_filter_holds_for_a_process_that_is_added),
		screen_test(a_filter_is_still_there_when_the_event_is_shown_again),
		screen_test(an_event_without_fields_takes_no_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
