/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait for their call chains of user space: counted when those come, or with the
 * kernel's part alone when they do not.  What is recorded is as the kernel wrote it.
 */
#include "engine/intake/intake_impl.h"

#include <stdlib.h>

bool
intake_defer(struct intake *in, uint32_t event, uint32_t layout, const struct record *rec,
		struct bytes bytes)
{
	struct deferred_sample s = { .event = event, .layout = layout };

	if (in->feed->no_chains || !deferred_is(&rec->sample))
		return false;
	if (!feed_wants(in->feed, rec, &s.task))
		return false;
	if (in->deferred == NULL)
		in->deferred = deferred_new();
	if (!deferred_hold(in->deferred, &s, rec, bytes)) {
		in->losses->counts[LOSS_CALLERS]++;
		return false;
	}
	/* It may end meanwhile: its sample is still its own. */
	model_hold_task(in->model, s.task);
	return true;
}

/* Counts it with the chain that it has got. */
static void
count(struct intake *in, struct deferred_sample *s, const struct record_callchain_deferred *chain)
{
	struct buf b = { 0 };
	struct bytes bytes;
	struct record rec;

	deferred_join(s, chain != NULL ? chain->chain : NULL, chain != NULL ? chain->chain_len : 0,
		      &b);
	bytes = (struct bytes){ (const uint8_t *)b.data, b.len };
	if (record_decode(&in->feed->layouts->items[s->layout], bytes, &rec) == 1) {
		rec.sample.period = s->period;
		feed_sample(in->feed, s->event, &rec, 0, bytes);
	}
	model_release_task(in->model, s->task);
	buf_release(&b);
	free(s->data);
}

void
deferred_samples_join(struct intake *in, const struct record *rec)
{
	struct deferred_sample s;

	while (in->deferred != NULL && deferred_take(in->deferred, rec->callchain_deferred.cookie, &s))
		count(in, &s, &rec->callchain_deferred);
}

void
intake_expire(struct intake *in, uint64_t before_ns)
{
	struct deferred_sample s;

	while (in->deferred != NULL && deferred_take_old(in->deferred, before_ns, &s)) {
		in->losses->counts[LOSS_CALLERS]++;
		count(in, &s, NULL);
	}
}
