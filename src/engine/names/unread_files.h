/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_NAMES_UNREAD_FILES_H
#define PTOP_ENGINE_NAMES_UNREAD_FILES_H
/*
 * Files that could not be read by way of the process that was asked through, which has ended since, or
 * as something was busy.  All that map a file are one dso, so each is asked for again by way of another
 * process: soon, then each ten seconds, some times.  Zero-initialise to begin.  Engine thread only.
 */
#include "profile/count/feed.h"

struct symbol_unread;

/* What of a file is wanted: a set. */
enum { UNREAD_IMAGE = 1, UNREAD_RULES = 2 };

struct unread_files {
	struct unread_file {
		unsigned noted;    /* what could not be read so far, */
		unsigned wants;    /* and of this what is to be asked for again */
		unsigned tries;    /* so often it was */
		int pid;           /* that was asked through last, 0: none lived */
		bool is_busy;      /* the same process may do */
		bool is_awaited;   /* places wait for its image */
		uint64_t since_ns; /* when its image could not be read first */
		uint64_t due_ns;
		/* While processes are looked through: */
		bool is_there;     /* that one still maps it */
		uint64_t born_ns;
		struct image_ask found; /* by way of the oldest that does; pid 0: there is none */
	} *items; /* by dso */
	size_t cap;
	uint64_t next_ns; /* then processes are looked through again */

	struct unread_ask {
		struct image_ask file;
		unsigned wants;
	} *asks; /* of the last look */
	size_t ask_len, ask_cap;
};

/* @what of @dso could not be read, for that reason.  false: it is not asked for again. */
bool unread_note(struct unread_files *u, uint32_t dso, unsigned what,
		 const struct symbol_unread *why, uint64_t now_ns);

/* It was read, or is not asked for again.  Whether it had been noted. */
bool unread_end(struct unread_files *u, uint32_t dso, unsigned what);

/* Finds processes for those that are due, in asks: they are as good as asked. */
void unread_look(struct unread_files *u, const struct model *m, uint64_t now_ns);

void unread_release(struct unread_files *u);

#endif
