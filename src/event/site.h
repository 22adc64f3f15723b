/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_SITE_H
#define PTOP_EVENT_SITE_H
/*
 * The addresses of an event that has a place (event.place): one for each function that the place
 * names, or for each process that has the variable.  The search adds them; the event is opened once
 * for each of them.
 */
#include "event/event.h"

/* @target is copied, NULL is allowed.  The new one, valid until the next is added. */
struct event_site *event_add_site(struct event *ev, const char *target, uint64_t at,
				  int pid);

/* Removes those that are addresses of @pid. */
void event_remove_sites_of(struct event *ev, int pid);

/* Whether it has that one. */
bool event_has_site(const struct event *ev, const struct event_site *site);

/* Whether it is an event of the kernel's uprobe or kprobe PMU. */
bool event_is_probe(const struct event *ev);

/*
 * Whether samples are where functions begin, or where the user says: with arguments in registers.  What
 * has strings is made in tracefs, and carries its arguments as tracepoints do.
 */
bool event_has_arguments(const struct event *ev);

/* Whether its addresses are each of one process. */
bool event_is_of_processes(const struct event *ev);

/*
 * Whether that one is the second tracepoint of EVENT_LOOKS_EXACT or of a pair; and whether that comes
 * in the context of another task than the first.
 */
bool event_is_second(const struct event *ev, size_t site);
bool event_second_is_elsewhere(const struct event *ev);
void event_drop_waking(struct event *ev); /* it is without, if it had one */

/* Whether @site is an address of @pid. */
bool event_site_is_of(const struct event_site *site, int pid);

/* For event_copy() and event_release(). */
void event_sites_copy(struct event *to, const struct event *from);
void event_sites_release(struct event *ev);

#endif
