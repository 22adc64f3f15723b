/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen says above its rows to users of whom the kernel lets less than all be measured. */
#include "tests/paranoid.h"
#include "tests/person.h"
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "live/rights.h"

enum { WIDTH = 240, HEIGHT = 30, START_MS = 30000 };

static char *dir;

static int
begin(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return 0;
	dir = person_folder();
	return dir != NULL && paranoid_take() ? 0 : -1;
}

static int
end(void **state)
{
	(void)state;
	paranoid_give_back();
	person_folder_remove(dir);
	return 0;
}

/* ptop as @who, with a load of that user's beside it. */
static void
start(struct screen *s, const char *who, int level)
{
	char ptop[256], script[1024];

	if (dir == NULL) {
		print_message("# skipped: not root\n");
		skip();
	}
	snprintf(ptop, sizeof(ptop), "%s/ptop", dir);
	snprintf(script, sizeof(script), "%s/mine & load=$!; %s; kill $load", dir, ptop);
	paranoid_set(level);
	screen_run(s, WIDTH, HEIGHT, person_call(who, ARGS("sh", "-c", script)), NULL);
	assert_true(pty_wait_match(s->p, " %CPU ", START_MS));
}

static void
nobody_is_told_what_is_missing_and_what_would_give_it(void **state)
{
	struct screen *s = *state;

	start(s, "nobody", 2);
	sees_match(s, "^ ! only your own processes: perf_event_paranoid is 2: run as root, or: "
		   "sudo setcap cap_perfmon,[a-z_,]*\\+ep");
	sees_match(s, "^ ! kernel samples are off: perf_event_paranoid is 2; for them: "
		   "sudo sysctl kernel.perf_event_paranoid=1");
	sees_match(s, "cpu-clock:u");
	sees_match(s, "nobody .* [0-9.]+ .*mine");
	leave(s);
}

static void
a_level_that_allows_all_is_nothing_to_tell_of(void **state)
{
	struct screen *s = *state;

	start(s, "nobody", -1);
	sees_match(s, "nobody .* [0-9.]+ .*mine");
	sees_no(s, "only your own");
	sees_no(s, "kernel samples are off");
	sees_no(s, "cpu-clock:u");
	leave(s);
}

static void
with_cap_perfmon_the_level_does_not_matter(void **state)
{
	struct screen *s = *state;
	char path[256];

	if (dir != NULL) {
		snprintf(path, sizeof(path), "%s/ptop", dir);
		assert_true(person_set_file_caps(path, 1ULL << CAP_NR_PERFMON));
	}
	start(s, "nobody", 2);
	person_drop_file_caps(path);
	sees_match(s, "nobody .* [0-9.]+ .*mine");
	sees_no(s, "only your own");
	sees_no(s, "kernel samples are off");
	leave(s);
}

static void
root_of_a_user_namespace_is_told_to_go_outside(void **state)
{
	struct screen *s = *state;

	start(s, "user-ns", 2);
	sees_match(s, "^ ! only your own processes: capabilities of a user namespace do not count, "
		   "and perf_event_paranoid is 2: run ptop outside of the container");
	sees_match(s, "root .* [0-9.]+ .*mine");
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

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		screen_test(nobody_is_told_what_is_missing_and_what_would_give_it),
		screen_test(a_level_that_allows_all_is_nothing_to_tell_of),
		screen_test(with_cap_perfmon_the_level_does_not_matter),
		screen_test(root_of_a_user_namespace_is_told_to_go_outside),
		screen_test(without_the_system_call_the_processes_are_shown),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, begin, end);
}
