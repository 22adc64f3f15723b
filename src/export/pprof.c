/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a protobuf message may come in any order, so everything is written as soon as it is
 * known: a string at its first use, then what refers to it.
 */
#include <config.h>

#include "export/formats.h"

#ifdef HAVE_ZLIB

#include "base/strs.h"
#include "export/sink.h"
#include "export/proto.h"
#include "export/stack_locations.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of the fields, as profile.proto has them. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME_NS = 9, PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_END = 3, MAPPING_OFFSET = 4, MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_NUMBER = 2,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_RAW_NAME = 3, FUNCTION_FILE = 4,
};

struct pprof {
	struct sink *out;
	const struct snapshot *s;
	struct strs strings; /* those that were written, made safe; their ids are pprof's */
	struct buf message, inner, scratch;
	uint64_t *values; /* of a sample: all types of values */
	size_t value_count;
	size_t *slots;    /* by event: where its values are */
	bool has_folded;  /* the location of stacks without places was written */
	struct stack_locations locations;
};

static uint64_t
string(struct pprof *p, const char *text)
{
	return proto_add_string(&p->out->buf, PROFILE_STRING, &p->strings, &p->scratch, text);
}

static void
put_message(struct pprof *p, unsigned field)
{
	proto_add_bytes(&p->out->buf, field, buf_str(&p->message), p->message.len);
	buf_reset(&p->message);
	sink_flow(p->out);
}

static void
put_type(struct pprof *p, unsigned field, const char *name, const char *unit)
{
	proto_add_number(&p->message, TYPE_NAME, string(p, name));
	proto_add_number(&p->message, TYPE_UNIT, string(p, unit));
	put_message(p, field);
}

/* Of none there would be no types, which no reader takes. */
static bool
keeps_any(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (!s->events[i].is_filtered)
			return true;
	return false;
}

/* Two for each event that is not filtered out, in that order: samples, period. */
static void
put_types(struct pprof *p)
{
	const struct snapshot *s = p->s;
	const bool is_any = keeps_any(s);

	for (size_t i = 0; i < s->event_count; i++) {
		struct buf name = { 0 };

		if (s->events[i].is_filtered && is_any)
			continue;
		p->slots[i] = p->value_count;
		p->value_count += 2;
		buf_add_str(&name, "samples");
		if (s->event_count > 1)
			buf_addf(&name, ":%s", s->events[i].name);
		put_type(p, PROFILE_SAMPLE_TYPE, buf_str(&name), "count");
		put_type(p, PROFILE_SAMPLE_TYPE, s->events[i].name, report_event_unit(&s->events[i]));
		buf_release(&name);
	}
}

static void
put_comment(struct pprof *p, const char *text)
{
	uint64_t id = string(p, text);

	proto_add_numbers(&p->out->buf, PROFILE_COMMENT, &id, 1);
}

/* pprof -comments shows these. */
static void
put_comments(struct pprof *p)
{
	const struct snapshot_head *h = &p->s->head;
	struct buf b = { 0 };

	put_comment(p, "ptop " PACKAGE_VERSION);
	if (h->host != NULL && *h->host != '\0') {
		buf_addf(&b, "host: %s", h->host);
		put_comment(p, buf_str(&b));
	}
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		if (h->losses[k] == 0 && !loss_defs[k].is_always)
			continue;
		buf_reset(&b);
		loss_put(&b, k, h->losses[k], h->recording != NULL);
		put_comment(p, buf_str(&b));
	}
	for (size_t i = 0; i < h->notice_count; i++)
		put_comment(p, h->notices[i]);
	buf_release(&b);
}

static void
put_main_type(struct pprof *p)
{
	const struct snapshot_event *e = &p->s->events[report_main_event(p->s)];
	uint64_t name;

	if (p->s->event_count == 0)
		return;
	put_type(p, PROFILE_PERIOD_TYPE, e->name, report_event_unit(e));
	proto_add_number(&p->out->buf, PROFILE_PERIOD, report_event_period(p->s, e));
	name = string(p, e->name);
	proto_add_number(&p->out->buf, PROFILE_DEFAULT_TYPE, name);
}

/* The time of day at which the window begins; 0: not known, of recordings that do not tell it. */
static uint64_t
begin_real_ns(const struct snapshot *s)
{
	const struct moments *m = &s->head.moments;
	uint64_t window = report_window_ns(s), end = report_end_ns(s);

	if (s->head.recording != NULL)
		return wall_real_ns(&m->wall, m->begin_ns + (uint64_t)(MAX(s->head.have_from_s, 0) * 1e9));
	return end - MIN(window, end);
}

static void
put_head(struct pprof *p)
{
	const struct snapshot *s = p->s;
	uint64_t window = report_window_ns(s), begin = begin_real_ns(s);

	put_types(p);
	put_main_type(p);
	if (begin > 0)
		proto_add_number(&p->out->buf, PROFILE_TIME_NS, begin);
	proto_add_number(&p->out->buf, PROFILE_DURATION_NS, window);
	put_comments(p);
}

/* Names in brackets are no files: pprof does not search for them. */
static const char *
mapping_file(const struct stack_dso *d)
{
	if (d->kind == STACK_KERNEL && strcmp(d->name, "[kernel]") == 0)
		return "[kernel.kallsyms]";
	return *d->path != '\0' ? d->path : d->name;
}

static void
put_mapping(struct pprof *p, uint32_t n, bool has_lines, bool has_inlined)
{
	const struct stack_dso *d = &p->s->stacks->dsos[n];
	struct buf *b = &p->message;

	proto_add_number(b, MAPPING_ID, n + 1);
	proto_add_number(b, MAPPING_START, d->start);
	proto_add_number(b, MAPPING_END, d->end);
	proto_add_number(b, MAPPING_OFFSET, d->pgoff);
	proto_add_number(b, MAPPING_FILE, string(p, mapping_file(d)));
	proto_add_number(b, MAPPING_BUILD_ID, string(p, d->build_id));
	proto_add_number(b, MAPPING_HAS_FUNCTIONS, true);
	proto_add_number(b, MAPPING_HAS_FILES, has_lines);
	proto_add_number(b, MAPPING_HAS_LINES, has_lines);
	proto_add_number(b, MAPPING_HAS_INLINED, has_inlined);
	put_message(p, PROFILE_MAPPING);
}

/* The program with most samples: pprof takes the first mapping for what was profiled. */
static uint32_t
main_dso(const struct stacks *st)
{
	uint64_t *samples = mem_calloc(st->dso_count + 1, sizeof(*samples));
	uint32_t best = 0;

	for (size_t id = 1; id < st->node_count; id++)
		if (st->nodes[id].parent != 0)
			samples[st->places[st->nodes[id].item].dso] += st->nodes[id].samples;
	for (uint32_t i = 0; i < st->dso_count; i++) {
		bool is_program = st->dsos[i].kind == STACK_PROGRAM;
		bool is_better = is_program && st->dsos[best].kind != STACK_PROGRAM;

		if (is_better || (is_program && samples[i] > samples[best]))
			best = i;
	}
	free(samples);
	return best;
}

static void
put_mappings(struct pprof *p)
{
	const struct stacks *st = p->s->stacks;
	bool *has_lines = mem_calloc(st->dso_count + 1, sizeof(*has_lines));
	bool *has_inlined = mem_calloc(st->dso_count + 1, sizeof(*has_inlined));
	uint32_t first = main_dso(st);

	for (size_t i = 0; i < st->place_count; i++) {
		has_lines[st->places[i].dso] |= *st->places[i].line != '\0';
		has_inlined[st->places[i].dso] |= st->places[i].is_inlined;
	}
	if (first < st->dso_count && st->dsos[first].kind != STACK_CUT)
		put_mapping(p, first, has_lines[first], has_inlined[first]);
	for (uint32_t i = 0; i < st->dso_count; i++)
		if (i != first && st->dsos[i].kind != STACK_CUT)
			put_mapping(p, i, has_lines[i], has_inlined[i]);
	free(has_lines);
	free(has_inlined);
}

/* Fills in the place's source line, "file.c:12"; the file's string is the result. */
static uint64_t
put_line(struct pprof *p, const struct stack_place *place, uint64_t function)
{
	const char *colon = strrchr(place->line, ':');
	char *file = mem_strndup(place->line, colon != NULL ? (size_t)(colon - place->line) : 0);
	uint64_t id = string(p, file);

	proto_add_number(&p->inner, LINE_FUNCTION, function);
	if (colon != NULL)
		proto_add_number(&p->inner, LINE_NUMBER, strtoull(colon + 1, NULL, 10));
	free(file);
	return id;
}

/* A function, for locations to refer to. */
static void
put_function(struct pprof *p, uint64_t id, const struct stack_place *place, uint64_t file)
{
	uint64_t name = string(p, place->name), raw = string(p, place->raw);

	proto_add_number(&p->message, FUNCTION_ID, id);
	proto_add_number(&p->message, FUNCTION_NAME, name);
	proto_add_number(&p->message, FUNCTION_RAW_NAME, raw);
	proto_add_number(&p->message, FUNCTION_FILE, file);
	put_message(p, PROFILE_FUNCTION);
}

/* Location and function have the same number. */
static void
put_location(struct pprof *p, uint64_t id, const struct stack_place *place, uint64_t mapping,
	     uint64_t address)
{
	uint64_t file;

	buf_reset(&p->inner);
	file = put_line(p, place, id);
	put_function(p, id, place, file);
	proto_add_number(&p->message, LOCATION_ID, id);
	proto_add_number(&p->message, LOCATION_MAPPING, mapping);
	proto_add_number(&p->message, LOCATION_ADDRESS, address);
	proto_add_bytes(&p->message, LOCATION_LINE, buf_str(&p->inner), p->inner.len);
	put_message(p, PROFILE_LOCATION);
}

static void
put_locations(struct pprof *p)
{
	const struct stacks *st = p->s->stacks;

	for (size_t i = 0; i < st->place_count; i++) {
		const struct stack_place *place = &st->places[i];
		const struct stack_dso *d = &st->dsos[place->dso];

		if (place->is_inlined) {
			put_function(p, i + 1, place, 0);
			continue;
		}
		put_location(p, i + 1, place, d->kind != STACK_CUT ? place->dso + 1 : 0,
			     d->start + (place->offset - d->pgoff));
	}
}

/* Lines from the innermost function out; the last is that of the location itself. */
static void
put_inlined_location(struct pprof *p, uint64_t id)
{
	const struct stacks *st = p->s->stacks;
	uint64_t first = stack_locations_first_inlined(&p->locations), at = id;
	const struct stack_place *place;
	const struct stack_dso *d;

	while (at >= first) {
		buf_reset(&p->inner);
		proto_add_number(&p->inner, LINE_FUNCTION, p->locations.inlined[at - first].place + 1);
		proto_add_bytes(&p->message, LOCATION_LINE, buf_str(&p->inner), p->inner.len);
		at = p->locations.inlined[at - first].outer;
	}
	place = &st->places[at - 1];
	d = &st->dsos[place->dso];
	buf_reset(&p->inner);
	put_line(p, place, at);
	proto_add_bytes(&p->message, LOCATION_LINE, buf_str(&p->inner), p->inner.len);
	proto_add_number(&p->message, LOCATION_ID, id);
	proto_add_number(&p->message, LOCATION_MAPPING, place->dso + 1);
	proto_add_number(&p->message, LOCATION_ADDRESS, d->start + (place->offset - d->pgoff));
	put_message(p, PROFILE_LOCATION);
}

static void
put_inlined_locations(struct pprof *p)
{
	for (size_t i = 0; i < p->locations.inlined_len; i++)
		put_inlined_location(p, stack_locations_first_inlined(&p->locations) + i);
}

/* Stacks that were folded into their thread have no places: one location for all. */
static void
put_folded_location(struct pprof *p)
{
	static const struct stack_place folded = { .name = "[folded]", .raw = "[folded]",
						   .line = "" };

	if (!p->has_folded)
		put_location(p, stack_locations_folded(&p->locations), &folded, 0, 0);
	p->has_folded = true;
}

static void
put_label(struct pprof *p, const char *key, const char *text, int number)
{
	if (text == NULL ? number < 0 : *text == '\0')
		return;
	buf_reset(&p->inner);
	proto_add_number(&p->inner, LABEL_KEY, string(p, key));
	if (text != NULL)
		proto_add_number(&p->inner, LABEL_TEXT, string(p, text));
	else
		proto_add_number(&p->inner, LABEL_NUMBER, (uint64_t)number);
	proto_add_bytes(&p->message, SAMPLE_LABEL, buf_str(&p->inner), p->inner.len);
}

static void
put_sample(struct pprof *p, uint32_t id)
{
	const struct stack_node *node = &p->s->stacks->nodes[id];
	size_t len;
	const struct stack_top *top = stack_locations_path(&p->locations, id, &len);
	uint64_t *own = &p->values[p->slots[top->event]];

	if (p->locations.path[0] == stack_locations_folded(&p->locations))
		put_folded_location(p);
	/* As pprof -diff_base has it: what is compared with counts less than nothing. */
	own[0] = node->is_then ? -node->samples : node->samples;
	own[1] = node->is_then ? -node->period : node->period;
	proto_add_numbers(&p->message, SAMPLE_LOCATIONS, p->locations.path, len);
	proto_add_numbers(&p->message, SAMPLE_VALUES, p->values, p->value_count);
	own[0] = own[1] = 0;
	put_label(p, "comm", top->comm, -1);
	put_label(p, "pid", NULL, top->pid);
	put_label(p, "tid", NULL, top->tid);
	put_label(p, "user", top->user, -1);
	put_label(p, "cgroup", top->cgroup, -1);
	put_label(p, "container", top->container, -1);
	put_label(p, "pod", top->pod, -1);
	if (node->is_then)
		put_label(p, "pprof::base", "true", -1);
	put_message(p, PROFILE_SAMPLE);
}

void
pprof_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct gzip *z = gzip_new(out);
	struct pprof p = { .out = gzip_sink(z), .s = s };

	(void)run;
	stack_locations_init(&p.locations, s->stacks);
	p.values = mem_calloc(2 * s->event_count + 1, sizeof(*p.values));
	p.slots = mem_calloc(s->event_count + 1, sizeof(*p.slots));
	/* The first string is the empty one. */
	proto_add_bytes(&p.out->buf, PROFILE_STRING, "", 0);
	put_head(&p);
	put_mappings(&p);
	put_locations(&p);
	put_inlined_locations(&p);
	for (uint32_t id = 1; id < s->stacks->node_count; id++)
		if (s->stacks->nodes[id].samples > 0)
			put_sample(&p, id);
	gzip_finish(z);
	free(p.values);
	free(p.slots);
	stack_locations_release(&p.locations);
	strs_release(&p.strings);
	buf_release(&p.message);
	buf_release(&p.inner);
	buf_release(&p.scratch);
}

#endif
