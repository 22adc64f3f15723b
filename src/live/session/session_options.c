/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How events are sampled, by the configuration alone. */
#include "live/session/session_impl.h"

#include "live/sys/rights.h"

#include <unistd.h>

/* perf_trace_event_perm() of the kernel. */
static bool
may_have_fields(const struct event_env *env)
{
	struct rights r;

	rights_read(&r, env);
	return rights_perfmon(&r) || r.paranoid < 0;
}

/* All but what depends on rights: to read those takes a dozen files. */
static void
set_options(struct open_options *options, const struct session_config *config)
{
	*options = (struct open_options){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.is_freq = config->period == 0,
		.rate = config->period > 0 ? config->period : MAX(config->freq, 1),
		.is_rate_given = config->rate_given,
		.exclude_idle = !config->idle,
		.attrs = config->attrs,
		.clock = config->clock,
		.for_file = config->for_file,
		.for_stacks = config->for_stacks,
		.cgroup_fd = config->cgroup_fd,
	};
	if (config->cgroups)
		options->sample_type |= ABI_SAMPLE_CGROUP;
	if (!config->call_chains)
		return;
	open_options_set_chains(options, config->call_graph, config->stack_bytes);
	options->defer_chains = config->defer_chains;
}

void
session_open_options(const struct session_config *config, struct open_options *options)
{
	set_options(options, config);
	if (!config->wants_fields)
		return;
	options->has_fields = may_have_fields(&config->env);
	options->lacks_fields = !options->has_fields;
}

uint64_t
session_period(const struct session_config *config, const struct event *ev)
{
	struct open_options options;

	set_options(&options, config);
	return open_period(ev, &options);
}

int
session_probe(const struct session_config *config, const struct event *ev, struct err *err)
{
	const struct sys *sys = config->sys != NULL ? config->sys : &sys_kernel;
	const struct open_options options = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.is_freq = true,
		.rate = 1,
	};
	enum { ALL_TASKS = -1, OWN_TASK = 0 };
	int cpu = config->cpus != NULL && config->cpu_count > 0 ? (int)config->cpus[0] : 0;
	struct open_plan plan;
	int fd;

	open_plan_sampling(&plan, &config->env, ev, &options);
	fd = open_event(sys, &plan, ALL_TASKS, cpu, err);
	/* CPU 0 may be off line; and without the right to all tasks there is ptop's own. */
	if (fd < 0)
		fd = open_event(sys, &plan, OWN_TASK, -1, err);
	open_plan_release(&plan);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}
