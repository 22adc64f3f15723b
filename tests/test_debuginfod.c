/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --debuginfod, whole: a stripped program is sampled, and a server of the test's own has its debug
 * file, or not; and the program itself, or its source, if it is here no more.
 */
#include "config.h"

#include "symbol/fetch/download.h"
#include "tests/debug_server.h"
#include "tests/spinner.h"
#include "tests/skip.h"

enum { PATIENCE_S = 90, ARGS_MAX = 24 };

static struct debug_server server;

static int
setup(void **state)
{
	struct fixture *f;

	debug_server_start(&server);
	if (fixture_setup(state) != 0)
		return -1;
	f = *state;
	setenv("HOME", in_dir(f, "home"), 1);
	setenv("XDG_CACHE_HOME", in_dir(f, "home/.cache"), 1);
	spinner_build(f, "hot", "hot_loop", "-g -Wl,--build-id");
	spinner_build(f, "other", "other_loop", "-g -Wl,--build-id");
	return sh(f, "objcopy --only-keep-debug hot hot.debug && strip hot && "
		     "objcopy --only-keep-debug other other.debug") ? 0 : -1;
}

static int
teardown(void **state)
{
	debug_server_end(&server);
	return fixture_teardown(state);
}

static int
fresh(void **state)
{
	atomic_store(&server.shared->asked, 0);
	return sh(*state, "rm -rf home report.csv rec.data; mkdir -p -m 0755 home/.cache") ? 0 : -1;
}

static void
need_rights(void)
{
	if (!download_is_there() || geteuid() != 0)
		skip_for("needs root here, and libcurl");
}

static void
serve(const struct fixture *f, enum debug_server_mode mode, const char *name)
{
	debug_server_serve(&server, mode, in_dir(f, name));
}

static char *
debuginfod(void)
{
	static char option[128];

	snprintf(option, sizeof(option), "--debuginfod=%s", server.url);
	return option;
}

#define ARGS(...) ((char *const[]){ __VA_ARGS__, NULL })

/* Runs ptop with @args on "hot", which spins a number of times, or on none; the report is returned. */
static struct buf
report(const struct fixture *f, char *const args[], bool with_command)
{
	char *argv[ARGS_MAX] = { (char *)(uintptr_t)run_ptop(), "-b", "--format", "csv", "-o",
				 (char *)(uintptr_t)in_dir(f, "report.csv"), "--force" };
	char *command[] = { "--", (char *)(uintptr_t)in_dir(f, "hot"), "x", "300" };
	struct buf text = { 0 };
	struct run_result r;
	int n = 7;

	while (*args != NULL)
		argv[n++] = *args++;
	for (size_t i = 0; with_command && i < ARRAY_SIZE(command); i++)
		argv[n++] = command[i];
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("ptop: %d %s", r.status, r.err);
	run_release(&r);
	assert_int_equal(file_read(in_dir(f, "report.csv"), &text, 1 << 20), 0);
	return text;
}

static void
assert_named(struct buf *csv, const char *function)
{
	const char *const hot[][2] = { { "comm", "hot" } };
	const char *const named[][2] = { { "comm", "hot" }, { "symbol", function } };
	double all = run_csv_sum(buf_str(csv), "samples", 1, hot);
	double part = run_csv_sum(buf_str(csv), "samples", 2, named);

	if (all < 20 || part < 0.8 * all)
		fail_msg("%.0f of %.0f samples\n%s", part, all, buf_str(csv));
	buf_release(csv);
}

static void
assert_has(struct buf *csv, const char *part)
{
	if (strstr(buf_str(csv), part) == NULL)
		fail_msg("no '%s' in\n%s", part, buf_str(csv));
	buf_release(csv);
}

static void
samples_from_before_the_download_get_names_too(void **state)
{
	struct fixture *f = *state;
	struct buf csv;

	need_rights();
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	csv = report(f, ARGS("--by", "comm,symbol", "-K", debuginfod()), true);
	assert_int_equal(atomic_load(&server.shared->asked), 1);
	assert_named(&csv, "hot_loop");
	/* The next run has it from the cache, and asks nobody. */
	csv = report(f, ARGS("--by", "comm,symbol", "-K", debuginfod()), true);
	assert_int_equal(atomic_load(&server.shared->asked), 1);
	assert_named(&csv, "hot_loop");
}

/* Names are kept from run to run, and lines are not: whoever cleans the cache must not lose them. */
static void
lines_come_back_when_the_debug_file_was_removed(void **state)
{
	struct fixture *f = *state;
	char *const args[] = { "--by", "comm,symbol,srcline", "-K", debuginfod(), NULL };
	struct buf csv;

	need_rights();
#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	csv = report(f, args, true);
	assert_has(&csv, "hot,hot_loop,spin.c:");
	assert_true(sh(f, "ls home/.cache/ptop/elf-* && rm -r home/.cache/debuginfod_client"));
	csv = report(f, args, true);
	assert_has(&csv, "hot,hot_loop,spin.c:");
	assert_int_equal(atomic_load(&server.shared->asked), 2);
	/* Without a server its names are still those that are kept. */
	assert_true(sh(f, "rm -r home/.cache/debuginfod_client"));
	serve(f, DEBUG_SERVER_NONE, "hot.debug");
	csv = report(f, args, true);
	assert_named(&csv, "hot_loop");
	assert_int_equal(atomic_load(&server.shared->asked), 3);
}

static void
a_recording_gets_names_before_its_report(void **state)
{
	struct fixture *f = *state;
	char *file = (char *)(uintptr_t)in_dir(f, "rec.data");
	struct buf csv;

	need_rights();
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	csv = report(f, ARGS("-r", file), true);
	buf_release(&csv);
	assert_int_equal(atomic_load(&server.shared->asked), 0);
	csv = report(f, ARGS("--by", "comm,symbol", "-K", "-i", file, debuginfod()), false);
	assert_named(&csv, "hot_loop");
	assert_int_equal(atomic_load(&server.shared->asked), 1);
}

/* They are asked for once before it has come, of a file without debug data. */
static void
inlined_functions_come_with_the_debug_file(void **state)
{
	struct fixture *f = *state;
	char *file = (char *)(uintptr_t)in_dir(f, "rec.data");
	struct run_result r;
	struct buf csv;

	need_rights();
#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
	write_text(f, "nest.c",
		   "volatile unsigned sink;\n"
		   "__attribute__((always_inline)) static inline void within(void)\n"
		   "{ for (unsigned i = 0; i < 1000000; i++) sink += i; }\n"
		   "__attribute__((noinline)) void around(void) { within(); }\n"
		   "int main(void) { for (int i = 0; i < 300; i++) around(); return 0; }\n");
	assert_true(sh(f, "cc -O2 -g -Wl,--build-id nest.c -o nest && "
			  "objcopy --only-keep-debug nest nest.debug && strip nest"));
	serve(f, DEBUG_SERVER_SERVES, "nest.debug");
	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-b", "-r", file, "--",
					 (char *)(uintptr_t)in_dir(f, "nest")));
	assert_int_equal(r.status, 0);
	run_release(&r);
	csv = report(f, ARGS("-V", "tree", "--inline", "-K", "-i", file, debuginfod()), false);
	assert_int_equal(atomic_load(&server.shared->asked), 1);
	assert_has(&csv, "nest,within (inlined),");
}

/* A recording of a program that is put away while it is read: as if it was made elsewhere. */
static struct buf
report_elsewhere(struct fixture *f, char *const args[])
{
	struct buf csv;

	assert_true(sh(f, "mv hot away"));
	csv = report(f, args, false);
	assert_true(sh(f, "mv away hot"));
	return csv;
}

static void
a_recordings_program_that_is_not_here_is_downloaded(void **state)
{
	struct fixture *f = *state;
	char *file = (char *)(uintptr_t)in_dir(f, "rec.data");
	char *const read[] = { "--by", "comm,symbol,srcline", "-K", "-i", file, debuginfod(), NULL };
	struct buf csv;

	need_rights();
	csv = report(f, ARGS("-r", file), true);
	buf_release(&csv);
	/* It is stripped, so that its debug file is wanted, too. */
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	snprintf(server.shared->program, sizeof(server.shared->program), "%s", in_dir(f, "away"));
	csv = report_elsewhere(f, read);
	assert_non_null(strstr(buf_str(&csv), "hot,hot_loop,spin.c:"));
	assert_null(strstr(buf_str(&csv), "hot,hot_loop,-,"));
	assert_named(&csv, "hot_loop");
	assert_int_equal(atomic_load(&server.shared->asked), 2);
	/* Both are kept. */
	csv = report_elsewhere(f, read);
	assert_named(&csv, "hot_loop");
	assert_int_equal(atomic_load(&server.shared->asked), 2);
}

static void
a_program_that_no_server_has_is_told(void **state)
{
	struct fixture *f = *state;
	char *file = (char *)(uintptr_t)in_dir(f, "rec.data");
	struct buf csv;

	need_rights();
	csv = report(f, ARGS("-r", file), true);
	buf_release(&csv);
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	csv = report_elsewhere(f, ARGS("--by", "comm,reason", "-K", "-i", file, debuginfod()));
	assert_has(&csv, "No such file or directory; asked debuginfod: not found");
	snprintf(server.shared->program, sizeof(server.shared->program), "%s", in_dir(f, "other"));
	csv = report_elsewhere(f, ARGS("--by", "comm,reason", "-K", "-i", file, debuginfod()));
	assert_has(&csv, "asked debuginfod: failed: what was sent has another build-id");
}

static void
what_came_of_it_is_told(void **state)
{
	static const struct {
		enum debug_server_mode mode;
		const char *file, *told;
	} cases[] = {
		{ DEBUG_SERVER_NONE, "hot.debug", "; asked debuginfod: not found" },
		{ DEBUG_SERVER_SERVES, "other.debug",
		  "; asked debuginfod: failed: what was sent has another build-id" },
		{ DEBUG_SERVER_ERROR, "hot.debug", "HTTP status 500" },
	};
	struct fixture *f = *state;

	need_rights();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf csv;

		serve(f, cases[i].mode, cases[i].file);
		csv = report(f, ARGS("--by", "comm,reason", "-K", debuginfod()), true);
		assert_has(&csv, cases[i].told);
	}
}

static void
without_the_option_nobody_is_asked_and_the_command_has_its_environment(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-o",
			 (char *)(uintptr_t)in_dir(f, "env.txt"), "--", "/bin/sh", "-c",
			 "echo =$DEBUGINFOD_URLS=", NULL };
	struct run_result r;
	struct buf csv;
	char want[96];

	need_rights();
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	setenv("DEBUGINFOD_URLS", server.url, 1);
	csv = report(f, ARGS("--by", "comm,symbol,srcline", "-K"), true);
	buf_release(&csv);
	run_program(&r, PATIENCE_S, argv);
	unsetenv("DEBUGINFOD_URLS");
	snprintf(want, sizeof(want), "=%s=\n", server.url);
	assert_string_equal(r.out, want);
	run_release(&r);
	assert_int_equal(atomic_load(&server.shared->asked), 0);
}

/* The listing of a function of a recording. */
static struct run_result
annotate(char *file)
{
	struct run_result r;

	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-b", "-V", "annotate",
					 "--symbol", "around", "-i", file, debuginfod()));
	if (r.status != 0 || strstr(r.out, "around") == NULL)
		fail_msg("ptop: %d %s\n%s", r.status, r.err, r.out);
	return r;
}

/* Its path is the program's choice: what is no path of an address is escaped. */
static void
a_source_that_is_not_here_is_downloaded(void **state)
{
	struct fixture *f = *state;
	char *file = (char *)(uintptr_t)in_dir(f, "rec.data");
	struct run_result r;
	int asked;

	need_rights();
#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
	write_text(f, "sent.c",
		   "volatile unsigned sink;\n"
		   "__attribute__((noinline)) void around(void)\n"
		   "{ for (unsigned i = 0; i < 1000000; i++) sink += i; /* far away */ }\n"
		   "int main(void) { for (int i = 0; i < 300; i++) around(); return 0; }\n");
	assert_true(sh(f, "mkdir -p gone && cp sent.c 'gone/a b?.c' && "
			  "cc -O2 -g -Wl,--build-id \"$PWD/gone/a b?.c\" -o source && rm -r gone"));
	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-b", "-r", file, "--",
					 (char *)(uintptr_t)in_dir(f, "source")));
	assert_int_equal(r.status, 0);
	run_release(&r);
	serve(f, DEBUG_SERVER_NONE, "sent.c");
	r = annotate(file);
	assert_null(strstr(r.out, "far away"));
	run_release(&r);
	serve(f, DEBUG_SERVER_SERVES, "sent.c");
	r = annotate(file);
	if (strstr(r.out, "far away") == NULL)
		fail_msg("%s\n%s", r.out, r.err);
	run_release(&r);
	assert_non_null(strstr(server.shared->last_ask, "/source/"));
	assert_non_null(strstr(server.shared->last_ask, "/gone/a%20b%3F.c"));
	asked = atomic_load(&server.shared->asked);
	r = annotate(file);
	assert_non_null(strstr(r.out, "far away"));
	assert_int_equal(atomic_load(&server.shared->asked), asked);
	run_release(&r);
	/* Anybody could have written that. */
	assert_true(sh(f, "chmod 666 home/.cache/debuginfod_client/*/source*"));
	serve(f, DEBUG_SERVER_NONE, "sent.c");
	r = annotate(file);
	assert_null(strstr(r.out, "far away"));
	run_release(&r);
}

static void
without_a_server_there_is_one_message(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "--debuginfod", NULL };
	struct run_result r;

	(void)state;
	run_program(&r, PATIENCE_S, argv);
	assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 1);
	assert_non_null(strstr(r.err, "--debuginfod: "));
	assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
	run_release(&r);
}

static void
the_environment_names_servers(void **state)
{
	struct fixture *f = *state;
	struct buf csv;

	need_rights();
	serve(f, DEBUG_SERVER_SERVES, "hot.debug");
	setenv("DEBUGINFOD_URLS", server.url, 1);
	csv = report(f, ARGS("--by", "comm,symbol", "-K", "--debuginfod"), true);
	unsetenv("DEBUGINFOD_URLS");
	assert_named(&csv, "hot_loop");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(samples_from_before_the_download_get_names_too, fresh),
		cmocka_unit_test_setup(lines_come_back_when_the_debug_file_was_removed, fresh),
		cmocka_unit_test_setup(a_recording_gets_names_before_its_report, fresh),
		cmocka_unit_test_setup(inlined_functions_come_with_the_debug_file, fresh),
		cmocka_unit_test_setup(a_recordings_program_that_is_not_here_is_downloaded, fresh),
		cmocka_unit_test_setup(a_program_that_no_server_has_is_told, fresh),
		cmocka_unit_test_setup(what_came_of_it_is_told, fresh),
		cmocka_unit_test_setup(
			without_the_option_nobody_is_asked_and_the_command_has_its_environment, fresh),
		cmocka_unit_test_setup(a_source_that_is_not_here_is_downloaded, fresh),
		cmocka_unit_test_setup(without_a_server_there_is_one_message, fresh),
		cmocka_unit_test_setup(the_environment_names_servers, fresh),
	};

	return cmocka_run_group_tests_name("debuginfod", tests, setup, teardown);
}
