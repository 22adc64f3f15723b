/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/datafile.h"

#include "datafile/header.h"
#include "datafile/lane.h"
#include "datafile/order.h"
#include "datafile/own_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PENDING_MAX = (64 << 20) / CHUNK_BYTES, /* chunks, when no round ends */
	LANES_MAX = 4096, /* files of a directory */
	LINE_BYTES = 64,       /* a cache line */
	FETCH_BYTES_MAX = 256, /* of a record that is prefetched */
	NEAR_RUNS = 16,        /* merging more runs, the next record is hardly ever in the cache */
	PREFETCH_BYTES = 1024, /* ahead of the headers, which are read one by one */
};

struct datafile {
	struct contents contents;
	struct chunks chunks;
	struct order order;
	struct lane *lanes; /* one; of a directory one for each file */
	size_t lane_len;
	struct lane *lane;  /* the one that is read, NULL: all have ended */
	uint32_t last_chunk; /* of the record before */
	const struct order_entry *ready; /* to hand out; their chunks are held until all were */
	size_t ready_at, ready_len;
	struct order_entry at_once; /* a record that waits for no other */
	bool is_flushed;
	int wake_fd; /* see datafile_interrupt(); -1: there is none */
	int sys; /* errno that ended the reading */
	char *path;
};

/* Opens the file that has the header; *@dir is the perf.data directory, -1 if @path is a file. */
static int
open_first(const char *path, int *dir, struct stat *st, struct err *err)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					: open(path, flags);

	*dir = -1;
	if (fd >= 0 && fstat(fd, st) == 0 && S_ISDIR(st->st_mode)) {
		*dir = fd;
		fd = openat(*dir, "data", flags);
		if (fd >= 0)
			fstat(fd, st);
	}
	if (fd >= 0)
		return fd;
	if (*dir >= 0 && errno == ENOENT) {
		err_set(err, ERR_GONE, 0, "'%s' is a folder, and no recording: it holds no 'data'", path);
		return err_hint(err, "name a file, or a folder that perf record --threads made");
	}
	return err_set(err, errno == ENOENT ? ERR_GONE : ERR_IO, errno, "cannot open '%s%s'", path,
		       *dir >= 0 ? "/data" : "");
}

/* The other files of a directory, data.0, data.1 and so on: they have nothing but records. */
static void
open_others(struct datafile *f, int dir)
{
	char name[32];
	struct stat st;

	for (unsigned i = 0; i + 1 < LANES_MAX; i++) {
		struct lane *lane = &f->lanes[f->lane_len];
		int fd;

		snprintf(name, sizeof(name), "data.%u", i);
		fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0 && errno != ENOENT)
			contents_lose(&f->contents, 0, "cannot open '%s' of the directory: %s",
				      name, strerror(errno));
		if (fd < 0)
			break;
		if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
			close(fd);
			continue;
		}
		lane_init(lane, &f->chunks, fd, f->contents.info.is_swapped);
		lane_set_range(lane, 0, (uint64_t)st.st_size, true);
		f->lane_len++;
	}
}

/* Reads header, attributes and features: all that is no record. */
static int
open_contents(struct datafile *f, int fd, const struct stat *st, struct err *err)
{
	bool is_regular = S_ISREG(st->st_mode);
	uint64_t file_bytes = is_regular ? (uint64_t)st->st_size : UINT64_MAX, end;
	struct header h;

	if (header_read(&h, fd, file_bytes, &f->contents.info, err) < 0)
		return err_wrap(err, "cannot read '%s'", f->path);
	f->lane->file.swapped = f->contents.info.is_swapped;
	if (h.is_pipe) {
		lane_set_range(f->lane, HEADER_PIPE_BYTES, file_bytes, is_regular);
		return 0;
	}
	if (header_read_attrs(&h, fd, &f->contents, err) < 0)
		return err_wrap(err, "cannot read '%s'", f->path);
	header_read_features(&h, fd, &f->contents);
	/* perf was killed before it wrote the size: the records go on to the end of the file. */
	if (h.data.size == 0 || __builtin_add_overflow(h.data.at, h.data.size, &end))
		end = file_bytes;
	lane_set_range(f->lane, h.data.at, end, true);
	return 0;
}

struct datafile *
datafile_open(const char *path, struct err *err)
{
	struct datafile *f;
	struct stat st;
	int dir, res, fd = open_first(path, &dir, &st, err);

	if (fd < 0) {
		if (dir >= 0)
			close(dir);
		return NULL;
	}
	f = mem_calloc(1, sizeof(*f));
	f->path = mem_strdup(path);
	f->lanes = mem_calloc(dir >= 0 ? LANES_MAX : 1, sizeof(*f->lanes));
	f->lane = &f->lanes[f->lane_len++];
	lane_init(f->lane, &f->chunks, fd, false);
	f->wake_fd = f->lane->wake_fd = eventfd(0, EFD_CLOEXEC);
	res = open_contents(f, fd, &st, err);
	if (dir >= 0) {
		if (res == 0)
			open_others(f, dir);
		close(dir);
	}
	if (res == 0)
		return f;
	datafile_close(f);
	return NULL;
}

void
datafile_close(struct datafile *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->lane_len; i++)
		lane_release(&f->lanes[i]);
	order_release(&f->order);
	chunks_release(&f->chunks);
	contents_release(&f->contents);
	if (f->wake_fd >= 0)
		close(f->wake_fd);
	free(f->lanes);
	free(f->path);
	free(f);
}

void
datafile_interrupt(struct datafile *f)
{
	uint64_t one = 1;

	/* It can fail only where it has been done many times before. */
	(void)!write(f->wake_fd, &one, sizeof(one));
}

/*
 * Each file of a directory is in the order of time: reads on in the one that is furthest behind,
 * and hands out what is older than that.  The first file comes first: its records often have no
 * time.
 */
static void
choose_lane(struct datafile *f)
{
	f->lane = NULL;
	for (size_t i = 0; i < f->lane_len; i++) {
		struct lane *lane = &f->lanes[i];

		if (!lane->has_ended && (f->lane == NULL || lane->last_ns < f->lane->last_ns))
			f->lane = lane;
	}
	if (f->lane != NULL && f->lane_len > 1)
		order_flush(&f->order, f->lane->last_ns);
}

/*
 * Without sample_id_all only samples tell a time, and all else is handed out before those that wait: a
 * task would have ended before its samples.  An EXIT tells its time in its own content, too.
 */
static uint64_t
exit_time(const struct record_layout *layout, struct bytes bytes)
{
	struct record rec;

	if (layout->sample_id_all || record_decode(layout, bytes, &rec) != 1)
		return 0;
	return rec.task.time_ns;
}

/* The time of a kernel's record, 0: it carries none. */
static inline uint64_t
time_of(const struct record_layouts *l, struct bytes bytes)
{
	uint32_t event = 0;
	uint64_t time_ns;

	if (l->has_many_times)
		event = record_layouts_event(l, bytes);
	if (event >= l->len)
		return 0;
	time_ns = record_time(&l->items[event], bytes);
	if (time_ns == 0 && record_type(bytes) == PERF_RECORD_EXIT)
		time_ns = exit_time(&l->items[event], bytes);
	return time_ns > RECORD_TIME_MAX ? 0 : time_ns;
}

/* At each new chunk: hands out what waits if that is too much, and lets other lanes catch up. */
static void
chunk_begun(struct datafile *f, uint32_t chunk)
{
	f->last_chunk = chunk;
	if (f->lane_len > 1)
		choose_lane(f);
	else if (f->chunks.live > PENDING_MAX)
		order_flush_half(&f->order);
}

/*
 * The fast path: takes all samples up to the next record of another type.  Nearly all records are
 * samples, so as little as possible is done for each.
 */
static void
take_samples(struct datafile *f)
{
	struct stream *s = lane_stream(f->lane);
	const struct record_layouts *layouts = &f->contents.layouts;
	size_t time_at = layouts->len > 0 ? layouts->items[0].sample_time_at : 0;
	uint64_t time_ns, latest_ns = f->lane->last_ns;
	struct perf_event_header header;
	const uint8_t *data;
	uint32_t n = 0, pos = s->pos;

	if (time_at == 0 || layouts->has_many_times || s->swapped || s->skip > 0 || s->end == 0 ||
	    f->contents.has_new_tracing)
		return;
	for (data = f->chunks.items[s->chunk].data; s->end - pos >= sizeof(header); n++) {
		__builtin_prefetch(data + pos + PREFETCH_BYTES);
		memcpy(&header, data + pos, sizeof(header));
		if (header.type != PERF_RECORD_SAMPLE || header.size < time_at + 8 ||
		    header.size > s->end - pos || pos % 8 != 0)
			break;
		memcpy(&time_ns, data + pos + time_at, sizeof(time_ns));
		if (time_ns == 0 || time_ns > RECORD_TIME_MAX)
			break;
		order_push(&f->order, time_ns, (struct record_pos){ s->chunk, pos });
		latest_ns = MAX(latest_ns, time_ns);
		pos += header.size;
	}
	f->chunks.items[s->chunk].refs += n;
	f->lane->last_ns = latest_ns;
	s->at += pos - s->pos;
	s->pos = pos;
}

/* Takes one record of the lane.  True: it is handed out at once; false: it waits in the order. */
static bool
take_record(struct datafile *f, struct record_pos place, uint64_t at)
{
	struct bytes bytes = place_bytes(&f->chunks, place);
	uint32_t type = record_type(bytes);
	uint64_t time_ns;

	contents_name_tracepoints(&f->contents);
	if (!record_type_is_known(type))
		f->contents.losses.unknown_records++;
	if (type >= RECORD_USER_TYPE_FIRST) {
		if (own_record_apply(f->lane, &f->contents, bytes, at) && f->lane_len == 1)
			order_round(&f->order);
		return true;
	}
	time_ns = time_of(&f->contents.layouts, bytes);
	if (time_ns == 0)
		return true;
	chunk_hold(&f->chunks, place.chunk);
	if (type == PERF_RECORD_SAMPLE)
		order_push(&f->order, time_ns, place);
	else
		order_push_strict(&f->order, time_ns, place);
	f->lane->last_ns = MAX(f->lane->last_ns, time_ns);
	if (place.chunk != f->last_chunk)
		chunk_begun(f, place.chunk);
	return false;
}

/* Reads until there is something to hand out; false: all lanes have ended. */
static bool
read_on(struct datafile *f)
{
	struct record_pos place;
	uint64_t at;

	while (f->lane != NULL) {
		take_samples(f);
		at = lane_offset(f->lane);
		if (!lane_next(f->lane, &f->contents, &place, &f->sys)) {
			choose_lane(f);
		} else if (take_record(f, place, at)) {
			chunk_hold(&f->chunks, place.chunk);
			f->at_once = (struct order_entry){ 0, place };
			f->ready = &f->at_once;
			f->ready_len = 1;
			return true;
		}
		if (order_is_ready(&f->order))
			return true;
	}
	return false;
}

/* Drops the references of what was handed out: mostly of one chunk. */
static void
put_handed_out(struct datafile *f)
{
	size_t i = 0;

	while (i < f->ready_len) {
		uint32_t chunk = f->ready[i].place.chunk, n = 0;

		for (; i < f->ready_len && f->ready[i].place.chunk == chunk; i++)
			n++;
		chunk_put_many(&f->chunks, chunk, n);
	}
	f->ready_at = f->ready_len = 0;
}

/* Merged from many rings: records are far apart.  Most are as long as the first. */
static void
fetch_merged(const struct datafile *f)
{
	size_t len = MIN(place_bytes(&f->chunks, f->ready[0].place).len, FETCH_BYTES_MAX);

	for (size_t i = 0; i < f->ready_len; i++) {
		struct record_pos p = f->ready[i].place;

		/* Few begin at a cache line. */
		for (size_t at = 0; at < len + LINE_BYTES; at += LINE_BYTES)
			__builtin_prefetch(f->chunks.items[p.chunk].data + p.at + at);
	}
}

/* Makes the next records ready; false: there are none. */
static bool
make_ready(struct datafile *f)
{
	put_handed_out(f);
	for (;;) {
		if (f->ready_len == 0) {
			f->ready_len = order_next(&f->order, &f->ready, ORDER_NEXT_MAX);
			if (order_is_mixed(&f->order) && f->order.slice_len > NEAR_RUNS)
				fetch_merged(f);
		}
		if (f->ready_len > 0)
			return true;
		if (!read_on(f)) {
			if (f->is_flushed)
				return false;
			f->is_flushed = true;
			order_flush(&f->order, UINT64_MAX);
		}
	}
}

static inline int
hand_out(struct datafile *f, struct bytes *out, uint64_t *time_ns)
{
	const struct order_entry *e = &f->ready[f->ready_at++];

	*out = place_bytes(&f->chunks, e->place);
	*time_ns = e->time_ns;
	return 1;
}

/* Apart from datafile_next(), so that most of its calls save no registers. */
static __attribute__((noinline)) int
next_slow(struct datafile *f, struct bytes *out, uint64_t *time_ns, struct err *err)
{
	if (make_ready(f))
		return hand_out(f, out, time_ns);
	return f->sys == 0 ? 0 : err_set(err, ERR_IO, f->sys, "cannot read '%s'", f->path);
}

int
datafile_next(struct datafile *f, struct bytes *out, uint64_t *time_ns, struct err *err)
{
	if (f->ready_at < f->ready_len)
		return hand_out(f, out, time_ns);
	return next_slow(f, out, time_ns, err);
}

bool
datafile_ahead(const struct datafile *f, size_t ahead, struct bytes *out)
{
	if (ahead >= f->ready_len - f->ready_at)
		return false;
	*out = place_bytes(&f->chunks, f->ready[f->ready_at + ahead].place);
	return true;
}

void
datafile_set_loose(struct datafile *f, bool is_loose)
{
	f->order.is_loose = is_loose;
}

const struct record_layouts *
datafile_layouts(const struct datafile *f)
{
	return &f->contents.layouts;
}

const struct datafile_event *
datafile_events(const struct datafile *f, size_t *count)
{
	*count = f->contents.event_len;
	return f->contents.events;
}

const struct datafile_info *
datafile_info(const struct datafile *f)
{
	return &f->contents.info;
}

struct bytes
datafile_tracing_data(const struct datafile *f)
{
	return (struct bytes){ (const uint8_t *)f->contents.tracing.data, f->contents.tracing.len };
}

const struct datafile_losses *
datafile_losses(const struct datafile *f)
{
	return &f->contents.losses;
}

size_t
datafile_symbols(const struct datafile *f, const char *path, const struct datafile_symbol **symbols)
{
	const struct contents *c = &f->contents;

	for (size_t i = 0; i < c->file_len; i++) {
		if (strcmp(c->files[i].path, path) == 0) {
			*symbols = c->symbols + c->files[i].first;
			return c->files[i].count;
		}
	}
	return 0;
}

double
datafile_progress(const struct datafile *f)
{
	uint64_t done = 0, all = 0;

	for (size_t i = 0; i < f->lane_len; i++) {
		const struct lane *lane = &f->lanes[i];

		if (!lane->is_regular)
			return 0;
		done += lane->read_at - lane->begin;
		all += lane->end - lane->begin;
	}
	return all == 0 ? 1 : (double)done / (double)all;
}

size_t
datafile_build_id(const struct datafile *f, const char *path, uint8_t id[20])
{
	const struct build_id *b = contents_build_id(&f->contents, path);

	if (b == NULL)
		return 0;
	memcpy(id, b->id, 20);
	return b->len;
}

void
datafile_learn_build_id(struct datafile *f, const char *path, const uint8_t *id, size_t len)
{
	contents_learn_build_id(&f->contents, path, id, len);
}
