/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way to the terminal: what ends ptop has the last word there. */
#include "ui/tty.h"

#include "base/buf.h"
#include "base/thread.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 30, PICTURE = 2000 };

static const char last_words[] = "the end";

/* One picture after the other, as the ui thread while another one ends ptop. */
static void *
send_pictures(void *arg)
{
	struct tty *t = arg;

	for (;;) {
		tty_hold(t);
		for (int i = 0; i < PICTURE; i++)
			fputc('.', t->stream);
		fflush(t->stream);
		tty_release(t);
		tty_send(t);
	}
	return NULL;
}

static void
show_and_end(const char *terminal, int round) NORETURN;

static void
show_and_end(const char *terminal, int round)
{
	int fd = open(terminal, O_RDWR | O_NOCTTY);
	struct termios saved;
	struct tty t = { 0 };
	struct err err = { 0 };
	pthread_t thread;

	dup2(fd, STDOUT_FILENO);
	if (tcgetattr(fd, &saved) != 0 || tty_open(&t, &err) != 0)
		_exit(1);
	thread_start_or_die(&thread, "sender", send_pictures, &t);
	usleep(2000 + 300 * (useconds_t)round);
	tty_send_last(&t, &saved, last_words, strlen(last_words));
	usleep(10000); /* here, ptop writes why it ends */
	_exit(0);
}

/* Until @pid has ended, and all that it wrote is read. */
static void
read_all(int master, pid_t pid, struct buf *out)
{
	struct pollfd p = { .fd = master, .events = POLLIN };
	bool has_ended = false;

	for (;;) {
		int n = poll(&p, 1, has_ended ? 0 : 5);
		char bytes[4096];
		ssize_t len;

		if (n == 0 && has_ended)
			return;
		if (n == 0) {
			has_ended = waitpid(pid, NULL, WNOHANG) == pid;
			continue;
		}
		len = read(master, bytes, sizeof(bytes));
		if (len <= 0)
			return;
		buf_add(out, bytes, (size_t)len);
	}
}

static void
nothing_follows_the_last_bytes_whatever_another_thread_sends(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
		const char *at;
		struct buf all = { 0 };
		pid_t pid;

		assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
		slave = open(ptsname(master), O_RDWR | O_NOCTTY); /* what is written stays */
		pid = fork();
		if (pid == 0)
			show_and_end(ptsname(master), round);
		read_all(master, pid, &all);
		at = strstr(buf_str(&all), last_words);
		assert_non_null(at);
		assert_string_equal(at, last_words);
		buf_release(&all);
		close(slave);
		close(master);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_follows_the_last_bytes_whatever_another_thread_sends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
