/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From events, and what a session wants of them, to attributes. */
#include "live/open/open.h"

#include "event/site.h"
#include "live/open/attr_table.h"
#include "live/sys/limits.h"
#include "live/open/user_regs.h"
#include "record/call_args.h"
#include "record/look.h"

#include <string.h>
#include <time.h>

enum {
	PRECISE_MAX = 3,
	STACK_BYTES_DEFAULT = 8192,
	OFTEN = 100, /* with a shorter period an event comes as often as a program makes it come */
	STACK_BYTES_MAX = 65528, /* the size of a record has 16 bits */
};

static void
init(struct open_plan *p, const struct event_env *env, const struct clock_def *clock)
{
	*p = (struct open_plan){ .env = env, .clock = clock != NULL ? clock->id : CLOCK_MONOTONIC };
	p->attr.size = sizeof(p->attr);
	p->attr.disabled = 1;
	/* One ring takes events of one clock only. */
	p->attr.use_clockid = 1;
	p->attr.clockid = p->clock;
	p->attr.sample_id_all = 1;
}

static void
init_dummy(struct open_plan *p, const char *name)
{
	p->spec.name = mem_strdup(name);
	p->spec.type = p->attr.type = PERF_TYPE_SOFTWARE;
	p->spec.config = p->attr.config = PERF_COUNT_SW_DUMMY;
	p->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU;
	/* A dummy counts nothing, but without these it would need the right to the kernel. */
	p->attr.exclude_kernel = p->attr.exclude_hv = 1;
}

static bool
is_given(const struct event *spec, enum event_term term)
{
	return spec->terms.given & 1u << term;
}

static void
set_inherit(struct open_plan *p, const struct open_options *options)
{
	p->attr.inherit = options->inherit || options->inherit_thread;
	p->attr.inherit_thread = options->inherit_thread;
	p->attr.enable_on_exec = options->enable_on_exec;
}

static bool
tells_each_time(const struct event *spec)
{
	return spec->is_tracepoint || spec->looks == EVENT_LOOKS_EXACT ||
	       spec->type == PERF_TYPE_BREAKPOINT ||
	       (spec->place != EVENT_PLACE_NONE && spec->place != EVENT_PLACE_DATA);
}

static void
set_freq(struct open_plan *p, uint64_t hz)
{
	uint64_t max = limits_max_rate(p->env);

	p->attr.freq = 1;
	p->attr.sample_period = MIN(hz, max);
	p->was_capped = hz > max && hz != UINT64_MAX;
}

/* PMUs that write into AUX areas and nothing into rings, by how their names begin. */
static const char *const aux_pmus[] = {
	"intel_pt/", "intel_bts/", "cs_etm/", "arm_spe_", "hisi_ptt",
};

bool
open_is_aux(const struct event *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(aux_pmus); i++)
		if (strncmp(spec->name, aux_pmus[i], strlen(aux_pmus[i])) == 0)
			return true;
	return false;
}

bool
open_is_paced(const struct event *spec, const struct open_options *options)
{
	const uint32_t rates = 1u << TERM_PERIOD | 1u << TERM_FREQ;

	return spec->type == PERF_TYPE_SOFTWARE && spec->config != PERF_COUNT_SW_DUMMY &&
	       !spec->is_clock && spec->looks == EVENT_LOOKS_NONE && spec->pair == NULL &&
	       !spec->sample_read && !options->is_read && options->is_freq &&
	       !options->is_rate_given && options->attrs == NULL &&
	       (spec->terms.given & rates) == 0;
}

uint64_t
open_period(const struct event *spec, const struct open_options *options)
{
	/* Of a pair both are needed, whatever rate was asked for. */
	if (spec->pair != NULL)
		return 1;
	if (is_given(spec, TERM_PERIOD))
		return spec->terms.period;
	if (is_given(spec, TERM_FREQ))
		return 0;
	if (open_is_aux(spec) || open_is_paced(spec, options) ||
	    (tells_each_time(spec) && !options->is_rate_given))
		return 1;
	return options->is_freq ? 0 : options->rate;
}

static void
set_rate(struct open_plan *p, const struct event *spec, const struct open_options *options)
{
	if (options->is_read)
		return;
	p->is_paced = open_is_paced(spec, options);
	p->attr.sample_period = open_period(spec, options);
	if (p->attr.sample_period == 0)
		set_freq(p, is_given(spec, TERM_FREQ) ? spec->terms.freq : options->rate);
}

/*
 * What the kernel counts itself, and not a PMU or a timer: if samples are to carry their period,
 * one is made each time, whatever the period is (kernel/events/core.c, perf_swevent_event()).
 */
static void
keep_period(struct event_attr *attr, const struct event *spec)
{
	bool is_software = spec->type == PERF_TYPE_SOFTWARE && !spec->is_clock;

	if ((is_software || tells_each_time(spec)) && !attr->freq && attr->sample_period > 1)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

void
open_plan_set_period(struct open_plan *p, uint64_t period)
{
	p->attr.sample_period = period;
	p->attr.sample_type |= PERF_SAMPLE_PERIOD;
	keep_period(&p->attr, &p->spec);
}

static void
set_spec(struct event_attr *attr, const struct event *spec)
{
	attr->type = spec->type;
	attr->config = spec->config;
	attr->config1 = spec->config1;
	attr->config2 = spec->config2;
	attr->config3 = spec->config3;
	attr->config4 = spec->config4;
	attr->bp_type = spec->bp_type;
	attr->exclude_user = spec->exclude_user;
	attr->exclude_kernel = spec->exclude_kernel;
	attr->exclude_hv = spec->exclude_hv;
	attr->exclude_host = spec->exclude_host;
	attr->exclude_guest = spec->exclude_guest;
	attr->exclude_idle = spec->exclude_idle;
	attr->pinned = spec->pinned;
	attr->exclusive = spec->exclusive;
	attr->precise_ip = (spec->precise_max ? PRECISE_MAX : spec->precise) & 3u;
}

static void
add_stack_dump(struct event_attr *attr, uint32_t bytes)
{
	if (bytes == 0)
		bytes = STACK_BYTES_DEFAULT;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = user_regs;
	attr->sample_stack_user = MIN((bytes + 7) & ~7u, (uint32_t)STACK_BYTES_MAX);
}

void
open_options_set_chains(struct open_options *options, enum event_call_graph how, uint32_t bytes)
{
	bool has_chains = how != CALL_GRAPH_NONE;

	options->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	options->sample_type |= has_chains ? PERF_SAMPLE_CALLCHAIN : 0;
	options->call_graph = has_chains ? how : 0;
	options->stack_bytes = bytes;
	options->defer_chains = false;
}

void
open_plan_set_stack(struct open_plan *p, uint32_t bytes)
{
	add_stack_dump(&p->attr, bytes);
}

/*
 * Copies fill rings: where each time is a sample there are frame pointers alone; but what is paced
 * has no more samples than by frequency.  The kernel goes along these in any case, for what is
 * beyond the end of a copy; but not @for_stacks, since perf appends what it unwinds to what the
 * kernel followed.  Where a thread waits most is in a library, which seldom has frame pointers.
 */
static void
add_auto(struct open_plan *p, uint32_t bytes, bool for_stacks)
{
	struct event_attr *attr = &p->attr;
	bool comes_often = !attr->freq && attr->sample_period <= OFTEN && !p->is_paced &&
			   p->spec.looks != EVENT_LOOKS_EXACT;

	if (comes_often || attr->exclude_user || user_regs == 0)
		return;
	add_stack_dump(attr, bytes);
	attr->exclude_callchain_user = for_stacks;
}

/* The stack of calls that the branch recorder of some Intel CPUs keeps: user space's alone. */
static void
add_branch_calls(struct event_attr *attr)
{
	if (attr->exclude_user)
		return;
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
				   PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS |
				   ABI_BRANCH_HW_INDEX;
}

static void
set_call_graph(struct open_plan *p, const struct open_options *options)
{
	const struct event *spec = &p->spec;
	const struct event_terms *t = &spec->terms;
	struct event_attr *attr = &p->attr;
	enum event_call_graph how = options->call_graph;
	uint32_t bytes = options->stack_bytes;

	if (is_given(spec, TERM_STACK_SIZE))
		bytes = t->stack_size;
	if (is_given(spec, TERM_CALL_GRAPH))
		how = t->call_graph;
	else if (is_given(spec, TERM_MAX_STACK) && (how == 0 || how == CALL_GRAPH_NONE))
		how = CALL_GRAPH_FP;
	if (is_given(spec, TERM_MAX_STACK))
		attr->sample_max_stack = t->max_stack;
	if (how == CALL_GRAPH_NONE)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	else if (how != 0)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	/* Into the event's own ring: they would push maps out of the side-band's. */
	if (how == CALL_GRAPH_FP && options->defer_chains)
		attr->defer_callchain = attr->defer_output = 1;
	if (how == CALL_GRAPH_DWARF) {
		add_stack_dump(attr, bytes);
		attr->exclude_callchain_user = 1;
	}
	if (how == CALL_GRAPH_AUTO)
		add_auto(p, bytes, options->for_stacks);
	/* There is one branch recorder: a branch_type of the event's own goes first. */
	if (how == CALL_GRAPH_LBR && !(is_given(spec, TERM_BRANCH_TYPE) && t->branch_type != 0))
		add_branch_calls(attr);
}

/*
 * Each is a sample, which tells where the wait begins; records of switches tell when, and when it
 * is over.  What it waits for is told by the kernel's part of the chain, and by the call's arguments.
 */
static void
set_switches(struct event_attr *attr)
{
	if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		attr->exclude_callchain_user = 1;
	attr->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD;
	if (user_regs != 0) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = user_regs;
	}
	attr->sample_stack_user = MIN(attr->sample_stack_user, (uint32_t)RECORD_LOOK_STACK_MAX);
	attr->defer_callchain = attr->defer_output = 0;
	attr->freq = 0;
	attr->sample_period = 1;
	attr->context_switch = 1;
}

void
open_plan_set_chains(struct open_plan *p, const struct open_options *options)
{
	struct event_attr *attr = &p->attr;
	bool has_calls = attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
					 PERF_SAMPLE_CALLCHAIN);
	attr->sample_type |= options->sample_type & PERF_SAMPLE_CALLCHAIN;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	attr->exclude_callchain_user = 0;
	attr->defer_callchain = attr->defer_output = 0;
	if (has_calls) {
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = 0;
	}
	set_call_graph(p, options);
	if (p->spec.looks == EVENT_LOOKS_EXACT)
		set_switches(attr);
}

/*
 * What the other terms say.  percore, max_events and name are not for the kernel.
 */
static void
set_terms(struct event_attr *attr, const struct event *spec, const struct open_options *options)
{
	const struct event_terms *t = &spec->terms;

	if (is_given(spec, TERM_INHERIT) && (options->inherit || options->inherit_thread)) {
		attr->inherit = 1;
		attr->inherit_thread = !t->inherit;
	}
	attr->write_backward = t->overwrite;
	if (is_given(spec, TERM_TIME) && !t->time)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	if (is_given(spec, TERM_BRANCH_TYPE) && t->branch_type != 0) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = t->branch_type;
	}
	attr->aux_output = t->aux_output;
	attr->aux_action = t->aux_action;
	attr->aux_sample_size = t->aux_sample_size;
	if (t->aux_sample_size > 0)
		attr->sample_type |= ABI_SAMPLE_AUX;
}

static void
set_read(struct event_attr *attr, const struct event *spec, const struct open_options *options)
{
	attr->read_format = PERF_FORMAT_ID;
	if (options->has_lost)
		attr->read_format |= ABI_FORMAT_LOST;
	if (!spec->sample_read && !options->is_read)
		return;
	attr->sample_type |= PERF_SAMPLE_READ;
	if (options->in_group && spec->sample_read)
		attr->read_format |= PERF_FORMAT_GROUP;
}

/* The latency of retirement is a part of the weight that precise samples carry. */
static void
set_latency(struct event_attr *attr)
{
	attr->sample_type |= ABI_SAMPLE_WEIGHT_STRUCT;
	if (attr->precise_ip == 0)
		attr->precise_ip = 1;
}

/* The leader is what is enabled: its group runs when it does. */
static void
set_member(struct event_attr *attr)
{
	attr->disabled = 0;
	attr->enable_on_exec = 0;
}

static void
add_arguments(struct event_attr *attr)
{
	uint64_t mask = call_args_mask();

	if (mask != 0)
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user |= mask;
}

void
open_plan_sampling(struct open_plan *p, const struct event_env *env, const struct event *spec,
		   const struct open_options *options)
{
	const bool may_carry = spec->is_tracepoint || spec->strings != NULL;

	init(p, env, options->clock);
	event_copy(&p->spec, spec);
	if (spec->is_clock && options->exclude_idle)
		p->spec.exclude_idle = true;
	p->in_aux_group = options->in_aux_group;
	p->cgroup_fd = options->in_group ? 0 : options->cgroup_fd;
	p->attr.sample_type = options->sample_type;
	if ((options->has_fields && may_carry) || spec->pair != NULL)
		p->attr.sample_type |= PERF_SAMPLE_RAW;
	p->lacks_fields = options->lacks_fields && may_carry;
	set_spec(&p->attr, &p->spec);
	set_rate(p, &p->spec, options);
	keep_period(&p->attr, &p->spec);
	set_inherit(p, options);
	set_call_graph(p, options);
	if (options->has_fields && event_has_arguments(spec))
		add_arguments(&p->attr);
	set_terms(&p->attr, &p->spec, options);
	set_read(&p->attr, &p->spec, options);
	if (spec->retire_latency)
		set_latency(&p->attr);
	if (options->is_member)
		set_member(&p->attr);
	if (spec->looks == EVENT_LOOKS_ALONE) {
		record_look_attr(&p->attr);
		return;
	}
	if (spec->looks == EVENT_LOOKS_EXACT)
		set_switches(&p->attr);
	/* Another program has other addresses. */
	p->attr.remove_on_exec |= event_is_of_processes(&p->spec);
	if (options->attrs != NULL)
		attr_assign(&p->attr, options->attrs, NULL);
}

void
open_plan_counting(struct open_plan *p, const struct event_env *env, const struct event *spec,
		   const struct open_options *options)
{
	init(p, env, NULL);
	event_copy(&p->spec, spec);
	set_spec(&p->attr, spec);
	set_inherit(p, options);
	/* What tells of samples: there are none. */
	p->attr.use_clockid = 0;
	p->attr.clockid = 0;
	p->attr.sample_id_all = 0;
	p->attr.precise_ip = 0;
	p->spec.precise_max = false;
}

void
open_plan_sideband(struct open_plan *p, const struct event_env *env,
		   const struct open_options *options)
{
	init(p, env, options->clock);
	init_dummy(p, "dummy (maps and names)");
	set_inherit(p, options);
	p->attr.read_format = PERF_FORMAT_ID | ABI_FORMAT_LOST;
	p->attr.mmap = p->attr.mmap2 = 1;
	p->attr.mmap_data = options->for_stacks;
	p->attr.comm = p->attr.comm_exec = 1;
	p->attr.task = 1;
	/* Many: at each fork, and whenever the kernel is traced.  ptop itself needs none. */
	p->attr.namespaces = p->attr.text_poke = options->for_file;
	p->attr.ksymbol = p->attr.bpf_event = 1;
	p->attr.cgroup = 1;
}

void
open_plan_owner(struct open_plan *p, const struct event_env *env, const struct clock_def *clock)
{
	init(p, env, clock);
	init_dummy(p, "dummy (ring)");
	p->attr.watermark = 1;
}

static const char one_clock[] = "all events share the clock that --clockid names";

static const char no_aux[] = "only a group that a tracing PMU leads has an AUX area";

/* What the rings and their reader need, and what they cannot take. */
static const struct {
	const char *field;
	uint64_t mask, value;
	const char *why;
	bool takes_aux; /* where there is such an area */
} needs[] = {
	{ "sample_type", PERF_SAMPLE_TIME, PERF_SAMPLE_TIME,
	  "samples are put in order by their time" },
	{ "sample_type", PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	  PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	  PERF_SAMPLE_CPU,
	  "samples must carry IDENTIFIER|IP|TID|CPU" },
	{ "sample_type", ABI_SAMPLE_AUX, 0, no_aux, true },
	{ "aux_start_paused", 1, 0, no_aux, true },
	{ "aux_pause", 1, 0, no_aux, true },
	{ "aux_resume", 1, 0, no_aux, true },
	{ "aux_sample_size", UINT32_MAX, 0, no_aux, true },
	{ "aux_output", 1, 0, "its samples would be in the trace, which ptop does not decode" },
	{ "aux_watermark", UINT32_MAX, 0, "AUX areas are written over and over" },
	{ "sig_data", UINT64_MAX, 0, "it is for sigtrap" },
	{ "sigtrap", 1, 0, "the signal is for a process that watches itself; to others it would end them" },
	{ "write_backward", 1, 0, "ptop's rings are read while they are written; --overwrite has "
	  "others beside them" },
	{ "sample_id_all", 1, 1, "records of all kinds are put in order by their time" },
	{ "use_clockid", 1, 1, one_clock },
};

static int
refuse_live(const struct open_plan *p, const char *what, const char *why, struct err *err)
{
	err_set(err, ERR_UNSUPPORTED, 0, "event '%.80s' cannot be shown live: %s: %s", p->spec.name,
		what, why);
	return err_hint(err, "perf record can record it; ptop -i reads that");
}

int
open_plan_check(const struct open_plan *p, struct err *err)
{
	if (open_is_aux(&p->spec) && !p->in_aux_group)
		return refuse_live(p, "what it traces goes to an AUX area", "put it before those "
				   "whose samples are to have some of it, in braces: "
				   "{intel_pt//,cycles/aux-sample-size=4096/}", err);
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		const struct attr_field *f = attr_find(needs[i].field);

		if (p->in_aux_group && needs[i].takes_aux)
			continue;
		if ((attr_field_get(&p->attr, f) & needs[i].mask) != needs[i].value)
			return refuse_live(p, f->name, needs[i].why, err);
	}
	if (p->attr.clockid != p->clock)
		return refuse_live(p, "clockid", one_clock, err);
	if (p->attr.freq && !(p->attr.sample_type & PERF_SAMPLE_PERIOD))
		return refuse_live(p, "sample_type", "with a frequency samples must carry PERIOD", err);
	return 0;
}

void
open_plan_release(struct open_plan *p)
{
	event_release(&p->spec);
}
