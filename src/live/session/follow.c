/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/follow.h"

#include "live/sys/limits.h"

#include <stdlib.h>

/* What other descriptors ptop needs meanwhile. */
enum { SPARE_DESCRIPTORS = 64 };

bool
follow_is_wanted(const struct event_opener *o)
{
	for (size_t i = 0; i < o->event_count; i++)
		if (open_everywhere_is_followed(&o->everywhere, &o->events[i].plan.spec))
			return true;
	return false;
}

void
follow_learn(const struct event_opener *o, struct opened_event *e, const struct event_fds *fds)
{
	if (!open_everywhere_is_followed(&o->everywhere, &e->plan.spec))
		return;
	e->followed.len = 0;
	for (size_t i = 0; i < fds->len; i++)
		if (!tasks_has(&e->followed, fds->items[i].tid))
			tasks_add(&e->followed, (struct sampled_task){
				.pid = fds->items[i].tid, .tid = fds->items[i].tid,
				.target = fds->items[i].target });
}

/* Those of @from that @in does not have. */
static struct tasks
without(const struct tasks *from, const struct tasks *in)
{
	struct tasks out = { 0 };

	for (size_t i = 0; i < from->len; i++)
		if (!tasks_has(in, from->items[i].tid))
			tasks_add(&out, from->items[i]);
	return out;
}

static void
tell(struct event_opener *o, const struct opened_event *e, const struct err *err)
{
	struct session_joined_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = SESSION_MSG_JOINED;
	m->token = e->event->token;
	m->is_late = err->code == ERR_NONE;
	m->err = *err;
	queue_send(o->answers, &m->msg);
}

static int
open_for(struct event_opener *o, struct opened_event *e, const struct tasks *born,
	 struct rings_part *part, struct err *err)
{
	size_t need = born->len * o->lanes.len * MAX(e->plan.spec.site_count, 1);

	if (limits_need_descriptors(need + SPARE_DESCRIPTORS, err) < 0)
		return -1;
	return open_everywhere(&o->everywhere, &e->plan, o->lanes.items, o->lanes.len, born,
			       EVERYWHERE_SAMPLES, &part->fds, err);
}

static void
follow_event(struct event_opener *o, struct opened_event *e, const struct tasks *now,
	     struct rings_msg *m)
{
	struct tasks born = without(now, &e->followed), ended = without(&e->followed, now);
	struct err err = { 0 };
	struct rings_part *part;

	if (born.len + ended.len > 0) {
		part = rings_msg_add(m, e->event);
		part->begins = true;
		part->ended = ended;
		if (born.len > 0)
			open_for(o, e, &born, part, &err);
		rings_msg_put_ids(m, part);
		if (born.len > 0 && !e->has_told) {
			e->has_told = true;
			tell(o, e, &err);
		}
		tasks_release(&e->followed);
		for (size_t i = 0; i < now->len; i++)
			tasks_add(&e->followed, now->items[i]);
	}
	tasks_release(&born);
}

void
follow_tasks(struct event_opener *o)
{
	struct rings_msg *m;
	struct tasks now = { 0 };

	if (!follow_is_wanted(o))
		return;
	targets_refresh(&o->targets);
	targets_list(&o->targets, 0, &now);
	m = rings_msg_new();
	for (size_t i = 0; i < o->event_count; i++)
		if (open_everywhere_is_followed(&o->everywhere, &o->events[i].plan.spec))
			follow_event(o, &o->events[i], &now, m);
	if (m->part_count > 0)
		event_opener_send_rings(o, m);
	else
		msg_free(&m->pub.msg);
	tasks_release(&now);
}
