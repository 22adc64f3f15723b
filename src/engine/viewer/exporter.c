/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/exporter.h"

#include "base/file.h"
#include "base/thread.h"
#include "base/whole_file.h"

#include <pthread.h>
#include <stdlib.h>

struct exporter {
	char *path;
	enum export_format format;
	struct snapshot *snapshot;
	struct queue *answers;
	pthread_t thread;
	struct err err; /* the thread's until it has ended; code ERR_NONE: the file is there */
};

static int
write_to_file(void *self, const void *data, size_t len)
{
	return file_write_all(((struct whole_file *)self)->fd, data, len);
}

static int
export(struct exporter *x, uint64_t *bytes, struct err *err)
{
	struct report_run run = { .is_first = true };
	struct whole_file f;
	struct sink out = { .write = write_to_file, .self = &f };
	int res;

	if (whole_file_open(&f, x->path, false, err) < 0) {
		/* The command line's remedy is none here. */
		if (err->sys == 0)
			err_hint(err, "another name is needed");
		return -1;
	}
	res = format_put(x->format, &out, x->snapshot, &run);
	*bytes = out.bytes;
	if (res < 0) {
		err_set(err, ERR_IO, out.error, "cannot write '%.200s'", x->path);
		whole_file_drop(&f);
	} else {
		res = whole_file_finish(&f, err);
	}
	sink_release(&out);
	return res == 0 ? 0 : -1;
}

static void
make_path_whole(struct exporter *x)
{
	char *whole = file_whole_path(x->path);

	free(x->path);
	x->path = whole;
}

static void *
run_export(void *arg)
{
	struct exporter *x = arg;
	struct exporter_ended_msg *m = msg_new(sizeof(*m), EXPORTER_MSG_ENDED, NULL);

	m->exporter = x;
	if (export(x, &m->bytes, &x->err) == 0)
		make_path_whole(x);
	snapshot_put(x->snapshot);
	x->snapshot = NULL;
	queue_send(x->answers, &m->msg);
	return NULL;
}

struct exporter *
exporter_new(const char *path, enum export_format format, struct snapshot *s,
	     struct queue *answers)
{
	struct exporter *x = mem_calloc(1, sizeof(*x));

	x->path = mem_strdup(path);
	x->format = format;
	x->snapshot = s;
	x->answers = answers;
	thread_start_or_die(&x->thread, "ptop-export", run_export, x);
	return x;
}

const char *
exporter_path(const struct exporter *x)
{
	return x->path;
}

int
exporter_free(struct exporter *x, struct err *err)
{
	int res;

	if (x == NULL)
		return 0;
	pthread_join(x->thread, NULL);
	res = x->err.code != ERR_NONE ? -1 : 0;
	if (res < 0 && err != NULL)
		*err = x->err;
	free(x->path);
	free(x);
	return res;
}
