/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes through the engine's queue: commands of the ui, answers of those that may block. */
#include "engine/engine_impl.h"
#include "live/proc/cgroup_list.h"

#include <stdlib.h>

#include "base/clock.h"

/* The task that is looked at keeps its id, whatever becomes of it. */
static void
hold_task(struct engine *e, uint32_t task, uint32_t *held)
{
	if (task == *held)
		return;
	if (task != 0)
		model_hold_task(e->model, task);
	if (*held != 0)
		model_release_task(e->model, *held);
	*held = task;
}

void
engine_set_query(struct engine *e, const struct query *q)
{
	struct err err = { 0 };
	struct filter *f = NULL;

	if (*q->filter != '\0') {
		f = filter_parse(q->filter, &err);
		if (f == NULL)
			engine_send_status(e, true, "%s", err.text);
	}
	filter_free(e->filter);
	e->filter = f;
	hold_task(e, q->process, &e->held_process);
	hold_task(e, q->thread, &e->held_thread);
	e->query = *q;
	report_want_labels(e->profile, q, f);
	profile_set_window(e->profile, q->window_ns);
	profile_set_frozen(e->profile, q->frozen);
	profile_set_end(e->profile, q->end_ns != 0 ? engine_begin_ns(e) + q->end_ns : 0);
	engine_plan_cut(e);
	e->profile->keep_process = q->process;
	/* A view of callers that was left knows it still, for when it is shown again. */
	if (q->function != 0)
		e->profile->keep_location = q->function;
	if (q->process != 0)
		engine_watch_task(e, q->process);
	if (q->thread != 0)
		engine_watch_task(e, q->thread);
	engine_counters_query(e, q);
	engine_send_snapshot(e);
	/* The threads' CPU times of a process just entered are not read yet. */
	if (q->process != 0 && q->view == VIEW_THREADS)
		e->next_tick_ns = 0;
}

static void
cmd_switch(struct engine *e, const struct engine_cmd *c)
{
	engine_show_spec(e, c->text);
	engine_send_snapshot(e);
}

static void
cmd_query(struct engine *e, const struct engine_cmd *c)
{
	engine_set_query(e, &c->query);
}

static void
cmd_step_event(struct engine *e, const struct engine_cmd *c)
{
	engine_show_step(e, c->direction);
	engine_send_snapshot(e);
}

static void
cmd_step_freq(struct engine *e, const struct engine_cmd *c)
{
	engine_change_freq(e, c->direction);
	engine_send_snapshot(e);
}

static void
cmd_filter_event(struct engine *e, const struct engine_cmd *c)
{
	engine_change_filter(e, c->text);
}

static void
cmd_delay(struct engine *e, const struct engine_cmd *c)
{
	/* The batch loop wants the last report: of a recording there is only one. */
	e->replay.is_told_to_end = e->is_ending = e->config->batch;
	e->delay_ns = (uint64_t)(c->seconds * 1e9);
	e->next_refresh_ns = clock_mono_ns() + e->delay_ns;
	engine_choose_step(e);
	engine_plan_cut(e);
}

static void
cmd_zero(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	if (e->shown < e->event_count) {
		profile_close_interval(e->profile, clock_mono_ns());
		profile_zero(e->profile, e->shown);
	}
	engine_send_snapshot(e);
}

static void
cmd_catalogue(struct engine *e, const struct engine_cmd *c)
{
	struct session_config config = engine_session_config(e);

	(void)c;
	if (e->file != NULL)
		return; /* there is no choice: the events are those of the file */
	if (e->prober == NULL)
		e->prober = prober_new(&config, e->in);
	else if (e->catalogue != NULL)
		engine_send_catalogue(e);
}

static void
cmd_messages(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	engine_send_messages(e);
}

static void
cmd_explain(struct engine *e, const struct engine_cmd *c)
{
	engine_send_explain(e, &c->query, c->row_id);
}

static void
cmd_record(struct engine *e, const struct engine_cmd *c)
{
	engine_record_command(e, c->what, c->text);
	engine_send_snapshot(e);
}

static void
cmd_export(struct engine *e, const struct engine_cmd *c)
{
	engine_export_command(e, c->format, c->text);
}

static void
cmd_attach(struct engine *e, const struct engine_cmd *c)
{
	engine_attach_target(e, c->pid, c->descendants);
}

static void
cmd_detach(struct engine *e, const struct engine_cmd *c)
{
	engine_detach_target(e, c->pid);
}

static void
cmd_downloads(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	engine_fetch_toggle(e);
}

static void
cmd_stop(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	e->stopping = true;
	e->is_told_to_stop = true;
}

static void
take_cmd(struct engine *e, struct msg *m)
{
	static void (*const runs[])(struct engine *e, const struct engine_cmd *c) = {
		[CMD_QUERY - CMD_QUERY] = cmd_query,
		[CMD_SWITCH - CMD_QUERY] = cmd_switch,
		[CMD_STEP_EVENT - CMD_QUERY] = cmd_step_event,
		[CMD_STEP_FREQ - CMD_QUERY] = cmd_step_freq,
		[CMD_FILTER_EVENT - CMD_QUERY] = cmd_filter_event,
		[CMD_DELAY - CMD_QUERY] = cmd_delay,
		[CMD_ZERO - CMD_QUERY] = cmd_zero,
		[CMD_CATALOGUE - CMD_QUERY] = cmd_catalogue,
		[CMD_MESSAGES - CMD_QUERY] = cmd_messages,
		[CMD_EXPLAIN - CMD_QUERY] = cmd_explain,
		[CMD_RECORD - CMD_QUERY] = cmd_record,
		[CMD_EXPORT - CMD_QUERY] = cmd_export,
		[CMD_ATTACH - CMD_QUERY] = cmd_attach,
		[CMD_DETACH - CMD_QUERY] = cmd_detach,
		[CMD_DOWNLOADS - CMD_QUERY] = cmd_downloads,
		[CMD_STOP - CMD_QUERY] = cmd_stop,
	};

	runs[m->type - CMD_QUERY](e, (struct engine_cmd *)m);
}

static void
take_maps(struct engine *e, struct msg *m)
{
	if (engine_take_place_maps(e, (struct proc_maps_msg *)m)) {
		proc_maps_msg_free((struct proc_maps_msg *)m);
		return;
	}
	vec_reserve(&e->maps, &e->maps_cap, e->maps_len + 1, sizeof(*e->maps));
	e->maps[e->maps_len++] = (struct proc_maps_msg *)m;
}

static void
take_comm(struct engine *e, struct msg *m)
{
	struct proc_comm_msg *c = (struct proc_comm_msg *)m;

	e->asked_comms -= e->asked_comms > 0;
	if (e->model->tasks[c->cookie].tid == c->tid) {
		if (c->error == 0)
			model_learn_comm(e->model, c->cookie, c->comm);
		else
			model_cannot_name(e->model, c->cookie);
	}
	e->changed = true;
}

static void
take_tick(struct engine *e, struct msg *m)
{
	engine_take_tick(e, (struct proc_tick_msg *)m);
}

static void
take_image(struct engine *e, struct msg *m)
{
	engine_take_image(e, (struct symbol_image_msg *)m);
}

static void
take_fetch(struct engine *e, struct msg *m)
{
	engine_fetch_take(e, (struct fetch_msg *)m);
}

static void
take_names(struct engine *e, struct msg *m)
{
	engine_take_names(e, (struct symbol_names_msg *)m);
}

static void
take_lines(struct engine *e, struct msg *m)
{
	engine_take_lines(e, (struct symbol_lines_msg *)m);
	engine_export_waited(e);
}

static void
take_rules(struct engine *e, struct msg *m)
{
	engine_take_rules(e, (struct symbol_rules_msg *)m);
}

static void
take_jit(struct engine *e, struct msg *m)
{
	engine_jit_take(e, (struct jit_file *)m);
}

static void
take_places(struct engine *e, struct msg *m)
{
	engine_take_places(e, (const struct symbol_places_msg *)m);
}

static void
take_stopped(struct engine *e, struct msg *m)
{
	engine_take_stopped(e, (const struct session_stopped_msg *)m);
}

static void
take_opened(struct engine *e, struct msg *m)
{
	engine_take_opened(e, (struct session_opened_msg *)m);
}

static void
take_filtered(struct engine *e, struct msg *m)
{
	engine_take_filtered(e, (struct session_filtered_msg *)m);
}

static void
take_joined(struct engine *e, struct msg *m)
{
	engine_take_joined(e, (const struct session_joined_msg *)m);
}

static void
take_rings(struct engine *e, struct msg *m)
{
	engine_take_rings(e, (struct session_rings_msg *)m);
}

static void
take_stacks(struct engine *e, struct msg *m)
{
	engine_auto_take(e, (struct session_stacks_msg *)m);
}

static void
free_stacks(struct msg *m)
{
	session_stacks_msg_free((struct session_stacks_msg *)m);
}

static void
take_attached(struct engine *e, struct msg *m)
{
	engine_take_attached(e, (const struct session_attached_msg *)m);
}

static void
take_detached(struct engine *e, struct msg *m)
{
	engine_take_detached(e, (const struct session_detached_msg *)m);
}

/* Those that records told of are newer. */
static void
take_cgroups(struct engine *e, struct msg *m)
{
	const struct cgroup_list_msg *c = (const struct cgroup_list_msg *)m;
	uint32_t path;

	for (size_t i = 0; i < c->count; i++)
		if (!cgroups_find(&e->model->cgroups, c->items[i].id, &path))
			cgroups_learn(&e->model->cgroups, c->items[i].id,
				      strs_add_str(&e->model->strs, c->items[i].path));
	e->changed = true;
}

static void
take_export_ended(struct engine *e, struct msg *m)
{
	engine_take_export_ended(e, (struct exporter_ended_msg *)m);
}

static void
take_recorder_ended(struct engine *e, struct msg *m)
{
	engine_take_recorder_ended(e, (struct recorder_ended_msg *)m);
}

static void
take_counting(struct engine *e, struct msg *m)
{
	engine_counters_take(e, (struct counting_msg *)m);
}

static void
take_exited(struct engine *e, struct msg *m)
{
	const struct session_exited_msg *x = (const struct session_exited_msg *)m;

	e->command_ended = true;
	e->command_status = x->status;
	e->end_err = x->err;
}

static void
take_catalogue(struct engine *e, struct msg *m)
{
	struct prober_msg *p = (struct prober_msg *)m;

	catalogue_put(e->catalogue);
	e->catalogue = p->catalogue;
	p->catalogue = NULL;
	engine_send_catalogue(e);
}

static void
free_maps(struct msg *m)
{
	proc_maps_msg_free((struct proc_maps_msg *)m);
}

static void
free_tick(struct msg *m)
{
	proc_tick_msg_free((struct proc_tick_msg *)m);
}

static void
free_image(struct msg *m)
{
	symbol_image_msg_free((struct symbol_image_msg *)m);
}

static void
free_names(struct msg *m)
{
	symbol_names_msg_free((struct symbol_names_msg *)m);
}

static void
free_lines(struct msg *m)
{
	symbol_lines_msg_free((struct symbol_lines_msg *)m);
}

static void
free_rules(struct msg *m)
{
	symbol_rules_msg_free((struct symbol_rules_msg *)m);
}

static void
free_jit(struct msg *m)
{
	jit_file_free((struct jit_file *)m);
}

static void
free_places(struct msg *m)
{
	symbol_places_msg_free((struct symbol_places_msg *)m);
}

static void
free_opened(struct msg *m)
{
	session_opened_msg_free((struct session_opened_msg *)m);
}

static void
free_rings(struct msg *m)
{
	session_rings_msg_free((struct session_rings_msg *)m);
}

static void
free_filtered(struct msg *m)
{
	session_filtered_msg_free((struct session_filtered_msg *)m);
}

static void
free_exited(struct msg *m)
{
	session_exited_msg_free((struct session_exited_msg *)m);
}

static void
free_cgroups(struct msg *m)
{
	cgroup_list_msg_free((struct cgroup_list_msg *)m);
}

static void
free_attached(struct msg *m)
{
	session_attached_msg_free((struct session_attached_msg *)m);
}

static void
free_detached(struct msg *m)
{
	session_detached_msg_free((struct session_detached_msg *)m);
}

static void
free_recorder_ended(struct msg *m)
{
	recorder_ended_msg_free((struct recorder_ended_msg *)m);
}

static void
free_counting(struct msg *m)
{
	counting_msg_free((struct counting_msg *)m);
}

static void
free_plain(struct msg *m)
{
	free(m);
}

static void
free_prober(struct msg *m)
{
	catalogue_put(((struct prober_msg *)m)->catalogue);
	free(m);
}

static void
free_cmd(struct msg *m)
{
	free(((struct engine_cmd *)m)->text);
	free(m);
}

/* Who takes a message and who frees it; @keeps: taking it is owning it. */
static const struct handler {
	int type, last;
	void (*take)(struct engine *e, struct msg *m);
	void (*free)(struct msg *m);
	bool keeps;
} handlers[] = {
	{ CMD_QUERY, CMD_STOP, take_cmd, free_cmd, false },
	{ PROC_MSG_MAPS, PROC_MSG_MAPS, take_maps, free_maps, true },
	{ PROC_MSG_TICK, PROC_MSG_TICK, take_tick, free_tick, true },
	{ PROC_MSG_COMM, PROC_MSG_COMM, take_comm, free_plain, false },
	{ SYMBOL_MSG_IMAGE, SYMBOL_MSG_IMAGE, take_image, free_image, false },
	{ SYMBOL_MSG_NAMES, SYMBOL_MSG_NAMES, take_names, free_names, false },
	{ SYMBOL_MSG_LINES, SYMBOL_MSG_LINES, take_lines, free_lines, false },
	{ SYMBOL_MSG_PLACES, SYMBOL_MSG_PLACES, take_places, free_places, false },
	{ SYMBOL_MSG_FETCH, SYMBOL_MSG_FETCH, take_fetch, free_plain, false },
	{ SYMBOL_MSG_RULES, SYMBOL_MSG_RULES, take_rules, free_rules, false },
	{ JIT_MSG_FILE, JIT_MSG_FILE, take_jit, free_jit, true },
	{ SESSION_MSG_OPENED, SESSION_MSG_OPENED, take_opened, free_opened, false },
	{ SESSION_MSG_RINGS, SESSION_MSG_RINGS, take_rings, free_rings, false },
	{ SESSION_MSG_FILTERED, SESSION_MSG_FILTERED, take_filtered, free_filtered, false },
	{ SESSION_MSG_EXITED, SESSION_MSG_EXITED, take_exited, free_exited, false },
	{ SESSION_MSG_CGROUPS, SESSION_MSG_CGROUPS, take_cgroups, free_cgroups, false },
	{ SESSION_MSG_ATTACHED, SESSION_MSG_ATTACHED, take_attached, free_attached, false },
	{ SESSION_MSG_DETACHED, SESSION_MSG_DETACHED, take_detached, free_detached, false },
	{ SESSION_MSG_STOPPED, SESSION_MSG_STOPPED, take_stopped, free_plain, false },
	{ SESSION_MSG_STACKS, SESSION_MSG_STACKS, take_stacks, free_stacks, false },
	{ SESSION_MSG_JOINED, SESSION_MSG_JOINED, take_joined, free_plain, false },
	{ RECORDER_MSG_ENDED, RECORDER_MSG_ENDED, take_recorder_ended, free_recorder_ended, false },
	{ EXPORTER_MSG_ENDED, EXPORTER_MSG_ENDED, take_export_ended, free_plain, false },
	{ COUNTING_MSG_READING, COUNTING_MSG_READING, take_counting, free_counting, true },
	{ PROBER_MSG_CATALOGUE, PROBER_MSG_CATALOGUE, take_catalogue, free_prober, false },
};

static const struct handler *
handler_of(const struct msg *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++)
		if (m->type >= handlers[i].type && m->type <= handlers[i].last)
			return &handlers[i];
	return NULL;
}

void
engine_free_msg(struct msg *m)
{
	const struct handler *h = handler_of(m);

	if (h != NULL)
		h->free(m);
}

static void
take_message(struct engine *e, struct msg *m)
{
	const struct handler *h = handler_of(m);

	if (h == NULL)
		return;
	h->take(e, m);
	if (!h->keeps)
		h->free(m);
}

void
engine_take_messages(struct engine *e)
{
	struct msg *m;

	while ((m = queue_take(e->in)) != NULL)
		take_message(e, m);
}

void
engine_wait_message(struct engine *e, int timeout_ms)
{
	struct msg *m = queue_wait(e->in, timeout_ms);

	if (m != NULL)
		take_message(e, m);
}
