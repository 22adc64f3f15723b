/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/confine.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the one between says: the keeper's pid, 0: it is the keeper itself. */
static int
keeper_of(int between, int said_fd)
{
	int pid = -1;

	if (read(said_fd, &pid, sizeof(pid)) != sizeof(pid))
		pid = -1;
	if (pid == 0)
		return between;
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return pid;
}

/*
 * fork() takes no flags, and clone(2) leaves locked what other threads had locked, such as malloc(3).  So
 * a process is forked, which has one thread and no such locks, and the keeper is its clone, but
 * ptop's child.  As fork(); @has_namespace: of the keeper.
 */
static int
fork_into_namespace(bool *has_namespace)
{
	int said[2], pid, between;

	if (pipe2(said, O_CLOEXEC) < 0)
		return -1;
	between = fork();
	if (between == 0) {
		pid = (int)syscall(SYS_clone, CLONE_NEWPID | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
		*has_namespace = pid >= 0;
		if (pid != 0) {
			pid = MAX(pid, 0);
			if (write(said[1], &pid, sizeof(pid)) != sizeof(pid) || pid > 0)
				_exit(0);
		}
	}
	close(said[1]);
	pid = between > 0 ? keeper_of(between, said[0]) : between;
	close(said[0]);
	return pid;
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
	bool has_namespace = false;
	int pid = fork_into_namespace(&has_namespace);

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
