/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_RECORDER_H
#define PTOP_ENGINE_RECORDING_RECORDER_H
/*
 * Writes a recording by a thread of its own, since disks block.  What waits to be written is
 * bounded: chunks that do not fit are left out and counted.  Called by the engine thread; each call
 * returns at once, all are carried out in order.
 */
#include "base/err.h"
#include "base/queue.h"
#include "engine/recording/history.h"
#include "event/event.h"
#include "record/abi.h"

enum recorder_msg_type {
	RECORDER_MSG_ENDED = 600, /* struct recorder_ended_msg: the last of a recorder */
};

struct recorder_ended_msg {
	struct msg msg;
	struct recorder *recorder;
	unsigned how; /* enum recorder_how */
	char *path;
	uint64_t bytes;
	bool is_made;     /* false: there is no file */
	uint64_t samples; /* that are in the file */
	uint64_t lost;   /* samples that were left out: the disk was too slow */
	struct err err;  /* code ERR_NONE: all else is in the file, else what is there up to then */
};

/* The key of the event of maps and names, beside the caller's. */
enum { RECORDER_SIDEBAND = UINT32_MAX };

struct recorder;

/* How a file is written; bits. */
enum recorder_how {
	RECORDER_OVERWRITES = 1 << 0, /* a file that is there already */
	RECORDER_COMPRESSES = 1 << 1,
	RECORDER_NOW = 1 << 2, /* it is made before recorder_new() returns */
	RECORDER_WHOLE = 1 << 3, /* of what is held anyway: nothing is left out if the disk is slow */
	RECORDER_OWN = 1 << 4, /* the file is ptop's own, also under sudo */
};

/*
 * A new file at @path.  With RECORDER_NOW, NULL and the reason if it cannot be made; else the
 * thread ends with that reason.  @layout and @env must outlive it.
 */
struct recorder *recorder_new(const char *path, unsigned how, const struct record_layout *layout,
			      const struct event_env *env, struct queue *answers,
			      struct err *err);

/*
 * An event, which the ids of chunks are of by @key: told before the first chunk that has one.  What
 * is written has all its ids in the file's tables, as long as their events were told.  @format: of a
 * tracepoint whose format tracefs may have no more; NULL: it is asked.
 */
void recorder_event(struct recorder *r, uint32_t key, const char *name, const char *format,
		    const struct event_attr *attr);
/* These are a group, which the first leads. */
void recorder_group(struct recorder *r, const uint32_t *keys, size_t len);

/* Records in time order; a reference is taken. */
void recorder_chunk(struct recorder *r, struct history_chunk *c);
/* The same, for those that hand chunks on, as history_set_sink(). */
void recorder_take_chunk(void *recorder, struct history_chunk *c);

/* Records made by record_encode_*(); copied. */
void recorder_records(struct recorder *r, const void *data, size_t len);

/* All that comes later is younger than what came before the last round. */
void recorder_round(struct recorder *r);

void recorder_build_id(struct recorder *r, bool is_kernel, const char *path, const uint8_t *id,
		       size_t len);

/*
 * Ends it in order.  RECORDER_MSG_ENDED comes when all is written, or before that when nothing more
 * can be; then recorder_free().
 */
void recorder_close(struct recorder *r);

/* Until all is written, and the last message sent. */
void recorder_wait(struct recorder *r);

/* After that.  NULL is allowed. */
void recorder_free(struct recorder *r);

/*
 * How many samples of the chunks that a recorder was given are not in the file, as its last message
 * says; without those of its @lost.  Before recorder_free().
 */
uint64_t recorder_missing(const struct recorder_ended_msg *m);

uint64_t recorder_bytes(const struct recorder *r); /* written so far */

#endif
