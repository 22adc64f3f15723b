/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From view to view; what COMMAND wrote is the last of them. */
#include "ui/action_table.h"
#include "ui/pages.h"
#include "ui/place.h"
#include "ui/refusal.h"

#include <stdio.h>
#include <string.h>

static void
show(struct ui *ui, int view)
{
	if (view == VIEW_COUNT)
		output_page_show(ui);
	else
		place_set_view(ui, (enum view_id)view);
}

static void
choose(struct ui *ui, int view)
{
	if (view == VIEW_COUNT)
		output_page_show(ui);
	else
		place_choose_view(ui, (enum view_id)view);
}

/* Callees are the lower half of callers; groups have a menu of their own. */
static bool
is_passed_over(struct ui *ui, enum view_id view)
{
	return view == VIEW_CALLEES || view_defs[view].is_aside || refusal_of_view(ui, view, NULL);
}

static void
step(struct ui *ui, int by)
{
	int count = VIEW_COUNT + (ui->config->engine.command != NULL);
	int now = ui->page == PAGE_OUTPUT ? VIEW_COUNT : (int)nav_level(&ui->nav)->view;
	int to = now;

	do
		to = (to + by + count) % count;
	while (to != now && to < VIEW_COUNT && is_passed_over(ui, (enum view_id)to));
	show(ui, to);
}

/* What the view is for; or why it cannot be shown here. */
static void
add_view(struct ui *ui, enum view_id view, bool is_now)
{
	const char *help = place_is_by_option(ui, view) ? "samples by the keys of --by" : view_defs[view].help;
	struct buf why = { 0 };

	refusal_of_view(ui, view, &why);
	menu_add(ui, view_defs[view].title, why.len > 0 ? buf_str(&why) : help, (int)view, is_now);
	buf_release(&why);
}

static void
open_menu(struct ui *ui)
{
	enum view_id now = nav_level(&ui->nav)->view;
	bool output = ui->page == PAGE_OUTPUT;

	menu_open(ui, "View", choose);
	for (enum view_id v = 0; v < VIEW_COUNT; v++)
		if (v != VIEW_CALLEES)
			add_view(ui, v, !output && v == now);
	if (ui->config->engine.command != NULL)
		menu_add(ui, "Output", "what the command wrote", VIEW_COUNT, output);
}

/* What rows can be, from the widest group to the narrowest. */
static const enum view_id groups[] = {
	VIEW_HOSTS, VIEW_NODES, VIEW_CPUS, VIEW_CGROUPS, VIEW_PODS, VIEW_CONTAINERS, VIEW_UNITS, VIEW_USERS,
	VIEW_PROGRAMS, VIEW_PROCESSES, VIEW_NAMES, VIEW_THREADS, VIEW_DSOS, VIEW_FUNCTIONS,
	VIEW_SYSCALLS,
};

enum {
	GROUP_MACHINE = VIEW_COUNT, /* out of all that one went into */
	GROUP_FIELDS,               /* from here on: a field of the event's payload each */
	GROUP_FIELDS_MAX = 16,      /* that the menu has room for */
};

static const struct snapshot_event *
shown_event(const struct ui *ui)
{
	return ui->snap != NULL ? snapshot_shown(ui->snap) : NULL;
}

/* Samples are told apart by one field at a time. */
static void
group_by_field(struct ui *ui, size_t i)
{
	const struct snapshot_event *e = shown_event(ui);
	struct nav_level *l = nav_level(&ui->nav);

	if (e == NULL || i >= e->field_count)
		return;
	for (size_t k = 0; k < l->within_count; k++) {
		if (l->within[k].key != KEY_FIELD)
			continue;
		ui_say(ui, false, "all of this has one value of a field: Esc leads out of it");
		return;
	}
	snprintf(l->field, sizeof(l->field), "%s", e->fields[i]);
	place_set_view(ui, VIEW_FIELDS);
}

static void
group_by(struct ui *ui, int group)
{
	if (group >= GROUP_FIELDS) {
		group_by_field(ui, (size_t)(group - GROUP_FIELDS));
		return;
	}
	if (group != GROUP_MACHINE) {
		place_set_view(ui, (enum view_id)group);
		return;
	}
	while (nav_out(&ui->nav))
		;
	place_set_view(ui, VIEW_PROCESSES);
}

/* What samples of the event shown carry; the names are the engine's, and stay. */
static void
add_fields(struct ui *ui)
{
	const struct snapshot_event *e = shown_event(ui);
	bool by_field = nav_level(&ui->nav)->view == VIEW_FIELDS;

	for (size_t i = 0; e != NULL && i < MIN(e->field_count, (size_t)GROUP_FIELDS_MAX); i++)
		menu_add(ui, e->fields[i], "a field of the event: one row for each value",
			 GROUP_FIELDS + (int)i,
			 by_field && e->field != NULL && strcmp(e->fields[i], e->field) == 0);
}

static void
open_groups(struct ui *ui)
{
	enum view_id now = nav_level(&ui->nav)->view;

	menu_open(ui, "Group by", group_by);
	menu_add(ui, "Machine", "all processes of the machine: leaves every group", GROUP_MACHINE, false);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (groups[i] == VIEW_HOSTS && ui->config->engine.host_count == 0)
			continue; /* there is this machine alone */
		menu_add(ui, view_defs[groups[i]].title, view_defs[groups[i]].help, (int)groups[i],
			 groups[i] == now);
	}
	add_fields(ui);
}

static void
show_locks(struct ui *ui)
{
	place_enter_list(ui, VIEW_LOCKS);
}

static void
show_calls(struct ui *ui)
{
	place_enter_list(ui, VIEW_CALLS);
}

const struct action view_actions[] = {
	{ "view-next", "Tab", "next view", IN_VIEWS, .step = step, .by = 1 },
	{ "view-previous", "Shift-Tab", "previous view", IN_VIEWS, .step = step,
	  .by = -1 },
	{ "view-menu", "v", "menu of views", IN_VIEWS, open_menu },
	{ "groups", "g", "menu of groups: what rows are of; Enter goes into a row", IN_VIEWS, open_groups },
	{ "locks", "L", "locks that are waited for, and who holds them; opens the event off-cpu",
	  IN_VIEWS, show_locks, .opens = VIEW_LOCKS },
	{ "calls", "B", "functions whose calls are counted, with their times inside", IN_VIEWS,
	  show_calls, .opens = VIEW_CALLS },
	{ NULL },
};
