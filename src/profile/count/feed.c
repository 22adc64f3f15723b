/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/feed.h"
#include "profile/count/feed_impl.h"

#include "record/abi.h"
#include "record/look.h"

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
	feed_release_asked(f);
	feed_release_held(f);
	unwinder_release(&f->unwinder);
	wait_names_release(&f->wait_names);
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

	if (feed_is_user(rec) || unwinder_accepts(s))
		return true;
	for (uint64_t i = 0; i < s->chain_len; i++)
		if (s->chain[i] == (uint64_t)PERF_CONTEXT_USER)
			return true;
	return false;
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
	return !f->targets_only || model_is_target(f->model, t);
}

bool
feed_wants(struct feed *f, const struct record *rec, uint32_t *task)
{
	*task = task_of(f, rec, true);
	return is_wanted(f, model_task_at(f->model, *task)) && model_wants_cgroup(f->model, *task);
}

/* The tag of a sample whose chain has that number; 0: it has none. */
static uint64_t
unwound_tag(uint64_t tag, uint64_t number)
{
	return tag != 0 && number != 0 ? hash_mix(tag, number) | 1 : 0;
}

uint64_t
feed_copy_tag(const struct feed *f, const struct record_copy *s)
{
	if (f->no_chains || s->regs.words == NULL)
		return s->tag;
	return unwound_tag(s->tag, alike_find(f->unwinder.alike, s));
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

	if (rec->sample.carries & ABI_SAMPLE_CGROUP)
		model_set_cgroup(f->model, task, rec->sample.cgroup);
	if (!is_wanted(f, t) || !model_wants_cgroup(f->model, task)) {
		f->dropped++;
		f->profile->events[event].dropped++;
		return false;
	}
	if (user)
		space = model_space(f->model, task);
	model_saw(f->model, task, 1, rec->id.time_ns);
	feed_want_comm(f, task);
	if (t->process != task)
		feed_want_comm(f, t->process);
	if (user) {
		if (space->state == SPACE_UNREAD || space->state == SPACE_DOUBTFUL) {
			feed_want_maps(f, task, space, rec->id.time_ns);
			tag = 0; /* if that is to wait, the next sample is to ask */
		}
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
	/* With other registers the same stack is another call, and all that are dying look alike. */
	if (split_has_arguments(&f->profile->split, event) || (int)rec->id.tid == -1)
		tag = 0;
	/* A look is known by all of it, its copy of the stack included. */
	if (f->is_unwound && tag != 0 && !record_is_look(&rec->sample))
		tag = unwound_tag(tag, unwinder_number(&f->unwinder, rec->id.pid, &rec->sample));
	feed_tell_counts(f, task, rec, bytes, tag);
	feed_count(f, event, rec, tag, feed_owner(f, task, rec->id.time_ns), space);
	return true;
}
