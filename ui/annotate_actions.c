/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys that the page annotate alone has. */
#include "ui/annotate_impl.h"
#include "ui/place.h"

#include "base/text.h"

#include <stdlib.h>

/* Functions of the table that is shown, for < and >. */
static void
keep_list(struct ui *ui, uint32_t function)
{
	struct annotate_page *p = ui->annotate_page;
	const struct snapshot *s = ui->snap;

	free(p->list);
	p->list = mem_calloc(s->row_count + 1, sizeof(*p->list));
	p->list_len = p->list_at = 0;
	for (size_t i = 0; i < s->row_count; i++) {
		if (s->rows[i].location == 0 || (s->rows[i].flags & ROW_UNNAMED) != 0)
			continue;
		if (s->rows[i].location == function)
			p->list_at = p->list_len;
		p->list[p->list_len++] = s->rows[i].location;
	}
}

static void
open_page(struct ui *ui, enum annotate_mode mode)
{
	struct annotate_page *p = ui->annotate_page;
	struct nav_level *l = nav_level(&ui->nav);
	uint32_t function = page_location(ui);

	if (function == 0) {
		ui_say(ui, false, "select a function first: it has instructions");
		return;
	}
	annotate_set(ui, mode);
	if (place_refuses(ui, VIEW_ANNOTATE))
		return;
	keep_list(ui, function);
	p->from = l->view;
	p->has_from = true;
	p->back_len = 0;
	p->asked = (struct annotate_asked){ .function = function };
	p->is_asked = true;
	p->is_placed = false;
	p->hot_rank = 0;
	p->file[0] = '\0';
	l->view = VIEW_ANNOTATE;
	place_ask(ui, true);
}

void
annotate_page_show(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;

	if (nav_level(&ui->nav)->view != VIEW_ANNOTATE)
		open_page(ui, p->a.mode == ANNOTATE_FILE ? ANNOTATE_MIXED : p->a.mode);
}

/* Of the selected function; on the page there and back. */
static void
show_file(struct ui *ui)
{
	if (nav_level(&ui->nav)->view != VIEW_ANNOTATE)
		open_page(ui, ANNOTATE_FILE);
	else
		annotate_file_toggle(ui);
}

static void
step_function(struct ui *ui, int by)
{
	struct annotate_page *p = ui->annotate_page;
	size_t to = p->list_at + (size_t)by;

	if (to >= p->list_len) {
		ui_say(ui, false, p->list_len == 0 ? "it came from no list of functions"
						   : "no further function in the list it came from");
		return;
	}
	p->list_at = to;
	p->back_len = 0;
	annotate_ask(ui, &(struct annotate_asked){ .function = p->list[to] });
}

/* Functions of one name go around. */
static void
next_same(struct ui *ui)
{
	const struct snapshot_code *code = annotate_code_of(ui);
	struct annotate_page *p = ui->annotate_page;
	size_t at = 0;

	if (code == NULL || code->same_len < 2) {
		ui_say(ui, false, "no other function of this name has samples");
		return;
	}
	while (at < code->same_len && code->same[at] != code->location)
		at++;
	at = at + 1 < code->same_len ? at + 1 : 0;
	ui_say(ui, false, "functions of this name: %zu of %zu", at + 1, code->same_len);
	p->back_len = 0;
	annotate_ask(ui, &(struct annotate_asked){ .function = code->same[at] });
}

static void
next_hottest(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	size_t line = annotate_hottest(&p->a, annotate_shown_event(ui), p->hot_rank);

	/* Where the cursor is already is no step. */
	if (line == p->index && line < p->a.len)
		line = annotate_hottest(&p->a, annotate_shown_event(ui), ++p->hot_rank);
	if (line >= p->a.len) {
		annotate_to_hottest(ui);
		ui_say(ui, false, p->a.most.samples == 0 ? "nothing here has samples"
							 : "the hottest again");
		return;
	}
	annotate_put_cursor(p, line);
	annotate_show_cursor(p);
	p->is_placed = true;
	ui_say(ui, false, "hottest: number %zu", ++p->hot_rank);
}

static void
next_mode(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;

	if (annotate_code_of(ui) == NULL)
		return;
	if (p->a.places == NULL || p->a.places->count == 0) {
		ui_say(ui, false, "it has no source lines: %s",
		       p->a.places != NULL ? p->a.places->why : "they are on their way");
		return;
	}
	if (p->a.mode == ANNOTATE_FILE) {
		annotate_file_toggle(ui);
		return;
	}
	annotate_set_mode(&p->a, ui->snap, (p->a.mode + 1) % ANNOTATE_FILE);
	annotate_find_cursor(p);
	annotate_show_cursor(p);
	ui_say(ui, false, "shown: %s", annotate_mode_names[p->a.mode]);
}

static void
next_numbers(struct ui *ui)
{
	static const char *const says[NUMBERS_COUNT] = {
		[NUMBERS_NONE] = "without numbers", [NUMBERS_OFFSETS] = "offsets in the function",
		[NUMBERS_ADDRESSES] = "addresses, as the file has them",
	};
	struct annotate_page *p = ui->annotate_page;

	p->numbers = (p->numbers + 1) % NUMBERS_COUNT;
	ui_say(ui, false, "%s", says[p->numbers]);
}

static void
toggle_jumps(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;

	p->jumps = !p->jumps;
	ui_say(ui, false, p->jumps ? "jumps: an arrow of the selected one, and how many lead to a line"
				   : "no jumps");
}

static void
copy(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	struct buf raw = { 0 };

	if (!annotate_needs_lines(ui))
		return;
	annotate_put_text(&raw, &p->a, &p->a.lines[p->index]);
	buf_reset(&ui->copy);
	text_add_safe(&ui->copy, buf_str(&raw), raw.len);
	ui_say(ui, false, "copied: %s", buf_str(&raw));
	buf_release(&raw);
}

/* The source that the selected line is of; NULL: none is known, or it is being read. */
static const struct listing_source *
selected_source(const struct annotate_page *p, const struct snapshot_code *code)
{
	const struct annotate_line *l = &p->a.lines[p->index];
	const struct listing_frame *f;

	if (l->kind != ANNOTATE_INSTRUCTION)
		return l->file < code->lines->file_count ? code->sources[l->file] : NULL;
	if (code->lines->places_of[l->first] >= code->lines->place_count)
		return NULL;
	f = code->lines->places[code->lines->places_of[l->first]].frames;
	return f->file < code->lines->file_count ? code->sources[f->file] : NULL;
}

static void
add_lack(struct buf *b, const char *why, const char *remedy)
{
	buf_addf(b, "%s%s%s; ", why, *remedy != '\0' ? ": " : "", remedy);
}

/* Where all of this is from; first what lacks, and what would mend it. */
static void
explain(struct ui *ui)
{
	const struct annotate_page *p = ui->annotate_page;
	const struct snapshot_code *code = annotate_code_of(ui);
	const struct listing_source *s = NULL;
	struct buf b = { 0 };

	if (!annotate_needs_lines(ui))
		return;
	if (p->a.mode == ANNOTATE_FILE)
		s = p->a.text;
	else if (code->lines != NULL && code->lines->count == 0)
		add_lack(&b, code->lines->why, code->lines->remedy);
	else if (code->lines != NULL)
		s = selected_source(p, code);
	if (s != NULL && s->count == 0)
		add_lack(&b, s->why, s->remedy);
	else if (s != NULL)
		buf_addf(&b, "source from %s; ", s->found);
	if (code->listing != NULL)
		buf_addf(&b, "instructions from %s", code->listing->bytes_from);
	ui_say(ui, false, "%s", buf_str(&b));
	buf_release(&b);
}

const struct action annotate_actions[] = {
	{ "annotate", "a", "the selected function: its source lines and instructions", IN_SAMPLES,
	  annotate_page_show, WITH_ROWS, .opens = VIEW_ANNOTATE },
	{ "file", "l", "the whole source file by line, with all its functions; again: back", IN_SAMPLES,
	  show_file, WITH_ROWS, .opens = VIEW_ANNOTATE },
	{ "hottest", "H", "to the hottest line; again: to the next", IN_ANNOTATE, next_hottest,
	  WITH_ROWS },
	{ "source", "s", "source and instructions, instructions alone, source alone", IN_ANNOTATE,
	  next_mode, WITH_ROWS },
	{ "numbers", "o", "offsets, addresses, or neither", IN_ANNOTATE, next_numbers },
	{ "jumps", "J", "arrows of jumps, and how many lead to a line", IN_ANNOTATE, toggle_jumps },
	{ "function-previous", "<", "the function before it in the list it came from", IN_ANNOTATE,
	  .step = step_function, .by = -1 },
	{ "function-next", ">", "the function after it", IN_ANNOTATE, .step = step_function,
	  .by = 1 },
	{ "function-same", "A", "another function of the same name", IN_ANNOTATE, next_same,
	  WITH_ROWS },
	{ "code-from", "i", "where code and source are from, or what is missing for it", IN_ANNOTATE,
	  explain, WITH_ROWS },
	{ "copy", "y", "copy the selected line, by the terminal", IN_ANNOTATE, copy, WITH_ROWS },
	{ NULL },
};
