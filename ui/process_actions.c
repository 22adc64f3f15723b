/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be done to processes: signals, nice values, CPUs, the user's own commands. */
#include "ui/action_table.h"
#include "ui/away.h"
#include "ui/pages.h"
#include "ui/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NICE_MIN = -20, NICE_MAX = 19, OTHER_SIGNAL = 0 };

/* One key answers, and nothing but y is a yes. */
static void
confirm(struct ui *ui, const char *text)
{
	const int sig = *prompt_value(ui);
	const struct broker_request request = { .action = BROKER_SIGNAL, .argument = sig };
	struct buf name = { 0 };

	page_open_box(ui, PAGE_NONE);
	signal_put_name(&name, sig);
	if (*text == 'y' || *text == 'Y')
		acting_ask(ui, &request, buf_str(&name));
	else
		ui_say(ui, false, "%s is not sent", buf_str(&name));
	buf_release(&name);
}

static void
refuse(struct ui *ui)
{
	confirm(ui, "");
}

static const struct question sure = {
	.done = confirm, .change = confirm, .leave = refuse, .answers = "? y/N ",
};

static void
ask_signal(struct ui *ui, int sig)
{
	struct buf b = { 0 };

	if (!acting_is_possible(ui))
		return;
	acting_choose_processes(ui);
	buf_add_str(&b, "send ");
	signal_put_name(&b, sig);
	buf_addf(&b, " to %s", buf_str(&ui->acting.whom));
	prompt_ask(ui, &sure, buf_str(&b), "");
	*prompt_value(ui) = sig;
	buf_release(&b);
}

static void
type_signal(struct ui *ui, const char *text)
{
	int sig = signal_parse(text);

	if (sig == 0)
		prompt_fault(ui, "a name as RTMIN+1, or a number from 1 to 64");
	else
		ask_signal(ui, sig);
}

static const struct question which_signal = { .done = type_signal };

static void
take_signal(struct ui *ui, int sig)
{
	if (sig == OTHER_SIGNAL)
		prompt_ask(ui, &which_signal, "signal: ", "");
	else
		ask_signal(ui, sig);
}

static void
open_signals(struct ui *ui, int unused)
{
	(void)unused;
	menu_open(ui, "Send", take_signal);
	for (const struct signal_def *d = signal_defs; d->name != NULL; d++)
		menu_add(ui, d->name, d->help, d->number, d->number == SIGTERM);
	menu_add(ui, "other", "by its name or number: real-time signals, too", OTHER_SIGNAL, false);
}

static void
take_nice(struct ui *ui, const char *text)
{
	char *end;
	const long value = strtol(text, &end, 10);
	const struct broker_request request = { .action = BROKER_NICE, .argument = value };

	if (end == text || *end != '\0' || value < NICE_MIN || value > NICE_MAX)
		prompt_fault(ui, "a number from -20 to 19");
	else
		acting_ask(ui, &request, "");
}

static const struct question which_nice = { .done = take_nice };

static void
type_nice(struct ui *ui, const struct broker_reply *now)
{
	struct buf b = { 0 };

	buf_addf(&b, "nice value of %s, now %d: ", buf_str(&ui->acting.whom), now->value);
	prompt_ask(ui, &which_nice, buf_str(&b), "");
	buf_release(&b);
}

static void
ask_nice(struct ui *ui, int unused)
{
	(void)unused;
	acting_look(ui, BROKER_LOOK, type_nice);
}

static void
ask_cpus(struct ui *ui, int unused)
{
	(void)unused;
	acting_look(ui, BROKER_LOOK, cpus_page_show);
}

/* The menu: these, and the user's commands. */
static const struct entry {
	const char *name, *help;
	void (*run)(struct ui *ui, int argument);
	int argument;
} entries[] = {
	{ "end", "SIGTERM: it is asked to end, and can put its things in order", ask_signal, SIGTERM },
	{ "kill", "SIGKILL: the kernel ends it at once", ask_signal, SIGKILL },
	{ "signal...", "all signals, from a list", open_signals, 0 },
	{ "nice...", "its nice value: the higher, the less CPU time it has where others want it",
	  ask_nice, 0 },
	{ "CPUs...", "the CPUs that it may run on", ask_cpus, 0 },
};

const char *
process_menu_help(size_t i, const char **name)
{
	if (i >= ARRAY_SIZE(entries))
		return NULL;
	*name = entries[i].name;
	return entries[i].help;
}

void
process_run_command(struct ui *ui, int i)
{
	const struct broker_request request = { .action = BROKER_RUN, .argument = i };

	if (!acting_is_possible(ui))
		return;
	if (ui->acting.count != 1) {
		ui_say(ui, true, "a command takes one process: ^U takes the tags off");
		return;
	}
	away_begin(ui);
	acting_ask(ui, &request, ui->acting.commands[i].name);
}

static void
take_entry(struct ui *ui, int value)
{
	const int count = ARRAY_SIZE(entries);

	if (!acting_is_possible(ui))
		return;
	if (value < count)
		entries[value].run(ui, entries[value].argument);
	else
		process_run_command(ui, value - count);
}

static void
open_menu(struct ui *ui)
{
	struct acting *a = &ui->acting;

	if (!acting_choose(ui))
		return;
	menu_open(ui, buf_str(&a->whom), take_entry);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		menu_add(ui, entries[i].name, entries[i].help, (int)i, i == 0);
	for (size_t i = 0; i < a->command_count; i++)
		menu_add(ui, a->commands[i].name, a->helps[i], (int)(ARRAY_SIZE(entries) + i), false);
}

static void
step_nice(struct ui *ui, int by)
{
	const struct broker_request request = { .action = BROKER_NICE_BY, .argument = by };

	if (acting_choose(ui))
		acting_ask(ui, &request, "");
}

#define RECORDED "what a recording shows is over: nothing can be done to its processes"

const struct action process_actions[] = {
	{ "process-menu", "F9 M RightClick",
	  "what can be done to this process, or to those tagged: signals, nice value, CPUs, own commands",
	  IN_TABLE, open_menu, ON_SEEN_ROWS, RECORDED, .acts = true },
	{ "nice-lower", "F7", "a nice value lower by one: more CPU time for this process, or those tagged",
	  IN_TABLE, .step = step_nice, .by = -1, .when = ON_SEEN_ROWS, .recorded = RECORDED, .acts = true },
	{ "nice-higher", "F8", "a nice value higher by one: less CPU time where others want it", IN_TABLE,
	  .step = step_nice, .by = 1, .when = ON_SEEN_ROWS, .recorded = RECORDED, .acts = true },
	{ "name-code", "J",
	  "have the runtime of this code, or of this process, write its names: asked first",
	  IN_TABLE | IN_TEXT, name_code_ask, WITH_ROWS, RECORDED, .acts = true },
	{ NULL },
};
