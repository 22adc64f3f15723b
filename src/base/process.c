/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OOM_SCORE_FILE "/proc/self/oom_score_adj"

enum {
	DESCRIPTORS_MAX = 1 << 16, /* looked at where there is no close_range(2), before 5.9 */
	STAT_MAX = 4096,
};

void
process_close_from(int first)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, UINT32_MAX, 0) == 0)
		return;
#endif
	for (int fd = first; fd < DESCRIPTORS_MAX; fd++)
		close(fd);
}

int
process_keep_only(int kept)
{
	int null;

	kept = fcntl(kept, F_DUPFD, STDERR_FILENO + 1);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	dup2(kept, STDERR_FILENO + 1);
	process_close_from(STDERR_FILENO + 2);
	return STDERR_FILENO + 1;
}

void
process_end_with(int parent)
{
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (syscall(SYS_getppid) != parent)
		_exit(0);
}

void
process_offer_to_oom_killer(int score)
{
	char text[16];
	int fd, len = snprintf(text, sizeof(text), "%d", score);

	if (file_number(OOM_SCORE_FILE, score) >= score)
		return;
	fd = open(OOM_SCORE_FILE, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, text, (size_t)len) < 0)
		errno = 0; /* it was worth a try */
	close(fd);
}

bool
process_reap(int pid, int ms, int *status, struct rusage *used)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (;; ms--) {
		int ended = wait4(pid, status, WNOHANG, used);

		if (ended > 0 || (ended < 0 && errno != EINTR))
			return true;
		if (ms <= 0)
			return false;
		nanosleep(&moment, NULL);
	}
}

bool
process_is_runnable(int tid)
{
	char path[64];
	struct buf b = { 0 };
	const char *name_end = NULL;
	bool res;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	/* The state is behind the name, which may hold anything. */
	if (file_read(path, &b, STAT_MAX) == 0)
		name_end = strrchr(buf_str(&b), ')');
	res = name_end != NULL && strncmp(name_end, ") R", 3) == 0;
	buf_release(&b);
	return res;
}

void
passed_fd_put(struct msghdr *m, union passed_fd *room, int fd)
{
	struct cmsghdr *head;

	memset(room, 0, sizeof(*room));
	m->msg_control = room->bytes;
	m->msg_controllen = sizeof(room->bytes);
	head = CMSG_FIRSTHDR(m);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
}

int
passed_fd_take(struct msghdr *m)
{
	int fd = -1, got;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(got));
			if (fd < 0)
				fd = got;
			else
				close(got);
		}
	}
	return fd;
}
