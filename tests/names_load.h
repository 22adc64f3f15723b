/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_NAMES_LOAD_H
#define PTOP_TESTS_NAMES_LOAD_H
/*
 * Code of every kind that is hard to name, all of it busy: programs that are stripped, deleted,
 * replaced, in other roots and languages, code that is made at run time, BPF, and a build.
 * For tests only: everything asserts.
 */
#include <stdbool.h>
#include <sys/types.h>

struct fixture;

struct names_load; /* opaque */

/*
 * Builds and starts it.  What this machine cannot build is left out, and said.  The caller has a
 * mount namespace of its own, and the rights of root.
 */
struct names_load *names_load_start(const struct fixture *f);

/* Ends what makes new processes; what spins is stopped, so that its files stay as they are. */
void names_load_stop(struct names_load *load);
void names_load_free(struct names_load *load); /* ends it */

/* What a thread does: of its samples in @dso, @percent at least are to be in @function. */
struct names_kind {
	pid_t tid;
	const char *dso, *function; /* as fnmatch(3) takes it */
	unsigned percent;
};

/* The @i-th that was started.  false: there is none. */
bool names_load_kind(const struct names_load *load, unsigned i, struct names_kind *out);

#endif
