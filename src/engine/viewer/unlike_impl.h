/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_UNLIKE_IMPL_H
#define PTOP_ENGINE_VIEWER_UNLIKE_IMPL_H
/*
 * What unlike.c, which judges, and unlike_past.c, which keeps the last minute, share; nobody else
 * includes it.
 */
#include "base/index.h"
#include "engine/viewer/unlike.h"
#include "view/share.h"

enum {
	UNLIKE_PAST = 128, /* seconds that are kept */
	UNLIKE_LOOKS = 2,
	UNLIKE_TOLD_MAX = 256,
};

/* What is looked at: the newest seconds, each so many seconds. */
struct unlike_look {
	unsigned seconds, each;
};
extern const struct unlike_look unlike_looks[UNLIKE_LOOKS];

struct unlike_past {
	float of[UNLIKE_PAST];     /* a ring */
	double sums[UNLIKE_LOOKS]; /* of the seconds that are looked at */
};

struct unlike_host {
	uint32_t host;
	double now, samples_now; /* in the second that is being summed */
	double most;             /* the largest difference that is no chance, in this look */
	struct unlike_past all, samples;
	struct unlike_past is_there;    /* 1: it sent something */
};

struct unlike_cell {
	struct unlike_key key; /* host: its number here */
	uint32_t function;
	unsigned last;         /* second in which it had something */
	double now;          /* in the second that is being summed */
	struct unlike_past past;
};

struct unlike_function {
	uint32_t dso, name;
	unsigned last;
	unsigned crowded;    /* so many seconds were over when a cell of it had no room last; 0: never */
	double now;          /* in the second that is being summed */
	struct unlike_past past; /* of all hosts */
};

/* In the second that is being summed. */
struct unlike_gain {
	struct unlike_key key; /* host: its number here */
	double period;
};

struct unlike_told {
	struct unlike_key key; /* host: its number here */
	double delta;
	unsigned since, last;  /* when it was told, and when it was still so */
};

/* What may be told when it is seen again. */
struct unlike_seen {
	struct unlike_key key; /* host: its number here */
	size_t look;           /* by which of the looks, */
	unsigned since, last;  /* and in which seconds */
};

struct unlike_candidate {
	uint32_t host, function;
	struct share_change change;
};

struct unlike {
	unsigned seconds; /* so far */
	struct unlike_host *hosts;
	size_t host_len, host_cap;
	struct index host_index; /* counted from 1, as all here */
	struct unlike_past all, samples; /* of all hosts */
	struct unlike_cell *cells;
	size_t cell_len, cell_cap;
	struct index cell_index;
	struct unlike_function *functions;
	size_t function_len, function_cap;
	struct index function_index;
	struct unlike_gain *gains;
	size_t gain_len, gain_cap;
	struct index gain_index;
	struct unlike_told told[UNLIKE_TOLD_MAX];
	size_t told_len;
	struct unlike_seen seen[UNLIKE_TOLD_MAX];
	size_t seen_len;
	struct unlike_candidate *candidates;
	size_t candidate_len, candidate_cap;
	struct share_change **changes;
	size_t change_cap;
};

static inline bool
unlike_is_key(const struct unlike_key *a, const struct unlike_key *b)
{
	return a->host == b->host && a->dso == b->dso && a->name == b->name;
}

/* unlike_past.c: what was summed becomes the newest second. */
void unlike_turn(struct unlike *u);

/* What the host, by its number here, had of the function; NULL: next to nothing. */
const struct unlike_past *unlike_past_of(const struct unlike *u, uint32_t host,
					 const struct unlike_function *f);

#endif
