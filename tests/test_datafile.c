/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "base/buf.h"
#include "datafile/datafile.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include <cmocka.h>

#include "tests/asserts.h"
#include "tests/run.h"

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

static void
put16(struct tape *t, uint16_t v)
{
	v = t->swapped ? __builtin_bswap16(v) : v;
	buf_add(&t->b, &v, 2);
}

static void
put32(struct tape *t, uint32_t v)
{
	v = t->swapped ? __builtin_bswap32(v) : v;
	buf_add(&t->b, &v, 4);
}

static void
put64(struct tape *t, uint64_t v)
{
	v = t->swapped ? __builtin_bswap64(v) : v;
	buf_add(&t->b, &v, 8);
}

static void
put_header(struct tape *t, uint32_t type, uint16_t misc, size_t size)
{
	put32(t, type);
	put16(t, misc);
	put16(t, (uint16_t)size);
}

/* Bit-fields: where the byte order is the other one, so is that of the bits in each byte. */
static void
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

static void
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

static void
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
static void
put_comm(struct tape *t)
{
	put_header(t, PERF_RECORD_COMM, 0, 24);
	put32(t, 100);
	put32(t, 100);
	buf_add(&t->b, "load\0\0\0", 8);
}

static void
put_text(struct tape *t, const char *text)
{
	uint32_t len = ((uint32_t)strlen(text) + 64) / 64 * 64;

	put32(t, len);
	buf_add_str(&t->b, text);
	buf_add_fill(&t->b, 0, len - strlen(text));
}

enum { IDS_AT = 104, ATTRS_AT = IDS_AT + 16, DATA_AT = ATTRS_AT + 2 * (ATTR_BYTES + 16) };

/* The begin of a file with two events, of ids 71 and 72. */
static void
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
static struct datafile *
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
static struct datafile *
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

static struct datafile *
open_pipe(const struct tape *t, struct err *err)
{
	return open_piped(t, NULL, err);
}

/* "s10 s20 t68": the samples by ip, other records by type, as they come. */
static void
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

static void
assert_event(struct datafile *f, size_t event, const char *name)
{
	size_t n;
	const struct datafile_event *events = datafile_events(f, &n);

	assert_that(event, <, n);
	assert_string_equal(events[event].name, name);
}

static void
end_tape(struct tape *t, struct datafile *f)
{
	datafile_close(f);
	buf_release(&t->b);
}

static void
check_file(bool swapped)
{
	struct tape t = { .swapped = swapped };
	struct err err;
	struct datafile *f;
	size_t n;

	begin_file(&t, 24 + 2 * SAMPLE_BYTES, 0);
	put_comm(&t);
	put_sample(&t, 71, 1, 0x0202);
	put_sample(&t, 72, 2, 0x0101);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_int_equal(datafile_info(f)->is_swapped, swapped);
	assert_event(f, 0, "cycles:up");
	assert_event(f, 1, "LLC-load-misses");
	assert_true(datafile_events(f, &n)->attr.freq);
	assert_int_equal(datafile_events(f, &n)->attr.sample_period, 4000);
	assert_int_equal(n, 2);
	assert_int_equal(datafile_layouts(f)->items[1].sample_type, SAMPLE_TYPE);
	assert_int_equal(datafile_layouts(f)->items[1].swapped, swapped);
	assert_int_equal(record_layouts_find(datafile_layouts(f), 72), 1);
	assert_records(f, "t3 s2 s1");
	assert_string_equal(datafile_losses(f)->text, "");
	assert_true(datafile_progress(f) == 1.0);
	end_tape(&t, f);
}

static void
a_file_of_either_byte_order_is_read(void **state)
{
	(void)state;
	check_file(false);
	check_file(true);
}

/* Of 2.6.32, or of who left out sample_id_all: an exit tells its time itself, a name none. */
static void
records_without_trailers_are_in_order_with_the_samples(void **state)
{
	enum { EXIT_BYTES = 32 };
	struct tape t = { 0 };
	struct record rec;
	struct bytes bytes;
	struct err err;
	struct datafile *f;
	uint64_t time_ns;

	(void)state;
	begin_file(&t, 24 + EXIT_BYTES + 3 * SAMPLE_BYTES, 0);
	put_sample(&t, 71, 1, 10);
	put_comm(&t);
	put_header(&t, PERF_RECORD_EXIT, 0, EXIT_BYTES);
	for (int i = 0; i < 4; i++)
		put32(&t, 100);
	put64(&t, 15);
	put_sample(&t, 71, 3, 20);
	put_sample(&t, 72, 2, 12);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_false(datafile_layouts(f)->items[0].sample_id_all);
	assert_int_equal(datafile_next(f, &bytes, &time_ns, &err), 1);
	assert_int_equal(record_decode(datafile_layouts(f)->items, bytes, &rec), 1);
	assert_string_equal(rec.comm.comm, "load");
	assert_int_equal(rec.id.time_ns, 0);
	assert_records(f, "s1 s2 t4 s3");
	assert_string_equal(datafile_losses(f)->text, "");
	end_tape(&t, f);
}

static void
begin_pipe(struct tape *t, const char *name)
{
	put64(t, UINT64_C(0x32454c4946524550));
	put64(t, 16);
	for (uint64_t id = 71; id <= 72; id++) {
		put_header(t, ATTR, 0, 8 + ATTR_BYTES + 8);
		put_attr(t, PERF_TYPE_SOFTWARE, id - 71, 0);
		put64(t, id);
	}
	put_header(t, UPDATE, 0, 24 + 8);
	put64(t, 2);
	put64(t, 72);
	buf_add(&t->b, name, 8);
}

static void
check_pipe(struct datafile *(*open_it)(const struct tape *t, struct err *err))
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	begin_pipe(&t, "widgets");
	put_header(&t, FEATURE, 0, 8 + 8 + 4 + 64);
	put64(&t, 3);
	put_text(&t, "thathost");
	put_header(&t, TRACING_DATA, 0, 12);
	put32(&t, 5);
	buf_add(&t.b, "formats.", 8);
	put_header(&t, AUXTRACE, 0, 16);
	put64(&t, 1000);
	buf_add_fill(&t.b, 'x', 1000);
	put_sample(&t, 72, 2, 2000);
	put_sample(&t, 71, 1, 1000);
	f = open_it(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 t78 t80 t66 t71 s1 s2");
	assert_true(datafile_info(f)->is_pipe);
	assert_string_equal(datafile_info(f)->hostname, "thathost");
	assert_event(f, 0, "cpu-clock:HG");
	assert_event(f, 1, "widgets");
	assert_string_equal(datafile_losses(f)->text, "");
	assert_int_equal(datafile_tracing_data(f).len, 8);
	assert_memory_equal(datafile_tracing_data(f).data, "formats.", 8);
	end_tape(&t, f);
}

static void
put_part(struct buf *b, const char *text)
{
	uint64_t len = strlen(text);

	buf_add(b, &len, sizeof(len));
	buf_add_str(b, text);
}

/* perf's TRACING_DATA with one tracepoint, as a machine of this byte order writes it. */
static void
make_formats(struct buf *b, const char *system, const char *format)
{
	const uint32_t page = 4096, none = 0, one = 1;
	const char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	buf_add(b, "\27\10\104tracing0.6", 14);
	buf_add(b, &order, 1);
	buf_add(b, "\10", 1);
	buf_add(b, &page, 4);
	buf_add(b, "header_page", 12);
	put_part(b, "");
	buf_add(b, "header_event", 13);
	put_part(b, "");
	buf_add(b, &none, 4);
	buf_add(b, &one, 4);
	buf_add(b, system, strlen(system) + 1);
	buf_add(b, &one, 4);
	put_part(b, format);
}

/* Where perf tells no names, its formats have those of tracepoints. */
static void
tracepoints_are_named_by_the_formats_that_come_through_the_pipe(void **state)
{
	static const struct { uint64_t config; const char *name; } events[] = {
		{ 317, "river:flood" }, { 318, "unknown tracepoint" },
	};
	struct tape t = { 0 };
	struct buf formats = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	put64(&t, UINT64_C(0x32454c4946524550));
	put64(&t, 16);
	for (uint64_t id = 71; id <= 72; id++) {
		put_header(&t, ATTR, 0, 8 + ATTR_BYTES + 8);
		put_attr(&t, PERF_TYPE_TRACEPOINT, events[id - 71].config, 0);
		put64(&t, id);
	}
	make_formats(&formats, "river", "name: flood\nID: 317\nformat:\n");
	put_header(&t, TRACING_DATA, 0, 12);
	put32(&t, (uint32_t)formats.len);
	buf_add(&t.b, formats.data, formats.len);
	buf_add_fill(&t.b, 0, (8 - formats.len % 8) % 8);
	put_sample(&t, 71, 1, 1000);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 t66 s1");
	for (uint32_t i = 0; i < 2; i++)
		assert_event(f, i, events[i].name);
	buf_release(&formats);
	end_tape(&t, f);
}

/* It is longer than what is read at once; cut, what is there of it is kept, and that is told. */
static void
long_formats_come_whole_through_a_pipe(void **state)
{
	enum { LEN = 700001, CUT = 12345 };
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_pipe(&t, "widgets");
	put_header(&t, TRACING_DATA, 0, 12);
	put32(&t, LEN);
	for (uint32_t i = 0; i < LEN + 7; i++)
		buf_add_char(&t.b, (char)(i * i / 256));
	put_sample(&t, 72, 2, 2000);
	for (int cut = 0; cut < 2; cut++) {
		struct bytes got;

		t.b.len -= cut * CUT;
		f = open_tape(&t, &err);
		assert_non_null(f);
		assert_records(f, cut ? "t64 t64 t78 t66" : "t64 t64 t78 t66 s2");
		got = datafile_tracing_data(f);
		assert_int_equal(got.len == LEN + 7, !cut);
		for (uint32_t i = 0; i < got.len; i++)
			if (got.data[i] != (uint8_t)(i * i / 256))
				fail_msg("byte %u", i);
		assert_int_equal(*datafile_losses(f)->text != '\0', cut);
		datafile_close(f);
	}
	buf_release(&t.b);
}

static void
formats_without_end_are_left_out(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_pipe(&t, "widgets");
	put_header(&t, TRACING_DATA, 0, 12);
	put32(&t, UINT32_MAX);
	buf_add_fill(&t.b, 'x', 64);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 t78 t66");
	assert_int_equal(datafile_tracing_data(f).len, 0);
	assert_non_null(strstr(datafile_losses(f)->text, "too long"));
	end_tape(&t, f);
}

static void
the_pipe_format_is_read_from_a_pipe_and_from_a_file(void **state)
{
	(void)state;
	check_pipe(open_pipe);
	check_pipe(open_tape);
}

/* Of hardware traces nothing is read, but that all of them came. */
static void
a_pipe_that_ends_within_what_is_skipped_is_cut(void **state)
{
	(void)state;
	for (size_t missing = 0; missing < 3; missing++) {
		struct tape t = { 0 };
		struct datafile *f;
		struct err err;

		begin_pipe(&t, "widgets");
		put_sample(&t, 71, 1, 1000);
		put_header(&t, AUXTRACE, 0, 16);
		put64(&t, 1000);
		buf_add_fill(&t.b, 'x', 1000 - missing);
		f = open_pipe(&t, &err);
		assert_non_null(f);
		assert_records(f, "t64 t64 t78 t71 s1");
		assert_int_equal(datafile_losses(f)->is_truncated, missing > 0);
		end_tape(&t, f);
	}
}

struct waiting_reader {
	struct datafile *f;
	pthread_t thread;
	int result;
	_Atomic bool has_ended;
};

static void *
read_until_the_end(void *user)
{
	struct waiting_reader *r = user;
	struct bytes bytes;
	struct err err = { 0 };
	uint64_t time_ns;

	while ((r->result = datafile_next(r->f, &bytes, &time_ns, &err)) == 1)
		;
	r->has_ended = true;
	return NULL;
}

static void
do_nothing(int number)
{
	(void)number;
}

/* It waits for a pipe that says no more, and signals come meanwhile. */
static void
who_waits_for_a_pipe_can_be_told_to_end_after_a_signal_too(void **state)
{
	struct waiting_reader r = { .result = -1 };
	struct sigaction ignoring = { .sa_handler = do_nothing }, before;
	struct tape t = { 0 };
	struct err err;
	bool was_told;
	int writer;

	(void)state;
	begin_pipe(&t, "widgets");
	r.f = open_piped(&t, &writer, &err);
	assert_non_null(r.f);
	assert_int_equal(sigaction(SIGUSR1, &ignoring, &before), 0);
	assert_int_equal(pthread_create(&r.thread, NULL, read_until_the_end, &r), 0);
	for (int i = 0; i < 100; i++) {
		pthread_kill(r.thread, SIGUSR1);
		usleep(1000);
	}
	assert_false(r.has_ended);
	datafile_interrupt(r.f);
	for (int i = 0; i < 10000 && !r.has_ended; i++)
		usleep(1000);
	was_told = r.has_ended;
	close(writer);
	pthread_join(r.thread, NULL);
	sigaction(SIGUSR1, &before, NULL);
	assert_true(was_told);
	assert_int_equal(r.result, 0);
	end_tape(&t, r.f);
}

static void
a_round_hands_out_what_is_not_later_than_the_round_before(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_pipe(&t, "widgets");
	put_sample(&t, 71, 30, 30);
	put_sample(&t, 71, 50, 50);
	put_sample(&t, 72, 20, 20);
	put_sample(&t, 72, 31, 30); /* of one time: as they stand */
	put_header(&t, ROUND, 0, 8);
	put_comm(&t);
	put_sample(&t, 71, 70, 70);
	put_sample(&t, 72, 40, 40); /* may come late, by a round */
	put_header(&t, ROUND, 0, 8);
	put_sample(&t, 72, 60, 60);
	put_header(&t, ROUND, 0, 8);
	put_sample(&t, 72, 80, 80);
	put_sample(&t, 71, 75, 75);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 t78 t68 t3 t68 s20 s30 s31 s40 s50 t68 s60 s70 s75 s80");
	end_tape(&t, f);
}

static void
many_runs_come_in_order_and_whole(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;
	struct bytes bytes, ahead = { 0 };
	uint64_t time_ns, last = 0, ips = 0, want = 0, now[7] = { 0 };
	unsigned n = 0, sent = 0, told = 0, seed = 1;

	(void)state;
	begin_pipe(&t, "widgets");
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned ring = 0; ring < 7; ring++)
			for (unsigned k = 0; k < 11 + ring; k++) {
				seed = seed * 1103515245 + 12345;
				now[ring] += 1 + seed / 65536 % 1000 / (k + 1);
				now[ring] = MAX(now[ring], round * 10000);
				put_sample(&t, 71, ++sent, now[ring]);
				want += sent;
			}
		put_header(&t, ROUND, 0, 8);
	}
	f = open_tape(&t, &err);
	assert_non_null(f);
	while (datafile_next(f, &bytes, &time_ns, &err) == 1) {
		/* What was told of it before is what has come. */
		if (ahead.data != NULL)
			assert_ptr_equal(ahead.data, bytes.data);
		told += ahead.data != NULL;
		if (!datafile_ahead(f, 0, &ahead))
			ahead.data = NULL;
		if (record_type(bytes) != PERF_RECORD_SAMPLE)
			continue;
		uint64_t ip;

		assert_that(time_ns, >=, last);
		last = time_ns;
		memcpy(&ip, bytes.data + 16, 8);
		ips += ip;
		n++;
	}
	assert_int_equal(n, sent);
	assert_int_equal(ips, want);
	assert_that(told, >, sent / 2);
	end_tape(&t, f);
}

static void
a_cut_file_gives_what_is_whole(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, 3 * SAMPLE_BYTES, 1 << 3);
	put_sample(&t, 71, 2, 20);
	put_sample(&t, 71, 1, 10);
	put_sample(&t, 71, 3, 30);
	t.b.len -= 12;
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "s1 s2");
	assert_true(datafile_losses(f)->is_truncated);
	assert_int_equal(datafile_losses(f)->skipped_bytes, SAMPLE_BYTES - 12);
	assert_string_equal(datafile_losses(f)->text,
			    "at offset 0x188: it ends within a record");
	end_tape(&t, f);
}

static void
without_a_size_the_records_go_on_to_the_end(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, 0, 1 << 3);
	put_sample(&t, 71, 1, 10);
	put_sample(&t, 71, 2, 20);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "s1 s2");
	assert_false(datafile_losses(f)->is_truncated);
	end_tape(&t, f);
}

static void
a_broken_record_ends_the_reading(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, 3 * SAMPLE_BYTES + 8, 0);
	put_sample(&t, 71, 2, 20);
	put_sample(&t, 71, 1, 10);
	put_header(&t, PERF_RECORD_SAMPLE, 0, 7);
	put_sample(&t, 71, 3, 30);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "s1 s2");
	assert_int_equal(datafile_losses(f)->skipped_bytes, SAMPLE_BYTES + 8);
	assert_non_null(strstr(datafile_losses(f)->text, "at offset 0x188: "));
	end_tape(&t, f);
}

static void
records_of_odd_sizes_are_handed_out_aligned(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, 3 * SAMPLE_BYTES + 11 + 40000, 0);
	put_sample(&t, 71, 2, 20);
	put_header(&t, 40000, 0, 11);
	buf_add_fill(&t.b, 0, 3);
	put_sample(&t, 71, 1, 10);
	put_header(&t, 60, 0, 40000);
	buf_add_fill(&t.b, 0, 40000 - 8);
	put_sample(&t, 71, 3, 30);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t40000 t60 s1 s2 s3");
	assert_int_equal(datafile_losses(f)->unknown_records, 2);
	end_tape(&t, f);
}

static void
put_section(struct tape *t, size_t at, size_t size)
{
	put64(t, at);
	put64(t, size);
}

static void
features_tell_of_names_and_build_ids(void **state)
{
	enum { AT = DATA_AT + SAMPLE_BYTES + 4 * 16, IDS = 8 + 4 + 24 + 16,
	       CPUS = 8, CMDLINE = 4 + 2 * 68, DESC = 8 + ATTR_BYTES + 4 + 68 + 8 };
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;
	uint8_t id[20];

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 1 << 2 | 1 << 7 | 1 << 11 | 1 << 12);
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT, IDS);
	put_section(&t, AT + IDS, CPUS);
	put_section(&t, AT + IDS + CPUS, CMDLINE);
	put_section(&t, AT + IDS + CPUS + CMDLINE, DESC);
	put_header(&t, BUILD_ID, 1 << 15, IDS);
	put32(&t, UINT32_MAX);
	buf_add(&t.b, "0123456789abcdef\0\0\0\0\020\0\0\0", 24);
	buf_add(&t.b, "/usr/lib/thing\0", 16);
	put32(&t, 8);
	put32(&t, 6);
	put32(&t, 2);
	put_text(&t, "perf");
	put_text(&t, "record");
	put32(&t, 1);
	put32(&t, ATTR_BYTES);
	put_attr(&t, 0, 0, 0);
	put32(&t, 1);
	put_text(&t, "cpu_core/cycles/");
	put64(&t, 72);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_string_equal(datafile_losses(f)->text, "");
	assert_event(f, 1, "cpu_core/cycles/");
	assert_event(f, 0, "cycles:up");
	assert_string_equal(datafile_info(f)->cmdline, "perf record");
	assert_int_equal(datafile_info(f)->nr_cpus_available, 8);
	assert_int_equal(datafile_info(f)->nr_cpus_online, 6);
	assert_int_equal(datafile_build_id(f, "/usr/lib/thing", id), 16);
	assert_memory_equal(id, "0123456789abcdef", 16);
	assert_int_equal(datafile_build_id(f, "/usr/lib/other", id), 0);
	end_tape(&t, f);
}

static void
what_the_machine_was_is_told_in_lines(void **state)
{
	enum { CPUS = 8, TEXT = 4 + 64, TOPOLOGY = 4 + TEXT + 4 + 2 * TEXT + 16, PMUS = 4 + 2 * (4 + TEXT),
	       NODES = 4 + 4, AT = DATA_AT + SAMPLE_BYTES + 5 * 16 };
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 1 << 7 | 1 << 13 | 1 << 14 | 1 << 16 | 1 << 19);
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT, CPUS);
	put_section(&t, AT + CPUS, TOPOLOGY);
	put_section(&t, AT + CPUS + TOPOLOGY, NODES);
	put_section(&t, AT + CPUS + TOPOLOGY + NODES, PMUS);
	put_section(&t, AT + CPUS + TOPOLOGY + NODES + PMUS, 0);
	put32(&t, 2);
	put32(&t, 1);
	put32(&t, 1);
	put_text(&t, "0-1");
	put32(&t, 2);
	put_text(&t, "0");
	put_text(&t, "1");
	put32(&t, 7);
	put32(&t, 0);
	put32(&t, 8);
	put32(&t, 0);
	/* More nodes than there are bytes. */
	put32(&t, UINT32_MAX);
	put32(&t, 5);
	put32(&t, 2);
	put32(&t, 1);
	put_text(&t, "software");
	put32(&t, 9);
	put_text(&t, "\033[2Jbad\n");
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_string_equal(datafile_losses(f)->text, "");
	assert_string_equal(datafile_info(f)->features,
			    "nrcpus 2 available, 1 online\n"
			    "cpu_topology cores: 0-1; threads: 0; 1; core and socket of each CPU: 7 0, 8 0, \n"
			    "numa_topology node 5: ...\n"
			    "pmu_mappings 1 software, 9 \\x1b[2Jbad\\x0a, \n"
			    "stat\n");
	end_tape(&t, f);
}

/* A file of simpleperf's feature 128. */
static void
put_file_struct(struct tape *t, const char *path, uint32_t type, uint64_t vaddr, const char *name)
{
	put32(t, (uint32_t)(strlen(path) + 1 + 4 + 8 + 4 + 8 + 4 + strlen(name) + 1 + 8));
	buf_add(&t->b, path, strlen(path) + 1);
	put32(t, type);
	put64(t, 0x400000);
	put32(t, 1);
	put64(t, vaddr);
	put32(t, 32);
	buf_add(&t->b, name, strlen(name) + 1);
	put64(t, 0x1000);
}

static void
assert_symbol(struct datafile *f, const char *path, uint64_t at, uint64_t len, const char *name)
{
	const struct datafile_symbol *s;

	assert_int_equal(datafile_symbols(f, path, &s), 1);
	assert_int_equal(s->at, at);
	assert_int_equal(s->len, len);
	assert_string_equal(s->name, name);
}

static void
simpleperf_names_functions_itself(void **state)
{
	/* path "/b", type ELF, min_vaddr 0x2000, a symbol, a message of no interest, elf_file */
	static const uint8_t message[] = "\x0a\x02/b\x10\x02\x18\x80\x40"
					 "\x22\x0c\x08\x90\x40\x10\x91\x01\x1a\x04main"
					 "\x2a\x02zz\x32\x03\x08\x80\x08";
	enum { AT = DATA_AT + SAMPLE_BYTES + 2 * 16, STRUCTS = 4 + 41 + 4 + 52,
	       MESSAGES = 4 + sizeof(message) - 1 };
	const struct datafile_symbol *none;
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 0);
	t.b.data[72 + 16] = 1 << 0 | 1 << 4; /* features 128 and 132 */
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT, STRUCTS);
	put_section(&t, AT + STRUCTS, MESSAGES);
	put_file_struct(&t, "/a", 2, 0x400010, "f");
	put_file_struct(&t, "[kernel]", 0, 0x400010, "idle_f");
	put32(&t, sizeof(message) - 1);
	buf_add(&t.b, message, sizeof(message) - 1);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_string_equal(datafile_losses(f)->text, "");
	/* Of files offsets, of the kernel addresses. */
	assert_symbol(f, "/a", 0x1010, 32, "f");
	assert_symbol(f, "[kernel]", 0x400010, 32, "idle_f");
	assert_symbol(f, "/b", 0x410, 0x91, "main");
	assert_int_equal(datafile_symbols(f, "/c", &none), 0);
	end_tape(&t, f);
	begin_file(&t, SAMPLE_BYTES, 0);
	t.b.data[72 + 16] = 1 << 4;
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT - 16, MESSAGES);
	put32(&t, sizeof(message));
	buf_add(&t.b, message, sizeof(message) - 1);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_non_null(strstr(datafile_losses(f)->text, "feature 132 is cut"));
	end_tape(&t, f);
}

static void
what_is_no_recording_is_refused_with_the_offset(void **state)
{
	struct tape t = { 0 };
	struct err err;

	(void)state;
	buf_add_str(&t.b, "#!/bin/sh\necho this is no recording\n");
	assert_null(open_tape(&t, &err));
	assert_non_null(strstr(err.text, "at offset 0: it is not a recording of perf"));
	buf_reset(&t.b);
	begin_file(&t, 0, 0);
	assert_null(open_pipe(&t, &err));
	assert_non_null(strstr(err.text, "at offset 8: "));
	assert_null(datafile_open("/nonexistent/perf.data", &err));
	assert_int_equal(err.code, ERR_GONE);
	buf_release(&t.b);
}

static void
a_file_that_was_closed_leaves_no_descriptor(void **state)
{
	struct tape t = { 0 };
	struct err err;
	int before = run_count_descriptors(getpid(), "");

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 0);
	put_sample(&t, 71, 1, 10);
	datafile_close(open_tape(&t, &err));
	end_tape(&t, open_pipe(&t, &err)); /* which it refuses */
	assert_int_equal(run_count_descriptors(getpid(), ""), before);
}

enum { HEADER_DATA_AT = 40 };

/* Its header tells where they begin: anywhere behind itself, even where the file ends. */
static void
records_begin_where_the_header_says(void **state)
{
	static const struct {
		uint64_t at;
		bool is_refused;
		const char *want;
	} rows[] = {
		{ 71, true, "" }, { DATA_AT, false, "s1 s2" },
		{ DATA_AT + SAMPLE_BYTES, false, "s2" }, { DATA_AT + 2 * SAMPLE_BYTES, false, "" },
		{ DATA_AT + 2 * SAMPLE_BYTES + 1, true, "" }, { UINT64_MAX, true, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tape t = { 0 };
		struct datafile *f;
		struct err err;

		begin_file(&t, 0, 0);
		memcpy(t.b.data + HEADER_DATA_AT, &rows[i].at, sizeof(rows[i].at));
		put_sample(&t, 71, 1, 10);
		put_sample(&t, 71, 2, 20);
		f = open_tape(&t, &err);
		assert_true((f == NULL) == rows[i].is_refused);
		if (f != NULL)
			assert_records(f, rows[i].want);
		else
			assert_non_null(strstr(err.text, "at offset 40: its records begin at "));
		end_tape(&t, f);
	}
}

/* The first version's header has 72 bytes, and its records may be right behind it. */
static void
records_may_be_right_behind_a_header_without_features(void **state)
{
	enum { OLD = 72, ATTRS = OLD + SAMPLE_BYTES };
	struct tape t = { 0 };
	struct datafile *f;
	struct err err;

	(void)state;
	put64(&t, UINT64_C(0x32454c4946524550));
	put64(&t, OLD);
	put64(&t, ATTR_BYTES + 16);
	put64(&t, ATTRS);
	put64(&t, ATTR_BYTES + 16);
	put64(&t, OLD);
	put64(&t, SAMPLE_BYTES);
	put64(&t, 0);
	put64(&t, 0);
	put_sample(&t, 71, 1, 10);
	put_attr(&t, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, FLAG_NO_GUEST);
	put64(&t, ATTRS + ATTR_BYTES + 16);
	put64(&t, 8);
	put64(&t, 71);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_event(f, 0, "cycles");
	assert_records(f, "s1");
	assert_string_equal(datafile_losses(f)->text, "");
	end_tape(&t, f);
}

/* Its place among the sections counts, though nobody knows what it is of: as perf counts it. */
static void
the_first_bit_of_the_features_has_a_section(void **state)
{
	enum { TEXT = 4 + 64, AT = DATA_AT + SAMPLE_BYTES + 2 * 16 };
	struct tape t = { 0 };
	struct datafile *f;
	struct err err;

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 1 << 0 | 1 << 3);
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT, 0);
	put_section(&t, AT, TEXT);
	put_text(&t, "box");
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_string_equal(datafile_info(f)->hostname, "box");
	end_tape(&t, f);
}

static void
write_part(const char *dir, const char *name, const struct tape *t)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(buf_str(&t->b), 1, t->b.len, file), t->b.len);
	fclose(file);
}

static void
remove_dir(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir(dir);
}

static void
a_directory_without_a_recording_is_told(void **state)
{
	char dir[] = "/tmp/ptop-test-datafile-XXXXXX", why[120];
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_null(datafile_open(dir, &err));
	snprintf(why, sizeof(why), "'%s' is a folder, and no recording: it holds no 'data'", dir);
	assert_string_equal(err.text, why);
	assert_int_equal(err.code, ERR_GONE);
	rmdir(dir);
}

static void
the_files_of_a_directory_are_one_recording(void **state)
{
	char dir[] = "/tmp/ptop-test-datafile-XXXXXX";
	struct tape main_part = { 0 }, parts[2] = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	begin_file(&main_part, 24, 0);
	put_comm(&main_part);
	write_part(dir, "data", &main_part);
	for (unsigned i = 0; i < 2; i++) {
		for (uint64_t k = 1; k <= 3; k++)
			put_sample(&parts[i], 71 + i, k * 10 + i, k * 10 + i);
		write_part(dir, i == 0 ? "data.0" : "data.1", &parts[i]);
	}
	f = datafile_open(dir, &err);
	assert_non_null(f);
	assert_records(f, "t3 s10 s11 s20 s21 s30 s31");
	remove_dir(dir);
	datafile_close(f);
	for (unsigned i = 0; i < 2; i++)
		buf_release(&parts[i].b);
	buf_release(&main_part.b);
}

static void
what_is_no_file_in_a_directory_is_left_out(void **state)
{
	char dir[] = "/tmp/ptop-test-datafile-XXXXXX", folder[64];
	struct tape main_part = { 0 }, part = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	begin_file(&main_part, 24, 0);
	put_comm(&main_part);
	write_part(dir, "data", &main_part);
	snprintf(folder, sizeof(folder), "%s/data.0", dir);
	assert_int_equal(mkdir(folder, 0700), 0);
	put_sample(&part, 71, 10, 10);
	write_part(dir, "data.1", &part);
	f = datafile_open(dir, &err);
	assert_non_null(f);
	assert_records(f, "t3 s10");
	rmdir(folder);
	remove_dir(dir);
	datafile_close(f);
	buf_release(&part.b);
	buf_release(&main_part.b);
}

/* More than is read at once of each: they are read in turn, the first one, too. */
static void
long_files_of_a_directory_are_read_in_turn(void **state)
{
	enum { EACH = 20000 };
	char dir[] = "/tmp/ptop-test-datafile-XXXXXX";
	struct tape parts[3];
	static const char *const names[] = { "data", "data.0", "data.1" };
	uint64_t time_ns, last = 0, n = 0;
	struct bytes bytes;
	struct datafile *f;
	struct err err;
	int res;

	(void)state;
	assert_non_null(mkdtemp(dir));
	memset(parts, 0, sizeof(parts));
	begin_file(&parts[0], 0, 0); /* up to its end */
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
		for (uint64_t k = 1; k <= EACH; k++)
			put_sample(&parts[i], 71, k, k * 10 + i);
		write_part(dir, names[i], &parts[i]);
	}
	f = datafile_open(dir, &err);
	assert_non_null(f);
	while ((res = datafile_next(f, &bytes, &time_ns, &err)) == 1) {
		assert_true(time_ns >= last);
		last = time_ns;
		n++;
	}
	assert_int_equal(res, 0);
	assert_int_equal(n, ARRAY_SIZE(parts) * EACH);
	remove_dir(dir);
	datafile_close(f);
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++)
		buf_release(&parts[i].b);
}

#ifdef HAVE_ZSTD

/* Adds what @from has as compressed records of about @piece bytes each. */
static void
put_compressed(struct tape *t, const struct tape *from, size_t piece, bool is_second)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	char data[8192];

	for (size_t at = 0; at < from->b.len; at += piece) {
		ZSTD_inBuffer in = { from->b.data + at, MIN(piece, from->b.len - at), 0 };
		ZSTD_outBuffer out = { data, sizeof(data), 0 };

		ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush);
		assert_int_equal(in.pos, in.size);
		put_header(t, is_second ? COMPRESSED2 : COMPRESSED, 0,
			   is_second ? 16 + (out.pos + 7) / 8 * 8 : 8 + out.pos);
		if (is_second)
			put64(t, out.pos);
		buf_add(&t->b, data, out.pos);
		if (is_second)
			buf_add_fill(&t->b, 0, -out.pos % 8);
	}
	ZSTD_freeCStream(z);
}

static void
compressed_records_are_cut_anywhere(void **state)
{
	(void)state;
	for (unsigned second = 0; second < 2; second++) {
		struct tape t = { 0 }, inner = { 0 };
		struct err err;
		struct datafile *f;

		for (uint64_t i = 1; i <= 3; i++)
			put_sample(&inner, 71, 4 - i, 40 - 10 * i);
		begin_pipe(&t, "widgets");
		put_compressed(&t, &inner, 49, second);
		put_comm(&t);
		f = open_tape(&t, &err);
		assert_non_null(f);
		assert_records(f, second ? "t64 t64 t78 t83 t83 t83 t3 s1 s2 s3"
					 : "t64 t64 t78 t81 t81 t81 t3 s1 s2 s3");
		assert_string_equal(datafile_losses(f)->text, "");
		buf_release(&inner.b);
		end_tape(&t, f);
	}
}

/* A bomb of records within records goes no deeper; what is beside it is read. */
static void
compressed_records_are_not_looked_for_in_compressed_ones(void **state)
{
	struct tape t = { 0 }, inner = { 0 }, outer = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	put_sample(&inner, 71, 1, 10);
	put_header(&outer, COMPRESSED, 0, 8 + inner.b.len);
	buf_add(&outer.b, inner.b.data, inner.b.len);
	put_sample(&outer, 71, 2, 20);
	begin_pipe(&t, "widgets");
	put_compressed(&t, &outer, outer.b.len, false);
	put_sample(&t, 71, 3, 30);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 t78 t81 t81 s2 s3");
	assert_non_null(strstr(datafile_losses(f)->text, "compressed again"));
	buf_release(&inner.b);
	buf_release(&outer.b);
	end_tape(&t, f);
}

static void
what_cannot_be_decompressed_ends_the_reading(void **state)
{
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_pipe(&t, "widgets");
	put_sample(&t, 71, 1, 10);
	put_header(&t, COMPRESSED, 0, 24);
	buf_add_fill(&t.b, 'x', 16);
	put_sample(&t, 71, 2, 20);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 t78 t81 s1");
	assert_non_null(strstr(datafile_losses(f)->text, "cannot decompress"));
	end_tape(&t, f);
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_either_byte_order_is_read),
		cmocka_unit_test(records_without_trailers_are_in_order_with_the_samples),
		cmocka_unit_test(the_pipe_format_is_read_from_a_pipe_and_from_a_file),
		cmocka_unit_test(a_pipe_that_ends_within_what_is_skipped_is_cut),
		cmocka_unit_test(tracepoints_are_named_by_the_formats_that_come_through_the_pipe),
		cmocka_unit_test(long_formats_come_whole_through_a_pipe),
		cmocka_unit_test(formats_without_end_are_left_out),
		cmocka_unit_test(who_waits_for_a_pipe_can_be_told_to_end_after_a_signal_too),
		cmocka_unit_test(a_round_hands_out_what_is_not_later_than_the_round_before),
		cmocka_unit_test(many_runs_come_in_order_and_whole),
		cmocka_unit_test(a_cut_file_gives_what_is_whole),
		cmocka_unit_test(without_a_size_the_records_go_on_to_the_end),
		cmocka_unit_test(a_broken_record_ends_the_reading),
		cmocka_unit_test(records_of_odd_sizes_are_handed_out_aligned),
		cmocka_unit_test(features_tell_of_names_and_build_ids),
		cmocka_unit_test(what_the_machine_was_is_told_in_lines),
		cmocka_unit_test(simpleperf_names_functions_itself),
		cmocka_unit_test(what_is_no_recording_is_refused_with_the_offset),
		cmocka_unit_test(a_file_that_was_closed_leaves_no_descriptor),
		cmocka_unit_test(records_begin_where_the_header_says),
		cmocka_unit_test(records_may_be_right_behind_a_header_without_features),
		cmocka_unit_test(the_first_bit_of_the_features_has_a_section),
		cmocka_unit_test(a_directory_without_a_recording_is_told),
		cmocka_unit_test(the_files_of_a_directory_are_one_recording),
		cmocka_unit_test(what_is_no_file_in_a_directory_is_left_out),
		cmocka_unit_test(long_files_of_a_directory_are_read_in_turn),
#ifdef HAVE_ZSTD
		cmocka_unit_test(compressed_records_are_cut_anywhere),
		cmocka_unit_test(compressed_records_are_not_looked_for_in_compressed_ones),
		cmocka_unit_test(what_cannot_be_decompressed_ends_the_reading),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
