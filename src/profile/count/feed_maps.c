/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps of processes that were there before the sampling: asked for, and learned. */
#include "profile/count/feed.h"
#include "profile/count/feed_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
	OTHERS_MAX = 4, /* processes asked in turn for the maps that they share */
	DEAR_NS = 2 * 1000 * 1000, /* a reading of maps is, from here on: */
	DEAR_PART = 100,           /* it is such a part of the time, at most */
};

/* Asks for the maps of @task's process; @tries others that share @space were asked before. */
static void
ask_maps(struct feed *f, uint32_t task, struct space *space, uint64_t now_ns, unsigned tries)
{
	const struct task *t = model_task_at(f->model, model_task_at(f->model, task)->process);
	uint32_t cookie = ++f->next_cookie;

	vec_reserve(&f->asked, &f->asked_cap, f->asked_len + 1, sizeof(*f->asked));
	f->asked[f->asked_len++] = (struct asked_space){
		.cookie = cookie, .task = t->process, .execs = t->execs, .pid = t->pid,
		.tries = tries, .since_ns = now_ns, .space = space_get(space),
		.was_doubtful = space->state == SPACE_DOUBTFUL,
	};
	space->state = SPACE_ASKED;
	f->changes++;
	vec_reserve(&f->maps, &f->map_cap, f->map_len + 1, sizeof(*f->maps));
	f->maps[f->map_len++] = (struct maps_ask){ cookie, t->process, t->pid };
}

static struct asked_space *
asked_about(const struct feed *f, const struct task *process)
{
	for (size_t i = 0; i < f->asked_len; i++)
		if (f->asked[i].task == process->process && f->asked[i].execs == process->execs &&
		    f->asked[i].pid == process->pid)
			return &f->asked[i];
	return NULL;
}

void
feed_want_maps(struct feed *f, uint32_t task, struct space *space, uint64_t now_ns)
{
	struct asked_space *a =
		asked_about(f, model_task_at(f->model, model_task_at(f->model, task)->process));

	if (a == NULL && now_ns >= space->again_ns) {
		ask_maps(f, task, space, now_ns, 0);
	} else if (a != NULL && a->space != space && a->space->state == SPACE_ASKED &&
		   a->follower == NULL) {
		a->follower = space_get(space);
		space->is_followed = true;
		space->state = SPACE_ASKED;
		f->changes++;
	}
}

static size_t
find_asked(const struct feed *f, uint32_t cookie)
{
	size_t i;

	for (i = 0; i < f->asked_len && f->asked[i].cookie != cookie; i++)
		;
	return i;
}

static void
learn_space(struct feed *f, uint32_t task, struct space *space, const struct feed_map *maps,
	    size_t len)
{
	struct map *list = mem_calloc(len + 1, sizeof(*list));

	/* A child that did not change it yet has its parent's. */
	task = model_space_owner(f->model, space, task);
	for (size_t i = 0; i < len; i++) {
		list[i] = maps[i].map;
		model_map_dso(f->model, task, &list[i],
			      &(struct dso){ .maj = maps[i].maj, .min = maps[i].min,
					     .ino = maps[i].ino },
			      maps[i].path);
	}
	model_learn_maps(f->model, space, list, len);
	free(list);
}

/* Whether what was read is of the program that was asked about. */
static bool
is_same_program(const struct feed *f, const struct asked_space *a, uint64_t clock_ns)
{
	const struct task *t = model_task_at(f->model, a->task);

	return t->is_used && t->pid == a->pid && t->execs == a->execs &&
	       (t->died_ns == 0 || t->died_ns > clock_ns);
}

/*
 * Asks another process that shares the space: a child that lived for milliseconds must not take its
 * parent's maps with it, and has its parent's.  False if there is none.
 */
static bool
ask_another(struct feed *f, const struct asked_space *a)
{
	const struct model *m = f->model;
	const struct task *t = model_task_at(m, a->task);

	/* Its own reference, and that of the one that was asked. */
	if (a->tries >= OTHERS_MAX || a->space->refs <= 1 + (t->space == a->space))
		return false;
	for (uint32_t id = 1; id < m->task_len; id++) {
		t = model_task_at(m, id);
		if (t->is_used && id != a->task && t->space == a->space && t->died_ns == 0) {
			ask_maps(f, id, a->space, a->since_ns, a->tries + 1);
			return true;
		}
	}
	return false;
}

void
feed_deny_maps(struct feed *f, uint32_t cookie)
{
	size_t i = find_asked(f, cookie);

	if (i < f->asked_len)
		f->asked[i].space->is_denied = true;
}

void
feed_cost_of_maps(struct feed *f, uint32_t cookie, uint64_t took_ns)
{
	size_t i = find_asked(f, cookie);

	if (i < f->asked_len)
		f->asked[i].took_ns = took_ns;
}

/* What was read, and over that what records told: their own order is all that is lost. */
static void
learn_beside_records(struct feed *f, uint32_t task, struct space *space, const struct feed_map *maps,
		     size_t len)
{
	struct map *recorded = mem_calloc(space->len + 1, sizeof(*recorded));
	const bool has_code = space->has_code;
	size_t count = space->len;

	if (count > 0)
		memcpy(recorded, space->maps, count * sizeof(*recorded));
	learn_space(f, task, space, maps, len);
	for (size_t i = 0; i < count; i++)
		space_add(space, &recorded[i]);
	space->has_code |= has_code;
	free(recorded);
}

/*
 * The answer to what @a asked, for what the process became meanwhile.  If that came after the reading, it
 * is asked for anew, or, where this takes too long, is known as well as it can be.
 */
static void
answer_follower(struct feed *f, const struct asked_space *a, const struct feed_map *maps, size_t len,
		uint64_t clock_ns)
{
	struct space *s = a->follower;

	s->is_followed = false;
	if (maps == NULL)
		s->state = SPACE_UNREAD;
	else if (s->changed_ns <= clock_ns)
		learn_space(f, a->task, s, maps, len);
	else if (a->space->again_ns <= clock_ns)
		ask_maps(f, a->task, s, a->since_ns, a->tries);
	else if (a->was_doubtful)
		s->state = SPACE_DOUBTFUL;
	else
		learn_beside_records(f, a->task, s, maps, len);
	s->again_ns = a->space->again_ns;
	if (s->state != SPACE_ASKED)
		feed_count_held(f, s);
	space_put(s);
}

/* No answer comes for it in time. */
static void
lose(struct feed *f, struct space *s)
{
	s->state = SPACE_LOST;
	f->changes++;
	feed_count_held(f, s);
}

void
feed_learn_maps(struct feed *f, uint32_t cookie, const struct feed_map *maps, size_t len,
		uint64_t clock_ns)
{
	size_t i = find_asked(f, cookie);
	struct asked_space a;
	struct task *t;

	if (i == f->asked_len)
		return;
	a = f->asked[i];
	f->asked[i] = f->asked[--f->asked_len];
	t = model_task_at(f->model, a.task);
	if (a.took_ns > DEAR_NS)
		a.space->again_ns = clock_ns + (a.took_ns - DEAR_NS) * DEAR_PART;
	if (maps != NULL && !is_same_program(f, &a, clock_ns))
		maps = NULL;
	if (maps != NULL) {
		learn_space(f, a.task, a.space, maps, len);
		/*
		 * Its own copy, made while the answer was on its way, is answered as well, unless
		 * the change came after the reading.
		 */
		if (t->space != NULL && t->space != a.space && t->space->state == SPACE_UNREAD &&
		    t->space->changed_ns <= clock_ns)
			learn_space(f, a.task, t->space, maps, len);
	} else if (!ask_another(f, &a)) {
		model_learn_maps(f->model, a.space, NULL, 0);
		*(a.space->is_denied ? &f->denied : &f->unmapped) += 1;
	}
	if (a.space->state != SPACE_ASKED)
		feed_count_held(f, a.space);
	if (a.follower != NULL)
		answer_follower(f, &a, maps, len, clock_ns);
	space_put(a.space);
}

void
feed_expire(struct feed *f, uint64_t before_ns)
{
	for (size_t i = 0; i < f->asked_len; i++) {
		struct asked_space *a = &f->asked[i];

		if (a->since_ns >= before_ns || a->space->state != SPACE_ASKED)
			continue;
		lose(f, a->space);
		if (a->follower == NULL)
			continue;
		a->follower->is_followed = false;
		lose(f, a->follower);
		space_put(a->follower);
		a->follower = NULL;
	}
}

void
feed_release_asked(struct feed *f)
{
	for (size_t i = 0; i < f->asked_len; i++) {
		space_put(f->asked[i].space);
		space_put(f->asked[i].follower);
	}
	free(f->asked);
}
