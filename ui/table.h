/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TABLE_H
#define PTOP_UI_TABLE_H
/* The table of rows: which columns fit, their titles, and the rows. */
#include "view/column.h"
#include "ui/canvas.h"

/* A row that the user marked, and who it stands for. */
struct row_tag {
	uint64_t id;    /* row.id */
	int pid, tid;   /* pid <= 0: it is no process; tid 0: it is a whole one */
	uint64_t start; /* row.start_ticks; 0: nothing can be done to it */
	char name[20];  /* the kernel's names have 15 bytes */
};

struct table_column {
	enum column_id id;
	int x, width;
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	size_t len;
	const unsigned char *widths; /* that were chosen, by enum column_id, 0: its own; NULL: none were */
	bool short_commands;    /* without path and arguments */
	const struct row_tag *tags;
	size_t tag_count;
};

/*
 * Which of the columns fit into @width cells, and where; no tags, and whole commands.  One that is to
 * be wider than by itself, and the title of an event, gets it of what the others leave.
 * @event: that the list was made for, NULL: none.
 */
void table_fit(struct table *t, const struct column_list *list, const unsigned char *widths,
	       const struct snapshot_event *event, int width);

/* @event: the one shown, NULL: none. */
void table_draw_titles(const struct table *t, struct canvas *c, int y, const struct query *q,
		       const struct snapshot_event *event);

/* @count rows from @top on, at line @y; row @selected (SIZE_MAX: none) stands out. */
void table_draw_rows(const struct table *t, struct canvas *c, const struct snapshot *snap, int y,
		     int count, size_t top, size_t selected);

/* Whether there was room for it. */
bool table_has(const struct table *t, enum column_id id);

/* The column whose title is at @x, -1: none. */
int table_column_at(const struct table *t, int x);

/* All that the columns show of a row, as one text: what is searched. */
void table_put_text(struct buf *b, const struct column_list *list, const struct row *row,
		    bool ascii);

#endif
