/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_OTHER_KEYS_H
#define PTOP_UI_OTHER_KEYS_H
/*
 * Keys of htop, top and perf top that do something else here, or nothing, and what does it here:
 * for the help of tables, the palette and the manual, and for the status line when one is pressed.
 */
#include "ui/action_table.h"

struct rc_change;
struct rcfile;

struct other_key {
	const char *program;
	const char *key;    /* there, as key_parse() reads it */
	const char *does;   /* "P: order by CPU%" */
	const char *action; /* that does it here */
	const char *how;    /* what is to be done then; "": that is all */
	/* The first time that it is pressed where rows are tasks, as those of htop are. */
	bool is_told;
};

extern const struct other_key other_keys[];
extern const size_t other_key_count; /* at most 64 */

/* "F2 adds MEM%, F6 orders by it" */
void other_key_put_here(struct buf *b, const struct keymap *m, const struct other_key *k);

/*
 * In the status line, if whoever pressed @key may have meant something else than @action (NULL: it
 * has none here).  false: nothing is said.
 */
bool other_key_tell(struct ui *ui, int key, const struct action *action);

/* Which were told is kept: at most one change, whose value is the caller's. */
void other_keys_recall(struct ui *ui, const struct rcfile *last);
size_t other_keys_remember(const struct ui *ui, struct rc_change *changes);

#endif
