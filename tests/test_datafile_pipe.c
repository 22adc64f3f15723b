/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings in the format of pipes, from a pipe and from a file: formats, rounds, compressed records. */
#include <config.h>

#include "tests/tape.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "run.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

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

/* The first kernels, which knew one size, left it out; ids are right behind. */
static void
attributes_without_a_size_are_as_long_as_the_first_ones(void **state)
{
	enum { FIRST_BYTES = 64 };
	static const char *const names[] = { "cpu-clock", "task-clock" };
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;
	size_t n;

	(void)state;
	put64(&t, UINT64_C(0x32454c4946524550));
	put64(&t, 16);
	for (uint64_t i = 0; i < ARRAY_SIZE(names); i++) {
		put_header(&t, ATTR, 0, 8 + FIRST_BYTES + 8);
		put32(&t, PERF_TYPE_SOFTWARE);
		put32(&t, 0);
		put64(&t, i);
		put64(&t, 4000);
		put64(&t, SAMPLE_TYPE);
		put64(&t, 0);
		put_flags(&t, FLAG_NO_GUEST);
		buf_add_fill(&t.b, 0, FIRST_BYTES - 48);
		put64(&t, 71 + i);
	}
	put_sample(&t, 72, 1, 1000);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_records(f, "t64 t64 s1");
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_event(f, i, names[i]);
		assert_int_equal(datafile_events(f, &n)[i].attr.size, FIRST_BYTES);
		assert_int_equal(record_layouts_find(datafile_layouts(f), 71 + i), i);
	}
	assert_string_equal(datafile_losses(f)->text, "");
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

/* However long it says that they are. */
static void
a_trace_that_is_longer_than_what_is_left_is_cut(void **state)
{
	static const uint64_t lengths[] = {
		2000, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX - 2000, UINT64_MAX - 7, UINT64_MAX,
	};
	static struct datafile *(*const opens[])(const struct tape *t, struct err *err) = {
		open_pipe, open_tape,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths) * ARRAY_SIZE(opens); i++) {
		struct tape t = { 0 };
		struct datafile *f;
		struct err err;

		begin_pipe(&t, "widgets");
		put_sample(&t, 71, 1, 1000);
		put_header(&t, AUXTRACE, 0, 16);
		put64(&t, lengths[i / ARRAY_SIZE(opens)]);
		put_sample(&t, 71, 2, 2000);
		f = opens[i % ARRAY_SIZE(opens)](&t, &err);
		assert_non_null(f);
		assert_records(f, "t64 t64 t78 t71 s1");
		assert_true(datafile_losses(f)->is_truncated);
		assert_non_null(strstr(datafile_losses(f)->text, "it ends within a record"));
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

/* However few bytes of the last record there are. */
static void
compressed_records_that_end_within_one_are_cut(void **state)
{
	(void)state;
	for (size_t left = 1; left < SAMPLE_BYTES; left++) {
		struct tape t = { 0 }, inner = { 0 };
		struct err err;
		struct datafile *f;

		put_sample(&inner, 71, 1, 10);
		put_sample(&inner, 71, 2, 20);
		inner.b.len -= SAMPLE_BYTES - left;
		begin_pipe(&t, "widgets");
		put_compressed(&t, &inner, inner.b.len, false);
		f = open_tape(&t, &err);
		assert_non_null(f);
		assert_records(f, "t64 t64 t78 t81 s1");
		assert_true(datafile_losses(f)->is_truncated);
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

enum { PATIENCE_S = 60 };

int main(void);

/* The map of this program that main() is in, as perf writes it. */
static void
put_own_map(struct tape *t)
{
	uint64_t ip = (uint64_t)(uintptr_t)main, start, end, offset, ino;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4352], path[4096];
	unsigned maj, min;
	size_t len;

	assert_non_null(maps);
	do {
		assert_non_null(fgets(line, sizeof(line), maps));
		path[0] = '\0';
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]", &start, &end,
		       &offset, &maj, &min, &ino, path);
	} while (ip < start || ip >= end);
	fclose(maps);
	len = strlen(path) / 8 * 8 + 8;
	put_header(t, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 72 + len);
	put32(t, 100);
	put32(t, 100);
	put64(t, start);
	put64(t, end - start);
	put64(t, offset);
	put32(t, maj);
	put32(t, min);
	put64(t, ino);
	put64(t, 0); /* the inode's generation: not known */
	put32(t, 5);
	put32(t, 2);
	buf_add_str(&t->b, path);
	buf_add_fill(&t->b, 0, len - strlen(path));
}

/* It begins with its events alone: where it was recorded comes among its records. */
static void
report_pipe_of(const char *host, struct run_result *r)
{
	char path[] = "/tmp/ptop-test-pipe-XXXXXX";
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--by", "symbol,reason",
			 "--format", "csv", NULL };
	int fd = mkstemp(path);
	struct tape t = { 0 };

	begin_pipe(&t, "widgets");
	put_header(&t, FEATURE, 0, 8 + 8 + 4 + 64 * (strlen(host) / 64 + 1));
	put64(&t, 3);
	put_text(&t, host);
	put_own_map(&t);
	put_sample(&t, 71, (uint64_t)(uintptr_t)main, 1000);
	assert_int_equal(write(fd, buf_str(&t.b), t.b.len), t.b.len);
	close(fd);
	run_program(r, PATIENCE_S, argv);
	unlink(path);
	buf_release(&t.b);
}

static void
a_pipe_has_names_of_this_host_if_it_was_recorded_here(void **state)
{
	char host[256] = "";
	struct run_result r;

	(void)state;
	gethostname(host, sizeof(host) - 1);
	report_pipe_of(host, &r);
	if (strstr(r.out, "main,") == NULL)
		fail_msg("no function: %s%s", r.out, r.err);
	run_release(&r);
	report_pipe_of("another.machine", &r);
	assert_null(strstr(r.out, "main,"));
	assert_non_null(strstr(r.out, "recorded on another machine"));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pipe_format_is_read_from_a_pipe_and_from_a_file),
		cmocka_unit_test(a_pipe_that_ends_within_what_is_skipped_is_cut),
		cmocka_unit_test(a_trace_that_is_longer_than_what_is_left_is_cut),
		cmocka_unit_test(attributes_without_a_size_are_as_long_as_the_first_ones),
		cmocka_unit_test(tracepoints_are_named_by_the_formats_that_come_through_the_pipe),
		cmocka_unit_test(long_formats_come_whole_through_a_pipe),
		cmocka_unit_test(formats_without_end_are_left_out),
		cmocka_unit_test(who_waits_for_a_pipe_can_be_told_to_end_after_a_signal_too),
		cmocka_unit_test(a_round_hands_out_what_is_not_later_than_the_round_before),
		cmocka_unit_test(many_runs_come_in_order_and_whole),
#ifdef HAVE_ZSTD
		cmocka_unit_test(compressed_records_are_cut_anywhere),
		cmocka_unit_test(compressed_records_that_end_within_one_are_cut),
		cmocka_unit_test(compressed_records_are_not_looked_for_in_compressed_ones),
		cmocka_unit_test(what_cannot_be_decompressed_ends_the_reading),
#endif
		cmocka_unit_test(a_pipe_has_names_of_this_host_if_it_was_recorded_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
