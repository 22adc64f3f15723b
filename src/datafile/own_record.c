/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/own_record.h"

#include "datafile/contents.h"
#include "datafile/feature.h"
#include "datafile/swap.h"

enum {
	UPDATE_NAME = 2, /* PERF_EVENT_UPDATE__NAME */
	TRACING_MAX = 64 << 20, /* all tracepoints of a kernel have some 3 MiB */
};

/* What the functions below need. */
struct own {
	struct lane *lane;
	struct contents *contents;
	struct bytes record;
	struct reader r; /* behind the header */
	uint64_t at;
	bool swapped;
};

static void
take_attr(struct own *o)
{
	struct bytes all = { o->r.pos, reader_left(&o->r) };
	struct event_attr attr;

	/* Files have the attributes in their header. */
	if (!o->contents->info.is_pipe)
		return;
	if (attr_decode(all, o->swapped, &attr) < 0)
		contents_lose(o->contents, o->at, "the attributes of an event are cut");
	else
		contents_add_event(o->contents, (struct bytes){ all.data, attr.size },
				   (struct bytes){ all.data + attr.size, all.len - attr.size });
}

static void
take_update(struct own *o)
{
	uint64_t what = take_u64(&o->r, o->swapped), id = take_u64(&o->r, o->swapped);
	uint32_t event = record_layouts_find(&o->contents->layouts, id);

	if (what == UPDATE_NAME && !o->r.failed)
		contents_name_event(o->contents, event, (const char *)o->r.pos,
				    reader_left(&o->r));
}

static void
take_feature(struct own *o)
{
	uint64_t bit = take_u64(&o->r, o->swapped);
	struct bytes data = { o->r.pos, reader_left(&o->r) };

	if (!feature_read(o->contents, bit, data))
		contents_lose(o->contents, o->at, "perf's feature %u is cut", (unsigned)bit);
}

static void
take_build_id(struct own *o)
{
	contents_add_build_id(o->contents, o->record);
}

/* The data follows the record, padded to 8 bytes.  Files have it as a feature instead. */
static void
take_tracing_data(struct own *o)
{
	uint64_t len = ((uint64_t)take_u32(&o->r, o->swapped) + 7) & ~UINT64_C(7);
	struct buf *b = &o->contents->tracing;

	if (o->contents->info.is_pipe && len <= TRACING_MAX) {
		buf_reset(b);
		o->contents->has_new_tracing = true;
		lane_keep(o->lane, len, b);
		return;
	}
	lane_skip(o->lane, len);
	if (len > TRACING_MAX)
		contents_lose(o->contents, o->at, "the formats of its tracepoints are too long");
}

static void
skip_auxtrace(struct own *o)
{
	lane_skip(o->lane, take_u64(&o->r, o->swapped));
}

static void
decompress(struct own *o, size_t len)
{
	if (o->lane->is_decompressing)
		contents_lose(o->contents, o->at, "compressed records are compressed again");
	else
		lane_decompress(o->lane, (struct bytes){ o->r.pos, len }, o->at);
}

static void
take_compressed(struct own *o)
{
	decompress(o, reader_left(&o->r));
}

/* The same, padded to 8 bytes. */
static void
take_compressed2(struct own *o)
{
	uint64_t len = take_u64(&o->r, o->swapped);

	if (len > reader_left(&o->r))
		contents_lose(o->contents, o->at, "compressed records are cut");
	decompress(o, (size_t)MIN(len, reader_left(&o->r)));
}

static void (*const takes[RECORD_TYPE_COUNT])(struct own *o) = {
	[RECORD_PERF_HEADER_ATTR] = take_attr,
	[RECORD_PERF_TRACING_DATA] = take_tracing_data,
	[RECORD_PERF_BUILD_ID] = take_build_id,
	[RECORD_PERF_AUXTRACE] = skip_auxtrace,
	[RECORD_PERF_EVENT_UPDATE] = take_update,
	[RECORD_PERF_HEADER_FEATURE] = take_feature,
	[RECORD_PERF_COMPRESSED] = take_compressed,
	[RECORD_PERF_COMPRESSED2] = take_compressed2,
};

bool
own_record_apply(struct lane *lane, struct contents *c, struct bytes record, uint64_t at)
{
	uint32_t type = record_type(record);
	struct own own = {
		.lane = lane, .contents = c, .record = record, .r = reader_over(record), .at = at,
		.swapped = c->info.is_swapped,
	};

	reader_bytes(&own.r, sizeof(struct perf_event_header));
	if (type < RECORD_TYPE_COUNT && takes[type] != NULL)
		takes[type](&own);
	return type == RECORD_PERF_FINISHED_ROUND;
}
