/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's names come from: the running kernel's list, read again when modules have come
 * since, or files that the user named.
 */
#include "engine/names/names_impl.h"

#include "base/clock.h"
#include "profile/place/location.h"

enum {
	KERNEL_AFTER_MS = 40,
	AGAIN_MS = 3000,       /* between looks whether there is a newer list */
	AGAIN_MS_MAX = 600000, /* the same if each look is to read it: each waits twice as long */
	FORGET_MS = 15000,     /* code without a name is looked for again */
	TOLD_LEAST = 20,       /* samples in a recording's kernel, */
	TOLD_PART = 10,        /* and one in so many of all: that they have no names is told */
};

static const struct no_image other_kernel = {
	"recorded with another kernel than the one that runs here",
	"--vmlinux or --kallsyms with that kernel's file, or look at it where it was made",
};

static const struct no_image kernel_without_id = {
	"the recording has no build-id of its kernel: those that were cut off, from a pipe, or by perf "
	"record -z or -B, have none",
	"--kallsyms /proc/kallsyms if it was made here since the boot, or record without these",
};

static const struct no_image no_place = {
	"the recording does not say where the kernel was: its addresses were hidden, programs alone "
	"were to be sampled, or it was cut off",
	"record with names: as root, or with CAP_SYSLOG, and with kernel.kptr_restrict=0; or --kallsyms "
	"/proc/kallsyms if it was made here since the boot",
};

static const struct no_image hidden = {
	"the kernel's addresses are hidden, so the symbols of that file cannot be placed",
	"run with CAP_SYSLOG, or: sudo sysctl kernel.kptr_restrict=0",
};

static const struct no_image hidden_here = {
	"the kernel's addresses are hidden from this user and cannot be compared",
	"look at it as root, or with kernel.kptr_restrict=0 and kernel.perf_event_paranoid=1",
};

/* The path of a file that the user named and that was not refused. */
static const char *
named(const struct names *nm, const char *path)
{
	return nm->kernel.files_refused ? NULL : path;
}

static void
send_ask(struct names *nm, struct symbol_ask *ask)
{
	nm->kernel.is_asked = true;
	nm->kernel.asked_ns = clock_mono_ns();
	nm->kernel.asked_at = nm->env->model->kernel_generation;
	nm->asked_images++;
	symbol_service_ask_image(nm->env->symbols, ask);
}

/* What the files that the user named are asked for; NULL, or why they are of no use. */
static const struct no_image *
ask_named(struct names *nm)
{
	const struct file_policy *p = nm->env->policy;
	struct symbol_ask ask = { .dso = DSO_ID_KERNEL, .kind = SYMBOL_KERNEL,
				  .kallsyms = named(nm, nm->env->config->kallsyms),
				  .text = p->kernel_text(p) };

	/* Without the kernel's place a recording's list is believed as it is: the user says so. */
	if (ask.text == 0 && (p->has_processes || nm->env->config->vmlinux != NULL))
		return p->has_processes ? &hidden : &no_place;
	if (nm->env->config->vmlinux != NULL) {
		ask.kind = SYMBOL_VMLINUX;
		ask.path = nm->env->config->vmlinux;
		/* Without one, what the user says is believed. */
		ask.build_id_len = (uint8_t)p->kernel_build_id(p, ask.build_id);
	}
	if (ask.kallsyms == NULL && !p->is_this_kernel)
		ask.kallsyms = "";
	send_ask(nm, &ask);
	return NULL;
}

/*
 * Why the list of the kernel that runs here is of no use.  NULL: it is, moved if that kernel was
 * elsewhere, as on another boot.
 */
static const struct no_image *
why_not_this_kernel(const struct file_policy *p)
{
	uint8_t id[BUILD_ID_MAX];

	if (p->is_this_kernel)
		return NULL;
	if (p->kernel_text(p) == 0)
		return &no_place;
	if (p->kernel_build_id(p, id) == 0)
		return &kernel_without_id;
	if (!p->is_this_build)
		return &other_kernel;
	return p->is_kernel_hidden ? &hidden_here : NULL;
}

static const struct no_image *
ask_running(struct names *nm)
{
	const struct file_policy *p = nm->env->policy;
	struct symbol_ask ask = { .dso = DSO_ID_KERNEL, .kind = SYMBOL_KERNEL };
	const struct no_image *why = why_not_this_kernel(p);

	if (why != NULL)
		return why;
	ask.text = p->is_this_kernel ? 0 : p->kernel_text(p);
	send_ask(nm, &ask);
	return NULL;
}

static void
ask_first(struct names *nm)
{
	const struct engine_config *c = nm->env->config;
	const struct file_policy *p = nm->env->policy;
	bool has_named = named(nm, c->vmlinux) != NULL || named(nm, c->kallsyms) != NULL;
	const struct no_image *why = NULL;

	locations_symbols(nm->env->locations, DSO_ID_KERNEL)->state = SYMBOLS_ASKED;
	if (has_named)
		why = ask_named(nm);
	else if (files_learn_recorded(nm, DSO_ID_KERNEL))
		return;
	else
		why = ask_running(nm);
	/* What is loaded later is in no file, and what a recording has seen is over. */
	nm->env->locations->kernel_changes = p->has_processes && !has_named;
	if (why != NULL)
		files_learn_none(nm, DSO_ID_KERNEL, why);
}

/*
 * Code of the kernel has no name: modules may have been loaded since its list was read.  Whether it
 * has changed is cheap to see, so that code which never has a name costs next to nothing.
 */
static void
ask_again(struct names *nm, uint64_t now_ns)
{
	struct locations *l = nm->env->locations;
	struct ksymbols *k = &nm->env->model->ksymbols;
	uint64_t age_ns = now_ns - nm->kernel.asked_ns;

	if (nm->kernel.is_asked)
		return;
	if (l->kernel_missed && (nm->is_hurried || age_ns >= nm->kernel.again_ns)) {
		l->kernel_missed = false;
		send_ask(nm, &(struct symbol_ask){ .dso = DSO_ID_KERNEL, .kind = SYMBOL_KERNEL,
						  .state = nm->kernel.state,
						  .programs = nm->kernel.programs,
						  .knows_programs = k->are_told && !k->are_missed });
		k->are_missed = false;
	} else if (age_ns >= FORGET_MS * NSEC_PER_MSEC &&
		   locations_symbols(l, DSO_ID_KERNEL)->pages > 0) {
		nm->kernel.asked_ns = now_ns;
		model_kernel_changed(nm->env->model);
	}
}

/* They cost most: on a screen those of users' programs come first. */
void
kernel_names_begin(struct names *nm)
{
	if (nm->env->policy->has_processes && nm->env->config->is_watched)
		nm->kernel.first_ns = nm->env->clock->begin_ns + KERNEL_AFTER_MS * NSEC_PER_MSEC;
}

void
kernel_names_step(struct names *nm)
{
	enum dso_symbols_state state = locations_symbols(nm->env->locations, DSO_ID_KERNEL)->state;
	uint64_t now_ns = clock_mono_ns();

	if (state == SYMBOLS_NONE && now_ns >= nm->kernel.first_ns)
		ask_first(nm);
	else if (state == SYMBOLS_READY && nm->env->locations->kernel_changes)
		ask_again(nm, now_ns);
}

/* What the user named cannot be used: it is said, and the running kernel's list is as good. */
static bool
is_refused(struct names *nm, const struct symbol_image_msg *m)
{
	if (m->image != NULL || nm->kernel.files_refused ||
	    (nm->env->config->vmlinux == NULL && nm->env->config->kallsyms == NULL))
		return false;
	nm->kernel.files_refused = true;
	notes_refuse(nm->env->notes, "%s: %s%s%s",
			   nm->env->config->vmlinux != NULL ? "--vmlinux" : "--kallsyms", m->reason,
			   *m->remedy != '\0' ? ": " : "", m->remedy);
	return why_not_this_kernel(nm->env->policy) == NULL;
}

static void
learn_list(struct names *nm, struct symbol_image_msg *m)
{
	if (locations_learn_image(nm->env->locations, m->dso, m->image, m->reason, m->remedy) > 0)
		nm->env->profile->fold_due = true;
	m->image = NULL;
	dso_source_learn(nm->env->locations, m);
	ksymbols_forget_gone(&nm->env->model->ksymbols, nm->kernel.asked_at);
	model_kernel_changed(nm->env->model);
	nm->kernel.state = m->state;
	nm->kernel.programs = m->programs;
	for (size_t i = 0; i < nm->observer_count; i++)
		if (nm->observers[i].ops->kernel != NULL)
			nm->observers[i].ops->kernel(nm->observers[i].self);
}

void
kernel_names_learn(struct names *nm, struct symbol_image_msg *m)
{
	struct locations *l = nm->env->locations;
	bool has_list = locations_symbols(l, DSO_ID_KERNEL)->state == SYMBOLS_READY;

	nm->kernel.is_asked = false;
	if (is_refused(nm, m)) {
		ask_first(nm);
	} else if (has_list && m->image == NULL) {
		nm->kernel.again_ns = AGAIN_MS * NSEC_PER_MSEC;
		if (locations_keep_image(l, m->dso) > 0)
			nm->env->profile->fold_due = true;
	} else if (has_list && (nm->asked_names > 0 || l->name_len > 0)) {
		/* Names of the last list are still on their way: once more, later. */
		l->kernel_missed = true;
	} else {
		nm->kernel.again_ns = has_list ? MIN(2 * nm->kernel.again_ns,
						    AGAIN_MS_MAX * NSEC_PER_MSEC)
					      : AGAIN_MS * NSEC_PER_MSEC;
		learn_list(nm, m);
	}
}

static bool
is_much_in_kernel(const struct names *nm)
{
	const struct tables *t = &nm->env->profile->tables;
	const struct locations *l = nm->env->locations;
	uint64_t all = 0, kernel = 0;

	for (uint32_t i = 1; i < t->cells[TABLE_HOT].len; i++) {
		uint64_t samples = t->cells[TABLE_HOT].items[i].all_samples;

		all += samples;
		if (l->items[locations_resolve(l, t->hot[i].location)].dso == DSO_ID_KERNEL)
			kernel += samples;
	}
	return kernel >= TOLD_LEAST && kernel * TOLD_PART >= all;
}

bool
kernel_names_limit(const struct names *nm, struct arena *arena, struct snapshot_limit *limit)
{
	const struct dso_symbols *kernel = locations_symbols(nm->env->locations, DSO_ID_KERNEL);
	const struct strs *strs = &nm->env->model->strs;

	if (kernel->state != SYMBOLS_FAILED || kernel->pages == 0)
		return false;
	/* Recordings are often of other machines: of few samples the view unnamed tells. */
	if (!nm->env->policy->has_processes && !is_much_in_kernel(nm))
		return false;
	limit->text = arena_printf(arena, "functions of the kernel have no names: %s",
				   strs_get(strs, kernel->reason));
	limit->remedy = arena_strdup(arena, strs_get(strs, kernel->remedy));
	return true;
}
