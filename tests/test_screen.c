/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole program on the real kernel, in a terminal: what a person finds and how fast. */
#include "tests/asserts.h"
#include "tests/screen_fixture.h"

#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "event/event.h"
#include "tests/skip.h"

enum { FDS_MAX = 64, AT_ONCE_MS = 1000, OPENS_MAX = 100, PAGES_MAX = 1000, END_MS = 5000,
       TRIES = 4 };

/* The first row of the table holds @text soon. */
static void
sees_first(struct screen *s, const char *text)
{
	for (int ms = 0; ms < SOON_MS; ms += 20) {
		int title = pty_find_line(s->p, "%EVT");

		if (title >= 0 && strstr(pty_line(s->p, title + 1), text) != NULL)
			return;
		pty_run(s->p, 20);
	}
	fail_msg("'%s' is not the first row:\n%s", text, pty_screen(s->p));
}

static void
processes_threads_and_functions_are_one_enter_apart(void **state)
{
	struct screen *s = *state;

	screen_load(s, "threads");
	screen_start(s, 120, 30, ARGS(), NULL);
	sees(s, "[Processes]");
	sees_first(s, "threads");
	keys(s, "\r");
	sees(s, "[Threads]");
	sees_match(s, " worker-a +spin_a");
	sees_match(s, " worker-b +spin_b");
	sees_first(s, "worker-a");
	keys(s, "\r");
	sees(s, "[Functions]");
	sees_match(s, "> thread [0-9]+ worker-a ");
	sees_match(s, "^ +[0-9.]+ .* spin_a +threads");
	assert_int_equal(pty_find_line(s->p, "spin_b"), -1);
	keys(s, "\033");
	sees_match(s, " worker-b +spin_b");
	keys(s, "\033");
	sees(s, "[Processes]");
	loses_few(s);
	leave(s);
}

/* Two threads of two processes: of what one went into, the one function is nearly all. */
static void
shares_are_of_the_thread_that_one_went_into(void **state)
{
	struct screen *s = *state;
	char pids[32];

	screen_load(s, "hot");
	screen_load(s, "threads");
	snprintf(pids, sizeof(pids), "%d,%d", (int)s->loads[0], (int)s->loads[1]);
	screen_start(s, 160, 30, ARGS("-e", "cpu-clock", "-p", pids), NULL);
	sees(s, "% of what is shown");
	sees_match(s, " spin_a +threads");
	keys(s, "/spin_a\r\r");
	sees(s, "[Threads]");
	sees_match(s, " worker-b +spin_b");
	keys(s, "/worker-b\r\r");
	sees(s, "[Functions]");
	sees_match(s, "^ +(100.0|[89][0-9][.][0-9]) .* spin_b +threads");
	sees_match(s, "% of what is shown +[(][0-9.]+% of all[)]");
	keys(s, "%");
	sees_match(s, "[]] +% of all");
	sees_match(s, "^ +[1-7]?[0-9][.][0-9] .* spin_b +threads");
	keys(s, "%");
	sees_match(s, "MS/S .*FUNCTION");
	sees_match(s, "^ +[1-9][0-9.]+ .* spin_b +threads");
	keys(s, "%f");
	sees(s, "[Flame graph]");
	sees_match(s, "^ all  100[.]00%");
	keys(s, "%");
	sees_match(s, "^ all  [1-7]?[0-9][.][0-9][0-9]%");
	leave(s);
}

/* Rows that a timer's samples come late to say so, and no others. */
static void
code_that_lets_interrupts_on_is_marked_and_explained(void **state)
{
	struct screen *s = *state;

	screen_load(s, "syscalls");
	screen_start(s, 120, 30,
		     ARGS("-e", "cpu-clock", "-V", "functions", "--filter", "symbol=do_syscall_64"),
		     NULL);
	sees_match(s, "^! +[0-9.]+ .* do_syscall_64 +[[]kernel");
	keys(s, "i");
	sees(s, "with interrupts off");
	sees(s, "the event cycles");
	keys(s, "\033");
	sees(s, "[Functions]");
	keys(s, "!");
	sees(s, "marked !: kernel functions that let interrupts on");
	keys(s, "\033");
	sees(s, "[Functions]");
	leave(s);
}

static void
samples_by_a_timer_of_each_task_say_what_they_lack(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 40, ARGS("-e", "cpu-clock", "-p", pid), NULL);
	sees_match(s, "^ +[0-9]+ .* hot_loop ");
	keys(s, "!");
	sees(s, "cpu-clock: each task has a timer of its own");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

static void
samples_by_a_timer_of_each_cpu_have_no_such_gap(void **state)
{
	struct screen *s = *state;

	screen_start(s, 160, 40, ARGS("-e", "cpu-clock"), NULL);
	sees(s, "[Processes]");
	keys(s, "!");
	sees(s, "ptop's own CPU time");
	sees_no(s, "each task has a timer");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

/* Types @name into the event picker and takes what is found. */
static void
pick(struct screen *s, const char *name)
{
	keys(s, "e");
	sees_match(s, "^ \\+ CPU ");
	keys(s, name);
	sees_match(s, "^ \\+ [^ ]*[a-z]:?");
	sees(s, "1 of ");
	keys(s, "\r");
}

/* Between refreshes: what waits for one is by far not at once, however busy the machine is. */
#define SELDOM_S "10"

/* An event of the header's line, and a row that is hot by it. */
struct shown {
	const char *event, *row;
};

/* How long after @key the event is another one, and its row is there. */
static double
ms_until(struct screen *s, const char *key, const struct shown *then)
{
	uint64_t start = clock_mono_ns();

	assert_false(pty_wait_match(s->p, then->event, 0));
	keys(s, key);
	sees_match(s, then->event);
	sees_match(s, then->row);
	return (double)(clock_mono_ns() - start) / 1e6;
}

/*
 * Of @key, [ or ]; no refresh is near.  On a busy machine one of some tries is as fast as ptop is:
 * @back is seen between.
 */
static void
sees_at_once(struct screen *s, const char *key, const struct shown *then, const struct shown *back)
{
	double ms = ms_until(s, key, then);

	for (int i = 1; ms > AT_ONCE_MS && i < TRIES; i++) {
		ms_until(s, *key == '[' ? "]" : "[", back);
		ms = ms_until(s, key, then);
	}
	if (ms > AT_ONCE_MS)
		fail_msg("'%s' came after %.0f ms", then->row, ms);
}

static void
another_event_is_a_search_away_and_the_old_one_comes_back_at_once(void **state)
{
	/*
	 * Where page faults cost much the load that makes them is hot by both events, and beside
	 * compilers little of all faults are its own: what tells the two apart is the header.
	 */
	static const struct shown clock = {" event c(pu-clock|ycles)",
		" [1-9][0-9]\\.[0-9] .* hot_loop .*hot$"};
	static const struct shown faults = {" event page-faults",
		" [1-9][0-9.]+ .* touch_pages .*faults$"};
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_load(s, "faults");
	screen_start(s, 120, 30, ARGS("-d", SELDOM_S), NULL);
	sees_match(s, clock.event);
	sees_match(s, clock.row);
	pick(s, "page-f");
	sees_match(s, faults.event);
	sees_match(s, faults.row);
	sees_at_once(s, "[", &clock, &faults);
	sees_at_once(s, "]", &faults, &clock);
	sees_at_once(s, "[", &clock, &faults);
	loses_few(s);
	leave(s);
}

/* Both loads have a row, each its own column; ] makes the next one the first, and closes neither. */
static void
events_that_are_ticked_are_sampled_together(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_load(s, "faults");
	screen_start(s, 120, 30, ARGS("-V", "functions", "-e", "context-switches", "--filter", "comm~^(hot|faults)$"),
		     NULL);
	sees(s, "event context-switches");
	keys(s, "e");
	sees_match(s, "^ \\+ CPU ");
	keys(s, "cpu-clock\024");
	sees(s, "1 ticked");
	keys(s, "\025page-faults\024");
	sees(s, "2 ticked");
	keys(s, "\r");
	sees(s, "event cpu-clock");
	sees_match(s, "%EVT .* context-swi.* page-faults ");
	sees_match(s, "^ +[1-9][0-9.]+ .* 0[.]0 .* hot_loop");
	sees_match(s, "^ .* [1-9][0-9.]+ +[0-9.-]+ .* touch_pages");
	keys(s, "]");
	sees(s, "event page-faults");
	sees_match(s, "%EVT .* context-swi.* cpu-clock ");
	sees_match(s, "^ +[1-9][0-9.]+ .* touch_pages");
	leave(s);
}

/* Tracepoints need tracefs, mounted or to be mounted by fsmount(2). */
static void
need_tracepoints(void)
{
	struct event_env env;
	bool there;

	event_env_open(&env);
	there = env.tracefs_fd >= 0 || access("/sys/kernel/tracing/events", R_OK) == 0 ||
		access("/sys/kernel/debug/tracing/events", R_OK) == 0;
	event_env_close(&env);
	if (!there)
		skip_for("tracefs is not readable here");
}

static void
from_a_tracepoint_back_to_the_clock_is_at_once(void **state)
{
	static const struct shown clock = {" event c(pu-clock|ycles)", " hot_loop .*hot$"};
	static const struct shown switches = {" event sched:sched_switch",
		"sched:sched_switch.* [1-9][0-9.]*[kM]? samples/s"};
	struct screen *s = *state;

	need_tracepoints();
	screen_load(s, "hot");
	screen_start(s, 120, 30, ARGS("-d", SELDOM_S), NULL);
	sees_match(s, clock.event);
	sees_match(s, clock.row);
	pick(s, "sched:sched_switch");
	sees_match(s, switches.event);
	sees_match(s, switches.row);
	sees_at_once(s, "[", &clock, &switches);
	leave(s);
}

/* Where each event is a sample, rings grow: those of CPUs that were there all the time. */
static void
no_cpu_comes_or_goes_as_rings_grow(void **state)
{
	struct screen *s = *state;

	need_tracepoints();
	screen_start(s, 120, 30, ARGS(), NULL);
	sees(s, "event cpu-clock");
	pick(s, "sched:sched_switch");
	sees_match(s, "event sched:sched_switch.* [1-9][0-9.]*[kM]? samples/s");
	keys(s, "!");
	sees(s, "Messages");
	sees_no(s, "came on line");
	leave(s);
}

static void
an_event_that_cannot_be_opened_says_why_and_changes_nothing(void **state)
{
	struct screen *s = *state;

	if (access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("this machine has hardware counters");
	screen_load(s, "hot");
	screen_start(s, 120, 30, ARGS(), NULL);
	sees_match(s, " hot_loop .*hot$");
	pick(s, "cache-misses");
	sees(s, "cannot be opened: this machine has no such hardware counter");
	pty_keys(s->p, "\033");
	sees(s, "event cpu-clock");
	sees_match(s, " hot_loop .*hot$");
	leave(s);
}

static void
mounts_of(pid_t pid, struct buf *b)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mounts", (int)pid);
	assert_int_equal(file_read(path, b, 1 << 20), 0);
}

static void
tracepoints_are_there_and_the_mounts_stay_as_they_were(void **state)
{
	struct buf before = { 0 }, now = { 0 }, ptops = { 0 };
	struct screen *s = *state;

	need_tracepoints();
	mounts_of(getpid(), &before);
	screen_start(s, 80, 24, ARGS(), NULL);
	keys(s, "e");
	sees_match(s, "^ \\+ CPU ");
	keys(s, "sched:sched_sw");
	sees_match(s, "^ \\+ sched:sched_switch");
	mounts_of(getpid(), &now);
	mounts_of(pty_pid(s->p), &ptops);
	assert_string_equal(now.data, before.data);
	assert_string_equal(ptops.data, before.data);
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
	buf_release(&before);
	buf_release(&now);
	buf_release(&ptops);
}

/* Counts each perf_event_open() of that process's threads and their children from now on. */
static size_t
count_opens(pid_t pid, int fds[FDS_MAX])
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.inherit = 1 };
	struct event_list list = { 0 };
	struct event_env env;
	struct err err = { 0 };
	struct dirent *d;
	char path[64];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	event_env_open(&env);
	if (event_parse(&env, "syscalls:sys_enter_perf_event_open", &list, &err) != 0)
		fail_msg("%s", err.text);
	attr.config = list.items[0].config;
	while ((d = readdir(dir)) != NULL && n < FDS_MAX) {
		fds[n] = (int)syscall(SYS_perf_event_open, &attr, atoi(d->d_name), -1, -1,
				      PERF_FLAG_FD_CLOEXEC);
		n += d->d_name[0] != '.' && fds[n] >= 0 ? 1 : 0;
	}
	closedir(dir);
	event_list_release(&list);
	event_env_close(&env);
	return n;
}

static uint64_t
opens_counted(const int fds[FDS_MAX], size_t n)
{
	uint64_t sum = 0, one;

	for (size_t i = 0; i < n; i++)
		if (read(fds[i], &one, sizeof(one)) == (ssize_t)sizeof(one))
			sum += one;
	return sum;
}

/* Down to the end of the list; the number of pages. */
static size_t
page_through(struct screen *s)
{
	struct buf before = { 0 };
	size_t pages = 0;

	do {
		buf_reset(&before);
		buf_add_str(&before, pty_screen(s->p));
		keys(s, "\033[6~");
		for (int ms = 0; ms < END_MS && strcmp(before.data, pty_screen(s->p)) == 0; ms += 5)
			pty_run(s->p, 5);
	} while (strcmp(before.data, pty_screen(s->p)) != 0 && ++pages < PAGES_MAX);
	buf_release(&before);
	return pages;
}

static void
scrolling_through_all_events_opens_few_of_them(void **state)
{
	struct screen *s = *state;
	int fds[FDS_MAX];
	uint64_t opens;
	size_t n;

	need_tracepoints();
	/* Else what is sampled is opened anew each second or so: at other rates, with other stacks. */
	screen_start(s, 80, 24, ARGS("--budget", "0", "--call-graph", "fp"), NULL);
	sees(s, "[Processes]");
	n = count_opens(pty_pid(s->p), fds);
	keys(s, "e");
	sees_match(s, "^ \\+ CPU ");
	assert_that(page_through(s), >, 50);
	opens = opens_counted(fds, n);
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	assert_that(opens, >, 0); /* some are tried: the counters count */
	if (opens >= OPENS_MAX)
		fail_msg("%llu events were opened", (unsigned long long)opens);
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

/* Runs the load "syscalls" as a program of that name, for so much CPU time. */
static void
run_brief(const char *dir, const char *name, const char *cpu_ms)
{
	char link[PATH_MAX];
	pid_t pid;

	snprintf(link, sizeof(link), "%s/%s", dir, name);
	assert_int_equal(symlink(run_load_path("syscalls"), link), 0);
	pid = run_fork();
	if (pid == 0) {
		execl(link, name, cpu_ms, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	unlink(link);
}

/*
 * The rings of samples overflow, and that is said; those of names and maps do not: processes that
 * were born and died in the flood have their own names, and so have their functions.
 */
static void
a_flood_of_samples_takes_no_names_away(void **state)
{
	static const char *const briefs[] = { "brief-1", "brief-2", "brief-3" };
	char dir[] = "/tmp/ptop-test-XXXXXX", line[64];
	struct screen *s = *state;

	need_tracepoints();
	/* Without the kernel, whose own work for the flood is hottest now and then. */
	screen_start(s, 120, 40, ARGS("-K", "-w", "60", "--filter", "comm~^brief", "-m", "4", "-e",
				      "cpu-clock", "-e", "raw_syscalls:sys_enter"), NULL);
	screen_load(s, "syscalls");
	screen_load(s, "syscalls");
	sees_match(s, "lost [1-9]");
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), " think +%s \\(ended\\)$", briefs[i]);
		/* All samples of one may be among the lost. */
		for (int tries = 0; tries < 5; tries++) {
			run_brief(dir, briefs[i], "300");
			if (pty_wait_match(s->p, line, 3000))
				break;
		}
	}
	rmdir(dir);
	for (int i = 0; i < 2; i++)
		screen_end_load(s, i);
	for (int i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), " think +%s \\(ended\\)$", briefs[i]);
		sees_match(s, line);
	}
	keys(s, "!");
	sees(s, "samples lost in full rings");
	assert_int_equal(pty_find_line(s->p, "records of maps, forks and names lost"), -1);
	keys(s, "\033");
	leave(s);
}

static void
idle_is_no_row(void **state)
{
	static const char *const views[] = { "processes", "threads", "functions" };
	static const char *const idle[] = { "swapper", "idle", "_safe_halt", "do_idle" };
	struct screen *s = *state;

	for (int v = 0; v < 3; v++) {
		screen_start(s, 80, 24, ARGS("-d", "0.3", "-V", (char *)(uintptr_t)views[v]), NULL);
		sees(s, "[");
		pty_run(s->p, 1000);
		for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
			for (int y = 5; y < 10; y++)
				assert_null(strstr(pty_line(s->p, y), idle[i]));
		leave(s);
	}
}

static void
what_hides_every_sample_is_told(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 100, 24, ARGS("-e", "cpu-clock", "-V", "functions"), NULL);
	sees_match(s, " (hot|warm)_loop");
	keys(s, "KU");
	sees(s, "kernel and user samples are both hidden: K and U show them again");
	sees_no(s, "no row passes the filter");
	keys(s, "U");
	sees_match(s, " (hot|warm)_loop");
	leave(s);
}

/* /proc tells nothing of it: its samples do. */
static void
a_process_of_a_recording_with_one_thread_opens_its_functions(void **state)
{
	char path[] = "/tmp/ptop-test-XXXXXX";
	struct screen *s = *state;

	screen_recording(path, 200, 10000000);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), NULL);
	sees(s, "[Processes]");
	sees_match(s, " 7 .*100");
	keys(s, "\r");
	sees(s, "[Functions]");
	keys(s, "\033[Z");
	sees(s, "[Threads]");
	leave(s);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(processes_threads_and_functions_are_one_enter_apart),
		screen_test(a_process_of_a_recording_with_one_thread_opens_its_functions),
		screen_test(shares_are_of_the_thread_that_one_went_into),
		screen_test(code_that_lets_interrupts_on_is_marked_and_explained),
		screen_test(samples_by_a_timer_of_each_task_say_what_they_lack),
		screen_test(samples_by_a_timer_of_each_cpu_have_no_such_gap),
		screen_test(another_event_is_a_search_away_and_the_old_one_comes_back_at_once),
		screen_test(events_that_are_ticked_are_sampled_together),
		screen_test(from_a_tracepoint_back_to_the_clock_is_at_once),
		screen_test(no_cpu_comes_or_goes_as_rings_grow),
		screen_test(an_event_that_cannot_be_opened_says_why_and_changes_nothing),
		screen_test(tracepoints_are_there_and_the_mounts_stay_as_they_were),
		screen_test(scrolling_through_all_events_opens_few_of_them),
		screen_test(a_flood_of_samples_takes_no_names_away),
		screen_test(idle_is_no_row),
		screen_test(what_hides_every_sample_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
