/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_SYS_H
#define PTOP_LIVE_SYS_SYS_H
/*
 * What the kernel is asked for, as a table of functions, so that tests can answer in its place.
 * Any thread.  All return -1 with errno on failure.
 */
#include "record/abi.h"

struct sys {
	/* A descriptor; on E2BIG the kernel's size of @attr is in @attr->size. */
	int (*open)(const struct sys *self, struct event_attr *attr, int pid, int cpu);
	int (*set_output)(const struct sys *self, int fd, int owner_fd);
	int (*id)(const struct sys *self, int fd, uint64_t *id);
	int (*enable)(const struct sys *self, int fd);
	int (*disable)(const struct sys *self, int fd);
	/*
	 * The AUX area of the event @fd, at @offset of what its ring's owner has mapped; to be read
	 * only, so that the PMU writes it over and over.  MAP_FAILED: it has none.
	 */
	void *(*map_aux)(const struct sys *self, int fd, size_t len, uint64_t offset);
	/* Nothing is written into the ring that @fd owns, or it is again. */
	int (*pause_output)(const struct sys *self, int fd, bool is_paused);
	int (*set_period)(const struct sys *self, int fd, uint64_t value);
	int (*set_filter)(const struct sys *self, int fd, const char *filter);
	/* Counter values in the layout of the event's read_format; bytes read. */
	int (*read)(const struct sys *self, int fd, uint64_t *values, size_t count);
	/* The programs on the tracepoint of @fd into @ids, of @max; how many there are. */
	int (*query_bpf)(const struct sys *self, int fd, uint32_t *ids, size_t max);
	/* As open, into the group that @leader_fd leads. */
	int (*open_in)(const struct sys *self, struct event_attr *attr, int pid, int cpu,
		       int leader_fd);
	/* As open, for the tasks of the control group whose directory is @cgroup_fd. */
	int (*open_cgroup)(const struct sys *self, struct event_attr *attr, int cgroup_fd, int cpu);
};

extern const struct sys sys_kernel;

#endif
