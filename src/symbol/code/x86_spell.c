/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/code/disasm.h"

#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 6, WORD_MAX = 32 };

/* Text that grows to a bound. */
struct line {
	char *text;
	size_t len;
};

static void
put(struct line *l, const char *s, size_t len)
{
	len = MIN(len, (size_t)DISASM_TEXT_MAX - 1 - l->len);
	memcpy(l->text + l->len, s, len);
	l->len += len;
	l->text[l->len] = '\0';
}

static void
put_str(struct line *l, const char *s)
{
	put(l, s, strlen(s));
}

static void
put_hex(struct line *l, uint64_t n)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, n);
	put_str(l, hex);
}

/*
 * What may have a suffix of its operands' size, in order.  When it is left out: where any operand
 * is a register, where the first or the last one is, always.
 */
enum drop { DROP_ANY, DROP_FIRST, DROP_LAST, DROP_ALWAYS };

static const struct suffixed {
	const char *name;
	enum drop drop;
} suffixed[] = {
	{ "adc", DROP_ANY }, { "adcx", DROP_ANY }, { "add", DROP_ANY }, { "adox", DROP_ANY },
	{ "and", DROP_ANY }, { "andn", DROP_ANY }, { "bextr", DROP_ANY }, { "blsi", DROP_ANY },
	{ "blsmsk", DROP_ANY }, { "blsr", DROP_ANY }, { "bsf", DROP_ANY }, { "bsr", DROP_ANY },
	{ "bswap", DROP_ANY }, { "bt", DROP_ANY }, { "btc", DROP_ANY }, { "btr", DROP_ANY },
	{ "bts", DROP_ANY }, { "bzhi", DROP_ANY }, { "call", DROP_ALWAYS }, { "cmova", DROP_ANY },
	{ "cmovae", DROP_ANY }, { "cmovb", DROP_ANY }, { "cmovbe", DROP_ANY },
	{ "cmove", DROP_ANY }, { "cmovg", DROP_ANY }, { "cmovge", DROP_ANY },
	{ "cmovl", DROP_ANY }, { "cmovle", DROP_ANY }, { "cmovne", DROP_ANY },
	{ "cmovno", DROP_ANY }, { "cmovnp", DROP_ANY }, { "cmovns", DROP_ANY },
	{ "cmovo", DROP_ANY }, { "cmovp", DROP_ANY }, { "cmovs", DROP_ANY }, { "cmp", DROP_ANY },
	{ "cmps", DROP_ANY }, { "cmpxchg", DROP_ANY }, { "cvtsi2sd", DROP_FIRST },
	{ "cvtsi2ss", DROP_FIRST }, { "dec", DROP_ANY }, { "div", DROP_ANY },
	{ "enter", DROP_ALWAYS }, { "idiv", DROP_ANY }, { "imul", DROP_ANY }, { "in", DROP_ANY },
	{ "inc", DROP_ANY }, { "ins", DROP_ANY }, { "jmp", DROP_ALWAYS }, { "lar", DROP_ANY },
	{ "lea", DROP_ANY }, { "leave", DROP_ALWAYS }, { "lgdt", DROP_ALWAYS }, { "lidt", DROP_ALWAYS },
	{ "lldt", DROP_ALWAYS }, { "lods", DROP_ANY }, { "lsl", DROP_ANY },
	{ "ltr", DROP_ALWAYS },
	{ "lzcnt", DROP_ANY }, { "mov", DROP_ANY }, { "movabs", DROP_ANY }, { "movbe", DROP_ANY },
	{ "movnti", DROP_ANY }, { "movs", DROP_ANY }, { "mul", DROP_ANY }, { "mulx", DROP_ANY },
	{ "neg", DROP_ANY }, { "nop", DROP_ANY }, { "not", DROP_ANY }, { "or", DROP_ANY },
	{ "out", DROP_ANY }, { "outs", DROP_ANY }, { "pdep", DROP_ANY }, { "pext", DROP_ANY },
	{ "pop", DROP_ALWAYS }, { "popcnt", DROP_ANY }, { "popf", DROP_ALWAYS },
	{ "push", DROP_ALWAYS }, { "pushf", DROP_ALWAYS }, { "rcl", DROP_LAST },
	{ "rcr", DROP_LAST }, { "rdfsbase", DROP_ANY }, { "rdgsbase", DROP_ANY },
	{ "rdrand", DROP_ANY }, { "rdseed", DROP_ANY }, { "rdssp", DROP_LAST },
	{ "ret", DROP_ALWAYS }, { "rol", DROP_LAST }, { "ror", DROP_LAST }, { "rorx", DROP_ANY },
	{ "sal", DROP_LAST }, { "sar", DROP_LAST }, { "sarx", DROP_ANY }, { "sbb", DROP_ANY },
	{ "scas", DROP_ANY }, { "sgdt", DROP_ALWAYS }, { "shl", DROP_LAST }, { "shld", DROP_LAST }, { "shlx", DROP_ANY },
	{ "shr", DROP_LAST }, { "shrd", DROP_LAST }, { "shrx", DROP_ANY }, { "sidt", DROP_ALWAYS }, { "sldt", DROP_ANY },
	{ "smsw", DROP_ANY }, { "stos", DROP_ANY }, { "str", DROP_ANY }, { "sub", DROP_ANY },
	{ "test", DROP_ANY }, { "tzcnt", DROP_ANY }, { "wrfsbase", DROP_ANY },
	{ "wrgsbase", DROP_ANY }, { "xadd", DROP_ANY }, { "xchg", DROP_ANY }, { "xor", DROP_ANY },
};

/* @name without its suffix, if it is one that has; NULL: it stays. */
static const struct suffixed *
find_suffixed(const char *name, size_t len)
{
	size_t at;

	if (len < 2 || strchr("bwlq", name[len - 1]) == NULL)
		return NULL;
	FIND_FIRST(at, ARRAY_SIZE(suffixed), strncmp(suffixed[at].name, name, len - 1) >= 0);
	/* Longer ones that begin so come behind the one itself. */
	if (at < ARRAY_SIZE(suffixed) && strncmp(suffixed[at].name, name, len - 1) == 0 &&
	    suffixed[at].name[len - 1] == '\0')
		return &suffixed[at];
	return NULL;
}

/* What the bytes before the opcode are, and it. */
struct prefixes {
	unsigned data16; /* how many */
	bool cs, ds, repz, repnz;
	uint8_t opcode, second;
};

static struct prefixes
read_prefixes(const struct x86_spelling *x)
{
	struct prefixes p = { 0 };
	size_t at = 0;

	for (; at < x->len; at++) {
		switch (x->code[at]) {
		case 0x66:
			p.data16++;
			continue;
		case 0x2e:
			p.cs = true;
			continue;
		case 0x3e:
			p.ds = true;
			continue;
		case 0xf2:
			p.repnz = true;
			continue;
		case 0xf3:
			p.repz = true;
			continue;
		case 0x26: case 0x36: case 0x64: case 0x65: case 0x67: case 0xf0:
			continue;
		}
		break;
	}
	if (at < x->len && (x->code[at] & 0xf0) == 0x40)
		at++;
	p.opcode = at < x->len ? x->code[at] : 0;
	p.second = at + 1 < x->len ? x->code[at + 1] : 0;
	return p;
}

struct operands {
	struct bytes_of {
		const char *s;
		size_t len;
	} items[OPERANDS_MAX];
	unsigned count;
};

/* At commas that no bracket encloses. */
static void
split(const char *text, struct operands *ops)
{
	const char *begin = text;
	int depth = 0;

	ops->count = 0;
	for (const char *s = text;; s++) {
		if (*s == '(')
			depth++;
		else if (*s == ')')
			depth--;
		if (*s != '\0' && (*s != ',' || depth > 0))
			continue;
		while (*begin == ' ')
			begin++;
		if (s > begin && ops->count < OPERANDS_MAX)
			ops->items[ops->count++] = (struct bytes_of){ begin, (size_t)(s - begin) };
		if (*s == '\0')
			return;
		begin = s + 1;
	}
}

/* A number with its sign, as LLVM writes it; the bytes it took, 0: there is none. */
static size_t
read_number(const char *s, uint64_t *n, bool *is_negative)
{
	const char *at = s;
	char *end;

	*is_negative = *at == '-';
	at += *is_negative;
	if (*at < '0' || *at > '9')
		return 0;
	*n = strtoull(at, &end, 0);
	return (size_t)(end - s);
}

static uint64_t
cut_to(uint64_t n, unsigned size)
{
	return size == 0 || size >= 8 ? n : n & ((UINT64_C(1) << (size * 8)) - 1);
}

static void
put_immediate(struct line *l, const struct x86_spelling *x, struct bytes_of op)
{
	bool is_negative;
	uint64_t n;

	if (read_number(op.s + 1, &n, &is_negative) == 0) {
		put(l, op.s, op.len);
		return;
	}
	put_str(l, "$");
	put_hex(l, cut_to(is_negative ? -n : n, is_negative ? x->size : 8));
}

/*
 * libcapstone 4 takes the index of any instruction with an EVEX prefix for a vector, which only
 * those have that gather and scatter.  Returns the bytes that are done with.
 */
static size_t
put_index(struct line *l, const struct x86_spelling *x, const char *at, unsigned commas)
{
	static const char *const registers[] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	unsigned opcode = x->len > 4 && x->code[0] == 0x62 ? x->code[4] : 0, n;
	bool is_vsib = (x->len > 1 && (x->code[1] & 7) == 2) &&
		       ((opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3) ||
			opcode == 0xc6 || opcode == 0xc7);
	char *end;

	if (opcode == 0 || is_vsib || commas != 1 || strncmp(at + 1, "mm", 2) != 0)
		return 0;
	n = (unsigned)strtoul(at + 3, &end, 10);
	put_str(l, registers[n & 15]);
	return (size_t)(end - at);
}

/* "%fs:-8(%rax, %rcx)" as "%fs:-0x8(%rax,%rcx,1)". */
static void
put_memory(struct line *l, const struct x86_spelling *x, struct bytes_of op)
{
	const char *open = memchr(op.s, '(', op.len), *colon = memchr(op.s, ':', op.len);
	const char *end = op.s + op.len, *at = op.s;
	bool is_negative;
	unsigned commas = 0;
	uint64_t n;
	size_t len;

	if (colon != NULL) {
		put(l, at, (size_t)(colon + 1 - at));
		at = colon + 1;
	}
	if (*at == '*') {
		put(l, at, 1);
		at++;
	}
	len = read_number(at, &n, &is_negative);
	if (len > 0) {
		put_str(l, is_negative ? "-" : "");
		put_hex(l, n);
		at += len;
	} else if (open == at && x->has_disp) {
		put_str(l, "0x0");
	}
	for (; at < end; at++) {
		size_t index = put_index(l, x, at, commas);

		if (index > 0) {
			at += index - 1;
			continue;
		}
		commas += *at == ',';
		if (*at == ')' && commas == 1)
			put_str(l, ",1");
		if (*at != ' ')
			put(l, at, 1);
	}
}

/* With the mask that goes with it: "%ymm1 {%k1} {z}". */
static void
put_register(struct line *l, struct bytes_of op)
{
	for (size_t i = 0; i < op.len; i++)
		if (op.s[i] != ' ')
			put(l, op.s + i, 1);
}

static void
put_operand(struct line *l, const struct x86_spelling *x, struct bytes_of op)
{
	if (*op.s == '$')
		put_immediate(l, x, op);
	else if (*op.s == '%' && memchr(op.s, ':', op.len) == NULL)
		put_register(l, op);
	else
		put_memory(l, x, op);
}

static bool
is_register(struct bytes_of op)
{
	return *op.s == '%' && memchr(op.s, ':', op.len) == NULL;
}

static bool
drops(const struct suffixed *s, const struct operands *ops)
{
	switch (s->drop) {
	case DROP_ALWAYS:
		return true;
	case DROP_FIRST:
		return ops->count > 0 && is_register(ops->items[0]);
	case DROP_LAST:
		return ops->count > 0 && is_register(ops->items[ops->count - 1]);
	case DROP_ANY:
		for (unsigned i = 0; i < ops->count; i++)
			if (is_register(ops->items[i]))
				return true;
		return false;
	}
	return false;
}

/* Instructions of the old floating point unit leave out the register that they always work on. */
static const struct implied {
	const char *name;
	const char *first, *last; /* the operand before the one written, or behind it */
} implied[] = {
	{ "fadd", "", ",%st" }, { "faddp", "%st,", "" }, { "fcmovb", "", ",%st" },
	{ "fcmovbe", "", ",%st" }, { "fcmove", "", ",%st" }, { "fcmovnb", "", ",%st" },
	{ "fcmovnbe", "", ",%st" }, { "fcmovne", "", ",%st" }, { "fcmovnu", "", ",%st" },
	{ "fcmovu", "", ",%st" }, { "fcomi", "", ",%st" }, { "fcomip", "", ",%st" },
	{ "fdiv", "", ",%st" }, { "fdivp", "%st,", "" }, { "fdivr", "", ",%st" },
	{ "fdivrp", "%st,", "" }, { "fmul", "", ",%st" }, { "fmulp", "%st,", "" },
	{ "fsub", "", ",%st" }, { "fsubp", "%st,", "" }, { "fsubr", "", ",%st" },
	{ "fsubrp", "%st,", "" }, { "fucomi", "", ",%st" }, { "fucomip", "", ",%st" },
};

static const struct implied *
find_implied(const char *name, const struct operands *ops)
{
	if (ops->count != 1 || strncmp(ops->items[0].s, "%st", 3) != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(implied); i++)
		if (strcmp(implied[i].name, name) == 0)
			return &implied[i];
	return NULL;
}

/* One instruction on its way from one spelling to the other. */
struct spelling {
	const struct x86_spelling *x;
	struct prefixes p;
	struct operands ops;
	char name[WORD_MAX]; /* without prefixes */
	char before[WORD_MAX]; /* prefixes, each with a blank behind it */
	bool is_string;  /* its operands have segments */
};

static void
set_name(struct spelling *s, const char *name)
{
	snprintf(s->name, sizeof(s->name), "%s", name);
}

static void
add_before(struct spelling *s, const char *prefix)
{
	size_t len = strlen(s->before);

	snprintf(s->before + len, sizeof(s->before) - len, "%s ", prefix);
}

/* "cs nopw" and "xchg %ax,%ax" are what compilers fill gaps with. */
static void
mend_nop(struct spelling *s)
{
	if (s->p.opcode == 0x90 && s->p.data16 > 0) {
		static const char ax[] = "%ax";

		for (unsigned i = 1; i < s->p.data16; i++)
			add_before(s, "data16");
		set_name(s, "xchg");
		s->ops = (struct operands){ .count = 2, .items = { { ax, 3 }, { ax, 3 } } };
		return;
	}
	for (unsigned i = 1; i < s->p.data16; i++)
		add_before(s, "data16");
	if (s->ops.count == 1 && s->p.cs && strncmp(s->ops.items[0].s, "%cs:", 4) == 0) {
		add_before(s, "cs");
		s->ops.items[0].s += 4;
		s->ops.items[0].len -= 4;
	}
}

/* What is before the name says which way it is repeated, checked, or not tracked. */
static void
mend_branch(struct spelling *s)
{
	if (s->p.repnz)
		add_before(s, "bnd");
	if (s->p.cs && (s->p.opcode & 0xfe) == 0xe8)
		add_before(s, "cs");
	if (s->p.ds && s->p.opcode == 0xff)
		add_before(s, "notrack");
	if (s->p.repz && (s->p.opcode == 0xc3 || s->p.opcode == 0xc2))
		add_before(s, "repz");
}

static bool
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool
is_wide(struct bytes_of op)
{
	return op.len >= 3 && begins(op.s, "%r") && op.s[2] != 'i' && op.s[op.len - 1] != 'd';
}

static bool
has_vector(const struct operands *o)
{
	for (unsigned i = 0; i < o->count; i++)
		if (begins(o->items[i].s, "%xmm") || begins(o->items[i].s, "%mm"))
			return true;
	return false;
}

/* A register of 32 bits: "%eax", "%r15d". */
static bool
has_half(const struct operands *o)
{
	for (unsigned i = 0; i < o->count; i++)
		if (begins(o->items[i].s, "%e") ||
		    (begins(o->items[i].s, "%r") && o->items[i].s[o->items[i].len - 1] == 'd'))
			return true;
	return false;
}

static struct bytes_of
wide_register(unsigned n)
{
	static const char *const names[] = { "%rax", "%rcx", "%rdx", "%rbx",
					     "%rsp", "%rbp", "%rsi", "%rdi" };

	return (struct bytes_of){ names[n & 7], 4 };
}

/* Shifts by one have no operand for it in the code, registers come in the order of the code. */
static void
mend_operands(struct spelling *s)
{
	struct operands *o = &s->ops;

	if ((s->p.opcode == 0xd0 || s->p.opcode == 0xd1) && o->count == 2 &&
	    begins(o->items[0].s, "$1")) {
		o->items[0] = o->items[1];
		o->count = 1;
	} else if (s->p.opcode >= 0x91 && s->p.opcode <= 0x97 && o->count == 2) {
		struct bytes_of first = o->items[0];

		o->items[0] = o->items[1];
		o->items[1] = first;
	} else if (strcmp(s->name, "movd") == 0 && o->count == 2 &&
		   (is_wide(o->items[0]) || is_wide(o->items[1]))) {
		set_name(s, "movq");
	} else if (strlen(s->name) == 4 && begins(s->name, "mov") && has_vector(o) && has_half(o)) {
		set_name(s, "movd");
	} else if (s->p.opcode == 0x9b && o->count == 0) {
		set_name(s, "fwait");
	}
	/* libcapstone 4 does not know it. */
	if (s->p.repz && s->p.opcode == 0x0f && s->p.second == 0xc7 && begins(s->name, "rdseed")) {
		set_name(s, "rdpid");
		s->ops.items[0] = wide_register(s->x->code[s->x->len - 1] & 7);
	}
	/* Of moves, compares, stores, loads, scans, input and output. */
	s->is_string = ((s->p.opcode >= 0xa4 && s->p.opcode <= 0xa7) ||
			(s->p.opcode >= 0xaa && s->p.opcode <= 0xaf) ||
			(s->p.opcode >= 0x6c && s->p.opcode <= 0x6f) ||
			(s->p.opcode >= 0xec && s->p.opcode <= 0xef)) &&
		       o->count > 0;
}

static void
take_apart(struct spelling *s)
{
	const char *name = s->x->mnemonic, *blank = strrchr(name, ' ');
	size_t len = blank != NULL ? (size_t)(blank + 1 - name) : 0;

	s->p = read_prefixes(s->x);
	snprintf(s->before, sizeof(s->before), "%.*s", (int)len, name);
	set_name(s, name + len);
	split(s->x->operands, &s->ops);
	if (begins(s->name, "nop"))
		mend_nop(s);
	else if (begins(s->name, "jmp") || begins(s->name, "call") || begins(s->name, "ret"))
		mend_branch(s);
	else
		mend_operands(s);
}

/* The name with its prefixes, in a column of 6 as objdump has it. */
static void
put_name(struct line *l, const struct spelling *s)
{
	size_t len = strlen(s->name);
	const struct suffixed *f = find_suffixed(s->name, len);

	put_str(l, s->before);
	if (f != NULL && drops(f, &s->ops) &&
	    !(begins(s->name, "mov") && has_vector(&s->ops)))
		len--;
	put(l, s->name, len);
	if (s->ops.count == 0)
		return;
	for (; s->before[0] == '\0' && len < 6; len++)
		put_str(l, " ");
	put_str(l, " ");
}

static void
put_string_operand(struct line *l, const struct spelling *s, struct bytes_of op)
{
	bool has_segment = memchr(op.s, ':', op.len) != NULL;

	if (op.len >= 6 && !has_segment && op.s[0] == '(')
		put_str(l, memcmp(op.s + 1, "%rdi", 4) == 0 || memcmp(op.s + 1, "%edi", 4) == 0
				   ? "%es:"
			   : memcmp(op.s + 1, "%rsi", 4) == 0 || memcmp(op.s + 1, "%esi", 4) == 0
				   ? "%ds:"
				   : "");
	if (op.len == 3 && memcmp(op.s, "%dx", 3) == 0)
		put_str(l, "(%dx)");
	else
		put_operand(l, s->x, op);
}

void
x86_spell(const struct x86_spelling *x, char *out)
{
	struct spelling s = { .x = x };
	struct line l = { .text = out };
	const struct implied *implied_by;
	char hex[24];

	*out = '\0';
	take_apart(&s);
	put_name(&l, &s);
	if (x->is_branch) {
		snprintf(hex, sizeof(hex), "%" PRIx64, x->target);
		put_str(&l, hex);
		return;
	}
	implied_by = find_implied(s.name, &s.ops);
	put_str(&l, implied_by != NULL ? implied_by->first : "");
	for (unsigned i = 0; i < s.ops.count; i++) {
		if (i > 0)
			put_str(&l, ",");
		if (s.is_string)
			put_string_operand(&l, &s, s.ops.items[i]);
		else
			put_operand(&l, x, s.ops.items[i]);
	}
	put_str(&l, implied_by != NULL ? implied_by->last : "");
}
