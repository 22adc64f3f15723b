/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_NAMED_PROBES_H
#define PTOP_LIVE_SESSION_NAMED_PROBES_H
/*
 * Uprobes that are made in tracefs, under a name, and opened as tracepoints: those whose arguments are
 * read as strings, as the kernel reads memory for no others, and those that are open at several places,
 * as the kernel asks one at a hit, and not each of as many.  They are called CALL_PROBES_GROUP, ptop's
 * number and pid namespace, and removed by probe_keeper.h; what a ptop of this namespace has left is, too.
 * Blocks.  One thread; a process may have several of them.
 */
#include "event/event.h"

struct named_probes; /* NULL: none was made */

/*
 * Makes the sites of @ev that are not made yet (event.strings, event_site.tracepoint).  -1: none of
 * them, see @err.
 */
int named_probes_make(struct named_probes **p, const struct event_env *env, struct event *ev,
		      struct err *err);

/* One site, of the event or not, without arguments.  -1: it is not made, see @err. */
int named_probes_make_site(struct named_probes **p, const struct event_env *env, struct event *ev,
			   struct event_site *site, struct err *err);

/* Whether the site's is still in tracefs: anybody may remove those that are not open. */
bool named_probes_has_site(const struct named_probes *p, const struct event_env *env,
			   const struct event_site *site);

/* They are closed, or about to be. */
void named_probes_forget_site(struct named_probes *p, struct event_site *site);
void named_probes_forget(struct named_probes *p, const struct event *ev);

/* When all are closed: none is left afterwards. */
void named_probes_free(struct named_probes *p);

#endif
