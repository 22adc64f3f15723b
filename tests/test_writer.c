/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that ptop writes: what went in comes out, by its own reader and by perf, also of files
 * that were not closed or did not fit.
 */
#include <config.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "datafile/datafile.h"
#include "datafile/packer.h"
#include "datafile/writer.h"
#include "tests/asserts.h"
#include "tests/mapped.h"
#include "tests/run.h"
#include "tests/skip.h"

enum {
	SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
	SAMPLE_BYTES = 56,
	FIRST_ID = 71, SECOND_ID = 72,
	PID = 1 << 21, /* no process of this machine, whose maps perf would look at */
	TEXT_AT = 0x400000,
	TAIL_BYTES = 32 << 10, /* of a full disk, for features and tables */
	MANY = 12000, /* samples: more than two buffers */
	HEADER_ATTR_SIZE_AT = 16, HEADER_DATA_AT = 40, HEADER_FEATURES_AT = 72,
};

static char *dir, *path;
static bool compresses; /* what begin() begins */

static int
make_dir(void **state)
{
	char name[] = "/tmp/ptop-test-writer-XXXXXX", file[sizeof(name) + 16];

	(void)state;
	if (mkdtemp(name) == NULL)
		return -1;
	snprintf(file, sizeof(file), "%s/perf.data", name);
	dir = mem_strdup(name);
	path = mem_strdup(file);
	return 0;
}

static int
remove_dir(void **state)
{
	(void)state;
	unlink(path);
	rmdir(dir);
	free(path);
	free(dir);
	return 0;
}

/* ---- what is written */

static struct event_attr
make_attr(uint32_t type, uint64_t config)
{
	return (struct event_attr){
		.type = type, .size = sizeof(struct event_attr), .config = config,
		.sample_period = 1000, .sample_type = SAMPLE_TYPE,
		.sample_id_all = 1, .mmap = 1, .mmap2 = 1, .comm = 1,
		.exclude_guest = 1, /* perf's own, so that its names have no modifiers */
	};
}

static void
put_header(struct buf *b, uint32_t type, size_t size)
{
	struct perf_event_header h = { type, PERF_RECORD_MISC_USER, (uint16_t)size };

	buf_add(b, &h, sizeof(h));
}

static void
put_trailer(struct buf *b, uint64_t time_ns, uint64_t id)
{
	buf_add_raw32(b, PID);
	buf_add_raw32(b, PID);
	buf_add_raw64(b, time_ns);
	buf_add_raw64(b, 0); /* CPU */
	buf_add_raw64(b, id);
}

static void
put_comm(struct buf *b, uint64_t time_ns)
{
	put_header(b, PERF_RECORD_COMM, 8 + 8 + 8 + 32);
	buf_add_raw32(b, PID);
	buf_add_raw32(b, PID);
	buf_add(b, "load\0\0\0", 8);
	put_trailer(b, time_ns, FIRST_ID);
}

static void
put_mmap2(struct buf *b, uint64_t time_ns)
{
	static const char name[24] = "/nonexistent/load";

	put_header(b, PERF_RECORD_MMAP2, 8 + 64 + sizeof(name) + 32);
	buf_add_raw32(b, PID);
	buf_add_raw32(b, PID);
	buf_add_raw64(b, TEXT_AT);
	buf_add_raw64(b, 0x1000000);
	buf_add_raw64(b, 0);
	buf_add_raw64(b, 0); /* device */
	buf_add_raw64(b, 17);
	buf_add_raw64(b, 0);
	buf_add_raw32(b, 5); /* r-x */
	buf_add_raw32(b, 2); /* MAP_PRIVATE */
	buf_add(b, name, sizeof(name));
	put_trailer(b, time_ns, FIRST_ID);
}

/* Its place is its time, so that what is lost or doubled shows. */
static void
put_sample(struct buf *b, uint64_t id, uint64_t time_ns)
{
	put_header(b, PERF_RECORD_SAMPLE, SAMPLE_BYTES);
	buf_add_raw64(b, id);
	buf_add_raw64(b, TEXT_AT + time_ns);
	buf_add_raw32(b, PID);
	buf_add_raw32(b, PID);
	buf_add_raw64(b, time_ns);
	buf_add_raw64(b, 0); /* CPU */
	buf_add_raw64(b, 1000);
}

static void
put(struct writer *w, struct buf *b)
{
	struct err err = { 0 };

	assert_int_equal(writer_put(w, buf_str(b), b->len, &err), 0);
	buf_release(b);
}

static void
end_round(struct writer *w)
{
	struct err err = { 0 };

	assert_int_equal(writer_round(w, &err), 0);
}

static struct writer *
begin(void)
{
	struct event_attr first = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct event_attr second = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	struct writer *w;
	struct err err = { 0 };

	w = writer_new(path, true, &err);
	assert_non_null(w);
	if (compresses)
		writer_compress(w);
	assert_int_equal(writer_event(w, "first", &first), 0);
	assert_int_equal(writer_event(w, "second", &second), 1);
	writer_id(w, 0, FIRST_ID);
	writer_id(w, 1, SECOND_ID);
	writer_id(w, 1, FIRST_ID); /* is the first's */
	return w;
}

/* Samples at the times from @from on, of both events in turn, after a comm and a map. */
static void
put_samples(struct writer *w, uint64_t from, size_t len)
{
	struct buf b = { 0 };

	if (from == 1) {
		put_comm(&b, 1);
		put_mmap2(&b, 1);
	}
	for (size_t i = 0; i < len; i++)
		put_sample(&b, i % 2 == 0 ? FIRST_ID : SECOND_ID, from + i);
	put(w, &b);
}

static int
end(struct writer *w, struct err *err)
{
	static char *const cmdline[] = { "ptop", "a word", NULL };
	const struct writer_info info = {
		.hostname = "host", .osrelease = "6.1", .version = "ptop 1", .arch = "x86_64",
		.cpudesc = "a CPU", .cpuid = "x,1,2", .nr_cpus_online = 3,
		.nr_cpus_available = 4, .total_mem_kib = 4096, .cmdline = cmdline,
	};

	*err = (struct err){ 0 };
	return writer_close(w, &info, 1, 4, err);
}

static void
end_well(struct writer *w)
{
	struct err err;

	assert_int_equal(end(w, &err), 0);
}

/* ---- what is read */

static struct datafile *
open_file(void)
{
	struct err err = { 0 };
	struct datafile *f = datafile_open(path, &err);

	assert_string_equal(err.text, "");
	assert_non_null(f);
	return f;
}

/* Each record is whole and of an event that is known; samples are at 1, 2, 3...  How many. */
static size_t
count_samples(void)
{
	struct datafile *f = open_file();
	const struct record_layouts *layouts = datafile_layouts(f);
	struct err err = { 0 };
	uint64_t time_ns;
	struct bytes bytes;
	struct record rec;
	size_t len = 0;

	while (datafile_next(f, &bytes, &time_ns, &err) == 1) {
		uint32_t event = record_layouts_event(layouts, bytes);

		assert_that(event, <, layouts->len);
		assert_int_equal(record_decode(&layouts->items[event], bytes, &rec), 1);
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		len++;
		assert_int_equal(rec.id.time_ns, len);
		assert_int_equal(rec.sample.ip, TEXT_AT + len);
		assert_int_equal(event, (len - 1) % 2);
	}
	assert_string_equal(err.text, "");
	assert_string_equal(datafile_losses(f)->text, "");
	assert_int_equal(datafile_losses(f)->unknown_records, 0);
	datafile_close(f);
	return len;
}

static uint64_t
read_u64(uint64_t at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t v;

	assert_int_equal(pread(fd, &v, sizeof(v), (off_t)at), sizeof(v));
	close(fd);
	return v;
}

static uint64_t
data_end(void)
{
	return read_u64(HEADER_DATA_AT) + read_u64(HEADER_DATA_AT + 8);
}

/* ---- closed */

static const uint8_t kernel_id[20] = { 1, 2, 3 };

static void
assert_info(const struct datafile_info *i)
{
	assert_string_equal(i->hostname, "host");
	assert_string_equal(i->osrelease, "6.1");
	assert_string_equal(i->version, "ptop 1");
	assert_string_equal(i->arch, "x86_64");
	assert_string_equal(i->cpudesc, "a CPU");
	assert_string_equal(i->cmdline, "ptop a word");
	assert_int_equal(i->nr_cpus_online, 3);
	assert_int_equal(i->nr_cpus_available, 4);
	assert_int_equal(i->sample_time_first, 1);
	assert_int_equal(i->sample_time_last, 4);
	assert_false(i->is_pipe);
}

static void
what_is_written_is_read(void **state)
{
	static const uint8_t short_id[8] = { 9, 8 };
	struct writer *w = begin();
	const struct datafile_event *events;
	uint8_t id[20];
	struct datafile *f;
	struct stat st;
	size_t n;

	(void)state;
	writer_build_id(w, PERF_RECORD_MISC_KERNEL, -1, "[kernel.kallsyms]", kernel_id,
				 sizeof(kernel_id));
	writer_build_id(w, PERF_RECORD_MISC_USER, -1, "/nonexistent/load", short_id,
				 sizeof(short_id));
	put_samples(w, 1, 2);
	end_round(w);
	put_samples(w, 3, 2);
	/* The round's end is as long as the index of the build-ids. */
	assert_int_equal(writer_bytes(w), 56 + 128 + 4 * SAMPLE_BYTES + 16);
	end_well(w);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(count_samples(), 4);
	f = open_file();
	events = datafile_events(f, &n);
	assert_int_equal(n, 2);
	assert_string_equal(events[0].name, "first");
	assert_string_equal(events[1].name, "second");
	assert_int_equal(events[1].attr.config, PERF_COUNT_SW_TASK_CLOCK);
	assert_int_equal(events[1].attr.sample_period, 1000);
	assert_int_equal(record_layouts_find(datafile_layouts(f), FIRST_ID), 0);
	assert_info(datafile_info(f));
	assert_int_equal(datafile_build_id(f, "[kernel.kallsyms]", id), 20);
	assert_memory_equal(id, kernel_id, 20);
	assert_int_equal(datafile_build_id(f, "/nonexistent/load", id), 8);
	assert_memory_equal(id, short_id, 8);
	datafile_close(f);
}

/* By which readers know the time of day of each record. */
static void
the_clock_of_the_records_is_told(void **state)
{
	const struct writer_info info = { .clock = 1, .clock_resolution_ns = 4, .clock_ns = 50,
					  .wall_ns = 70 };
	struct writer *w = begin();
	struct err err = { 0 };
	struct datafile *f;

	(void)state;
	put_samples(w, 1, 2);
	assert_int_equal(writer_close(w, &info, 1, 2, &err), 0);
	f = open_file();
	assert_non_null(strstr(datafile_info(f)->features, "clockid resolution 4 ns\n"));
	assert_non_null(strstr(datafile_info(f)->features,
			       "clock_data version 1, clockid 1, wall clock 70 ns at 50 ns\n"));
	datafile_close(f);
}

static void
records_keep_their_bytes(void **state)
{
	struct writer *w = begin();
	struct buf want = { 0 }, got = { 0 };
	struct err err = { 0 };
	struct bytes bytes;
	struct datafile *f;
	uint64_t time_ns;

	(void)state;
	put_comm(&want, 1);
	put_mmap2(&want, 2);
	put_sample(&want, SECOND_ID, 3);
	assert_int_equal(writer_put(w, want.data, want.len, &err), 0);
	end_well(w);
	f = open_file();
	while (datafile_next(f, &bytes, &time_ns, &err) == 1)
		if (record_type(bytes) < RECORD_USER_TYPE_FIRST)
			buf_add(&got, bytes.data, bytes.len);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	datafile_close(f);
	buf_release(&want);
	buf_release(&got);
}

/* Nothing was told and nothing sampled: it is a recording even so. */
static void
an_empty_recording_can_be_read(void **state)
{
	struct event_attr attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	const struct writer_info info = { 0 };
	struct writer *w;
	struct err err = { 0 };
	struct datafile *f;

	(void)state;
	w = writer_new(path, true, &err);
	assert_non_null(w);
	writer_event(w, "first", &attr);
	assert_int_equal(writer_close(w, &info, 0, 0, &err), 0);
	assert_int_equal(count_samples(), 0);
	assert_int_equal(read_u64(HEADER_FEATURES_AT), 1 << 12); /* EVENT_DESC */
	f = open_file();
	assert_null(datafile_info(f)->hostname);
	datafile_close(f);
}

static void
attributes_are_as_short_as_can_be(void **state)
{
	struct event_attr attr = make_attr(PERF_TYPE_RAW, 1);
	struct writer *w = begin();
	struct datafile *f;
	size_t n;

	(void)state;
	put_samples(w, 1, 2);
	end_round(w);
	assert_int_equal(read_u64(HEADER_ATTR_SIZE_AT), 112 + 16);
	attr.config3 = 5;
	writer_event(w, "x", &attr);
	assert_int_equal(read_u64(HEADER_ATTR_SIZE_AT), 112 + 16);
	assert_int_equal(count_samples(), 2);
	end_well(w);
	assert_int_equal(read_u64(HEADER_ATTR_SIZE_AT), 136 + 16);
	f = open_file();
	assert_int_equal(datafile_events(f, &n)[2].attr.config3, 5);
	assert_int_equal(datafile_events(f, &n)[2].attr.size, 136);
	assert_string_equal(datafile_events(f, &n)[2].name, "x");
	assert_int_equal(n, 3);
	datafile_close(f);
	assert_int_equal(count_samples(), 2);
}

/* Whichever is the longest. */
static void
a_long_attribute_comes_whole_before_shorter_ones(void **state)
{
	struct event_attr long_one = make_attr(PERF_TYPE_RAW, 1);
	struct event_attr short_one = make_attr(PERF_TYPE_RAW, 2);
	const struct writer_info info = { 0 };
	struct writer *w;
	struct err err = { 0 };
	struct datafile *f;
	size_t n;

	(void)state;
	long_one.config3 = 5;
	w = writer_new(path, true, &err);
	assert_non_null(w);
	writer_event(w, "long", &long_one);
	writer_event(w, "short", &short_one);
	assert_int_equal(writer_close(w, &info, 0, 0, &err), 0);
	assert_int_equal(read_u64(HEADER_ATTR_SIZE_AT), 136 + 16);
	f = open_file();
	assert_int_equal(datafile_events(f, &n)[0].attr.config3, 5);
	assert_int_equal(datafile_events(f, &n)[1].attr.config, 2);
	assert_int_equal(n, 2);
	datafile_close(f);
}

/* As in the header: perf takes each by what it says of itself. */
static void
attributes_among_the_features_say_their_own_length(void **state)
{
	struct event_attr attr = make_attr(PERF_TYPE_RAW, 1);
	const struct writer_info info = { 0 };
	struct err err = { 0 };
	struct writer *w;
	uint64_t desc;

	(void)state;
	w = writer_new(path, true, &err);
	assert_non_null(w);
	writer_event(w, "x", &attr);
	assert_int_equal(writer_close(w, &info, 0, 0, &err), 0);
	assert_int_equal(read_u64(HEADER_FEATURES_AT), 1 << 12); /* EVENT_DESC */
	desc = read_u64(data_end());
	assert_int_equal(read_u64(desc) & UINT32_MAX, 1);
	assert_int_equal(read_u64(desc) >> 32, 112);
	assert_int_equal(read_u64(desc + 8) & UINT32_MAX, PERF_TYPE_RAW);
	assert_int_equal(read_u64(desc + 8) >> 32, 112);
}

/* Of as many ids as a machine of many CPUs has. */
static void
write_one_of_many_ids(void)
{
	enum { IDS = 8000 };
	struct writer *w = begin();

	for (uint64_t id = 1; id <= IDS; id++)
		writer_id(w, 1, 1000 + id);
	end_well(w);
}

/* A long run with many recordings takes no more memory than one of them. */
static void
a_writer_that_was_closed_keeps_no_memory(void **state)
{
	enum { RECORDINGS = 64, LIMIT = 4 << 20 };
	long before;

	(void)state;
	need_mapped_bytes();
	write_one_of_many_ids();
	before = mapped_bytes();
	for (int i = 0; i < RECORDINGS; i++)
		write_one_of_many_ids();
	assert_that(mapped_bytes() - before, <, LIMIT);
}

/* ---- not closed */

/* A file is readable up to its last round, however much was written behind it. */
static void
check_rounds(size_t tracing_len)
{
	struct writer *w = begin();
	struct event_attr attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	char *tracing = mem_calloc(tracing_len + 1, 1);
	uint64_t bits = tracing_len > 0 ? 1 << 1 : 0;
	size_t len = 0;

	writer_tracing_data(w, tracing, tracing_len);
	for (int i = 0; i < 5; i++) {
		put_samples(w, len + 1, MANY);
		if (i > 0)
			assert_int_equal(count_samples(), len);
		end_round(w);
		len += MANY;
		assert_int_equal(count_samples(), len);
		assert_int_equal(read_u64(HEADER_FEATURES_AT), bits);
		if (i == 2)
			writer_event(w, "later", &attr);
		writer_id(w, 1, 1000 + (unsigned)i);
		end_round(w); /* only its tables are new */
		assert_int_equal(count_samples(), len);
		if (tracing_len > 0) {
			assert_int_equal(read_u64(data_end() + 8), tracing_len);
			assert_that(read_u64(data_end()), <, read_u64(HEADER_DATA_AT));
		}
	}
	end_well(w);
	assert_int_equal(count_samples(), len);
	free(tracing);
}

static void
a_file_is_read_to_its_last_round(void **state)
{
	(void)state;
	check_rounds(0);
}

static void
tracing_data_is_there_from_the_first_round(void **state)
{
	(void)state;
	check_rounds(10000);
}

static void
later_tracing_data_replaces_the_first(void **state)
{
	struct writer *w = begin();
	uint64_t at;

	(void)state;
	writer_tracing_data(w, "11111111", 8);
	put_samples(w, 1, 2);
	end_round(w);
	assert_memory_equal(&(uint64_t){ read_u64(read_u64(data_end())) }, "11111111", 8);
	writer_tracing_data(w, "22222222", 8);
	put_samples(w, 3, 2);
	end_round(w);
	assert_memory_equal(&(uint64_t){ read_u64(read_u64(data_end())) }, "11111111", 8);
	end_well(w);
	at = data_end();
	assert_int_equal(read_u64(HEADER_FEATURES_AT) & 2, 2);
	assert_memory_equal(&(uint64_t){ read_u64(read_u64(at)) }, "22222222", 8);
	assert_int_equal(count_samples(), 4);
}

/* Half a record behind, as a program leaves it that is killed while it writes. */
static void
leave_unclosed(const char *tracing, size_t tracing_len)
{
	int status, fd;
	pid_t pid = run_fork();

	if (pid == 0) {
		struct writer *w = begin();

		writer_tracing_data(w, tracing, tracing_len);
		put_samples(w, 1, 10);
		end_round(w);
		put_samples(w, 11, 10);
		end_round(w);
		put_samples(w, 21, MANY);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "\t\0\0\0\0\0\377\0garbage", 15), 15);
	close(fd);
}

static void
a_killed_writer_leaves_a_recording(void **state)
{
	(void)state;
	leave_unclosed("", 0);
	assert_int_equal(count_samples(), 20);
	leave_unclosed("tracing", 7);
	assert_int_equal(count_samples(), 20);
}

static const struct writer_info origin = {
	.hostname = "host", .osrelease = "6.1", .arch = "x86_64",
	.clock = CLOCK_MONOTONIC, .clock_resolution_ns = 1, .clock_ns = 5, .wall_ns = 7,
};

static void
assert_origin(void)
{
	struct datafile *f = open_file();
	uint8_t id[20];

	assert_string_equal(datafile_info(f)->hostname, origin.hostname);
	assert_string_equal(datafile_info(f)->osrelease, origin.osrelease);
	assert_string_equal(datafile_info(f)->arch, origin.arch);
	assert_int_equal(datafile_info(f)->wall_at_ns, origin.clock_ns);
	assert_int_equal(datafile_info(f)->wall_ns, origin.wall_ns);
	assert_int_equal(datafile_build_id(f, "[kernel.kallsyms]", id), sizeof(id));
	assert_memory_equal(id, kernel_id, sizeof(id));
	datafile_close(f);
}

static void
the_machine_is_told_from_the_first_round(void **state)
{
	struct writer *w = begin();

	(void)state;
	writer_tracing_data(w, "tracing", 7);
	writer_origin(w, &origin);
	writer_build_id(w, PERF_RECORD_MISC_KERNEL, -1, "[kernel.kallsyms]", kernel_id,
			sizeof(kernel_id));
	for (size_t len = 0; len < 4 * MANY; len += MANY) {
		put_samples(w, len + 1, MANY);
		end_round(w);
		assert_origin();
		assert_int_equal(count_samples(), len + MANY);
	}
	end_well(w);
}

/* ---- what does not fit */

/* Of all files that this process writes; 0: as before. */
static void
limit_files(uint64_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes > 0 ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void
assert_full(const struct err *err, int sys)
{
	assert_int_equal(err->sys, sys);
	assert_non_null(strstr(err->text, path));
	assert_string_not_equal(err->hint, "");
}

static void
check_full(const char *tracing, uint64_t room)
{
	struct writer *w = begin();
	struct buf b = { 0 };
	struct err err = { 0 };
	struct stat st;
	size_t kept;
	int res = 0;

	writer_tracing_data(w, tracing, strlen(tracing));
	put_samples(w, 1, 10);
	end_round(w);
	limit_files(data_end() + room);
	for (uint64_t i = 11; res == 0; i++) {
		assert_that(i, <, 2 * MANY);
		put_sample(&b, i % 2 != 0 ? FIRST_ID : SECOND_ID, i);
		res = writer_put(w, b.data, b.len, &err);
		buf_reset(&b);
	}
	assert_full(&err, EFBIG);
	err = (struct err){ 0 };
	assert_int_equal(writer_put(w, "", 0, &err), -1);
	assert_full(&err, EFBIG);
	err = (struct err){ 0 };
	assert_int_equal(writer_round(w, &err), -1);
	assert_full(&err, EFBIG);
	kept = count_samples();
	assert_int_equal(kept, writer_samples(w));
	assert_in_range(kept, 10 + (room - MIN(room, TAIL_BYTES)) / SAMPLE_BYTES,
			10 + room / SAMPLE_BYTES);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, data_end() + (*tracing != '\0' ? 16 : 0));
	writer_id(w, 0, 1000);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_full(&err, EFBIG);
	assert_int_equal(count_samples(), kept);
	buf_release(&b);
}

static void
a_full_disk_ends_the_file_where_features_still_fit(void **state)
{
	/* The last one ends just behind the first buffer of the round, which has been written. */
	static const uint64_t rooms[] = { 100000, 600000, (256 << 10) + 500 };
	struct datafile *f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		check_full("", rooms[i]);
		f = open_file(); /* the features had room */
		assert_string_equal(datafile_info(f)->hostname, "host");
		datafile_close(f);
	}
	check_full("tracing", 100000);
	check_full("", 16);
	check_full("", 1);
	check_full("tracing", 20);
	assert_int_equal(read_u64(HEADER_FEATURES_AT), 2);
	assert_int_equal(read_u64(data_end() + 8), 7);
}

static void
a_round_that_does_not_fit_is_left_out(void **state)
{
	struct writer *w = begin();
	struct err err = { 0 };

	(void)state;
	put_samples(w, 1, 10);
	end_round(w);
	limit_files(data_end() + SAMPLE_BYTES);
	put_samples(w, 11, 10);
	assert_int_equal(writer_round(w, &err), -1);
	assert_full(&err, EFBIG);
	assert_int_equal(count_samples(), 10);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_int_equal(count_samples(), 10);
}

/* As they come out of a flight recorder: more at once than a buffer, cut where one ends. */
static void
records_put_at_once_are_kept_as_far_as_they_fit(void **state)
{
	enum { ROOM = 500000 };
	struct writer *w = begin();
	struct buf b = { 0 };
	struct err err = { 0 };
	size_t kept;

	(void)state;
	end_round(w);
	put_comm(&b, 1);
	for (uint64_t i = 1; i <= MANY; i++)
		put_sample(&b, i % 2 != 0 ? FIRST_ID : SECOND_ID, i);
	limit_files(data_end() + ROOM);
	assert_int_equal(writer_put(w, b.data, b.len, &err), -1);
	assert_full(&err, EFBIG);
	kept = count_samples();
	assert_in_range(kept, (ROOM - TAIL_BYTES) / SAMPLE_BYTES, ROOM / SAMPLE_BYTES);
	assert_int_equal(kept, writer_samples(w));
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_int_equal(count_samples(), kept);
	assert_int_equal(read_u64(HEADER_FEATURES_AT) & 8, 8);
	buf_release(&b);
}

/* A new event that has records in the round, but is in no table yet. */
static void
tables_are_written_for_what_is_kept(void **state)
{
	struct event_attr attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	struct writer *w = begin();
	struct datafile *f;
	struct err err = { 0 };
	int res = 0;
	size_t n;

	(void)state;
	put_samples(w, 1, 10);
	end_round(w);
	limit_files(data_end() + 200000);
	assert_int_equal(writer_event(w, "third", &attr), 2);
	writer_id(w, 2, 3000);
	for (uint64_t at = 11; res == 0; at += 10) {
		struct buf b = { 0 };

		for (uint64_t i = at; i < at + 10; i++)
			put_sample(&b, i % 2 != 0 ? FIRST_ID : SECOND_ID, i);
		res = writer_put(w, b.data, b.len, &err);
		buf_release(&b);
	}
	f = open_file();
	assert_int_equal(record_layouts_find(datafile_layouts(f), 3000), 2);
	datafile_close(f);
	assert_that(count_samples(), >, 2000);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	f = open_file();
	assert_string_equal(datafile_events(f, &n)[2].name, "third");
	datafile_close(f);
}

static void
features_without_room_leave_the_records(void **state)
{
	struct writer *w = begin();
	struct err err = { 0 };

	(void)state;
	put_samples(w, 1, 10);
	end_round(w);
	limit_files(data_end() + 10);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_full(&err, EFBIG);
	assert_int_equal(count_samples(), 10);
	assert_int_equal(read_u64(HEADER_FEATURES_AT), 0);
}

static void
a_file_without_any_room_is_removed(void **state)
{
	struct writer *w = begin();
	struct err err = { 0 };

	(void)state;
	limit_files(100);
	put_samples(w, 1, 10);
	assert_int_equal(writer_round(w, &err), -1);
	assert_full(&err, EFBIG);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_null(strstr(err.hint, "can be read"));
	assert_int_equal(access(path, F_OK), -1);
}

/* Tables and features alone would be a recording, and taken for its records. */
static void
a_file_without_room_for_records_is_removed(void **state)
{
	enum { ROOM = 8 << 10 };
	struct writer *w = begin();
	struct err err = { 0 };

	(void)state;
	put_samples(w, 1, 10);
	end_well(w);
	limit_files(read_u64(HEADER_DATA_AT) + ROOM);
	w = begin();
	put_samples(w, 1, 2 * ROOM / SAMPLE_BYTES);
	assert_int_equal(writer_round(w, &err), -1);
	assert_full(&err, EFBIG);
	assert_int_equal(writer_samples(w), 0);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_null(strstr(err.hint, "can be read"));
	assert_int_equal(access(path, F_OK), -1);
}

static void
a_full_device_is_told(void **state)
{
	struct event_attr attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct writer *w;
	struct err err = { 0 };

	(void)state;
	w = writer_new("/dev/full", true, &err);
	assert_non_null(w);
	writer_event(w, "first", &attr);
	assert_int_equal(writer_round(w, &err), -1);
	assert_int_equal(err.sys, ENOSPC);
	assert_non_null(strstr(err.text, "'/dev/full'"));
	assert_int_equal(end(w, &err), -1);
	assert_int_equal(err.sys, ENOSPC);
}

/* A recording's header is written last. */
static void
a_pipe_is_refused_with_what_to_do(void **state)
{
	char pipe[128];
	struct err err = { 0 };
	int fd;

	(void)state;
	snprintf(pipe, sizeof(pipe), "%s.pipe", path);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	fd = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_null(writer_new(pipe, true, &err));
	assert_non_null(strstr(err.text, "it is no regular file"));
	assert_non_null(strstr(err.hint, "name a regular file"));
	close(fd);
	unlink(pipe);
}

static void
a_file_that_was_deleted_is_there_again(void **state)
{
	static const struct {
		const char *in_its_place, *is_at, *says, *hint;
	} cases[] = {
		{ NULL, "", "was deleted while it was written", "it is there again" },
		{ "/dev/null", ".1", "exists", "what was written is in '" },
		{ "", NULL, "No such file", "the file was deleted while it was written, and is lost" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct writer *w = begin();
		const char *place = cases[i].in_its_place;
		char at[128], *own = path;
		struct err err;

		put_samples(w, 1, MANY);
		assert_int_equal(unlink(path), 0);
		if (place != NULL && *place == '\0')
			assert_int_equal(rmdir(dir), 0);
		else if (place != NULL)
			assert_int_equal(symlink(place, path), 0);
		assert_int_equal(end(w, &err), -1);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_non_null(strstr(err.hint, cases[i].hint));
		if (cases[i].is_at == NULL) {
			assert_int_equal(mkdir(dir, 0700), 0);
			continue;
		}
		snprintf(at, sizeof(at), "%s%s", path, cases[i].is_at);
		path = at;
		assert_int_equal(count_samples(), MANY);
		path = own;
		unlink(at);
		unlink(path);
	}
}

static void
what_exists_is_kept_unless_forced(void **state)
{
	struct err err = { 0 };
	char link_path[64];

	(void)state;
	end_well(begin());
	assert_null(writer_new(path, false, &err));
	assert_non_null(strstr(err.text, "exists"));
	assert_int_equal(count_samples(), 0);
	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	assert_int_equal(symlink(path, link_path), 0);
	assert_null(writer_new(link_path, true, &err));
	unlink(link_path);
}

static void
more_ids_than_fit_go_behind_the_records(void **state)
{
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t len = 64 * (160 + 8 * cpus) / 8 + 20000, some;
	struct writer *w = begin();
	struct datafile *f;

	(void)state;
	for (size_t i = 0; i < len; i++)
		writer_id(w, i % 2, 1000 + i);
	put_samples(w, 1, 10);
	end_round(w);
	put_samples(w, 11, 10);
	assert_int_equal(count_samples(), 10);
	f = open_file();
	some = datafile_layouts(f)->id_len;
	assert_in_range(some, 4000, len);
	for (size_t i = 0; i < some - 2; i++)
		assert_int_equal(record_layouts_find(datafile_layouts(f), 1000 + i), i % 2);
	datafile_close(f);
	end_well(w);
	assert_int_equal(count_samples(), 20);
	f = open_file();
	assert_int_equal(datafile_layouts(f)->id_len, len + 2);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(record_layouts_find(datafile_layouts(f), 1000 + i), i % 2);
	assert_string_equal(datafile_info(f)->hostname, "host");
	datafile_close(f);
}

/* ---- perf */

static void
need_perf(void)
{
	if (!run_has_perf())
		skip_for("there is no perf that runs");
}

/* What perf prints; it must have nothing to say against the file. */
static struct run_result
run_perf(char *const argv[])
{
	static const char *const complaints[] = {
		"truncated", "size field is 0", "not present in the header",
	};
	struct run_result r;

	run_program(&r, 60, argv);
	if (r.status != 0)
		print_message("# perf: %s\n", r.err);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < ARRAY_SIZE(complaints); i++)
		assert_null(strstr(r.err, complaints[i]));
	return r;
}

/* Of two events in turn, @len samples. */
static void
assert_perf_counts(const char *first, const char *second, size_t len)
{
	size_t of_first = (len + 1) / 2, of_second = len / 2;
	char want[128];
	struct run_result r;

	r = run_perf((char *[]){ "perf", "script", "-i", path, "-F", "comm,event,ip", NULL });
	assert_int_equal(run_count_text(r.out, first), of_first);
	assert_int_equal(run_count_text(r.out, second), of_second);
	run_release(&r);
	r = run_perf((char *[]){ "perf", "report", "-i", path, "--stdio", "-n", "--sort",
				 "comm,dso", NULL });
	snprintf(want, sizeof(want), "# Samples: %zu  of event '%s", of_first, first);
	assert_non_null(strstr(r.out, want));
	snprintf(want, sizeof(want), "# Samples: %zu  of event '%s", of_second, second);
	assert_non_null(strstr(r.out, want));
	assert_non_null(strstr(r.out, "load"));
	run_release(&r);
}

static void
perf_reads_what_was_closed(void **state)
{
	static const uint8_t id[20] = { 0xab, 0xcd };
	struct writer *w;
	struct run_result r;

	(void)state;
	need_perf();
	w = begin();
	writer_build_id(w, PERF_RECORD_MISC_USER, -1, "/nonexistent/load", id,
				 sizeof(id));
	put_samples(w, 1, 10);
	end_round(w);
	put_samples(w, 11, 10);
	end_well(w);
	assert_perf_counts("first", "second", 20);
	r = run_perf((char *[]){ "perf", "buildid-list", "-i", path, NULL });
	assert_non_null(strstr(r.out, "abcd000000000000000000000000000000000000 "
				      "/nonexistent/load"));
	run_release(&r);
	r = run_perf((char *[]){ "perf", "report", "-i", path, "--header-only", NULL });
	assert_non_null(strstr(r.out, "# hostname : host"));
	assert_non_null(strstr(r.out, "# nrcpus avail : 4"));
	assert_non_null(strstr(r.out, "# total memory : 4096 kB"));
	assert_non_null(strstr(r.out, "# cpuid : x,1,2"));
	assert_non_null(strstr(r.out, "# cmdline : ptop a word"));
	assert_non_null(strstr(r.out, "# time of last sample : 0.000000"));
	run_release(&r);
}

static void
perf_reads_what_was_not_closed(void **state)
{
	(void)state;
	need_perf();
	leave_unclosed("", 0);
	assert_perf_counts("cpu-clock", "task-clock", 20);
}

static void
perf_reads_what_a_full_disk_has(void **state)
{
	struct writer *w = begin();
	struct err err = { 0 };
	struct buf b = { 0 };
	size_t kept;
	int res = 0;

	(void)state;
	need_perf();
	put_samples(w, 1, 10);
	end_round(w);
	limit_files(data_end() + 60000);
	for (uint64_t i = 11; res == 0; i += 2) {
		put_sample(&b, FIRST_ID, i);
		put_sample(&b, SECOND_ID, i + 1);
		res = writer_put(w, b.data, b.len, &err);
		buf_reset(&b);
	}
	buf_release(&b);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	kept = count_samples();
	assert_that(kept, >, 500);
	assert_perf_counts("first", "second", kept);
}

static void
perf_reads_ids_behind_the_records(void **state)
{
	struct writer *w;

	(void)state;
	need_perf();
	w = begin();
	for (unsigned i = 0; i < 100000; i++)
		writer_id(w, i % 2, 1000 + i);
	put_samples(w, 1, 20);
	end_well(w);
	assert_perf_counts("first", "second", 20);
}

/* perf report shows the events of a group side by side. */
static void
perf_reads_groups(void **state)
{
	static const char *const want[] = { "{first,second}", "{second,third}" };

	(void)state;
	need_perf();
	for (uint32_t first = 0; first < ARRAY_SIZE(want); first++) {
		struct event_attr attr = make_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
		struct run_result r;
		struct writer *w = begin();

		writer_event(w, "third", &attr);
		writer_id(w, 2, 3000);
		/* A group of one is none. */
		if (first > 0)
			writer_group(w, 0, 1);
		writer_group(w, first, 2);
		put_samples(w, 1, 10);
		end_well(w);
		r = run_perf((char *[]){ "perf", "report", "-i", path, "--header-only", NULL });
		if (strstr(r.out, want[first]) == NULL)
			fail_msg("no group %s in: %s", want[first], r.out);
		assert_int_equal(run_count_text(r.out, "# group:"), 1);
		run_release(&r);
	}
}

/* A part of the tracing data: its length, then itself. */
static void
put_tracing_part(struct buf *b, const char *text)
{
	buf_add_raw64(b, strlen(text));
	buf_add_str(b, text);
}

/* What perf has from tracefs: see trace-event-info.c of its sources; here of one event. */
static void
put_tracing(struct buf *b)
{
	static const char format[] =
		"name: flood\nID: 4711\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned int level;\toffset:8;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"level=%u\", REC->level\n";
	static const char header_page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	uint16_t one = 1;

	buf_add(b, "\027\010\104tracing0.6", 14); /* with its NUL */
	buf_add_char(b, *(uint8_t *)&one == 1 ? 0 : 1);
	buf_add_char(b, sizeof(long));
	buf_add_raw32(b, 4096);
	buf_add(b, "header_page", 12);
	put_tracing_part(b, header_page);
	buf_add(b, "header_event", 13);
	put_tracing_part(b, "");
	buf_add_raw32(b, 0); /* formats of ftrace */
	buf_add_raw32(b, 1); /* systems */
	buf_add(b, "river", 6);
	buf_add_raw32(b, 1);
	put_tracing_part(b, format);
	buf_add_raw32(b, 0); /* kallsyms */
	buf_add_raw32(b, 0); /* printk formats */
	buf_add_raw64(b, 0); /* command lines */
}

static void
leave_tracepoints(bool closed)
{
	struct event_attr attr = make_attr(PERF_TYPE_TRACEPOINT, 4711);
	struct writer *w;
	struct buf b = { 0 };
	struct err err = { 0 };

	attr.sample_type |= PERF_SAMPLE_RAW;
	w = writer_new(path, true, &err);
	assert_non_null(w);
	writer_event(w, "river:flood", &attr);
	writer_id(w, 0, FIRST_ID);
	put_tracing(&b);
	writer_tracing_data(w, b.data, b.len);
	buf_release(&b);
	for (uint32_t i = 0; i < 10; i++) {
		put_header(&b, PERF_RECORD_SAMPLE, SAMPLE_BYTES + 16);
		put_sample(&b, FIRST_ID, 1 + i);
		memmove(b.data + b.len - SAMPLE_BYTES, b.data + b.len - SAMPLE_BYTES + 8,
			SAMPLE_BYTES - 8);
		b.len -= 8;
		buf_add_raw32(&b, 12);
		buf_add_raw32(&b, 4711);
		buf_add_raw32(&b, PID);
		buf_add_raw32(&b, 100 + i);
		put(w, &b);
		if (i % 4 == 3)
			end_round(w);
	}
	if (closed)
		end_well(w);
	else
		_exit(0);
}

static void
assert_perf_knows_tracepoints(size_t len)
{
	struct run_result r;

	r = run_perf((char *[]){ "perf", "script", "-i", path, NULL });
	assert_int_equal(run_count_text(r.out, "river:flood: level=10"), len);
	run_release(&r);
}

static void
perf_reads_tracepoints(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	need_perf();
	leave_tracepoints(true);
	assert_perf_knows_tracepoints(10);
	pid = run_fork();
	if (pid == 0)
		leave_tracepoints(false);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_perf_knows_tracepoints(8);
}

/* ---- compressed */

#ifdef HAVE_ZSTD

static int
begin_compressing(void **state)
{
	(void)state;
	compresses = true;
	return 0;
}

static int
end_compressing(void **state)
{
	(void)state;
	compresses = false;
	return 0;
}

/* Not to the last round alone: what was put since then and is on the disk. */
static void
a_full_disk_keeps_what_is_compressed(void **state)
{
	enum { ROOM = 600000, PUT_MAX = 20 * MANY };
	struct writer *w = begin();
	struct buf b = { 0 };
	struct err err = { 0 };
	size_t put = 10, kept;

	(void)state;
	put_samples(w, 1, put);
	end_round(w);
	limit_files(data_end() + ROOM);
	for (int res = 0; res == 0; buf_reset(&b)) {
		assert_that(put, <, PUT_MAX);
		put_sample(&b, put % 2 == 0 ? FIRST_ID : SECOND_ID, put + 1);
		put++;
		res = writer_put(w, b.data, b.len, &err);
	}
	assert_full(&err, EFBIG);
	kept = count_samples();
	assert_int_equal(kept, writer_samples(w));
	assert_in_range(kept, put / 2, put);
	assert_int_equal(end(w, &err), -1);
	limit_files(0);
	assert_int_equal(count_samples(), kept);
	buf_release(&b);
}

static void
compressed_records_are_fewer_bytes(void **state)
{
	struct writer *w = begin();

	(void)state;
	put_samples(w, 1, MANY);
	end_round(w);
	put_samples(w, MANY + 1, MANY);
	end_well(w);
	assert_int_equal(count_samples(), 2 * MANY);
	assert_that(read_u64(HEADER_DATA_AT + 8), <, MANY * SAMPLE_BYTES);
	assert_int_equal(read_u64(HEADER_FEATURES_AT) & 1 << 27, 1 << 27);
}

/* No shorter than it was, and more in a round than one of perf's records can be. */
static void
what_cannot_be_compressed_is_there_all_the_same(void **state)
{
	enum { RECORDS = 100, BYTES = 8000 };
	struct writer *w = begin();
	struct buf b = { 0 };
	struct err err = { 0 };
	uint64_t random = 1, time_ns;
	struct datafile *f;
	struct bytes bytes;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < RECORDS; i++) {
		put_header(&b, 5000, 8 + BYTES);
		for (size_t k = 0; k < BYTES / 8; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			buf_add_raw64(&b, random ^ random >> 29);
		}
	}
	assert_int_equal(writer_put(w, b.data, b.len, &err), 0);
	end_well(w);
	f = open_file();
	while (datafile_next(f, &bytes, &time_ns, &err) == 1) {
		if (record_type(bytes) != 5000)
			continue;
		assert_int_equal(bytes.len, 8 + BYTES);
		assert_memory_equal(bytes.data, b.data + n * (8 + BYTES), bytes.len);
		n++;
	}
	assert_int_equal(n, RECORDS);
	datafile_close(f);
	buf_release(&b);
}

/* That of the compression, which is behind the tracing data, is as long as perf has it. */
static void
features_in_front_of_the_records_have_their_length(void **state)
{
	enum { TRACING = 100, COMPRESSION = 5 * 4 };
	char tracing[TRACING] = "formats";
	struct writer *w = begin();
	uint64_t index;

	(void)state;
	writer_tracing_data(w, tracing, TRACING);
	put_samples(w, 1, 2);
	end_round(w);
	index = data_end();
	assert_int_equal(read_u64(index + 8), TRACING);
	assert_int_equal(read_u64(index + 16), read_u64(index) + (TRACING + 7) / 8 * 8);
	assert_int_equal(read_u64(index + 24), COMPRESSION);
	end_well(w);
}

/* A file that is flushed each second does not grow while nothing happens. */
static void
where_nothing_is_new_nothing_is_written(void **state)
{
	struct packer *p = packer_new();
	struct buf b = { 0 };
	size_t len;

	(void)state;
	packer_flush(p, &b);
	assert_int_equal(b.len, 0);
	packer_add(p, "sixteen bytes...", 16, &b);
	packer_flush(p, &b);
	len = b.len;
	assert_that(len, >, 0);
	packer_flush(p, &b);
	assert_int_equal(b.len, len);
	buf_release(&b);
	packer_free(p);
}

#define COMPRESSED(test) { "compressed: " #test, test, begin_compressing, end_compressing, NULL }

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(the_clock_of_the_records_is_told),
		cmocka_unit_test(records_keep_their_bytes),
		cmocka_unit_test(an_empty_recording_can_be_read),
		cmocka_unit_test(attributes_are_as_short_as_can_be),
		cmocka_unit_test(a_long_attribute_comes_whole_before_shorter_ones),
		cmocka_unit_test(attributes_among_the_features_say_their_own_length),
		cmocka_unit_test(a_writer_that_was_closed_keeps_no_memory),
		cmocka_unit_test(a_file_is_read_to_its_last_round),
		cmocka_unit_test(tracing_data_is_there_from_the_first_round),
		cmocka_unit_test(later_tracing_data_replaces_the_first),
		cmocka_unit_test(a_killed_writer_leaves_a_recording),
		cmocka_unit_test(the_machine_is_told_from_the_first_round),
		cmocka_unit_test(a_full_disk_ends_the_file_where_features_still_fit),
		cmocka_unit_test(a_round_that_does_not_fit_is_left_out),
		cmocka_unit_test(records_put_at_once_are_kept_as_far_as_they_fit),
		cmocka_unit_test(tables_are_written_for_what_is_kept),
		cmocka_unit_test(features_without_room_leave_the_records),
		cmocka_unit_test(a_file_without_any_room_is_removed),
		cmocka_unit_test(a_file_without_room_for_records_is_removed),
		cmocka_unit_test(a_full_device_is_told),
		cmocka_unit_test(a_pipe_is_refused_with_what_to_do),
		cmocka_unit_test(a_file_that_was_deleted_is_there_again),
		cmocka_unit_test(what_exists_is_kept_unless_forced),
		cmocka_unit_test(more_ids_than_fit_go_behind_the_records),
		cmocka_unit_test(perf_reads_what_was_closed),
		cmocka_unit_test(perf_reads_what_was_not_closed),
		cmocka_unit_test(perf_reads_what_a_full_disk_has),
		cmocka_unit_test(perf_reads_ids_behind_the_records),
		cmocka_unit_test(perf_reads_groups),
		cmocka_unit_test(perf_reads_tracepoints),
#ifdef HAVE_ZSTD
		COMPRESSED(records_keep_their_bytes),
		COMPRESSED(an_empty_recording_can_be_read),
		COMPRESSED(later_tracing_data_replaces_the_first),
		COMPRESSED(a_killed_writer_leaves_a_recording),
		COMPRESSED(the_machine_is_told_from_the_first_round),
		COMPRESSED(a_round_that_does_not_fit_is_left_out),
		COMPRESSED(a_full_disk_keeps_what_is_compressed),
		COMPRESSED(more_ids_than_fit_go_behind_the_records),
		COMPRESSED(compressed_records_are_fewer_bytes),
		COMPRESSED(features_in_front_of_the_records_have_their_length),
		cmocka_unit_test(where_nothing_is_new_nothing_is_written),
		COMPRESSED(what_cannot_be_compressed_is_there_all_the_same),
		COMPRESSED(perf_reads_what_was_closed),
		COMPRESSED(perf_reads_what_was_not_closed),
		COMPRESSED(perf_reads_ids_behind_the_records),
		COMPRESSED(perf_reads_tracepoints),
#endif
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
