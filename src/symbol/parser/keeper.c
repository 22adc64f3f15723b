/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/confine.h"

#include "base/util.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* fork() takes no flags; it sees to locks of other threads, of which there are none. */
static int
fork_into_namespace(void)
{
	return (int)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
}

/*
 * Left behind when ptop has ended before it asked for the signal: then nobody else has the other
 * end of the socket.  From within a pid namespace there is no parent to look at.
 */
static void
end_with_ptop(const int ends[2])
{
	struct pollfd p = { .fd = ends[1] };

	close(ends[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (poll(&p, 1, 0) > 0 && (p.revents & POLLHUP) != 0)
		_exit(0);
}

/* Process 1 of a namespace is the parent of those that have lost theirs. */
static void
keep(int child) NORETURN;

static void
keep(int child)
{
	int pid;

	do {
		pid = wait4(-1, NULL, 0, NULL);
	} while (pid != child && (pid >= 0 || errno == EINTR));
	_exit(0);
}

int
keeper_fork(const int ends[2], int *keeper)
{
	bool has_namespace = true;
	int pid = fork_into_namespace();

	if (pid < 0) {
		has_namespace = false;
		pid = fork();
	}
	if (pid != 0)
		return pid;
	end_with_ptop(ends);
	*keeper = getpid();
	pid = fork();
	if (pid == 0)
		return 0;
	if (pid < 0)
		_exit(1);
	confine_keeper(!has_namespace);
	keep(pid);
}
