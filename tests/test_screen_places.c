/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are typed on the screen: in no list, and looked for before they are opened. */
#include "tests/screen_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static void
start_on_load(struct screen *s)
{
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-p", pid), NULL);
	sees(s, "event ");
	sees_match(s, " exact$");
}

/* Types an event that the list does not have. */
static void
type_event(struct screen *s, const char *text)
{
	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, text);
	sees(s, "Enter opens what is typed");
	keys(s, "\r");
}

static void
need_uprobes(void)
{
	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK) != 0) {
		print_message("# the kernel has no uprobes\n");
		skip();
	}
}

static void
software_event_tracepoint_breakpoint_and_probe_are_switched_between(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	start_on_load(s);
	type_event(s, "mem:counter:w:u");
	sees(s, "event mem:counter:w:u");
	sees_match(s, " do_part +exact$");
	type_event(s, "uprobe:count_me");
	sees(s, "event uprobe:count_me");
	sees_match(s, " count_me +exact$");
	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, "sys_enter_getpid");
	sees(s, "1 of ");
	keys(s, "\r");
	sees(s, "event syscalls:sys_enter_getpid");
	sees_match(s, " 100.0 .* exact$");
	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, "context-sw");
	sees(s, "1 of ");
	keys(s, "\r");
	sees(s, "event context-switches");
	sees_match(s, "schedule.* exact$");
	/* And back through all of them. */
	keys(s, "[");
	sees(s, "event syscalls:sys_enter_getpid");
	keys(s, "[");
	sees(s, "event uprobe:count_me");
	sees_match(s, " count_me +exact$");
	keys(s, "[");
	sees(s, "event mem:counter:w:u");
	sees_match(s, " do_part +exact$");
	leave(s);
}

/* The one of the list that has @text in its name. */
static void
choose_event(struct screen *s, const char *text)
{
	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, text);
	sees(s, "1 of ");
	keys(s, "\r");
}

static void
a_group_is_switched_to_and_its_events_stepped_through(void **state)
{
	struct screen *s = *state;

	start_on_load(s);
	type_event(s, "{context-switches,task-clock}");
	sees(s, "event context-switches");
	sees_match(s, "schedule.* exact$");
	/* The other one was sampled, too: nothing is opened for it. */
	keys(s, "]");
	sees(s, "event task-clock");
	sees_match(s, " exact$");
	type_event(s, "{syscalls:sys_enter_getpid,page-faults}:S");
	sees(s, "event syscalls:sys_enter_getpid:S");
	sees_match(s, " 100.0 .* exact$");
	choose_event(s, "context-sw");
	sees(s, "event context-switches");
	sees_match(s, "schedule.* exact$");
	keys(s, "[");
	sees(s, "event cpu-clock");
	keys(s, "[");
	sees(s, "event page-faults:S");
	leave(s);
}

static int
count_descriptors(pid_t pid)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* Those of the process once they are as many as @wanted, or what there is after a while. */
static int
wait_for_descriptors(struct screen *s, int wanted)
{
	int now = 0;

	for (int ms = 0; ms < SOON_MS && now != wanted; ms += 100) {
		pty_run(s->p, 100);
		now = count_descriptors(pty_pid(s->p));
	}
	return now;
}

static void
what_is_nowhere_says_so_and_leaves_nothing_open(void **state)
{
	static const struct {
		const char *event, *says;
	} wrong[] = {
		{ "mem:countre:w", "did you mean 'counter'?" },
		{ "uprobe:/etc/passwd:main", "not an ELF file" },
		{ "uprobe:/nowhere/file:main", "No such file" },
		{ "uprobe:coun_me", "did you mean 'count_me'?" },
		{ "mem:errno:w", "variable of each thread" },
		{ "uprobe:count_me+4000", "is beyond it" },
	};
	struct screen *s = *state;
	int before;

	need_uprobes();
	start_on_load(s);
	/* Once the catalogue is there, and an event was switched. */
	type_event(s, wrong[0].event);
	sees(s, wrong[0].says);
	sees(s, "event cpu-clock");
	pty_run(s->p, 1000);
	before = count_descriptors(pty_pid(s->p));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		type_event(s, wrong[i].event);
		sees(s, wrong[i].says);
	}
	sees(s, "event cpu-clock");
	assert_int_equal(wait_for_descriptors(s, before), before);
	leave(s);
}

static void
a_group_that_was_closed_or_refused_leaves_no_descriptor(void **state)
{
	struct screen *s = *state;
	int before;

	start_on_load(s);
	/* Once the catalogue is there, and an event was switched. */
	choose_event(s, "page-faults");
	sees(s, "event page-faults");
	pty_run(s->p, 1000);
	before = count_descriptors(pty_pid(s->p));
	for (int i = 0; i < 3; i++) {
		type_event(s, "{context-switches,task-clock,page-faults}:S");
		sees(s, "event context-switches:S");
		choose_event(s, "page-faults");
		sees(s, "event page-faults ");
		/* What is open alone becomes part of a group, and is alone again. */
		type_event(s, "{page-faults,sched:sched_switch}");
		sees(s, "event page-faults ");
		type_event(s, "{page-faults,uprobe:/nowhere/file:main}");
		sees(s, "cannot be sampled in a group");
		choose_event(s, "cpu-clock");
		sees(s, "event cpu-clock");
		choose_event(s, "page-faults");
		sees(s, "event page-faults ");
	}
	assert_int_equal(wait_for_descriptors(s, before), before);
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(software_event_tracepoint_breakpoint_and_probe_are_switched_between),
		screen_test(a_group_is_switched_to_and_its_events_stepped_through),
		screen_test(a_group_that_was_closed_or_refused_leaves_no_descriptor),
		screen_test(what_is_nowhere_says_so_and_leaves_nothing_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
