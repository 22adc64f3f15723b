/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_EVENTS_H
#define PTOP_APP_EVENTS_H
/* The events of the command line. */
#include "app/config.h"
#include "event/event.h"

/* Those of --event with what --filter-event says of them, or the default ones.  0 or -1. */
int events_parse(const struct config *c, const struct event_env *env, struct event_list *list,
		 struct err *err);

#endif
