/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "live/sys/procfs.h"

enum {
	CPUS_MAX = 8192, /* the kernel's own limit is NR_CPUS */
	TEXT_MAX = 8 << 20, /* /proc/stat has a number for each interrupt */
	LINE_LEAST = 12,    /* "cpu0 1 2 3 4" */
	MEMINFO_MAX = 64 << 10,
};

static float
share(uint64_t part, uint64_t sum)
{
	return (float)(100.0 * (double)part / (double)sum);
}

/* False if not one tick has passed: idle and iowait can stand still or step back. */
static bool
shares_between(const struct procfs_cpu *old, const struct procfs_cpu *new, struct proc_cpu *out)
{
	uint64_t d[PROCFS_CPU_TIMES], sum = 0;

	for (size_t i = 0; i < PROCFS_CPU_TIMES; i++) {
		d[i] = new->ticks[i] > old->ticks[i] ? new->ticks[i] - old->ticks[i] : 0;
		sum += d[i];
	}
	if (sum == 0)
		return false;
	*out = (struct proc_cpu){
		.cpu = new->cpu,
		.user = share(d[PROCFS_USER] + d[PROCFS_NICE], sum),
		.system = share(d[PROCFS_SYSTEM] + d[PROCFS_IRQ], sum),
		.softirq = share(d[PROCFS_SOFTIRQ], sum),
		.idle = share(d[PROCFS_IDLE], sum),
		.iowait = share(d[PROCFS_IOWAIT], sum),
		.steal = share(d[PROCFS_STEAL], sum),
	};
	return true;
}

/* A CPU that just came on line has no past: it counts as idle.  One without a tick stays as is. */
static void
shares_of(const struct proc_machine *m, size_t *at, const struct procfs_cpu *new,
	  struct proc_cpu *out)
{
	*out = (struct proc_cpu){ .cpu = new->cpu, .idle = 100 };
	while (*at < m->cpu_count && m->cpus[*at].cpu < new->cpu)
		(*at)++;
	if (*at == m->cpu_count || m->cpus[*at].cpu != new->cpu)
		return;
	if (!shares_between(&m->cpus[*at], new, out) && m->have_shares)
		*out = m->shares[*at];
}

static void
take_counters(struct proc_machine *m, const struct procfs_cpu *all, struct procfs_cpu *cpus,
	      size_t count)
{
	struct proc_cpu *shares = mem_calloc(count, sizeof(*shares));
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		shares_of(m, &at, &cpus[i], &shares[i]);
	if (m->have_counters && shares_between(&m->all, all, &m->all_shares))
		m->have_shares = true;
	free(m->cpus);
	free(m->shares);
	m->all = *all;
	m->cpus = cpus;
	m->shares = shares;
	m->cpu_count = count;
	m->have_counters = true;
}

static void
read_cpus(struct proc_machine *m, int proc_fd)
{
	struct procfs_cpu all, *cpus;
	size_t most, count;

	buf_reset(&m->text);
	if (file_read_kept(&m->stat, proc_fd, "stat", &m->text, TEXT_MAX) != 0)
		return;
	/* Room for all that it can name, not for all that a machine can have. */
	most = MIN(m->text.len / LINE_LEAST, CPUS_MAX);
	cpus = mem_calloc(MAX(most, 1), sizeof(*cpus));
	if (!procfs_cpus(buf_str(&m->text), m->text.len, &all, cpus, most, &count)) {
		free(cpus);
		return;
	}
	cpus = mem_realloc(cpus, MAX(count, 1), sizeof(*cpus));
	take_counters(m, &all, cpus, count);
}

/* Kernels without CONFIG_PSI, or with psi=0, have no such files. */
static void
read_pressures(struct proc_machine *m, int proc_fd)
{
	static const char *const names[PROC_PRESSURES] = {
		[PROC_PRESSURE_CPU] = "pressure/cpu", [PROC_PRESSURE_MEMORY] = "pressure/memory",
		[PROC_PRESSURE_IO] = "pressure/io",
	};

	for (int i = 0; i < PROC_PRESSURES; i++) {
		buf_reset(&m->text);
		if (file_read_kept(&m->pressures[i], proc_fd, names[i], &m->text, PROC_FILE_SMALL) != 0 ||
		    !procfs_pressure(buf_str(&m->text), m->text.len, &m->pressure[i]))
			m->pressure[i] = NAN;
	}
}

static void
read_memory(struct proc_machine *m, int proc_fd)
{
	struct procfs_memory memory;

	buf_reset(&m->text);
	if (file_read_kept(&m->meminfo, proc_fd, "meminfo", &m->text, MEMINFO_MAX) == 0 &&
	    procfs_meminfo(buf_str(&m->text), m->text.len, &memory))
		m->memory = memory;
}

void
proc_machine_read(struct proc_machine *m, int proc_fd)
{
	struct procfs_loadavg loadavg;
	struct buf *b = &m->text;
	uint64_t s;

	read_cpus(m, proc_fd);
	buf_reset(b);
	if (file_read_kept(&m->load, proc_fd, "loadavg", b, PROC_FILE_SMALL) == 0 &&
	    procfs_loadavg(buf_str(b), b->len, &loadavg))
		m->loadavg = loadavg;
	buf_reset(b);
	if (file_read_kept(&m->uptime, proc_fd, "uptime", b, PROC_FILE_SMALL) == 0 &&
	    procfs_uptime(buf_str(b), b->len, &s))
		m->uptime_s = s;
	read_memory(m, proc_fd);
	read_pressures(m, proc_fd);
}

void
proc_machine_put(const struct proc_machine *m, struct proc_tick_msg *msg)
{
	struct utsname u;

	if (uname(&u) == 0)
		memcpy(msg->host, u.nodename, strnlen(u.nodename, sizeof(msg->host) - 1));
	memcpy(msg->load, m->loadavg.load, sizeof(msg->load));
	msg->running = m->loadavg.running;
	msg->tasks = m->loadavg.tasks;
	msg->uptime_s = m->uptime_s;
	msg->memory_total = m->memory.total;
	msg->memory_available = m->memory.available;
	msg->swap_total = m->memory.swap_total;
	msg->swap_free = m->memory.swap_free;
	memcpy(msg->pressure, m->pressure, sizeof(msg->pressure));
	msg->have_shares = m->have_shares;
	msg->cpu_count = m->cpu_count;
	msg->cpus = mem_calloc(MAX(m->cpu_count, 1), sizeof(*msg->cpus));
	for (size_t i = 0; i < m->cpu_count; i++)
		msg->cpus[i] = m->have_shares ? m->shares[i] :
						(struct proc_cpu){ .cpu = m->cpus[i].cpu };
	msg->all = m->all_shares;
}

void
proc_machine_release(struct proc_machine *m)
{
	free(m->cpus);
	free(m->shares);
	file_close_kept(&m->stat);
	file_close_kept(&m->load);
	file_close_kept(&m->uptime);
	file_close_kept(&m->meminfo);
	for (int i = 0; i < PROC_PRESSURES; i++)
		file_close_kept(&m->pressures[i]);
	buf_release(&m->text);
	*m = (struct proc_machine){ 0 };
}
