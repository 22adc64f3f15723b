/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_SESSION_CONFIG_H
#define PTOP_ENGINE_LEAF_SESSION_CONFIG_H
/* The session that a command line asks for. */
#include "engine/leaf/engine_config.h"
#include "event/event.h"
#include "live/session/session.h"
#include "live/sys/capabilities.h"

/* Points into @config and @env. */
struct session_config session_config_of(const struct engine_config *config,
					const struct event_env *env);

/* The rights that files want: probes want others. */
struct capability_needs capability_needs_of(const struct engine_config *config);

/*
 * The events of the command line.  Those of --event with what --filter-event says of them, or the
 * default ones.  0 or -1.
 */
int events_parse(const struct engine_config *c, const struct event_env *env,
		 struct event_list *list, struct err *err);

#endif
