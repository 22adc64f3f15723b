/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/capabilities.h"

#include "base/file.h"
#include "live/sys/rights.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	NUMBERS_MAX = 64,
	NICE_LIMIT = 25, /* nice -5, see getrlimit(2) */
};

static bool
for_files(const struct capability_needs *needs, uint64_t permitted)
{
	(void)permitted;
	return needs->files;
}

static bool
for_replaced(const struct capability_needs *needs, uint64_t permitted)
{
	(void)permitted;
	return needs->replaced;
}

/* It stands for those that were taken out of it: on older kernels, and where it came without them. */
static bool
for_much(const struct capability_needs *needs, uint64_t permitted)
{
	return needs->probes || needs->waits || needs->code || !(permitted >> CAP_NR_PERFMON & 1) ||
	       file_number("/proc/sys/kernel/cap_last_cap", 0) < CAP_NR_CHECKPOINT_RESTORE;
}

/* The engine runs at nice -5: as a rule its limit allows that, so that no capability has to. */
static bool
may_not_be_nice(const struct capability_needs *needs, uint64_t permitted)
{
	struct rlimit r;

	(void)needs;
	(void)permitted;
	return getrlimit(RLIMIT_NICE, &r) == 0 && r.rlim_cur < NICE_LIMIT;
}

static const struct capability table[] = {
	{ CAP_NR_PERFMON, "CAP_PERFMON",
	  "events of the kernel, of whole CPUs, of other users' tasks, as they are selected" },
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
	  "uprobes and breakpoints in the kernel, for which CAP_PERFMON is not enough; "
	  "/proc/PID/stack for off-cpu and wall-clock; code of BPF programs; not in a batch "
	  "without one of these, unless CAP_PERFMON is missing; before Linux 5.9 all of CAP_PERFMON "
	  "and CAP_CHECKPOINT_RESTORE",
	  for_much },
	{ CAP_SYS_PTRACE, "CAP_SYS_PTRACE",
	  "the maps of other users' processes, and the files below their roots" },
	{ CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
	  "programs, libraries and debug files that only others may read" },
	{ CAP_NR_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE",
	  "/proc/PID/map_files, which leads to files that were deleted" },
	{ CAP_SYSLOG, "CAP_SYSLOG", "the addresses in /proc/kallsyms" },
	{ CAP_IPC_LOCK, "CAP_IPC_LOCK", "rings larger than kernel.perf_event_mlock_kb" },
	{ CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE",
	  "a recording, a report or a socket (--serve=unix:PATH) in a folder of the user who called "
	  "sudo: effective while it is written; not in a batch without -r and -o",
	  for_files, true },
	{ CAP_CHOWN, "CAP_CHOWN", "the same: it is given to that user", for_files, true },
	{ CAP_FOWNER, "CAP_FOWNER",
	  "a report in place of that user's file, in a folder that is sticky: -o with --force",
	  for_replaced, true },
	{ CAP_SYS_NICE, "CAP_SYS_NICE",
	  "rings emptied in time on a busy machine, by a thread at nice -5; only where root may not "
	  "raise RLIMIT_NICE, as in containers without CAP_SYS_RESOURCE",
	  may_not_be_nice },
};

const struct capability *
capability_table(size_t *count)
{
	*count = ARRAY_SIZE(table);
	return table;
}

/* Of the calling thread.  false: it has no say in it. */
static bool
get(struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &head, sets) == 0;
}

static void
set(const struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	/* To have less is never refused. */
	if (syscall(SYS_capset, &head, sets) < 0)
		die("cannot give up capabilities");
}

/*
 * Root's other processes are open to who has CAP_SYS_PTRACE, or each capability that they have:
 * see cap_ptrace_access_check() of the kernel.  In a container there may be only the second way.
 */
static bool
needs_all(uint64_t permitted)
{
	return geteuid() == 0 && !(permitted >> CAP_SYS_PTRACE & 1);
}

/* Of the table those that apply: permitted, and of these effective all the time. */
struct kept {
	uint64_t permitted, effective;
};

static struct kept
kept_of(const struct capability_needs *needs, uint64_t permitted)
{
	struct kept kept = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		uint64_t bit = UINT64_C(1) << table[i].number;

		if (table[i].applies != NULL && !table[i].applies(needs, permitted))
			continue;
		kept.permitted |= bit;
		kept.effective |= table[i].is_for_writing ? 0 : bit;
	}
	return kept;
}

static void
allow_nice(void)
{
	const struct rlimit r = { NICE_LIMIT, NICE_LIMIT };

	if (may_not_be_nice(NULL, 0))
		setrlimit(RLIMIT_NICE, &r);
}

static void
keep(struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3], struct kept kept)
{
	/* First the bounding set, which takes a capability. */
	for (unsigned long nr = 0; nr < NUMBERS_MAX; nr++)
		if (!(kept.permitted >> nr & 1))
			prctl(PR_CAPBSET_DROP, nr, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		sets[i].permitted &= (uint32_t)(kept.permitted >> 32 * i);
		sets[i].effective &= (uint32_t)(kept.effective >> 32 * i);
		sets[i].inheritable = 0;
	}
	set(sets);
}

void
capabilities_keep(uint64_t bits)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (get(sets))
		keep(sets, (struct kept){ bits, bits });
}

void
capabilities_reduce(const struct capability_needs *needs)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uint64_t permitted;

	if (!get(sets))
		return;
	permitted = sets[0].permitted | (uint64_t)sets[1].permitted << 32;
	if (permitted == 0)
		return;
	allow_nice();
	keep(sets, needs_all(permitted) ? (struct kept){ permitted, permitted } : kept_of(needs, permitted));
}

void
capabilities_use(uint64_t bits)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (!get(sets))
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].effective |= sets[i].permitted & (uint32_t)(bits >> 32 * i);
	set(sets);
}

void
capabilities_rest(void)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (!get(sets))
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].effective = 0;
	set(sets);
}

void
capabilities_for_files(void)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (!get(sets))
		return;
	sets[0].effective = sets[0].permitted & (1U << CAP_DAC_OVERRIDE | 1U << CAP_CHOWN);
	sets[1].effective = 0;
	set(sets);
}
