/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "serve/metrics.h"

#include "base/text.h"

#include <string.h>

enum {
	ROWS_MAX = 4000,      /* the rest of the snapshot is one row */
	NAME_MAX_BYTES = 256, /* of a label's value: longer ones are cut */
};

static const char rest_label[] = "[other]"; /* of all that have no series of their own */

void
metrics_init(struct metrics *m)
{
	*m = (struct metrics){ 0 };
	series_init(&m->tasks, METRICS_TASKS);
	series_init(&m->functions, METRICS_FUNCTIONS);
}

void
metrics_release(struct metrics *m)
{
	series_release(&m->tasks);
	series_release(&m->functions);
}

void
metrics_query(enum metrics_part part, const struct query *base, struct query *q)
{
	static const enum key keys[METRICS_PARTS][SERIES_LABELS] = {
		[METRICS_BY_TASK] = { KEY_COMM, KEY_CONTAINER },
		[METRICS_BY_FUNCTION] = { KEY_SYMBOL, KEY_DSO },
	};

	*q = *base;
	q->window_ns = UINT64_MAX;
	q->max_rows = ROWS_MAX;
	memcpy(q->keys, keys[part], sizeof(keys[part]));
	q->key_count = SERIES_LABELS;
}

/* The first whose period is CPU time; NULL: none is. */
static const struct snapshot_event *
time_event(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i].counts_time && !s->events[i].is_looks && !s->events[i].is_elapsed)
			return &s->events[i];
	return NULL;
}

/* What it is called, made safe: that is what must not be there twice. */
struct names {
	struct buf texts[SERIES_LABELS];
	const char *labels[SERIES_LABELS];
};

static void
find_names(enum metrics_part part, const struct row *r, struct names *n)
{
	const char *raw[SERIES_LABELS] = { r->symbol, r->dso };

	if (part == METRICS_BY_TASK) {
		raw[0] = r->comm;
		raw[1] = strcmp(r->container, "-") == 0 ? "" : r->container;
	}
	for (size_t i = 0; i < SERIES_LABELS; i++) {
		buf_reset(&n->texts[i]);
		text_add_safe(&n->texts[i], raw[i], strnlen(raw[i], NAME_MAX_BYTES));
		n->labels[i] = buf_str(&n->texts[i]);
	}
}

/* Threads that ended before their name was known are called by their number: a series each. */
static bool
is_nameless(const char *comm)
{
	return *comm == ':' && strspn(comm + 1, "0123456789") == strlen(comm + 1);
}

/* Sums of what is not shown stay in the rest, as does who calls itself so. */
static bool
is_counted(const struct row *r, const struct snapshot_event *e, const struct names *n)
{
	return (r->flags & (ROW_REST | ROW_FILTERED)) == 0 && strcmp(r->event, e->name) == 0 &&
	       strcmp(n->labels[0], rest_label) != 0 && !is_nameless(n->labels[0]);
}

static void
take_rows(struct series *to, enum metrics_part part, const struct snapshot *s,
	  const struct snapshot_event *e)
{
	struct names n = { .labels = { "" } };

	series_begin(to, e->period);
	for (int joins = 0; joins < 2; joins++) {
		for (size_t i = 0; i < s->row_count; i++) {
			find_names(part, &s->rows[i], &n);
			if (!is_counted(&s->rows[i], e, &n))
				continue;
			if (joins)
				series_join(to, n.labels, s->rows[i].period);
			else
				series_gain(to, n.labels, s->rows[i].period);
		}
	}
	series_end(to);
	for (size_t i = 0; i < SERIES_LABELS; i++)
		buf_release(&n.texts[i]);
}

void
metrics_take(struct metrics *m, enum metrics_part part, const struct snapshot *s)
{
	const struct snapshot_event *e = time_event(s);
	uint64_t samples = 0;

	m->counts_time = e != NULL;
	if (e != NULL)
		take_rows(part == METRICS_BY_TASK ? &m->tasks : &m->functions, part, s, e);
	for (size_t i = 0; i < s->event_count; i++)
		samples += s->events[i].samples;
	m->samples = MAX(m->samples, samples);
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++)
		m->losses[k] = MAX(m->losses[k], s->head.losses[k]);
	m->own_bytes = s->head.self_bytes;
}

/* OpenMetrics calls a family without the ending that its samples have; the older format with it. */
static void
put_family(struct buf *b, bool is_open, const char *name, const char *type, const char *unit,
	   const char *help)
{
	const char *ending = !is_open && strcmp(type, "counter") == 0 ? "_total" : "";

	buf_addf(b, "# TYPE %s%s %s\n", name, ending, type);
	if (is_open && *unit != '\0')
		buf_addf(b, "# UNIT %s %s\n", name, unit);
	buf_addf(b, "# HELP %s%s %s\n", name, ending, help);
}

static void
put_label(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, "%s=\"", name);
	for (; *value != '\0'; value++) {
		if (*value == '\\' || *value == '"')
			buf_add_char(b, '\\');
		buf_add_char(b, *value);
	}
	buf_add_char(b, '"');
}

static void
put_seconds(struct buf *b, uint64_t ns)
{
	buf_addf(b, " %llu.%09llu\n", (unsigned long long)(ns / NSEC_PER_SEC),
		 (unsigned long long)(ns % NSEC_PER_SEC));
}

/* A family of CPU seconds. */
struct cpu_family {
	const char *name, *labels[SERIES_LABELS], *help;
};

static void
put_item(struct buf *b, const struct cpu_family *f, const char *first, const char *second, uint64_t ns)
{
	buf_addf(b, "%s_total{", f->name);
	put_label(b, f->labels[0], first);
	buf_add_char(b, ',');
	put_label(b, f->labels[1], second);
	buf_add_char(b, '}');
	put_seconds(b, ns);
}

static void
put_cpu(struct buf *b, bool is_open, const struct cpu_family *f, const struct series *s)
{
	put_family(b, is_open, f->name, "counter", "seconds", f->help);
	for (size_t i = 0; i < s->len; i++)
		put_item(b, f, s->items[i].labels[0], s->items[i].labels[1], s->items[i].told);
	put_item(b, f, rest_label, "", s->rest);
}

static void
put_losses(const struct metrics *m, bool is_open, struct buf *b)
{
	put_family(b, is_open, "ptop_lost", "counter", "",
		   "What is missing, or not as it should be, as JSON reports call it.");
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++)
		if (loss_defs[k].name != NULL)
			buf_addf(b, "ptop_lost_total{what=\"%s\"} %llu\n", loss_defs[k].name,
				 (unsigned long long)m->losses[k]);
}

void
metrics_put(const struct metrics *m, bool is_open, struct buf *b)
{
	static const struct cpu_family tasks = {
		"ptop_cpu_seconds", { "comm", "container" }, "CPU time by thread name and container.",
	}, functions = {
		"ptop_function_cpu_seconds", { "function", "dso" },
		"CPU time spent in the heaviest functions themselves.",
	};

	if (m->counts_time) {
		put_cpu(b, is_open, &tasks, &m->tasks);
		put_cpu(b, is_open, &functions, &m->functions);
	}
	put_family(b, is_open, "ptop_samples", "counter", "", "Samples that were counted.");
	buf_addf(b, "ptop_samples_total %llu\n", (unsigned long long)m->samples);
	put_losses(m, is_open, b);
	put_family(b, is_open, "ptop_own_cpu_seconds", "counter", "seconds", "CPU time of ptop itself.");
	buf_add_str(b, "ptop_own_cpu_seconds_total");
	put_seconds(b, m->own_cpu_ns);
	put_family(b, is_open, "ptop_resident_bytes", "gauge", "bytes", "Memory of ptop itself.");
	buf_addf(b, "ptop_resident_bytes %llu\n", (unsigned long long)m->own_bytes);
	put_family(b, is_open, "ptop_build_info", "gauge", "", "The version of ptop.");
	buf_add_str(b, "ptop_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
	if (is_open)
		buf_add_str(b, "# EOF\n");
}
