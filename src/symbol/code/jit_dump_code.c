/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/code/jit_dump_code.h"

#include "base/reader.h"
#include "view/listing.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 40,
	RECORD_BYTES = 16,
	LOAD_BYTES = RECORD_BYTES + 40, /* of a record of code, before its name */
	MOVE_BYTES = RECORD_BYTES + 48,
	RECORDS_MAX = 4 << 20,
	CODE_LOAD = 0,
	CODE_MOVE = 1,
};

#define MAGIC UINT32_C(0x4a695444)
#define FILE_MAX (UINT64_C(1) << 32)

/* What was found so far: the last code that was there. */
struct hunt {
	int fd;
	bool swap;
	uint64_t addr;            /* that is looked for */
	uint64_t start, size, at; /* the code, and where in the file it is; size 0: none */
};

static struct reader
read_at(const struct hunt *h, uint8_t *bytes, size_t len, uint64_t at)
{
	ssize_t n = pread(h->fd, bytes, len, (off_t)at);

	return reader_over_swapped((struct bytes){ bytes, n > 0 ? (size_t)n : 0 }, h->swap);
}

bool
jit_dump_is_one(int fd)
{
	uint32_t magic = 0;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
	       (magic == MAGIC || magic == __builtin_bswap32(MAGIC));
}

/* The code follows the name, at the end of the record. */
static void
take_load(struct hunt *h, struct reader *r, uint64_t at, uint32_t record)
{
	uint64_t start, size;

	reader_u64(r); /* pid, tid */
	start = reader_u64(r);
	reader_u64(r); /* where it was when it was written down */
	size = reader_u64(r);
	if (r->failed || size == 0 || size > record - LOAD_BYTES || h->addr < start ||
	    h->addr - start >= size)
		return;
	h->start = start;
	h->size = size;
	h->at = at + record - size;
}

/* What moves away from there or over it: the bytes are those of before, relative as they are. */
static void
take_move(struct hunt *h, struct reader *r)
{
	uint64_t to, from, size;

	reader_u64(r); /* pid, tid */
	to = reader_u64(r);
	from = reader_u64(r);
	reader_u64(r); /* the new place once more */
	size = reader_u64(r);
	if (!r->failed && h->size != 0 && h->start == from && size == h->size && to != from)
		h->start = to;
}

/* Walks all records once. */
static void
walk(struct hunt *h, uint64_t at)
{
	uint8_t bytes[MOVE_BYTES];

	for (unsigned i = 0; i < RECORDS_MAX && at < FILE_MAX; i++) {
		struct reader r = read_at(h, bytes, sizeof(bytes), at);
		uint32_t id = reader_u32(&r), size = reader_u32(&r);

		reader_u64(&r); /* when */
		if (r.failed || size < RECORD_BYTES)
			return;
		if (id == CODE_LOAD && size > LOAD_BYTES)
			take_load(h, &r, at, size);
		else if (id == CODE_MOVE)
			take_move(h, &r);
		at += size;
	}
}

int
jit_dump_code(int fd, uint64_t addr, struct jit_dump_found *out, struct err *err)
{
	struct hunt h = { .fd = fd, .addr = addr };
	uint8_t bytes[HEADER_BYTES];
	uint32_t magic, head;
	struct reader r;
	ssize_t n;

	r = read_at(&h, bytes, sizeof(bytes), 0);
	magic = reader_u32(&r);
	h.swap = r.swap = magic != MAGIC;
	reader_u32(&r); /* version */
	head = reader_u32(&r);
	out->machine = reader_u32(&r);
	if (r.failed || head < HEADER_BYTES)
		return err_set(err, ERR_FORMAT, 0, "its jitdump makes no sense");
	walk(&h, head);
	if (h.size == 0)
		return err_set(err, ERR_GONE, 0, "its jitdump does not have that code");
	out->start = h.start;
	out->len = (size_t)MIN(h.size, (uint64_t)LISTING_BYTES_MAX);
	out->code = mem_calloc(1, out->len);
	n = pread(fd, out->code, out->len, (off_t)h.at);
	if (n == (ssize_t)out->len)
		return 0;
	free(out->code);
	return err_set(err, ERR_GONE, 0, "its jitdump ends in that code");
}
