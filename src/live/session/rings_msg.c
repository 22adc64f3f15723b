/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/rings_msg.h"

#include "live/session/lanes.h"

#include <stdlib.h>

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
session_rings_msg_free(struct session_rings_msg *m)
{
	struct rings_msg *full = (struct rings_msg *)m;

	for (size_t i = 0; i < full->part_count; i++) {
		event_fds_close(&full->parts[i].fds);
		session_event_put(full->parts[i].event);
	}
	for (size_t i = 0; i < m->added_count; i++)
		session_ring_close(&m->added[i]);
	free(full->parts);
	free(m->added);
	free(m->ids);
	free(m->tokens);
	free(m->tids);
	free(m->gone);
	free(m->closed);
	free(m->missing);
	free(m->remedy);
	free(full);
}
