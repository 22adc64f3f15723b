/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_fixture.h"
#include "record/layouts.h"
#include "record/gains.h"
#include "record/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/asserts.h"

static const struct record_id some_id = {
	.pid = 100, .tid = 101, .time_ns = 123456789, .id = 77, .stream_id = 88, .cpu = 3,
};

enum { ALL_IDS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU };

static const struct record_layout layouts[] = {
	RECORD_LAYOUT(ALL_IDS | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
			      PERF_SAMPLE_CALLCHAIN, true),
	RECORD_LAYOUT(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, true),
	RECORD_LAYOUT(PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, true),
	RECORD_LAYOUT(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD, true),
	RECORD_LAYOUT(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, false),
	RECORD_LAYOUT(PERF_SAMPLE_IP, false),
};

/* What of some_id a record with that layout tells. */
static struct record_id
told_id(const struct record_layout *layout, bool is_sample)
{
	uint64_t type = is_sample || layout->sample_id_all ? layout->sample_type : 0;
	struct record_id id = { 0 };

	if (type & PERF_SAMPLE_TID)
		id.pid = some_id.pid, id.tid = some_id.tid;
	if (type & PERF_SAMPLE_TIME)
		id.time_ns = some_id.time_ns;
	if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		id.id = some_id.id;
	if (type & PERF_SAMPLE_STREAM_ID)
		id.stream_id = some_id.stream_id;
	if (type & PERF_SAMPLE_CPU)
		id.cpu = some_id.cpu;
	return id;
}

static void
assert_id(const struct record *rec, const struct record_layout *layout)
{
	struct record_id want = told_id(layout, rec->type == PERF_RECORD_SAMPLE);

	assert_int_equal(rec->id.pid, want.pid);
	assert_int_equal(rec->id.tid, want.tid);
	assert_int_equal(rec->id.time_ns, want.time_ns);
	assert_int_equal(rec->id.id, want.id);
	assert_int_equal(rec->id.stream_id, want.stream_id);
	assert_int_equal(rec->id.cpu, want.cpu);
}

static void
fill_mmap(struct maker *m)
{
	make_u32(m, 100);
	make_u32(m, 101);
	make_u64(m, 0x400000);
	make_u64(m, 0x2000);
	make_u64(m, 0x1000);
	make_text(m, "/bin/true");
}

static void
check_mmap(const struct record *rec)
{
	assert_int_equal(rec->mmap.pid, 100);
	assert_int_equal(rec->mmap.tid, 101);
	assert_int_equal(rec->mmap.start, 0x400000);
	assert_int_equal(rec->mmap.len, 0x2000);
	assert_int_equal(rec->mmap.pgoff, 0x1000);
	assert_string_equal(rec->mmap.name, "/bin/true");
	assert_false(rec->mmap.is_mmap2);
}

static void
fill_mmap2(struct maker *m)
{
	make_u32(m, 100);
	make_u32(m, 101);
	make_u64(m, 0x400000);
	make_u64(m, 0x2000);
	make_u64(m, 0x1000);
	make_u32(m, 8);
	make_u32(m, 1);
	make_u64(m, 4711);
	make_u64(m, 5);
	make_u32(m, 7);
	make_u32(m, 2);
	make_text(m, "/bin/false");
}

static void
check_mmap2(const struct record *rec)
{
	assert_int_equal(rec->mmap.start, 0x400000);
	assert_true(rec->mmap.is_mmap2);
	assert_false(rec->mmap.has_build_id);
	assert_int_equal(rec->mmap.maj, 8);
	assert_int_equal(rec->mmap.min, 1);
	assert_int_equal(rec->mmap.ino, 4711);
	assert_int_equal(rec->mmap.ino_generation, 5);
	assert_int_equal(rec->mmap.prot, 7);
	assert_int_equal(rec->mmap.flags, 2);
	assert_string_equal(rec->mmap.name, "/bin/false");
}

static void
fill_mmap2_build_id(struct maker *m)
{
	make_u32(m, 100);
	make_u32(m, 101);
	make_u64(m, 0x400000);
	make_u64(m, 0x2000);
	make_u64(m, 0x1000);
	make_u32(m, 16);
	for (uint32_t i = 0; i < 20; i++)
		m->data[m->len++] = (uint8_t)(0xa0 + i);
	make_u32(m, 7);
	make_u32(m, 2);
	make_text(m, "/bin/false");
}

static void
check_mmap2_build_id(const struct record *rec)
{
	assert_true(rec->mmap.has_build_id);
	assert_int_equal(rec->mmap.build_id_len, 16);
	assert_int_equal(rec->mmap.build_id[0], 0xa0);
	assert_int_equal(rec->mmap.build_id[15], 0xaf);
	assert_int_equal(rec->mmap.maj, 0);
	assert_int_equal(rec->mmap.ino, 0);
	assert_int_equal(rec->mmap.ino_generation, 0);
	assert_int_equal(rec->mmap.prot, 7);
	assert_string_equal(rec->mmap.name, "/bin/false");
}

static void
fill_comm(struct maker *m)
{
	make_u32(m, 100);
	make_u32(m, 101);
	make_text(m, "worker");
}

static void
check_comm(const struct record *rec)
{
	assert_int_equal(rec->comm.pid, 100);
	assert_int_equal(rec->comm.tid, 101);
	assert_string_equal(rec->comm.comm, "worker");
	assert_int_equal(rec->comm.is_exec, (rec->misc & PERF_RECORD_MISC_COMM_EXEC) != 0);
}

static void
fill_task(struct maker *m)
{
	make_u32(m, 200);
	make_u32(m, 100);
	make_u32(m, 201);
	make_u32(m, 101);
	make_u64(m, 99);
}

static void
check_task(const struct record *rec)
{
	assert_int_equal(rec->task.pid, 200);
	assert_int_equal(rec->task.ppid, 100);
	assert_int_equal(rec->task.tid, 201);
	assert_int_equal(rec->task.ptid, 101);
	assert_int_equal(rec->task.time_ns, 99);
}

static void
fill_lost(struct maker *m)
{
	make_u64(m, 77);
	make_u64(m, 1000);
}

static void
check_lost(const struct record *rec)
{
	assert_int_equal(rec->lost.id, 77);
	assert_int_equal(rec->lost.lost, 1000);
}

static void
fill_lost_samples(struct maker *m)
{
	make_u64(m, 12);
}

static void
check_lost_samples(const struct record *rec)
{
	assert_int_equal(rec->lost.lost, 12);
}

static void
fill_throttle(struct maker *m)
{
	make_u64(m, 5);
	make_u64(m, 6);
	make_u64(m, 7);
}

static void
check_throttle(const struct record *rec)
{
	assert_int_equal(rec->throttle.time_ns, 5);
	assert_int_equal(rec->throttle.id, 6);
	assert_int_equal(rec->throttle.stream_id, 7);
}

static void
fill_ksymbol(struct maker *m)
{
	make_u64(m, 0xffffffffc0000000);
	make_u32(m, 64);
	make_u16(m, 1);
	make_u16(m, 1);
	make_text(m, "bpf_prog_1");
}

static void
check_ksymbol(const struct record *rec)
{
	assert_int_equal(rec->ksymbol.addr, 0xffffffffc0000000);
	assert_int_equal(rec->ksymbol.len, 64);
	assert_int_equal(rec->ksymbol.kind, 1);
	assert_int_equal(rec->ksymbol.flags, 1);
	assert_string_equal(rec->ksymbol.name, "bpf_prog_1");
}

static void
fill_cgroup(struct maker *m)
{
	make_u64(m, 31);
	make_text(m, "/system.slice");
}

static void
check_cgroup(const struct record *rec)
{
	assert_int_equal(rec->cgroup.id, 31);
	assert_string_equal(rec->cgroup.path, "/system.slice");
}

static void
fill_bpf_event(struct maker *m)
{
	make_u16(m, 1);
	make_u16(m, 0);
	make_u32(m, 17);
	make_u64(m, 0x0807060504030201);
}

static void
check_bpf_event(const struct record *rec)
{
	assert_int_equal(rec->bpf_event.type, 1);
	assert_int_equal(rec->bpf_event.id, 17);
	assert_memory_equal(rec->bpf_event.tag, "\1\2\3\4\5\6\7\10", 8);
}

static void
fill_text_poke(struct maker *m)
{
	make_u64(m, 0xffffffff81000000);
	make_u16(m, 2);
	make_u16(m, 5);
	/* Two bytes, five bytes, and five to fill up. */
	make_u32(m, 0x03020100);
	make_u64(m, 0x060504);
}

static void
check_text_poke(const struct record *rec)
{
	assert_int_equal(rec->text_poke.addr, 0xffffffff81000000);
	assert_int_equal(rec->text_poke.old_bytes.len, 2);
	assert_int_equal(rec->text_poke.new_bytes.len, 5);
	assert_memory_equal(rec->text_poke.new_bytes.data, "\2\3\4\5\6", 5);
}

static const struct shape {
	const char *name;
	uint32_t type;
	uint16_t misc;
	size_t least; /* bytes of the content without which it means nothing */
	void (*fill)(struct maker *m);
	void (*check)(const struct record *rec);
} shapes[] = {
	{ "mmap", PERF_RECORD_MMAP, 0, 33, fill_mmap, check_mmap },
	{ "mmap2", PERF_RECORD_MMAP2, 0, 65, fill_mmap2, check_mmap2 },
	{ "mmap2", PERF_RECORD_MMAP2, 1 << 14, 65, fill_mmap2_build_id, check_mmap2_build_id },
	{ "comm", PERF_RECORD_COMM, 0, 9, fill_comm, check_comm },
	{ "comm", PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 9, fill_comm, check_comm },
	{ "fork", PERF_RECORD_FORK, 0, 24, fill_task, check_task },
	{ "exit", PERF_RECORD_EXIT, 0, 24, fill_task, check_task },
	{ "lost", PERF_RECORD_LOST, 0, 16, fill_lost, check_lost },
	{ "lost-samples", PERF_RECORD_LOST_SAMPLES, 0, 8, fill_lost_samples, check_lost_samples },
	{ "throttle", PERF_RECORD_THROTTLE, 0, 24, fill_throttle, check_throttle },
	{ "unthrottle", PERF_RECORD_UNTHROTTLE, 0, 24, fill_throttle, check_throttle },
	{ "ksymbol", REC_KSYMBOL, 0, 17, fill_ksymbol, check_ksymbol },
	{ "cgroup", REC_CGROUP, 0, 9, fill_cgroup, check_cgroup },
	{ "bpf-event", REC_BPF_EVENT, 0, 16, fill_bpf_event, check_bpf_event },
	{ "text-poke", ABI_RECORD_TEXT_POKE, 0, 12 + 7, fill_text_poke, check_text_poke },
};

static struct bytes
make_shape(struct maker *m, const struct shape *s, const struct record_layout *layout)
{
	make_begin(m, layout, s->type, s->misc);
	s->fill(m);
	return make_end(m, &some_id);
}

/* The same bytes in memory of exactly their length, so that reading beyond is seen. */
static struct bytes
exactly(struct bytes b, size_t len)
{
	uint8_t *copy = mem_calloc(1, len);

	memcpy(copy, b.data, len);
	return (struct bytes){ copy, len };
}

static void
every_record_is_decoded_in_every_layout(void **state)
{
	struct maker m;
	struct record rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t l = 0; l < ARRAY_SIZE(layouts); l++) {
			struct bytes b = make_shape(&m, &shapes[i], &layouts[l]);

			assert_int_equal(record_decode(&layouts[l], b, &rec), 1);
			assert_int_equal(rec.type, shapes[i].type);
			assert_int_equal(rec.misc, shapes[i].misc);
			shapes[i].check(&rec);
			assert_id(&rec, &layouts[l]);
			assert_int_equal(record_time(&layouts[l], b), rec.id.time_ns);
			assert_string_equal(record_type_name(rec.type), shapes[i].name);
		}
	}
}

/* As kernels write some while several events are there for which they are written. */
static void
what_is_behind_the_trailer_is_no_part_of_a_record(void **state)
{
	static const uint32_t longer[] = { REC_KSYMBOL, REC_BPF_EVENT, ABI_RECORD_TEXT_POKE };
	struct record_layouts many = { 0 }, one = { 0 };
	struct maker m;
	struct record rec;
	size_t seen = 0;

	(void)state;
	record_layouts_add(&one, &live_layout);
	record_layouts_add(&many, &live_layout);
	record_layouts_add(&many, &live_layout);
	record_layouts_add_id(&many, 1, some_id.id);
	for (size_t i = 0; i < ARRAY_SIZE(shapes) * ARRAY_SIZE(longer); i++) {
		const struct shape *s = &shapes[i / ARRAY_SIZE(longer)];
		struct bytes b;

		if (s->type != longer[i % ARRAY_SIZE(longer)])
			continue;
		make_shape(&m, s, &live_layout);
		for (int junk = 0; junk < 3; junk++)
			for (int word = 0; word < 4; word++)
				make_u64(&m, junk == 0 ? 0 : 0x3333333300000007);
		b = make_done(&m);
		assert_int_equal(record_decode(&live_layout, b, &rec), 1);
		s->check(&rec);
		assert_id(&rec, &live_layout);
		assert_int_equal(record_time(&live_layout, b), some_id.time_ns);
		assert_int_equal(record_layouts_event(&many, b), 1);
		assert_int_equal(record_layouts_id(&one, b), some_id.id);
		seen++;
	}
	assert_int_equal(seen, ARRAY_SIZE(longer));
	record_layouts_release(&one);
	record_layouts_release(&many);
}

static void
an_id_that_was_forgotten_has_no_layout_and_others_keep_theirs(void **state)
{
	enum { IDS = 3000, EVENTS = 3 };
	struct record_layouts l = { 0 };

	(void)state;
	for (uint32_t i = 0; i < EVENTS; i++)
		record_layouts_add(&l, &layouts[1]);
	for (uint64_t id = 1; id <= IDS; id++)
		record_layouts_add_id(&l, id % EVENTS, id);
	/* The last, one in the middle, the first; and one that is not there. */
	for (uint64_t id = IDS; id <= IDS; id -= 7)
		record_layouts_forget_id(&l, id);
	record_layouts_forget_id(&l, IDS + 1);
	for (uint64_t id = 1; id <= IDS; id++)
		assert_int_equal(record_layouts_find(&l, id),
				 (IDS - id) % 7 == 0 ? UINT32_MAX : id % EVENTS);
	assert_int_equal(l.id_len, IDS - (IDS + 6) / 7);
	record_layouts_release(&l);
}

/* Then the times of records are not all at one place, and each is looked up by its event. */
static void
events_with_their_times_elsewhere_are_noticed(void **state)
{
	static const struct {
		uint64_t type;
		bool sample_id_all, is_other;
	} rows[] = {
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, true, false },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD, true, false },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME, true, true },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, true, true },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct record_layouts l = { 0 };
		const size_t order[] = { 0, 0, i };

		for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
			struct event_attr attr = { .sample_type = rows[order[k]].type,
						   .sample_id_all = rows[order[k]].sample_id_all };
			struct record_layout layout = record_layout_of(&attr, false);

			record_layouts_add(&l, &layout);
			if (l.has_many_times != (k == 2 && rows[i].is_other))
				fail_msg("row %zu, event %zu", i, k);
		}
		record_layouts_release(&l);
	}
}

static void
a_cut_record_is_refused_and_never_read_beyond(void **state)
{
	struct maker m;
	struct record rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t l = 0; l < ARRAY_SIZE(layouts); l++) {
			struct bytes whole = make_shape(&m, &shapes[i], &layouts[l]);
			size_t tail = layouts[l].sample_id_all
					      ? (size_t)__builtin_popcountll(
							layouts[l].sample_type & ALL_IDS) * 8
					      : 0;

			for (size_t len = 1; len < whole.len; len++) {
				struct bytes cut = exactly(whole, len);
				int res = record_decode(&layouts[l], cut, &rec);

				record_time(&layouts[l], cut);
				if (len < 8 + shapes[i].least + tail)
					assert_int_equal(res, -1);
				free((void *)cut.data);
			}
		}
	}
}

static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER,
	0x4010, 0x4020 };
static const struct record_sample some_sample = {
	.ip = 0xffffffff81000010, .addr = 0x7000, .period = 1001001, .chain = chain,
	.chain_len = ARRAY_SIZE(chain),
};

static void
a_sample_is_decoded_in_every_layout(void **state)
{
	struct maker m;
	struct record rec;

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(layouts); l++) {
		uint64_t type = layouts[l].sample_type;
		struct bytes b = make_sample(&m, &layouts[l], PERF_RECORD_MISC_KERNEL, &some_id,
					     &some_sample);

		assert_int_equal(record_decode(&layouts[l], b, &rec), 1);
		assert_int_equal(rec.misc, PERF_RECORD_MISC_KERNEL);
		assert_id(&rec, &layouts[l]);
		assert_int_equal(record_time(&layouts[l], b), rec.id.time_ns);
		assert_int_equal(rec.sample.ip, some_sample.ip);
		assert_int_equal(rec.sample.addr,
				 type & PERF_SAMPLE_ADDR ? some_sample.addr : 0);
		assert_int_equal(rec.sample.period,
				 type & PERF_SAMPLE_PERIOD ? some_sample.period : 0);
		if (!(type & PERF_SAMPLE_CALLCHAIN))
			continue;
		assert_int_equal(rec.sample.chain_len, ARRAY_SIZE(chain));
		assert_memory_equal(rec.sample.chain, chain, sizeof(chain));
	}
	assert_string_equal(record_type_name(PERF_RECORD_SAMPLE), "sample");
}

static void
a_cut_sample_is_refused(void **state)
{
	struct maker m;
	struct record rec;

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(layouts); l++) {
		struct bytes whole = make_sample(&m, &layouts[l], 0, &some_id, &some_sample);

		for (size_t len = 1; len < whole.len; len++) {
			struct bytes cut = exactly(whole, len);

			assert_int_equal(record_decode(&layouts[l], cut, &rec), -1);
			record_time(&layouts[l], cut);
			free((void *)cut.data);
		}
	}
}

static void
a_sample_has_the_layout_of_its_event(void **state)
{
	static const struct record_layout plain = RECORD_LAYOUT(
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME, true);
	static const struct record_layout more = RECORD_LAYOUT(
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR, true);
	struct record_layouts l = { 0 };
	struct record_id id = { .id = 7 };
	struct bytes bytes;
	struct maker m;

	(void)state;
	record_layouts_add(&l, &plain);
	bytes = make_sample(&m, &plain, 0, &id, &some_sample);
	assert_ptr_equal(record_layouts_of(&l, bytes), &l.items[0]);
	record_layouts_add(&l, &more);
	record_layouts_add_id(&l, 1, 8);
	assert_ptr_equal(record_layouts_of(&l, bytes), &l.items[0]);
	id.id = 8;
	bytes = make_sample(&m, &more, 0, &id, &some_sample);
	assert_ptr_equal(record_layouts_of(&l, bytes), &l.items[1]);
	record_layouts_release(&l);
}

/* Ids that have their low bits in common, that are new or are given to another event. */
static void
a_sample_is_of_the_event_of_its_id(void **state)
{
	static const struct record_layout layout = RECORD_LAYOUT(LIVE_TYPE, true);
	struct record_layouts l = { 0 };
	struct record_id id = { .time_ns = 1 };
	struct maker m;

	(void)state;
	record_layouts_add(&l, &layout);
	id.id = 12345;
	assert_int_equal(record_layouts_event(&l, make_sample(&m, &layout, 0, &id, &some_sample)), 0);
	for (uint32_t event = 1; event < 4; event++)
		record_layouts_add(&l, &layout);
	for (uint32_t i = 0; i < 1000; i++)
		record_layouts_add_id(&l, i % 3 + 1, 256 + i);
	for (uint32_t i = 0; i < 1000; i += 2)
		record_layouts_add_id(&l, 0, 256 + i);
	for (uint32_t i = 0; i < 1000; i++) {
		id.id = 256 + i;
		assert_int_equal(record_layouts_event(&l, make_sample(&m, &layout, 0, &id,
								      &some_sample)),
				 i % 2 == 0 ? 0 : i % 3 + 1);
	}
	id.id = 5;
	assert_int_equal(record_layouts_event(&l, make_sample(&m, &layout, 0, &id, &some_sample)),
			 UINT32_MAX);
	/* Written by user space: of the first event, even if there is such an id. */
	record_layouts_add_id(&l, 2, 0);
	id.id = 0;
	assert_int_equal(record_layouts_event(&l, make_sample(&m, &layout, 0, &id, &some_sample)), 0);
	record_layouts_release(&l);
}

/* An id is all that they carry: it ends where the record ends. */
static void
samples_of_nothing_but_an_id_are_told_apart(void **state)
{
	static const struct record_layout bare = RECORD_LAYOUT(PERF_SAMPLE_IDENTIFIER, false);
	struct record_layouts l = { 0 };
	struct maker m;

	(void)state;
	for (uint32_t event = 0; event < 2; event++) {
		record_layouts_add(&l, &bare);
		record_layouts_add_id(&l, event, 7 + event);
	}
	for (uint32_t event = 0; event < 2; event++) {
		make_begin(&m, &bare, PERF_RECORD_SAMPLE, 0);
		make_u64(&m, 7 + event);
		assert_int_equal(record_layouts_event(&l, make_done(&m)), event);
	}
	make_begin(&m, &bare, PERF_RECORD_SAMPLE, 0);
	assert_int_equal(record_layouts_event(&l, make_done(&m)), UINT32_MAX);
	record_layouts_release(&l);
}

/* Each word before the period but the time tells places apart; what is behind it, tags. */
static void
a_sample_is_known_by_all_but_its_time_and_period(void **state)
{
	static const uint64_t types[] = {
		LIVE_TYPE,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
	};
	const struct record_id id = { .pid = 1, .tid = 2, .time_ns = 3, .id = 4, .cpu = 5 };

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		const struct record_layout layout = RECORD_LAYOUT(types[t], true);
		struct maker m;
		struct bytes b = make_sample(&m, &layout, 0, &id, &some_sample);
		uint64_t place = record_sample_place(&layout, b), tag = record_sample_tag(&layout, b);
		uint8_t *data = (uint8_t *)(uintptr_t)b.data;

		assert_int_not_equal(place, 0);
		assert_int_not_equal(tag, 0);
		for (size_t at = 0; at < b.len; at++) {
			bool is_free = (at / 8 * 8 == layout.sample_time_at) ||
				       (at / 8 * 8 == layout.sample_period_at);

			if (at == 6 || at == 7) /* the size */
				continue;
			data[at] ^= 0x41;
			assert_int_equal(record_sample_tag(&layout, b) == tag, is_free);
			assert_int_equal(record_sample_place(&layout, b) == place,
					 is_free || at > layout.sample_period_at);
			data[at] ^= 0x41;
		}
	}
}

static void
a_call_chain_longer_than_its_record_is_refused(void **state)
{
	static const uint64_t lengths[] = { 6, 1000, UINT64_MAX / 8, UINT64_MAX / 8 + 1, UINT64_MAX,
					    UINT64_C(1) << 61 };
	struct maker m;
	struct record rec;
	struct bytes b = make_sample(&m, &live_layout, 0, &some_id, &some_sample);
	size_t at = b.len - sizeof(chain) - 8;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		memcpy(m.data + at, &lengths[i], 8);
		assert_int_equal(record_decode(&live_layout, b, &rec), -1);
		assert_int_equal(rec.sample.chain_len, 0);
	}
}

static void
unknown_types_are_told_from_broken_ones(void **state)
{
	static const uint32_t types[] = { 0, 23, 40, 63 };
	struct record rec;
	struct maker m;
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		make_begin(&m, &live_layout, types[i], 0);
		make_u64(&m, 1);
		b = make_end(&m, &some_id);
		assert_int_equal(record_decode(&live_layout, b, &rec), 0);
		assert_int_equal(rec.type, types[i]);
		assert_id(&rec, &live_layout);
		assert_string_equal(record_type_name(types[i]), "unknown");
	}
	/* A record of perf's own has no trailer: what stands at its end is no time. */
	make_begin(&m, &live_layout, 68, 0);
	for (int i = 0; i < 8; i++)
		make_u64(&m, 1000);
	b = make_done(&m);
	assert_int_equal(record_decode(&live_layout, b, &rec), 1);
	assert_int_equal(rec.id.time_ns, 0);
	assert_int_equal(rec.payload.len, 64);
	assert_ptr_equal(rec.payload.data, b.data + 8);
	assert_int_equal(record_time(&live_layout, b), 0);
}

static void
random_bytes_do_no_harm(void **state)
{
	struct record rec;

	(void)state;
	srand(2);
	for (int n = 0; n < 20000; n++) {
		size_t len = (size_t)rand() % 160 + 1;
		uint8_t *bytes = mem_calloc(1, len);
		const struct record_layout *l = &layouts[(size_t)rand() % ARRAY_SIZE(layouts)];
		struct bytes b = { bytes, len };

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(rand() % 3 ? 0 : rand());
		bytes[0] = (uint8_t)(rand() % 24);
		if (record_decode(l, b, &rec) == 1 && rec.type == PERF_RECORD_SAMPLE)
			for (uint64_t i = 0; i < rec.sample.chain_len; i++)
				assert_in_range((uintptr_t)&rec.sample.chain[i], (uintptr_t)bytes,
						(uintptr_t)bytes + len - 8);
		record_time(l, b);
		free(bytes);
	}
}

/* A stream of records that are nothing but a time and a number. */
enum { STREAM_MAX = 64 };

struct stream {
	struct {
		_Alignas(8) uint8_t data[64];
		size_t len;
	} records[STREAM_MAX];
	size_t len, next;
};

static const struct record_layout time_layout = RECORD_LAYOUT(PERF_SAMPLE_TIME, true);

static void
stream_add(struct stream *s, uint64_t time_ns, uint64_t number)
{
	struct record_id id = { .time_ns = time_ns };
	struct maker m;
	struct bytes b;

	make_begin(&m, &time_layout, time_ns != 0 ? PERF_RECORD_LOST_SAMPLES : 68, 0);
	make_u64(&m, number);
	b = time_ns != 0 ? make_end(&m, &id) : make_done(&m);
	memcpy(s->records[s->len].data, b.data, b.len);
	s->records[s->len++].len = b.len;
}

static int
stream_peek(void *self, struct bytes *out)
{
	struct stream *s = self;

	if (s->next == s->len)
		return 0;
	*out = (struct bytes){ s->records[s->next].data, s->records[s->next].len };
	return 1;
}

static void
stream_advance(void *self)
{
	((struct stream *)self)->next++;
}

static uint64_t
number_of(struct bytes b)
{
	uint64_t n;

	memcpy(&n, b.data + 8, 8);
	return n;
}

/* Merges all up to @limit and checks the numbers. */
static void
assert_merge(struct stream *streams, size_t count, uint64_t limit, const uint64_t *want, size_t len)
{
	struct merge_stream list[8];
	struct merge *m = merge_new();
	struct bytes b;
	uint64_t time_ns;

	for (size_t i = 0; i < count; i++)
		list[i] = (struct merge_stream){ &streams[i], stream_peek, stream_advance };
	merge_begin(m, &time_layout, list, count, UINT64_MAX);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(merge_next(m, limit, &b, &time_ns), 1);
		assert_int_equal(number_of(b), want[i]);
		assert_int_equal(time_ns, record_time(&time_layout, b));
	}
	assert_int_equal(merge_next(m, limit, &b, &time_ns), 0);
	assert_int_equal(merge_next(m, limit, &b, &time_ns), 0);
	merge_free(m);
}

static void
streams_are_merged_by_time(void **state)
{
	static const uint64_t want[] = { 1, 2, 3, 4, 5, 6, 7 };
	struct stream s[3] = { 0 };

	(void)state;
	stream_add(&s[0], 10, 1);
	stream_add(&s[2], 20, 2);
	stream_add(&s[2], 30, 3);
	stream_add(&s[0], 40, 4);
	stream_add(&s[2], 50, 5);
	stream_add(&s[0], 60, 6);
	stream_add(&s[0], 70, 7);
	assert_merge(s, 3, UINT64_MAX, want, ARRAY_SIZE(want));
}

static void
at_the_same_time_the_stream_named_first_comes_first(void **state)
{
	static const uint64_t want[] = { 9, 1, 2, 3, 4, 5, 6 };
	struct stream s[4] = { 0 };

	(void)state;
	stream_add(&s[2], 5, 9);
	stream_add(&s[0], 10, 1);
	stream_add(&s[0], 10, 2);
	stream_add(&s[1], 10, 3);
	stream_add(&s[2], 10, 4);
	stream_add(&s[3], 10, 5);
	stream_add(&s[3], 10, 6);
	assert_merge(s, 4, UINT64_MAX, want, ARRAY_SIZE(want));
}

static void
a_step_back_in_time_keeps_its_streams_order(void **state)
{
	static const uint64_t want[] = { 1, 2, 3, 4, 5 };
	struct stream s[2] = { 0 };

	(void)state;
	stream_add(&s[0], 20, 1);
	stream_add(&s[0], 10, 2);
	stream_add(&s[1], 21, 3);
	stream_add(&s[0], 30, 4);
	stream_add(&s[1], 40, 5);
	assert_merge(s, 2, UINT64_MAX, want, ARRAY_SIZE(want));
}

static void
records_without_a_time_come_at_once(void **state)
{
	static const uint64_t want[] = { 2, 1, 3 };
	struct stream s[2] = { 0 };

	(void)state;
	stream_add(&s[0], 10, 1);
	stream_add(&s[1], 0, 2);
	stream_add(&s[1], 20, 3);
	assert_merge(s, 2, UINT64_MAX, want, ARRAY_SIZE(want));
}

static void
what_is_not_older_than_the_limit_waits_for_the_next_round(void **state)
{
	static const uint64_t first[] = { 1, 2 }, second[] = { 3, 4 };
	struct stream s[2] = { 0 };

	(void)state;
	stream_add(&s[0], 10, 1);
	stream_add(&s[1], 20, 2);
	stream_add(&s[0], 30, 3);
	stream_add(&s[1], 31, 4);
	assert_merge(s, 2, 30, first, ARRAY_SIZE(first));
	assert_int_equal(s[0].next, 1);
	assert_int_equal(s[1].next, 1);
	assert_merge(s, 2, 32, second, ARRAY_SIZE(second));
	assert_merge(s, 2, UINT64_MAX, NULL, 0);
	assert_merge(s, 0, UINT64_MAX, NULL, 0);
}

static void
a_random_merge_is_sorted_and_complete(void **state)
{
	struct stream *s = mem_calloc(8, sizeof(*s));
	struct merge_stream list[8];
	struct merge *m = merge_new();
	uint64_t time_ns, last = 0;
	struct bytes b;
	size_t n = 0;

	(void)state;
	srand(3);
	for (size_t i = 0; i < 8; i++) {
		uint64_t t = 1;

		for (size_t k = 0; k < STREAM_MAX - 8 * i; k++)
			stream_add(&s[i], t += (uint64_t)rand() % 5, i);
		list[i] = (struct merge_stream){ &s[i], stream_peek, stream_advance };
	}
	merge_begin(m, &time_layout, list, 8, UINT64_MAX);
	for (; merge_next(m, UINT64_MAX, &b, &time_ns) == 1; n++, last = time_ns)
		assert_that(time_ns, >=, last);
	assert_int_equal(n, 8 * STREAM_MAX - 8 * 28);
	merge_free(m);
	merge_free(NULL);
	free(s);
}

/* Its own time would hold up what is behind it in its stream, perhaps for ever. */
static void
a_time_that_has_not_come_yet_holds_up_nothing(void **state)
{
	enum { NOW = 100 };
	static const struct {
		uint64_t number, time_ns;
	} want[] = { { 1, 10 }, { 2, 0 }, { 3, 0 }, { 4, 20 }, { 5, 30 }, { 6, NOW } };
	struct stream s[2] = { 0 };
	struct merge_stream list[2];
	struct merge *m = merge_new();
	uint64_t time_ns;
	struct bytes b;

	(void)state;
	stream_add(&s[0], 10, 1);
	stream_add(&s[0], NOW + 1, 2);
	stream_add(&s[0], UINT64_MAX, 3);
	stream_add(&s[0], 30, 5);
	stream_add(&s[0], NOW, 6);
	stream_add(&s[1], 20, 4);
	for (size_t i = 0; i < 2; i++)
		list[i] = (struct merge_stream){ &s[i], stream_peek, stream_advance };
	merge_begin(m, &time_layout, list, 2, NOW);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(merge_next(m, NOW + 1, &b, &time_ns), 1);
		assert_int_equal(number_of(b), want[i].number);
		assert_int_equal(time_ns, want[i].time_ns);
	}
	assert_int_equal(merge_next(m, UINT64_MAX, &b, &time_ns), 0);
	merge_free(m);
}

static bool
is_task_7(const void *self, uint32_t tid)
{
	return self == NULL && tid == 7;
}

static void
counters_gain_what_is_new_each_task_for_itself(void **state)
{
	struct gains g = { 0 };

	(void)state;
	assert_int_equal(gains_add(&g, 1, 0, 100), 100);
	assert_int_equal(gains_add(&g, 2, 0, 40), 40);
	assert_int_equal(gains_add(&g, 1, 0, 130), 30);
	assert_int_equal(gains_add(&g, 1, 7, 50), 50);
	assert_int_equal(gains_add(&g, 1, 7, 51), 1);
	/* Another task has got the number. */
	assert_int_equal(gains_add(&g, 1, 7, 3), 3);
	assert_int_equal(gains_keep(&g, 1, 30), 30);
	assert_int_equal(gains_keep(&g, 1, 2), 32);
	gains_restart(&g);
	assert_int_equal(gains_keep(&g, 1, 2), 2);
	for (uint32_t tid = 100; tid < 10000; tid++)
		gains_add(&g, 1, tid, 5);
	gains_sweep(&g, is_task_7, NULL);
	assert_int_equal(g.len, 3);
	assert_int_equal(gains_add(&g, 1, 7, 4), 1);
	assert_int_equal(gains_add(&g, 1, 0, 131), 1);
	assert_int_equal(gains_add(&g, 1, 200, 5), 5);
	gains_release(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_is_decoded_in_every_layout),
		cmocka_unit_test(what_is_behind_the_trailer_is_no_part_of_a_record),
		cmocka_unit_test(an_id_that_was_forgotten_has_no_layout_and_others_keep_theirs),
		cmocka_unit_test(events_with_their_times_elsewhere_are_noticed),
		cmocka_unit_test(a_cut_record_is_refused_and_never_read_beyond),
		cmocka_unit_test(a_sample_is_decoded_in_every_layout),
		cmocka_unit_test(a_cut_sample_is_refused),
		cmocka_unit_test(a_sample_has_the_layout_of_its_event),
		cmocka_unit_test(a_sample_is_of_the_event_of_its_id),
		cmocka_unit_test(samples_of_nothing_but_an_id_are_told_apart),
		cmocka_unit_test(a_sample_is_known_by_all_but_its_time_and_period),
		cmocka_unit_test(a_call_chain_longer_than_its_record_is_refused),
		cmocka_unit_test(unknown_types_are_told_from_broken_ones),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(a_time_that_has_not_come_yet_holds_up_nothing),
		cmocka_unit_test(streams_are_merged_by_time),
		cmocka_unit_test(at_the_same_time_the_stream_named_first_comes_first),
		cmocka_unit_test(a_step_back_in_time_keeps_its_streams_order),
		cmocka_unit_test(records_without_a_time_come_at_once),
		cmocka_unit_test(what_is_not_older_than_the_limit_waits_for_the_next_round),
		cmocka_unit_test(counters_gain_what_is_new_each_task_for_itself),
		cmocka_unit_test(a_random_merge_is_sorted_and_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
