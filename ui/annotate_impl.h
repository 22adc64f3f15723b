/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ANNOTATE_IMPL_H
#define PTOP_UI_ANNOTATE_IMPL_H
/*
 * What the files of the page annotate share; nobody else includes it.  annotate_model.c knows what
 * is asked for and where the cursor is, annotate_draw.c draws, annotate_page.c moves and follows,
 * annotate_actions.c has the page's own keys, annotate_file.c is about whole files.
 */
#include "ui/action_table.h"
#include "ui/annotate_lines.h"
#include "ui/pages.h"

enum { ANNOTATE_BACK_MAX = 32 }; /* calls and jumps that Esc comes back from */

/* Which function is asked for: by its location, by its place, or by its name. */
struct annotate_asked {
	uint32_t function, dso;
	uint64_t at;
	char symbol[QUERY_SYMBOL_MAX];
};

/* Where a call or jump was followed from. */
struct annotate_step {
	struct annotate_asked asked;
	uint32_t instruction; /* or the line of the whole file */
	enum annotate_mode mode;
};

struct annotate_page {
	struct annotate a;
	struct annotate_asked asked;
	bool is_asked;         /* else what the command line names, or the hottest */
	struct annotate_step back[ANNOTATE_BACK_MAX];
	size_t back_len;
	uint32_t *list;        /* locations of the list that it came from */
	size_t list_len, list_at;
	enum view_id from;     /* the view that Esc leads back to, if @has_from */
	bool has_from;
	size_t index, top, page;
	uint32_t instruction;  /* that the cursor is on: lines may be made anew */
	enum annotate_kind kind; /* and of its line */
	bool is_placed;        /* it is where the user, or the first counts, put it */
	size_t hot_rank;       /* of the key H */
	enum annotate_numbers numbers;
	bool jumps;
	char file[QUERY_SOURCE_MAX]; /* of ANNOTATE_FILE, "": it is not known yet */
};

/* annotate_model.c */
const struct snapshot_code *annotate_code_of(const struct ui *ui); /* NULL: of another place */
bool annotate_has_lines(const struct ui *ui); /* of the place we are in */
bool annotate_needs_lines(struct ui *ui);     /* the same; if there are none, says why */
const char *annotate_why_no_lines(const struct ui *ui); /* what the page says in place of lines */
uint32_t annotate_shown_event(const struct ui *ui);
void annotate_put_cursor(struct annotate_page *p, size_t line);
void annotate_find_cursor(struct annotate_page *p); /* on the same instruction as before */
void annotate_show_cursor(struct annotate_page *p); /* with some lines above it */
void annotate_to_hottest(struct ui *ui);
void annotate_ask(struct ui *ui, const struct annotate_asked *asked); /* another function */
void annotate_set(struct ui *ui, enum annotate_mode mode); /* also before there are lines */
void annotate_put_query(const struct ui *ui, struct query *q);
void annotate_take_snapshot(struct ui *ui);

/* annotate_draw.c */
void annotate_draw(struct ui *ui);
int annotate_first_row(const struct ui *ui); /* of the lines; above it is the function */

/*
 * annotate_file.c: the whole source file of the function that is asked for.  Enter leads from a line
 * to the instructions of the function that has most of it.
 */
void annotate_file_toggle(struct ui *ui); /* from a function to its file, and back */
bool annotate_file_line(struct ui *ui, struct annotate_asked *to); /* false: it has no samples */

extern const struct action annotate_actions[]; /* annotate_actions.c */

#endif
