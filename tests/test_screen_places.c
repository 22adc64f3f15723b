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
	int before, now = 0;

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
	for (int ms = 0; ms < SOON_MS && now != before; ms += 100) {
		pty_run(s->p, 100);
		now = count_descriptors(pty_pid(s->p));
	}
	assert_int_equal(now, before);
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(software_event_tracepoint_breakpoint_and_probe_are_switched_between),
		screen_test(what_is_nowhere_says_so_and_leaves_nothing_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
