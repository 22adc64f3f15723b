/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells of the machine and its processes, as the newest reading has it. */
#include "engine/viewer/viewer_impl.h"

#include "view/task_column.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	HELPER_DEPTH = 3,   /* the parser of symbols, its host, and that one's keeper */
	SECOND_TICK_MS = 250,
};

/* Whether ptop, or one that ptop did, forked it to work for itself: those have such names. */
static bool
is_helper(const struct proc_info *p, const struct proc_info *infos, size_t count)
{
	static const char begin[] = "ptop-";

	for (unsigned depth = 0; p != NULL && depth < HELPER_DEPTH; depth++) {
		if (strncmp(p->comm, begin, sizeof(begin) - 1) != 0)
			return false;
		if (p->ppid == getpid())
			return true;
		p = proc_info_find(infos, count, p->ppid);
	}
	return false;
}

/* Two clocks that both run on, one from boot and one of the day, at the same moment. */
struct boot {
	uint64_t now_ns, real_ns, memory_bytes;
	long ticks_a_second;
};

static struct boot
boot_now(void)
{
	return (struct boot){
		.now_ns = clock_of_ns(CLOCK_BOOTTIME),
		.real_ns = clock_real_ns(), .ticks_a_second = sysconf(_SC_CLK_TCK),
		.memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_size(),
	};
}

static struct task_stat
stat_of(const struct proc_info *p, const struct boot *boot)
{
	const uint64_t start_ns = p->start_ticks * (NSEC_PER_SEC / (uint64_t)boot->ticks_a_second);

	return (struct task_stat){
		.ppid = p->ppid, .priority = p->priority, .nice = p->nice, .state = p->state,
		.virt_bytes = p->virt_bytes, .rss_bytes = p->rss_bytes, .cpu_ns = p->cpu_ns,
		.io_read = p->io_read, .io_write = p->io_write,
		.memory = (double)p->rss_bytes / (double)boot->memory_bytes,
		.start_ns = boot->real_ns - (boot->now_ns - MIN(start_ns, boot->now_ns)),
		.start_ticks = p->start_ticks,
	};
}

static struct task_facts *
facts_of(const struct proc_info *infos, size_t count)
{
	struct task_facts *facts = mem_calloc(count + 1, sizeof(*facts));
	const struct boot boot = boot_now();

	for (size_t i = 0; i < count; i++) {
		const struct proc_info *p = &infos[i];

		facts[i] = (struct task_facts){ p->pid, p->tid, p->uid, p->threads, p->cpu, p->comm,
						p->command, p->is_kernel_thread,
						p->pid == p->tid && is_helper(p, infos, count),
						stat_of(p, &boot) };
	}
	return facts;
}

static void
know_tasks(const struct viewer *v, const struct task_facts *facts, size_t count)
{
	struct model *m = v->env->model;

	for (size_t i = 0; i < count; i++)
		if (model_find_task(m, facts[i].tid) == 0)
			model_learn_comm(m, model_task(m, facts[i].pid, facts[i].tid), facts[i].comm);
}

void
processes_freeze(struct viewer *v)
{
	if (v->tick == NULL)
		return;
	know_tasks(v, v->processes, v->tick->process_count);
	know_tasks(v, v->threads, v->tick->thread_count);
}

/* A frozen screen has what was read last before. */
static bool
is_held(const struct viewer *v)
{
	return v->query.frozen && viewer_has_all_processes(v) && v->tick->have_shares;
}

enum part_reply
processes_on_tick(void *viewer, struct msg *msg)
{
	struct proc_tick_msg *m = (struct proc_tick_msg *)msg;
	struct viewer *v = viewer;

	machine_log_add(v->machine, m);
	if (is_held(v))
		return PART_DONE;
	if (v->tick != NULL)
		msg_free(&v->tick->msg);
	free(v->processes);
	free(v->threads);
	v->tick = m;
	v->processes = facts_of(m->processes, m->process_count);
	v->threads = facts_of(m->threads, m->thread_count);
	if (!m->have_shares) {
		/* The first reading: a second one soon after makes shares of it. */
		v->env->agenda->next_tick_ns = MIN(v->env->agenda->next_tick_ns,
					      clock_mono_ns() + SECOND_TICK_MS * NSEC_PER_MSEC);
	}
	agenda_want(v->env->agenda, AGENDA_SHOW);
	return PART_KEEPS;
}

void
viewer_learn_owners(struct viewer *v)
{
	for (size_t i = 0; v->tick != NULL && i < v->tick->process_count; i++) {
		uint32_t id = model_find_task(v->env->model, v->processes[i].pid);
		const struct task *t = &v->env->model->tasks[id];

		if (id != 0 && model_owner(t) == UID_UNKNOWN && t->died_ns == 0)
			model_learn_owner(v->env->model, id, v->processes[i].uid,
					  v->tick->processes[i].owner_ns);
	}
}

bool
viewer_has_all_processes(const struct viewer *v)
{
	return v->tick != NULL && v->tick->complete_ns != 0;
}

/* One more file of each process: only while it is shown. */
static bool
wants_io(const struct query *q)
{
	bool wants = column_is_of_io((enum column_id)q->sort);

	for (size_t i = 0; i < q->column_count; i++)
		wants |= column_is_of_io((enum column_id)q->columns[i]);
	return wants;
}

void
viewer_ask_tick(struct viewer *v, const int *hot, size_t hot_count, unsigned budget_us)
{
	const struct task *looked_at = model_task_at(v->env->model, v->query.process);

	proc_reader_want_io(v->env->proc, wants_io(&v->query));
	proc_reader_spare(v->env->proc, v->env->cost->is_thrifty || v->env->cost->turn_ns != 0);
	proc_reader_ask_tick(v->env->proc, hot, hot_count,
			     v->query.process != 0 ? looked_at->pid : 0, budget_us);
}

/* What the machine was when the window was, if that is known. */
static void
fill_then(const struct viewer *v, struct snapshot_head *h)
{
	uint64_t end_ns = v->env->clock->begin_ns + v->query.end_ns;
	struct machine_state s;

	h->have_load = h->have_shares =
		machine_log_mean(v->machine, end_ns - MIN(end_ns, v->query.window_ns), end_ns, &s);
	if (!h->have_load)
		return;
	for (int i = 0; i < 3; i++)
		h->load[i] = (double)s.load[i];
	h->tasks = (unsigned)(s.tasks + 0.5f);
	h->running = (unsigned)(s.running + 0.5f);
	h->user = s.user;
	h->system = s.system;
	h->softirq = s.softirq;
	h->idle = s.idle;
	h->iowait = s.iowait;
	h->steal = s.steal;
}

static void
fill_now(const struct proc_tick_msg *t, struct snapshot_head *h)
{
	h->have_load = true;
	memcpy(h->load, t->load, sizeof(h->load));
	h->tasks = t->tasks;
	h->running = t->running;
	h->user = t->all.user / 100;
	h->system = t->all.system / 100;
	h->softirq = t->all.softirq / 100;
	h->idle = t->all.idle / 100;
	h->iowait = t->all.iowait / 100;
	h->steal = t->all.steal / 100;
	h->have_shares = t->have_shares;
	h->memory_total = t->memory_total;
	h->memory_available = t->memory_available;
	h->swap_total = t->swap_total;
	h->swap_free = t->swap_free;
	_Static_assert((int)PRESSURES == (int)PROC_PRESSURES, "the same three, in the same order");
	memcpy(h->pressure, t->pressure, sizeof(h->pressure));
}

void
processes_fill_head(const struct viewer *v, struct snapshot *s)
{
	const struct proc_tick_msg *t = v->tick;
	struct snapshot_head *h = &s->head;
	struct snapshot_cpu *cpus;

	h->host = "";
	if (t == NULL)
		return;
	h->host = arena_strdup(&s->arena, t->host);
	h->uptime_s = t->uptime_s;
	if (v->query.end_ns != 0)
		fill_then(v, h);
	else
		fill_now(t, h);
	cpus = arena_alloc(&s->arena, (t->cpu_count + 1) * sizeof(*cpus));
	for (size_t i = 0; i < t->cpu_count; i++) {
		const struct proc_cpu *c = &t->cpus[i];

		cpus[i] = (struct snapshot_cpu){
			.cpu = c->cpu, .node = cpu_node(&v->env->profile->nodes, c->cpu),
			.busy = (100 - c->idle - c->iowait) / 100, .user = c->user / 100,
			.system = (c->system + c->softirq) / 100, .iowait = c->iowait / 100,
			.steal = c->steal / 100,
		};
	}
	h->cpus = cpus;
	h->cpu_count = t->cpu_count;
}
