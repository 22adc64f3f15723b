/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_JOB_H
#define PTOP_SYMBOL_PARSER_JOB_H
/* What the symbol service has to do.  One thread. */
#include "symbol/ask/ask.h"

#include <sys/stat.h>

/* Where something is, to find: the rest of a struct symbol_places_ask, and the answer. */
struct places_job {
	char *pattern; /* NULL: offset says it */
	uint64_t offset, pgoff;
	bool data, copies, arguments;
	struct symbol_places_msg *answer;
};

struct bpf_code;

/* The code of a function: the question, whose strings and bytes are the job's, and the answer. */
struct listing_job {
	struct symbol_listing_ask ask;
	struct bpf_code *bpf; /* its lines, if it is a BPF program's; NULL: it is none's */
	void (*free_bpf)(struct bpf_code *bpf);
	uint64_t in_file; /* where the code is in its file */
	struct listing *listing; /* once it is made; then its lines are to be */
};

/* Lines of a source file, and which places were looked at for it. */
struct source_job {
	struct symbol_source_ask ask; /* its strings are the job's */
	bool was_process, was_own; /* where the debug data has it: in the process's root, in ptop's */
	unsigned dir, cut; /* the next one below the user's folders */
	bool was_sent;     /* then what a server sent for that build */
	struct err why;    /* the most telling of what was wrong */
};

/* What a container is called, and which of the places for that were looked at. */
struct container_job {
	char *id;
	unsigned next;
	struct symbol_container_msg *answer;
};

/* An image, rules, lines or places to make. */
struct job {
	struct msg msg;
	struct symbol_ask ask;
	char *path, *kallsyms;
	struct image *base;             /* a vmlinux's, to which the modules are to be added */
	int fd;                         /* once it is open, else -1 */
	enum symbol_ns ns;
	uint32_t ino_generation;        /* of what is open, 0: not known */
	bool lacks_debug_file, lost_debug_file;
	bool has_hung;                  /* its file system did not answer */
	struct stat st;                 /* the same, all zero: not known */
	struct symbol_lines_msg *lines; /* NULL: no lines are asked for */
	struct places_job *places;      /* NULL: no places are */
	struct listing_job *listing;    /* NULL: no code is */
	struct source_job *source;      /* NULL: no source file is */
	struct container_job *container; /* NULL: no container is */
	struct symbol_rules_msg *rules; /* NULL: no rules are; all of these: an image is */
};

struct job *job_new(const struct symbol_ask *ask, int msg_type);
void job_close(struct job *job); /* its file, if it is open: who got it has one of his own */
void job_free(struct job *job); /* NULL is allowed */

/* Answers belong to their receiver, who frees them with these.  NULL is allowed. */
struct symbol_image_msg *symbol_image_msg_new(uint32_t dso);
struct symbol_names_msg *symbol_names_msg_new(uint32_t dso);
struct symbol_lines_msg *symbol_lines_msg_new(uint32_t dso);
struct symbol_places_msg *symbol_places_msg_new(uint32_t dso);
struct symbol_rules_msg *symbol_rules_msg_new(uint32_t dso);
struct symbol_listing_msg *symbol_listing_msg_new(uint32_t dso, uint32_t id, int type);

struct container_job *container_job_new(uint32_t number, const char *id);
struct symbol_container_msg *symbol_container_msg_new(uint32_t number);

struct source_job *source_job_new(const struct symbol_source_ask *ask);
void job_set_path(struct job *job, const char *path); /* of the file to open; copied */

/* A copy of the question. */
struct listing_job *listing_job_new(const struct symbol_listing_ask *ask);

#endif
