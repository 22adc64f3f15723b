/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From key to action: the rows of ui/action_table.h say which.
 */
#include "ui/action_table.h"
#include "ui/place.h"
#include "ui/prompt_input.h"

#include "base/clock.h"

#include <string.h>

#define HOLD_NS NSEC_PER_SEC
#define DOUBLE_CLICK_NS (400 * NSEC_PER_MSEC)

enum { WHEEL_ROWS = 3 };

unsigned
ui_where(const struct ui *ui)
{
	static const unsigned where[SCREEN_COUNT] = {
		[SCREEN_TABLE] = IN_TABLE, [SCREEN_TEXT] = IN_TEXT,
		[SCREEN_PICKER] = IN_PICKER, [SCREEN_OUTPUT] = IN_OUTPUT,
	};

	if (!ui->menu.is_open && stacks_is_view(ui))
		return ui->nav.levels[ui->nav.depth].view == VIEW_FLAME ? IN_FLAME : IN_TREE;
	return ui->menu.is_open ? IN_MENU : where[ui->screen];
}

/* Whether the key is kept until the rows that it is about are there; the ones after it too. */
static bool
hold(struct ui *ui, const struct term_event *ev, const struct action *action)
{
	enum action_when when = action != NULL ? action->when : IN_TURN;
	bool rows = when == WITH_ROWS && ui->screen == SCREEN_TABLE && !ui->menu.is_open;

	if (ui->held_count == 0 && !(rows && ui_is_stale(ui)))
		return false;
	if (when == AT_ONCE || ui->held_count == HELD_MAX)
		return false;
	if (ui->held_count == 0)
		ui->held_until_ns = clock_mono_ns() + HOLD_NS;
	ui->held[ui->held_count++] = *ev;
	return true;
}

/* Selects the row at that line; false: there is none. */
static bool
select_row(struct ui *ui, int y)
{
	struct nav_place *p = nav_place(&ui->nav);
	size_t i = p->top + (size_t)(y - ui->layout.rows);

	if (y < ui->layout.rows || y >= ui->layout.rows + ui->layout.row_count ||
	    i >= ui->snap->row_count)
		return false;
	nav_to(p, ui->snap, i);
	return true;
}

static void
click_row(struct ui *ui, const struct term_event *ev)
{
	uint64_t now = clock_mono_ns();
	/* Two boxes beside each other are clicked once each. */
	bool same = ev->y == ui->click_y && (!stacks_is_view(ui) || ev->x == ui->click_x);
	bool again = same && now - ui->click_ns < DOUBLE_CLICK_NS;
	bool hit = stacks_is_view(ui) ? stacks_click(ui, ev->x, ev->y) : select_row(ui, ev->y);

	if (!hit)
		return;
	ui->click_ns = again ? 0 : now;
	ui->click_x = ev->x;
	ui->click_y = ev->y;
	if (again)
		action_run(ui, action_find("in"));
}

static void
click(struct ui *ui, const struct term_event *ev)
{
	int column = table_column_at(&ui->table, ev->x);

	if (ui->menu.is_open) {
		if (menu_click(&ui->menu, ev->x, ev->y))
			action_run(ui, action_find("in"));
		else
			ui->menu.is_open = false;
	} else if (ui->screen == SCREEN_PICKER) {
		picker_click(&ui->picker, ev->y);
	} else if (ui->screen == SCREEN_TABLE && !ui_is_stale(ui)) {
		if (ev->y == ui->layout.titles && column >= 0 && !stacks_is_view(ui))
			place_set_sort(ui, column);
		else
			click_row(ui, ev);
	}
}

static void
not_bound(struct ui *ui, int key)
{
	struct buf b = { 0 };

	key_put_name(&b, key);
	ui_say(ui, false, "key '%s' is not bound here: h shows the keys", buf_str(&b));
	buf_release(&b);
}

static void
run_event(struct ui *ui, const struct term_event *ev)
{
	const struct action *action = action_of_key(ev->key, ui_where(ui));
	bool wheel = ev->key == KEYCODE_WHEEL_UP || ev->key == KEYCODE_WHEEL_DOWN;
	bool typed = ev->key >= ' ' && ev->key < KEYCODE_UP;

	if (ui->question != NULL)
		prompt_take_key(ui, ev->key);
	else if (ev->key == KEYCODE_CLICK)
		click(ui, ev);
	else if (ui->screen == SCREEN_PICKER && !ui->menu.is_open &&
		 (typed || action == NULL || ev->key == KEYCODE_BACKSPACE))
		picker_edit(&ui->picker, ev->key);
	else if (wheel)
		ui_move(ui, ev->key == KEYCODE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	else if (action == NULL)
		not_bound(ui, ev->key);
	else
		action_run(ui, action);
	ui_touch(ui);
}

void
ui_event(struct ui *ui, const struct term_event *ev)
{
	const struct action *action =
		ui->question != NULL ? NULL : action_of_key(ev->key, ui_where(ui));

	if (ev->key == KEYCODE_HOVER) {
		stacks_hover(ui, ev->x, ev->y);
		return;
	}
	stacks_hover_end(ui);
	buf_reset(&ui->status.text);
	if (!hold(ui, ev, action))
		run_event(ui, ev);
	ui_touch(ui);
}

void
ui_run_held(struct ui *ui)
{
	struct term_event held[HELD_MAX];
	size_t n = ui->held_count;
	bool late = clock_mono_ns() >= ui->held_until_ns;

	if (n == 0 || (ui_is_stale(ui) && !late))
		return;
	memcpy(held, ui->held, n * sizeof(held[0]));
	ui->held_count = 0;
	for (size_t i = 0; i < n; i++) {
		if (late)
			run_event(ui, &held[i]);
		else
			ui_event(ui, &held[i]); /* may hold again */
	}
}
