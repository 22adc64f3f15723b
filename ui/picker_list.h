/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PICKER_LIST_H
#define PTOP_UI_PICKER_LIST_H
/*
 * What the picker offers, and in which order: presets, events that were used last, all others.
 * Zero-initialise to begin.
 */
#include "engine/engine.h"
#include "ui/presets.h"

struct rc_change;
struct rcfile;

enum { PICKER_RECENT_MAX = 8 };

struct picker_list {
	struct catalogue *catalogue;       /* NULL: on its way; then nothing is offered */
	struct catalogue_event *presets;   /* with the states of their events */
	size_t *order;                     /* numbers: presets, then items of the catalogue */
	size_t *matches;                   /* of these, in that order but for better ones */
	size_t order_cap, order_len, match_cap;
	char *recent[PICKER_RECENT_MAX];   /* names of those used, the last first; NULL: no more */
};

/* Another catalogue, of which it keeps a reference.  Its events are in order then. */
void picker_list_take(struct picker_list *l, struct catalogue *c);

bool picker_list_was_used(const struct picker_list *l, const char *name); /* among the last */
void picker_list_note_used(struct picker_list *l, const char *name);
void picker_list_order(struct picker_list *l); /* after what was used */

/* What was used last time; and now: a change each, at most PICKER_RECENT_MAX, with the caller's value. */
void picker_list_recall(struct picker_list *l, const struct rcfile *last);
size_t picker_list_remember(const struct picker_list *l, struct rc_change *changes);

/* How many hold all words of @text; those whose names begin with it come first. */
size_t picker_list_match(struct picker_list *l, const char *text);

const struct catalogue_event *picker_list_at(const struct picker_list *l, size_t match);
const struct preset *picker_list_preset(const struct picker_list *l, const struct catalogue_event *ev);

void picker_list_release(struct picker_list *l);

#endif
