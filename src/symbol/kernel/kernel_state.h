/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_KERNEL_STATE_H
#define PTOP_SYMBOL_KERNEL_KERNEL_STATE_H
/*
 * What the running kernel's list of functions depends on, as a few numbers: the boot, the kernel,
 * its modules and their addresses, the BPF programs.  Reading them is a thousand times cheaper than
 * reading the list.  Any thread.
 */
#include "base/buf.h"
#include "symbol/ask/ask.h"

struct kernel_state {
	uint64_t one, two; /* of all of it */
	uint64_t kernel;   /* the boot, the kernel and its modules; never 0 */
	uint64_t programs; /* of BPF; 0: without the right to ask they come and go unseen */
	uint32_t bpf_functions; /* of the programs it knows */
};

/*
 * The ids of the BPF programs there are: they rise with each one loaded, so that equal lists are
 * equal programs at equal addresses.  To ask takes CAP_SYS_ADMIN, which ptop may give up early.
 */
struct kernel_programs {
	struct buf ids;
	uint32_t functions; /* that the kernel's list has of them, or fewer */
	bool is_known; /* false without the right to ask */
};

void kernel_programs_read(struct kernel_programs *p);
void kernel_programs_release(struct kernel_programs *p);

/*
 * @proc is "/proc"; @programs NULL: they are read now.  Those that came since they were read come
 * as records.
 */
void kernel_state_read(struct kernel_state *s, const char *proc,
		       const struct kernel_programs *programs);

/*
 * Which kernel runs here, and where: recordings name theirs in the same words.  Its build-id, by a
 * note of /sys/kernel/notes; the length, 0: it has none.
 */
size_t running_kernel_build_id(uint8_t id[BUILD_ID_MAX]);

/* Where its code begins; 0: hidden, or not found among the first symbols. */
uint64_t running_kernel_text(void);

#endif
