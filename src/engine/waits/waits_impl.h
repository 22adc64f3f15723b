/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_WAITS_WAITS_IMPL_H
#define PTOP_ENGINE_WAITS_WAITS_IMPL_H
/* What the files of this room share: who is looked at (waits.c), and what is said of it (waits_said.c). */
#include "engine/waits/look_share.h"
#include "engine/waits/waits.h"
#include "live/wait/looker.h"
#include "view/snapshot.h"

enum { WAITS_SELDOM_MS = 200 }; /* looks that are so far apart are told about */

struct waits {
	const struct engine_config *config;
	const struct file_policy *policy;
	struct notes *notes;
	struct measured *measured;
	struct sample_ids *ids;
	const struct model *model;
	const struct feed *feed;
	const struct profile *profile;
	struct own_cost *cost;
	struct session *session;
	struct intake *intake;

	struct looker *looker; /* NULL: no event wants looks */
	struct look_share share; /* what it may cost */
	uint32_t event;        /* that does */
	uint64_t ids_given;
	struct wait_target *targets; /* as told to the looker */
	size_t target_len, target_cap;
	bool is_all;
	int preferred;          /* pid, 0: none */
	uint32_t model_changes; /* as of when, and */
	uint64_t listed_ns;
	struct wait_top *tops;  /* that samples told, and the looker is to know */
	size_t top_len, top_cap;
	uint64_t begun_ns;
	uint64_t asked_ns;      /* of a report: when, 0: it has all */
	uint64_t all_told_ns;   /* when all was told, 0: not yet */
	bool is_over;           /* nothing is looked at any more */
	bool has_said_kernel;   /* that its functions are left out */
	bool has_no_schedstat;  /* the kernel is built without */
};

extern const char waits_lacks_kernel[];

/* Of its engine_part. */
void waits_put_head(const void *waits, struct snapshot *s);
void waits_put_notices(const void *waits, struct part_notices *n);
void waits_put_page(const void *waits, struct buf *b);

#endif
