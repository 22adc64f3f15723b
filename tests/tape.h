/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_TAPE_H
#define PTOP_TESTS_TAPE_H
/* Recordings that are written down, for the reader of files.  For tests only. */
#include "base/buf.h"
#include "datafile/datafile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum {
	ROUND = 68, ATTR = 64, UPDATE = 78, FEATURE = 80, COMPRESSED = 81, COMPRESSED2 = 83,
	TRACING_DATA = 66, AUXTRACE = 71, BUILD_ID = 67,
	ATTR_BYTES = 80,
	SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	SAMPLE_BYTES = 40,
	FLAG_USER_ONLY = 1 << 5 | 1 << 6,
	FLAG_FREQ = 1 << 10, FLAG_PRECISE_LOW = 1 << 15, FLAG_PRECISE_HIGH = 1 << 16,
	FLAG_NO_GUEST = 1 << 20,
};

/* A recording that is being written, in either byte order. */
struct tape {
	struct buf b;
	bool swapped;
};

static inline void
put16(struct tape *t, uint16_t v)
{
	v = t->swapped ? __builtin_bswap16(v) : v;
	buf_add(&t->b, &v, 2);
}

static inline void
put32(struct tape *t, uint32_t v)
{
	v = t->swapped ? __builtin_bswap32(v) : v;
	buf_add(&t->b, &v, 4);
}

static inline void
put64(struct tape *t, uint64_t v)
{
	v = t->swapped ? __builtin_bswap64(v) : v;
	buf_add(&t->b, &v, 8);
}

static inline void
put_header(struct tape *t, uint32_t type, uint16_t misc, size_t size)
{
	put32(t, type);
	put16(t, misc);
	put16(t, (uint16_t)size);
}

/* Bit-fields: where the byte order is the other one, so is that of the bits in each byte. */
static inline void
put_flags(struct tape *t, uint64_t flags)
{
	for (unsigned i = 0; i < 64; i += 8) {
		uint8_t byte = 0;

		for (unsigned k = 0; k < 8; k++)
			if (flags >> (i + k) & 1)
				byte |= (uint8_t)(1u << (t->swapped ? 7 - k : k));
		buf_add(&t->b, &byte, 1);
	}
}

static inline void
put_attr(struct tape *t, uint32_t type, uint64_t config, uint64_t flags)
{
	put32(t, type);
	put32(t, ATTR_BYTES);
	put64(t, config);
	put64(t, 4000);
	put64(t, SAMPLE_TYPE);
	put64(t, 0);
	put_flags(t, flags);
	buf_add_fill(&t->b, 0, ATTR_BYTES - 48);
}

static inline void
put_sample(struct tape *t, uint64_t id, uint64_t ip, uint64_t time_ns)
{
	put_header(t, PERF_RECORD_SAMPLE, 2, SAMPLE_BYTES);
	put64(t, id);
	put64(t, ip);
	put32(t, 100);
	put32(t, 101);
	put64(t, time_ns);
}

/* A comm record as perf makes them up: without a time. */
static inline void
put_comm(struct tape *t)
{
	put_header(t, PERF_RECORD_COMM, 0, 24);
	put32(t, 100);
	put32(t, 100);
	buf_add(&t->b, "load\0\0\0", 8);
}

static inline void
put_text(struct tape *t, const char *text)
{
	uint32_t len = ((uint32_t)strlen(text) + 64) / 64 * 64;

	put32(t, len);
	buf_add_str(&t->b, text);
	buf_add_fill(&t->b, 0, len - strlen(text));
}

enum { IDS_AT = 104, ATTRS_AT = IDS_AT + 16, DATA_AT = ATTRS_AT + 2 * (ATTR_BYTES + 16) };

/* The begin of a file with two events, of ids 71 and 72. */
static inline void
begin_file(struct tape *t, uint64_t data_bytes, uint64_t features)
{
	/* precise_ip 1: in the other byte order the high bit of a field comes first. */
	uint64_t precise = t->swapped ? FLAG_PRECISE_HIGH : FLAG_PRECISE_LOW;

	put64(t, UINT64_C(0x32454c4946524550));
	put64(t, 104);
	put64(t, ATTR_BYTES + 16);
	put64(t, ATTRS_AT);
	put64(t, 2 * (ATTR_BYTES + 16));
	put64(t, DATA_AT);
	put64(t, data_bytes);
	put64(t, 0);
	put64(t, 0);
	put64(t, features);
	buf_add_fill(&t->b, 0, 24);
	put64(t, 71);
	put64(t, 72);
	put_attr(t, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
		 FLAG_USER_ONLY | FLAG_FREQ | precise);
	put64(t, IDS_AT);
	put64(t, 8);
	put_attr(t, PERF_TYPE_HW_CACHE, 0x10002, FLAG_NO_GUEST);
	put64(t, IDS_AT + 8);
	put64(t, 8);
	assert_int_equal(t->b.len, DATA_AT);
}

/* A file that exists as long as it is open. */
static inline struct datafile *
open_tape(const struct tape *t, struct err *err)
{
	char path[] = "/tmp/ptop-test-datafile-XXXXXX";
	int fd = mkstemp(path);
	struct datafile *f;

	assert_that(fd, >=, 0);
	assert_int_equal(write(fd, buf_str(&t->b), t->b.len), t->b.len);
	close(fd);
	f = datafile_open(path, err);
	unlink(path);
	return f;
}

/* From standard input; @writer, if not NULL, stays open, for the caller to close. */
static inline struct datafile *
open_piped(const struct tape *t, int *writer, struct err *err)
{
	int fds[2], saved = dup(STDIN_FILENO);
	struct datafile *f;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], buf_str(&t->b), t->b.len), t->b.len);
	if (writer != NULL)
		*writer = fds[1];
	else
		close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	f = datafile_open("-", err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return f;
}

static inline struct datafile *
open_pipe(const struct tape *t, struct err *err)
{
	return open_piped(t, NULL, err);
}

/* "s10 s20 t68": the samples by ip, other records by type, as they come. */
static inline void
assert_records(struct datafile *f, const char *want)
{
	struct buf got = { 0 };
	struct bytes bytes;
	struct err err = { 0 };
	struct perf_event_header header;
	uint64_t time_ns, ip;
	int res;

	while ((res = datafile_next(f, &bytes, &time_ns, &err)) == 1) {
		assert_int_equal((uintptr_t)bytes.data % 8, 0);
		memcpy(&header, bytes.data, sizeof(header));
		assert_int_equal(header.size, bytes.len); /* in the byte order of this machine */
		if (got.len > 0)
			buf_add_char(&got, ' ');
		if (record_type(bytes) != PERF_RECORD_SAMPLE) {
			buf_addf(&got, "t%u", record_type(bytes));
			continue;
		}
		memcpy(&ip, bytes.data + 16, 8);
		if (datafile_info(f)->is_swapped)
			ip = __builtin_bswap64(ip);
		buf_addf(&got, "s%llu", (unsigned long long)ip);
	}
	assert_int_equal(res, 0);
	assert_string_equal(buf_str(&got), want);
	buf_release(&got);
}

static inline void
assert_event(struct datafile *f, size_t event, const char *name)
{
	size_t n;
	const struct datafile_event *events = datafile_events(f, &n);

	assert_that(event, <, n);
	assert_string_equal(events[event].name, name);
}

static inline void
end_tape(struct tape *t, struct datafile *f)
{
	datafile_close(f);
	buf_release(&t->b);
}

#endif
