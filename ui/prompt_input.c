/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt_input.h"

#include <stdio.h>

void
prompt_ask(struct ui *ui, const struct question *question, const char *label, const char *text)
{
	prompt_open(&ui->prompt, text);
	ui->question = question;
	snprintf(ui->prompt_label, sizeof(ui->prompt_label), "%s", label);
	ui->prompt_value = 0;
	ui_touch(ui);
}

void
prompt_fault(struct ui *ui, const char *fault)
{
	struct buf b = { 0 };

	canvas_add_safe(&ui->canvas, &b, fault);
	snprintf(ui->prompt.fault, sizeof(ui->prompt.fault), "%s", buf_str(&b));
	buf_release(&b);
}

int *
prompt_value(struct ui *ui)
{
	return &ui->prompt_value;
}

void
prompt_take_key(struct ui *ui, int key)
{
	const struct question *q = ui->question;
	struct prompt *p = &ui->prompt;

	switch (prompt_key(p, key)) {
	case PROMPT_GOES_ON:
		break;
	case PROMPT_CHANGED:
		p->fault[0] = '\0';
		if (q->change != NULL)
			q->change(ui, p->text);
		break;
	case PROMPT_DONE:
		p->fault[0] = '\0';
		if (q->done != NULL)
			q->done(ui, p->text);
		if (p->fault[0] == '\0')
			ui->question = NULL;
		break;
	case PROMPT_LEFT:
		if (q->leave != NULL)
			q->leave(ui);
		ui->question = NULL;
		break;
	}
	ui_touch(ui);
}
