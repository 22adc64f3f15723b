/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has changed: in four keys from a change to what was before and after, live, in a recording of
 * two phases, and between two recordings.  The live one takes a minute: half of it tells what is usual.
 */
#include "tests/csv.h"
#include "tests/gaps.h"
#include "tests/screen_fixture.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { STEP_MS = 10, USUAL_S = 26, BATCH_S = 60 };

static void
make_file(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
}

/* p1 has all of it, until p2 has. */
static void
two_phases(char *path, unsigned before_s, unsigned after_s)
{
	const uint64_t step_ns = STEP_MS * NSEC_PER_MSEC;

	make_file(path);
	gaps_write(path, (struct gaps_part[]){
		{ 1, before_s * 100, NSEC_PER_SEC, step_ns, true },
		{ 2, after_s * 100, (1 + before_s) * NSEC_PER_SEC, step_ns, false } }, 2);
}

static void
one_phase(char *path, uint32_t pid)
{
	make_file(path);
	gaps_write(path, (struct gaps_part[]){ { pid, 3000, NSEC_PER_SEC, STEP_MS * NSEC_PER_MSEC,
						 false } }, 1);
}

static void
a_recording_of_two_phases_tells_when_it_changed_and_what(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	two_phases(path, 60, 30);
	screen_start(s, 120, 24, ARGS("-i", path), NULL);
	sees_match(s, "! 3[01] s ago: .*(9[0-9]|100)\\.[0-9] points p[12]");
	keys(s, "C");
	sees_match(s, " (59|60)\\.[0-9] s  [+-](9[0-9]|100)\\.[0-9] points p[12]");
	sees(s, "of all");
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "=");
	sees(s, "before what changed");
	keys(s, "\r");
	sees_match(s, "0\\.0 +100\\.0 +-100\\.0 .*gone .*p1");
	sees_match(s, "100\\.0 +0\\.0 +\\+100\\.0 .*new .*p2");
	leave(s);
	unlink(path);
}

static void
two_recordings_are_shown_side_by_side(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	struct screen *s = *state;

	one_phase(old, 1);
	one_phase(new, 2);
	screen_start(s, 120, 24, ARGS("-i", new, "--diff", old), NULL);
	sees_match(s, "0\\.0 +100\\.0 +-100\\.0 .*gone .*p1");
	sees_match(s, "100\\.0 +0\\.0 +\\+100\\.0 .*new .*p2");
	sees(s, "THEN /tmp/ptop-old-");
	keys(s, "=");
	sees(s, "the window alone");
	keys(s, "\033[B\033[B\033[B\r");
	leave(s);
	unlink(old);
	unlink(new);
}

static void
reports_of_two_recordings_have_columns_for_it(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-i", new, "--diff", old, "--format", "csv", NULL };
	struct run_result r;
	struct csv csv;
	int rows = 0;

	(void)state;
	one_phase(old, 1);
	two_phases(new, 20, 20);
	run_program(&r, BATCH_S, argv);
	assert_int_equal(r.status, 0);
	for (csv_init(&csv, r.out); csv_next(&csv); rows++) {
		bool is_new = strcmp(csv_field(&csv, "comm"), "p2") == 0;

		assert_true(fabs(csv_number(&csv, "now") - 50) < 0.1);
		assert_true(fabs(csv_number(&csv, "then") - (is_new ? 0 : 100)) < 0.1);
		assert_true(fabs(csv_number(&csv, "delta") - (is_new ? 50 : -50)) < 0.1);
		assert_true(csv_number(&csv, "low") <= csv_number(&csv, "delta"));
		assert_true(csv_number(&csv, "high") >= csv_number(&csv, "delta"));
	}
	assert_int_equal(rows, 2);
	csv_release(&csv);
	run_release(&r);
	unlink(old);
	unlink(new);
}

static void
folded_stacks_have_two_counts(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-i", new, "--diff", old, "--format", "folded", NULL };
	struct run_result r;

	(void)state;
	one_phase(old, 1);
	two_phases(new, 20, 10);
	run_program(&r, BATCH_S, argv);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "p1;"));
	assert_non_null(strstr(r.out, " 3000 2000\n"));
	assert_non_null(strstr(r.out, " 0 1000\n"));
	run_release(&r);
	unlink(old);
	unlink(new);
}

static void
a_file_that_is_none_is_refused(void **state)
{
	char new[] = "/tmp/ptop-new-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-b", "-i", new, "--diff", "/etc/passwd", NULL };
	struct run_result r;

	(void)state;
	one_phase(new, 1);
	run_program(&r, BATCH_S, argv);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "--diff"));
	run_release(&r);
	unlink(new);
}

/* What COMMAND runs is all that is sampled: what else the machine does changes no share. */
static void
a_load_that_begins_is_told_and_compared(void **state)
{
	static char load[] = "timeout 100 tests/loads/threads & sleep 26; "
			     "timeout 70 tests/loads/hot & timeout 70 tests/loads/hot; wait";
	struct screen *s = *state;

	screen_start(s, 120, 30, ARGS("-e", "cpu-clock", "-w", "10", "--", "sh", "-c", load), NULL);
	sees(s, "threads");
	sleep(USUAL_S);
	sees_match(s, "s ago: .* points .*hot.*C: what changed");
	keys(s, "C");
	sees_match(s, "s  \\+[0-9.]+ points hot");
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "=");
	sees(s, "before what changed");
	keys(s, "\r");
	sees_match(s, "THEN");
	sees_match(s, " 0\\.0 +\\+[0-9.]+ .*hot");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_recording_of_two_phases_tells_when_it_changed_and_what),
		screen_test(two_recordings_are_shown_side_by_side),
		cmocka_unit_test(reports_of_two_recordings_have_columns_for_it),
		cmocka_unit_test(folded_stacks_have_two_counts),
		cmocka_unit_test(a_file_that_is_none_is_refused),
		screen_test(a_load_that_begins_is_told_and_compared),
	};

	return cmocka_run_group_tests_name("screen_diff", tests, NULL, NULL);
}
