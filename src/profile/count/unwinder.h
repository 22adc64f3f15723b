/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_UNWINDER_H
#define PTOP_PROFILE_COUNT_UNWINDER_H
/*
 * Call chains of user space from the registers and the copy of the stack that a sample carries:
 * finds the code of each frame in the maps of its space, and asks for the rules of files that are
 * met for the first time.  Engine thread only.
 */
#include "model/model.h"
#include "profile/count/alike.h"
#include "record/record.h"
#include "symbol/unwind/unwind.h"

enum { UNWINDER_ENDS = UNWIND_UNREAD + 1, UNWINDER_SEEN = 4 };

/* The rules of @dso are wanted, mapped by @pid at start..end. */
struct rules_ask {
	uint32_t dso;
	int pid;
	uint64_t start, end;
};

enum dso_rules_state { RULES_NONE, RULES_ASKED, RULES_READY, RULES_FAILED };

struct dso_rules {
	enum dso_rules_state state;
	struct unwind_rules *rules; /* RULES_READY */
	bool is_unread; /* RULES_FAILED: its file may have some, but could not be read */
};

struct unwinder {
	const struct model *model;
	int arch; /* enum unwind_arch, -1: of a machine that is not known here */
	unsigned chain_max; /* the most frames that the kernel takes: kernel.perf_event_max_stack */
	struct dso_rules *dsos; /* by dso */
	size_t dso_cap;
	struct rules_ask *asks;
	size_t ask_len, ask_cap;
	size_t rules_bytes;

	struct unwind_cache *cache; /* NULL until there was something to unwind */

	/* The chain that was made last, innermost first, each where the code to be named is. */
	uint64_t addrs[UNWIND_FRAMES_MAX];
	size_t len;
	struct unwind_result result;
	struct unwind_reads reads;
	struct alike *alike;

	/*
	 * Of the chains that were used: how they ended, how many needed frame pointers, and in how
	 * many one was looked for on the stack.
	 */
	uint64_t ends[UNWINDER_ENDS], by_fp, guessed;

	/* Maps that frames were found in last: chains go to and fro between few. */
	struct unwinder_map {
		uint64_t start, end;
		struct unwind_place place;
	} seen[UNWINDER_SEEN];
	unsigned seen_count, seen_next; /* filled; to be filled next */
	uint32_t seen_space, seen_generation; /* of whom they are */

	/* While it is made: */
	const struct space *space;
	int pid;
	bool may_wait;
	uint32_t waits_for;
};

/* The machine that ptop runs on. */
void unwinder_init(struct unwinder *u, const struct model *model);
void unwinder_release(struct unwinder *u);

/* Samples are of another machine, as uname(2) calls it; NULL: of this one. */
void unwinder_set_machine(struct unwinder *u, const char *machine);

/* Whether a sample carries what a chain can be made of. */
static inline bool
unwinder_accepts(const struct record_sample *s)
{
	return s->regs_user.words != NULL && (s->carries & PERF_SAMPLE_STACK_USER);
}

/*
 * Makes the chain of a sample that it accepts, of a process with that @space.  0: done; else the
 * dso whose rules must come first, by unwinder_learn().  Without @may_wait it is made of what there
 * is. @pid 0: the process has ended.
 */
uint32_t unwinder_run(struct unwinder *u, const struct record_sample *s, const struct space *space,
		      int pid, bool may_wait);

/*
 * The number of that chain, by which samples alike are told from others before they are unwound.  0:
 * it has none, as it is cut, or made of too much.
 */
uint64_t unwinder_number(struct unwinder *u, uint32_t pid, const struct record_sample *s);

/* That chain as the kernel gives one: its callers by the addresses they return to.  How many. */
size_t unwinder_addresses(const struct unwinder *u, uint64_t out[UNWIND_FRAMES_MAX]);

/* The rules of @dso, taken; NULL: there are none. */
void unwinder_learn(struct unwinder *u, uint32_t dso, struct unwind_rules *rules);

/* Whether the file of @dso could not be read: to be called before unwinder_learn() of no rules. */
void unwinder_note_unread(struct unwinder *u, uint32_t dso, bool is_unread);

/* Counts @samples chains that are used, made like the one with that result. */
static inline void
unwinder_count(struct unwinder *u, uint64_t samples, const struct unwind_result *r)
{
	u->ends[r->end] += samples;
	u->by_fp += r->by_fp > 0 ? samples : 0;
	u->guessed += r->is_guessed ? samples : 0;
}

/* Whether the chain that was made last lacks its outer part. */
static inline bool
unwinder_is_cut(const struct unwinder *u)
{
	return u->result.end != UNWIND_WHOLE;
}

/* How many chains lack theirs. */
uint64_t unwinder_cut(const struct unwinder *u);

/* Why a chain that ended so lacks its outer part, and what would mend it; "": it does not. */
const char *unwinder_why(enum unwind_end end);
const char *unwinder_remedy(enum unwind_end end);

#endif
