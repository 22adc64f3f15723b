/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/hung.h"

#include "base/util.h"
#include "live/proc/proc_owner.h"

/* Who owns a process is told without its locks. */
void
hung_add(struct hung *h, int proc_fd, int pid)
{
	struct hung_process *p = &h->items[h->count++];

	p->pid = pid;
	if (pid == 0 || proc_owner_of(proc_fd, pid, &p->uid) != 0)
		p->uid = UINT32_MAX;
}

void
hung_remove(struct hung *h, size_t index)
{
	h->items[index] = h->items[--h->count];
}

bool
hung_is_full_of(const struct hung *h, uint32_t uid)
{
	size_t own = 0;

	if (uid == UINT32_MAX)
		return false;
	for (size_t i = 0; i < h->count; i++)
		own += h->items[i].uid == uid;
	return own > 0 && own >= (HUNG_MAX - (h->count - own)) / 2;
}

static bool
is_full_of_any(const struct hung *h)
{
	for (size_t i = 0; i < h->count; i++)
		if (hung_is_full_of(h, h->items[i].uid))
			return true;
	return false;
}

bool
hung_keeps_off(const struct hung *h, int proc_fd, int pid)
{
	uint32_t uid;

	for (size_t i = 0; i < h->count; i++)
		if (h->items[i].pid == pid)
			return true;
	return is_full_of_any(h) && proc_owner_of(proc_fd, pid, &uid) == 0 && hung_is_full_of(h, uid);
}
