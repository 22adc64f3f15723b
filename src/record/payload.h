/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PAYLOAD_H
#define PTOP_RECORD_PAYLOAD_H
/*
 * What a tracepoint's sample tells, by the formats that the recording has of its tracepoints.  Our
 * own and not libtraceevent: that trusts the formats, which are no safer than the rest of a file.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt, HEADER_TRACING_DATA, and
 * Documentation/trace/events.rst of the kernel's sources.
 */
#include "base/buf.h"
#include "base/reader.h"

struct payload_formats;

/* Of perf's TRACING_DATA, as much of it as makes sense; not NULL.  @bytes may go afterwards. */
struct payload_formats *payload_formats_new(struct bytes tracing_data);
void payload_formats_free(struct payload_formats *f);

/*
 * Adds the fields of the tracepoint @id (attr.config), printable: "prev_comm="sh" prev_pid=7".  What
 * all tracepoints have is left out.  False: there is no format of it, nothing was added.
 */
bool payload_put(const struct payload_formats *f, uint64_t id, struct bytes raw, struct buf *out);

#endif
