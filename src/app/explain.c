/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/run.h"

#include "engine/place/place_lookup.h"
#include "engine/leaf/session_config.h"
#include "base/file.h"
#include "base/text.h"
#include "live/open/attr_table.h"
#include "live/open/breakpoint.h"
#include "live/open/open.h"
#include "live/open/open_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_WIDTH = 24, VALUE_WIDTH = 20, ALL_TASKS = -1, OWN_TASK = 0, ANY_CPU = -1 };

enum { PROGRAMS_MAX = 64 }; /* BPF_TRACE_MAX_PROGS: the kernel attaches no more */

/* One run. */
struct explain {
	const struct config *config;
	struct event_env env;
	struct open_options options;
	struct buf out;
	struct buf programs; /* lines of the event that is being explained */
	int leader_fd; /* of the group that is being explained, -1: none is open */
	const char *leader_name;
	struct err why_no_group;
	struct err err; /* of the first event that cannot be opened */
};

/* What a reader may want to see even if it is 0. */
static bool
is_always_shown(const struct attr_field *f)
{
	static const char *const names[] = { "type", "size", "config", "sample_period",
					     "sample_freq" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], f->name) == 0)
			return true;
	return false;
}

/* "name value"; the text may hold any byte. */
static void
put_text(struct buf *out, const char *name, const char *text)
{
	buf_addf(out, "%-*s ", NAME_WIDTH, name);
	text_add_safe(out, text, strlen(text));
	buf_add_char(out, '\n');
}

static void
put_field(struct buf *out, const struct attr_field *f, uint64_t value, uint64_t asked)
{
	size_t at;

	buf_addf(out, "%-*s ", NAME_WIDTH, f->name);
	if (f->kind == ATTR_HEX || f->kind == ATTR_MASK)
		buf_addf(out, "%-#*" PRIx64, VALUE_WIDTH, value);
	else
		buf_addf(out, "%-*" PRIu64, VALUE_WIDTH, value);
	buf_add_str(out, " # ");
	at = out->len;
	attr_put_names(out, f, value);
	buf_addf(out, "%s%s", out->len > at ? ": " : "", f->help);
	if (value != asked)
		buf_addf(out, f->kind == ATTR_HEX || f->kind == ATTR_MASK ? "; asked for: %#" PRIx64
									  : "; asked for: %" PRIu64, asked);
	buf_add_char(out, '\n');
}

/* What is opened, which may be less than was @asked for. */
static void
put_attr(struct buf *out, const struct event_attr *attr, const struct event_attr *asked)
{
	size_t count;
	const struct attr_field *fields = attr_fields(&count);

	for (size_t i = 0; i < count; i++) {
		const struct attr_field *f = &fields[i];
		uint64_t value = attr_field_get(attr, f), wanted = attr_field_get(asked, f);

		if (f->is_meant != NULL && !f->is_meant(attr))
			continue;
		if (value != 0 || wanted != 0 || is_always_shown(f))
			put_field(out, f, value, wanted);
	}
}

/* An address that the event is opened at: of a file, of the kernel, of a process. */
static void
put_site(struct buf *out, const struct event_site *site)
{
	struct buf b = { 0 };

	if (site->target != NULL)
		buf_addf(&b, "%s+", site->target);
	buf_addf(&b, "0x%" PRIx64, site->at);
	if (site->pid != 0)
		buf_addf(&b, " of process %d", site->pid);
	put_text(out, "site", b.data);
	buf_release(&b);
}

/* What of the event is no attribute. */
static void
put_rest(struct buf *out, const struct event *ev)
{
	struct buf cpus = { 0 };

	if (ev->path != NULL)
		put_text(out, "path", ev->path);
	if (ev->symbol != NULL)
		put_text(out, "symbol", ev->symbol);
	if (ev->strings != NULL)
		put_text(out, "string", *ev->strings != '\0' ? ev->strings : "all that are known");
	if (ev->filter != NULL)
		put_text(out, "filter", ev->filter);
	for (size_t i = 0; i < ev->cpu_count; i++)
		buf_addf(&cpus, "%s%u", i > 0 ? "," : "", ev->cpus[i]);
	if (cpus.len > 0)
		put_text(out, "cpus", cpus.data);
	for (size_t i = 0; i < ev->site_count; i++)
		put_site(out, &ev->sites[i]);
	for (size_t i = 0; i < ev->more_count; i++)
		buf_addf(out, "%-*s %u\n", NAME_WIDTH, "other-type", ev->more_types[i]);
	buf_release(&cpus);
}

/* The first of what ptop would open. */
static int
first_task(const struct config *c)
{
	if (c->engine.pid_count > 0)
		return c->engine.pids[0];
	return c->engine.tid_count > 0 ? c->engine.tids[0] : ALL_TASKS;
}

static int
first_cpu(const struct config *c, const struct event *ev)
{
	if (ev->cpu_count > 0)
		return (int)ev->cpus[0];
	return c->engine.cpu_count > 0 ? (int)c->engine.cpus[0] : 0;
}

/* Opens it; without the right to all tasks, for ptop itself. */
static int
open_once(const struct explain *x, struct open_plan *plan, struct err *err)
{
	int pid = first_task(x->config);
	int fd = open_event(&sys_kernel, plan, pid, first_cpu(x->config, &plan->spec), err);

	if (fd < 0 && pid == ALL_TASKS && err->code == ERR_DENIED)
		fd = open_event(&sys_kernel, plan, OWN_TASK, ANY_CPU, err);
	if (fd >= 0)
		*err = (struct err){ 0 };
	return fd;
}

/* Programs that others attached run before the tracepoint's samples are made, and can drop them. */
static void
put_programs(struct buf *out, const struct open_plan *plan, int fd)
{
	uint32_t ids[PROGRAMS_MAX];
	int n = -1;

	if (plan->attr.type == PERF_TYPE_TRACEPOINT)
		n = sys_kernel.query_bpf(&sys_kernel, fd, ids, PROGRAMS_MAX);
	for (int i = 0; i < n; i++)
		buf_addf(out, "%-*s %-*u # BPF program on this tracepoint: bpftool prog show id %u\n",
			 NAME_WIDTH, "bpf-program", VALUE_WIDTH, ids[i], ids[i]);
}

/* A leader stays open for its group. */
static int
try_open(struct explain *x, struct open_plan *plan, struct err *err)
{
	const struct open_leader leader = { x->leader_fd, x->leader_name };
	int fd;

	if (x->why_no_group.code != ERR_NONE) {
		*err = x->why_no_group;
		return -1;
	}
	if (x->options.is_member && x->leader_fd < 0)
		return err_set(err, ERR_UNSUPPORTED, 0,
			       "the event that leads its group cannot be opened");
	plan->leader = x->options.is_member ? &leader : NULL;
	fd = open_once(x, plan, err);
	plan->leader = NULL;
	if (fd < 0)
		return -1;
	put_programs(&x->programs, plan, fd);
	if (x->options.in_group && !x->options.is_member)
		x->leader_fd = fd;
	else
		close(fd);
	if (open_plan_check(plan, err) < 0)
		return -1;
	return breakpoint_check(&sys_kernel, &plan->spec, err);
}

static void
put_notices(struct buf *out, const struct open_plan *plan)
{
	char *notices[OPEN_NOTICES_MAX];
	size_t n = open_plan_notices(plan, notices);

	for (size_t i = 0; i < n; i++) {
		put_text(out, "notice", notices[i]);
		free(notices[i]);
	}
}

static void
put_open(struct explain *x, const struct open_plan *plan, bool is_taken, const struct err *err)
{
	struct buf why = { 0 };

	buf_add(&x->out, buf_str(&x->programs), x->programs.len);
	buf_reset(&x->programs);
	if (is_taken)
		put_notices(&x->out, plan);
	else
		buf_addf(&why, "refused: %s", err->text);
	put_text(&x->out, "open", is_taken ? "taken" : buf_str(&why));
	if (!is_taken && x->err.code == ERR_NONE)
		x->err = *err;
	buf_release(&why);
}

static bool
has_tasks(const struct config *c)
{
	return c->engine.pid_count + c->engine.tid_count > 0 || c->engine.command != NULL;
}

static void
explain_one(struct explain *x, const struct event *ev)
{
	struct event_attr asked, shown;
	struct open_plan plan;
	struct err err = { 0 };
	bool is_taken;

	open_plan_sampling(&plan, &x->env, ev, &x->options);
	put_text(&x->out, "event", ev->name);
	if (ev->site_count > 0)
		site_put(&plan.attr, &plan.spec, &plan.spec.sites[0]);
	asked = plan.attr;
	is_taken = try_open(x, &plan, &err) == 0;
	/* What was tried last of what is refused tells nobody anything. */
	shown = is_taken ? plan.attr : asked;
	/* Nor does where in memory a path or name is that is passed. */
	site_clear(&asked, ev);
	site_clear(&shown, ev);
	put_attr(&x->out, &shown, &asked);
	if (x->options.is_member)
		put_text(&x->out, "leader", x->leader_name);
	put_rest(&x->out, ev);
	if (has_tasks(x->config) && event_gap_of_tasks(ev) != NULL)
		put_text(&x->out, "gap", event_gap_of_tasks(ev));
	put_open(x, &plan, is_taken, &err);
	open_plan_release(&plan);
}

static void
explain_group(struct explain *x, const struct event *events, size_t count)
{
	x->leader_fd = -1;
	x->leader_name = events[0].name;
	x->options.in_group = count > 1;
	x->options.in_aux_group = count > 1 && open_is_aux(&events[0]);
	x->why_no_group = (struct err){ 0 };
	event_group_check(events, count, &x->why_no_group);
	for (size_t i = 0; i < count; i++) {
		if (x->out.len > 0)
			buf_add_char(&x->out, '\n');
		x->options.is_member = i > 0;
		x->options.is_read = i > 0 && events[0].sample_read;
		explain_one(x, &events[i]);
	}
	if (x->leader_fd >= 0)
		close(x->leader_fd);
}

static void
explain_all(struct explain *x, const struct event_list *list)
{
	for (size_t i = 0, len; i < list->len; i += len) {
		len = event_group_len(&list->items[i], list->len - i);
		explain_group(x, &list->items[i], len);
	}
}

static void
choose_options(struct explain *x)
{
	const struct config *c = x->config;
	const struct session_config session = session_config_of(&c->engine, &x->env);

	session_open_options(&session, &x->options);
	x->options.has_lost = true;
	x->options.inherit = has_tasks(c) && session.inherit;
	x->options.inherit_thread = has_tasks(c) && !session.inherit;
	x->options.enable_on_exec = c->engine.command != NULL;
}

int
explain_run(const struct config *config, struct err *err)
{
	struct explain x = { .config = config };
	const struct place_processes processes = { config->engine.pids, config->engine.pid_count, false };
	struct event_list list = { 0 };
	int res;

	event_env_open(&x.env);
	choose_options(&x);
	res = event_parse(&x.env, config->explain, &list, err);
	if (res == 0)
		res = place_lookup(&list, &processes, err);
	if (res == 0) {
		explain_all(&x, &list);
		if (file_write_all(STDOUT_FILENO, x.out.data, x.out.len) < 0 && errno != EPIPE)
			res = err_set(err, ERR_IO, errno, "cannot write to standard output");
	}
	if (res == 0 && x.err.code != ERR_NONE) {
		*err = x.err;
		res = -1;
	}
	buf_release(&x.programs);
	buf_release(&x.out);
	event_list_release(&list);
	event_env_close(&x.env);
	return res;
}
