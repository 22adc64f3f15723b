/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw records, kept for the flight recorder and written as perf.data.  What sampling tells is in
 * the records; what was there before it, and is learned by and by from /proc, is put among them
 * with the time 0, which readers apply as soon as they come to it.  So a round, behind which they
 * will have sorted and counted its samples, waits for what is on its way.
 */
#include "app/engine_impl.h"
#include "app/kernel_records.h"
#include "app/running_kernel.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/clock.h"
#include "record/encode.h"

enum {
	STACKS_KEY = 1 << 16, /* of events with copies of stacks, plus their number */
	ROUND_PATIENCE_MS = 1500,
	KERNEL_BYTES = 32 << 20, /* of its code, as long as its symbols do not tell */
};

static void
keep_history(struct engine *e)
{
	if (e->record.history == NULL)
		e->record.history = history_new(e->config->history_bytes, &e->layout);
}

/* Puts encoded records among those of the rings. */
static void
add_records(struct engine *e, const struct buf *b)
{
	for (size_t at = 0; at < b->len;) {
		struct perf_event_header head;

		memcpy(&head, b->data + at, sizeof(head));
		history_add(e->record.history,
			    (struct bytes){ (const uint8_t *)b->data + at, head.size });
		at += head.size;
	}
}

/* As a map record names what it is of; NULL: no record would. */
static const char *
map_name(const struct engine *e, const struct dso *dso)
{
	switch (dso->kind) {
	case DSO_FILE:
	case DSO_JITDUMP:
		return strs_get(&e->model->strs, dso->path);
	case DSO_VDSO:
	case DSO_VDSO32:
		return "[vdso]";
	case DSO_VSYSCALL:
		return "[vsyscall]";
	case DSO_ANON:
		return "//anon";
	case DSO_UNKNOWN:
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
		return NULL;
	}
	return NULL;
}

static void
encode_maps(const struct engine *e, const struct task *t, struct buf *b)
{
	for (size_t i = 0; t->space != NULL && i < t->space->len; i++) {
		const struct map *map = &t->space->maps[i];
		const struct dso *dso = dsos_get(&e->model->dsos, map->dso);
		struct record_mmap m = {
			.pid = (uint32_t)t->pid, .tid = (uint32_t)t->pid,
			.start = map->start, .len = map->end - map->start, .pgoff = map->pgoff,
			.maj = dso->maj, .min = dso->min, .ino = dso->ino,
			.ino_generation = dso->ino_generation,
			.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
			.name = map_name(e, dso),
		};

		if (m.name != NULL)
			record_encode_mmap2(b, &e->layout, &m);
	}
}

static void
encode_comm(const struct engine *e, const struct task *t, struct buf *b)
{
	if (t->comm != 0 && t->tid > 0)
		record_encode_comm(b, &e->layout, t->pid, t->tid,
				   strs_get(&e->model->strs, t->comm));
}

static bool
is_process(const struct engine *e, uint32_t id)
{
	const struct task *t = model_task_at(e->model, id);

	return t->is_used && t->process == id && t->pid > 0;
}

/*
 * Names and maps as they were at @since_ns, 0: as they are now.  What changed after that is told by
 * the records themselves, or was not known before.
 */
static void
encode_state(const struct engine *e, uint64_t since_ns, struct buf *b)
{
	uint64_t last_ns = since_ns != 0 ? since_ns : UINT64_MAX;

	for (uint32_t id = 1; id < e->model->task_len; id++) {
		const struct task *t = model_task_at(e->model, id);

		if (!t->is_used || t->born_ns > last_ns || (since_ns == 0 && t->died_ns != 0))
			continue;
		if (t->named_ns <= last_ns)
			encode_comm(e, t, b);
		if (is_process(e, id) && t->exec_ns <= last_ns)
			encode_maps(e, t, b);
	}
	kernel_records_put_told(b, &e->layout, e->model, last_ns);
}

/* To the active recorder, once, as soon as it is known; @is_last: nothing more will be. */
static void
tell_kernel(struct engine *e, bool is_last)
{
	const struct dso_symbols *s = locations_symbols(&e->locations, DSO_ID_KERNEL);
	struct record_mmap m = { .len = KERNEL_BYTES, .name = KERNEL_RECORD_NAME };
	struct buf b = { 0 };

	if (s->state != SYMBOLS_READY && s->state != SYMBOLS_FAILED && !is_last)
		return;
	if (s->state == SYMBOLS_READY) {
		kernel_records_put_list(&b, &e->layout, s->image, &e->model->ksymbols);
	} else {
		m.start = m.pgoff = running_kernel_text();
		if (m.start != 0)
			record_encode_kernel_mmap(&b, &e->layout, &m);
	}
	recorder_records(e->record.active, b.data, b.len);
	buf_release(&b);
	e->record.is_kernel_told = true;
}

static void
tell_build_ids(struct engine *e, struct recorder *r)
{
	uint8_t id[BUILD_ID_MAX];
	size_t len = running_kernel_build_id(id);

	if (len > 0)
		recorder_build_id(r, true, "[kernel.kallsyms]", id, len);
	for (uint32_t i = DSO_ID_FIRST_FILE; i < e->record.build_id_cap; i++) {
		const struct build_id *b = &e->record.build_ids[i];

		if (b->len > 0)
			recorder_build_id(r, false, strs_get(&e->model->strs,
							     dsos_get(&e->model->dsos, i)->path),
					  b->id, b->len);
	}
}

/* The values that samples carry are no task's own there: see engine_values.c. */
static void
tell_event(const struct engine *e, struct recorder *r, uint32_t n)
{
	struct event_attr attr = e->events[n].attr;

	if (attr.sample_type & PERF_SAMPLE_READ)
		attr.inherit = attr.inherit_thread = 0;
	recorder_event(r, n, e->events[n].spec.name, &attr);
}

/* The same event to readers, by its name. */
static void
tell_stacks(const struct engine *e, struct recorder *r, uint32_t n)
{
	const struct engine_event *ev = &e->events[n];

	if (ev->stacks_attr.size != 0)
		recorder_event(r, STACKS_KEY + n, ev->spec.name, &ev->stacks_attr);
}

/* An event with those that it leads behind it: so readers know a group. */
static void
tell_group(const struct engine *e, struct recorder *r, uint32_t leader)
{
	uint32_t keys[EVENTS_MAX];
	size_t len = 0;

	for (uint32_t n = leader; n != UINT32_MAX; n = engine_next_member(e, n)) {
		const struct engine_event *ev = &e->events[n];

		if (ev->attr.size == 0)
			continue;
		tell_event(e, r, n);
		/* What begins by itself could not be opened with its leader. */
		if (n == leader || !ev->attr.disabled)
			keys[len++] = n;
	}
	if (len > 1 && keys[0] == leader)
		recorder_group(r, keys, len);
}

static void
tell_events(struct engine *e, struct recorder *r)
{
	recorder_event(r, RECORDER_SIDEBAND, "dummy:u", session_sideband_attr(e->session));
	for (uint32_t n = 0; n < e->event_count; n++)
		if (e->events[n].leader == n)
			tell_group(e, r, n);
	for (uint32_t n = 0; n < e->event_count; n++)
		tell_stacks(e, r, n);
	for (size_t i = 0; i < e->id_len; i++) {
		const struct engine_id *id = &e->ids[i];

		recorder_id(r, id->stacks != 0 ? STACKS_KEY + id->event : id->event, id->id);
	}
}

/* What /proc has told since the last time goes among the records. */
static void
add_learned(struct engine *e)
{
	struct model *m = e->model;
	struct buf b = { 0 };

	if (!m->has_untold)
		return;
	m->has_untold = false;
	for (uint32_t id = 1; id < m->task_len; id++) {
		const struct task *t = model_task_at(m, id);

		if (t->is_used && t->is_untold)
			encode_comm(e, t, &b);
		if (is_process(e, id) && t->space != NULL && t->space->is_untold)
			encode_maps(e, t, &b);
	}
	/* Some share a space: each of them is told. */
	for (uint32_t id = 1; id < m->task_len; id++) {
		struct task *t = model_task_at(m, id);

		t->is_untold = false;
		if (is_process(e, id) && t->space != NULL)
			t->space->is_untold = false;
	}
	add_records(e, &b);
	buf_release(&b);
}

static void
take_sealed(void *self, struct history_chunk *c)
{
	recorder_chunk(self, c);
}

/* A recorder that knows all but the records. */
static struct recorder *
begin(struct engine *e, const char *path, unsigned how, struct err *err)
{
	struct recording *rec = &e->record;
	struct recorder *r;

	if (rec->count == RECORDERS_MAX) {
		err_set(err, ERR_LIMIT, 0, "%d recordings are being written", RECORDERS_MAX);
		return NULL;
	}
	if (e->config->compress)
		how |= RECORDER_COMPRESSES;
	r = recorder_new(path, how, &e->layout, &e->env, e->in, err);
	if (r == NULL)
		return NULL;
	rec->all[rec->count++] = r;
	tell_events(e, r);
	return r;
}

/* Ends the active one: what was drained so far is its last. */
void
engine_record_end(struct engine *e)
{
	struct recording *rec = &e->record;

	if (rec->active == NULL)
		return;
	add_learned(e);
	history_seal(rec->history);
	history_set_sink(rec->history, NULL, NULL);
	if (!rec->is_kernel_told)
		tell_kernel(e, true);
	tell_build_ids(e, rec->active);
	recorder_close(rec->active);
	rec->active = NULL;
}

static int
record_on(struct engine *e, const char *path, unsigned how, struct err *err)
{
	struct recording *rec = &e->record;
	struct recorder *r = begin(e, path, how, err);
	struct buf b = { 0 };

	if (r == NULL)
		return -1;
	engine_record_end(e);
	keep_history(e);
	history_seal(rec->history);
	gains_restart(&e->gains);
	encode_state(e, 0, &b);
	recorder_records(r, b.data, b.len);
	buf_release(&b);
	rec->active = r;
	rec->is_kernel_told = false;
	rec->round_since_ns = 0;
	history_set_sink(rec->history, take_sealed, r);
	return 0;
}

static int
record_past(struct engine *e, const char *path, struct err *err)
{
	struct history *h = e->record.history;
	struct recorder *r, *active = e->record.active;
	bool was_told = e->record.is_kernel_told;
	struct buf b = { 0 };

	if (h == NULL || e->config->history_bytes == 0 || history_since(h) == 0) {
		err_set(err, ERR_GONE, 0, "the flight recorder holds no samples");
		return err_hint(err, "--history gives it room");
	}
	r = begin(e, path, 0, err);
	if (r == NULL)
		return -1;
	if (e->gains.len > 0)
		engine_note(e, "in %s the first samples of :S also count for what was before them",
			    path);
	history_seal(h);
	encode_state(e, history_since(h), &b);
	recorder_records(r, b.data, b.len);
	buf_release(&b);
	e->record.active = r;
	tell_kernel(e, true);
	e->record.active = active;
	e->record.is_kernel_told = was_told;
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next)
		recorder_chunk(r, c);
	tell_build_ids(e, r);
	recorder_close(r);
	return 0;
}

int
engine_record_begin(struct engine *e, struct err *err)
{
	unsigned how = RECORDER_NOW;

	if (session_scope(e->session) == SESSION_NONE) {
		if (e->config->record == NULL)
			return 0;
		return err_set(err, ERR_DENIED, 0, "nothing can be sampled here, nor recorded");
	}
	if (e->config->history_bytes > 0)
		keep_history(e);
	if (e->config->record == NULL)
		return 0;
	how |= e->config->force ? RECORDER_OVERWRITES : 0;
	return record_on(e, e->config->record, how, err);
}

void
engine_record_add(struct engine *e, const struct record *rec, struct bytes bytes)
{
	struct recording *r = &e->record;
	const struct task *t;
	struct buf b = { 0 };
	uint32_t id;

	if (r->history == NULL)
		return;
	if (rec->type != PERF_RECORD_LOST && rec->type != PERF_RECORD_LOST_SAMPLES)
		engine_learn_sideband_id(e, rec->id.id);
	/* What it had is forgotten soon, and may not be among the records that are still held. */
	if (rec->type == PERF_RECORD_EXIT && rec->task.pid == rec->task.tid) {
		id = model_find_task(e->model, (int)rec->task.tid);
		t = model_task_at(e->model, id);
		if (id != 0 && MAX(t->born_ns, t->exec_ns) < history_since(r->history)) {
			encode_comm(e, t, &b);
			encode_maps(e, t, &b);
			add_records(e, &b);
			buf_release(&b);
		}
	}
	history_add(r->history, bytes);
}

void
engine_record_sample(struct engine *e, struct bytes bytes, uint64_t tag, uint64_t time_ns)
{
	if (e->record.history != NULL)
		history_add_sample(e->record.history, bytes, tag, time_ns);
}

/*
 * The kernel writes -1 for a task that is dying: other readers cannot know who that was.  The
 * record says it in the file.
 */
static void
add_dying(struct engine *e, const struct record *rec, struct bytes bytes)
{
	const struct task *t = model_task_at(
		e->model, model_sample_task(e->model, -1, -1, rec->id.cpu));
	const uint32_t ids[2] = { (uint32_t)t->pid, (uint32_t)t->tid };
	struct buf b = { 0 };

	buf_add(&b, bytes.data, bytes.len);
	memcpy(b.data + e->layout.sample_time_at - sizeof(ids), ids, sizeof(ids));
	history_add_sample(e->record.history, (struct bytes){ (const uint8_t *)b.data, b.len }, 0,
			   rec->id.time_ns);
	buf_release(&b);
}

void
engine_record_new_sample(struct engine *e, const struct record *rec, struct bytes bytes,
			 uint64_t tag)
{
	if (e->record.history != NULL && (int)rec->id.tid == -1)
		add_dying(e, rec, bytes);
	else
		engine_record_sample(e, bytes, tag, rec->id.time_ns);
}

void
engine_record_drained(struct engine *e)
{
	struct recording *rec = &e->record;
	uint64_t now = clock_mono_ns();

	if (rec->history == NULL)
		return;
	add_learned(e);
	if (rec->active == NULL)
		return;
	history_seal(rec->history);
	if (!rec->is_kernel_told)
		tell_kernel(e, false);
	if (rec->round_since_ns == 0)
		rec->round_since_ns = now;
	if ((e->feed.asked_len > 0 || e->asked_comms > 0 || !rec->is_kernel_told) &&
	    now - rec->round_since_ns < ROUND_PATIENCE_MS * NSEC_PER_MSEC)
		return;
	recorder_round(rec->active);
	rec->round_since_ns = 0;
}

void
engine_record_opened(struct engine *e, uint32_t n)
{
	if (e->record.active != NULL)
		tell_group(e, e->record.active, n);
}

void
engine_record_id(struct engine *e, uint32_t event, uint64_t id)
{
	if (e->record.active != NULL)
		recorder_id(e->record.active, event, id);
}

void
engine_record_stacks(struct engine *e, uint32_t event)
{
	if (e->record.active != NULL)
		tell_stacks(e, e->record.active, event);
}

void
engine_record_stacks_id(struct engine *e, uint32_t event, uint64_t id)
{
	engine_record_id(e, STACKS_KEY + event, id);
}

void
engine_record_build_id(struct engine *e, uint32_t dso, const uint8_t *id, size_t len)
{
	struct recording *rec = &e->record;
	size_t old = rec->build_id_cap;

	if (rec->history == NULL || len == 0 || len > BUILD_ID_MAX)
		return;
	vec_reserve(&rec->build_ids, &rec->build_id_cap, dso + 1, sizeof(*rec->build_ids));
	if (rec->build_id_cap > old)
		memset(rec->build_ids + old, 0, (rec->build_id_cap - old) * sizeof(*rec->build_ids));
	memcpy(rec->build_ids[dso].id, id, len);
	rec->build_ids[dso].len = (uint8_t)len;
}

void
engine_record_command(struct engine *e, enum record_what what, const char *path)
{
	struct err err = { 0 };
	int res = 0;

	if (e->file != NULL) {
		engine_send_status(e, true, "this is a recording already: copy its file");
		return;
	}
	if (session_scope(e->session) == SESSION_NONE) {
		engine_send_status(e, true, "nothing is sampled, so there is nothing to write: ! shows why");
		return;
	}
	switch (what) {
	case RECORD_PAST:
		res = record_past(e, path, &err);
		break;
	case RECORD_ON:
		res = record_on(e, path, 0, &err);
		if (res == 0)
			engine_note(e, "recording to %s from now on: w ends it", path);
		break;
	case RECORD_STOP:
		if (e->record.active == NULL)
			engine_send_status(e, false, "nothing is being recorded");
		engine_record_end(e);
		break;
	}
	if (res < 0)
		engine_send_status(e, true, "%s%s%s", err.text, *err.hint ? "; " : "", err.hint);
}

static void
forget_recorder(struct engine *e, struct recorder *r)
{
	struct recording *rec = &e->record;

	for (size_t i = 0; i < rec->count; i++)
		if (rec->all[i] == r)
			rec->all[i] = rec->all[--rec->count];
	recorder_free(r);
}

void
engine_take_recorder_ended(struct engine *e, struct recorder_ended_msg *m)
{
	struct recording *rec = &e->record;

	if (m->recorder == rec->active) {
		history_set_sink(rec->history, NULL, NULL);
		rec->active = NULL;
	}
	forget_recorder(e, m->recorder);
	if (m->err.code != ERR_NONE && rec->err.code == ERR_NONE)
		rec->err = m->err;
	if (m->err.code != ERR_NONE)
		engine_send_status(e, true, "the recording ends here: %s%s%s", m->err.text,
				   *m->err.hint ? "; " : "", m->err.hint);
	else
		engine_note(e, "written: %s, %llu samples, %.1f MiB%s", m->path,
			    (unsigned long long)m->samples, (double)m->bytes / (1 << 20),
			    m->lost > 0 ? ", some lost: the disk was too slow" : "");
}

void
engine_record_head(const struct engine *e, struct snapshot *s)
{
	uint64_t since = e->record.history != NULL ? history_since(e->record.history) : 0;

	if (since != 0 && e->config->history_bytes > 0 && e->drained_to_ns > since)
		s->head.history_s = (double)(e->drained_to_ns - since) / 1e9;
	if (e->record.active != NULL) {
		s->head.is_recording = true;
		s->head.recorded_bytes = recorder_bytes(e->record.active);
	}
}

int
engine_record_finish(struct engine *e, struct err *err)
{
	struct recording *rec = &e->record;
	struct msg *m;
	int res;

	engine_record_end(e);
	for (size_t i = 0; i < rec->count; i++)
		recorder_free(rec->all[i]);
	/* Their last messages: what was told before is known. */
	while ((m = queue_take(e->in)) != NULL) {
		struct recorder_ended_msg *ended = (struct recorder_ended_msg *)m;

		if (m->type == RECORDER_MSG_ENDED && ended->err.code != ERR_NONE &&
		    rec->err.code == ERR_NONE)
			rec->err = ended->err;
		engine_free_msg(m);
	}
	if (rec->err.code != ERR_NONE && err != NULL)
		*err = rec->err;
	res = rec->err.code != ERR_NONE ? -1 : 0;
	history_free(rec->history);
	free(rec->build_ids);
	*rec = (struct recording){ 0 };
	return res;
}
