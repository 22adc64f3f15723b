/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples make the engine ask: maps of processes, symbols of files, names, source lines; and
 * what becomes of the answers.
 */
#include "engine/engine_impl.h"

#include <stdlib.h>

#include "base/clock.h"
#include "profile/place/dso_source.h"
#include "symbol/kernel/vsyscall.h"

enum {
	IMAGE_AGAIN_S = 10, /* between two questions for one that was given back */
	LINES_MAX = 64, /* source lines asked for at a time: about a screen of them */
	LINE_LEAST_PERCENT = 1, /* rarer functions do not make it read all of a file's debug data */
	NAMES_TOGETHER = 512, /* a report: of a recording that is read names are asked for by as many */
};

/* An answer from /proc, in the model's terms. */
static void
learn_maps(struct engine *e, const struct proc_maps_msg *m)
{
	struct feed_map *maps;

	if (m->error != 0) {
		feed_learn_maps(&e->feed, m->cookie, NULL, 0, m->clock_ns);
		return;
	}
	maps = mem_calloc(m->count + 1, sizeof(*maps));
	for (size_t i = 0; i < m->count; i++) {
		const struct proc_map *p = &m->maps[i];

		maps[i] = (struct feed_map){ .map = { p->start, p->end, p->pgoff, 0 },
					     .maj = p->maj, .min = p->min, .ino = p->ino,
					     .path = m->names + p->name };
	}
	feed_learn_maps(&e->feed, m->cookie, maps, m->count, m->clock_ns);
	free(maps);
}

/* Maps are applied when all records older than their reading have been. */
static void
learn_due_maps(struct engine *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->maps_len; i++) {
		struct proc_maps_msg *m = e->maps[i];

		if (m->clock_ns >= e->drained_to_ns) {
			e->maps[kept++] = m;
			continue;
		}
		learn_maps(e, m);
		proc_maps_msg_free(m);
		e->changed = true;
	}
	e->maps_len = kept;
}

static struct symbol_ask
symbol_ask_of(struct engine *e, const struct image_ask *ask)
{
	const struct dso *dso = dsos_get(&e->model->dsos, ask->dso);
	struct symbol_ask a = {
		.dso = ask->dso, .kind = SYMBOL_ELF,
		.pid = ask->pid, .start = ask->start, .end = ask->end,
		.maj = dso->maj, .min = dso->min, .ino = dso->ino,
		.ino_generation = dso->ino_generation,
		.path = strs_get(&e->model->strs, dso->path),
	};

	if (e->file != NULL)
		engine_replay_identity(e, &a);
	return a;
}

/* Remembers how the file was found: its lines may be asked for later. */
static void
keep_file(struct engine *e, const struct image_ask *ask)
{
	size_t old = e->file_cap;

	vec_reserve(&e->files, &e->file_cap, ask->dso + 1, sizeof(*e->files));
	if (e->file_cap > old)
		memset(e->files + old, 0, (e->file_cap - old) * sizeof(*e->files));
	e->files[ask->dso] = *ask;
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
engine_learn_no_image(struct engine *e, uint32_t dso, const struct no_image *why)
{
	locations_learn_image(&e->locations, dso, NULL, why->reason, why->remedy);
	e->profile->fold_due = true;
}

const struct no_image *
engine_file_ask(struct engine *e, const struct image_ask *ask, struct symbol_ask *a)
{
	*a = symbol_ask_of(e, ask);
	switch (dsos_get(&e->model->dsos, ask->dso)->kind) {
	case DSO_FILE:
	case DSO_JITDUMP:
		return *a->path == '\0' ? &other_host : NULL;
	case DSO_VDSO32:
		/* It is had from a process that lives. */
		a->kind = SYMBOL_MEMORY;
		return e->file != NULL ? &no_vdso32 : NULL;
	case DSO_VDSO:
		/* Each kernel has its own. */
		a->kind = SYMBOL_VDSO;
		return e->file != NULL && !e->replay.is_this_kernel ? &other_vdso : NULL;
	case DSO_MODULE:
		/* By its build-id alone: where a module was, another one may be now. */
		if (e->file != NULL && *a->path == '/' &&
		    (a->build_id_len > 0 || e->config->symfs != NULL))
			return NULL;
		break;
	case DSO_KERNEL: /* see engine_kernel.c */
	case DSO_UNKNOWN:
	case DSO_VSYSCALL:
	case DSO_ANON:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
		break;
	}
	return &no_file;
}

static void
ask_image(struct engine *e, const struct image_ask *ask)
{
	enum dso_kind kind = dsos_get(&e->model->dsos, ask->dso)->kind;
	const struct no_image *why;
	struct symbol_ask a;

	if (e->file != NULL && engine_replay_symbols(e, ask->dso))
		return;
	if (kind == DSO_VSYSCALL) {
		locations_learn_image(&e->locations, ask->dso, vsyscall_image(), "", "");
		e->profile->fold_due = true;
		return;
	}
	if (kind == DSO_ANON) {
		engine_jit_ask(e, ask);
		return;
	}
	why = engine_file_ask(e, ask, &a);
	if (why != NULL) {
		engine_learn_no_image(e, ask->dso, why);
		return;
	}
	if (kind == DSO_FILE || kind == DSO_JITDUMP)
		keep_file(e, ask);
	e->asked_images++;
	dso_source_learn_build_id(&e->locations, ask->dso, a.build_id, a.build_id_len);
	symbol_service_ask_image(e->symbols, &a);
}

static int
compare_names(const void *a, const void *b)
{
	const struct name_ask *x = a, *y = b;

	return x->dso != y->dso ? (x->dso < y->dso ? -1 : 1) : (x->fn < y->fn ? -1 : x->fn > y->fn);
}

/* Asks for all names wanted since the last time, one question for each dso. */
static void
ask_names(struct engine *e)
{
	struct locations *l = &e->locations;
	const char **raw = mem_calloc(l->name_len + 1, sizeof(*raw));
	uint32_t *fns = mem_calloc(l->name_len + 1, sizeof(*fns));
	size_t end;

	qsort(l->names, l->name_len, sizeof(*l->names), compare_names);
	for (size_t i = 0; i < l->name_len; i = end) {
		uint32_t dso = l->names[i].dso, n = 0;

		for (end = i; end < l->name_len && l->names[end].dso == dso; end++) {
			fns[n] = l->names[end].fn;
			raw[n++] = strs_get(&e->model->strs, l->names[end].raw);
		}
		e->asked_names++;
		symbol_service_ask_names(e->symbols, dso, raw, fns, n);
	}
	l->name_len = 0;
	free(raw);
	free(fns);
}

/* Each question wakes two others.  A report of a recording shows no name before all is read. */
static bool
may_names_wait(const struct engine *e)
{
	return e->file != NULL && e->config->batch && !e->replay.is_done &&
	       e->locations.name_len < NAMES_TOGETHER;
}

bool
engine_ask_inlines_of(struct engine *e, uint32_t dso, const uint64_t *addrs, uint32_t count)
{
	struct symbol_ask a;

	if (dso >= e->file_cap || e->files[dso].dso == 0)
		return false;
	a = symbol_ask_of(e, &e->files[dso]);
	e->asked_lines++;
	symbol_service_ask_inlines(e->symbols, &a, addrs, count);
	return true;
}

static void
ask_lines(struct engine *e, uint32_t dso, const uint64_t *addrs, uint32_t count)
{
	struct symbol_ask a;

	/* How a file is found is known once its image was asked for. */
	if (dso >= e->file_cap || e->files[dso].dso == 0)
		return;
	a = symbol_ask_of(e, &e->files[dso]);
	e->asked_lines++;
	symbol_service_ask_lines(e->symbols, &a, addrs, count);
}

/* Asks for all lines that samples are grouped by, one question for each dso. */
static void
ask_wanted_lines(struct engine *e)
{
	size_t count, end;
	struct srcline *lines = srclines_take(&e->profile->lines, &count);
	uint64_t *addrs = mem_calloc(count + 1, sizeof(*addrs));

	for (size_t i = 0; i < count; i = end) {
		uint32_t n = 0;

		for (end = i; end < count && lines[end].dso == lines[i].dso; end++)
			addrs[n++] = lines[end].offset;
		ask_lines(e, lines[i].dso, addrs, n);
	}
	free(addrs);
	free(lines);
}

/* One that was given back is asked for now and then only: the bound may be too small for all. */
static void
ask_wanted_images(struct engine *e)
{
	struct feed *f = &e->feed;
	uint64_t now = f->image_len > 0 ? clock_mono_ns() : 0;
	size_t kept = 0;

	for (size_t i = 0; i < f->image_len; i++) {
		struct dso_symbols *s = locations_symbols(&e->locations, f->images[i].dso);

		if (s->asked_ns != 0 && now - s->asked_ns < IMAGE_AGAIN_S * NSEC_PER_SEC &&
		    !e->is_settling) {
			f->images[kept++] = f->images[i];
			continue;
		}
		s->asked_ns = now;
		ask_image(e, &f->images[i]);
	}
	f->image_len = kept;
}

void
engine_learn_answers(struct engine *e)
{
	struct feed *f = &e->feed;

	learn_due_maps(e);
	engine_jit_poll(e, clock_mono_ns());
	for (size_t i = 0; i < f->map_len; i++)
		proc_reader_ask_maps(e->proc, f->maps[i].pid, f->maps[i].cookie);
	ask_wanted_images(e);
	for (size_t i = 0; i < f->comm_len; i++)
		proc_reader_ask_comm(e->proc, f->comms[i].pid, f->comms[i].tid, f->comms[i].task);
	e->asked_comms += f->comm_len;
	f->map_len = f->comm_len = 0;
	if (e->locations.name_len > 0 && !may_names_wait(e))
		ask_names(e);
	if (e->profile->lines.asked < e->profile->lines.len)
		ask_wanted_lines(e);
	engine_ask_kernel(e);
	engine_ask_rules(e);
}

void
engine_ask_image_again(struct engine *e, uint32_t dso)
{
	struct symbol_ask a;

	if (dso >= e->file_cap || e->files[dso].dso == 0)
		return;
	a = symbol_ask_of(e, &e->files[dso]);
	e->asked_images++;
	symbol_service_ask_image(e->symbols, &a);
}

void
engine_take_image(struct engine *e, struct symbol_image_msg *m)
{
	e->asked_images--;
	e->changed = true;
	if (m->dso == DSO_ID_KERNEL) {
		engine_take_kernel(e, m);
		/* It names more rows than all the others: nobody need wait for the next step. */
		e->next_hurry_ns = 0;
		return;
	}
	if (!engine_fetch_takes_image(e, m))
		return;
	engine_record_build_id(e, m->dso, m->build_id, m->build_id_len);
	dso_source_learn(&e->locations, m);
	dsos_learn_generation(&e->model->dsos, m->dso, m->ino_generation);
	if (locations_learn_image(&e->locations, m->dso, m->image, m->reason, m->remedy) > 0)
		e->profile->fold_due = true;
	m->image = NULL;
	engine_fetch_took_image(e, m->dso, m->lacks_debug_file);
	/* All that were asked for: the first names need not wait for the next step.  A frame is dear. */
	if (e->asked_images == 0 && !e->has_first_names) {
		e->has_first_names = true;
		e->next_hurry_ns = 0;
	}
}

void
engine_take_names(struct engine *e, struct symbol_names_msg *m)
{
	e->asked_names--;
	for (uint32_t i = 0; i < m->count; i++)
		locations_learn_name(&e->locations, m->dso, m->names[i].fn, m->names[i].name);
	e->changed = true;
}

bool
engine_is_settled(const struct engine *e)
{
	return e->asked_images == 0 && e->asked_names == 0 && e->asked_comms == 0 &&
	       e->asked_lines == 0 && engine_has_rules(e) &&
	       e->feed.asked_len == 0 && e->locations.name_len == 0 && engine_jit_is_settled(e);
}

/* Asks for the line of each shown function's hottest instruction, when that has changed. */
void
engine_ask_lines(struct engine *e, const struct snapshot *s)
{
	size_t asked = 0;

	for (size_t i = 0; i < s->row_count && asked < LINES_MAX; i++) {
		uint32_t id = s->rows[i].location;
		struct location *loc = &e->locations.items[id];
		uint64_t addr = loc->offset + loc->hot_offset;

		if (s->rows[i].share * 100 < LINE_LEAST_PERCENT)
			continue;
		if (id == 0 || loc->kind != LOCATION_FUNCTION || loc->hot_votes == 0 ||
		    loc->line_of == addr || loc->dso >= e->file_cap || e->files[loc->dso].dso == 0)
			continue;
		loc->line_of = addr;
		ask_lines(e, loc->dso, &addr, 1);
		asked++;
	}
}

void
engine_take_lines(struct engine *e, struct symbol_lines_msg *m)
{
	e->asked_lines--;
	e->changed = true;
	if (m->of_inlines) {
		engine_take_inlines(e, m);
		return;
	}
	for (uint32_t i = 0; i < m->count; i++) {
		const struct symbol_line *line = &m->lines[i];

		if (line->line == NULL)
			continue;
		locations_learn_line(&e->locations, m->dso, line->addr, line->line);
		if (labels_want(&e->profile->labels, KEY_SRCLINE))
			srclines_learn(&e->profile->lines, m->dso, line->addr,
				       strs_add_str(&e->model->strs, line->line));
	}
}
