/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/app.h"

#include "app/run.h"
#include "app/crash.h"
#include "app/report_out.h"
#include "base/charset.h"
#include "base/file.h"
#include "base/own_rights.h"
#include "base/pages.h"
#include "base/text.h"
#include "export/json_schema.h"
#include "live/sys/capabilities.h"
#include "serve/serve.h"
#include "view/column.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The one message of a run that failed: what, why, and what to do about it. */
static void
print_error(const struct err *err)
{
	struct buf b = { 0 };

	buf_add_str(&b, "ptop: ");
	text_add_safe(&b, err->text, strlen(err->text));
	if (*err->hint != '\0') {
		buf_add_str(&b, " (");
		text_add_safe(&b, err->hint, strlen(err->hint));
		buf_add_char(&b, ')');
	}
	buf_add_char(&b, '\n');
	fputs(buf_str(&b), stderr);
	buf_release(&b);
}

static int
print_text(void (*put)(struct buf *b), struct err *err)
{
	struct buf b = { 0 };
	int res = 0;

	put(&b);
	if (file_write_all(STDOUT_FILENO, b.data, b.len) < 0)
		res = err_set(err, ERR_IO, errno, "cannot write to standard output");
	buf_release(&b);
	return res;
}

static int
serve(const struct config *config, struct err *err)
{
	struct query base;
	const struct serve_config c = {
		.address = config->serve, .token_file = config->serve_token,
		.push = { .url = config->push, .token_file = config->push_token,
			  .spool_bytes = config->spool_bytes != UINT64_MAX ? config->spool_bytes
									   : PUSH_SPOOL_DEFAULT },
		.engine = &config->engine, .base = &base, .tell = report_tell,
		.begun = crash_prepare_walk,
	};

	config_query(config, &base);
	base.by_view = false;
	base.keys[0] = KEY_COMM;
	base.keys[1] = KEY_CONTAINER;
	base.key_count = 2;
	base.sort = COLUMN_PERIOD;
	return serve_run(&c, err);
}

/* Does what was asked for; the exit status in @status, also of a failure. */
static int
run(const struct config *config, const struct app_screen *screen, int *status, struct err *err)
{
	if (config->help)
		return print_text(config_put_help, err);
	if (config->version)
		return print_text(config_put_version, err);
	if (config->json_schema)
		return print_text(json_put_schema, err);
	if (config->explain_word != NULL)
		return explain_word_run(config, screen, err);
	if (config->explain != NULL)
		return explain_run(config, err);
	if (config->check)
		return check_run(config, status, err);
	if (config->list)
		return list_run(config, err);
	if (config->dump)
		return dump_run(config, err);
	if (config_is_asked(config))
		return serve(config, err);
	if (config->feed)
		return feed_run(config, err);
	if (!config->batch && screen != NULL)
		return screen->run(config, err);
	return batch_run(config, status, err);
}

/* Before anything else is done with rights that are only lent: those to files are never used. */
static int
check_rights(struct err *err)
{
	if (own_rights_check(err) < 0)
		return -1;
	if (own_rights_are_lent())
		capabilities_reduce(&(struct capability_needs){ .probes = true });
	return 0;
}

/* Before anything is sampled for it. */
static int
check_output(const struct config *config, struct err *err)
{
	if (config->output != NULL || config_is_asked(config) || file_is_writable(STDOUT_FILENO))
		return 0;
	err_set(err, ERR_IO, 0, "standard output is closed for writing");
	return err_hint(err, "--output FILE writes a report there");
}

static bool
shows_rows(const struct config *c)
{
	return !c->check && !c->list && !c->dump && c->explain == NULL;
}

/* The screen shows which filter there is; a report that lacks rows says why, if it is not by its command. */
static void
put_filter(const struct config *c, struct buf *b)
{
	if (c->filter == NULL || *c->filter == '\0' || config_names(c, "filter"))
		return;
	buf_add_str(b, "ptop: the configuration filters by '");
	text_add_safe(b, c->filter, strlen(c->filter));
	buf_add_str(b, "' (--filter '': not this time)\n");
}

/* A screen has a page for what is wrong with it. */
static void
tell_of_configuration(const struct config *c)
{
	const bool is_screen = !c->batch && shows_rows(c);
	const char *at = is_screen ? "" : buf_str(&c->rc.faults);
	struct buf b = { 0 };

	if (c->batch && shows_rows(c))
		put_filter(c, &b);
	for (; *at != '\0'; at += strcspn(at, "\n") + 1) {
		buf_add_str(&b, "ptop: ");
		text_add_safe(&b, at, strcspn(at, "\n"));
		buf_add_char(&b, '\n');
	}
	fputs(buf_str(&b), stderr);
	buf_release(&b);
}

static int
begin(struct config *config, int argc, char **argv, struct err *err)
{
	if (check_rights(err) < 0 || config_parse(config, argc, argv, err) < 0)
		return -1;
	if (!config->help && !config->version && !config->json_schema && config->explain_word == NULL) {
		config_read_files(config, argv);
		tell_of_configuration(config);
	}
	if (check_output(config, err) < 0 || config_open_copy(config, err) < 0)
		return -1;
	config->engine.owns_process = true;
	config_hide_environment(config);
	/* What a recording names anybody may have written; and what brings feeds is the user's own. */
	if (!engine_config_samples(&config->engine))
		own_rights_only();
	return 0;
}

static void
do_nothing(int sig)
{
	(void)sig;
}

/*
 * When a file has become as long as ulimit -f allows, write(2) says so, and it is ended as on a
 * full disk.  A handler: COMMAND would inherit that the signal is ignored.
 */
static void
outlive_file_limit(void)
{
	struct sigaction act = { .sa_handler = do_nothing, .sa_flags = SA_RESTART }, old;

	sigaction(SIGXFSZ, &act, &old);
	if (old.sa_handler == SIG_IGN)
		sigaction(SIGXFSZ, &old, NULL);
}

int
app_main(int argc, char **argv, const struct app_screen *screen)
{
	struct config config = { 0 };
	struct err err = { 0 };
	int status = 0;

	heap_set_up();
	charset_begin();
	file_hold_standard();
	crash_catch();
	outlive_file_limit();
	if (begin(&config, argc, argv, &err) < 0 || run(&config, screen, &status, &err) < 0) {
		print_error(&err);
		status = status != 0 ? status : err_status(&err);
	}
	config_release(&config);
	return status;
}
