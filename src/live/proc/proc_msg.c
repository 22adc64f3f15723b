/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_msg.h"

#include <stdlib.h>

void
proc_maps_msg_free(struct proc_maps_msg *m)
{
	if (m == NULL)
		return;
	free(m->maps);
	free(m->names);
	free(m);
}

void
proc_tick_msg_free(struct proc_tick_msg *m)
{
	if (m == NULL)
		return;
	free(m->cpus);
	free(m->processes);
	free(m->threads);
	free(m->strings);
	free(m);
}
