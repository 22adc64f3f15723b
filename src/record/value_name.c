/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/value_name.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

static const char *const calls[] = {
#include "record/syscall_names.inc"
};

#if defined(__x86_64__)
static const char *const calls_32[] = {
#include "record/syscall_names_32.inc"
};
#else
static const char *const calls_32[] = { NULL };
#endif

enum {
	X32_BIT = 0x40000000, /* __X32_SYSCALL_BIT: the numbers of 64-bit programs otherwise */
	ERRNO_MAX = 4095,
};

const char *
syscall_name(int64_t number, bool is_32)
{
	const char *const *list = is_32 ? calls_32 : calls;
	size_t count = is_32 ? ARRAY_SIZE(calls_32) : ARRAY_SIZE(calls);

#if defined(__x86_64__)
	if (!is_32 && number >= X32_BIT)
		number -= X32_BIT;
#endif
	return number >= 0 && (uint64_t)number < count ? list[number] : NULL;
}

static bool
put_call(int64_t value, struct buf *out)
{
	const char *name = syscall_name(value, false);

	if (name != NULL)
		buf_add_str(out, name);
	else
		buf_addf(out, "syscall %" PRId64, value);
	return true;
}

/* What a call returns: an error by its name. */
static bool
put_result(int64_t value, struct buf *out)
{
	const char *name = value < 0 && value >= -ERRNO_MAX ? strerrorname_np((int)-value) : NULL;

	if (name != NULL)
		buf_add_str(out, name);
	return name != NULL;
}

/* The same where only what is not 0 is one, with or without its sign. */
static bool
put_error(int64_t value, struct buf *out)
{
	return put_result(value > 0 ? -value : value, out);
}

static bool
put_signal(int64_t value, struct buf *out)
{
	const char *name = value > 0 && value < NSIG ? sigabbrev_np((int)value) : NULL;

	if (name != NULL)
		buf_addf(out, "SIG%s", name);
	return name != NULL;
}

static bool
put_device(int64_t value, struct buf *out)
{
	uint32_t dev = (uint32_t)value;

	buf_addf(out, "%u:%u", dev >> VALUE_MINOR_BITS,
		 dev & ((1U << VALUE_MINOR_BITS) - 1));
	return true;
}

/* Nothing but that it was about to run, or was preempted (TASK_REPORT_MAX); other bits have names. */
static bool
put_state(int64_t value, struct buf *out)
{
	if (value != 0 && value != 0x100)
		return false;
	buf_add_str(out, value == 0 ? "R" : "R+");
	return true;
}

/* Of the kernel: who shows it has the names of functions. */
static bool
put_address(int64_t value, struct buf *out)
{
	buf_addf(out, "0x%" PRIx64, (uint64_t)value);
	return true;
}

/* Bits of X86_PF_*, arch/x86/include/asm/trap_pf.h. */
static bool
put_fault(int64_t value, struct buf *out)
{
#if defined(__x86_64__)
	buf_addf(out, "%s, %s%s", value & 16 ? "fetch" : value & 2 ? "write" : "read",
		 value & 1 ? "not allowed" : "not mapped", value & 4 ? "" : ", by the kernel");
	return true;
#else
	(void)value;
	(void)out;
	return false;
#endif
}

static const struct known_field {
	const char *event, *field; /* of fnmatch(3) */
	bool (*put)(int64_t value, struct buf *out);
} known[] = {
	{ "raw_syscalls:*", "id", put_call },
	{ "syscalls:*", "__syscall_nr", put_call },
	{ "raw_syscalls:sys_exit", "ret", put_result },
	{ "syscalls:sys_exit_*", "ret", put_result },
	{ "sched:sched_switch", "prev_state", put_state },
	{ "signal:*", "sig", put_signal },
	{ "signal:*", "errno", put_error },
	{ "block:*", "error", put_error },
	{ "exceptions:page_fault_*", "error_code", put_fault },
	{ "exceptions:page_fault_*", "ip", put_address },
	{ "exceptions:page_fault_*", "address", put_address },
	{ "*", "call_site", put_address },
	{ "*", "caller", put_address },
	{ "*", "function", put_address },
	{ "*", "location", put_address },
	{ "*", "dev", put_device },
	{ "*", "s_dev", put_device },
	{ "*", "old_dev", put_device },
};

/* Which field tells most of an event: of the rows that fit it, the first whose field it has. */
static const struct telling_field {
	const char *event, *field; /* of fnmatch(3): modifiers may follow, "sched:sched_switch:k" */
} telling[] = {
	{ "raw_syscalls:*", "id" },
	{ "syscalls:sys_exit_*", "ret" },
	{ "sched:sched_switch*", "prev_state" },
	{ "sched:sched_process_fork*", "child_comm" },
	{ "sched:sched_process_exec*", "filename" },
	{ "sched:*", "comm" },
	{ "task:*", "comm" },
	{ "signal:*", "sig" },
	{ "block:*", "dev" },
	{ "irq:irq_handler_*", "name" },
	{ "irq:*", "irq" },
	{ "irq:*", "vec" },
	{ "exceptions:*", "error_code" },
	{ "kmem:mm_page_*", "gfp_flags" },
	{ "kmem:*", "name" },
	{ "kmem:*", "call_site" },
	{ "workqueue:*", "function" },
	{ "timer:*", "function" },
	{ "skb:*", "reason" },
	{ "net:*", "name" },
	{ "napi:*", "dev_name" },
	{ "sock:*", "newstate" },
	{ "sock:*", "family" },
	{ "tcp:*", "family" },
	{ "power:*", "state" },
	{ "cgroup:*", "path" },
	{ "module:*", "name" },
	{ "filemap:*", "s_dev" },
	{ "*", "dev" },
};

const char *
value_field(const char *event, size_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(telling); k++)
		if (fnmatch(telling[k].event, event, 0) == 0 && i-- == 0)
			return telling[k].field;
	return NULL;
}

static const struct known_field *
find_known(const char *event, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].field, field) == 0 && fnmatch(known[i].event, event, 0) == 0)
			return &known[i];
	return NULL;
}

bool
value_has_name(const char *event, const char *field)
{
	return find_known(event, field) != NULL;
}

bool
value_name_put(const char *event, const char *field, int64_t value, struct buf *out)
{
	const struct known_field *k = find_known(event, field);

	return k != NULL && k->put(value, out);
}
