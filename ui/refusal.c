/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/refusal.h"

static bool
says(struct buf *why, const char *text)
{
	if (why != NULL)
		buf_add_str(why, text);
	return true;
}

static bool
is_with_hosts(const struct ui *ui)
{
	return ui->config->engine.host_count > 0;
}

static bool
is_of_counts(enum view_id view)
{
	return view == VIEW_COUNTERS || view == VIEW_CALLS;
}

/* Hosts send functions and stacks, and no more. */
static bool
hosts_lack(enum view_id view)
{
	const struct view_def *def = &view_defs[view];

	return def->is_code || def->is_locks || is_of_counts(view);
}

/* Of what is no process or thread, and no group; NULL: we are in none of these. */
static const char *
part_lost(const struct nav_level *l)
{
	return l->dso != 0 ? key_name(KEY_DSO) : l->lock != 0 ? key_name(KEY_LOCK)
	       : l->unnamed ? key_name(KEY_SYMBOL) : NULL;
}

/* Of a group that one is in and that @view cannot keep to; NULL: there is none. */
static const char *
group_lost(struct ui *ui, enum view_id view)
{
	const struct nav_level *l = nav_level(&ui->nav);
	const bool counts = is_of_counts(view);

	/* Stacks and instructions are of threads, not of a CPU; counters are of one process or of all. */
	if (!view_defs[view].is_tree && !view_defs[view].is_code && !counts)
		return NULL;
	for (size_t i = 0; i < l->within_count; i++)
		if (counts || !(WHO_KEYS & KEY_BIT(l->within[i].key)))
			return key_name(l->within[i].key);
	return view == VIEW_COUNTERS ? part_lost(l) : NULL;
}

const char *
refusal_of_counts(struct ui *ui, enum view_id view)
{
	const struct nav_level *l = nav_level(&ui->nav);

	return config_why_uncounted(ui->config, view, l->process != 0 || l->thread != 0);
}

bool
refusal_of_view(struct ui *ui, enum view_id view, struct buf *why)
{
	const struct view_def *def = &view_defs[view];
	const char *uncounted = refusal_of_counts(ui, view), *group;

	if (hosts_lack(view) && is_with_hosts(ui))
		return says(why, "hosts send functions and stacks: instructions, locks and counters are in a ptop there");
	if (uncounted != NULL)
		return says(why, uncounted);
	group = group_lost(ui, view);
	if (group != NULL && why != NULL)
		buf_addf(why, "%s are not told apart by %s: Esc leads out of it",
			 def->is_tree ? "stacks" : def->is_code ? "instructions" : "counts", group);
	return group != NULL;
}

bool
refusal_of_action(struct ui *ui, const struct action *action, struct buf *why)
{
	if (action->recorded != NULL && ui->config->engine.input != NULL)
		return says(why, action->recorded);
	if (action->recorded != NULL && !action->of_hosts && is_with_hosts(ui))
		return says(why, "hosts send what they count: this works in a ptop there");
	if (action->acts && ui->acting.why_not.code != ERR_NONE)
		return says(why, ui->acting.why_not.text);
	return refusal_of_view(ui, action->opens, why);
}
