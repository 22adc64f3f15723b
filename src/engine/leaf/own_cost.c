/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/own_cost.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"

/* Of a shorter time it would be the cost of one beat. */
enum { LEAST_MS = 100 };

void
own_cost_measure_memory(struct own_cost *c)
{
	struct buf b = { 0 };
	unsigned long pages = 0;

	if (file_read_kept(&c->statm, AT_FDCWD, "/proc/self/statm", &b, 4096) == 0 &&
	    sscanf(buf_str(&b), "%*u %lu", &pages) != 1)
		pages = 0;
	buf_release(&b);
	c->bytes = (uint64_t)pages * page_size();
}

uint64_t
own_cost_ns(const struct own_cost *c)
{
	return clock_process_cpu_ns() + (c->helpers_ns != NULL ? c->helpers_ns(c->self) : 0);
}

void
own_cost_begin(struct own_cost *c)
{
	c->cpu_percent = NAN;
	c->before_ns = own_cost_ns(c);
	c->since_ns = clock_mono_ns();
	own_cost_measure_memory(c);
}

void
own_cost_measure(struct own_cost *c)
{
	/* Both now: what was used while a beat was late is of the time that it was late. */
	const uint64_t now_ns = clock_mono_ns();
	/* A parser that has just ended may be missing until its host has told. */
	const uint64_t cpu_ns = MAX(own_cost_ns(c), c->before_ns);

	own_cost_measure_memory(c);
	if (now_ns < c->since_ns + LEAST_MS * NSEC_PER_MSEC)
		return;
	c->cpu_percent = (double)(cpu_ns - c->before_ns) * 100 / (double)(now_ns - c->since_ns);
	c->before_ns = cpu_ns;
	c->since_ns = now_ns;
}

void
own_cost_release(struct own_cost *c)
{
	file_close_kept(&c->statm);
}
