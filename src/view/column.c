/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/column.h"

#include "view/call_column.h"
#include "view/column_own.h"
#include "view/task_column.h"

#define ROW(value, member) .kind = (value), .at = offsetof(struct row, member)
#define TEXT(member) ROW(VALUE_TEXT, member)
#define FUNCTION(member) ROW(VALUE_FUNCTION, member)
#define NUMBER(member) ROW(VALUE_NUMBER, member), .is_number = true
#define COUNT(member) ROW(VALUE_COUNT, member), .is_number = true
#define PART(member) ROW(VALUE_PART, member), .is_number = true

/* What is told apart by a label of its own, see profile/count/label.h. */
#define LABEL(key) .labels = KEY_BIT(key)

/* Of the events that are sampled together; its title is the event's name. */
#define BESIDE(n, id, unnamed, which)                                                             \
	[COLUMN_BESIDE + (n)] = {                                                                 \
		id, unnamed, "share of the " which " event that is sampled beside the one shown", \
		.is_number = true, .width = 12, .rank = 83 - (n),                                 \
		.put = column_put_beside_##n, .compare = column_by_beside_##n,                    \
		.of = COLUMN_OF_BESIDE }

const struct column columns[COLUMN_COUNT] = {
	[KEY_EVENT] = {
		"event", "EVENT", "the event that was sampled, as perf names it",
		.key = "event", TEXT(event), .width = 16, .rank = 55 },
	[KEY_COMM] = {
		"comm", "COMM", "name of the thread; in rows of processes and locks, of the process",
		.key = "comm", TEXT(comm), .width = 16, .rank = 85, .put = column_put_comm },
	[KEY_PID] = {
		"pid", "PID", "process id",
		.key = "pid", NUMBER(pid), .width = 7, .rank = 84 },
	[KEY_TID] = {
		"tid", "TID", "thread id",
		.key = "tid", NUMBER(tid), .width = 7, .rank = 84 },
	[KEY_DSO] = {
		"dso", "DSO", "program, library or part of the kernel that holds the code",
		.key = "dso", TEXT(dso), .width = 18, .rank = 60 },
	[KEY_SYMBOL] = {
		"symbol", "FUNCTION", "function, or its address if it has no name",
		.key = "symbol", FUNCTION(symbol), .min_width = 16, .weight = 4, .rank = 90 },
	[KEY_SRCLINE] = {
		"source", "SOURCE", "source file and line of the instruction",
		.key = "srcline", LABEL(KEY_SRCLINE), TEXT(source),
		.min_width = 10, .weight = 2, .rank = 35 },
	[KEY_ADDRESS] = {
		"address", "ADDRESS", "address of the instruction",
		.key = "address", LABEL(KEY_ADDRESS), ROW(VALUE_ADDRESS, address),
		.is_number = true, .width = 18, .rank = 58 },
	[KEY_INSTRUCTION] = {
		"instruction", "INSTRUCTION", "the instruction itself, as the file or the memory has it",
		.key = "instruction", LABEL(KEY_INSTRUCTION), TEXT(instruction),
		.min_width = 16, .weight = 3, .rank = 36 },
	[KEY_CPU] = {
		"cpu-number", "CPU", "CPU that the samples were taken on",
		.key = "cpu", LABEL(KEY_CPU), NUMBER(cpu_number), .width = 4, .rank = 57,
		.put = column_put_cpu_number },
	[KEY_CGROUP] = {
		"cgroup", "CGROUP", "control group of the process",
		.key = "cgroup", TEXT(cgroup),
		.min_width = 12, .weight = 6, .rank = 59, .put = column_put_cgroup },
	[KEY_USER] = {
		"user", "USER", "owner of the process",
		.key = "user", TEXT(user), .width = 9, .rank = 40 },
	[KEY_TIME] = {
		"time", "TIME", "seconds since the start, in steps of one refresh (-d)",
		.key = "time", LABEL(KEY_TIME), ROW(VALUE_TIME, time),
		.is_number = true, .width = 8, .rank = 56 },
	[KEY_DATA_SRC] = {
		"data_src", "DATA SOURCE", "where the data came from that was loaded or stored",
		.key = "data_src", LABEL(KEY_DATA_SRC), TEXT(data_src),
		.min_width = 12, .weight = 2, .rank = 54 },
	[KEY_WEIGHT] = {
		"weight", "WEIGHT", "cost of the instruction, mostly its latency in cycles",
		.key = "weight", LABEL(KEY_WEIGHT), ROW(VALUE_OPTIONAL, weight),
		.is_number = true, .width = 8, .rank = 53 },
	[KEY_ID] = {
		"id", "ID", "the kernel's number of the opened event: one for each CPU or task",
		.key = "id", LABEL(KEY_ID), ROW(VALUE_OPTIONAL, sample_id),
		.is_number = true, .width = 8, .rank = 51 },
	[KEY_STREAM_ID] = {
		"stream_id", "STREAM ID", "the kernel's number of the event as children inherited it: one for each of them",
		.key = "stream_id", LABEL(KEY_STREAM_ID), ROW(VALUE_OPTIONAL, stream_id),
		.is_number = true, .width = 9, .rank = 50 },
	[KEY_BRANCH] = {
		"branch", "BRANCH", "newest branch taken: the functions it went from > to",
		.key = "branch", LABEL(KEY_BRANCH), FUNCTION(branch),
		.min_width = 16, .weight = 2, .rank = 52 },
	[KEY_PATH] = {
		"path", "PATH", "file that holds the code, as it was mapped",
		.key = "path", TEXT(path), .min_width = 16, .weight = 2, .rank = 49 },
	[KEY_BUILD_ID] = {
		"build-id", "BUILD-ID", "build-id of the file, if it is known",
		.key = "build_id", TEXT(build_id), .width = 40, .rank = 15 },
	[KEY_SOURCE] = {
		"names-from", "NAMES FROM", "where the names of the file come from",
		.key = "source", TEXT(names_from), .min_width = 12, .weight = 2, .rank = 16 },
	[KEY_REASON] = {
		"reason", "WHY", "why the code has no name; empty if it has one",
		.key = "reason", TEXT(reason), .min_width = 16, .weight = 4, .rank = 65 },
	[KEY_REMEDY] = {
		"remedy", "WHAT MENDS IT",
		"what would give it a name, as far as is known: i shows all",
		.key = "remedy", TEXT(remedy), .min_width = 30, .weight = 3, .rank = 44 },

	[KEY_STATE] = {
		"state", "STATE", "what the thread does: run, or what it waits for; idle: nothing",
		.key = "state", TEXT(state), .width = 6, .rank = 61 },
	[KEY_WAITKIND] = {
		"waitkind", "WAITS FOR", "what the thread waits for, in words",
		.key = "waitkind", TEXT(waitkind), .width = 14, .rank = 60 },
	[KEY_ON] = {
		"on", "ON", "the lock, peer or file that is waited for the longest; of tasks: in waits of the kind that WAITS IN is about",
		.key = "on", LABEL(KEY_ON), TEXT(on), .min_width = 14, .weight = 4, .rank = 81,
		.of = COLUMN_OF_LOOKS },
	[KEY_LOCK] = {
		"lock", "LOCK", "the lock that is waited for",
		.key = "lock", LABEL(KEY_ON), TEXT(lock), .min_width = 17, .weight = 2, .rank = 92,
		.put = column_put_lock },
	[KEY_WAKER] = {
		"waker", "WOKEN BY", "the thread that ended the wait: by off-cpu/exact/",
		.key = "waker", LABEL(KEY_WAKER), TEXT(waker),
		.min_width = 12, .weight = 1, .rank = 47 },
	[KEY_LENGTH] = {
		"length", "LASTED", "how long each wait was, by powers of two: by off-cpu/exact/",
		.key = "length", LABEL(KEY_LENGTH), TEXT(length), .width = 11, .rank = 46 },
	[KEY_NODE] = {
		"node", "NODE", "NUMA node of the CPU that the samples were taken on",
		.key = "node", LABEL(KEY_CPU), NUMBER(node), .width = 4, .rank = 57,
		.put = column_put_node },
	[KEY_CONTAINER] = {
		"container", "CONTAINER", "container or machine: its name, or its id until that is known",
		.key = "container", TEXT(container), .min_width = 12, .weight = 2, .rank = 62 },
	[KEY_POD] = {
		"pod", "POD", "pod of Kubernetes or podman: namespace/name, or its uid",
		.key = "pod", TEXT(pod), .min_width = 12, .weight = 2, .rank = 63 },
	[KEY_UNIT] = {
		"unit", "UNIT", "unit of systemd: service, scope, or the slice that it is in alone",
		.key = "unit", TEXT(unit), .min_width = 12, .weight = 2, .rank = 62 },
	[KEY_PROGRAM] = {
		"program", "PROGRAM", "name of the process that the thread is of",
		.key = "program", TEXT(program), .width = 16, .rank = 85 },

	[COLUMN_SHARE] = {
		"evt", "%EVT", "share of what the event counted: of what is shown, or of all; % chooses",
		.is_number = true, .width = 6, .rank = 100,
		.put = column_put_share, .compare = column_by_share },
	[COLUMN_CPU] = {
		"cpu", "%CPU", "measured CPU time, in percent of one CPU; ~ if estimated",
		.is_number = true, .width = 6, .rank = 80,
		.put = column_put_cpu, .compare = column_by_cpu, .of = COLUMN_OF_SAMPLES },
	[COLUMN_CPU_ESTIMATE] = {
		"cpu-estimate", "~%CPU", "CPU time estimated from samples, in percent of one CPU",
		.is_number = true, .width = 6, .rank = 70,
		.put = column_put_cpu_estimate, .compare = column_by_cpu },
	[COLUMN_TREND] = {
		"trend", "TREND", "the last eight refreshes, each row to its own scale",
		.width = TREND_LEN, .rank = 50, .put = column_put_trend, .compare = column_by_trend,
		.is_falling = true },
	[COLUMN_SAMPLES] = {
		"samples", "SAMPLES", "number of samples", COUNT(samples), .width = 8, .rank = 45 },
	[COLUMN_PERIOD] = {
		"period", "PERIOD", "sum of the samples' periods",
		COUNT(period), .width = 14, .rank = 20 },
	[COLUMN_THREADS] = {
		"threads", "THR", "number of threads",
		NUMBER(threads), .width = 4, .rank = 30, .put = column_put_threads },
	[COLUMN_HOTTEST] = {
		"hottest", "HOTTEST", "function that the task spent most in; of tracepoints the value it had most",
		FUNCTION(hottest), .min_width = 12, .weight = 3, .rank = 78 },
	[COLUMN_COMMAND] = {
		"command", "COMMAND", "command line",
		TEXT(command), .min_width = 12, .weight = 3, .rank = 84, .put = column_put_command },
	[COLUMN_COUNTER] = {
		"counter", "COUNTER", "the event that is counted, or a ratio of two",
		.min_width = 17, .weight = 2, .rank = 99,
		.put = column_put_counter, .compare = column_by_counter },
	[COLUMN_PER_SECOND] = {
		"per-second", "PER SECOND",
		"counted per second, since the last refresh; ~ if scaled up",
		.is_number = true, .width = 16, .rank = 70,
		.put = column_put_per_second, .compare = column_by_counter },
	[COLUMN_TOTAL] = {
		"total", "TOTAL", "counted since the view was entered; ~ if scaled up",
		.is_number = true, .width = 18, .rank = 75,
		.put = column_put_total, .compare = column_by_counter },
	[COLUMN_RUNNING] = {
		"running", "RUN%", "time that the hardware counted it for",
		.is_number = true, .width = 6, .rank = 40,
		.put = column_put_running, .compare = column_by_counter },
	[COLUMN_NOTE] = {
		"note", "NOTE", "why it cannot be read, or what it leaves out",
		.min_width = 10, .weight = 6, .rank = 50,
		.put = column_put_note, .compare = column_by_counter },
	[KEY_SYSCALL] = {
		"syscall", "SYSCALL", "the system call, of the tracepoints raw_syscalls and syscalls",
		.key = "syscall", LABEL(KEY_SYSCALL), TEXT(syscall),
		.min_width = 16, .weight = 1, .rank = 83 },
	[KEY_FIELD] = {
		"field", "FIELD", "the value of the field that --by field:NAME names",
		.key = "field", LABEL(KEY_FIELD), TEXT(field),
		.min_width = 16, .weight = 1, .rank = 83 },
	[KEY_HOST] = {
		"host", "HOST", "the host of --hosts that the task runs on",
		.key = "host", TEXT(host), .width = 16, .rank = 86, .of = COLUMN_OF_HOSTS },
	[COLUMN_FUNCTION] = {
		"function", "FUNCTION", "the function whose calls are counted",
		.min_width = 16, .weight = 3, .rank = 99,
		.put = call_put_function, .compare = call_compare },
	[COLUMN_CALLS_PER_SECOND] = {
		"calls-per-second", "CALLS/s", "calls begun in the last second (closed: in the last one before); of a single report: in all of it",
		.is_number = true, .width = 9, .rank = 80,
		.put = call_put_rate, .compare = call_compare },
	[COLUMN_CALLS] = {
		"calls", "CALLS", "calls begun since they are counted: exact",
		.is_number = true, .width = 11, .rank = 75,
		.put = call_put_calls, .compare = call_compare },
	[COLUMN_CALLS_LOST] = {
		"calls-lost", "LOST",
		"calls whose end was not seen: left by an exception or longjmp, or no room for the hit",
		.is_number = true, .width = 7, .rank = 52,
		.put = call_put_lost, .compare = call_compare },
	[COLUMN_CALL_MIN] = {
		"call-min", "MIN", "the shortest time inside, what it calls included, without the probes",
		.is_number = true, .width = 8, .rank = 45,
		.has = call_has_times, .put = call_put_min, .compare = call_compare },
	[COLUMN_CALL_P50] = {
		"call-p50", "P50", "half of the calls took no longer",
		.is_number = true, .width = 8, .rank = 72,
		.has = call_has_times, .put = call_put_p50, .compare = call_compare },
	[COLUMN_CALL_P95] = {
		"call-p95", "P95", "95 of a hundred calls took no longer",
		.is_number = true, .width = 8, .rank = 60,
		.has = call_has_times, .put = call_put_p95, .compare = call_compare },
	[COLUMN_CALL_P99] = {
		"call-p99", "P99", "99 of a hundred calls took no longer",
		.is_number = true, .width = 8, .rank = 70,
		.has = call_has_times, .put = call_put_p99, .compare = call_compare },
	[COLUMN_CALL_MAX] = {
		"call-max", "MAX", "the longest time inside",
		.is_number = true, .width = 8, .rank = 62,
		.has = call_has_times, .put = call_put_max, .compare = call_compare },
	[COLUMN_CALL_TIMES] = {
		"call-times", "TIMES", "how the times are spread: a bar for each power of two",
		.width = 30, .rank = 65, .has = call_has_times,
		.put = call_put_times, .compare = call_compare, .is_falling = true },
	[COLUMN_CALL_STATE] = {
		"call-state", "STATE", "timed, entry only, on trial, or closed",
		.width = 12, .rank = 68,
		.put = call_put_state, .compare = call_compare },
	[COLUMN_CALL_NOTE] = {
		"call-note", "NOTE", "what is not as it was asked for, and why",
		.min_width = 10, .weight = 4, .rank = 42,
		.put = call_put_note, .compare = call_compare },
	[COLUMN_PPID] = {
		"ppid", "PPID", "process id of its parent",
		.is_number = true, .width = 7, .rank = 25,
		.put = task_put_ppid, .compare = task_by_ppid },
	[COLUMN_PRIORITY] = {
		"priority", "PRI", "the kernel's priority: 20 and the nice value; below 0, RT: real time",
		.is_number = true, .width = 3, .rank = 21,
		.put = task_put_priority, .compare = task_by_priority },
	[COLUMN_NICE] = {
		"nice", "NI", "nice value: from -20, most favoured, to 19",
		.is_number = true, .width = 3, .rank = 22,
		.put = task_put_nice, .compare = task_by_nice },
	[COLUMN_TASK_STATE] = {
		"task-state", "S", "R runs or could, S sleeps, D cannot be woken, T stopped, Z ended, I idle",
		.width = 1, .rank = 41,
		.put = task_put_state, .compare = task_by_state },
	[COLUMN_VIRT] = {
		"virt", "VIRT", "size of its address space, most of which need not be there",
		.is_number = true, .width = 5, .rank = 23,
		.put = task_put_virt, .compare = task_by_virt },
	[COLUMN_RSS] = {
		"rss", "RSS", "memory that it has, shared pages included, without what each CPU has not added up yet: "
		"mostly within some hundred KiB",
		.is_number = true, .width = 5, .rank = 43,
		.put = task_put_rss, .compare = task_by_rss },
	[COLUMN_MEMORY] = {
		"memory", "MEM%", "memory that it has, in percent of the machine's; as near as RSS",
		.is_number = true, .width = 5, .rank = 42,
		.put = task_put_memory, .compare = task_by_rss },
	[COLUMN_CPU_TIME] = {
		"cpu-time", "TIME+", "CPU time since its start, with that of threads that have ended",
		.is_number = true, .width = 8, .rank = 44,
		.put = task_put_cpu_time, .compare = task_by_cpu_time },
	[COLUMN_IO_READ] = {
		"io-read", "READ/S", "bytes a second that it had storage read, by /proc/PID/io",
		.is_number = true, .width = 6, .rank = 39,
		.put = task_put_io_read, .compare = task_by_io_read },
	[COLUMN_IO_WRITE] = {
		"io-write", "WRITE/S", "bytes a second that it had storage written, by /proc/PID/io",
		.is_number = true, .width = 7, .rank = 38,
		.put = task_put_io_write, .compare = task_by_io_write },
	[COLUMN_START] = {
		"start", "START", "when it was started: the time, or the day",
		.is_number = true, .width = 5, .rank = 24,
		.put = task_put_start, .compare = task_by_start },
	[COLUMN_UNNAMED] = {
		"unnamed", "%OWN", "share of its own samples that have no name",
		PART(unnamed), .width = 5, .rank = 46 },
	[COLUMN_EVENTS] = {
		"count", "COUNT", "number of samples: each is one event, or by --freq (SAMPLES) stands for many, which %EVT counts",
		COUNT(samples), .width = 8, .rank = 48 },
	[COLUMN_RATE] = {
		"rate", "/S", "events per second of the window, however many of them a sample stands for",
		.is_number = true, .width = 6, .rank = 47,
		.put = column_put_rate, .compare = column_by_rate },
	[COLUMN_MEAN] = {
		"mean", "MEAN", "how long each took, on average",
		.is_number = true, .width = 8, .rank = 69,
		.put = column_put_mean, .compare = column_by_mean },
	[COLUMN_VALUE_P50] = {
		"value-p50", "P50", "half of the samples have no higher value of the field that g chose",
		ROW(VALUE_OPTIONAL, value_p50), .is_number = true, .width = 8, .rank = 71,
		.of = COLUMN_OF_NUMBERS },
	[COLUMN_VALUE_P99] = {
		"value-p99", "P99", "99 of a hundred samples have no higher value of it",
		ROW(VALUE_OPTIONAL, value_p99), .is_number = true, .width = 8, .rank = 70,
		.of = COLUMN_OF_NUMBERS },
	[COLUMN_WAITERS] = {
		"waiters", "WAITERS", "threads that have waited for the lock in the window",
		NUMBER(waiters), .width = 7, .rank = 66 },
	[COLUMN_WAITING] = {
		"waiting", "NOW", "threads that wait for it, as was seen last",
		NUMBER(waiting), .width = 4, .rank = 88 },
	[COLUMN_OWNER] = {
		"owner", "HELD BY", "the thread that held it for most of the time",
		ROW(VALUE_NUMBER, owner), .min_width = 12, .weight = 1, .rank = 91,
		.put = column_put_owner },
	[COLUMN_OWNER_COMM] = {
		"owner_comm", "OWNER", "name of that thread",
		TEXT(owner_comm), .width = 16, .rank = 64 },
	[COLUMN_HELD] = {
		"held", "%HELD", "part of the time its holder was looked for that it was this thread; ~ if of few looks",
		NUMBER(held), .width = 5, .rank = 65, .put = column_put_held },
	[COLUMN_DOES] = {
		"does", "OWNER DOES", "what its owner does while others wait: runs, or waits for what",
		TEXT(does), .min_width = 18, .weight = 3, .rank = 90 },
	[COLUMN_RUN] = {
		"run", "RUN", "part of the time of its threads that they ran",
		PART(run), .width = 5, .rank = 74, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_QUEUE] = {
		"queue", "QUEUE", "part of the time of its threads that they could run and waited for a CPU",
		PART(queue), .width = 5, .rank = 60, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_STOLEN] = {
		"stolen", "STOLEN", "part of the time of its threads that is missing, not slept: steal, interrupts",
		PART(stolen), .width = 6, .rank = 44, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_WAIT] = {
		"wait", "WAIT", "part of the time of its threads that they waited; what is left they had nothing to do",
		PART(wait), .width = 5, .rank = 83, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_WAITS_IN] = {
		"waits-in", "WAITS IN", "function of the program that was waited in for the longest",
		FUNCTION(waits_in), .min_width = 12, .weight = 3, .rank = 82,
		.of = COLUMN_OF_LOOKS },
	[COLUMN_ERROR] = {
		"error", "95%", "the share is no more off than that, as sure as 95 %; <7.5: it may be none, and is less than 7.5; ±?: nothing tells; ^B hides it",
		.width = 6, .rank = 49, .put = column_put_error, .compare = column_by_error,
		.is_falling = true },
	[COLUMN_NOW] = {
		"now", "NOW", "share in the window, where two times or recordings are compared",
		.is_number = true, .width = 6, .rank = 98, .put = column_put_now, .compare = column_by_now },
	[COLUMN_THEN] = {
		"then", "THEN", "share in what the window is compared with",
		.is_number = true, .width = 6, .rank = 97, .put = column_put_then, .compare = column_by_then },
	[COLUMN_DELTA] = {
		"delta", "DELTA", "NOW less THEN, in points; what is significant comes first",
		.is_number = true, .width = 6, .rank = 99, .put = column_put_delta,
		.compare = column_by_delta },
	[COLUMN_DELTA_RATE] = {
		"delta-rate", "DELTA/S", "NOW less THEN, per second: of time, milliseconds",
		.is_number = true, .width = 8, .rank = 48, .put = column_put_delta_rate,
		.compare = column_by_delta_rate },
	[COLUMN_LOW] = {
		"low", "LOW", "where DELTA begins, as sure as 95 %",
		.is_number = true, .width = 6, .rank = 33, .put = column_put_low, .compare = column_by_low },
	[COLUMN_HIGH] = {
		"high", "HIGH", "where DELTA ends, as sure as 95 %",
		.is_number = true, .width = 6, .rank = 34, .put = column_put_high, .compare = column_by_high },
	[COLUMN_Q] = {
		"q", "Q", "part of rows as clear as this that are chance",
		.is_number = true, .width = 6, .rank = 31, .put = column_put_q, .compare = column_by_q },
	[COLUMN_SIGNIFICANT] = {
		"significant", "CHANGED", "yes, new, gone: it is no chance; =: it may be chance; needs 5 s: it may, as long as no more is known",
		.width = 12, .rank = 96, .put = column_put_significant, .compare = column_by_delta },
	[COLUMN_IPC] = {
		"ipc", "IPC", "instructions per cycle, where both events are sampled together",
		.is_number = true, .width = 5, .rank = 87,
		.put = column_put_ipc, .compare = column_by_ipc, .of = COLUMN_OF_IPC },
	BESIDE(0, "beside-1", "BESIDE 1", "first"),
	BESIDE(1, "beside-2", "BESIDE 2", "second"),
	BESIDE(2, "beside-3", "BESIDE 3", "third"),
	BESIDE(3, "beside-4", "BESIDE 4", "fourth"),
	[COLUMN_COUNTER_NOW] = {
		"counter-now", "NOW", "counted per second in the window, where two times are compared",
		.is_number = true, .width = 13, .rank = 98, .put = column_put_counter_now,
		.compare = column_by_now },
	[COLUMN_COUNTER_THEN] = {
		"counter-then", "THEN", "counted per second in what the window is compared with",
		.is_number = true, .width = 13, .rank = 97, .put = column_put_counter_then,
		.compare = column_by_then },
	[COLUMN_COUNTER_DELTA] = {
		"counter-delta", "DELTA", "NOW less THEN; what is significant comes first",
		.is_number = true, .width = 13, .rank = 95, .put = column_put_counter_delta,
		.compare = column_by_delta },
};

const unsigned char counter_difference_columns[] = {
	COLUMN_COUNTER_NOW, COLUMN_COUNTER_THEN, COLUMN_COUNTER_DELTA, COLUMN_SIGNIFICANT,
};
const size_t counter_difference_column_count = ARRAY_SIZE(counter_difference_columns);

const unsigned char difference_columns[] = {
	COLUMN_NOW, COLUMN_THEN, COLUMN_DELTA, COLUMN_DELTA_RATE, COLUMN_LOW, COLUMN_HIGH, COLUMN_Q,
	COLUMN_SIGNIFICANT,
};
const size_t difference_column_count = ARRAY_SIZE(difference_columns);
