/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/link.h"

#include "base/process.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HTTP_LEAST = 200, HTTP_MOST = 599 };

int
link_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

int
link_send(int end, const struct serve_msg *m, int fd)
{
	struct iovec iov = { (void *)(uintptr_t)m, sizeof(*m) };
	struct msghdr head = { .msg_iov = &iov, .msg_iovlen = 1 };
	union passed_fd room;
	ssize_t n;

	if (fd >= 0)
		passed_fd_put(&head, &room, fd);
	do
		n = sendmsg(end, &head, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*m) ? 0 : -1;
}

static bool
has_end(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

static bool
is_setup(const struct serve_setup *s)
{
	return s->is_tcp <= 1 && s->token_len <= sizeof(s->token);
}

static bool
is_ask(const struct serve_ask *a)
{
	return a->what < SERVE_WHAT_COUNT && a->format < SERVE_FORMAT_COUNT && a->past <= 1 &&
	       a->is_open_metrics <= 1 && a->seconds <= SERVE_SECONDS_MAX &&
	       a->window_s <= SERVE_WINDOW_MAX_S && has_end(a->by, sizeof(a->by)) &&
	       has_end(a->process, sizeof(a->process)) &&
	       has_end(a->cgroup, sizeof(a->cgroup)) && has_end(a->event, sizeof(a->event));
}

static bool
is_answer(const struct serve_answer *a)
{
	return a->status >= HTTP_LEAST && a->status <= HTTP_MOST && has_end(a->text, sizeof(a->text));
}

bool
link_is_message(const struct serve_msg *m, size_t len)
{
	if (len != sizeof(*m))
		return false;
	switch (m->type) {
	case SERVE_MSG_SETUP:
		return is_setup(&m->setup);
	case SERVE_MSG_ASK:
	case SERVE_MSG_CANCEL:
		return is_ask(&m->ask);
	case SERVE_MSG_READY:
	case SERVE_MSG_FAILED:
	case SERVE_MSG_ANSWER:
		return is_answer(&m->answer);
	default:
		return false;
	}
}

int
link_recv(int end, struct serve_msg *m, int *fd)
{
	struct iovec iov = { m, sizeof(*m) };
	union passed_fd room;
	struct msghdr head = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room.bytes,
			       .msg_controllen = sizeof(room.bytes) };
	ssize_t n;

	*fd = -1;
	do
		n = recvmsg(end, &head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n <= 0)
		return -1;
	*fd = passed_fd_take(&head);
	if ((head.msg_flags & MSG_TRUNC) == 0 && link_is_message(m, (size_t)n))
		return 1;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -1;
}
