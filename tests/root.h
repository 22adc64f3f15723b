/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_ROOT_H
#define PTOP_TESTS_ROOT_H
/* For tests of what only root may: all CPUs, others' processes, mounts, probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "tests/skip.h"

/* Ends the test as skipped for anybody else. */
static inline void
need_root(void)
{
	if (geteuid() != 0)
		skip_for("not root");
}

static inline void
need_uprobes(void)
{
	need_root();
	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK) != 0)
		skip_for("the kernel has no uprobes");
}

#endif
