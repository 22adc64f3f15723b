/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of a record that is kept: its bytes go to the history, a few are made anew. */
#include "engine/recording/recording_impl.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/buf.h"
#include "record/look.h"

/* Samples that only the past would want are the kernel's with --overwrite. */
static bool
keeps_samples(const struct recording *rg)
{
	return rg->history != NULL && (rg->active != NULL || !rg->config->overwrite);
}

void
kept_add_other(void *recording, const struct record *rec, struct bytes bytes)
{
	struct recording *rg = recording;

	if (rg->history == NULL)
		return;
	known_state_add_leaving(rg, rec);
	history_add(rg->history, bytes);
}

void
kept_add_repeat(void *recording, struct bytes bytes, uint64_t tag, uint64_t time_ns)
{
	struct recording *rg = recording;

	if (keeps_samples(rg))
		history_add_sample(rg->history, bytes, tag, time_ns);
}

/*
 * The kernel writes -1 for a task that is dying: other readers cannot know who that was.  The
 * record says it in the file, of one outside of the pid namespace as its other records do.
 */
static void
name_dying(const struct recording *rg, uint32_t task, char *sample)
{
	const struct task *t = model_task_at(rg->model, task);
	const bool is_outside = t->tid == TASK_OUTSIDE_TID;
	const uint32_t ids[2] = { is_outside ? 0 : (uint32_t)t->pid, is_outside ? 0 : (uint32_t)t->tid };

	memcpy(sample + rg->layout->sample_time_at - sizeof(ids), ids, sizeof(ids));
}

static void
add_dying(struct recording *rg, const struct record *rec, struct bytes bytes)
{
	struct buf b = { 0 };

	buf_add(&b, bytes.data, bytes.len);
	name_dying(rg, model_sample_task(rg->model, -1, -1, rec->id.cpu), b.data);
	history_add_sample(rg->history, (struct bytes){ (const uint8_t *)b.data, b.len }, 0,
			   rec->id.time_ns);
	buf_release(&b);
}

void
kept_add_sample(void *recording, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	struct recording *rg = recording;

	if (recording_unwinds(rg, rec->sample.carries))
		return;
	if (keeps_samples(rg) && (int)rec->id.tid == -1)
		add_dying(rg, rec, bytes);
	else
		kept_add_repeat(rg, bytes, tag, rec->id.time_ns);
}

void
kept_add_unwound(void *recording, uint32_t task, const struct record *rec, struct bytes bytes,
	    const struct record_unwound *user, uint64_t tag)
{
	struct recording *rg = recording;
	struct buf *b = &rg->unwound;
	struct bytes whole;
	uint64_t own_tag;

	if (rg->history == NULL || !recording_unwinds(rg, rec->sample.carries))
		return;
	buf_reset(b);
	record_encode_unwound(b, rec, bytes, user);
	if ((int)rec->id.tid == -1)
		name_dying(rg, task, b->data);
	whole = (struct bytes){ (const uint8_t *)b->data, b->len };
	/* Deep stacks come again and again, and one of them takes as much as hundred samples alike. */
	own_tag = history_tag(rg->layout, rec->sample.carries, whole);
	history_add_sample(rg->history, whole, own_tag, rec->id.time_ns);
	if (own_tag == 0 || tag == 0)
		return;
	if (record_is_look(&rec->sample))
		known_looks_add(&rg->looks, tag, own_tag, whole);
	else
		history_note_tag(rg->history, own_tag, tag);
}

bool
kept_knows(void *recording, uint64_t tag)
{
	const struct recording *rg = recording;

	if (!keeps_samples(rg))
		return true;
	return !rg->config->raw_stacks && history_knows(rg->history, tag);
}

/* Such as are kept as they come are known to nobody. */
bool
kept_knows_look(void *recording, uint64_t tag)
{
	const struct recording *rg = recording;

	return rg->history == NULL || rg->config->raw_stacks ||
	       known_looks_find(&rg->looks, tag) != NULL;
}

void
kept_add_repeated_look(void *recording, struct bytes bytes, uint64_t tag, uint64_t time_ns)
{
	struct recording *rg = recording;
	const size_t time_at = rg->layout->sample_time_at, period_at = rg->layout->sample_period_at;
	struct known_look *known = known_looks_find(&rg->looks, tag);

	if (rg->history == NULL || rg->config->raw_stacks || known == NULL) {
		kept_add_repeat(rg, bytes, tag, time_ns);
		return;
	}
	/* All of them have the same fields up to there. */
	memcpy(known->bytes + time_at, bytes.data + time_at, 8);
	memcpy(known->bytes + period_at, bytes.data + period_at, 8);
	history_add_sample(rg->history, (struct bytes){ known->bytes, known->len }, known->tag,
			   time_ns);
}

/*
 * In what is kept the values of counters are the sums of what they gained: samples of others than
 * the targets are not in there, and what they gained is not the next one's.  Nor are they each
 * task's own any more, which perf knows since 6.12 only.
 */
void
kept_add_values(void *recording, const struct record_layout *layout, const struct record *rec,
	   struct bytes bytes, const uint64_t *gains)
{
	struct record_values v = record_read_begin(layout->read_format, rec->sample.read);
	size_t read_at = (size_t)(rec->sample.read.data - bytes.data);
	struct recording *rg = recording;
	struct buf b = { 0 };

	if (!keeps_samples(rg))
		return;
	buf_add(&b, bytes.data, bytes.len);
	for (size_t i = 0; i < VALUES_MAX && record_read_next(&v); i++) {
		uint64_t value = gains_keep(&rg->gains, v.id, gains[i]);

		memcpy(b.data + read_at + v.value_at, &value, sizeof(value));
	}
	kept_add_sample(rg, rec, (struct bytes){ (const uint8_t *)b.data, b.len }, 0);
	v = record_read_begin(layout->read_format, rec->sample.read);
	while (record_read_next(&v))
		history_note_id(rg->history, v.id);
	buf_release(&b);
}
