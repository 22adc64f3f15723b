/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/holders.h"

#include "base/file.h"
#include "base/text.h"
#include "live/sys/procfs.h"

#include <dirent.h>
#include <unistd.h>

enum { PROCESSES_MAX = 4096, DESCRIPTORS_MAX = 16384, NAMES_MAX = 3, COMM_MAX = 64 };

struct search {
	const struct event_env *env;
	unsigned descriptors_left;
	struct buf *out;
	unsigned found;
};

static DIR *
open_fds(const struct search *s, int pid)
{
	struct buf path = { 0 };
	DIR *dir;

	buf_addf(&path, "%s/proc/%d/fd", s->env->root, pid);
	dir = opendir(path.data);
	buf_release(&path);
	return dir;
}

static bool
is_event(DIR *fds, const char *name)
{
	static const char event[] = "anon_inode:[perf_event]";
	char target[sizeof(event)];
	ssize_t n = readlinkat(dirfd(fds), name, target, sizeof(target));

	return n == (ssize_t)strlen(event) && memcmp(target, event, (size_t)n) == 0;
}

static bool
holds_events(struct search *s, int pid)
{
	DIR *fds = open_fds(s, pid);
	bool found = false;
	struct dirent *e;

	if (fds == NULL)
		return false;
	while (!found && s->descriptors_left > 0 && (e = readdir(fds)) != NULL) {
		s->descriptors_left--;
		found = is_event(fds, e->d_name);
	}
	closedir(fds);
	return found;
}

static void
put_name(struct search *s, int pid)
{
	struct buf path = { 0 }, comm = { 0 };

	if (s->found > 1)
		buf_add_str(s->out, ", ");
	buf_addf(&path, "%s/proc/%d/comm", s->env->root, pid);
	if (file_read(path.data, &comm, COMM_MAX) == 0)
		text_add_safe(s->out, comm.data, strcspn(comm.data, "\n"));
	buf_addf(s->out, " (pid %d)", pid);
	buf_release(&path);
	buf_release(&comm);
}

void
holders_put(const struct event_env *env, struct buf *b)
{
	struct search s = { .env = env, .descriptors_left = DESCRIPTORS_MAX, .out = b };
	struct buf path = { 0 };
	struct dirent *e;
	DIR *proc;
	int pid;

	buf_addf(&path, "%s/proc", env->root);
	proc = opendir(path.data);
	buf_release(&path);
	if (proc == NULL)
		return;
	for (unsigned n = 0; n < PROCESSES_MAX && (e = readdir(proc)) != NULL; n++) {
		if (!procfs_pid(e->d_name, &pid) || !holds_events(&s, pid))
			continue;
		if (++s.found <= NAMES_MAX)
			put_name(&s, pid);
	}
	closedir(proc);
	if (s.found > NAMES_MAX)
		buf_addf(b, " and %u more", s.found - NAMES_MAX);
}
