/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/put.h"

#include "record/put_words.h"
#include "record/types.h"

#include <inttypes.h>

/* What a record tells of itself. */
static const struct record_field id_fields[] = {
	FIELD_IF("pid", PERF_SAMPLE_TID, put_pid, id.pid),
	FIELD_IF("tid", PERF_SAMPLE_TID, put_pid, id.tid),
	FIELD_IF("time", PERF_SAMPLE_TIME, put_time, id.time_ns),
	FIELD_IF("cpu", PERF_SAMPLE_CPU, put_dec32, id.cpu),
	FIELD_IF("id", PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, put_dec64, id.id),
	FIELD_IF("stream_id", PERF_SAMPLE_STREAM_ID, put_dec64, id.stream_id),
	{ 0 },
};

static void
put_fields(struct buf *b, const struct record_field *f, const struct record_layout *layout,
	   const struct record *rec)
{
	for (; f->name != NULL; f++) {
		if (f->bits != 0 && !(f->bits & layout->sample_type))
			continue;
		buf_addf(b, " %s=", f->name);
		f->put(b, layout, (const char *)rec + f->at);
	}
}

void
record_put(struct buf *b, const struct record_layout *layout, const struct record *rec)
{
	const struct record_type *type = record_type_find(rec->type);
	bool is_perfs = rec->type >= RECORD_USER_TYPE_FIRST;

	buf_add_str(b, record_type_name(rec->type));
	if (type == NULL)
		buf_addf(b, " type=%" PRIu32, rec->type);
	buf_addf(b, " misc=0x%x", rec->misc);
	if (type != NULL && !is_perfs)
		put_misc_words(b, rec->type, rec->misc);
	if (rec->type == PERF_RECORD_SAMPLE || (layout->sample_id_all && !is_perfs))
		put_fields(b, id_fields, layout, rec);
	if (is_perfs)
		buf_addf(b, " payload=%zu", rec->payload.len);
	else if (type != NULL)
		put_fields(b, type->fields, layout, rec);
}
