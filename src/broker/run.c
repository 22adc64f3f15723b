/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command of the user's in the foreground of the terminal.  It has a process group of its own, so
 * that ^C ends it, and neither ptop nor what ptop has started.
 */
#include "broker/broker_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_CANNOT_EXECUTE = 126, GO_ON_MS = 100 };

/* The word with numbers in place of {pid} and {tid}. */
static char *
fill_in(const char *word, const struct broker_request *r)
{
	struct buf b = { 0 };

	buf_add_str(&b, ""); /* an empty word is one */
	while (*word != '\0') {
		bool is_pid = strncmp(word, "{pid}", 5) == 0, is_tid = strncmp(word, "{tid}", 5) == 0;

		if (is_pid || is_tid)
			buf_addf(&b, "%d", is_tid && r->tid != 0 ? r->tid : r->pid);
		else
			buf_add_char(&b, *word);
		word += is_pid || is_tid ? 5 : 1;
	}
	return b.data;
}

static void
become(const struct server *s, const struct broker_request *r, int terminal, int told) NORETURN;

/* Its memory goes with the exec. */
static void
become(const struct server *s, const struct broker_request *r, int terminal, int told)
{
	const struct broker_command *c = &s->config->commands[r->argument];
	char *words[BROKER_WORDS_MAX + 1] = { NULL };
	int why;

	/* With ptop, as if the terminal hung up: a debugger has to leave its process in order. */
	prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
	if (getppid() != s->self)
		_exit(EXIT_CANNOT_EXECUTE);
	setpgid(0, 0);
	tcsetpgrp(terminal, getpid()); /* whoever has the terminal: SIGTTOU is ignored so far */
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(terminal, fd);
	for (size_t i = 0; i < BROKER_WORDS_MAX && c->words[i] != NULL; i++)
		words[i] = fill_in(c->words[i], r);
	execvpe(words[0], words, s->config->env != NULL ? s->config->env : environ);
	why = errno;
	if (write(told, &why, sizeof(why)) < 0)
		why = 0; /* then the status says it */
	_exit(EXIT_CANNOT_EXECUTE);
}

/* One that is stopped, as by ^Z, goes on: there is no shell here that could let it. */
static int
wait_for_end(int pid)
{
	const struct timespec moment = { .tv_nsec = GO_ON_MS * 1000000L };
	int status = 0;

	for (;;) {
		int got = waitpid(pid, &status, WUNTRACED);

		if (got == pid && WIFSTOPPED(status)) {
			nanosleep(&moment, NULL);
			kill(-pid, SIGCONT);
		} else if (got == pid || errno != EINTR) {
			return status;
		}
	}
}

static enum broker_result
run_on(const struct server *s, const struct broker_request *r, int terminal,
       struct broker_reply *reply)
{
	int told[2], pid;

	if (pipe2(told, O_CLOEXEC) < 0) {
		reply->error = errno;
		return BROKER_FAILED;
	}
	pid = fork();
	if (pid == 0)
		become(s, r, terminal, told[1]);
	close(told[1]);
	reply->error = pid < 0 ? errno : 0;
	if (pid > 0) {
		setpgid(pid, pid); /* whichever of the two comes first */
		reply->value = wait_for_end(pid);
		if (read(told[0], &reply->error, sizeof(reply->error)) <= 0)
			reply->error = 0;
	}
	close(told[0]);
	return reply->error == 0 ? BROKER_DONE : BROKER_FAILED;
}

enum broker_result
broker_run(const struct server *s, const struct broker_request *r, struct broker_reply *reply)
{
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	enum broker_result result;

	if (terminal < 0)
		return BROKER_NO_TERMINAL;
	result = run_on(s, r, terminal, reply);
	close(terminal);
	return result;
}
