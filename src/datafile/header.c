/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/header.h"

#include "datafile/feature.h"
#include "datafile/swap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" */

enum {
	HEADER_BYTES = 104,
	HEADER_OLD_BYTES = 72, /* without features */
	SECTION_BYTES = 16,
	ATTR_SIZE_MAX = 4096,
	PART_MAX = 64 << 20, /* of what is read in one piece: only records are longer */
	FEATURE_HOSTNAME = 3,
};

/* Reads up to @len bytes at @at; of a pipe, the next ones. */
static ssize_t
read_part(int fd, bool is_pipe, uint64_t at, void *data, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		uint8_t *to = (uint8_t *)data + done;

		n = is_pipe ? read(fd, to, len - done)
			    : pread(fd, to, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* A part of a file in new memory, cut at the end of the file.  Free its data with free(). */
static struct bytes
load_part(const struct header *h, int fd, uint64_t at, uint64_t size)
{
	size_t len = (size_t)MIN(size, at < h->file_bytes ? h->file_bytes - at : 0);
	uint8_t *data;
	ssize_t n;

	len = MIN(len, PART_MAX);
	data = mem_realloc(NULL, len + 1, 1);
	n = read_part(fd, false, at, data, len);
	return (struct bytes){ data, n < 0 ? 0 : (size_t)n };
}

/* The byte order.  The magic of the first version does not tell: the header's size does. */
static int
check_magic(const uint8_t *data, uint64_t attr_size, bool *swapped)
{
	uint64_t magic;

	memcpy(&magic, data, sizeof(magic));
	if (memcmp(data, "PERFFILE", 8) == 0)
		*swapped = attr_size > ATTR_SIZE_MAX;
	else if (magic == MAGIC || magic == __builtin_bswap64(MAGIC))
		*swapped = magic != MAGIC;
	else
		return -1;
	return 0;
}

static struct header_section
take_section(struct reader *r, bool swapped)
{
	struct header_section s;

	s.at = take_u64(r, swapped);
	s.size = take_u64(r, swapped);
	return s;
}

/*
 * The features are a bitmap of unsigned longs: on a machine of the other byte order these may have
 * had 32 bits.  Every perf writes the host's name, so its bit tells which.
 */
static void
take_features(struct header *h, struct reader *r, bool swapped)
{
	bool is_narrow;

	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++)
		h->features[i] = take_u64(r, swapped);
	is_narrow = swapped && (h->features[0] & 1 << FEATURE_HOSTNAME) == 0 &&
		    (h->features[0] >> 32 & 1 << FEATURE_HOSTNAME) != 0;
	for (size_t i = 0; i < ARRAY_SIZE(h->features) && is_narrow; i++)
		h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
}

/* The rest of the header of a file that is not of the pipe format. */
static int
take_rest(struct header *h, struct bytes bytes, struct datafile_info *info, struct err *err)
{
	struct reader r = reader_over(bytes);
	bool swapped = info->is_swapped;

	reader_bytes(&r, HEADER_PIPE_BYTES);
	h->attr_size = take_u64(&r, swapped);
	h->attrs = take_section(&r, swapped);
	h->data = take_section(&r, swapped);
	take_section(&r, swapped); /* names of events, of the first version */
	if (h->size < HEADER_OLD_BYTES || r.failed)
		return err_set(err, ERR_FORMAT, 0, "at offset 8: the header of %" PRIu64
			       " bytes is cut", h->size);
	if (h->attr_size < ABI_ATTR_SIZE_MIN + SECTION_BYTES || h->attr_size > ATTR_SIZE_MAX)
		return err_set(err, ERR_FORMAT, 0, "at offset 16: attributes of %" PRIu64
			       " bytes cannot be", h->attr_size);
	if (h->data.at < HEADER_OLD_BYTES || h->data.at > h->file_bytes)
		return err_set(err, ERR_FORMAT, 0, "at offset 40: its records begin at %" PRIu64
			       ", outside of the file", h->data.at);
	if (h->size >= HEADER_BYTES && reader_left(&r) >= sizeof(h->features))
		take_features(h, &r, swapped);
	info->is_simpleperf = (h->features[2] | h->features[3]) != 0;
	return 0;
}

int
header_read(struct header *h, int fd, uint64_t file_bytes, struct datafile_info *info,
	    struct err *err)
{
	bool from_pipe = file_bytes == UINT64_MAX;
	uint8_t data[HEADER_BYTES] = { 0 };
	uint64_t attr_size;
	ssize_t n = read_part(fd, from_pipe, 0, data, from_pipe ? HEADER_PIPE_BYTES : HEADER_BYTES);

	*h = (struct header){ .file_bytes = file_bytes };
	if (n < 0)
		return err_set(err, ERR_IO, errno, "its header");
	memcpy(&attr_size, data + HEADER_PIPE_BYTES, sizeof(attr_size));
	if (n < HEADER_PIPE_BYTES || check_magic(data, attr_size, &info->is_swapped) < 0)
		return err_set(err, ERR_FORMAT, 0, "at offset 0: it is not a recording of perf");
	memcpy(&h->size, data + 8, sizeof(h->size));
	h->size = swap_u64(h->size, info->is_swapped);
	h->is_pipe = info->is_pipe = h->size == HEADER_PIPE_BYTES;
	if (h->is_pipe)
		return 0;
	if (from_pipe) {
		err_set(err, ERR_FORMAT, 0, "at offset 8: this format cannot come through a pipe");
		return err_hint(err, "record with: perf record -o -");
	}
	return take_rest(h, (struct bytes){ data, (size_t)n }, info, err);
}

int
header_read_attrs(const struct header *h, int fd, struct contents *c, struct err *err)
{
	struct bytes table = load_part(h, fd, h->attrs.at, h->attrs.size), ids;
	struct reader r = reader_over(table);
	uint64_t ids_left = h->file_bytes; /* a bound: all sections could be one and the same */

	while (reader_left(&r) >= h->attr_size) {
		struct bytes attr = { reader_bytes(&r, (size_t)h->attr_size),
				      (size_t)h->attr_size - SECTION_BYTES };
		struct reader end = reader_over((struct bytes){ attr.data + attr.len,
								SECTION_BYTES });
		struct header_section s = take_section(&end, c->info.is_swapped);

		ids = load_part(h, fd, s.at, MIN(s.size, ids_left));
		ids_left -= ids.len;
		if (ids.len < s.size)
			contents_lose(c, s.at, "the ids of an event are cut");
		contents_add_event(c, attr, ids);
		free((void *)(uintptr_t)ids.data);
	}
	free((void *)(uintptr_t)table.data);
	if (c->event_len == 0)
		return err_set(err, ERR_FORMAT, 0, "at offset %" PRIu64 ": it has no events",
			       h->attrs.at);
	return 0;
}

static struct header_section
load_section(const struct header *h, int fd, uint64_t at, bool swapped)
{
	struct bytes part = load_part(h, fd, at, SECTION_BYTES);
	struct reader r = reader_over(part);
	struct header_section s = take_section(&r, swapped);

	if (r.failed)
		s = (struct header_section){ at, SECTION_BYTES }; /* cut as well */
	free((void *)(uintptr_t)part.data);
	return s;
}

void
header_read_features(const struct header *h, int fd, struct contents *c)
{
	uint64_t at = h->data.at + h->data.size;

	/* A perf that was killed wrote neither features nor the size of the records. */
	if (h->data.size == 0 || at < h->data.at || at >= h->file_bytes)
		return;
	for (unsigned bit = 0; bit < 64 * ARRAY_SIZE(h->features); bit++) {
		struct header_section s;
		struct bytes part;

		if ((h->features[bit / 64] >> bit % 64 & 1) == 0)
			continue;
		if (feature_is_taken(bit)) {
			s = load_section(h, fd, at, c->info.is_swapped);
			part = load_part(h, fd, s.at, s.size);
			if (part.len < s.size || !feature_read(c, bit, part))
				contents_lose(c, s.at, "perf's feature %u is cut", bit);
			free((void *)(uintptr_t)part.data);
		}
		at += SECTION_BYTES;
	}
}
