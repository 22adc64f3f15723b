/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/term.h"

#include <linux/perf_event.h>
#include <string.h>

/* What older headers lack, by the number that the kernel gave it (6.8), and aux_action's (6.13). */
#define BRANCH_COUNTERS (UINT64_C(1) << 19)
enum { AUX_START_PAUSED = 1, AUX_PAUSE = 2, AUX_RESUME = 4 };

enum { STACK_BYTES_MAX = 65528 }; /* perf_event_open(2): less than 64 KiB, a multiple of 8 */

#define AT(member) .offset = offsetof(struct event, member), .size = sizeof(((struct event *)0)->member)
#define BRANCH(what) PERF_SAMPLE_BRANCH_##what

static const struct term_word call_graphs[] = {
	{ "fp", CALL_GRAPH_FP }, { "dwarf", CALL_GRAPH_DWARF }, { "lbr", CALL_GRAPH_LBR },
	{ "no", CALL_GRAPH_NONE }, { NULL },
};

static const struct term_word branch_types[] = {
	{ "any", BRANCH(ANY) },
	{ "any_call", BRANCH(ANY_CALL) },
	{ "any_ret", BRANCH(ANY_RETURN) },
	{ "ind_call", BRANCH(IND_CALL) },
	{ "ind_jmp", BRANCH(IND_JUMP) },
	{ "call", BRANCH(CALL) },
	{ "cond", BRANCH(COND) },
	{ "abort_tx", BRANCH(ABORT_TX) },
	{ "in_tx", BRANCH(IN_TX) },
	{ "no_tx", BRANCH(NO_TX) },
	{ "stack", BRANCH(CALL_STACK) },
	{ "save_type", BRANCH(TYPE_SAVE) },
	{ "hw_index", BRANCH(HW_INDEX) },
	{ "priv", BRANCH(PRIV_SAVE) },
	{ "counter", BRANCH_COUNTERS },
	{ "u", BRANCH(USER) },
	{ "k", BRANCH(KERNEL) },
	{ "hv", BRANCH(HV) },
	{ "no", 0 },
	{ NULL },
};

static const struct term_word aux_actions[] = {
	{ "start-paused", AUX_START_PAUSED }, { "pause", AUX_PAUSE }, { "resume", AUX_RESUME },
	{ NULL },
};

static const struct term_row rows[] = {
	{ "config", "the attribute's config", TERM_TAKES_NUMBER, TERM_CONFIG, AT(config), 0,
	  UINT64_MAX, .is_config = true },
	{ "config1", "config1", TERM_TAKES_NUMBER, TERM_CONFIG1, AT(config1), 0, UINT64_MAX,
	  .is_config = true },
	{ "config2", "config2", TERM_TAKES_NUMBER, TERM_CONFIG2, AT(config2), 0, UINT64_MAX,
	  .is_config = true },
	{ "config3", "config3, kernel 6.3", TERM_TAKES_NUMBER, TERM_CONFIG3, AT(config3), 0,
	  UINT64_MAX, .is_config = true },
	{ "config4", "config4, of kernels after 6.18", TERM_TAKES_NUMBER, TERM_CONFIG4, AT(config4), 0,
	  UINT64_MAX, .is_config = true },
	{ "name", "how the event is called", TERM_TAKES_TEXT, TERM_NAME, AT(name) },
	{ "period", "one sample each so many events", TERM_TAKES_NUMBER, TERM_PERIOD,
	  AT(terms.period), 1, INT64_MAX },
	{ "freq", "samples per second", TERM_TAKES_NUMBER, TERM_FREQ, AT(terms.freq), 1,
	  UINT32_MAX },
	{ "branch_type", "which branches each sample lists", TERM_TAKES_WORDS, TERM_BRANCH_TYPE,
	  AT(terms.branch_type), .words = branch_types },
	{ "call-graph", "how stacks are taken", TERM_TAKES_WORD, TERM_CALL_GRAPH,
	  AT(terms.call_graph), .words = call_graphs },
	{ "stack-size", "bytes of the user's stack, for call-graph=dwarf", TERM_TAKES_NUMBER,
	  TERM_STACK_SIZE, AT(terms.stack_size), 1, STACK_BYTES_MAX },
	{ "max-stack", "frames of a call chain", TERM_TAKES_NUMBER, TERM_MAX_STACK,
	  AT(terms.max_stack), 1, UINT16_MAX },
	{ "inherit", "children are counted too", TERM_TAKES_FLAG, TERM_INHERIT,
	  AT(terms.inherit) },
	{ "no-inherit", "children are not counted", TERM_TAKES_NOT, TERM_INHERIT,
	  AT(terms.inherit) },
	{ "overwrite", "new samples push out old ones: not for ptop's rings, so it is refused",
	  TERM_TAKES_FLAG, TERM_OVERWRITE, AT(terms.overwrite) },
	{ "no-overwrite", "new samples are lost when the ring is full", TERM_TAKES_NOT,
	  TERM_OVERWRITE, AT(terms.overwrite) },
	{ "time", "samples have a time", TERM_TAKES_FLAG, TERM_TIME, AT(terms.time) },
	{ "nr", "perf trace prints so many: no effect here, which is said", TERM_TAKES_NUMBER,
	  TERM_MAX_EVENTS, AT(terms.max_events), 1, UINT32_MAX },
	{ "percore", "perf stat adds up by core: no effect here, which is said", TERM_TAKES_FLAG,
	  TERM_PERCORE, AT(terms.percore) },
	{ "aux-output", "samples go to the trace of the group's leader", TERM_TAKES_FLAG,
	  TERM_AUX_OUTPUT, AT(terms.aux_output) },
	{ "aux-sample-size", "bytes of the trace in each sample", TERM_TAKES_NUMBER,
	  TERM_AUX_SAMPLE_SIZE, AT(terms.aux_sample_size), 1, UINT32_MAX },
	{ "aux-action", "what happens to the trace of the group's leader", TERM_TAKES_WORD,
	  TERM_AUX_ACTION, AT(terms.aux_action), .words = aux_actions },
	{ "exact", "each wait, by what the scheduler tells: of off-cpu", TERM_TAKES_FLAG,
	  TERM_EXACT, AT(terms.exact) },
	{ "force", "of exact: however often the machine switches", TERM_TAKES_FLAG, TERM_FORCE,
	  AT(terms.force) },
	{ "string", "of uprobes: arguments that are read as strings; alone: those that are known to be",
	  TERM_TAKES_NAMES, TERM_STRING, AT(strings) },
	{ "metric-id", "perf's note for its metrics: it changes nothing", TERM_TAKES_ANY },
};

const struct term_row *
term_table(size_t *count)
{
	*count = ARRAY_SIZE(rows);
	return rows;
}

const struct term_row *
term_table_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
			return &rows[i];
	}
	return NULL;
}
