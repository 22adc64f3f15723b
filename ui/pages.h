/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PAGES_H
#define PTOP_UI_PAGES_H
/* What pages and themes of actions offer each other, beside the operations of a page (page.h). */
#include "ui/prompt.h"
#include "ui/segs.h"
#include "ui/state.h"

/*
 * A box with a few things to choose from, over a page.  Opens it, empty.  @take gets the value of
 * the item that is chosen, after the box has closed.
 */
void menu_open(struct ui *ui, const char *title, void (*take)(struct ui *ui, int value));

/* Adds an item; @name outlives the box. */
void menu_add(struct ui *ui, const char *name, const char *help, int value, bool selected);

void menu_leave_titles(struct ui *ui); /* of a table: the box begins below them */

/*
 * Asks the user for a text, in the last line of the screen.  What becomes of the text.  What is
 * NULL does nothing.
 */
struct question {
	void (*done)(struct ui *ui, const char *text);   /* Enter */
	void (*change)(struct ui *ui, const char *text); /* a key changed it */
	void (*leave)(struct ui *ui);                    /* Esc */
	bool proposes; /* the text is a proposal: the first character that is typed replaces it */
	const char *answers; /* the end of the question, which is on the narrowest screen */
	bool is_late; /* it opens when an answer comes: keys that were typed for something else are dropped */
};

/* Opens the prompt, with @text to be changed; it stays open while done() finds a fault. */
void prompt_ask(struct ui *ui, const struct question *question, const char *label,
		const char *text);

/* Called by done() and change(): says beside the text, until it changes, what is wrong with it. */
void prompt_fault(struct ui *ui, const char *fault);

int *prompt_value(struct ui *ui); /* of the question's own, kept while the prompt is open */

/* The CPUs that those chosen (ui/acting.h) may run on, to be changed; @now: those of the first. */
void cpus_page_show(struct ui *ui, const struct broker_reply *now);

/* Has the selected row's process name the code that it makes as it runs, after a yes. */
void name_code_ask(struct ui *ui);

/* The menu of processes, for the man page: its help, and the name in @name; NULL: no such entry. */
const char *process_menu_help(size_t i, const char **name);

/* Runs the user's command of that number for the one who is chosen. */
void process_run_command(struct ui *ui, int i);

/*
 * The list of all events, narrowed by typing.  It only reads the catalogue: moving in it opens
 * nothing.
 */
void picker_page_show(struct ui *ui);

/* Events that were used last time, and those of now, each a change whose value is the caller's. */
void picker_recall(struct ui *ui, const struct rcfile *last);
size_t picker_remember(struct ui *ui, struct rc_change *changes);

struct catalogue_event;

/* Switches to it, or says why it cannot be opened. */
void picker_take(struct ui *ui, const struct catalogue_event *ev);

/* To the next or the previous of those used so far; the selected row stays. */
void picker_step(struct ui *ui, int by);

void text_page_show(struct ui *ui, const char *title, const char *text); /* may hold anything */

/* Shows a page that waits for its text, the engine's answer of this type.  @title is static. */
void text_page_ask(struct ui *ui, enum engine_msg_type type, const char *title);

/* What i tells of the row that is selected; @row is its id. */
void text_page_explain(struct ui *ui, uint64_t row);
void text_page_explain_line(struct ui *ui, uint32_t location, bool is_irq_on); /* of a tree */

/* Who made the code of the row that it tells of, as it ran; false: nobody, @why says it. */
bool text_page_maker(struct ui *ui, struct row_tag *maker, const char **why);

/* The list of the header's parts, beside that of columns. */
void setup_page_show_header(struct ui *ui);

void output_page_show(struct ui *ui);

/* The selected function by instruction; of a list, < and > lead on to those beside it. */
void annotate_page_show(struct ui *ui);

/* Reads from @fd, which poll() has called readable, what COMMAND wrote.  false: that was all. */
bool output_page_read(struct ui *ui, int fd);

/* time_actions.c: shows that stretch, in seconds since the beginning, as far as it is known. */
void time_show(struct ui *ui, double from_s, double to_s);

/* Where the window ends, since the beginning: there is a snapshot. */
double time_end_s(const struct ui *ui);

/* compare_menu.c: asks what the window is compared with. */
void compare_menu_open(struct ui *ui);

/* Asks how long the window is to be. */
void time_ask_window(struct ui *ui);

/* sampling_actions.c: how call chains are taken now, "": not known. */
const char *sampling_chains_name(const struct ui *ui);

/* There is another ui->snap: goes to the next peak, if that is what was waited for. */
void time_take_snapshot(struct ui *ui);

/* Writes a perf.data file, enum record_what, named by the time. */
void file_record(struct ui *ui, int what);

/* There is another ui->snap: searches it too; it may be what a search waits for. */
void find_in_new_rows(struct ui *ui);

/* Does what a message of the engine asks for, or gives it to the pages; frees it. */
void engine_message(struct ui *ui, struct msg *m);

/* Of the program: how all looks from now on. */
void program_set_theme(struct ui *ui, enum theme_id theme);
void program_choose_theme(struct ui *ui); /* from a menu */

#endif
