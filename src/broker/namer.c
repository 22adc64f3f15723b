/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process beside the broker that asks runtimes: it may become another user, make a file and
 * connect to a socket, all of which the broker itself gives up.  It takes the broker's requests as
 * they are, and believes them as little.
 */
#include "broker/broker_impl.h"

#include "base/process.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void
name(const struct server *s, const struct broker_request *r, struct broker_reply *reply)
{
	struct held held;

	reply->result = BROKER_NO_REQUEST;
	if (r->action != BROKER_NAME_CODE || r->pid < 1 || r->start == 0)
		return;
	reply->result = held_take(&held, r);
	if (reply->result != BROKER_DONE)
		return;
	reply->result = switch_names(s, &held, reply);
	held_let_go(&held);
}

static void
serve(const struct server *s) NORETURN;

static void
serve(const struct server *s)
{
	static struct broker_request r;
	static struct broker_reply reply;
	ssize_t n;

	for (;;) {
		do {
			n = recv(s->socket, &r, sizeof(r), MSG_TRUNC);
		} while (n < 0 && errno == EINTR);
		if (n <= 0)
			_exit(0);
		reply = (struct broker_reply){ .id = r.id, .result = BROKER_NO_REQUEST };
		if (n == sizeof(r))
			name(s, &r, &reply);
		if (send(s->socket, &reply, sizeof(reply), MSG_NOSIGNAL) != sizeof(reply))
			_exit(0);
	}
}

int
namer_start(const struct server *broker)
{
	struct server s = *broker;
	int ends[2], pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		process_end_with(broker->self);
		prctl(PR_SET_NAME, "ptop-namer", 0, 0, 0);
		close(broker->socket);
		close(ends[0]);
		s.socket = ends[1];
		s.self = getpid();
		namer_confine();
		serve(&s);
	}
	close(ends[1]);
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}
