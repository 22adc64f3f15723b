/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_SCOPE_H
#define PTOP_LIVE_SESSION_SCOPE_H
/*
 * What a session samples, from rights and targets: fills the opener's scope, targets and side-band
 * plan, and says what is left out.
 */
#include "live/session/event_opener.h"

struct scope_note {
	char *text;
	char *remedy; /* NULL: none */
};

struct scope_notes {
	struct scope_note *items;
	size_t len, cap;
};

/* Adds a sentence, taken over, and what helps, copied with the name of the file that runs. */
void scope_note_add(struct scope_notes *notes, char *text, const char *remedy);
void scope_notes_release(struct scope_notes *notes);

/*
 * 0; or -1: a target does not exist, there are too many, or they are users whose processes may not
 * be sampled.  Without any right it is 0 with SESSION_NONE.
 */
int scope_choose(struct event_opener *o, const struct cpus *cpus, struct scope_notes *notes,
		 struct err *err);

#endif
