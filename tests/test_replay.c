/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings made by others: what ptop counts in them is what perf report counts, to the sample.
 * $PTOP_FIXTURES/perfdata/NAME.perf.data are the files, oracle/NAME.tsv perf's counts: event,
 * comm, dso, samples, period.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/file.h"
#include "run.h"

enum { KEYS = 3, FIELD_MAX = 512, SECONDS_MAX = 60 };

struct row {
	char keys[KEYS][FIELD_MAX];
	uint64_t samples, period;
};

struct rows {
	struct row *items;
	size_t len, cap;
};

/* Rows of one key are one. */
static void
rows_add(struct rows *r, const struct row *row)
{
	size_t i;

	for (i = 0; i < r->len; i++)
		if (memcmp(r->items[i].keys, row->keys, sizeof(row->keys)) == 0)
			break;
	if (i == r->len) {
		vec_reserve(&r->items, &r->cap, i + 1, sizeof(*r->items));
		r->items[r->len++] = (struct row){ .samples = 0 };
		memcpy(r->items[i].keys, row->keys, sizeof(row->keys));
	}
	r->items[i].samples += row->samples;
	r->items[i].period += row->period;
}

/* A field up to @end or the line's end, quotes taken off; what follows it. */
static const char *
take_field(const char *at, char end, char *out)
{
	bool quoted = end == ',' && *at == '"';
	size_t n = 0;

	for (at += quoted; *at != '\0' && *at != '\n'; at++) {
		if (quoted && *at == '"' && at[1] != '"')
			break;
		if (!quoted && *at == end)
			break;
		at += quoted && *at == '"';
		if (n < FIELD_MAX - 1)
			out[n++] = *at;
	}
	out[n] = '\0';
	at += quoted && *at == '"';
	return at + (*at == end);
}

static void
take_rows(struct rows *rows, const char *text, char end)
{
	while (*text != '\0') {
		struct row row = { .samples = 0 };
		char number[2][FIELD_MAX];

		for (int i = 0; i < KEYS; i++)
			text = take_field(text, end, row.keys[i]);
		for (int i = 0; i < 2; i++)
			text = take_field(text, end, number[i]);
		row.samples = strtoull(number[0], NULL, 10);
		row.period = strtoull(number[1], NULL, 10);
		if (strcmp(row.keys[2], "[kernel.kallsyms]") == 0)
			strcpy(row.keys[2], "[kernel]");
		rows_add(rows, &row);
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
}

/*
 * perf cuts names to the width of their column, which is that of its title, "Command", where all
 * tasks in the file end with shorter ones: "perf-ex" for perf-exec (perf script has it whole).
 */
static bool
is_cut(const char *cut, const char *whole)
{
	return strlen(cut) == strlen("Command") && strncmp(cut, whole, strlen(cut)) == 0;
}

static bool
is_comm(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || is_cut(a, b) || is_cut(b, a);
}

static const struct row *
rows_find(const struct rows *r, const struct row *like)
{
	for (size_t i = 0; i < r->len; i++) {
		const struct row *x = &r->items[i];

		if (strcmp(x->keys[0], like->keys[0]) == 0 && is_comm(x->keys[1], like->keys[1]) &&
		    strcmp(x->keys[2], like->keys[2]) == 0)
			return x;
	}
	return NULL;
}

/* Rows of @a that are not the same in @b. */
static size_t
differences(const struct rows *a, const struct rows *b, const char *name, const char *who)
{
	size_t n = 0;

	for (size_t i = 0; i < a->len; i++) {
		const struct row *x = &a->items[i], *y = rows_find(b, x);

		if (y != NULL && y->samples == x->samples && y->period == x->period)
			continue;
		if (n++ < 3)
			print_message("%s: %s has %s, %s, %s: %llu samples, period %llu\n", name, who,
				      x->keys[0], x->keys[1], x->keys[2],
				      (unsigned long long)x->samples, (unsigned long long)x->period);
	}
	return n;
}

static void
read_rows(const char *dir, const char *name, struct rows *rows)
{
	struct buf text = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/oracle/%s.tsv", dir, name);
	assert_int_equal(file_read(path, &text, 64 << 20), 0);
	take_rows(rows, buf_str(&text), '\t');
	buf_release(&text);
}

/* What perf decodes from a processor's trace is no sample of the stream. */
static bool
is_judged(const char *name, const struct rows *want)
{
	return want->len > 0 && strcmp(name, "aux-intel-pt-4.14") != 0;
}

static bool
is_same(const char *dir, const char *name)
{
	struct rows want = { 0 }, got = { 0 };
	struct run_result r;
	char path[4096];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--batch", "--input", path, "--by",
			 "event,comm,dso", "--format", "csv", NULL };
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data", dir, name);
	read_rows(dir, name, &want);
	run_program(&r, SECONDS_MAX, argv);
	/* In order, and never without a word. */
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) > 1 ||
	    (WEXITSTATUS(r.status) != 0 && *r.err == '\0')) {
		print_message("%s: status 0x%x: %s\n", name, r.status, r.err);
		n++;
	}
	if (is_judged(name, &want)) {
		take_rows(&got, strchrnul(r.out, '\n') + (*r.out != '\0'), ',');
		n += differences(&want, &got, name, "perf");
		n += differences(&got, &want, name, "ptop");
	}
	run_release(&r);
	free(want.items);
	free(got.items);
	return n == 0;
}

static void
recordings_of_others_count_as_in_perf(void **state)
{
	static const char ending[] = ".perf.data";
	const char *dir = getenv("PTOP_FIXTURES");
	size_t files = 0, wrong = 0;
	char path[4096];
	struct dirent *e;
	DIR *d;

	(void)state;
	snprintf(path, sizeof(path), "%s/perfdata", dir != NULL ? dir : "../shared/fixtures");
	d = opendir(path);
	if (d == NULL) {
		print_message("no recordings in '%s' (PTOP_FIXTURES)\n", path);
		skip();
	}
	path[strlen(path) - strlen("/perfdata")] = '\0';
	while ((e = readdir(d)) != NULL) {
		char *at = strstr(e->d_name, ending);

		if (at == NULL)
			continue;
		*at = '\0';
		files++;
		wrong += !is_same(path, e->d_name);
	}
	closedir(d);
	assert_int_not_equal(files, 0);
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_of_others_count_as_in_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
