/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/split.h"

#include "record/value_name.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 1 << 16, TEXT_MAX = 256 }; /* beyond that they are one */

void
split_init(struct split *s, struct payload_formats *formats)
{
	*s = (struct split){ .formats = formats };
}

void
split_release(struct split *s)
{
	payload_formats_free(s->formats);
	for (size_t i = 0; i < s->event_count; i++) {
		payload_formats_free(s->events[i].formats);
		free(s->events[i].name);
	}
	for (size_t i = 0; i < s->name_count; i++)
		free(s->names[i]);
	free(s->name);
	free(s->events);
	free(s->values);
	index_release(&s->by_number);
	*s = (struct split){ 0 };
}

static struct split_event *
event_at(struct split *s, uint32_t number)
{
	vec_reserve_zeroed(&s->events, &s->event_cap, (size_t)number + 1, sizeof(*s->events));
	s->event_count = MAX(s->event_count, (size_t)number + 1);
	return &s->events[number];
}

/* Its own, or those of all events; NULL: none are known. */
static struct payload_formats *
formats_of(const struct split *s, uint32_t number)
{
	struct payload_formats *own = number < s->event_count ? s->events[number].formats : NULL;

	return own != NULL ? own : s->formats;
}

/* The tracepoint that the event @event is. */
static const char *
tracepoint_of(const struct split *s, uint32_t number, const char *event)
{
	const char *own = number < s->event_count ? s->events[number].name : NULL;

	return own != NULL ? own : event;
}

void
split_adopt(struct split *s, uint32_t number, const char *name, struct payload_formats *formats)
{
	struct split_event *e = event_at(s, number);

	if (e->formats != NULL) {
		payload_formats_free(formats);
		return;
	}
	e->formats = formats;
	free(e->name);
	e->name = mem_strdup(name);
	e->has_arguments = strcmp(name, CALL_ARGS_EVENT) == 0;
	e->is_known = false;
	s->turn++;
}

void
split_choose(struct split *s, const char *name)
{
	const char *now = s->name != NULL ? s->name : "";

	if (strcmp(now, name) == 0)
		return;
	free(s->name);
	s->name = *name != '\0' ? mem_strdup(name) : NULL;
	for (size_t i = 0; i < s->event_count; i++)
		s->events[i].is_known = false;
	s->turn++;
}

/* Its number, made if it is new; 0: there are too many. */
static uint8_t
number_of(struct split *s, const char *name)
{
	size_t i = 0;

	while (i < s->name_count && strcmp(s->names[i], name) != 0)
		i++;
	if (i == SPLIT_FIELDS_MAX)
		return 0;
	if (i == s->name_count)
		s->names[s->name_count++] = mem_strdup(name);
	return (uint8_t)(i + 1);
}

/* The field that has the system call's number. */
static const struct payload_field *
find_call(struct payload_formats *formats, const char *event)
{
	if (strncmp(event, "raw_syscalls:", strlen("raw_syscalls:")) == 0)
		return payload_field(formats, event, "id");
	if (strncmp(event, "syscalls:", strlen("syscalls:")) == 0)
		return payload_field(formats, event, "__syscall_nr");
	return NULL;
}

/* The field that is asked for, or the first that is known to tell most and is there. */
static const struct payload_field *
find_field(const struct split *s, struct payload_formats *formats, const char *event,
	   const char **name)
{
	const struct payload_field *field = NULL;

	*name = s->name;
	if (s->name != NULL)
		return payload_field(formats, event, s->name);
	for (size_t i = 0; field == NULL && (*name = value_field(event, i)) != NULL; i++)
		field = payload_field(formats, event, *name);
	if (field == NULL && strncmp(event, CALL_PROBES_GROUP, strlen(CALL_PROBES_GROUP)) == 0) {
		*name = payload_text_field(formats, event);
		field = *name != NULL ? payload_field(formats, event, *name) : NULL;
	}
	return field;
}

static const struct split_event *
known_event(struct split *s, uint32_t number, const char *event)
{
	struct split_event *e = event_at(s, number);
	struct payload_formats *formats;
	const char *name;

	if (e->is_known)
		return e;
	e->is_known = true;
	e->of = 0;
	formats = formats_of(s, number);
	if (formats == NULL)
		return e;
	event = tracepoint_of(s, number, event);
	e->call = find_call(formats, event);
	e->field = find_field(s, formats, event, &name);
	e->is_call = e->field != NULL && e->field == e->call;
	if (e->field != NULL)
		e->of = number_of(s, name);
	return e;
}

uint8_t
split_asks(struct split *s, uint32_t number, const char *event)
{
	return known_event(s, number, event)->of;
}

uint8_t
split_asked(const struct split *s, uint32_t number)
{
	return number < s->event_count && s->events[number].is_known ? s->events[number].of : 0;
}

const char *
split_name(const struct split *s, uint32_t number)
{
	uint8_t of = split_asked(s, number);

	return of > 0 ? s->names[of - 1] : NULL;
}

bool
split_is_plain(const struct split *s, uint32_t number)
{
	return split_asked(s, number) > 0 && payload_field_is_plain(s->events[number].field);
}

size_t
split_fields(const struct split *s, uint32_t number, const char *event, const char **names,
	     size_t max)
{
	const struct payload_formats *formats = formats_of(s, number);

	if (formats == NULL)
		return 0;
	return payload_fields(formats, tracepoint_of(s, number, event), names, max);
}

bool
split_has_syscall(const struct split *s, uint32_t number, const char *event)
{
	struct payload_formats *formats = formats_of(s, number);

	return formats != NULL && find_call(formats, tracepoint_of(s, number, event)) != NULL;
}

bool
split_tells_syscall(const struct split *s, uint32_t number)
{
	return number < s->event_count && s->events[number].call != NULL;
}

/* Where no character of UTF-8 is cut in two. */
static size_t
cut_len(const struct buf *text)
{
	size_t len = TEXT_MAX;

	if (text->len <= len)
		return text->len;
	while (len > 0 && ((unsigned char)text->data[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void
put_text(const struct split_value *v, struct bytes raw, bool is_call, struct buf *out)
{
	const char *name = is_call && v->is_32 ? syscall_name((int64_t)v->number, true) : NULL;

	if (name != NULL)
		buf_add_str(out, name);
	else
		payload_field_put(v->of, raw, out);
	out->len = cut_len(out);
}

static bool
is_alike(const struct split_value *a, const struct split_value *b)
{
	return a->number == b->number && a->of == b->of && a->is_32 == b->is_32;
}

/* The value like it, 0: it is new. */
static uint32_t
find_value(struct split *s, const struct split_value *want, uint64_t hash)
{
	uint32_t id, pos;

	for (id = index_first(&s->by_number, hash, &pos); id != 0;
	     id = index_next(&s->by_number, hash, &pos)) {
		if (!is_alike(&s->values[id - 1], want))
			continue;
		s->near[want->number % SPLIT_NEAR] = id;
		return id;
	}
	return 0;
}

/* @b: its text, if that is known already. */
static uint32_t
text_of(struct split *s, const struct split_value *want, struct bytes raw, bool is_call,
	struct buf *b, struct strs *strs)
{
	uint32_t id = s->near[want->number % SPLIT_NEAR];
	struct split_value *v;
	uint64_t hash;

	if (id != 0 && is_alike(&s->values[id - 1], want))
		return s->values[id - 1].text;
	hash = hash_mix(want->number, (uintptr_t)want->of + want->is_32);
	id = find_value(s, want, hash);
	if (id != 0)
		return s->values[id - 1].text;
	if (s->value_count == VALUES_MAX)
		return strs_add_str(strs, "[other]");
	if (b->len == 0)
		put_text(want, raw, is_call, b);
	v = &VEC_ADD(s->values, s->value_count, s->value_cap);
	*v = *want;
	v->text = strs_add(strs, buf_str(b), b->len);
	index_add(&s->by_number, hash, (uint32_t)s->value_count);
	return v->text;
}

bool
split_has_arguments(const struct split *s, uint32_t number)
{
	return number < s->event_count && s->events[number].has_arguments;
}

struct bytes
split_payload(const struct split *s, uint32_t number, const struct record_sample *sample,
	      uint64_t args[CALL_ARGS])
{
	if (sample->raw.len > 0 || !split_has_arguments(s, number))
		return sample->raw;
	if (!call_args_take(&sample->regs_user, args))
		return (struct bytes){ 0 };
	return (struct bytes){ (const uint8_t *)args, CALL_ARGS * sizeof(*args) };
}

static uint32_t
value_of(struct split *s, uint32_t number, const struct payload_field *field,
	 const struct record_sample *sample, bool is_call, struct strs *strs)
{
	struct split_value v = { .of = field };
	uint64_t args[CALL_ARGS];
	struct bytes raw = { 0 };
	struct buf b = { 0 };
	int64_t value;
	uint32_t text;

	if (field != NULL)
		raw = split_payload(s, number, sample, args);
	if (raw.len == 0)
		return 0;
	v.is_32 = is_call && sample->regs_user.abi == PERF_SAMPLE_REGS_ABI_32;
	if (payload_field_number(field, raw, &value)) {
		v.number = (uint64_t)value;
	} else {
		put_text(&v, raw, false, &b);
		v.number = hash_bytes(b.data, b.len);
	}
	text = text_of(s, &v, raw, is_call, &b, strs);
	buf_release(&b);
	return text;
}

uint32_t
split_field(struct split *s, uint32_t number, const char *event, const struct record_sample *sample,
	    struct strs *strs)
{
	const struct split_event *e = known_event(s, number, event);

	return value_of(s, number, e->field, sample, e->is_call, strs);
}

uint32_t
split_syscall(struct split *s, uint32_t number, const char *event,
	      const struct record_sample *sample, struct strs *strs)
{
	return value_of(s, number, known_event(s, number, event)->call, sample, true, strs);
}

void
split_put(const struct split *s, uint32_t number, const char *event, const char *name,
	  struct bytes raw, struct buf *out)
{
	struct payload_formats *formats = formats_of(s, number);
	const struct payload_field *field =
		formats != NULL ? payload_field(formats, tracepoint_of(s, number, event), name) : NULL;

	if (field != NULL)
		payload_field_put(field, raw, out);
}

bool
split_number(const struct split *s, uint32_t number, const char *tracepoint, const char *name,
	     struct bytes raw, int64_t *out)
{
	struct payload_formats *formats = formats_of(s, number);
	const struct payload_field *field =
		formats != NULL ? payload_field(formats, tracepoint, name) : NULL;

	return field != NULL && payload_field_number(field, raw, out);
}

const char *
split_function(struct locations *l, const char *text)
{
	uint64_t address = strncmp(text, "0x", 2) == 0 ? strtoull(text, NULL, 16) : 0;

	return address >> 63 != 0 ? locations_kernel_function(l, address) : NULL;
}
