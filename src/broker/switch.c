/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runtime's own switch, which has it write names of its code.  It is turned by a child that has
 * become the user of the process, in the /tmp of its root: whatever lies there, no more can be done
 * by it than the process can do itself.
 */
#include "broker/broker_impl.h"

#include "base/clock.h"
#include "base/process.h"
#include "live/sys/capabilities.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LATE_MS = 1000, END_MS = 200 };

static struct outcome (*const ways[])(const struct subject *s, uint64_t until_ns) = {
	[RUNTIME_BY_ATTACH] = attach_jvm,
	[RUNTIME_BY_SOCKET] = ask_dotnet,
	[RUNTIME_BY_MEMORY] = ask_python,
};

unsigned
switch_patience_ms(const struct server *server)
{
	const unsigned own_ms = server->config->patience_ms;

	return own_ms > 0 ? own_ms : BROKER_PATIENCE_MS;
}

/* To its memory the same user has no way by itself where Yama, or more rights of its, forbid it. */
static uint64_t
rights_for(const struct subject *s)
{
	return s->runtime->means == RUNTIME_BY_MEMORY ? UINT64_C(1) << CAP_SYS_PTRACE : 0;
}

/* For good.  Nobody's process is ever asked with more rights than that takes.  errno. */
static int
become_user(const struct subject *s, int parent)
{
	const bool is_other = s->uid != geteuid() || s->gid != getegid();
	const uint64_t rights = rights_for(s);

	if (rights != 0)
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (is_other && (setgroups(0, NULL) < 0 || setresgid(s->gid, s->gid, s->gid) < 0 ||
			 setresuid(s->uid, s->uid, s->uid) < 0))
		return errno;
	capabilities_keep(rights);
	capabilities_use(rights);
	process_end_with(parent); /* a change of user forgets it */
	return 0;
}

/* Its /tmp becomes the working folder. */
static struct outcome
enter_tmp(const struct subject *s)
{
	int fd = openat(s->root, "tmp", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno != EACCES)
		return (struct outcome){ .result = BROKER_BAD_TMP };
	if (fd < 0 || fchdir(fd) < 0)
		return (struct outcome){ .result = BROKER_FAILED, .error = errno };
	close(fd);
	return (struct outcome){ .result = BROKER_DONE };
}

static void
turn(const struct server *server, const struct subject *s, int parent, int told) NORETURN;

static void
turn(const struct server *server, const struct subject *s, int parent, int told)
{
	const uint64_t until_ns = clock_mono_ns() + switch_patience_ms(server) * NSEC_PER_MSEC;
	struct outcome o = { .result = BROKER_FAILED };

	close(server->socket); /* requests are not for it */
	o.error = become_user(s, parent);
	if (o.error == 0)
		o = enter_tmp(s);
	if (o.result == BROKER_DONE)
		o = ways[s->runtime->means](s, until_ns);
	if (write(told, &o, sizeof(o)) < 0)
		_exit(1);
	_exit(0);
}

/* What the child told; one that is stopped, or killed, tells nothing. */
static struct outcome
hear(int fd, unsigned ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct outcome o;
	int n;

	do {
		n = poll(&p, 1, (int)ms + LATE_MS);
	} while (n < 0 && errno == EINTR);
	if (n <= 0 || read(fd, &o, sizeof(o)) != sizeof(o) || o.result < 0 ||
	    o.result >= BROKER_RESULTS)
		o = (struct outcome){ .result = BROKER_SILENT };
	return o;
}

static struct outcome
turn_by_child(const struct server *server, const struct subject *s)
{
	struct outcome o = { .result = BROKER_FAILED };
	const int parent = getpid();
	struct held child;
	int ends[2], pid;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		o.error = errno;
		return o;
	}
	pid = fork();
	if (pid == 0)
		turn(server, s, parent, ends[1]);
	o.error = errno;
	close(ends[1]);
	if (pid > 0) {
		child = held_child(pid);
		o = hear(ends[0], switch_patience_ms(server));
		held_signal(&child, SIGKILL);
		held_let_go(&child);
		process_reap(pid, END_MS, NULL, NULL);
	}
	close(ends[0]);
	return o;
}

static void
tell_subject(const struct subject *s, struct broker_reply *reply)
{
	reply->runtime = s->runtime != NULL ? (uint32_t)(s->runtime - runtimes) + 1 : 0;
	reply->uid = s->uid;
	reply->inner_pid = s->inner_pid;
	reply->other_root = s->other_root;
}

int
switch_look(const struct held *h, const struct broker_request *r, struct broker_reply *reply)
{
	struct subject s;
	int error = subject_init(&s, h);

	(void)r;
	tell_subject(&s, reply);
	subject_release(&s);
	return error;
}

enum broker_result
switch_names(const struct server *server, const struct held *h, struct broker_reply *reply)
{
	struct outcome o = { .result = BROKER_NO_SWITCH };
	struct subject s;
	int error = subject_init(&s, h);

	tell_subject(&s, reply);
	if (error != 0)
		o = (struct outcome){ .result = error == ESRCH ? BROKER_GONE : BROKER_FAILED,
				      .error = error };
	else if (s.runtime != NULL && s.runtime->means != RUNTIME_BY_FLAG)
		o = turn_by_child(server, &s);
	subject_release(&s);
	reply->error = o.error;
	reply->value = o.value;
	return o.result;
}
