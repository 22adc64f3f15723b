/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What time is shown: the window, also one in the past, and how often the screen is refreshed. */
#include "ui/action_table.h"
#include "ui/place.h"
#include "ui/pages.h"

#include "base/clock.h"
#include "base/num.h"
#include "view/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELAY_MIN 0.1
#define DELAY_MAX 3600.0
#define WINDOW_MIN 0.1
#define WINDOW_MAX 86400.0

#define PEAK_LEAST 1.3 /* times the mean: what is less is no peak */

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
	if (ui->query.frozen) {
		ui_say(ui, false, "frozen: z would forget what is shown; Z goes on");
		return;
	}
	engine_zero(ui->engine);
	ui_say(ui, false, "the window starts anew: what was before is forgotten");
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
	ui->delay_s = s;
	engine_set_delay(ui->engine, s);
	ui_say(ui, false, "refreshing every %g s", s);
}

static void
delay(struct ui *ui)
{
	static const struct question question = { .done = set_delay };
	char label[48];

	snprintf(label, sizeof(label), " delay in s (now %g): ", ui->delay_s);
	prompt_ask(ui, &question, label, "");
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

double
time_end_s(const struct ui *ui)
{
	const struct snapshot_head *h = &ui->snap->head;

	if (ui->query.end_ns != 0)
		return (double)ui->query.end_ns / 1e9;
	return h->frozen_s > 0 ? h->frozen_s : h->span_s;
}

/* From the beginning to now, which goes on beside a frozen screen. */
static double
now_s(const struct ui *ui)
{
	const struct snapshot_head *h = &ui->snap->head;

	if (h->frozen_s > 0)
		return (double)(clock_mono_ns() - h->moments.begin_ns) / 1e9;
	return h->span_s;
}

/* "kept from 10:31:05 on". */
static void
say_kept(struct ui *ui, const char *what)
{
	const struct moments *m = &ui->snap->head.moments;
	struct buf b = { 0 };

	moment_put(&b, m, MAX(m->kept_ns, m->begin_ns));
	ui_say(ui, false, "%s: kept from %s on", what, b.data);
	buf_release(&b);
}

/* The moments that there are, from which one of the past is chosen; false: nothing is known yet. */
static bool
moments(struct ui *ui, struct moments *m)
{
	if (ui->snap == NULL) {
		ui_say(ui, false, "nothing was sampled yet");
		return false;
	}
	*m = ui->snap->head.moments;
	m->now_ns = m->begin_ns + (uint64_t)(now_s(ui) * 1e9);
	return true;
}

void
time_show(struct ui *ui, double from_s, double to_s)
{
	if (ui->snap == NULL)
		return;
	if (from_s >= now_s(ui)) {
		ui_say(ui, false, "that is still to come");
		return;
	}
	if (to_s <= ui->snap->head.past_s) {
		say_kept(ui, "nothing is known of it");
		return;
	}
	show_stretch(ui, MAX(from_s, 0), MIN(to_s, now_s(ui)));
}

/* Half a window earlier (-1) or later (1); later than the end is back to the usual window. */
static void
step(struct ui *ui, int direction)
{
	double span_s = ui->snap != NULL ? now_s(ui) : 0;
	double past_s = ui->snap != NULL ? ui->snap->head.past_s : 0;
	double len_s = window_s(ui, span_s), end_s;
	bool is_frozen = ui->snap != NULL && ui->snap->head.frozen_s > 0;

	if (ui->query.end_ns == 0 && direction > 0 && !is_frozen) {
		ui_say(ui, false, "there is nothing later: , goes back in time");
		return;
	}
	if (len_s <= 0 || len_s >= span_s - past_s) {
		ui_say(ui, false, "nothing earlier is kept: the window holds all there is");
		return;
	}
	end_s = time_end_s(ui) + direction * len_s / 2;
	if (end_s >= span_s) {
		back_to_usual(ui);
		ui_say(ui, false, "the usual window again");
		return;
	}
	if (end_s <= past_s + len_s)
		say_kept(ui, "nothing earlier is kept");
	end_s = MAX(end_s, past_s + len_s);
	show_stretch(ui, end_s - len_s, end_s);
}

static void
set_stretch(struct ui *ui, const char *text)
{
	uint64_t from_ns, to_ns;
	struct err err = { 0 };
	struct moments m;

	if (*text == '\0') {
		back_to_usual(ui);
		return;
	}
	if (!moments(ui, &m))
		return;
	if (moment_parse_stretch(text, &m, &from_ns, &to_ns, &err) < 0) {
		prompt_fault(ui, err.text);
		return;
	}
	time_show(ui, (double)(int64_t)(from_ns - m.begin_ns) / 1e9,
		  (double)(to_ns - m.begin_ns) / 1e9);
	if (from_ns + NSEC_PER_SEC < MAX(m.kept_ns, m.begin_ns))
		say_kept(ui, "the begin of it is not known");
}

static void
stretch(struct ui *ui)
{
	static const struct question question = { .done = set_stretch };

	prompt_ask(ui, &question, " when (10:41, 10:41:30-10:42, -5m..-0s; nothing: the present): ", "");
}

/* Where the window is the stretch begins (-1) or ends (1) that is shown then. */
static void
bound(struct ui *ui, int side)
{
	double span_s = ui->snap != NULL ? ui->snap->head.span_s : 0;
	double end_s = ui->snap != NULL ? time_end_s(ui) : 0;
	double at_s = side < 0 ? MAX(end_s - window_s(ui, span_s), 1e-3) : end_s;
	double *mine = side < 0 ? &ui->stretch_from_s : &ui->stretch_to_s;
	double *other = side < 0 ? &ui->stretch_to_s : &ui->stretch_from_s;

	*mine = at_s;
	if (*other <= 0 || (*other - at_s) * side >= 0) {
		*other = 0;
		ui_say(ui, false, side < 0 ? "the stretch begins here: ) where it is to end"
					   : "the stretch ends here: ( where it is to begin");
		return;
	}
	time_show(ui, ui->stretch_from_s, ui->stretch_to_s);
	ui->stretch_from_s = ui->stretch_to_s = 0;
}

static void
set_window(struct ui *ui, const char *text)
{
	const bool is_all = strcmp(text, "all") == 0;
	double s = 0;

	if (!is_all && (!num_double(text, &s) || s < WINDOW_MIN || s > WINDOW_MAX)) {
		prompt_fault(ui, "a number from 0.1 to 86400 is wanted, or all");
		return;
	}
	ui->query.window_ns = is_all ? UINT64_MAX : (uint64_t)(s * NSEC_PER_SEC);
	if (is_all)
		ui->query.end_ns = 0;
	place_ask(ui, false);
}

void
time_ask_window(struct ui *ui)
{
	static const struct question question = { .done = set_window };
	char label[56];

	if (ui->query.window_ns == UINT64_MAX)
		snprintf(label, sizeof(label), " window in s, or all (now all): ");
	else
		snprintf(label, sizeof(label), " window in s, or all (now %g): ",
			 (double)ui->query.window_ns / 1e9);
	prompt_ask(ui, &question, label, "");
}

/* Another length of window, with the same end: longer (1), shorter (-1). */
static void
change_length(struct ui *ui, int direction)
{
	static const uint64_t lengths_s[] = { 1, 10, 60, 600 };
	uint64_t window_ns = ui->query.window_ns, next_ns = direction > 0 ? UINT64_MAX : 0;
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths_s); i++) {
		uint64_t ns = lengths_s[i] * NSEC_PER_SEC;

		if (direction > 0 && ns > window_ns)
			next_ns = MIN(next_ns, ns);
		if (direction < 0 && ns < window_ns)
			next_ns = MAX(next_ns, ns);
	}
	if (next_ns == 0) {
		ui_say(ui, false, "a window is a second at least");
		return;
	}
	ui->query.window_ns = next_ns;
	if (next_ns == UINT64_MAX)
		ui->query.end_ns = 0;
	place_ask(ui, false);
	moment_put_length(&b, next_ns);
	ui_say(ui, false, "window %s", next_ns == UINT64_MAX ? "all" : b.data);
	buf_release(&b);
}

static void
present(struct ui *ui)
{
	if (ui->query.end_ns == 0)
		ui_say(ui, false, "this is the present");
	else
		ui_say(ui, false, "the present");
	back_to_usual(ui);
}

static void
set_mark(struct ui *ui, const char *text)
{
	if (*text == '\0')
		text = "mark";
	engine_mark(ui->engine, text, (double)ui->query.end_ns / 1e9);
	ui_say(ui, false, "marked: T shows all marks");
}

static void
mark(struct ui *ui)
{
	static const struct question question = { .done = set_mark };

	prompt_ask(ui, &question, ui->query.end_ns != 0 ? " mark the end of this window as: " : " mark now as: ",
		   "");
}

/* The row that is selected has a line of its own from now on. */
static bool
follow_row(struct ui *ui)
{
	const struct row *row = ui_has_nodes(ui) ? NULL : ui_selected(ui);
	uint32_t process = row != NULL ? row->process : 0, function = row != NULL ? row->location : 0;
	bool is_new = process != ui->query.line_process || function != ui->query.line_function;

	ui->query.line_process = process;
	ui->query.line_function = function;
	return is_new || (process != 0 || function != 0);
}

/* Whether step @i is higher than those around it, and higher than most. */
static bool
is_peak(const struct snapshot *s, int tier, size_t i, enum strip_of of, double most, double mean)
{
	double value = strip_value(s, tier, i, of, most);

	return value > mean * PEAK_LEAST && value > 0.05 &&
	       value >= strip_value(s, tier, i - 1, of, most) &&
	       (i + 1 >= s->timeline[tier].len || value > strip_value(s, tier, i + 1, of, most));
}

static double
mean_of(const struct snapshot *s, int tier, enum strip_of of, double most)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < s->timeline[tier].len; i++) {
		double value = strip_value(s, tier, i, of, most);

		sum += MAX(value, 0);
		known += value >= 0;
	}
	return known > 0 ? sum / (double)known : 0;
}

/* Back from the window to the peak before it, in the finest steps that have one. */
static bool
go_to_peak(struct ui *ui, enum strip_of of)
{
	const struct snapshot *s = ui->snap;
	double end_s = time_end_s(ui) - (ui->query.end_ns != 0 ? window_s(ui, s->head.span_s) : 0);

	for (int t = 0; t < TIMELINE_ROWS; t++) {
		const struct timeline_row *row = &s->timeline[t];
		double most = strip_most(s, t, of), mean = mean_of(s, t, of, most);

		for (size_t i = row->len; i-- > 1;) {
			double at_s = row->from_s + row->step_s * (double)i;

			if (at_s + row->step_s > end_s || !is_peak(s, t, i, of, most, mean))
				continue;
			time_show(ui, at_s, at_s + row->step_s);
			return true;
		}
	}
	return false;
}

void
time_take_snapshot(struct ui *ui)
{
	bool has_row = ui->query.line_process != 0 || ui->query.line_function != 0;

	if (!ui->peak_due || ui_is_stale(ui) || ui->snap->query.seq < ui->query.seq)
		return;
	ui->peak_due = false;
	if (!go_to_peak(ui, has_row && ui->snap->timeline[0].mine != NULL ? STRIP_MINE : STRIP_ALL))
		ui_say(ui, false, "no earlier peak");
}

/* Of the selected row, else of the machine. */
static void
peak(struct ui *ui)
{
	ui->peak_due = true;
	follow_row(ui);
	place_ask(ui, false);
}

static void
time_line(struct ui *ui)
{
	follow_row(ui);
	page_show(ui, PAGE_TIME);
	place_ask(ui, false);
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
	{ "zero", "z", "start the window anew; what this event had before is forgotten", IN_SAMPLES, zero,
	  .recorded = "a recording's window cannot start anew", .of_hosts = true },
	{ "delay", "d", "change the time between refreshes", IN_SAMPLES, delay },
	{ "earlier", ",", "back in time, by half a window",
	  IN_SAMPLES | IN_TIME, .step = step, .by = -1 },
	{ "later", ".", "forward in time again, at last to the usual window", IN_SAMPLES | IN_TIME,
	  .step = step, .by = 1 },
	{ "stretch", "~", "choose a stretch of the past: 10:41, 10:41:30-10:42, -5m..-0s", IN_SAMPLES | IN_TIME,
	  stretch },
	{ "begin-here", "(", "a stretch begins where the window does", IN_SAMPLES | IN_TIME,
	  .step = bound, .by = -1 },
	{ "end-here", ")", "and ends where the window does", IN_SAMPLES | IN_TIME, .step = bound, .by = 1 },
	{ "shorter", "{", "shorter window: 10 min, 1 min, 10 s, 1 s", IN_SAMPLES | IN_TIME,
	  .step = change_length, .by = -1 },
	{ "longer", "}", "longer window, at last all", IN_SAMPLES | IN_TIME, .step = change_length, .by = 1 },
	{ "present", "^E", "back to the present", IN_SAMPLES | IN_TIME, present },
	{ "peak", "'", "back to the next peak of this row, or of the machine", IN_SAMPLES, peak },
	{ "mark", "m", "mark this moment with a name", IN_SAMPLES | IN_TIME, mark },
	{ "time-line", "T", "the line of time, large, and the marks", IN_SAMPLES, time_line },
	{ "compare", "=", "what is different: beside the time before, a mark, the recording of --diff",
	  IN_SAMPLES, compare_menu_open },
	{ "errors", "^B", "how sure shares are, on and off", IN_SAMPLES, toggle_errors },
	{ NULL },
};
