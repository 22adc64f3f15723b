/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_PROCFS_H
#define PTOP_LIVE_SYS_PROCFS_H
/*
 * Parsers of the texts of /proc (proc(5)): pure functions over bytes that need not end in a NUL.
 * Names of tasks and files can hold any byte.  Any thread.
 *
 * All return false, and promise nothing about *@out, if the text is not what it should be.
 */
#include "base/util.h"

#include <sys/types.h>

/* Of /proc/PID/stat.  Times are in clock ticks (sysconf(_SC_CLK_TCK)). */
struct procfs_stat {
	int pid, ppid, threads;
	int priority, nice;   /* as the kernel shows them: 20, 0 for most; real-time ones are negative */
	uint64_t virt_bytes, rss_pages;
	char state;
	uint32_t flags;       /* PF_* of the kernel's <linux/sched.h> */
	uint64_t utime, stime;
	uint64_t start_ticks; /* since boot: with the pid, who a process is */
	uint64_t start_stack; /* moves with each exec; 0 without the right to see it */
	char comm[64];        /* 15 bytes of a user task; kernel threads can have more */
};

enum { PROCFS_KERNEL_THREAD = 0x00200000 }; /* PF_KTHREAD in flags */

bool procfs_stat(const char *text, size_t len, struct procfs_stat *out);

/* Of /proc/PID/task/TID/schedstat; two that are the same: it did not run between. */
struct procfs_schedstat {
	uint64_t run_ns;   /* on a CPU, up to a tick ago if it is there now */
	uint64_t queue_ns; /* waiting for one, up to when it got one last; 0 on old kernels */
	uint64_t turns;    /* how often it got one */
};

bool procfs_schedstat(const char *text, size_t len, struct procfs_schedstat *out);

/*
 * Of /proc/PID/cgroup: the path in the hierarchy that perf events know, that of perf_event in the
 * first version if it has one, else the second version's.  It stays a part of @text.
 */
bool procfs_cgroup(const char *text, size_t len, const char **path, size_t *path_len);

/*
 * Of /proc/PID/status: the id in its own pid namespace; 0: that is the one of this /proc, or an
 * older kernel does not tell.
 */
bool procfs_ns_pid(const char *text, size_t len, int *id);

/* Of /proc/PID/task/TID/status: how often it has left its CPU. */
struct procfs_switches {
	uint64_t sleeps;  /* because it had to wait */
	uint64_t yielded; /* because another one was to run */
};

bool procfs_switches(const char *text, size_t len, struct procfs_switches *out);

/* Of /proc/PID/task/TID/syscall: where in user space a thread is that waits. */
enum { PROCFS_NO_CALL = -1 };
struct procfs_syscall {
	bool is_running; /* or could: the rest is not known */
	int number;      /* PROCFS_NO_CALL: it waits for a page, in no system call */
	uint64_t args[6];
	uint64_t sp, pc;
};

bool procfs_syscall(const char *text, size_t len, struct procfs_syscall *out);

/* A line of /proc/PID/maps, without its newline.  The name stays where it is. */
struct procfs_map {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min, prot; /* PROT_* */
	const char *name;        /* as the kernel wrote it: see procfs_map_name() */
	size_t name_len;
};

bool procfs_map(const char *line, size_t len, struct procfs_map *out);

/* The bytes of a map's name: @out has room for @len, the result is at most that.  No NUL. */
size_t procfs_map_name(const char *name, size_t len, char *out);

/* Turns the bytes of a cmdline file into a line, in place: its new length, no NUL. */
size_t procfs_command(char *bytes, size_t len);

/* A "cpu" line of /proc/stat, in clock ticks. */
enum procfs_cpu_time {
	PROCFS_USER,
	PROCFS_NICE,
	PROCFS_SYSTEM,
	PROCFS_IDLE,
	PROCFS_IOWAIT,
	PROCFS_IRQ,
	PROCFS_SOFTIRQ,
	PROCFS_STEAL,
	PROCFS_CPU_TIMES,
};

struct procfs_cpu {
	unsigned cpu;
	uint64_t ticks[PROCFS_CPU_TIMES]; /* what an old kernel does not have is 0 */
};

/*
 * The sum of all and each CPU: rising numbers, at most @max of them in @cpus, their count in
 * *@count.  A line that is broken ends the list.
 */
bool procfs_cpus(const char *text, size_t len, struct procfs_cpu *all, struct procfs_cpu *cpus,
		 size_t max, size_t *count);

struct procfs_loadavg {
	double load[3];
	unsigned running, tasks;
};

bool procfs_loadavg(const char *text, size_t len, struct procfs_loadavg *out);

/* Of /proc/meminfo, in bytes; what an old kernel does not tell is 0. */
struct procfs_memory {
	uint64_t total, available, swap_total, swap_free;
};

bool procfs_meminfo(const char *text, size_t len, struct procfs_memory *out);

/* Of a file of /proc/pressure: for what percent of the last 10 s some task stood still. */
bool procfs_pressure(const char *text, size_t len, double *some);

/* Of /proc/PID/io: what reached storage, or came from there, in bytes. */
bool procfs_io(const char *text, size_t len, uint64_t *read_bytes, uint64_t *write_bytes);

bool procfs_uptime(const char *text, size_t len, uint64_t *seconds);

/* The pid that a directory of /proc is named after. */
bool procfs_pid(const char *name, int *pid);

enum { PROCFS_PID_MAX = 1 << 22 }; /* PID_MAX_LIMIT: pids are below */

/* Small files and numbered directories of /proc, with as few system calls as can be. */
enum {
	PROC_FILE_SMALL = 1024, /* enough for stat and schedstat */
	PROC_FILE_IDS = 512,    /* room for one batch */
};

/* What one read() gives, at most @size bytes.  The length, or -1 with errno. */
ssize_t proc_file_read(int dir_fd, const char *path, char *text, size_t size);

/*
 * The next few pids or tids of an open directory, at most PROC_FILE_IDS.  1: *@count of them, can
 * be 0; 0: the end; -1: errno.
 */
int proc_file_ids(int fd, int *ids, size_t *count);

/* An id in the directory @path that is not @id; 0: none. */
int proc_file_other_id(int dir_fd, const char *path, int id);

#endif
