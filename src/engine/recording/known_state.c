/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording has beside the records of the rings: its events, and what was there before
 * sampling began, and is learned by and by from /proc.  That is put among the records with the
 * time 0, which readers apply as soon as they come to it.
 */
#include "engine/recording/recording_impl.h"

#include "symbol/kernel/kernel_state.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "record/encode.h"
#include "record/look.h"

enum {
	KERNEL_BYTES = 32 << 20, /* of its code, as long as its symbols do not tell */
};

/* Puts encoded records among those of the rings. */
static void
add_records(struct recording *rg, const struct buf *b)
{
	for (size_t at = 0; at < b->len;) {
		struct perf_event_header head;

		memcpy(&head, b->data + at, sizeof(head));
		history_add(rg->history,
			    (struct bytes){ (const uint8_t *)b->data + at, head.size });
		at += head.size;
	}
}

/* As a map record names what it is of; NULL: no record would. */
static const char *
map_name(const struct recording *rg, const struct dso *dso)
{
	switch (dso->kind) {
	case DSO_FILE:
	case DSO_JITDUMP:
		return strs_get(&rg->model->strs, dso->path);
	case DSO_VDSO:
	case DSO_VDSO32:
		return "[vdso]";
	case DSO_VSYSCALL:
		return "[vsyscall]";
	case DSO_UPROBES:
		return "[uprobes]";
	case DSO_ANON:
		return "//anon";
	case DSO_UNKNOWN:
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_GUEST_KERNEL:
	case DSO_GUEST_USER:
	case DSO_HYPERVISOR:
	case DSO_WAITING:
	case DSO_CROWDED:
		return NULL;
	}
	return NULL;
}

/* Of a large space that many share the first tells: else each would tell megabytes.  Whether it does. */
static bool
take_turn(const struct task *t, uint32_t round)
{
	const bool has_told = t->space->told == round;

	t->space->told = round;
	return !has_told || t->space->len < SPACE_LARGE;
}

/* A process that is told of in a @round of many. */
static void
encode_maps(const struct recording *rg, const struct task *t, uint32_t round, struct buf *b)
{
	if (t->space == NULL || !take_turn(t, round))
		return;
	for (size_t i = 0; i < t->space->len; i++) {
		const struct map *map = &t->space->maps[i];
		const struct dso *dso = dsos_get(&rg->model->dsos, map->dso);
		struct record_mmap m = {
			.pid = (uint32_t)t->pid, .tid = (uint32_t)t->pid,
			.start = map->start, .len = map->end - map->start, .pgoff = map->pgoff,
			.maj = dso->maj, .min = dso->min, .ino = dso->ino,
			.ino_generation = dso->ino_generation,
			.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
			.name = map_name(rg, dso),
		};

		if (m.name != NULL)
			record_encode_mmap2(b, rg->layout, &m);
	}
}

static void
encode_comm(const struct recording *rg, const struct task *t, struct buf *b)
{
	if (t->comm != 0 && t->tid > 0)
		record_encode_comm(b, rg->layout, t->pid, t->tid,
				   strs_get(&rg->model->strs, t->comm));
}

static bool
is_process(const struct recording *rg, uint32_t id)
{
	const struct task *t = model_task_at(rg->model, id);

	return t->is_used && t->process == id && t->pid > 0;
}

void
known_state_put(const struct recording *rg, struct recorder *r, uint64_t since_ns)
{
	const uint32_t round = ++rg->model->told_rounds;
	struct buf b = { 0 };
	uint64_t last_ns = since_ns != 0 ? since_ns : UINT64_MAX;

	for (uint32_t id = 1; id < rg->model->task_len; id++) {
		const struct task *t = model_task_at(rg->model, id);

		if (!t->is_used || t->born_ns > last_ns || (since_ns == 0 && t->died_ns != 0))
			continue;
		if (t->named_ns <= last_ns)
			encode_comm(rg, t, &b);
		if (is_process(rg, id) && t->exec_ns <= last_ns)
			encode_maps(rg, t, round, &b);
	}
	kernel_records_put_ksymbols(&b, rg->layout, rg->model, last_ns);
	recorder_records(r, b.data, b.len);
	buf_release(&b);
}

bool
known_state_put_kernel(struct recording *rg, struct recorder *r, bool is_last)
{
	const struct dso_symbols *s = locations_symbols(rg->locations, DSO_ID_KERNEL);
	struct record_mmap m = { .len = KERNEL_BYTES, .name = KERNEL_RECORD_NAME };
	struct buf b = { 0 };

	if (s->state != SYMBOLS_READY && s->state != SYMBOLS_FAILED && !is_last)
		return false;
	if (s->state == SYMBOLS_READY) {
		kernel_records_put_list(&b, rg->layout, s->image, &rg->model->ksymbols);
	} else {
		m.start = m.pgoff = running_kernel_text();
		if (m.start != 0)
			record_encode_kernel_mmap(&b, rg->layout, &m);
	}
	recorder_records(r, b.data, b.len);
	buf_release(&b);
	return true;
}

void
known_state_put_kernel_build_id(struct recorder *r)
{
	uint8_t id[BUILD_ID_MAX];
	size_t len = running_kernel_build_id(id);

	if (len > 0)
		recorder_build_id(r, true, "[kernel.kallsyms]", id, len);
}

void
known_state_put_build_ids(const struct recording *rg, struct recorder *r)
{
	for (uint32_t i = DSO_ID_FIRST_FILE; i < rg->build_id_cap; i++) {
		const struct build_id *b = &rg->build_ids[i];

		if (b->len > 0)
			recorder_build_id(r, false, strs_get(&rg->model->strs,
							     dsos_get(&rg->model->dsos, i)->path),
					  b->id, b->len);
	}
}

static bool
has_looks_beside(const struct recording *rg, uint32_t n)
{
	return rg->measured->events[n].spec.looks == EVENT_LOOKS_BESIDE;
}

/* Looks have attributes of their own, and the same name. */
static struct event_attr
attr_of_looks(const struct recording *rg, uint32_t n)
{
	struct event_attr attr = rg->measured->events[n].attr;

	record_look_attr(&attr);
	return attr;
}

/*
 * The values that samples carry are no task's own there: see add_values() in recording.c; those
 * with copies have been unwound; and those of switches have become waits.
 */
static struct event_attr
as_written(const struct recording *rg, uint32_t event, const struct event_attr *attr)
{
	struct event_attr a = *attr;

	if (rg->measured->events[event].spec.looks == EVENT_LOOKS_EXACT)
		record_wait_attr(&a);
	if (recording_unwinds(rg, a.sample_type))
		record_attr_unwound(&a);
	if (a.sample_type & PERF_SAMPLE_READ)
		a.inherit = a.inherit_thread = 0;
	return a;
}

/* The key of an event whose samples are written with those fields; @period: of all, if they carry none. */
static uint32_t
key_of(const struct recording *rg, uint32_t event, uint64_t sample_type, uint64_t period)
{
	for (size_t i = 0; i < rg->attr_len; i++) {
		const struct event_attr *a = &rg->attrs[i].attr;

		if (rg->attrs[i].event == event && a->sample_type == sample_type &&
		    ((sample_type & PERF_SAMPLE_PERIOD) || a->sample_period == period))
			return (uint32_t)i;
	}
	return RECORDER_SIDEBAND;
}

static uint32_t
key_of_attr(const struct recording *rg, uint32_t event, const struct event_attr *attr)
{
	const struct event_attr a = as_written(rg, event, attr);

	return key_of(rg, event, a.sample_type, a.sample_period);
}

static void
learn_attr(struct recording *rg, uint32_t event, const struct event_attr *attr)
{
	const struct event_attr a = as_written(rg, event, attr);

	if (attr->size != 0 && key_of_attr(rg, event, attr) == RECORDER_SIDEBAND)
		VEC_ADD(rg->attrs, rg->attr_len, rg->attr_cap) = (struct written_attr){ event, a };
}

void
known_state_learn_group(struct recording *rg, uint32_t leader)
{
	for (uint32_t n = leader; n != UINT32_MAX; n = measured_next_member(rg->measured, n)) {
		const struct event_attr looks = attr_of_looks(rg, n);

		learn_attr(rg, n, &rg->measured->events[n].attr);
		if (has_looks_beside(rg, n))
			learn_attr(rg, n, &looks);
	}
}

void
known_state_learn_copies(struct recording *rg, uint32_t event)
{
	learn_attr(rg, event, &rg->measured->events[event].stacks_attr);
}

static void
tell_event(const struct recording *rg, struct recorder *r, uint32_t key)
{
	const struct written_attr *w = &rg->attrs[key];
	const struct event *spec = &rg->measured->events[w->event].spec;
	struct event_attr attr = w->attr;

	/* A probe that was made anew has another number, which is that of the format, too. */
	if (spec->tracepoint != NULL)
		attr.config = rg->measured->events[w->event].attr.config;
	recorder_event(r, key, spec->tracepoint != NULL ? spec->tracepoint : spec->name, spec->format,
		       &attr);
}

static void
tell_looks(const struct recording *rg, struct recorder *r, uint32_t n)
{
	const struct event_attr looks = attr_of_looks(rg, n);
	uint32_t key = key_of_attr(rg, n, &looks);

	if (key != RECORDER_SIDEBAND)
		tell_event(rg, r, key);
}

/* An event with those that it leads behind it: so readers know a group. */
void
known_state_put_group(const struct recording *rg, struct recorder *r, uint32_t leader)
{
	uint32_t keys[EVENTS_MAX], first = UINT32_MAX;
	size_t len = 0;

	for (uint32_t n = leader; n != UINT32_MAX; n = measured_next_member(rg->measured, n)) {
		const struct engine_event *ev = &rg->measured->events[n];
		uint32_t key = key_of_attr(rg, n, &ev->attr);

		if (ev->attr.size == 0 || key == RECORDER_SIDEBAND)
			continue;
		tell_event(rg, r, key);
		if (n == leader)
			first = key;
		if (has_looks_beside(rg, n))
			tell_looks(rg, r, n);
		/* What begins by itself could not be opened with its leader. */
		if (n == leader || !ev->attr.disabled)
			keys[len++] = key;
	}
	if (len > 1 && keys[0] == first)
		recorder_group(r, keys, len);
}

void
known_state_put_events(const struct recording *rg, struct recorder *r)
{
	recorder_event(r, RECORDER_SIDEBAND, "dummy:u", NULL, session_sideband_attr(rg->session));
	for (uint32_t n = 0; n < rg->measured->event_count; n++)
		if (rg->measured->events[n].leader == n)
			known_state_put_group(rg, r, n);
	/* As they were opened before, or are for some processes. */
	for (uint32_t key = 0; key < rg->attr_len; key++)
		tell_event(rg, r, key);
}

uint32_t
known_state_event_of(const void *recording, uint64_t id)
{
	const struct recording *rg = recording;
	const struct sample_id *found = sample_ids_find(rg->ids, id);
	const struct record_layouts *layouts = sample_ids_layouts(rg->ids);
	uint32_t number = record_layouts_find(layouts, id);
	const struct record_layout *l = &layouts->items[number != UINT32_MAX ? number : 0];
	uint64_t type = l->sample_type;

	if (found == NULL)
		return RECORDER_SIDEBAND;
	return key_of(rg, found->event, recording_unwinds(rg, type) ? type & ~RECORD_COPIES : type,
		      l->sample_period);
}

void
known_state_add_learned(struct recording *rg)
{
	struct model *m = rg->model;
	const uint32_t round = ++m->told_rounds;
	struct buf b = { 0 };

	if (!m->has_unrecorded)
		return;
	m->has_unrecorded = false;
	for (uint32_t id = 1; id < m->task_len; id++) {
		const struct task *t = model_task_at(m, id);

		if (t->is_used && t->is_unrecorded)
			encode_comm(rg, t, &b);
		if (is_process(rg, id) && t->space != NULL && t->space->is_unrecorded)
			encode_maps(rg, t, round, &b);
	}
	/* Some share a space: each of them is told. */
	for (uint32_t id = 1; id < m->task_len; id++) {
		struct task *t = model_task_at(m, id);

		t->is_unrecorded = false;
		if (is_process(rg, id) && t->space != NULL)
			t->space->is_unrecorded = false;
	}
	add_records(rg, &b);
	buf_release(&b);
}

/* Whether code of the file is mapped as well. */
static bool
is_of_program(const struct proc_maps_msg *m, const struct proc_map *data)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct proc_map *map = &m->maps[i];

		if (map->prot & PROT_EXEC && map->ino == data->ino && map->maj == data->maj &&
		    map->min == data->min)
			return true;
	}
	return false;
}

void
known_state_add_data(struct recording *rg, const struct proc_maps_msg *m)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < m->count; i++) {
		const struct proc_map *p = &m->maps[i];
		struct record_mmap map = {
			.pid = (uint32_t)m->pid, .tid = (uint32_t)m->pid, .start = p->start,
			.len = p->end - p->start, .pgoff = p->pgoff, .maj = p->maj, .min = p->min,
			.ino = p->ino, .prot = p->prot, .flags = MAP_PRIVATE,
			.name = m->names + p->name,
		};

		if (!(p->prot & PROT_EXEC) && is_of_program(m, p))
			record_encode_mmap2(&b, rg->layout, &map);
	}
	add_records(rg, &b);
	buf_release(&b);
}

void
known_state_add_leaving(struct recording *rg, const struct record *rec)
{
	struct buf b = { 0 };
	const struct task *t;
	uint32_t id;

	if (rec->type != PERF_RECORD_EXIT || rec->task.pid != rec->task.tid)
		return;
	id = model_find_task(rg->model, (int)rec->task.tid);
	t = model_task_at(rg->model, id);
	if (id == 0 || MAX(t->born_ns, t->exec_ns) >= history_since(rg->history))
		return;
	encode_comm(rg, t, &b);
	encode_maps(rg, t, ++rg->model->told_rounds, &b);
	add_records(rg, &b);
	buf_release(&b);
}
