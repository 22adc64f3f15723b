/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_EVENT_LIST_H
#define PTOP_ENGINE_LEAF_EVENT_LIST_H
/* The events of the command line. */
#include "engine/leaf/engine_config.h"
#include "event/event.h"

/* Those of --event with what --filter-event says of them, or the default ones.  0 or -1. */
int events_parse(const struct engine_config *c, const struct event_env *env,
		 struct event_list *list, struct err *err);

#endif
