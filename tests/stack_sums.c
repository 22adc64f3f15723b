/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/stack_sums.h"
#include "tests/skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tests/asserts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <config.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

static struct sum *
find(const struct sums *s, const char *name)
{
	for (size_t i = 0; i < s->len; i++)
		if (strcmp(s->items[i].name, name) == 0)
			return &s->items[i];
	return NULL;
}

const struct sum *
sums_find(const struct sums *s, const char *name)
{
	return find(s, name);
}

static struct sum *
entry(struct sums *s, const char *name)
{
	struct sum *e = find(s, name);

	if (e != NULL)
		return e;
	s->items = realloc(s->items, (s->len + 1) * sizeof(*s->items));
	assert_non_null(s->items);
	s->items[s->len] = (struct sum){ strdup(name), 0, 0 };
	return &s->items[s->len++];
}

void
sums_release(struct sums *s)
{
	for (size_t i = 0; i < s->len; i++)
		free(s->items[i].name);
	free(s->items);
	*s = (struct sums){ 0 };
}

void
sums_add(struct sums *s, const char *const *names, size_t len, uint64_t count)
{
	s->all += count;
	s->stacks++;
	for (size_t i = 0; i < len; i++) {
		bool before = false;

		for (size_t j = 0; j < i; j++)
			before |= strcmp(names[j], names[i]) == 0;
		if (!before)
			entry(s, names[i])->total += count;
	}
	if (len > 0)
		entry(s, names[len - 1])->self += count;
}

enum { NAMES_MAX = 1024 };

void
sums_of_folded(struct sums *s, const char *text, const char *event, size_t skip)
{
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *names[NAMES_MAX];
		char *space = strrchr(line, ' '), *name;
		size_t n = 0;

		if (*line == '\0')
			continue;
		assert_non_null(space);
		*space = '\0';
		while ((name = strsep(&line, ";")) != NULL && n < NAMES_MAX)
			names[n++] = name;
		if (event != NULL && strcmp(names[0], event) != 0)
			continue;
		assert_that(n, >=, skip);
		sums_add(s, names + skip, n - skip, strtoull(space + 1, NULL, 10));
	}
	free(copy);
}

#ifdef HAVE_JANSSON

void
sums_of_table(struct sums *s, const char *text, const char *event, const char *column)
{
	json_t *report = json_loads(text, 0, NULL), *row;
	size_t i;

	assert_non_null(report);
	json_array_foreach(json_object_get(report, "rows"), i, row) {
		const char *of = json_string_value(json_object_get(row, "event"));
		uint64_t n = (uint64_t)json_integer_value(json_object_get(row, column));

		if (of != NULL && strcmp(of, event) != 0)
			continue;
		entry(s, json_string_value(json_object_get(row, "symbol")))->self += n;
		s->all += n;
	}
	json_decref(report);
}

void
sums_of_speedscope(struct sums *s, const char *text, const char *name)
{
	json_t *file = json_loads(text, 0, NULL), *profile, *stack, *frames;
	size_t i, j;

	assert_non_null(file);
	frames = json_object_get(json_object_get(file, "shared"), "frames");
	json_array_foreach(json_object_get(file, "profiles"), i, profile) {
		json_t *weights = json_object_get(profile, "weights");
		double sum = 0;

		if (strcmp(json_string_value(json_object_get(profile, "name")), name) != 0)
			continue;
		assert_int_equal(json_array_size(weights),
				 json_array_size(json_object_get(profile, "samples")));
		json_array_foreach(json_object_get(profile, "samples"), j, stack) {
			const char *names[NAMES_MAX];
			size_t n = json_array_size(stack);
			json_int_t weight = json_integer_value(json_array_get(weights, j));

			assert_that(n, >, 0);
			assert_that(n, <=, NAMES_MAX);
			for (size_t k = 0; k < n; k++) {
				json_int_t f = json_integer_value(json_array_get(stack, k));

				assert_that(f, >=, 0);
				assert_that((size_t)f, <, json_array_size(frames));
				names[k] = json_string_value(json_object_get(
					json_array_get(frames, (size_t)f), "name"));
			}
			sums_add(s, names + 1, n - 1, (uint64_t)weight);
			sum += (double)weight;
		}
		assert_true(json_number_value(json_object_get(profile, "startValue")) == 0);
		assert_that(json_number_value(json_object_get(profile, "endValue")), ==, sum);
	}
	json_decref(file);
}

#else

void
sums_of_table(struct sums *s, const char *text, const char *event, const char *column)
{
	(void)s;
	(void)text;
	(void)event;
	(void)column;
	skip_for("built without jansson, which reads it");
}

void
sums_of_speedscope(struct sums *s, const char *text, const char *name)
{
	(void)s;
	(void)text;
	(void)name;
	skip_for("built without jansson, which reads it");
}

#endif

/* ---- profile.proto */

#ifdef HAVE_ZLIB

struct field {
	unsigned number;
	uint64_t value;   /* of numbers */
	const uint8_t *data; /* of bytes; NULL: a number */
	size_t len;
};

static uint64_t
varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		assert_true(*at < end);
		value |= (uint64_t)(**at & 0x7f) << shift;
		if ((*(*at)++ & 0x80) == 0)
			return value;
	}
	fail_msg("a number has no end");
	return 0;
}

static bool
next_field(const uint8_t **at, const uint8_t *end, struct field *f)
{
	uint64_t tag;

	if (*at == end)
		return false;
	tag = varint(at, end);
	*f = (struct field){ .number = (unsigned)(tag >> 3) };
	if ((tag & 7) == 0) {
		f->value = varint(at, end);
		return true;
	}
	assert_true((tag & 7) == 2 || (tag & 7) == 1);
	f->len = (tag & 7) == 1 ? 8 : varint(at, end);
	assert_that(f->len, <=, (size_t)(end - *at));
	f->data = *at;
	*at += f->len;
	return true;
}

/* The field of a message that is there once, or not at all. */
static uint64_t
number_of(struct field message, unsigned number)
{
	const uint8_t *at = message.data, *end = at + message.len;
	struct field f;
	uint64_t value = 0;

	while (next_field(&at, end, &f))
		if (f.number == number)
			value = f.value;
	return value;
}

struct proto {
	uint8_t *data;
	size_t len;
	char **strings;
	size_t string_count;
	struct field *locations, *functions; /* by id */
	size_t location_cap, function_cap;
};

static void
unpack(struct proto *p, const void *data, size_t len)
{
	size_t cap = 256 << 20;
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)len };

	p->data = malloc(cap);
	assert_non_null(p->data);
	z.next_out = p->data;
	z.avail_out = (uInt)cap;
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	p->len = cap - z.avail_out;
	inflateEnd(&z);
}

static void
keep(struct field **items, size_t *cap, struct field f)
{
	size_t id = number_of(f, 1);

	assert_that(id, >, 0);
	assert_that(id, <, 1 << 24);
	if (id >= *cap) {
		*items = realloc(*items, (id + 1) * 2 * sizeof(**items));
		assert_non_null(*items);
		memset(*items + *cap, 0, ((id + 1) * 2 - *cap) * sizeof(**items));
		*cap = (id + 1) * 2;
	}
	assert_null((*items)[id].data); /* ids are unique */
	(*items)[id] = f;
}

static void
proto_open(struct proto *p, const void *data, size_t len)
{
	const uint8_t *at, *end;
	size_t string_cap = 0;
	struct field f;

	*p = (struct proto){ 0 };
	unpack(p, data, len);
	at = p->data;
	end = at + p->len;
	while (next_field(&at, end, &f)) {
		if (f.number == 4)
			keep(&p->locations, &p->location_cap, f);
		if (f.number == 5)
			keep(&p->functions, &p->function_cap, f);
		if (f.number != 6)
			continue;
		if (p->string_count == string_cap) {
			string_cap = string_cap * 2 + 64;
			p->strings = realloc(p->strings, string_cap * sizeof(*p->strings));
			assert_non_null(p->strings);
		}
		assert_null(memchr(f.data, '\0', f.len));
		p->strings[p->string_count++] = strndup((const char *)f.data, f.len);
	}
	assert_that(p->string_count, >, 0);
	assert_string_equal(p->strings[0], "");
}

static void
proto_close(struct proto *p)
{
	for (size_t i = 0; i < p->string_count; i++)
		free(p->strings[i]);
	free(p->strings);
	free(p->locations);
	free(p->functions);
	free(p->data);
}

static const char *
text_of(const struct proto *p, struct field message, unsigned number)
{
	uint64_t id = number_of(message, number);

	assert_that(id, <, p->string_count);
	return p->strings[id];
}

/* The functions of its lines, innermost first, go before the @n that are at the end of @names. */
static size_t
add_lines(const struct proto *p, uint64_t location, const char *names[NAMES_MAX], size_t n)
{
	const uint8_t *at, *end;
	size_t before = n;
	struct field f;

	assert_that(location, <, p->location_cap);
	assert_true(p->locations[location].data != NULL);
	at = p->locations[location].data;
	end = at + p->locations[location].len;
	while (next_field(&at, end, &f)) {
		uint64_t id = f.number == 4 ? number_of(f, 1) : 0;

		if (f.number != 4)
			continue;
		assert_that(id, <, p->function_cap);
		assert_true(p->functions[id].data != NULL);
		assert_that(n, <, NAMES_MAX);
		names[NAMES_MAX - ++n] = text_of(p, p->functions[id], 2);
	}
	assert_that(n, >, before);
	return n;
}

static void
add_sample(const struct proto *p, struct sums *s, struct field sample, size_t type, size_t types)
{
	const uint8_t *at = sample.data, *end = at + sample.len;
	const char *names[NAMES_MAX];
	size_t n = 0, values = 0;
	uint64_t count = 0;
	struct field f;

	while (next_field(&at, end, &f)) {
		const uint8_t *in = f.data;

		/* Innermost first: filled in from the end. */
		while (f.number == 1 && in < f.data + f.len)
			n = add_lines(p, varint(&in, f.data + f.len), names, n);
		for (; f.number == 2 && in < f.data + f.len; values++) {
			uint64_t value = varint(&in, f.data + f.len);

			count = values == type ? value : count;
		}
	}
	assert_int_equal(values, types); /* a value of each */
	if (count > 0)
		sums_add(s, names + NAMES_MAX - n, n, count);
}

void
sums_of_pprof(struct sums *s, const void *data, size_t len, const char *type)
{
	size_t wanted = SIZE_MAX, n = 0;
	const uint8_t *at, *end;
	struct proto p;
	struct field f;

	proto_open(&p, data, len);
	at = p.data;
	end = at + p.len;
	while (next_field(&at, end, &f))
		if (f.number == 1 && strcmp(text_of(&p, f, 1), type) == 0)
			wanted = n++;
		else if (f.number == 1)
			n++;
	assert_true(wanted != SIZE_MAX);
	at = p.data;
	while (next_field(&at, end, &f))
		if (f.number == 2)
			add_sample(&p, s, f, wanted, n);
	proto_close(&p);
}

static void
put_labels(const struct proto *p, FILE *out, struct field sample)
{
	const uint8_t *at = sample.data, *end = at + sample.len;
	struct field f;

	while (next_field(&at, end, &f)) {
		if (f.number != 3)
			continue;
		if (number_of(f, 2) != 0)
			fprintf(out, "label %s %s\n", text_of(p, f, 1), text_of(p, f, 2));
		else
			fprintf(out, "label %s %llu\n", text_of(p, f, 1),
				(unsigned long long)number_of(f, 3));
	}
}

/* A packed list of ids of strings. */
static void
put_comments(const struct proto *p, FILE *out, struct field f)
{
	const uint8_t *at = f.data, *end = at + f.len;

	while (at < end) {
		uint64_t id = varint(&at, end);

		assert_true(id < p->string_count);
		fprintf(out, "comment %s\n", p->strings[id]);
	}
}

void
pprof_facts_of(struct pprof_facts *facts, const void *data, size_t len)
{
	const uint8_t *at, *end;
	struct proto p;
	struct field f;
	size_t size;
	FILE *out = open_memstream(&facts->text, &size);

	assert_non_null(out);
	proto_open(&p, data, len);
	at = p.data;
	end = at + p.len;
	while (next_field(&at, end, &f)) {
		if (f.number == 1 || f.number == 11)
			fprintf(out, "%s %s %s\n", f.number == 1 ? "type" : "period-type",
				text_of(&p, f, 1), text_of(&p, f, 2));
		if (f.number == 2)
			put_labels(&p, out, f);
		if (f.number == 3)
			fprintf(out, "mapping %s %s %llx %llx %llx\n", text_of(&p, f, 5),
				text_of(&p, f, 6), (unsigned long long)number_of(f, 2),
				(unsigned long long)number_of(f, 3),
				(unsigned long long)number_of(f, 4));
		if (f.number == 3 && number_of(f, 7) != 0)
			fprintf(out, "functions in %s\n", text_of(&p, f, 5));
		if (f.number == 3 && number_of(f, 9) != 0)
			fprintf(out, "lines in %s\n", text_of(&p, f, 5));
		if (f.number == 13)
			put_comments(&p, out, f);
		if (f.number == 4)
			fprintf(out, "location %llx in %llu\n",
				(unsigned long long)number_of(f, 3),
				(unsigned long long)number_of(f, 2));
		if (f.number == 5)
			fprintf(out, "function %s raw %s\n", text_of(&p, f, 2),
				text_of(&p, f, 3));
		if (f.number == 9 || f.number == 10 || f.number == 12)
			fprintf(out, "%s %llu\n", f.number == 9 ? "time" :
				f.number == 10 ? "duration" : "period",
				(unsigned long long)f.value);
	}
	fclose(out);
	proto_close(&p);
}

/* ---- OTLP */

enum { OTLP_TABLES = 8, OTLP_MAPPINGS = 1, OTLP_LOCATIONS, OTLP_FUNCTIONS, OTLP_LINKS, OTLP_STRINGS,
       OTLP_ATTRIBUTES, OTLP_STACKS };

struct otlp_table {
	struct field *rows;
	size_t len;
};

struct otlp {
	struct otlp_table tables[OTLP_TABLES]; /* by their number in the dictionary */
	FILE *facts;
};

static void
otlp_read_dictionary(struct otlp *o, struct field dictionary)
{
	const uint8_t *at = dictionary.data, *end = at + dictionary.len;
	struct field f;

	while (next_field(&at, end, &f)) {
		struct otlp_table *t = &o->tables[f.number];

		assert_that(f.number, <, OTLP_TABLES);
		if (t->len % 1024 == 0)
			t->rows = realloc(t->rows, (t->len + 1024) * sizeof(*t->rows));
		assert_non_null(t->rows);
		t->rows[t->len++] = f;
	}
	/* Number 0 stands for nothing. */
	for (size_t i = OTLP_MAPPINGS; i < OTLP_TABLES; i++) {
		assert_that(o->tables[i].len, >, 0);
		assert_int_equal(o->tables[i].rows[0].len, 0);
	}
}

static struct field
otlp_row(const struct otlp *o, unsigned table, uint64_t n)
{
	assert_that(n, <, o->tables[table].len);
	return o->tables[table].rows[n];
}

static void
otlp_put_value(const struct otlp *o, struct field value)
{
	const uint8_t *at = value.data, *end = at + value.len;
	struct field f;

	assert_true(next_field(&at, end, &f));
	if (f.number == 1)
		fprintf(o->facts, " %.*s\n", (int)f.len, (const char *)f.data);
	else
		fprintf(o->facts, " %llu\n", (unsigned long long)f.value);
}

static void
otlp_put_attribute(const struct otlp *o, struct field attribute, bool is_row)
{
	const uint8_t *at = attribute.data, *end = at + attribute.len;
	struct field f;

	while (next_field(&at, end, &f)) {
		struct field key = f.number == 1 && is_row ? otlp_row(o, OTLP_STRINGS, f.value) : f;

		if (f.number == 1)
			fprintf(o->facts, "%.*s", (int)key.len, (const char *)key.data);
		else
			otlp_put_value(o, f);
	}
}

/* Innermost first: filled in from the end. */
static size_t
otlp_add_lines(const struct otlp *o, struct field location, char *names[NAMES_MAX], size_t n)
{
	const uint8_t *at = location.data, *end = at + location.len;
	struct field f;

	otlp_row(o, OTLP_MAPPINGS, number_of(location, 1));
	while (next_field(&at, end, &f)) {
		struct field name;

		if (f.number != 3)
			continue;
		assert_that(n, <, NAMES_MAX);
		name = otlp_row(o, OTLP_STRINGS,
				number_of(otlp_row(o, OTLP_FUNCTIONS, number_of(f, 1)), 1));
		if (number_of(f, 2) != 0)
			fprintf(o->facts, "line %.*s %llu\n", (int)name.len, (const char *)name.data,
				(unsigned long long)number_of(f, 2));
		names[NAMES_MAX - ++n] = strndup((const char *)name.data, name.len);
	}
	return n;
}

static void
otlp_add_sample(const struct otlp *o, struct sums *s, struct field sample)
{
	const uint8_t *at = sample.data, *end = at + sample.len, *in;
	struct field f, stack = { 0 };
	char *names[NAMES_MAX];
	uint64_t value = 0;
	size_t n = 0;

	while (next_field(&at, end, &f)) {
		in = f.data;
		if (f.number == 1)
			stack = otlp_row(o, OTLP_STACKS, f.value);
		while (f.number == 2 && in < f.data + f.len)
			otlp_put_attribute(o, otlp_row(o, OTLP_ATTRIBUTES, varint(&in, f.data + f.len)), true);
		if (f.number == 4)
			value = varint(&in, f.data + f.len);
	}
	at = stack.data;
	assert_true(next_field(&at, stack.data + stack.len, &f));
	for (in = f.data; in < f.data + f.len;)
		n = otlp_add_lines(o, otlp_row(o, OTLP_LOCATIONS, varint(&in, f.data + f.len)), names, n);
	assert_that(n, >, 0);
	sums_add(s, (const char *const *)(names + NAMES_MAX - n), n, value);
	while (n > 0)
		free(names[NAMES_MAX - n--]);
}

static void
otlp_read_profile(const struct otlp *o, struct sums *s, struct field profile, const char *type)
{
	const uint8_t *at = profile.data, *end = at + profile.len;
	struct field f, name = { 0 }, unit = { 0 };

	while (next_field(&at, end, &f))
		if (f.number == 1) {
			name = otlp_row(o, OTLP_STRINGS, number_of(f, 1));
			unit = otlp_row(o, OTLP_STRINGS, number_of(f, 2));
		}
	if (name.len != strlen(type) || memcmp(name.data, type, name.len) != 0)
		return;
	fprintf(o->facts, "unit %.*s\n", (int)unit.len, (const char *)unit.data);
	at = profile.data;
	while (next_field(&at, end, &f)) {
		if (f.number == 2)
			otlp_add_sample(o, s, f);
		if (f.number == 7)
			assert_int_equal(f.len, 16);
	}
}

static void
otlp_read_scope(const struct otlp *o, struct sums *s, struct field scope, const char *type)
{
	const uint8_t *at = scope.data, *end = at + scope.len;
	struct field f;

	while (next_field(&at, end, &f))
		if (f.number == 2)
			otlp_read_profile(o, s, f, type);
}

static void
otlp_read_resource(const struct otlp *o, struct sums *s, struct field resource, const char *type)
{
	const uint8_t *at = resource.data, *end = at + resource.len;
	struct field f, attribute;

	while (next_field(&at, end, &f)) {
		const uint8_t *in = f.data;

		while (f.number == 1 && next_field(&in, f.data + f.len, &attribute))
			otlp_put_attribute(o, attribute, false);
		if (f.number == 2)
			otlp_read_scope(o, s, f, type);
	}
}

char *
sums_of_otlp(struct sums *s, const void *data, size_t len, const char *type)
{
	struct otlp o = { .facts = NULL };
	struct proto p = { 0 };
	char *text = NULL;
	const uint8_t *at;
	struct field f;
	size_t size;

	unpack(&p, data, len);
	o.facts = open_memstream(&text, &size);
	assert_non_null(o.facts);
	for (at = p.data; next_field(&at, p.data + p.len, &f);)
		if (f.number == 2)
			otlp_read_dictionary(&o, f);
	for (at = p.data; next_field(&at, p.data + p.len, &f);)
		if (f.number == 1)
			otlp_read_resource(&o, s, f, type);
	fprintf(o.facts, "stacks %zu\n", o.tables[OTLP_STACKS].len - 1);
	fclose(o.facts);
	for (size_t i = 0; i < OTLP_TABLES; i++)
		free(o.tables[i].rows);
	free(p.data);
	return text;
}

#else

void
sums_of_pprof(struct sums *s, const void *data, size_t len, const char *type)
{
	(void)s;
	(void)data;
	(void)len;
	(void)type;
	skip_for("built without zlib, which reads it");
}

void
pprof_facts_of(struct pprof_facts *facts, const void *data, size_t len)
{
	(void)facts;
	(void)data;
	(void)len;
	skip_for("built without zlib, which reads it");
}

char *
sums_of_otlp(struct sums *s, const void *data, size_t len, const char *type)
{
	(void)s;
	(void)data;
	(void)len;
	(void)type;
	skip_for("built without zlib");
	return NULL;
}

#endif

void
pprof_facts_release(struct pprof_facts *f)
{
	free(f->text);
	f->text = NULL;
}
