/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_msg.h"

#include <stdlib.h>

static void
free_maps(struct msg *msg)
{
	struct proc_maps_msg *m = (struct proc_maps_msg *)msg;

	free(m->maps);
	free(m->names);
	free(m);
}

struct proc_maps_msg *
proc_maps_msg_new(void)
{
	struct proc_maps_msg *m = msg_new(sizeof(*m), PROC_MSG_MAPS, free_maps);

	return m;
}

static void
free_tick(struct msg *msg)
{
	struct proc_tick_msg *m = (struct proc_tick_msg *)msg;

	free(m->cpus);
	free(m->processes);
	free(m->threads);
	free(m->strings);
	free(m);
}

struct proc_tick_msg *
proc_tick_msg_new(void)
{
	struct proc_tick_msg *m = msg_new(sizeof(*m), PROC_MSG_TICK, free_tick);

	return m;
}
