/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/wire.h"

#include "base/process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

struct wire_head {
	uint32_t type, len;
};

/* Whether to try again after a call that failed. */
static bool
may_retry(const struct wire *w, short events)
{
	if (errno == EINTR)
		return true;
	return (errno == EAGAIN || errno == EWOULDBLOCK) && w->wait != NULL &&
	       w->wait(w->arg, w->fd, events);
}

static int
flags_of(const struct wire *w)
{
	return w->wait != NULL ? MSG_DONTWAIT : 0;
}

/* The head and the body at once, so that whoever waits for them is woken once. */
static int
send_parts(const struct wire *w, struct iovec parts[2], int fd)
{
	size_t left = parts[0].iov_len + parts[1].iov_len;
	union passed_fd room;

	while (left > 0) {
		struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
		ssize_t n;

		if (fd >= 0)
			passed_fd_put(&m, &room, fd); /* with the first bytes */
		n = sendmsg(w->fd, &m, MSG_NOSIGNAL | flags_of(w));
		if (n < 0 && !may_retry(w, POLLOUT))
			return -1;
		if (n <= 0)
			continue;
		fd = -1;
		left -= (size_t)n;
		for (size_t i = 0, done = (size_t)n; i < 2; i++) {
			size_t of_part = MIN(done, parts[i].iov_len);

			/* The second one may be none at all: nothing is added to NULL. */
			if (of_part > 0)
				parts[i].iov_base = (char *)parts[i].iov_base + of_part;
			parts[i].iov_len -= of_part;
			done -= of_part;
		}
	}
	return 0;
}

int
wire_send(const struct wire *w, enum wire_type type, const struct buf *body, int fd)
{
	struct wire_head head = { type, (uint32_t)(body != NULL ? body->len : 0) };
	struct iovec parts[2] = { { &head, sizeof(head) } };

	if (body != NULL && body->len > WIRE_BYTES_MAX)
		return -1;
	if (body != NULL)
		parts[1] = (struct iovec){ body->data, body->len };
	return send_parts(w, parts, fd);
}

/* @fd NULL: a descriptor that comes with it is dropped by the kernel. */
static int
recv_bytes(const struct wire *w, void *data, size_t len, int *fd)
{
	char *at = data;
	union passed_fd room;

	while (len > 0) {
		struct iovec iov = { at, len };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
		ssize_t n;

		if (fd != NULL && *fd < 0) {
			m.msg_control = room.bytes;
			m.msg_controllen = sizeof(room.bytes);
		}
		n = recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC | flags_of(w));
		if (n == 0 || (n < 0 && !may_retry(w, POLLIN)))
			return -1;
		if (n < 0)
			continue;
		if (m.msg_control != NULL)
			*fd = passed_fd_take(&m);
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int
wire_recv(const struct wire *w, struct wire_msg *m)
{
	struct wire_head head;

	*m = (struct wire_msg){ .fd = -1 };
	if (recv_bytes(w, &head, sizeof(head), &m->fd) < 0 || head.len > WIRE_BYTES_MAX)
		return -1;
	m->type = head.type;
	buf_add_fill(&m->body, '\0', head.len);
	return recv_bytes(w, m->body.data, head.len, NULL);
}

void
wire_msg_release(struct wire_msg *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	buf_release(&m->body);
}

void
wire_put_u32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

void
wire_put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

void
wire_put_string(struct buf *b, const char *s)
{
	size_t len = s != NULL ? strlen(s) : 0;

	if (len > 0)
		buf_add(b, s, MIN(len, WIRE_STRING_MAX));
	buf_add_char(b, '\0');
}

void
wire_put_err(struct buf *b, const struct err *err)
{
	wire_put_u32(b, err->code);
	wire_put_u32(b, (uint32_t)err->sys);
	wire_put_string(b, err->text);
	wire_put_string(b, err->hint);
}

void
wire_put_ask(struct buf *b, const struct debug_ask *ask)
{
	wire_put_u32(b, ask->want);
	wire_put_u32(b, ask->nth);
	wire_put_u32(b, ask->build_id_len);
	buf_add(b, ask->build_id, sizeof(ask->build_id));
	wire_put_string(b, ask->name);
}

struct reader
wire_reader(const struct wire_msg *m)
{
	return reader_over((struct bytes){ (const uint8_t *)buf_str(&m->body), m->body.len });
}

void
wire_get_err(struct reader *r, struct err *err)
{
	uint32_t code = reader_u32(r), sys = reader_u32(r);
	const char *text = reader_string(r), *hint = reader_string(r);

	if (r->failed || code > ERR_IO) {
		reader_fail(r);
		return;
	}
	err->code = (enum err_code)code;
	err->sys = (int)sys;
	snprintf(err->text, sizeof(err->text), "%s", text);
	snprintf(err->hint, sizeof(err->hint), "%s", hint);
}

bool
wire_get_ask(struct reader *r, struct debug_ask *ask)
{
	uint32_t want = reader_u32(r), nth = reader_u32(r), len = reader_u32(r);
	const uint8_t *id = reader_bytes(r, sizeof(ask->build_id));
	const char *name = reader_string(r);

	if (r->failed || want >= DEBUG_WANTS || nth > DEBUG_NTH_MAX ||
	    len > sizeof(ask->build_id) || strlen(name) >= sizeof(ask->name))
		return false;
	*ask = (struct debug_ask){ .want = (enum debug_want)want, .nth = (uint8_t)nth,
				   .build_id_len = (uint8_t)len };
	memcpy(ask->build_id, id, sizeof(ask->build_id));
	strcpy(ask->name, name);
	return true;
}
