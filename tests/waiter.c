/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/asserts.h"
#include "tests/waiter.h"

static void
start(struct waiter *w, bool is_on_0)
{
	int fd;
	void *map;

	snprintf(w->file, sizeof(w->file), "/tmp/ptop-waits-XXXXXX");
	fd = mkstemp(w->file);
	assert_return_code(fd, 0);
	assert_return_code(ftruncate(fd, 4096), 0);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	w->waited = map;
	w->pid = is_on_0 ? run_load_on_0("waits", w->file) : run_load_with("waits", w->file, NULL);
	snprintf(w->tid, sizeof(w->tid), "%d", run_thread(w->pid, "worker"));
	while (w->waited[PIPE] == 0)
		usleep(1000);
}

void
waiter_start(struct waiter *w)
{
	start(w, false);
}

void
waiter_start_on_0(struct waiter *w)
{
	start(w, true);
}

void
waiter_end(struct waiter *w)
{
	run_end(w->pid);
	unlink(w->file);
	munmap((void *)(uintptr_t)w->waited, 4096);
}

/* With @sign 1 as it is now, with -1 less what it was. */
static void
add_now(struct waiter_span *span, const struct waiter *w, int sign)
{
	span->s += sign * (double)clock_mono_ns() / 1e9;
	for (size_t i = 0; i < WAITS; i++) {
		span->waited_s[i] += sign * (double)w->waited[i] / 1e9;
		span->waits[i] += sign * (double)w->waited[WAITS + i];
	}
}

void
waiter_span_begin(struct waiter_span *span, const struct waiter *w)
{
	*span = (struct waiter_span){ 0 };
	add_now(span, w, -1);
}

void
waiter_span_end(struct waiter_span *span, const struct waiter *w)
{
	add_now(span, w, 1);
}

void
assert_waits_of_span(double s, const struct waiter_span *span, size_t kind)
{
	assert_that(s, <=, span->waited_s[kind] + TURN_S); /* one goes on */
	assert_that(s, >=, span->waited_s[kind] - (span->s - LOOK_S) - TURN_S);
}

double
seconds_in(const char *text, const char *function)
{
	const char *const pairs[][2] = { { "depth", "0" }, { "symbol", function } };

	return run_csv_sum(text, "period", 2, pairs) / 1e9;
}

double
state_sum(const char *text, const char *state)
{
	return run_csv_sum(text, "period", 1, (const char *const[][2]){ { "state", state } }) / 1e9;
}
