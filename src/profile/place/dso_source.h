/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_DSO_SOURCE_H
#define PTOP_PROFILE_PLACE_DSO_SOURCE_H
/*
 * Where a dso's names come from, and why a place has none.  What is returned are strings of the
 * model, 0 for "".  Engine thread only.
 */
#include "profile/place/location.h"

/* Keeps what the symbol service answers about @m->dso besides its image and reason. */
void dso_source_learn(struct locations *l, const struct symbol_image_msg *m);
void dso_source_learn_build_id(struct locations *l, uint32_t dso, const uint8_t *id, size_t len);
/* What came of asking debuginfod for its debug file, added to the reason. */
void dso_source_learn_asked(struct locations *l, uint32_t dso, const char *outcome);
void dso_source_learn_names(struct locations *l, uint32_t dso, const char *source);

uint32_t dso_source_build_id(const struct locations *l, uint32_t dso);
uint32_t dso_source_names(const struct locations *l, uint32_t dso); /* where they come from */
enum symbol_ns dso_source_ns(const struct locations *l, uint32_t dso);

/* Why the place, resolved, has no name, and what would mend it; of functions 0. */
uint32_t dso_source_reason(const struct locations *l, uint32_t location);
uint32_t dso_source_remedy(const struct locations *l, uint32_t location);

/* Whether a report cannot tell the two apart: the same path, build-id, source and reason. */
bool dso_source_alike(const struct locations *l, uint32_t dso, uint32_t other);

#endif
