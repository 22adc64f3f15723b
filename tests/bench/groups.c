/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a refresh of the view of control groups costs, with 2,000 of them and with 100,000. */
#include "tests/bench/refresh.h"
#include "tests/profile_fixture.h"
#include "view/column.h"

#include <math.h>
#include <stdio.h>

enum { FEW = 2000, MANY = 100000, PODS_EACH = 4, FUNCTIONS = 3, SECONDS = 10 };

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

static void
measure(const char *what, int count, enum figure_rule rule, double limit_ms)
{
	const struct event_facts facts[EVENTS] = { { .window_s = SECONDS }, { .window_s = SECONDS } };
	struct query q = { .view = VIEW_CGROUPS, .by_view = true, .trends = true, .sums = true,
			   .sort = COLUMN_SHARE, .key_count = 1, .keys = { KEY_CGROUP }, .max_rows = 1000,
			   .window_ns = SECONDS * NSEC_PER_SEC, .shares = SHARES_OF_SHOWN };
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

int
main(void)
{
	measure("a refresh of 2,000 cgroups", FEW, FIGURE_MOST, 5);
	measure("a refresh of 100,000 cgroups", MANY, FIGURE_INFO, NAN);
	return 0;
}
