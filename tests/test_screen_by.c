/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "tests/screen_fixture.h"
#include "tests/cgroup_dir.h"
#include "tests/root.h"

static void
start(struct screen *s, int width, int height, const char *view, const char *keys)
{
	static char pid[16];

	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, width, height,
		     ARGS((char *)"-p", pid, (char *)"-e", (char *)"cpu-clock", (char *)"-V",
			  (char *)(uintptr_t)view, (char *)"--by", (char *)(uintptr_t)keys),
		     ENV("TERM=xterm-256color", "LC_ALL=C.UTF-8"));
}

static void
keys_are_columns_until_another_view_is_chosen(void **state)
{
	struct screen *s = *state;

	start(s, 160, 30, "processes", "comm,cpu");
	sees(s, "[by comm,cpu]");
	sees_match(s, "%EVT +95% +SAMPLES +PERIOD +TREND +COMM +CPU");
	sees_match(s, " hot +[0-9]+ *$");
	keys(s, "\t");
	sees(s, "[Threads]");
	sees_match(s, "PID +TID +%CPU");
	keys(s, "\033[Z"); /* Shift-Tab */
	sees(s, "[by comm,cpu]");
	sees_match(s, " hot +[0-9]+ *$");
	leave(s);
}

static void
rows_by_keys_are_sorted_and_found(void **state)
{
	struct screen *s = *state;
	char tid[16];

	start(s, 80, 24, "functions", "symbol,tid");
	sees_match(s, "%EVT +SAMPLES +PERIOD +TREND +FUNCTION +TID");
	sees_match(s, " hot_loop +[0-9]+ *$");
	keys(s, ">");
	sees_match(s, "%EVT +.SAMPLES");
	keys(s, "<");
	sees_match(s, ".%EVT +SAMPLES");
	keys(s, "/no-such-row");
	sees(s, "no row holds this");
	keys(s, "\025"); /* ^U */
	snprintf(tid, sizeof(tid), "%d", (int)s->loads[0]);
	keys(s, tid);
	sees_no(s, "no row holds this");
	keys(s, "\r");
	keys(s, "\033[17~"); /* F6 */
	sees_match(s, "TID +thread id");
	keys(s, "\033");
	leave(s);
}

/* Those that have no room are no steps. */
static void
rows_are_sorted_by_columns_that_are_on_the_screen(void **state)
{
	struct screen *s = *state;

	start(s, 20, 5, "processes", "comm,cpu");
	sees_match(s, "%EVT +COMM +CPU");
	keys(s, ">");
	sees(s, "COMM▲");
	keys(s, ">");
	sees(s, "▼CPU");
	keys(s, "<");
	sees(s, "COMM▲");
	keys(s, "<");
	sees(s, "▼%EVT");
	leave(s);
}

static void
a_small_terminal_has_the_keys_and_the_share(void **state)
{
	struct screen *s = *state;

	start(s, 20, 5, "processes", "comm,cpu");
	sees_match(s, "%EVT +COMM +CPU");
	sees_match(s, " hot +[0-9]+ *$");
	leave(s);
}

/* The payload tells what the event's own function does not. */
static void
system_calls_have_rows_by_name(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-p", pid, "-e", "raw_syscalls:sys_enter", "--by",
				      "comm,syscall"), NULL);
	sees(s, "[by comm,syscall]");
	sees_match(s, "COMM +SYSCALL");
	sees_match(s, " part-a +getpid *$");
	leave(s);
}

/* The last item of the menu of groups is the event's last field; "id" is the one before it. */
static void
fields_of_the_event_are_groups(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 40, ARGS("-p", pid, "-e", "raw_syscalls:sys_enter"), NULL);
	sees_match(s, "HOTTEST");
	sees_match(s, " getpid "); /* in the column HOTTEST */
	keys(s, "g\033[F\033[A");
	sees(s, "a field of the event: one row for each value");
	keys(s, "\r");
	sees(s, "[Values of id]");
	sees_match(s, "%EVT +.*COUNT +/S +TREND +FIELD");
	sees_match(s, " getpid *$");
	keys(s, "/getpid\r\r");
	sees(s, "[Processes]");
	sees(s, "> id getpid ");
	sees_match(s, "^ +[0-9]+ +.* getpid ");
	keys(s, "g\033[F\r");
	sees(s, "all of this has one value of a field");
	keys(s, "\033");
	sees(s, "[Values of id]");
	keys(s, "g\033[F\r");
	sees(s, "[Values of args]");
	sees_match(s, " \\{0x[0-9a-f]+,|\\{[0-9]+,");
	leave(s);
}

/* What runs at the usual priority has 120 there. */
static void
numbers_of_a_field_have_their_percentiles_in_other_views(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 40, ARGS("-p", pid, "-e", "sched:sched_switch"), NULL);
	sees_match(s, " [SRD][+]? +exact *$"); /* the event is open, and its fields are known */
	sees_no(s, " P50 ");
	keys(s, "g\033[F\033[A\033[A\033[A\033[A\r");
	sees(s, "[Values of prev_prio]");
	sees_match(s, " 120 *$");
	keys(s, "g\033[H");
	for (int i = 0; i < 9; i++)
		keys(s, "\033[B");
	keys(s, "\r");
	sees(s, "[Processes]");
	sees_match(s, " P50 +P99 ");
	sees_match(s, " 120 +120 .* exact");
	leave(s);
}

/* The first group of the picker: an event and its view in one. */
static void
presets_are_the_first_events_of_the_picker(void **state)
{
	static const struct {
		const char *name, *event, *title;
	} others[] = {
		{ "preset timer", "event cpu-clock", "[Processes]" },
		{ "preset left the", "event context-switches", "[Threads]" },
		{ "preset block I/O", "event block-time", "[Values of dev]" },
		{ "preset page faults", "event page-faults", "[Programs and libraries]" },
		{ "preset signals", "event signal:signal_generate", "[Processes]" },
		{ "preset scheduling", "event off-cpu/exact/", "[Threads]" },
		{ "preset interrupts", "event softirq-time", "[Values of vec]" },
	};
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "exact");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 150, 40, ARGS("-p", pid, "-e", "cpu-clock"), NULL);
	sees_match(s, " exact *$");
	keys(s, "e");
	sees_match(s, "^ [+] CPU +preset +CPU time by process");
	keys(s, "preset system");
	sees_match(s, "^ [+] system calls +preset +by name: how often");
	keys(s, "\r");
	sees(s, "event syscall-time");
	sees(s, "[System calls]");
	sees_match(s, "%EVT +.*COUNT +/S +MEAN +TREND +SYSCALL");
	sees_match(s, " [0-9.]+ [nu]s .* getpid *$");
	/* Another event that tells them, and one that does not. */
	keys(s, "eraw_syscalls:sys_exit");
	sees(s, "1 of ");
	keys(s, "\r");
	sees(s, "event raw_syscalls:sys_exit");
	sees_match(s, "[1-9][0-9.]*k? .* getpid *$");
	sees(s, "[System calls]");
	keys(s, "econtext-sw");
	sees(s, "1 of ");
	keys(s, "\r");
	sees(s, "the view System calls has nothing of this event");
	sees(s, "[Processes]");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		keys(s, "e");
		sees_match(s, "^ [+] CPU +preset");
		keys(s, others[i].name);
		sees(s, "1 of ");
		keys(s, "\r");
		sees(s, others[i].event);
		sees(s, others[i].title);
	}
	leave(s);
}

#define RECORD "^ [0-9:]{8}[.][0-9]{6} +[0-9]+ +[0-9]+ +part-[a-z] +id=[a-z_0-9]+ args=[{]"

/* Newest first, of all that is measured, or of the process that one is in. */
static void
the_newest_records_follow_with_all_their_fields(void **state)
{
	struct screen *s = *state;
	char first[64];
	int line;

	screen_load(s, "exact");
	snprintf(first, sizeof(first), "%d", (int)s->loads[0]);
	screen_start(s, 170, 30, ARGS("-p", first, "-e", "raw_syscalls:sys_enter"), NULL);
	sees_match(s, " getpid +exact");
	keys(s, "R");
	sees_match(s, RECORD);
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "\r");
	sees(s, "[Threads]");
	keys(s, "R");
	sees(s, "Newest records of raw_syscalls:sys_enter");
	sees_match(s, "^ TIME +CPU +TID +NAME +FIELDS");
	sees_match(s, RECORD);
	line = pty_find_line(s->p, "TIME") + 1;
	snprintf(first, sizeof(first), "%.16s", pty_line(s->p, line));
	sees_no(s, first); /* newer ones have its place */
	keys(s, "Eid == 39\r");
	sees(s, "the kernel keeps only what fits id == 39");
	keys(s, "\033");
	sees(s, "[Threads]");
	leave(s);
}

/* What comes between two refreshes is kept, however far these are apart. */
static void
records_are_kept_from_one_slow_refresh_to_the_next(void **state)
{
	struct screen *s = *state;
	char first[64];

	screen_load(s, "exact");
	snprintf(first, sizeof(first), "%d", (int)s->loads[0]);
	screen_start(s, 170, 30, ARGS("-d", "6", "-p", first, "-e", "raw_syscalls:sys_enter"), NULL);
	keys(s, "R");
	/* The first snapshots come sooner. */
	for (int i = 0; i < 2; i++) {
		sees_match(s, RECORD);
		snprintf(first, sizeof(first), "%.16s", pty_line(s->p, pty_find_line(s->p, "TIME") + 1));
		sees_no(s, first);
	}
	sees_match(s, RECORD);
	keys(s, "\033");
	leave(s);
}

/* What came before CPUs were told apart has a row of its own, until the window is past it. */
static void
goes_into_a_cpu(struct screen *s)
{
	for (int ms = 0; ms < SOON_MS; ms += 20) {
		int title = pty_find_line(s->p, "%EVT");
		const char *first = title >= 0 ? pty_line(s->p, title + 1) : "";

		first += strspn(first, " ");
		if (*first >= '0' && *first <= '9') {
			keys(s, "\r");
			return;
		}
		pty_run(s->p, 20);
	}
	fail_msg("no CPU is the first row:\n%s", pty_screen(s->p));
}

#define ID "89abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567"

static void
a_library_opens_its_functions(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "nested");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 130, 30, ARGS("-p", pid, "-e", "cpu-clock", "-V", "dsos", "-K"), NULL);
	sees(s, "[Programs and libraries]");
	sees_match(s, "^ +[0-9.]+ .* nested *$");
	sees_match(s, "^ +[0-9.]+ .* libc\\.");
	keys(s, "/libc\r\r");
	sees(s, "[Functions]");
	sees_match(s, "> libc[^ ]*  ");
	sees_match(s, "^ +[0-9.]+ .* libc\\.");
	sees_no(s, " nested.c:");
	keys(s, "\033");
	sees(s, "[Programs and libraries]");
	sees_match(s, "^ +[0-9.]+ .* nested *$");
	leave(s);
}

/* Its group is made as docker makes it. */
static void
from_a_container_to_its_functions_is_one_enter_each(void **state)
{
	struct screen *s = *state;
	struct cgroup_dir g = { .child = 0 };

	need_root();
	cgroup_choose(&g, "docker-" ID ".scope");
	cgroup_burn(&g, "in_a_container", 0);
	screen_start(s, 160, 30, ARGS("-e", "cpu-clock"), ENV("TERM=xterm-256color", "LC_ALL=C.UTF-8"));
	sees(s, "[Processes]");
	keys(s, "g");
	sees(s, "Group by");
	sees(s, "NUMA nodes");
	keys(s, "\033[H\033[B\033[B\033[B\033[B\033[B\r");
	sees(s, "[Containers]");
	sees_match(s, "^ +[0-9.]+ .* 89abcdef0123 *$");
	keys(s, "/89abcdef0123\r\r");
	sees(s, "[Processes]");
	sees(s, "> container 89abcdef0123 ");
	/* Its function, or this one, if a compiler puts it in here; and it has one thread. */
	sees_match(s, "^ +[0-9]+ +[^ ]+ +1 .* (cgroup_burn|from_a_container)");
	sees_no(s, " systemd");
	keys(s, "\r");
	sees(s, "[Functions]");
	sees_match(s, "container 89abcdef0123 +>.* in_a_container");
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "g\033[H\033[B\033[B\r"); /* what is in it, by CPU */
	sees(s, "[CPUs]");
	goes_into_a_cpu(s);
	sees_match(s, "container 89abcdef0123 +> cpu [0-9]+");
	keys(s, "f");
	sees(s, "stacks are not told apart by cpu");
	keys(s, "\033\033");
	sees(s, "[Containers]");
	keys(s, "g\033[H\033[B\033[B\033[B\r");
	sees(s, "[Control groups]");
	sees_match(s, " / *$");
	sees_match(s, "   docker-" "89abcdef0123");
	leave(s);
	cgroup_end(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(system_calls_have_rows_by_name),
		screen_test(fields_of_the_event_are_groups),
		screen_test(presets_are_the_first_events_of_the_picker),
		screen_test(numbers_of_a_field_have_their_percentiles_in_other_views),
		screen_test(the_newest_records_follow_with_all_their_fields),
		screen_test(records_are_kept_from_one_slow_refresh_to_the_next),
		screen_test(keys_are_columns_until_another_view_is_chosen),
		screen_test(rows_by_keys_are_sorted_and_found),
		screen_test(rows_are_sorted_by_columns_that_are_on_the_screen),
		screen_test(a_small_terminal_has_the_keys_and_the_share),
		screen_test(a_library_opens_its_functions),
		screen_test(from_a_container_to_its_functions_is_one_enter_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
