/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/breakpoint.h"

#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <unistd.h>

bool
breakpoints_fire(const struct sys *sys)
{
	volatile uint64_t watched = 0;
	struct event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
		.config1 = (uintptr_t)&watched, .config2 = sizeof(watched),
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	uint64_t count = 0;
	int fd = sys->open(sys, &attr, 0, -1);
	bool is_read;

	if (fd < 0)
		return true;
	watched = 1;
	is_read = sys->read(sys, fd, &count, 1) == (int)sizeof(count);
	close(fd);
	return !is_read || count > 0;
}
