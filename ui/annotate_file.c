/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole source file of a function, with what all functions have: there, on, and back. */
#include "ui/annotate_impl.h"
#include "ui/place.h"

void
annotate_file_toggle(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	bool is_file = p->a.mode == ANNOTATE_FILE;

	p->file[0] = '\0';
	p->is_placed = false;
	p->hot_rank = 0;
	annotate_set(ui, is_file ? ANNOTATE_MIXED : ANNOTATE_FILE);
	place_ask(ui, false);
	if (is_file)
		ui_say(ui, false, "shown: the function");
}

bool
annotate_file_line(struct ui *ui, struct annotate_asked *to)
{
	const struct annotate_page *p = ui->annotate_page;

	*to = (struct annotate_asked){ .dso = p->a.code->dso_id };
	return annotate_line_at(&p->a, annotate_shown_event(ui), p->index, &to->at);
}
