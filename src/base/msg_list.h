/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_MSG_LIST_H
#define PTOP_BASE_MSG_LIST_H
/* Messages that wait within one thread, in the order in which they came.  Between threads: queue.h. */
#include "base/queue.h"

struct msg_list {
	struct msg *head, **tail;
};

void msg_list_init(struct msg_list *l);
void msg_list_add(struct msg_list *l, struct msg *m);
struct msg *msg_list_take(struct msg_list *l); /* NULL when empty */

#endif
