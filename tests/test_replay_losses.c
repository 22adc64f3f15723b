/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses that a recording tells of: by records as they happened, by counts at its end, or both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/util.h"
#include "core_fixture.h"
#include "datafile/writer.h"
#include "run.h"
#include "skip.h"
#include "tests/asserts.h"

enum { CLOCK_ID = 7, FAULTS_ID = 8, DUMMY_ID = 9, PATIENCE_S = 60, TEXT_AT = 0x400000 };

/* A record of a loss; without a time perf has written it. */
struct loss {
	uint32_t type;
	uint64_t time_ns, id, count;
	uint16_t misc;
};

struct file_losses {
	const char *what;
	bool has_counts; /* FORMAT_LOST */
	struct loss losses[5];
	unsigned lost, of_clock, of_faults;
};

#define LOST(time, count) { PERF_RECORD_LOST, time, CLOCK_ID, count, 0 }
#define LOST_SAMPLES(time, id, count) { PERF_RECORD_LOST_SAMPLES, time, id, count, 0 }
#define FILTERED(id, count) { PERF_RECORD_LOST_SAMPLES, 0, id, count, ABI_MISC_LOST_SAMPLES_BPF }

static const struct file_losses files[] = {
	{ "counts at the end", true,
	  { LOST(11, 300), LOST(12, 40), LOST_SAMPLES(0, CLOCK_ID, 380),
	    LOST_SAMPLES(0, FAULTS_ID, 15), LOST_SAMPLES(0, DUMMY_ID, 5) }, 400, 380, 15 },
	{ "one count for each CPU", true,
	  { LOST(11, 300), LOST_SAMPLES(0, CLOCK_ID, 200), LOST_SAMPLES(0, CLOCK_ID, 150) },
	  350, 350, 0 },
	{ "killed before its end", true, { LOST(11, 160), LOST(12, 7) }, 167, 0, 0 },
	{ "of the processor, too", true,
	  { LOST(11, 300), LOST_SAMPLES(12, CLOCK_ID, 20), LOST_SAMPLES(0, CLOCK_ID, 340) },
	  360, 360, 0 },
	{ "of the processor, killed", true,
	  { LOST(11, 300), LOST_SAMPLES(12, CLOCK_ID, 20) }, 320, 20, 0 },
	{ "of a kernel without counts", false,
	  { LOST(11, 300), LOST_SAMPLES(12, CLOCK_ID, 20) }, 320, 20, 0 },
	{ "filtered by BPF", true,
	  { LOST(11, 1), LOST_SAMPLES(0, CLOCK_ID, 3), FILTERED(CLOCK_ID, 5000) }, 3, 3, 0 },
	{ "whole", true, { { 0 } }, 0, 0, 0 },
};

static void
put(struct writer *w, struct bytes bytes)
{
	struct err err = { 0 };

	assert_int_equal(writer_put(w, bytes.data, bytes.len, &err), 0);
}

static void
put_loss(struct writer *w, const struct loss *l)
{
	const struct record_id id = { .time_ns = l->time_ns, .id = l->id };
	struct maker m;

	make_begin(&m, &live_layout, l->type, l->misc);
	if (l->type == PERF_RECORD_LOST)
		make_u64(&m, l->id);
	make_u64(&m, l->count);
	put(w, make_end(&m, &id));
}

static void
put_sample(struct writer *w, uint64_t id_number, uint64_t time_ns)
{
	const struct record_id id = { .pid = 100, .tid = 100, .time_ns = time_ns, .id = id_number };
	const struct record_sample s = { .ip = TEXT_AT, .period = 1000 };
	struct maker m;

	put(w, make_sample(&m, &live_layout, PERF_RECORD_MISC_USER, &id, &s));
}

static void
add_event(struct writer *w, const char *name, uint64_t config, uint64_t id, bool has_counts)
{
	const struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = config,
		.sample_period = 1000, .sample_type = LIVE_TYPE, .sample_id_all = 1,
		.read_format = PERF_FORMAT_ID | (has_counts ? ABI_FORMAT_LOST : 0),
	};

	writer_id(w, writer_event(w, name, &attr), id);
}

/* All in one round: the counts are read before the samples are handed out. */
static void
write_file(const char *path, const struct file_losses *f)
{
	struct err err = { 0 };
	struct writer *w = writer_new(path, true, &err);

	assert_non_null(w);
	add_event(w, "cpu-clock", PERF_COUNT_SW_CPU_CLOCK, CLOCK_ID, f->has_counts);
	add_event(w, "page-faults", PERF_COUNT_SW_PAGE_FAULTS, FAULTS_ID, f->has_counts);
	add_event(w, "dummy", PERF_COUNT_SW_DUMMY, DUMMY_ID, f->has_counts);
	put_sample(w, CLOCK_ID, 10);
	for (size_t i = 0; i < ARRAY_SIZE(f->losses) && f->losses[i].type != 0; i++)
		put_loss(w, &f->losses[i]);
	put_sample(w, CLOCK_ID, 20);
	put_sample(w, FAULTS_ID, 21);
	assert_int_equal(writer_close(w, &(struct writer_info){ 0 }, 10, 21, &err), 0);
}

static void
assert_lost(const char *json, const char *at, const char *before, unsigned lost)
{
	const char *p = strstr(json, at);
	unsigned found;

	assert_non_null(p);
	p = strstr(p, before);
	assert_non_null(p);
	assert_int_equal(sscanf(p + strlen(before), "%u", &found), 1);
	assert_int_equal(found, lost);
}

static void
each_loss_of_a_recording_counts_once(void **state)
{
	char path[] = "/tmp/ptop-losses-XXXXXX";
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i", path,
			 (char *)(uintptr_t)"--format", (char *)(uintptr_t)"json", NULL };
	int fd = mkstemp(path);

	(void)state;
	need_jansson();
	assert_that(fd, >=, 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct run_result r;

		print_message("# %s\n", files[i].what);
		write_file(path, &files[i]);
		run_program(&r, PATIENCE_S, argv);
		assert_int_equal(r.status, 0);
		assert_lost(r.out, "],\"lost\":", "],\"lost\":", files[i].lost);
		assert_lost(r.out, "\"name\":\"cpu-clock\"", "\"lost\":", files[i].of_clock);
		assert_lost(r.out, "\"name\":\"page-faults\"", "\"lost\":", files[i].of_faults);
		assert_null(strstr(r.out, "\"name\":\"dummy\""));
		assert_true((strstr(r.err, "; record again with larger rings (-m) or ") != NULL) ==
			    (files[i].lost > 0));
		run_release(&r);
	}
	unlink(path);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loss_of_a_recording_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
