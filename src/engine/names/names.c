/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The questions that samples raise, carried to those who may block, and their answers. */
#include "engine/names/names_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "profile/place/location.h"
#include "symbol/kernel/vdso.h"

enum {
	IMAGE_AGAIN_S = 10, /* between two questions for one that was given back */
	COMMS_A_SECOND = 500, /* names of threads, while a process is looked into, */
	COMMS_ELSE = 100,     /* and else: each costs more than to look at the thread, */
	COMMS_PART = 5,       /* so it is such a part of that where looks are few */
	NAMES_TOGETHER = 512, /* a report: of a recording that is read names are asked for by as many */
};

/* An answer from /proc, in the model's terms. */
static void
learn_maps(struct names *nm, const struct proc_maps_msg *m)
{
	struct feed_map *maps;
	size_t len = 0;

	feed_cost_of_maps(nm->env->feed, m->cookie, m->took_ns);
	if (m->error != 0) {
		if (m->error == EACCES || m->error == EPERM)
			feed_deny_maps(nm->env->feed, m->cookie);
		feed_learn_maps(nm->env->feed, m->cookie, NULL, 0, m->clock_ns);
		return;
	}
	maps = mem_calloc(m->count + 1, sizeof(*maps));
	for (size_t i = 0; i < m->count; i++) {
		const struct proc_map *p = &m->maps[i];

		if (p->prot & PROT_EXEC)
			maps[len++] = (struct feed_map){ .map = { p->start, p->end, p->pgoff, 0 },
							 .maj = p->maj, .min = p->min,
							 .ino = p->ino, .path = m->names + p->name };
	}
	feed_learn_maps(nm->env->feed, m->cookie, maps, len, m->clock_ns);
	free(maps);
	for (size_t i = 0; i < nm->observer_count; i++)
		if (nm->observers[i].ops->maps != NULL)
			nm->observers[i].ops->maps(nm->observers[i].self, m);
}

/* Maps are applied when all records older than their reading have been. */
static void
learn_due_maps(struct names *nm)
{
	size_t kept = 0;

	for (size_t i = 0; i < nm->maps_len; i++) {
		struct proc_maps_msg *m = nm->maps[i];

		if (m->clock_ns >= nm->env->clock->counted_to_ns) {
			nm->maps[kept++] = m;
			continue;
		}
		learn_maps(nm, m);
		msg_free(&m->msg);
		agenda_want(nm->env->agenda, AGENDA_SHOW);
	}
	nm->maps_len = kept;
}

static void
ask_image(struct names *nm, const struct image_ask *ask)
{
	enum dso_kind kind = dsos_get(&nm->env->model->dsos, ask->dso)->kind;
	const struct no_image *why;
	struct symbol_ask a;

	if (files_learn_recorded(nm, ask->dso))
		return;
	if (kind == DSO_VSYSCALL) {
		locations_learn_image(nm->env->locations, ask->dso, vsyscall_image(), "", "");
		nm->env->profile->fold_due = true;
		return;
	}
	if (kind == DSO_ANON) {
		jit_ask(nm, ask);
		return;
	}
	why = files_ask(nm, ask, &a);
	if (why != NULL)
		files_learn_none(nm, ask->dso, why);
	else
		files_ask_image(nm, ask, &a);
}

static int
compare_names(const void *a, const void *b)
{
	const struct name_ask *x = a, *y = b;

	return x->dso != y->dso ? (x->dso < y->dso ? -1 : 1) : (x->fn < y->fn ? -1 : x->fn > y->fn);
}

/* Asks for all names wanted since the last time, one question for each dso. */
static void
ask_names(struct names *nm)
{
	struct locations *l = nm->env->locations;
	const char **raw = mem_calloc(l->name_len + 1, sizeof(*raw));
	uint32_t *fns = mem_calloc(l->name_len + 1, sizeof(*fns));
	size_t end;

	qsort(l->names, l->name_len, sizeof(*l->names), compare_names);
	for (size_t i = 0; i < l->name_len; i = end) {
		uint32_t dso = l->names[i].dso, n = 0;

		for (end = i; end < l->name_len && l->names[end].dso == dso; end++) {
			fns[n] = l->names[end].fn;
			raw[n++] = strs_get(&nm->env->model->strs, l->names[end].raw);
		}
		nm->asked_names++;
		symbol_service_ask_names(nm->env->symbols, dso, raw, fns, n);
	}
	l->name_len = 0;
	free(raw);
	free(fns);
}

/* Each question wakes two others.  A report of a recording shows no name before all is read. */
static bool
may_names_wait(const struct names *nm)
{
	const struct file_policy *p = nm->env->policy;

	return !p->has_processes && !p->is_complete && !nm->env->config->is_watched &&
	       nm->env->locations->name_len < NAMES_TOGETHER;
}

/* Where there is little time for them, files with few samples can wait: a build runs hundreds. */
static bool
is_spared(struct names *nm, uint32_t dso, uint64_t now)
{
	if (!names_are_spared(nm) || dsos_get(&nm->env->model->dsos, dso)->kind != DSO_FILE)
		return false;
	held_images_count(&nm->held, nm->env->profile, now);
	return held_images_wait(&nm->held, dso, now);
}

/* An image that was given back is asked for again, but seldom: the bound may be too small for all. */
static bool
was_asked_just_now(const struct names *nm, uint32_t dso, uint64_t now)
{
	const struct dso_symbols *s = locations_symbols(nm->env->locations, dso);

	return s->asked_ns != 0 && now - s->asked_ns < IMAGE_AGAIN_S * NSEC_PER_SEC &&
	       !nm->is_hurried;
}

/* Looks do not wait for what may take a minute. */
static void
set_put_off(struct names *nm, uint32_t dso, bool is_put_off)
{
	struct dso_symbols *s = locations_symbols(nm->env->locations, dso);
	bool was = s->is_put_off;

	s->is_put_off = is_put_off;
	if (is_put_off && !was)
		feed_learn_image(nm->env->feed, dso);
}

static void
ask_wanted_images(struct names *nm)
{
	struct feed *f = nm->env->feed;
	uint64_t now = f->image_len > 0 ? clock_mono_ns() : 0;
	size_t kept = 0;

	for (size_t i = 0; i < f->image_len; i++) {
		uint32_t dso = f->images[i].dso;

		if (was_asked_just_now(nm, dso, now) || is_spared(nm, dso, now)) {
			f->images[kept++] = f->images[i];
			set_put_off(nm, dso, true);
			continue;
		}
		set_put_off(nm, dso, false);
		locations_symbols(nm->env->locations, dso)->asked_ns = now;
		held_images_end(&nm->held, dso);
		ask_image(nm, &f->images[i]);
		if (locations_symbols(nm->env->locations, dso)->state != SYMBOLS_ASKED)
			feed_learn_image(f, dso);
	}
	f->image_len = kept;
}

/* On a screen thousands of threads get their names one after the other, processes theirs at once. */
void
names_ask_comms(struct names *nm)
{
	const bool is_watched = nm->env->config->is_watched;
	struct feed *f = nm->env->feed;
	uint64_t now = clock_mono_ns();
	size_t kept;

	if (now - nm->comms_ns >= NSEC_PER_SEC) {
		nm->comms_ns = now;
		nm->comms_left = nm->env->profile->keep_process != 0 ? COMMS_A_SECOND : COMMS_ELSE;
		if (nm->env->cost->turn_ns != 0)
			nm->comms_left /= COMMS_PART;
	}
	/* Those that were kept have nothing to hope for until there are some left. */
	kept = is_watched && nm->comms_left == 0 ? MIN(nm->comms_kept, f->comm_len) : 0;
	for (size_t i = kept; i < f->comm_len; i++) {
		const struct comm_ask *ask = &f->comms[i];
		bool is_counted = is_watched && ask->pid != ask->tid;

		if (is_counted && nm->comms_left == 0) {
			f->comms[kept++] = *ask;
			continue;
		}
		nm->comms_left -= is_counted;
		proc_reader_ask_comm(nm->env->proc, ask->pid, ask->tid, ask->task);
		nm->asked_comms++;
	}
	f->comm_len = nm->comms_kept = kept;
}

void
names_step(struct names *nm)
{
	struct feed *f = nm->env->feed;

	learn_due_maps(nm);
	jit_poll(nm, clock_mono_ns());
	for (size_t i = 0; i < f->map_len; i++)
		proc_reader_ask_maps(nm->env->proc, f->maps[i].pid, f->maps[i].cookie);
	ask_wanted_images(nm);
	f->map_len = 0;
	names_ask_comms(nm);
	if (nm->env->locations->name_len > 0 && !may_names_wait(nm))
		ask_names(nm);
	lines_step(nm);
	kernel_names_step(nm);
	rules_step(nm);
	variables_step(nm);
	containers_step(nm);
}

/* Those of events' places are sampling's. */
static enum part_reply
take_maps(void *names, struct msg *m)
{
	struct names *nm = names;

	if (((const struct proc_maps_msg *)m)->cookie & COOKIE_OF_PLACES)
		return PART_PASSES;
	VEC_ADD(nm->maps, nm->maps_len, nm->maps_cap) = (struct proc_maps_msg *)m;
	return PART_KEEPS;
}

static enum part_reply
take_comm(void *names, struct msg *m)
{
	const struct proc_comm_msg *c = (const struct proc_comm_msg *)m;
	struct names *nm = names;

	nm->asked_comms -= nm->asked_comms > 0;
	if (model_task_at(nm->env->model, c->cookie)->tid == c->tid) {
		if (c->error == 0)
			model_learn_comm(nm->env->model, c->cookie, c->comm);
		else
			model_cannot_name(nm->env->model, c->cookie);
	}
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	return PART_DONE;
}

static void
learn_image(struct names *nm, struct symbol_image_msg *m)
{
	files_note_image(nm, m);
	if (!downloads_note_image(nm, m))
		return;
	/* What is there was made of the file when it could be read. */
	if (m->image == NULL && m->unread.code != ERR_NONE &&
	    locations_symbols(nm->env->locations, m->dso)->image != NULL)
		return;
	for (size_t i = 0; i < nm->observer_count; i++)
		if (nm->observers[i].ops->build_id != NULL)
			nm->observers[i].ops->build_id(nm->observers[i].self, m->dso, m->build_id,
						       m->build_id_len);
	dso_source_learn(nm->env->locations, m);
	dsos_learn_generation(&nm->env->model->dsos, m->dso, m->ino_generation);
	nm->has_image |= m->image != NULL;
	if (locations_learn_image(nm->env->locations, m->dso, m->image, m->reason, m->remedy) > 0) {
		nm->env->profile->fold_due = true;
		rules_hurry_first(nm, m->image != NULL);
	}
	feed_learn_image(nm->env->feed, m->dso);
	m->image = NULL;
	downloads_noted_image(nm, m->dso, m->lacks_debug_file);
}

static enum part_reply
take_image(void *names, struct msg *msg)
{
	struct symbol_image_msg *m = (struct symbol_image_msg *)msg;
	struct names *nm = names;

	nm->asked_images--;
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	if (m->dso != DSO_ID_KERNEL) {
		learn_image(nm, m);
		return PART_DONE;
	}
	kernel_names_learn(nm, m);
	/* It names more rows than all the others: nobody need wait for the next step. */
	agenda_want(nm->env->agenda, AGENDA_HURRY);
	return PART_DONE;
}

static enum part_reply
take_names(void *names, struct msg *msg)
{
	const struct symbol_names_msg *m = (const struct symbol_names_msg *)msg;
	struct names *nm = names;

	nm->asked_names--;
	for (uint32_t i = 0; i < m->count; i++)
		locations_learn_name(nm->env->locations, m->dso, m->names[i].fn, m->names[i].name);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	return PART_DONE;
}

bool
names_are_settled(const struct names *nm)
{
	return nm->asked_images == 0 && nm->asked_names == 0 && nm->asked_comms == 0 &&
	       nm->asked_lines == 0 && rules_are_here(nm) && nm->env->feed->asked_len == 0 &&
	       nm->env->locations->name_len == 0 && jit_is_settled(nm) &&
	       variables_are_here(nm) && containers_are_here(nm);
}

void
names_set_hurried(struct names *nm, bool is_hurried)
{
	nm->is_hurried = is_hurried;
	if (is_hurried)
		jit_poll(nm, UINT64_MAX);
}

bool
names_await_files(const void *names)
{
	const struct names *nm = names;

	return nm->asked_images > 0 || !rules_are_here(nm);
}

bool
names_await_processes(const void *names)
{
	const struct names *nm = names;

	return nm->env->feed->asked_len > 0 || nm->asked_comms > 0;
}

/* What files cannot name is named here, for whoever asked. */
static enum part_reply
take_listing(void *names, struct msg *msg)
{
	const struct symbol_listing_msg *m = (const struct symbol_listing_msg *)msg;

	listings_name_targets(names, m);
	return instructions_learn(names, m) ? PART_DONE : PART_PASSES;
}

uint64_t
names_cpu_ns(const void *names)
{
	const struct names *nm = names;

	return symbol_service_cpu_ns(nm->env->symbols) +
	       symbol_service_openers_cpu_ns(nm->env->symbols) + fetch_cpu_ns(nm->downloads.fetch);
}

void
names_observe(struct names *nm, const struct names_observer *observer, void *self)
{
	assert(nm->observer_count < NAMES_OBSERVERS_MAX);
	nm->observers[nm->observer_count].ops = observer;
	nm->observers[nm->observer_count++].self = self;
}

struct names *
names_new(const struct engine_env *env, struct host *downloads)
{
	struct names *nm = mem_calloc(1, sizeof(*nm));

	nm->env = env;
	kernel_names_begin(nm);
	downloads_begin(nm, downloads);
	return nm;
}

static void
release(void *names)
{
	struct names *nm = names;

	if (nm == NULL)
		return;
	jit_free_all(nm);
	downloads_free(nm);
	sources_free(nm);
	variables_free(nm);
	held_images_release(&nm->held);
	unread_release(&nm->unread);
	for (size_t i = 0; i < nm->maps_len; i++)
		msg_free(&nm->maps[i]->msg);
	free(nm->maps);
	free(nm->files);
	free(nm);
}

static void
beat(void *names, uint64_t now_ns)
{
	jit_beat(names, now_ns);
	files_ask_unread(names, now_ns);
	names_beat_downloads(names);
}

static void
put_broken(const void *names, struct part_notices *n)
{
	part_notice(n, symbol_service_loss(((const struct names *)names)->env->symbols));
}

static void
put_page(const void *names, struct buf *b)
{
	rules_put(names, b);
}

static const struct part_message messages[] = {
	{ PROC_MSG_MAPS, take_maps },     { PROC_MSG_COMM, take_comm },
	{ PROC_MSG_TICK, processes_learn },
	{ SYMBOL_MSG_IMAGE, take_image }, { SYMBOL_MSG_NAMES, take_names },
	{ SYMBOL_MSG_LINES, lines_learn }, { SYMBOL_MSG_RULES, rules_on_rules },
	{ SYMBOL_MSG_FETCH, downloads_on_file }, { JIT_MSG_FILE, jit_on_file },
	{ SYMBOL_MSG_PLACES, variables_on_places }, { SYMBOL_MSG_LISTING, take_listing },
	{ SYMBOL_MSG_SOURCE, sources_on_source }, { SYMBOL_MSG_CONTAINER, containers_on_name },
};

const struct engine_part names_part = {
	.name = "names",
	.release = release,
	.beat = beat,
	.messages = messages,
	.message_count = ARRAY_SIZE(messages),
	.put_broken = put_broken,
	.put_notices = names_put_notices,
	.put_page = put_page,
	.put_head = names_put_head,
	.memory = names_memory,
	.memory_count = NAMES_MEMORIES,
};
