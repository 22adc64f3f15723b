/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the window is compared with: the menu of =. */
#include "ui/pages.h"
#include "ui/place.h"

#include "view/moment.h"

#include <limits.h>

/* Of the menu: the time up to what has changed last, as it is, and up to marks, in tenths of a second. */
enum { BEFORE_CHANGE = COMPARE_COUNT, AS_IT_IS, FIRST_MARK, MENU_MARKS = 20 };

#define WINDOW_NS (10 * NSEC_PER_SEC) /* of a recording, which is shown as a whole at first */

static uint64_t
since_begin_ns(double s)
{
	return (uint64_t)(s * 1e9);
}

static bool
compares_with_time(const struct query *q, double end_s)
{
	return q->compare == COMPARE_MOMENT && q->then_end_ns == since_begin_ns(end_s);
}

/* Beside as much time up to @end_s. */
static void
compare_with_time(struct query *q, double end_s)
{
	q->compare = COMPARE_MOMENT;
	q->then_end_ns = since_begin_ns(end_s);
	if (q->window_ns == UINT64_MAX)
		q->window_ns = WINDOW_NS;
}

static void
compare_with(struct ui *ui, int value)
{
	struct query *q = &ui->query;

	if (value == AS_IT_IS)
		return;
	if (value == COMPARE_BEFORE && q->window_ns == UINT64_MAX) {
		ui_say(ui, true, "the window holds all there is: ~ chooses a stretch that has a before");
		return;
	}
	/* What has changed most is first, until another order is chosen. */
	if (value != COMPARE_NOTHING && q->compare == COMPARE_NOTHING) {
		ui->sort = COLUMN_DELTA;
		ui->ascending = false;
	}
	if (value == BEFORE_CHANGE)
		compare_with_time(q, ui->snap->head.before_change_s);
	else if (value >= FIRST_MARK)
		compare_with_time(q, (value - FIRST_MARK) / 10.0);
	else
		q->compare = (enum compare)value;
	place_leave_difference(ui);
	/* Processes of one host are none of another. */
	if (value == COMPARE_OTHERS && (q->view == VIEW_PROCESSES || q->view == VIEW_THREADS)) {
		place_set_view(ui, VIEW_FUNCTIONS);
		return;
	}
	if (value == COMPARE_MOMENT)
		q->then_end_ns = since_begin_ns(time_end_s(ui));
	place_ask(ui, true);
}

static void
put_moment(struct buf *b, const struct ui *ui, uint64_t since_ns)
{
	const struct moments *m = &ui->snap->head.moments;

	moment_put(b, m, m->begin_ns + since_ns);
}

/*
 * The newest first; the time before one that is at the begin is not known.  Whether what is on is in the
 * menu, as it was @is_met.
 */
static bool
add_marks(struct ui *ui, bool is_met)
{
	const struct snapshot *s = ui->snap;
	struct buf b = { 0 };

	for (size_t i = 0; i < MIN(s->mark_count, (size_t)MENU_MARKS); i++) {
		const struct snapshot_mark *mark = &s->marks[s->mark_count - 1 - i];
		bool is_on;
		int tenths;

		if (mark->at_s <= s->head.past_s || mark->at_s > INT_MAX / 20.0)
			continue;
		tenths = (int)(mark->at_s * 10);
		is_on = !is_met && compares_with_time(&ui->query, tenths / 10.0);
		is_met |= is_on;
		buf_reset(&b);
		put_moment(&b, ui, since_begin_ns(mark->at_s));
		buf_add_str(&b, "  ");
		canvas_add_safe(&ui->canvas, &b, mark->text);
		menu_add(ui, "before mark", buf_str(&b), FIRST_MARK + tenths, is_on);
	}
	buf_release(&b);
	return is_met;
}

/* A moment that was chosen, and is neither that of the newest change nor a mark's. */
static void
add_same_moment(struct ui *ui)
{
	struct buf b = { 0 };

	buf_add_str(&b, "as much time up to ");
	put_moment(&b, ui, ui->query.then_end_ns);
	menu_add(ui, "the same moment", buf_str(&b), AS_IT_IS, true);
	buf_release(&b);
}

static bool
is_in_host(const struct nav_level *l)
{
	for (size_t i = 0; i < l->within_count; i++)
		if (l->within[i].key == KEY_HOST)
			return true;
	return false;
}

/* The menu stands on what is on, else on what is meant most likely. */
void
compare_menu_open(struct ui *ui)
{
	const enum compare now = ui->query.compare;
	const char *recording = ui->config->engine.then_input;
	bool is_off = now == COMPARE_NOTHING;
	bool has_change = ui->snap != NULL && ui->snap->head.before_change_s > 0;
	bool is_change = has_change && compares_with_time(&ui->query, ui->snap->head.before_change_s);
	bool in_host = is_in_host(nav_level(&ui->nav));

	menu_open(ui, "Compare the window with", compare_with);
	if (recording != NULL)
		menu_add(ui, "the recording", recording, COMPARE_RECORDING,
			 is_off || now == COMPARE_RECORDING);
	if (in_host)
		menu_add(ui, "the other hosts", "which functions this one is not like them in",
			 COMPARE_OTHERS, is_off || now == COMPARE_OTHERS);
	menu_add(ui, "before", "as much time before it", COMPARE_BEFORE,
		 now == COMPARE_BEFORE || (is_off && recording == NULL && !has_change && !in_host));
	if (has_change)
		menu_add(ui, "before what changed", "as much time before the newest change that C lists",
			 BEFORE_CHANGE, is_change || (is_off && recording == NULL && !in_host));
	if (ui->snap != NULL) {
		menu_add(ui, "this moment", "it stays, as the window moves on", COMPARE_MOMENT, false);
		if (!add_marks(ui, is_change) && now == COMPARE_MOMENT)
			add_same_moment(ui);
	}
	menu_add(ui, "nothing", "the window alone", COMPARE_NOTHING, false);
}
