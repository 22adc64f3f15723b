/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that are asked for by attribute, or for a file: written, read by perf, told on the screen. */
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "base/util.h"

enum { PATIENCE_S = 60, NAPS = 50, OTHER_WAITS_MAX = 10 };

static int
count_lines(const char *text, const char *begin, const char *also)
{
	int n = 0;

	for (const char *line = text; line != NULL && *line != '\0';) {
		const char *end = strchr(line, '\n'), *found = strstr(line, also);

		n += strncmp(line, begin, strlen(begin)) == 0 && found != NULL &&
		     (end == NULL || found < end);
		line = end != NULL ? end + 1 : NULL;
	}
	return n;
}

/* ptop -r on a command, with @attr; the name of the file, to be removed. */
static void
record_command(char *file, const char *attr, const char *event, char *const command[])
{
	char *argv[24] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-b",
			   (char *)(uintptr_t)"--force", (char *)(uintptr_t)"-r", file,
			   (char *)(uintptr_t)"-e", (char *)(uintptr_t)event,
			   (char *)(uintptr_t)"--attr", (char *)(uintptr_t)attr,
			   (char *)(uintptr_t)"--" };
	struct run_result r;
	int fd = mkstemp(file);

	assert_that(fd, >=, 0);
	close(fd);
	for (size_t i = 0; command[i] != NULL; i++)
		argv[10 + i] = command[i];
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	run_release(&r);
}

static void
dump(struct run_result *r, char *file)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i", file,
			 (char *)(uintptr_t)"--dump", NULL };

	run_program(r, PATIENCE_S, argv);
	assert_int_equal(r->status, 0);
}

/* How many lines of what perf script prints with @option hold @text; -1: there is no perf. */
static int
perf_lines(const char *file, const char *option, const char *text)
{
	char command[256], line[32] = "";
	FILE *p;

	if (system("perf --version >/dev/null 2>&1") != 0) {
		print_message("# no perf to compare with\n");
		return -1;
	}
	snprintf(command, sizeof(command), "perf script -f -i %s %s 2>/dev/null | grep -c %s", file,
		 option, text);
	p = popen(command, "r");
	assert_non_null(p);
	assert_non_null(fgets(line, sizeof(line), p));
	pclose(p);
	return atoi(line);
}

/* What the page of messages says of the file, when that was read: the page is as it was asked for. */
static void
messages_say(struct screen *s, char *file, const char *text)
{
	screen_start(s, 120, 40, ARGS((char *)(uintptr_t)"-i", file), NULL);
	sees(s, "FILE ");
	for (int ms = 0; ms < SOON_MS; ms += 500) {
		keys(s, "!");
		if (pty_wait_text(s->p, text, 500))
			break;
		keys(s, "\033");
	}
	sees(s, text);
	keys(s, "\033");
	leave(s);
}

static void
each_sleep_is_a_switch_in_the_file(void **state)
{
	char file[] = "/tmp/ptop-records-XXXXXX", load[] = "tests/loads/exact", mode[] = "naps";
	char told[64];
	struct screen *s = *state;
	struct run_result r;
	int all, out, perf;

	need_root();
	record_command(file, "context_switch=1", "page-faults", ARGS(load, mode));
	dump(&r, file);
	all = count_lines(r.out, "switch ", "");
	out = count_lines(r.out, "switch ", "out=1 preempt=0");
	run_release(&r);
	perf = perf_lines(file, "--show-switch-events", "PERF_RECORD_SWITCH");
	snprintf(told, sizeof(told), "switches between tasks: %d", all);
	messages_say(s, file, told);
	unlink(file);
	if (perf >= 0)
		assert_int_equal(all, perf);
	/* It may wait for its own file's pages as well. */
	assert_in_range(out, NAPS, NAPS + OTHER_WAITS_MAX);
}

static void
children_leave_their_counts_in_the_file(void **state)
{
	char file[] = "/tmp/ptop-records-XXXXXX", sh[] = "sh", c[] = "-c";
	char script[] = "/bin/true; /bin/true; :";
	struct screen *s = *state;
	struct run_result r;
	int all, perf;

	need_root();
	record_command(file, "inherit_stat=1", "page-faults", ARGS(sh, c, script));
	dump(&r, file);
	all = count_lines(r.out, "read ", "read=[");
	run_release(&r);
	perf = perf_lines(file, "-D", "PERF_RECORD_READ");
	messages_say(s, file, "final counts of ended tasks: ");
	unlink(file);
	if (perf >= 0)
		assert_int_equal(all, perf);
	/* Two children, each for every CPU. */
	assert_int_equal(all, 2 * sysconf(_SC_NPROCESSORS_ONLN));
}

static void
namespaces_and_changes_of_code_are_asked_for_in_a_file(void **state)
{
	char file[] = "/tmp/ptop-records-XXXXXX", sh[] = "sh", c[] = "-c", script[] = "/bin/true; :";
	struct run_result r;
	int all, asked;

	(void)state;
	need_root();
	record_command(file, "exclude_kernel=1", "page-faults", ARGS(sh, c, script));
	dump(&r, file);
	all = count_lines(r.out, "namespaces ", "");
	run_release(&r);
	asked = perf_lines(file, "-D --header", "text_poke");
	unlink(file);
	assert_that(all, >, 0);
	if (asked >= 0)
		assert_that(asked, >, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(each_sleep_is_a_switch_in_the_file),
		screen_test(children_leave_their_counts_in_the_file),
		screen_test(namespaces_and_changes_of_code_are_asked_for_in_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
