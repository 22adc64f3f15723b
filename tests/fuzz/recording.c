/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording.h"

#include "base/buf.h"
#include "datafile/datafile.h"
#include "record/put.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void
take(struct datafile *f, struct bytes bytes, struct buf *b)
{
	const struct record_layouts *layouts = datafile_layouts(f);
	const struct record_layout none = { 0 }, *layout = &none;
	uint32_t event = UINT32_MAX;
	struct record rec;

	if (layouts->len > 0 && record_type(bytes) < RECORD_USER_TYPE_FIRST)
		event = record_layouts_event(layouts, bytes);
	if (event != UINT32_MAX)
		layout = &layouts->items[event];
	if (record_decode(layout, bytes, &rec) >= 0)
		record_put(b, layout, &rec);
	buf_reset(b);
}

void
recording_read(const uint8_t *data, size_t size)
{
	int fd = memfd_create("recording", 0);
	struct datafile *f = NULL;
	struct buf b = { 0 };
	struct bytes bytes;
	struct err err;
	uint64_t time_ns;
	char path[64];
	uint8_t id[20];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		f = datafile_open(path, &err);
	while (f != NULL && datafile_next(f, &bytes, &time_ns, &err) == 1)
		take(f, bytes, &b);
	if (f != NULL)
		datafile_build_id(f, "[kernel.kallsyms]", id);
	datafile_close(f);
	buf_release(&b);
	close(fd);
}
