/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/other_keys.h"

#include "app/rcfile.h"
#include "ui/keys.h"
#include "ui/refusal.h"
#include "ui/state.h"

#include <string.h>

#define ROW(program, key, does, ...) { program, key, key ": " does, __VA_ARGS__ }

/* Of two for one key the first is told. */
const struct other_key other_keys[] = {
	ROW("htop", "P", "order by CPU%", "sort-menu", "", true),
	ROW("htop", "M", "order by memory", "setup", "adds MEM%, F6 orders by it", true),
	ROW("htop", "T", "order by TIME+", "setup", "adds TIME+, F6 orders by it", true),
	ROW("htop", "N", "order by PID", "sort-menu", "", true),
	ROW("htop", "k", "kill, or signal", "process-menu", "", true),
	ROW("htop", "t", "tree of processes", "process-tree", "", true),
	ROW("htop", "a", "CPUs to run on", "process-menu", "", true),
	ROW("htop", "]", "nice value lower", "nice-lower", "", false),
	ROW("htop", "[", "nice value higher", "nice-higher", "", false),
	ROW("htop", "l", "open files: lsof", "process-menu", "runs own commands: [actions]", true),
	ROW("htop", "s", "strace", "event", "system calls, or F9 own commands", false),
	ROW("htop", "e", "environment", "process-menu", "runs own commands: [actions]", false),
	ROW("htop", "p", "paths of programs", "short-commands", "", false),
	ROW("htop", "c", "tag with children", "tag", "tags one row", false),
	ROW("htop", "U", "take tags off", "untag", "", true),
	ROW("htop", "S", "setup", "setup", "", false),
	ROW("htop", "C", "setup", "setup", "", false),
	ROW("htop", "m", "memory in its header", "setup", "and Tab: parts of the header", false),
	ROW("top", "1", "each CPU", "setup", "and Tab: bars, in the header", false),
	ROW("top", "V", "tree of processes", "process-tree", "", false),
	ROW("top", "R", "reverse the order", "sort-invert", "", false),
	ROW("top", "r", "renice", "nice-higher", "or F7", false),
	ROW("top", "O", "filter", "filter", "", false),
	ROW("top", "o", "filter", "filter", "", false),
	ROW("top", "L", "find", "find", "", false),
	ROW("top", "f", "columns", "setup", "", false),
	ROW("top", "c", "whole commands", "short-commands", "", false),
	ROW("perf top", "Tab", "next event", "event-next", "", false),
	ROW("perf top", "t", "into the thread", "in", "", false),
	ROW("perf top", "d", "into the library", "groups", "Programs and libraries, then Enter", false),
	ROW("perf top", "k", "kernel alone", "hide-user", "", false),
	ROW("perf top", "e", "open the callers", "callers", "", false),
	ROW("perf top", "m", "menu", "palette", "", false),
	ROW("perf top", "P", "write to a file", "export", "", false),
	ROW("perf top", "F", "percent of what", "shares", "", false),
};

const size_t other_key_count = ARRAY_SIZE(other_keys);
_Static_assert(ARRAY_SIZE(other_keys) <= 64, "a bit of ui->told each");

void
other_key_put_here(struct buf *b, const struct keymap *m, const struct other_key *k)
{
	const char *keys = action_keys(m, action_find(k->action));
	char name[32];

	/* One that the configuration took all keys from is still in the palette. */
	if (key_next_name(&keys, name, sizeof(name)))
		buf_add_str(b, name);
	else
		buf_addf(b, ": %s", k->action);
	if (*k->how != '\0')
		buf_addf(b, " %s", k->how);
}

/* As rows of htop are: elsewhere a key is hardly meant as it is there. */
static bool
has_tasks(const struct ui *ui)
{
	return ui->query.by_view && (ui->query.view == VIEW_PROCESSES || ui->query.view == VIEW_THREADS);
}

bool
other_key_tell(struct ui *ui, int key, const struct action *action)
{
	const struct other_key *k = other_keys;
	const struct action *here;
	struct buf b = { 0 };
	uint64_t bit;

	if (page_front(ui) != PAGE_TABLE)
		return false;
	while (k < other_keys + other_key_count && key_parse(k->key) != key)
		k++;
	/* Where the configuration has given it to that, nothing is to be told. */
	if (k == other_keys + other_key_count)
		return false;
	here = action_find(k->action);
	if (action == here)
		return false;
	bit = (uint64_t)1 << (k - other_keys);
	if (action != NULL && (!k->is_told || !has_tasks(ui) || (ui->told & bit) != 0))
		return false;
	ui->told |= bit;
	if (!refusal_of_action(ui, here, &b))
		other_key_put_here(&b, &ui->keymap, k);
	ui_hint(ui, "%s's %s, %s: %s", k->program, k->key,
		k->does + strlen(k->key) + strlen(": "), b.data);
	buf_release(&b);
	return true;
}

#define SECTION "told"
#define NAME "keys"

void
other_keys_recall(struct ui *ui, const struct rcfile *last)
{
	const struct rc_line *line = rcfile_get(last, SECTION, NAME);

	for (size_t i = 0; line != NULL && i < other_key_count; i++)
		if (keys_hold(line->value, key_parse(other_keys[i].key)))
			ui->told |= (uint64_t)1 << i;
}

size_t
other_keys_remember(const struct ui *ui, struct rc_change *changes)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < other_key_count; i++)
		if ((ui->told & (uint64_t)1 << i) != 0 && other_keys[i].is_told)
			buf_addf(&b, "%s%s", b.len > 0 ? " " : "", other_keys[i].key);
	if (b.len == 0)
		return 0;
	changes[0] = (struct rc_change){ SECTION, NAME, b.data, NULL };
	return 1;
}
