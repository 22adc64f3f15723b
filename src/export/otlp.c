/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that all profiles of a request share, and a profile for each event.  Number 0 of each table
 * stands for nothing.
 */
#include <config.h>

#include "export/formats.h"

#ifdef HAVE_ZLIB

#include "base/clock.h"
#include "base/index.h"
#include "base/strs.h"
#include "base/text.h"
#include "export/proto.h"
#include "export/sink.h"
#include "export/stack_locations.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of the fields, as opentelemetry-proto 1.10 has them. */
enum {
	REQUEST_RESOURCE_PROFILES = 1, REQUEST_DICTIONARY = 2,
	RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES = 2,
	RESOURCE_ATTRIBUTES = 1,
	SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES = 2,
	SCOPE_NAME = 1, SCOPE_VERSION = 2,
	DICTIONARY_MAPPINGS = 1, DICTIONARY_LOCATIONS = 2, DICTIONARY_FUNCTIONS = 3, DICTIONARY_LINKS = 4,
	DICTIONARY_STRINGS = 5, DICTIONARY_ATTRIBUTES = 6, DICTIONARY_STACKS = 7,
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLES = 2, PROFILE_TIME_NS = 3, PROFILE_DURATION_NS = 4,
	PROFILE_PERIOD_TYPE = 5, PROFILE_PERIOD = 6, PROFILE_ID = 7,
	TYPE_NAME = 1, TYPE_UNIT = 2,
	SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES = 2, SAMPLE_VALUES = 4,
	MAPPING_START = 1, MAPPING_END = 2, MAPPING_OFFSET = 3, MAPPING_FILE = 4, MAPPING_ATTRIBUTES = 5,
	LOCATION_MAPPING = 1, LOCATION_ADDRESS = 2, LOCATION_LINES = 3,
	LINE_FUNCTION = 1, LINE_NUMBER = 2,
	FUNCTION_NAME = 1, FUNCTION_RAW_NAME = 2, FUNCTION_FILE = 3,
	STACK_LOCATIONS = 1,
	TABLE_KEY = 1, TABLE_VALUE = 2, /* of an attribute in the dictionary, */
	ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2, /* and of others */
	VALUE_TEXT = 1, VALUE_NUMBER = 3,
	PROFILE_ID_BYTES = 16,
};

/* Of the dictionary's: its locations are @paths[at] and those that follow. */
struct stack_row {
	size_t at, len;
};

struct otlp {
	const struct snapshot *s;
	struct strs strings;    /* of the dictionary, made safe; their ids are its numbers */
	struct strs attributes; /* "KEY=VALUE", the same */
	struct buf dictionary, profiles;
	struct buf profile, message, inner, scratch, pair;
	struct stack_locations locations;
	uint64_t *top_attributes; /* of the sample that is written */
	size_t top_len, top_cap;
	struct stack_row *stacks; /* numbered from 1 */
	size_t stack_len, stack_cap;
	uint64_t *paths;
	size_t path_len, path_cap;
	struct index stack_index;
};

static uint64_t
string(struct otlp *p, const char *text)
{
	return proto_add_string(&p->dictionary, DICTIONARY_STRINGS, &p->strings, &p->scratch, text);
}

/* The message becomes a field of @to. */
static void
put_message(struct otlp *p, struct buf *to, unsigned field)
{
	proto_add_bytes(to, field, buf_str(&p->message), p->message.len);
	buf_reset(&p->message);
}

static void
put_row(struct otlp *p, unsigned table)
{
	put_message(p, &p->dictionary, table);
}

static void
put_type(struct otlp *p, unsigned field, const struct snapshot_event *e)
{
	proto_add_number(&p->message, TYPE_NAME, string(p, e->name));
	proto_add_number(&p->message, TYPE_UNIT, string(p, report_event_unit(e)));
	put_message(p, &p->profile, field);
}

/* @text NULL: a number.  0: there is no such attribute. */
static uint64_t
attribute(struct otlp *p, const char *key, const char *text, int number)
{
	size_t before = p->attributes.len;
	uint32_t id;

	if (text == NULL ? number < 0 : *text == '\0')
		return 0;
	buf_reset(&p->pair);
	buf_addf(&p->pair, "%s=", key);
	if (text != NULL)
		text_add_safe(&p->pair, text, strlen(text));
	else
		buf_addf(&p->pair, "%d", number);
	id = strs_add(&p->attributes, p->pair.data, p->pair.len);
	if (p->attributes.len == before)
		return id;
	buf_reset(&p->inner);
	if (text != NULL)
		proto_add_bytes(&p->inner, VALUE_TEXT, p->pair.data + strlen(key) + 1,
				p->pair.len - strlen(key) - 1);
	else
		proto_add_choice(&p->inner, VALUE_NUMBER, (uint64_t)number);
	proto_add_number(&p->message, TABLE_KEY, string(p, key));
	proto_add_bytes(&p->message, TABLE_VALUE, p->inner.data, p->inner.len);
	put_row(p, DICTIONARY_ATTRIBUTES);
	return id;
}

static void
add_attribute(struct otlp *p, uint64_t id)
{
	if (id != 0)
		VEC_ADD(p->top_attributes, p->top_len, p->top_cap) = id;
}

/* Where there is a conventional name, that. */
static void
find_attributes(struct otlp *p, const struct stack_top *t)
{
	p->top_len = 0;
	add_attribute(p, attribute(p, "thread.name", t->comm, -1));
	add_attribute(p, attribute(p, "process.pid", NULL, t->pid));
	add_attribute(p, attribute(p, "thread.id", NULL, t->tid));
	add_attribute(p, attribute(p, "process.owner", t->user != NULL ? t->user : "", -1));
	add_attribute(p, attribute(p, "cgroup", t->cgroup != NULL ? t->cgroup : "", -1));
	add_attribute(p, attribute(p, "container.name", t->container != NULL ? t->container : "", -1));
	add_attribute(p, attribute(p, "k8s.pod.name", t->pod != NULL ? t->pod : "", -1));
}

static void
put_mapping(struct otlp *p, const struct stack_dso *d)
{
	uint64_t id = attribute(p, "process.executable.build_id.gnu", d->build_id, -1);

	proto_add_number(&p->message, MAPPING_START, d->start);
	proto_add_number(&p->message, MAPPING_END, d->end);
	proto_add_number(&p->message, MAPPING_OFFSET, d->pgoff);
	proto_add_number(&p->message, MAPPING_FILE, string(p, *d->path != '\0' ? d->path : d->name));
	if (id != 0)
		proto_add_numbers(&p->message, MAPPING_ATTRIBUTES, &id, 1);
	put_row(p, DICTIONARY_MAPPINGS);
}

/* A source line is "file.c:12". */
static const char *
colon_of(const struct stack_place *place)
{
	return strrchr(place->line, ':');
}

static void
put_function(struct otlp *p, const struct stack_place *place)
{
	const char *colon = colon_of(place);
	char *file = mem_strndup(place->line, colon != NULL ? (size_t)(colon - place->line) : 0);

	proto_add_number(&p->message, FUNCTION_NAME, string(p, place->name));
	proto_add_number(&p->message, FUNCTION_RAW_NAME, string(p, place->raw));
	proto_add_number(&p->message, FUNCTION_FILE, string(p, file));
	put_row(p, DICTIONARY_FUNCTIONS);
	free(file);
}

/* Functions have the numbers of their places. */
static void
add_line(struct otlp *p, uint64_t function, const char *colon)
{
	buf_reset(&p->inner);
	proto_add_number(&p->inner, LINE_FUNCTION, function);
	if (colon != NULL)
		proto_add_number(&p->inner, LINE_NUMBER, strtoull(colon + 1, NULL, 10));
	proto_add_bytes(&p->message, LOCATION_LINES, buf_str(&p->inner), p->inner.len);
}

static void
put_location(struct otlp *p, uint64_t id)
{
	const struct stacks *st = p->s->stacks;
	const struct stack_place *place = &st->places[id - 1];
	const struct stack_dso *d = &st->dsos[place->dso];

	if (d->kind != STACK_CUT)
		proto_add_number(&p->message, LOCATION_MAPPING, place->dso + 1);
	proto_add_number(&p->message, LOCATION_ADDRESS, d->start + (place->offset - d->pgoff));
	add_line(p, id, colon_of(place));
	put_row(p, DICTIONARY_LOCATIONS);
}

/* Lines from the innermost function out; the last is that of the location itself. */
static void
put_inlined_location(struct otlp *p, uint64_t id)
{
	uint64_t first = stack_locations_first_inlined(&p->locations);

	for (; id >= first; id = p->locations.inlined[id - first].outer)
		add_line(p, p->locations.inlined[id - first].place + 1, NULL);
	put_location(p, id);
}

/* Each table begins with a row of nothing, and has a row for each number that there is. */
static void
put_tables(struct otlp *p)
{
	static const struct stack_place folded = { .name = "[folded]", .raw = "[folded]", .line = "" };
	const struct stacks *st = p->s->stacks;

	for (unsigned table = DICTIONARY_MAPPINGS; table <= DICTIONARY_STACKS; table++)
		put_row(p, table);
	for (uint32_t i = 0; i < st->dso_count; i++)
		put_mapping(p, &st->dsos[i]);
	for (size_t i = 0; i < st->place_count; i++) {
		put_function(p, &st->places[i]);
		put_location(p, i + 1);
	}
	put_function(p, &folded);
	add_line(p, stack_locations_folded(&p->locations), NULL);
	put_row(p, DICTIONARY_LOCATIONS);
	for (size_t i = 0; i < p->locations.inlined_len; i++)
		put_inlined_location(p, stack_locations_first_inlined(&p->locations) + i);
}

/* Threads have many in common: the number of the one in locations.path. */
static uint64_t
stack(struct otlp *p, size_t len)
{
	const size_t bytes = len * sizeof(*p->paths);
	uint64_t hash = hash_bytes(p->locations.path, bytes);
	uint32_t n, pos;

	for (n = index_first(&p->stack_index, hash, &pos); n != 0;
	     n = index_next(&p->stack_index, hash, &pos))
		if (p->stacks[n - 1].len == len &&
		    memcmp(p->paths + p->stacks[n - 1].at, p->locations.path, bytes) == 0)
			return n;
	vec_reserve(&p->paths, &p->path_cap, p->path_len + len, sizeof(*p->paths));
	memcpy(p->paths + p->path_len, p->locations.path, bytes);
	VEC_ADD(p->stacks, p->stack_len, p->stack_cap) = (struct stack_row){ p->path_len, len };
	p->path_len += len;
	index_add(&p->stack_index, hash, (uint32_t)p->stack_len);
	proto_add_numbers(&p->message, STACK_LOCATIONS, p->locations.path, len);
	put_row(p, DICTIONARY_STACKS);
	return p->stack_len;
}

static void
put_sample(struct otlp *p, uint32_t node)
{
	size_t len;
	const struct stack_top *top = stack_locations_path(&p->locations, node, &len);
	uint64_t period = p->s->stacks->nodes[node].period, number = stack(p, len);

	find_attributes(p, top);
	proto_add_number(&p->message, SAMPLE_STACK, number);
	proto_add_numbers(&p->message, SAMPLE_ATTRIBUTES, p->top_attributes, p->top_len);
	proto_add_numbers(&p->message, SAMPLE_VALUES, &period, 1);
	put_message(p, &p->profile, PROFILE_SAMPLES);
}

static uint32_t
event_of(const struct stacks *st, uint32_t node)
{
	while (st->nodes[node].parent != 0)
		node = st->nodes[node].parent;
	return st->tops[st->nodes[node].item].event;
}

/* One that no other profile has. */
static void
put_id(struct otlp *p, uint32_t event)
{
	uint64_t id[PROFILE_ID_BYTES / sizeof(uint64_t)];

	id[0] = hash_mix(clock_real_ns(), event) | 1;
	id[1] = hash_mix(id[0], hash_bytes(p->s->head.host != NULL ? p->s->head.host : "",
					   p->s->head.host != NULL ? strlen(p->s->head.host) : 0));
	proto_add_bytes(&p->profile, PROFILE_ID, id, sizeof(id));
}

static void
put_profile(struct otlp *p, uint32_t event)
{
	const struct snapshot_event *e = &p->s->events[event];
	const struct stacks *st = p->s->stacks;
	uint64_t window = report_window_ns(p->s), end = report_end_ns(p->s);
	bool has_samples = false;

	buf_reset(&p->profile);
	for (uint32_t id = 1; id < st->node_count; id++) {
		if (st->nodes[id].samples == 0 || event_of(st, id) != event)
			continue;
		put_sample(p, id);
		has_samples = true;
	}
	if (!has_samples)
		return;
	put_type(p, PROFILE_SAMPLE_TYPE, e);
	put_type(p, PROFILE_PERIOD_TYPE, e);
	/* One that varies has none, but Pyroscope takes no profile without. */
	proto_add_number(&p->profile, PROFILE_PERIOD, MAX(report_event_period(p->s, e), 1u));
	proto_add_fixed64(&p->profile, PROFILE_TIME_NS, end - MIN(window, end));
	proto_add_number(&p->profile, PROFILE_DURATION_NS, window);
	put_id(p, event);
	proto_add_bytes(&p->profiles, SCOPE_PROFILES_PROFILES, p->profile.data, p->profile.len);
}

static void
put_resource_attribute(struct otlp *p, const char *key, const char *value)
{
	struct buf pair = { 0 };

	if (value == NULL || *value == '\0')
		return;
	buf_reset(&p->scratch);
	text_add_safe(&p->scratch, value, strlen(value));
	buf_reset(&p->inner);
	proto_add_bytes(&p->inner, VALUE_TEXT, p->scratch.data, p->scratch.len);
	proto_add_bytes(&pair, ATTRIBUTE_KEY, key, strlen(key));
	proto_add_bytes(&pair, ATTRIBUTE_VALUE, p->inner.data, p->inner.len);
	proto_add_bytes(&p->message, RESOURCE_ATTRIBUTES, pair.data, pair.len);
	buf_release(&pair);
}

/* What the profiles are of, and then they. */
static void
put_request(struct otlp *p, struct sink *out)
{
	struct buf scopes = { 0 }, resource = { 0 };

	put_resource_attribute(p, "service.name", "ptop");
	put_resource_attribute(p, "host.name", p->s->head.host);
	put_message(p, &resource, RESOURCE_PROFILES_RESOURCE);
	proto_add_bytes(&p->message, SCOPE_NAME, "ptop", strlen("ptop"));
	proto_add_bytes(&p->message, SCOPE_VERSION, PACKAGE_VERSION, strlen(PACKAGE_VERSION));
	put_message(p, &scopes, SCOPE_PROFILES_SCOPE);
	if (p->profiles.len > 0)
		buf_add(&scopes, p->profiles.data, p->profiles.len);
	proto_add_bytes(&resource, RESOURCE_PROFILES_SCOPES, scopes.data, scopes.len);
	proto_add_bytes(&out->buf, REQUEST_RESOURCE_PROFILES, resource.data, resource.len);
	sink_flow(out);
	proto_add_bytes(&out->buf, REQUEST_DICTIONARY, p->dictionary.data, p->dictionary.len);
	sink_flow(out);
	buf_release(&scopes);
	buf_release(&resource);
}

void
otlp_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct gzip *z = gzip_new(out);
	struct otlp p = { .s = s };
	struct buf *const bufs[] = { &p.dictionary, &p.profiles, &p.profile, &p.message,
				     &p.inner, &p.scratch, &p.pair };

	(void)run;
	stack_locations_init(&p.locations, s->stacks);
	put_tables(&p);
	for (uint32_t i = 0; i < s->event_count; i++)
		put_profile(&p, i);
	put_request(&p, gzip_sink(z));
	gzip_finish(z);
	stack_locations_release(&p.locations);
	free(p.top_attributes);
	free(p.stacks);
	free(p.paths);
	index_release(&p.stack_index);
	strs_release(&p.strings);
	strs_release(&p.attributes);
	for (size_t i = 0; i < ARRAY_SIZE(bufs); i++)
		buf_release(bufs[i]);
}

#endif
