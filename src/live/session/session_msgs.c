/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a session's messages. */
#include "live/session/session.h"

#include <stdlib.h>

void
session_opened_msg_free(struct session_opened_msg *m)
{
	while (m != NULL) {
		struct session_opened_msg *next = m->next;

		event_release(&m->spec);
		free(m->ids);
		free(m->tids);
		for (size_t i = 0; i < m->notice_count; i++)
			free(m->notices[i]);
		free(m);
		m = next;
	}
}

void
session_filtered_msg_free(struct session_filtered_msg *m)
{
	free(m->filter);
	free(m);
}

void
session_exited_msg_free(struct session_exited_msg *m)
{
	free(m);
}

void
session_attached_msg_free(struct session_attached_msg *m)
{
	free(m->pids);
	free(m);
}

void
session_detached_msg_free(struct session_detached_msg *m)
{
	free(m);
}
