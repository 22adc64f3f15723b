/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_GZIP_H
#define PTOP_EXPORT_GZIP_H
/* Between a writer and a sink: what flows through is packed as gzip does.  One thread. */
#include "export/sink.h"

struct gzip;

/* Packs into @out, which must outlive it. */
struct gzip *gzip_new(struct sink *out);

/* Where to write to. */
struct sink *gzip_sink(struct gzip *z);

/* Ends the packed data, and frees. */
void gzip_finish(struct gzip *z);

#endif
