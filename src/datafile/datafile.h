/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_DATAFILE_H
#define PTOP_DATAFILE_DATAFILE_H
/*
 * A recording: PERFILE2, the older PERFFILE, perf's pipe format, a perf.data directory; of either
 * byte order.  A source of records in the order of time, as perf sorts them: between
 * FINISHED_ROUNDs; records without a time, and perf's own, come at once.  Everything in it is
 * untrusted: what makes no sense is skipped or ends the reading, and is noted in
 * datafile_losses().  One thread.
 *
 * Layout: tools/perf/Documentation/perf.data-file-format.txt of the kernel's sources.
 */
#include "record/layouts.h"

/* One event of the recording.  More can come while it is read: the pipe format names them so. */
struct datafile_event {
	char *name;  /* as perf shows it: the file's own name, else made of the attributes */
	struct event_attr attr; /* native byte order; what the file does not have is 0 */
};

/* So begins the version in what ptop wrote; perf's begins with a number. */
#define RECORDING_BY_PTOP "ptop "

/* What the file says about where it was made; NULL or 0 where it does not. */
struct datafile_info {
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cmdline;
	uint32_t nr_cpus_online, nr_cpus_available;
	uint64_t sample_time_first, sample_time_last; /* ns */
	uint64_t wall_ns, wall_at_ns; /* the time of day at a time of its clock; 0: not told */
	bool is_pipe, is_swapped, is_simpleperf;
	char *features; /* a line for each that is text, or numbers of the machine */
};

/* What could not be used. */
struct datafile_losses {
	uint64_t skipped_bytes;   /* that could not be read as records */
	uint64_t unknown_records; /* of types that nobody knows, simpleperf's own among them */
	bool is_truncated;        /* it ends before it should */
	char text[200];           /* the first of these, with its offset; "": none */
};

struct datafile;

/*
 * Opens @path; "-" is standard input.  NULL: it cannot be read at all, reason in @err with the
 * offset.  Free with datafile_close().
 */
struct datafile *datafile_open(const char *path, struct err *err);
void datafile_close(struct datafile *f);

/* Ends the reading of a pipe, which may wait for it for ever.  Any thread. */
void datafile_interrupt(struct datafile *f);

/*
 * The next record; 1 got one, 0 the end, -1 see @err: nothing more will come.  @out is valid until
 * the next call.  @time_ns is 0 if it carries none.  Types of perf's own (64 and above) are
 * handed out as well, after their content was taken.
 */
int datafile_next(struct datafile *f, struct bytes *out, uint64_t *time_ns, struct err *err);

/*
 * The record that datafile_next() will hand out @ahead calls after the next one, as far as that is
 * ready: false, it is not.
 */
bool datafile_ahead(const struct datafile *f, size_t ahead, struct bytes *out);

/*
 * Whether samples may come unmerged: still on the right side of every other record, but not in
 * order among themselves.  Less work for who only adds them up.  From the next round on.
 */
void datafile_set_loose(struct datafile *f, bool is_loose);

/*
 * All but the events valid until datafile_close(); these until the next datafile_next(), which may
 * add some at the end, or give one another name.
 */
const struct record_layouts *datafile_layouts(const struct datafile *f);
const struct datafile_event *datafile_events(const struct datafile *f, size_t *count);
const struct datafile_info *datafile_info(const struct datafile *f);
const struct datafile_losses *datafile_losses(const struct datafile *f);

/*
 * perf's TRACING_DATA, of no length: it has none, or, of a pipe, they did not come yet.  Valid
 * until the next record; see payload_formats_new().
 */
struct bytes datafile_tracing_data(const struct datafile *f);

/* A function that the recording itself names, as simpleperf's do. */
struct datafile_symbol {
	uint64_t at, len; /* at: of a file its offset, of the kernel an address */
	const char *name;
};

/* Those of the dso of that path, in no order; how many.  Valid until datafile_close(). */
size_t datafile_symbols(const struct datafile *f, const char *path,
			const struct datafile_symbol **symbols);

/* How far the reading is, 0..1; of a pipe 0. */
double datafile_progress(const struct datafile *f);

/* The build-id that the file's table or records give for @path, its length; 0: none. */
size_t datafile_build_id(const struct datafile *f, const char *path, uint8_t id[20]);

/* What a map of @path told, as those of perf record --buildid-mmap do; @len: 1 to 20. */
void datafile_learn_build_id(struct datafile *f, const char *path, const uint8_t *id, size_t len);

#endif
