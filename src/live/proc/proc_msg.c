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
	return msg_new(sizeof(struct proc_maps_msg), PROC_MSG_MAPS, free_maps);
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
	return msg_new(sizeof(struct proc_tick_msg), PROC_MSG_TICK, free_tick);
}

const struct proc_info *
proc_info_find(const struct proc_info *infos, size_t count, int pid)
{
	size_t at;

	FIND_FIRST(at, count, infos[at].pid >= pid);
	return at < count && infos[at].pid == pid ? &infos[at] : NULL;
}
