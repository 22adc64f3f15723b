/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw records, kept for the flight recorder and written as perf.data.  What sampling tells is in
 * them; known_state.c puts the rest among them.  So a round, behind which readers will
 * have sorted and counted its samples, waits for what is on its way.
 */
#include "engine/recording/recording_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/pages.h"
#include "engine/leaf/engine_msg.h"
#include "view/snapshot.h"

#define MINUTE_NS (60 * NSEC_PER_SEC) /* so much before and after a change */

enum { ROUND_PATIENCE_MS = 1500, COMMAND_PATIENCE_MS = 2000 };

static void
keep_history(struct recording *rg)
{
	const struct history_keys keys = { sample_ids_layouts(rg->ids), known_state_event_of, rg };

	if (rg->history == NULL)
		rg->history = history_new(rg->config->history_bytes, &keys);
}

/* A recorder that knows all but the records.  @about: what it is of; "": no change. */
static struct recorder *
begin(struct recording *rg, const char *path, unsigned how, const char *about, struct err *err)
{
	struct recorder *r;

	if (rg->count == RECORDERS_MAX) {
		err_set(err, ERR_LIMIT, 0, "%d recordings are being written", RECORDERS_MAX);
		return NULL;
	}
	if (rg->config->compress)
		how |= RECORDER_COMPRESSES;
	r = recorder_new(path, how, rg->layout, rg->events, rg->answers, err);
	if (r == NULL)
		return NULL;
	rg->all[rg->count].recorder = r;
	rg->all[rg->count++].about = mem_strdup(about);
	known_state_put_events(rg, r);
	known_state_put_kernel_build_id(r);
	return r;
}

/* Ends the active one: what was drained so far is its last. */
void
recording_end(struct recording *rg)
{
	if (rg->active == NULL)
		return;
	known_state_add_learned(rg);
	history_seal(rg->history);
	history_set_sink(rg->history, NULL, NULL);
	written_losses_put(rg);
	if (!rg->is_kernel_written)
		known_state_put_kernel(rg, rg->active, true);
	known_state_put_build_ids(rg, rg->active);
	recorder_close(rg->active);
	rg->active = NULL;
}

static int
record_on(struct recording *rg, const char *path, unsigned how, struct err *err)
{
	struct recorder *r = begin(rg, path, how, "", err);

	if (r == NULL)
		return -1;
	recording_end(rg);
	keep_history(rg);
	history_seal(rg->history);
	gains_restart(&rg->gains);
	known_state_put(rg, r, 0);
	written_losses_begin(rg);
	rg->active = r;
	rg->is_kernel_written = false;
	rg->round_since_ns = rg->round_ns = 0;
	history_set_sink(rg->history, recorder_take_chunk, r);
	return 0;
}

/* Of a file of the past: samples of that time. */
struct stretch {
	uint64_t from_ns, to_ns; /* 0 and UINT64_MAX: of all */
	bool is_own;             /* RECORD_OWN */
	const char *about;       /* the change that it is around; "": it is none */
};

static void
put_history(const struct recording *rg, const struct stretch *of, struct recorder *r)
{
	if (of->to_ns != UINT64_MAX) {
		history_put_stretch(rg->history, sample_ids_layouts(rg->ids), rg->layout, of->from_ns,
				    of->to_ns, recorder_take_chunk, r);
		return;
	}
	for (struct history_chunk *c = history_first(rg->history); c != NULL; c = c->next)
		recorder_chunk(r, c);
}

/* @past NULL: of the flight recorder. */
static int
write_past(struct recording *rg, const struct past *past, const struct stretch *of, const char *path,
	   struct err *err)
{
	const unsigned how = RECORDER_WHOLE | (of->is_own ? RECORDER_OWN : 0);
	const struct history *h = rg->history;
	uint64_t since_ns = 0;
	struct recorder *r;

	if (h != NULL && rg->config->history_bytes > 0)
		since_ns = past != NULL ? past_since(past) : history_since(h);
	if (since_ns == 0) {
		err_set(err, ERR_GONE, 0, "the flight recorder holds no samples");
		return err_hint(err, "--history gives it room");
	}
	if (since_ns >= of->to_ns)
		return err_set(err, ERR_GONE, 0, "the flight recorder does not reach back to that change");
	r = begin(rg, path, how, of->about, err);
	if (r == NULL)
		return -1;
	if (since_ns > of->from_ns && of->to_ns != UINT64_MAX)
		notes_keep(rg->notes, "%s: the flight recorder reaches back to %.0f s after the minute's begin",
			   path, (double)(since_ns - of->from_ns) / 1e9);
	if (rg->gains.len > 0)
		notes_keep(rg->notes, "%s: the first samples of groups with :S also count what was before them",
			    path);
	known_state_put(rg, r, since_ns);
	known_state_put_kernel(rg, r, true);
	if (past != NULL)
		past_put(rg, past, r);
	else
		put_history(rg, of, r);
	known_state_put_build_ids(rg, r);
	recorder_close(r);
	return 0;
}

static int
record_past(struct recording *rg, const struct stretch *of, const char *path, struct err *err)
{
	struct past past;
	int res;

	if (rg->history != NULL)
		history_seal(rg->history); /* which forgets what is too much */
	if (!rg->config->overwrite)
		return write_past(rg, NULL, of, path, err);
	past_read(rg, &past);
	past_cut(&past, of->from_ns, of->to_ns);
	res = write_past(rg, &past, of, path, err);
	past_release(&past);
	return res;
}

/* The minute after it may be still to come. */
static int
record_change(struct recording *rg, const struct recording_around *around, const char *path,
	      struct err *err)
{
	const uint64_t at_ns = around->at_ns, now_ns = MAX(stream_clock_now_ns(rg->clock), at_ns);
	struct stretch minutes = { at_ns - MIN(at_ns, MINUTE_NS), at_ns + MINUTE_NS, false, "" };
	struct buf about = { 0 };
	int res;

	buf_add_str(&about, around->text);
	if (now_ns < minutes.to_ns)
		buf_addf(&about, ", %llu s after it so far",
			 (unsigned long long)((now_ns - at_ns) / NSEC_PER_SEC));
	minutes.about = buf_str(&about);
	res = record_past(rg, &minutes, path, err);
	buf_release(&about);
	return res;
}

static void
carry_out(struct recording *rg, enum record_what what, const char *path,
	  const struct recording_around *around)
{
	const struct stretch all = { 0, UINT64_MAX, what == RECORD_OWN, "" };
	struct err err = { 0 };
	int res = 0;

	switch (what) {
	case RECORD_PAST:
	case RECORD_OWN:
		res = record_past(rg, &all, path, &err);
		break;
	case RECORD_CHANGE:
		res = record_change(rg, around, path, &err);
		break;
	case RECORD_ON:
		res = record_on(rg, path, 0, &err);
		if (res == 0)
			fate_tell_begun(rg->notes, path);
		break;
	case RECORD_STOP:
		if (rg->active == NULL)
			notes_say(rg->notes, "nothing is being recorded");
		recording_end(rg);
		break;
	}
	if (res < 0)
		fate_tell_refused(rg->notes, what, &err);
}

int
recording_begin(struct recording *rg, struct err *err)
{
	unsigned how = RECORDER_NOW;

	if (session_scope(rg->session) == SESSION_NONE) {
		if (rg->config->record == NULL)
			return 0;
		return err_set(err, ERR_DENIED, 0, "nothing can be sampled here, nor recorded");
	}
	if (rg->config->history_bytes > 0)
		keep_history(rg);
	if (rg->config->record == NULL)
		return 0;
	how |= rg->config->force ? RECORDER_OVERWRITES : 0;
	return record_on(rg, rg->config->record, how, err);
}

/*
 * Readers hold what is younger than the round before the last.  A sample that waits to be unwound
 * must not be older than that when it comes, however late.
 */
static bool
may_end_round(const struct recording *rg, uint64_t now)
{
	if (rg->waits_since <= rg->round_ns)
		return false;
	return (!rg->waits(rg->waits_self) && rg->is_kernel_written) ||
	       now - rg->round_since_ns >= ROUND_PATIENCE_MS * NSEC_PER_MSEC;
}

static void
step_round(struct recording *rg, uint64_t now)
{
	history_seal(rg->history);
	if (!rg->is_kernel_written)
		rg->is_kernel_written = known_state_put_kernel(rg, rg->active, false);
	if (rg->round_since_ns == 0)
		rg->round_since_ns = now;
	if (!may_end_round(rg, now))
		return;
	recorder_round(rg->active);
	rg->round_ns = now;
	rg->round_since_ns = 0;
}

static void
forget_command(struct recording *rg)
{
	free(rg->command.path);
	free(rg->command.around);
	rg->command.path = rg->command.around = NULL;
}

/* A command that waits is carried out, @always or when what it waits for is there. */
static void
carry_out_waiting(struct recording *rg, uint64_t now, bool always)
{
	const struct recording_around around = { rg->command.around_ns, rg->command.around };
	const uint64_t since_ns = rg->command.since_ns;

	if (since_ns == 0 || (!always && rg->waits_since <= since_ns &&
			      now - since_ns < COMMAND_PATIENCE_MS * NSEC_PER_MSEC))
		return;
	rg->command.since_ns = 0;
	carry_out(rg, rg->command.what, rg->command.path, &around);
	forget_command(rg);
}

static void
end_run(void *recording, uint64_t waits_since)
{
	struct recording *rg = recording;
	uint64_t now = clock_mono_ns();

	if (rg->history == NULL)
		return;
	rg->waits_since = rg->config->raw_stacks ? UINT64_MAX : waits_since;
	known_state_add_learned(rg);
	carry_out_waiting(rg, now, false);
	if (rg->active != NULL)
		step_round(rg, now);
}

static const struct intake_sink sink = {
	.sample = kept_add_sample,
	.knows = kept_knows,
	.repeat = kept_add_repeat,
	.knows_look = kept_knows_look,
	.repeat_look = kept_add_repeated_look,
	.values = kept_add_values,
	.unwound = kept_add_unwound,
	.other = kept_add_other,
	.drained = end_run,
};

/* An event was opened, with its group. */
static void
tell_opened(void *recording, uint32_t leader)
{
	struct recording *rg = recording;

	known_state_learn_group(rg, leader);
	if (rg->active != NULL)
		known_state_put_group(rg, rg->active, leader);
}

/* Its attributes with copies of stacks are known. */
static void
tell_copies(void *recording, uint32_t event)
{
	struct recording *rg = recording;

	known_state_learn_copies(rg, event);
	if (rg->active != NULL)
		known_state_put_events(rg, rg->active);
}

const struct sampling_observer recording_events = {
	.opened = tell_opened,
	.copies = tell_copies,
};

static void
learn_build_id(void *recording, uint32_t dso, const uint8_t *id, size_t len)
{
	struct recording *rg = recording;

	if (rg->history == NULL || len == 0 || len > BUILD_ID_MAX)
		return;
	vec_reserve_zeroed(&rg->build_ids, &rg->build_id_cap, dso + 1, sizeof(*rg->build_ids));
	memcpy(rg->build_ids[dso].id, id, len);
	rg->build_ids[dso].len = (uint8_t)len;
}

static void
learn_maps(void *recording, const struct proc_maps_msg *m)
{
	struct recording *rg = recording;

	if (rg->history != NULL)
		known_state_add_data(rg, m);
}

static void
forget_kernel(void *recording)
{
	((struct recording *)recording)->is_kernel_written = false;
}

const struct names_observer recording_names = {
	.build_id = learn_build_id,
	.maps = learn_maps,
	.kernel = forget_kernel,
};

/* What it is to have, but a new file, may be still to come. */
void
recording_command(struct recording *rg, enum record_what what, const char *path,
		  const struct recording_around *around)
{
	struct err err = { 0 };

	if (rg->policy->no_recording != NULL)
		err_set(&err, ERR_UNSUPPORTED, 0, "%s", rg->policy->no_recording);
	else if (session_scope(rg->session) == SESSION_NONE)
		err_set(&err, ERR_GONE, 0, "nothing is being sampled, so there is nothing to write: ! shows why");
	if (err.code != ERR_NONE) {
		fate_tell_refused(rg->notes, what, &err);
		return;
	}
	carry_out_waiting(rg, 0, true);
	if (what == RECORD_ON || rg->waits_since == UINT64_MAX) {
		carry_out(rg, what, path, around);
		return;
	}
	rg->command.what = what;
	rg->command.around_ns = around->at_ns;
	rg->command.around = around->text != NULL ? mem_strdup(around->text) : NULL;
	rg->command.path = path != NULL ? mem_strdup(path) : NULL;
	rg->command.since_ns = clock_mono_ns();
}

/* Of the one at @i in all[]. */
static void
forget_recorder(struct recording *rg, size_t i)
{
	recorder_free(rg->all[i].recorder);
	free(rg->all[i].about);
	rg->all[i] = rg->all[--rg->count];
}

/* What is measured goes on, and is missing in the file. */
static void
count_missing(void *self, struct history_chunk *c)
{
	fate_count_missing(self, c->samples);
}

static enum part_reply
take_ended(void *recording, struct msg *msg)
{
	const struct recorder_ended_msg *m = (const struct recorder_ended_msg *)msg;
	struct recording *rg = recording;
	const bool is_active = m->recorder == rg->active;
	size_t i = 0;

	while (rg->all[i].recorder != m->recorder)
		i++;
	if (is_active)
		history_set_sink(rg->history, NULL, NULL);
	fate_tell_ended(&rg->fate, rg->notes, m, rg->all[i].about, is_active);
	if (fate_keep(&rg->fate, m) && is_active)
		history_set_sink(rg->history, count_missing, &rg->fate);
	if (is_active)
		rg->active = NULL;
	forget_recorder(rg, i);
	return PART_DONE;
}

static void
put_head(const void *recording, struct snapshot *s)
{
	const struct recording *rg = recording;
	uint64_t since = rg->history != NULL ? history_since(rg->history) : 0;

	if (rg->config->overwrite && session_past_bytes(rg->session) > 0)
		s->head.history_s = -1;
	else if (since != 0 && rg->config->history_bytes > 0 && rg->clock->counted_to_ns > since)
		s->head.history_s = (double)(rg->clock->counted_to_ns - since) / 1e9;
	if (rg->active != NULL) {
		s->head.is_recording = true;
		s->head.recorded_bytes = recorder_bytes(rg->active);
	}
}

/* Their last messages: what was told before is known. */
static void
take_last_messages(struct recording *rg, void (*free_msg)(struct msg *m))
{
	struct msg *m;

	while ((m = queue_take(rg->answers)) != NULL) {
		if (m->type == RECORDER_MSG_ENDED)
			fate_keep(&rg->fate, (struct recorder_ended_msg *)m);
		free_msg(m);
	}
}

int
recording_finish(struct recording *rg, void (*free_msg)(struct msg *m), struct err *err)
{
	carry_out_waiting(rg, 0, true);
	recording_end(rg);
	if (rg->history != NULL)
		history_seal(rg->history);
	for (size_t i = 0; i < rg->count; i++)
		recorder_wait(rg->all[i].recorder);
	take_last_messages(rg, free_msg);
	while (rg->count > 0)
		forget_recorder(rg, 0);
	return fate_describe(&rg->fate, err);
}

static void *
make(const struct engine_env *env)
{
	struct recording *rg = mem_calloc(1, sizeof(*rg));

	rg->config = env->config;
	rg->events = env->events;
	rg->policy = env->policy;
	rg->notes = env->notes;
	rg->clock = env->clock;
	rg->measured = env->measured;
	rg->ids = env->ids;
	rg->layout = env->layout;
	rg->model = env->model;
	rg->locations = env->locations;
	rg->session = env->session;
	rg->answers = env->answers;
	rg->waits_since = UINT64_MAX;
	return rg;
}

void
recording_set_patience(struct recording *rg, bool (*waits)(const void *self), const void *self)
{
	rg->waits = waits;
	rg->waits_self = self;
}

static void
release(void *recording)
{
	struct recording *rg = recording;

	if (!pages_are_left(rg->config->owns_process))
		history_free(rg->history);
	buf_release(&rg->unwound);
	known_looks_release(&rg->looks);
	forget_command(rg);
	free(rg->attrs);
	gains_release(&rg->gains);
	free(rg->build_ids);
	fate_release(&rg->fate);
	free(rg);
}

static size_t
history_held(const void *recording)
{
	const struct recording *rg = recording;

	return (rg->history != NULL ? history_bytes(rg->history) : 0) +
	       session_past_bytes(rg->session);
}

static size_t
history_bound(const void *recording)
{
	const struct engine_config *c = ((const struct recording *)recording)->config;

	return (size_t)c->history_bytes * (c->overwrite ? 2 : 1);
}

static size_t
looks_held(const void *recording)
{
	return known_looks_held(&((const struct recording *)recording)->looks);
}

static size_t
looks_bound(const void *recording)
{
	(void)recording;
	return known_looks_bound();
}

static const struct part_memory memory[] = {
	{ "flight recorder", history_held, history_bound,
	  "the oldest go (--history)" },
	{ "looks for it", looks_held, looks_bound, "the oldest go" },
};

static const struct part_message messages[] = {
	{ RECORDER_MSG_ENDED, take_ended },
};

const struct engine_part recording_part = {
	.name = "recording",
	.make = make,
	.release = release,
	.sink = &sink,
	.messages = messages,
	.message_count = ARRAY_SIZE(messages),
	.put_head = put_head,
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
};
