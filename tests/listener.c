/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/listener.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/clock.h"

void
listen_for(struct listener *l, unsigned ms)
{
	uint64_t until = clock_mono_ns() + ms * NSEC_PER_MSEC;

	while (clock_mono_ns() < until) {
		struct msg *m = queue_wait(l->answers, 20);
		struct engine_snapshot_msg *sm = (struct engine_snapshot_msg *)m;

		if (m != NULL && m->type == ENGINE_MSG_SNAPSHOT) {
			snapshot_put(l->last);
			l->last = sm->snapshot;
			sm->snapshot = NULL;
		}
		msg_free(m);
	}
}

void
listener_start(struct listener *l, char **argv, int argc)
{
	struct err err = { 0 };
	struct query query;

	*l = (struct listener){ .answers = queue_new() };
	assert_int_equal(config_parse(&l->config, argc, argv, &err), 0);
	l->config.batch = false;
	l->config.engine.is_watched = true;
	config_query(&l->config, &query);
	query.all_events = false;
	l->engine = engine_start(&l->config.engine, &query, l->answers, &err);
	if (l->engine == NULL)
		fail_msg("%s", err.text);
}

void
listener_end(struct listener *l)
{
	snapshot_put(l->last);
	engine_stop(l->engine, NULL);
	for (struct msg *m; (m = queue_take(l->answers)) != NULL;)
		msg_free(m);
	queue_free(l->answers);
	config_release(&l->config);
}

double
period_of(const struct snapshot *s, pid_t pid, const char *symbol)
{
	double sum = 0;

	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].pid == pid &&
		    (symbol == NULL || strcmp(s->rows[i].symbol, symbol) == 0))
			sum += (double)s->rows[i].period;
	return sum;
}
