/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/input.h"

#include "base/clock.h"
#include "ui/action_table.h"
#include "ui/keys.h"
#include "ui/other_keys.h"
#include "ui/pages.h"

#include <string.h>

#define HOLD_NS NSEC_PER_SEC
#define DOUBLE_CLICK_NS (400 * NSEC_PER_MSEC)
#define NEWS_READ_NS (700 * NSEC_PER_MSEC) /* nobody has read them before that */

enum { WHEEL_ROWS = 3 };

static const struct action *
action_for(const struct ui *ui, const struct term_event *ev)
{
	return action_of_key(&ui->keymap, ev->key, page_where(page_front(ui)));
}

static void
refuse_unseen(struct ui *ui, int key)
{
	struct buf b = { 0 };

	key_put_name(&b, key);
	ui_say(ui, false, "the rows of this place come in a moment: %s then", buf_str(&b));
	buf_release(&b);
}

/* Titles and the header are there without rows. */
static bool
needs_rows(const struct ui *ui, const struct term_event *ev)
{
	return (pages[page_front(ui)]->kinds & IN_SAMPLES) != 0 &&
	       (ev->key != KEYCODE_RIGHT_CLICK || ev->y >= ui->layout.rows);
}

/* Keeps it until there are rows, or drops it, as they were not to be seen; false: it is carried out now. */
static bool
hold(struct input *in, struct ui *ui, const struct term_event *ev)
{
	const struct action *action = ev->is_pasted ? NULL : action_for(ui, ev);
	enum action_when when = action != NULL ? action->when : AS_TYPED;
	bool lacks_rows = needs_rows(ui, ev) && ui_is_stale(ui);

	if (lacks_rows && when == ON_SEEN_ROWS) {
		refuse_unseen(ui, ev->key);
		return true;
	}
	if (in->held_count == 0 && !(lacks_rows && when == WITH_ROWS))
		return false;
	if (when == AT_ONCE || in->held_count == HELD_MAX)
		return false;
	if (in->held_count == 0)
		in->held_until_ns = clock_mono_ns() + HOLD_NS;
	in->held[in->held_count++] = *ev;
	return true;
}

static void
click(struct input *in, struct ui *ui, const struct term_event *ev)
{
	const struct page_ops *p = pages[page_front(ui)];
	uint64_t now = clock_mono_ns();
	bool same = ev->y == in->click_y && (!p->has_boxes || ev->x == in->click_x);
	bool again = same && now - in->click_ns < DOUBLE_CLICK_NS;

	if (p->click == NULL || !p->click(ui, ev->x, ev->y))
		return;
	in->click_ns = again ? 0 : now;
	in->click_x = ev->x;
	in->click_y = ev->y;
	if (again)
		p->in(ui);
}

/* A stretch of time is dragged over the line of time, wherever the button is let go. */
static bool
drag(struct ui *ui, const struct term_event *ev)
{
	double at_s = 0;
	bool hits = strip_at(&ui->strip, ev->x, ui->strip.y, &at_s);

	if (ev->key == KEYCODE_CLICK) {
		ui->drag_s = strip_at(&ui->strip, ev->x, ev->y, &at_s) ? at_s : -1;
		return ui->drag_s >= 0;
	}
	if (ui->drag_s >= 0 && hits)
		time_show(ui, MIN(ui->drag_s, at_s), MAX(ui->drag_s, at_s) + ui->strip.cell_s);
	ui->drag_s = -1;
	return true;
}

static void
not_bound(struct ui *ui, int key)
{
	struct buf b = { 0 };

	key_put_name(&b, key);
	ui_say(ui, false, "key '%s' is not bound here%s", buf_str(&b),
	       other_key_tell(ui, key, NULL) ? "" : ": h shows the keys");
	buf_release(&b);
}

/* Before it is carried out: it may lead elsewhere. */
static void
take_action(struct ui *ui, int key, const struct action *action)
{
	other_key_tell(ui, key, action);
	action_run(ui, action);
}

/* A character of a text: it is no key, wherever none is typed. */
static void
paste(struct ui *ui, int ch)
{
	const struct page_ops *p = pages[page_front(ui)];

	if (p->take_key != NULL)
		p->take_key(ui, ch);
	else
		ui_say(ui, false, "a paste is for a prompt: press / or : first");
}

static void
run_event(struct input *in, struct ui *ui, const struct term_event *ev)
{
	const struct page_ops *p = pages[page_front(ui)];
	const struct action *action = action_for(ui, ev);

	ui_touch(ui);
	if (ev->is_pasted) {
		paste(ui, ev->key);
		return;
	}
	if (p->take_key != NULL && p->take_key(ui, ev->key))
		return;
	if (p->find_typed != NULL && p->find_typed(ui, ev->key, action))
		return;
	if (ev->key == KEYCODE_CLICK && ui->box == PAGE_NONE && drag(ui, ev))
		return;
	if (ev->key == KEYCODE_RIGHT_CLICK && p->right_click != NULL && p->right_click(ui, ev->x, ev->y))
		return;
	/* On what is below it: not on titles, which a click orders by. */
	if (ev->key == KEYCODE_RIGHT_CLICK && action != NULL &&
	    (ev->y < ui->layout.rows || p->click == NULL || !p->click(ui, ev->x, ev->y)))
		return;
	if (ev->key == KEYCODE_CLICK)
		click(in, ui, ev);
	else if (ev->key == KEYCODE_WHEEL_UP || ev->key == KEYCODE_WHEEL_DOWN)
		page_move(ui, ev->key == KEYCODE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	else if (action != NULL)
		take_action(ui, ev->key, action);
	else if (p->take_key == NULL)
		not_bound(ui, ev->key);
}

/* What the last line had no room for; an Enter that was meant for the row is none for news that come then. */
static bool
shows_status(struct ui *ui, int key)
{
	const struct status *s = &ui->status;

	if (key != KEYCODE_ENTER || !s->is_cut || s->text.len == 0)
		return false;
	if (s->is_news && clock_mono_ns() < s->since_ns + NEWS_READ_NS)
		return false;
	page_open_box(ui, PAGE_NONE); /* which would lie over it */
	text_page_show(ui, "Message (Esc leaves)", ui->status.text.data);
	return true;
}

void
input_event(struct input *in, struct ui *ui, const struct term_event *ev)
{
	bool is_done;

	if (ev->key == KEYCODE_HOVER) {
		page_hover(ui, ev->x, ev->y);
		return;
	}
	if (ev->key == KEYCODE_RELEASE) {
		drag(ui, ev);
		return;
	}
	is_done = shows_status(ui, ev->key);
	page_hover(ui, -1, -1);
	ui_unsay(ui);
	if (!is_done && !hold(in, ui, ev))
		run_event(in, ui, ev);
	ui_touch(ui);
}

void
input_run_held(struct input *in, struct ui *ui)
{
	struct term_event held[HELD_MAX];
	size_t n = in->held_count;
	bool late = clock_mono_ns() >= in->held_until_ns;

	if (n == 0 || (ui_is_stale(ui) && !late))
		return;
	memcpy(held, in->held, n * sizeof(held[0]));
	in->held_count = 0;
	for (size_t i = 0; i < n && ui->away == AWAY_NOT; i++) {
		if (late)
			run_event(in, ui, &held[i]);
		else
			input_event(in, ui, &held[i]); /* may hold again */
	}
}
