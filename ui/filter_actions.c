/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the samples are shown, and what they are divided by: each changes the query. */
#include "ui/action_table.h"
#include "ui/place.h"
#include "ui/pages.h"
#include "view/filter.h"

#include <stdio.h>

static bool
is_right(struct ui *ui, const char *text)
{
	struct err err = { 0 };
	struct filter *f = filter_parse(text, &err);
	char fault[sizeof(err.text) + sizeof(err.hint) + 2];

	snprintf(fault, sizeof(fault), *err.hint != '\0' ? "%s: %s" : "%s%s", err.text, err.hint);
	if (f == NULL)
		prompt_fault(ui, fault);
	filter_free(f);
	return f != NULL;
}

static void
check_filter(struct ui *ui, const char *text)
{
	is_right(ui, text);
}

static void
set_filter(struct ui *ui, const char *text)
{
	_Static_assert((int)PROMPT_MAX <= (int)QUERY_FILTER_MAX, "what can be typed fits");
	if (!is_right(ui, text))
		return;
	snprintf(ui->query.filter, sizeof(ui->query.filter), "%s", text);
	place_ask(ui, false);
}

static void
filter(struct ui *ui)
{
	static const struct question question = { .done = set_filter, .change = check_filter };

	prompt_ask(ui, &question, " filter: ", ui->query.filter);
}

/* Turns a member of the query round and says what holds now. */
static void
toggle(struct ui *ui, bool *member, const char *on, const char *off)
{
	*member = !*member;
	ui_say(ui, false, "%s", *member ? on : off);
	place_ask(ui, false);
}

static void
hide_kernel(struct ui *ui)
{
	toggle(ui, &ui->query.hide_kernel, "kernel samples are hidden", "kernel samples are shown");
}

static void
hide_user(struct ui *ui)
{
	toggle(ui, &ui->query.hide_user, "user samples are hidden", "user samples are shown");
}

static void
hide_self(struct ui *ui)
{
	toggle(ui, &ui->query.hide_self, "ptop itself is hidden", "ptop itself is shown");
}

static void
threads(struct ui *ui)
{
	toggle(ui, &ui->query.hide_threads, "threads off: a process opens its functions",
	       "threads on: a process with several opens its threads");
}

static void
idle(struct ui *ui)
{
	toggle(ui, &ui->query.idle, "idle CPUs and threads count like work",
	       "what is idle is left out of what is shown");
}

static void
shares(struct ui *ui)
{
	static const char *const says[SHARES_COUNT] = {
		[SHARES_OF_SHOWN] = "percent of what is shown: where you are, less what filters hide",
		[SHARES_OF_ALL] = "percent of all that the event counted in the window",
		[SHARES_PER_SECOND] = "what the event counted per second; time in milliseconds",
	};

	ui->query.shares = (ui->query.shares + 1) % SHARES_COUNT;
	ui_say(ui, false, "%s", says[ui->query.shares]);
	place_ask(ui, false);
}

const struct action filter_actions[] = {
	{ "filter", "\\ F4", "keep only some rows: comm=nginx dso!=libc* symbol~^ngx_", IN_SAMPLES,
	  filter },
	{ "hide-kernel", "K", "hide or show kernel samples", IN_SAMPLES, hide_kernel },
	{ "hide-user", "U", "hide or show user samples", IN_SAMPLES, hide_user },
	{ "hide-self", "*", "hide or show ptop itself, marked *", IN_SAMPLES, hide_self },
	{ "threads", "H", "threads on or off", IN_TABLE, threads },
	{ "shares", "%", "percent of what is shown, of all, or per second", IN_SAMPLES, shares },
	{ "idle", "O", "count the idle like work, or not", IN_SAMPLES, idle },
	{ NULL },
};
