/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STATE_H
#define PTOP_UI_STATE_H
/*
 * All that the ui thread knows, and the steps between its parts: keys change the state
 * (ui/dispatch.c), answers of the engine do (ui/answers.c), ui/draw.c shows it.
 */
#include "app/config.h"
#include "engine/engine.h"
#include "ui/keys.h"
#include "ui/layout.h"
#include "ui/menu.h"
#include "ui/nav.h"
#include "ui/output.h"
#include "ui/picker.h"
#include "ui/prompt.h"
#include "ui/stacks.h"
#include "ui/table.h"
#include "ui/term.h"
#include "ui/textview.h"

enum screen { SCREEN_TABLE, SCREEN_TEXT, SCREEN_PICKER, SCREEN_OUTPUT, SCREEN_COUNT };
enum text_kind { TEXT_HELP, TEXT_MESSAGES, TEXT_EXPLAIN };
enum menu_kind { MENU_VIEWS, MENU_SORT, MENU_RECORD, MENU_EXPORT };
enum { HELD_MAX = 32 };

struct status {
	struct buf text; /* safe; empty: none */
	bool is_error;
	uint64_t until_ns; /* CLOCK_MONOTONIC */
};

struct ui {
	const struct config *config;
	struct engine *engine;
	struct queue *answers;
	struct canvas canvas;

	struct query query;      /* as asked last */
	enum view_id keyed_view; /* which --by takes the place of, on the outermost level */
	uint64_t usual_window_ns; /* while the query's is in the past */
	int sort;                /* the user's choice, enum column_id, for views that have it */
	bool ascending;
	uint64_t need_seq;       /* snapshots of older queries show another place */
	struct snapshot *snap;   /* the newest; NULL: none yet */
	struct nav nav;
	struct table table;      /* as drawn last */
	struct stack_view stacks;
	struct layout layout;

	enum screen screen;
	enum text_kind text_kind;
	struct textview text, output_page;
	struct output output;
	struct picker picker;
	struct menu menu;
	enum menu_kind menu_kind;
	char past[64]; /* its text on what the flight recorder holds */
	struct prompt prompt;
	char find[PROMPT_MAX];
	char attach_label[80];
	enum export_format export_format; /* chosen in the menu */
	int attach_pid;      /* what no text means, 0: nothing */
	struct nav_place find_from; /* where the search began */
	bool find_due; /* what it is for was not there yet when it was typed */
	struct status status;

	/* Keys that need rows which are on their way. */
	struct term_event held[HELD_MAX];
	size_t held_count;
	uint64_t held_until_ns;

	uint64_t click_ns; /* the last click, for the double click */
	int click_x, click_y;
	bool dirty, quit, ended;
	uint64_t blocked_ns; /* since when the terminal takes no more: what is new waits; 0: it does */
	uint64_t dirty_ns; /* since when */
};

/* state.c */
void ui_init(struct ui *ui, const struct config *config);
void ui_release(struct ui *ui);
bool ui_is_stale(const struct ui *ui); /* the rows shown are not those of the place we are in */
const struct view_def *ui_view(struct ui *ui);
const struct row *ui_selected(struct ui *ui); /* NULL: none */
void ui_columns(const struct ui *ui, struct column_list *list); /* of what was asked last */
bool ui_has_keys(const struct ui *ui, enum view_id view); /* it has those of --by here */
void ui_touch(struct ui *ui);                 /* the screen is to be drawn */
void ui_ask(struct ui *ui, bool moved);       /* sends the query; @moved: to other rows */
void ui_set_view(struct ui *ui, enum view_id view);
void ui_set_sort(struct ui *ui, int column);
bool ui_has_output(const struct ui *ui);

/* @text may hold anything. */
void ui_say(struct ui *ui, bool is_error, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* lines.c: a new snapshot may be what a search waits for */
void ui_find_late(struct ui *ui);

/* find.c: from the row @from on, in @step of +1 or -1, wrapping round; false: not found */
bool ui_find(struct ui *ui, size_t from, int step);

/* pages.c: text pages and menus */
void ui_open_text(struct ui *ui, enum text_kind kind, const char *title, const char *text);
void ui_open_help(struct ui *ui);
void ui_open_views(struct ui *ui);
void ui_open_sort(struct ui *ui);
void ui_open_record(struct ui *ui);
void ui_open_export(struct ui *ui);
void ui_menu_take(struct ui *ui);
void ui_show_output(struct ui *ui);

/* lines.c: what is typed into the prompt */
void ui_open_prompt(struct ui *ui, enum prompt_kind kind);
void ui_prompt_key(struct ui *ui, int key);
const char *ui_prompt_label(const struct ui *ui);

/* dispatch.c */
void ui_event(struct ui *ui, const struct term_event *ev);
void ui_run_held(struct ui *ui);
unsigned ui_where(const struct ui *ui); /* enum action_where */

/* acts.c */
void ui_act(struct ui *ui, enum action_id action);
bool ui_needs_rows(enum action_id action); /* of the place that we have just gone to */
bool ui_has_handler(enum action_id action); /* for the test that walks the tables */
void ui_move(struct ui *ui, long delta); /* in whatever list or page is in front */

/* answers.c */
void ui_answer(struct ui *ui, struct msg *m); /* takes the message */

/* draw.c */
void ui_draw(struct ui *ui);

#endif
