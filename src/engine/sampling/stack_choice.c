/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto: a copy of the top of the stack for all, and larger ones for processes whose chains do not
 * end in it.
 *
 * The events of such a process are opened a second time, for its threads and with larger copies,
 * beside the events that sample all processes.  Both write samples of it.  Between the first sample
 * that such an event brings, once all are enabled, and the time when the first of them is disabled,
 * only their samples count; before and after, only the others.  Records carry their time, so each
 * moment counts once.
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
	COLD_S = 30,          /* after so long without work its descriptors are closed */
	REFUSED_S = 60,       /* after a refusal, until it is tried again */
	HEAVIER = 2,          /* times as many samples has who takes the place of another process */
	STARVED_LOOKS = 2,    /* in a row, until it is given up */
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
	free(a->refusal.text);
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
	s->until_ns = MAX(until_ns, s->begun_ns);
	session_stop_stacks(sp->session, s->open);
	for (size_t i = 0; i < s->event_count; i++)
		a->lost[s->events[i].event] +=
			session_stacks_lost(sp->session, s->open, s->events[i].event);
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
stack_choice_end_target(struct sampling *sp, uint32_t target)
{
	uint64_t now = clock_mono_ns();

	for (size_t i = sp->stacks != NULL ? sp->stacks->len : 0; i-- > 0;)
		if (model_task_at(sp->model, sp->stacks->items[i].task)->target == target)
			end_at(sp, i, now);
}

static void
forget_refusal(struct stack_choice *a)
{
	free(a->refusal.text);
	a->refusal = (struct refusal){ 0 };
}

void
stack_choice_end_event(struct sampling *sp, uint32_t event)
{
	struct stack_choice *a = sp->stacks;
	uint64_t now = clock_mono_ns();

	if (a == NULL)
		return;
	for (size_t i = a->len; i-- > 0;)
		if (stack_choice_event(&a->items[i], event) != NULL)
			end_at(sp, i, now);
	/* What was refused beside it may do without it. */
	forget_refusal(a);
	memset(a->refused, 0, sizeof(a->refused));
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

/* @bytes 0: as much as one has at first. */
static void
ask(struct sampling *sp, uint32_t task, uint32_t bytes, uint32_t weight)
{
	struct stack_choice *a = sp->stacks;
	const struct task *t = model_task_at(sp->model, task);
	const struct own_stacks *before = find_open(a, t->pid);
	size_t others = descriptors(a) - (before != NULL ? before->id_count : 0);
	struct session_event *lives[COPIED_EVENTS_MAX];
	uint32_t events[COPIED_EVENTS_MAX];
	struct own_stacks *s;

	s = &VEC_ADD(a->items, a->len, a->cap);
	*s = (struct own_stacks){
		.state = STACKS_ASKED, .number = ++a->last_number, .pid = t->pid, .task = task,
		.execs = t->execs, .bytes = bytes, .weight = weight, .until_ns = UINT64_MAX,
		.hot_ns = clock_mono_ns(),
	};
	s->event_count = stack_choice_list_events(sp, events);
	if (bytes == 0)
		s->bytes = stack_choice_larger_bytes(sp, events, s->event_count);
	for (size_t i = 0; i < s->event_count; i++) {
		lives[i] = sp->measured->events[events[i]].live;
		s->events[i] = (struct stacks_event){
			.event = events[i], .rate = session_rate(lives[i]), .since_ns = UINT64_MAX };
	}
	session_open_stacks(sp->session, s->number, s->pid, s->bytes,
			    DESCRIPTORS_MAX - MIN(others, (size_t)DESCRIPTORS_MAX), lives,
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

/* Whether @task is what it was, with that program; its leader may have exited. */
static bool
is_same(const struct sampling *sp, uint32_t task, uint32_t execs)
{
	const struct task *t = model_task_at(sp->model, task);

	return t->is_used && t->process == task && (t->died_ns == 0 || t->living > 0) &&
	       t->execs == execs;
}

/* And not another process of that number. */
static bool
is_there(const struct sampling *sp, const struct own_stacks *s)
{
	return model_task_at(sp->model, s->task)->pid == s->pid && is_same(sp, s->task, s->execs);
}

/* The first is told: there may be many, for the same reason. */
static void
refuse(struct sampling *sp, const struct own_stacks *s, const struct err *err)
{
	struct stack_choice *a = sp->stacks;
	struct buf b = { 0 };

	a->refused[a->refused_next++ % REFUSED_MAX] = (struct refused){
		s->pid, clock_mono_ns() + REFUSED_S * NSEC_PER_SEC };
	/* It has ended; or it goes on with the copies that it has. */
	if (err->code == ERR_GONE || find_open(a, s->pid) != NULL)
		return;
	a->refusals++;
	if (a->refusal.text != NULL)
		return;
	buf_add_str(&b, "-g auto: chains of ");
	stack_choice_put_process(sp, s, &b);
	buf_addf(&b, " stay cut: %s%s%s", err->text, *err->hint != '\0' ? "; " : "", err->hint);
	a->refusal = (struct refusal){ mem_strdup(buf_str(&b)), s->task, s->execs };
	buf_release(&b);
}

static bool
ask_anew(struct sampling *sp, uint64_t now_ns)
{
	struct stack_choice *a = sp->stacks;
	uint32_t bytes;

	for (size_t i = 0; i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		if (s->state != STACKS_OPEN || is_refused(a, s->pid, now_ns) ||
		    stack_choice_is_as_wanted(sp, s, now_ns, &bytes))
			continue;
		ask(sp, s->task, bytes, s->weight);
		return true;
	}
	return false;
}

/* Whether it gives its place to another process, which has that @weight. */
static bool
gives_place(const struct own_stacks *s, int pid, uint32_t weight)
{
	return s->state == STACKS_OPEN && s->pid != pid && s->weight * HEAVIER <= weight;
}

/* The lightest of those that do.  false: nobody does. */
static bool
end_lightest(struct sampling *sp, int pid, uint32_t weight)
{
	struct stack_choice *a = sp->stacks;
	struct own_stacks *lightest = NULL;

	for (size_t i = 0; i < a->len; i++)
		if (gives_place(&a->items[i], pid, weight) &&
		    (lightest == NULL || a->items[i].weight < lightest->weight))
			lightest = &a->items[i];
	if (lightest == NULL)
		return false;
	end_stacks(sp, lightest, clock_mono_ns());
	return true;
}

/* Whether there is room for one more. */
static bool
make_room(struct sampling *sp, int pid, uint32_t weight)
{
	const struct stack_choice *a = sp->stacks;

	return (stack_choice_processes(a) < PROCESSES_MAX && descriptors(a) < DESCRIPTORS_MAX) ||
	       end_lightest(sp, pid, weight);
}

/* Ends others until @s can have that many descriptors.  false: they would not be enough. */
static bool
make_room_for(struct sampling *sp, const struct own_stacks *s, size_t needed)
{
	const struct stack_choice *a = sp->stacks;
	const struct own_stacks *before = find_open(a, s->pid);
	size_t left = descriptors(a) - (before != NULL ? before->id_count : 0), given = 0;

	for (size_t i = 0; i < a->len; i++)
		if (gives_place(&a->items[i], s->pid, s->weight))
			given += a->items[i].id_count;
	if (needed == 0 || left - given + needed > DESCRIPTORS_MAX)
		return false;
	while (left + needed > DESCRIPTORS_MAX && end_lightest(sp, s->pid, s->weight))
		left = descriptors(a) - (before != NULL ? before->id_count : 0);
	return true;
}

/* Where threads alone are sampled, all of their process would be. */
static bool
is_candidate(const struct sampling *sp, const struct cut_process *c, uint64_t now_ns)
{
	const struct stack_choice *a = sp->stacks;
	uint32_t task = model_find_task(sp->model, c->pid);
	const struct task *t = model_task_at(sp->model, task);

	return is_same(sp, task, t->execs) && t->pid == c->pid && t->pid != getpid() &&
	       (task_is_process_target(t) || session_scope(sp->session) != SESSION_TASKS) &&
	       find_open(a, t->pid) == NULL && !is_refused(a, t->pid, now_ns);
}

static void
ask_next(struct sampling *sp)
{
	struct stack_choice *a = sp->stacks;
	uint64_t now = clock_mono_ns();
	uint32_t events[COPIED_EVENTS_MAX];

	if (is_asking(a) || sp->chains != CALL_GRAPH_AUTO || sp->measured->stopped_ns != 0 ||
	    stack_choice_list_events(sp, events) == 0 || ask_anew(sp, now))
		return;
	for (size_t i = 0; i < a->judged.len; i++) {
		const struct cut_process *c = &a->judged.items[i];

		if (!is_candidate(sp, c, now))
			continue;
		if (make_room(sp, c->pid, c->cut / c->looks))
			ask(sp, model_find_task(sp->model, c->pid), 0, c->cut / c->looks);
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

/* In place of an opening before it, at the same moment: the counters that this had are free then. */
static void
replace(struct sampling *sp, struct own_stacks *s, struct own_stacks *before)
{
	for (size_t i = 0; i < s->event_count; i++) {
		const struct stacks_event *e = stack_choice_event(before, s->events[i].event);

		if (e != NULL && e->since_ns != UINT64_MAX)
			s->events[i].since_ns = s->begun_ns;
	}
	end_stacks(sp, before, s->begun_ns);
}

static void
begin_stacks(struct sampling *sp, struct own_stacks *s, struct session_stacks_msg *m)
{
	struct own_stacks *before = find_open(sp->stacks, s->pid);

	take_attrs(sp, m);
	take_ids(sp, s, m);
	s->open = m->stacks;
	m->stacks = NULL;
	session_begin_stacks(sp->session, s->open);
	s->begun_ns = clock_mono_ns();
	if (before != NULL)
		replace(sp, s, before);
	s->state = STACKS_OPEN;
	if (sp->stacks->refusal.task == s->task)
		forget_refusal(sp->stacks);
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
		const struct own_stacks asked = *s;

		drop(a, (size_t)(s - a->items));
		if (is_there(sp, &asked) && make_room_for(sp, &asked, m->needed))
			ask(sp, asked.task, asked.bytes, asked.weight);
		else if (m->stacks == NULL)
			refuse(sp, &asked, &m->err);
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
end_starved(struct sampling *sp)
{
	struct stack_choice *a = sp->stacks;
	struct err err = { 0 };

	err_set(&err, ERR_LIMIT, 0, "the PMU has no counter left for a second event of its own");
	err_hint(&err, "fewer events (-e) leave one");
	for (size_t i = 0; i < a->len; i++) {
		struct own_stacks *s = &a->items[i];

		if (s->state != STACKS_OPEN)
			continue;
		s->starved = stack_choice_is_starved(sp, s) ? s->starved + 1 : 0;
		if (s->starved < STARVED_LOOKS)
			continue;
		end_stacks(sp, s, clock_mono_ns());
		refuse(sp, s, &err);
	}
}

static void
weigh(struct stack_choice *a, uint64_t now_ns)
{
	for (size_t i = 0; i < a->len; i++) {
		struct own_stacks *s = &a->items[i];

		s->weight = 0;
		for (size_t k = 0; k < s->event_count; k++)
			s->weight += s->events[k].taken;
		if (s->weight > 0)
			s->hot_ns = now_ns;
	}
}

static void
begin_look(struct own_stacks *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		s->events[i].taken = s->events[i].passed = 0;
	if (s->seen >= CUT_LEAST)
		s->seen = s->cut = 0;
}

void
stack_choice_beat(struct sampling *sp, uint64_t now_ns)
{
	struct stack_choice *a = sp->stacks;

	if (a == NULL)
		return;
	follow_ends(sp, now_ns);
	if (a->refusal.text != NULL && (sp->chains != CALL_GRAPH_AUTO ||
					!is_same(sp, a->refusal.task, a->refusal.execs)))
		forget_refusal(a);
	if (now_ns < a->next_look_ns)
		return;
	a->next_look_ns = now_ns + LOOK_MS * NSEC_PER_MSEC;
	stack_choice_judge_cuts(a);
	end_starved(sp);
	weigh(a, now_ns);
	ask_next(sp);
	for (size_t i = 0; i < a->len; i++)
		begin_look(&a->items[i]);
}
