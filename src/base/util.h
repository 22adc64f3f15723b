/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_UTIL_H
#define PTOP_BASE_UTIL_H
/*
 * The few words that every file uses, and memory that is there or ends the program.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN __attribute__((noreturn))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Binary search: @at becomes the first index below @len for which @holds, an expression of @at that
 * is false for those before and true for those behind; @len: for none.
 */
#define FIND_FIRST(at, len, holds)                           \
	do {                                                 \
		size_t from_ = 0, to_ = (len);               \
		while (from_ < to_) {                        \
			(at) = from_ + (to_ - from_) / 2;    \
			if (holds)                           \
				to_ = (at);                  \
			else                                 \
				from_ = (at) + 1;            \
		}                                            \
		(at) = from_;                                \
	} while (0)

#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_MSEC UINT64_C(1000000)

/* Zeroed memory or the end of the program.  Free with free(). */
void *mem_calloc(size_t n, size_t size);

/*
 * Zeroed memory outside of the heap, whose pages come when they are touched: for what is large, and may
 * never be used in most of its length.  Never NULL.  Free with mem_pages_free().
 */
void *mem_pages_new(size_t len);
void mem_pages_free(void *at, size_t len);

void *mem_realloc(void *ptr, size_t n, size_t size); /* new bytes are not cleared */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len);

/* What vec_reserve() does when there is not room enough. */
void vec_grow(void *items, size_t *cap, size_t need, size_t size);
void vec_grow_zeroed(void *items, size_t *cap, size_t need, size_t size); /* the same, zeroed */

/*
 * Makes room for @need items of @size bytes in *@items, at least doubling, from 1 MiB on a quarter
 * more: for arrays that grow by appending.  New bytes are not cleared.
 */
static inline void
vec_reserve(void *items, size_t *cap, size_t need, size_t size)
{
	if (need > *cap)
		vec_grow(items, cap, need, size);
}

/*
 * One more item at the end of such an array, for its value: VEC_ADD(v->items, v->len, v->cap) = x;
 * what is given is named several times, so x must neither tell nor change the length.
 */
#define VEC_ADD(items, len, cap) \
	(*(vec_reserve(&(items), &(cap), (len) + 1, sizeof(*(items))), &(items)[(len)++]))

/* As vec_reserve(), for arrays that are looked up by number: new bytes are zero. */
static inline void
vec_reserve_zeroed(void *items, size_t *cap, size_t need, size_t size)
{
	if (need > *cap)
		vec_grow_zeroed(items, cap, need, size);
}

int compare_u64(const void *a, const void *b); /* for qsort(): uint64_t, rising */

/*
 * Says why on standard error, in up to a thousand bytes, and exits with status 1, after the hook has put
 * the terminal back.  Any thread: of several that call it at once one is heard.
 */
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN;

/* What die() calls first, or a handler of signals.  NULL for nothing. */
void die_set_hook(void (*hook)(void));
void die_run_hook(void);

size_t page_size(void);

/* How many bits of @mask are below @bit: where its word is, if each bit of @mask has one. */
static inline unsigned
bits_below(uint64_t mask, uint64_t bit)
{
	return (unsigned)__builtin_popcountll(mask & (bit - 1));
}

/* A 64-bit hash of two words; good low and high bits. */
static inline uint64_t
hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)(a ^ UINT64_C(0x9e3779b97f4a7c15)) *
			      (b ^ UINT64_C(0xe7037ed1a0b428db));

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* 16 bytes into @h: a multiplication for two words, which is what takes the time. */
static inline uint64_t
hash_words(uint64_t h, const uint8_t *p)
{
	uint64_t word, next;

	memcpy(&word, p, 8);
	memcpy(&next, p + 8, 8);
	return hash_mix(h ^ word, next + (h << 32 | h >> 32));
}

/*
 * The words at these offsets of @p, two to a multiplication, none of which waits for another.
 * Hashes of several parts of the same bytes are put together by ^.
 */
static inline uint64_t
hash_words_between(const uint8_t *p, size_t from, size_t to)
{
	uint64_t h = 0, word, next;
	size_t at;

	for (at = from; at + 16 <= to; at += 16) {
		memcpy(&word, p + at, 8);
		memcpy(&next, p + at + 8, 8);
		h ^= hash_mix(word + at, next);
	}
	if (at < to) {
		memcpy(&word, p + at, 8);
		h ^= hash_mix(word, at);
	}
	return h;
}

/* A hash of @len bytes. */
static inline uint64_t
hash_bytes(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = len, other = UINT64_C(0x8ebc6af09c88c6e3), word;

	/* Two at a time: neither waits for the other's multiplication. */
	for (; len >= 32; p += 32, len -= 32) {
		h = hash_words(h, p);
		other = hash_words(other, p + 16);
	}
	if (len >= 16) {
		h = hash_words(h, p);
		p += 16;
		len -= 16;
	}
	if (len >= 8) {
		memcpy(&word, p, 8);
		other = hash_mix(other, word);
		p += 8;
		len -= 8;
	}
	if (len > 0) {
		word = 0;
		memcpy(&word, p, len);
		h = hash_mix(h, word);
	}
	return hash_mix(h, other);
}

#endif
