/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait for their call chains of user space: counted when those come, or with the
 * kernel's part alone when they do not.  What is recorded is as the kernel wrote it.
 */
#include "engine/engine_impl.h"

#include <stdlib.h>

bool
engine_defer_sample(struct engine *e, uint32_t event, uint32_t layout, const struct record *rec,
		    struct bytes bytes)
{
	struct deferred_sample s = { .event = event, .layout = layout };

	if (e->feed.no_chains || !deferred_is(&rec->sample))
		return false;
	if (!feed_wants(&e->feed, rec, &s.task))
		return false;
	if (e->deferred == NULL)
		e->deferred = deferred_new();
	if (!deferred_hold(e->deferred, &s, rec, bytes)) {
		e->chains_missed++;
		return false;
	}
	/* It may end meanwhile: its sample is still its own. */
	model_hold_task(e->model, s.task);
	return true;
}

/* Counts it with the chain that it has got. */
static void
count(struct engine *e, struct deferred_sample *s, const struct record_callchain_deferred *chain)
{
	const struct record_layout *layout;
	struct buf b = { 0 };
	struct bytes bytes;
	struct record rec;

	deferred_join(s, chain != NULL ? chain->chain : NULL, chain != NULL ? chain->chain_len : 0,
		      &b);
	bytes = (struct bytes){ (const uint8_t *)b.data, b.len };
	layout = e->file != NULL ? &datafile_layouts(e->file)->items[s->layout]
				 : record_layouts_of(&e->layouts, bytes);
	if (record_decode(layout, bytes, &rec) == 1) {
		rec.sample.period = s->period;
		feed_sample(&e->feed, s->event, &rec, 0, bytes);
	}
	model_release_task(e->model, s->task);
	buf_release(&b);
	free(s->data);
}

void
engine_take_deferred(struct engine *e, const struct record *rec)
{
	struct deferred_sample s;

	while (e->deferred != NULL && deferred_take(e->deferred, rec->callchain_deferred.cookie, &s))
		count(e, &s, &rec->callchain_deferred);
}

void
engine_expire_deferred(struct engine *e, uint64_t before_ns)
{
	struct deferred_sample s;

	while (e->deferred != NULL && deferred_take_old(e->deferred, before_ns, &s)) {
		e->chains_missed++;
		count(e, &s, NULL);
	}
}
