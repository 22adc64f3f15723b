/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python 3.14 runs a script of whom its memory is written by (PEP 768): its main thread is told the
 * script's path, then that one waits, then that it is to look.  The script is a new file that its
 * user alone may read; that it is gone, or empty, is its answer.
 */
#include "broker/python_table.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	NAME_BYTES = 40, PATH_BYTES = NAME_BYTES + 8, SCRIPT_BYTES = 512, STEP_MS = 5,
	PLEASE_STOP = 1 << 5, /* _PY_EVAL_PLEASE_STOP_BIT */
};

#define ADDRESS_END (UINT64_C(1) << 56)

/* It leaves no name behind in the module __main__, in which it runs. */
static const char script[] =
	"try:\n"
	"    __import__('sys').activate_stack_trampoline('perf')\n"
	"except Exception:\n"
	"    __import__('os').truncate('%s', 0)\n"
	"else:\n"
	"    __import__('os').unlink('%s')\n";

/* Its main thread, and the file. */
struct request {
	const struct subject *s;
	struct python_table table;
	uint64_t thread;
	char name[NAME_BYTES], path[PATH_BYTES];
	int memory, file;
};

static struct outcome
failed(int error)
{
	/* What may be looked at by its user, and yet not be written. */
	if (error == EPERM || error == EACCES)
		return (struct outcome){ .result = BROKER_CLOSED };
	if (error == EFAULT)
		return (struct outcome){ .result = BROKER_BAD_TABLE };
	return (struct outcome){ .result = error == ESRCH ? BROKER_GONE : BROKER_FAILED,
				 .error = error };
}

/*
 * Its memory, and that what runs in it has no rights that others of its user have not: these could
 * put another script in the place of ours.
 */
static struct outcome
open_memory(struct request *r)
{
	char path[32];
	int error;

	snprintf(path, sizeof(path), "/proc/%d/mem", r->s->held->pid);
	r->memory = open(path, O_RDWR | O_CLOEXEC);
	if (r->memory < 0)
		return failed(errno == ENOENT ? ESRCH : errno);
	error = held_has_ended(r->s->held) ? ESRCH : subject_check_rights(r->s);
	return error != 0 ? failed(error) : (struct outcome){ .result = BROKER_DONE };
}

/* A pointer to a structure, read at @at. */
static int
follow(const struct request *r, uint64_t at, uint64_t *to)
{
	int error = python_read(r->memory, at, to, sizeof(*to));

	if (error == 0 && (*to == 0 || *to % sizeof(*to) != 0 || *to >= ADDRESS_END))
		error = EFAULT;
	return error;
}

/* The structures lead to each other, and it may be asked. */
static struct outcome
find_thread(struct request *r)
{
	const struct python_table *t = &r->table;
	uint64_t interpreter = 0, back = 0;
	int32_t enabled = 0, pending = 0;
	int error = follow(r, t->interpreters, &interpreter);

	if (error == 0)
		error = python_read(r->memory, interpreter + t->enabled, &enabled, sizeof(enabled));
	if (error == 0)
		error = follow(r, interpreter + t->main_thread, &r->thread);
	if (error == 0)
		error = follow(r, r->thread + t->interpreter, &back);
	if (error == 0)
		error = python_read(r->memory, r->thread + t->pending, &pending, sizeof(pending));
	if (error == 0)
		error = python_may_write(r->s, r->thread, t->thread_size);
	if (error == 0 && (back != interpreter || enabled < 0 || enabled > 1 || pending < 0 ||
			   pending > 1))
		error = EFAULT;
	if (error != 0)
		return failed(error);
	return (struct outcome){ .result = enabled == 0 ? BROKER_DISABLED
					 : pending != 0 ? BROKER_BUSY : BROKER_DONE };
}

/* Nobody but root, here or in its container, and its own user can put another file in the place of one. */
static bool
is_private(int folder, const struct subject *s)
{
	struct stat st;

	return fstat(folder, &st) == 0 &&
	       (st.st_uid == 0 || st.st_uid == s->root_uid || st.st_uid == s->uid) &&
	       ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (st.st_mode & S_ISVTX) != 0);
}

static bool
is_private_path(const struct subject *s)
{
	int tmp = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool res = tmp >= 0 && is_private(tmp, s) && is_private(s->root, s);

	if (tmp >= 0)
		close(tmp);
	return res;
}

static struct outcome
make_script(struct request *r)
{
	char text[SCRIPT_BYTES];
	int len;

	if (!is_private_path(r->s))
		return (struct outcome){ .result = BROKER_OPEN_TMP };
	snprintf(r->name, sizeof(r->name), ".ptop-%d-%llx.py", r->s->inner_pid,
		 (unsigned long long)clock_mono_ns());
	snprintf(r->path, sizeof(r->path), "/tmp/%s", r->name);
	len = snprintf(text, sizeof(text), script, r->path, r->path);
	r->file = open(r->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (r->file < 0)
		return (struct outcome){ .result = BROKER_FAILED, .error = errno };
	if (write(r->file, text, (size_t)len) != len)
		return (struct outcome){ .result = BROKER_FAILED, .error = ENOSPC };
	return (struct outcome){ .result = BROKER_DONE };
}

/* In this order: at each moment what it may see is whole. */
static struct outcome
tell(const struct request *r)
{
	const struct python_table *t = &r->table;
	const int32_t pending = 1;
	uint64_t breaker = 0;
	int error = python_write(r->memory, r->thread + t->path, r->path, strlen(r->path) + 1);

	if (error == 0)
		error = python_write(r->memory, r->thread + t->pending, &pending, sizeof(pending));
	if (error == 0)
		error = python_read(r->memory, r->thread + t->breaker, &breaker, sizeof(breaker));
	breaker |= PLEASE_STOP;
	if (error == 0)
		error = python_write(r->memory, r->thread + t->breaker, &breaker, sizeof(breaker));
	return error != 0 ? failed(error) : (struct outcome){ .result = BROKER_DONE };
}

/* false: there is no answer yet. */
static bool
has_answered(const struct request *r, struct outcome *o)
{
	struct stat st;

	if (fstat(r->file, &st) < 0)
		*o = (struct outcome){ .result = BROKER_FAILED, .error = errno };
	else if (st.st_nlink == 0)
		*o = (struct outcome){ .result = BROKER_DONE };
	else if (st.st_size == 0)
		*o = (struct outcome){ .result = BROKER_UNWILLING };
	else if (held_has_ended(r->s->held))
		*o = (struct outcome){ .result = BROKER_GONE };
	else
		return false;
	return true;
}

/* It may come to it just now: then the file is gone a moment later, or is not found. */
static void
take_back(const struct request *r)
{
	const int32_t pending = 0;

	python_write(r->memory, r->thread + r->table.pending, &pending, sizeof(pending));
}

static struct outcome
wait_for_answer(const struct request *r, uint64_t until_ns)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	struct outcome o;

	while (!has_answered(r, &o) && clock_mono_ns() < until_ns)
		nanosleep(&step, NULL);
	if (has_answered(r, &o))
		return o;
	take_back(r);
	nanosleep(&step, NULL);
	return has_answered(r, &o) ? o : (struct outcome){ .result = BROKER_ASLEEP };
}

struct outcome
ask_python(const struct subject *s, uint64_t until_ns)
{
	struct request r = { .s = s, .memory = -1, .file = -1 };
	struct outcome o = open_memory(&r);

	if (o.result == BROKER_DONE)
		o = python_table_find(s, r.memory, &r.table);
	if (o.result == BROKER_DONE)
		o = find_thread(&r);
	if (o.result == BROKER_DONE)
		o = make_script(&r);
	if (o.result == BROKER_DONE && strlen(r.path) >= r.table.path_size)
		o = (struct outcome){ .result = BROKER_BAD_TABLE };
	if (o.result == BROKER_DONE)
		o = tell(&r);
	if (o.result == BROKER_DONE)
		o = wait_for_answer(&r, until_ns);
	if (r.file >= 0) {
		unlinkat(AT_FDCWD, r.name, 0);
		close(r.file);
	}
	if (r.memory >= 0)
		close(r.memory);
	return o;
}
