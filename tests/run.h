/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_RUN_H
#define PTOP_TESTS_RUN_H
/*
 * Runs programs for tests: loads in the background, ptop to its end.  Everything started is ended
 * by its own pid.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The full path of tests/loads/NAME of the build folder, until the next call. */
char *run_load_path(const char *name);

/* The same in the background.  -1: it could not be started. */
pid_t run_load(const char *name);
pid_t run_load_with(const char *name, const char *arg, const char *more); /* NULL: none */

/* In a pid namespace of its own: its number here.  *@parent is to be ended, and it ends with that. */
pid_t run_load_in_pids(const char *name, const char *arg, const char *more, pid_t *parent);

pid_t run_background(const char *path); /* any program, without arguments */
pid_t run_load_on_0(const char *name, const char *arg); /* its threads run on CPU 0 alone */
double run_cpu_s(pid_t pid); /* the CPU time of all its threads until now; 0: it is not there */
void run_end(pid_t pid); /* kills, reaps, and run_clean_tmp(); 0 and -1 are allowed */

/* Removes what a process that made code may have left in /tmp: it is named by its number. */
void run_clean_tmp(pid_t pid);

/*
 * fork(2), but whatever happens to the test, its child does not outlive it, what it executes
 * neither.
 */
pid_t run_fork(void);

/* The caller ends with @parent, from whom it was forked.  A change of user forgets it: say it again. */
void run_end_with(pid_t parent);

/*
 * Root's test, and what it starts from now on, have mounts of their own: what they mount the
 * machine does not see.
 */
void run_own_mounts(void);

/* How many descriptors a process has whose links hold @kind, "" is all of them. */
int run_count_descriptors(pid_t pid, const char *kind);
int run_count_events(pid_t pid); /* of perf events */

/* How many those are, once there are some and they have stayed the same for @quiet_ms. */
int run_settled_events(pid_t pid, unsigned quiet_ms);

int run_count_threads(pid_t pid);

/* The tid of the thread of @pid called @comm, once it is there; 0: it does not come. */
int run_thread(pid_t pid, const char *comm);

/* Whether a sanitizer is compiled in, which keeps what is freed for a while, and slows all. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 };
#elif defined(__has_feature)
enum { IS_SANITIZED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { IS_SANITIZED = 0 };
#endif

struct run_result {
	int status;      /* as waitpid() gives it */
	char *out, *err; /* NUL-terminated; free with run_release() */
	size_t out_len;
};

/* Runs a program to its end, at most @seconds; it is killed then and status is SIGKILL's. */
void run_program(struct run_result *r, unsigned seconds, char *const argv[]);
void run_release(struct run_result *r);

bool run_has_perf(void); /* whether there is one, and it runs */

/* The ptop that is tested: $PTOP, else ./ptop. */
const char *run_ptop(void);

/* Whether a report of waits has all: else it says that looks came too late. */
bool run_looks_are_whole(const struct run_result *r);

size_t run_count_text(const char *text, const char *word); /* how often it is there */

/*
 * The sum of the CSV's column @sum over the rows in which each of the @n pairs (column, value)
 * holds.
 */
double run_csv_sum(const char *text, const char *sum, size_t n, const char *const pairs[][2]);

#endif
