/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_IMAGE_IMAGE_H
#define PTOP_SYMBOL_IMAGE_IMAGE_H
/*
 * The symbols of one dso as a position-independent block of bytes in a sealed memfd: sorted
 * addresses, sizes, name offsets, names as the file has them (mangled).  The symbol service makes
 * it, the engine maps it read-only, or copies a small one.  Everything in it is checked once, then.
 *
 * Addresses are file offsets for ELF files and the vdso (0 is its first byte), absolute for the
 * kernel.  Functions are numbered from 0 in rising address order and do not overlap.
 * Immutable once mapped: any thread may look things up.
 */
#include "base/buf.h"
#include "base/err.h"

struct image;

enum { IMAGE_NONE = UINT32_MAX };

/* Opens the image in @fd (taken, also on failure).  NULL: not a valid image, see @err. */
struct image *image_open(int fd, struct err *err);

/*
 * The same for a large one that this user's ptop checked when it made it, and that does not survive
 * a crash of the machine: only its header and its ends are read.  Damage does no harm, but is not
 * reported.
 */
struct image *image_open_kept(int fd, struct err *err);

void image_free(struct image *img);

uint32_t image_count(const struct image *img);

/*
 * For an image in which much is looked for: image_find() takes fewer steps from here on, for a byte
 * of memory for each function.  Not while another thread uses it.
 */
void image_index(struct image *img);

/* The function that contains @addr, IMAGE_NONE if none does. */
uint32_t image_find(const struct image *img, uint64_t addr);

uint64_t image_address(const struct image *img, uint32_t fn);
uint64_t image_size(const struct image *img, uint32_t fn);

/* As the file has it, not demangled.  Lives as long as the image. */
const char *image_raw_name(const struct image *img, uint32_t fn);

/*
 * Adds the same to @out by a system call, which makes none of the names resident; a page fault
 * would bring in 64 KiB of them.  For names that are read but once.
 */
void image_copy_name(const struct image *img, uint32_t fn, struct buf *out);

/*
 * For kernel images: the module's name ("ext4", "bpf"), "" for the kernel proper and for all ELF
 * files.
 */
const char *image_module(const struct image *img, uint32_t fn);

/* The build-id of the file that it was made of: its length, at most 20; 0: none. */
size_t image_build_id(const struct image *img, uint8_t id[20]);

/* Where its names come from: ".symtab", "debug file by build-id"; "": not known. */
const char *image_source(const struct image *img);

/* Whether it has only the names that a stripped file kept: a debug file has more. */
bool image_is_partial(const struct image *img);

/* Whether @module is none, but code that the kernel made for itself, as slots of kprobes. */
bool image_is_built_in(const char *module);

/*
 * Whether the raw name is that of a function of which unwind tables tell the bounds and nothing
 * tells a name: "+0x4a00", by the ELF address where its entry begins.
 */
bool image_is_entry(const char *raw_name);

/* Whether the raw name is one that the demangler might make shorter or clearer. */
bool image_is_mangled(const char *raw_name);

/* Bytes of the block, resident or not. */
size_t image_bytes(const struct image *img);

#endif
