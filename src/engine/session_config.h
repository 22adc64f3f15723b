/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_SESSION_CONFIG_H
#define PTOP_ENGINE_SESSION_CONFIG_H
/* The session that a command line asks for. */
#include "engine/engine_config.h"
#include "live/session/session.h"

/* Points into @config and @env. */
struct session_config session_config_of(const struct engine_config *config,
					const struct event_env *env);

#endif
