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
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "run.h"
#include "skip.h"
#include "tests/asserts.h"

enum { KEYS = 3, FIELD_MAX = 512, SECONDS_MAX = 60, LONG_PATH = 8192 };

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
	char path[LONG_PATH];

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
	char path[LONG_PATH];
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
	if (d == NULL)
		skip_for("no recordings in '%s' (PTOP_FIXTURES)", path);
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

/* What the value of "name=" in a line of --dump is, up to one of @ends. */
static bool
dumped(const char *line, const char *name, const char *ends, char *out)
{
	const char *at = strstr(line, name);
	size_t len = at != NULL ? strcspn(at + strlen(name), ends) : 0;

	if (at != NULL)
		snprintf(out, FIELD_MAX, "%.*s", (int)len, at + strlen(name));
	return at != NULL;
}

static uint64_t
dumped_ns(const char *line)
{
	unsigned long long s = 0, ns = 0;
	const char *at = strstr(line, " time=");

	return at != NULL && sscanf(at, " time=%llu.%9llu", &s, &ns) == 2 ? s * 1000000000 + ns : 0;
}

static void
time_of(const char *line, uint64_t start_ns, char *out)
{
	uint64_t ns = dumped_ns(line);

	if (strstr(line, " time=") != NULL)
		snprintf(out, FIELD_MAX, "%llu.%u",
			 (unsigned long long)((ns - start_ns) / 500000000 / 2),
			 (unsigned)((ns - start_ns) / 500000000 % 2 * 5));
}

static void
data_src_of(const char *line, uint64_t start_ns, char *out)
{
	char all[FIELD_MAX];

	(void)start_ns;
	if (!dumped(line, " data_src=", "", all))
		return;
	/* In words, if there are any; a chain may follow. */
	if (!dumped(all, " (", ")", out))
		dumped(line, " data_src=", " ", out);
}

static void
weight_of(const char *line, uint64_t start_ns, char *out)
{
	(void)start_ns;
	dumped(line, " weight=", ", ", out);
}

/* The first of the list is the newest. */
static void
branch_of(const char *line, uint64_t start_ns, char *out)
{
	char from[FIELD_MAX], to[FIELD_MAX];

	(void)start_ns;
	if (!dumped(line, " branches=[", "/]", from) || *from == '\0')
		return;
	dumped(strstr(line, " branches=["), "/", "/", to);
	snprintf(out, FIELD_MAX, "%.200s > %.200s", from, to);
}

static void
cgroup_of(const char *line, uint64_t start_ns, char *out)
{
	(void)line;
	(void)start_ns;
	(void)out; /* none of the recordings tells one */
}

/* The samples of a dump by key, CPU and event: each line begins with the event's name. */
static void
take_dump(struct rows *rows, char *text, void (*key_of)(const char *, uint64_t, char *))
{
	uint64_t start_ns = 0;

	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		const char *sample = strstr(line, " sample misc=");
		struct row row = { .keys = { "-", "0" }, .samples = 1 };
		char period[FIELD_MAX] = "0";

		if (start_ns == 0)
			start_ns = dumped_ns(line);
		if (sample == NULL)
			continue;
		snprintf(row.keys[2], FIELD_MAX, "%.*s", (int)(sample - line), line);
		key_of(sample, start_ns, row.keys[0]);
		dumped(sample, " cpu=", " ", row.keys[1]);
		dumped(sample, " period=", " ", period);
		row.period = strtoull(period, NULL, 10);
		rows_add(rows, &row);
	}
}

struct key_case {
	const char *name, *key;
	void (*of)(const char *line, uint64_t start_ns, char *out);
	size_t least; /* rows */
};

static bool
is_dumped(const char *dir, const struct key_case *c)
{
	struct rows want = { 0 }, got = { 0 };
	struct run_result dump, report;
	char path[4096], by[64];
	char *dump_argv[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--dump", NULL };
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-i", path, "-d", "0.5", "--by", by,
			 "--format", "csv", NULL };
	bool has_period;
	size_t n;

	snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data", dir, c->name);
	snprintf(by, sizeof(by), "%s,cpu,event", c->key);
	run_program(&dump, SECONDS_MAX, dump_argv);
	run_program(&report, SECONDS_MAX, argv);
	/* Of a fixed period, samples do not carry it. */
	has_period = strstr(dump.out, " period=") != NULL;
	take_dump(&want, dump.out, c->of);
	take_rows(&got, strchrnul(report.out, '\n') + (*report.out != '\0'), ',');
	for (size_t i = 0; i < got.len && !has_period; i++)
		got.items[i].period = 0;
	n = differences(&want, &got, c->name, "the dump") + differences(&got, &want, c->name, c->key);
	if (got.len < c->least)
		print_message("%s: %zu rows by %s\n", c->name, got.len, c->key);
	n += got.len < c->least;
	run_release(&dump);
	run_release(&report);
	free(want.items);
	free(got.items);
	return n == 0;
}

static void
what_samples_carry_is_counted_as_the_dump_shows_it(void **state)
{
	static const struct key_case cases[] = {
		{ "mem-weight-struct", "data_src", data_src_of, 5 },
		{ "mem-weight-struct", "weight", weight_of, 10 },
		{ "mem-weight-struct", "branch", branch_of, 5 },
		{ "mem-weight-struct", "time", time_of, 2 },
		{ "callgraph-dwarf-gcc", "data_src", data_src_of, 1 },
		{ "callgraph-dwarf-gcc", "weight", weight_of, 1 },
		{ "callgraph-lbr", "branch", branch_of, 5 },
		{ "ksymbol-bpf-brs-amd", "branch", branch_of, 5 },
		{ "lbr-branch-3.4", "branch", branch_of, 10 }, /* the vdso of another kernel has no names here */
		{ "lbr-branch-3.4", "time", time_of, 2 },
		{ "lbr-propeller1", "branch", branch_of, 10 },
		{ "lost-simpleperf-branch", "branch", branch_of, 1 },
		{ "task-inherit-multiprocess", "time", time_of, 2 },
		{ "throttle-3.8", "time", time_of, 4 },
		{ "throttle-3.8", "cgroup", cgroup_of, 2 },
		{ "throttle-3.8", "data_src", data_src_of, 2 },
	};
	const char *dir = getenv("PTOP_FIXTURES");
	size_t wrong = 0;

	(void)state;
	if (dir == NULL)
		dir = "../shared/fixtures";
	if (access(dir, R_OK) != 0)
		skip_for("no recordings in '%s' (PTOP_FIXTURES)", dir);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		wrong += !is_dumped(dir, &cases[i]);
	assert_int_equal(wrong, 0);
}

/* The sum of samples by these keys. */
static double
samples_by(const char *path, const char *keys)
{
	struct run_result r;
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-i", (char *)(uintptr_t)path, "--by",
			 (char *)(uintptr_t)keys, "--format", "csv", NULL };
	double sum;

	run_program(&r, SECONDS_MAX, argv);
	sum = run_csv_sum(r.out, "samples", 0, NULL);
	run_release(&r);
	return sum;
}

static void
rows_of_any_key_add_up_to_all_samples(void **state)
{
	static const char *const names[] = { "task-inherit-multiprocess", "throttle-3.8",
					     "lbr-branch-3.4", "mem-weight-struct" };
	static const char *const keys[] = { "time,symbol", "srcline", "branch,time,cpu",
					    "cgroup,weight,data_src" };
	const char *dir = getenv("PTOP_FIXTURES");
	char path[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		double all;

		snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data",
			 dir != NULL ? dir : "../shared/fixtures", names[i]);
		if (access(path, R_OK) != 0)
			skip_for("no recordings to read (PTOP_FIXTURES)");
		all = samples_by(path, "event");
		assert_that(all, >, 0);
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			assert_that(samples_by(path, keys[k]), ==, all);
	}
}

enum { IDS_MAX = 256, EVENTS_SEEN_MAX = 8 };

/* By the dump: which event an id is of, and how often each was held back. */
struct held_back {
	struct {
		unsigned long long id;
		char event[64];
	} ids[IDS_MAX];
	size_t id_len;
	struct {
		char name[64];
		unsigned count;
	} events[EVENTS_SEEN_MAX];
	size_t event_len;
};

static void
note_sample(struct held_back *h, const char *line)
{
	unsigned long long id;
	const char *at = strstr(line, " id=");
	char event[64];

	if (at == NULL || sscanf(line, "%63s", event) != 1 || sscanf(at, " id=%llu", &id) != 1)
		return;
	for (size_t i = 0; i < h->id_len; i++)
		if (h->ids[i].id == id)
			return;
	assert_true(h->id_len < IDS_MAX);
	h->ids[h->id_len].id = id;
	memcpy(h->ids[h->id_len++].event, event, sizeof(event));
}

static void
count_held_back(struct held_back *h, const char *event)
{
	size_t i = 0;

	while (i < h->event_len && strcmp(h->events[i].name, event) != 0)
		i++;
	assert_true(i < EVENTS_SEEN_MAX);
	if (i == h->event_len)
		snprintf(h->events[h->event_len++].name, sizeof(h->events[0].name), "%s", event);
	h->events[i].count++;
}

static void
read_held_back(struct held_back *h, char *dump)
{
	char *copy = mem_strdup(dump), *save = NULL;
	unsigned long long id;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (strstr(line, " sample misc=") != NULL)
			note_sample(h, line);
	free(copy);
	for (char *line = strtok_r(dump, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "throttle ", 9) != 0)
			continue;
		assert_int_equal(sscanf(strstr(line, "throttle_id="), "throttle_id=%llu", &id), 1);
		for (size_t i = 0; i < h->id_len; i++)
			if (h->ids[i].id == id)
				count_held_back(h, h->ids[i].event);
	}
}

static void
what_was_held_back_is_told_of_its_event(void **state)
{
	static const char *const names[] = { "throttle-3.8", "pipe-hw-sw-throttle-3.4" };
	const char *dir = getenv("PTOP_FIXTURES");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[4096], want[128];
		char *json[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--format", "json", NULL };
		char *dump[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--dump", NULL };
		struct held_back h = { .id_len = 0 };
		struct run_result r;

		snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data",
			 dir != NULL ? dir : "../shared/fixtures", names[i]);
		if (access(path, R_OK) != 0)
			skip_for("no recordings to read (PTOP_FIXTURES)");
		run_program(&r, SECONDS_MAX, dump);
		read_held_back(&h, r.out);
		run_release(&r);
		assert_true(h.event_len > 0);
		run_program(&r, SECONDS_MAX, json);
		if (strstr(r.err, "built without") != NULL)
			skip_for("%s", r.err);
		for (size_t k = 0; k < h.event_len; k++) {
			const char *at;

			snprintf(want, sizeof(want), "{\"name\":\"%s\",", h.events[k].name);
			at = strstr(r.out, want);
			assert_non_null(at);
			snprintf(want, sizeof(want), "\"throttled\":%u,", h.events[k].count);
			if (strncmp(strstr(at, "\"throttled\":"), want, strlen(want)) != 0)
				fail_msg("%s: %s is not %s", names[i], h.events[k].name, want);
		}
		run_release(&r);
	}
}

enum { TYPES_MAX = 128, TYPE_AUXTRACE = 71 };

/* The records of a file by type, counted by nothing but their sizes: all that are unknown are [0]. */
static void
count_types(const char *path, unsigned counts[TYPES_MAX])
{
	enum { DATA_AT = 40, HEADER = 8 };
	struct buf file = { 0 };
	uint64_t at, len, skip;
	FILE *f = fopen(path, "re");
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		buf_add_char(&file, (char)c);
	fclose(f);
	memset(counts, 0, TYPES_MAX * sizeof(*counts));
	memcpy(&at, file.data + DATA_AT, 8);
	memcpy(&len, file.data + DATA_AT + 8, 8);
	for (uint64_t end = at + len; at < end;) {
		uint32_t type;
		uint16_t size;

		memcpy(&type, file.data + at, 4);
		memcpy(&size, file.data + at + 6, 2);
		assert_true(size >= HEADER && at + size <= end);
		counts[type < TYPES_MAX ? type : 0]++;
		skip = 0;
		if (type == TYPE_AUXTRACE)
			memcpy(&skip, file.data + at + HEADER, 8);
		at += size + skip;
	}
	buf_release(&file);
}

/* The same by the dump: the lines of a type, with or without an event before it. */
static unsigned
count_lines(const char *dump, const char *type)
{
	char begin[64], behind[64];
	unsigned n = 0;

	snprintf(begin, sizeof(begin), "%s%s", type, strchr(type, ' ') != NULL ? "=" : " misc=");
	snprintf(behind, sizeof(behind), " %s misc=", type);
	while (*dump != '\0') {
		size_t len = strcspn(dump, "\n");
		const char *word = strstr(dump, behind);

		n += strncmp(dump, begin, strlen(begin)) == 0 ||
		     (word != NULL && word < dump + len);
		dump += len + (dump[len] != '\0');
	}
	return n;
}

/* Where perf report counts nothing, or cannot read the file: what the file says of itself. */
static void
what_perf_cannot_count_is_what_is_in_the_file(void **state)
{
	static const char *const names[] = {
		"aux-cs-etm-simpleperf", "old-perffile-v1", "simpleperf-callchain-record",
		"tracepoint-simpleperf-dynamic-field",
	};
	static const struct {
		uint32_t type;
		const char *name;
	} types[] = { { 1, "mmap" }, { 3, "comm" }, { 4, "exit" }, { 5, "throttle" },
		      { 6, "unthrottle" }, { 9, "sample" }, { 10, "mmap2" }, { 11, "aux" },
		      { 12, "itrace-start" }, { 71, "auxtrace" }, { 0, "unknown type" } };
	const char *dir = getenv("PTOP_FIXTURES");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[4096];
		char *dump[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--dump", NULL };
		char *report[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--format", "csv", NULL };
		unsigned counts[TYPES_MAX], all = 0;
		struct run_result r;

		snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data",
			 dir != NULL ? dir : "../shared/fixtures", names[i]);
		if (access(path, R_OK) != 0)
			skip_for("no recordings to read (PTOP_FIXTURES)");
		count_types(path, counts);
		run_program(&r, SECONDS_MAX, dump);
		for (size_t k = 0; k < ARRAY_SIZE(types); k++) {
			unsigned n = count_lines(r.out, types[k].name);

			if (n != counts[types[k].type])
				fail_msg("%s: %u of %s, in the file are %u", names[i], n,
					 types[k].name, counts[types[k].type]);
			all += n;
		}
		assert_true(all > 20);
		run_release(&r);
		run_program(&r, SECONDS_MAX, report);
		assert_int_equal((unsigned)run_csv_sum(r.out, "samples", 0, NULL), counts[9]);
		run_release(&r);
	}
}

/* Seven, as there are in what zstd(1) makes of its one packed record. */
static void
what_the_newest_perf_packs_is_unpacked(void **state)
{
	const char *dir = getenv("PTOP_FIXTURES");
	char path[4096];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--by", "comm,dso", "--format",
			 "csv", NULL };
	struct run_result r;

	(void)state;
	snprintf(path, sizeof(path), "%s/perfdata/zstd-compressed2-file-attr136.perf.data",
		 dir != NULL ? dir : "../shared/fixtures");
	if (access(path, R_OK) != 0)
		skip_for("no recordings to read (PTOP_FIXTURES)");
	run_program(&r, SECONDS_MAX, argv);
	if (strstr(r.err, "built without") != NULL)
		skip_for("%s", r.err);
	assert_string_equal(r.out, "comm,dso,samples,period,percent\n"
			    "sleep,[unknown],6,529494,76.4464\n"
			    "sleep,ld-linux-x86-64.so.2,1,163140,23.5536\n");
	run_release(&r);
}

/* A copy of a recording whose attributes say that only samples tell their time (sample_id_all). */
static void
write_timeless(const char *from, const char *to)
{
	enum { ATTR_SIZE = 16, ATTRS_AT = 24, ATTRS_LEN = 32, FLAGS_AT = 40, ID_ALL = 1 << 18 };
	struct buf file = { 0 };
	uint64_t each, at, len, flags;
	FILE *f = fopen(from, "re");
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		buf_add_char(&file, (char)c);
	fclose(f);
	memcpy(&each, file.data + ATTR_SIZE, 8);
	memcpy(&at, file.data + ATTRS_AT, 8);
	memcpy(&len, file.data + ATTRS_LEN, 8);
	for (uint64_t end = at + len; at < end; at += each) {
		memcpy(&flags, file.data + at + FLAGS_AT, 8);
		assert_true(flags & ID_ALL);
		flags &= ~(uint64_t)ID_ALL;
		memcpy(file.data + at + FLAGS_AT, &flags, 8);
	}
	f = fopen(to, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(file.data, 1, file.len, f), file.len);
	assert_int_equal(fclose(f), 0);
	buf_release(&file);
}

/* Names come at once, samples by their time: a task must not have ended by then. */
static void
where_only_samples_tell_a_time_tasks_have_their_names(void **state)
{
	static const struct {
		const char *name;
		unsigned samples;
	} files[] = { { "raw-cycles-3.4", 441 }, { "task-inherit-multiprocess", 19989 },
		      { "callgraph-fp-3.4", 1548 } };
	static const char copy[] = "test_replay.timeless";
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", (char *)(uintptr_t)copy, "--by",
			 "comm", "--format", "csv", NULL };
	const char *dir = getenv("PTOP_FIXTURES");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[4096];
		struct run_result r;

		snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data",
			 dir != NULL ? dir : "../shared/fixtures", files[i].name);
		if (access(path, R_OK) != 0)
			skip_for("no recordings to read (PTOP_FIXTURES)");
		write_timeless(path, copy);
		run_program(&r, SECONDS_MAX, argv);
		unlink(copy);
		assert_int_equal((unsigned)run_csv_sum(r.out, "samples", 0, NULL), files[i].samples);
		if (strstr(r.out, "\n:") != NULL)
			fail_msg("%s: a task without a name: %s", files[i].name,
				 strstr(r.out, "\n:"));
		run_release(&r);
	}
}

/* Of 32-bit programs of arm64, the leaf alone is known: the register of the recording's machine. */
static void
the_dump_reads_registers_by_the_machine_of_the_recording(void **state)
{
	const char *dir = getenv("PTOP_FIXTURES");
	char path[4096], pc[32], want[64];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", path, "--dump", NULL };
	const char *sample;
	struct run_result r;

	(void)state;
	snprintf(path, sizeof(path), "%s/perfdata/dwarf-regs-arm32.perf.data",
		 dir != NULL ? dir : "../shared/fixtures");
	if (access(path, R_OK) != 0)
		skip_for("no recordings to read (PTOP_FIXTURES)");
	run_program(&r, SECONDS_MAX, argv);
	sample = strstr(r.out, " regs_user=[abi:1 X0:0x");
	assert_non_null(sample);
	assert_int_equal(sscanf(strstr(sample, " PC:"), " PC:%31[0-9a-fx]", pc), 1);
	snprintf(want, sizeof(want), " unwound=[%s] cut=", pc);
	if (strstr(sample, want) == NULL)
		fail_msg("no '%s' behind: %.300s", want, sample);
	run_release(&r);
}

/* A pipe of perf's has no build-ids: it is not said that the kernel was another one. */
static void
a_kernel_that_is_not_told_is_not_called_another_one(void **state)
{
	const char *dir = getenv("PTOP_FIXTURES");
	char path[4096];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-i", path, "--by", "dso,reason", NULL };
	struct run_result r;

	(void)state;
	snprintf(path, sizeof(path), "%s/perfdata/pipe-header-features-4.16.perf.data",
		 dir != NULL ? dir : "../shared/fixtures");
	if (access(path, R_OK) != 0)
		skip_for("no recordings to read (PTOP_FIXTURES)");
	run_program(&r, SECONDS_MAX, argv);
	assert_non_null(strstr(r.out, "[kernel]"));
	assert_non_null(strstr(r.out, "has no build-id of its kernel"));
	run_release(&r);
}

/* perf record --buildid-mmap writes no table of them. */
static void
build_ids_of_maps_name_the_kernel_and_files(void **state)
{
	char text[1024];
	char *argv[] = { "/bin/sh", "-c", text, NULL };
	struct run_result r;

	(void)state;
	if (geteuid() != 0 || !run_has_perf())
		skip_for("needs root and a perf that runs");
	snprintf(text, sizeof(text), "f=$(mktemp) && perf record -q --buildid-mmap -e cpu-clock -F 5000 -o $f -- "
		 "dd if=/dev/zero of=/dev/null bs=1 count=500000; '%s' -b -i $f --by dso,reason; rm $f",
		 run_ptop());
	run_program(&r, SECONDS_MAX, argv);
	if (strstr(r.out, "[kernel]") == NULL)
		skip_for("perf has no --buildid-mmap");
	assert_null(strstr(r.out, "has no build-id"));
	assert_null(strstr(r.out, "nothing tells whether"));
	run_release(&r);
}

/* perf mounts tracefs for all: it gets a name space of its own. */
static void
payloads_that_come_through_perfs_pipe_have_fields(void **state)
{
	char text[1024];
	char *argv[] = { "unshare", "-m", "/bin/sh", "-c", text, NULL };
	struct run_result r;

	(void)state;
	if (geteuid() != 0 || !run_has_perf())
		skip_for("needs root and a perf that runs");
	snprintf(text, sizeof(text), "perf record -q -o - -e sched:sched_process_fork -- sh -c "
		 "'/bin/true; /bin/true' | '%s' -i - --dump | grep fields=", run_ptop());
	run_program(&r, SECONDS_MAX, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	assert_non_null(strstr(r.out, " fields=(parent_comm=\"sh\" parent_pid="));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_of_others_count_as_in_perf),
		cmocka_unit_test(what_samples_carry_is_counted_as_the_dump_shows_it),
		cmocka_unit_test(rows_of_any_key_add_up_to_all_samples),
		cmocka_unit_test(what_was_held_back_is_told_of_its_event),
		cmocka_unit_test(what_perf_cannot_count_is_what_is_in_the_file),
		cmocka_unit_test(what_the_newest_perf_packs_is_unpacked),
		cmocka_unit_test(where_only_samples_tell_a_time_tasks_have_their_names),
		cmocka_unit_test(the_dump_reads_registers_by_the_machine_of_the_recording),
		cmocka_unit_test(a_kernel_that_is_not_told_is_not_called_another_one),
		cmocka_unit_test(build_ids_of_maps_name_the_kernel_and_files),
		cmocka_unit_test(payloads_that_come_through_perfs_pipe_have_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
