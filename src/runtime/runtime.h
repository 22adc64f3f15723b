/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RUNTIME_RUNTIME_H
#define PTOP_RUNTIME_RUNTIME_H
/*
 * Runtimes that make or interpret code, which has no name in any file: how one is recognised, what
 * has it tell names now, and what does at its next start.  A table; any thread.
 */
#include "base/buf.h"

/* What has a runtime write its names while it runs. */
enum runtime_means {
	RUNTIME_BY_FLAG,    /* nothing from outside: at its start alone */
	RUNTIME_BY_ATTACH,  /* the JVM's attach protocol: Compiler.perfmap */
	RUNTIME_BY_SOCKET,  /* .NET's diagnostic socket: EnablePerfMap */
	RUNTIME_BY_MEMORY,  /* Python's place for the path of a script: sys.activate_stack_trampoline */
};

struct runtime {
	const char *name;   /* as it is called in sentences */
	/* File names of code that it maps, and names of its processes, without their versions. */
	const char *files, *comms;
	const char *functions; /* in which all runs that it interprets: whole names; "": none */
	const char *code;   /* what that is: "Python functions" */
	enum runtime_means means;
	const char *now, *since; /* what is asked of it, and what knows that; "": nothing can be */
	const char *why;    /* and why not */
	const char *flag;   /* at its next start; "": there is none */
};

extern const struct runtime runtimes[];
extern const size_t runtime_count;

/* Which one maps a file of that name, with or without its path; NULL: none. */
const struct runtime *runtime_of_file(const char *path);

/* Which one has processes of that name; NULL: none that is known. */
const struct runtime *runtime_of_comm(const char *comm);

/* Whose interpreter is the function of that name; NULL: nobody's. */
const struct runtime *runtime_of_function(const char *name);

/* What gives its code names: now, if it lives, or at its next start; @r NULL: what any can do. */
void runtime_put_remedy(struct buf *b, const struct runtime *r, int pid, bool lives);

/* One sentence on one of its functions: what runs in there, and what names that. */
void runtime_put_interpreter(struct buf *b, const struct runtime *r);

/* Why nothing can be done to process @pid now, and what its next start takes. */
void runtime_put_why_not(struct buf *b, const struct runtime *r, int pid);

#endif
