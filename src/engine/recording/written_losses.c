/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many samples of each event were lost while a file was written, as perf writes it at the end: no
 * record tells of what a ring lost last.
 */
#include "engine/recording/recording_impl.h"

void
written_losses_begin(struct recording *rg)
{
	for (uint32_t n = 0; n < EVENTS_MAX; n++)
		rg->lost_before[n] = n < rg->measured->event_count
					     ? measured_lost(&rg->measured->events[n]) : 0;
}

/* By a chunk, since its ids get into the file's tables, which is in no flight recorder. */
void
written_losses_put(struct recording *rg)
{
	const struct history_keys keys = { sample_ids_layouts(rg->ids), known_state_event_of, rg };
	struct history *h = history_new(0, &keys);
	struct buf b = { 0 };

	history_set_sink(h, recorder_take_chunk, rg->active);
	for (uint32_t n = 0; n < rg->measured->event_count; n++) {
		uint64_t lost = measured_lost(&rg->measured->events[n]);
		uint64_t id = sample_ids_any(rg->ids, n);

		if (lost <= rg->lost_before[n] || id == 0)
			continue;
		buf_reset(&b);
		record_encode_lost_samples(&b, rg->layout, id, lost - rg->lost_before[n]);
		history_add(h, (struct bytes){ (const uint8_t *)b.data, b.len });
	}
	history_seal(h);
	history_free(h);
	buf_release(&b);
}
