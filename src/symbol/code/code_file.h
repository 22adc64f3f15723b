/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_CODE_CODE_FILE_H
#define PTOP_SYMBOL_CODE_CODE_FILE_H
/*
 * An ELF file whose code is listed: its bytes, and what its addresses are called.  In the process
 * that parses alone.  One thread.
 */
#include "base/buf.h"
#include "symbol/elf/debug_finder.h"

struct code_file;

enum { CODE_STRING_MAX = 48 }; /* bytes of text that an instruction points to: the rest is cut */

/* @fd is taken.  Asks @finder, NULL for none, for debug files that have names.  NULL: see @err. */
struct code_file *code_file_open(int fd, const struct debug_finder *finder, struct err *err);
/*
 * It is a kernel, whose _text runs at @text: from here on what stands for file offsets are addresses
 * in memory, and addresses are those, too.  @text 0: it is any file again.  -1: see @err.
 */
int code_file_move(struct code_file *c, uint64_t text, struct err *err);
void code_file_close(struct code_file *c); /* NULL is allowed */

/* Whether @fd is the very file, unchanged. */
bool code_file_is(const struct code_file *c, int fd);

int code_file_dup(const struct code_file *c); /* another descriptor of it, -1: errno */

unsigned code_file_machine(const struct code_file *c); /* EM_X86_64 */
bool code_file_is_64(const struct code_file *c);
/* Whether it always lies at the addresses that it was linked for, so that numbers in code can be such. */
bool code_file_is_fixed(const struct code_file *c);

/* The address of a file offset in code; false: there is no code. */
bool code_file_address(const struct code_file *c, uint64_t offset, uint64_t *addr);

/* The file offset of what stands for one; false: there is no code. */
bool code_file_offset(const struct code_file *c, uint64_t offset, uint64_t *in_file);

/* How many bytes of code from @offset on were read, at most @len. */
size_t code_file_read(const struct code_file *c, uint64_t offset, uint8_t *out, size_t len);

/* The function around @offset; false: none is known. */
bool code_file_extent(const struct code_file *c, uint64_t offset, uint64_t *start, uint64_t *size);

/*
 * Whether the kernel links the instruction at @addr when it loads the module that this file is, so
 * that its operand is nothing yet.  Adds what it will be, as far as that has a name.
 */
bool code_file_name_link(const struct code_file *c, uint64_t addr, unsigned len, struct buf *out);

/* Adds what is called or jumped to at @addr: "main+0x20", "malloc@plt".  false: nothing. */
bool code_file_name_code(const struct code_file *c, uint64_t addr, struct buf *out);

/* The same of data: "stdout", "table+0x8", "malloc@got", or a text there, in quotes and safe. */
bool code_file_name_data(const struct code_file *c, uint64_t addr, struct buf *out);

struct elf_file;

/* What is linked when a kernel module is loaded, by address.  Zero-initialise to begin. */
struct code_links {
	struct code_link {
		uint64_t addr;    /* in the code */
		const char *name; /* the file's, NULL: it is at place, if that is_place */
		uint64_t behind;  /* the name */
		uint64_t place;
		bool is_place;
	} *items;
	size_t len, cap;
};

void code_links_find(struct code_links *out, const struct elf_file *f, unsigned machine);
const struct code_link *code_links_at(const struct code_links *l, uint64_t addr, uint64_t len);

/* Where in a module's file is what lies at @offset of the loaded one.  false: nothing of it. */
bool code_module_place(const struct elf_file *f, uint64_t *offset);

/* Variables and slots of the GOT by address.  Zero-initialise to begin. */
struct data_names {
	struct data_name {
		uint64_t addr, size;
		uint32_t name;   /* where it begins in text */
		bool is_slot;    /* it holds the address of what has the name */
	} *items;
	size_t len, cap;
	struct buf text;
};

/* Adds those of the symbol tables of @names, which is @f itself or its debug file, and sorts. */
void data_names_add(struct data_names *d, const struct elf_file *names, uint64_t bias);

/* Adds the slots that relocations of @f fill with addresses of symbols. */
void data_names_add_slots(struct data_names *d, const struct elf_file *f);
void data_names_sort(struct data_names *d);

/* What @addr is in, NULL: nothing that is known. */
const struct data_name *data_names_find(const struct data_names *d, uint64_t addr);
void data_names_release(struct data_names *d);

#endif
