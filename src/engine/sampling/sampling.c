/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sampling/sampling_impl.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/leaf/session_config.h"
#include "live/calls/call_counter.h"
#include "live/proc/cgroup_list.h"
#include "live/sys/capabilities.h"
#include "view/snapshot.h"

enum {
	LOST_EACH_S = 30,
	IDS_OF_PAST_MAX = 1 << 16,
};

struct session_config
sampling_config(const struct sampling *sp)
{
	struct session_config config = session_config_of(sp->config, sp->event_env);

	config.cgroups = sp->wants_cgroups;
	config.cgroup_fd = sp->cgroup_fd;
	config.freq = MIN(config.freq, sp->rate.most_hz);
	return config;
}

/* The events to begin with: all of -e, or the default ones, of which the first that opens. */
static int
parse_events(struct sampling *sp, bool is_counted, struct err *err)
{
	struct event_list *l = &sp->candidates;

	if (events_parse(sp->config, sp->event_env, l, err) < 0)
		return -1;
	if (l->len <= EVENTS_MAX / 2 || is_counted)
		return 0;
	err_set(err, ERR_USAGE, 0, "%zu events: ptop samples at most %d at once", l->len,
		EVENTS_MAX / 2);
	return err_hint(err, "give fewer, or a narrower pattern");
}

/* The upper half of the addresses is the kernel's. */
static bool
is_probe(const struct event *ev)
{
	return ev->place >= EVENT_PLACE_UPROBE ||
	       (ev->place == EVENT_PLACE_DATA && !ev->exclude_kernel) ||
	       (ev->type == PERF_TYPE_BREAKPOINT && ev->config1 >> 63);
}

/* On the screen, events can be typed at any time. */
static struct capability_needs
capability_needs(const struct sampling *sp)
{
	const struct engine_config *c = sp->config;
	struct capability_needs needs = capability_needs_of(c);

	needs.probes = c->is_watched || c->functions != NULL;
	for (size_t i = 0; i < sp->candidates.len; i++)
		needs.probes |= is_probe(&sp->candidates.items[i]);
	for (size_t i = 0; i < sp->candidates.len && c->call_graph != CALL_GRAPH_NONE; i++)
		needs.waits |= sp->candidates.items[i].looks == EVENT_LOOKS_ALONE ||
			       sp->candidates.items[i].looks == EVENT_LOOKS_BESIDE;
	return needs;
}

/* Programs do most things in bursts, so that samples of each come faster than rings are emptied. */
static bool
has_bursts(const struct sampling *sp, const struct session_config *config)
{
	for (size_t i = 0; i < sp->candidates.len; i++) {
		uint64_t period = session_period(config, &sp->candidates.items[i]);

		if (period > 0 && period <= SESSION_BURST_PERIOD_MAX)
			return true;
	}
	return false;
}

/* What is recorded is to be of the targets alone. */
static bool
only_looks(const struct sampling *sp)
{
	size_t n = 0;

	while (n < sp->candidates.len && sp->candidates.items[n].looks == EVENT_LOOKS_ALONE)
		n++;
	return sp->candidates.len > 0 && n == sp->candidates.len && sp->config->record == NULL;
}

/* One group with a name that is no pattern: the kernel samples its tasks alone. */
static void
open_one_cgroup(struct sampling *sp)
{
	const struct engine_config *c = sp->config;
	int fd;

	if (c->cgroup_count != 1 || strpbrk(c->cgroups[0], "*?[\\") != NULL)
		return;
	fd = cgroup_open(c->cgroups[0]);
	sp->cgroup_fd = MAX(fd, 0);
}

/* All that is named is sampled: groups must be there, and no user is left out for a command. */
static int
find_named(struct sampling *sp, struct err *err)
{
	const struct engine_config *c = sp->config;

	if (c->uid_count > 0 && c->command != NULL)
		return err_set(err, ERR_USAGE, 0, "--uid does not go with a command: a command is "
			       "sampled alone; start it by itself");
	if (c->cgroup_count == 0)
		return 0;
	if (c->pid_count + c->tid_count + c->uid_count > 0 || c->command != NULL)
		return err_set(err, ERR_USAGE, 0,
			       "--cgroup does not go with --pid, --tid, --uid and a command: groups are of CPUs");
	sp->cgroups = cgroup_list_read();
	for (size_t i = 0; i < c->cgroup_count; i++) {
		size_t n = 0;

		while (n < sp->cgroups->count &&
		       !cgroup_matches(&c->cgroups[i], 1, sp->cgroups->items[n].path))
			n++;
		if (n < sp->cgroups->count)
			continue;
		err_set(err, ERR_GONE, 0, "no control group '%.150s'", c->cgroups[i]);
		return err_hint(err, "ptop -b -n 1 --by cgroup shows those that run");
	}
	open_one_cgroup(sp);
	return 0;
}

struct sampling *
sampling_of_file(void)
{
	return mem_calloc(1, sizeof(struct sampling));
}

struct sampling *
sampling_open(const struct engine_env *env, bool wants_cgroups, struct err *err)
{
	struct sampling *sp = mem_calloc(1, sizeof(*sp));
	struct capability_needs needs;
	struct session_config session;

	sp->config = env->config;
	sp->event_env = env->events;
	sp->wants_cgroups = wants_cgroups;
	rate_begin(sp);
	if (find_named(sp, err) < 0)
		goto fail;
	session = sampling_config(sp);
	session.without_events = env->counts_alone;
	if (parse_events(sp, env->counts_alone, err) < 0)
		goto fail;
	session.has_bursts = has_bursts(sp, &session);
	session.only_looks = only_looks(sp);
	needs = capability_needs(sp);
	if (sp->config->owns_process)
		session.reduce = &needs;
	sp->session = session_new(&session, env->answers, err);
	if (sp->session == NULL)
		goto fail;
	return sp;
fail:
	sampling_part.release(sp);
	return NULL;
}

struct session *
sampling_session(const struct sampling *sp)
{
	return sp->session;
}

/* Those that records told of are newer. */
static void
learn_cgroups(struct model *m, const struct cgroup_list_msg *c)
{
	uint32_t path;

	for (size_t i = 0; i < c->count; i++)
		if (!cgroups_find(&m->cgroups, c->items[i].id, &path))
			cgroups_learn(&m->cgroups, c->items[i].id,
				      strs_add_str(&m->strs, c->items[i].path));
}

static void
begin_cgroups(struct sampling *sp)
{
	if (sp->cgroups == NULL)
		return;
	sp->model->cgroups.patterns = sp->config->cgroups;
	sp->model->cgroups.pattern_count = sp->config->cgroup_count;
	learn_cgroups(sp->model, sp->cgroups);
	msg_free(&sp->cgroups->msg);
	sp->cgroups = NULL;
}

void
sampling_begin(struct sampling *sp, const struct engine_env *env)
{
	sp->config = env->config;
	sp->policy = env->policy;
	sp->agenda = env->agenda;
	sp->notes = env->notes;
	sp->marks = env->marks;
	sp->clock = env->clock;
	sp->cost = env->cost;
	sp->measured = env->measured;
	sp->ends = env->ends;
	sp->losses = env->losses;
	sp->ids = env->ids;
	sp->model = env->model;
	sp->profile = env->profile;
	sp->feed = env->feed;
	sp->proc = env->proc;
	sp->symbols = env->symbols;
	sp->users = env->users;
	sp->answers = env->answers;
	sp->shown_before = UINT32_MAX;
	sp->chains = env->config->call_graph;
	if (sp->session == NULL)
		return;
	sp->model->ksymbols.are_told = session_scope(sp->session) == SESSION_SYSTEM &&
				       session_sideband_attr(sp->session)->ksymbol &&
				       sp->config->cpu_count == 0;
	begin_cgroups(sp);
	target_list_begin(sp);
	stack_choice_begin(sp);
}

void
sampling_observe(struct sampling *sp, const struct sampling_observer *observer, void *self)
{
	assert(sp->observer_count < SAMPLING_OBSERVERS_MAX);
	sp->observers[sp->observer_count].ops = observer;
	sp->observers[sp->observer_count++].self = self;
}

void
sampling_set_watch(struct sampling *sp, void (*watch)(void *self), void *self)
{
	sp->watch = watch;
	sp->watch_self = self;
}

void
sampling_caught_up(struct sampling *sp)
{
	opening_caught_up(sp);
	target_list_caught_up(sp);
}

/*
 * Reading the count interrupts the CPU that it is of and waits for it, which can take a millisecond
 * on a virtual one: so when a record told of a loss, for a report, and now and then, since losses
 * at the end are told by no record.
 */
void
sampling_count_lost(struct sampling *sp, uint64_t now_ns, bool is_report)
{
	struct losses *l = sp->losses;

	if (!is_report && l->counts[LOSS_SAMPLES] == sp->lost_hint_counted &&
	    now_ns - sp->lost_counted_ns < LOST_EACH_S * NSEC_PER_SEC)
		return;
	sp->lost_hint_counted = l->counts[LOSS_SAMPLES];
	sp->lost_counted_ns = now_ns;
	for (uint32_t n = 0; n < sp->measured->event_count; n++) {
		struct engine_event *ev = &sp->measured->events[n];

		if (ev->live != NULL)
			ev->lost_now = session_lost(sp->session, ev->live);
	}
	stack_choice_count_lost(sp);
	losses_mark(l, now_ns, losses_all(l, measured_lost_all(sp->measured)));
}

bool
sampling_tells_who_is_busy(const struct sampling *sp)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	if (session_scope(sp->session) != SESSION_SYSTEM && sp->config->uid_count == 0 &&
	    sp->measured->has_targets)
		return true; /* no other is shown, and all of them are read */
	return ev != NULL && !ev->is_paused && session_scope(sp->session) == SESSION_SYSTEM &&
	       ev->spec.unit != EVENT_COUNTS_THINGS && !ev->spec.exclude_user &&
	       !ev->spec.exclude_kernel;
}

bool
sampling_closes_probes(const struct sampling *sp)
{
	return probe_guard_is_closing(sp);
}

bool
sampling_command_ended(const struct sampling *sp, int *status)
{
	*status = sp->command_status;
	return sp->command_ended;
}

static enum part_reply
take_exited(void *sampling, struct msg *msg)
{
	const struct session_exited_msg *m = (const struct session_exited_msg *)msg;
	struct sampling *sp = sampling;

	sp->command_ended = true;
	sp->command_status = m->status;
	sp->agenda->why = m->err;
	return PART_DONE;
}

static enum part_reply
take_cgroups(void *sampling, struct msg *msg)
{
	struct sampling *sp = sampling;

	learn_cgroups(sp->model, (const struct cgroup_list_msg *)msg);
	agenda_want(sp->agenda, AGENDA_SHOW);
	return PART_DONE;
}

static void
release(void *sampling)
{
	struct sampling *sp = sampling;

	stack_choice_release(sp);
	probe_guard_release(sp);
	event_places_release(sp);
	target_list_release(sp);
	session_free(sp->session);
	if (sp->cgroups != NULL)
		msg_free(&sp->cgroups->msg);
	if (sp->cgroup_fd > 0)
		close(sp->cgroup_fd);
	event_list_release(&sp->candidates);
	free(sp->chosen_spec);
	free(sp->closed);
	free(sp->retired);
	free(sp);
}

static void
beat(void *sampling, uint64_t now_ns)
{
	struct sampling *sp = sampling;

	rate_beat(sp, now_ns);
	/* Rings that nobody reads may have records with those of long ago. */
	sample_ids_forget_ended(sp->ids, sp->clock->counted_to_ns,
				sp->config->overwrite ? IDS_OF_PAST_MAX : 0);
	stack_choice_beat(sp, now_ns);
}

static unsigned
sampled_cpus(const struct sampling *sp)
{
	size_t count, n = 0;
	const struct session_ring *rings = session_rings(sp->session, &count);

	for (size_t i = 0; i < count; i++)
		n += rings[i].is_sideband && !rings[i].is_closing; /* one for each CPU */
	return (unsigned)n;
}

static void
put_head_limits(const struct sampling *sp, struct snapshot *s)
{
	const struct measured *m = sp->measured;
	size_t n = 0, most = 0;
	struct snapshot_limit *limits;

	while (session_notice(sp->session, most) != NULL)
		most++;
	for (uint32_t e = 0; e < m->event_count; e++)
		most += m->events[e].notice_count;
	limits = arena_alloc(&s->arena, (most + s->head.limit_count + 1) * sizeof(*limits));
	for (const char *text; (text = session_notice(sp->session, n)) != NULL; n++) {
		const char *remedy = session_remedy(sp->session, n);

		limits[n] = (struct snapshot_limit){ arena_strdup(&s->arena, text),
						     arena_strdup(&s->arena, remedy != NULL ? remedy : "") };
	}
	for (uint32_t e = 0; e < m->event_count; e++)
		for (size_t i = 0; i < m->events[e].notice_count; i++)
			limits[n++] = (struct snapshot_limit){
				arena_printf(&s->arena, "%s: %s", measured_name(&m->events[e]),
					     m->events[e].notices[i]), "" };
	for (size_t i = 0; i < s->head.limit_count; i++) /* what has no name goes last */
		limits[n++] = s->head.limits[i];
	s->head.limits = limits;
	s->head.limit_count = n;
}

static void
put_head(const void *sampling, struct snapshot *s)
{
	const struct sampling *sp = sampling;
	struct buf all = { 0 }, reason = { 0 };

	s->head.cpus_sampled = sampled_cpus(sp);
	s->head.cpus_known = session_cpus_known(sp->session);
	s->head.self_budget = sp->rate.budget.percent;
	s->head.rate_why = rate_brief(sp);
	rate_put_reason(sp, &reason);
	s->head.rate_reason = arena_strdup(&s->arena, buf_str(&reason));
	buf_release(&reason);
	s->head.call_graph = sp->chains;
	s->head.chains = stack_choice_head(sp, &s->arena);
	put_head_limits(sp, s);
	target_list_put(sp, &all);
	s->crumbs[0] = arena_strdup(&s->arena, buf_str(&all));
	buf_release(&all);
	if (sp->measured->stopped_ns != 0)
		tally_fill(sp, s);
}

static void
put_limits(const void *sampling, struct part_notices *n)
{
	const struct sampling *sp = sampling;
	const struct engine_event *ev = measured_shown(sp->measured);
	const char *text;

	for (size_t i = 0; (text = session_notice(sp->session, i)) != NULL; i++) {
		const char *remedy = session_remedy(sp->session, i);

		part_notice(n, arena_printf(n->arena, "%s%s%s", text,
					    remedy != NULL && *remedy ? ": " : "",
					    remedy != NULL ? remedy : ""));
	}
	for (size_t i = 0; ev != NULL && i < ev->notice_count; i++)
		part_notice(n, arena_strdup(n->arena, ev->notices[i]));
}

static void
put_notices(const void *sampling, struct part_notices *n)
{
	const char *text = stack_choice_notice(sampling), *paced = pace_notice(sampling, n->arena);
	const struct sampling *sp = sampling;

	for (uint32_t i = 0; i < sp->measured->event_count; i++)
		part_notice(n, hit_cost_notice(sp, i, n->arena));
	if (paced != NULL)
		part_notice(n, paced);
	if (text != NULL)
		part_notice(n, arena_strdup(n->arena, text));
}

/* Why samples do not add up to the CPU time that the kernel measured. */
static void
put_gap(const struct sampling *sp, struct buf *b)
{
	const struct engine_event *ev = measured_shown(sp->measured);
	const char *gap = ev != NULL && session_scope(sp->session) == SESSION_TASKS
				  ? event_gap_of_tasks(&ev->spec) : NULL;

	if (gap != NULL)
		buf_addf(b, "%s: %s\n", ev->spec.name, gap);
}

static void
put_page(const void *sampling, struct buf *b)
{
	const struct sampling *sp = sampling;

	rate_put_lowered(sp, b);
	stack_choice_put(sp, b);
	probe_guard_put(sp, b);
	hit_cost_put(sp, b);
	if (sp->session == NULL)
		return;
	put_gap(sp, b);
	rate_put_cost(sp, b);
}

static const struct part_message messages[] = {
	{ SESSION_MSG_OPENED, events_on_opened },
	{ SESSION_MSG_RINGS, events_on_rings },
	{ SESSION_MSG_FILTERED, events_on_filtered },
	{ SESSION_MSG_EXITED, take_exited },
	{ SESSION_MSG_CGROUPS, take_cgroups },
	{ SESSION_MSG_ATTACHED, target_list_on_attached },
	{ SESSION_MSG_DETACHED, target_list_on_detached },
	{ SESSION_MSG_STOPPED, event_places_on_stopped },
	{ SESSION_MSG_STACKS, stack_choice_on_stacks },
	{ SESSION_MSG_JOINED, event_places_on_joined },
	{ PROC_MSG_MAPS, event_places_on_maps },
	{ PROC_MSG_TICK, target_list_on_tick },
	{ PROC_MSG_OWNER, owners_on_owner },
	{ SYMBOL_MSG_PLACES, event_places_on_places },
	{ CALL_MSG_READING, events_on_guarded },
	{ SESSION_MSG_CLOSED, probe_guard_on_closed },
};

static void
take_other(void *sampling, const struct record *rec, struct bytes bytes)
{
	stack_choice_exec(sampling, rec, bytes);
	owners_exec(sampling, rec);
}

/* Only what counts by its process's opening. */
static const struct intake_sink sink = {
	.met = owners_sample,
	.wants = stack_choice_wants,
	.filed = stack_choice_filed,
	.other = take_other,
};

const struct engine_part sampling_part = {
	.name = "sampling",
	.release = release,
	.sink = &sink,
	.beat = beat,
	.messages = messages,
	.message_count = ARRAY_SIZE(messages),
	.put_head = put_head,
	.put_limits = put_limits,
	.put_notices = put_notices,
	.put_page = put_page,
};
