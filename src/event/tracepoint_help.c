/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help on tracepoints: the kernel has no text on them. */
#include "event/tracepoint.h"

#include <stdlib.h>
#include <string.h>

struct help_row {
	const char *name, *help;
};

/* Sorted by name: looked up with bsearch(). */
static const struct help_row groups[] = {
	{ "alarmtimer", "timers that wake the machine" },
	{ "amd_cpu", "AMD processor state" },
	{ "asoc", "sound on a chip" },
	{ "avc", "SELinux access checks" },
	{ "block", "block devices" },
	{ "bpf_test_run", "test runs of BPF programs" },
	{ "bpf_trace", "what BPF programs print" },
	{ "bridge", "network bridge" },
	{ "btrfs", "btrfs file system" },
	{ "capability", "checks of capabilities" },
	{ "cfg80211", "wireless configuration" },
	{ "cgroup", "control groups" },
	{ "clk", "hardware clocks" },
	{ "cma", "contiguous memory" },
	{ "compaction", "memory compaction" },
	{ "context_tracking", "kernel and user crossings" },
	{ "cpuhp", "CPU hot-plug" },
	{ "csd", "calls on other CPUs" },
	{ "damon", "memory access monitor" },
	{ "dev", "device management" },
	{ "devlink", "network device management" },
	{ "dma", "DMA mappings" },
	{ "dma_fence", "waits for DMA of devices" },
	{ "drm", "graphics" },
	{ "erofs", "EROFS file system" },
	{ "error_report", "reports of kernel checkers" },
	{ "exceptions", "processor exceptions" },
	{ "ext4", "ext4 file system" },
	{ "fib", "IPv4 routing" },
	{ "fib6", "IPv6 routing" },
	{ "filelock", "file locks" },
	{ "filemap", "page cache" },
	{ "fs_dax", "direct access files" },
	{ "ftrace", "function tracer" },
	{ "fuse", "file systems in user space" },
	{ "gpio", "GPIO lines" },
	{ "huge_memory", "huge pages" },
	{ "hugetlbfs", "reserved huge pages" },
	{ "hwmon", "hardware sensors" },
	{ "i2c", "I2C bus" },
	{ "icmp", "ICMP" },
	{ "initcall", "kernel start" },
	{ "intel_iommu", "Intel IOMMU" },
	{ "io_uring", "io_uring" },
	{ "iocost", "IO cost control" },
	{ "iomap", "file to block mapping" },
	{ "iommu", "IOMMU" },
	{ "ipi", "interrupts between CPUs" },
	{ "irq", "interrupts" },
	{ "irq_matrix", "interrupt vector allocation" },
	{ "irq_vectors", "local interrupts" },
	{ "jbd2", "journal of file systems" },
	{ "kmem", "kernel memory" },
	{ "ksm", "merging of equal pages" },
	{ "kvm", "virtual machines" },
	{ "kvmmmu", "memory of virtual machines" },
	{ "kyber", "kyber IO scheduler" },
	{ "libata", "ATA disks" },
	{ "lock", "kernel locks" },
	{ "mac80211", "wireless" },
	{ "maple_tree", "maple trees of the kernel" },
	{ "mce", "machine checks" },
	{ "mdio", "network PHYs" },
	{ "mei", "Intel management engine" },
	{ "memcg", "memory of control groups" },
	{ "migrate", "page migration" },
	{ "mmap", "address spaces" },
	{ "mmap_lock", "locks of address spaces" },
	{ "module", "kernel modules" },
	{ "mptcp", "multipath TCP" },
	{ "msr", "processor registers" },
	{ "napi", "network polling" },
	{ "neigh", "network neighbours" },
	{ "net", "network devices" },
	{ "netfs", "network file systems" },
	{ "netlink", "netlink" },
	{ "nfs", "NFS client" },
	{ "nfs4", "NFSv4 client" },
	{ "nfsd", "NFS server" },
	{ "nmi", "non-maskable interrupts" },
	{ "notifier", "kernel notifiers" },
	{ "nvme", "NVMe disks" },
	{ "oom", "out of memory" },
	{ "osnoise", "noise of the system" },
	{ "page_isolation", "page isolation" },
	{ "page_pool", "network page pools" },
	{ "pagemap", "page lists" },
	{ "percpu", "memory per CPU" },
	{ "power", "power management" },
	{ "printk", "kernel messages" },
	{ "qdisc", "network queues" },
	{ "ras", "hardware errors" },
	{ "raw_syscalls", "all system calls" },
	{ "rcu", "RCU" },
	{ "readahead", "read-ahead of files" },
	{ "regmap", "device registers" },
	{ "rpm", "device power" },
	{ "rseq", "restartable sequences" },
	{ "rtc", "real time clock" },
	{ "sched", "scheduler" },
	{ "scsi", "SCSI disks" },
	{ "signal", "signals" },
	{ "skb", "network packets" },
	{ "smbus", "SMBus" },
	{ "sock", "sockets" },
	{ "spi", "SPI bus" },
	{ "sunrpc", "SUN RPC" },
	{ "swiotlb", "bounce buffers" },
	{ "syscalls", "system calls" },
	{ "task", "tasks" },
	{ "tcp", "TCP" },
	{ "thermal", "temperatures" },
	{ "thp", "huge page changes" },
	{ "timer", "timers" },
	{ "timer_migration", "timers moving between CPUs" },
	{ "timestamp", "time stamps of files" },
	{ "tlb", "address translation" },
	{ "udp", "UDP" },
	{ "usb", "USB" },
	{ "vmalloc", "kernel address space" },
	{ "vmscan", "memory reclaim" },
	{ "vsock", "sockets to virtual machines" },
	{ "vsyscall", "vsyscall page" },
	{ "watchdog", "watchdog" },
	{ "wbt", "write-back throttling" },
	{ "workqueue", "kernel work queues" },
	{ "writeback", "write-back of files" },
	{ "x86_fpu", "floating point state" },
	{ "xdp", "express data path" },
	{ "xen", "Xen" },
	{ "xfs", "XFS file system" },
};

/* The best known, sorted by name. */
static const struct help_row known[] = {
	{ "block:block_bio_queue", "an IO request is handed to a block device" },
	{ "block:block_rq_complete", "a block device has completed a request" },
	{ "block:block_rq_insert", "a request enters a block device's queue" },
	{ "block:block_rq_issue", "a request is sent to a block device" },
	{ "exceptions:page_fault_kernel", "a page fault in the kernel" },
	{ "exceptions:page_fault_user", "a page fault in user space" },
	{ "filemap:mm_filemap_add_to_page_cache", "a page enters the page cache" },
	{ "ftrace:function", "entry of every traced kernel function" },
	{ "io_uring:io_uring_complete", "an io_uring request is complete" },
	{ "io_uring:io_uring_submit_req", "an io_uring request is submitted" },
	{ "irq:irq_handler_entry", "an interrupt handler begins" },
	{ "irq:irq_handler_exit", "an interrupt handler has ended" },
	{ "irq:softirq_entry", "a soft interrupt begins" },
	{ "irq:softirq_raise", "a soft interrupt is asked for" },
	{ "kmem:kfree", "kernel memory is given back" },
	{ "kmem:kmalloc", "kernel memory is taken" },
	{ "kmem:kmem_cache_alloc", "a kernel object is taken from its cache" },
	{ "kmem:mm_page_alloc", "pages are taken" },
	{ "kmem:mm_page_free", "pages are given back" },
	{ "lock:contention_begin", "a kernel lock has to be waited for" },
	{ "lock:contention_end", "a kernel lock was waited for and is taken" },
	{ "net:net_dev_queue", "a packet is queued for sending" },
	{ "net:net_dev_xmit", "a packet is sent by a device" },
	{ "net:netif_receive_skb", "a packet is received" },
	{ "oom:mark_victim", "a process is chosen to be killed for want of memory" },
	{ "power:cpu_frequency", "a CPU changes its frequency" },
	{ "power:cpu_idle", "a CPU enters or leaves an idle state" },
	{ "raw_syscalls:sys_enter", "entry of every system call" },
	{ "raw_syscalls:sys_exit", "exit of every system call" },
	{ "sched:sched_migrate_task", "a task moves to another CPU" },
	{ "sched:sched_process_exec", "a process executes a program" },
	{ "sched:sched_process_exit", "a task ends" },
	{ "sched:sched_process_fork", "a task is made" },
	{ "sched:sched_stat_runtime", "time that a task ran" },
	{ "sched:sched_switch", "a CPU switches from one task to another" },
	{ "sched:sched_wakeup", "a sleeping task is woken" },
	{ "sched:sched_wakeup_new", "a new task is woken for the first time" },
	{ "sched:sched_waking", "a task is about to be woken" },
	{ "signal:signal_deliver", "a signal is delivered" },
	{ "signal:signal_generate", "a signal is sent" },
	{ "skb:consume_skb", "a packet is done with" },
	{ "skb:kfree_skb", "a packet is dropped" },
	{ "sock:inet_sock_set_state", "a connection changes its state" },
	{ "tcp:tcp_probe", "a TCP segment is received" },
	{ "tcp:tcp_retransmit_skb", "a TCP segment is sent again" },
	{ "timer:hrtimer_expire_entry", "a high resolution timer has run out" },
	{ "timer:timer_expire_entry", "a timer has run out" },
	{ "vmscan:mm_vmscan_direct_reclaim_begin", "a task must reclaim memory itself" },
	{ "vmscan:mm_vmscan_kswapd_wake", "memory reclaim wakes up" },
	{ "workqueue:workqueue_execute_start", "a work item begins" },
	{ "workqueue:workqueue_queue_work", "a work item is queued" },
	{ "writeback:writeback_start", "dirty pages begin to be written" },
	{ "xdp:xdp_exception", "an XDP program failed" },
};

static int
compare(const void *key, const void *row)
{
	return strcmp(key, ((const struct help_row *)row)->name);
}

static const char *
find(const struct help_row *rows, size_t count, const char *name)
{
	const struct help_row *row = bsearch(name, rows, count, sizeof(*rows), compare);

	return row != NULL ? row->help : NULL;
}

const char *
tracepoint_help(struct arena *arena, const char *group, const char *name)
{
	static const char enter[] = "sys_enter_", leave[] = "sys_exit_";
	struct buf full = { 0 };
	const char *help;

	if (strcmp(group, "syscalls") == 0) {
		if (strncmp(name, enter, strlen(enter)) == 0)
			return arena_printf(arena, "entry of system call %s", name + strlen(enter));
		if (strncmp(name, leave, strlen(leave)) == 0)
			return arena_printf(arena, "exit of system call %s", name + strlen(leave));
	}
	buf_addf(&full, "%s:%s", group, name);
	help = find(known, ARRAY_SIZE(known), full.data);
	buf_release(&full);
	if (help != NULL)
		return help;
	help = find(groups, ARRAY_SIZE(groups), group);
	return arena_printf(arena, "%s: %s", help != NULL ? help : group, name);
}
