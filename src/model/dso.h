/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_DSO_H
#define PTOP_MODEL_DSO_H
/*
 * What code is mapped from.  Dsos are interned by what the map records say of them (device, inode,
 * generation, path) and never freed: ids are stable.  Engine thread only.
 */
#include "base/strs.h"

enum dso_kind {
	DSO_UNKNOWN, /* addresses that no map covers: one dso, id DSO_ID_UNKNOWN */
	DSO_KERNEL,  /* kernel and, until its symbols are there, its modules: DSO_ID_KERNEL */
	DSO_MODULE,
	DSO_FILE,
	DSO_VDSO,
	DSO_VDSO32,  /* that of 32-bit programs */
	DSO_VSYSCALL,
	DSO_UPROBES, /* where the kernel has probed instructions run, in each process that has some */
	DSO_ANON,    /* executable memory without a file: what a JIT compiler makes */
	DSO_JITDUMP, /* a runtime's record of that code, which it maps to be found */
	DSO_GUEST_KERNEL,
	DSO_GUEST_USER,
	DSO_HYPERVISOR,
	DSO_WAITING, /* no code: what threads wait for, as the innermost frame of their stacks */
	DSO_CROWDED, /* files for whose names there was no room: DSO_ID_CROWDED */
};

/* Those that are always there. */
enum {
	DSO_ID_UNKNOWN = 1,
	DSO_ID_KERNEL,
	DSO_ID_VDSO,
	DSO_ID_VDSO32,
	DSO_ID_VSYSCALL,
	DSO_ID_UPROBES,
	DSO_ID_ANON, /* of nobody in particular: dsos_code() is a process's */
	DSO_ID_GUEST_KERNEL,
	DSO_ID_GUEST_USER,
	DSO_ID_HYPERVISOR,
	DSO_ID_WAITING,
	DSO_ID_CROWDED,
	DSO_ID_FIRST_FILE,
};

struct dso {
	enum dso_kind kind;
	uint32_t path; /* string: as mapped */
	uint32_t name; /* string: as shown, "libc.so.6", "[kernel]" */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	int pid; /* of DSO_ANON: whose memory it is, 0: nobody's in particular */
};

struct dsos {
	struct dso *items; /* by id; [0] is not used */
	size_t len, cap;
	struct index index;
	struct strs *strs;
};

void dsos_init(struct dsos *d, struct strs *strs);
void dsos_release(struct dsos *d);

/* How the kernel is shown from now on: "[kernel]" at first. */
void dsos_name_kernel(struct dsos *d, const char *name);

/* The dso that a map record names; the path decides the kind ("[vdso]", "//anon", a file). */
uint32_t dsos_file(struct dsos *d, const char *path, uint32_t maj, uint32_t min, uint64_t ino,
		   uint64_t ino_generation);

/* The same, 0: none is known yet. */
uint32_t dsos_find_file(struct dsos *d, const char *path, uint32_t maj, uint32_t min, uint64_t ino,
			uint64_t ino_generation);

/* The generation of the file that has the names of @id, unless it is known already; 0: unknown. */
void dsos_learn_generation(struct dsos *d, uint32_t id, uint64_t ino_generation);

/* The same for what is mapped at @start: 32-bit programs, which end at 4 GiB, have another vdso. */
static inline uint32_t
dsos_at(uint32_t id, uint64_t start)
{
	return id == DSO_ID_VDSO && sizeof(void *) == 8 && start >> 32 == 0 ? DSO_ID_VDSO32 : id;
}

/* A new dso for the executable memory without a file of the process @pid. */
uint32_t dsos_code(struct dsos *d, int pid);

/* The kernel module of that name; of a recording also where its file was. */
uint32_t dsos_module(struct dsos *d, const char *name);
void dsos_learn_path(struct dsos *d, uint32_t id, const char *path);

const struct dso *dsos_get(const struct dsos *d, uint32_t id);

#endif
