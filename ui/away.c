/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/away.h"

#include "ui/state.h"
#include "ui/term.h"

void
away_begin(struct ui *ui)
{
	term_lend();
	ui->away = AWAY_RUNS;
}

void
away_is_over(struct ui *ui, const char *text)
{
	struct buf b = { 0 };

	if (ui->away != AWAY_RUNS)
		return;
	buf_addf(&b, "\r\n%s. Enter goes back to ptop.\r\n", text);
	term_take_back(buf_str(&b), b.len);
	buf_release(&b);
	ui->away = AWAY_ENDED;
}

void
away_read(struct ui *ui)
{
	int answer = term_has_enter();

	if (answer == 0)
		return;
	ui->away = AWAY_NOT;
	ui->quit |= answer < 0;
	if (!ui->quit)
		term_resume();
	ui_touch(ui);
}
