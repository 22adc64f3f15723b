/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/open_process.h"
#include "symbol/find/library.h"
#include "symbol/find/mapped.h"
#include "symbol/file/parcel.h"

#include "base/clock.h"
#include "base/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	PATH_BYTES = 8 << 10, /* the kernel records no longer ones */
	LOOK_MS = 20,         /* between looks at whether it hangs */
	END_MS = 20,          /* for the end of a process that was killed */
};

/* An ask on the socket; the answer is a struct open_answer.  Both ends are the same program. */
struct wire_ask {
	struct symbol_ask ask;
	struct debug_ask debug;
	bool is_debug, wants_path;
	char path[PATH_BYTES];
};

static bool
send_answer(int socket, const struct open_answer *a)
{
	struct iovec data = { (void *)(uintptr_t)a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };
	union passed_fd room;

	if (a->fd >= 0)
		passed_fd_put(&m, &room, a->fd);
	return sendmsg(socket, &m, MSG_NOSIGNAL) == sizeof(*a);
}

static bool
receive_answer(int socket, struct open_answer *a)
{
	union passed_fd room;
	struct iovec data = { a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room.bytes,
			    .msg_controllen = sizeof(room.bytes) };
	ssize_t n;

	do {
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(*a))
		return false;
	if (a->fd < 0)
		return true;
	a->fd = passed_fd_take(&m);
	if (a->fd < 0) /* no descriptor is free here */
		err_set(&a->err, ERR_LIMIT, EMFILE, "cannot take an open file");
	return true;
}

/* A name alone, of no process. */
static bool
is_library(const struct wire_ask *in)
{
	return in->ask.kind == SYMBOL_ELF && in->ask.pid <= 0 && in->ask.ino == 0 &&
	       strchr(in->path, '/') == NULL && strstr(in->path, ".so") != NULL;
}

/* All that may wait for a file system, but for its reading. */
static void
open_asked(const struct open_process_config *c, struct wire_ask *in, struct open_answer *out)
{
	const struct debug_finder finder = { .dir = c->debug_dir, .proc = c->proc,
					     .file = &in->ask };

	out->fd = -1;
	if (is_library(in)) {
		char name[sizeof(in->path)];

		strcpy(name, in->path);
		if (library_find(name, in->path, sizeof(in->path), &out->err) < 0)
			return;
	}
	if (in->is_debug)
		out->fd = c->debug_dir != NULL ? debug_find(&finder, &in->debug) : -1;
	else
		out->fd = c->open(&in->ask, c->proc, &out->err);
	if (out->fd < 0)
		return;
	out->ino_generation = mapped_generation(out->fd);
	if (fstat(out->fd, &out->st) != 0)
		memset(&out->st, 0, sizeof(out->st));
	if (in->wants_path)
		open_path_to(&in->ask, c->proc, out->fd, out->path);
}

/* The answer has the file in a parcel; the file itself, which is to be closed once that is sent. */
static int
pack(struct open_answer *out)
{
	int file = out->fd;

	if (file < 0)
		return -1;
	out->fd = parcel_new(file);
	if (out->fd < 0)
		err_set(&out->err, ERR_LIMIT, errno, "cannot hand on an open file");
	return file;
}

static void
serve(int socket, const struct open_process_config *config) NORETURN;

static void
serve(int socket, const struct open_process_config *config)
{
	static struct wire_ask in;
	uint64_t told_ns = 0;

	prctl(PR_SET_NAME, "ptop-open");
	/* Nothing of ptop's may stay in use as long as this one hangs: rings, pipes, the terminal. */
	socket = process_keep_only(socket);
	if (chdir("/") != 0)
		_exit(1);
	while (recv(socket, &in, sizeof(in), 0) == sizeof(in)) {
		struct open_answer out = { 0 };
		int file;

		in.ask.path = in.path;
		open_asked(config, &in, &out);
		file = pack(&out);
		out.cpu_ns = clock_process_cpu_ns() - told_ns;
		told_ns += out.cpu_ns;
		if (!send_answer(socket, &out))
			break;
		if (out.fd >= 0)
			close(out.fd);
		if (file >= 0)
			close(file);
	}
	_exit(0);
}

int
open_process_start(struct open_process *p, const struct open_process_config *config,
		   struct err *err)
{
	int ends[2], parent = getpid();

	*p = (struct open_process){ -1, -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_LIMIT, errno, "cannot make a socket to open files by");
	p->pid = fork();
	if (p->pid == 0) {
		/*
		 * First of all, however it hangs.  The kernel means the thread that forked: those
		 * that do so stay as long as this one is asked.
		 */
		process_end_with(parent);
		serve(ends[1], config);
	}
	close(ends[1]);
	if (p->pid < 0) {
		err_set(err, ERR_LIMIT, errno, "cannot start a process to open files");
		close(ends[0]);
		return -1;
	}
	p->fd = ends[0];
	return 0;
}

static int
has_ended(struct err *err)
{
	return err_set(err, ERR_BUSY, 0, "the process that opens files has ended");
}

int
open_process_send(const struct open_process *p, const struct open_request *request,
		  struct err *err)
{
	const struct symbol_ask *ask = request->file;
	struct wire_ask *out;
	bool sent;

	if (strlen(ask->path) >= sizeof(out->path))
		return err_set(err, ERR_LIMIT, ENAMETOOLONG, "cannot open '%.60s...'", ask->path);
	out = mem_calloc(1, sizeof(*out));
	out->ask = *ask;
	out->ask.path = NULL;
	strcpy(out->path, ask->path);
	out->is_debug = request->debug != NULL;
	if (request->debug != NULL)
		out->debug = *request->debug;
	out->wants_path = request->wants_path;
	sent = send(p->fd, out, sizeof(*out), MSG_NOSIGNAL) == sizeof(*out);
	free(out);
	return sent ? 0 : has_ended(err);
}

bool
open_process_receive(const struct open_process *p, struct open_answer *answer)
{
	*answer = (struct open_answer){ .fd = -1 };
	if (receive_answer(p->fd, answer))
		return true;
	answer->fd = has_ended(&answer->err);
	return false;
}

bool
open_process_wait(const struct open_process *p, uint64_t *held_ns)
{
	struct pollfd answer = { .fd = p->fd, .events = POLLIN };
	int n = poll(&answer, 1, LOOK_MS);

	if (n < 0 && errno == EINTR)
		return false;
	if (n == 0)
		*held_ns = process_is_runnable(p->pid) ? 0 : *held_ns + LOOK_MS * NSEC_PER_MSEC;
	return n != 0;
}

void
open_process_stop(const struct open_process *p)
{
	if (p->fd >= 0)
		shutdown(p->fd, SHUT_RDWR);
}

void
open_process_end(struct open_process *p)
{
	if (p->pid < 0)
		return;
	close(p->fd);
	kill(p->pid, SIGKILL);
	process_reap(p->pid, END_MS, NULL, NULL); /* one that hangs is init's, later */
	*p = (struct open_process){ -1, -1 };
}
