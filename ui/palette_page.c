/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that can be done where we are, found by typing: actions with their keys, options as they
 * are, views, columns to sort by, events, and what keys of other programs do.  Its lines are rows
 * of the tables that keys come from.
 */
#include "ui/action_table.h"
#include "ui/choice.h"
#include "ui/other_keys.h"
#include "ui/pages.h"
#include "ui/place.h"
#include "ui/refusal.h"
#include "ui/settings.h"
#include "ui/synonyms.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_WIDTH = 9, KEYS_WIDTH = 16, NAME_WIDTH = 22, WIDE = 90, DETAIL = 2, DETAIL_FROM = 12 };

#define NOT_HERE "not here: "

struct line;

struct line_kind {
	const char *name;
	void (*take)(struct ui *ui, const struct line *line);
};

struct line {
	const struct line_kind *kind;
	const char *program;         /* whose key it is; NULL: it is none of another program */
	const char *name, *help;     /* of the table or the catalogue that it is from */
	const struct action *action; /* NULL: it is of another kind */
	const char *keys;            /* that it has; "": none */
	const char *also;            /* other words for it; "": none */
	char *now;                   /* of an option; owned; NULL: it is none */
	char *why_not;               /* it does nothing here; owned; NULL: it can be taken */
	int value;                   /* the view, column, or number in the catalogue, or of the option */
};

struct palette_page {
	enum page_id from;           /* what it lies over, and goes back to */
	struct prompt prompt;
	struct catalogue *catalogue; /* NULL: on its way, or there is none */
	struct line *lines;
	size_t len, cap;
	size_t *matches;             /* lines that hold all words typed */
	size_t match_cap;
	struct choice choice;        /* among matches */
};

static void
take_action(struct ui *ui, const struct line *line)
{
	action_run(ui, line->action);
}

static void
take_view(struct ui *ui, const struct line *line)
{
	place_choose_view(ui, (enum view_id)line->value);
}

static void
take_column(struct ui *ui, const struct line *line)
{
	if (line->value != ui->query.sort)
		place_set_sort(ui, line->value);
}

static void
take_event(struct ui *ui, const struct line *line)
{
	picker_take(ui, &ui->palette_page->catalogue->items[line->value]);
}

static void
take_option(struct ui *ui, const struct line *line)
{
	setting_change(ui, (size_t)line->value);
}

static void
take_command(struct ui *ui, const struct line *line)
{
	if (acting_choose(ui))
		process_run_command(ui, line->value);
}

static const struct line_kind a_command = { "run", take_command };
static const struct line_kind an_option = { "set", take_option };
static const struct line_kind an_other_key = { "", take_action }; /* it has the program's name */
static const struct line_kind an_action = { "do", take_action }, a_view = { "view", take_view },
			      a_column = { "sort by", take_column }, an_event = { "event", take_event };

/* Of a view or an action, why it cannot be taken here. */
static char *
why_not(struct ui *ui, const struct line *l)
{
	struct buf b = { 0 };

	if (l->action != NULL)
		refusal_of_action(ui, l->action, &b);
	else if (l->kind == &a_view)
		refusal_of_view(ui, (enum view_id)l->value, &b);
	return b.data;
}

static void
add(struct palette_page *p, const struct line_kind *kind, const char *name, const char *help,
    int value)
{
	VEC_ADD(p->lines, p->len, p->cap) = (struct line){
		.kind = kind, .name = name, .help = help, .keys = "",
		.also = kind == &a_view ? synonyms_of(name) : "", .value = value };
}

static void
add_actions(const struct ui *ui, struct palette_page *p, unsigned where)
{
	for (size_t i = 0; action_table(i) != NULL; i++)
		for (const struct action *a = action_table(i); a->name != NULL; a++)
			if ((a->where & where) != 0)
				VEC_ADD(p->lines, p->len, p->cap) = (struct line){
					.kind = &an_action, .name = a->name, .help = a->help,
					.action = a, .keys = action_keys(&ui->keymap, a),
					.also = synonyms_of(a->name) };
}

/* Those that can be changed here, with the key that does it. */
static void
add_options(struct ui *ui, struct palette_page *p, unsigned where)
{
	const char *name, *help;

	for (size_t i = 0; (help = setting_help(i, &name)) != NULL; i++) {
		const struct action *a = setting_action(i);
		char *now = setting_now(ui, i, where);

		if (now == NULL)
			continue;
		VEC_ADD(p->lines, p->len, p->cap) = (struct line){
			.kind = &an_option, .name = name,
			.help = *help != '\0' ? help : config_option_help(name),
			.action = a, .keys = a != NULL ? action_keys(&ui->keymap, a) : "",
			.also = "", .now = now, .value = (int)i };
	}
}

static void
clear(struct palette_page *p)
{
	for (size_t i = 0; i < p->len; i++) {
		free(p->lines[i].now);
		free(p->lines[i].why_not);
	}
	p->len = 0;
}

static void
add_columns(const struct ui *ui, struct palette_page *p)
{
	struct column_list list;

	if (page_of_place(ui) != PAGE_TABLE)
		return;
	place_columns(ui, &list);
	for (size_t i = 0; i < list.count; i++)
		add(p, &a_column, columns[list.ids[i]].name, columns[list.ids[i]].help,
		    list.ids[i]);
}

/* "htop  k: kill, or signal": who looks for what a key does there finds what does it here. */
static void
add_other_keys(const struct ui *ui, struct palette_page *p, unsigned where)
{
	for (size_t i = 0; i < other_key_count; i++) {
		const struct other_key *k = &other_keys[i];
		const struct action *a = action_find(k->action);

		if ((a->where & where) != 0)
			VEC_ADD(p->lines, p->len, p->cap) = (struct line){
				.kind = &an_other_key, .program = k->program, .name = k->does,
				.help = *k->how != '\0' ? k->how : a->help,
				.action = a, .keys = action_keys(&ui->keymap, a), .also = "" };
	}
}

/* The user's own, for the process that is selected. */
static void
add_commands(const struct ui *ui, struct palette_page *p)
{
	const struct acting *a = &ui->acting;

	if (page_of_place(ui) != PAGE_TABLE || a->broker == NULL)
		return;
	for (size_t i = 0; i < a->command_count; i++)
		add(p, &a_command, a->commands[i].name, a->helps[i], (int)i);
}

static void
gather(struct ui *ui)
{
	struct palette_page *p = ui->palette_page;
	const struct catalogue *c = p->catalogue;
	const unsigned where = page_where(p->from != PAGE_NONE ? p->from : page_of_place(ui));

	clear(p);
	add_actions(ui, p, where);
	add_options(ui, p, where);
	for (enum view_id v = 0; v < VIEW_COUNT; v++)
		if (v != VIEW_CALLEES)
			add(p, &a_view, view_defs[v].name, view_defs[v].help, (int)v);
	add_columns(ui, p);
	add_commands(ui, p);
	add_other_keys(ui, p, where);
	for (size_t i = 0; i < p->len; i++)
		p->lines[i].why_not = why_not(ui, &p->lines[i]);
	for (size_t i = 0; c != NULL && i < c->len; i++)
		add(p, &an_event, c->items[i].name, c->items[i].help, (int)i);
}

static const char *
kind_of(const struct line *l)
{
	return l->program != NULL ? l->program : l->kind->name;
}

/* How well what was typed fits, the best first. */
enum fit { FIT_NAME, FIT_HELP, FIT_WORDS };

/* "sort-menu" and "view functions" begin with "sort" and "view f". */
static enum fit
fit_of(const struct line *l, const char *typed)
{
	size_t len = strlen(typed), kind = strlen(kind_of(l));

	if (strncasecmp(l->name, typed, len) == 0 ||
	    (len > kind && strncasecmp(kind_of(l), typed, kind) == 0 && typed[kind] == ' ' &&
	     strncasecmp(l->name, typed + kind + 1, len - kind - 1) == 0))
		return FIT_NAME;
	return strncasecmp(l->help, typed, len) == 0 ? FIT_HELP : FIT_WORDS;
}

/* Those whose name begins with what was typed come first, then those whose text does. */
static void
match_all(struct palette_page *p)
{
	const char *typed = p->prompt.text;

	p->choice.count = 0;
	vec_reserve(&p->matches, &p->match_cap, p->len, sizeof(*p->matches));
	for (enum fit fit = FIT_NAME; fit <= FIT_WORDS; fit++) {
		for (size_t i = 0; i < p->len; i++) {
			const struct line *l = &p->lines[i];
			const char *const texts[] = { kind_of(l), l->name, l->help, l->keys, l->also,
						      l->now != NULL ? l->now : "" };

			if (fit_of(l, typed) == fit &&
			    words_are_in(typed, texts, ARRAY_SIZE(texts)))
				p->matches[p->choice.count++] = i;
		}
	}
}

static void
show(struct ui *ui)
{
	struct palette_page *p = ui->palette_page;

	p->from = ui->page;
	prompt_open(&p->prompt, "");
	gather(ui);
	match_all(p);
	choice_begin(&p->choice, p->choice.count);
	page_show(ui, PAGE_PALETTE);
	if (engine_config_samples(&ui->config->engine))
		engine_ask_catalogue(ui->engine);
}

/* The lines anew, with those of a catalogue that has come; the one that is chosen stays so. */
static void
gather_again(struct ui *ui)
{
	struct palette_page *p = ui->palette_page;
	bool is_chosen = p->choice.selected < p->choice.count;
	struct line chosen = { 0 };

	if (is_chosen)
		chosen = p->lines[p->matches[p->choice.selected]];
	gather(ui);
	match_all(p);
	for (size_t i = 0; is_chosen && i < p->choice.count; i++) {
		const struct line *l = &p->lines[p->matches[i]];

		if (l->kind == chosen.kind && strcmp(l->name, chosen.name) == 0)
			p->choice.selected = i;
	}
	choice_move(&p->choice, 0);
}

static void
take_message(struct ui *ui, const struct msg *m)
{
	struct palette_page *p = ui->palette_page;
	struct catalogue *old = p->catalogue;

	if (m->type != ENGINE_MSG_CATALOGUE)
		return;
	p->catalogue = catalogue_get(((const struct engine_catalogue_msg *)m)->catalogue);
	if (ui->page == PAGE_PALETTE) {
		gather_again(ui);
		ui_touch(ui);
	}
	catalogue_put(old);
}

static bool
take_key(struct ui *ui, int key)
{
	struct palette_page *p = ui->palette_page;

	if (!prompt_edit(&p->prompt, key))
		return prompt_is_text(key);
	match_all(p);
	choice_begin(&p->choice, p->choice.count);
	return true;
}

static void
move(struct ui *ui, long delta)
{
	choice_move(&ui->palette_page->choice, delta);
}

static void
in(struct ui *ui)
{
	struct palette_page *p = ui->palette_page;
	const struct line *l;

	if (p->choice.count == 0)
		return;
	l = &p->lines[p->matches[p->choice.selected]];
	page_show(ui, p->from);
	l->kind->take(ui, l);
}

static bool
out(struct ui *ui)
{
	page_show(ui, ui->palette_page->from);
	return true;
}

/* The line that was hit is chosen; Enter, or a second click, takes it. */
static bool
click(struct ui *ui, int x, int y)
{
	(void)x;
	return choice_hit(&ui->palette_page->choice, y);
}

static void
draw_line(struct canvas *c, int y, const struct line *l)
{
	const bool is_off = l->why_not != NULL;
	struct buf b = { 0 };
	int x = 1;

	canvas_put(c, x, y, KIND_WIDTH, STYLE_DIM, kind_of(l));
	x += KIND_WIDTH;
	canvas_add_safe(c, &b, l->name);
	if (l->now != NULL) {
		buf_add_str(&b, " = ");
		canvas_add_safe(c, &b, *l->now != '\0' ? l->now : "(none)");
	}
	canvas_put(c, x, y, MIN(NAME_WIDTH, c->width - x), is_off ? STYLE_DIM : STYLE_STRONG, buf_str(&b));
	x += NAME_WIDTH + 1;
	if (c->width >= WIDE || l->action != NULL || l->now != NULL) {
		canvas_put(c, x, y, MIN(KEYS_WIDTH, c->width - x), is_off ? STYLE_DIM : STYLE_GOOD, l->keys);
		x += KEYS_WIDTH + 1;
	}
	buf_reset(&b);
	if (is_off)
		buf_add_str(&b, NOT_HERE);
	canvas_add_safe(c, &b, is_off ? l->why_not : l->help);
	canvas_put(c, x, y, c->width - x, is_off ? STYLE_DIM : STYLE_NORMAL, buf_str(&b));
	buf_release(&b);
}

/* The whole of the line that is selected, since the list may cut it. */
static void
draw_detail(const struct palette_page *p, struct canvas *c, int y, int lines)
{
	const struct line *l;
	struct buf b = { 0 };

	if (p->choice.selected >= p->choice.count)
		return;
	l = &p->lines[p->matches[p->choice.selected]];
	canvas_add_safe(c, &b, l->name);
	if (*l->keys != '\0')
		buf_addf(&b, " (%s)", l->keys);
	buf_add_str(&b, l->why_not != NULL ? ": " NOT_HERE : ": ");
	canvas_add_safe(c, &b, l->why_not != NULL ? l->why_not : l->help);
	canvas_put_wrapped(c, y, lines, STYLE_STRONG, b.data);
	buf_release(&b);
}

static void
draw(struct ui *ui)
{
	struct palette_page *p = ui->palette_page;
	struct canvas *c = &ui->canvas;
	struct choice *list = &p->choice;
	const int height = layout_above_footer(&ui->layout), detail = height >= DETAIL_FROM ? DETAIL : 0;

	prompt_draw(&p->prompt, c, 0, c->height >= 3 ? " what to do: " : "");
	choice_place(list, 1, height - 1 - detail);
	ui->rows[PAGE_PALETTE] = list->rows;
	for (size_t i = 0; i < list->rows && list->top + i < list->count; i++) {
		int y = list->y + (int)i;

		draw_line(c, y, &p->lines[p->matches[list->top + i]]);
		if (list->top + i == list->selected)
			canvas_select(c, y, 0, c->width);
	}
	if (detail > 0)
		draw_detail(p, c, height - detail, detail);
	if (list->rows > 0 && list->count == 0)
		canvas_put(c, 1, list->y, c->width - 1, STYLE_NORMAL, "nothing here has these words");
}

static void
release(struct ui *ui)
{
	catalogue_put(ui->palette_page->catalogue);
	clear(ui->palette_page);
	free(ui->palette_page->lines);
	free(ui->palette_page->matches);
}

static const struct footer_key footer[] = {
	{ "in", "Do it" }, { "out", "Back" }, { "page-down", "More" }, { NULL },
};

static const struct action actions[] = {
	{ "palette", ": ^K",
	  "all that can be done here, by typing: actions, options, views, columns, events, own commands",
	  IN_VIEWS, show },
	{ NULL },
};

const struct page_ops palette_page = {
	.name = "palette", .kinds = IN_LISTS, .actions = actions, .footer = footer,
	.state_size = sizeof(struct palette_page), .release = release,
	.draw = draw, .move = move, .in = in, .out = out, .take_key = take_key, .click = click,
	.take_message = take_message,
};
