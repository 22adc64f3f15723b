/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WRITE_FEATURE_H
#define PTOP_DATAFILE_WRITE_FEATURE_H
/* The features that are written behind the records of a recording. */
#include "datafile/packer.h"
#include "datafile/write_table.h"
#include "datafile/writer.h"

struct write_facts {
	const struct writer_info *info;
	const struct write_table *table;
	const struct buf *build_ids;     /* by write_build_id() */
	const struct buf *tracing;       /* empty: none */
	const struct packer *packer;     /* NULL: nothing is compressed */
	struct write_section tracing_in; /* where the file has it already; size 0: nowhere */
	uint64_t first_ns, last_ns;      /* of the samples, 0: none */
};

/* Bits of features that may stand in front of the records. */
enum { WRITE_TRACING_DATA = 1 << 1, WRITE_COMPRESSED = 1 << 27 };

/* Adds the features and their index to @b, to be written to @at.  Their bits. */
uint64_t write_features(struct buf *b, uint64_t at, const struct write_facts *facts);

/* Adds a struct build_id_event. */
void write_build_id(struct buf *b, uint16_t misc, int pid, const char *path, const uint8_t *id,
		    size_t len);

#endif
