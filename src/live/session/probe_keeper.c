/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/probe_keeper.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	AGAIN_MS = 20,
	TRIES_MAX = 3000, /* a minute: somebody else uses it */
	END_MS = 3000,
	KEPT_MAX = 2 * PROBE_NAMES_MAX, /* those that are over may still be in use */
	SOCKET_FD = STDERR_FILENO + 1,
	EVENTS_FD,
};

struct order {
	bool is_over;
	char name[PROBE_NAME_MAX];
};

/* What the process has.  It was forked where threads are: nothing here takes memory, or locks. */
struct kept {
	struct order items[KEPT_MAX];
	size_t count, over;
	bool is_alone; /* ptop has ended, or is done with all */
	int tries;
};

/* false: it is in use. */
static bool
try_to_remove(const char *name)
{
	char line[PROBE_NAME_MAX + 4] = "-:";
	size_t len = strlen(name);

	memcpy(line + 2, name, len);
	line[2 + len] = '\n';
	return write(EVENTS_FD, line, len + 3) >= 0 || errno != EBUSY;
}

static void
remove_over(struct kept *k)
{
	size_t left = 0;

	k->over = 0;
	for (size_t i = 0; i < k->count; i++) {
		struct order *o = &k->items[i];

		if ((k->is_alone || o->is_over) && try_to_remove(o->name))
			continue;
		k->over += k->is_alone || o->is_over;
		k->items[left++] = *o;
	}
	k->count = left;
}

static void
take_order(struct kept *k, const struct order *in)
{
	size_t i = 0;

	while (i < k->count && strcmp(k->items[i].name, in->name) != 0)
		i++;
	if (i < k->count)
		k->items[i].is_over |= in->is_over;
	else
		k->items[k->count++] = *in;
}

/* Others wait in the socket until one that is over is removed: half of them are. */
static bool
is_full(const struct kept *k)
{
	return k->count == KEPT_MAX;
}

static void
take_orders(struct kept *k)
{
	struct order in;
	ssize_t got = -1;

	while (!is_full(k) && (got = recv(SOCKET_FD, &in, sizeof(in), MSG_DONTWAIT)) == sizeof(in))
		take_order(k, &in);
	if (got == 0)
		k->is_alone = true;
}

static void
take_place(int socket, int events)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	socket = fcntl(socket, F_DUPFD, EVENTS_FD + 1);
	events = fcntl(events, F_DUPFD, EVENTS_FD + 1);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	dup2(socket, SOCKET_FD);
	dup2(events, EVENTS_FD);
	process_close_from(EVENTS_FD + 1);
}

static void keep(int socket, int events) NORETURN;

/* Neither the terminal's signals nor those to ptop's group end it. */
static void
keep(int socket, int events)
{
	static struct kept k;
	struct pollfd fd = { .fd = SOCKET_FD, .events = POLLIN };

	prctl(PR_SET_NAME, "ptop-probes");
	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	take_place(socket, events);
	if (chdir("/") != 0)
		_exit(1);
	while (!k.is_alone || (k.count > 0 && k.tries < TRIES_MAX)) {
		/* Always ready once ptop has ended, and while what finds no room waits in it. */
		poll(&fd, k.is_alone || is_full(&k) ? 0 : 1, k.over > 0 ? AGAIN_MS : -1);
		if (!k.is_alone)
			take_orders(&k);
		remove_over(&k);
		k.tries += k.is_alone;
	}
	_exit(0);
}

int
probe_keeper_start(struct probe_keeper *k, int events_fd, struct err *err)
{
	int ends[2];

	*k = (struct probe_keeper){ -1, -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_LIMIT, errno, "cannot make a socket to who removes probes");
	k->pid = fork();
	if (k->pid == 0)
		keep(ends[1], events_fd);
	close(ends[1]);
	if (k->pid < 0) {
		close(ends[0]);
		return err_set(err, ERR_LIMIT, errno, "cannot start who removes probes");
	}
	k->fd = ends[0];
	return 0;
}

static bool
tell(const struct probe_keeper *k, const char *name, bool is_over)
{
	struct order o = { .is_over = is_over };

	strncpy(o.name, name, sizeof(o.name) - 1);
	return send(k->fd, &o, sizeof(o), MSG_NOSIGNAL) == sizeof(o);
}

bool
probe_keeper_watch(const struct probe_keeper *k, const char *name)
{
	return tell(k, name, false);
}

void
probe_keeper_remove(const struct probe_keeper *k, const char *name)
{
	tell(k, name, true);
}

void
probe_keeper_end(struct probe_keeper *k)
{
	if (k->fd < 0)
		return;
	close(k->fd);
	process_reap(k->pid, END_MS, NULL, NULL);
	*k = (struct probe_keeper){ -1, -1 };
}
