/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function by instruction: its code and source are read once, what each line has changes. */
#include "ui/annotate_impl.h"
#include "ui/place.h"

#include <stdlib.h>
#include <string.h>

static void
release(struct ui *ui)
{
	annotate_release(&ui->annotate_page->a);
	free(ui->annotate_page->list);
}

static void
move(struct ui *ui, long delta)
{
	struct annotate_page *p = ui->annotate_page;
	long to = (long)p->index + delta;

	if (!annotate_has_lines(ui))
		return;
	annotate_put_cursor(p, to < 0 ? 0 : MIN((size_t)to, p->a.len - 1));
	p->is_placed = true;
}

static void
go(struct ui *ui, const struct annotate_asked *asked)
{
	struct annotate_page *p = ui->annotate_page;

	if (p->back_len == ANNOTATE_BACK_MAX)
		memmove(&p->back[0], &p->back[1], --p->back_len * sizeof(p->back[0]));
	p->back[p->back_len++] = (struct annotate_step){ p->asked, p->instruction, p->a.mode };
	if (asked != NULL)
		annotate_ask(ui, asked);
}

/* "malloc@plt": the stub is nothing to look at, what it leads to is. */
static bool
is_stub(const char *operand, char name[QUERY_SYMBOL_MAX])
{
	static const char plt[] = "@plt";
	size_t len = strlen(operand);

	if (len < sizeof(plt) || len >= QUERY_SYMBOL_MAX ||
	    strcmp(operand + len - strlen(plt), plt) != 0)
		return false;
	memcpy(name, operand, len - strlen(plt));
	name[len - strlen(plt)] = '\0';
	return true;
}

static void
follow(struct ui *ui, const struct listing_instruction *i)
{
	struct annotate_page *p = ui->annotate_page;
	struct annotate_asked to = { 0 };

	if (i->target_index < p->a.listing->count) {
		go(ui, NULL);
		annotate_put_cursor(p, annotate_find(&p->a, i->target_index));
		annotate_show_cursor(p);
	} else if (is_stub(i->operand, to.symbol)) {
		go(ui, &to);
	} else if (i->target != 0) {
		to.dso = p->a.code->dso_id;
		to.at = i->target - i->addr + i->offset;
		go(ui, &to);
	} else if (i->kind == LISTING_CALL || i->kind == LISTING_JUMP) {
		ui_say(ui, false, "where it goes to is known only when it runs: c shows callees");
	} else {
		ui_say(ui, false, "this is neither a call nor a jump");
	}
}

static bool
fold(struct ui *ui, bool fold)
{
	struct annotate_page *p = ui->annotate_page;

	if (!annotate_fold(&p->a, ui->snap, p->index, fold))
		return false;
	annotate_find_cursor(p);
	return true;
}

/* From a line of the whole file to the function that has most of it. */
static void
go_to_line(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	struct annotate_asked to = { 0 };

	if (!annotate_file_line(ui, &to)) {
		ui_say(ui, false, "this line has no samples: no function to go to");
		return;
	}
	go(ui, NULL);
	annotate_set(ui, ANNOTATE_MIXED);
	annotate_ask(ui, &to);
	p->kind = ANNOTATE_INSTRUCTION;
}

static void
in(struct ui *ui)
{
	const struct annotate_page *p = ui->annotate_page;
	const struct annotate_line *l;

	if (!annotate_needs_lines(ui))
		return;
	l = &p->a.lines[p->index];
	if (p->a.mode == ANNOTATE_FILE)
		go_to_line(ui);
	else if (l->kind == ANNOTATE_INLINE)
		fold(ui, !l->is_folded);
	else if (l->kind == ANNOTATE_INSTRUCTION)
		follow(ui, &p->a.listing->items[l->first]);
	else
		ui_say(ui, false, "select a call or a jump to follow it");
}

/* Back from what was followed, then to the view that it came from. */
static bool
out(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	struct annotate_step step;

	if (p->back_len > 0) {
		step = p->back[--p->back_len];
		annotate_set(ui, step.mode);
		if (memcmp(&step.asked, &p->asked, sizeof(step.asked)) != 0)
			annotate_ask(ui, &step.asked);
		p->instruction = step.instruction;
		p->kind = step.mode == ANNOTATE_FILE ? ANNOTATE_LINE : ANNOTATE_INSTRUCTION;
		p->is_placed = true;
		annotate_find_cursor(p);
		annotate_show_cursor(p);
		return true;
	}
	if (!p->has_from)
		return false;
	p->has_from = false;
	nav_level(&ui->nav)->view = p->from;
	place_ask(ui, true);
	return true;
}

static void
side(struct ui *ui, int direction)
{
	const struct annotate_page *p = ui->annotate_page;

	if (annotate_has_lines(ui) && direction < 0 && p->a.lines[p->index].level > 0 && fold(ui, true))
		return;
	if (direction > 0)
		in(ui);
	else if (!out(ui))
		place_out(ui);
}

static bool
click(struct ui *ui, int x, int y)
{
	struct annotate_page *p = ui->annotate_page;
	size_t line = p->top + (size_t)(y - annotate_first_row(ui));

	(void)x;
	if (!annotate_has_lines(ui) || y < annotate_first_row(ui) || line >= p->a.len ||
	    line >= p->top + p->page)
		return false;
	annotate_put_cursor(p, line);
	p->is_placed = true;
	return true;
}

static size_t
count(const struct ui *ui)
{
	return annotate_has_lines(ui) ? ui->annotate_page->a.len : 0;
}

static size_t
selected(struct ui *ui)
{
	return ui->annotate_page->index;
}

static void
select_line(struct ui *ui, size_t i)
{
	annotate_put_cursor(ui->annotate_page, i);
	ui->annotate_page->is_placed = true;
}

static bool
holds(const struct ui *ui, size_t i)
{
	struct buf b = { 0 };
	bool found;

	annotate_put_text(&b, &ui->annotate_page->a, &ui->annotate_page->a.lines[i]);
	found = strcasestr(buf_str(&b), ui->find) != NULL;
	buf_release(&b);
	return found;
}

static void
keep(struct ui *ui)
{
	(void)ui;
}

static void
go_back(struct ui *ui)
{
	(void)ui;
}

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "hottest", "Hottest" }, { "source", "Source" },
	{ "in", "Follow" }, { "file", "File" }, { "out", "Back" }, { "find", "Find" },
	{ "numbers", "Numbers" },
	{ "jumps", "Jumps" }, { "function-next", "Next" }, { "quit", "Quit" }, { NULL },
};

const struct page_ops annotate_page = {
	.name = "annotate", .kinds = IN_SAMPLES | IN_VIEWS | IN_LISTS | IN_FULL,
	.actions = annotate_actions, .footer = footer,
	.state_size = sizeof(struct annotate_page), .release = release,
	.draw = annotate_draw,
	.help = "Percent are of the function (% chooses); the bar is of the hottest line.\n"
		"Enter follows a call or a jump, Esc comes back.  Enter on an inlined function\n"
		"folds it: its line has what all of it has.  Where interrupts come late a count\n"
		"may be of the instruction before.  l shows the whole source file, with what\n"
		"all functions have; Enter leads from a line to its function.\n",
	.move = move, .in = in, .out = out, .side = side, .click = click,
	.finds = "line", .count = count, .selected = selected, .select = select_line,
	.holds = holds, .keep = keep, .go_back = go_back,
	.put_query = annotate_put_query, .take_snapshot = annotate_take_snapshot,
};
