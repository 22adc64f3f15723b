/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The feed of a host: what is put in comes out, in pieces of any size, and lies are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "feed/hostfeed_decode.h"
#include "feed/hostfeed_encode.h"
#include "tests/asserts.h"

static const struct hostfeed_event clock_event = { "cpu-clock", HOSTFEED_COUNTS_TIME };
static const struct hostfeed_hello hello = { HOSTFEED_VERSION, "web1", "1.0", 64 };

static uint32_t
add(struct hostfeed_encoder *e, int tid, const char *comm, const char *symbol, uint64_t samples)
{
	const struct hostfeed_task task = { 7, tid, comm, "prog", "www", "/a" };
	const struct hostfeed_place place = { "libc.so.6", symbol, HOSTFEED_KERNEL, "", "" };

	return hostfeed_add(e, &clock_event, &task, &place, samples, samples * 10);
}

static void
put_second(struct hostfeed_encoder *e, struct buf *out)
{
	const struct hostfeed_second s = { .wall_ns = UINT64_C(1) << 60, .length_ns = NSEC_PER_SEC,
					   .lost = 3 };

	hostfeed_put_second(e, &s, out);
}

/* So late that all of it fits. */
static void
put_late_second(struct hostfeed_encoder *e, struct buf *out)
{
	const struct hostfeed_second s = { .length_ns = HOSTFEED_LATE_MAX * NSEC_PER_SEC };

	hostfeed_put_second(e, &s, out);
}

static uint64_t
sum_of(const struct hostfeed_second *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->row_count; i++)
		sum += s->rows[i].samples;
	return sum;
}

static void
a_second_comes_out_as_it_was_put_in(void **state)
{
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	const struct hostfeed_second *s;
	struct buf out = { 0 };

	(void)state;
	buf_add_str(&out, "Welcome\n");
	hostfeed_put_hello(&out, &hello);
	add(e, 8, "nginx", "memcpy", 40);
	add(e, 9, "nginx", "write", 2);
	put_second(e, &out);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	assert_string_equal(hostfeed_hello(d)->host, "web1");
	assert_int_equal(hostfeed_hello(d)->cpus, 64);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
	s = hostfeed_second(d);
	assert_int_equal(s->wall_ns, UINT64_C(1) << 60);
	assert_int_equal(s->lost, 3);
	assert_int_equal(s->row_count, 2);
	assert_int_equal(s->rows[0].samples, 40);
	assert_int_equal(s->rows[0].period, 400);
	assert_int_equal(s->tasks[s->rows[1].task].tid, 9);
	assert_string_equal(s->tasks[s->rows[1].task].comm, "nginx");
	assert_string_equal(s->tasks[s->rows[1].task].cgroup, "/a");
	assert_string_equal(s->places[s->rows[1].place].symbol, "write");
	assert_int_equal(s->places[s->rows[1].place].flags, HOSTFEED_KERNEL);
	assert_string_equal(s->events[s->rows[0].event].name, "cpu-clock");
	assert_int_equal(hostfeed_next(d, NULL), 0);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

/* What is known is not told again: that is what keeps a feed small. */
static void
names_are_told_once_and_bytes_may_come_in_any_pieces(void **state)
{
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	size_t first, seconds;
	struct buf out = { 0 };
	int kind;

	(void)state;
	add(e, 8, "a name that is long enough to tell", "another one that takes its room", 1);
	put_second(e, &out);
	first = out.len;
	add(e, 8, "a name that is long enough to tell", "another one that takes its room", 1);
	put_second(e, &out);
	assert_that(out.len - first, <, first / 2);
	buf_reset(&out);
	hostfeed_encoder_free(e);
	e = hostfeed_encoder_new();
	hostfeed_put_hello(&out, &hello);
	for (int i = 0; i < 3; i++) {
		add(e, 8 + i, "nginx", "memcpy", 1);
		put_second(e, &out);
	}
	/* One by one, and as the end of a frame and the begin of the next. */
	for (size_t step = 1; step < 64; step += 20) {
		struct hostfeed_decoder *d = hostfeed_decoder_new();

		seconds = 0;
		for (size_t i = 0; i < out.len; i += step) {
			hostfeed_put(d, out.data + i, MIN(step, out.len - i));
			while ((kind = hostfeed_next(d, NULL)) > 0)
				seconds += kind == HOSTFEED_SECOND;
			assert_int_equal(kind, 0);
		}
		assert_int_equal(seconds, 3);
		hostfeed_decoder_free(d);
	}
	buf_release(&out);
	hostfeed_encoder_free(e);
}

/* The rest of a second is one row; when numbers run out they begin anew. */
static void
more_than_there_is_room_for_keeps_its_sums(void **state)
{
	enum { SECONDS = 60, ROWS = 2 * HOSTFEED_ROWS_SENT };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	unsigned anew = 0;
	struct buf out = { 0 };
	char name[32];

	(void)state;
	hostfeed_put_hello(&out, &hello);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	for (unsigned n = 0; n < SECONDS; n++) {
		const struct hostfeed_second *s = hostfeed_second(d);

		for (unsigned i = 0; i < ROWS; i++) {
			snprintf(name, sizeof(name), "%u.%u", n, i);
			add(e, (int)i, name, name, 1);
		}
		buf_reset(&out);
		put_late_second(e, &out);
		hostfeed_put(d, out.data, out.len);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		assert_int_equal(s->row_count, HOSTFEED_ROWS_SENT + 1);
		assert_int_equal(s->left_out, ROWS - HOSTFEED_ROWS_SENT);
		assert_int_equal(sum_of(s), ROWS);
		assert_string_equal(s->places[s->rows[HOSTFEED_ROWS_SENT].place].symbol, "[other]");
		snprintf(name, sizeof(name), "%u.1", n);
		assert_string_equal(s->tasks[s->rows[1].task].comm, name);
		anew += s->is_anew;
		assert_int_equal(hostfeed_next(d, NULL), 0);
	}
	assert_that(anew, >, 0);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

/* As "main;qsort", innermost last, "": nobody. */
static void
put_callers(struct buf *b, const struct hostfeed_second *s, uint32_t callers)
{
	if (callers == 0)
		return;
	put_callers(b, s, s->nodes[callers - 1].parent);
	buf_addf(b, "%s;", s->places[s->nodes[callers - 1].place].symbol);
}

static void
assert_callers(const struct hostfeed_second *s, size_t stack, const char *want)
{
	struct buf b = { 0 };

	put_callers(&b, s, s->stacks[stack].callers);
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

/* Those who called are told along with a row, which keeps what is not known. */
static void
stacks_are_parts_of_rows(void **state)
{
	static const struct hostfeed_place places[] = {
		{ "prog", "main", 0, "", "" }, { "libc.so.6", "qsort", 0, "", "" },
		{ "prog", "compare", 0, "", "" } };
	static const struct hostfeed_node path[] = { { 0, 0, 1 }, { 1, 1, 2 }, { 2, 2, 3 },
						     { 3, 2, HOSTFEED_DEPTH_MAX + 1 } };
	static const struct hostfeed_callers callers = { places, path, ARRAY_SIZE(places),
							 ARRAY_SIZE(path) };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	const struct hostfeed_second *s = hostfeed_second(d);
	struct buf out = { 0 };
	uint32_t row, other;

	(void)state;
	hostfeed_put_hello(&out, &hello);
	for (int n = 0; n < 2; n++) {
		row = add(e, 8, "nginx", "memcpy", 40);
		other = add(e, 8, "nginx", "memset", 2);
		hostfeed_set_callers(e, &callers);
		hostfeed_add_stack(e, row, 3, 20, 150);
		hostfeed_add_stack(e, row, 2, 12, 120);
		hostfeed_add_stack(e, other, 0, 2, 20);
		/* More than is left, samples or period; a row that is none; too deep. */
		hostfeed_add_stack(e, row, 1, 9, 1);
		hostfeed_add_stack(e, row, 1, 1, 131);
		hostfeed_add_stack(e, other, 1, 1, 1);
		hostfeed_add_stack(e, 99, 1, 1, 1);
		hostfeed_add_stack(e, row, 4, 1, 10);
		put_second(e, &out);
	}
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	for (int n = 0; n < 2; n++) {
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		assert_int_equal(s->row_count, 2);
		assert_int_equal(s->stack_count, 3);
		assert_int_equal(s->node_count, 3); /* paths share their begin */
		assert_callers(s, 0, "main;qsort;compare;");
		assert_callers(s, 1, "main;qsort;");
		assert_callers(s, 2, "");
		assert_int_equal(s->stacks[0].samples, 20);
		assert_int_equal(s->rows[s->stacks[0].row].samples, 8);
		assert_int_equal(s->rows[s->stacks[0].row].period, 130);
		assert_int_equal(s->rows[s->stacks[2].row].samples, 0);
	}
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

static void
put_random(char *text, size_t len, unsigned *seed)
{
	for (size_t at = 0; at < len; at++)
		text[at] = (char)(1 + rand_r(seed) / 16 % 255);
	text[len] = '\0';
}

/* Names that do not pack, all in one second: they are told in some, the heaviest first. */
static void
a_feed_has_a_bound_and_what_does_not_fit_comes_later(void **state)
{
	enum { SECONDS = 20, ROWS = HOSTFEED_ROWS_SENT, NAME = 40 };
	static char names[ROWS][NAME + 1];
	static struct hostfeed_place places[ROWS + 1];
	static struct hostfeed_node nodes[ROWS + 1];
	const struct hostfeed_callers callers = { places, nodes, ROWS + 1, ROWS + 1 };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	const struct hostfeed_second *s = hostfeed_second(d);
	size_t told = 0;
	unsigned seed = 1;
	struct buf out = { 0 };

	(void)state;
	places[ROWS] = (struct hostfeed_place){ "prog", "main", 0, "", "" };
	nodes[0] = (struct hostfeed_node){ 0, ROWS, 1 };
	for (int i = 0; i < ROWS; i++) {
		put_random(names[i], NAME, &seed);
		places[i] = (struct hostfeed_place){ "prog", names[i], 0, names[i], "run as root" };
		nodes[1 + i] = (struct hostfeed_node){ 1, (uint32_t)i, 2 };
	}
	hostfeed_put_hello(&out, &hello);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	for (int n = 0; n < SECONDS; n++) {
		hostfeed_set_callers(e, &callers);
		for (int i = 0; i < ROWS; i++) {
			uint32_t row = add(e, i, "nginx", names[i], (uint64_t)(ROWS - i));

			hostfeed_add_stack(e, row, 2 + (uint32_t)((i + n) % ROWS), 1, 10);
		}
		buf_reset(&out);
		put_second(e, &out);
		assert_that(out.len, <=, HOSTFEED_RATE_MAX);
		hostfeed_put(d, out.data, out.len);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		assert_int_equal(hostfeed_next(d, NULL), 0);
		assert_int_equal(sum_of(s) + s->stack_count, (uint64_t)ROWS * (ROWS + 1) / 2);
		assert_int_equal(s->left_out, ROWS - (s->row_count - (s->left_out > 0)));
		assert_that(s->row_count, >=, told);
		assert_that(s->row_count, >, 100);
		assert_string_equal(s->places[s->rows[0].place].symbol, names[0]);
		assert_that(s->rows[99].samples, >=, ROWS - 100);
		if (n == 0)
			assert_that(s->left_out, >, ROWS / 4);
		told = s->row_count;
	}
	assert_int_equal(s->left_out, 0);
	assert_that(s->stack_count, >, 100);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

/* Not even one row for each event: what is left then is in the next second. */
static void
sums_of_events_that_do_not_fit_are_not_lost(void **state)
{
	enum { NAME = 400 };
	const struct hostfeed_task task = { 7, 7, "nginx", "prog", "www", "/a" };
	const struct hostfeed_place place = { "libc.so.6", "write", 0, "", "" };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	uint64_t sum = 0;
	unsigned seed = 1;
	struct buf out = { 0 };
	int seconds = 0;

	(void)state;
	hostfeed_put_hello(&out, &hello);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	for (int i = 0; i < HOSTFEED_EVENTS_MAX; i++) {
		char name[NAME + 1];

		put_random(name, NAME, &seed);
		hostfeed_add(e, &(struct hostfeed_event){ .name = name }, &task, &place, 1, 1);
	}
	for (; sum < HOSTFEED_EVENTS_MAX && seconds < 20; seconds++) {
		buf_reset(&out);
		put_second(e, &out);
		assert_that(out.len, <=, HOSTFEED_RATE_MAX);
		hostfeed_put(d, out.data, out.len);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		sum += sum_of(hostfeed_second(d));
		assert_int_equal(hostfeed_next(d, NULL), 0);
	}
	assert_int_equal(sum, HOSTFEED_EVENTS_MAX);
	assert_that(seconds, >, 2);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

/* What cannot be made shorter is sent as it is, and is not too long for that. */
static void
a_second_of_long_names_that_do_not_pack_is_read(void **state)
{
	enum { NAME = 500 };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	struct buf out = { 0 };
	unsigned seed = 1;

	(void)state;
	hostfeed_put_hello(&out, &hello);
	for (int i = 0; i < HOSTFEED_ROWS_SENT; i++) {
		char symbol[NAME + 1];

		put_random(symbol, NAME, &seed);
		add(e, i, "nginx", symbol, 1);
	}
	put_late_second(e, &out);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
	assert_int_equal(sum_of(hostfeed_second(d)), HOSTFEED_ROWS_SENT);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

static void
as_many_events_as_there_is_room_for_are_told(void **state)
{
	const struct hostfeed_task task = { 7, 7, "nginx", "prog", "www", "/a" };
	const struct hostfeed_place place = { "libc.so.6", "write", 0, "", "" };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	struct buf out = { 0 };

	(void)state;
	hostfeed_put_hello(&out, &hello);
	for (int i = 0; i < HOSTFEED_EVENTS_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), "syscalls:number_%d", i);
		hostfeed_add(e, &(struct hostfeed_event){ .name = name }, &task, &place, 1, 1);
	}
	put_second(e, &out);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
	assert_int_equal(sum_of(hostfeed_second(d)), HOSTFEED_EVENTS_MAX);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

static void
a_feed_that_begins_for_ever_takes_no_memory(void **state)
{
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	struct buf out = { 0 };
	size_t head, before;

	(void)state;
	hostfeed_put_hello(&out, &hello);
	head = HOSTFEED_MAGIC_LEN + sizeof(uint32_t); /* that comes once */
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	before = hostfeed_decoder_bytes(d);
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(hostfeed_next(d, NULL), 0);
		hostfeed_put(d, out.data + head, out.len - head);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	}
	assert_string_equal(hostfeed_hello(d)->host, "web1");
	assert_int_equal(hostfeed_decoder_bytes(d), before);
	buf_release(&out);
	hostfeed_decoder_free(d);
}

/* In place of one, behind what a login says. */
static void
a_host_without_ptop_asks_for_one(void **state)
{
	static const char text[] = "Welcome\n" HOSTFEED_WANTED "\n";
	struct hostfeed_decoder *d = hostfeed_decoder_new();

	(void)state;
	hostfeed_put(d, text, 12);
	assert_int_equal(hostfeed_next(d, NULL), 0);
	hostfeed_put(d, text + 12, sizeof(text) - 1 - 12);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_WANTS_PTOP);
	assert_int_equal(hostfeed_next(d, NULL), 0);
	hostfeed_decoder_free(d);
}

static void
another_version_is_told_and_nothing_more(void **state)
{
	const struct hostfeed_hello other = { HOSTFEED_VERSION + 1, "web1", "2.0", 1 };
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	struct buf out = { 0 };

	(void)state;
	hostfeed_put_hello(&out, &other);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	assert_int_equal(hostfeed_hello(d)->version, HOSTFEED_VERSION + 1);
	assert_string_equal(hostfeed_hello(d)->ptop, "");
	assert_int_equal(hostfeed_next(d, NULL), 0);
	buf_release(&out);
	hostfeed_decoder_free(d);
}

/* Puts the bytes behind a good beginning.  What comes of them. */
static int
take(const void *bytes, size_t len, struct err *err)
{
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	struct buf out = { 0 };
	int res;

	hostfeed_put_hello(&out, &hello);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	hostfeed_put(d, bytes, len);
	res = hostfeed_next(d, err);
	if (res < 0)
		assert_int_equal(hostfeed_next(d, err), 0);
	buf_release(&out);
	hostfeed_decoder_free(d);
	return res;
}

/* As it is sent, not packed. */
static void
add_frame(struct buf *b, char kind, const void *raw, size_t len)
{
	buf_add(b, (char[]){ kind, 0, 0, 0, (char)len, 0, 0, 0, (char)len, 0, 0, 0 }, HOSTFEED_HEAD_LEN);
	buf_add(b, raw, len);
}

static int
take_frame(char kind, const void *raw, size_t len, struct err *err)
{
	struct buf b = { 0 };
	int res;

	add_frame(&b, kind, raw, len);
	res = take(b.data, b.len, err);
	buf_release(&b);
	return res;
}

#define FRAME(kind, raw) take_frame((kind), (raw), sizeof(raw) - 1, &err)

static void
lies_are_refused(void **state)
{
	/* anew, wall, length, lost; names, events, tasks, places, rows */
	static const char good[] = "\0\1\1\0" "\1\1x" "\1\1\0" "\1\1\1\1\1\1\1" "\1\1\1\0" "\1\0\0\0\1\1";
	struct err err = { 0 };

	(void)state;
	assert_int_equal(FRAME(HOSTFEED_SECOND, good), HOSTFEED_SECOND);
	/* of a kind that is not known, which is not unpacked either */
	assert_int_equal(FRAME(99, good), 0);
	assert_int_equal(take("\x63\1\0\0\4\0\0\0\4\0\0\0abcd", HOSTFEED_HEAD_LEN + 4, &err), 0);
	/* a name with a NUL, of more bytes than there are, that was not told */
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\1\1\0" "\0\0\0\0"), -1);
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\1\x7fx" "\0\0\0\0"), -1);
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\0" "\1\1\0" "\0\0\0"), -1);
	/* more names than bytes, more than there may be */
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\xff\xff\xff\xff\x0f" "\0\0\0\0"), -1);
	/* a row of nothing, of a task that was not told, of more than can be */
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\0\0\0\0" "\1\0\0\0\1\1"), -1);
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\1\1x" "\1\1\0" "\1\1\1\1\1\1\1"
			       "\1\1\1\0" "\1\0\1\0\1\1"), -1);
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\1\1x" "\1\1\0" "\1\1\1\1\1\1\1" "\1\1\1\0"
			       "\1\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -1);
	/* more CPUs than any machine has */
	assert_int_equal(FRAME(HOSTFEED_HELLO, "\1h\1p\x04"), HOSTFEED_HELLO);
	assert_int_equal(FRAME(HOSTFEED_HELLO, "\1h\1p\xff\xff\x7f"), -1);
	/* bytes behind it, a number without an end */
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\0\1\1\0" "\0\0\0\0\0" "x"), -1);
	assert_int_equal(FRAME(HOSTFEED_SECOND, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), -1);
	/* too long, packed and unpacked, and what cannot be unpacked */
	assert_int_equal(take("\2\0\0\0\xff\xff\xff\xff\1\0\0\0", HOSTFEED_HEAD_LEN, &err), -1);
	assert_int_equal(take("\2\1\0\0\1\0\0\0\xff\xff\xff\xff", HOSTFEED_HEAD_LEN, &err), -1);
	assert_int_equal(take("\2\1\0\0\4\0\0\0\4\0\0\0abcd", HOSTFEED_HEAD_LEN + 4, &err), -1);
	assert_int_equal(err.code, ERR_FORMAT);
}

/* Two frames: stacks, and a second with one row of two samples. */
static int
take_stacks(const char *stacks, size_t len)
{
	static const char second[] = "\0\1\1\0" "\1\1x" "\1\1\0" "\1\1\1\1\1\1\1" "\1\1\1\0"
				     "\1\0\0\0\2\5";
	struct err err = { 0 };
	struct buf b = { 0 };
	int res;

	add_frame(&b, HOSTFEED_STACKS, stacks, len);
	add_frame(&b, HOSTFEED_SECOND, second, sizeof(second) - 1);
	res = take(b.data, b.len, &err);
	buf_release(&b);
	return res;
}

#define STACKS(raw) take_stacks((raw), sizeof(raw) - 1)

static void
stacks_that_lie_are_refused(void **state)
{
	(void)state;
	/* nodes: parent, place; stacks: row, callers, samples, period */
	assert_int_equal(STACKS("\2" "\0\0" "\1\0" "\2" "\0\2\1\3" "\0\0\1\2"), HOSTFEED_SECOND);
	/* a parent that comes later, a place, a row, a node that there is not */
	assert_int_equal(STACKS("\1" "\1\0" "\0"), -1);
	assert_int_equal(STACKS("\1" "\0\1" "\0"), -1);
	assert_int_equal(STACKS("\0" "\1" "\1\0\1\1"), -1);
	assert_int_equal(STACKS("\0" "\1" "\0\1\1\1"), -1);
	/* more than the row has, nothing of it, all samples but not all of their period */
	assert_int_equal(STACKS("\0" "\1" "\0\0\3\1"), -1);
	assert_int_equal(STACKS("\0" "\1" "\0\0\1\6"), -1);
	assert_int_equal(STACKS("\0" "\1" "\0\0\0\0"), -1);
	assert_int_equal(STACKS("\0" "\1" "\0\0\2\4"), -1);
	/* bytes behind them, and too few */
	assert_int_equal(STACKS("\0\0x"), -1);
	assert_int_equal(STACKS("\0" "\1" "\0\0\1"), -1);
}

static void
limits_are_told_with_the_second_from_which_on_they_are(void **state)
{
	static const struct hostfeed_limit limits[] = { { "only your own processes", "run as root" },
							{ "no kernel", "" } };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	const struct hostfeed_second *s = hostfeed_second(d);
	struct buf out = { 0 };

	(void)state;
	hostfeed_put_hello(&out, &hello);
	hostfeed_put_limits(&out, limits, ARRAY_SIZE(limits));
	put_second(e, &out);
	put_second(e, &out);
	hostfeed_put_limits(&out, NULL, 0);
	put_second(e, &out);
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
	assert_int_equal(s->limit_count, 2);
	assert_string_equal(s->limits[0].text, limits[0].text);
	assert_string_equal(s->limits[0].remedy, limits[0].remedy);
	assert_string_equal(s->limits[1].text, limits[1].text);
	assert_string_equal(s->limits[1].remedy, "");
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
	assert_null(s->limits);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
	assert_non_null(s->limits);
	assert_int_equal(s->limit_count, 0);
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

/* Where each may be megabytes, unpacked, many before one second would hold up all other hosts. */
static void
what_goes_before_a_second_comes_once(void **state)
{
	static const struct {
		char kind;
		const char *raw;
		size_t len;
	} rows[] = { { HOSTFEED_STACKS, "\0\0", 2 }, { HOSTFEED_LEFT_OUT, "\5", 1 },
		     { HOSTFEED_LIMITS, "\1\1a\0", 4 }, { HOSTFEED_LACKS, "\0", 1 } };
	static const char second[] = { HOSTFEED_SECOND, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0,
				       0, 1, 1, 0, 0, 0, 0, 0, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char len = (char)rows[i].len;
		const char head[] = { rows[i].kind, 0, 0, 0, len, 0, 0, 0, len, 0, 0, 0 };
		struct hostfeed_decoder *d = hostfeed_decoder_new();
		struct buf out = { 0 };

		hostfeed_put_hello(&out, &hello);
		for (int n = 0; n < 2; n++) {
			buf_add(&out, head, sizeof(head));
			buf_add(&out, rows[i].raw, rows[i].len);
			buf_add(&out, second, sizeof(second));
		}
		for (int n = 0; n < 2; n++) {
			buf_add(&out, head, sizeof(head));
			buf_add(&out, rows[i].raw, rows[i].len);
		}
		hostfeed_put(d, out.data, out.len);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		assert_int_equal(hostfeed_next(d, NULL), -1);
		buf_release(&out);
		hostfeed_decoder_free(d);
	}
}

/* Once, with the second that tells the place; the same code with another reason is another place. */
static void
why_a_place_has_no_name_comes_with_it(void **state)
{
	static const struct hostfeed_place places[] = {
		{ "prog", "prog+0x10", HOSTFEED_UNNAMED, "stripped", "apt install prog-dbgsym" },
		{ "prog", "prog+0x10", HOSTFEED_UNNAMED, "its symbols are being read", "" },
		{ "prog", "prog+0x20", HOSTFEED_UNNAMED, "", "" },
	};
	static const struct hostfeed_task task = { 7, 7, "prog", "prog", "www", "" };
	struct hostfeed_encoder *e = hostfeed_encoder_new();
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	const struct hostfeed_second *s = hostfeed_second(d);
	struct buf out = { 0 };

	(void)state;
	hostfeed_put_hello(&out, &hello);
	for (int n = 0; n < 2; n++) {
		const size_t begin = out.len;

		for (size_t i = 0; i < ARRAY_SIZE(places); i++)
			hostfeed_add(e, &clock_event, &task, &places[i], 1, 1);
		put_second(e, &out);
		assert_int_equal(out.data[begin], n == 0 ? HOSTFEED_LACKS : HOSTFEED_SECOND);
	}
	hostfeed_put(d, out.data, out.len);
	assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_HELLO);
	for (int n = 0; n < 2; n++) {
		assert_int_equal(hostfeed_next(d, NULL), HOSTFEED_SECOND);
		assert_int_equal(s->place_count, ARRAY_SIZE(places));
		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			const struct hostfeed_place *p = &s->places[s->rows[i].place];

			assert_string_equal(p->symbol, places[i].symbol);
			assert_string_equal(p->reason, places[i].reason);
			assert_string_equal(p->remedy, places[i].remedy);
		}
	}
	buf_release(&out);
	hostfeed_encoder_free(e);
	hostfeed_decoder_free(d);
}

/* Behind a second with one place and one name. */
static void
lacks_that_lie_are_refused(void **state)
{
	static const char second[] = "\0\1\1\0" "\1\1x" "\0" "\0" "\1\1\1\2" "\0";
	static const struct {
		const char *raw;
		size_t len;
		int res;
	} rows[] = {
		{ "\1" "\0\1\0", 4, HOSTFEED_SECOND },
		/* a place, a name that there is not; too few bytes, and more */
		{ "\1" "\1\1\0", 4, -1 }, { "\1" "\0\2\0", 4, -1 }, { "\1" "\0\1\2", 4, -1 },
		{ "\2" "\0\1\0", 4, -1 }, { "\1" "\0\1\0x", 5, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf b = { 0 };

		add_frame(&b, HOSTFEED_LACKS, rows[i].raw, rows[i].len);
		add_frame(&b, HOSTFEED_SECOND, second, sizeof(second) - 1);
		assert_int_equal(take(b.data, b.len, NULL), rows[i].res);
		buf_release(&b);
	}
}

static void
what_is_no_feed_is_not_looked_at_for_ever(void **state)
{
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	char noise[4096];
	int res = 0, parts = 0;

	(void)state;
	memset(noise, 'x', sizeof(noise));
	for (; res == 0 && parts < 100; parts++) {
		hostfeed_put(d, noise, sizeof(noise));
		res = hostfeed_next(d, NULL);
	}
	assert_int_equal(res, -1);
	assert_that(parts, <, 20);
	hostfeed_decoder_free(d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_comes_out_as_it_was_put_in),
		cmocka_unit_test(names_are_told_once_and_bytes_may_come_in_any_pieces),
		cmocka_unit_test(more_than_there_is_room_for_keeps_its_sums),
		cmocka_unit_test(stacks_are_parts_of_rows),
		cmocka_unit_test(a_feed_has_a_bound_and_what_does_not_fit_comes_later),
		cmocka_unit_test(sums_of_events_that_do_not_fit_are_not_lost),
		cmocka_unit_test(a_second_of_long_names_that_do_not_pack_is_read),
		cmocka_unit_test(as_many_events_as_there_is_room_for_are_told),
		cmocka_unit_test(a_feed_that_begins_for_ever_takes_no_memory),
		cmocka_unit_test(a_host_without_ptop_asks_for_one),
		cmocka_unit_test(another_version_is_told_and_nothing_more),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(stacks_that_lie_are_refused),
		cmocka_unit_test(limits_are_told_with_the_second_from_which_on_they_are),
		cmocka_unit_test(what_goes_before_a_second_comes_once),
		cmocka_unit_test(why_a_place_has_no_name_comes_with_it),
		cmocka_unit_test(lacks_that_lie_are_refused),
		cmocka_unit_test(what_is_no_feed_is_not_looked_at_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
