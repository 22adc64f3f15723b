/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_EXPORTER_H
#define PTOP_ENGINE_VIEWER_EXPORTER_H
/*
 * Writes one snapshot to a file by a thread of its own, since disks block.  Called by the engine
 * thread.
 */
#include "base/queue.h"
#include "export/format.h"

enum exporter_msg_type {
	EXPORTER_MSG_ENDED = 620, /* struct exporter_ended_msg: the only one of an exporter */
};

struct exporter;

struct exporter_ended_msg {
	struct msg msg;
	struct exporter *exporter;
	uint64_t bytes; /* that the file has, if it is there */
};

/*
 * Writes what is in @s (taken), which must be of a query for that format, to the new file @path.
 * EXPORTER_MSG_ENDED comes to @answers; then exporter_free().
 */
struct exporter *exporter_new(const char *path, enum export_format format, struct snapshot *s,
			      struct queue *answers);

/* When it has ended: where the file is, from the root on. */
const char *exporter_path(const struct exporter *x);

/* Waits for its end.  -1: the file is not there, why, and where else; 0 also for NULL. */
int exporter_free(struct exporter *x, struct err *err);

#endif
