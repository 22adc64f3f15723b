/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_PLACE_PLACE_SEARCH_H
#define PTOP_ENGINE_PLACE_PLACE_SEARCH_H
/*
 * Where an event's place is: which files to look into, one after the other, and what their answers
 * mean.  It asks nobody itself: the engine carries questions and answers.  One thread.
 */
#include "event/event.h"
#include "live/proc/proc_reader.h"
#include "symbol/service/service.h"

enum { PLACE_PROCESSES_MAX = 256 };

struct place_search;

/* For @ev, whose place is not EVENT_PLACE_NONE; copied. */
struct place_search *place_search_new(const struct event *ev);
void place_search_free(struct place_search *s); /* NULL is allowed */

/* Whether it is looked for in what processes map: then their maps are wanted first. */
bool place_search_wants_maps(const struct place_search *s);

/*
 * What process @pid is about to map: called before its maps are added, in the order in which they
 * are to be looked through.
 */
void place_search_add_file(struct place_search *s, int pid, const char *path);

/* The maps of one of the processes, in the order in which they are to be looked through. */
void place_search_add_maps(struct place_search *s, const struct proc_maps_msg *m);

/*
 * The next question; its strings live until the next call.  false: there is none.  Its answer goes
 * to place_search_answer() before the next one is asked for.
 */
bool place_search_next(struct place_search *s, struct symbol_places_ask *ask);
void place_search_answer(struct place_search *s, const struct symbol_places_msg *m);

/* Before the first question: of a function that is found alone it is asked what its arguments are. */
void place_search_ask_arguments(struct place_search *s);

/* When there is no next question.  The event with its sites, the search's own; NULL: see @err. */
const struct event *place_search_result(const struct place_search *s, struct err *err);

#endif
