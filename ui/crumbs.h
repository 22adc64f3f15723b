/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_CRUMBS_H
#define PTOP_UI_CRUMBS_H
/* The line that says where we are: the way there, the view, the window, and what is left out. */
#include "view/snapshot.h"
#include "ui/canvas.h"
#include "ui/segs.h"

/*
 * @q is what was asked last.  @with_event: where no other line has room for the event and its
 * losses.
 */
void crumbs_draw(struct canvas *c, int y, const struct snapshot *snap, const struct query *q,
		 bool with_event);

/* The view, or the keys that are in its place: "[Functions]". */
void crumbs_add_title(struct segs *s, int rank, const struct canvas *c, const struct snapshot *snap);

#endif
