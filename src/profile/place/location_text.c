/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a place is shown that has no name. */
#include "profile/place/location.h"

void
locations_put_address(const struct locations *l, const struct location *loc, bool with_dso,
		      struct buf *b)
{
	const struct dso *dso = dsos_get(&l->model->dsos, loc->dso);
	const char *file = strs_get(&l->model->strs, dso->name);

	if (loc == &l->items[LOCATION_CUT])
		buf_add_str(b, strs_get(&l->model->strs, loc->name));
	else if (loc->kind == LOCATION_MAP && dso->kind == DSO_FILE)
		buf_addf(b, "[%s]", file);
	else if (loc->kind == LOCATION_MAP && dso->kind == DSO_ANON && loc->offset == 0)
		buf_add_str(b, file);
	else if (loc->kind == LOCATION_MAP && dso->kind != DSO_ANON)
		buf_add_str(b, "[unknown]");
	else
		buf_addf(b, "%s%s0x%llx", with_dso ? file : "", with_dso ? "+" : "",
			 (unsigned long long)loc->offset);
}
