/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/config_impl.h"

#include "app/config.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/users.h"
#include "view/name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPU_LAST = 999999 }; /* which of them there are is found out later */

/* Calls @add for each of the words between commas. */
static int
each_word(struct config *c, const struct option_def *def, const char *value, struct err *err,
	  int (*add)(struct config *, const struct option_def *, const char *, struct err *))
{
	int res = 0;

	while (res == 0) {
		size_t len = strcspn(value, ",");
		char *word = mem_strndup(value, len);

		res = add(c, def, word, err);
		free(word);
		if (value[len] == '\0')
			break;
		value += len + 1;
	}
	return res;
}

/* The same task twice would be sampled twice. */
static void
add_id(int **ids, size_t *count, int id)
{
	for (size_t i = 0; i < *count; i++)
		if ((*ids)[i] == id)
			return;
	*ids = mem_realloc(*ids, *count + 1, sizeof(**ids));
	(*ids)[(*count)++] = id;
}

static int
add_task(struct config *c, const struct option_def *def, const char *word, struct err *err)
{
	uint64_t n;

	if (!num_u64(word, &n) || n > INT_MAX)
		return option_bad_value(err, def, word, "the id of a process or thread");
	if (n == 0) /* as perf_event_open(2) has it */
		n = (uint64_t)getpid();
	if (def->letter == 'p')
		add_id(&c->engine.pids, &c->engine.pid_count, (int)n);
	else
		add_id(&c->engine.tids, &c->engine.tid_count, (int)n);
	return 0;
}

int
target_set_tasks(void *target, const struct option_def *def, const char *value, struct err *err)
{
	return each_word(target, def, value, err, add_task);
}

static int
unknown_user(const char *word, struct err *err)
{
	const char **names = NULL;
	size_t n = 0, cap = 0;
	FILE *users = users_begin();
	const struct passwd *pw;

	while ((pw = users_next(users)) != NULL) {
		VEC_ADD(names, n, cap) = mem_strdup(pw->pw_name);
	}
	users_end(users);
	name_unknown(err, "no user", word, names, n);
	if (err != NULL) {
		err->code = ERR_GONE; /* well formed, but not there */
		err->hint[0] = '\0';
	}
	for (size_t i = 0; i < n; i++)
		free((char *)names[i]);
	free(names);
	return -1;
}

static int
add_user(struct config *c, const struct option_def *def, const char *word, struct err *err)
{
	const struct passwd *pw;
	uint64_t n;

	if (*word == '\0')
		return option_bad_value(err, def, word, "a user");
	pw = user_by_name(word);
	if (pw != NULL)
		n = pw->pw_uid;
	else if (!num_u64(word, &n))
		return unknown_user(word, err);
	else if (n >= UINT32_MAX)
		return option_bad_value(err, def, word, "a user's number");
	c->engine.uids =
		mem_realloc(c->engine.uids, c->engine.uid_count + 1, sizeof(*c->engine.uids));
	c->engine.uids[c->engine.uid_count++] = (uint32_t)n;
	return 0;
}

int
target_set_users(void *target, const struct option_def *def, const char *value, struct err *err)
{
	return each_word(target, def, value, err, add_user);
}

/* Below the root of the hierarchy, with or without the slash that it begins with. */
static int
add_cgroup(struct config *c, const struct option_def *def, const char *word, struct err *err)
{
	struct engine_config *e = &c->engine;
	struct buf path = { 0 };

	if (*word == '\0')
		return option_bad_value(err, def, word, "the path of a control group");
	buf_addf(&path, "%s%s", *word == '/' ? "" : "/", word);
	while (path.len > 1 && path.data[path.len - 1] == '/')
		path.data[--path.len] = '\0';
	e->cgroups = mem_realloc(e->cgroups, e->cgroup_count + 1, sizeof(*e->cgroups));
	e->cgroups[e->cgroup_count++] = path.data;
	return 0;
}

int
target_set_cgroups(void *target, const struct option_def *def, const char *value, struct err *err)
{
	return each_word(target, def, value, err, add_cgroup);
}

static int
compare_unsigned(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Rising, each once. */
int
target_set_cpus(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;
	size_t n = 0;

	if (!num_list(value, CPU_LAST, &c->engine.cpus, &c->engine.cpu_count))
		return option_bad_value(err, def, value, "a list of CPUs such as 0-3,8");
	qsort(c->engine.cpus, c->engine.cpu_count, sizeof(*c->engine.cpus), compare_unsigned);
	for (size_t i = 0; i < c->engine.cpu_count; i++)
		if (n == 0 || c->engine.cpus[n - 1] != c->engine.cpus[i])
			c->engine.cpus[n++] = c->engine.cpus[i];
	c->engine.cpu_count = n;
	return 0;
}
