/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows for databases.  An hour of two hosts that are made up, as rows of a minute each, is loaded by the
 * SQL of doc/fleet.md, and its questions are answered as reports of whole stretches answer them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <config.h>

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "export/formats.h"
#include "profile/report/report.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/database.h"
#include "tests/run.h"
#include "tests/share_past.h"
#include "view/column.h"

enum {
	FUNCTIONS = 20, PROCESSES = 5, HOSTS = 2, MINUTE_S = 60, HALF_S = 1800,
	GROWS = 3, NEW = 19, UNLIKE = 7, /* functions: since the deploy; since then; of the second host */
	LOST = 12, LOST_AT = 41, /* samples, in that minute, of the second host */
	PAGE_MAX = 256 << 10,
};

#define EPOCH_S UINT64_C(1795600000) /* when the hosts' clocks began */
#define DEPLOY_S (EPOCH_S + MINUTE_S + HALF_S)
#define TOLERANCE 1e-6

static const char keys[] = "comm,container,dso,symbol";

/* Stretches that reports are made of, before the end of the hour. */
static const struct stretch {
	unsigned ago_s, length_s;
} before = { HALF_S, HALF_S }, after = { 0, HALF_S }, slow = { 900, 600 };

static struct host {
	const char *name;
	struct share_past p;
	uint64_t lost;
	char *before, *after, *slow; /* CSV of these */
} hosts[HOSTS] = { { .name = "web1" }, { .name = "web2" } };

static struct buf rows, page;

static void
begin_host(struct host *h, uint64_t seed)
{
	struct profile *p;

	share_past_open(&h->p, FUNCTIONS, PROCESSES, 0.5, 0.3);
	world_begin(&h->p.world, seed, FUNCTIONS, 0.5, 0.3);
	h->p.world.share[NEW] = 1e-12;
	p = h->p.b.profile;
	free(p->events[0].name);
	p->events[0].name = mem_strdup("cpu-clock");
}

static struct snapshot *
picture(struct host *h, const struct stretch *of)
{
	static const struct event_facts facts[EVENTS] = { { .counts_time = true } };
	struct profile *p = h->p.b.profile;
	const uint64_t end_ns = h->p.b.now_ns - of->ago_s * NSEC_PER_SEC;
	struct report_source src = { .profile = p, .events = facts, .mono_ns = h->p.b.now_ns };
	struct query q = { .all_events = true, .sort = COLUMN_PERIOD, .end_ns = 1 };
	struct snapshot *s = snapshot_new();
	struct err err;

	assert_int_equal(key_parse_list(keys, q.keys, &q.key_count, &err), 0);
	s->query = q;
	s->head.host = h->name;
	s->head.event = "cpu-clock";
	s->head.window_have_s = of->length_s;
	s->head.window_lost = h->lost;
	s->head.as_of_ns = EPOCH_S * NSEC_PER_SEC + end_ns;
	profile_set_end(p, end_ns);
	profile_set_window(p, of->length_s * NSEC_PER_SEC);
	report_fill(s, &src, &q);
	return s;
}

/* All is in the sink: it passes nothing on. */
static int
keep(void *self, const void *data, size_t len)
{
	buf_add(self, data, len);
	return 0;
}

static void
put_report(struct buf *b, struct host *h, const struct stretch *of,
	   void (*put)(struct sink *, const struct snapshot *, const struct report_run *))
{
	struct sink out = { .write = keep, .self = b };
	struct snapshot *s = picture(h, of);

	put(&out, s, &(struct report_run){ .is_first = true });
	assert_int_equal(sink_flush(&out), 0);
	sink_release(&out);
	snapshot_put(s);
}

static void
run_hour(struct host *h)
{
	static const struct stretch minute = { 0, MINUTE_S };

	for (int m = 0; m < 2 * HALF_S / MINUTE_S; m++) {
		if (m == HALF_S / MINUTE_S) {
			h->p.world.share[GROWS] *= 2;
			h->p.world.share[NEW] = 0.04;
		}
		share_past_run(&h->p, MINUTE_S);
		h->lost = h == &hosts[1] && m == LOST_AT ? LOST : 0;
		put_report(&rows, h, &minute, ndjson_put_report);
	}
}

static char *
csv_of(struct host *h, const struct stretch *of)
{
	struct buf b = { 0 };

	put_report(&b, h, of, csv_put_report);
	return b.data;
}

static int
begin_all(void **state)
{
	const char *top = getenv("top_srcdir");
	char path[512];

	(void)state;
	for (int i = 0; i < HOSTS; i++)
		begin_host(&hosts[i], 5 + (uint64_t)i);
	hosts[1].p.world.share[UNLIKE] *= 4;
	for (int i = 0; i < HOSTS; i++) {
		run_hour(&hosts[i]);
		hosts[i].before = csv_of(&hosts[i], &before);
		hosts[i].after = csv_of(&hosts[i], &after);
		hosts[i].slow = csv_of(&hosts[i], &slow);
		share_past_close(&hosts[i].p);
	}
	snprintf(path, sizeof(path), "%s/doc/fleet.md", top != NULL ? top : ".");
	return file_read(path, &page, PAGE_MAX);
}

static int
end_all(void **state)
{
	(void)state;
	for (int i = 0; i < HOSTS; i++) {
		free(hosts[i].before);
		free(hosts[i].after);
		free(hosts[i].slow);
	}
	buf_release(&rows);
	buf_release(&page);
	return 0;
}

/* The block of SQL that begins with a comment of these words. */
static char *
sql_of(const char *words)
{
	char begin[200];
	const char *from, *to;

	snprintf(begin, sizeof(begin), "```sql\n-- %s", words);
	from = strstr(buf_str(&page), begin);
	to = from != NULL ? strstr(from + 3, "\n```") : NULL;
	if (to == NULL)
		fail_msg("doc/fleet.md has no '%s'", words);
	return strndup(from + strlen("```sql\n"), (size_t)(to + 1 - from) - strlen("```sql\n"));
}

/* Adds @sql with all words that begin with a colon replaced. */
static void
put_question(struct buf *b, const char *sql)
{
	const struct {
		const char *word;
		uint64_t number;  /* 0: */
		const char *text;
	} words[] = {
		{ ":deploy", DEPLOY_S, NULL },
		{ ":from", DEPLOY_S + HALF_S - slow.ago_s - slow.length_s, NULL },
		{ ":to", DEPLOY_S + HALF_S - slow.ago_s, NULL },
		{ ":host", 0, "'web2'" },
		{ ":function", 0, "'f7'" },
	};

	while (*sql != '\0') {
		size_t i = 0;

		while (i < ARRAY_SIZE(words) && strncmp(sql, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i == ARRAY_SIZE(words)) {
			buf_add_char(b, *sql++);
			continue;
		}
		if (words[i].number != 0)
			buf_add_u64(b, words[i].number);
		else
			buf_add_str(b, words[i].text);
		sql += strlen(words[i].word);
	}
}

/* What reports of one host say of the rows in which @column is @value, NULL: of all. */
static double
told(const char *csv, const char *sum, const char *column, const char *value)
{
	double all = run_csv_sum(csv, sum, value != NULL ? 1 : 0,
				 (const char *const[][2]){ { column, value } });

	return strcmp(sum, "period") == 0 ? all / 1e9 : all;
}

static double
told_of_function(unsigned function, bool is_after)
{
	char name[16];
	double sum = 0;

	snprintf(name, sizeof(name), "f%u", function);
	for (int i = 0; i < HOSTS; i++)
		sum += told(is_after ? hosts[i].after : hosts[i].before, "period", "symbol", name);
	return sum;
}

static void
check_grown(struct csv *c)
{
	double least = 1e9;
	bool has[FUNCTIONS] = { false };
	unsigned count = 0;

	while (csv_next(c)) {
		unsigned f = (unsigned)atoi(csv_field(c, "symbol") + 1);

		assert_true(f < FUNCTIONS);
		assert_string_equal(csv_field(c, "dso"), "x");
		assert_within(csv_number(c, "before_s"), told_of_function(f, false), TOLERANCE);
		assert_within(csv_number(c, "after_s"), told_of_function(f, true), TOLERANCE);
		assert_true(csv_number(c, "grew_s") <= least);
		least = csv_number(c, "grew_s");
		assert_within(least, told_of_function(f, true) - told_of_function(f, false), TOLERANCE);
		if (count == 0)
			assert_int_equal(f, GROWS);
		has[f] = true;
		count++;
	}
	assert_int_equal(count, 10);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		assert_true(has[f] || told_of_function(f, true) - told_of_function(f, false) <=
				      least + TOLERANCE);
}

static void
check_new(struct csv *c)
{
	unsigned seen = 0;

	while (csv_next(c)) {
		for (int i = 0; i < HOSTS; i++) {
			if (strcmp(csv_field(c, "host"), hosts[i].name) != 0)
				continue;
			assert_within(csv_number(c, "cpu_s"), told(hosts[i].after, "period", "symbol", "f19"),
				      TOLERANCE);
			seen |= 1u << i;
		}
		assert_string_equal(csv_field(c, "symbol"), "f19");
	}
	assert_int_equal(seen, (1u << HOSTS) - 1);
}

static void
check_unlike(struct csv *c)
{
	for (int i = HOSTS; i-- > 0;) { /* the second has more */
		assert_true(csv_next(c));
		assert_string_equal(csv_field(c, "host"), hosts[i].name);
		/* Of a report percents are of four places. */
		assert_within(csv_number(c, "share"), told(hosts[i].slow, "percent", "symbol", "f7"), 1e-3);
	}
	assert_false(csv_next(c));
}

static void
check_slow(struct csv *c)
{
	struct csv report;

	/* It is sorted as the question is. */
	csv_init(&report, hosts[1].slow);
	for (int i = 0; i < 10; i++) {
		assert_true(csv_next(c));
		assert_true(csv_next(&report));
		assert_string_equal(csv_field(c, "comm"), csv_field(&report, "comm"));
		assert_string_equal(csv_field(c, "symbol"), csv_field(&report, "symbol"));
		assert_within(csv_number(c, "taken"), csv_number(&report, "samples"), TOLERANCE);
		assert_within(csv_number(c, "cpu_s"), csv_number(&report, "period") / 1e9, TOLERANCE);
	}
	assert_false(csv_next(c));
	csv_release(&report);
}

static void
check_programs(struct csv *c)
{
	double all[HOSTS] = { 0 };

	while (csv_next(c)) {
		int i = strcmp(csv_field(c, "host"), hosts[1].name) == 0;

		all[i] += csv_number(c, "cpus");
		assert_within(csv_number(c, "cpus"),
			      told(hosts[i].slow, "period", "comm", csv_field(c, "comm")) / slow.length_s,
			      TOLERANCE);
		assert_that(csv_number(c, "most_lost"), ==, i == 1 ? LOST : 0);
	}
	for (int i = 0; i < HOSTS; i++)
		assert_within(all[i], told(hosts[i].slow, "period", "comm", NULL) / slow.length_s, TOLERANCE);
}

static void
check(const struct database_kind *kind)
{
	static const struct {
		const char *words;
		void (*check)(struct csv *c);
	} questions[] = {
		{ "Which functions grew since the deploy", check_grown },
		{ "Which functions run on a host since", check_new },
		{ "Which host is not like the others", check_unlike },
		{ "What did a host do", check_slow },
		{ "How many CPUs does each program take", check_programs },
	};
	char *sql, *answer;
	struct csv c;

	database_begin(kind, buf_str(&rows));
	sql = sql_of(kind->name);
	kind->load(sql);
	free(sql);
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		struct buf b = { 0 };

		sql = sql_of(questions[i].words);
		put_question(&b, sql);
		answer = kind->ask(b.data);
		csv_init(&c, answer);
		questions[i].check(&c);
		csv_release(&c);
		free(answer);
		buf_release(&b);
		free(sql);
	}
}

static void
sqlite_answers_as_reports_do(void **state)
{
	(void)state;
	check(&database_sqlite);
}

static void
postgresql_answers_as_reports_do(void **state)
{
	(void)state;
	check(&database_postgres);
}

static void
clickhouse_answers_as_reports_do(void **state)
{
	(void)state;
	check(&database_clickhouse);
}

static int
end_database(void **state)
{
	(void)state;
	database_end();
	return 0;
}

/* A report of a row and of what filters left out, at 1795600000.5, 3 s after the start. */
static struct snapshot *
small_report(void)
{
	static struct snapshot_event events[] = {
		{ .name = "cycles" }, { .name = "cpu-clock", .counts_time = true },
	};
	static struct row row = { .event = "cpu-clock", .comm = "\033[2J;\n\xff",
				  .symbol = "say \"hi\"", .samples = 25, .period = 25000,
				  .share = 0.25 };
	static struct row left_out = { .event = "", .comm = "", .symbol = "[filtered]",
				       .samples = 5, .period = 5000, .share = NAN,
				       .flags = ROW_FILTERED };
	struct snapshot *s = snapshot_new();

	s->query = (struct query){ .keys = { KEY_COMM, KEY_SYMBOL }, .key_count = 2 };
	s->events = events;
	s->event_count = ARRAY_SIZE(events);
	s->rows = &row;
	s->row_count = 1;
	s->filtered = &left_out;
	s->filtered_count = 1;
	s->head.host = "box";
	s->head.window_have_s = 2;
	s->head.window_lost = 1;
	s->head.moments = (struct moments){ .begin_ns = 7 * NSEC_PER_SEC, .now_ns = 10 * NSEC_PER_SEC };
	wall_note(&s->head.moments.wall, 10 * NSEC_PER_SEC, 1795600000500000000, &(int64_t){ 0 });
	return s;
}

static void
a_row_a_line_says_when_and_where(void **state)
{
	struct snapshot *s = small_report();
	struct sink out = { 0 };

	(void)state;
	/* Short enough to be all in the sink. */
	ndjson_put_report(&out, s, &(struct report_run){ .is_series = true, .has_events = true });
	assert_string_equal(buf_str(&out.buf),
		"{\"time\":1795600000.5,\"seconds\":2.0,\"host\":\"box\",\"lost_samples\":1,"
		"\"event\":\"cpu-clock\",\"period_unit\":\"nanoseconds\",\"sum_of\":\"\","
		"\"comm\":\"\\\\x1b[2J;\\\\x0a\\\\xff\",\"symbol\":\"say \\\"hi\\\"\","
		"\"samples\":25,\"period\":25000,\"percent\":25.0}\n"
		"{\"time\":1795600000.5,\"seconds\":2.0,\"host\":\"box\",\"lost_samples\":1,"
		"\"event\":\"\",\"period_unit\":\"count\",\"sum_of\":\"filtered\","
		"\"comm\":\"\",\"symbol\":\"[filtered]\","
		"\"samples\":5,\"period\":5000,\"percent\":null}\n");
	sink_release(&out);
	snapshot_put(s);
}

/* When samples were taken, if they are told apart by that; of a recording perhaps nothing is known. */
static void
times_are_all_of_one_kind(void **state)
{
	static const struct {
		uint64_t time;
		bool is_recording;
		const char *want;
	} cases[] = {
		{ 0, false, "{\"time\":null," },
		{ 2 * NSEC_PER_SEC + 1, false, "{\"time\":1795599999.5," },
		{ 1795600000250000001, false, "{\"time\":1795600000.25," },
		{ 2 * NSEC_PER_SEC + 1, true, "{\"time\":null," },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot *s = small_report();
		struct sink out = { 0 };

		s->query.keys[0] = KEY_TIME;
		s->rows[0].time = cases[i].time;
		s->head.recording = cases[i].is_recording ? "perf.data" : NULL;
		if (cases[i].is_recording)
			s->head.moments.wall.len = 0;
		ndjson_put_report(&out, s, &(struct report_run){ .is_first = true });
		assert_memory_equal(out.buf.data, cases[i].want, strlen(cases[i].want));
		s->query.keys[0] = KEY_COMM;
		buf_reset(&out.buf);
		ndjson_put_report(&out, s, &(struct report_run){ .is_first = true });
		assert_non_null(strstr(out.buf.data, cases[i].is_recording ? "\"time\":null,"
									   : "\"time\":1795600000.5,"));
		sink_release(&out);
		snapshot_put(s);
	}
}

/* In place of the machine's; without --hosts no row has one. */
static void
a_row_says_its_own_host_where_it_has_one(void **state)
{
	static const char box[] = "\"host\":\"box\"", web[] = "\"host\":\"web1\"";

	(void)state;
	for (int of_hosts = 0; of_hosts < 2; of_hosts++) {
		struct snapshot *s = small_report();
		struct sink out = { 0 };

		s->query.keys[0] = KEY_HOST;
		s->rows[0].host = of_hosts ? "web1" : "-";
		s->events[0].is_of_hosts = of_hosts;
		ndjson_put_report(&out, s, &(struct report_run){ .is_first = true });
		assert_int_equal(strstr(out.buf.data, web) != NULL, of_hosts);
		assert_int_equal(strstr(out.buf.data, box) == NULL, of_hosts);
		assert_int_equal(run_count_text(out.buf.data, "\"host\":"), 2);
		s->events[0].is_of_hosts = false;
		sink_release(&out);
		snapshot_put(s);
	}
}

/* Each of the table's, in backquotes. */
static void
each_member_of_a_row_is_told_in_the_page(void **state)
{
	const char *line = buf_str(&rows), *end = strchr(line, '\n'), *key;
	json_t *row = json_loadb(line, (size_t)(end - line), 0, NULL), *value;
	const char *table = strstr(buf_str(&page), "| member | is |");

	(void)state;
	assert_non_null(row);
	assert_non_null(table);
	json_object_foreach(row, key, value) {
		char word[64];

		snprintf(word, sizeof(word), "`%s`", key);
		if (strstr(table, word) == NULL)
			fail_msg("doc/fleet.md does not tell of %s", word);
	}
	json_decref(row);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_a_line_says_when_and_where),
		cmocka_unit_test(times_are_all_of_one_kind),
		cmocka_unit_test(a_row_says_its_own_host_where_it_has_one),
		cmocka_unit_test(each_member_of_a_row_is_told_in_the_page),
		cmocka_unit_test_teardown(sqlite_answers_as_reports_do, end_database),
		cmocka_unit_test_teardown(postgresql_answers_as_reports_do, end_database),
		cmocka_unit_test_teardown(clickhouse_answers_as_reports_do, end_database),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}

#else

int
main(void)
{
	printf("1..0 # SKIP built without jansson\n");
	return 0;
}

#endif
