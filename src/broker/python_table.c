/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's table of offsets (PEP 768), which is how _PyRuntime begins, in memory that the process
 * maps of Python's own file and may write.  It is looked for there, since a file that was replaced
 * by an update cannot tell its sections any more.  All of it is the process's word: each offset has
 * to lie within what the table says the size of its structure is.
 */
#include "broker/python_table.h"

#include "live/sys/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = 1 << 20,
	SCAN_BYTES = 64 << 20,  /* Python 3.14 has some 3 MiB of them */
	SIZE_MAX_BYTES = 1 << 20, /* of a structure */
	PATH_LEAST = 64, PATH_MOST = 4096,
	NAME_BYTES = 4096,
	OUR_VERSION = 0x030e, RELEASED = 0xf0, /* 3.14, and no alpha, beta or candidate of it */
};

/* The words of 3.14's table that are of use: Include/internal/pycore_debug_offsets.h. */
enum {
	COOKIE, VERSION_HEX,
	RUNTIME_SIZE = 3, INTERPRETERS = 5,
	INTERPRETER_SIZE = 6, MAIN_THREAD = 10,
	THREAD_SIZE = 22, THREAD_INTERPRETER = 25,
	BREAKER = 89, SUPPORT, ENABLED, PENDING, PATH, PATH_SIZE,
	WORDS,
};

static const char cookie[sizeof(uint64_t)] = { 'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y' };

/* Nothing at all: its process has ended, or executes another program by now. */
static int
error_of(ssize_t n, size_t len)
{
	if (n < 0)
		return errno == EIO ? EFAULT : errno;
	return n == 0 ? ESRCH : (size_t)n == len ? 0 : EFAULT;
}

int
python_read(int memory, uint64_t at, void *data, size_t len)
{
	return error_of(pread(memory, data, len, (off_t)at), len);
}

int
python_write(int memory, uint64_t at, const void *data, size_t len)
{
	return error_of(pwrite(memory, data, len, (off_t)at), len);
}

/* @len bytes at the offset are within the structure, and lie as C has them. */
static bool
fits(uint64_t offset, uint64_t len, uint64_t size)
{
	return size <= SIZE_MAX_BYTES && offset < size && len <= size - offset && offset % len == 0;
}

static bool
is_sound(const uint64_t w[WORDS])
{
	const uint64_t thread = w[THREAD_SIZE], pointer = sizeof(uint64_t), flag = sizeof(int32_t);
	const uint64_t room = thread - MIN(w[SUPPORT], thread);

	return fits(w[INTERPRETERS], pointer, w[RUNTIME_SIZE]) &&
	       fits(w[MAIN_THREAD], pointer, w[INTERPRETER_SIZE]) &&
	       fits(w[ENABLED], flag, w[INTERPRETER_SIZE]) &&
	       fits(w[THREAD_INTERPRETER], pointer, thread) && fits(w[BREAKER], pointer, thread) &&
	       w[SUPPORT] < thread && w[SUPPORT] % flag == 0 && fits(w[PENDING], flag, room) &&
	       w[PATH] < room && w[PATH_SIZE] <= room - w[PATH] &&
	       w[PATH_SIZE] >= PATH_LEAST && w[PATH_SIZE] <= PATH_MOST;
}

/* What is at that place: a table that can be used (BROKER_DONE), one that cannot, or none. */
static enum broker_result
take_table(int memory, uint64_t at, struct python_table *t)
{
	uint64_t w[WORDS];

	if (python_read(memory, at, w, sizeof(w)) != 0 || memcmp(w, cookie, sizeof(cookie)) != 0)
		return BROKER_NO_TABLE;
	if (w[VERSION_HEX] >> 16 != OUR_VERSION || (w[VERSION_HEX] & RELEASED) != RELEASED)
		return BROKER_OTHER_TABLE;
	if (!is_sound(w))
		return BROKER_BAD_TABLE;
	*t = (struct python_table){
		.interpreters = at + w[INTERPRETERS], .main_thread = w[MAIN_THREAD],
		.enabled = w[ENABLED], .interpreter = w[THREAD_INTERPRETER], .breaker = w[BREAKER],
		.pending = w[SUPPORT] + w[PENDING], .path = w[SUPPORT] + w[PATH],
		.path_size = w[PATH_SIZE], .thread_size = w[THREAD_SIZE],
	};
	return BROKER_DONE;
}

/* What was found so far: two that can be used are one too many. */
struct search {
	const struct subject *s;
	int memory;
	struct python_table *table;
	unsigned found;
	enum broker_result why; /* none was */
	uint64_t left; /* bytes that are still looked at */
	char *chunk;
};

static void
add_table(struct search *f, uint64_t at)
{
	enum broker_result result = take_table(f->memory, at, f->table);

	f->found += result == BROKER_DONE;
	if (result != BROKER_DONE && result != BROKER_NO_TABLE)
		f->why = result;
}

static void
look_through(struct search *f, uint64_t at, uint64_t end)
{
	while (at < end && f->left > 0) {
		const size_t len = (size_t)MIN(MIN(end - at, (uint64_t)CHUNK_BYTES), f->left);

		if (python_read(f->memory, at, f->chunk, len) != 0)
			return;
		for (size_t i = 0; i + sizeof(cookie) <= len; i += sizeof(cookie))
			if (memcmp(f->chunk + i, cookie, sizeof(cookie)) == 0)
				add_table(f, at + i);
		at += len;
		f->left -= len;
	}
}

static void
take_line(struct search *f, const char *line, size_t len)
{
	const uint32_t data = PROT_READ | PROT_WRITE;
	char name[NAME_BYTES];
	struct procfs_map map;

	if (!procfs_map(line, len, &map) || map.prot != data || map.name_len >= NAME_BYTES)
		return;
	name[procfs_map_name(map.name, map.name_len, name)] = '\0';
	if (*name == '/' && runtime_of_file(name) == f->s->runtime)
		look_through(f, map.start, map.end);
}

struct outcome
python_table_find(const struct subject *s, int memory, struct python_table *t)
{
	struct search f = { .s = s, .memory = memory, .table = t, .why = BROKER_NO_TABLE,
			    .left = SCAN_BYTES };
	struct outcome o = { .result = BROKER_FAILED };
	struct buf maps = { 0 };
	const char *line, *end;

	o.error = subject_read_maps(s->held, &maps);
	f.chunk = mem_calloc(1, CHUNK_BYTES);
	line = buf_str(&maps);
	for (; o.error == 0 && (end = strchr(line, '\n')) != NULL; line = end + 1)
		take_line(&f, line, (size_t)(end - line));
	free(f.chunk);
	buf_release(&maps);
	if (o.error == 0)
		o.result = f.found == 1 ? BROKER_DONE : f.found > 1 ? BROKER_BAD_TABLE : f.why;
	return o;
}

/* How far the range that begins at @at may be written, by the line of a map. */
static uint64_t
past_line(const char *line, size_t len, uint64_t at)
{
	struct procfs_map map;

	if (!procfs_map(line, len, &map) || (map.prot & PROT_WRITE) == 0 || at < map.start ||
	    at >= map.end)
		return at;
	return map.end;
}

int
python_may_write(const struct subject *s, uint64_t at, size_t len)
{
	const uint64_t until = at + len;
	struct buf maps = { 0 };
	int error = subject_read_maps(s->held, &maps);
	const char *line = buf_str(&maps), *end;

	for (; error == 0 && at < until && (end = strchr(line, '\n')) != NULL; line = end + 1)
		at = past_line(line, (size_t)(end - line), at);
	buf_release(&maps);
	return error != 0 ? error : at < until ? EFAULT : 0;
}
