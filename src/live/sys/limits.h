/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_LIMITS_H
#define PTOP_LIVE_SYS_LIMITS_H
/* What the system allows: sysctls of perf, and descriptors.  Any thread. */
#include "base/err.h"
#include "event/event.h"

/* kernel.perf_event_paranoid; 2, the kernel's default, if it cannot be read. */
int limits_paranoid(const struct event_env *env);

/* kernel.yama.ptrace_scope below @root; 0: Yama is not there, or restricts nothing. */
int limits_ptrace_scope(const char *root);

/* The highest sampling frequency in Hz; the kernel may lower it at run time. */
uint64_t limits_max_rate(const struct event_env *env);

/* The longest call chain in frames, kernel.perf_event_max_stack. */
unsigned limits_max_stack(const struct event_env *env);

/* Memory for rings that each user gets for each CPU, kernel.perf_event_mlock_kb. */
uint64_t limits_mlock_kb(const struct event_env *env);

/* What it must be for rings of @bytes for each CPU: where it is that already, other programs of the user have it. */
uint64_t limits_mlock_kb_for(const struct event_env *env, size_t bytes);

/* How often a second CPUs switch between tasks: measured, which blocks for 100 ms. */
uint64_t limits_switches(const struct event_env *env);

/*
 * How often a second that software event (PERF_COUNT_SW_...) comes on the whole machine, at a glance of
 * 20 ms; 0: the kernel does not tell.
 */
uint64_t limits_happens(const struct event_env *env, uint64_t software);

/* Raises the soft limit of descriptors to the hard one.  true: there is more room now. */
bool limits_raise_descriptors(void);

/*
 * Makes room for @need more descriptors.  0; or -1: ERR_LIMIT says how many there are.
 */
int limits_need_descriptors(size_t need, struct err *err);

/* Descriptors that can still be opened after limits_raise_descriptors(), about. */
size_t limits_free_descriptors(void);

#endif
