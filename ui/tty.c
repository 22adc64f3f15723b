/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PIECE = 256,       /* what a terminal that has room takes, if writing waits */
	LAST_TRIES = 10,
	LAST_WAIT_MS = 100,
	WRITER_WAIT_MS = 100,
};

/* Another open file of the same terminal: flags of the one that we have are the shell's, too. */
static int
open_own(bool *waits)
{
	int fd = open("/proc/self/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	*waits = fd < 0;
	return fd >= 0 ? fd : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

int
tty_open(struct tty *t, struct err *err)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	t->memory_fd = memfd_create("ptop-screen", MFD_CLOEXEC);
	t->out_fd = open_own(&t->waits);
	t->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (t->stream != NULL && t->memory_fd >= 0 && t->out_fd >= 0)
		return 0;
	err_set(err, ERR_LIMIT, errno, "cannot open the terminal");
	if (t->stream == NULL && fd >= 0)
		close(fd);
	tty_close(t);
	return -1;
}

void
tty_close(struct tty *t)
{
	if (t->stream != NULL)
		fclose(t->stream);
	if (t->memory_fd > 0)
		close(t->memory_fd);
	if (t->out_fd > 0)
		close(t->out_fd);
	free(t->rest);
	memset(t, 0, sizeof(*t));
}

void
tty_hold(struct tty *t)
{
	lseek(t->memory_fd, 0, SEEK_SET);
	dup3(t->memory_fd, fileno(t->stream), O_CLOEXEC);
}

void
tty_release(struct tty *t)
{
	const off_t len = lseek(t->memory_fd, 0, SEEK_CUR);
	ssize_t n;

	/* Curses takes no "not now" for an answer. */
	dup3(STDOUT_FILENO, fileno(t->stream), O_CLOEXEC);
	if (len <= 0)
		return;
	vec_reserve(&t->rest, &t->cap, t->rest_len + (size_t)len, 1);
	memmove(t->rest, t->rest + t->rest_at, t->rest_len);
	t->rest_at = 0;
	n = pread(t->memory_fd, t->rest + t->rest_len, (size_t)len, 0);
	t->rest_len += n > 0 ? (size_t)n : 0;
}

/* As write(2), but where it cannot be told not to wait, it is a little that is likely to fit. */
static ssize_t
put(const struct tty *t, const char *bytes, size_t len)
{
	struct pollfd room = { .fd = t->out_fd, .events = POLLOUT };

	if (t->waits && poll(&room, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(t->out_fd, bytes, t->waits ? MIN(len, PIECE) : len);
}

/* Another thread may end ptop meanwhile: what is sent after the last bytes spoils the shell's screen. */
static ssize_t
put_unless_over(struct tty *t)
{
	ssize_t n = (ssize_t)t->rest_len;

	atomic_store(&t->is_writing, true);
	if (!atomic_load(&t->is_over))
		n = put(t, t->rest + t->rest_at, t->rest_len);
	atomic_store(&t->is_writing, false);
	return n;
}

int
tty_send(struct tty *t)
{
	while (t->rest_len > 0) {
		ssize_t n = put_unless_over(t);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -1;
		t->rest_at += (size_t)n;
		t->rest_len -= (size_t)n;
	}
	t->rest_at = 0;
	return 1;
}

int
tty_fd(const struct tty *t)
{
	return t->out_fd;
}

/* The kernel lets a terminal go on that stands still when it is told that ^S is no more. */
static void
make_go_on(const struct tty *t, const struct termios *settings)
{
	struct termios free_running = *settings;

	free_running.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(t->out_fd, TCSANOW, &free_running);
	tcsetattr(t->out_fd, TCSANOW, settings);
}

void
tty_drop(struct tty *t)
{
	struct pollfd room = { .fd = t->out_fd, .events = POLLOUT };
	struct termios now;

	t->rest_at = t->rest_len = 0;
	if (poll(&room, 1, 0) == 0 && tcgetattr(t->out_fd, &now) == 0)
		make_go_on(t, &now);
}

/* With an end: the writer may be what a signal has interrupted. */
static void
stop_writer(struct tty *t)
{
	atomic_store(&t->is_over, true);
	for (int ms = 0; ms < WRITER_WAIT_MS && atomic_load(&t->is_writing); ms++)
		poll(NULL, 0, 1);
}

void
tty_send_last(struct tty *t, const struct termios *saved, const char *bytes, size_t len)
{
	struct pollfd room = { .fd = t->out_fd, .events = POLLOUT };

	stop_writer(t);
	tcsetattr(t->out_fd, TCSANOW, saved);
	for (int tries = 0; len > 0 && tries < LAST_TRIES;) {
		ssize_t n = put(t, bytes, len);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return; /* there is nobody to see it */
		make_go_on(t, saved);
		poll(&room, 1, LAST_WAIT_MS);
		tries++;
	}
}
