/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_REPORT_FIXTURE_H
#define PTOP_TESTS_REPORT_FIXTURE_H
/* A small machine whose samples are known, and reports of it.  For tests only. */
#include "profile/place/location.h"
#include "profile/report/report.h"
#include "profile_fixture.h"
#include "tests/asserts.h"
#include "view/column.h"

#include <math.h>

enum { USERS_BASE = 1000 };

/*
 * Two processes and the idle task, 100 samples of period 10 of event 0: web 20 (threads 20: 10, 21:
 * 30), db 30: 40, of which 10 in the kernel; idle: 20.  And 5 samples of event 1 by db.
 */
struct scene {
	struct fixture b;
	struct report_source src;
	struct query query;
	struct snapshot *snap;
	struct filter *filter;
};

static inline void
samples(struct scene *s, uint32_t event, int pid, int tid, uint32_t dso, uint64_t offset, int count)
{
	while (count-- > 0)
		bench_sample(&s->b, event, pid, tid, 0, dso, offset, 0, 10);
}

static inline void
scene_open(struct scene *s)
{
	uint32_t web, db;

	*s = (struct scene){ 0 };
	bench_open(&s->b, 24 << 20);
	web = dsos_file(&s->b.model->dsos, "/bin/web", 8, 1, 42, 0);
	db = dsos_file(&s->b.model->dsos, "/bin/db", 8, 1, 43, 0);
	locations_learn_image(&s->b.locations, web, make_image(4, 256), "", "");
	locations_learn_image(&s->b.locations, db, make_image(4, 256), "", "");
	locations_learn_image(&s->b.locations, DSO_ID_KERNEL, NULL, "hidden", "be root");
	tell_fork(s->b.model, 1, 1, 20, 20, 1);
	tell_comm(s->b.model, 20, 20, "web", true);
	tell_fork(s->b.model, 20, 20, 20, 21, 1);
	tell_comm(s->b.model, 20, 21, "worker", false);
	tell_fork(s->b.model, 1, 1, 30, 30, 1);
	tell_comm(s->b.model, 30, 30, "db", true);
	model_learn_owner(s->b.model, model_find_task(s->b.model, 30), USERS_BASE, 1);
	samples(s, 0, 20, 20, web, 0x10, 10);
	samples(s, 0, 20, 21, web, 0x110, 30);
	samples(s, 0, 30, 30, db, 0x10, 30);
	samples(s, 0, 30, 30, DSO_ID_KERNEL, 0xffffffff81000010, 10);
	samples(s, 0, 0, 0, DSO_ID_KERNEL, 0xffffffff81002010, 20);
	samples(s, 1, 30, 30, db, 0x310, 5);
	bench_interval(&s->b, NSEC_PER_SEC);
	s->src = (struct report_source){ .profile = s->b.profile, .mono_ns = s->b.now_ns,
					 .real_ns = 1000 * NSEC_PER_SEC };
}

static inline void
scene_close(struct scene *s)
{
	snapshot_put(s->snap);
	filter_free(s->filter);
	bench_close(&s->b);
}

static inline void
report(struct scene *s)
{
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->snap->query = s->query;
	s->snap->head.window_have_s = 1;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
}

static inline void
ask_view(struct scene *s, enum view_id view)
{
	s->query = (struct query){ .view = view, .by_view = true, .trends = true,
				   .sort = COLUMN_SHARE, .key_count = view_defs[view].key_count,
				   .unnamed = view_defs[view].is_unnamed,
				   .locks = view_defs[view].is_locks };
	memcpy(s->query.keys, view_defs[view].keys, sizeof(view_defs[view].keys));
}

static inline void
ask_keys(struct scene *s, const char *keys)
{
	s->query = (struct query){ .sort = COLUMN_SHARE };
	assert_int_equal(key_parse_list(keys, s->query.keys, &s->query.key_count, NULL), 0);
}

static inline const struct row *
row_named(const struct scene *s, const char *comm, const char *symbol)
{
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (strcmp(s->snap->rows[i].comm, comm) == 0 &&
		    strcmp(s->snap->rows[i].symbol, symbol) == 0)
			return &s->snap->rows[i];
	return NULL;
}

/* Rows and what was left out are all there is. */
static inline void
assert_adds_up(const struct scene *s)
{
	uint64_t samples = s->snap->filtered != NULL ? s->snap->filtered->samples : 0;
	uint64_t period = s->snap->filtered != NULL ? s->snap->filtered->period : 0;
	double share = s->snap->filtered != NULL ? s->snap->filtered->share : 0;

	if (s->snap->named != NULL) {
		samples += s->snap->named->samples;
		period += s->snap->named->period;
		share += s->snap->named->share;
	}
	for (size_t i = 0; i < s->snap->row_count; i++) {
		samples += s->snap->rows[i].samples;
		period += s->snap->rows[i].period;
		share += s->snap->rows[i].share;
	}
	assert_int_equal(samples, s->snap->total_samples);
	assert_int_equal(period, s->snap->total_period);
	assert_that(fabs(share - 1), <, 1e-9);
}

#endif
