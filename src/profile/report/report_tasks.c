/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For views of tasks: the hottest function of each row, or value of a payload; of events that tell
 * of waiting how much of its time it waited, where, and on what.
 */
#include "profile/report/report_impl.h"
#include "profile/report/report_key.h"
#include "profile/report/wait_wrapper.h"

#include <stdlib.h>
#include <string.h>

/* The period of one thing in one group. */
struct part {
	uint64_t what, period;
	uint32_t group; /* from 1, as in report.entry_group */
};

/* What is found where the thing with the longest period is. */
struct best {
	uint64_t period;
	uint32_t at;
};

struct parts {
	struct part *items; /* from 0 */
	size_t len, cap;
	struct index index;
	struct best *best;  /* by group, from 0 */
};

static struct parts
parts_of(const struct report *r)
{
	return (struct parts){ .best = mem_calloc(r->groups.len + 1, sizeof(struct best)) };
}

static void
parts_release(struct parts *parts)
{
	free(parts->items);
	free(parts->best);
	index_release(&parts->index);
}

static struct part *
part_find(struct parts *parts, uint32_t group, uint64_t what)
{
	uint64_t hash = hash_mix(group, what);
	uint32_t n, pos;

	for (n = index_first(&parts->index, hash, &pos); n != 0;
	     n = index_next(&parts->index, hash, &pos))
		if (parts->items[n - 1].group == group && parts->items[n - 1].what == what)
			return &parts->items[n - 1];
	VEC_ADD(parts->items, parts->len, parts->cap) = (struct part){ what, 0, group };
	index_add(&parts->index, hash, (uint32_t)parts->len);
	return &parts->items[parts->len - 1];
}

static void
parts_add(struct parts *parts, uint32_t group, uint64_t what, uint32_t at, uint64_t period)
{
	struct part *part = part_find(parts, group, what);
	struct best *best = &parts->best[group - 1];

	part->period += period;
	if (part->period >= best->period)
		*best = (struct best){ part->period, at };
}

static uint8_t
field_of(const struct profile *p, uint32_t id)
{
	return p->labels.items[p->tables.hot[id].label].field_of;
}

/*
 * The field whose values are told, 0: functions are.  It was asked for only since some moment in the
 * window: one kind of names is told at a time, values once there are any.
 */
static uint8_t
told_field(const struct report *r)
{
	const struct profile *p = r->src->profile;
	const uint8_t field = split_asked(&p->split, r->src->shown_event);

	for (uint32_t id = 1; field != 0 && id < p->tables.cells[TABLE_HOT].len; id++)
		if (r->entry_group[id] != 0 && field_of(p, id) == field)
			return field;
	return 0;
}

/* The function, or the value of the field. */
static const char *
hottest_of(struct report *r, uint32_t id, uint8_t field)
{
	struct hot_entry e = hot_entry_at(r->src->profile, id);
	struct row row = report_row_blank();

	if (field != 0) {
		report_key_fill(r, &row, KEY_FIELD, &e, report_keys[KEY_FIELD].part(&e));
		return row.field;
	}
	report_row_symbol(r, &row, e.location);
	return row.symbol;
}

/* The entries of each group together, in their own order.  By group, from 1: where they end. */
static size_t *
sort_by_group(const struct report *r, uint32_t *sorted)
{
	const size_t len = r->src->profile->tables.cells[TABLE_HOT].len;
	size_t *ends = mem_calloc(r->groups.len + 2, sizeof(*ends));

	for (size_t id = 1; id < len; id++)
		if (r->entry_group[id] != 0)
			ends[r->entry_group[id] + 1]++;
	for (size_t g = 1; g < r->groups.len + 2; g++)
		ends[g] += ends[g - 1];
	/* Where its entries begin is where the first goes, then the next. */
	for (size_t id = 1; id < len; id++)
		if (r->entry_group[id] != 0)
			sorted[ends[r->entry_group[id]]++] = (uint32_t)id;
	return ends;
}

static uint32_t
task_of(const struct profile *p, uint32_t entry)
{
	return p->model->whos[p->tables.hot[entry].who].task;
}

/* Of a process's row: which threads its entries are of.  How many of the living there are /proc tells. */
static unsigned
thread_flags(const struct report *r, const struct row *row, const uint32_t *entries, size_t len)
{
	const struct profile *p = r->src->profile;
	bool has_ended = false, is_one = r->src->is_recording || (row->flags & ROW_DEAD) != 0;

	for (size_t i = 0; i < len; i++) {
		has_ended |= p->model->tasks[task_of(p, entries[i])].died_ns != 0;
		is_one &= task_of(p, entries[i]) == task_of(p, entries[0]);
	}
	return (has_ended ? ROW_THREADS_ENDED : 0) | (is_one && len > 0 ? ROW_ONE_THREAD : 0);
}

/* Of the @len entries, told apart by @field, one of what has the longest period together; 0: there are none. */
static uint32_t
longest_of(struct grouping *whats, const uint32_t *entries, size_t len, uint8_t field)
{
	const struct profile *p = whats->profile;
	uint64_t samples, period, longest = 0;
	uint32_t best = 0;

	for (size_t i = 0; i < len; i++) {
		struct group *what;

		if (field != 0 && field_of(p, entries[i]) != field)
			continue;
		what = group_find(whats, entries[i]);
		profile_window(p, &p->tables.cells[TABLE_HOT].items[entries[i]], &samples, &period);
		what->period += period;
		if (what->period >= longest) {
			longest = what->period;
			best = entries[i];
		}
	}
	for (size_t i = 0; i < len; i++)
		group_find(whats, entries[i])->period = 0;
	return best;
}

/* Of processes also which threads have a part in them. */
void
report_find_hottest(struct report *r)
{
	const struct profile *p = r->src->profile;
	uint32_t *sorted = mem_calloc(p->tables.cells[TABLE_HOT].len, sizeof(*sorted));
	size_t *ends = sort_by_group(r, sorted), from = 0;
	const uint8_t field = told_field(r);
	struct grouping whats = { .profile = p, .key_count = 1,
				  .keys = { field != 0 ? KEY_FIELD : KEY_SYMBOL } };

	grouping_begin(&whats);
	for (size_t i = 0; i < r->groups.len; i++) {
		const uint32_t *entries = sorted + from;
		const size_t len = ends[i + 1] - from;
		const uint32_t best = longest_of(&whats, entries, len, field);

		from = ends[i + 1];
		if (r->query->view == VIEW_PROCESSES)
			r->rows[i].flags |= thread_flags(r, &r->rows[i], entries, len);
		if (best != 0)
			r->rows[i].hottest = hottest_of(r, best, field);
	}
	grouping_release(&whats);
	free(ends);
	free(sorted);
}

/* The kind of waiting that the place is, WAIT_KINDS: code. */
static uint32_t
wait_kind_at(uint32_t location)
{
	return MIN(location - LOCATION_WAITING, (uint32_t)WAIT_KINDS);
}

static bool
is_wait(uint32_t kind)
{
	return kind != WAIT_KINDS && !wait_kind_could_run(kind);
}

/* What a task has done in the window. */
struct spent {
	uint64_t run, queue, stolen, wait, all;
};

/* Idle time is waiting only where it is shown. */
static void
spend(const struct report *r, struct spent *s, uint32_t kind, uint64_t period)
{
	bool shows_idle = r->query->idle || !is_screen(r->query);

	s->all += period;
	if (kind == WAIT_KINDS)
		s->run += period;
	else if (kind == WAIT_QUEUE)
		s->queue += period;
	else if (kind == WAIT_STOLEN)
		s->stolen += period;
	else if (shows_idle || !wait_kind_defs[kind].is_idle)
		s->wait += period;
}

static uint32_t
task_of_row(const struct row *row)
{
	if (row->name != 0) /* of many tasks */
		return 0;
	return row->thread != 0 ? row->thread : row->process;
}

/* Also of what is not shown: of all the time of a task. */
static void
find_times(struct report *r, uint32_t event)
{
	const struct profile *p = r->src->profile;
	const struct tables *t = &p->tables;
	struct spent *spent = mem_calloc(p->model->task_len, sizeof(*spent));
	bool is_process = r->query->view == VIEW_PROCESSES;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct hot_key *hot = &t->hot[id];
		uint32_t task = p->model->whos[hot->who].task;

		if (hot->event != event)
			continue;
		if (is_process)
			task = p->model->tasks[task].process;
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		spend(r, &spent[task], wait_kind_at(hot->location), period);
	}
	for (size_t i = 0; i < r->groups.len; i++) {
		const struct spent *s = &spent[task_of_row(&r->rows[i])];

		if (t->hot[r->groups.items[i].first].event != event || s->all == 0)
			continue;
		r->rows[i].run = (double)s->run / (double)s->all;
		r->rows[i].queue = (double)s->queue / (double)s->all;
		r->rows[i].stolen = (double)s->stolen / (double)s->all;
		r->rows[i].wait = (double)s->wait / (double)s->all;
	}
	free(spent);
}

/* What is no program's own, but in nearly all of them. */
static bool
is_of_system(const char *dso)
{
	static const char *const names[] = {
		"libc.so", "libc-2.", "libc.musl", "ld-", "libpthread", "libm.so", "librt",
		"libstdc++", "libgcc_s",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strncmp(dso, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

enum whose { NOT_SEEN, OF_PROGRAM, OF_PROGRAM_UNNAMED, OF_LIBRARY, OF_WRAPPER, OF_NOBODY };

static enum whose
whose_is(const struct report *r, uint32_t location)
{
	const struct profile *p = r->src->profile;
	const struct location *loc = &p->locations->items[location];
	const char *dso = report_str(r, dsos_get(&p->model->dsos, loc->dso)->name);

	if (location_is_named(loc) && wait_wrapper_is(report_str(r, loc->name)))
		return OF_WRAPPER;
	switch (report_place_kind(r, loc)) {
	case NODE_OWN:
		return location_is_named(loc) ? OF_PROGRAM : OF_PROGRAM_UNNAMED;
	case NODE_JIT:
		return OF_PROGRAM;
	case NODE_LIBRARY:
		return is_of_system(dso) ? OF_NOBODY : OF_LIBRARY;
	case NODE_ALL:
	case NODE_COMM:
	case NODE_KERNEL:
	case NODE_WAITS:
	case NODE_UNKNOWN:
	case NODE_CUT:
	case NODE_REST:
	case NODE_KIND_COUNT:
		break;
	}
	return OF_NOBODY;
}

/* Waits of the window, and the function that they count for. */
struct waiting {
	uint32_t at, who, group, kind;
	uint64_t period;
};

_Static_assert(WAIT_KINDS <= 32, "kinds of waits are bits");

/* Which kinds of waits (bits) count for what WAITS IN says, and which for another function. */
struct kinds {
	uint32_t there, elsewhere;
};

struct inner_walk {
	struct report *r;
	uint8_t *whose;       /* by location: enum whose */
	uint32_t *group_of;   /* by who, of the event: from 1, 0: none */
	uint32_t event;
	bool is_by_thread;    /* each row is of one */
	struct parts parts;
	struct parts parts_of_kind; /* where that is */
	struct waiting *waits; /* from 0 */
	size_t wait_len, wait_cap;
	struct kinds *of_who, *of_group; /* by who; by group, from 1 */
};

static enum whose
whose_at(struct inner_walk *w, uint32_t location)
{
	if (w->whose[location] == NOT_SEEN)
		w->whose[location] = (uint8_t)whose_is(w->r, location);
	return w->whose[location];
}

static const struct task *
process_of(const struct model *m, uint32_t who)
{
	return model_task_at(m, model_task_at(m, m->whos[who].task)->process);
}

/* Whether stacks of the process do not tell for which row they are. */
static bool
is_told_by_labels(const struct inner_walk *w, const struct task *process)
{
	return w->is_by_thread && process->has_one_tree;
}

/* A wait in the function @at, for what WAITS IN says of the group. */
static void
count_wait(struct inner_walk *w, struct waiting wait)
{
	parts_add(&w->parts, wait.group, wait.at, wait.at, wait.period);
	VEC_ADD(w->waits, w->wait_len, w->wait_cap) = wait;
}

/*
 * A stack that ends in a wait, from its leaf on: it counts for the function that waits.  Behind a way to
 * wait, which has a name, those without one tell less than those that called them.
 */
static void
count_stack(struct inner_walk *w, uint32_t leaf, uint64_t period)
{
	const struct profile *p = w->r->src->profile;
	const struct tree_key *tree = p->tables.tree;
	uint32_t own = 0, unnamed = 0, of_library = 0, wrapper = 0, id, who;

	for (id = tree[leaf].parent; tree[id].parent != 0; id = tree[id].parent) {
		uint32_t location = locations_resolve(p->locations, tree[id].location);
		enum whose whose = own == 0 ? whose_at(w, location) : OF_NOBODY;

		if (whose == OF_PROGRAM || (whose == OF_PROGRAM_UNNAMED && wrapper == 0))
			own = location;
		else if (whose == OF_PROGRAM_UNNAMED && unnamed == 0)
			unnamed = location;
		else if (whose == OF_LIBRARY && of_library == 0)
			of_library = location;
		else if (whose == OF_WRAPPER)
			wrapper = location;
	}
	who = tree[id].location & TREE_WHO_MASK;
	own = own != 0 ? own : unnamed != 0 ? unnamed : of_library;
	own = own != 0 ? own : wrapper;
	leaf = locations_resolve(p->locations, tree[leaf].location);
	if (tree[id].location >> TREE_EVENT_SHIFT != w->event || own == 0 || w->group_of[who] == 0 ||
	    is_told_by_labels(w, process_of(p->model, who)) || !report_has_stack(w->r, w->event, who, leaf))
		return;
	count_wait(w, (struct waiting){ own, who, w->group_of[who], wait_kind_at(leaf), period });
}

/* Of all stacks only those of the window are followed. */
static void
count_stacks(struct inner_walk *w)
{
	const struct profile *p = w->r->src->profile;
	const struct tree_key *tree = p->tables.tree;
	uint64_t samples, period;

	for (uint32_t id = 1; id < p->tables.cells[TABLE_TREE].len; id++) {
		if (tree[id].parent == 0 ||
		    !is_wait(wait_kind_at(locations_resolve(p->locations, tree[id].location))))
			continue;
		profile_window(p, &p->tables.cells[TABLE_TREE].items[id], &samples, &period);
		if (period > 0)
			count_stack(w, id, period);
	}
}

/* Of threads that have one tree with their process, where that does not count for their row. */
static void
count_labels(struct inner_walk *w)
{
	const struct profile *p = w->r->src->profile;
	uint64_t samples, period;

	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++) {
		const struct hot_key *hot = &p->tables.hot[id];
		uint32_t at = p->labels.items[hot->label].waits_at;
		uint32_t group = hot->event == w->event ? w->r->entry_group[id] : 0;
		const struct task *process = process_of(p->model, hot->who);
		const uint32_t kind = wait_kind_at(hot->location);

		if (group == 0 || at == 0 || !is_wait(kind) ||
		    !process->has_one_tree ||
		    (!w->is_by_thread && w->group_of[process->who] == group))
			continue;
		at = locations_resolve(p->locations, at);
		profile_window(p, &p->tables.cells[TABLE_HOT].items[id], &samples, &period);
		if (period > 0)
			count_wait(w, (struct waiting){ at, hot->who, group, kind, period });
	}
}

static void
find_kinds(struct inner_walk *w)
{
	for (size_t i = 0; i < w->wait_len; i++) {
		const struct waiting *wait = &w->waits[i];

		if (wait->at == w->parts.best[wait->group - 1].at) {
			w->of_who[wait->who].there |= 1U << wait->kind;
			w->of_group[wait->group].there |= 1U << wait->kind;
			parts_add(&w->parts_of_kind, wait->group, wait->kind, wait->kind, wait->period);
		} else {
			w->of_who[wait->who].elsewhere |= 1U << wait->kind;
			w->of_group[wait->group].elsewhere |= 1U << wait->kind;
		}
	}
}

/*
 * Whether the entry can be of the waits that WAITS IN of its row is about, of the kind that is waited in
 * there for the longest.  A wait whose stack leads to no function can be, where its thread has others that are.
 */
static bool
waits_there(const struct inner_walk *w, uint32_t id, uint32_t group)
{
	const struct profile *p = w->r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];
	const struct task *process = process_of(p->model, hot->who);
	const struct kinds *kinds = process->has_one_tree ? &w->of_group[group] : &w->of_who[hot->who];
	const bool is_by_labels = process->has_one_tree &&
				  (w->is_by_thread || w->group_of[process->who] != group);
	const uint32_t kind = wait_kind_at(locations_resolve(p->locations, hot->location));
	const uint32_t best = w->parts.best[group - 1].at, at = p->labels.items[hot->label].waits_at;

	if (best == 0)
		return true;
	if (kind != w->parts_of_kind.best[group - 1].at)
		return false;
	if (is_by_labels)
		return at != 0 && locations_resolve(p->locations, at) == best;
	/* Stacks of a thread that waits no more can be with those of its process. */
	if (!w->is_by_thread && (kinds->there | kinds->elsewhere) == 0)
		kinds = &w->of_group[group];
	if (kinds->there == 0)
		return false;
	return (kinds->there & 1U << kind) != 0 || (kinds->elsewhere & 1U << kind) == 0;
}

/* What is waited for there. */
static void
find_on(struct inner_walk *w)
{
	struct report *r = w->r;
	const struct profile *p = r->src->profile;
	const struct tables *t = &p->tables;
	struct parts parts = parts_of(r);
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t group = t->hot[id].event == w->event ? r->entry_group[id] : 0;

		if (group == 0 || p->labels.items[t->hot[id].label].on == 0 || !waits_there(w, id, group))
			continue;
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		parts_add(&parts, group, group_part(&r->groups, KEY_ON, id), id, period);
	}
	for (size_t i = 0; i < r->groups.len; i++) {
		uint32_t id = parts.best[i].at;
		struct hot_entry e;

		if (id == 0)
			continue;
		e = hot_entry_at(p, id);
		report_key_fill(r, &r->rows[i], KEY_ON, &e, group_part(&r->groups, KEY_ON, id));
	}
	parts_release(&parts);
}

/* In which function each row waits for the longest, and there for what. */
static void
find_waits(struct report *r, uint32_t event)
{
	const struct profile *p = r->src->profile;
	const struct tables *t = &p->tables;
	struct inner_walk w = {
		.r = r, .event = event, .parts = parts_of(r), .parts_of_kind = parts_of(r),
		.is_by_thread = r->query->view == VIEW_THREADS,
		.whose = mem_calloc(p->locations->len, sizeof(*w.whose)),
		.group_of = mem_calloc(p->model->who_len, sizeof(*w.group_of)),
		.of_who = mem_calloc(p->model->who_len, sizeof(*w.of_who)),
		.of_group = mem_calloc(r->groups.len + 1, sizeof(*w.of_group)),
	};

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		if (r->entry_group[id] != 0 && t->hot[id].event == event)
			w.group_of[t->hot[id].who] = r->entry_group[id];
	count_stacks(&w);
	count_labels(&w);
	find_kinds(&w);
	for (size_t i = 0; i < r->groups.len; i++)
		if (w.parts.best[i].at != 0)
			r->rows[i].waits_in = report_place_name(r, w.parts.best[i].at);
	find_on(&w);
	parts_release(&w.parts);
	parts_release(&w.parts_of_kind);
	free(w.whose);
	free(w.group_of);
	free(w.of_who);
	free(w.of_group);
	free(w.waits);
}

void
report_find_waits(struct report *r)
{
	const struct event_facts *facts = r->src->events;

	for (uint32_t e = 0; facts != NULL && e < r->src->profile->event_count; e++) {
		if (!facts[e].is_looks || !report_has_event(r, e))
			continue;
		if (facts[e].is_all_time)
			find_times(r, e);
		find_waits(r, e);
	}
}
