/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/queue.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct queue {
	pthread_mutex_t lock;
	struct msg *head, **tail;
	int fd; /* eventfd: holds 1 while the list is not empty */
};

struct queue *
queue_new(void)
{
	struct queue *q = mem_calloc(1, sizeof(*q));

	pthread_mutex_init(&q->lock, NULL);
	q->tail = &q->head;
	q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->fd < 0)
		die("cannot make an eventfd: %s", strerror(errno));
	return q;
}

void
queue_free(struct queue *q)
{
	if (q == NULL)
		return;
	close(q->fd);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

void
queue_send(struct queue *q, struct msg *m)
{
	uint64_t one = 1;
	bool first;

	m->next = NULL;
	pthread_mutex_lock(&q->lock);
	first = q->head == NULL;
	*q->tail = m;
	q->tail = &m->next;
	/* Under the lock, or a receiver that empties the queue in between leaves the fd readable. */
	if (first && write(q->fd, &one, sizeof(one)) < 0)
		die("cannot wake a thread: %s", strerror(errno));
	pthread_mutex_unlock(&q->lock);
}

struct msg *
queue_take(struct queue *q)
{
	struct msg *m;
	uint64_t n;

	pthread_mutex_lock(&q->lock);
	m = q->head;
	if (m != NULL) {
		q->head = m->next;
		if (q->head == NULL) {
			q->tail = &q->head;
			if (read(q->fd, &n, sizeof(n)) < 0)
				die("cannot read an eventfd: %s", strerror(errno));
		}
	}
	pthread_mutex_unlock(&q->lock);
	return m;
}

struct msg *
queue_wait(struct queue *q, int timeout_ms)
{
	struct pollfd p = { .fd = q->fd, .events = POLLIN };
	struct msg *m = queue_take(q);

	if (m != NULL)
		return m;
	while (poll(&p, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return queue_take(q);
}

int
queue_fd(const struct queue *q)
{
	return q->fd;
}
