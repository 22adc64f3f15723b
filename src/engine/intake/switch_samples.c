/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches between tasks, of which waits are made: the event off-cpu/exact/.  Its sample tells
 * where a thread waits, records of switches when that begins and ends, sched_waking who woke it.  A
 * wait that is over becomes a sample that weighs its time, as a look does (record/look.h): that is
 * counted, and recorded.  What goes on is counted up to each report.
 */
#include "engine/intake/intake_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/intake/switches.h"
#include "record/look.h"

enum {
	KINDS_NEAR = 1024,       /* addresses of the kernel whose kind is known, a power of two */
	NAMES_PATIENCE_MS = 2000, /* so long the first waits wait for the kernel's names */
	/* Offsets in what tracepoints tell: the same since they are there (format, in tracefs). */
	COMMON_TYPE = 0, COMMON_FLAGS = 2, PID = 24, PREV_STATE = 32,
	IN_INTERRUPT = 0x18,     /* TRACE_FLAG_HARDIRQ, _SOFTIRQ */
	DEAD = 0x30,             /* EXIT_DEAD, EXIT_ZOMBIE */
};

struct switch_samples {
	struct switches *switches;
	struct event_attr attr; /* as their event was open when they began */
	uint32_t event;
	uint64_t since_ns;      /* of the first sample */
	uint64_t waits;         /* that were over */
	uint64_t *last_ns;      /* by CPU: of the last record from its ring */
	size_t cpu_cap;
	bool is_elsewhere;      /* tracepoints tell tids of another namespace */
	struct buf record;
	struct near_kind {
		uint64_t addr;
		enum wait_kind kind;
	} near[KINDS_NEAR];
};

void
switch_samples_free(struct switch_samples *s)
{
	if (s == NULL)
		return;
	switches_free(s->switches);
	free(s->last_ns);
	buf_release(&s->record);
	free(s);
}

static uint32_t
raw_u32(const struct record_sample *s, size_t at)
{
	uint32_t value = 0;

	if (at + sizeof(value) <= s->raw.len)
		memcpy(&value, s->raw.data + at, sizeof(value));
	return value;
}

/* As proc(5) has it: include/trace/events/sched.h, __trace_sched_switch_state(). */
static char
state_of(uint32_t prev_state)
{
	static const char letters[] = "SDTtXZPI";
	const uint32_t bits = prev_state & 0xff;

	return bits != 0 ? letters[__builtin_ctz(bits)] : 'R';
}

static struct switch_samples *
begin(struct intake *in, uint32_t event, const struct record *rec)
{
	const struct event_attr *attr = &in->measured->events[event].attr;
	struct switch_samples *s = in->switches;

	if (s == NULL) {
		s = in->switches = mem_calloc(1, sizeof(*s));
		s->switches = switches_new();
		s->since_ns = rec->id.time_ns;
	}
	/* It was opened anew: what happened meanwhile nobody knows. */
	if (s->event != event || memcmp(&s->attr, attr, sizeof(*attr)) != 0)
		switches_lose(s->switches, 0);
	s->event = event;
	s->attr = *attr;
	return s;
}

/* Who wakes a thread need not be sampled, and is known by name all the same. */
static void
take_waking(struct intake *in, const struct record *rec)
{
	uint32_t flags = raw_u32(&rec->sample, COMMON_TYPE) >> (8 * COMMON_FLAGS) & 0xff;
	bool is_interrupt = flags & IN_INTERRUPT;
	struct switch_samples *s = in->switches;
	uint32_t task;

	if (s->is_elsewhere ||
	    !switches_woken(s->switches, raw_u32(&rec->sample, PID), rec->id.time_ns,
			    is_interrupt ? RECORD_WAKER_INTERRUPT : rec->id.tid) || is_interrupt)
		return;
	feed_wants(in->feed, rec, &task);
	feed_want_comm(in->feed, task);
}

/* The idle loop does not wait, and who has ended waits for nothing. */
static void
take_switch(struct intake *in, struct switch_wait *w, const struct record *rec, struct bytes bytes)
{
	const struct record_sample *sample = &rec->sample;
	struct switch_samples *s = in->switches;
	uint32_t task, state = raw_u32(sample, PREV_STATE);
	bool tells = s->attr.type == PERF_TYPE_TRACEPOINT;

	if (tells && raw_u32(sample, PID) != rec->id.tid)
		s->is_elsewhere = true;
	if (rec->id.tid == 0 || (int)rec->id.tid == -1 || (tells && state & DEAD) ||
	    !feed_wants(in->feed, rec, &task))
		return;
	w->tid = rec->id.tid;
	w->state = tells ? state_of(state) : 0;
	switches_sample(s->switches, w, bytes);
}

bool
switch_samples_take(struct intake *in, uint32_t event, uint32_t layout, const struct record *rec,
		    struct bytes bytes)
{
	const struct event *spec = &in->measured->events[event].spec;
	struct switch_wait w = { .event = event, .layout = layout };
	uint32_t type = raw_u32(&rec->sample, COMMON_TYPE) & 0xffff;
	struct switch_samples *s;

	if (spec->looks != EVENT_LOOKS_EXACT)
		return false;
	s = begin(in, event, rec);
	if (s->attr.type == PERF_TYPE_TRACEPOINT && spec->site_count > 1 &&
	    type == spec->sites[1].at)
		take_waking(in, rec);
	else if (rec->sample.raw.data != NULL)
		take_switch(in, &w, rec, bytes);
	return true;
}

/* When the ring of that CPU was last known to have room. */
static uint64_t *
last_of(struct switch_samples *s, uint32_t cpu)
{
	if (cpu >= LOSS_CPUS_MAX)
		cpu = 0;
	vec_reserve_zeroed(&s->last_ns, &s->cpu_cap, (size_t)cpu + 1, sizeof(*s->last_ns));
	return &s->last_ns[cpu];
}

static void
take_record(struct switch_samples *s, const struct record *rec)
{
	*last_of(s, rec->id.cpu) = rec->id.time_ns;
	if (rec->cpu_switch.is_out)
		switches_out(s->switches, rec->id.tid, rec->id.time_ns, rec->cpu_switch.is_preempt);
	else
		switches_in(s->switches, rec->id.tid, rec->id.time_ns);
}

static bool
is_of_switches(const struct intake *in, uint64_t id)
{
	uint32_t event = sample_ids_event(in->ids, id);

	return event != UINT32_MAX && in->measured->events[event].spec.looks == EVENT_LOOKS_EXACT;
}

bool
switch_samples_other(struct intake *in, const struct record *rec)
{
	struct switch_samples *s = in->switches;

	if (rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		if (!is_of_switches(in, rec->id.id))
			return false;
		if (s != NULL)
			take_record(s, rec);
		return true;
	}
	if (s != NULL && rec->type == PERF_RECORD_EXIT)
		switches_end(s->switches, rec->task.tid);
	/* Of any event: they share the rings. */
	if (s != NULL && rec->type == PERF_RECORD_LOST &&
	    sample_ids_event(in->ids, rec->lost.id) != UINT32_MAX)
		switches_lose(s->switches, *last_of(s, rec->id.cpu));
	return false;
}

static enum wait_kind
kind_at(struct intake *in, uint64_t addr)
{
	struct near_kind *near = &in->switches->near[hash_mix(addr, 0) & (KINDS_NEAR - 1)];
	const char *name;

	if (near->addr == addr)
		return near->kind;
	name = locations_kernel_function(in->locations, addr);
	if (name == NULL)
		return WAIT_NO_KIND;
	*near = (struct near_kind){ addr, wait_kind_of_function(name) };
	return near->kind;
}

/* What is kept are addresses to return to: the call is before them. */
static enum wait_kind
kind_of(struct intake *in, const struct record_sample *s, char state)
{
	uint64_t args[RECORD_LOOK_ARGS], context = PERF_CONTEXT_MAX;
	enum wait_kind kind = WAIT_NO_KIND;

	for (uint64_t i = 0; i < s->chain_len && state != 'R'; i++) {
		if (s->chain[i] >= (uint64_t)PERF_CONTEXT_MAX)
			context = s->chain[i];
		else if (context == (uint64_t)PERF_CONTEXT_KERNEL)
			kind = wait_kind_join(kind, kind_at(in, s->chain[i] - 1));
	}
	return wait_kind_finish(kind, record_call_args(s, args) ? args : NULL, state);
}

/* A part of a wait, from @from_ns to @to_ns of its own @begin_ns to @end_ns; 0: it goes on. */
struct part {
	uint64_t from_ns, to_ns, begin_ns, end_ns;
	char state;
};

static void
count(struct intake *in, const struct switch_wait *w, const struct part *p)
{
	const struct record_layout *layout = &in->layouts->items[w->layout];
	struct bytes bytes = { w->data, w->len };
	struct buf *b = &in->switches->record;
	struct record_wait wait = {
		.over_ns = p->to_ns - (uint64_t)layout->clock_ahead_ns,
		.period_ns = p->to_ns - p->from_ns,
		.whole_ns = p->end_ns > p->begin_ns ? p->end_ns - p->begin_ns : 0,
		.state = p->state, .waker = w->waker,
	};
	struct record rec;

	if (p->from_ns >= p->to_ns || record_decode(layout, bytes, &rec) != 1)
		return;
	wait.kind = kind_of(in, &rec.sample, p->state);
	buf_reset(b);
	record_encode_wait(b, layout, &rec, bytes, &wait);
	bytes = (struct bytes){ (const uint8_t *)b->data, b->len };
	/* The size of a record has 16 bits, and what a look says is longer than what the kernel did. */
	if (b->len > UINT16_MAX || record_decode(layout, bytes, &rec) != 1)
		in->losses->counts[LOSS_WAITS]++;
	else if (feed_sample(in->feed, w->event, &rec, 0, bytes))
		intake_tell_sample(in, &rec, bytes, 0);
}

/* What is not told yet of its time up to @until_ns: first it waits, then it is in the run queue. */
static void
tell(struct intake *in, struct switch_wait *w, uint64_t until_ns)
{
	uint64_t from_ns = MAX(w->told_ns, w->since_ns), could_run_ns = until_ns;
	bool is_woken = w->state == 'R' || (w->woken_ns != 0 && w->woken_ns <= until_ns);

	if (from_ns >= until_ns)
		return;
	if (is_woken)
		could_run_ns = w->state == 'R' ? w->since_ns : MAX(w->woken_ns, w->since_ns);
	count(in, w, &(struct part){ from_ns, could_run_ns, w->since_ns,
				     is_woken ? could_run_ns : w->over_ns, w->state });
	count(in, w, &(struct part){ MAX(from_ns, could_run_ns), until_ns, could_run_ns, w->over_ns,
				     'R' });
	w->told_ns = until_ns;
}

/* What is waited for is told by names, which are on their way when sampling begins. */
static bool
has_names(const struct intake *in)
{
	enum dso_symbols_state state = locations_symbols(in->locations, DSO_ID_KERNEL)->state;

	return state == SYMBOLS_READY || state == SYMBOLS_FAILED ||
	       clock_mono_ns() > in->switches->since_ns + NAMES_PATIENCE_MS * NSEC_PER_MSEC;
}

static void
tell_over(struct intake *in)
{
	struct switch_samples *s = in->switches;
	struct switch_wait w;

	while (has_names(in) && switches_take(s->switches, &w)) {
		tell(in, &w, w.over_ns);
		free(w.data);
		s->waits++;
	}
}

void
switch_samples_drained(struct intake *in)
{
	struct switch_samples *s = in->switches;
	const struct engine_event *ev;

	if (s == NULL)
		return;
	tell_over(in);
	switches_settle(s->switches);
	in->losses->counts[LOSS_WAITS] += switches_unknown(s->switches);
	ev = &in->measured->events[s->event];
	if ((ev->live != NULL && !ev->is_paused) || in->measured->stopped_ns != 0)
		return;
	/* What goes on does so without anybody looking. */
	switches_lose(s->switches, UINT64_MAX);
	switches_unknown(s->switches);
}

bool
intake_tell_waits(struct intake *in, uint64_t until_ns)
{
	struct switch_samples *s = in->switches;
	struct switch_wait *w;
	size_t at = 0;

	if (s == NULL)
		return true;
	if (in->clock->counted_to_ns < until_ns || !has_names(in))
		return false;
	if (until_ns != 0) {
		switches_settle(s->switches);
		tell_over(in);
	}
	while ((w = switches_next(s->switches, &at)) != NULL)
		tell(in, w, in->clock->counted_to_ns);
	return true;
}

void
switch_samples_put(const struct intake *in, struct buf *b)
{
	size_t waiting = 0, at = 0;

	if (in->switches == NULL)
		return;
	while (switches_next(in->switches->switches, &at) != NULL)
		waiting++;
	buf_addf(b, "off-cpu/exact/: %llu waits are over, %zu threads wait; %llu are unknown\n",
		 (unsigned long long)in->switches->waits, waiting,
		 (unsigned long long)in->losses->counts[LOSS_WAITS]);
}

size_t
switch_samples_held(const struct intake *in)
{
	return in->switches != NULL ? switches_bytes(in->switches->switches) : 0;
}
