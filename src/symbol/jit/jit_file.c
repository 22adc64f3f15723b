/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One look at a file of a runtime: found, opened, read on from where the last look ended. */
#include "symbol/jit/jit_reader.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK_BYTES = 64 << 10,
	BLOCKS_A_LOOK = 64, /* then others have their turn */
};

#define FILE_BYTES_MAX (UINT64_C(256) << 20)

static void
free_file(struct msg *m)
{
	jit_file_free((struct jit_file *)m);
}

struct jit_file *
jit_file_new(enum jit_kind kind, uint32_t dso, int pid, const struct symbol_ask *ask)
{
	struct jit_file *f = mem_calloc(1, sizeof(*f));

	f->msg.free = free_file;
	f->kind = kind;
	f->dso = dso;
	f->pid = pid;
	f->fd = f->owner.root = -1;
	if (ask != NULL) {
		f->map = *ask;
		f->path = mem_strdup(ask->path);
		f->map.path = f->path;
	}
	return f;
}

void
jit_file_free(struct jit_file *f)
{
	if (f == NULL)
		return;
	if (f->fd >= 0)
		close(f->fd);
	jit_owner_release(&f->owner);
	jit_batch_release(&f->changes);
	free(f->path);
	free(f);
}

/* A dump lies beside those of other processes: it has to be this one's. */
static int
check_writer(const struct jit_file *f, struct err *err)
{
	for (size_t i = 0; i < f->owner.pid_count; i++)
		if (f->owner.pids[i] == f->dump.pid)
			return 0;
	return err_set(err, ERR_FORMAT, 0, "its jitdump is of another process, %u", f->dump.pid);
}

/* -1: nothing more can be had from it. */
static int
parse(struct jit_file *f, struct bytes b, uint64_t left, uint64_t *done)
{
	bool had_header = f->dump.has_header;

	switch (f->kind) {
	case JIT_PERF_MAP:
		*done = perf_map_read(&f->perf_map, b, &f->changes);
		return 0;
	case JIT_DUMP:
		if (jitdump_read(&f->dump, b, left, &f->changes, done, &f->err) < 0)
			return -1;
		if (!had_header && f->dump.has_header && check_writer(f, &f->err) < 0) {
			jit_batch_reset(&f->changes);
			return -1;
		}
		return 0;
	case JIT_KINDS:
		break;
	}
	return -1;
}

/*
 * A runtime that is asked to (a JVM, Compiler.perfmap) writes its map anew, into the same file:
 * then what was read last is not there any more.
 */
static bool
is_new_map(const struct jit_file *f)
{
	uint8_t now[JIT_TAIL_BYTES];
	ssize_t n;

	if (f->kind != JIT_PERF_MAP || f->tail_len == 0)
		return false;
	n = pread(f->fd, now, f->tail_len, (off_t)(f->offset - f->tail_len));
	return n != (ssize_t)f->tail_len || memcmp(now, f->tail, f->tail_len) != 0;
}

static void
keep_tail(struct jit_file *f)
{
	ssize_t n;

	if (f->kind != JIT_PERF_MAP || f->offset == 0)
		return;
	f->tail_len = MIN(f->offset, sizeof(f->tail));
	n = pread(f->fd, f->tail, f->tail_len, (off_t)(f->offset - f->tail_len));
	if (n != (ssize_t)f->tail_len)
		f->tail_len = 0;
}

/* How much there is to read.  -1: it cannot be read on. */
static int
find_end(struct jit_file *f, uint64_t *end)
{
	struct stat st;

	if (fstat(f->fd, &st) != 0)
		return err_set(&f->err, ERR_IO, errno, "cannot read it on");
	if (is_new_map(f)) {
		f->perf_map = (struct perf_map){ 0 };
		f->offset = f->tail_len = 0;
	}
	*end = MIN((uint64_t)st.st_size, FILE_BYTES_MAX);
	if (*end < f->offset)
		return err_set(&f->err, ERR_FORMAT, 0, "it was cut: names may be missing");
	if ((uint64_t)st.st_size > FILE_BYTES_MAX && f->offset == *end)
		return err_set(&f->err, ERR_LIMIT, 0, "only its first 256 MiB are read");
	return 0;
}

static int
read_on(struct jit_file *f, uint8_t *block)
{
	uint64_t end = 0, done = 1;

	if (find_end(f, &end) < 0)
		return -1;
	f->has_more = true;
	for (int i = 0; i < BLOCKS_A_LOOK && !jit_batch_is_full(&f->changes); i++) {
		ssize_t n = f->offset < end ? pread(f->fd, block, BLOCK_BYTES, (off_t)f->offset)
					    : 0;

		if (n < 0)
			return err_set(&f->err, ERR_IO, errno, "cannot read it on");
		n = (ssize_t)MIN((uint64_t)n, end - f->offset);
		if (n == 0 || done == 0)
			break;
		if (parse(f, (struct bytes){ block, (size_t)n }, end - f->offset, &done) < 0)
			return -1;
		f->offset += done;
		f->has_more = done > 0 && f->offset < end;
		if (!f->has_more)
			break;
	}
	f->has_more = f->has_more && f->offset < end;
	keep_tail(f);
	return 0;
}

static int
open_it(struct jit_file *f, const char *proc)
{
	int res = 0;

	if (f->owner.root < 0)
		res = f->recorded_ns == 0 ? jit_owner_init(&f->owner, proc, f->pid, &f->err)
					  : jit_owner_init_recorded(&f->owner, proc, f->pid,
								    f->recorded_ns, &f->err);
	if (res < 0) {
		jit_owner_release(&f->owner);
		return -1;
	}
	if (f->kind == JIT_DUMP)
		f->fd = jit_open_dump(&f->owner, &f->map, proc, &f->err);
	else
		f->fd = jit_open_map(&f->owner, &f->err);
	if (f->fd < 0)
		return -1;
	jit_owner_release(&f->owner); /* it is not looked for again */
	return 0;
}

void
jit_file_look(struct jit_file *f, const char *proc)
{
	uint8_t *block;

	f->err = (struct err){ 0 };
	f->has_more = false;
	f->read_ns = clock_mono_ns();
	if (f->fd < 0 && open_it(f, proc) < 0)
		return;
	block = mem_calloc(1, BLOCK_BYTES);
	f->is_over = read_on(f, block) < 0;
	if (f->is_over)
		f->has_more = false;
	free(block);
}
