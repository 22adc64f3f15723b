/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_MACHINE_H
#define PTOP_LIVE_PROC_PROC_MACHINE_H
/*
 * The machine's own numbers: load, uptime, shares of the CPUs' time since the last reading.
 * Zero-initialise to begin.  One thread.
 */
#include "base/file.h"
#include "live/proc/proc_msg.h"
#include "live/sys/procfs.h"

struct proc_machine {
	struct procfs_loadavg loadavg;
	struct procfs_memory memory;
	double pressure[PROC_PRESSURES]; /* NAN: the kernel does not tell it */
	uint64_t uptime_s;
	struct procfs_cpu all;   /* the last counters */
	struct procfs_cpu *cpus;
	size_t cpu_count;
	struct proc_cpu all_shares, *shares; /* as many as cpus */
	bool have_counters, have_shares;
	struct file_kept stat, load, uptime, meminfo, pressures[PROC_PRESSURES];
	struct buf text;
};

void proc_machine_read(struct proc_machine *m, int proc_fd);

/* Copies what was read last to the message. */
void proc_machine_put(const struct proc_machine *m, struct proc_tick_msg *msg);

void proc_machine_release(struct proc_machine *m);

#endif
