/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PAYLOAD_H
#define PTOP_RECORD_PAYLOAD_H
/*
 * The fields of a tracepoint's sample, by the formats that the recording has of its
 * tracepoints.  Not by libtraceevent: it trusts the formats, which are as untrusted as the rest of
 * a file.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt, HEADER_TRACING_DATA, and
 * Documentation/trace/events.rst of the kernel's sources.
 */
#include "base/arguments.h"
#include "base/buf.h"
#include "base/reader.h"

struct payload_formats;

/* Parses perf's TRACING_DATA, as far as it makes sense; never NULL.  Copies what it needs. */
struct payload_formats *payload_formats_new(struct bytes tracing_data);
void payload_formats_free(struct payload_formats *f);

/*
 * Of one event, whose payload is words of this machine, called so: registers, whose values are
 * numbers or addresses.  What is known of one, by number, says which, and gives it another name beside
 * that; @known NULL: nothing is.
 */
struct payload_formats *payload_formats_of_words(const char *event, const char *const *names,
						 size_t count, const struct argument *known);

/* "sched:sched_switch", as long as @f lives; NULL: it has no format. */
const char *payload_name(const struct payload_formats *f, uint64_t id);

/*
 * Adds the fields of the tracepoint @id (attr.config), printable: "prev_comm="sh" prev_pid=7".  The
 * common fields (common_pid, ...) are left out.  False: it has no format, nothing was added.
 */
bool payload_put(const struct payload_formats *f, uint64_t id, struct bytes raw, struct buf *out);

/*
 * What the number @value of the field @field, a constant, is called, too: "8:0 sda".  Values that
 * were put before keep their names.
 */
void payload_formats_call(struct payload_formats *f, const char *field, int64_t value,
			  const char *name);

/*
 * What is known of the arguments that a probe's fields are, by their names, or arg1 and so on: which are
 * addresses, and which are words of any kind.  They are found by both names.
 */
void payload_formats_know(struct payload_formats *f, const struct argument *known, size_t count);

struct payload_field;

/*
 * The field @name of the tracepoint called @event ("sched:sched_switch", modifiers are passed over),
 * as long as @f lives; NULL: it has none.
 */
const struct payload_field *payload_field(struct payload_formats *f, const char *event,
					  const char *name);

/* The names of the fields that @event has, @max at most, as long as @f lives; how many. */
size_t payload_fields(const struct payload_formats *f, const char *event, const char **names,
		      size_t max);

/* The name of the first that is a text; NULL: none is. */
const char *payload_text_field(const struct payload_formats *f, const char *event);

/* Its number, sign-extended, which tells equal values apart; false: it is no number, or not whole. */
bool payload_field_number(const struct payload_field *field, struct bytes raw, int64_t *out);

/* Whether its values are plain numbers, without names of any kind. */
bool payload_field_is_plain(const struct payload_field *field);

/*
 * Adds its value, printable, as people call it: "openat", "SIGTERM", "8:0", "sh", "TIMER".  A text that
 * goes on behind the end of @raw ends with "...".
 */
void payload_field_put(const struct payload_field *field, struct bytes raw, struct buf *out);

#endif
