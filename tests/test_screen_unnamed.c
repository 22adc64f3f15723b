/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that has no name, on the real kernel: that ptop says why, in a report and on the screen. */
#include <config.h>

#include "tests/asserts.h"
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/skip.h"

enum { PATIENCE_S = 60, PATH_LEN = 128, PIDS_LEN = 48, LINE_LEN = 1024 };

/* A stripped static program, a stripped one that is deleted, code in anonymous memory. */
struct nameless {
	struct screen screen; /* first: the fixture's own state */
	char dir[64], pids[PIDS_LEN];
};

static int
setup(void **state)
{
	struct nameless *n = mem_calloc(1, sizeof(*n));

	*state = n;
	strcpy(n->dir, "/tmp/ptop-unnamed-XXXXXX");
	return mkdtemp(n->dir) != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	struct nameless *n = *state;
	char command[PATH_LEN];

	snprintf(command, sizeof(command), "rm -rf '%s'", n->dir);
	if (system(command) != 0)
		return -1;
	return screen_teardown(state);
}

static void
compile(const struct nameless *n, const char *name, const char *flags)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cd '%s' && echo 'int main(void) { for (volatile int n = 0;; n++) ; }' > a.c && "
		 "cc -O1 -s -Wl,--build-id %s -o %s a.c 2>/dev/null", n->dir, flags, name);
	if (system(command) == 0)
		return;
	skip_for("cc %s does not make a program here", flags);
}

static pid_t
start(const struct nameless *n, const char *name)
{
	char path[PATH_LEN];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%s", n->dir, name);
	pid = run_background(path);
	assert_that(pid, >, 0);
	return pid;
}

static void
start_all(struct nameless *n)
{
	struct screen *s = &n->screen;
	char path[PATH_LEN];

	if (geteuid() != 0)
		skip_for("sampling every CPU needs root here");
	compile(n, "still", "-static");
	compile(n, "gone", "");
	s->loads[0] = start(n, "still");
	s->loads[1] = start(n, "gone");
	s->loads[2] = run_load("anon");
	assert_that(s->loads[2], >, 0);
	snprintf(path, sizeof(path), "%s/gone", n->dir);
	assert_int_equal(unlink(path), 0);
	snprintf(n->pids, sizeof(n->pids), "%d,%d,%d", (int)s->loads[0], (int)s->loads[1],
		 (int)s->loads[2]);
}

static void
report(const struct nameless *n, const char *format, struct run_result *r)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "--budget", "off", "-n", "1", "-d", "2",
			 "--view", "unnamed", "--format", (char *)(uintptr_t)format, "-p",
			 (char *)(uintptr_t)n->pids, NULL };

	run_program(r, PATIENCE_S, argv);
	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
}

/* The line of the report that begins with @start. */
static void
line_of(const char *out, const char *start, char line[LINE_LEN])
{
	for (; *out != '\0'; out += strcspn(out, "\n") + 1) {
		if (strncmp(out, start, strlen(start)) == 0) {
			snprintf(line, LINE_LEN, "%.*s", (int)strcspn(out, "\n"), out);
			return;
		}
		if (strchr(out, '\n') == NULL)
			break;
	}
	fail_msg("no row begins with '%s'", start);
}

static void
assert_holds(const char *line, const char *part)
{
	if (strstr(line, part) == NULL)
		fail_msg("'%s' is not in '%s'", part, line);
}

/* The build-id, which stands behind the path, is told in reason and remedy too. */
static void
assert_stripped(const char *line)
{
	char id[41] = "", text[96];
	const char *path = strchr(line, ','), *at = path != NULL ? strchr(path + 1, ',') : NULL;

	assert_non_null(at);
	snprintf(id, sizeof(id), "%s", at + 1);
	assert_int_equal(strspn(id, "0123456789abcdef"), 40);
	snprintf(text, sizeof(text), "stripped, no debug file for build-id %s", id);
	assert_holds(line, text);
	snprintf(text, sizeof(text), "debuginfod-find debuginfo %s", id);
	assert_holds(line, text);
}

static void
a_report_tells_file_build_id_reason_and_remedy(void **state)
{
	struct nameless *n = *state;
	char line[LINE_LEN];
	struct run_result r;

	start_all(n);
	report(n, "csv", &r);
	line_of(r.out, "dso,path,build_id,source,reason,remedy,samples,period,percent", line);
	line_of(r.out, "still,", line);
	assert_holds(line, n->dir);
	assert_stripped(line);
	line_of(r.out, "gone,", line);
	assert_holds(line, "/gone (deleted),");
	assert_stripped(line);
	line_of(r.out, "[JIT] tid ", line);
	assert_holds(line, "JIT");
	run_release(&r);
}

#ifdef HAVE_JANSSON

static void
named_and_unnamed_samples_are_all_samples(void **state)
{
	static const char member[] = "\"samples\":";
	struct nameless *n = *state;
	long all, sum = 0;
	struct run_result r;
	const char *at;

	start_all(n);
	report(n, "json", &r);
	/* First those of the event, then, behind those of its CPUs, those of each row and sum. */
	at = strstr(r.out, member);
	assert_non_null(at);
	all = strtol(at + strlen(member), NULL, 10);
	at = strstr(at, "\"rows\":");
	assert_non_null(at);
	while ((at = strstr(at, member)) != NULL) {
		at += strlen(member);
		sum += strtol(at, NULL, 10);
	}
	assert_that(all, >, 20);
	assert_int_equal(sum, all);
	run_release(&r);
}

#endif

/* Selects the row that holds @text. */
static void
select_row(struct screen *s, const char *text)
{
	keys(s, "/");
	keys(s, text);
	keys(s, "\r");
	pty_settle(s->p, 100, SOON_MS);
}

static void
the_screen_says_why_and_goes_into_the_pages(void **state)
{
	static const struct {
		int width, height;
	} sizes[] = { { 80, 24 }, { 160, 50 } };
	struct nameless *n = *state;
	struct screen *s = &n->screen;

	start_all(n);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		screen_start(s, sizes[i].width, sizes[i].height,
			     ARGS("--view", "unnamed", "-p", n->pids), NULL);
		sees(s, "[Unnamed]");
		sees_match(s, "still +stripped, no debug");
		sees_match(s, "gone +stripped, no debug");
		sees_match(s, "\\[JIT\\] tid [0-9]+ +[a-z]+ [a-z]+");
		select_row(s, "gone");
		keys(s, "i");
		sees(s, "/gone (deleted)");
		sees_match(s, "no name +stripped, no debug file for build-id");
		sees_match(s, "mended by +use a build that is not stripped");
		sees(s, "debuginfod-find debuginfo");
		keys(s, "\033");
		sees(s, "[Unnamed]");
		keys(s, "\r");
		sees(s, "> gone");
		sees_match(s, "^\\? .* gone\\+0x[0-9a-f]+ +gone");
		keys(s, "\r"); /* nothing is further in but why */
		sees(s, "About this row");
#ifdef HAVE_LIBDW
		sees(s, "unwind tables");
#else
		sees(s, "all of its page");
#endif
		keys(s, "\033\033");
		sees(s, "[Unnamed]");
		keys(s, "!");
		sees(s, "without a name: ");
		sees_match(s, "% \\[JIT\\] tid [0-9]+: [a-z]+ [a-z]+");
		keys(s, "\033");
		leave(s);
	}
}

static void
the_smallest_screen_says_it_too(void **state)
{
	struct nameless *n = *state;
	struct screen *s = &n->screen;

	start_all(n);
	screen_start(s, 20, 5, ARGS("--view", "unnamed", "-p", n->pids), NULL);
	sees_match(s, "^ +[0-9.]+ \\[JIT\\]");
	sees_match(s, "^ +[0-9.]+ still");
	select_row(s, "JIT");
	keys(s, "i");
	sees(s, "About this row");
	sees(s, "no name");
	keys(s, "\033");
	sees(s, "DSO");
	leave(s);
}

#define nameless_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Such a name is in no image, and no record of the kernel's has it. */
static void
a_name_of_a_perf_map_is_told_from_one_of_the_kernels_records(void **state)
{
	struct nameless *n = *state;
	struct screen *s = &n->screen;
	char pid[16];

	/* No child of ptop's: what it leaves in /tmp is removed with it. */
	s->loads[0] = run_load_with("jit", "map", "60");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-V", "functions", "-p", pid), NULL);
	sees_match(s, "^ +[0-9.]+ .* alpha ");
	select_row(s, "alpha");
	keys(s, "i");
	sees(s, "what its runtime wrote");
	keys(s, "\033");
	leave(s);
}

/* It is told by an address, and is no rest of what has rows. */
static void
code_made_at_run_time_is_told_by_its_map(void **state)
{
	struct nameless *n = *state;
	struct screen *s = &n->screen;
	char pid[16];

	s->loads[0] = run_load("anon");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-V", "functions", "-p", pid), NULL);
	sees_match(s, "\\[JIT\\] tid [0-9]+[+]0x[0-9a-f]+");
	select_row(s, "JIT");
	keys(s, "i");
	sees_match(s, "^ address +0x[0-9a-f]+, and all of its map that has no name");
	sees_no(s, "have rows of their own");
	keys(s, "\033");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		nameless_test(a_report_tells_file_build_id_reason_and_remedy),
#ifdef HAVE_JANSSON
		nameless_test(named_and_unnamed_samples_are_all_samples),
#endif
		nameless_test(the_screen_says_why_and_goes_into_the_pages),
		nameless_test(the_smallest_screen_says_it_too),
		nameless_test(a_name_of_a_perf_map_is_told_from_one_of_the_kernels_records),
		nameless_test(code_made_at_run_time_is_told_by_its_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
