/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/view.h"

#include "view/column.h"
#include "view/name.h"

#include <string.h>

/* Reading the arguments twice is what lets a row give its lists without their lengths. */
#define VIEW_KEYS(...) .keys = { __VA_ARGS__ }, \
	.key_count = sizeof((enum key[]){ __VA_ARGS__ }) / sizeof(enum key)
#define VIEW_COLUMNS(...) .columns = { __VA_ARGS__ }, \
	.column_count = sizeof((unsigned char[]){ __VA_ARGS__ })
#define VIEW_OFFERS(...) .offers = { __VA_ARGS__ }, \
	.offer_count = sizeof((unsigned char[]){ __VA_ARGS__ })
#define VIEW_MORE(...) .more = { __VA_ARGS__ }, .more_count = sizeof((unsigned char[]){ __VA_ARGS__ })

const struct view_def view_defs[VIEW_COUNT] = {
	[VIEW_PROCESSES] = {
		.name = "processes", .title = "Processes",
		.help = "one row for each process, with its hottest function",
		VIEW_KEYS(KEY_PID, KEY_COMM),
		VIEW_COLUMNS(COLUMN_HOST, COLUMN_PID, COLUMN_USER, COLUMN_THREADS, COLUMN_CPU, COLUMN_SHARE,
			     COLUMN_RUN, COLUMN_QUEUE, COLUMN_STOLEN, COLUMN_WAIT, COLUMN_TREND,
			     COLUMN_HOTTEST, COLUMN_WAITS_IN, COLUMN_ON, COLUMN_COMMAND),
		VIEW_OFFERS(COLUMN_COMM, COLUMN_PPID, COLUMN_PRIORITY, COLUMN_NICE, COLUMN_TASK_STATE,
			    COLUMN_VIRT, COLUMN_RSS, COLUMN_MEMORY, COLUMN_CPU_TIME, COLUMN_IO_READ,
			    COLUMN_IO_WRITE, COLUMN_START,
			    COLUMN_CGROUP, COLUMN_CONTAINER, COLUMN_POD, COLUMN_UNIT,
			    COLUMN_SAMPLES, COLUMN_PERIOD),
		.into = VIEW_THREADS, .is_overview = true,
	},
	[VIEW_THREADS] = {
		.name = "threads", .title = "Threads",
		.help = "one row for each thread, with its hottest function",
		VIEW_KEYS(KEY_PID, KEY_TID, KEY_COMM),
		VIEW_COLUMNS(COLUMN_HOST, COLUMN_PID, COLUMN_TID, COLUMN_CPU, COLUMN_SHARE, COLUMN_RUN,
			     COLUMN_QUEUE, COLUMN_STOLEN, COLUMN_WAIT, COLUMN_TREND, COLUMN_COMM,
			     COLUMN_HOTTEST, COLUMN_WAITS_IN, COLUMN_ON),
		VIEW_OFFERS(COLUMN_USER, COLUMN_COMMAND, COLUMN_PRIORITY, COLUMN_NICE,
			    COLUMN_TASK_STATE, COLUMN_CPU_TIME, COLUMN_IO_READ, COLUMN_IO_WRITE,
			    COLUMN_START, COLUMN_CGROUP,
			    COLUMN_CONTAINER, COLUMN_POD, COLUMN_UNIT, COLUMN_SAMPLES, COLUMN_PERIOD),
		.into = VIEW_FUNCTIONS, .is_overview = true,
	},
	[VIEW_FUNCTIONS] = {
		.name = "functions", .title = "Functions",
		.help = "one row for each function",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SYMBOL,
			     COLUMN_DSO, COLUMN_SOURCE),
		VIEW_OFFERS(COLUMN_SAMPLES, COLUMN_PERIOD),
		.into = -1, .is_overview = true,
	},
	[VIEW_DSOS] = {
		.name = "dsos", .title = "Programs and libraries",
		.help = "one row for each program, library and part of the kernel",
		VIEW_KEYS(KEY_DSO),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_DSO),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_FUNCTIONS, .is_overview = true,
	},
	[VIEW_CPUS] = {
		.name = "cpus", .title = "CPUs",
		.help = "one row for each CPU",
		VIEW_KEYS(KEY_CPU),
		VIEW_COLUMNS(COLUMN_CPU_NUMBER, COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND,
			     COLUMN_SAMPLES),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_overview = true, .is_group = true,
	},
	[VIEW_USERS] = {
		.name = "users", .title = "Users",
		.help = "one row for each owner of processes",
		VIEW_KEYS(KEY_USER),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_USER),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_overview = true, .is_group = true,
	},
	[VIEW_PROGRAMS] = {
		.name = "programs", .title = "Programs",
		.help = "one row for each name of processes, however many there are of it",
		VIEW_KEYS(KEY_PROGRAM),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_PROGRAM),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_NAMES] = {
		.name = "comms", .title = "Thread names",
		.help = "one row for each name of threads, of whatever processes",
		VIEW_KEYS(KEY_COMM),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_COMM),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_THREADS, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_CGROUPS] = {
		.name = "cgroups", .title = "Control groups",
		.help = "a tree of control groups on the screen, each with what is below it; report: flat",
		VIEW_KEYS(KEY_CGROUP),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_CGROUP, COLUMN_CONTAINER),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_CONTAINERS] = {
		.name = "containers", .title = "Containers",
		.help = "one row for each container: of docker, podman, Kubernetes, LXC",
		VIEW_KEYS(KEY_CONTAINER),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_CONTAINER),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_PODS] = {
		.name = "pods", .title = "Pods",
		.help = "one row for each pod of Kubernetes or podman",
		VIEW_KEYS(KEY_POD),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_POD),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_CONTAINERS, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_UNITS] = {
		.name = "units", .title = "Units",
		.help = "one row for each service, scope or slice of systemd",
		VIEW_KEYS(KEY_UNIT),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_UNIT),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_NODES] = {
		.name = "nodes", .title = "NUMA nodes",
		.help = "one row for each NUMA node, by the CPUs that the samples were taken on",
		VIEW_KEYS(KEY_NODE),
		VIEW_COLUMNS(COLUMN_NODE, COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND,
			     COLUMN_SAMPLES),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_CPUS, .is_overview = true, .is_group = true, .is_aside = true,
	},
	[VIEW_SYSCALLS] = {
		.name = "syscalls", .title = "System calls",
		.help = "one row for each system call: of the tracepoints raw_syscalls and syscalls",
		VIEW_KEYS(KEY_SYSCALL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_TREND, COLUMN_SYSCALL),
		.into = VIEW_PROCESSES, .is_group = true, .is_aside = true,
	},
	[VIEW_FIELDS] = {
		.name = "fields", .title = "Values",
		.help = "one row for each value of a field that samples of a tracepoint carry",
		VIEW_KEYS(KEY_FIELD),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_TREND, COLUMN_FIELD),
		.into = VIEW_PROCESSES, .is_group = true, .is_aside = true,
	},
	[VIEW_HOSTS] = {
		.name = "hosts", .title = "Hosts",
		.help = "one row for each host that --hosts names",
		VIEW_KEYS(KEY_HOST),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_HOST),
		VIEW_OFFERS(COLUMN_PERIOD),
		.into = VIEW_PROCESSES, .is_group = true, .is_aside = true,
	},
	[VIEW_UNNAMED] = {
		.name = "unnamed", .title = "Unnamed",
		.help = "code without a name: one row for each file it is in, why, what mends it",
		VIEW_KEYS(KEY_DSO, KEY_PATH, KEY_BUILD_ID, KEY_SOURCE, KEY_REASON, KEY_REMEDY),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_UNNAMED, COLUMN_SAMPLES, COLUMN_DSO,
			     COLUMN_REASON, COLUMN_REMEDY),
		.into = VIEW_FUNCTIONS, .is_unnamed = true,
	},
	[VIEW_LOCKS] = {
		.name = "locks", .title = "Locks",
		.help = "locks that threads wait for: who holds each, and what that thread does",
		VIEW_KEYS(KEY_PID, KEY_COMM, KEY_LOCK),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_WAITERS, COLUMN_WAITING, COLUMN_PID, COLUMN_COMM,
			     COLUMN_LOCK, COLUMN_OWNER, COLUMN_HELD, COLUMN_DOES),
		VIEW_MORE(COLUMN_WAITERS, COLUMN_WAITING, COLUMN_OWNER, COLUMN_OWNER_COMM,
			  COLUMN_HELD, COLUMN_DOES, COLUMN_WAITS_IN),
		.into = VIEW_TREE, .is_locks = true,
	},
	[VIEW_TREE] = {
		.name = "tree", .title = "Call tree",
		.help = "which functions call which, from the outermost on; bottom up: t again",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_SYMBOL, COLUMN_DSO),
		.into = -1, .is_tree = true,
	},
	[VIEW_CALLERS] = {
		.name = "callers", .title = "Callers and callees",
		.help = "who calls a function (on the screen also what it calls); report: all functions",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_SYMBOL, COLUMN_DSO),
		.into = -1, .is_tree = true,
	},
	[VIEW_CALLEES] = {
		.name = "callees", .title = "Callees",
		.help = "what a function calls; report: of all functions",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_SYMBOL, COLUMN_DSO),
		.into = -1, .is_tree = true,
	},
	[VIEW_FLAME] = {
		.name = "flame", .title = "Flame graph",
		.help = "the call tree as boxes, as wide as their share; report: as text, by name",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_SYMBOL, COLUMN_DSO),
		.into = -1, .is_tree = true,
	},
	[VIEW_ANNOTATE] = {
		.name = "annotate", .title = "Annotate",
		.help = "one function: its source lines and instructions, and what each has",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL, KEY_ADDRESS),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_SAMPLES),
		.into = -1, .is_code = true, .no_then = "instructions are not compared",
	},
	[VIEW_COUNTERS] = {
		.name = "counters", .title = "Counters",
		.help = "what events counted, without samples, of the process, thread or machine",
		VIEW_KEYS(KEY_EVENT),
		VIEW_COLUMNS(COLUMN_COUNTER, COLUMN_PER_SECOND, COLUMN_TOTAL, COLUMN_RUNNING,
			     COLUMN_NOTE),
		.into = -1, .is_counted = true,
	},
	[VIEW_CALLS] = {
		.name = "calls", .title = "Calls",
		.help = "functions whose calls are counted: how often, and the time inside",
		VIEW_KEYS(KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_FUNCTION, COLUMN_CALLS_PER_SECOND, COLUMN_CALLS, COLUMN_CALLS_LOST,
			     COLUMN_CALL_MIN, COLUMN_CALL_P50, COLUMN_CALL_P95, COLUMN_CALL_P99,
			     COLUMN_CALL_MAX, COLUMN_CALL_TIMES, COLUMN_CALL_STATE, COLUMN_CALL_NOTE),
		.into = -1, .is_counted = true, .no_then = "calls are not compared",
	},
};

int
view_parse(const char *text, enum view_id *view, struct err *err)
{
	const char *names[VIEW_COUNT];

	for (int v = 0; v < VIEW_COUNT; v++) {
		if (strcmp(view_defs[v].name, text) == 0) {
			*view = v;
			return 0;
		}
		names[v] = view_defs[v].name;
	}
	return name_unknown(err, "unknown view", text, names, VIEW_COUNT);
}
