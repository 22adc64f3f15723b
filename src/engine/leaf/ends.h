/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_ENDS_H
#define PTOP_ENGINE_LEAF_ENDS_H
/* Tasks whose end is told: targets, and who is looked at.  A leaf.  Engine thread only. */
#include "engine/leaf/notes.h"
#include "model/model.h"

struct ends {
	uint32_t *tasks;
	size_t len, cap;
};

void ends_watch(struct ends *e, const struct model *m, uint32_t task);

/*
 * Tells of each that has ended, once; before the dead are swept.  @rows_stay: what was sampled of
 * them is shown for ever, else while the window holds it.
 */
void ends_tell(struct ends *e, const struct model *m, struct notes *notes, bool rows_stay);
void ends_release(struct ends *e);

#endif
