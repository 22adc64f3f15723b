/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other end of a runtime's socket, which whoever may write to its /tmp may have put there: it
 * has to be no link, the process's user's, and then the very process that listens.
 */
#include "broker/broker_impl.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* As peer_look(); 1: *@fd is it, O_PATH. */
static int
find(const struct subject *s, const char *name, unsigned format, int *fd)
{
	struct stat st;

	*fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(*fd, &st) == 0 && (st.st_mode & S_IFMT) == format && st.st_uid == s->uid)
		return 1;
	close(*fd);
	return -1;
}

int
peer_look(const struct subject *s, const char *name, unsigned format)
{
	int fd, res = find(s, name, format, &fd);

	if (res > 0)
		close(fd);
	return res;
}

/* Nobody else has its number as long as it lives. */
static bool
is_its_own(const struct subject *s, int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == s->uid &&
	       who.pid == s->held->pid && !held_has_ended(s->held);
}

/* Not by its name, at which there may be a link by now.  0, or errno. */
static int
connect_to(int found, int *fd)
{
	struct sockaddr_un where = { .sun_family = AF_UNIX };
	int error;

	snprintf(where.sun_path, sizeof(where.sun_path), "/proc/self/fd/%d", found);
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return errno;
	if (connect(*fd, (const struct sockaddr *)&where, sizeof(where)) == 0)
		return 0;
	error = errno;
	close(*fd);
	return error;
}

int
peer_connect(const struct subject *s, const char *name, int *fd, struct outcome *o)
{
	int found, there = find(s, name, S_IFSOCK, &found), error;

	*o = (struct outcome){ .result = BROKER_BAD_SOCKET };
	if (there <= 0)
		return there;
	error = connect_to(found, fd);
	close(found);
	if (error != 0) {
		*o = (struct outcome){ .result = BROKER_FAILED, .error = error };
		/* What a process left behind that had its number; one whose queue is full. */
		return error == ECONNREFUSED || error == EAGAIN ? 0 : -1;
	}
	if (is_its_own(s, *fd))
		return 1;
	close(*fd);
	return -1;
}

/* false: it is not, within the time. */
static bool
wait_until_ready(int fd, short events, uint64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	const uint64_t now_ns = clock_mono_ns();
	int n;

	if (now_ns >= until_ns)
		return false;
	do {
		n = poll(&p, 1, (int)((until_ns - now_ns) / NSEC_PER_MSEC) + 1);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

int
peer_send(int fd, const void *data, size_t len, uint64_t until_ns, struct outcome *o)
{
	ssize_t n;

	*o = (struct outcome){ .result = BROKER_SILENT };
	if (!wait_until_ready(fd, POLLOUT, until_ns))
		return -1;
	/* Less than what any socket takes at once. */
	n = send(fd, data, len, MSG_NOSIGNAL);
	if (n == (ssize_t)len)
		return 0;
	*o = (struct outcome){ .result = BROKER_STRANGE };
	return -1;
}

int
peer_receive(int fd, void *data, size_t size, uint64_t until_ns, struct outcome *o)
{
	size_t len = 0;
	ssize_t n = 1;

	*o = (struct outcome){ .result = BROKER_SILENT };
	while (len < size && n != 0) {
		if (!wait_until_ready(fd, POLLIN, until_ns))
			return -1;
		n = recv(fd, (char *)data + len, size - len, 0);
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			*o = (struct outcome){ .result = BROKER_STRANGE };
			return -1;
		}
		len += n > 0 ? (size_t)n : 0;
		n = n < 0 ? 1 : n;
	}
	return (int)len;
}
