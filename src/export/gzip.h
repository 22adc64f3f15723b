/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_GZIP_H
#define PTOP_EXPORT_GZIP_H
/* A sink that compresses (gzip) into another one.  One thread. */
#include "export/sink.h"

struct gzip;

/* Compresses into @out, which must outlive it. */
struct gzip *gzip_new(struct sink *out);

/* The sink to write to. */
struct sink *gzip_sink(struct gzip *z);

/* Finishes the compressed data, and frees. */
void gzip_finish(struct gzip *z);

#endif
