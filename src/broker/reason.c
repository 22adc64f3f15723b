/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptop's side: what an answer means for who asked. */
#include "broker/request.h"

#include "live/sys/cpus.h"
#include "live/sys/limits.h"

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
	[BROKER_NO_NAMER] = "ptop-namer, which asks runtimes, has ended or does not answer",
	[BROKER_DEAF] = "its JVM does not take the signal that asks it to listen (-Xrs, it just "
			"begins, or -XX:+DisableAttachMechanism): nothing was done",
	[BROKER_BAD_TMP] = "its /tmp is a link, or no folder: nothing was done",
	[BROKER_BAD_FILE] = "what is at its /tmp/.attach_pidPID is a link, no file, or another "
			    "user's: nothing was done",
	[BROKER_NO_SOCKET] = "it has no diagnostic socket in its /tmp, nor where its TMPDIR leads to "
			     "without links (DOTNET_EnableDiagnostics=0?)",
	[BROKER_BAD_SOCKET] = "what is at the place of its socket is a link, no socket, or another "
			      "process's: nothing was asked",
	[BROKER_SILENT] = "its runtime does not answer: it is not waited for any more",
	[BROKER_STRANGE] = "what answers for its runtime does not speak the protocol",
	[BROKER_NO_TABLE] = "the table of offsets that Python has for it (PEP 768) is not in its memory: "
			    "nothing was written",
	[BROKER_OTHER_TABLE] = "its table of offsets is not that of a released Python 3.14: nothing was "
			       "written",
	[BROKER_BAD_TABLE] = "its table of offsets does not lead to its main thread: it lies, or is there "
			     "twice",
	[BROKER_DISABLED] = "it was told to let nobody ask (-X disable-remote-debug, or "
			    "PYTHON_DISABLE_REMOTE_DEBUG): nothing was written",
	[BROKER_CLOSED] = "it has more rights than its user, who could replace the script",
	[BROKER_BUSY] = "somebody else has asked it to run a script, which it has not begun yet",
	[BROKER_OPEN_TMP] = "anybody may replace files in its /tmp, so also the script that it would run: "
			    "nothing was written",
	[BROKER_ASLEEP] = "its main thread did not come to run Python code in time, and is not asked any "
			  "more: it waits, or runs code of a library",
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
#define NAMES (BIT(BROKER_RUNTIME) | BIT(BROKER_NAME_CODE))
	{ NICES, EACCES, false, "only root may lower nice values: sudo ptop" },
	{ NICES, EACCES, true, "this root lacks CAP_SYS_NICE: in a container, --cap-add SYS_NICE" },
	{ ~0u, EPERM, false, "it is another user's: sudo ptop" },
	{ BIT(BROKER_NAME_CODE), EPERM, true,
	  "this root lacks CAP_SETUID, CAP_SETGID or CAP_SYS_PTRACE" },
	{ NAMES, EACCES, false, "it is another user's: sudo ptop" },
	{ NAMES, EACCES, true, "this root lacks CAP_SYS_PTRACE" },
	{ BIT(BROKER_SIGNAL), EPERM, true, "this root lacks CAP_KILL, or a security module forbids it" },
	{ NICES | BIT(BROKER_CPUS_SET), EPERM, true,
	  "this root lacks CAP_SYS_NICE: in a container, --cap-add SYS_NICE" },
	{ BIT(BROKER_CPUS_SET), EINVAL, true,
	  "none of these CPUs is on line and in its cpuset, or it is a thread of the kernel's that is "
	  "bound to its own" },
	{ BIT(BROKER_CPUS_SET), EINVAL, false, "none of these CPUs is on line and in its cpuset" },
#undef NAMES
#undef NICES
#undef BIT
};

const struct runtime *
broker_runtime(const struct broker_reply *reply)
{
	return reply->runtime > 0 && reply->runtime <= runtime_count ? &runtimes[reply->runtime - 1]
								      : NULL;
}

/* What a runtime is asked for is what its newer versions alone have; of Python that is known before. */
static void
put_unwilling(struct buf *b, const struct broker_reply *reply)
{
	const struct runtime *r = broker_runtime(reply);

	if (r != NULL && r->means == RUNTIME_BY_MEMORY)
		buf_addf(b, "%s was built without %s, or another profiler has its place", r->name,
			 r->now);
	else if (r != NULL)
		buf_addf(b, "%s refuses it, with %d: %s is of %s and later", r->name, reply->value,
			 r->now, r->since);
}

static void
put_closed(struct buf *b)
{
	buf_add_str(b, "its memory may not be written: ");
	if (limits_ptrace_scope("") > 0)
		buf_add_str(b, "kernel.yama.ptrace_scope forbids it (sudo ptop), or ");
	buf_add_str(b, reasons[BROKER_CLOSED]);
}

void
broker_put_reason(struct buf *b, const struct broker_request *request,
		  const struct broker_reply *reply)
{
	const bool is_root = geteuid() == 0;

	if (reply->result == BROKER_NO_SWITCH) {
		runtime_put_why_not(b, broker_runtime(reply), request->pid);
		return;
	}
	if (reply->result == BROKER_UNWILLING) {
		put_unwilling(b, reply);
		return;
	}
	if (reply->result == BROKER_CLOSED) {
		put_closed(b);
		return;
	}
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
