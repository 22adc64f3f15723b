/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/decode_impl.h"

enum { BUILD_ID_MAX = 20, BPF_TAG_BYTES = 8, DEV_INODE_WORDS = 2 };

/* In place of the device and inode; a size that is too large means none. */
static void
decode_build_id(struct reader *r, struct record_mmap *m)
{
	const uint8_t *head = reader_bytes(r, 4), *id = reader_bytes(r, BUILD_ID_MAX);

	m->has_build_id = true;
	if (id == NULL || head[0] == 0 || head[0] > BUILD_ID_MAX)
		return;
	m->build_id_len = head[0];
	m->build_id = id;
}

static void
decode_mmap2_file(struct reader *r, struct record *rec)
{
	struct record_mmap *m = &rec->mmap;

	m->is_mmap2 = true;
	if (rec->misc & ABI_MISC_MMAP_BUILD_ID) {
		decode_build_id(r, m);
	} else {
		m->maj = reader_u32(r);
		m->min = reader_u32(r);
		m->ino = reader_u64(r);
		m->ino_generation = reader_u64(r);
	}
	m->prot = reader_u32(r);
	m->flags = reader_u32(r);
}

static void
decode_mmap(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	struct record_mmap *m = &rec->mmap;

	(void)layout;
	m->pid = reader_u32(r);
	m->tid = reader_u32(r);
	m->start = reader_u64(r);
	m->len = reader_u64(r);
	m->pgoff = reader_u64(r);
	if (rec->type == PERF_RECORD_MMAP2)
		decode_mmap2_file(r, rec);
	m->name = reader_string(r);
}

static void
decode_comm(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->comm.pid = reader_u32(r);
	rec->comm.tid = reader_u32(r);
	rec->comm.comm = reader_string(r);
	rec->comm.is_exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void
decode_task(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->task.pid = reader_u32(r);
	rec->task.ppid = reader_u32(r);
	rec->task.tid = reader_u32(r);
	rec->task.ptid = reader_u32(r);
	rec->task.time_ns = reader_u64(r);
}

static void
decode_lost(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->lost.id = rec->type == PERF_RECORD_LOST ? reader_u64(r) : 0;
	rec->lost.lost = reader_u64(r);
}

static void
decode_throttle(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->throttle.time_ns = reader_u64(r);
	rec->throttle.id = reader_u64(r);
	rec->throttle.stream_id = reader_u64(r);
}

static void
decode_read(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	rec->read.pid = reader_u32(r);
	rec->read.tid = reader_u32(r);
	rec->read.values = record_read_take(layout->read_format, r);
}

static void
decode_aux(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->aux.offset = reader_u64(r);
	rec->aux.size = reader_u64(r);
	rec->aux.flags = reader_u64(r);
}

static void
decode_itrace_start(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->itrace_start.pid = reader_u32(r);
	rec->itrace_start.tid = reader_u32(r);
}

static void
decode_switch(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	struct record_switch *s = &rec->cpu_switch;

	(void)layout;
	s->is_out = rec->misc & ABI_MISC_SWITCH_OUT;
	s->is_preempt = s->is_out && rec->misc & ABI_MISC_SWITCH_OUT_PREEMPT;
	if (rec->type == PERF_RECORD_SWITCH)
		return;
	s->next_prev_pid = reader_u32(r);
	s->next_prev_tid = reader_u32(r);
}

static void
decode_namespaces(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	struct record_namespaces *n = &rec->namespaces;

	(void)layout;
	n->pid = reader_u32(r);
	n->tid = reader_u32(r);
	n->len = reader_u64(r);
	n->links = record_counted(r, &n->len, DEV_INODE_WORDS);
}

static void
decode_ksymbol(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->ksymbol.addr = reader_u64(r);
	rec->ksymbol.len = reader_u32(r);
	rec->ksymbol.kind = reader_u16(r);
	rec->ksymbol.flags = reader_u16(r);
	rec->ksymbol.name = reader_string(r);
}

static void
decode_bpf_event(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->bpf_event.type = reader_u16(r);
	rec->bpf_event.flags = reader_u16(r);
	rec->bpf_event.id = reader_u32(r);
	rec->bpf_event.tag = reader_bytes(r, BPF_TAG_BYTES);
}

static void
decode_cgroup(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->cgroup.id = reader_u64(r);
	rec->cgroup.path = reader_string(r);
}

static void
decode_text_poke(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	struct record_text_poke *t = &rec->text_poke;
	size_t old_len, new_len;

	(void)layout;
	t->addr = reader_u64(r);
	old_len = reader_u16(r);
	new_len = reader_u16(r);
	t->old_bytes = (struct bytes){ reader_bytes(r, old_len), old_len };
	t->new_bytes = (struct bytes){ reader_bytes(r, new_len), new_len };
}

static void
decode_aux_output_hw_id(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	(void)layout;
	rec->aux_output_hw_id.hw_id = reader_u64(r);
}

static void
decode_callchain_deferred(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	struct record_callchain_deferred *c = &rec->callchain_deferred;

	(void)layout;
	c->cookie = reader_u64(r);
	c->chain_len = reader_u64(r);
	c->chain = record_counted(r, &c->chain_len, 1);
}

static const struct record_type_row rows[] = {
	[PERF_RECORD_MMAP] = { "mmap", decode_mmap },
	[PERF_RECORD_LOST] = { "lost", decode_lost },
	[PERF_RECORD_COMM] = { "comm", decode_comm },
	[PERF_RECORD_EXIT] = { "exit", decode_task },
	[PERF_RECORD_THROTTLE] = { "throttle", decode_throttle },
	[PERF_RECORD_UNTHROTTLE] = { "unthrottle", decode_throttle },
	[PERF_RECORD_FORK] = { "fork", decode_task },
	[PERF_RECORD_READ] = { "read", decode_read },
	[PERF_RECORD_SAMPLE] = { "sample", NULL },
	[PERF_RECORD_MMAP2] = { "mmap2", decode_mmap },
	[PERF_RECORD_AUX] = { "aux", decode_aux },
	[PERF_RECORD_ITRACE_START] = { "itrace-start", decode_itrace_start },
	[PERF_RECORD_LOST_SAMPLES] = { "lost-samples", decode_lost },
	[PERF_RECORD_SWITCH] = { "switch", decode_switch },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { "switch-cpu-wide", decode_switch },
	[PERF_RECORD_NAMESPACES] = { "namespaces", decode_namespaces },
	[ABI_RECORD_KSYMBOL] = { "ksymbol", decode_ksymbol },
	[ABI_RECORD_BPF_EVENT] = { "bpf-event", decode_bpf_event },
	[ABI_RECORD_CGROUP] = { "cgroup", decode_cgroup },
	[ABI_RECORD_TEXT_POKE] = { "text-poke", decode_text_poke },
	[ABI_RECORD_AUX_OUTPUT_HW_ID] = { "aux-output-hw-id", decode_aux_output_hw_id },
	[ABI_RECORD_CALLCHAIN_DEFERRED] = { "callchain-deferred", decode_callchain_deferred },
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

const struct record_type_row *
record_type_find(uint32_t type)
{
	if (type >= ARRAY_SIZE(rows) || rows[type].name == NULL)
		return NULL;
	return &rows[type];
}

const char *
record_type_name(uint32_t type)
{
	const struct record_type_row *row = record_type_find(type);

	return row != NULL ? row->name : "unknown";
}
