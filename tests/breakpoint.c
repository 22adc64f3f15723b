/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/breakpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/skip.h"

bool
breakpoints_work(void)
{
	static volatile long watched;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched, .bp_len = sizeof(watched), .exclude_kernel = 1,
	};
	uint64_t count = 0;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return false;
	for (int i = 0; i < 3; i++)
		watched = i;
	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		count = 0;
	close(fd);
	return count == 3;
}

void
need_breakpoints(void)
{
	if (!breakpoints_work())
		skip_for("breakpoints of this machine count nothing");
}
