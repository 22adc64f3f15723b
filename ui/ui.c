/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/ui.h"

#include "app/crash.h"
#include "base/clock.h"
#include "ui/commands.h"
#include "ui/header_parts.h"
#include "ui/input.h"
#include "ui/keymap.h"
#include "ui/pages.h"
#include "ui/place.h"
#include "ui/settings.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

enum { FD_INPUT, FD_SIGNALS, FD_ANSWERS, FD_OUTPUT, FD_SCREEN, FD_BROKER, FD_COUNT };
enum { KEYS_A_TURN = 64, EMPTY_READS_MAX = 50 };

/* How long a change of place waits for its rows before it is drawn without them. */
#define DRAW_WAIT_NS (8 * NSEC_PER_MSEC)

/* A terminal that takes nothing for so long was stopped, not slow. */
#define BLOCKED_TOLD_NS (2 * NSEC_PER_SEC)

struct loop {
	struct ui ui;
	struct input input;
	struct queue *answers;
	uint64_t blocked_ns; /* since when the terminal takes no more: what is new waits; 0: it does */
	unsigned empty_reads;
	struct engine_config engine; /* the configuration's, and what is wrong in its file */
	struct rcfile rc;            /* that file, with faults that only the screen sees */
};

static void
resize(struct ui *ui)
{
	int width, height;

	term_size(&width, &height);
	if (width != ui->canvas.width || height != ui->canvas.height) {
		canvas_resize(&ui->canvas, width, height);
		if (query_wants_nodes(&ui->query))
			place_ask(ui, false); /* which are too small to be seen depends on the width */
	}
	ui_touch(ui);
}

static void
take_signals(struct ui *ui)
{
	int sig;

	while ((sig = term_next_signal()) != 0) {
		if (ui->away != AWAY_NOT && (sig == SIGTSTP || sig == SIGCONT || sig == SIGWINCH))
			continue; /* there is no screen: its size is asked for when it is back */
		if (sig == SIGTSTP)
			term_suspend();
		else if (sig == SIGCONT)
			term_resume();
		if (sig == SIGTSTP || sig == SIGCONT || sig == SIGWINCH)
			resize(ui);
		else
			ui->quit = true;
	}
}

/* Keys that came; a terminal that is readable and gives nothing, again and again, has gone. */
static void
take_keys(struct loop *loop, short revents)
{
	struct ui *ui = &loop->ui;
	struct term_event ev;
	int res = 1;

	if ((revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
		ui->quit = true;
		return;
	}
	if (ui->away == AWAY_ENDED) {
		away_read(ui);
		if (ui->away == AWAY_NOT && !ui->quit)
			resize(ui);
		return;
	}
	for (int n = 0; n < KEYS_A_TURN && !ui->quit && ui->away == AWAY_NOT; n++) {
		res = term_read(&ev);
		if (res <= 0)
			break;
		input_event(&loop->input, ui, &ev);
	}
	loop->empty_reads = res < 0 ? loop->empty_reads + 1 : 0;
	if (loop->empty_reads > EMPTY_READS_MAX)
		ui->quit = true;
}

static void
take_answers(struct loop *loop)
{
	struct msg *m;

	while ((m = queue_take(loop->answers)) != NULL)
		engine_message(&loop->ui, m);
	input_run_held(&loop->input, &loop->ui);
}

static int
timeout_until(uint64_t when_ns)
{
	uint64_t now = clock_mono_ns();

	return when_ns <= now ? 0 : (int)((when_ns - now) / NSEC_PER_MSEC) + 1;
}

static int
sooner(int timeout, uint64_t when_ns)
{
	int until = when_ns != 0 ? timeout_until(when_ns) : timeout;

	return timeout < 0 ? until : MIN(timeout, until);
}

/* After a frame, or more of it, was sent: a terminal that takes no more gets no other frame yet. */
static void
take_sent(struct loop *loop, int res)
{
	uint64_t now = clock_mono_ns();

	if (res == 0 && loop->blocked_ns == 0)
		loop->blocked_ns = now;
	if (res > 0 && loop->blocked_ns != 0) {
		if (now - loop->blocked_ns > BLOCKED_TOLD_NS)
			ui_say(&loop->ui, false,
			       "the terminal stood still for %.0f s: sampling went on",
			       (double)(now - loop->blocked_ns) / 1e9);
		loop->blocked_ns = 0;
	}
	if (res < 0)
		loop->ui.quit = true;
}

/* Draws if it is time to; how long nothing has to be done, in milliseconds, -1: for ever. */
static int
draw_if_due(struct loop *loop)
{
	struct ui *ui = &loop->ui;
	uint64_t now = clock_mono_ns();
	int timeout = -1;

	if (ui->away != AWAY_NOT)
		return -1;
	if (ui->status.text.len > 0 && now >= ui->status.until_ns) {
		ui_unsay(ui);
		ui_touch(ui);
	}
	ui_show_news(ui);
	if (ui->dirty && ui->snap != NULL && ui_is_stale(ui) && now < ui->dirty_ns + DRAW_WAIT_NS)
		return timeout_until(ui->dirty_ns + DRAW_WAIT_NS);
	if (ui->dirty && loop->blocked_ns == 0) {
		page_draw(ui);
		if (ui->copy.len > 0)
			term_copy(buf_str(&ui->copy), ui->copy.len);
		buf_reset(&ui->copy);
		term_hover(page_can_hover(ui));
		take_sent(loop, term_flush(&ui->canvas));
	}
	if (ui->status.text.len > 0)
		timeout = timeout_until(ui->status.until_ns);
	if (loop->input.held_count > 0)
		timeout = timeout_until(loop->input.held_until_ns);
	return timeout;
}

static void
run(struct loop *loop)
{
	struct ui *ui = &loop->ui;
	struct pollfd fds[FD_COUNT] = {
		[FD_INPUT] = { .fd = term_input_fd(), .events = POLLIN },
		[FD_SIGNALS] = { .fd = term_signal_fd(), .events = POLLIN },
		[FD_ANSWERS] = { .fd = queue_fd(loop->answers), .events = POLLIN },
		[FD_OUTPUT] = { .fd = engine_output_fd(ui->engine), .events = POLLIN },
		[FD_SCREEN] = { .events = POLLOUT },
		[FD_BROKER] = { .events = POLLIN },
	};

	while (!ui->quit) {
		int timeout = sooner(draw_if_due(loop), term_until_ns());

		if (ui->quit)
			break;
		fds[FD_SCREEN].fd = loop->blocked_ns != 0 ? term_output_fd() : -1;
		fds[FD_BROKER].fd = acting_fd(ui);
		fds[FD_INPUT].fd = ui->away == AWAY_RUNS ? -1 : term_input_fd();
		if (poll(fds, FD_COUNT, timeout) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (fds[FD_SCREEN].revents != 0)
			take_sent(loop, term_send());
		if (fds[FD_SIGNALS].revents != 0)
			take_signals(ui);
		/* Keys first: they are about the rows that are drawn, not about those that have just come. */
		if (fds[FD_INPUT].fd >= 0 && (fds[FD_INPUT].revents != 0 || term_until_ns() != 0))
			take_keys(loop, fds[FD_INPUT].revents);
		if (fds[FD_ANSWERS].revents != 0)
			take_answers(loop);
		if (fds[FD_BROKER].revents != 0)
			acting_take(ui);
		if (fds[FD_OUTPUT].revents != 0 && !output_page_read(ui, fds[FD_OUTPUT].fd))
			fds[FD_OUTPUT].fd = -1;
		input_run_held(&loop->input, ui);
	}
}

static void
release(struct loop *loop)
{
	queue_free(loop->answers);
	snapshot_put(loop->ui.snap);
	nodefound_release(&loop->ui.found);
	nodepath_release(&loop->ui.kept);
	page_release(&loop->ui);
	keymap_release(&loop->ui.keymap);
	settings_release(&loop->ui);
	buf_release(&loop->rc.faults);
	buf_release(&loop->ui.status.text);
	buf_release(&loop->ui.status.hint);
	buf_release(&loop->ui.status.news);
	buf_release(&loop->ui.copy);
	free(loop->ui.tags);
	acting_end(&loop->ui);
	canvas_release(&loop->ui.canvas);
}

/* Before there is a place: it has columns.  Those that were left last time are no fault. */
static void
begin_configuration(struct loop *loop)
{
	const struct config *config = loop->ui.config;
	struct rcfile last = config->last;

	last.faults = (struct buf){ 0 };
	columns_read(loop->ui.columns, &last);
	buf_release(&last.faults);
	/* Its lines are the configuration's, its faults are more. */
	loop->rc = config->rc;
	loop->rc.faults = (struct buf){ 0 };
	buf_add(&loop->rc.faults, buf_str(&config->rc.faults), config->rc.faults.len);
	keymap_read(&loop->ui.keymap, &loop->rc);
	columns_read(loop->ui.columns, &loop->rc);
	commands_read(&loop->ui.acting, &loop->rc);
}

static void
end_configuration(struct loop *loop)
{
	own_theme_read(&loop->ui.own_theme, &loop->rc);
	program_set_theme(&loop->ui, loop->ui.config->theme);
	settings_read(&loop->ui, &loop->rc);
	settings_recall(&loop->ui);
	loop->engine = loop->ui.config->engine;
	loop->engine.told = loop->rc.faults.data;
}

int
ui_run(const struct config *config, struct err *err)
{
	struct loop *loop; /* 31 KiB: on the stack, of which samples copy 8, callers would be lost */
	struct ui *ui;
	int res = -1;

	if (term_catch_signals(err) != 0)
		return -1;
	loop = mem_calloc(1, sizeof(*loop));
	ui = &loop->ui;
	ui->config = config;
	ui->drag_s = -1;
	ui->delay_s = config->engine.delay_s;
	ui->header = HEADER_BY_ITSELF;
	page_init(ui);
	begin_configuration(loop);
	acting_begin(ui);
	place_init(ui);
	end_configuration(loop);
	loop->answers = queue_new();
	ui->engine = engine_start(&loop->engine, &ui->query, loop->answers, err);
	if (ui->engine == NULL)
		goto done;
	if (term_open(err) != 0)
		goto done;
	ui->canvas.ascii = term_is_ascii();
	resize(ui);
	draw_if_due(loop);
	crash_prepare_walk(); /* after there is something to be seen */
	run(loop);
	settings_remember(ui);
	res = ui->failed.code == ERR_NONE ? 0 : -1;
	if (res < 0)
		*err = ui->failed;
done:
	term_close();
	if (ui->engine != NULL && engine_stop(ui->engine, res == 0 ? err : NULL) < 0)
		res = -1;
	release(loop);
	free(loop);
	return res;
}
