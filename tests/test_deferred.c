/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains of user space that come after their samples, as kernels from 6.19 on write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <unistd.h>

#include "engine/intake/deferred.h"
#include "base/util.h"
#include "core_fixture.h"
#include "datafile/writer.h"
#include "record/encode.h"
#include "run.h"
#include "tests/asserts.h"

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER ((uint64_t)PERF_CONTEXT_USER)
#define DEFERRED ABI_CONTEXT_USER_DEFERRED

enum { ID = 7, TEXT_AT = 0x400000, PATIENCE_S = 60, ROOM = 4096 };

static const uint64_t user[] = { USER, TEXT_AT + 0x10010, TEXT_AT + 0x20020, TEXT_AT + 0x30030 };

static struct bytes
sample(struct maker *m, uint32_t pid, uint64_t time_ns, const uint64_t *chain, size_t len)
{
	const struct record_id id = { .pid = pid, .tid = pid, .time_ns = time_ns, .id = ID };
	const struct record_sample s = { .ip = chain[0] == KERNEL ? chain[1] : user[1], .period = 10,
					 .chain = chain, .chain_len = len };

	return make_sample(m, &live_layout, chain[0] == KERNEL ? PERF_RECORD_MISC_KERNEL
							       : PERF_RECORD_MISC_USER, &id, &s);
}

static struct bytes
late_chain(struct maker *m, uint32_t pid, uint64_t time_ns, uint64_t cookie)
{
	const struct record_id id = { .pid = pid, .tid = pid, .time_ns = time_ns, .id = ID };

	make_begin(m, &live_layout, ABI_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	make_u64(m, cookie);
	make_u64(m, ARRAY_SIZE(user));
	for (size_t i = 0; i < ARRAY_SIZE(user); i++)
		make_u64(m, user[i]);
	return make_end(m, &id);
}

static bool
hold(struct deferred *d, uint64_t cookie, uint64_t time_ns)
{
	const uint64_t chain[] = { KERNEL, 0xffffffff81000010, DEFERRED, cookie };
	const struct deferred_sample s = { .event = 3, .task = 5 };
	struct record rec;
	struct maker m;
	struct bytes bytes = sample(&m, 100, time_ns, chain, ARRAY_SIZE(chain));

	assert_int_equal(record_decode(&live_layout, bytes, &rec), 1);
	assert_true(deferred_is(&rec.sample));
	return deferred_hold(d, &s, &rec, bytes);
}

static void
a_chain_takes_the_place_of_its_cookie(void **state)
{
	struct deferred *d = deferred_new();
	struct deferred_sample s;
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	assert_true(hold(d, 77, 1));
	assert_false(deferred_take(d, 78, &s));
	assert_true(deferred_take(d, 77, &s));
	assert_false(deferred_take(d, 77, &(struct deferred_sample){ 0 }));
	assert_int_equal(s.event, 3);
	assert_int_equal(s.task, 5);
	assert_int_equal(s.period, 10);
	deferred_join(&s, user, ARRAY_SIZE(user), &b);
	assert_int_equal(record_decode(&live_layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_int_equal(rec.sample.chain_len, 2 + ARRAY_SIZE(user));
	assert_int_equal(rec.sample.chain[1], 0xffffffff81000010);
	assert_memory_equal(rec.sample.chain + 2, user, sizeof(user));
	assert_int_equal(rec.sample.period, 10);
	assert_false(deferred_is(&rec.sample));
	deferred_join(&s, NULL, 0, &b);
	assert_int_equal(record_decode(&live_layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_int_equal(rec.sample.chain_len, 2);
	buf_release(&b);
	free(s.data);
	deferred_free(d);
}

static void
a_chain_longer_than_a_record_is_cut(void **state)
{
	enum { FRAMES = 10000 };
	uint64_t *chain = mem_calloc(FRAMES, sizeof(*chain));
	struct deferred *d = deferred_new();
	struct deferred_sample s;
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	assert_true(hold(d, 1, 1));
	assert_true(deferred_take(d, 1, &s));
	deferred_join(&s, chain, FRAMES, &b);
	assert_that(b.len, <=, UINT16_MAX);
	assert_that(b.len, >, UINT16_MAX - 16);
	assert_int_equal(record_decode(&live_layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	buf_release(&b);
	free(s.data);
	free(chain);
	deferred_free(d);
}

static void
what_waits_is_bounded_and_goes_by_age(void **state)
{
	struct deferred *d = deferred_new();
	struct deferred_sample s;
	uint64_t n = 0, old = 0;

	(void)state;
	while (n <= ROOM && hold(d, n / 2, n))
		n++;
	assert_int_equal(n, ROOM);
	while (deferred_take_old(d, 100, &s)) {
		assert_that(s.time_ns, <, 100);
		free(s.data);
		old++;
	}
	assert_int_equal(old, 100);
	/* There is room again; two wait for each cookie. */
	for (n = 0; n < 100; n++)
		assert_true(hold(d, 1000, n));
	for (n = 0; deferred_take(d, 1000, &s); n++)
		free(s.data);
	assert_int_equal(n, 102);
	deferred_free(d);
}

/* ---- a recording */

static void
put(struct writer *w, struct bytes bytes)
{
	struct err err = { 0 };

	assert_int_equal(writer_put(w, bytes.data, bytes.len, &err), 0);
}

static void
put_process(struct writer *w, int pid, const char *comm)
{
	const struct record_mmap map = {
		.pid = (uint32_t)pid, .tid = (uint32_t)pid, .start = TEXT_AT, .len = 0x1000000,
		.ino = 17, .prot = 5, .flags = 2, .name = "/nonexistent/load",
	};
	struct buf b = { 0 };

	record_encode_comm(&b, &live_layout, pid, pid, comm);
	record_encode_mmap2(&b, &live_layout, &map);
	put(w, (struct bytes){ (const uint8_t *)b.data, b.len });
	buf_release(&b);
}

/* Each process has its way to the same stacks: one later, one whole; one never, one without. */
static void
write_file(const char *path)
{
	static const uint64_t never[] = { KERNEL, 0xffffffff81000010, DEFERRED, 3 };
	static const uint64_t without[] = { KERNEL, 0xffffffff81000010 };
	static const uint64_t later[] = { KERNEL, 0xffffffff81000010, DEFERRED, 1 };
	static const uint64_t whole[] = { KERNEL, 0xffffffff81000010, USER, TEXT_AT + 0x10010,
					  TEXT_AT + 0x20020, TEXT_AT + 0x30030 };
	static const uint64_t later_in_user[] = { DEFERRED, 2 };
	const struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .sample_period = 1000,
		.sample_type = LIVE_TYPE, .sample_id_all = 1, .mmap = 1, .comm = 1,
	};
	struct err err = { 0 };
	struct writer *w = writer_new(path, true, &err);
	struct maker m;

	assert_non_null(w);
	writer_id(w, writer_event(w, "cpu-clock", &attr), ID);
	put_process(w, 100, "later");
	put_process(w, 101, "whole");
	put_process(w, 102, "never");
	put_process(w, 103, "without");
	put(w, sample(&m, 100, 10, later, ARRAY_SIZE(later)));
	put(w, sample(&m, 100, 11, later, ARRAY_SIZE(later)));
	put(w, sample(&m, 101, 12, whole, ARRAY_SIZE(whole)));
	put(w, sample(&m, 101, 13, whole, ARRAY_SIZE(whole)));
	put(w, late_chain(&m, 100, 14, 1));
	put(w, late_chain(&m, 100, 15, 1)); /* another event's, of the same */
	put(w, sample(&m, 100, 16, later_in_user, ARRAY_SIZE(later_in_user)));
	put(w, late_chain(&m, 100, 17, 2));
	put(w, sample(&m, 101, 18, user, ARRAY_SIZE(user)));
	put(w, sample(&m, 102, 19, never, ARRAY_SIZE(never)));
	put(w, sample(&m, 103, 20, without, ARRAY_SIZE(without)));
	assert_int_equal(writer_close(w, &(struct writer_info){ 0 }, 10, 20, &err), 0);
}

/* The lines of the process, without its name, one after another. */
static void
stacks_of(const char *folded, const char *comm, struct buf *out)
{
	size_t len = strlen(comm);

	for (const char *line = folded; line != NULL && *line != '\0';) {
		const char *end = strchr(line, '\n');

		if (strncmp(line, comm, len) == 0 && line[len] == ';')
			buf_addf(out, "%.*s\n", (int)strcspn(line + len, "\n"), line + len);
		line = end != NULL ? end + 1 : NULL;
	}
}

static void
assert_same_stacks(const char *folded, const char *one, const char *other, const char *holds)
{
	struct buf a = { 0 }, b = { 0 };

	stacks_of(folded, one, &a);
	stacks_of(folded, other, &b);
	assert_string_equal(buf_str(&a), buf_str(&b));
	assert_non_null(strstr(buf_str(&a), holds));
	buf_release(&a);
	buf_release(&b);
}

static void
samples_of_a_recording_get_their_chains(void **state)
{
	char path[] = "/tmp/ptop-deferred-XXXXXX";
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i", path,
			 (char *)(uintptr_t)"--format", (char *)(uintptr_t)"folded", NULL };
	struct run_result r;
	int fd = mkstemp(path);

	(void)state;
	assert_that(fd, >=, 0);
	close(fd);
	write_file(path);
	run_program(&r, PATIENCE_S, argv);
	unlink(path);
	assert_int_equal(r.status, 0);
	/* Of the three in user space, two are below the kernel's. */
	assert_same_stacks(r.out, "later", "whole", ";load+0x30000;load+0x20000;load+0x10000 1\n");
	assert_same_stacks(r.out, "later", "whole", "load+0x10000;[unknown]+0xffffffff81000000 2\n");
	assert_same_stacks(r.out, "never", "without", ";[unknown]+0xffffffff81000000 1\n");
	run_release(&r);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_takes_the_place_of_its_cookie),
		cmocka_unit_test(a_chain_longer_than_a_record_is_cut),
		cmocka_unit_test(what_waits_is_bounded_and_goes_by_age),
		cmocka_unit_test(samples_of_a_recording_get_their_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
