/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CONFIG_IMPL_H
#define PTOP_APP_CONFIG_IMPL_H
/*
 * What config.c, which makes sense of the options, has of the files beside it: config_options.c
 * lists them, the others know what does not go together.
 */
#include "app/config.h"
#include "app/option.h"

/* Their target is a struct config. */
extern const struct option_def config_options[];
extern const size_t config_option_count;

/* config_parse() of lines of a configuration, too, which argv comes after. */
int config_parse_with(struct config *c, const struct rc_line *const *lines, size_t count, char **argv,
		      struct err *err);
void config_set_defaults(struct config *c);

/*
 * Of @c as it was given, before defaults are filled in: what needs --input, and what has no effect
 * with it.  -1: ERR_USAGE.
 */
int config_check_input(const struct config *c, struct err *err);

/* What was given that does not go with --serve or --push, or only with them.  -1: see @err. */
int config_check_serve(const struct config *c, struct err *err);

/* The same of --hosts, and of --feed. */
int config_check_hosts(const struct config *c, struct err *err);
int config_check_feed(const struct config *c, struct err *err);

/* Of --hosts, for option_def.set: "web1,web2", "@FILE". */
int hosts_set(void *target, const struct option_def *def, const char *value, struct err *err);
int hosts_set_copy(void *target, const struct option_def *def, const char *value, struct err *err);

/* What the user gave that cannot have an effect @with something, and why: the first, as an error. */
struct wrong_option {
	bool is_given;
	const char *name, *why, *hint; /* NULL: no hint */
};

int config_refuse(const char *with, const struct wrong_option *rows, size_t count, struct err *err);

/*
 * Whether the view and the format can show what was asked: config_view.c.  -1: ERR_USAGE, or
 * ERR_UNSUPPORTED for what this ptop is built without.
 */
int config_check_format(const struct config *c, struct err *err);
int config_check_keys(const struct config *c, struct err *err);
int config_check_locks(const struct config *c, struct err *err);
int config_check_tree(const struct config *c, struct err *err);
int config_check_annotate(const struct config *c, struct err *err);
int config_check_counted(const struct config *c, struct err *err);

/* Makes paths whole, and finds out which servers are meant: config_files.c. */
int config_check_files(struct config *c, struct err *err);
int config_check_servers(struct config *c, struct err *err);

/* -1: what is in the memory of others would be written, by rights that are lent for their names alone. */
int config_check_copies(const struct config *c, struct err *err);
bool config_makes_socket(const struct config *c); /* in the file system: --serve=unix:PATH */

/*
 * The options that say what is looked at: for option_def.set, with struct config as target.  They
 * may be given more than once; what they name is kept once.
 */
int target_set_tasks(void *target, const struct option_def *def, const char *value,
		     struct err *err); /* letter p: processes, else threads */
int target_set_users(void *target, const struct option_def *def, const char *value,
		     struct err *err);
int target_set_cgroups(void *target, const struct option_def *def, const char *value,
		       struct err *err);
int target_set_cpus(void *target, const struct option_def *def, const char *value,
		    struct err *err);

/* The options that say what is shown, and in which format: for option_def.set, with struct config as target. */
int shown_set_view(void *target, const struct option_def *def, const char *value,
		   struct err *err);
int shown_set_by(void *target, const struct option_def *def, const char *value,
		 struct err *err);
int shown_set_sort(void *target, const struct option_def *def, const char *value,
		   struct err *err);
int shown_set_format(void *target, const struct option_def *def, const char *value,
		     struct err *err);

#endif
