/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "broker/broker_impl.h"

#include "base/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CALM_MS = 1000, /* until it gives up rights: ptop's own start comes first */
	END_MS = 200,
};

struct broker {
	int pid, fd;
};

/* An answer, if the request is whole.  false: ptop has ended. */
static bool
serve_one(struct server *s)
{
	static struct broker_request r;
	static struct broker_reply reply;
	ssize_t n;

	do {
		n = recv(s->socket, &r, sizeof(r), MSG_TRUNC);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	reply = (struct broker_reply){ .result = BROKER_NO_REQUEST };
	if (n == sizeof(r)) {
		reply.id = r.id;
		broker_do(s, &r, &reply);
	}
	return send(s->socket, &reply, sizeof(reply), MSG_NOSIGNAL) == sizeof(reply);
}

static void
serve(struct server *s) NORETURN;

static void
serve(struct server *s)
{
	struct pollfd p = { .events = POLLIN };
	const bool runs_commands = s->config->command_count > 0;

	p.fd = s->socket = broker_settle(s->socket, runs_commands);
	if (!runs_commands)
		poll(&p, 1, CALM_MS);
	s->namer = namer_start(s);
	if (!runs_commands)
		broker_confine();
	while (serve_one(s))
		continue;
	_exit(0);
}

struct broker *
broker_new(const struct broker_config *config, struct err *err)
{
	struct server s = { .parent = getpid(), .config = config };
	struct broker *b;
	int ends[2], pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot make a socket to act on processes by");
		return NULL;
	}
	pid = fork();
	if (pid == 0) {
		process_end_with(s.parent);
		s.self = getpid();
		s.socket = ends[1];
		serve(&s);
	}
	close(ends[1]);
	if (pid < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot start a process to act on processes");
		close(ends[0]);
		return NULL;
	}
	b = mem_calloc(1, sizeof(*b));
	*b = (struct broker){ pid, ends[0] };
	return b;
}

void
broker_free(struct broker *b)
{
	if (b == NULL)
		return;
	close(b->fd);
	kill(b->pid, SIGKILL); /* it may run a command, which is told by its own signal */
	process_reap(b->pid, END_MS, NULL, NULL);
	free(b);
}

int
broker_fd(const struct broker *b)
{
	return b->fd;
}

bool
broker_ask(struct broker *b, const struct broker_request *request)
{
	return send(b->fd, request, sizeof(*request), MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       sizeof(*request);
}

int
broker_take(struct broker *b, struct broker_reply *reply)
{
	ssize_t n = recv(b->fd, reply, sizeof(*reply), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n == sizeof(*reply) && reply->result < BROKER_RESULTS ? 1 : -1;
}
