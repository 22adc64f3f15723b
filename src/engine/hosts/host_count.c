/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a second of a feed to counts: its names become tasks and locations here. */
#include "engine/hosts/hosts_impl.h"

#include <stdlib.h>
#include <string.h>

#include "engine/leaf/losses.h"
#include "profile/count/feed.h"

enum {
	QUIET_S = 30,         /* a task without samples for so long has ended */
	PID_MOST = 1 << 22,   /* of any Linux */
	NAMES_PART = 4,       /* of --memory: what names and places of all may take, so many times that */
	TASKS_MAX = 16 << 10, /* of a host that live, */
	MADE_MAX = 4096,      /* and that it may name in a second, */
	CLIMBED_MAX = 1 << 17, /* and callers in all its stacks: 87 for each that a ptop sends; */
	CLIMBED_SECONDS = 2,   /* two of its seconds may come in one */
	TASK_REST = -1,       /* pid of all that is not told apart */
};

#define CALLERS_UNKNOWN UINT32_MAX

/* With what is kept of each: few names make many places, each in every file. */
size_t
hosts_name_bytes(const struct hosts *hs)
{
	const struct model *m = hs->env->model;

	return m->strs.arena.bytes - hs->names_before +
	       hs->place_len * (sizeof(struct fed_place) + sizeof(struct location)) +
	       m->dsos.len * (sizeof(struct dso) + sizeof(struct dso_symbols));
}

size_t
hosts_name_bytes_max(const struct hosts *hs)
{
	return hs->config->memory_bytes * NAMES_PART;
}

/* Names that are new are not kept any more. */
static bool
is_full(const struct hosts *hs)
{
	return hosts_name_bytes(hs) >= hosts_name_bytes_max(hs);
}

static uint32_t
name_of(const struct hosts *hs, const char *text)
{
	return strs_add_str(&hs->env->model->strs, is_full(hs) ? "[other]" : text);
}

static uint32_t *
number_at(struct fed_numbers *n, uint32_t i)
{
	vec_reserve_zeroed(&n->items, &n->cap, i + 1, sizeof(*n->items));
	n->len = MAX(n->len, (size_t)i + 1);
	return &n->items[i];
}

static void
clear(struct fed_numbers *n)
{
	if (n->len > 0)
		memset(n->items, 0, n->len * sizeof(*n->items));
	n->len = 0;
}

void
fed_host_forget_numbers(struct fed_host *h)
{
	clear(&h->whos);
	clear(&h->places);
	clear(&h->events);
}

static bool
counts_alike(const struct event *a, const struct event *b)
{
	return a->unit == b->unit && a->looks == b->looks;
}

/*
 * What an event counts is the word of the first host that has it: where another one says otherwise it
 * is an event of its own, which has that in its name.
 */
static uint32_t
add_event(struct hosts *hs, const struct event *spec)
{
	static const char *const counts[] = { [EVENT_COUNTS_CYCLES] = "cycles",
					      [EVENT_COUNTS_TIME] = "time",
					      [EVENT_COUNTS_THINGS] = "things" };
	struct measured *m = hs->env->measured;
	uint32_t event = measured_add(m, hs->env->profile, spec);
	struct event other = *spec;
	struct buf name = { 0 };

	if (event == UINT32_MAX || counts_alike(&m->events[event].spec, spec))
		return event;
	buf_addf(&name, "%s (%s)", spec->name,
		 spec->looks != EVENT_LOOKS_NONE ? "waiting" : counts[spec->unit]);
	other.name = name.data;
	event = measured_add(m, hs->env->profile, &other);
	buf_release(&name);
	return event == UINT32_MAX || counts_alike(&m->events[event].spec, spec) ? event : UINT32_MAX;
}

/*
 * Another one was asked for, and comes.  Without samples a window of the past waits until its event is
 * sampled again; up to now it has gone on: what no host sends is not shown for ever.
 */
static void
close_before(struct profile *p, uint64_t now_ns)
{
	profile_close_interval(p, now_ns);
	for (size_t i = 0; i < p->event_count; i++)
		p->events[i].open_since_ns = 0;
}

/* Its number here plus one; UINT32_MAX: there are too many, or one calls its own so. */
static uint32_t
event_of(struct hosts *hs, struct fed_host *h, uint32_t n, uint64_t now_ns)
{
	const struct hostfeed_event *fed = &hostfeed_second(h->feed)->events[n];
	struct measured *m = hs->env->measured;
	struct profile *p = hs->env->profile;
	uint32_t *known = number_at(&h->events, n), event;
	const bool is_time = fed->flags & HOSTFEED_COUNTS_TIME;
	struct event spec = {
		.name = (char *)(uintptr_t)fed->name,
		.unit = is_time ? EVENT_COUNTS_TIME
			: fed->flags & HOSTFEED_COUNTS_THINGS ? EVENT_COUNTS_THINGS : EVENT_COUNTS_CYCLES,
		.is_clock = is_time && !(fed->flags & HOSTFEED_LOOKS),
		.looks = fed->flags & HOSTFEED_LOOKS ? EVENT_LOOKS_ALONE : EVENT_LOOKS_NONE,
	};

	if (*known != 0)
		return *known;
	event = add_event(hs, &spec);
	*known = event == UINT32_MAX ? event : event + 1;
	if (event == UINT32_MAX)
		return event;
	if (hs->shows_next)
		close_before(p, now_ns);
	if (p->events[event].open_since_ns == 0) { /* what has come was counted in the time before */
		const uint64_t length_ns = hostfeed_second(h->feed)->length_ns;

		p->events[event].open_since_ns =
			MAX(now_ns - MIN(now_ns, length_ns),
			    MAX(hs->env->clock->begin_ns, p->events[event].last_end_ns));
	}
	if (m->shown == UINT32_MAX || hs->shows_next) {
		m->shown = event;
		if (hs->asked != NULL)
			measured_ask(m, event, hs->asked);
	}
	hs->shows_next = false;
	return *known;
}

static bool
is_pid(int pid)
{
	return pid >= 0 && pid <= PID_MOST;
}

/* The task under the name that it has there. */
static uint32_t
find_who(struct hosts *hs, struct fed_host *h, const struct hostfeed_task *fed)
{
	struct model *m = hs->env->model;
	const bool is_named = h->made < MADE_MAX;
	const bool is_one = is_named && is_pid(fed->pid) && is_pid(fed->tid) && h->live < TASKS_MAX;
	const size_t before = m->live_count;
	uint32_t id = model_host_task(m, h->str, is_one ? fed->pid : TASK_REST,
				      is_one ? fed->tid : TASK_REST);
	struct task *process = model_task_at(m, model_task_at(m, id)->process);

	h->made += is_named;
	h->live += m->live_count > before ? m->live_count - before : 0;
	process->user = name_of(hs, fed->user);
	if (process->comm == 0 && process != model_task_at(m, id))
		process->comm = name_of(hs, fed->program);
	return model_host_who(m, id, name_of(hs, is_named ? fed->comm : "[other]"),
			      is_named && *fed->cgroup == '/' ? name_of(hs, fed->cgroup) : 0);
}

static uint32_t
who_of(struct hosts *hs, struct fed_host *h, uint32_t n, uint64_t now_ns)
{
	struct model *m = hs->env->model;
	uint32_t *who = number_at(&h->whos, n);
	struct task *t;

	if (*who == 0 || model_task_at(m, m->whos[*who].task)->died_ns != 0)
		*who = find_who(hs, h, &hostfeed_second(h->feed)->tasks[n]);
	t = model_task_at(m, m->whos[*who].task);
	t->seen_ns = model_task_at(m, t->process)->seen_ns = now_ns;
	return *who;
}

static uint32_t
dso_of(struct hosts *hs, const struct hostfeed_place *fed)
{
	struct dsos *d = &hs->env->model->dsos;
	size_t len = strlen(fed->dso);
	char module[64];

	if (len == 0 || is_full(hs) || strcmp(fed->dso, "[unknown]") == 0)
		return DSO_ID_UNKNOWN;
	if (strcmp(fed->dso, "[waiting]") == 0)
		return DSO_ID_WAITING;
	if (!(fed->flags & HOSTFEED_KERNEL))
		return dsos_file(d, fed->dso, 0, 0, 0, 0);
	if (fed->dso[0] != '[' || fed->dso[len - 1] != ']' || len > sizeof(module) ||
	    strcmp(fed->dso, "[kernel]") == 0)
		return DSO_ID_KERNEL;
	memcpy(module, fed->dso + 1, len - 2);
	module[len - 2] = '\0';
	return dsos_module(d, module);
}

/* What is waited for has a place for each kind. */
static uint32_t
waiting_place(const char *symbol)
{
	for (uint32_t kind = 0; kind < WAIT_KINDS; kind++)
		if (strcmp(wait_kind_defs[kind].frame, symbol) == 0)
			return LOCATION_WAITING + kind;
	return 0;
}

/* Why it has no name, in words of its host: there is no file here that would tell. */
static void
learn_lack(struct hosts *hs, const struct hostfeed_place *fed, struct fed_place *place)
{
	struct strs *strs = &hs->env->model->strs;
	const bool is_told = *fed->reason != '\0' && !is_full(hs);

	if (!(fed->flags & HOSTFEED_UNNAMED))
		return;
	place->reason = strs_add_str(strs, is_told ? fed->reason : "the host's ptop tells why");
	place->remedy = strs_add_str(strs, is_told ? fed->remedy : "run ptop there");
}

static bool
is_place(const struct fed_place *a, const struct fed_place *b)
{
	return a->dso == b->dso && a->name == b->name && a->reason == b->reason && a->remedy == b->remedy;
}

/* The location of that name: one for all hosts, where they say the same of one that has none. */
static uint32_t
find_place(struct hosts *hs, const struct hostfeed_place *fed)
{
	struct locations *l = hs->env->locations;
	uint32_t dso = dso_of(hs, fed), name = name_of(hs, fed->symbol), id, pos;
	struct fed_place place = { .dso = dso, .name = name };
	uint64_t hash;

	if (dso == DSO_ID_WAITING && (id = waiting_place(fed->symbol)) != 0)
		return id;
	if (dso == DSO_ID_UNKNOWN && strcmp(strs_get(&hs->env->model->strs, name), "[other]") == 0)
		return LOCATION_OTHER;
	if (dso == DSO_ID_UNKNOWN && strcmp(fed->symbol, HOSTFEED_CUT) == 0)
		return LOCATION_CUT;
	learn_lack(hs, fed, &place);
	hash = hash_mix(hash_mix(dso, name), (uint64_t)place.reason << 32 | place.remedy);
	for (id = index_first(&hs->place_index, hash, &pos); id != 0;
	     id = index_next(&hs->place_index, hash, &pos))
		if (is_place(&hs->places[id - 1], &place))
			return hs->places[id - 1].location;
	locations_symbols(l, dso)->state = SYMBOLS_READY; /* nothing more is asked for here */
	place.location = locations_append(l, (struct location){
		.dso = dso, .fn = IMAGE_NONE, .kind = LOCATION_FUNCTION, .name = name,
		.is_entry = (fed->flags & HOSTFEED_UNNAMED) != 0, .reason = place.reason,
		.remedy = place.remedy });
	VEC_ADD(hs->places, hs->place_len, hs->place_cap) = place;
	index_add(&hs->place_index, hash, (uint32_t)hs->place_len);
	return place.location;
}

static uint32_t
place_of(struct hosts *hs, struct fed_host *h, uint32_t n)
{
	uint32_t *place = number_at(&h->places, n);

	if (*place == 0)
		*place = find_place(hs, &hostfeed_second(h->feed)->places[n]);
	return locations_resolve(hs->env->locations, *place);
}

/* Whether the node's callers are looked for: what is more than a host can have takes the others' time. */
static bool
can_climb(struct fed_host *h, uint32_t node)
{
	const size_t depth = node != 0 ? hostfeed_second(h->feed)->nodes[node - 1].depth : 0;

	if (h->climbed + depth > CLIMBED_SECONDS * CLIMBED_MAX)
		return false;
	h->climbed += depth;
	return true;
}

/* The node of the call trees that stands for those who called. */
static uint32_t
callers_of(struct hosts *hs, struct fed_host *h, const struct profile_sample *s, uint32_t node)
{
	const struct hostfeed_node *nodes = hostfeed_second(h->feed)->nodes;
	uint32_t places[HOSTFEED_DEPTH_MAX], at = HOSTFEED_DEPTH_MAX;
	struct tables *t = &hs->env->profile->tables;

	for (; node != 0; node = nodes[node - 1].parent)
		places[--at] = place_of(hs, h, nodes[node - 1].place);
	return tables_path(t, tables_root(t, s->who, s->event), places + at, HOSTFEED_DEPTH_MAX - at);
}

/* All of the host that there is no room to tell apart. */
static void
give_to_rest(struct hosts *hs, struct fed_host *h, struct profile_sample *s, uint64_t now_ns)
{
	static const struct hostfeed_task rest = { TASK_REST, TASK_REST, "[other]", "[other]", "", "" };
	struct model *m = hs->env->model;
	struct task *t;

	if (h->rest_who == 0 || model_task_at(m, m->whos[h->rest_who].task)->died_ns != 0)
		h->rest_who = find_who(hs, h, &rest);
	t = model_task_at(m, m->whos[h->rest_who].task);
	t->seen_ns = now_ns;
	s->who = h->rest_who;
	s->leaf = LOCATION_OTHER;
	s->dso = DSO_ID_UNKNOWN;
}

/* Of a row, @callers: as hostfeed_stack has them, CALLERS_UNKNOWN: nothing is known of them. */
static void
count_part(struct hosts *hs, struct fed_host *h, const struct hostfeed_row *row, uint32_t callers,
	   uint64_t now_ns)
{
	struct profile *p = hs->env->profile;
	const size_t before = p->tables.cells[TABLE_HOT].len;
	uint32_t event = event_of(hs, h, row->event, now_ns);
	struct profile_sample s = { .event = event - 1, .cpu = UINT32_MAX, .period = row->period };
	struct profile_ids ids;

	if (event == UINT32_MAX) {
		hs->env->losses->counts[LOSS_UNKNOWN] += row->samples;
		return;
	}
	s.who = who_of(hs, h, row->task, now_ns);
	s.leaf = place_of(hs, h, row->place);
	s.dso = hs->env->locations->items[s.leaf].dso;
	if (!fed_host_has_room(hs, h, &s, now_ns)) {
		give_to_rest(hs, h, &s, now_ns);
		callers = CALLERS_UNKNOWN;
	}
	s.callers = callers != CALLERS_UNKNOWN && can_climb(h, callers)
			    ? callers_of(hs, h, &s, callers)
			    : tables_node(&p->tables, tables_root(&p->tables, s.who, s.event), LOCATION_CUT);
	ids = profile_add(p, &s);
	h->entries += p->tables.cells[TABLE_HOT].len - before;
	if (row->samples > 1)
		profile_add_again(p, &ids, s.event, (uint32_t)row->samples - 1, 0);
}

static void
add_to_sums(struct fed_sums *sums, uint32_t event, uint64_t samples, uint64_t period)
{
	sums->samples += samples;
	if (event != UINT32_MAX)
		sums->periods[event - 1] += period;
}

static void
sum_up(struct hosts *hs, struct fed_host *h, struct fed_sums *sums, uint64_t now_ns)
{
	const struct hostfeed_second *s = hostfeed_second(h->feed);

	for (size_t i = 0; i < s->row_count; i++)
		add_to_sums(sums, event_of(hs, h, s->rows[i].event, now_ns), s->rows[i].samples,
			    s->rows[i].period);
	for (size_t i = 0; i < s->stack_count; i++)
		add_to_sums(sums, event_of(hs, h, s->rows[s->stacks[i].row].event, now_ns),
			    s->stacks[i].samples, s->stacks[i].period);
}

bool
fed_host_count(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	const struct hostfeed_second *s = hostfeed_second(h->feed);
	struct profile *p = hs->env->profile;
	struct engine_event *shown;
	struct fed_sums sums = { 0 };

	if (s->is_anew)
		fed_host_forget_numbers(h);
	sum_up(hs, h, &sums, now_ns);
	if (!fed_host_can_have(hs, h, &sums, now_ns))
		return false;
	hosts_keep_sums(hs, &sums);
	for (size_t i = 0; i < s->stack_count; i++) {
		const struct hostfeed_stack *stack = &s->stacks[i];
		struct hostfeed_row part = s->rows[stack->row];

		part.samples = stack->samples;
		part.period = stack->period;
		count_part(hs, h, &part, stack->callers, now_ns);
		/* A second of a host may have more callers than all hosts have room for. */
		if (profile_is_full(p))
			profile_fold(p, now_ns);
	}
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].samples > 0)
			count_part(hs, h, &s->rows[i], CALLERS_UNKNOWN, now_ns);
	shown = measured_shown(hs->env->measured);
	if (shown != NULL)
		shown->lost_now += s->lost;
	h->lost += s->lost;
	return true;
}

/* What a number stood for is another's soon. */
static void
forget_ended(const struct model *m, struct fed_numbers *whos)
{
	for (size_t i = 0; i < whos->len; i++) {
		uint32_t who = whos->items[i];

		if (who != 0 && model_task_at(m, m->whos[who].task)->died_ns != 0)
			whos->items[i] = 0;
	}
}

/* A feed does not tell who has ended: only who was sampled. */
void
hosts_end_quiet(struct hosts *hs, uint64_t now_ns)
{
	struct model *m = hs->env->model;
	const uint64_t quiet_ns = now_ns - MIN(now_ns, QUIET_S * NSEC_PER_SEC);
	const uint64_t passed_ns = MIN(now_ns - hs->allowed_ns, CLIMBED_SECONDS * NSEC_PER_SEC);

	hs->allowed_ns = now_ns;
	for (size_t i = 0; i < hs->count; i++) {
		struct fed_host *h = &hs->items[i];

		h->live = 0;
		h->made -= MIN(h->made, (size_t)(MADE_MAX * passed_ns / NSEC_PER_SEC));
		h->climbed -= MIN(h->climbed, (size_t)(CLIMBED_MAX * passed_ns / NSEC_PER_SEC));
	}
	for (uint32_t id = 1; id < m->task_len; id++) {
		const struct task *t = model_task_at(m, id);

		if (!t->is_used || t->host == 0 || t->died_ns != 0)
			continue;
		if (t->seen_ns < quiet_ns)
			model_end_task(m, id, now_ns);
		else
			hs->items[hs->by_str[t->host]].live++;
	}
	for (size_t i = 0; i < hs->count; i++) {
		struct fed_numbers rest = { .items = &hs->items[i].rest_who, .len = 1 };

		forget_ended(m, &hs->items[i].whos);
		forget_ended(m, &rest);
	}
}
