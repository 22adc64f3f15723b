/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/engine_impl.h"
#include "engine/event_list.h"
#include "engine/oom_guard.h"
#include "engine/session_config.h"
#include "live/sys/capabilities.h"
#include "symbol/file/cache_dir.h"
#include "symbol/parser/host.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

static void
send_cmd(struct engine *e, enum engine_cmd_type type, const struct engine_cmd *with)
{
	struct engine_cmd *cmd = mem_calloc(1, sizeof(*cmd));

	*cmd = *with;
	cmd->msg.type = type;
	queue_send(e->in, &cmd->msg);
}

void
engine_query(struct engine *e, const struct query *q)
{
	send_cmd(e, CMD_QUERY, &(struct engine_cmd){ .query = *q });
}

void
engine_switch_event(struct engine *e, const char *spec)
{
	send_cmd(e, CMD_SWITCH, &(struct engine_cmd){ .text = mem_strdup(spec) });
}

void
engine_step_event(struct engine *e, int direction)
{
	send_cmd(e, CMD_STEP_EVENT, &(struct engine_cmd){ .direction = direction });
}

void
engine_step_freq(struct engine *e, int direction)
{
	send_cmd(e, CMD_STEP_FREQ, &(struct engine_cmd){ .direction = direction });
}

void
engine_filter_event(struct engine *e, const char *filter)
{
	send_cmd(e, CMD_FILTER_EVENT, &(struct engine_cmd){ .text = mem_strdup(filter) });
}

void
engine_set_delay(struct engine *e, double seconds)
{
	send_cmd(e, CMD_DELAY, &(struct engine_cmd){ .seconds = seconds });
	/* The batch loop's way to ask for its last report. */
	if (e->file != NULL && e->config->batch)
		datafile_interrupt(e->file);
}

void
engine_zero(struct engine *e)
{
	send_cmd(e, CMD_ZERO, &(struct engine_cmd){ .direction = 0 });
}

void
engine_ask_catalogue(struct engine *e)
{
	send_cmd(e, CMD_CATALOGUE, &(struct engine_cmd){ .direction = 0 });
}

void
engine_ask_messages(struct engine *e)
{
	send_cmd(e, CMD_MESSAGES, &(struct engine_cmd){ .direction = 0 });
}

void
engine_ask_explain(struct engine *e, const struct query *q, uint64_t row_id)
{
	send_cmd(e, CMD_EXPLAIN, &(struct engine_cmd){ .query = *q, .row_id = row_id });
}

void
engine_record(struct engine *e, enum record_what what, const char *path)
{
	send_cmd(e, CMD_RECORD, &(struct engine_cmd){
		.what = what, .text = path != NULL ? mem_strdup(path) : NULL });
}

void
engine_export(struct engine *e, enum export_format format, const char *path)
{
	send_cmd(e, CMD_EXPORT, &(struct engine_cmd){ .format = format,
						      .text = mem_strdup(path) });
}

void
engine_attach(struct engine *e, int pid, bool descendants)
{
	send_cmd(e, CMD_ATTACH, &(struct engine_cmd){ .pid = pid, .descendants = descendants });
}

void
engine_toggle_downloads(struct engine *e)
{
	send_cmd(e, CMD_DOWNLOADS, &(struct engine_cmd){ .direction = 0 });
}

void
engine_detach(struct engine *e, int pid)
{
	send_cmd(e, CMD_DETACH, &(struct engine_cmd){ .pid = pid });
}

int
engine_output_fd(const struct engine *e)
{
	return e->session != NULL ? session_output_fd(e->session) : -1;
}

void
engine_msg_free(struct msg *m)
{
	if (m == NULL)
		return;
	if (m->type == ENGINE_MSG_SNAPSHOT)
		snapshot_put(((struct engine_snapshot_msg *)m)->snapshot);
	else if (m->type == ENGINE_MSG_CATALOGUE)
		catalogue_put(((struct engine_catalogue_msg *)m)->catalogue);
	free(m);
}

/* Samples are longer by it, and all of them are or none. */
static bool
wants_cgroups(const struct engine *e)
{
	unsigned keys = e->filter != NULL ? filter_keys(e->filter) : 0;

	for (size_t i = 0; i < e->query.key_count; i++)
		keys |= 1u << e->query.keys[i];
	return (keys & 1u << KEY_CGROUP) != 0;
}

struct session_config
engine_session_config(const struct engine *e)
{
	struct session_config config = session_config_of(e->config, &e->env);

	config.cgroups = wants_cgroups(e);
	config.freq = MIN(config.freq, e->rate.most_hz);
	return config;
}

/* The events to begin with: all of -e, or the default ones, of which the first that opens. */
static int
parse_events(struct engine *e, struct err *err)
{
	struct event_list list = { 0 };

	e->shown = e->shown_before = UINT32_MAX;
	if (events_parse(e->config, &e->env, &list, err) < 0) {
		event_list_release(&list);
		return -1;
	}
	if (list.len > EVENTS_MAX / 2) {
		err_set(err, ERR_USAGE, 0, "%zu events: ptop samples at most %d at once", list.len,
			EVENTS_MAX / 2);
		event_list_release(&list);
		return err_hint(err, "give fewer, or a narrower pattern");
	}
	e->candidates = list.items;
	e->candidate_count = list.len;
	return 0;
}

static void
start_services(struct engine *e)
{
	struct symbol_config symbols = {
		.kallsyms = "/proc/kallsyms", .proc = "/proc",
		.debug_dir = "/usr/lib/debug", .demangle = !e->config->no_demangle,
		.host = e->symbol_host, .programs = &e->programs,
	};
	struct buf dir = { 0 };

	symbols.cache = cache_dir_path(&dir) ? dir.data : NULL;
	if (e->file == NULL)
		e->proc = proc_reader_new("/proc", e->in);
	e->symbols = symbol_service_new(&symbols, e->in);
	e->symbol_host = NULL;
	engine_fetch_begin(e, symbols.cache);
	e->users = users_new("/etc/passwd");
	buf_release(&dir);
}

/* Signals are for the main thread: it ends things in order. */
static int
start_thread(struct engine *e, struct err *err)
{
	int res = thread_start(&e->thread, NULL,
			       e->file != NULL ? engine_replay_main : engine_main, e);

	if (res != 0)
		return err_set(err, ERR_LIMIT, res, "cannot start the engine's thread");
	return 0;
}

/* On the screen they can be asked for at any time; a report's is named at its end. */
static bool
writes_files(const struct engine_config *c)
{
	return !c->batch || c->record != NULL || c->writes_report;
}

static bool
replaces_file(const struct engine_config *c)
{
	return c->writes_report && c->force;
}

/* A file is read, no COMMAND is started: nothing has to be done before. */
static int
open_input(struct engine *e, struct err *err)
{
	const struct capability_needs needs = {
		.files = writes_files(e->config), .replaced = replaces_file(e->config),
	};

	if (e->config->owns_process)
		capabilities_reduce(&needs);
	return engine_replay_open(e, err);
}

static void
engine_free(struct engine *e)
{
	struct msg *m;

	prober_free(e->prober);
	engine_counters_release(e);
	engine_replay_release(e);
	engine_jit_release(e);
	symbol_service_free(e->symbols);
	host_free(e->symbol_host);
	engine_fetch_release(e);
	kernel_programs_release(&e->programs);
	proc_reader_free(e->proc);
	engine_auto_release(e);
	session_free(e->session);
	for (uint32_t i = 0; i < e->event_count; i++) {
		event_release(&e->events[i].spec);
		tallies_release(&e->events[i].closed);
		for (size_t n = 0; n < e->events[i].notice_count; n++)
			free(e->events[i].notices[n]);
	}
	for (size_t i = 0; i < e->candidate_count; i++)
		event_release(&e->candidates[i]);
	while ((m = queue_take(e->in)) != NULL)
		engine_free_msg(m);
	for (size_t i = 0; i < e->maps_len; i++)
		proc_maps_msg_free(e->maps[i]);
	proc_tick_msg_free(e->tick);
	engine_places_release(e);
	file_close_kept(&e->statm);
	free(e->chosen_spec);
	free(e->candidates);
	free(e->ids);
	index_release(&e->own_tasks);
	free(e->maps);
	free(e->files);
	free(e->watched);
	free(e->targets);
	catalogue_put(e->catalogue);
	free(e->processes);
	free(e->threads);
	free(e->streams);
	buf_release(&e->mended);
	buf_release(&e->aside);
	engine_record_finish(e, NULL);
	users_free(e->users);
	losses_release(&e->losses);
	filter_free(e->filter);
	merge_free(e->merge);
	feed_release(&e->feed);
	deferred_free(e->deferred);
	record_layouts_release(&e->layouts);
	gains_release(&e->gains);
	profile_free(e->profile);
	locations_release(&e->locations);
	model_free(e->model);
	journal_release(&e->journal);
	event_env_close(&e->env);
	queue_free(e->in);
	close(e->epoll_fd);
	free(e);
}

enum { IMAGE_PART = 4 }; /* symbols of files may take so many times what tables may */

/* A recording is not refreshed as it was recorded. */
void
engine_choose_step(struct engine *e)
{
	e->profile->step_ns = e->file == NULL ? MIN(e->delay_ns, NSEC_PER_SEC) : NSEC_PER_SEC;
	e->profile->refresh_ns = e->delay_ns;
}

void
engine_init_tables(struct engine *e)
{
	e->model = model_new();
	locations_init(&e->locations, e->model);
	/* Of a recording all are wanted to its end. */
	e->locations.image_budget = e->file == NULL ? e->config->memory_bytes * IMAGE_PART : 0;
	e->profile = profile_new(e->model, &e->locations, e->config->memory_bytes);
	if (e->session != NULL)
		e->layout = (struct record_layout)RECORD_LAYOUT(session_sample_type(e->session), true);
	record_layouts_add(&e->layouts, &e->layout);
	e->profile->labels.start_ns = e->started_ns;
	e->profile->labels.bucket_ns = e->delay_ns;
	feed_init(&e->feed, e->model, &e->locations, e->profile, &e->layouts);
	e->profile->report_ns = e->config->batch ? e->delay_ns : 0;
	engine_choose_step(e);
	e->merge = merge_new();
	for (int i = 0; i < BUSY_HISTORY_LEN; i++)
		e->busy_history[i] = -1;
}

/* The upper half of the addresses is the kernel's. */
static bool
is_probe(const struct event *ev)
{
	return ev->place >= EVENT_PLACE_UPROBE ||
	       (ev->type == PERF_TYPE_BREAKPOINT && ev->config1 >> 63);
}

/* On the screen, events can be typed at any time. */
static struct capability_needs
capability_needs(const struct engine *e)
{
	struct capability_needs needs = {
		.files = writes_files(e->config), .replaced = replaces_file(e->config),
		.probes = !e->config->batch,
	};

	for (size_t i = 0; i < e->candidate_count; i++)
		needs.probes |= is_probe(&e->candidates[i]);
	return needs;
}

/* What is sampled: events, targets, rings. */
static int
open_session(struct engine *e, struct err *err)
{
	struct capability_needs needs;
	struct session_config session;

	event_env_open(&e->env);
	session = engine_session_config(e);
	if (parse_events(e, err) < 0)
		return -1;
	needs = capability_needs(e);
	if (e->config->owns_process)
		session.reduce = &needs;
	e->session = session_new(&session, e->in, err);
	if (e->session == NULL)
		return -1;
	engine_init_tables(e);
	engine_want_inlines(e);
	engine_mark_targets(e);
	engine_auto_begin(e);
	return 0;
}

struct engine *
engine_start(const struct engine_config *config, const struct query *q, struct queue *answers,
	     struct err *err)
{
	struct engine *e = mem_calloc(1, sizeof(*e));

	/* While ptop is small and has one thread: what is forked has a copy of it. */
	e->symbol_host = host_new(NULL);
	if (config->debuginfod)
		e->downloads.host = fetch_host_new(0);
	kernel_programs_read(&e->programs);
	e->config = config;
	e->out = answers;
	e->in = queue_new();
	e->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	e->started_ns = e->reported_ns = clock_mono_ns();
	e->query = *q;
	e->delay_ns = (uint64_t)(config->delay_s * 1e9);
	engine_rate_begin(e);
	if (*q->filter != '\0') {
		e->filter = filter_parse(q->filter, err);
		if (e->filter == NULL)
			goto fail;
	}
	if (config->input != NULL ? open_input(e, err) < 0 : open_session(e, err) < 0)
		goto fail;
	if (config->input == NULL && engine_record_begin(e, err) < 0)
		goto fail;
	if (config->owns_process)
		oom_guard_set(oom_guard_bytes(config->memory_bytes, config->history_bytes));
	start_services(e);
	if (start_thread(e, err) < 0)
		goto fail;
	/* This thread only asks and shows. */
	if (config->owns_process)
		capabilities_rest();
	return e;
fail:
	engine_free(e);
	return NULL;
}

int
engine_stop(struct engine *e, struct err *err)
{
	struct err failed = { 0 };
	int res;

	if (e == NULL)
		return 0;
	send_cmd(e, CMD_STOP, &(struct engine_cmd){ .direction = 0 });
	if (e->file != NULL)
		datafile_interrupt(e->file);
	pthread_join(e->thread, NULL);
	/* Its names are the engine's. */
	exporter_free(e->exporter, &failed);
	e->exporter = NULL;
	free(e->export_path);
	e->export_path = NULL;
	res = engine_record_finish(e, err);
	if (res == 0 && failed.code != ERR_NONE) {
		if (err != NULL)
			*err = failed;
		res = -1;
	}
	engine_free(e);
	return res;
}
