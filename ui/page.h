/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PAGE_H
#define PTOP_UI_PAGE_H
/*
 * A page is what fills the screen, or a box that lies over it: its own file, with its state, its
 * keys and a struct page_ops.  Here is who is in front, and how the rest of ui/ speaks to it.
 */
#include "base/util.h"

struct action;
struct buf;
struct msg;
struct query;
struct textview;
struct ui;

/*
 * All pages: PAGE_TABLE, IN_TABLE, "struct table_page" (the state) and "table_page" (the
 * operations) come from the first row.  A new page is a row here, and a file.
 */
#define PAGES(ROW) \
	ROW(TABLE, table_page)   /* rows of samples */ \
	ROW(TREE, tree_page)     /* call tree; callers and callees */ \
	ROW(FLAME, flame_page)   /* flame graph */ \
	ROW(ANNOTATE, annotate_page) /* one function: source lines and instructions */ \
	ROW(TEXT, text_page)     /* help, messages, explanations */ \
	ROW(PICKER, picker_page) /* the events that there are */ \
	ROW(PALETTE, palette_page) /* all that can be done, found by typing */ \
	ROW(SETUP, setup_page)   /* which columns a table has */ \
	ROW(CPUS, cpus_page)     /* on which a process may run */ \
	ROW(OUTPUT, output_page) /* what COMMAND wrote */ \
	ROW(HITS, hits_page)     /* the newest records of the event shown */ \
	ROW(TIME, time_page)     /* the line of time, large, and marks */ \
	ROW(MENU, menu_page)     /* a box: choices */ \
	ROW(PROMPT, prompt_page) /* a box of one line: a text that is typed */

#define PAGE_ID(NAME, page) PAGE_##NAME,
enum page_id { PAGE_NONE, PAGES(PAGE_ID) PAGE_COUNT };

/* Where an action works: a bit for each page, and for kinds of them (page_ops.kinds). */
#define PAGE_BIT(NAME, page) IN_##NAME = 1 << PAGE_##NAME,
enum action_where {
	IN_ANY = 1 << PAGE_NONE,
	PAGES(PAGE_BIT)
	IN_SAMPLES = 1 << 27, /* views of samples: what is shown of the place where we are */
	IN_VIEWS = 1 << 28,   /* what the key of the next view goes through */
	IN_LISTS = 1 << 29,   /* something is selected, Enter takes it */
	IN_FULL = 1 << 30,    /* fills the screen, and its keys are not text */
};

/* A key in the footer, and the word for what it does here. */
struct footer_key {
	const char *action, *label; /* action NULL: the end */
};

/* All but name and draw may be left out; what holds then is said behind "else". */
struct page_ops {
	const char *name;             /* by which tests tell of it */
	unsigned kinds;               /* IN_SAMPLES and so on; else actions of IN_ANY and its own */
	const struct action *actions; /* of its own; else none */
	const struct footer_key *footer; /* the most important first; else there is no footer */
	const struct footer_key *(*footer_of)(const struct ui *ui); /* of where we are; else @footer */

	size_t state_size; /* of the state, which is ui->NAME_page, all zero at the start */
	void (*release)(struct ui *ui); /* what that holds */

	void (*draw)(struct ui *ui); /* and says in ui->rows how many rows it showed */
	const char *help; /* behind the keys on the help page; and what put_help() adds */
	void (*put_help)(struct ui *ui, struct buf *b);

	struct textview *(*text)(const struct ui *ui); /* what ui/text_ops.h works on */

	/* Keys.  delta and direction: -1 is up, left. */
	void (*move)(struct ui *ui, long delta); /* the selection, or the text; else nothing moves */
	void (*home)(struct ui *ui);             /* else move() as far as it goes; end() too */
	void (*end)(struct ui *ui);
	void (*in)(struct ui *ui);               /* Enter, and a double click; of IN_LISTS */
	bool (*out)(struct ui *ui);              /* false, or else: Esc leaves the page */
	void (*side)(struct ui *ui, int direction); /* Left, Right; else out and in */
	/* Of pages where text is typed: pastes, too.  false, or else: it may be an action's key. */
	bool (*take_key)(struct ui *ui, int key);
	/* The same, where what is typed selects.  @action: what the key does else, NULL: nothing. */
	bool (*find_typed)(struct ui *ui, int key, const struct action *action);

	/* The mouse. */
	bool (*click)(struct ui *ui, int x, int y); /* true: two of them there are Enter */
	bool (*right_click)(struct ui *ui, int x, int y); /* true: it opened something; else an action's */
	bool has_boxes; /* beside each other: two clicks have to hit the same cell, not line */
	void (*hover)(struct ui *ui, int x, int y); /* it is moved there; -1: it rests; else not told */

	/* What search goes through, one by one.  Pages of IN_SAMPLES have at least the first three. */
	const char *finds; /* "row" */
	size_t (*selected)(struct ui *ui);
	void (*select)(struct ui *ui, size_t i);
	size_t (*count)(const struct ui *ui);         /* else nodes of ui->snap; so all below */
	bool (*holds)(const struct ui *ui, size_t i); /* its text has ui->find in it */
	void (*keep)(struct ui *ui);                  /* what is selected, for go_back() */
	void (*go_back)(struct ui *ui);

	/* News, whether the page is in front or not. */
	void (*put_query)(const struct ui *ui, struct query *q); /* before a query is sent */
	void (*take_snapshot)(struct ui *ui); /* ui->snap is new, and has the nodes of its view */
	void (*take_message)(struct ui *ui, const struct msg *m); /* engine/engine.h, of any type */
};

#define PAGE_OPS(NAME, page) extern const struct page_ops page;
PAGES(PAGE_OPS)

extern const struct page_ops *const pages[PAGE_COUNT]; /* PAGE_NONE: NULL */

void page_init(struct ui *ui); /* the states of all pages */
void page_release(struct ui *ui);

/*
 * Of the view that we are in, also while another is before it; what fills the screen; what keys go
 * to: the box over it, if there is one.
 */
enum page_id page_of_place(const struct ui *ui);
enum page_id page_full(const struct ui *ui);
enum page_id page_front(const struct ui *ui);
unsigned page_where(enum page_id id); /* enum action_where */

void page_show(struct ui *ui, enum page_id id); /* PAGE_NONE: the view of the place where we are */
void page_open_box(struct ui *ui, enum page_id id); /* PAGE_NONE: closes it */

void page_draw(struct ui *ui); /* the screen: page, box and last line */
void page_move(struct ui *ui, long delta); /* of the page in front */

/* Whether moves of the mouse are told to a page; tells it. */
bool page_can_hover(const struct ui *ui);
void page_hover(struct ui *ui, int x, int y);

/* The function that is selected in the view that we are in, 0: none. */
uint32_t page_location(struct ui *ui);

/* To all pages; a new ui->snap to the one that shows it. */
void page_put_query(const struct ui *ui, struct query *q);
void page_pass_message(struct ui *ui, const struct msg *m);
void page_show_snapshot(struct ui *ui);

#endif
