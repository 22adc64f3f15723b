/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row says: names, owner, state, shares. */
#include "profile/report/report_impl.h"

#include "profile/place/dso_source.h"
#include "record/put.h"

#include <math.h>

const char *
report_str(const struct report *r, uint32_t id)
{
	return strs_get(&r->src->profile->model->strs, id);
}

static const struct task_facts *
find_facts(const struct task_facts *facts, size_t count, int tid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (facts[mid].tid == tid)
			return &facts[mid];
		if (facts[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static const char *
user_text(struct report *r, uint32_t uid)
{
	const char *name;

	if (uid == UID_UNKNOWN)
		return "";
	name = r->src->user_name != NULL ? r->src->user_name(r->src->self, uid) : NULL;
	return name != NULL ? name : arena_printf(&r->out->arena, "%u", uid);
}

/* The shown form of a place without a name. */
static const char *
address_text(struct report *r, const struct location *loc, bool with_dso)
{
	const struct dso *dso = dsos_get(&r->src->profile->model->dsos, loc->dso);

	if (loc == &r->src->profile->locations->items[LOCATION_CUT])
		return report_str(r, loc->name);
	if (loc->kind == LOCATION_MAP && dso->kind == DSO_FILE)
		return arena_printf(&r->out->arena, "[%s]", report_str(r, dso->name));
	if (loc->kind == LOCATION_MAP && dso->kind == DSO_ANON && loc->offset == 0)
		return report_str(r, dso->name);
	if (loc->kind == LOCATION_MAP && dso->kind != DSO_ANON)
		return "[unknown]";
	if (with_dso)
		return arena_printf(&r->out->arena, "%s+0x%llx", report_str(r, dso->name),
				    (unsigned long long)loc->offset);
	return arena_printf(&r->out->arena, "0x%llx", (unsigned long long)loc->offset);
}

const char *
report_place_name(struct report *r, uint32_t location)
{
	const struct location *loc = &r->src->profile->locations->items[location];

	return loc->kind == LOCATION_FUNCTION ? report_str(r, loc->name) : address_text(r, loc, true);
}

void
report_row_symbol(struct report *r, struct row *row, uint32_t location)
{
	const struct profile *p = r->src->profile;
	const struct location *loc = &p->locations->items[location];

	if (loc->is_kernel)
		row->flags |= ROW_KERNEL;
	if (loc->kind == LOCATION_FUNCTION) {
		row->symbol = report_str(r, loc->name);
		row->source = report_str(r, loc->line);
		row->address = loc->offset;
		row->location = location;
		return;
	}
	row->flags |= loc->kind == LOCATION_PENDING ? ROW_UNNAMED | ROW_PENDING : ROW_UNNAMED;
	row->symbol = address_text(r, loc, is_screen(r->query));
	row->location = location;
	row->reason = report_str(r, dso_source_reason(p->locations, location));
}

static uint64_t
to_real_ns(const struct report *r, uint64_t mono_ns)
{
	return mono_ns > 1 ? r->src->real_ns - (r->src->mono_ns - mono_ns) : r->src->real_ns;
}

bool
report_is_self(const struct report *r, uint32_t who)
{
	const struct model *m = r->src->profile->model;
	int pid = m->tasks[m->tasks[m->whos[who].task].process].tid;
	const struct task_facts *f = find_facts(r->src->processes, r->src->process_count, pid);

	return pid == r->src->self_pid || (f != NULL && f->is_helper);
}

void
report_row_facts(struct row *row, const struct task_facts *f)
{
	if (f == NULL)
		return;
	row->cpu = f->cpu;
	row->threads = f->threads;
	/* Its command line is ptop's: what it is for is in its name. */
	row->command = f->is_helper ? f->comm : f->command;
	if (f->is_helper)
		row->flags |= ROW_SELF;
	if (f->is_kernel_thread)
		row->flags |= ROW_KTHREAD;
}

/* The same before and after the task's end, and not that of another with its tid. */
uint64_t
report_task_row_id(const struct model *m, uint32_t id)
{
	return (uint64_t)id << 32 | (unsigned)m->tasks[id].tid;
}

/* Names, owner, state of the row's task. */
void
report_row_task(struct report *r, struct row *row, uint32_t id, bool is_thread)
{
	const struct model *m = r->src->profile->model;
	const struct task *t = &m->tasks[id];

	row->process = t->process;
	row->thread = is_thread ? id : 0;
	row->pid = MAX(m->tasks[t->process].tid, -1);
	if (is_thread)
		row->tid = MAX(t->tid, -1);
	row->id = report_task_row_id(m, id);
	row->user = user_text(r, m->tasks[t->process].uid);
	if (t->died_ns != 0) {
		row->flags |= ROW_DEAD;
		row->ended_ns = to_real_ns(r, t->died_ns);
	} else {
		report_row_facts(row, is_thread ? find_facts(r->src->threads, r->src->thread_count, t->tid)
					 : find_facts(r->src->processes, r->src->process_count,
						      t->tid));
	}
	if (*row->command == '\0')
		row->command = report_str(r, t->comm);
	if (t->tid == IDLE_TID)
		row->flags |= ROW_IDLE;
	if (row->pid == r->src->self_pid)
		row->flags |= ROW_SELF;
}

static const char *
data_src_text(struct report *r, uint64_t src)
{
	struct buf b = { 0 };
	const char *text;

	if (src == 0)
		return "-";
	record_put_data_src(&b, src);
	text = arena_strdup(&r->out->arena, buf_str(&b));
	buf_release(&b);
	return text;
}

static void
row_key(struct report *r, struct row *row, enum key key, uint64_t part, uint32_t entry)
{
	const struct profile *p = r->src->profile;
	const struct hot_key *hot = &p->tables.hot[entry];
	uint32_t location = locations_resolve(p->locations, hot->location);

	switch (key) {
	case KEY_EVENT:
		row->event = p->events[hot->event].name;
		break;
	case KEY_COMM:
		row->comm = report_str(r, (uint32_t)part);
		break;
	case KEY_PID:
		if (row->thread == 0)
			report_row_task(r, row, (uint32_t)part, false);
		break;
	case KEY_TID:
		report_row_task(r, row, (uint32_t)part, true);
		break;
	case KEY_DSO:
		row->dso = report_str(r, (uint32_t)part);
		row->dso_id = p->locations->items[location].dso;
		if (p->locations->items[location].is_kernel)
			row->flags |= ROW_KERNEL;
		break;
	case KEY_SYMBOL:
		report_row_symbol(r, row, location);
		break;
	case KEY_ADDRESS:
		row->address = part > 0 ? part - 1 : 0;
		break;
	case KEY_CPU:
		row->cpu_number = (int)part - 1;
		break;
	case KEY_USER:
		row->user = user_text(r, (uint32_t)part);
		break;
	case KEY_TIME:
		row->time = part;
		break;
	case KEY_CGROUP:
		row->cgroup = report_str(r, (uint32_t)part);
		break;
	case KEY_DATA_SRC:
		row->data_src = data_src_text(r, part);
		break;
	case KEY_WEIGHT:
		row->weight = part;
		break;
	case KEY_BRANCH:
		row->branch = report_str(r, (uint32_t)part);
		break;
	case KEY_SRCLINE:
		row->source = report_str(r, (uint32_t)part);
		break;
	case KEY_PATH:
		row->path = report_str(r, (uint32_t)part);
		row->dso_id = p->locations->items[location].dso;
		break;
	case KEY_BUILD_ID:
		row->build_id = report_str(r, (uint32_t)part);
		break;
	case KEY_SOURCE:
		row->names_from = report_str(r, (uint32_t)part);
		break;
	case KEY_REASON:
		row->reason = report_str(r, (uint32_t)part);
		break;
	case KEY_REMEDY:
		row->remedy = report_str(r, (uint32_t)part);
		break;
	case KEY_COUNT:
		break;
	}
}

struct row
report_row_blank(void)
{
	return (struct row){ .cpu = NAN, .pid = -1, .tid = -1, .cpu_number = -1, .event = "",
			     .comm = "", .dso = "", .symbol = "", .source = "", .user = "",
			     .cgroup = "", .command = "", .data_src = "", .branch = "",
			     .hottest = "", .reason = "", .remedy = "", .path = "",
			     .build_id = "", .names_from = "", .unnamed = NAN };
}

/* What share of a CPU a row that is no task takes: only an event of time can tell. */
static double
estimate_cpu(const struct report *r, const struct row *row, uint32_t event)
{
	const double *window_s = r->src->time_window_s;

	if (window_s != NULL && window_s[event] > 0)
		return (double)row->period / 1e9 / window_s[event] * 100;
	return NAN;
}

/* Whether the row is the only one of its task and event: then it keeps the CPU measured of that. */
static bool
is_one_task(const struct report *r, const struct grouping *by, const struct row *row)
{
	static const unsigned tasks = 1u << KEY_PID | 1u << KEY_TID,
			      allowed = tasks | 1u << KEY_COMM | 1u << KEY_USER | 1u << KEY_EVENT;
	uint32_t task = row->thread != 0 ? row->thread : row->process;
	unsigned keys = 0;

	for (size_t k = 0; k < by->key_count; k++)
		keys |= 1u << by->keys[k];
	if (!(keys & tasks) || keys & ~allowed || row->pid < 0)
		return false;
	/* One that was renamed has a row for each name. */
	return !(keys & 1u << KEY_COMM) ||
	       row->comm == report_str(r, r->src->profile->model->tasks[task].comm);
}

/* A task that stands for many has many names: each of its rows has the one that it is of. */
static void
name_of_many(struct report *r, const struct grouping *by, struct row *row, uint32_t who)
{
	const struct model *m = r->src->profile->model;

	if (row->process == 0 || m->tasks[row->process].tid > TASK_ENDED_TID)
		return;
	for (size_t k = 0; k < by->key_count; k++) {
		if (by->keys[k] == KEY_COMM) {
			row->name = m->whos[who].comm;
			row->command = row->comm;
		}
	}
}

/*
 * The thread before its process: what the two have in common is the thread's.  The function before
 * its address and line: those of the sample count.
 */
static bool
is_early(enum key key)
{
	return key == KEY_TID || key == KEY_SYMBOL;
}

void
report_row_of_group(struct report *r, const struct grouping *by, const struct group *g)
{
	const struct hot_key *hot = &r->src->profile->tables.hot[g->first];
	const uint64_t *parts = group_parts(by, g);
	struct row row = report_row_blank();
	uint64_t total = r->total_period[hot->event];
	bool is_whole;

	row.samples = g->samples;
	row.period = g->period;
	row.share = total > 0 ? (double)g->period / (double)total : 0;
	row.event = r->src->profile->events[hot->event].name;
	for (size_t k = 0; k < by->key_count; k++)
		if (is_early(by->keys[k]))
			row_key(r, &row, by->keys[k], parts[k], g->first);
	for (size_t k = 0; k < by->key_count; k++)
		if (!is_early(by->keys[k]))
			row_key(r, &row, by->keys[k], parts[k], g->first);
	name_of_many(r, by, &row, hot->who);
	is_whole = is_one_task(r, by, &row);
	/* A screen has it a moment later; a report of tasks that have ended never. */
	if (!is_whole ||
	    (isnan(row.cpu) && (r->src->is_recording || !is_screen(r->query)))) {
		row.cpu = estimate_cpu(r, &row, hot->event);
		row.flags |= ROW_ESTIMATE;
	}
	if (!is_whole || r->query->all_events)
		row.id = hash_bytes(parts, by->key_count * sizeof(*parts));
	vec_reserve(&r->rows, &r->row_cap, r->row_len + 1, sizeof(*r->rows));
	r->rows[r->row_len++] = row;
}
