/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/named_probes.h"

#include "base/buf.h"
#include "base/file.h"
#include "event/fetch_args.h"
#include "event/tracepoint.h"
#include "live/open/open_impl.h"
#include "live/session/probe_keeper.h"
#include "live/sys/procfs.h"
#include "record/call_args.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FUNCTION_MAX = 40,      /* of its name, in the probe's */
	PATH_MAX_PLAIN = 1000,  /* the kernel takes lines of 4096 bytes */
	LIST_BYTES_MAX = 1 << 20,
	SINCE_MASK = 0xffffff,
};

struct named {
	uint64_t tracepoint;
	char name[PROBE_NAME_MAX];
};

struct named_probes {
	int fd; /* uprobe_events */
	struct probe_keeper keeper;
	struct named *items;
	size_t count, cap;
	unsigned serial, since; /* since: when this one began, as its number is another's later */
	unsigned space;         /* its pid namespace: numbers mean others elsewhere */
};

/* When ptop began: as long as it runs all of its probes have the same. */
static unsigned
began(void)
{
	struct procfs_stat stat = { 0 };
	struct buf b = { 0 };

	if (file_read("/proc/self/stat", &b, LIST_BYTES_MAX) < 0 ||
	    !procfs_stat(buf_str(&b), b.len, &stat))
		stat.start_ticks = 0;
	buf_release(&b);
	return (unsigned)stat.start_ticks & SINCE_MASK;
}

/* 0: not known. */
static unsigned
pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned)st.st_ino : 0;
}

/* Whose group begins so: "123_1a2b_effffffc_".  Of another pid namespace nothing is known. */
static bool
has_ended(const struct named_probes *p, const char *group)
{
	unsigned since, space;
	int pid;

	if (sscanf(group, "%d_%x_%x_", &pid, &since, &space) != 3 || p->space == 0 || space != p->space ||
	    pid <= 0)
		return false;
	return pid == getpid() ? since != p->since : kill(pid, 0) < 0 && errno == ESRCH;
}

/* "p:ptop_123_1a2b_effffffc_124/parse_1 /usr/bin/x:0x1234": of one that was killed with its keeper. */
static void
remove_left_behind(const struct named_probes *p, const char *line)
{
	static const char head[] = "p:" CALL_PROBES_GROUP;
	char order[PROBE_NAME_MAX];
	size_t len = strcspn(line, " \n");

	if (strncmp(line, head, strlen(head)) != 0 || len >= sizeof(order) - 1 ||
	    !has_ended(p, line + strlen(head)))
		return;
	memcpy(order, line, len);
	order[0] = '-';
	order[len] = '\n';
	/* Another ptop may be first. */
	if (write(p->fd, order, len + 1) < 0)
		errno = 0;
}

static void
sweep(const struct named_probes *p, const char *path)
{
	struct buf list = { 0 };

	file_read(path, &list, LIST_BYTES_MAX);
	for (const char *line = buf_str(&list); *line != '\0';) {
		remove_left_behind(p, line);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	buf_release(&list);
}

static int
explain_open(int error, struct err *err)
{
	if (error == ENOENT)
		return err_set(err, ERR_UNSUPPORTED, 0, "strings are read by probes of tracefs, which "
			       "this kernel has not (CONFIG_UPROBE_EVENTS)");
	err_set(err, error == EACCES || error == EPERM ? ERR_DENIED : ERR_IO, error,
		"strings are read by probes of tracefs, which cannot be made");
	return err_hint(err, "run as root");
}

static int
open_events(const struct event_env *env, struct buf *path, struct err *err)
{
	int fd;

	if (tracepoint_dir(env, path, err) < 0)
		return err->code == ERR_DENIED ? explain_open(EACCES, err) : -1;
	buf_add_str(path, "/../uprobe_events");
	/* Never with O_TRUNC: all uprobes of tracefs would go, whoever made them. */
	fd = open(path->data, O_WRONLY | O_APPEND | O_CLOEXEC);
	return fd >= 0 ? fd : explain_open(errno, err);
}

static struct named_probes *
begin(const struct event_env *env, struct err *err)
{
	struct named_probes *p = mem_calloc(1, sizeof(*p));
	struct buf path = { 0 };

	p->since = began();
	p->space = pid_namespace();
	p->fd = open_events(env, &path, err);
	if (p->fd >= 0 && probe_keeper_start(&p->keeper, p->fd, err) == 0) {
		sweep(p, path.data);
		buf_release(&path);
		return p;
	}
	buf_release(&path);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
	return NULL;
}

void
named_probes_free(struct named_probes *p)
{
	if (p == NULL)
		return;
	close(p->fd);
	probe_keeper_end(&p->keeper);
	free(p->items);
	free(p);
}

/* Lines are cut at blanks, comments begin with '#', and so on: only these mean themselves. */
static bool
is_plain_path(const char *path)
{
	size_t len = 0;

	while (isalnum((unsigned char)path[len]) ||
	       (path[len] != '\0' && strchr("/._-+=,@~", path[len]) != NULL))
		len++;
	return path[len] == '\0' && len > 0 && len < PATH_MAX_PLAIN;
}

/* The file as a word of a line.  -1: it is not there.  The descriptor stays open for it. */
static int
put_file(const char *path, int *fd, struct buf *out, struct err *err)
{
	*fd = -1;
	if (is_plain_path(path)) {
		buf_add_str(out, path);
		return 0;
	}
	*fd = open(path, O_PATH | O_CLOEXEC);
	if (*fd < 0)
		return err_set(err, ERR_GONE, errno, "cannot open '%.200s'", path);
	buf_addf(out, "/proc/self/fd/%d", *fd);
	return 0;
}

static void
put_name(struct named_probes *p, const struct event *ev, char name[PROBE_NAME_MAX])
{
	const char *function = ev->symbol != NULL ? ev->symbol : "at";
	char own[FUNCTION_MAX + 1] = "";

	for (size_t i = 0; i < FUNCTION_MAX && function[i] != '\0'; i++)
		own[i] = isalnum((unsigned char)function[i]) ? function[i] : '_';
	snprintf(name, PROBE_NAME_MAX, CALL_PROBES_GROUP "%d_%x_%x_%d/%s%s_%u", (int)getpid(), p->since,
		 p->space, p->keeper.pid, isdigit((unsigned char)own[0]) ? "_" : "", own, p->serial++);
}

static int
refuse(const struct event *ev, const struct event_site *site, int error, struct err *err)
{
	err_set(err, ERR_UNSUPPORTED, error, "cannot make a probe of '%.80s' in tracefs", ev->name);
	err->sys = error;
	return site_explain(err, ev, site);
}

static int
write_site(struct named_probes *p, const char *name, const struct event *ev,
	   const struct event_site *site, const char *args, struct err *err)
{
	struct buf line = { 0 };
	int fd, res = 0;

	buf_addf(&line, "p:%s ", name);
	if (put_file(site->target, &fd, &line, err) < 0) {
		buf_release(&line);
		return -1;
	}
	buf_addf(&line, ":0x%llx%s\n", (unsigned long long)site->at, args);
	if (write(p->fd, line.data, line.len) < 0)
		res = refuse(ev, site, errno, err);
	if (fd >= 0)
		close(fd);
	buf_release(&line);
	return res;
}

/* As events are called: "ptop_123_1a2b_effffffc_124:parse_1". */
static void
put_event_name(const struct named *made, char name[PROBE_NAME_MAX])
{
	memcpy(name, made->name, PROBE_NAME_MAX);
	*strchr(name, '/') = ':';
}

static int
learn_number(struct named *made, const struct event_env *env, struct event *ev, struct err *err)
{
	char name[PROBE_NAME_MAX];

	put_event_name(made, name);
	made->tracepoint = tracepoint_id(env, name);
	if (made->tracepoint == 0)
		return err_set(err, ERR_IO, 0, "tracefs does not show the probe '%.80s'", name);
	free(ev->tracepoint);
	free(ev->format);
	ev->tracepoint = mem_strdup(name);
	ev->format = tracepoint_format(env, name);
	return 0;
}

static int
make_site(struct named_probes *p, const struct event_env *env, struct event *ev,
	  struct event_site *site, const char *args, struct err *err)
{
	struct named made = { 0 };

	if (p->count == PROBE_NAMES_MAX)
		return err_set(err, ERR_LIMIT, 0, "at most %d places are probed by name",
			       PROBE_NAMES_MAX);
	put_name(p, ev, made.name);
	if (!probe_keeper_watch(&p->keeper, made.name))
		return err_set(err, ERR_GONE, 0, "the process that removes probes has ended");
	if (write_site(p, made.name, ev, site, args, err) < 0 ||
	    learn_number(&made, env, ev, err) < 0) {
		probe_keeper_remove(&p->keeper, made.name);
		return -1;
	}
	site->tracepoint = made.tracepoint;
	VEC_ADD(p->items, p->count, p->cap) = made;
	return 0;
}

/* -1: none can be made, see @err. */
static int
be_there(struct named_probes **p, const struct event_env *env, struct err *err)
{
	if (*p == NULL)
		*p = begin(env, err);
	return *p != NULL ? 0 : -1;
}

int
named_probes_make_site(struct named_probes **p, const struct event_env *env, struct event *ev,
		       struct event_site *site, struct err *err)
{
	return be_there(p, env, err) < 0 ? -1 : make_site(*p, env, ev, site, "", err);
}

int
named_probes_make(struct named_probes **p, const struct event_env *env, struct event *ev,
		  struct err *err)
{
	struct buf args = { 0 };
	int res = fetch_args_put(ev, &args, err);

	if (res == 0)
		res = be_there(p, env, err);
	for (size_t i = 0; i < ev->site_count && res == 0; i++)
		if (ev->sites[i].tracepoint == 0)
			res = make_site(*p, env, ev, &ev->sites[i], buf_str(&args), err);
	if (res < 0)
		named_probes_forget(*p, ev);
	buf_release(&args);
	return res;
}

bool
named_probes_has_site(const struct named_probes *p, const struct event_env *env,
		      const struct event_site *site)
{
	char name[PROBE_NAME_MAX];
	uint64_t id;

	for (size_t i = 0; p != NULL && i < p->count; i++) {
		if (p->items[i].tracepoint != site->tracepoint)
			continue;
		put_event_name(&p->items[i], name);
		errno = 0;
		id = tracepoint_id(env, name);
		/* One that cannot be read now is not gone. */
		return id == site->tracepoint || (id == 0 && errno != ENOENT);
	}
	return false;
}

void
named_probes_forget_site(struct named_probes *p, struct event_site *site)
{
	for (size_t i = 0; p != NULL && i < p->count; i++) {
		if (p->items[i].tracepoint != site->tracepoint)
			continue;
		site->tracepoint = 0;
		probe_keeper_remove(&p->keeper, p->items[i].name);
		p->items[i] = p->items[--p->count];
		return;
	}
}

void
named_probes_forget(struct named_probes *p, const struct event *ev)
{
	struct event_site site;

	for (size_t i = 0; i < ev->site_count; i++) {
		site = ev->sites[i];
		named_probes_forget_site(p, &site);
	}
}
