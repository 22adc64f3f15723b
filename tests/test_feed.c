/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buf.h"
#include "profile/count/feed.h"
#include "profile_fixture.h"
#include "record/encode.h"
#include "record/layouts.h"
#include "record/look.h"
#include "symbol/kernel/vdso.h"
#include "tests/asserts.h"
#include "tests/look_record.h"
#include "tests/skip.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER ((uint64_t)PERF_CONTEXT_USER)

enum { FULL_BUDGET = 24 << 20, SMALL_BUDGET = 48 << 10 };

struct kitchen {
	struct fixture b;
	struct feed feed;
	struct record_layouts layouts;
	size_t again; /* samples counted without being decoded */
};

static void
kitchen_open(struct kitchen *k)
{
	k->again = 0;
	bench_open(&k->b, FULL_BUDGET);
	k->layouts = (struct record_layouts){ 0 };
	record_layouts_add(&k->layouts, &live_layout);
	feed_init(&k->feed, k->b.model, &k->b.locations, k->b.profile, &k->layouts);
}

static void
kitchen_close(struct kitchen *k)
{
	feed_release(&k->feed);
	record_layouts_release(&k->layouts);
	bench_close(&k->b);
}

/* A sample whose chain begins with its own place, as the kernel writes it. */
static void
give(struct kitchen *k, int pid, int tid, uint16_t mode, const uint64_t *chain, size_t len)
{
	struct record_id id = {
		.pid = (uint32_t)pid, .tid = (uint32_t)tid, .time_ns = k->b.now_ns
	};
	struct record_sample s = { .ip = len > 1 ? chain[1] : 0, .period = 10, .chain = chain,
				   .chain_len = len };
	struct record rec;
	struct maker m;
	struct bytes bytes = make_sample(&m, &live_layout, mode, &id, &s);

	uint64_t tag = record_sample_tag(&live_layout, bytes);

	assert_int_not_equal(tag, 0);
	if (feed_repeat(&k->feed, tag, s.period, id.time_ns)) {
		k->again++;
		feed_flush(&k->feed);
		return;
	}
	assert_int_equal(record_decode(&live_layout, bytes, &rec), 1);
	feed_sample(&k->feed, 0, &rec, tag, bytes);
	feed_flush(&k->feed);
}

static void
give_user(struct kitchen *k, int pid, uint64_t ip)
{
	give(k, pid, pid, PERF_RECORD_MISC_USER, (uint64_t[]){ USER, ip }, 2);
}

static const struct feed_map bin_map = {
	.map = { 0x400000, 0x500000, 0x1000, 0 }, .maj = 8, .min = 1, .ino = 7, .path = "/bin/prog",
};

/* The sums of what is counted under @comm, at the dso of that name ("" for any). */
static uint64_t
counted(const struct kitchen *k, const char *comm, const char *dso)
{
	const struct model *m = k->b.model;
	const struct tables *t = &k->b.profile->tables;
	uint64_t sum = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t loc = locations_resolve(&k->b.locations, t->hot[id].location);
		uint32_t name = dsos_get(&m->dsos, k->b.locations.items[loc].dso)->name;

		if (strcmp(strs_get(&m->strs, m->whos[t->hot[id].who].comm), comm) == 0 &&
		    (*dso == '\0' || strcmp(strs_get(&m->strs, name), dso) == 0))
			sum += t->cells[TABLE_HOT].items[id].all_samples;
	}
	return sum;
}

/* A process that was there before the sampling, of that name. */
static uint32_t
old_process(struct kitchen *k, int pid, const char *comm)
{
	uint32_t id = model_task(k->b.model, pid, pid);

	model_learn_comm(k->b.model, id, comm);
	return id;
}

static void
samples_are_held_until_the_maps_come(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "prog");
	for (int i = 0; i < 5; i++)
		give_user(&k, 30, 0x400123);
	assert_int_equal(k.feed.map_len, 1);
	assert_int_equal(k.feed.maps[0].pid, 30);
	assert_int_equal(counted(&k, "prog", ""), 0);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie + 99, &bin_map, 1, 0);
	assert_int_equal(counted(&k, "prog", ""), 0);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(counted(&k, "prog", "prog"), 5);
	assert_int_equal(k.feed.held.len, 0);
	assert_int_equal(k.feed.asked_len, 0);
	give_user(&k, 30, 0x400123);
	assert_int_equal(counted(&k, "prog", "prog"), 6);
	/* One place in the file, and its image is asked for once. */
	assert_int_equal(k.b.profile->tables.cells[TABLE_ADDRESS].len, 2);
	assert_int_equal(k.b.profile->tables.addresses[1].offset, 0x1123);
	assert_int_equal(k.feed.image_len, 1);
	assert_int_equal(k.feed.images[0].pid, 30);
	assert_int_equal(k.feed.images[0].start, 0x400000);
	assert_int_equal(k.feed.images[0].end, 0x500000);
	kitchen_close(&k);
}

static void
kernel_samples_need_no_maps(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "kworker");
	give(&k, 30, 30, PERF_RECORD_MISC_KERNEL,
	     (uint64_t[]){ KERNEL, 0xffffffff81000010, 0xffffffff81000200 }, 3);
	assert_int_equal(k.feed.map_len, 0);
	assert_int_equal(k.feed.image_len, 0);
	assert_int_equal(counted(&k, "kworker", "[kernel]"), 1);
	kitchen_close(&k);
}

static void
an_exec_throws_the_answer_away_but_not_the_names(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "before");
	give_user(&k, 30, 0x400123);
	tell_comm(k.b.model, 30, 30, "after", true);
	tell_map(k.b.model, 30, 0x400000, 0x1000, 0, "/bin/after", k.b.now_ns);
	give_user(&k, 30, 0x400200);
	assert_int_equal(counted(&k, "after", "after"), 1);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(counted(&k, "before", "[unknown]"), 1);
	assert_int_equal(counted(&k, "after", ""), 1);
	assert_int_equal(k.feed.unmapped, 1);
	assert_int_equal(
		model_space(k.b.model, model_find_task(k.b.model, 30))->state, SPACE_KNOWN);
	kitchen_close(&k);
}

static void
a_rename_leaves_held_samples_their_name(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "one");
	give_user(&k, 30, 0x400123);
	tell_comm(k.b.model, 30, 30, "two", false);
	give_user(&k, 30, 0x400123);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(counted(&k, "one", "prog"), 1);
	assert_int_equal(counted(&k, "two", "prog"), 1);
	kitchen_close(&k);
}

static void
a_child_that_died_unread_takes_its_parents_maps_and_leaves_it_its_own(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "bash");
	tell_fork(k.b.model, 30, 30, 31, 31, k.b.now_ns);
	give_user(&k, 31, 0x400123);
	assert_int_equal(k.feed.maps[0].pid, 31);
	tell_exit(k.b.model, 31, 31, 0, k.b.now_ns);
	k.feed.map_len = 0;
	feed_learn_maps(&k.feed, 1, NULL, 0, k.b.now_ns);
	assert_int_equal(k.feed.map_len, 1);
	assert_int_equal(k.feed.maps[0].pid, 30);
	assert_int_equal(counted(&k, "bash", ""), 0);
	give_user(&k, 30, 0x400300);
	assert_int_equal(k.feed.map_len, 1);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(counted(&k, "bash", "prog"), 2);
	assert_int_equal(
		model_space(k.b.model, model_find_task(k.b.model, 30))->state, SPACE_KNOWN);
	assert_int_equal(k.feed.unmapped, 0);
	kitchen_close(&k);
}

static void
maps_that_cannot_be_had_are_not_asked_for_again(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "secret");
	for (int pid = 31; pid < 50; pid++)
		tell_fork(k.b.model, 30, 30, pid, pid, k.b.now_ns);
	give_user(&k, 30, 0x400123);
	for (size_t i = 0; i < k.feed.map_len; i++)
		feed_learn_maps(&k.feed, k.feed.maps[i].cookie, NULL, 0, k.b.now_ns);
	assert_in_range(k.feed.map_len, 1, 10); /* others who share it are tried, not all */
	assert_int_equal(counted(&k, "secret", "[unknown]"), 1);
	assert_int_equal(k.feed.unmapped, 1);
	k.feed.map_len = 0;
	give_user(&k, 30, 0x400123);
	assert_int_equal(k.feed.map_len, 0);
	assert_int_equal(counted(&k, "secret", "[unknown]"), 2);
	/* Lost records make it worth another try. */
	model_doubt_all(k.b.model);
	give_user(&k, 30, 0x400123);
	assert_int_equal(k.feed.map_len, 1);
	kitchen_close(&k);
}

static void
maps_that_may_not_be_read_are_no_maps_of_what_has_ended(void **state)
{
	struct kitchen k;
	const struct strs *strs;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "theirs");
	give_user(&k, 30, 0x400123);
	feed_deny_maps(&k.feed, k.feed.maps[0].cookie);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, NULL, 0, k.b.now_ns);
	assert_int_equal(k.feed.denied, 1);
	assert_int_equal(k.feed.unmapped, 0);
	assert_int_equal(counted(&k, "theirs", "[unknown]"), 1);
	strs = &k.b.model->strs;
	assert_string_equal(strs_get(strs, dso_source_reason(&k.b.locations, LOCATION_DENIED)),
			    "the maps of its process may not be read");
	assert_string_equal(strs_get(strs, dso_source_remedy(&k.b.locations, LOCATION_DENIED)),
			    "run as root, or with CAP_SYS_PTRACE");
	/* What a record tells of it is known all the same. */
	tell_map(k.b.model, 30, 0x400000, 0x1000, 0, "/bin/late", k.b.now_ns);
	give_user(&k, 30, 0x400200);
	assert_int_equal(counted(&k, "theirs", "late"), 1);
	kitchen_close(&k);
}

static void
a_map_that_came_after_the_reading_stays(void **state)
{
	struct kitchen k;
	struct space *s;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "prog");
	give_user(&k, 30, 0x400123);
	tell_map(k.b.model, 30, 0x900000, 0x1000, 0, "/lib/late.so", k.b.now_ns + 5);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(counted(&k, "prog", "prog"), 1);
	s = model_space(k.b.model, model_find_task(k.b.model, 30));
	assert_non_null(space_find(s, 0x900000));
	/* What else is there is asked for anew. */
	give_user(&k, 30, 0x400123);
	assert_int_equal(k.feed.map_len, 2);
	/* One that was there when the maps were read is in them. */
	old_process(&k, 40, "other");
	give_user(&k, 40, 0x400123);
	tell_map(k.b.model, 40, 0x900000, 0x1000, 0, "/lib/early.so", k.b.now_ns - 5);
	feed_learn_maps(&k.feed, k.feed.maps[2].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(
		model_space(k.b.model, model_find_task(k.b.model, 40))->state, SPACE_KNOWN);
	kitchen_close(&k);
}

/* Changes its maps, always others, and takes a sample in the last, so many times. */
static void
change_maps(struct kitchen *k, int pid, int times)
{
	for (int i = 0; i < times; i++) {
		tell_map(k->b.model, pid, 0x900000 + (uint64_t)i * 0x1000, 0x1000, 0, "/lib/late.so",
			 k->b.now_ns + 5);
		give_user(k, pid, 0x900000 + (uint64_t)i * 0x1000 + 0x123);
	}
}

/* Else each question keeps a copy of all maps as they were, and they come faster than answers. */
static void
a_process_that_changes_its_maps_without_end_is_asked_about_once_at_a_time(void **state)
{
	struct kitchen k;
	struct space *s;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "prog");
	give_user(&k, 30, 0x400123);
	change_maps(&k, 30, 2);
	s = model_space(k.b.model, model_find_task(k.b.model, 30));
	change_maps(&k, 30, 100);
	assert_ptr_equal(model_space(k.b.model, model_find_task(k.b.model, 30)), s);
	assert_int_equal(k.feed.map_len, 1);
	assert_int_equal(k.feed.asked_len, 1);
	assert_int_equal(counted(&k, "prog", ""), 0);
	/* Of before the changes: what it was then is counted, what it is now is asked for. */
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(counted(&k, "prog", "prog"), 1);
	assert_int_equal(counted(&k, "prog", ""), 1);
	assert_int_equal(k.feed.map_len, 2);
	assert_int_equal(k.feed.asked_len, 1);
	feed_learn_maps(&k.feed, k.feed.maps[1].cookie, &bin_map, 1, k.b.now_ns + 10);
	assert_int_equal(counted(&k, "prog", "[unknown]"), 102); /* these are not in what was read */
	give_user(&k, 30, 0x400123);
	assert_int_equal(counted(&k, "prog", "prog"), 2);
	assert_int_equal(k.feed.asked_len, 0);
	/* No answer comes at all. */
	old_process(&k, 40, "mute");
	give_user(&k, 40, 0x400123);
	change_maps(&k, 40, 3);
	feed_expire(&k.feed, k.b.now_ns + 1);
	assert_int_equal(counted(&k, "mute", "late.so"), 3);
	assert_int_equal(counted(&k, "mute", "[unknown]"), 1);
	change_maps(&k, 40, 3);
	assert_int_equal(k.feed.asked_len, 1);
	assert_int_equal(counted(&k, "mute", "late.so"), 6);
	kitchen_close(&k);
}

/* Nor is it read again at once: records tell what is new. */
static void
maps_that_take_long_to_read_are_seldom_read(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "prog");
	give_user(&k, 30, 0x400123);
	change_maps(&k, 30, 1);
	feed_cost_of_maps(&k.feed, k.feed.maps[0].cookie, 52 * NSEC_PER_MSEC);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(k.feed.map_len, 1);
	assert_int_equal(counted(&k, "prog", "prog"), 1);
	assert_int_equal(counted(&k, "prog", "late.so"), 1);
	give_user(&k, 30, 0x400123);
	assert_int_equal(counted(&k, "prog", "prog"), 2);
	/* Lost records make it worth another look, but not now. */
	model_doubt_all(k.b.model);
	give_user(&k, 30, 0x400123);
	assert_int_equal(k.feed.map_len, 1);
	assert_int_equal(counted(&k, "prog", "prog"), 3);
	k.b.now_ns += 6 * NSEC_PER_SEC;
	give_user(&k, 30, 0x400123);
	assert_int_equal(k.feed.map_len, 2);
	kitchen_close(&k);
}

static void
an_answer_for_a_pid_that_is_anothers_by_now_is_thrown_away(void **state)
{
	struct kitchen k;
	uint32_t task, who;

	(void)state;
	kitchen_open(&k);
	task = old_process(&k, 30, "dead");
	give_user(&k, 30, 0x400123);
	who = model_who(k.b.model, task);
	tell_exit(k.b.model, 30, 30, 0, k.b.now_ns);
	model_sweep(k.b.model, UINT64_MAX);
	model_forget_who(k.b.model, who); /* the held sample's: merged in the meantime */
	tell_fork(k.b.model, 1, 1, 70, 70, k.b.now_ns);
	tell_fork(k.b.model, 1, 1, 71, 71, k.b.now_ns);
	assert_true(k.b.model->tasks[task].is_used);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(model_space(k.b.model, task)->len, 0);
	assert_int_equal(counted(&k, "", ""), 1);
	kitchen_close(&k);
}

static void
samples_whose_maps_never_come_are_filed_in_the_end(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	old_process(&k, 30, "stuck");
	give_user(&k, 30, 0x400123);
	feed_expire(&k.feed, k.b.now_ns);
	assert_int_equal(counted(&k, "stuck", ""), 0);
	feed_expire(&k.feed, k.b.now_ns + 1);
	assert_int_equal(counted(&k, "stuck", "[unknown]"), 1);
	/* A late answer is better than none. */
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	give_user(&k, 30, 0x400123);
	assert_int_equal(counted(&k, "stuck", "prog"), 1);
	kitchen_close(&k);
}

static void
what_is_held_is_bounded_and_nothing_is_lost(void **state)
{
	struct kitchen k;
	uint64_t sum;

	(void)state;
	kitchen_open(&k);
	for (int pid = 30; pid < 34; pid++)
		old_process(&k, pid, "flood");
	for (int i = 0; i < 20000; i++)
		give_user(&k, 30 + i % 4, 0x400123);
	assert_that(k.feed.held.len, <=, 1 << 20);
	sum = counted(&k, "flood", "[unknown]");
	assert_that(sum, >, 0);
	assert_that(sum, <, 20000);
	feed_learn_maps(&k.feed, k.feed.maps[1].cookie, &bin_map, 1, k.b.now_ns);
	assert_that(k.feed.held.len, >, 0);
	feed_learn_maps(&k.feed, k.feed.maps[0].cookie, &bin_map, 1, k.b.now_ns);
	feed_learn_maps(&k.feed, k.feed.maps[3].cookie, &bin_map, 1, k.b.now_ns);
	feed_learn_maps(&k.feed, k.feed.maps[2].cookie, &bin_map, 1, k.b.now_ns);
	assert_int_equal(k.feed.held.len, 0);
	assert_int_equal(counted(&k, "flood", ""), 20000);
	assert_int_equal(counted(&k, "flood", "prog"), 20000 - sum);
	kitchen_close(&k);
}

/* A process whose program, of four functions of 256 bytes, was seen from its exec on. */
static void
known_process(struct kitchen *k, int pid)
{
	uint32_t dso;

	tell_fork(k->b.model, 1, 1, pid, pid, k->b.now_ns);
	tell_comm(k->b.model, pid, pid, "prog", true);
	tell_map(k->b.model, pid, 0x400000, 0x1000, 0, "/bin/prog", k->b.now_ns);
	dso = space_find(model_space(k->b.model, model_find_task(k->b.model, pid)), 0x400000)->dso;
	if (locations_symbols(&k->b.locations, dso)->state == SYMBOLS_NONE)
		locations_learn_image(&k->b.locations, dso, make_image(4, 256), "", "");
	if (locations_symbols(&k->b.locations, DSO_ID_KERNEL)->state == SYMBOLS_NONE)
		locations_learn_image(&k->b.locations, DSO_ID_KERNEL, NULL, "", "");
}

/* The stack of the one node with counts, outermost first: "f0 f1 [kernel]". */
static void
put_stack(const struct kitchen *k, uint32_t node, struct buf *out)
{
	const struct tree_key *key = &k->b.profile->tables.tree[node];
	const struct location *loc;

	if (key->parent == 0)
		return;
	put_stack(k, key->parent, out);
	loc = &k->b.locations.items[locations_resolve(&k->b.locations, key->location)];
	buf_addf(out, "%s%s", out->len > 0 ? " " : "",
		strs_get(&k->b.model->strs,
			loc->name != 0 ? loc->name : dsos_get(&k->b.model->dsos, loc->dso)->name));
}

static void
assert_stack(const struct kitchen *k, uint64_t samples, const char *want)
{
	const struct cells *c = &k->b.profile->tables.cells[TABLE_TREE];
	struct buf b = { 0 };
	bool found = false;

	for (uint32_t id = 1; id < c->len; id++) {
		if (c->items[id].all_samples != samples)
			continue;
		buf_reset(&b);
		put_stack(k, id, &b);
		found |= strcmp(buf_str(&b), want) == 0;
	}
	if (!found)
		print_message("last stack: %s, wanted %s\n", buf_str(&b), want);
	assert_true(found);
	buf_release(&b);
}

static void
chains_become_stacks(void **state)
{
	static const struct {
		uint16_t mode;
		uint64_t chain[12];
		size_t len;
		const char *stack;
	} rows[] = {
		{ PERF_RECORD_MISC_USER, { USER, 0x400010 }, 2, "f0" },
		/* Return addresses: the call is before them, here in the function before. */
		{ PERF_RECORD_MISC_USER, { USER, 0x400010, 0x400200, 0x400310 }, 4, "f3 f1 f0" },
		{ PERF_RECORD_MISC_KERNEL,
		  { KERNEL, 0xffffffff81000000, 0xffffffff81000100, USER, 0x400200, 0x400310 }, 6,
		  "f3 f2 [kernel] [kernel]" },
		/* The kernel's part is its own place only: the user's first is still exact. */
		{ PERF_RECORD_MISC_KERNEL, { KERNEL, 0xffffffff81000000, USER, 0x400200 }, 4,
		  "f2 [kernel]" },
		/* The kernel's part was left out. */
		{ PERF_RECORD_MISC_KERNEL, { USER, 0x400200, 0x400110 }, 3, "f1 f2 [kernel]" },
		/* Garbage, as code without frame pointers leaves it. */
		{ PERF_RECORD_MISC_USER, { USER, 0x400010, 0x7, 0x99999999, 0x1234, 0x400110 }, 6,
		  "f1 [unknown] f0" },
		{ PERF_RECORD_MISC_USER, { USER, 0x400010, 0x7, 0x400110, 0x7 }, 5,
		  "[unknown] f1 [unknown] f0" },
		/* So long that the outer part is walked for itself. */
		{ PERF_RECORD_MISC_USER,
		  { USER, 0x400010, 0x400110, 0x400110, 0x7, 0x8, 0x400210, 0x400210, 0x400210,
		    0x400310, 0x400310 }, 11,
		  "f3 f3 f2 f2 f2 [unknown] f1 f1 f0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kitchen k;

		kitchen_open(&k);
		known_process(&k, 30);
		for (int n = 0; n < 7; n++)
			give(&k, 30, 30, rows[i].mode, rows[i].chain, rows[i].len);
		assert_stack(&k, 7, rows[i].stack);
		kitchen_close(&k);
	}
}

/* A map of the kernel, as a recording has it. */
static void
tell_kernel_map(struct model *m, uint64_t start, uint64_t len, const char *name)
{
	struct buf b = { 0 };
	struct record rec;

	record_encode_kernel_mmap(&b, &live_layout, &(struct record_mmap){
		.start = start, .len = len, .pgoff = start, .name = name });
	assert_int_equal(record_decode(&live_layout, (struct bytes){ (const uint8_t *)b.data, b.len },
				       &rec), 1);
	model_record(m, &rec);
	buf_release(&b);
}

/* In a recording what is beyond the kernel's maps is unknown, but not if its own was not told. */
static void
samples_of_a_kernel_whose_map_was_hidden_are_the_kernels(void **state)
{
	static const struct {
		bool has_module, has_kernel;
		const char *stack;
	} rows[] = {
		{ false, false, "f3 f2 [kernel] [kernel] [kernel]" },
		{ true, false, "f3 f2 [kernel] [ext4] [kernel]" },
		{ true, true, "f3 f2 [unknown] [ext4] [kernel]" },
	};
	static const uint64_t chain[] = { KERNEL, 0xffffffff81000000, 0xffffffffc0331100,
					  0xffffffffd0000000, USER, 0x400200, 0x400310 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kitchen k;

		kitchen_open(&k);
		model_set_from_file(k.b.model);
		if (rows[i].has_module)
			tell_kernel_map(k.b.model, 0xffffffffc0331000, 0x10000, "[ext4]");
		if (rows[i].has_kernel)
			tell_kernel_map(k.b.model, 0xffffffff81000000, 0x1000000,
					"[kernel.kallsyms]_text");
		known_process(&k, 30);
		for (int n = 0; n < 7; n++)
			give(&k, 30, 30, PERF_RECORD_MISC_KERNEL, chain, ARRAY_SIZE(chain));
		assert_stack(&k, 7, rows[i].stack);
		give(&k, 30, 30, PERF_RECORD_MISC_GUEST_KERNEL,
		     (uint64_t[]){ USER, 0xffffffff81000000 }, 2);
		assert_int_equal(counted(&k, "prog", "[guest.kernel]"), 1);
		kitchen_close(&k);
	}
}

/* The same in both kitchens, by chance. */
static void
give_something(struct kitchen *k, unsigned seed)
{
	static const uint64_t places[] = { 0x400010, 0x400110, 0x400210, 0x400310, 0x77 };
	uint64_t chain[24];
	size_t len = 0;
	int pid;
	bool in_kernel;

	srand(seed);
	pid = 30 + rand() % 3;
	in_kernel = rand() % 2;
	if (in_kernel) {
		chain[len++] = KERNEL;
		for (int n = 1 + rand() % 3; n > 0; n--)
			chain[len++] = 0xffffffff81000000 + ((uint64_t)rand() % 3 << 12);
	}
	chain[len++] = USER;
	for (int n = 1 + rand() % 4 * (1 + rand() % 4); n > 0; n--)
		chain[len++] = places[rand() % 5];
	give(k, pid, pid, in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, chain, len);
}

/* Now and then the program of one changes, and later, when its image comes, node ids do. */
static void
disturb(struct kitchen *k, unsigned n)
{
	static const char *const paths[] = { "/bin/a", "/bin/b", "/bin/c", "/bin/d" };
	const char *path = paths[n / 500 % ARRAY_SIZE(paths)];

	if (n % 500 == 100)
		tell_map(k->b.model, 31, 0x400000, 0x200, n << 4 & 0x300, "/bin/prog", n);
	if (n % 500 == 200)
		tell_map(k->b.model, 32, 0x400000, 0x200, 0, path, n);
	if (n % 500 != 400)
		return;
	locations_learn_image(&k->b.locations, dsos_file(&k->b.model->dsos, path, 0, 0, 42, 0),
			      make_image(4, 256), "", "");
	k->b.profile->fold_due = true;
	profile_fold(k->b.profile, k->b.now_ns + n * 20 * NSEC_PER_SEC);
}

/* @budget_bytes bound what is kept: where it is less than that, stacks are folded. */
static void
compare_without_caches(bool by_name, size_t budget_bytes)
{
	const struct tables *t[2];
	struct kitchen k[2];

	for (int i = 0; i < 2; i++) {
		kitchen_open(&k[i]);
		k[i].b.profile->budget_bytes = budget_bytes;
		if (by_name)
			model_set_by_name(k[i].b.model);
		for (int pid = 30; pid < 33; pid++)
			known_process(&k[i], pid);
		t[i] = &k[i].b.profile->tables;
	}
	for (unsigned n = 0; n < 4000; n++) {
		give_something(&k[0], n);
		cache_clear(&k[1].feed.stacks);
		cache_clear(&k[1].feed.addresses);
		give_something(&k[1], n);
		for (int i = 0; i < 2; i++)
			disturb(&k[i], n);
	}
	assert_that(t[0]->cells[TABLE_TREE].len, >, 100);
	assert_int_equal(k[0].b.profile->folded_nodes > 0, budget_bytes < FULL_BUDGET);
	assert_int_equal(k[0].b.profile->folded_nodes, k[1].b.profile->folded_nodes);
	assert_int_equal(t[0]->cells[TABLE_TREE].len, t[1]->cells[TABLE_TREE].len);
	for (uint32_t id = 1; id < t[0]->cells[TABLE_TREE].len; id++) {
		assert_memory_equal(&t[0]->tree[id], &t[1]->tree[id], sizeof(t[0]->tree[id]));
		assert_int_equal(t[0]->cells[TABLE_TREE].items[id].all_samples,
				 t[1]->cells[TABLE_TREE].items[id].all_samples);
	}
	kitchen_close(&k[0]);
	kitchen_close(&k[1]);
}

static void
the_caches_change_nothing_but_the_time(void **state)
{
	(void)state;
	compare_without_caches(false, FULL_BUDGET);
	compare_without_caches(true, FULL_BUDGET);
	compare_without_caches(false, SMALL_BUDGET);
	compare_without_caches(true, SMALL_BUDGET);
}

/* How often the cache was asked in vain for who calls f0: @callers, all alike. */
static size_t
walks(struct kitchen *k, uint64_t caller, size_t callers)
{
	uint64_t chain[9] = { USER, 0x400010 };
	size_t before = k->feed.stacks.puts;

	for (size_t i = 0; i < callers; i++)
		chain[2 + i] = caller;
	give(k, 30, 30, PERF_RECORD_MISC_USER, chain, 2 + callers);
	return k->feed.stacks.puts - before;
}

static void
a_fold_leaves_the_cache_what_it_leaves_the_tree(void **state)
{
	const uint64_t heavy = 0x400110, light = 0x400210;
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 30);
	/* Made first, so that the numbers of the other's nodes change. */
	assert_int_equal(walks(&k, light, 7), 1);
	for (int i = 0; i < 100; i++)
		walks(&k, heavy, 1);
	k.b.profile->budget_bytes = 1 << 10;
	profile_fold(k.b.profile, k.b.now_ns);
	assert_int_equal(k.b.profile->folded_nodes, 8);
	assert_int_equal(walks(&k, heavy, 1), 0);
	assert_stack(&k, 101, "f1 f0");
	/* What was folded is in its caller, the root; what comes is not. */
	assert_int_equal(walks(&k, light, 7), 1);
	assert_int_equal(walks(&k, light, 7), 0);
	assert_stack(&k, 2, "f2 f2 f2 f2 f2 f2 f2 f0");
	/* All are void when places may be others. */
	feed_forget_places(&k.feed);
	assert_int_equal(walks(&k, heavy, 1), 1);
	assert_stack(&k, 102, "f1 f0");
	kitchen_close(&k);
}

/* Wherever each has its program mapped; but what another has in that place is another stack. */
static void
by_name_all_who_run_a_program_share_its_stacks(void **state)
{
	const uint64_t chain[] = { USER, 0x400010, 0x400110, 0x400210 };
	const uint64_t moved[] = { USER, 0x500010, 0x500110, 0x500210 };
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	model_set_by_name(k.b.model);
	for (int pid = 30; pid < 33; pid++)
		known_process(&k, pid);
	tell_map(k.b.model, 31, 0x500000, 0x1000, 0, "/bin/prog", 1);
	tell_map(k.b.model, 32, 0x400000, 0x1000, 0, "/bin/other", 1);
	for (int n = 0; n < 3; n++) {
		give(&k, 30, 30, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
		give(&k, 31, 31, PERF_RECORD_MISC_USER, moved, ARRAY_SIZE(moved));
		give(&k, 32, 32, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	}
	assert_stack(&k, 6, "f2 f1 f0");
	kitchen_close(&k);
}

/* As many as there are threads would be too many trees: the one that is looked at has its own. */
static void
threads_of_a_process_with_one_tree_share_its_stacks(void **state)
{
	const uint64_t chain[] = { USER, 0x400010, 0x400110, 0x400210 };
	static const struct {
		bool is_one;
		int looked_at; /* tid, 0: none */
		size_t roots;
	} cases[] = { { false, 0, 3 }, { true, 0, 1 }, { true, 32, 2 }, { false, 32, 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t roots = 0;
		struct kitchen k;
		uint32_t process;

		kitchen_open(&k);
		known_process(&k, 30);
		process = model_find_task(k.b.model, 30);
		model_task_at(k.b.model, process)->has_one_tree = cases[i].is_one;
		k.b.profile->keep_process = process;
		for (int tid = 31; tid < 34; tid++) {
			tell_fork(k.b.model, 30, 30, 30, tid, k.b.now_ns);
			if (tid == cases[i].looked_at)
				k.b.profile->keep_thread = model_find_task(k.b.model, tid);
			give(&k, 30, tid, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
		}
		for (uint32_t id = 1; id < k.b.profile->tables.cells[TABLE_TREE].len; id++)
			roots += k.b.profile->tables.tree[id].parent == 0;
		assert_int_equal(roots, cases[i].roots);
		/* They are told apart where no stacks are. */
		assert_int_equal(k.b.profile->tables.cells[TABLE_HOT].len, 1 + 3);
		kitchen_close(&k);
	}
}

/* A memo leads to where the stacks of its thread were before. */
static void
a_thread_that_is_looked_at_has_its_own_tree_from_then_on(void **state)
{
	const uint64_t chain[] = { USER, 0x400010, 0x400110, 0x400210 };
	const struct profile *p;
	struct kitchen k;
	uint32_t process, thread;

	(void)state;
	kitchen_open(&k);
	p = k.b.profile;
	known_process(&k, 30);
	process = model_find_task(k.b.model, 30);
	model_task_at(k.b.model, process)->has_one_tree = true;
	tell_fork(k.b.model, 30, 30, 30, 31, k.b.now_ns);
	for (int n = 0; n < 3; n++)
		give(&k, 30, 31, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	thread = model_find_task(k.b.model, 31);
	for (int n = 0; n < 2; n++) {
		size_t len = p->tables.cells[TABLE_TREE].len;

		k.b.profile->keep_thread = n == 0 ? thread : 0;
		feed_learn_trees(&k.feed);
		give(&k, 30, 31, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
		feed_flush(&k.feed);
		/* Nodes of its own; and then those of the process, as before. */
		assert_int_equal(p->tables.cells[TABLE_TREE].len > len, n == 0);
	}
	kitchen_close(&k);
}

/* How many samples the tables have of tasks with that pid. */
static uint64_t
samples_of_pid(const struct kitchen *k, int pid)
{
	const struct tables *t = &k->b.profile->tables;
	const struct model *m = k->b.model;
	uint64_t sum = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		if (m->tasks[m->whos[t->hot[id].who].task].pid == pid)
			sum += t->cells[TABLE_HOT].items[id].all_samples;
	return sum;
}

static size_t
roots_of_tree(const struct kitchen *k)
{
	const struct tables *t = &k->b.profile->tables;
	size_t roots = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_TREE].len; id++)
		roots += t->tree[id].parent == 0;
	return roots;
}

/* Else there would be a row and a tree for each, which are merged a moment later. */
static void
young_ones_of_a_crowd_are_counted_with_those_of_their_name_that_ended(void **state)
{
	enum { OLD = 30, LOOKED_AT = 31, TARGET = 32, OTHER = 33, NAMED = 50, YOUNG = 100, COUNT = 20 };
	const uint64_t chain[] = { USER, 0x400010, 0x400110, 0x400210 };
	struct kitchen k;
	struct model *m;
	uint32_t comm;

	(void)state;
	kitchen_open(&k);
	m = k.b.model;
	for (int pid = OLD; pid <= OTHER; pid++) {
		known_process(&k, pid);
		tell_comm(m, pid, pid, pid == OTHER ? "other" : "many", false);
	}
	k.b.now_ns += 2 * NSEC_PER_SEC;
	m->tasks[model_find_task(m, LOOKED_AT)].born_ns = k.b.now_ns;
	m->tasks[model_find_task(m, TARGET)].born_ns = k.b.now_ns;
	m->tasks[model_find_task(m, OTHER)].born_ns = k.b.now_ns;
	m->tasks[model_find_task(m, TARGET)].is_target = true;
	k.b.profile->keep_process = model_find_task(m, LOOKED_AT);
	comm = m->tasks[model_find_task(m, OLD)].comm;
	crowds_ended(&k.b.profile->crowds, comm, 0, CROWD_LEAST);
	for (int i = 0; i < COUNT; i++) {
		known_process(&k, YOUNG + i);
		tell_comm(m, YOUNG + i, YOUNG + i, "many", false);
		give(&k, YOUNG + i, YOUNG + i, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
		give(&k, YOUNG + i, YOUNG + i, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	}
	for (int pid = OLD; pid <= OTHER; pid++)
		give(&k, pid, pid, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	assert_int_equal(samples_of_pid(&k, TASK_ENDED_TID), 2 * COUNT);
	assert_int_equal(samples_of_pid(&k, YOUNG), 0);
	for (int pid = OLD; pid <= OTHER; pid++)
		assert_int_equal(samples_of_pid(&k, pid), 1);
	assert_int_equal(roots_of_tree(&k), 1 + OTHER - OLD + 1);
	assert_int_equal(k.b.profile->merged_tasks, COUNT);

	/* A thread that was named, and beside it others of the process of one. */
	for (int pid = NAMED; pid < NAMED + 4; pid += 2) {
		known_process(&k, pid);
		tell_comm(m, pid, pid, "many", false);
		tell_fork(m, pid, pid, pid, pid + 1, k.b.now_ns);
		model_set_thread_target(m, model_find_task(m, pid == NAMED ? pid + 1 : pid), 1);
		give(&k, pid, pid + 1, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
		assert_int_equal(samples_of_pid(&k, pid), 1);
	}
	assert_int_equal(samples_of_pid(&k, TASK_ENDED_TID), 2 * COUNT);

	/* One that lives on has its own row from then on. */
	k.b.now_ns += 2 * NSEC_PER_SEC;
	give(&k, YOUNG, YOUNG, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	assert_int_equal(samples_of_pid(&k, YOUNG), 1);
	assert_int_equal(samples_of_pid(&k, TASK_ENDED_TID), 2 * COUNT);
	kitchen_close(&k);
}

/* Nobody has the program where another one has it. */
static void
stacks_of_a_crowd_are_known_wherever_its_program_is_mapped(void **state)
{
	enum { FIRST = 100, COUNT = 20, STEP = 0x10000 };
	size_t puts = 0, nodes = 0;
	struct kitchen k;
	struct model *m;

	(void)state;
	kitchen_open(&k);
	m = k.b.model;
	known_process(&k, 30);
	tell_comm(m, 30, 30, "many", false);
	crowds_ended(&k.b.profile->crowds, m->tasks[model_find_task(m, 30)].comm, 0, CROWD_LEAST);
	for (int i = 0; i < COUNT; i++) {
		const uint64_t at = 0x500000 + (uint64_t)i * STEP;
		const uint64_t chain[] = { USER, at + 0x10, at + 0x110, at + 0x210 };

		tell_fork(m, 1, 1, FIRST + i, FIRST + i, k.b.now_ns);
		tell_comm(m, FIRST + i, FIRST + i, "many", true);
		/* The last one is another program. */
		tell_map(m, FIRST + i, at, 0x1000, 0, i < COUNT - 1 ? "/bin/prog" : "/bin/another",
			 k.b.now_ns);
		give(&k, FIRST + i, FIRST + i, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
		if (i == 0) {
			puts = k.feed.stacks.puts;
			nodes = k.b.profile->tables.cells[TABLE_TREE].len;
		} else if (i < COUNT - 1) {
			assert_int_equal(k.feed.stacks.puts, puts);
			assert_int_equal(k.b.profile->tables.cells[TABLE_TREE].len, nodes);
		}
	}
	assert_int_equal(samples_of_pid(&k, TASK_ENDED_TID), COUNT);
	assert_that(k.b.profile->tables.cells[TABLE_TREE].len, >, nodes);
	kitchen_close(&k);
}

static void
an_image_that_arrives_folds_what_waited_for_it(void **state)
{
	const struct tables *t;
	struct kitchen k;
	uint32_t dso;

	(void)state;
	kitchen_open(&k);
	t = &k.b.profile->tables;
	tell_fork(k.b.model, 1, 1, 30, 30, k.b.now_ns);
	tell_comm(k.b.model, 30, 30, "prog", true);
	tell_map(k.b.model, 30, 0x400000, 0x1000, 0, "/bin/prog", k.b.now_ns);
	for (int i = 0; i < 400; i++)
		give(&k, 30, 30, PERF_RECORD_MISC_USER,
			(uint64_t[]){
				USER, 0x400000 + (uint64_t)i % 100, 0x400301 + (uint64_t)i % 50 },
			3);
	assert_int_equal(k.feed.image_len, 1);
	assert_int_equal(t->cells[TABLE_HOT].len, 101);
	dso = k.feed.images[0].dso;
	assert_that(locations_learn_image(&k.b.locations, dso, make_image(4, 256), "", ""), >, 0);
	k.b.profile->fold_due = true;
	profile_fold(k.b.profile, k.b.now_ns);
	assert_int_equal(t->cells[TABLE_HOT].len, 2);
	assert_int_equal(t->cells[TABLE_TREE].len, 4);
	assert_stack(&k, 400, "f3 f0");
	give(&k, 30, 30, PERF_RECORD_MISC_USER, (uint64_t[]){ USER, 0x400007, 0x400301 }, 3);
	assert_stack(&k, 401, "f3 f0");
	assert_int_equal(t->cells[TABLE_TREE].len, 4);
	assert_int_equal(t->cells[TABLE_ADDRESS].len, 101); /* exact places stay exact */
	kitchen_close(&k);
}

/* So that its source line can be asked for, although no sample comes any more. */
static void
a_function_that_was_waited_for_has_its_hottest_instruction(void **state)
{
	const struct location *loc;
	struct kitchen k;
	uint32_t dso;

	(void)state;
	kitchen_open(&k);
	tell_fork(k.b.model, 1, 1, 30, 30, k.b.now_ns);
	tell_comm(k.b.model, 30, 30, "prog", true);
	tell_map(k.b.model, 30, 0x400000, 0x1000, 0, "/bin/prog", k.b.now_ns);
	for (int i = 0; i < 60; i++)
		give(&k, 30, 30, PERF_RECORD_MISC_USER,
		     (uint64_t[]){ USER, i % 6 == 0 ? 0x400120 : 0x400110 }, 2);
	feed_flush(&k.feed);
	dso = k.feed.images[0].dso;
	locations_learn_image(&k.b.locations, dso, make_image(4, 256), "", "");
	loc = &k.b.locations.items[locations_find(&k.b.locations, dso, 0x100)];
	assert_int_equal(loc->kind, LOCATION_FUNCTION);
	assert_int_equal(loc->hot_offset, 0x10);
	assert_int_equal(loc->hot_votes, 40);
	kitchen_close(&k);
}

/* A place in @function (of 256 bytes) of the library at @base, seen in process 30. */
static void
give_at(struct kitchen *k, uint64_t base, unsigned function, unsigned byte)
{
	give_user(k, 30, base + function * 256 + byte);
}

static const char *
name_at(struct kitchen *k, uint32_t dso, uint64_t offset)
{
	uint32_t id = locations_resolve(&k->b.locations,
					locations_find(&k->b.locations, dso, offset));

	return strs_get(&k->b.model->strs, k->b.locations.items[id].name);
}

static void
images_beyond_the_bound_are_given_back_and_asked_for_again(void **state)
{
	struct locations *l;
	uint32_t a, b, c, known;
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	l = &k.b.locations;
	tell_fork(k.b.model, 1, 1, 30, 30, k.b.now_ns);
	tell_comm(k.b.model, 30, 30, "prog", true);
	tell_map(k.b.model, 30, 0x400000, 0x10000, 0, "/bin/a", k.b.now_ns);
	tell_map(k.b.model, 30, 0x500000, 0x10000, 0, "/bin/b", k.b.now_ns);
	tell_map(k.b.model, 30, 0x600000, 0x10000, 0, "/bin/c", k.b.now_ns);
	give_at(&k, 0x400000, 1, 0);
	give_at(&k, 0x500000, 1, 0);
	give_at(&k, 0x600000, 1, 0);
	assert_int_equal(k.feed.image_len, 3);
	a = k.feed.images[0].dso;
	b = k.feed.images[1].dso;
	c = k.feed.images[2].dso;
	k.feed.image_len = 0;
	locations_learn_image(l, a, make_image(20, 256), "", "");
	l->image_budget = l->image_bytes * 5 / 2;
	locations_learn_image(l, b, make_image(20, 256), "", "");
	assert_int_equal(l->images_given_back, 0);
	/* It is used now, so that the other one goes. */
	give_at(&k, 0x400000, 2, 7);
	known = locations_find(l, b, 256);
	assert_string_equal(name_at(&k, b, 256), "f1");
	give_at(&k, 0x400000, 3, 7);
	locations_learn_image(l, c, make_image(20, 256), "", "");
	assert_int_equal(l->images_given_back, 1);
	assert_that(l->image_bytes, <=, l->image_budget);
	assert_null(locations_symbols(l, b)->image);
	assert_non_null(locations_symbols(l, a)->image);
	/* What was named is, and nobody asks for that. */
	give_at(&k, 0x500000, 1, 0);
	assert_int_equal(k.feed.image_len, 0);
	known = locations_resolve(l, known);
	assert_string_equal(strs_get(&k.b.model->strs, l->items[known].name), "f1");
	locations_learn_name(l, b, 1, "shown()");
	/* What was not is asked for, once. */
	give_at(&k, 0x500000, 4, 0);
	give_at(&k, 0x500000, 5, 0);
	assert_int_equal(k.feed.image_len, 1);
	assert_int_equal(k.feed.images[0].dso, b);
	assert_int_equal(k.feed.images[0].pid, 30);
	locations_learn_image(l, b, make_image(20, 256), "", "");
	assert_string_equal(name_at(&k, b, 4 * 256), "f4");
	assert_string_equal(name_at(&k, b, 256 + 3), "shown()");
	assert_int_equal(locations_resolve(l, locations_find(l, b, 256 + 3)), known);
	assert_int_equal(l->images_given_back, 2);
	assert_int_equal(counted(&k, "prog", ""), 8);
	kitchen_close(&k);
}

static void
code_without_a_file_keeps_its_addresses(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	tell_comm(k.b.model, 30, 30, "node", true);
	tell_map(k.b.model, 30, 0x10000, 0x4000, 0x10000, "//anon", k.b.now_ns);
	tell_map(k.b.model, 30, 0x20000, 0x4000, 0x7000, "[vdso]", k.b.now_ns);
	give_user(&k, 30, 0x12345);
	give_user(&k, 30, 0x20111);
	assert_int_equal(k.b.profile->tables.addresses[1].offset, 0x12345);
	assert_int_equal(k.b.profile->tables.addresses[2].offset, 0x111);
	give(&k, 30, 30, PERF_RECORD_MISC_GUEST_KERNEL, (uint64_t[]){ USER, 0x5 }, 2);
	give(&k, 30, 30, PERF_RECORD_MISC_GUEST_KERNEL, (uint64_t[]){ USER, 0x6 }, 2);
	assert_int_equal(counted(&k, "node", "[guest.kernel]"), 2);
	/* Anon, vdso, guest: whoever may answers each of them once. */
	assert_int_equal(k.feed.image_len, 3);
	kitchen_close(&k);
}

static void
the_page_of_old_system_calls_is_in_no_map(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 30);
	give_user(&k, 30, 0xffffffffff600400);
	give_user(&k, 30, 0xffffffffff601000);
	assert_int_equal(counted(&k, "prog", "[vsyscall]"), 1);
	assert_int_equal(counted(&k, "prog", "[unknown]"), 1);
	locations_learn_image(&k.b.locations, DSO_ID_VSYSCALL, vsyscall_image(), "", "");
	assert_stack(&k, 1, "vtime");
	kitchen_close(&k);
}

static void
names_of_old_tasks_are_asked_for_once(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	for (int i = 0; i < 3; i++)
		give(&k, 30, 31, PERF_RECORD_MISC_KERNEL,
			(uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	assert_int_equal(k.feed.comm_len, 2); /* the thread's and its process's */
	assert_int_equal(k.feed.comms[0].pid, 30);
	assert_int_equal(k.feed.comms[0].tid, 31);
	assert_int_equal(k.feed.comms[1].tid, 30);
	model_learn_comm(k.b.model, k.feed.comms[0].task, "late");
	assert_int_equal(counted(&k, "late", ""), 3);
	kitchen_close(&k);
}

static void
tasks_that_are_no_targets_are_dropped_and_counted(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	k.feed.targets_only = true;
	k.b.model->tasks[old_process(&k, 30, "target")].is_target = true;
	old_process(&k, 40, "other");
	for (int i = 0; i < 3; i++) {
		give(&k, 30, 30, PERF_RECORD_MISC_KERNEL,
			(uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
		give(&k, 40, 40, PERF_RECORD_MISC_KERNEL,
			(uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	}
	assert_int_equal(counted(&k, "target", ""), 3);
	assert_int_equal(counted(&k, "other", ""), 0);
	assert_int_equal(k.feed.dropped, 3);
	kitchen_close(&k);
}

/* Where each is looked at anew, and where it is like one before. */
static void
of_a_thread_that_is_a_target_alone_no_other_thread_counts(void **state)
{
	const uint64_t chain[] = { KERNEL, 0xffffffff81000010 };
	struct kitchen k;
	uint32_t leader;

	(void)state;
	kitchen_open(&k);
	leader = old_process(&k, 30, "leader");
	model_learn_comm(k.b.model, model_task(k.b.model, 30, 31), "other");
	for (int i = 0; i < 3; i++) {
		give(&k, 30, 30, PERF_RECORD_MISC_KERNEL, chain, ARRAY_SIZE(chain));
		give(&k, 30, 31, PERF_RECORD_MISC_KERNEL, chain, ARRAY_SIZE(chain));
		if (i > 0)
			continue;
		k.feed.targets_only = true;
		model_set_thread_target(k.b.model, leader, 1);
	}
	assert_int_equal(counted(&k, "leader", ""), 3);
	assert_int_equal(counted(&k, "other", ""), 1);
	assert_int_equal(k.feed.dropped, 2);
	kitchen_close(&k);
}

/* A busy loop's samples are not decoded again, unless something that led to their place changed. */
static void
samples_alike_are_counted_where_the_first_was(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 0);
	for (int i = 0; i < 3; i++)
		give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 3);
	assert_int_equal(counted(&k, "prog", "prog"), 4);
	give_user(&k, 20, 0x400104);
	assert_int_equal(k.again, 3);
	/* Another name, another map, another process of that pid: each is looked at anew. */
	tell_comm(k.b.model, 20, 20, "renamed", false);
	give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 3);
	assert_int_equal(counted(&k, "renamed", "prog"), 1);
	tell_map(k.b.model, 20, 0x400000, 0x1000, 0, "/bin/other", 99);
	give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 3);
	assert_int_equal(counted(&k, "renamed", "other"), 1);
	give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 4);
	tell_fork(k.b.model, 1, 1, 20, 20, k.b.now_ns);
	give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 4);
	assert_int_equal(counted(&k, "renamed", "other"), 2);
	kitchen_close(&k);
}

/* The kernel tells tid 0 of the idle loop, and of tasks outside of ptop's own pid namespace. */
static void
a_sample_of_tid_0_in_user_space_is_of_a_task_out_of_sight(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 1);
	give_user(&k, 1, 0x400100);
	give_user(&k, 0, 0x400100);
	give(&k, 0, 0, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	assert_int_equal(counted(&k, "prog", "prog"), 1);
	assert_int_equal(counted(&k, "[other namespace]", ""), 1);
	assert_int_equal(counted(&k, "swapper", ""), 1);
	kitchen_close(&k);
}

/* The kernel has no tid any more for what is dying, and 0 in the EXIT of a task out of sight. */
static void
the_last_samples_of_a_task_out_of_sight_are_its_own(void **state)
{
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	tell_exit(k.b.model, 0, 0, 0, k.b.now_ns);
	give(&k, -1, -1, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	assert_int_equal(counted(&k, "[other namespace]", ""), 1);
	tell_exit(k.b.model, 20, 20, 0, k.b.now_ns);
	give(&k, -1, -1, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	assert_int_equal(counted(&k, "prog", ""), 1);
	kitchen_close(&k);
}

/* Frames of the tree that lie in that dso. */
static size_t
frames_in(const struct kitchen *k, const char *dso)
{
	const struct tables *t = &k->b.profile->tables;
	const struct model *m = k->b.model;
	size_t n = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_TREE].len; id++) {
		uint32_t loc = locations_resolve(&k->b.locations, t->tree[id].location);
		uint32_t name = dsos_get(&m->dsos, k->b.locations.items[loc].dso)->name;

		n += t->tree[id].parent != 0 && strcmp(strs_get(&m->strs, name), dso) == 0;
	}
	return n;
}

/* As without randomised addresses: the new program, of the same name, lies where the old one did. */
static void
a_stack_after_an_exec_is_of_the_new_program(void **state)
{
	const uint64_t chain[] = { USER, 0x400100, 0x400200, 0x400300 };
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	tell_fork(k.b.model, 1, 1, 20, 20, 1);
	for (int i = 0; i < 2; i++) {
		tell_comm(k.b.model, 20, 20, "prog", true);
		tell_map(k.b.model, 20, 0x400000, 0x1000, 0, i == 0 ? "/bin/old" : "/bin/new", 98 + i);
		give(&k, 20, 20, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	}
	assert_int_equal(frames_in(&k, "old"), 3);
	assert_int_equal(frames_in(&k, "new"), 3);
	kitchen_close(&k);
}

enum { RICH_TYPE = LIVE_TYPE | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT |
		   PERF_SAMPLE_DATA_SRC | ABI_SAMPLE_CGROUP };
static const struct record_layout rich_layout = RECORD_LAYOUT(RICH_TYPE, true);
static const struct record_layout struct_layout =
	RECORD_LAYOUT(LIVE_TYPE | ABI_SAMPLE_WEIGHT_STRUCT, true);
static const struct record_layout timeless_layout =
	RECORD_LAYOUT(LIVE_TYPE & ~PERF_SAMPLE_TIME, true);

/* A sample of the process 20 at 0x400010, as the engine hands them on. */
static void
give_record(struct kitchen *k, const struct record_layout *layout, struct record_id id,
	    const struct record_sample *more)
{
	struct record_sample s = *more;
	struct record rec;
	struct maker m;
	struct bytes bytes;
	uint64_t tag;

	id.pid = id.tid = 20;
	s.ip = 0x400010;
	s.period = 10;
	bytes = make_sample(&m, layout, PERF_RECORD_MISC_USER, &id, &s);
	tag = record_sample_tag(layout, bytes);
	if (tag != 0 && feed_repeat(&k->feed, tag, s.period, id.time_ns)) {
		k->again++;
		return;
	}
	assert_int_equal(record_decode(layout, bytes, &rec), 1);
	feed_sample(&k->feed, 0, &rec, tag, bytes);
}

static void
give_as(struct kitchen *k, const struct record_layout *layout, uint64_t time_ns,
	const struct record_sample *more)
{
	give_record(k, layout, (struct record_id){ .time_ns = time_ns }, more);
}

static void
give_as_id(struct kitchen *k, const struct record_layout *layout, uint64_t id, uint64_t stream_id)
{
	give_record(k, layout, (struct record_id){ .time_ns = 1, .id = id, .stream_id = stream_id },
	     &(struct record_sample){ 0 });
}

#define LABELLED(k, member, value) \
	labelled(k, offsetof(struct label, member), sizeof(((struct label *)0)->member), value)

/* Samples whose label has @value there. */
static uint64_t
labelled(struct kitchen *k, size_t at, size_t size, uint64_t value)
{
	const struct profile *p = k->b.profile;
	uint64_t sum = 0;

	feed_flush(&k->feed);
	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++) {
		const struct label *l = &p->labels.items[p->tables.hot[id].label];
		uint64_t have = 0;

		memcpy(&have, (const char *)l + at, size);
		if (have == value)
			sum += p->tables.cells[TABLE_HOT].items[id].all_samples;
	}
	return sum;
}

/* All but the time of these samples is alike: what was remembered of one must not count for all. */
static void
samples_alike_are_told_apart_by_time_once_it_is_wanted(void **state)
{
	static const double seconds[] = { 0, 0.999, 1, 1.5, 7, -0.5 };
	struct kitchen k;
	uint64_t start;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	start = k.b.profile->labels.start_ns = k.b.now_ns;
	for (int i = 0; i < 3; i++)
		give_as(&k, &live_layout, start, &(struct record_sample){ 0 });
	assert_int_equal(k.again, 2);
	k.b.profile->labels.want = KEY_BIT(KEY_TIME);
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
		give_as(&k, &live_layout, start + (uint64_t)(int64_t)(seconds[i] * 1e9),
			&(struct record_sample){ 0 });
	give_as(&k, &timeless_layout, 0, &(struct record_sample){ 0 });
	assert_int_equal(k.again, 2);
	assert_int_equal(LABELLED(&k, time, 0), 3 + 1);
	assert_int_equal(LABELLED(&k, time, 1), 3); /* what came late is not lost */
	assert_int_equal(LABELLED(&k, time, NSEC_PER_SEC + 1), 2);
	assert_int_equal(LABELLED(&k, time, 7 * NSEC_PER_SEC + 1), 1);
	assert_int_equal(counted(&k, "prog", ""), 3 + ARRAY_SIZE(seconds) + 1);
	k.b.profile->labels.bucket_ns = NSEC_PER_SEC / 4;
	give_as(&k, &live_layout, start + 1600 * NSEC_PER_MSEC, &(struct record_sample){ 0 });
	assert_int_equal(LABELLED(&k, time, 1500 * NSEC_PER_MSEC + 1), 1);
	kitchen_close(&k);
}

static void
labels_are_what_samples_carry(void **state)
{
	struct record_sample s = { .weight = 5, .data_src = UINT64_C(1) << 63 | 0x21 };
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	give_as(&k, &rich_layout, 1, &s);
	assert_int_equal(k.b.profile->labels.len, 1);
	k.b.profile->labels.want = KEY_BIT(KEY_WEIGHT) | KEY_BIT(KEY_DATA_SRC) |
				   KEY_BIT(KEY_BRANCH);
	for (int i = 0; i < 2; i++)
		give_as(&k, &rich_layout, 1, &s);
	s.weight = 0;
	give_as(&k, &rich_layout, 1, &s);
	s.weight = UINT64_C(9) << 48 | UINT64_C(8) << 32 | 7;
	give_as(&k, &struct_layout, 1, &s);
	give_as(&k, &live_layout, 1, &s);
	assert_int_equal(LABELLED(&k, weight, 5 + 1), 2);
	assert_int_equal(LABELLED(&k, weight, 0 + 1), 1); /* a weight of 0 is one */
	assert_int_equal(LABELLED(&k, weight, 7 + 1), 1);
	assert_int_equal(LABELLED(&k, weight, 0), 2);
	assert_int_equal(LABELLED(&k, data_src, 0x21), 3); /* bits without words are no difference */
	assert_int_equal(LABELLED(&k, data_src, 0), 3);
	assert_int_equal(LABELLED(&k, from, 0), 6); /* an empty list of branches */
	assert_int_equal(counted(&k, "prog", ""), 6);
	kitchen_close(&k);
}

/* The path of the group of the samples of "prog", and how many there are. */
static uint64_t
in_cgroup(struct kitchen *k, const char *path)
{
	const struct profile *p = k->b.profile;
	uint64_t sum = 0;

	feed_flush(&k->feed);
	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++) {
		const struct who *w = &p->model->whos[p->tables.hot[id].who];

		if (strcmp(strs_get(&p->model->strs, cgroups_at(&p->model->cgroups, w->cgroup).path),
			   path) == 0)
			sum += p->tables.cells[TABLE_HOT].items[id].all_samples;
	}
	return sum;
}

/* All but the group is alike: what was remembered of one must not count for all. */
static void
a_task_that_moves_has_samples_in_each_cgroup(void **state)
{
	static const struct { uint64_t cgroup; int samples; } given[] = { { 31, 2 }, { 32, 3 }, { 31, 4 } };
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	give_as(&k, &live_layout, 1, &(struct record_sample){ 0 });
	cgroups_learn(&k.b.model->cgroups, 31, strs_add_str(&k.b.model->strs, "/a"));
	cgroups_learn(&k.b.model->cgroups, 32, strs_add_str(&k.b.model->strs, "/b"));
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		for (int n = 0; n < given[i].samples; n++)
			give_as(&k, &rich_layout, 1, &(struct record_sample){ .cgroup = given[i].cgroup });
	assert_int_equal(k.b.profile->labels.len, 1);
	assert_int_equal(in_cgroup(&k, "/a"), 1 + 2 + 4); /* the first did not tell: it was there, too */
	assert_int_equal(in_cgroup(&k, "/b"), 3);
	kitchen_close(&k);
}

static void
ids_are_labels_of_samples_that_carry_them(void **state)
{
	static const struct record_layout with = RECORD_LAYOUT(LIVE_TYPE | PERF_SAMPLE_STREAM_ID,
							       true);
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	k.b.profile->labels.want = KEY_BIT(KEY_ID) | KEY_BIT(KEY_STREAM_ID);
	give_as_id(&k, &with, 7, 8);
	give_as_id(&k, &with, 7, 9);
	give_as_id(&k, &live_layout, 7, 0);
	assert_int_equal(LABELLED(&k, id, 7 + 1), 3);
	assert_int_equal(LABELLED(&k, stream_id, 8 + 1), 1);
	assert_int_equal(LABELLED(&k, stream_id, 9 + 1), 1);
	assert_int_equal(LABELLED(&k, stream_id, 0), 1);
	kitchen_close(&k);
}

static void
give_branches(bool from_file)
{
	static const uint64_t branches[][6] = {
		{ 0x400110, 0x400010, 0, 0x77, 0x78, 0 },
		{ 0x400120, 0x400000, 1 }, /* other addresses of the same two functions */
		{ 0x400310, 0xffffffff81000010, 0 },
		{ 0x77, 0x400210, 0 },
	};
	const struct label *l;
	struct kitchen k;

	kitchen_open(&k);
	if (from_file)
		model_set_from_file(k.b.model);
	known_process(&k, 20);
	k.b.profile->labels.want = KEY_BIT(KEY_BRANCH);
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++)
		give_as(&k, &rich_layout, 1, &(struct record_sample){
			.branches = { .len = i == 0 ? 2 : 1, .entries = branches[i] } });
	assert_int_equal(k.b.profile->labels.len, 4);
	l = k.b.profile->labels.items;
	assert_true(l[1].from != l[1].to && l[1].from_addr == 0 && l[1].to_addr == 0);
	assert_int_equal(l[2].from_addr, 0);
	assert_int_equal(l[2].to_addr, 0xffffffff81000010);
	assert_true(k.b.locations.items[l[2].to].is_kernel);
	assert_int_equal(l[3].from, LOCATION_UNMAPPED);
	assert_int_equal(l[3].from_addr, 0x77);
	kitchen_close(&k);
}

/* In a recording without the kernel's map, too: nothing but its address tells whose a branch is. */
static void
the_newest_branch_is_a_pair_of_places(void **state)
{
	(void)state;
	give_branches(false);
	give_branches(true);
}

/* The label of the look, which is to be another than those before. */
static const struct label *
give_look_record(struct kitchen *k, const struct record_layout *layout, const struct buf *look)
{
	const struct bytes bytes = { (const uint8_t *)look->data, look->len };
	uint64_t tag = record_sample_tag(layout, bytes);
	struct record rec;

	assert_int_equal(record_decode(layout, bytes, &rec), 1);
	if (feed_repeat_look(&k->feed, tag, rec.sample.period, rec.id.time_ns))
		k->again++;
	else
		feed_sample(&k->feed, 0, &rec, tag, bytes);
	feed_flush(&k->feed);
	return &k->b.profile->labels.items[k->b.profile->labels.len - 1];
}

static const struct label *
give_look(struct kitchen *k, struct record_look look)
{
	struct record_layout layout = look_layout();
	const struct label *label;
	struct buf b = { 0 };

	look.time_ns = k->b.now_ns;
	record_encode_look(&b, &look);
	label = give_look_record(k, &layout, &b);
	buf_release(&b);
	return label;
}

/* One that was unwound before it was recorded. */
static const struct label *
give_unwound_look(struct kitchen *k, const struct record_look *look, const uint64_t *addrs,
		  size_t len)
{
	struct event_attr attr = { .sample_id_all = 1 };
	struct record_layout layout;
	const struct label *label;
	struct buf whole = { 0 }, b = { 0 };
	struct record rec;

	record_encode_look(&whole, look);
	look_decode((struct bytes){ (uint8_t *)whole.data, whole.len }, &rec);
	record_encode_unwound(&b, &rec, (struct bytes){ (uint8_t *)whole.data, whole.len },
			      &(struct record_unwound){ addrs, len, false });
	record_look_attr(&attr);
	record_attr_unwound(&attr);
	layout = record_layout_of(&attr, false);
	label = give_look_record(k, &layout, &b);
	buf_release(&whole);
	buf_release(&b);
	return label;
}

static void
a_look_says_what_is_waited_for_and_where_a_holder_waits(void **state)
{
	static const char held[] = "mutex 0x7f10 held by 21";
	struct record_look look = {
		.pid = 20, .tid = 20, .period_ns = 5, .has_place = true, .call = SYS_read,
		.sp = 0x7ffc00000010, .pc = 0x400110, .state = 'S', .is_holding = true,
		.file = { (const uint8_t *)"/data/x", 7 },
	};
	const struct label *l;
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	k.b.profile->labels.want = 1u << KEY_ON;
	k.feed.no_chains = true; /* it waits for no rules to unwind by */
	l = give_look(&k, look);
	assert_int_equal(k.b.profile->labels.len, 2);
	assert_string_equal(strs_get(&k.b.model->strs, l->on), "/data/x");
	assert_string_equal(strs_get(&k.b.model->strs,
				     k.b.locations.items[l->holding_at].name), "f1");
	/* The function that takes it is none of those whose locks have an owner. */
	look.call = SYS_futex;
	look.args[0] = 0x7f10;
	look.args[1] = FUTEX_WAIT_PRIVATE;
	look.args[2] = 2;
	look.file = (struct bytes){ (const uint8_t *)held, sizeof(held) - 1 };
	look.is_holding = false;
	l = give_look(&k, look);
	assert_int_equal(k.b.profile->labels.len, 3);
	assert_string_equal(strs_get(&k.b.model->strs, l->on), "futex 0x7f10");
	assert_int_equal(l->holding_at, 0);
	/* Nobody knows the function yet. */
	tell_map(k.b.model, 20, 0x500000, 0x1000, 0, "/bin/late", k.b.now_ns);
	look.pc = 0x500110;
	l = give_look(&k, look);
	assert_int_equal(k.b.profile->labels.len, 4);
	assert_string_equal(strs_get(&k.b.model->strs, l->on), "mutex 0x7f10");
	kitchen_close(&k);
}

/* Where all of its stack is one file it is who made the call. */
static void
a_holder_waits_in_the_first_function_outside_of_the_library_it_called(void **state)
{
	static const uint64_t stack[] = { 0, 0 };
	const struct record_look look = {
		.pid = 20, .tid = 20, .period_ns = 5, .has_place = true, .call = SYS_read,
		.sp = 0x7ffc00000010, .pc = 0x400110, .state = 'S', .is_holding = true,
		.file = { (const uint8_t *)"/data/x", 7 },
		.stack = { (const uint8_t *)stack, sizeof(stack) },
	};
	static const struct {
		uint64_t addrs[3]; /* callers by where they are returned to */
		const char *name;
	} rows[] = {
		{ { 0x400110, 0x400211, 0x400311 }, "f2" },
		{ { 0x400110, 0x400211, 0x500311 }, "g3" },
		{ { 0x400110, 0x500011, 0x500311 }, "g0" },
	};
	static const char *const names[] = { "g0", "g1", "g2", "g3" };
	const struct space *space;
	const struct label *l;
	struct kitchen k;

	(void)state;
	if (look_layout().sample_regs_user == 0)
		skip_for("of this machine no look has registers");
	kitchen_open(&k);
	known_process(&k, 20);
	tell_map(k.b.model, 20, 0x500000, 0x1000, 0, "/bin/outer", k.b.now_ns);
	space = model_space(k.b.model, model_find_task(k.b.model, 20));
	locations_learn_image(&k.b.locations, space_find(space, 0x500000)->dso,
			      make_named_image(names, ARRAY_SIZE(names), 256), "", "");
	k.b.profile->labels.want = 1u << KEY_ON;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		l = give_unwound_look(&k, &look, rows[i].addrs, ARRAY_SIZE(rows[i].addrs));
		assert_string_equal(strs_get(&k.b.model->strs,
					     k.b.locations.items[l->holding_at].name), rows[i].name);
	}
	kitchen_close(&k);
}

/* Where those before were counted, nothing tells of who: they do not go on there. */
static void
samples_alike_are_told_apart_by_who_and_cpu_once_their_function_is_watched(void **state)
{
	const struct tables *t;
	struct kitchen k;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	t = &k.b.profile->tables;
	for (int i = 0; i < 2; i++)
		give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 1);
	assert_int_equal(t->cells[TABLE_ADDRESS].len, 2);
	assert_int_equal(t->addresses[1].who, 0);
	profile_watch(k.b.profile, t->hot[1].location, true, k.b.now_ns);
	for (int i = 0; i < 3; i++)
		give_user(&k, 20, 0x400100);
	assert_int_equal(k.again, 1 + 2);
	assert_int_equal(t->cells[TABLE_ADDRESS].len, 3);
	assert_int_equal(t->addresses[2].who, model_who(k.b.model, model_find_task(k.b.model, 20)));
	assert_int_equal(t->addresses[2].cpu, 0 + 1);
	assert_int_equal(t->cells[TABLE_ADDRESS].items[1].all_samples, 2);
	assert_int_equal(t->cells[TABLE_ADDRESS].items[2].all_samples, 3);
	kitchen_close(&k);
}

/* It runs all the time: the looks of who waits for it are all that tell of it. */
static void
who_holds_a_lock_is_asked_for_its_name(void **state)
{
	static const char held[] = "mutex 0x7f10 held by 21";
	static const char *const names[] = { "pthread_mutex_lock" };
	struct record_look look = {
		.pid = 20, .tid = 20, .period_ns = 5, .has_place = true, .call = SYS_futex,
		.args = { 0x7f10, FUTEX_WAIT_PRIVATE, 2 }, .sp = 0x7ffc00000010, .pc = 0x500010,
		.state = 'S', .owner_state = 'R', .file = { (const uint8_t *)held, sizeof(held) - 1 },
	};
	const struct task *owner;
	struct kitchen k;
	uint32_t late;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	k.feed.no_chains = true;
	k.b.profile->labels.want = 1u << KEY_ON;
	tell_map(k.b.model, 20, 0x500000, 0x1000, 0, "/bin/late", k.b.now_ns);
	late = space_find(model_space(k.b.model, model_find_task(k.b.model, 20)), look.pc)->dso;
	locations_learn_image(&k.b.locations, late, make_named_image(names, ARRAY_SIZE(names), 256),
			      "", "");
	feed_learn_image(&k.feed, late);
	assert_int_equal(model_find_task(k.b.model, 21), 0);
	give_look(&k, look);
	owner = model_task_at(k.b.model, model_find_task(k.b.model, 21));
	assert_int_equal(owner->pid, 20);
	assert_int_equal(k.feed.comm_len, 1);
	assert_int_equal(k.feed.comms[0].tid, 21);
	give_look(&k, look);
	assert_int_equal(k.feed.comm_len, 1);
	assert_false(k.b.profile->labels.items[k.b.profile->labels.len - 1].is_unheld);
	assert_false(k.b.profile->labels.items[k.b.profile->labels.len - 1].has_run);
	look.file.len = sizeof("mutex 0x7f10") - 1;
	look.has_run = true;
	give_look(&k, look);
	assert_true(k.b.profile->labels.items[k.b.profile->labels.len - 1].has_run);
	assert_true(k.b.profile->labels.items[k.b.profile->labels.len - 1].is_unheld);
	kitchen_close(&k);
}

/* A thread that waits on is not unwound again, unless what led to its place has changed. */
static void
looks_alike_are_counted_where_the_first_was(void **state)
{
	static const char held[] = "mutex 0x7f10 held by 21";
	static const char *const names[] = { "pthread_join", "pthread_mutex_lock" };
	struct record_look look = {
		.pid = 20, .tid = 20, .period_ns = 5, .has_place = true, .call = SYS_read,
		.sp = 0x7ffc00000010, .pc = 0x400110, .state = 'S',
		.file = { (const uint8_t *)"/data/x", 7 },
	};
	struct kitchen k;
	uint32_t late;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	k.feed.no_chains = true; /* it waits for no rules to unwind by */
	for (int i = 0; i < 3; i++, look.period_ns += 5)
		give_look(&k, look);
	assert_int_equal(k.again, 2);
	assert_int_equal(counted(&k, "prog", ""), 3);
	assert_int_equal(k.b.profile->tables.cells[TABLE_HOT].items[1].all_period, 5 + 10 + 15);
	/* Elsewhere; with what is told apart from now on; another program. */
	look.pc = 0x400210;
	give_look(&k, look);
	assert_int_equal(k.again, 2);
	k.b.profile->labels.want = 1u << KEY_ON;
	give_look(&k, look);
	assert_int_equal(k.again, 2);
	give_look(&k, look);
	assert_int_equal(k.again, 3);
	tell_comm(k.b.model, 20, 20, "renamed", false);
	give_look(&k, look);
	assert_int_equal(k.again, 3);
	assert_int_equal(counted(&k, "renamed", ""), 1);
	/* Names have come: they tell what is waited for. */
	feed_learn_image(&k.feed, 1);
	give_look(&k, look);
	assert_int_equal(k.again, 3);
	/* Of a lock each look has to tell who holds it. */
	look.call = SYS_futex;
	look.args[1] = FUTEX_WAIT_PRIVATE;
	look.args[2] = 2;
	look.file = (struct bytes){ (const uint8_t *)held, sizeof(held) - 1 };
	look.pc = 0x500110; /* no function says that it is none */
	tell_map(k.b.model, 20, 0x500000, 0x1000, 0, "/bin/late", k.b.now_ns);
	for (int i = 0; i < 2; i++)
		give_look(&k, look);
	assert_int_equal(k.again, 3);
	/* Also where a function's name tells that it is one. */
	late = space_find(model_space(k.b.model, model_find_task(k.b.model, 20)), look.pc)->dso;
	locations_learn_image(&k.b.locations, late, make_named_image(names, ARRAY_SIZE(names), 256),
			      "", "");
	feed_learn_image(&k.feed, late);
	for (int i = 0; i < 2; i++)
		give_look(&k, look);
	assert_int_equal(k.again, 3);
	/* What is no lock has none. */
	look.pc = 0x500010;
	for (int i = 0; i < 2; i++)
		give_look(&k, look);
	assert_int_equal(k.again, 4);
	kitchen_close(&k);
}

/* How many frames the node with so many samples has, and the sample itself. */
static size_t
depth_of(const struct kitchen *k, uint64_t samples)
{
	const struct tables *t = &k->b.profile->tables;
	uint32_t id = 1;
	size_t depth = 0;

	while (id < t->cells[TABLE_TREE].len && t->cells[TABLE_TREE].items[id].all_samples != samples)
		id++;
	assert_that(id, <, t->cells[TABLE_TREE].len);
	for (; t->tree[id].parent != 0; id = t->tree[id].parent)
		depth++;
	return depth;
}

/* Files can have any number of frames, and hostile ones do: the innermost are kept. */
static void
of_a_chain_without_end_the_innermost_frames_are_kept(void **state)
{
	enum { KEPT = 512 };
	uint64_t chain[KEPT + 102] = { USER, 0x400210 };
	struct kitchen k;

	(void)state;
	for (size_t i = 2; i < ARRAY_SIZE(chain); i++)
		chain[i] = 0x400010 + i % 2 * 0x100;
	kitchen_open(&k);
	known_process(&k, 20);
	give(&k, 20, 20, PERF_RECORD_MISC_USER, chain, 2 + KEPT - 1);
	assert_int_equal(depth_of(&k, 1), KEPT);
	for (int i = 0; i < 2; i++)
		give(&k, 20, 20, PERF_RECORD_MISC_USER, chain, ARRAY_SIZE(chain));
	assert_int_equal(depth_of(&k, 2), KEPT + 1);
	kitchen_close(&k);
}

static void
lines_are_wanted_of_files_each_place_once(void **state)
{
	struct srcline *lines;
	struct kitchen k;
	size_t count;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	give_user(&k, 20, 0x400100);
	k.b.profile->labels.want = KEY_BIT(KEY_SRCLINE);
	for (int i = 0; i < 3; i++) {
		give_user(&k, 20, 0x400100);
		give_user(&k, 20, 0x400104);
		give_user(&k, 20, 0x77);
	}
	give(&k, 20, 20, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	lines = srclines_take(&k.b.profile->lines, &count);
	assert_int_equal(count, 2);
	assert_int_equal(lines[0].offset + lines[1].offset, 0x100 + 0x104);
	free(lines);
	assert_null(srclines_take(&k.b.profile->lines, &count));
	srclines_learn(&k.b.profile->lines, DSO_ID_FIRST_FILE, 0x104, 77);
	srclines_learn(&k.b.profile->lines, DSO_ID_FIRST_FILE, 0x999, 78);
	assert_int_equal(srclines_find(&k.b.profile->lines, DSO_ID_FIRST_FILE, 0x104), 77);
	assert_int_equal(srclines_find(&k.b.profile->lines, DSO_ID_FIRST_FILE, 0x100), 0);
	assert_int_equal(srclines_find(&k.b.profile->lines, DSO_ID_FIRST_FILE, 0x999), 0);
	kitchen_close(&k);
}

static void
instructions_are_wanted_wherever_code_is(void **state)
{
	struct srcline *wanted;
	struct kitchen k;
	size_t count;

	(void)state;
	kitchen_open(&k);
	known_process(&k, 20);
	k.b.profile->labels.want = KEY_BIT(KEY_INSTRUCTION);
	for (int i = 0; i < 3; i++)
		give_user(&k, 20, 0x400104);
	give(&k, 20, 20, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ KERNEL, 0xffffffff81000010 }, 2);
	wanted = srclines_take(&k.b.profile->instructions, &count);
	assert_int_equal(count, 2);
	free(wanted);
	assert_true(srclines_lack(&k.b.profile->instructions, DSO_ID_FIRST_FILE, 0x104));
	assert_false(srclines_lack(&k.b.profile->instructions, DSO_ID_FIRST_FILE, 0x105));
	srclines_learn(&k.b.profile->instructions, DSO_ID_FIRST_FILE, 0x104, 77);
	assert_false(srclines_lack(&k.b.profile->instructions, DSO_ID_FIRST_FILE, 0x104));
	assert_int_equal(k.b.profile->lines.len, 0);
	kitchen_close(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_held_until_the_maps_come),
		cmocka_unit_test(kernel_samples_need_no_maps),
		cmocka_unit_test(an_exec_throws_the_answer_away_but_not_the_names),
		cmocka_unit_test(a_rename_leaves_held_samples_their_name),
		cmocka_unit_test(
			a_child_that_died_unread_takes_its_parents_maps_and_leaves_it_its_own),
		cmocka_unit_test(maps_that_cannot_be_had_are_not_asked_for_again),
		cmocka_unit_test(maps_that_may_not_be_read_are_no_maps_of_what_has_ended),
		cmocka_unit_test(a_map_that_came_after_the_reading_stays),
		cmocka_unit_test(a_process_that_changes_its_maps_without_end_is_asked_about_once_at_a_time),
		cmocka_unit_test(maps_that_take_long_to_read_are_seldom_read),
		cmocka_unit_test(an_answer_for_a_pid_that_is_anothers_by_now_is_thrown_away),
		cmocka_unit_test(samples_whose_maps_never_come_are_filed_in_the_end),
		cmocka_unit_test(what_is_held_is_bounded_and_nothing_is_lost),
		cmocka_unit_test(chains_become_stacks),
		cmocka_unit_test(samples_of_a_kernel_whose_map_was_hidden_are_the_kernels),
		cmocka_unit_test(samples_alike_are_counted_where_the_first_was),
		cmocka_unit_test(
			samples_alike_are_told_apart_by_who_and_cpu_once_their_function_is_watched),
		cmocka_unit_test(who_holds_a_lock_is_asked_for_its_name),
		cmocka_unit_test(looks_alike_are_counted_where_the_first_was),
		cmocka_unit_test(the_caches_change_nothing_but_the_time),
		cmocka_unit_test(a_fold_leaves_the_cache_what_it_leaves_the_tree),
		cmocka_unit_test(by_name_all_who_run_a_program_share_its_stacks),
		cmocka_unit_test(threads_of_a_process_with_one_tree_share_its_stacks),
		cmocka_unit_test(a_thread_that_is_looked_at_has_its_own_tree_from_then_on),
		cmocka_unit_test(young_ones_of_a_crowd_are_counted_with_those_of_their_name_that_ended),
		cmocka_unit_test(stacks_of_a_crowd_are_known_wherever_its_program_is_mapped),
		cmocka_unit_test(an_image_that_arrives_folds_what_waited_for_it),
		cmocka_unit_test(a_function_that_was_waited_for_has_its_hottest_instruction),
		cmocka_unit_test(images_beyond_the_bound_are_given_back_and_asked_for_again),
		cmocka_unit_test(code_without_a_file_keeps_its_addresses),
		cmocka_unit_test(the_page_of_old_system_calls_is_in_no_map),
		cmocka_unit_test(names_of_old_tasks_are_asked_for_once),
		cmocka_unit_test(tasks_that_are_no_targets_are_dropped_and_counted),
		cmocka_unit_test(of_a_thread_that_is_a_target_alone_no_other_thread_counts),
		cmocka_unit_test(samples_alike_are_told_apart_by_time_once_it_is_wanted),
		cmocka_unit_test(labels_are_what_samples_carry),
		cmocka_unit_test(a_task_that_moves_has_samples_in_each_cgroup),
		cmocka_unit_test(a_sample_of_tid_0_in_user_space_is_of_a_task_out_of_sight),
		cmocka_unit_test(the_last_samples_of_a_task_out_of_sight_are_its_own),
		cmocka_unit_test(a_stack_after_an_exec_is_of_the_new_program),
		cmocka_unit_test(ids_are_labels_of_samples_that_carry_them),
		cmocka_unit_test(the_newest_branch_is_a_pair_of_places),
		cmocka_unit_test(a_look_says_what_is_waited_for_and_where_a_holder_waits),
		cmocka_unit_test(a_holder_waits_in_the_first_function_outside_of_the_library_it_called),
		cmocka_unit_test(of_a_chain_without_end_the_innermost_frames_are_kept),
		cmocka_unit_test(lines_are_wanted_of_files_each_place_once),
		cmocka_unit_test(instructions_are_wanted_wherever_code_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
