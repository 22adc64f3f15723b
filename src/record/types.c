/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/types.h"
#include "record/put_words.h"
#include "record/put.h"

#include <inttypes.h>

enum { BUILD_ID_MAX = 20, BPF_TAG_BYTES = 8, DEV_INODE_WORDS = 2 };

/* What needs more than to be copied. */

static void
read_exec(struct reader *r, struct record *rec)
{
	(void)r;
	rec->comm.is_exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void
read_switch(struct reader *r, struct record *rec)
{
	struct record_switch *s = &rec->cpu_switch;

	(void)r;
	s->is_out = rec->misc & ABI_MISC_SWITCH_OUT;
	s->is_preempt = s->is_out && rec->misc & ABI_MISC_SWITCH_OUT_PREEMPT;
}

/* In place of the device and inode; a size that is too large means none. */
static void
read_build_id(struct reader *r, struct record_mmap *m)
{
	const uint8_t *head = reader_bytes(r, 4), *id = reader_bytes(r, BUILD_ID_MAX);

	m->has_build_id = true;
	if (id == NULL || head[0] == 0 || head[0] > BUILD_ID_MAX)
		return;
	m->build_id_len = head[0];
	m->build_id = id;
}

static void
read_file(struct reader *r, struct record *rec)
{
	struct record_mmap *m = &rec->mmap;

	m->is_mmap2 = true;
	if (rec->misc & ABI_MISC_MMAP_BUILD_ID) {
		read_build_id(r, m);
		return;
	}
	m->maj = reader_u32(r);
	m->min = reader_u32(r);
	m->ino = reader_u64(r);
	m->ino_generation = reader_u64(r);
}

static void
read_links(struct reader *r, struct record *rec)
{
	rec->namespaces.len = reader_u64(r);
	rec->namespaces.links = record_counted(r, &rec->namespaces.len, DEV_INODE_WORDS);
}

static void
read_tag(struct reader *r, struct record *rec)
{
	rec->bpf_event.tag = reader_bytes(r, BPF_TAG_BYTES);
}

static void
read_poked_bytes(struct reader *r, struct record *rec)
{
	size_t old_len = reader_u16(r), new_len = reader_u16(r);

	rec->text_poke.old_bytes = (struct bytes){ reader_bytes(r, old_len), old_len };
	rec->text_poke.new_bytes = (struct bytes){ reader_bytes(r, new_len), new_len };
}

static void
read_deferred_chain(struct reader *r, struct record *rec)
{
	rec->callchain_deferred.chain_len = reader_u64(r);
	rec->callchain_deferred.chain = record_counted(r, &rec->callchain_deferred.chain_len, 1);
}

/* A file by its device and inode, or by its build-id. */
static void
put_file(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_mmap *m = member;
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
put_links(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_namespaces *n = member;

	(void)layout;
	buf_add_char(b, '[');
	for (uint64_t i = 0; i < n->len; i++)
		buf_addf(b, "%s0x%" PRIx64 ":%" PRIu64, i > 0 ? " " : "", n->links[2 * i],
			 n->links[2 * i + 1]);
	buf_add_char(b, ']');
}

static void
put_tag(struct buf *b, const struct record_layout *layout, const void *member)
{
	put_hex_bytes(b, layout, &(struct bytes){ *(const uint8_t *const *)member, BPF_TAG_BYTES });
}

static void
put_deferred_chain(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_callchain_deferred *c = member;

	(void)layout;
	put_chain_words(b, c->chain, c->chain_len);
}

#define FIELD(name, kind, put, member) \
	{ name, 0, put, offsetof(struct record, member), FIELD_##kind, NULL }
#define OWN(name, put, member, read) \
	{ name, 0, put, offsetof(struct record, member), FIELD_OWN, read }

static const struct record_field mmap_fields[] = {
	FIELD("mmap_pid", U32, put_pid, mmap.pid),
	FIELD("mmap_tid", U32, put_pid, mmap.tid),
	FIELD("start", U64, put_hex64, mmap.start),
	FIELD("len", U64, put_hex64, mmap.len),
	FIELD("pgoff", U64, put_hex64, mmap.pgoff),
	FIELD("name", STRING, put_text, mmap.name),
	{ 0 },
};

static const struct record_field mmap2_fields[] = {
	FIELD("mmap_pid", U32, put_pid, mmap.pid),
	FIELD("mmap_tid", U32, put_pid, mmap.tid),
	FIELD("start", U64, put_hex64, mmap.start),
	FIELD("len", U64, put_hex64, mmap.len),
	FIELD("pgoff", U64, put_hex64, mmap.pgoff),
	OWN("file", put_file, mmap, read_file),
	FIELD("prot", U32, put_hex32, mmap.prot),
	FIELD("flags", U32, put_hex32, mmap.flags),
	FIELD("name", STRING, put_text, mmap.name),
	{ 0 },
};

static const struct record_field comm_fields[] = {
	FIELD("comm_pid", U32, put_pid, comm.pid),
	FIELD("comm_tid", U32, put_pid, comm.tid),
	OWN("exec", put_flag, comm.is_exec, read_exec),
	FIELD("comm", STRING, put_text, comm.comm),
	{ 0 },
};

static const struct record_field task_fields[] = {
	FIELD("task_pid", U32, put_pid, task.pid),
	FIELD("ppid", U32, put_pid, task.ppid),
	FIELD("task_tid", U32, put_pid, task.tid),
	FIELD("ptid", U32, put_pid, task.ptid),
	FIELD("task_time", U64, put_time, task.time_ns),
	{ 0 },
};

static const struct record_field lost_fields[] = {
	FIELD("lost_id", U64, put_dec64, lost.id),
	FIELD("lost", U64, put_dec64, lost.lost),
	{ 0 },
};

static const struct record_field lost_samples_fields[] = {
	FIELD("lost", U64, put_dec64, lost.lost),
	{ 0 },
};

static const struct record_field throttle_fields[] = {
	FIELD("throttle_time", U64, put_time, throttle.time_ns),
	FIELD("throttle_id", U64, put_dec64, throttle.id),
	FIELD("throttle_stream_id", U64, put_dec64, throttle.stream_id),
	{ 0 },
};

static const struct record_field read_fields[] = {
	FIELD("read_pid", U32, put_pid, read.pid),
	FIELD("read_tid", U32, put_pid, read.tid),
	FIELD("read", READ, put_read, read.values),
	{ 0 },
};

static const struct record_field aux_fields[] = {
	FIELD("aux_offset", U64, put_hex64, aux.offset),
	FIELD("aux_size", U64, put_hex64, aux.size),
	FIELD("flags", U64, put_aux_flags, aux.flags),
	{ 0 },
};

static const struct record_field itrace_start_fields[] = {
	FIELD("itrace_pid", U32, put_pid, itrace_start.pid),
	FIELD("itrace_tid", U32, put_pid, itrace_start.tid),
	{ 0 },
};

static const struct record_field switch_fields[] = {
	OWN("out", put_flag, cpu_switch.is_out, read_switch),
	FIELD("preempt", NONE, put_flag, cpu_switch.is_preempt),
	{ 0 },
};

static const struct record_field switch_cpu_wide_fields[] = {
	OWN("out", put_flag, cpu_switch.is_out, read_switch),
	FIELD("preempt", NONE, put_flag, cpu_switch.is_preempt),
	FIELD("next_prev_pid", U32, put_pid, cpu_switch.next_prev_pid),
	FIELD("next_prev_tid", U32, put_pid, cpu_switch.next_prev_tid),
	{ 0 },
};

static const struct record_field namespaces_fields[] = {
	FIELD("ns_pid", U32, put_pid, namespaces.pid),
	FIELD("ns_tid", U32, put_pid, namespaces.tid),
	OWN("namespaces", put_links, namespaces, read_links),
	{ 0 },
};

static const struct record_field ksymbol_fields[] = {
	FIELD("addr", U64, put_hex64, ksymbol.addr),
	FIELD("len", U32, put_dec32, ksymbol.len),
	FIELD("ksym_type", U16, put_ksym_type, ksymbol.kind),
	FIELD("flags", U16, put_ksym_flags, ksymbol.flags),
	FIELD("name", STRING, put_text, ksymbol.name),
	{ 0 },
};

static const struct record_field bpf_event_fields[] = {
	FIELD("bpf_type", U16, put_bpf_type, bpf_event.type),
	FIELD("flags", U16, put_hex16, bpf_event.flags),
	FIELD("bpf_id", U32, put_dec32, bpf_event.id),
	OWN("tag", put_tag, bpf_event.tag, read_tag),
	{ 0 },
};

static const struct record_field cgroup_fields[] = {
	FIELD("cgroup_id", U64, put_dec64, cgroup.id),
	FIELD("path", STRING, put_text, cgroup.path),
	{ 0 },
};

static const struct record_field text_poke_fields[] = {
	FIELD("addr", U64, put_hex64, text_poke.addr),
	OWN("old", put_hex_bytes, text_poke.old_bytes, read_poked_bytes),
	FIELD("new", NONE, put_hex_bytes, text_poke.new_bytes),
	{ 0 },
};

static const struct record_field aux_output_hw_id_fields[] = {
	FIELD("hw_id", U64, put_hex64, aux_output_hw_id.hw_id),
	{ 0 },
};

static const struct record_field callchain_deferred_fields[] = {
	FIELD("cookie", U64, put_hex64, callchain_deferred.cookie),
	OWN("chain", put_deferred_chain, callchain_deferred, read_deferred_chain),
	{ 0 },
};

static const struct record_type types[RECORD_TYPE_COUNT] = {
	[PERF_RECORD_MMAP] = { "mmap", mmap_fields },
	[PERF_RECORD_LOST] = { "lost", lost_fields },
	[PERF_RECORD_COMM] = { "comm", comm_fields },
	[PERF_RECORD_EXIT] = { "exit", task_fields },
	[PERF_RECORD_THROTTLE] = { "throttle", throttle_fields },
	[PERF_RECORD_UNTHROTTLE] = { "unthrottle", throttle_fields },
	[PERF_RECORD_FORK] = { "fork", task_fields },
	[PERF_RECORD_READ] = { "read", read_fields },
	[PERF_RECORD_SAMPLE] = { "sample", record_sample_fields },
	[PERF_RECORD_MMAP2] = { "mmap2", mmap2_fields },
	[PERF_RECORD_AUX] = { "aux", aux_fields },
	[PERF_RECORD_ITRACE_START] = { "itrace-start", itrace_start_fields },
	[PERF_RECORD_LOST_SAMPLES] = { "lost-samples", lost_samples_fields },
	[PERF_RECORD_SWITCH] = { "switch", switch_fields },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { "switch-cpu-wide", switch_cpu_wide_fields },
	[PERF_RECORD_NAMESPACES] = { "namespaces", namespaces_fields },
	[ABI_RECORD_KSYMBOL] = { "ksymbol", ksymbol_fields },
	[ABI_RECORD_BPF_EVENT] = { "bpf-event", bpf_event_fields },
	[ABI_RECORD_CGROUP] = { "cgroup", cgroup_fields },
	[ABI_RECORD_TEXT_POKE] = { "text-poke", text_poke_fields },
	[ABI_RECORD_AUX_OUTPUT_HW_ID] = { "aux-output-hw-id", aux_output_hw_id_fields },
	[ABI_RECORD_CALLCHAIN_DEFERRED] = { "callchain-deferred", callchain_deferred_fields },
	[RECORD_PERF_HEADER_ATTR] = { "header-attr", NULL },
	[RECORD_PERF_EVENT_TYPE] = { "event-type", NULL },
	[RECORD_PERF_TRACING_DATA] = { "tracing-data", NULL },
	[RECORD_PERF_BUILD_ID] = { "build-id", NULL },
	[RECORD_PERF_FINISHED_ROUND] = { "finished-round", NULL },
	[RECORD_PERF_ID_INDEX] = { "id-index", NULL },
	[RECORD_PERF_AUXTRACE_INFO] = { "auxtrace-info", NULL },
	[RECORD_PERF_AUXTRACE] = { "auxtrace", NULL },
	[RECORD_PERF_AUXTRACE_ERROR] = { "auxtrace-error", NULL },
	[RECORD_PERF_THREAD_MAP] = { "thread-map", NULL },
	[RECORD_PERF_CPU_MAP] = { "cpu-map", NULL },
	[RECORD_PERF_STAT_CONFIG] = { "stat-config", NULL },
	[RECORD_PERF_STAT] = { "stat", NULL },
	[RECORD_PERF_STAT_ROUND] = { "stat-round", NULL },
	[RECORD_PERF_EVENT_UPDATE] = { "event-update", NULL },
	[RECORD_PERF_TIME_CONV] = { "time-conv", NULL },
	[RECORD_PERF_HEADER_FEATURE] = { "header-feature", NULL },
	[RECORD_PERF_COMPRESSED] = { "compressed", NULL },
	[RECORD_PERF_FINISHED_INIT] = { "finished-init", NULL },
	[RECORD_PERF_COMPRESSED2] = { "compressed2", NULL },
	[RECORD_PERF_BPF_METADATA] = { "bpf-metadata", NULL },
	[RECORD_PERF_SCHEDSTAT_CPU] = { "schedstat-cpu", NULL },
	[RECORD_PERF_SCHEDSTAT_DOMAIN] = { "schedstat-domain", NULL },
};

const struct record_type *
record_type_find(uint32_t type)
{
	if (type >= ARRAY_SIZE(types) || types[type].name == NULL)
		return NULL;
	return &types[type];
}

bool
record_type_is_known(uint32_t type)
{
	return record_type_find(type) != NULL;
}

const char *
record_type_name(uint32_t type)
{
	const struct record_type *t = record_type_find(type);

	return t != NULL ? t->name : "unknown";
}
