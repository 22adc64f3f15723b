/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/event.h"
#include "event/site.h"

#include "base/buf.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

size_t
event_group_len(const struct event *events, size_t count)
{
	size_t len = 1;

	while (len < count && events[0].group != 0 && events[len].group == events[0].group)
		len++;
	return len;
}

int
event_group_check(const struct event *events, size_t count, struct err *err)
{
	for (size_t i = 0; i < count && count > 1; i++) {
		/* Probes are opened one by one, as their places are found. */
		if (events[i].place != EVENT_PLACE_NONE) {
			err_set(err, ERR_UNSUPPORTED, 0, "event '%.80s' cannot be sampled in a group: "
				"it is opened where its function or variable is found", events[i].name);
			return err_hint(err, "name it outside of the braces");
		}
		if (events[i].looks == EVENT_LOOKS_EXACT || events[i].pair != NULL) {
			err_set(err, ERR_UNSUPPORTED, 0, "event '%.80s' cannot be sampled in a "
				"group: it is made of several", events[i].name);
			return err_hint(err, "name it outside of the braces");
		}
		/* Else the others count twice: by their own samples, and as values in its samples. */
		if (events[i].sample_read && !events[0].sample_read) {
			err_set(err, ERR_UNSUPPORTED, 0, "event '%.80s' cannot be sampled in a group: "
				"only its first or all can be :S", events[i].name);
			return err_hint(err, "put :S behind the braces");
		}
	}
	return 0;
}

/* perf_swevent_start_hrtimer() is called when the switch is done, whose time is the task's already. */
const char *
event_gap_of_tasks(const struct event *ev)
{
	return ev->is_clock ? "each task has a timer of its own, which starts once the task runs: the "
			      "switch to it, some microseconds of its CPU time, is not sampled"
			    : NULL;
}

void
event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		event_release(&list->items[i]);
	free(list->items);
	*list = (struct event_list){ 0 };
}

static char *
copy_text(const char *text)
{
	return text != NULL ? mem_strdup(text) : NULL;
}

static void *
copy_array(const void *items, size_t count, size_t size)
{
	return items != NULL ? memcpy(mem_calloc(count + 1, size), items, count * size) : NULL;
}

void
event_copy(struct event *to, const struct event *from)
{
	*to = *from;
	to->name = copy_text(from->name);
	to->path = copy_text(from->path);
	to->symbol = copy_text(from->symbol);
	to->filter = copy_text(from->filter);
	to->strings = copy_text(from->strings);
	to->tracepoint = copy_text(from->tracepoint);
	to->format = copy_text(from->format);
	event_sites_copy(to, from);
	to->cpus = copy_array(from->cpus, from->cpu_count, sizeof(*from->cpus));
	to->more_types = copy_array(from->more_types, from->more_count, sizeof(*from->more_types));
}

void
event_release(struct event *ev)
{
	free(ev->name);
	free(ev->path);
	free(ev->symbol);
	free(ev->filter);
	free(ev->strings);
	free(ev->tracepoint);
	free(ev->format);
	event_sites_release(ev);
	free(ev->cpus);
	free(ev->more_types);
	*ev = (struct event){ 0 };
}

static void
add_filter(struct event *ev, const char *filter)
{
	struct buf both = { 0 };

	if (ev->filter != NULL)
		buf_addf(&both, "(%s) && (%s)", ev->filter, filter);
	else
		buf_add_str(&both, filter);
	free(ev->filter);
	ev->filter = both.data;
}

bool
event_takes_filter(const struct event *ev)
{
	return ev->type == PERF_TYPE_TRACEPOINT ||
	       (ev->place != EVENT_PLACE_NONE && ev->place != EVENT_PLACE_DATA);
}

int
event_set_filter(struct event_list *list, const char *filter, struct err *err)
{
	for (size_t i = list->last; i < list->len; i++) {
		struct event *ev = &list->items[i];

		if (!event_takes_filter(ev))
			return err_set(err, ERR_USAGE, 0, "a filter is for tracepoints and probes: "
				       "'%.100s' has no fields", ev->name);
		add_filter(ev, filter);
	}
	return 0;
}
