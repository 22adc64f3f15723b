/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/lane.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Waits for the pipe.  False: reading has to stop. */
static bool
may_read(const struct lane *lane)
{
	struct pollfd fds[] = {
		{ .fd = lane->wake_fd, .events = POLLIN },
		{ .fd = lane->fd, .events = POLLIN },
	};

	if (lane->is_regular)
		return true;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[0].revents == 0;
}

static ssize_t
read_lane(struct stream *s, void *data, size_t len)
{
	struct lane *lane = s->user;
	ssize_t n;

	len = (size_t)MIN(len, lane->end - lane->read_at);
	if (len == 0 || !may_read(lane))
		return 0;
	do {
		n = lane->is_regular ? pread(lane->fd, data, len, (off_t)lane->read_at)
				     : read(lane->fd, data, len);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		lane->read_at += (uint64_t)n;
	return n;
}

static uint64_t
skip(struct stream *s, uint64_t len)
{
	struct lane *lane = s->user;

	len = MIN(len, lane->end - lane->read_at);
	lane->read_at += len;
	return len;
}

static const struct stream_source regular = { .read = read_lane, .skip = skip };
static const struct stream_source piped = { .read = read_lane };

void
lane_init(struct lane *lane, struct chunks *chunks, int fd, bool swapped)
{
	*lane = (struct lane){ .fd = fd, .wake_fd = -1 };
	lane->file = (struct stream){ .user = lane, .chunks = chunks, .swapped = swapped };
}

void
lane_set_range(struct lane *lane, uint64_t begin, uint64_t end, bool is_regular)
{
	lane->is_regular = is_regular;
	lane->file.source = is_regular ? &regular : &piped;
	lane->file.at = lane->begin = lane->read_at = begin;
	lane->end = MAX(begin, end);
}

void
lane_release(struct lane *lane)
{
	stream_release(&lane->file);
	compressed_free(lane->compressed);
	close(lane->fd);
}

void
lane_decompress(struct lane *lane, struct bytes data, uint64_t at)
{
	if (lane->compressed == NULL)
		lane->compressed = compressed_new(lane->file.chunks, lane->file.swapped);
	compressed_feed(lane->compressed, data);
	lane->is_decompressing = true;
	lane->compressed_at = at;
}

void
lane_skip(struct lane *lane, uint64_t bytes)
{
	stream_skip(lane_stream(lane), bytes);
}

void
lane_keep(struct lane *lane, uint64_t bytes, struct buf *to)
{
	stream_keep(lane_stream(lane), bytes, to);
}

/* Whether something is missing at the end. */
static bool
is_cut(struct lane *lane)
{
	struct stream *z = lane->compressed ? compressed_stream(lane->compressed) : NULL;

	return stream_left(&lane->file) > 0 || lane->file.skip > 0 ||
	       (lane->is_regular && lane->read_at < lane->end) ||
	       (z != NULL && (stream_left(z) > 0 || z->skip > 0));
}

static void
tell_end(struct lane *lane, struct contents *c)
{
	if (!is_cut(lane))
		return;
	c->losses.is_truncated = true;
	c->losses.skipped_bytes += stream_left(&lane->file);
	contents_lose(c, lane->file.at, "it ends within a record");
}

static void
tell_broken(struct lane *lane, struct contents *c, struct stream *s)
{
	uint64_t at = lane_offset(lane);

	/* Nobody knows how much of a pipe is left. */
	c->losses.skipped_bytes += s == &lane->file && lane->is_regular
		? lane->end - MIN(lane->end, s->at) : stream_left(s);
	contents_lose(c, at, "a record of %u bytes cannot be, the rest is not read", s->bad_size);
}

bool
lane_next_decompressed(struct lane *lane, struct contents *c, struct record_pos *out)
{
	enum stream_result res = compressed_next(lane->compressed, out);

	if (res == STREAM_RECORD)
		return true;
	if (res == STREAM_BROKEN)
		tell_broken(lane, c, compressed_stream(lane->compressed));
	if (res == STREAM_FAILED)
		contents_lose(c, lane->compressed_at, "cannot decompress, the rest is not read: %s",
			      compressed_error(lane->compressed));
	if (res < 0)
		lane->has_ended = true;
	if (res < 0 && lane->is_regular)
		c->losses.skipped_bytes += lane->end - MIN(lane->end, lane->compressed_at);
	lane->is_decompressing = false;
	return false;
}

bool
lane_end(struct lane *lane, struct contents *c, enum stream_result res, int *sys)
{
	lane->has_ended = true;
	if (res == STREAM_FAILED)
		*sys = errno;
	else if (res == STREAM_BROKEN)
		tell_broken(lane, c, &lane->file);
	else
		tell_end(lane, c);
	return false;
}
