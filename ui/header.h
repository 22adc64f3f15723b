/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_HEADER_H
#define PTOP_UI_HEADER_H
/* The lines above the table: machine, event, notices, CPU bars, where we are. */
#include "view/snapshot.h"
#include "ui/canvas.h"
#include "ui/header_parts.h"
#include "ui/layout.h"
#include "ui/strip.h"

/* The lines that @parts (enum header_part, a bit each) take.  @snap NULL: nothing has come yet. */
struct layout_wants header_wants(const struct snapshot *snap, unsigned parts, int width);

/* @q is what was asked last.  Says in @strip where the line of time is, if it was drawn. */
void header_draw(struct canvas *c, const struct layout *l, const struct snapshot *snap,
		 const struct query *q, unsigned parts, struct strip *strip);

#endif
