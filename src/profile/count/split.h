/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_SPLIT_H
#define PTOP_PROFILE_COUNT_SPLIT_H
/*
 * Samples of tracepoints told apart by a field of their payload, or by their system call: what the
 * value of a sample is called, as a string of the model.  A number that came before is looked up, no
 * text is made of it.  Engine thread only.
 */
#include "base/index.h"
#include "base/strs.h"
#include "record/payload.h"
#include "record/record.h"

struct split_event {
	bool is_known; /* the others were looked for */
	const struct payload_field *field, *call; /* NULL: it has none */
};

struct split_value {
	const struct payload_field *of;
	int64_t number;
	bool is_32;
	uint32_t text;
};

struct split {
	struct payload_formats *formats; /* NULL: none are known */
	char *name;                      /* of the field, NULL: none is asked for */
	struct split_event *events;      /* by the profile's event */
	size_t event_cap;
	struct split_value *values;
	size_t value_count, value_cap;
	struct index by_number;
};

/* @formats is taken, NULL is allowed; so is @name, which is copied. */
void split_init(struct split *s, struct payload_formats *formats, const char *name);
void split_release(struct split *s);

/* A sample of the event @number, called @event: what its field is called; 0: it has none. */
uint32_t split_field(struct split *s, uint32_t number, const char *event,
		     const struct record_sample *sample, struct strs *strs);

/* The same of its system call. */
uint32_t split_syscall(struct split *s, uint32_t number, const char *event,
		       const struct record_sample *sample, struct strs *strs);

#endif
