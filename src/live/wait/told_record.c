/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/told_record.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "record/look.h"

enum { TYPE_AGAIN = UINT32_C(0x7fffff00) }; /* no record of the kernel's, nor of ptop's, has it */

struct told_record {
	atomic_uint refs;
	size_t len;
	uint64_t tag;
	_Alignas(8) uint8_t bytes[];
};

/* In the place of the whole record. */
struct again {
	struct perf_event_header head;
	struct told_record *record; /* NULL: it has been passed */
	uint64_t time_ns, period_ns;
};

struct told_record *
told_record_new(struct bytes record)
{
	struct told_record *r = mem_realloc(NULL, 1, sizeof(*r) + record.len);

	atomic_init(&r->refs, 1);
	r->len = record.len;
	r->tag = 0;
	memcpy(r->bytes, record.data, record.len);
	return r;
}

void
told_record_put(struct told_record *r)
{
	if (r != NULL && atomic_fetch_sub(&r->refs, 1) == 1)
		free(r);
}

struct bytes
told_record_bytes(const struct told_record *r)
{
	return (struct bytes){ r->bytes, r->len };
}

void
told_record_again(struct told_record *r, struct buf *out, uint64_t period_ns)
{
	const struct again again = {
		.head = { .type = TYPE_AGAIN, .size = sizeof(again) }, .record = r,
		.period_ns = period_ns,
	};

	atomic_fetch_add(&r->refs, 1);
	buf_add(out, &again, sizeof(again));
}

/* Whether @at is such a place, and what it says. */
static bool
is_again(const uint8_t *at, struct perf_event_header *head, struct again *again)
{
	memcpy(head, at, sizeof(*head));
	if (head->type != TYPE_AGAIN)
		return false;
	memcpy(again, at, sizeof(*again));
	return true;
}

struct bytes
told_record_read(uint8_t *at, uint64_t **tag)
{
	struct perf_event_header head;
	struct again again;

	*tag = NULL;
	if (!is_again(at, &head, &again))
		return (struct bytes){ at, head.size };
	record_look_stamp(again.record->bytes, again.record->len, again.time_ns);
	record_look_set_period(again.record->bytes, again.period_ns);
	*tag = &again.record->tag;
	return told_record_bytes(again.record);
}

size_t
told_record_pass(uint8_t *at)
{
	struct perf_event_header head;
	struct again again;

	if (is_again(at, &head, &again)) {
		told_record_put(again.record);
		again.record = NULL;
		memcpy(at, &again, sizeof(again));
	}
	return head.size;
}

void
told_record_stamp(uint8_t *stream, size_t len, uint64_t time_ns)
{
	struct perf_event_header head;
	struct again again;

	for (size_t at = 0; at < len; at += head.size) {
		if (!is_again(stream + at, &head, &again)) {
			record_look_stamp(stream + at, head.size, time_ns);
			continue;
		}
		again.time_ns = time_ns;
		memcpy(stream + at, &again, sizeof(again));
	}
}

void
told_record_pass_all(uint8_t *stream, size_t len)
{
	for (size_t at = 0; at < len;)
		at += told_record_pass(stream + at);
}
