/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "live/wait/call_32.h"

enum {
	TEXT_MAX = 256,
	STACK_PARTS = 16, /* pages, of which one may be missing: a read ends before it */
	STATUS_MAX = 4096,
};

bool
wait_read_is_starved(int error)
{
	return error == EMFILE || error == ENFILE;
}

static int
open_file(const struct wait_thread *t, const struct wait_env *env, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/task/%d/%s", t->pid, t->tid, name);
	return openat(env->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/*
 * The length of what one read gives, -1: errno.  @kept_fd: stays open if there are no more than
 * @kept_max such files.
 */
static ssize_t
read_file(const struct wait_thread *t, struct wait_env *env, int *kept_fd, size_t kept_max,
	  const char *name, char text[TEXT_MAX])
{
	ssize_t n;
	int fd, saved;

	errno = 0;
	fd = *kept_fd >= 0 ? *kept_fd : open_file(t, env, name);
	if (fd < 0)
		return -1;
	n = pread(fd, text, TEXT_MAX, 0);
	saved = errno;
	if (n > 0 && fd != *kept_fd && env->files < kept_max) {
		*kept_fd = fd;
		env->files++;
	}
	if (fd != *kept_fd)
		close(fd);
	errno = saved;
	return n;
}

static void
close_sched(struct wait_thread *t, struct wait_env *env)
{
	close(t->sched_fd);
	t->sched_fd = -1;
	env->files--;
	env->scheds--;
}

bool
wait_read_sched(struct wait_thread *t, struct wait_env *env, struct procfs_schedstat *out)
{
	const bool is_kept = t->sched_fd >= 0;
	char text[TEXT_MAX];
	ssize_t n = read_file(t, env, &t->sched_fd, env->files_max, "schedstat", text);

	env->scheds += !is_kept && t->sched_fd >= 0;
	return n > 0 && procfs_schedstat(text, (size_t)n, out);
}

char
wait_read_state(const struct wait_thread *t, const struct wait_env *env)
{
	char path[64], text[PROC_FILE_SMALL];
	struct procfs_stat stat;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/task/%d/stat", t->pid, t->tid);
	n = proc_file_read(env->proc_fd, path, text, sizeof(text));
	return n > 0 && procfs_stat(text, (size_t)n, &stat) ? stat.state : 0;
}

bool
wait_read_switches(const struct wait_thread *t, const struct wait_env *env,
		   struct procfs_switches *out)
{
	char path[64], text[STATUS_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%d/task/%d/status", t->pid, t->tid);
	n = proc_file_read(env->proc_fd, path, text, sizeof(text));
	return n > 0 && procfs_switches(text, (size_t)n, out);
}

size_t
wait_read_stack(const struct wait_thread *t, uint64_t sp, uint8_t *to, size_t len)
{
	const size_t page = page_size();
	struct iovec local = { to, len }, parts[STACK_PARTS];
	size_t count = 0, at = 0;
	ssize_t n;

	for (; at < len && count < STACK_PARTS; count++) {
		size_t part = MIN(page - (sp + at) % page, len - at);

		parts[count] = (struct iovec){ (void *)(uintptr_t)(sp + at), part };
		at += part;
	}
	local.iov_len = at;
	n = process_vm_readv(t->tid, &local, 1, parts, count, 0);
	return n > 0 ? (size_t)n & ~(size_t)7 : 0;
}

/* Some of them may be of no use, and not be there. */
static bool
read_words(void *thread, uint64_t address, uint32_t words[CALL_32_ARGS])
{
	const size_t len = CALL_32_ARGS * sizeof(*words);

	return wait_read_stack(thread, address, (uint8_t *)words, len) >= 2 * sizeof(*words);
}

bool
wait_read_call(struct wait_thread *t, struct wait_env *env, struct procfs_syscall *call)
{
	/* The other file is read at each look, and comes first; but of one that has short looks seldom. */
	size_t wanted = env->threads > env->scheds ? env->threads - env->scheds : 0;
	size_t max = env->files_max > wanted ? env->files_max - wanted : 0;
	char text[TEXT_MAX];
	ssize_t n;

	if (t->call_fd < 0 && t->sched_fd >= 0 && t->short_looks > 0 && env->files >= max) {
		close_sched(t, env);
		max = env->files_max;
	}
	n = read_file(t, env, &t->call_fd, max, "syscall", text);
	*call = (struct procfs_syscall){ .number = PROCFS_NO_CALL };
	t->is_others = n < 0 && errno == EACCES; /* the file is its owner's alone */
	t->is_denied = n < 0 && errno == EPERM;  /* ptrace(2) is denied */
	env->has_denied |= t->is_denied;
	if (t->is_denied)
		return true;
	if (n <= 0 || !procfs_syscall(text, (size_t)n, call))
		return false;
	t->is_over = !call->is_running && call->pc == 0;
	if (call_32_is(call))
		call_32_translate(call, read_words, t);
	return !call->is_running;
}
