/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_COMMAND_H
#define PTOP_LIVE_SESSION_COMMAND_H
/*
 * COMMAND: a child that waits to be let go, so that its events are open before its first
 * instruction.  One thread at a time.
 */
#include "base/err.h"

struct command;

/*
 * Forks the child.  It keeps the caller's limits as they are now: call this before raising any.
 * @env NULL: it has the caller's environment.  With @capture it reads /dev/null and writes to
 * command_output_fd().
 */
struct command *command_new(char *const *argv, char *const *env, bool capture, struct err *err);

/*
 * A child that was never started ends; one that runs is sent SIGTERM and given a second: if it does
 * not end, it is left alone.
 */
void command_free(struct command *c);

/*
 * Lets the child go as far as its exec and stops it there: its maps are then those of the program
 * that it will be, of which nothing has run.  Waits for that.  -1: it cannot be done, or the
 * program cannot be executed.  command_start() must then be called by the same thread; a child
 * that is stopped ends with this thread.  A set-user-ID program runs without that: it is traced.
 */
int command_stop_at_exec(struct command *c, struct err *err);

void command_start(struct command *c);
bool command_is_started(const struct command *c);
int command_pid(const struct command *c);
int command_output_fd(const struct command *c); /* -1: not captured */

/* Readable when the child has ended; -1: the kernel has no pidfd, ask command_ended() often. */
int command_wait_fd(const struct command *c);

/* 1: it has ended, *@status is as of waitpid() (or it could not be executed, see @err); 0: no. */
int command_ended(struct command *c, int *status, struct err *err);

#endif
