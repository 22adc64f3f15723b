/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of engine.h, each as it is sent and as it is carried out. */
#include "engine/rooms.h"

#include <stdlib.h>

enum { ENGINE_CMD = 400 };

struct engine_cmd {
	struct msg msg;
	void (*run)(struct engine *e, const struct engine_cmd *c);
	struct query query;
	uint64_t row_id;
	int direction;
	double seconds;
	enum event_call_graph call_graph;
	enum record_what what;
	enum export_format format;
	char *text;
	int pid;
	uint32_t location, process;
	bool descendants, is_asked, is_irq_on;
};

static void
free_cmd(struct msg *m)
{
	free(((struct engine_cmd *)m)->text);
	free(m);
}

static void
send_cmd(struct engine *e, const struct engine_cmd *with)
{
	struct engine_cmd *cmd = mem_calloc(1, sizeof(*cmd));

	*cmd = *with;
	cmd->msg = (struct msg){ .type = ENGINE_CMD, .free = free_cmd };
	queue_send(e->in, &cmd->msg);
}

static void run_query(struct engine *e, const struct engine_cmd *c);

void
engine_query(struct engine *e, const struct query *q)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_query, .query = *q });
}

/* What is compared with answers the same. */
static void
ask_then(struct engine *e, const struct query *q)
{
	const struct query then = comparison_query(q);

	engine_query(e->then, &then);
}

static void
run_query(struct engine *e, const struct engine_cmd *c)
{
	/* What a frozen window lacks is all found before. */
	if (c->query.frozen && !viewer_shows(e->viewer)->frozen)
		sampling_count_lost(e->sampling, clock_mono_ns(), true);
	viewer_query(e->viewer, &c->query);
	waits_prefer(e->waits, c->query.process);
	if (e->then != NULL && c->query.compare == COMPARE_RECORDING)
		ask_then(e, &c->query);
	e->source->plan(e);
}

static void
run_report(struct engine *e, const struct engine_cmd *c)
{
	if (e->source->cut != NULL)
		reports_ask(e, &c->query);
}

void
engine_report(struct engine *e, const struct query *q)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_report, .query = *q });
}

static void
run_cut(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	if (e->source->cut != NULL)
		e->source->cut(e, clock_mono_ns());
}

void
engine_cut(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_cut });
}

static void
run_switch(struct engine *e, const struct engine_cmd *c)
{
	if (e->hosts != NULL)
		hosts_sample(e->hosts, c->text, clock_mono_ns());
	else
		sampling_show(e->sampling, c->text, c->is_asked);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_switch_event(struct engine *e, const char *spec)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_switch, .text = mem_strdup(spec), .is_asked = true });
}

void
engine_need_event(struct engine *e, const char *spec)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_switch, .text = mem_strdup(spec) });
}

static void
run_step_event(struct engine *e, const struct engine_cmd *c)
{
	sampling_show_next(e->sampling, c->direction);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_step_event(struct engine *e, int direction)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_step_event, .direction = direction });
}

static void
run_step_freq(struct engine *e, const struct engine_cmd *c)
{
	sampling_step_rate(e->sampling, c->direction);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_step_freq(struct engine *e, int direction)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_step_freq, .direction = direction });
}

static void
run_pause(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	sampling_toggle_pause(e->sampling);
}

void
engine_toggle_pause(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_pause });
}

static void
run_filter_event(struct engine *e, const struct engine_cmd *c)
{
	sampling_set_filter(e->sampling, c->text);
}

void
engine_filter_event(struct engine *e, const char *filter)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_filter_event, .text = mem_strdup(filter) });
}

static void
run_call_graph(struct engine *e, const struct engine_cmd *c)
{
	sampling_set_call_graph(e->sampling, c->call_graph);
}

void
engine_set_call_graph(struct engine *e, enum event_call_graph how)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_call_graph, .call_graph = how });
}

static void
run_delay(struct engine *e, const struct engine_cmd *c)
{
	e->agenda.delay_ns = (uint64_t)(c->seconds * 1e9);
	e->agenda.next_refresh_ns = clock_mono_ns() + e->agenda.delay_ns;
	viewer_set_delay(e->viewer, e->agenda.delay_ns);
	e->source->plan(e);
}

void
engine_set_delay(struct engine *e, double seconds)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_delay, .seconds = seconds });
}

static void
run_finish(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	e->is_finishing = true;
	e->agenda.next_refresh_ns = 0;
	if (e->replay != NULL)
		replay_finish(e->replay);
}

void
engine_finish(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_finish });
	replay_interrupt(e->replay);
}

static void
run_mark(struct engine *e, const struct engine_cmd *c)
{
	uint64_t now_ns = stream_clock_now_ns(&e->clock);

	marks_add(&e->marks, MARK_OWN,
		  c->seconds > 0 ? e->clock.begin_ns + (uint64_t)(c->seconds * 1e9) : now_ns, "%s", c->text);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_mark(struct engine *e, const char *name, double at_s)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_mark, .text = mem_strdup(name), .seconds = at_s });
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
engine_zero(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_zero });
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
engine_ask_catalogue(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_catalogue });
}

static void
run_messages(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	viewer_send_messages(e->viewer);
}

void
engine_ask_messages(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_messages });
}

static void
run_changes(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	viewer_send_changes(e->viewer);
}

void
engine_ask_changes(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_changes });
}

static void
run_hits(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	hits_ask(e->hits, viewer_shows(e->viewer));
}

void
engine_ask_hits(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_hits });
}

static void
run_explain(struct engine *e, const struct engine_cmd *c)
{
	viewer_send_explanation(e->viewer, &c->query, c->row_id);
}

void
engine_ask_explain(struct engine *e, const struct query *q, uint64_t row_id)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_explain, .query = *q, .row_id = row_id });
}

static void
run_explain_place(struct engine *e, const struct engine_cmd *c)
{
	viewer_send_place(e->viewer, c->location, c->is_irq_on);
}

void
engine_ask_explain_place(struct engine *e, uint32_t location, bool is_irq_on)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_explain_place, .location = location,
					  .is_irq_on = is_irq_on });
}

static void
run_count_calls(struct engine *e, const struct engine_cmd *c)
{
	calls_toggle(e->calls, c->location, c->process);
}

void
engine_count_calls(struct engine *e, uint32_t location, uint32_t process)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_count_calls, .location = location,
					  .process = process });
}

static void
run_end_calls(struct engine *e, const struct engine_cmd *c)
{
	calls_end(e->calls, (uint32_t)c->row_id);
}

void
engine_end_calls(struct engine *e, uint32_t id)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_end_calls, .row_id = id });
}

static void
run_record(struct engine *e, const struct engine_cmd *c)
{
	struct recording_around around = { 0 };

	/* What a file that begins or ends here lacks is known to the last. */
	sampling_count_lost(e->sampling, clock_mono_ns(), true);
	if (c->what == RECORD_CHANGE)
		around.at_ns = viewer_sent_change(e->viewer, &around.text);
	if (c->what == RECORD_CHANGE && around.at_ns == 0)
		notes_say(e->env.notes, "nothing has changed yet: there is nothing to write");
	else
		recording_command(e->recording, c->what, c->text, &around);
	agenda_want(&e->agenda, AGENDA_ANSWER);
}

void
engine_record(struct engine *e, enum record_what what, const char *path)
{
	send_cmd(e, &(struct engine_cmd){
		.run = run_record, .what = what, .text = path != NULL ? mem_strdup(path) : NULL });
}

static void
run_export(struct engine *e, const struct engine_cmd *c)
{
	struct query q = viewer_export_query(e->viewer, c->format);

	viewer_export(e->viewer, c->format, c->text, names_await_inlines(e->names, &q));
}

void
engine_export(struct engine *e, enum export_format format, const char *path)
{
	send_cmd(e, &(struct engine_cmd){
		.run = run_export, .format = format, .text = mem_strdup(path) });
}

static void
run_attach(struct engine *e, const struct engine_cmd *c)
{
	sampling_attach(e->sampling, c->pid, c->descendants);
}

void
engine_attach(struct engine *e, int pid, bool descendants)
{
	send_cmd(e, &(struct engine_cmd){
		.run = run_attach, .pid = pid, .descendants = descendants });
}

static void
run_detach(struct engine *e, const struct engine_cmd *c)
{
	sampling_detach(e->sampling, c->pid);
}

void
engine_detach(struct engine *e, int pid)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_detach, .pid = pid });
}

static void
run_name_again(struct engine *e, const struct engine_cmd *c)
{
	names_look_for_map(e->names, c->pid);
	viewer_name_again(e->viewer, c->pid, clock_mono_ns());
}

void
engine_name_again(struct engine *e, int pid)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_name_again, .pid = pid });
}

static void
run_downloads(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	names_toggle_downloads(e->names);
}

void
engine_toggle_downloads(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_downloads });
}

static void
run_stop(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	e->is_stopping = true;
	agenda_end(&e->agenda, NULL);
}

void
commands_stop(struct engine *e)
{
	send_cmd(e, &(struct engine_cmd){ .run = run_stop });
	replay_interrupt(e->replay);
}

bool
commands_take(struct engine *e, struct msg *m)
{
	const struct engine_cmd *c = (const struct engine_cmd *)m;

	if (m->type != ENGINE_CMD)
		return false;
	c->run(e, c);
	msg_free(m);
	return true;
}
