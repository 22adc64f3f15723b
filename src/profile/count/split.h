/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_SPLIT_H
#define PTOP_PROFILE_COUNT_SPLIT_H
/*
 * Samples of tracepoints told apart by a field of their payload, or by their system call: what the
 * value of a sample is called, as a string of the model.  A value that came before is looked up.
 * Which field it is can change: samples of one field are not taken for those of another.  Engine
 * thread only.
 */
#include "base/index.h"
#include "base/strs.h"
#include "profile/place/location.h"
#include "record/call_args.h"
#include "record/record.h"

enum {
	SPLIT_FIELDS_MAX = 255, /* different ones that can be asked for */
	SPLIT_NEAR = 64,
};

struct split_event {
	struct payload_formats *formats; /* its own, NULL: those of all, if there are any */
	char *name;    /* with its own: the tracepoint that it is */
	bool has_arguments; /* see split_has_arguments() */
	bool is_known; /* those behind it were looked for */
	const struct payload_field *field, *call; /* NULL: it has none */
	bool is_call;  /* the two are the same */
	uint8_t of;    /* see split_asks() */
};

struct split_value {
	const struct payload_field *of;
	uint64_t number; /* of a text its hash */
	bool is_32;
	uint32_t text;
};

struct split {
	struct payload_formats *formats; /* of all events; NULL: each has its own, or none */
	char *name;                      /* of the field, NULL: the one that tells most of each event */
	char *names[SPLIT_FIELDS_MAX];   /* of all that were asked for, by number less one */
	size_t name_count;
	uint32_t turn;                   /* changes with the field */
	struct split_event *events;      /* by the profile's event */
	size_t event_count, event_cap;
	struct split_value *values;
	size_t value_count, value_cap;
	struct index by_number;
	uint32_t near[SPLIT_NEAR]; /* of these the last by number, counted from 1; 0: none */
};

/* @formats is taken; NULL: none are known yet. */
void split_init(struct split *s, struct payload_formats *formats);
void split_release(struct split *s);

/*
 * The samples of the event are as those of the tracepoint @name.  @formats: its own, which are taken;
 * NULL: they are among those of all.  Those that came first stay: they are the same.
 */
void split_adopt(struct split *s, uint32_t number, const char *name,
		 struct payload_formats *formats);

/* From now on it is the field @name; "": of each event the one that tells most (value_field()). */
void split_choose(struct split *s, const char *name);

/* Which field is asked for of that event, as label.field_of has it; 0: it has no such field. */
uint8_t split_asks(struct split *s, uint32_t number, const char *event);

/* The same of an event of which that was asked before, and what the field is called; NULL: none. */
uint8_t split_asked(const struct split *s, uint32_t number);
const char *split_name(const struct split *s, uint32_t number);
bool split_is_plain(const struct split *s, uint32_t number); /* its values are plain numbers */

/* The names of all fields of the event, @max at most, as long as @s lives; how many. */
size_t split_fields(const struct split *s, uint32_t number, const char *event,
		    const char **names, size_t max);

/* Whether samples of the event tell a system call. */
bool split_has_syscall(const struct split *s, uint32_t number, const char *event);

/* The same of an event of which samples came since that is asked. */
bool split_tells_syscall(const struct split *s, uint32_t number);

/* A sample of the event @number, called @event: what its field is called; 0: it has none. */
uint32_t split_field(struct split *s, uint32_t number, const char *event,
		     const struct record_sample *sample, struct strs *strs);

/* The same of its system call. */
uint32_t split_syscall(struct split *s, uint32_t number, const char *event,
		       const struct record_sample *sample, struct strs *strs);

/*
 * What fields of a sample of that event are read from: what it carries, or the arguments in its
 * registers, which are put into @args.  Empty: nothing.
 */
struct bytes split_payload(const struct split *s, uint32_t number,
			   const struct record_sample *sample, uint64_t args[CALL_ARGS]);

/* Whether its fields are arguments in registers. */
bool split_has_arguments(const struct split *s, uint32_t number);

/* Adds what the field @name of @raw is called, a payload of that event. */
void split_put(const struct split *s, uint32_t number, const char *event, const char *name,
	       struct bytes raw, struct buf *out);

/*
 * The number that the field @name has in @raw, a payload of @tracepoint, whose format came with the
 * event; false: there is none.
 */
bool split_number(const struct split *s, uint32_t number, const char *tracepoint, const char *name,
		  struct bytes raw, int64_t *out);

/* The kernel's function that a text as "0xffffffff81000000" is an address in; NULL: it is none. */
const char *split_function(struct locations *l, const char *text);

#endif
