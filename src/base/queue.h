/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_QUEUE_H
#define PTOP_BASE_QUEUE_H
/*
 * Messages between threads: the one place that knows locks.  Any number of senders, one receiver.
 * A message is a struct that begins with struct msg; sending gives it away.  The receiver either
 * waits in queue_wait() or polls queue_fd() and takes with queue_take().
 */
#include "base/util.h"

struct queue;

struct msg {
	struct msg *next;
	int type; /* the receiver's own enum */
	void (*free)(struct msg *m); /* it and what it owns; NULL: free(3) does */
};

/* Zeroed memory of @bytes that begins with a message; @release is its free. */
void *msg_new(size_t bytes, int type, void (*release)(struct msg *m));
void msg_free(struct msg *m); /* NULL is allowed */

struct queue *queue_new(void);
void queue_free(struct queue *q); /* and the messages that are still in it */

void queue_send(struct queue *q, struct msg *m);

/* All @count, in this order: the receiver, if it waits, is woken once.  None: nothing is sent. */
void queue_send_all(struct queue *q, struct msg *const *msgs, size_t count);

/* The oldest message, NULL if there is none.  Never blocks. */
struct msg *queue_take(struct queue *q);

/* The oldest message; waits up to @timeout_ms for one (-1: for ever).  NULL on timeout. */
struct msg *queue_wait(struct queue *q, int timeout_ms);

/*
 * Readable when messages wait, until queue_take() found none; now and then also when none does.
 * Belongs to the queue.
 */
int queue_fd(const struct queue *q);

/* Messages that wait within one thread, in the order in which they came.  Between threads: queue.h. */
struct msg_list {
	struct msg *head, **tail;
};

void msg_list_init(struct msg_list *l);
void msg_list_add(struct msg_list *l, struct msg *m);
struct msg *msg_list_take(struct msg_list *l); /* NULL when empty */

#endif
