/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_NAV_H
#define PTOP_UI_NAV_H
/*
 * Where we are: levels entered one below the other (all, process, thread), and in each level and
 * view the row that is selected.  A row is known by its id, so that it stays selected while rows
 * reorder; until the user moves, the first row is, whichever that is.
 */
#include "view/snapshot.h"

enum { NAV_LEVELS = 8, NAV_BACKS = 2 };

struct nav_place {
	bool pinned; /* to the row @id; else to the top */
	uint64_t id;
	size_t index, top; /* in the snapshot seen last; first row on the screen */
};

struct nav_level {
	enum view_id view;
	uint32_t process, thread, name, dso; /* see struct query */
	uint32_t lock; /* likewise */
	struct query_within within[QUERY_WITHIN_MAX];
	size_t within_count;
	char field[QUERY_FIELD_MAX]; /* see struct query */
	bool unnamed; /* code without a name alone */
	enum view_id back[NAV_BACKS]; /* what keys led from: to a list as of locks, then to stacks */
	size_t back_count;
	struct nav_place places[VIEW_COUNT];
};

struct nav {
	struct nav_level levels[NAV_LEVELS];
	size_t depth; /* the level we are in */
};

void nav_init(struct nav *n, enum view_id view);
struct nav_level *nav_level(struct nav *n);
struct nav_place *nav_place(struct nav *n);

/*
 * Goes into @row: a process opens its threads; its functions if it has one thread, and no other has ended that has samples there, or with
 * @skip_threads.  false: there is nothing further in, @why says it.
 */
bool nav_in(struct nav *n, const struct row *row, bool skip_threads, const char **why);

/* Goes to the stacks of those who wait for the lock of @row; there is a level left. */
void nav_in_lock(struct nav *n, const struct row *row, enum view_id view);
bool nav_out(struct nav *n); /* false: we are outermost */

void nav_find(struct nav_place *p, const struct snapshot *s); /* the row by its id */
void nav_to(struct nav_place *p, const struct snapshot *s, size_t index);
void nav_move(struct nav_place *p, const struct snapshot *s, long delta);
void nav_unpin(struct nav_place *p); /* to the first row, whichever it is */

/* Moves the top so that the selected row is among the @rows on the screen. */
void nav_scroll(struct nav_place *p, size_t count, size_t rows);

#endif
