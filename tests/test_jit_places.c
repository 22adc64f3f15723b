/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that make code, of which only so many are followed: who is, and who is later. */
#include "engine/leaf/file_policy.h"
#include "engine/names/names_impl.h"
#include "profile/place/jit.h"
#include "tests/profile_fixture.h"

enum { FIRST = 10000, ANN = 1000, PLACES = 256, START = 0x10000 };

struct room {
	struct fixture b;
	struct engine_config config;
	struct agenda agenda;
	struct engine_env env;
	struct names nm;
	uint32_t dso; /* of who came last */
};

static void
room_open(struct room *r)
{
	*r = (struct room){ .config = { .vmlinux = NULL } };
	bench_open(&r->b, 24 << 20);
	r->env = (struct engine_env){ .config = &r->config, .policy = &live_policy,
				      .agenda = &r->agenda, .model = r->b.model,
				      .locations = &r->b.locations, .profile = r->b.profile,
				      .answers = queue_new() };
	r->nm.env = &r->env;
}

static void
room_close(struct room *r)
{
	jit_free_all(&r->nm);
	queue_free(r->env.answers);
	bench_close(&r->b);
}

static void
comes(struct room *r, int pid, uint32_t uid)
{
	struct model *m = r->b.model;

	bench_exec(&r->b, pid, 0);
	tell_map(m, pid, START, 0x1000, 0, "//anon", ++r->b.now_ns);
	model_learn_owner(m, model_find_task(m, pid), uid, ++r->b.now_ns);
	r->dso = space_find(model_space(m, model_find_task(m, pid)), START)->dso;
	jit_ask(&r->nm, &(struct image_ask){ .dso = r->dso });
}

static void
a_user_leaves_places_for_processes_of_others(void **state)
{
	struct room r;

	(void)state;
	room_open(&r);
	for (int i = 0; i < PLACES; i++)
		comes(&r, FIRST + i, ANN);
	assert_int_equal(r.nm.jits.len, PLACES / 2);
	comes(&r, FIRST + PLACES, ANN + 1);
	assert_int_equal(jit_pid_of(&r.nm, r.dso), FIRST + PLACES);
	room_close(&r);
}

static void
who_had_no_place_gets_one_when_another_ends(void **state)
{
	struct room r;

	(void)state;
	room_open(&r);
	for (int i = 0; i <= PLACES; i++)
		comes(&r, FIRST + i, 0);
	assert_int_equal(r.nm.jits.len, PLACES);
	assert_int_equal(jit_pid_of(&r.nm, r.dso), 0);
	jit_beat(&r.nm, NSEC_PER_SEC);
	assert_int_equal(jit_pid_of(&r.nm, r.dso), 0);
	tell_exit(r.b.model, FIRST, FIRST, 0, ++r.b.now_ns);
	jit_beat(&r.nm, 2 * NSEC_PER_SEC);
	jit_beat(&r.nm, 5 * NSEC_PER_SEC);
	assert_int_equal(jit_pid_of(&r.nm, r.dso), FIRST + PLACES);
	assert_int_equal(locations_symbols(&r.b.locations, r.dso)->state, SYMBOLS_ASKED);
	room_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_leaves_places_for_processes_of_others),
		cmocka_unit_test(who_had_no_place_gets_one_when_another_ends),
	};

	return cmocka_run_group_tests_name("jit_places", tests, NULL, NULL);
}
