/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/feed.h"
#include "profile/count/feed_impl.h"
#include "profile/count/memo.h"

#include "record/abi.h"
#include "record/put.h"

#include <linux/perf_event.h>
#include <stdlib.h>

void
feed_init(struct feed *f, struct model *model, struct locations *locations,
	  struct profile *profile, const struct record_layouts *layouts)
{
	*f = (struct feed){ .model = model, .locations = locations, .profile = profile,
			    .layouts = layouts, .roots_epoch = profile->epoch };
	cache_init(&f->addresses, ADDRESS_CACHE_PAIRS_MAX);
	cache_init(&f->stacks, STACK_CACHE_PAIRS_MAX);
	profile->stacks = &f->stacks;
	profile->places = &f->addresses;
	unwinder_init(&f->unwinder, model);
	memo_init(f);
}

void
feed_forget_places(struct feed *f)
{
	feed_flush(f);
	cache_clear(&f->addresses);
	cache_clear(&f->stacks);
	/* What is remembered of samples alike. */
	f->profile->epoch++;
}

void
feed_release(struct feed *f)
{
	feed_release_held(f);
	unwinder_release(&f->unwinder);
	memo_release(f);
	free(f->maps);
	free(f->images);
	free(f->comms);
	cache_release(&f->addresses);
	cache_release(&f->stacks);
	if (f->profile != NULL) /* else it was never begun */
		f->profile->stacks = f->profile->places = NULL;
}

static bool
has_user_part(const struct record *rec)
{
	const struct record_sample *s = &rec->sample;

	if (feed_is_user(rec) || unwinder_takes(s))
		return true;
	for (uint64_t i = 0; i < s->chain_len; i++)
		if (s->chain[i] == (uint64_t)PERF_CONTEXT_USER)
			return true;
	return false;
}

void
feed_want_comm(struct feed *f, uint32_t task)
{
	struct task *t = model_task_at(f->model, task);

	if (t->comm != 0 || t->comm_asked)
		return;
	t->comm_asked = true;
	vec_reserve(&f->comms, &f->comm_cap, f->comm_len + 1, sizeof(*f->comms));
	f->comms[f->comm_len++] = (struct comm_ask){ task, t->pid, t->tid };
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

/* What else the sample is told apart by, as far as it carries what is wanted. */
static void
label_sample(struct feed *f, const struct record *rec, uint32_t task, int pid, struct label *l)
{
	const struct labels *labels = &f->profile->labels;
	const struct record_sample *s = &rec->sample;

	*l = (struct label){ 0 };
	if (labels_want(labels, KEY_TIME) && (s->carries & PERF_SAMPLE_TIME))
		l->time = labels_bucket(labels, rec->id.time_ns);
	if (labels_want(labels, KEY_CGROUP))
		l->cgroup = s->cgroup;
	if (labels_want(labels, KEY_DATA_SRC))
		l->data_src = s->data_src & RECORD_DATA_SRC_KNOWN;
	if (labels_want(labels, KEY_WEIGHT) && (s->carries & PERF_SAMPLE_WEIGHT))
		l->weight = s->weight + 1;
	else if (labels_want(labels, KEY_WEIGHT) && (s->carries & ABI_SAMPLE_WEIGHT_STRUCT))
		l->weight = (s->weight & UINT32_MAX) + 1;
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

/* Counts a sample whose space is as known as it will be.  @space NULL: it has no user part. */
void
feed_file_sample(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
		 struct owner owner, struct space *space)
{
	const struct task *t = model_task_at(f->model, owner.task);
	int pid = t->died_ns == 0 ? t->pid : 0;
	bool has_callers = (rec->sample.chain != NULL || f->is_unwound) && !f->no_chains;
	struct profile_sample s = { .event = event, .who = owner.who, .cpu = rec->id.cpu,
				    .period = rec->sample.period };
	struct profile_ids ids;
	struct callers callers;
	struct label label;
	struct code_at leaf;

	if (has_callers)
		feed_begin_callers(f, &callers, rec, event, owner.who, space);
	leaf = feed_place_leaf(f, rec, space, pid);
	s.leaf = locations_resolve(f->locations, leaf.location);
	s.frame = leaf.location;
	s.dso = leaf.dso;
	s.offset = leaf.offset;

	if (profile_keeps_labels(f->profile)) {
		label_sample(f, rec, owner.task, pid, &label);
		s.label = &label;
		if (labels_want(&f->profile->labels, KEY_SRCLINE))
			want_line(f, &leaf);
	}
	if (has_callers)
		s.callers = feed_end_callers(f, &callers, pid);
	if (memo_take(f, tag, &s, owner.task, space))
		return;
	ids = profile_add(f->profile, &s);
	if (ids.address != 0)
		locations_vote(f->locations, s.leaf, leaf.offset, 1);
}

/* Who a sample is of.  Tid 0 with a user part is no idle loop: it is out of sight. */
static uint32_t
task_of(struct feed *f, const struct record *rec, bool user)
{
	if (rec->id.tid == 0 && user && !f->model->from_file)
		return model_outside_task(f->model);
	return model_sample_task(f->model, (int)rec->id.pid, (int)rec->id.tid, rec->id.cpu);
}

static bool
is_wanted(const struct feed *f, const struct task *t)
{
	return !f->targets_only || t->is_target || model_task_at(f->model, t->process)->is_target;
}

bool
feed_wants(struct feed *f, const struct record *rec, uint32_t *task)
{
	*task = task_of(f, rec, true);
	return is_wanted(f, model_task_at(f->model, *task));
}

uint32_t
feed_unwind(struct feed *f, const struct record *rec, const struct space *space, uint32_t task,
	    bool may_wait)
{
	const struct task *t = model_task_at(f->model, task);

	f->is_unwound = !f->no_chains && unwinder_takes(&rec->sample);
	if (!f->is_unwound)
		return 0;
	return unwinder_run(&f->unwinder, &rec->sample, space, t->died_ns == 0 ? t->pid : 0,
			    may_wait);
}

bool
feed_sample(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
	    struct bytes bytes)
{
	bool user = f->no_chains ? feed_is_user(rec) : has_user_part(rec);
	uint32_t task = task_of(f, rec, user);
	struct task *t = model_task_at(f->model, task);
	struct space *space = NULL;
	uint32_t dso;

	if (!is_wanted(f, t)) {
		f->dropped++;
		f->profile->events[event].dropped++;
		return false;
	}
	if (user)
		space = model_space(f->model, task);
	model_task_at(f->model, t->process)->seen_ns = rec->id.time_ns;
	feed_want_comm(f, task);
	if (t->process != task)
		feed_want_comm(f, t->process);
	if (user) {
		if (space->state == SPACE_UNREAD || space->state == SPACE_DOUBTFUL)
			feed_want_maps(f, task, space, rec->id.time_ns, 0);
		if (space->state == SPACE_ASKED &&
		    feed_hold(f, space, event, task, bytes, rec, 0))
			return true;
	}
	dso = feed_unwind(f, rec, space, task, true);
	if (dso != 0) {
		if (feed_hold(f, space, event, task, bytes, rec, dso))
			return true;
		f->unwaited++;
		feed_unwind(f, rec, space, task, false);
	}
	feed_file_sample(f, event, rec, tag, (struct owner){ task, model_who(f->model, task) },
			 space);
	return true;
}
