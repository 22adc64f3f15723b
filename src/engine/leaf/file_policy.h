/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_FILE_POLICY_H
#define PTOP_ENGINE_LEAF_FILE_POLICY_H
/*
 * What of this machine may be believed of what is measured, and what can be asked for at all: of
 * what runs here everything, of a recording what is proven to be the same.  Whoever brings records
 * gives it; nobody asks what the source is.
 */
#include "symbol/ask/ask.h"

struct file_policy {
	bool has_processes;    /* /proc and the memory of processes tell more of them */
	bool is_host_known;    /* the records say on which machine they were made */
	bool is_this_host;     /* what processes wrote into files is here */
	bool is_this_build;    /* the kernel that runs here is of the same build */
	bool is_this_kernel;   /* and at the same addresses */
	bool is_kernel_hidden; /* where the kernel of this build is may not be seen */
	bool has_jit_times;    /* the times in jitdumps are those of samples */
	bool is_complete;      /* all records that there will ever be have been taken */
	uint64_t written_ns;   /* CLOCK_REALTIME: files that are younger tell of something else; 0: none */
	const char *no_events, *no_targets, *no_counters, *no_recording; /* why not; NULL: they can be had */

	/* Says in @ask, whose path is as it was mapped, which file on this machine is meant, if any. */
	void (*identify)(const struct file_policy *p, struct symbol_ask *ask);
	/*
	 * The symbols that come with the records, of the file at @path, NULL: the kernel.  NULL: none.  No
	 * records have any if this is NULL.
	 */
	struct image *(*image)(const struct file_policy *p, const char *path);
	uint64_t (*kernel_text)(const struct file_policy *p);  /* where it begins, 0: not known */
	size_t (*kernel_build_id)(const struct file_policy *p, uint8_t id[BUILD_ID_MAX]); /* its length, 0: none */
};

/* Of what runs here. */
extern const struct file_policy live_policy;

#endif
