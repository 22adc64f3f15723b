/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ASK_ASK_H
#define PTOP_SYMBOL_ASK_ASK_H
/*
 * What the symbol service is asked, and what it answers: plain data, which all of its folders
 * share. Who frees a message is said in symbol/parser/answers.h.
 */
#include "base/arguments.h"
#include "base/err.h"
#include "base/queue.h"

struct image;
struct unwind_rules;
struct listing;
struct listing_lines;
struct listing_source;

enum {
	BUILD_ID_MAX = 20,     /* bytes of a build-id: longer ones are cut, as perf does */
	INLINES_ASK_MAX = 512, /* addresses in one question for what is inlined there */
	INLINES_MAX = 32,      /* functions inlined in each other at one address */
};

enum symbol_msg_type {
	SYMBOL_MSG_IMAGE = 300, /* struct symbol_image_msg */
	SYMBOL_MSG_NAMES,       /* struct symbol_names_msg */
	SYMBOL_MSG_LINES,       /* struct symbol_lines_msg */
	SYMBOL_MSG_PLACES,      /* struct symbol_places_msg */
	SYMBOL_MSG_RULES,       /* struct symbol_rules_msg */
	SYMBOL_MSG_LISTING,     /* struct symbol_listing_msg */
	SYMBOL_MSG_LISTING_LINES, /* the same */
	SYMBOL_MSG_SOURCE,      /* the same */
	SYMBOL_MSG_CONTAINER,   /* struct symbol_container_msg */
};

enum symbol_kind {
	SYMBOL_KERNEL, /* /proc/kallsyms, the kernel and all its modules in one image */
	SYMBOL_ELF,    /* a mapped file */
	SYMBOL_VDSO,   /* ptop's own copy of the vdso */
	SYMBOL_MEMORY, /* an ELF file in the memory of @pid from @start to @end */
	SYMBOL_SOURCE,       /* a source file, where the debug data has it: of root's, what all may read */
	SYMBOL_SOURCE_NAMED, /* the same in a folder that the user named */
	SYMBOL_SOURCE_SENT,  /* the same where what a server sent is kept: nobody else's */
	SYMBOL_CONTAINER, /* a file of a container engine, which nobody else may write */
	SYMBOL_VMLINUX, /* the kernel from its ELF file, @path, and its modules from kallsyms */
};

/* Whether a process has the same files under the same names as ptop. */
enum symbol_ns { SYMBOL_NS_UNKNOWN, SYMBOL_NS_OWN, SYMBOL_NS_OTHER };

/* What is known of a mapped file.  The strings are copied. */
struct symbol_ask {
	uint32_t dso; /* the asker's name for it, given back in the answers */
	enum symbol_kind kind;
	int pid;                  /* a process that maps it, 0: none is known to live */
	bool is_live;             /* it was sampled just now: who mapped it may have ended since */
	uint64_t start, end;      /* where in that process, for /proc/PID/map_files */
	uint32_t maj, min;        /* as the map record has them; 0,0,0 when not known */
	uint64_t ino;
	uint64_t ino_generation;  /* 0: not known */
	uint64_t unchanged_since_ns; /* CLOCK_REALTIME: one that changed later is another; 0: not known */
	const char *path;         /* as mapped, " (deleted)" and all */
	uint8_t build_id[BUILD_ID_MAX];     /* which must be the file's own */
	uint8_t build_id_len;     /* 0: the inode tells */
	bool wants_lost;          /* whether an image's debug file is gone is to be told */
	/* Of the kernel: */
	const char *kallsyms;     /* a list to read, "": none; NULL: the running kernel's */
	uint64_t text;            /* where _text is, if @path or the list may have it elsewhere */
	uint64_t state, programs; /* of the last answer, if only a newer one is wanted; else 0 */
	bool knows_programs;      /* the asker has the names of BPF programs that came since */
};

/* Why a file could not be read that may be by way of another process, or later. */
struct symbol_unread {
	enum err_code code; /* ERR_NONE: it was read, or its file or file system is to blame */
	int pid;            /* that was asked through, 0: none */
};

/* SYMBOL_MSG_IMAGE.  Who keeps the image sets it to NULL here. */
struct symbol_image_msg {
	struct msg msg;
	uint32_t dso;
	struct image *image; /* NULL: there are no names, see reason */
	char reason[160];    /* why none, or not all: "deleted", "kptr_restrict hides ..." */
	char remedy[320];    /* what would mend it, "" if nothing is known */
	char source[64];     /* where from: ".symtab", "debug file by build-id"; "": unknown */
	enum symbol_ns ns;   /* the mount namespace of the process that maps the file */
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_len;
	uint32_t ino_generation; /* of the file, 0: not known */
	uint64_t state, programs; /* of the running kernel's list; programs 0: not known */
	bool is_unchanged;   /* no image: there is nothing newer than what ask has */
	bool lacks_debug_file; /* one by build_id would have the names that are missing */
	bool lost_debug_file;  /* that by build_id, which the image's names are from, is gone */
	bool lacks_file;       /* no file with build_id, which was asked for, is here */
	struct symbol_unread unread;
};

/* SYMBOL_MSG_NAMES: names to show.  Those that cannot be demangled come back as they are. */
struct symbol_names_msg {
	struct msg msg;
	uint32_t dso;
	uint32_t count;
	struct symbol_name {
		uint32_t fn;
		char *name;
	} *names;
};

/* SYMBOL_MSG_LINES: source lines of addresses, or what is inlined there, as was asked for. */
struct symbol_lines_msg {
	struct msg msg;
	uint32_t dso;
	uint32_t count;
	bool of_inlines; /* the question was symbol_service_ask_inlines() */
	bool is_lost;    /* of inlines: the file could not be read to its end, it is not known */
	struct symbol_line {
		uint64_t addr;
		char *line;             /* "file.c:12", NULL: there is none */
		char *path;             /* then of that file, as listing_file.path has it */
		char *inlined;          /* names to show, the outermost first, each with its NUL */
		uint32_t inlined_count; /* at most INLINES_MAX */
	} *lines;
};

/* What a name stands for in a file or the kernel. */
struct symbol_places_ask {
	struct symbol_ask file; /* dso: any number, for the asker.  SYMBOL_ELF or SYMBOL_KERNEL */
	uint64_t pgoff;         /* where in the file its map at file.start begins */
	const char *pattern;    /* a symbol, with "*" several; functions: "file.c:12" too;
				   NULL: offset says it */
	uint64_t offset;        /* in the file, where code has to be; with data: an address in the
				   process, at which the variable is */
	bool data;              /* variables, not functions */
	bool copies;            /* of what offset says: where it is inlined, too */
	bool arguments;         /* the same: what its arguments are */
};

struct symbol_place {
	char *name;      /* as the symbol table has it */
	uint64_t offset; /* functions: in the file */
	uint64_t addr;   /* as the symbol table has it */
	uint64_t size;   /* 0: not known */
	uint32_t copies; /* where the compiler put it in place of a call, if that was asked */
	bool has_more_copies; /* not all was looked at */
	struct arguments arguments; /* if that was asked */
};

/* SYMBOL_MSG_PLACES */
struct symbol_places_msg {
	struct msg msg;
	uint32_t dso;
	char *path;    /* leads this process to the file, whatever root the asked one has */
	uint64_t bias; /* what the asked process adds to addr; 0 if none was asked about */
	uint64_t start, end; /* of a question for an address: from where to where the process has the
				file, 0: not known */
	struct symbol_place *places;
	size_t count;
	struct err err; /* why there are none */
};

/*
 * SYMBOL_MSG_RULES: how to unwind from the frames of a file's code to their callers.  Who keeps the
 * rules sets them to NULL here.
 */
struct symbol_rules_msg {
	struct msg msg;
	uint32_t dso;
	struct unwind_rules *rules; /* NULL: there are none */
	struct err err;             /* why */
	bool is_unread;             /* none, as nobody could read the file, or it is another one by now */
	struct symbol_unread unread;
};

/*
 * SYMBOL_MSG_LISTING, the first answer to a question for the code of a function;
 * SYMBOL_MSG_LISTING_LINES, the second; SYMBOL_MSG_SOURCE, the text of a file.  One member is set,
 * with one reference; who keeps it sets it to NULL here.
 */
struct symbol_listing_msg {
	struct msg msg;
	uint32_t dso;
	uint32_t id;   /* the asker's, of the question */
	uint32_t file; /* SYMBOL_MSG_SOURCE: its number in the listing_lines, as asked */
	struct listing *listing;
	struct listing_lines *lines;
	struct listing_source *source;
};

/*
 * The code of a function.  Copied.  Of SYMBOL_ELF, SYMBOL_VDSO and SYMBOL_VMLINUX it is read from
 * the file, which may be a jitdump; of SYMBOL_KERNEL from the running kernel, else, if there is a
 * path, from the vmlinux there; of SYMBOL_MEMORY what is at file.start to file.end is the code
 * itself, unless it is_elf.
 */
struct symbol_listing_ask {
	struct symbol_ask file;
	uint32_t id;          /* the asker's, given back in the answers */
	const char *function; /* its name, for the listing */
	uint64_t offset;      /* where it is, counted as samples are */
	uint64_t size;        /* 0: not known, the file's symbols tell */
	uint64_t as_of_ns;    /* of a jitdump: as it was then; 0: as it is now */
	bool is_intel;
	bool no_lines;        /* the second answer is not needed: it says no more than that */
	bool is_elf;          /* of SYMBOL_MEMORY: a file is in that memory */
	const uint8_t *code;  /* its bytes, NULL: the file has them */
	size_t code_len;
	unsigned machine;     /* of given code: EM_X86_64, and its class */
	bool is_64;
	const char *bytes_from; /* of given code: as listing.bytes_from */
	const char *notice;     /* what is to be said of it, "": nothing */
	const char *why_none;   /* there is no code to be had: the answer says so; NULL: there is */
};

/* Lines of a source file, by what was answered in a listing_lines.  Copied. */
struct symbol_source_ask {
	struct symbol_ask dso; /* the program that was made of it, its build, a process that has it */
	uint32_t id, file;     /* given back in the answer */
	const char *path;
	uint32_t first, last;
	bool has_md5;
	uint8_t md5[16];      /* of the text that was compiled */
	bool is_here;         /* its paths are those of this machine, as this process sees it */
	const char *const *dirs; /* of the user's, NULL ends; NULL: none.  Borrowed while asked */
};

struct host;
struct kernel_programs;

/* What the service needs to know when it starts. */
/* SYMBOL_MSG_CONTAINER: what a container is called, "": no file says it. */
struct symbol_container_msg {
	struct msg msg;
	uint32_t number; /* the asker's, of the question */
	char *name, *pod;
};

struct symbol_config {
	const char *kallsyms; /* "/proc/kallsyms" */
	const char *proc;     /* "/proc" */
	const char *cache;    /* directory for images and unwind rules, NULL: keep none */
	const char *debug_dir; /* where separate debug files are: "/usr/lib/debug" */
	const char *container_root; /* below which files of container engines are: "" */
	bool demangle;
	const struct kernel_programs *programs; /* read while there was the right to; borrowed;
						   NULL: still to be read */
	struct host *host; /* taken; NULL: made here, which wants a process with one thread */
};

#endif
