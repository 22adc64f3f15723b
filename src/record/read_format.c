/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/types.h"

enum {
	FORMAT_TIMES = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	FORMAT_EACH = PERF_FORMAT_ID | ABI_FORMAT_LOST,
	FORMAT_KNOWN = FORMAT_TIMES | FORMAT_EACH | PERF_FORMAT_GROUP,
};

static uint64_t
count_bits(uint64_t format, uint64_t of)
{
	return (uint64_t)__builtin_popcountll(format & of);
}

struct bytes
record_read_words(uint64_t read_format, struct reader *r)
{
	uint64_t each = 1 + count_bits(read_format, FORMAT_EACH), n = 1;
	uint64_t head = count_bits(read_format, FORMAT_TIMES);
	struct reader ahead = *r;
	const uint64_t *words;

	/* A bit that is not known may stand for a word. */
	if (read_format & ~(uint64_t)FORMAT_KNOWN) {
		reader_fail(r);
		return (struct bytes){ 0 };
	}
	if (read_format & PERF_FORMAT_GROUP) {
		head++;
		n = reader_u64(&ahead);
		if (n > reader_left(r) / 8 / each)
			n = reader_left(r); /* more words than there are */
	}
	words = record_words(r, head + n * each, 1);
	return (struct bytes){ (const void *)words, words != NULL ? (head + n * each) * 8 : 0 };
}

/* A word of the format, if it is carried. */
static uint64_t
take(struct record_values *v, uint64_t bit)
{
	return v->format & bit ? reader_u64(&v->r) : 0;
}

struct record_values
record_read_begin(uint64_t read_format, struct bytes read)
{
	struct record_values v = { .format = read_format, .len = read.len };

	if (read.len == 0)
		return v;
	v.r = reader_over(read);
	if (read_format & PERF_FORMAT_GROUP)
		v.left = reader_u64(&v.r);
	else
		v.value = reader_u64(&v.r), v.left = 1;
	v.time_enabled = take(&v, PERF_FORMAT_TOTAL_TIME_ENABLED);
	v.time_running = take(&v, PERF_FORMAT_TOTAL_TIME_RUNNING);
	return v;
}

bool
record_read_next(struct record_values *v)
{
	if (v->left == 0)
		return false;
	v->left--;
	/* One alone has its value before the times, a group all of each member behind them. */
	if (v->format & PERF_FORMAT_GROUP) {
		v->value_at = v->len - reader_left(&v->r);
		v->value = reader_u64(&v->r);
	}
	v->id = take(v, PERF_FORMAT_ID);
	v->lost = take(v, ABI_FORMAT_LOST);
	if (v->r.failed)
		v->left = 0;
	return !v->r.failed;
}
