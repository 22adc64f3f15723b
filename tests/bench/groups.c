/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a refresh of the view of control groups costs, with 2,000 of them and with 100,000; and of thousands
 * of functions, hardly one of which is the same a second later, when all is known of two minutes.
 */
#include "tests/bench/refresh.h"
#include "tests/profile_fixture.h"
#include "view/column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 2000, MANY = 100000, PODS_EACH = 4, FUNCTIONS = 3, SECONDS = 10 };
enum { ALL_FUNCTIONS = 6000, PROCESSES = 2, SAMPLES_A_SECOND = 2000, KNOWN_SECONDS = 125 };

/* A container each, so many in a pod. */
static void
make_groups(struct fixture *b, uint32_t dso, int count)
{
	char path[256];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path),
			 "/kubepods.slice/kubepods-pod%08x_8a65_4b6b_9c0a_0d8f5c1a7e11.slice/cri-containerd-%064x.scope",
			 i / PODS_EACH, i);
		tell_fork(b->model, 1, 1, 1000 + i, 1000 + i, 1);
		model_learn_cgroup(b->model, model_find_task(b->model, 1000 + i), path);
	}
	for (int s = 0; s < SECONDS; s++) {
		for (int i = 0; i < count; i++)
			for (int f = 0; f < FUNCTIONS; f++)
				bench_sample(b, 0, 1000 + i, 1000 + i, 0, dso, (uint64_t)f * 256, 0,
					     (uint64_t)(1 + i % 7));
		bench_interval(b, NSEC_PER_SEC);
	}
}

/* As a screen asks. */
static struct query
query_of(enum view_id view)
{
	struct query q = { .view = view, .by_view = true, .trends = true, .sums = true,
			   .sort = COLUMN_SHARE, .key_count = view_defs[view].key_count, .max_rows = 1000,
			   .window_ns = SECONDS * NSEC_PER_SEC, .shares = SHARES_OF_SHOWN };

	memcpy(q.keys, view_defs[view].keys, sizeof(q.keys));
	return q;
}

static void
measure(const char *what, int count, enum figure_rule rule, double limit_ms)
{
	const struct event_facts facts[EVENTS] = { { .window_s = SECONDS }, { .window_s = SECONDS } };
	struct query q = query_of(VIEW_CGROUPS);
	struct report_source src;
	struct fixture b;
	uint32_t dso;

	bench_open(&b, 256 << 20);
	b.profile->hot_max = SIZE_MAX;
	dso = dsos_file(&b.model->dsos, "/bin/web", 8, 1, 42, 0);
	locations_learn_image(&b.locations, dso, make_image(FUNCTIONS, 256), "", "");
	make_groups(&b, dso, count);
	src = (struct report_source){ .profile = b.profile, .mono_ns = b.now_ns, .events = facts };
	refresh_measure(&src, &q, (struct figure){ .what = what, .rule = rule, .limit = limit_ms });
	bench_close(&b);
}

static void
make_functions(struct fixture *b, uint32_t dso)
{
	unsigned x = 1;

	for (int pid = 0; pid < PROCESSES; pid++)
		tell_fork(b->model, 1, 1, 1000 + pid, 1000 + pid, 1);
	for (int s = 0; s < KNOWN_SECONDS; s++) {
		for (int i = 0; i < SAMPLES_A_SECOND; i++) {
			x = x * 1664525 + 1013904223;
			bench_sample(b, 0, 1000 + i % PROCESSES, 1000 + i % PROCESSES, 0, dso,
				     (uint64_t)((x >> 8) % ALL_FUNCTIONS) * 256, 0, 1000000);
		}
		bench_interval(b, NSEC_PER_SEC);
	}
}

static void
measure_functions(void)
{
	static const struct {
		const char *what;
		enum view_id view;
	} rows[] = {
		{ "a refresh of 6,000 functions that change", VIEW_FUNCTIONS },
		{ "of the two processes that they are of", VIEW_PROCESSES },
		{ "of the program", VIEW_DSOS },
	};
	const struct event_facts facts[EVENTS] = { { .window_s = SECONDS }, { .window_s = SECONDS } };
	struct report_source src;
	struct fixture b;
	uint32_t dso;

	bench_open(&b, 256 << 20);
	dso = dsos_file(&b.model->dsos, "/bin/web", 8, 1, 42, 0);
	locations_learn_image(&b.locations, dso, make_image(ALL_FUNCTIONS, 256), "", "");
	make_functions(&b, dso);
	profile_set_window(b.profile, SECONDS * NSEC_PER_SEC);
	src = (struct report_source){ .profile = b.profile, .mono_ns = b.now_ns, .events = facts };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct query q = query_of(rows[i].view);

		refresh_measure(&src, &q, (struct figure){ .what = rows[i].what, .rule = FIGURE_INFO,
							   .limit = NAN });
	}
	bench_close(&b);
}

int
main(void)
{
	measure_functions();
	measure("a refresh of 2,000 cgroups", FEW, FIGURE_MOST, 5);
	measure("a refresh of 100,000 cgroups", MANY, FIGURE_INFO, NAN);
	return 0;
}
