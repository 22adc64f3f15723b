/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/names/unread_files.h"

#include <stdlib.h>

#include "symbol/service/service.h"

enum {
	SOON_S = 1,    /* until another process is asked through */
	AGAIN_S = 10,  /* between two questions for a file, and before one that was busy */
	LOOK_S = 2,    /* between two looks at all processes and their maps */
	TRIES_MAX = 16,
};

/* What the file itself is to blame for stays as it is. */
static bool
may_be_read(enum err_code code)
{
	switch (code) {
	case ERR_DENIED:
	case ERR_BUSY:
	case ERR_GONE:
	case ERR_LIMIT:
	case ERR_IO:
		return true;
	case ERR_NONE:
	case ERR_UNSUPPORTED:
	case ERR_FORMAT:
	case ERR_USAGE:
		break;
	}
	return false;
}

bool
unread_note(struct unread_files *u, uint32_t dso, unsigned what, const struct symbol_unread *why,
	    uint64_t now_ns)
{
	struct unread_file *file;

	if (!may_be_read(why->code))
		return false;
	vec_reserve_zeroed(&u->items, &u->cap, dso + 1, sizeof(*u->items));
	file = &u->items[dso];
	if (file->tries == TRIES_MAX)
		return false;
	if ((what & ~file->noted) == UNREAD_IMAGE)
		file->since_ns = now_ns;
	file->noted |= what;
	file->wants |= what;
	file->pid = why->pid;
	file->is_busy = why->code != ERR_GONE && why->code != ERR_DENIED;
	file->due_ns = now_ns + (file->is_busy || file->tries > 0 ? AGAIN_S : SOON_S) * NSEC_PER_SEC;
	return true;
}

bool
unread_end(struct unread_files *u, uint32_t dso, unsigned what)
{
	struct unread_file *file = dso < u->cap ? &u->items[dso] : NULL;
	bool was_noted = file != NULL && (file->noted & what);

	if (was_noted) {
		file->noted &= ~what;
		file->wants &= ~what;
		if (file->noted == 0)
			file->tries = 0;
	}
	return was_noted;
}

static bool
is_due(const struct unread_file *file, uint64_t now_ns)
{
	return file->wants != 0 && file->due_ns <= now_ns;
}

static bool
is_any_due(const struct unread_files *u, uint64_t now_ns)
{
	for (size_t i = 0; i < u->cap; i++)
		if (is_due(&u->items[i], now_ns))
			return true;
	return false;
}

/* The oldest is the one that most likely lives when the file is opened. */
static void
look_at(struct unread_files *u, const struct task *t, uint64_t now_ns)
{
	for (size_t i = 0; i < t->space->len; i++) {
		const struct map *map = &t->space->maps[i];
		struct unread_file *file = map->dso < u->cap ? &u->items[map->dso] : NULL;

		if (file == NULL || !is_due(file, now_ns))
			continue;
		file->is_there |= t->pid == file->pid;
		if (file->found.pid != 0 && file->born_ns <= t->born_ns)
			continue;
		file->found = (struct image_ask){ map->dso, t->pid, map->start, map->end };
		file->born_ns = t->born_ns;
	}
}

static void
settle(struct unread_files *u, struct unread_file *file, uint64_t now_ns)
{
	if (file->found.pid != 0 && (file->is_busy || !file->is_there)) {
		VEC_ADD(u->asks, u->ask_len, u->ask_cap) =
			(struct unread_ask){ file->found, file->wants };
		file->wants = 0;
		file->tries++;
	}
	file->due_ns = now_ns + AGAIN_S * NSEC_PER_SEC;
	file->found.pid = 0;
}

void
unread_look(struct unread_files *u, const struct model *m, uint64_t now_ns)
{
	u->ask_len = 0;
	if (now_ns < u->next_ns || !is_any_due(u, now_ns))
		return;
	u->next_ns = now_ns + LOOK_S * NSEC_PER_SEC;
	for (size_t i = 0; i < u->cap; i++)
		u->items[i].is_there = false;
	for (uint32_t id = 1; id < m->task_len; id++) {
		const struct task *t = model_task_at(m, id);

		if (t->is_used && t->process == id && t->died_ns == 0 && t->pid > 0 && t->space != NULL)
			look_at(u, t, now_ns);
	}
	for (size_t i = 0; i < u->cap; i++)
		if (is_due(&u->items[i], now_ns))
			settle(u, &u->items[i], now_ns);
}

void
unread_release(struct unread_files *u)
{
	free(u->items);
	free(u->asks);
	*u = (struct unread_files){ 0 };
}
