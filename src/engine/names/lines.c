/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines: of functions that are shown, and those that samples are grouped by. */
#include "engine/names/names_impl.h"

#include <stdlib.h>

#include "profile/place/location.h"
#include "view/snapshot.h"

enum {
	LINES_MAX = 64, /* asked for at a time: about a screen of them */
	LINE_LEAST_PERCENT = 1, /* rarer functions do not make it read all of a file's debug data */
};

/* Asks for all lines that samples are grouped by, one question for each dso. */
static void
ask_wanted_lines(struct names *nm)
{
	size_t count, end;
	struct srcline *lines = srclines_take(&nm->env->profile->lines, &count);
	uint64_t *addrs = mem_calloc(count + 1, sizeof(*addrs));

	for (size_t i = 0; i < count; i = end) {
		uint32_t n = 0;

		for (end = i; end < count && lines[end].dso == lines[i].dso; end++)
			addrs[n++] = lines[end].offset;
		files_ask_lines(nm, lines[i].dso, addrs, n, false);
	}
	free(addrs);
	free(lines);
}

void
lines_step(struct names *nm)
{
	const struct srclines *l = &nm->env->profile->lines;

	if (l->asked < l->len && (nm->shows_lines || !names_are_spared(nm)))
		ask_wanted_lines(nm);
}

/* Asks for the line of each shown function's hottest instruction, when that has changed. */
void
names_ask_lines(struct names *nm, const struct snapshot *s)
{
	size_t rows = names_are_spared(nm) ? MIN(s->row_count, LINES_MAX) : s->row_count;
	size_t asked = 0;

	for (size_t i = 0; i < rows && asked < LINES_MAX; i++) {
		uint32_t id = s->rows[i].location;
		struct location *loc = &nm->env->locations->items[id];
		uint64_t addr = loc->offset + loc->hot_offset;

		if (s->rows[i].share * 100 < LINE_LEAST_PERCENT)
			continue;
		if (id == 0 || !location_is_named(loc) || loc->hot_votes == 0 ||
		    loc->line_of == addr || !files_are_known(nm, loc->dso))
			continue;
		loc->line_of = addr;
		files_ask_lines(nm, loc->dso, &addr, 1, false);
		asked++;
	}
}

bool
names_await_lines(const struct names *nm)
{
	return nm->asked_lines > 0;
}

static void
learn_line(struct names *nm, uint32_t dso, const struct symbol_line *line)
{
	struct srclines *known = &nm->env->profile->lines;
	struct strs *strs = &nm->env->model->strs;

	srclines_learn(known, dso, line->addr, strs_add_str(strs, line->line));
	srclines_learn_path(known, dso, line->addr, strs_add_str(strs, line->path));
}

enum part_reply
lines_learn(void *names, struct msg *msg)
{
	const struct symbol_lines_msg *m = (const struct symbol_lines_msg *)msg;
	struct names *nm = names;

	nm->asked_lines--;
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	if (m->of_inlines) {
		inlines_learn(nm, m);
		return PART_DONE;
	}
	for (uint32_t i = 0; i < m->count; i++) {
		const struct symbol_line *line = &m->lines[i];

		if (line->line == NULL)
			continue;
		locations_learn_line(nm->env->locations, m->dso, line->addr, line->line);
		if (nm->env->profile->lines.len > 0)
			learn_line(nm, m->dso, line);
	}
	return PART_DONE;
}
