/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Search: each page that has rows, or lines, knows how to look for them. */
#include "ui/pages.h"

#include "ui/action_table.h"
#include "ui/place.h"

#include <stdio.h>

static const struct page_ops *
page(const struct ui *ui)
{
	return pages[page_full(ui)];
}

/* Where the rows of another place may be on their way. */
static bool
is_of_samples(const struct ui *ui)
{
	return page_full(ui) == page_of_place(ui);
}

static size_t
count(const struct ui *ui)
{
	if (page(ui)->count != NULL)
		return page(ui)->count(ui);
	return ui_has_nodes(ui) ? ui->snap->node_count : 0;
}

static bool
holds(const struct ui *ui, size_t i)
{
	return page(ui)->holds != NULL ? page(ui)->holds(ui, i) : ui->found.is[i];
}

static void
keep(struct ui *ui)
{
	ui->kept.len = 0;
	if (page(ui)->keep != NULL)
		page(ui)->keep(ui);
	else if (is_of_samples(ui) && ui_has_nodes(ui))
		nodepath_set(&ui->kept, ui->snap, (uint32_t)page(ui)->selected(ui));
}

static void
go_back(struct ui *ui)
{
	if (page(ui)->go_back != NULL)
		page(ui)->go_back(ui);
	else if (is_of_samples(ui) && ui_has_nodes(ui) && ui->kept.len > 0)
		page(ui)->select(ui, nodepath_find(&ui->kept, ui->snap));
}

/* Selects the next that holds the text, from number @from on in steps of @by, wrapping round. */
static bool
find_from(struct ui *ui, size_t from, int by)
{
	size_t n = count(ui), i = from;

	for (size_t tried = 0; tried < n; tried++, i += by > 0 ? 1 : n - 1) {
		if (holds(ui, i % n)) {
			page(ui)->select(ui, i % n);
			return true;
		}
	}
	return false;
}

/* From where the search began, in what is shown now. */
static void
find_first(struct ui *ui)
{
	char fault[64];

	nodefound_search(&ui->found, ui->snap, ui->find);
	go_back(ui);
	if (ui->find[0] == '\0' || find_from(ui, page(ui)->selected(ui), 1))
		return;
	snprintf(fault, sizeof(fault), "no %s holds this", page(ui)->finds);
	prompt_fault(ui, fault);
}

static void
change(struct ui *ui, const char *text)
{
	snprintf(ui->find, sizeof(ui->find), "%s", text);
	ui->find_due = is_of_samples(ui) && ui_is_stale(ui);
	if (!ui->find_due)
		find_first(ui);
	/* What is too small to be there is in the sum, too. */
	if (is_of_samples(ui) && query_wants_nodes(&ui->query))
		place_ask(ui, false);
}

void
find_in_new_rows(struct ui *ui)
{
	nodefound_search(&ui->found, ui->snap, ui->find);
	if (!ui->find_due || ui_is_stale(ui))
		return;
	ui->find_due = false;
	/* Another page may have come before them meanwhile. */
	if (!is_of_samples(ui))
		return;
	keep(ui);
	find_first(ui);
}

static void
leave(struct ui *ui)
{
	ui->find_due = false;
	if (query_wants_nodes(&ui->query)) {
		ui->find[0] = '\0'; /* what it finds is marked there */
		nodefound_search(&ui->found, ui->snap, "");
	}
	go_back(ui);
}

static void
find(struct ui *ui)
{
	static const struct question question = { .change = change, .leave = leave };

	keep(ui);
	prompt_ask(ui, &question, " find: ", "");
}

static void
find_again(struct ui *ui, int by)
{
	size_t n = count(ui);

	if (ui->find[0] == '\0')
		ui_say(ui, false, "nothing to find yet: / asks what");
	else if (n == 0 || !find_from(ui, page(ui)->selected(ui) + (by > 0 ? 1 : n - 1), by))
		ui_say(ui, true, "no row holds '%s'", ui->find);
}

enum { WHERE = IN_SAMPLES | IN_TEXT | IN_OUTPUT | IN_HITS };

const struct action find_actions[] = {
	{ "find", "/ F3", "find a row or line by any of its text, while typing", WHERE, find, WITH_ROWS },
	{ "find-next", "n", "next row found", WHERE, .step = find_again, .by = 1, .when = WITH_ROWS },
	{ "find-previous", "N", "previous row found", WHERE, .step = find_again, .by = -1,
	  .when = WITH_ROWS },
	{ NULL },
};
