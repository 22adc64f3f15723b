/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/answers.h"
#include "symbol/image/image.h"
#include "symbol/unwind/unwind_rules.h"

#include <stdlib.h>

void
symbol_image_msg_free(struct symbol_image_msg *m)
{
	if (m == NULL)
		return;
	image_free(m->image);
	free(m);
}

void
symbol_names_msg_free(struct symbol_names_msg *m)
{
	uint32_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->count; i++)
		free(m->names[i].name);
	free(m->names);
	free(m);
}

void
symbol_lines_msg_free(struct symbol_lines_msg *m)
{
	uint32_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->count; i++) {
		free(m->lines[i].line);
		free(m->lines[i].inlined);
	}
	free(m->lines);
	free(m);
}

void
symbol_places_msg_free(struct symbol_places_msg *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->count; i++)
		free(m->places[i].name);
	free(m->places);
	free(m->path);
	free(m);
}

void
symbol_rules_msg_free(struct symbol_rules_msg *m)
{
	if (m == NULL)
		return;
	unwind_rules_free(m->rules);
	free(m);
}
