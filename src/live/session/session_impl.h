/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_SESSION_IMPL_H
#define PTOP_LIVE_SESSION_SESSION_IMPL_H
/* What the files of the engine's side of a session share. */
#include "live/session/event_opener.h"
#include "live/session/scope.h"
#include "live/session/session.h"

struct session {
	struct session_config config; /* own copy of what is used after session_new() */
	char *root;
	unsigned *cpus;
	struct event_opener opener;
	bool is_running; /* the opener's thread */
	struct scope_notes notes;
	struct event_attr sideband_attr; /* the opener's own may change */
	struct session_ring *rings;
	size_t ring_count;
	unsigned cpus_known;
	char *missing, *missing_remedy; /* of CPUs, NULL: none */
};

#endif
