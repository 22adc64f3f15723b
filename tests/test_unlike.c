/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "web3 is not like the others", told by itself: of hosts that are made up, second by second. */
#include "profile_fixture.h"

#include "engine/viewer/changes.h"
#include "engine/viewer/unlike.h"
#include "profile/count/past.h"
#include "tests/share_world.h"

enum {
	HOSTS = 6, FUNCTIONS = 40, PID = 100,
	MORE = 136, /* samples beside 1,000: 12 % */
	USUAL_S = 70, SOON_S = 20, FIRST_S = 35,
	LIGHT = 330, HEAVY, /* names: a light one has three of a thousand */
};

struct fleet {
	struct fixture b;
	struct changes *changes;
	size_t hosts;
	struct world worlds[HOSTS];
	uint32_t whos[HOSTS], places[FUNCTIONS + HOSTS]; /* the last: of each host alone */
	unsigned more[HOSTS][FUNCTIONS + HOSTS];         /* samples beside those of the world */
};

static void
fleet_open(struct fleet *f, uint64_t seed, size_t hosts, double correlation, double deviation)
{
	char name[32];
	uint32_t dso;

	*f = (struct fleet){ .hosts = hosts };
	bench_open(&f->b, 24 << 20);
	f->b.profile->keeps_past = true;
	dso = dsos_file(&f->b.model->dsos, "/usr/bin/web", 0, 0, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(f->places); i++) {
		snprintf(name, sizeof(name), i < FUNCTIONS ? "f%zu" : "only_on_%zu",
			 i < FUNCTIONS ? i : i - FUNCTIONS);
		f->places[i] = locations_append(&f->b.locations, (struct location){
			.dso = dso, .fn = IMAGE_NONE, .kind = LOCATION_FUNCTION,
			.name = strs_add_str(&f->b.model->strs, name) });
	}
	for (size_t h = 0; h < hosts; h++) {
		snprintf(name, sizeof(name), "web%zu", h);
		f->whos[h] = model_host_who(f->b.model, model_host_task(f->b.model,
			strs_add_str(&f->b.model->strs, name), PID, PID),
			strs_add_str(&f->b.model->strs, "web"), 0);
		world_begin(&f->worlds[h], seed * HOSTS + h + 1, FUNCTIONS, correlation, deviation);
	}
	f->changes = changes_new();
	changes_update(f->changes, f->b.profile, 0);
}

static void
fleet_close(struct fleet *f)
{
	changes_free(f->changes);
	bench_close(&f->b);
}

static void
count(struct fleet *f, size_t host, size_t place, uint32_t samples)
{
	struct profile_sample s = { .who = f->whos[host], .cpu = UINT32_MAX, .leaf = f->places[place],
				    .dso = f->b.locations.items[f->places[place]].dso, .period = 1001001 };
	struct profile_ids ids;

	if (samples == 0)
		return;
	ids = profile_add(f->b.profile, &s);
	if (samples > 1)
		profile_add_again(f->b.profile, &ids, 0, samples - 1, (samples - 1) * s.period);
}

static void
run_second(struct fleet *f)
{
	double of[WORLD_FUNCTIONS_MAX];

	for (size_t h = 0; h < f->hosts; h++) {
		world_draw(&f->worlds[h], of);
		for (size_t i = 0; i < ARRAY_SIZE(f->places); i++)
			count(f, h, i, (i < FUNCTIONS ? (uint32_t)of[i] : 0) + f->more[h][i]);
	}
	f->b.now_ns += NSEC_PER_SEC;
	profile_close_interval(f->b.profile, f->b.now_ns);
	past_keep(f->b.profile, f->b.now_ns);
	changes_update(f->changes, f->b.profile, 0);
}

/* How often something was told of a host, and what of it last. */
static unsigned
told(const struct fleet *f, const struct change **last)
{
	const struct change *change;
	unsigned count = 0;

	*last = NULL;
	for (size_t n = 0; (change = changes_at(f->changes, n)) != NULL; n++) {
		if (*change->host == '\0')
			continue;
		if (count++ == 0)
			*last = change;
	}
	return count;
}

/* Seconds until something is told of a host; @most: nothing is. */
static unsigned
run_until_told(struct fleet *f, unsigned most)
{
	const struct change *last;
	unsigned before = told(f, &last), s = 0;

	while (s < most && told(f, &last) == before) {
		run_second(f);
		s++;
	}
	return s;
}

static void
assert_quiet(struct fleet *f, unsigned seconds)
{
	struct buf b = { 0 };
	const struct change *last;

	if (run_until_told(f, seconds) == seconds)
		return;
	told(f, &last);
	changes_put(&b, last, "cycles");
	fail_msg("%s", buf_str(&b));
}

static void
hosts_that_are_alike_are_not_told(void **state)
{
	static const struct { double correlation, deviation; unsigned seconds; } rows[] = {
		{ 0, 0, 900 }, { 0.5, 0.1, 3600 }, { 0.8, 0.1, 1800 }, { 0.5, 0.3, 1800 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fleet f;

		fleet_open(&f, i, HOSTS, rows[i].correlation, rows[i].deviation);
		assert_quiet(&f, rows[i].seconds);
		fleet_close(&f);
	}
}

static void
a_function_more_is_told_soon(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		const size_t odd = seed % HOSTS;
		const struct change *last;
		struct fleet f;
		struct buf b = { 0 };
		char text[80];

		fleet_open(&f, seed, HOSTS, 0.2, 0.05);
		assert_quiet(&f, USUAL_S);
		f.more[odd][FUNCTIONS + odd] = MORE;
		assert_that(run_until_told(&f, USUAL_S), <=, SOON_S);
		assert_int_equal(told(&f, &last), 1);
		changes_put(&b, last, "cycles");
		snprintf(text, sizeof(text), "web%zu is not like the others: +1", odd);
		assert_true(strncmp(buf_str(&b), text, strlen(text)) == 0);
		snprintf(text, sizeof(text), " points only_on_%zu (web)", odd);
		assert_non_null(strstr(b.data, text));
		assert_that(last->after * 100, >, 5);
		assert_true(last->before == 0);
		buf_release(&b);
		fleet_close(&f);
	}
}

/* From the start on, too: after the seconds that tell how much all vary. */
static void
what_one_lacks_is_told_as_well(void **state)
{
	const struct change *last;
	struct fleet f;

	(void)state;
	fleet_open(&f, 9, HOSTS, 0.2, 0.05);
	for (size_t h = 1; h < HOSTS; h++)
		f.more[h][FUNCTIONS] = MORE;
	assert_that(run_until_told(&f, USUAL_S), <=, FIRST_S);
	told(&f, &last);
	assert_string_equal(last->host, "web0");
	assert_string_equal(last->function, "only_on_0");
	assert_that(last->points, <, -10);
	fleet_close(&f);
}

static void
it_is_told_once_while_it_stays_so(void **state)
{
	struct fleet f;

	(void)state;
	fleet_open(&f, 3, HOSTS, 0.2, 0.05);
	f.more[2][FUNCTIONS] = MORE;
	assert_that(run_until_told(&f, USUAL_S), <, USUAL_S);
	assert_quiet(&f, 600);
	f.more[2][FUNCTIONS] = 0;
	assert_quiet(&f, 150);
	f.more[2][FUNCTIONS] = MORE;
	assert_that(run_until_told(&f, USUAL_S), <, USUAL_S);
	fleet_close(&f);
}

/* Where some are of one kind and some of another, none is unlike all others. */
static void
hosts_of_two_kinds_are_not_told(void **state)
{
	struct fleet f;

	(void)state;
	fleet_open(&f, 4, HOSTS, 0.2, 0.05);
	for (size_t h = 0; h < HOSTS; h++)
		f.more[h][FUNCTIONS + h % 2] = 2 * MORE;
	assert_quiet(&f, 300);
	fleet_close(&f);
}

static void
of_two_hosts_the_one_that_has_more_is_told(void **state)
{
	const struct change *last;
	struct fleet f;

	(void)state;
	fleet_open(&f, 5, 2, 0.2, 0.05);
	f.more[1][0] = MORE;
	assert_that(run_until_told(&f, USUAL_S), <, USUAL_S);
	told(&f, &last);
	assert_string_equal(last->host, "web1");
	assert_string_equal(last->function, "f0");
	fleet_close(&f);
}

static void
one_host_alone_is_like_nothing(void **state)
{
	struct fleet f;

	(void)state;
	fleet_open(&f, 6, 1, 0, 0);
	assert_quiet(&f, 2 * USUAL_S);
	fleet_close(&f);
}

/* All have LIGHT functions, and one that is heavy, but for one host. */
static bool
run_alike(struct unlike *u, uint32_t hosts, uint32_t lacking, struct unlike_row *row)
{
	for (uint32_t host = 1; host <= hosts; host++) {
		for (uint32_t name = 1; name <= LIGHT; name++)
			unlike_add(u, &(struct unlike_key){ host, 1, name }, 288, 3);
		if (host != lacking)
			unlike_add(u, &(struct unlike_key){ host, 1, HEAVY }, 5000, 50);
	}
	return unlike_end_second(u, row);
}

/* Of so many hosts and functions not all are kept: what is not kept is not nothing. */
static void
a_host_whose_functions_have_no_room_lacks_none(void **state)
{
	enum { FEW = 10, MANY = 50, ODD = 3 };
	static const uint32_t rows[][2] = { { FEW, ODD }, { MANY, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct unlike *u = unlike_new();
		struct unlike_row row = { 0 };
		bool is_told = false;

		for (unsigned s = 0; s < USUAL_S && !is_told; s++)
			is_told = run_alike(u, rows[i][0], rows[i][1], &row);
		assert_int_equal(is_told, rows[i][1] != 0);
		assert_int_equal(row.key.host, rows[i][1]);
		assert_int_equal(row.key.name, is_told ? HEAVY : 0);
		unlike_free(u);
	}
}

/* Each has a function of its own: more than are remembered. */
static void
where_all_are_unlike_each_is_told_once(void **state)
{
	enum { ALL = 260, SECONDS = 330, COMMON = ALL + 1 };
	unsigned told[ALL + 1] = { 0 }, count = 0;
	struct unlike *u = unlike_new();

	(void)state;
	for (unsigned s = 0; s < SECONDS; s++) {
		struct unlike_row row;

		for (uint32_t host = 1; host <= ALL; host++) {
			unlike_add(u, &(struct unlike_key){ host, 1, COMMON }, 900, 900);
			unlike_add(u, &(struct unlike_key){ host, 1, host }, 100, 100);
		}
		if (!unlike_end_second(u, &row))
			continue;
		assert_int_equal(told[row.key.host]++, 0);
		count++;
	}
	assert_that(count, >, ALL / 2);
	unlike_free(u);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_that_are_alike_are_not_told),
		cmocka_unit_test(a_function_more_is_told_soon),
		cmocka_unit_test(what_one_lacks_is_told_as_well),
		cmocka_unit_test(it_is_told_once_while_it_stays_so),
		cmocka_unit_test(hosts_of_two_kinds_are_not_told),
		cmocka_unit_test(of_two_hosts_the_one_that_has_more_is_told),
		cmocka_unit_test(one_host_alone_is_like_nothing),
		cmocka_unit_test(a_host_whose_functions_have_no_room_lacks_none),
		cmocka_unit_test(where_all_are_unlike_each_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
