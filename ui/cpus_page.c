/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPUs that a process may run on, ticked in a list, or typed. */
#include "ui/action_table.h"
#include "ui/choice.h"
#include "ui/pages.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_WIDTH = 4, CPU_WIDTH = 12 };

struct cpus_page {
	uint64_t cpus[BROKER_CPU_WORDS]; /* those ticked */
	struct snapshot *snap; /* whose CPUs are listed: those on line when it was opened */
	struct choice choice;
};

static unsigned
cpu_at(const struct cpus_page *p, size_t i)
{
	return p->snap->head.cpus[i].cpu;
}

void
cpus_page_show(struct ui *ui, const struct broker_reply *now)
{
	struct cpus_page *p = ui->cpus_page;

	if (ui->snap == NULL || ui->snap->head.cpu_count == 0) {
		ui_say(ui, true, "it is not known yet which CPUs there are");
		return;
	}
	snapshot_put(p->snap);
	p->snap = snapshot_get(ui->snap);
	memcpy(p->cpus, now->cpus, sizeof(p->cpus));
	choice_begin(&p->choice, p->snap->head.cpu_count);
	page_show(ui, PAGE_CPUS);
}

static void
apply(struct ui *ui)
{
	struct broker_request request = { .action = BROKER_CPUS_SET };

	memcpy(request.cpus, ui->cpus_page->cpus, sizeof(request.cpus));
	page_show(ui, PAGE_NONE);
	acting_ask(ui, &request, "");
}

static void
toggle(struct ui *ui)
{
	struct cpus_page *p = ui->cpus_page;
	unsigned cpu = cpu_at(p, p->choice.selected);

	if (cpu < BROKER_CPUS)
		p->cpus[cpu / 64] ^= UINT64_C(1) << cpu % 64;
	choice_move(&p->choice, 1);
}

static void
all(struct ui *ui)
{
	memset(ui->cpus_page->cpus, 0, sizeof(ui->cpus_page->cpus));
	for (size_t i = 0; i < ui->cpus_page->choice.count; i++) {
		unsigned cpu = cpu_at(ui->cpus_page, i);

		if (cpu < BROKER_CPUS)
			ui->cpus_page->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
}

static void
take_list(struct ui *ui, const char *text)
{
	struct cpus_page *p = ui->cpus_page;
	unsigned *cpus = NULL;
	size_t count = 0;

	if (!num_list(text, BROKER_CPUS - 1, &cpus, &count) || count == 0) {
		prompt_fault(ui, "numbers of CPUs, as 0-3,5");
		return;
	}
	memset(p->cpus, 0, sizeof(p->cpus));
	for (size_t i = 0; i < count; i++)
		p->cpus[cpus[i] / 64] |= UINT64_C(1) << cpus[i] % 64;
	free(cpus);
	apply(ui);
}

static const struct question which_cpus = { .done = take_list };

static void
type(struct ui *ui)
{
	struct buf b = { 0 };

	broker_put_cpus(&b, ui->cpus_page->cpus);
	prompt_ask(ui, &which_cpus, "CPUs: ", b.len < PROMPT_MAX ? buf_str(&b) : "");
	buf_release(&b);
}

static void
move(struct ui *ui, long delta)
{
	choice_move(&ui->cpus_page->choice, delta);
}

static bool
click(struct ui *ui, int x, int y)
{
	(void)x;
	if (choice_hit(&ui->cpus_page->choice, y))
		toggle(ui);
	return false;
}

static void
draw_line(struct canvas *c, int y, const struct snapshot_cpu *cpu, bool is_ticked)
{
	char text[32];

	canvas_put(c, 1, y, MIN(MARK_WIDTH, c->width - 1), STYLE_STRONG, is_ticked ? "[x]" : "[ ]");
	snprintf(text, sizeof(text), "CPU %u", cpu->cpu);
	canvas_put(c, 1 + MARK_WIDTH, y, MIN(CPU_WIDTH, c->width - 1 - MARK_WIDTH), STYLE_STRONG, text);
	snprintf(text, sizeof(text), "%3.0f%% busy", (double)cpu->busy * 100);
	canvas_put(c, 1 + MARK_WIDTH + CPU_WIDTH, y, c->width - 1 - MARK_WIDTH - CPU_WIDTH, STYLE_NORMAL,
		   text);
}

static void
draw(struct ui *ui)
{
	struct cpus_page *p = ui->cpus_page;
	struct canvas *c = &ui->canvas;
	struct choice *list = &p->choice;
	int top = c->height >= 4;
	struct buf title = { 0 };

	if (top > 0) {
		buf_addf(&title, "CPUs of %s", buf_str(&ui->acting.whom));
		canvas_fill(c, 0, 0, c->width, STYLE_TITLE);
		canvas_put(c, 1, 0, c->width - 1, STYLE_TITLE, buf_str(&title));
		buf_release(&title);
	}
	choice_place(list, top, layout_above_footer(&ui->layout) - top);
	ui->rows[PAGE_CPUS] = list->rows;
	for (size_t i = list->top; i < MIN(list->top + list->rows, list->count); i++) {
		int y = list->y + (int)(i - list->top);

		draw_line(c, y, &p->snap->head.cpus[i], broker_has_cpu(p->cpus, cpu_at(p, i)));
		if (i == list->selected)
			canvas_select(c, y, 0, c->width);
	}
}

static void
release(struct ui *ui)
{
	snapshot_put(ui->cpus_page->snap);
}

static const struct footer_key footer[] = {
	{ "cpu-toggle", "In or out" }, { "in", "Take these" }, { "cpus-type", "Type them" },
	{ "cpus-all", "All" }, { "out", "Back" }, { NULL },
};

static const struct action actions[] = {
	{ "cpu-toggle", "Space", "let it run on this CPU, or not", IN_CPUS, toggle },
	{ "cpus-type", "t", "type the list of CPUs: 0-3,5", IN_CPUS, type },
	{ "cpus-all", "a", "all CPUs that are on line", IN_CPUS, all },
	{ NULL },
};

const struct page_ops cpus_page = {
	.name = "cpus", .kinds = IN_LISTS, .actions = actions, .footer = footer,
	.state_size = sizeof(struct cpus_page), .release = release,
	.draw = draw, .move = move, .in = apply, .click = click,
};
