/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_RECORDING_IMPL_H
#define PTOP_ENGINE_RECORDING_RECORDING_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  known_state.c knows what a recording
 * must have beside the records of the rings; kept.c keeps those; recording.c writes, and at the end
 * written_losses.c what was lost;
 * fate.c (fate.h) has the words for what becomes of it.
 */
#include "base/buf.h"
#include "engine/leaf/sample_ids.h"
#include "engine/recording/fate.h"
#include "engine/recording/history.h"
#include "engine/recording/known_look.h"
#include "engine/recording/recorder.h"
#include "engine/recording/recording.h"
#include "live/proc/proc_msg.h"
#include "model/model.h"
#include "record/encode.h"
#include "record/gains.h"
#include "symbol/image/image.h"

enum { RECORDERS_MAX = 4 };

struct recording {
	const struct engine_config *config;
	const struct event_env *events;
	const struct file_policy *policy;
	struct notes *notes;
	const struct stream_clock *clock;
	const struct measured *measured;
	const struct sample_ids *ids;
	const struct record_layout *layout; /* of live records, but of samples of some events */
	struct model *model;
	struct locations *locations;
	const struct session *session;
	struct queue *answers;
	bool (*waits)(const void *self); /* see recording_set_patience() */
	const void *waits_self;

	struct history *history;   /* NULL: records are not kept */
	struct recorder *active;   /* takes all that comes; NULL: none */
	uint64_t lost_before[EVENTS_MAX]; /* of each event, when that began */
	struct {
		struct recorder *recorder;
		char *about; /* what its note says that it is of; "": nothing */
	} all[RECORDERS_MAX];      /* whose end was not told yet, the active one too */
	size_t count;
	uint64_t round_since_ns;   /* how long the round waits for what /proc has to tell, 0: not */
	bool is_kernel_written;    /* its maps, to the active one */
	uint64_t round_ns;         /* when the last round ended */
	uint64_t waits_since;      /* the time of the first sample that is still to be unwound */
	struct {
		enum record_what what;
		char *path;
		uint64_t around_ns; /* of RECORD_CHANGE, as the next */
		char *around;
		uint64_t since_ns; /* 0: there is none */
	} command;                 /* that waits for those before it */
	struct buf unwound;        /* the sample that is being added */
	struct known_looks looks;  /* that may come again */
	struct written_attr {
		uint32_t event;
		struct event_attr attr;
	} *attrs;                  /* by the recorders' key: an event may be opened anew in another way */
	size_t attr_len, attr_cap;
	struct gains gains;        /* the values of counters in what is kept */
	struct build_id {
		uint8_t id[20], len;
	} *build_ids;              /* by dso */
	size_t build_id_cap;
	struct fate fate;          /* of all that were written */
};

/* Whether samples of that sample_type are kept with their chains in place of copies of stacks. */
static inline bool
recording_unwinds(const struct recording *rg, uint64_t sample_type)
{
	return !rg->config->raw_stacks && record_has_copies(sample_type);
}

/* written_losses.c: of the active recorder, when it begins and before it ends. */
void written_losses_begin(struct recording *rg);
void written_losses_put(struct recording *rg);

/*
 * known_state.c.  Names and maps are put as they were at @since_ns, 0: as they are now: what changed
 * after that is told by the records themselves, or was not known before.
 */
void known_state_put(const struct recording *rg, struct recorder *r, uint64_t since_ns);
/* The kernel's code and modules as soon as they are known; @is_last: nothing more will be. */
bool known_state_put_kernel(struct recording *rg, struct recorder *r, bool is_last);
void known_state_put_events(const struct recording *rg, struct recorder *r);
void known_state_put_group(const struct recording *rg, struct recorder *r, uint32_t leader);
/* The attributes of a group, or of an event with copies of stacks, are known, or others. */
void known_state_learn_group(struct recording *rg, uint32_t leader);
void known_state_learn_copies(struct recording *rg, uint32_t event);
/* Before all records: a file that is never closed has it, too. */
void known_state_put_kernel_build_id(struct recorder *r);
/* Of files: all that were learned. */
void known_state_put_build_ids(const struct recording *rg, struct recorder *r);
void known_state_add_learned(struct recording *rg); /* what /proc has told since the last time */
/*
 * The parts of its programs and libraries that are not executable, where /proc was asked for them:
 * perf reads there how to unwind.
 */
void known_state_add_data(struct recording *rg, const struct proc_maps_msg *m);
/* What a process that ends had, which may not be among the records that are still held. */
void known_state_add_leaving(struct recording *rg, const struct record *rec);
/* The recorder's key of the event that records with @id are of; for history_new(). */
uint32_t known_state_event_of(const void *recording, uint64_t id);

/* kept.c: the functions of struct intake_sink. */
void kept_add_sample(void *recording, const struct record *rec, struct bytes bytes, uint64_t tag);
void kept_add_repeat(void *recording, struct bytes bytes, uint64_t tag, uint64_t time_ns);
bool kept_knows_look(void *recording, uint64_t tag);
void kept_add_repeated_look(void *recording, struct bytes bytes, uint64_t tag, uint64_t time_ns);
void kept_add_values(void *recording, const struct record_layout *layout, const struct record *rec,
		     struct bytes bytes, const uint64_t *gains);
void kept_add_unwound(void *recording, uint32_t task, const struct record *rec, struct bytes bytes,
		      const struct record_unwound *user, uint64_t tag);
bool kept_knows(void *recording, uint64_t tag);
void kept_add_other(void *recording, const struct record *rec, struct bytes bytes); /* no sample */

/*
 * past.c: with --overwrite the flight recorder's samples are the kernel's.  past_read() copies them,
 * past_put() gives them to @r, and all that is no sample and held as ever.
 */
struct past {
	struct past_record {
		uint64_t time_ns;
		struct bytes bytes;
	} *records; /* by time */
	size_t len, cap;
	struct buf bytes;
};

void past_read(const struct recording *rg, struct past *p);
uint64_t past_since(const struct past *p); /* time of the first sample, 0: there is none */
void past_put(const struct recording *rg, const struct past *p, struct recorder *r);
void past_cut(struct past *p, uint64_t from_ns, uint64_t to_ns); /* leaves out samples of other times */
void past_release(struct past *p);

/* What a recording must know of the kernel's code that was there before it, as records. */
#define KERNEL_RECORD_NAME "[kernel.kallsyms]_text"

/*
 * Of the running kernel's list: maps of the kernel and its modules, symbols of its BPF programs
 * and of what it made for itself, but for those that @known knows better.
 */
void kernel_records_put_list(struct buf *b, const struct record_layout *layout,
			     const struct image *list, const struct ksymbols *known);

/* Of symbols that records brought up to @last_ns, and what is still there. */
void kernel_records_put_ksymbols(struct buf *b, const struct record_layout *layout,
				 const struct model *m, uint64_t last_ns);

#endif
