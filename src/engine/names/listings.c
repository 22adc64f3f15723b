/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of a place is to be had, and who is asked for it. */
#include "engine/names/names_impl.h"

#include "profile/place/location.h"
#include "view/listing.h"

#include <stdlib.h>

/* What is known of the code at a location: where it begins, and how long it is. */
static void
find_extent(const struct names *nm, const struct location *loc, struct symbol_listing_ask *ask)
{
	const struct dso_symbols *s = locations_symbols(nm->env->locations, loc->dso);

	ask->offset = loc->offset;
	if (loc->kind == LOCATION_PAGE) {
		ask->size = 4096;
	} else if (loc->kind == LOCATION_FUNCTION && s->image != NULL && loc->fn != IMAGE_NONE &&
		   loc->fn < image_count(s->image)) {
		ask->offset = image_address(s->image, loc->fn);
		ask->size = image_size(s->image, loc->fn);
	}
}

/* Why nobody can be asked; NULL: the file can. */
static const char *
ask_file(struct names *nm, struct symbol_listing_ask *ask, uint32_t dso)
{
	struct image_ask known = { .dso = dso };
	const struct no_image *none;

	if (files_are_known(nm, dso))
		known = nm->files[dso];
	none = files_ask(nm, &known, &ask->file);
	if (none == NULL)
		return NULL;
	return *none->reason != '\0' ? none->reason : "the code is in no file that is here";
}

static const char *
find_code(struct names *nm, const struct location *loc, struct symbol_listing_ask *ask)
{
	ask->file.dso = loc->dso;
	if (loc->is_inlined)
		return "it is inlined wherever it is called: its code is in that of its callers";
	if (loc->is_rest)
		return "it stands for many functions";
	switch (dsos_get(&nm->env->model->dsos, loc->dso)->kind) {
	case DSO_FILE:
	case DSO_JITDUMP:
	case DSO_VDSO:
	case DSO_VDSO32:
		return ask_file(nm, ask, loc->dso);
	case DSO_MODULE:
	case DSO_KERNEL:
	case DSO_ANON:
	case DSO_UNKNOWN:
	case DSO_VSYSCALL:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
	case DSO_WAITING:
		break;
	}
	return "no file has this code";
}

void
names_ask_listing(struct names *nm, uint32_t id, uint32_t location, bool is_intel)
{
	struct locations *l = nm->env->locations;
	const struct location *loc = &l->items[locations_resolve(l, location)];
	struct symbol_listing_ask ask = {
		.id = id, .is_intel = is_intel,
		.function = strs_get(&nm->env->model->strs, loc->name),
	};

	find_extent(nm, loc, &ask);
	ask.why_none = find_code(nm, loc, &ask);
	symbol_service_ask_listing(nm->env->symbols, &ask);
}

/* A container's program must not have its sources taken from here, nor one of another machine. */
static bool
is_of_this_root(const struct names *nm, uint32_t dso)
{
	return nm->env->policy->is_this_host &&
	       (!nm->env->policy->has_processes ||
		dso_source_ns(nm->env->locations, dso) == SYMBOL_NS_OWN);
}

/* The recording's files come first, then the user's folders. */
void
names_ask_source(struct names *nm, uint32_t id, uint32_t dso, uint32_t file,
		 const struct listing_file *about, uint32_t first, uint32_t last)
{
	const struct engine_config *c = nm->env->config;
	struct symbol_source_ask ask = { .id = id, .file = file, .path = about->path,
					 .first = first, .last = last,
					 .is_here = is_of_this_root(nm, dso) };
	const char **dirs;
	size_t count = 0;

	while (c->source_dirs != NULL && c->source_dirs[count] != NULL)
		count++;
	dirs = mem_calloc(count + 2, sizeof(*dirs));
	if (c->symfs != NULL)
		dirs[0] = c->symfs;
	for (size_t i = 0; i < count; i++)
		dirs[i + (c->symfs != NULL)] = c->source_dirs[i];
	ask.dirs = dirs;
	ask.dso.dso = dso;
	if (files_are_known(nm, dso) && nm->env->policy->has_processes)
		ask.dso.pid = nm->files[dso].pid;
	symbol_service_ask_source(nm->env->symbols, &ask);
	free(dirs);
}
