/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/feature.h"

#include "base/buf.h"
#include "datafile/swap.h"

#include <stdlib.h>

/* A text behind its length, padded with NULs; it need not end in one. */
static struct bytes
take_text(struct reader *r, bool swapped)
{
	uint32_t len = take_u32(r, swapped);
	const uint8_t *data = reader_bytes(r, len);

	if (data == NULL)
		return (struct bytes){ (const uint8_t *)"", 0 };
	return (struct bytes){ data, strnlen((const char *)data, len) };
}

/* Kept as it is: payload_formats_new() parses it. */
static void
take_tracing_data(struct contents *c, struct reader *r)
{
	buf_reset(&c->tracing);
	buf_add(&c->tracing, r->pos, reader_left(r));
}

static void
take_build_ids(struct contents *c, struct reader *r)
{
	struct perf_event_header header;

	while (reader_left(r) >= sizeof(header)) {
		_Alignas(8) uint8_t record[UINT16_MAX + 1];
		const uint8_t *data = r->pos;

		memcpy(&header, data, sizeof(header));
		header.type = swap_u32(header.type, c->info.is_swapped);
		header.misc = swap_u16(header.misc, c->info.is_swapped);
		header.size = swap_u16(header.size, c->info.is_swapped);
		if (header.size < sizeof(header) || reader_bytes(r, header.size) == NULL) {
			r->failed = true;
			return;
		}
		memcpy(record, &header, sizeof(header));
		memcpy(record + sizeof(header), data + sizeof(header),
		       header.size - sizeof(header));
		contents_add_build_id(c, (struct bytes){ record, header.size });
	}
}

static void
take_cpus(struct contents *c, struct reader *r)
{
	c->info.nr_cpus_available = take_u32(r, c->info.is_swapped);
	c->info.nr_cpus_online = take_u32(r, c->info.is_swapped);
}

static void
take_sample_time(struct contents *c, struct reader *r)
{
	c->info.sample_time_first = take_u64(r, c->info.is_swapped);
	c->info.sample_time_last = take_u64(r, c->info.is_swapped);
}

/* The time of day of its records' clock: version, clock, and both at one moment. */
static void
take_clock_data(struct contents *c, struct reader *r)
{
	bool swapped = c->info.is_swapped;
	uint64_t wall_ns, at_ns;

	take_u32(r, swapped);
	take_u32(r, swapped);
	wall_ns = take_u64(r, swapped);
	at_ns = take_u64(r, swapped);
	if (r->failed || wall_ns > INT64_MAX || at_ns > INT64_MAX)
		return;
	c->info.wall_ns = wall_ns;
	c->info.wall_at_ns = at_ns;
}

static void
take_cmdline(struct contents *c, struct reader *r)
{
	uint32_t n = take_u32(r, c->info.is_swapped);
	struct buf b = { 0 };

	for (uint32_t i = 0; i < n && !r->failed; i++) {
		struct bytes word = take_text(r, c->info.is_swapped);

		if (i > 0)
			buf_add_char(&b, ' ');
		buf_add(&b, word.data, word.len);
	}
	free(c->info.cmdline);
	c->info.cmdline = b.data;
}

/* Names of events: by their ids, or by their order if they have none. */
static void
take_event_desc(struct contents *c, struct reader *r)
{
	bool swapped = c->info.is_swapped;
	uint32_t n = take_u32(r, swapped), attr_bytes = take_u32(r, swapped);

	for (uint32_t i = 0; i < n && !r->failed; i++) {
		uint32_t ids, event = i;
		struct bytes name;

		reader_bytes(r, attr_bytes);
		ids = take_u32(r, swapped);
		name = take_text(r, swapped);
		if (ids > 0)
			event = record_layouts_find(&c->layouts, take_u64(r, swapped));
		for (uint32_t k = 1; k < ids && !r->failed; k++)
			reader_u64(r);
		if (!r->failed)
			contents_name_event(c, event, (const char *)name.data, name.len);
	}
}

enum { NO_TEXT = 0, FEATURES_BYTES_MAX = 256 << 10 };

static const struct feature {
	uint8_t bit, text; /* of a text: offset in struct datafile_info */
	void (*take)(struct contents *c, struct reader *r);
} features[] = {
	{ 1, NO_TEXT, take_tracing_data },
	{ 2, NO_TEXT, take_build_ids },
	{ 3, offsetof(struct datafile_info, hostname), NULL },
	{ 4, offsetof(struct datafile_info, osrelease), NULL },
	{ 5, offsetof(struct datafile_info, version), NULL },
	{ 6, offsetof(struct datafile_info, arch), NULL },
	{ 7, NO_TEXT, take_cpus },
	{ 8, offsetof(struct datafile_info, cpudesc), NULL },
	{ 11, NO_TEXT, take_cmdline },
	{ 12, NO_TEXT, take_event_desc },
	{ 21, NO_TEXT, take_sample_time },
	{ 29, NO_TEXT, take_clock_data },
	/* simpleperf's own */
	{ 128, NO_TEXT, file_symbols_read },
	{ 132, NO_TEXT, file_symbols_read_messages },
};

static const struct feature *
find_feature(uint64_t bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].bit == bit)
			return &features[i];
	return NULL;
}

bool
feature_is_taken(uint64_t bit)
{
	return find_feature(bit) != NULL || feature_has_text(bit);
}

static void
put_text_of(struct contents *c, uint64_t bit, struct bytes bytes)
{
	if (!feature_has_text(bit) || c->features.len > FEATURES_BYTES_MAX)
		return;
	feature_put_text(&c->features, bit, bytes, c->info.is_swapped, c->info.nr_cpus_available);
	buf_add_char(&c->features, '\n');
	c->info.features = c->features.data;
}

bool
feature_read(struct contents *c, uint64_t bit, struct bytes bytes)
{
	const struct feature *f = find_feature(bit);
	struct reader r = reader_over(bytes);

	if (f != NULL && f->take != NULL) {
		f->take(c, &r);
	} else if (f != NULL) {
		char **text = (char **)(void *)((char *)&c->info + f->text);
		struct bytes value = take_text(&r, c->info.is_swapped);

		free(*text);
		*text = mem_strndup((const char *)value.data, value.len);
	}
	put_text_of(c, bit, bytes);
	return !r.failed;
}
