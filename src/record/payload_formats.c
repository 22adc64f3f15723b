/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/payload_formats.h"

#include <stdlib.h>

enum {
	FORMATS_MAX = 65536,
	NAME_LEN_MAX = 127, /* of a tracepoint */
	FIELDS_MAX = 256,   /* of one tracepoint; the kernel's have some thirty at most */
	CALLED_MAX = 4096,  /* names of devices, interrupts and the like */
};

/* The number behind "\tname:" in a line, 0: there is none. */
static uint32_t
number_of(const char *line, const char *name)
{
	const char *end = line + strcspn(line, "\n"), *at = strstr(line, name);

	return at != NULL && at < end ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : 0;
}

static bool
has_word(const char *type, size_t len, const char *word)
{
	const char *at = memmem(type, len, word, strlen(word));

	return at != NULL;
}

/* By its type, "char name[16]" or "__data_loc unsigned long[] name". */
static void
set_type(struct field *f, const char *type, size_t len, const char *brackets)
{
	bool is_array = brackets != NULL;
	uint32_t count = is_array ? (uint32_t)strtoul(brackets + 1, NULL, 10) : 0;

	f->is_relative = has_word(type, len, "__rel_loc");
	f->is_located = f->is_relative || has_word(type, len, "__data_loc");
	if (is_array && has_word(type, len, "char") && !has_word(type, len, "unsigned char"))
		f->kind = FIELD_TEXT;
	else if (is_array)
		f->kind = FIELD_NUMBERS;
	else if (memchr(type, '*', len) != NULL)
		f->kind = FIELD_ADDRESS;
	/* Of located content only the type tells how long an element is. */
	f->element_size = f->is_located ? 1 : f->size;
	if (!f->is_located && count > 1 && f->size % count == 0)
		f->element_size = f->size / count;
	for (size_t i = 0; f->is_located && i < 3; i++) {
		static const char *const words[] = { "short", "int", "long" };

		if (has_word(type, len, words[i]))
			f->element_size = 2u << i;
	}
}

/* Parses a line behind "\tfield:"; false: it makes no sense. */
static bool
parse_field(const char *line, struct field *f)
{
	size_t len = strcspn(line, ";\n"), end = len, begin;
	const char *bracket = memchr(line, '[', len);

	/* The name is the last word, in front of "[16]" if the array is of a fixed length. */
	if (bracket != NULL && memchr(bracket, ' ', len - (size_t)(bracket - line)) == NULL)
		end = (size_t)(bracket - line);
	for (begin = end; begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '*';)
		begin--;
	if (line[len] != ';' || begin == end || begin == 0)
		return false;
	*f = (struct field){
		.offset = number_of(line, "\toffset:"), .size = number_of(line, "\tsize:"),
		.is_signed = number_of(line, "\tsigned:") != 0,
	};
	set_type(f, line, begin, bracket);
	f->name = mem_strndup(line + begin, end - begin);
	return true;
}

/* "name: sched_switch", the first line. */
static char *
parse_name(const char *system, const char *text)
{
	static const char key[] = "name: ";
	const char *name = text + strlen(key);
	struct buf b = { 0 };

	if (strncmp(text, key, strlen(key)) != 0 || *name == '\n' || *system == '\0')
		return NULL;
	buf_addf(&b, "%s:%.*s", system, (int)MIN(strcspn(name, "\n"), NAME_LEN_MAX), name);
	return b.data;
}

/* What is printed of it, to the end of the line. */
static char *
parse_print(const char *text)
{
	static const char key[] = "\nprint fmt: ";
	const char *at = strstr(text, key);

	return at != NULL ? mem_strndup(at + strlen(key), strcspn(at + strlen(key), "\n"))
			  : mem_strdup("");
}

static void
parse_format(struct payload_formats *p, const char *system, const char *text)
{
	static const char id[] = "\nID: ", key[] = "\tfield:", common[] = "common_";
	const char *at = strstr(text, id);
	struct field fields[FIELDS_MAX];
	struct format *f;
	size_t n = 0;

	if (at == NULL || p->len == FORMATS_MAX)
		return;
	vec_reserve(&p->items, &p->cap, p->len + 1, sizeof(*p->items));
	f = &p->items[p->len++];
	*f = (struct format){ .id = strtoull(at + strlen(id), NULL, 10),
			      .name = parse_name(system, text),
			      .print = parse_print(text) };
	while (n < FIELDS_MAX && (at = strstr(at, key)) != NULL) {
		at += strlen(key);
		if (!parse_field(at, &fields[n]))
			continue;
		if (strncmp(fields[n].name, common, strlen(common)) == 0)
			free(fields[n].name);
		else
			n++;
	}
	f->fields = mem_calloc(n + 1, sizeof(*fields));
	memcpy(f->fields, fields, n * sizeof(*fields));
	f->field_count = n;
}

/* Its length is in front. */
static struct bytes
take_part(struct reader *r)
{
	uint64_t len = reader_u64(r);

	if (len > reader_left(r)) {
		reader_fail(r);
		return (struct bytes){ 0 };
	}
	return (struct bytes){ reader_bytes(r, (size_t)len), (size_t)len };
}

static void
take_systems(struct payload_formats *p, struct reader *r)
{
	uint32_t systems = reader_u32(r);

	for (uint32_t i = 0; i < systems && !r->failed; i++) {
		const char *system = reader_string(r);
		uint32_t count;

		count = reader_u32(r);
		for (uint32_t k = 0; k < count && !r->failed; k++) {
			struct bytes part = take_part(r);
			char *text;

			if (r->failed)
				return;
			text = mem_strndup((const char *)part.data, part.len);
			parse_format(p, system, text);
			free(text);
		}
	}
}

struct payload_formats *
payload_formats_new(struct bytes tracing_data)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct payload_formats *p = mem_calloc(1, sizeof(*p));
	struct reader r = reader_over(tracing_data);
	const uint8_t *begin = reader_bytes(&r, sizeof(magic)), *big_endian;
	uint32_t count;

	if (begin == NULL || memcmp(begin, magic, sizeof(magic)) != 0)
		return p;
	reader_string(&r); /* the version */
	big_endian = reader_bytes(&r, 2); /* and the size of a long */
	if (big_endian == NULL)
		return p;
	p->is_swapped = r.swap = (*big_endian != 0) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	reader_u32(&r); /* the size of a page */
	for (int i = 0; i < 2; i++) { /* header_page, header_event */
		reader_string(&r);
		take_part(&r);
	}
	count = reader_u32(&r); /* ftrace's own */
	for (uint32_t i = 0; i < count && !r.failed; i++)
		take_part(&r);
	take_systems(p, &r);
	return p;
}

static struct field
field_of_word(const char *name, size_t at, const struct argument *known)
{
	struct field f = {
		.name = mem_strdup(name), .kind = FIELD_WORD, .is_signed = true,
		.offset = (uint32_t)(at * sizeof(uint64_t)), .size = sizeof(uint64_t),
		.element_size = sizeof(uint64_t),
	};

	if (known == NULL || *known->name == '\0')
		return f;
	free(f.name);
	f.name = mem_strdup(known->name);
	f.also = name;
	f.kind = known->is_address ? FIELD_ADDRESS : FIELD_NUMBER;
	f.is_signed = known->is_signed;
	/* The rest of the register is anything.  Machines that have these are little endian. */
	f.size = f.element_size = known->bytes;
	return f;
}

struct payload_formats *
payload_formats_of_words(const char *event, const char *const *names, size_t count,
			 const struct argument *known)
{
	struct payload_formats *p = mem_calloc(1, sizeof(*p));
	struct format f = {
		.name = mem_strdup(event), .print = mem_strdup(""), .field_count = count,
	};

	f.fields = mem_calloc(count + 1, sizeof(*f.fields));
	for (size_t i = 0; i < count; i++)
		f.fields[i] = field_of_word(names[i], i, known != NULL ? &known[i] : NULL);
	VEC_ADD(p->items, p->len, p->cap) = f;
	return p;
}

const struct format *
payload_format_by_id(const struct payload_formats *p, uint64_t id)
{
	for (size_t i = 0; i < p->len; i++)
		if (p->items[i].id == id)
			return &p->items[i];
	return NULL;
}

const char *
payload_name(const struct payload_formats *p, uint64_t id)
{
	const struct format *f = payload_format_by_id(p, id);

	return f != NULL ? f->name : NULL;
}

void
payload_formats_free(struct payload_formats *p)
{
	if (p == NULL)
		return;
	while (p->asked != NULL) {
		struct payload_field *next = p->asked->next;

		print_names_release(&p->asked->names);
		free(p->asked->event);
		free(p->asked);
		p->asked = next;
	}
	for (size_t i = 0; i < p->len; i++) {
		free(p->items[i].print);
		for (size_t k = 0; k < p->items[i].field_count; k++)
			free(p->items[i].fields[k].name);
		free(p->items[i].fields);
		free(p->items[i].name);
	}
	for (size_t i = 0; i < p->called_len; i++)
		free(p->called[i].name);
	free(p->called);
	free(p->items);
	free(p);
}

void
payload_formats_call(struct payload_formats *p, const char *field, int64_t value, const char *name)
{
	if (p->called_len < CALLED_MAX)
		VEC_ADD(p->called, p->called_len, p->called_cap) =
			(struct called){ field, value, mem_strdup(name) };
}

static void
know_field(struct field *f, const struct argument *known, size_t count)
{
	static const char *const places[ARGUMENTS_MAX] = {
		"arg1", "arg2", "arg3", "arg4", "arg5", "arg6",
	};

	for (size_t i = 0; i < count && i < ARGUMENTS_MAX; i++) {
		bool is_word = strcmp(f->name, places[i]) == 0;

		if (!is_word && strcmp(f->name, known[i].name) != 0)
			continue;
		if (f->kind == FIELD_NUMBER && (is_word || known[i].is_address))
			f->kind = is_word ? FIELD_WORD : FIELD_ADDRESS;
		f->also = is_word ? NULL : places[i];
		return;
	}
}

void
payload_formats_know(struct payload_formats *p, const struct argument *known, size_t count)
{
	for (size_t i = 0; i < p->len; i++)
		for (size_t k = 0; k < p->items[i].field_count; k++)
			know_field(&p->items[i].fields[k], known, count);
}

/* "group:name" of "group:name:modifiers". */
static size_t
event_len(const char *event)
{
	size_t group = strcspn(event, ":");

	return event[group] == ':' ? group + 1 + strcspn(event + group + 1, ":") : group;
}

static const struct format *
find_format(const struct payload_formats *p, const char *event)
{
	size_t len = event_len(event);

	for (size_t i = 0; i < p->len; i++)
		if (p->items[i].name != NULL && strncmp(p->items[i].name, event, len) == 0 &&
		    p->items[i].name[len] == '\0')
			return &p->items[i];
	return NULL;
}

/* "__probe_ip" and the like: where the probe is, which is where the sample is. */
static bool
is_of_probe(const struct field *f)
{
	return strncmp(f->name, "__probe_", strlen("__probe_")) == 0;
}

size_t
payload_fields(const struct payload_formats *p, const char *event, const char **names, size_t max)
{
	const struct format *f = find_format(p, event);
	size_t count = 0;

	for (size_t i = 0; f != NULL && i < f->field_count && count < max; i++)
		if (!is_of_probe(&f->fields[i]))
			names[count++] = f->fields[i].name;
	return count;
}

const char *
payload_text_field(const struct payload_formats *p, const char *event)
{
	const struct format *f = find_format(p, event);

	for (size_t i = 0; f != NULL && i < f->field_count; i++)
		if (f->fields[i].kind == FIELD_TEXT)
			return f->fields[i].name;
	return NULL;
}

static bool
is_called(const struct field *f, const char *name)
{
	return strcmp(f->name, name) == 0 || (f->also != NULL && strcmp(f->also, name) == 0);
}

/* One that was asked for before. */
static struct payload_field *
find_asked(const struct payload_formats *p, const char *event, const char *name)
{
	struct payload_field *field = p->asked;
	size_t len = event_len(event);

	while (field != NULL &&
	       (!is_called(&field->field, name) || strncmp(field->event, event, len) != 0 ||
		field->event[len] != '\0'))
		field = field->next;
	return field;
}

const struct payload_field *
payload_field(struct payload_formats *p, const char *event, const char *name)
{
	const struct format *f = find_format(p, event);
	struct payload_field *field = find_asked(p, event, name);
	size_t i = 0;

	if (field != NULL)
		return field;
	while (f != NULL && i < f->field_count && !is_called(&f->fields[i], name))
		i++;
	if (f == NULL || i == f->field_count)
		return NULL;
	field = mem_calloc(1, sizeof(*field));
	field->next = p->asked;
	field->event = mem_strndup(event, event_len(event));
	field->field = f->fields[i];
	field->of = p;
	print_names_parse(&field->names, f->print, name);
	p->asked = field;
	return field;
}
