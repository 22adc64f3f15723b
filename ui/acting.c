/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/acting.h"

#include "base/own_rights.h"
#include "ui/away.h"
#include "ui/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void
acting_begin(struct ui *ui)
{
	struct acting *a = &ui->acting;
	const struct broker_config config = {
		.commands = a->commands, .command_count = a->command_count,
		.env = ui->config->engine.command_env,
	};

	if (ui->config->read_only)
		err_set(&a->why_not, ERR_DENIED, 0, "--read-only: nothing is done to processes");
	else if (own_rights_are_lent())
		err_set(&a->why_not, ERR_DENIED, 0, "this ptop has capabilities of its file (setcap), "
			"which are lent for measuring alone: sudo ptop acts on processes");
	else if (engine_config_samples(&ui->config->engine))
		a->broker = a->naming.broker = broker_new(&config, &a->why_not);
}

void
acting_end(struct ui *ui)
{
	struct acting *a = &ui->acting;

	broker_free(a->broker);
	for (size_t i = 0; i < a->command_count; i++) {
		free((char *)(uintptr_t)a->commands[i].name);
		for (char **word = a->commands[i].words; *word != NULL; word++)
			free(*word);
		free(a->helps[i]);
	}
	free(a->on);
	buf_release(&a->whom);
	buf_release(&a->failure);
}

bool
row_tag_make(struct row_tag *tag, const struct row *row, const char **why)
{
	*tag = (struct row_tag){ .id = row->id, .pid = row->pid, .start = row->start_ticks,
				 .tid = row->thread != 0 ? row->tid : 0 };
	snprintf(tag->name, sizeof(tag->name), "%s", row->comm);
	if (row->name != 0 || row->pid <= 0)
		*why = "this row is no process: the views processes and threads have them";
	else if ((row->flags & ROW_DEAD) != 0)
		*why = "it has ended";
	else if (row->start_ticks == 0)
		*why = "it is not known yet which process that is: again in a moment";
	else
		return true;
	return false;
}

static void
put_one(const struct ui *ui, struct buf *b, const struct row_tag *tag)
{
	if (tag->tid != 0)
		buf_addf(b, "thread %d of ", tag->tid);
	buf_addf(b, *tag->name != '\0' ? "%d " : "%d", tag->pid);
	canvas_add_safe(&ui->canvas, b, tag->name);
}

static void
name_chosen(struct ui *ui)
{
	struct acting *a = &ui->acting;
	size_t threads = 0;

	for (size_t i = 0; i < a->count; i++)
		threads += a->on[i].tid != 0;
	buf_reset(&a->whom);
	if (a->count == 1)
		put_one(ui, &a->whom, &a->on[0]);
	else
		buf_addf(&a->whom, "%zu %s", a->count,
			 threads == 0 ? "processes" : threads == a->count ? "threads"
									   : "processes and threads");
}

/* An answer is awaited: it is said. */
static bool
is_busy(struct ui *ui)
{
	if (ui->acting.is_due)
		ui_say(ui, true, "ptop-broker, which acts on processes, has not answered yet");
	return ui->acting.is_due;
}

bool
acting_choose(struct ui *ui)
{
	struct acting *a = &ui->acting;
	const struct row *row = ui_selected(ui);
	const char *why = "no row is selected yet";
	bool has_tags = false;
	struct row_tag tag;

	if (is_busy(ui))
		return false;
	a->count = 0;
	for (size_t i = 0; i < ui->tag_count; i++) {
		has_tags |= ui->tags[i].pid > 0;
		if (ui->tags[i].start != 0)
			VEC_ADD(a->on, a->count, a->cap) = ui->tags[i];
	}
	if (a->count == 0 && has_tags) {
		ui_say(ui, false, "no process that is tagged lives: ^U takes the tags off");
		return false;
	}
	if (a->count == 0) {
		if (row == NULL || !row_tag_make(&tag, row, &why)) {
			ui_say(ui, false, "%s", why);
			return false;
		}
		VEC_ADD(a->on, a->count, a->cap) = tag;
	}
	name_chosen(ui);
	return true;
}

static bool
maker_tag_make(struct row_tag *tag, const struct row *row, const char **why)
{
	const bool is_code = row->location != 0 || row->dso_id != 0;

	if (!is_code)
		return row_tag_make(tag, row, why);
	*why = "no process that lives made this code as it ran: see i";
	*tag = (struct row_tag){ .id = row->id, .pid = row->maker };
	if (row->maker > 0)
		tag->start = broker_start_of(row->maker);
	return tag->start != 0;
}

bool
acting_find_maker(struct ui *ui, struct row_tag *maker, const char **why)
{
	const struct row *row = ui_selected(ui);

	*why = "no row is selected yet";
	if (row == NULL || !maker_tag_make(maker, row, why))
		return false;
	maker->tid = 0;
	return true;
}

bool
acting_choose_one(struct ui *ui, const struct row_tag *tag)
{
	struct acting *a = &ui->acting;

	if (is_busy(ui))
		return false;
	a->count = 0;
	VEC_ADD(a->on, a->count, a->cap) = *tag;
	name_chosen(ui);
	return true;
}

void
acting_choose_processes(struct ui *ui)
{
	struct acting *a = &ui->acting;
	size_t kept = 0;

	for (size_t i = 0; i < a->count; i++) {
		size_t k = 0;

		while (k < kept && a->on[k].pid != a->on[i].pid)
			k++;
		a->on[k] = a->on[i];
		a->on[k].tid = 0;
		kept = MAX(kept, k + 1);
	}
	a->count = kept;
	name_chosen(ui);
}

bool
acting_is_possible(struct ui *ui)
{
	if (ui->acting.broker != NULL)
		return true;
	ui_say(ui, true, "%s", ui->acting.why_not.text);
	return false;
}

static void
put_cpus(struct buf *b, const struct acting *a)
{
	buf_addf(b, "%s may run on CPUs ", buf_str(&a->whom));
	broker_put_cpus(b, a->request.cpus);
}

static void
put_done(struct buf *b, const struct acting *a, const struct broker_reply *last)
{
	switch ((enum broker_action)a->request.action) {
	case BROKER_SIGNAL:
		buf_addf(b, "%s sent to %s", a->what, buf_str(&a->whom));
		break;
	case BROKER_NICE:
	case BROKER_NICE_BY:
		buf_addf(b, "%s: nice value ", buf_str(&a->whom));
		if (a->count == 1 || a->request.action == BROKER_NICE)
			buf_addf(b, "%d", last->value);
		else
			buf_addf(b, "%+d each", (int)a->request.argument);
		break;
	case BROKER_CPUS_SET:
		put_cpus(b, a);
		break;
	case BROKER_LOOK:
	case BROKER_RUN:
	case BROKER_RUNTIME:
	case BROKER_NAME_CODE:
	case BROKER_ACTIONS:
		break; /* nothing of theirs is told here */
	}
}

static void
tell(struct ui *ui, const struct broker_reply *last)
{
	struct acting *a = &ui->acting;
	struct buf b = { 0 };

	if (a->failure.len == 0)
		put_done(&b, a, last);
	else if (a->count == 1)
		buf_addf(&b, "not done: %s", buf_str(&a->failure));
	else
		buf_addf(&b, "done to %zu of %s; not %s", a->done, buf_str(&a->whom),
			 buf_str(&a->failure));
	ui_say(ui, a->failure.len > 0, "%s", buf_str(&b));
	buf_release(&b);
}

/* It has ended, or takes nothing: nothing is asked of it any more. */
static void
lose_broker(struct ui *ui)
{
	struct acting *a = &ui->acting;

	broker_free(a->broker);
	a->broker = a->naming.broker = NULL;
	a->is_due = a->naming.is_due = false;
	err_set(&a->why_not, ERR_GONE, 0, "ptop-broker, which acts on processes, has ended");
	away_is_over(ui, a->why_not.text);
	ui_say(ui, true, "%s", a->why_not.text);
}

static void
ask_next(struct ui *ui)
{
	struct acting *a = &ui->acting;
	const struct row_tag *tag = &a->on[a->next++];

	a->request.id++;
	a->request.pid = tag->pid;
	a->request.tid = tag->tid;
	a->request.start = tag->start;
	a->is_due = broker_ask(a->broker, &a->request);
	if (!a->is_due)
		lose_broker(ui);
}

static void
ask(struct ui *ui, const struct broker_request *request, const char *what)
{
	struct acting *a = &ui->acting;
	uint32_t id = a->request.id;

	a->request = *request;
	a->request.id = id;
	snprintf(a->what, sizeof(a->what), "%s", what);
	a->next = a->done = 0;
	buf_reset(&a->failure);
	ask_next(ui);
}

void
acting_ask(struct ui *ui, const struct broker_request *request, const char *what)
{
	if (acting_is_possible(ui))
		ask(ui, request, what);
}

void
acting_look(struct ui *ui, enum broker_action action,
	    void (*looked)(struct ui *ui, const struct broker_reply *reply))
{
	const struct broker_request request = { .action = action };

	ui->acting.looked = looked;
	acting_ask(ui, &request, "");
}

int
acting_fd(const struct ui *ui)
{
	const struct acting *a = &ui->acting;

	return a->broker != NULL && (a->is_due || a->naming.is_due) ? broker_fd(a->broker) : -1;
}

/* In a folder of PATH, or where its name says. */
static bool
is_there(const char *program)
{
	const char *at = strchr(program, '/') == NULL ? getenv("PATH") : NULL;
	bool is_found = at == NULL && access(program, F_OK) == 0;
	struct buf b = { 0 };

	while (at != NULL && *at != '\0' && !is_found) {
		size_t len = strcspn(at, ":");

		buf_reset(&b);
		buf_addf(&b, "%.*s/%s", (int)len, at, program);
		is_found = access(buf_str(&b), F_OK) == 0;
		at += len + (at[len] == ':');
	}
	buf_release(&b);
	return is_found;
}

/* Another program would fare no better. */
static bool
is_out_of_room(int error)
{
	return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

/* It is the program that cannot be run, whichever process it was meant for. */
static void
note_not_run(struct ui *ui, int error)
{
	struct acting *a = &ui->acting;
	const char *program = a->commands[a->request.argument].words[0];

	buf_add_str(&a->failure, "the program '");
	canvas_add_safe(&ui->canvas, &a->failure, program);
	if (error == ENOENT && is_there(program))
		buf_add_str(&a->failure, "' lacks its interpreter");
	else if (error == ENOENT && strchr(program, '/') == NULL)
		buf_add_str(&a->failure, "' is in no folder of PATH");
	else
		buf_addf(&a->failure, "': %s", strerror(error));
	if (!is_out_of_room(error))
		buf_add_str(&a->failure,
			    " (install it, or name another in [actions] of the configuration)");
}

static void
note_failure(struct ui *ui, const struct broker_reply *reply)
{
	struct acting *a = &ui->acting;

	if (a->failure.len > 0)
		return;
	if (a->request.action == BROKER_RUN && reply->result == BROKER_FAILED) {
		note_not_run(ui, reply->error);
		return;
	}
	put_one(ui, &a->failure, &a->on[a->next - 1]);
	buf_add_str(&a->failure, ": ");
	broker_put_reason(&a->failure, &a->request, reply);
}

/* Of a command, below what it wrote. */
static void
tell_end(struct ui *ui, int status)
{
	struct acting *a = &ui->acting;
	struct buf b = { 0 };

	canvas_add_safe(&ui->canvas, &b, a->what);
	if (a->failure.len > 0)
		buf_addf(&b, " was not run: %s", buf_str(&a->failure));
	else if (WIFSIGNALED(status))
		buf_addf(&b, " was ended by signal %d", WTERMSIG(status));
	else
		buf_addf(&b, " has ended, status %d", WEXITSTATUS(status));
	away_is_over(ui, buf_str(&b));
	buf_release(&b);
}

static void
take(struct ui *ui, const struct broker_reply *reply)
{
	struct acting *a = &ui->acting;
	const bool is_look = a->request.action == BROKER_LOOK || a->request.action == BROKER_RUNTIME;

	a->is_due = false;
	if (reply->result == BROKER_DONE)
		a->done++;
	else
		note_failure(ui, reply);
	if (a->request.action == BROKER_RUN)
		tell_end(ui, reply->value);
	else if (is_look && a->failure.len == 0)
		a->looked(ui, reply);
	else if (!is_look && a->next < a->count)
		ask_next(ui);
	else
		tell(ui, reply);
}

static void
take_named(struct ui *ui, const struct broker_reply *reply)
{
	struct buf said = { 0 };
	int pid = naming_take(&ui->acting.naming, reply, &said);

	if (pid > 0)
		engine_name_again(ui->engine, pid);
	ui_say(ui, pid == 0, "%s", buf_str(&said));
	buf_release(&said);
}

void
acting_take(struct ui *ui)
{
	struct acting *a = &ui->acting;
	struct broker_reply reply;
	int got = broker_take(a->broker, &reply);

	if (got < 0)
		lose_broker(ui);
	else if (got > 0 && naming_is_mine(&reply))
		take_named(ui, &reply);
	else if (got > 0 && reply.id == a->request.id)
		take(ui, &reply);
}
