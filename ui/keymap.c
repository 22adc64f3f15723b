/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/keymap.h"

#include "app/rcfile.h"
#include "ui/keys.h"

#include <stdlib.h>
#include <string.h>

static void
set_keys(struct keymap *m, const struct action *action, const char *keys)
{
	size_t i = 0;

	while (i < m->len && m->changes[i].action != action)
		i++;
	if (i == m->len)
		VEC_ADD(m->changes, m->len, m->cap) = (struct key_change){ .action = action };
	free(m->changes[i].keys);
	m->changes[i].keys = mem_strdup(keys);
}

/* Whether there is a page where both work. */
static bool
meet(const struct action *a, const struct action *b)
{
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++)
		if ((a->where & page_where(id)) != 0 && (b->where & page_where(id)) != 0)
			return true;
	return false;
}

/* A key has one action in a page: where @owner works the others lose theirs. */
static void
take_from(struct keymap *m, const struct action *owner, const struct action *a)
{
	const char *keys = action_keys(m, a), *taken = action_keys(m, owner);
	struct buf left = { 0 };
	char name[32];

	if (a == owner || !meet(a, owner))
		return;
	while (key_next_name(&keys, name, sizeof(name)))
		if (!keys_hold(taken, key_parse(name)))
			buf_addf(&left, "%s%s", left.len > 0 ? " " : "", name);
	if (strlen(buf_str(&left)) != strlen(action_keys(m, a)))
		set_keys(m, a, buf_str(&left));
	buf_release(&left);
}

/* The words as keys are named, one blank between them; false: @name is none, or it is ^C. */
static bool
read_keys(struct buf *b, const char *keys, char name[32])
{
	while (key_next_name(&keys, name, 32)) {
		int key = key_parse(name);

		if (key == 0 || key == ('C' & 0x1f))
			return false;
		if (b->len > 0)
			buf_add_char(b, ' ');
		key_put_name(b, key);
	}
	return true;
}

static void
take_line(struct keymap *m, struct rcfile *rc, const struct rc_line *line)
{
	const struct action *owner = action_find(line->name);
	struct buf keys = { 0 };
	char name[32];

	if (owner == NULL) {
		rcfile_fault(rc, line->number, "there is no action '%.60s': h and : list them",
			     line->name);
		return;
	}
	if (!read_keys(&keys, line->value, name)) {
		rcfile_fault(rc, line->number, key_parse(name) != 0 ? "'%s' always leaves ptop"
								    : "there is no key '%s'", name);
	} else {
		/* Whatever else changes, there is a way out. */
		if (strcmp(owner->name, "quit") == 0)
			buf_addf(&keys, "%s^C", keys.len > 0 ? " " : "");
		set_keys(m, owner, buf_str(&keys));
		for (size_t i = 0; action_table(i) != NULL; i++)
			for (const struct action *a = action_table(i); a->name != NULL; a++)
				take_from(m, owner, a);
	}
	buf_release(&keys);
}

void
keymap_read(struct keymap *m, struct rcfile *rc)
{
	for (size_t i = 0; i < rc->len; i++)
		if (strcmp(rc->lines[i].section, "keys") == 0)
			take_line(m, rc, &rc->lines[i]);
}

void
keymap_release(struct keymap *m)
{
	for (size_t i = 0; i < m->len; i++)
		free(m->changes[i].keys);
	free(m->changes);
	*m = (struct keymap){ 0 };
}
