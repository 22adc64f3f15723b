/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/presets.h"

#include "ui/place.h"

#include <stdio.h>

const struct preset presets[] = {
	{ "system calls", "by name: how often, and how long each takes, from its begin to its end",
	  "syscall-time", VIEW_SYSCALLS, "", "",
	  "Enter: who makes the call; f there: from where; % shows milliseconds per second" },
	{ "disks", "by device: requests, and how long they take",
	  "block-time", VIEW_FIELDS, "dev", "",
	  "Enter: whose requests; g, rwbs: reads and writes; f: from where" },
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
	ui_say(ui, false, "%s", p->next);
}
