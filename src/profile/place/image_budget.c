/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/location_store.h"

/*
 * The kernel's changes and is wanted all the time; the vdso's could not be had again of a process
 * that has ended.
 */
static bool
can_be_asked_again(const struct locations *l, uint32_t dso)
{
	const struct dso_symbols *s = &l->symbols[dso];

	return s->image != NULL && s->state == SYMBOLS_READY &&
	       dsos_get(&l->model->dsos, dso)->kind == DSO_FILE;
}

/* UINT32_MAX: there is none to give back. */
static uint32_t
longest_unused(const struct locations *l, uint32_t come)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < l->symbols_cap; i++)
		if (i != come && can_be_asked_again(l, i) &&
		    (found == UINT32_MAX || l->symbols[i].used < l->symbols[found].used))
			found = i;
	return found;
}

size_t
image_budget_kernel(const struct locations *l)
{
	const struct image *kernel = DSO_ID_KERNEL < l->symbols_cap ? l->symbols[DSO_ID_KERNEL].image : NULL;

	return kernel != NULL ? image_bytes(kernel) : 0;
}

size_t
image_budget_files(const struct locations *l)
{
	return l->image_bytes - image_budget_kernel(l);
}

void
image_budget_keep(struct locations *l, uint32_t come)
{
	l->symbols[come].used = ++l->image_uses;
	while (l->image_budget != 0 && image_budget_files(l) > l->image_budget) {
		uint32_t dso = longest_unused(l, come);

		if (dso == UINT32_MAX)
			return;
		l->image_bytes -= image_bytes(l->symbols[dso].image);
		image_free(l->symbols[dso].image);
		l->symbols[dso].image = NULL;
		l->symbols[dso].state = SYMBOLS_GIVEN_BACK;
		l->symbols[dso].is_renewed = true;
		l->images_given_back++;
	}
}
