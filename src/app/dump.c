/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/run.h"
#include "app/dump_chains.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "datafile/datafile.h"
#include "record/payload.h"
#include "record/put.h"
#include "record/reg_names.h"

enum { WRITE_BYTES = 64 << 10 };

struct dump {
	struct datafile *file;
	struct payload_formats *formats;
	struct dump_chains *chains;
	struct buf out;
	const char *output; /* NULL: standard output */
	int fd;
	size_t printed; /* bytes of the features */
	uint64_t broken;
	bool is_closed; /* nobody reads any more */
};

static int
flush(struct dump *d, struct err *err)
{
	int res = file_write_all(d->fd, d->out.data, d->out.len);

	buf_reset(&d->out);
	if (res == 0)
		return 0;
	d->is_closed = errno == EPIPE;
	return d->is_closed ? 0 : err_set(err, ERR_IO, errno, "cannot write to '%.200s'",
					  d->output != NULL ? d->output : "standard output");
}

/* " fields=(prev_comm="sh" ...)": what is in the raw bytes of a tracepoint. */
static void
put_fields(struct dump *d, const struct event_attr *attr, const struct record *rec)
{
	struct buf fields = { 0 };

	if (attr->type != PERF_TYPE_TRACEPOINT || rec->sample.raw.len == 0)
		return;
	if (d->formats == NULL)
		d->formats = payload_formats_new(datafile_tracing_data(d->file));
	if (payload_put(d->formats, attr->config, rec->sample.raw, &fields))
		buf_addf(&d->out, " fields=(%s)", buf_str(&fields));
	buf_release(&fields);
}

/* "cycles:P sample ...": which event a record is of comes first. */
static void
put_line(struct dump *d, struct bytes bytes)
{
	const struct record_layouts *layouts = datafile_layouts(d->file);
	struct record_layout layout = { 0 };
	const struct datafile_event *events;
	uint32_t event = UINT32_MAX;
	struct record rec;
	bool is_sample;
	size_t count;
	int res;

	if (record_type(bytes) < RECORD_USER_TYPE_FIRST && layouts->len > 0)
		event = record_layouts_event(layouts, bytes);
	if (event != UINT32_MAX)
		layout = layouts->items[event];
	layout.reg_names = record_reg_names(datafile_info(d->file)->arch);
	res = record_decode(&layout, bytes, &rec);
	if (res < 0) {
		d->broken++;
		buf_addf(&d->out, "broken type=%u size=%zu\n", record_type(bytes), bytes.len);
		return;
	}
	events = datafile_events(d->file, &count);
	is_sample = rec.type == PERF_RECORD_SAMPLE && event != UINT32_MAX;
	if (is_sample)
		buf_addf(&d->out, "%s ", events[event].name);
	record_put(&d->out, &layout, &rec);
	if (is_sample)
		put_fields(d, &events[event].attr, &rec);
	if (res == 1)
		dump_chains_add(d->chains, &rec, &d->out);
	buf_add_char(&d->out, '\n');
}

/* "header nrcpus 4 available, 4 online": of a pipe they come among the records. */
static void
put_features(struct dump *d)
{
	const char *features = datafile_info(d->file)->features;

	while (features != NULL && features[d->printed] != '\0') {
		size_t len = strcspn(features + d->printed, "\n") + 1;

		buf_add_str(&d->out, "header ");
		buf_add(&d->out, features + d->printed, len);
		d->printed += len;
	}
}

static void
tell_losses(const struct dump *d)
{
	const struct datafile_losses *l = datafile_losses(d->file);
	struct buf b = { 0 };

	if (l->text[0] != '\0')
		buf_addf(&b, "ptop: %s\n", l->text);
	if (d->broken > 0)
		buf_addf(&b, "ptop: %llu records contradict themselves\n",
			 (unsigned long long)d->broken);
	(void)!write(STDERR_FILENO, buf_str(&b), b.len);
	buf_release(&b);
}

static int
put_records(struct dump *d, struct err *err)
{
	struct bytes bytes;
	uint64_t time_ns;
	int res = 0;

	while (!d->is_closed && (res = datafile_next(d->file, &bytes, &time_ns, err)) == 1) {
		put_features(d);
		put_line(d, bytes);
		if (d->out.len >= WRITE_BYTES && flush(d, err) < 0)
			return -1;
	}
	put_features(d);
	if (res == 0 && d->out.len > 0)
		res = flush(d, err);
	return d->is_closed ? 0 : res;
}

/* Line by line, as to standard output: what is there can be read while more comes. */
static int
open_output(struct dump *d, const struct config *config, struct err *err)
{
	d->output = config->output;
	d->fd = d->output != NULL ? file_create(d->output, config->engine.force, err)
				  : STDOUT_FILENO;
	return d->fd < 0 ? -1 : 0;
}

static int
close_output(const struct dump *d, struct err *err)
{
	/* Some file systems tell of a full disk only here. */
	if (d->output != NULL && close(d->fd) < 0)
		return err_set(err, ERR_IO, errno, "cannot write '%.200s'", d->output);
	return 0;
}

int
dump_run(const struct config *config, struct err *err)
{
	struct dump d = { .file = datafile_open(config->engine.input, err) };
	int res;

	if (d.file == NULL)
		return -1;
	res = open_output(&d, config, err);
	if (res == 0) {
		d.chains = dump_chains_new(config, d.file);
		res = put_records(&d, err);
		if (res >= 0)
			tell_losses(&d);
		dump_chains_free(d.chains);
		if (close_output(&d, res < 0 ? NULL : err) < 0)
			res = -1;
	}
	payload_formats_free(d.formats);
	buf_release(&d.out);
	datafile_close(d.file);
	return res;
}
