/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/host.h"

#include "symbol/code/disasm.h"
#include "symbol/parser/confine.h"
#include "symbol/parser/wire.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	FILE_SECONDS = 10,
	/*
	 * Of the host, which mostly takes a millisecond, and END_MS at most.  But its filter of
	 * system calls is compiled into the kernel at its start, and waits there for whoever
	 * changes the kernel's code, and for each CPU of a virtual machine: more than 10 s were seen.
	 */
	ANSWER_S = 20,
	LOOK_MS = 50,     /* whether it is given up */
	PROC_FILE_MAX = 8192,
	FIELD_BYTES = 16,
	END_MS = 2000,    /* for the end of a process that was killed */
	MEMORY_MB = 512, /* debug data of 64 MiB are read whole, and may be packed */
	IMAGE_MB = 512,
};

/* What ptop says to the host: with a socket for the new parser; and the host's answer. */
enum order {
	ORDER_START = 1,
	ORDER_START_DISASSEMBLER,
	ORDER_END,
};

/* How the host was lost. */
enum loss {
	LOSS_NONE,
	LOSS_ENDED,  /* somebody has killed it */
	LOSS_SILENT, /* it does not answer */
};

struct host {
	struct host_config config;
	int pid; /* the host's, or that of its keeper */
	int fd; /* orders and answers, -1: there is no host */
	unsigned looks_left; /* for the answer that is waited for */
	atomic_bool is_given_up;
	atomic_int lacks;
	atomic_int loss; /* enum loss */
	struct err why;
	atomic_int parser; /* its pid, 0: none, or not known */
	atomic_ullong ended_cpu_ns; /* of those that have ended, and of the host itself */
};

/* With one to a start comes a pidfd of the parser: the host may number processes in its own way. */
struct reply {
	int value; /* of start: 0 or errno; of end: the status */
	int lacks;
	uint64_t cpu_ns; /* of the one that ended, and the host's own since its last reply */
};

/* The host's own side. */
struct forker {
	struct wire wire;
	const struct host_config *config;
	int self, child; /* child 0: none */
	int lacks;
	uint64_t cpu_ns; /* of the child that ended last */
};

static void
run_child(const struct forker *f, int socket, bool lists_code) NORETURN;

static void
run_child(const struct forker *f, int socket, bool lists_code)
{
	struct disasm_lib *lib = lists_code ? disasm_load() : NULL; /* as long as it may open files */

	if (f->config->work != CONFINE_PARSE) {
		confine_fetcher(socket, f->self, &f->config->limits);
		f->config->fetch(STDIN_FILENO);
	} else if (confine_parser(socket, f->self, &f->config->limits, f->lacks))
		parser_run(STDIN_FILENO, &f->config->limits, f->config->image, lib);
	_exit(0);
}

static uint64_t
time_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_usec * 1000;
}

/*
 * It may have ended by itself: then the signal changes nothing.  One that waits for a file system
 * that does not answer does not end: it is left behind.
 */
static int
end_child(struct forker *f)
{
	struct rusage used = { { 0 } };
	int status = -1;

	f->cpu_ns = 0;
	if (f->child <= 0)
		return -1;
	kill(f->child, SIGKILL);
	process_reap(f->child, END_MS, &status, &used);
	f->child = 0;
	f->cpu_ns = time_ns(&used.ru_utime) + time_ns(&used.ru_stime);
	return status;
}

static int
start_child(struct forker *f, int socket, bool lists_code)
{
	end_child(f);
	while (waitpid(-1, NULL, WNOHANG) > 0) /* those left behind, by now */
		continue;
	f->child = fork();
	if (f->child == 0)
		run_child(f, socket, lists_code);
	return f->child < 0 ? errno : 0;
}

/* -1: there is no child, or this kernel (before 5.3) has no such thing. */
static int
child_pidfd(const struct forker *f)
{
#ifdef SYS_pidfd_open
	if (f->child > 0)
		return (int)syscall(SYS_pidfd_open, f->child, 0);
#else
	(void)f;
#endif
	return -1;
}

static void
serve(struct forker *f) NORETURN;

static void
serve(struct forker *f)
{
	struct wire_msg m;
	uint64_t told_ns = 0;

	while (wire_recv(&f->wire, &m) == 0) {
		struct reply reply = { .lacks = f->lacks };
		struct buf body = { 0 };
		int pidfd;

		reply.value = m.type == ORDER_END ? end_child(f)
				: start_child(f, m.fd, m.type == ORDER_START_DISASSEMBLER);
		reply.cpu_ns = f->cpu_ns + clock_process_cpu_ns() - told_ns;
		told_ns += reply.cpu_ns - f->cpu_ns;
		pidfd = child_pidfd(f);
		buf_add(&body, &reply, sizeof(reply));
		wire_send(&f->wire, WIRE_DONE, &body, pidfd);
		if (pidfd >= 0)
			close(pidfd);
		buf_release(&body);
		wire_msg_release(&m);
	}
	end_child(f);
	_exit(0);
}

static void
host_main(const struct host_config *config, int fd, int parent) NORETURN;

static void
host_main(const struct host_config *config, int fd, int parent)
{
	struct forker f = { .wire = { .fd = STDIN_FILENO }, .config = config };

	f.lacks = confine_host(fd, parent, &config->limits, config->work);
	f.self = getpid();
	if (f.lacks < 0)
		_exit(1);
	serve(&f);
}

static void
set_defaults(struct host_config *c)
{
	if (c->image == NULL)
		c->image = parser_image;
	if (c->limits.cpu_s == 0)
		c->limits.cpu_s = FILE_SECONDS;
	if (c->limits.memory == 0)
		c->limits.memory = (uint64_t)MEMORY_MB << 20;
	if (c->limits.file == 0)
		c->limits.file = (uint64_t)IMAGE_MB << 20;
	if (c->answer_s == 0)
		c->answer_s = ANSWER_S;
}

static const char *
work_of(const struct host *h)
{
	static const char *const names[] = {
		[CONFINE_PARSE] = "the process that parses symbols",
		[CONFINE_FETCH] = "the process that downloads debug files",
		[CONFINE_PUSH] = "the process that pushes profiles",
	};

	return names[h->config.work];
}

struct host *
host_new(const struct host_config *config)
{
	struct host *h = mem_calloc(1, sizeof(*h));
	int ends[2], parent = getpid();

	if (config != NULL)
		h->config = *config;
	set_defaults(&h->config);
	h->fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		err_set(&h->why, ERR_LIMIT, errno, "cannot make a socket for %s", work_of(h));
		return h;
	}
	h->pid = confine_changes_user() ? keeper_fork(ends, &parent) : fork();
	if (h->pid == 0)
		host_main(&h->config, ends[1], parent);
	close(ends[1]);
	h->fd = ends[0];
	if (h->pid < 0) {
		err_set(&h->why, ERR_LIMIT, errno, "cannot start %s", work_of(h));
		close(h->fd);
		h->fd = -1;
	}
	return h;
}

/*
 * It may be stopped: then it sees neither that its socket is closed nor a signal but this one.  The
 * kernel then kills the parser, or both of them with their keeper.
 */
static void
leave(struct host *h)
{
	if (h->fd < 0)
		return;
	close(h->fd);
	h->fd = -1;
	kill(h->pid, SIGKILL);
	process_reap(h->pid, END_MS, NULL, NULL);
}

void
host_free(struct host *h)
{
	if (h == NULL)
		return;
	leave(h);
	free(h);
}

void
host_give_up(struct host *h)
{
	atomic_store(&h->is_given_up, true);
}

/* Looks are counted, not time, which also passes while ptop itself is stopped. */
static bool
wait_for(void *arg, int fd, short events)
{
	struct host *h = arg;
	struct pollfd p = { .fd = fd, .events = events };

	while (!atomic_load(&h->is_given_up) && h->looks_left > 0) {
		int n = poll(&p, 1, LOOK_MS);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		h->looks_left--;
	}
	return false;
}

/* Says how, also to those who ask later. */
static void
lose(struct host *h)
{
	leave(h);
	if (atomic_load(&h->is_given_up)) {
		err_set(&h->why, ERR_GONE, 0, "ptop ends");
	} else if (h->looks_left == 0) {
		atomic_store(&h->loss, LOSS_SILENT);
		err_set(&h->why, ERR_GONE, 0, "%s did not answer for %u s", work_of(h),
			h->config.answer_s);
		err_hint(&h->why, "start ptop again; other processes of its user, which is 65534 if "
			 "ptop is root's, may have stopped it");
	} else {
		atomic_store(&h->loss, LOSS_ENDED);
		err_set(&h->why, ERR_GONE, 0, "%s was ended", work_of(h));
		err_hint(&h->why, "start ptop again, and see whether memory is short");
	}
}

/* What follows @name in a file of /proc, "" if that cannot be told. */
static void
read_field(const char *path, const char *name, char value[FIELD_BYTES])
{
	struct buf b = { 0 };
	const char *at = NULL;

	if (file_read(path, &b, PROC_FILE_MAX) == 0)
		at = strstr(buf_str(&b), name);
	snprintf(value, FIELD_BYTES, "%s", at != NULL ? at + strlen(name) : "");
	buf_release(&b);
}

/* As ptop numbers processes, 0: it cannot be told. */
static int
pid_of(int pidfd)
{
	char path[64], value[FIELD_BYTES];

	if (pidfd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	read_field(path, "\nPid:\t", value);
	return MAX(atoi(value), 0);
}

bool
host_parser_is_stopped(const struct host *h)
{
	int pid = atomic_load(&h->parser);
	char path[64], value[FIELD_BYTES];

	if (pid == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	read_field(path, "\nState:\t", value);
	return value[0] == 'T';
}

/* false: there is no host any more. */
static bool
order(struct host *h, enum order what, int fd, struct reply *reply)
{
	const struct wire wire = { .fd = h->fd, .wait = wait_for, .arg = h };
	struct wire_msg m = { .fd = -1 };
	bool answered;

	if (h->fd < 0)
		return false;
	h->looks_left = h->config.answer_s * 1000 / LOOK_MS;
	answered = wire_send(&wire, (enum wire_type)what, NULL, fd) == 0 &&
		   wire_recv(&wire, &m) == 0 && m.body.len == sizeof(*reply);
	if (answered) {
		memcpy(reply, m.body.data, sizeof(*reply));
		atomic_fetch_add(&h->ended_cpu_ns, reply->cpu_ns);
		atomic_store(&h->parser, pid_of(m.fd));
	} else {
		lose(h);
	}
	wire_msg_release(&m);
	return answered;
}

int
host_start(struct host *h, enum host_child which, struct err *err)
{
	struct reply reply = { 0 };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_BUSY, errno, "cannot make a socket for %s", work_of(h));
	if (!order(h, which == HOST_PARSER ? ORDER_START : ORDER_START_DISASSEMBLER, ends[1],
		   &reply)) {
		if (err != NULL)
			*err = h->why;
		goto fail;
	}
	atomic_store(&h->lacks, reply.lacks);
	if (reply.value != 0) {
		err_set(err, ERR_BUSY, reply.value, "cannot start %s", work_of(h));
		goto fail;
	}
	close(ends[1]);
	return ends[0];
fail:
	close(ends[0]);
	close(ends[1]);
	return -1;
}

int
host_end(struct host *h)
{
	struct reply reply;

	return order(h, ORDER_END, -1, &reply) ? reply.value : -1;
}

const char *
host_loss(const struct host *h)
{
	static const char *const losses[] = {
		[LOSS_ENDED] = "no more functions get names: the process that parses symbols was "
			       "ended (start ptop again)",
		[LOSS_SILENT] = "no more functions get names: the process that parses symbols did "
				"not answer (start ptop again)",
	};

	return losses[atomic_load(&h->loss)];
}

const char *
host_lack(const struct host *h)
{
	int lacks = atomic_load(&h->lacks);

	if (lacks & CONFINE_SAME_USER)
		return "symbol files are parsed as this user namespace's root: it has no user 65534";
	if (lacks & CONFINE_KEPT_ROOT)
		return "symbol files are parsed as root: CAP_SETUID and CAP_SETGID are missing";
	if (lacks & CONFINE_NO_FILTER)
		return "symbol files are parsed without a filter of system calls: there is none here";
	return NULL;
}

uint64_t
host_cpu_ns(const struct host *h)
{
	int pid = atomic_load(&h->parser);
	uint64_t sum = atomic_load(&h->ended_cpu_ns);
	struct timespec t;
	clockid_t clock;

	if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
		sum += (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
	return sum;
}

unsigned
host_file_seconds(const struct host *h)
{
	return h->config.limits.cpu_s;
}

uint64_t
host_file_bytes(const struct host *h)
{
	return h->config.limits.file;
}
