/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_LOCATION_H
#define PTOP_PROFILE_PLACE_LOCATION_H
/*
 * From a place in a dso to its location, made if it is new, and what becomes of locations as
 * symbols come, change and go.  Engine thread only.
 */
#include "profile/place/location_store.h"

void locations_init(struct locations *l, struct model *model);
void locations_release(struct locations *l);

/* The location of @offset in @dso, made if it is new. */
uint32_t locations_find(struct locations *l, uint32_t dso, uint64_t offset);

/* The same; @region is where the map begins, which is all that is known of code without a name. */
uint32_t locations_find_in(struct locations *l, uint32_t dso, uint64_t offset, uint64_t region);

/* The kernel's function at @addr, as its list has it; NULL: it has none, or is not there yet. */
const char *locations_kernel_function(struct locations *l, uint64_t addr);

/*
 * The image of @dso has come (taken), or @image is NULL and @reason says why not.  Forwards all
 * pending locations; returns how many.  One that takes the place of another must not come while
 * names of that one are asked for.
 */
size_t locations_learn_image(struct locations *l, uint32_t dso, struct image *image,
			     const char *reason, const char *remedy);

/* No newer image of @dso exists: what waits for one gets no name.  Returns how many do. */
size_t locations_keep_image(struct locations *l, uint32_t dso);

/*
 * What is at @was->start to @was->end of the kernel is about to be something else: places there
 * that wait for names get @was's, or none if that has none.  Returns how many.
 */
size_t locations_kernel_changes(struct locations *l, const struct ksymbol *was);

/*
 * Where the code of a function begins and ends, as a record of the kernel or its image tells, if
 * that is here.  false: neither does.
 */
bool locations_range(const struct locations *l, const struct location *loc, uint64_t *start,
		     uint64_t *end);

/* Of what has no line it may be asked again: there are more files than there were. */
void locations_ask_lines_again(struct locations *l, uint32_t dso);

/* How code without a name is shown: "libz.so.1+0x4a00", or without the dso "0x4a00". */
void locations_put_address(const struct locations *l, const struct location *loc, bool with_dso,
			   struct buf *b);

/* The name to show for a function, from the symbol service. */
void locations_learn_name(struct locations *l, uint32_t dso, uint32_t fn, const char *name);

/* The source line of a place in a function: kept if it is the one that was last asked for. */
void locations_learn_line(struct locations *l, uint32_t dso, uint64_t offset, const char *line);

/*
 * Where a dso's names come from, and why a place has none.  What is returned are strings of the
 * model, 0 for "".  Engine thread only.
 *
 * Keeps what the symbol service answers about @m->dso besides its image and reason.
 */
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
