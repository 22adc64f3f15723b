/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of two stretches and of two recordings: from tables to rows, frames and nodes. */
#include "profile/report/report.h"
#include "profile_fixture.h"
#include "tests/asserts.h"
#include "view/column.h"
#include "view/difference.h"

#include <math.h>

enum { SECONDS = 30, PERIOD = 10 };

/* What function does in each of the seconds, before and after: samples, by its number. */
static const struct {
	int then, now;
} functions[] = { { 50, 80 }, { 100, 100 }, { 20, 0 }, { 0, 15 } };

struct scene {
	struct fixture b;
	struct report_source src;
	struct query query;
	uint32_t web, callers;
};

static void
run_seconds(struct scene *s, bool is_now, int seconds)
{
	for (int second = 0; second < seconds; second++) {
		for (uint32_t f = 0; f < ARRAY_SIZE(functions); f++) {
			int n = is_now ? functions[f].now : functions[f].then;

			/* They vary a little. */
			n += n > 0 ? (second * 7 + (int)f * 3) % 5 - 2 : 0;
			while (n-- > 0)
				bench_sample(&s->b, 0, 20, 20, 0, s->web, f * 256 + 16, s->callers,
					     PERIOD);
		}
		bench_interval(&s->b, NSEC_PER_SEC);
	}
}

static void
scene_open(struct scene *s)
{
	*s = (struct scene){ 0 };
	bench_open(&s->b, 24 << 20);
	s->web = dsos_file(&s->b.model->dsos, "/bin/web", 8, 1, 42, 0);
	locations_learn_image(&s->b.locations, s->web, make_image(4, 256), "", "");
	tell_fork(s->b.model, 1, 1, 20, 20, 1);
	tell_comm(s->b.model, 20, 20, "web", true);
	s->src = (struct report_source){ .profile = s->b.profile, .shown_event = 0 };
	s->query = (struct query){ .view = VIEW_FUNCTIONS, .by_view = true, .all_events = true,
				   .keys = { KEY_DSO, KEY_SYMBOL }, .key_count = 2, .sums = true,
				   .sort = COLUMN_DELTA, .compare = COMPARE_BEFORE };
}

static struct snapshot *
report(struct scene *s)
{
	struct snapshot *snap = snapshot_new();

	snap->query = s->query;
	report_fill(snap, &s->src, &s->query);
	return snap;
}

/* NOW: the last seconds; THEN: the first. */
static struct snapshot *
compare(struct scene *s, unsigned seconds, bool same_profile)
{
	struct snapshot *now, *then;

	profile_set_window(s->b.profile, seconds * NSEC_PER_SEC);
	now = report(s);
	profile_set_end(s->b.profile, s->b.now_ns - SECONDS * NSEC_PER_SEC);
	then = report(s);
	profile_set_end(s->b.profile, 0);
	difference_make(now, then, "before", same_profile);
	return now;
}

/* The row of that function. */
static const struct row *
row_of(const struct snapshot *s, uint32_t function)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].address == function * 256)
			return &s->rows[i];
	fail_msg("function %u has no row", function);
	return NULL;
}

static void
rows_that_change_say_by_how_much_and_whether_it_is_chance(void **state)
{
	struct scene s;

	(void)state;
	for (int same_profile = 0; same_profile < 2; same_profile++) {
		const struct share_change *c;
		struct snapshot *snap;

		scene_open(&s);
		run_seconds(&s, false, SECONDS);
		run_seconds(&s, true, SECONDS);
		snap = compare(&s, SECONDS, same_profile);
		assert_int_equal(snap->row_count, 4);
		c = &row_of(snap, 0)->difference->change;
		assert_true(fabs(c->then - 50.0 / 170) < 0.01);
		assert_true(fabs(c->now - 80.0 / 195) < 0.01);
		assert_true(c->is_significant);
		assert_true(c->low > 0.05 && c->low < c->delta && c->delta < c->high);
		c = &row_of(snap, 2)->difference->change;
		assert_true(row_of(snap, 2)->difference->is_gone && c->is_significant && c->now == 0);
		assert_int_equal(row_of(snap, 2)->samples, 0);
		c = &row_of(snap, 3)->difference->change;
		assert_true(row_of(snap, 3)->difference->is_new && c->is_significant && c->then == 0);
		/* The largest difference is first. */
		assert_true(row_of(snap, 2) < row_of(snap, 3));
		snapshot_put(snap);
		bench_close(&s.b);
	}
}

/* Of rows and of nodes: they are the same work, that many hosts did. */
static void
a_second_of_other_hosts_is_that_of_one_on_average(void **state)
{
	static const enum view_id views[] = { VIEW_FUNCTIONS, VIEW_TREE };
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		const struct difference *d;
		struct snapshot *now, *then;

		scene_open(&s);
		s.query.view = views[i];
		run_seconds(&s, true, SECONDS);
		now = report(&s);
		then = report(&s);
		then->hosts = 4;
		now->events[0].window_s = then->events[0].window_s = SECONDS;
		difference_make(now, then, "the other hosts", true);
		d = views[i] == VIEW_TREE ? now->nodes[0].difference : row_of(now, 1)->difference;
		assert_true(d->now_per_s > 0);
		assert_true(fabs(d->then_per_s * 4 - d->now_per_s) < d->now_per_s / 1000);
		assert_true(d->then_period > 0);
		snapshot_put(now);
		bench_close(&s.b);
	}
}

static void
what_does_not_change_is_marked_as_equal(void **state)
{
	struct snapshot *snap;
	struct scene s;

	(void)state;
	scene_open(&s);
	run_seconds(&s, true, 2 * SECONDS);
	snap = compare(&s, SECONDS, true);
	assert_int_equal(snap->row_count, 3);
	for (size_t i = 0; i < snap->row_count; i++) {
		char word[COLUMN_TEXT_MAX];

		assert_false(snap->rows[i].difference->change.is_significant);
		assert_string_equal(difference_word(snap->rows[i].difference, word), "=");
	}
	snapshot_put(snap);
	bench_close(&s.b);
}

/* The variance of such a short window is that of two minutes. */
static void
windows_of_two_seconds_are_compared_by_the_past(void **state)
{
	struct snapshot *snap;
	struct scene s;

	(void)state;
	scene_open(&s);
	run_seconds(&s, true, 2 * SECONDS);
	snap = compare(&s, 2, true);
	assert_int_equal(row_of(snap, 0)->sums->window.units, 2);
	assert_int_equal(row_of(snap, 0)->sums->spread.units, 2 * SECONDS);
	assert_true(row_of(snap, 0)->difference->change.needs_s == 0);
	assert_false(row_of(snap, 0)->difference->change.is_significant);
	snapshot_put(snap);
	bench_close(&s.b);
}

static void
too_little_says_what_is_missing(void **state)
{
	char word[COLUMN_TEXT_MAX];
	struct snapshot *snap, *then;
	struct scene s;

	(void)state;
	scene_open(&s);
	run_seconds(&s, false, 4);
	profile_set_window(s.b.profile, 4 * NSEC_PER_SEC);
	then = report(&s);
	run_seconds(&s, true, 4);
	snap = report(&s);
	difference_make(snap, then, "before", true);
	assert_false(row_of(snap, 0)->difference->change.is_significant);
	assert_true(snap->then.needs_s > 0);
	assert_string_equal(difference_word(row_of(snap, 0)->difference, word), "needs 6 s");
	snapshot_put(snap);
	bench_close(&s.b);
}

/* Units are made of the gains of all entries: their sums are those of the window, to the one. */
static void
sums_of_units_are_what_rows_have(void **state)
{
	struct snapshot *snap;
	struct scene s;

	(void)state;
	scene_open(&s);
	run_seconds(&s, true, SECONDS);
	profile_set_window(s.b.profile, SECONDS * NSEC_PER_SEC);
	s.query.compare = COMPARE_NOTHING;
	snap = report(&s);
	for (size_t i = 0; i < snap->row_count; i++) {
		assert_int_equal((uint64_t)snap->rows[i].sums->window.of, snap->rows[i].period);
		assert_int_equal((uint64_t)snap->rows[i].sums->window.all, snap->events[0].base);
		assert_true(fabs(share_of(snap->rows[i].sums) - snap->rows[i].share) < 1e-12);
		assert_true(share_error(snap->rows[i].sums) > 0);
	}
	snapshot_put(snap);
	bench_close(&s.b);
}

static struct snapshot *
snapshot_of_frames(struct snapshot_frame *frames, size_t count)
{
	static struct snapshot_event events[] = { { .name = "cycles", .samples = 1 } };
	struct snapshot *s = snapshot_new();

	s->query.compare = COMPARE_RECORDING;
	s->events = events;
	s->event_count = 1;
	s->frames = frames;
	s->frame_count = count;
	return s;
}

static void
frames_have_the_counts_of_both(void **state)
{
	struct snapshot_frame a[] = {
		{ .name = "cycles" }, { .name = "web", .depth = 1 },
		{ .name = "main", .depth = 2, .samples = 1 }, { .name = "main", .depth = 2 },
		{ .name = "f", .depth = 3, .samples = 5 }, { .name = "h", .depth = 3, .samples = 2 },
	}, b[] = {
		{ .name = "cycles" }, { .name = "db", .depth = 1 },
		{ .name = "run", .depth = 2, .samples = 9 }, { .name = "web", .depth = 1 },
		{ .name = "main", .depth = 2 }, { .name = "f", .depth = 3, .samples = 4 },
		{ .name = "g", .depth = 3, .samples = 3 },
	};
	static const struct {
		const char *name;
		uint64_t now, then;
	} expected[] = {
		{ "cycles", 0, 0 }, { "db", 0, 0 }, { "run", 0, 9 }, { "web", 0, 0 }, { "main", 1, 0 },
		{ "main", 0, 0 }, { "f", 5, 4 }, { "g", 0, 3 }, { "h", 2, 0 },
	};
	struct snapshot *now = snapshot_of_frames(a, ARRAY_SIZE(a));
	struct snapshot *then = snapshot_of_frames(b, ARRAY_SIZE(b));

	(void)state;
	difference_make(now, then, "old", false);
	assert_int_equal(now->frame_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < now->frame_count; i++) {
		assert_string_equal(now->frames[i].name, expected[i].name);
		assert_int_equal(now->frames[i].samples, expected[i].now);
		assert_int_equal(now->frames[i].then_samples, expected[i].then);
	}
	snapshot_put(now);
}

static struct snapshot *
snapshot_of_nodes(struct snapshot_node *nodes, size_t count)
{
	struct snapshot *s = snapshot_of_frames(NULL, 0);

	for (size_t i = 0; i < count; i++)
		nodes[i].dso = "";
	s->query.view = VIEW_FLAME;
	s->nodes = nodes;
	s->node_count = count;
	return s;
}

static void
nodes_that_are_gone_stay_as_ghosts_in_their_place(void **state)
{
	struct snapshot_node a[] = {
		{ .name = "all", .end = 4, .total = { 10, 100 } },
		{ .name = "f", .parent = 0, .end = 3, .depth = 1, .kind = NODE_OWN, .total = { 6, 60 } },
		{ .name = "x", .parent = 1, .end = 3, .depth = 2, .kind = NODE_OWN, .total = { 2, 20 } },
		{ .name = "h", .parent = 0, .end = 4, .depth = 1, .kind = NODE_OWN, .total = { 4, 40 } },
	}, b[] = {
		{ .name = "all", .end = 5, .total = { 8, 80 } },
		{ .name = "f", .parent = 0, .end = 2, .depth = 1, .kind = NODE_OWN, .total = { 3, 30 } },
		{ .name = "g", .parent = 0, .end = 4, .depth = 1, .kind = NODE_OWN, .total = { 4, 40 } },
		{ .name = "y", .parent = 2, .end = 4, .depth = 2, .kind = NODE_OWN, .total = { 1, 10 } },
		{ .name = "z", .parent = 0, .end = 5, .depth = 1, .kind = NODE_OWN, .total = { 1, 10 } },
	};
	static const struct {
		const char *name;
		uint32_t parent, end, depth;
		uint64_t now, then;
	} expected[] = {
		{ "all", 0, 7, 0, 10, 8 }, { "f", 0, 3, 1, 6, 3 }, { "x", 1, 3, 2, 2, 0 },
		{ "g", 0, 5, 1, 0, 4 }, { "y", 3, 5, 2, 0, 1 }, { "h", 0, 6, 1, 4, 0 },
		{ "z", 0, 7, 1, 0, 1 },
	};
	struct snapshot *now = snapshot_of_nodes(a, ARRAY_SIZE(a));
	struct snapshot *then = snapshot_of_nodes(b, ARRAY_SIZE(b));

	(void)state;
	difference_make(now, then, "old", false);
	assert_int_equal(now->node_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < now->node_count; i++) {
		const struct snapshot_node *n = &now->nodes[i];

		assert_string_equal(n->name, expected[i].name);
		assert_int_equal(n->parent, expected[i].parent);
		assert_int_equal(n->end, expected[i].end);
		assert_int_equal(n->depth, expected[i].depth);
		assert_int_equal(n->total.samples, expected[i].now);
		assert_int_equal(n->difference->then_samples, expected[i].then);
		assert_int_equal(n->difference->is_gone, expected[i].now == 0);
		assert_int_equal(n->difference->is_new, expected[i].then == 0);
	}
	snapshot_put(now);
}

/* Stacks of the same functions: web, and what it runs. */
static void
stacks_open(struct scene *s)
{
	uint32_t who;

	scene_open(s);
	who = model_who(s->b.model, model_find_task(s->b.model, 20));
	s->callers = tables_root(&s->b.profile->tables, who, 0);
	s->query.view = VIEW_FLAME;
	s->query.key_count = 0;
}

/* As rows do, also where it is too little for any test. */
static void
nodes_say_what_is_missing(void **state)
{
	static const struct {
		int seconds;
		const char *word;
	} cases[] = { { 2, "needs 8 s" }, { 4, "needs 6 s" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const int seconds = cases[i].seconds;
		char word[COLUMN_TEXT_MAX];
		struct snapshot *snap, *then;
		struct scene s;

		stacks_open(&s);
		run_seconds(&s, false, seconds);
		profile_set_window(s.b.profile, (unsigned)seconds * NSEC_PER_SEC);
		then = report(&s);
		run_seconds(&s, true, seconds);
		snap = report(&s);
		difference_make(snap, then, "before", true);
		assert_true(ceil(snap->then.needs_s) == 10 - seconds);
		for (size_t n = 0; n < snap->node_count; n++)
			assert_string_equal(difference_word(snap->nodes[n].difference, word),
					    cases[i].word);
		snapshot_put(snap);
		bench_close(&s.b);
	}
}

static const struct difference *
node_difference(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->node_count; i++)
		if (strcmp(s->nodes[i].name, name) == 0)
			return s->nodes[i].difference;
	fail_msg("no node %s", name);
	return NULL;
}

static void
nodes_say_whether_their_change_is_chance(void **state)
{
	static const char *const changed[] = { "f0", "f1", "f2", "f3" };
	struct snapshot *snap;
	struct scene s;

	(void)state;
	stacks_open(&s);
	run_seconds(&s, false, SECONDS);
	run_seconds(&s, true, SECONDS);
	snap = compare(&s, SECONDS, true);
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		const struct share_change *c = &node_difference(snap, changed[i])->change;

		assert_true(c->is_significant);
		assert_true(c->low <= c->delta && c->delta <= c->high);
	}
	assert_true(node_difference(snap, "f2")->is_gone);
	assert_true(node_difference(snap, "f3")->is_new);
	assert_false(node_difference(snap, "web")->change.is_significant);
	snapshot_put(snap);
	run_seconds(&s, true, SECONDS);
	snap = compare(&s, SECONDS, true);
	for (size_t i = 0; i < snap->node_count; i++) {
		assert_false(isnan(snap->nodes[i].difference->change.p) &&
			     snap->nodes[i].depth > 1);
		assert_false(snap->nodes[i].difference->change.is_significant);
	}
	snapshot_put(snap);
	bench_close(&s.b);
}

/* From the inside out, and by function: as from the outside in. */
static void
nodes_of_turned_trees_say_it_too(void **state)
{
	static const char *const changed[] = { "f0", "f1", "f2", "f3" };
	struct scene s;

	(void)state;
	for (int is_callers = 0; is_callers < 2; is_callers++) {
		struct snapshot *snap;

		stacks_open(&s);
		s.query.view = is_callers ? VIEW_CALLERS : VIEW_TREE;
		s.query.bottom_up = !is_callers;
		run_seconds(&s, false, SECONDS);
		run_seconds(&s, true, SECONDS);
		snap = compare(&s, SECONDS, true);
		for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
			assert_true(node_difference(snap, changed[i])->change.is_significant);
		assert_true(node_difference(snap, "f2")->is_gone);
		assert_true(node_difference(snap, "f3")->is_new);
		snapshot_put(snap);
		run_seconds(&s, true, SECONDS);
		snap = compare(&s, SECONDS, true);
		for (size_t i = 0; i < snap->node_count; i++) {
			const struct share_change *c = &snap->nodes[i].difference->change;

			/* All is all. */
			assert_int_equal(isnan(c->p), snap->nodes[i].kind == NODE_ALL);
			assert_false(c->is_significant);
		}
		snapshot_put(snap);
		bench_close(&s.b);
	}
}

/* What is looked at has become half of what it was, of all: that is a change, though its parts have not. */
static void
nodes_are_judged_by_what_their_shares_are_of(void **state)
{
	for (int of_shown = 0; of_shown < 2; of_shown++) {
		struct snapshot *snap;
		struct scene s;

		(void)state;
		stacks_open(&s);
		tell_fork(s.b.model, 1, 1, 30, 30, 1);
		tell_comm(s.b.model, 30, 30, "other", true);
		s.query.process = model_find_task(s.b.model, 20);
		s.query.shares = of_shown ? SHARES_OF_SHOWN : SHARES_OF_ALL;
		for (int second = 0; second < 2 * SECONDS; second++) {
			bool is_now = second >= SECONDS;

			for (int i = 0; i < 300; i++)
				bench_sample(&s.b, 0, 30, 30, 0, s.web, 16, 0, is_now ? PERIOD * 3 : PERIOD);
			run_seconds(&s, false, 1);
		}
		snap = compare(&s, SECONDS, true);
		assert_int_equal(node_difference(snap, "f1")->change.is_significant, !of_shown);
		snapshot_put(snap);
		bench_close(&s.b);
	}
}

static bool
has_note(const struct snapshot *s, const char *text)
{
	for (size_t i = 0; i < s->then.note_count; i++)
		if (strstr(s->then.notes[i], text) != NULL)
			return true;
	return false;
}

static void
trees_without_call_chains_are_not_compared(void **state)
{
	(void)state;
	for (int is_then = 0; is_then < 2; is_then++) {
		struct snapshot *now, *then;
		struct scene s;

		stacks_open(&s);
		s.query.view = VIEW_TREE;
		run_seconds(&s, true, SECONDS);
		now = report(&s);
		then = report(&s);
		(is_then ? then : now)->events[0].lacks_chains = true;
		difference_make(now, then, "old.data", false);
		assert_true(now->node_count > 2);
		for (size_t i = 0; i < now->node_count; i++)
			assert_null(now->nodes[i].difference);
		assert_true(has_note(now, is_then ? "THEN has no call chains (record with -g)"
						  : "NOW has no call chains (-g takes them)"));
		snapshot_put(now);
		bench_close(&s.b);
	}
}

static void
functions_are_compared_whether_there_are_call_chains_or_not(void **state)
{
	struct snapshot *now, *then;
	struct scene s;

	(void)state;
	scene_open(&s);
	run_seconds(&s, true, SECONDS);
	now = report(&s);
	then = report(&s);
	then->events[0].lacks_chains = true;
	difference_make(now, then, "old.data", false);
	assert_non_null(row_of(now, 0)->difference);
	assert_null(now->then.lacks);
	snapshot_put(now);
	bench_close(&s.b);
}

/* Their mark was made under another event. */
static void
nothing_is_new_where_then_has_no_samples_of_the_event(void **state)
{
	static const enum view_id views[] = { VIEW_FUNCTIONS, VIEW_TREE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct snapshot *now, *then;
		struct scene s;

		stacks_open(&s);
		s.query.view = views[i];
		s.query.key_count = views[i] == VIEW_FUNCTIONS ? 2 : 0;
		then = report(&s);
		run_seconds(&s, true, SECONDS);
		now = report(&s);
		now->events[0].shown = true;
		difference_make(now, then, "before", true);
		assert_true(now->row_count + now->node_count > 2);
		for (size_t k = 0; k < now->row_count; k++)
			assert_null(now->rows[k].difference);
		for (size_t k = 1; k < now->row_count; k++)
			assert_true(now->rows[k - 1].share >= now->rows[k].share);
		for (size_t k = 0; k < now->node_count; k++)
			assert_null(now->nodes[k].difference);
		assert_string_equal(now->then.lacks, "this event was not measured THEN");
		assert_true(has_note(now, "is not compared: this event was not measured THEN"));
		snapshot_put(now);
		bench_close(&s.b);
	}
}

static void
nothing_is_gone_where_now_has_no_samples_of_the_event(void **state)
{
	static const enum view_id views[] = { VIEW_FUNCTIONS, VIEW_TREE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct snapshot *now, *then;
		struct scene s;

		stacks_open(&s);
		s.query.view = views[i];
		s.query.key_count = views[i] == VIEW_FUNCTIONS ? 2 : 0;
		now = report(&s);
		now->events[0].shown = true;
		run_seconds(&s, true, SECONDS);
		then = report(&s);
		assert_true(then->row_count + then->node_count > 2);
		difference_make(now, then, "before", true);
		assert_int_equal(now->row_count, 0);
		for (size_t k = 0; k < now->node_count; k++)
			assert_null(now->nodes[k].difference);
		assert_string_equal(now->then.lacks, "nothing is known NOW");
		assert_int_equal(now->then.note_count, 0);
		snapshot_put(now);
		bench_close(&s.b);
	}
}

static void
all_is_new_where_then_was_measured_and_had_none(void **state)
{
	struct snapshot *now, *then;
	struct scene s;

	(void)state;
	scene_open(&s);
	then = report(&s);
	then->events[0].window_s = 10;
	run_seconds(&s, true, SECONDS);
	now = report(&s);
	difference_make(now, then, "before", true);
	assert_true(now->row_count > 2);
	for (size_t i = 0; i < now->row_count; i++)
		assert_non_null(now->rows[i].difference);
	assert_null(now->then.lacks);
	snapshot_put(now);
	bench_close(&s.b);
}

/* Recordings call their events as they like. */
static void
rename_event(struct snapshot *s, const char *name, const char *measures)
{
	for (size_t i = 0; i < s->row_count; i++)
		s->own_rows[i].event = name;
	s->events[0].name = name;
	s->events[0].measures = measures;
}

/* Two reports of the same, which tests call otherwise. */
static void
report_twice(struct scene *s, struct snapshot **now, struct snapshot **then)
{
	scene_open(s);
	run_seconds(s, true, SECONDS);
	*now = report(s);
	*then = report(s);
}

/* Each of two has its own beside it: there is more than one event to choose from. */
static void
events_that_measure_the_same_are_compared_whatever_they_are_called(void **state)
{
	static struct snapshot_event two[2];
	struct snapshot *now, *then;
	struct scene s;

	(void)state;
	report_twice(&s, &now, &then);
	rename_event(now, "cpu-clock:u", "1 0 no kernel");
	two[0] = now->events[0];
	two[1] = (struct snapshot_event){ .name = "page-faults", .measures = "1 2" };
	now->events = two;
	now->event_count = 2;
	rename_event(then, "cpu-clock:uhppp", "1 0 no kernel");
	difference_make(now, then, "old.data", false);
	assert_non_null(row_of(now, 0)->difference);
	assert_true(row_of(now, 0)->difference->then_samples > 0);
	assert_int_equal(now->then.note_count, 0);
	snapshot_put(now);
	bench_close(&s.b);
}

/* The one of the same name is compared, whichever comes first; the other has no rows of its own. */
static void
of_two_events_that_measure_the_same_one_is_compared(void **state)
{
	static const char *const names[][2] = { { "cycles:pp", "cycles" }, { "cycles", "cycles:pp" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		static struct snapshot_event two[2];
		struct snapshot *now, *then;
		struct scene s;

		report_twice(&s, &now, &then);
		rename_event(now, "cycles", "0 0");
		now->event_count = 1;
		rename_event(then, "cycles", "0 0");
		for (size_t k = 0; k < ARRAY_SIZE(two); k++) {
			two[k] = then->events[0];
			two[k].name = names[i][k];
		}
		then->events = two;
		then->event_count = 2;
		difference_make(now, then, "old.data", false);
		assert_true(row_of(now, 0)->difference->then_samples > 0);
		assert_int_equal(now->then.note_count, 1);
		assert_true(has_note(now, "event cycles:pp is only in what is compared with"));
		snapshot_put(now);
		bench_close(&s.b);
	}
}

static void
events_that_measure_something_else_are_told(void **state)
{
	struct snapshot *now, *then;
	struct scene s;

	(void)state;
	report_twice(&s, &now, &then);
	rename_event(now, "cpu-clock:u", "1 0 no kernel");
	rename_event(then, "cpu-clock", "1 0");
	now->event_count = then->event_count = 1;
	difference_make(now, then, "old.data", false);
	assert_non_null(row_of(now, 0)->difference);
	assert_true(has_note(now, "event cpu-clock:u is compared with event cpu-clock: shares"));
	snapshot_put(now);
	bench_close(&s.b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_that_change_say_by_how_much_and_whether_it_is_chance),
		cmocka_unit_test(a_second_of_other_hosts_is_that_of_one_on_average),
		cmocka_unit_test(what_does_not_change_is_marked_as_equal),
		cmocka_unit_test(windows_of_two_seconds_are_compared_by_the_past),
		cmocka_unit_test(too_little_says_what_is_missing),
		cmocka_unit_test(sums_of_units_are_what_rows_have),
		cmocka_unit_test(frames_have_the_counts_of_both),
		cmocka_unit_test(nodes_say_what_is_missing),
		cmocka_unit_test(nodes_say_whether_their_change_is_chance),
		cmocka_unit_test(nodes_of_turned_trees_say_it_too),
		cmocka_unit_test(nodes_are_judged_by_what_their_shares_are_of),
		cmocka_unit_test(trees_without_call_chains_are_not_compared),
		cmocka_unit_test(functions_are_compared_whether_there_are_call_chains_or_not),
		cmocka_unit_test(nothing_is_new_where_then_has_no_samples_of_the_event),
		cmocka_unit_test(nothing_is_gone_where_now_has_no_samples_of_the_event),
		cmocka_unit_test(all_is_new_where_then_was_measured_and_had_none),
		cmocka_unit_test(events_that_measure_the_same_are_compared_whatever_they_are_called),
		cmocka_unit_test(of_two_events_that_measure_the_same_one_is_compared),
		cmocka_unit_test(events_that_measure_something_else_are_told),
		cmocka_unit_test(nodes_that_are_gone_stay_as_ghosts_in_their_place),
	};

	return cmocka_run_group_tests_name("difference", tests, NULL, NULL);
}
