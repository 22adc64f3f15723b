/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that are kept from report to report are those that a walk over the whole window finds, whatever
 * has happened in between.
 */
#include "profile/count/fold_impl.h"
#include "report_fixture.h"

#include <stdlib.h>

enum {
	STEPS = 1500,
	PROGRAMS = 4,
	FUNCTIONS = 24,
	PIDS = 12,
	FIRST_PID = 100,
	SHORT_PERCENT = 6,
};

static const char *const program_names[PROGRAMS] = { "/bin/a", "/bin/b", "/bin/c", "/bin/d" };

/* A machine that anything can happen to. */
struct world {
	struct scene s;
	struct kept_sums *kept;
	uint32_t programs[PROGRAMS];
	bool is_named[PROGRAMS];
	int pids[PIDS], next_pid;
	unsigned short_units; /* seconds in parts, in percent */
	size_t compared, rows, with_past;
};

static unsigned
chance(unsigned below)
{
	return (unsigned)rand() % below;
}

static void
start_task(struct world *w, unsigned i)
{
	w->pids[i] = w->next_pid++;
	bench_exec(&w->s.b, w->pids[i], chance(COMMS));
	w->s.b.model->tasks[model_find_task(w->s.b.model, w->pids[i])].uid = chance(3);
}

static void
world_open(struct world *w, unsigned short_units)
{
	*w = (struct world){ .next_pid = FIRST_PID, .short_units = short_units };
	scene_open(&w->s);
	w->kept = kept_sums_new();
	w->s.b.profile->hot_moved = kept_sums_renumber;
	w->s.b.profile->hot_moved_self = w->kept;
	w->s.b.profile->keeps_past = true;
	for (unsigned i = 0; i < PROGRAMS; i++)
		w->programs[i] = dsos_file(&w->s.b.model->dsos, program_names[i], 8, 1, 50 + i, 0);
	for (unsigned i = 0; i < PIDS; i++)
		start_task(w, i);
	ask_view(&w->s, VIEW_FUNCTIONS);
	w->s.query.sums = true;
	profile_set_window(w->s.b.profile, 10 * NSEC_PER_SEC);
}

static void
world_close(struct world *w)
{
	kept_sums_free(w->kept);
	scene_close(&w->s);
}

/* Some have a lot, and most nothing. */
static void
some_samples(struct world *w)
{
	for (unsigned n = chance(40); n > 0; n--) {
		int pid = w->pids[chance(PIDS)];
		uint64_t function = chance(2) ? chance(4) : chance(FUNCTIONS);

		bench_sample(&w->s.b, chance(8) == 0, pid, pid, 0, w->programs[chance(PROGRAMS)],
			     function * 256, 0, chance(4) != 0 ? 1000000 : (uint64_t)rand() * 977 + 1);
	}
}

static void
second(struct world *w)
{
	unsigned parts = chance(100) < w->short_units ? 1 + chance(4) : 1;


	for (unsigned i = 0; i < parts; i++) {
		some_samples(w);
		bench_interval(&w->s.b, NSEC_PER_SEC / parts - chance(1000));
	}
	/* The next is not over yet. */
	if (parts > 1 && chance(4) == 0) {
		some_samples(w);
		bench_interval(&w->s.b, (100 + chance(700)) * NSEC_PER_MSEC);
	}
	profile_fold(w->s.b.profile, w->s.b.now_ns);
}

static void
seconds(struct world *w)
{
	for (unsigned n = chance(12); n > 0; n--)
		second(w);
}

static void
other_window(struct world *w)
{
	static const uint64_t lengths_s[] = { 1, 5, 10, 29, 30, 31, 60, 119, 300 };

	profile_set_window(w->s.b.profile,
			   chance(12) == 0 ? WINDOW_ALL : lengths_s[chance(ARRAY_SIZE(lengths_s))] * NSEC_PER_SEC);
}

static void
other_view(struct world *w)
{
	static const enum view_id views[] = { VIEW_FUNCTIONS, VIEW_PROCESSES, VIEW_THREADS, VIEW_CGROUPS };
	const struct query before = w->s.query;

	ask_view(&w->s, views[chance(ARRAY_SIZE(views))]);
	w->s.query.sums = true;
	w->s.query.process = before.process;
	w->s.query.shares = before.shares;
	w->s.query.max_rows = before.max_rows;
}

static void
other_keys(struct world *w)
{
	static const char *const keys[] = { "comm,symbol", "pid,dso", "user", "comm" };

	ask_keys(&w->s, keys[chance(ARRAY_SIZE(keys))]);
	w->s.query.sums = true;
}

static void
other_scope(struct world *w)
{
	struct query *q = &w->s.query;

	q->process = chance(2) ? model_find_task(w->s.b.model, w->pids[chance(PIDS)]) : 0;
	q->dso = chance(4) == 0 ? w->programs[chance(PROGRAMS)] : 0;
	q->hide_user = chance(6) == 0;
	q->hide_kernel = chance(6) == 0;
	q->idle = chance(2);
	q->unnamed = chance(6) == 0;
	q->shares = chance(2) ? SHARES_OF_SHOWN : SHARES_OF_ALL;
	q->max_rows = chance(2) ? 2 + chance(20) : 0;
	q->is_then = chance(4) == 0;
}

static void
other_filter(struct world *w)
{
	filter_free(w->s.filter);
	w->s.filter = chance(3) == 0 ? filter_parse("symbol!=f1*", NULL) : NULL;
}

static void
other_event(struct world *w)
{
	w->s.src.shown_event = chance(EVENTS);
}

/* An event is measured no more, or again. */
static void
close_event(struct world *w)
{
	struct profile_event *ev = &w->s.b.profile->events[chance(EVENTS)];

	ev->open_since_ns = ev->open_since_ns == 0 ? w->s.b.now_ns : 0;
}

static void
freeze(struct world *w)
{
	profile_set_frozen(w->s.b.profile, !w->s.b.profile->frozen);
}

static void
look_back(struct world *w)
{
	uint64_t back_ns = chance(150) * NSEC_PER_SEC;

	profile_set_end(w->s.b.profile,
			chance(2) || back_ns >= w->s.b.now_ns ? 0 : w->s.b.now_ns - back_ns);
}

static void
zero_event(struct world *w)
{
	if (chance(4) == 0)
		profile_zero(w->s.b.profile, chance(EVENTS));
}

static void
forget(struct world *w)
{
	for (unsigned n = chance(6); n > 0 && w->s.b.profile->log.tiers[LOG_NEWEST].len > 1; n--)
		profile_forget_interval(w->s.b.profile);
}

static void
end_task(struct world *w)
{
	unsigned i = chance(PIDS);

	tell_exit(w->s.b.model, w->pids[i], w->pids[i], 0, w->s.b.now_ns);
	start_task(w, i);
	if (chance(2))
		model_sweep(w->s.b.model, w->s.b.now_ns);
}

/* What it counted so far is shown by another name from now on. */
static void
exec_task(struct world *w)
{
	int pid = w->pids[chance(PIDS)];

	tell_comm(w->s.b.model, pid, pid, comm_name(chance(COMMS)), true);
}

/* Names come late: places become functions, and tables follow then or later. */
static void
learn_names(struct world *w)
{
	unsigned i = chance(PROGRAMS);

	if (w->is_named[i])
		return;
	w->is_named[i] = true;
	locations_learn_image(&w->s.b.locations, w->programs[i], make_image(FUNCTIONS, 256), "", "");
	w->s.b.profile->fold_due = chance(2);
}

static void
tell_apart(struct world *w)
{
	const struct tables *t = &w->s.b.profile->tables;

	if (chance(3) == 0)
		profile_watch_none(w->s.b.profile, w->s.b.now_ns);
	else if (t->cells[TABLE_HOT].len > 1)
		profile_watch(w->s.b.profile, t->hot[1 + chance((unsigned)t->cells[TABLE_HOT].len - 1)].location,
			      chance(2), w->s.b.now_ns);
}

/* How often, beside others. */
static const struct act {
	void (*run)(struct world *w);
	unsigned weight;
} acts[] = {
	{ second, 60 }, { seconds, 12 }, { other_window, 3 }, { other_view, 4 }, { other_keys, 2 },
	{ other_scope, 3 }, { other_filter, 2 }, { other_event, 2 }, { close_event, 1 }, { freeze, 1 },
	{ look_back, 1 }, { zero_event, 1 }, { forget, 1 }, { end_task, 4 }, { exec_task, 3 },
	{ learn_names, 1 }, { tell_apart, 1 },
};

static void
act(struct world *w)
{
	unsigned all = 0, at;

	for (size_t i = 0; i < ARRAY_SIZE(acts); i++)
		all += acts[i].weight;
	at = chance(all);
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
		if (at < acts[i].weight) {
			acts[i].run(w);
			return;
		}
		at -= acts[i].weight;
	}
}

/* @of: what rounding is a part of: a walk rounds what it adds, and its sums are never taken apart. */
static void
assert_near(double have, double want, double of)
{
	assert_that(fabs(have - want), <=, fabs(of) * 1e-11);
}

static void
assert_moments(const struct share_moments *have, const struct share_moments *want)
{
	assert_int_equal(have->units, want->units);
	assert_near(have->of, want->of, want->all);
	assert_near(have->all, want->all, want->all);
	assert_near(have->of_of, want->of_of, want->of_of);
	assert_near(have->of_all, want->of_all, want->of_all);
	assert_near(have->all_all, want->all_all, want->all_all);
	assert_near(have->of_of_next, want->of_of_next, want->of_of_next);
	assert_near(have->cross_next, want->cross_next, want->cross_next);
	assert_near(have->all_all_next, want->all_all_next, want->all_all_next);
}

static void
assert_share_sums(const struct share_sums *have, const struct share_sums *want)
{
	assert_moments(&have->window, &want->window);
	assert_moments(&have->spread, &want->spread);
	assert_moments(&have->merged, &want->merged);
	assert_true(have->samples == want->samples);
	if (want->window.units > 0)
		assert_true(have->unit_s == want->unit_s);
	if (want->spread.units > 0)
		assert_true(have->spread_unit_s == want->spread_unit_s);
}

/* The report with what was kept, and the same from nothing. */
static void
compare(struct world *w)
{
	struct scene *s = &w->s;
	struct snapshot *want;

	s->src.kept = NULL;
	report(s);
	want = snapshot_get(s->snap);
	s->src.kept = w->kept;
	report(s);
	assert_int_equal(s->snap->row_count, want->row_count);
	for (size_t i = 0; i < want->row_count; i++) {
		const struct row *row = &want->rows[i];

		assert_true(s->snap->rows[i].id == row->id);
		assert_true((s->snap->rows[i].sums == NULL) == (row->sums == NULL));
		if (row->sums == NULL)
			continue;
		assert_share_sums(s->snap->rows[i].sums, row->sums);
		w->rows++;
		w->with_past += row->sums->spread.of > row->sums->window.of;
	}
	if (s->src.shown_event < want->event_count)
		assert_share_sums(s->snap->events[s->src.shown_event].sums,
				  want->events[s->src.shown_event].sums);
	snapshot_put(want);
	w->compared++;
}

static void
anything_may_happen(unsigned seed, unsigned short_units)
{
	struct world w;

	srand(seed);
	world_open(&w, short_units);
	for (int i = 0; i < STEPS; i++) {
		act(&w);
		compare(&w);
	}
	assert_that(w.rows, >, STEPS);
	assert_that(w.with_past, >, STEPS / 4);
	world_close(&w);
}

static void
kept_sums_are_those_of_a_walk_in_whole_seconds(void **state)
{
	(void)state;
	anything_may_happen(1, 0);
	anything_may_happen(2, 0);
}

static void
kept_sums_are_those_of_a_walk_in_parts_of_seconds(void **state)
{
	(void)state;
	anything_may_happen(3, SHORT_PERCENT);
	anything_may_happen(4, 100);
}

/* An interval that nobody walks over may be anything: nobody would see it.  All but those at the ends. */
static void
empty_the_middle(struct world *w)
{
	struct interval_list *newest = &w->s.b.profile->log.tiers[LOG_NEWEST];

	for (size_t i = 20; i + 20 < newest->len; i++)
		newest->items[newest->gone + i].len = 0;
}

static struct share_sums
sums_of_all(struct world *w, struct kept_sums *kept)
{
	w->s.src.kept = kept;
	report(&w->s);
	return *w->s.snap->events[0].sums;
}

static void
a_refresh_walks_over_what_came_and_what_left_alone(void **state)
{
	struct world w;
	struct share_sums before, walked;

	(void)state;
	srand(5);
	world_open(&w, 0);
	for (int i = 0; i < 130; i++)
		second(&w);
	compare(&w);
	second(&w);
	empty_the_middle(&w);
	walked = sums_of_all(&w, NULL);
	before = sums_of_all(&w, w.kept);
	assert_that(walked.spread.all, <, before.spread.all / 2);
	assert_that(before.spread.units, >=, 118);
	world_close(&w);
}

/* Tasks from @first on end, and become one of each name; others start. */
static void
end_and_merge(struct world *w, unsigned first)
{
	struct profile *p = w->s.b.profile;
	const size_t len = p->tables.cells[TABLE_HOT].len;
	const uint32_t ids = p->hot_epoch;

	for (unsigned i = first; i < PIDS; i++) {
		tell_exit(w->s.b.model, w->pids[i], w->pids[i], 0, w->s.b.now_ns - 1);
		start_task(w, i);
	}
	model_sweep(w->s.b.model, w->s.b.now_ns);
	p->hot_max = 1;
	profile_fold(p, w->s.b.now_ns);
	assert_that(p->tables.cells[TABLE_HOT].len, <, len);
	assert_int_not_equal(p->hot_epoch, ids);
}

/* Whose functions they are does not change as ended tasks become one. */
static void
sums_stay_when_entries_of_a_row_become_one(void **state)
{
	struct world w;
	struct share_sums before, after;

	(void)state;
	srand(8);
	world_open(&w, 0);
	for (int i = 0; i < 130; i++)
		second(&w);
	compare(&w);
	before = sums_of_all(&w, w.kept);
	end_and_merge(&w, 0);
	empty_the_middle(&w);
	assert_that(sums_of_all(&w, NULL).spread.all, <, before.spread.all / 2);
	after = sums_of_all(&w, w.kept);
	assert_share_sums(&after, &before);
	world_close(&w);
}

/* A row that has what two had is made anew, and so is all where nobody told the new ids. */
static void
sums_are_made_anew_when_entries_of_two_rows_become_one(void **state)
{
	struct world w;

	(void)state;
	srand(9);
	world_open(&w, 0);
	for (int i = 0; i < 2; i++) {
		w.s.b.profile->hot_moved = i == 0 ? kept_sums_renumber : NULL;
		for (enum view_id view = VIEW_PROCESSES; view <= VIEW_FUNCTIONS; view++) {
			for (int n = 0; n < 40; n++)
				second(&w);
			ask_view(&w.s, view);
			w.s.query.sums = true;
			compare(&w);
			end_and_merge(&w, PIDS / 2);
			compare(&w);
			/* Their entries are before those of what they become a part of. */
			end_and_merge(&w, 0);
			compare(&w);
		}
	}
	world_close(&w);
}

/* What the process has is of the ended ones of its name from now on. */
static void
become_ended(struct world *w, int pid)
{
	struct model *m = w->s.b.model;
	const uint32_t task = model_find_task(m, pid);
	const uint32_t ended = model_ended_who(m, 0, m->tasks[task].comm, 0);
	uint32_t *whos = mem_calloc(m->who_len, sizeof(*whos));

	for (uint32_t who = 1; who < m->who_len; who++)
		whos[who] = m->whos[who].task == task ? ended : who;
	fold_hot(w->s.b.profile, whos, NULL, 0);
	free(whos);
}

/* The entry of the one has the lower number, that of the row has the higher: there is one now. */
static void
an_entry_that_becomes_one_with_the_next_is_not_only_that(void **state)
{
	struct world w;
	size_t len;

	(void)state;
	srand(10);
	world_open(&w, 0);
	ask_view(&w.s, VIEW_PROCESSES);
	w.s.query.sums = true;
	for (unsigned i = 0; i < 2; i++)
		bench_exec(&w.s.b, w.pids[i], 0);
	for (unsigned i = 0; i < 5; i++) {
		samples(&w.s, 0, w.pids[0], w.pids[0], w.programs[0], 256, 3 + i);
		samples(&w.s, 0, w.pids[1], w.pids[1], w.programs[0], 256, 4);
		bench_interval(&w.s.b, NSEC_PER_SEC);
	}
	compare(&w);
	become_ended(&w, w.pids[1]);
	compare(&w);
	len = w.s.b.profile->tables.cells[TABLE_HOT].len;
	become_ended(&w, w.pids[0]);
	assert_int_equal(w.s.b.profile->tables.cells[TABLE_HOT].len, len - 1);
	compare(&w);
	world_close(&w);
}

/* What hot entry @id has is of the rest of its program from now on. */
static void
fold_entry(struct world *w, size_t id)
{
	size_t len = w->s.b.profile->tables.cells[TABLE_HOT].len;
	uint32_t *weights = mem_calloc(len, sizeof(*weights));

	for (size_t i = 1; i < len; i++)
		weights[i] = i == id ? 1 : 9;
	assert_int_equal(fold_hot(w->s.b.profile, NULL, weights, 5), 1);
}

/* One of a row becomes another's, and the next of that row gets its number: each is what it was. */
static void
entries_that_are_renumbered_are_not_mistaken_for_those_before(void **state)
{
	struct world w;
	size_t last;

	(void)state;
	srand(7);
	world_open(&w, 0);
	learn_names(&w);
	for (unsigned i = 0; i < PROGRAMS; i++)
		if (w.is_named[i])
			w.programs[0] = w.programs[i];
	for (int i = 0; i < 3; i++) {
		samples(&w.s, 0, w.pids[0], w.pids[0], w.programs[0], 5 * 256, 1);
		samples(&w.s, 0, w.pids[0], w.pids[0], w.programs[0], 256, 2);
		samples(&w.s, 0, w.pids[1], w.pids[1], w.programs[0], 256, 40);
		bench_interval(&w.s.b, NSEC_PER_SEC);
	}
	last = w.s.b.profile->tables.cells[TABLE_HOT].len - 1;
	fold_entry(&w, last - 2);
	compare(&w);
	fold_entry(&w, last - 1);
	assert_int_equal(w.s.b.profile->tables.cells[TABLE_HOT].len, last);
	compare(&w);
	world_close(&w);
}

/* Of a place that was left and is shown again what came meanwhile is added. */
static void
places_are_kept_for_when_they_are_shown_again(void **state)
{
	struct world w;
	size_t bytes;

	(void)state;
	srand(6);
	world_open(&w, 0);
	for (int i = 0; i < 40; i++)
		second(&w);
	for (int i = 0; i < 200; i++) {
		ask_view(&w.s, i % 2 ? VIEW_PROCESSES : VIEW_FUNCTIONS);
		w.s.query.sums = true;
		w.s.query.process = i % 4 == 0 ? model_find_task(w.s.b.model, w.pids[0]) : 0;
		compare(&w);
		second(&w);
	}
	bytes = kept_sums_bytes(w.kept);
	assert_that(bytes, >, 10 << 10);
	assert_that(bytes, <, 400 << 10);
	world_close(&w);
}

/* What the functions of a user have, who is in no control group and on no other host. */
static void
ask_within(struct world *w, uint32_t uid)
{
	struct query *q = &w->s.query;
	const uint32_t none = strs_add_str(&w->s.b.model->strs, "-");

	ask_view(&w->s, VIEW_FUNCTIONS);
	q->sums = true;
	q->within[q->within_count++] = (struct query_within){ .key = KEY_CGROUP, .part = none };
	q->within[q->within_count++] = (struct query_within){ .key = KEY_USER, .part = uid };
	q->within[q->within_count++] = (struct query_within){ .key = KEY_HOST, .part = none };
}

/* Though only one of the groups that one went into is another, and not the last. */
static void
places_behind_other_groups_are_kept_apart(void **state)
{
	struct world w;
	struct share_sums walked, kept;

	(void)state;
	srand(11);
	world_open(&w, 0);
	for (int i = 0; i < 130; i++)
		second(&w);
	for (uint32_t uid = 0; uid < 2; uid++) {
		ask_within(&w, uid);
		compare(&w);
		assert_that(w.s.snap->row_count, >, 0);
	}
	empty_the_middle(&w);
	for (uint32_t uid = 0; uid < 2; uid++) {
		ask_within(&w, uid);
		walked = sums_of_all(&w, NULL);
		kept = sums_of_all(&w, w.kept);
		assert_that(walked.spread.all, <, kept.spread.all / 2);
	}
	world_close(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_sums_are_those_of_a_walk_in_whole_seconds),
		cmocka_unit_test(kept_sums_are_those_of_a_walk_in_parts_of_seconds),
		cmocka_unit_test(a_refresh_walks_over_what_came_and_what_left_alone),
		cmocka_unit_test(sums_stay_when_entries_of_a_row_become_one),
		cmocka_unit_test(sums_are_made_anew_when_entries_of_two_rows_become_one),
		cmocka_unit_test(an_entry_that_becomes_one_with_the_next_is_not_only_that),
		cmocka_unit_test(entries_that_are_renumbered_are_not_mistaken_for_those_before),
		cmocka_unit_test(places_are_kept_for_when_they_are_shown_again),
		cmocka_unit_test(places_behind_other_groups_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
