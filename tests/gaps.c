/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/gaps.h"

#include <stdio.h>

#include "base/buf.h"
#include "core_fixture.h"
#include "datafile/writer.h"
#include "record/encode.h"

enum { EVENT_ID = 7 };

static void
put_sample(struct buf *b, uint32_t pid, uint64_t time_ns)
{
	const struct record_id id = { .pid = pid, .tid = pid, .id = EVENT_ID, .time_ns = time_ns };
	const struct record_sample s = { .ip = 0x1000, .period = 1 };
	struct bytes bytes;
	struct maker m;

	bytes = make_sample(&m, &live_layout, PERF_RECORD_MISC_USER, &id, &s);
	buf_add(b, bytes.data, bytes.len);
}

/* What has happened when its last sample has come. */
static void
put_end(struct buf *b, const struct gaps_part *part)
{
	const uint64_t at_ns = part->first_ns + (part->samples - 1) * part->step_ns + 1;
	const struct record_id id = { .pid = part->pid, .tid = part->pid, .id = EVENT_ID, .time_ns = at_ns };
	const struct record_task task = { part->pid, 1, part->pid, 1, at_ns };
	struct bytes bytes[3];
	struct maker m[3];
	char comm[16];

	snprintf(comm, sizeof(comm), "q%u", part->pid);
	bytes[0] = make_comm(&m[0], part->pid, part->pid, comm, true, &id);
	bytes[1] = make_task(&m[1], PERF_RECORD_EXIT, &task, &id);
	make_begin(&m[2], &live_layout, PERF_RECORD_LOST, 0);
	make_u64(&m[2], EVENT_ID);
	make_u64(&m[2], part->lost);
	bytes[2] = make_end(&m[2], &id);
	if (part->execs)
		buf_add(b, bytes[0].data, bytes[0].len);
	if (part->ends)
		buf_add(b, bytes[1].data, bytes[1].len);
	if (part->lost > 0)
		buf_add(b, bytes[2].data, bytes[2].len);
}

static bool
put_part(struct writer *w, const struct gaps_part *part)
{
	struct err err = { 0 };
	struct buf b = { 0 };
	int res = 0;

	for (unsigned i = 0; i < part->samples; i++)
		put_sample(&b, part->pid, part->first_ns + i * part->step_ns);
	if (part->samples > 0)
		put_end(&b, part);
	if (b.len > 0)
		res = writer_put(w, b.data, b.len, &err);
	if (res == 0 && part->ends_round)
		res = writer_round(w, &err);
	buf_release(&b);
	return res == 0;
}

void
gaps_write(const char *path, const struct gaps_part *parts, size_t count)
{
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
				   .sample_type = LIVE_TYPE, .sample_id_all = 1, .sample_period = 1 };
	const struct writer_info info = { .hostname = "another.machine" };
	struct writer *w = writer_new(path, true, NULL);
	struct buf b = { 0 };
	char comm[16];
	bool is_good = w != NULL;

	if (!is_good)
		abort();
	writer_event(w, "cpu-clock", &attr);
	writer_id(w, 0, EVENT_ID);
	for (size_t i = 0; i < count; i++) {
		snprintf(comm, sizeof(comm), "p%u", parts[i].pid);
		if (parts[i].name != NULL)
			snprintf(comm, sizeof(comm), "%s", parts[i].name);
		record_encode_comm(&b, &live_layout, (int)parts[i].pid, (int)parts[i].pid, comm);
	}
	is_good = writer_put(w, b.data, b.len, NULL) == 0;
	buf_release(&b);
	for (size_t i = 0; i < count; i++)
		is_good = is_good && put_part(w, &parts[i]);
	if (writer_close(w, &info, 0, 0, NULL) < 0 || !is_good)
		abort();
}
