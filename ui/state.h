/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STATE_H
#define PTOP_UI_STATE_H
/*
 * What all parts of the screen share; what one page alone needs is in its file.  Keys change it
 * (ui/input.h), so do the engine's messages (ui/engine_messages.h), and page_draw() shows it.
 */
#include "app/config.h"
#include "engine/engine.h"
#include "ui/acting.h"
#include "ui/action_table.h"
#include "ui/away.h"
#include "ui/canvas.h"
#include "ui/columns.h"
#include "ui/layout.h"
#include "ui/nav.h"
#include "ui/nodetext.h"
#include "ui/own_theme.h"
#include "ui/page.h"
#include "ui/strip.h"

enum { SETTINGS = 20, USERS_MAX = 31, USER_MAX = 40 };

/* The line that says what came of a key, for a few seconds. */
struct status {
	struct buf text; /* safe; empty: none */
	struct buf hint; /* safe; what else is to be said beside whatever comes of the key; empty: nothing */
	struct buf news; /* as it came; waits until nothing else is said; empty: none */
	bool is_error;
	bool is_news; /* what nobody asked for */
	bool is_cut; /* it is longer than the line: Enter shows all of it */
	uint64_t since_ns, until_ns; /* CLOCK_MONOTONIC */
};

struct ui {
	const struct config *config;
	struct engine *engine;
	struct keymap keymap;
	char *first_values[SETTINGS]; /* of settings, at the start; NULL: none */
	struct column_choice columns[VIEW_COUNT], first_columns[VIEW_COUNT]; /* the latter at the start */

	struct canvas canvas;
	struct layout layout; /* as drawn last */
	struct status status;
	bool dirty; /* the screen is to be drawn */
	uint64_t dirty_ns; /* since when */
	bool quit;
	struct err failed; /* why the engine ended: what was asked for at the start cannot be had */

	/* Where we are, what was asked of the engine there, and what it answered. */
	struct nav nav;
	struct query query;
	int sort;              /* the user's choice, enum column_id, for views that have it */
	bool ascending;
	uint64_t need_seq;     /* snapshots of older queries show another place */
	struct snapshot *snap; /* the newest; NULL: none yet */
	uint64_t refresh;      /* its seq */
	uint64_t refreshes;    /* seen */
	double delay_s;        /* between two of them */
	struct strip strip;    /* the line of time that is on the screen */
	double drag_s;         /* where the mouse was pressed in it; below 0: it was not */
	bool peak_due;         /* the next peak is jumped to when its line is there */
	double stretch_from_s, stretch_to_s; /* of one that ( and ) choose, 0: not chosen */
	struct buf copy;       /* for the terminal's clipboard, with the next frame; empty: nothing */
	char find[QUERY_FIND_MAX]; /* what is searched for, "": nothing */
	bool find_due;         /* the rows to be searched were not there yet when it was typed */
	struct nodefound found; /* what it finds among the nodes of snap */
	struct nodepath kept;   /* the node that was selected when it began */

	struct acting acting;  /* what is done to processes */
	enum away away;        /* the terminal is a command's */
	struct row_tag *tags;  /* rows that are marked, see ui/table.h */
	size_t tag_count, tag_cap;
	unsigned header;       /* enum header_part, a bit for each that is shown */
	enum theme_id theme;
	struct own_theme own_theme;
	bool short_commands;   /* programs without path and arguments */
	char users[USERS_MAX][USER_MAX]; /* in the menu of users */
	uint64_t told;         /* a bit for each of other_keys[] that the user has been told of */

	/* See page_full() and page_front(). */
	enum page_id page, box; /* PAGE_NONE: the view of the place; no box */
	size_t rows[PAGE_COUNT]; /* that each page showed when it was drawn last */

	/* struct table_page *table_page and so on: only the page's own file looks into it. */
#define PAGE_STATE(NAME, page) struct page *page;
	PAGES(PAGE_STATE)
};

bool ui_is_stale(const struct ui *ui);  /* the rows shown are not those of the place we are in */
bool ui_has_nodes(const struct ui *ui); /* there are nodes of stacks of the place we are in */
const struct row *ui_selected(struct ui *ui); /* NULL: none */

void ui_touch(struct ui *ui); /* the screen is to be drawn */

/* Says it in the last line.  The text may hold anything. */
void ui_say(struct ui *ui, bool is_error, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Says what nobody asked for, once no answer is shown any more; newer news take the place of older. */
void ui_news(struct ui *ui, const char *text);
/* Shows news that waited, if nothing else is said.  To be called before each drawing. */
void ui_show_news(struct ui *ui);

/* Says it there, too, behind what is said of the same key, now or later. */
void ui_hint(struct ui *ui, const char *fmt, ...) PRINTF_LIKE(2, 3);
void ui_unsay(struct ui *ui);

#endif
