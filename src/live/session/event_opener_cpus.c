/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/event_opener.h"
#include "live/session/follow.h"

#include <stdlib.h>

/* Takes the lanes of CPUs that went out of use. */
static void
drop_gone(struct event_opener *o, const struct cpus *now, struct rings_msg *m)
{
	struct session_rings_msg *pub = &m->pub;
	struct event_fds gone = { 0 };

	pub->gone = mem_calloc(o->lanes.len + 1, sizeof(*pub->gone));
	for (size_t i = 0; i < o->lanes.len; i++) {
		if (!cpus_has(now, o->lanes.items[i].cpu))
			pub->gone[pub->gone_count++] = o->lanes.items[i].cpu;
	}
	for (size_t i = 0; i < pub->gone_count; i++)
		lanes_remove(&o->lanes, pub->gone[i]);
	event_fds_take(&o->sideband, pub->gone, pub->gone_count, 0, &gone);
	closer_take(o->closer, &gone);
	for (size_t i = 0; i < o->event_count && pub->gone_count > 0; i++)
		rings_msg_add(m, o->events[i].event);
}

/* Opens rings and events on CPUs that came into use.  @why: what could not be opened there. */
static void
add_come(struct event_opener *o, const struct cpus *now, struct rings_msg *m, struct err *why)
{
	struct cpus come = { .items = mem_calloc(now->len + 1, sizeof(*come.items)) };
	size_t before = o->lanes.len;

	follow_tasks(o); /* those that it has not seen would be opened on the new CPUs twice */
	for (size_t i = 0; i < now->len; i++) {
		if (!lanes_has(&o->lanes, now->items[i]))
			come.items[come.len++] = now->items[i];
	}
	if (come.len > 0 &&
	    lanes_open(&o->lanes, o->everywhere.sys, o->env, &come, &o->pages, &m->pub.added,
		       &m->pub.added_count, why) == 0)
		event_opener_extend_events(o, m, o->lanes.items + before, o->lanes.len - before,
					   NULL, why);
	else if (come.len > 0)
		cpu_watch_again(&o->watch); /* not ready yet: look again at the next tick */
	cpus_release(&come);
}

/* The CPUs of -C that are on line, or all that are. */
static void
choose_online(const struct event_opener *o, const struct cpus *online, struct cpus *out)
{
	const struct session_config *c = o->config;
	const struct cpus wanted = { (unsigned *)c->cpus, c->cpu_count };

	*out = (struct cpus){ .items = mem_calloc(online->len + 1, sizeof(*out->items)) };
	for (size_t i = 0; i < online->len; i++) {
		if (c->cpu_count == 0 || cpus_has(&wanted, online->items[i]))
			out->items[out->len++] = online->items[i];
	}
}

void
event_opener_learn_cpus(struct event_opener *o, const struct cpus *cpus)
{
	struct cpus *known = &o->known;

	known->items = mem_realloc(known->items, known->len + cpus->len + 1,
				   sizeof(*known->items));
	for (size_t i = 0; i < cpus->len; i++) {
		if (!cpus_has(known, cpus->items[i]))
			known->items[known->len++] = cpus->items[i];
	}
	cpus_sort(known);
}

/* Of what is not sampled: a sentence, NULL if all is. */
static char *
missing_text(const struct event_opener *o, const struct cpus *now, const struct err *why)
{
	const struct cpus *known = &o->known;
	struct cpus off = { .items = mem_calloc(known->len + 1, sizeof(*off.items)) };
	struct buf b = { 0 };

	for (size_t i = 0; i < known->len; i++) {
		if (!cpus_has(now, known->items[i]))
			off.items[off.len++] = known->items[i];
	}
	if (why->code != ERR_NONE)
		buf_addf(&b, "a CPU that came on line is not sampled: %s", why->text);
	if (off.len > 0) {
		buf_addf(&b, "%s%s ", b.len > 0 ? "; " : "", off.len > 1 ? "CPUs" : "CPU");
		cpus_put_list(&b, &off);
		buf_addf(&b, " %s off line: %zu of %zu CPUs are sampled",
			 off.len > 1 ? "are" : "is", o->lanes.len, known->len);
	}
	cpus_release(&off);
	return b.data;
}

static void
change_to(struct event_opener *o, const struct cpus *now)
{
	struct rings_msg *m = rings_msg_new();
	struct err why = { 0 };

	drop_gone(o, now, m);
	add_come(o, now, m, &why);
	m->pub.tells_cpus = true;
	m->pub.cpus_known = (unsigned)o->known.len;
	m->pub.missing = missing_text(o, now, &why);
	m->pub.remedy = *why.hint != '\0' ? mem_strdup(why.hint) : NULL;
	event_opener_send_rings(o, m);
}

/* @now, without those whose lanes are dead since their CPU was off line meanwhile. */
static void
leave_out_dead(const struct event_opener *o, const struct cpu_changes *changes,
	       const struct cpus *now, struct cpus *out)
{
	*out = (struct cpus){ .items = mem_calloc(now->len + 1, sizeof(*out->items)) };
	for (size_t i = 0; i < now->len; i++) {
		unsigned cpu = now->items[i];

		if (!cpu_changes_were_off(changes, cpu) || !lanes_has(&o->lanes, cpu))
			out->items[out->len++] = cpu;
	}
}

void
event_opener_follow_cpus(struct event_opener *o)
{
	struct cpus online = { 0 }, now = { 0 }, alive = { 0 };
	struct cpu_changes changes;

	cpu_watch_look(&o->watch, &changes);
	if (changes.any && cpus_read_online(o->env, &online, NULL) == 0) {
		choose_online(o, &online, &now);
		event_opener_learn_cpus(o, &now);
		leave_out_dead(o, &changes, &now, &alive);
		/* A CPU that is in one message goes or comes. */
		if (alive.len < now.len)
			change_to(o, &alive);
		change_to(o, &now);
	}
	cpus_release(&online);
	cpus_release(&now);
	cpus_release(&alive);
	cpu_changes_release(&changes);
}
