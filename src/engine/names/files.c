/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the file behind a dso is asked for, and what to say where there is none. */
#include "engine/names/names_impl.h"

#include "base/clock.h"
#include "profile/place/location.h"

enum { WAIT_S = 60 }; /* that places in a file that could not be read wait for it */

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
		.wants_lost = nm->downloads.fetch != NULL,
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
	"look at it on the machine where it was made, with that kernel",
};
static const struct no_image vdso_without_id = {
	"not known whether it is this kernel's: the recording has no build-id of it",
	"record into a file, without perf's -z or -B",
};
static const struct no_image no_vdso32 = {
	"the vdso of 32-bit programs is in no recording", "look at such a program while it runs",
};

/* perf's files say it at their end, ptop's from the begin. */
static const struct no_image unknown_host = {
	"the recording does not say on which machine it was made, as one that was cut off or goes on",
	"end who records by q or SIGINT; --symfs / takes the files of this machine, unproven",
};
static const struct no_image other_host = {
	"recorded on another machine, and without the build-id of the file",
	"link programs with --build-id, and record without perf's -B; --symfs DIR has files that are surely its",
};

/* Each build of the kernel has its own, wherever the kernel is. */
static const struct no_image *
why_no_vdso(const struct file_policy *p)
{
	uint8_t id[BUILD_ID_MAX];

	if (p->is_this_build)
		return NULL;
	return p->kernel_build_id(p, id) > 0 ? &other_vdso : &vdso_without_id;
}

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
		return *a->path != '\0' ? NULL : nm->env->policy->is_host_known ? &other_host : &unknown_host;
	case DSO_VDSO32:
		/* It is had from a process that lives. */
		a->kind = SYMBOL_MEMORY;
		return nm->env->policy->has_processes ? NULL : &no_vdso32;
	case DSO_VDSO:
		a->kind = SYMBOL_VDSO;
		return why_no_vdso(nm->env->policy);
	case DSO_MODULE:
		/* By its build-id alone: where a module was, another one may be now. */
		if (!nm->env->policy->has_processes && *a->path == '/' &&
		    (a->build_id_len > 0 || nm->env->config->symfs != NULL))
			return NULL;
		break;
	case DSO_KERNEL: /* see kernel.c */
	case DSO_UNKNOWN:
	case DSO_VSYSCALL:
	case DSO_UPROBES:
	case DSO_ANON:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
	case DSO_WAITING:
	case DSO_CROWDED:
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

void
files_ask_rules(struct names *nm, const struct symbol_ask *a)
{
	nm->asked_rules++;
	symbol_service_ask_rules(nm->env->symbols, a);
}

/* Whether it is to be asked for again. */
static bool
note_answer(struct names *nm, uint32_t dso, unsigned what, const struct symbol_unread *why)
{
	return nm->env->policy->has_processes &&
	       unread_note(&nm->unread, dso, what, why, clock_mono_ns());
}

void
files_note_rules(struct names *nm, const struct symbol_rules_msg *m)
{
	if (!note_answer(nm, m->dso, UNREAD_RULES, &m->unread))
		unread_end(&nm->unread, m->dso, UNREAD_RULES);
}

/* Past samples get names, too, if the next process leads to the file; unless somebody else sees to it. */
static void
begin_waiting(struct names *nm, uint32_t dso)
{
	struct dso_symbols *s = locations_symbols(nm->env->locations, dso);
	struct unread_file *file = &nm->unread.items[dso];

	if (s->awaits || clock_mono_ns() - file->since_ns >= WAIT_S * NSEC_PER_SEC ||
	    nm->env->locations->pending >= NAMES_PENDING_ENOUGH)
		return;
	s->awaits = file->is_awaited = true;
}

/* Whether places had waited. */
static bool
end_waiting(struct names *nm, uint32_t dso)
{
	if (dso >= nm->unread.cap || !nm->unread.items[dso].is_awaited)
		return false;
	nm->unread.items[dso].is_awaited = false;
	locations_symbols(nm->env->locations, dso)->awaits = false;
	return true;
}

void
files_note_image(struct names *nm, const struct symbol_image_msg *m)
{
	if (note_answer(nm, m->dso, UNREAD_IMAGE, &m->unread)) {
		begin_waiting(nm, m->dso);
		return;
	}
	end_waiting(nm, m->dso);
	/* What had no name may have one now, also where it was found before. */
	if (unread_end(&nm->unread, m->dso, UNREAD_IMAGE) && m->image != NULL)
		feed_forget_places(nm->env->feed);
}

static void
ask_again(struct names *nm, const struct unread_ask *ask, uint64_t now_ns)
{
	struct symbol_ask a;

	if (files_ask(nm, &ask->file, &a) != NULL)
		return;
	if (ask->wants & UNREAD_RULES)
		files_ask_rules(nm, &a);
	if (!(ask->wants & UNREAD_IMAGE))
		return;
	locations_symbols(nm->env->locations, a.dso)->asked_ns = now_ns;
	files_ask_image(nm, &ask->file, &a);
}

/* Whether it makes sense that its places wait on. */
static bool
may_wait(const struct names *nm, uint32_t dso, uint64_t now_ns)
{
	const struct unread_file *file = &nm->unread.items[dso];

	return now_ns - file->since_ns < WAIT_S * NSEC_PER_SEC && (file->is_busy || !file->is_there) &&
	       nm->env->locations->pending < NAMES_PENDING_ENOUGH;
}

static void
let_go(struct names *nm, uint32_t dso)
{
	if (!end_waiting(nm, dso) || locations_keep_image(nm->env->locations, dso) == 0)
		return;
	nm->env->profile->fold_due = true;
	agenda_want(nm->env->agenda, AGENDA_SHOW);
}

void
files_ask_unread(struct names *nm, uint64_t now_ns)
{
	struct unread_files *u = &nm->unread;

	unread_look(u, nm->env->model, now_ns);
	for (size_t i = 0; i < u->ask_len; i++)
		ask_again(nm, &u->asks[i], now_ns);
	for (uint32_t dso = 0; dso < u->cap; dso++)
		if (u->items[dso].is_awaited && !may_wait(nm, dso, now_ns))
			let_go(nm, dso);
}

void
files_end_waiting(struct names *nm)
{
	for (uint32_t dso = 0; dso < nm->unread.cap; dso++)
		let_go(nm, dso);
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
