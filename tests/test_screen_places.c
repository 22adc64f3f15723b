/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are typed on the screen: in no list, and looked for before they are opened. */
#include "tests/asserts.h"
#include "tests/breakpoint.h"
#include "tests/probes.h"
#include "tests/screen_fixture.h"
#include "tests/root.h"

#include "base/clock.h"

#include <config.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { SEARCH_MS = 90000 };

static void
start_on_load(struct screen *s)
{
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("--force-probe", "-p", pid), NULL);
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
software_event_tracepoint_breakpoint_and_probe_are_switched_between(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	start_on_load(s);
	if (breakpoints_work()) {
		type_event(s, "mem:counter:w:u");
		sees(s, "event mem:counter:w:u");
		sees_match(s, " do_part +exact$");
	}
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
	if (breakpoints_work()) {
		keys(s, "[");
		sees(s, "event mem:counter:w:u");
		sees_match(s, " do_part +exact$");
	}
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

/* What is looked for is not looked for any more when it is sampled. */
static void
the_line_of_a_search_goes_when_its_event_begins(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	start_on_load(s);
	type_event(s, "uprobe:count_me");
	sees(s, "uprobe:count_me is sampled");
	sees_no(s, "looking for");
	leave(s);
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
	sees_match(s, "event page-faults:S +with its group.s leader x [0-9]+ cpu");
	leave(s);
}

/* What the same place is called by its offset in the file. */
static void
explain_place(char event[static 4300], const char *path, const char *function)
{
	struct run_result r;
	char *site;

	snprintf(event, 4300, "uprobe:%s:%s", path, function);
	run_program(&r, 60, (char *[]){ (char *)run_ptop(), "--explain-event", event, NULL });
	site = strstr(r.out, "+0x");
	if (site == NULL)
		fail_msg("status %#x: %s%s", r.status, r.out, r.err);
	site[strcspn(site, "\n")] = '\0';
	snprintf(event, 4300, "uprobe:%s:%s", path, site + 1);
	run_release(&r);
}

/* The line of exact.c that holds @text. */
static int
line_of(const char *text)
{
	char path[256], line[256];
	const char *srcdir = getenv("srcdir");
	FILE *in;
	int n = 0;

	snprintf(path, sizeof(path), "%s/tests/loads/exact.c", srcdir != NULL ? srcdir : ".");
	in = fopen(path, "r");
	if (in == NULL)
		skip_for("there is no %s", path);
	while (fgets(line, sizeof(line), in) != NULL && ++n > 0)
		if (strstr(line, text) != NULL)
			break;
	fclose(in);
	return n;
}

static void
a_place_by_offset_or_line_is_opened_by_its_full_path(void **state)
{
	struct screen *s = *state;
	static const char no_line[] = "no code of line '/nowhere/file.c:120'";
	const char *program = run_load_path("exact");
	char event[4300];

	need_uprobes();
	explain_place(event, program, "count_me");
	start_on_load(s);
	type_event(s, event);
	sees(s, "each one"); /* no clock any more */
	sees_match(s, " count_me +exact$");
	snprintf(event, sizeof(event), "uprobe:%s:exact.c:%d", program, line_of("counter = i;"));
	type_event(s, event);
	/* That it is sampled is said, and would take the place of what is said of the next ones. */
	sees_match(s, "event .*exact\\.c:[0-9]+ +each one");
	sees_match(s, " do_part +exact$");
	snprintf(event, sizeof(event), "uprobe:%s:120", program);
	type_event(s, event);
	sees(s, "is not in its code");
	type_event(s, "uprobe:/nowhere/file.c:120");
	/* Each file of each process is looked through: beside a build there are many. */
	if (!pty_wait_text(s->p, no_line, SEARCH_MS)) {
		keys(s, "!"); /* what was said meanwhile */
		pty_run(s->p, 2000);
		fail_with_screen(s, no_line, "is not said");
	}
	leave(s);
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
	before = settled_events(s);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		type_event(s, wrong[i].event);
		sees(s, wrong[i].says);
	}
	sees(s, "event cpu-clock");
	wait_for_events(s, before);
	leave(s);
}

static void
add_process(struct screen *s, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	keys(s, "p");
	sees(s, "add process");
	keys(s, text);
	keys(s, "\r");
}

static void
sees_row(struct screen *s, pid_t pid, const char *what)
{
	char regex[128];

	snprintf(regex, sizeof(regex), "^ +%d .* [0-9.]+ .*%s", (int)pid, what);
	sees_match(s, regex);
}

/* Until the process is that program: its maps are there then. */
static void
wait_for_exec(pid_t pid, const char *path)
{
	char link[64], exe[256] = "";

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	for (int ms = 0; ms < SOON_MS && strcmp(exe, path) != 0; ms += 10) {
		ssize_t len = readlink(link, exe, sizeof(exe) - 1);

		exe[len > 0 ? len : 0] = '\0';
		usleep(10000);
	}
	assert_string_equal(exe, path);
}

/* The load once more, as a file of its own: another program to the kernel. */
static void
load_copy(struct screen *s, const char *path)
{
	char command[128];
	pid_t pid;

	snprintf(command, sizeof(command), "cp tests/loads/exact %s", path);
	assert_int_equal(system(command), 0);
	pid = run_fork();
	if (pid == 0) {
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	assert_that(pid, >, 0);
	s->loads[1] = pid;
	wait_for_exec(pid, path);
}

static void
detach(struct screen *s, pid_t pid)
{
	char text[32];

	snprintf(text, sizeof(text), "/%d\rD", (int)pid);
	keys(s, text);
	sees(s, "is detached");
}

/* When what was shown before has been closed. */
static int
settled_descriptors(struct screen *s)
{
	int before = -1, now = run_count_events(pty_pid(s->p));

	for (int ms = 0; ms < SOON_MS && now != before; ms += 1000) {
		before = now;
		pty_run(s->p, 1000);
		now = run_count_events(pty_pid(s->p));
	}
	return now;
}

static void
wait_for_more_descriptors(struct screen *s, int than)
{
	int now = than;

	for (int ms = 0; ms < SOON_MS && now <= than; ms += 100) {
		pty_run(s->p, 100);
		now = run_count_events(pty_pid(s->p));
	}
	assert_that(now, >, than);
}

/* Twice: when it comes back nothing is left of the first time. */
static void
watch_a_second_one(struct screen *s)
{
	int before;

	type_event(s, "mem:counter:w:u");
	sees_row(s, s->loads[0], "do_part +exact$");
	screen_load(s, "exact");
	before = settled_descriptors(s);
	for (int i = 0; i < 2; i++) {
		if (i > 0) /* what it had before goes out of the window */
			pty_run(s->p, 2500);
		add_process(s, s->loads[1]);
		sees_row(s, s->loads[1], "do_part +exact$");
		wait_for_more_descriptors(s, before);
		detach(s, s->loads[1]);
		wait_for_events(s, before);
	}
}

static void
a_process_that_is_added_has_its_variable_watched(void **state)
{
	struct screen *s = *state;
	char pid[16];

	need_breakpoints();
	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-p", pid, "-w", "2"), NULL);
	sees(s, "event ");
	watch_a_second_one(s);
	leave(s);
}

/* Of a user's, all CPUs are sampled and what is of others is dropped: this one has no processes. */
static void
a_variable_is_watched_where_every_cpu_is_sampled(void **state)
{
	struct screen *s = *state;

	need_breakpoints();
	screen_load(s, "exact");
	screen_start(s, 130, 30, ARGS("-u", "65534", "-w", "2"), NULL);
	sees(s, "event ");
	add_process(s, s->loads[0]);
	sees(s, "is attached");
	watch_a_second_one(s);
	leave(s);
}

static void
a_process_that_is_added_is_probed_in_its_own_file(void **state)
{
	char folder[] = "/tmp/ptop-places-XXXXXX", path[64];
	struct screen *s = *state;

	need_uprobes();
	start_on_load(s);
	type_event(s, "uprobe:count_me");
	sees_row(s, s->loads[0], "count_me +exact$");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/copied", folder);
	load_copy(s, path);
	unlink(path);
	rmdir(folder);
	add_process(s, s->loads[1]);
	sees_row(s, s->loads[1], "count_me +[^ ]*copied");
	leave(s);
}

/* What runs the same file is probed already: it is counted once, not twice. */
static void
a_process_of_the_same_file_is_probed_once(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	start_on_load(s);
	type_event(s, "uprobe:count_me");
	sees_row(s, s->loads[0], "count_me +exact$");
	screen_load(s, "exact");
	add_process(s, s->loads[1]);
	/* They do the same: each has half of it. */
	sees_row(s, s->loads[1], "count_me +exact$");
	pty_run(s->p, 2500);
	sees_match(s, " (4[0-9]|5[0-9])\\.[0-9] .*count_me +exact$");
	leave(s);
}

static void
a_probe_that_harms_is_closed_and_says_so(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	screen_start(s, 130, 30, ARGS("-e", "uprobe:hot_one", "--", "tests/loads/counted", "hot",
				      "/dev/null"), NULL);
	sees(s, "uprobe:hot_one is closed: it took more than 10 %");
	keys(s, "!");
	sees(s, "closing began after");
	keys(s, "\033");
	leave(s);
}

/* There is nothing to be shown, nor anybody who would answer a key. */
static void
what_cannot_be_had_at_the_start_ends_it_with_the_reason(void **state)
{
	static const struct {
		const char *event, *says;
	} cases[] = {
		{ "uprobe:hot_one", "event 'uprobe:hot_one' is not sampled: " },
		{ "uprobe:nowhere", "event 'uprobe:nowhere': no function 'nowhere' in " },
	};
	struct screen *s = *state;
	char pid[16];

	need_uprobes();
	s->loads[0] = run_load_with("counted", "hot", "/dev/null");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int status;

		screen_start(s, 130, 30, ARGS("-e", (char *)(uintptr_t)cases[i].event, "-p", pid), NULL);
		status = pty_wait_exit(s->p, SOON_MS);
		assert_true(status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 1);
		sees(s, cases[i].says);
		pty_free(s->p);
		s->p = NULL;
	}
}

/* slow_one() is called some fifty times a second. */
static void
what_a_probe_takes_is_told(void **state)
{
	struct screen *s = *state;
	char pid[16];

	need_uprobes();
	screen_load_with(s, "counted", "slow");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-e", "uprobe:slow_one", "-p", pid), NULL);
	sees_match(s, " slow_one .*counted slow$");
	keys(s, "!");
	sees_match(s, "uprobe:slow_one: [0-9]+ hits a second take 0.[0-9] % of its program's CPU time");
	keys(s, "\033");
	leave(s);
}

static void
a_process_without_the_place_says_so_and_stays_attached(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	start_on_load(s);
	type_event(s, "uprobe:count_me");
	sees_row(s, s->loads[0], "count_me +exact$");
	screen_load(s, "hot");
	add_process(s, s->loads[1]);
	sees(s, "not in process");
	keys(s, "!");
	sees(s, "is attached");
	sees(s, "no function 'count_me' in hot");
	keys(s, "\033");
	leave(s);
}

static void
a_group_that_was_closed_or_refused_leaves_no_descriptor(void **state)
{
	struct screen *s = *state;
	int before, each;

	start_on_load(s);
	/* Once the catalogue is there, and an event was switched. */
	choose_event(s, "page-faults");
	sees(s, "event page-faults");
	before = settled_events(s);
	each = run_count_threads(s->loads[0]) * (int)sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < 3; i++) {
		type_event(s, "{context-switches,task-clock,page-faults}:S");
		sees(s, "event context-switches:S");
		wait_for_events(s, before + 2 * each);
		choose_event(s, "page-faults");
		sees(s, "event page-faults ");
		/* What is open alone becomes part of a group, and is alone again. */
		type_event(s, "{page-faults,sched:sched_switch}");
		wait_for_events(s, before + each);
		type_event(s, "{page-faults,uprobe:/nowhere/file:main}");
		sees(s, "it is opened where its function or variable is found");
		choose_event(s, "cpu-clock");
		sees(s, "event cpu-clock");
		wait_for_events(s, before);
		choose_event(s, "page-faults");
		sees(s, "event page-faults ");
		wait_for_events(s, before);
	}
	leave(s);
}

/* The process's functions, of which one alone is kept. */
static void
show_functions(struct screen *s, const char *mode, const char *more, const char *function)
{
	char pid[16], filter[64], row[64];

	s->loads[0] = run_load_with("counted", mode, more);
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	snprintf(filter, sizeof(filter), "symbol=%s", function);
	snprintf(row, sizeof(row), " %s +counted", function);
	screen_start(s, 150, 30, ARGS("-p", pid, "--view", "functions", "--filter", filter), NULL);
	sees_match(s, row);
}

static void
escape_leads_from_what_a_key_shows_to_where_it_was_pressed(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	show_functions(s, "slow", NULL, "slow_one");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	keys(s, "B");
	sees(s, "[Calls]");
	keys(s, "t");
	sees(s, "[Call tree]");
	keys(s, "\033");
	sees(s, "[Calls]");
	keys(s, "L");
	sees(s, "[Locks]");
	keys(s, "\033");
	sees(s, "[Functions]");
	leave(s);
}

/* Of a user's processes they would be those of the machine. */
static void
calls_of_a_user_are_counted_within_a_process(void **state)
{
	static const char why[] = "counts do not keep to --uid: enter a process";
	struct screen *s = *state;

	need_uprobes();
	screen_load_with(s, "counted", "slow");
	screen_start(s, 150, 30, ARGS("-u", "root", "--view", "functions", "--filter", "symbol=slow_one"), NULL);
	sees_match(s, " slow_one +counted");
	keys(s, "b");
	sees(s, why);
	sees_no(s, "# slow_one");
	keys(s, "B");
	sees(s, why);
	sees(s, "[Functions]");
	keys(s, ":view processes\r\\\025comm=counted\r");
	sees_match(s, "^ +[0-9]+ .* counted");
	keys(s, "\r:view functions\r\\\025symbol=slow_one\r");
	sees_match(s, "> [0-9]+ counted +\\[Functions\\]");
	sees_match(s, " slow_one +counted");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	keys(s, "B");
	sees_match(s, "slow_one +[1-9][0-9]* +[1-9]");
	leave(s);
	screen_start(s, 150, 30, ARGS("-u", "root", "--count-function", "getpid"), NULL);
	sees(s, why);
}

/* One that the key p adds calls it, the one named at the start does not. */
static void
calls_are_of_all_that_is_sampled_or_of_the_process_that_one_is_in(void **state)
{
	struct screen *s = *state;
	char pid[16], attach[16];

	need_uprobes();
	screen_load(s, "hot");
	screen_load_with(s, "counted", "slow");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	snprintf(attach, sizeof(attach), "p%d\r", (int)s->loads[1]);
	screen_start(s, 150, 30, ARGS("-p", pid), NULL);
	keys(s, attach);
	sees(s, "is attached");
	keys(s, ":view functions\r\\symbol=slow_one\r");
	sees_match(s, " slow_one +counted");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	keys(s, "B");
	sees_match(s, "slow_one +[1-9][0-9]* +[1-9]");
	keys(s, ":view processes\r\\\025comm=hot\r");
	sees_match(s, "^ +[0-9]+ .* hot$");
	keys(s, "\r");
	sees_match(s, "> [0-9]+ hot +\\[");
	keys(s, "B");
	sees(s, "what is counted is not of this process alone");
	sees_no(s, "slow_one");
	leave(s);
}

/* The first stands still, so that all calls from then on are of the one that is added. */
static void
calls_are_counted_in_a_process_that_is_added_later(void **state)
{
	struct screen *s = *state;
	char pid[16];

	need_uprobes();
	screen_load_with(s, "counted", "slow");
	screen_load_with(s, "counted", "slow");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 150, 30, ARGS("-p", pid, "--view", "functions", "--filter", "symbol=slow_one"), NULL);
	sees_match(s, " slow_one +counted");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	kill(s->loads[0], SIGSTOP);
	sees_match(s, "^# slow_one +0/s");
	add_process(s, s->loads[1]);
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	leave(s);
}

static void
calls_are_counted_in_a_process_that_is_added_when_the_others_have_ended(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	show_functions(s, "slow", NULL, "slow_one");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	screen_end_load(s, 0);
	sees_no(s, "# slow_one");
	screen_load_with(s, "counted", "slow");
	wait_for_exec(s->loads[0], run_load_path("counted"));
	add_process(s, s->loads[0]);
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	leave(s);
}

/* The first was alone with its program when it began, and stands still when the other one runs. */
static void
calls_of_another_process_of_the_program_that_comes_later_are_not_counted(void **state)
{
	struct screen *s = *state;

	need_uprobes();
	show_functions(s, "family", NULL, "slow_one");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	screen_load_with(s, "counted", "slow");
	wait_for_exec(s->loads[1], run_load_path("counted"));
	pty_run(s->p, 1500);
	kill(s->loads[0], SIGSTOP);
	sees_match(s, "^# slow_one +0/s");
	leave(s);
}

/* Without its descendants. */
static void
add_lone_process(struct screen *s, pid_t pid)
{
	char attach[16];

	snprintf(attach, sizeof(attach), "p%d!\r", (int)pid);
	keys(s, attach);
	sees(s, "is attached, without descendants");
}

/* Whether the child is there when it begins, or is forked then. */
static void
calls_of_children_are_not_counted_where_a_process_is_added_without_them(void **state)
{
	struct screen *s = *state;
	char pid[16];

	need_uprobes();
	for (int later = 0; later < 2; later++) {
		screen_load(s, "hot");
		screen_load_with(s, "counted", "family");
		snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
		wait_for_exec(s->loads[1], run_load_path("counted"));
		screen_start(s, 150, 30, ARGS("-p", pid), NULL);
		add_lone_process(s, s->loads[1]);
		keys(s, ":view functions\r\\symbol=slow_one\r");
		sees_match(s, " slow_one +counted");
		if (!later)
			kill(s->loads[1], SIGUSR1);
		keys(s, "b");
		sees_match(s, "^# slow_one +[1-9][0-9]*/s");
		if (later)
			kill(s->loads[1], SIGUSR1);
		pty_run(s->p, 500);
		kill(s->loads[1], SIGSTOP);
		sees_match(s, "^# slow_one +0/s");
		leave(s);
		screen_end_load(s, 0);
		screen_end_load(s, 1);
	}
}

/* One that comes when the first was alone with its program, and is added without its children. */
static void
calls_of_children_of_a_process_that_is_added_later_are_not_counted(void **state)
{
	struct screen *s = *state;
	char pid[16];

	need_uprobes();
	screen_load_with(s, "counted", "slow");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 150, 30, ARGS("-p", pid, "--view", "functions", "--filter", "symbol=slow_one"), NULL);
	sees_match(s, " slow_one +counted");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	screen_load_with(s, "counted", "family");
	wait_for_exec(s->loads[1], run_load_path("counted"));
	add_lone_process(s, s->loads[1]);
	kill(s->loads[1], SIGUSR1);
	pty_run(s->p, 500);
	kill(s->loads[0], SIGSTOP);
	kill(s->loads[1], SIGSTOP);
	sees_match(s, "^# slow_one +0/s");
	leave(s);
}

/* It stays counted when it is detached, and its child with it. */
static void
calls_of_children_of_a_process_that_is_added_again_without_them_are_not_counted(void **state)
{
	struct screen *s = *state;
	char find[64];

	need_uprobes();
	show_functions(s, "family", NULL, "slow_one");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	kill(s->loads[0], SIGUSR1);
	keys(s, ":view processes\r\\\025comm=counted\r");
	snprintf(find, sizeof(find), "^ +%d .* counted", (int)s->loads[0]);
	sees_match(s, find);
	snprintf(find, sizeof(find), "/%d\r", (int)s->loads[0]);
	keys(s, find);
	keys(s, "D");
	sees(s, "is detached: its rows stay");
	add_lone_process(s, s->loads[0]);
	pty_run(s->p, 500);
	kill(s->loads[0], SIGSTOP);
	sees_match(s, "^# slow_one +0/s");
	leave(s);
}

/* Its child is not sampled: neither its hits nor its CPU time tell what a probe takes. */
static void
what_a_probe_takes_is_told_of_those_that_are_sampled(void **state)
{
	struct screen *s = *state;
	char pid[16];

	need_uprobes();
	screen_load(s, "hot");
	screen_load_with(s, "counted", "family");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	wait_for_exec(s->loads[1], run_load_path("counted"));
	screen_start(s, 130, 30, ARGS("-p", pid), NULL);
	add_lone_process(s, s->loads[1]);
	kill(s->loads[1], SIGUSR1);
	type_event(s, "uprobe:slow_one");
	sees(s, "event uprobe:slow_one");
	sees_match(s, " slow_one .*counted family$");
	kill(s->loads[1], SIGSTOP);
	pty_run(s->p, 2500);
	keys(s, "!");
	sees_match(s, "uprobe:slow_one: 0 hits a second take");
	keys(s, "\033");
	leave(s);
}

/* Two processes of one program: neither has what is counted in the other. */
static void
calls_of_one_process_are_not_shown_in_another_one(void **state)
{
	struct screen *s = *state;
	char pids[32], text[64];

	need_uprobes();
	for (int i = 0; i < 2; i++)
		s->loads[i] = run_load_with("counted", "slow", NULL);
	snprintf(pids, sizeof(pids), "%d,%d", (int)s->loads[0], (int)s->loads[1]);
	screen_start(s, 150, 30, ARGS("-p", pids), NULL);
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "^ +%d .* slow_one .* counted", (int)s->loads[i]);
		sees_match(s, text);
		snprintf(text, sizeof(text), "/%d\r", (int)s->loads[i]);
		keys(s, text);
		keys(s, "\r");
		snprintf(text, sizeof(text), "> %d counted +\\[Functions\\]", (int)s->loads[i]);
		sees_match(s, text);
		sees_match(s, "^  .* slow_one +counted");
		sees_no(s, "# slow_one");
		keys(s, "b");
		sees_match(s, "^# slow_one +[1-9][0-9]*/s");
		sees_match(s, "^# .* slow_one +counted");
		keys(s, i == 0 ? "\033" : ":view threads\r");
		sees(s, i == 0 ? "[Processes]" : "[Threads]");
	}
	/* Of a thread as of its process, which is said. */
	keys(s, "\r");
	sees_match(s, "> thread [0-9]+");
	keys(s, "B");
	sees_match(s, "\\[Calls\\] +of all its threads");
	sees_match(s, " slow_one +[1-9][0-9]* +[1-9]");
	/* At the top both are there, each with its process. */
	keys(s, "\033");
	sees_match(s, "> thread [0-9]+ .*\\[Functions\\]");
	keys(s, "\033");
	sees(s, "[Threads]");
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "B");
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), " slow_one of %d +[1-9][0-9]* +[1-9]", (int)s->loads[i]);
		sees_match(s, text);
	}
	/* Which process it is of is no part of its name. */
	keys(s, "\\symbol=slow_one$\r");
	pty_run(s->p, 500);
	sees_match(s, text);
	/* There the key is for all of them. */
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, ":view functions\r\\\025symbol=slow_one\r");
	sees_match(s, "^# .* slow_one +counted");
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s");
	keys(s, "b");
	sees(s, "slow_one is not counted any more");
	sees_match(s, "^# slow_one of [0-9]+ +[1-9][0-9]*/s");
	leave(s);
}

static void
a_key_on_a_function_shows_how_often_it_is_called_and_how_long_it_takes(void **state)
{
	struct screen *s = *state;
	uint64_t begin_ns;

	need_uprobes();
	show_functions(s, "slow", NULL, "slow_one");
	begin_ns = clock_mono_ns();
	keys(s, "b");
	sees_match(s, "^# slow_one +[1-9][0-9]*/s +p50 [0-9.]+ .s +p99 [0-9.]+ .s +[0-9.]+ .s ");
	print_message("# %.1f s after the key\n", (double)(clock_mono_ns() - begin_ns) / 1e9);
	/* The row is marked, too. */
	sees_match(s, "^# .* slow_one +counted");
	keys(s, "t");
	sees(s, "[Call tree]");
	sees_match(s, "^# .* slow_one");
	keys(s, "B");
	sees_match(s, "slow_one +[1-9][0-9]* +[1-9][0-9]* +0 .* timed");
	keys(s, "i");
	sees(s, "About this row");
	sees_match(s, "^ slow_one$");
	sees_match(s, "^ dso +counted$");
	sees_match(s, "^ event +uprobe:/.*counted:0x[0-9a-f]+");
	sees_match(s, "^ calls +[1-9][0-9]* in [0-9]+ s, of which [0-9]+ were timed");
	keys(s, "\033");
	/* Who calls it: a sample where each call begins. */
	keys(s, "t");
	sees(s, "[Call tree]");
	sees_match(s, "event uprobe:/.*counted:0x[0-9a-f]+");
	sees_match(s, "^# +100.00 +100.00 +[+] slow_one");
	keys(s, "\033[B");
	keys(s, "+");
	sees_match(s, " [+-] main ");
	keys(s, "B");
	/* On a busy machine both together may cost so much that times are not taken any more. */
	sees_match(s, "slow_one +[1-9][0-9]* +[1-9][0-9]* .* (timed|entry only)");
	keys(s, "b");
	sees(s, "no function is counted");
	leave(s);
}

struct slow_down {
	long from_ms, to_ms; /* 0: there was none */
};

/* When it ran at less than a tenth of its best, by what it wrote itself: without its time in the run queue. */
static struct slow_down
slow_down_in(const char *path)
{
	struct slow_down d = { 0 };
	long ms, calls, best = 0;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while (fscanf(f, "%ld %ld", &ms, &calls) == 2)
		best = calls > best ? calls : best;
	rewind(f);
	while (fscanf(f, "%ld %ld", &ms, &calls) == 2) {
		if (calls * 10 >= best)
			continue;
		d.from_ms = d.from_ms == 0 ? ms : d.from_ms;
		d.to_ms = ms;
	}
	fclose(f);
	return d;
}

static void
a_function_that_is_called_millions_of_times_is_let_go_at_once(void **state)
{
	char path[] = "/tmp/ptop-hot-XXXXXX";
	struct screen *s = *state;
	struct slow_down d;
	int fd = mkstemp(path);

	need_uprobes();
	assert_true(fd >= 0);
	close(fd);
	show_functions(s, "hot", path, "hot_one");
	keys(s, "b");
	sees_match(s, "hot_one: closed: [1-9][0-9]+ calls a second"); /* "counting..." is not so any more */
	keys(s, "B");
	sees_match(s, "hot_one +[1-9][0-9]+ .* closed"); /* as often as it was called until then */
	usleep(300000);
	d = slow_down_in(path);
	unlink(path);
	print_message("# slow for %ld ms\n", d.to_ms - d.from_ms);
	/* On a busy machine it takes longer until ptop runs and sees it. */
	assert_in_range(d.to_ms - d.from_ms, 0, 5000);
	leave(s);
}

/* With the event its probe went, and with that what tracefs tells of its fields. */
static void
a_recording_has_the_fields_of_a_string_event_that_was_closed(void **state)
{
	struct screen *s = *state;
	struct run_result r;
	char pid[16], file[64];
#ifdef HAVE_LIBDW
	char by[] = "event,field:text"; /* as its debug data call it */
#else
	char by[] = "event,field:arg2";
#endif

	need_probes();
	screen_load_with(s, "texts", "ever");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("--force-probe", "-p", pid), NULL);
	sees(s, "[Processes]");
	type_event(s, "uprobe:said/string=arg2/");
	sees(s, "event uprobe:said");
	sees(s, "GET /");
	assert_that(probes_count(pty_pid(s->p)), >, 0);
	keys(s, "[");
	assert_no_probes(pty_pid(s->p), false);
	keys(s, "w");
	sees(s, "Write perf.data");
	keys(s, "\r");
	sees_match(s, "written: /.*/ptop-[0-9-]+-past\\.perf\\.data");
	/* Others write such files here, too. */
	assert_int_equal(sscanf(strstr(pty_screen(s->p), "/ptop-"), "/%63[-.a-z0-9]", file), 1);
	leave(s);
	run_program(&r, 60, (char *[]){ (char *)run_ptop(), "-i", file, "--by", by, "--format", "csv",
					NULL });
	unlink(file);
	if (r.status != 0 || strstr(r.out, ",GET /,") == NULL)
		fail_msg("status %d: %s%s", r.status, r.out, r.err);
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(calls_of_one_process_are_not_shown_in_another_one),
		screen_test(software_event_tracepoint_breakpoint_and_probe_are_switched_between),
		screen_test(the_line_of_a_search_goes_when_its_event_begins),
		screen_test(a_group_is_switched_to_and_its_events_stepped_through),
		screen_test(a_group_that_was_closed_or_refused_leaves_no_descriptor),
		screen_test(a_place_by_offset_or_line_is_opened_by_its_full_path),
		screen_test(what_is_nowhere_says_so_and_leaves_nothing_open),
		screen_test(a_process_that_is_added_has_its_variable_watched),
		screen_test(a_variable_is_watched_where_every_cpu_is_sampled),
		screen_test(a_process_that_is_added_is_probed_in_its_own_file),
		screen_test(a_process_of_the_same_file_is_probed_once),
		screen_test(a_process_without_the_place_says_so_and_stays_attached),
		screen_test(a_probe_that_harms_is_closed_and_says_so),
		screen_test(what_cannot_be_had_at_the_start_ends_it_with_the_reason),
		screen_test(what_a_probe_takes_is_told),
		screen_test(a_recording_has_the_fields_of_a_string_event_that_was_closed),
		screen_test(escape_leads_from_what_a_key_shows_to_where_it_was_pressed),
		screen_test(calls_of_a_user_are_counted_within_a_process),
		screen_test(calls_are_of_all_that_is_sampled_or_of_the_process_that_one_is_in),
		screen_test(calls_are_counted_in_a_process_that_is_added_later),
		screen_test(calls_are_counted_in_a_process_that_is_added_when_the_others_have_ended),
		screen_test(calls_of_another_process_of_the_program_that_comes_later_are_not_counted),
		screen_test(calls_of_children_are_not_counted_where_a_process_is_added_without_them),
		screen_test(what_a_probe_takes_is_told_of_those_that_are_sampled),
		screen_test(calls_of_children_of_a_process_that_is_added_later_are_not_counted),
		screen_test(calls_of_children_of_a_process_that_is_added_again_without_them_are_not_counted),
		screen_test(a_key_on_a_function_shows_how_often_it_is_called_and_how_long_it_takes),
		screen_test(a_function_that_is_called_millions_of_times_is_let_go_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
