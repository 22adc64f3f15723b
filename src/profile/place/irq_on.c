/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/irq_on.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* In rising order of bytes.  Locks, entry from user space and back, softirqs, idle. */
static const char *const names[] = {
	"__do_fast_syscall_32",
	"__do_softirq",
	"__raw_spin_unlock_irq",
	"__raw_spin_unlock_irqrestore",
	"_raw_read_unlock_irq",
	"_raw_read_unlock_irqrestore",
	"_raw_spin_unlock_irq",
	"_raw_spin_unlock_irqrestore",
	"_raw_write_unlock_irq",
	"_raw_write_unlock_irqrestore",
	"acpi_idle_do_entry",
	"acpi_idle_enter",
	"acpi_safe_halt",
	"arch_cpu_idle",
	"arch_local_irq_enable",
	"arch_local_irq_restore",
	"cpu_do_idle",
	"cpuidle_enter_state",
	"cpuidle_idle_call",
	"default_idle",
	"default_idle_call",
	"do_idle",
	"do_softirq",
	"do_syscall_64",
	"do_user_addr_fault",
	"exc_page_fault",
	"exit_to_user_mode_loop",
	"exit_to_user_mode_prepare",
	"finish_lock_switch",
	"finish_task_switch",
	"handle_softirqs",
	"intel_idle",
	"intel_idle_irq",
	"irqentry_exit",
	"irqentry_exit_cond_resched",
	"irqentry_exit_to_user_mode",
	"local_daif_restore",
	"local_irq_enable",
	"local_irq_restore",
	"mwait_idle",
	"native_irq_enable",
	"native_restore_fl",
	"native_safe_halt",
	"preempt_schedule_irq",
	"pv_native_irq_enable",
	"pv_native_safe_halt",
	"pvm_irq_enable",
	"raw_irqentry_exit_cond_resched",
	"raw_spin_rq_unlock_irq",
	"raw_spin_rq_unlock_irqrestore",
	"syscall_enter_from_user_mode",
	"syscall_exit_to_user_mode",
	"tick_nohz_idle_exit",
	"xen_irq_enable_direct",
};

/* Up to the first dot: "finish_task_switch.isra.0" is a part or a copy that the compiler made. */
static int
compare(const void *wanted, const void *item)
{
	const char *name = wanted, *known = *(const char *const *)item;
	size_t len = strcspn(name, ".");
	int order = strncmp(name, known, len);

	return order != 0 ? order : -(known[len] != '\0');
}

bool
irq_on_in(const char *name)
{
	return bsearch(name, names, ARRAY_SIZE(names), sizeof(*names), compare) != NULL;
}
