/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ACTING_H
#define PTOP_UI_ACTING_H
/*
 * What is done to processes: to whom, what the broker is asked, and what came of it, which the
 * status line tells.  Nothing waits: an answer comes by ui.c's loop.
 */
#include "app/naming.h"
#include "broker/broker.h"
#include "ui/table.h"

struct ui;

struct acting {
	struct broker *broker; /* NULL: it cannot be done, see @why_not */
	struct err why_not;
	struct broker_command commands[BROKER_COMMANDS_MAX]; /* of the configuration: ui/commands.h */
	char *helps[BROKER_COMMANDS_MAX]; /* their words, as they were written */
	size_t command_count;

	/* Who is meant, as chosen when the menu was opened: rows come and go meanwhile. */
	struct row_tag *on;
	size_t count, cap;
	struct buf whom; /* "1234 nginx", "3 processes": safe */

	/* What is asked: of one after another. */
	struct broker_request request;
	char what[24];      /* "SIGTERM"; "": the request says it */
	size_t next, done;  /* the next of @on; how many were done */
	bool is_due;        /* an answer */
	struct buf failure; /* the first one: whom, and why; empty: none */
	/* Who takes the answer to a question: BROKER_LOOK, BROKER_RUNTIME. */
	void (*looked)(struct ui *ui, const struct broker_reply *reply);

	struct naming naming; /* runtimes that are asked meanwhile, by the same broker */
};

/* Forks the broker, if there is to be one.  While ptop is small, and has its rights. */
void acting_begin(struct ui *ui);
void acting_end(struct ui *ui);

/* Who the row is; false: no process, or it is not known yet who, or it has ended: @why says it. */
bool row_tag_make(struct row_tag *tag, const struct row *row, const char **why);

/* Chooses those that are tagged, or the row that is selected.  false: nobody, and it was said why. */
bool acting_choose(struct ui *ui);

/* Who made the selected row's code as it ran, or the row's own process; false: nobody, @why says it. */
bool acting_find_maker(struct ui *ui, struct row_tag *maker, const char **why);

/* Chooses this one alone; false: as acting_choose(). */
bool acting_choose_one(struct ui *ui, const struct row_tag *tag);

/* Of those chosen each process counts once. */
void acting_choose_processes(struct ui *ui);

/* false: it cannot be done, and it was said why. */
bool acting_is_possible(struct ui *ui);

/*
 * Asks the broker for it, of all chosen; its task and id are filled in here.  @what: as in struct
 * acting.
 */
void acting_ask(struct ui *ui, const struct broker_request *request, const char *what);

/* Asks @action, which does nothing, of the first of those chosen. */
void acting_look(struct ui *ui, enum broker_action action,
		 void (*looked)(struct ui *ui, const struct broker_reply *reply));

int acting_fd(const struct ui *ui); /* readable: call acting_take(); -1: nothing is due */
void acting_take(struct ui *ui);

#endif
