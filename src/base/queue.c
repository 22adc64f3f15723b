/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/queue.h"

#include "base/err.h"

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
	int fd;             /* eventfd: each message that finds the list empty adds one to it */
	uint64_t announced; /* what it has got, or is about to get, since it was last read */
};

struct queue *
queue_new(void)
{
	struct queue *q = mem_calloc(1, sizeof(*q));

	pthread_mutex_init(&q->lock, NULL);
	q->tail = &q->head;
	q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->fd < 0)
		die("cannot make an eventfd: %s%s%s%s", strerror(errno), errno == EMFILE ? " (" : "",
		    errno == EMFILE ? err_files_hint : "", errno == EMFILE ? ")" : "");
	return q;
}

void *
msg_new(size_t bytes, int type, void (*release)(struct msg *m))
{
	struct msg *m = mem_calloc(1, bytes);

	m->type = type;
	m->free = release;
	return m;
}

void
msg_free(struct msg *m)
{
	if (m != NULL && m->free != NULL)
		m->free(m);
	else
		free(m);
}

void
queue_free(struct queue *q)
{
	struct msg *m;

	if (q == NULL)
		return;
	while ((m = queue_take(q)) != NULL)
		msg_free(m);
	close(q->fd);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

void
queue_send(struct queue *q, struct msg *m)
{
	queue_send_all(q, &m, 1);
}

void
queue_send_all(struct queue *q, struct msg *const *msgs, size_t count)
{
	uint64_t one = 1;
	bool first;

	pthread_mutex_lock(&q->lock);
	first = q->head == NULL && count > 0;
	for (size_t i = 0; i < count; i++) {
		msgs[i]->next = NULL;
		*q->tail = msgs[i];
		q->tail = &msgs[i]->next;
	}
	q->announced += first;
	pthread_mutex_unlock(&q->lock);
	/* Not under the lock: who is woken by it would have to wait for that. */
	if (first && write(q->fd, &one, sizeof(one)) < 0)
		die("cannot wake a thread: %s", strerror(errno));
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
		if (q->head == NULL)
			q->tail = &q->head;
	} else if (q->announced > 0 && read(q->fd, &n, sizeof(n)) == sizeof(n)) {
		/* A sender that has left the lock may be about to write its one: it is read then. */
		q->announced -= n;
	}
	pthread_mutex_unlock(&q->lock);
	return m;
}

struct msg *
queue_wait(struct queue *q, int timeout_ms)
{
	struct pollfd p = { .fd = q->fd, .events = POLLIN };
	struct msg *m;
	int n = 1;

	/* It may be readable for a message that was taken before. */
	while ((m = queue_take(q)) == NULL && n != 0)
		n = poll(&p, 1, timeout_ms);
	return m;
}

int
queue_fd(const struct queue *q)
{
	return q->fd;
}

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
