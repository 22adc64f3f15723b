/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports that go to a file, of a ptop that sudo started: the file is its caller's, in whatever
 * folder that one may write to, and where hard links are protected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/setting.h"

#include <config.h>

enum { WHOLE_S = 60, CALLER = 12345, OTHER = 12346 };

static const char *const endings[] = { "txt", "csv", "folded", "svg",
#ifdef HAVE_JANSSON
	"json", "ndjson", "speedscope.json",
#endif
#ifdef HAVE_ZLIB
	"pb.gz",
#endif
};

/* Where the caller of sudo may write: who owns it, and its mode. */
static const struct {
	const char *name;
	uid_t owner;
	mode_t mode;
} folders[] = {
	{ "own", CALLER, 0700 },
	{ "shared", 0, 01777 },
	{ "theirs", OTHER, 01777 },
};

static char dir[] = "/tmp/ptop-report-XXXXXX";
static struct setting links;
static pid_t load; /* on an idle machine 0.1 s has no samples, and folded stacks of none are no bytes */

/* A shell's command in that folder, with ptop as $PTOP. */
static void
run_shell(struct run_result *r, const char *command)
{
	char script[512];
	char *argv[] = { "sh", "-c", script, NULL };

	snprintf(script, sizeof(script), "cd %s && %s", dir, command);
	run_program(r, WHOLE_S, argv);
}

static void
assert_runs(const char *command)
{
	struct run_result r;

	run_shell(&r, command);
	if (r.status != 0)
		fail_msg("%s: status %#x, %s", command, (unsigned)r.status, r.err);
	run_release(&r);
}

/* It is there, the caller's alone, and has no other name; then it is removed. */
static void
take_private(const char *name)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (stat(path, &st) != 0)
		fail_msg("there is no %s", path);
	assert_int_equal(st.st_uid, CALLER);
	assert_int_equal(st.st_gid, CALLER);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_nlink, 1);
	assert_that(st.st_size, >, 0);
	assert_int_equal(unlink(path), 0);
}

static int
begin(void **state)
{
	char path[300], ptop[4096];

	(void)state;
	if (geteuid() != 0)
		return 0;
	if (!setting_take(&links, "/proc/sys/fs/protected_hardlinks") || mkdtemp(dir) == NULL ||
	    chmod(dir, 0755) < 0 || realpath(run_ptop(), ptop) == NULL)
		return -1;
	setting_set(&links, 1);
	load = run_load("hot");
	setenv("PTOP", ptop, 1);
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "12345", 1);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i].name);
		if (mkdir(path, 0700) < 0 || chown(path, folders[i].owner, folders[i].owner) < 0 ||
		    chmod(path, folders[i].mode) < 0)
			return -1;
	}
	return 0;
}

static int
end(void **state)
{
	struct run_result r;

	(void)state;
	if (geteuid() != 0)
		return 0;
	setting_give_back(&links);
	run_end(load);
	run_program(&r, WHOLE_S, (char *[]){ "rm", "-rf", dir, NULL });
	run_release(&r);
	return 0;
}

/* ---- */

static void
under_sudo_a_report_of_each_format_is_its_callers(void **state)
{
	char command[256], name[64];

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		for (size_t k = 0; k < ARRAY_SIZE(endings); k++) {
			snprintf(name, sizeof(name), "%s/out.%s", folders[i].name, endings[k]);
			snprintf(command, sizeof(command),
				 "$PTOP -b -n 1 -d 0.1 -e cpu-clock -o %s", name);
			assert_runs(command);
			take_private(name);
		}
}

static void
under_sudo_a_report_of_a_command_a_recording_or_counters_is_its_callers(void **state)
{
	static const struct {
		const char *options, *command;
	} ways[] = {
		{ "-b -e cpu-clock", "-- true" },
		{ "-b -i own/perf.data", "" },
		{ "-b -n 1 -d 0.1 -V counters -p $$ -e task-clock", "" },
		{ "-b -n 2 -d 0.1 -e cpu-clock", "" }, /* several in one file */
		{ "-i own/perf.data --dump", "" },
	};
	char command[256], name[64];

	(void)state;
	need_root();
	assert_runs("$PTOP -b -n 1 -d 0.1 -e cpu-clock -r own/perf.data >own/none");
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		for (size_t k = 0; k < ARRAY_SIZE(ways); k++) {
			snprintf(name, sizeof(name), "%s/out.csv", folders[i].name);
			for (int force = 0; force < 2; force++) {
				snprintf(command, sizeof(command), "$PTOP %s -o %s %s %s",
					 ways[k].options, name, force ? "--force" : "",
					 ways[k].command);
				assert_runs(command);
			}
			take_private(name);
		}
	take_private("own/perf.data");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(under_sudo_a_report_of_each_format_is_its_callers),
		cmocka_unit_test(
			under_sudo_a_report_of_a_command_a_recording_or_counters_is_its_callers),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
