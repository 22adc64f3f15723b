/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_MSG_H
#define PTOP_LIVE_PROC_PROC_MSG_H
/* What the reader of /proc answers.  Each message is its receiver's to free: msg_free(). */
#include "base/queue.h"

enum proc_msg_type {
	PROC_MSG_MAPS = 200, /* struct proc_maps_msg */
	PROC_MSG_TICK,       /* struct proc_tick_msg */
	PROC_MSG_COMM,       /* struct proc_comm_msg */
	PROC_MSG_OWNER,      /* struct proc_owner_msg */
};

struct proc_map {
	uint64_t start, end, pgoff;
	uint32_t maj, min;
	uint64_t ino;
	uint32_t prot;      /* PROT_* */
	uint32_t name;      /* offset in proc_maps_msg.names; "" for anonymous memory */
};

/*
 * The executable maps of a process, and those that proc_reader_want_data() adds.  Valid if the process that had @start_ticks when it was
 * asked still had them when it was read; otherwise error is ESRCH.
 */
struct proc_maps_msg {
	struct msg msg;
	int pid;
	uint32_t cookie;        /* as asked */
	int error;              /* errno, 0 if the maps are there */
	uint64_t clock_ns;      /* CLOCK_MONOTONIC after reading: records up to here come first */
	uint64_t took_ns;       /* CPU time of it */
	uint64_t start_ticks;   /* field 22 of /proc/PID/stat: the same before and after */
	int ppid;
	char comm[16];
	struct proc_map *maps;  /* rising addresses */
	size_t count;
	char *names;
};

/* The name of a thread that was there before it was first heard of. */
struct proc_comm_msg {
	struct msg msg;
	int pid, tid;
	uint32_t cookie; /* as asked */
	int error;       /* errno, 0 if the name is there */
	char comm[64];
};

/* Who a process belongs to: its effective user. */
struct proc_owner_msg {
	struct msg msg;
	int pid;
	int error;         /* errno, 0 if the owner is there */
	uint32_t uid;
	uint64_t clock_ns; /* CLOCK_MONOTONIC before it was read */
};

/* A process or thread as /proc/PID/stat and status show it. */
struct proc_info {
	int pid, tid, ppid;     /* tid == pid for a process row */
	uint32_t uid;
	uint64_t owner_ns;      /* CLOCK_MONOTONIC before uid was read; 0: it was not, and is UINT32_MAX */
	int threads;            /* of the process; 0 in thread rows */
	char state;             /* R S D Z ... */
	int priority, nice;
	uint64_t virt_bytes, rss_bytes;
	uint64_t start_ticks;
	double io_read, io_write; /* bytes a second since the last reading; NAN: not known, or not asked */
	uint64_t cpu_ns;        /* of all its life */
	double cpu;             /* percent of one CPU since the last reading; NAN: only one */
	char comm[16];
	const char *command;    /* command line with blanks, "[comm]" for kernel threads */
	const char *cgroup;     /* path of its control group; "": not known, or a thread row */
	bool is_kernel_thread;
};

/* NULL: not among @infos, which rise by pid. */
const struct proc_info *proc_info_find(const struct proc_info *infos, size_t count, int pid);

/* Jiffies shares of the time since the last tick, in percent; sum 100. */
struct proc_cpu {
	unsigned cpu;
	/* user with nice, system with irq */
	float user, system, softirq, idle, iowait, steal;
};

/* Of what a task can lack so much that it stands still. */
enum proc_pressure { PROC_PRESSURE_CPU, PROC_PRESSURE_MEMORY, PROC_PRESSURE_IO, PROC_PRESSURES };

/*
 * The machine and its processes.  @processes holds all that are alive.  Not all were read anew in
 * this tick: cpu is of the time between the last two readings of each.
 */
struct proc_tick_msg {
	struct msg msg;
	uint64_t clock_ns;
	char host[65];
	double load[3];
	uint64_t uptime_s;
	uint64_t memory_total, memory_available, swap_total, swap_free; /* bytes; 0: not known */
	double pressure[PROC_PRESSURES]; /* percent of the last 10 s; NAN: not known */
	unsigned tasks, running; /* threads, and those on a CPU or waiting for one */
	struct proc_cpu all;     /* the mean */
	struct proc_cpu *cpus;
	size_t cpu_count;
	bool have_shares;        /* false at the first tick: all and cpus are zero */
	struct proc_info *processes; /* rising pid */
	size_t process_count;
	struct proc_info *threads;   /* of the process that was asked for, rising tid */
	size_t thread_count;
	uint64_t complete_ns;    /* who lived then, and still does, is here; 0: the first scan goes on */
	char *strings;           /* owns commands and paths of groups */
};

/* Empty; freed with msg_free(). */
struct proc_maps_msg *proc_maps_msg_new(void);
struct proc_tick_msg *proc_tick_msg_new(void);

#endif
