/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_NAMED_PROBES_H
#define PTOP_LIVE_SESSION_NAMED_PROBES_H
/*
 * Uprobes whose arguments are read as strings: the kernel reads memory only for those that were made in
 * tracefs, under a name, and opens them as tracepoints.  They are called CALL_PROBES_GROUP and ptop's
 * number, and removed by probe_keeper.h.  Blocks.  One thread.
 */
#include "event/event.h"

struct named_probes; /* NULL: none was made */

/*
 * Makes the sites of @ev that are not made yet (event.strings, event_site.tracepoint).  -1: none of
 * them, see @err.
 */
int named_probes_make(struct named_probes **p, const struct event_env *env, struct event *ev,
		      struct err *err);

/* They are closed, or about to be. */
void named_probes_forget(struct named_probes *p, const struct event *ev);

/* When all are closed: none is left afterwards. */
void named_probes_free(struct named_probes *p);

#endif
