/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments that are read as strings: how the kernel is asked for them, what of them is shown on the
 * real kernel, and that no probe stays behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <config.h>

#include "base/buf.h"
#include "event/fetch_args.h"
#include "tests/asserts.h"
#include "tests/probes.h"
#include "tests/root.h"
#include "tests/run.h"

#define PAIRS(...) (sizeof((const char *const[][2]){ __VA_ARGS__ }) / sizeof(const char *[2])), \
	(const char *const[][2]){ __VA_ARGS__ }

enum { PATIENCE_S = 60 };

/* ---- what the kernel is asked for ---- */

static void
assert_args(struct event *ev, const char *strings, const char *wanted)
{
	struct buf b = { 0 };
	struct err err = { 0 };

	ev->strings = (char *)(uintptr_t)strings;
	if (fetch_args_put(ev, &b, &err) < 0) {
		buf_reset(&b);
		buf_addf(&b, "%s; %s", err.text, err.hint);
	}
	if (strcmp(buf_str(&b), wanted) != 0)
		fail_msg("'%s': '%s', not '%s'", strings, buf_str(&b), wanted);
	buf_release(&b);
}

#ifdef __x86_64__
static void
arguments_are_fields_of_their_types_and_strings_where_asked(void **state)
{
	struct event ev = { .name = (char[]){ "uprobe:f" }, .symbol = (char[]){ "f" } };

	(void)state;
	assert_args(&ev, "arg2", " arg1=%di:s64 arg2=+0(%si):string arg3=%dx:s64 arg4=%cx:s64 "
				 "arg5=%r8:s64 arg6=%r9:s64");
	assert_args(&ev, "", "no argument of 'f' is known to be a string; name it by its place, as "
			     "string=arg1; what debug data tell of a function is asked where a single "
			     "one is meant");
	ev.arguments = (struct arguments){
		.items = {
			{ "path", 8, false, true, true }, { "mode", 4, true, false, false },
			{ "common_pid", 8, false, true, true }, { "arg1", 1, false, false, false },
		},
		.count = 4,
	};
	assert_args(&ev, "", " path=+0(%di):string mode=%si:s32 arg3=+0(%dx):string arg4=%cx:u8");
	assert_args(&ev, "arg3,mode", " path=%di:u64 mode=+0(%si):string arg3=+0(%dx):string "
				      "arg4=%cx:u8");
	assert_args(&ev, "arg5", "'f' has no argument 'arg5' that is known; it has: path mode arg3 arg4");
	assert_args(&ev, "pat", "'f' has no argument 'pat' that is known; it has: path mode arg3 arg4");
	ev.arguments.items[0] = (struct argument){ "argv", 8, false, true, true };
	assert_args(&ev, "argv", " argv=+0(%di):string mode=%si:s32 arg3=%dx:u64 arg4=%cx:u8");
}
#endif

/* ---- on the real kernel ---- */

static void
need_strings(void)
{
	need_probes();
#if !defined(__x86_64__) && !defined(__aarch64__)
	skip_for("this machine's registers are not known");
#endif
}

/* What tests/loads/texts says, each as often: the calls of @r, a report as CSV, which doubles quotes. */
static void
assert_texts(const struct run_result *r)
{
	static const struct {
		const char *text;
		int times;
	} rows[] = {
		{ "GET /", 300 }, { "PUT /\\x1b[31m,\"\"x\"\"", 70 }, { "\"\"\"\"", 5 },
		{ "(fault)", 18 },
	};
	char cut[257];

	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal((int)run_csv_sum(r->out, "samples", PAIRS({ "field", rows[i].text })),
				 rows[i].times);
	memset(cut, 'x', sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	assert_int_equal((int)run_csv_sum(r->out, "samples", PAIRS({ "field", cut })), 3);
	assert_int_equal((int)run_csv_sum(r->out, "samples", 0, NULL), 396);
}

static void
assert_strings(const char *term, const char *field)
{
	char event[4400], by[64], recording[] = "/tmp/ptop-strings-XXXXXX";
	char *live[] = { (char *)run_ptop(), "-b", "-m", "4096", "-e", event, "--by", by, "--format",
			 "csv", "--force-probe", "-r", recording, "--force", "--",
			 run_load_path("texts"), NULL };
	char *again[] = { (char *)run_ptop(), "-i", recording, "--by", by, "--format", "csv", NULL };
	int fd = mkstemp(recording);

	close(fd);
	snprintf(event, sizeof(event), "uprobe:said/%s/", term);
	snprintf(by, sizeof(by), "field:%s", field);
	for (int i = 0; i < 2; i++) {
		struct run_result r;

		run_program(&r, PATIENCE_S, i == 0 ? live : again);
		assert_texts(&r);
		run_release(&r);
	}
	unlink(recording);
}

static void
calls_are_told_apart_by_a_string(void **state)
{
	(void)state;
	need_strings();
#ifdef HAVE_LIBDW
	assert_strings("string", "text");
#else
	assert_strings("string=arg2", "arg2");
#endif
}

/* Without a name the field is the first string. */
static void
all_formats_have_what_was_said(void **state)
{
	static const char *const formats[][2] = {
		{ "text", "PUT /\\x1b[31m,\"x\"" },
		{ "json", "PUT /\\\\x1b[31m,\\\"x\\\"" },
		{ "ndjson", "PUT /\\\\x1b[31m,\\\"x\\\"" },
	};

	(void)state;
	need_strings();
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *argv[] = { (char *)run_ptop(), "-b", "-m", "1024", "-e",
				 "uprobe:said/string=arg2/", "--view", "fields", "--format",
				 (char *)formats[i][0], "--force-probe", "--", run_load_path("texts"),
				 NULL };
		struct run_result r;

		run_program(&r, PATIENCE_S, argv);
		if (r.status != 0 || strstr(r.out, formats[i][1]) == NULL)
			fail_msg("%s: status %d: %s%s", formats[i][0], r.status, r.out, r.err);
		assert_non_null(strstr(r.out, "(fault)"));
		run_release(&r);
	}
}

static void
strings_that_are_not_there_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{ "uprobe:said/string=arg9/", "no argument 'arg9'" },
		{ "uprobe:main/string=arg1,string/", "is there twice" },
		{ "uretprobe:said/string=arg1/", "is for uprobes alone" },
		{ "uprobe:said/string='a b'/", "takes names of arguments" },
	};

	(void)state;
	need_strings();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { (char *)run_ptop(), "-b", "-e", (char *)rows[i][0], "--by",
				 "field:arg1", "--", run_load_path("texts"), NULL };
		struct run_result r;

		run_program(&r, PATIENCE_S, argv);
		if (r.status == 0 || strstr(r.err, rows[i][1]) == NULL)
			fail_msg("%s: status %d: %s", rows[i][0], r.status, r.err);
		run_release(&r);
	}
}

/* ---- nothing stays behind ---- */

static pid_t
begin_ptop(pid_t of)
{
	char event[4400], pid[16];
	pid_t child;

	snprintf(event, sizeof(event), "uprobe:%s:said/string=arg2/", run_load_path("texts"));
	snprintf(pid, sizeof(pid), "%d", of);
	child = run_fork();
	if (child == 0) {
		if (freopen("/dev/null", "w", stdout) != NULL)
			execl(run_ptop(), "ptop", "-b", "-d", "600", "-e", event, "--by", "field:arg2", "-p",
			      pid, NULL);
		_exit(127);
	}
	probes_come(child);
	return child;
}

static pid_t
begin_texts(int *in)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = run_fork();
	if (pid == 0) {
		dup2(ends[0], 0);
		close(ends[1]);
		execl(run_load_path("texts"), "texts", "wait", NULL);
		_exit(127);
	}
	close(ends[0]);
	*in = ends[1];
	return pid;
}

static void
assert_removed_after(int signal, bool at_once)
{
	int in, status;
	pid_t load = begin_texts(&in), ptop = begin_ptop(load);

	kill(ptop, signal);
	assert_int_equal(waitpid(ptop, &status, 0), ptop);
	assert_no_probes(ptop, at_once);
	close(in);
	run_end(load);
}

static void
no_probe_is_left_when_ptop_ends(void **state)
{
	(void)state;
	need_strings();
	assert_removed_after(SIGTERM, true);
}

static void
no_probe_is_left_when_ptop_is_killed(void **state)
{
	(void)state;
	need_strings();
	assert_removed_after(SIGKILL, false);
}

/*
 * What a ptop without a process any more has left, of the pid namespace with that number, when another
 * ptop has begun.
 */
static void
leave_probe(pid_t gone, unsigned space, int *in, pid_t *load, pid_t *ptop)
{
	char order[4400];

	snprintf(order, sizeof(order), "p:ptop_%d_abc_%x_1/f_0 %s:0x1000\n", gone, space,
		 run_load_path("texts"));
	probes_order(order);
	assert_int_equal(probes_count(gone), 1);
	*load = begin_texts(in);
	*ptop = begin_ptop(*load);
}

static void
end_both(int in, pid_t load, pid_t ptop)
{
	kill(ptop, SIGTERM);
	waitpid(ptop, NULL, 0);
	close(in);
	run_end(load);
}

static pid_t
number_of_nobody(void)
{
	pid_t gone = run_fork();

	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	return gone;
}

/* Its keeper was killed, too: the next ptop that makes one removes it. */
static void
what_a_ptop_that_is_gone_has_left_is_removed_by_the_next(void **state)
{
	pid_t gone, load, ptop;
	struct stat space;
	int in;

	(void)state;
	need_strings();
	gone = number_of_nobody();
	assert_int_equal(stat("/proc/self/ns/pid", &space), 0);
	leave_probe(gone, (unsigned)space.st_ino, &in, &load, &ptop);
	assert_no_probes(gone, true);
	end_both(in, load, ptop);
}

/* Nobody else would: it is of a pid namespace that is none. */
static int
remove_left(void **state)
{
	pid_t *left = *state;

	if (*left != 0)
		probes_remove(*left);
	*left = 0;
	return 0;
}

/* Its number means nothing here. */
static void
that_of_a_ptop_in_another_pid_namespace_stays(void **state)
{
	pid_t *left = *state, gone, load, ptop;
	int in;

	need_strings();
	*left = gone = number_of_nobody();
	leave_probe(gone, 0xabc, &in, &load, &ptop);
	assert_int_equal(probes_count(gone), 1);
	end_both(in, load, ptop);
}

int
main(void)
{
	static pid_t left;
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(arguments_are_fields_of_their_types_and_strings_where_asked),
#endif
		cmocka_unit_test(calls_are_told_apart_by_a_string),
		cmocka_unit_test(all_formats_have_what_was_said),
		cmocka_unit_test(strings_that_are_not_there_are_refused),
		cmocka_unit_test(no_probe_is_left_when_ptop_ends),
		cmocka_unit_test(no_probe_is_left_when_ptop_is_killed),
		cmocka_unit_test(what_a_ptop_that_is_gone_has_left_is_removed_by_the_next),
		cmocka_unit_test_prestate_setup_teardown(
			that_of_a_ptop_in_another_pid_namespace_stays, NULL, remove_left, &left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
