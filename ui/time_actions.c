/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What time is shown: the window, also one in the past, and how often the screen is refreshed. */
#include "ui/action_table.h"
#include "ui/place.h"
#include "ui/pages.h"

#include "base/num.h"

#include <stdlib.h>
#include <string.h>

#define DELAY_MIN 0.1
#define DELAY_MAX 3600.0

enum { PARTS_OF_ALL = 10 }; /* a window of everything is moved as one of so small a part */

static void
freeze(struct ui *ui)
{
	struct query *q = &ui->query;
	bool is_file = ui->config->engine.input != NULL;

	if (is_file && !q->frozen && ui->snap != NULL && ui->snap->head.progress >= 1) {
		ui_say(ui, false, "a recording that has been read does not change: nothing to freeze");
		return;
	}
	q->frozen = !q->frozen;
	if (q->frozen)
		ui_say(ui, false, "frozen: %s goes on", is_file ? "reading" : "sampling");
	else
		ui_say(ui, false, is_file ? "no longer frozen" : "live again");
	place_ask(ui, false);
}

static void
zero(struct ui *ui)
{
	engine_zero(ui->engine);
	ui_say(ui, false, "the window starts anew");
}

static void
set_delay(struct ui *ui, const char *text)
{
	double s;

	if (*text == '\0')
		return;
	if (!num_double(text, &s) || s < DELAY_MIN || s > DELAY_MAX) {
		prompt_fault(ui, "a number from 0.1 to 3600 is wanted");
		return;
	}
	engine_set_delay(ui->engine, s);
	ui_say(ui, false, "refreshing every %g s", s);
}

static void
delay(struct ui *ui)
{
	static const struct question question = { .done = set_delay };

	prompt_ask(ui, &question, " delay in s: ", "");
}

static void
back_to_usual(struct ui *ui)
{
	struct query usual;

	if (ui->query.end_ns == 0)
		return;
	config_query(ui->config, &usual);
	ui->query.end_ns = 0;
	ui->query.window_ns = usual.window_ns;
	place_ask(ui, false);
}

static void
show_stretch(struct ui *ui, double from_s, double to_s)
{
	ui->query.window_ns = (uint64_t)((to_s - from_s) * 1e9);
	ui->query.end_ns = (uint64_t)(to_s * 1e9);
	place_ask(ui, false);
}

static double
window_s(const struct ui *ui, double span_s)
{
	if (ui->query.window_ns == UINT64_MAX)
		return span_s / PARTS_OF_ALL;
	return (double)ui->query.window_ns / 1e9;
}

/* Half a window earlier (-1) or later (1); later than the end is back to the usual window. */
static void
step(struct ui *ui, int direction)
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

/* "12-18": two numbers, false if they are not. */
static bool
parse_stretch(const char *text, double *from_s, double *to_s)
{
	const char *dash = strchr(text, '-');
	char *from;
	bool good;

	if (dash == NULL)
		return false;
	from = mem_strndup(text, (size_t)(dash - text));
	good = num_double(from, from_s) && num_double(dash + 1, to_s);
	free(from);
	return good;
}

static void
set_stretch(struct ui *ui, const char *text)
{
	double span_s = ui->snap != NULL ? ui->snap->head.span_s : 0, from_s, to_s;

	if (*text == '\0')
		back_to_usual(ui);
	else if (!parse_stretch(text, &from_s, &to_s))
		prompt_fault(ui, "two numbers of seconds since the beginning are wanted: 12-18");
	else if (from_s < 0 || to_s <= from_s)
		prompt_fault(ui, "the second number has to be the greater one");
	else if (from_s >= span_s)
		prompt_fault(ui, "there is nothing so late yet");
	else
		show_stretch(ui, from_s, MIN(to_s, span_s));
}

static void
stretch(struct ui *ui)
{
	static const struct question question = { .done = set_stretch };

	prompt_ask(ui, &question,
		   " from-to in s since the beginning (nothing: the usual window): ", "");
}

enum { BEFORE_CHANGE = COMPARE_COUNT }; /* of the menu: the time up to what has changed last */

#define WINDOW_NS (10 * NSEC_PER_SEC) /* of a recording, which is shown as a whole at first */

static void
compare_with(struct ui *ui, int value)
{
	struct query *q = &ui->query;

	if (value == COMPARE_BEFORE && q->window_ns == UINT64_MAX) {
		ui_say(ui, true, "the window holds all there is: ~ chooses a stretch that has a before");
		return;
	}
	/* What has changed most is first, until another order is chosen. */
	if (value != COMPARE_NOTHING && q->compare == COMPARE_NOTHING) {
		ui->sort = COLUMN_DELTA;
		ui->ascending = false;
	}
	q->compare = (enum compare)value;
	if (value == COMPARE_MOMENT)
		q->then_end_ns = q->end_ns != 0 ? q->end_ns : (uint64_t)(ui->snap->head.span_s * 1e9);
	if (value == BEFORE_CHANGE) {
		q->compare = COMPARE_MOMENT;
		q->then_end_ns = (uint64_t)(ui->snap->head.change_s * 1e9);
		if (q->window_ns == UINT64_MAX)
			q->window_ns = WINDOW_NS;
	}
	place_ask(ui, true);
}

static void
compare(struct ui *ui)
{
	const enum compare now = ui->query.compare;
	const char *recording = ui->config->engine.then_input;
	bool is_off = now == COMPARE_NOTHING;
	bool has_change = ui->snap != NULL && ui->snap->head.change_s > 0;

	menu_open(ui, "Compare the window with", compare_with);
	if (recording != NULL)
		menu_add(ui, "the recording", recording, COMPARE_RECORDING,
			 is_off || now == COMPARE_RECORDING);
	menu_add(ui, "before", "as much time before it", COMPARE_BEFORE,
		 now == COMPARE_BEFORE || (is_off && recording == NULL && !has_change));
	if (has_change)
		menu_add(ui, "before what changed", "as much time up to the last change that C lists",
			 BEFORE_CHANGE, is_off && recording == NULL);
	if (ui->snap != NULL)
		menu_add(ui, "this moment", "it stays, as the window moves on", COMPARE_MOMENT, false);
	menu_add(ui, "nothing", "the window alone", COMPARE_NOTHING, !is_off && now == COMPARE_MOMENT);
}

static void
toggle_errors(struct ui *ui)
{
	ui->query.sums = !ui->query.sums;
	ui_say(ui, false, ui->query.sums ? "how sure each share is, where that is a tenth of it or more"
					 : "shares without how sure they are");
	place_ask(ui, false);
}

const struct action time_actions[] = {
	{ "freeze", "Z", "freeze the screen; sampling goes on", IN_SAMPLES, freeze },
	{ "zero", "z", "start the window anew", IN_SAMPLES, zero,
	  .recorded = "a recording's window cannot start anew" },
	{ "delay", "d", "change the time between refreshes", IN_SAMPLES, delay },
	{ "earlier", ",", "back in time, by half a window",
	  IN_SAMPLES, .step = step, .by = -1 },
	{ "later", ".", "forward in time again, at last to the usual window", IN_SAMPLES,
	  .step = step, .by = 1 },
	{ "stretch", "~", "choose a stretch of the past, in seconds: 12-18", IN_SAMPLES, stretch },
	{ "compare", "=", "what is different: beside the time before, this moment, the recording of --diff",
	  IN_SAMPLES, compare },
	{ "errors", "^B", "how sure shares are, on and off", IN_SAMPLES, toggle_errors },
	{ NULL },
};
