/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/skip.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/index.h"
#include "base/num.h"
#include "base/own_file.h"
#include "base/own_folder.h"
#include "base/pages.h"
#include "base/process.h"
#include "base/queue.h"
#include "base/strs.h"
#include "base/text.h"
#include "base/whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"
#include "tests/run.h"

static void
an_error_carries_code_errno_and_sentence(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err_set(&err, ERR_DENIED, EACCES, "cannot open event '%s'", "cycles"), -1);
	assert_int_equal(err.code, ERR_DENIED);
	assert_int_equal(err.sys, EACCES);
	assert_string_equal(err.text, "cannot open event 'cycles': Permission denied");
	assert_int_equal(err_wrap(&err, "cpu %d", 3), -1);
	assert_string_equal(err.text, "cpu 3: cannot open event 'cycles': Permission denied");
	assert_int_equal(err_hint(&err, "try %s", "sudo"), -1);
	assert_string_equal(err.hint, "try sudo");
	assert_int_equal(err_status(&err), 1);
	err_set(&err, ERR_USAGE, 0, "unknown option");
	assert_string_equal(err.hint, "");
	assert_int_equal(err_status(&err), 2);
	assert_int_equal(err_set(NULL, ERR_IO, 0, "nobody listens"), -1);
	assert_int_equal(err_wrap(NULL, "nobody"), -1);
	assert_int_equal(err_hint(NULL, "nobody"), -1);
}

static void
a_command_names_the_file_that_runs(void **state)
{
	static const struct {
		const char *target, *name; /* NULL: a word for the shell */
	} cases[] = {
		{ "/opt/ptop", "'/opt/ptop'" },
		{ "/home/a b/$(x)/ptop", "'/home/a b/$(x)/ptop'" },
		{ "/it's/ptop", "'/it'\\''s/ptop'" },
		{ "/ldap/ptop", "'/ldap/ptop'" },
		{ "/opt/ptop (deleted)", NULL },
		{ "(unreachable)/ptop", NULL },
		{ "/two\nlines/ptop", NULL },
		{ "/lib64/ld-linux-x86-64.so.2", NULL },
		{ NULL, NULL },
	};
	char dir[] = "/tmp/ptop-test-XXXXXX", link[64], wanted[256];
	struct buf b = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/exe", dir);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *name = cases[i].name != NULL ? cases[i].name : OWN_FILE_WORD;

		if (cases[i].target != NULL)
			assert_int_equal(symlink(cases[i].target, link), 0);
		buf_reset(&b);
		own_file_put(&b, "setcap x " OWN_FILE_WORD ", or: y " OWN_FILE_WORD "!", link);
		snprintf(wanted, sizeof(wanted), "setcap x %s, or: y %s!", name, name);
		assert_string_equal(b.data, wanted);
		unlink(link);
	}
	rmdir(dir);
	buf_release(&b);
}

static void
a_hint_names_the_file_that_runs(void **state)
{
	struct err err = { 0 };

	(void)state;
	err_hint(&err, "sudo setcap x " OWN_FILE_WORD);
	assert_null(strstr(err.hint, "command -v"));
	assert_non_null(strstr(err.hint, "setcap x '/"));
	assert_non_null(strstr(err.hint, "test_base'"));
}

static void
an_error_that_is_too_long_is_cut(void **state)
{
	char longer[1000];
	struct err err = { 0 };

	(void)state;
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	err_set(&err, ERR_IO, ENOENT, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_wrap(&err, "%s", longer);
	assert_that(strlen(err.text), <, sizeof(err.text));
	assert_non_null(strstr(err.text, "x: x"));
	/* What may be refused, of whom and why, in front of which stands what was wanted. */
	longer[240] = '\0';
	err_set(&err, ERR_DENIED, 0, "%s", longer);
	err_wrap(&err, "cannot attach");
	err_wrap(&err, "process %d", 1);
	assert_string_equal(strstr(err.text, "x"), longer);
}

static void
a_buffer_grows_and_stays_terminated(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_string_equal(buf_str(&b), "");
	buf_add(&b, NULL, 0);
	assert_string_equal(b.data, "");
	buf_add_str(&b, "one ");
	buf_addf(&b, "%d%s", 2, "");
	buf_add_char(&b, '!');
	buf_add_fill(&b, '-', 100);
	assert_int_equal(b.len, 106);
	assert_int_equal(b.data[b.len], '\0');
	assert_memory_equal(b.data, "one 2!---", 9);
	buf_reset(&b);
	assert_string_equal(buf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_string_equal(b.data + b.len - 8, "998,999,");
	buf_release(&b);
	assert_null(b.data);
}

/* What the index should hold: at most one hash for each id. */
enum { IDS = 400, NONE = 0 };

static uint64_t
clashing_hash(unsigned n)
{
	/* Few homes, at the end of the table too, and tags that differ or are equal. */
	return (uint64_t)(n % 7 ? UINT32_MAX - n % 5 : 3) ^ (uint64_t)(n % 3) << 32;
}

static bool
index_has(const struct index *ix, uint64_t hash, uint32_t want)
{
	uint32_t id, pos;

	for (id = index_first(ix, hash, &pos); id != 0; id = index_next(ix, hash, &pos))
		if (id == want)
			return true;
	return false;
}

static void
the_index_agrees_with_a_list_over_random_operations(void **state)
{
	uint64_t hashes[IDS] = { NONE };
	bool there[IDS] = { false };
	struct index ix = { 0 };
	uint32_t used = 0, pos;

	(void)state;
	srand(1);
	assert_int_equal(index_first(&ix, 5, &pos), 0);
	index_remove(&ix, 5, 1);
	for (int step = 0; step < 20000; step++) {
		uint32_t id = 1 + (uint32_t)rand() % (IDS - 1);

		if (there[id]) {
			index_remove(&ix, hashes[id], id);
			used--;
		} else {
			hashes[id] = rand() % 2 ? clashing_hash((unsigned)rand()) : hash_mix(id, 1);
			index_add(&ix, hashes[id], id);
			used++;
		}
		there[id] = !there[id];
		assert_int_equal(ix.used, used);
		if (step % 50 != 0)
			continue;
		for (uint32_t i = 1; i < IDS; i++)
			assert_int_equal(index_has(&ix, hashes[i], i), there[i]);
	}
	index_clear(&ix);
	assert_int_equal(ix.used, 0);
	assert_that(index_bytes(&ix), >, 0);
	assert_false(index_has(&ix, hashes[1], 1));
	index_release(&ix);
	assert_int_equal(index_bytes(&ix), 0);
}

static void
removing_what_is_not_there_changes_nothing(void **state)
{
	struct index ix = { 0 };

	(void)state;
	index_add(&ix, 7, 1);
	index_remove(&ix, 7, 2);
	index_remove(&ix, 8, 3);
	assert_int_equal(ix.used, 1);
	assert_true(index_has(&ix, 7, 1));
	index_release(&ix);
}

static void
equal_strings_have_equal_ids_and_never_move(void **state)
{
	struct strs s = { 0 };
	const char *first;
	char text[16];
	uint32_t id;

	(void)state;
	assert_string_equal(strs_get(&s, 0), "");
	assert_string_equal(strs_get(&s, 77), "");
	assert_int_equal(strs_add_str(&s, ""), 0);
	id = strs_add(&s, "libc.so.6 (deleted)", 9);
	first = strs_get(&s, id);
	assert_string_equal(first, "libc.so.6");
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		strs_add_str(&s, text);
	}
	assert_ptr_equal(strs_get(&s, id), first);
	assert_int_equal(strs_add_str(&s, "libc.so.6"), id);
	assert_int_not_equal(strs_add_str(&s, "libc.so"), id);
	assert_int_equal(s.len, 5002);
	strs_release(&s);
	assert_string_equal(strs_get(&s, id), "");
}

static void
an_arena_gives_zeroed_pieces_of_any_size(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 9, 4096, 100000, 3, 16 << 10, 24 };
	struct arena a = { 0 };
	char *pieces[ARRAY_SIZE(sizes)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		pieces[i] = arena_alloc(&a, sizes[i]);
		assert_int_equal((uintptr_t)pieces[i] % 8, 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], 0);
		memset(pieces[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], i + 1);
	assert_string_equal(arena_strndup(&a, "abc", 2), "ab");
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_string_equal(arena_printf(&a, "%s-%d", "x", 5), "x-5");
	assert_memory_equal(arena_adopt(&a, mem_strdup("xyz"), 2), "xy", 2);
	assert_non_null(arena_adopt(&a, NULL, 0));
	assert_that(a.bytes, >, 100000);
	arena_release(&a);
	assert_null(a.blocks);
	assert_int_equal(a.bytes, 0);
}

enum { SENDERS = 4, MESSAGES = 2000 };

struct numbered {
	struct msg msg;
	int sender, number;
};

struct sender {
	struct queue *queue;
	int id;
};

static void *
send_all(void *arg)
{
	const struct sender *s = arg;

	for (int i = 0; i < MESSAGES; i++) {
		struct numbered *m = mem_calloc(1, sizeof(*m));

		m->sender = s->id;
		m->number = i;
		queue_send(s->queue, &m->msg);
	}
	return NULL;
}

static bool
is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static void
every_message_of_every_thread_arrives_in_its_order(void **state)
{
	struct queue *q = queue_new();
	struct sender senders[SENDERS];
	pthread_t threads[SENDERS];
	int next[SENDERS] = { 0 };

	(void)state;
	assert_false(is_readable(queue_fd(q)));
	assert_null(queue_take(q));
	for (int i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){ q, i };
		pthread_create(&threads[i], NULL, send_all, &senders[i]);
	}
	for (int n = 0; n < SENDERS * MESSAGES; n++) {
		struct numbered *m = (struct numbered *)queue_wait(q, 10000);

		assert_non_null(m);
		assert_int_equal(m->number, next[m->sender]++);
		free(m);
	}
	for (int i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	assert_null(queue_wait(q, 1));
	assert_false(is_readable(queue_fd(q)));
	queue_free(q);
	queue_free(NULL);
}

enum { ROUNDS = 10000 };

struct pair {
	struct queue *queue;
	pthread_barrier_t step;
};

static void *
send_one_a_round(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&p->step);
		queue_send(p->queue, mem_calloc(1, sizeof(struct msg)));
		pthread_barrier_wait(&p->step);
	}
	return NULL;
}

/* Who polls a queue that is readable for ever takes a whole CPU.  It was, once in 5000 rounds. */
static void
what_was_sent_at_once_leaves_the_queue_quiet(void **state)
{
	struct pair p = { .queue = queue_new() };
	pthread_t threads[2];

	(void)state;
	pthread_barrier_init(&p.step, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, send_one_a_round, &p);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&p.step);
		for (int taken = 0; taken < 2;) {
			struct msg *m = queue_take(p.queue);

			taken += m != NULL;
			free(m);
		}
		assert_null(queue_take(p.queue));
		pthread_barrier_wait(&p.step);
		assert_null(queue_take(p.queue));
		assert_false(is_readable(queue_fd(p.queue)));
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&p.step);
	queue_free(p.queue);
}

static void
the_queue_is_readable_until_it_is_found_empty(void **state)
{
	struct queue *q = queue_new();
	struct msg a = { .type = 1 }, b = { .type = 2 };

	(void)state;
	queue_send(q, &a);
	queue_send(q, &b);
	assert_true(is_readable(queue_fd(q)));
	assert_ptr_equal(queue_take(q), &a);
	assert_true(is_readable(queue_fd(q)));
	assert_ptr_equal(queue_wait(q, 0), &b);
	assert_null(queue_take(q));
	assert_false(is_readable(queue_fd(q)));
	queue_send(q, &a);
	assert_true(is_readable(queue_fd(q)));
	assert_ptr_equal(queue_take(q), &a);
	/* Sent before the receiver has seen that there is no more. */
	queue_send(q, &b);
	assert_true(is_readable(queue_fd(q)));
	assert_ptr_equal(queue_take(q), &b);
	assert_null(queue_take(q));
	assert_null(queue_take(q));
	assert_false(is_readable(queue_fd(q)));
	queue_free(q);
}

/* Who receives them and is fast would else be woken for each. */
static void
messages_that_are_sent_together_wake_once(void **state)
{
	struct msg a = { .type = 1 }, b = { .type = 2 }, c = { .type = 3 };
	struct queue *q = queue_new();
	uint64_t wakes = 0;

	(void)state;
	queue_send_all(q, NULL, 0);
	assert_false(is_readable(queue_fd(q)));
	queue_send_all(q, (struct msg *[]){ &a, &b }, 2);
	queue_send(q, &c);
	assert_int_equal(read(queue_fd(q), &wakes, sizeof(wakes)), sizeof(wakes));
	assert_int_equal(wakes, 1);
	assert_int_equal(write(queue_fd(q), &wakes, sizeof(wakes)), sizeof(wakes));
	assert_ptr_equal(queue_take(q), &a);
	assert_ptr_equal(queue_take(q), &b);
	assert_ptr_equal(queue_take(q), &c);
	assert_null(queue_take(q));
	assert_false(is_readable(queue_fd(q)));
	queue_free(q);
}

static void
text_of_others_cannot_command_a_terminal(void **state)
{
	static const struct {
		const char *text, *safe;
	} rows[] = {
		{ "plain", "plain" },
		{ "\x1b[2J;\n\xff", "\\x1b[2J;\\x0a\\xff" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" },            /* C1 control */
		{ "a\xe2\x80\xae" "b", "a\\xe2\\x80\\xae" "b" },  /* right-to-left override */
		{ "\xef\xbb\xbf", "\\xef\\xbb\\xbf" },            /* byte order mark */
		{ "a\xe3\x85\xa4", "a\\xe3\\x85\\xa4" },          /* a filler, which nobody sees */
		{ "a\xef\xb8\x8f", "a\\xef\\xb8\\x8f" },          /* variation selector */
		{ "\xc0\x80", "\\xc0\\x80" },                     /* overlong */
		{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },            /* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },   /* above U+10FFFF */
		{ "\xe2\x82", "\\xe2\\x82" },                     /* cut */
		{ "\xe2\x82x", "\\xe2\\x82x" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\x7f", "\\x7f" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		buf_reset(&b);
		text_add_safe(&b, rows[i].text, strlen(rows[i].text));
		assert_string_equal(buf_str(&b), rows[i].safe);
	}
	buf_reset(&b);
	text_add_safe(&b, "a\0b", 3);
	assert_string_equal(buf_str(&b), "a\\x00b");
	buf_reset(&b);
	text_add_ascii(&b, "gr\xc3\xbc\t");
	assert_string_equal(buf_str(&b), "gr\\xc3\\xbc\\x09");
	buf_release(&b);
}

static void
the_nearest_name_is_found_if_it_is_near(void **state)
{
	static const char *const names[] = { "cycles", "cpu-clock", "page-faults", "pid" };
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{ "cylces", "cycles" },
		{ "cpuclock", "cpu-clock" },
		{ "page-fault", "page-faults" },
		{ "pdi", "pid" },
		{ "zebra", NULL },
		{ "cycles", "cycles" },
		{ "frobnicate", NULL },
	};
	char longer[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *found = text_nearest(rows[i].word, names, ARRAY_SIZE(names));

		if (rows[i].nearest == NULL)
			assert_null(found);
		else
			assert_string_equal(found, rows[i].nearest);
	}
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(text_distance(longer, ""), 63);
	assert_int_equal(text_distance(longer, longer), 0);
	assert_int_equal(text_distance("ab", "ba"), 1);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
}

static void
one_thing_has_no_plural(void **state)
{
	(void)state;
	assert_string_equal(text_plural(0), "s");
	assert_string_equal(text_plural(1), "");
	assert_string_equal(text_plural(2), "s");
}

static void
counts_and_bytes_take_at_most_five_characters(void **state)
{
	static const struct {
		double n;
		const char *count;
	} counts[] = {
		{ 0, "0" },         { 7, "7" },          { 512, "512" },     { 999, "999" },
		{ 999.7, "1.0k" },  { 1000, "1.0k" },    { 41234, "41.2k" }, { 99949, "99.9k" },
		{ 99960, "100k" },  { 999600, "1.0M" },  { 3.1e6, "3.1M" },  { 2.5e18, "2.5E" },
	};
	static const struct {
		uint64_t n;
		const char *bytes;
	} sizes[] = {
		{ 0, "0K" },
		{ 812 << 10, "812K" },
		{ 14 << 20, "14M" },
		{ UINT64_C(3435973837), "3.2G" },
		{ 1000 << 10, "1.0M" },
		{ UINT64_C(5) << 40, "5.0T" },
		{ UINT64_MAX, "16E" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		buf_reset(&b);
		text_add_count(&b, counts[i].n);
		assert_string_equal(buf_str(&b), counts[i].count);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		buf_reset(&b);
		text_add_bytes(&b, sizes[i].n);
		assert_string_equal(buf_str(&b), sizes[i].bytes);
	}
	for (uint64_t n = 1; n < UINT64_MAX / 3; n = n * 2 + n / 3 + 1) {
		buf_reset(&b);
		text_add_bytes(&b, n);
		assert_that(b.len, <=, 5);
		buf_reset(&b);
		text_add_count(&b, (double)n);
		assert_that(b.len, <=, 5);
	}
	buf_release(&b);
}

static void
only_whole_numbers_are_numbers(void **state)
{
	static const struct {
		const char *text;
		bool is_u64, is_double, is_size;
		uint64_t u64, size;
		double d;
	} rows[] = {
		{ "0", true, true, true, 0, 0, 0 },
		{ "18446744073709551615", true, true, true, UINT64_MAX, UINT64_MAX, 0x1p64 },
		{ "18446744073709551616", false, true, false, 0, 0, 0x1p64 },
		{ "24M", false, false, true, 0, 24 << 20, 0 },
		{ "512k", false, false, true, 0, 512 << 10, 0 },
		{ "16777216T", false, false, false, 0, 0, 0 },
		{ "0.5", false, true, false, 0, 0, 0.5 },
		{ "-1", false, false, false, 0, 0, 0 },
		{ "+1", false, false, false, 0, 0, 0 },
		{ " 1", false, false, false, 0, 0, 0 },
		{ "1 ", false, false, false, 0, 0, 0 },
		{ "", false, false, false, 0, 0, 0 },
		{ "K", false, false, false, 0, 0, 0 },
		{ ".", false, false, false, 0, 0, 0 },
		{ "1.2.3", false, false, false, 0, 0, 0 },
		{ "inf", false, false, false, 0, 0, 0 },
		{ "0x10", false, false, false, 0, 0, 0 },
		{ "1e3", false, false, false, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t n = 99, size = 99;
		double d = 99;

		assert_int_equal(num_u64(rows[i].text, &n), rows[i].is_u64);
		assert_int_equal(n, rows[i].is_u64 ? rows[i].u64 : 99);
		assert_int_equal(num_size(rows[i].text, &size), rows[i].is_size);
		assert_int_equal(size, rows[i].is_size ? rows[i].size : 99);
		assert_int_equal(num_double(rows[i].text, &d), rows[i].is_double);
		assert_true(d == (rows[i].is_double ? rows[i].d : 99));
	}
}

static void
lists_are_read_as_the_kernel_writes_them(void **state)
{
	static const char *const wrong[] = {
		"",
		"a",
		"1,",
		",1",
		"3-1",
		"1-",
		"-1",
		"1 2",
		"9999999999999999999999",
		"11",
		"0-11",
		"0-9,0-9",
		"1;2",
	};
	unsigned *items = NULL;
	size_t len = 0;

	(void)state;
	assert_true(num_list("0-3,8\n", 10, &items, &len));
	assert_int_equal(len, 5);
	assert_int_equal(items[3], 3);
	assert_int_equal(items[4], 8);
	assert_true(num_list("5", 10, &items, &len));
	assert_int_equal(len, 6);
	assert_int_equal(items[5], 5);
	assert_true(num_list("0-10", 10, &items, &len));
	assert_int_equal(len, 17);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(num_list(wrong[i], 10, &items, &len));
	assert_int_equal(len, 17);
	free(items);
}

static char *
make_folder(void)
{
	char *path = mem_strdup("/tmp/ptop-base-XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

/* As in the home of a new user, in which there is nothing at all. */
static void
a_folder_of_ones_own_is_made_with_all_above_it(void **state)
{
	static const char *const folders[] = { "/.local/state/ptop", "/.local/state", "/.local", "" };
	char *home = make_folder(), path[64];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s%s", home, folders[0]);
	fd = own_folder_open(AT_FDCWD, path, 077);
	assert_that(fd, >=, 0);
	close(fd);
	assert_int_equal(own_folder_open(AT_FDCWD, "", 077), -1);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", home, folders[i]);
		assert_int_equal(rmdir(path), 0);
	}
	free(home);
}

static void
files_are_read_whole_up_to_a_limit(void **state)
{
	char *folder = make_folder(), path[64], bytes[10000];
	struct buf b = { 0 };
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	memset(bytes, 'x', sizeof(bytes));
	fd = file_create(path, false, NULL);
	assert_that(fd, >=, 0);
	assert_int_equal(file_write_all(fd, bytes, sizeof(bytes)), 0);
	close(fd);
	assert_int_equal(file_read(path, &b, 1 << 20), 0);
	assert_int_equal(b.len, sizeof(bytes));
	buf_reset(&b);
	buf_add_str(&b, "before");
	assert_int_equal(file_read(path, &b, sizeof(bytes)), 0);
	assert_int_equal(b.len, 6 + sizeof(bytes));
	buf_reset(&b);
	assert_int_equal(file_read(path, &b, sizeof(bytes) - 1), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(b.len, sizeof(bytes) - 1);
	assert_int_equal(file_number(path, -7), -7);
	assert_int_equal(file_number("/nowhere", -7), -7);
	assert_int_equal(file_read("/nowhere", &b, 10), -1);
	assert_int_equal(errno, ENOENT);
	unlink(path);
	rmdir(folder);
	free(folder);
	buf_release(&b);
}

static void
write_anew(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_that(fd, >=, 0);
	assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void
a_file_that_stays_open_tells_what_is_in_it_now(void **state)
{
	char *folder = make_folder(), path[64];
	struct file_kept k = { 0 };
	struct buf b = { 0 };
	int dir, first, other;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	dir = open(folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(file_read_kept(&k, dir, "file", &b, 100), -1);
	assert_int_equal(errno, ENOENT);
	write_anew(path, "1 2 3");
	assert_int_equal(file_read_kept(&k, dir, "file", &b, 100), 0);
	assert_string_equal(buf_str(&b), "1 2 3");
	first = k.fd;
	write_anew(path, "4 5");
	buf_reset(&b);
	assert_int_equal(file_read_kept(&k, dir, "file", &b, 100), 0);
	assert_string_equal(buf_str(&b), "4 5");
	assert_int_equal(k.fd, first);
	/* A descriptor that answers no more, as of a file system whose server was started anew. */
	other = open(path, O_WRONLY);
	assert_int_equal(dup2(other, k.fd), k.fd);
	close(other);
	buf_reset(&b);
	assert_int_equal(file_read_kept(&k, dir, "file", &b, 100), 0);
	assert_string_equal(buf_str(&b), "4 5");
	file_close_kept(&k);
	file_close_kept(&k);
	assert_int_equal(fcntl(first, F_GETFD), -1);
	unlink(path);
	rmdir(folder);
	close(dir);
	free(folder);
	buf_release(&b);
}

static void
new_files_are_private_and_never_written_through_links(void **state)
{
	char *folder = make_folder(), path[64], link[64];
	struct err err = { 0 };
	struct stat st;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	fd = file_create(path, false, &err);
	assert_that(fd, >=, 0);
	assert_int_equal(file_write_all(fd, "12 cpus", 7), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	assert_int_equal(file_number(path, -1), 12);
	assert_int_equal(file_create(path, false, &err), -1);
	assert_non_null(strstr(err.text, "exists"));
	assert_non_null(strstr(err.hint, "--force"));
	assert_int_equal(symlink(path, link), 0);
	for (int force = 0; force < 2; force++) {
		err = (struct err){ 0 };
		assert_int_equal(file_create(link, force, &err), -1);
		assert_non_null(strstr(err.text, "it is a link to '"));
		assert_string_equal(err.hint, "name the file that is meant, or remove the link");
	}
	assert_int_equal(file_create("/dev/stdout", true, &err), -1);
	assert_string_equal(err.hint, "reports go to standard output without -o");
	assert_int_equal(file_number(path, -1), 12);
	fd = file_create(path, true, &err);
	assert_that(fd, >=, 0);
	close(fd);
	assert_int_equal(file_number(path, -1), -1);
	unlink(link);
	unlink(path);
	rmdir(folder);
	free(folder);
}

/* Force overwrites none of it, and is not said to. */
static void
what_is_no_file_is_refused_as_what_it_is(void **state)
{
	char *folder = make_folder(), bound[64], slash[64], missing[64];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct whole_file whole;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	snprintf(bound, sizeof(bound), "%s/socket", folder);
	snprintf(slash, sizeof(slash), "%s/", folder);
	snprintf(missing, sizeof(missing), "%s/nosuch/", folder);
	strcpy(address.sun_path, bound);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	for (int force = 0; force < 2; force++) {
		struct err err = { 0 };

		assert_int_equal(file_create(folder, force, &err), -1);
		assert_non_null(strstr(err.text, "' is a folder"));
		assert_string_equal(err.hint, "name a file in it");
		err = (struct err){ 0 };
		assert_int_equal(whole_file_open(&whole, folder, force, &err), -1);
		assert_non_null(strstr(err.text, "' is a folder"));
		err = (struct err){ 0 };
		assert_int_equal(file_create(slash, force, &err), -1);
		assert_non_null(strstr(err.text, "/' is a folder"));
		assert_string_equal(err.hint, "name a file in it");
		err = (struct err){ 0 };
		assert_int_equal(whole_file_open(&whole, slash, force, &err), -1);
		assert_non_null(strstr(err.text, "/' is a folder"));
		assert_int_equal(whole_file_open(&whole, missing, force, &err), -1);
		assert_non_null(strstr(err.text, "/': No such file or directory"));
		err = (struct err){ 0 };
		assert_int_equal(file_create(bound, force, &err), -1);
		assert_non_null(strstr(err.text, "' is a socket"));
		assert_string_equal(err.hint, "");
	}
	close(fd);
	unlink(bound);
	rmdir(folder);
	free(folder);
}

/* The kernel's protected_symlinks knows last parts alone. */
static void
a_folder_that_is_a_link_of_somebody_else_is_not_written_to(void **state)
{
	char folder[] = "/tmp/ptop-links-XXXXXX", command[256], path[64];
	struct whole_file whole;
	struct err err = { 0 };
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip_for("not root");
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command), "cd %s && mkdir real && ln -s real own && ln -s own both "
		 "&& ln -s real theirs && chown -h 65534 theirs && ln -s theirs/../real far", folder);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/theirs/file", folder);
	assert_int_equal(file_create(path, false, &err), -1);
	assert_non_null(strstr(err.text, "/theirs' is a link of user 65534"));
	assert_int_equal(whole_file_open(&whole, path, true, &err), -1);
	snprintf(path, sizeof(path), "%s/far/file", folder);
	assert_int_equal(file_create(path, false, &err), -1);
	snprintf(path, sizeof(path), "%s/both/file", folder);
	fd = file_create(path, false, &err);
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void
put_whole(const char *path, bool force, const char *text, bool finish)
{
	struct err err = { 0 };
	struct whole_file f;

	assert_int_equal(whole_file_open(&f, path, force, &err), 0);
	assert_int_equal(file_write_all(f.fd, text, strlen(text)), 0);
	if (finish)
		assert_int_equal(whole_file_finish(&f, &err), 0);
	else
		whole_file_drop(&f);
}

static void
a_whole_file_is_there_when_it_is_finished_or_never(void **state)
{
	char *folder = make_folder(), path[64], link[64], pipe[64];
	struct whole_file f;
	struct err err = { 0 };
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(pipe, sizeof(pipe), "%s/pipe", folder);
	put_whole(path, false, "1", false);
	assert_int_equal(access(path, F_OK), -1);
	put_whole(path, false, "2", true);
	assert_int_equal(file_number(path, -1), 2);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* What is there is not touched but by force, and then only by what is whole. */
	assert_int_equal(whole_file_open(&f, path, false, &err), -1);
	assert_non_null(strstr(err.text, "exists"));
	put_whole(path, true, "3", false);
	assert_int_equal(file_number(path, -1), 2);
	put_whole(path, true, "4", true);
	assert_int_equal(file_number(path, -1), 4);
	/* Nor what it leads to. */
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(whole_file_open(&f, link, true, &err), -1);
	assert_non_null(strstr(err.text, "it is a link to '"));
	assert_int_equal(whole_file_open(&f, link, false, &err), -1);
	assert_non_null(strstr(err.text, "it is a link to '"));
	assert_int_equal(file_number(path, -1), 4);
	/* A pipe stays one. */
	assert_int_equal(mkfifo(pipe, 0600), 0);
	f.fd = open(pipe, O_RDWR);
	put_whole(pipe, true, "5", true);
	assert_int_equal(lstat(pipe, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(f.fd);
	/* It is not waited for who reads it. */
	assert_int_equal(whole_file_open(&f, pipe, true, &err), -1);
	assert_non_null(strstr(err.text, "nobody reads it"));
	unlink(pipe);
	unlink(link);
	unlink(path);
	assert_int_equal(rmdir(folder), 0); /* nothing else was left */
	free(folder);
}

static size_t
count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	size_t n = 0;

	while ((d = readdir(dir)) != NULL)
		n += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return n;
}

/* As if this process lived on a file system that has no files without names. */
static bool
do_without_nameless_files(void)
{
	const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]) + 4 * is_big),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a child, which is killed while it writes, or ends it first; how many names there were then. */
static size_t
count_names(const char *folder, const char *path, bool nameless, bool finish)
{
	struct whole_file f;
	int status, ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = run_fork();
	if (pid == 0) {
		if ((!nameless && !do_without_nameless_files()) ||
		    whole_file_open(&f, path, false, NULL) < 0 ||
		    file_write_all(f.fd, "7", 1) < 0 ||
		    (finish && whole_file_finish(&f, NULL) < 0) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return count_files(folder);
}

static void
a_whole_file_has_no_name_before(void **state)
{
	char *folder = make_folder(), path[64];
	struct run_result r;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(count_names(folder, path, true, false), 0);
	assert_int_equal(count_names(folder, path, true, true), 1);
	assert_int_equal(file_number(path, -1), 7);
	assert_int_equal(unlink(path), 0);
	/* Where it must have one it is another. */
	assert_int_equal(count_names(folder, path, false, true), 1);
	assert_int_equal(file_number(path, -1), 7);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(count_names(folder, path, false, false), 1);
	assert_int_equal(access(path, F_OK), -1);
	run_program(&r, 60, (char *[]){ "rm", "-r", folder, NULL });
	assert_int_equal(r.status, 0);
	run_release(&r);
	free(folder);
}

/* Names that are taken while the file is written; how it ends. */
static int
finish_beside(const char *folder, size_t taken, bool force, bool nameless, struct err *err)
{
	char path[64], other[96];
	struct whole_file f;

	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(whole_file_open(&f, path, force, err), 0);
	assert_int_equal(f.is_nameless, nameless);
	assert_int_equal(file_write_all(f.fd, "8", 1), 0);
	if (taken > 0)
		assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 1; i < taken; i++) {
		snprintf(other, sizeof(other), "%s.%zu", path, i);
		assert_int_equal(symlink("nowhere", other), 0);
	}
	return whole_file_finish(&f, err);
}

static void
empty(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s && mkdir -m 700 %s", folder, folder);
	assert_int_equal(system(command), 0);
}

static void
check_names_beside(const char *folder, bool nameless)
{
	struct err err = { 0 };
	char path[64];

	for (int force = 0; force < 2; force++) {
		snprintf(path, sizeof(path), "%s/file", folder);
		assert_int_equal(finish_beside(folder, 0, force, nameless, &err), 0);
		assert_int_equal(file_number(path, -1), 8);
		assert_int_equal(unlink(path), 0);
		for (size_t taken = 1; taken < 3; taken++) {
			assert_int_equal(finish_beside(folder, taken, force, nameless, &err), 1);
			snprintf(path, sizeof(path), "%s/file.%zu", folder, taken);
			assert_int_equal(file_number(path, -1), 8);
			assert_non_null(strstr(err.text, force ? "Is a directory" : "exists"));
			assert_non_null(strstr(err.hint, path));
			assert_int_equal(count_files(folder), taken + 1);
			empty(folder);
		}
		/* There is an end to it. */
		assert_int_equal(finish_beside(folder, 100, force, nameless, &err), -1);
		assert_int_equal(count_files(folder), 100);
		assert_string_equal(err.hint, "");
		empty(folder);
	}
}

static void
a_whole_file_whose_name_is_taken_has_one_beside_it(void **state)
{
	char *folder = make_folder();
	int status;
	pid_t pid;

	(void)state;
	check_names_beside(folder, true);
	pid = run_fork();
	if (pid == 0) {
		if (!do_without_nameless_files())
			_exit(1);
		check_names_beside(folder, false);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	rmdir(folder);
	free(folder);
}

static void
a_whole_file_without_its_folder_is_nowhere(void **state)
{
	char *folder = make_folder(), path[64];
	struct whole_file f;
	struct err err = { 0 };

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(whole_file_open(&f, path, false, &err), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(whole_file_finish(&f, &err), -1);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_string_equal(err.hint, "");
	whole_file_drop(&f); /* is allowed */
	free(folder);
}

static void
assert_like_printf(double v)
{
	struct buf b = { 0 };
	char text[512];

	snprintf(text, sizeof(text), "%.4f", v);
	buf_add_fixed(&b, v);
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
}

/* Also in the middle between two, and where numbers are not what they are by name. */
static void
four_places_are_those_of_printf(void **state)
{
	static const double odd[] = { 0, -0.0, -1.5, 1e-5, 0.00005, 0.00015, 0.03125, 0.00003125,
				      99.99995, 99.999949999, 100, 12345.67895, 99999.99999, 1e5,
				      1e18, 1e300, INFINITY, NAN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		assert_like_printf(odd[i]);
	for (uint64_t i = 1; i < 20000; i++) {
		assert_like_printf((double)i / 20000);
		assert_like_printf((double)(hash_mix(i, 1) >> 11) / 9e13);
	}
}

static void
a_child_is_reaped_when_it_has_ended_and_waited_for_no_longer(void **state)
{
	struct rusage used = { .ru_nvcsw = -1 };
	int status = -1, pid = run_fork();

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_false(process_reap(pid, 2, &status, &used));
	assert_int_equal(status, -1);
	kill(pid, SIGKILL);
	assert_true(process_reap(pid, 10000, &status, &used));
	assert_true(WIFSIGNALED(status));
	assert_that(used.ru_nvcsw, >=, 0);
	assert_true(process_reap(pid, 10000, NULL, NULL)); /* it is no child any more */
}

static void
a_child_ends_at_once_if_its_parent_is_another(void **state)
{
	int status = -1, pid = run_fork();

	(void)state;
	if (pid == 0) {
		process_end_with(getpid()); /* nobody is the parent of itself */
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

enum { DYING = 8 };

/* As to put a terminal back does. */
static void
take_a_moment(void)
{
	usleep(1000);
}

static void *
die_with_others(void *together)
{
	pthread_barrier_wait(together);
	die("out of %s", "memory");
	return NULL;
}

static void
die_in_threads(int stderr_fd)
{
	pthread_barrier_t together;
	pthread_t thread;

	die_set_hook(take_a_moment);
	dup2(stderr_fd, STDERR_FILENO);
	pthread_barrier_init(&together, NULL, DYING);
	for (int i = 0; i < DYING; i++)
		pthread_create(&thread, NULL, die_with_others, &together);
	pause();
}

/* As all do at once when there is no memory. */
static void
of_threads_that_die_together_one_is_heard(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		int status = -1, ends[2], pid;
		char text[256] = "";

		assert_int_equal(pipe(ends), 0);
		pid = run_fork();
		if (pid == 0)
			die_in_threads(ends[1]);
		close(ends[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WEXITSTATUS(status), 1);
		assert_that(read(ends[0], text, sizeof(text) - 1), >, 0);
		assert_string_equal(text, "ptop: out of memory\n");
		close(ends[0]);
	}
}

static void
descriptors_from_a_number_on_are_closed(void **state)
{
	int status = -1, pid = run_fork();

	(void)state;
	if (pid == 0) {
		dup2(STDERR_FILENO, 4);
		dup2(STDERR_FILENO, 900);
		process_close_from(5);
		_exit(fcntl(4, F_GETFD) < 0 || fcntl(900, F_GETFD) >= 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Sends one byte with what is in @room. */
static int
pass(const int ends[2], struct msghdr *m)
{
	union passed_fd got;
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr in = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = got.bytes,
			     .msg_controllen = sizeof(got.bytes) };

	m->msg_iov = &data;
	m->msg_iovlen = 1;
	assert_int_equal(sendmsg(ends[0], m, 0), 1);
	assert_int_equal(recvmsg(ends[1], &in, MSG_CMSG_CLOEXEC), 1);
	return passed_fd_take(&in);
}

static void
a_descriptor_is_handed_on_with_a_message(void **state)
{
	struct msghdr with = { 0 }, without = { 0 };
	union passed_fd room;
	struct stat sent, got;
	int ends[2], fd;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	passed_fd_put(&with, &room, ends[0]);
	fd = pass(ends, &with);
	assert_that(fd, >=, 0);
	assert_int_equal(fstat(ends[0], &sent) + fstat(fd, &got), 0);
	assert_int_equal(sent.st_ino, got.st_ino);
	assert_int_equal(pass(ends, &without), -1);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

/* How many of the pages are there. */
static size_t
resident(void *at, size_t pages)
{
	unsigned char there[64];
	size_t n = 0;

	assert_true(pages <= sizeof(there));
	assert_int_equal(mincore(at, pages * page_size(), there), 0);
	for (size_t i = 0; i < pages; i++)
		n += there[i] & 1;
	return n;
}

static void
pages_are_there_before_they_are_written(void **state)
{
	enum { PAGES = 32 };
	size_t bytes = PAGES * page_size();
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(at != MAP_FAILED);
	madvise(at, bytes, MADV_NOHUGEPAGE);
	assert_int_equal(resident(at, PAGES), 0);
#ifdef MADV_POPULATE_WRITE
	if (madvise(at, page_size(), MADV_POPULATE_WRITE) != 0)
		skip_for("before Linux 5.14 pages come as they are written");
	/* Parts of pages count as pages. */
	pages_populate(at + page_size() + 8, 4 * page_size());
	assert_int_equal(resident(at, PAGES), 6);
	pages_populate(at, bytes);
	assert_int_equal(resident(at, PAGES), PAGES);
#endif
	munmap(at, bytes);
}

static void
what_is_hardly_used_has_few_pages(void **state)
{
	enum { PAGES = 32 };
	const size_t bytes = PAGES * page_size();
	char *at;
	size_t n = 0;

	(void)state;
	/* The heap has room for it, which calloc() would write to. */
	heap_set_up();
	at = mem_calloc(1, HEAP_LARGE - 4096);
	memset(at, 1, HEAP_LARGE - 4096);
	free(at);
	at = mem_pages_new(bytes);
#ifndef __SANITIZE_ADDRESS__
	madvise(at, PAGES * page_size(), MADV_NOHUGEPAGE);
	assert_int_equal(resident(at, PAGES), 0);
#endif
	for (size_t i = 0; i < bytes; i++)
		n += at[i] != 0;
	assert_int_equal(n, 0);
	mem_pages_free(at, bytes);
}

static void
a_large_array_grows_by_a_quarter_and_keeps_what_it_has(void **state)
{
	enum { COUNT = 1 << 20 };
	uint64_t *items = NULL;
	size_t len = 0, cap = 0, most = 0;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		VEC_ADD(items, len, cap) = i;
		if (len > COUNT / 4)
			most = MAX(most, cap - len);
	}
	for (size_t i = 0; i < len; i++)
		assert_int_equal(items[i], i);
	assert_in_range(most, 1, COUNT / 3);
	free(items);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thing_has_no_plural),
		cmocka_unit_test(a_child_is_reaped_when_it_has_ended_and_waited_for_no_longer),
		cmocka_unit_test(a_child_ends_at_once_if_its_parent_is_another),
		cmocka_unit_test(of_threads_that_die_together_one_is_heard),
		cmocka_unit_test(descriptors_from_a_number_on_are_closed),
		cmocka_unit_test(a_descriptor_is_handed_on_with_a_message),
		cmocka_unit_test(an_error_carries_code_errno_and_sentence),
		cmocka_unit_test(a_command_names_the_file_that_runs),
		cmocka_unit_test(a_hint_names_the_file_that_runs),
		cmocka_unit_test(an_error_that_is_too_long_is_cut),
		cmocka_unit_test(a_buffer_grows_and_stays_terminated),
		cmocka_unit_test(the_index_agrees_with_a_list_over_random_operations),
		cmocka_unit_test(removing_what_is_not_there_changes_nothing),
		cmocka_unit_test(equal_strings_have_equal_ids_and_never_move),
		cmocka_unit_test(an_arena_gives_zeroed_pieces_of_any_size),
		cmocka_unit_test(every_message_of_every_thread_arrives_in_its_order),
		cmocka_unit_test(what_was_sent_at_once_leaves_the_queue_quiet),
		cmocka_unit_test(the_queue_is_readable_until_it_is_found_empty),
		cmocka_unit_test(messages_that_are_sent_together_wake_once),
		cmocka_unit_test(text_of_others_cannot_command_a_terminal),
		cmocka_unit_test(the_nearest_name_is_found_if_it_is_near),
		cmocka_unit_test(counts_and_bytes_take_at_most_five_characters),
		cmocka_unit_test(only_whole_numbers_are_numbers),
		cmocka_unit_test(four_places_are_those_of_printf),
		cmocka_unit_test(lists_are_read_as_the_kernel_writes_them),
		cmocka_unit_test(a_folder_of_ones_own_is_made_with_all_above_it),
		cmocka_unit_test(files_are_read_whole_up_to_a_limit),
		cmocka_unit_test(a_folder_that_is_a_link_of_somebody_else_is_not_written_to),
		cmocka_unit_test(a_file_that_stays_open_tells_what_is_in_it_now),
		cmocka_unit_test(new_files_are_private_and_never_written_through_links),
		cmocka_unit_test(what_is_no_file_is_refused_as_what_it_is),
		cmocka_unit_test(a_whole_file_is_there_when_it_is_finished_or_never),
		cmocka_unit_test(a_whole_file_has_no_name_before),
		cmocka_unit_test(a_whole_file_whose_name_is_taken_has_one_beside_it),
		cmocka_unit_test(a_whole_file_without_its_folder_is_nowhere),
		cmocka_unit_test(pages_are_there_before_they_are_written),
		cmocka_unit_test(what_is_hardly_used_has_few_pages),
		cmocka_unit_test(a_large_array_grows_by_a_quarter_and_keeps_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
