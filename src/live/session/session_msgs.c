/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session answers when it opens an event. */
#include "live/session/session.h"

#include "record/payload.h"

#include <stdlib.h>

static void
free_opened(struct msg *msg)
{
	struct session_opened_msg *m = (struct session_opened_msg *)msg;

	while (m != NULL) {
		struct session_opened_msg *next = m->next;

		event_release(&m->spec);
		payload_formats_free(m->formats);
		free(m->ids);
		free(m->tids);
		for (size_t i = 0; i < m->notice_count; i++)
			free(m->notices[i]);
		free(m);
		m = next;
	}
}

struct session_opened_msg *
session_opened_msg_new(uint32_t token)
{
	struct session_opened_msg *m = msg_new(sizeof(*m), SESSION_MSG_OPENED, free_opened);

	m->token = token;
	return m;
}
