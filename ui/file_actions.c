/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written and fetched. */
#include "base/sudo_caller.h"
#include "ui/action_table.h"
#include "ui/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In the working directory, by the time: nobody wants to think of a name now. */
static void
make_name(char *path, size_t size, const char *ending)
{
	time_t now = time(NULL);
	char when[32];
	struct tm tm;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(path, size, "ptop-%s%s", when, ending);
}

void
file_record(struct ui *ui, int what)
{
	static const char *const endings[] = {
		[RECORD_PAST] = "-past.perf.data", [RECORD_ON] = ".perf.data", [RECORD_STOP] = "",
		[RECORD_CHANGE] = "-change.perf.data",
	};
	char path[PROMPT_MAX];

	make_name(path, sizeof(path), endings[what]);
	engine_record(ui->engine, (enum record_what)what, path);
}

static void
open_record_menu(struct ui *ui)
{
	const struct snapshot_head *h;
	char past[64];

	if (ui->snap == NULL) {
		ui_say(ui, false, "nothing is sampled yet");
		return;
	}
	h = &ui->snap->head;
	if (h->history_s < 0)
		snprintf(past, sizeof(past), "what the kernel kept, since it is not read till now");
	else
		snprintf(past, sizeof(past), "the last %.0f s, which the flight recorder kept",
			 h->history_s);
	menu_open(ui, "Write perf.data", file_record);
	if (h->is_recording)
		menu_add(ui, "End the recording", "the file has what was recorded so far",
			 RECORD_STOP, true);
	if (h->history_s != 0)
		menu_add(ui, "What was", past, RECORD_PAST, !h->is_recording);
	menu_add(ui, h->is_recording ? "From now on, anew" : "From now on",
		 "until this menu ends it, or ptop ends", RECORD_ON, h->history_s == 0);
}

/* "~/" is the home folder, as in a shell; of who the file is to belong to. */
static void
export_as(struct ui *ui, enum export_format format, const char *path)
{
	char *home = strncmp(path, "~/", 2) == 0 ? sudo_caller_home() : NULL;
	struct buf whole = { 0 };

	if (home != NULL)
		buf_addf(&whole, "%s%s", home, path + 1);
	else
		buf_add_str(&whole, path);
	engine_export(ui->engine, format, whole.data);
	buf_release(&whole);
	free(home);
}

/* The ending decides, also against the menu. */
static void
export_to(struct ui *ui, const char *path)
{
	enum export_format format = format_of_file(path);
	struct buf fault = { 0 };

	if (format != FORMAT_COUNT) {
		export_as(ui, format, path);
		return;
	}
	buf_add_str(&fault, "its ending names no format: ");
	format_put_endings(&fault);
	prompt_fault(ui, buf_str(&fault));
	buf_release(&fault);
}

static void
ask_path(struct ui *ui, int format)
{
	static const struct question question = { .done = export_to, .proposes = true };
	char path[PROMPT_MAX];

	make_name(path, sizeof(path), format_defs[format].ending);
	prompt_ask(ui, &question, " write to: ", path);
}

/* Formats that cannot be written here are left out. */
static void
open_export_menu(struct ui *ui)
{
	const struct view_def *view = &view_defs[ui->query.view];
	const bool has_stacks = !view->is_counted;
	/* As near to what is seen as a file comes. */
	const enum export_format usual = view->is_tree ? FORMAT_SVG : FORMAT_TEXT;

	if (ui->snap == NULL) {
		ui_say(ui, false, "there is nothing to write yet");
		return;
	}
	menu_open(ui, "Write what is shown as", ask_path);
	for (int i = 0; i < FORMAT_COUNT; i++)
		if (format_defs[i].lacks == NULL &&
		    (has_stacks || format_defs[i].content == CONTENT_ROWS))
			menu_add(ui, format_defs[i].name, format_defs[i].help, i,
				 i == (int)usual);
}

static void
toggle_downloads(struct ui *ui)
{
	engine_toggle_downloads(ui->engine);
}

const struct action file_actions[] = {
	{ "record", "w", "write a perf.data file: of what was, or from now on", IN_SAMPLES,
	  open_record_menu, .recorded = "this is a recording already: copy its file" },
	{ "export", "x", "write what is shown to a file: a table, stacks, a flame graph",
	  IN_SAMPLES, open_export_menu },
	{ "downloads", "S", "stop downloads of debug files, or go on with them", IN_TABLE,
	  toggle_downloads },
	{ NULL },
};
