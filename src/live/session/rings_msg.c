/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/rings_msg.h"

#include "live/session/lanes.h"

#include <stdlib.h>

static void
free_rings(struct msg *msg)
{
	struct rings_msg *m = (struct rings_msg *)msg;
	struct session_rings_msg *pub = &m->pub;

	for (size_t i = 0; i < m->part_count; i++) {
		event_fds_close(&m->parts[i].fds);
		tasks_release(&m->parts[i].ended);
		session_event_put(m->parts[i].event);
	}
	for (size_t i = 0; i < pub->added_count; i++)
		session_ring_close(&pub->added[i]);
	free(m->parts);
	free(pub->added);
	free(pub->ids);
	free(pub->tokens);
	free(pub->tids);
	free(pub->renewed);
	free(pub->gone);
	free(pub->closed);
	free(pub->missing);
	free(pub->remedy);
	free(m);
}

struct rings_msg *
rings_msg_new(void)
{
	struct rings_msg *m = mem_calloc(1, sizeof(*m));

	m->pub.msg = (struct msg){ .type = SESSION_MSG_RINGS, .free = free_rings };
	return m;
}

struct rings_part *
rings_msg_add(struct rings_msg *m, struct session_event *ev)
{
	vec_reserve(&m->parts, &m->part_cap, m->part_count + 1, sizeof(*m->parts));
	m->parts[m->part_count] = (struct rings_part){ .event = session_event_get(ev) };
	return &m->parts[m->part_count++];
}

void
rings_msg_put_ids(struct rings_msg *m, const struct rings_part *part)
{
	struct session_rings_msg *pub = &m->pub;
	size_t need = pub->id_count + part->fds.len + 1;

	pub->ids = mem_realloc(pub->ids, need, sizeof(*pub->ids));
	pub->tokens = mem_realloc(pub->tokens, need, sizeof(*pub->tokens));
	pub->tids = mem_realloc(pub->tids, need, sizeof(*pub->tids));
	for (size_t i = 0; i < part->fds.len; i++) {
		pub->ids[pub->id_count] = part->fds.items[i].id;
		pub->tids[pub->id_count] = part->fds.items[i].tid;
		pub->tokens[pub->id_count++] = part->event->token;
	}
}

void
rings_msg_put_attr(struct rings_msg *m, const struct rings_part *part,
		   const struct event_attr *attr)
{
	struct session_rings_msg *pub = &m->pub;

	pub->renewed = mem_realloc(pub->renewed, pub->renewed_count + 1, sizeof(*pub->renewed));
	pub->renewed[pub->renewed_count++] = (struct session_renewed){ part->event->token, *attr };
}
