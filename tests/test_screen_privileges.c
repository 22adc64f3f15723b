/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen says above its rows to users of whom the kernel lets less than all be measured. */
#include "tests/family.h"
#include "tests/paranoid.h"
#include "tests/person.h"
#include "tests/screen_fixture.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "live/sys/rights.h"
#include "tests/skip.h"

enum { WIDTH = 240, HEIGHT = 30, START_MS = 30000 };

/* ptop as @who, with a load of that user's beside it. */
static void
start_at(struct screen *s, const char *who, int level, int width)
{
	char ptop[256], script[1024];

	if (person_dir() == NULL)
		skip_for("not root");
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	snprintf(script, sizeof(script), "cd %s; ./mine & load=$!; %s; kill $load", person_dir(),
		 ptop);
	paranoid_set(level);
	screen_run(s, width, HEIGHT, person_call(who, ARGS("sh", "-c", script)), NULL);
	assert_true(pty_wait_match(s->p, " %CPU ", START_MS));
}

static void
start(struct screen *s, const char *who, int level)
{
	start_at(s, who, level, WIDTH);
}

static void
nobody_is_told_what_is_missing_and_what_would_give_it(void **state)
{
	struct screen *s = *state;

	start(s, "nobody", 2);
	sees_match(s, "^ ! only your own processes: perf_event_paranoid is 2: run as root, or: "
		   "sudo setcap cap_perfmon,[a-z_,]*\\+ep");
	sees_match(s, "^ ! kernel samples are off: sudo sysctl "
		   "kernel.perf_event_paranoid=1 [(]it is 2[)]");
	sees_match(s, "cpu-clock:u");
	sees_match(s, "nobody .* [0-9.]+ .*\\./mine");
	leave(s);
}

/* Chosen by its usual name an event is opened without the kernel, too. */
static void
an_event_that_is_chosen_is_called_what_it_counts(void **state)
{
	struct screen *s = *state;

	start_at(s, "nobody", 2, 130);
	sees_match(s, "^ event cpu-clock:u ");
	keys(s, "epage-faults\r");
	sees_match(s, "^ event page-faults:u ");
	keys(s, "ecpu-clock\r");
	sees_match(s, "^ event cpu-clock:u ");
	leave(s);
}

/* It asked for a function: for that alone, with what helps, there is room. */
static void
calls_that_may_not_be_counted_say_why_in_few_words(void **state)
{
	struct screen *s = *state;

	start(s, "nobody", 2);
	/* The shell that started ./mine names it, too: what ./mine does is in its own row alone. */
	sees_match(s, " syscall .*\\./mine");
	keys(s, "/syscall\r\r");
	sees(s, "[Functions]");
	sees_match(s, "^ +[0-9.]+ .* syscall +libc");
	keys(s, "b");
	sees_match(s, "^ cannot count [a-z_@]+: uprobes need CAP_SYS_ADMIN; run ptop as root: sudo ptop");
	keys(s, "B");
	sees_match(s, " refused +.*uprobes need CAP");
	/* Samples of another event are no calls. */
	keys(s, "t");
	sees_match(s, "^ no calls of [a-z_@]+: uprobes need CAP_SYS_ADMIN");
	sees_no(s, "[Call tree]");
	leave(s);
}

/* No command is cut: all of them are on the page of messages. */
static void
what_is_missing_and_a_remedy_fit_in_80_columns(void **state)
{
	struct screen *s = *state;

	start_at(s, "nobody", 2, 80);
	sees_match(s, "^ ! only your own processes: perf_event_paranoid is 2: run as root, or see !$");
	sees_match(s, "^ ! kernel samples are off: sudo sysctl kernel.perf_event_paranoid=1 [(]it is 2[)]");
	keys(s, "!");
	sees(s, " setcap cap_perfmon,");
	sees(s, "sudo sysctl kernel.perf_event_paranoid=-1");
	keys(s, "\033");
	leave(s);
}

/* What is not sampled at all is not pushed out by what a tenth of the samples has. */
static void
what_is_not_sampled_stands_before_what_has_no_name(void **state)
{
	char script[1024];
	struct screen *s = *state;

	if (person_dir() == NULL)
		skip_for("not root");
	assert_true(person_copy_load("jit", "made"));
	snprintf(script, sizeof(script), "cd %s; ./made none 600 & load=$!; ./ptop; kill $load", person_dir());
	paranoid_set(2);
	screen_run(s, WIDTH, HEIGHT, person_call("nobody", ARGS("sh", "-c", script)), NULL);
	/* Of three there is room for two lines. */
	sees_match(s, "^ ! kernel samples are off.*[+][1-9] more: !");
	sees(s, "! only your own processes");
	leave(s);
}

static void
kill_parsers(pid_t ptop)
{
	pid_t pids[FAMILY_MAX];
	const size_t n = family_find(ptop, pids);

	for (size_t i = 0; i < n; i++)
		if (family_is_called(pids[i], "ptop-symbols"))
			kill(pids[i], SIGKILL);
}

/* Of two lines: what has just ended is news, what the user may not is none. */
static void
what_works_no_more_stands_before_what_is_not_allowed(void **state)
{
	struct screen *s = *state;
	char load[256];
	pid_t pid;

	if (person_dir() == NULL)
		skip_for("not root");
	assert_true(person_copy_load("hot", "fresh"));
	start_at(s, "nobody", 2, 80);
	sees(s, "! kernel samples are off");
	kill_parsers(pty_pid(s->p));
	snprintf(load, sizeof(load), "%s/fresh", person_dir());
	pid = person_start("nobody", ARGS(load));
	sees_match(s, "^ ! no more functions get names");
	sees_match(s, "[+][1-9] more: !");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	leave(s);
}

static void
a_level_that_allows_all_is_nothing_to_tell_of(void **state)
{
	struct screen *s = *state;

	start(s, "nobody", -1);
	sees_match(s, "nobody .* [0-9.]+ .*\\./mine");
	sees_no(s, "only your own");
	sees_no(s, "kernel samples are off");
	sees_no(s, "cpu-clock:u");
	leave(s);
}

/* They live: why they have no names is no end that came too soon. */
static void
maps_of_others_that_may_not_be_read_are_told(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	start_at(s, "nobody", 0, 80);
	sees_match(s, "^ ! no right to maps of others' older processes: no names: run as root, or see !$");
	keys(s, "!");
	sees_match(s, "processes whose memory maps may not be read: [1-9]");
	sees(s, "setcap cap_perfmon,cap_sys_ptrace,cap_syslog,");
	sees(s, "[unknown]: the maps of its process may not be read: run as root, or");
	keys(s, "\033");
	leave(s);
}

static void
with_cap_perfmon_the_level_does_not_matter(void **state)
{
	struct screen *s = *state;
	char path[256];

	if (person_dir() != NULL) {
		snprintf(path, sizeof(path), "%s/ptop", person_dir());
		assert_true(person_set_file_caps(path, 1ULL << CAP_NR_PERFMON));
	}
	start(s, "nobody", 2);
	person_drop_file_caps(path);
	sees_match(s, "nobody .* [0-9.]+ .*\\./mine");
	sees_no(s, "only your own");
	sees_no(s, "kernel samples are off");
	/* What its file has is for measuring alone. */
	keys(s, "M");
	sees(s, "this ptop has capabilities of its file (setcap)");
	sees_no(s, "Enter Take");
	leave(s);
}

static void
processes_of_others_are_not_nobodys_to_end(void **state)
{
	struct screen *s = *state;
	char text[64];

	screen_load(s, "hot");
	start(s, "nobody", -1);
	snprintf(text, sizeof(text), "\\pid=%d\r", (int)s->loads[0]);
	keys(s, text);
	snprintf(text, sizeof(text), " %d +root .*hot", (int)s->loads[0]);
	sees_match(s, text);
	keys(s, "M\ry");
	snprintf(text, sizeof(text), "not done: %d hot: it is another user's: sudo ptop", (int)s->loads[0]);
	sees(s, text);
	keys(s, "\033[18~"); /* F7 */
	sees_match(s, "not done: [0-9]+ hot: it is another user's: sudo ptop");
	assert_int_equal(waitpid(s->loads[0], NULL, WNOHANG), 0);
	leave(s);
}

static void
root_of_a_user_namespace_is_told_to_go_outside(void **state)
{
	struct screen *s = *state;

	start(s, "user-ns", 2);
	sees_match(s, "^ ! only your own processes in this user namespace: capabilities of a user namespace do not count, "
		   "and perf_event_paranoid is 2: run ptop outside of the container");
	sees_match(s, "root .* [0-9.]+ .*\\./mine");
	leave(s);
}

static void
without_the_system_call_the_processes_are_shown(void **state)
{
	struct screen *s = *state;

	start(s, "no-syscall", 2);
	sees_match(s, "^ ! nothing can be sampled: .*a seccomp filter forbids perf events");
	sees_no(s, "only your own");
	sees_match(s, "root .* [1-9][0-9.]+ .*mine");
	keys(s, "q");
	assert_int_not_equal(pty_wait_exit(s->p, SOON_MS), -1);
}

/* DIR/terminfo/p/ptopx-256color: a terminal that is known nowhere else. */
static bool
make_terminal(void)
{
	static const char *const places[] = { "/lib/terminfo", "/usr/share/terminfo",
					      "/etc/terminfo" };
	static const char name[] = "xterm-256color", other[] = "ptopx-256color";
	char path[300];
	struct buf b = { 0 };
	int fd, res = -1;

	for (size_t i = 0; i < ARRAY_SIZE(places) && res < 0; i++) {
		snprintf(path, sizeof(path), "%s/x/%s", places[i], name);
		buf_reset(&b);
		res = file_read(path, &b, 65536);
	}
	for (size_t at = 0; res == 0 && at + sizeof(name) <= b.len; at++)
		if (memcmp(b.data + at, name, sizeof(name) - 1) == 0)
			memcpy(b.data + at, other, sizeof(name) - 1);
	snprintf(path, sizeof(path), "%s/terminfo", person_dir());
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/terminfo/p", person_dir());
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/terminfo/p/%s", person_dir(), other);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (res == 0 && (fd < 0 || fchmod(fd, 0644) < 0 || file_write_all(fd, b.data, b.len) < 0))
		res = -1;
	if (fd >= 0)
		close(fd);
	buf_release(&b);
	return res == 0;
}

static void
run_in_own_terminal(struct screen *s, const char *ptop)
{
	char info[300];

	snprintf(info, sizeof(info), "TERMINFO=%s/terminfo", person_dir());
	screen_run(s, WIDTH, HEIGHT, person_call("nobody", ARGS((char *)(uintptr_t)ptop)),
		   ENV("TERM=ptopx-256color", info));
}

static void
a_users_terminfo_is_not_read_with_lent_rights(void **state)
{
	struct screen *s = *state;
	char ptop[256];

	if (person_dir() == NULL || !make_terminal())
		skip_for("not root, or no terminfo of xterm-256color");
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	run_in_own_terminal(s, ptop);
	assert_true(pty_wait_match(s->p, " %CPU ", START_MS));
	leave(s);
	pty_free(s->p);
	assert_true(person_set_file_caps(ptop, 1ULL << CAP_NR_PERFMON));
	run_in_own_terminal(s, ptop);
	assert_true(pty_wait_match(s->p, "ptopx-256color", START_MS));
	assert_int_not_equal(pty_wait_exit(s->p, START_MS), 0);
	person_drop_file_caps(ptop);
}

/* With the right to override the modes of files, which nobody should give it. */
static void
keys_write_what_the_user_may(void **state)
{
	struct screen *s = *state;
	char ptop[256];

	if (person_dir() != NULL) {
		snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
		assert_true(person_set_file_caps(ptop, 1ULL << CAP_NR_PERFMON |
						 1ULL << CAP_DAC_OVERRIDE));
	}
	start(s, "nobody", 2);
	person_drop_file_caps(ptop);
	sees_match(s, "nobody .* [0-9.]+ .*\\./mine");
	keys(s, "x");
	sees(s, "Write what is shown as");
	keys(s, "\r");
	sees_match(s, "write to: ptop-");
	keys(s, "\r");
	sees_match(s, "cannot write 'ptop-.*txt': Permission denied");
	keys(s, "w");
	sees(s, "Write perf.data");
	keys(s, "\r");
	sees_match(s, "cannot write 'ptop-.*perf.data': Permission denied");
	leave(s);
}

static void
fields_that_may_not_be_read_are_told_in_80_columns(void **state)
{
	struct screen *s = *state;
	char ptop[256];

	if (person_dir() == NULL || access("/sys/kernel/tracing/events/sched", F_OK) != 0)
		skip_for("not root, or no tracefs");
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	assert_true(person_set_file_caps(ptop, 1ULL << CAP_DAC_READ_SEARCH));
	paranoid_set(0);
	screen_run(s, 80, HEIGHT, person_call("nobody", ARGS(ptop, "-e", "sched:sched_switch")), NULL);
	sees_match(s, "^ ! tracepoints have no fields: perf_event_paranoid is 0: run as root, or see !");
	leave(s);
	person_drop_file_caps(ptop);
}

static void
counters_that_are_not_allowed_come_with_what_allows_them(void **state)
{
	struct screen *s = *state;

	start_at(s, "nobody", 2, 80);
	keys(s, "v");
	sees(s, "Call tree");
	keys(s, "\033[F\r");
	sees_match(s, "^  task-clock +ordinary users may not watch whole CPUs");
	sees_match(s, "^ ! counters: ordinary users may not watch whole CPUs: .*see !");
	keys(s, "i");
	sees(s, "kernel.perf_event_paranoid=0");
	keys(s, "\033");
	keys(s, "!");
	sees(s, "counters: ordinary users may not watch whole CPUs");
	keys(s, "\033");
	leave(s);
}

/* Whole CPUs may not be counted. */
static void
ones_own_process_is_counted_without_rights(void **state)
{
	struct screen *s = *state;
	char script[1024];

	if (person_dir() == NULL)
		skip_for("not root");
	snprintf(script, sizeof(script), "cd %s; ./mine & load=$!; ./ptop -V counters -p $load; kill $load",
		 person_dir());
	paranoid_set(2);
	screen_run(s, WIDTH, HEIGHT, person_call("nobody", ARGS("sh", "-c", script)), NULL);
	sees_match(s, "^ All of [0-9]+ mine +\\[Counters\\]");
	sees_match(s, "^ +task-clock +[1-9][0-9]*[.][0-9]+ ms +[1-9]");
	leave(s);
}

/* How often @text is on the screen, however its lines are broken. */
static int
times_on_screen(struct screen *s, const char *text)
{
	struct buf b = { 0 };
	int n = 0;

	for (int y = 0; y < HEIGHT; y++)
		buf_add_str(&b, pty_line(s->p, y));
	for (const char *at = buf_str(&b); (at = strstr(at, text)) != NULL; at++)
		n++;
	buf_release(&b);
	return n;
}

/* Before Enter below the list, then as the answer. */
static void
an_event_that_the_list_refuses_comes_once_with_what_allows_it(void **state)
{
	static const int widths[] = { 80, 130 };
	struct screen *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		start_at(s, "nobody", 2, widths[i]);
		keys(s, "e");
		sees_match(s, "^ \\+ cpu-clock");
		keys(s, "context-switches");
		sees(s, "context-switches: cannot be opened: ordinary users may not watch");
		sees(s, "kernel.perf_event_paranoid=1");
		assert_int_equal(times_on_screen(s, "cap_perfmon+ep"), 1);
		keys(s, "\r");
		sees(s, "context-switches cannot be opened: ordinary users may not watch");
		sees(s, "kernel.perf_event_paranoid=1");
		assert_int_equal(times_on_screen(s, "cap_perfmon+ep"), 1);
		assert_int_equal(times_on_screen(s, "cannot be opened"), 1);
		keys(s, "\033");
		leave(s);
		screen_teardown(state);
		screen_setup(state);
		s = *state;
	}
}

/* On a narrow screen the cause comes first, and what does not fit is not lost. */
static void
a_refused_event_says_why_and_what_holds_stays(void **state)
{
	static const int widths[] = { 80, 130 };
	struct screen *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		start_at(s, "nobody", 2, widths[i]);
		sees(s, "! kernel samples are off: sudo sysctl kernel.perf_event_paranoid=1");
		keys(s, "e");
		sees_match(s, "^ \\+ cpu-clock");
		keys(s, "page-faults:k");
		sees(s, "Enter opens what is typed");
		keys(s, "\r");
		sees_match(s, "ordinary users may not watch the kernel.* Enter: all$");
		keys(s, "\r");
		sees(s, "Message (Esc leaves)");
		sees(s, "cannot open event 'page-faults:k'");
		sees(s, "cap_perfmon");
		keys(s, "\033");
		sees(s, "! kernel samples are off");
		keys(s, "!");
		sees_match(s, "^ [0-9:]+ cannot open event 'page-faults:k'");
		keys(s, "\033");
		leave(s);
		screen_teardown(state);
		screen_setup(state);
		s = *state;
	}
}

/* Skips where everybody reads tracefs; else what --list says to nobody: run_release(). */
static void
list_as_nobody(struct run_result *r)
{
	char ptop[256];

	if (person_dir() == NULL)
		skip_for("not root");
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	run_program(r, 60, person_call("nobody", ARGS(ptop, "--list=sched*")));
	if (r->status == 0) {
		run_release(r);
		skip_for("everybody reads tracefs here");
	}
}

static void
a_list_without_tracepoints_says_why(void **state)
{
	struct run_result r;

	(void)state;
	list_as_nobody(&r);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "no event fits 'sched*', but tracepoints are missing: tracefs"));
	assert_non_null(strstr(r.err, "sudo mount "));
	run_release(&r);
}

static void
the_picker_without_tracepoints_says_why(void **state)
{
	struct screen *s = *state;
	struct run_result r;

	list_as_nobody(&r);
	run_release(&r);
	start_at(s, "nobody", 2, 80);
	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, "sched wake");
	sees_match(s, "^ no event of the list holds these words");
	sees_match(s, "^ tracepoints are missing: tracefs is not (readable|mounted) ");
	sees(s, "perf_event_paranoid 1: sudo mount ");
	keys(s, "\r");
	sees_match(s, "^ tracefs is not (readable|mounted); run as root, or, .* Enter: all$");
	keys(s, "\r");
	sees(s, "Message (Esc leaves)");
	sees(s, "unknown event 'sched wake', but tracepoints are missing");
	keys(s, "\033");
	leave(s);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		screen_test(nobody_is_told_what_is_missing_and_what_would_give_it),
		screen_test(an_event_that_is_chosen_is_called_what_it_counts),
		screen_test(calls_that_may_not_be_counted_say_why_in_few_words),
		screen_test(what_is_missing_and_a_remedy_fit_in_80_columns),
		screen_test(what_is_not_sampled_stands_before_what_has_no_name),
		screen_test(what_works_no_more_stands_before_what_is_not_allowed),
		screen_test(a_level_that_allows_all_is_nothing_to_tell_of),
		screen_test(maps_of_others_that_may_not_be_read_are_told),
		screen_test(fields_that_may_not_be_read_are_told_in_80_columns),
		screen_test(with_cap_perfmon_the_level_does_not_matter),
		screen_test(processes_of_others_are_not_nobodys_to_end),
		screen_test(root_of_a_user_namespace_is_told_to_go_outside),
		screen_test(without_the_system_call_the_processes_are_shown),
		screen_test(a_users_terminfo_is_not_read_with_lent_rights),
		screen_test(keys_write_what_the_user_may),
		screen_test(counters_that_are_not_allowed_come_with_what_allows_them),
		screen_test(ones_own_process_is_counted_without_rights),
		screen_test(an_event_that_the_list_refuses_comes_once_with_what_allows_it),
		screen_test(a_refused_event_says_why_and_what_holds_stays),
		cmocka_unit_test(a_list_without_tracepoints_says_why),
		screen_test(the_picker_without_tracepoints_says_why),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, person_begin, person_end);
}
