/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_who.h"

#include "live/sys/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool
has_pid(const struct call_who *w, int pid)
{
	for (size_t i = 0; i < w->tasks.len; i++)
		if (w->tasks.items[i].pid == pid)
			return true;
	return false;
}

/* Whether process @pid is of that program. */
static bool
runs(int pid, const struct stat *program)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return stat(path, &st) == 0 && st.st_dev == program->st_dev && st.st_ino == program->st_ino;
}

/* Processes of one program. */
struct runners {
	size_t theirs, others;
};

/* Others are counted until there is one. */
static struct runners
count_runners(const struct call_who *w, const char *file)
{
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ids[PROC_FILE_IDS];
	bool is_there;
	struct runners r = { 0 };
	struct stat program;
	size_t count = 0;

	is_there = stat(file, &program) == 0;
	while (is_there && fd >= 0 && r.others == 0 && proc_file_ids(fd, ids, &count) > 0)
		for (size_t i = 0; i < count; i++)
			if (runs(ids[i], &program))
				*(has_pid(w, ids[i]) ? &r.theirs : &r.others) += 1;
	if (fd >= 0)
		close(fd);
	return r;
}

/*
 * Whether the file is the program of these processes, and of no other: then a CPU's probes are hit
 * by nobody else, and by each thread from its begin on.
 */
static bool
is_their_own(const struct call_who *w, const char *file)
{
	struct runners r = count_runners(w, file);

	return r.theirs > 0 && r.others == 0;
}

/* Else those run the file, too, from their begin on. */
static bool
have_children(const struct call_whom *whom)
{
	for (size_t i = 0; i < whom->root_count; i++)
		if (!whom->roots[i].with_children)
			return false;
	return true;
}

static void
choose(struct call_who *w, const struct call_whom *whom)
{
	const char *file = whom->file;
	bool is_own = !w->is_machine && file != NULL && have_children(whom) &&
		      is_their_own(w, file);

	/* A kernel's probe is for all tasks, whoever opened it. */
	w->is_by_cpu = w->is_machine || whom->is_for_cpus || file == NULL || is_own ||
		       w->tasks.len > CALL_TASKS_MAX;
	w->hits_others = w->is_by_cpu && !w->is_machine && !is_own;
	w->own_file = is_own ? mem_strdup(file) : NULL;
}

static int
add_root(struct call_who *w, const struct call_root *root, struct err *err)
{
	return targets_add_process(&w->targets, root->pid,
				   root->with_children ? FOLLOW_CHILDREN : FOLLOW_THREADS, err);
}

int
call_who_init(struct call_who *w, const struct event_env *env, const struct call_whom *whom,
	      struct err *err)
{
	*w = (struct call_who){ .is_machine = whom->root_count == 0,
				.is_for_cpus = whom->is_for_cpus };
	for (size_t i = 0; i < whom->root_count; i++)
		if (add_root(w, &whom->roots[i], err) < 0)
			return -1;
	call_who_refresh(w);
	choose(w, whom);
	call_who_cpu_ns(w);
	w->cpu_ns = 0;
	return w->is_by_cpu ? cpus_read_online(env, &w->cpus, err) : 0;
}

void
call_who_release(struct call_who *w)
{
	targets_release(&w->targets);
	tasks_release(&w->tasks);
	cpus_release(&w->cpus);
	free(w->processes);
	free(w->own_file);
}

/* The file is not theirs alone any more: a CPU's probes would be hit by others, whom nobody counts. */
static void
share_file(struct call_who *w)
{
	if (w->own_file == NULL)
		return;
	free(w->own_file);
	w->own_file = NULL;
	w->is_by_cpu = w->hits_others = w->is_for_cpus || w->tasks.len > CALL_TASKS_MAX;
}

bool
call_who_meets_others(struct call_who *w)
{
	if (w->own_file == NULL || count_runners(w, w->own_file).others == 0)
		return false;
	/* Or it is a child that was forked since the last look. */
	call_who_refresh(w);
	if (count_runners(w, w->own_file).others == 0)
		return false;
	share_file(w);
	return true;
}

void
call_who_join(struct call_who *w, const struct call_root *root)
{
	struct err gone;

	if (w->is_machine)
		return;
	targets_remove(&w->targets, targets_number_of(&w->targets, root->pid));
	if (add_root(w, root, &gone) < 0)
		return;
	if (!root->with_children)
		share_file(w);
}

void
call_who_refresh(struct call_who *w)
{
	if (w->is_machine)
		return;
	targets_refresh(&w->targets);
	targets_list(&w->targets, 0, &w->tasks);
}

struct call_place *
call_who_places(const struct call_who *w, size_t *count)
{
	size_t len = w->is_by_cpu ? w->cpus.len : w->tasks.len;
	struct call_place *places = mem_calloc(len + 1, sizeof(*places));

	for (size_t i = 0; i < len; i++)
		places[i] = w->is_by_cpu
			? (struct call_place){ .tid = -1, .cpu = (int)w->cpus.items[i] }
			: (struct call_place){ .tid = w->tasks.items[i].tid, .cpu = -1 };
	*count = len;
	return places;
}

/* What a process used before it was seen first does not count. */
static struct call_process *
find(struct call_who *w, int pid, uint64_t now_ns)
{
	for (size_t i = 0; i < w->process_count; i++)
		if (w->processes[i].pid == pid)
			return &w->processes[i];
	VEC_ADD(w->processes, w->process_count, w->process_cap) =
		(struct call_process){ .pid = pid, .cpu_ns = now_ns };
	return &w->processes[w->process_count - 1];
}

uint64_t
call_who_cpu_ns(struct call_who *w)
{
	int last = 0;

	for (size_t i = 0; i < w->tasks.len; i++) {
		struct call_process *p;
		struct timespec t;
		clockid_t clock;
		uint64_t ns;
		int pid = w->tasks.items[i].pid;

		if (pid == last || clock_getcpuclockid(pid, &clock) != 0 ||
		    clock_gettime(clock, &t) != 0)
			continue;
		last = pid;
		ns = (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
		p = find(w, pid, ns);
		w->cpu_ns += ns > p->cpu_ns ? ns - p->cpu_ns : 0;
		p->cpu_ns = ns;
	}
	return w->cpu_ns;
}
