/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "record/put_impl.h"

#include <inttypes.h>

static void
put_text(struct buf *b, const struct record_layout *layout, const void *at)
{
	const char *text = *(const char *const *)at;

	(void)layout;
	buf_add_char(b, '"');
	text_add_safe(b, text, strlen(text));
	buf_add_char(b, '"');
}

static void
put_flag(struct buf *b, const struct record_layout *layout, const void *at)
{
	(void)layout;
	buf_add_char(b, *(const bool *)at ? '1' : '0');
}

static void
put_payload(struct buf *b, const struct record_layout *layout, const void *at)
{
	(void)layout;
	buf_addf(b, "%zu", ((const struct bytes *)at)->len);
}

/* A file by its device and inode, or by its build-id. */
static void
put_file(struct buf *b, const struct record_layout *layout, const void *at)
{
	const struct record_mmap *m = at;
	struct bytes id = { m->build_id, m->build_id_len };

	if (!m->has_build_id) {
		buf_addf(b, "%x:%x:%" PRIu64 ":%" PRIu64, m->maj, m->min, m->ino,
			 m->ino_generation);
		return;
	}
	buf_add_str(b, "build-id:");
	put_hex_bytes(b, layout, &id);
}

/* As nsfs names them: device:inode, in the order of /proc/PID/ns that the ABI has. */
static void
put_links(struct buf *b, const struct record_layout *layout, const void *at)
{
	const struct record_namespaces *n = at;

	(void)layout;
	buf_add_char(b, '[');
	for (uint64_t i = 0; i < n->len; i++)
		buf_addf(b, "%s0x%" PRIx64 ":%" PRIu64, i > 0 ? " " : "", n->links[2 * i],
			 n->links[2 * i + 1]);
	buf_add_char(b, ']');
}

static void
put_tag(struct buf *b, const struct record_layout *layout, const void *at)
{
	put_hex_bytes(b, layout, &(struct bytes){ *(const uint8_t *const *)at, 8 });
}

static void
put_deferred_chain(struct buf *b, const struct record_layout *layout, const void *at)
{
	const struct record_callchain_deferred *c = at;

	(void)layout;
	put_chain_words(b, c->chain, c->chain_len);
}

/* What a record tells of itself. */
static const struct put_field id_fields[] = {
	{ "pid", PERF_SAMPLE_TID, put_pid, PUT_AT(id.pid) },
	{ "tid", PERF_SAMPLE_TID, put_pid, PUT_AT(id.tid) },
	{ "time", PERF_SAMPLE_TIME, put_time, PUT_AT(id.time_ns) },
	{ "cpu", PERF_SAMPLE_CPU, put_dec32, PUT_AT(id.cpu) },
	{ "id", PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, put_dec64, PUT_AT(id.id) },
	{ "stream_id", PERF_SAMPLE_STREAM_ID, put_dec64, PUT_AT(id.stream_id) },
	{ 0 },
};

#define ALWAYS(name, put, member) { name, 0, put, PUT_AT(member) }

static const struct put_field mmap_fields[] = {
	ALWAYS("mmap_pid", put_pid, mmap.pid),
	ALWAYS("mmap_tid", put_pid, mmap.tid),
	ALWAYS("start", put_hex64, mmap.start),
	ALWAYS("len", put_hex64, mmap.len),
	ALWAYS("pgoff", put_hex64, mmap.pgoff),
	ALWAYS("name", put_text, mmap.name),
	{ 0 },
};

static const struct put_field mmap2_fields[] = {
	ALWAYS("mmap_pid", put_pid, mmap.pid),
	ALWAYS("mmap_tid", put_pid, mmap.tid),
	ALWAYS("start", put_hex64, mmap.start),
	ALWAYS("len", put_hex64, mmap.len),
	ALWAYS("pgoff", put_hex64, mmap.pgoff),
	ALWAYS("file", put_file, mmap),
	ALWAYS("prot", put_hex32, mmap.prot),
	ALWAYS("flags", put_hex32, mmap.flags),
	ALWAYS("name", put_text, mmap.name),
	{ 0 },
};

static const struct put_field comm_fields[] = {
	ALWAYS("comm_pid", put_pid, comm.pid),
	ALWAYS("comm_tid", put_pid, comm.tid),
	ALWAYS("exec", put_flag, comm.is_exec),
	ALWAYS("comm", put_text, comm.comm),
	{ 0 },
};

static const struct put_field task_fields[] = {
	ALWAYS("task_pid", put_pid, task.pid),
	ALWAYS("ppid", put_pid, task.ppid),
	ALWAYS("task_tid", put_pid, task.tid),
	ALWAYS("ptid", put_pid, task.ptid),
	ALWAYS("task_time", put_time, task.time_ns),
	{ 0 },
};

static const struct put_field lost_fields[] = {
	ALWAYS("lost_id", put_dec64, lost.id),
	ALWAYS("lost", put_dec64, lost.lost),
	{ 0 },
};

static const struct put_field lost_samples_fields[] = {
	ALWAYS("lost", put_dec64, lost.lost),
	{ 0 },
};

static const struct put_field throttle_fields[] = {
	ALWAYS("throttle_time", put_time, throttle.time_ns),
	ALWAYS("throttle_id", put_dec64, throttle.id),
	ALWAYS("throttle_stream_id", put_dec64, throttle.stream_id),
	{ 0 },
};

static const struct put_field read_fields[] = {
	ALWAYS("read_pid", put_pid, read.pid),
	ALWAYS("read_tid", put_pid, read.tid),
	ALWAYS("read", put_read, read.values),
	{ 0 },
};

static const struct put_field aux_fields[] = {
	ALWAYS("aux_offset", put_hex64, aux.offset),
	ALWAYS("aux_size", put_hex64, aux.size),
	ALWAYS("flags", put_hex64, aux.flags),
	{ 0 },
};

static const struct put_field itrace_start_fields[] = {
	ALWAYS("itrace_pid", put_pid, itrace_start.pid),
	ALWAYS("itrace_tid", put_pid, itrace_start.tid),
	{ 0 },
};

static const struct put_field switch_fields[] = {
	ALWAYS("out", put_flag, cpu_switch.is_out),
	ALWAYS("preempt", put_flag, cpu_switch.is_preempt),
	{ 0 },
};

static const struct put_field switch_cpu_wide_fields[] = {
	ALWAYS("out", put_flag, cpu_switch.is_out),
	ALWAYS("preempt", put_flag, cpu_switch.is_preempt),
	ALWAYS("next_prev_pid", put_pid, cpu_switch.next_prev_pid),
	ALWAYS("next_prev_tid", put_pid, cpu_switch.next_prev_tid),
	{ 0 },
};

static const struct put_field namespaces_fields[] = {
	ALWAYS("ns_pid", put_pid, namespaces.pid),
	ALWAYS("ns_tid", put_pid, namespaces.tid),
	ALWAYS("namespaces", put_links, namespaces),
	{ 0 },
};

static const struct put_field ksymbol_fields[] = {
	ALWAYS("addr", put_hex64, ksymbol.addr),
	ALWAYS("len", put_dec32, ksymbol.len),
	ALWAYS("ksym_type", put_dec16, ksymbol.kind),
	ALWAYS("flags", put_hex16, ksymbol.flags),
	ALWAYS("name", put_text, ksymbol.name),
	{ 0 },
};

static const struct put_field bpf_event_fields[] = {
	ALWAYS("bpf_type", put_dec16, bpf_event.type),
	ALWAYS("flags", put_hex16, bpf_event.flags),
	ALWAYS("bpf_id", put_dec32, bpf_event.id),
	ALWAYS("tag", put_tag, bpf_event.tag),
	{ 0 },
};

static const struct put_field cgroup_fields[] = {
	ALWAYS("cgroup_id", put_dec64, cgroup.id),
	ALWAYS("path", put_text, cgroup.path),
	{ 0 },
};

static const struct put_field text_poke_fields[] = {
	ALWAYS("addr", put_hex64, text_poke.addr),
	ALWAYS("old", put_hex_bytes, text_poke.old_bytes),
	ALWAYS("new", put_hex_bytes, text_poke.new_bytes),
	{ 0 },
};

static const struct put_field aux_output_hw_id_fields[] = {
	ALWAYS("hw_id", put_hex64, aux_output_hw_id.hw_id),
	{ 0 },
};

static const struct put_field callchain_deferred_fields[] = {
	ALWAYS("cookie", put_hex64, callchain_deferred.cookie),
	ALWAYS("chain", put_deferred_chain, callchain_deferred),
	{ 0 },
};

static const struct put_field payload_fields[] = {
	ALWAYS("payload", put_payload, payload),
	{ 0 },
};

static const struct put_field *const fields_of[] = {
	[PERF_RECORD_MMAP] = mmap_fields,
	[PERF_RECORD_LOST] = lost_fields,
	[PERF_RECORD_COMM] = comm_fields,
	[PERF_RECORD_EXIT] = task_fields,
	[PERF_RECORD_THROTTLE] = throttle_fields,
	[PERF_RECORD_UNTHROTTLE] = throttle_fields,
	[PERF_RECORD_FORK] = task_fields,
	[PERF_RECORD_READ] = read_fields,
	[PERF_RECORD_SAMPLE] = record_put_sample_fields,
	[PERF_RECORD_MMAP2] = mmap2_fields,
	[PERF_RECORD_AUX] = aux_fields,
	[PERF_RECORD_ITRACE_START] = itrace_start_fields,
	[PERF_RECORD_LOST_SAMPLES] = lost_samples_fields,
	[PERF_RECORD_SWITCH] = switch_fields,
	[PERF_RECORD_SWITCH_CPU_WIDE] = switch_cpu_wide_fields,
	[PERF_RECORD_NAMESPACES] = namespaces_fields,
	[ABI_RECORD_KSYMBOL] = ksymbol_fields,
	[ABI_RECORD_BPF_EVENT] = bpf_event_fields,
	[ABI_RECORD_CGROUP] = cgroup_fields,
	[ABI_RECORD_TEXT_POKE] = text_poke_fields,
	[ABI_RECORD_AUX_OUTPUT_HW_ID] = aux_output_hw_id_fields,
	[ABI_RECORD_CALLCHAIN_DEFERRED] = callchain_deferred_fields,
};

static void
put_fields(struct buf *b, const struct put_field *f, const struct record_layout *layout,
	   const struct record *rec)
{
	for (; f->name != NULL; f++) {
		if (f->bits != 0 && !(f->bits & layout->sample_type))
			continue;
		buf_addf(b, " %s=", f->name);
		f->put(b, layout, (const char *)rec + f->at);
	}
}

void
record_put(struct buf *b, const struct record_layout *layout, const struct record *rec)
{
	bool is_perfs = rec->type >= RECORD_USER_TYPE_FIRST;
	bool has_id = rec->type == PERF_RECORD_SAMPLE || (layout->sample_id_all && !is_perfs);
	const char *name = record_type_name(rec->type);

	buf_add_str(b, name);
	if (strcmp(name, "unknown") == 0)
		buf_addf(b, " type=%" PRIu32, rec->type);
	buf_addf(b, " misc=0x%x", rec->misc);
	if (has_id)
		put_fields(b, id_fields, layout, rec);
	if (is_perfs)
		put_fields(b, payload_fields, layout, rec);
	else if (rec->type < ARRAY_SIZE(fields_of) && fields_of[rec->type] != NULL)
		put_fields(b, fields_of[rec->type], layout, rec);
}
