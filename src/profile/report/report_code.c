/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function by instruction: the address table, which has what each place has, and the hot table,
 * which has all of the function, also what is not told by address.
 */
#include "profile/report/code_report.h"

#include "base/text.h"
#include "profile/place/jit.h"
#include "profile/place/location.h"
#include "view/name.h"

#include <stdlib.h>
#include <string.h>

enum {
	OTHERS_MAX = 4,
	NAMES_MAX = 4096,
};

static const struct location *
location_at(const struct code_report *c, uint32_t id)
{
	return &c->r->src->profile->locations->items[id];
}

static bool
is_of_shown(const struct report *r, uint32_t event)
{
	return r->src->shown_event == UINT32_MAX || r->query->all_events ||
	       event == r->src->shown_event;
}

/* By location, what functions have: in the window, or since the start. */
static void
sum_functions(struct code_report *c, bool since_start)
{
	const struct profile *p = c->r->src->profile;
	const struct tables *t = &p->tables;
	uint64_t samples, period;

	c->samples = mem_calloc(p->locations->len, sizeof(*c->samples));
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t at = locations_resolve(p->locations, t->hot[id].location);

		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		if (since_start)
			samples = t->cells[TABLE_HOT].items[id].all_samples;
		if (samples > 0 && is_of_shown(c->r, t->hot[id].event) &&
		    location_at(c, at)->kind == LOCATION_FUNCTION &&
		    !location_at(c, at)->is_rest)
			c->samples[at] += samples;
	}
}

static uint32_t
hottest(struct code_report *c)
{
	const struct profile *p = c->r->src->profile;
	const struct tables *t = &p->tables;
	uint32_t best = 0;

	sum_functions(c, false);
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t at = locations_resolve(p->locations, t->hot[id].location);

		if (c->samples[at] > 0 && report_in_scope(c->r, id) &&
		    (best == 0 || c->samples[at] > c->samples[best]))
			best = at;
	}
	return best;
}

/* "name", "name(int)", "name@@GLIBC_2.4": how the symbol table or the demangler has it. */
static bool
is_named_so(const char *name, const char *want, size_t len)
{
	return strncmp(name, want, len) == 0 &&
	       (name[len] == '\0' || name[len] == '(' || name[len] == '@');
}

/* "emit@0x1190" is the one that begins there: how long the name is, and where; false: it has no place. */
static bool
split_place(const char *symbol, size_t *len, uint64_t *start)
{
	const char *at = strrchr(symbol, '@');
	char *end;

	*len = strlen(symbol);
	if (at == NULL || strncmp(at, "@0x", 3) != 0)
		return false;
	*start = strtoull(at + 1, &end, 16);
	if (*end != '\0')
		return false;
	*len = (size_t)(at - symbol);
	return true;
}

static const char *
dso_name(const struct code_report *c, uint32_t location)
{
	const struct model *m = c->r->src->profile->model;

	return strs_get(&m->strs, dsos_get(&m->dsos, location_at(c, location)->dso)->name);
}

static const char *
function_name(const struct code_report *c, uint32_t location)
{
	return strs_get(&c->r->src->profile->model->strs, location_at(c, location)->name);
}

static int
compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->location < y->location ? -1 : x->location > y->location;
}

static void
add_candidate(struct code_report *c, uint32_t location)
{
	VEC_ADD(c->candidates, c->candidate_len, c->candidate_cap) =
		(struct candidate){ location, c->samples[location] };
}

/* What the function has by event, of those who are asked for where @at is shown. */
static void
sum_function(struct code_report *c, uint32_t function, uint32_t at, struct cost *sums)
{
	const struct profile *p = c->r->src->profile;
	const struct tables *t = &p->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct hot_key *hot = &t->hot[id];
		int cpu = (int)p->labels.items[hot->label].cpu - 1;

		if (locations_resolve(p->locations, hot->location) != function)
			continue;
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		if (samples > 0 && (!c->by_who || code_report_passes(c, hot->event, hot->who, at, cpu)))
			code_report_add(&sums[hot->event], samples, period);
	}
}

/* As the one that is shown has them in its title: in the window, of those who are asked for. */
static uint64_t
samples_beside(struct code_report *c, uint32_t other, uint32_t chosen)
{
	const uint32_t events = c->r->src->profile->event_count;
	struct cost *sums = mem_calloc(events + 1, sizeof(*sums));
	uint64_t samples = 0;

	sum_function(c, other, chosen, sums);
	for (uint32_t e = 0; e < events; e++)
		if (is_of_shown(c->r, e))
			samples += sums[e].samples;
	free(sums);
	return samples;
}

/* For a line, as --symbol takes them: "main@0x1190 in nginx (12 samples)". */
static void
put_others(struct code_report *c, uint32_t chosen)
{
	struct buf b = { 0 };
	size_t listed = 0;

	for (size_t i = 0; i < c->candidate_len && listed < OTHERS_MAX; i++) {
		uint32_t id = c->candidates[i].location;
		uint64_t samples;

		if (id == chosen)
			continue;
		samples = samples_beside(c, id, chosen);
		buf_addf(&b, "%s%s@0x%llx in %s (%llu sample%s)", listed++ > 0 ? ", " : "",
			 function_name(c, id), (unsigned long long)location_at(c, id)->offset,
			 dso_name(c, id), (unsigned long long)samples, text_plural(samples));
	}
	if (c->candidate_len - 1 > listed)
		buf_addf(&b, " and %zu more", c->candidate_len - 1 - listed);
	c->code->others = arena_strdup(&c->r->out->arena, buf_str(&b));
	buf_release(&b);
}

/* All of the name, which one of them is shown. */
static void
tell_candidates(struct code_report *c, uint32_t chosen)
{
	uint32_t *same;

	if (chosen == 0 || c->candidate_len < 2)
		return;
	qsort(c->candidates, c->candidate_len, sizeof(*c->candidates), compare_candidates);
	put_others(c, chosen);
	same = arena_alloc(&c->r->out->arena, c->candidate_len * sizeof(*same));
	for (size_t i = 0; i < c->candidate_len; i++)
		same[i] = c->candidates[i].location;
	c->code->same = same;
	c->code->same_len = c->candidate_len;
}

/* The function of the query's name that has most, or is at its place; 0: none has samples. */
static uint32_t
find_named(struct code_report *c)
{
	const struct query *q = c->r->query;
	const struct locations *l = c->r->src->profile->locations;
	uint64_t start = 0;
	size_t len;
	bool has_start = split_place(q->symbol, &len, &start);
	uint32_t best = 0;

	sum_functions(c, true);
	for (uint32_t id = 1; id < l->len; id++) {
		if (c->samples[id] == 0 || !is_named_so(function_name(c, id), q->symbol, len) ||
		    (q->symbol_dso[0] != '\0' && strcmp(dso_name(c, id), q->symbol_dso) != 0))
			continue;
		add_candidate(c, id);
		if (has_start && l->items[id].offset != start)
			continue;
		if (best == 0 || c->samples[id] > c->samples[best])
			best = id;
	}
	tell_candidates(c, best);
	return best;
}

/* Those of the same name in the same file. */
static void
find_same(struct code_report *c, uint32_t at)
{
	const struct locations *l = c->r->src->profile->locations;
	const struct location *loc = &l->items[at];
	size_t len = 0, cap = 0;
	uint32_t *same = NULL;

	for (uint32_t id = 1; id < l->len && loc->kind == LOCATION_FUNCTION; id++)
		if (l->items[id].name == loc->name && l->items[id].dso == loc->dso &&
		    l->items[id].kind == LOCATION_FUNCTION && !l->items[id].is_rest)
			VEC_ADD(same, len, cap) = id;
	if (len > 1)
		sum_functions(c, true);
	for (size_t i = 0; i < len && len > 1; i++)
		if (c->samples[same[i]] > 0 || same[i] == at)
			add_candidate(c, same[i]);
	free(same);
	tell_candidates(c, at);
}

/* Names near the one that is not there. */
static const char *
why_not_named(struct code_report *c)
{
	const struct query *q = c->r->query;
	const struct locations *l = c->r->src->profile->locations;
	const char **names = mem_calloc(NAMES_MAX, sizeof(*names));
	struct err err = { 0 };
	size_t count = 0;
	const char *why, *near;

	for (uint32_t id = 1; id < l->len && count < NAMES_MAX; id++)
		if (c->samples[id] > 0 && (q->symbol_dso[0] == '\0' ||
					   strcmp(dso_name(c, id), q->symbol_dso) == 0))
			names[count++] = function_name(c, id);
	name_unknown(&err, "", q->symbol, names, count);
	near = strstr(err.text, "': did you mean ");
	why = arena_printf(&c->r->out->arena, "no samples in a function '%.100s'%s%.100s%s",
			   q->symbol, q->symbol_dso[0] != '\0' ? " of " : "", q->symbol_dso,
			   near != NULL ? near + 1 : "");
	free(names);
	return why;
}

static uint32_t
find_function(struct code_report *c)
{
	struct locations *l = c->r->src->profile->locations;
	const struct query *q = c->r->query;
	uint32_t at = 0;

	if (q->function != 0 && q->function < l->len)
		at = locations_resolve(l, q->function);
	else if (q->code_dso != 0 && q->code_dso < c->r->src->profile->model->dsos.len)
		at = locations_resolve(l, locations_find(l, q->code_dso, q->code_at));
	else
		at = q->symbol[0] != '\0' ? find_named(c) : hottest(c);
	if (c->samples == NULL) /* it was not looked for */
		find_same(c, at);
	if (at == 0 && q->symbol[0] != '\0')
		c->code->why = why_not_named(c);
	else if (at == 0)
		c->code->why = "no function has samples of this event in this window";
	return at;
}

static void
find_bounds(struct code_report *c, uint32_t at)
{
	struct locations *l = c->r->src->profile->locations;
	const struct location loc = *location_at(c, at);
	struct snapshot_code *code = c->code;
	bool is_known = locations_range(l, &loc, &code->start, &code->end);
	uint64_t size = 0;

	if (!is_known && loc.fn != IMAGE_NONE) {
		/* It was given back: whoever asks for a place that is new has it read again. */
		locations_find(l, loc.dso, loc.offset + 1);
		code->why = "the symbols of its file are being read again";
		return;
	}
	if (!is_known && jit_range_of(l, at, &code->start, &size))
		code->end = code->start + size;
	if (code->start == code->end)
		code->why = "where its code lies is not known any more";
}

/* Samples from before the tables told whose they were, as far as the flight recorder had them. */
static void
add_recounted(struct code_report *c, uint64_t since_ns, struct snapshot_count **counts, size_t *len,
	      size_t *cap)
{
	uint64_t start = c->code->start;
	const struct recount_sample *s;

	/* Then all functions of the dso are recounted. */
	if (*c->r->query->source_file != '\0') {
		start = 0;
		since_ns = profile_dso_told_since(c->r->src->profile, c->code->dso_id, c->by_cpu);
	}
	for (size_t i = 0; (s = code_report_recounted(c, start, since_ns, &i)) != NULL;) {
		if (s->offset < c->code->start || s->offset >= c->code->end)
			continue;
		code_report_add(&c->told[s->event], 1, s->period);
		VEC_ADD(*counts, *len, *cap) = (struct snapshot_count){
			.offset = s->offset, .event = s->event, .cost = { 1, s->period } };
	}
}

static void
fill_counts(struct code_report *c, uint32_t at)
{
	const struct profile *p = c->r->src->profile;
	const struct tables *t = &p->tables;
	const uint64_t since_ns = profile_told_since(p, at, c->by_cpu);
	struct snapshot_count *counts = NULL, *kept;
	size_t len = 0, cap = 0;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_ADDRESS].len; id++) {
		const struct address_key *key = &t->addresses[id];

		if (key->offset < c->code->start || key->offset >= c->code->end ||
		    !code_report_counts(c, key, at))
			continue;
		profile_window(p, &t->cells[TABLE_ADDRESS].items[id], &samples, &period);
		if (samples == 0)
			continue;
		code_report_add(&c->told[key->event], samples, period);
		VEC_ADD(counts, len, cap) = (struct snapshot_count){
			.offset = key->offset, .event = key->event, .cost = { samples, period } };
	}
	c->code->is_filtered = c->by_who;
	c->code->is_by_cpu = c->by_cpu;
	code_report_tell_since(c, c->code->start, since_ns);
	add_recounted(c, since_ns, &counts, &len, &cap);
	len = code_report_merge(c->code, counts, len);
	kept = arena_alloc(&c->r->out->arena, (len + 1) * sizeof(*kept));
	if (len > 0)
		memcpy(kept, counts, len * sizeof(*kept));
	c->code->counts = kept;
	c->code->count_len = len;
	free(counts);
}

static void
fill_code(struct code_report *c, uint32_t at)
{
	struct report *r = c->r;
	const struct model *m = r->src->profile->model;
	struct snapshot_code *code = c->code;
	const struct dso *dso = dsos_get(&m->dsos, location_at(c, at)->dso);

	code->location = at;
	code->dso_id = location_at(c, at)->dso;
	code->symbol = report_place_name(r, at);
	code->dso = report_str(r, dso->name);
	code->path = report_str(r, dso->path);
	if (location_at(c, at)->kind != LOCATION_FUNCTION || location_at(c, at)->is_rest) {
		code->why = "no symbol says where this code begins and ends";
		return;
	}
	find_bounds(c, at);
	if (code->why != NULL)
		return;
	code->is_skidding = r->src->shown_event != UINT32_MAX && r->src->events != NULL &&
			    r->src->events[r->src->shown_event].skids;
	sum_function(c, at, at, c->all);
	fill_counts(c, at);
	if (*r->query->source_file != '\0')
		report_fill_file(c);
	for (uint32_t e = 0; e < r->src->profile->event_count; e++)
		r->base[e] = report_base(r, e, code->file != NULL ? code->file->told[e].period
								 : c->told[e].period);
}

void
report_fill_code(struct report *r)
{
	struct arena *a = &r->out->arena;
	size_t events = r->src->profile->event_count + 1;
	struct code_report c = { .r = r };
	uint32_t at;

	c.code = arena_alloc(a, sizeof(*c.code));
	c.code->told = c.told = arena_alloc(a, events * sizeof(*c.told));
	c.code->all = c.all = arena_alloc(a, events * sizeof(*c.all));
	c.code->symbol = c.code->dso = c.code->path = "";
	r->out->code = c.code;
	code_report_choose_filter(&c);
	at = find_function(&c);
	if (at != 0)
		fill_code(&c, at);
	free(c.samples);
	free(c.candidates);
	free(c.verdicts);
}
