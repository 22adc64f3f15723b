/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One recording in all formats: each function has the same sums in all of them as in the table, to
 * readers of ours and to go tool pprof; and how files are written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <config.h>

#include "base/buf.h"
#include "base/file.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/stack_sums.h"
#include "tests/skip.h"

#ifdef HAVE_JANSSON
#include "tests/json_rule.h"
#endif

enum { PATIENCE_S = 120, FILE_MAX = 64 << 20, TRIES = 5 };

#define EVENT "cpu-clock"
#define OTHER_EVENT "task-clock"

/* A folder of the test's own; the recording is made once. */
static char dir[64];

static const char *
path_of(const char *name)
{
	static char paths[4][128];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(paths[n], sizeof(paths[n]), "%s/%s", dir, name);
	return paths[n];
}

/* Runs a program with words, ended by NULL. */
static void
run(struct run_result *r, const char *word, ...)
{
	char *argv[24] = { (char *)(uintptr_t)word };
	va_list ap;
	size_t n = 1;

	va_start(ap, word);
	do
		argv[n] = va_arg(ap, char *);
	while (argv[n++] != NULL && n < 24);
	va_end(ap);
	run_program(r, PATIENCE_S, argv);
}

static void
assert_exit(const struct run_result *r, int status)
{
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != status)
		fail_msg("status %x, not %d: %s", r->status, status, r->err);
}

/* ptop on a load of its own, with more words. */
#define sample(r, ...) \
	do { \
		pid_t load = run_load("hot"); \
		char pid[16]; \
\
		snprintf(pid, sizeof(pid), "%d", (int)load); \
		run(r, run_ptop(), "-p", pid, __VA_ARGS__, NULL); \
		run_end(load); \
	} while (0)

static int
begin(void **state)
{
	struct run_result r;

	(void)state;
	strcpy(dir, "/tmp/ptop-formats-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	sample(&r, "-n", "1", "-d", "3", "-F", "997", "-e", EVENT, "-e", OTHER_EVENT, "-r",
	       path_of("perf.data"), "-o", path_of("live.txt"));
	/* Without the right to sample there is no file: each test says so. */
	run_release(&r);
	return 0;
}

static int
end(void **state)
{
	struct run_result r;

	(void)state;
	umount2(path_of("full"), MNT_DETACH);
	run(&r, "rm", "-r", dir, NULL);
	run_release(&r);
	return 0;
}

static const char *
recording(void)
{
	struct stat st;

	if (stat(path_of("perf.data"), &st) < 0 || st.st_size == 0)
		skip_for("nothing can be sampled here");
	return path_of("perf.data");
}

/* Of the recording, as the file's ending says. */
static void
report(const char *file, struct buf *content)
{
	struct run_result r;

	run(&r, run_ptop(), "-i", recording(), "--by", "event,symbol", "-o", path_of(file),
	    "--force", NULL);
	assert_exit(&r, 0);
	run_release(&r);
	*content = (struct buf){ 0 };
	assert_int_equal(file_read(path_of(file), content, FILE_MAX), 0);
}

static bool
is_named(const char *symbol)
{
	return strncmp(symbol, "0x", 2) != 0 && *symbol != '[' && strstr(symbol, "+0x") == NULL;
}

static void
assert_same(const struct sums *a, const struct sums *b, const char *what, bool totals)
{
	size_t compared = 0;

	assert_int_equal(a->all, b->all);
	for (size_t i = 0; i < a->len; i++) {
		const struct sum *x = &a->items[i], *y = sums_find(b, x->name);

		if (!is_named(x->name) || (!totals && x->self == 0))
			continue;
		if (y == NULL || x->self != y->self || (totals && x->total != y->total))
			fail_msg("%s: %s has %llu of %llu, elsewhere %llu of %llu", what, x->name,
				 (unsigned long long)x->self, (unsigned long long)x->total,
				 y != NULL ? (unsigned long long)y->self : 0,
				 y != NULL ? (unsigned long long)y->total : 0);
		compared++;
	}
	assert_that(compared, >=, 2);
}

static void
all_formats_say_the_same_as_the_table(void **state)
{
	struct sums table = { 0 }, periods = { 0 }, folded = { 0 }, pprof = { 0 }, time = { 0 },
		    scope = { 0 };
	struct buf text;

	(void)state;
	need_jansson();
	need_zlib();
	report("t.json", &text);
	sums_of_table(&table, text.data, EVENT, "samples");
	sums_of_table(&periods, text.data, EVENT, "period");
	buf_release(&text);
	assert_non_null(sums_find(&table, "hot_loop"));
	assert_that(table.all, >, 20);
	report("t.folded", &text);
	sums_of_folded(&folded, text.data, EVENT, 2);
	buf_release(&text);
	report("t.pb.gz", &text);
	sums_of_pprof(&pprof, text.data, text.len, "samples:" EVENT);
	sums_of_pprof(&time, text.data, text.len, EVENT);
	buf_release(&text);
	report("t.speedscope.json", &text);
	sums_of_speedscope(&scope, text.data, EVENT);
	buf_release(&text);
	assert_same(&table, &folded, "folded", false);
	assert_same(&folded, &table, "the table", false);
	assert_same(&table, &pprof, "pprof", false);
	assert_same(&folded, &pprof, "pprof", true);
	assert_same(&pprof, &folded, "folded", true);
	assert_same(&periods, &time, "pprof's time", false);
	assert_same(&periods, &scope, "speedscope", false);
	assert_same(&time, &scope, "speedscope", true);
	sums_release(&table);
	sums_release(&periods);
	sums_release(&folded);
	sums_release(&pprof);
	sums_release(&time);
	sums_release(&scope);
}

static void
pprof_tells_where_things_are(void **state)
{
	struct pprof_facts facts = { 0 };
	struct buf text;
	char *line;

	(void)state;
	need_zlib();
	report("t.pb.gz", &text);
	pprof_facts_of(&facts, text.data, text.len);
	assert_non_null(strstr(facts.text, "type " EVENT " nanoseconds\n"));
	assert_non_null(strstr(facts.text, "type " OTHER_EVENT " nanoseconds\n"));
	assert_non_null(strstr(facts.text, "label comm hot\n"));
	assert_non_null(strstr(facts.text, "duration "));
	/* The load's own mapping: path, build-id, where it was. */
	line = strstr(facts.text, "tests/loads/hot ");
	assert_non_null(line);
	assert_that(strspn(line + 16, "0123456789abcdef"), >=, 16);
	assert_null(strstr(line, "tests/loads/hot  0 0 0\n"));
	pprof_facts_release(&facts);
	buf_release(&text);
}

/* "  940ms 76.15% 76.15%  1200ms 97.20%  name", the name behind a bar in trees; flat alone. */
static void
take_lines(struct sums *s, const char *text, bool tree)
{
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		unsigned long long flat, cum;
		double a, b, c;
		int at = 0;

		if (sscanf(line, " %llu %lf%% %lf%% %llu %lf%% %n", &flat, &a, &b, &cum, &c, &at) < 5 ||
		    at == 0)
			continue;
		if (tree && strncmp(line + at, "| ", 2) != 0)
			continue;
		at += tree ? 2 : 0;
		at += (int)strspn(line + at, " ");
		s->items = realloc(s->items, (s->len + 1) * sizeof(*s->items));
		assert_non_null(s->items);
		s->items[s->len++] = (struct sum){ strdup(line + at), flat, cum };
		s->all += flat;
	}
	free(copy);
}

static void
go_tool_pprof_reads_the_same(void **state)
{
	struct sums ours = { 0 }, top = { 0 }, tree = { 0 };
	struct run_result r;
	struct buf text;

	(void)state;
	need_zlib();
	run(&r, "go", "version", NULL);
	if (r.status != 0) {
		run_release(&r);
		skip_for("go is not installed");
	}
	run_release(&r);
	setenv("HOME", dir, 1);
	report("t.pb.gz", &text);
	sums_of_pprof(&ours, text.data, text.len, "samples:" EVENT);
	buf_release(&text);
	for (int i = 0; i < 2; i++) {
		run(&r, "go", "tool", "pprof", i == 0 ? "-top" : "-tree", "-symbolize=none",
		    "-sample_index=samples:" EVENT, "-nodecount=100000", "-nodefraction=0",
		    "-edgefraction=0", path_of("t.pb.gz"), NULL);
		assert_exit(&r, 0);
		assert_non_null(strstr(r.out, "File: hot\n"));
		take_lines(i == 0 ? &top : &tree, r.out, i == 1);
		run_release(&r);
	}
	assert_same(&ours, &top, "go tool pprof -top", true);
	assert_same(&ours, &tree, "go tool pprof -tree", true);
	sums_release(&ours);
	sums_release(&top);
	sums_release(&tree);
}

#ifdef HAVE_JANSSON

/* Live, of the recording, and of it compared with itself. */
static void
the_schema_has_every_member_of_json_reports(void **state)
{
	static const char *const views[] = { "processes", "locks", "tree", "annotate", "unnamed", "counters" };
	const char *file = recording();
	struct run_result r;
	json_t *schema, *report, *name;
	size_t k;

	(void)state;
	run(&r, run_ptop(), "--json-schema", NULL);
	assert_int_equal(r.status, 0);
	schema = json_loads(r.out, 0, NULL);
	assert_non_null(schema);
	run_release(&r);
	for (size_t i = 0; i < ARRAY_SIZE(views) + 2; i++) {
		if (i == ARRAY_SIZE(views))
			run(&r, run_ptop(), "-i", file, "--diff", file, "--format", "json", NULL);
		else if (i > ARRAY_SIZE(views))
			run(&r, run_ptop(), "-i", file, "--by", "comm,address,cpu,time",
			    "--format", "json", NULL);
		else if (strcmp(views[i], "counters") == 0)
			run(&r, run_ptop(), "-V", views[i], "-n", "1", "-d", "0.2", "--format", "json", NULL);
		else
			run(&r, run_ptop(), "-i", file, "-V", views[i], "--format", "json", NULL);
		report = json_loads(r.out, 0, NULL);
		if (report == NULL)
			fail_msg("no report: %s", r.err);
		assert_described("report", schema, report);
		json_array_foreach(json_object_get(schema, "required"), k, name)
			assert_non_null(json_object_get(report, json_string_value(name)));
		json_decref(report);
		run_release(&r);
	}
	json_decref(schema);
}

static bool is_valid(json_t *schema, json_t *rule, json_t *value, struct buf *where);

static bool
members_are_valid(json_t *schema, json_t *rule, json_t *value, struct buf *where)
{
	const char *key;
	json_t *sub, *name;
	size_t i;

	json_array_foreach(json_object_get(rule, "required"), i, name)
		if (json_object_get(value, json_string_value(name)) == NULL) {
			buf_addf(where, "no %s; ", json_string_value(name));
			return false;
		}
	json_object_foreach(json_object_get(rule, "properties"), key, sub)
		if (json_object_get(value, key) != NULL &&
		    !is_valid(schema, sub, json_object_get(value, key), where)) {
			buf_addf(where, "in %s; ", key);
			return false;
		}
	json_array_foreach(value, i, sub)
		if (json_object_get(rule, "items") != NULL &&
		    !is_valid(schema, json_object_get(rule, "items"), sub, where)) {
			buf_addf(where, "in item %zu; ", i);
			return false;
		}
	return true;
}

/* As far as that schema goes: any keyword it does not know fails the test. */
static bool
is_valid(json_t *schema, json_t *rule, json_t *value, struct buf *where)
{
	static const char *const known[] = { "$ref", "$schema", "anyOf", "const", "definitions", "enum",
					     "items", "properties", "required", "title", "type" };
	const char *key, *ref = json_string_value(json_object_get(rule, "$ref"));
	json_t *sub, *any = json_object_get(rule, "anyOf"), *list = json_object_get(rule, "enum");
	bool fits = any == NULL && list == NULL;
	size_t i;

	json_object_foreach(rule, key, sub) {
		bool is_known = false;

		for (i = 0; i < ARRAY_SIZE(known); i++)
			is_known |= strcmp(known[i], key) == 0;
		if (!is_known)
			fail_msg("the schema has a keyword that the test does not know: %s", key);
	}
	if (ref != NULL && !is_valid(schema, json_object_get(json_object_get(schema, "definitions"),
							      ref + strlen("#/definitions/")), value, where))
		return false;
	json_array_foreach(any, i, sub)
		fits = fits || is_valid(schema, sub, value, where);
	json_array_foreach(list, i, sub)
		fits = fits || json_equal(sub, value);
	sub = json_object_get(rule, "const");
	fits = fits && (sub == NULL || json_equal(sub, value));
	sub = json_object_get(rule, "type");
	fits = fits && (sub == NULL || json_is_of_type(sub, value));
	return fits && members_are_valid(schema, rule, value, where);
}

/* From the npm package, unless $SPEEDSCOPE_SCHEMA names a copy. */
static json_t *
find_schema(void)
{
	const char *copy = getenv("SPEEDSCOPE_SCHEMA");
	json_t *schema = NULL;
	struct run_result r;

	if (copy != NULL)
		return json_load_file(copy, 0, NULL);
	run(&r, "sh", "-c", "cd \"$1\" && timeout 60 npm pack --silent speedscope >/dev/null 2>&1 && "
	    "tar xzOf speedscope-*.tgz --wildcards '*/file-format-schema.json'", "sh", dir, NULL);
	if (r.status == 0)
		schema = json_loads(r.out, 0, NULL);
	run_release(&r);
	return schema;
}

static void
speedscope_files_are_valid(void **state)
{
	json_t *schema, *file, *wrong;
	struct buf text, where = { 0 };

	(void)state;
	recording();
	schema = find_schema();
	if (schema == NULL)
		skip_for("npm cannot get the package speedscope");
	report("t.speedscope.json", &text);
	file = json_loads(text.data, 0, NULL);
	assert_non_null(file);
	if (!is_valid(schema, schema, file, &where))
		fail_msg("%s", buf_str(&where));
	/* And the reader would tell. */
	wrong = json_deep_copy(file);
	json_object_set_new(json_array_get(json_object_get(wrong, "profiles"), 0), "unit",
			    json_string("hours"));
	assert_false(is_valid(schema, schema, wrong, &where));
	json_decref(wrong);
	json_decref(file);
	json_decref(schema);
	buf_release(&text);
	buf_release(&where);
}

#else

static void
speedscope_files_are_valid(void **state)
{
	(void)state;
	skip_for("built without jansson");
}

static void
the_schema_has_every_member_of_json_reports(void **state)
{
	speedscope_files_are_valid(state);
}

#endif

static void
assert_nothing_left(const char *folder)
{
	struct run_result r;

	run(&r, "ls", "-A", folder, NULL);
	assert_string_equal(r.out, "");
	run_release(&r);
}

static void
files_are_private_and_not_overwritten(void **state)
{
	static const char *const files[] = { "p.svg", "p.csv",
#ifdef HAVE_ZLIB
					     "p.pb.gz",
#endif
#ifdef HAVE_JANSSON
					     "p.speedscope.json",
#endif
	};
	struct run_result r;
	struct stat st;
	char text[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		run(&r, run_ptop(), "-i", recording(), "-o", path_of(files[i]), NULL);
		assert_exit(&r, 0);
		run_release(&r);
		assert_int_equal(stat(path_of(files[i]), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		run(&r, run_ptop(), "-i", recording(), "-o", path_of(files[i]), NULL);
		assert_exit(&r, 1);
		snprintf(text, sizeof(text), "'%s' exists", path_of(files[i]));
		assert_non_null(strstr(r.err, text));
		assert_non_null(strstr(r.err, "--force overwrites it"));
		run_release(&r);
	}
	/* A link is none of ours, even with force: what it leads to stays. */
	assert_int_equal(symlink(path_of("p.csv"), path_of("link.svg")), 0);
	stat(path_of("p.csv"), &st);
	run(&r, run_ptop(), "-i", recording(), "-o", path_of("link.svg"), "--force", NULL);
	assert_exit(&r, 1);
	run_release(&r);
	assert_int_equal(unlink(path_of("link.svg")), 0);
}

static void
a_full_disk_is_one_message_and_no_file_but_a_report(void **state)
{
	static const char *const files[] = { "f.svg", "f.folded",
#ifdef HAVE_ZLIB
					     "f.pb.gz",
#endif
#ifdef HAVE_JANSSON
					     "f.speedscope.json",
#endif
	};
	char folder[128], file[192], want[320];
	struct run_result r;

	(void)state;
	recording();
	snprintf(folder, sizeof(folder), "%s", path_of("full"));
	mkdir(folder, 0700);
	if (mount("ptop-test", folder, "tmpfs", 0, "size=4k,nr_inodes=4") < 0)
		skip_for("no file system can be mounted here");
	/* All of its one page is taken. */
	snprintf(file, sizeof(file), "head -c 4096 /dev/zero >'%s/.full'", folder);
	run(&r, "sh", "-c", file, NULL);
	run_release(&r);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(file, sizeof(file), "%s/%s", folder, files[i]);
		run(&r, run_ptop(), "-i", recording(), "-o", file, NULL);
		assert_exit(&r, 1);
		snprintf(want, sizeof(want), "ptop: cannot write to '%s': No space left on device "
			 "(the report is on standard output)\n", file);
		assert_string_equal(r.err, want);
		assert_that(r.out_len, >, 0);
		run_release(&r);
	}
	snprintf(file, sizeof(file), "%s/.full", folder);
	unlink(file);
	assert_nothing_left(folder);
	umount2(folder, MNT_DETACH);
}

static void
one_report_of_the_whole_run_is_the_file(void **state)
{
	struct pprof_facts facts = { 0 };
	struct sums sums = { 0 };
	struct run_result r;
	struct buf text = { 0 };

	(void)state;
	need_zlib();
	recording();
	sample(&r, "-n", "3", "-d", "1", "-F", "997", "-e", EVENT, "-o", path_of("n.pb.gz"));
	assert_exit(&r, 0);
	run_release(&r);
	assert_int_equal(file_read(path_of("n.pb.gz"), &text, FILE_MAX), 0);
	sums_of_pprof(&sums, text.data, text.len, "samples");
	pprof_facts_of(&facts, text.data, text.len);
	/* Of three intervals, not of the last one. */
	assert_non_null(strstr(facts.text, "\nduration "));
	assert_that(strtod(strstr(facts.text, "\nduration ") + 10, NULL), >, 2.5e9);
	pprof_facts_release(&facts);
	assert_that(sums.all, >, 0);
	sums_release(&sums);
	buf_release(&text);
}

/* Whether it has the row of the function, with the line that it is most in. */
static bool
has_line(const struct run_result *r)
{
	const char *row = strstr(r->out, "  hot_loop  ");
	const char *line = row != NULL ? strstr(row, "  hot.c:") : NULL;

	assert_exit(r, 0);
	return line != NULL && line < strchr(row, '\n');
}

/* A live report waits for lines no longer than a second and a half. */
static void
text_of_functions_has_their_lines(void **state)
{
#ifdef HAVE_LIBDW
	struct run_result r;
	bool has = false;

	(void)state;
	run(&r, run_ptop(), "-i", recording(), "-V", "functions", NULL);
	if (!has_line(&r))
		fail_msg("no line of hot_loop:\n%s", r.out);
	run_release(&r);
	for (int tries = 0; tries < TRIES && !has; tries++) {
		sample(&r, "-b", "-n", "1", "-d", "1", "-e", EVENT, "-V", "functions");
		has = has_line(&r);
		if (!has)
			print_message("# no line of hot_loop:\n%s", r.out);
		run_release(&r);
	}
	assert_true(has);
#else
	(void)state;
	skip_for("built without libdw");
#endif
}

/* What a PMU makes of config1, as a limit of latency, is as much of an event as its code. */
static void
recordings_of_events_with_another_config1_are_told_apart(void **state)
{
	static const char *const events[] = { "cpu-clock/config1=5/u", "cpu-clock/config1=7/u" };
	const char *const files[] = { path_of("five.data"), path_of("seven.data") };
	struct run_result r;

	(void)state;
	recording();
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		sample(&r, "-b", "-n", "1", "-d", "0.3", "-e", events[i], "-r", files[i]);
		assert_exit(&r, 0);
		run_release(&r);
	}
	run(&r, run_ptop(), "-i", files[0], "--diff", files[1], NULL);
	assert_exit(&r, 0);
	assert_non_null(strstr(r.err, "config1=5/u is compared with event cpu-clock/config1=7/u: "));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_formats_say_the_same_as_the_table),
		cmocka_unit_test(pprof_tells_where_things_are),
		cmocka_unit_test(go_tool_pprof_reads_the_same),
		cmocka_unit_test(speedscope_files_are_valid),
		cmocka_unit_test(the_schema_has_every_member_of_json_reports),
		cmocka_unit_test(recordings_of_events_with_another_config1_are_told_apart),
		cmocka_unit_test(files_are_private_and_not_overwritten),
		cmocka_unit_test(a_full_disk_is_one_message_and_no_file_but_a_report),
		cmocka_unit_test(one_report_of_the_whole_run_is_the_file),
		cmocka_unit_test(text_of_functions_has_their_lines),
	};

	run_own_mounts();
	return cmocka_run_group_tests(tests, begin, end);
}
