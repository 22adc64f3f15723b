/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/contents.h"

#include "datafile/swap.h"
#include "record/payload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	MISC_BUILD_ID_SIZE = 1 << 15, /* the byte behind the 20 is the length of the build-id */
	BUILD_ID_ROOM = 24,
};

bool
contents_add_event(struct contents *c, struct bytes attrs, struct bytes ids)
{
	struct reader r = reader_over(ids);
	struct record_layout layout;
	struct datafile_event e = { 0 };
	uint32_t event;

	if (attr_decode(attrs, c->info.is_swapped, &e.attr) < 0)
		return false;
	e.name = event_name_make(&e.attr);
	VEC_ADD(c->events, c->event_len, c->event_cap) = e;
	layout = record_layout_of(&e.attr, c->info.is_swapped);
	event = record_layouts_add(&c->layouts, &layout);
	while (reader_left(&r) >= 8) {
		uint64_t id = take_u64(&r, c->info.is_swapped);

		/* Duplicates would only make lookups longer. */
		if (record_layouts_find(&c->layouts, id) == UINT32_MAX)
			record_layouts_add_id(&c->layouts, event, id);
	}
	return true;
}

void
contents_name_event(struct contents *c, uint32_t event, const char *name, size_t len)
{
	len = strnlen(name, len);
	if (event >= c->event_len || len == 0)
		return;
	free(c->events[event].name);
	c->events[event].name = mem_strndup(name, len);
}

void
contents_name_tracepoints(struct contents *c)
{
	struct payload_formats *formats;

	if (!c->has_new_tracing)
		return;
	c->has_new_tracing = false;
	formats = payload_formats_new((struct bytes){ (const uint8_t *)c->tracing.data,
						      c->tracing.len });
	for (uint32_t i = 0; i < c->event_len; i++) {
		const struct datafile_event *e = &c->events[i];
		const char *name = payload_name(formats, e->attr.config);

		if (e->attr.type == PERF_TYPE_TRACEPOINT && name != NULL &&
		    strcmp(e->name, event_name_unknown) == 0)
			contents_name_event(c, i, name, strlen(name));
	}
	payload_formats_free(formats);
}

static uint64_t
path_hash(const char *path)
{
	return hash_bytes(path, strlen(path));
}

static struct build_id *
find_build_id(const struct contents *c, const char *path)
{
	uint64_t hash = path_hash(path);
	uint32_t pos, id;

	for (id = index_first(&c->build_ids_by_path, hash, &pos); id != 0;
	     id = index_next(&c->build_ids_by_path, hash, &pos))
		if (strcmp(c->build_ids[id - 1].path, path) == 0)
			return &c->build_ids[id - 1];
	return NULL;
}

const struct build_id *
contents_build_id(const struct contents *c, const char *path)
{
	return find_build_id(c, path);
}

static struct build_id *
build_id_for(struct contents *c, const char *path)
{
	struct build_id *b = find_build_id(c, path);

	if (b != NULL)
		return b;
	b = &VEC_ADD(c->build_ids, c->build_id_len, c->build_id_cap);
	*b = (struct build_id){ .path = arena_strdup(&c->arena, path) };
	index_add(&c->build_ids_by_path, path_hash(path), (uint32_t)c->build_id_len);
	return b;
}

void
contents_learn_build_id(struct contents *c, const char *path, const uint8_t *id, size_t len)
{
	struct build_id *b = build_id_for(c, path);

	memset(b->id, 0, sizeof(b->id));
	memcpy(b->id, id, len);
	b->len = (uint8_t)len;
}

void
contents_add_build_id(struct contents *c, struct bytes record)
{
	struct reader r = reader_over(record);
	const struct perf_event_header *header;
	const uint8_t *id;
	const char *path;
	uint8_t len;

	header = (const void *)reader_bytes(&r, sizeof(*header));
	reader_u32(&r); /* pid: -1 for the host */
	id = reader_bytes(&r, BUILD_ID_ROOM);
	path = reader_string(&r);
	if (r.failed || *path == '\0')
		return;
	len = header->misc & MISC_BUILD_ID_SIZE ? id[20] : 20;
	if (len == 0 || len > 20)
		return;
	contents_learn_build_id(c, path, id, len);
}

void
contents_lose(struct contents *c, uint64_t at, const char *fmt, ...)
{
	struct datafile_losses *l = &c->losses;
	va_list ap;
	int n;

	if (l->text[0] != '\0')
		return;
	n = snprintf(l->text, sizeof(l->text), "at offset 0x%" PRIx64 ": ", at);
	va_start(ap, fmt);
	vsnprintf(l->text + n, sizeof(l->text) - (size_t)n, fmt, ap);
	va_end(ap);
}

void
contents_release(struct contents *c)
{
	struct datafile_info *i = &c->info;
	char *const texts[] = {
		i->hostname, i->osrelease, i->version, i->arch, i->cpudesc, i->cmdline,
	};

	for (size_t n = 0; n < ARRAY_SIZE(texts); n++)
		free(texts[n]);
	for (size_t n = 0; n < c->event_len; n++)
		free(c->events[n].name);
	free(c->events);
	free(c->build_ids);
	free(c->symbols);
	free(c->files);
	buf_release(&c->features);
	buf_release(&c->tracing);
	record_layouts_release(&c->layouts);
	index_release(&c->build_ids_by_path);
	arena_release(&c->arena);
	*c = (struct contents){ 0 };
}
