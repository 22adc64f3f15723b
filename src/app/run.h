/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_RUN_H
#define PTOP_APP_RUN_H
/* What ptop may be asked to do without a screen: a function each.  Main thread. */
#include "app/config.h"
#include "live/sys/sys.h"

struct app_screen;
struct event_env;

/*
 * Reports without a screen: one each refresh, to standard output or to the config's file, until
 * there were as many as asked, COMMAND or sampling ends, SIGINT, SIGTERM or SIGHUP comes (then
 * what is there is one report more), or the reader closes the pipe.  What was lost, and what could
 * not be measured, goes to standard error.
 *
 * @status is the exit status: COMMAND's own if it ended, as env(1) gives it.  -1 with @err if not
 * all that was asked for could be done; @status is that of the error then.
 */
int batch_run(const struct config *config, int *status, struct err *err);

/*
 * --feed: what was counted in each second, on standard output, for a ptop with --hosts, until as many
 * seconds were sent as asked, SIGINT, SIGTERM or SIGHUP comes, or nobody reads any more.  A reader that
 * is slow gets fewer, longer ones.  -1: see @err.
 */
int feed_run(const struct config *config, struct err *err);

/*
 * --check: what this user may measure on this machine.  Each is tried, and undone; blocks for some
 * tenths of a second.  Adds a line for each of what is wanted: "yes", or "no" with the reason, and
 * what would grant it.  true: the user's own processes can be sampled.
 */
bool check_put(struct buf *b, const struct sys *sys, const struct event_env *env,
	       const struct config *config);

/* Prints it.  *@status: 0 if own processes can be sampled, else 1.  -1: it could not be printed. */
int check_run(const struct config *config, int *status, struct err *err);

/*
 * --list: the events of this machine.  Blocks until all were tried.  Prints class,
 * name, whether it can be opened now, and what it counts or why it cannot, of each event that the
 * config's pattern (a glob, or a part of the name) fits.  -1: none does.
 */
int list_run(const struct config *config, struct err *err);

/*
 * --explain-event: what the kernel would be asked for, and whether it gives it.
 * Prints, for each event of the config's SPEC, a line "name value  # meaning" for each attribute
 * that is not 0 (type, size, config and the rate always), what is left out, and "open", whether
 * the kernel takes it.  -1: SPEC is wrong, or an event cannot be opened.
 */
int explain_run(const struct config *config, struct err *err);

/*
 * --explain: prints what the word means, a line for each thing of this name; keys are those of @screen,
 * which may be NULL.  -1: none has it.
 */
int explain_word_run(const struct config *config, const struct app_screen *screen, struct err *err);

/*
 * ptop --input FILE --dump: the records of a recording, one a line, all fields.
 * Prints to standard output or config's output; -1: see @err.
 */
int dump_run(const struct config *config, struct err *err);

#endif
