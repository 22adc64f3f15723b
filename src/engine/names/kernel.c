/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's names come from: the running kernel's list, read again when modules have come
 * since, or files that the user named.
 */
#include "engine/engine_impl.h"

#include <string.h>

#include "symbol/kernel/running_kernel.h"
#include "base/clock.h"
#include "profile/place/dso_source.h"
#include "symbol/kernel/kallsyms.h"

enum {
	KERNEL_AFTER_MS = 40,
	AGAIN_MS = 3000,       /* between looks whether there is a newer list */
	AGAIN_MS_MAX = 600000, /* the same if each look is to read it: each waits twice as long */
	FORGET_MS = 15000,     /* code without a name is looked for again */
};

static const struct no_image other_kernel = {
	"recorded with another kernel than the one that runs here",
	"--vmlinux or --kallsyms with that kernel's file, or look at it where it was made",
};

static const struct no_image untold_kernel = {
	"the recording does not tell the build-id of its kernel, as those from a pipe",
	"--kallsyms /proc/kallsyms if it is this machine's and of this boot, or record into a file",
};

static const struct no_image no_place = {
	"where the kernel was is not known: no map of it in the recording",
	"record as root, or with kernel.kptr_restrict=0",
};

static const struct no_image hidden = {
	"where the kernel is is hidden, and so what is in the named file cannot be found",
	"sysctl kernel.kptr_restrict=0, or run with CAP_SYSLOG",
};

/* Whether the kernel that runs here is the one that was sampled. */
static bool
is_here(const struct engine *e)
{
	return e->file == NULL || e->replay.is_this_kernel;
}

/* The path of a file that the user named and that was not refused. */
static const char *
named(const struct engine *e, const char *path)
{
	return e->kernel.files_refused ? NULL : path;
}

/* Where the sampled kernel begins, 0: not known. */
static uint64_t
sampled_text(const struct engine *e)
{
	return e->file == NULL ? running_kernel_text() : e->replay.kernel_text;
}

/* The build-id that a vmlinux must have; without one, what the user says is believed. */
static void
want_build_id(const struct engine *e, struct symbol_ask *ask)
{
	size_t len;

	if (e->file == NULL)
		len = running_kernel_build_id(ask->build_id);
	else
		len = datafile_build_id(e->file, "[kernel.kallsyms]", ask->build_id);
	ask->build_id_len = (uint8_t)len;
}

static void
send_ask(struct engine *e, struct symbol_ask *ask)
{
	e->kernel.is_asked = true;
	e->kernel.asked_ns = clock_mono_ns();
	e->kernel.asked_at = e->model->kernel_generation;
	e->asked_images++;
	symbol_service_ask_image(e->symbols, ask);
}

/* What the files that the user named are asked for; NULL, or why they are of no use. */
static const struct no_image *
ask_named(struct engine *e)
{
	struct symbol_ask ask = { .dso = DSO_ID_KERNEL, .kind = SYMBOL_KERNEL,
				  .kallsyms = named(e, e->config->kallsyms),
				  .text = sampled_text(e) };

	if (ask.text == 0)
		return e->file != NULL ? &no_place : &hidden;
	if (e->config->vmlinux != NULL) {
		ask.kind = SYMBOL_VMLINUX;
		ask.path = e->config->vmlinux;
		want_build_id(e, &ask);
	}
	if (ask.kallsyms == NULL && !is_here(e))
		ask.kallsyms = "";
	send_ask(e, &ask);
	return NULL;
}

static void
ask_first(struct engine *e)
{
	const struct engine_config *c = e->config;
	bool has_named = named(e, c->vmlinux) != NULL || named(e, c->kallsyms) != NULL;
	const struct no_image *why = NULL;
	uint8_t id[BUILD_ID_MAX];

	locations_symbols(&e->locations, DSO_ID_KERNEL)->state = SYMBOLS_ASKED;
	if (has_named)
		why = ask_named(e);
	else if (e->file != NULL && engine_replay_symbols(e, DSO_ID_KERNEL))
		return;
	else if (!is_here(e))
		why = datafile_build_id(e->file, "[kernel.kallsyms]", id) > 0 ? &other_kernel
									     : &untold_kernel;
	else
		send_ask(e, &(struct symbol_ask){ .dso = DSO_ID_KERNEL, .kind = SYMBOL_KERNEL });
	/* What is loaded later is in no file, and what a recording has seen is over. */
	e->locations.kernel_changes = e->file == NULL && !has_named;
	if (why != NULL)
		engine_learn_no_image(e, DSO_ID_KERNEL, why);
}

/*
 * Code of the kernel has no name: modules may have been loaded since its list was read.  Whether it
 * has changed is cheap to see, so that code which never has a name costs next to nothing.
 */
static void
ask_again(struct engine *e, uint64_t now_ns)
{
	struct locations *l = &e->locations;
	uint64_t age_ns = now_ns - e->kernel.asked_ns;

	if (e->kernel.is_asked)
		return;
	if (l->kernel_missed && (e->is_settling || age_ns >= e->kernel.again_ns)) {
		l->kernel_missed = false;
		send_ask(e, &(struct symbol_ask){ .dso = DSO_ID_KERNEL, .kind = SYMBOL_KERNEL,
						  .state = e->kernel.state });
	} else if (age_ns >= FORGET_MS * NSEC_PER_MSEC &&
		   locations_symbols(l, DSO_ID_KERNEL)->pages > 0) {
		e->kernel.asked_ns = now_ns;
		model_kernel_changed(e->model);
	}
}

void
engine_ask_kernel(struct engine *e)
{
	enum dso_symbols_state state = locations_symbols(&e->locations, DSO_ID_KERNEL)->state;
	uint64_t now_ns = clock_mono_ns();

	/* The kernel's names cost most: those of users' programs come first to the screen. */
	if (state == SYMBOLS_NONE && (e->file != NULL || e->config->batch ||
				      now_ns - e->started_ns >= KERNEL_AFTER_MS * NSEC_PER_MSEC))
		ask_first(e);
	else if (state == SYMBOLS_READY && e->locations.kernel_changes)
		ask_again(e, now_ns);
}

/* What the user named cannot be used: it is said, and the running kernel's list is as good. */
static bool
is_refused(struct engine *e, const struct symbol_image_msg *m)
{
	if (m->image != NULL || e->kernel.files_refused ||
	    (e->config->vmlinux == NULL && e->config->kallsyms == NULL))
		return false;
	e->kernel.files_refused = true;
	engine_send_status(e, true, "%s: %s%s%s",
			   e->config->vmlinux != NULL ? "--vmlinux" : "--kallsyms", m->reason,
			   *m->remedy != '\0' ? ": " : "", m->remedy);
	return is_here(e);
}

static void
learn_list(struct engine *e, struct symbol_image_msg *m)
{
	if (locations_learn_image(&e->locations, m->dso, m->image, m->reason, m->remedy) > 0)
		e->profile->fold_due = true;
	m->image = NULL;
	dso_source_learn(&e->locations, m);
	ksymbols_forget_gone(&e->model->ksymbols, e->kernel.asked_at);
	model_kernel_changed(e->model);
	e->kernel.state = m->state;
	e->record.is_kernel_told = false;
}

void
engine_take_kernel(struct engine *e, struct symbol_image_msg *m)
{
	struct locations *l = &e->locations;
	bool has_list = locations_symbols(l, DSO_ID_KERNEL)->state == SYMBOLS_READY;

	e->kernel.is_asked = false;
	if (is_refused(e, m)) {
		ask_first(e);
	} else if (has_list && m->image == NULL) {
		e->kernel.again_ns = AGAIN_MS * NSEC_PER_MSEC;
		if (locations_keep_image(l, m->dso) > 0)
			e->profile->fold_due = true;
	} else if (has_list && (e->asked_names > 0 || l->name_len > 0)) {
		/* Names of the last list are still on their way: once more, later. */
		l->kernel_missed = true;
	} else {
		e->kernel.again_ns = has_list ? MIN(2 * e->kernel.again_ns,
						    AGAIN_MS_MAX * NSEC_PER_MSEC)
					      : AGAIN_MS * NSEC_PER_MSEC;
		learn_list(e, m);
	}
}

void
engine_put_kernel_record(const struct engine *e, const struct location *loc, struct buf *b)
{
	const struct ksymbol *told = ksymbols_find(&e->model->ksymbols, loc->offset);

	buf_add_str(b, "the kernel's records of code that comes and goes");
	if (told != NULL && told->name == loc->name && told->bpf_id != 0)
		buf_addf(b, ": BPF program %u", told->bpf_id);
}
