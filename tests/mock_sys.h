/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_MOCK_SYS_H
#define PTOP_TESTS_MOCK_SYS_H
/* A kernel as a test wants it: it opens what is not refused, and does what it is asked to. */
#include <stdbool.h>

#include "live/sys/sys.h"

enum { MOCK_FD = 1000, MOCK_RING_BYTES = 1 << 20 };

struct mock_sys {
	struct sys sys; /* first: the functions get it */
	int (*refuse)(const struct event_attr *attr, int pid, int cpu); /* an errno, 0 to open; or NULL */
	uint32_t size;    /* of the attributes that it knows, 0: any */
	bool makes_files; /* descriptors that can be mapped and closed, else each is MOCK_FD */
	unsigned calls, opened;
	struct event_attr last;
};

/* Counters that are read say 7; a filter with "no_such" in it is refused. */
void mock_sys_init(struct mock_sys *m);

/* For kernels that do more before they open: @self is a mock_sys. */
int mock_sys_open(const struct sys *self, struct event_attr *attr, int pid, int cpu);

#endif
