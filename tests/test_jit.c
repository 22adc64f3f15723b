/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of code that processes make as they run: files, tables, locations. */
#include "base/clock.h"
#include "profile/place/jit.h"
#include "profile/place/jit_code.h"
#include "profile_fixture.h"
#include "symbol/jit/jit_reader.h"
#include "tests/asserts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *
name_at(const struct jit_batch *b, size_t i)
{
	static char name[JIT_NAME_MAX + 1];

	memcpy(name, b->names.data + b->items[i].name, b->items[i].name_len);
	name[b->items[i].name_len] = '\0';
	return name;
}

static size_t
read_map(struct perf_map *p, const char *text, size_t len, struct jit_batch *b)
{
	return perf_map_read(p, (struct bytes){ (const uint8_t *)text, len }, b);
}

static void
a_perf_map_has_a_line_for_each_piece_of_code(void **state)
{
	static const char text[] = "7f0000001000 1c0 JS:*leaf /a b.js:1:17\n"
				   "0x2000 0X10 std::vector<int, x>\r\n"
				   "FF00 1 \xff\x01\n";
	struct perf_map p = { 0 };
	struct jit_batch b = { 0 };

	(void)state;
	assert_int_equal(read_map(&p, text, sizeof(text) - 1, &b), sizeof(text) - 1);
	assert_int_equal(b.len, 3);
	assert_int_equal(p.broken, 0);
	assert_int_equal(b.items[0].start, 0x7f0000001000);
	assert_int_equal(b.items[0].size, 0x1c0);
	assert_string_equal(name_at(&b, 0), "JS:*leaf /a b.js:1:17");
	assert_int_equal(b.items[1].size, 0x10);
	assert_string_equal(name_at(&b, 1), "std::vector<int, x>");
	assert_string_equal(name_at(&b, 2), "\xff\x01");
	jit_batch_release(&b);
}

static void
broken_lines_of_a_perf_map_are_counted_and_passed_over(void **state)
{
	static const char text[] = "zz 10 no number\n"
				   "10 zz no size\n"
				   "1000 0 no code\n"
				   "ffffffffffffffff 10 over the end\n"
				   "12345678901234567 10 too long a number\n"
				   "1000 10\n"
				   "1000 10 \n"
				   "1000 7fffffffffff too large\n"
				   "\n"
				   "2000 10 good\n";
	struct perf_map p = { 0 };
	struct jit_batch b = { 0 };

	(void)state;
	assert_int_equal(read_map(&p, text, sizeof(text) - 1, &b), sizeof(text) - 1);
	assert_int_equal(p.broken, 9);
	assert_int_equal(b.len, 1);
	assert_string_equal(name_at(&b, 0), "good");
	jit_batch_release(&b);
}

static void
a_line_that_is_not_whole_yet_waits(void **state)
{
	static const char text[] = "1000 10 first\n2000 10 sec";
	struct perf_map p = { 0 };
	struct jit_batch b = { 0 };

	(void)state;
	assert_int_equal(read_map(&p, text, sizeof(text) - 1, &b), strlen("1000 10 first\n"));
	assert_int_equal(b.len, 1);
	assert_int_equal(read_map(&p, "2000 10 second\n", 15, &b), 15);
	assert_int_equal(b.len, 2);
	assert_string_equal(name_at(&b, 1), "second");
	jit_batch_release(&b);
}

static void
a_line_without_end_is_cut(void **state)
{
	static char text[64 << 10];
	struct perf_map p = { 0 };
	struct jit_batch b = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "1000 10 ", 8);
	assert_int_equal(read_map(&p, text, sizeof(text), &b), sizeof(text));
	assert_int_equal(read_map(&p, text, sizeof(text), &b), sizeof(text));
	assert_int_equal(b.len, 1);
	assert_int_equal(b.items[0].name_len, JIT_NAME_MAX);
	assert_int_equal(read_map(&p, "xx\n2000 10 next\n", 16, &b), 16);
	assert_int_equal(b.len, 2);
	assert_string_equal(name_at(&b, 1), "next");
	jit_batch_release(&b);
}

static void
a_batch_that_is_full_leaves_the_rest_for_the_next(void **state)
{
	struct buf text = { 0 };
	struct perf_map p = { 0 };
	struct jit_batch b = { 0 };
	size_t done;

	(void)state;
	for (int i = 0; i < JIT_BATCH_MAX + 10; i++)
		buf_addf(&text, "%x 10 f%d\n", 0x1000 + i * 16, i);
	done = read_map(&p, text.data, text.len, &b);
	assert_int_equal(b.len, JIT_BATCH_MAX);
	jit_batch_reset(&b);
	assert_int_equal(read_map(&p, text.data + done, text.len - done, &b), text.len - done);
	assert_int_equal(b.len, 10);
	jit_batch_release(&b);
	buf_release(&text);
}

/* A jitdump, as its specification lays it out, in either byte order. */
struct dump {
	struct buf b;
	bool swap;
};

static void
put_u32(struct dump *d, uint32_t v)
{
	v = d->swap ? __builtin_bswap32(v) : v;
	buf_add(&d->b, &v, sizeof(v));
}

static void
put_u64(struct dump *d, uint64_t v)
{
	v = d->swap ? __builtin_bswap64(v) : v;
	buf_add(&d->b, &v, sizeof(v));
}

static void
put_header(struct dump *d, uint32_t version, uint64_t flags)
{
	put_u32(d, 0x4a695444);
	put_u32(d, version);
	put_u32(d, 40);
	put_u32(d, 62);
	put_u32(d, 0);
	put_u32(d, 77);
	put_u64(d, 1);
	put_u64(d, flags);
}

static void
put_record(struct dump *d, uint32_t id, size_t len, uint64_t time_ns)
{
	put_u32(d, id);
	put_u32(d, (uint32_t)(16 + len));
	put_u64(d, time_ns);
}

static void
put_load(struct dump *d, uint64_t time_ns, uint64_t start, uint64_t size, const char *name)
{
	put_record(d, 0, 40 + strlen(name) + 1 + size, time_ns);
	put_u32(d, 77);
	put_u32(d, 78);
	put_u64(d, start);
	put_u64(d, start);
	put_u64(d, size);
	put_u64(d, 1);
	buf_add(&d->b, name, strlen(name) + 1);
	buf_add_fill(&d->b, '\x90', size);
}

static void
put_move(struct dump *d, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t size)
{
	put_record(d, 1, 48, time_ns);
	put_u32(d, 77);
	put_u32(d, 78);
	put_u64(d, to);
	put_u64(d, from);
	put_u64(d, to);
	put_u64(d, size);
	put_u64(d, 1);
}

static void
put_some(struct dump *d)
{
	put_header(d, 1, 0);
	put_record(d, 2, 33, 5); /* lines of a function */
	buf_add_fill(&d->b, 'x', 33);
	put_load(d, 10, 0x1000, 100, "alpha");
	put_record(d, 4, 8, 15); /* how it is unwound */
	put_u64(d, 0);
	put_load(d, 20, 0x2000, 0, "has no code");
	put_move(d, 30, 0x1000, 0x3000, 100);
	put_record(d, 99, 8, 35); /* of a later version */
	put_u64(d, 0);
	put_record(d, 3, 0, 40);
}

static void
assert_some(const struct jitdump *j, const struct jit_batch *b)
{
	assert_int_equal(j->pid, 77);
	assert_int_equal(j->broken, 0);
	assert_true(j->is_closed);
	assert_int_equal(b->len, 2);
	assert_int_equal(b->items[0].time_ns, 10);
	assert_int_equal(b->items[0].start, 0x1000);
	assert_int_equal(b->items[0].size, 100);
	assert_false(b->items[0].is_moved);
	assert_string_equal(name_at(b, 0), "alpha");
	assert_int_equal(b->items[1].time_ns, 30);
	assert_true(b->items[1].is_moved);
	assert_int_equal(b->items[1].old, 0x1000);
	assert_int_equal(b->items[1].start, 0x3000);
}

static void
a_jitdump_is_read_in_either_byte_order(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = { .swap = swap };
		struct jitdump j = { 0 };
		struct jit_batch b = { 0 };
		struct err err = { 0 };
		uint64_t done;

		put_some(&d);
		assert_int_equal(jitdump_read(&j, (struct bytes){ (uint8_t *)d.b.data, d.b.len },
					      d.b.len, &b, &done, &err), 0);
		assert_int_equal(done, d.b.len);
		assert_some(&j, &b);
		jit_batch_release(&b);
		buf_release(&d.b);
	}
}

static void
a_jitdump_is_read_as_it_is_written_byte_by_byte(void **state)
{
	struct dump d = { 0 };
	struct jitdump j = { 0 };
	struct jit_batch b = { 0 };
	struct err err = { 0 };
	uint64_t offset = 0, done;

	(void)state;
	put_some(&d);
	for (uint64_t end = 0; end <= d.b.len; end++) {
		struct bytes rest = { (uint8_t *)d.b.data + offset, end - offset };

		assert_int_equal(jitdump_read(&j, rest, end - offset, &b, &done, &err), 0);
		offset += done;
		assert_that(offset, <=, end);
	}
	assert_int_equal(offset, d.b.len);
	assert_some(&j, &b);
	jit_batch_release(&b);
	buf_release(&d.b);
}

static void
the_code_in_a_jitdump_need_not_be_read(void **state)
{
	struct dump d = { 0 };
	struct jitdump j = { 0 };
	struct jit_batch b = { 0 };
	struct err err = { 0 };
	uint64_t done, offset = 0;

	(void)state;
	put_header(&d, 2, 0);
	put_load(&d, 1, 0x1000, 100000, "large");
	for (int i = 0; i < 2; i++, offset += done)
		assert_int_equal(jitdump_read(&j, (struct bytes){ (uint8_t *)d.b.data + offset,
								  JITDUMP_LEAST },
					      d.b.len - offset, &b, &done, &err), 0);
	assert_int_equal(offset, d.b.len);
	assert_int_equal(b.len, 1);
	jit_batch_release(&b);
	buf_release(&d.b);
}

static void
jitdumps_that_cannot_be_used_are_refused_with_the_reason(void **state)
{
	static const struct {
		uint32_t version;
		uint64_t flags;
		uint32_t size; /* of a record behind the header, 0: none */
		bool is_other;
		const char *text;
	} rows[] = {
		{ 1, 1, 0, false, "the CPU's own clock" },
		{ 9, 0, 0, false, "version 9" },
		{ 1, 0, 0, true, "not a jitdump" },
		{ 1, 0, 15, false, "makes no sense" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dump d = { 0 };
		struct jitdump j = { 0 };
		struct jit_batch b = { 0 };
		struct err err = { 0 };
		uint64_t done;

		put_header(&d, rows[i].version, rows[i].flags);
		if (rows[i].is_other)
			d.b.data[0] = 'x';
		if (rows[i].size != 0) {
			put_u32(&d, 0);
			put_u32(&d, rows[i].size);
			put_u64(&d, 0);
		}
		assert_int_equal(jitdump_read(&j, (struct bytes){ (uint8_t *)d.b.data, d.b.len },
					      d.b.len, &b, &done, &err), -1);
		if (strstr(err.text, rows[i].text) == NULL)
			fail_msg("'%s' is not in '%s'", rows[i].text, err.text);
		jit_batch_release(&b);
		buf_release(&d.b);
	}
}

/* The same, kept in the simplest way: a name for each byte. */
static void
code_lies_where_it_was_put_last(void **state)
{
	enum { BYTES = 1 << 13, ROUNDS = 20000 };
	uint32_t *want = mem_calloc(BYTES, sizeof(*want));
	struct jit_code c = { 0 };
	unsigned seed = 1;

	(void)state;
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		uint32_t start = (uint32_t)rand_r(&seed) % BYTES;
		uint32_t size = 1 + (uint32_t)rand_r(&seed) % 16, at;

		size = MIN(size, BYTES - start);
		/* What is overlapped is gone as a whole. */
		for (at = start; at < start + size; at++)
			for (uint32_t old = want[at], k = 0; old != 0 && k < BYTES; k++)
				want[k] = want[k] == old ? 0 : want[k];
		for (at = start; i % 4 != 0 && at < start + size; at++)
			want[at] = i;
		if (i % 4 != 0)
			jit_code_add(&c, &(struct jit_range){ start, size, i });
		else
			jit_code_remove(&c, start, size);
		at = (uint32_t)rand_r(&seed) % BYTES;
		assert_int_equal(jit_code_overlaps(&c, at, 1), want[at] != 0);
	}
	for (uint32_t at = 0; at < BYTES; at++) {
		const struct jit_range *r = jit_code_find(&c, at);

		assert_int_equal(r != NULL ? r->name : 0, want[at]);
	}
	assert_that(c.len, >, 1);
	jit_code_release(&c);
	free(want);
}

struct place_test {
	struct fixture b;
	uint32_t dso;
};

static void
place_open(struct place_test *t)
{
	bench_open(&t->b, 24 << 20);
	t->dso = dsos_code(&t->b.model->dsos, 30);
}

static void
tell_code(struct place_test *t, uint64_t start, uint64_t size, const char *name)
{
	struct jit_change c = { .start = start, .size = size, .name_len = (uint32_t)strlen(name) };

	assert_int_equal(jit_learn(&t->b.locations, t->dso, &c, name), JIT_LEARNED);
}

static uint32_t
find_place(struct place_test *t, uint64_t addr)
{
	return locations_resolve(&t->b.locations,
				 jit_find(&t->b.locations, t->dso, addr, addr & ~UINT64_C(0xffff)));
}

static void
assert_place(struct place_test *t, uint32_t id, enum location_kind kind, const char *name)
{
	const struct location *loc;

	id = locations_resolve(&t->b.locations, id);
	loc = &t->b.locations.items[id];
	assert_int_equal(loc->kind, kind);
	assert_int_equal(loc->dso, t->dso);
	assert_string_equal(strs_get(&t->b.model->strs, loc->name), name);
}

static void
past_places_keep_their_names_when_code_is_replaced_or_moves(void **state)
{
	struct place_test t;
	struct jit_change move = { .old = 0x1000, .start = 0x5000, .size = 0x100, .is_moved = true };
	uint32_t alpha, beta, gamma;

	(void)state;
	place_open(&t);
	tell_code(&t, 0x1000, 0x100, "alpha");
	tell_code(&t, 0x2000, 0x100, "beta");
	alpha = find_place(&t, 0x1010);
	beta = find_place(&t, 0x20ff);
	assert_int_equal(jit_learn(&t.b.locations, t.dso, &move, ""), JIT_LEARNED);
	tell_code(&t, 0x1080, 0x100, "gamma");
	gamma = find_place(&t, 0x1090);
	assert_place(&t, alpha, LOCATION_FUNCTION, "alpha");
	assert_place(&t, beta, LOCATION_FUNCTION, "beta");
	assert_place(&t, gamma, LOCATION_FUNCTION, "gamma");
	assert_int_equal(find_place(&t, 0x5010), alpha); /* one row, wherever it is */
	assert_place(&t, find_place(&t, 0x1010), LOCATION_PENDING, "");
	/* What is not where it is said to be does not move. */
	move.old = 0x9000;
	assert_int_equal(jit_learn(&t.b.locations, t.dso, &move, ""), JIT_LEARNED);
	assert_int_equal(find_place(&t, 0x5010), alpha);
	bench_close(&t.b);
}

static void
places_that_wait_get_their_name_or_become_their_map(void **state)
{
	struct place_test t;
	uint32_t early, never, later;

	(void)state;
	place_open(&t);
	early = find_place(&t, 0x11010);
	never = find_place(&t, 0x12010);
	assert_place(&t, early, LOCATION_PENDING, "");
	tell_code(&t, 0x11000, 0x100, "alpha");
	assert_int_equal(jit_settle(&t.b.locations, t.dso), 1);
	assert_place(&t, early, LOCATION_FUNCTION, "alpha");
	assert_place(&t, never, LOCATION_PENDING, "");
	for (int i = 0; i < 10; i++)
		jit_age(&t.b.locations, t.dso);
	assert_place(&t, never, LOCATION_MAP, "");
	assert_int_equal(t.b.locations.items[locations_resolve(&t.b.locations, never)].offset,
			 0x10000);
	/* Another one may come there still. */
	later = find_place(&t, 0x12010);
	tell_code(&t, 0x12000, 0x100, "beta");
	jit_settle(&t.b.locations, t.dso);
	assert_place(&t, later, LOCATION_FUNCTION, "beta");
	assert_place(&t, never, LOCATION_MAP, "");
	bench_close(&t.b);
}

/* Its places wait by themselves: other files' must not be counted off for them. */
static void
code_without_a_file_of_names_leaves_other_places_waiting(void **state)
{
	struct place_test t;
	uint32_t code, other;

	(void)state;
	place_open(&t);
	code = find_place(&t, 0x11010);
	locations_learn_image(&t.b.locations, t.dso, NULL, "there is no perf map", "");
	jit_set_waiting(&t.b.locations, t.dso, false);
	assert_place(&t, code, LOCATION_MAP, "");
	other = locations_find(&t.b.locations, DSO_ID_KERNEL, 0x5010);
	assert_int_equal(t.b.locations.items[other].kind, LOCATION_PENDING);
	assert_int_equal(t.b.locations.pending, 1);
	bench_close(&t.b);
}

static void
code_without_names_is_bounded(void **state)
{
	struct place_test t;
	size_t before;

	(void)state;
	place_open(&t);
	for (uint64_t i = 0; i < 100000; i++)
		find_place(&t, i << 8);
	assert_that(t.b.locations.len, <, 1000);
	jit_set_waiting(&t.b.locations, t.dso, false);
	before = t.b.locations.len;
	for (uint64_t i = 0; i < 100000; i++)
		assert_place(&t, find_place(&t, i << 16), LOCATION_MAP, "");
	assert_that(t.b.locations.len, <, before + 100);
	bench_close(&t.b);
}

/* A runtime that writes until there is no room; whose is full then. */
static enum jit_learned
fill(struct place_test *t)
{
	enum jit_learned taken = JIT_LEARNED;
	char name[JIT_NAME_MAX + 1];

	memset(name, 'x', JIT_NAME_MAX);
	for (uint64_t i = 0; taken == JIT_LEARNED && i < 1000000; i++) {
		struct jit_change c = { .start = i << 8, .size = 16, .name_len = JIT_NAME_MAX };

		snprintf(name, 20, "%019llu", (unsigned long long)i);
		taken = jit_learn(&t->b.locations, t->dso, &c, name);
	}
	return taken;
}

/* However much a runtime writes, and all of it is given back when it ends. */
static void
names_of_code_are_bounded(void **state)
{
	struct place_test t;

	(void)state;
	place_open(&t);
	assert_int_equal(fill(&t), JIT_PROCESS_IS_FULL);
	assert_that(t.b.locations.jit_room.bytes, >, 16 << 20);
	assert_that(t.b.locations.jit_room.bytes, <, 64 << 20);
	jit_end(&t.b.locations, t.dso);
	assert_int_equal(t.b.locations.jit_room.bytes, 0);
	bench_close(&t.b);
}

/* Another one that is full, @uid's; 0: of nobody whose part is bounded. */
static enum jit_learned
fill_process(struct place_test *t, int pid, uint32_t uid)
{
	t->dso = dsos_code(&t->b.model->dsos, pid);
	if (uid != 0)
		jit_set_user(&t->b.locations, t->dso, uid);
	return fill(t);
}

/* Whatever processes of one user write, there is room for those of others, and it comes back. */
static void
a_user_leaves_room_for_names_of_others(void **state)
{
	enum { ANN = 1000, BEN, CEM, MIB = 1 << 20 };
	struct place_test t;
	struct jit_room *room;
	uint32_t first;

	(void)state;
	place_open(&t);
	first = t.dso + 1;
	room = &t.b.locations.jit_room;
	assert_int_equal(fill_process(&t, 40, ANN), JIT_PROCESS_IS_FULL);
	assert_int_equal(fill_process(&t, 41, ANN), JIT_USER_IS_FULL);
	assert_int_equal(fill_process(&t, 42, ANN), JIT_USER_IS_FULL);
	assert_that(room->bytes, <=, JIT_ROOM_ALL / 2 + MIB);
	assert_int_equal(fill_process(&t, 43, BEN), JIT_PROCESS_IS_FULL);
	assert_int_equal(fill_process(&t, 44, BEN), JIT_USER_IS_FULL);
	assert_that(room->bytes, <=, JIT_ROOM_ALL / 4 * 3 + 2 * MIB);
	assert_int_equal(fill_process(&t, 45, 0), JIT_ALL_IS_FULL);
	for (uint32_t dso = first; dso <= t.dso; dso++)
		jit_end(&t.b.locations, dso);
	assert_int_equal(room->bytes, 0);
	assert_int_equal(fill_process(&t, 46, BEN), JIT_PROCESS_IS_FULL);
	assert_int_equal(fill_process(&t, 47, BEN), JIT_USER_IS_FULL);
	/* Ann has none any more: another takes her place. */
	fill_process(&t, 48, CEM);
	assert_int_equal(room->len, 2);
	bench_close(&t.b);
}

static void
what_ended_long_ago_is_merged_by_name(void **state)
{
	struct place_test t;
	uint32_t a, b, map, rest, first = 0;

	(void)state;
	place_open(&t);
	for (int i = 0; i < 3; i++) {
		t.dso = dsos_code(&t.b.model->dsos, 40 + i);
		tell_code(&t, 0x1000, 0x100, "alpha");
		a = find_place(&t, 0x1010);
		b = find_place(&t, 0x2010);
		jit_end(&t.b.locations, t.dso);
		assert_place(&t, a, LOCATION_FUNCTION, "alpha");
		map = find_place(&t, 0x1010);
		assert_place(&t, map, LOCATION_MAP, "");
		rest = locations_rest(&t.b.locations, t.dso);
		jit_merge(&t.b.locations, t.dso);
		t.dso = DSO_ID_ANON;
		assert_place(&t, a, LOCATION_FUNCTION, "alpha");
		assert_place(&t, b, LOCATION_MAP, "");
		a = locations_resolve(&t.b.locations, a);
		assert_true(first == 0 || a == first);
		first = a;
		assert_int_equal(locations_resolve(&t.b.locations, rest),
				 locations_rest(&t.b.locations, DSO_ID_ANON));
	}
	bench_close(&t.b);
}

static void
executable_memory_without_a_file_is_its_process_s(void **state)
{
	struct model *m = model_new();
	const struct map *mine, *other;
	uint32_t before;

	(void)state;
	tell_fork(m, 1, 1, 9, 9, 1);
	tell_comm(m, 9, 9, "node", true);
	tell_fork(m, 1, 1, 10, 10, 1);
	tell_comm(m, 10, 10, "node", true);
	tell_map(m, 9, 0x10000, 0x1000, 0, "//anon", 2);
	tell_map(m, 9, 0x20000, 0x1000, 0, "/memfd:doublemapper (deleted)", 2);
	tell_map(m, 10, 0x10000, 0x1000, 0, "[heap]", 2);
	mine = space_find(model_space(m, model_find_task(m, 9)), 0x10800);
	other = space_find(model_space(m, model_find_task(m, 10)), 0x10800);
	assert_int_equal(dsos_get(&m->dsos, mine->dso)->kind, DSO_ANON);
	assert_string_equal(strs_get(&m->strs, dsos_get(&m->dsos, mine->dso)->name),
			    "[JIT] tid 9");
	assert_int_not_equal(mine->dso, other->dso);
	assert_int_equal(mine->dso,
			 space_find(model_space(m, model_find_task(m, 9)), 0x20000)->dso);
	before = model_space(m, model_find_task(m, 9))->generation;
	model_code_changed(m, mine->dso);
	assert_int_not_equal(model_space(m, model_find_task(m, 9))->generation, before);
	/* A child has its parent's code, and another program has none of it. */
	before = mine->dso;
	tell_fork(m, 9, 9, 11, 11, 3);
	tell_exit(m, 9, 9, 0, 4);
	assert_true(model_has_code(m, before));
	tell_comm(m, 11, 11, "sh", true);
	assert_false(model_has_code(m, before));
	model_free(m);
}

/* Whoever of them is sampled first. */
static void
a_child_that_shares_a_space_has_its_parents_code(void **state)
{
	struct model *m = model_new();
	uint32_t parent = model_task(m, 9, 9), child;

	(void)state;
	model_space(m, parent);
	tell_fork(m, 9, 9, 11, 11, 3);
	child = model_find_task(m, 11);
	assert_ptr_equal(model_space(m, child), model_space(m, parent));
	assert_int_equal(model_space_owner(m, model_space(m, child), child), parent);
	tell_exit(m, 9, 9, 0, 4);
	assert_int_equal(model_space_owner(m, model_space(m, child), child), child);
	model_free(m);
}

/* The perf map of this very process. */
static void
own_map(char *path, size_t size)
{
	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
}

static void
write_map(const char *path, mode_t mode, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	assert_that(fd, >=, 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void
a_perf_map_is_found_later_and_read_on_as_it_grows(void **state)
{
	struct jit_file *f = jit_file_new(JIT_PERF_MAP, 7, getpid(), NULL);
	char path[64];

	(void)state;
	own_map(path, sizeof(path));
	jit_file_look(f, "/proc");
	assert_int_equal(f->err.code, ERR_GONE);
	write_map(path, 0644, "1000 10 alpha\n2000 10 be");
	jit_file_look(f, "/proc");
	assert_string_equal(f->err.text, "");
	assert_int_equal(f->changes.len, 1);
	assert_false(f->has_more);
	write_map(path, 0644, "ta\n");
	jit_batch_reset(&f->changes);
	jit_file_look(f, "/proc");
	assert_int_equal(f->changes.len, 1);
	assert_string_equal(name_at(&f->changes, 0), "beta");
	unlink(path);
	jit_file_free(f);
}

/* A JVM does that when it is asked; the new one may be shorter, as long, or longer. */
static void
a_perf_map_that_is_written_anew_is_read_anew(void **state)
{
	static const char *const rows[] = {
		"3000 10 gamma\n", "1000 10 delta\n2000 10 beta\n",
		"4000 10 epsilon\n1000 10 alpha\n2000 10 beta\n",
	};
	struct jit_file *f = jit_file_new(JIT_PERF_MAP, 7, getpid(), NULL);
	char path[64];

	(void)state;
	own_map(path, sizeof(path));
	write_map(path, 0644, "1000 10 alpha\n2000 10 beta\n");
	jit_file_look(f, "/proc");
	assert_int_equal(f->changes.len, 2);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(truncate(path, 0), 0);
		write_map(path, 0644, rows[i]);
		jit_batch_reset(&f->changes);
		jit_file_look(f, "/proc");
		assert_false(f->is_over);
		assert_int_equal(f->changes.len, i + 1);
		/* Nothing more until it is written again. */
		jit_batch_reset(&f->changes);
		jit_file_look(f, "/proc");
		assert_int_equal(f->changes.len, 0);
	}
	unlink(path);
	jit_file_free(f);
}

static void
a_perf_map_that_others_could_have_written_is_refused(void **state)
{
	static const struct {
		const char *how, *text;
	} rows[] = {
		{ "write", "can be written by others" },
		{ "old", "older than the process" },
		{ "owner", "belongs to another user" },
		{ "link", "not a regular file" },
		{ "fifo", "not a regular file" },
		{ "folder", "not a regular file" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct jit_file *f = jit_file_new(JIT_PERF_MAP, 7, getpid(), NULL);
		struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
		char path[64];
		bool skip_row = strcmp(rows[i].how, "owner") == 0 && geteuid() != 0;

		own_map(path, sizeof(path));
		if (strcmp(rows[i].how, "fifo") == 0)
			assert_int_equal(mkfifo(path, 0600), 0);
		else if (strcmp(rows[i].how, "folder") == 0)
			assert_int_equal(mkdir(path, 0700), 0);
		else if (strcmp(rows[i].how, "link") == 0)
			assert_int_equal(symlink("/etc/passwd", path), 0);
		else
			write_map(path, strcmp(rows[i].how, "write") == 0 ? 0666 : 0600,
				  "1000 10 alpha\n");
		if (strcmp(rows[i].how, "old") == 0)
			assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
		if (strcmp(rows[i].how, "owner") == 0 && !skip_row)
			assert_int_equal(chown(path, 65534, 65534), 0);
		jit_file_look(f, "/proc");
		if (!skip_row && strstr(f->err.text, rows[i].text) == NULL)
			fail_msg("%s: '%s'", rows[i].how, f->err.text);
		if (!skip_row)
			assert_int_equal(f->changes.len, 0);
		remove(path);
		jit_file_free(f);
	}
}

/* A /proc in which the status of 1 is a pipe that nobody writes to; 2 is not there. */
static void
make_hanging_proc(char *dir, char *pipe_path, size_t size)
{
	char path[128];

	strcpy(dir, "/tmp/ptop-jit-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/1", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(pipe_path, size, "%s/1/status", dir);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
}

static void
a_file_that_does_not_answer_holds_up_no_other(void **state)
{
	struct queue *answers = queue_new();
	char dir[64], pipe_path[128], command[128];
	struct jit_reader *r;
	enum jit_kind kind;
	struct jit_file *f;
	uint32_t dso = 0;
	int fd = -1;

	(void)state;
	make_hanging_proc(dir, pipe_path, sizeof(pipe_path));
	r = jit_reader_new(dir, 20 * NSEC_PER_MSEC, answers);
	assert_true(jit_reader_is_idle(r));
	jit_reader_send(r, jit_file_new(JIT_PERF_MAP, 7, 1, NULL));
	jit_reader_send(r, jit_file_new(JIT_PERF_MAP, 8, 2, NULL));
	for (int i = 0; i < 1000 && !jit_reader_give_up(r, &kind, &dso); i++)
		usleep(10000);
	assert_int_equal(dso, 7);
	f = (struct jit_file *)queue_wait(answers, 60000);
	assert_non_null(f);
	assert_int_equal(f->msg.type, JIT_MSG_FILE);
	assert_int_equal(f->dso, 8);
	assert_int_equal(f->err.code, ERR_GONE);
	jit_reader_took(r);
	assert_true(jit_reader_is_idle(r));
	jit_file_free(f);
	jit_reader_free(r);
	/* Should it ever return, it frees what it has and answers nobody. */
	for (int i = 0; i < 20000 && fd < 0; i++, usleep(1000))
		fd = open(pipe_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	assert_that(fd, >=, 0);
	close(fd);
	usleep(50000);
	assert_null(queue_take(answers));
	queue_free(answers);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

/* As on a machine where others have the CPUs: the look is long, but it goes on. */
static void
a_look_that_takes_long_is_not_given_up(void **state)
{
	enum { LINES = 16 << 20 }; /* none of them names code */
	struct queue *answers = queue_new();
	struct jit_reader *r = jit_reader_new("/proc", 5 * NSEC_PER_MSEC, answers);
	uint64_t begin_ns = clock_mono_ns();
	char path[64], *lines = mem_calloc(1, LINES + 1);
	enum jit_kind kind;
	struct msg *m;
	uint32_t dso;

	(void)state;
	memset(lines, '\n', LINES);
	own_map(path, sizeof(path));
	write_map(path, 0600, lines);
	free(lines);
	jit_reader_send(r, jit_file_new(JIT_PERF_MAP, 7, (int)getpid(), NULL));
	while ((m = queue_take(answers)) == NULL && clock_mono_ns() - begin_ns < 60 * NSEC_PER_SEC) {
		assert_false(jit_reader_give_up(r, &kind, &dso));
		usleep(100);
	}
	assert_non_null(m);
	jit_reader_took(r);
	msg_free(m);
	jit_reader_free(r);
	queue_free(answers);
	remove(path);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_perf_map_has_a_line_for_each_piece_of_code),
		cmocka_unit_test(broken_lines_of_a_perf_map_are_counted_and_passed_over),
		cmocka_unit_test(a_line_that_is_not_whole_yet_waits),
		cmocka_unit_test(a_line_without_end_is_cut),
		cmocka_unit_test(a_batch_that_is_full_leaves_the_rest_for_the_next),
		cmocka_unit_test(a_jitdump_is_read_in_either_byte_order),
		cmocka_unit_test(a_jitdump_is_read_as_it_is_written_byte_by_byte),
		cmocka_unit_test(the_code_in_a_jitdump_need_not_be_read),
		cmocka_unit_test(jitdumps_that_cannot_be_used_are_refused_with_the_reason),
		cmocka_unit_test(code_lies_where_it_was_put_last),
		cmocka_unit_test(past_places_keep_their_names_when_code_is_replaced_or_moves),
		cmocka_unit_test(places_that_wait_get_their_name_or_become_their_map),
		cmocka_unit_test(code_without_a_file_of_names_leaves_other_places_waiting),
		cmocka_unit_test(code_without_names_is_bounded),
		cmocka_unit_test(names_of_code_are_bounded),
		cmocka_unit_test(a_user_leaves_room_for_names_of_others),
		cmocka_unit_test(what_ended_long_ago_is_merged_by_name),
		cmocka_unit_test(executable_memory_without_a_file_is_its_process_s),
		cmocka_unit_test(a_child_that_shares_a_space_has_its_parents_code),
		cmocka_unit_test(a_perf_map_is_found_later_and_read_on_as_it_grows),
		cmocka_unit_test(a_perf_map_that_is_written_anew_is_read_anew),
		cmocka_unit_test(a_perf_map_that_others_could_have_written_is_refused),
		cmocka_unit_test(a_file_that_does_not_answer_holds_up_no_other),
		cmocka_unit_test(a_look_that_takes_long_is_not_given_up),
	};

	return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}
