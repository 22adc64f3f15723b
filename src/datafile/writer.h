/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WRITER_H
#define PTOP_DATAFILE_WRITER_H
/*
 * A sink that writes a recording as perf does: PERFILE2, in native byte order.  From the first
 * writer_round() on the file can be read up to its last round at any moment, also if the
 * program is killed; not if the machine fails, since nothing is synced.  Any call may block as
 * write(2) does.  One thread.
 *
 * The caller handles or ignores SIGXFSZ, else a limit of file sizes ends the program.
 */
#include "base/err.h"
#include "record/abi.h"

struct writer;

/* What the file says about where it was made; NULL or 0: nothing. */
struct writer_info {
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nr_cpus_online, nr_cpus_available;
	uint64_t total_mem_kib;
	char *const *cmdline; /* NULL-terminated; NULL: not told */
	/* The clock of records, 0 ns: not told; what it and the wall clock said at one time. */
	int32_t clock;
	uint64_t clock_resolution_ns, clock_ns, wall_ns;
};

/*
 * Makes @path as file_create() does: 0600, never through a link, an existing one only with @force.
 * NULL: it cannot be, reason in @err.  Ends with writer_close().
 */
struct writer *writer_new(const char *path, bool force, struct err *err);
struct writer *writer_new_own(const char *path, struct err *err); /* as file_create_own() */

/*
 * What writer_put() takes is compressed (zstd), as perf record -z does; to be called
 * before it.  A ptop without zstd does not compress.
 */
void writer_compress(struct writer *w);

/*
 * Host, release of the kernel, architecture and clock of @info are in the file from the first round
 * on, before which this is to be called.  Its texts stay the caller's, until that round has ended.
 */
void writer_origin(struct writer *w, const struct writer_info *info);

/*
 * Adds an event; its number, from 0.  All are written with the same attr.size, the smallest that
 * holds them but at least PERF_ATTR_SIZE_VER5: perf refuses attributes that are longer than it
 * knows.
 */
uint32_t writer_event(struct writer *w, const char *name,
			       const struct event_attr *attr);

/* The @len events from @first on are a group, which that one leads. */
void writer_group(struct writer *w, uint32_t first, uint32_t len);

/* An id that the event's records carry; one that is there already is not added again. */
void writer_id(struct writer *w, uint32_t event, uint64_t id);

/*
 * Adds whole records, one after another, as the kernel laid them out.  0, or -1: the file ends
 * behind the last record since the last round that could be written, less some room for the
 * features.  Any call that fails says so in @err, and all later ones fail the same way.
 */
int writer_put(struct writer *w, const void *records, size_t len,
			struct err *err);

/*
 * Ends a round, so that readers can sort: no later record is older than those of the round before.
 * Writes all records that wait, then tables and header.  Does nothing without new records.
 */
int writer_round(struct writer *w, struct err *err);

/*
 * A build-id for the file's table; each image once.  @misc is PERF_RECORD_MISC_USER or _KERNEL (its
 * path is "[kernel.kallsyms]").  @pid is -1: perf takes any other for that of a guest machine.
 * Those given before the first round are there from then on; later ones when the file is closed.
 */
void writer_build_id(struct writer *w, uint16_t misc, int pid, const char *path,
			      const uint8_t *id, size_t len);

/*
 * The content of perf's TRACING_DATA, which it needs where an event is a tracepoint; copied.  The
 * last one counts.  One given before the first round is there from then on; a later one when the
 * file is closed.
 */
void writer_tracing_data(struct writer *w, const void *data, size_t len);

/*
 * Ends the last round and writes the features, names of events among them, behind the records.
 * @first_ns and @last_ns are the times of the first and last sample, 0: none.  -1: something could
 * not be written, now or earlier; the file can be read even so, or is removed, if not even its
 * header could be written.  -1 also if the file was deleted meanwhile: it is written again, see
 * deleted_file.h.  Frees @w in any case.
 */
int writer_close(struct writer *w, const struct writer_info *info,
			  uint64_t first_ns, uint64_t last_ns, struct err *err);

/* Bytes of records so far, FINISHED_ROUNDs included. */
uint64_t writer_bytes(const struct writer *w);

/* Samples that can be read by now: up to the last round, or what is left when a call has failed. */
uint64_t writer_samples(const struct writer *w);

#endif
