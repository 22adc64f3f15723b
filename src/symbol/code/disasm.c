/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/code/disasm.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes in place of an instruction, "(bad)" to objdump. */
static void
spell_bytes(const uint8_t *code, struct disasm_insn *out)
{
	size_t at = 0;

	for (unsigned i = 0; i < out->len; i++)
		at += (size_t)snprintf(out->text + at, sizeof(out->text) - at, "%s0x%02x",
				       i == 0 ? ".byte  " : ",", code[i]);
}

static void
take_bytes(unsigned machine, unsigned step, const uint8_t *code, size_t len,
	   struct disasm_insn *out)
{
	unsigned n = machine == EM_X86_64 ? x86_length(code, len) : 0;

	out->kind = LISTING_BYTES;
	out->len = (uint8_t)MIN(n != 0 ? n : step, len);
	spell_bytes(code, out);
}

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>
#ifndef PTOP_STATIC
#include <dlfcn.h>
#endif

#define TEXT_(n) #n
#define TEXT(n) TEXT_(n)
#define LIBRARY "libcapstone.so." TEXT(CS_API_MAJOR)

/* How its structures are laid out changes with its major version, which the name has. */
struct disasm_lib {
	void *handle;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *iter;
};

struct disasm {
	const struct disasm_lib *lib;
	csh handle;
	cs_insn *insn; /* NULL: nothing can be decoded */
	unsigned machine;
	bool is_intel;
	uint8_t step;  /* the distance of places where instructions may begin */
};

#ifdef PTOP_STATIC

struct disasm_lib *
disasm_load(void)
{
	struct disasm_lib *lib = mem_calloc(1, sizeof(*lib));

	*lib = (struct disasm_lib){
		.open = cs_open, .close = cs_close, .option = cs_option,
		.malloc = cs_malloc, .free = cs_free, .iter = cs_disasm_iter,
	};
	return lib;
}

#else

struct disasm_lib *
disasm_load(void)
{
	struct disasm_lib lib = { .handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) }, *made;
	const struct {
		const char *name;
		void *at; /* where its address is to be, whatever its type */
	} wanted[] = {
		{ "cs_open", &lib.open }, { "cs_close", &lib.close },
		{ "cs_option", &lib.option }, { "cs_malloc", &lib.malloc },
		{ "cs_free", &lib.free }, { "cs_disasm_iter", &lib.iter },
	};

	if (lib.handle == NULL)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		void *f = dlsym(lib.handle, wanted[i].name);

		if (f == NULL) {
			dlclose(lib.handle);
			return NULL;
		}
		memcpy(wanted[i].at, &f, sizeof(f));
	}
	made = mem_calloc(1, sizeof(*made));
	*made = lib;
	return made;
}

#endif

/* Machines of this byte order, as ELF numbers them. */
static const struct machine {
	unsigned machine;
	cs_arch arch;
	int mode32, mode64; /* -1: there is none */
	uint8_t step;
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_32, CS_MODE_64, 1 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, CS_MODE_64, 1 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, CS_MODE_LITTLE_ENDIAN, 4 },
	{ EM_ARM, CS_ARCH_ARM, CS_MODE_ARM, -1, 4 },
	{ EM_PPC64, CS_ARCH_PPC, -1, CS_MODE_64, 4 },
	{ EM_S390, CS_ARCH_SYSZ, -1, CS_MODE_BIG_ENDIAN, 2 },
	{ EM_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS32, CS_MODE_MIPS64, 4 },
#if CS_API_MAJOR >= 5
	{ EM_RISCV, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC,
	  CS_MODE_RISCV64 | CS_MODE_RISCVC, 2 },
#endif
};

static const struct machine *
find_machine(unsigned machine, bool is64)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine &&
		    (is64 ? machines[i].mode64 : machines[i].mode32) >= 0)
			return &machines[i];
	return NULL;
}

static int
open_handle(struct disasm *d, const struct machine *m, bool is64, struct err *err)
{
	int mode = is64 ? m->mode64 : m->mode32;
	cs_err res;

	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		mode |= (int)CS_MODE_BIG_ENDIAN;
	res = d->lib->open(m->arch, (cs_mode)mode, &d->handle);
	if (res != CS_ERR_OK)
		return err_set(err, ERR_UNSUPPORTED, 0,
			       "libcapstone does not decode this machine's code");
	d->lib->option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86 && !d->is_intel)
		d->lib->option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->insn = d->lib->malloc(d->handle);
	return 0;
}

struct disasm *
disasm_new(const struct disasm_lib *lib, unsigned machine, bool is64, bool is_intel,
	   struct err *err)
{
	const struct machine *m = find_machine(machine, is64);
	struct disasm *d = mem_calloc(1, sizeof(*d));

	*err = (struct err){ 0 };
	*d = (struct disasm){ .lib = lib, .machine = machine, .is_intel = is_intel, .step = 1 };
	if (m == NULL) {
		err_set(err, ERR_UNSUPPORTED, 0, "code of machine %u cannot be decoded", machine);
		return d;
	}
	d->step = m->step;
	if (lib == NULL) {
		err_set(err, ERR_UNSUPPORTED, 0, "instructions are bytes: no %s is here", LIBRARY);
		err_hint(err, "install libcapstone" TEXT(CS_API_MAJOR));
	} else {
		open_handle(d, m, is64, err);
	}
	return d;
}

void
disasm_free(struct disasm *d)
{
	if (d == NULL)
		return;
	if (d->insn != NULL) {
		d->lib->free(d->insn, 1);
		d->lib->close(&d->handle);
	}
	free(d);
}

static bool
is_in(const cs_insn *insn, cs_group_type group)
{
	for (unsigned i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

/* A jump that is always taken. */
static bool
is_plain_jump(const struct disasm *d, const cs_insn *insn)
{
	const cs_arm64 *a = &insn->detail->arm64;

	switch (d->machine) {
	case EM_X86_64:
	case EM_386:
		return insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;
	case EM_AARCH64:
		return (insn->id == ARM64_INS_B && (a->cc == ARM64_CC_INVALID || a->cc == ARM64_CC_AL)) ||
		       insn->id == ARM64_INS_BR;
	default:
		return false;
	}
}

static bool
is_call(const struct disasm *d, const cs_insn *insn)
{
	if (d->machine == EM_AARCH64)
		return insn->id == ARM64_INS_BL || insn->id == ARM64_INS_BLR;
	return is_in(insn, CS_GRP_CALL);
}

static enum listing_kind
kind_of(const struct disasm *d, const cs_insn *insn)
{
	if (is_call(d, insn))
		return LISTING_CALL;
	if (is_in(insn, CS_GRP_RET) || is_in(insn, CS_GRP_IRET))
		return LISTING_RETURN;
	if (!is_in(insn, CS_GRP_JUMP))
		return LISTING_PLAIN;
	return is_plain_jump(d, insn) ? LISTING_JUMP : LISTING_CONDITIONAL;
}

/* Addresses in memory that the instruction names without a register. */
static void
find_x86_places(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_x86 *x = &insn->detail->x86;
	bool goes = out->kind != LISTING_PLAIN && out->kind != LISTING_RETURN;

	for (unsigned i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];

		if (op->type == X86_OP_IMM) {
			uint64_t imm = (uint64_t)op->imm;

			*(goes ? &out->target : &out->ref) = imm;
			*(goes ? &out->has_target : &out->has_ref) = true;
			out->is_number = !goes;
		} else if (op->type == X86_OP_MEM && op->mem.segment == X86_REG_INVALID &&
			   op->mem.index == X86_REG_INVALID &&
			   (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_INVALID)) {
			out->ref = (uint64_t)op->mem.disp;
			if (op->mem.base == X86_REG_RIP)
				out->ref += insn->address + insn->size;
			out->has_ref = true;
			out->is_number = false;
			return;
		}
	}
}

/* By the name of the register, which is all that its number's order tells: 0 is rax. */
static const uint8_t x86_64_regs[][2] = {
	{ X86_REG_RAX, 0 }, { X86_REG_RDX, 1 }, { X86_REG_RCX, 2 }, { X86_REG_RBX, 3 },
	{ X86_REG_RSI, 4 }, { X86_REG_RDI, 5 }, { X86_REG_RBP, 6 }, { X86_REG_RSP, 7 },
	{ X86_REG_R8, 8 }, { X86_REG_R9, 9 }, { X86_REG_R10, 10 }, { X86_REG_R11, 11 },
	{ X86_REG_R12, 12 }, { X86_REG_R13, 13 }, { X86_REG_R14, 14 }, { X86_REG_R15, 15 },
};

/* The memory behind what one register holds. */
static void
find_x86_memory(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_x86 *x = &insn->detail->x86;

	for (unsigned i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];

		if (op->type != X86_OP_MEM || op->mem.segment != X86_REG_INVALID ||
		    op->mem.index != X86_REG_INVALID)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(x86_64_regs); k++)
			if (op->mem.base == x86_64_regs[k][0])
				out->reg = x86_64_regs[k][1];
		out->disp = (int32_t)op->mem.disp;
		out->size = insn->id == X86_INS_LEA ? 0 : op->size;
		return;
	}
}

static void
find_arm64_memory(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_arm64 *a = &insn->detail->arm64;

	for (unsigned i = 0; i < a->op_count; i++) {
		const arm64_op_mem *m = &a->operands[i].mem;

		if (a->operands[i].type != ARM64_OP_MEM || m->index != ARM64_REG_INVALID)
			continue;
		if (m->base >= ARM64_REG_X0 && m->base <= ARM64_REG_X28)
			out->reg = (uint8_t)(m->base - ARM64_REG_X0);
		else if (m->base == ARM64_REG_X29 || m->base == ARM64_REG_X30)
			out->reg = m->base == ARM64_REG_X29 ? 29 : 30;
		out->disp = m->disp;
		out->size = a->op_count > 0 && a->operands[0].type == ARM64_OP_REG &&
					    a->operands[0].reg >= ARM64_REG_W0 &&
					    a->operands[0].reg <= ARM64_REG_W30 ? 4 : 8;
		return;
	}
}

static void
find_arm64_places(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_arm64 *a = &insn->detail->arm64;
	const cs_arm64_op *last = a->op_count > 0 ? &a->operands[a->op_count - 1] : NULL;

	if (last == NULL || last->type != ARM64_OP_IMM)
		return;
	if (out->kind != LISTING_PLAIN && out->kind != LISTING_RETURN) {
		out->target = (uint64_t)last->imm;
		out->has_target = true;
	} else if (insn->id == ARM64_INS_ADR || insn->id == ARM64_INS_LDR) {
		out->ref = (uint64_t)last->imm;
		out->has_ref = true;
	}
}

/* The bytes that a negative immediate is shown with: those of the register or memory it meets. */
static unsigned
operand_size(const cs_x86 *x)
{
	unsigned size = 0;

	for (unsigned i = 0; i < x->op_count && x->op_count > 1; i++)
		if (x->operands[i].type != X86_OP_IMM)
			size = x->operands[i].size;
	if (size == 0 && x->op_count > 0)
		size = x->opcode[0] == 0xc6 || x->opcode[0] == 0xcd ? 1 : x->operands[0].size;
	return size;
}

static void
spell(const struct disasm *d, const cs_insn *insn, struct disasm_insn *out)
{
	const cs_x86 *x = &insn->detail->x86;

	if ((d->machine == EM_X86_64 || d->machine == EM_386) && !d->is_intel) {
		struct x86_spelling s = {
			.mnemonic = insn->mnemonic, .operands = insn->op_str,
			.size = operand_size(x), .has_disp = x->encoding.disp_size != 0,
			.is_branch = out->has_target, .target = out->target,
			.code = insn->bytes, .len = out->len,
		};

		x86_spell(&s, out->text);
		return;
	}
	if (insn->op_str[0] == '\0')
		snprintf(out->text, sizeof(out->text), "%s", insn->mnemonic);
	else
		snprintf(out->text, sizeof(out->text), "%-6s %s", insn->mnemonic, insn->op_str);
}

void
disasm_next(struct disasm *d, const uint8_t *code, size_t len, uint64_t addr,
	    struct disasm_insn *out)
{
	const uint8_t *at = code;

	out->has_target = out->has_ref = out->is_number = false;
	out->target = out->ref = 0;
	out->reg = LISTING_NO_REG;
	if (d->insn == NULL || !d->lib->iter(d->handle, &at, &len, &addr, d->insn) ||
	    d->insn->size == 0) {
		take_bytes(d->machine, d->step, code, len, out);
		return;
	}
	out->len = (uint8_t)d->insn->size;
	out->kind = kind_of(d, d->insn);
	if (d->machine == EM_X86_64 || d->machine == EM_386) {
		find_x86_places(d->insn, out);
		find_x86_memory(d->insn, out);
	} else if (d->machine == EM_AARCH64) {
		find_arm64_places(d->insn, out);
		find_arm64_memory(d->insn, out);
	}
	spell(d, d->insn, out);
}

#else

struct disasm {
	unsigned machine;
};

struct disasm_lib *
disasm_load(void)
{
	return NULL;
}

struct disasm *
disasm_new(const struct disasm_lib *lib, unsigned machine, bool is64, bool is_intel,
	   struct err *err)
{
	struct disasm *d = mem_calloc(1, sizeof(*d));

	(void)lib;
	(void)is64;
	(void)is_intel;
	d->machine = machine;
	err_set(err, ERR_UNSUPPORTED, 0, "instructions are bytes: ptop was built without libcapstone");
	return d;
}

void
disasm_free(struct disasm *d)
{
	free(d);
}

void
disasm_next(struct disasm *d, const uint8_t *code, size_t len, uint64_t addr,
	    struct disasm_insn *out)
{
	(void)addr;
	out->has_target = out->has_ref = out->is_number = false;
	out->target = out->ref = 0;
	out->reg = LISTING_NO_REG;
	take_bytes(d->machine, d->machine == EM_X86_64 || d->machine == EM_386 ? 1 : 4, code, len, out);
}

#endif
