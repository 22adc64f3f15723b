/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Root's ptop has its symbols parsed by the user 65534, and whoever is that user, too, may stop the
 * processes that do it, for ever: ptop goes on, and ends, all the same, and they end with it.
 * It takes more than half a minute: who stands still is given up after seconds, for each person.
 */
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/person.h"
#include "tests/root.h"
#include "tests/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/util.h"

enum {
	STEP_MS = 20,
	START_MS = 30000,
	PARSER_MS = 20000, /* until it has one */
	TRIES = 5,
	END_MS = 60000,    /* of one that was asked to end, on a busy machine */
	GIVE_UP_MS = 180000, /* who has a tenth of a CPU reads the names of the kernel for a minute */
	TEXT_MAX = 1 << 22,
	WHOLE_S = 180,
};

/* The processes that a ptop has beside it, 0: it has none. */
struct helpers {
	pid_t host, parser;
};

struct stopped {
	char dir[64];
	pid_t load, ptop;
};

static const char *const persons[] = { "root", "few-caps", "nobody" };

static const struct victims {
	const char *name;
	bool host, parser;
} victims[] = {
	{ "the host", true, false },
	{ "the parser", false, true },
	{ "both", true, true },
};

static int
setup(void **state)
{
	struct stopped *s = calloc(1, sizeof(*s));

	strcpy(s->dir, "/tmp/ptop-stopped-XXXXXX");
	*state = s;
	return mkdtemp(s->dir) != NULL ? 0 : -1;
}

static void
end_ptop(struct stopped *s)
{
	run_end(s->ptop);
	s->ptop = 0;
}

static int
teardown(void **state)
{
	struct stopped *s = *state;
	char *argv[] = { "rm", "-rf", s->dir, NULL };
	struct run_result r;

	end_ptop(s);
	run_end(s->load);
	run_program(&r, 60, argv);
	run_release(&r);
	free(s);
	return 0;
}

static void
nap(void)
{
	usleep(STEP_MS * 1000);
}

static char *
read_output(const struct stopped *s, const char *name)
{
	struct buf b = { 0 };
	char path[96], *text;

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	if (file_read(path, &b, TEXT_MAX) < 0)
		buf_reset(&b);
	text = strdup(buf_str(&b));
	buf_release(&b);
	return text;
}

static void
open_output(const struct stopped *s, const char *name, int as)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || dup2(fd, as) < 0)
		_exit(97);
}

/* No image is kept from another run: there is something to parse. */
static void
start_ptop(struct stopped *s, const char *who, const char *delay)
{
	char path[256];
	char *argv[] = { path, "-b", "-d", (char *)(uintptr_t)delay, "-e", "cpu-clock", "--by",
			 "comm,dso,reason", NULL };

	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	s->ptop = run_fork();
	if (s->ptop != 0)
		return;
	open_output(s, "out", STDOUT_FILENO);
	open_output(s, "err", STDERR_FILENO);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	execv(person_call(who, argv)[0], person_call(who, argv));
	_exit(127);
}

/* The parser is the host's child and has its name. */
static struct helpers
find_helpers(pid_t ptop)
{
	struct helpers h = { 0 };
	pid_t pids[FAMILY_MAX];
	size_t n = family_find(ptop, pids);

	for (size_t i = 1; i < n; i++) {
		pid_t parent = family_parent(pids[i]);

		if (!family_is_called(pids[i], "ptop-symbols") || parent == 0)
			continue;
		if (family_is_called(parent, "ptop-symbols"))
			h = (struct helpers){ parent, pids[i] };
		else if (h.host == 0)
			h.host = pids[i];
	}
	return h;
}

static bool
wait_for_helpers(const struct stopped *s, struct helpers *h)
{
	const uint64_t end = clock_mono_ns() + PARSER_MS * NSEC_PER_MSEC;

	do {
		*h = find_helpers(s->ptop);
		if (h->host != 0 && h->parser != 0 && family_parser_is_ready(h->parser))
			return true;
		nap();
	} while (clock_mono_ns() < end);
	return false;
}

static bool
stop_helpers(const struct helpers *h, const struct victims *v)
{
	return (!v->parser || family_try_to_stop(h->parser)) &&
	       (!v->host || family_try_to_stop(h->host));
}

/*
 * A parser that has nothing to do for some seconds is let go, and a ptop that sees few processes may
 * need no other: who comes too late to stop it tries again.
 */
static struct helpers
start_and_stop(struct stopped *s, const char *who, const char *delay, const struct victims *v)
{
	struct helpers h = { 0 };

	for (int tries = 0; tries < TRIES; tries++) {
		start_ptop(s, who, delay);
		if (wait_for_helpers(s, &h) && stop_helpers(&h, v))
			return h;
		print_message("# %s's: no parser, or it was let go\n", who);
		end_ptop(s);
	}
	fail_msg("no parser: %s", read_output(s, "err"));
	return h;
}

/* -1: it still runs. */
static int
wait_for_end(struct stopped *s, unsigned within_ms)
{
	const uint64_t end = clock_mono_ns() + within_ms * NSEC_PER_MSEC;
	int status;

	while (clock_mono_ns() < end) {
		if (waitpid(s->ptop, &status, WNOHANG) == s->ptop) {
			s->ptop = 0;
			return status;
		}
		nap();
	}
	return -1;
}

static void
assert_ends_with_report(struct stopped *s, const char *who, const struct victims *v)
{
	pid_t pids[FAMILY_MAX];
	size_t n = family_find(s->ptop, pids);
	int status;
	char *out;

	kill(s->ptop, SIGTERM);
	status = wait_for_end(s, END_MS);
	if (status != 0)
		fail_msg("%s's with %s stopped: status %#x", who, v->name, (unsigned)status);
	out = read_output(s, "out");
	if (strstr(out, "mine") == NULL)
		fail_msg("%s's with %s stopped: no report: %s%s", who, v->name, out,
			 read_output(s, "err"));
	free(out);
	family_assert_gone(pids + 1, n - 1);
}

static void
assert_kill_ends_all(struct stopped *s, const char *who, const struct victims *v)
{
	pid_t pids[FAMILY_MAX];
	size_t n = family_find(s->ptop, pids);

	print_message("# %s's with %s stopped\n", who, v->name);
	kill(s->ptop, SIGKILL);
	assert_int_equal(wait_for_end(s, END_MS), SIGKILL);
	family_assert_gone(pids + 1, n - 1);
}

/* Of the user's own: an ordinary one's ptop sees no other. */
static void
start_load(struct stopped *s, const char *who)
{
	const uint64_t end = clock_mono_ns() + START_MS * NSEC_PER_MSEC;
	char load[256], *argv[] = { load, NULL };

	snprintf(load, sizeof(load), "%s/mine", person_dir());
	s->load = person_start(who, argv);
	while (!family_is_called(s->load, "mine")) {
		assert_that(clock_mono_ns(), <, end);
		nap();
	}
}

/* @play for each user and each choice of processes, which are stopped. */
static void
for_each_scene(struct stopped *s, void (*play)(struct stopped *s, const char *who,
					       const struct victims *v))
{
	for (size_t i = 0; i < ARRAY_SIZE(persons); i++) {
		start_load(s, persons[i]);
		for (size_t k = 0; k < ARRAY_SIZE(victims); k++) {
			start_and_stop(s, persons[i], "60", &victims[k]);
			play(s, persons[i], &victims[k]);
		}
		run_end(s->load);
		s->load = 0;
	}
}

static void
it_ends_with_its_report_when_it_is_asked_to(void **state)
{
	need_root();
	for_each_scene(*state, assert_ends_with_report);
}

static void
nothing_is_left_when_it_is_killed(void **state)
{
	need_root();
	for_each_scene(*state, assert_kill_ends_all);
}

/*
 * By root: it, and all that it has forked.  One that has just been forked goes by the name of a thread
 * and is left alone: it has not asked yet to end with ptop.
 */
static void
assert_kill_ends_all_when_all_is_stopped(struct stopped *s, const char *who,
					 const struct victims *v)
{
	const struct helpers h = find_helpers(s->ptop);
	pid_t pids[FAMILY_MAX];
	size_t n = family_find(s->ptop, pids);

	kill(s->ptop, SIGSTOP);
	for (size_t i = 1; i < n; i++)
		if (pids[i] == h.host || pids[i] == h.parser ||
		    family_is_called(pids[i], "ptop-keeper") ||
		    family_is_called(pids[i], "ptop-open"))
			kill(pids[i], SIGSTOP);
	assert_kill_ends_all(s, who, v);
}

static void
nothing_is_left_when_it_is_killed_and_all_of_it_is_stopped(void **state)
{
	need_root();
	for_each_scene(*state, assert_kill_ends_all_when_all_is_stopped);
}

static void
wait_for_text(const struct stopped *s, const char *name, const char *text)
{
	const uint64_t end = clock_mono_ns() + GIVE_UP_MS * NSEC_PER_MSEC;
	bool found = false;

	while (!found) {
		char *all = read_output(s, name);

		found = strstr(all, text) != NULL;
		if (!found && clock_mono_ns() >= end)
			fail_msg("no '%s' in %s", text, all);
		free(all);
		nap();
	}
}

/* The next parser would come from the host that is stopped. */
static void
it_goes_on_without_names_and_says_why(void **state)
{
	struct stopped *s = *state;
	struct helpers h;

	need_root();
	h = start_and_stop(s, "root", "0.5", &victims[0]);
	kill(h.parser, SIGKILL);
	s->load = run_load("hot");
	wait_for_text(s, "err", "the process that parses symbols did not answer");
	wait_for_text(s, "out", "did not answer for");
	family_assert_gone(&h.host, 1);
	kill(s->ptop, SIGTERM);
	assert_int_equal(wait_for_end(s, END_MS), 0);
}

/* ---- somebody who stops all that is to be seen of it, from its first moment on */

#define ATTACK_OPTION "--attack"

static void
read_namespace(char name[64])
{
	ssize_t len = readlink("/proc/self/ns/pid", name, 63);

	name[len > 0 ? len : 0] = '\0';
}

/* In a pid namespace of the test's own: all others are left alone. */
static void
attack(const char *outer)
{
	char inner[64];

	read_namespace(inner);
	if (strcmp(outer, inner) == 0 ||
	    setresuid(PERSON_NOBODY, PERSON_NOBODY, PERSON_NOBODY) < 0)
		_exit(1);
	for (;;)
		kill(-1, SIGSTOP);
}

/*
 * What is left is looked for by name: who attacks does so from inside of the namespace, and shows
 * itself with the last line.
 */
static const char attacked[] =
	"\"$0\" " ATTACK_OPTION " \"$2\" & attacker=$!\n"
	"for round in 1 2 3 4 5 6 7 8; do\n"
	"	for wait in 0.001 0.002 0.004 0.008 0.016 0.05; do\n"
	"		\"$1\" -b -d 60 -e cpu-clock >/dev/null 2>&1 & ptop=$!\n"
	"		sleep $wait; kill -9 $ptop; wait $ptop\n"
	"	done\n"
	"done 2>/dev/null\n"
	"for try in $(seq 150); do\n"
	"	left=$(cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^ptop')\n"
	"	[ $left = 0 ] && break; sleep 0.1\n"
	"done\n"
	"kill -0 $attacker && echo left: $left\n";

static void
nothing_is_left_of_one_that_is_stopped_at_any_moment(void **state)
{
	char self[4096], ptop[256], outer[64];
	char *argv[] = { "sh", "-c", (char *)(uintptr_t)attacked, self, ptop, outer, NULL };
	struct run_result r;
	ssize_t len;

	(void)state;
	need_root();
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[len > 0 ? len : 0] = '\0';
	snprintf(ptop, sizeof(ptop), "%s/ptop", person_dir());
	read_namespace(outer);
	run_program(&r, WHOLE_S, person_call("pid-ns", argv));
	if (strcmp(r.out, "left: 0\n") != 0)
		fail_msg("%s%s", r.out, r.err);
	run_release(&r);
}

int
main(int argc, char **argv)
{
#define stopped_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		stopped_test(it_ends_with_its_report_when_it_is_asked_to),
		stopped_test(nothing_is_left_when_it_is_killed),
		stopped_test(nothing_is_left_when_it_is_killed_and_all_of_it_is_stopped),
		stopped_test(it_goes_on_without_names_and_says_why),
		stopped_test(nothing_is_left_of_one_that_is_stopped_at_any_moment),
	};

	if (argc == 3 && strcmp(argv[1], ATTACK_OPTION) == 0)
		attack(argv[2]);
	person_main(argv);
	return cmocka_run_group_tests(tests, person_begin, person_end);
}
