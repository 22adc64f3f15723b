/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/engine_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/dso_source.h"
#include "record/abi.h"
#include "symbol/vsyscall.h"

enum {
	PRESSED_PERCENT = 37, /* of a ring: fuller, and it is emptied sooner */
	FULL_PERCENT = 50,
	IMAGE_AGAIN_S = 10, /* between two questions for one that was given back */
	LINES_MAX = 64, /* source lines asked for at a time: about a screen of them */
	LINE_LEAST_PERCENT = 1, /* rarer functions do not make it read all of a file's debug data */
};

static int
peek_ring(void *self, struct bytes *out)
{
	return ring_peek(self, out);
}

static void
advance_ring(void *self)
{
	ring_advance(self);
}

static void
take_throttle(struct engine *e, const struct record *rec)
{
	const bool begins = rec->type == PERF_RECORD_THROTTLE;
	uint32_t event = engine_event_of(e, rec->throttle.id);

	if (begins)
		e->throttled++;
	if (begins && event != UINT32_MAX)
		e->events[event].throttled++;
	if (e->file == NULL) /* recordings need not tell the CPU */
		losses_throttle(&e->losses, rec->id.cpu, rec->throttle.time_ns, begins);
}

/* Only a hint: losses at the end are told by no record.  The counts are FORMAT_LOST's. */
static void
take_lost(struct engine *e, const struct record *rec)
{
	uint64_t id = rec->type == PERF_RECORD_LOST ? rec->lost.id : rec->id.id;

	/* A recording is all that there is to know: nothing can be read again. */
	if (e->file != NULL || engine_event_of(e, id) != UINT32_MAX) {
		e->lost_hint += rec->lost.lost;
		if (e->file == NULL)
			losses_lost(&e->losses, rec->id.cpu, rec->lost.lost);
		return;
	}
	/* Lost side-band: what is known of maps and names may be wrong from here on. */
	e->lost_sideband += rec->lost.lost;
	model_doubt_all(e->model);
}

static void
take_model(struct engine *e, const struct record *rec)
{
	model_record(e->model, rec);
}

static void
take_comm(struct engine *e, const struct record *rec)
{
	model_record(e->model, rec);
	if (rec->comm.is_exec)
		engine_auto_exec(e, rec);
}

/* A child is called as its parent until it has an exec. */
static void
take_fork(struct engine *e, const struct record *rec)
{
	uint32_t parent;

	model_record(e->model, rec);
	parent = e->file == NULL ? model_find_task(e->model, (int)rec->task.ptid) : 0;
	if (parent != 0)
		feed_want_comm(&e->feed, parent);
}

/* What samples are there already waits for names of what has been there, not of what comes. */
static void
take_ksymbol(struct engine *e, const struct record *rec)
{
	enum { TYPE_BPF = 1, UNREGISTERED = 1 }; /* PERF_RECORD_KSYMBOL_* */
	struct ksymbol was = { .start = rec->ksymbol.addr,
			       .end = rec->ksymbol.addr + rec->ksymbol.len,
			       .is_bpf = rec->ksymbol.kind == TYPE_BPF };

	if (rec->ksymbol.flags & UNREGISTERED)
		was.name = strs_add_str(&e->model->strs, rec->ksymbol.name);
	if (locations_kernel_changes(&e->locations, &was) > 0)
		e->profile->fold_due = true;
	model_record(e->model, rec);
}

/* What is done with the records that are no samples. */
static const struct {
	uint32_t type;
	void (*take)(struct engine *e, const struct record *rec);
} takers[] = {
	{ PERF_RECORD_MMAP2, take_model },      { PERF_RECORD_COMM, take_comm },
	{ PERF_RECORD_FORK, take_fork },        { PERF_RECORD_EXIT, take_model },
	{ PERF_RECORD_THROTTLE, take_throttle }, { PERF_RECORD_UNTHROTTLE, take_throttle },
	{ PERF_RECORD_LOST, take_lost },
	{ PERF_RECORD_LOST_SAMPLES, take_lost }, { PERF_RECORD_MMAP, take_model },
	{ PERF_RECORD_KSYMBOL, take_ksymbol },  { ABI_RECORD_CGROUP, take_model },
	{ ABI_RECORD_BPF_EVENT, take_model },
	{ ABI_RECORD_CALLCHAIN_DEFERRED, engine_take_deferred },
};

void
engine_take_sideband(struct engine *e, const struct record *rec)
{
	e->rate.sideband++;
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++) {
		if (takers[i].type == rec->type) {
			takers[i].take(e, rec);
			return;
		}
	}
	told_add(&e->told, rec->type);
}

static void
take_sample(struct engine *e, const struct record *rec, uint64_t tag, struct bytes bytes)
{
	uint32_t event = engine_event_of(e, rec->id.id);

	if (e->autos != NULL && !engine_auto_wants(e, rec, &tag))
		return;
	if (event == UINT32_MAX)
		e->unknown++;
	else if (engine_is_twice(e, rec->id.id, (int)rec->id.tid))
		e->events[event].twice++;
	else if (engine_defer_sample(e, event, 0, rec, bytes) ||
		 feed_sample(&e->feed, event, rec, tag, bytes))
		engine_record_new_sample(e, rec, bytes, tag);
	if (e->autos != NULL)
		engine_auto_sampled(e, rec);
}

static bool
take_value(struct engine *e, uint64_t id, const struct record *rec, struct bytes bytes)
{
	uint32_t event = engine_event_of(e, id);

	if (event != UINT32_MAX)
		return feed_sample(&e->feed, event, rec, 0, bytes);
	e->unknown++;
	return false;
}

static void
take_record(struct engine *e, struct bytes bytes, uint64_t time_ns)
{
	const struct record_layout *layout = record_layouts_of(&e->layouts, bytes);
	struct record rec;
	uint64_t tag = 0;
	int res;

	if (time_ns != 0 && time_ns < e->drained_to_ns)
		e->late += time_ns >= e->ring_since_ns;
	/*
	 * Where tasks have descriptors of their own, each sample is looked at: some come twice.  Those
	 * that carry more are hardly ever alike.
	 */
	if (record_type(bytes) == PERF_RECORD_SAMPLE && e->own_tasks.used == 0 &&
	    layout == e->layouts.items) {
		tag = record_sample_tag(&e->layout, bytes);
		if (tag != 0 &&
		    feed_again(&e->feed, tag, record_sample_period(&e->layout, bytes), time_ns)) {
			engine_record_sample(e, bytes, tag, time_ns);
			return;
		}
	}
	res = record_decode(layout, bytes, &rec);
	if (res <= 0) {
		if (res < 0)
			e->broken++;
		else
			e->unknown++;
		return;
	}
	if (rec.type == PERF_RECORD_SAMPLE && (layout->sample_type & PERF_SAMPLE_READ)) {
		if (!engine_is_twice(e, rec.id.id, (int)rec.id.tid))
			engine_take_values(e, layout, &rec, bytes, take_value);
	} else if (rec.type == PERF_RECORD_SAMPLE) {
		take_sample(e, &rec, tag, bytes);
	} else {
		engine_record_add(e, &rec, bytes);
		engine_take_sideband(e, &rec);
	}
}

/* How full the fullest ring is, in per cent. */
static unsigned
look_at_rings(const struct session_ring *rings, size_t count)
{
	size_t fullest = 0;

	for (size_t i = 0; i < count; i++) {
		ring_refresh(rings[i].ring);
		fullest = MAX(fullest, ring_fill_bytes(rings[i].ring) * 100 /
				       ring_size_bytes(rings[i].ring));
	}
	return (unsigned)fullest;
}

bool
engine_is_pressed(struct engine *e)
{
	size_t count;
	const struct session_ring *rings = session_rings(e->session, &count);

	return look_at_rings(rings, count) >= PRESSED_PERCENT;
}

/* Points the merge at every ring. */
static void
prepare_streams(struct engine *e, const struct session_ring *rings, size_t count)
{
	vec_reserve(&e->streams, &e->stream_cap, count, sizeof(*e->streams));
	for (size_t i = 0; i < count; i++)
		e->streams[i] = (struct merge_stream){ rings[i].ring, peek_ring, advance_ring };
}

/* Between 20 and 250 ms, so that rings are less than half full: from there on they wake the engine. */
static void
choose_pace(struct engine *e, unsigned fullest)
{
	const uint64_t least = 20 * NSEC_PER_MSEC, most = 250 * NSEC_PER_MSEC;

	if (fullest > FULL_PERCENT)
		e->drain_ns = MAX(e->drain_ns / 2, least);
	else if (fullest < PRESSED_PERCENT)
		e->drain_ns = MIN(e->drain_ns + e->drain_ns / 4, most);
}

void
engine_drain(struct engine *e, uint64_t limit_ns)
{
	size_t count, waiting = 0;
	struct session_ring *rings = session_rings(e->session, &count);
	struct bytes bytes;
	uint64_t time_ns, until_ns, began_ns;

	if (e->file != NULL)
		return;
	began_ns = clock_thread_cpu_ns();
	choose_pace(e, look_at_rings(rings, count));
	prepare_streams(e, rings, count);
	merge_begin(e->merge, &e->layout, e->streams, count);
	do {
		/* What is at an address changes between samples. */
		until_ns = engine_jit_next_ns(e, limit_ns);
		while (merge_next(e->merge, until_ns, &bytes, &time_ns) == 1)
			take_record(e, bytes, time_ns);
		engine_jit_apply(e, until_ns);
	} while (until_ns < limit_ns);
	feed_flush(&e->feed);
	engine_record_drained(e);
	if (limit_ns != UINT64_MAX)
		e->drained_to_ns = MAX(e->drained_to_ns, limit_ns);
	for (size_t i = count; i-- > 0;) {
		ring_commit(rings[i].ring);
		waiting = ring_fill_bytes(rings[i].ring);
		if (rings[i].is_closing && waiting == 0) {
			session_drop_ring(e->session, i);
			rings = session_rings(e->session, &count);
		}
	}
	e->rate.drain_ns += clock_thread_cpu_ns() - began_ns;
}

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
	if (e->locations.name_len > 0)
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
	for (uint32_t i = 0; i < m->count; i++) {
		const struct symbol_line *line = &m->lines[i];

		if (line->line == NULL)
			continue;
		locations_learn_line(&e->locations, m->dso, line->addr, line->line);
		if (labels_want(&e->profile->labels, KEY_SRCLINE))
			srclines_learn(&e->profile->lines, m->dso, line->addr,
				       strs_add_str(&e->model->strs, line->line));
	}
	e->changed = true;
}
