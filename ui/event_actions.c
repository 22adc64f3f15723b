/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is sampled: which event, how often, and what the kernel keeps of it. */
#include "ui/action_table.h"
#include "ui/prompt_input.h"

#include <string.h>

static void
pick(struct ui *ui)
{
	picker_open(&ui->picker);
	ui->screen = SCREEN_PICKER;
	engine_ask_catalogue(ui->engine);
}

static void
previous(struct ui *ui)
{
	engine_step_event(ui->engine, -1);
}

static void
next(struct ui *ui)
{
	engine_step_event(ui->engine, 1);
}

/* Only the kernel knows whether it is right. */
static void
set_filter(struct ui *ui, const char *text)
{
	engine_filter_event(ui->engine, text);
}

static void
filter(struct ui *ui)
{
	static const struct question question = { .done = set_filter };
	const char *now = ui->snap != NULL ? ui->snap->head.event_filter : NULL;

	if (now == NULL)
		ui_say(ui, false, "the kernel filters tracepoints and probes, as they come: e picks one");
	else if (strlen(now) >= PROMPT_MAX)
		ui_say(ui, true, "the filter is too long to be changed here");
	else
		prompt_ask(ui, &question, " the kernel keeps (nothing: all): ", now);
}

static void
more(struct ui *ui)
{
	engine_step_freq(ui->engine, 1);
}

static void
fewer(struct ui *ui)
{
	engine_step_freq(ui->engine, -1);
}

static const char recorded_rate[] = "a recording: how often was sampled is settled";

const struct action event_actions[] = {
	{ "event", "e", "pick another event: type to search, Enter switches live", IN_SAMPLES, pick,
	  .recorded = "a recording has the events that were recorded: [ and ] step through them" },
	{ "event-previous", "[", "previous of the events used so far", IN_SAMPLES, previous },
	{ "event-next", "]", "next of the events used so far", IN_SAMPLES, next },
	{ "event-filter", "E", "what the kernel keeps of this tracepoint or probe: prev_pid > 0",
	  IN_SAMPLES, filter,
	  .recorded = "a recording: the kernel filtered when it was made; \\ leaves out rows" },
	{ "freq-more", "+", "more samples per second", IN_TABLE | IN_FLAME, more,
	  .recorded = recorded_rate },
	{ "freq-fewer", "-", "fewer samples per second", IN_TABLE | IN_FLAME, fewer,
	  .recorded = recorded_rate },
	{ NULL },
};
