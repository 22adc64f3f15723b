/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"
#include "records.h"

#include "base/clock.h"
#include "record/encode.h"
#include "record/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUND_NS = 1000000000 / MACHINE_ROUNDS_PER_S,
	SKEW_NS = ROUND_NS / 2, /* between the readings of the first ring and the last */
	SLICE_SAMPLES = 8,      /* at most, of a task that runs */
	KERNEL_PERCENT = 30, LIBRARY_PERCENT = 20,
	KERNEL_FUNCTIONS = 2000, KERNEL_FRAMES = 3,
	CODE_STEP = 4, /* bytes between the instructions that are sampled */
	FANOUT_BITS = 2, /* a function of a call tree calls four */
	FIRST_PID = 1000,
	PLUGINS = 64, /* places of what processes map as they run */
	CHAIN_MAX = 256,
};

#define KERNEL_AT UINT64_C(0xffffffff81000000)
#define PROGRAM_AT UINT64_C(0x550000000000)
#define LIBRARY_AT UINT64_C(0x7f0000000000)
#define PLUGIN_AT UINT64_C(0x7e0000000000)

/* Its threads are pid, pid + 1 and so on. */
struct process {
	uint32_t pid, program;
	uint32_t image;      /* the pid that executed it, which says where its maps are */
	uint32_t busy_round; /* in that round it begins, ends, changes or forks, and does not run */
};

struct cpu {
	struct scale_random random;
	uint64_t samples; /* made so far */
	uint64_t last_ns; /* of any record */
	uint32_t process, thread, slice_left;
};

enum change_kind { CHANGE_FORK, CHANGE_EXEC, CHANGE_MMAP };

struct change {
	uint64_t time_ns;
	uint32_t cpu, process, parent;
	enum change_kind kind;
};

struct machine {
	struct scale s;
	struct record_frame frame;
	struct process *processes;
	struct cpu *cpus;
	size_t process_len;
	uint32_t next_pid, round;
	struct scale_random random;
	struct change *changes; /* of this round, by CPU and time */
	size_t change_len, change_cap, change_at;
	struct machine_sums sums;
};

/* ---- maps */

void
machine_path(const struct scale *s, uint64_t program, char path[static 4096])
{
	const char *folder = s->images != NULL ? s->images : "/nonexistent/scale";

	if (program == s->programs)
		snprintf(path, 4096, "%s/libshared.so", folder);
	else
		snprintf(path, 4096, "%s/program-%03lu", folder, program);
}

static uint64_t
image_bytes(const struct machine *m)
{
	return (SCALE_TEXT_AT + scale_functions(&m->s) * SCALE_FUNCTION_BYTES + 4095) & ~4095ul;
}

static uint64_t
program_at(const struct process *p)
{
	return PROGRAM_AT + ((scale_mix(p->image) & 0xffffff) << 12);
}

static uint64_t
library_at(const struct process *p)
{
	return LIBRARY_AT + ((scale_mix(~(uint64_t)p->image) & 0xffffff) << 12);
}

static void
put_map(struct machine *m, struct buf *b, const struct stamp *s, uint64_t at, uint64_t program)
{
	char path[4096];
	struct record_mmap map = {
		.pid = s->pid, .tid = s->tid, .start = at, .len = image_bytes(m),
		.maj = 8, .min = 1, .ino = 1000 + program, .prot = 5, .flags = 2, .name = path,
	};

	machine_path(&m->s, program, path);
	records_mmap2(b, &m->frame, s, &map);
}

/* A comm and the maps of a program that begins, each record a moment later. */
static void
put_program(struct machine *m, struct buf *b, struct stamp *s, const struct process *p)
{
	uint64_t step = s->time_ns != 0;
	char comm[16];

	snprintf(comm, sizeof(comm), "program-%03u", p->program);
	records_comm(b, &m->frame, s, comm, s->time_ns != 0);
	s->time_ns += step;
	put_map(m, b, s, program_at(p), p->program);
	s->time_ns += step;
	put_map(m, b, s, library_at(p), m->s.programs);
	s->time_ns += step;
}

static void
put_threads(struct machine *m, struct buf *b, struct stamp *s, const struct process *p)
{
	uint64_t step = s->time_ns != 0;

	for (uint32_t i = 1; i < m->s.threads; i++) {
		s->tid = p->pid + i;
		records_fork(b, &m->frame, s, p->pid, p->pid);
		s->time_ns += step;
	}
	m->sums.tasks += m->s.threads;
	s->tid = p->pid;
}

/* ---- processes */

static void
init_process(struct machine *m, struct process *p, uint32_t program)
{
	*p = (struct process){ .pid = m->next_pid, .program = program, .image = m->next_pid,
			       .busy_round = UINT32_MAX };
	m->next_pid += (uint32_t)m->s.threads;
}

/* As perf does: the kernel's map, then each process that there is. */
void
machine_put_first(struct machine *m, struct buf *b)
{
	const struct record_mmap kernel = { .start = KERNEL_AT, .len = 0x1000000,
					    .pgoff = KERNEL_AT, .name = "[kernel.kallsyms]_text" };

	record_encode_kernel_mmap(b, &m->frame.layout, &kernel);
	for (size_t i = 0; i < m->process_len; i++) {
		struct process *p = &m->processes[i];
		struct stamp s = { .pid = p->pid, .tid = p->pid };

		records_fork(b, &m->frame, &s, 1, 1);
		put_program(m, b, &s, p);
		put_threads(m, b, &s, p);
	}
}

/* The threads go first; @with_leader: then the process. */
static void
put_exits(struct machine *m, struct buf *b, struct stamp *s, const struct process *p,
	  bool with_leader)
{
	for (uint32_t i = (uint32_t)m->s.threads - 1; i > 0; i--) {
		s->tid = p->pid + i;
		records_exit(b, &m->frame, s, p->pid, p->pid);
		s->time_ns++;
	}
	s->tid = p->pid;
	if (with_leader) {
		records_exit(b, &m->frame, s, 1, 1);
		s->time_ns++;
	}
}

/* One ends, and in its place another begins; each second one executes a program of its own. */
static void
put_fork(struct machine *m, struct buf *b, struct stamp *s, struct process *p,
	 const struct process *parent)
{
	put_exits(m, b, s, p, true);
	init_process(m, p, parent->program);
	p->busy_round = m->round;
	s->pid = s->tid = p->pid;
	records_fork(b, &m->frame, s, parent->pid, parent->pid);
	s->time_ns++;
	if (scale_random(&m->random, 2) == 0) {
		p->program = (uint32_t)scale_random(&m->random, m->s.programs);
		put_program(m, b, s, p);
	} else {
		p->image = parent->image;
	}
	put_threads(m, b, s, p);
}

static void
put_exec(struct machine *m, struct buf *b, struct stamp *s, struct process *p)
{
	put_exits(m, b, s, p, false);
	p->program = (uint32_t)scale_random(&m->random, m->s.programs);
	p->image = m->next_pid++;
	put_program(m, b, s, p);
	put_threads(m, b, s, p);
}

static void
put_plugin(struct machine *m, struct buf *b, struct stamp *s)
{
	uint64_t n = scale_random(&m->random, PLUGINS);

	put_map(m, b, s, PLUGIN_AT + n * image_bytes(m), m->s.programs + 1 + n);
	s->time_ns++;
}

static void
put_change(struct machine *m, struct buf *b, struct cpu *cpu, const struct change *c)
{
	struct process *p = &m->processes[c->process];
	struct stamp s = { p->pid, p->pid, MAX(c->time_ns, cpu->last_ns + 1), c->cpu };

	switch (c->kind) {
	case CHANGE_FORK:
		put_fork(m, b, &s, p, &m->processes[c->parent]);
		break;
	case CHANGE_EXEC:
		put_exec(m, b, &s, p);
		break;
	case CHANGE_MMAP:
		put_plugin(m, b, &s);
		break;
	}
	cpu->last_ns = s.time_ns;
}

/* ---- the changes of a round */

/* How many of @rate a second fall into this round. */
static uint64_t
due(const struct machine *m, uint64_t rate)
{
	uint64_t before = rate * m->round / MACHINE_ROUNDS_PER_S;

	return rate * (m->round + 1) / MACHINE_ROUNDS_PER_S - before;
}

static int
by_cpu_and_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* The second half of a round is in that round for all CPUs, whatever moment each is read at. */
static void
plan_change(struct machine *m, enum change_kind kind)
{
	uint32_t process = (uint32_t)scale_random(&m->random, m->process_len);
	uint32_t parent = (uint32_t)scale_random(&m->random, m->process_len);
	struct process *p = &m->processes[process], *q = &m->processes[parent];

	if (p == q || p->busy_round == m->round || q->busy_round == m->round)
		return; /* the machine is too small for as many changes */
	p->busy_round = m->round;
	if (kind == CHANGE_FORK)
		q->busy_round = m->round; /* the child is like it was */
	vec_reserve(&m->changes, &m->change_cap, m->change_len + 1, sizeof(*m->changes));
	m->changes[m->change_len++] = (struct change){
		.time_ns = MACHINE_START_NS + (uint64_t)m->round * ROUND_NS + SKEW_NS +
			   scale_random(&m->random, ROUND_NS / 4),
		.cpu = (uint32_t)scale_random(&m->random, m->s.cpus),
		.process = process, .parent = parent, .kind = kind,
	};
}

static void
plan_round(struct machine *m)
{
	const uint64_t rates[] = { [CHANGE_FORK] = m->s.forks, [CHANGE_EXEC] = m->s.execs,
				   [CHANGE_MMAP] = m->s.mmaps };

	m->change_len = m->change_at = 0;
	for (int kind = CHANGE_FORK; kind <= CHANGE_MMAP; kind++)
		for (uint64_t n = due(m, rates[kind]); n > 0; n--)
			plan_change(m, (enum change_kind)kind);
	if (m->change_len > 0)
		qsort(m->changes, m->change_len, sizeof(*m->changes), by_cpu_and_time);
}

/* ---- samples */

uint64_t
machine_period_ns(const struct scale *s)
{
	return MAX(s->cpus * NSEC_PER_SEC / s->samples, 1);
}

/* The code of a function, or of any number that stands for one. */
static uint64_t
code_at(const struct machine *m, uint64_t base, uint64_t function, uint64_t step)
{
	return base + SCALE_TEXT_AT + function % scale_functions(&m->s) * SCALE_FUNCTION_BYTES +
	       step % (SCALE_FUNCTION_BYTES / CODE_STEP - 1) * CODE_STEP + CODE_STEP;
}

struct chain {
	uint64_t items[CHAIN_MAX];
	size_t len;
};

static void
push(struct chain *c, uint64_t at)
{
	if (c->len < CHAIN_MAX)
		c->items[c->len++] = at;
}

/*
 * The frames above the leaf: the number of a stack without its last digits is that of the frame
 * that calls, so that stacks alike share what is above.
 */
static void
push_callers(const struct machine *m, struct chain *c, const struct process *p, uint64_t stack)
{
	uint64_t depth = m->s.depth / 2 + scale_mix(stack) % (m->s.depth + 1);

	for (uint64_t i = 1; i < depth; i++) {
		uint64_t shift = i * FANOUT_BITS, node = shift < 64 ? stack >> shift : 0;
		uint64_t what = scale_mix(node ^ (depth - i) << 48 ^ (uint64_t)p->program << 40);

		push(c, code_at(m, program_at(p), what, what >> 32));
	}
}

static uint64_t
kernel_ip(uint64_t function, uint64_t step)
{
	return KERNEL_AT + function % KERNEL_FUNCTIONS * SCALE_FUNCTION_BYTES +
	       step % (SCALE_FUNCTION_BYTES / CODE_STEP) * CODE_STEP;
}

static void
push_kernel(struct chain *c, uint64_t function, uint64_t ip)
{
	push(c, PERF_CONTEXT_KERNEL);
	push(c, ip);
	for (uint64_t i = 0; i < KERNEL_FRAMES; i++)
		push(c, kernel_ip(scale_mix(function >> i * FANOUT_BITS) + i, i));
}

static void
switch_task(struct machine *m, struct cpu *cpu)
{
	do {
		cpu->process = (uint32_t)scale_skewed(&cpu->random, m->process_len);
		cpu->thread = (uint32_t)scale_random(&cpu->random, m->s.threads);
		cpu->slice_left = 1 + (uint32_t)scale_random(&cpu->random, SLICE_SAMPLES);
	} while (m->processes[cpu->process].busy_round == m->round);
}

static void
put_sample(struct machine *m, struct buf *b, struct cpu *cpu, const struct stamp *s,
	   const struct process *p)
{
	bool is_kernel = scale_random(&cpu->random, 100) < KERNEL_PERCENT;
	bool is_library = scale_random(&cpu->random, 100) < LIBRARY_PERCENT;
	uint64_t stack = scale_skewed(&cpu->random, scale_functions(&m->s) << FANOUT_BITS);
	uint64_t base = is_library ? library_at(p) : program_at(p);
	uint64_t ip = code_at(m, base, stack >> FANOUT_BITS, scale_random(&cpu->random, 16));
	uint64_t in_kernel = scale_skewed(&cpu->random, KERNEL_FUNCTIONS);
	uint64_t kernel = kernel_ip(in_kernel, scale_random(&cpu->random, 16));
	struct chain chain;

	chain.len = 0;
	if (m->frame.with_chains) {
		if (is_kernel)
			push_kernel(&chain, in_kernel, kernel);
		push(&chain, PERF_CONTEXT_USER);
		push(&chain, ip);
		push_callers(m, &chain, p, stack);
	}
	records_sample(b, &m->frame, s, is_kernel, is_kernel ? kernel : ip, chain.items, chain.len);
}

static void
take_sample(struct machine *m, struct buf *b, struct cpu *cpu, uint64_t time_ns)
{
	const struct process *p;
	struct stamp s = { .time_ns = MAX(time_ns, cpu->last_ns + 1),
			   .cpu = (uint32_t)(cpu - m->cpus) };

	if (cpu->slice_left == 0 || m->processes[cpu->process].busy_round == m->round)
		switch_task(m, cpu);
	cpu->slice_left--;
	p = &m->processes[cpu->process];
	s.pid = p->pid;
	s.tid = p->pid + cpu->thread;
	put_sample(m, b, cpu, &s, p);
	cpu->last_ns = s.time_ns;
	cpu->samples++;
	m->sums.samples++;
	m->sums.last_ns = MAX(m->sums.last_ns, s.time_ns);
	m->sums.first_ns = m->sums.first_ns == 0 ? s.time_ns : MIN(m->sums.first_ns, s.time_ns);
}

/* CPUs do not tick together, and none ticks exactly. */
static uint64_t
next_sample_ns(const struct machine *m, uint32_t cpu)
{
	uint64_t n = m->cpus[cpu].samples, period = m->frame.period;
	uint64_t phase = period * cpu / m->s.cpus;

	return MACHINE_START_NS + phase + n * m->s.cpus * NSEC_PER_SEC / m->s.samples +
	       scale_mix(n << 16 | cpu) % (period / 4 + 1);
}

void
machine_put_cpu(struct machine *m, uint32_t index, struct buf *b)
{
	uint64_t end = MACHINE_START_NS + (uint64_t)(m->round + 1) * ROUND_NS + SKEW_NS * index / m->s.cpus;
	struct cpu *cpu = &m->cpus[index];

	if (index == 0)
		plan_round(m);
	for (;;) {
		uint64_t time_ns = next_sample_ns(m, index);
		const struct change *c = &m->changes[m->change_at];

		if (m->change_at < m->change_len && c->cpu == index && c->time_ns <= time_ns) {
			put_change(m, b, cpu, c);
			m->change_at++;
			continue;
		}
		if (time_ns >= end)
			return;
		take_sample(m, b, cpu, time_ns);
	}
}

void
machine_end_round(struct machine *m)
{
	m->round++;
}

const struct machine_sums *
machine_sums(const struct machine *m)
{
	return &m->sums;
}

/* ---- the machine */

struct machine *
machine_new(const struct scale *s)
{
	struct machine *m = mem_calloc(1, sizeof(*m));
	struct event_attr attr = record_attr(RECORD_SAMPLING, machine_period_ns(s), s->depth > 0);

	m->s = *s;
	m->frame = (struct record_frame){ record_layout_of(&attr, false), s->cpus,
					  attr.sample_period, s->depth > 0 };
	m->random.state = scale_mix(s->seed);
	m->next_pid = FIRST_PID;
	m->process_len = MAX(s->tasks / s->threads, 1);
	m->processes = mem_calloc(m->process_len, sizeof(*m->processes));
	m->cpus = mem_calloc(s->cpus, sizeof(*m->cpus));
	for (size_t i = 0; i < m->process_len; i++)
		init_process(m, &m->processes[i],
			     (uint32_t)scale_random(&m->random, s->programs));
	for (uint64_t i = 0; i < s->cpus; i++)
		m->cpus[i].random.state = scale_mix(scale_mix(s->seed) ^ i);
	return m;
}

void
machine_free(struct machine *m)
{
	if (m == NULL)
		return;
	free(m->changes);
	free(m->processes);
	free(m->cpus);
	free(m);
}
