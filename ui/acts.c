/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each action of ui/actions.c does. */
#include "ui/rewind.h"

#include <string.h>

void
ui_move(struct ui *ui, long delta)
{
	if (ui->menu.is_open)
		menu_move(&ui->menu, delta);
	else if (ui->screen == SCREEN_PICKER)
		picker_move(&ui->picker, delta);
	else if (ui->screen == SCREEN_TEXT)
		textview_move(&ui->text, delta);
	else if (ui->screen == SCREEN_OUTPUT)
		textview_move(&ui->output_page, delta);
	else if (stacks_is_view(ui))
		stacks_move(ui, delta);
	else if (!ui_is_stale(ui))
		nav_move(nav_place(&ui->nav), ui->snap, delta);
}

static long
page(const struct ui *ui)
{
	size_t n = (size_t)MAX(ui->layout.row_count, 1);

	if (ui->menu.is_open)
		n = ui->menu.page;
	else if (ui->screen == SCREEN_PICKER)
		n = ui->picker.page;
	else if (ui->screen == SCREEN_TEXT)
		n = ui->text.page;
	else if (ui->screen == SCREEN_OUTPUT)
		n = ui->output_page.page;
	else if (stacks_is_view(ui))
		return stacks_page(ui);
	return n > 1 ? (long)n - 1 : 1;
}

static void
act_up(struct ui *ui)
{
	ui_move(ui, -1);
}

static void
act_down(struct ui *ui)
{
	ui_move(ui, 1);
}

static void
act_page_up(struct ui *ui)
{
	ui_move(ui, -page(ui));
}

static void
act_page_down(struct ui *ui)
{
	ui_move(ui, page(ui));
}

static void
act_home(struct ui *ui)
{
	if (stacks_is_view(ui) && !ui->menu.is_open)
		stacks_home(ui);
	else if (ui->screen == SCREEN_TABLE && !ui->menu.is_open)
		nav_unpin(nav_place(&ui->nav));
	else
		ui_move(ui, -INT32_MAX);
}

static void
act_end(struct ui *ui)
{
	if (ui->screen == SCREEN_OUTPUT && !ui->menu.is_open)
		textview_end(&ui->output_page);
	else
		ui_move(ui, INT32_MAX);
}

static void
pick_event(struct ui *ui)
{
	const struct catalogue_event *ev = picker_selected(&ui->picker);
	const char *typed = picker_typed(&ui->picker);

	if (ev == NULL && typed == NULL)
		return;
	if (ev != NULL && ev->state == EVENT_CANNOT) {
		ui_say(ui, true, "%s cannot be opened: %s", ev->name, ev->reason);
		return;
	}
	engine_switch_event(ui->engine, ev != NULL ? ev->name : typed);
	ui->screen = SCREEN_TABLE;
}

static void
explain(struct ui *ui, const struct row *row)
{
	ui_open_text(ui, TEXT_EXPLAIN, "About this row (Esc leaves)", "asking...\n");
	engine_ask_explain(ui->engine, &ui->query, row->id);
}

static void
act_in(struct ui *ui)
{
	const struct row *row;
	const char *why;

	if (ui->menu.is_open) {
		ui_menu_take(ui);
		return;
	}
	if (ui->screen == SCREEN_PICKER) {
		pick_event(ui);
		return;
	}
	if (stacks_is_view(ui)) {
		stacks_in(ui);
		return;
	}
	row = ui_selected(ui);
	if (row == NULL) {
		ui_say(ui, false, "no row to go into yet");
		return;
	}
	nav_to(nav_place(&ui->nav), ui->snap, nav_place(&ui->nav)->index);
	if (nav_in(&ui->nav, row, ui->query.hide_threads, &why))
		ui_ask(ui, true);
	else if (row->location != 0 || row->dso_id != 0)
		explain(ui, row); /* code: what there is behind it is its name */
	else
		ui_say(ui, false, "%s", why);
}

static void
act_out(struct ui *ui)
{
	if (ui->menu.is_open)
		ui->menu.is_open = false;
	else if (ui->screen != SCREEN_TABLE)
		ui->screen = SCREEN_TABLE;
	else if (stacks_is_view(ui) && stacks_out(ui))
		return;
	else if (nav_level(&ui->nav)->has_back)
		ui_set_view(ui, nav_level(&ui->nav)->back);
	else if (nav_out(&ui->nav))
		ui_ask(ui, true);
	else
		ui_say(ui, false, "this is the outermost level: q leaves ptop");
}

static void
act_left(struct ui *ui)
{
	if (stacks_is_view(ui) && !ui->menu.is_open)
		stacks_side(ui, -1);
	else
		act_out(ui);
}

static void
act_right(struct ui *ui)
{
	if (stacks_is_view(ui) && !ui->menu.is_open)
		stacks_side(ui, 1);
	else
		act_in(ui);
}

static void
act_open(struct ui *ui)
{
	stacks_open_line(ui, true);
}

static void
act_close(struct ui *ui)
{
	stacks_open_line(ui, false);
}

static void
step_view(struct ui *ui, int step)
{
	int count = VIEW_COUNT + (ui_has_output(ui) ? 1 : 0);
	int now = ui->screen == SCREEN_OUTPUT ? VIEW_COUNT : (int)nav_level(&ui->nav)->view;
	int to = (now + step + count) % count;

	/* The lower half of the view callers. */
	if (to == VIEW_CALLEES)
		to += step;

	if (to == VIEW_COUNT)
		ui_show_output(ui);
	else
		ui_set_view(ui, (enum view_id)to);
}

static void
act_view_next(struct ui *ui)
{
	step_view(ui, 1);
}

static void
act_view_prev(struct ui *ui)
{
	step_view(ui, -1);
}

static void
act_picker(struct ui *ui)
{
	picker_open(&ui->picker);
	ui->screen = SCREEN_PICKER;
	engine_ask_catalogue(ui->engine);
}

static void
act_find(struct ui *ui)
{
	ui_open_prompt(ui, PROMPT_FIND);
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
		 !ui_find(ui, at + (step > 0 ? 1 : ui->snap->row_count - 1), step))
		ui_say(ui, true, "no row holds '%s'", ui->find);
}

static void
act_find_next(struct ui *ui)
{
	find_again(ui, 1);
}

static void
act_find_prev(struct ui *ui)
{
	find_again(ui, -1);
}

static void
act_filter(struct ui *ui)
{
	ui_open_prompt(ui, PROMPT_FILTER);
}

static void
step_sort(struct ui *ui, int step)
{
	struct column_list list;
	int at = 0, to;

	ui_columns(ui, &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.ids[i] == ui->query.sort)
			at = (int)i;
	to = at + step;
	if (to >= 0 && to < (int)list.count)
		ui_set_sort(ui, list.ids[to]);
	else
		ui_say(ui, false, "no further column");
}

static void
act_sort_left(struct ui *ui)
{
	step_sort(ui, -1);
}

static void
act_sort_right(struct ui *ui)
{
	step_sort(ui, 1);
}

static void
act_sort_invert(struct ui *ui)
{
	ui_set_sort(ui, ui->query.sort);
}

static void
act_event_prev(struct ui *ui)
{
	engine_step_event(ui->engine, -1);
}

static void
act_event_next(struct ui *ui)
{
	engine_step_event(ui->engine, 1);
}

static void
act_event_filter(struct ui *ui)
{
	const char *filter = ui->snap != NULL ? ui->snap->head.event_filter : NULL;

	if (filter == NULL)
		ui_say(ui, false, "the kernel filters tracepoints and probes, as they come: e picks one");
	else if (strlen(filter) >= PROMPT_MAX)
		ui_say(ui, true, "the filter is too long to be changed here");
	else
		ui_open_prompt(ui, PROMPT_EVENT_FILTER);
}

static void
act_freq_more(struct ui *ui)
{
	engine_step_freq(ui->engine, 1);
}

static void
act_freq_fewer(struct ui *ui)
{
	engine_step_freq(ui->engine, -1);
}

/* Turns a member of the query round and says what holds now. */
static void
toggle(struct ui *ui, bool *member, const char *on, const char *off)
{
	*member = !*member;
	ui_say(ui, false, "%s", *member ? on : off);
	ui_ask(ui, false);
}

static void
act_hide_kernel(struct ui *ui)
{
	toggle(ui, &ui->query.hide_kernel, "kernel samples are hidden", "kernel samples are shown");
}

static void
act_hide_user(struct ui *ui)
{
	toggle(ui, &ui->query.hide_user, "user samples are hidden", "user samples are shown");
}

static void
act_hide_self(struct ui *ui)
{
	toggle(ui, &ui->query.hide_self, "ptop itself is hidden", "ptop itself is shown");
}

static void
act_threads(struct ui *ui)
{
	toggle(ui, &ui->query.hide_threads, "threads off: a process opens its functions",
	       "threads on: a process opens its threads");
}

static void
act_idle(struct ui *ui)
{
	toggle(ui, &ui->query.idle, "the idle loop counts like work",
	       "the idle loop is left out of the shares");
}

static void
act_freeze(struct ui *ui)
{
	bool is_file = ui->config->engine.input != NULL;

	if (is_file && !ui->query.frozen && ui->snap != NULL && ui->snap->head.progress >= 1)
		ui_say(ui, false, "a recording: it is read to its end and stands still by itself");
	else
		toggle(ui, &ui->query.frozen, is_file ? "frozen: reading goes on" :
		       "frozen: sampling goes on", is_file ? "no longer frozen" : "live again");
}

static void
act_zero(struct ui *ui)
{
	engine_zero(ui->engine);
	ui_say(ui, false, "the window starts anew");
}

static void
act_delay(struct ui *ui)
{
	ui_open_prompt(ui, PROMPT_DELAY);
}

static void
act_earlier(struct ui *ui)
{
	rewind_step(ui, -1);
}

static void
act_later(struct ui *ui)
{
	rewind_step(ui, 1);
}

static void
act_stretch(struct ui *ui)
{
	ui_open_prompt(ui, PROMPT_STRETCH);
}

static void
act_messages(struct ui *ui)
{
	ui_open_text(ui, TEXT_MESSAGES, "Messages (Esc leaves)", "asking...\n");
	engine_ask_messages(ui->engine);
}

static void
act_explain(struct ui *ui)
{
	const struct row *row = ui_selected(ui);

	if (row == NULL) {
		ui_say(ui, false, "no row to explain yet");
		return;
	}
	explain(ui, row);
}

static void
act_record(struct ui *ui)
{
	if (ui->snap == NULL)
		ui_say(ui, false, "nothing is sampled yet");
	else
		ui_open_record(ui);
}

static void
act_export(struct ui *ui)
{
	if (ui->snap == NULL)
		ui_say(ui, false, "there is nothing to write yet");
	else
		ui_open_export(ui);
}

static void
act_attach(struct ui *ui)
{
	ui_open_prompt(ui, PROMPT_ATTACH);
}

static void
act_detach(struct ui *ui)
{
	const struct row *row = ui_selected(ui);

	if (row == NULL || row->pid <= 0)
		ui_say(ui, false, "select a process to detach, in the list of processes");
	else
		engine_detach(ui->engine, row->pid);
}

static void
act_downloads(struct ui *ui)
{
	engine_toggle_downloads(ui->engine);
}

static void
act_redraw(struct ui *ui)
{
	(void)ui;
	term_redraw();
}

/* The key reaches us as a signal, as a rule; as a key when the terminal does not make one of it. */
static void
act_suspend(struct ui *ui)
{
	ui_touch(ui);
	term_suspend();
}

static void
act_quit(struct ui *ui)
{
	ui->quit = true;
}

#define SETTLED_RATE "a recording: how often was sampled is settled"
#define SETTLED_PROCESSES "a recording has the processes that were recorded"

static const struct handler {
	void (*run)(struct ui *ui);
	bool needs_rows; /* waits for the rows of the place that we have just gone to */
	const char *recorded; /* what is said in its place of a recording; NULL: it works there */
} handlers[ACTION_COUNT] = {
	[ACTION_HELP]         = { ui_open_help, false },
	[ACTION_EVENT_PICKER] = { act_picker, false,
				  "a recording has the events that were recorded: [ and ] step "
				  "through them" },
	[ACTION_VIEW_NEXT]    = { act_view_next, false },
	[ACTION_VIEW_PREV]    = { act_view_prev, false },
	[ACTION_VIEW_MENU]    = { ui_open_views, false },
	[ACTION_IN]           = { act_in, true },
	[ACTION_OUT]          = { act_out, false },
	[ACTION_FIND]         = { act_find, true },
	[ACTION_FIND_NEXT]    = { act_find_next, true },
	[ACTION_FIND_PREV]    = { act_find_prev, true },
	[ACTION_FILTER]       = { act_filter, false },
	[ACTION_SORT_MENU]    = { ui_open_sort, false },
	[ACTION_LEFT]         = { act_left, false },
	[ACTION_RIGHT]        = { act_right, true },
	[ACTION_OPEN]         = { act_open, true },
	[ACTION_CLOSE]        = { act_close, true },
	[ACTION_SORT_LEFT]    = { act_sort_left, false },
	[ACTION_SORT_RIGHT]   = { act_sort_right, false },
	[ACTION_SORT_INVERT]  = { act_sort_invert, false },
	[ACTION_UP]           = { act_up, true },
	[ACTION_DOWN]         = { act_down, true },
	[ACTION_PAGE_UP]      = { act_page_up, true },
	[ACTION_PAGE_DOWN]    = { act_page_down, true },
	[ACTION_HOME]         = { act_home, true },
	[ACTION_END]          = { act_end, true },
	[ACTION_EVENT_PREV]   = { act_event_prev, false },
	[ACTION_EVENT_NEXT]   = { act_event_next, false },
	[ACTION_EVENT_FILTER] = { act_event_filter, false,
				  "a recording: the kernel filtered when it was made; \\ leaves "
				  "out rows" },
	[ACTION_FREQ_MORE]    = { act_freq_more, false, SETTLED_RATE },
	[ACTION_FREQ_FEWER]   = { act_freq_fewer, false, SETTLED_RATE },
	[ACTION_HIDE_KERNEL]  = { act_hide_kernel, false },
	[ACTION_HIDE_USER]    = { act_hide_user, false },
	[ACTION_HIDE_SELF]    = { act_hide_self, false },
	[ACTION_THREADS]      = { act_threads, false },
	[ACTION_IDLE]         = { act_idle, false },
	[ACTION_FREEZE]       = { act_freeze, false },
	[ACTION_ZERO]         = { act_zero, false,
				  "a recording: there is no window to start anew" },
	[ACTION_DELAY]        = { act_delay, false },
	[ACTION_EARLIER]      = { act_earlier, false },
	[ACTION_LATER]        = { act_later, false },
	[ACTION_STRETCH]      = { act_stretch, false },
	[ACTION_MESSAGES]     = { act_messages, false },
	[ACTION_EXPLAIN]      = { act_explain, true },
	[ACTION_RECORD]       = { act_record, false, "this is a recording already: copy its file" },
	[ACTION_EXPORT]       = { act_export, false },
	[ACTION_ATTACH]       = { act_attach, true, SETTLED_PROCESSES },
	[ACTION_DETACH]       = { act_detach, true, SETTLED_PROCESSES },
	[ACTION_DOWNLOADS]    = { act_downloads, false },
	[ACTION_REDRAW]       = { act_redraw, false },
	[ACTION_SUSPEND]      = { act_suspend, false },
	[ACTION_QUIT]         = { act_quit, false },
	[ACTION_CALLERS]      = { stacks_show_callers, true },
	[ACTION_FLAME]        = { stacks_show_flame, false },
	[ACTION_TREE]         = { stacks_show_tree, false },
};

bool
ui_has_handler(enum action_id action)
{
	return handlers[action].run != NULL;
}

void
ui_act(struct ui *ui, enum action_id action)
{
	const char *recorded = handlers[action].recorded;

	if (ui->config->engine.input != NULL && recorded != NULL)
		ui_say(ui, false, "%s", recorded);
	else
		handlers[action].run(ui);
}

bool
ui_needs_rows(enum action_id action)
{
	return action < ACTION_COUNT && handlers[action].needs_rows;
}
