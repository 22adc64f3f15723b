/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/job.h"
#include "symbol/image/image.h"
#include "symbol/unwind/unwind_rules.h"
#include "view/listing.h"

#include <stdlib.h>

static void
free_image(struct msg *msg)
{
	struct symbol_image_msg *m = (struct symbol_image_msg *)msg;

	image_free(m->image);
	free(m);
}

struct symbol_image_msg *
symbol_image_msg_new(uint32_t dso)
{
	struct symbol_image_msg *m = msg_new(sizeof(*m), SYMBOL_MSG_IMAGE, free_image);

	m->dso = dso;
	return m;
}

static void
free_names(struct msg *msg)
{
	struct symbol_names_msg *m = (struct symbol_names_msg *)msg;

	for (uint32_t i = 0; i < m->count; i++)
		free(m->names[i].name);
	free(m->names);
	free(m);
}

struct symbol_names_msg *
symbol_names_msg_new(uint32_t dso)
{
	struct symbol_names_msg *m = msg_new(sizeof(*m), SYMBOL_MSG_NAMES, free_names);

	m->dso = dso;
	return m;
}

static void
free_lines(struct msg *msg)
{
	struct symbol_lines_msg *m = (struct symbol_lines_msg *)msg;

	for (uint32_t i = 0; i < m->count; i++) {
		free(m->lines[i].line);
		free(m->lines[i].path);
		free(m->lines[i].inlined);
	}
	free(m->lines);
	free(m);
}

struct symbol_lines_msg *
symbol_lines_msg_new(uint32_t dso)
{
	struct symbol_lines_msg *m = msg_new(sizeof(*m), SYMBOL_MSG_LINES, free_lines);

	m->dso = dso;
	return m;
}

static void
free_places(struct msg *msg)
{
	struct symbol_places_msg *m = (struct symbol_places_msg *)msg;

	for (size_t i = 0; i < m->count; i++)
		free(m->places[i].name);
	free(m->places);
	free(m->path);
	free(m);
}

struct symbol_places_msg *
symbol_places_msg_new(uint32_t dso)
{
	struct symbol_places_msg *m = msg_new(sizeof(*m), SYMBOL_MSG_PLACES, free_places);

	m->dso = dso;
	return m;
}

static void
free_rules(struct msg *msg)
{
	struct symbol_rules_msg *m = (struct symbol_rules_msg *)msg;

	unwind_rules_free(m->rules);
	free(m);
}

struct symbol_rules_msg *
symbol_rules_msg_new(uint32_t dso)
{
	struct symbol_rules_msg *m = msg_new(sizeof(*m), SYMBOL_MSG_RULES, free_rules);

	m->dso = dso;
	return m;
}

static void
free_listing(struct msg *msg)
{
	struct symbol_listing_msg *m = (struct symbol_listing_msg *)msg;

	listing_put(m->listing);
	listing_lines_put(m->lines);
	listing_source_put(m->source);
	free(m);
}

struct symbol_listing_msg *
symbol_listing_msg_new(uint32_t dso, uint32_t id, int type)
{
	struct symbol_listing_msg *m = msg_new(sizeof(*m), type, free_listing);

	m->dso = dso;
	m->id = id;
	return m;
}
