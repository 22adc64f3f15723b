/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include "record/abi.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CPUS_MAX = 1 << 16 };

static uint64_t
tid_hash(int tid)
{
	return hash_mix((uint64_t)(uint32_t)tid, 0x7469);
}

static uint64_t
who_hash(uint32_t task, uint32_t comm)
{
	return hash_mix(task, comm);
}

struct model *
model_new(void)
{
	struct model *m = mem_calloc(1, sizeof(*m));

	dsos_init(&m->dsos, &m->strs);
	m->task_len = m->who_len = 1;
	vec_reserve(&m->tasks, &m->task_cap, 64, sizeof(*m->tasks));
	vec_reserve(&m->whos, &m->who_cap, 64, sizeof(*m->whos));
	model_learn_comm(m, model_task(m, 0, 0), "swapper");
	return m;
}

void
model_set_from_file(struct model *m)
{
	m->from_file = true;
}

void
model_set_kernel_is_here(struct model *m)
{
	space_put(m->kernel);
	m->kernel = NULL;
	m->kernel_is_here = true;
	m->kernel_generation++;
}

void
model_free(struct model *m)
{
	if (m == NULL)
		return;
	for (size_t i = 1; i < m->task_len; i++)
		space_put(m->tasks[i].space);
	space_put(m->kernel);
	free(m->tasks);
	free(m->free_tasks);
	free(m->whos);
	free(m->free_whos);
	free(m->last_exit);
	index_release(&m->by_tid);
	index_release(&m->who_index);
	dsos_release(&m->dsos);
	cgroups_release(&m->cgroups);
	ksymbols_release(&m->ksymbols);
	strs_release(&m->strs);
	free(m);
}

uint32_t
model_find_task(const struct model *m, int tid)
{
	uint64_t hash = tid_hash(tid);
	uint32_t id, pos;

	for (id = index_first(&m->by_tid, hash, &pos); id != 0;
	     id = index_next(&m->by_tid, hash, &pos))
		if (m->tasks[id].tid == tid)
			return id;
	return 0;
}

/* What perf shows for a task that no record named. */
static void
call_by_number(struct model *m, struct task *t)
{
	char name[16];

	t->comm = strs_add(&m->strs, name, (size_t)snprintf(name, sizeof(name), ":%d", t->tid));
	t->is_nameless = true;
}

static uint32_t
task_new(struct model *m, int pid, int tid)
{
	uint32_t id;

	m->changes++;
	if (m->free_task_len > 0) {
		id = m->free_tasks[--m->free_task_len];
	} else {
		vec_reserve(&m->tasks, &m->task_cap, m->task_len + 1, sizeof(*m->tasks));
		id = (uint32_t)m->task_len++;
	}
	m->tasks[id] = (struct task){ .pid = pid, .tid = tid, .process = id, .uid = UID_UNKNOWN,
				      .is_used = true, .is_indexed = true };
	if (m->from_file)
		call_by_number(m, &m->tasks[id]);
	index_add(&m->by_tid, tid_hash(tid), id);
	m->task_count++;
	m->live_count++;
	return id;
}

static void
task_unindex(struct model *m, uint32_t id)
{
	struct task *t = &m->tasks[id];

	if (!t->is_indexed)
		return;
	index_remove(&m->by_tid, tid_hash(t->tid), id);
	t->is_indexed = false;
}

/* Nobody waits for the name of @id any more. */
static void
drop_namesakes(struct model *m, uint32_t id)
{
	for (size_t i = 1; m->namesakes > 0 && i < m->task_len; i++) {
		if (m->tasks[i].namesake == id) {
			m->tasks[i].namesake = 0;
			m->namesakes--;
		}
	}
}

/*
 * Gives back what a task that is over for good held; a process only after its last thread, since
 * a leader may exit first and its pid stays taken.  Its id stays as long as anything names it.
 */
static void
task_release(struct model *m, uint32_t id)
{
	struct task *t = &m->tasks[id];
	uint32_t process = t->process;

	if (!t->is_swept || t->unswept > 0)
		return;
	task_unindex(m, id);
	space_put(t->space);
	t->space = NULL;
	if (t->whos > 0 || t->members > 0)
		return;
	drop_namesakes(m, id);
	m->namesakes -= t->namesake != 0;
	*t = (struct task){ 0 };
	vec_reserve(&m->free_tasks, &m->free_task_cap, m->free_task_len + 1,
		    sizeof(*m->free_tasks));
	m->free_tasks[m->free_task_len++] = id;
	m->task_count--;
	if (process != id && --m->tasks[process].members == 0)
		task_release(m, process);
}

static void
task_die(struct model *m, uint32_t id, uint64_t time_ns)
{
	struct task *t = &m->tasks[id];

	if (t->died_ns != 0)
		return;
	t->died_ns = time_ns != 0 ? time_ns : 1;
	t->next_dead = 0;
	if (m->dead_last != 0)
		m->tasks[m->dead_last].next_dead = id;
	else
		m->dead_first = id;
	m->dead_last = id;
	m->live_count--;
	if (t->process != id)
		m->tasks[t->process].living--;
}

/* Takes back a death: a thread that was not the leader has exec'd, and is the process from now. */
static void
task_revive(struct model *m, uint32_t id)
{
	uint32_t before = 0, at = m->dead_first;

	for (; at != 0 && at != id; at = m->tasks[at].next_dead)
		before = at;
	if (at == id) {
		uint32_t after = m->tasks[id].next_dead;

		if (before != 0)
			m->tasks[before].next_dead = after;
		else
			m->dead_first = after;
		if (after == 0)
			m->dead_last = before;
	}
	m->tasks[id].next_dead = 0;
	m->tasks[id].died_ns = 0;
	m->tasks[id].is_swept = false;
	m->live_count++;
}

/* A new thread of @process. */
static void
task_join(struct model *m, uint32_t id, uint32_t process)
{
	m->tasks[id].process = process;
	m->tasks[process].living++;
	m->tasks[process].unswept++;
	m->tasks[process].members++;
}

/* A new task is sampled for what @from is. */
static void
take_target(struct model *m, uint32_t id, uint32_t from)
{
	m->tasks[id].is_target = m->tasks[from].is_target;
	m->tasks[id].is_lone = m->tasks[from].is_lone;
	m->tasks[id].target = m->tasks[from].target;
}

uint32_t
model_task(struct model *m, int pid, int tid)
{
	uint32_t id = model_find_task(m, tid), leader;

	if (id != 0) {
		/*
		 * The pid of a dead task's late samples may be gone (-1): they are still its own.
		 * The idle loop's can still be that of the process just left.
		 */
		if (m->tasks[id].pid == pid || pid < 0 || tid == 0)
			return id;
		/* The same tid in another process: its birth was not seen. */
		task_die(m, id, 0);
		task_unindex(m, id);
	}
	if (pid == tid || pid < 0)
		return task_new(m, tid, tid);
	leader = model_task(m, pid, pid);
	id = task_new(m, pid, tid);
	task_join(m, id, leader);
	take_target(m, id, leader);
	return id;
}

uint32_t
model_sample_task(struct model *m, int pid, int tid, uint32_t cpu)
{
	struct last_exit last = { 0 };
	const struct task *t;

	if (tid >= 0)
		return model_task(m, pid, tid);
	if (cpu < m->last_exit_cap)
		last = m->last_exit[cpu];
	t = &m->tasks[last.task];
	if (last.task != 0 && t->is_used && t->tid == last.tid && t->died_ns == last.died_ns)
		return last.task;
	return model_task(m, -1, -1);
}

void
model_end_task(struct model *m, uint32_t task, uint64_t time_ns)
{
	m->changes++;
	task_die(m, task, time_ns);
}

uint32_t
model_outside_task(struct model *m)
{
	uint32_t id = model_find_task(m, TASK_OUTSIDE_TID);

	if (id == 0) {
		id = task_new(m, TASK_OUTSIDE_TID, TASK_OUTSIDE_TID);
		model_learn_comm(m, id, "[other namespace]");
		model_space(m, id)->state = SPACE_LOST;
	}
	return id;
}

uint32_t
model_who(struct model *m, uint32_t task)
{
	uint32_t comm = m->tasks[task].comm, id, pos;
	uint64_t hash = who_hash(task, comm);

	if (m->tasks[task].who != 0)
		return m->tasks[task].who;
	for (id = index_first(&m->who_index, hash, &pos); id != 0;
	     id = index_next(&m->who_index, hash, &pos))
		if (m->whos[id].task == task && m->whos[id].comm == comm)
			break;
	if (id == 0) {
		if (m->free_who_len > 0) {
			id = m->free_whos[--m->free_who_len];
		} else {
			vec_reserve(&m->whos, &m->who_cap, m->who_len + 1, sizeof(*m->whos));
			id = (uint32_t)m->who_len++;
		}
		m->whos[id] = (struct who){ .task = task, .comm = comm, .is_used = true };
		index_add(&m->who_index, hash, id);
		m->tasks[task].whos++;
	}
	m->tasks[task].who = id;
	return id;
}

static void
who_unindex(struct model *m, uint32_t id)
{
	index_remove(&m->who_index, who_hash(m->whos[id].task, m->whos[id].comm), id);
}

/* The task's first name: samples taken before it was known had it too. */
static void
name_task(struct model *m, uint32_t task, uint32_t str)
{
	struct task *t = &m->tasks[task];

	if (t->who != 0 && m->whos[t->who].comm == t->comm) {
		who_unindex(m, t->who);
		m->whos[t->who].comm = str;
		index_add(&m->who_index, who_hash(task, str), t->who);
	}
	t->comm = str;
	t->is_nameless = false;
}

/* It has another name by now; but samples before that were taken under its first one. */
static void
name_past(struct model *m, uint32_t task, uint32_t str)
{
	uint32_t pos, id = index_first(&m->who_index, who_hash(task, 0), &pos);

	while (id != 0 && (m->whos[id].task != task || m->whos[id].comm != 0))
		id = index_next(&m->who_index, who_hash(task, 0), &pos);
	if (id == 0)
		return;
	who_unindex(m, id);
	m->whos[id].comm = str;
	index_add(&m->who_index, who_hash(task, str), id);
}

/* Those that were forked from @task before its name was known were called the same. */
static void
name_namesakes(struct model *m, uint32_t task, uint32_t str)
{
	for (uint32_t id = 1; m->namesakes > 0 && id < m->task_len; id++) {
		if (m->tasks[id].namesake != task)
			continue;
		m->tasks[id].namesake = 0;
		m->namesakes--;
		if (m->tasks[id].comm == 0) {
			name_task(m, id, str);
			name_namesakes(m, id, str);
		} else {
			name_past(m, id, str);
		}
	}
}

void
model_cannot_name(struct model *m, uint32_t task)
{
	struct task *t = &m->tasks[task];
	struct task called = *t;

	m->changes++;
	if (!t->is_used || t->comm != 0)
		return;
	call_by_number(m, &called);
	name_task(m, task, called.comm);
	t->is_nameless = true;
	for (uint32_t id = 1; m->namesakes > 0 && id < m->task_len; id++) {
		if (m->tasks[id].namesake != task)
			continue;
		m->tasks[id].namesake = 0;
		m->namesakes--;
		if (m->tasks[id].comm != 0)
			name_past(m, id, m->tasks[id].comm);
		else
			model_cannot_name(m, id);
	}
}

/* It had another name before: past samples keep that. */
static void
rename_task(struct model *m, uint32_t task, uint32_t str)
{
	struct task *t = &m->tasks[task];

	t->is_comm_doubtful = false;
	if (t->comm == str)
		return;
	t->comm = str;
	t->who = 0;
	t->is_untold = m->has_untold = true;
}

void
model_learn_comm(struct model *m, uint32_t task, const char *comm)
{
	struct task *t = &m->tasks[task];
	uint32_t str;

	m->changes++;
	if (!t->is_used || (t->comm != 0 && !t->is_nameless && !t->is_comm_doubtful))
		return;
	str = strs_add(&m->strs, comm, strnlen(comm, 64));
	if (str == 0)
		return;
	if (t->is_comm_doubtful && t->comm != 0 && !t->is_nameless) {
		rename_task(m, task, str);
		return;
	}
	name_task(m, task, str);
	name_namesakes(m, task, str);
	t->is_untold = m->has_untold = true;
}

static struct space *
space_make(struct model *m, enum space_state state)
{
	return space_new(++m->next_space_id, state);
}

struct space *
model_space(struct model *m, uint32_t task)
{
	struct task *t = &m->tasks[m->tasks[task].process];

	if (t->space == NULL)
		t->space = space_make(m, m->from_file ? SPACE_KNOWN : SPACE_UNREAD);
	return t->space;
}

/* The process's space, its own: others that share it keep the old one. */
static struct space *
space_own(struct model *m, uint32_t task)
{
	struct space *s = model_space(m, task);
	struct task *t = &m->tasks[m->tasks[task].process];

	if (s->refs > 1) {
		t->space = space_copy(s, ++m->next_space_id);
		/* The answer under way is for the space as it was; this one asks for itself. */
		if (s->state == SPACE_ASKED)
			t->space->state = SPACE_UNREAD;
		space_put(s);
	}
	return t->space;
}

/*
 * Whether a record's task is one that can be told from others: those outside of our pid namespace
 * all come as 0, which is the idle task's.
 */
static bool
is_here(uint32_t pid, uint32_t tid)
{
	return (int)pid > 0 && (int)tid > 0;
}

/* "[kernel.kallsyms]_text" is the kernel; "[name]" and "/lib/modules/.../name.ko" are modules. */
static uint32_t
kernel_dso(struct model *m, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
	char module[64];
	size_t len;

	if (strncmp(base, "[kernel.", 8) == 0 || strstr(base, ".ko") == NULL)
		if (*base != '[' || strncmp(base, "[kernel.", 8) == 0)
			return DSO_ID_KERNEL;
	base += *base == '[';
	len = MIN(strcspn(base, ".]"), sizeof(module) - 1);
	memcpy(module, base, len);
	module[len] = '\0';
	/* A file's name may have hyphens; the module's has none. */
	for (char *c = module; *c != '\0'; c++)
		*c = *c == '-' ? '_' : *c;
	return dsos_module(&m->dsos, module);
}

/* A map of the kernel itself, as perf writes it into recordings. */
static void
record_kernel_mmap(struct model *m, const struct record *rec)
{
	const struct record_mmap *r = &rec->mmap;
	struct map map = { r->start, r->start + r->len, r->pgoff, 0 };

	/* Some files have one without a length: all that there is. */
	if (map.end <= map.start)
		map.end = UINT64_MAX;
	map.dso = kernel_dso(m, r->name);
	if (m->kernel == NULL)
		m->kernel = space_make(m, SPACE_KNOWN);
	space_add(m->kernel, &map);
	m->kernel_generation++;
}

static void
record_mmap(struct model *m, const struct record *rec)
{
	const struct record_mmap *r = &rec->mmap;
	struct map map = { r->start, r->start + r->len, r->pgoff, 0 };
	uint32_t task;

	if (m->from_file && !m->kernel_is_here && (int)r->pid == -1 &&
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		record_kernel_mmap(m, rec);
	/* The kernel's own maps (pid -1) come from kallsyms; data maps hold no code. */
	if (!is_here(r->pid, r->tid) || map.end < map.start || rec->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    (r->is_mmap2 && !m->from_file && !(r->prot & PROT_EXEC)))
		return;
	task = model_task(m, (int)r->pid, (int)r->tid);
	map.dso = dsos_file(&m->dsos, r->name, r->maj, r->min, r->ino, r->ino_generation);
	if (!space_would_change(model_space(m, task), &map))
		return;
	space_add(space_own(m, task), &map);
	model_space(m, task)->changed_ns = rec->id.time_ns;
}

/*
 * An exec ends all threads but the one that called it.  That one takes the leader's tid: if it was
 * another before, the leader has exited, and its own old tid is gone without a record.
 */
static void
only_one_is_left(struct model *m, uint32_t process, uint64_t time_ns)
{
	if (m->tasks[process].died_ns != 0)
		task_revive(m, process);
	for (uint32_t id = 1; m->tasks[process].living > 0 && id < m->task_len; id++)
		if (m->tasks[id].process == process && id != process)
			task_die(m, id, time_ns);
}

static void
record_comm(struct model *m, const struct record *rec)
{
	struct task *t;
	uint32_t id;

	if (!is_here(rec->comm.pid, rec->comm.tid))
		return;
	id = model_task(m, (int)rec->comm.pid, (int)rec->comm.tid);
	t = &m->tasks[id];
	if (t->is_nameless) {
		name_task(m, id, strs_add_str(&m->strs, rec->comm.comm));
	} else {
		t->comm = strs_add_str(&m->strs, rec->comm.comm);
		t->who = 0;
	}
	t->comm_asked = true;
	t->named_ns = rec->id.time_ns;
	if (!rec->comm.is_exec)
		return;
	only_one_is_left(m, m->tasks[id].process, rec->id.time_ns);
	/* All maps of the new program follow as records: the space is known whole. */
	t = &m->tasks[m->tasks[id].process];
	space_put(t->space);
	t->space = space_make(m, SPACE_KNOWN);
	t->execs++;
	t->exec_ns = rec->id.time_ns;
}

static void
record_fork(struct model *m, const struct record *rec)
{
	const struct record_task *r = &rec->task;
	uint32_t parent, id = model_find_task(m, (int)r->tid);
	bool is_thread = r->pid == r->ppid && r->pid != r->tid;
	struct space *shared = NULL;

	if (!is_here(r->pid, r->tid))
		return;
	if (id != 0) {
		/* The tid was free to be given again: whoever had it is dead. */
		task_die(m, id, r->time_ns);
		task_unindex(m, id);
	}
	parent = model_task(m, (int)r->ppid, (int)r->ptid);
	/* A parent 0 is outside of our pid namespace: nothing of it is known. */
	if (!is_thread && r->ppid != 0)
		shared = space_get(model_space(m, parent));
	id = task_new(m, (int)r->pid, (int)r->tid);
	m->tasks[id].born_ns = r->time_ns;
	if (!m->from_file && r->ptid != 0) {
		m->tasks[id].comm = m->tasks[parent].comm;
		m->tasks[id].namesake = m->tasks[parent].comm == 0 ? parent : 0;
		m->namesakes += m->tasks[id].namesake != 0;
	} else if (m->from_file && !m->tasks[parent].is_nameless) {
		name_task(m, id, m->tasks[parent].comm);
	}
	m->tasks[id].uid = m->tasks[m->tasks[parent].process].uid;
	if (is_thread || !m->tasks[parent].is_lone)
		take_target(m, id, parent);
	m->tasks[id].space = shared;
	if (is_thread)
		task_join(m, id, m->tasks[parent].process);
}

static void
record_exit(struct model *m, const struct record *rec)
{
	uint32_t id, cpu = rec->id.cpu;
	size_t old = m->last_exit_cap;

	if (!is_here(rec->task.pid, rec->task.tid))
		return;
	id = model_task(m, (int)rec->task.pid, (int)rec->task.tid);
	task_die(m, id, rec->task.time_ns);
	if (cpu >= CPUS_MAX)
		return;
	vec_reserve(&m->last_exit, &m->last_exit_cap, cpu + 1, sizeof(*m->last_exit));
	if (m->last_exit_cap > old)
		memset(m->last_exit + old, 0, (m->last_exit_cap - old) * sizeof(*m->last_exit));
	m->last_exit[cpu] = (struct last_exit){ id, m->tasks[id].tid, m->tasks[id].died_ns };
}

static void
record_ksymbol(struct model *m, const struct record *rec)
{
	enum { TYPE_BPF = 1, UNREGISTERED = 1 }; /* PERF_RECORD_KSYMBOL_* */
	struct ksymbol k = { .start = rec->ksymbol.addr,
			     .end = rec->ksymbol.addr + rec->ksymbol.len,
			     .is_bpf = rec->ksymbol.kind == TYPE_BPF };

	m->kernel_generation++;
	if (rec->ksymbol.flags & UNREGISTERED) {
		ksymbols_remove(&m->ksymbols, k.start);
		return;
	}
	k.name = strs_add_str(&m->strs, rec->ksymbol.name);
	ksymbols_add(&m->ksymbols, k);
}

static void
record_cgroup(struct model *m, const struct record *rec)
{
	cgroups_learn(&m->cgroups, rec->cgroup.id, strs_add_str(&m->strs, rec->cgroup.path));
}

void
model_record(struct model *m, const struct record *rec)
{
	static const struct {
		uint32_t type;
		void (*apply)(struct model *m, const struct record *rec);
	} rows[] = {
		{ PERF_RECORD_MMAP2, record_mmap }, { PERF_RECORD_MMAP, record_mmap },
		{ PERF_RECORD_COMM, record_comm },  { PERF_RECORD_FORK, record_fork },
		{ PERF_RECORD_EXIT, record_exit },  { PERF_RECORD_KSYMBOL, record_ksymbol },
		{ ABI_RECORD_CGROUP, record_cgroup },
	};

	m->changes++;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].type == rec->type) {
			rows[i].apply(m, rec);
			return;
		}
	}
}

void
model_learn_maps(struct model *m, struct space *s, const struct map *maps, size_t len)
{
	m->changes++;
	if (maps == NULL) {
		s->state = SPACE_LOST;
		return;
	}
	space_clear(s);
	for (size_t i = 0; i < len; i++)
		space_add(s, &maps[i]);
	s->state = SPACE_KNOWN;
	s->is_untold = m->has_untold = true;
}

void
model_doubt_all(struct model *m)
{
	m->changes++;
	for (size_t i = 1; i < m->task_len; i++) {
		struct space *s = m->tasks[i].space;

		if (m->tasks[i].is_used && m->tasks[i].died_ns == 0 && s != NULL &&
		    (s->state == SPACE_KNOWN || s->state == SPACE_LOST))
			s->state = SPACE_DOUBTFUL;
	}
}

void
model_sweep(struct model *m, uint64_t before_ns)
{
	m->changes++;
	while (m->dead_first != 0 && m->tasks[m->dead_first].died_ns < before_ns) {
		uint32_t id = m->dead_first;
		struct task *t = &m->tasks[id];

		uint32_t process = t->process;

		m->dead_first = t->next_dead;
		if (m->dead_first == 0)
			m->dead_last = 0;
		t->next_dead = 0;
		t->is_swept = true;
		if (process != id)
			m->tasks[process].unswept--;
		task_release(m, id);
		task_release(m, process);
	}
}

void
model_forget_who(struct model *m, uint32_t who)
{
	uint32_t task = m->whos[who].task;
	struct task *t = &m->tasks[task];

	m->changes++;
	who_unindex(m, who);
	m->whos[who] = (struct who){ 0 };
	vec_reserve(&m->free_whos, &m->free_who_cap, m->free_who_len + 1, sizeof(*m->free_whos));
	m->free_whos[m->free_who_len++] = who;
	if (t->who == who)
		t->who = 0;
	model_release_task(m, task);
}

void
model_hold_task(struct model *m, uint32_t task)
{
	m->tasks[task].whos++;
}

void
model_release_task(struct model *m, uint32_t task)
{
	if (--m->tasks[task].whos == 0)
		task_release(m, task);
}

uint32_t
model_ended_who(struct model *m, uint32_t comm)
{
	uint32_t task = model_find_task(m, TASK_ENDED_TID);

	if (task == 0) {
		task = task_new(m, TASK_ENDED_TID, TASK_ENDED_TID);
		m->live_count--;
		m->tasks[task].died_ns = 1;
	}
	/* One task with many names: each name a who of its own. */
	m->tasks[task].comm = comm;
	m->tasks[task].who = 0;
	return model_who(m, task);
}

bool
model_who_is_dead(const struct model *m, uint32_t who)
{
	const struct task *t = &m->tasks[m->whos[who].task];

	return t->is_swept && t->living == 0;
}
