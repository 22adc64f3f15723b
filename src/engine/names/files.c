/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the file behind a dso is asked for, and what to say where there is none. */
#include "engine/names/names_impl.h"

#include "profile/place/location.h"

static struct symbol_ask
symbol_ask_of(struct names *nm, const struct image_ask *ask)
{
	const struct dso *dso = dsos_get(&nm->env->model->dsos, ask->dso);
	struct symbol_ask a = {
		.dso = ask->dso, .kind = SYMBOL_ELF,
		.pid = ask->pid, .start = ask->start, .end = ask->end,
		.maj = dso->maj, .min = dso->min, .ino = dso->ino,
		.ino_generation = dso->ino_generation,
		.path = strs_get(&nm->env->model->strs, dso->path),
		.is_live = nm->env->policy->has_processes,
	};

	nm->env->policy->identify(nm->env->policy, &a);
	return a;
}

/* Remembers how the file was found: its lines may be asked for later. */
static void
keep_file(struct names *nm, const struct image_ask *ask)
{
	vec_reserve_zeroed(&nm->files, &nm->file_cap, ask->dso + 1, sizeof(*nm->files));
	nm->files[ask->dso] = *ask;
}

static const struct no_image no_file = { "", "" }; /* its kind says it */
static const struct no_image other_vdso = {
	"recorded with another kernel than the one that runs here",
	"look at it on the machine where it was made, before a reboot",
};
static const struct no_image no_vdso32 = {
	"the vdso of 32-bit programs is in no recording", "look at such a program while it runs",
};

static const struct no_image other_host = {
	"recorded on another machine, and without the build-id of the file",
	"perf record keeps build-ids unless -B tells it not to",
};

void
files_learn_none(struct names *nm, uint32_t dso, const struct no_image *why)
{
	locations_learn_image(nm->env->locations, dso, NULL, why->reason, why->remedy);
	nm->env->profile->fold_due = true;
}

const struct no_image *
files_ask(struct names *nm, const struct image_ask *ask, struct symbol_ask *a)
{
	*a = symbol_ask_of(nm, ask);
	switch (dsos_get(&nm->env->model->dsos, ask->dso)->kind) {
	case DSO_FILE:
	case DSO_JITDUMP:
		return *a->path == '\0' ? &other_host : NULL;
	case DSO_VDSO32:
		/* It is had from a process that lives. */
		a->kind = SYMBOL_MEMORY;
		return nm->env->policy->has_processes ? NULL : &no_vdso32;
	case DSO_VDSO:
		/* Each kernel has its own. */
		a->kind = SYMBOL_VDSO;
		return nm->env->policy->is_this_kernel ? NULL : &other_vdso;
	case DSO_MODULE:
		/* By its build-id alone: where a module was, another one may be now. */
		if (!nm->env->policy->has_processes && *a->path == '/' &&
		    (a->build_id_len > 0 || nm->env->config->symfs != NULL))
			return NULL;
		break;
	case DSO_KERNEL: /* see kernel.c */
	case DSO_UNKNOWN:
	case DSO_VSYSCALL:
	case DSO_ANON:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
	case DSO_WAITING:
		break;
	}
	return &no_file;
}

bool
files_learn_recorded(struct names *nm, uint32_t dso)
{
	const struct dso *d = dsos_get(&nm->env->model->dsos, dso);
	const struct file_policy *p = nm->env->policy;
	struct image *image;

	if (p->image == NULL || (d->kind != DSO_KERNEL && d->kind != DSO_FILE))
		return false;
	image = p->image(p, d->kind == DSO_KERNEL ? NULL : strs_get(&nm->env->model->strs, d->path));
	if (image == NULL)
		return false;
	dso_source_learn_names(nm->env->locations, dso, "the recording");
	if (locations_learn_image(nm->env->locations, dso, image, "", "") > 0)
		nm->env->profile->fold_due = true;
	return true;
}

void
files_ask_image(struct names *nm, const struct image_ask *ask, const struct symbol_ask *a)
{
	enum dso_kind kind = dsos_get(&nm->env->model->dsos, ask->dso)->kind;

	if (kind == DSO_FILE || kind == DSO_JITDUMP)
		keep_file(nm, ask);
	nm->asked_images++;
	dso_source_learn_build_id(nm->env->locations, ask->dso, a->build_id, a->build_id_len);
	symbol_service_ask_image(nm->env->symbols, a);
}

/* How a file is found is known once its image was asked for. */
bool
files_are_known(const struct names *nm, uint32_t dso)
{
	return dso < nm->file_cap && nm->files[dso].dso != 0;
}

void
files_ask_image_again(struct names *nm, uint32_t dso)
{
	struct symbol_ask a;

	if (!files_are_known(nm, dso))
		return;
	a = symbol_ask_of(nm, &nm->files[dso]);
	nm->asked_images++;
	symbol_service_ask_image(nm->env->symbols, &a);
}

bool
files_ask_lines(struct names *nm, uint32_t dso, const uint64_t *addrs, uint32_t count,
		bool of_inlines)
{
	struct symbol_ask a;

	if (!files_are_known(nm, dso))
		return false;
	a = symbol_ask_of(nm, &nm->files[dso]);
	nm->asked_lines++;
	if (of_inlines)
		symbol_service_ask_inlines(nm->env->symbols, &a, addrs, count);
	else
		symbol_service_ask_lines(nm->env->symbols, &a, addrs, count);
	return true;
}
