/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/names/hung_said.h"

#include "base/util.h"

/* An owner in a sentence. */
static void
put_owner(const struct users *users, struct buf *b, uint32_t uid)
{
	const char *name = users_name(users, uid);

	if (name != NULL)
		buf_add_str(b, name);
	else
		buf_addf(b, "uid %u", uid);
}

/* Each once: users of whom nothing more is read. */
static void
put_kept_off(const struct users *users, const struct hung *h, struct buf *b)
{
	for (size_t i = 0; i < h->count; i++) {
		bool is_told = !hung_is_full_of(h, h->items[i].uid);

		for (size_t k = 0; k < i; k++)
			is_told |= h->items[k].uid == h->items[i].uid;
		if (is_told)
			continue;
		buf_add_str(b, ", nor are other processes of ");
		put_owner(users, b, h->items[i].uid);
	}
}

static void
put_pids(const struct hung *h, struct buf *b)
{
	const size_t shown = MIN(h->count, 3);

	for (size_t i = 0; i < shown; i++)
		buf_addf(b, "%s%d", i > 0 ? ", " : "", h->items[i].pid);
	if (h->count > shown)
		buf_addf(b, ", %zu more", h->count - shown);
}

void
hung_put(const struct hung *h, const struct users *users, struct buf *b)
{
	if (h->count == 0)
		return;
	if (h->count == HUNG_MAX) {
		buf_add_str(b, "/proc is not read any more: no %CPU, no names for what starts now; it hangs on processes ");
		put_pids(h, b);
		return;
	}
	buf_add_str(b, "/proc hangs on processes (");
	put_pids(h, b);
	buf_add_str(b, "): their memory maps and command lines are not read");
	put_kept_off(users, h, b);
}
