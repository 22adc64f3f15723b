/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/counter_list.h"

#include "base/buf.h"
#include "engine/leaf/session_config.h"
#include "live/session/refusal.h"

#include <math.h>
#include <string.h>

/* Those of a group are read together, at one moment, and let go of the PMU together. */
enum { GROUP_SOFTWARE = 1, GROUP_CORE, GROUP_CACHE, GROUPS };

static const struct {
	const char *name;
	unsigned group;
} standard[] = {
	{ "task-clock", GROUP_SOFTWARE },
	{ "context-switches", GROUP_SOFTWARE },
	{ "cpu-migrations", GROUP_SOFTWARE },
	{ "page-faults", GROUP_SOFTWARE },
	{ "minor-faults", GROUP_SOFTWARE },
	{ "major-faults", GROUP_SOFTWARE },
	{ "cycles", GROUP_CORE },
	{ "instructions", GROUP_CORE },
	{ "branches", GROUP_CORE },
	{ "branch-misses", GROUP_CORE },
	{ "cache-references", GROUP_CACHE },
	{ "cache-misses", GROUP_CACHE },
};

/* What two counters say together. */
static const struct ratio {
	const char *name, *part, *whole;
	enum counter_unit unit;
} ratios[] = {
	{ "instructions per cycle", "instructions", "cycles", COUNTER_RATIO },
	{ "branch miss rate", "branch-misses", "branches", COUNTER_PERCENT },
	{ "cache miss rate", "cache-misses", "cache-references", COUNTER_PERCENT },
};

static int
add_standard(struct counter_list *l, const struct event_env *env, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(standard); i++) {
		if (event_parse(env, standard[i].name, &l->events, err) < 0)
			return -1;
		l->events.items[i].group = standard[i].group;
	}
	l->standard_count = l->events.len;
	return 0;
}

static bool
has_event(const struct counter_list *l, const char *name)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (strcmp(l->events.items[i].name, name) == 0)
			return true;
	return false;
}

/* Takes them out of @user; one that is there already is not counted twice. */
static void
take_events(struct counter_list *l, struct event_list *user)
{
	for (size_t i = 0; i < user->len; i++) {
		struct event *ev = &user->items[i];

		if (ev->group != 0)
			ev->group += GROUPS;
		else if (has_event(l, ev->name)) {
			event_release(ev);
			continue;
		}
		VEC_ADD(l->events.items, l->events.len, l->events.cap) = *ev;
	}
	user->len = 0;
}

int
counter_list_init(struct counter_list *l, const struct event_env *env,
		  const struct engine_config *config, struct err *err)
{
	struct event_list own = { 0 };
	int res;

	*l = (struct counter_list){ 0 };
	res = add_standard(l, env, err);
	if (res == 0 && config != NULL && config->events != NULL) {
		res = events_parse(config, env, &own, err);
		if (res == 0)
			take_events(l, &own);
	}
	event_list_release(&own);
	if (res < 0)
		counter_list_release(l);
	return res;
}

void
counter_list_release(struct counter_list *l)
{
	event_list_release(&l->events);
	*l = (struct counter_list){ 0 };
}

/* One reading or a part of one: the count of an event between two readings. */
struct count {
	bool is_known, is_scaled;
	uint64_t n;
};

static struct count
count_of(const struct counter_source *src, size_t event, bool is_rate)
{
	const struct counter_value *before = is_rate && src->before != NULL
						     ? &src->before->values[event] : NULL;
	struct count c = { 0 };

	c.is_known = counter_between(before, &src->now->values[event], &c.n, &c.is_scaled);
	if (is_rate && src->before == NULL)
		c.is_known = false;
	return c;
}

static double
running_share(const struct counter_value *v)
{
	if (v->is_refused || v->is_unread || v->enabled_ns == 0)
		return -1;
	return (double)v->running_ns / (double)v->enabled_ns;
}

/* @part, by event, is what the row counts of each @whole.  NULL: nothing is compared, or known. */
static const struct difference *
compare(const struct counter_source *src, struct snapshot *s, const struct counter_row *row, int part,
	int whole)
{
	struct difference *d;

	if (src->past == NULL || !row->is_known)
		return NULL;
	d = arena_alloc(&s->arena, sizeof(*d));
	counter_past_compare(src->past, part, whole, &src->window, &src->then, d);
	d->scale *= row->unit == COUNTER_PERCENT ? 100 : 1;
	return d;
}

static void
add_row(const struct counter_source *src, struct snapshot *s, const struct counter_row *counter,
	int part, int whole)
{
	struct counter_row *kept = arena_alloc(&s->arena, sizeof(*kept));

	*kept = *counter;
	kept->is_first = src->before == NULL;
	s->rows[s->row_count] = (struct row){
		.id = s->row_count + 1, .pid = src->pid, .tid = src->tid, .cpu = NAN,
		.cpu_number = -1, .node = -1, .event = kept->name, .comm = arena_strdup(&s->arena, src->comm),
		.dso = "", .symbol = kept->name, .source = "", .user = "", .cgroup = "",
		.command = "", .instruction = "", .data_src = "", .branch = "", .hottest = "",
		.reason = *kept->note != '\0' ? kept->note : kept->name, .counter = kept,
		.difference = compare(src, s, kept, part, whole),
	};
	s->row_count++;
}

static void
add_note(const struct counter_source *src, size_t event, struct snapshot *s,
	 struct counter_row *row)
{
	const struct counter_value *v = &src->now->values[event];

	row->note = arena_strdup(&s->arena, src->first->notes[event]);
	if (v->is_refused)
		row->note = refusal_reason(&s->arena, src->first->whys[event]);
	else if (v->is_unread)
		row->note = "a part of it could not be read";
	else if (!row->is_known)
		row->note = "other events had the hardware all the time";
	else if (v->lost > 0)
		row->note = arena_printf(&s->arena, "%llu lost", (unsigned long long)v->lost);
}

/* The text behind the key i. */
static const char *
explain(const struct counter_value *v, const struct counter_row *row, const char *remedy,
	struct snapshot *s)
{
	if (!row->is_known)
		return arena_printf(&s->arena, "%s: %s%s%s", row->name, row->note,
				    *remedy != '\0' ? "; " : "", remedy);
	return arena_printf(&s->arena, "%s: counted %llu in %.3f s of %.3f s that it was to count"
			    "%s%s", row->name, (unsigned long long)v->raw,
			    (double)v->running_ns / 1e9, (double)v->enabled_ns / 1e9,
			    *row->note != '\0' ? "; " : "", row->note);
}

static void
add_event(const struct counter_list *l, const struct counter_source *src, size_t event,
	  struct snapshot *s)
{
	const struct event *ev = &l->events.items[event];
	struct count total = count_of(src, event, false), rate = count_of(src, event, true);
	double seconds = src->before != NULL
				 ? (double)(src->now->time_ns - src->before->time_ns) / 1e9 : 0;
	struct counter_row row = {
		.name = arena_strdup(&s->arena, ev->name),
		.unit = ev->unit == EVENT_COUNTS_TIME ? COUNTER_NS : COUNTER_COUNTS,
		.is_known = total.is_known, .total = total.n,
		.is_rate_known = total.is_known && rate.is_known && seconds > 0,
		.is_scaled = total.is_scaled,
		.running = running_share(&src->now->values[event]),
	};

	if (row.is_rate_known)
		row.per_second = (double)rate.n / seconds;
	add_note(src, event, s, &row);
	add_row(src, s, &row, (int)event, COUNTER_PAST_TIME);
	s->rows[s->row_count - 1].reason = explain(&src->now->values[event], &row,
							src->first->remedies[event], s);
}

/* false: it cannot be told. */
static bool
divide(const struct counter_source *src, size_t part, size_t whole, bool is_rate,
       enum counter_unit unit, double *out)
{
	struct count a = count_of(src, part, is_rate), b = count_of(src, whole, is_rate);

	if (!a.is_known || !b.is_known || b.n == 0)
		return false;
	*out = (double)a.n / (double)b.n * (unit == COUNTER_PERCENT ? 100 : 1);
	return true;
}

static void
add_ratio(const struct counter_list *l, const struct counter_source *src, const char *name,
	  size_t part, size_t whole, enum counter_unit unit, struct snapshot *s)
{
	const struct counter_value *a = &src->now->values[part];
	const struct counter_value *b = &src->now->values[whole];
	const char *lacks = a->is_refused ? l->events.items[part].name
			  : b->is_refused ? l->events.items[whole].name : NULL;
	struct counter_row row = {
		.name = arena_strdup(&s->arena, name), .unit = unit, .note = "",
		.is_scaled = a->running_ns < a->enabled_ns || b->running_ns < b->enabled_ns,
		.running = MIN(running_share(a), running_share(b)),
	};

	row.is_known = divide(src, part, whole, false, unit, &row.ratio);
	row.is_rate_known = divide(src, part, whole, true, unit, &row.per_second);
	if (lacks != NULL)
		row.note = arena_printf(&s->arena, "there is no count of %s", lacks);
	else if (!row.is_known)
		row.note = arena_printf(&s->arena, "nothing counted yet: %s",
					l->events.items[whole].name);
	add_row(src, s, &row, (int)part, (int)whole);
}

static size_t
find_event(const struct counter_list *l, const char *name)
{
	for (size_t i = 0; i < l->standard_count; i++)
		if (strcmp(l->events.items[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static void
add_standard_ratios(const struct counter_list *l, const struct counter_source *src,
		    struct snapshot *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++) {
		size_t part = find_event(l, ratios[i].part), whole = find_event(l, ratios[i].whole);

		if (part != SIZE_MAX && whole != SIZE_MAX)
			add_ratio(l, src, ratios[i].name, part, whole, ratios[i].unit, s);
	}
}

/* The user's groups: each event as a part of the one that its group begins with. */
static void
add_pairs(const struct counter_list *l, const struct counter_source *src, struct snapshot *s)
{
	size_t first = l->standard_count;

	for (size_t i = l->standard_count; i < l->events.len; i++) {
		const struct event *ev = &l->events.items[i];
		struct buf name = { 0 };

		if (ev->group == 0 || ev->group != l->events.items[first].group || i == first) {
			first = i;
			continue;
		}
		buf_addf(&name, "%s / %s", ev->name, l->events.items[first].name);
		add_ratio(l, src, name.data, i, first, COUNTER_RATIO, s);
		buf_release(&name);
	}
}

size_t
counter_list_rows(const struct counter_list *l)
{
	return 2 * l->events.len + ARRAY_SIZE(ratios);
}

void
counter_list_add_rows(const struct counter_list *l, const struct counter_source *src,
		      struct snapshot *s)
{
	for (size_t i = 0; i < l->standard_count; i++)
		add_event(l, src, i, s);
	add_standard_ratios(l, src, s);
	for (size_t i = l->standard_count; i < l->events.len; i++)
		add_event(l, src, i, s);
	add_pairs(l, src, s);
}
