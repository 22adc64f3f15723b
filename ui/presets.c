/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/presets.h"

#include "ui/place.h"

#include <stdio.h>

const struct preset presets[] = {
	{ "CPU", "CPU time by process, by a timer: works everywhere",
	  "cpu-clock", VIEW_PROCESSES, "", "",
	  "Enter: its threads if there are several, then functions; f: flame graph; c: callers" },
	{ "cycles", "CPU cycles by function, by the machine's counter: exact in the kernel, too",
	  "cycles", VIEW_FUNCTIONS, "", "",
	  "Enter: instructions and source lines; f: flame graph", .of_counters = true },
	{ "instructions per cycle", "by function: below 1 it waits, for memory as a rule",
	  "cycles,instructions", VIEW_FUNCTIONS, "", "",
	  "F6, IPC: the lowest or the highest first; Enter: by instruction", .of_counters = true },
	{ "cache", "misses and accesses of the last level cache, by function",
	  "cache-misses,cache-references", VIEW_FUNCTIONS, "", "",
	  "Enter: by instruction; c and f: from where", .of_counters = true },
	{ "branches", "branches that were predicted wrongly, beside all, by function",
	  "branch-misses,branches", VIEW_FUNCTIONS, "", "",
	  "Enter: by instruction; c and f: from where", .of_counters = true },
	{ "top-down", "where cycles go by function: fetching code, waiting for results, wrong branches",
	  "cycles,stalled-cycles-frontend,stalled-cycles-backend,branch-misses", VIEW_FUNCTIONS, "", "",
	  "columns: stalled in front: code; in back: data; a row's own beside its cycles",
	  .of_counters = true },
	{ "switches", "by thread: how often it left the CPU, and in which function",
	  "context-switches", VIEW_THREADS, "", "",
	  "Enter: in which functions; f: from where; the preset scheduling tells how long" },
	{ "system calls", "by name: how often, and how long each takes, from its begin to its end",
	  "syscall-time", VIEW_SYSCALLS, "", "",
	  "Enter: who makes it; f: from where all are made; % shows milliseconds per second" },
	{ "disks", "block I/O by device: requests, and how long they take",
	  "block-time", VIEW_FIELDS, "dev", "",
	  "Enter: whose requests; g, rwbs: reads and writes; f: from where all come" },
	{ "page faults", "by the file whose code touched the page",
	  "page-faults", VIEW_DSOS, "", "",
	  "c and f: from where; minor-faults and major-faults tell those apart that read a disk" },
	{ "signals", "by sender, with the signal that it sends most",
	  "signal:signal_generate", VIEW_PROCESSES, "", "",
	  "g, sig: by signal; g, pid: to whom; R: each one as it comes" },
	{ "scheduling", "by thread: time from being able to run until it does",
	  "off-cpu/exact/", VIEW_THREADS, "", "state=queue",
	  "\\ without state=queue has all waits; g, CPUs: where; L: locks" },
	{ "interrupts", "soft interrupts by kind: how often, and how long they take",
	  "softirq-time", VIEW_FIELDS, "vec", "",
	  "g, CPUs: which CPU takes them; the event irq-time has those of devices" },
};

const size_t preset_count = ARRAY_SIZE(presets);

void
preset_take(struct ui *ui, const struct preset *p)
{
	struct nav_level *l = nav_level(&ui->nav);

	engine_switch_event(ui->engine, p->spec);
	snprintf(l->field, sizeof(l->field), "%s", p->field);
	snprintf(ui->query.filter, sizeof(ui->query.filter), "%s", p->filter);
	place_set_view(ui, p->view);
	nav_unpin(nav_place(&ui->nav));
	ui_say(ui, false, "%s", p->next);
}
