/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header_parts.h"

#include "view/snapshot.h"

#include <string.h>

const struct header_part_def header_parts[HEADER_PARTS] = {
	[HEADER_UPTIME] = { "uptime", "since when the machine runs" },
	[HEADER_LOAD] = { "load", "how many tasks ran or could, on average of 1, 5 and 15 minutes" },
	[HEADER_TASKS] = { "tasks", "threads, and how many of them run or could" },
	[HEADER_TIMES] = { "times",
		"CPU time in percent: user, system, soft interrupts, idle, waiting for I/O, stolen" },
	[HEADER_MEMORY] = { "memory", "memory in use and all; swap, if any of it is" },
	[HEADER_PRESSURE] = { "pressure",
		"percent of the last 10 s in which tasks lacked CPU, memory, I/O" },
	[HEADER_EVENT] = { "event", "the event shown, and how often it is sampled" },
	[HEADER_SAMPLES] = { "samples", "samples in the last second" },
	[HEADER_LOST] = { "lost", "what is missing, late or cut; a loss is told in any case" },
	[HEADER_SELF] = { "self", "CPU time and memory of ptop itself" },
	[HEADER_CPUS] = { "cpus", "each CPU as one cell, and how busy all are" },
	[HEADER_BARS] = { "bars",
		"each CPU as a bar with numbers; from 64 on a line for each NUMA node" },
	[HEADER_LINE] = { "line", "the line of time: how busy the machine was" },
};

#define TIME(member) offsetof(struct snapshot_head, member)

const struct header_time header_times[HEADER_TIME_COUNT] = {
	{ "us", "percent of CPU time in programs (user)", TIME(user), false },
	{ "sy", "percent of CPU time in the kernel (system)", TIME(system), false },
	{ "si", "percent of CPU time in soft interrupts", TIME(softirq), false },
	{ "id", "percent of CPU time in which there was nothing to do (idle)", TIME(idle), false },
	{ "wa", "percent of CPU time in which tasks waited for I/O, and nothing else was to do", TIME(iowait), false },
	{ "st", "percent of CPU time that the host gave to others (stolen)", TIME(steal), true },
};

bool
header_parts_read(const char *text, unsigned *parts)
{
	unsigned set = 0;

	while (*(text += strspn(text, " ,")) != '\0') {
		size_t len = strcspn(text, " ,");
		int i = 0;

		while (i < HEADER_PARTS && (strlen(header_parts[i].name) != len ||
					    strncmp(header_parts[i].name, text, len) != 0))
			i++;
		if (i == HEADER_PARTS)
			return false;
		set |= HEADER_BIT(i);
		text += len;
	}
	*parts = set;
	return true;
}

void
header_parts_put(struct buf *b, unsigned parts)
{
	size_t begin = b->len;

	for (int i = 0; i < HEADER_PARTS; i++)
		if (parts & HEADER_BIT(i))
			buf_addf(b, "%s%s", b->len > begin ? " " : "", header_parts[i].name);
}
