/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which hosts are asked, and what does not go with that, or with being asked. */
#include "app/config_impl.h"

#include "base/file.h"
#include "base/own_rights.h"
#include "live/carrier/copy_file.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS_MAX = 1000, NAME_MOST = 255, LIST_MAX = 256 << 10 };

/* What ssh would take for an option, or what would show as something else, is no host. */
static bool
is_name(const char *name, size_t len)
{
	bool is_good = len > 0 && len <= NAME_MOST && name[0] != '-';

	for (size_t i = 0; i < len; i++)
		is_good &= isgraph((unsigned char)name[i]) != 0;
	return is_good;
}

static int
add_host(struct engine_config *c, const struct option_def *def, const char *name, size_t len,
	 struct err *err)
{
	if (!is_name(name, len)) {
		err_set(err, ERR_USAGE, 0, "--%s: '%.*s' is no name of a host", def->name,
			(int)MIN(len, (size_t)80), name);
		return err_hint(err, "web1,web2 or @FILE with one a line");
	}
	if (c->host_count == HOSTS_MAX)
		return err_set(err, ERR_USAGE, 0, "--%s: more than %d hosts", def->name, HOSTS_MAX);
	for (size_t i = 0; i < c->host_count; i++)
		if (strlen(c->hosts[i]) == len && strncmp(c->hosts[i], name, len) == 0)
			return err_set(err, ERR_USAGE, 0, "--%s: '%s' is named twice", def->name,
				       c->hosts[i]);
	c->hosts = mem_realloc(c->hosts, c->host_count + 1, sizeof(*c->hosts));
	c->hosts[c->host_count++] = mem_strndup(name, len);
	return 0;
}

/* One a line; what follows "#" is a note. */
static int
add_listed(struct engine_config *c, const struct option_def *def, const char *text, struct err *err)
{
	while (*text != '\0') {
		size_t line, len;

		text += strspn(text, " \t\r");
		line = strcspn(text, "\n");
		len = strcspn(text, "\n#");
		while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
			len--;
		if (len > 0 && add_host(c, def, text, len, err) < 0)
			return -1;
		text += line + (text[line] == '\n');
	}
	return 0;
}

static int
add_file(struct engine_config *c, const struct option_def *def, const char *path, struct err *err)
{
	struct own_rights kept;
	struct buf b = { 0 };
	int res;

	own_rights_begin(&kept);
	res = file_read(path, &b, LIST_MAX);
	own_rights_end(&kept);
	if (res < 0)
		err_set(err, ERR_GONE, errno, "--%s: cannot read '%.200s'", def->name, path);
	else
		res = add_listed(c, def, buf_str(&b), err);
	buf_release(&b);
	return res;
}

int
hosts_set(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct engine_config *c = &((struct config *)target)->engine;
	size_t before = c->host_count;

	if (*value == '@' && add_file(c, def, value + 1, err) < 0)
		return -1;
	while (*value != '@') {
		size_t len = strcspn(value, ",");

		if (add_host(c, def, value, len, err) < 0)
			return -1;
		if (value[len] == '\0')
			break;
		value += len + 1;
	}
	if (c->host_count == before)
		return option_bad_value(err, def, value, "a list with a host in it");
	return 0;
}

int
hosts_set_copy(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	(void)def;
	(void)err;
	free(c->copy);
	c->copy = mem_strdup(value);
	return 0;
}

/* Without a name it is this program, where that is such a file. */
int
config_open_copy(struct config *c, struct err *err)
{
	if (c->copy == NULL)
		return 0;
#ifndef PTOP_STATIC
	if (*c->copy == '\0') {
		err_set(err, ERR_USAGE, 0, "--copy: this ptop is not static, and would not run elsewhere");
		return err_hint(err, "make static, then --copy=ptop-" PACKAGE_VERSION "-linux-x86_64, or "
				"-aarch64");
	}
#endif
	c->engine.copy = copy_file_open(*c->copy != '\0' ? c->copy : "/proc/self/exe", err);
	if (c->engine.copy != NULL)
		return 0;
	err_wrap(err, "--copy");
	return err_hint(err, "make static makes ptop-" PACKAGE_VERSION "-linux-x86_64, or -aarch64");
}

/* What is sampled, and how, the ptop there is told by -e, -F and -c alone. */
static int
check_hosts_sampling(const struct config *c, struct err *err)
{
	static const char there[] = "it is of what runs here", whole[] = "hosts send all that they sample";
	const struct wrong_option rows[] = {
		{ c->engine.input != NULL, "--input", there, NULL },
		{ c->engine.then_input != NULL, "--diff", there, NULL },
		{ c->engine.command != NULL, "a command", there, NULL },
		{ c->engine.record != NULL, "--record", "hosts send counts, no samples", NULL },
		{ c->engine.overwrite, "--overwrite", "hosts send counts, no samples", NULL },
		{ c->engine.functions != NULL, "--count-function", there, NULL },
		{ c->engine.name_jit, "--name-jit", there, NULL },
		{ c->engine.event_filter_count > 0, "--filter-event", there, NULL },
		{ c->engine.pid_count > 0, "--pid", whole, "--filter comm=NAME keeps some rows" },
		{ c->engine.tid_count > 0, "--tid", whole, "--filter comm=NAME keeps some rows" },
		{ c->engine.uid_count > 0, "--uid", whole, "--filter user=NAME keeps some rows" },
		{ c->engine.cgroup_count > 0, "--cgroup", whole, "--filter cgroup=NAME keeps some rows" },
		{ c->engine.cpu_count > 0, "--cpu", whole, NULL },
		{ c->serve != NULL, "--serve", there, "ptop --serve on each host" },
		{ c->push != NULL, "--push", there, "ptop --push on each host" },
	};

	return config_refuse("--hosts", rows, ARRAY_SIZE(rows), err);
}

static bool
wants_addresses(const struct config *c)
{
	return c->engine.format != FORMAT_COUNT &&
	       format_defs[c->engine.format].content == CONTENT_TREES;
}

int
config_check_hosts(const struct config *c, struct err *err)
{
	const struct view_def *view = &view_defs[c->view];
	const struct wrong_option rows[] = {
		{ wants_addresses(c), "a report for other tools", "hosts send names, no addresses",
		  "--format folded has names alone" },
		{ view->is_code, "--view annotate", "hosts send functions, not instructions", NULL },
		{ view->is_counted, "a view of counters", "hosts send samples", NULL },
		{ view->is_locks, "--view locks", "hosts send functions, not who holds locks", NULL },
	};

	if (c->engine.host_count == 0 && (c->engine.hosts_command != NULL || c->copy != NULL))
		return err_set(err, ERR_USAGE, 0, "--%s is of --hosts: no host is named",
			       c->copy != NULL ? "copy" : "hosts-command");
	if (c->engine.host_count == 0)
		return 0;
	if (check_hosts_sampling(c, err) < 0)
		return -1;
	return config_refuse("--hosts", rows, ARRAY_SIZE(rows), err);
}

int
config_check_feed(const struct config *c, struct err *err)
{
	static const char asked[] = "the ptop that reads it chooses what it shows";
	const struct wrong_option rows[] = {
		{ c->engine.input != NULL, "--input", "it sends what runs here", NULL },
		{ c->engine.then_input != NULL, "--diff", asked, NULL },
		{ c->engine.host_count > 0, "--hosts", "it sends what runs here", NULL },
		{ c->engine.command != NULL, "a command", "its output would be among the feed", NULL },
		{ c->serve != NULL, "--serve", "it has an output of its own", NULL },
		{ c->push != NULL, "--push", "it has an output of its own", NULL },
		{ c->engine.functions != NULL, "--count-function", "it sends samples", NULL },
		{ c->engine.format != FORMAT_COUNT, "--format", asked, NULL },
		{ c->output != NULL, "--output", "it goes to standard output", "ptop --feed >FILE" },
		{ c->view_given, "--view", asked, NULL },
		{ c->key_count > 0, "--by", asked, NULL },
		{ c->sort >= 0, "--sort", asked, NULL },
		{ c->window_s < 0 || c->window_s > 0, "--window", asked, NULL },
	};

	if (!c->feed)
		return 0;
	if (config_refuse("--feed", rows, ARRAY_SIZE(rows), err) < 0)
		return -1;
	if (!isatty(STDOUT_FILENO))
		return 0;
	err_set(err, ERR_USAGE, 0, "--feed: standard output is a terminal, which cannot show it");
	return err_hint(err, "ptop --hosts NAME reads it; ptop -b prints reports");
}
