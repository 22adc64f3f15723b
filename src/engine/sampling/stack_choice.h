/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_SAMPLING_STACK_CHOICE_H
#define PTOP_ENGINE_SAMPLING_STACK_CHOICE_H
/*
 * What the files of -g auto share: stack_choice.c chooses processes, opens and ends; who has too short
 * copies is in stack_choice_cuts.c, what is to be opened in stack_choice_fit.c, which samples count in
 * stack_choice_samples.c, and what is said of it in stack_choice_text.c.
 */
#include "engine/sampling/sampling_impl.h"

enum {
	COPIED_EVENTS_MAX = 8, /* of a process */
	REFUSED_MAX = 64,
	CUT_MAX = 64,          /* processes that are candidates at once */
	CUT_LEAST = 8,         /* samples of a process, to judge by */
	CUT_PART = 20,         /* if one in so many is cut, copies are too short */
};

enum stacks_state {
	STACKS_ASKED, /* of the opener */
	STACKS_OPEN,
	STACKS_ENDED, /* what it sampled may still be in the rings */
};

/* An event of such a process. */
struct stacks_event {
	uint32_t event;
	uint64_t rate;          /* the event's, when this was asked for */
	uint64_t since_ns;      /* when its samples begin to count; UINT64_MAX: none has come yet */
	uint32_t taken, passed; /* since the last look: its own samples, and all's of that process */
};

/* A process with larger copies of its stacks, by one opening. */
struct own_stacks {
	enum stacks_state state;
	uint32_t number;
	int pid;
	uint32_t task, execs;
	uint32_t bytes;
	uint64_t begun_ns, until_ns; /* since when it is open; UINT64_MAX: it goes on */
	uint64_t hot_ns;             /* when it was busy last */
	uint32_t weight;             /* samples before the last look */
	uint32_t seen, cut;          /* samples to judge by, and those whose copies were too short */
	unsigned starved;            /* looks in a row at which an event had hardly a sample */
	struct stacks_event events[COPIED_EVENTS_MAX];
	size_t event_count;
	struct session_stacks *open;
	uint64_t *ids;
	size_t id_count;
	int *tids;                   /* that have a descriptor of their own, rising */
	size_t tid_count;
};

struct stack_choice {
	struct own_stacks *items;
	size_t len, cap;
	size_t taking;         /* whose sample is being filed, SIZE_MAX: of none */
	uint64_t cuts_before;  /* then */
	struct cut_list {
		struct cut_process {
			int pid;
			uint32_t cut, filed;  /* chains that ended with the copy that all have, of so many */
			unsigned looks, idle; /* since the first of them, and since the last */
		} items[CUT_MAX];
		size_t len;
	} cuts, judged;        /* too few to judge by; enough at the last look, most first */
	uint64_t next_look_ns;
	uint32_t last_number;
	struct refused {
		int pid;
		uint64_t until_ns;
	} refused[REFUSED_MAX];
	size_t refused_next;
	struct refusal {
		char *text;            /* NULL: none holds */
		uint32_t task, execs;  /* whose chains stay cut */
	} refusal;             /* the first that holds */
	uint64_t refusals;     /* so far */
	uint64_t lost[EVENTS_MAX]; /* of those that ended */
	uint64_t lost_hint;
	size_t last_count;     /* processes when the sampling was stopped for the last report */
};

/* NULL: there is none of that number any more. */
struct own_stacks *stack_choice_find(const struct stack_choice *a, uint32_t number);

/* NULL: it is none of those. */
struct stacks_event *stack_choice_event(struct own_stacks *s, uint32_t event);

/* Processes that have copies of their stacks now. */
size_t stack_choice_processes(const struct stack_choice *a);

/* Its number, and its name on one line. */
void stack_choice_put_process(const struct sampling *sp, const struct own_stacks *s, struct buf *b);

/* A sample with the copy that all have; of processes that have had a cut one, each is counted. */
void stack_choice_note_copy(struct stack_choice *a, int pid, bool is_cut);

/* What is enough to judge by is judged, and begins anew; what is less waits for more. */
void stack_choice_judge_cuts(struct stack_choice *a);

/* Those that can be opened a second time, into COPIED_EVENTS_MAX; how many. */
size_t stack_choice_list_events(const struct sampling *sp, uint32_t *events);

/* How much is copied of the stack of a process for which what all have is too little. */
uint32_t stack_choice_larger_bytes(const struct sampling *sp, const uint32_t *events, size_t count);

/* Whether it is open as it is wanted now, with so many @bytes. */
bool stack_choice_is_as_wanted(const struct sampling *sp, const struct own_stacks *s, uint64_t now_ns,
			       uint32_t *bytes);

/* Whether all's event had many samples of it at the last look, and its own hardly any. */
bool stack_choice_is_starved(const struct sampling *sp, const struct own_stacks *s);

/* How two numbers of threads are ordered, for qsort(3) and bsearch(3). */
int stack_choice_compare_tids(const void *a, const void *b);

#endif
