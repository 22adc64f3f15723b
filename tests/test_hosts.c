/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many hosts on one screen: feeds that are made (tests/feeds.c) and real ones, brought by a command. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "feed/hostfeed.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"
#include "tests/static_program.h"

#include <config.h>

#define MADE "exec tests/feeds \"$1\""
#define MADE_FAST MADE " 200"

enum { MOST_S = 60, TRIES = 8 };

static struct {
	char folder[32], pids[64];
	struct run_result mixed; /* of hosts of all kinds, together */
} shared;

static const char mixed_hosts[] =
	"plain-1,plain-2,clock-3,stops-4,dies-5,lies-6,floods-7,huge-8,talks-9,newer-1,asks-1,none-1,"
	"warns-1,boasts-1,late-4";

static void
run_hosts(struct run_result *r, const char *hosts, const char *command, const char *const *more)
{
	const char *argv[24] = { run_ptop(), "--no-config", "--hosts", hosts, "--hosts-command",
				 command, "-b" };
	size_t n = 7;

	for (; more != NULL && *more != NULL; more++)
		argv[n++] = *more;
	run_program(r, MOST_S, (char *const *)(uintptr_t)argv);
}

/*
 * A machine that stood still for seconds makes all of them slow: that is told before all else.  And the
 * one that dies may just be there again.
 */
static bool
is_unlucky(const struct run_result *r)
{
	static const char *const slow[] = { "plain-1: slow", "talks-9: slow", "clock-3: slow", "lies-6: slow" };
	bool is_unlucky = strstr(r->err, "dies-5: ") == NULL;

	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		is_unlucky |= strstr(r->err, slow[i]) != NULL;
	return is_unlucky;
}

/* Nothing is told of it, but that the machine stood still in all tries. */
static bool
is_well(const char *host)
{
	const char *at = strstr(shared.mixed.err, host);

	return at == NULL || strncmp(at + strlen(host), ": slow", 6) == 0;
}

static int
run_mixed(void **state)
{
	const char *const more[] = { "-d", "5", "-n", "1", "--by", "host,comm,symbol", "--format",
				     "csv", NULL };
	char command[128];

	(void)state;
	strcpy(shared.folder, "/tmp/ptop-hosts-XXXXXX");
	if (mkdtemp(shared.folder) == NULL)
		return -1;
	snprintf(shared.pids, sizeof(shared.pids), "%s/pids", shared.folder);
	snprintf(command, sizeof(command), "echo $$ >>%s; " MADE, shared.pids);
	for (int i = 0; i < TRIES; i++) {
		run_release(&shared.mixed);
		unlink(shared.pids);
		run_hosts(&shared.mixed, mixed_hosts, command, more);
		if (!is_unlucky(&shared.mixed))
			break;
	}
	return 0;
}

static int
release_mixed(void **state)
{
	(void)state;
	unlink(shared.pids);
	rmdir(shared.folder);
	run_release(&shared.mixed);
	return 0;
}

static double
samples(const char *host, const char *comm)
{
	const char *const pairs[][2] = { { "host", host }, { "comm", comm } };

	return run_csv_sum(shared.mixed.out, "samples", comm != NULL ? 2 : 1, pairs);
}

static void
hosts_are_told_apart_to_the_sample(void **state)
{
	(void)state;
	if (!WIFEXITED(shared.mixed.status) || WEXITSTATUS(shared.mixed.status) != 0)
		fail_msg("%s", shared.mixed.err);
	assert_that(samples("plain-1", "web"), >=, 200);
	assert_that(samples("plain-2", "web"), >=, 200);
	/* Whole seconds came, and nothing of another host. */
	assert_that(samples("plain-1", "job") * 100, ==, samples("plain-1", "web") * 2);
	assert_that(samples("plain-2", "job") * 100, ==, samples("plain-2", "web") * 3);
	assert_that(samples("talks-9", "web"), >=, 200);
	/* One that has ended is asked again. */
	assert_that(samples("dies-5", "web"), >=, 100);
	assert_that(samples("stops-4", "web"), ==, 100);
}

static void
assert_said(const char *host, const char *what)
{
	/* Where the machine stood still in all tries, that is told of all before all else. */
	const bool are_all_slow = strstr(shared.mixed.err, "plain-1: slow") != NULL;
	const char *at = shared.mixed.err;
	size_t len = strlen(host);

	for (; (at = strstr(at, host)) != NULL; at += len)
		if ((at[len] == ':' && strstr(at, what) != NULL &&
		     strstr(at, what) < at + strcspn(at, "\n")) ||
		    (are_all_slow && strncmp(at + len, ": slow", 6) == 0))
			return;
	fail_msg("nothing says '%s' of %s: %s", what, host, shared.mixed.err);
}

static void
each_host_that_is_not_well_is_marked_with_the_reason(void **state)
{
	(void)state;
	assert_said("clock-3", "its clock is");
	assert_said("clock-3", "ahead");
	assert_said("late-4", "what it sends is 60 min old: its clock is behind, or its link is slow");
	assert_said("stops-4", "slow");
	assert_said("dies-5", "Broken pipe");
	assert_said("lies-6", "its clock is");
	assert_said("huge-8", "too much in one second");
	assert_said("newer-1", "speaks version 2 of the feed");
	assert_said("asks-1", "Host key verification failed.");
	assert_said("none-1", "ptop: not found");
	assert_said("warns-1", ": Permission denied");
	assert_said("boasts-1", "it says that it counted more than its 4 CPUs can");
	if (!is_well("plain-1") || !is_well("talks-9"))
		fail_msg("%s", shared.mixed.err);
}

/* However it floods, it is read by and by, and its names have a bound. */
static void
a_host_that_floods_holds_up_no_other(void **state)
{
	(void)state;
	assert_that(samples("floods-7", NULL), >, 0);
	assert_that(samples("plain-1", "web"), >=, 200);
}

/* The second in which it lies counts nowhere; what it said before that does. */
static void
more_than_a_host_can_count_is_not_counted(void **state)
{
	const char *const boast[][2] = { { "host", "boasts-1" }, { "symbol", "boast" } };

	(void)state;
	assert_that(samples("boasts-1", "web"), >=, 100);
	assert_that(run_csv_sum(shared.mixed.out, "samples", 2, boast), ==, 0);
}

/* Of the tables it has a part, however much it tells; the others lose nothing. */
static void
a_host_that_floods_leaves_the_others_their_part_of_the_tables(void **state)
{
	enum { MIB = 4, ENTRY_LEAST = 48 }; /* bytes that one takes */
	const char *const more[] = { "-d", "3", "-n", "1", "--by", "host,comm,symbol", "--memory", "4M",
				     "--format", "csv", NULL };
	const char *const web[][2] = { { "host", "plain-2" }, { "comm", "web" } };
	const char *const job[][2] = { { "host", "plain-2" }, { "comm", "job" } };
	struct run_result r;

	(void)state;
	run_hosts(&r, "floods-1,plain-2", MADE_FAST, more);
	assert_int_equal(r.status, 0);
	if (strstr(r.err, "floods-1: it fills its part of the tables") == NULL)
		fail_msg("%s", r.err);
	assert_that(run_count_text(r.out, "floods-1"), >, 1000);
	assert_that(run_count_text(r.out, "floods-1"), <, (MIB << 20) / ENTRY_LEAST);
	assert_that(run_csv_sum(r.out, "samples", 2, web), >=, 500);
	assert_that(run_csv_sum(r.out, "samples", 2, job) * 100, ==,
		    run_csv_sum(r.out, "samples", 2, web) * 3);
	run_release(&r);
}

static void
nothing_is_left_of_what_was_started(void **state)
{
	struct buf b = { 0 };
	unsigned count = 0;

	(void)state;
	assert_int_equal(file_read(shared.pids, &b, 1 << 16), 0);
	for (const char *at = buf_str(&b); *at != '\0'; at += strcspn(at, "\n") + 1, count++)
		assert_int_equal(kill(atoi(at), 0), -1);
	assert_that(count, >=, 12);
	buf_release(&b);
}

static void
names_of_a_host_cannot_command_the_terminal(void **state)
{
	const char *const more[] = { "-d", "0.5", "-n", "2", "--by", "host,comm,symbol", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "lies-1,plain-2", MADE_FAST, more);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "a\\x1b[2Jb"));
	assert_null(strchr(r.out, '\x1b'));
	assert_null(strchr(r.err, '\x1b'));
	run_release(&r);
}

/* A process's number says nothing without its host. */
static void
processes_have_the_host_beside_them(void **state)
{
	const char *const more[] = { "-d", "0.5", "-n", "2", "--view", "processes", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "plain-1,plain-2", MADE_FAST, more);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "HOST"));
	assert_that(run_count_text(r.out, "plain-1 "), >=, 2);
	assert_that(run_count_text(r.out, "plain-2 "), >=, 2);
	assert_non_null(strstr(r.out, "www"));
	run_release(&r);
}

static uint64_t
folded_count(const char *text, const char *stack)
{
	const char *at = strstr(text, stack);

	return at != NULL ? strtoull(at + strlen(stack), NULL, 10) : 0;
}

/* What is known of callers is told, the rest is under [cut]: no sample is missing. */
static void
stacks_of_hosts_have_all_samples(void **state)
{
	const char *const more[] = { "-d", "0.5", "-n", "2", "--format", "folded", NULL };
	struct run_result r;
	uint64_t known, unknown;

	(void)state;
	run_hosts(&r, "plain-1,plain-2", MADE_FAST, more);
	assert_int_equal(r.status, 0);
	known = folded_count(r.out, "web;main;serve;shared_work ");
	unknown = folded_count(r.out, "web;[cut];shared_work ");
	if (known == 0)
		print_message("# %s", r.out);
	assert_that(known, >=, 80);
	assert_that(known, ==, 4 * unknown);
	assert_that(folded_count(r.out, "job;[cut];only_on_2 "), >, 0);
	run_release(&r);
}

/* The samples below deep_N of a feed, and those of them whose callers are known. */
static void
count_deep(const char *host, uint64_t wanted, uint64_t *known, uint64_t *all)
{
	const char *const more[] = { "-d", "4", "-n", "1", "--format", "folded", NULL };

	/* On a busy machine they may not have come by then. */
	for (int i = 0; i < TRIES && (i == 0 || *all < wanted); i++) {
		struct run_result r;

		*known = *all = 0;
		run_hosts(&r, host, MADE, more);
		assert_int_equal(r.status, 0);
		for (const char *line = r.out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
			const char *deep = strstr(line, ";deep_");
			const char *count = memrchr(line, ' ', (size_t)(end - line));

			if (deep == NULL || deep > end || count == NULL)
				continue;
			*all += strtoull(count, NULL, 10);
			*known += strncmp(line, "web;calls_itself;", 17) == 0
					  ? strtoull(count, NULL, 10) : 0;
		}
		run_release(&r);
		if (*all < wanted)
			print_message("# %d of %d have come\n", (int)*all, (int)wanted);
	}
	assert_int_equal(*all, wanted);
}

/* What callers of a host take of a second has an end: what is more is under [cut], and no sample is lost. */
static void
a_host_that_has_callers_without_end_takes_no_more_than_its_part(void **state)
{
	enum { CALLERS_MOST = 2 << 17 };
	uint64_t known, all;

	(void)state;
	count_deep("deep-1", 2 * HOSTFEED_STACKS_SENT, &known, &all);
	assert_that(known, >, 0);
	assert_that(known / 2 * HOSTFEED_DEPTH_MAX, <=, CALLERS_MOST);
	assert_that(known, <, all);
}

/* What was late comes with the next. */
static void
of_two_seconds_that_come_in_one_all_callers_are_known(void **state)
{
	uint64_t known, all;

	(void)state;
	count_deep("deep-2", 4 * HOSTFEED_STACKS_SENT, &known, &all);
	assert_int_equal(known, all);
}

static double
samples_of(const struct run_result *r, const char *host, const char *event)
{
	const char *const pairs[][2] = { { "host", host }, { "event", event } };

	return run_csv_sum(r->out, "samples", 2, pairs);
}

/* Time and things have no sum: which of the two has the plain name is who came first. */
static void
what_limits_hosts_is_told_of_all_that_are_alike(void **state)
{
	static const char *const more[] = { "-d", "3", "-n", "1", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "limited-1,plain-1,limited-2", MADE, more);
	assert_non_null(strstr(r.err, "limited-1, limited-2: only your own processes: perf_event_paranoid is 2: "
				      "run as root\\x1b[2J\n"));
	assert_non_null(strstr(r.err, "limited-1, limited-2: cpu-clock:u: kernel samples are off\n"));
	assert_null(strstr(r.err, "plain-1"));
	run_release(&r);
}

/* Of one without a word the ptop there knows more. */
static void
why_code_has_no_name_is_what_its_host_says(void **state)
{
	static const char *const more[] = { "-d", "2", "-n", "1", "--by", "host,dso,symbol,reason,remedy",
					    "--format", "csv", NULL };
	static const struct {
		const char *host, *dso, *reason, *remedy;
	} rows[] = {
		{ "nameless-1", "[unknown]", "its maps may not be read", "run as root\\x1b[2J" },
		{ "nameless-1", "libz.so.1", "stripped", "apt install libz-dbgsym" },
		{ "nameless-2", "[unknown]", "the host's ptop tells why", "run ptop there" },
		{ "nameless-1", "web", "", "" },
	};
	struct run_result r;

	(void)state;
	run_hosts(&r, "nameless-1,nameless-2", MADE_FAST, more);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const pairs[][2] = { { "host", rows[i].host }, { "dso", rows[i].dso },
						 { "reason", rows[i].reason }, { "remedy", rows[i].remedy } };

		if (run_csv_sum(r.out, "samples", ARRAY_SIZE(pairs), pairs) <= 0)
			fail_msg("'%s' is not said of %s: %s", rows[i].reason, rows[i].dso, r.out);
	}
	run_release(&r);
}

/* In one line. */
static void
assert_said_of(const struct run_result *r, const char *host, const char *what)
{
	const char *at = strstr(r->err, host), *end = at != NULL ? strchr(at, '\n') : NULL;

	if (end == NULL || memmem(at, (size_t)(end + 1 - at), what, strlen(what)) == NULL)
		fail_msg("'%s' is not said of %s: %s", what, host, r->err);
}

/* It has no file there that rights could be given to. */
static void
what_helps_a_ptop_that_is_copied_names_none_of_it(void **state)
{
	static const char *const more[] = { "-d", "5", "-n", "1", NULL };
	char command[1024];
	struct run_result r;

	(void)state;
	if (access("/usr/bin/setpriv", X_OK) != 0 || geteuid() != 0)
		skip_for("needs root and setpriv");
	snprintf(command, sizeof(command),
		 "cp %s %s/copied && exec 4<%s/copied && rm %s/copied && "
		 "exec setpriv --reuid=65534 --regid=65534 --clear-groups /proc/self/fd/4 --no-config --feed",
		 run_ptop(), shared.folder, shared.folder, shared.folder);
	run_hosts(&r, "a", command, more);
	if (strstr(r.err, "perf_event_paranoid is ") == NULL)
		skip_for("everybody may sample all here");
	assert_said_of(&r, "a: ", "log in there as root, or: install ptop " PACKAGE_VERSION
				  " there, then: sudo setcap cap_perfmon");
	assert_said_of(&r, "a: ", "+ep \"$(realpath \"$(command -v ptop)\")\", or: sudo sysctl ");
	run_release(&r);
}

/* Names are kept for the next start, and reports of crashes, where ptop is; a copy is another one each time. */
static void
a_ptop_that_is_copied_keeps_nothing(void **state)
{
	static const char run[] =
		"cp %s %s/copied && cd %s && mkdir home && exec 4<copied && rm copied && ulimit -c 0 && "
		"unset XDG_CACHE_HOME XDG_STATE_HOME && export HOME=$PWD/home && "
		"timeout -s ABRT 4 /proc/self/fd/4 --no-config --feed >/dev/null; find home -type f; rm -r home";
	char command[1024];
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct run_result r;

	(void)state;
	snprintf(command, sizeof(command), run, run_ptop(), shared.folder, shared.folder);
	run_program(&r, MOST_S, (char *const *)(uintptr_t)argv);
	assert_string_equal(r.out, "");
	assert_non_null(strstr(r.err, "a bug of ptop ends it (SIGABRT): a copy leaves no report\n"));
	run_release(&r);
}

static void
a_remark_is_no_reason_why_a_host_is_gone(void **state)
{
	static const char *const more[] = { "-d", "3", "-n", "1", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "plain-1,remarks-1,remarks-2,remarks-3,remarks-4", MADE, more);
	assert_said_of(&r, "remarks-1", ": it has ended\n");
	assert_said_of(&r, "remarks-2", ": its program ended with status 3\n");
	assert_said_of(&r, "remarks-3", ": its program was ended by signal 9\n");
	assert_said_of(&r, "remarks-4", ": its program ended with status 255\n");
	assert_null(strstr(r.err, "call chains"));
	run_release(&r);
}

static void
an_event_that_counts_something_else_on_a_host_is_one_of_its_own(void **state)
{
	const char *const more[] = { "-d", "2", "-n", "1", "--by", "host,event", "--format", "csv", NULL };
	struct run_result r;
	bool is_plain_first;

	(void)state;
	run_hosts(&r, "plain-1,things-2", MADE_FAST, more);
	assert_int_equal(r.status, 0);
	is_plain_first = samples_of(&r, "plain-1", "cpu-clock") > 0;
	assert_that(samples_of(&r, "plain-1", is_plain_first ? "cpu-clock" : "cpu-clock (time)"), >, 100);
	assert_that(samples_of(&r, "things-2", is_plain_first ? "cpu-clock (things)" : "cpu-clock"), >, 100);
	assert_that(samples_of(&r, "plain-1", "cpu-clock (things)"), ==, 0);
	assert_that(samples_of(&r, "things-2", is_plain_first ? "cpu-clock" : "cpu-clock (time)"), ==, 0);
	run_release(&r);
}

/* On a busy machine little comes in two seconds: it is tried again for longer, until there is enough. */
static void
run_real(struct run_result *r, const char *hosts, const char *command, const char *const *more,
	 bool (*is_enough)(const struct run_result *))
{
	static const char *const delays[] = { "2", "6", "20" };

	for (size_t i = 0; i < ARRAY_SIZE(delays); i++) {
		const char *args[16] = { "-n", "1", "-d", delays[i] };

		for (size_t n = 0; more[n] != NULL; n++)
			args[4 + n] = more[n];
		if (i > 0)
			run_release(r);
		run_hosts(r, hosts, command, args);
		if (is_enough(r))
			break;
	}
}

static bool
has_chains(const struct run_result *r)
{
	return strstr(r->out, ";compare_slowly ") != NULL && strstr(r->out, "main;") != NULL;
}

static void
a_real_feed_tells_who_called(void **state)
{
	const char *const more[] = { "--format", "folded", NULL };
	pid_t nested = run_load("nested");
	struct run_result r;
	char command[512];

	(void)state;
	snprintf(command, sizeof(command), "exec %s --no-config --feed -p %d", run_ptop(), nested);
	run_real(&r, "a", command, more, has_chains);
	run_end(nested);
	if (r.status != 0 || strstr(r.out, ";compare_slowly ") == NULL)
		print_message("# %s %s", r.err, r.out);
	/* However far the chain is known, it is under qsort(), and that in main(). */
	assert_non_null(strstr(r.out, ";compare_slowly "));
	assert_non_null(strstr(r.out, "main;"));
	run_release(&r);
}

static double
samples_of_comm(const struct run_result *r, const char *host, const char *comm)
{
	const char *const pairs[][2] = { { "host", host }, { "comm", comm } };

	return run_csv_sum(r->out, "samples", 2, pairs);
}

static bool
has_both(const struct run_result *r)
{
	return samples_of_comm(r, "a", "hot") > 20 && samples_of_comm(r, "b", "nested") > 20;
}

/* Each has its own load alone. */
static void
a_real_feed_has_the_names_of_that_ptop(void **state)
{
	const char *const more[] = { "--by", "host,comm,symbol", "--format", "csv", NULL };
	pid_t hot = run_load("hot"), nested = run_load("nested");
	struct run_result r;
	char command[512];

	(void)state;
	snprintf(command, sizeof(command), "case $1 in a) pid=%d ;; *) pid=%d ;; esac; "
		 "exec %s --no-config --feed -p $pid", hot, nested, run_ptop());
	run_real(&r, "a,b", command, more, has_both);
	run_end(hot);
	run_end(nested);
	if (r.status != 0 || !has_both(&r))
		print_message("# %s", r.err);
	assert_that(samples_of_comm(&r, "a", "hot"), >, 20);
	assert_that(samples_of_comm(&r, "b", "nested"), >, 20);
	assert_that(samples_of_comm(&r, "b", "hot"), ==, 0);
	assert_null(strstr(r.out, "0x0"));
	run_release(&r);
}

static void
what_does_not_go_with_hosts_is_refused(void **state)
{
	static const char *const rows[][4] = {
		{ "--hosts", "web1", "--pid=1", "--pid does not go with --hosts" },
		{ "--hosts", "web1", "--format=pprof", "a report for other tools does not go with --hosts" },
		{ "--hosts", "-oProxyCommand=x", "-b", "is no name of a host" },
		{ "--hosts", "web1,web1", "-b", "named twice" },
		{ "--hosts", "@/nowhere", "-b", "cannot read '/nowhere'" },
		{ "--hosts", ",", "-b", "is no name of a host" },
		{ "--hosts-command", "true", "-b", "no host is named" },
		{ "--copy=/bin/sh", "--no-config", "-b", "--copy is of --hosts: no host is named" },
		{ "--hosts", "web1", "--copy=/nowhere", "--copy: cannot read '/nowhere'" },
		{ "--hosts", "web1", "--copy=/bin/sh", "'/bin/sh' is no static program" },
		{ "--hosts", "web1", "--copy=/dev/zero", "'/dev/zero' is no program" },
		{ "--hosts", "web1", "--copy", "make static" },
		{ "--feed", "--by", "comm", "--by does not go with --feed" },
		{ "--feed", "--hosts", "web1", "does not go with" },
		{ "--hosts", "web1", "--serve", "--serve does not go with --hosts" },
		{ "--hosts", "web1", "--push=http://127.0.0.1", "--push does not go with --hosts" },
		{ "--feed", "--push=http://127.0.0.1", "-b", "--push does not go with --feed" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const argv[] = { run_ptop(), "--no-config", rows[i][0], rows[i][1], rows[i][2],
					     NULL };
		struct run_result r;

		run_program(&r, MOST_S, (char *const *)(uintptr_t)argv);
		assert_int_equal(WEXITSTATUS(r.status) != 0, true);
		if (strstr(r.err, rows[i][3]) == NULL)
			fail_msg("%s", r.err);
		run_release(&r);
	}
}

/*
 * Folders in which hosts find their programs: "bare" has no ptop, "old" and "here" have one, the machine
 * of "riscv" is another one.  @f is what is copied; it becomes a feed of plain-7.
 */
static bool
make_copied(const char *folder)
{
	static const char make[] =
		"set -e; cd %s; mkdir bare old here riscv tmp; "
		"for tool in sh head sleep cat cksum uname mktemp chmod rm; do "
		"ln -s \"$(command -v $tool)\" bare/; done; "
		"feed() { printf '#!/bin/sh\\n[ $1 = --version ] && echo ptop %%s || exec %%s/tests/feeds %%s 200\\n' "
		"\"$2\" \"%s\" \"$3\" >\"$1\"; chmod +x \"$1\"; }; "
		"feed becomes 1 plain-7; feed old/ptop 0.0.1 plain-8; feed here/ptop " PACKAGE_VERSION
		" plain-9; printf '#!/bin/sh\\necho riscv64\\n' >riscv/uname; chmod +x riscv/uname";
	char line[4096], cwd[1024], path[64], becomes[64];

	snprintf(path, sizeof(path), "%s/static", folder);
	snprintf(becomes, sizeof(becomes), "%s/becomes", folder);
	if (!static_program_write(path, becomes))
		return false;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(line, sizeof(line), make, folder, cwd);
	assert_int_equal(system(line), 0);
	return true;
}

static void
without_any_host_a_batch_has_no_report_and_fails(void **state)
{
	const char *const once[] = { "-d", "0.5", "-n", "1", "--format", "csv", NULL };
	const char *const more[] = { "-d", "0.5", "-n", "8", "--by", "host", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "gone-1,gone-2", "echo \"$1 has no route\" >&2; exit 255", once);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_string_equal(r.out, "");
	assert_non_null(strstr(r.err, "gone-1: not there since "));
	assert_non_null(strstr(r.err, ": gone-2 has no route"));
	assert_non_null(strstr(r.err, "nothing was counted: no host has sent anything"));
	run_release(&r);
	/* Of a series it is the last one that tells. */
	run_hosts(&r, "gone-1,plain-2", "[ $1 = plain-2 ] || exit 255; " MADE_FAST, more);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "plain-2"));
	assert_null(strstr(r.err, "nothing was counted"));
	run_release(&r);
}

/* As if ssh(1) were what @script is. */
static void
run_with_ssh(struct run_result *r, const char *hosts, const char *script)
{
	const char *const argv[] = { run_ptop(), "--no-config", "--hosts", hosts, "-b", "-d", "0.5", "-n", "1",
				     NULL };
	const char *before = getenv("PATH");
	char *kept = before != NULL ? strdup(before) : NULL, path[4096], ssh[64];
	FILE *f;

	snprintf(ssh, sizeof(ssh), "%s/ssh", shared.folder);
	snprintf(path, sizeof(path), "%s:%s", shared.folder, kept != NULL ? kept : "/usr/bin:/bin");
	f = fopen(ssh, "w");
	assert_non_null(f);
	fputs(script, f);
	fclose(f);
	assert_int_equal(chmod(ssh, 0755), 0);
	setenv("PATH", path, 1);
	run_program(r, MOST_S, (char *const *)(uintptr_t)argv);
	if (kept != NULL)
		setenv("PATH", kept, 1);
	else
		unsetenv("PATH");
	free(kept);
	unlink(ssh);
}

static void
that_ssh_must_work_is_said_where_no_ptop_has_answered(void **state)
{
	static const struct {
		const char *script;
		bool is_ssh_doubted;
	} runs[] = {
		{ "#!/bin/sh\necho 'ssh: connect to host a port 22: Connection refused' >&2; exit 255\n", true },
		{ "#!/bin/sh\necho 'bash: line 1: ptop: command not found' >&2; exit 127\n", true },
		{ "#!/bin/sh\necho \"ptop: unknown event 'nosuch'\" >&2; exit 2\n", false },
		{ "#!/bin/sh\nexec tests/feeds newer-1\n", false },
	};
	struct run_result r;

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		run_with_ssh(&r, "a,b", runs[i].script);
		assert_int_equal(WEXITSTATUS(r.status), 1);
		assert_said_of(&r, "nothing was counted", runs[i].is_ssh_doubted ?
			       ": no host has sent anything (ssh HOST ptop --version must" :
			       ": no host has sent anything\n");
		run_release(&r);
	}
}

/* Its ptop's longest refusal, with what helps, is such a line; more than that may be anything. */
static void
what_a_host_said_last_has_its_end_or_a_mark_that_it_is_cut(void **state)
{
	const char *const once[] = { "-d", "0.5", "-n", "1", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "whole-1,long-2", "case $1 in whole-1) n=350;; *) n=1500;; esac; "
		  "echo \"ptop: $(printf %${n}s | sed 's/ /\303\244/g'), or: do that\" >&2; exit 1", once);
	assert_said_of(&r, "whole-1", "\303\244, or: do that\n");
	assert_said_of(&r, "long-2", "\303\244...\n");
	run_release(&r);
}

#define DIGITS_59 "12345678901234567890123456789012345678901234567890123456789"

/* Free Pascal has one, which tells how it is used, in order. */
static void
another_program_of_that_name_is_told_of_with_what_to_do(void **state)
{
	static const char others[] =
		"case $1 in "
		"pascal-1) printf '\\nptop Version 1.0 : Pascal beautifier\\nUsage : ptop infile\\n' ;; "
		"fails-2) echo 'ptop: no such option'; exit 1 ;; "
		"quiet-3) exit 0 ;; "
		"gnu-4) echo \"Try 'ptop --help' for more.\" >&2; exit 2 ;; "
		"own-5) echo 'ptop: its own reason' >&2; exit 1 ;; "
		"sudo-6) echo 'sudo: a password is required' >&2; exit 1 ;; "
		"bash-7) echo 'bash: line 1: ptop: command not found' >&2; exit 127 ;; "
		"user-8) echo 'ptop@user-8: Permission denied (publickey).' >&2; exit 255 ;; "
		"ssh-9) echo 'ssh: connect to host ptop port 22: Connection refused' >&2; exit 255 ;; "
		"greets-10) echo Welcome; echo 'ptop: its own reason' >&2; exit 1 ;; "
		"asks-11) echo Welcome; echo 'sudo: a password is required' >&2; exit 1 ;; "
		"long-12) echo '" DIGITS_59 "\303\244\303\244' ;; "
		"esac";
	static const char *const said[][2] = {
		{ "pascal-1", ": it has ended (it says 'ptop Version 1.0 : Pascal beautifier'): is its ptop "
			      "another program? --copy brings this one\n" },
		{ "fails-2", ": its program ended with status 1 (it says 'ptop: no such option'): is its ptop "
			     "another program? --copy brings this one\n" },
		{ "quiet-3", ": it has ended: is its ptop another program? --copy brings this one\n" },
		{ "gnu-4", ": Try 'ptop --help' for more.: --copy brings this ptop\n" },
		{ "own-5", ": ptop: its own reason\n" },
		{ "sudo-6", ": sudo: a password is required\n" },
		{ "bash-7", ": bash: line 1: ptop: command not found: --copy brings this ptop\n" },
		{ "user-8", ": ptop@user-8: Permission denied (publickey).\n" },
		{ "ssh-9", ": ssh: connect to host ptop port 22: Connection refused\n" },
		{ "greets-10", ": ptop: its own reason\n" },
		{ "asks-11", ": sudo: a password is required (it says 'Welcome')\n" },
		{ "long-12", " (it says '" DIGITS_59 "...'): is its ptop another program?" },
	};
	const char *const once[] = { "-d", "1", "-n", "1", NULL };
	struct run_result r;

	(void)state;
	run_hosts(&r, "pascal-1,fails-2,quiet-3,gnu-4,own-5,sudo-6,bash-7,user-8,ssh-9,greets-10,"
		      "asks-11,long-12", others, once);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		assert_said_of(&r, said[i][0], said[i][1]);
	run_release(&r);
}

/* What is copied has no name there before its first byte comes: nothing is left of what is killed. */
static void
a_host_without_ptop_gets_one_that_leaves_nothing(void **state)
{
	static const char bring[] =
		"export TMPDIR=%s/tmp PATH=%s/${1%%-*}:%s/bare; "
		"case $1 in "
		"cut-*) head -c 5000 | sh -c \"$2\"; exit ;; "
		/* pipes hold less: the file has lost its name when so much of it has come */
		"killed-*) case $2 in *cksum*) exec 3<&0; "
		"{ head -c 200000 <&3; : >%s/half; sleep 5; } | sh -c \"$2\" & p=$!; "
		"until [ -e %s/half ]; do sleep 0.05; done; kill -9 $p; exit ;; esac ;; "
		"esac; exec sh -c \"$2\"";
	char folder[] = "/tmp/ptop-copy-XXXXXX", command[1024], copy[64], line[64];
	const char *const more[] = { "-d", "1.5", "-n", "1", "--by", "host,symbol", "--format", "csv",
				     copy, NULL };
	const char *const got[][2][2] = {
		{ { "host", "none-1" }, { "symbol", "only_on_7" } },
		{ { "host", "old-1" }, { "symbol", "only_on_7" } },
		{ { "host", "here-1" }, { "symbol", "only_on_9" } },
	};
	struct run_result r;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(line, sizeof(line), "rm -rf %s", folder);
	if (!make_copied(folder)) {
		system(line);
		skip_for("no code of this machine's is known to the test");
	}
	snprintf(command, sizeof(command), bring, folder, folder, folder, folder, folder);
	snprintf(copy, sizeof(copy), "--copy=%s/static", folder);
	run_hosts(&r, "none-1,old-1,here-1,riscv-1,cut-1,killed-1", command, more);
	if (r.status != 0 || run_csv_sum(r.out, "samples", 2, got[0]) == 0)
		print_message("# %s", r.err);
	for (size_t i = 0; i < ARRAY_SIZE(got); i++)
		assert_that(run_csv_sum(r.out, "samples", 2, got[i]), >, 0);
	assert_non_null(strstr(r.err, "riscv-1: not there since"));
	assert_non_null(strstr(r.err, "this machine is riscv64, the ptop to copy is for x86_64"));
	assert_non_null(strstr(r.err, "the ptop that was copied there is not whole"));
	assert_non_null(strstr(r.err, "killed-1: "));
	snprintf(copy, sizeof(copy), "%s/tmp", folder);
	assert_int_equal(rmdir(copy), 0);
	assert_int_equal(system(line), 0);
	run_release(&r);
}

/* A second name on a line would be missed by nobody until it is needed. */
static void
a_line_of_a_list_is_one_host(void **state)
{
	static const char list[] = "# ours\n\n\tweb1 # a note\r\nweb2  web3\n";
	char path[64], option[80];
	const char *const argv[] = { run_ptop(), "--no-config", option, "-b", NULL };
	struct run_result r;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/list", shared.folder);
	snprintf(option, sizeof(option), "--hosts=@%s", path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(list, f);
	fclose(f);
	run_program(&r, MOST_S, (char *const *)(uintptr_t)argv);
	unlink(path);
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "'web2  web3' is no name of a host"));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_told_apart_to_the_sample),
		cmocka_unit_test(each_host_that_is_not_well_is_marked_with_the_reason),
		cmocka_unit_test(a_host_that_floods_holds_up_no_other),
		cmocka_unit_test(more_than_a_host_can_count_is_not_counted),
		cmocka_unit_test(a_host_that_floods_leaves_the_others_their_part_of_the_tables),
		cmocka_unit_test(nothing_is_left_of_what_was_started),
		cmocka_unit_test(names_of_a_host_cannot_command_the_terminal),
		cmocka_unit_test(processes_have_the_host_beside_them),
		cmocka_unit_test(stacks_of_hosts_have_all_samples),
		cmocka_unit_test(a_host_that_has_callers_without_end_takes_no_more_than_its_part),
		cmocka_unit_test(of_two_seconds_that_come_in_one_all_callers_are_known),
		cmocka_unit_test(what_limits_hosts_is_told_of_all_that_are_alike),
		cmocka_unit_test(why_code_has_no_name_is_what_its_host_says),
		cmocka_unit_test(what_helps_a_ptop_that_is_copied_names_none_of_it),
		cmocka_unit_test(a_ptop_that_is_copied_keeps_nothing),
		cmocka_unit_test(a_remark_is_no_reason_why_a_host_is_gone),
		cmocka_unit_test(an_event_that_counts_something_else_on_a_host_is_one_of_its_own),
		cmocka_unit_test(a_real_feed_tells_who_called),
		cmocka_unit_test(a_real_feed_has_the_names_of_that_ptop),
		cmocka_unit_test(without_any_host_a_batch_has_no_report_and_fails),
		cmocka_unit_test(that_ssh_must_work_is_said_where_no_ptop_has_answered),
		cmocka_unit_test(what_a_host_said_last_has_its_end_or_a_mark_that_it_is_cut),
		cmocka_unit_test(another_program_of_that_name_is_told_of_with_what_to_do),
		cmocka_unit_test(a_host_without_ptop_gets_one_that_leaves_nothing),
		cmocka_unit_test(what_does_not_go_with_hosts_is_refused),
		cmocka_unit_test(a_line_of_a_list_is_one_host),
	};

	return cmocka_run_group_tests(tests, run_mixed, release_mixed);
}
