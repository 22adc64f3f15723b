/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_MODIFIER_H
#define PTOP_EVENT_MODIFIER_H
/* The letters behind an event's last colon, as in perf: u k h G H I p P D e. */
#include "event/event.h"

/* Applies @mods to @ev.  0, or -1 with the letter that is wrong; @text is the whole event. */
int modifier_apply(const char *mods, const char *text, struct event *ev, struct err *err);

/* Whether @mods are all letters that could be modifiers. */
bool modifier_is_valid(const char *mods);

#endif
