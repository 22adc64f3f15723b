/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/mock_sys.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
mock_sys_open(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	/* The mock is made by the test, and not constant. */
	struct mock_sys *m = (struct mock_sys *)(uintptr_t)self;
	int fd, why = m->refuse != NULL ? m->refuse(attr, pid, cpu) : 0;

	m->calls++;
	m->last = *attr;
	if (m->size != 0 && attr->size > m->size) {
		attr->size = m->size;
		why = E2BIG;
	}
	if (why != 0) {
		errno = why;
		return -1;
	}
	m->opened++;
	if (!m->makes_files)
		return MOCK_FD;
	fd = memfd_create("event", MFD_CLOEXEC);
	return fd >= 0 && ftruncate(fd, MOCK_RING_BYTES) == 0 ? fd : -1;
}

static int
do_nothing(const struct sys *self, int fd)
{
	(void)self;
	(void)fd;
	return 0;
}

static int
set_output(const struct sys *self, int fd, int owner)
{
	(void)self;
	return fd >= 0 && owner >= 0 ? 0 : -1;
}

static int
id_of(const struct sys *self, int fd, uint64_t *id)
{
	(void)self;
	*id = (uint64_t)fd;
	return 0;
}

static int
pause_output(const struct sys *self, int fd, bool is_paused)
{
	(void)self;
	(void)is_paused;
	return fd >= 0 ? 0 : -1;
}

static int
set_period(const struct sys *self, int fd, uint64_t value)
{
	(void)self;
	return fd >= 0 && value > 0 ? 0 : -1;
}

static int
set_filter(const struct sys *self, int fd, const char *filter)
{
	(void)self;
	(void)fd;
	errno = EINVAL;
	return strstr(filter, "no_such") != NULL ? -1 : 0;
}

static int
read_values(const struct sys *self, int fd, uint64_t *values, size_t count)
{
	(void)self;
	(void)fd;
	for (size_t i = 0; i < count; i++)
		values[i] = 7;
	return (int)(count * sizeof(*values));
}

void
mock_sys_init(struct mock_sys *m)
{
	m->sys = (struct sys){ .open = mock_sys_open, .set_output = set_output, .id = id_of,
			       .enable = do_nothing, .disable = do_nothing,
			       .pause_output = pause_output, .set_period = set_period, .set_filter = set_filter,
			       .read = read_values };
}
