/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/past.h"
#include "tests/root.h"
#include "tests/skip.h"

enum { WRITTEN_MS = 60000 };

int
past_setup(void **state)
{
	struct past *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/ptop-past-XXXXXX");
	*state = p;
	return mkdtemp(p->dir) != NULL ? 0 : -1;
}

int
past_teardown(void **state)
{
	struct past *p = *state;
	char command[PATH_LEN];

	run_end(p->other);
	pty_free(p->s.p);
	for (int i = 0; i < LOADS_MAX; i++)
		run_end(p->s.loads[i]);
	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	if (system(command) != 0)
		fprintf(stderr, "%s stays\n", p->dir);
	free(p);
	return 0;
}

void
past_start(struct past *p, const char *options)
{
	char command[PATH_MAX + 512], *cwd = getcwd(NULL, 0);

	need_root();
	if (!run_has_perf())
		skip_for("there is no perf to read the files");
	if (run_ptop()[0] == '/')
		*cwd = '\0';
	snprintf(command, sizeof(command), "cd %s && exec %s/%s --history 1M %s", p->dir, cwd,
		 run_ptop(), options);
	free(cwd);
	/* A fifth of a CPU: it is sampled, faults and is switched hundreds of times a second. */
	screen_load_with(&p->s, "faults", "20");
	screen_run(&p->s, 150, 40, ARGS("sh", "-c", command), NULL);
	sees(&p->s, "event ");
	sees_match(&p->s, " faults");
}

/* The recorder's thread is there until all is written. */
static bool
is_writing(pid_t pid)
{
	char path[64];
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
		struct buf b = { 0 };
		char comm[PATH_LEN + 256];

		snprintf(comm, sizeof(comm), "%s/%s/comm", path, d->d_name);
		found |= file_read(comm, &b, 64) == 0 &&
			 strncmp(buf_str(&b), "ptop-record", strlen("ptop-record")) == 0;
		buf_release(&b);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

bool
past_find(struct past *p)
{
	DIR *dir = opendir(p->dir);
	bool found = false;

	for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
		if (strstr(d->d_name, "-past.perf.data") == NULL)
			continue;
		snprintf(p->file, sizeof(p->file), "%s/%.60s", p->dir, d->d_name);
		found = true;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* What there is to say of a busy machine, and of symbols. */
static bool
is_harmless(const char *line)
{
	static const char *const harmless[] = {
		"Warning:", "Processed ", "Check IO/CPU overload", "Kernel address maps",
		"As no suitable kallsyms", "can't be resolved", "If some relocation",
		"Samples in kernel modules", "Please use ", "[kernel.kallsyms]",
	};

	while (isspace((unsigned char)*line))
		line++;
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		if (strncmp(line, harmless[i], strlen(harmless[i])) == 0)
			return true;
	return *line == '\0';
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (const char *c = text; *c != '\0'; c++)
		n += *c == '\n';
	return n;
}

/* How many lines it prints. */
static size_t
read_by_perf(const struct past *p, char *const argv[])
{
	struct run_result r;
	char *save = NULL;
	size_t lines;

	run_program(&r, PATIENCE_S, argv);
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0)
		fail_msg("perf %s of %s: status %#x: %s", argv[1], p->file, r.status, r.err);
	lines = count_lines(r.out);
	for (char *line = strtok_r(r.err, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		if (!is_harmless(line))
			fail_msg("perf %s of %s says: %s", argv[1], p->file, line);
	run_release(&r);
	return lines;
}

double
past_count(const struct past *p, const char *event)
{
	struct run_result r;
	double samples;

	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i", (char *)(uintptr_t)p->file,
					 "--by", "event", "--format", "csv"));
	if (r.status != 0)
		fail_msg("%s: %s", p->file, r.err);
	samples = run_csv_sum(r.out, "samples", event != NULL ? 1 : 0,
			      (const char *const[][2]){ { "event", event } });
	run_release(&r);
	return samples;
}

double
past_read(struct past *p, bool has_values)
{
	char *file = p->file;
	double samples = past_count(p, NULL);
	size_t lines;

	assert_that(samples, >, 0);
	/* Names of functions, which take perf longer than all else each time, are in neither. */
	read_by_perf(p, ARGS("perf", "report", "-i", file, "--stdio", "-g", "none", "--no-children",
			     "-s", "comm", "--kallsyms=/dev/null", "--symfs=/dev/null"));
	/* Without names, which may hold anything. */
	lines = read_by_perf(p, ARGS("perf", "script", "-i", file, "-F", "tid,time,event",
				     "--kallsyms=/dev/null", "--symfs=/dev/null"));
	/* Of samples that carry values perf prints each value. */
	if (!has_values && (double)lines != samples)
		fail_msg("%s: perf prints %zu samples, ptop counts %.0f", file, lines, samples);
	unlink(file);
	return samples;
}

/* At the very first nothing was yet: the menu is as it was asked for. */
void
past_menu(struct past *p)
{
	for (int ms = 0; ms < SOON_MS; ms += 1000) {
		keys(&p->s, "w");
		if (pty_wait_text(p->s.p, "What was", 1000))
			return;
		keys(&p->s, "\033");
		pty_run(p->s.p, 200);
	}
	sees(&p->s, "What was");
}

void
past_write(struct past *p)
{
	/* Its name tells the second. */
	while (time(NULL) <= p->written_at)
		pty_run(p->s.p, 100);
	p->written_at = time(NULL) + 1;
	past_menu(p);
	keys(&p->s, "\r");
	for (int ms = 0; ms < WRITTEN_MS && (!past_find(p) || is_writing(pty_pid(p->s.p))); ms += 100)
		pty_run(p->s.p, 100);
	if (!past_find(p))
		fail_msg("no file was written:\n%s", pty_screen(p->s.p));
	assert_false(is_writing(pty_pid(p->s.p)));
}

void
past_write_and_read(struct past *p)
{
	past_write(p);
	past_read(p, false);
}

void
past_switch(struct past *p, const char *text, const char *event)
{
	char head[96];

	keys(&p->s, "e");
	sees_match(&p->s, "^ \\+ cpu-clock");
	keys(&p->s, text);
	sees_match(&p->s, "1 of |Enter opens what is typed");
	keys(&p->s, "\r");
	snprintf(head, sizeof(head), "event %s ", event);
	sees(&p->s, head);
	/* It is sampled: a row has something of it. */
	sees_match(&p->s, " [0-9]+\\.[0-9] .* faults");
}
