/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/split.h"

#include "record/value_name.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 1 << 16, TEXT_MAX = 256 }; /* beyond that they are one */

void
split_init(struct split *s, struct payload_formats *formats, const char *name)
{
	*s = (struct split){ .formats = formats, .name = name != NULL ? mem_strdup(name) : NULL };
}

void
split_release(struct split *s)
{
	payload_formats_free(s->formats);
	free(s->name);
	free(s->events);
	free(s->values);
	index_release(&s->by_number);
	*s = (struct split){ 0 };
}

/* The field that has the system call's number. */
static const struct payload_field *
find_call(struct split *s, const char *event)
{
	if (strncmp(event, "raw_syscalls:", strlen("raw_syscalls:")) == 0)
		return payload_field(s->formats, event, "id");
	if (strncmp(event, "syscalls:", strlen("syscalls:")) == 0)
		return payload_field(s->formats, event, "__syscall_nr");
	return NULL;
}

static const struct split_event *
event_at(struct split *s, uint32_t number, const char *event)
{
	struct split_event *e;

	vec_reserve_zeroed(&s->events, &s->event_cap, (size_t)number + 1, sizeof(*s->events));
	e = &s->events[number];
	if (e->is_known || s->formats == NULL)
		return e;
	e->is_known = true;
	e->call = find_call(s, event);
	if (s->name != NULL)
		e->field = payload_field(s->formats, event, s->name);
	return e;
}

static uint32_t
make_text(const struct split_value *v, struct bytes raw, bool is_call, struct strs *strs)
{
	const char *name = is_call && v->is_32 ? syscall_name(v->number, true) : NULL;
	struct buf b = { 0 };
	uint32_t text;

	if (name != NULL)
		buf_add_str(&b, name);
	else
		payload_field_put(v->of, raw, &b);
	text = strs_add(strs, buf_str(&b), MIN(b.len, (size_t)TEXT_MAX));
	buf_release(&b);
	return text;
}

static uint32_t
text_of(struct split *s, const struct split_value *want, struct bytes raw, bool is_call,
	struct strs *strs)
{
	uint64_t hash = hash_mix((uint64_t)want->number, (uintptr_t)want->of + want->is_32);
	uint32_t pos, id;

	for (id = index_first(&s->by_number, hash, &pos); id != 0;
	     id = index_next(&s->by_number, hash, &pos)) {
		const struct split_value *v = &s->values[id - 1];

		if (v->number == want->number && v->of == want->of && v->is_32 == want->is_32)
			return v->text;
	}
	if (s->value_count == VALUES_MAX)
		return strs_add_str(strs, "[other]");
	VEC_ADD(s->values, s->value_count, s->value_cap) = *want;
	s->values[s->value_count - 1].text = make_text(want, raw, is_call, strs);
	index_add(&s->by_number, hash, (uint32_t)s->value_count);
	return s->values[s->value_count - 1].text;
}

static uint32_t
value_of(struct split *s, const struct payload_field *field, const struct record_sample *sample,
	 bool is_call, struct strs *strs)
{
	struct split_value v = { .of = field };

	if (field == NULL || sample->raw.len == 0)
		return 0;
	v.is_32 = is_call && sample->regs_user.abi == PERF_SAMPLE_REGS_ABI_32;
	if (payload_field_number(field, sample->raw, &v.number))
		return text_of(s, &v, sample->raw, is_call, strs);
	return make_text(&v, sample->raw, false, strs);
}

uint32_t
split_field(struct split *s, uint32_t number, const char *event, const struct record_sample *sample,
	    struct strs *strs)
{
	return value_of(s, event_at(s, number, event)->field, sample, false, strs);
}

uint32_t
split_syscall(struct split *s, uint32_t number, const char *event,
	      const struct record_sample *sample, struct strs *strs)
{
	return value_of(s, event_at(s, number, event)->call, sample, true, strs);
}
