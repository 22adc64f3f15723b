/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of a report, as folded lines: from the trees, or from functions where there are none. */
#include "export/formats.h"
#include "profile/report/report.h"
#include "profile_fixture.h"
#include "tests/asserts.h"
#include "view/column.h"

#include <stdlib.h>

struct scene {
	struct fixture b;
	struct report_source src;
	struct query query;
	struct filter *filter;
	struct snapshot *snap;
	struct buf text;
	uint32_t dso;
};

/* Tasks 20 "we;b" with its thread 21 "worker", and 30 "db"; functions "f0" to "f3". */
static void
scene_open(struct scene *s)
{
	*s = (struct scene){ 0 };
	bench_open(&s->b, 24 << 20);
	s->dso = dsos_file(&s->b.model->dsos, "/bin/web", 8, 1, 42, 0);
	locations_learn_image(&s->b.locations, s->dso, make_image(4, 256), "", "");
	locations_learn_image(&s->b.locations, DSO_ID_KERNEL, NULL, "hidden", "be root");
	tell_fork(s->b.model, 1, 1, 20, 20, 1);
	tell_comm(s->b.model, 20, 20, "we;b", true);
	tell_fork(s->b.model, 20, 20, 20, 21, 1);
	tell_comm(s->b.model, 20, 21, "worker", false);
	tell_fork(s->b.model, 1, 1, 30, 30, 1);
	tell_comm(s->b.model, 30, 30, "db", true);
	s->src = (struct report_source){ .profile = s->b.profile };
	s->query = (struct query){ .stacks = true, .by_view = true, .view = VIEW_FUNCTIONS };
}

static void
scene_close(struct scene *s)
{
	snapshot_put(s->snap);
	filter_free(s->filter);
	buf_release(&s->text);
	bench_close(&s->b);
}

/* The node of the functions in @path, outermost first, one digit each. */
static uint32_t
callers(struct scene *s, uint32_t event, int tid, const char *path)
{
	uint32_t who = model_who(s->b.model, model_find_task(s->b.model, tid));
	uint32_t node = tables_root(&s->b.profile->tables, who, event);

	for (; *path != '\0'; path++) {
		uint64_t offset = (uint64_t)(*path - '0') * 256;

		node = tables_node(&s->b.profile->tables, node,
				   locations_find(&s->b.locations, s->dso, offset));
	}
	return node;
}

static void
samples(struct scene *s, int pid, int tid, const char *path, int count)
{
	size_t len = strlen(path);
	uint64_t offset = (uint64_t)(path[len - 1] - '0') * 256;
	char above[16] = "";

	memcpy(above, path, len - 1);
	while (count-- > 0)
		bench_sample(&s->b, 0, pid, tid, 0, s->dso, offset, callers(s, 0, tid, above), 10);
}

static int
keep(void *self, const void *data, size_t len)
{
	buf_add(self, data, len);
	return 0;
}

static const char *
folded(struct scene *s)
{
	struct sink out = { .write = keep, .self = &s->text };

	buf_reset(&s->text);
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->snap->query = s->query;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
	folded_put_report(&out, s->snap,
			  &(struct report_run){ .has_events = s->query.all_events });
	sink_flush(&out);
	sink_release(&out);
	return buf_str(&s->text);
}

static void
assert_folded(struct scene *s, const char *expected)
{
	assert_string_equal(folded(s), expected);
}

/* Stacks are all samples: those of the rows, whose own sums other tests hold to be right. */
static void
assert_adds_up(struct scene *s)
{
	uint64_t n = 0, period = 0, rows = 0, row_period = 0;

	for (size_t i = 0; i < s->snap->frame_count; i++) {
		n += s->snap->frames[i].samples;
		period += s->snap->frames[i].period;
	}
	for (size_t i = 0; i < s->snap->row_count; i++) {
		rows += s->snap->rows[i].samples;
		row_period += s->snap->rows[i].period;
	}
	assert_int_equal(n, rows);
	assert_int_equal(period, row_period);
}

static void
stacks_are_the_branches_of_the_trees(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 20, 20, "012", 3);
	samples(&s, 20, 21, "01", 2);
	samples(&s, 20, 21, "013", 1);
	samples(&s, 30, 30, "0", 4);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_folded(&s, "db;f0 4\nwe:b;f0;f1;f2 3\nworker;f0;f1 2\nworker;f0;f1;f3 1\n");
	assert_adds_up(&s);
	/* What is equal to read is one line. */
	tell_comm(s.b.model, 20, 20, "we:b", false);
	samples(&s, 20, 20, "012", 2);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.process = model_find_task(s.b.model, 20);
	profile_set_window(s.b.profile, WINDOW_ALL);
	assert_folded(&s, "we:b;f0;f1;f2 5\nworker;f0;f1 2\nworker;f0;f1;f3 1\n");
	s.query.thread = model_find_task(s.b.model, 21);
	assert_folded(&s, "worker;f0;f1 2\nworker;f0;f1;f3 1\n");
	assert_adds_up(&s);
	scene_close(&s);
}

static void
only_the_window_is_shown(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	profile_set_window(s.b.profile, NSEC_PER_SEC);
	samples(&s, 30, 30, "01", 4);
	bench_interval(&s.b, NSEC_PER_SEC);
	samples(&s, 30, 30, "02", 5);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_folded(&s, "db;f0;f2 5\n");
	profile_set_window(s.b.profile, WINDOW_ALL);
	assert_folded(&s, "db;f0;f1 4\ndb;f0;f2 5\n");
	assert_adds_up(&s);
	scene_close(&s);
}

static void
places_without_names_are_told_by_their_file(void **state)
{
	uint32_t unmapped, kernel;
	struct scene s;

	(void)state;
	scene_open(&s);
	unmapped = tables_node(&s.b.profile->tables, callers(&s, 0, 30, ""), LOCATION_UNMAPPED);
	kernel = tables_node(&s.b.profile->tables, unmapped,
			     locations_find(&s.b.locations, DSO_ID_KERNEL, 0xffffffff81000010));
	bench_sample(&s.b, 0, 30, 30, 0, s.dso, 0x10, kernel, 1);
	bench_sample(&s.b, 0, 30, 30, 0, s.dso, 0x41010, unmapped, 1);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_folded(&s, "db;[unknown];[kernel]+0xffffffff81000000;f0 1\n"
			  "db;[unknown];web+0x41000 1\n");
	assert_adds_up(&s);
	scene_close(&s);
}

static void
what_is_hidden_or_filtered_goes_by_the_innermost_function(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 20, 20, "01", 3);
	samples(&s, 20, 21, "02", 2);
	bench_sample(&s.b, 0, 30, 30, 0, DSO_ID_KERNEL, 0xffffffff81000010,
		     callers(&s, 0, 30, "0"), 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.hide_kernel = true;
	assert_folded(&s, "we:b;f0;f1 3\nworker;f0;f2 2\n");
	assert_adds_up(&s);
	s.query.hide_kernel = false;
	s.query.hide_user = true;
	assert_folded(&s, "db;f0;[kernel]+0xffffffff81000000 1\n");
	assert_adds_up(&s);
	s.query.hide_user = false;
	s.filter = filter_parse("comm=w* symbol!=f1 pid=20 dso=web", NULL);
	assert_folded(&s, "worker;f0;f2 2\n");
	assert_adds_up(&s);
	scene_close(&s);
}

static void
stacks_that_end_where_nothing_is_mapped_can_be_filtered(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 30, 30, "01", 2);
	profile_add(s.b.profile, &(struct profile_sample){
		.who = model_who(s.b.model, model_find_task(s.b.model, 30)),
		.leaf = LOCATION_UNMAPPED, .dso = DSO_ID_UNKNOWN, .offset = 0x77,
		.callers = callers(&s, 0, 30, "0"), .period = 10 });
	bench_interval(&s.b, NSEC_PER_SEC);
	s.filter = filter_parse("symbol~unknown", NULL);
	assert_folded(&s, "db;f0;[unknown] 1\n");
	assert_adds_up(&s);
	filter_free(s.filter);
	s.filter = filter_parse("symbol!~unknown", NULL);
	assert_folded(&s, "db;f0;f1 2\n");
	assert_adds_up(&s);
	scene_close(&s);
}

static void
events_without_stacks_give_their_functions(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 30, 30, "01", 3);
	bench_sample(&s.b, 1, 30, 30, 0, s.dso, 0x210, 0, 7);
	bench_sample(&s.b, 1, 20, 21, 0, s.dso, 0x210, 0, 7);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_folded(&s, "db;f0;f1 3\n");
	s.query.all_events = true;
	assert_folded(&s, "cycles;db;f0;f1 3\npage-faults;db;f2 1\npage-faults;worker;f2 1\n");
	assert_adds_up(&s);
	s.src.shown_event = 1;
	s.query.all_events = false;
	assert_folded(&s, "db;f2 1\nworker;f2 1\n");
	scene_close(&s);
}

/* A name is compared as what it is on its line: before a semicolon, or at the end. */
static void
lines_are_in_the_order_of_their_bytes(void **state)
{
	/* Which of two that begin alike is known first says nothing. */
	static const char *const comms[] = { "a", "a b", "a(b)", "a<b", "ab", "A",
					     "c d", "c<d", "c" };
	struct scene s;

	(void)state;
	scene_open(&s);
	for (int i = 0; i < (int)ARRAY_SIZE(comms); i++) {
		int pid = 100 + i;
		uint32_t who;

		tell_fork(s.b.model, 1, 1, pid, pid, 1);
		tell_comm(s.b.model, pid, pid, comms[i], true);
		samples(&s, pid, pid, "01", 1);
		/* A light stack that was folded into its thread. */
		who = model_who(s.b.model, model_find_task(s.b.model, pid));
		s.b.profile->tables.cells[TABLE_TREE].items[
			tables_root(&s.b.profile->tables, who, 0)].all_samples = 1;
	}
	profile_set_window(s.b.profile, WINDOW_ALL);
	assert_folded(&s, "A 1\nA;f0;f1 1\na 1\na b 1\na b;f0;f1 1\na(b) 1\na(b);f0;f1 1\n"
			  "a;f0;f1 1\na<b 1\na<b;f0;f1 1\nab 1\nab;f0;f1 1\n"
			  "c 1\nc d 1\nc d;f0;f1 1\nc;f0;f1 1\nc<d 1\nc<d;f0;f1 1\n");
	scene_close(&s);
}

static void
many_random_stacks_add_up_and_are_sorted(void **state)
{
	static const int tids[] = { 20, 21, 30 };
	struct scene s;
	char before[256] = "", *line, *save;

	(void)state;
	scene_open(&s);
	srand(7);
	profile_set_window(s.b.profile, 2 * NSEC_PER_SEC);
	for (int i = 0; i < 20000; i++) {
		int tid = tids[rand() % 3], depth = 1 + rand() % 8;
		char path[16] = "";

		for (int d = 0; d < depth; d++)
			path[d] = (char)('0' + rand() % 4);
		samples(&s, tid == 21 ? 20 : tid, tid, path, 1);
		if (i % 4000 == 3999)
			bench_interval(&s.b, NSEC_PER_SEC);
	}
	folded(&s);
	assert_adds_up(&s);
	assert_that(s.snap->total_samples, ==, 8000);
	for (line = strtok_r(s.text.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		*strrchr(line, ' ') = '\0';
		assert_that(strcmp(before, line), <, 0);
		snprintf(before, sizeof(before), "%s", line);
	}
	scene_close(&s);
}

/* The same samples with their places told apart: as text, each stack innermost first. */
static const char *
trees(struct scene *s)
{
	const struct stacks *st;

	buf_reset(&s->text);
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->query.trees = true;
	s->snap->query = s->query;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
	st = s->snap->stacks;
	for (uint32_t id = 1; id < st->node_count; id++) {
		uint32_t at = id;

		assert_that(st->nodes[id].parent, <, id);
		if (st->nodes[id].samples == 0)
			continue;
		for (; st->nodes[at].parent != 0; at = st->nodes[at].parent) {
			const struct stack_place *p = &st->places[st->nodes[at].item];

			buf_addf(&s->text, "%s %s %s+%llx, ", p->name, p->raw, st->dsos[p->dso].name,
				 (unsigned long long)p->offset);
		}
		buf_addf(&s->text, "%s %d/%d: %llu %llu\n", st->tops[st->nodes[at].item].comm,
			 st->tops[st->nodes[at].item].pid, st->tops[st->nodes[at].item].tid,
			 (unsigned long long)st->nodes[id].samples,
			 (unsigned long long)st->nodes[id].period);
	}
	return buf_str(&s->text);
}

static void
trees_tell_places_and_threads_apart(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	locations_learn_image(&s.b.locations, DSO_ID_VDSO, make_image(4, 256), "", "");
	samples(&s, 20, 20, "01", 3);
	samples(&s, 20, 21, "01", 2);
	/* The shown name is another one than the file's. */
	locations_learn_name(&s.b.locations, s.dso, 1, "f1()");
	/* A function of the same name in another file is another one; its caller is not known. */
	bench_sample(&s.b, 0, 20, 20, 0, DSO_ID_VDSO, 256, callers(&s, 0, 20, ""), 10);
	bench_sample(&s.b, 0, 30, 30, 0, DSO_ID_KERNEL, 0xffffffff81000000, callers(&s, 0, 30, "0"),
		     10);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_string_equal(trees(&s),
			    "f1() f1 web+100, f0 f0 web+0, we;b 20/20: 3 30\n"
			    "f1() f1 web+100, f0 f0 web+0, worker 20/21: 2 20\n"
			    "f1 f1 [vdso]+100, we;b 20/20: 1 10\n"
			    "[kernel]+0xffffffff81000000 [kernel]+0xffffffff81000000 "
			    "[kernel]+ffffffff81000000, f0 f0 web+0, db 30/30: 1 10\n");
	s.query.dso = s.dso;
	assert_string_equal(trees(&s), "f1() f1 web+100, f0 f0 web+0, we;b 20/20: 3 30\n"
				       "f1() f1 web+100, f0 f0 web+0, worker 20/21: 2 20\n");
	s.query.dso = 0;
	s.query.hide_user = true;
	assert_string_equal(trees(&s), "[kernel]+0xffffffff81000000 [kernel]+0xffffffff81000000 "
				       "[kernel]+ffffffff81000000, f0 f0 web+0, db 30/30: 1 10\n");
	s.query.hide_user = false;
	s.query.thread = model_find_task(s.b.model, 21);
	assert_string_equal(trees(&s), "f1() f1 web+100, f0 f0 web+0, worker 20/21: 2 20\n");
	scene_close(&s);
}

/* Where they lie and what they are: of the first process that has them. */
static void
trees_tell_where_files_are_mapped(void **state)
{
	const struct stacks *st;
	struct scene s;

	(void)state;
	scene_open(&s);
	tell_map(s.b.model, 20, 0x400000, 0x2000, 0x1000, "/bin/web", 1);
	s.dso = dsos_file(&s.b.model->dsos, "/bin/web", 0, 0, 42, 0);
	samples(&s, 20, 20, "01", 3);
	bench_interval(&s.b, NSEC_PER_SEC);
	trees(&s);
	st = s.snap->stacks;
	assert_int_equal(st->dso_count, 1);
	assert_string_equal(st->dsos[0].path, "/bin/web");
	assert_int_equal(st->dsos[0].kind, STACK_PROGRAM);
	assert_int_equal(st->dsos[0].start, 0x400000);
	assert_int_equal(st->dsos[0].end, 0x402000);
	assert_int_equal(st->dsos[0].pgoff, 0x1000);
	scene_close(&s);
}

/* As "f0;f1;", the outermost first. */
static void
put_callers(struct buf *b, const struct row_callers *c, uint32_t callers)
{
	const struct caller_node *node;
	uint32_t depth;

	if (callers == 0)
		return;
	node = &c->nodes[callers - 1];
	assert_that(node->parent, <, callers);
	put_callers(b, c, node->parent);
	depth = node->parent != 0 ? c->nodes[node->parent - 1].depth : 0;
	assert_int_equal(node->depth, depth + 1);
	buf_addf(b, "%s;", c->places[node->place].symbol);
}

/* As "20/21 f2 <f0;f1; 3 30", the heaviest first. */
static const char *
row_stacks(struct scene *s)
{
	const struct row_callers *c;

	buf_reset(&s->text);
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->snap->query = s->query;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
	c = s->snap->callers;
	for (size_t i = 0; i < c->stack_count; i++) {
		const struct row_stack *stack = &c->stacks[i];
		const struct row *row = &s->snap->rows[stack->row];

		buf_addf(&s->text, "%d/%d %s <", row->pid, row->tid, row->symbol);
		put_callers(&s->text, c, stack->callers);
		buf_addf(&s->text, " %u %u\n", (unsigned)stack->samples, (unsigned)stack->period);
	}
	return buf_str(&s->text);
}

/* Each report left the room as it found it. */
static void
release_marks(struct caller_marks *marks)
{
	assert_true(marks->node_cap > 0 && marks->place_cap > 0);
	for (size_t i = 0; i < marks->node_cap; i++)
		assert_int_equal(marks->nodes[i], 0);
	for (size_t i = 0; i < marks->place_cap; i++)
		assert_int_equal(marks->places[i], 0);
	free(marks->nodes);
	free(marks->places);
}

/* Of what came since the last report, each part of the row that it is in, however these are sorted. */
static void
assert_callers(struct caller_marks *marks)
{
	static const enum key keys[] = { KEY_PID, KEY_TID, KEY_COMM, KEY_DSO, KEY_SYMBOL };
	struct scene s;

	scene_open(&s);
	s.query = (struct query){ .all_events = true, .sort = COLUMN_PERIOD, .row_stacks = 10,
				  .key_count = ARRAY_SIZE(keys) };
	memcpy(s.query.keys, keys, sizeof(keys));
	profile_set_window(s.b.profile, WINDOW_SINCE_REPORT);
	s.src.marks = marks;
	samples(&s, 20, 20, "012", 3);
	samples(&s, 20, 20, "02", 5);
	bench_interval(&s.b, NSEC_PER_SEC);
	samples(&s, 20, 20, "012", 1);
	samples(&s, 20, 21, "013", 2);
	samples(&s, 30, 30, "0", 9);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_string_equal(row_stacks(&s), "30/30 f0 < 9 90\n20/20 f2 <f0; 5 50\n20/20 f2 <f0;f1; 4 40\n"
					    "20/21 f3 <f0;f1; 2 20\n");
	s.query.row_stacks = 2;
	assert_string_equal(row_stacks(&s), "30/30 f0 < 9 90\n20/20 f2 <f0; 5 50\n");
	s.query.ascending = true;
	assert_string_equal(row_stacks(&s), "30/30 f0 < 9 90\n20/20 f2 <f0; 5 50\n");
	profile_next_report(s.b.profile);
	samples(&s, 20, 21, "01", 2);
	samples(&s, 20, 20, "012", 1);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_string_equal(row_stacks(&s), "20/21 f1 <f0; 2 20\n20/20 f2 <f0;f1; 1 10\n");
	/* What no row has has no stack. */
	s.filter = filter_parse("comm=worker", NULL);
	assert_string_equal(row_stacks(&s), "20/21 f1 <f0; 2 20\n");
	scene_close(&s);
}

static void
callers_are_of_rows_and_of_what_is_new(void **state)
{
	struct caller_marks marks = { 0 };

	(void)state;
	assert_callers(NULL);
	assert_callers(&marks);
	release_marks(&marks);
}

/* It is in the log, but in no row. */
static void
what_comes_while_the_window_stands_still_has_no_callers(void **state)
{
	static const enum key keys[] = { KEY_PID, KEY_TID, KEY_SYMBOL };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.query = (struct query){ .all_events = true, .sort = COLUMN_PERIOD, .row_stacks = 10,
				  .key_count = ARRAY_SIZE(keys) };
	memcpy(s.query.keys, keys, sizeof(keys));
	profile_set_window(s.b.profile, WINDOW_SINCE_REPORT);
	samples(&s, 20, 20, "012", 3);
	bench_interval(&s.b, NSEC_PER_SEC);
	profile_set_frozen(s.b.profile, true);
	samples(&s, 20, 20, "02", 5);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_string_equal(row_stacks(&s), "20/20 f2 <f0;f1; 3 30\n");
	scene_close(&s);
}

static void
no_samples_are_no_lines(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	assert_folded(&s, "");
	s.query.stacks = false;
	samples(&s, 30, 30, "01", 1);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_folded(&s, "");
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_the_branches_of_the_trees),
		cmocka_unit_test(only_the_window_is_shown),
		cmocka_unit_test(places_without_names_are_told_by_their_file),
		cmocka_unit_test(what_is_hidden_or_filtered_goes_by_the_innermost_function),
		cmocka_unit_test(stacks_that_end_where_nothing_is_mapped_can_be_filtered),
		cmocka_unit_test(events_without_stacks_give_their_functions),
		cmocka_unit_test(lines_are_in_the_order_of_their_bytes),
		cmocka_unit_test(many_random_stacks_add_up_and_are_sorted),
		cmocka_unit_test(trees_tell_places_and_threads_apart),
		cmocka_unit_test(trees_tell_where_files_are_mapped),
		cmocka_unit_test(callers_are_of_rows_and_of_what_is_new),
		cmocka_unit_test(what_comes_while_the_window_stands_still_has_no_callers),
		cmocka_unit_test(no_samples_are_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
