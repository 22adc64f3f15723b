/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen does to processes: signals, nice values, CPUs, the user's own commands. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/screen_fixture.h"

#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/rc_folder.h"
#include "tests/skip.h"

#include <config.h>

#define F7 "\033[18~"
#define F8 "\033[19~"
#define F9 "\033[20~"

/* ptop that shows the loads alone, each row with what /proc tells: user, one thread, when it began. */
static void
start_on_loads(struct screen *s, const char *more, const char *const *env)
{
	static char pids[64], wanted[48];
	int len = 0;

	for (int i = 0; i < LOADS_MAX && s->loads[i] != 0; i++)
		len += snprintf(pids + len, sizeof(pids) - (size_t)len, "%s%d", i > 0 ? "," : "",
				(int)s->loads[i]);
	screen_start(s, 120, 24, ARGS((char *)"-p", pids, (char *)"-e", (char *)"cpu-clock",
				      (char *)(uintptr_t)more), env);
	for (int i = 0; i < LOADS_MAX && s->loads[i] != 0; i++) {
		snprintf(wanted, sizeof(wanted), " %d +[^ ]+ +1 .*hot", (int)s->loads[i]);
		sees_match(s, wanted);
	}
}

static void
in_menu(struct screen *s, const char *typed)
{
	keys(s, F9);
	sees(s, "asked to end");
	keys(s, typed);
}

static int
end_of_load(struct screen *s, int i)
{
	int status = -1;

	for (int ms = 0; ms < SOON_MS && waitpid(s->loads[i], &status, WNOHANG) != s->loads[i]; ms += 20)
		pty_run(s->p, 20);
	s->loads[i] = 0;
	return status;
}

/* The line below says it of the first load. */
static void
sees_of_load(struct screen *s, const char *before, const char *after)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%d hot%s", before, (int)s->loads[0], after);
	sees(s, text);
}

static void
a_process_is_ended_in_three_keys_and_only_after_a_yes(void **state)
{
	struct screen *s = *state;
	int status;

	screen_load(s, "hot");
	start_on_loads(s, NULL, NULL);
	sees(s, " F9 Act "); /* it has its place in the footer */
	keys(s, F9);
	sees(s, "asked to end");
	keys(s, "\r");
	sees_of_load(s, "send SIGTERM to ", "? y/N");
	keys(s, "n");
	sees(s, "SIGTERM is not sent");
	assert_int_equal(waitpid(s->loads[0], &status, WNOHANG), 0);
	keys(s, "M\r");
	sees_of_load(s, "send SIGTERM to ", "? y/N");
	keys(s, "\r");
	sees(s, "SIGTERM is not sent");
	assert_int_equal(waitpid(s->loads[0], &status, WNOHANG), 0);
	/* What is typed is an entry, also where its first letter moves. */
	in_menu(s, "kill\r");
	sees_of_load(s, "send SIGKILL to ", "? y/N");
	keys(s, "n");
	sees(s, "SIGKILL is not sent");
	in_menu(s, "\ry");
	sees_of_load(s, "SIGTERM sent to ", "");
	status = end_of_load(s, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	leave(s);
}

static void
any_signal_can_be_chosen_or_typed(void **state)
{
	struct screen *s = *state;
	int status;

	screen_load(s, "hot");
	screen_load(s, "hot");
	start_on_loads(s, NULL, NULL);
	in_menu(s, "jj\r");
	sees(s, "what ^C sends");
	keys(s, "jjj\r");
	sees(s, "send SIGINT to ");
	keys(s, "\033");
	sees(s, "SIGINT is not sent");
	in_menu(s, "jj\r");
	sees(s, "what ^C sends");
	keys(s, "\033[F\r"); /* End: the last */
	sees_match(s, "^signal: *$");
	keys(s, "65\r");
	sees(s, "a number from 1 to 64");
	keys(s, "\b\brtmin+2\r");
	sees(s, "send SIGRTMIN+2 to ");
	keys(s, "\033");
	sees(s, "SIGRTMIN+2 is not sent");
	keys(s, "  ");
	in_menu(s, "j\r");
	sees(s, "send SIGKILL to 2 processes? y/N");
	keys(s, "y");
	sees(s, "SIGKILL sent to 2 processes");
	for (int i = 0; i < 2; i++) {
		status = end_of_load(s, i);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGKILL);
	}
	leave(s);
}

static void
nice_values_are_stepped_and_typed(void **state)
{
	struct screen *s = *state;
	char said[24];
	int nice;

	screen_load(s, "hot");
	nice = getpriority(PRIO_PROCESS, (id_t)s->loads[0]); /* that of the test, as a rule 0 */
	start_on_loads(s, NULL, NULL);
	keys(s, F8);
	snprintf(said, sizeof(said), ": nice value %d", nice + 1);
	sees_of_load(s, "", said);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)s->loads[0]), nice + 1);
	keys(s, F7);
	snprintf(said, sizeof(said), ": nice value %d", nice);
	sees_of_load(s, "", said);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)s->loads[0]), nice);
	in_menu(s, "jjj\r");
	sees_of_load(s, "nice value of ", ", now ");
	keys(s, "20\r");
	sees(s, "a number from -20 to 19");
	keys(s, "\b\b15\r");
	sees_of_load(s, "", ": nice value 15");
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)s->loads[0]), 15);
	leave(s);
}

static void
cpus_are_ticked_and_typed(void **state)
{
	struct screen *s = *state;
	cpu_set_t own, set;
	char list[16];
	int cpu = 0;

	screen_load(s, "hot");
	assert_int_equal(sched_getaffinity(0, sizeof(own), &own), 0);
	if (CPU_COUNT(&own) < 2)
		skip_for("there is one CPU");
	while (!CPU_ISSET(cpu, &own))
		cpu++;
	start_on_loads(s, NULL, NULL);
	sees(s, "cpus ");
	in_menu(s, "jjjj\r");
	sees_of_load(s, "CPUs of ", "");
	sees_match(s, "\\[x\\] CPU 0 .* busy");
	keys(s, "t");
	sees_match(s, "^CPUs: [0-9]");
	keys(s, "\025x\r"); /* ^U */
	sees(s, "numbers of CPUs, as 0-3,5");
	snprintf(list, sizeof(list), "\b%d\r", cpu);
	keys(s, list);
	snprintf(list, sizeof(list), "CPUs %d", cpu);
	sees_of_load(s, "", " may run on ");
	assert_int_equal(sched_getaffinity(s->loads[0], sizeof(set), &set), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(cpu, &set));
	in_menu(s, "jjjj\r");
	sees(s, "[ ] CPU");
	keys(s, "a\r");
	sees_of_load(s, "", " may run on CPUs ");
	sched_getaffinity(s->loads[0], sizeof(set), &set);
	assert_true(CPU_EQUAL(&set, &own));
	leave(s);
}

static void
nothing_is_done_with_read_only(void **state)
{
	static const char *const acts[] = { F7, F8, F9, "J" };
	struct screen *s = *state;
	pid_t pids[FAMILY_MAX];
	size_t n;

	screen_load(s, "hot");
	start_on_loads(s, "--read-only", NULL);
	n = family_find(pty_pid(s->p), pids);
	for (size_t i = 0; i < n; i++)
		assert_false(family_is_called(pids[i], "ptop-broker"));
	sees_no(s, "F9 Act");
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
		keys(s, acts[i]);
		sees(s, "--read-only: nothing is done to processes");
		sees_no(s, "Enter Take");
		keys(s, "j"); /* ends what was said */
		sees_no(s, "--read-only");
	}
	keys(s, "k");
	sees(s, "htop's k, kill, or signal: --read-only: nothing is done to processes");
	assert_int_equal(waitpid(s->loads[0], NULL, WNOHANG), 0);
	leave(s);
}

#ifdef HAVE_INIH

static void
start_with_commands(struct screen *s, struct rc_folder *rc, const char *commands)
{
	char text[512];

	snprintf(text, sizeof(text), "[actions]\n%s", commands);
	rc_folder_make(rc, text);
	screen_load(s, "hot");
	start_on_loads(s, NULL, ENV(rc->config));
}

static void
a_command_of_the_configuration_has_the_terminal(void **state)
{
	struct screen *s = *state;
	char lame[] = "/tmp/ptop-lame-XXXXXX", commands[256], text[64];
	int fd = mkstemp(lame);
	struct rc_folder rc;

	dprintf(fd, "#!/no/such/shell\n");
	fchmod(fd, 0700);
	close(fd);
	snprintf(commands, sizeof(commands), "%slame = %s\n",
		 "say = echo it-is-{pid},{tid}. {pid}\nreadme = cat /proc/{pid}/comm -\nnone = no-such {pid}\n"
		 "bad = x {name}\ntyped = cat -A\nshut = /dev/null\n", lame);
	start_with_commands(s, &rc, commands);
	keys(s, F9);
	sees_match(s, "say +echo it-is-[{]pid[}],[{]tid[}]");
	keys(s, "jjjjj\r");
	snprintf(text, sizeof(text), "it-is-%d,%d. %d", (int)s->loads[0], (int)s->loads[0], (int)s->loads[0]);
	sees(s, text);
	sees(s, "say has ended, status 0. Enter goes back to ptop.");
	assert_false(pty_in_alternate_screen(s->p));
	keys(s, "\r");
	sees(s, "[Processes]");
	sees_no(s, "it-is-");
	/* It reads what is typed, and ptop does not. */
	in_menu(s, "jjjjjj\r");
	sees_match(s, "^hot$");
	keys(s, "q\rabc\r\004");
	sees(s, "readme has ended, status 0");
	keys(s, "\r");
	sees(s, "[Processes]");
	in_menu(s, "jjjjjjj\r");
	sees(s, "none was not run: the program 'no-such' is in no folder of PATH (install it, ");
	keys(s, "\r");
	sees(s, "[Processes]");
	in_menu(s, "jjjjjjjjj\r");
	sees(s, "shut was not run: the program '/dev/null': Permission denied (install it, ");
	keys(s, "\r");
	sees(s, "[Processes]");
	in_menu(s, "jjjjjjjjjj\r");
	sees(s, "' lacks its interpreter (install it, ");
	unlink(lame);
	keys(s, "\r");
	sees(s, "[Processes]");
	/* What is typed behind the key that starts one is for that one: ptop does not leave by q. */
	in_menu(s, "jjjjjjjj\rq7\r");
	sees_match(s, "q7([\\^]M|[$])"); /* not its echo */
	keys(s, "\003");
	sees(s, "typed was ended by signal 2");
	keys(s, "\004\r"); /* ^D once too often ends nothing */
	sees(s, "[Processes]");
	keys(s, "!");
	sees(s, "bad: in braces there can be {pid} and {tid} alone");
	leave(s);
	rc_folder_remove(&rc);
}

static void
control_c_ends_the_command_and_ptop_goes_on(void **state)
{
	struct screen *s = *state;
	struct rc_folder rc;

	start_with_commands(s, &rc, "watch = sleep 1000\n");
	keys(s, ":run watch\r"); /* it is in the palette, too */
	sees_no(s, "[Processes]");
	keys(s, "\032"); /* ^Z: it goes on */
	pty_run(s->p, 300);
	keys(s, "\003");
	sees(s, "watch was ended by signal 2. Enter goes back");
	keys(s, "\r");
	sees(s, "[Processes]");
	leave(s);
	rc_folder_remove(&rc);
}

static void
a_killed_ptop_leaves_neither_broker_nor_command(void **state)
{
	struct screen *s = *state;
	struct rc_folder rc;
	pid_t pids[FAMILY_MAX];
	bool has_command = false;
	size_t n = 0;

	start_with_commands(s, &rc, "watch = sleep 1000\n");
	in_menu(s, "jjjjj\r");
	for (int ms = 0; ms < SOON_MS && !has_command; ms += 20) {
		pty_run(s->p, 20);
		n = family_find(pty_pid(s->p), pids);
		for (size_t i = 0; i < n; i++)
			has_command |= family_is_called(pids[i], "sleep");
	}
	assert_true(has_command);
	pty_signal(s->p, SIGKILL);
	family_assert_gone(pids, n);
	rc_folder_remove(&rc);
}

#endif

/* One that was forked just now lets go of it before it does anything else. */
static bool
lets_go_of(pid_t pid, const char *link)
{
	enum { STEP_MS = 10, PATIENCE_MS = 5000 };

	for (unsigned ms = 0; ms < PATIENCE_MS && run_count_descriptors(pid, link) > 0; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	return run_count_descriptors(pid, link) == 0;
}

/* Of the processes that ptop forks some read what anybody wrote. */
static void
nobody_else_has_the_socket_of_the_broker(void **state)
{
	char path[32], link[64];
	struct screen *s = *state;
	pid_t pids[FAMILY_MAX];
	int sockets = 0;
	size_t n;

	screen_load(s, "hot");
	start_on_loads(s, NULL, NULL);
	keys(s, "\r"); /* a name of a function: there is a parser */
	sees(s, "hot_loop");
	n = family_find(pty_pid(s->p), pids);
	assert_that(n, >, 2);
	for (int fd = 0; fd < 256; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pids[0], fd);
		len = readlink(path, link, sizeof(link) - 1);
		link[MAX(len, 0)] = '\0';
		if (strncmp(link, "socket:", 7) != 0)
			continue;
		sockets++;
		for (size_t i = 1; i < n; i++)
			assert_true(lets_go_of(pids[i], link));
	}
	assert_that(sockets, >, 0);
	leave(s);
}

static void
nothing_is_left_of_the_broker(void **state)
{
	struct screen *s = *state;
	pid_t pids[FAMILY_MAX];
	bool has_broker;
	size_t n;

	for (int i = 0; i < 2; i++) {
		screen_load(s, "hot");
		start_on_loads(s, NULL, NULL);
		n = family_find(pty_pid(s->p), pids);
		has_broker = false;
		for (size_t k = 0; k < n; k++)
			has_broker |= family_is_called(pids[k], "ptop-broker");
		assert_true(has_broker);
		if (i == 0) {
			leave(s);
		} else {
			pty_signal(s->p, SIGKILL);
			pty_wait_exit(s->p, SOON_MS);
		}
		family_assert_gone(pids, n);
		screen_end_load(s, 0);
	}
}

static void
a_broker_that_was_killed_is_told_of(void **state)
{
	struct screen *s = *state;
	pid_t pids[FAMILY_MAX];
	size_t n;

	screen_load(s, "hot");
	start_on_loads(s, NULL, NULL);
	n = family_find(pty_pid(s->p), pids);
	for (size_t k = 0; k < n; k++)
		if (family_is_called(pids[k], "ptop-broker"))
			kill(pids[k], SIGKILL);
	keys(s, F8);
	sees(s, "ptop-broker, which acts on processes, has ended");
	keys(s, "j");
	sees_no(s, "has ended");
	keys(s, F9);
	sees(s, "ptop-broker, which acts on processes, has ended");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_process_is_ended_in_three_keys_and_only_after_a_yes),
		screen_test(any_signal_can_be_chosen_or_typed),
		screen_test(nice_values_are_stepped_and_typed),
		screen_test(cpus_are_ticked_and_typed),
		screen_test(nothing_is_done_with_read_only),
#ifdef HAVE_INIH
		screen_test(a_command_of_the_configuration_has_the_terminal),
		screen_test(control_c_ends_the_command_and_ptop_goes_on),
		screen_test(a_killed_ptop_leaves_neither_broker_nor_command),
#endif
		screen_test(nobody_else_has_the_socket_of_the_broker),
		screen_test(nothing_is_left_of_the_broker),
		screen_test(a_broker_that_was_killed_is_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
