/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/place.h"

#include <string.h>

void
ui_open_text(struct ui *ui, enum text_kind kind, const char *title, const char *text)
{
	textview_set(&ui->text, &ui->canvas, title, text, strlen(text));
	ui->text.top = 0;
	ui->text.follow = false;
	ui->text_kind = kind;
	ui->screen = SCREEN_TEXT;
	ui_touch(ui);
}

static const char help_marks[] =
	"\nThe sign at the left of a row\n"
	"  k  kernel code or a kernel thread      ?  has no name: i says why\n"
	"  .  its name is on its way              *  ptop itself\n"
	"  x or a dagger: the task has ended; its samples stay\n"
	"\nAbove the rows\n"
	"  999 Hz x 8 cpu   samples per second and CPU; 120 of 999 Hz: fewer than asked\n"
	"                   for, so that ptop keeps to its --budget: see !\n"
	"  lost, throttled  samples that the kernel had no room or time for: see !\n"
	"  not targets      samples of other processes, which are not shown\n"
	"  merged           rare rows became one to keep to --memory: sums stay exact\n"
	"  self             CPU time and memory of ptop itself\n"
	"  window 10 s      rows sum up the last 10 seconds, or less: (2 so far)\n"
	"  [Threads]        the view, of what is named before it: Tab and v change it\n"
	"\nColumns\n";

void
ui_open_help(struct ui *ui)
{
	unsigned where = ui_where(ui);
	struct column_list list;
	struct buf b = { 0 };

	buf_add_str(&b, "Keys\n");
	action_put_help(&b, where);
	buf_add_str(&b, "\nWith the mouse: a click selects, a double click goes in, the wheel\n"
			"moves, a click on a column's title sorts by it.\n");
	if (where == IN_FLAME)
		buf_add_str(&b, "What the mouse points to is told in words below.\n");
	if (where == IN_TREE)
		buf_add_str(&b, "Of lines, - is open and + closed; | goes on with the\n"
				"only one that is called, or calls, there.\n");
	if (where == IN_TABLE) {
		buf_add_str(&b, help_marks);
		place_columns(ui, &list);
		for (size_t i = 0; i < list.count; i++) {
			const struct column *col = &columns[list.ids[i]];

			buf_addf(&b, "  %-9s %s\n", col->title, col->help);
		}
	}
	ui_open_text(ui, TEXT_HELP, "Help (Esc leaves)", b.data);
	buf_release(&b);
}

void
ui_explain(struct ui *ui, const struct row *row)
{
	ui_open_text(ui, TEXT_EXPLAIN, "About this row (Esc leaves)", "asking...\n");
	engine_ask_explain(ui->engine, &ui->query, row->id);
}

void
ui_show_output(struct ui *ui)
{
	ui->screen = SCREEN_OUTPUT;
	ui->output.fresh = true;
	ui_touch(ui);
}
