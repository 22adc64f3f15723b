/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes with --serve and --push, which have no reports of their own. */
#include "app/config_impl.h"

#include "export/format.h"
#include "push/push.h"
#include "serve/address.h"
#include "serve/serve.h"

bool
config_is_asked(const struct config *c)
{
	return c->serve != NULL || c->push != NULL;
}

bool
config_makes_socket(const struct config *c)
{
	struct address a;

	return c->serve != NULL && address_parse(c->serve, &a, NULL) == 0 && a.is_unix;
}

/* What is of an option that is not given. */
static int
check_alone(const struct config *c, struct err *err)
{
	if (c->serve == NULL && c->serve_token != NULL)
		return err_set(err, ERR_USAGE, 0, "--serve-token is of --serve: nothing is served");
	if (c->push == NULL && c->push_token != NULL)
		return err_set(err, ERR_USAGE, 0, "--push-token is of --push: nothing is pushed");
	if (c->push == NULL && c->spool_bytes != UINT64_MAX)
		return err_set(err, ERR_USAGE, 0, "--spool is of --push: nothing is pushed");
	return 0;
}

static int
check_others(const struct config *c, struct err *err)
{
	static const char no_end[] = "ptop goes on until it is ended";
	const bool serves = c->serve != NULL;
	const char *asked = serves ? "each request says what it wants" : "what is pushed has it all";
	const struct wrong_option rows[] = {
		{ c->engine.input != NULL, "--input", "it is of what runs here", NULL },
		{ c->engine.then_input != NULL, "--diff", asked, NULL },
		{ c->engine.command != NULL, "a command", no_end, "start the command by itself" },
		{ c->engine.iterations > 0, "--iterations", no_end, NULL },
		{ c->engine.name_jit, "--name-jit", "it is of a screen and of reports", NULL },
		{ c->engine.format != FORMAT_COUNT, "--format", asked,
		  serves ? "/report?format=csv" : NULL },
		{ c->output != NULL, "--output", asked, NULL },
		{ c->view != VIEW_PROCESSES, "--view", asked, serves ? "/report?by=comm,symbol" : NULL },
		{ c->key_count > 0, "--by", asked, serves ? "/report?by=comm,symbol" : NULL },
		{ c->sort >= 0, "--sort", asked, NULL },
		{ c->window_s < 0 || c->window_s > 0, "--window", asked,
		  serves ? "/report?window=60" : NULL },
	};

	return config_refuse(serves ? "--serve" : "--push", rows, ARRAY_SIZE(rows), err);
}

int
config_check_serve(const struct config *c, struct err *err)
{
	const char *lacks = format_defs[FORMAT_PPROF].lacks;

	if (check_alone(c, err) < 0)
		return -1;
	if (!config_is_asked(c))
		return 0;
	if (check_others(c, err) < 0)
		return -1;
	if (c->push != NULL && lacks != NULL)
		return err_set(err, ERR_UNSUPPORTED, 0, "--push: this ptop is built without %s", lacks);
	if (c->push != NULL && push_check(c->push, err) < 0)
		return -1;
	return c->serve != NULL ? serve_check(c->serve, c->serve_token != NULL, err) : 0;
}
