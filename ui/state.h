/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STATE_H
#define PTOP_UI_STATE_H
/*
 * All that the ui thread knows, and the steps between its parts: keys change the state
 * (ui/dispatch.c), answers of the engine do (ui/engine_messages.c), ui/draw.c shows it.
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
enum { HELD_MAX = 32 };

struct question;

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
	struct prompt prompt;
	const struct question *question; /* that the prompt is for, NULL: it is closed */
	char prompt_label[80];
	int prompt_value;
	char find[PROMPT_MAX];
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
const struct row *ui_selected(struct ui *ui); /* NULL: none */
void ui_touch(struct ui *ui);                 /* the screen is to be drawn */

/* @text may hold anything. */
void ui_say(struct ui *ui, bool is_error, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* text_pages.c */
void ui_open_text(struct ui *ui, enum text_kind kind, const char *title, const char *text);
void ui_open_help(struct ui *ui);
void ui_explain(struct ui *ui, const struct row *row); /* asks where its name comes from */
void ui_show_output(struct ui *ui);

/* dispatch.c */
void ui_event(struct ui *ui, const struct term_event *ev);
void ui_run_held(struct ui *ui);
unsigned ui_where(const struct ui *ui); /* enum action_where */

/* move_actions.c */
void ui_move(struct ui *ui, long delta); /* in whatever list or page is in front */

/* engine_messages.c */
void ui_answer(struct ui *ui, struct msg *m); /* takes the message */

/* draw.c */
void ui_draw(struct ui *ui);

#endif
