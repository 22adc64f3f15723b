/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_COLUMN_H
#define PTOP_VIEW_COLUMN_H
/*
 * The columns of all tables: how a row's value is written, and how rows are ordered by it.  Screen
 * and text batch print from this table; --sort, the sort menu and the man page read it.
 */
#include "base/buf.h"
#include "base/err.h"
#include "view/snapshot.h"

enum column_id {
	COLUMN_SHARE,
	COLUMN_CPU,
	COLUMN_CPU_ESTIMATE,
	COLUMN_TREND,
	COLUMN_SAMPLES,
	COLUMN_PERIOD,
	COLUMN_EVENT,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_USER,
	COLUMN_THREADS,
	COLUMN_COMM,
	COLUMN_HOTTEST,
	COLUMN_SYMBOL,
	COLUMN_DSO,
	COLUMN_SOURCE,
	COLUMN_ADDRESS,
	COLUMN_CPU_NUMBER,
	COLUMN_CGROUP,
	COLUMN_TIME,
	COLUMN_DATA_SRC,
	COLUMN_WEIGHT,
	COLUMN_BRANCH,
	COLUMN_COMMAND,
	COLUMN_COUNTER,
	COLUMN_PER_SECOND,
	COLUMN_TOTAL,
	COLUMN_RUNNING,
	COLUMN_NOTE,
	COLUMN_UNNAMED,
	COLUMN_PATH,
	COLUMN_BUILD_ID,
	COLUMN_NAMES_FROM,
	COLUMN_REASON,
	COLUMN_REMEDY,
	COLUMN_COUNT,
};

/* How text is written: what the terminal or the file can take. */
struct column_style {
	bool ascii; /* no bytes above 0x7e */
	bool brief; /* functions by profile/brief.h: where lines are short */
};

struct column {
	const char *name;  /* --sort, the sort menu */
	const char *title; /* "%EVT" */
	const char *help;
	int width;         /* cells; 0: takes the rest of the line, shared among such */
	int min_width;     /* for width 0 */
	bool is_number;    /* aligned to the right, orders falling by default */
	/* Adds the value, safe for a terminal, not padded. */
	void (*put)(struct buf *b, const struct row *row, const struct column_style *style);
	/* <0, 0, >0: a before b in rising order. */
	int (*compare)(const struct row *a, const struct row *b);
};

extern const struct column columns[COLUMN_COUNT];

/* Where the value of a key is shown: enum column_id. */
extern const unsigned char key_columns[KEY_COUNT];

enum { TABLE_COLUMNS_MAX = VIEW_COLUMNS_MAX + KEYS_MAX + 4 };

struct column_list {
	unsigned char ids[TABLE_COLUMNS_MAX]; /* enum column_id, left to right */
	size_t count;
	size_t first_key; /* from here on they are the keys that were asked for; count: none were */
};

/* As it is shown of a recording, which measures nothing: what is estimated says so. */
enum column_id column_of_view(enum column_id id, bool is_recording);

/* What a screen shows of the query's rows: the view's columns, or those of the keys asked for. */
void column_list_make(struct column_list *list, const struct query *q, bool is_recording);

bool column_list_has(const struct column_list *list, int column);

/* "comm", "evt:asc" */
int column_parse(const char *text, enum column_id *id, bool *ascending, struct err *err);

#endif
