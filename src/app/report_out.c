/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/report_out.h"

#include "base/deleted_file.h"
#include "base/file.h"
#include "base/own_rights.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * SIGPIPE is blocked for this write alone and taken back: a disposition or a mask of ptop's would
 * be COMMAND's and the threads' too.
 */
static int
write_quietly(int fd, const void *data, size_t len)
{
	static const struct timespec now = { 0, 0 };
	sigset_t pipe, old;
	int res, saved;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	res = file_write_all(fd, data, len);
	saved = errno;
	if (res < 0 && saved == EPIPE)
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return res;
}

static int
sink_write(void *self, const void *data, size_t len)
{
	return write_quietly(((struct report_out *)self)->fd, data, len);
}

int
report_out_open(struct report_out *out, const struct config *config, bool is_series,
		struct err *err)
{
	*out = (struct report_out){ .config = config, .fd = STDOUT_FILENO,
				    .is_series = is_series };
	out->sink = (struct sink){ .write = sink_write, .self = out };
	if (config->output == NULL)
		return 0;
	if (is_series)
		out->fd = file_create(config->output, config->engine.force, err);
	else if (whole_file_open(&out->whole, config->output, config->engine.force, err) == 0)
		out->fd = out->whole.fd;
	else
		out->fd = -1;
	out->is_file = out->fd >= 0;
	return out->fd >= 0 ? 0 : -1;
}

/* What was measured is not lost for want of a file, which @err tells of.  -1. */
static int
write_astray(const struct report_out *out, const struct snapshot *s, struct report_run run,
	     struct err *err)
{
	struct report_out other = { .config = out->config, .fd = STDOUT_FILENO };

	other.sink = (struct sink){ .write = sink_write, .self = &other };
	run.is_first = true; /* there */
	if (format_put(out->config->engine.format, &other.sink, s, &run) == 0)
		err_hint(err, "the report is on standard output");
	else
		err_hint(err, "the report is lost, for standard output fails too: %s",
			 strerror(other.sink.error));
	sink_release(&other.sink);
	return -1;
}

/* It is the only one. */
static int
finish_whole(struct report_out *out, const struct snapshot *s, const struct report_run *run,
	     struct err *err)
{
	int res = whole_file_finish(&out->whole, err);

	out->fd = -1;
	if (res < 0)
		return write_astray(out, s, *run, err);
	return res == 0 ? 1 : -1;
}

int
report_out_write(struct report_out *out, const struct snapshot *s, const struct report_run *run,
		 struct err *err)
{
	out->reports++;
	if (format_put(out->config->engine.format, &out->sink, s, run) == 0) {
		if (out->is_file && !out->is_series)
			return finish_whole(out, s, run, err);
		if (out->is_file)
			out->whole_bytes = MAX(lseek(out->fd, 0, SEEK_CUR), 0);
		return 1;
	}
	if (out->sink.error == EPIPE)
		return 0; /* quietly */
	err_set(err, ERR_IO, out->sink.error, "cannot write to '%.200s'",
		out->is_file ? out->config->output : "standard output");
	return out->is_file ? write_astray(out, s, *run, err) : -1;
}

/* Its file was deleted, or another one came in its place: the reports get a file once more.  -1. */
static int
write_again(const struct report_out *out, struct err *err)
{
	if (deleted_file_restore(out->fd, out->whole_bytes, out->config->output, err) == 0)
		return -1;
	if (deleted_file_copy(out->fd, out->whole_bytes, STDOUT_FILENO, write_quietly) < 0)
		err_hint(err, "the reports are lost, for standard output fails too: %s", strerror(errno));
	else
		err_hint(err, "the reports are on standard output");
	return -1;
}

static int
end_series(const struct report_out *out, struct err *err)
{
	struct stat st;

	if (fstat(out->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (deleted_file_is_one(out->fd))
		return out->whole_bytes > 0 ? write_again(out, err) : 0;
	if (out->whole_bytes == 0)
		file_remove_made(out->fd, out->config->output);
	if (st.st_size > out->whole_bytes)
		(void)!ftruncate(out->fd, out->whole_bytes);
	return 0;
}

int
report_out_close(struct report_out *out, struct err *err)
{
	int res;

	sink_release(&out->sink);
	if (!out->is_file)
		return 0;
	if (!out->is_series) {
		whole_file_drop(&out->whole); /* unless it is there */
		return 0;
	}
	res = end_series(out, err);
	/* Some file systems tell of a full disk only here. */
	if (close(out->fd) < 0 && res == 0)
		res = err_set(err, ERR_IO, errno, "cannot write '%s'", out->config->output);
	return res;
}

void
report_tell(const char *text)
{
	struct buf b = { 0 };

	buf_add_str(&b, "ptop: ");
	text_add_safe(&b, text, strlen(text));
	buf_add_char(&b, '\n');
	/* Where should a failure here be told? */
	(void)!write(STDERR_FILENO, b.data, b.len);
	buf_release(&b);
}
