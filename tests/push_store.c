/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/push_store.h"

#include "base/file.h"
#include "tests/run.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAITS_MS = 30000, LOOK_MS = 5, BODY_MAX = 64 << 20 };

static void
say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(0);
}

static void
say_for_ever(int fd, const char *text)
{
	for (;;)
		say(fd, text);
}

/* One request from a connection that may bring several.  false: it is over. */
static bool
receive(int fd, struct buf *in, size_t *head_len, size_t *body_len)
{
	const char *end, *length;
	char part[16384];
	ssize_t n;

	*head_len = 0;
	for (;;) {
		end = strstr(buf_str(in), "\r\n\r\n");
		if (end != NULL && *head_len == 0) {
			*head_len = (size_t)(end - in->data) + 4;
			length = strcasestr(in->data, "\r\nContent-Length: ");
			*body_len = length != NULL ? strtoul(length + 18, NULL, 10) : 0;
		}
		if (*head_len > 0 && in->len >= *head_len + *body_len)
			return true;
		n = recv(fd, part, sizeof(part), 0);
		if (n <= 0)
			return false;
		buf_add(in, part, (size_t)n);
	}
}

static void
keep(struct push_store *s, const struct buf *in, size_t head_len, size_t body_len)
{
	int n = atomic_load(&s->shared->taken), fd;
	char path[96];

	if (n >= PUSH_STORE_KEPT || head_len >= PUSH_STORE_HEAD)
		abort();
	memcpy(s->shared->heads[n], in->data, head_len);
	s->shared->heads[n][head_len] = '\0';
	snprintf(path, sizeof(path), "%s/%d", s->dir, n);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || file_write_all(fd, in->data + head_len, body_len) != 0)
		abort();
	close(fd);
	atomic_fetch_add(&s->shared->taken, 1);
}

static void
say_long_head(int fd)
{
	enum { HEAD = 64 << 10, LINE = 1024 };
	static const char begin[] = "HTTP/1.1 400 Bad\r\nContent-Length: 8\r\n", name[] = "X-More: ";
	static char head[HEAD + 1];
	size_t at = sizeof(begin) - 1, end = HEAD - 2;

	memcpy(head, begin, at);
	while (at < end) {
		/* The first is as much longer as the others leave. */
		size_t len = LINE + (end - at) % LINE;

		memset(head + at, 'x', len - 2);
		memcpy(head + at, name, sizeof(name) - 1);
		memcpy(head + at + len - 2, "\r\n", 2);
		at += len;
	}
	memcpy(head + end, "\r\n", 3);
	say(fd, head);
	say(fd, "too long");
}

static void
tell_token(int fd, const char *request)
{
	const char *header = strstr(request, "\r\nAuthorization: ");
	char text[512];

	header = header != NULL ? header + 2 : "";
	snprintf(text, sizeof(text), "HTTP/1.1 400 Bad\r\nContent-Length: %zu\r\n\r\n%.*s",
		 strcspn(header, "\r"), (int)strcspn(header, "\r"), header);
	say(fd, text);
}

static void
answer(enum push_store_mode mode, int fd, const struct buf *in)
{
	/* ExportProfilesServiceResponse: partial_success { rejected_profiles: 1 error_message: "old" }. */
	static const char parts[] = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\x0a\x07\x08\x01\x12\x03old";

	switch (mode) {
	case PUSH_STORE_TAKES:
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		break;
	case PUSH_STORE_AWAY:
		say(fd, "HTTP/1.1 503 Away\r\nContent-Length: 5\r\n\r\nlunch");
		break;
	case PUSH_STORE_CLOSES:
		_exit(0);
	case PUSH_STORE_FAULTS:
		say(fd, "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n");
		break;
	case PUSH_STORE_REFUSES:
		say(fd, "HTTP/1.1 400 Bad\r\nContent-Length: 12\r\n\r\nno such name");
		break;
	case PUSH_STORE_DENIES:
		say(fd, "HTTP/1.1 401 Who\r\nContent-Length: 0\r\n\r\n");
		break;
	case PUSH_STORE_TELLS:
		tell_token(fd, in->data);
		break;
	case PUSH_STORE_REDIRECTS:
		say(fd, "HTTP/1.1 307 There\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
		break;
	case PUSH_STORE_HANGS:
		pause();
		break;
	case PUSH_STORE_STALLS:
		say(fd, "HTTP/1.1 200");
		pause();
		break;
	case PUSH_STORE_RAMBLES:
		say(fd, "HTTP/1.1 200 OK\r\n\r\n");
		say_for_ever(fd, "and so on ");
		break;
	case PUSH_STORE_HEADS:
		say(fd, "HTTP/1.1 200 OK\r\n");
		say_for_ever(fd, "X-More: of the same\r\n");
		break;
	case PUSH_STORE_LONG_HEAD:
		say_long_head(fd);
		break;
	case PUSH_STORE_CHATS:
		say(fd, "hello, who is there?\r\n\r\n");
		_exit(0);
	case PUSH_STORE_PARTS:
		send(fd, parts, sizeof(parts) - 1, MSG_NOSIGNAL);
		break;
	}
}

static bool
is_taken_in(enum push_store_mode mode)
{
	return mode == PUSH_STORE_TAKES || mode == PUSH_STORE_RAMBLES || mode == PUSH_STORE_PARTS;
}

static void
talk(struct push_store *s, int fd)
{
	struct buf in = { 0 };
	size_t head_len, body_len;

	if (atomic_load(&s->shared->mode) == PUSH_STORE_CLOSES)
		return;
	while (receive(fd, &in, &head_len, &body_len)) {
		/* Once: what is kept is answered so, whatever the test wants from then on. */
		const enum push_store_mode mode =
			(enum push_store_mode)atomic_load(&s->shared->mode);
		struct buf rest = { 0 };

		if (strstr(in.data, " /elsewhere ") != NULL)
			atomic_fetch_add(&s->shared->redirected, 1);
		if (is_taken_in(mode))
			keep(s, &in, head_len, body_len);
		atomic_fetch_add(&s->shared->asked, 1);
		answer(mode, fd, &in);
		if (in.len > head_len + body_len)
			buf_add(&rest, in.data + head_len + body_len, in.len - head_len - body_len);
		buf_release(&in);
		in = rest;
	}
	buf_release(&in);
}

/* A process for each connection: one that hangs holds up no other. */
static void
serve(struct push_store *s, int fd)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client >= 0 && run_fork() == 0) {
			close(fd);
			talk(s, client);
			_exit(0);
		}
		close(client);
	}
}

void
push_store_start(struct push_store *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	snprintf(s->dir, sizeof(s->dir), "/tmp/push-store-XXXXXX");
	if (fd < 0 || s->shared == MAP_FAILED || mkdtemp(s->dir) == NULL ||
	    bind(fd, (struct sockaddr *)&at, len) != 0 || listen(fd, 8) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) != 0)
		abort();
	setenv("no_proxy", "*", 1);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	s->pid = run_fork();
	if (s->pid == 0)
		serve(s, fd);
	close(fd);
}

void
push_store_forget(struct push_store *s)
{
	char path[96];

	for (int n = atomic_load(&s->shared->taken); n-- > 0;) {
		snprintf(path, sizeof(path), "%s/%d", s->dir, n);
		unlink(path);
	}
	atomic_store(&s->shared->taken, 0);
	atomic_store(&s->shared->asked, 0);
}

void
push_store_end(struct push_store *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	push_store_forget(s);
	rmdir(s->dir);
	munmap(s->shared, sizeof(*s->shared));
}

void
push_store_be(struct push_store *s, enum push_store_mode mode)
{
	atomic_store(&s->shared->mode, mode);
}

static bool
wait_until(const atomic_int *n, int count)
{
	const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000 };

	for (unsigned left = WAITS_MS / LOOK_MS; atomic_load(n) < count; left--) {
		if (left == 0)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

bool
push_store_wait_asked(const struct push_store *s, int count)
{
	return wait_until(&s->shared->asked, count);
}

bool
push_store_wait_taken(const struct push_store *s, int count)
{
	return wait_until(&s->shared->taken, count);
}

void
push_store_body(const struct push_store *s, int n, struct buf *b)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%d", s->dir, n);
	if (file_read(path, b, BODY_MAX) != 0)
		abort();
}
