/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/engine_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/clock.h"

enum {
	SLACK_MS = 10,        /* records older than this are all in their rings */
	HURRY_MS = 2000,      /* after the start, new things are shown as they come */
	HURRY_STEP_MS = 25,
	HURRY_DRAIN_MS = 10,
	TICK_AHEAD_MS = 30,   /* /proc is read so long before it is shown */
	TICK_BUDGET_US = 500, /* a tick, beside the processes that were sampled */
	TICK_FIRST_BUDGET_US = 5000,
	SETTLE_MS = 1500,     /* a report waits so long for names */
	GRACE_MS = 1000,      /* a dead task's late samples still find it */
	MAPS_PATIENCE_MS = 1000,
};

static void
set_query(struct engine *e, const struct query *q)
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
	e->query = *q;
	report_want_labels(e->profile, q, f);
	profile_set_window(e->profile, q->window_ns);
	profile_set_frozen(e->profile, q->frozen);
	e->profile->keep_process = q->process;
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
	set_query(e, &c->query);
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
cmd_delay(struct engine *e, const struct engine_cmd *c)
{
	e->delay_ns = (uint64_t)(c->seconds * 1e9);
	e->next_refresh_ns = clock_mono_ns() + e->delay_ns;
}

static void
cmd_zero(struct engine *e, const struct engine_cmd *c)
{
	(void)c;
	if (e->shown < e->event_count)
		profile_zero(e->profile, e->shown);
	engine_send_snapshot(e);
}

static void
cmd_catalogue(struct engine *e, const struct engine_cmd *c)
{
	struct session_config config = engine_session_config(e);

	(void)c;
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
		[CMD_DELAY - CMD_QUERY] = cmd_delay,
		[CMD_ZERO - CMD_QUERY] = cmd_zero,
		[CMD_CATALOGUE - CMD_QUERY] = cmd_catalogue,
		[CMD_MESSAGES - CMD_QUERY] = cmd_messages,
		[CMD_EXPLAIN - CMD_QUERY] = cmd_explain,
		[CMD_STOP - CMD_QUERY] = cmd_stop,
	};

	runs[m->type - CMD_QUERY](e, (struct engine_cmd *)m);
}

static void
take_maps(struct engine *e, struct msg *m)
{
	vec_reserve(&e->maps, &e->maps_cap, e->maps_len + 1, sizeof(*e->maps));
	e->maps[e->maps_len++] = (struct proc_maps_msg *)m;
}

static void
take_comm(struct engine *e, struct msg *m)
{
	struct proc_comm_msg *c = (struct proc_comm_msg *)m;

	if (c->error == 0 && e->model->tasks[c->cookie].tid == c->tid)
		model_learn_comm(e->model, c->cookie, c->comm);
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
take_names(struct engine *e, struct msg *m)
{
	engine_take_names(e, (struct symbol_names_msg *)m);
}

static void
take_lines(struct engine *e, struct msg *m)
{
	engine_take_lines(e, (struct symbol_lines_msg *)m);
}

static void
take_opened(struct engine *e, struct msg *m)
{
	engine_take_opened(e, (struct session_opened_msg *)m);
}

static void
take_rings(struct engine *e, struct msg *m)
{
	engine_take_rings(e, (struct session_rings_msg *)m);
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
free_exited(struct msg *m)
{
	session_exited_msg_free((struct session_exited_msg *)m);
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
	{ SESSION_MSG_OPENED, SESSION_MSG_OPENED, take_opened, free_opened, false },
	{ SESSION_MSG_RINGS, SESSION_MSG_RINGS, take_rings, free_rings, false },
	{ SESSION_MSG_EXITED, SESSION_MSG_EXITED, take_exited, free_exited, false },
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
take_messages(struct engine *e)
{
	struct msg *m;

	while ((m = queue_take(e->in)) != NULL) {
		const struct handler *h = handler_of(m);

		if (h == NULL)
			continue;
		h->take(e, m);
		if (!h->keeps)
			h->free(m);
	}
}

/* What the tables and the task list look like now: the processes that ticks must not miss. */
static void
ask_tick(struct engine *e)
{
	int hot[256];
	size_t n = 0;
	const struct model *m = e->model;

	for (size_t i = 1; i < m->task_len && n < ARRAY_SIZE(hot); i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->whos > 0 && t->died_ns == 0 && t->pid > 0 && t->pid == t->tid)
			hot[n++] = t->pid;
	}
	proc_reader_ask_tick(e->proc, hot, n,
			     e->query.process != 0 ? m->tasks[e->query.process].pid : 0,
			     e->tick == NULL || !e->tick->complete ? TICK_FIRST_BUDGET_US
								   : TICK_BUDGET_US);
}

/* Waits until names are there, or it takes too long.  Only reports do: the screen never waits. */
static void
settle(struct engine *e)
{
	uint64_t end = clock_mono_ns() + SETTLE_MS * NSEC_PER_MSEC;
	uint64_t now;

	while ((now = clock_mono_ns()) < end && !e->is_told_to_stop) {
		engine_drain(e, now - SLACK_MS * NSEC_PER_MSEC);
		engine_learn_answers(e);
		if (engine_is_settled(e))
			break;
		struct msg *m = queue_wait(e->in, 5);

		if (m == NULL)
			continue;
		const struct handler *h = handler_of(m);

		if (h == NULL)
			continue;
		h->take(e, m);
		if (!h->keeps)
			h->free(m);
	}
}

static void
refresh(struct engine *e, uint64_t now_ns)
{
	uint64_t grace_ns = GRACE_MS * NSEC_PER_MSEC;

	if (e->config->batch)
		settle(e);
	profile_close_interval(e->profile, clock_mono_ns());
	profile_fold(e->profile, now_ns);
	model_sweep(e->model, now_ns > grace_ns ? now_ns - grace_ns : 0);
	feed_expire(&e->feed, now_ns - MAPS_PATIENCE_MS * NSEC_PER_MSEC);
	engine_measure_self(e, now_ns);
	e->seq++;
	engine_send_snapshot(e);
	profile_next_report(e->profile);
	e->reported_ns = clock_mono_ns();
	e->changed = false;
}

/* Soon after the start, or after a switch, what is new is shown without waiting for the delay. */
static void
hurry(struct engine *e, uint64_t now_ns)
{
	if (e->config->batch || !e->changed || now_ns < e->next_hurry_ns)
		return;
	e->next_hurry_ns = now_ns + HURRY_STEP_MS * NSEC_PER_MSEC;
	profile_close_interval(e->profile, now_ns);
	engine_send_snapshot(e);
	e->changed = false;
}

/* So that its answer is new when the refresh shows it. */
static uint64_t
tick_before(const struct engine *e, uint64_t refresh_ns)
{
	return refresh_ns - MIN(TICK_AHEAD_MS * NSEC_PER_MSEC, e->delay_ns / 2);
}

static void
on_time(struct engine *e)
{
	uint64_t now = clock_mono_ns();
	bool fresh = now - e->fresh_since_ns < HURRY_MS * NSEC_PER_MSEC;

	if (now >= e->next_drain_ns) {
		uint64_t before = e->profile->tables.cells[TABLE_HOT].len;

		engine_drain(e, now - SLACK_MS * NSEC_PER_MSEC);
		engine_learn_answers(e);
		e->next_drain_ns = now + (fresh ? HURRY_DRAIN_MS * NSEC_PER_MSEC : e->drain_ns);
		e->changed |= e->profile->tables.cells[TABLE_HOT].len != before;
	}
	if (now >= e->next_tick_ns) {
		ask_tick(e);
		e->next_tick_ns = tick_before(e, e->next_refresh_ns);
		if (e->next_tick_ns <= now)
			e->next_tick_ns = UINT64_MAX;
	}
	if (now >= e->next_refresh_ns) {
		refresh(e, now);
		/* Kept on the beat, unless the machine was too busy or asleep. */
		e->next_refresh_ns += e->delay_ns;
		if (e->next_refresh_ns <= now)
			e->next_refresh_ns = now + e->delay_ns;
		e->next_tick_ns = tick_before(e, e->next_refresh_ns);
	} else if (fresh) {
		hurry(e, now);
	}
}

static int
wait_ms(const struct engine *e)
{
	uint64_t now = clock_mono_ns(), next = MIN(e->next_drain_ns, e->next_refresh_ns);

	next = MIN(next, e->next_tick_ns);
	return next <= now ? 0 : (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static void
wait_and_take(struct engine *e)
{
	struct epoll_event events[16];
	int n = epoll_wait(e->epoll_fd, events, ARRAY_SIZE(events), wait_ms(e));

	for (int i = 0; i < n; i++)
		if (events[i].data.u32 == 1)
			e->next_drain_ns = 0;
	take_messages(e);
	engine_learn_answers(e);
}

static void
send_ended(struct engine *e)
{
	struct engine_ended_msg *m = xcalloc(1, sizeof(*m));

	m->msg.type = ENGINE_MSG_ENDED;
	m->command_ended = e->command_ended;
	m->command_status = e->command_status;
	m->err = e->end_err;
	queue_send(e->out, &m->msg);
}

/* COMMAND is over: all that its rings still hold counts. */
static void
finish_command(struct engine *e)
{
	engine_drain(e, UINT64_MAX);
	e->drained_to_ns = clock_mono_ns();
	engine_learn_answers(e);
	refresh(e, clock_mono_ns());
	send_ended(e);
}

void *
engine_main(void *arg)
{
	struct engine *e = arg;
	struct epoll_event in = { .events = EPOLLIN, .data.u32 = 0 };
	struct query first = e->query;
	bool command_told = false;

	/* Where it may: a ring that is emptied late loses samples. */
	setpriority(PRIO_PROCESS, 0, -5);
	epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, queue_fd(e->in), &in);
	engine_watch_rings(e);
	e->drain_ns = 50 * NSEC_PER_MSEC;
	e->fresh_since_ns = e->cpu_since_ns = clock_mono_ns();
	e->next_refresh_ns = e->fresh_since_ns + e->delay_ns;
	set_query(e, &first);
	engine_open_first(e);
	while (!e->stopping) {
		wait_and_take(e);
		on_time(e);
		if (e->command_ended && !command_told) {
			finish_command(e);
			command_told = true;
		}
	}
	if (!command_told)
		send_ended(e);
	return NULL;
}
