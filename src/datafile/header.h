/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_HEADER_H
#define PTOP_DATAFILE_HEADER_H
/* What a recording begins with, and what that leads to: attributes and features. */
#include "datafile/contents.h"

struct header_section {
	uint64_t at, size;
};

struct header {
	uint64_t file_bytes; /* of a regular file; UINT64_MAX: it is a pipe */
	uint64_t size, attr_size;
	struct header_section attrs, data;
	uint64_t features[4];
	bool is_pipe; /* the format: records alone follow */
};

enum { HEADER_PIPE_BYTES = 16 };

/*
 * Reads it from the begin of @fd, a pipe if @file_bytes is UINT64_MAX: of one HEADER_PIPE_BYTES
 * are taken.  Fills is_pipe, is_swapped and is_simpleperf of the info.
 */
int header_read(struct header *h, int fd, uint64_t file_bytes, struct datafile_info *info,
		struct err *err);

/* The events of a file that is not of the pipe format. */
int header_read_attrs(const struct header *h, int fd, struct contents *c, struct err *err);

/* Its features; what cannot be read of them is told to @c. */
void header_read_features(const struct header *h, int fd, struct contents *c);

#endif
