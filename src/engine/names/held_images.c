/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/names/held_images.h"

#include <stdlib.h>

#include "profile/count/profile.h"
#include "profile/place/location.h"

enum {
	HELD_S = 10,       /* the longest that one waits */
	LEAST_PART = 1000, /* of the samples: what has more than that does not wait */
	COUNT_MS = 2000,   /* between two looks: each walks over all that was sampled */
};

void
held_images_count(struct held_images *h, const struct profile *p, uint64_t now_ns)
{
	const struct cells *cells = &p->tables.cells[TABLE_HOT];

	if (now_ns < h->next_ns)
		return;
	h->next_ns = now_ns + COUNT_MS * NSEC_PER_MSEC;
	h->all = 0;
	for (size_t i = 0; i < h->cap; i++)
		h->items[i].samples = 0;
	for (uint32_t id = 1; id < cells->len; id++) {
		uint32_t at = locations_resolve(p->locations, p->tables.hot[id].location);
		uint32_t dso = p->locations->items[at].dso;

		h->all += cells->items[id].all_samples;
		if (dso < h->cap)
			h->items[dso].samples += cells->items[id].all_samples;
	}
}

bool
held_images_wait(struct held_images *h, uint32_t dso, uint64_t now_ns)
{
	struct held_image *held;

	vec_reserve_zeroed(&h->items, &h->cap, dso + 1, sizeof(*h->items));
	held = &h->items[dso];
	if (held->since_ns == 0)
		*held = (struct held_image){ now_ns, h->all, 0 };
	/* Folds forget samples. */
	return now_ns - held->since_ns < HELD_S * NSEC_PER_SEC &&
	       held->samples * LEAST_PART <= h->all - MIN(held->before, h->all);
}

void
held_images_end(struct held_images *h, uint32_t dso)
{
	if (dso < h->cap)
		h->items[dso].since_ns = 0;
}

void
held_images_release(struct held_images *h)
{
	free(h->items);
	*h = (struct held_images){ 0 };
}
