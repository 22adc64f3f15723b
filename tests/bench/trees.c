/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a refresh of each view of stacks costs, of call trees with 100,000 nodes. */
#include "tests/bench/refresh.h"
#include "tests/profile_fixture.h"

#include <stdlib.h>

enum { NODES = 100000, FUNCTIONS = 4000 };

/* Half of the nodes go on from the newest ones: deep stacks, and functions of all weights. */
static void
grow(struct fixture *b, uint32_t dso)
{
	uint32_t who = model_who(b->model, model_find_task(b->model, 20));
	uint32_t *nodes = mem_calloc(NODES, sizeof(*nodes));
	size_t len = 1;

	srand(1);
	nodes[0] = tables_root(&b->profile->tables, who, 0);
	while (b->profile->tables.cells[TABLE_TREE].len < NODES && len < NODES) {
		size_t newest = len - 1 - (size_t)rand() % MIN(len, (size_t)50);
		uint32_t up = nodes[rand() % 2 == 0 ? newest : (size_t)rand() % len];
		double part = (double)rand() / RAND_MAX;
		uint64_t offset = (uint64_t)(part * part * (FUNCTIONS - 1)) * 256;

		bench_sample(b, 0, 20, 20, 0, dso, offset, up, 10);
		nodes[len++] = tables_node(&b->profile->tables, up,
					   locations_find(&b->locations, dso, offset));
	}
	free(nodes);
}

int
main(void)
{
	static const struct {
		const char *what;
		enum view_id view;
		bool bottom_up;
		double least_share, limit_ms;
	} views[] = {
		{ "flame graph, 200 columns", VIEW_FLAME, false, 0.0025, 50 },
		{ "call tree", VIEW_TREE, false, 0.0005, 50 },
		{ "call tree, bottom up", VIEW_TREE, true, 0.0005, 50 },
		{ "callers and callees", VIEW_CALLERS, false, 0.0005, 80 },
	};
	struct report_source src;
	struct fixture b;
	uint32_t dso;

	bench_open(&b, 200 << 20);
	dso = dsos_file(&b.model->dsos, "/bin/web", 8, 1, 42, 0);
	locations_learn_image(&b.locations, dso, make_image(FUNCTIONS, 256), "", "");
	bench_exec(&b, 20, 0);
	grow(&b, dso);
	bench_interval(&b, NSEC_PER_SEC);
	profile_set_window(b.profile, WINDOW_ALL);
	src = (struct report_source){ .profile = b.profile };
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		refresh_measure(&src,
				&(struct query){ .by_view = true, .view = views[i].view, .trends = true,
						 .bottom_up = views[i].bottom_up,
						 .least_share = views[i].least_share },
				(struct figure){ .what = views[i].what, .rule = FIGURE_MOST,
						 .limit = views[i].limit_ms });
	bench_close(&b);
	return 0;
}
