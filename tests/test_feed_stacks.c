/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that carry a copy of the stack: what they wait for, and what is made of them. */
#include "profile_fixture.h"
#include "profile/count/feed.h"
#include "record/look.h"
#include "symbol/unwind/rules_build.h"
#include "tests/asserts.h"
#include "tests/look_record.h"

#include <sys/syscall.h>

enum {
	STACK_BYTES = 8192,
	REGS = 1 << 6 | 1 << 7 | 1 << 8, /* bp, sp, ip: PERF_REG_X86_* */
	QUEUE_BYTES = 8 << 20,
	PID = 30,
};

#define STACK UINT64_C(0x7ffd00000000)
#define CODE UINT64_C(0x400000)
#define PROBES UINT64_C(0x7fffffffe000)

enum {
	SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		      PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
};

static const struct record_layout layout = {
	.sample_type = SAMPLE_TYPE,
	.sample_time_at = RECORD_SAMPLE_AT(SAMPLE_TYPE, PERF_SAMPLE_TIME, RECORD_BEFORE_TIME),
	.sample_period_at = RECORD_SAMPLE_AT(SAMPLE_TYPE, PERF_SAMPLE_PERIOD, RECORD_BEFORE_PERIOD),
	.sample_place_len = RECORD_PLACE_LEN(SAMPLE_TYPE),
	.sample_regs_user = REGS,
};

struct kitchen {
	struct fixture b;
	struct feed feed;
	struct record_layouts layouts;
	uint64_t stack[STACK_BYTES / 8];
	uint64_t copied; /* bytes of it: the kernel leaves behind them what it finds */
	uint64_t abi;
	const uint64_t *chain; /* what frame pointers lead to, of a sample of user space */
	size_t chain_len;
	uint16_t max_stack;
};

static const struct feed_map maps[] = {
	{ .map = { CODE, CODE + 0x100000, 0x1000, 0 }, .maj = 8, .min = 1, .ino = 7,
	  .path = "/bin/prog" },
	{ .map = { CODE + 0x200000, CODE + 0x300000, 0, 0 }, .maj = 8, .min = 1, .ino = 8,
	  .path = "/lib/lib.so" },
	{ .map = { PROBES, PROBES + 0x1000, 0, 0 }, .path = "[uprobes]" },
};

/* A process whose maps are asked for at its first sample. */
static void
open_kitchen(struct kitchen *k)
{
	memset(k, 0, sizeof(*k));
	bench_open(&k->b, 24 << 20);
	record_layouts_add(&k->layouts, &layout);
	k->abi = PERF_SAMPLE_REGS_ABI_64;
	k->copied = STACK_BYTES;
	feed_init(&k->feed, k->b.model, &k->b.locations, k->b.profile, &k->layouts);
	unwinder_set_machine(&k->feed.unwinder, "x86_64");
	model_learn_comm(k->b.model, model_task(k->b.model, PID, PID), "prog");
}

static void
close_kitchen(struct kitchen *k)
{
	feed_release(&k->feed);
	record_layouts_release(&k->layouts);
	bench_close(&k->b);
}

static void
put(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

/* A sample at @ip, whose frame pointer leads to the stack's word @fp_word. */
static struct bytes
put_sample(const struct kitchen *k, struct buf *b, uint16_t mode, uint64_t ip, size_t fp_word)
{
	struct perf_event_header head = { .type = PERF_RECORD_SAMPLE, .misc = mode };

	buf_reset(b);
	buf_add(b, &head, sizeof(head));
	put(b, 1); /* id */
	put(b, mode == PERF_RECORD_MISC_USER ? ip : UINT64_C(0xffffffff81000010));
	put(b, (uint64_t)PID << 32 | PID);
	put(b, k->b.now_ns);
	put(b, 0); /* cpu */
	put(b, 10); /* period */
	if (mode == PERF_RECORD_MISC_USER) {
		put(b, k->chain_len);
		buf_add(b, k->chain, k->chain_len * 8);
	} else {
		put(b, 3);
		put(b, (uint64_t)PERF_CONTEXT_KERNEL);
		put(b, UINT64_C(0xffffffff81000010));
		put(b, UINT64_C(0xffffffff81000200));
	}
	put(b, k->abi);
	put(b, STACK + fp_word * 8);
	put(b, STACK);
	put(b, ip);
	put(b, STACK_BYTES);
	buf_add(b, k->stack, sizeof(k->stack));
	put(b, k->copied);
	head.size = (uint16_t)b->len;
	memcpy(b->data, &head, sizeof(head));
	return (struct bytes){ (const uint8_t *)b->data, b->len };
}

static void
take(struct kitchen *k, struct bytes bytes, uint64_t tag)
{
	struct record_layout l = layout;
	struct record rec;

	l.max_stack = k->max_stack;
	assert_int_equal(record_decode(&l, bytes, &rec), 1);
	assert_true(feed_sample(&k->feed, 0, &rec, tag, bytes));
}

static void
give(struct kitchen *k, uint16_t mode, uint64_t ip, size_t fp_word)
{
	struct buf b = { 0 };

	take(k, put_sample(k, &b, mode, ip, fp_word), 0);
	buf_release(&b);
}

static void
give_user(struct kitchen *k)
{
	give(k, PERF_RECORD_MISC_USER, CODE + 0x123, 2);
}

static void
learn_maps(struct kitchen *k)
{
	assert_int_equal(k->feed.map_len, 1);
	feed_learn_maps(&k->feed, k->feed.maps[0].cookie, maps, ARRAY_SIZE(maps), k->b.now_ns);
	k->feed.map_len = 0;
}

static uint64_t
counted(const struct kitchen *k)
{
	const struct tables *t = &k->b.profile->tables;
	uint64_t sum = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		sum += t->cells[TABLE_HOT].items[id].all_samples;
	return sum;
}

/* The locations of the stack that was counted last, innermost first; how many. */
static size_t
newest_stack(const struct kitchen *k, uint32_t *out, size_t max)
{
	const struct tables *t = &k->b.profile->tables;
	uint32_t node = (uint32_t)t->cells[TABLE_TREE].len - 1;
	size_t n = 0;

	for (; t->tree[node].parent != 0; node = t->tree[node].parent) {
		assert_that(n, <, max);
		out[n++] = t->tree[node].location;
	}
	return n;
}

static bool
lies_at(const struct kitchen *k, uint32_t location, uint64_t offset)
{
	return k->b.locations.items[location].offset == offset;
}

static void
a_sample_waits_for_the_rules_of_its_code(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	give_user(&k);
	assert_int_equal(k.feed.unwinder.ask_len, 0);
	learn_maps(&k);
	/* Now it is known what to ask for. */
	assert_int_equal(k.feed.unwinder.ask_len, 1);
	assert_int_equal(k.feed.unwinder.asks[0].pid, PID);
	assert_int_equal(k.feed.unwinder.asks[0].start, CODE);
	give_user(&k);
	assert_int_equal(k.feed.unwinder.ask_len, 1);
	assert_int_equal(counted(&k), 0);
	/* Its name does not wait for them. */
	assert_int_equal(k.feed.image_len, 1);
	assert_int_equal(k.feed.images[0].dso, k.feed.unwinder.asks[0].dso);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso + 1, NULL);
	assert_int_equal(counted(&k), 0);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	assert_int_equal(counted(&k), 2);
	assert_int_equal(k.feed.held_stacks.len, 0);
	/* No rules and no frame pointers: the leaf alone, and that is said. */
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 2);
	assert_true(lies_at(&k, at[0], 0x1123));
	assert_int_equal(at[1], LOCATION_CUT);
	assert_int_equal(unwinder_cut(&k.feed.unwinder), 2);
	close_kitchen(&k);
}

/* Maps are kept as long as anything refers to them: a process that has ended, and what waits. */
static void
what_waited_for_rules_lets_go_of_its_maps(void **state)
{
	(void)state;
	for (int is_counted = 0; is_counted < 2; is_counted++) {
		struct space *space;
		struct kitchen k;

		open_kitchen(&k);
		give_user(&k);
		space = space_get(model_space(k.b.model, model_task(k.b.model, PID, PID)));
		learn_maps(&k);
		give_user(&k);
		assert_int_equal(space->refs, 2 + 2);
		if (is_counted) {
			feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
			assert_int_equal(counted(&k), 2);
			assert_int_equal(space->refs, 2);
		}
		space->costs = NULL; /* it outlives its model, which has them */
		close_kitchen(&k);
		assert_int_equal(space->refs, 1);
		space_put(space);
	}
}

/* It may well have unwind information. */
static void
a_chain_that_ends_in_a_file_that_was_not_read_says_so(void **state)
{
	struct unwinder *u;
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	u = &k.feed.unwinder;
	give_user(&k);
	learn_maps(&k);
	unwinder_note_unread(u, u->asks[0].dso, true);
	feed_learn_rules(&k.feed, u->asks[0].dso, NULL);
	assert_int_equal(u->ends[UNWIND_UNREAD], 1);
	/* Another process leads to it: it was read, and has none. */
	unwinder_note_unread(u, u->asks[0].dso, false);
	feed_learn_rules(&k.feed, u->asks[0].dso, NULL);
	give_user(&k);
	assert_int_equal(u->ends[UNWIND_NO_RULES], 1);
	assert_int_equal(unwinder_cut(u), 2);
	close_kitchen(&k);
}

/* Two frames, of two files: the second is asked for when the first leads there. */
static void
code_without_rules_is_followed_by_frame_pointers(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	k.stack[2] = STACK + 6 * 8;
	k.stack[3] = CODE + 0x200457;
	k.stack[6] = 0;
	k.stack[7] = CODE + 0x789;
	give_user(&k);
	learn_maps(&k);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	assert_int_equal(k.feed.unwinder.ask_len, 2);
	assert_int_equal(counted(&k), 0);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[1].dso, NULL);
	assert_int_equal(counted(&k), 1);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 4);
	assert_true(lies_at(&k, at[0], 0x1123));
	assert_true(lies_at(&k, at[1], 0x456));
	assert_true(lies_at(&k, at[2], 0x1788));
	assert_int_equal(at[3], LOCATION_CUT);
	assert_int_equal(k.feed.unwinder.by_fp, 1);
	close_kitchen(&k);
}

/* Neither rules nor frame pointers: those are of whoever called the probed function. */
static void
a_chain_ends_where_the_kernel_runs_probed_instructions(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	k.stack[2] = STACK + 6 * 8;
	k.stack[3] = CODE + 0x457;
	give(&k, PERF_RECORD_MISC_USER, PROBES + 0x80, 2);
	learn_maps(&k);
	assert_int_equal(k.feed.unwinder.ask_len, 0);
	assert_int_equal(counted(&k), 1);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 2);
	assert_int_equal(k.b.locations.items[at[0]].dso, DSO_ID_UPROBES);
	assert_int_equal(at[1], LOCATION_CUT);
	assert_int_equal(k.feed.unwinder.by_fp, 0);
	assert_int_equal(k.feed.unwinder.ends[UNWIND_PROBED], 1);
	close_kitchen(&k);
}

/* A stack pointer may lead where nothing is: the room for the copy then holds older records. */
static void
nothing_is_made_of_what_was_not_copied(void **state)
{
	static const uint64_t copied[] = { 0, 3 * 8, 5 * 8 };
	uint32_t at[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++) {
		struct kitchen k;

		open_kitchen(&k);
		k.copied = copied[i];
		k.stack[2] = STACK + 6 * 8;
		k.stack[3] = CODE + 0x789;
		k.stack[6] = 0;
		k.stack[7] = CODE + 0x456;
		give_user(&k);
		learn_maps(&k);
		feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
		assert_int_equal(counted(&k), 1);
		assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), copied[i] < 4 * 8 ? 2 : 3);
		assert_true(lies_at(&k, at[0], 0x1123));
		assert_int_equal(k.feed.unwinder.ends[UNWIND_STACK_CUT], 1);
		close_kitchen(&k);
	}
}

/* Maps are remembered from chain to chain, but not beyond their end. */
static void
code_that_takes_the_place_of_other_is_asked_for(void **state)
{
	struct unwinder *u;
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	u = &k.feed.unwinder;
	give_user(&k);
	learn_maps(&k);
	feed_learn_rules(&k.feed, u->asks[0].dso, NULL);
	give_user(&k);
	give_user(&k);
	assert_int_equal(u->ask_len, 1);
	assert_int_equal(counted(&k), 3);
	tell_map(k.b.model, PID, CODE, 0x1000, 0, "/lib/other.so", 9);
	give_user(&k);
	assert_int_equal(u->ask_len, 2);
	assert_int_equal(counted(&k), 3);
	assert_int_not_equal(u->asks[1].dso, u->asks[0].dso);
	feed_learn_rules(&k.feed, u->asks[1].dso, NULL);
	assert_int_equal(counted(&k), 4);
	close_kitchen(&k);
}

/* The place where user space was left is a caller, and not one byte before it. */
static void
a_chain_goes_on_into_the_kernels(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	give(&k, PERF_RECORD_MISC_KERNEL, CODE + 0x500, 2);
	learn_maps(&k);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 4);
	assert_true(k.b.locations.items[at[0]].is_kernel);
	assert_true(k.b.locations.items[at[1]].is_kernel);
	assert_true(lies_at(&k, at[2], 0x1500));
	assert_int_equal(at[3], LOCATION_CUT);
	close_kitchen(&k);
}

static void
what_waits_for_rules_is_bounded_and_nothing_is_lost(void **state)
{
	const uint64_t all = QUEUE_BYTES / STACK_BYTES + 100;
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	give_user(&k);
	learn_maps(&k);
	for (uint64_t i = 1; i < all; i++)
		give_user(&k);
	assert_that(feed_held_bytes(&k.feed), <=, QUEUE_BYTES);
	assert_that(feed_held_bytes(&k.feed), >, QUEUE_BYTES - 2 * STACK_BYTES);
	assert_that(k.feed.unwaited, >=, 100);
	assert_int_equal(counted(&k), k.feed.unwaited);
	feed_end_waiting(&k.feed);
	assert_int_equal(counted(&k), all);
	assert_int_equal(k.feed.held_stacks.len, 0);
	/* Nor is the room that they took. */
	assert_int_equal(k.feed.held_stacks.cap, 0);
	assert_null(k.feed.held_stacks.bytes);
	assert_int_equal(unwinder_cut(&k.feed.unwinder), all);
	/* What comes late is of use for what comes then. */
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	give_user(&k);
	assert_int_equal(counted(&k), all + 1);
	close_kitchen(&k);
}

/* The room of those that were counted is of use for those that come. */
static void
what_was_counted_makes_room_for_what_waits(void **state)
{
	const uint64_t many = QUEUE_BYTES / STACK_BYTES / 3;
	struct unwinder *u;
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	u = &k.feed.unwinder;
	give_user(&k);
	learn_maps(&k);
	give(&k, PERF_RECORD_MISC_USER, CODE + 0x200500, 2);
	assert_int_not_equal(u->asks[1].dso, u->asks[0].dso);
	for (uint64_t i = 1; i < many; i++) {
		give_user(&k);
		give(&k, PERF_RECORD_MISC_USER, CODE + 0x200500, 2);
	}
	assert_int_equal(counted(&k), 0);
	feed_learn_rules(&k.feed, u->asks[1].dso, NULL);
	assert_int_equal(counted(&k), many);
	/* As many again, which is more than there was room for at the end. */
	for (uint64_t i = 0; i < many; i++)
		give_user(&k);
	assert_int_equal(k.feed.unwaited, 0);
	assert_int_equal(counted(&k), many);
	assert_that(k.feed.held_stacks.len, <=, QUEUE_BYTES);
	feed_learn_rules(&k.feed, u->asks[0].dso, NULL);
	assert_int_equal(counted(&k), 3 * many);
	assert_int_equal(unwinder_cut(u), 3 * many);
	assert_null(k.feed.held_stacks.bytes);
	close_kitchen(&k);
}

/* A process that ended meanwhile keeps what its samples need. */
static void
what_waits_outlives_its_process(void **state)
{
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	give_user(&k);
	learn_maps(&k);
	give_user(&k);
	tell_exit(k.b.model, PID, PID, 0, k.b.now_ns + 1);
	model_sweep(k.b.model, k.b.now_ns + 10 * NSEC_PER_SEC);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	assert_int_equal(counted(&k), 2);
	close_kitchen(&k);
}

/* A descriptor that copied stacks is closed, and its id forgotten, sooner than rules are made. */
static void
what_waits_is_read_as_it_was_when_its_id_was_known(void **state)
{
	struct record_layout plain = layout;
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	record_layouts_release(&k.layouts);
	plain.sample_type = SAMPLE_TYPE & ~(uint64_t)(PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
						      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	plain.sample_time_at = 0;
	record_layouts_add(&k.layouts, &plain);
	record_layouts_add_id(&k.layouts, record_layouts_add(&k.layouts, &layout), 1);
	k.stack[2] = STACK + 6 * 8;
	k.stack[3] = CODE + 0x457;
	k.stack[6] = 0;
	k.stack[7] = CODE + 0x789;
	give_user(&k);
	learn_maps(&k);
	give_user(&k);
	record_layouts_forget_id(&k.layouts, 1);
	assert_true(feed_waits_since(&k.feed) == k.b.now_ns);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	assert_int_equal(counted(&k), 2);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 4);
	assert_true(lies_at(&k, at[0], 0x1123) && lies_at(&k, at[1], 0x1456) &&
		    lies_at(&k, at[2], 0x1788));
	/* What comes later with it, such as the end of a long wait, could not be read again. */
	give(&k, PERF_RECORD_MISC_USER, CODE + 0x200500, 2);
	assert_int_equal(counted(&k), 3);
	assert_int_equal(k.feed.unwaited, 1);
	close_kitchen(&k);
}

static void
chains_that_nobody_wants_are_not_made(void **state)
{
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	k.feed.no_chains = true;
	give_user(&k);
	learn_maps(&k);
	assert_int_equal(counted(&k), 1);
	assert_int_equal(k.feed.unwinder.ask_len, 0);
	assert_int_equal(unwinder_cut(&k.feed.unwinder), 0);
	close_kitchen(&k);
}

static void
of_a_program_of_32_bits_the_leaf_is_known(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	k.abi = PERF_SAMPLE_REGS_ABI_32;
	give(&k, PERF_RECORD_MISC_KERNEL, CODE + 0x500, 2);
	learn_maps(&k);
	assert_int_equal(k.feed.unwinder.ask_len, 0);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 4);
	assert_true(lies_at(&k, at[2], 0x1500));
	assert_int_equal(at[3], LOCATION_CUT);
	/* Nothing is left of the stack before, however many there were. */
	for (unsigned i = 0; i < 2 * UNWIND_FRAMES_MAX; i++)
		give(&k, PERF_RECORD_MISC_KERNEL, CODE + 0x600 + i, 2);
	assert_int_equal(k.feed.unwinder.len, 1);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 4);
	close_kitchen(&k);
}

/* None of its registers are known by number. */
static void
of_another_machine_nothing_is_made_up(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	unwinder_set_machine(&k.feed.unwinder, "s390x");
	give_user(&k);
	learn_maps(&k);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 2);
	assert_true(lies_at(&k, at[0], 0x1123));
	assert_int_equal(at[1], LOCATION_CUT);
	close_kitchen(&k);
}

/* What was told of samples that count: their own times, and the chains that they have then. */
struct told {
	struct kitchen *k;
	size_t count;
	uint64_t last_ns;
	uint64_t addrs[UNWIND_FRAMES_MAX];
	size_t len;
};

static void
note(void *self, uint32_t task, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	struct told *t = self;

	(void)tag;
	assert_int_equal(model_task_at(t->k->b.model, task)->pid, PID);
	assert_int_equal(record_type(bytes), PERF_RECORD_SAMPLE);
	t->count++;
	t->last_ns = rec->id.time_ns;
	t->len = unwinder_addresses(&t->k->feed.unwinder, t->addrs);
}

/* Callers are where the kernel would say that they are: behind their calls. */
static void
each_sample_is_told_once_when_it_has_its_chain(void **state)
{
	struct kitchen k;
	struct told told = { .k = &k };
	uint64_t first_ns;

	(void)state;
	open_kitchen(&k);
	k.feed.counts = note;
	k.feed.counts_self = &told;
	k.stack[2] = STACK + 6 * 8;
	k.stack[3] = CODE + 0x457;
	k.stack[6] = 0;
	k.stack[7] = CODE + 0x789;
	assert_true(feed_waits_since(&k.feed) == UINT64_MAX);
	first_ns = k.b.now_ns;
	give_user(&k);
	k.b.now_ns += 1000;
	give_user(&k);
	assert_int_equal(told.count, 0);
	assert_true(feed_waits_since(&k.feed) == first_ns);
	learn_maps(&k);
	assert_int_equal(told.count, 0);
	feed_learn_rules(&k.feed, k.feed.unwinder.asks[0].dso, NULL);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.last_ns, first_ns + 1000);
	assert_true(feed_waits_since(&k.feed) == UINT64_MAX);
	k.b.now_ns += 1000;
	give_user(&k);
	assert_int_equal(told.count, 3);
	assert_int_equal(told.len, 3);
	assert_true(told.addrs[0] == CODE + 0x123);
	assert_true(told.addrs[1] == CODE + 0x457);
	assert_true(told.addrs[2] == CODE + 0x789);
	close_kitchen(&k);
}

/*
 * A leaf that keeps its return address alone on the stack, called by a function with a frame pointer,
 * called by where the thread began.
 */
static struct unwind_rules *
make_rules(void)
{
	enum { FP = 6, SP = 7, RA = 16 };
	const uint64_t ra = UINT64_C(1) << RA, fp = UINT64_C(1) << FP;
	const struct unwind_state leaf = {
		.cfa_reg = SP, .cfa = 8, .ra = RA, .set = ra, .regs = { [RA] = { UNWIND_AT, -8 } } };
	const struct unwind_state framed = {
		.cfa_reg = FP, .cfa = 16, .ra = RA, .set = ra | fp,
		.regs = { [RA] = { UNWIND_AT, -8 }, [FP] = { UNWIND_AT, -16 } } };
	const struct unwind_state first = {
		.cfa_reg = SP, .cfa = 8, .ra = RA, .set = ra, .regs = { [RA] = { UNWIND_UNDEFINED, 0 } } };
	const struct unwind_state *const states[] = { &leaf, &framed, &first };
	struct rules_build *b = rules_build_new(&unwind_x86_64, 0);
	struct unwind_rules *rules;
	struct err err = { 0 };

	for (uint64_t i = 0; i < ARRAY_SIZE(states); i++) {
		assert_true(rules_build_function(b, 0x1000 + i * 0x400, 0x1400 + i * 0x400));
		rules_build_row(b, 0x1000 + i * 0x400, states[i]);
	}
	rules = unwind_rules_open(rules_build_finish(b, &err), &err);
	rules_build_free(b);
	assert_non_null(rules);
	return rules;
}

/*
 * In a kitchen that has rules, a leaf is called by frames that all return to CODE + 0x457, of which
 * the copy has as many as @depth.  The kernel's chain has @kernel of them, then what called the first.
 */
static void
give_recursion(struct kitchen *k, uint64_t ip, size_t depth, size_t kernel)
{
	uint64_t chain[300] = { (uint64_t)PERF_CONTEXT_USER, ip };
	size_t len = 2;

	memset(k->stack, 0, sizeof(k->stack));
	k->stack[0] = CODE + 0x467;
	for (size_t at = 2; at + 2 < ARRAY_SIZE(k->stack); at += 2) {
		k->stack[at] = STACK + (at + 2) * 8;
		k->stack[at + 1] = CODE + 0x457;
	}
	k->copied = (2 + depth * 2) * 8;
	assert_that(kernel, <, ARRAY_SIZE(chain) - 4);
	while (kernel-- > 0)
		chain[len++] = CODE + 0x457;
	chain[len++] = CODE + 0x477;
	chain[len++] = CODE + 0x857;
	k->chain = chain;
	k->chain_len = len;
	give(k, PERF_RECORD_MISC_USER, ip, 2);
	k->chain = NULL;
	k->chain_len = 0;
}

/* Those that look alike are as many as the kernel's chain has, and what it lacks is there. */
static void
frame_pointers_go_on_from_the_frame_that_was_unwound_last(void **state)
{
	static const uint64_t other[] = {
		(uint64_t)PERF_CONTEXT_USER, CODE + 0x410, CODE + 0x487, CODE + 0x457, CODE + 0x857,
	};
	uint64_t addrs[UNWIND_FRAMES_MAX];
	struct unwinder *u;
	struct kitchen k;
	size_t n;

	(void)state;
	open_kitchen(&k);
	u = &k.feed.unwinder;
	give_user(&k);
	learn_maps(&k);
	feed_learn_rules(&k.feed, u->asks[0].dso, make_rules());
	u->ends[UNWIND_WHOLE] = 0;
	/* In the function itself each frame has a frame pointer. */
	give_recursion(&k, CODE + 0x410, 3, 40);
	n = unwinder_addresses(u, addrs);
	assert_int_equal(n, 1 + 40 + 2);
	assert_true(addrs[0] == CODE + 0x410 && addrs[40] == CODE + 0x457);
	assert_true(addrs[41] == CODE + 0x477 && addrs[42] == CODE + 0x857);
	/* A leaf has none: the kernel does not see what called it. */
	give_recursion(&k, CODE + 0x123, 3, 40);
	n = unwinder_addresses(u, addrs);
	assert_int_equal(n, 2 + 40 + 2);
	assert_true(addrs[1] == CODE + 0x467 && addrs[2] == CODE + 0x457);
	assert_true(addrs[41] == CODE + 0x457 && addrs[42] == CODE + 0x477);
	assert_int_equal(u->ends[UNWIND_WHOLE], 2);
	assert_int_equal(u->by_fp, 2);
	/* A frame that was not unwound is before it: who knows whose stack that is. */
	k.chain = other;
	k.chain_len = ARRAY_SIZE(other);
	give(&k, PERF_RECORD_MISC_USER, CODE + 0x410, 2);
	assert_int_equal(unwinder_addresses(u, addrs), 1 + 3);
	assert_int_equal(u->ends[UNWIND_STACK_CUT], 1);
	close_kitchen(&k);
}

/* The kernel ends a chain where it is as long as it may be. */
static void
a_chain_that_the_kernel_may_have_cut_is_not_whole(void **state)
{
	uint64_t addrs[UNWIND_FRAMES_MAX];
	struct unwinder *u;
	struct kitchen k;

	(void)state;
	open_kitchen(&k);
	u = &k.feed.unwinder;
	give_user(&k);
	learn_maps(&k);
	feed_learn_rules(&k.feed, u->asks[0].dso, make_rules());
	give_recursion(&k, CODE + 0x410, 3, 127 - 3);
	assert_int_equal(unwinder_addresses(u, addrs), 127);
	assert_int_equal(u->result.end, UNWIND_STACK_CUT);
	u->chain_max = 256;
	give_recursion(&k, CODE + 0x410, 3, 127 - 3);
	assert_int_equal(u->result.end, UNWIND_WHOLE);
	/* The event's own bound. */
	k.max_stack = record_layout_of(&(struct event_attr){ .sample_max_stack = 16 }, false).max_stack;
	give_recursion(&k, CODE + 0x410, 3, 16 - 3);
	assert_int_equal(u->result.end, UNWIND_STACK_CUT);
	give_recursion(&k, CODE + 0x410, 3, 5);
	assert_int_equal(u->result.end, UNWIND_WHOLE);
	close_kitchen(&k);
}

enum { FP_WORD = 5 };

/* A kitchen in which the rules are known, and the stack is that of leaf, function and begin. */
static void
open_whole(struct kitchen *k)
{
	open_kitchen(k);
	k->stack[0] = CODE + 0x457;
	k->stack[FP_WORD + 1] = CODE + 0x857;
	give(k, PERF_RECORD_MISC_USER, CODE + 0x123, FP_WORD);
	learn_maps(k);
	feed_learn_rules(&k->feed, k->feed.unwinder.asks[0].dso, make_rules());
	k->feed.unwinder.ask_len = 0;
	assert_int_equal(k->feed.unwinder.ends[UNWIND_WHOLE], 1);
	assert_int_equal(counted(k), 1);
}

/* As samples come from rings; whether it was recognised, and not even decoded. */
static bool
offer(struct kitchen *k, uint16_t mode, size_t fp_word)
{
	struct record_copy copy;
	struct buf b = { 0 };
	struct bytes bytes = put_sample(k, &b, mode, CODE + 0x123, fp_word);
	uint64_t tag;
	bool res;

	k->b.now_ns += 1000;
	assert_true(record_find_copy(&layout, bytes, &copy));
	tag = feed_copy_tag(&k->feed, &copy);
	res = tag != 0 && feed_repeat(&k->feed, tag, 10, k->b.now_ns);
	if (!res)
		take(k, bytes, copy.tag);
	feed_flush(&k->feed);
	buf_release(&b);
	return res;
}

static bool
offer_user(struct kitchen *k)
{
	return offer(k, PERF_RECORD_MISC_USER, FP_WORD);
}

/* What is behind the copy is no stack. */
static void
a_copy_that_says_more_than_its_room_is_refused(void **state)
{
	struct kitchen k;
	struct record_copy copy;
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	open_kitchen(&k);
	k.copied = STACK_BYTES;
	assert_true(record_find_copy(&layout, put_sample(&k, &b, PERF_RECORD_MISC_USER, CODE, 0),
				     &copy));
	assert_int_equal(copy.stack.len, STACK_BYTES);
	k.copied = STACK_BYTES + 8;
	assert_false(record_find_copy(&layout, put_sample(&k, &b, PERF_RECORD_MISC_USER, CODE, 0),
				      &copy));
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec),
			 -1);
	buf_release(&b);
	close_kitchen(&k);
}

/* Of a loop's stack much changes, but nothing that its callers are told by. */
static void
stacks_alike_are_unwound_once(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_whole(&k);
	assert_false(offer_user(&k));
	for (uint64_t i = 0; i < 5; i++) {
		k.stack[2] = CODE + i * 8;
		k.stack[100] = i;
		assert_true(offer_user(&k));
	}
	assert_int_equal(counted(&k), 7);
	assert_int_equal(k.feed.unwinder.ends[UNWIND_WHOLE], 7);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 3);
	assert_true(lies_at(&k, at[0], 0x1123) && lies_at(&k, at[1], 0x1456) &&
		    lies_at(&k, at[2], 0x1856));
	/* In the kernel it is another one, with the same callers. */
	assert_false(offer(&k, PERF_RECORD_MISC_KERNEL, FP_WORD));
	assert_true(offer(&k, PERF_RECORD_MISC_KERNEL, FP_WORD));
	assert_int_equal(counted(&k), 9);
	/* Those leave it known. */
	assert_true(offer_user(&k));
	assert_int_equal(counted(&k), 10);
	assert_int_equal(k.feed.unwinder.ends[UNWIND_WHOLE], 10);
	close_kitchen(&k);
}

static void
whom_callers_tell_apart_is_not_alike(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_whole(&k);
	offer_user(&k);
	assert_true(offer_user(&k));
	k.stack[0] = CODE + 0x467;
	assert_false(offer_user(&k));
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 3);
	assert_true(lies_at(&k, at[1], 0x1466));
	assert_true(offer_user(&k));
	k.stack[0] = CODE + 0x457;
	assert_true(offer_user(&k));
	k.stack[FP_WORD + 1] = CODE + 0x867;
	assert_false(offer_user(&k));
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 3);
	assert_true(lies_at(&k, at[2], 0x1866));
	k.stack[FP_WORD + 1] = CODE + 0x857;
	/* The same words, by another frame pointer. */
	k.stack[FP_WORD + 3] = CODE + 0x877;
	assert_false(offer(&k, PERF_RECORD_MISC_USER, FP_WORD + 2));
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 3);
	assert_true(lies_at(&k, at[2], 0x1876));
	assert_int_equal(k.feed.unwinder.ends[UNWIND_WHOLE], counted(&k));
	close_kitchen(&k);
}

/* Behind the copy lies what an older record has left: the same words, as likely as not. */
static void
a_shorter_copy_is_not_alike(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_whole(&k);
	offer_user(&k);
	assert_true(offer_user(&k));
	k.copied = (FP_WORD + 1) * 8;
	assert_false(offer_user(&k));
	assert_int_equal(k.feed.unwinder.ends[UNWIND_STACK_CUT], 1);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 3);
	assert_int_equal(at[2], LOCATION_CUT);
	/* Those that are cut are looked at one by one. */
	assert_false(offer_user(&k));
	k.copied = (FP_WORD + 2) * 8;
	assert_true(offer_user(&k));
	close_kitchen(&k);
}

/* Other code, or other rules for it, may lead elsewhere by the same stack. */
static void
what_is_alike_ends_with_rules_and_maps(void **state)
{
	struct unwinder *u;
	struct kitchen k;

	(void)state;
	open_whole(&k);
	u = &k.feed.unwinder;
	offer_user(&k);
	assert_true(offer_user(&k));
	feed_learn_rules(&k.feed, 12345, NULL);
	assert_false(offer_user(&k));
	assert_true(offer_user(&k));
	tell_map(k.b.model, PID, CODE, 0x1000, 0x1000, "/lib/other.so", 9);
	assert_false(offer_user(&k));
	assert_int_equal(u->ask_len, 1);
	feed_learn_rules(&k.feed, u->asks[0].dso, make_rules());
	assert_false(offer_user(&k));
	assert_true(offer_user(&k));
	assert_int_equal(counted(&k), 8);
	assert_int_equal(u->ends[UNWIND_WHOLE], 8);
	close_kitchen(&k);
}

/* A look at a thread that waits in a call made at @pc; whether it was recognised. */
static bool
look_at(struct kitchen *k, uint64_t pc)
{
	const struct record_look look = {
		.pid = PID, .tid = PID, .time_ns = k->b.now_ns, .period_ns = 5, .has_place = true,
		.call = SYS_read, .sp = STACK, .pc = pc, .state = 'S',
		.file = { (const uint8_t *)"/data/x", 7 },
		.stack = { (const uint8_t *)k->stack, sizeof(k->stack) },
	};
	struct record_layout l = look_layout();
	struct buf b = { 0 };
	struct record rec;
	struct bytes bytes;
	uint64_t tag;
	bool res;

	record_encode_look(&b, &look);
	bytes = (struct bytes){ (const uint8_t *)b.data, b.len };
	look_decode(bytes, &rec);
	tag = record_sample_tag(&l, bytes);
	res = feed_repeat_look(&k->feed, tag, look.period_ns, look.time_ns);
	if (!res)
		assert_true(feed_sample(&k->feed, 0, &rec, tag, bytes));
	feed_flush(&k->feed);
	buf_release(&b);
	return res;
}

/* Each time a thread is seen where it was, its chain is cut or guessed again. */
static void
looks_alike_have_chains_that_end_alike(void **state)
{
	struct unwinder *u;
	struct kitchen k;

	(void)state;
	open_whole(&k);
	u = &k.feed.unwinder;
	give(&k, PERF_RECORD_MISC_USER, CODE + 0x200500, 0);
	feed_learn_rules(&k.feed, u->asks[0].dso, NULL);
	assert_int_equal(u->ends[UNWIND_NO_RULES], 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(look_at(&k, CODE + 0x200500), i > 0);
	assert_int_equal(u->ends[UNWIND_NO_RULES], 5);
	assert_int_equal(u->ends[UNWIND_WHOLE], 1);
	/* A look has no frame pointer: of the function that needs one it is looked for. */
	k.stack[2] = CODE + 0x123;
	k.stack[3] = CODE + 0x857;
	for (int i = 0; i < 3; i++)
		assert_int_equal(look_at(&k, CODE + 0x410), i > 0);
	assert_int_equal(u->guessed, 3);
	assert_int_equal(u->ends[UNWIND_WHOLE], 4);
	assert_int_equal(u->ends[UNWIND_NO_RULES], 5);
	assert_int_equal(counted(&k), 9);
	close_kitchen(&k);
}

static const struct record_layout branch_layout = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
	.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK,
};

/* A sample with two calls that did not return yet, @kind of branches. */
static void
give_branches(struct kitchen *k, uint16_t mode, uint64_t kind)
{
	const uint64_t calls[][3] = { { CODE + 0x900, CODE + 0x100, 0 },
				      { CODE + 0xa00, CODE + 0x880, 0 } };
	struct perf_event_header head = { .type = PERF_RECORD_SAMPLE, .misc = mode };
	struct record_layout l = branch_layout;
	struct buf b = { 0 };
	struct record rec;
	struct bytes bytes;

	l.branch_sample_type = kind;
	buf_add(&b, &head, sizeof(head));
	put(&b, 1);
	put(&b, mode == PERF_RECORD_MISC_USER ? CODE + 0x123 : UINT64_C(0xffffffff81000010));
	put(&b, (uint64_t)PID << 32 | PID);
	put(&b, k->b.now_ns);
	put(&b, 0);
	put(&b, 10);
	put(&b, mode == PERF_RECORD_MISC_USER ? 3 : 5);
	if (mode != PERF_RECORD_MISC_USER) {
		put(&b, (uint64_t)PERF_CONTEXT_KERNEL);
		put(&b, UINT64_C(0xffffffff81000010));
	}
	put(&b, (uint64_t)PERF_CONTEXT_USER);
	put(&b, CODE + 0x123);
	put(&b, CODE + 0x5001); /* what frame pointers lead to */
	put(&b, ARRAY_SIZE(calls));
	buf_add(&b, calls, sizeof(calls));
	head.size = (uint16_t)b.len;
	memcpy(b.data, &head, sizeof(head));
	bytes = (struct bytes){ (const uint8_t *)b.data, b.len };
	assert_int_equal(record_decode(&l, bytes, &rec), 1);
	assert_true(feed_sample(&k->feed, 0, &rec, 0, bytes));
	buf_release(&b);
}

static void
calls_of_a_branch_recorder_are_the_callers(void **state)
{
	struct kitchen k;
	uint32_t at[8];

	(void)state;
	open_kitchen(&k);
	k.layouts.items[0] = branch_layout;
	give_branches(&k, PERF_RECORD_MISC_USER, branch_layout.branch_sample_type);
	learn_maps(&k);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 3);
	assert_true(lies_at(&k, at[0], 0x1123) && lies_at(&k, at[1], 0x1900) &&
		    lies_at(&k, at[2], 0x1a00));
	/* The place where user space was left is where the innermost of them is. */
	give_branches(&k, PERF_RECORD_MISC_KERNEL, branch_layout.branch_sample_type);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 4);
	assert_true(k.b.locations.items[at[0]].is_kernel);
	assert_true(lies_at(&k, at[1], 0x1123) && lies_at(&k, at[2], 0x1900) &&
		    lies_at(&k, at[3], 0x1a00));
	/* Branches of other kinds are no calls. */
	give_branches(&k, PERF_RECORD_MISC_USER, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(newest_stack(&k, at, ARRAY_SIZE(at)), 2);
	assert_true(lies_at(&k, at[1], 0x6000));
	close_kitchen(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_waits_for_the_rules_of_its_code),
		cmocka_unit_test(what_waited_for_rules_lets_go_of_its_maps),
		cmocka_unit_test(a_chain_that_ends_in_a_file_that_was_not_read_says_so),
		cmocka_unit_test(code_without_rules_is_followed_by_frame_pointers),
		cmocka_unit_test(a_chain_ends_where_the_kernel_runs_probed_instructions),
		cmocka_unit_test(nothing_is_made_of_what_was_not_copied),
		cmocka_unit_test(code_that_takes_the_place_of_other_is_asked_for),
		cmocka_unit_test(a_chain_goes_on_into_the_kernels),
		cmocka_unit_test(what_waits_for_rules_is_bounded_and_nothing_is_lost),
		cmocka_unit_test(what_was_counted_makes_room_for_what_waits),
		cmocka_unit_test(what_waits_outlives_its_process),
		cmocka_unit_test(what_waits_is_read_as_it_was_when_its_id_was_known),
		cmocka_unit_test(each_sample_is_told_once_when_it_has_its_chain),
		cmocka_unit_test(chains_that_nobody_wants_are_not_made),
		cmocka_unit_test(of_a_program_of_32_bits_the_leaf_is_known),
		cmocka_unit_test(of_another_machine_nothing_is_made_up),
		cmocka_unit_test(calls_of_a_branch_recorder_are_the_callers),
		cmocka_unit_test(a_copy_that_says_more_than_its_room_is_refused),
		cmocka_unit_test(stacks_alike_are_unwound_once),
		cmocka_unit_test(whom_callers_tell_apart_is_not_alike),
		cmocka_unit_test(a_shorter_copy_is_not_alike),
		cmocka_unit_test(what_is_alike_ends_with_rules_and_maps),
		cmocka_unit_test(looks_alike_have_chains_that_end_alike),
		cmocka_unit_test(frame_pointers_go_on_from_the_frame_that_was_unwound_last),
		cmocka_unit_test(a_chain_that_the_kernel_may_have_cut_is_not_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
