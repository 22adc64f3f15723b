/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw records, kept for the flight recorder and written as perf.data.  What sampling tells is in
 * them; engine_record_state.c puts the rest among them.  So a round, behind which readers will
 * have sorted and counted its samples, waits for what is on its way.
 */
#include "engine/engine_impl.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"

enum { ROUND_PATIENCE_MS = 1500 };

static void
keep_history(struct engine *e)
{
	const struct history_keys keys = { &e->layouts, engine_record_event_of, e };

	if (e->record.history == NULL)
		e->record.history = history_new(e->config->history_bytes, &keys);
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
	engine_record_put_events(e, r);
	return r;
}

/* Ends the active one: what was drained so far is its last. */
void
engine_record_end(struct engine *e)
{
	struct recording *rec = &e->record;

	if (rec->active == NULL)
		return;
	engine_record_add_learned(e);
	history_seal(rec->history);
	history_set_sink(rec->history, NULL, NULL);
	if (!rec->is_kernel_told)
		engine_record_put_kernel(e, rec->active, true);
	engine_record_put_build_ids(e, rec->active);
	recorder_close(rec->active);
	rec->active = NULL;
}

static int
record_on(struct engine *e, const char *path, unsigned how, struct err *err)
{
	struct recording *rec = &e->record;
	struct recorder *r = begin(e, path, how, err);

	if (r == NULL)
		return -1;
	engine_record_end(e);
	keep_history(e);
	history_seal(rec->history);
	gains_restart(&e->gains);
	engine_record_put_state(e, r, 0);
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
	struct recorder *r;

	if (h != NULL)
		history_seal(h); /* which forgets what is too much */
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
	engine_record_put_state(e, r, history_since(h));
	engine_record_put_kernel(e, r, true);
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next)
		recorder_chunk(r, c);
	engine_record_put_build_ids(e, r);
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

	if (r->history == NULL)
		return;
	engine_record_add_leaving(e, rec);
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
	engine_record_add_learned(e);
	if (rec->active == NULL)
		return;
	history_seal(rec->history);
	if (!rec->is_kernel_told)
		rec->is_kernel_told = engine_record_put_kernel(e, rec->active, false);
	if (rec->round_since_ns == 0)
		rec->round_since_ns = now;
	if ((e->feed.asked_len > 0 || e->asked_comms > 0 || !rec->is_kernel_told) &&
	    now - rec->round_since_ns < ROUND_PATIENCE_MS * NSEC_PER_MSEC)
		return;
	recorder_round(rec->active);
	rec->round_since_ns = 0;
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

/* What is measured goes on, and is missing in the file. */
static void
count_missing(void *self, struct history_chunk *c)
{
	struct recording *rec = self;

	rec->missing += c->samples;
}

static void
keep_failure(struct recording *rec, const struct recorder_ended_msg *m)
{
	if (rec->err.code != ERR_NONE)
		return;
	rec->err = m->err;
	if (!m->is_made)
		return;
	rec->failed_path = mem_strdup(m->path);
	rec->written = m->samples;
	rec->missing = recorder_missing(m);
	if (m->recorder == rec->active)
		history_set_sink(rec->history, count_missing, rec);
}

/* Of what goes on it is known only at the end how much is missing. */
static void
tell_failure(struct engine *e, const struct recorder_ended_msg *m)
{
	char missing[64] = "";

	if (m->is_made && m->recorder != e->record.active)
		snprintf(missing, sizeof(missing), "; %llu samples are not in it",
			 (unsigned long long)recorder_missing(m));
	engine_send_status(e, true, "the recording ends here: %s%s%s%s", m->err.text,
			   *m->err.hint ? "; " : "", m->err.hint, missing);
}

void
engine_take_recorder_ended(struct engine *e, struct recorder_ended_msg *m)
{
	struct recording *rec = &e->record;

	if (m->recorder == rec->active)
		history_set_sink(rec->history, NULL, NULL);
	if (m->err.code != ERR_NONE) {
		rec->is_told |= rec->err.code == ERR_NONE;
		keep_failure(rec, m);
		tell_failure(e, m);
	} else {
		engine_note(e, "written: %s, %llu samples, %.1f MiB%s", m->path,
			    (unsigned long long)m->samples, (double)m->bytes / (1 << 20),
			    m->lost > 0 ? ", some lost: the disk was too slow" : "");
	}
	if (m->recorder == rec->active)
		rec->active = NULL;
	forget_recorder(e, m->recorder);
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

/* Their last messages: what was told before is known. */
static void
take_last_messages(struct engine *e)
{
	struct msg *m;

	while ((m = queue_take(e->in)) != NULL) {
		struct recorder_ended_msg *ended = (struct recorder_ended_msg *)m;

		if (m->type == RECORDER_MSG_ENDED && ended->err.code != ERR_NONE)
			keep_failure(&e->record, ended);
		engine_free_msg(m);
	}
}

/* How much is missing; why, and what to do, was told when it ended. */
static void
describe_failure(const struct recording *rec, struct err *err)
{
	*err = rec->err;
	if (rec->failed_path == NULL || (rec->missing == 0 && !rec->is_told))
		return;
	err_set(err, ERR_IO, rec->err.sys, "'%s' is not whole: %llu of %llu samples are not in it",
		rec->failed_path, (unsigned long long)rec->missing,
		(unsigned long long)(rec->missing + rec->written));
	if (!rec->is_told)
		err_hint(err, "%s", rec->err.hint);
}

int
engine_record_finish(struct engine *e, struct err *err)
{
	struct recording *rec = &e->record;
	int res;

	engine_record_end(e);
	if (rec->history != NULL)
		history_seal(rec->history);
	for (size_t i = 0; i < rec->count; i++)
		recorder_wait(rec->all[i]);
	take_last_messages(e);
	for (size_t i = 0; i < rec->count; i++)
		recorder_free(rec->all[i]);
	if (rec->err.code != ERR_NONE && err != NULL)
		describe_failure(rec, err);
	res = rec->err.code != ERR_NONE ? -1 : 0;
	history_free(rec->history);
	free(rec->build_ids);
	free(rec->failed_path);
	*rec = (struct recording){ 0 };
	return res;
}
