/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/unwinder.h"

#include "symbol/unwind/unwind_rules.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { CHAIN_MAX = 127 }; /* kernel.perf_event_max_stack, unless somebody has changed it */

static const struct {
	const char *machine;
	enum unwind_arch arch;
} machines[] = {
	{ "x86_64", UNWIND_X86_64 },
	{ "aarch64", UNWIND_ARM64 },
	{ "arm64", UNWIND_ARM64 }, /* simpleperf's word */
};

/* The bits of the instruction pointer and the stack pointer: PERF_REG_X86_IP, PERF_REG_ARM64_PC ... */
static const struct alike_regs pointers[] = {
	[UNWIND_X86_64] = { .ip = UINT64_C(1) << 8, .sp = UINT64_C(1) << 7 },
	[UNWIND_ARM64] = { .ip = UINT64_C(1) << 32, .sp = UINT64_C(1) << 31 },
};

static const struct {
	const char *why, *remedy;
} ends[UNWINDER_ENDS] = {
	[UNWIND_WHOLE] = { "", "" },
	[UNWIND_STACK_CUT] = { "the copy of the stack ended", "-g dwarf,BYTES takes larger ones" },
	[UNWIND_ELSEWHERE] = { "a signal interrupted code on another stack", "" },
	[UNWIND_NO_RULES] = { "code without unwind information", "" },
	[UNWIND_NO_MAP] = { "a caller is in no map of the process", "" },
	[UNWIND_BROKEN] = { "the stack made no sense", "" },
	[UNWIND_TOO_DEEP] = { "more than 512 frames", "" },
	[UNWIND_WAITS] = { "unwind information came too late", "" },
	[UNWIND_PROBED] = { "in probes' code ([uprobes]): the function is counted or probed", "" },
	[UNWIND_UNREAD] = { "a file on the way could not be read", "its functions without names say why" },
};

void
unwinder_set_machine(struct unwinder *u, const char *machine)
{
	struct utsname own;

	if (machine == NULL)
		machine = uname(&own) == 0 ? own.machine : "";
	u->arch = -1;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (strcmp(machine, machines[i].machine) == 0)
			u->arch = (int)machines[i].arch;
}

void
unwinder_init(struct unwinder *u, const struct model *model)
{
	memset(u, 0, sizeof(*u));
	u->model = model;
	u->chain_max = CHAIN_MAX;
	unwinder_set_machine(u, NULL);
}

void
unwinder_release(struct unwinder *u)
{
	for (size_t i = 0; i < u->dso_cap; i++)
		unwind_rules_free(u->dsos[i].rules);
	free(u->dsos);
	free(u->asks);
	unwind_cache_free(u->cache);
	alike_free(u->alike);
}

static struct dso_rules *
rules_of(struct unwinder *u, uint32_t dso)
{
	vec_reserve_zeroed(&u->dsos, &u->dso_cap, dso + 1, sizeof(*u->dsos));
	return &u->dsos[dso];
}

/* Code that is in no file has no rules. */
static bool
has_file(enum dso_kind kind)
{
	return kind == DSO_FILE || kind == DSO_VDSO || kind == DSO_VDSO32;
}

static void
want_rules(struct unwinder *u, struct dso_rules *r, const struct map *map, int pid)
{
	if (!has_file(dsos_get(&u->model->dsos, map->dso)->kind)) {
		r->state = RULES_FAILED;
		return;
	}
	r->state = RULES_ASKED;
	vec_reserve(&u->asks, &u->ask_cap, u->ask_len + 1, sizeof(*u->asks));
	u->asks[u->ask_len++] = (struct rules_ask){ map->dso, pid, map->start, map->end };
}

static void
forget_maps(struct unwinder *u)
{
	u->seen_count = u->seen_next = 0;
}

static void
remember_map(struct unwinder *u, const struct map *map, const struct unwind_place *place)
{
	u->seen[u->seen_next] = (struct unwinder_map){ map->start, map->end, *place };
	u->seen_next = (u->seen_next + 1) % UNWINDER_SEEN;
	u->seen_count = MIN(u->seen_count + 1, (unsigned)UNWINDER_SEEN);
}

static int
find(void *arg, uint64_t ip, struct unwind_place *place)
{
	struct unwinder *u = arg;
	const struct map *map;
	struct dso_rules *r;

	for (unsigned i = 0; i < u->seen_count; i++) {
		if (ip >= u->seen[i].start && ip < u->seen[i].end) {
			*place = u->seen[i].place;
			return 0;
		}
	}
	map = space_find(u->space, ip);
	if (map == NULL)
		return -1;
	r = rules_of(u, map->dso);
	if (r->state == RULES_NONE)
		want_rules(u, r, map, u->pid);
	if (r->state == RULES_ASKED && u->may_wait) {
		u->waits_for = map->dso;
		return 1;
	}
	*place = (struct unwind_place){ r->rules, map_bias(map), map->dso == DSO_ID_UPROBES };
	/* The next sample may be one that waits for the rules. */
	if (r->state != RULES_ASKED)
		remember_map(u, map, place);
	return 0;
}

/* Of 32-bit programs no more than the innermost place is known. */
static void
add_leaf(struct unwinder *u, const struct record_regs *regs)
{
	uint64_t bit = pointers[u->arch].ip;

	if (regs->mask & bit)
		u->addrs[u->len++] = regs->words[bits_below(regs->mask, bit)];
}

/* A return address may begin another line or function: the call is before it. */
static void
sites_of_calls(struct unwinder *u)
{
	for (size_t i = 1; i < u->len; i++)
		u->addrs[i]--;
}

/* Where the kernel's chain of user space begins in what a sample carries. */
static size_t
find_user_chain(const struct record_sample *s)
{
	size_t i = 0;

	while (i < s->chain_len && s->chain[i] != (uint64_t)PERF_CONTEXT_USER)
		i++;
	return MIN(i + 1, s->chain_len);
}

/*
 * Where the frame that was unwound last is in the kernel's chain, 0: nowhere.  That chain has the
 * same frames but for those without a frame pointer, so all before it must have been unwound, in that
 * order: of the frames of a recursion, which look alike, the last of which this holds is the one.
 * The sample's own place is not compared: that of a precise event is not where its chain begins.
 */
static size_t
find_last_frame(const struct unwinder *u, const struct record_sample *s)
{
	const size_t last = u->len - 1;
	size_t k = last > 0 ? 1 : 0, found = 0;

	for (size_t i = find_user_chain(s) + k; i < s->chain_len; i++, k++) {
		if (s->chain[i] == u->addrs[last])
			found = i;
		while (k < last && u->addrs[k] != s->chain[i])
			k++;
		if (k == last)
			break;
	}
	return found;
}

/* Whether the kernel's chain may have been longer; the marks in it are no frames, but few. */
static bool
is_full(const struct unwinder *u, const struct record_sample *s)
{
	return s->chain_len >= (s->chain_max != 0 ? s->chain_max : u->chain_max);
}

/*
 * The kernel followed frame pointers to the end of the stack, copied or not.  If its chain has the
 * frame that was unwound last, what called that is in it, too.
 */
static void
join_frame_pointers(struct unwinder *u, const struct record_sample *s)
{
	size_t i = u->len > 0 ? find_last_frame(u, s) : 0;

	if (i == 0 || i + 1 >= s->chain_len)
		return;
	while (++i < s->chain_len && u->len < UNWIND_FRAMES_MAX && s->chain[i] < (uint64_t)PERF_CONTEXT_MAX)
		u->addrs[u->len++] = s->chain[i];
	if (u->len < UNWIND_FRAMES_MAX && !is_full(u, s))
		u->result.end = UNWIND_WHOLE;
	u->result.by_fp++;
}

/* Why there are no rules for the code that the chain ends in. */
static enum unwind_end
end_without_rules(struct unwinder *u)
{
	const struct map *map = u->len > 0 ?
		space_find(u->space, u->addrs[u->len - 1] - (u->len > 1)) : NULL;
	const struct dso_rules *r = map != NULL ? rules_of(u, map->dso) : NULL;

	if (r == NULL)
		return UNWIND_NO_RULES;
	return r->state == RULES_ASKED ? UNWIND_WAITS : r->is_unread ? UNWIND_UNREAD : UNWIND_NO_RULES;
}

uint32_t
unwinder_run(struct unwinder *u, const struct record_sample *s, const struct space *space, int pid,
	     bool may_wait)
{
	struct unwind_ask ask = {
		.regs_mask = s->regs_user.mask, .regs = s->regs_user.words,
		.stack = s->stack_user.data, .stack_len = s->stack_dyn_size,
		.find = find, .arg = u, .reads = &u->reads,
	};

	u->len = 0;
	u->result = (struct unwind_result){ .end = UNWIND_NO_RULES };
	u->reads.len = UNWIND_READS_MAX + 1;
	u->waits_for = 0;
	if (u->arch < 0)
		return 0;
	if (s->regs_user.abi != PERF_SAMPLE_REGS_ABI_64) {
		add_leaf(u, &s->regs_user);
		join_frame_pointers(u, s);
		sites_of_calls(u);
		return 0;
	}
	if (u->cache == NULL)
		u->cache = unwind_cache_new();
	ask.arch = (enum unwind_arch)u->arch;
	ask.cache = u->cache;
	if (u->seen_space != space->id || u->seen_generation != space->generation)
		forget_maps(u);
	u->seen_space = space->id;
	u->seen_generation = space->generation;
	u->space = space;
	u->pid = pid;
	u->may_wait = may_wait;
	u->len = unwind(&ask, u->addrs, UNWIND_FRAMES_MAX, &u->result);
	if (u->result.end == UNWIND_STACK_CUT || u->result.end == UNWIND_ELSEWHERE)
		join_frame_pointers(u, s);
	else if (u->result.end == UNWIND_NO_RULES)
		u->result.end = end_without_rules(u);
	sites_of_calls(u);
	return u->result.end == UNWIND_WAITS ? u->waits_for : 0;
}

uint64_t
unwinder_number(struct unwinder *u, uint32_t pid, const struct record_sample *s)
{
	const struct record_copy copy = {
		.pid = pid, .regs = s->regs_user,
		.stack = { s->stack_user.data, s->stack_dyn_size },
	};

	/* What did not wait for rules may have had to do without. */
	if (u->reads.len > UNWIND_READS_MAX || u->result.end != UNWIND_WHOLE ||
	    u->result.is_guessed || !u->may_wait)
		return 0;
	return alike_note(&u->alike, &pointers[u->arch], &copy,
			  (uint64_t)u->space->id << 32 | u->space->generation, &u->reads);
}

size_t
unwinder_addresses(const struct unwinder *u, uint64_t out[UNWIND_FRAMES_MAX])
{
	for (size_t i = 0; i < u->len; i++)
		out[i] = u->addrs[i] + (i > 0);
	return u->len;
}

void
unwinder_learn(struct unwinder *u, uint32_t dso, struct unwind_rules *rules)
{
	struct dso_rules *r = rules_of(u, dso);

	forget_maps(u);
	alike_clear(u->alike);
	if (r->rules != NULL) {
		unwind_cache_clear(u->cache);
		u->rules_bytes -= unwind_rules_bytes(r->rules);
		unwind_rules_free(r->rules);
	}
	r->rules = rules;
	r->state = rules != NULL ? RULES_READY : RULES_FAILED;
	if (rules != NULL)
		u->rules_bytes += unwind_rules_bytes(rules);
}

void
unwinder_note_unread(struct unwinder *u, uint32_t dso, bool is_unread)
{
	rules_of(u, dso)->is_unread = is_unread;
}

uint64_t
unwinder_cut(const struct unwinder *u)
{
	uint64_t n = 0;

	for (size_t i = 0; i < UNWINDER_ENDS; i++)
		if (i != UNWIND_WHOLE)
			n += u->ends[i];
	return n;
}

const char *
unwinder_why(enum unwind_end end)
{
	return ends[end].why;
}

const char *
unwinder_remedy(enum unwind_end end)
{
	return ends[end].remedy;
}
