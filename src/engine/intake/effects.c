/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What records that are no samples do to what is known, of rings and of recordings. */
#include "engine/intake/intake_impl.h"

#include "record/abi.h"

static void
take_throttle(struct intake *in, const struct record *rec)
{
	const bool begins = rec->type == PERF_RECORD_THROTTLE;
	uint32_t event = sample_ids_event(in->ids, rec->throttle.id);

	if (begins)
		in->losses->counts[LOSS_THROTTLED]++;
	if (begins && event != UINT32_MAX)
		in->measured->events[event].throttled++;
	if (in->policy->has_processes) /* recordings need not tell the CPU */
		losses_throttle(in->losses, rec->id.cpu, rec->throttle.time_ns, begins);
}

/* Only a hint: losses at the end are told by no record.  The counts are FORMAT_LOST's. */
static void
take_lost(struct intake *in, const struct record *rec)
{
	uint64_t id = rec->type == PERF_RECORD_LOST ? rec->lost.id : rec->id.id;

	/* A recording is all that there is to know: nothing can be read again. */
	if (!in->policy->has_processes) {
		in->losses->counts[LOSS_SAMPLES] += rec->lost.lost;
	} else if (sample_ids_event(in->ids, id) != UINT32_MAX) {
		in->losses->counts[LOSS_SAMPLES] += rec->lost.lost;
		losses_lost(in->losses, rec->id.cpu, rec->lost.lost);
	} else {
		/* Lost side-band: what is known of maps and names may be wrong from here on. */
		in->losses->counts[LOSS_SIDEBAND] += rec->lost.lost;
		model_doubt_all(in->model);
	}
}

static void
take_model(struct intake *in, const struct record *rec)
{
	model_record(in->model, rec);
}

/* A child is called as its parent until it has an exec. */
static void
take_fork(struct intake *in, const struct record *rec)
{
	uint32_t parent;

	model_record(in->model, rec);
	if (!in->policy->has_processes)
		return;
	parent = model_find_task(in->model, (int)rec->task.ptid);
	if (parent != 0)
		feed_want_comm(in->feed, parent);
}

/* What samples are there already waits for names of what has been there, not of what comes. */
static void
take_ksymbol(struct intake *in, const struct record *rec)
{
	enum { TYPE_BPF = 1, UNREGISTERED = 1 }; /* PERF_RECORD_KSYMBOL_* */
	struct ksymbol was = { .start = rec->ksymbol.addr,
			       .end = rec->ksymbol.addr + rec->ksymbol.len,
			       .is_bpf = rec->ksymbol.kind == TYPE_BPF };

	if (rec->ksymbol.flags & UNREGISTERED)
		was.name = strs_add_str(&in->model->strs, rec->ksymbol.name);
	if (locations_kernel_changes(in->locations, &was) > 0)
		in->profile->fold_due = true;
	model_record(in->model, rec);
}

static const struct {
	uint32_t type;
	void (*take)(struct intake *in, const struct record *rec);
} effects[] = {
	{ PERF_RECORD_MMAP2, take_model },      { PERF_RECORD_COMM, take_model },
	{ PERF_RECORD_FORK, take_fork },        { PERF_RECORD_EXIT, take_model },
	{ PERF_RECORD_THROTTLE, take_throttle }, { PERF_RECORD_UNTHROTTLE, take_throttle },
	{ PERF_RECORD_LOST, take_lost },
	{ PERF_RECORD_LOST_SAMPLES, take_lost }, { PERF_RECORD_MMAP, take_model },
	{ PERF_RECORD_KSYMBOL, take_ksymbol },  { ABI_RECORD_CGROUP, take_model },
	{ ABI_RECORD_BPF_EVENT, take_model },
	{ ABI_RECORD_CALLCHAIN_DEFERRED, deferred_samples_join },
};

void
intake_other(struct intake *in, const struct record *rec, struct bytes bytes)
{
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->other != NULL)
			in->sinks[i].ops->other(in->sinks[i].self, rec, bytes);
	in->cost->sideband++;
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++) {
		if (effects[i].type == rec->type) {
			effects[i].take(in, rec);
			return;
		}
	}
	other_records_add(&in->others, rec->type);
}
