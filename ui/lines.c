/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rewind.h"

#include "base/num.h"
#include "base/text.h"
#include "view/filter.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DELAY_MIN 0.1
#define DELAY_MAX 3600.0

static void
set_fault(struct ui *ui, const char *text)
{
	struct buf b = { 0 };

	canvas_add_safe(&ui->canvas, &b, text);
	snprintf(ui->prompt.fault, sizeof(ui->prompt.fault), "%s", buf_str(&b));
	buf_release(&b);
}

static void
find_open(struct ui *ui)
{
	ui->find_from = *nav_place(&ui->nav);
	stacks_find_begin(ui);
	prompt_open(&ui->prompt, PROMPT_FIND, "");
}

/* From where the search began, in what is shown now. */
static void
find_first(struct ui *ui)
{
	if (stacks_is_view(ui)) {
		stacks_find_leave(ui);
		if (ui->find[0] != '\0' && !stacks_find(ui, 1, false))
			set_fault(ui, "no function holds this");
		return;
	}
	if (ui->find[0] == '\0')
		*nav_place(&ui->nav) = ui->find_from;
	else if (!ui_find(ui, ui->find_from.index, 1))
		set_fault(ui, "no row holds this");
	if (ui->find[0] == '\0')
		nav_find(nav_place(&ui->nav), ui->snap);
}

static void
find_change(struct ui *ui)
{
	memcpy(ui->find, ui->prompt.text, sizeof(ui->find));
	ui->find_due = ui_is_stale(ui);
	if (!ui->find_due)
		find_first(ui);
}

void
ui_find_late(struct ui *ui)
{
	if (!ui->find_due || ui_is_stale(ui))
		return;
	ui->find_due = false;
	stacks_find_begin(ui);
	find_first(ui);
}

static bool
find_done(struct ui *ui)
{
	(void)ui;
	return true;
}

static void
find_leave(struct ui *ui)
{
	ui->find_due = false;
	*nav_place(&ui->nav) = ui->find_from;
	if (stacks_is_view(ui)) {
		ui->find[0] = '\0';
		stacks_find_leave(ui);
		return;
	}
	if (!ui_is_stale(ui))
		nav_find(nav_place(&ui->nav), ui->snap);
}

static void
filter_open(struct ui *ui)
{
	prompt_open(&ui->prompt, PROMPT_FILTER, ui->query.filter);
}

static bool
filter_is_right(struct ui *ui)
{
	struct err err = { 0 };
	struct filter *f = filter_parse(ui->prompt.text, &err);

	if (f == NULL)
		set_fault(ui, err.text);
	filter_free(f);
	return f != NULL;
}

static void
filter_change(struct ui *ui)
{
	filter_is_right(ui);
}

static bool
filter_done(struct ui *ui)
{
	if (ui->prompt.len >= sizeof(ui->query.filter)) {
		set_fault(ui, "this is too long");
		return false;
	}
	if (!filter_is_right(ui))
		return false;
	memcpy(ui->query.filter, ui->prompt.text, ui->prompt.len + 1);
	ui_ask(ui, false);
	return true;
}

static void
event_filter_open(struct ui *ui)
{
	prompt_open(&ui->prompt, PROMPT_EVENT_FILTER, ui->snap->head.event_filter);
}

/* Only the kernel knows whether it is right. */
static bool
event_filter_done(struct ui *ui)
{
	engine_filter_event(ui->engine, ui->prompt.text);
	return true;
}

static void
delay_open(struct ui *ui)
{
	prompt_open(&ui->prompt, PROMPT_DELAY, "");
}

static bool
delay_done(struct ui *ui)
{
	double s;

	if (ui->prompt.len == 0)
		return true;
	if (!num_double(ui->prompt.text, &s) || s < DELAY_MIN || s > DELAY_MAX) {
		set_fault(ui, "a number from 0.1 to 3600 is wanted");
		return false;
	}
	engine_set_delay(ui->engine, s);
	ui_say(ui, false, "refreshing every %g s", s);
	return true;
}

static void
stretch_open(struct ui *ui)
{
	prompt_open(&ui->prompt, PROMPT_STRETCH, "");
}

static bool
stretch_done(struct ui *ui)
{
	const char *fault;

	if (rewind_choose(ui, ui->prompt.text, &fault))
		return true;
	set_fault(ui, fault);
	return false;
}

static void
attach_open(struct ui *ui)
{
	const struct row *row = ui_selected(ui);
	char *label = ui->attach_label;
	size_t size = sizeof(ui->attach_label);

	ui->attach_pid = row != NULL ? MAX(row->pid, 0) : 0;
	if (ui->attach_pid > 0)
		snprintf(label, size, " add process with descendants (empty: %d; PID! without): ",
			 ui->attach_pid);
	else
		snprintf(label, size, " add process with descendants (PID! without): ");
	prompt_open(&ui->prompt, PROMPT_ATTACH, "");
}

static bool
attach_done(struct ui *ui)
{
	struct prompt *p = &ui->prompt;
	bool lone = p->len > 0 && p->text[p->len - 1] == '!';
	uint64_t pid = (uint64_t)ui->attach_pid;

	if (lone)
		p->text[--p->len] = '\0';
	if ((p->len > 0 && !num_u64(p->text, &pid)) || pid == 0 || pid > INT32_MAX) {
		set_fault(ui, "no process id");
		return false;
	}
	engine_attach(ui->engine, (int)pid, !lone);
	return true;
}

/* A name nobody has to think of: by the time. */
static void
export_open(struct ui *ui)
{
	char path[PROMPT_MAX], when[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(path, sizeof(path), "ptop-%s%s", when, format_defs[ui->export_format].ending);
	prompt_open(&ui->prompt, PROMPT_EXPORT, path);
}

/* The ending decides, also against the menu. */
static bool
export_done(struct ui *ui)
{
	enum export_format format = format_of_file(ui->prompt.text);
	struct buf fault = { 0 };

	if (format != FORMAT_COUNT) {
		engine_export(ui->engine, format, ui->prompt.text);
		return true;
	}
	buf_add_str(&fault, "its ending names no format: ");
	format_put_endings(&fault);
	set_fault(ui, buf_str(&fault));
	buf_release(&fault);
	return false;
}

static void
nothing(struct ui *ui)
{
	(void)ui;
}

static const struct line {
	const char *label; /* NULL: made when it is opened */
	void (*open)(struct ui *ui);
	void (*change)(struct ui *ui);
	bool (*done)(struct ui *ui); /* false: stays, its fault is set */
	void (*leave)(struct ui *ui);
} lines[] = {
	[PROMPT_NONE]   = { "", nothing, nothing, find_done, nothing },
	[PROMPT_FIND]   = { " find: ", find_open, find_change, find_done, find_leave },
	[PROMPT_FILTER] = { " filter: ", filter_open, filter_change, filter_done, nothing },
	[PROMPT_EVENT_FILTER] = { " the kernel keeps (nothing: all): ", event_filter_open, nothing,
				  event_filter_done, nothing },
	[PROMPT_ATTACH] = { NULL, attach_open, nothing, attach_done, nothing },
	[PROMPT_DELAY]  = { " delay in s: ", delay_open, nothing, delay_done, nothing },
	[PROMPT_STRETCH] = { " from-to in s since the beginning (nothing: the usual window): ",
			     stretch_open, nothing, stretch_done, nothing },
	[PROMPT_EXPORT] = { " write to: ", export_open, nothing, export_done, nothing },
};

const char *
ui_prompt_label(const struct ui *ui)
{
	const char *label = lines[ui->prompt.kind].label;

	return label != NULL ? label : ui->attach_label;
}

void
ui_open_prompt(struct ui *ui, enum prompt_kind kind)
{
	lines[kind].open(ui);
	ui_touch(ui);
}

void
ui_prompt_key(struct ui *ui, int key)
{
	const struct line *line = &lines[ui->prompt.kind];

	switch (prompt_key(&ui->prompt, key)) {
	case PROMPT_GOES_ON:
		break;
	case PROMPT_CHANGED:
		ui->prompt.fault[0] = '\0';
		line->change(ui);
		break;
	case PROMPT_DONE:
		if (line->done(ui))
			ui->prompt.kind = PROMPT_NONE;
		break;
	case PROMPT_LEFT:
		line->leave(ui);
		ui->prompt.kind = PROMPT_NONE;
		break;
	}
	ui_touch(ui);
}
