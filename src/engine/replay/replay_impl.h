/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_REPLAY_REPLAY_IMPL_H
#define PTOP_ENGINE_REPLAY_REPLAY_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  file_policy.c says what of this machine
 * may be believed, replay.c reads, replay_time.c knows what time it is.
 */
#include "base/buf.h"
#include "datafile/datafile.h"
#include "engine/leaf/losses.h"
#include "engine/replay/replay.h"
#include "model/space.h"
#include "profile/count/feed.h"
#include "symbol/service/service.h"

struct replay_event {
	uint32_t number; /* here */
	uint64_t lost;   /* as the file counts it */
};

struct replay {
	struct file_policy policy; /* the first: what its functions get leads here */
	struct datafile *file;
	const struct engine_config *config;
	const struct engine_env *env; /* NULL until replay_begin() */
	struct intake *intake;
	const struct replay_names *names;
	void *names_self;
	void (*watch)(void *self, uint64_t now_ns);
	void *watch_self;

	struct replay_event *events; /* by event of the file */
	size_t event_len, event_cap;
	uint64_t window_ns;      /* of a report */
	uint64_t now_ns, next_beat_ns;
	uint64_t from_ns, to_ns; /* samples outside of it do not count; to_ns 0: all do */
	uint64_t next_due_ns;    /* the next beat, or change of what is at an address */
	uint64_t next_sweep_ns;  /* not each beat */
	bool has_new;            /* a record was taken that may want files */
	bool has_samples;        /* one at least */
	bool has_begun;          /* its time: records before that are of a recorder that gets ready */
	bool is_read;            /* to its end; samples may still wait for unwind rules */
	bool is_finishing;       /* a report of what is read so far is wanted */
	bool kernel_looked_at;   /* whether it is the one that runs here */
	struct buf symfs_path;
	size_t features_len;     /* of the text whose NUMA nodes are known */
	uint64_t kernel_text;    /* where it began; 0: no map of it came */
};

/* file_policy.c */
void policy_begin(struct replay *rp); /* the file is open */
void policy_look_at_kernel(struct replay *rp); /* once, when the kernel's first map has come */
void policy_learn_map(struct replay *rp, const struct record_mmap *m); /* its build-id, if it has one */
void policy_learn_origin(struct replay *rp); /* of a pipe it may come later */

/* replay_time.c */
void replay_do_due(struct replay *rp, bool is_sample); /* at a record from next_due_ns on */
void replay_tell_time_of_day(struct replay *rp); /* of a pipe it may come later */
bool replay_is_clock(const struct event_attr *attr); /* it counts nanoseconds: its period is time */

/* same_machine.c */

/*
 * What of this machine is what was recorded: from nothing else are names and rules taken.  Whether
 * it was recorded on this host, by its name.
 */
bool same_machine_is_here(const struct datafile_info *info);

/* When the recording was last written, CLOCK_REALTIME.  0: not known, as of a pipe. */
uint64_t same_machine_written_ns(const char *input);

/*
 * Says in @a, whose path is as it was recorded, which file on this machine is meant: its build-id
 * says so; without one, its inode on the same host, if the file has not changed since the recording
 * ended.  Below @config's symfs the path alone tells.  The path is "" if none is; it may lead into
 * @scratch.
 */
void same_machine_file(const struct datafile *file, const struct engine_config *config, bool is_this_host,
		   struct symbol_ask *a, struct buf *scratch);

/* Where the recorded kernel began, by the first of its @maps that says so; 0: none does. */
uint64_t same_machine_kernel_text(const struct space *maps);

/* Whether the kernel that runs here is of the recorded build: each boot may put it elsewhere. */
bool same_machine_has_build(const struct datafile *file);

#endif
