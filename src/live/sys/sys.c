/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
kernel_open(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	(void)self;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int
kernel_open_in(const struct sys *self, struct event_attr *attr, int pid, int cpu, int leader_fd)
{
	(void)self;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader_fd,
			    PERF_FLAG_FD_CLOEXEC);
}

static int
kernel_open_cgroup(const struct sys *self, struct event_attr *attr, int cgroup_fd, int cpu)
{
	(void)self;
	return (int)syscall(SYS_perf_event_open, attr, cgroup_fd, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
}

static int
kernel_set_output(const struct sys *self, int fd, int owner_fd)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner_fd);
}

static int
kernel_id(const struct sys *self, int fd, uint64_t *id)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_ID, id);
}

static int
kernel_enable(const struct sys *self, int fd)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int
kernel_disable(const struct sys *self, int fd)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void *
kernel_map_aux(const struct sys *self, int fd, size_t len, uint64_t offset)
{
	(void)self;
	return mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)offset);
}

static int
kernel_pause_output(const struct sys *self, int fd, bool is_paused)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, (unsigned long)is_paused);
}

static int
kernel_set_period(const struct sys *self, int fd, uint64_t value)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);
}

static int
kernel_set_filter(const struct sys *self, int fd, const char *filter)
{
	(void)self;
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
}

static int
kernel_read(const struct sys *self, int fd, uint64_t *values, size_t count)
{
	ssize_t n;

	(void)self;
	do {
		n = read(fd, values, count * sizeof(*values));
	} while (n < 0 && errno == EINTR);
	return (int)n;
}

static int
kernel_query_bpf(const struct sys *self, int fd, uint32_t *ids, size_t max)
{
	/* struct perf_event_query_bpf: ids_len, prog_cnt, ids. */
	uint32_t *query = mem_calloc(2 + max, sizeof(*query));
	int res;

	(void)self;
	query[0] = (uint32_t)max;
	res = ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, query);
	if (res == 0) {
		res = (int)MIN(query[1], (uint32_t)max);
		memcpy(ids, query + 2, (size_t)res * sizeof(*ids));
	}
	free(query);
	return res;
}

const struct sys sys_kernel = {
	.open = kernel_open,
	.set_output = kernel_set_output,
	.id = kernel_id,
	.enable = kernel_enable,
	.disable = kernel_disable,
	.map_aux = kernel_map_aux,
	.pause_output = kernel_pause_output,
	.set_period = kernel_set_period,
	.set_filter = kernel_set_filter,
	.read = kernel_read,
	.query_bpf = kernel_query_bpf,
	.open_in = kernel_open_in,
	.open_cgroup = kernel_open_cgroup,
};
