/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes with --serve, which has no report of its own. */
#include "app/config_impl.h"

#include "serve/serve.h"

int
config_check_serve(const struct config *c, struct err *err)
{
	static const char asked[] = "each request says what it wants";
	const struct wrong_option rows[] = {
		{ c->engine.input != NULL, "--input", "it serves what runs here", NULL },
		{ c->engine.then_input != NULL, "--diff", asked, NULL },
		{ c->engine.command != NULL, "a command", "ptop serves until it is ended",
		  "start the command by itself" },
		{ c->engine.iterations > 0, "--iterations", "ptop serves until it is ended", NULL },
		{ c->engine.name_jit, "--name-jit", "it is of a screen and of reports", NULL },
		{ c->engine.format != FORMAT_COUNT, "--format", asked, "/report?format=csv" },
		{ c->output != NULL, "--output", asked, NULL },
		{ c->view != VIEW_PROCESSES, "--view", asked, "/report?by=comm,symbol" },
		{ c->key_count > 0, "--by", asked, "/report?by=comm,symbol" },
		{ c->sort >= 0, "--sort", asked, NULL },
		{ c->window_s < 0 || c->window_s > 0, "--window", asked, "/report?window=60" },
	};

	if (c->serve == NULL)
		return c->serve_token == NULL ? 0 : err_set(err, ERR_USAGE, 0, "--serve-token is of "
							    "--serve: nothing is served");
	if (config_refuse("--serve", rows, ARRAY_SIZE(rows), err) < 0)
		return -1;
	return serve_check(c->serve, c->serve_token != NULL, err);
}
