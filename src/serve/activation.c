/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/activation.h"

#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_FD = 3 }; /* SD_LISTEN_FDS_START */

/* How many were given to this process. */
static uint64_t
count_given(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	uint64_t for_pid, n;

	if (pid == NULL || count == NULL || !num_u64(pid, &for_pid) || !num_u64(count, &n))
		return 0;
	return for_pid == (uint64_t)getpid() ? n : 0;
}

static void
forget(void)
{
	static const char *const names[] = { "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
}

static bool
has_option(int fd, int option, int want)
{
	socklen_t len = sizeof(int);
	int value = 0;

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 && value == want;
}

int
activation_take(int *fd, struct address *a, struct err *err)
{
	uint64_t count = count_given();

	forget();
	if (count == 0)
		return 0;
	if (count > 1) {
		err_set(err, ERR_USAGE, 0, "--serve: systemd gives %llu sockets, and ptop listens at one",
			(unsigned long long)count);
		return err_hint(err, "one ListenStream= in ptop-serve.socket");
	}
	if (!has_option(FIRST_FD, SO_TYPE, SOCK_STREAM) || !has_option(FIRST_FD, SO_ACCEPTCONN, 1) ||
	    !address_of(FIRST_FD, a)) {
		err_set(err, ERR_USAGE, 0, "--serve: what systemd gives is no socket to listen at");
		return err_hint(err, "ListenStream=127.0.0.1:7070 in ptop-serve.socket, and no Accept=yes");
	}
	if (fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) < 0 || fcntl(FIRST_FD, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		return err_set(err, ERR_IO, errno, "--serve: cannot take the socket that systemd gives");
	*fd = FIRST_FD;
	return 1;
}
