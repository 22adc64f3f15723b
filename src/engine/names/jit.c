/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that processes make as they run: perf maps and jitdumps are lent to the reader now and then,
 * and what it finds becomes names.  A perf map tells no times: what is new is there from now on.  A
 * jitdump does: its changes are kept until all samples before them have been counted.
 */
#include "engine/engine_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "profile/place/jit.h"
#include "symbol/jit/jit_runtime.h"

enum {
	JITS_MAX = 256,
	QUEUED_MAX = 64 << 10, /* changes; more than that come at once */
	LOOK_MS = 1000,        /* between looks at a perf map, or for a file that is not there */
	AHEAD_MS = 8,          /* of a drain: less than what that leaves for the next */
	OVER_MS = 2500,        /* after the end of a process: its files may still grow */
	LATE_MS = 3000,
};

struct engine_jit {
	uint32_t dso;
	int pid;
	struct jit_file *files[JIT_KINDS]; /* NULL: lent, or there is none to read */
	bool is_lent[JIT_KINDS];
	bool is_read[JIT_KINDS];           /* it was found and tells names */
	uint64_t next_ns[JIT_KINDS];
	bool has_dump;                     /* it is mapped */
	bool is_full;                      /* told */
	struct jit_batch queue;            /* of the jitdump, in order; the first are done: */
	size_t queue_at;
	uint64_t over_ns;                  /* since when nobody maps its code, 0: somebody does */
};

static enum jit_kind
other(enum jit_kind kind)
{
	return kind == JIT_DUMP ? JIT_PERF_MAP : JIT_DUMP;
}

static struct engine_jit *
jit_of(struct engine *e, uint32_t dso)
{
	for (size_t i = 0; i < e->jits.len; i++)
		if (e->jits.items[i].dso == dso)
			return &e->jits.items[i];
	return NULL;
}

/* The task of the process, if it lives and runs the program that it did; else 0. */
static uint32_t
task_of(const struct engine *e, const struct engine_jit *j)
{
	uint32_t task = model_find_task(e->model, j->pid);

	return task != 0 && e->model->tasks[task].code == j->dso ? task : 0;
}

static void
no_names(struct engine *e, uint32_t dso, const char *reason, const char *remedy)
{
	const struct dso_symbols *s = locations_symbols(&e->locations, dso);

	if (s->state == SYMBOLS_FAILED && s->reason == strs_add_str(&e->model->strs, reason))
		return;
	locations_learn_image(&e->locations, dso, NULL, reason, remedy);
	jit_set_waiting(&e->locations, dso, false);
	e->profile->fold_due = e->changed = true;
}

static void
lend(struct engine *e, struct engine_jit *j, enum jit_kind kind)
{
	if (e->jits.reader == NULL)
		e->jits.reader = jit_reader_new("/proc", LATE_MS * NSEC_PER_MSEC, e->in);
	if (e->file != NULL) {
		j->files[kind]->recorded_ns = e->replay.until_real_ns;
		e->asked_images++; /* the recording is read on when it has come back */
	}
	jit_reader_send(e->jits.reader, j->files[kind]);
	j->files[kind] = NULL;
	j->is_lent[kind] = true;
}

/* The jitdump that the process maps by now. */
static void
find_dump(struct engine *e, struct engine_jit *j)
{
	uint32_t task = task_of(e, j);
	const struct space *s = task != 0 ? model_space(e->model, task) : NULL;

	for (size_t i = 0; !j->has_dump && s != NULL && i < s->len; i++) {
		const struct map *map = &s->maps[i];
		const struct dso *dso = dsos_get(&e->model->dsos, map->dso);
		struct symbol_ask ask = {
			.kind = SYMBOL_ELF, .pid = e->file == NULL ? j->pid : 0,
			.start = map->start, .end = map->end,
			.maj = dso->maj, .min = dso->min, .ino = dso->ino,
			.path = strs_get(&e->model->strs, dso->path),
		};

		if (dso->kind != DSO_JITDUMP)
			continue;
		j->has_dump = true;
		j->files[JIT_DUMP] = jit_file_new(JIT_DUMP, j->dso, j->pid, &ask);
	}
}

void
engine_jit_ask(struct engine *e, const struct image_ask *ask)
{
	struct engine_jits *jits = &e->jits;
	struct engine_jit *j;

	if (e->file != NULL && !e->replay.is_this_host) {
		no_names(e, ask->dso, "recorded on another machine", "");
		return;
	}
	if (jits->len == JITS_MAX) {
		no_names(e, ask->dso,
				    "too many processes make code: others are followed", "");
		return;
	}
	vec_reserve(&jits->items, &jits->cap, jits->len + 1, sizeof(*jits->items));
	j = &jits->items[jits->len++];
	/* Who is sampled there may be a child that has its parent's code. */
	*j = (struct engine_jit){ .dso = ask->dso,
				  .pid = dsos_get(&e->model->dsos, ask->dso)->pid };
	j->files[JIT_PERF_MAP] = jit_file_new(JIT_PERF_MAP, ask->dso, j->pid, NULL);
	find_dump(e, j);
	engine_jit_poll(e, clock_mono_ns());
}

static void
give_up_late(struct engine *e)
{
	enum jit_kind kind;
	struct engine_jit *j;
	uint32_t dso;

	if (e->jits.reader == NULL || !jit_reader_give_up(e->jits.reader, &kind, &dso))
		return;
	j = jit_of(e, dso);
	if (j == NULL)
		return;
	j->is_lent[kind] = false;
	e->asked_images -= e->file != NULL;
	if (!j->is_read[other(kind)])
		no_names(e, dso, "the file system of its perf map does not answer", "");
}

/* One that is read: it has to be read before the samples are. */
static bool
is_followed_dump(const struct jit_file *f)
{
	return f != NULL && f->kind == JIT_DUMP && f->fd >= 0;
}

uint64_t
engine_jit_due_ns(const struct engine *e)
{
	const uint64_t ahead_ns = AHEAD_MS * NSEC_PER_MSEC;

	if (e->jits.looked_for_ns == e->next_drain_ns)
		return UINT64_MAX;
	for (size_t i = 0; i < e->jits.len; i++)
		if (is_followed_dump(e->jits.items[i].files[JIT_DUMP]))
			return e->next_drain_ns - MIN(e->next_drain_ns, ahead_ns);
	return UINT64_MAX;
}

/* One of a recording: a jitdump tells on when what it told has had its time. */
static bool
is_due_in_replay(const struct engine_jit *j, enum jit_kind kind)
{
	return j->files[kind] != NULL && (kind == JIT_PERF_MAP || j->queue.len == 0);
}

static bool
is_due(const struct engine *e, const struct engine_jit *j, enum jit_kind kind, uint64_t now_ns,
       bool is_ahead)
{
	if (e->file != NULL)
		return is_due_in_replay(j, kind);
	if (is_followed_dump(j->files[kind]))
		return is_ahead;
	return j->files[kind] != NULL && j->next_ns[kind] <= now_ns;
}

void
engine_jit_poll(struct engine *e, uint64_t now_ns)
{
	bool is_ahead = now_ns >= engine_jit_due_ns(e);

	if (is_ahead)
		e->jits.looked_for_ns = e->next_drain_ns;
	for (size_t i = 0; i < e->jits.len; i++) {
		struct engine_jit *j = &e->jits.items[i];

		for (enum jit_kind k = 0; k < JIT_KINDS; k++)
			if (is_due(e, j, k, now_ns, is_ahead))
				lend(e, j, k);
	}
	give_up_late(e);
}

void
engine_jit_hurry(struct engine *e)
{
	engine_jit_poll(e, UINT64_MAX);
}

bool
engine_jit_is_settled(const struct engine *e)
{
	return e->jits.reader == NULL || jit_reader_is_idle(e->jits.reader);
}

/* Why there are no names, and what would mend it; nothing is said while there are. */
static void
tell_reason(struct engine *e, const struct engine_jit *j, const struct jit_file *f)
{
	const struct task *task = model_task_at(e->model, task_of(e, j));
	struct dso_symbols *s = locations_symbols(&e->locations, j->dso);
	char remedy[sizeof(f->err.hint)];

	if (j->is_read[JIT_PERF_MAP] || j->is_read[JIT_DUMP]) {
		s->state = SYMBOLS_READY;
		return;
	}
	if (j->is_lent[other(f->kind)])
		return;
	snprintf(remedy, sizeof(remedy), "%s", f->err.hint);
	if (*remedy == '\0' && f->err.code == ERR_GONE)
		jit_runtime_remedy(strs_get(&e->model->strs, task->comm), j->pid, remedy,
				   sizeof(remedy));
	/* Of the two, a jitdump that cannot be used says more than a map that is not there. */
	if (s->state == SYMBOLS_FAILED && f->err.code == ERR_GONE)
		return;
	no_names(e, j->dso, f->err.text, remedy);
}

/* One change; what is too much is said once. */
static void
learn(struct engine *e, struct engine_jit *j, const struct jit_batch *b, const struct jit_change *c)
{
	if (jit_learn(&e->locations, j->dso, c, b->names.data + c->name) || j->is_full)
		return;
	j->is_full = true;
	engine_note(e, "process %d makes more code than names are kept of", j->pid);
}

bool
engine_jit_has_times(const struct engine *e)
{
	for (size_t i = 0; i < e->jits.len; i++)
		if (e->jits.items[i].has_dump)
			return true;
	return false;
}

/* Names have come: what waited for them has them, and what was remembered of addresses is void. */
static void
learned(struct engine *e, const struct engine_jit *j)
{
	if (jit_settle(&e->locations, j->dso) > 0)
		e->profile->fold_due = true;
	model_code_changed(e->model, j->dso);
	e->changed = true;
}

static void
learn_map(struct engine *e, struct engine_jit *j, const struct jit_file *f)
{
	for (size_t i = 0; i < f->batch.len; i++)
		learn(e, j, &f->batch, &f->batch.items[i]);
	if (f->batch.len > 0)
		learned(e, j);
}

/* Whether the times of a jitdump are those of samples. */
static bool
is_same_clock(const struct engine *e)
{
	const struct datafile_event *events;
	size_t count;

	if (e->file == NULL)
		return true;
	events = datafile_events(e->file, &count);
	return count > 0 && events[0].attr.use_clockid && events[0].attr.clockid == CLOCK_MONOTONIC;
}

/* A file that tells times of the future, or none that can be used, tells of now. */
static void
queue_dump(struct engine *e, struct engine_jit *j, const struct jit_file *f)
{
	uint64_t now_ns = e->file == NULL ? f->read_ns : e->replay.now_ns;
	bool has_times = is_same_clock(e);

	for (size_t i = 0; i < f->batch.len; i++) {
		struct jit_change c = f->batch.items[i];

		if (c.time_ns == 0 || !has_times || (e->file == NULL && c.time_ns > now_ns))
			c.time_ns = now_ns;
		if (e->jits.queued >= QUEUED_MAX)
			engine_jit_apply(e, UINT64_MAX);
		if (jit_batch_is_full(&j->queue))
			engine_jit_apply(e, UINT64_MAX);
		jit_batch_add(&j->queue, &c, f->batch.names.data + f->batch.items[i].name,
			      c.name_len);
		e->jits.queued++;
	}
	if (e->file != NULL)
		engine_jit_replay(e, now_ns);
	else
		engine_jit_apply(e, e->drained_to_ns);
}

uint64_t
engine_jit_next_ns(const struct engine *e, uint64_t limit_ns)
{
	uint64_t next_ns = limit_ns;

	if (e->jits.queued == 0)
		return limit_ns;
	for (size_t i = 0; i < e->jits.len; i++) {
		const struct engine_jit *j = &e->jits.items[i];

		for (size_t k = j->queue_at; k < j->queue.len; k++) {
			const struct jit_change *c = &j->queue.items[k];

			if (c->time_ns >= next_ns)
				break;
			if (jit_replaces(&e->locations, j->dso, c)) {
				next_ns = c->time_ns;
				break;
			}
		}
	}
	return next_ns;
}

void
engine_jit_apply(struct engine *e, uint64_t until_ns)
{
	for (size_t i = 0; e->jits.queued > 0 && i < e->jits.len; i++) {
		struct engine_jit *j = &e->jits.items[i];
		size_t before = j->queue_at, done;

		for (; j->queue_at < j->queue.len; j->queue_at++) {
			const struct jit_change *c = &j->queue.items[j->queue_at];

			if (c->time_ns > until_ns)
				break;
			learn(e, j, &j->queue, c);
		}
		done = j->queue_at - before;
		e->jits.queued -= done;
		if (j->queue_at == j->queue.len) {
			jit_batch_release(&j->queue);
			j->queue_at = 0;
		}
		if (done > 0)
			learned(e, j);
	}
}

/* From now on it tells names. */
static void
begin_file(struct engine *e, struct engine_jit *j, const struct jit_file *f)
{
	struct dso_symbols *s = locations_symbols(&e->locations, j->dso);

	s->reason = s->remedy = 0;
	j->is_read[f->kind] = true;
	jit_set_waiting(&e->locations, j->dso, true);
	if (f->kind == JIT_DUMP && !is_same_clock(e))
		engine_note(e, "the jitdump of process %d has other times than the recording: what "
			       "it says last is taken for all of it (record with -k mono)", j->pid);
}

/* Its end, or a rule that it does not keep. */
static void
end_file(struct engine *e, struct engine_jit *j, struct jit_file *f)
{
	static const char *const names[JIT_KINDS] = { "perf map", "jitdump" };

	engine_note(e, "the %s of process %d: %s", names[f->kind], j->pid, f->err.text);
	if (!j->is_read[f->kind])
		tell_reason(e, j, f);
	jit_file_free(f);
}

void
engine_jit_replay(struct engine *e, uint64_t now_ns)
{
	uint64_t next_ns;

	if (e->jits.len == 0)
		return;
	engine_jit_apply(e, now_ns);
	/* What comes where nothing is can as well be there now. */
	next_ns = engine_jit_next_ns(e, UINT64_MAX);
	engine_jit_apply(e, next_ns == UINT64_MAX ? next_ns : next_ns - 1);
	e->replay.next_due_ns = MIN(e->replay.next_beat_ns, next_ns);
	engine_jit_poll(e, 0);
}

void
engine_jit_replayed(struct engine *e)
{
	for (size_t i = 0; i < e->jits.len; i++)
		jit_set_waiting(&e->locations, e->jits.items[i].dso, false);
	e->profile->fold_due |= e->jits.len > 0;
}

/* Of a recording: each look goes on where the last one ended, and there is no other after that. */
static void
keep_recorded(struct engine *e, struct engine_jit *j, struct jit_file *f)
{
	tell_reason(e, j, f);
	if (f->has_more) {
		j->files[f->kind] = f;
		engine_jit_poll(e, 0);
		return;
	}
	jit_file_free(f);
	if (!j->is_read[JIT_DUMP] && !j->is_lent[JIT_DUMP])
		jit_set_waiting(&e->locations, j->dso, false);
	e->profile->fold_due = true;
}

void
engine_jit_take(struct engine *e, struct jit_file *f)
{
	struct engine_jit *j = jit_of(e, f->dso);

	jit_reader_took(e->jits.reader);
	if (j == NULL) {
		jit_file_free(f);
		return;
	}
	j->is_lent[f->kind] = false;
	e->asked_images -= e->file != NULL;
	if (f->fd >= 0 && !f->is_over && !j->is_read[f->kind])
		begin_file(e, j, f);
	if (f->kind == JIT_DUMP)
		queue_dump(e, j, f);
	else
		learn_map(e, j, f);
	jit_batch_release(&f->batch);
	if (f->is_over) {
		end_file(e, j, f);
		return;
	}
	if (e->file != NULL) {
		keep_recorded(e, j, f);
		return;
	}
	tell_reason(e, j, f);
	j->next_ns[f->kind] = clock_mono_ns() + LOOK_MS * NSEC_PER_MSEC;
	j->files[f->kind] = f;
	if (f->has_more)
		lend(e, j, f->kind);
}

/* Nobody that lives can run its code, and its files had their time to be read to the end. */
static bool
is_over(const struct engine *e, struct engine_jit *j, uint64_t now_ns)
{
	uint32_t task = task_of(e, j);

	if (task != 0 && e->model->tasks[task].died_ns == 0)
		j->over_ns = 0;
	else if (model_has_code(e->model, j->dso))
		j->over_ns = 0;
	else if (j->over_ns == 0)
		j->over_ns = now_ns;
	return j->over_ns != 0 && now_ns - j->over_ns > OVER_MS * NSEC_PER_MSEC;
}

static void
free_jit(struct engine *e, struct engine_jit *j)
{
	e->jits.queued -= j->queue.len - j->queue_at;
	for (enum jit_kind k = 0; k < JIT_KINDS; k++)
		jit_file_free(j->files[k]);
	jit_batch_release(&j->queue);
}

/* Its names stay with what was counted; those of processes that ended long ago become one dso. */
static void
end_jit(struct engine *e, struct engine_jit *j)
{
	uint32_t *slot = &e->jits.ended[e->jits.ended_len++ % ARRAY_SIZE(e->jits.ended)];

	jit_end(&e->locations, j->dso);
	if (*slot != 0)
		jit_merge(&e->locations, *slot);
	*slot = j->dso;
	e->profile->fold_due = true;
	free_jit(e, j);
	*j = e->jits.items[--e->jits.len];
}

void
engine_jit_beat(struct engine *e, uint64_t now_ns)
{
	for (size_t i = e->jits.len; i-- > 0;) {
		struct engine_jit *j = &e->jits.items[i];

		if (is_over(e, j, now_ns)) {
			end_jit(e, j);
			continue;
		}
		find_dump(e, j);
		if (jit_age(&e->locations, j->dso) > 0)
			e->profile->fold_due = true;
	}
}

void
engine_jit_release(struct engine *e)
{
	jit_reader_free(e->jits.reader);
	for (size_t i = 0; i < e->jits.len; i++)
		free_jit(e, &e->jits.items[i]);
	free(e->jits.items);
}
