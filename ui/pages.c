/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MENU_VALUE_OUTPUT = VIEW_COUNT };

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
	keys_put_help(&b, where);
	buf_add_str(&b, "\nWith the mouse: a click selects, a double click goes in, the wheel\n"
			"moves, a click on a column's title sorts by it.\n");
	if (where == IN_FLAME)
		buf_add_str(&b, "What the mouse points to is told in words below.\n");
	if (where == IN_TREE)
		buf_add_str(&b, "Of lines, - is open and + closed; | goes on with the\n"
				"only one that is called, or calls, there.\n");
	if (where == IN_TABLE) {
		buf_add_str(&b, help_marks);
		ui_columns(ui, &list);
		for (size_t i = 0; i < list.count; i++) {
			const struct column *col = &columns[list.ids[i]];

			buf_addf(&b, "  %-9s %s\n", col->title, col->help);
		}
	}
	ui_open_text(ui, TEXT_HELP, "Help (Esc leaves)", b.data);
	buf_release(&b);
}

void
ui_open_views(struct ui *ui)
{
	enum view_id now = nav_level(&ui->nav)->view;
	bool output = ui->screen == SCREEN_OUTPUT;

	menu_open(&ui->menu, "View");
	for (int v = 0; v < VIEW_COUNT; v++)
		if (v != VIEW_CALLEES) /* the lower half of the view callers */
			menu_add(&ui->menu, view_defs[v].title,
				 ui_has_keys(ui, (enum view_id)v) ? "samples by the keys of --by"
								  : view_defs[v].help,
				 v, !output && v == (int)now);
	if (ui_has_output(ui))
		menu_add(&ui->menu, "Output", "what the command wrote", MENU_VALUE_OUTPUT, output);
	ui->menu_kind = MENU_VIEWS;
}

void
ui_open_sort(struct ui *ui)
{
	struct column_list list;

	ui_columns(ui, &list);
	menu_open(&ui->menu, "Sort by");
	for (size_t i = 0; i < list.count; i++) {
		const struct column *col = &columns[list.ids[i]];

		menu_add(&ui->menu, col->title, col->help, list.ids[i],
			 list.ids[i] == ui->query.sort);
	}
	ui->menu_kind = MENU_SORT;
}

void
ui_open_record(struct ui *ui)
{
	const struct snapshot_head *h = &ui->snap->head;

	snprintf(ui->past, sizeof(ui->past), "the last %.0f s, as the flight recorder has them",
		 h->history_s);
	menu_open(&ui->menu, "Write perf.data");
	if (h->is_recording)
		menu_add(&ui->menu, "End the recording", "what was recorded so far is the file",
			 RECORD_STOP, true);
	if (h->history_s > 0)
		menu_add(&ui->menu, "What was", ui->past, RECORD_PAST, !h->is_recording);
	menu_add(&ui->menu, h->is_recording ? "From now on, anew" : "From now on",
		 "until this menu ends it, or ptop ends", RECORD_ON, h->history_s == 0);
	ui->menu_kind = MENU_RECORD;
}

/* In the working directory, by host and time: nobody wants to think of a name now. */
static void
record(struct ui *ui, enum record_what what)
{
	char path[160], when[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(path, sizeof(path), "ptop-%s%s.perf.data", when,
		 what == RECORD_PAST ? "-past" : "");
	engine_record(ui->engine, what, path);
}

/* Those that cannot be written here are left out. */
void
ui_open_export(struct ui *ui)
{
	bool has_stacks = ui->query.view != VIEW_COUNTERS;

	menu_open(&ui->menu, "Write what is shown as");
	for (enum export_format i = 0; i < FORMAT_COUNT; i++)
		if (format_defs[i].lacks == NULL &&
		    (has_stacks || format_defs[i].content == CONTENT_ROWS))
			menu_add(&ui->menu, format_defs[i].name, format_defs[i].help, i,
				 i == FORMAT_SVG);
	ui->menu_kind = MENU_EXPORT;
}

void
ui_show_output(struct ui *ui)
{
	ui->screen = SCREEN_OUTPUT;
	ui->output.fresh = true;
	ui_touch(ui);
}

void
ui_menu_take(struct ui *ui)
{
	int value = ui->menu.items[ui->menu.selected].value;

	ui->menu.is_open = false;
	switch (ui->menu_kind) {
	case MENU_VIEWS:
		if (value == MENU_VALUE_OUTPUT)
			ui_show_output(ui);
		else
			ui_set_view(ui, (enum view_id)value);
		break;
	case MENU_SORT:
		if (value != ui->query.sort)
			ui_set_sort(ui, value);
		break;
	case MENU_RECORD:
		record(ui, (enum record_what)value);
		break;
	case MENU_EXPORT:
		ui->export_format = (enum export_format)value;
		ui_open_prompt(ui, PROMPT_EXPORT);
		break;
	}
}
