/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key J: a runtime writes the names of its code, after it was said what that does, to whom. */
#include "ui/pages.h"

#include <string.h>

static void
confirm(struct ui *ui, const char *text)
{
	struct acting *a = &ui->acting;

	page_open_box(ui, PAGE_NONE);
	if (*text != 'y' && *text != 'Y') {
		ui_say(ui, false, "process %d is not asked to name its code", a->on[0].pid);
	} else if (acting_is_possible(ui)) {
		ui_say(ui, false, "process %d is asked to name its code...", a->on[0].pid);
		naming_ask(&a->naming, a->on[0].pid, a->on[0].start);
	}
}

static void
refuse(struct ui *ui)
{
	confirm(ui, "");
}

static const struct question sure = {
	.done = confirm, .change = confirm, .leave = refuse, .is_late = true, .answers = "? y/N ",
};

/* Why it cannot be asked is longer than a line. */
static void
explain(struct ui *ui, const struct runtime *r, int pid)
{
	struct buf b = { 0 };

	buf_addf(&b, "The code of process %d gets no names now.\n\n", pid);
	runtime_put_why_not(&b, r, pid);
	buf_add_str(&b, ".\n\nNothing was done to it.\n");
	text_page_show(ui, "Name code", buf_str(&b));
	buf_release(&b);
}

static void
ask(struct ui *ui, const struct broker_reply *reply)
{
	const struct runtime *r = broker_runtime(reply);
	const int pid = ui->acting.on[0].pid;
	struct buf b = { 0 };

	if (r == NULL || r->means == RUNTIME_BY_FLAG) {
		explain(ui, r, pid);
		return;
	}
	buf_addf(&b, "have %s %d, as ", r->name, pid);
	if (reply->uid == 0)
		buf_add_str(&b, "root");
	else
		buf_addf(&b, "uid %u", reply->uid);
	buf_addf(&b, ", write /tmp/perf-%d.map%s (%s)", reply->inner_pid,
		 reply->other_root != 0 ? " in its root" : "", r->now);
	prompt_ask(ui, &sure, buf_str(&b), "");
	buf_release(&b);
}

void
name_code_ask(struct ui *ui)
{
	const bool is_text = page_front(ui) == PAGE_TEXT;
	struct row_tag maker;
	const char *why;

	if (is_text ? text_page_maker(ui, &maker, &why) : acting_find_maker(ui, &maker, &why)) {
		if (acting_choose_one(ui, &maker))
			acting_look(ui, BROKER_RUNTIME, ask);
	} else {
		ui_say(ui, false, "%s", why);
	}
}
