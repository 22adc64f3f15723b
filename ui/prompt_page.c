/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"

#include "base/clock.h"

#include <stdio.h>

/* Before that nobody has read a question that was not awaited. */
#define READ_NS (300 * NSEC_PER_MSEC)

struct prompt_page {
	struct prompt prompt;
	const struct question *question;
	char label[160];
	int value;
	uint64_t shown_ns; /* first; 0: it was not yet */
};

void
prompt_ask(struct ui *ui, const struct question *question, const char *label, const char *text)
{
	struct prompt_page *p = ui->prompt_page;

	prompt_open(&p->prompt, text);
	p->prompt.is_proposed = question->proposes;
	p->question = question;
	p->value = 0;
	p->shown_ns = 0;
	snprintf(p->label, sizeof(p->label), "%s", label);
	page_open_box(ui, PAGE_PROMPT);
}

void
prompt_fault(struct ui *ui, const char *fault)
{
	struct prompt *p = &ui->prompt_page->prompt;
	struct buf b = { 0 };

	canvas_add_safe(&ui->canvas, &b, fault);
	snprintf(p->fault, sizeof(p->fault), "%s", buf_str(&b));
	buf_release(&b);
}

int *
prompt_value(struct ui *ui)
{
	return &ui->prompt_page->value;
}

static bool
is_read(const struct prompt_page *p)
{
	return !p->question->is_late ||
	       (p->shown_ns != 0 && clock_mono_ns() - p->shown_ns >= READ_NS);
}

static bool
take_key(struct ui *ui, int key)
{
	const struct question *q = ui->prompt_page->question;
	struct prompt *p = &ui->prompt_page->prompt;

	if (!is_read(ui->prompt_page))
		return true;
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
		/* It may have asked something else. */
		if (p->fault[0] == '\0' && ui->prompt_page->question == q)
			page_open_box(ui, PAGE_NONE);
		break;
	case PROMPT_LEFT:
		if (q->leave != NULL)
			q->leave(ui);
		page_open_box(ui, PAGE_NONE);
		break;
	}
	return true;
}

static void
draw(struct ui *ui)
{
	struct prompt_page *p = ui->prompt_page;
	const char *answers = p->question->answers != NULL ? p->question->answers : "";
	struct canvas *c = &ui->canvas;
	struct buf label = { 0 };

	if (p->shown_ns == 0)
		p->shown_ns = clock_mono_ns();
	buf_add_str(&label, p->label);
	/* What is asked is cut, not what can be answered. */
	if (*answers != '\0')
		canvas_cut(c, &label, MAX(c->width - 1 - canvas_text_width(c, answers), 0));
	buf_add_str(&label, answers);
	prompt_draw(&p->prompt, c, c->height - 1, buf_str(&label));
	buf_release(&label);
}

const struct page_ops prompt_page = {
	.name = "prompt", .state_size = sizeof(struct prompt_page),
	.draw = draw, .take_key = take_key,
};
