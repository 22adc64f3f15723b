/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_LABEL_H
#define PTOP_PROFILE_COUNT_LABEL_H
/*
 * Labels: what samples are told apart by besides task, place and event.  Interned tuples, whose
 * members are kept only once a query needs them; until then all samples have the empty one, and
 * nothing is looked up.  Engine thread only.
 */
#include "base/index.h"
#include "view/key.h"

/* 0: not kept, or the sample does not carry it. */
struct label {
	uint64_t cpu;        /* plus one */
	uint64_t address;    /* offset in the dso, plus one */
	uint64_t time;       /* of its bucket's begin, ns since the start, plus one */
	uint64_t data_src;
	uint64_t weight;     /* plus one */
	uint64_t id, stream_id; /* likewise */
	uint32_t on;         /* string: what a look says that is waited for */
	char owner_state;    /* of a lock: see struct record_look */
	uint8_t field_of;    /* what split_asks() said of the field; 0: of none */
	bool is_traced;      /* told when the wait was over: nobody looked who held the lock */
	bool is_unheld : 1;  /* a lock that tells its holder had none when that was looked for */
	bool has_run : 1;    /* who waits for a lock, since the look before: it may be many waits */
	uint32_t holding_at; /* location: where a thread waits that holds what others wait for; */
	uint32_t waits_at;   /* the same if it is for a lock, or its process has one tree */
	uint64_t waker, length; /* of record_look_waker() and record_look_length() */
	uint32_t syscall, field; /* strings: of the payload, see split.h */
	uint32_t from, to;   /* locations of the newest branch */
	uint64_t from_addr, to_addr; /* of those that were no function when it was taken */
};

enum { LABELS_NEAR = 64 };

struct labels {
	struct label *items; /* by id; [0] is the empty one */
	size_t len, cap;
	struct index index;
	uint32_t near[LABELS_NEAR]; /* ids: of those with such strings the one that came last */
	key_set want;        /* what is kept, see column.labels */
	uint64_t start_ns;   /* where time begins */
	uint64_t bucket_ns;  /* how much of it is one */
};

void labels_init(struct labels *l);
void labels_release(struct labels *l);

static inline bool
labels_want(const struct labels *l, enum key key)
{
	return (l->want & KEY_BIT(key)) != 0;
}

/* Whether fields of payloads tell samples apart. */
static inline bool
labels_want_payload(const struct labels *l)
{
	return (l->want & (KEY_BIT(KEY_SYSCALL) | KEY_BIT(KEY_FIELD))) != 0;
}

/* The id of @want, made if it is new. */
uint32_t labels_find(struct labels *l, const struct label *want);

/* What label.time is for a sample of @time_ns. */
uint64_t labels_bucket(const struct labels *l, uint64_t time_ns);

#endif
