/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/run.h"

#include "app/check_event.h"
#include "engine/leaf/users.h"
#include "base/file.h"
#include "base/own_file.h"
#include "base/text.h"
#include "live/session/lanes.h"
#include "live/sys/limits.h"
#include "live/open/open_error.h"
#include "live/open/open_lack.h"
#include "live/sys/procfs.h"
#include "live/sys/rights.h"
#include "live/session/session.h"
#include "live/sys/targets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	NAME_WIDTH = 24,
	TEXT_COLUMN = 29,
	REMEDY_COLUMN = 8,
	LINE_WIDTH = 80,
	PROCESSES_MAX = 4096,
	ENDING_MS = 20,
};

/* ---- what is no event */

static bool
try_rings(struct check *c)
{
	struct lane_pages wanted = { LANE_SIDEBAND_PAGES, c->ring_pages }, pages;
	struct session_ring *rings = NULL;
	struct lanes lanes = { 0 };
	size_t n = 0, len;

	if (!c->ring_pages_given)
		lane_pages_bound(&wanted, c->cpus.len);
	pages = wanted;
	if (lanes_open(&lanes, c->sys, c->env, &c->cpus, &pages, &rings, &n, &c->err) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		session_ring_close(&rings[i]);
	free(rings);
	lanes_release(&lanes);
	buf_addf(&c->text, "at least %zuK for each of %zu CPUs", lane_pages_bytes(&wanted) >> 10,
		 c->cpus.len);
	if (pages.sideband == wanted.sideband && pages.sample == wanted.sample)
		return true;
	open_error_ring(&c->err, c->env, lane_pages_bytes(&wanted), c->cpus.len, EPERM);
	len = strlen(c->err.text);
	snprintf(c->err.text + len, sizeof(c->err.text) - len, "; ptop goes on with %zuK",
		 lane_pages_bytes(&pages) >> 10);
	return false;
}

/*
 * A session opens two rings a CPU, and for each CPU, or pair of task and CPU, the side-band and an
 * event; two while one is switched to another.
 */
static bool
try_descriptors(struct check *c)
{
	size_t wanted = c->cpus.len * 5;

	if (!c->may_system) {
		struct targets targets = { .all_of_user = true, .uid = geteuid() };
		struct tasks tasks = { 0 };

		targets_refresh(&targets);
		targets_list(&targets, 0, &tasks);
		wanted += tasks.len * c->cpus.len * 2;
		tasks_release(&tasks);
		targets_release(&targets);
	}
	if (limits_need_descriptors(wanted, &c->err) < 0)
		return false;
	buf_addf(&c->text, "%zu wanted, %zu allowed", wanted, limits_free_descriptors());
	return true;
}

/* Without the right, all addresses are 0; where kptr_restrict is 2, with it, too. */
static bool
try_kernel_symbols(struct check *c)
{
	struct buf path = { 0 }, text = { 0 };
	bool has_address = false, no_right_helps;

	buf_addf(&path, "%s/proc/kallsyms", c->env->root);
	file_read(path.data, &text, 4096); /* its first lines tell */
	for (const char *line = buf_str(&text); *line != '\0' && !has_address;) {
		has_address = strtoull(line, NULL, 16) != 0;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	buf_reset(&path);
	buf_addf(&path, "%s/proc/sys/kernel/kptr_restrict", c->env->root);
	no_right_helps = file_number(path.data, 1) > 1;
	buf_release(&path);
	buf_release(&text);
	if (has_address)
		return true;
	err_set(&c->err, ERR_DENIED, 0, "/proc/kallsyms shows no addresses");
	err_hint(&c->err, "%ssudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1",
		 no_right_helps ? "" : "sudo setcap cap_syslog+ep " OWN_FILE_WORD ", or: ");
	return false;
}

static bool
root_is_closed(const struct check *c, int pid)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%d/root/.", c->env->root, pid);
	return stat(path, &st) < 0 && (errno == EACCES || errno == EPERM);
}

/* Who has the rights to look is refused by nothing else. */
static const char *
why_closed(const struct rights *r)
{
	if (!rights_has(r, CAP_NR_SYS_PTRACE))
		return "CAP_SYS_PTRACE is missing";
	if (!rights_has(r, CAP_NR_DAC_READ_SEARCH))
		return "CAP_DAC_READ_SEARCH is missing";
	return r->confined[0] != '\0' ? r->confined : "a security module forbids it";
}

/* Files in other mount namespaces are reached through /proc/PID/root, if they are at all. */
static bool
try_mount_namespaces(struct check *c)
{
	const struct timespec moment = { .tv_nsec = ENDING_MS * 1000000L };
	unsigned denied = 0;
	struct rights rights;

	for (size_t i = 0; i < c->pid_count; i++) {
		if (!root_is_closed(c, c->pids[i]))
			continue;
		/* One that is ending is closed to everybody, and gone soon. */
		if (denied == 0)
			nanosleep(&moment, NULL);
		denied += root_is_closed(c, c->pids[i]);
	}
	if (denied == 0)
		return true;
	rights_read(&rights, c->env);
	err_set(&c->err, ERR_DENIED, 0, "/proc/PID/root is closed for %u of %zu processes: %s", denied,
		c->pid_count, why_closed(&rights));
	if (!rights_has(&rights, CAP_NR_SYS_PTRACE) || !rights_has(&rights, CAP_NR_DAC_READ_SEARCH))
		err_hint(&c->err, "sudo setcap cap_sys_ptrace,cap_dac_read_search+ep "
			 OWN_FILE_WORD);
	return false;
}

static const struct check_item {
	const char *name;
	bool (*try)(struct check *c); /* false: c->err says why */
} items[] = {
	{ "own processes", check_own }, /* the first: the exit status */
	{ "system-wide", check_system },
	{ "kernel", check_kernel },
	{ "other users' processes", check_other_user },
	{ "hardware events", check_hardware },
	{ "precise sampling", check_precise },
	{ "branch stacks", check_branches },
	{ "tracepoints", check_tracepoint },
	{ "fields of tracepoints", check_tracepoint_fields },
	{ "breakpoints", check_breakpoint },
	{ "uprobes", check_uprobe },
	{ "kprobes", check_kprobe },
	{ "cgroups", check_cgroups },
	{ "user stack dumps", check_stack_dump },
	{ "ring memory", try_rings },
	{ "descriptors", try_descriptors },
	{ "kernel symbols", try_kernel_symbols },
	{ "other mount namespaces", try_mount_namespaces },
};

/* ---- the report */

/* Where words go: lines begin at @indent, and end with @joint if the text goes on. */
struct paragraph {
	struct buf *out;
	size_t indent, column;
	const char *joint;
};

/* A file's name that is quoted for a shell is one word, with its spaces. */
static size_t
word_len(const char *text, size_t len)
{
	bool is_quoted = false;

	for (size_t i = 0; *text == '\'' && i < len; i++) {
		if (text[i] == ' ' && !is_quoted)
			return i;
		if (text[i] == '\'')
			is_quoted = !is_quoted;
		else if (text[i] == '\\' && !is_quoted)
			i++;
	}
	return *text == '\'' && !is_quoted ? len : MIN(strcspn(text, " "), len);
}

static void
put_words(struct paragraph *p, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t word = word_len(text + at, len - at);

		if (p->column > p->indent &&
		    p->column + 1 + word + strlen(p->joint) > LINE_WIDTH) {
			buf_addf(p->out, "%s\n", p->joint);
			buf_add_fill(p->out, ' ', p->indent);
			p->column = p->indent;
		} else if (p->column > p->indent) {
			buf_add_char(p->out, ' ');
			p->column++;
		}
		text_add_safe(p->out, text + at, word);
		p->column += word;
		at += word;
		at += strspn(text + at, " ");
	}
}

/* One remedy a line, so that commands can be copied. */
static void
put_remedies(struct buf *b, const char *text)
{
	static const char or[] = ", or: ";
	bool is_first = true;

	while (text != NULL && *text != '\0') {
		const char *end = strstr(text, or);
		size_t len = end != NULL ? (size_t)(end - text) : strlen(text);
		bool is_command = strncmp(text, "sudo ", 5) == 0;
		struct paragraph p = { b, REMEDY_COLUMN, REMEDY_COLUMN, is_command ? " \\" : "" };

		buf_addf(b, "%*s", REMEDY_COLUMN, is_first ? "" : "or: ");
		put_words(&p, text, len);
		buf_add_char(b, '\n');
		is_first = false;
		text = end != NULL ? end + strlen(or) : NULL;
	}
}

/* On the line of the item: who reads it knows the event and the place. */
static const char *
reason(const struct err *err)
{
	const char *name = err->sys != 0 ? open_errno_name(err->sys) : NULL;
	const char *at = name != NULL ? strstr(err->text, name) : NULL;

	return at != NULL ? at : err->text;
}

static void
put_item(struct buf *b, const struct check *c, const char *name, bool can)
{
	struct paragraph p = { b, TEXT_COLUMN, TEXT_COLUMN, "" };
	const char *text = can ? buf_str(&c->text) : reason(&c->err);

	buf_addf(b, "%-*s %s", NAME_WIDTH, name, can ? "yes" : "no");
	if (*text != '\0') {
		buf_addf(b, can ? " " : "  ");
		put_words(&p, text, strlen(text));
	}
	buf_add_char(b, '\n');
	if (!can)
		put_remedies(b, c->err.hint);
}

static void
put_head(struct buf *b, const struct event_env *env)
{
	struct users *users = users_new("/etc/passwd");
	const char *name = users_name(users, geteuid());
	struct utsname machine;

	uname(&machine);
	buf_add_str(b, "user ");
	text_add_ascii(b, name != NULL ? name : "?");
	buf_addf(b, " (%u), Linux %.40s, perf_event_paranoid %d\n\n", (unsigned)geteuid(),
		 machine.release, limits_paranoid(env));
	users_free(users);
}

/* The processes there are, as far as it is useful to look. */
static void
list_processes(struct check *c)
{
	struct buf path = { 0 };
	struct dirent *e;
	DIR *proc;
	int pid;

	buf_addf(&path, "%s/proc", c->env->root);
	proc = opendir(path.data);
	buf_release(&path);
	c->pids = mem_calloc(PROCESSES_MAX, sizeof(*c->pids));
	while (proc != NULL && c->pid_count < PROCESSES_MAX && (e = readdir(proc)) != NULL)
		if (procfs_pid(e->d_name, &pid))
			c->pids[c->pid_count++] = pid;
	if (proc != NULL)
		closedir(proc);
}

bool
check_put(struct buf *b, const struct sys *sys, const struct event_env *env,
	  const struct config *config)
{
	struct check c = { .sys = sys, .env = env, .ring_pages = config->engine.mmap_pages,
			   .ring_pages_given = config->engine.pages_given };
	struct buf remedy = { 0 };
	struct rights rights;
	bool may_own = false;

	put_head(b, env);
	if (cpus_read_online(env, &c.cpus, &c.err) < 0) {
		buf_addf(b, "%s\n", c.err.text);
		return false;
	}
	limits_raise_descriptors();
	list_processes(&c);
	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		bool can;

		c.err = (struct err){ 0 };
		buf_reset(&c.text);
		can = items[i].try(&c);
		put_item(b, &c, items[i].name, can);
		may_own |= i == 0 && can;
		c.may_system |= items[i].try == check_system && can;
	}
	buf_add_str(b, "\nptop loads no BPF programs: CAP_BPF is not needed.\n");
	if (!c.may_system) {
		rights_read(&rights, env);
		buf_add_str(b, "More rights at once:\n");
		own_file_put(&remedy, open_remedy(&rights), OWN_FILE_LINK);
		put_remedies(b, buf_str(&remedy));
		buf_release(&remedy);
	}
	buf_release(&c.text);
	free(c.pids);
	cpus_release(&c.cpus);
	return may_own;
}

int
check_run(const struct config *config, int *status, struct err *err)
{
	struct event_env env;
	struct buf b = { 0 };
	int res = 0;

	event_env_open(&env);
	*status = check_put(&b, &sys_kernel, &env, config) ? 0 : 1;
	event_env_close(&env);
	if (file_write_all(STDOUT_FILENO, b.data, b.len) < 0 && errno != EPIPE)
		res = err_set(err, ERR_IO, errno, "cannot write to standard output");
	buf_release(&b);
	return res;
}
