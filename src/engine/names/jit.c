/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that processes make as they run (JIT).  Their perf maps and jitdumps are lent to the reader
 * thread now and then, and the names that it finds are learned.  Lines of a perf map have no times:
 * a new one holds from now on.  Records of a jitdump have: they wait until all samples before them
 * have been counted.
 */
#include "engine/names/names_impl.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/place/jit.h"
#include "runtime/runtime.h"
#include "symbol/jit/jit_reader.h"

#define NO_PLACE "too many processes make code at run time: this one is not followed yet"

enum {
	JITS_MAX = 256,
	QUEUED_MAX = 64 << 10, /* changes; more than that come at once */
	LOOK_MS = 1000,        /* between looks at a perf map, or for a file that is not there */
	AHEAD_MS = 8,          /* jitdumps are read so long before a drain: less than its slack */
	OVER_MS = 2500,        /* after the end of a process: its files may still grow */
	LATE_MS = 3000,
};

struct jit_process {
	uint32_t dso;
	int pid;
	uint32_t uid;                      /* of its user, UID_UNKNOWN: not known */
	struct jit_file *files[JIT_KINDS]; /* NULL: lent, or there is none to read */
	bool is_lent[JIT_KINDS];
	bool is_read[JIT_KINDS];           /* it was found and tells names */
	uint64_t next_ns[JIT_KINDS];
	bool has_dump;                     /* it is mapped: */
	struct symbol_ask dump;            /* with a path of the model's */
	bool is_full;                      /* that not all names are kept was said */
	struct jit_batch queue;            /* of the jitdump, in order; the first are done: */
	size_t queue_at;
	uint64_t over_ns;                  /* since when nobody maps its code, 0: somebody does */
};

static enum jit_kind
other(enum jit_kind kind)
{
	return kind == JIT_DUMP ? JIT_PERF_MAP : JIT_DUMP;
}

static struct jit_process *
jit_of(struct names *nm, uint32_t dso)
{
	for (size_t i = 0; i < nm->jits.len; i++)
		if (nm->jits.items[i].dso == dso)
			return &nm->jits.items[i];
	return NULL;
}

/* The task of the process, if it lives and runs the program that it did; else 0. */
static uint32_t
task_of(const struct names *nm, const struct jit_process *j)
{
	uint32_t task = model_find_task(nm->env->model, j->pid);

	return task != 0 && nm->env->model->tasks[task].code == j->dso ? task : 0;
}

/* @may_come: places go on waiting for their names, as long as they do. */
static void
no_names(struct names *nm, uint32_t dso, const char *reason, const char *remedy, bool may_come)
{
	const struct dso_symbols *s = locations_symbols(nm->env->locations, dso);

	if (s->state == SYMBOLS_FAILED && s->reason == strs_add_str(&nm->env->model->strs, reason))
		return;
	locations_learn_image(nm->env->locations, dso, NULL, reason, remedy);
	jit_set_waiting(nm->env->locations, dso, may_come);
	nm->env->profile->fold_due = true;
	agenda_want(nm->env->agenda, AGENDA_SHOW);
}

static void
lend(struct names *nm, struct jit_process *j, enum jit_kind kind)
{
	if (nm->jits.reader == NULL)
		nm->jits.reader =
			jit_reader_new("/proc", LATE_MS * NSEC_PER_MSEC, nm->env->answers);
	j->files[kind]->recorded_ns = nm->env->policy->written_ns;
	if (!nm->env->policy->has_processes)
		nm->asked_images++; /* the recording is read on when it has come back */
	jit_reader_send(nm->jits.reader, j->files[kind]);
	j->files[kind] = NULL;
	j->is_lent[kind] = true;
}

/* The jitdump that the process maps by now. */
static void
find_dump(struct names *nm, struct jit_process *j)
{
	uint32_t task = task_of(nm, j);
	const struct space *s = task != 0 ? model_space(nm->env->model, task) : NULL;

	for (size_t i = 0; !j->has_dump && s != NULL && i < s->len; i++) {
		const struct map *map = &s->maps[i];
		const struct dso *dso = dsos_get(&nm->env->model->dsos, map->dso);
		struct symbol_ask ask = {
			.kind = SYMBOL_ELF, .pid = nm->env->policy->has_processes ? j->pid : 0,
			.start = map->start, .end = map->end,
			.maj = dso->maj, .min = dso->min, .ino = dso->ino,
			.path = strs_get(&nm->env->model->strs, dso->path),
		};

		if (dso->kind != DSO_JITDUMP)
			continue;
		j->has_dump = true;
		j->dump = ask;
		j->files[JIT_DUMP] = jit_file_new(JIT_DUMP, j->dso, j->pid, &ask);
	}
}

/* Root's part is not bounded, nor that of who looks; nor while it is not known whose it is. */
static bool
is_bounded(uint32_t uid)
{
	return uid != 0 && uid != geteuid() && uid != UID_UNKNOWN;
}

/* Whether there is a place for one more process of @uid: a user has no more than is left for others. */
static bool
has_place(const struct jits *jits, uint32_t uid)
{
	size_t same = 0;

	for (size_t i = 0; i < jits->len; i++)
		same += jits->items[i].uid == uid;
	return jits->len < JITS_MAX && (!is_bounded(uid) || same < JITS_MAX - jits->len);
}

static uint32_t
owner_of(const struct names *nm, uint32_t dso)
{
	const struct model *m = nm->env->model;
	const uint32_t task = model_find_task(m, dsos_get(&m->dsos, dso)->pid);

	return task != 0 ? model_owner(model_task_at(m, task)) : UID_UNKNOWN;
}

void
jit_ask(struct names *nm, const struct image_ask *ask)
{
	const uint32_t uid = owner_of(nm, ask->dso);
	struct jits *jits = &nm->jits;
	struct dso_symbols *s;
	struct jit_process *j;

	if (!nm->env->policy->is_this_host) {
		no_names(nm, ask->dso,
			 nm->env->policy->is_host_known ? "recorded on another machine"
							: "the recording does not say on which machine it was made",
			 "", false);
		return;
	}
	if (!has_place(jits, uid)) {
		jits->has_left_out = true;
		no_names(nm, ask->dso, NO_PLACE, "", false);
		return;
	}
	s = locations_symbols(nm->env->locations, ask->dso);
	if (s->state == SYMBOLS_FAILED) {
		s->state = SYMBOLS_ASKED;
		s->reason = 0;
		jit_set_waiting(nm->env->locations, ask->dso, true);
	}
	j = &VEC_ADD(jits->items, jits->len, jits->cap);
	/* Who is sampled there may be a child that has its parent's code. */
	*j = (struct jit_process){ .dso = ask->dso, .uid = uid,
				  .pid = dsos_get(&nm->env->model->dsos, ask->dso)->pid };
	j->files[JIT_PERF_MAP] = jit_file_new(JIT_PERF_MAP, ask->dso, j->pid, NULL);
	find_dump(nm, j);
	jit_poll(nm, clock_mono_ns());
}

static void
give_up_late(struct names *nm)
{
	enum jit_kind kind;
	struct jit_process *j;
	uint32_t dso;

	if (nm->jits.reader == NULL || !jit_reader_give_up(nm->jits.reader, &kind, &dso))
		return;
	j = jit_of(nm, dso);
	if (j == NULL)
		return;
	j->is_lent[kind] = false;
	nm->asked_images -= !nm->env->policy->has_processes;
	if (!j->is_read[other(kind)])
		no_names(nm, dso, "the file system of its perf map does not answer", "", false);
}

/* One that is read: it has to be read before the samples are. */
static bool
is_followed_dump(const struct jit_file *f)
{
	return f != NULL && f->kind == JIT_DUMP && f->fd >= 0;
}

uint64_t
names_due_ns(const struct names *nm)
{
	const uint64_t ahead_ns = AHEAD_MS * NSEC_PER_MSEC;

	if (nm->jits.looked_for_ns == nm->env->agenda->next_drain_ns)
		return UINT64_MAX;
	for (size_t i = 0; i < nm->jits.len; i++)
		if (is_followed_dump(nm->jits.items[i].files[JIT_DUMP]))
			return nm->env->agenda->next_drain_ns -
			       MIN(nm->env->agenda->next_drain_ns, ahead_ns);
	return UINT64_MAX;
}

/* Of a recording: a jitdump is read on when its records up to here have been applied. */
static bool
is_due_in_replay(const struct jit_process *j, enum jit_kind kind)
{
	return j->files[kind] != NULL && (kind == JIT_PERF_MAP || j->queue.len == 0);
}

static bool
is_due(const struct names *nm, const struct jit_process *j, enum jit_kind kind, uint64_t now_ns,
       bool is_ahead)
{
	if (!nm->env->policy->has_processes)
		return is_due_in_replay(j, kind);
	if (is_followed_dump(j->files[kind]))
		return is_ahead;
	return j->files[kind] != NULL && j->next_ns[kind] <= now_ns;
}

void
jit_poll(struct names *nm, uint64_t now_ns)
{
	bool is_ahead = now_ns >= names_due_ns(nm);

	if (is_ahead)
		nm->jits.looked_for_ns = nm->env->agenda->next_drain_ns;
	for (size_t i = 0; i < nm->jits.len; i++) {
		struct jit_process *j = &nm->jits.items[i];

		for (enum jit_kind k = 0; k < JIT_KINDS; k++)
			if (is_due(nm, j, k, now_ns, is_ahead))
				lend(nm, j, k);
	}
	give_up_late(nm);
}

void
names_look_for_map(struct names *nm, int pid)
{
	for (size_t i = 0; i < nm->jits.len; i++)
		if (nm->jits.items[i].pid == pid)
			nm->jits.items[i].next_ns[JIT_PERF_MAP] = 0;
	jit_poll(nm, clock_mono_ns());
}

bool
jit_is_settled(const struct names *nm)
{
	return nm->jits.reader == NULL || jit_reader_is_idle(nm->jits.reader);
}

/* Which runtime made the code: by the files that the process maps, else by its name. */
static const struct runtime *
runtime_of(const struct names *nm, const struct jit_process *j)
{
	const struct model *m = nm->env->model;
	const uint32_t task = task_of(nm, j);
	const struct space *s = task != 0 ? model_space(nm->env->model, task) : NULL;
	const struct runtime *found = NULL;

	for (size_t i = 0; s != NULL && i < s->len; i++) {
		const struct dso *dso = dsos_get(&m->dsos, s->maps[i].dso);
		const struct runtime *r = NULL;

		if (dso->kind == DSO_FILE)
			r = runtime_of_file(strs_get(&m->strs, dso->path));
		if (r != NULL && (found == NULL || r < found))
			found = r;
	}
	return found != NULL ? found
			     : runtime_of_comm(strs_get(&m->strs, model_task_at(m, task)->comm));
}

/* Why there are no names, and what would mend it; nothing is said while there are. */
static void
tell_reason(struct names *nm, const struct jit_process *j, const struct jit_file *f)
{
	struct dso_symbols *s = locations_symbols(nm->env->locations, j->dso);
	const struct runtime *r;
	struct buf remedy = { 0 };
	bool is_asked;

	if (j->is_read[JIT_PERF_MAP] || j->is_read[JIT_DUMP]) {
		s->state = SYMBOLS_READY;
		return;
	}
	if (j->is_lent[other(f->kind)])
		return;
	/* Of the two, a jitdump that cannot be used says more than a map that is not there. */
	if (s->state == SYMBOLS_FAILED && f->err.code == ERR_GONE)
		return;
	r = runtime_of(nm, j);
	is_asked = nm->env->config->name_jit && r != NULL && r->means != RUNTIME_BY_FLAG;
	buf_add_str(&remedy, f->err.hint);
	if (remedy.len == 0 && f->err.code == ERR_GONE)
		runtime_put_remedy(&remedy, r, j->pid, nm->env->policy->has_processes);
	no_names(nm, j->dso, f->err.text, buf_str(&remedy), is_asked);
	if (is_asked)
		nm->env->agenda->next_beat_ns = 0; /* who tells the front end need not wait */
	buf_release(&remedy);
}

/* One change; that not all names are kept is said once of each process. */
static void
learn(struct names *nm, struct jit_process *j, const struct jit_batch *b, const struct jit_change *c)
{
	const enum jit_learned whose =
		jit_learn(nm->env->locations, j->dso, c, b->names.data + c->name);

	if (whose == JIT_LEARNED || j->is_full)
		return;
	j->is_full = true;
	jit_tell_full(nm, j->dso, whose);
}

static void
learn_owner(struct names *nm, struct jit_process *j, const struct jit_file *f)
{
	if (f->owner.pid_count == 0)
		return;
	j->uid = f->owner.uid;
	if (is_bounded(j->uid))
		jit_set_user(nm->env->locations, j->dso, j->uid);
}

bool
names_change_by_time(const void *names)
{
	const struct names *nm = names;

	for (size_t i = 0; i < nm->jits.len; i++)
		if (nm->jits.items[i].has_dump)
			return true;
	return false;
}

/* Names have come: what waited for them has them, and what was remembered of addresses is void. */
static void
learned(struct names *nm, const struct jit_process *j)
{
	if (jit_settle(nm->env->locations, j->dso) > 0)
		nm->env->profile->fold_due = true;
	model_code_changed(nm->env->model, j->dso);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
}

static void
learn_map(struct names *nm, struct jit_process *j, const struct jit_file *f)
{
	for (size_t i = 0; i < f->changes.len; i++)
		learn(nm, j, &f->changes, &f->changes.items[i]);
	if (f->changes.len > 0)
		learned(nm, j);
}

/* A file that tells times of the future, or none that can be used, tells of now. */
static void
queue_dump(struct names *nm, struct jit_process *j, const struct jit_file *f)
{
	const bool is_live = nm->env->policy->has_processes;
	uint64_t now_ns = is_live ? f->read_ns : nm->env->clock->counted_to_ns;

	for (size_t i = 0; i < f->changes.len; i++) {
		struct jit_change c = f->changes.items[i];

		if (c.time_ns == 0 || !nm->env->policy->has_jit_times ||
		    (is_live && c.time_ns > now_ns))
			c.time_ns = now_ns;
		if (nm->jits.queued >= QUEUED_MAX)
			names_apply(nm, UINT64_MAX);
		if (jit_batch_is_full(&j->queue))
			names_apply(nm, UINT64_MAX);
		jit_batch_add(&j->queue, &c, f->changes.names.data + f->changes.items[i].name,
			      c.name_len);
		nm->jits.queued++;
	}
	if (is_live)
		names_apply(nm, nm->env->clock->counted_to_ns);
	else
		names_go_on(nm, now_ns);
}

uint64_t
names_horizon_ns(const void *names, uint64_t limit_ns)
{
	const struct names *nm = names;
	uint64_t next_ns = limit_ns;

	if (nm->jits.queued == 0)
		return limit_ns;
	for (size_t i = 0; i < nm->jits.len; i++) {
		const struct jit_process *j = &nm->jits.items[i];

		for (size_t k = j->queue_at; k < j->queue.len; k++) {
			const struct jit_change *c = &j->queue.items[k];

			if (c->time_ns >= next_ns)
				break;
			if (jit_replaces(nm->env->locations, j->dso, c)) {
				next_ns = c->time_ns;
				break;
			}
		}
	}
	return next_ns;
}

void
names_apply(void *names, uint64_t until_ns)
{
	struct names *nm = names;

	for (size_t i = 0; nm->jits.queued > 0 && i < nm->jits.len; i++) {
		struct jit_process *j = &nm->jits.items[i];
		size_t before = j->queue_at, done;

		for (; j->queue_at < j->queue.len; j->queue_at++) {
			const struct jit_change *c = &j->queue.items[j->queue_at];

			if (c->time_ns > until_ns)
				break;
			learn(nm, j, &j->queue, c);
		}
		done = j->queue_at - before;
		nm->jits.queued -= done;
		if (j->queue_at == j->queue.len) {
			jit_batch_release(&j->queue);
			j->queue_at = 0;
		}
		if (done > 0)
			learned(nm, j);
	}
}

/* From now on it tells names. */
static void
begin_file(struct names *nm, struct jit_process *j, const struct jit_file *f)
{
	struct dso_symbols *s = locations_symbols(nm->env->locations, j->dso);

	s->reason = s->remedy = 0;
	j->is_read[f->kind] = true;
	jit_set_waiting(nm->env->locations, j->dso, true);
	if (f->kind == JIT_DUMP && !nm->env->policy->has_jit_times)
		notes_news(nm->env->notes, "the jitdump of process %d has other times than the "
			   "recording: what it says last is taken for all of it (record with "
			   "-k mono)", j->pid);
}

/* Its end, or a rule that it does not keep. */
static void
end_file(struct names *nm, struct jit_process *j, struct jit_file *f)
{
	static const char *const names[JIT_KINDS] = { "perf map", "jitdump" };

	notes_news(nm->env->notes, "the %s of process %d: %s", names[f->kind], j->pid, f->err.text);
	if (!j->is_read[f->kind])
		tell_reason(nm, j, f);
	jit_file_free(f);
}

void
names_go_on(void *names, uint64_t now_ns)
{
	struct names *nm = names;
	uint64_t next_ns;

	if (nm->jits.len == 0)
		return;
	names_apply(nm, now_ns);
	/* What comes where nothing is can as well be there now. */
	next_ns = names_horizon_ns(nm, UINT64_MAX);
	names_apply(nm, next_ns == UINT64_MAX ? next_ns : next_ns - 1);
	jit_poll(nm, 0);
}

void
names_end_recording(void *names)
{
	struct names *nm = names;

	for (size_t i = 0; i < nm->jits.len; i++)
		jit_set_waiting(nm->env->locations, nm->jits.items[i].dso, false);
	nm->env->profile->fold_due |= nm->jits.len > 0;
}

/* Of a recording: each look goes on where the last one ended, and there is no other after that. */
static void
keep_recorded(struct names *nm, struct jit_process *j, struct jit_file *f)
{
	tell_reason(nm, j, f);
	if (f->has_more) {
		j->files[f->kind] = f;
		jit_poll(nm, 0);
		return;
	}
	jit_file_free(f);
	if (!j->is_read[JIT_DUMP] && !j->is_lent[JIT_DUMP])
		jit_set_waiting(nm->env->locations, j->dso, false);
	nm->env->profile->fold_due = true;
}

enum part_reply
jit_on_file(void *names, struct msg *msg)
{
	struct jit_file *f = (struct jit_file *)msg;
	struct names *nm = names;
	struct jit_process *j = jit_of(nm, f->dso);

	jit_reader_took(nm->jits.reader);
	if (j == NULL)
		return PART_DONE;
	j->is_lent[f->kind] = false;
	nm->asked_images -= !nm->env->policy->has_processes;
	learn_owner(nm, j, f);
	if (f->fd >= 0 && !f->is_over && !j->is_read[f->kind])
		begin_file(nm, j, f);
	if (f->kind == JIT_DUMP)
		queue_dump(nm, j, f);
	else
		learn_map(nm, j, f);
	jit_batch_release(&f->changes);
	if (f->is_over) {
		end_file(nm, j, f);
		return PART_KEEPS;
	}
	if (!nm->env->policy->has_processes) {
		keep_recorded(nm, j, f);
		return PART_KEEPS;
	}
	tell_reason(nm, j, f);
	j->next_ns[f->kind] = clock_mono_ns() + LOOK_MS * NSEC_PER_MSEC;
	j->files[f->kind] = f;
	if (f->has_more)
		lend(nm, j, f->kind);
	return PART_KEEPS;
}

/* Nobody that lives can run its code, and its files had their time to be read to the end. */
static bool
is_over(const struct names *nm, struct jit_process *j, uint64_t now_ns)
{
	uint32_t task = task_of(nm, j);

	if (task != 0 && nm->env->model->tasks[task].died_ns == 0)
		j->over_ns = 0;
	else if (model_has_code(nm->env->model, j->dso))
		j->over_ns = 0;
	else if (j->over_ns == 0)
		j->over_ns = now_ns;
	return j->over_ns != 0 && now_ns - j->over_ns > OVER_MS * NSEC_PER_MSEC;
}

static void
free_jit(struct names *nm, struct jit_process *j)
{
	nm->jits.queued -= j->queue.len - j->queue_at;
	for (enum jit_kind k = 0; k < JIT_KINDS; k++)
		jit_file_free(j->files[k]);
	jit_batch_release(&j->queue);
}

/* Its names stay with what was counted; those of processes that ended long ago become one dso. */
static void
end_jit(struct names *nm, struct jit_process *j)
{
	uint32_t *slot = &nm->jits.ended[nm->jits.ended_len++ % ARRAY_SIZE(nm->jits.ended)];

	jit_end(nm->env->locations, j->dso);
	if (*slot != 0)
		jit_merge(nm->env->locations, *slot);
	*slot = j->dso;
	nm->env->profile->fold_due = true;
	free_jit(nm, j);
	*j = nm->jits.items[--nm->jits.len];
}

/* Those for which there was no place, and that still make code, if there is one now. */
static void
ask_left_out(struct names *nm)
{
	struct locations *l = nm->env->locations;
	const uint32_t reason = strs_add_str(&nm->env->model->strs, NO_PLACE);

	nm->jits.has_left_out = false;
	for (uint32_t dso = 0; dso < l->symbols_cap; dso++) {
		if (l->symbols[dso].reason != reason)
			continue;
		if (!has_place(&nm->jits, owner_of(nm, dso)))
			nm->jits.has_left_out = true;
		else if (model_has_code(nm->env->model, dso)) /* which looks at all tasks */
			jit_ask(nm, &(struct image_ask){ .dso = dso });
	}
}

void
jit_beat(struct names *nm, uint64_t now_ns)
{
	for (size_t i = nm->jits.len; i-- > 0;) {
		struct jit_process *j = &nm->jits.items[i];

		if (is_over(nm, j, now_ns)) {
			end_jit(nm, j);
			continue;
		}
		find_dump(nm, j);
		if (jit_age(nm->env->locations, j->dso) > 0)
			nm->env->profile->fold_due = true;
	}
	if (nm->jits.has_left_out)
		ask_left_out(nm);
}

bool
jit_dump_of(const struct names *nm, uint32_t dso, struct symbol_ask *a)
{
	const struct jit_process *j = jit_of((struct names *)(uintptr_t)nm, dso);

	if (j == NULL || !j->has_dump || !j->is_read[JIT_DUMP])
		return false;
	*a = j->dump;
	a->dso = dso;
	return true;
}

int
jit_pid_of(const struct names *nm, uint32_t dso)
{
	const struct jit_process *j = jit_of((struct names *)(uintptr_t)nm, dso);

	return j != NULL ? j->pid : 0;
}

void
jit_free_all(struct names *nm)
{
	jit_reader_free(nm->jits.reader);
	for (size_t i = 0; i < nm->jits.len; i++)
		free_jit(nm, &nm->jits.items[i]);
	free(nm->jits.items);
}
