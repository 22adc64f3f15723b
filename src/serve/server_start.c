/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that speaks HTTP, from ptop's side. */
#include <config.h>

#include "serve/server.h"

#include "base/process.h"
#include "symbol/parser/confine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
	START_MS = 20000, /* as host.c has it: the kernel may take as long to compile a filter */
	END_MS = 2000,
};

bool
server_is_there(void)
{
#ifdef HAVE_MICROHTTPD
	return true;
#else
	return false;
#endif
}

/* Its first words. */
static int
hear(struct server *s, char lack[SERVE_TEXT_MAX], struct err *err)
{
	struct pollfd p = { .fd = s->link, .events = POLLIN };
	struct serve_msg m;
	int fd, n;

	do
		n = poll(&p, 1, START_MS);
	while (n < 0 && errno == EINTR);
	if (n <= 0 || link_recv(s->link, &m, &fd) <= 0)
		return err_set(err, ERR_GONE, 0, "--serve: the process that speaks HTTP %s",
			       n == 0 ? "did not begin in time" : "ended before it began");
	if (fd >= 0)
		close(fd);
	if (m.type == SERVE_MSG_FAILED)
		return err_set(err, ERR_UNSUPPORTED, 0, "%s", m.answer.text);
	if (m.type != SERVE_MSG_READY)
		return err_set(err, ERR_FORMAT, 0, "--serve: the process that speaks HTTP makes no sense");
	memcpy(lack, m.answer.text, SERVE_TEXT_MAX);
	return 0;
}

int
server_start(struct server *s, int listen, const struct serve_setup *setup,
	     char lack[SERVE_TEXT_MAX], struct err *err)
{
	struct serve_msg m = { .type = SERVE_MSG_SETUP, .setup = *setup };
	int ends[2], parent = getpid(), res;

	*s = (struct server){ .link = -1 };
	if (link_pair(ends) < 0)
		return err_set(err, ERR_LIMIT, errno, "--serve: cannot make a socket");
	s->pid = confine_changes_user() ? keeper_fork(ends, &parent) : fork();
	if (s->pid == 0) {
		server_run(ends[1], parent);
		_exit(0);
	}
	close(ends[1]);
	s->link = ends[0];
	if (s->pid < 0)
		res = err_set(err, ERR_LIMIT, errno, "--serve: cannot start a process");
	else if (link_send(s->link, &m, listen) < 0)
		res = err_set(err, ERR_GONE, 0, "--serve: the process that speaks HTTP ended");
	else
		res = hear(s, lack, err);
	explicit_bzero(&m, sizeof(m));
	if (res < 0)
		server_end(s);
	return res;
}

void
server_end(struct server *s)
{
	if (s->link < 0)
		return;
	close(s->link);
	s->link = -1;
	if (s->pid <= 0)
		return;
	kill(s->pid, SIGKILL);
	process_reap(s->pid, END_MS, NULL, NULL);
}
