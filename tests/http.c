/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_S = 60 };

int
http_connect(const char *where)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	bool is_unix = strncmp(where, "unix:", 5) == 0;
	int fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), res;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (is_unix) {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s", where + 5);
		res = connect(fd, (struct sockaddr *)&un, sizeof(un));
	} else {
		in.sin_port = htons((uint16_t)atoi(where));
		res = connect(fd, (struct sockaddr *)&in, sizeof(in));
	}
	if (res != 0)
		fail_msg("%s: %s", where, strerror(errno));
	return fd;
}

int
http_begin_to_connect(const char *where)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					.sin_port = htons((uint16_t)atoi(where)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	if (connect(fd, (const struct sockaddr *)&in, sizeof(in)) < 0 && errno != EINPROGRESS)
		fail_msg("%s: %s", where, strerror(errno));
	return fd;
}

void
http_send(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

void
http_receive(int fd, struct http_answer *a)
{
	struct buf all = { 0 };
	char part[16384], *end;
	ssize_t n;

	*a = (struct http_answer){ .status = 0 };
	while ((n = recv(fd, part, sizeof(part), 0)) > 0)
		buf_add(&all, part, (size_t)n);
	end = all.len > 0 ? strstr(all.data, "\r\n\r\n") : NULL;
	if (end != NULL && sscanf(all.data, "HTTP/1.%*d %d", &a->status) == 1) {
		buf_add(&a->head, all.data, (size_t)(end - all.data) + 2);
		buf_add(&a->body, end + 4, all.len - (size_t)(end + 4 - all.data));
	}
	buf_release(&all);
}

void
http_get(const char *where, const char *path, const char *headers, struct http_answer *a)
{
	struct buf b = { 0 };
	int fd = http_connect(where);

	buf_addf(&b, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", path, headers);
	http_send(fd, b.data);
	http_receive(fd, a);
	close(fd);
	buf_release(&b);
}

void
http_release(struct http_answer *a)
{
	buf_release(&a->head);
	buf_release(&a->body);
}
