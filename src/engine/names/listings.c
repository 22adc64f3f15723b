/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of a place is to be had, and who is asked for it. */
#include "engine/names/names_impl.h"

#include "base/text.h"
#include "profile/place/jit.h"
#include "profile/place/location.h"
#include "view/listing.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 256 };

/* What is known of the code at a location: where it begins, and how long it is. */
static void
find_extent(const struct names *nm, const struct location *loc, struct symbol_listing_ask *ask)
{
	uint64_t start, end;

	ask->offset = loc->offset;
	if (loc->kind == LOCATION_PAGE) {
		ask->size = 4096;
	} else if (locations_range(nm->env->locations, loc, &start, &end)) {
		ask->offset = start;
		ask->size = end - start;
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

/* The kernel's own memory has what runs; a file has what was built. */
static const char *
ask_kernel(struct names *nm, struct symbol_listing_ask *ask, uint32_t dso)
{
	const struct file_policy *p = nm->env->policy;

	if (!p->has_processes && dsos_get(&nm->env->model->dsos, dso)->kind == DSO_MODULE)
		return ask_file(nm, ask, dso);
	ask->file.kind = SYMBOL_KERNEL;
	/* Modules are not in its file, nor is it of use if it is not known where it was. */
	ask->file.text = dso == DSO_ID_KERNEL ? p->kernel_text(p) : 0;
	ask->file.path = ask->file.text != 0 ? nm->env->config->vmlinux : NULL;
	if (p->has_processes)
		return NULL;
	ask->file.kind = SYMBOL_VMLINUX;
	return ask->file.path != NULL ? NULL : "the kernel's code is not in a recording: give its "
					       "--vmlinux";
}

/* A jitdump has the code as it was made, the process as it is now. */
static const char *
ask_jit(struct names *nm, struct symbol_listing_ask *ask, const struct location *loc)
{
	uint32_t id = (uint32_t)(loc - nm->env->locations->items);
	uint64_t start = loc->offset, size = 0;
	bool is_there = jit_range_of(nm->env->locations, id, &start, &size);

	ask->offset = start;
	ask->size = size;
	if (jit_dump_of(nm, loc->dso, &ask->file)) {
		ask->bytes_from = "jitdump";
		return NULL;
	}
	ask->file.kind = SYMBOL_MEMORY;
	ask->file.pid = jit_pid_of(nm, loc->dso);
	ask->file.start = start;
	ask->file.end = start + size;
	if (!nm->env->policy->has_processes)
		return "the code was made at run time, and no jitdump has it";
	if (!is_there || ask->file.pid == 0)
		return "nothing tells where this code ends, or its process has ended";
	ask->notice = "as the process has it now: it may have been made anew since the samples";
	return NULL;
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
		return ask_kernel(nm, ask, loc->dso);
	case DSO_ANON:
		return ask_jit(nm, ask, loc);
	case DSO_UNKNOWN:
	case DSO_VSYSCALL:
	case DSO_UPROBES:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
	case DSO_WAITING:
	case DSO_CROWDED:
		break;
	}
	return "no file has this code";
}

void
listings_ask(struct names *nm, uint32_t id, uint32_t location, uint64_t as_of_ns, bool no_lines)
{
	struct locations *l = nm->env->locations;
	const struct location *loc = &l->items[locations_resolve(l, location)];
	struct symbol_listing_ask ask = {
		.id = id, .as_of_ns = as_of_ns, .no_lines = no_lines,
		.function = strs_get(&nm->env->model->strs, loc->name),
	};

	find_extent(nm, loc, &ask);
	ask.why_none = find_code(nm, loc, &ask);
	ask.is_elf = dsos_get(&nm->env->model->dsos, loc->dso)->kind == DSO_VDSO32;
	symbol_service_ask_listing(nm->env->symbols, &ask);
}

void
names_ask_listing(struct names *nm, uint32_t id, uint32_t location, uint64_t as_of_ns)
{
	listings_ask(nm, id, location, as_of_ns, false);
}

/* "start+0x20" in the listing's memory. */
static const char *
name_in(struct listing *l, const char *name, uint64_t behind)
{
	struct buf b = { 0 };
	const char *made;

	text_add_safe(&b, name, strnlen(name, NAME_BYTES_MAX));
	if (behind != 0)
		buf_addf(&b, "+0x%llx", (unsigned long long)behind);
	made = arena_strdup(&l->arena, buf_str(&b));
	buf_release(&b);
	return made;
}

/* What code jumps to and calls that no file names: of the kernel, and of JIT compilers. */
static const char *
name_target(const struct names *nm, uint32_t dso, struct listing *l, uint64_t target)
{
	const struct dso_symbols *kernel = locations_symbols(nm->env->locations, DSO_ID_KERNEL);
	const char *name;
	uint64_t start;
	uint32_t fn;

	if (dsos_get(&nm->env->model->dsos, dso)->kind == DSO_ANON) {
		name = jit_name_at(nm->env->locations, dso, target, &start);
		return name != NULL ? name_in(l, name, target - start) : "";
	}
	fn = kernel->image != NULL ? image_find(kernel->image, target) : IMAGE_NONE;
	if (fn == IMAGE_NONE)
		return "";
	return name_in(l, image_raw_name(kernel->image, fn), target - image_address(kernel->image, fn));
}

/* Nobody else reads operands yet: the service, which has the listing, too, reads where they are. */
void
listings_name_targets(const struct names *nm, const struct symbol_listing_msg *m)
{
	enum dso_kind kind = dsos_get(&nm->env->model->dsos, m->dso)->kind;
	struct listing_instruction *items =
		(struct listing_instruction *)(uintptr_t)m->listing->items;

	if (kind != DSO_ANON && kind != DSO_KERNEL && kind != DSO_MODULE)
		return;
	for (uint32_t i = 0; i < m->listing->count; i++)
		if (items[i].target != 0 && items[i].operand[0] == '\0')
			items[i].operand = name_target(nm, m->dso, m->listing, items[i].target);
}
