/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of engine.h, each as it is sent and as it is carried out. */
#include "engine/rooms.h"

#include <stdlib.h>

#include "engine/leaf/session_config.h"

enum engine_cmd_type {
	CMD_QUERY = 400,
	CMD_SWITCH,
	CMD_STEP_EVENT,
	CMD_STEP_FREQ,
	CMD_FILTER_EVENT,
	CMD_DELAY,
	CMD_FINISH,
	CMD_ZERO,
	CMD_CATALOGUE,
	CMD_MESSAGES,
	CMD_EXPLAIN,
	CMD_RECORD,
	CMD_EXPORT,
	CMD_ATTACH,
	CMD_DETACH,
	CMD_DOWNLOADS,
	CMD_STOP,
	CMD_END, /* one more than the last */
};

struct engine_cmd {
	struct msg msg;
	struct query query;
	uint64_t row_id;
	int direction;
	double seconds;
	enum record_what what;
	enum export_format format;
	char *text;
	int pid;
	bool descendants;
};

static void
free_cmd(struct msg *m)
{
	free(((struct engine_cmd *)m)->text);
	free(m);
}

static void
send_cmd(struct engine *e, enum engine_cmd_type type, const struct engine_cmd *with)
{
	struct engine_cmd *cmd = mem_calloc(1, sizeof(*cmd));

	*cmd = *with;
	cmd->msg.type = type;
	cmd->msg.free = free_cmd;
	queue_send(e->in, &cmd->msg);
}

void
engine_query(struct engine *e, const struct query *q)
{
	send_cmd(e, CMD_QUERY, &(struct engine_cmd){ .query = *q });
}

static void
run_query(struct engine *e, const struct engine_cmd *c)
{
	viewer_query(e->viewer, &c->query);
	live_plan_cut(e);
}

void
engine_switch_event(struct engine *e, const char *spec)
{
	send_cmd(e, CMD_SWITCH, &(struct engine_cmd){ .text = mem_strdup(spec) });
}

static void
run_switch(struct engine *e, const struct engine_cmd *c)
{
	sampling_show(e->sampling, c->text);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_step_event(struct engine *e, int direction)
{
	send_cmd(e, CMD_STEP_EVENT, &(struct engine_cmd){ .direction = direction });
}

static void
run_step_event(struct engine *e, const struct engine_cmd *c)
{
	sampling_show_next(e->sampling, c->direction);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_step_freq(struct engine *e, int direction)
{
	send_cmd(e, CMD_STEP_FREQ, &(struct engine_cmd){ .direction = direction });
}

static void
run_step_freq(struct engine *e, const struct engine_cmd *c)
{
	sampling_step_rate(e->sampling, c->direction);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_filter_event(struct engine *e, const char *filter)
{
	send_cmd(e, CMD_FILTER_EVENT, &(struct engine_cmd){ .text = mem_strdup(filter) });
}

static void
run_filter_event(struct engine *e, const struct engine_cmd *c)
{
	sampling_set_filter(e->sampling, c->text);
}

void
engine_set_delay(struct engine *e, double seconds)
{
	send_cmd(e, CMD_DELAY, &(struct engine_cmd){ .seconds = seconds });
}

static void
run_delay(struct engine *e, const struct engine_cmd *c)
{
	e->agenda.delay_ns = (uint64_t)(c->seconds * 1e9);
	e->agenda.next_refresh_ns = clock_mono_ns() + e->agenda.delay_ns;
	viewer_set_delay(e->viewer, e->agenda.delay_ns);
	live_plan_cut(e);
}

void
engine_finish(struct engine *e)
{
	send_cmd(e, CMD_FINISH, &(struct engine_cmd){ .direction = 0 });
	e->source->interrupt(e);
}

static void
run_finish(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	e->is_told_to_finish = true;
	e->agenda.next_refresh_ns = 0;
	if (e->replay != NULL)
		replay_finish(e->replay);
}

void
engine_zero(struct engine *e)
{
	send_cmd(e, CMD_ZERO, &(struct engine_cmd){ .direction = 0 });
}

static void
run_zero(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	if (measured_shown(&e->measured) != NULL) {
		profile_close_interval(e->env.profile, clock_mono_ns());
		profile_zero(e->env.profile, e->measured.shown);
	}
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_ask_catalogue(struct engine *e)
{
	send_cmd(e, CMD_CATALOGUE, &(struct engine_cmd){ .direction = 0 });
}

static void
run_catalogue(struct engine *e, const struct engine_cmd *c)
{
	struct session_config config;

	(void)c;
	if (e->env.policy->no_events != NULL)
		return; /* there is no choice */
	config = sampling_config(e->sampling);
	viewer_ask_catalogue(e->viewer, &config);
}

void
engine_ask_messages(struct engine *e)
{
	send_cmd(e, CMD_MESSAGES, &(struct engine_cmd){ .direction = 0 });
}

static void
run_messages(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	viewer_send_messages(e->viewer);
}

void
engine_ask_explain(struct engine *e, const struct query *q, uint64_t row_id)
{
	send_cmd(e, CMD_EXPLAIN, &(struct engine_cmd){ .query = *q, .row_id = row_id });
}

static void
run_explain(struct engine *e, const struct engine_cmd *c)
{
	viewer_send_explanation(e->viewer, &c->query, c->row_id);
}

void
engine_record(struct engine *e, enum record_what what, const char *path)
{
	send_cmd(e, CMD_RECORD, &(struct engine_cmd){
		.what = what, .text = path != NULL ? mem_strdup(path) : NULL });
}

static void
run_record(struct engine *e, const struct engine_cmd *c)
{
	recording_command(e->recording, c->what, c->text);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_export(struct engine *e, enum export_format format, const char *path)
{
	send_cmd(e, CMD_EXPORT, &(struct engine_cmd){ .format = format,
						      .text = mem_strdup(path) });
}

static void
run_export(struct engine *e, const struct engine_cmd *c)
{
	struct query q = viewer_export_query(e->viewer, c->format);

	viewer_export(e->viewer, c->format, c->text, names_await_inlines(e->names, &q));
}

void
engine_attach(struct engine *e, int pid, bool descendants)
{
	send_cmd(e, CMD_ATTACH, &(struct engine_cmd){ .pid = pid, .descendants = descendants });
}

static void
run_attach(struct engine *e, const struct engine_cmd *c)
{
	sampling_attach(e->sampling, c->pid, c->descendants);
}

void
engine_detach(struct engine *e, int pid)
{
	send_cmd(e, CMD_DETACH, &(struct engine_cmd){ .pid = pid });
}

static void
run_detach(struct engine *e, const struct engine_cmd *c)
{
	sampling_detach(e->sampling, c->pid);
}

void
engine_toggle_downloads(struct engine *e)
{
	send_cmd(e, CMD_DOWNLOADS, &(struct engine_cmd){ .direction = 0 });
}

static void
run_downloads(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	names_toggle_downloads(e->names);
}

void
commands_stop(struct engine *e)
{
	send_cmd(e, CMD_STOP, &(struct engine_cmd){ .direction = 0 });
	e->source->interrupt(e);
}

static void
run_stop(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	e->is_told_to_stop = true;
	agenda_end(&e->agenda, NULL);
}

static void (*const runs[])(struct engine *e, const struct engine_cmd *c) = {
	[CMD_QUERY - CMD_QUERY] = run_query,
	[CMD_SWITCH - CMD_QUERY] = run_switch,
	[CMD_STEP_EVENT - CMD_QUERY] = run_step_event,
	[CMD_STEP_FREQ - CMD_QUERY] = run_step_freq,
	[CMD_FILTER_EVENT - CMD_QUERY] = run_filter_event,
	[CMD_DELAY - CMD_QUERY] = run_delay,
	[CMD_FINISH - CMD_QUERY] = run_finish,
	[CMD_ZERO - CMD_QUERY] = run_zero,
	[CMD_CATALOGUE - CMD_QUERY] = run_catalogue,
	[CMD_MESSAGES - CMD_QUERY] = run_messages,
	[CMD_EXPLAIN - CMD_QUERY] = run_explain,
	[CMD_RECORD - CMD_QUERY] = run_record,
	[CMD_EXPORT - CMD_QUERY] = run_export,
	[CMD_ATTACH - CMD_QUERY] = run_attach,
	[CMD_DETACH - CMD_QUERY] = run_detach,
	[CMD_DOWNLOADS - CMD_QUERY] = run_downloads,
	[CMD_STOP - CMD_QUERY] = run_stop,
};

_Static_assert(ARRAY_SIZE(runs) == CMD_END - CMD_QUERY, "each command is carried out");

bool
commands_take(struct engine *e, struct msg *m)
{
	if (m->type < CMD_QUERY || m->type >= CMD_END)
		return false;
	runs[m->type - CMD_QUERY](e, (struct engine_cmd *)m);
	msg_free(m);
	return true;
}
