/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rewind.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { PARTS_OF_ALL = 10 }; /* a window of everything is moved as one of so small a part */

static uint64_t
ns_of(double s)
{
	return (uint64_t)(s * 1e9);
}

static void
back_to_usual(struct ui *ui)
{
	if (ui->query.end_ns == 0)
		return;
	ui->query.end_ns = 0;
	ui->query.window_ns = ui->usual_window_ns;
	ui_ask(ui, false);
}

static void
show_stretch(struct ui *ui, double from_s, double to_s)
{
	if (ui->query.end_ns == 0)
		ui->usual_window_ns = ui->query.window_ns;
	ui->query.window_ns = ns_of(to_s - from_s);
	ui->query.end_ns = ns_of(to_s);
	ui_ask(ui, false);
}

static double
window_s(const struct ui *ui, double span_s)
{
	if (ui->query.window_ns == UINT64_MAX)
		return span_s / PARTS_OF_ALL;
	return (double)ui->query.window_ns / 1e9;
}

void
rewind_step(struct ui *ui, int direction)
{
	double span_s = ui->snap != NULL ? ui->snap->head.span_s : 0;
	double past_s = ui->snap != NULL ? ui->snap->head.past_s : 0;
	double len_s = window_s(ui, span_s), end_s;

	if (ui->query.end_ns == 0 && direction > 0) {
		ui_say(ui, false, "there is nothing later: , goes back in time");
		return;
	}
	if (len_s <= 0 || len_s >= span_s - past_s) {
		ui_say(ui, false, "nothing earlier is kept: the window holds all there is");
		return;
	}
	end_s = ui->query.end_ns != 0 ? (double)ui->query.end_ns / 1e9 : span_s;
	end_s += direction * len_s / 2;
	if (end_s >= span_s) {
		back_to_usual(ui);
		ui_say(ui, false, "the usual window again");
		return;
	}
	if (end_s <= past_s + len_s)
		ui_say(ui, false, "nothing earlier is kept: . goes on in time");
	end_s = MAX(end_s, past_s + len_s);
	show_stretch(ui, end_s - len_s, end_s);
}

bool
rewind_choose(struct ui *ui, const char *text, const char **fault)
{
	double span_s = ui->snap != NULL ? ui->snap->head.span_s : 0, from_s, to_s;
	const char *dash = strchr(text, '-');
	char *from;
	bool good;

	if (*text == '\0') {
		back_to_usual(ui);
		return true;
	}
	*fault = "two numbers of seconds since the beginning are wanted: 12-18";
	if (dash == NULL)
		return false;
	from = mem_strndup(text, (size_t)(dash - text));
	good = num_double(from, &from_s) && num_double(dash + 1, &to_s);
	free(from);
	if (!good)
		return false;
	*fault = "the second number has to be the greater one";
	if (from_s < 0 || to_s <= from_s)
		return false;
	*fault = "there is nothing so late yet";
	if (from_s >= span_s)
		return false;
	show_stretch(ui, from_s, MIN(to_s, span_s));
	return true;
}
