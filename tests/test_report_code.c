/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each address of one function has: in windows, by event, by thread, after folds. */
#include "profile/place/location.h"
#include "profile/report/report.h"
#include "profile_fixture.h"
#include "tests/asserts.h"
#include "view/filter.h"

enum { REAL_NS = 1000 };

/*
 * The program of f0 to f3, of 256 bytes each.  In f1 have thread 20 0x110: 30, 0x118: 10, thread 21
 * 0x118: 5; of the second event thread 20 0x110: 7.  f2 has 3.
 */
struct scene {
	struct fixture b;
	struct query query;
	struct report_source src;
	struct filter *filter;
	struct snapshot *snap;
	uint32_t dso;
};

static void
sample(struct scene *s, uint32_t event, int tid, uint64_t offset, int count)
{
	while (count-- > 0)
		bench_sample(&s->b, event, 20, tid, 0, s->dso, offset, 0, 10);
}

static void
sample_all(struct scene *s)
{
	sample(s, 0, 20, 0x110, 30);
	sample(s, 0, 20, 0x118, 10);
	sample(s, 0, 21, 0x118, 5);
	sample(s, 1, 20, 0x110, 7);
	sample(s, 0, 20, 0x210, 3);
	bench_interval(&s->b, NSEC_PER_SEC);
}

static void
scene_open(struct scene *s)
{
	*s = (struct scene){ .query = { .view = VIEW_ANNOTATE, .by_view = true, .trends = true,
					.shares = SHARES_OF_SHOWN } };
	bench_open(&s->b, 24 << 20);
	s->dso = dsos_file(&s->b.model->dsos, "/bin/web", 8, 1, 42, 0);
	locations_learn_image(&s->b.locations, s->dso, make_image(4, 256), "", "");
	tell_fork(s->b.model, 1, 1, 20, 20, 1);
	tell_comm(s->b.model, 20, 20, "web", true);
	tell_fork(s->b.model, 20, 20, 20, 21, 1);
	tell_comm(s->b.model, 20, 21, "worker", false);
	s->src = (struct report_source){ .profile = s->b.profile,
					 .real_ns = REAL_NS * NSEC_PER_SEC };
}

static void
scene_close(struct scene *s)
{
	snapshot_put(s->snap);
	filter_free(s->filter);
	bench_close(&s->b);
}

static const struct snapshot_code *
ask(struct scene *s)
{
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->snap->query = s->query;
	s->src.mono_ns = s->b.now_ns;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
	assert_non_null(s->snap->code);
	return s->snap->code;
}

static void
assert_count(const struct snapshot_code *c, size_t i, uint64_t offset, uint32_t event,
	     uint64_t samples)
{
	assert_that(i, <, c->count_len);
	assert_int_equal(c->counts[i].offset, offset);
	assert_int_equal(c->counts[i].event, event);
	assert_int_equal(c->counts[i].cost.samples, samples);
	assert_int_equal(c->counts[i].cost.period, samples * 10);
}

static void
filter(struct scene *s, const char *text)
{
	struct err err = { 0 };

	filter_free(s->filter);
	s->filter = filter_parse(text, &err);
	assert_non_null(s->filter);
}

static void
the_hottest_function_has_counts_by_address_and_event(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	c = ask(&s);
	assert_null(c->why);
	assert_string_equal(c->symbol, "f1");
	assert_string_equal(c->dso, "web");
	assert_int_equal(c->start, 0x100);
	assert_int_equal(c->end, 0x200);
	assert_int_equal(c->count_len, 3);
	assert_count(c, 0, 0x110, 0, 30);
	assert_count(c, 1, 0x110, 1, 7);
	assert_count(c, 2, 0x118, 0, 15);
	assert_int_equal(c->told[0].samples, 45);
	assert_int_equal(c->told[1].samples, 7);
	assert_int_equal(c->all[0].samples, 45);
	assert_int_equal(s.snap->events[0].base, 450); /* percent are of the function, */
	s.query.shares = SHARES_OF_ALL;
	ask(&s);
	assert_int_equal(s.snap->events[0].base, 480); /* or of all */
	scene_close(&s);
}

static void
a_function_is_told_by_place_name_or_file(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	s.query.code_dso = s.dso;
	s.query.code_at = 0x2ff;
	assert_string_equal(ask(&s)->symbol, "f2");
	s.query.code_at = 0x310; /* one without samples */
	c = ask(&s);
	assert_string_equal(c->symbol, "f3");
	assert_int_equal(c->count_len, 0);
	s.query.code_dso = 0;
	strcpy(s.query.symbol, "f2");
	c = ask(&s);
	assert_int_equal(c->start, 0x200);
	assert_int_equal(c->told[0].samples, 3);
	strcpy(s.query.symbol_dso, "other.so");
	assert_non_null(strstr(ask(&s)->why, "no samples in a function 'f2' of other.so"));
	scene_close(&s);
}

static void
a_name_that_is_not_there_names_the_nearest(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	strcpy(s.query.symbol, "ff1");
	assert_non_null(strstr(ask(&s)->why, "'ff1': did you mean 'f1'?"));
	assert_int_equal(ask(&s)->location, 0);
	/* One that is there, but has no samples, is no help. */
	assert_int_not_equal(locations_find(&s.b.locations, s.dso, 0x310), 0);
	strcpy(s.query.symbol, "ff3");
	assert_non_null(strstr(ask(&s)->why, "no samples in a function 'ff3'"));
	assert_null(strstr(ask(&s)->why, "'f3'"));
	scene_close(&s);
}

/* Of the functions of that name the one in @dso is shown, and the others are told: NULL, none. */
static void
assert_shown(struct scene *s, const char *symbol, const char *dso, const char *others)
{
	const struct snapshot_code *c;

	strcpy(s->query.symbol, symbol);
	c = ask(s);
	assert_string_equal(c->dso, dso);
	if (others == NULL)
		assert_null(c->others);
	else
		assert_string_equal(c->others, others);
}

static void
of_several_functions_of_a_name_the_hottest_is_shown_and_the_others_told(void **state)
{
	struct scene s;
	uint32_t other, third;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	other = dsos_file(&s.b.model->dsos, "/bin/other", 8, 1, 43, 0);
	third = dsos_file(&s.b.model->dsos, "/bin/third", 8, 1, 44, 0);
	locations_learn_image(&s.b.locations, other, make_image(4, 512), "", "");
	locations_learn_image(&s.b.locations, third, make_image(4, 512), "", "");
	for (int i = 0; i < 14; i++)
		bench_sample(&s.b, 0, 20, 20, 0, i < 4 ? other : third, 0x210, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_shown(&s, "f1", "web", "f1@0x200 in third (10 samples), f1@0x200 in other (4 samples)");
	strcpy(s.query.symbol_dso, "other");
	assert_shown(&s, "f1", "other", NULL);
	s.query.symbol_dso[0] = '\0';
	assert_shown(&s, "f1@0x100", "web",
		     "f1@0x200 in third (10 samples), f1@0x200 in other (4 samples)");
	assert_shown(&s, "f1@0x200", "third",
		     "f1@0x100 in web (45 samples), f1@0x200 in other (4 samples)");
	strcpy(s.query.symbol, "f1@0x108");
	assert_non_null(strstr(ask(&s)->why, "no samples in a function 'f1@0x108'"));
	scene_close(&s);
}

/* Those that are heavier are named. */
static void
of_many_functions_of_a_name_it_is_told_how_many_more_there_are(void **state)
{
	static const char *const paths[] = { "/bin/a", "/bin/b", "/bin/c",
					     "/bin/d", "/bin/e", "/bin/f" };
	static const char *const more[] = { "", " and 1 more", " and 2 more" };
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		uint32_t dso = dsos_file(&s.b.model->dsos, paths[i], 8, 1, 50 + i, 0);
		char others[256];

		locations_learn_image(&s.b.locations, dso, make_image(4, 512), "", "");
		for (size_t n = i; n < 10; n++)
			bench_sample(&s.b, 0, 20, 20, 0, dso, 0x210, 0, 10);
		bench_interval(&s.b, NSEC_PER_SEC);
		if (i < 3)
			continue;
		snprintf(others, sizeof(others),
			 "f1@0x200 in a (10 samples), f1@0x200 in b (9 samples), "
			 "f1@0x200 in c (8 samples), f1@0x200 in d (7 samples)%s", more[i - 3]);
		assert_shown(&s, "f1", "web", others);
	}
	scene_close(&s);
}

/* An image of two static functions that are called the same, of 256 bytes each. */
static struct image *
make_twins(void)
{
	struct err err = { 0 };
	struct image_build *build = image_build_new(&err);
	struct image *image;

	assert_non_null(build);
	for (uint64_t i = 0; i < 2; i++)
		assert_true(image_build_add(build, &(struct image_symbol){
			.addr = i * 256, .size = 256, .name = "twin", .name_len = 4,
			.binding = IMAGE_LOCAL }));
	image = image_open(image_build_finish(build, &err), &err);
	image_build_free(build);
	assert_non_null(image);
	return image;
}

static void
functions_of_one_name_in_one_file_are_told_apart_by_where_they_begin(void **state)
{
	const struct snapshot_code *c;
	uint32_t twins;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	twins = dsos_file(&s.b.model->dsos, "/bin/twins", 8, 1, 43, 0);
	locations_learn_image(&s.b.locations, twins, make_twins(), "", "");
	for (int i = 0; i < 9; i++)
		bench_sample(&s.b, 0, 20, 20, 0, twins, i < 6 ? 0x110 : 0x10, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	strcpy(s.query.symbol, "twin");
	c = ask(&s);
	assert_int_equal(c->start, 0x100);
	assert_int_equal(c->all[0].samples, 6);
	assert_string_equal(c->others, "twin@0x0 in twins (3 samples)");
	assert_int_equal(c->same_len, 2);
	assert_int_equal(c->same[0], c->location);
	/* So does a screen go on to the next one. */
	s.query.symbol[0] = '\0';
	s.query.function = c->same[1];
	c = ask(&s);
	assert_int_equal(c->start, 0);
	assert_int_equal(c->all[0].samples, 3);
	assert_int_equal(c->same_len, 2);
	assert_int_equal(c->same[1], c->location);
	s.query.function = locations_find(&s.b.locations, s.dso, 0x110);
	assert_int_equal(ask(&s)->same_len, 0);
	s.query.function = 0;
	strcpy(s.query.symbol, "twin@0x0");
	assert_int_equal(ask(&s)->start, 0);
	/* Also those that did not run in the window. */
	profile_set_window(s.b.profile, NSEC_PER_SEC);
	bench_sample(&s.b, 0, 20, 20, 0, twins, 0x110, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.symbol[0] = '\0';
	s.query.function = locations_find(&s.b.locations, twins, 0x110);
	c = ask(&s);
	assert_int_equal(c->all[0].samples, 1);
	assert_int_equal(c->same_len, 2);
	assert_string_equal(c->others, "twin@0x0 in twins (0 samples)");
	/* What they have is counted as what is shown has: in the window, of the thread. */
	bench_sample(&s.b, 0, 20, 20, 0, twins, 0x10, 0, 10);
	bench_sample(&s.b, 0, 20, 21, 0, twins, 0x10, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_string_equal(ask(&s)->others, "twin@0x0 in twins (2 samples)");
	filter(&s, "tid=21");
	assert_string_equal(ask(&s)->others, "twin@0x0 in twins (1 sample)");
	scene_close(&s);
}

static void
windows_and_freezing_hold_for_addresses(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	profile_set_window(s.b.profile, NSEC_PER_SEC);
	sample(&s, 0, 20, 0x118, 2);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query.code_dso = s.dso;
	s.query.code_at = 0x100;
	c = ask(&s);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x118, 0, 2);
	profile_set_frozen(s.b.profile, true);
	sample(&s, 0, 20, 0x120, 9);
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_int_equal(ask(&s)->told[0].samples, 2);
	profile_set_frozen(s.b.profile, false);
	assert_int_equal(ask(&s)->told[0].samples, 9);
	profile_set_window(s.b.profile, WINDOW_ALL);
	assert_int_equal(ask(&s)->told[0].samples, 56);
	scene_close(&s);
}

/* Those before it was looked at are the function's, but at no address that is known to be theirs. */
static void
threads_are_told_apart_from_when_a_function_is_looked_at(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	s.query.thread = model_find_task(s.b.model, 21);
	s.query.code_dso = s.dso;
	s.query.code_at = 0x100;
	c = ask(&s);
	assert_true(c->is_filtered);
	assert_int_equal(c->count_len, 0);
	assert_int_equal(c->all[0].samples, 5);
	profile_watch(s.b.profile, c->location, false, s.b.now_ns);
	sample_all(&s);
	c = ask(&s);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x118, 0, 5);
	assert_int_equal(c->all[0].samples, 10);
	assert_int_equal(c->since_ns, (REAL_NS - 1) * NSEC_PER_SEC);
	s.query.thread = 0;
	c = ask(&s);
	assert_false(c->is_filtered);
	assert_int_equal(c->told[0].samples, 90); /* of all threads, what was before as well */
	assert_count(c, 2, 0x118, 0, 30);
	scene_close(&s);
}

static void
filters_of_cpus_and_names_look_at_addresses(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->watch.all = s.b.profile->watch.by_cpu = true; /* as of a recording */
	s.b.profile->labels.want = KEY_BIT(KEY_CPU);
	sample_all(&s);
	filter(&s, "cpu=1");
	c = ask(&s);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x118, 0, 5);
	assert_int_equal(c->since_ns, 0);
	filter(&s, "cpu=0 comm=web");
	c = ask(&s);
	assert_int_equal(c->told[0].samples, 40);
	assert_int_equal(c->all[0].samples, 40);
	filter(&s, "event=page-faults");
	c = ask(&s);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x110, 1, 7);
	scene_close(&s);
}

/* What is told apart by task follows tasks that are merged by name. */
static void
ended_threads_that_were_merged_keep_their_addresses(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->watch.all = true;
	for (int pid = 100; pid < 120; pid++) {
		tell_fork(s.b.model, 1, 1, pid, pid, s.b.now_ns);
		tell_comm(s.b.model, pid, pid, "alpha", true);
		bench_sample(&s.b, 0, pid, pid, 0, s.dso, 0x110, 0, 10);
		tell_exit(s.b.model, pid, pid, 0, s.b.now_ns);
	}
	sample_all(&s);
	model_sweep(s.b.model, s.b.now_ns);
	s.b.profile->hot_max = 1;
	profile_fold(s.b.profile, s.b.now_ns);
	assert_int_equal(s.b.profile->merged_tasks, 20);
	filter(&s, "comm=alpha");
	c = ask(&s);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x110, 0, 20);
	scene_close(&s);
}

/* As of the running kernel: what is sampled is the kernel, what is named is a module. */
static void
functions_of_kernel_modules_have_counts_by_address(void **state)
{
	const struct snapshot_code *c;
	struct ksymbol program = { .start = 0x8100, .end = 0x8200, .is_bpf = true, .time_ns = 1 };
	struct scene s;

	(void)state;
	scene_open(&s);
	program.name = strs_add_str(&s.b.model->strs, "bpf_prog_0123456789abcdef_spin");
	ksymbols_add(&s.b.model->ksymbols, program);
	for (int i = 0; i < 6; i++)
		bench_sample(&s.b, 0, 20, 20, 0, DSO_ID_KERNEL, 0x8140, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	c = ask(&s);
	assert_string_equal(c->symbol, "bpf_prog_0123456789abcdef_spin");
	assert_null(c->why);
	assert_int_equal(c->start, 0x8100);
	assert_int_equal(c->end, 0x8200);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x8140, 0, 6);
	scene_close(&s);
}

static bool
tells(const struct watch *w, struct scene *s, uint32_t dso, uint64_t offset, uint64_t time_ns, bool by_cpu)
{
	return watch_tells(w, &s->b.locations, &(struct watch_moment){ dso, offset, time_ns }, by_cpu);
}

/* Each is told apart from its own time on. */
static void
of_too_many_functions_the_oldest_gives_way(void **state)
{
	const struct locations *l;
	struct watch w = { 0 };
	uint32_t ids[WATCHED_MAX + 2], dso;
	struct scene s;

	(void)state;
	scene_open(&s);
	l = &s.b.locations;
	dso = dsos_file(&s.b.model->dsos, "/bin/many", 8, 1, 43, 0);
	locations_learn_image(&s.b.locations, dso, make_image(ARRAY_SIZE(ids), 256), "", "");
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		ids[i] = locations_find(&s.b.locations, dso, i * 256);
		watch_add(&w, l, ids[i], 100 + i);
	}
	assert_int_equal(w.len, WATCHED_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(watch_since(&w, l, ids[i]), i < 2 ? UINT64_MAX : 100 + i);
	/* Whose the samples are of the time when it was looked at is known all the same. */
	assert_false(tells(&w, &s, dso, 0, 99, false));
	assert_true(tells(&w, &s, dso, 0, 100, false));
	assert_true(tells(&w, &s, dso, 255, 115, false));
	assert_false(tells(&w, &s, dso, 0, 116, false));
	assert_false(tells(&w, &s, dso, 512, 101, false));
	assert_true(tells(&w, &s, dso, 512, 102, false));
	scene_close(&s);
}

/* None counts twice: those that tables tell are not taken from the flight recorder. */
static void
of_a_function_that_was_looked_at_before_tables_tell_that_time(void **state)
{
	struct watch w = { 0 };
	struct scene s;
	uint32_t f1;

	(void)state;
	scene_open(&s);
	f1 = locations_find(&s.b.locations, s.dso, 0x100);
	watch_add(&w, &s.b.locations, f1, 100);
	w.by_cpu = true;
	w.cpu_since_ns = 110;
	watch_end(&w, &s.b.locations, 200);
	assert_int_equal(watch_since(&w, &s.b.locations, f1), UINT64_MAX);
	watch_dso(&w, s.dso, 300);
	watch_end(&w, &s.b.locations, 400);
	watch_add(&w, &s.b.locations, f1, 500);
	for (uint64_t t = 50; t < 600; t += 10) {
		bool is_told = (t >= 100 && t < 200) || (t >= 300 && t < 400) || t >= 500;

		assert_int_equal(tells(&w, &s, s.dso, 0x110, t, false), is_told);
		assert_int_equal(tells(&w, &s, s.dso, 0x210, t, false), t >= 300 && t < 400);
		assert_int_equal(tells(&w, &s, s.dso, 0x110, t, true), (t >= 110 && t < 200) || t >= 500);
	}
	/* Of so many the first are forgotten: what is as old is not told again. */
	watch_end(&w, &s.b.locations, 600);
	for (uint64_t t = 1000; t < 1000 + WATCHED_PAST_MAX; t++) {
		watch_add(&w, &s.b.locations, f1, t);
		watch_end(&w, &s.b.locations, t + 1);
	}
	assert_true(tells(&w, &s, s.dso, 0x210, 50, false));
	assert_false(tells(&w, &s, s.dso, 0x210, 1000, false));
	scene_close(&s);
}

static void
recount(struct scene *s, int tid, uint64_t offset, uint64_t time_ns)
{
	assert_true(recount_add(&s->b.profile->recount, &(struct recount_sample){
		.offset = offset, .period = 10, .time_ns = time_ns, .tid = tid, .cpu = 0 }));
}

/* Thread 21 had 5 samples before the function was looked at; a new task 22 has its number since. */
static void
samples_of_the_flight_recorder_count_for_their_threads(void **state)
{
	const struct snapshot_code *c;
	uint64_t begun_ns, watched_ns;
	struct scene s;

	(void)state;
	scene_open(&s);
	begun_ns = s.b.now_ns;
	sample_all(&s);
	filter(&s, "tid=21");
	watched_ns = s.b.now_ns;
	profile_watch(s.b.profile, ask(&s)->location, false, watched_ns);
	c = ask(&s);
	assert_int_equal(c->count_len, 0);
	assert_int_equal(c->since_ns, REAL_NS * NSEC_PER_SEC);
	assert_int_equal(profile_told_since(s.b.profile, c->location, false), watched_ns);
	recount_begin(&s.b.profile->recount, s.dso, c->start, c->end, watched_ns);
	for (int i = 0; i < 5; i++)
		recount(&s, 21, 0x118, begun_ns + NSEC_PER_SEC / 2);
	recount(&s, 20, 0x110, begun_ns + NSEC_PER_SEC / 2);
	recount_reaches(&s.b.profile->recount, begun_ns + NSEC_PER_SEC / 4);
	sample(&s, 0, 21, 0x118, 2);
	bench_interval(&s.b, NSEC_PER_SEC);
	c = ask(&s);
	assert_int_equal(c->count_len, 1);
	assert_count(c, 0, 0x118, 0, 7);
	assert_int_equal(c->all[0].samples, 7);
	assert_int_equal(c->since_ns, REAL_NS * NSEC_PER_SEC - 7 * NSEC_PER_SEC / 4);
	assert_true(c->begins_before);
	/* A window that begins later has none of them. */
	profile_set_window(s.b.profile, NSEC_PER_SEC);
	c = ask(&s);
	assert_count(c, 0, 0x118, 0, 2);
	assert_false(c->begins_before);
	profile_set_window(s.b.profile, WINDOW_ALL);
	/* By CPU they are of another question. */
	profile_watch(s.b.profile, c->location, true, s.b.now_ns);
	filter(&s, "tid=21 cpu=0");
	c = ask(&s);
	assert_int_equal(c->count_len, 0);
	profile_watch_none(s.b.profile, s.b.now_ns);
	assert_int_equal(s.b.profile->recount.len, 0);
	scene_close(&s);
}

static void
learn_line(struct scene *s, uint64_t offset, const char *path, const char *line)
{
	struct profile *p = s->b.profile;

	srclines_want(&p->lines, s->dso, offset);
	srclines_learn(&p->lines, s->dso, offset, strs_add_str(&s->b.model->strs, line));
	srclines_learn_path(&p->lines, s->dso, offset, strs_add_str(&s->b.model->strs, path));
}

static void
assert_line(const struct snapshot_file *f, size_t i, uint32_t line, uint32_t event,
	    uint64_t samples, uint64_t at)
{
	assert_that(i, <, f->count);
	assert_int_equal(f->lines[i].line, line);
	assert_int_equal(f->lines[i].event, event);
	assert_int_equal(f->lines[i].cost.samples, samples);
	assert_int_equal(f->lines[i].at, at);
}

/* Two addresses of f1 and one of f2 are of line 7; another file of the same name has line 9. */
static void
a_source_file_has_what_all_functions_have_on_its_lines(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	sample(&s, 0, 20, 0x220, 2);
	bench_interval(&s.b, NSEC_PER_SEC);
	learn_line(&s, 0x110, "/src/web.c", "web.c:7");
	learn_line(&s, 0x118, "/src/web.c", "web.c:8");
	learn_line(&s, 0x210, "/src/web.c", "web.c:7");
	learn_line(&s, 0x220, "/old/web.c", "web.c:7");
	c = ask(&s);
	assert_null(c->file);
	strcpy(s.query.source_file, "/src/web.c");
	c = ask(&s);
	assert_non_null(c->file);
	assert_string_equal(c->file->path, "/src/web.c");
	assert_int_equal(c->file->count, 3);
	assert_line(c->file, 0, 7, 0, 33, 0x110);
	assert_line(c->file, 1, 7, 1, 7, 0x110);
	assert_line(c->file, 2, 8, 0, 15, 0x118);
	assert_int_equal(c->file->told[0].samples, 48);
	assert_int_equal(s.snap->events[0].base, 480);
	assert_int_equal(c->since_ns, 0);
	scene_close(&s);
}

/* From when on the file is looked at threads are told apart in all its functions. */
static void
threads_are_told_apart_in_all_functions_of_a_file(void **state)
{
	const struct snapshot_code *c;
	struct scene s;

	(void)state;
	scene_open(&s);
	sample_all(&s);
	learn_line(&s, 0x118, "/src/web.c", "web.c:8");
	learn_line(&s, 0x210, "/src/web.c", "web.c:7");
	strcpy(s.query.source_file, "/src/web.c");
	filter(&s, "tid=21");
	c = ask(&s);
	assert_true(c->is_filtered);
	assert_int_equal(c->file->count, 0);
	profile_watch_dso(s.b.profile, s.dso, s.b.now_ns);
	sample(&s, 0, 21, 0x210, 4);
	sample(&s, 0, 20, 0x210, 8);
	bench_interval(&s.b, NSEC_PER_SEC);
	c = ask(&s);
	assert_int_equal(c->file->count, 1);
	assert_line(c->file, 0, 7, 0, 4, 0x210);
	assert_int_equal(c->since_ns, (REAL_NS - 1) * NSEC_PER_SEC);
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hottest_function_has_counts_by_address_and_event),
		cmocka_unit_test(a_function_is_told_by_place_name_or_file),
		cmocka_unit_test(a_name_that_is_not_there_names_the_nearest),
		cmocka_unit_test(of_several_functions_of_a_name_the_hottest_is_shown_and_the_others_told),
		cmocka_unit_test(of_many_functions_of_a_name_it_is_told_how_many_more_there_are),
		cmocka_unit_test(functions_of_one_name_in_one_file_are_told_apart_by_where_they_begin),
		cmocka_unit_test(windows_and_freezing_hold_for_addresses),
		cmocka_unit_test(threads_are_told_apart_from_when_a_function_is_looked_at),
		cmocka_unit_test(functions_of_kernel_modules_have_counts_by_address),
		cmocka_unit_test(of_too_many_functions_the_oldest_gives_way),
		cmocka_unit_test(of_a_function_that_was_looked_at_before_tables_tell_that_time),
		cmocka_unit_test(samples_of_the_flight_recorder_count_for_their_threads),
		cmocka_unit_test(a_source_file_has_what_all_functions_have_on_its_lines),
		cmocka_unit_test(threads_are_told_apart_in_all_functions_of_a_file),
		cmocka_unit_test(filters_of_cpus_and_names_look_at_addresses),
		cmocka_unit_test(ended_threads_that_were_merged_keep_their_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
