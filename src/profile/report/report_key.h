/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_REPORT_KEY_H
#define PTOP_PROFILE_REPORT_REPORT_KEY_H
/*
 * What each key is of a sample, and what a row gets of it: one row of report_keys[] a key.  How a
 * key is called, printed and ordered is its row in columns[], see view/column.h.  Engine thread
 * only.
 */
#include "profile/count/profile.h"
#include "view/key.h"

struct report;
struct row;

/* An entry of the hot table, and what it is of. */
struct hot_entry {
	const struct profile *profile;
	const struct hot_key *hot;
	const struct label *label;
	const struct who *who;
	const struct task *task;
	uint32_t location; /* resolved */
	uint32_t dso;
};

struct hot_entry hot_entry_at(const struct profile *p, uint32_t id);

/* Of no code and without labels: for WHO_KEYS alone. */
struct hot_entry hot_entry_of_who(const struct profile *p, uint32_t who);

struct report_key {
	/* The number that stands for the key: entries of one group have it in common. */
	uint64_t (*part)(const struct hot_entry *e);
	/*
	 * Fills in what the row shows of it.  NULL: the member that the key's column shows is
	 * filled by its kind: of texts the part is a string's number; numbers and addresses are one
	 * less than it, so that 0 is none; all others are the part itself.
	 */
	void (*fill)(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part);
	bool is_early; /* fills in before the others, which may know better */
};

/* A string of the model: the lock that the hot entry @id waits for, without who holds it; 0: none. */
uint32_t report_lock_of(const struct profile *p, uint32_t id);

extern const struct report_key report_keys[KEY_COUNT];

/* Fills in @row what it shows of @key. */
void report_key_fill(struct report *r, struct row *row, enum key key, const struct hot_entry *e,
		     uint64_t part);

#endif
