/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many hosts on the screen: feeds that are made (tests/feeds.c), brought by a command. */
#include <stdio.h>

#include "tests/screen_fixture.h"

/* What a host is told to sample comes from its feed. */
#define MADE "case $2 in *page-faults*) exec tests/feeds $1 200 page-faults ;; " \
	     "*nosuch*) echo 'ptop: unknown event' >&2; exit 1 ;; *) exec tests/feeds $1 200 ;; esac"

static void
start(struct screen *s, const char *hosts)
{
	screen_run(s, 130, 30,
		   ARGS((char *)(uintptr_t)run_ptop(), "--no-config", "--hosts", (char *)(uintptr_t)hosts,
			"--hosts-command", MADE, "-d", "0.5"), NULL);
}

static void
each_row_is_a_host_and_enter_goes_into_it(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1,plain-2,plain-30");
	sees(s, "[Hosts]");
	sees(s, "3 hosts");
	sees_no(s, "group's leader"); /* nor are there CPUs here */
	sees_no(s, " up 0:00");       /* nor one time that they are up */
	sees_match(s, "plain-1 *$");
	sees_match(s, "plain-30 *$");
	keys(s, "/plain-30\r"); /* the row that has it */
	keys(s, "\r");
	sees(s, "[Processes]");
	sees(s, "plain-30");
	sees_match(s, " plain-30 +100 .*web");
	sees_no(s, "plain-1 ");
	keys(s, "\t\t"); /* threads, functions */
	sees(s, "[Functions]");
	sees(s, "only_on_30");
	sees_no(s, "only_on_2");
	keys(s, "a");
	sees(s, "hosts send functions and stacks");
	keys(s, "=");
	sees(s, "the other hosts");
	keys(s, "\r");
	sees(s, "THEN the other hosts");
	sees_match(s, "DELTA");
	sees_match(s, "only_on_30");
	sees(s, "only_on_2");
	/* Each host has as much of it a second: DELTA/S is less one of the others, not all of them. */
	sees_match(s, "[^-+0-9.][0-9]+\\.[0-9] +-[0-9.]+ +[+-]([0-9]+\\.[0-9]|[12][0-9][0-9]) .*shared_work");
	leave(s);
}

/* Palette, help, menu and footer, and the key itself. */
static void
what_hosts_do_not_send_is_marked_with_the_reason(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1");
	sees_match(s, "plain-1 *$");
	sees(s, "q Quit");
	sees_no(s, "a Code");
	keys(s, ":do attach");
	sees_match(s, "attach +p +not here: hosts send what they count");
	keys(s, "\r");
	sees(s, "hosts send what they count: this works in a ptop there");
	keys(s, ":do annotate");
	sees_match(s, "annotate +a +not here: hosts send functions");
	keys(s, "\025view counters");
	sees_match(s, "counters +not here: hosts send functions");
	keys(s, "\025set freq");
	sees(s, "nothing here has these words"); /* it cannot be changed */
	keys(s, "\025do event-next");
	sees_match(s, "event-next +] +next of the events");
	keys(s, "\033v");
	sees_match(s, "Annotate +hosts send functions");
	keys(s, "\033h/what they count\r");
	sees(s, "Not here: hosts send what they count: this works in a ptop there");
	keys(s, "\033L");
	sees(s, "hosts send functions and stacks: instructions, locks");
	leave(s);
}

/* There is no file here that would tell. */
static void
why_code_has_no_name_is_what_its_host_says(void **state)
{
	struct screen *s = *state;

	start(s, "nameless-1,nameless-2");
	sees_match(s, "nameless-2 *$");
	keys(s, "!");
	sees(s, "[unknown]: its maps may not be read: run as root\\x1b[2J");
	sees(s, "libz.so.1: stripped: apt install libz-dbgsym");
	sees(s, "[unknown]: the host's ptop tells why: run ptop there");
	keys(s, "\033:view unnamed\r");
	sees_match(s, "libz.so.1 .*stripped");
	keys(s, "/libz\r");
	keys(s, "i");
	sees_match(s, "no name +stripped");
	sees_match(s, "mended by +apt install libz-dbgsym");
	leave(s);
}

static void
stacks_are_of_all_hosts(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1,plain-30");
	sees_match(s, "plain-30 *$");
	keys(s, "f");
	sees(s, "[Flame graph]");
	sees(s, "serve");
	keys(s, "t");
	sees(s, "[Call tree]");
	sees_match(s, "web");
	sees_match(s, "job");
	leave(s);
}

static void
stacks_are_of_the_host_that_one_went_into(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1,plain-30");
	sees_match(s, "plain-30 *$");
	keys(s, "/plain-30\r");
	keys(s, "\r");
	sees(s, "[Processes]");
	keys(s, "f");
	sees(s, "[Flame graph]");
	sees(s, "only_on_30");
	sees(s, "serve");
	keys(s, "t");
	sees(s, "[Call tree]");
	sees_no(s, "only_on_1 ");
	leave(s);
}

static void
a_function_of_a_host_has_its_callers(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1,plain-30");
	sees_match(s, "plain-30 *$");
	keys(s, "/plain-30\r");
	keys(s, "\r");
	sees(s, "[Processes]");
	keys(s, "\t\t");
	sees(s, "[Functions]");
	keys(s, "/shared_work\r");
	keys(s, "c");
	sees(s, "callers of shared_work");
	sees(s, "serve");
	sees(s, "[cut]");
	leave(s);
}

/* What ssh has tried is on the page of messages; that it was denied is beside the address. */
static void
a_reason_that_is_too_long_is_cut_after_the_reason(void **state)
{
	struct screen *s = *state;

	screen_run(s, 100, 30,
		   ARGS((char *)(uintptr_t)run_ptop(), "--no-config", "--hosts", "web1", "--hosts-command",
			"echo 'me@192.0.2.100: Permission denied (publickey,password,keyboard-interactive).' >&2; "
			"exit 255"), NULL);
	sees_match(s, "^ ! web1: not there since [0-9:]+: me@192[.]0[.]2[.]100: Permission denied: see ! *$");
	keys(s, "!");
	sees(s, "(publickey,password,keyboard-interactive).");
	keys(s, "\033");
	leave(s);
}

static void
the_header_names_hosts_that_are_not_there(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1,asks-2,newer-3");
	sees(s, "1 of 3 hosts");
	sees(s, "asks-2: not there since");
	sees(s, "Host key verification failed.");
	sees(s, "newer-3: not there since");
	sees_match(s, "plain-1 *$");
	keys(s, "!");
	sees(s, "Hosts: 3");
	sees_match(s, "plain-1: ptop 1.0, 4 CPUs");
	keys(s, "\033");
	leave(s);
}

static void
what_limits_hosts_is_above_the_rows_and_in_whole_behind_a_key(void **state)
{
	struct screen *s = *state;

	start(s, "limited-1,limited-2,limited-3,limited-4,limited-5");
	sees(s, "5 hosts");
	sees(s, "limited-1, limited-2, limited-3 and 2 more: only your own processes");
	keys(s, "!");
	sees(s, "limited-1: ptop 1.0, 4 CPUs");
	sees(s, "    only your own processes: perf_event_paranoid is 2: run as root");
	sees(s, "    cpu-clock:u: kernel samples are off");
	keys(s, "\033");
	leave(s);
}

static void
a_host_that_is_not_there_is_named_before_limits_of_others(void **state)
{
	struct screen *s = *state;

	start(s, "limited-1,limited-2,asks-1");
	sees(s, "limited-1, limited-2: only your own processes");
	sees_match(s, "asks-1: not there since .*\n.*limited-1, limited-2: only your own");
	leave(s);
}

static void
an_event_is_switched_for_all(void **state)
{
	struct screen *s = *state;

	start(s, "plain-1,plain-2");
	sees(s, "event cpu-clock");
	sees_match(s, "plain-2 *$");
	keys(s, "e");
	sees(s, "all hosts are to sample");
	keys(s, "page-faults\r");
	sees(s, "event page-faults");
	sees_match(s, "plain-1 *$");
	sees_match(s, "plain-2 *$");
	leave(s);
}

/* What was counted before is no picture of now. */
static void
what_no_host_sends_any_more_leaves_the_window(void **state)
{
	struct screen *s = *state;

	screen_run(s, 130, 30,
		   ARGS((char *)(uintptr_t)run_ptop(), "--no-config", "--hosts", "plain-1",
			"--hosts-command", MADE, "-d", "0.5", "-w", "2"), NULL);
	sees_match(s, "plain-1 *$");
	keys(s, "enosuch\r");
	sees(s, "plain-1: gone since");
	sees(s, "no samples of this event in this window yet");
	sees(s, "event cpu-clock");
	keys(s, "ecpu-clock\r");
	sees_match(s, "plain-1 *$");
	sees_no(s, "gone since");
	keys(s, "epage-faults\r");
	sees(s, "event page-faults");
	sees_match(s, "plain-1 *$");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(each_row_is_a_host_and_enter_goes_into_it),
		screen_test(why_code_has_no_name_is_what_its_host_says),
		screen_test(stacks_are_of_all_hosts),
		screen_test(stacks_are_of_the_host_that_one_went_into),
		screen_test(a_function_of_a_host_has_its_callers),
		screen_test(what_hosts_do_not_send_is_marked_with_the_reason),
		screen_test(a_reason_that_is_too_long_is_cut_after_the_reason),
		screen_test(the_header_names_hosts_that_are_not_there),
		screen_test(what_limits_hosts_is_above_the_rows_and_in_whole_behind_a_key),
		screen_test(a_host_that_is_not_there_is_named_before_limits_of_others),
		screen_test(an_event_is_switched_for_all),
		screen_test(what_no_host_sends_any_more_leaves_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
