/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/site.h"

#include "event/pair.h"

#include <stdlib.h>
#include <string.h>

struct event_site *
event_add_site(struct event *ev, const char *target, uint64_t at, int pid)
{
	size_t size = sizeof(*ev->sites);

	ev->sites = mem_realloc(ev->sites, ev->site_count + 1, size);
	ev->sites[ev->site_count++] = (struct event_site){
		.target = target != NULL ? mem_strdup(target) : NULL, .at = at, .pid = pid,
	};
	return &ev->sites[ev->site_count - 1];
}

void
event_remove_sites_of(struct event *ev, int pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < ev->site_count; i++) {
		if (ev->sites[i].pid == pid)
			free(ev->sites[i].target);
		else
			ev->sites[kept++] = ev->sites[i];
	}
	ev->site_count = kept;
}

bool
event_has_site(const struct event *ev, const struct event_site *site)
{
	const char *target = site->target != NULL ? site->target : "";

	for (size_t i = 0; i < ev->site_count; i++) {
		const struct event_site *s = &ev->sites[i];

		if (s->at == site->at && s->pid == site->pid &&
		    strcmp(s->target != NULL ? s->target : "", target) == 0)
			return true;
	}
	return false;
}

bool
event_is_probe(const struct event *ev)
{
	return ev->place != EVENT_PLACE_NONE && ev->place != EVENT_PLACE_DATA;
}

bool
event_has_arguments(const struct event *ev)
{
	return ev->place == EVENT_PLACE_UPROBE && ev->strings == NULL;
}

bool
event_is_of_processes(const struct event *ev)
{
	return ev->site_count > 0 && ev->sites[0].pid != 0;
}

bool
event_is_second(const struct event *ev, size_t site)
{
	return (ev->looks == EVENT_LOOKS_EXACT || ev->pair != NULL) && site < ev->site_count &&
	       ev->sites[site].at != ev->config;
}

bool
event_second_is_elsewhere(const struct event *ev)
{
	return ev->looks == EVENT_LOOKS_EXACT ||
	       (ev->pair != NULL && ev->pair->by == PAIR_BY_FIELDS);
}

void
event_drop_waking(struct event *ev)
{
	ev->site_count = MIN(ev->site_count, 1);
}

bool
event_site_is_of(const struct event_site *site, int pid)
{
	return site->pid == 0 || site->pid == pid;
}

void
event_sites_copy(struct event *to, const struct event *from)
{
	to->sites = NULL;
	to->site_count = 0;
	for (size_t i = 0; i < from->site_count; i++)
		event_add_site(to, from->sites[i].target, from->sites[i].at,
			       from->sites[i].pid)->tracepoint = from->sites[i].tracepoint;
}

void
event_sites_release(struct event *ev)
{
	for (size_t i = 0; i < ev->site_count; i++)
		free(ev->sites[i].target);
	free(ev->sites);
	ev->sites = NULL;
	ev->site_count = 0;
}
