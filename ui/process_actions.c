/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes are sampled. */
#include "ui/action_table.h"
#include "ui/prompt_input.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char recorded_processes[] = "a recording has the processes that were recorded";

const struct action process_actions[] = {
	{ "attach", "p", "sample one more process, from now on, with its descendants or not",
	  IN_SAMPLES, attach, WITH_ROWS, recorded_processes },
	{ "detach", "D", "sample this process no more; its rows stay", IN_TABLE, detach, WITH_ROWS,
	  recorded_processes },
	{ NULL },
};
