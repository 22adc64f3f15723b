/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/command.h"

#include "base/own_rights.h"
#include "base/process.h"
#include "live/sys/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long the child may take to end when ptop does. */
enum { LAST_MS = 1000 };

/* As env(1) ends when it cannot execute. */
enum { EXIT_CANNOT_EXECUTE = 126, EXIT_NOT_FOUND = 127 };

struct command {
	char *name;
	int pid;
	int go_fd;     /* a byte lets the child go; closed without one, it ends */
	int status_fd; /* errno of a failed exec; closed by a good one */
	int output_fd, wait_fd;
	int exec_error; /* errno as the child told it */
	bool is_started, is_ended, is_stopped; /* stopped at its exec */
};

/* The ends of the pipes; [0] is read. */
struct pipes {
	int go[2], status[2], output[2];
};

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Between fork() and exec: only what may be called in the child of a process with threads. */
static void
redirect(int output)
{
	int null = open("/dev/null", O_RDONLY);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
}

static void
run_child(char *const *argv, char *const *env, const struct pipes *p) NORETURN;

static void
run_child(char *const *argv, char *const *env, const struct pipes *p)
{
	struct own_rights kept;
	sigset_t none;
	int why;
	char go;

	close(p->go[1]);
	if (p->output[1] >= 0)
		redirect(p->output[1]);
	/* What ptop blocks and ignores for itself is none of COMMAND's; handlers end with exec. */
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	own_rights_begin(&kept);
	while (read(p->go[0], &go, 1) != 1) {
		if (errno != EINTR)
			_exit(EXIT_NOT_FOUND);
		errno = 0;
	}
	execvpe(argv[0], argv, env);
	why = errno;
	if (write(p->status[1], &why, sizeof(why)) < 0)
		_exit(EXIT_CANNOT_EXECUTE);
	_exit(why == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE);
}

static void
close_pipes(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		close_fd(&p->go[i]);
		close_fd(&p->status[i]);
		close_fd(&p->output[i]);
	}
}

static int
open_pipes(struct pipes *p, bool capture)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(p->go, O_CLOEXEC) < 0 || pipe2(p->status, O_CLOEXEC) < 0)
		return -1;
	return capture ? pipe2(p->output, O_CLOEXEC) : 0;
}

struct command *
command_new(char *const *argv, char *const *env, bool capture, struct err *err)
{
	struct command *c = NULL;
	struct pipes p;
	int pid;

	if (open_pipes(&p, capture) < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot make pipes for '%.100s'", argv[0]);
		goto out;
	}
	pid = fork();
	if (pid < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot start a process for '%.100s'", argv[0]);
		goto out;
	}
	if (pid == 0)
		run_child(argv, env != NULL ? env : environ, &p);
	c = mem_calloc(1, sizeof(*c));
	c->name = mem_strdup(argv[0]);
	c->pid = pid;
	c->go_fd = p.go[1];
	c->status_fd = p.status[0];
	c->output_fd = p.output[0];
	c->wait_fd = -1;
#ifdef SYS_pidfd_open
	c->wait_fd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */
#endif
	p.go[1] = p.status[0] = p.output[0] = -1;
out:
	close_pipes(&p);
	return c;
}

/* As perf-record(1) does: what was started to be measured is not left behind. */
static void
ask_to_end(const struct command *c)
{
	if (kill(c->pid, SIGTERM) < 0)
		return; /* it has other rights now */
	kill(c->pid, SIGCONT);
	process_reap(c->pid, LAST_MS, NULL, NULL);
}

void
command_free(struct command *c)
{
	if (c == NULL)
		return;
	close_fd(&c->go_fd);
	if (!c->is_started && !c->is_ended) {
		/* Nothing of the program has run; and somebody may have stopped the child. */
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	} else if (!c->is_ended) {
		ask_to_end(c);
	}
	close_fd(&c->status_fd);
	close_fd(&c->output_fd);
	close_fd(&c->wait_fd);
	free(c->name);
	free(c);
}

/* A child that was killed while it waited shows in command_ended(), not as SIGPIPE. */
static void
let_run(struct command *c)
{
	sigset_t pipe, old;
	struct timespec now = { 0 };

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	if (write(c->go_fd, "", 1) < 0 && errno == EPIPE)
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close_fd(&c->go_fd);
}

/* 1: at its exec, 0: not yet, -1: it has ended, which command_ended() will tell. */
static int
next_stop(const struct command *c)
{
	siginfo_t info = { 0 };
	int status;

	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WSTOPPED | WNOWAIT) < 0)
		return errno == EINTR ? 0 : -1;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return -1;
	if (waitpid(c->pid, &status, 0) != c->pid || !WIFSTOPPED(status))
		return -1;
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		return 1;
	/* A signal before the exec is the child's; a stop of the group is none of it. */
	ptrace(PTRACE_CONT, c->pid, NULL,
	       (void *)(intptr_t)(status >> 16 == 0 ? WSTOPSIG(status) : 0));
	return 0;
}

/* false: it could be executed.  Only when that is over. */
static bool
set_exec_error(struct command *c, struct err *err)
{
	int why;

	if (c->exec_error == 0 && read(c->status_fd, &why, sizeof(why)) == (ssize_t)sizeof(why))
		c->exec_error = why;
	if (c->exec_error != 0)
		err_set(err, ERR_GONE, c->exec_error, "cannot execute '%.200s'", c->name);
	return c->exec_error != 0;
}

int
command_stop_at_exec(struct command *c, struct err *err)
{
	const long options = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	int res;

	if (c->is_stopped)
		return 0;
	if (c->is_started || c->is_ended)
		return err_set(err, ERR_GONE, 0, "'%.200s' runs already", c->name);
	if (ptrace(PTRACE_SEIZE, c->pid, NULL, (void *)options) < 0) {
		err_set(err, ERR_DENIED, errno, "cannot stop '%.200s' at its start", c->name);
		return err_hint(err, "ptrace is needed for it%s; or start it first, then ptop -p PID",
				limits_ptrace_scope("") > 0 ? ": see kernel.yama.ptrace_scope" : "");
	}
	let_run(c);
	do {
		res = next_stop(c);
	} while (res == 0);
	c->is_stopped = res > 0;
	c->is_started = res < 0;
	if (res > 0)
		return 0;
	if (!set_exec_error(c, err))
		err_set(err, ERR_GONE, 0, "'%.200s' ended before it began", c->name);
	return -1;
}

void
command_start(struct command *c)
{
	if (c->is_started)
		return;
	c->is_started = true;
	if (c->is_stopped)
		ptrace(PTRACE_DETACH, c->pid, NULL, NULL);
	else
		let_run(c);
	c->is_stopped = false;
}

bool
command_is_started(const struct command *c)
{
	return c->is_started;
}

int
command_pid(const struct command *c)
{
	return c->pid;
}

int
command_output_fd(const struct command *c)
{
	return c->output_fd;
}

int
command_wait_fd(const struct command *c)
{
	return c->wait_fd;
}

int
command_ended(struct command *c, int *status, struct err *err)
{
	if (c->is_ended || waitpid(c->pid, status, WNOHANG) != c->pid)
		return 0;
	c->is_ended = true;
	if (c->is_started)
		set_exec_error(c, err);
	return 1;
}
