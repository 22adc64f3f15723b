/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_engine.h"
#include "fake_nodes.h"

#include "app/crash.h"
#include "engine/engine.h"
#include "base/clock.h"
#include "view/column.h"
#include "view/filter.h"
#include "ui/ui.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum fake_type {
	FAKE_QUERY,
	FAKE_SWITCH,
	FAKE_STEP,
	FAKE_CATALOGUE,
	FAKE_TEXT,
	FAKE_DELAY,
	FAKE_STOP,
};

struct fake_msg {
	struct msg msg;
	struct query query;
	char text[8192];
	int number;
	uint64_t id;
};

struct engine {
	const struct engine_config *config;
	struct queue *answers, *commands;
	pthread_t thread;
	struct query query;
	char events[8][64];
	int event, event_count;
	bool is_opening; /* the event */
	double delay_s;
	uint64_t seq, freq;
	int output[2];
	atomic_bool is_recording;
	int changes; /* told so far */
};

static int
env_number(const char *name, int missing)
{
	const char *s = getenv(name);

	return s == NULL ? missing : atoi(s);
}

static void
fake_log(const char *what, const char *arg)
{
	const char *path = getenv("FAKE_LOG");
	FILE *f = path == NULL ? NULL : fopen(path, "ae");

	if (f == NULL)
		return;
	fprintf(f, "%s %s\n", what, arg);
	fclose(f);
}

static const struct fake_task {
	int pid, tid;
	const char *comm, *hottest, *command;
	double share;
	unsigned flags;
} tasks[] = {
	{ 1234, 1234, "threads", "spin_a", "./threads --workers 2", 0.42, 0 },
	{ 1234, 1240, "worker-a", "spin_a", "./threads --workers 2", 0.28, 0 },
	{ 1234, 1241, "worker-b", "spin_b", "./threads --workers 2", 0.14, 0 },
	{ 77, 77, "nginx", "ngx_http_parse_header_line", "nginx: worker process", 0.2, 0 },
	{ 9, 9, "rcu_preempt", "rcu_gp_kthread", "[rcu_preempt]", 0.03, ROW_KTHREAD },
	{ 4321, 4321, "sh", "0x55d0c1", "sh -c true", 0.01, ROW_DEAD },
	{ 4400, 4400, "ptop", "poll", "ptop", 0.001, ROW_SELF },
};

static const struct fake_function {
	const char *symbol, *dso, *source;
	double share;
	unsigned flags;
} functions[] = {
	{ "spin_a", "threads", "threads.c:12", 0.41, 0 },
	{ "spin_b", "threads", "threads.c:21", 0.2, 0 },
	{ "ngx_http_parse_header_line", "nginx", "ngx_http_parse.c:812", 0.12, 0 },
	{ "copy_user_enhanced_fast_string", "[kernel]", "", 0.11, ROW_KERNEL },
	{ "0x55d0c1a0", "libfoo.so.1", "", 0.02, ROW_UNNAMED },
	{ "libbar.so+0x1204", "libbar.so", "", 0.01, ROW_PENDING },
};

/* No text of a row is NULL. */
static const struct row blank = {
	.pid = -1, .tid = -1, .threads = -1, .cpu_number = -1, .node = -1, .event = "", .comm = "", .dso = "",
	.symbol = "", .source = "", .user = "", .cgroup = "", .command = "", .instruction = "",
	.data_src = "", .branch = "", .hottest = "", .reason = "", .remedy = "", .path = "",
	.build_id = "", .names_from = "", .state = "", .waitkind = "", .on = "", .waits_in = "",
	.run = NAN, .queue = NAN, .stolen = NAN, .wait = NAN, .waker = "", .length = "", .container = "",
	.pod = "", .unit = "", .program = "", .syscall = "", .field = "", .unnamed = NAN, .ipc = NAN,
	.lock = "", .owner_comm = "", .does = "", .held = -1,
};

static struct row *
row_add(struct snapshot *s, uint64_t id, double share, unsigned flags)
{
	struct row *r = &s->rows[s->row_count++];

	*r = blank;
	r->id = id;
	r->share = share;
	r->flags = flags;
	r->cpu = share * 400;
	r->samples = r->counted = (uint64_t)(share * 1000);
	r->period = (uint64_t)(share * 1e9);
	for (int i = 0; i < TREND_LEN; i++)
		r->trend[i] = (uint8_t)((id + (uint64_t)i) % 9);
	return r;
}

static const char hostile[] = "\033[2J;\n\xff\xe2\x80\xae";

static void
add_tasks(struct snapshot *s, const struct query *q)
{
	bool threads = q->view == VIEW_THREADS, bad = env_number("FAKE_HOSTILE", 0) != 0;

	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		const struct fake_task *t = &tasks[i];
		struct row *r;

		if ((!threads && t->tid != t->pid) ||
		    (q->process != 0 && (int)q->process != t->pid) ||
		    (q->thread != 0 && (int)q->thread != t->tid))
			continue;
		r = row_add(s, (uint64_t)t->tid, t->share, t->flags);
		r->pid = t->pid;
		r->tid = t->tid;
		r->threads = (t->flags & ROW_DEAD) != 0 || threads ? 0 : t->pid == 1234 ? 3 : 1;
		if (t->pid == 77 && env_number("FAKE_ENDED", 0) != 0)
			r->flags |= ROW_THREADS_ENDED;
		r->process = (uint32_t)t->pid;
		/* No process of the machine's that has such a number is it. */
		r->start_ticks = (t->flags & ROW_DEAD) != 0 ? 0 : UINT64_MAX;
		r->depth = !q->process_tree ? 0 : t->pid == 77 ? 2 : 1;
		r->thread = threads ? (uint32_t)t->tid : 0;
		r->user = "root";
		r->comm = bad ? hostile : t->comm;
		r->command = bad ? hostile : t->command;
		r->hottest = bad ? hostile : t->hottest;
		r->ended_ns = (t->flags & ROW_DEAD) != 0 ? clock_real_ns() : 0;
	}
}

static int
maker_of_code(void)
{
	const char *path = getenv("FAKE_MAKER");
	FILE *f = path != NULL ? fopen(path, "re") : NULL;
	int pid = 0;

	if (f != NULL) {
		if (fscanf(f, "%d", &pid) != 1)
			pid = 0;
		fclose(f);
	}
	return pid;
}

static void
add_functions(struct snapshot *s, const struct query *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		const struct fake_function *f = &functions[i];
		struct row *r;

		if ((q->process == 1234 && strcmp(f->dso, "threads") != 0 && i != 3) ||
		    (q->thread == 1240 && strcmp(f->symbol, "spin_b") == 0))
			continue;
		if (q->hide_kernel && (f->flags & ROW_KERNEL) != 0)
			continue;
		r = row_add(s, 100 + i, f->share, f->flags);
		r->symbol = env_number("FAKE_HOSTILE", 0) != 0 ? hostile : f->symbol;
		r->dso = f->dso;
		r->source = f->source;
		r->location = (uint32_t)i + 1;
		r->cpu = f->share * 400;
		if ((f->flags & ROW_UNNAMED) != 0)
			r->maker = maker_of_code();
	}
}

static const struct fake_unnamed {
	const char *dso, *reason, *remedy;
	double share, own;
} unnamed[] = {
	{ "libfoo.so.1", "stripped, no debug file for build-id 1234", "dpkg -S /usr/lib/libfoo.so.1 "
	  "names its PACKAGE: apt install PACKAGE-dbgsym", 0.2, 0.5 },
	{ "[anon]", "code without a file, as JIT compilers make it", "", 0.1, 1 },
};

static void
add_unnamed(struct snapshot *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(unnamed); i++) {
		struct row *r = row_add(s, 300 + i, unnamed[i].share, 0);

		r->dso = unnamed[i].dso;
		r->dso_id = (uint32_t)i + 1;
		r->reason = unnamed[i].reason;
		r->remedy = unnamed[i].remedy;
		r->unnamed = unnamed[i].own;
	}
	s->named = arena_alloc(&s->arena, sizeof(*s->named));
	s->named_count = 1;
	*s->named = blank;
	s->named->id = 998;
	s->named->flags = ROW_FILTERED;
	s->named->share = 0.7;
	s->named->symbol = "[named]";
}

static void
add_others(struct snapshot *s)
{
	for (int i = 0; i < 3; i++) {
		struct row *r = row_add(s, 200 + (uint64_t)i, 0.3, 0);

		r->dso = "libc.so.6";
		r->user = "root";
		r->cpu_number = i;
	}
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	const struct query *q = arg;
	int order = column_compare(q->sort, a, b);

	return q->ascending ? order : -order;
}

static void
filter_rows(struct snapshot *s, const struct query *q)
{
	struct filter *f = filter_parse(q->filter, NULL);
	size_t kept = 0;

	for (size_t i = 0; i < s->row_count; i++)
		if (filter_keeps(f, &s->rows[i]))
			s->rows[kept++] = s->rows[i];
	if (kept < s->row_count) {
		s->filtered = arena_alloc(&s->arena, sizeof(*s->filtered));
		s->filtered_count = 1;
		*s->filtered = blank;
		s->filtered->id = 999;
		s->filtered->flags = ROW_FILTERED;
		s->filtered->share = 0.5;
		s->filtered->symbol = "[filtered]";
	}
	s->row_count = kept;
	filter_free(f);
}

static void
make_rows(struct engine *e, struct snapshot *s)
{
	const struct query *q = &e->query;

	s->rows = arena_alloc(&s->arena, 64 * sizeof(struct row));
	if ((q->view == VIEW_PROCESSES && !q->unnamed) || q->view == VIEW_THREADS)
		add_tasks(s, q);
	else if (q->view == VIEW_FUNCTIONS)
		add_functions(s, q);
	else if (q->view == VIEW_UNNAMED && q->unnamed)
		add_unnamed(s);
	else
		add_others(s);
	if (env_number("FAKE_SHUFFLE", 0) != 0)
		for (size_t i = 0; i < s->row_count; i++)
			s->rows[i].share = (double)((s->rows[i].id * 7 + s->seq * 13) % 31) / 31;
	qsort_r(s->rows, s->row_count, sizeof(struct row), compare_rows, &e->query);
	filter_rows(s, q);
}

/* Half of all is in a process: of that, or of all, are the shares. */
static void
make_event(struct engine *e, struct snapshot *s)
{
	bool counts_things = strcmp(e->events[e->event], "page-faults") == 0;
	bool of_shown = e->query.process != 0 && e->query.shares == SHARES_OF_SHOWN;

	s->event_count = 1;
	s->events = arena_alloc(&s->arena, sizeof(*s->events));
	s->events[0] = (struct snapshot_event){
		.name = arena_strdup(&s->arena, e->events[e->event]), .shown = true, .open = true,
		.counts_time = !counts_things, .counts_things = counts_things, .window_s = 10,
		.samples = 1000, .period = 1000000000, .base = of_shown ? 500000000 : 1000000000,
	};
}

static void
make_head(struct engine *e, struct snapshot *s)
{
	struct snapshot_head *h = &s->head;
	size_t cpus = (size_t)env_number("FAKE_CPUS", 4);
	size_t notices = (size_t)env_number("FAKE_NOTICES", 0);
	struct snapshot_cpu *cpu = arena_alloc(&s->arena, cpus * sizeof(*cpu));
	const char **notice = arena_alloc(&s->arena, (notices + 1) * sizeof(*notice));

	*h = (struct snapshot_head){
		.host = "web-03", .uptime_s = 41 * 86400 + 3 * 3600 + 720,
		.load = { 7.91, 6.2, 5.88 }, .tasks = 412, .running = 9, .user = 0.61f,
		.system = 0.22f, .softirq = 0.04f, .idle = 0.11f, .iowait = 0.02f,
		.have_shares = true, .now_ns = clock_real_ns(), .event = e->events[e->event],
		.event_asked = e->event > 0 ? e->events[e->event] : NULL,
		.is_freq = true, .rate = e->freq, .cpus_known = (unsigned)cpus,
		.cpus_sampled = (unsigned)(cpus - (size_t)env_number("FAKE_OFF_LINE", 0)), .samples_per_s = 41200, .self_cpu = 0.3,
		.self_bytes = 14 << 20, .window_s = (double)e->query.window_ns / 1e9,
		.window_have_s = (double)e->query.window_ns / 1e9,
		.window_end_s = (double)e->query.end_ns / 1e9, .span_s = 120,
		.frozen_s = e->query.frozen ? 100 : 0, .cpus = cpu, .cpu_count = cpus, .notices = notice,
		.notice_count = notices, .history_s = 34,
		.losses = { [LOSS_NOT_TARGETS] = (uint64_t)env_number("FAKE_NOT_TARGETS", 0),
			    [LOSS_ADDRESSES] = (uint64_t)env_number("FAKE_MERGED", 0),
			    [LOSS_LATE] = (uint64_t)env_number("FAKE_LATE", 0) },
		.switching = e->is_opening, .switching_to = e->is_opening ? e->events[e->event] : "",
		.is_recording = e->is_recording, .recorded_bytes = 12 << 20,
		.states = getenv("FAKE_STATES"),
	};
	/* Its intervals are of a second. */
	h->have_from_s = floor(h->window_end_s - h->window_s);
	h->have_to_s = ceil(h->window_end_s);
	h->have_load = true;
	h->moments = (struct moments){ .now_ns = 120 * NSEC_PER_SEC };
	/* From noon on, by UTC. */
	if (env_number("FAKE_WALL", 0))
		wall_note(&h->moments.wall, 0, UINT64_C(20000) * 24 * 3600 * NSEC_PER_SEC +
						       12 * 3600 * NSEC_PER_SEC, &(int64_t){ 0 });
	h->event = arena_strdup(&s->arena, h->event);
	h->rate_asked = e->freq;
	h->rate = (uint64_t)env_number("FAKE_LOWERED", (long)e->freq);
	h->rate_why = getenv("FAKE_LOWERED_WHY");
	for (size_t i = 0; i < cpus; i++) {
		float busy = (float)((i * 3 + s->seq) % 11) / 10;

		cpu[i] = (struct snapshot_cpu){ .cpu = (unsigned)i, .node = (int)(i / 64), .busy = busy,
						.user = busy / 2, .system = busy / 2 };
	}
	h->memory_total = UINT64_C(16) << 30;
	h->memory_available = UINT64_C(10) << 30;
	h->pressure[PRESSURE_CPU] = 12;
	h->pressure[PRESSURE_MEMORY] = NAN;
	h->pressure[PRESSURE_IO] = 3;
	for (size_t i = 0; i < notices; i++)
		notice[i] = arena_printf(&s->arena, "notice %zu: user space only (perf_event_paranoid is 2): "
					 "sudo sysctl kernel.perf_event_paranoid=1", i + 1);
}

/* As busy as it always is, since the 110th step before now. */
static void
make_timeline(struct snapshot *s)
{
	static const double steps_s[TIMELINE_ROWS] = { 1, 10, 60 };
	static const size_t lens[TIMELINE_ROWS] = { 120, 180, 1440 };

	for (int t = 0; t < TIMELINE_ROWS; t++) {
		float *busy = arena_alloc(&s->arena, lens[t] * sizeof(*busy));

		for (size_t i = 0; i < lens[t]; i++)
			busy[i] = lens[t] - i > 110 ? NAN : (float)(i % 10) / 9;
		s->timeline[t] = (struct timeline_row){
			.step_s = steps_s[t], .from_s = 120 - steps_s[t] * (double)lens[t],
			.len = lens[t], .busy = busy, .rate = busy,
		};
	}
}

static void
make_crumbs(struct engine *e, struct snapshot *s)
{
	s->crumbs[0] = "All";
	if (e->query.process != 0)
		s->crumbs[1] = arena_printf(&s->arena, "%s %u",
					    env_number("FAKE_HOSTILE", 0) ? hostile : "threads",
					    e->query.process);
	if (e->query.thread != 0)
		s->crumbs[2] = arena_printf(&s->arena, "thread %u worker", e->query.thread);
	if (e->query.dso != 0)
		s->crumbs[1] = unnamed[e->query.dso - 1].dso;
}

static void
free_snapshot(struct msg *m)
{
	snapshot_put(((struct engine_snapshot_msg *)m)->snapshot);
	free(m);
}

static void
send_snapshot(struct engine *e)
{
	struct engine_snapshot_msg *m = mem_calloc(1, sizeof(*m));
	struct snapshot *s = snapshot_new();
	int slow = env_number("FAKE_SLOW", 0);

	if (slow > 0)
		usleep((useconds_t)slow * 1000);
	s->query = e->query;
	s->seq = ++e->seq;
	s->total_samples = 1000;
	if (view_defs[e->query.view].is_tree)
		fake_nodes(s, env_number("FAKE_HOSTILE", 0) ? hostile : NULL,
			   env_number("FAKE_SHUFFLE", 0) != 0,
			   env_number("FAKE_LATE", 0) != 0);
	else
		make_rows(e, s);
	if (s->event_count == 0)
		make_event(e, s);
	make_head(e, s);
	make_crumbs(e, s);
	make_timeline(s);
	m->msg = (struct msg){ .type = ENGINE_MSG_SNAPSHOT, .free = free_snapshot };
	m->snapshot = s;
	queue_send(e->answers, &m->msg);
}

static void
send_text(struct engine *e, int type, bool is_news, const char *text)
{
	struct engine_text_msg *m = mem_calloc(1, sizeof(*m) + strlen(text) + 1);

	m->msg.type = type;
	m->is_news = is_news;
	m->is_error = getenv("FAKE_REFUSAL") != NULL && strcmp(text, getenv("FAKE_REFUSAL")) == 0;
	strcpy(m->text, text);
	queue_send(e->answers, &m->msg);
}

static const struct catalogue_event fixed_events[] = {
	{ "cpu-clock", "CPU time by a timer of each CPU", EVENT_SOFTWARE, EVENT_CAN, "", "" },
	{ "page-faults", "pages that were not mapped when touched", EVENT_SOFTWARE, EVENT_CAN, "", "" },
	{ "cycles", "CPU cycles", EVENT_HARDWARE, EVENT_CANNOT, "this machine has no PMU", "" },
	{ "L1-dcache-load-misses", "loads that missed the first cache", EVENT_CACHE, EVENT_CANNOT,
	  "this machine has no PMU", "" },
};

static void
free_catalogue(struct msg *m)
{
	catalogue_put(((struct engine_catalogue_msg *)m)->catalogue);
	free(m);
}

static void
send_catalogue(struct engine *e)
{
	struct engine_catalogue_msg *m = mem_calloc(1, sizeof(*m));
	size_t fixed = ARRAY_SIZE(fixed_events), more = (size_t)env_number("FAKE_EVENTS", 20);
	struct catalogue *c = mem_calloc(1, sizeof(*c));

	c->arena = mem_calloc(1, sizeof(*c->arena));
	c->refs = 1;
	c->len = fixed + more;
	c->items = mem_calloc(c->len, sizeof(*c->items)); /* catalogue_put() frees it */
	memcpy(c->items, fixed_events, sizeof(fixed_events));
	for (size_t i = 0; i < more; i++)
		c->items[fixed + i] = (struct catalogue_event){
			.name = arena_printf(c->arena, "sub%zu:event_%04zu", i / 100, i),
			.help = "a tracepoint", .class = EVENT_TRACEPOINT, .reason = "",
			.remedy = "",
		};
	m->msg = (struct msg){ .type = ENGINE_MSG_CATALOGUE, .free = free_catalogue };
	m->catalogue = c;
	queue_send(e->answers, &m->msg);
}

static void
switch_event(struct engine *e, const char *spec)
{
	if (e->event_count < 8)
		e->event = e->event_count++;
	snprintf(e->events[e->event], sizeof(e->events[0]), "%.60s", spec);
}

/* It is shown while it is being opened. */
static void
refuse_event(struct engine *e, const char *spec)
{
	const int before = e->event, count = e->event_count;

	switch_event(e, spec);
	e->is_opening = true;
	send_snapshot(e);
	e->is_opening = false;
	e->event = before;
	e->event_count = count;
	send_text(e, ENGINE_MSG_STATUS, false, getenv("FAKE_REFUSAL"));
}

/* false: the end was asked for. */
static bool
carry_out(struct engine *e, const struct fake_msg *m)
{
	switch ((enum fake_type)m->msg.type) {
	case FAKE_QUERY:
		e->query = m->query;
		break;
	case FAKE_SWITCH:
		if (getenv("FAKE_REFUSAL") != NULL)
			refuse_event(e, m->text);
		else
			switch_event(e, m->text);
		break;
	case FAKE_STEP:
		e->event = (e->event + m->number + e->event_count) % e->event_count;
		break;
	case FAKE_CATALOGUE:
		send_catalogue(e);
		return true;
	case FAKE_TEXT:
		send_text(e, m->number, false, m->text);
		return true;
	case FAKE_DELAY:
		e->delay_s = (double)m->number / 1000;
		return true;
	case FAKE_STOP:
		return false;
	}
	send_snapshot(e);
	return true;
}

static void *
fake_thread(void *arg)
{
	struct engine *e = arg;
	const char *news = getenv("FAKE_NEWS");

	for (bool go = true; go;) {
		struct msg *m = queue_wait(e->commands, (int)(e->delay_s * 1000));

		if (m == NULL && news != NULL)
			send_text(e, ENGINE_MSG_STATUS, true, news);
		if (m == NULL)
			send_snapshot(e);
		else
			go = carry_out(e, (struct fake_msg *)m);
		free(m);
	}
	return NULL;
}

static void
command(struct engine *e, enum fake_type type, const struct query *q, const char *text, int number)
{
	struct fake_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = (int)type;
	if (q != NULL)
		m->query = *q;
	snprintf(m->text, sizeof(m->text), "%s", text);
	m->number = number;
	queue_send(e->commands, &m->msg);
}

struct engine *
engine_start(const struct engine_config *config, const struct query *q, struct queue *answers,
	     struct err *err)
{
	struct engine *e = mem_calloc(1, sizeof(*e));
	const char *text = getenv("FAKE_OUTPUT");

	(void)err;
	e->config = config;
	e->answers = answers;
	e->commands = queue_new();
	e->delay_s = config->delay_s;
	e->freq = 999;
	e->output[0] = e->output[1] = -1;
	if (text != NULL && pipe2(e->output, O_CLOEXEC) == 0 &&
	    write(e->output[1], text, strlen(text)) < 0)
		perror("pipe");
	switch_event(e, "cycles:P");
	command(e, FAKE_QUERY, q, "", 0);
	if (config->told != NULL && *config->told != '\0')
		command(e, FAKE_TEXT, NULL, config->told, ENGINE_MSG_STATUS);
	pthread_create(&e->thread, NULL, fake_thread, e);
	return e;
}

int
engine_stop(struct engine *e, struct err *err)
{
	struct msg *m;

	(void)err;
	command(e, FAKE_STOP, NULL, "", 0);
	pthread_join(e->thread, NULL);
	while ((m = queue_take(e->commands)) != NULL)
		free(m);
	queue_free(e->commands);
	for (int i = 0; i < 2; i++)
		if (e->output[i] >= 0)
			close(e->output[i]);
	free(e);
	return 0;
}

void
engine_query(struct engine *e, const struct query *q)
{
	fake_log("query", view_defs[q->view].name);
	command(e, FAKE_QUERY, q, "", 0);
}

void
engine_switch_event(struct engine *e, const char *spec)
{
	fake_log("switch", spec);
	command(e, FAKE_SWITCH, NULL, spec, 0);
}

void
engine_need_event(struct engine *e, const char *spec)
{
	engine_switch_event(e, spec);
}

void
engine_step_event(struct engine *e, int direction)
{
	command(e, FAKE_STEP, NULL, "", direction);
}

void
engine_set_call_graph(struct engine *e, enum event_call_graph how)
{
	(void)e;
	(void)how;
}

void
engine_step_freq(struct engine *e, int direction)
{
	fake_log("freq", direction > 0 ? "more" : "fewer");
	command(e, FAKE_TEXT, NULL, direction > 0 ? "2000 Hz" : "500 Hz", ENGINE_MSG_STATUS);
}

void
engine_toggle_pause(struct engine *e)
{
	const char *refusal = getenv("FAKE_REFUSAL");

	fake_log("pause", "");
	command(e, FAKE_TEXT, NULL, refusal != NULL ? refusal : "paused", ENGINE_MSG_STATUS);
}

void
engine_filter_event(struct engine *e, const char *filter)
{
	fake_log("filter-event", filter);
	command(e, FAKE_TEXT, NULL, "filtered", ENGINE_MSG_STATUS);
}

void
engine_export(struct engine *e, enum export_format format, const char *path)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s", format_defs[format].name, path);
	fake_log("export", line);
	command(e, FAKE_TEXT, NULL, "written", ENGINE_MSG_STATUS);
}

void
engine_record(struct engine *e, enum record_what what, const char *path)
{
	static const char *const whats[] = {
		[RECORD_PAST] = "past", [RECORD_OWN] = "own", [RECORD_ON] = "on", [RECORD_STOP] = "stop",
		[RECORD_CHANGE] = "change",
	};
	char line[256];

	snprintf(line, sizeof(line), "%s %s", whats[what], path);
	fake_log("record", line);
	e->is_recording = what == RECORD_ON;
	command(e, FAKE_TEXT, NULL, what == RECORD_ON ? "recording"
				    : what == RECORD_CHANGE ? "written: two minutes" : "written", ENGINE_MSG_STATUS);
}

void
engine_attach(struct engine *e, int pid, bool descendants)
{
	char line[64];

	snprintf(line, sizeof(line), "attached %d %s", pid,
		 descendants ? "with descendants" : "alone");
	command(e, FAKE_TEXT, NULL, line, ENGINE_MSG_STATUS);
}

void
engine_toggle_downloads(struct engine *e)
{
	command(e, FAKE_TEXT, NULL, "downloads", ENGINE_MSG_STATUS);
}

void
engine_detach(struct engine *e, int pid)
{
	char line[32];

	snprintf(line, sizeof(line), "detached %d", pid);
	command(e, FAKE_TEXT, NULL, line, ENGINE_MSG_STATUS);
}

void
engine_count_calls(struct engine *e, uint32_t location, uint32_t process)
{
	char line[64];

	snprintf(line, sizeof(line), "calls of %u in %u", location, process);
	command(e, FAKE_TEXT, NULL, line, ENGINE_MSG_STATUS);
}

void
engine_name_again(struct engine *e, int pid)
{
	char line[32];

	snprintf(line, sizeof(line), "name again %d", pid);
	command(e, FAKE_TEXT, NULL, line, ENGINE_MSG_STATUS);
}

void
engine_end_calls(struct engine *e, uint32_t id)
{
	char line[32];

	snprintf(line, sizeof(line), "calls %u end", id);
	command(e, FAKE_TEXT, NULL, line, ENGINE_MSG_STATUS);
}

void
engine_set_delay(struct engine *e, double seconds)
{
	command(e, FAKE_DELAY, NULL, "", (int)(seconds * 1000));
}

void
engine_mark(struct engine *e, const char *name, double at_s)
{
	char line[128];

	snprintf(line, sizeof(line), "mark %.80s at %.1f s", name, at_s);
	command(e, FAKE_TEXT, NULL, line, ENGINE_MSG_STATUS);
}

void
engine_zero(struct engine *e)
{
	fake_log("zero", "");
	command(e, FAKE_STEP, NULL, "", 0);
}

void
engine_ask_catalogue(struct engine *e)
{
	fake_log("catalogue", "");
	command(e, FAKE_CATALOGUE, NULL, "", 0);
}

void
engine_ask_messages(struct engine *e)
{
	command(e, FAKE_TEXT, NULL, "10:42:07 pid 4321 has ended\n10:42:08 kernel addresses are "
		"hidden: sysctl kernel.kptr_restrict=0\n", ENGINE_MSG_MESSAGES);
}

void
engine_ask_changes(struct engine *e)
{
	struct buf b = { 0 };

	e->changes = MAX(e->changes + 1, env_number("FAKE_CHANGES", 1));
	for (int i = getenv("FAKE_CHANGES") != NULL ? e->changes : 1; i > 0; i--)
		buf_addf(&b, "10:41:07  +%d.2 points inflate < gzip_filter (nginx)\n", 6 + i);
	command(e, FAKE_TEXT, NULL, buf_str(&b), ENGINE_MSG_CHANGES);
	buf_release(&b);
}

void
engine_ask_hits(struct engine *e)
{
	command(e, FAKE_TEXT, NULL, "TIME  CPU  TID  NAME  FIELDS\n10:42:07.000001 sig=SIGTERM\n", ENGINE_MSG_HITS);
}

void
engine_ask_explain(struct engine *e, const struct query *q, uint64_t row_id)
{
	char text[8192];

	(void)q;
	snprintf(text, sizeof(text), "row %llu: named by .symtab\n", (unsigned long long)row_id);
	command(e, FAKE_TEXT, NULL, text, ENGINE_MSG_EXPLAIN);
}

void
engine_ask_explain_place(struct engine *e, uint32_t location, bool is_irq_on)
{
	(void)is_irq_on;
	engine_ask_explain(e, NULL, location);
}

int
engine_output_fd(const struct engine *e)
{
	return e->output[0];
}

/* In place of the real one: it is of no command line. */
void
config_query(const struct config *c, struct query *q)
{
	*q = (struct query){ .view = c->view, .by_view = true, .sort = c->sort,
			     .unnamed = view_defs[c->view].is_unnamed,
			     .locks = view_defs[c->view].is_locks,
			     .ascending = c->sort_ascending, .window_ns = 10 * NSEC_PER_SEC,
			     .hide_kernel = c->hide_kernel, .hide_user = c->hide_user,
			     .shares = SHARES_OF_SHOWN };
	if (c->filter != NULL)
		snprintf(q->filter, sizeof(q->filter), "%s", c->filter);
}

int
fake_main(int argc, char **argv)
{
	struct config config = { .engine.delay_s = 0.2, .sort = COLUMN_SHARE };
	struct err err = { 0 };
	int res;

	(void)argc;
	crash_catch();
	if (getenv("FAKE_OUTPUT") != NULL)
		config.engine.command = argv;
	if (getenv("FAKE_VIEW") != NULL && view_parse(getenv("FAKE_VIEW"), &config.view, &err) < 0)
		fprintf(stderr, "%s\n", err.text);
	if (getenv("FAKE_DELAY") != NULL)
		config.engine.delay_s = atof(getenv("FAKE_DELAY"));
	config.engine.events_given = getenv("FAKE_EVENTS_GIVEN") != NULL;
	if (getenv("FAKE_REFRESHES") != NULL)
		config.engine.iterations = strtoul(getenv("FAKE_REFRESHES"), NULL, 10);
	config.filter = getenv("FAKE_FILTER"); /* as the configuration has it */
	rcfile_find(&config.rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	rcfile_find(&config.last, "XDG_STATE_HOME", ".local/state", "last");
	rcfile_read(&config.rc);
	rcfile_read(&config.last);
	config.remembers = true;
	res = ui_run(&config, &err);
	rcfile_release(&config.rc);
	rcfile_release(&config.last);
	if (res == 0)
		return 0;
	fprintf(stderr, "%s\n", err.text);
	return 1;
}
