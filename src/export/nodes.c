/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/nodes.h"

#include "base/text.h"
#include "export/csv.h"

#include <inttypes.h>
#include <string.h>

/* Percent of its event's sum. */
static double
percent(const struct snapshot *s, const struct snapshot_node *n, const struct cost *c)
{
	uint64_t all = s->events[n->event].period;

	return all > 0 ? (double)c->period * 100 / (double)all : 0;
}

static void
put_name(struct buf *b, const struct snapshot *s, const struct snapshot_node *n,
	 const struct report_run *run)
{
	const char *event = s->events[n->event].name;

	buf_add_fill(b, ' ', (size_t)n->depth * 2);
	text_add_safe(b, n->name, strlen(n->name));
	buf_add_str(b, report_inlined_mark(n->is_inlined));
	if (n->depth == 0 && run->has_events) {
		buf_add_str(b, " of ");
		text_add_safe(b, event, strlen(event));
	}
	if (*n->dso != '\0') {
		buf_add_str(b, "  ");
		text_add_safe(b, n->dso, strlen(n->dso));
	}
}

static void
put_text_sum(struct buf *b, const struct row *sum, bool is_apart)
{
	double share = sum->share * 100;

	if (is_apart)
		buf_add_char(b, '\n');
	buf_addf(b, "%6.2f %6.2f %11" PRIu64 "  %s\n", share, share, sum->samples, sum->symbol);
}

void
nodes_put_text(struct buf *b, const struct snapshot *s, const struct report_run *run)
{
	bool apart = s->query.view == VIEW_CALLERS || s->query.view == VIEW_CALLEES;
	const struct row *sums[] = { s->named, s->filtered };

	if (!run->is_first)
		buf_add_char(b, '\n');
	if (run->is_series)
		buf_addf(b, "time %.3f\n", s->elapsed_s);
	buf_add_str(b, "%TOTAL  %SELF     SAMPLES  FUNCTION\n");
	for (size_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];

		/* Trees of functions are told apart by an empty line. */
		if (apart && i > 0 && n->depth == 0 &&
		    (s->nodes[i - 1].depth > 0 || n->end > i + 1))
			buf_add_char(b, '\n');
		buf_addf(b, "%6.2f %6.2f %11" PRIu64 "  ", percent(s, n, &n->total),
			 percent(s, n, &n->self), n->total.samples);
		put_name(b, s, n, run);
		buf_add_char(b, '\n');
	}
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (sums[i] != NULL)
			put_text_sum(b, sums[i], apart && s->node_count > 0);
}

static void
put_csv_sum(struct buf *b, const struct snapshot *s, const struct row *sum,
	    const struct report_run *run)
{
	if (run->is_series)
		buf_addf(b, "%.3f,", s->elapsed_s);
	buf_addf(b, "%s0,,%s", run->has_events ? "," : "", sum->symbol);
	for (int i = 0; i < 2; i++)
		buf_addf(b, ",%" PRIu64 ",%" PRIu64, sum->samples, sum->period);
	buf_addf(b, ",%.4f\n", sum->share * 100);
}

void
nodes_put_csv(struct buf *b, const struct snapshot *s, const struct report_run *run)
{
	const struct row *sums[] = { s->named, s->filtered };
	struct buf name = { 0 };

	if (run->is_first)
		buf_addf(b, "%s%sdepth,dso,symbol,self_samples,self_period,samples,period,percent\n",
			 run->is_series ? "time," : "", run->has_events ? "event," : "");
	for (size_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];

		if (run->is_series)
			buf_addf(b, "%.3f,", s->elapsed_s);
		if (run->has_events) {
			csv_put_string(b, s->events[n->event].name);
			buf_add_char(b, ',');
		}
		buf_addf(b, "%" PRIu32 ",", n->depth);
		csv_put_string(b, n->dso);
		buf_add_char(b, ',');
		buf_reset(&name);
		buf_addf(&name, "%s%s", n->name, report_inlined_mark(n->is_inlined));
		csv_put_string(b, buf_str(&name));
		buf_addf(b, ",%" PRIu64 ",%" PRIu64, n->self.samples, n->self.period);
		buf_addf(b, ",%" PRIu64 ",%" PRIu64 ",%.4f\n", n->total.samples, n->total.period,
			 percent(s, n, &n->total));
	}
	buf_release(&name);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (sums[i] != NULL)
			put_csv_sum(b, s, sums[i], run);
}
