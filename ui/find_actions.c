/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/find_actions.h"

#include "ui/action_table.h"
#include "ui/place.h"
#include "ui/prompt_input.h"

#include <stdio.h>
#include <string.h>

static bool
row_holds(struct ui *ui, const struct column_list *list, const struct row *row, struct buf *b)
{
	buf_reset(b);
	table_put_text(b, list, row, ui->canvas.ascii);
	return strcasestr(buf_str(b), ui->find) != NULL;
}

static bool
find_row(struct ui *ui, size_t from, int step)
{
	struct nav_place *p = nav_place(&ui->nav);
	struct buf b = { 0 };
	size_t n = ui->snap->row_count, i = from;
	struct column_list list;
	bool found = false;

	if (n == 0)
		return false;
	place_columns(ui, &list);
	for (size_t tried = 0; tried < n && !found; tried++) {
		i = (i + n) % n;
		found = row_holds(ui, &list, &ui->snap->rows[i], &b);
		if (!found)
			i += step > 0 ? 1 : n - 1;
	}
	if (found)
		nav_to(p, ui->snap, i % n);
	buf_release(&b);
	return found;
}

/* From where the search began, in what is shown now. */
static void
find_first(struct ui *ui)
{
	if (stacks_is_view(ui)) {
		stacks_find_leave(ui);
		if (ui->find[0] != '\0' && !stacks_find(ui, 1, false))
			prompt_fault(ui, "no function holds this");
		return;
	}
	if (ui->find[0] == '\0')
		*nav_place(&ui->nav) = ui->find_from;
	else if (!find_row(ui, ui->find_from.index, 1))
		prompt_fault(ui, "no row holds this");
	if (ui->find[0] == '\0')
		nav_find(nav_place(&ui->nav), ui->snap);
}

static void
change(struct ui *ui, const char *text)
{
	snprintf(ui->find, sizeof(ui->find), "%s", text);
	ui->find_due = ui_is_stale(ui);
	if (!ui->find_due)
		find_first(ui);
}

void
find_late(struct ui *ui)
{
	if (!ui->find_due || ui_is_stale(ui))
		return;
	ui->find_due = false;
	stacks_find_begin(ui);
	find_first(ui);
}

static void
leave(struct ui *ui)
{
	ui->find_due = false;
	*nav_place(&ui->nav) = ui->find_from;
	if (stacks_is_view(ui)) {
		ui->find[0] = '\0';
		stacks_find_leave(ui);
		return;
	}
	if (!ui_is_stale(ui))
		nav_find(nav_place(&ui->nav), ui->snap);
}

static void
find(struct ui *ui)
{
	static const struct question question = { .change = change, .leave = leave };

	ui->find_from = *nav_place(&ui->nav);
	stacks_find_begin(ui);
	prompt_ask(ui, &question, " find: ", "");
}

static void
find_again(struct ui *ui, int step)
{
	size_t at = nav_place(&ui->nav)->index;

	if (ui->find[0] == '\0')
		ui_say(ui, false, "nothing to find yet: / asks what");
	else if (stacks_is_view(ui) && stacks_find(ui, step, true))
		return;
	else if (ui_is_stale(ui) || ui->snap->row_count == 0 ||
		 !find_row(ui, at + (step > 0 ? 1 : ui->snap->row_count - 1), step))
		ui_say(ui, true, "no row holds '%s'", ui->find);
}

static void
next(struct ui *ui)
{
	find_again(ui, 1);
}

static void
previous(struct ui *ui)
{
	find_again(ui, -1);
}

const struct action find_actions[] = {
	{ "find", "/", "find a row by any of its text, while typing", IN_SAMPLES, find, WITH_ROWS },
	{ "find-next", "n", "next row found", IN_SAMPLES, next, WITH_ROWS },
	{ "find-previous", "N", "previous row found", IN_SAMPLES, previous, WITH_ROWS },
	{ NULL },
};
