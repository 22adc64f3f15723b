/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/msg_list.h"

void
msg_list_init(struct msg_list *l)
{
	*l = (struct msg_list){ .tail = &l->head };
}

void
msg_list_add(struct msg_list *l, struct msg *m)
{
	m->next = NULL;
	*l->tail = m;
	l->tail = &m->next;
}

struct msg *
msg_list_take(struct msg_list *l)
{
	struct msg *m = l->head;

	if (m != NULL) {
		l->head = m->next;
		if (l->head == NULL)
			l->tail = &l->head;
	}
	return m;
}
