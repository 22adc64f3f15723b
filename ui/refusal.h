/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_REFUSAL_H
#define PTOP_UI_REFUSAL_H
/*
 * What cannot be done where we are, and why: in a recording, with other hosts --uid or --cgroup, within
 * a group, to processes with --read-only.  The key says it; help, palette and menus show it, and the
 * footer leaves its key out.
 */
#include "ui/state.h"

/* Why @view cannot be shown here, into @why, which may be NULL; false: it can. */
bool refusal_of_view(struct ui *ui, enum view_id view, struct buf *why);

/* The same of what @action does, or of the view that it leads to. */
bool refusal_of_action(struct ui *ui, const struct action *action, struct buf *why);

/* Why what is sampled where we are cannot be counted, as @view does; NULL: it can. */
const char *refusal_of_counts(struct ui *ui, enum view_id view);

#endif
