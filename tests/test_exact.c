/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens a known number of times is counted and sampled as often, on the real kernel: by the
 * whole program in batch with period 1, and by descriptors that only count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <config.h>

#include "engine/place/place_search.h"
#include "base/clock.h"
#include "base/file.h"
#include "live/open/open_impl.h"
#include "live/sys/sys.h"
#include "record/call_args.h"
#include "tests/asserts.h"
#include "tests/breakpoint.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60, ANSWER_MS = 60000, SETTLED_MS = 1000, PARTS = 2 };

#define PAIRS(...) (sizeof((const char *const[][2]){ __VA_ARGS__ }) / sizeof(const char *[2])), \
	(const char *const[][2]){ __VA_ARGS__ }

/* One kind of thing that tests/loads/exact does, and how often. */
struct kind {
	const char *mode; /* of the program with one thread */
	const char *event;
	int all, part_a, part_b;
};

static const struct kind getpids = { "getpid", "syscalls:sys_enter_getpid", 1000, 600, 400 };
static const struct kind writes = { "counter", "mem:counter:w:u", 777, 500, 277 };
static const struct kind calls = { "calls", "uprobe:count_me", 1234, 1000, 234 };
static const struct kind returns = { "calls", "uretprobe:count_me", 1234, 1000, 234 };

/* Skips where this machine does not have the event. */
static struct event
parse(const char *text)
{
	struct event_env env;
	struct event_list list = { 0 };
	struct err err = { 0 };
	struct event ev = { 0 };
	int res;

	event_env_open(&env);
	res = event_parse(&env, text, &list, &err);
	if (res == 0)
		event_copy(&ev, &list.items[0]);
	event_list_release(&list);
	event_env_close(&env);
	if (res < 0)
		skip_for("%s", err.text);
	return ev;
}

static void
need_tracepoint(const char *name)
{
	struct event ev;

	need_root();
	ev = parse(name);
	event_release(&ev);
}

static int
probe_type(void)
{
	return (int)file_number("/sys/bus/event_source/devices/uprobe/type", -1);
}

/* What strace counted of @name in its table, 0: nothing. */
static int
traced(const char *table, const char *name)
{
	char line[256], last[64];
	int count, sum = 0;

	for (const char *at = table; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
		if (sscanf(line, "%*f %*f %*d %d %63s", &count, last) != 2)
			continue;
		if (strspn(last, "0123456789") == strlen(last)) /* errors stand between */
			sscanf(line, "%*f %*f %*d %*d %*d %63s", last);
		if (strcmp(last, name) == 0)
			sum += count;
	}
	return sum;
}

/* Each sleeps 2 ms at least, and no more than all of the program's life.  All are sampled, whatever -F. */
static void
system_calls_have_the_time_that_they_take(void **state)
{
	char recording[] = "/tmp/ptop-times-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-b", "-m", "1024", "-e", "syscall-time", "-F", "99",
			 "--by", "syscall", "--format", "csv", "-r", recording, "--force", "--",
			 run_load_path("exact"), "naps", NULL };
	char *again[] = { (char *)run_ptop(), "-i", recording, "--by", "syscall", "--format", "csv",
			  NULL };
	const uint64_t begin_ns = clock_mono_ns();
	struct run_result r, read;
	double life_ns, slept_ns;
	int fd = mkstemp(recording);

	(void)state;
	close(fd);
	need_tracepoint("raw_syscalls:sys_exit");
	run_program(&r, PATIENCE_S, argv);
	life_ns = (double)(clock_mono_ns() - begin_ns);
	assert_int_equal(r.status, 0);
	assert_int_equal((int)run_csv_sum(r.out, "samples",
					  PAIRS({ "syscall", "clock_nanosleep" })), 50);
	slept_ns = run_csv_sum(r.out, "period", PAIRS({ "syscall", "clock_nanosleep" }));
	assert_true(slept_ns >= 50 * 2e6 && slept_ns <= life_ns);
	/* What ends the program has no end. */
	assert_int_equal((int)run_csv_sum(r.out, "samples", PAIRS({ "syscall", "exit_group" })), 0);
	run_program(&read, PATIENCE_S, again);
	unlink(recording);
	assert_int_equal((int)run_csv_sum(read.out, "samples",
					  PAIRS({ "syscall", "clock_nanosleep" })), 50);
	assert_true(run_csv_sum(read.out, "period", PAIRS({ "syscall", "clock_nanosleep" })) ==
		    slept_ns);
	run_release(&read);
	run_release(&r);
}

/* Its exec is before the first sample, its end after what strace counts of it. */
static void
system_calls_are_counted_by_name_as_strace_does(void **state)
{
	static const char *const names[] = { "openat", "read", "close", "mmap", "getpid", "brk",
					     "clone3", "munmap", "rseq", "mprotect" };
	char path[] = "/tmp/ptop-strace-XXXXXX", recording[] = "/tmp/ptop-calls-XXXXXX";
	char *strace[] = { "/usr/bin/strace", "-c", "-f", "-o", path, run_load_path("exact"), "threads",
			   NULL };
	char *argv[] = { (char *)run_ptop(), "-b", "-m", "1024", "-e", "raw_syscalls:sys_enter",
			 "--by", "syscall", "--format", "csv", "-r", recording, "--force", "--",
			 run_load_path("exact"), "threads", NULL };
	char *again[] = { (char *)run_ptop(), "-i", recording, "--by", "syscall", "--format", "csv",
			  NULL };
	char *kept[] = { (char *)run_ptop(), "-i", recording, "--by", "event", "--filter",
			 "syscall=getpid", "--format", "csv", NULL };
	struct buf table = { 0 };
	struct run_result r, read;
	int fd = mkstemp(path), recording_fd = mkstemp(recording);

	(void)state;
	close(fd);
	close(recording_fd);
	need_tracepoint("raw_syscalls:sys_enter");
	if (access(strace[0], X_OK) != 0)
		skip_for("there is no strace");
	run_program(&r, PATIENCE_S, strace);
	assert_int_equal(r.status, 0);
	run_release(&r);
	assert_int_equal(file_read(path, &table, 1 << 16), 0);
	unlink(path);
	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(r.status, 0);
	assert_null(strstr(r.err, "lost"));
	run_program(&read, PATIENCE_S, again);
	assert_int_equal(read.status, 0);
	assert_int_equal(traced(buf_str(&table), "getpid"), 1000);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int n = (int)run_csv_sum(r.out, "samples", PAIRS({ "syscall", names[i] }));

		if (n != traced(buf_str(&table), names[i]))
			fail_msg("%s: %d\n%s\n%s", names[i], n, r.out, buf_str(&table));
		assert_int_equal(run_csv_sum(read.out, "samples", PAIRS({ "syscall", names[i] })), n);
	}
	run_release(&read);
	run_release(&r);
	/* A filter tells them apart as a key does. */
	run_program(&read, PATIENCE_S, kept);
	assert_int_equal(read.status, 0);
	unlink(recording);
	assert_int_equal(run_csv_sum(read.out, "samples", PAIRS({ "event", "raw_syscalls:sys_enter" })),
			 1000);
	run_release(&read);
	buf_release(&table);
}

/* ---- sampled ---- */

/* Rings that are large: nothing may be lost, however busy the machine is. */
static void
sample(struct run_result *r, const char *event, const char *mode)
{
	char *argv[] = { (char *)run_ptop(), "-b", "-m", "1024", "-c", "1", "-e", (char *)event,
			 "--force-probe", "--by", "comm,tid", "--format", "csv", "--",
			 run_load_path("exact"), (char *)mode, NULL };

	run_program(r, PATIENCE_S, argv);
	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
	assert_null(strstr(r->err, "lost"));
}

static void
assert_samples(const struct run_result *r, const char *comm, int wanted)
{
	int n = (int)run_csv_sum(r->out, "samples", PAIRS({ "comm", comm }));

	if (n != wanted)
		fail_msg("%s: %d samples, not %d:\n%s%s", comm, n, wanted, r->out, r->err);
}

static void
assert_sampled(const struct kind *k)
{
	struct run_result r;

	sample(&r, k->event, k->mode);
	assert_samples(&r, "exact", k->all);
	assert_int_equal((int)run_csv_sum(r.out, "samples", 0, NULL), k->all);
	run_release(&r);
	sample(&r, k->event, "threads");
	assert_samples(&r, "part-a", k->part_a);
	assert_samples(&r, "part-b", k->part_b);
	assert_int_equal((int)run_csv_sum(r.out, "samples", 0, NULL), k->all);
	run_release(&r);
}

static void
a_tracepoint_is_sampled_as_often_as_it_is_passed(void **state)
{
	(void)state;
	need_tracepoint(getpids.event);
	assert_sampled(&getpids);
}

static void
a_breakpoint_is_sampled_as_often_as_its_variable_is_written(void **state)
{
	(void)state;
	need_breakpoints();
	assert_sampled(&writes);
}

/* Of one that would be 0 for ever ptop says so. */
static void
a_breakpoint_that_never_fires_is_refused(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	if (breakpoints_work())
		skip_for("breakpoints fire on this machine");
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-b", "-e", (char *)writes.event, "--",
						run_load_path("exact"), (char *)writes.mode, NULL });
	assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) != 0);
	assert_non_null(strstr(r.err, "event 'mem:counter:w:u' would count nothing: "));
	run_release(&r);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-b", "-V", "counters", "-e",
						(char *)writes.event, "--", run_load_path("exact"),
						(char *)writes.mode, NULL });
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "breakpoints never fire on this machine"));
	run_release(&r);
}

static void
a_probe_is_sampled_as_often_as_its_function_is_called(void **state)
{
	struct kind by_path = calls;
	char text[4300];

	(void)state;
	need_uprobes();
	assert_sampled(&calls);
	assert_sampled(&returns);
	snprintf(text, sizeof(text), "uprobe:%s:count_*", run_load_path("exact"));
	by_path.event = text;
	assert_sampled(&by_path);
}

/* @filter: of the event, NULL: none. */
static void
assert_view_counts(const char *event, const char *filter, const char *mode, int wanted)
{
	char *argv[16] = { (char *)run_ptop(), "-b", "--view", "counters", "--format", "csv",
			   "--force-probe", "-e", (char *)event };
	struct run_result r;
	int args = 9, n;

	if (filter != NULL) {
		argv[args++] = "--filter-event";
		argv[args++] = (char *)filter;
	}
	argv[args++] = "--";
	argv[args++] = run_load_path("exact");
	argv[args++] = (char *)mode;

	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	n = (int)run_csv_sum(r.out, "value", 1, (const char *const[][2]){ { "counter", event } });
	if (n != wanted)
		fail_msg("%s: %d, not %d:\n%s", event, n, wanted, r.out);
	run_release(&r);
}

static void
the_view_counters_counts_as_exactly(void **state)
{
	char text[4300];

	(void)state;
	need_uprobes();
	snprintf(text, sizeof(text), "uprobe:%s:count_me", run_load_path("exact"));
	assert_view_counts(text, NULL, "calls", 1234);
	assert_view_counts("uprobe:count_*", NULL, "calls", 1234);
	if (breakpoints_work())
		assert_view_counts("mem:counter:w:u", NULL, "counter", 777);
	assert_view_counts("syscalls:sys_enter_getpid", NULL, "getpid", 1000);
	assert_view_counts("syscalls:sys_enter_getpid", "common_pid == 1", "getpid", 0);
}

static const char *const comms[] = { "exact", "part-a", "part-b" };

/*
 * What perf trace -s counted of @name in threads of these names.  It counts returns: of clone3 that of
 * the thread that begins, too.
 */
static int
traced_by_perf(const char *summary, const char *name)
{
	char first[64], second[64];
	bool is_ours = false;
	int count, sum = 0;

	for (const char *at = summary; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		if (sscanf(at, " %63s (%d), %63s", first, &count, second) == 3) {
			is_ours = false; /* " exact (1234), 56 events" */
			for (size_t i = 0; i < sizeof(comms) / sizeof(comms[0]); i++)
				is_ours |= strcmp(first, comms[i]) == 0 &&
					   (i == 0 || strcmp(name, "clone3") != 0);
		} else if (is_ours && sscanf(at, " %63s %d", first, &count) == 2 &&
			   strcmp(first, name) == 0) {
			sum += count;
		}
	}
	return sum;
}

/* Both at once, of the same calls: perf is what ptop starts.  Says what differs, "": nothing. */
static void
count_beside_perf(struct buf *differs)
{
	static const char *const names[] = { "openat", "read", "futex", "clock_nanosleep", "clone3" };
	char path[] = "/tmp/ptop-trace-XXXXXX", script[9000];
	char *argv[] = { (char *)run_ptop(), "-b", "-m", "1024", "-e", "raw_syscalls:sys_enter", "--by",
			 "comm,syscall", "--format", "csv", "--", "/usr/bin/perf", "trace", "-s", "-o",
			 path, "--", "sh", "-c", script, NULL };
	struct buf summary = { 0 };
	struct run_result r;

	close(mkstemp(path));
	/* The shell would become the last one: perf tells a task by its last name. */
	snprintf(script, sizeof(script), "%1$s threads; %1$s naps; exit 0", run_load_path("exact"));
	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(file_read(path, &summary, 1 << 18), 0);
	unlink(path);
	if (r.status != 0 || strstr(buf_str(&summary), "Summary of events") == NULL)
		skip_for("perf cannot trace: %.200s", r.err);
	assert_null(strstr(r.err, "lost"));
	buf_reset(differs);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int n = 0, theirs = traced_by_perf(buf_str(&summary), names[i]);

		for (size_t c = 0; c < sizeof(comms) / sizeof(comms[0]); c++)
			n += (int)run_csv_sum(r.out, "samples",
					      PAIRS({ "comm", comms[c] }, { "syscall", names[i] }));
		if (n == 0 || n != theirs)
			buf_addf(differs, "%s: %d, by perf %d\n%s", names[i], n, theirs,
				 buf_str(&summary));
	}
	buf_release(&summary);
	run_release(&r);
}

static void
system_calls_are_counted_by_name_as_perf_trace_does(void **state)
{
	enum { TRIES = 3 };
	struct buf differs = { 0 };

	(void)state;
	need_tracepoint("raw_syscalls:sys_enter");
	if (access("/usr/bin/perf", X_OK) != 0)
		skip_for("there is no perf");
	/* On a busy machine perf leaves out a whole task now and then, without a word. */
	for (int i = 0; i < TRIES && (i == 0 || differs.len > 0); i++)
		count_beside_perf(&differs);
	if (differs.len > 0)
		fail_msg("%s", buf_str(&differs));
	buf_release(&differs);
}

/* The file and offset at which --explain-event puts a probe on count_me(), as an event. */
static void
probe_by_offset(char event[static 4300])
{
	char text[4300], *site;
	struct run_result r;

	snprintf(text, sizeof(text), "uprobe:%s:count_me", run_load_path("exact"));
	run_program(&r, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "--explain-event", text, NULL });
	site = strstr(r.out, "+0x");
	assert_non_null(site);
	site[strcspn(site, "\n")] = '\0';
	snprintf(event, 4300, "uprobe:%s:%s", run_load_path("exact"), site + 1);
	run_release(&r);
}

/* The program's header is no code; what is no program has none. */
static void
a_place_by_offset_is_explained_and_sampled(void **state)
{
	static const struct {
		const char *event, *says;
		int status;
	} wrong[] = {
		{ "uprobe:/proc/self/exe:120", "offset 0x78 of the file is not in its code", 2 },
		{ "uretprobe:/proc/self/exe:0x78", "is not in its code", 2 },
		{ "uprobe:/etc/passwd:0x10", "not an ELF file", 1 },
		{ "uprobe:/nowhere/file:0x10", "No such file", 1 },
		{ "uprobe:/nowhere/file.c:120", "there is no process to look into", 2 },
		{ "uprobe:malloc", "there is no process to look into", 2 },
		{ "uprobe:libnowhere.so.1:main", "no library 'libnowhere.so.1'", 1 },
	};
	struct kind by_offset = calls;
	struct run_result r;
	char event[4300];

	(void)state;
	need_uprobes();
	probe_by_offset(event);
	run_program(&r, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "--explain-event", event, NULL });
	if (r.status != 0 || strstr(r.out, "taken\n") == NULL)
		fail_msg("status %d: %s%s", r.status, r.out, r.err);
	assert_non_null(strstr(r.out, strrchr(event, ':') + 1));
	run_release(&r);
	by_offset.event = event;
	assert_sampled(&by_offset);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "--explain-event",
							(char *)wrong[i].event, NULL });
		if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != wrong[i].status ||
		    strstr(r.err, wrong[i].says) == NULL)
			fail_msg("%s: status %#x: %s", wrong[i].event, r.status, r.err);
		run_release(&r);
	}
}

static void
an_explained_event_has_its_place(void **state)
{
	char text[4300], site[4300];
	struct run_result r;

	(void)state;
	need_uprobes();
	snprintf(text, sizeof(text), "uprobe:%s:count_me", run_load_path("exact"));
	snprintf(site, sizeof(site), "\nsite                     %s+0x", run_load_path("exact"));
	run_program(&r, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "--explain-event", text, NULL });
	if (r.status != 0 || strstr(r.out, site) == NULL || strstr(r.out, "taken\n") == NULL)
		fail_msg("status %d: %s%s", r.status, r.out, r.err);
	/* An address of ptop's own tells nobody anything. */
	assert_null(strstr(r.out, "\nconfig1"));
	run_release(&r);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "--explain-event",
						"mem:counter:w:u", NULL });
	assert_int_equal(WEXITSTATUS(r.status), 2);
	assert_non_null(strstr(r.err, "there is no process to look into"));
	run_release(&r);
}

static void
a_cpu_that_is_not_there_is_well_formed(void **state)
{
	struct run_result r;

	(void)state;
	run_program(&r, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "-b", "-n", "1", "-C", "99999", NULL });
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "no CPU 99999 on line"));
	run_release(&r);
}

static void
the_proc_of_another_pid_namespace_is_told(void **state)
{
	struct run_result r;

	(void)state;
	if (geteuid() != 0 || system("unshare --pid --fork true 2>/dev/null") != 0)
		skip_for("no pid namespace can be made");
	run_program(&r, PATIENCE_S,
		    (char *[]){ "unshare", "--pid", "--fork", (char *)run_ptop(), "-b", "-n", "1",
				"-d", "0.2", NULL });
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "/proc is that of another pid namespace"));
	run_release(&r);
	run_program(&r, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "-b", "-n", "1", "-d", "0.2", NULL });
	assert_null(strstr(r.err, "pid namespace"));
	run_release(&r);
}

/* A fork of a probed process must not fail, and what it executes is probed too. */
static void
a_probe_is_exact_in_all_that_a_command_starts(void **state)
{
	char text[4300], script[9000];
	struct run_result r;
	char *argv[] = { (char *)run_ptop(), "-b", "-m", "1024", "-c", "1", "-e", text, "--by",
			 "comm", "--format", "csv", "--force-probe", "--", "sh", "-c", script,
			 NULL };

	(void)state;
	need_uprobes();
	snprintf(text, sizeof(text), "uprobe:%s:count_me", run_load_path("exact"));
	snprintf(script, sizeof(script), "%1$s calls && %1$s threads && exit 3", run_load_path("exact"));
	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(WEXITSTATUS(r.status), 3);
	assert_int_equal((int)run_csv_sum(r.out, "samples", 0, NULL), 2 * calls.all);
	run_release(&r);
}

#ifdef HAVE_LIBDW
#define FIELD "field:n"
#else
#define FIELD "field:arg1"
#endif

/* exact calls count_me() with 0 to 1233, each once: int n, in a recording arg1. */
static void
assert_arguments(const char *chains)
{
	char recording[] = "/tmp/ptop-args-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-b", "-m", "4096", "-e", "uprobe:count_me", "-g",
			 (char *)chains, "--raw-stacks", "--by", FIELD, "--format", "csv",
			 "--force-probe", "-r", recording, "--force", "--", run_load_path("exact"), "calls",
			 NULL };
	char *again[] = { (char *)run_ptop(), "-i", recording, "--by", "field:arg1", "--format", "csv",
			  NULL };
	int fd = mkstemp(recording);

	close(fd);
	for (int i = 0; i < 2; i++) {
		struct run_result r;

		run_program(&r, PATIENCE_S, i == 0 ? argv : again);
		if (r.status != 0)
			fail_msg("status %d: %s", r.status, r.err);
		assert_int_equal(run_csv_sum(r.out, "samples", 0, NULL), calls.all);
		for (int n = 0; n < calls.all; n += 411) {
			char text[16];

			snprintf(text, sizeof(text), "%d", n);
			assert_int_equal(run_csv_sum(r.out, "samples", PAIRS({ "field", text })), 1);
		}
		run_release(&r);
	}
	unlink(recording);
}

/* Copies of the stack are alike; that makes no one call of them. */
static void
calls_are_told_apart_by_their_arguments(void **state)
{
	(void)state;
	need_uprobes();
	if (call_args_mask() == 0)
		skip_for("this machine's registers are not known");
	assert_arguments("none");
	assert_arguments("dwarf");
}

/* syscall() is the C library's, which nothing has mapped when a command begins. */
static void
a_probe_in_a_library_of_a_command_counts_from_its_first_call(void **state)
{
	static const struct kind all = { "getpid", "uprobe:syscall", 1000, 600, 400 };

	(void)state;
	need_uprobes();
	assert_sampled(&all);
	assert_view_counts("uprobe:syscall", NULL, "getpid", 1000);
}

static void
a_library_is_found_by_its_name(void **state)
{
	static const struct kind named = { "getpid", "uprobe:libc.so.6:syscall", 1000, 600, 400 };
	struct run_result r;

	(void)state;
	need_uprobes();
	run_program(&r, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "--explain-event", (char *)named.event, NULL });
	if (r.status != 0 && access("/etc/ld.so.cache", R_OK) < 0)
		skip_for("this machine has no ld.so.cache");
	if (r.status != 0 || strstr(r.out, "/libc.so.6+0x") == NULL)
		fail_msg("status %d: %s%s", r.status, r.out, r.err);
	run_release(&r);
	assert_sampled(&named);
	assert_view_counts(named.event, NULL, "getpid", 1000);
}

/* Randomized addresses cost a page more or less. */
static void
fix_addresses(int *before)
{
	*before = personality(0xffffffff);
	personality((unsigned long)*before | ADDR_NO_RANDOMIZE);
}

static void
page_faults_are_sampled_page_by_page(void **state)
{
	struct run_result touched, none;
	int before, more;

	(void)state;
	need_root();
	fix_addresses(&before);
	sample(&touched, "page-faults", "pages");
	sample(&none, "page-faults", "none");
	personality((unsigned long)before);
	more = (int)run_csv_sum(touched.out, "samples", 0, NULL) -
	       (int)run_csv_sum(none.out, "samples", 0, NULL);
	assert_int_equal(more, 5000);
	run_release(&touched);
	run_release(&none);
}

/* ---- counted ---- */

/* Opens a counter that does nothing but count, enabled at once or at the exec of @pid. */
static int
open_counter(struct event_attr *attr, int pid)
{
	const struct sys *sys = &sys_kernel;
	int fd;

	attr->size = sizeof(*attr);
	fd = sys->open(sys, attr, pid, -1);
	if (fd < 0)
		fail_msg("cannot open the counter: %m");
	return fd;
}

static int
read_counter(int fd)
{
	uint64_t value;

	assert_int_equal(sys_kernel.read(&sys_kernel, fd, &value, 1), (int)sizeof(value));
	close(fd);
	return (int)value;
}

/* The whole life of the program, from its exec on. */
static int
count_program(struct event_attr attr, const char *mode)
{
	int go[2], status, fd;
	pid_t pid;
	char c;

	assert_int_equal(pipe(go), 0);
	pid = run_fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &c, 1) == 1)
			execl(run_load_path("exact"), "exact", mode, NULL);
		_exit(127);
	}
	close(go[0]);
	attr.disabled = attr.enable_on_exec = attr.inherit = 1;
	fd = open_counter(&attr, pid);
	assert_int_equal(write(go[1], "", 1), 1);
	close(go[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return read_counter(fd);
}

static void
page_faults_are_counted_page_by_page(void **state)
{
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE,
				   .config = PERF_COUNT_SW_PAGE_FAULTS };
	int before, more;

	(void)state;
	need_root();
	fix_addresses(&before);
	more = count_program(attr, "pages") - count_program(attr, "none");
	personality((unsigned long)before);
	assert_int_equal(more, 5000);
}

/* "exact wait", its threads by name, and what asks and answers for it. */
struct waiting {
	pid_t pid;
	int in, out;
	int tids[PARTS];
	struct queue *answers;
	struct symbol_service *symbols;
	struct proc_reader *proc;
};

static void
hear(const struct waiting *w, const char *word)
{
	char line[16] = "";
	size_t len = strlen(word);

	assert_int_equal(read(w->out, line, len), (ssize_t)len);
	assert_string_equal(line, word);
}

static bool
find_threads(struct waiting *w)
{
	static const char *const names[PARTS] = { "part-a\n", "part-b\n" };
	char path[400];
	struct dirent *d;
	DIR *dir;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)w->pid);
	dir = opendir(path);
	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL) {
		struct buf comm = { 0 };

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)w->pid, d->d_name);
		file_read(path, &comm, 64);
		for (int i = 0; i < PARTS; i++) {
			if (strcmp(buf_str(&comm), names[i]) != 0)
				continue;
			w->tids[i] = atoi(d->d_name);
			found++;
		}
		buf_release(&comm);
	}
	closedir(dir);
	return found == PARTS;
}

static int
start_waiting(void **state)
{
	struct waiting *w = mem_calloc(1, sizeof(*w));
	struct symbol_config config = { .kallsyms = "/proc/kallsyms", .proc = "/proc" };
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	w->pid = run_fork();
	if (w->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(run_load_path("exact"), "exact", "wait", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	w->in = in[1];
	w->out = out[0];
	hear(w, "ready\n");
	for (int i = 0; !find_threads(w); i++) {
		assert_that(i, <, 1000);
		usleep(10000);
	}
	w->answers = queue_new();
	w->symbols = symbol_service_new(&config, w->answers);
	w->proc = proc_reader_new("/proc", w->answers);
	*state = w;
	return 0;
}

static int
end_waiting(void **state)
{
	struct waiting *w = *state;

	close(w->in);
	close(w->out);
	waitpid(w->pid, NULL, 0);
	proc_reader_free(w->proc);
	symbol_service_free(w->symbols);
	queue_free(w->answers);
	free(w);
	return 0;
}

static void
do_round(const struct waiting *w)
{
	assert_int_equal(write(w->in, "\n", 1), 1);
	hear(w, "done\n");
}

static struct msg *
answer(const struct waiting *w, int type)
{
	struct msg *m = queue_wait(w->answers, ANSWER_MS);

	assert_non_null(m);
	assert_int_equal(m->type, type);
	return m;
}

/* As the engine does it. */
static struct event
resolve(const struct waiting *w, const struct event *ev)
{
	struct place_search *s = place_search_new(ev);
	struct symbol_places_ask ask;
	const struct event *found;
	struct err err = { 0 };
	struct event copy;

	if (place_search_wants_maps(s)) {
		struct proc_maps_msg *m;

		proc_reader_ask_maps(w->proc, w->pid, 1);
		m = (struct proc_maps_msg *)answer(w, PROC_MSG_MAPS);
		place_search_add_maps(s, m);
		msg_free(&m->msg);
	}
	while (place_search_next(s, &ask)) {
		struct symbol_places_msg *m;

		symbol_service_ask_places(w->symbols, &ask);
		m = (struct symbol_places_msg *)answer(w, SYMBOL_MSG_PLACES);
		place_search_answer(s, m);
		msg_free(&m->msg);
	}
	found = place_search_result(s, &err);
	if (found == NULL)
		fail_msg("%s", err.text);
	event_copy(&copy, found);
	place_search_free(s);
	return copy;
}

static void
assert_counted(const struct waiting *w, const struct event *ev, const struct kind *k)
{
	const int wanted[PARTS + 1] = { k->part_a, k->part_b, 0 };
	const int tids[PARTS + 1] = { w->tids[0], w->tids[1], w->pid };
	int fds[PARTS + 1], sum = 0;

	for (int i = 0; i <= PARTS; i++) {
		struct event_attr attr = { .type = ev->type, .config = ev->config,
					   .config2 = ev->config2, .bp_type = ev->bp_type,
					   .exclude_kernel = ev->exclude_kernel,
					   .exclude_hv = ev->exclude_hv };

		if (ev->site_count > 0) {
			assert_int_equal(ev->site_count, 1);
			site_put(&attr, ev, &ev->sites[0]);
		}
		fds[i] = open_counter(&attr, tids[i]);
	}
	do_round(w);
	for (int i = 0; i <= PARTS; i++) {
		int n = read_counter(fds[i]);

		assert_int_equal(n, wanted[i]);
		sum += n;
	}
	assert_int_equal(sum, k->all);
}

static void
a_tracepoint_is_counted_as_often_as_it_is_passed(void **state)
{
	struct event ev;

	need_root();
	ev = parse(getpids.event);
	assert_counted(*state, &ev, &getpids);
	assert_int_equal(count_program((struct event_attr){ .type = ev.type, .config = ev.config },
				       "getpid"), getpids.all);
	event_release(&ev);
}

static void
a_breakpoint_is_counted_as_often_as_its_variable_is_written(void **state)
{
	struct event ev = { .name = "mem:counter:w:u", .type = PERF_TYPE_BREAKPOINT,
			    .place = EVENT_PLACE_DATA, .symbol = "counter",
			    .bp_type = HW_BREAKPOINT_W, .exclude_kernel = true, .exclude_hv = true };
	struct event found;

	need_breakpoints();
	found = resolve(*state, &ev);
	assert_int_equal(found.config2, sizeof(long));
	assert_counted(*state, &found, &writes);
	event_release(&found);
}

static void
a_probe_is_counted_as_often_as_its_function_is_called(void **state)
{
	struct event ev = { .name = "uprobe:count_me", .place = EVENT_PLACE_UPROBE,
			    .symbol = "count_me" };
	struct event found;

	need_uprobes();
	ev.type = (uint32_t)probe_type();
	found = resolve(*state, &ev);
	assert_counted(*state, &found, &calls);
	event_release(&found);
	ev.place = EVENT_PLACE_URETPROBE;
	ev.config = 1;
	ev.path = run_load_path("exact");
	ev.symbol = "count_*";
	found = resolve(*state, &ev);
	assert_counted(*state, &found, &returns);
	event_release(&found);
}

/* ---- sampled in a process that runs already ---- */

/* Starts ptop on the waiting program, or one thread of it, lets that do one round, and ends ptop. */
static void
sample_round(const struct waiting *w, const char *event, const char *whom, int id,
	     struct run_result *r)
{
	char pid[16], out[] = "/tmp/ptop-exact-XXXXXX";
	int fd = mkstemp(out);
	struct buf b = { 0 };
	pid_t ptop;

	assert_that(fd, >=, 0);
	snprintf(pid, sizeof(pid), "%d", id);
	ptop = run_fork();
	if (ptop == 0) {
		dup2(fd, 1);
		dup2(fd, 2);
		execl(run_ptop(), "ptop", "-b", "-m", "1024", "-c", "1", "-d", "600",
		      "--force-probe", "-e", event, whom, pid, "--by", "comm,tid", "--format", "csv", NULL);
		_exit(127);
	}
	close(fd);
	run_settled_events(ptop, SETTLED_MS);
	do_round(w);
	kill(ptop, SIGINT);
	waitpid(ptop, &r->status, 0);
	assert_int_equal(file_read(out, &b, 1 << 20), 0);
	unlink(out);
	r->out = mem_strdup(buf_str(&b));
	r->err = mem_strdup("");
	buf_release(&b);
}

static void
assert_round_sampled(const struct waiting *w, const struct kind *k)
{
	struct run_result r = { 0 };

	sample_round(w, k->event, "-p", w->pid, &r);
	assert_samples(&r, "part-a", k->part_a);
	assert_samples(&r, "part-b", k->part_b);
	assert_int_equal((int)run_csv_sum(r.out, "samples", 0, NULL), k->all);
	run_release(&r);
}

static void
a_process_that_runs_already_is_sampled_as_exactly(void **state)
{
	need_uprobes();
	need_tracepoint(getpids.event);
	assert_round_sampled(*state, &getpids);
	if (breakpoints_work())
		assert_round_sampled(*state, &writes);
	assert_round_sampled(*state, &calls);
	assert_round_sampled(*state, &returns);
}

static void
one_thread_of_a_process_is_sampled_as_exactly(void **state)
{
	static const struct kind *const kinds[] = { &getpids, &writes, &calls };
	const struct waiting *w = *state;

	need_uprobes();
	need_tracepoint(getpids.event);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct run_result r = { 0 };

		if (kinds[i] == &writes && !breakpoints_work())
			continue;
		sample_round(w, kinds[i]->event, "-t", w->tids[1], &r);
		assert_samples(&r, "part-b", kinds[i]->part_b);
		assert_int_equal((int)run_csv_sum(r.out, "samples", 0, NULL), kinds[i]->part_b);
		run_release(&r);
	}
}

#define WAITING_TEST(name) cmocka_unit_test_setup_teardown(name, start_waiting, end_waiting)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_are_counted_by_name_as_strace_does),
		cmocka_unit_test(system_calls_are_counted_by_name_as_perf_trace_does),
		cmocka_unit_test(system_calls_have_the_time_that_they_take),
		cmocka_unit_test(the_view_counters_counts_as_exactly),
		cmocka_unit_test(an_explained_event_has_its_place),
		cmocka_unit_test(a_place_by_offset_is_explained_and_sampled),
		cmocka_unit_test(a_tracepoint_is_sampled_as_often_as_it_is_passed),
		cmocka_unit_test(a_breakpoint_is_sampled_as_often_as_its_variable_is_written),
		cmocka_unit_test(a_breakpoint_that_never_fires_is_refused),
		cmocka_unit_test(a_probe_is_sampled_as_often_as_its_function_is_called),
		cmocka_unit_test(the_proc_of_another_pid_namespace_is_told),
		cmocka_unit_test(a_cpu_that_is_not_there_is_well_formed),
		cmocka_unit_test(a_probe_is_exact_in_all_that_a_command_starts),
		cmocka_unit_test(calls_are_told_apart_by_their_arguments),
		cmocka_unit_test(a_probe_in_a_library_of_a_command_counts_from_its_first_call),
		cmocka_unit_test(a_library_is_found_by_its_name),
		cmocka_unit_test(page_faults_are_sampled_page_by_page),
		cmocka_unit_test(page_faults_are_counted_page_by_page),
		WAITING_TEST(a_tracepoint_is_counted_as_often_as_it_is_passed),
		WAITING_TEST(a_breakpoint_is_counted_as_often_as_its_variable_is_written),
		WAITING_TEST(a_probe_is_counted_as_often_as_its_function_is_called),
		WAITING_TEST(a_process_that_runs_already_is_sampled_as_exactly),
		WAITING_TEST(one_thread_of_a_process_is_sampled_as_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
