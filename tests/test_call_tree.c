/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of stacks: the trees of a report, held against sums over a plain list of all stacks. */
#include "profile/report/report.h"
#include "profile_fixture.h"
#include "tests/asserts.h"

#include <stdlib.h>

enum { FUNCTIONS = 8, STACK_MAX = 12, STACKS = 400, PERIOD = 10 };

struct stack {
	int fns[STACK_MAX]; /* outermost first */
	size_t len;
};

struct scene {
	struct fixture b;
	struct report_source src;
	struct query query;
	struct filter *filter;
	struct snapshot *snap;
	uint32_t dso;
	struct stack stacks[STACKS];
	size_t stack_len;
};

static void
scene_open(struct scene *s, const char *path)
{
	*s = (struct scene){ 0 };
	bench_open(&s->b, 24 << 20);
	s->dso = dsos_file(&s->b.model->dsos, path, 8, 1, 42, 0);
	locations_learn_image(&s->b.locations, s->dso, make_image(FUNCTIONS, 256), "", "");
	tell_fork(s->b.model, 1, 1, 20, 20, 1);
	tell_comm(s->b.model, 20, 20, "web", true);
	s->src = (struct report_source){ .profile = s->b.profile };
	s->query = (struct query){ .by_view = true, .view = VIEW_TREE, .trends = true };
}

static void
scene_close(struct scene *s)
{
	snapshot_put(s->snap);
	filter_free(s->filter);
	bench_close(&s->b);
}

static uint32_t
place(struct scene *s, int fn)
{
	return locations_find(&s->b.locations, s->dso, (uint64_t)fn * 256);
}

static void
sample(struct scene *s, const struct stack *stack)
{
	uint32_t who = model_who(s->b.model, model_find_task(s->b.model, 20));
	uint32_t node = tables_root(&s->b.profile->tables, who, 0);

	for (size_t i = 0; i + 1 < stack->len; i++)
		node = tables_node(&s->b.profile->tables, node, place(s, stack->fns[i]));
	bench_sample(&s->b, 0, 20, 20, 0, s->dso, (uint64_t)stack->fns[stack->len - 1] * 256, node,
		     PERIOD);
	assert_that(s->stack_len, <, STACKS);
	s->stacks[s->stack_len++] = *stack;
}

/* "0123": f0 calls f1 and so on. */
static void
samples(struct scene *s, const char *path, int count)
{
	struct stack stack = { .len = strlen(path) };

	for (size_t i = 0; i < stack.len; i++)
		stack.fns[i] = path[i] - '0';
	while (count-- > 0)
		sample(s, &stack);
}

/* Few functions and deep stacks, so that most are recursive. */
static void
random_samples(struct scene *s)
{
	srand(7);
	for (size_t i = 0; i < STACKS; i++) {
		struct stack stack = { .len = 1 + (size_t)rand() % STACK_MAX };

		for (size_t j = 0; j < stack.len; j++)
			stack.fns[j] = rand() % (j < 3 ? 2 : FUNCTIONS);
		sample(s, &stack);
	}
}

static void
report(struct scene *s)
{
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->snap->query = s->query;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
}

static size_t
times_in(const struct stack *stack, int fn)
{
	size_t n = 0;

	for (size_t i = 0; i < stack->len; i++)
		n += stack->fns[i] == fn;
	return n;
}

/* Stacks that it is in, and those that end in it. */
static void
assert_costs(const struct scene *s, const struct snapshot_node *n, int fn)
{
	uint64_t total = 0, self = 0;

	for (size_t i = 0; i < s->stack_len; i++) {
		total += times_in(&s->stacks[i], fn) > 0;
		self += s->stacks[i].fns[s->stacks[i].len - 1] == fn;
	}
	assert_int_equal(n->total.samples, total);
	assert_int_equal(n->total.period, total * PERIOD);
	assert_int_equal(n->self.samples, self);
	assert_int_equal(n->self.period, self * PERIOD);
}

static int
fn_of(const struct snapshot_node *n)
{
	return n->name[0] == 'f' ? n->name[1] - '0' : -1;
}

/* Pre-order, and the numbers that go with it; what lies below is no more than what is above. */
static void
assert_in_order(const struct snapshot *snap)
{
	for (uint32_t i = 0; i < snap->node_count; i++) {
		const struct snapshot_node *n = &snap->nodes[i], *up = &snap->nodes[n->parent];
		uint64_t below = 0;

		assert_that(n->end, >, i);
		assert_that(n->end, <=, snap->node_count);
		if (n->depth > 0) {
			assert_that(n->parent, <, i);
			assert_that(n->end, <=, up->end);
			assert_int_equal(n->depth, up->depth + 1);
		} else {
			assert_int_equal(n->parent, i);
		}
		for (uint32_t j = i + 1; j < n->end; j = snap->nodes[j].end) {
			assert_int_equal(snap->nodes[j].parent, i);
			below += snap->nodes[j].total.samples;
			for (uint32_t k = i + 1; k < j; k = snap->nodes[k].end)
				assert_true(snap->nodes[k].id != snap->nodes[j].id);
		}
		assert_that(below, <=, n->total.samples);
	}
}

/* Nothing is missing: what a node has is its own and its children's. */
static void
assert_adds_up(const struct snapshot *snap, uint32_t node)
{
	for (uint32_t i = node; i < snap->nodes[node].end; i++) {
		const struct snapshot_node *n = &snap->nodes[i];
		uint64_t sum = n->kind == NODE_REST ? n->total.samples : n->self.samples;

		for (uint32_t j = i + 1; j < n->end; j = snap->nodes[j].end)
			sum += snap->nodes[j].total.samples;
		assert_int_equal(sum, n->total.samples);
	}
}

static void
each_function_counts_once_for_each_stack_it_is_in(void **state)
{
	struct scene s;

	(void)state;
	for (enum view_id view = VIEW_CALLERS; view <= VIEW_CALLEES; view++) {
		int seen = 0;

		scene_open(&s, "/bin/web");
		random_samples(&s);
		s.query.view = view;
		s.query.trends = false;
		s.query.all_events = true;
		bench_interval(&s.b, NSEC_PER_SEC);
		report(&s);
		assert_in_order(s.snap);
		for (uint32_t i = 0; i < s.snap->node_count; i = s.snap->nodes[i].end) {
			assert_costs(&s, &s.snap->nodes[i], fn_of(&s.snap->nodes[i]));
			seen++;
		}
		assert_int_equal(seen, FUNCTIONS);
		scene_close(&s);
	}
}

static void
a_tree_is_all_stacks(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	random_samples(&s);
	bench_interval(&s.b, NSEC_PER_SEC);
	for (int i = 0; i < 2; i++) {
		s.query.view = i == 0 ? VIEW_TREE : VIEW_FLAME;
		report(&s);
		assert_int_equal(s.snap->nodes[0].kind, NODE_ALL);
		assert_int_equal(s.snap->nodes[0].end, s.snap->node_count);
		assert_int_equal(s.snap->nodes[0].total.samples, STACKS);
		assert_string_equal(s.snap->nodes[1].name, "web");
		assert_int_equal(s.snap->nodes[1].kind, NODE_COMM);
		assert_in_order(s.snap);
		assert_adds_up(s.snap, 0);
	}
	scene_close(&s);
}

static void
siblings_are_by_name_in_the_flame_graph_and_by_weight_elsewhere(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "03", 1);
	samples(&s, "01", 2);
	samples(&s, "02", 3);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(s.snap->node_count, 6);
	assert_string_equal(s.snap->nodes[3].name, "f2");
	assert_string_equal(s.snap->nodes[5].name, "f3");
	s.query.view = VIEW_FLAME;
	report(&s);
	assert_string_equal(s.snap->nodes[3].name, "f1");
	assert_string_equal(s.snap->nodes[5].name, "f3");
	scene_close(&s);
}

/* Whatever they have themselves, and whichever was met first. */
static void
functions_are_listed_by_the_weight_of_their_stacks(void **state)
{
	static const char *const want[] = { "f0", "f2", "f1", "f3" };
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "03", 1);
	samples(&s, "01", 2);
	samples(&s, "02", 3);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.all_events = true;
	s.query.trends = false;
	for (enum view_id view = VIEW_CALLERS; view <= VIEW_CALLEES; view++) {
		size_t n = 0;

		s.query.view = view;
		report(&s);
		for (uint32_t i = 0; i < s.snap->node_count; i = s.snap->nodes[i].end, n++) {
			assert_that(n, <, ARRAY_SIZE(want));
			assert_string_equal(s.snap->nodes[i].name, want[n]);
		}
		assert_int_equal(n, ARRAY_SIZE(want));
	}
	scene_close(&s);
}

/* Callers of a function, and what it calls: each stack from where it is outermost. */
static void
a_function_has_callers_and_callees(void **state)
{
	struct scene s;
	const struct snapshot_node *n;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "0121", 3);
	samples(&s, "31", 2);
	samples(&s, "0124", 1);
	samples(&s, "05", 7);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.view = VIEW_CALLERS;
	s.query.function = place(&s, 1);
	report(&s);
	assert_in_order(s.snap);
	n = s.snap->nodes;
	assert_string_equal(n[0].name, "f1");
	assert_int_equal(n[0].total.samples, 6);
	assert_int_equal(n[0].self.samples, 5);
	/* f0 called it for four of them, of which three were spent in f1 itself; then "web". */
	assert_string_equal(n[1].name, "f0");
	assert_int_equal(n[1].total.samples, 4);
	assert_int_equal(n[1].self.samples, 3);
	assert_string_equal(n[2].name, "web");
	assert_string_equal(n[3].name, "f3");
	assert_int_equal(n[3].total.samples, 2);
	n += n[0].end;
	assert_string_equal(n[0].name, "f1");
	assert_int_equal(n[0].total.samples, 6);
	assert_int_equal(n[0].self.samples, 5);
	assert_string_equal(n[1].name, "f2");
	assert_int_equal(n[1].total.samples, 4);
	assert_string_equal(n[2].name, "f1");
	assert_string_equal(n[3].name, "f4");
	assert_int_equal(s.snap->node_count, 9);
	/* None is named: the hottest. */
	s.query.function = 0;
	report(&s);
	assert_string_equal(s.snap->nodes[0].name, "f5");
	/* One that has no samples any more is still what was asked for. */
	s.query.function = place(&s, 7);
	report(&s);
	assert_int_equal(s.snap->node_count, 2);
	assert_string_equal(s.snap->nodes[0].name, "f7");
	assert_int_equal(s.snap->nodes[0].total.samples, 0);
	scene_close(&s);
}

static void
bottom_up_begins_with_the_innermost_functions(void **state)
{
	struct scene s;
	uint64_t sum = 0;

	(void)state;
	scene_open(&s, "/bin/web");
	random_samples(&s);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.bottom_up = true;
	report(&s);
	assert_in_order(s.snap);
	for (uint32_t i = 1; i < s.snap->node_count; i = s.snap->nodes[i].end) {
		const struct snapshot_node *n = &s.snap->nodes[i];
		uint64_t self = 0;

		for (size_t j = 0; j < s.stack_len; j++)
			self += s.stacks[j].fns[s.stacks[j].len - 1] == fn_of(n);
		assert_int_equal(n->total.samples, self);
		sum += self;
	}
	assert_int_equal(sum, STACKS);
	scene_close(&s);
}

/* Those that are small beside all programs, not beside the first, are left out. */
static void
bottom_up_the_root_is_all_programs(void **state)
{
	struct scene s;
	uint32_t root;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "012", 3);
	samples(&s, "01", 1);
	tell_fork(s.b.model, 1, 1, 30, 30, 1);
	tell_comm(s.b.model, 30, 30, "db", true);
	root = tables_root(&s.b.profile->tables,
			   model_who(s.b.model, model_find_task(s.b.model, 30)), 0);
	for (int i = 0; i < 6; i++)
		bench_sample(&s.b, 0, 30, 30, 0, s.dso, 3 * 256, root, PERIOD);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.bottom_up = true;
	s.query.least_share = 0.2;
	report(&s);
	assert_in_order(s.snap);
	assert_int_equal(s.snap->nodes[0].total.samples, 10);
	assert_int_equal(s.snap->nodes[0].total.period, 10 * PERIOD);
	assert_string_equal(s.snap->nodes[1].name, "f3");
	assert_int_equal(s.snap->nodes[1].total.samples, 6);
	assert_string_equal(s.snap->nodes[s.snap->nodes[1].end].name, "f2");
	assert_int_equal(s.snap->nodes[s.snap->nodes[1].end].total.samples, 3);
	for (uint32_t i = 1; i < s.snap->node_count; i++)
		assert_true(s.snap->nodes[i].depth != 1 || strcmp(s.snap->nodes[i].name, "f1") != 0);
	scene_close(&s);
}

static void
small_nodes_are_one_and_sums_stay(void **state)
{
	struct scene s;
	bool has_rest = false;
	size_t all;

	(void)state;
	scene_open(&s, "/bin/web");
	random_samples(&s);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	all = s.snap->node_count;
	s.query.least_share = 0.02;
	report(&s);
	assert_that(s.snap->node_count, <, all / 2);
	for (uint32_t i = 0; i < s.snap->node_count; i++) {
		assert_that(s.snap->nodes[i].total.samples, >=, STACKS * 0.02);
		has_rest |= s.snap->nodes[i].kind == NODE_REST;
	}
	assert_true(has_rest);
	assert_in_order(s.snap);
	scene_close(&s);
}

/* Each stack once, and those that have it in a node that is too small. */
static void
what_is_looked_for_is_summed_up_before_small_nodes_are_joined(void **state)
{
	static const struct {
		enum view_id view;
		bool bottom_up;
		const char *find;
		int want;
	} asks[] = {
		{ VIEW_FLAME, false, "f1", 6 },  { VIEW_TREE, false, "f1", 6 },
		{ VIEW_TREE, true, "f1", 6 },    { VIEW_CALLERS, false, "f1", 6 },
		{ VIEW_TREE, false, "f", 41 },   { VIEW_TREE, false, "WEB", 41 },
		{ VIEW_TREE, false, "f5", 1 },   { VIEW_CALLERS, false, "f5", 0 },
		{ VIEW_TREE, false, "all", 0 },  { VIEW_TREE, false, "smaller", 0 },
		{ VIEW_FLAME, false, "", 0 },
	};
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "0", 34);
	samples(&s, "011", 4);
	samples(&s, "021", 1);
	samples(&s, "031", 1);
	samples(&s, "05", 1);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.least_share = 0.05;
	s.query.function = place(&s, 1);
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		s.query.view = asks[i].view;
		s.query.bottom_up = asks[i].bottom_up;
		snprintf(s.query.find, sizeof(s.query.find), "%s", asks[i].find);
		report(&s);
		if (s.snap->found.samples != (uint64_t)asks[i].want ||
		    s.snap->found.period != (uint64_t)asks[i].want * PERIOD)
			fail_msg("case %zu: %llu samples", i,
				 (unsigned long long)s.snap->found.samples);
	}
	scene_close(&s);
}

static void
a_node_keeps_its_id(void **state)
{
	struct scene s;
	uint64_t id;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "012", 3);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	id = s.snap->nodes[4].id;
	assert_string_equal(s.snap->nodes[4].name, "f2");
	samples(&s, "034", 5);
	samples(&s, "42", 1);
	bench_interval(&s.b, NSEC_PER_SEC);
	profile_set_window(s.b.profile, WINDOW_ALL);
	report(&s);
	for (uint32_t i = 0; i < s.snap->node_count; i++)
		if (s.snap->nodes[i].id == id)
			assert_string_equal(s.snap->nodes[i].name, "f2");
	assert_int_equal(s.snap->nodes[6].id, id); /* all, web, f0, f3, f4, f1, f2 */
	scene_close(&s);
}

static void
a_node_keeps_its_place_when_it_gets_another_name(void **state)
{
	struct scene s;
	uint64_t id, place;

	(void)state;
	scene_open(&s, "/bin/web");
	/* One whose symbols are still on their way. */
	s.dso = dsos_file(&s.b.model->dsos, "/bin/late", 8, 1, 43, 0);
	samples(&s, "012", 3);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	id = s.snap->nodes[4].id;
	place = s.snap->nodes[4].place;
	assert_string_equal(s.snap->nodes[4].name, "late+0x200");
	assert_true(place != 0 && place != s.snap->nodes[3].place);
	locations_learn_image(&s.b.locations, s.dso, make_image(FUNCTIONS, 256), "", "");
	report(&s);
	assert_string_equal(s.snap->nodes[4].name, "f2");
	assert_true(s.snap->nodes[4].id != id);
	assert_true(s.snap->nodes[4].place == place);
	locations_learn_name(&s.b.locations, s.dso, 2, "f2(int)");
	report(&s);
	assert_string_equal(s.snap->nodes[4].name, "f2(int)");
	assert_true(s.snap->nodes[4].place == place);
	/* Whom it calls is another tree than who calls it. */
	s.query.view = VIEW_CALLERS;
	s.query.function = s.snap->nodes[4].location;
	report(&s);
	for (uint32_t i = 1; i < s.snap->node_count; i++)
		assert_true(s.snap->nodes[i].depth > 0 ||
			    s.snap->nodes[i].place != s.snap->nodes[0].place);
	scene_close(&s);
}

static void
scope_and_filter_hold_for_trees(void **state)
{
	struct scene s;
	struct err err = { 0 };

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "012", 3);
	tell_fork(s.b.model, 1, 1, 30, 30, 1);
	bench_sample(&s.b, 0, 30, 30, 0, s.dso, 3 * 256, 0, PERIOD);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.thread = model_find_task(s.b.model, 20);
	report(&s);
	assert_int_equal(s.snap->nodes[0].total.samples, 3);
	assert_string_equal(s.snap->nodes[1].name, "f0"); /* the thread is known: no frame for it */
	s.query.thread = 0;
	s.filter = filter_parse("symbol=f2", &err);
	report(&s);
	assert_int_equal(s.snap->nodes[0].total.samples, 3);
	filter_free(s.filter);
	/* Of functions, those are listed that it names, on whatever stacks they are. */
	s.filter = filter_parse("symbol=f1", &err);
	s.query.view = VIEW_CALLERS;
	s.query.all_events = true;
	s.query.trends = false;
	report(&s);
	assert_int_equal(s.snap->node_count, 3);
	assert_string_equal(s.snap->nodes[0].name, "f1");
	assert_int_equal(s.snap->nodes[0].total.samples, 3);
	assert_string_equal(s.snap->nodes[1].name, "f0");
	scene_close(&s);
}

/* What the nodes of all views have in a window, and in each of its seconds, added up. */
static void
assert_node_sums(const struct scene *s, unsigned seconds)
{
	const struct snapshot *snap = s->snap;

	for (uint32_t i = 0; i < snap->node_count; i++) {
		const struct share_sums *sums = snap->nodes[i].sums;

		if (snap->nodes[i].kind == NODE_REST)
			continue;
		assert_non_null(sums);
		assert_int_equal(sums->window.units, seconds);
		assert_true(sums->window.of == (double)snap->nodes[i].total.period);
		assert_true(sums->window.all == (double)(s->stack_len * PERIOD));
		/* Squares of what seconds have: a stack each at least, all in one at most. */
		assert_true(sums->window.of_of >= sums->window.of * sums->window.of / seconds);
		assert_true(sums->window.of_of <= sums->window.of * sums->window.of);
	}
}

static void
nodes_of_all_trees_have_the_sums_of_seconds(void **state)
{
	enum { SECONDS = 12 };
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	srand(7);
	for (int second = 0; second < SECONDS; second++) {
		for (int i = 0; i < STACKS / SECONDS; i++) {
			struct stack stack = { .len = 1 + (size_t)rand() % STACK_MAX };

			for (size_t j = 0; j < stack.len; j++)
				stack.fns[j] = rand() % (j < 3 ? 2 : FUNCTIONS);
			sample(&s, &stack);
		}
		bench_interval(&s.b, NSEC_PER_SEC);
	}
	profile_set_window(s.b.profile, WINDOW_ALL);
	s.query.sums = true;
	s.query.compare = COMPARE_BEFORE;
	for (int view = 0; view < 6; view++) {
		static const enum view_id views[] = { VIEW_TREE, VIEW_CALLERS, VIEW_FLAME };

		s.query.view = views[view % 3];
		s.query.bottom_up = view >= 3;
		s.query.function = place(&s, 1 + view);
		/* Small ones are left out of what is above them, but not of that. */
		s.query.least_share = view >= 3 ? 0.1 : 0;
		report(&s);
		assert_that(s.snap->node_count, >, 10);
		assert_node_sums(&s, SECONDS);
	}
	scene_close(&s);
}

/* The names of marked nodes, each with its depth. */
static void
assert_marked(const struct scene *s, const char *want)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < s->snap->node_count; i++)
		if (s->snap->nodes[i].is_irq_on)
			buf_addf(&b, "%s:%u ", s->snap->nodes[i].name,
				 (unsigned)s->snap->nodes[i].depth);
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

/* Where it runs itself: that others who called it let interrupts on has no part in it. */
static void
what_a_timer_counts_there_too_is_marked_where_it_runs(void **state)
{
	struct event_facts events[EVENTS] = { { .is_timer = true } };
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	s.src.events = events;
	s.dso = DSO_ID_KERNEL;
	locations_learn_image(&s.b.locations, s.dso, make_image(FUNCTIONS, 256), "", "");
	samples(&s, "012", 3);
	locations_learn_name(&s.b.locations, s.dso, 0, "do_syscall_64");
	locations_learn_name(&s.b.locations, s.dso, 2, "finish_task_switch.isra.0");
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_marked(&s, "finish_task_switch.isra.0:4 ");
	s.query.bottom_up = true;
	report(&s);
	assert_marked(&s, "finish_task_switch.isra.0:1 ");
	s.query.bottom_up = false;
	s.query.function = s.snap->nodes[1].location;
	s.query.view = VIEW_CALLERS;
	report(&s);
	assert_marked(&s, "finish_task_switch.isra.0:0 finish_task_switch.isra.0:0 ");
	events[0].is_timer = false;
	report(&s);
	assert_marked(&s, "");
	scene_close(&s);
}

/* The root of a flame graph is 100 %, of whatever one looks at. */
static void
the_root_is_all_of_what_is_shown(void **state)
{
	struct scene s;
	const struct snapshot_event *e;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "012", 2);
	samples(&s, "312", 1);
	tell_fork(s.b.model, 1, 1, 30, 30, 1);
	bench_sample(&s.b, 0, 30, 30, 0, s.dso, 3 * 256, 0, PERIOD);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.view = VIEW_FLAME;
	s.query.thread = model_find_task(s.b.model, 20);
	for (int filtered = 0; filtered < 2; filtered++) {
		s.filter = filtered ? filter_parse("symbol=f2", NULL) : NULL;
		s.query.thread = filtered ? 0 : s.query.thread;
		s.query.shares = SHARES_OF_SHOWN;
		report(&s);
		e = &s.snap->events[0];
		assert_int_equal(s.snap->nodes[0].total.period, 3 * PERIOD);
		assert_true(snapshot_share(s.snap, e, s.snap->nodes[0].total.period) == 100);
		assert_int_equal(e->period, 4 * PERIOD);
		s.query.shares = SHARES_OF_ALL;
		report(&s);
		e = &s.snap->events[0];
		assert_true(snapshot_share(s.snap, e, s.snap->nodes[0].total.period) == 75);
		assert_true((s.snap->filtered != NULL) == (filtered == 1));
		filter_free(s.filter);
		s.filter = NULL;
	}
	scene_close(&s);
}

/* With what is left out they are all there is, in trees of stacks and in tables of functions. */
static void
what_trees_leave_out_is_one_sum(void **state)
{
	static const struct {
		enum view_id view;
		bool all_events;
		const char *filter;
		uint64_t left_out, nodes;
	} asks[] = {
		{ VIEW_TREE, false, "symbol=f2", 4, 5 },
		{ VIEW_FLAME, true, "symbol=f2", 4, 5 },
		{ VIEW_TREE, true, "symbol=nobody", 7, 0 },
		{ VIEW_FLAME, false, "comm=nobody", 7, 0 },
		{ VIEW_CALLEES, false, "comm=nobody", 7, 0 },
		{ VIEW_CALLERS, true, "symbol=f2", 4, 4 },
		{ VIEW_CALLEES, true, "symbol=f2", 4, 1 },
		{ VIEW_CALLERS, true, "comm=nobody", 7, 0 },
		{ VIEW_CALLERS, true, "symbol=nobody", 7, 0 },
	};
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "012", 3);
	samples(&s, "01", 4);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_null(s.snap->filtered);
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		const struct row *sum;

		s.query.view = asks[i].view;
		s.query.all_events = asks[i].all_events;
		s.query.trends = !asks[i].all_events;
		s.filter = filter_parse(asks[i].filter, NULL);
		report(&s);
		sum = s.snap->filtered;
		if (sum == NULL || sum->samples != asks[i].left_out ||
		    sum->period != asks[i].left_out * PERIOD ||
		    s.snap->node_count != asks[i].nodes)
			fail_msg("case %zu: %llu left out, %zu nodes", i,
				 (unsigned long long)(sum != NULL ? sum->samples : 0),
				 s.snap->node_count);
		assert_that(sum->share, >, (double)asks[i].left_out / 7 - 1e-9);
		assert_that(sum->share, <, (double)asks[i].left_out / 7 + 1e-9);
		assert_string_equal(sum->symbol, "[filtered]");
		filter_free(s.filter);
		s.filter = NULL;
	}
	s.query = (struct query){ .by_view = true, .view = VIEW_TREE, .hide_user = true };
	report(&s);
	assert_int_equal(s.snap->filtered->samples, 7);
	scene_close(&s);
}

/* What the listed functions call is in their totals. */
static void
what_filtered_functions_call_is_not_left_out_as_well(void **state)
{
	static const struct {
		const char *filter;
		uint64_t left_out;
	} asks[] = { { "symbol=f0", 3 }, { "symbol=f1", 3 }, { "symbol~f[01]", 3 }, { "symbol=f2", 7 } };
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	samples(&s, "0101", 1);
	samples(&s, "012", 2);
	samples(&s, "01", 4);
	samples(&s, "34", 2);
	samples(&s, "32", 1);
	bench_interval(&s.b, NSEC_PER_SEC);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(asks); i++) {
		s.query.view = i % 2 == 0 ? VIEW_CALLERS : VIEW_CALLEES;
		s.query.all_events = true;
		s.filter = filter_parse(asks[i / 2].filter, NULL);
		report(&s);
		assert_int_equal(s.snap->filtered->samples, asks[i / 2].left_out);
		filter_free(s.filter);
		s.filter = NULL;
	}
	scene_close(&s);
}

static void
kinds_of_code_are_told_apart(void **state)
{
	static const struct {
		const char *path;
		enum node_kind kind;
	} files[] = {
		{ "/usr/bin/web", NODE_OWN },   { "/usr/lib/libc.so.6", NODE_LIBRARY },
		{ "//anon", NODE_JIT },         { "[vdso]", NODE_LIBRARY },
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		scene_open(&s, files[i].path);
		samples(&s, "0", 1);
		bench_interval(&s.b, NSEC_PER_SEC);
		report(&s);
		assert_int_equal(s.snap->nodes[2].kind, files[i].kind);
		scene_close(&s);
	}
}

static void
without_call_chains_there_are_the_functions(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "/bin/web");
	bench_sample(&s.b, 0, 20, 20, 0, s.dso, 256, 0, PERIOD);
	bench_sample(&s.b, 0, 20, 20, 0, s.dso, 512, 0, PERIOD);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(s.snap->nodes[0].total.samples, 2);
	assert_that(s.snap->node_count, >=, 2);
	s.query.view = VIEW_CALLERS;
	report(&s);
	assert_int_equal(s.snap->nodes[0].total.samples, 1);
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_function_counts_once_for_each_stack_it_is_in),
		cmocka_unit_test(a_tree_is_all_stacks),
		cmocka_unit_test(siblings_are_by_name_in_the_flame_graph_and_by_weight_elsewhere),
		cmocka_unit_test(functions_are_listed_by_the_weight_of_their_stacks),
		cmocka_unit_test(a_function_has_callers_and_callees),
		cmocka_unit_test(bottom_up_begins_with_the_innermost_functions),
		cmocka_unit_test(bottom_up_the_root_is_all_programs),
		cmocka_unit_test(small_nodes_are_one_and_sums_stay),
		cmocka_unit_test(what_is_looked_for_is_summed_up_before_small_nodes_are_joined),
		cmocka_unit_test(a_node_keeps_its_id),
		cmocka_unit_test(a_node_keeps_its_place_when_it_gets_another_name),
		cmocka_unit_test(scope_and_filter_hold_for_trees),
		cmocka_unit_test(nodes_of_all_trees_have_the_sums_of_seconds),
		cmocka_unit_test(what_a_timer_counts_there_too_is_marked_where_it_runs),
		cmocka_unit_test(the_root_is_all_of_what_is_shown),
		cmocka_unit_test(what_trees_leave_out_is_one_sum),
		cmocka_unit_test(what_filtered_functions_call_is_not_left_out_as_well),
		cmocka_unit_test(kinds_of_code_are_told_apart),
		cmocka_unit_test(without_call_chains_there_are_the_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
