/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_MODEL_H
#define PTOP_MODEL_MODEL_H
/*
 * Who is there: tasks as they lived, their names over time, their address spaces; kept current by
 * side-band records and by what the /proc reader finds.  Engine thread only; nothing here blocks.
 */
#include "base/strs.h"
#include "model/cgroup.h"
#include "model/dso.h"
#include "model/ksymbol.h"
#include "model/name_room.h"
#include "model/space.h"
#include "record/record.h"

/*
 * A process or thread as it lived.  A reused pid is a new task.  Ids are reused only after
 * model_forget_task().
 */
struct task {
	/* What each sample looks at comes first: of 100,000 tasks few are in a cache. */
	int pid, tid;
	uint32_t process;      /* task id of the thread group's leader; its own id for a process */
	uint32_t comm;         /* string; 0: not known yet */
	uint32_t who;          /* current, 0: none since the last change */
	uint32_t cgroup;       /* number of model.cgroups, 0: not known yet */
	bool is_target;        /* sampled on purpose, or a child of such */
	bool is_comm_doubtful; /* what /proc says next is its name, whatever it was called before */
	bool comm_asked;
	bool is_used;
	uint32_t host;         /* string: the host that it runs on; 0: this one */
	uint32_t heat;         /* of a process: samples of late, halved by each model_hottest() */
	struct space *space;   /* of processes; threads use their process's */
	uint64_t seen_ns;      /* of a process: its last sample or attaching, CLOCK_MONOTONIC */
	uint64_t died_ns;      /* 0: it is alive */
	uint32_t target;       /* number of its target, 0: none */
	bool is_lone;          /* a target whose children are none */
	bool is_single;        /* a target as a thread: the others of its process are none */
	bool was_detached; /* it was a target: nothing but model_set_target() makes it one again */
	bool is_unrecorded;    /* its comm is from /proc: no record has it yet */
	bool is_indexed;       /* still found by its tid */

	uint64_t born_ns;      /* CLOCK_MONOTONIC; 0: before ptop */
	uint64_t named_ns;     /* last COMM record, 0: none */
	uint64_t exec_ns;      /* of a process: last exec, 0: none was seen */
	uint32_t namesake;     /* task that it was forked from, whose name was not known; 0: none */
	uint32_t next_dead;    /* chain of the dead, oldest first */
	union {                /* of a process: */
		uint32_t uid;  /* UID_UNKNOWN: not known */
		uint32_t user; /* of another host: string, what its owner is called there */
	};
	uint64_t owner_ns;     /* of a process: when uid was read: older answers are void */
	uint64_t owner_asked_ns; /* of a process: when uid was last asked for */
	uint32_t code;         /* of a process: dso of its memory with code but no file, 0: none */
	unsigned whos;         /* how many whos, and holders, name it */
	/* Of a process, its threads beside the leader: */
	unsigned living;       /* that did not exit yet */
	unsigned unswept;      /* whose late samples may still come */
	unsigned members;      /* that name it as theirs: not forgotten yet */
	uint32_t execs;        /* of a process, by records: its space is whole from the first on */
	bool is_nameless;      /* its comm is a number: no record gave its name yet */
	bool is_swept;         /* dead for good: lives on only for its samples and threads */
	bool has_one_tree;     /* of a process: stacks of its threads are told as its own */
	uint32_t crowd_comm;   /* of a process: it was last counted with those of this name that ended */
};

/* No owner is known. */
#define UID_UNKNOWN UINT32_MAX

/*
 * Tids of tasks that stand for many: all that ended and were merged by name; all outside of ptop's
 * pid namespace, which have the tid 0 in records, as the idle loop has; and all, if tasks are told
 * apart by name alone.
 */
enum { TASK_ENDED_TID = -2, TASK_OUTSIDE_TID = -3, TASK_NAMED_TID = -4 };

/* A task in one state.  Past samples keep the names that they had. */
struct who {
	uint32_t task;
	uint32_t comm; /* string; 0 while not known: set once it is */
	uint32_t cgroup; /* likewise, number of model.cgroups */
	bool is_used;
};

/*
 * The id may be another task's by now: the rest says whether it is.  Of one outside of the pid
 * namespace there is TASK_OUTSIDE_TID alone.
 */
struct last_exit {
	uint32_t task;
	int tid;
	uint64_t died_ns;
};

enum { MODEL_ENDED_MAX = 4096 };

struct model {
	struct strs strs;
	struct name_room room; /* in strs, and of what they are names of */
	struct dsos dsos;
	struct cgroups cgroups;
	struct ksymbols ksymbols;
	struct task *tasks; /* by id; [0] is not used */
	size_t task_len, task_cap;
	uint32_t *free_tasks;
	size_t free_task_len, free_task_cap;
	struct index by_tid;
	uint32_t found_task; /* the last that model_task() found: most samples are of it again */
	struct who *whos; /* by id; [0] is not used */
	size_t who_len, who_cap;
	uint32_t *free_whos;
	size_t free_who_len, free_who_cap;
	struct index who_index;
	uint32_t dead_first, dead_last;
	struct last_exit *last_exit; /* by CPU: who died there last */
	size_t last_exit_cap;
	uint32_t next_space_id;
	uint32_t changes;           /* grows whenever who or what there is may have changed */
	uint32_t kernel_generation; /* changes when kernel code does: KSYMBOL */
	bool has_unrecorded;        /* tasks or spaces */
	size_t namesakes;           /* tasks that wait for their parent's name */
	bool from_file;             /* all that there is comes from records: nothing is asked for */
	struct space_costs maps;
	uint32_t told_rounds;       /* of telling recordings what is known: known_state.c */
	struct space *kernel;       /* from_file: the kernel's maps, by records; NULL: none came */
	bool kernel_is_mapped;      /* the kernel's own is among these: what is beyond them is unknown */
	bool kernel_is_here;        /* from_file: its symbols are there: the maps are not needed */
	bool by_name;               /* from_file: tasks of one name are one who */
	size_t task_count, live_count;
	int ended[MODEL_ENDED_MAX]; /* tids of those that ended last, by records: a ring */
	uint64_t ended_count;
};

struct model *model_new(void);

/* Kernel code may have come or gone: what is remembered of it is looked at again. */
void model_kernel_changed(struct model *m);

/* The recorded kernel's image is there: it tells what the maps from records do, and more. */
void model_set_kernel_is_here(struct model *m);

/* For a recording: spaces are whole, tasks without a name are called ":TID", as in perf. */
void model_set_from_file(struct model *m);

/*
 * Nobody will tell tasks of a recording apart but by their names: those of one name are one who, so
 * that what is counted does not grow with the number of tasks.  Call before the first record.
 */
void model_set_by_name(struct model *m);
void model_free(struct model *m);

/* The string @text, a name of @task; new ones for which there is no room are "[too many names]". */
uint32_t model_name(struct model *m, uint32_t task, const char *text, size_t len);

/* The same of code. */
uint32_t model_code_name(struct model *m, const char *text, size_t len);

/* Whether there is room for something of @task, so many bytes; it is taken. */
bool model_take_room(struct model *m, uint32_t task, size_t bytes);

/*
 * Applies a side-band record (MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL, CGROUP, BPF_EVENT); others
 * change nothing.
 */
void model_record(struct model *m, const struct record *rec);

/*
 * The task that a sample on @cpu names, made if it is not known.  The last samples of a dying task
 * have no tid any more (-1): they belong to whoever exited last on that CPU.
 */
uint32_t model_sample_task(struct model *m, int pid, int tid, uint32_t cpu);

/* The one task for all outside the pid namespace. */
uint32_t model_outside_task(struct model *m);

/* The task with that pid and tid, made if it is not known. */
uint32_t model_task(struct model *m, int pid, int tid);

/* The same of another host, a string: its tasks are found by this alone. */
uint32_t model_host_task(struct model *m, uint32_t host, int pid, int tid);

static inline struct task *
model_task_at(const struct model *m, uint32_t id)
{
	return &m->tasks[id];
}

/* The task with that tid, 0 if none is known. */
uint32_t model_find_task(const struct model *m, int tid);

/*
 * Prefetches what a sample of @tid, which comes soon, will look at.  Each thing is found by the one
 * before: call with each step from the last down to 0, some time apart.
 */
enum { MODEL_PREFETCH_STEPS = 5, MODEL_FAR_TASKS = 8192 };
void model_prefetch(const struct model *m, int tid, unsigned step);

/* Whether that pays: fewer tasks are near anyway. */
static inline bool
model_is_far(const struct model *m)
{
	return m->task_count >= MODEL_FAR_TASKS;
}

/* Who @task is now. */
uint32_t model_who(struct model *m, uint32_t task);

/*
 * The same of a task of another host, which is called @comm and is in the control group at @path, both
 * strings, from now on; 0: no group is known.
 */
uint32_t model_host_who(struct model *m, uint32_t task, uint32_t comm, uint32_t path);

/* Whether @who is @task, or stands for all tasks of its name. */
bool model_is_who(const struct model *m, uint32_t who, uint32_t task);

/* The space of the process that @task belongs to.  Never NULL. */
struct space *model_space(struct model *m, uint32_t task);

/*
 * Nobody can tell the name of @task any more: it is called ":TID", as in perf.  Those that were
 * forked from it are called what they are called later.
 */
void model_cannot_name(struct model *m, uint32_t task);

/*
 * The pids of processes that live, and are targets or were sampled after @since_ns: of the hottest @max,
 * hottest first.  How many there are, which can be more.
 */
size_t model_hottest(struct model *m, uint64_t since_ns, int *pids, size_t max);

/* Notes that @samples of @task, or of another of its process, were taken until @time_ns. */
static inline void
model_saw(struct model *m, uint32_t task, uint32_t samples, uint64_t time_ns)
{
	struct task *process = &m->tasks[m->tasks[task].process];

	process->seen_ns = time_ns;
	process->heat += samples;
}

/*
 * Who @process belongs to, UID_UNKNOWN: not known, as an exec may have made it another's.  The dead
 * cannot be asked any more: of them it is what was known last.
 */
static inline uint32_t
model_owner(const struct task *process)
{
	bool is_stale = process->exec_ns > process->owner_ns && process->died_ns == 0;

	return is_stale ? UID_UNKNOWN : process->uid;
}

/* Who /proc said at @clock_ns that @task, a process, belongs to. */
void model_learn_owner(struct model *m, uint32_t task, uint32_t uid, uint64_t clock_ns);

/* What /proc says of a task whose name is not known from records. */
void model_learn_comm(struct model *m, uint32_t task, const char *comm);

/*
 * The control group that @task is in from now on; if it is the first that is known of it, samples
 * taken before were in it, too.  By the id that a sample carries, and by what /proc says of a
 * process, which threads that nothing else is known of share.
 */
void model_set_cgroup(struct model *m, uint32_t task, uint64_t id);
void model_learn_cgroup(struct model *m, uint32_t task, const char *path);

/* Whether samples of the group that @task is in are wanted. */
bool model_wants_cgroup(struct model *m, uint32_t task);

/*
 * The maps of a process, read when its space was asked for: they replace all that was known.
 * @maps NULL: they cannot be had, the space is lost.
 */
void model_learn_maps(struct model *m, struct space *space, const struct map *maps, size_t len);

/*
 * Sets the map's dso to what a record or /proc names it, in the address space of @task.  Executable
 * memory without a file is a dso of its process, whose offsets are addresses.
 */
void model_map_dso(struct model *m, uint32_t task, struct map *map, const struct dso *named,
		   const char *path);

/* Of the living processes that share @space, the one that was there first; else @task. */
uint32_t model_space_owner(const struct model *m, const struct space *space, uint32_t task);

/* Whether code of @dso, executable memory without a file, is mapped in a process that lives. */
bool model_has_code(const struct model *m, uint32_t dso);

/* What is at the addresses of @dso is not what it was: caches by space are void. */
void model_code_changed(struct model *m, uint32_t dso);

/* The task has ended, though no record said so. */
void model_end_task(struct model *m, uint32_t task, uint64_t time_ns);

/* The tids of those that ended last, sorted; free(). */
int *model_ended(const struct model *m, size_t *count);

/*
 * Whether @tid, of which /proc told some time ago, is gone since, by records; @task: what
 * model_find_task() says of it, @ended: from model_ended().
 */
bool model_has_ended(const struct model *m, uint32_t task, int tid, const int *ended, size_t count);

/* Records were lost: what is known of each living space may be wrong. */
void model_doubt_all(struct model *m);

/*
 * Lets go of what the dead held: those that died before @before_ns are no longer found by their
 * tid, their spaces are given back, and those that no sample names are forgotten.
 */
void model_sweep(struct model *m, uint64_t before_ns);

/* Frees @who, whose counts were moved elsewhere; and its task, if that was its last one. */
void model_forget_who(struct model *m, uint32_t who);

/* Keeps a task's id from being given to another one, while somebody looks at it. */
void model_hold_task(struct model *m, uint32_t task);
void model_release_task(struct model *m, uint32_t task);

/* The one who that stands for ended tasks of @host named @comm that were in @cgroup. */
uint32_t model_ended_who(struct model *m, uint32_t host, uint32_t comm, uint32_t cgroup);

/*
 * Samples of @task are wanted, and of all its threads if it is a process, as part of the target
 * with the number @target.  @lone: those of its future children are not.
 */
void model_set_target(struct model *m, uint32_t task, uint32_t target, bool lone);

/* The same of a thread alone, which may be the first of its process. */
void model_set_thread_target(struct model *m, uint32_t task, uint32_t target);

/* Whether @task, a process, is a target with all its threads. */
static inline bool
task_is_process_target(const struct task *task)
{
	return task->is_target && !task->is_single;
}

/* Whether samples of @task are wanted, where others are dropped. */
static inline bool
model_is_target(const struct model *m, const struct task *task)
{
	return task->is_target || task_is_process_target(model_task_at(m, task->process));
}

/* Nothing that has the number @target is wanted any more. */
void model_clear_target(struct model *m, uint32_t target);

/* Whether a task that is alive has the number @target. */
bool model_has_target(const struct model *m, uint32_t target);

/* The next process behind @task that is alive and has the number, 0: there is none. */
uint32_t model_next_of_target(const struct model *m, uint32_t target, uint32_t task);

/*
 * No records of @task, a process, came for a while: its maps and its name may have changed.
 */
void model_doubt_task(struct model *m, uint32_t task);

/* Whether all of @who's task is over, so that its counts may be merged with others'. */
bool model_who_is_dead(const struct model *m, uint32_t who);

#endif
