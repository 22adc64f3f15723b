/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills rows: names, owner, state of tasks; functions. */
#include "profile/report/report_impl.h"

#include "profile/place/location.h"

#include <math.h>

const char *
report_str(const struct report *r, uint32_t id)
{
	return strs_get(&r->src->profile->model->strs, id);
}

static const struct task_facts *
find_facts(const struct task_facts *facts, size_t count, int tid)
{
	size_t at;

	FIND_FIRST(at, count, facts[at].tid >= tid);
	return at < count && facts[at].tid == tid ? &facts[at] : NULL;
}

const struct task_facts *
report_process_facts(const struct report *r, int pid)
{
	return find_facts(r->src->processes, r->src->process_count, pid);
}

const char *
report_user(struct report *r, uint32_t uid)
{
	const char *name;

	if (uid == UID_UNKNOWN)
		return "";
	name = r->src->user_name != NULL ? r->src->user_name(r->src->self, uid) : NULL;
	return name != NULL ? name : arena_printf(&r->out->arena, "%u", uid);
}

const char *
report_owner(struct report *r, const struct task *process)
{
	return process->host != 0 ? report_str(r, process->user) : report_user(r, model_owner(process));
}

static const char *
address_text(struct report *r, const struct location *loc, bool with_dso)
{
	struct buf b = { 0 };
	const char *text;

	locations_put_address(r->src->profile->locations, loc, with_dso, &b);
	text = arena_strndup(&r->out->arena, buf_str(&b), b.len);
	buf_release(&b);
	return text;
}

static const char *
name_of(struct report *r, uint32_t location, bool with_dso)
{
	const struct location *loc = &r->src->profile->locations->items[location];

	return loc->kind == LOCATION_FUNCTION ? report_str(r, loc->name)
					      : address_text(r, loc, with_dso);
}

const char *
report_place_name(struct report *r, uint32_t location)
{
	return name_of(r, location, true);
}

const char *
report_code_name(struct report *r, uint32_t location)
{
	return name_of(r, location, false);
}

void
report_row_maker(const struct report *r, struct row *row, uint32_t dso)
{
	const struct model *m = r->src->profile->model;
	const struct dso *d = dsos_get(&m->dsos, dso);
	uint32_t task = d->kind == DSO_ANON && d->pid > 0 ? model_find_task(m, d->pid) : 0;

	if (task != 0 && m->tasks[task].died_ns == 0)
		row->maker = d->pid;
}

void
report_row_symbol(struct report *r, struct row *row, uint32_t location)
{
	const struct profile *p = r->src->profile;
	const struct location *loc = &p->locations->items[location];

	if (loc->is_kernel)
		row->flags |= ROW_KERNEL;
	row->location = location;
	report_row_maker(r, row, loc->dso);
	if (loc->kind == LOCATION_FUNCTION) {
		row->symbol = report_str(r, loc->name);
		row->source = report_str(r, loc->line);
		row->address = loc->offset;
	} else {
		row->symbol = address_text(r, loc, is_screen(r->query));
	}
	if (location_is_named(loc))
		return;
	row->flags |= loc->kind == LOCATION_PENDING ? ROW_UNNAMED | ROW_PENDING : ROW_UNNAMED;
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
	const struct task_facts *f = report_process_facts(r, pid);

	if (m->tasks[m->whos[who].task].host != 0)
		return false;
	return pid == r->src->self_pid || (f != NULL && f->is_helper);
}

void
report_row_facts(struct report *r, struct row *row, const struct task_facts *f)
{
	struct task_stat *stat;

	if (f == NULL)
		return;
	if (r->wants_stat && row->stat == NULL) {
		row->stat = stat = arena_alloc(&r->out->arena, sizeof(*stat));
		*stat = f->stat;
	}
	row->cpu = f->cpu;
	row->threads = f->threads;
	/* Its command line is that of ptop; its name says what it does. */
	row->command = f->is_helper ? f->comm : f->command;
	if (f->is_helper)
		row->flags |= ROW_SELF;
	if (f->is_kernel_thread)
		row->flags |= ROW_KTHREAD;
}

/* Stays the same when the task ends, and differs from that of the next task of its tid. */
uint64_t
report_task_row_id(const struct model *m, uint32_t id)
{
	return (uint64_t)id << 32 | (unsigned)m->tasks[id].tid;
}

/* Who the process is, as long as it lives. */
static uint64_t
start_of_process(const struct report *r, uint32_t process, int pid)
{
	const struct task_facts *f = report_process_facts(r, pid);

	return f != NULL && r->src->profile->model->tasks[process].died_ns == 0 ? f->stat.start_ticks : 0;
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
	row->user = report_owner(r, &m->tasks[t->process]);
	row->host = report_str(r, t->host);
	row->start_ticks = start_of_process(r, t->process, row->pid);
	if (t->died_ns != 0) {
		row->flags |= ROW_DEAD;
		row->ended_ns = to_real_ns(r, t->died_ns);
	} else {
		report_row_facts(r, row, is_thread ? find_facts(r->src->threads, r->src->thread_count, t->tid)
						   : report_process_facts(r, t->tid));
	}
	/* It is of now. */
	if (r->query->end_ns != 0) {
		row->cpu = NAN;
		row->stat = NULL;
	}
	if (*row->command == '\0')
		row->command = report_str(r, t->comm);
	if (t->tid == IDLE_TID)
		row->flags |= ROW_IDLE;
	if (row->pid == r->src->self_pid && t->host == 0)
		row->flags |= ROW_SELF;
}

struct row
report_row_blank(void)
{
	return (struct row){ .cpu = NAN, .pid = -1, .tid = -1, .cpu_number = -1, .node = -1, .event = "",
			     .comm = "", .dso = "", .symbol = "", .source = "", .user = "",
			     .cgroup = "", .command = "", .instruction = "", .data_src = "",
			     .branch = "", .hottest = "", .reason = "", .remedy = "", .path = "",
			     .build_id = "", .names_from = "", .state = "", .waitkind = "", .on = "",
			     .waits_in = "", .run = NAN, .queue = NAN, .stolen = NAN,
			     .wait = NAN, .waker = "", .length = "", .container = "", .pod = "", .unit = "",
			     .program = "", .host = "", .syscall = "", .field = "",
			     .unnamed = NAN, .ipc = NAN, .lock = "", .owner_comm = "", .does = "", .held = -1 };
}
