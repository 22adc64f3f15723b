/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/key.h"

#include "view/column.h"
#include "view/name.h"

#include <string.h>

const struct key_def key_defs[KEY_COUNT] = {
	[KEY_EVENT] = { "event", "the event that was sampled, as perf names it" },
	[KEY_COMM] = { "comm", "name of the thread" },
	[KEY_PID] = { "pid", "process id" },
	[KEY_TID] = { "tid", "thread id" },
	[KEY_DSO] = { "dso", "program, library or part of the kernel that holds the code" },
	[KEY_SYMBOL] = { "symbol", "function, or its address if it has no name" },
	[KEY_SRCLINE] = { "srcline", "source file and line of the instruction" },
	[KEY_ADDRESS] = { "address", "address of the instruction" },
	[KEY_CPU] = { "cpu", "CPU that the sample was taken on" },
	[KEY_CGROUP] = { "cgroup", "control group; live, if it is asked for at the start" },
	[KEY_USER] = { "user", "owner of the process" },
	[KEY_TIME] = { "time", "seconds since the start, in steps of one refresh (-d)" },
	[KEY_DATA_SRC] = { "data_src", "where the data came from that was loaded or stored" },
	[KEY_WEIGHT] = { "weight", "cost of the instruction, mostly its latency in cycles" },
	[KEY_BRANCH] = { "branch", "newest branch taken: the functions it went from > to" },
	[KEY_PATH] = { "path", "file that holds the code, as it was mapped" },
	[KEY_BUILD_ID] = { "build_id", "build-id of that file, if it is known" },
	[KEY_SOURCE] = { "source", "where the names of that file come from" },
	[KEY_REASON] = { "reason", "why the code has no name; empty if it has one" },
	[KEY_REMEDY] = { "remedy", "what would give it a name, as far as is known" },
};

/* Reading the arguments twice is what lets a row give its lists without their lengths. */
#define VIEW_KEYS(...) .keys = { __VA_ARGS__ }, \
	.key_count = sizeof((enum key[]){ __VA_ARGS__ }) / sizeof(enum key)
#define VIEW_COLUMNS(...) .columns = { __VA_ARGS__ }, \
	.column_count = sizeof((unsigned char[]){ __VA_ARGS__ })

const struct view_def view_defs[VIEW_COUNT] = {
	[VIEW_PROCESSES] = {
		.name = "processes", .title = "Processes",
		.help = "one row for each process, with its hottest function",
		VIEW_KEYS(KEY_PID, KEY_COMM),
		VIEW_COLUMNS(COLUMN_PID, COLUMN_USER, COLUMN_THREADS, COLUMN_CPU, COLUMN_SHARE,
			     COLUMN_TREND, COLUMN_HOTTEST, COLUMN_COMMAND),
		.into = VIEW_THREADS,
	},
	[VIEW_THREADS] = {
		.name = "threads", .title = "Threads",
		.help = "one row for each thread, with its hottest function",
		VIEW_KEYS(KEY_PID, KEY_TID, KEY_COMM),
		VIEW_COLUMNS(COLUMN_PID, COLUMN_TID, COLUMN_CPU, COLUMN_SHARE, COLUMN_TREND,
			     COLUMN_COMM, COLUMN_HOTTEST),
		.into = VIEW_FUNCTIONS,
	},
	[VIEW_FUNCTIONS] = {
		.name = "functions", .title = "Functions",
		.help = "one row for each function",
		VIEW_KEYS(KEY_DSO, KEY_SYMBOL),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SYMBOL,
			     COLUMN_DSO, COLUMN_SOURCE),
		.into = -1,
	},
	[VIEW_DSOS] = {
		.name = "dsos", .title = "Programs and libraries",
		.help = "one row for each program, library and part of the kernel",
		VIEW_KEYS(KEY_DSO),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_DSO),
		.into = -1,
	},
	[VIEW_CPUS] = {
		.name = "cpus", .title = "CPUs",
		.help = "one row for each CPU",
		VIEW_KEYS(KEY_CPU),
		VIEW_COLUMNS(COLUMN_CPU_NUMBER, COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND,
			     COLUMN_SAMPLES),
		.into = -1,
	},
	[VIEW_USERS] = {
		.name = "users", .title = "Users",
		.help = "one row for each owner of processes",
		VIEW_KEYS(KEY_USER),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_SAMPLES,
			     COLUMN_USER),
		.into = -1,
	},
	[VIEW_UNNAMED] = {
		.name = "unnamed", .title = "Unnamed",
		.help = "code without a name: one row for each file it is in, why, what mends it",
		VIEW_KEYS(KEY_DSO, KEY_PATH, KEY_BUILD_ID, KEY_SOURCE, KEY_REASON, KEY_REMEDY),
		VIEW_COLUMNS(COLUMN_SHARE, COLUMN_UNNAMED, COLUMN_SAMPLES, COLUMN_DSO,
			     COLUMN_REASON, COLUMN_REMEDY),
		.into = VIEW_FUNCTIONS, .is_unnamed = true,
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
	[VIEW_COUNTERS] = {
		.name = "counters", .title = "Counters",
		.help = "what events counted, without samples, of the process, thread or machine",
		VIEW_KEYS(KEY_EVENT),
		VIEW_COLUMNS(COLUMN_COUNTER, COLUMN_PER_SECOND, COLUMN_TOTAL, COLUMN_RUNNING,
			     COLUMN_NOTE),
		.into = -1,
	},
};

static int
key_parse(const char *word, enum key *key, struct err *err)
{
	const char *names[KEY_COUNT];

	for (int k = 0; k < KEY_COUNT; k++) {
		if (strcmp(key_defs[k].name, word) == 0) {
			*key = k;
			return 0;
		}
		names[k] = key_defs[k].name;
	}
	return name_unknown(err, "unknown key", word, names, KEY_COUNT);
}

int
key_parse_list(const char *text, enum key *keys, size_t *count, struct err *err)
{
	char word[32];
	size_t n = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		enum key key = KEY_COUNT;

		memcpy(word, text, MIN(len, sizeof(word) - 1));
		word[MIN(len, sizeof(word) - 1)] = '\0';
		if (key_parse(word, &key, err) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			if (keys[i] == key)
				return err_set(err, ERR_USAGE, 0, "key '%s' is given twice", word);
		keys[n++] = key;
		if (text[len] == '\0')
			break;
		text += len + 1;
	}
	*count = n;
	return 0;
}

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
