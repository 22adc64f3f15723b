/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/jit/jit_batch.h"

#include <inttypes.h>

enum {
	HEADER_BYTES = 40,
	HEADER_BYTES_MAX = 4096,
	RECORD_BYTES = 16, /* of a record's own header */
	VERSION_MAX = 2,   /* which has one more record type than the first */
	FLAG_ARCH_TIMESTAMP = 1,
};

#define MAGIC UINT32_C(0x4a695444)

enum record_id {
	CODE_LOAD,
	CODE_MOVE,
	CODE_DEBUG_INFO,
	CODE_CLOSE,
	CODE_UNWINDING_INFO,
	RECORD_IDS,
};

static int
read_header(struct jitdump *d, struct bytes b, uint64_t left, uint64_t *done, struct err *err)
{
	struct reader r = reader_over(b);
	uint32_t magic = reader_u32(&r), version, size;
	uint64_t flags;

	if (left < HEADER_BYTES)
		return 0;
	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return err_set(err, ERR_FORMAT, 0, "not a jitdump: it begins with 0x%08" PRIx32,
			       magic);
	d->swap = r.swap = magic != MAGIC;
	version = reader_u32(&r);
	size = reader_u32(&r);
	reader_u32(&r); /* the machine's ELF number */
	reader_u32(&r); /* padding */
	d->pid = reader_u32(&r);
	reader_u64(&r); /* when it was made */
	flags = reader_u64(&r);
	if (version == 0 || version > VERSION_MAX)
		return err_set(err, ERR_UNSUPPORTED, 0, "a jitdump of version %" PRIu32, version);
	if (size < HEADER_BYTES || size > HEADER_BYTES_MAX)
		return err_set(err, ERR_FORMAT, 0, "a jitdump with a header of %" PRIu32 " bytes",
			       size);
	if (flags & FLAG_ARCH_TIMESTAMP) {
		err_set(err, ERR_UNSUPPORTED, 0, "a jitdump whose times are of the CPU's own clock");
		return err_hint(err, "have the runtime write them by CLOCK_MONOTONIC");
	}
	if (size > left)
		return 0;
	d->has_header = true;
	*done = size;
	return 0;
}

/* What a record says.  false: it makes no sense. */
static bool
read_load(struct jitdump *d, struct reader *r, struct jit_change *c, struct jit_batch *out)
{
	const uint8_t *name, *end;

	(void)d;
	reader_u64(r); /* pid, tid */
	c->start = reader_u64(r);
	reader_u64(r); /* where the code was when it was written down */
	c->size = reader_u64(r);
	reader_u64(r); /* its number */
	name = r->pos;
	end = memchr(name, '\0', reader_left(r));
	if (r->failed)
		return false;
	if (c->size == 0)
		return true; /* functions without code are allowed */
	return jit_code_is_sane(c->start, c->size) &&
	       jit_batch_add(out, c, (const char *)name,
			     end != NULL ? (size_t)(end - name) : reader_left(r));
}

static bool
read_move(struct jitdump *d, struct reader *r, struct jit_change *c, struct jit_batch *out)
{
	(void)d;
	reader_u64(r); /* pid, tid */
	c->start = reader_u64(r);
	c->old = reader_u64(r);
	reader_u64(r); /* again the new place */
	c->size = reader_u64(r);
	reader_u64(r); /* its number */
	c->is_moved = true;
	return !r->failed && jit_code_is_sane(c->start, c->size) && jit_batch_add(out, c, "", 0);
}

static bool
read_close(struct jitdump *d, struct reader *r, struct jit_change *c, struct jit_batch *out)
{
	(void)r;
	(void)c;
	(void)out;
	d->is_closed = true;
	return true;
}

/* Source lines and unwinding tables are not used; what is not here is passed over as well. */
static bool (*const takers[RECORD_IDS])(struct jitdump *d, struct reader *r, struct jit_change *c,
					struct jit_batch *out) = {
	[CODE_LOAD] = read_load,
	[CODE_MOVE] = read_move,
	[CODE_CLOSE] = read_close,
};

/*
 * One record, of which @b has the begin.  Returns its size, 0 if it is not all written yet, or if
 * its name may go on behind @b, which does not begin with it; -1: there is no telling where the
 * next one is.
 */
static int64_t
read_record(struct jitdump *d, struct bytes b, uint64_t left, bool is_first, struct jit_batch *out)
{
	struct reader r = reader_over_swapped(b, d->swap);
	uint32_t id = reader_u32(&r), size = reader_u32(&r);
	struct jit_change c = { .time_ns = reader_u64(&r) };

	if (r.failed || (size >= RECORD_BYTES && size > left))
		return 0;
	if (!is_first && b.len < JITDUMP_LEAST && b.len < MIN((uint64_t)size, left))
		return 0;
	if (size < RECORD_BYTES)
		return -1;
	r.end = b.data + MIN(b.len, (size_t)size);
	if (id < RECORD_IDS && takers[id] != NULL && !takers[id](d, &r, &c, out))
		d->broken++;
	return size;
}

int
jitdump_read(struct jitdump *d, struct bytes b, uint64_t left, struct jit_batch *out,
	     uint64_t *done, struct err *err)
{
	int64_t size;

	*done = 0;
	if (!d->has_header && (read_header(d, b, left, done, err) < 0))
		return -1;
	while (d->has_header && *done < b.len && !jit_batch_is_full(out)) {
		struct bytes rest = { b.data + *done, b.len - (size_t)*done };

		size = read_record(d, rest, left - *done, *done == 0, out);
		if (size < 0)
			return err_set(err, ERR_FORMAT, 0,
				       "a jitdump with a record that makes no sense");
		if (size == 0)
			break;
		*done += (uint64_t)size;
	}
	return 0;
}
