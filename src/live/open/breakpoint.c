/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/breakpoint.h"

#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"

enum { ROUNDS = 4, HITS_EACH = 16 };

/* On a variable of the caller's; -1: it cannot be opened. */
static int
watch(const struct sys *sys, volatile uint64_t *watched)
{
	struct event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
		.config1 = (uintptr_t)watched, .config2 = sizeof(*watched),
		.exclude_kernel = 1, .exclude_hv = 1,
	};

	return sys->open(sys, &attr, 0, -1);
}

bool
breakpoints_fire(const struct sys *sys)
{
	volatile uint64_t watched = 0;
	int fd = watch(sys, &watched);
	uint64_t count = 0;
	bool is_read;

	if (fd < 0)
		return true;
	watched = 1;
	is_read = sys->read(sys, fd, &count, 1) == (int)sizeof(count);
	close(fd);
	return !is_read || count > 0;
}

/* One that would be 0 for ever says nothing of what it watches. */
int
breakpoint_check(const struct sys *sys, const struct event *spec, struct err *err)
{
	if (spec->type != PERF_TYPE_BREAKPOINT || breakpoints_fire(sys))
		return 0;
	err_set(err, ERR_UNSUPPORTED, 0, "event '%.80s' would count nothing: " BREAKPOINTS_SILENT,
		spec->name);
	return err_hint(err, BREAKPOINTS_HINT);
}

uint64_t
breakpoint_hit_ns(const struct sys *sys)
{
	volatile uint64_t watched = 0;
	int fd = watch(sys, &watched);
	uint64_t least_ns = UINT64_MAX;

	if (fd < 0)
		return 0;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = clock_mono_ns();

		for (uint64_t i = 0; i < HITS_EACH; i++)
			watched = i;
		least_ns = MIN(least_ns, clock_mono_ns() - begin_ns);
	}
	close(fd);
	return least_ns / HITS_EACH;
}
