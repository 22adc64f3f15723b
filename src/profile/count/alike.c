/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/alike.h"

#include <stdlib.h>

enum {
	WAYS = 4,
	SETS = 64,
	CHAINS = SETS * WAYS,
	REGS_MAX = 6, /* ip, sp, the frame pointer, or what stands for it in a function or two */
	VALUES_MAX = REGS_MAX + UNWIND_READS_MAX,
};

struct chain {
	uint64_t number;
	uint64_t maps, regs;       /* what it is made of */
	uint32_t pid;
	uint16_t reach;            /* bytes of the copy up to the highest word */
	uint8_t reg_count, word_count;
	uint8_t reg_at[REGS_MAX];  /* where registers are among a sample's */
	uint16_t word_at[UNWIND_READS_MAX];
	uint64_t values[VALUES_MAX]; /* of registers, then of words */
};

struct alike {
	struct alike_regs regs;
	uint64_t mask;        /* of samples, and where in them the two are */
	unsigned ip_at, sp_at;
	uint64_t last_number;
	unsigned turn;        /* which of a set gives way next */
	uint64_t keys[CHAINS]; /* set by set; 0: empty */
	struct chain chains[CHAINS];
};

void
alike_free(struct alike *a)
{
	free(a);
}

void
alike_clear(struct alike *a)
{
	if (a != NULL)
		memset(a->keys, 0, sizeof(a->keys));
}

static uint64_t
key_of(const struct alike *a, const struct record_copy *s)
{
	const uint64_t *words = s->regs.words;

	return hash_mix(words[a->ip_at] ^ (uint64_t)s->pid << 32, words[a->sp_at]) | 1;
}

static bool
is_alike(const struct chain *c, const struct record_copy *s)
{
	const uint64_t *value = c->values;
	uint64_t word;

	if (c->pid != s->pid || s->stack.len < c->reach)
		return false;
	for (unsigned i = 0; i < c->reg_count; i++)
		if (s->regs.words[c->reg_at[i]] != *value++)
			return false;
	for (unsigned i = 0; i < c->word_count; i++) {
		memcpy(&word, s->stack.data + c->word_at[i], sizeof(word));
		if (word != *value++)
			return false;
	}
	return true;
}

static size_t
set_of(uint64_t key)
{
	return (key >> 32) % SETS * WAYS;
}

/* CHAINS: there is none. */
static size_t
find(const struct alike *a, const struct record_copy *s, uint64_t key)
{
	const size_t set = set_of(key);

	for (size_t i = set; i < set + WAYS; i++)
		if (a->keys[i] == key && is_alike(&a->chains[i], s))
			return i;
	return CHAINS;
}

static bool
can_tell(const struct record_copy *s)
{
	return s->regs.words != NULL && s->regs.abi == PERF_SAMPLE_REGS_ABI_64;
}

uint64_t
alike_find(const struct alike *a, const struct record_copy *s)
{
	size_t at;

	if (a == NULL || !can_tell(s) || s->regs.mask != a->mask)
		return 0;
	at = find(a, s, key_of(a, s));
	return at < CHAINS ? a->chains[at].number : 0;
}

/* Samples of one event have the same registers, and nearly all are of one. */
static bool
begin(struct alike **a, const struct alike_regs *regs, uint64_t mask)
{
	const uint64_t both = regs->ip | regs->sp;

	if ((mask & both) != both)
		return false;
	if (*a == NULL) {
		*a = mem_calloc(1, sizeof(**a));
		(*a)->regs = *regs;
	}
	if ((*a)->mask == mask)
		return true;
	alike_clear(*a);
	(*a)->mask = mask;
	(*a)->ip_at = bits_below(mask, regs->ip);
	(*a)->sp_at = bits_below(mask, regs->sp);
	return true;
}

/* false: it is made of too many registers. */
static bool
fill(struct chain *c, const struct record_copy *s, uint64_t maps, const struct unwind_reads *reads)
{
	uint64_t *value = c->values;

	if (__builtin_popcountll(reads->regs) > REGS_MAX)
		return false;
	*c = (struct chain){ .maps = maps, .regs = reads->regs, .pid = s->pid,
			     .word_count = (uint8_t)reads->len };
	for (uint64_t left = reads->regs; left != 0; left &= left - 1) {
		unsigned at = bits_below(s->regs.mask, left & -left);

		c->reg_at[c->reg_count++] = (uint8_t)at;
		*value++ = s->regs.words[at];
	}
	for (unsigned i = 0; i < reads->len; i++) {
		c->word_at[i] = reads->at[i];
		c->reach = MAX(c->reach, (uint16_t)(reads->at[i] + sizeof(*value)));
		memcpy(value++, s->stack.data + reads->at[i], sizeof(*value));
	}
	return true;
}

/* Whether what was found tells all that the chain is made of now. */
static bool
is_still(const struct chain *c, uint64_t maps, const struct unwind_reads *reads)
{
	return c->maps == maps && c->regs == reads->regs && c->word_count == reads->len &&
	       memcmp(c->word_at, reads->at, reads->len * sizeof(reads->at[0])) == 0;
}

uint64_t
alike_note(struct alike **alike, const struct alike_regs *regs, const struct record_copy *s,
	   uint64_t maps, const struct unwind_reads *reads)
{
	struct alike *a;
	uint64_t key;
	size_t at;

	if (!can_tell(s) || !begin(alike, regs, s->regs.mask))
		return 0;
	a = *alike;
	key = key_of(a, s);
	at = find(a, s, key);
	if (at < CHAINS && is_still(&a->chains[at], maps, reads))
		return a->chains[at].number;
	if (at == CHAINS)
		at = set_of(key) + a->turn++ % WAYS;
	a->keys[at] = 0;
	if (!fill(&a->chains[at], s, maps, reads))
		return 0;
	a->keys[at] = key;
	return a->chains[at].number = ++a->last_number;
}
