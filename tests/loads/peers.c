/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for sockets, each called after its kind.  The file that is named gets a line for
 * each: its name, a blank, and what its socket leads to; then it gets the name that it keeps.
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { FILLERS = 8 };

struct wait {
	char name[16];
	int fd;
	void (*in)(int fd);
};

static FILE *out;
static char path[108];

void receive(int fd);
void poll_one(int fd);
void connect_to(int fd);

static void
fail(const char *what)
{
	perror(what);
	_exit(1);
}

KEEP void
receive(int fd)
{
	char c;

	if (recv(fd, &c, 1, 0) <= 0)
		fail("recv");
}

KEEP void
poll_one(int fd)
{
	struct pollfd one = { fd, POLLIN, 0 };

	poll(&one, 1, -1);
}

/* @fd listens, and takes no more. */
KEEP void
connect_to(int fd)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	getsockname(fd, (struct sockaddr *)&address, &len);
	connect(s, (struct sockaddr *)&address, len);
}

static void *
begin(void *arg)
{
	struct wait *w = arg;

	pthread_setname_np(pthread_self(), w->name);
	for (;;)
		w->in(w->fd);
	return arg;
}

static void
add(const char *name, int fd, void (*in)(int fd))
{
	struct wait *w = calloc(1, sizeof(*w));
	pthread_t thread;

	if (w == NULL)
		fail(name);
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->fd = fd;
	w->in = in;
	pthread_create(&thread, NULL, begin, w);
}

/* A socket of @family bound to the own machine; its port. */
static int
bound(int family, int type, unsigned *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&in
						     : (struct sockaddr *)&in6;
	socklen_t len = family == AF_INET ? sizeof(in) : sizeof(in6);
	int fd = socket(family, type, 0);

	if (fd < 0 || bind(fd, address, len) < 0 || getsockname(fd, address, &len) < 0)
		return -1;
	*port = ntohs(family == AF_INET ? in.sin_port : in6.sin6_port);
	return fd;
}

static int
connected(int family, int listener)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int fd = socket(family, SOCK_STREAM, 0);

	if (getsockname(listener, (struct sockaddr *)&address, &len) < 0 ||
	    connect(fd, (struct sockaddr *)&address, len) < 0)
		fail("connect");
	return fd;
}

static void
add_inet(void)
{
	unsigned port;
	int fd = bound(AF_INET, SOCK_STREAM, &port);

	if (fd < 0 || listen(fd, 8) < 0)
		fail("listen");
	fprintf(out, "tcp 127.0.0.1:%u\n", port);
	add("tcp", connected(AF_INET, fd), receive);
	fprintf(out, "polled 127.0.0.1:%u\n", port);
	add("polled", connected(AF_INET, fd), poll_one);
	fd = bound(AF_INET, SOCK_DGRAM, &port);
	fprintf(out, "udp at 127.0.0.1:%u\n", port);
	add("udp", fd, receive);
	fd = bound(AF_INET6, SOCK_STREAM, &port);
	if (fd < 0 || listen(fd, 8) < 0)
		return;
	fprintf(out, "tcp6 [::1]:%u\n", port);
	add("tcp6", connected(AF_INET6, fd), receive);
}

static void
add_connecting(void)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	unsigned port;
	int fd = bound(AF_INET, SOCK_STREAM, &port);

	if (listen(fd, 0) < 0 || getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		fail("listen");
	for (int i = 0; i < FILLERS; i++)
		connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&address,
			len);
	fprintf(out, "connects 127.0.0.1:%u\n", port);
	add("connects", fd, connect_to);
}

static void
add_unix(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t child;

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	if (bind(fd, (struct sockaddr *)&un, sizeof(un)) < 0 || listen(fd, 8) < 0)
		fail(path);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		connected(AF_UNIX, fd);
		for (;;)
			pause();
	}
	fprintf(out, "server pid %d\n", (int)child);
	add("server", accept(fd, NULL, NULL), receive);
	fprintf(out, "client %s\n", path);
	add("client", connected(AF_UNIX, fd), receive);
}

int
main(int argc, char **argv)
{
	char part[128];

	if (argc < 2)
		return 1;
	snprintf(path, sizeof(path), "%s.sock", argv[1]);
	snprintf(part, sizeof(part), "%s.part", argv[1]);
	out = fopen(part, "we");
	if (out == NULL)
		fail(part);
	add_unix();
	add_inet();
	add_connecting();
	fclose(out);
	rename(part, argv[1]);
	for (;;)
		pause();
}
