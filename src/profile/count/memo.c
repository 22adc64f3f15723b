/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/feed_impl.h"

#include <stdlib.h>

enum {
	MEMO_WAYS = 4, /* with one place for a tag, two hot ones could evict each other for ever */
	MEMO_SETS = 512,
	LOOK_SETS = 8192, /* for ten thousand threads, so that few of them share a set with more than four */
	MARK_BITS = 16,
	FRESH_MAX = 32, /* samples whose entries are looked for together: most are far away */
};

/*
 * A memo: the entries that a sample was counted in, for the next ones that differ in time and
 * period alone.  Their records have the same tag, and nothing of who they are of and what is mapped
 * where has changed.  Most samples of busy loops are such.  They are summed here and counted by
 * feed_flush().
 */
struct sample_memo {
	_Alignas(64) uint64_t period; /* summed.  A memo is a cache line: most are not cached */
	uint32_t samples;
	uint32_t check; /* memo_check() when it was made */
	uint32_t held;  /* memo_stamp() when it was looked at last */
	uint32_t task, event;
	bool has_user_part;
	bool is_summed; /* this place is in feed.summed */
	bool is_fresh;  /* it has no ids yet: its first sample is in feed.fresh */
	/* Whether its chain was unwound, and what is counted of that. */
	bool is_unwound : 1, by_fp : 1, is_guessed : 1;
	enum unwind_end end : 4;
	uint32_t tag;   /* the part that is neither in the mark nor in the place */
	struct profile_ids ids;
	uint64_t offset;
};

/* A sample that waits for others, to be counted with them. */
struct fresh_sample {
	struct profile_sample sample;
	struct sample_memo *memo;
};

_Static_assert(sizeof(struct sample_memo) == 64, "a cache line");
_Static_assert(UNWINDER_ENDS <= 1 << 4, "sample_memo.end");

static void
make_memos(struct memos *m, uint32_t sets)
{
	m->sets = sets;
	m->marks = mem_calloc(sets, sizeof(*m->marks));
	m->room = mem_calloc((size_t)sets * MEMO_WAYS + 1, sizeof(*m->items));
	m->items = (void *)((uintptr_t)m->room + sizeof(*m->items) -
			    (uintptr_t)m->room % sizeof(*m->items));
	m->summed = mem_calloc((size_t)sets * MEMO_WAYS, sizeof(*m->summed));
}

static void
release_memos(struct memos *m)
{
	free(m->marks);
	free(m->room);
	free(m->summed);
}

void
memo_init(struct feed *f)
{
	make_memos(&f->memos, MEMO_SETS);
	f->fresh = mem_calloc(FRESH_MAX, sizeof(*f->fresh));
}

void
memo_release(struct feed *f)
{
	release_memos(&f->memos);
	release_memos(&f->look_memos);
	free(f->fresh);
}

static size_t
bytes_of(size_t sets)
{
	const size_t of_mark = sizeof(uint64_t), of_summed = sizeof(uint32_t);

	return sets * (of_mark + MEMO_WAYS * (sizeof(struct sample_memo) + of_summed));
}

size_t
feed_memo_bytes(const struct feed *f)
{
	return bytes_of(f->memos.sets) + bytes_of(f->look_memos.sets);
}

size_t
feed_memo_max_bytes(void)
{
	return bytes_of(MEMO_SETS) + bytes_of(LOOK_SETS);
}

/*
 * Stands for all that leads from a sample of @t to where it is counted: who it is, in whose tree its
 * stacks are, what is mapped where, and that entries have their numbers.
 */
static uint32_t
memo_check(const struct feed *f, const struct task *t, const struct space *space)
{
	uint64_t h = hash_mix((uint64_t)t->who << 32 | (uint32_t)t->pid,
			      (uint64_t)(uint32_t)t->tid << 32 | f->profile->epoch);

	if (!feed_has_own_tree(f, t))
		h = ~h;
	if (space != NULL)
		h = hash_mix(h, (uint64_t)space->id << 32 | space->generation);
	return (uint32_t)hash_mix(h, f->model->kernel_generation);
}

/* As long as it is the same, nothing that memo_holds() looks at has changed. */
static uint32_t
memo_stamp(const struct feed *f)
{
	return f->model->changes + f->profile->epoch + f->changes;
}

static bool
memo_holds(const struct feed *f, const struct sample_memo *m)
{
	const struct task *t = model_task_at(f->model, m->task);
	const struct task *process = model_task_at(f->model, t->process);
	const struct space *space = m->has_user_part ? process->space : NULL;

	/* The index leads from a tid to one task. */
	if (!t->is_indexed || (f->targets_only && !model_is_target(f->model, t)))
		return false;
	if (m->has_user_part &&
	    (space == NULL || (space->state != SPACE_KNOWN && space->state != SPACE_LOST)))
		return false;
	return m->check == memo_check(f, t, space);
}

static inline size_t
set_of(const struct memos *memos, uint64_t tag)
{
	return (tag >> 32) & (memos->sets - 1);
}

/* Not 0, which no memo has. */
static inline uint64_t
mark_of(uint64_t tag)
{
	return tag >> (64 - MARK_BITS) | 1;
}

static void
set_mark(struct memos *memos, size_t at, uint64_t tag)
{
	uint64_t *marks = &memos->marks[at / MEMO_WAYS];
	unsigned shift = at % MEMO_WAYS * MARK_BITS;

	*marks = (*marks & ~(UINT64_C(0xffff) << shift)) | mark_of(tag) << shift;
}

/*
 * The memo of @tag, NULL if there is none.  The marks of a set are one word: what is
 * left of those that are alike is 0, which shows in their highest bits, at times also in others.
 */
static inline struct sample_memo *
memo_find(const struct memos *memos, uint64_t tag)
{
	const uint64_t each = UINT64_C(0x0001000100010001);
	size_t set = set_of(memos, tag);
	uint64_t left = memos->marks[set] ^ mark_of(tag) * each;
	uint64_t alike = (left - each) & ~left & each << (MARK_BITS - 1);

	_Static_assert(MEMO_WAYS * MARK_BITS == 64, "a word in all");
	for (; alike != 0; alike &= alike - 1) {
		size_t at = set * MEMO_WAYS + (unsigned)__builtin_ctzll(alike) / MARK_BITS;

		if (memos->items[at].tag == (uint32_t)tag)
			return &memos->items[at];
	}
	return NULL;
}

static inline void
sum_up(struct feed *f, struct memos *memos, struct sample_memo *m, uint64_t period, uint64_t time_ns)
{
	if (!m->is_summed)
		memos->summed[memos->summed_len++] = (uint32_t)(m - memos->items);
	m->is_summed = true;
	m->samples++;
	m->period += period;
	m->ids.turn = ++f->profile->turns;
	f->summed_ns = time_ns;
}

/* Something has changed since it was looked at last: seldom, and nothing of it concerns most. */
static __attribute__((noinline)) bool
look_again(struct feed *f, struct memos *memos, struct sample_memo *m, uint64_t period,
	   uint64_t time_ns)
{
	if (!memo_holds(f, m))
		return false;
	m->held = memo_stamp(f);
	sum_up(f, memos, m, period, time_ns);
	return true;
}

/* What the bytes of a record tell but for its time: samples with one tag have it in common. */
#define LABELS_OF_RECORD \
	(KEY_BIT(KEY_CPU) | KEY_BIT(KEY_ADDRESS) | KEY_BIT(KEY_SYSCALL) | KEY_BIT(KEY_FIELD))

/* The same of a look. */
#define LABELS_OF_LOOK (LABELS_OF_RECORD | KEY_BIT(KEY_ON) | KEY_BIT(KEY_WAKER) | KEY_BIT(KEY_LENGTH))

/* Whether samples can be recognised while labels are kept; memos are of those that are kept now. */
static bool
knows_labels(struct feed *f, uint64_t labels)
{
	if (f->memo_labels != f->profile->labels.want || f->memo_field != f->profile->split.turn)
		feed_forget_alike(f);
	f->memo_labels = f->profile->labels.want;
	f->memo_field = f->profile->split.turn;
	return (f->memo_labels & ~labels) == 0;
}

static inline bool
repeat(struct feed *f, struct memos *memos, uint64_t tag, uint64_t period, uint64_t time_ns)
{
	struct sample_memo *m = memo_find(memos, tag);

	if (m == NULL)
		return false;
	if (m->held != memo_stamp(f))
		return look_again(f, memos, m, period, time_ns);
	sum_up(f, memos, m, period, time_ns);
	return true;
}

bool
feed_repeat(struct feed *f, uint64_t tag, uint64_t period, uint64_t time_ns)
{
	return knows_labels(f, LABELS_OF_RECORD) && repeat(f, &f->memos, tag, period, time_ns);
}

bool
feed_repeat_look(struct feed *f, uint64_t tag, uint64_t period, uint64_t time_ns)
{
	return f->look_memos.marks != NULL && knows_labels(f, LABELS_OF_LOOK) &&
	       repeat(f, &f->look_memos, tag, period, time_ns);
}

/* Counts what was summed.  Its task may be gone by now, its entries are not. */
static void
memo_flush(struct feed *f, struct sample_memo *m)
{
	struct task *t = model_task_at(f->model, m->task);

	if (m->samples == 0)
		return;
	if (t->is_indexed)
		model_saw(f->model, m->task, m->samples, f->summed_ns);
	profile_add_again(f->profile, &m->ids, m->event, m->samples, m->period);
	if (m->ids.address != 0)
		locations_vote(f->locations, f->profile->tables.hot[m->ids.hot].location, m->offset,
			       m->samples);
	if (m->is_unwound)
		unwinder_count(&f->unwinder, m->samples, &(struct unwind_result){
			.end = m->end, .by_fp = m->by_fp, .is_guessed = m->is_guessed });
	m->samples = 0;
	m->period = 0;
}

/* Entries first, as their places in the index are near by now: none waits for another. */
static void
flush_fresh(struct feed *f)
{
	bool is_far = profile_is_far(f->profile);

	for (size_t i = 0; is_far && i < f->fresh_len; i++)
		profile_prefetch_entries(f->profile, &f->fresh[i].sample);
	for (size_t i = 0; i < f->fresh_len; i++) {
		const struct profile_sample *s = &f->fresh[i].sample;
		struct sample_memo *m = f->fresh[i].memo;

		m->ids = profile_add(f->profile, s);
		m->is_fresh = false;
		if (m->ids.address != 0)
			locations_vote(f->locations, s->leaf, s->offset, 1);
	}
	f->fresh_len = 0;
}

static void
flush_summed(struct feed *f, struct memos *memos)
{
	for (size_t i = 0; i < memos->summed_len; i++) {
		struct sample_memo *m = &memos->items[memos->summed[i]];

		memo_flush(f, m);
		m->is_summed = false;
	}
	memos->summed_len = 0;
}

void
feed_flush(struct feed *f)
{
	flush_fresh(f);
	flush_summed(f, &f->memos);
	flush_summed(f, &f->look_memos);
}

void
feed_learn_trees(struct feed *f)
{
	f->changes++;
}

void
feed_forget_alike(struct feed *f)
{
	feed_flush(f);
	memset(f->memos.marks, 0, f->memos.sets * sizeof(*f->memos.marks));
	if (f->look_memos.marks != NULL)
		memset(f->look_memos.marks, 0, f->look_memos.sets * sizeof(*f->look_memos.marks));
}

/* In place of the one of @memos that has @tag, or of another. */
static struct sample_memo *
make_memo(struct feed *f, struct memos *memos, uint64_t tag, const struct profile_sample *s,
	  uint32_t task, const struct space *space)
{
	const struct task *t = model_task_at(f->model, task);
	const struct unwind_result *r = &f->unwinder.result;
	struct sample_memo *m = memo_find(memos, tag);

	if (m == NULL)
		m = &memos->items[set_of(memos, tag) * MEMO_WAYS + memos->turn++ % MEMO_WAYS];
	if (m->is_fresh)
		flush_fresh(f);
	memo_flush(f, m);
	set_mark(memos, (size_t)(m - memos->items), tag);
	*m = (struct sample_memo){
		.tag = (uint32_t)tag, .is_summed = m->is_summed, .is_fresh = true,
		.event = s->event, .task = task, .has_user_part = space != NULL,
		.check = memo_check(f, t, space),
		.held = memo_stamp(f), .offset = s->offset,
		.is_unwound = f->is_unwound, .by_fp = r->by_fp > 0, .is_guessed = r->is_guessed,
		.end = r->end,
	};
	return m;
}

/* A label is the caller's: it cannot wait. */
static void
count_now(struct feed *f, struct sample_memo *m, const struct profile_sample *s)
{
	m->ids = profile_add(f->profile, s);
	m->is_fresh = false;
	if (m->ids.address != 0)
		locations_vote(f->locations, s->leaf, s->offset, 1);
}

/* The last samples of dying tasks have no tid: equal ones may be of different tasks. */
static bool
is_known(const struct task *t, uint32_t who)
{
	return t->who == who && t->died_ns == 0 && t->tid != -1;
}

bool
memo_remember(struct feed *f, uint64_t tag, const struct profile_sample *s, uint32_t task,
	      const struct space *space)
{
	struct sample_memo *m;

	if (tag == 0 || !knows_labels(f, LABELS_OF_RECORD) ||
	    !is_known(model_task_at(f->model, task), s->who))
		return false;
	m = make_memo(f, &f->memos, tag, s, task, space);
	if (s->label != NULL) {
		count_now(f, m, s);
		return true;
	}
	if (profile_is_far(f->profile))
		profile_prefetch(f->profile, s);
	f->fresh[f->fresh_len++] = (struct fresh_sample){ *s, m };
	if (f->fresh_len == FRESH_MAX)
		flush_fresh(f);
	return true;
}

bool
memo_remember_look(struct feed *f, uint64_t tag, const struct profile_sample *s, uint32_t task,
		   const struct space *space)
{
	if (tag == 0 || !knows_labels(f, LABELS_OF_LOOK) ||
	    !is_known(model_task_at(f->model, task), s->who))
		return false;
	if (f->look_memos.marks == NULL)
		make_memos(&f->look_memos, LOOK_SETS);
	count_now(f, make_memo(f, &f->look_memos, tag, s, task, space), s);
	return true;
}
