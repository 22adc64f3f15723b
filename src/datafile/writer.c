/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file:
 *
 *	header            104 bytes
 *	tables            two places of the same size, used in turn
 *	early features    host, clock, build-ids, tracing data, compression: as far as they are known
 *	                  at the first round
 *	records           the header's data section, its end that of the last round
 *	index             of the features: of the early ones until the file is closed
 *	features          when it is closed
 *
 * Nothing that the header points to is ever overwritten: new tables go to the other place, records
 * behind the end of the section.  The header is so short that it is written whole or not at all.
 * So the file is consistent at any moment.
 *
 * Only the index stands where the next records would: they begin behind it, and when they are to
 * be seen, its first bytes become the head of a FINISHED_ROUND that is as long, the rest its
 * content.  Between that and the header, perf would miss the early features; nothing else would.
 *
 * The places of the tables are wide: what is not used of them is a hole and takes no disk.
 */
#include "datafile/writer.h"

#include "base/deleted_file.h"
#include "base/file.h"
#include "datafile/packer.h"
#include "datafile/whole_records.h"
#include "datafile/write_ends.h"
#include "datafile/write_feature.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BUFFER_BYTES = 256 << 10,
	TABLE_BYTES_MIN = 64 << 10,
	TABLE_EVENTS = 64, /* a table has room for so many, with an id for each CPU */
	FEATURES_ROOM = 8 << 10, /* for the features that describe the machine */
};

struct file_header {
	uint64_t magic, size, attr_size;
	struct write_section attrs, data, event_types;
	uint64_t features[4];
};

_Static_assert(sizeof(struct file_header) == 104, "perf's struct perf_file_header");

/* The tables, as the header points to them. */
struct shown_table {
	struct write_section attrs;
	uint64_t attr_size;
};

struct writer {
	int fd;
	char *path;
	struct write_table table;
	struct writer_info origin;
	struct buf build_ids, tracing;
	uint8_t *buffer; /* whole records that are not written yet */
	size_t buffer_len;
	struct write_ends ends;
	uint64_t table_bytes; /* size of each of the two places */
	struct shown_table shown;
	bool is_first_place; /* the header points to the first of the two */
	bool is_table_new;   /* something was added since it was written */
	bool is_tracing_new; /* likewise */
	struct packer *packer; /* NULL: records are not compressed */
	struct write_section early[WRITE_FEATURES]; /* of features in front of the records */
	uint64_t early_bits;
	uint64_t data_at;
	uint64_t written;     /* bytes of records, and of the index that they continue behind */
	uint64_t round_bytes; /* how many of them the header includes */
	uint64_t round_samples; /* that are in them */
	uint64_t samples;     /* written so far; if compressed, put so far */
	bool has_begun;   /* data_at is final */
	bool has_records; /* in this round */
	bool has_failed;
	struct err failure;
};

static const struct perf_event_header round_end = {
	.type = RECORD_PERF_FINISHED_ROUND, .size = sizeof(round_end),
};

static uint64_t
page_align(uint64_t bytes)
{
	uint64_t page = page_size();

	return (bytes + page - 1) / page * page;
}

/* Takes the descriptor; -1: see @err. */
static struct writer *
write_to(int fd, const char *path, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct writer *w;

	if (fd < 0)
		return NULL;
	if (lseek(fd, 0, SEEK_CUR) < 0) {
		err_set(err, ERR_IO, 0, "cannot write '%s' as a recording: it is no regular file", path);
		err_hint(err, "its header is written last: name a regular file");
		close(fd);
		return NULL;
	}
	w = mem_calloc(1, sizeof(*w));
	w->fd = fd;
	w->path = mem_strdup(path);
	w->buffer = mem_realloc(NULL, BUFFER_BYTES, 1);
	w->table_bytes = TABLE_EVENTS * (sizeof(struct event_attr) + sizeof(struct write_section) +
					 (uint64_t)MAX(cpus, 1) * sizeof(uint64_t));
	w->table_bytes = page_align(MAX(w->table_bytes, TABLE_BYTES_MIN));
	w->data_at = 2 * w->table_bytes;
	w->is_table_new = true;
	return w;
}

struct writer *
writer_new(const char *path, bool force, struct err *err)
{
	return write_to(file_create(path, force, err), path, err);
}

struct writer *
writer_new_own(const char *path, struct err *err)
{
	return write_to(file_create_own(path, err), path, err);
}

void
writer_compress(struct writer *w)
{
	w->packer = packer_new();
}

static void
writer_free(struct writer *w)
{
	packer_free(w->packer);
	write_ends_release(&w->ends);
	write_table_release(&w->table);
	buf_release(&w->build_ids);
	buf_release(&w->tracing);
	free(w->buffer);
	free(w->path);
	free(w);
}

uint32_t
writer_event(struct writer *w, const char *name, const struct event_attr *attr)
{
	w->is_table_new = true;
	return write_table_add(&w->table, name, attr);
}

void
writer_group(struct writer *w, uint32_t first, uint32_t len)
{
	if (first + (uint64_t)len <= w->table.event_len)
		w->table.events[first].group_len = len;
}

void
writer_id(struct writer *w, uint32_t event, uint64_t id)
{
	if (write_table_add_id(&w->table, event, id))
		w->is_table_new = true;
}

void
writer_build_id(struct writer *w, uint16_t misc, int pid, const char *path,
			 const uint8_t *id, size_t len)
{
	write_build_id(&w->build_ids, misc, pid, path, id, len);
}

void
writer_origin(struct writer *w, const struct writer_info *info)
{
	w->origin = *info;
}

void
writer_tracing_data(struct writer *w, const void *data, size_t len)
{
	buf_reset(&w->tracing);
	buf_add(&w->tracing, data, len);
	w->is_tracing_new = true;
}

/* How many bytes were written; less than @len: see errno. */
static size_t
write_some(const struct writer *w, const void *data, size_t len, uint64_t at)
{
	const uint8_t *p = data;
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(w->fd, p + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ENOSPC : errno;
			break;
		}
		done += (size_t)n;
	}
	return done;
}

/* 0, or -1 with errno. */
static int
write_at(const struct writer *w, const void *data, size_t len, uint64_t at)
{
	return write_some(w, data, len, at) == len ? 0 : -1;
}

static int
write_header(const struct writer *w, const struct shown_table *shown,
	     uint64_t data_bytes, uint64_t features)
{
	struct file_header h = {
		.magic = UINT64_C(0x32454c4946524550), /* "PERFILE2" */
		.size = sizeof(h),
		.attr_size = shown->attr_size,
		.attrs = shown->attrs,
		.data = { w->data_at, data_bytes },
		.features = { features },
	};

	return write_at(w, &h, sizeof(h), 0);
}

/* The size of the index that is behind the records until the file is closed. */
static uint64_t
early_index_bytes(const struct writer *w)
{
	return (uint64_t)__builtin_popcountll(w->early_bits) * sizeof(w->early[0]);
}

static int
write_index(const struct writer *w, uint64_t data_bytes)
{
	return write_at(w, w->early, early_index_bytes(w), w->data_at + data_bytes);
}

/* Adds the tables to @b, to be written to @at. */
static struct shown_table
put_table(const struct writer *w, struct buf *b, uint64_t at, uint64_t room)
{
	struct write_section attrs = write_table_put(&w->table, b, at, room);

	return (struct shown_table){
		attrs, write_table_attr_size(&w->table) + sizeof(struct write_section)
	};
}

/* Of one place; the header shares the first. */
static uint64_t
table_room(const struct writer *w)
{
	return w->table_bytes - sizeof(struct file_header);
}

/* Writes the tables to the place that the header does not point to. */
static int
write_table(const struct writer *w, struct shown_table *shown)
{
	uint64_t at = w->is_first_place ? w->table_bytes : sizeof(struct file_header);
	struct buf b = { 0 };
	int res;

	*shown = put_table(w, &b, at, table_room(w));
	res = write_at(w, buf_str(&b), b.len, at);
	buf_release(&b);
	return res;
}

static void
table_is_shown(struct writer *w, const struct shown_table *shown)
{
	w->shown = *shown;
	w->is_first_place = !w->is_first_place;
	w->is_table_new = false;
}

/* Writes what is in front of the records. */
static int
begin(struct writer *w)
{
	const struct write_facts facts = {
		.info = &w->origin, .build_ids = &w->build_ids, .tracing = &w->tracing,
		.packer = w->packer,
	};
	struct buf front = { 0 };
	int res;

	if (w->has_begun)
		return 0;
	w->early_bits = write_early_features(&front, w->data_at, &facts, w->early);
	res = write_at(w, buf_str(&front), front.len, w->data_at);
	if (res == 0) {
		w->is_tracing_new = false;
		w->data_at += page_align(front.len);
		w->has_begun = true;
	} else {
		w->early_bits = 0;
	}
	buf_release(&front);
	return res;
}

/* Bytes that must follow the records that are kept, with slack: both parts may cut a page. */
static uint64_t
room_behind(const struct writer *w)
{
	uint64_t table = write_table_bytes(&w->table);

	return page_align(table) + page_align(FEATURES_ROOM + table + w->build_ids.len +
					      (w->is_tracing_new ? w->tracing.len : 0)) +
	       page_size();
}

static int
flush(struct writer *w)
{
	struct write_end begins;
	uint64_t samples;
	size_t n;

	if (begin(w) < 0)
		return -1;
	begins = (struct write_end){ w->written, w->samples };
	n = write_some(w, w->buffer, w->buffer_len, w->data_at + w->written);
	write_ends_set_block(&w->ends, begins, n);
	if (n < w->buffer_len)
		return -1;
	if (w->packer == NULL) {
		w->ends.before = write_ends_last(&w->ends, w->buffer, room_behind(w), &samples);
		w->samples += samples;
	}
	w->written += w->buffer_len;
	w->buffer_len = 0;
	return 0;
}

/* No record is in two blocks: if a block cannot be written, the file ends before it. */
static int
append(struct writer *w, const void *records, size_t len)
{
	const uint8_t *from = records;

	while (len > 0) {
		size_t n = len <= BUFFER_BYTES ? len : whole_records(from, BUFFER_BYTES);

		if (w->buffer_len + n > BUFFER_BYTES && flush(w) < 0)
			return -1;
		memcpy(w->buffer + w->buffer_len, from, n);
		w->buffer_len += n;
		from += n;
		len -= n;
	}
	return 0;
}

/* All that was put can be decompressed: a file may end behind it. */
static int
put_packed(struct writer *w, const void *records, size_t len)
{
	struct buf packed = { 0 };
	int res;

	packer_add(w->packer, records, len, &packed);
	packer_flush(w->packer, &packed);
	res = append(w, packed.data, packed.len);
	buf_release(&packed);
	if (res < 0)
		return -1;
	w->samples += whole_records_sum(records, len, 0, NULL).samples;
	write_ends_add_packed(&w->ends,
			      (struct write_end){ w->written + w->buffer_len, w->samples });
	return 0;
}

static int
put_records(struct writer *w, const void *records, size_t len)
{
	return w->packer != NULL ? put_packed(w, records, len) : append(w, records, len);
}

/* Makes all before @end visible. */
static int
show(struct writer *w, uint64_t end, uint64_t samples)
{
	struct perf_event_header over_index = {
		.type = RECORD_PERF_FINISHED_ROUND,
		.size = (uint16_t)early_index_bytes(w),
	};
	bool has_index = w->early_bits != 0, is_more = end > w->round_bytes;
	struct shown_table shown = w->shown;

	if (has_index && is_more && write_index(w, end) < 0)
		return -1;
	if (w->is_table_new && write_table(w, &shown) < 0)
		return -1;
	if (has_index && is_more && w->round_bytes > 0 &&
	    write_at(w, &over_index, sizeof(over_index), w->data_at + w->round_bytes) < 0)
		return -1;
	if (write_header(w, &shown, end, w->early_bits) < 0)
		return -1;
	if (w->is_table_new)
		table_is_shown(w, &shown);
	if (is_more)
		w->written = end + early_index_bytes(w);
	w->round_bytes = end;
	w->round_samples = samples;
	w->ends.packed_len = 0;
	w->has_records = false;
	return 0;
}

/* Takes back what was written since the last round, as far as possible. */
static void
cut(struct writer *w)
{
	uint64_t end = w->data_at + w->round_bytes;

	w->buffer_len = 0;
	w->has_records = false;
	w->written = w->round_bytes;
	if (w->round_bytes == 0) {
		(void)!ftruncate(w->fd, 0); /* it has no header yet */
		return;
	}
	(void)!ftruncate(w->fd, (off_t)(end + early_index_bytes(w)));
	(void)!write_index(w, w->round_bytes);
}

/*
 * The disk is full, and most of a long round is on it.  It is kept, but for the room that tables
 * and features need: without them the rest could not be read.
 */
static void
salvage(struct writer *w)
{
	uint64_t room = room_behind(w), samples;
	struct write_end last = w->packer == NULL
					? write_ends_last(&w->ends, w->buffer, room, &samples)
					: write_ends_last_packed(&w->ends, room);

	if (w->has_begun && last.at > w->round_bytes + early_index_bytes(w) &&
	    ftruncate(w->fd, (off_t)(w->data_at + last.at)) == 0)
		(void)!show(w, last.at, last.samples);
	cut(w);
}

static int
failed_before(const struct writer *w, struct err *err)
{
	if (err != NULL)
		*err = w->failure;
	return -1;
}

/* To be called when it is known what is left. */
static void
note_failure(struct writer *w, int sys)
{
	static const struct {
		int sys;
		const char *remedy;
	} remedies[] = {
		{ ENOSPC, "make room, or record to another disk" },
		{ EDQUOT, "make room, or record to another disk" },
		{ EFBIG, "ulimit -f, or the file system, allows no longer file" },
	};
	const char *kept = w->round_bytes > 0 ? "it can be read as far as it goes; " : "";

	if (w->has_failed)
		return;
	err_set(&w->failure, ERR_IO, sys, "cannot write '%s'", w->path);
	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
		if (remedies[i].sys == sys)
			err_hint(&w->failure, "%s%s", kept, remedies[i].remedy);
	w->has_failed = true;
}

static int
fail(struct writer *w, int sys, struct err *err)
{
	salvage(w);
	note_failure(w, sys);
	return failed_before(w, err);
}

int
writer_put(struct writer *w, const void *records, size_t len, struct err *err)
{
	if (w->has_failed)
		return failed_before(w, err);
	if (put_records(w, records, len) < 0)
		return fail(w, errno, err);
	w->has_records = w->has_records || len > 0;
	return 0;
}

static int
end_round(struct writer *w)
{
	bool is_first = w->round_bytes == 0;

	if (begin(w) < 0)
		return -1;
	/*
	 * An index that follows will end the round.  But the first round cannot be empty: readers
	 * take a data section of size 0 to mean that all up to the end of the file is records.
	 */
	if (w->has_records ? w->early_bits == 0 : is_first)
		if (append(w, &round_end, sizeof(round_end)) < 0)
			return -1;
	if (flush(w) < 0)
		return -1;
	return show(w, w->has_records || is_first ? w->written : w->round_bytes, w->samples);
}

int
writer_round(struct writer *w, struct err *err)
{
	if (w->has_failed)
		return failed_before(w, err);
	if (!w->has_records && !w->is_table_new && w->round_bytes > 0)
		return 0;
	return end_round(w) < 0 ? fail(w, errno, err) : 0;
}

/* Writes the features, tables that were too long until now, and last the header. */
static int
finish(struct writer *w, struct write_facts *facts)
{
	uint64_t at = w->data_at + w->round_bytes, features;
	struct shown_table shown = w->shown;
	struct buf b = { 0 };
	int res = 0;

	features = write_features(&b, at, facts);
	if (write_table_bytes(&w->table) > table_room(w)) {
		buf_add_fill(&b, 0, -b.len & 7);
		shown = put_table(w, &b, at + b.len, UINT64_MAX);
	} else if (w->is_table_new) {
		res = write_table(w, &shown);
	}
	if (res == 0)
		res = write_at(w, buf_str(&b), b.len, at);
	if (res == 0)
		res = write_header(w, &shown, w->round_bytes, features);
	buf_release(&b);
	return res;
}

/* All of it is in a file again. */
static void
restore(struct writer *w)
{
	off_t bytes = lseek(w->fd, 0, SEEK_END);
	struct err err = { 0 };

	if (bytes < 0)
		err_set(&err, ERR_IO, errno, "cannot write '%s'", w->path);
	if (bytes < 0 || deleted_file_restore(w->fd, bytes, w->path, &err) < 0)
		err_hint(&err, "the file was deleted while it was written, and is lost");
	if (!w->has_failed)
		w->failure = err;
	w->has_failed = true;
}

int
writer_close(struct writer *w, const struct writer_info *info,
		      uint64_t first_ns, uint64_t last_ns, struct err *err)
{
	struct write_facts facts = {
		.info = info, .table = &w->table,
		.build_ids = &w->build_ids, .tracing = &w->tracing, .packer = w->packer,
		.first_ns = first_ns, .last_ns = last_ns,
	};
	int res;

	writer_round(w, NULL); /* a failure is kept */
	if (!w->is_tracing_new && (w->early_bits & WRITE_TRACING_DATA))
		facts.tracing_in = w->early[0];
	if (w->round_bytes > 0 && finish(w, &facts) < 0) {
		note_failure(w, errno);
		cut(w);
	}
	if (w->has_failed && w->round_bytes == 0)
		file_remove_made(w->fd, w->path); /* nothing is in it */
	else if (deleted_file_is_one(w->fd))
		restore(w);
	if (close(w->fd) < 0)
		note_failure(w, errno);
	res = w->has_failed ? failed_before(w, err) : 0;
	writer_free(w);
	return res;
}

uint64_t
writer_bytes(const struct writer *w)
{
	return w->written + w->buffer_len;
}

uint64_t
writer_samples(const struct writer *w)
{
	return w->round_samples;
}
