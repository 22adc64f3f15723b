/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/find_actions.h"
#include "ui/state.h"

#include <string.h>
#include <sys/wait.h>

static void
take_snapshot(struct ui *ui, struct snapshot *s)
{
	if (s->query.seq < ui->need_seq && ui->snap != NULL)
		return; /* of a place that we have left */
	snapshot_put(ui->snap);
	ui->snap = snapshot_get(s);
	if (!ui_is_stale(ui))
		nav_find(nav_place(&ui->nav), s);
	if (query_wants_nodes(&s->query))
		stacks_take(ui);
	find_late(ui);
	ui_touch(ui);
	ui_run_held(ui);
}

static void
take_text(struct ui *ui, enum text_kind kind, const char *title, const char *text)
{
	if (ui->screen == SCREEN_TEXT && ui->text_kind == kind)
		ui_open_text(ui, kind, title, text);
}

static void
take_end(struct ui *ui, const struct engine_ended_msg *m)
{
	ui->ended = true;
	if (m->err.code != ERR_NONE)
		ui_say(ui, true, "%s", m->err.text);
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
ui_answer(struct ui *ui, struct msg *m)
{
	const struct engine_text_msg *text = (const struct engine_text_msg *)m;

	switch ((enum engine_msg_type)m->type) {
	case ENGINE_MSG_SNAPSHOT:
		take_snapshot(ui, ((struct engine_snapshot_msg *)m)->snapshot);
		break;
	case ENGINE_MSG_CATALOGUE:
		picker_take(&ui->picker,
			    catalogue_get(((struct engine_catalogue_msg *)m)->catalogue));
		ui_touch(ui);
		break;
	case ENGINE_MSG_STATUS:
		ui_say(ui, text->is_error, "%s", text->text);
		break;
	case ENGINE_MSG_MESSAGES:
		take_text(ui, TEXT_MESSAGES, "Messages (Esc leaves)", text->text);
		break;
	case ENGINE_MSG_EXPLAIN:
		take_text(ui, TEXT_EXPLAIN, "About this row (Esc leaves)", text->text);
		break;
	case ENGINE_MSG_ENDED:
		take_end(ui, (const struct engine_ended_msg *)m);
		break;
	}
	engine_msg_free(m);
}
