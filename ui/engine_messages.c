/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"
#include "ui/settings.h"

#include <string.h>
#include <sys/wait.h>

/* --iterations: the last of them is drawn no more, the terminal gets its old text back anyway. */
static void
count_refresh(struct ui *ui, const struct snapshot *s)
{
	if (s->seq <= ui->refresh)
		return;
	ui->refresh = s->seq;
	ui->quit |= ++ui->refreshes == ui->config->engine.iterations;
}

static void
take_snapshot(struct ui *ui, struct snapshot *s)
{
	count_refresh(ui, s);
	if (s->query.seq < ui->need_seq && ui->snap != NULL)
		return; /* of a place that we have left */
	snapshot_put(ui->snap);
	ui->snap = snapshot_get(s);
	if (!ui_is_stale(ui))
		nav_find(nav_place(&ui->nav), s);
	page_show_snapshot(ui);
	time_take_snapshot(ui);
	find_in_new_rows(ui);
	ui_touch(ui);
}

/* With a failure nothing more will come, nor be answered: that is said where it stays, on the terminal. */
static void
take_end(struct ui *ui, const struct engine_ended_msg *m)
{
	ui->failed = m->err;
	if (m->err.code != ERR_NONE)
		ui->quit = true;
	else if (m->command_ended && WIFSIGNALED(m->command_status))
		ui_say(ui, false, "the command was ended by signal %d (%s)",
		       WTERMSIG(m->command_status), strsignal(WTERMSIG(m->command_status)));
	else if (m->command_ended)
		ui_say(ui, false, "the command has ended with status %d",
		       WEXITSTATUS(m->command_status));
	else
		ui_say(ui, false, "sampling has ended");
}

void
engine_message(struct ui *ui, struct msg *m)
{
	const struct engine_text_msg *text = (const struct engine_text_msg *)m;

	if (m->type == ENGINE_MSG_SNAPSHOT)
		take_snapshot(ui, ((const struct engine_snapshot_msg *)m)->snapshot);
	else if (m->type == ENGINE_MSG_STATUS && text->is_news)
		ui_news(ui, text->text);
	else if (m->type == ENGINE_MSG_STATUS)
		ui_say(ui, text->is_error, "%s", text->text);
	else if (m->type == ENGINE_MSG_NAMELESS)
		naming_ask(&ui->acting.naming, ((const struct engine_nameless_msg *)m)->pid, 0);
	else if (m->type == ENGINE_MSG_ENDED)
		take_end(ui, (const struct engine_ended_msg *)m);
	page_pass_message(ui, m);
	msg_free(m);
}
