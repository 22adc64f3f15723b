/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_LOAD_H
#define PTOP_TESTS_BENCH_LOAD_H
/*
 * The surroundings of a benchmark: what keeps the machine busy, and where things are.  A load and
 * all that it starts end with load_end(), or when the benchmark ends.  One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LOAD_PATH_MAX = 4096 };

/* @name in the build folder's tests/, into @path. */
const char *load_built(char path[LOAD_PATH_MAX], const char *name);

/* @name in the sources' tests/, into @path. */
const char *load_source(char path[LOAD_PATH_MAX], const char *name);

/* $PTOP, else ./ptop. */
const char *load_ptop(void);

/* Whether there is a perf to compare with. */
bool load_has_perf(void);

/* $BENCH_TMP/NAME, into @path: the folder is there for this run only. */
const char *load_scratch(char path[LOAD_PATH_MAX], const char *name);

/* XDG_CACHE_HOME=DIR into @env: a new empty folder. */
void load_new_cache(char env[LOAD_PATH_MAX]);

/* Starts @path with one argument or none (NULL), its output thrown away. */
pid_t load_start(const char *path, const char *arg);
pid_t load_start_with(const char *path, const char *arg, const char *more); /* both may be NULL */
void load_end(pid_t pid);

#endif
