/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptop's side: what an answer means for who asked. */
#include "broker/request.h"

#include "live/sys/cpus.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const reasons[BROKER_RESULTS] = {
	[BROKER_DONE] = "",
	[BROKER_NO_REQUEST] = "the process that does it refuses: it is no request that it knows",
	[BROKER_GONE] = "it has ended",
	[BROKER_OTHER] = "it has ended, and another process has its number now",
	[BROKER_INIT] = "process 1 is left alone: with it all ends; kill(1), renice(1) reach it",
	[BROKER_SELF] = "that is ptop itself: q leaves it",
	[BROKER_NO_CPU] = "this machine has no such CPU",
	[BROKER_NO_TERMINAL] = "there is no terminal that could be given to it",
	[BROKER_NO_PROC] = "/proc is not that of this PID namespace: mount -t proc proc /proc",
};

/* What the kernel refuses, the first that is of the action and the error. */
static const struct cause {
	unsigned actions; /* bits of enum broker_action */
	int error;
	bool is_root; /* of root */
	const char *text;
} causes[] = {
#define BIT(action) (1u << (action))
#define NICES (BIT(BROKER_NICE) | BIT(BROKER_NICE_BY))
	{ NICES, EACCES, false, "only root may lower nice values: sudo ptop" },
	{ NICES, EACCES, true, "this root lacks CAP_SYS_NICE: in a container, --cap-add SYS_NICE" },
	{ ~0u, EPERM, false, "it is another user's: sudo ptop" },
	{ BIT(BROKER_SIGNAL), EPERM, true, "this root lacks CAP_KILL, or a security module forbids it" },
	{ NICES | BIT(BROKER_CPUS_SET), EPERM, true,
	  "this root lacks CAP_SYS_NICE: in a container, --cap-add SYS_NICE" },
	{ BIT(BROKER_CPUS_SET), EINVAL, true,
	  "none of these CPUs is on line and in its cpuset, or it is a thread of the kernel's that is "
	  "bound to its own" },
	{ BIT(BROKER_CPUS_SET), EINVAL, false, "none of these CPUs is on line and in its cpuset" },
#undef NICES
#undef BIT
};

void
broker_put_reason(struct buf *b, const struct broker_request *request,
		  const struct broker_reply *reply)
{
	const bool is_root = geteuid() == 0;

	if (reply->result != BROKER_FAILED) {
		buf_add_str(b, reply->result < BROKER_RESULTS ? reasons[reply->result] : "");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		if ((causes[i].actions >> request->action & 1) != 0 &&
		    causes[i].error == reply->error && causes[i].is_root == is_root) {
			buf_add_str(b, causes[i].text);
			return;
		}
	}
	buf_add_str(b, strerror(reply->error));
}

void
broker_put_cpus(struct buf *b, const uint64_t cpus[BROKER_CPU_WORDS])
{
	struct cpus list = { mem_calloc(BROKER_CPUS, sizeof(*list.items)), 0 };

	for (unsigned cpu = 0; cpu < BROKER_CPUS; cpu++)
		if (broker_has_cpu(cpus, cpu))
			list.items[list.len++] = cpu;
	cpus_put_list(b, &list);
	cpus_release(&list);
}
