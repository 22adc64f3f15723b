/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/asserts.h"
#include "tests/screen_fixture.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/util.h"
#include "tests/skip.h"

enum { SETTLED_MS = 1500 };

int
screen_setup(void **state)
{
	*state = mem_calloc(1, sizeof(struct screen));
	return 0;
}

int
screen_teardown(void **state)
{
	struct screen *s = *state;

	pty_free(s->p);
	for (int i = 0; i < LOADS_MAX; i++)
		run_end(s->loads[i]);
	free(s);
	return 0;
}

void
screen_load_with(struct screen *s, const char *name, const char *arg)
{
	int i = 0;

	while (s->loads[i] != 0)
		i++;
	assert_that(i, <, LOADS_MAX);
	s->loads[i] = arg != NULL ? run_load_with(name, arg, NULL) : run_load(name);
	assert_that(s->loads[i], >, 0);
}

void
screen_load(struct screen *s, const char *name)
{
	screen_load_with(s, name, NULL);
}

void
screen_end_load(struct screen *s, int i)
{
	run_end(s->loads[i]);
	s->loads[i] = 0;
}

void
screen_run(struct screen *s, int width, int height, char *const argv[], const char *const *env)
{
	if (geteuid() != 0)
		skip_for("sampling every CPU needs root here");
	s->p = pty_start(argv, &(struct pty_options){ width, height, env });
	assert_non_null(s->p);
}

void
screen_start(struct screen *s, int width, int height, char *const args[], const char *const *env)
{
	char *argv[16] = { (char *)(uintptr_t)run_ptop() };

	for (size_t i = 0; args[i] != NULL; i++)
		argv[i + 1] = args[i];
	screen_run(s, width, height, argv, env);
}

void
screen_start_on_load(struct screen *s, int width, int height, char *const args[], const char *const *env)
{
	char pid[16], *argv[16] = { (char *)(uintptr_t)"-p", pid };

	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	for (size_t i = 0; args[i] != NULL; i++)
		argv[i + 2] = args[i];
	screen_start(s, width, height, argv, env);
}

/* The screen is longer than what cmocka prints of a message. */
void
fail_with_screen(struct screen *s, const char *text, const char *how)
{
	fprintf(stderr, "ERROR: the screen:\n%s\n", pty_screen(s->p));
	fail_msg("'%s' %s", text, how);
}

void
sees(struct screen *s, const char *text)
{
	if (!pty_wait_text(s->p, text, SOON_MS))
		fail_with_screen(s, text, "is not on the screen");
}

void
sees_match(struct screen *s, const char *regex)
{
	if (!pty_wait_match(s->p, regex, SOON_MS))
		fail_with_screen(s, regex, "matches no line");
}

void
sees_no(struct screen *s, const char *text)
{
	if (!pty_wait_gone(s->p, text, SOON_MS))
		fail_with_screen(s, text, "is still on the screen");
}

void
loses_few(struct screen *s)
{
	enum { RATE = 999 };
	const char *at;
	char *end;
	double lost;

	sees(s, " lost ");
	at = strstr(pty_screen(s->p), " lost ");
	assert_non_null(at);
	lost = strtod(at + strlen(" lost "), &end);
	assert_true(end > at + strlen(" lost "));
	if (*end == 'k') {
		lost *= 1e3;
		end++;
	}
	assert_int_equal(*end, ' ');
	assert_that(lost, <, RATE * sysconf(_SC_NPROCESSORS_ONLN));
}

int
settled_events(struct screen *s)
{
	int now = run_count_events(pty_pid(s->p)), same_ms = 0;

	for (int ms = 0; ms < SOON_MS && same_ms < SETTLED_MS; ms += 100) {
		int before = now;

		pty_run(s->p, 100);
		now = run_count_events(pty_pid(s->p));
		same_ms = now == before ? same_ms + 100 : 0;
	}
	return now;
}

void
wait_for_events(struct screen *s, int wanted)
{
	int now = run_count_events(pty_pid(s->p));

	for (int ms = 0; ms < SOON_MS && now != wanted; ms += 100) {
		pty_run(s->p, 100);
		now = run_count_events(pty_pid(s->p));
	}
	if (now != wanted)
		fail_msg("it has %d events, not %d:\n%s", now, wanted, pty_screen(s->p));
}

void
keys(struct screen *s, const char *text)
{
	pty_keys(s->p, text);
}

void
ends_in_order(struct screen *s)
{
	const char *bad;

	assert_int_equal(pty_wait_exit(s->p, SOON_MS), 0);
	bad = pty_not_restored(s->p);
	if (bad != NULL)
		fail_msg("not restored: %s", bad);
	pty_free(s->p);
	s->p = NULL;
}

void
leave(struct screen *s)
{
	keys(s, "q");
	ends_in_order(s);
}

void
screen_recording(char *path, unsigned records, uint64_t step_ns)
{
	struct record { /* of IP, TID, TIME, PERIOD */
		uint32_t type;
		uint16_t misc, size;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time_ns, period;
	} r = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r), 0x1000, 7, 7, 0, 1000 };
	const char *top = getenv("top_srcdir");
	struct buf small = { 0 };
	uint64_t no_size = 0; /* as if perf was killed: up to the end */
	char from[PATH_MAX];
	FILE *f = fdopen(mkstemp(path), "w");

	snprintf(from, sizeof(from), "%s/tests/data/fuzz/datafile/plain", top != NULL ? top : ".");
	assert_non_null(f);
	assert_int_equal(file_read(from, &small, 4096), 0);
	memcpy(small.data + 48, &no_size, sizeof(no_size));
	fwrite(small.data, 1, 184, f);
	for (unsigned i = 0; i < records; i++) {
		r.time_ns = (i + 1) * step_ns;
		fwrite(&r, sizeof(r), 1, f);
	}
	assert_int_equal(fclose(f), 0);
	buf_release(&small);
}
