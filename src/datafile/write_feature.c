/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/write_feature.h"

enum {
	NAME_ALIGN = 64,
	BUILD_ID_MAX = 20,
	MISC_BUILD_ID_SIZE = 1 << 15,
};

/* struct perf_record_header_build_id; the path follows. */
struct build_id_record {
	struct perf_event_header header;
	int32_t pid;
	uint8_t id[BUILD_ID_MAX], len, reserved[3];
};

/* As perf writes names: with a NUL, padded. */
static size_t
name_bytes(const char *name)
{
	return (strlen(name) + NAME_ALIGN) & ~(size_t)(NAME_ALIGN - 1);
}

static void
put_name(struct buf *b, const char *name)
{
	buf_add_str(b, name);
	buf_add_fill(b, 0, name_bytes(name) - strlen(name));
}

static void
put_text(struct buf *b, const char *text)
{
	buf_add_raw32(b, (uint32_t)name_bytes(text));
	put_name(b, text);
}

void
write_build_id(struct buf *b, uint16_t misc, int pid, const char *path, const uint8_t *id,
	       size_t len)
{
	struct build_id_record r = {
		.header = { RECORD_PERF_BUILD_ID, (uint16_t)(misc | MISC_BUILD_ID_SIZE), 0 },
		.pid = pid,
		.len = (uint8_t)MIN(len, BUILD_ID_MAX),
	};
	size_t size = sizeof(r) + name_bytes(path);

	/* Longer than any path a kernel takes. */
	if (len == 0 || size > UINT16_MAX)
		return;
	r.header.size = (uint16_t)size;
	memcpy(r.id, id, r.len);
	buf_add(b, &r, sizeof(r));
	put_name(b, path);
}

static void
put_tracing(struct buf *b, const struct write_facts *f)
{
	buf_add(b, buf_str(f->tracing), f->tracing->len);
}

static void
put_build_ids(struct buf *b, const struct write_facts *f)
{
	buf_add(b, buf_str(f->build_ids), f->build_ids->len);
}

static void
put_cpus(struct buf *b, const struct write_facts *f)
{
	if (f->info->nr_cpus_available == 0)
		return;
	buf_add_raw32(b, f->info->nr_cpus_available);
	buf_add_raw32(b, f->info->nr_cpus_online);
}

static void
put_memory(struct buf *b, const struct write_facts *f)
{
	if (f->info->total_mem_kib > 0)
		buf_add_raw64(b, f->info->total_mem_kib);
}

static void
put_cmdline(struct buf *b, const struct write_facts *f)
{
	char *const *words = f->info->cmdline;
	uint32_t len = 0;

	if (words == NULL)
		return;
	while (words[len] != NULL)
		len++;
	buf_add_raw32(b, len);
	for (uint32_t i = 0; i < len; i++)
		put_text(b, words[i]);
}

/* The ids again: perf finds the names by them. */
static void
put_event_desc(struct buf *b, const struct write_facts *f)
{
	const struct write_table *t = f->table;
	uint32_t size = write_table_attr_size(t);
	struct buf ids = { 0 };
	size_t at = 0;

	write_table_put_ids(t, &ids);
	buf_add_raw32(b, (uint32_t)t->event_len);
	buf_add_raw32(b, size);
	for (size_t i = 0; i < t->event_len; i++) {
		const struct write_event *e = &t->events[i];
		struct event_attr attr = e->attr;

		attr.size = size;
		buf_add(b, &attr, size);
		buf_add_raw32(b, e->id_len);
		put_text(b, e->name);
		buf_add(b, buf_str(&ids) + at, e->id_len * sizeof(uint64_t));
		at += e->id_len * sizeof(uint64_t);
	}
	buf_release(&ids);
}

/* perf makes up a name for a group without one. */
static void
put_group_desc(struct buf *b, const struct write_facts *f)
{
	const struct write_table *t = f->table;
	uint32_t count = 0;

	for (size_t i = 0; i < t->event_len; i++)
		count += t->events[i].group_len > 0;
	if (count == 0)
		return;
	buf_add_raw32(b, count);
	for (size_t i = 0; i < t->event_len; i++) {
		if (t->events[i].group_len == 0)
			continue;
		put_text(b, "{anon_group}");
		buf_add_raw32(b, (uint32_t)i);
		buf_add_raw32(b, t->events[i].group_len);
	}
}

static void
put_sample_time(struct buf *b, const struct write_facts *f)
{
	if (f->last_ns == 0)
		return;
	buf_add_raw64(b, f->first_ns);
	buf_add_raw64(b, f->last_ns);
}

static void
put_clock(struct buf *b, const struct write_facts *f)
{
	if (f->info->clock_resolution_ns > 0)
		buf_add_raw64(b, f->info->clock_resolution_ns);
}

/* So that readers can tell the time of day of each record. */
static void
put_clock_data(struct buf *b, const struct write_facts *f)
{
	enum { CLOCK_DATA_VERSION = 1 };

	if (f->info->clock_resolution_ns == 0)
		return;
	buf_add_raw32(b, CLOCK_DATA_VERSION);
	buf_add_raw32(b, (uint32_t)f->info->clock);
	buf_add_raw64(b, f->info->wall_ns);
	buf_add_raw64(b, f->info->clock_ns);
}

static void
put_compressed(struct buf *b, const struct write_facts *f)
{
	if (f->packer != NULL)
		packer_put_feature(f->packer, b);
}

enum { NO_TEXT = UINT8_MAX };

/* In the order of the bits, as the index is.  What adds nothing is left out. */
static const struct feature {
	uint8_t bit, text; /* of a text: offset in struct writer_info */
	void (*put)(struct buf *b, const struct write_facts *f);
	bool is_early; /* in front of the records, too: a file that is never closed has it */
} features[] = {
	{ 1, NO_TEXT, put_tracing, true },
	{ 2, NO_TEXT, put_build_ids, true },
	{ 3, offsetof(struct writer_info, hostname), NULL, true },
	{ 4, offsetof(struct writer_info, osrelease), NULL, true },
	{ 5, offsetof(struct writer_info, version), NULL, false },
	{ 6, offsetof(struct writer_info, arch), NULL, true },
	{ 7, NO_TEXT, put_cpus, false },
	{ 8, offsetof(struct writer_info, cpudesc), NULL, false },
	{ 9, offsetof(struct writer_info, cpuid), NULL, false },
	{ 10, NO_TEXT, put_memory, false },
	{ 11, NO_TEXT, put_cmdline, false },
	{ 12, NO_TEXT, put_event_desc, false },
	{ 17, NO_TEXT, put_group_desc, false },
	{ 21, NO_TEXT, put_sample_time, false },
	{ 23, NO_TEXT, put_clock, false },
	{ 27, NO_TEXT, put_compressed, true },
	{ 29, NO_TEXT, put_clock_data, true },
};

_Static_assert(ARRAY_SIZE(features) == WRITE_FEATURES, "each has a place in the index");

static void
put_feature(struct buf *b, const struct feature *feature, const struct write_facts *facts)
{
	const char *text;

	if (feature->put != NULL) {
		feature->put(b, facts);
		return;
	}
	memcpy(&text, (const char *)facts->info + feature->text, sizeof(text));
	if (text != NULL)
		put_text(b, text);
}

uint64_t
write_early_features(struct buf *b, uint64_t at, const struct write_facts *facts,
		     struct write_section index[WRITE_FEATURES])
{
	uint64_t bits = 0;
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		size_t from = b->len;

		if (features[i].is_early)
			put_feature(b, &features[i], facts);
		if (b->len == from)
			continue;
		index[len++] = (struct write_section){ at + from, b->len - from };
		bits |= UINT64_C(1) << features[i].bit;
		buf_add_fill(b, 0, -b->len & 7);
	}
	return bits;
}

uint64_t
write_features(struct buf *b, uint64_t at, const struct write_facts *facts)
{
	struct write_section index[ARRAY_SIZE(features)];
	struct buf contents = { 0 };
	uint64_t bits = 0;
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		uint64_t bit = UINT64_C(1) << features[i].bit;
		struct write_section s = { contents.len, 0 };

		if (bit == WRITE_TRACING_DATA && facts->tracing_in.size > 0) {
			s = facts->tracing_in;
		} else {
			put_feature(&contents, &features[i], facts);
			s.size = contents.len - s.at;
			if (s.size == 0)
				continue;
		}
		index[len++] = s;
		bits |= bit;
	}
	at += len * sizeof(*index);
	for (size_t i = 0; i < len; i++)
		if (i > 0 || facts->tracing_in.size == 0)
			index[i].at += at;
	buf_add(b, index, len * sizeof(*index));
	buf_add(b, buf_str(&contents), contents.len);
	buf_release(&contents);
	return bits;
}
