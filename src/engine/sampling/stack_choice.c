/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto: a copy of the top of the stack for all, and larger ones for processes whose chains do not
 * end in it.
 *
 * The events of such a process are opened a second time, for its threads and with larger copies,
 * beside the events that sample all processes.  Both write samples of it.  Between the time when
 * the last of the second events was enabled and the time when the first of them is disabled, only
 * their samples count; before and after, only the others.  Records carry their time, so each moment
 * counts once.
 *
 * Processes are opened one after the other: each answer says how many descriptors are left.
 */
#include "engine/sampling/stack_choice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	PROCESSES_MAX = 32,
	DESCRIPTORS_MAX = 2000,
	LOOK_MS = 900,        /* just below the beat's */
	COLD_S = 5,           /* after so long without work its descriptors are closed */
	REFUSED_S = 60,       /* after a refusal, until it is tried again */
	HEAVIER = 2,          /* times as many samples has who takes the place of another process */
	STACK_LARGER = 32768, /* than what all have */
	STACK_MOST = 65528,
	RATE_EACH_S = 10,     /* at most so often events are opened anew for another frequency, */
	RATE_PART = 2,        /* if it is half or twice as much: opening is dear */
	CUT_LEAST = 8,        /* of a process, to judge by */
	CUT_PART = 20,        /* if one in so many is cut, copies are too short */
};

void
stack_choice_begin(struct sampling *sp)
{
	if (session_scope(sp->session) == SESSION_NONE)
		return;
	sp->stacks = mem_calloc(1, sizeof(*sp->stacks));
	sp->stacks->taking = SIZE_MAX;
}

static void
release_stacks(struct own_stacks *s)
{
	session_stacks_free(s->open);
	free(s->ids);
	free(s->tids);
}

void
stack_choice_release(struct sampling *sp)
{
	struct stack_choice *a = sp->stacks;

	if (a == NULL)
		return;
	for (size_t i = 0; i < a->len; i++)
		release_stacks(&a->items[i]);
	free(a->items);
	free(a->refusal);
	free(a);
	sp->stacks = NULL;
}

static struct own_stacks *
find_open(const struct stack_choice *a, int pid)
{
	for (size_t i = 0; i < a->len; i++)
		if (a->items[i].pid == pid && a->items[i].state == STACKS_OPEN)
			return &a->items[i];
	return NULL;
}

static bool
is_asking(const struct stack_choice *a)
{
	for (size_t i = 0; i < a->len; i++)
		if (a->items[i].state == STACKS_ASKED)
			return true;
	return false;
}

/* How many descriptors are open. */
static size_t
descriptors(const struct stack_choice *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->len; i++)
		n += a->items[i].state == STACKS_OPEN ? a->items[i].id_count : 0;
	return n;
}

static void
drop(struct stack_choice *a, size_t i)
{
	release_stacks(&a->items[i]);
	memmove(&a->items[i], &a->items[i + 1], (a->len - i - 1) * sizeof(*a->items));
	a->len--;
	a->taking = SIZE_MAX;
}

/* From @until_ns on, which is not after now, its process counts by all's events again. */
static void
end_stacks(struct sampling *sp, struct own_stacks *s, uint64_t until_ns)
{
	struct stack_choice *a = sp->stacks;

	if (s->state != STACKS_OPEN)
		return;
	s->state = STACKS_ENDED;
	s->until_ns = MAX(until_ns, s->since_ns);
	session_stop_stacks(sp->session, s->open);
	for (size_t i = 0; i < s->event_count; i++)
		a->lost[s->events[i]] += session_stacks_lost(sp->session, s->open, s->events[i]);
	session_close_stacks(sp->session, s->open);
	s->open = NULL;
	a->lost_hint = UINT64_MAX;
	agenda_want(sp->agenda, AGENDA_SHOW);
}

/* What was asked for and is not wanted any more is closed when it comes. */
static void
end_at(struct sampling *sp, size_t i, uint64_t until_ns)
{
	if (sp->stacks->items[i].state == STACKS_ASKED)
		drop(sp->stacks, i);
	else
		end_stacks(sp, &sp->stacks->items[i], until_ns);
}

void
stack_choice_end_all(struct sampling *sp)
{
	struct stack_choice *a = sp->stacks;
	uint64_t now = clock_mono_ns();

	if (a == NULL)
		return;
	if (sp->measured->stopped_ns != 0)
		a->last_count = stack_choice_processes(a);
	for (size_t i = a->len; i-- > 0;)
		end_at(sp, i, now);
}

void
stack_choice_end_event(struct sampling *sp, uint32_t event)
{
	uint64_t now = clock_mono_ns();

	for (size_t i = sp->stacks != NULL ? sp->stacks->len : 0; i-- > 0;)
		if (stack_choice_has_event(&sp->stacks->items[i], event))
			end_at(sp, i, now);
}

/* Another program is judged anew; one of another user has lost its events. */
void
stack_choice_exec(void *sampling, const struct record *rec, struct bytes bytes)
{
	struct sampling *sp = sampling;

	(void)bytes;
	if (rec->type != PERF_RECORD_COMM || !rec->comm.is_exec)
		return;
	for (size_t i = sp->stacks != NULL ? sp->stacks->len : 0; i-- > 0;)
		if (sp->stacks->items[i].pid == (int)rec->comm.pid)
			end_at(sp, i, rec->id.time_ns);
}

/* Clocks and the PMU's counters: what samples of others carry the kernel makes once. */
static bool
can_be_twice(const struct event *spec)
{
	return !measured_is_shared(spec) && spec->type != PERF_TYPE_BREAKPOINT &&
	       spec->place == EVENT_PLACE_NONE;
}

static bool
is_eligible(const struct sampling *sp, uint32_t n)
{
	const struct engine_event *ev = &sp->measured->events[n];
	const uint64_t needs = PERF_SAMPLE_STACK_USER;
	const uint64_t not = PERF_SAMPLE_READ;

	return ev->live != NULL && ev->spec.looks != EVENT_LOOKS_ALONE && !ev->is_paused &&
	       ev->leader == n &&
	       measured_next_member(sp->measured, n) == UINT32_MAX &&
	       can_be_twice(&ev->spec) && !ev->spec.exclude_user &&
	       !(ev->spec.terms.given & 1u << TERM_CALL_GRAPH) &&
	       (ev->attr.sample_type & needs) == needs && !(ev->attr.sample_type & not);
}

static size_t
list_events(const struct sampling *sp, uint32_t *events)
{
	size_t count = 0;

	for (uint32_t n = 0; n < sp->measured->event_count && count < COPIED_EVENTS_MAX; n++)
		if (is_eligible(sp, n))
			events[count++] = n;
	return count;
}

static void
ask(struct sampling *sp, uint32_t task, uint32_t bytes, uint32_t weight)
{
	struct stack_choice *a = sp->stacks;
	const struct task *t = model_task_at(sp->model, task);
	struct session_event *lives[COPIED_EVENTS_MAX];
	struct own_stacks *s;

	s = &VEC_ADD(a->items, a->len, a->cap);
	*s = (struct own_stacks){
		.state = STACKS_ASKED, .number = ++a->last_number, .pid = t->pid, .task = task,
		.execs = t->execs, .bytes = bytes, .weight = weight, .until_ns = UINT64_MAX,
		.hot_ns = clock_mono_ns(),
	};
	s->event_count = list_events(sp, s->events);
	for (size_t i = 0; i < s->event_count; i++) {
		lives[i] = sp->measured->events[s->events[i]].live;
		s->rates[i] = session_rate(lives[i]);
	}
	session_open_stacks(sp->session, s->number, s->pid, bytes,
			    DESCRIPTORS_MAX - MIN(descriptors(a), (size_t)DESCRIPTORS_MAX), lives,
			    s->event_count);
}

static bool
is_refused(const struct stack_choice *a, int pid, uint64_t now_ns)
{
	for (size_t i = 0; i < REFUSED_MAX; i++)
		if (a->refused[i].pid == pid && now_ns < a->refused[i].until_ns)
			return true;
	return false;
}

/* The first is told: there may be many, for the same reason. */
static void
refuse(struct sampling *sp, int pid, uint32_t task, const struct err *err)
{
	struct stack_choice *a = sp->stacks;
	const struct task *t = model_task_at(sp->model, task);
	struct buf b = { 0 };

	a->refused[a->refused_next++ % REFUSED_MAX] = (struct refused){
		pid, clock_mono_ns() + REFUSED_S * NSEC_PER_SEC };
	/* It has ended; or it goes on with the copies that it has. */
	if (err->code == ERR_GONE || find_open(a, pid) != NULL)
		return;
	a->refusals++;
	if (a->refusal != NULL)
		return;
	buf_addf(&b, "-g auto: chains of process %d %s stay cut: %s%s%s", pid,
		 t->pid == pid ? strs_get(&sp->model->strs, t->comm) : "", err->text,
		 *err->hint != '\0' ? "; " : "", err->hint);
	a->refusal = mem_strdup(buf_str(&b));
	buf_release(&b);
}

/* Its task as it was when it was asked for, and not another one. */
static bool
is_there(const struct sampling *sp, const struct own_stacks *s)
{
	const struct task *t = model_task_at(sp->model, s->task);

	return t->is_used && t->pid == s->pid && t->process == s->task && t->died_ns == 0 &&
	       t->execs == s->execs;
}

static bool
has_rates(const struct sampling *sp, const struct own_stacks *s, uint64_t now_ns)
{
	if (now_ns - s->since_ns < RATE_EACH_S * NSEC_PER_SEC)
		return true;
	for (size_t i = 0; i < s->event_count; i++) {
		uint64_t rate = session_rate(sp->measured->events[s->events[i]].live);

		if (rate > s->rates[i] * RATE_PART || rate * RATE_PART < s->rates[i])
			return false;
	}
	return true;
}

/* Whether it is open as it is wanted now, with so many @bytes. */
static bool
is_as_wanted(const struct sampling *sp, const struct own_stacks *s, uint64_t now_ns, uint32_t *bytes)
{
	uint32_t events[COPIED_EVENTS_MAX];
	size_t count = list_events(sp, events);

	*bytes = s->bytes;
	if (s->taken >= CUT_LEAST && s->cut >= s->taken / CUT_PART + 1)
		*bytes = MIN(s->bytes * 2, (uint32_t)STACK_MOST);
	return *bytes == s->bytes && count == s->event_count &&
	       memcmp(events, s->events, count * sizeof(*events)) == 0 &&
	       has_rates(sp, s, now_ns);
}

static bool
ask_anew(struct sampling *sp, uint64_t now_ns)
{
	struct stack_choice *a = sp->stacks;
	uint32_t bytes;

	for (size_t i = 0; i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		if (s->state != STACKS_OPEN || is_refused(a, s->pid, now_ns) ||
		    is_as_wanted(sp, s, now_ns, &bytes))
			continue;
		ask(sp, s->task, bytes, s->weight);
		return true;
	}
	return false;
}

/* Whether there is room for one more: if need be, who weighs less gives it. */
static bool
make_room(struct sampling *sp, uint32_t weight)
{
	struct stack_choice *a = sp->stacks;
	struct own_stacks *lightest = NULL;

	if (stack_choice_processes(a) < PROCESSES_MAX && descriptors(a) < DESCRIPTORS_MAX)
		return true;
	for (size_t i = 0; i < a->len; i++)
		if (a->items[i].state == STACKS_OPEN &&
		    (lightest == NULL || a->items[i].weight < lightest->weight))
			lightest = &a->items[i];
	if (lightest == NULL || lightest->weight * HEAVIER > weight)
		return false;
	end_stacks(sp, lightest, clock_mono_ns());
	return true;
}

static bool
is_candidate(const struct sampling *sp, const struct cut_process *c, uint64_t now_ns)
{
	const struct stack_choice *a = sp->stacks;
	const struct task *t = model_task_at(sp->model, model_find_task(sp->model, c->pid));

	return c->cut >= CUT_LEAST && t->is_used && t->pid == c->pid && t->died_ns == 0 &&
	       t->pid != getpid() && find_open(a, t->pid) == NULL &&
	       !is_refused(a, t->pid, now_ns);
}

static void
ask_next(struct sampling *sp)
{
	struct stack_choice *a = sp->stacks;
	uint64_t now = clock_mono_ns();
	uint32_t events[COPIED_EVENTS_MAX];

	if (is_asking(a) || sp->chains != CALL_GRAPH_AUTO || sp->measured->stopped_ns != 0 ||
	    list_events(sp, events) == 0 || ask_anew(sp, now))
		return;
	for (size_t i = 0; i < a->judged.len; i++) {
		const struct cut_process *c = &a->judged.items[i];

		if (!is_candidate(sp, c, now))
			continue;
		if (make_room(sp, c->cut))
			ask(sp, model_find_task(sp->model, c->pid), STACK_LARGER, c->cut);
		return;
	}
}

/* Its ids, and who has one of their own. */
static void
take_ids(struct sampling *sp, struct own_stacks *s, const struct session_stacks_msg *m)
{
	s->ids = mem_calloc(m->id_count + 1, sizeof(*s->ids));
	s->tids = mem_calloc(m->id_count + 1, sizeof(*s->tids));
	for (size_t i = 0; i < m->id_count; i++) {
		const struct session_stacks_id *id = &m->ids[i];
		uint32_t event = id->event == UINT32_MAX ? sp->first : id->event;
		uint32_t layout = sample_ids_layout(sp->ids, &sp->measured->events[event].stacks_attr);

		sample_ids_add(sp->ids, &(struct sample_id){ .id = id->id, .event = event,
							     .tid = id->tid, .copies = s->number },
			       layout);
		s->ids[i] = id->id;
		if (s->tid_count == 0 || s->tids[s->tid_count - 1] != id->tid)
			s->tids[s->tid_count++] = id->tid;
	}
	s->id_count = m->id_count;
	qsort(s->tids, s->tid_count, sizeof(*s->tids), stack_choice_compare_tids);
}

static void
take_attrs(struct sampling *sp, const struct session_stacks_msg *m)
{
	for (size_t i = 0; i < m->event_count; i++) {
		uint32_t n = m->events[i].token == UINT32_MAX ? sp->first : m->events[i].token;

		sp->measured->events[n].stacks_attr = m->events[i].attr;
		for (size_t k = 0; k < sp->observer_count; k++)
			sp->observers[k].ops->copies(sp->observers[k].self, n);
	}
}

/* In place of an opening before it, at the same moment. */
static void
begin_stacks(struct sampling *sp, struct own_stacks *s, struct session_stacks_msg *m)
{
	struct own_stacks *before = find_open(sp->stacks, s->pid);

	take_attrs(sp, m);
	take_ids(sp, s, m);
	s->open = m->stacks;
	m->stacks = NULL;
	session_begin_stacks(sp->session, s->open);
	s->since_ns = clock_mono_ns();
	if (before != NULL)
		end_stacks(sp, before, s->since_ns);
	s->state = STACKS_OPEN;
	/* All's samples of it are looked at one by one from here on. */
	feed_forget_alike(sp->feed);
	agenda_want(sp->agenda, AGENDA_SHOW);
}

enum part_reply
stack_choice_on_stacks(void *sampling, struct msg *msg)
{
	struct session_stacks_msg *m = (struct session_stacks_msg *)msg;
	struct sampling *sp = sampling;
	struct stack_choice *a = sp->stacks;
	struct own_stacks *s = stack_choice_find(a, m->token);

	if (s != NULL && m->stacks != NULL && is_there(sp, s)) {
		begin_stacks(sp, s, m);
	} else if (s != NULL) {
		if (m->stacks == NULL)
			refuse(sp, s->pid, s->task, &m->err);
		drop(a, (size_t)(s - a->items));
	}
	if (m->stacks != NULL) {
		session_close_stacks(sp->session, m->stacks);
		m->stacks = NULL;
	}
	ask_next(sp);
	return PART_DONE;
}

/* Nothing with its ids is in the rings any more. */
static bool
is_drained(const struct sampling *sp, const struct own_stacks *s)
{
	return s->until_ns < sp->clock->counted_to_ns;
}

static void
follow_ends(struct sampling *sp, uint64_t now_ns)
{
	struct stack_choice *a = sp->stacks;

	for (size_t i = a->len; i-- > 0;) {
		struct own_stacks *s = &a->items[i];

		if (s->state == STACKS_ENDED && is_drained(sp, s)) {
			for (size_t k = 0; k < s->id_count; k++)
				sample_ids_end(sp->ids, s->ids[k]);
			drop(a, i);
		} else if (s->state == STACKS_OPEN &&
			   (!is_there(sp, s) || now_ns - s->hot_ns > COLD_S * NSEC_PER_SEC)) {
			end_stacks(sp, s, clock_mono_ns());
		}
	}
}

static void
weigh(struct stack_choice *a, uint64_t now_ns)
{
	for (size_t i = 0; i < a->len; i++) {
		struct own_stacks *s = &a->items[i];

		s->weight = s->taken;
		if (s->taken > 0)
			s->hot_ns = now_ns;
	}
}

static int
compare_cuts(const void *a, const void *b)
{
	const struct cut_process *x = a, *y = b;

	return (x->cut < y->cut) - (x->cut > y->cut);
}

void
stack_choice_beat(struct sampling *sp, uint64_t now_ns)
{
	struct stack_choice *a = sp->stacks;

	if (a == NULL)
		return;
	follow_ends(sp, now_ns);
	if (now_ns < a->next_look_ns)
		return;
	a->next_look_ns = now_ns + LOOK_MS * NSEC_PER_MSEC;
	a->judged = a->cuts;
	a->cuts.len = 0;
	qsort(a->judged.items, a->judged.len, sizeof(*a->judged.items), compare_cuts);
	weigh(a, now_ns);
	ask_next(sp);
	for (size_t i = 0; i < a->len; i++)
		a->items[i].taken = a->items[i].cut = 0;
}
