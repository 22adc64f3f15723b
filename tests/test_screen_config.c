/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration that W writes, read by another ptop. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/screen_fixture.h"

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
	char path[] = "/tmp/ptop-test-XXXXXX", folder[] = "/tmp/ptop-test-XXXXXX", env[64], rm[64];
	struct screen *s = *state;
	char *first, *again;
	bool is_same = false;

	screen_recording(path, 200, 10000000);
	assert_non_null(mkdtemp(folder));
	snprintf(env, sizeof(env), "XDG_CONFIG_HOME=%s", folder);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(env));
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
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(env));
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
	snprintf(rm, sizeof(rm), "rm -rf %s", folder);
	assert_int_equal(system(rm), 0);
}

/* Unless that is switched off, or another is asked for. */
static void
the_view_of_last_time_is_that_of_the_next(void **state)
{
	char path[] = "/tmp/ptop-test-XXXXXX", folder[] = "/tmp/ptop-test-XXXXXX", env[64], rm[64];
	struct screen *s = *state;

	screen_recording(path, 200, 10000000);
	assert_non_null(mkdtemp(folder));
	snprintf(env, sizeof(env), "XDG_STATE_HOME=%s", folder);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(env));
	sees(s, "[Processes]");
	keys(s, "\t");
	sees(s, "[Threads]");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path), ENV(env));
	sees(s, "[Threads]");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path, (char *)"-V", (char *)"users"), ENV(env));
	sees(s, "[Users]");
	leave(s);
	screen_start(s, 120, 24, ARGS((char *)"-i", path, (char *)"--no-config"), ENV(env));
	sees(s, "[Processes]");
	leave(s);
	unlink(path);
	snprintf(rm, sizeof(rm), "rm -rf %s", folder);
	assert_int_equal(system(rm), 0);
}

static void
write_configuration(const char *folder, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/ptop", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/ptoprc");
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

static void
processes_have_the_columns_of_htop(void **state)
{
	char folder[] = "/tmp/ptop-test-XXXXXX", env[64], rm[64], pid[16], line[160];
	struct screen *s = *state;

	assert_non_null(mkdtemp(folder));
	write_configuration(folder, "[options]\nevent = cpu-clock\n[columns]\nprocesses = pid ppid priority "
			    "nice task-state rss memory cpu-time start cgroup command\n");
	snprintf(env, sizeof(env), "XDG_CONFIG_HOME=%s", folder);
	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 24, ARGS((char *)"-p", pid), ENV(env));
	sees_match(s, "PID +PPID +PRI +NI +S +RSS +MEM% .*TIME[+] +START +CGROUP +COMMAND");
	snprintf(line, sizeof(line), " %s +%d +20 +0 +R +[0-9.]+[KM] +[0-9.]+ +[0-9]+:[0-9][0-9][.][0-9][0-9] +"
		 "[0-9A-Za-z:]+ +[/-].* .*hot", pid, (int)getpid());
	sees_match(s, line);
	leave(s);
	snprintf(rm, sizeof(rm), "rm -rf %s", folder);
	assert_int_equal(system(rm), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(processes_have_the_columns_of_htop),
		screen_test(what_w_writes_makes_the_same_screen_again),
		screen_test(the_view_of_last_time_is_that_of_the_next),
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
