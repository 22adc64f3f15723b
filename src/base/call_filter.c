/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/call_filter.h"

#include "base/util.h"

#include <errno.h>

#if CALL_FILTER_WORKS

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

enum { PROGRAM_MAX = 256 };

struct program {
	struct sock_filter code[PROGRAM_MAX];
	unsigned short len;
};

static void
add(struct program *p, struct sock_filter op)
{
	if (p->len < PROGRAM_MAX)
		p->code[p->len] = op;
	p->len++;
}

static void
add_load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Both machines are little endian: the lower half of an argument comes first. */
static void
add_conditions(struct program *p, const struct call_rule *rule, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct call_condition *c = &rule->when[i];

		add_load(p, offsetof(struct seccomp_data, args) + c->arg * sizeof(uint64_t));
		add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, c->mask));
		/* If not: past the other conditions and the "allow". */
		add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c->value, 0,
						    (uint8_t)((count - i - 1) * 3 + 1)));
	}
}

static void
add_rule(struct program *p, const struct call_rule *rule)
{
	unsigned count = 0;

	while (count < CALL_CONDITIONS && rule->when[count].mask != 0)
		count++;
	add_load(p, offsetof(struct seccomp_data, nr));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->nr, 0,
					    (uint8_t)(count * 3 + 1)));
	add_conditions(p, rule, count);
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void
build(struct program *p, const struct call_rule *rules, size_t count, unsigned who)
{
	add_load(p, offsetof(struct seccomp_data, arch));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	for (size_t i = 0; i < count; i++)
		if (rules[i].who & who)
			add_rule(p, &rules[i]);
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */));
}

bool
call_filter_enter(const struct call_rule *rules, size_t count, unsigned who)
{
	struct program p = { .len = 0 };
	struct sock_fprog prog = { .filter = p.code };

	build(&p, rules, count, who);
	prog.len = p.len;
	errno = E2BIG;
	return p.len <= PROGRAM_MAX && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

#else

bool
call_filter_enter(const struct call_rule *rules, size_t count, unsigned who)
{
	(void)rules;
	(void)count;
	(void)who;
	errno = ENOSYS;
	return false;
}

#endif
