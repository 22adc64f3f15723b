/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the engine, in the order in which its parts need each other, and ends it. */
#include "engine/rooms.h"

#include "engine/leaf/oom_guard.h"
#include "engine/leaf/session_config.h"
#include "engine/leaf/users.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own_file.h"
#include "base/own_rights.h"
#include "base/pages.h"
#include "base/thread.h"
#include "live/proc/proc_reader.h"
#include "live/session/session.h"
#include "live/sys/capabilities.h"
#include "live/sys/limits.h"
#include "symbol/fetch/fetch.h"
#include "symbol/file/cache_dir.h"
#include "symbol/parser/host.h"
#include "symbol/service/service.h"
#include "view/filter.h"

enum {
	IMAGE_PART = 4,    /* symbols of files may take so many times what tables may */
	NAMES_PART = 4,    /* names of tasks, files and functions likewise */
	ASKED_KEPT_S = 60, /* tasks that have ended are told apart in reports that are asked for */
};

/* What is made while ptop is small and has one thread: what is forked has a copy of it. */
struct helpers {
	struct host *parsers, *downloads; /* until somebody takes them */
};

int
engine_output_fd(const struct engine *e)
{
	return e->env.session != NULL ? session_output_fd(e->env.session) : -1;
}

/* Samples are longer by it, and all of them are or none. */
static bool
wants_cgroups(const struct engine *e, const struct filter *filter)
{
	const struct query *q = &e->first;
	key_set keys = filter != NULL ? filter_keys(filter) : 0;

	for (size_t i = 0; i < q->key_count; i++)
		keys |= KEY_BIT(q->keys[i]);
	/* On the screen anything may be asked for later. */
	return e->config->is_watched || e->config->cgroup_count > 0 || (keys & CGROUP_KEYS) != 0;
}

/* A file is read, no COMMAND is started: nothing has to be done before. */
static int
open_recording(struct engine *e, struct err *err)
{
	const struct capability_needs needs = capability_needs_of(e->config);

	e->source = &playback_source;
	if (e->config->owns_process)
		capabilities_reduce(&needs);
	e->replay = replay_open(e->config, err);
	if (e->replay == NULL)
		return -1;
	e->env.policy = replay_policy(e->replay);
	e->sampling = sampling_of_file();
	return 0;
}

/* What other hosts count is asked for. */
static void
open_hosts(struct engine *e)
{
	limits_raise_descriptors(); /* each has two */
	e->source = &fleet_source;
	e->hosts = hosts_new(e->config);
	e->env.policy = &hosts_policy;
	e->sampling = sampling_of_file();
}

/* A view that has its numbers of counters needs no samples, unless it may be left for another. */
static bool
counts_alone(const struct engine *e)
{
	return !e->config->is_watched && e->first.by_view &&
	       view_defs[e->first.view].is_counted;
}

/* What is sampled: events, targets, rings. */
static int
open_session(struct engine *e, const struct filter *filter, struct err *err)
{
	e->env.counts_alone = counts_alone(e);
	e->source = &live_source;
	e->env.policy = &live_policy;
	event_env_open(&e->event_env);
	e->sampling = sampling_open(&e->env, wants_cgroups(e, filter), err);
	if (e->sampling == NULL)
		return -1;
	e->env.session = sampling_session(e->sampling);
	e->layout = (struct record_layout)RECORD_LAYOUT(session_sample_type(e->env.session), true);
	return 0;
}

static void
make_tables(struct engine *e)
{
	const struct engine_config *c = e->config;
	const bool asks_past = c->is_asked && !c->is_fed;
	struct engine_env *env = &e->env;
	struct profile *p;

	env->ids = sample_ids_new(&e->layout);
	env->model = model_new();
	env->model->room.max = e->replay == NULL ? c->memory_bytes * NAMES_PART : 0;
	locations_init(&e->locations, env->model);
	/* Of a recording all are wanted to its end. */
	e->locations.image_budget = e->replay == NULL ? c->memory_bytes * IMAGE_PART : 0;
	p = env->profile = profile_new(env->model, &e->locations, c->memory_bytes);
	split_init(&p->split, e->replay != NULL ? replay_formats(e->replay) : NULL);
	/* For the column HOTTEST; of what is sampled once it is known that there are any. */
	if (c->is_watched && p->split.formats != NULL)
		p->labels.want |= KEY_BIT(KEY_FIELD);
	p->labels.start_ns = e->clock.begin_ns;
	p->labels.bucket_ns = e->agenda.delay_ns;
	p->report_ns = asks_past ? ASKED_KEPT_S * NSEC_PER_SEC : c->is_watched ? 0 : e->agenda.delay_ns;
	p->keeps_past = c->is_watched || asks_past || e->first.sums;
	if (e->env.session != NULL)
		cpu_nodes_read(&p->nodes, e->event_env.root);
	p->clock_ahead_ns = wall_real_ns(&e->clock.wall, e->clock.begin_ns) - e->clock.begin_ns;
	feed_init(&e->feed, env->model, &e->locations, p,
		  e->replay != NULL ? replay_layouts(e->replay) : sample_ids_layouts(env->ids));
	if (env->session != NULL)
		e->feed.unwinder.chain_max = limits_max_stack(&e->event_env);
}

static void
start_services(struct engine *e, struct helpers *h)
{
	struct buf dir = { 0 };
	const struct symbol_config symbols = {
		.kallsyms = "/proc/kallsyms", .proc = "/proc",
		.cache = !own_file_is_copy() && cache_dir_path(&dir) ? dir.data : NULL,
		.debug_dir = "/usr/lib/debug", .demangle = !e->config->no_demangle,
		.host = h->parsers, .programs = &e->programs,
	};

	if (e->env.session != NULL)
		e->env.proc = proc_reader_new("/proc", e->in);
	if (e->env.proc != NULL && e->config->raw_stacks)
		proc_reader_want_data(e->env.proc);
	e->env.symbols = symbol_service_new(&symbols, e->in);
	h->parsers = NULL;
	e->env.users = users_new("/etc/passwd");
	buf_release(&dir);
}

static void
make_rooms(struct engine *e, struct helpers *h, const struct filter *filter)
{
	parts_make(e, h->downloads);
	h->downloads = NULL;
	viewer_set_delay(e->viewer, e->agenda.delay_ns);
	if (e->replay != NULL)
		replay_choose(e->replay, &e->first, filter,
			      viewer_shows_lines(&e->first, e->config->format));
	if (!e->env.counts_alone)
		names_begin(e->names);
}

/* What is counted comes from a recording, from other hosts, or is sampled. */
static int
open_source(struct engine *e, const struct filter *filter, struct err *err)
{
	if (e->config->input != NULL)
		return open_recording(e, err);
	if (e->config->host_count == 0)
		return open_session(e, filter, err);
	open_hosts(e);
	return 0;
}

/* The handles that are part of the engine itself. */
static void
hand_out(struct engine *e)
{
	e->env = (struct engine_env){
		.config = e->config, .events = &e->event_env, .answers = e->in,
		.agenda = &e->agenda, .notes = notes_new(e->out), .clock = &e->clock,
		.cost = &e->cost, .measured = &e->measured, .ends = &e->ends,
		.losses = &e->losses, .marks = &e->marks, .layout = &e->layout, .locations = &e->locations,
		.feed = &e->feed,
	};
	e->agenda.delay_ns = (uint64_t)(e->config->delay_s * 1e9);
	e->measured.shown = UINT32_MAX;
	if (e->config->input == NULL) {
		int64_t set_by_ns;

		e->clock.begin_ns = clock_mono_ns();
		wall_note(&e->clock.wall, e->clock.begin_ns, clock_real_ns(), &set_by_ns);
	}
}

static void
engine_free(struct engine *e)
{
	struct engine_env *env = &e->env;
	struct msg *m;

	if (e->recording != NULL)
		recording_finish(e->recording, msg_free, NULL);
	proc_reader_free(env->proc);
	recount_stop(e);
	parts_release(e);
	engine_stop(e->then, NULL);
	symbol_service_free(env->symbols);
	kernel_programs_release(&e->programs);
	while ((m = queue_take(e->in)) != NULL)
		msg_free(m);
	measured_release(&e->measured);
	ends_release(&e->ends);
	losses_release(&e->losses);
	own_cost_release(&e->cost);
	if (env->model != NULL && !pages_are_left(e->config->owns_process)) {
		feed_release(&e->feed);
		profile_free(env->profile);
		locations_release(&e->locations);
		model_free(env->model);
	}
	sample_ids_free(env->ids);
	users_free((struct users *)env->users);
	notes_free(env->notes);
	event_env_close(&e->event_env);
	queue_free(e->in);
	close(e->epoll_fd);
	mem_pages_free(e, sizeof(*e));
}

/* Signals are for the main thread: it ends things in order. */
static int
start_thread(struct engine *e, struct err *err)
{
	int res = thread_start(&e->thread, NULL, loop_main, e);

	if (res != 0)
		return err_set(err, ERR_LIMIT, res, "cannot start the engine's thread");
	return 0;
}

static int
begin(struct engine *e, struct helpers *h, const struct filter *filter, struct err *err)
{
	const struct engine_config *c = e->config;

	if (open_source(e, filter, err) < 0)
		return -1;
	if (c->owns_process)
		oom_guard_set(oom_guard_bytes(c->memory_bytes * (c->then_input != NULL ? 2 : 1),
					      c->history_bytes));
	/* Its processes are forked before there is much that they would have, too. */
	start_services(e, h);
	heap_populate();
	make_tables(e);
	make_rooms(e, h, filter);
	if (e->env.session != NULL && recording_begin(e->recording, err) < 0)
		return -1;
	return start_thread(e, err);
}

/*
 * Before this engine has a thread: the other one forks its helpers.  A recording is read without
 * rights that are lent, and so are the files that it names: its threads and helpers have none.
 */
static int
start_then(struct engine *e, struct err *err)
{
	struct query q = comparison_query(&e->first);
	struct own_rights kept;

	if (e->config->then_input == NULL)
		return 0;
	e->then_config = comparison_config(e->config);
	own_rights_begin(&kept);
	e->then = engine_start(&e->then_config, &q, e->in, err);
	own_rights_end(&kept);
	return e->then != NULL ? 0 : err_wrap(err, "--diff");
}

struct engine *
engine_start(const struct engine_config *config, const struct query *q, struct queue *answers,
	     struct err *err)
{
	struct engine *e = mem_pages_new(sizeof(*e)); /* there may be many events, but hardly are */
	struct filter *filter = NULL;
	struct helpers h = { .parsers = host_new(NULL) };
	int res = 0, why;

	if (config->debuginfod)
		h.downloads = fetch_host_new(0);
	kernel_programs_read(&e->programs);
	e->config = config;
	e->first = *q;
	e->out = answers;
	e->in = queue_new();
	e->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	why = errno;
	hand_out(e);
	if (e->epoll_fd < 0)
		res = err_set(err, ERR_LIMIT, why, "cannot wait for many files (epoll)");
	if (res == 0 && *q->filter != '\0') {
		filter = filter_parse(q->filter, err);
		res = filter != NULL ? 0 : -1;
	}
	if (res == 0)
		res = start_then(e, err);
	if (res == 0)
		res = begin(e, &h, filter, err);
	filter_free(filter);
	host_free(h.parsers);
	host_free(h.downloads);
	if (res < 0) {
		engine_free(e);
		return NULL;
	}
	/* This thread only asks and shows. */
	if (config->owns_process)
		capabilities_rest();
	return e;
}

int
engine_stop(struct engine *e, struct err *err)
{
	struct err failed = { 0 };
	int res;

	if (e == NULL)
		return 0;
	commands_stop(e);
	pthread_join(e->thread, NULL);
	res = viewer_end_export(e->viewer, &failed);
	/* What waits is in the file, too. */
	feed_expire(&e->feed, UINT64_MAX);
	feed_end_waiting(&e->feed);
	if (recording_finish(e->recording, msg_free, err) < 0) {
		res = -1;
	} else if (res < 0 && err != NULL) {
		*err = failed;
	}
	engine_free(e);
	return res;
}
