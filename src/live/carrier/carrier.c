/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/carrier/carrier.h"

#include "base/buf.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SAID_MAX = 4096,
	LISTEN_MOST = 16, /* parts of that, at a time: what goes on without end waits over there */
	SSH_FAILED = 255, /* ssh(1), EXIT STATUS: not the program over there, and ssh says why */
};

struct carrier {
	int pid;
	int out, err; /* what is read of it */
	bool is_left;
	struct buf said, line; /* the end of it; the last line of that */
	bool has_reason;       /* something was said since carrier_pass_said() */
};

static void
close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/* A session of its own: it has no terminal to ask at, whose keys end ptop, which then ends it. */
static int
spawn(struct carrier *c, char *const argv[], int in, int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, defaults;
	int res;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGHUP);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	else
		posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETSID);
	res = posix_spawnp(&c->pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return res;
}

struct carrier *
carrier_new(char *const argv[], int in, struct err *err)
{
	struct carrier *c = mem_calloc(1, sizeof(*c));
	int out[2], said[2], res;

	if (pipe2(out, O_CLOEXEC) < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot make a pipe for '%.100s'", argv[0]);
		free(c);
		return NULL;
	}
	if (pipe2(said, O_CLOEXEC) < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot make a pipe for '%.100s'", argv[0]);
		close_both(out);
		free(c);
		return NULL;
	}
	res = spawn(c, argv, in, out[1], said[1]);
	if (res != 0) {
		err_set(err, ERR_GONE, res, "cannot start '%.100s'", argv[0]);
		close_both(out);
		close_both(said);
		free(c);
		return NULL;
	}
	close(out[1]);
	close(said[1]);
	c->out = out[0];
	c->err = said[0];
	fcntl(c->out, F_SETFL, O_NONBLOCK);
	fcntl(c->err, F_SETFL, O_NONBLOCK);
	return c;
}

void
carrier_leave(struct carrier *c)
{
	kill(-c->pid, c->is_left ? SIGKILL : SIGTERM);
	if (c->is_left)
		return;
	close(c->out);
	close(c->err);
	buf_release(&c->said);
	buf_release(&c->line);
	c->is_left = true;
}

bool
carrier_is_gone(struct carrier *c)
{
	if (!process_reap(c->pid, 0, NULL, NULL))
		return false;
	free(c);
	return true;
}

ssize_t
carrier_read(struct carrier *c, void *data, size_t len)
{
	ssize_t n = read(c->out, data, len);

	if (n > 0)
		return n;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* What it has said is taken, or it would wait; the end of it is kept. */
static void
listen_to(struct carrier *c)
{
	char part[SAID_MAX];
	ssize_t n;

	for (int i = 0; i < LISTEN_MOST && (n = read(c->err, part, sizeof(part))) > 0; i++) {
		if (c->said.len + (size_t)n > SAID_MAX)
			buf_reset(&c->said);
		buf_add(&c->said, part, (size_t)n);
		c->has_reason = true;
	}
}

const char *
carrier_said(struct carrier *c)
{
	const char *text, *before;
	size_t end, begin;

	listen_to(c);
	text = buf_str(&c->said);
	end = c->said.len;
	while (end > 0 && strchr("\r\n", text[end - 1]) != NULL)
		end--;
	before = memrchr(text, '\n', end);
	begin = before != NULL ? (size_t)(before - text) + 1 : 0;
	buf_reset(&c->line);
	buf_add(&c->line, text + begin, end - begin);
	return buf_str(&c->line);
}

void
carrier_pass_said(struct carrier *c)
{
	listen_to(c);
	c->has_reason = false;
}

/*
 * Whether the last line says why.  A busy machine may have taken a reason together with the second
 * before it; but ssh ends with its status also without a word, when it is told to, and then the line
 * is a remark of the ptop over there.
 */
static bool
is_reason(const struct carrier *c, int status)
{
	if (c->line.len == 0)
		return false;
	return status == SSH_FAILED ? strncmp(c->line.data, "ptop: ", strlen("ptop: ")) != 0 : c->has_reason;
}

/* It stays to be waited for: what it has started may be ended by its number. */
const char *
carrier_why_ended(struct carrier *c)
{
	siginfo_t end = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)c->pid, &end, WEXITED | WNOHANG | WNOWAIT) < 0 || end.si_pid == 0)
		return NULL;
	if (end.si_code == CLD_EXITED && end.si_status == 0)
		return "";
	carrier_said(c);
	if (end.si_code == CLD_EXITED && is_reason(c, end.si_status))
		return buf_str(&c->line);
	buf_reset(&c->line);
	buf_addf(&c->line, end.si_code == CLD_EXITED ? "its program ended with status %d"
						     : "its program was ended by signal %d", end.si_status);
	return buf_str(&c->line);
}
