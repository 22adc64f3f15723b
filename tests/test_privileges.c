/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ptop measures and says as each kind of user, from least to most: the same two loads run, one
 * of the user's own and one of somebody else.
 */
#include "tests/paranoid.h"
#include "tests/person.h"
#include "tests/root.h"
#include "tests/run.h"

#include "base/util.h"
#include "live/sys/rights.h"

#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { WHOLE_S = 120, SAYS_MAX = 4 };

#define SETCAP "sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog,cap_dac_read_search+ep '/"

#define FILE_CAPS                                                                               \
	(1ULL << CAP_NR_PERFMON | 1ULL << CAP_NR_SYS_PTRACE | 1ULL << CAP_SYSLOG |              \
	 1ULL << CAP_DAC_READ_SEARCH)
#define NO_MAPS "no right to maps of others' older processes: no names: run as root, or: " SETCAP

enum seen { NOT, YES, EITHER };

static const struct scene {
	const char *who;
	int level;
	bool has_caps; /* its file: those that README names */
	const char *other; /* who has the other load */
	enum seen theirs, kernel;
	const char *says[SAYS_MAX]; /* each is on standard error; none: nothing is missing */
} scenes[] = {
	{ "nobody", 4, false, "root", NOT, NOT,
	  { "only your own processes: perf_event_paranoid is 4", SETCAP,
	    "sudo sysctl kernel.perf_event_paranoid=-1",
	    "kernel samples are off: sudo sysctl kernel.perf_event_paranoid=1 (it is 4)" } },
	{ "nobody", 3, false, "root", NOT, NOT,
	  { "only your own processes: perf_event_paranoid is 3", SETCAP,
	    "kernel samples are off: sudo sysctl kernel.perf_event_paranoid=1 (it is 3)" } },
	{ "nobody", 2, false, "root", NOT, NOT,
	  { "only your own processes: perf_event_paranoid is 2", SETCAP,
	    "kernel samples are off: sudo sysctl kernel.perf_event_paranoid=1 (it is 2)" } },
	{ "nobody", 1, false, "root", NOT, YES,
	  { "only your own processes: perf_event_paranoid is 1", SETCAP,
	    "sudo sysctl kernel.perf_event_paranoid=-1" } },
	{ "nobody", 0, false, "root", YES, YES, { NO_MAPS } },
	{ "nobody", -1, false, "root", YES, YES, { NO_MAPS } },
	{ "nobody", 2, true, "root", YES, YES, { NULL } },
	{ "user-ns", 2, false, "nobody", NOT, NOT,
	  { "only your own processes in this user namespace: capabilities of a user namespace do "
	    "not count, and perf_event_paranoid is 2",
	    "run ptop outside of the container, or there: sudo sysctl "
	    "kernel.perf_event_paranoid=-1",
	    "kernel samples are off" } },
	{ "user-ns", 0, false, "nobody", EITHER, YES,
	  { "symbol files are parsed as this user namespace's root: it has no user 65534" } },
	{ "few-caps", 2, false, "nobody", NOT, NOT,
	  { "only your own processes: this root has no CAP_PERFMON, and perf_event_paranoid is 2",
	    "start the container with --cap-add PERFMON, or outside of it: sudo sysctl "
	    "kernel.perf_event_paranoid=-1",
	    "kernel samples are off" } },
	/* Those of another pid namespace have no names there. */
	{ "pid-ns", 2, false, "nobody", EITHER, YES, { NULL } },
	{ "root", 2, false, "nobody", YES, YES, { NULL } },
};

/* A report of ptop's as @who, with a load of that user's beside it, and of @other's. */
static void
run_beside_loads(struct run_result *r, const char *who, const char *other, const char *options)
{
	char theirs[256], script[1024];
	char *load[] = { theirs, NULL };
	char *shell[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", script, NULL };
	pid_t pid;

	snprintf(theirs, sizeof(theirs), "%s/theirs", person_dir());
	snprintf(script, sizeof(script),
		 "%s/mine & %s/ptop -b %s; status=$?; kill $!; exit $status", person_dir(),
		 person_dir(), options);
	pid = person_start(other, load);
	run_program(r, WHOLE_S, person_call(who, shell));
	run_end(pid);
}

static double
samples(const struct run_result *r, const char *column, const char *value)
{
	const char *const pairs[][2] = { { column, value } };

	return run_csv_sum(r->out, "samples", 1, pairs);
}

static void
assert_seen(const struct run_result *r, enum seen wanted, const char *column, const char *value)
{
	double n = samples(r, column, value);

	if (wanted != EITHER && (n > 0) != (wanted == YES))
		fail_msg("%s has %.0f samples:\n%s%s", value, n, r->err, r->out);
}

/* A loaded machine may lose samples, which is told as well. */
static void
assert_nothing_is_missing(const struct run_result *r)
{
	static const char *const words[] = { "only your own", "samples are off",
					     "nothing can be sampled", "setcap", "sysctl" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(r->err, words[i]) != NULL)
			fail_msg("'%s' is in: %s", words[i], r->err);
}

static void
play(const struct scene *s)
{
	static const char *const runs[] = {
		"-n 1 -d 0.5 --by comm,dso --format csv", "-n 1 -d 5 --by comm,dso --format csv",
	};
	struct run_result r;
	char path[256];

	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	if (s->has_caps && !person_set_file_caps(path, FILE_CAPS))
		fail_msg("cannot set capabilities of a file");
	paranoid_set(s->level);
	/* What has no parser yet cannot tell as whom it runs; where the machine is busy little is sampled. */
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		if (i > 0)
			run_release(&r);
		run_beside_loads(&r, s->who, s->other, runs[i]);
		if ((s->says[0] == NULL || strstr(r.err, s->says[0]) != NULL) &&
		    samples(&r, "comm", "mine") > 0)
			break;
	}
	if (s->has_caps)
		person_drop_file_caps(path);
	print_message("# %s at %d%s\n", s->who, s->level, s->has_caps ? " with capabilities" : "");
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0)
		fail_msg("status %#x: %s", (unsigned)r.status, r.err);
	assert_seen(&r, YES, "comm", "mine");
	assert_seen(&r, s->theirs, "comm", "theirs");
	assert_seen(&r, s->kernel, "dso", "[kernel]");
	if (s->says[0] == NULL)
		assert_nothing_is_missing(&r);
	for (int i = 0; i < SAYS_MAX && s->says[i] != NULL; i++)
		if (strstr(r.err, s->says[i]) == NULL)
			fail_msg("'%s' is not in: %s", s->says[i], r.err);
	run_release(&r);
}

static void
each_user_is_shown_what_is_allowed_and_told_what_is_not(void **state)
{
	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play(&scenes[i]);
}

static void
without_the_system_call_a_report_ends_with_the_reason(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_beside_loads(&r, "no-syscall", "nobody", "-n 1 -d 0.5 --by comm --format csv");
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "nothing can be sampled: "));
	assert_non_null(strstr(r.err, "EPERM (PermissionDenied): a seccomp filter forbids perf "
			       "events to this process"));
	assert_non_null(strstr(r.err, "--cap-add PERFMON or another seccomp profile"));
	assert_null(strstr(r.err, "only your own processes"));
	assert_string_equal(r.out, "");
	run_release(&r);
}

/* Where the kernel may be sampled; wakeups are a tracepoint's. */
static void
waits_are_exact_without_tracepoints(void **state)
{
	char path[256];
	char *ptop[] = { path, "-b", "-d", "20", "-e", "off-cpu/exact/", "--by", "comm,state,waker",
			 "--format", "csv", "--", "sleep", "2", NULL };
	/* What it waits for is known where the kernel's names are. */
	const char *const pairs[][2] = { { "comm", "sleep" } };
	struct run_result r;
	double waited;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	paranoid_set(1);
	run_program(&r, WHOLE_S, person_call("nobody", ptop));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "the time in the run queue behind a wait counts as waiting"));
	waited = run_csv_sum(r.out, "period", 1, pairs) / 1e9;
	if (waited < 1.9 || waited > 2.5)
		fail_msg("waited %.3f s: %s%s", waited, r.err, r.out);
	run_release(&r);
	/* Of the kernel nothing may be sampled, so neither when it switches. */
	paranoid_set(2);
	run_program(&r, WHOLE_S, person_call("nobody", ptop));
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "perf_event_paranoid"));
	assert_null(strstr(r.err, "EVENT:u"));
	run_release(&r);
}

/* Not counted without the kernel, where it would be none. */
static void
what_happens_in_the_kernel_alone_is_refused_without_it(void **state)
{
	static char *const events[] = { "context-switches", "cpu-migrations" };
	char path[256];

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	paranoid_set(2);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		char *ptop[] = { path, "-b", "-n", "1", "-d", "0.2", "-e", events[i], "--", "sleep", "1",
				 NULL };
		struct run_result r;

		run_program(&r, WHOLE_S, person_call("nobody", ptop));
		assert_int_not_equal(r.status, 0);
		assert_non_null(strstr(r.err, "ordinary users may not watch what happens in the kernel alone"));
		assert_null(strstr(r.err, "EVENT:u"));
		run_release(&r);
	}
}

/* Who may sample root's program may not read it: its rows are addresses. */
static void
a_report_says_that_a_program_may_not_be_read(void **state)
{
	char path[256], closed[256], pid[16];
	char *load[] = { closed, NULL };
	char *ptop[] = { path, "-b", "-n", "1", "-d", "1", "-p", pid, "--by", "dso,symbol", NULL };
	struct run_result r;
	pid_t load_pid;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	snprintf(closed, sizeof(closed), "%s/closed", person_dir());
	if (!person_set_file_caps(path, 1ULL << CAP_NR_PERFMON))
		fail_msg("cannot set capabilities of a file");
	assert_true(person_copy_load("hot", "closed"));
	assert_int_equal(chmod(closed, 0711), 0);
	paranoid_set(2);
	load_pid = person_start("root", load);
	snprintf(pid, sizeof(pid), "%d", (int)load_pid);
	run_program(&r, WHOLE_S, person_call("nobody", ptop));
	run_end(load_pid);
	person_drop_file_caps(path);
	unlink(closed);
	assert_int_equal(r.status, 0);
	if (strstr(r.err, "functions of 'closed' have no names (") == NULL)
		fail_msg("%s%s", r.err, r.out);
	run_release(&r);
}

/* Without the kernel it is refused as well: that reason counts. */
static void
counters_of_another_users_process_say_whose_it_is(void **state)
{
	char path[256], pid[16];
	char *ptop[] = { path, "-b", "-n", "1", "-d", "0.2", "-V", "counters", "-p", pid, NULL };
	struct run_result r;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	paranoid_set(2);
	run_program(&r, WHOLE_S, person_call("nobody", ptop));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "the task belongs to another user (its user is 0, ptop's 65534"));
	assert_null(strstr(r.out, "ordinary users may not watch the kernel"));
	run_release(&r);
}

/* Each row says why it is not counted; what would change that is said once. */
static void
counters_without_a_right_say_what_gives_it(void **state)
{
	char path[256];
	char *ptop[] = { path, "-n", "1", "-d", "0.2", "-V", "counters", NULL };
	const char *at;
	struct run_result r;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	paranoid_set(2);
	run_program(&r, WHOLE_S, person_call("nobody", ptop));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "ordinary users may not watch whole CPUs "
				      "(kernel.perf_event_paranoid is 2) (EACCES)"));
	assert_null(strstr(r.out, "sudo"));
	at = strstr(r.err, "counters: ordinary users may not watch whole CPUs: sudo setcap cap_perfmon+ep ");
	assert_non_null(at);
	assert_non_null(strstr(at, ", or: sudo sysctl kernel.perf_event_paranoid=0"));
	assert_null(strstr(at + 1, "counters: "));
	run_release(&r);
}

static void
users_are_sampled_beside_a_process_and_not_beside_a_command(void **state)
{
	char *both[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "1", "-p", "1", "-u", "nobody",
			 "--by", "user", "--format", "csv", NULL };
	char *command[] = { (char *)(uintptr_t)run_ptop(), "-b", "-u", "nobody", "--", "true", NULL };
	char path[256], *load[] = { path, NULL };
	struct run_result r;
	pid_t pid;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/theirs", person_dir());
	pid = person_start("nobody", load);
	run_program(&r, WHOLE_S, both);
	run_end(pid);
	assert_true(samples(&r, "user", "nobody") > 0);
	run_release(&r);
	run_program(&r, WHOLE_S, command);
	assert_int_equal(WEXITSTATUS(r.status), 2);
	assert_non_null(strstr(r.err, "--uid does not go with a command"));
	run_release(&r);
}

/* The processes that parse files for it are below that shell, too, and nobody may look at them. */
static void
the_shell_that_ptop_was_started_from_can_be_sampled(void **state)
{
	char command[1024], *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", command, NULL };
	struct run_result r;

	(void)state;
	if (geteuid() != 0)
		skip();
	snprintf(command, sizeof(command), "'%s' --no-config -b -n 1 -d 1 -p $$; exit $?", run_ptop());
	run_program(&r, WHOLE_S, person_call("nobody", argv));
	if (r.status != 0)
		fail_msg("%#x: %s", (unsigned)r.status, r.err);
	run_release(&r);
}

static void
an_ordinary_user_has_both_a_process_and_all_that_is_the_users(void **state)
{
	char path[256], *load[] = { path, NULL }, ptop[256], pid[16];
	char *both[] = { ptop, "-b", "-n", "1", "-d", "1", "-p", pid, "-u", "nobody", "--by", "comm",
			 "--format", "csv", NULL };
	char *others[] = { ptop, "-b", "-n", "1", "-d", "0.2", "-p", "1", "-u", "nobody", NULL };
	char *idle[] = { "/bin/sleep", "60", NULL };
	struct run_result r;
	pid_t sleeper, busy;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/theirs", person_dir());
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	paranoid_set(2);
	busy = person_start("nobody", load);
	sleeper = person_start("nobody", idle);
	snprintf(pid, sizeof(pid), "%d", (int)sleeper);
	run_program(&r, WHOLE_S, person_call("nobody", both));
	assert_true(samples(&r, "comm", "theirs") > 0);
	run_release(&r);
	run_program(&r, WHOLE_S, person_call("nobody", others));
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "'dummy (maps and names)' on task 1, "));
	run_release(&r);
	run_end(busy);
	run_end(sleeper);
}

/* Its ptop says there what it says here. */
static void
a_host_says_that_maps_of_others_may_not_be_read(void **state)
{
	char path[256], *load[] = { path, NULL }, ptop[256], feed[512];
	char *hosts[] = { ptop, "--no-config", "--hosts", "web1", "--hosts-command", feed, "-b", "-n", "1",
			  "-d", "5", "--by", "comm,dso,reason,remedy", "--format", "csv", NULL };
	const char *const denied[][2] = { { "comm", "theirs" }, { "dso", "[unknown]" },
					  { "reason", "the maps of its process may not be read" },
					  { "remedy", "run as root, or with CAP_SYS_PTRACE" } };
	struct run_result r;
	pid_t pid;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/theirs", person_dir());
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	snprintf(feed, sizeof(feed), "exec %s --no-config --feed", ptop);
	paranoid_set(0);
	pid = person_start("root", load);
	run_program(&r, WHOLE_S, person_call("nobody", hosts));
	run_end(pid);
	if (strstr(r.err, "web1: " NO_MAPS) == NULL)
		fail_msg("%s", r.err);
	assert_true(run_csv_sum(r.out, "samples", ARRAY_SIZE(denied), denied) > 0);
	run_release(&r);
}

/* The own processes are no answer to who asks for those of others. */
static void
processes_of_another_user_are_refused_where_cpus_may_not_be_sampled(void **state)
{
	static const char says[] = "cannot sample processes of another user (uid 0): ";
	static const struct {
		int level;
		const char *users;
		bool is_refused;
	} asks[] = {
		{ 2, "-u root", true },	       { 2, "-u nobody", false }, { 2, "-u nobody,root", true },
		{ 2, "-p $! -u root", true },  { 1, "-u root", true },	  { 1, "-u nobody", false },
		{ 0, "-u root", false },
	};
	struct run_result r;
	char options[256];

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		paranoid_set(asks[i].level);
		snprintf(options, sizeof(options), "-n 1 -d 0.5 --by user --format csv %s", asks[i].users);
		run_beside_loads(&r, "nobody", "root", options);
		assert_true(WIFEXITED(r.status));
		if (WEXITSTATUS(r.status) != asks[i].is_refused ||
		    (strstr(r.err, says) != NULL) != asks[i].is_refused)
			fail_msg("%s at %d: status %#x: %s%s", asks[i].users, asks[i].level,
				 (unsigned)r.status, r.err, r.out);
		if (asks[i].is_refused) {
			assert_non_null(strstr(r.err, "sudo setcap cap_perfmon+ep '/"));
			assert_non_null(strstr(r.err, "sudo sysctl kernel.perf_event_paranoid=0"));
			assert_string_equal(r.out, "");
		} else {
			assert_seen(&r, YES, "user", strchr(asks[i].users, ' ') + 1);
		}
		run_release(&r);
	}
}

/* It needs no setting: what the kernel asks for is in capabilities of the file. */
static void
tracepoints_need_a_readable_tracefs(void **state)
{
	static const struct {
		unsigned long long caps;
		const char *says;
	} ways[] = {
		{ 1ULL << CAP_NR_PERFMON,
		  "tracefs is not readable (run as root, or, with cap_perfmon or "
		  "kernel.perf_event_paranoid 1: sudo mount -o "
		  "remount,mode=750,gid=\"$(id -g)\" /sys/kernel/tracing)" },
		{ 1ULL << CAP_NR_PERFMON | 1ULL << CAP_DAC_READ_SEARCH, NULL },
	};
	char path[256], *inner[PERSON_ARGS_MAX];
	char *ptop[] = { path, "-b", "-n", "1", "-d", "0.5", "-e", "sched:sched_switch", NULL };
	struct run_result r;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	memcpy(inner, person_call("nobody", ptop), sizeof(inner));
	paranoid_set(2);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		assert_true(person_set_file_caps(path, ways[i].caps));
		run_program(&r, WHOLE_S, person_call("tracefs", inner));
		person_drop_file_caps(path);
		if (ways[i].says != NULL && strstr(r.err, ways[i].says) == NULL)
			fail_msg("'%s' is not in: %s", ways[i].says, r.err);
		if (ways[i].says == NULL && (r.status != 0 || strstr(r.out, "SAMPLES") == NULL))
			fail_msg("status %#x: %s", (unsigned)r.status, r.err);
		run_release(&r);
	}
}

/* A row for all values is no answer: why there are none is said, where some were asked for. */
static void
fields_that_may_not_be_read_are_told(void **state)
{
	static const char says[] = "tracepoints have no fields: perf_event_paranoid is 0: run as root, or: "
				   SETCAP;
	char path[256], *inner[PERSON_ARGS_MAX];
	char *ptop[] = { path, "-b", "-n", "1", "-d", "0.5", "-e", "sched:sched_switch", "--by",
			 "field:prev_state", NULL };
	struct run_result r;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	assert_true(person_set_file_caps(path, 1ULL << CAP_DAC_READ_SEARCH));
	paranoid_set(0);
	for (int with_fields = 1; with_fields >= 0; with_fields--) {
		ptop[8] = with_fields ? "--by" : NULL;
		memcpy(inner, person_call("nobody", ptop), sizeof(inner));
		run_program(&r, WHOLE_S, person_call("tracefs", inner));
		if (r.status != 0 || (strstr(r.err, says) != NULL) != with_fields)
			fail_msg("status %#x: %s", (unsigned)r.status, r.err);
		run_release(&r);
	}
	person_drop_file_caps(path);
}

/* Not what root would get. */
static void
an_event_is_explained_as_it_is_opened_for_the_user(void **state)
{
	char path[256];
	char *ptop[] = { path, "--explain-event", "cpu-clock", NULL };
	struct run_result r;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	paranoid_set(2);
	run_program(&r, WHOLE_S, person_call("nobody", ptop));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "\nexclude_kernel           1 "));
	assert_non_null(strstr(r.out, "not while in the kernel; asked for: 0\n"));
	assert_non_null(strstr(r.out, "\nnotice                   kernel samples are off: "));
	run_release(&r);
	run_program(&r, WHOLE_S, ptop);
	assert_int_equal(r.status, 0);
	assert_null(strstr(r.out, "asked for"));
	run_release(&r);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_user_is_shown_what_is_allowed_and_told_what_is_not),
		cmocka_unit_test(tracepoints_need_a_readable_tracefs),
		cmocka_unit_test(fields_that_may_not_be_read_are_told),
		cmocka_unit_test(waits_are_exact_without_tracepoints),
		cmocka_unit_test(what_happens_in_the_kernel_alone_is_refused_without_it),
		cmocka_unit_test(a_report_says_that_a_program_may_not_be_read),
		cmocka_unit_test(counters_of_another_users_process_say_whose_it_is),
		cmocka_unit_test(counters_without_a_right_say_what_gives_it),
		cmocka_unit_test(a_host_says_that_maps_of_others_may_not_be_read),
		cmocka_unit_test(processes_of_another_user_are_refused_where_cpus_may_not_be_sampled),
		cmocka_unit_test(users_are_sampled_beside_a_process_and_not_beside_a_command),
		cmocka_unit_test(the_shell_that_ptop_was_started_from_can_be_sampled),
		cmocka_unit_test(an_ordinary_user_has_both_a_process_and_all_that_is_the_users),
		cmocka_unit_test(without_the_system_call_a_report_ends_with_the_reason),
		cmocka_unit_test(an_event_is_explained_as_it_is_opened_for_the_user),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, person_begin, person_end);
}
