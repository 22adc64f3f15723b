/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings in the format of files, and directories of them. */
#include "tests/tape.h"

#include "datafile/contents.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/run.h"

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
	(void)state;
	for (size_t odd = 9; odd < 16; odd++) {
		struct tape t = { 0 };
		struct err err;
		struct datafile *f;

		begin_file(&t, 3 * SAMPLE_BYTES + odd + 40000, 0);
		put_sample(&t, 71, 2, 20);
		put_header(&t, 40000, 0, odd);
		buf_add_fill(&t.b, 0, odd - 8);
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
}

/* As perf writes them: guests are left out as usual, but where other modifiers are. */
static void
names_of_events_tell_whose_code_they_count(void **state)
{
	static const struct {
		struct event_attr attr;
		const char *name;
	} rows[] = {
		{ { .exclude_guest = 1 }, "cycles" },
		{ { .exclude_guest = 0 }, "cycles:HG" },
		{ { .exclude_host = 1 }, "cycles:G" },
		{ { .exclude_kernel = 1, .exclude_hv = 1 }, "cycles:u" },
		{ { .exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1 }, "cycles:uH" },
		{ { .exclude_user = 1, .exclude_hv = 1 }, "cycles:k" },
		{ { .exclude_kernel = 1 }, "cycles:uh" },
		{ { .exclude_user = 1 }, "cycles:kh" },
		{ { .exclude_hv = 1 }, "cycles:ku" },
		{ { .exclude_user = 1, .exclude_kernel = 1, .exclude_host = 1 }, "cycles:hG" },
		{ { .precise_ip = 2 }, "cycles:pp" },
		{ { .precise_ip = 2, .exclude_guest = 1 }, "cycles:ppH" },
		{ { .exclude_kernel = 1, .exclude_hv = 1, .precise_ip = 3 }, "cycles:uppp" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *name = event_name_make(&rows[i].attr);

		assert_string_equal(name, rows[i].name);
		free(name);
	}
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

/* Of a file that has none, say: the next one counts all the same. */
static void
a_build_id_record_of_its_header_alone_is_passed_over(void **state)
{
	enum { AT = DATA_AT + SAMPLE_BYTES + 16, ID = 8 + 4 + 24 + 16 };
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;
	uint8_t id[20];

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 1 << 2);
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT, 8 + ID);
	put_header(&t, BUILD_ID, 0, 8);
	put_header(&t, BUILD_ID, 1 << 15, ID);
	put32(&t, UINT32_MAX);
	buf_add(&t.b, "0123456789abcdef\0\0\0\0\020\0\0\0", 24);
	buf_add(&t.b, "/usr/lib/thing\0", 16);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_string_equal(datafile_losses(f)->text, "");
	assert_int_equal(datafile_build_id(f, "/usr/lib/thing", id), 16);
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

/* A group, which nobody writes any more: how long it is only its end would tell. */
static void
a_symbol_with_a_field_of_unknown_length_has_no_name(void **state)
{
	static const uint8_t message[] = "\x0a\x02/b\x10\x02\x18\x80\x40"
					 "\x22\x0d\x08\x90\x40\x10\x91\x01\x1b\x1a\x04main"
					 "\x22\x08\x08\xa0\x40\x10\x10\x1a\x01g"
					 "\x32\x03\x08\x80\x08";
	enum { AT = DATA_AT + SAMPLE_BYTES + 16, MESSAGES = 4 + sizeof(message) - 1 };
	struct tape t = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_file(&t, SAMPLE_BYTES, 0);
	t.b.data[72 + 16] = 1 << 4;
	put_sample(&t, 71, 1, 10);
	put_section(&t, AT, MESSAGES);
	put32(&t, sizeof(message) - 1);
	buf_add(&t.b, message, sizeof(message) - 1);
	f = open_tape(&t, &err);
	assert_non_null(f);
	assert_symbol(f, "/b", 0x420, 0x10, "g");
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

/* Its magic says nothing of the byte order. */
static void
the_first_version_is_read_in_either_byte_order(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct tape t = { .swapped = swapped };
		struct datafile *f;
		struct err err;

		begin_file(&t, 2 * SAMPLE_BYTES, 0);
		memcpy(t.b.data, "PERFFILE", 8);
		put_sample(&t, 71, 1, 10);
		put_sample(&t, 72, 2, 20);
		f = open_tape(&t, &err);
		assert_non_null(f);
		assert_int_equal(datafile_info(f)->is_swapped, swapped);
		assert_event(f, 0, "cycles:up");
		assert_records(f, "s1 s2");
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

/* The bits are in longs of who wrote them: of 64 bits, or of 32, the low ones first. */
static void
features_of_the_other_byte_order_are_those_of_either_long(void **state)
{
	enum { TEXT = 4 + 64, AT = DATA_AT + SAMPLE_BYTES + 16 };

	(void)state;
	for (int is_narrow = 0; is_narrow < 2; is_narrow++) {
		struct tape t = { .swapped = true };
		struct datafile *f;
		struct err err;

		begin_file(&t, SAMPLE_BYTES, UINT64_C(1) << (is_narrow ? 32 + 3 : 3));
		put_sample(&t, 71, 1, 10);
		put_section(&t, AT, TEXT);
		put_text(&t, "box");
		f = open_tape(&t, &err);
		assert_non_null(f);
		assert_string_equal(datafile_losses(f)->text, "");
		assert_non_null(datafile_info(f)->hostname);
		assert_string_equal(datafile_info(f)->hostname, "box");
		end_tape(&t, f);
	}
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

/* Makes @dir; its main file has no samples. */
static void
begin_dir(char *dir, struct tape *main_part)
{
	assert_non_null(mkdtemp(dir));
	begin_file(main_part, 24, 0);
	put_comm(main_part);
	write_part(dir, "data", main_part);
}

static void
the_files_of_a_directory_are_one_recording(void **state)
{
	char dir[] = "/tmp/ptop-test-datafile-XXXXXX";
	struct tape main_part = { 0 }, parts[2] = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_dir(dir, &main_part);
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
	begin_dir(dir, &main_part);
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

/* A link to itself: the others are read all the same. */
static void
a_file_of_a_directory_that_cannot_be_opened_is_told(void **state)
{
	char dir[] = "/tmp/ptop-test-datafile-XXXXXX", path[64], why[120];
	struct tape main_part = { 0 }, part = { 0 };
	struct err err;
	struct datafile *f;

	(void)state;
	begin_dir(dir, &main_part);
	put_sample(&part, 71, 10, 10);
	write_part(dir, "data.0", &part);
	snprintf(path, sizeof(path), "%s/data.1", dir);
	assert_int_equal(symlink("data.1", path), 0);
	f = datafile_open(dir, &err);
	assert_non_null(f);
	assert_records(f, "t3 s10");
	snprintf(why, sizeof(why), "at offset 0x0: cannot open 'data.1' of the directory: %s",
		 strerror(ELOOP));
	assert_string_equal(datafile_losses(f)->text, why);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_either_byte_order_is_read),
		cmocka_unit_test(records_without_trailers_are_in_order_with_the_samples),
		cmocka_unit_test(a_cut_file_gives_what_is_whole),
		cmocka_unit_test(without_a_size_the_records_go_on_to_the_end),
		cmocka_unit_test(a_broken_record_ends_the_reading),
		cmocka_unit_test(records_of_odd_sizes_are_handed_out_aligned),
		cmocka_unit_test(names_of_events_tell_whose_code_they_count),
		cmocka_unit_test(features_tell_of_names_and_build_ids),
		cmocka_unit_test(a_build_id_record_of_its_header_alone_is_passed_over),
		cmocka_unit_test(what_the_machine_was_is_told_in_lines),
		cmocka_unit_test(simpleperf_names_functions_itself),
		cmocka_unit_test(a_symbol_with_a_field_of_unknown_length_has_no_name),
		cmocka_unit_test(what_is_no_recording_is_refused_with_the_offset),
		cmocka_unit_test(a_file_that_was_closed_leaves_no_descriptor),
		cmocka_unit_test(records_begin_where_the_header_says),
		cmocka_unit_test(the_first_version_is_read_in_either_byte_order),
		cmocka_unit_test(records_may_be_right_behind_a_header_without_features),
		cmocka_unit_test(the_first_bit_of_the_features_has_a_section),
		cmocka_unit_test(features_of_the_other_byte_order_are_those_of_either_long),
		cmocka_unit_test(a_directory_without_a_recording_is_told),
		cmocka_unit_test(the_files_of_a_directory_are_one_recording),
		cmocka_unit_test(what_is_no_file_in_a_directory_is_left_out),
		cmocka_unit_test(a_file_of_a_directory_that_cannot_be_opened_is_told),
		cmocka_unit_test(long_files_of_a_directory_are_read_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
