/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/crowd.h"

struct crowd *
crowds_find(struct crowds *c, uint32_t comm, uint32_t cgroup)
{
	for (size_t i = 0; i < c->len; i++)
		if (c->items[i].comm == comm && c->items[i].cgroup == cgroup)
			return &c->items[i];
	return NULL;
}

void
crowds_ended(struct crowds *c, uint32_t comm, uint32_t cgroup, size_t tasks)
{
	if (tasks < CROWD_LEAST || comm == 0 || c->len == CROWD_NAMES_MAX ||
	    crowds_find(c, comm, cgroup) != NULL)
		return;
	/* Until it was there for as long as others it is not judged by how many came. */
	c->items[c->len++] = (struct crowd){ comm, cgroup, CROWD_STAYS };
}

void
crowds_judge(struct crowds *c, uint64_t now_ns)
{
	size_t len = 0;

	if (now_ns - c->judged_ns < CROWD_JUDGE_S * NSEC_PER_SEC)
		return;
	c->judged_ns = now_ns;
	for (size_t i = 0; i < c->len; i++) {
		if (c->items[i].tasks < CROWD_STAYS)
			continue;
		c->items[len] = c->items[i];
		c->items[len++].tasks = 0;
	}
	c->len = len;
}

void
crowds_end(struct crowds *c)
{
	c->len = 0;
}
