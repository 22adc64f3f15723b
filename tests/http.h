/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_HTTP_H
#define PTOP_TESTS_HTTP_H
/* A client that sends what a test wants sent, however wrong that is.  For tests only: it asserts. */
#include "base/buf.h"

struct http_answer {
	int status;       /* 0: there was none */
	struct buf head, body;
};

/* @where: "unix:/PATH", or a port of 127.0.0.1.  A connected socket, which waits 30 s at most. */
int http_connect(const char *where);

/* The same of a port, without waiting until it is connected. */
int http_begin_to_connect(const char *where);

void http_send(int fd, const char *text);

/* All that comes until the other end closes; an answer, if it is one. */
void http_receive(int fd, struct http_answer *a);

/* GET @path, with the lines @headers ("": none) beside those that must be. */
void http_get(const char *where, const char *path, const char *headers, struct http_answer *a);

void http_release(struct http_answer *a);

#endif
