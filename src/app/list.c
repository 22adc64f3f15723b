/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/run.h"

#include "engine/viewer/prober.h"
#include "base/file.h"
#include "base/text.h"
#include "view/name.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
fits(const char *pattern, const char *name)
{
	if (pattern == NULL)
		return true;
	if (strpbrk(pattern, "*?[") != NULL)
		return fnmatch(pattern, name, 0) == 0;
	return strcasestr(name, pattern) != NULL;
}

/* The catalogue with its states, waited for.  One reference. */
static struct catalogue *
read_catalogue(const struct config *config)
{
	struct session_config session = {
		.cpus = config->engine.cpus,
		.cpu_count = config->engine.cpu_count,
		.freq = config->engine.freq,
	};
	struct queue *answers = queue_new();
	struct prober *prober;
	struct catalogue *c;
	struct msg *m;

	event_env_open(&session.env);
	prober = prober_new(&session, answers);
	m = queue_wait(answers, -1);
	c = ((struct prober_msg *)m)->catalogue;
	free(m);
	prober_free(prober);
	event_env_close(&session.env);
	queue_free(answers);
	return c;
}

static void
put_event(struct buf *b, const struct catalogue_event *ev, size_t width)
{
	static const char *const states[] = {
		[EVENT_UNKNOWN] = "?", [EVENT_CAN] = "yes", [EVENT_CANNOT] = "no",
	};
	struct buf name = { 0 };

	text_add_safe(&name, ev->name, strlen(ev->name));
	buf_addf(b, "%-10s  %-*s  %-4s  ", event_class_names[ev->class], (int)width,
		 buf_str(&name), states[ev->state]);
	text_add_safe(b, ev->help, strlen(ev->help));
	if (ev->state == EVENT_CANNOT && *ev->reason != '\0') {
		buf_add_str(b, " (");
		text_add_safe(b, ev->reason, strlen(ev->reason));
		buf_add_char(b, ')');
	}
	buf_add_char(b, '\n');
	buf_release(&name);
}

static int
no_event(const struct catalogue *c, const char *pattern, struct err *err)
{
	const char **names = mem_calloc(c->len + 1, sizeof(*names));

	for (size_t i = 0; i < c->len; i++)
		names[i] = c->items[i].name;
	name_unknown(err, "no event fits", pattern != NULL ? pattern : "*", names, c->len);
	err->code = ERR_GONE; /* a pattern that fits nothing is well formed */
	err->hint[0] = '\0';
	free(names);
	return -1;
}

/* It may be one of those that cannot be read. */
static int
no_tracepoint(const struct catalogue *c, const char *pattern, struct err *err)
{
	*err = c->no_tracepoints;
	return err_wrap(err, "no event fits '%.100s', but tracepoints are missing",
			pattern != NULL ? pattern : "*");
}

int
list_run(const struct config *config, struct err *err)
{
	struct catalogue *c = read_catalogue(config);
	struct buf b = { 0 };
	size_t width = strlen("EVENT"), found = 0;
	int res = 0;

	for (size_t i = 0; i < c->len; i++) {
		if (fits(config->list_pattern, c->items[i].name)) {
			width = MAX(width, MIN(strlen(c->items[i].name), 40u));
			found++;
		}
	}
	buf_addf(&b, "%-10s  %-*s  %-4s  %s\n", "CLASS", (int)width, "EVENT", "OPEN", "COUNTS");
	for (size_t i = 0; i < c->len; i++)
		if (fits(config->list_pattern, c->items[i].name))
			put_event(&b, &c->items[i], width);
	if (found == 0 && c->no_tracepoints.code != ERR_NONE)
		res = no_tracepoint(c, config->list_pattern, err);
	else if (found == 0)
		res = no_event(c, config->list_pattern, err);
	else if (file_write_all(STDOUT_FILENO, b.data, b.len) < 0 && errno != EPIPE)
		res = err_set(err, ERR_IO, errno, "cannot write to standard output");
	buf_release(&b);
	catalogue_put(c);
	return res;
}
