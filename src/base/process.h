/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_PROCESS_H
#define PTOP_BASE_PROCESS_H
/* What the processes that ptop forks have in common, and descriptors that are handed to another. */
#include "base/util.h"

#include <sys/resource.h>
#include <sys/socket.h>

/* Closes @first and all descriptors above it. */
void process_close_from(int first);

/*
 * Nothing else of who forked this process stays in use: @fd becomes the one that is returned, 0 to 2
 * lead nowhere, all others are closed.
 */
int process_keep_only(int fd);

/*
 * This process ends with the thread of @parent that forked it; at once if that has ended meanwhile,
 * when there is nobody to tell.  Takes no lock: another thread may have held it at the fork.
 */
void process_end_with(int parent);

/* When memory is short the kernel looks at this one sooner: @score up to 1000, see proc(5). */
void process_offer_to_oom_killer(int score);

/*
 * Waits up to @ms milliseconds for the child @pid.  false: it goes on.  Else it is reaped, if it was
 * a child: @status and @used are as of wait4(2) then, untouched if not; NULL is allowed.  May be
 * called by a signal's handler.
 */
bool process_reap(int pid, int ms, int *status, struct rusage *used);

/*
 * Whether a process, or a thread, is on a CPU or waits for one: it does not hang.  false: it sleeps, is
 * gone, or cannot be told of.
 */
bool process_is_runnable(int tid);

/* Room for a descriptor beside a message's bytes, aligned as the kernel wants it. */
union passed_fd {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* @m will carry @fd; @room lives as long. */
void passed_fd_put(struct msghdr *m, union passed_fd *room, int fd);

/*
 * Of a message that was received with such room: the descriptor, -1: none.  There may be two in the
 * room for one: what is not wanted does not stay open.
 */
int passed_fd_take(struct msghdr *m);

#endif
