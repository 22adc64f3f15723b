/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_RIGHTS_H
#define PTOP_LIVE_SYS_RIGHTS_H
/*
 * What this process may do, and what on this machine forbids more: as /proc and /sys tell it.
 * What cannot be read is taken for not granted and not in force.  Any thread.
 */
#include "base/buf.h"
#include "event/event.h"

/* Numbers of capabilities(7). */
enum rights_cap {
	CAP_NR_DAC_READ_SEARCH = 2,
	CAP_NR_IPC_LOCK = 14,
	CAP_NR_SYS_PTRACE = 19,
	CAP_NR_SYS_ADMIN = 21,
	CAP_NR_PERFMON = 38,
	CAP_NR_CHECKPOINT_RESTORE = 40,
};

struct rights {
	uint64_t caps;       /* effective: bit for each number */
	bool has_seccomp;    /* a filter of system calls */
	bool is_root;        /* by its number, whatever that is worth */
	bool in_user_ns;     /* not the first one: perf ignores its capabilities */
	int paranoid;        /* kernel.perf_event_paranoid */
	int ptrace_scope;    /* Yama's; 0: none */
	bool has_lockdown;   /* confidentiality */
	char confined[80];   /* by which security module, "" if by none */
};

void rights_read(struct rights *r, const struct event_env *env);

/* Whether the kernel takes the capability into account. */
bool rights_has(const struct rights *r, enum rights_cap cap);

/* Measuring without regard to paranoid. */
bool rights_perfmon(const struct rights *r);

/* Root, but without that right: of a container, as a rule. */
bool rights_is_poor_root(const struct rights *r);

/* Whose a process is, and whether it has closed itself to its own user. */
struct rights_owner {
	uint32_t uid;         /* the effective one */
	bool is_closed;       /* not dumpable: setuid programs, those with capabilities, agents */
};

/* false: there is no such process. */
bool rights_owner(const struct event_env *env, int pid, struct rights_owner *owner);

/* The letter of its state in /proc; 0: there is no such task. */
char rights_task_state(const struct event_env *env, int pid);

#endif
