/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_PARSER_H
#define PTOP_SYMBOL_PARSER_PARSER_H
/*
 * The work of the process that parses symbol files: takes questions of enum wire_type from a
 * socket and answers them.  It opens nothing: what it reads came through the socket.
 */
#include "base/buf.h"
#include "base/reader.h"
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"
#include "symbol/parser/confine.h"
#include "symbol/parser/job.h"

/* How the process ends if it does not get the memory that it wants. */
enum { PARSER_NO_MEMORY = 3 };

/* What an image is made of. */
struct parser_file {
	bool is_vmlinux; /* asked for: it is the kernel, whose _text is at text */
	uint64_t text;
	bool is_elf; /* its headers could be read */
	uint8_t build_id[20];
	uint8_t build_id_len;
};

/* A descriptor for image_open(), -1: see @err.  Fills the rest of @about as far as it got. */
typedef int parser_image_fn(int fd, const struct debug_finder *finder, struct parser_file *about,
			    struct err *err);

/* That of the service: the symbols of the file, or of its debug file. */
parser_image_fn parser_image;

struct disasm_lib;

/* Serves until the other end of @socket is gone.  @lib, NULL for none, is what lists code. */
void parser_run(int socket, const struct confine_limits *limits, parser_image_fn *image,
		const struct disasm_lib *lib);

/*
 * A question for places in a file on its way to the process that parses, and the answer on its way
 * back.  The question: all of it but the file.
 */
void parser_places_put(const struct job *job, struct buf *out);

/* In the parser: reads the question from @r, looks into @fd, puts the answer. */
void parser_places(int fd, struct reader *r, const struct debug_finder *finder, struct buf *out);

/* Reads the answer into @m.  false: it makes no sense, and @m has no places. */
bool parser_places_get(struct reader *r, struct symbol_places_msg *m);

#endif
