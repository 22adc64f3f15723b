/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/image/symbol_rec.h"
#include "symbol/image/image_build.h"

#include <string.h>
#include <sys/mman.h>

enum {
	FIRST_CAP = 2048,
	SMALL = 24, /* few enough to insert one by one */
};

void
symbol_recs_add(struct symbol_recs *recs, const struct symbol_rec *r)
{
	size_t cap = recs->cap == 0 ? FIRST_CAP : recs->cap * 2;
	void *mem;

	if (recs->len == recs->cap) {
		/* Doubling costs nothing: pages not written to are not there. */
		if (recs->cap == 0)
			mem = mmap(NULL, cap * sizeof(*r), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		else
			mem = mremap(recs->items, recs->cap * sizeof(*r), cap * sizeof(*r),
				     MREMAP_MAYMOVE);
		if (mem == MAP_FAILED)
			die("out of memory (%zu symbols)", cap);
		recs->items = mem;
		recs->cap = cap;
	}
	if (recs->len > 0 && r->addr < recs->items[recs->len - 1].addr)
		recs->unsorted = true;
	recs->items[recs->len++] = *r;
}

void
symbol_recs_release(struct symbol_recs *recs)
{
	if (recs->items != NULL)
		munmap(recs->items, recs->cap * sizeof(*recs->items));
	*recs = (struct symbol_recs){ 0 };
}

static void
insertion_sort(struct symbol_rec *r, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct symbol_rec x = r[i];

		for (j = i; j > 0 && r[j - 1].addr > x.addr; j--)
			r[j] = r[j - 1];
		r[j] = x;
	}
}

/*
 * By a byte at a time from the highest down, in place (American flag sort), and no input makes it
 * slow or deep, unlike quicksort; qsort() would take as much memory again.
 */
static void
radix_sort(struct symbol_rec *r, size_t n, int shift)
{
	size_t next[256], end[256], sum = 0;

	if (n <= SMALL || shift < 0) {
		insertion_sort(r, n);
		return;
	}
	memset(end, 0, sizeof(end));
	for (size_t i = 0; i < n; i++)
		end[r[i].addr >> shift & 0xff]++;
	for (size_t b = 0; b < 256; b++) {
		next[b] = sum;
		sum += end[b];
		end[b] = sum;
	}
	for (size_t b = 0; b < 256; b++) {
		while (next[b] < end[b]) {
			size_t home = r[next[b]].addr >> shift & 0xff;
			struct symbol_rec x = r[next[b]];

			if (home == b) {
				next[b]++;
				continue;
			}
			r[next[b]] = r[next[home]];
			r[next[home]++] = x;
		}
	}
	for (size_t b = 0, from = 0; b < 256; from = end[b++])
		radix_sort(r + from, end[b] - from, shift - 8);
}

void
symbol_recs_sort(struct symbol_recs *recs)
{
	uint64_t differ = 0;
	size_t i;

	if (!recs->unsorted)
		return;
	for (i = 1; i < recs->len; i++)
		differ |= recs->items[i].addr ^ recs->items[0].addr;
	if (differ != 0)
		radix_sort(recs->items, recs->len, (63 - __builtin_clzll(differ)) & ~7);
	recs->unsorted = false;
}

uint8_t
symbol_underscores(const char *name, size_t len)
{
	size_t n = 0;

	if (len > 2 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		return 0;
	while (n < len && n < UINT8_MAX && name[n] == '_')
		n++;
	return (uint8_t)n;
}

/* What names most goes before all else. */
static unsigned
rank(const struct symbol_rec *r)
{
	return r->binding == SYMBOL_REC_ENTRY ? 0 : r->binding == IMAGE_SECTION ? 1 : 2;
}

bool
symbol_rec_is_around(const struct symbol_rec *r)
{
	return rank(r) < 2;
}

/*
 * perf's choose_best_symbol(): with a size, not weak, global, fewer underscores, longer.  perf
 * gives symbols without a size theirs before it chooses, and then only the last of one address
 * gets any: so of those without, the last one added wins.
 */
bool
symbol_rec_is_better(const struct symbol_rec *a, const struct symbol_rec *b)
{
	if (rank(a) != rank(b))
		return rank(a) > rank(b);
	if ((a->size != 0) != (b->size != 0))
		return a->size != 0;
	if (a->size == 0)
		return a->name > b->name;
	if ((a->binding == IMAGE_WEAK) != (b->binding == IMAGE_WEAK))
		return b->binding == IMAGE_WEAK;
	if (a->binding != b->binding)
		return a->binding == IMAGE_GLOBAL;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores;
	if (a->name_len != b->name_len)
		return a->name_len > b->name_len;
	return a->name < b->name;
}
