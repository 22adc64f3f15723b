/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING_SIZE = 256 * 1024, READ_MAX = 64 * 1024 };

void
output_read(struct output *o, int fd)
{
	size_t at = (size_t)(o->written % RING_SIZE);
	ssize_t n;

	if (o->ring == NULL)
		o->ring = mem_calloc(1, RING_SIZE);
	n = read(fd, o->ring + at, MIN((size_t)READ_MAX, RING_SIZE - at));
	if (n > 0) {
		o->written += (uint64_t)n;
		o->fresh = true;
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		o->closed = true;
	}
}

void
output_take(struct output *o, struct buf *b)
{
	size_t at = (size_t)(o->written % RING_SIZE), start = b->len;
	const char *nl;

	o->fresh = false;
	if (o->ring == NULL)
		return;
	if (o->written <= RING_SIZE) {
		buf_add(b, o->ring, (size_t)o->written);
		return;
	}
	buf_add(b, o->ring + at, RING_SIZE - at);
	buf_add(b, o->ring, at);
	nl = memchr(b->data + start, '\n', b->len - start);
	if (nl != NULL) {
		size_t cut = (size_t)(nl + 1 - (b->data + start));

		memmove(b->data + start, b->data + start + cut, b->len - start - cut + 1);
		b->len -= cut;
	}
}

void
output_release(struct output *o)
{
	free(o->ring);
	*o = (struct output){ 0 };
}
