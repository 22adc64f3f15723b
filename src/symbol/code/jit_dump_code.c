/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/code/jit_dump_code.h"

#include "base/reader.h"
#include "view/listing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 40,
	RECORD_BYTES = 16,
	LOAD_BYTES = RECORD_BYTES + 40, /* of a record of code, before its name */
	MOVE_BYTES = RECORD_BYTES + 48,
	RECORDS_MAX = 4 << 20,
	NAME_MAX_BYTES = 1024, /* of a name: what is longer was cut when it was learned */
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	RECORD_NONE = UINT16_MAX, /* one that is passed over */
};

#define MAGIC UINT32_C(0x4a695444)
#define FILE_MAX (UINT64_C(1) << 32)

/* Code, and where in the file it is; size 0: none. */
struct piece {
	uint64_t start, size, at;
};

struct hunt {
	int fd;
	bool swap;
	uint64_t addr;      /* that is looked for */
	uint64_t until_ns;  /* what was written down later is passed over */
	const char *name;   /* whose code; NULL: any function's */
	struct piece last;  /* that was written down, of those functions */
	struct piece found; /* the last of it that was at the address */
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

static void
keep(struct hunt *h, const struct piece *p)
{
	h->last = *p;
	if (h->addr >= p->start && h->addr - p->start < p->size)
		h->found = *p;
}

/* The name of a record of @len bytes between its numbers and its code. */
static bool
is_of_name(const struct hunt *h, uint64_t at, uint64_t len)
{
	uint8_t bytes[NAME_MAX_BYTES];
	size_t want = (size_t)MIN(len, (uint64_t)sizeof(bytes));
	ssize_t n = h->name != NULL ? pread(h->fd, bytes, want, (off_t)at) : 0;

	if (h->name == NULL)
		return true;
	return n == (ssize_t)want && strnlen((char *)bytes, want) == strlen(h->name) &&
	       memcmp(bytes, h->name, strlen(h->name)) == 0;
}

/* The code follows the name, at the end of the record. */
static void
take_load(struct hunt *h, struct reader *r, uint64_t at, uint32_t record)
{
	struct piece p;

	reader_u64(r); /* pid, tid */
	p.start = reader_u64(r);
	reader_u64(r); /* where it was when it was written down */
	p.size = reader_u64(r);
	p.at = at + record - p.size;
	if (!r->failed && p.size > 0 && p.size <= record - LOAD_BYTES &&
	    is_of_name(h, at + LOAD_BYTES, record - LOAD_BYTES - p.size))
		keep(h, &p);
}

/* It was at the old place, too.  The bytes are those of before, relative as they are. */
static void
take_move(struct hunt *h, struct reader *r)
{
	struct piece p = h->last;
	uint64_t to, from, size;

	reader_u64(r); /* pid, tid */
	to = reader_u64(r);
	from = reader_u64(r);
	reader_u64(r); /* the new place once more */
	size = reader_u64(r);
	p.start = to;
	if (!r->failed && p.size != 0 && h->last.start == from && size == p.size)
		keep(h, &p);
}

/* Walks all records once. */
static void
walk(struct hunt *h, uint64_t at)
{
	uint8_t bytes[MOVE_BYTES];

	for (unsigned i = 0; i < RECORDS_MAX && at < FILE_MAX; i++) {
		struct reader r = read_at(h, bytes, sizeof(bytes), at);
		uint32_t id = reader_u32(&r), size = reader_u32(&r);
		uint64_t time_ns = reader_u64(&r);

		if (r.failed || size < RECORD_BYTES)
			return;
		if (time_ns > h->until_ns)
			id = RECORD_NONE;
		if (id == CODE_LOAD && size > LOAD_BYTES)
			take_load(h, &r, at, size);
		else if (id == CODE_MOVE)
			take_move(h, &r);
		at += size;
	}
}

int
jit_dump_code(int fd, const struct jit_dump_ask *ask, struct jit_dump_found *out, struct err *err)
{
	struct hunt h = { .fd = fd, .addr = ask->addr, .name = ask->name,
			  .until_ns = ask->as_of_ns != 0 ? ask->as_of_ns : UINT64_MAX };
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
	out->is_named_otherwise = h.found.size == 0;
	h.name = NULL;
	if (h.found.size == 0)
		walk(&h, head);
	if (h.found.size == 0)
		return err_set(err, ERR_GONE, 0, ask->as_of_ns == 0
							 ? "its jitdump does not have that code"
							 : "its jitdump does not have that code of that time");
	out->start = h.found.start;
	out->len = (size_t)MIN(h.found.size, (uint64_t)LISTING_BYTES_MAX);
	out->code = mem_calloc(1, out->len);
	n = pread(fd, out->code, out->len, (off_t)h.found.at);
	if (n == (ssize_t)out->len)
		return 0;
	free(out->code);
	return err_set(err, ERR_GONE, 0, "its jitdump ends in that code");
}
