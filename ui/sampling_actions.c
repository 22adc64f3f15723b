/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is sampled: which event, how often, what the kernel keeps of it; which processes. */
#include "ui/action_table.h"
#include "ui/pages.h"
#include "ui/refusal.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
step_freq(struct ui *ui, int by)
{
	engine_step_freq(ui->engine, by);
}

static void
set_call_graph(struct ui *ui, int how)
{
	engine_set_call_graph(ui->engine, (enum event_call_graph)how);
}

static const struct {
	enum event_call_graph how;
	const char *name, *help;
} ways[] = {
	{ CALL_GRAPH_AUTO, "auto", "whole for all: frame pointers tell what is beyond a copy" },
	{ CALL_GRAPH_FP, "fp", "frame pointers: cheapest, ends early in code without them" },
	{ CALL_GRAPH_DWARF, "dwarf", "copies of stacks alone, for every event" },
	{ CALL_GRAPH_NONE, "none", "no call chains" },
};

const char *
sampling_chains_name(const struct ui *ui)
{
	for (size_t i = 0; ui->snap != NULL && i < ARRAY_SIZE(ways); i++)
		if (ways[i].how == ui->snap->head.call_graph)
			return ways[i].name;
	return "";
}

static void
choose_call_graph(struct ui *ui)
{
	unsigned now = ui->snap != NULL ? ui->snap->head.call_graph : 0;

	menu_open(ui, "Call chains", set_call_graph);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		menu_add(ui, ways[i].name, ways[i].help, (int)ways[i].how, ways[i].how == now);
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
		ui_say(ui, false, "only tracepoints and probes can have a filter: e picks one");
	else if (strlen(now) >= PROMPT_MAX)
		ui_say(ui, true, "the filter is too long to be changed here");
	else
		prompt_ask(ui, &question, " the kernel keeps (nothing: all): ", now);
}

/* "1234", "1234!" without descendants; without a number, the process that was selected. */
static void
attach_pid(struct ui *ui, const char *text)
{
	size_t len = strlen(text);
	bool alone = len > 0 && text[len - 1] == '!';
	char *number = mem_strndup(text, len - alone);
	uint64_t pid = (uint64_t)*prompt_value(ui);

	if ((*number != '\0' && !num_u64(number, &pid)) || pid == 0 || pid > INT32_MAX)
		prompt_fault(ui, "no process id");
	else
		engine_attach(ui->engine, (int)pid, !alone);
	free(number);
}

static void
attach(struct ui *ui)
{
	static const struct question question = { .done = attach_pid };
	const struct row *row = ui_selected(ui);
	int pid = row != NULL ? MAX(row->pid, 0) : 0;
	char label[80] = " add process with descendants (PID! without): ";

	if (pid > 0)
		snprintf(label, sizeof(label),
			 " add process with descendants (empty: %d; PID! without): ", pid);
	prompt_ask(ui, &question, label, "");
	*prompt_value(ui) = pid;
}

static void
detach(struct ui *ui)
{
	const struct row *row = ui_selected(ui);

	if (row == NULL || row->pid <= 0)
		ui_say(ui, false, "select a process to detach, in the list of processes");
	else
		engine_detach(ui->engine, row->pid);
}

static void
pause_event(struct ui *ui)
{
	engine_toggle_pause(ui->engine);
}

/* In the list of those that are, the row's own. */
static void
count_calls(struct ui *ui)
{
	const struct row *row = ui_selected(ui);
	const char *why = refusal_of_counts(ui, VIEW_CALLS);
	uint32_t location;

	if (row != NULL && row->call != NULL) {
		engine_end_calls(ui->engine, row->call->id);
		return;
	}
	location = page_location(ui);
	if (location == 0)
		ui_say(ui, false, "select a function: its calls can be counted");
	else if (why != NULL && !snapshot_counts_calls(ui->snap, location))
		ui_say(ui, true, "%s", why);
	else
		engine_count_calls(ui->engine, location, nav_level(&ui->nav)->process);
}

static const char recorded_processes[] = "the processes of a recording cannot be changed";
static const char recorded_rate[] = "the rate of a recording cannot be changed";

const struct action sampling_actions[] = {
	{ "event", "e", "pick another event: type to search, Enter switches live", IN_SAMPLES,
	  picker_page_show,
	  .recorded = "a recording has only its own events: [ and ] step through them", .of_hosts = true },
	{ "event-previous", "[", "previous of the events used so far", IN_SAMPLES,
	  .step = picker_step, .by = -1 },
	{ "event-next", "]", "next of the events used so far", IN_SAMPLES, .step = picker_step,
	  .by = 1 },
	{ "event-filter", "E", "filter this tracepoint or probe in the kernel: prev_pid > 0",
	  IN_SAMPLES | IN_HITS, filter,
	  .recorded = "the kernel filters only while it records; \\ filters rows" },
	{ "event-pause", "P", "stop sampling this event, or go on; its rows wait meanwhile",
	  IN_SAMPLES, pause_event, .recorded = "a recording is not sampled: Z freezes the screen" },
	{ "freq-more", "+", "more samples per second", IN_TABLE | IN_FLAME, .step = step_freq,
	  .by = 1, .recorded = recorded_rate },
	{ "freq-fewer", "-", "fewer samples per second", IN_TABLE | IN_FLAME, .step = step_freq,
	  .by = -1, .recorded = recorded_rate },
	{ "call-graph", "G", "how call chains are taken: whole, or cheaper", IN_SAMPLES,
	  choose_call_graph,
	  .recorded = "the call chains of a recording are as they were taken" },
	{ "count-calls", "b", "count the calls of this function, and their time inside; again: end that",
	  IN_SAMPLES | IN_ANNOTATE, count_calls, WITH_ROWS,
	  "the functions of a recording do not run: nothing can be counted" },
	{ "attach", "p", "sample one more process, from now on, with its descendants or not",
	  IN_SAMPLES, attach, WITH_ROWS, recorded_processes },
	{ "detach", "D", "stop sampling this process; its rows stay", IN_TABLE, detach, ON_SEEN_ROWS,
	  recorded_processes },
	{ NULL },
};
