/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration that W writes, read by another ptop. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/screen_fixture.h"
#include "tests/rc_folder.h"

#include <config.h>

#ifdef HAVE_INIH

/* From where the view is told on: above it there are times. */
static char *
what_is_shown(struct screen *s)
{
	return strdup(strchr(strstr(pty_screen(s->p), "[Functions]"), '['));
}

static void
what_w_writes_makes_the_same_screen_again(void **state)
{
	char path[] = "/tmp/ptop-test-XXXXXX";
	struct screen *s = *state;
	struct rc_folder rc;
	char *first, *again;
	bool is_same = false;

	screen_recording(path, 200, 10000000);
	rc_folder_make(&rc, NULL);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.config));
	sees(s, "[Processes]");
	keys(s, "\t\t%I");
	sees(s, "[Functions]");
	sees(s, "% of all");
	keys(s, "W");
	sees(s, "written to ");
	keys(s, "\033[H"); /* Home: the line goes at the next key */
	sees_no(s, "written to ");
	first = what_is_shown(s);
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.config));
	sees(s, "[Functions]");
	sees(s, "FILE "); /* it is read to its end */
	for (int i = 0; i < 300 && !is_same; i++) {
		again = what_is_shown(s);
		is_same = strcmp(again, first) == 0;
		free(again);
		pty_run(s->p, is_same ? 0 : 100);
	}
	if (!is_same)
		fail_msg("it was\n%s\nand is\n%s", first, pty_screen(s->p));
	leave(s);
	free(first);
	unlink(path);
	rc_folder_remove(&rc);
}

/* Another day there are other rights: what was left out is to be told then, too. */
static void
the_event_is_written_if_the_user_chose_it(void **state)
{
	struct screen *s = *state;
	struct rc_folder rc;
	char text[512];

	rc_folder_make(&rc, "");
	screen_start(s, 120, 24, ARGS(), ENV(rc.config));
	sees_match(s, " event [a-z]");
	keys(s, "W");
	sees(s, "nothing is written");
	keys(s, "d0.5\r");
	sees(s, "refreshing every 0.5 s");
	keys(s, "W");
	sees(s, "written to ");
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_null(strstr(text, "event"));
	keys(s, "epage-faults\r");
	sees(s, " event page-faults");
	keys(s, "W");
	sees(s, "written to ");
	leave(s);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_non_null(strstr(text, "\nevent = page-faults\n"));
	screen_start(s, 120, 24, ARGS((char *)"-e", (char *)"task-clock/name=mine/,page-faults"), ENV(rc.config));
	sees(s, " event mine");
	keys(s, "W");
	sees(s, "written to ");
	leave(s);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_non_null(strstr(text, "\nevent = task-clock/name=mine/,page-faults\n"));
	rc_folder_remove(&rc);
}

/* Unless that is switched off, or another is asked for. */
static void
the_view_of_last_time_is_that_of_the_next(void **state)
{
	char path[] = "/tmp/ptop-test-XXXXXX";
	struct screen *s = *state;
	struct rc_folder rc;

	screen_recording(path, 200, 10000000);
	rc_folder_make(&rc, NULL);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.state));
	sees(s, "[Processes]");
	keys(s, "\t");
	sees(s, "[Threads]");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.state));
	sees(s, "as last time: view threads (key v)");
	sees(s, "[Threads]");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path, (char *)"-V", (char *)"users"), ENV(rc.state));
	sees(s, "[Users]");
	sees(s, "FILE ");
	sees_no(s, "as last time");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path, (char *)"--no-config"), ENV(rc.state));
	sees(s, "[Processes]");
	leave(s);
	unlink(path);
	rc_folder_remove(&rc);
}

/* What is hot now is to be seen without a key, however deep the last question led. */
static void
stacks_are_left_with_the_session(void **state)
{
	char path[] = "/tmp/ptop-test-XXXXXX";
	struct screen *s = *state;
	struct rc_folder rc;
	char text[256];

	screen_recording(path, 200, 10000000);
	rc_folder_make(&rc, NULL);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.state));
	sees(s, "[Processes]");
	keys(s, "\t");
	sees(s, "[Threads]");
	keys(s, "t");
	sees(s, "[Call tree]");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.state));
	sees(s, "[Threads]"); /* from which the tree was opened */
	leave(s);
	/* As ptop once wrote it. */
	rc_folder_write(&rc, "last", "[options]\nview = tree\nsort = pid\n");
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.state));
	sees(s, "[Processes]");
	sees(s, "as last time: sort pid (key F6)");
	leave(s);
	rc_folder_read(&rc, "last", text, sizeof(text));
	assert_non_null(strstr(text, "view = tree"));
	/* Who writes it into the configuration means it. */
	rc_folder_write(&rc, "ptoprc", "[options]\nview = tree\n");
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.config, rc.state));
	sees(s, "[Call tree]");
	leave(s);
	unlink(path);
	rc_folder_remove(&rc);
}

/* As a session ends in which the recording was compared, and was not any more. */
static void
the_order_of_a_comparison_ends_with_it(void **state)
{
	char path[] = "/tmp/ptop-test-XXXXXX", text[256];
	struct screen *s = *state;
	struct rc_folder rc;

	screen_recording(path, 200, 10000000);
	rc_folder_make(&rc, NULL);
	screen_start(s, 120, 24, ARGS((char *)"-i", path, (char *)"--diff", path), ENV(rc.state));
	sees(s, "DELTA");
	keys(s, "=");
	sees(s, "the window alone");
	keys(s, "\033[B\033[B\033[B\r");
	sees_no(s, "DELTA");
	leave(s);
	rc_folder_read(&rc, "last", text, sizeof(text));
	assert_null(strstr(text, "delta"));
	/* As ptop once wrote it. */
	rc_folder_write(&rc, "last", "[options]\nsort = delta\n");
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(rc.state));
	sees(s, "[Processes]");
	sees(s, "FILE ");
	sees_no(s, "as last time");
	leave(s);
	unlink(path);
	rc_folder_remove(&rc);
}

static void
processes_have_the_columns_of_htop(void **state)
{
	char pid[16], line[160];
	struct screen *s = *state;
	struct rc_folder rc;
	int nice;

	rc_folder_make(&rc, "[options]\nevent = cpu-clock\n[columns]\nprocesses = pid ppid priority "
		       "nice task-state rss memory cpu-time start cgroup command\n");
	screen_load(s, "hot");
	nice = getpriority(PRIO_PROCESS, (id_t)s->loads[0]);
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 24, ARGS((char *)"-p", pid), ENV(rc.config));
	sees_match(s, "PID +PPID +PRI +NI +S +RSS +MEM% .*TIME[+] +START +CGROUP +COMMAND");
	snprintf(line, sizeof(line), " %s +%d +%d +%d +R +[0-9.]+[KM] +[0-9.]+ +[0-9]+:[0-9][0-9][.][0-9][0-9] +"
		 "[0-9A-Za-z:]+ +[/-].* .*hot", pid, (int)getpid(), 20 + nice, nice);
	sees_match(s, line);
	leave(s);
	rc_folder_remove(&rc);
}

/* It leaves out rows that nobody sees are missing; one that the command names is known. */
static void
a_report_says_that_the_configuration_filters_it(void **state)
{
	static const char said[] = "ptop: the configuration filters by 'comm=nobody' (--filter '': not this time)\n";
	static char *const given[] = { "--hide-kernel", "--filter=", "--filter=comm=me", "--list" };
	struct rc_folder rc;

	(void)state;
	rc_folder_make(&rc, "[options]\nfilter = comm=nobody\n");
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		char *argv[] = { "/usr/bin/env", rc.config, (char *)run_ptop(), "-b", "-n", "1", "-d", "0.2",
				 "-e", "cpu-clock", given[i], NULL };
		struct run_result r;

		run_program(&r, 60, argv);
		assert_int_equal(r.status, 0);
		assert_int_equal(strstr(r.err, said) != NULL, i == 0);
		run_release(&r);
	}
	rc_folder_remove(&rc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(the_order_of_a_comparison_ends_with_it),
		screen_test(a_report_says_that_the_configuration_filters_it),
		screen_test(processes_have_the_columns_of_htop),
		screen_test(what_w_writes_makes_the_same_screen_again),
		screen_test(the_event_is_written_if_the_user_chose_it),
		screen_test(the_view_of_last_time_is_that_of_the_next),
		screen_test(stacks_are_left_with_the_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int
main(void)
{
	puts("1..0 # SKIP built without inih");
	return 0;
}

#endif
