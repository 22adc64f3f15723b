/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/screen_fixture.h"

#include <unistd.h>

#include "base/util.h"

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
screen_load(struct screen *s, const char *name)
{
	int i = 0;

	while (s->loads[i] != 0)
		i++;
	assert_true(i < LOADS_MAX);
	s->loads[i] = run_load(name);
	assert_true(s->loads[i] > 0);
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
	if (geteuid() != 0) {
		print_message("# sampling every CPU needs root here\n");
		skip();
	}
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
sees(struct screen *s, const char *text)
{
	if (!pty_wait_text(s->p, text, SOON_MS))
		fail_msg("'%s' is not on the screen:\n%s", text, pty_screen(s->p));
}

void
sees_match(struct screen *s, const char *regex)
{
	if (!pty_wait_match(s->p, regex, SOON_MS))
		fail_msg("no line matches '%s':\n%s", regex, pty_screen(s->p));
}

void
sees_no(struct screen *s, const char *text)
{
	if (!pty_wait_gone(s->p, text, SOON_MS))
		fail_msg("'%s' is still on the screen:\n%s", text, pty_screen(s->p));
}

void
wait_for_events(struct screen *s, int wanted)
{
	int now = run_count_events(pty_pid(s->p));

	for (int ms = 0; ms < SOON_MS && now != wanted; ms += 100) {
		pty_run(s->p, 100);
		now = run_count_events(pty_pid(s->p));
	}
	assert_int_equal(now, wanted);
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
