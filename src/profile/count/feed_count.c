/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/feed_impl.h"

#include "record/abi.h"
#include "record/look.h"
#include "record/put.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labels, and entries, until what nobody asked for is told apart less, and not at all. */
enum { COARSE_MAX = 4 << 10, UNASKED_MAX = 64 << 10 };

/* Whether the names of functions tell more of what is waited for. */
static bool
names_tell(const struct record_sample *s)
{
	enum wait_kind kind = record_look_kind(s);

	return record_is_look(s) && (kind == WAIT_LOCK || wait_names_tell(kind));
}

uint32_t
feed_unwind(struct feed *f, const struct record *rec, struct space *space, uint32_t task,
	    bool may_wait)
{
	const struct task *t = model_task_at(f->model, task);
	int pid = t->died_ns == 0 ? t->pid : 0;
	uint32_t dso = 0;

	f->trusted_lock = 0;
	f->is_unwound = !f->no_chains && unwinder_accepts(&rec->sample);
	if (f->is_unwound)
		dso = unwinder_run(&f->unwinder, &rec->sample, space, pid, may_wait);
	if (dso != 0)
		feed_want_own_image(f, rec, space, pid);
	if (dso == 0 && may_wait && !f->no_chains && space != NULL && names_tell(&rec->sample))
		dso = feed_lacks_image(f, &rec->sample, space, pid);
	return dso;
}

static void
label_branch(struct feed *f, const struct record_sample *s, uint32_t task, int pid, struct label *l)
{
	/* A sample in the kernel needs no user space, its branches may. */
	struct space *space = model_space(f->model, task);

	l->from = locations_resolve(f->locations,
				    feed_locate_branch(f, space, pid, s->branches.entries[0]));
	l->to = locations_resolve(f->locations,
				  feed_locate_branch(f, space, pid, s->branches.entries[1]));
	if (f->locations->items[l->from].kind != LOCATION_FUNCTION)
		l->from_addr = s->branches.entries[0];
	if (f->locations->items[l->to].kind != LOCATION_FUNCTION)
		l->to_addr = s->branches.entries[1];
}

/*
 * What is shown of @file without being asked for: not who holds a lock, which changes all the time;
 * not numbers of pipes and sockets, nor, once there are many, the ports of peers.
 */
static size_t
coarse_length(const struct labels *l, struct bytes file)
{
	char text[RECORD_LOOK_FILE_MAX + 1];
	const char *end;

	snprintf(text, sizeof(text), "%.*s", (int)file.len, (const char *)file.data);
	end = strstr(text, RECORD_LOOK_HELD_BY);
	if (end == NULL) {
		end = strstr(text, ":[");
		if (end != NULL && strspn(end + 2, "0123456789") + 3 != strlen(end))
			end = NULL;
	}
	if (end == NULL && l->len > COARSE_MAX &&
	    strncmp(text, RECORD_LOOK_SOCKET, strlen(RECORD_LOOK_SOCKET)) == 0)
		end = strrchr(text, ':');
	return end != NULL ? (size_t)(end - text) : strlen(text);
}

/*
 * What is waited for, as a string of the model; 0: it is not known.  Views of tasks show it without
 * asking for labels, but not what comes when there are too many of them.
 */
static uint32_t
waited_on(struct feed *f, struct bytes on, uint32_t task)
{
	struct profile *p = f->profile;
	uint64_t address;

	if (record_look_variable(on, &address))
		variables_want(&p->variables, model_task_at(f->model, task)->process, address);
	if (!labels_want(&p->labels, KEY_ON)) {
		if (p->labels.len > UNASKED_MAX || p->tables.cells[TABLE_HOT].len > UNASKED_MAX)
			return 0;
		on.len = coarse_length(&p->labels, on);
	}
	return on.len > 0 ? model_name(f->model, task, (const char *)on.data, on.len) : 0;
}

/* Who runs all the time is in no look.  The looker tells threads of the same process alone. */
static void
want_holder(struct feed *f, uint32_t on, int pid)
{
	const char *by = strstr(strs_get(&f->model->strs, on), RECORD_LOOK_HELD_BY);
	int tid = by != NULL ? atoi(by + strlen(RECORD_LOOK_HELD_BY)) : 0;
	uint32_t task;

	if (tid <= 0 || pid <= 0 || f->model->from_file)
		return;
	task = model_find_task(f->model, tid);
	feed_want_comm(f, task != 0 ? task : model_task(f->model, pid, tid));
}

/* A look, by what it waits for. */
static void
label_look(struct feed *f, const struct record_sample *s, const struct feed_wait *w, uint32_t task,
	   struct label *l)
{
	struct buf on = { 0 };

	f->trusted_lock = feed_trusted_lock(w, s);
	feed_put_wait(&on, w, s);
	l->on = waited_on(f, (struct bytes){ (const uint8_t *)on.data, on.len }, task);
	if (labels_want(&f->profile->labels, KEY_ON)) {
		l->owner_state = record_look_owner_state(s);
		l->is_traced = record_look_length(s) != 0;
		l->has_run = w->kind == WAIT_LOCK && record_look_has_run(s);
		l->is_unheld = !l->is_traced && f->trusted_lock != 0 &&
			       strstr(buf_str(&on), RECORD_LOOK_HELD_BY) == NULL;
	}
	buf_release(&on);
}

/* The value of a field of the payload, or its system call. */
static void
label_payload(struct feed *f, uint32_t event, const struct record_sample *s, struct label *l)
{
	struct profile *p = f->profile;
	const char *name = p->events[event].name;

	if (labels_want(&p->labels, KEY_FIELD)) {
		l->field = split_field(&p->split, event, name, s, &f->model->strs);
		l->field_of = split_asked(&p->split, event);
	}
	if (labels_want(&p->labels, KEY_SYSCALL))
		l->syscall = split_syscall(&p->split, event, name, s, &f->model->strs);
}

/* What else the sample is told apart by, as far as it carries what is wanted. */
static void
label_sample(struct feed *f, const struct record *rec, uint32_t task, int pid, struct label *l)
{
	const struct labels *labels = &f->profile->labels;
	const struct record_sample *s = &rec->sample;

	*l = (struct label){ 0 };
	if (labels_want(labels, KEY_TIME) && (s->carries & PERF_SAMPLE_TIME))
		l->time = labels_bucket(labels, rec->id.time_ns);
	if (labels_want(labels, KEY_DATA_SRC))
		l->data_src = s->data_src & RECORD_DATA_SRC_KNOWN;
	if (labels_want(labels, KEY_WEIGHT) && (s->carries & PERF_SAMPLE_WEIGHT))
		l->weight = s->weight + 1;
	else if (labels_want(labels, KEY_WEIGHT) && (s->carries & ABI_SAMPLE_WEIGHT_STRUCT))
		l->weight = (s->weight & UINT32_MAX) + 1;
	if (labels_want(labels, KEY_ID) &&
	    (s->carries & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		l->id = rec->id.id + 1;
	if (labels_want(labels, KEY_STREAM_ID) && (s->carries & PERF_SAMPLE_STREAM_ID))
		l->stream_id = rec->id.stream_id + 1;
	if (labels_want(labels, KEY_WAKER))
		l->waker = record_look_waker(s);
	if (labels_want(labels, KEY_LENGTH))
		l->length = record_look_length(s);
	if (labels_want(labels, KEY_BRANCH) && s->branches.len > 0)
		label_branch(f, s, task, pid, l);
}

/* Only files have lines. */
static void
want_line(struct feed *f, const struct code_at *at)
{
	if (dsos_get(&f->model->dsos, at->dso)->kind == DSO_FILE)
		srclines_want(&f->profile->lines, at->dso, at->offset);
}

/* The kind of a wait whose names tell more than its call. */
static void
name_wait(struct feed *f, struct profile_sample *s)
{
	enum wait_kind kind = (enum wait_kind)(s->leaf - LOCATION_WAITING);

	if (!wait_names_tell(kind))
		return;
	kind = wait_names_kind(&f->wait_names, f->profile, s->callers, kind);
	s->leaf = s->frame = LOCATION_WAITING + kind;
	s->offset = kind;
}

/*
 * Whether looks like it need not be looked at: of a lock each has to tell who holds it, and of a
 * copy that was too short that it was.
 */
static bool
is_settled(const struct feed *f, const struct feed_wait *w)
{
	const enum unwind_end end = f->unwinder.result.end;

	return w->kind != WAIT_LOCK && f->trusted_lock == 0 && !w->is_nameless &&
	       (!f->is_unwound || (end != UNWIND_STACK_CUT && end != UNWIND_WAITS));
}

static bool
has_one_tree(const struct feed *f, const struct task *t)
{
	return model_task_at(f->model, t->process)->has_one_tree;
}

/* In whose tree its stack is. */
static uint32_t
tree_owner(const struct feed *f, struct owner owner)
{
	const struct task *t = model_task_at(f->model, owner.task);
	bool is_thread = t->process != owner.task && t->who == owner.who;

	return is_thread && !feed_has_own_tree(f, t) ? model_who(f->model, t->process) : owner.who;
}

void
feed_count(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
	   struct owner owner, struct space *space)
{
	const struct task *t = model_task_at(f->model, owner.task);
	int pid = t->died_ns == 0 ? t->pid : 0;
	bool has_callers = (rec->sample.chain != NULL || f->is_unwound) && !f->no_chains;
	bool is_look = record_is_look(&rec->sample);
	struct profile_sample s = { .event = event, .who = owner.who, .cpu = rec->id.cpu,
				    .period = rec->sample.period };
	struct profile_ids ids;
	uint32_t tree_who = tree_owner(f, owner);
	struct feed_wait wait;
	struct callers callers;
	struct label label;
	struct code_at leaf;

	if (has_callers)
		feed_begin_callers(f, &callers, rec, event, tree_who,
				   owner.is_crowd || f->model->by_name, space);
	if (is_look)
		wait = feed_wait_of(f, rec, space, pid);
	leaf = is_look ? feed_place_wait(&wait) : feed_place_leaf(f, rec, space, pid);
	s.leaf = locations_resolve(f->locations, leaf.location);
	s.frame = leaf.location;
	s.dso = leaf.dso;
	s.offset = leaf.offset;

	if (profile_keeps_labels(f->profile) || is_look) {
		label_sample(f, rec, owner.task, pid, &label);
		if (rec->sample.raw.len > 0 || rec->sample.regs_user.abi != 0)
			label_payload(f, event, &rec->sample, &label);
		s.is_over = is_look && record_look_is_over(&rec->sample);
		if (is_look)
			label_look(f, &rec->sample, &wait, owner.task, &label);
		if (is_look && labels_want(&f->profile->labels, KEY_ON) &&
		    record_look_is_holding(&rec->sample))
			label.holding_at = feed_wait_at(f, rec, space, pid);
		if (is_look && (has_one_tree(f, t) || (wait.kind == WAIT_LOCK &&
				labels_want(&f->profile->labels, KEY_ON))))
			label.waits_at = feed_wait_at(f, rec, space, pid);
		if (is_look && wait.kind == WAIT_LOCK)
			want_holder(f, label.on, pid);
		s.label = &label;
		if (labels_want(&f->profile->labels, KEY_SRCLINE))
			want_line(f, &leaf);
		if (labels_want(&f->profile->labels, KEY_INSTRUCTION) && !is_look)
			srclines_want(&f->profile->instructions, leaf.dso, leaf.offset);
	}
	if (has_callers)
		s.callers = feed_end_callers(f, &callers, pid);
	if (s.callers != 0 && record_is_look(&rec->sample))
		name_wait(f, &s);
	if (is_look ? is_settled(f, &wait) && memo_remember_look(f, tag, &s, owner.task, space)
		    : memo_remember(f, tag, &s, owner.task, space))
		return;
	ids = profile_add(f->profile, &s);
	if (ids.address != 0)
		locations_vote(f->locations, s.leaf, leaf.offset, 1);
}
