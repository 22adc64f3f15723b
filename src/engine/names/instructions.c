/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions that samples are grouped by: functions are asked for, their addresses learned. */
#include "engine/names/names_impl.h"

#include "profile/place/location.h"
#include "view/annotate.h"

#include <stdlib.h>

/* Of questions from here; the other asker counts from 1. */
#define ID_OF_INSTRUCTIONS (UINT32_C(1) << 31)

static int
compare_locations(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void
names_ask_instructions(struct names *nm)
{
	struct locations *l = nm->env->locations;
	struct srcline *wanted;
	uint32_t *functions;
	size_t count;

	if (nm->asked_instructions > 0 || names_are_spared(nm))
		return;
	wanted = srclines_take(&nm->env->profile->instructions, &count);
	functions = mem_calloc(count + 1, sizeof(*functions));
	for (size_t i = 0; i < count; i++)
		functions[i] = locations_resolve(l, locations_find(l, wanted[i].dso,
								   wanted[i].offset));
	qsort(functions, count, sizeof(*functions), compare_locations);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && functions[i] == functions[i - 1])
			continue;
		nm->asked_instructions++;
		listings_ask(nm, ID_OF_INSTRUCTIONS, functions[i], 0, true);
	}
	free(functions);
	free(wanted);
}

bool
names_await_instructions(const struct names *nm)
{
	return nm->asked_instructions > 0;
}

bool
instructions_learn(struct names *nm, const struct symbol_listing_msg *m)
{
	struct srclines *known = &nm->env->profile->instructions;
	const struct listing *l = m->listing;
	struct buf text = { 0 };

	if (m->id != ID_OF_INSTRUCTIONS)
		return false;
	nm->asked_instructions--;
	for (uint32_t i = 0; i < l->count; i++) {
		if (!srclines_lack(known, m->dso, l->items[i].offset))
			continue;
		buf_reset(&text);
		annotate_put_code(&text, &l->items[i], "");
		srclines_learn(known, m->dso, l->items[i].offset,
			       strs_add(&nm->env->model->strs, text.data, text.len));
	}
	buf_release(&text);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	return true;
}
