/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"
#include "model/model_impl.h"

#include "record/abi.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

enum { CPUS_MAX = 1 << 16 };

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
	uint32_t id;
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
	id = dsos_module(&m->dsos, module);
	if (*name == '/')
		dsos_learn_path(&m->dsos, id, name);
	return id;
}

/* A map of the kernel itself, as perf writes it into recordings. */
static void
record_kernel_mmap(struct model *m, const struct record *rec)
{
	const struct record_mmap *r = &rec->mmap;
	struct map map = { r->start, r->start + r->len, r->start, 0 };

	/* Some files have one without a length: all that there is. */
	if (map.end <= map.start)
		map.end = UINT64_MAX;
	map.dso = kernel_dso(m, r->name);
	/* Places in the kernel are told by address, in a module that has a file from its begin. */
	if (map.dso != DSO_ID_KERNEL && *r->name == '/')
		map.pgoff = 0;
	if (m->kernel == NULL)
		m->kernel = space_make(m, SPACE_KNOWN);
	space_add(m->kernel, &map);
	m->kernel_is_mapped |= map.dso == DSO_ID_KERNEL;
	m->kernel_generation++;
}

/* Costs of large spaces are of a second. */
static void
begin_second(struct model *m, uint64_t now_ns)
{
	if (m->maps.second == now_ns / NSEC_PER_SEC)
		return;
	m->maps.second = now_ns / NSEC_PER_SEC;
	m->maps.moved = 0;
}

static void
record_mmap(struct model *m, const struct record *rec)
{
	const struct record_mmap *r = &rec->mmap;
	struct map map = { r->start, r->start + r->len, r->pgoff, 0 };
	struct space *space;
	uint32_t task;
	bool may_cost;

	if (m->from_file && !m->kernel_is_here && (int)r->pid == -1 &&
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		record_kernel_mmap(m, rec);
	/* The kernel's own maps (pid -1) come from kallsyms; data maps hold no code. */
	if (!is_here(r->pid, r->tid) || map.end < map.start || rec->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    (r->is_mmap2 && !m->from_file && !(r->prot & PROT_EXEC)))
		return;
	task = model_task(m, (int)r->pid, (int)r->tid);
	model_map_dso(m, task, &map,
		      &(struct dso){ .maj = r->maj, .min = r->min, .ino = r->ino,
				     .ino_generation = r->ino_generation },
		      r->name);
	if (!space_would_change(model_space(m, task), &map))
		return;
	begin_second(m, rec->id.time_ns);
	space = space_own(m, task);
	may_cost = space_may_cost(m, space, 1);
	if (!may_cost || space_is_shared(space))
		model_doubt_maps(m, space);
	if (may_cost)
		space_add(space, &map);
	space->has_code |= dsos_get(&m->dsos, map.dso)->kind == DSO_ANON;
	space->changed_ns = rec->id.time_ns;
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
	uint32_t id, name;

	if (!is_here(rec->comm.pid, rec->comm.tid))
		return;
	id = model_task(m, (int)rec->comm.pid, (int)rec->comm.tid);
	name = model_name(m, id, rec->comm.comm, strlen(rec->comm.comm));
	t = &m->tasks[id];
	if (t->is_nameless) {
		task_set_first_name(m, id, name);
	} else {
		t->comm = name;
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
	t->code = 0;
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
		task_set_first_name(m, id, m->tasks[parent].comm);
	}
	m->tasks[id].uid = m->tasks[m->tasks[parent].process].uid;
	m->tasks[id].cgroup = m->tasks[parent].cgroup;
	if (is_thread || !m->tasks[parent].is_lone)
		task_inherit_target(m, id, parent);
	m->tasks[id].space = shared;
	if (is_thread)
		task_join(m, id, m->tasks[parent].process);
}

static void
record_exit(struct model *m, const struct record *rec)
{
	struct last_exit last = { .tid = TASK_OUTSIDE_TID };
	uint32_t cpu = rec->id.cpu;

	if (is_here(rec->task.pid, rec->task.tid)) {
		last.task = model_task(m, (int)rec->task.pid, (int)rec->task.tid);
		task_die(m, last.task, rec->task.time_ns);
		last.tid = m->tasks[last.task].tid;
		last.died_ns = m->tasks[last.task].died_ns;
		m->ended[m->ended_count++ % MODEL_ENDED_MAX] = last.tid;
	}
	if (cpu >= CPUS_MAX)
		return;
	vec_reserve_zeroed(&m->last_exit, &m->last_exit_cap, cpu + 1, sizeof(*m->last_exit));
	m->last_exit[cpu] = last;
}

static void
record_ksymbol(struct model *m, const struct record *rec)
{
	enum { TYPE_BPF = 1, UNREGISTERED = 1 }; /* PERF_RECORD_KSYMBOL_* */
	struct ksymbol k = { .start = rec->ksymbol.addr,
			     .end = rec->ksymbol.addr + rec->ksymbol.len,
			     .name = strs_add_str(&m->strs, rec->ksymbol.name),
			     .time_ns = rec->id.time_ns, .since = ++m->kernel_generation,
			     .is_bpf = rec->ksymbol.kind == TYPE_BPF };

	if (rec->ksymbol.flags & UNREGISTERED)
		ksymbols_remove(&m->ksymbols, k);
	else
		ksymbols_add(&m->ksymbols, k);
}

/* Comes behind the symbols of a program; when it is unloaded, they tell. */
static void
record_bpf_event(struct model *m, const struct record *rec)
{
	enum { LOADED = 1 }; /* PERF_BPF_EVENT_PROG_LOAD */

	if (rec->bpf_event.type == LOADED)
		ksymbols_name_program(&m->ksymbols, &m->strs, rec->bpf_event.tag,
				      rec->bpf_event.id);
}

static void
record_cgroup(struct model *m, const struct record *rec)
{
	const char *path = rec->cgroup.path;
	size_t bytes = cgroups_knows(&m->cgroups, rec->cgroup.id) ? 0 : NAME_ROOM_SITE_BYTES;

	if (strs_find(&m->strs, path, strlen(path)) == 0)
		bytes += strlen(path) + NAME_ROOM_SITE_BYTES;
	/* Nobody says who made it. */
	if (bytes == 0 || name_room_take(&m->room, UID_UNKNOWN, bytes))
		cgroups_learn(&m->cgroups, rec->cgroup.id, strs_add_str(&m->strs, path));
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
		{ ABI_RECORD_BPF_EVENT, record_bpf_event },
	};

	m->changes++;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].type == rec->type) {
			rows[i].apply(m, rec);
			return;
		}
	}
}
